// The pass that gathers what is divided among partitions: its text, and what the devices of a
// client give, each its part of what the whole program gives.
#include "axle/passes/spmd/partition.h"

#include <gtest/gtest.h>

#include <atomic>

#include "axle/client/arguments.h"
#include "axle/client/client.h"
#include "axle/client/load.h"
#include "axle/ops/tile_sharding.h"
#include "tests/passes/passes_test.h"

namespace axle {
namespace {

std::string Gathered(std::string_view text) {
  return After(text, {"partition"});
}

std::string ErrorOf(std::string_view text) {
  const auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  if (!module.ok()) return {};
  PassContext context;
  return FindPass("partition")->run(**module, context).status().ToString();
}

// The part of an array that a device has: zeros where it reaches beyond the array.
Literal PartOf(const Literal& whole, std::string_view sharding, i64 partition, i64 num_partitions) {
  const Shape& shape = whole.shape();
  const auto read = ReadTileSharding(sharding, shape.rank(), num_partitions);
  EXPECT_TRUE(read.ok()) << read.status().ToString();
  if (!read.ok() || !read->is_tiled()) return whole;
  const Division division = *DivisionOf(*read, shape.dims());
  std::string padding, slices;
  i64 number = division.part_of[static_cast<size_t>(partition)];
  Dims starts(shape.dims().size());
  for (size_t d = starts.size(); d-- > 0;) {
    starts[d] = number % division.parts[d] * division.part_sizes[d];
    number /= division.parts[d];
  }
  Dims padded;
  for (size_t d = 0; d < starts.size(); ++d) {
    padded.push_back(division.parts[d] * division.part_sizes[d]);
    StrAppend(padding, d == 0 ? "" : "x", "0_", padded[d] - shape.dims()[d]);
    StrAppend(slices, d == 0 ? "" : ",", "[", starts[d], ":", starts[d] + division.part_sizes[d],
              "]");
  }
  const std::string type = Shape(shape.type()).ToString();
  const auto module = Parse(StrCat(
      "HloModule m\nENTRY e {\n p = ", shape.ToString(), " parameter(0)\n z = ", type, " constant(",
      IsComplex(shape.type()) ? "(0,0)" : "0", ")\n q = ", Shape(shape.type(), padded).ToString(),
      " pad(p, z), padding=", padding, "\n ROOT s = ",
      Shape(shape.type(), division.part_sizes).ToString(), " slice(q), slice={", slices, "}\n}\n"));
  EXPECT_TRUE(module.ok()) << module.status().ToString();
  const auto part = Evaluate(**module, {{whole}});
  EXPECT_TRUE(part.ok()) << part.status().ToString();
  return *part;
}

struct Case {
  std::string_view program;                          // for several partitions
  std::string_view meaning;                          // the same for one
  std::vector<std::string_view> arguments, results;  // their shardings, "" for whole values
};

// Every device gives its part of what the program means, on both engines and for devices in another
// order.
void CheckParts(const Case& test) {
  SCOPED_TRACE(test.program);
  auto module = LoadModule(test.program);
  auto meaning = LoadModule(test.meaning);
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  ASSERT_TRUE(meaning.ok()) << meaning.status().ToString();
  const i64 n = (*module)->config().num_partitions;
  std::vector<Literal> wholes;
  for (const Instruction* parameter : (*meaning)->entry()->parameters()) {
    wholes.push_back(*FakeLiteral(parameter->shape(), "random", std::ssize(wholes)));
  }
  const auto expected = Evaluate(**meaning, wholes);
  ASSERT_TRUE(expected.ok()) << expected.status().ToString();
  std::vector<Literal> results;
  if (expected->shape().is_tuple()) {
    results = expected->elements();
  } else {
    results.push_back(*expected);
  }
  ASSERT_EQ(results.size(), test.results.size());
  const std::shared_ptr<const Module> shared = *std::move(module);
  const auto client = *Client::Create({.num_devices = n});
  for (const EngineKind engine : {EngineKind::kInterpret, EngineKind::kDefault}) {
    std::vector<i64> devices;
    for (i64 d = 0; d < n; ++d) devices.push_back((d + 1) % n);
    const auto executable = client->Compile(shared, {.engine = engine, .devices = devices});
    ASSERT_TRUE(executable.ok()) << executable.status().ToString();
    std::vector<std::vector<BufferPtr>> arguments(static_cast<size_t>(n));
    for (i64 d = 0; d < n; ++d) {
      for (size_t i = 0; i < wholes.size(); ++i) {
        arguments[static_cast<size_t>(d)].push_back(*client->BufferFromLiteral(
            PartOf(wholes[i], test.arguments[i], d, n), devices[static_cast<size_t>(d)]));
      }
    }
    const auto run = (*executable)->ExecuteReplicated(arguments);
    ASSERT_TRUE(run.ok()) << run.status().ToString();
    for (i64 d = 0; d < n; ++d) {
      for (size_t i = 0; i < results.size(); ++i) {
        const auto value = (*run)[static_cast<size_t>(d)][i]->ToLiteral();
        ASSERT_TRUE(value.ok()) << value.status().ToString();
        const auto difference = FirstDifference(PartOf(results[i], test.results[i], d, n), *value);
        EXPECT_FALSE(difference) << "device " << d << ", result " << i << ": "
                                 << difference->ToString();
      }
    }
  }
}

TEST(Partition, GathersAndSlices) {
  EXPECT_EQ(Gathered(R"(HloModule m, num_partitions=2
ENTRY e {
  x = f32[4,3] parameter(0), sharding={devices=[2,1]<=[2]}
  y = f32[3] parameter(1), sharding={replicated}
  b = f32[4,3] broadcast(y), dimensions={1}
  ROOT s = f32[4,3] add(x, b), sharding={devices=[2,1]1,0}
})"),
            R"(ENTRY e {
  x = f32[2,3]{1,0} parameter(0)
  all-gather.1 = f32[4,3]{1,0} all-gather(x), channel_id=1048576, replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true
  y = f32[3]{0} parameter(1)
  b = f32[4,3]{1,0} broadcast(y), dimensions={1}
  s = f32[4,3]{1,0} add(all-gather.1, b)
  constant.1 = s32[2]{0} constant({2, 0})
  partition-id.1 = u32[] partition-id()
  dynamic-slice.1 = s32[1]{0} dynamic-slice(constant.1, partition-id.1), dynamic_slice_sizes={1}
  reshape.1 = s32[] reshape(dynamic-slice.1)
  constant.2 = s32[] constant(0)
  ROOT dynamic-slice.2 = f32[2,3]{1,0} dynamic-slice(s, reshape.1, constant.2), dynamic_slice_sizes={2,3}
}
)");
}

// Values that are divided in one way outside and inside of a region are not gathered.
constexpr std::string_view kRegion = R"(HloModule m, num_partitions=4
add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] add(a, b)
}
ENTRY e {
  x = s32[8] parameter(0), sharding={devices=[4]<=[4]}
  m = s32[8] custom-call(x), custom_call_target="Sharding", sharding={devices=[4]<=[4]}
  p = s32[2] custom-call(m), custom_call_target="SPMDFullToShardShape", sharding={manual}
  r = s32[2] all-reduce(p), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  d = s32[2] subtract(p, r)
  n = s32[2] custom-call(d), custom_call_target="Sharding", sharding={manual}
  ROOT w = s32[8] custom-call(n), custom_call_target="SPMDShardToFullShape", sharding={devices=[4]<=[4]}
})";

