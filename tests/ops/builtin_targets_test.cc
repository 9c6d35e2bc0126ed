// docs/custom-calls.md names every built-in custom-call target.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "axle/core/strings.h"
#include "axle/ops/custom_call_builtins.h"
#include "tests/paths.h"

namespace axle {
namespace {

TEST(BuiltinTargets, AreDocumented) {
  std::ifstream file(SourceFolder() / "docs/custom-calls.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(page.empty());
  for (std::string_view target : BuiltinCustomCallTargets()) {
    std::string_view name = target;
    constexpr std::string_view kPrefix = "lapack_", kSuffix = "_ffi";
    if (name.starts_with(kPrefix) && name.ends_with(kSuffix)) {
      name.remove_prefix(kPrefix.size() + 1);  // and the letter of the type
      name.remove_suffix(kSuffix.size());
    }
    // Those with scalars are there with "?" for the letter of the type.
    std::string scalars(target);
    if (target.starts_with("lapack_") || target.starts_with("blas_")) {
      scalars[target.find('_') + 1] = '?';
    }
    EXPECT_TRUE(page.find(StrCat("`", name, "`")) != std::string::npos ||
                page.find(StrCat("`", scalars, "`")) != std::string::npos)
        << target;
  }
}

// Each routine is there for all four types; orthogonal and symmetric ones have names of their own
// for complex matrices.
TEST(BuiltinTargets, CoverAllTypes) {
  for (const auto& [real, complex] :
       std::vector<std::array<std::string_view, 2>>{{"potrf", "potrf"},
                                                    {"trsm", "trsm"},
                                                    {"getrf", "getrf"},
                                                    {"geqrf", "geqrf"},
                                                    {"geqp3", "geqp3"},
                                                    {"orgqr", "ungqr"},
                                                    {"ormqr", "unmqr"},
                                                    {"gesdd", "gesdd"},
                                                    {"gesvd", "gesvd"},
                                                    {"syevd", "heevd"},
                                                    {"sytrd", "hetrd"},
                                                    {"gehrd", "gehrd"},
                                                    {"gees", "gees"},
                                                    {"geev", "geev"},
                                                    {"gtsv", "gtsv"}}) {
    for (char type : {'s', 'd', 'c', 'z'}) {
      const std::string_view routine = type == 's' || type == 'd' ? real : complex;
      const std::string target = StrCat("lapack_", std::string(1, type), routine, "_ffi");
      EXPECT_NE(FindBuiltinCustomCall(target), nullptr) << target;
    }
    // jaxlib never had these without _ffi.
    if (real == "ormqr" || real == "gesvd" || real == "gtsv") continue;
    for (char type : {'s', 'd', 'c', 'z'}) {
      const std::string_view routine = type == 's' || type == 'd' ? real : complex;
      const std::string target =
          StrCat(routine == "trsm" ? "blas_" : "lapack_", std::string(1, type), routine);
      EXPECT_NE(FindBuiltinCustomCall(target), nullptr) << target;
    }
  }
}

}  // namespace
}  // namespace axle
