// Collectives as records of compiled programs: the same bits as the interpreter's, which exchanges
// literals, for every operation, size and group; and what ends a meeting in place.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <thread>
#include <vector>

#include "axle/client/client.h"
#include "axle/core/strings.h"
#include "axle/ir/module.h"
#include "axle/runtime/compile_report.h"
#include "axle/runtime/custom_call_registry.h"
#include "tests/codegen/step_test.h"

namespace axle {
namespace {

constexpr i64 kMostDevices = 8;

// A message of so many bytes is copied; 40,001 elements of any type are not.
constexpr i64 kSizes[] = {0, 1, 7, 1000, 5003, 40001};

class CollectiveRecords : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    client_ = Client::Create({.num_devices = kMostDevices})->release();
  }
  static void TearDownTestSuite() { delete client_; }

  using Values = std::vector<std::vector<Literal>>;

  static StatusOr<Values> Run(const Executable& executable, const Values& arguments,
                              Limits* limits = nullptr) {
    std::vector<std::vector<BufferPtr>> buffers;
    for (const std::vector<Literal>& of_device : arguments) {
      const auto device = static_cast<i64>(buffers.size());
      auto& list = buffers.emplace_back();
      for (const Literal& value : of_device) {
        list.push_back(*client_->BufferFromLiteral(value, device));
      }
    }
    AXLE_ASSIGN(const auto results, executable.ExecuteReplicated(buffers, {.limits = limits}));
    Values values;
    for (const std::vector<BufferPtr>& of_device : results) {
      auto& list = values.emplace_back();
      for (const BufferPtr& buffer : of_device) list.push_back(*buffer->ToLiteral());
    }
    return values;
  }

  static Values ArgumentsOf(const Module& module, i64 devices, std::uint32_t seed) {
    Values arguments(static_cast<size_t>(devices));
    for (std::vector<Literal>& of_device : arguments) {
      for (const Instruction* parameter : module.entry()->parameters()) {
        of_device.push_back(Numbers(parameter->shape().WithoutLayout(), seed++, 64));
      }
    }
    return arguments;
  }

  // The kinds of records that the program has, with how many there are of each.
  static std::map<std::string, int> KindsOf(const Executable& executable) {
    std::map<std::string, int> kinds;
    for (const CompileReport::Program& program : executable.report()->programs) {
      for (const CompileReport::Record& record : program.records) ++kinds[record.kind];
    }
    return kinds;
  }

  static std::shared_ptr<Executable> Compile(const std::string& text, EngineKind engine,
                                             i64 replicas, i64 partitions = 1) {
    CompileOptions options;
    options.engine = engine;
    options.replicas = replicas;
    options.partitions = partitions;
    options.debug.report = true;
    const auto executable = client_->Compile(text, options);
    EXPECT_TRUE(executable.ok()) << executable.status().ToString();
    return executable.ok() ? *executable : nullptr;
  }

  // Runs the program in both engines; `num_collectives` of its records are collectives, and none
  // is an evaluator's.
  static void ExpectSameBits(const std::string& text, int num_collectives, i64 replicas,
                             i64 partitions = 1, std::uint32_t seed = 1) {
    SCOPED_TRACE(StrCat(replicas, " replicas, ", partitions, " partitions of ", text));
    const auto interpreted = Compile(text, EngineKind::kInterpret, replicas, partitions);
    const auto native = Compile(text, EngineKind::kNative, replicas, partitions);
    ASSERT_TRUE(interpreted != nullptr && native != nullptr);
    std::map<std::string, int> kinds = KindsOf(*native);
    EXPECT_EQ(kinds["collective"], num_collectives);
    EXPECT_EQ(kinds["evaluate"], 0);
    const Values arguments = ArgumentsOf(interpreted->module(), replicas * partitions, seed);
    const auto expected = Run(*interpreted, arguments);
    const auto results = Run(*native, arguments);
    ASSERT_TRUE(expected.ok()) << expected.status().ToString();
    ASSERT_TRUE(results.ok()) << results.status().ToString();
    for (size_t d = 0; d < results->size(); ++d) {
      for (size_t i = 0; i < (*results)[d].size(); ++i) {
        const auto difference = FirstDifference((*expected)[d][i], (*results)[d][i]);
        EXPECT_FALSE(difference) << "device " << d << ", result " << i << ": "
                                 << difference->ToString();
      }
    }
  }

