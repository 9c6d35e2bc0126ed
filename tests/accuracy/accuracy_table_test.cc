// The committed table of measured errors (docs/accuracy-table.md) is complete, and nothing in it is
// more than the rows of the ops promise.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <map>
#include <string>

#include "axle/core/strings.h"
#include "axle/ops/op_def.h"
#include "tests/accuracy/complex_accuracy.h"
#include "tests/paths.h"

namespace axle {
namespace {

struct Measured {
  double ulp = 0, of_larger = 0;
};

std::map<std::string, Measured> ReadTable() {
  std::map<std::string, Measured> rows;
  std::ifstream file(SourceFolder() / "docs/accuracy-table.md");
  for (std::string line; std::getline(file, line);) {
    char op[64], type[8], larger[32];
    Measured row;
    if (std::sscanf(line.c_str(), "| %63s | %7s | %lf | %31s |", op, type, &row.ulp, larger) != 4) {
      continue;
    }
    std::sscanf(larger, "%lf", &row.of_larger);
    rows[StrCat(op, " ", type)] = row;
  }
  return rows;
}

// The number before " ulp c64" in "<= 0.6 ulp c64, ...".
double PromiseOf(std::string_view op, std::string_view type) {
  const std::string accuracy(FindOpDef(op)->accuracy);
  if (type.ends_with("f16")) return 0.501;
  const size_t end = accuracy.find(StrCat(" ulp ", type));
  if (end == std::string::npos) return accuracy.starts_with("correctly rounded") ? 0.5 : 0;
  double promise = 0;
  std::sscanf(accuracy.c_str() + accuracy.rfind("<=", end), "<= %lf", &promise);
  return promise;
}

TEST(AccuracyTable, IsCompleteAndWithinThePromises) {
  const std::map<std::string, Measured> rows = ReadTable();
  const auto expect = [&](std::string_view op, std::initializer_list<std::string_view> types) {
    for (std::string_view type : types) {
      const auto row = rows.find(StrCat(op, " ", type));
      if (row == rows.end()) {
        ADD_FAILURE() << "no row for " << op << " of " << type;
        continue;
      }
      const bool of_larger =
          type.starts_with("c") &&
          FindOpDef(op)->accuracy.find("of the larger part") != std::string_view::npos;
      EXPECT_LE(of_larger ? row->second.of_larger : row->second.ulp, PromiseOf(op, type))
          << row->first;
    }
  };
  for (const UnaryFunction& function : UnaryFunctions()) {
    expect(function.op, {"bf16", "f16", "f32", "f64"});
  }
  for (const BinaryFunction& function : BinaryFunctions()) expect(function.op, {"f32", "f64"});
  for (const ComplexFunction& function : ComplexFunctions()) expect(function.op, {"c64", "c128"});
}

}  // namespace
}  // namespace axle