TEST(Partition, RunsARegionAsItIsWritten) {
  EXPECT_EQ(Gathered(kRegion), R"(add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] add(a, b)
}

ENTRY e {
  x = s32[2]{0} parameter(0)
  r = s32[2]{0} all-reduce(x), channel_id=1, replica_groups={{0,1,2,3}}, use_global_device_ids=true, to_apply=add
  ROOT d = s32[2]{0} subtract(x, r)
}
)");
}

TEST(Partition, GivesPartsOfTheWhole) {
  static constexpr std::string_view kSum = R"(HloModule m
ENTRY e {
  x = f32[8,6] parameter(0)
  y = f32[6,4] parameter(1)
  ROOT d = f32[8,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})";
  const auto dot = [](std::string_view x, std::string_view y, std::string_view result) {
    const auto text = [](std::string_view sharding) {
      return sharding.empty() ? std::string() : StrCat(", sharding=", sharding);
    };
    const std::string program = StrCat(
        "HloModule m, num_partitions=8\nENTRY e {\n  x = f32[8,6] parameter(0)", text(x),
        "\n  y = f32[6,4] parameter(1)", text(y),
        "\n  ROOT d = f32[8,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
        text(result), "\n}");
    CheckParts({program, kSum, {x, y}, {result}});
  };
  dot("{devices=[8,1]<=[8]}", "{replicated}", "{devices=[8,1]<=[8]}");
  dot("{devices=[4,2]<=[8]}", "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}", "");
  dot("{devices=[2,2,2]7,3,1,0,2,5,4,6 last_tile_dim_replicate}", "{replicated}",
      "{devices=[2,4]<=[2,4]T(1,0)}");
  dot("{devices=[2,1,2,2]<=[8] last_tile_dims={manual, replicated}}", "{maximal device=0}",
      "{maximal device=3}");
  dot("{mesh['a'=2,'b'=4], [{'b'}, {'a'}]}", "{mesh['a'=2,'b'=4], [{'a'}, {'b':(1)2}]}",
      "{mesh['a'=2,'b'=4], [{'b':(2)2, 'a'}, {}]}");
  dot("{mesh['a'=8, 'b'=1], device_ids=(7,6,5,4,3,2,1,0), [{'a'}, {}]}", "{replicated}",
      "{unknown}");
  // Neither 8 nor 4 is a multiple of 3: the last parts are padded, and may be padding alone.
  CheckParts({R"(HloModule m, num_partitions=3
ENTRY e {
  x = s16[4,5] parameter(0), sharding={devices=[3,1]2,0,1}
  ROOT n = s16[4,5] negate(x), sharding={devices=[1,3]<=[3]}
})",
              "HloModule m\nENTRY e {\n x = s16[4,5] parameter(0)\n ROOT n = s16[4,5] negate(x)\n}",
              {"{devices=[3,1]2,0,1}"},
              {"{devices=[1,3]<=[3]}"}});
  // No elements, and scalars.
  CheckParts({R"(HloModule m, num_partitions=2
ENTRY e {
  x = pred[0,4] parameter(0), sharding={devices=[1,2]<=[2]}
  y = u8[] parameter(1), sharding={devices=[2]<=[2] last_tile_dim_replicate}
  z = c64[6] parameter(2), sharding={devices=[2]1,0}
  ROOT t = (pred[0,4], u8[], c64[6]) tuple(x, y, z), sharding={{devices=[2,1]<=[2]}, {replicated}, {devices=[2]<=[2]}}
})",
              R"(HloModule m
ENTRY e {
  x = pred[0,4] parameter(0)
  y = u8[] parameter(1)
  z = c64[6] parameter(2)
  ROOT t = (pred[0,4], u8[], c64[6]) tuple(x, y, z)
})",
              {"{devices=[1,2]<=[2]}", "", "{devices=[2]1,0}"},
              {"{devices=[2,1]<=[2]}", "", "{devices=[2]<=[2]}"}});
}