  static inline Client* client_ = nullptr;
};

// "{{0,1,...}}" in some orders, of which some have several groups.
std::vector<std::string> GroupsOf(i64 devices) {
  std::vector<std::string> groups = {"{}"};
  if (devices == 3) groups.push_back("{{2,0},{1}}");
  if (devices == 4) groups.push_back("{{3,1},{0,2}}");
  if (devices == 5) groups.push_back("{{4,0,2,1,3}}");
  if (devices == 8) groups.push_back("{{7,0,3,1,5},{2},{6,4}}");
  return groups;
}

std::string Reducer(std::string_view type, std::string_view name, std::string_view body) {
  return StrCat(name, " { a = ", type, "[] parameter(0) b = ", type, "[] parameter(1) ", body,
                " }\n");
}

TEST_F(CollectiveRecords, AllReduce) {
  for (const std::string_view type : {"f32", "f64", "bf16", "f16", "f8e4m3fn", "f8e5m2", "s8",
                                      "u32", "s64", "pred", "c64", "s4"}) {
    const bool is_complex = type == "c64", is_pred = type == "pred";
    const std::string reducers = StrCat(
        "HloModule m\n", Reducer(type, "sum", StrCat("ROOT r = ", type, "[] add(a, b)")),
        Reducer(type, "product", StrCat("ROOT r = ", type, "[] multiply(a, b)")),
        Reducer(type, "most",
                StrCat("ROOT r = ", type, "[] ", is_complex ? "multiply" : "maximum", "(a, b)")),
        is_pred
            ? Reducer(type, "mixed", "n = pred[] not(a) ROOT r = pred[] xor(n, b)")
            : Reducer(type, "mixed",
                      StrCat("t = ", type, "[] add(a, a) ROOT r = ", type, "[] subtract(b, t)")));
    for (const i64 devices : {2, 3, 4, 5, 8}) {
      for (const std::string& groups : GroupsOf(devices)) {
        std::string entry = "ENTRY e {\n", all, results;
        int n = 0;
        for (const i64 size : kSizes) {
          StrAppend(entry, "x", size, " = ", type, "[", size, "] parameter(", n++, ")\n");
          StrAppend(all, all.empty() ? "" : ", ", "x", size);
        }
        const auto add = [&](std::string_view shape, std::string_view operands,
                             std::string_view reducer) {
          StrAppend(entry, "r", n, " = ", shape, " all-reduce(", operands,
                    "), replica_groups=", groups, ", to_apply=", reducer, "\n");
          StrAppend(results, results.empty() ? "r" : ", r", n++);
        };
        for (const i64 size : kSizes) {
          add(StrCat(type, "[", size, "]"), StrCat("x", size), "sum");
        }
        add(StrCat(type, "[40001]"), "x40001", "product");
        add(StrCat(type, "[5003]"), "x5003", "most");
        add(StrCat(type, "[5003]"), "x5003", "mixed");
        add(StrCat(type, "[40001]"), "x40001", "mixed");
        // All operands at once, and one twice.
        StrAppend(entry, "t = (", type, "[0], ", type, "[1], ", type, "[7], ", type, "[1000], ",
                  type, "[5003], ", type, "[40001], ", type, "[7]) all-reduce(", all,
                  ", x7), replica_groups=", groups, ", to_apply=sum\n");
        for (int i = 0; i < 7; ++i) {
          const i64 size = i == 6 ? 7 : kSizes[i];
          StrAppend(entry, "g", i, " = ", type, "[", size, "] get-tuple-element(t), index=", i,
                    "\n");
          StrAppend(results, ", g", i);
        }
        ExpectSameBits(StrCat(reducers, entry, "ROOT result = tuple(", results, ") }"), 11,
                       devices);
      }
    }
  }
}

