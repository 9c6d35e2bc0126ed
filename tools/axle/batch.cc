// axle batch: requests as JSON lines on stdin, answered in order on stdout.
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <new>

#include "axle/core/strings.h"
#include "tools/axle/json.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

// Lines of stdin. Reading ends early when the process is interrupted.
class LineReader {
 public:
  bool Next(std::string& line) {
    line.clear();
    while (true) {
      const size_t end = buffer_.find('\n', begin_);
      if (end != buffer_.npos) {
        line.append(buffer_, begin_, end - begin_);
        begin_ = end + 1;
        return true;
      }
      line.append(buffer_, begin_);
      buffer_.resize(1 << 16);
      begin_ = 0;
      ssize_t got;
      do {
        got = read(STDIN_FILENO, buffer_.data(), buffer_.size());
      } while (got < 0 && errno == EINTR && !Interrupted());
      buffer_.resize(got > 0 ? got : 0);
      if (got <= 0) return !line.empty() && !Interrupted();
    }
  }

 private:
  std::string buffer_;
  size_t begin_ = 0;
};

// A list in an object is as deep as a request goes. The reader of JSON, and whoever copies what it
// read, calls itself for each level, so that a line is looked at first. Brackets in strings do not
// count.
constexpr int kMaxDepth = 16;

bool IsTooDeep(std::string_view line) {
  int depth = 0;
  bool is_string = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') is_string = !is_string;
    if (is_string && c == '\\') ++i;  // what is escaped ends no string
    if (is_string) continue;
    if ((c == '[' || c == '{') && ++depth > kMaxDepth) return true;
    if (c == ']' || c == '}') --depth;
  }
  return false;
}

// A number comes back as it was. JSON's integers beyond 64 bits are read as floats, which are not.
bool IsId(const Json& value) {
  constexpr double kMost = 9223372036854775808.0;  // 2^63
  if (value.is_number_float()) return std::abs(value.get<double>()) < kMost;
  return value.is_number() || value.is_string();
}

// Fills in what a request says; "" or what is wrong with it.
std::string ReadRequest(const Json& request, Options& options, const Verb*& verb) {
  if (!request.is_object()) return "a request is a JSON object";
  for (const auto& [key, value] : request.items()) {
    std::string* text = key == "inputs"    ? &options.inputs
                        : key == "output"  ? &options.output
                        : key == "infeed"  ? &options.infeed
                        : key == "outfeed" ? &options.outfeed
                                           : nullptr;
    std::vector<std::string>* list = key == "args"   ? &options.args
                                     : key == "recv" ? &options.recvs
                                     : key == "send" ? &options.sends
                                                     : nullptr;
    if (key == "id") {
      if (!IsId(value)) return "\"id\" is not a number of at most 64 bits or a string";
      continue;
    }
    if (list != nullptr) {
      const auto wrong = [&] { return StrCat("\"", key, "\" is not a list of strings"); };
      if (!value.is_array()) return wrong();
      for (const Json& item : value) {
        if (!item.is_string()) return wrong();
        list->push_back(item.get<std::string>());
      }
      continue;
    }
    if (text == nullptr && key != "verb" && key != "file") {
      constexpr std::string_view kKeys[] = {"id",     "verb",    "file", "inputs", "output",
                                            "infeed", "outfeed", "args", "recv",   "send"};
      return StrCat("unknown key \"", PrintableText(key), "\"", DidYouMean(key, kKeys));
    }
    if (!value.is_string()) return StrCat("\"", key, "\" is not a string");
    if (text != nullptr) *text = value.get<std::string>();
    if (key == "output" && options.output.empty()) return "\"output\" is empty";
  }
  if (!request.contains("verb") || !request.contains("file")) {
    return "a request has \"verb\" and \"file\"";
  }
  const auto name = request["verb"].get<std::string>();
  verb = FindVerb(name);
  if (name != "run" && name != "parse" && name != "print") {
    constexpr std::string_view kVerbs[] = {"run", "parse", "print"};
    return StrCat("a batch takes run, parse and print, not \"", PrintableText(name), "\"",
                  DidYouMean(name, kVerbs));
  }
  options.files = {request["file"].get<std::string>()};
  return {};
}

