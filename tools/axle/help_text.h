// The parts of a verb's help. It is written once, for -h; completion of shells and man pages are
// made from it. Its first block, up to an empty line, has the examples; blocks that begin with
// "  -" describe options, "  --name VALUE   what it does", with indented lines that go on; the
// others are text.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace axle::tool {

struct HelpEntry {
  std::string term;  // "--fake[=KIND]"
  std::string text;  // "values for the rest: ...", or "" for a list of options alone
};

struct HelpBlock {
  enum class Kind { kExamples, kText, kOptions };
  Kind kind = Kind::kText;
  std::vector<std::string> lines;  // as they stand; of examples and text
  std::vector<HelpEntry> entries;  // of options
};

std::vector<HelpBlock> HelpBlocks(std::string_view help);
// What the help says of an option, "--name" or "-n"; "" if nothing.
std::string HelpOf(const std::vector<HelpBlock>& blocks, std::string_view spelling);

}  // namespace axle::tool