// {{0,...,n-1}}, and for an even number of devices two groups of other orders.
std::vector<std::string> EvenGroupsOf(i64 devices) {
  if (devices == 4) return {"{{0,1,2,3}}", "{{3,1},{0,2}}", "{{2},{0},{1},{3}}"};
  if (devices == 3) return {"{{2,0,1}}"};
  if (devices == 8) return {"{{7,0,3,1},{2,6,5,4}}"};
  return {devices == 2 ? "{{0,1}}" : "{{0,1,2,3,4}}"};
}

TEST_F(CollectiveRecords, Moves) {
  for (const std::string_view type : {"f32", "f64", "bf16", "s8", "pred", "c128"}) {
    for (const i64 devices : {2, 3, 4, 5, 8}) {
      for (const std::string& groups : EvenGroupsOf(devices)) {
        const i64 n =
            static_cast<i64>(std::ranges::count(groups.substr(0, groups.find('}')), ',')) + 1;
        for (const i64 size : {1, 6, 300}) {
          const auto array = [&](i64 rows, i64 columns, i64 depth) {
            return StrCat(type, "[", rows, ",", columns, ",", depth, "]");
          };
          const std::string at = StrCat("replica_groups=", groups);
          std::string text = StrCat(
              "HloModule m\n", Reducer(type, "sum", StrCat("ROOT r = ", type, "[] add(a, b)")),
              "ENTRY e { x = ", array(5, n * 2, size), " parameter(0)\n", "y = ", array(n, 3, size),
              " parameter(1)\n", "g0 = ", array(n * n, 3, size), " all-gather(y), dimensions={0}, ",
              at, "\n", "g2 = ", array(5, n * 2, n * size), " all-gather(x), dimensions={2}, ", at,
              "\n", "a1 = ", array(5, n * 2, size), " all-to-all(x), dimensions={1}, ", at, "\n",
              "a0 = ", array(n, 3, size), " all-to-all(y), dimensions={0}, ", at, "\n",
              "part1 = ", array(5, 2, size), " reduce-scatter(x), dimensions={1}, to_apply=sum, ",
              at, "\n", "part0 = ", array(1, 3, size),
              " reduce-scatter(y), dimensions={0}, to_apply=sum, ", at, "\n");
          // Without dimensions: an operand for each device.
          std::string operands = "x", shapes = array(5, n * 2, size),
                      results = "g0, g2, a1, a0, part1, part0";
          for (i64 k = 1; k < n; ++k) {
            StrAppend(text, "x", k, " = ", array(5, n * 2, size), " parameter(", 1 + k, ")\n");
            StrAppend(operands, ", x", k);
            StrAppend(shapes, ", ", array(5, n * 2, size));
          }
          StrAppend(text, "d = (", shapes, ") all-to-all(", operands, "), ", at, "\n");
          for (i64 k = 0; k < n; ++k) {
            StrAppend(text, "d", k, " = ", array(5, n * 2, size),
                      " get-tuple-element(d), index=", k, "\n");
            StrAppend(results, ", d", k);
          }
          // Nothing is left of collectives in groups of one.
          ExpectSameBits(StrCat(text, "ROOT result = tuple(", results, ") }"), n == 1 ? 0 : 7,
                         devices);
        }
      }
    }
  }
}

