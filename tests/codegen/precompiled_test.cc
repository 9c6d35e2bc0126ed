// Precompiled kernels: who gets them, and that they are those that would be compiled.
#include "axle/codegen/kernel_cache/precompiled.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "axle/client/arguments.h"
#include "axle/codegen/choose_target.h"
#include "axle/codegen/compiler.h"
#include "axle/codegen/kernel_cache/kernel_key.h"
#include "axle/core/float_environment.h"
#include "axle/core/strings.h"
#include "axle/ops/op_def.h"
#include "axle/text/parse.h"
#include "tests/sanitizers.h"

namespace axle {
namespace {

class Precompiled : public ::testing::Test {
 protected:
  void SetUp() override {
    if (PrecompiledKernels().empty()) GTEST_SKIP() << "built without precompiled kernels";
  }

  // Targets that this machine need not have are fine where nothing runs.
  static std::vector<JitTarget> Targets() {
    return {{NativeIsa::kAvx2, 1, 32}, {NativeIsa::kAvx512, 1, 64}};
  }
  static std::vector<JitTarget> TargetsHere() {
    std::vector<JitTarget> here;
    for (const JitTarget& target : Targets()) {
      if (ChooseTarget(target.isa, 1).ok()) here.push_back(target);
    }
    return here;
  }

  static std::string Program(std::string_view lines) {
    return StrCat("HloModule m\nENTRY e {\n", lines, "}\n");
  }

  // Whether all of its kernels are precompiled.
  static bool IsPrecompiled(const std::string& text, const JitTarget& target,
                            const NativeOptions& options = {}) {
    const auto module = Parse(text);
    EXPECT_TRUE(module.ok()) << module.status().ToString();
    const ScopedFloatEnvironment environment;
    const auto compiled = CompileModule(**module, target, options);
    EXPECT_TRUE(compiled.ok()) << compiled.status().ToString();
    return compiled.ok() && compiled->code == nullptr;
  }

