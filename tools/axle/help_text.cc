#include "tools/axle/help_text.h"

#include "axle/core/strings.h"

namespace axle::tool {
namespace {

std::string Stripped(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  return first == text.npos ? "" : std::string(text.substr(first));
}

void AddOptionLine(std::string_view line, std::vector<HelpEntry>& entries) {
  if (!line.starts_with("  -") && !entries.empty()) {
    StrAppend(entries.back().text, entries.back().text.empty() ? "" : " ", Stripped(line));
    return;
  }
  const std::string term = Stripped(line);
  const size_t end = term.find("  ");
  entries.push_back({term.substr(0, end), end == term.npos ? "" : Stripped(term.substr(end))});
}

// Whether a term, "-q, --quiet N", has this option in it.
bool Names(std::string_view term, std::string_view spelling) {
  for (size_t at = term.find(spelling); at != term.npos; at = term.find(spelling, at + 1)) {
    const size_t end = at + spelling.size();
    const bool starts = at == 0 || term[at - 1] == ' ';
    if (starts && (end == term.size() || !(IsAlnum(term[end]) || term[end] == '-'))) return true;
  }
  return false;
}

}  // namespace

std::vector<HelpBlock> HelpBlocks(std::string_view help) {
  std::vector<HelpBlock> blocks;
  bool begins = true;
  while (!help.empty()) {
    const size_t end = std::min(help.find('\n'), help.size());
    const std::string_view line = help.substr(0, end);
    help.remove_prefix(std::min(end + 1, help.size()));
    if (line.empty()) {
      begins = true;
      continue;
    }
    if (begins) {
      HelpBlock& block = blocks.emplace_back();
      if (blocks.size() == 1) {
        block.kind = HelpBlock::Kind::kExamples;
      } else if (line.starts_with("  -")) {
        block.kind = HelpBlock::Kind::kOptions;
      }
    }
    begins = false;
    if (blocks.back().kind == HelpBlock::Kind::kOptions) {
      AddOptionLine(line, blocks.back().entries);
    } else {
      blocks.back().lines.emplace_back(line);
    }
  }
  return blocks;
}

std::string HelpOf(const std::vector<HelpBlock>& blocks, std::string_view spelling) {
  for (const HelpBlock& block : blocks) {
    for (const HelpEntry& entry : block.entries) {
      if (Names(entry.term, spelling)) return entry.text;
    }
  }
  return "";
}

}  // namespace axle::tool