TEST_F(CollectiveRecords, PermuteAndBroadcast) {
  for (const i64 size : {0, 5, 20000}) {
    const std::string shape = StrCat("f32[", size, "]");
    const auto text = [&](std::string_view pairs, std::string_view groups) {
      return StrCat("HloModule m\nENTRY e { x = ", shape, " parameter(0) y = ", shape,
                    " parameter(1)\n p = (", shape, ", ", shape,
                    ") collective-permute(x, y), source_target_pairs=", pairs, "\n b = ", shape,
                    " collective-broadcast(x), replica_groups=", groups, "\n p0 = ", shape,
                    " get-tuple-element(p), index=0\n p1 = ", shape,
                    " get-tuple-element(p), index=1\n ROOT t = (", shape, ", ", shape, ", ", shape,
                    ") tuple(p0, p1, b) }");
    };
    // 0 sends to nobody in particular, 3 takes no part.
    ExpectSameBits(text("{{0,1},{1,2}}", "{{2,0,1}}"), 2, 3);
    ExpectSameBits(text("{{0,1},{2,0}}", "{{3,1},{0,2}}"), 2, 4);
    ExpectSameBits(text("{{4,4},{0,1},{1,0}}", "{{0,1,2,3,4}}"), 2, 5);
  }
}

// The state of a start is in memory of its own, as the program may hand it on.
TEST_F(CollectiveRecords, StartAndDone) {
  for (const i64 size : {6, 20000}) {
    const std::string x = StrCat("f32[", size, "]"), gathered = StrCat("f32[", 3 * size, "]");
    const std::string text = StrCat(
        "HloModule m\n", Reducer("f32", "sum", "ROOT r = f32[] add(a, b)"), "ENTRY e { x = ", x,
        " parameter(0) y = ", x, " parameter(1)\n a = ", x,
        " all-reduce-start(x), replica_groups={}, to_apply=sum\n g = (", x, ", ", gathered,
        ") all-gather-start(y), dimensions={0}, replica_groups={{1,2,0}}\n p = (", x, ", ", x,
        ", u32[], u32[]) collective-permute-start(x), source_target_pairs={{0,2},{2,0}}\n h = ((",
        x, ", ", x, "), (", gathered, ", ", gathered,
        ")) all-gather-start(x, y), dimensions={0}, replica_groups={}\n n = ", x,
        " negate(x)\n a1 = ", x, " all-reduce-done(a)\n g1 = ", gathered,
        " all-gather-done(g)\n p1 = ", x, " collective-permute-done(p)\n h1 = (", gathered, ", ",
        gathered, ") all-gather-done(h)\n h2 = ", gathered,
        " get-tuple-element(h1), index=1\n ROOT t = tuple(a1, g1, p1, h2, n) }");
    ExpectSameBits(text, 4, 3);
  }
}

// One meeting is for all operands.
TEST_F(CollectiveRecords, ThousandsOfOperands) {
  std::string text = StrCat("HloModule m\n", Reducer("f32", "sum", "ROOT r = f32[] add(a, b)"),
                            "ENTRY e { x = f32[2000] parameter(0)\n");
  std::string operands, shapes, parts, results;
  for (int i = 0; i < 2000; ++i) {
    StrAppend(text, "s", i, "_ = f32[", 1 + i % 7, "] slice(x), slice={[", i - i % 7, ":",
              i - i % 7 + 1 + i % 7, "]}\n");
    StrAppend(operands, i == 0 ? "" : ", ", "s", i, "_");
    StrAppend(shapes, i == 0 ? "" : ", ", "f32[", 1 + i % 7, "]");
    StrAppend(parts, "g", i, " = f32[", 1 + i % 7, "] get-tuple-element(t), index=", i, "\n");
    StrAppend(results, i == 0 ? "" : ", ", "g", i);
  }
  ExpectSameBits(StrCat(text, "t = (", shapes, ") all-reduce(", operands,
                        "), replica_groups={}, to_apply=sum\n", parts,
                        "ROOT c = f32[7995] "
                        "concatenate(",
                        results, "), dimensions={0} }"),
                 1, 3);
}

