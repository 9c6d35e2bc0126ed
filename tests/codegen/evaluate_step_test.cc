// Evaluate steps: where evaluators find their operands and put their results.
#include "axle/codegen/steps/evaluate_step.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "axle/client/client.h"
#include "axle/codegen/choose_target.h"
#include "axle/codegen/compiler.h"
#include "axle/core/float_environment.h"
#include "axle/core/storage.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

struct Program {
  std::unique_ptr<Module> module;
  CompiledModule compiled;

  StatusOr<Literal> Run(std::vector<Literal> arguments, Limits* limits = nullptr) const {
    const ScopedFloatEnvironment environment;
    const StorageScope storage(limits);
    HostRun run;
    run.limits = limits;
    return RunOnLiterals(*compiled.entry, arguments, run);
  }
};

Program Compile(const std::string& text) {
  Program program;
  auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  program.module = *std::move(module);
  const auto target = ChooseTarget(NativeIsa::kAuto, 2);
  EXPECT_TRUE(target.ok());
  // As it stands: passes might compute it.
  auto compiled = CompileModule(*program.module, *target, {.debug = {.run_passes = false}});
  EXPECT_TRUE(compiled.ok()) << compiled.status().ToString();
  program.compiled = *std::move(compiled);
  return program;
}

// The bits of the interpreter, and arguments that others hold are as before.
void ExpectSame(const std::string& text, const std::vector<Literal>& arguments) {
  SCOPED_TRACE(text);
  std::vector<Literal> before = arguments;
  for (Literal& argument : before) argument = *ParseLiteral(argument.ToStringWithShape());
  const Program program = Compile(text);
  const auto result = program.Run(arguments);
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  const auto expected = Evaluate(*program.module, arguments);
  ASSERT_TRUE(expected.ok());
  EXPECT_TRUE(*result == *expected) << result->ToString() << " " << expected->ToString();
  for (size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(arguments[i] == before[i]);
}

Literal Given(std::string_view text) {
  return *ParseLiteral(text);
}

const std::string kAdd =
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) } ";
const std::string kLess =
    "less { a = f32[] parameter(0) b = f32[] parameter(1) c = f32[] parameter(2) "
    "d = f32[] parameter(3) ROOT r = pred[] compare(a, b), direction=LT } ";
constexpr std::string_view kScatterAttrs =
    ", update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
    "index_vector_dim=1, to_apply=add";

TEST(EvaluateStep, AnOperandThatIsDonatedIsChangedWhereItIs) {
  const Program program =
      Compile("HloModule m, input_output_alias={ {}: (0, {}, may-alias) } " + kAdd +
              "ENTRY e { x = f32[6] parameter(0) i = s32[3,1] parameter(1) "
              "u = f32[3] parameter(2) ROOT r = f32[6] scatter(x, i, u)" +
              std::string(kScatterAttrs) + " }");
  Literal x = Given("f32[6] {1, 2, 3, 4, 5, 6}");
  const std::byte* const address = x.bytes();
  std::vector<Literal> arguments;
  arguments.push_back(std::move(x));
  arguments.push_back(Given("s32[3,1] {{5}, {0}, {5}}"));
  arguments.push_back(Given("f32[3] {10, 20, 30}"));
  const auto result = program.Run(std::move(arguments));
  ASSERT_TRUE(result.ok()) << result.status().ToString();
  EXPECT_EQ(result->ToString(), "{21, 2, 3, 4, 5, 46}");
  EXPECT_EQ(result->bytes(), address);
}

TEST(EvaluateStep, OperandsThatAreReadAgainStayAsTheyAre) {
  const Literal x = Given("f32[4] {4, 1, 3, 2}"), y = Given("f32[4] {7, 8, 9, 6}"),
                i = Given("s32[4,1] {{2}, {2}, {0}, {9}}");
  const std::string entry = "ENTRY e { x = f32[4] parameter(0) y = f32[4] parameter(1) ";
  const std::string scatter = kAdd + entry + "i = s32[4,1] parameter(2) n = f32[4] negate(x) ";
  const std::string attrs(kScatterAttrs);
  ExpectSame(scatter + "ROOT r = f32[4] scatter(n, i, y)" + attrs + " }", {x, y, i});
  ExpectSame(scatter + "ROOT r = f32[4] scatter(n, i, n)" + attrs + " }", {x, y, i});
  ExpectSame(
      scatter + "s = f32[4] scatter(n, i, y)" + attrs + " ROOT r = (f32[4], f32[4]) tuple(s, n) }",
      {x, y, i});
  const std::string sort = kLess + entry + "n = f32[4] negate(x) m = f32[4] negate(y) ";
  const std::string sorted = "(f32[4], f32[4]) sort(";
  const std::string by = "), dimensions={0}, is_stable=true, to_apply=less";
  ExpectSame(sort + "ROOT r = " + sorted + "x, y" + by + " }", {x, y});
  ExpectSame(sort + "ROOT r = " + sorted + "n, m" + by + " }", {x, y});
  ExpectSame(sort + "ROOT r = " + sorted + "n, n" + by + " }", {x, y});
  ExpectSame(
      sort + "s = " + sorted + "n, m" + by + " ROOT r = ((f32[4], f32[4]), f32[4]) tuple(s, n) }",
      {x, y});
  ExpectSame(
      sort + "s = " + sorted + "n, m" + by + " ROOT r = ((f32[4], f32[4]), f32[4]) tuple(s, m) }",
      {x, y});
}