TEST(Partition, GivesPartsOfARegion) {
  CheckParts({kRegion,
              R"(HloModule m
add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] add(a, b)
}
ENTRY e {
  x = s32[8] parameter(0)
  y = s32[4,2] reshape(x)
  z = s32[] constant(0)
  r = s32[2] reduce(y, z), dimensions={0}, to_apply=add
  b = s32[4,2] broadcast(r), dimensions={1}
  s = s32[8] reshape(b)
  ROOT d = s32[8] subtract(x, s)
})",
              {"{devices=[4]<=[4]}"},
              {"{devices=[4]<=[4]}"}});
}

// Axes that a region leaves alone are repeated, in the form of JAX without Shardy: of the mesh x=2,
// y=2 the outer region takes x and the inner one y.
TEST(Partition, GivesPartsOfRegionsInRegions) {
  CheckParts({R"(HloModule m, num_partitions=4
inner {
  p = f32[2,4] parameter(0)
  a = f32[2,4] custom-call(p), custom_call_target="Sharding", sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}
  b = f32[2,2] custom-call(a), custom_call_target="SPMDFullToShardShape", sharding={manual}
  i = u32[] partition-id()
  c = f32[] convert(i)
  d = f32[2,2] broadcast(c), dimensions={}
  s = f32[2,2] add(b, d)
  t = f32[2,2] custom-call(s), custom_call_target="Sharding", sharding={manual}
  ROOT w = f32[2,4] custom-call(t), custom_call_target="SPMDShardToFullShape", sharding={devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual}}
}
ENTRY e {
  x = f32[4,4] parameter(0), sharding={devices=[2,2]<=[4]}
  n = f32[4,4] negate(x)
  a = f32[4,4] custom-call(n), custom_call_target="Sharding", sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}
  b = f32[2,4] custom-call(a), custom_call_target="SPMDFullToShardShape", sharding={devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}
  c = f32[2,4] call(b), to_apply=inner
  d = f32[2,4] custom-call(c), custom_call_target="Sharding", sharding={devices=[1,1,2,2]<=[4] last_tile_dims={manual, replicated}}
  ROOT w = f32[4,4] custom-call(d), custom_call_target="SPMDShardToFullShape", sharding={devices=[2,1,2]<=[4] last_tile_dim_replicate}
})",
              R"(HloModule m