// Each group of each mode, with partitions.
TEST_F(CollectiveRecords, Modes) {
  const auto text = [](std::string_view attrs) {
    return StrCat("HloModule m\n",
                  Reducer("s32", "mixed", "t = s32[] add(a, a) ROOT r = s32[] subtract(b, t)"),
                  "ENTRY e { x = s32[3] parameter(0) ROOT r = s32[3] all-reduce(x), ", attrs,
                  ", to_apply=mixed }");
  };
  ExpectSameBits(text("replica_groups={{1,0},{2}}"), 1, 3, 2);
  ExpectSameBits(text("replica_groups={{1,0},{2}}, channel_id=1"), 1, 3, 2);
  ExpectSameBits(text("replica_groups={}, channel_id=1"), 1, 2, 3);
  ExpectSameBits(text("replica_groups={{5,0},{2,4,1,3}}, channel_id=1, use_global_device_ids=true"),
                 1, 3, 2);
  ExpectSameBits(
      text("replica_groups=[2,3]<=[3,2]T(1,0), channel_id=1, use_global_device_ids=true"), 1, 2, 3);
}

// Values that stay in the loop's state are reduced in place.
TEST_F(CollectiveRecords, LoopsAndBranches) {
  for (const i64 size : {3, 30000}) {
    const std::string shape = StrCat("f32[", size, "]"), state = StrCat("(s32[], ", shape, ")");
    const std::string text = StrCat(
        "HloModule m\n", Reducer("f32", "sum", "ROOT r = f32[] add(a, b)"), "double { x = ", shape,
        " parameter(0) ROOT r = ", shape,
        " all-reduce(x), replica_groups={{0,1,2}}, to_apply=sum }\nrotate { x = ", shape,
        " parameter(0) ROOT p = ", shape,
        " collective-permute(x), source_target_pairs={{0,1},{1,2},{2,0}} }\ncond { s = ", state,
        " parameter(0) i = s32[] get-tuple-element(s), index=0 n = s32[] constant(50) ROOT c = "
        "pred[] compare(i, n), direction=LT }\nbody { s = ",
        state, " parameter(0) i = s32[] get-tuple-element(s), index=0\n x = ", shape,
        " get-tuple-element(s), index=1\n one = s32[] constant(1) j = s32[] add(i, one)\n two = "
        "s32[] constant(2) odd = s32[] remainder(i, two) p = pred[] compare(odd, one), "
        "direction=EQ\n third = f32[] constant(0.34) w = ",
        shape, " broadcast(third), dimensions={}\n d = ", shape,
        " conditional(p, x, x), true_computation=double, false_computation=rotate\n m = ", shape,
        " multiply(d, w)\n r = ", shape,
        " all-reduce(m), replica_groups={{2,0},{1}}, to_apply=sum\n ROOT t = ", state,
        " tuple(j, r) }\nENTRY e { x = ", shape, " parameter(0) z = s32[] constant(0) t = ", state,
        " tuple(z, x)\n l = ", state, " while(t), condition=cond, body=body\n ROOT r = ", shape,
        " get-tuple-element(l), index=1 }");
    ExpectSameBits(text, 3, 3);
  }
}

// The result lies where the argument was, also where the operand has another reader afterwards.
TEST_F(CollectiveRecords, DonatedOperands) {
  for (const i64 size : {4, 50000}) {
    const std::string shape = StrCat("f32[", size, "]");
    const auto text = [&](std::string_view tail) {
      return StrCat("HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }\n",
                    Reducer("f32", "sum", "ROOT r = f32[] add(a, b)"), "ENTRY e { x = ", shape,
                    " parameter(0) r = ", shape,
                    " all-reduce(x), replica_groups={{1,3,0,2}}, to_apply=sum\n", tail);
    };
    ExpectSameBits(text(StrCat("ROOT t = (", shape, ") tuple(r) }")), 1, 4);
    ExpectSameBits(
        text(StrCat("n = ", shape, " negate(x) ROOT t = (", shape, ", ", shape, ") tuple(r, n) }")),
        1, 4);
  }
}

