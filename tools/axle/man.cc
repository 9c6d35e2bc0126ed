// axle man: manual pages, made from the table of verbs and their options.
#include <filesystem>

#include "axle/core/file.h"
#include "axle/core/strings.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

// A line of text for roff: nothing in it is a request or an escape.
std::string Roff(std::string_view line) {
  std::string out;
  if (line.starts_with('.') || line.starts_with('\'')) out += "\\&";
  for (char c : line) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
  }
  return out;
}

std::vector<std::string> LinesOf(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Lines that stay as they are.
std::string Verbatim(std::string_view lines) {
  std::string text = ".nf\n";
  for (const std::string& line : LinesOf(lines)) StrAppend(text, Roff(line), "\n");
  return text + ".fi\n";
}

// Paragraphs are filled; lines that are indented stay as they are.
std::string Paragraphs(std::string_view lines) {
  std::string text = ".PP\n";
  bool is_filled = true;
  for (const std::string& line : LinesOf(lines)) {
    const bool fills = !line.starts_with(' ');
    if (fills != is_filled) text += fills ? ".fi\n" : ".nf\n";
    is_filled = fills;
    StrAppend(text, line.empty() ? ".PP" : Roff(line), "\n");
  }
  return is_filled ? text : text + ".fi\n";
}

std::string Title(std::string_view name, std::string_view summary) {
  std::string capitals(name);
  for (char& c : capitals) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return StrCat(".TH ", Roff(capitals), " 1 \"\" \"", Version(), "\" \"Axle\"\n.SH NAME\n",
                Roff(name), " \\- ", Roff(summary), "\n");
}

std::string PageOf(const Verb& verb) {
  std::string options;
  for (const OptionInfo& option : OptionsOf(verb.options)) {
    StrAppend(options, ".TP\n.B ", Roff(option.term), "\n", Roff(option.text), "\n");
  }
  std::string text = Title(StrCat("axle-", verb.name), verb.summary);
  StrAppend(text, ".SH SYNOPSIS\n.B axle ", verb.name, "\n[OPTIONS] [FILE]...\n");
  if (!verb.description.empty()) {
    StrAppend(text, ".SH DESCRIPTION\n", Paragraphs(verb.description));
  }
  return StrCat(text, ".SH OPTIONS\n", options, ".SH EXAMPLES\n", Verbatim(verb.examples),
                ".SH SEE ALSO\n.BR axle (1)\n");
}

// The overview, with the names of the other pages.
std::string MainPage() {
  std::string text = Title("axle", "run, check and compile tensor programs of HLO");
  StrAppend(text, ".SH SYNOPSIS\n.B axle\nVERB [OPTIONS] [FILE]...\n.SH DESCRIPTION\n",
            Verbatim(Overview()), ".SH ENVIRONMENT\n");
  for (const EnvironmentVariable& variable : kEnvironment) {
    StrAppend(text, ".TP\n.B ", variable.name, "\n", Roff(variable.meaning), "\n");
  }
  text += ".SH SEE ALSO\n";
  for (const Verb* verb : AllVerbs()) {
    StrAppend(text, ".BR axle\\-", verb->name, verb == AllVerbs().back() ? " (1)\n" : " (1),\n");
  }
  return text;
}

int RunMan(Session& session) {
  const Options& options = session.options();
  if (options.files.size() > 1) return session.Usage("man: takes one verb, or none");
  if (options.output.empty()) {
    if (options.files.empty()) {
      session.Out(MainPage());
      return kYes;
    }
    const Verb* verb = FindVerb(options.files[0]);
    if (verb == nullptr) return session.Usage(UnknownVerb(options.files[0]));
    session.Out(PageOf(*verb));
    return kYes;
  }
  if (!options.files.empty()) return session.Usage("man: --output takes all pages, not one");
  std::error_code error;
  std::filesystem::create_directories(options.output, error);
  Status status = WriteFile(StrCat(options.output, "/axle.1"), MainPage());
  for (const Verb* verb : AllVerbs()) {
    if (!status.ok()) break;
    status = WriteFile(StrCat(options.output, "/axle-", verb->name, ".1"), PageOf(*verb));
  }
  return status.ok() ? kYes : session.Fail(status);
}

constexpr OptionUse kOptions[] = {
    {"output", "a folder for all of them; else one, to stdout"},
};

}  // namespace

const Verb kManVerb = {
    .name = "man",
    .summary = "the manual pages, made from the help",
    .examples =
        "axle man run | man -l -\n"
        "axle man --output share/man/man1     axle.1, axle-run.1, ...\n",
    .description = "`cmake --install` puts them into share/man/man1: `man axle-run`.\n",
    .options = kOptions,
    .run = RunMan};

}  // namespace axle::tool
