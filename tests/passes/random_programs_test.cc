// Random programs of ops that rules are about, full of zeros, ones and repeated operands, with
// loops, branches and calls: the same bits before and after the passes.
#include <gtest/gtest.h>

#include <random>

#include "axle/client/arguments.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/ops/op_def.h"
#include "axle/passes/pipeline.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"

namespace axle {
namespace {

// Writes computations on arrays of [2,3] and [3,2], scalars and tuples of them.
class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {
    constexpr std::string_view kTypes[] = {"f32", "s32", "bf16", "u8", "f64", "s4"};
    type_ = kTypes[random_() % std::size(kTypes)];
    shape_ = StrCat(type_, "[2,3]");
  }

  std::string Module() {
    std::string text = "HloModule random\n";
    for (const char* name : {"f", "g"}) StrAppend(text, Function(name, 8, ""));
    StrAppend(text, "below { s = ", State(), " parameter(0)\n  i = s32[] get-tuple-element(s), ",
              "index=0\n  n = s32[] constant(", random_() % 4,
              ")\n  ROOT r = pred[] compare(i, n), direction=LT }\n");
    StrAppend(text, Body());
    return text + Function("main", 30, "ENTRY ");
  }

 private:
  std::string State() const { return StrCat("(s32[], ", shape_, ", ", shape_, ")"); }

  std::string Any() {
    // Recent values and the same one again more often.
    const size_t size = values_.size();
    return values_[random_() % 3 == 0 ? random_() % size
                                      : size - 1 - random_() % std::min<size_t>(size, 4)];
  }
  std::string Name() { return StrCat("v", next_++); }

  void Line(std::string& text, std::string_view op) {
    const std::string name = Name();
    StrAppend(text, "  ", name, " = ", shape_, " ", op, "\n");
    values_.push_back(name);
  }

  // One or a few instructions that give one more value.
  void Step(std::string& text, bool may_call) {
    const auto temporary = [&](std::string_view shape, std::string_view op) {
      const std::string name = Name();
      StrAppend(text, "  ", name, " = ", shape, " ", op, "\n");
      return name;
    };
    const std::string turned = StrCat(type_, "[3,2]"), flat = StrCat(type_, "[6]"),
                      scalar = StrCat(type_, "[]"), pred = "pred[2,3]";
    switch (random_() % (may_call ? 14 : 11)) {
      case 0:
      case 1: {
        constexpr std::string_view kOps[] = {"add", "subtract", "multiply", "maximum", "minimum"};
        return Line(text, StrCat(kOps[random_() % std::size(kOps)], "(", Any(), ", ", Any(), ")"));
      }
      case 2: {
        const std::string_view ops[] = {"negate", "copy", "abs", "sign"};
        const size_t count = type_ == "u8" ? 2 : 4;
        return Line(text, StrCat(ops[random_() % count], "(", Any(), ")"));
      }
      case 3:
      case 4: {
        const bool is_float = type_[0] == 'f' || type_[0] == 'b';
        const std::string_view numbers[] = {"0", "1", is_float ? "-0" : "2"};
        const std::string c = temporary(scalar, StrCat("constant(", numbers[random_() % 3], ")"));
        return Line(text, StrCat("broadcast(", c, "), dimensions={}"));
      }
      case 5: {
        const std::string t = temporary(turned, StrCat("transpose(", Any(), "), dimensions={1,0}"));
        return Line(text, StrCat("transpose(", t, "), dimensions={1,0}"));
      }
      case 6: {
        const std::string t = temporary(flat, StrCat("reshape(", Any(), ")"));
        const std::string u = temporary(flat, StrCat("reverse(", t, "), dimensions={0}"));
        return Line(text, StrCat("reshape(", random_() % 2 == 0 ? t : u, ")"));
      }
      case 7: {
        const std::string c =
            temporary(pred, StrCat("compare(", Any(), ", ", Any(),
                                   "), direction=", random_() % 2 == 0 ? "LT" : "EQ"));
        const std::string n = temporary(pred, StrCat("not(", c, ")"));
        return Line(text,
                    StrCat("select(", random_() % 2 == 0 ? c : n, ", ", Any(), ", ", Any(), ")"));
      }
      case 8: {
        const std::string twice =
            temporary(StrCat(type_, "[4,3]"),
                      StrCat("concatenate(", Any(), ", ", Any(), "), dimensions={0}"));
        const i64 start = static_cast<i64>(random_() % 3);
        return Line(text,
                    StrCat("slice(", twice, "), slice={[", start, ":", start + 2, "], [0:3]}"));
      }
      case 9: {
        const std::string t = temporary(StrCat("(", shape_, ", ", shape_, ")"),
                                        StrCat("tuple(", Any(), ", ", Any(), ")"));
        return Line(text, StrCat("get-tuple-element(", t, "), index=", random_() % 2));
      }
      case 10: {
        const std::string wide = type_[0] == 'f' || type_[0] == 'b' ? "f64" : "s32";
        const std::string w = temporary(StrCat(wide, "[2,3]"), StrCat("convert(", Any(), ")"));
        return Line(text, StrCat("convert(", w, ")"));
      }
      case 11:
        return Line(text, StrCat("call(", Any(), "), to_apply=", random_() % 2 == 0 ? "f" : "g"));
      case 12: {
        const std::string i = temporary("s32[]", StrCat("constant(", random_() % 3, ")"));
        return Line(text, StrCat("conditional(", i, ", ", Any(), ", ", Any(),
                                 "), branch_computations={f, g}"));
      }
      default: {
        const std::string i = temporary("s32[]", "constant(0)");
        const std::string s =
            temporary(State(), StrCat("tuple(", i, ", ", Any(), ", ", Any(), ")"));
        const std::string w =
            temporary(State(), StrCat("while(", s, "), condition=below, body=body"));
        return Line(text, StrCat("get-tuple-element(", w, "), index=", 1 + random_() % 2));
      }
    }
  }