ENTRY e {
  x = f32[4,4] parameter(0)
  n = f32[4,4] negate(x)
  c = f32[2,2] constant({{0,1},{2,3}})
  b = f32[2,2,2,2] broadcast(c), dimensions={0,2}
  r = f32[4,4] reshape(b)
  ROOT s = f32[4,4] add(n, r)
})",
              {"{devices=[2,2]<=[4]}"},
              {"{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}});
  // A partitioner that has run before may have divided a part along axes of its own: of 4 tiles the
  // major 2 are the region's.
  CheckParts({R"(HloModule m, num_partitions=4
ENTRY e {
  x = s32[8] parameter(0)
  a = s32[8] custom-call(x), custom_call_target="Sharding", sharding={devices=[4]<=[4]}
  b = s32[4] custom-call(a), custom_call_target="SPMDFullToShardShape", sharding={devices=[2,2]<=[2,2]T(1,0) last_tile_dims={manual}}
  c = s32[4] reverse(b), dimensions={0}
  d = s32[4] custom-call(c), custom_call_target="Sharding", sharding={devices=[2,2]<=[2,2]T(1,0) last_tile_dims={manual}}
  w = s32[8] custom-call(d), custom_call_target="SPMDShardToFullShape", sharding={devices=[4]<=[4]}
  ROOT n = s32[8] not(w), sharding={replicated}
})",
              R"(HloModule m
ENTRY e {
  x = s32[8] parameter(0)
  p = s32[2,4] reshape(x)
  r = s32[2,4] reverse(p), dimensions={1}
  q = s32[8] reshape(r)
  ROOT n = s32[8] not(q)
})",
              {""},
              {""}});
}