std::string Large(std::string_view body) {
  return StrCat("HloModule m\n", Reducer("f32", "sum", "ROOT r = f32[] add(a, b)"), body);
}

// Device 0 does what `first` says, the others what `rest` says, with f32[50000].
std::string ByDevice(std::string_view first, std::string_view rest) {
  return Large(StrCat(
      "ENTRY main { x = f32[50000] parameter(0) r = u32[] replica-id() z = u32[] constant(0) p = "
      "pred[] compare(r, z), direction=EQ ROOT c = f32[50000] conditional(p, x, x), "
      "true_computation={ a = f32[50000] parameter(0) ",
      first, " }, false_computation={ b = f32[50000] parameter(0) ", rest, " } }"));
}

constexpr std::string_view kWaitA =
    "ROOT f = f32[50000] all-reduce(a), replica_groups={}, to_apply=sum";

TEST_F(CollectiveRecords, DeadlocksAndFailures) {
  EXPECT_TRUE(client_
                  ->RegisterTypedCustomCall(
                      "fail", [](const CustomCallFrame&) { return InvalidArgument("broken"); })
                  .ok());
  const auto error_of = [&](const std::string& text, i64 devices) {
    const auto executable = Compile(text, EngineKind::kNative, devices);
    return Run(*executable, ArgumentsOf(executable->module(), devices, 2)).status().ToString();
  };
  EXPECT_EQ(error_of(ByDevice(kWaitA, "ROOT g = f32[50000] negate(b)"), 2),
            "INVALID_ARGUMENT: all-reduce: deadlock: device 0 waits at all-reduce \"f\" for device "
            "1; device "
            "1 has finished the program; operand f32[50000]");
  EXPECT_EQ(error_of(ByDevice(kWaitA,
                              "ROOT g = f32[50000] all-reduce(b), replica_groups={}, to_apply=sum"),
                     2),
            "INVALID_ARGUMENT: all-reduce: deadlock: device 0 waits at all-reduce \"f\" for device "
            "1; device 1 "
            "waits at all-reduce \"g\" for device 0; operand f32[50000]");
  // One that comes with a literal and one that comes to its station. Each tells of its own operand:
  // that of the first to leave is reported.
  const std::string mixed =
      error_of(ByDevice(kWaitA,
                        "d = s32[] constant(49999) s = f32[<=50000] "
                        "set-dimension-size(b, d), dimensions={0} g = f32[<=50000] "
                        "all-reduce(s), replica_groups={}, to_apply=sum n = s32[] "
                        "constant(50000) ROOT t = f32[50000] "
                        "set-dimension-size(g, n), dimensions={0}"),
               2);
  EXPECT_EQ(mixed.substr(0, mixed.rfind("; operand f32[")),
            "INVALID_ARGUMENT: all-reduce: deadlock: device 0 waits at all-reduce \"f\" for device "
            "1; device "
            "1 waits at all-reduce \"g\" for device 0");
  EXPECT_EQ(error_of(ByDevice(kWaitA,
                              "ROOT g = f32[50000] custom-call(b), custom_call_target=\"fail\", "
                              "api_version=API_VERSION_TYPED_FFI"),
                     4),
            "INVALID_ARGUMENT: custom-call: \"fail\": broken; operand f32[50000]");
}

TEST_F(CollectiveRecords, LimitsEndAWait) {
  // Device 1 waits for its infeed, which nobody fills.
  const std::string text = ByDevice(
      kWaitA,
      "t = token[] after-all() i = (f32[50000], token[]) infeed(t) v = f32[50000] "
      "get-tuple-element(i), index=0 ROOT g = f32[50000] all-reduce(v), replica_groups={}, "
      "to_apply=sum");
  const auto executable = Compile(text, EngineKind::kNative, 2);
  const Values arguments = ArgumentsOf(executable->module(), 2, 2);
  Limits limits;
  limits.set_time_limit(0.02);
  EXPECT_EQ(Run(*executable, arguments, &limits).status().code(), StatusCode::kDeadlineExceeded);
  Limits cancelled;
  std::thread canceller([&] { cancelled.Cancel(); });
  EXPECT_EQ(Run(*executable, arguments, &cancelled).status().code(), StatusCode::kCancelled);
  canceller.join();
}