  std::string Function(std::string_view name, int steps, std::string_view prefix) {
    values_ = {"x"};
    std::string text = StrCat(prefix, name, " {\n  x = ", shape_, " parameter(0)\n");
    for (int i = 0; i < steps; ++i) Step(text, !prefix.empty());
    StrAppend(text, "  a = ", shape_, " add(", Any(), ", ", Any(), ")\n");
    return StrCat(text, "  ROOT r = ", shape_, " add(a, ", Any(), ")\n}\n");
  }

  // Sometimes an element stays, sometimes nobody needs the other one.
  std::string Body() {
    std::string text =
        StrCat("body {\n  s = ", State(), " parameter(0)\n",
               "  i = s32[] get-tuple-element(s), index=0\n  one = s32[] constant(1)\n",
               "  j = s32[] add(i, one)\n");
    for (const int n : {1, 2}) {
      StrAppend(text, "  x", n, " = ", shape_, " get-tuple-element(s), index=", n, "\n");
    }
    values_ = {"x1", "x2"};
    for (int i = 0; i < 6; ++i) Step(text, false);
    const std::string second = random_() % 2 == 0 ? "x2" : values_.back();
    return StrCat(text, "  ROOT t = ", State(), " tuple(j, ", Any(), ", ", second, ")\n}\n");
  }

  std::mt19937_64 random_;
  std::string type_, shape_;
  std::vector<std::string> values_;
  int next_ = 0;
};

TEST(RandomPrograms, GiveTheSameBits) {
  constexpr std::uint64_t kPrograms = 300;
  i64 before_count = 0, after_count = 0;
  for (std::uint64_t seed = 1; seed <= kPrograms; ++seed) {
    SCOPED_TRACE(seed);
    const auto module = Parse(Writer(seed).Module());
    ASSERT_TRUE(module.ok()) << module.status().ToString();
    const auto after = RunPipeline(**module, {.verify_each = true});
    ASSERT_TRUE(after.ok()) << after.status().ToString();
    before_count += (*module)->num_instructions();
    after_count += (*after)->num_instructions();
    const Shape& shape = (*module)->entry()->parameters()[0]->shape();
    for (const char* kind : {"zeros", "random", "iota"}) {
      const auto x = FakeLiteral(shape, kind, static_cast<i64>(seed));
      ASSERT_TRUE(x.ok());
      const auto expected = Evaluate(**module, {&*x, 1});
      const auto actual = Evaluate(**after, {&*x, 1});
      ASSERT_TRUE(expected.ok() && actual.ok()) << expected.status().ToString();
      ASSERT_TRUE(SameValue(*expected, *actual))
          << kind << "\n"
          << Print(**module) << Print(**after) << expected->ToString() << actual->ToString();
    }
  }
  EXPECT_LT(after_count, before_count / 2) << "the programs give the passes little to do";
}

}  // namespace
}  // namespace axle
