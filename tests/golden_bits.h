// GoldenBits: tests/golden/bits.tsv, which pins the bits of results, so that no change of them goes
// unnoticed: a line that changes needs a sentence in CHANGELOG.md. Each test owns the lines whose
// keys begin with its prefix; with AXLE_UPDATE in the environment it rewrites them.
#pragma once
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <string>

#include "axle/core/literal.h"
#include "axle/core/strings.h"
#include "tests/paths.h"

namespace axle {

// FNV-1a of the printed value; NaNs have neither sign nor payload.
inline std::string BitsHash(const Literal& value) {
  static const std::regex kNan("-?nan(\\(0x[0-9a-f]+\\))?");
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (char c : value.shape().ToString() + std::regex_replace(value.ToString(), kNan, "nan")) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  }
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

// Key to hash.
using BitsTable = std::map<std::string, std::string>;

// Expects the lines of the file that begin with `prefix` to be those of `actual`.
inline void ExpectGoldenBits(std::string_view prefix, const BitsTable& actual) {
  const std::filesystem::path path = SourceFolder() / "tests/golden/bits.tsv";
  BitsTable golden;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const size_t tab = line.find('\t');
    if (tab != line.npos) golden[line.substr(0, tab)] = line.substr(tab + 1);
  }
  const auto is_ours = [&](const auto& line) { return line.first.starts_with(prefix); };
  if (std::getenv("AXLE_UPDATE") != nullptr) {
    std::erase_if(golden, is_ours);
    golden.insert(actual.begin(), actual.end());
    std::filesystem::create_directories(path.parent_path());
    std::ofstream out(path);
    for (const auto& [key, hash] : golden) out << key << '\t' << hash << '\n';
    return;
  }
  std::string changes;
  for (const auto& [key, hash] : actual) {
    const auto it = golden.find(key);
    if (it == golden.end()) {
      StrAppend(changes, "new:     ", key, "\n");
    } else if (it->second != hash) {
      StrAppend(changes, "changed: ", key, "\n");
    }
  }
  for (const auto& line : golden) {
    if (is_ours(line) && !actual.contains(line.first)) {
      StrAppend(changes, "gone:    ", line.first, "\n");
    }
  }
  EXPECT_EQ(changes, "") << "if this is meant, run this test with AXLE_UPDATE=1 in the "
                            "environment, and explain changed lines in CHANGELOG.md";
}

}  // namespace axle