// Limits end a run wherever it is, and the next one is right.
TEST_F(CollectiveRecords, CancelledAnywhere) {
  const std::string text = Large(
      "cond { s = (s32[], f32[50000]) parameter(0) i = s32[] get-tuple-element(s), index=0 n = "
      "s32[] constant(1000000) ROOT c = pred[] compare(i, n), direction=LT }\nbody { s = (s32[], "
      "f32[50000]) parameter(0) i = s32[] get-tuple-element(s), index=0 x = f32[50000] "
      "get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one) r = f32[50000] "
      "all-reduce(x), replica_groups={}, to_apply=sum ROOT t = (s32[], f32[50000]) tuple(j, r) "
      "}\nENTRY e { x = f32[50000] parameter(0) z = s32[] constant(0) t = (s32[], f32[50000]) "
      "tuple(z, x) w = (s32[], f32[50000]) while(t), condition=cond, body=body ROOT r = "
      "f32[50000] get-tuple-element(w), index=1 }");
  const auto executable = Compile(text, EngineKind::kNative, 3);
  const Values arguments = ArgumentsOf(executable->module(), 3, 2);
  for (int i = 0; i < 20; ++i) {
    Limits limits;
    std::thread canceller([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(300 * i));
      limits.Cancel();
    });
    EXPECT_EQ(Run(*executable, arguments, &limits).status().code(), StatusCode::kCancelled);
    canceller.join();
  }
}

// Memory for messages counts: the copy of 8 KB, and then one more of them, is too much.
TEST_F(CollectiveRecords, MessagesCount) {
  const auto executable =
      Compile(Large("ENTRY e { x = f32[2000] parameter(0) ROOT r = f32[2000] all-reduce(x), "
                    "replica_groups={}, to_apply=sum }"),
              EngineKind::kNative, 2);
  const Values arguments = ArgumentsOf(executable->module(), 2, 2);
  Limits limits;
  limits.set_memory_cap(12000);
  EXPECT_EQ(Run(*executable, arguments, &limits).status().code(), StatusCode::kResourceExhausted);
  limits.set_memory_cap(1 << 20);
  EXPECT_TRUE(Run(*executable, arguments, &limits).ok());
}

TEST_F(CollectiveRecords, TwoRunsAtOnceDoNotMix) {
  for (const i64 size : {10, 30000}) {
    const std::string shape = StrCat("f32[", size, "]");
    const auto executable =
        Compile(Large(StrCat("ENTRY e { x = ", shape, " parameter(0) a = ", shape,
                             " all-reduce(x), replica_groups={}, to_apply=sum ROOT b = ", shape,
                             " all-reduce(a), replica_groups={}, to_apply=sum }")),
                EngineKind::kNative, 4);
    std::vector<std::thread> threads;
    for (int t = 1; t <= 4; ++t) {
      threads.emplace_back([&, t] {
        const std::vector<float> ones(static_cast<size_t>(size), static_cast<float>(t));
        const Values arguments(4, {Literal::Array<float>(F32, {size}, ones)});
        for (int i = 0; i < 20; ++i) {
          const auto results = Run(*executable, arguments);
          ASSERT_TRUE(results.ok()) << results.status().ToString();
          for (const std::vector<Literal>& of_device : *results) {
            for (const float x : of_device[0].data<float>()) {
              ASSERT_EQ(x, static_cast<float>(16 * t));
            }
          }
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace
}  // namespace axle