// Results that the program leaves open take the sharding of what they are made of.
TEST(Partition, ChoosesShardingsOfResults) {
  const auto chosen = [](std::string_view text) {
    const auto module = Parse(text);
    EXPECT_TRUE(module.ok()) << module.status().ToString();
    return Join(*ResultShardings(**module), " ");
  };
  EXPECT_EQ(chosen(R"(HloModule m, num_partitions=2
ENTRY e {
  x = f32[4,3] parameter(0), sharding={devices=[2,1]<=[2]}
  y = f32[4,3] parameter(1)
  c = pred[4,3] compare(y, x), direction=LT
  t = f32[3,4] transpose(x), dimensions={1,0}
  u = f32[3,4] custom-call(t), custom_call_target="Sharding", sharding={devices=[2,1]<=[2]}
  v = f32[3,4] custom-call(t), custom_call_target="Sharding", sharding={devices=[1,2]<=[2]}
  ROOT r = (pred[4,3], f32[3,4], f32[3,4], f32[3,4], f32[4,3]) tuple(c, t, u, v, y), sharding={{unknown}, {unknown}, {unknown}, {unknown}, {replicated}}
})"),
            "{devices=[2,1]<=[2]} {replicated} {replicated} {devices=[1,2]<=[2]} {replicated}");
}

// Devices have terms of a sum: those of an argument are added, a result is that of the first one.
TEST(Partition, AddsTerms) {
  const auto client = *Client::Create({.num_devices = 4});
  const auto run = [&](std::string_view argument, std::string_view result) {
    const auto executable = client->Compile(StrCat(
        "HloModule m, num_partitions=4\nENTRY e {\n  x = s32[2] parameter(0), sharding=", argument,
        "\n  ROOT n = s32[2] negate(x), sharding=", result, "\n}"));
    EXPECT_TRUE(executable.ok()) << executable.status().ToString();
    if (!executable.ok()) return std::string();
    const Shape& shape = (*executable)->program_shape().parameters[0];
    std::vector<std::vector<BufferPtr>> arguments(4);
    for (i64 d = 0; d < 4; ++d) {
      std::vector<std::int32_t> values;
      for (i64 i = 0; i < shape.num_elements(); ++i) {
        values.push_back(static_cast<std::int32_t>((d == 0   ? 1
                                                    : d == 1 ? 10
                                                    : d == 2 ? 100
                                                             : 1000) *
                                                   (i + 1)));
      }
      arguments[static_cast<size_t>(d)].push_back(
          *client->BufferFromLiteral(Literal::Array<std::int32_t>(S32, shape.dims(), values), d));
    }
    const auto results = (*executable)->ExecuteReplicated(arguments);
    EXPECT_TRUE(results.ok()) << results.status().ToString();
    if (!results.ok()) return std::string();
    std::vector<std::string> texts;
    for (const auto& of_device : *results) texts.push_back(of_device[0]->ToLiteral()->ToString());
    return Join(texts, " ");
  };
  EXPECT_EQ(run("{unreduced}", "{replicated}"),
            "{-1111, -2222} {-1111, -2222} {-1111, -2222} {-1111, -2222}");
  EXPECT_EQ(run("{devices=[1,2,2]<=[4] last_tile_dims={replicated, unreduced}}", "{replicated}"),
            "{-11, -22} {-11, -22} {-1100, -2200} {-1100, -2200}");
  EXPECT_EQ(run("{devices=[2,2]<=[4] last_tile_dims={unreduced}}", "{replicated}"),
            "{-11, -1100} {-11, -1100} {-11, -1100} {-11, -1100}");
  EXPECT_EQ(run("{mesh['a'=2,'b'=2], [{'b'}], unreduced={'a'}}",
                "{devices=[2,2]3,2,1,0 last_tile_dims={unreduced}}"),
            "{0} {-1010} {0} {-101}");
  EXPECT_EQ(run("{mesh['a'=2,'b'=2], [{'b'}], unreduced=max{'a'}}",
                "{devices=[1,4]<=[4] last_tile_dims={unreduced}}"),
            "{-100, -1000} {0, 0} {0, 0} {0, 0}");
  EXPECT_EQ(run("{mesh['a'=4], unreduced=min}", "{devices=[2,2]<=[4] last_tile_dim_replicate}"),
            "{-1} {-1} {-2} {-2}");
}

