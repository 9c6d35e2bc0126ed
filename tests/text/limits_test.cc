// Hostile input gives an answer in bounded time and memory; large input costs in proportion.
#include <malloc.h>
#include <sys/resource.h>
#include <xmmintrin.h>

#include <cfenv>
#include <random>

#include "axle/core/strings.h"
#include "bench/repeat_module.h"
#include "tests/paths.h"
#include "tests/text/test_text.h"

namespace axle {
namespace {

double CpuSeconds() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

std::string Repeated(std::string_view text, int count) {
  std::string out;
  out.reserve(text.size() * count);
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

void ExpectError(const std::string& text, StatusCode code, std::string_view part) {
  const Status status = Parse(text).status();
  EXPECT_EQ(status.code(), code) << status.ToString().substr(0, 500);
  EXPECT_NE(status.message().find(part), std::string::npos) << status.ToString().substr(0, 500);
  EXPECT_LT(status.message().size(), 6000u);
}

constexpr int kMillion = 1000000;

TEST(TextLimits, DeepNesting) {
  constexpr auto kInvalid = StatusCode::kInvalidArgument;
  const std::string entry = "ENTRY e {\n  x = f32[] parameter(0)";
  ExpectError(Repeated("{", kMillion), kInvalid, "expected a computation");
  ExpectError("e " + Repeated("{", kMillion), kInvalid, "expected an instruction");
  ExpectError("e { x = " + Repeated("(", kMillion), kInvalid, "nested more than");
  ExpectError("e { x = f32[2] constant(" + Repeated("{", kMillion), kInvalid, "expected a value");
  ExpectError("e { x = " + Repeated("negate(", kMillion), kInvalid, "nested too deeply");
  ExpectError(entry + ", sharding=" + Repeated("{", kMillion), kInvalid, "expected");
  ExpectError(entry + ", metadata=" + Repeated("{", kMillion), kInvalid, "expected");
  ExpectError(entry + ", origin={" + Repeated("(", kMillion), kInvalid, "nested too deeply");
  ExpectError(entry + ", backend_config=" + Repeated("{", kMillion), kInvalid, "without its '}'");
  ExpectError(entry + ", frontend_attributes={a=" + Repeated("{", kMillion), kInvalid,
              "without its '}'");
  ExpectError(
      entry + "\n y = f32[] call(x), to_apply=" + Repeated("{ y = f32[] call(x), to_apply=", 10000),
      kInvalid, "no instruction");
  std::string inner = "ENTRY e { ";
  for (int i = 0; i < 10000; ++i) inner += "x = f32[] parameter(0) y = f32[] call(x), to_apply={ ";
  ExpectError(inner, kInvalid, "nested too deeply");
}

TEST(TextLimits, NestedBracesThatBalance) {
  const std::string config = Repeated("{", kMillion) + Repeated("}", kMillion);
  const auto module =
      ParseOrFail("ENTRY e { ROOT x = f32[] parameter(0), backend_config=" + config + " }");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->entry()->root()->extras()->backend_config, config);
}

TEST(TextLimits, LongCallChains) {
  constexpr int kCount = 100000;
  std::string text = "HloModule m\nf0 { ROOT x = f32[] parameter(0) }\n";
  for (int i = 1; i < kCount; ++i) {
    StrAppend(text, "f", i, " { x = f32[] parameter(0) ROOT y = f32[] call(x), to_apply=f", i - 1,
              " }\n");
  }
  const auto module = ParseOrFail(text);
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->computations().size(), static_cast<size_t>(kCount));
  const std::string printed = Print(*module, kShort);
  EXPECT_EQ(Print(*ParseOrFail(printed), kShort), printed);
}

TEST(TextLimits, LongAsynchronousChains) {
  constexpr int kCount = 200000;
  std::string text = "ENTRY e { x = f32[] parameter(0)\nv0 = ((f32[]), f32[]) negate-start(x)\n";
  for (int i = 1; i < kCount; ++i) {
    StrAppend(text, "v", i, " = ((f32[]), f32[]) negate-update(v", i - 1, ")\n");
  }
  StrAppend(text, "ROOT d = f32[] negate-done(v", kCount - 1, ") }");
  const auto module = ParseOrFail(text);
  ASSERT_NE(module, nullptr);
  const std::string printed = Print(*module, kShort);
  EXPECT_NE(printed.find("ROOT d = f32[] negate-done"), printed.npos);
}

// Whatever the order in which computations were added, callees are printed first.
TEST(TextLimits, LongCallChainsBackwards) {
  constexpr int kCount = 20000;
  const auto module = ParseOrFail(
      "leaf { ROOT x = f32[] parameter(0) }\n"
      "ENTRY e { x = f32[] parameter(0)\n"
      "ROOT y = f32[] call(x), to_apply=leaf }");
  ASSERT_NE(module, nullptr);
  const Instruction& call = *module->entry()->root();
  const Instruction& parameter = *call.operand(0);
  HloComputation* callee = call.callee(0);
  std::vector<HloComputation*> chain;
  for (int i = 0; i < kCount; ++i) chain.push_back(module->AddComputation(StrCat("f", i)));
  while (!chain.empty()) {
    HloComputation* caller = chain.back();
    chain.pop_back();
    Instruction* x = caller->Add({.opcode = parameter.opcode(),
                                  .name = "x",
                                  .shape = parameter.shape(),
                                  .attrs = parameter.attr_block()});
    caller->set_parameters({x});
    caller->Add({.opcode = call.opcode(),
                 .name = "y",
                 .shape = call.shape(),
                 .operands = {&x, 1},
                 .callees = {&callee, 1},
                 .attrs = call.attr_block()});
    callee = caller;
  }
  module->set_entry(callee);
  const auto again = ParseOrFail(Print(*module));
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->entry()->name(), "f0");
}

