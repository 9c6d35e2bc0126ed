// Machine code of modules that are compiled one after the other.
#include "axle/codegen/llvm/jit.h"

#include <gtest/gtest.h>

#include "axle/codegen/choose_target.h"
#include "axle/codegen/compiler.h"
#include "axle/core/strings.h"
#include "axle/text/parse.h"
#include "tests/sanitizers.h"

namespace axle {
namespace {

// The object files of all kernels of a program, which are of several levels.
std::vector<std::string> ObjectsOf(std::string_view lines) {
  std::vector<std::string> objects;
  const auto module = Parse(StrCat("HloModule m\nENTRY e {\n", lines, "}\n"));
  if (!module.ok()) return objects;
  const auto save = [&](KernelTable& kernels, const JitTarget& target,
                        const NativeOptions&) -> StatusOr<std::unique_ptr<MachineCode>> {
    AXLE_ASSIGN(const SavedKernels saved, SaveKernels(kernels, target));
    objects = saved.objects;
    return std::unique_ptr<MachineCode>();
  };
  const Status status =
      CompileModule(**module, *ChooseTarget(NativeIsa::kAuto, 1), {}, save).status();
  EXPECT_TRUE(status.ok()) << status.ToString();
  return objects;
}

// The passes of LLVM that compile a module have compiled others before.
TEST(JitTest, CodeIsTheSameWhateverWasCompiledBefore) {
  if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "checked code has addresses in it";
  constexpr std::string_view kLight =
      "  x = f32[700] parameter(0)\n  y = f32[700] multiply(x, x)\n  ROOT z = f32[700] add(x, y)\n";
  constexpr std::string_view kHeavy =
      "  x = f64[700] parameter(0)\n  y = f64[700] tanh(x)\n  w = f64[700] multiply(x, y)\n"
      "  ROOT z = f64[700] sine(w)\n";
  const std::vector<std::string> light = ObjectsOf(kLight), heavy = ObjectsOf(kHeavy);
  ASSERT_EQ(light.size(), 1);
  ASSERT_EQ(heavy.size(), 1);
  EXPECT_NE(light, heavy);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(ObjectsOf(kHeavy), heavy);
    EXPECT_EQ(ObjectsOf(kLight), light);
    ObjectsOf("  x = s8[9] parameter(0)\n  ROOT z = s8[9] multiply(x, x)\n");
  }
}

}  // namespace
}  // namespace axle