// A call of a function of the user whose sharding is maximal runs on one device.
TEST(Partition, RunsCallsOnOneDevice) {
  const auto client = *Client::Create({.num_devices = 3});
  std::atomic<int> num_calls = 0;
  const auto seven = [&](void* out, const void** in) {
    ++num_calls;
    static_cast<float*>(out)[0] = static_cast<const float*>(in[0])[2] + 7;
  };
  ASSERT_TRUE(
      client->RegisterCustomCall("seven", std::function<void(void*, const void**)>(seven)).ok());
  const auto executable = client->Compile(R"(HloModule m, num_partitions=3
ENTRY e {
  x = f32[3] parameter(0), sharding={devices=[3]<=[3]}
  ROOT c = f32[1] custom-call(x), custom_call_target="seven", sharding={maximal device=1}
})");
  ASSERT_TRUE(executable.ok()) << executable.status().ToString();
  std::vector<std::vector<BufferPtr>> arguments(3);
  for (i64 d = 0; d < 3; ++d) {
    const float value = 10 * static_cast<float>(d);
    arguments[static_cast<size_t>(d)].push_back(*client->BufferFromLiteral(
        Literal::Array<float>(F32, {1}, std::span<const float>(&value, 1)), d));
  }
  const auto run = (*executable)->ExecuteReplicated(arguments);
  ASSERT_TRUE(run.ok()) << run.status().ToString();
  EXPECT_EQ(num_calls, 1);
  for (const auto& results : *run) EXPECT_EQ(results[0]->ToLiteral()->ToString(), "{27}");
}

TEST(Partition, RefusesShardingsThatDoNotFit) {
  const auto error = [](std::string_view sharding, std::string_view shape = "f32[4,4]") {
    return ErrorOf(StrCat("HloModule m, num_partitions=4\nENTRY e {\n  ROOT x = ", shape,
                          " parameter(0), sharding=", sharding, "\n}"));
  };
  EXPECT_EQ(error("{devices=[2,1]<=[2]}"),
            "INVALID_ARGUMENT: parameter: the sharding {devices=[2,1]<=[2]} has 2 devices, the "
            "program is for 4 partitions");
  EXPECT_EQ(error("{devices=[4]<=[4]}"),
            "INVALID_ARGUMENT: parameter: sharding 1:18: tiles of 1 dimensions for an array of "
            "2\n{devices=[4]<=[4]}\n                 ^");
  EXPECT_EQ(error("{maximal device=4}"),
            "INVALID_ARGUMENT: parameter: the sharding {maximal device=4} names device 4, the "
            "program is for 4 partitions");
  EXPECT_EQ(error("{devices=[4,1]1,2,3,4}"),
            "INVALID_ARGUMENT: parameter: the sharding {devices=[4,1]1,2,3,4} lacks device 0, the "
            "program is for 4 partitions");
  EXPECT_EQ(error("{mesh['x'=2,'y'=2], [{'x'}]}"),
            "INVALID_ARGUMENT: parameter: sharding 1:28: axes of 1 dimensions for an array of "
            "2\n{mesh['x'=2,'y'=2], [{'x'}]}\n                           ^");
  EXPECT_EQ(error("{devices=[4,1]<=[4]}", "f32[<=4,4]"),
            "UNIMPLEMENTED: parameter: a value of f32[<=4,4] is divided among devices");
  EXPECT_EQ(error("{mesh['x'=4,'y'=1000000000], [{}, {}]}"),
            "INVALID_ARGUMENT: parameter: the mesh has more devices than any program");
  // Reading HLO refuses this, but not reading StableHLO.
  DeviceMesh mesh;
  mesh.axes = {{"x", 4}};
  EXPECT_EQ(ShardingOnMesh(mesh, {{{.axis = 0}}, {{.axis = 0}}}).status().ToString(),
            "INVALID_ARGUMENT: an axis of the mesh is there twice");
  EXPECT_EQ(ShardingOnMesh(mesh, {{{.axis = 0, .pre_size = 3, .size = 2}}}).status().ToString(),
            "INVALID_ARGUMENT: a part of 2 of an axis of 4");
  const auto region = [](std::string_view sharding, std::string_view part) {
    return ErrorOf(
        StrCat("HloModule m, num_partitions=4\nENTRY e {\n  x = f32[4,4] parameter(0)\n"
               "  a = f32[4,4] custom-call(x), custom_call_target=\"Sharding\"",
               sharding, "\n  ROOT b = ", part,
               " custom-call(a), custom_call_target=\"SPMDFullToShardShape\", "
               "sharding={manual}\n}"));
  };
  EXPECT_EQ(region(", sharding={devices=[4,1]<=[4]}", "f32[2,4]"),
            "INVALID_ARGUMENT: custom-call: a part of f32[4,4] with the sharding "
            "{devices=[4,1]<=[4]} is [1,4], not f32[2,4]; operand f32[4,4]");
  EXPECT_EQ(region("", "f32[1,4]"),
            "INVALID_ARGUMENT: custom-call: a part of f32[4,4] without a sharding is [4,4], not "
            "f32[1,4]; operand f32[4,4]");
}