TEST(TextLimits, TuplesThatGrowExponentially) {
  std::string text = "ENTRY e { t0 = s8[] parameter(0)\n";
  for (int i = 1; i < 90; ++i) StrAppend(text, "t", i, " = tuple(t", i - 1, ", t", i - 1, ")\n");
  ExpectError(text + "}", StatusCode::kResourceExhausted, "too large");
  // The same by width: few names, each used often.
  text = "ENTRY e { t0 = s8[] parameter(0)\n";
  for (int i = 1; i < 9; ++i) {
    StrAppend(text, "t", i, " = tuple(t", i - 1, Repeated(StrCat(", t", i - 1), 100), ")\n");
  }
  ExpectError(text + "}", StatusCode::kResourceExhausted, "too large");
  // By depth alone it ends at the depth that shapes may have.
  text = "ENTRY e { t0 = s8[] parameter(0)\n";
  for (int i = 1; i < 200; ++i) StrAppend(text, "t", i, " = tuple(t", i - 1, ")\n");
  ExpectError(text + "}", StatusCode::kInvalidArgument, "nested more than 100 deep");
}

TEST(TextLimits, ManyCallsWithAWideTuple) {
  std::string text = "f { ROOT x = (s8[]" + Repeated(",s8[]", 20000) + ") parameter(0) }\n";
  text += "ENTRY e { x = (s8[]" + Repeated(",s8[]", 20000) + ") parameter(0)\n";
  for (int i = 0; i < 20000; ++i) StrAppend(text, "y", i, " = call(x), to_apply=f\n");
  ExpectError(text + "}", StatusCode::kResourceExhausted, "too large");
}

// Each computation calls the one before twice, so that there are 2^60 ways through them.
TEST(TextLimits, StatesThroughCallsInCalls) {
  const std::string state = "((f32[2]), f32[2], s32[])";
  std::string text =
      StrCat("HloModule m\ng { p = f32[2] parameter(0) ROOT r = f32[2] negate(p) }\n",
             "h0 { ROOT p = ", state, " parameter(0) }\n");
  for (int i = 1; i <= 60; ++i) {
    StrAppend(text, "h", i, " { p = ", state, " parameter(0)\n a = ", state, " call(p), to_apply=h",
              i - 1, "\n ROOT b = ", state, " call(a), to_apply=h", i - 1, " }\n");
  }
  StrAppend(text, "ENTRY e { x = f32[2] parameter(0)\n s = ", state,
            " async-start(x), calls=g\n c = ", state,
            " call(s), to_apply=h60\n ROOT d = f32[2] async-done(c) }\n");
  const auto module = ParseOrFail(text);
  ASSERT_NE(module, nullptr);
  ExpectStable(*module);
}

