// The extensions: layouts, shardings, memory descriptions. FFI is in ffi_test.cc, the profiler in
// profiler_test.cc.
#include <set>

#include "axle/client/load.h"
#include "axle/client/save.h"
#include "tests/pjrt/plugin.h"

namespace axle::plugin {
namespace {

TEST(PjrtExtensions, ChainHasEachOnce) {
  std::set<int> types;
  for (const PJRT_Extension_Base* node = Api().extension_start; node != nullptr;
       node = node->next) {
    EXPECT_TRUE(types.insert(node->type).second) << node->type;
  }
  EXPECT_EQ(types, std::set<int>({PJRT_Extension_Type_Profiler, PJRT_Extension_Type_Layouts,
                                  PJRT_Extension_Type_FFI, PJRT_Extension_Type_MemoryDescriptions,
                                  PJRT_Extension_Type_Shardings}));
  EXPECT_EQ(Extension(PJRT_Extension_Type_Layouts)->struct_size, sizeof(PJRT_Layouts_Extension));
  EXPECT_EQ(Extension(PJRT_Extension_Type_FFI)->struct_size, sizeof(PJRT_FFI_Extension));
  EXPECT_EQ(Extension(PJRT_Extension_Type_MemoryDescriptions)->struct_size,
            sizeof(PJRT_MemoryDescriptions_Extension));
  EXPECT_EQ(Extension(PJRT_Extension_Type_Shardings)->struct_size,
            sizeof(PJRT_Shardings_Extension));
}

const PJRT_Layouts_Extension& Layouts() {
  return *reinterpret_cast<const PJRT_Layouts_Extension*>(Extension(PJRT_Extension_Type_Layouts));
}

// The text of a layout.
std::string Serialized(PJRT_Layouts_MemoryLayout* layout) {
  const auto args = Do(Layouts().MemoryLayout_Serialize, {.layout = layout});
  std::string text = Text(args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_layout_deleter(args.serialized_layout);
  return text;
}
// The same of a layout that belongs to the caller.
std::string Taken(PJRT_Layouts_MemoryLayout* layout) {
  std::string text = Serialized(layout);
  Do(Layouts().MemoryLayout_Destroy, {.layout = layout});
  return text;
}

TEST(PjrtExtensions, Layouts) {
  const auto client = MakeClient();
  const i64 dims[] = {2, 3, 4};
  PJRT_TopologyDescription* topology =
      Do(Api().Client_TopologyDescription, {.client = client}).topology;
  for (const auto& [num_dims, expected] :
       {std::pair<size_t, std::string>{3, "{2,1,0}"}, {1, "{0}"}, {0, "{}"}}) {
    EXPECT_EQ(Taken(Do(Layouts().Client_GetDefaultLayout,
                       {.client = client, .type = 11, .dims = dims, .num_dims = num_dims})
                        .layout),
              expected);
    EXPECT_EQ(
        Taken(Do(Layouts().Topology_GetDefaultLayout,
                 {.topology_description = topology, .type = 11, .dims = dims, .num_dims = num_dims})
                  .layout),
        expected);
  }
  EXPECT_EQ(Error(Layouts().Client_GetDefaultLayout,
                  {.client = client, .type = 11, .dims = dims, .num_dims = size_t{1} << 60}),
            "INVALID_ARGUMENT: pjrt: an array has at most 256 dimensions, not "
            "1152921504606846976");
  const auto buffer = Put<float>(client, {1, 2}, {2, 1});
  EXPECT_EQ(Taken(Do(Layouts().Buffer_MemoryLayout, {.buffer = buffer}).layout), "{1,0}");
  EXPECT_EQ(Error(Layouts().Buffer_MemoryLayout, {}),
            "INVALID_ARGUMENT: pjrt extension: the object is null");
  EXPECT_EQ(Take(Layouts().Buffer_MemoryLayout(nullptr)),
            "INVALID_ARGUMENT: pjrt extension: null arguments");
}

constexpr std::string_view kOuter = R"(
module @outer {
  func.func @main(%a: tensor<2xf32>, %b: tensor<i32>) -> (tensor<2x2xf32>, tensor<i32>) {
    %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>
    return %0, %b : tensor<2x2xf32>, tensor<i32>
  }
})";

TEST(PjrtExtensions, LayoutsAndShardingsOfExecutables) {
  const auto client = MakeClient();
  const auto loaded = Compile(client, kOuter);
  const auto executable = ExecutableOf(loaded);
  // These layouts belong to the executable.
  const auto outputs = Do(Layouts().Executable_GetOutputLayouts, {.executable = executable});
  ASSERT_EQ(outputs.num_outputs, 2U);
  EXPECT_EQ(Serialized(outputs.layouts[0]), "{1,0}");
  EXPECT_EQ(Serialized(outputs.layouts[1]), "{}");
  const auto parameters = Do(Layouts().Executable_GetParameterLayouts, {.executable = executable});
  ASSERT_EQ(parameters.num_parameters, 2U);
  EXPECT_EQ(Serialized(parameters.layouts[0]), "{0}");
  EXPECT_EQ(Serialized(parameters.layouts[1]), "{}");

  const auto& shardings =
      *reinterpret_cast<const PJRT_Shardings_Extension*>(Extension(PJRT_Extension_Type_Shardings));
  const auto of_parameters =
      Do(shardings.Executable_ParameterShardings, {.executable = executable});
  EXPECT_EQ(of_parameters.num_parameters, 2U);
  EXPECT_EQ(of_parameters.shardings, nullptr);
  EXPECT_EQ(of_parameters.sharding_sizes, nullptr);
  const auto of_outputs = Do(shardings.Executable_OutputShardings, {.executable = executable});
  EXPECT_EQ(of_outputs.num_outputs, 2U);
  EXPECT_EQ(of_outputs.shardings, nullptr);
  EXPECT_EQ(of_outputs.sharding_sizes, nullptr);
}

TEST(PjrtExtensions, ShardingsOfPartitions) {
  const auto client = MakeClient(2);
  const auto loaded = Compile(client, R"(module @m attributes {mhlo.num_partitions = 2 : i32} {
      func.func @main(%x: tensor<4xf32> {mhlo.sharding = "{devices=[2]1,0}"}, %y: tensor<f32>)
          -> (tensor<4xf32>, tensor<f32> {mhlo.sharding = "{maximal device=1}"}) {
        %0 = stablehlo.negate %x : tensor<4xf32>
        return %0, %y : tensor<4xf32>, tensor<f32>
      }
    })",
                              Options{.partitions = 2}.Bytes());
  const auto executable = ExecutableOf(loaded);
  EXPECT_EQ(Do(Api().Executable_NumPartitions, {.executable = executable}).num_partitions, 2U);
  const auto& shardings =
      *reinterpret_cast<const PJRT_Shardings_Extension*>(Extension(PJRT_Extension_Type_Shardings));
  const auto parameters = Do(shardings.Executable_ParameterShardings, {.executable = executable});
  const auto outputs = Do(shardings.Executable_OutputShardings, {.executable = executable});
  ASSERT_EQ(parameters.num_parameters, 2U);
  ASSERT_EQ(outputs.num_outputs, 2U);
  // OpSharding: 1 the type (0 replicated, 1 maximal, 3 tiled), 3 the tiles, 4 the devices. A result
  // takes the sharding of what it is computed from.
  const std::string tiled("\x08\x03\x1A\x01\x02\x22\x02\x01\x00", 9);
  EXPECT_EQ(Text(parameters.shardings[0], parameters.sharding_sizes[0]), tiled);
  EXPECT_EQ(Text(outputs.shardings[0], outputs.sharding_sizes[0]), tiled);
  EXPECT_EQ(Text(parameters.shardings[1], parameters.sharding_sizes[1]), "");
  EXPECT_EQ(Text(outputs.shardings[1], outputs.sharding_sizes[1]),
            "\x08\x01\x1A\x01\x01\x22\x01\x01");
  // HLO may leave the number of partitions to the options.
  const auto hlo = LoadModule(R"(HloModule m
ENTRY e {
  ROOT x = f32[4] parameter(0), sharding={devices=[2]1,0}
})");
  ASSERT_TRUE(hlo.ok()) << hlo.status().ToString();
  const auto of_hlo =
      ExecutableOf(Compile(client, ModuleToProto(**hlo), Options{.partitions = 2}.Bytes(), "hlo"));
  const auto its = Do(shardings.Executable_OutputShardings, {.executable = of_hlo});
  EXPECT_EQ(Text(its.shardings[0], its.sharding_sizes[0]), tiled);
  // Sizes are those of a part.
  const auto dims = Do(Api().Executable_OutputDimensions, {.executable = executable});
  ASSERT_EQ(dims.num_outputs, 2U);
  EXPECT_EQ(dims.dims[0], 2);
}

TEST(PjrtExtensions, MemoryDescriptions) {
  const auto client = MakeClient();
  const auto& extension = *reinterpret_cast<const PJRT_MemoryDescriptions_Extension*>(
      Extension(PJRT_Extension_Type_MemoryDescriptions));
  PJRT_DeviceDescription* device =
      Do(Api().Device_GetDescription, {.device = DeviceAt(client, 0)}).device_description;
  const auto descriptions =
      Do(extension.DeviceDescription_MemoryDescriptions, {.device_description = device});
  ASSERT_EQ(descriptions.num_memory_descriptions, 1U);
  EXPECT_EQ(descriptions.default_memory_index, 0U);
  const auto kind = Do(extension.MemoryDescription_Kind,
                       {.memory_description = descriptions.memory_descriptions[0]});
  EXPECT_EQ(Text(kind.kind, kind.kind_size), "device");
  EXPECT_EQ(kind.kind_id, 0);
}

}  // namespace
}  // namespace axle::plugin