  static StatusOr<Literal> Run(const std::string& text, const JitTarget& target, bool precompiled) {
    const ScopedFloatEnvironment environment;
    AXLE_ASSIGN(const auto module, Parse(text));
    AXLE_ASSIGN(const CompiledModule compiled,
                CompileModule(*module, target, {.debug = {.use_precompiled = precompiled}}));
    if ((compiled.code == nullptr) != precompiled) return Internal("not compiled as asked");
    std::vector<Literal> arguments;
    for (const Shape& shape : ArgumentLeaves(*module->entry())) {
      AXLE_ASSIGN(Literal argument,
                  FakeLiteral(shape, "random:7", static_cast<i64>(arguments.size())));
      arguments.push_back(std::move(argument));
    }
    HostRun run;
    return RunOnLiterals(*compiled.entry, arguments, run);
  }
};

TEST_F(Precompiled, IsSortedAndHasEachKernelOnce) {
  const auto precompiled = PrecompiledKernels();
  EXPECT_TRUE(std::ranges::is_sorted(precompiled, std::ranges::less(), &PrecompiledKernel::key));
  EXPECT_EQ(std::ranges::adjacent_find(precompiled, {}, &PrecompiledKernel::key),
            precompiled.end());
  for (const PrecompiledKernel& kernel : precompiled) EXPECT_NE(kernel.code, nullptr);
  EXPECT_EQ(FindPrecompiledKernel(NativeIsa::kAvx2, 1, ""), nullptr);
  EXPECT_EQ(FindPrecompiledKernel(NativeIsa::kAvx2, 1, "\xff"), nullptr);
}

// Every op that takes f32 operands of one shape and gives f32.
TEST_F(Precompiled, HasEveryElementwiseOperation) {
  size_t num_ops = 0;
  for (const OpDef* op : AllOpDefs()) {
    if (op->lowering != Lowering::kElementwise) continue;
    std::string lines, list;
    for (size_t i = 0; i < op->operands.size(); ++i) {
      lines += StrCat("  p", i, " = f32[3,40] parameter(", i, ")\n");
      list += StrCat(i > 0 ? ", " : "", "p", i);
    }
    const std::string text =
        Program(StrCat(lines, "  ROOT r = f32[3,40] ", op->text, "(", list, ")\n"));
    const auto module = Parse(text);
    if (!module.ok()) continue;
    ++num_ops;
    for (const JitTarget& target : Targets()) {
      EXPECT_TRUE(IsPrecompiled(text, target)) << text << Name(target.isa);
    }
  }
  EXPECT_GT(num_ops, 30);
}

TEST_F(Precompiled, HasScalarsComparisonsConversionsAndReductions) {
  for (const char* lines :
       {"  x = s32[9] parameter(0)\n  s = s32[] parameter(1)\n"
        "  b = s32[9] broadcast(s), dimensions={}\n  ROOT r = s32[9] multiply(x, b)\n",
        "  x = f64[9] parameter(0)\n  y = f64[9] parameter(1)\n"
        "  ROOT r = pred[9] compare(x, y), direction=LE\n",
        "  x = f32[9] parameter(0)\n  c = f32[] constant(2.5)\n"
        "  b = f32[9] broadcast(c), dimensions={}\n  ROOT r = f32[9] multiply(x, b)\n",
        "  c = s64[] constant(3)\n  b = s64[9] broadcast(c), dimensions={}\n"
        "  x = s64[9] parameter(0)\n  ROOT r = pred[9] compare(b, x), direction=LT\n",
        "  x = f32[7,9] parameter(0)\n  ROOT r = bf16[7,9] convert(x)\n",
        "  p = pred[9] parameter(0)\n  x = f32[9] parameter(1)\n  y = f32[9] parameter(2)\n"
        "  ROOT r = f32[9] select(p, x, y)\n",
        "  l = f32[] parameter(0)\n  x = f32[9] parameter(1)\n  h = f32[] parameter(2)\n"
        "  ROOT r = f32[9] clamp(l, x, h)\n"}) {
    for (const JitTarget& target : Targets()) {
      EXPECT_TRUE(IsPrecompiled(Program(lines), target)) << lines << Name(target.isa);
    }
  }
  for (const char* reduced :
       {"f32[300] reduce(x, i), dimensions={1}", "f32[900] reduce(x, i), dimensions={0}",
        "f32[] reduce(x, i), dimensions={0,1}"}) {
    const std::string text = StrCat(
        "HloModule m\nj {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
        "  ROOT c = f32[] add(a, b)\n}\nENTRY e {\n  x = f32[300,900] parameter(0)\n"
        "  i = f32[] parameter(1)\n  ROOT r = ",
        reduced, ", to_apply=j\n}\n");
    for (const JitTarget& target : Targets()) {
      EXPECT_TRUE(IsPrecompiled(text, target)) << text << Name(target.isa);
    }
  }
}

// Of which most models have some: as JAX writes them, with rows of many lengths.
TEST_F(Precompiled, HasCountersSoftmaxNormsAndSorts) {
  const std::string reducers =
      "HloModule m\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
      "  ROOT r = f32[] add(a, b)\n}\nmaximum {\n  a = f32[] parameter(0)\n"
      "  b = f32[] parameter(1)\n  ROOT r = f32[] maximum(a, b)\n}\n";
  std::vector<std::string> texts = {Program("  i = s32[] parameter(0)\n  n = s32[] parameter(1)\n"
                                            "  ROOT r = pred[] compare(i, n), direction=LT\n"),
                                    Program("  i = s32[] parameter(0)\n  one = s32[] constant(1)\n"
                                            "  ROOT r = s32[] add(i, one)\n")};
  for (const auto& [rows, columns] : {std::pair{16, 200}, {5000, 64}, {512, 1000}, {4096, 512}}) {
    const std::string all = StrCat("f32[", rows, ",", columns, "]"),
                      some = StrCat("f32[", rows, "]");
    const std::string spread = ", dimensions={0}\n";
    texts.push_back(StrCat(reducers, "ENTRY e {\n  x = ", all,
                           " parameter(0)\n  c = f32[] constant(-inf)\n  m = ", some,
                           " reduce(x, c), dimensions={1}, to_apply=maximum\n  ms = ", all,
                           " broadcast(m)", spread, "  d = ", all, " subtract(x, ms)\n  e = ", all,
                           " exponential(d)\n  z = f32[] constant(0)\n", "  s = ", some,
                           " reduce(e, z), dimensions={1}, to_apply=add\n  ss = ", all,
                           " broadcast(s)", spread, "  ROOT r = ", all, " divide(e, ss)\n}\n"));
    texts.push_back(StrCat(
        reducers, "ENTRY e {\n  x = ", all, " parameter(0)\n  z = f32[] constant(0)\n  n = f32[] ",
        "constant(", columns, ")\n  ns = ", some, " broadcast(n), dimensions={}\n  s = ", some,
        " reduce(x, z), dimensions={1}, to_apply=add\n  m = ", some, " divide(s, ns)\n  ms = ", all,
        " broadcast(m)", spread, "  d = ", all, " subtract(x, ms)\n  q = ", all,
        " multiply(d, d)\n  v = ", some, " reduce(q, z), dimensions={1}, to_apply=add\n  w = ",
        some, " divide(v, ns)\n  small = f32[] constant(1e-06)\n  es = ", some,
        " broadcast(small), dimensions={}\n  y = ", some, " add(w, es)\n  g = ", some,
        " rsqrt(y)\n  gs = ", all, " broadcast(g)", spread, "  ROOT r = ", all,
        " multiply(d, gs)\n}\n"));
  }
  for (const char* type : {"s32", "u32", "s64"}) {
    texts.push_back(StrCat("HloModule m\nless {\n  a = ", type, "[] parameter(0)\n  b = ", type,
                           "[] parameter(1)\n  ROOT r = pred[] compare(a, b), direction=LT\n}\n",
                           "ENTRY e {\n  x = ", type, "[70,900] parameter(0)\n  ROOT r = ", type,
                           "[70,900] sort(x), dimensions={1}, is_stable=true, to_apply=less\n}\n"));
  }
  // As jnp.sort and jnp.argsort compare floats, in bytecode and in text.
  const std::string constants = "  z = f32[] constant(0)\n  n = f32[] constant(nan)\n";
  for (const bool are_first : {true, false}) {
    std::string key =
        "  %0 = pred[] compare(%, z), direction=EQ\n  %1 = f32[] select(%0, z, %)\n"
        "  %2 = pred[] compare(%, %), direction=NE\n  %3 = f32[] select(%2, n, %1)\n";
    if (!are_first) {
      key =
          "  %z = f32[] constant(0)\n  %0 = pred[] compare(%, %z), direction=EQ\n"
          "  %1 = f32[] select(%0, %z, %)\n  %2 = pred[] compare(%, %), direction=NE\n"
          "  %n = f32[] constant(nan)\n  %3 = f32[] select(%2, %n, %1)\n";
    }
    std::string keys = are_first ? constants : "";
    for (const char side : {'a', 'b'}) {
      for (const char c : key) keys += c == '%' ? side : c;
    }
    for (const char* dims : {"{1}", "{0}"}) {
      texts.push_back(StrCat(
          "HloModule m\nless {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
          "  i = s32[] parameter(2)\n  j = s32[] parameter(3)\n",
          keys, "  ROOT r = pred[] compare(a3, b3), direction=LT, type=TOTALORDER\n}\nENTRY e {\n",
          "  x = f32[70,900] parameter(0)\n  y = s32[70,900] parameter(1)\n",
          "  ROOT r = (f32[70,900], s32[70,900]) sort(x, y), dimensions=", dims,
          ", is_stable=true, to_apply=less\n}\n"));
    }
  }
  for (const std::string& text : texts) {
    for (const JitTarget& target : Targets()) {
      EXPECT_TRUE(IsPrecompiled(text, target)) << text << Name(target.isa);
    }
    for (const JitTarget& target : TargetsHere()) {
      const auto expected = Run(text, target, false), actual = Run(text, target, true);
      ASSERT_TRUE(expected.ok()) << expected.status().ToString() << text;
      ASSERT_TRUE(actual.ok()) << actual.status().ToString() << text;
      EXPECT_TRUE(SameValue(*expected, *actual)) << Name(target.isa) << text;
    }
  }
}

// # is a number, @ a type.
constexpr std::string_view kPrograms[] = {
    "  x = @[#] parameter(0)\n  ROOT r = @[#] tanh(x)\n",
    "  x = @[#] parameter(0)\n  ROOT r = @[#] cosine(x)\n",
    "  x = @[#] parameter(0)\n  ROOT r = @[#] negate(x)\n",
    "  x = @[#] parameter(0)\n  y = @[#] parameter(1)\n  ROOT r = @[#] remainder(x, y)\n",
    "  x = @[#] parameter(0)\n  y = @[#] parameter(1)\n"
    "  ROOT r = pred[#] compare(x, y), direction=GT\n",
    "  x = @[#,3] parameter(0)\n  y = @[#] parameter(1)\n"
    "  b = @[#,3] broadcast(y), dimensions={0}\n  ROOT r = @[#,3] subtract(x, b)\n",
    "  x = @[3,#] parameter(0)\n  y = @[] parameter(1)\n"
    "  b = @[3,#] broadcast(y), dimensions={}\n  ROOT r = @[3,#] maximum(b, x)\n",
    "  x = @[#] parameter(0)\n  ROOT r = s32[#] convert(x)\n",
    "  x = @[3,#] parameter(0)\n  i = @[] parameter(1)\n"
    "  ROOT r = @[3] reduce(x, i), dimensions={1}, to_apply=add\n",
    "  x = @[#,3] parameter(0)\n  i = @[] parameter(1)\n"
    "  ROOT r = @[3] reduce(x, i), dimensions={0}, to_apply=add\n",
};

TEST_F(Precompiled, GivesTheBitsOfCodeThatIsCompiled) {
  const auto replaced = [](std::string_view text, const std::string& n, const char* type) {
    std::string result;
    for (const char c : text)
      result += c == '#' ? n : c == '@' ? std::string(type) : std::string(1, c);
    return result;
  };
  size_t num_runs = 0;
  for (const JitTarget& target : TargetsHere()) {
    for (const i64 n : {1, 15, 16, 17, 64, 100, 1003}) {
      if (kAddressSanitizer && n != 17 && n != 1003) continue;  // LLVM is slow there
      for (const char* type : {"f32", "f64", "bf16", "s32"}) {
        for (const std::string_view program : kPrograms) {
          const std::string text =
              StrCat("HloModule m\nadd {\n  a = ", type, "[] parameter(0)\n  b = ", type,
                     "[] parameter(1)\n  ROOT c = ", type, "[] add(a, b)\n}\nENTRY e {\n",
                     replaced(program, std::to_string(n), type), "}\n");
          if (!Parse(text).ok() || !IsPrecompiled(text, target)) continue;
          if (IsPrecompiled(text, target, {.debug = {.use_precompiled = false}}))
            continue;  // it needs no kernel
          const auto expected = Run(text, target, false), actual = Run(text, target, true);
          ASSERT_TRUE(expected.ok()) << expected.status().ToString() << text;
          ASSERT_TRUE(actual.ok()) << actual.status().ToString() << text;
          EXPECT_TRUE(SameValue(*expected, *actual)) << Name(target.isa) << text;
          ++num_runs;
        }
      }
    }
  }
  // Few of them take more than one kernel, of which one is not precompiled.
  EXPECT_GE(num_runs, TargetsHere().size() * (kAddressSanitizer ? 50 : 200));
}

TEST_F(Precompiled, IsLeftAloneWhereCodeIsToBeMade) {
  const JitTarget target = Targets()[0];
  // One that is compiled at O0 at the usual level too, and one that is not.
  for (const char* op : {"negate", "exponential"}) {
    const std::string text =
        Program(StrCat("  x = f32[77] parameter(0)\n  ROOT r = f32[77] ", op, "(x)\n"));
    EXPECT_TRUE(IsPrecompiled(text, target));
    EXPECT_FALSE(IsPrecompiled(text, target, {.debug = {.use_precompiled = false}}));
    EXPECT_FALSE(IsPrecompiled(text, target, {.debug = {.check_accesses = true}}));
    EXPECT_FALSE(IsPrecompiled(text, target, {.debug = {.on_llvm = [](std::string_view) {}}}));
    EXPECT_FALSE(IsPrecompiled(text, target, {.debug = {.on_assembly = [](std::string_view) {}}}));
    for (const int level : {0, 2}) {
      EXPECT_FALSE(IsPrecompiled(text, {target.isa, level, target.vector_bytes})) << op << level;
    }
  }
}

TEST_F(Precompiled, AFusionIsCompiledBesideWhatIsInStock) {
  // One kernel that is precompiled and one, of two operations, that is not.
  const std::string text = Program(
      "  x = f32[77] parameter(0)\n  y = f32[500] parameter(1)\n  a = f32[77] exponential(x)\n"
      "  b = f32[500] tanh(y)\n  c = f32[500] multiply(b, y)\n"
      "  ROOT r = (f32[77], f32[500]) tuple(a, c)\n");
  EXPECT_FALSE(IsPrecompiled(text, Targets()[0]));
  const auto module = Parse(text);
  ASSERT_TRUE(module.ok());
  const ScopedFloatEnvironment environment;
  const JitTarget target = TargetsHere()[0];
  std::vector<Literal> results;
  for (const bool precompiled : {true, false}) {
    const auto compiled =
        CompileModule(**module, target, {.debug = {.use_precompiled = precompiled}});
    ASSERT_TRUE(compiled.ok());
    std::vector<Literal> arguments;
    for (const Shape& shape : ArgumentLeaves(*(*module)->entry())) {
      arguments.push_back(*FakeLiteral(shape, "random:3", 0));
    }
    HostRun run;
    auto result = RunOnLiterals(*compiled->entry, arguments, run);
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    results.push_back(*std::move(result));
  }
  EXPECT_TRUE(SameValue(results[0], results[1]));
}

// Everything that selects code is part of the key.
TEST(KernelKeyTest, DiffersWithEachPartOfALoop) {
  LaneProgram program, other;
  program.code = {{Primitive::kInput, LaneType::kF32}};
  program.inputs = {{LaneType::kF32}};
  program.outputs = {{LaneType::kF32}};
  program.results = {0};
  other = program;
  other.outputs[0].type = LaneType::kU32;
  const LoopKernelSpec spec{&program, {InnerStride::kUnit}};
  std::vector<LoopKernelSpec> changed(11, spec);
  changed[1].program = &other;
  changed[2].inputs = {InnerStride::kUniform};
  changed[3].form = FoldForm::kRows;
  changed[4].folds = std::vector<LoopFold>(1);
  changed[5].folds = {LoopFold{.join = Primitive::kMul}};
  changed[6].folds = {LoopFold{.identity = 1}};
  changed[7].folds = {LoopFold{.reducer = &program}};
  changed[8].lanes = 16;
  changed[9].streams = true;
  changed[10].fetches = {64};
  changed.push_back(spec);
  changed.back().in_order = true;
  changed.push_back(spec);
  changed.back().is_brief = true;
  std::vector<std::string> keys;
  for (const LoopKernelSpec& one : changed) keys.push_back(KeyOf(one).text);
  EXPECT_EQ(keys[0], KeyOf(spec).text);
  std::ranges::sort(keys);
  EXPECT_EQ(std::ranges::adjacent_find(keys), keys.end());
}

TEST(KernelKeyTest, DiffersWithEachPartOfAProgram) {
  LaneProgram program;
  program.code = {{Primitive::kInput, LaneType::kF32},
                  {Primitive::kConstant, LaneType::kF32, {}, 1},
                  {Primitive::kAdd, LaneType::kF32, {0, 1}}};
  program.inputs = {{LaneType::kF32}};
  program.outputs = {{LaneType::kF32}};
  program.results = {2};
  std::vector<LaneProgram> changed(8, program);
  changed[1].code[2].primitive = Primitive::kMul;
  changed[2].code[2].operands = {1, 0};
  changed[3].code[1].immediate = 2;
  changed[4].code[1].immediate = std::uint64_t{1} << 63;
  changed[5].code[2].type = LaneType::kU32;
  changed[6].inputs[0].num_parts = 2;
  changed[7].results = {0};
  std::vector<std::string> keys;
  for (const LaneProgram& one : changed) {
    keys.push_back(KeyOf(LoopKernelSpec{&one, {InnerStride::kUnit}}).text);
    keys.push_back(KeyOf(MergeKernelSpec{&one, {}}).text);
    keys.push_back(KeyOf(MergeKernelSpec{&one, {4}}).text);
    keys.push_back(KeyOf(MergeKernelSpec{&one, {4, 8}}).text);
  }
  std::ranges::sort(keys);
  EXPECT_EQ(std::ranges::adjacent_find(keys), keys.end());
}

}  // namespace
}  // namespace axle