// An argument that would become a result of another size is donated all the same.
TEST(Partition, KeepsDonation) {
  const auto module = Parse(
      R"(HloModule m, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {}, may-alias) }, num_partitions=2, entry_computation_layout={(f32[4]{0}, f32[4]{0})->(f32[4]{0}, f32[4]{0})}
ENTRY e {
  x = f32[4] parameter(0), sharding={devices=[2]<=[2]}
  y = f32[4] parameter(1), sharding={devices=[2]<=[2]}
  n = f32[4] negate(x)
  m = f32[4] negate(y)
  ROOT t = (f32[4], f32[4]) tuple(n, m), sharding={{devices=[2]<=[2]}, {replicated}}
})");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  const auto after = RunPipeline(**module, {.verify_each = true});
  ASSERT_TRUE(after.ok()) << after.status().ToString();
  const std::string text = Print(**after);
  EXPECT_EQ(text.substr(0, text.find('\n')),
            "HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }, buffer_donor={ (1, {}) "
            "}, entry_computation_layout={(f32[2]{0}, f32[2]{0})->(f32[2]{0}, f32[4]{0})}, "
            "num_partitions=2");
}

// The notes of the pass are what `axle explain` says about it.
TEST(Partition, NotesWhatItGathers) {
  const auto module = Parse(R"(HloModule m, num_partitions=4
ENTRY e {
  x = f32[1024,3] parameter(0), sharding={devices=[4,1]<=[4]}
  y = f32[8] parameter(1), sharding={devices=[4]<=[4]}
  z = f32[3] parameter(2)
  s = f32[1024,3] negate(x)
  ROOT t = (f32[1024,3], f32[8]) tuple(s, y), sharding={{replicated}, {devices=[4]<=[4]}}
})");
  ASSERT_TRUE(module.ok()) << module.status().ToString();
  PassContext context;
  ASSERT_TRUE(FindPass("partition")->run(**module, context).ok());
  ASSERT_EQ(context.notes.size(), 1U);
  EXPECT_EQ(context.notes[0].instruction, "x");
  EXPECT_EQ(context.notes[0].text, "gathers 12 KiB of parameter 0 from 4 parts");
}

}  // namespace
}  // namespace axle