// Arrays of the same size, of which some literal may get the place of another.
TEST(EvaluateStep, ResultsOfOneSizeDoNotMeet) {
  ExpectSame(
      "ENTRY e { s = u64[2] parameter(0) "
      "ROOT r = (u64[2], u64[2]) rng-bit-generator(s), algorithm=rng_three_fry }",
      {Given("u64[2] {1, 2}")});
  ExpectSame(
      "f { a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) "
      "j = s32[] parameter(3) p = pred[] compare(a, b), direction=GE "
      "v = f32[] select(p, a, b) k = s32[] select(p, i, j) "
      "ROOT t = (f32[], s32[]) tuple(v, k) } "
      "ENTRY e { x = f32[2,3] parameter(0) i = s32[2,3] parameter(1) z = f32[] constant(-9) "
      "o = s32[] constant(0) ROOT r = (f32[2], s32[2]) reduce(x, i, z, o), dimensions={1}, "
      "to_apply=f }",
      {Given("f32[2,3] {{1, 5, 2}, {7, 0, 3}}"), Given("s32[2,3] {{0, 1, 2}, {3, 4, 5}}")});
  ExpectSame(
      "ENTRY e { x = f32[4] parameter(0) ROOT r = (f32[4], s32[4]) topk(x), k=4, largest=true }",
      {Given("f32[4] {3, 9, 1, 4}")});
}

// Computations that a step calls allocate for themselves.
TEST(EvaluateStep, CalleesGetNoPlaces) {
  ExpectSame(
      "f { a = f32[4] parameter(0) c = f32[4] parameter(1) s = f32[4] add(a, c) "
      "n = f32[4] negate(a) ROOT r = (f32[4], f32[4]) tuple(n, s) } "
      "ENTRY e { x = f32[1,4] parameter(0) c = f32[4] parameter(1) "
      "ROOT r = (f32[1,4], f32[4]) scan(x, c), dimensions={0}, num_carries=1, to_apply=f }",
      {Given("f32[1,4] {{3, 9, 1, 4}}"), Given("f32[4] {1, 2, 3, 4}")});
}

// Keeps what it gave, as a cache would.
class KeepingDevice : public DeviceContext {
 public:
  bool HasCustomCall(std::string_view target) const override { return target == "keep"; }
  StatusOr<Literal> CustomCall(const CustomCallInvocation&) override {
    Literal result{Shape(F32, {4000})};
    std::ranges::fill(result.mutable_data<float>(), 7.f);
    kept = result;
    return result;
  }
  Literal kept;
};

TEST(EvaluateStep, ADeviceMayKeepWhatItGives) {
  const auto client = Client::Create();
  ASSERT_TRUE(client.ok());
  KeepingDevice device;
  const auto executable = (*client)->Compile(
      "ENTRY e { x = f32[4000] parameter(0)  y = f32[4000] custom-call(x), "
      "custom_call_target=\"keep\"  ROOT z = f32[4000] negate(y) }",
      {.engine = EngineKind::kNative, .device = &device});
  ASSERT_TRUE(executable.ok()) << executable.status().message();
  const std::vector<Literal> arguments = {Literal(Shape(F32, {4000}))};
  for (int run = 0; run < 2; ++run) {
    const auto result = (*executable)->Execute(arguments, {.device = &device});
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->data<float>()[3999], -7);
    EXPECT_EQ(device.kept.data<float>()[0], 7);
    EXPECT_EQ(device.kept.data<float>()[3999], 7);
  }
}

}  // namespace
}  // namespace axle