// The line that answers a request. The result of a verb is put in as the text that it is.
std::string Answer(const std::string& line, const Options& defaults) {
  const bool is_deep = IsTooDeep(line);
  const Json request = is_deep ? Json() : Json::parse(line, nullptr, /*allow_exceptions=*/false);
  Json answer;
  const bool has_id = request.is_object() && request.contains("id") && IsId(request["id"]);
  answer["id"] = has_id ? request["id"] : Json();
  Options options = defaults;
  options.json = false;
  const Verb* verb = nullptr;
  std::string result;
  std::string message = is_deep                  ? std::string("a request is not nested so deep")
                        : request.is_discarded() ? std::string("a request is one line of JSON")
                                                 : ReadRequest(request, options, verb);
  int exit = kUsage;
  double seconds = 0;
  if (message.empty()) {
    // What has no file of its own comes back in the answer.
    options.json = options.output.empty() && verb->name != "parse";
    Session session(std::move(options), &message, &result);
    try {
      exit = session.InTime(verb->run(session));
    } catch (const std::bad_alloc&) {
      exit = session.FailWithoutMemory();
    } catch (const std::exception& error) {
      exit = session.Fail(Internal(StrCat(verb->name, ": ", error.what())));
    }
    seconds = session.seconds();
  }
  answer["exit"] = exit;
  answer["message"] = message;
  answer["seconds"] = seconds;
  std::string text = ToLine(answer);
  if (exit != kYes || result.empty()) return text;
  while (result.ends_with('\n')) result.pop_back();
  text.replace(text.size() - 2, 2, StrCat(",\"result\":", result, "}\n"));
  return text;
}

int RunBatch(Session& session) {
  if (!session.options().files.empty()) {
    return session.Usage("batch: takes requests on stdin, no FILE");
  }
  LineReader lines;
  for (std::string line; lines.Next(line);) {
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    session.Out(Answer(line, session.options()));
    if (const ExitCode flushed = FlushOutput(); flushed != kYes) return flushed;
    if (Interrupted()) break;
  }
  return Interrupted() ? kLimit : kYes;
}

constexpr OptionUse kOptions[] = {
    {"engine"},
    {"fake"},
    {"time-limit", "seconds for each, 8 by default; 0: no limit"},
    {"mem-limit"},
    Brief("seed"),
    Brief("isa"),
    Brief("codegen-level"),
    Brief("numerics"),
    Brief("threads"),
    Brief("style"),
    Brief("from"),
    Brief("strict-types"),
    Brief("allow-elided"),
};

}  // namespace

const Verb kBatchVerb = {
    .name = "batch",
    .summary = "run, parse, print: requests as JSON lines on stdin",
    .examples =
        "axle batch < requests.jsonl > answers.jsonl\n"
        "echo '{\"id\":1,\"verb\":\"parse\",\"file\":\"model.hlo\"}' | axle batch\n"
        "axle batch --engine native --time-limit 60 < requests.jsonl\n",
    .description =
        "One request a line, answered in order, with no state between them:\n"
        "  in   "
        "{\"id\":7,\"verb\":\"run\",\"file\":F,\"inputs\":X,\"output\":Y,\"args\":[\"0=f32[] "
        "1\"]}\n"
        "  out  {\"id\":7,\"exit\":0,\"message\":\"\",\"seconds\":0.01}\n"
        "verb is run, parse or print; results and text go to \"output\" or, without it, into the\n"
        "answer, as \"result\": what the verb prints with --json. \"message\" has diagnostics;\n"
        "\"infeed\", \"outfeed\" and the lists \"recv\", \"send\" are as for run. exit is what the "
        "verb\n"
        "alone would have ended with, 2 for no request. The options hold for every request:\n",
    .options = kOptions,
    .run = RunBatch};

}  // namespace axle::tool
