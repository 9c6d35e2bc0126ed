// The command line: finds the verb, reads its options, runs it. Nothing ends in a signal.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>
#include <vector>

#include "axle/core/strings.h"
#include "tools/axle/help_text.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

int UsageError(std::string_view what) {
  std::fprintf(stderr, "axle: %s\n", std::string(what).c_str());
  return kUsage;
}

void PrintData(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

// Their time limit is for each of the things that they do, or ends a search.
constexpr std::string_view kVerbsOfManyCalls[] = {"batch", "check", "gen", "reduce"};

int RunVerb(const Verb& verb, std::span<const char* const> arguments) {
  const ParsedOptions parsed = ParseOptions(verb.name, verb.options, arguments);
  if (!parsed.error.empty()) return UsageError(parsed.error);
  if (parsed.help) {
    PrintData(HelpText(verb));
    return kYes;
  }
  LimitProcessMemory(parsed.options.mem_limit);
  Session session(parsed.options);
  try {
    const int code = verb.run(session);
    return std::ranges::find(kVerbsOfManyCalls, verb.name) != std::end(kVerbsOfManyCalls)
               ? code
               : session.InTime(code);
  } catch (const std::bad_alloc&) {
    return session.FailWithoutMemory();
  } catch (const std::exception& error) {
    return session.Fail(Internal(StrCat(verb.name, ": ", error.what())));
  }
}

int Main(std::span<const char* const> arguments) {
  if (arguments.empty()) {
    std::fputs(Overview().c_str(), stderr);
    return kUsage;
  }
  const std::string_view name = arguments[0];
  const std::span<const char* const> rest = arguments.subspan(1);
  if (name == "--version") {
    PrintData(StrCat(Version(), "\n"));
    return kYes;
  }
  if (name == "help" || name == "-h" || name == "--help") {
    if (rest.empty()) {
      PrintData(Overview());
      return kYes;
    }
    if (std::string_view(rest[0]) == "options") {
      PrintData(HelpOnOptions());
      return kYes;
    }
    const Verb* verb = FindVerb(rest[0]);
    if (verb == nullptr) return UsageError(UnknownVerb(rest[0]));
    PrintData(HelpText(*verb));
    return kYes;
  }
  const Verb* verb = FindVerb(name);
  if (verb == nullptr) return UsageError(UnknownVerb(name));
  return RunVerb(*verb, rest);
}

}  // namespace
}  // namespace axle::tool

int main(int argc, char** argv) {
  using namespace axle::tool;  // NOLINT(google-build-using-namespace): there is nothing else here
  InstallSignalHandlers();
  const std::vector<const char*> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  const int code = Main(arguments);
  const ExitCode flushed = FlushOutput();
  EndProcess(code == kYes ? flushed : code);
}
