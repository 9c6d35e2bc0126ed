#include "tools/axle/help_text.h"

#include <algorithm>

#include "axle/core/strings.h"

namespace axle::tool {
namespace {

constexpr size_t kWidth = 90;      // of a line
constexpr char kNoBreak = '\x01';  // stands for a space
constexpr size_t kMaxTerm = 22;    // a longer term gets a line of its own

// Words in lines of kWidth; the first begins at `column` of a line that is under way, the others
// are indented to there.
std::string Filled(std::string_view text, size_t column) {
  std::string out;
  size_t at = column;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (at > column && at + 1 + word.size() > kWidth) {
      StrAppend(out, "\n", std::string(column, ' '));
      at = column;
    } else if (at > column) {
      out += ' ';
      ++at;
    }
    out += word;
    at += word.size();
  }
  return out + "\n";
}

std::string Rows(const std::vector<OptionInfo>& options) {
  size_t widest = 0;
  for (const OptionInfo& option : options) {
    if (option.term.size() <= kMaxTerm) widest = std::max(widest, option.term.size());
  }
  const size_t column = 2 + widest + 2;
  std::string out;
  for (const OptionInfo& option : options) {
    StrAppend(out, "  ", option.term);
    const size_t end = 2 + option.term.size();
    StrAppend(out,
              end + 2 > column ? "\n" + std::string(column, ' ') : std::string(column - end, ' '));
    out += Filled(option.text, column);
  }
  return out;
}

}  // namespace

std::string HelpText(const Verb& verb) {
  std::string text(verb.examples);
  if (!verb.description.empty()) StrAppend(text, "\n", verb.description);
  std::vector<OptionInfo> rows;
  std::string brief;
  for (OptionInfo& option : OptionsOf(verb.options)) {
    if (option.is_brief) {  // without its letter, and on one line
      std::string term = option.term.substr(option.term.find("--"));
      std::ranges::replace(term, ' ', kNoBreak);
      StrAppend(brief, brief.empty() ? "" : ", ", term);
    } else {
      rows.push_back(std::move(option));
    }
  }
  StrAppend(text, "\n", Rows(rows));
  constexpr std::string_view kAlso = "  and  ";
  std::string also =
      Filled(StrCat(brief, ": `axle help", std::string(1, kNoBreak), "options`"), kAlso.size());
  std::ranges::replace(also, kNoBreak, ' ');
  return StrCat(text, kAlso, also);
}

std::string HelpOnOptions() {
  std::vector<OptionInfo> rows;
  for (const Verb* verb : AllVerbs()) {
    std::vector<OptionUse> brief;
    for (const OptionUse& use : verb->options) {
      if (use.is_brief) brief.push_back({use.name});
    }
    for (OptionInfo& option : OptionsOf(brief)) {
      const auto known = std::ranges::find(rows, option.term, &OptionInfo::term);
      if (known == rows.end()) rows.push_back(std::move(option));
    }
  }
  std::ranges::sort(rows, {}, [](const OptionInfo& option) { return option.spellings[0]; });
  return StrCat("Options of several verbs; `axle VERB -h` lists all that one takes.\n\n",
                Rows(rows));
}

}  // namespace axle::tool
