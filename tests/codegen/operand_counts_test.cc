// Operations that take any number of operands, with few, with as many as one list on a stack holds,
// with more, and with very many, on one and on several threads: the bits of the interpreter, or a
// status, never memory that is not theirs.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "axle/client/client.h"
#include "axle/core/strings.h"
#include "axle/ops/op_def.h"

namespace axle {
namespace {

// "a0, a1, ..., a<n-1>" and the like.
template <typename Text>
std::string List(i64 n, Text text) {
  std::string list;
  for (i64 i = 0; i < n; ++i) StrAppend(list, i == 0 ? "" : ", ", text(i));
  return list;
}
std::string Names(std::string_view prefix, i64 n) {
  return List(n, [&](i64 i) { return StrCat(prefix, i); });
}
// The shape of n results: one array, or a tuple.
std::string Shapes(std::string_view shape, i64 n) {
  const std::string list = List(n, [&](i64) { return shape; });
  return n == 1 ? list : StrCat("(", list, ")");
}
std::string Parameters(std::string_view prefix, std::string_view shape, i64 n, i64 first = 0) {
  std::string text;
  for (i64 i = 0; i < n; ++i) {
    StrAppend(text, "  ", prefix, i, " = ", shape, " parameter(", first + i, ")\n");
  }
  return text;
}
std::string Add() {
  return "add {\n  x = f32[] parameter(0)\n  y = f32[] parameter(1)\n  ROOT r = f32[] add(x, "
         "y)\n}\n";
}
// Of 2 n scalars, n sums.
std::string Sums(i64 n) {
  std::string text =
      StrCat("sums {\n", Parameters("a", "f32[]", n), Parameters("b", "f32[]", n, n));
  for (i64 i = 0; i < n; ++i) {
    StrAppend(text, n == 1 ? "  ROOT sum" : "  sum", i, " = f32[] add(a", i, ", b", i, ")\n");
  }
  if (n > 1) {
    StrAppend(text, "  ROOT r = ", Shapes("f32[]", n), " tuple(", Names("sum", n), ")\n");
  }
  return text + "}\n";
}
// A computation of n arrays that gives them in another order, as a tuple.
std::string Turned(i64 n, std::string_view shape) {
  return StrCat("turned {\n", Parameters("a", shape, n), "  ROOT r = (",
                List(n, [&](i64) { return shape; }), ") tuple(",
                List(n, [&](i64 i) { return StrCat("a", n - 1 - i); }), ")\n}\n");
}
// The entry of n parameters [size], and what stands behind them.
std::string Entry(i64 n, i64 size, std::string_view body) {
  return StrCat("ENTRY e {\n", Parameters("p", StrCat("f32[", size, "]"), n), body, "\n}\n");
}

using MakeText = std::string (*)(i64 n, i64 size);

std::string Concatenate(i64 n, i64 size) {
  return Entry(
      n, size,
      StrCat("  ROOT r = f32[", n * size, "] concatenate(", Names("p", n), "), dimensions={0}"));
}
std::string Sort(i64 n, i64 size) {
  std::string less = "less {\n";
  for (i64 i = 0; i < n; ++i) {
    StrAppend(less, "  a", i, " = f32[] parameter(", 2 * i, ")\n  b", i, " = f32[] parameter(",
              2 * i + 1, ")\n");
  }
  StrAppend(less, "  ROOT r = pred[] compare(a0, b0), direction=LT\n}\n");
  return less + Entry(n, size,
                      StrCat("  ROOT r = ", Shapes(StrCat("f32[", size, "]"), n), " sort(",
                             Names("p", n), "), dimensions={0}, to_apply=less"));
}
std::string Tuple(i64 n, i64 size) {
  return Entry(n, size,
               StrCat("  ROOT r = (", List(n, [&](i64) { return StrCat("f32[", size, "]"); }),
                      ") tuple(", Names("p", n), ")"));
}
std::string Map(i64 n, i64 size) {
  return StrCat("apply {\n", Parameters("a", "f32[]", n), "  ROOT r = f32[] add(a0, a", n - 1,
                ")\n}\n",
                Entry(n, size,
                      StrCat("  ROOT r = f32[", size, "] map(", Names("p", n),
                             "), dimensions={0}, to_apply=apply")));
}
std::string Reduce(i64 n, i64 size) {
  return Sums(n) + Entry(n, size,
                         StrCat("  z = f32[] constant(0)\n  ROOT r = ", Shapes("f32[]", n),
                                " reduce(", Names("p", n), ", ", List(n, [](i64) { return "z"; }),
                                "), dimensions={0}, to_apply=sums"));
}
std::string ReduceWindow(i64 n, i64 size) {
  return Sums(n) +
         Entry(n, size,
               StrCat("  z = f32[] constant(0)\n  ROOT r = ", Shapes(StrCat("f32[", size, "]"), n),
                      " reduce-window(", Names("p", n), ", ", List(n, [](i64) { return "z"; }),
                      "), window={size=2 pad=0_1}, to_apply=sums"));
}
std::string Scatter(i64 n, i64 size) {
  return Sums(n) + Entry(n, size,
                         StrCat("  i = s32[", size, ",1] iota(), iota_dimension=0\n  ROOT r = ",
                                Shapes(StrCat("f32[", size, "]"), n), " scatter(", Names("p", n),
                                ", i, ", Names("p", n),
                                "), update_window_dims={}, inserted_window_dims={0}, "
                                "scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
                                "to_apply=sums"));
}
std::string AllReduce(i64 n, i64 size) {
  return Add() + Entry(n, size,
                       StrCat("  ROOT r = ", Shapes(StrCat("f32[", size, "]"), n), " all-reduce(",
                              Names("p", n), "), replica_groups={}, to_apply=add"));
}
std::string AllGather(i64 n, i64 size) {
  return Entry(n, size,
               StrCat("  ROOT r = ", Shapes(StrCat("f32[", size, "]"), n), " all-gather(",
                      Names("p", n), "), replica_groups={}, dimensions={0}"));
}
std::string Call(i64 n, i64 size) {
  const std::string shape = StrCat("f32[", size, "]");
  return Turned(n, shape) + Entry(n, size,
                                  StrCat("  ROOT r = (", List(n, [&](i64) { return shape; }),
                                         ") call(", Names("p", n), "), to_apply=turned"));
}
std::string Fusion(i64 n, i64 size) {
  const std::string shape = StrCat("f32[", size, "]");
  return Turned(n, shape) +
         Entry(n, size,
               StrCat("  ROOT r = (", List(n, [&](i64) { return shape; }), ") fusion(",
                      Names("p", n), "), kind=kLoop, calls=turned"));
}
std::string Conditional(i64 n, i64 size) {
  const std::string shape = StrCat("f32[", size, "]");
  std::string branches;
  for (i64 i = 0; i < n; ++i) {
    StrAppend(branches, "f", i, " {\n  x = ", shape, " parameter(0)\n  ROOT r = ", shape,
              " negate(x)\n}\n");
  }
  return branches +
         Entry(n, size,
               StrCat("  i = s32[] constant(", n / 2, ")\n  ROOT r = ", shape, " conditional(i, ",
                      Names("p", n), "), branch_computations={", Names("f", n), "}"));
}
std::string While(i64 n, i64 size) {
  const std::string shape = StrCat("f32[", size, "]");
  const std::string state = StrCat("(s32[], ", List(n, [&](i64) { return shape; }), ")");
  std::string body = StrCat("body {\n  s = ", state,
                            " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
                            "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n");
  for (i64 k = 0; k < n; ++k) {
    StrAppend(body, "  v", k, " = ", shape, " get-tuple-element(s), index=", k + 1, "\n");
  }
  StrAppend(body, "  ROOT r = ", state, " tuple(j, ",
            List(n, [&](i64 k) { return StrCat("v", n - 1 - k); }), ")\n}\n");
  const std::string condition =
      StrCat("condition {\n  s = ", state,
             " parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
             "  three = s32[] constant(3)\n  ROOT r = pred[] compare(i, three), direction=LT\n}\n");
  return condition + body +
         Entry(n, size,
               StrCat("  z = s32[] constant(0)\n  t = ", state, " tuple(z, ", Names("p", n),
                      ")\n  ROOT r = ", state, " while(t), condition=condition, body=body"));
}
std::string ReduceScatter(i64 n, i64 size) {
  return Add() +
         Entry(n, size,
               StrCat("  ROOT r = ", Shapes(StrCat("f32[", size, "]"), n), " reduce-scatter(",
                      Names("p", n), "), replica_groups={}, dimensions={0}, to_apply=add"));
}
std::string CollectiveBroadcast(i64 n, i64 size) {
  return Entry(n, size,
               StrCat("  ROOT r = ", Shapes(StrCat("f32[", size, "]"), n), " collective-broadcast(",
                      Names("p", n), "), replica_groups={{0}}"));
}
std::string AllReduceStart(i64 n, i64 size) {
  const std::string shapes = Shapes(StrCat("f32[", size, "]"), n);
  return Add() + Entry(n, size,
                       StrCat("  t = ", shapes, " all-reduce-start(", Names("p", n),
                              "), replica_groups={}, to_apply=add\n  ROOT r = ", shapes,
                              " all-reduce-done(t)"));
}
std::string AllGatherStart(i64 n, i64 size) {
  const std::string shapes = Shapes(StrCat("f32[", size, "]"), n);
  return Entry(
      n, size,
      StrCat("  t = (", shapes, ", ", shapes, ") all-gather-start(", Names("p", n),
             "), replica_groups={}, dimensions={0}\n  ROOT r = ", shapes, " all-gather-done(t)"));
}
std::string AsyncStart(i64 n, i64 size) {
  const std::string shape = StrCat("f32[", size, "]");
  const std::string shapes = StrCat("(", List(n, [&](i64) { return shape; }), ")");
  return Turned(n, shape) +
         Entry(n, size,
               StrCat("  t = (", shapes, ", ", shapes, ", s32[]) async-start(", Names("p", n),
                      "), calls=turned\n  ROOT r = ", shapes, " async-done(t)"));
}
// The start binds none of them.
std::string AsyncUpdate(i64 n, i64 size) {
  const std::string shape = StrCat("f32[", size, "]");
  const std::string shapes = StrCat("(", List(n, [&](i64) { return shape; }), ")");
  return Turned(n, shape) +
         Entry(n, size,
               StrCat("  s = ((), (), s32[]) async-start(), calls=turned\n  u = (", shapes, ", ",
                      shapes, ", s32[]) async-update(s, ", Names("p", n), ")\n  ROOT r = ", shapes,
                      " async-done(u)"));
}
std::string Scan(i64 n, i64 size) {
  const std::string outputs = List(n, [&](i64) { return StrCat("f32[", size, "]"); });
  std::string step = StrCat("step {\n", Parameters("a", "f32[]", n), "  c = f32[] parameter(", n,
                            ")\n  d = f32[] add(c, a", n - 1, ")\n");
  for (i64 i = 0; i < n; ++i) StrAppend(step, "  o", i, " = f32[] add(a", i, ", c)\n");
  StrAppend(step, "  ROOT r = (", List(n, [](i64) { return "f32[]"; }), ", f32[]) tuple(",
            Names("o", n), ", d)\n}\n");
  return step + Entry(n, size,
                      StrCat("  z = f32[] constant(0)\n  ROOT r = (", outputs, ", f32[]) scan(",
                             Names("p", n), ", z), dimensions={0}, num_carries=1, to_apply=step"));
}
std::string CustomCall(i64 n, i64 size) {
  return Entry(n, size,
               StrCat("  ROOT r = f32[", size, "] custom-call(", Names("p", n),
                      "), custom_call_target=\"first\""));
}
std::string AfterAll(i64 n, i64 size) {
  std::string tokens;
  for (i64 i = 0; i < n; ++i) StrAppend(tokens, "  t", i, " = token[] after-all()\n");
  return Entry(1, size,
               StrCat(tokens, "  a = token[] after-all(", Names("t", n), ")\n  ROOT r = (f32[",
                      size, "], token[]) tuple(p0, a)"));
}

struct Form {
  MakeText text;
  i64 most = 1000;  // operands: more take longer than a test may
};
const std::map<std::string_view, Form> kForms = {
    {"concatenate", {Concatenate, 100'000}},
    {"tuple", {Tuple, 100'000}},
    {"after-all", {AfterAll, 100'000}},
    {"custom-call", {CustomCall, 100'000}},
    {"sort", {Sort, 5'000}},
    {"call", {Call, 20'000}},
    {"fusion", {Fusion, 20'000}},
    {"while", {While, 20'000}},  // of one operand, a tuple
    {"map", {Map}},
    {"reduce", {Reduce}},
    {"reduce-window", {ReduceWindow}},
    {"scatter", {Scatter}},
    {"scan", {Scan}},
    {"all-reduce", {AllReduce}},
    {"all-reduce-start", {AllReduceStart}},
    {"all-gather", {AllGather}},
    {"all-gather-start", {AllGatherStart}},
    {"reduce-scatter", {ReduceScatter}},
    {"collective-broadcast", {CollectiveBroadcast}},
    {"async-start", {AsyncStart}},
    {"async-update", {AsyncUpdate}},
    {"conditional", {Conditional}},
};
// Whose number of operands follows from something that is small.
const std::set<std::string_view> kBounded = {
    "all-to-all",          // devices
    "collective-permute",  // one, or four
    "collective-permute-start",
    "convolution",  // indices of sparse operands, which do not run
    "dot",
    "dynamic-slice",
    "dynamic-update-slice",
    "dynamic-reshape",  // dimensions
};

class OperandCounts : public testing::TestWithParam<std::string_view> {};

TEST_P(OperandCounts, HaveTheBitsOfTheInterpreter) {
  const Form& form = kForms.at(GetParam());
  for (const i64 n : {i64{1}, i64{2}, i64{319}, i64{320}, i64{321}, i64{322}, i64{323}, i64{324},
                      i64{1000}, form.most}) {
    // As long as makes it worth several threads, where that is not too much memory.
    const i64 size = n <= 324 ? 1024 : n == 1000 ? 512 : 1;
    const std::string text = form.text(n, size);
    SCOPED_TRACE(StrCat(GetParam(), " of ", n, " operands"));
    Literal expected;
    for (const int threads : {0, 1, 2, 7}) {  // 0: interpreted
      if (n > 1000 && (threads == 1 || threads == 7)) continue;
      auto client = Client::Create({.num_threads = threads});
      ASSERT_TRUE(client.ok());
      ASSERT_TRUE((*client)
                      ->RegisterCustomCall("first",
                                           [](void* out, const void** in) {
                                             *static_cast<float*>(out) =
                                                 *static_cast<const float*>(in[0]);
                                           })
                      .ok());
      CompileOptions options;
      options.engine = threads == 0 ? EngineKind::kInterpret : EngineKind::kNative;
      const auto executable = (*client)->Compile(text, options);
      ASSERT_TRUE(executable.ok()) << executable.status().message();
      std::vector<Literal> arguments;
      for (const Instruction* parameter : (*executable)->module().entry()->parameters()) {
        Literal& value = arguments.emplace_back(parameter->shape());
        const auto number = static_cast<float>(arguments.size());
        float step = 0;
        for (float& x : value.mutable_data<float>()) x = number * 8 + (step = 5 - step);
      }
      const auto result = (*executable)->Execute(arguments);
      ASSERT_TRUE(result.ok()) << result.status().message();
      if (threads == 0) {
        expected = *result;
      } else {
        const auto difference = FirstDifference(expected, *result);
        EXPECT_FALSE(difference) << difference->ToString();
      }
    }
  }
}

std::vector<std::string_view> AllForms() {
  std::vector<std::string_view> names;
  for (const auto& [name, form] : kForms) names.push_back(name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(Ops, OperandCounts, testing::ValuesIn(AllForms()), [](const auto& info) {
  std::string name(info.param);
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(OperandCounts, EveryOpOfAnyNumberOfOperandsIsHere) {
  for (const OpDef* def : AllOpDefs()) {
    const bool is_variadic = std::ranges::any_of(def->operands, &OperandSpec::variadic);
    if (!is_variadic) continue;
    EXPECT_TRUE(kForms.contains(def->text) || kBounded.contains(def->text)) << def->text;
  }
}

}  // namespace
}  // namespace axle