// Every loop goes on with the chain, and finds its start through all loops around it.
TEST(TextLimits, StatesThroughLoopsInLoops) {
  const std::string state = "((f32[2]), f32[2], s32[])";
  std::string text =
      StrCat("HloModule m\ng { p = f32[2] parameter(0) ROOT r = f32[2] negate(p) }\n",
             "w { p = ", state, " parameter(0) ROOT c = pred[] constant(false) }\n");
  constexpr int kLoops = 10'000;
  for (int i = 0; i < kLoops; ++i) {
    StrAppend(text, "h", i, " { p = ", state, " parameter(0)\n u = ", state, " async-update(p)\n");
    if (i > 0) StrAppend(text, " l = ", state, " while(u), condition=w, body=h", i - 1, "\n");
    StrAppend(text, " ROOT k = ", state, " copy(", i > 0 ? "l" : "u", ") }\n");
  }
  StrAppend(text, "ENTRY e { x = f32[2] parameter(0)\n s = ", state,
            " async-start(x), calls=g\n c = ", state, " while(s), condition=w, body=h", kLoops - 1,
            "\n ROOT d = f32[2] async-done(c) }\n");
  EXPECT_NE(ParseOrFail(text), nullptr);
}

// Nothing looks at the whole tuple for each of its elements.
TEST(TextLimits, EveryElementOfAWideTuple) {
  constexpr int kElements = 200'000;
  std::string types = "f32[]", names = "x", elements;
  for (int i = 1; i < kElements; ++i) types += ", f32[]", names += ", x";
  for (int i = 0; i < kElements; ++i) {
    StrAppend(elements, "g", i, " = f32[] get-tuple-element(t), index=", i, "\n");
  }
  const std::string text = StrCat("ENTRY e { x = f32[] parameter(0)\n t = (", types, ") tuple(",
                                  names, ")\n", elements, "ROOT r = f32[] copy(g0) }");
  Limits limits;  // linear time is below a second, quadratic time minutes
  limits.set_time_limit(60);
  const auto module = Parse(text, {.limits = &limits});
  EXPECT_TRUE(module.ok()) << module.status().ToString();
}

TEST(TextLimits, HugeConstants) {
  ExpectError("ENTRY e { x = f32[1000000000000] constant({...}) }", StatusCode::kResourceExhausted,
              "elided constants");
  std::string many = "ENTRY e {";
  for (int i = 0; i < 300; ++i) StrAppend(many, " x", i, " = u8[1000000] constant({...})");
  ExpectError(many + "}", StatusCode::kResourceExhausted, "elided constants");
  // Large ones take memory only when they are read.
  const auto weights = ParseOrFail(
      "ENTRY e { x = f32[1,8,6,2048,2048] constant({...})  y = f32[100000000] constant({...}) }");
  ASSERT_NE(weights, nullptr);
  EXPECT_NE(Print(*weights).find("%y = f32[100000000]{0} constant({...})"), std::string::npos);
  // A value without braces asks for as much.
  ExpectError("ENTRY e { x = f32[100000000] constant(1) }", StatusCode::kResourceExhausted,
              "elided constants");
  ExpectError("ENTRY e { x = f32[1000000000000] constant({1, 2}) }", StatusCode::kInvalidArgument,
              "too few elements");
  // Without elements it has no size, but its braces would fill the disk.
  const auto empty = ParseOrFail("ENTRY e { x = f32[1000000000000,0] constant({...}) }");
  ASSERT_NE(empty, nullptr);
  ExpectStable(*empty);
  // The message, which shows the number, is cut.
  ExpectError("ENTRY e { x = s64[] constant(" + Repeated("9", kMillion) + ") }",
              StatusCode::kInvalidArgument, "999...");
  const auto digits =
      ParseOrFail("ENTRY e { x = f64[] constant(1." + Repeated("3", kMillion) + ") }");
  ASSERT_NE(digits, nullptr);
  const auto dims = Parse("ENTRY e { x = f32[" + Repeated("1,", kMillion) + "1] parameter(0) }");
  EXPECT_EQ(dims.status().code(), StatusCode::kInvalidArgument);
}

TEST(TextLimits, ShardingOfManyLeaves) {
  std::string text = "ENTRY e { x = (s8[]" + Repeated(",s8[]", 20000) + ") parameter(0)";
  for (int i = 0; i < 3000; ++i) StrAppend(text, "\ny", i, " = tuple(x), sharding={replicated}");
  const Status status = Parse(text + "}").status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status.ToString().substr(0, 300);
}

TEST(TextLimits, NamesThatAreTaken) {
  // Generated names must not be searched for from the start each time.
  std::string text = "ENTRY e { negate.anon = f32[] parameter(0)\n";
  for (int i = 1; i < 20000; ++i) StrAppend(text, "negate.anon.", i, " = negate(negate.anon)\n");
  for (int i = 0; i < 20000; ++i) StrAppend(text, "x", i, " = negate(negate(negate.anon))\n");
  const auto module = ParseOrFail(text + "}");
  ASSERT_NE(module, nullptr);
  EXPECT_EQ(module->num_instructions(), 60000);
}

std::unique_ptr<Module> RepeatedProgram(i64 num_instructions) {
  auto module = ParseOrFail(ReadText(SourceFolder() / "tests/data/text/repeated.hlo"));
  if (module != nullptr) RepeatEntry(*module, num_instructions);
  return module;
}

TEST(TextScale, TimeIsLinear) {
  const auto seconds = [](i64 count) {
    const std::string text = Print(*RepeatedProgram(count));
    double fastest = 1e9;
    for (int i = 0; i < 3; ++i) {
      const double begin = CpuSeconds();
      const auto module = ParseOrFail(text);
      EXPECT_EQ(Print(*module).size(), text.size());
      fastest = std::min(fastest, CpuSeconds() - begin);
    }
    return fastest;
  };
  const double small = seconds(10000), large = seconds(80000);
  EXPECT_LT(large, 8 * 4 * small) << small << " s against " << large << " s";
}

TEST(TextScale, MemoryPerInstruction) {
  constexpr i64 kCount = 50000;
  const std::string text = Print(*RepeatedProgram(kCount));
  const auto heap = [] {
    const struct mallinfo2 info = mallinfo2();
    return static_cast<i64>(info.uordblks + info.hblkhd);
  };
  const i64 before = heap();
  const auto module = ParseOrFail(text);
  ASSERT_NE(module, nullptr);
  const i64 bytes = heap() - before;
  if (before == 0) GTEST_SKIP() << "the allocator does not count";
  EXPECT_EQ(module->num_instructions(), kCount);
  EXPECT_LE(bytes / kCount, 500);
}

// Damaged files either do not parse or parse to what prints stably; never anything else.
TEST(TextLimits, DamagedFiles) {
  std::mt19937 random(20261121);
  constexpr std::string_view kPieces[] = {
      "{",    "}",   "(",     ")",      "[",     "]",  ",",   "=", "%", "\"",
      "'",    "#",   "/*",    "//",     "->",    "<=", "?",   "-", "0", "9223372036854775807",
      "f32[", "nan", "ROOT ", "ENTRY ", "{...}", "\\", "\xff"};
  for (const auto& entry :
       std::filesystem::directory_iterator(SourceFolder() / "tests/data/text")) {
    const std::string text = ReadText(entry.path());
    for (int i = 0; i < 60; ++i) {
      std::string damaged = text;
      for (int edits = 1 + static_cast<int>(random() % 3); edits > 0; --edits) {
        const size_t at = random() % damaged.size();
        const size_t length = random() % 8;
        damaged.replace(at, std::min(length, damaged.size() - at),
                        random() % 2
                            ? kPieces[random() % std::size(kPieces)]
                            : std::string_view(text).substr(random() % text.size(), random() % 20));
      }
      const auto module = Parse(damaged);
      if (!module.ok()) {
        EXPECT_FALSE(module.status().message().empty());
        continue;
      }
      const std::string printed = Print(**module);
      const auto again = Parse(printed);
      ASSERT_TRUE(again.ok()) << again.status().ToString() << "\n" << damaged;
      EXPECT_EQ(Print(**again), printed) << damaged;
    }
  }
}

TEST(TextLimits, FloatingPointModeOfTheCaller) {
  constexpr char kText[] =
      "ENTRY e { ROOT x = f32[3] constant({0.1, 1e-45, 3.4028235e38}), "
      "statistics={visualizing_index=0,mean=0.123456789} }";
  const std::string expected = Print(*ParseOrFail(kText));
  const int rounding = std::fegetround();
  const unsigned flush = _MM_GET_FLUSH_ZERO_MODE();
  std::fesetround(FE_UPWARD);
  _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
  const auto module = Parse(kText);
  const std::string printed = module.ok() ? Print(**module) : module.status().ToString();
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  EXPECT_EQ(_MM_GET_FLUSH_ZERO_MODE(), static_cast<unsigned>(_MM_FLUSH_ZERO_ON));
  std::fesetround(rounding);
  _MM_SET_FLUSH_ZERO_MODE(flush);
  EXPECT_EQ(printed, expected);
}

}  // namespace
}  // namespace axle
