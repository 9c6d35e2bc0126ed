// Compilation, its options, and what can be asked about an executable.
#include <cstddef>
#include <cstring>
#include <map>

#include "axle/client/load.h"
#include "axle/client/save.h"
#include "axle/core/wire.h"
#include "tests/pjrt/plugin.h"

namespace axle::plugin {
namespace {

constexpr std::string_view kHlo = R"(HloModule sum
ENTRY main {
  a = f32[3] parameter(0)
  b = f32[3] parameter(1)
  ROOT r = f32[3] add(a, b)
})";

std::string Proto(std::string_view text) {
  return ModuleToProto(**LoadModule(text));
}

// The sum of 1, 2, 3 and 10, 20, 30.
std::vector<float> Sum(PJRT_Client* client, PJRT_LoadedExecutable* executable) {
  const auto a = Put<float>(client, {1, 2, 3}, {3});
  const auto b = Put<float>(client, {10, 20, 30}, {3});
  const Outcome outcome = Execute(executable, {a, b});
  EXPECT_EQ(outcome.error, "OK");
  if (outcome.results.size() != 1) return {};
  return Get<float>(outcome.results[0]);
}

TEST(PjrtCompile, AllFormats) {
  const auto client = MakeClient();
  const std::vector<float> expected = {11, 22, 33};
  const std::string options = Options().Bytes();
  EXPECT_EQ(Sum(client, Compile(client, kAdd, options, "mlir")), expected);
  const std::string bytecode = *ModuleToStablehlo(**LoadModule(kHlo), {.bytecode = true});
  EXPECT_EQ(bytecode.substr(0, 2), "ML");
  EXPECT_EQ(Sum(client, Compile(client, bytecode, options, "mlir")), expected);
  EXPECT_EQ(Sum(client, Compile(client, Proto(kHlo), options, "hlo")), expected);
  WireWriter with_config;
  with_config.Bytes(1, Proto(kHlo));
  with_config.Bytes(2, "");
  EXPECT_EQ(Sum(client, Compile(client, with_config.bytes(), options, "hlo_with_config")),
            expected);

  EXPECT_EQ(CompileError(client, kAdd, options, "ptx"),
            "INVALID_ARGUMENT: pjrt: the format of the program is \"ptx\", must be \"mlir\", "
            "\"hlo\" or \"hlo_with_config\"");
  EXPECT_EQ(CompileError(client, kAdd, options, ""),
            "INVALID_ARGUMENT: pjrt: the format of the program is \"\", must be \"mlir\", "
            "\"hlo\" or \"hlo_with_config\"");
  EXPECT_EQ(CompileError(client, "", options, "hlo_with_config"),
            "INVALID_ARGUMENT: pjrt: the program \"hlo_with_config\" has no module");
  EXPECT_EQ(Error(Api().Client_Compile, {.client = client}),
            "INVALID_ARGUMENT: pjrt: the program is null");
}

TEST(PjrtCompile, DamagedPrograms) {
  const auto client = MakeClient();
  const std::string options = Options().Bytes();
  EXPECT_EQ(CompileError(client, "", options, "mlir"),
            "INVALID_ARGUMENT: stablehlo: the module has no function; in builtin.module (operation "
            "0)");
  EXPECT_EQ(CompileError(client, "module {", options, "mlir"),
            "INVALID_ARGUMENT: stablehlo 1:9: expected an operation before the end of the text\n"
            "module {\n        ^");
  EXPECT_EQ(CompileError(client, "", options, "hlo"),
            "INVALID_ARGUMENT: hlo proto: byte 0: the module has no computation");
  EXPECT_EQ(CompileError(client, "\xFF\xFF", options, "hlo"),
            "INVALID_ARGUMENT: hlo proto: byte 0: the tag of a field is cut off");
  EXPECT_EQ(
      CompileError(client, "\x0A\x7F", options, "hlo_with_config"),
      "INVALID_ARGUMENT: hlo_with_config: byte 0, field 1: has 127 bytes but only 0 are left");
  // Programs that end early.
  const std::string proto = Proto(kHlo);
  for (size_t size = 0; size < proto.size(); size += 7) {
    EXPECT_NE(CompileError(client, proto.substr(0, size), options, "hlo"), "OK") << size;
  }
  const std::string bytecode = *ModuleToStablehlo(**LoadModule(kHlo), {.bytecode = true});
  for (size_t size = 0; size < bytecode.size(); size += 7) {
    EXPECT_NE(CompileError(client, bytecode.substr(0, size), options), "OK") << size;
  }
  // A node of the profiler comes with every compilation of jaxlib.
  PJRT_Extension_Base profiler = {sizeof(profiler), PJRT_Extension_Type_Profiler, nullptr};
  const PJRT_Program program = {.struct_size = sizeof(program),
                                .code = const_cast<char*>(kAdd.data()),
                                .code_size = kAdd.size(),
                                .format = "mlir",
                                .format_size = 4};
  const Own<PJRT_LoadedExecutable> executable(
      Do(Api().Client_Compile,
         {.extension_start = &profiler, .client = client, .program = &program})
          .executable);
  EXPECT_EQ(Sum(client, executable), std::vector<float>({11, 22, 33}));
}

// Message `field` of a message whose field has a number.
std::string Build(int field, i64 number) {
  WireWriter build, out;
  build.ExplicitInt(field, number);
  out.Message(3, build);
  return out.Take();
}

TEST(PjrtCompile, Options) {
  const auto client = MakeClient(2);
  const auto error = [&](const std::string& options) {
    return CompileError(client, kAdd, options);
  };
  EXPECT_EQ(error(""), "OK");
  EXPECT_EQ(error(Build(4, 0)), "OK");  // as if it were not there
  EXPECT_EQ(error("\xFF"),
            "INVALID_ARGUMENT: compile options: byte 0: the tag of a field is cut off");
  EXPECT_EQ(error("\x1A\x05\x20"),
            "INVALID_ARGUMENT: compile options: byte 0, field 3: has 5 bytes but only 1 are left");
  EXPECT_EQ(error(Build(4, -1)), "INVALID_ARGUMENT: compile options: -1 replicas and 1 partitions");
  EXPECT_EQ(error(Build(5, -2)), "INVALID_ARGUMENT: compile options: 1 replicas and -2 partitions");
  // Numbers whose product has more than 63 bits, and one that is merely large.
  constexpr i64 kLarge = i64{1} << 40;
  EXPECT_EQ(error(Options{.replicas = kLarge, .partitions = kLarge, .ordinal = 0}.Bytes()),
            "INVALID_ARGUMENT: compile options: 1099511627776 replicas and 1099511627776 "
            "partitions");
  EXPECT_EQ(error(Options{.replicas = kLarge}.Bytes()),
            "INVALID_ARGUMENT: pjrt: the program is for 1099511627776 devices, there are 2");
  EXPECT_EQ(error(Options{.replicas = 3}.Bytes()),
            "INVALID_ARGUMENT: pjrt: the program is for 3 devices, there are 2");
  EXPECT_EQ(error(Options{.partitions = 2}.Bytes()), "OK");
  EXPECT_EQ(error(Options{.partitions = 3}.Bytes()),
            "INVALID_ARGUMENT: pjrt: the program is for 3 devices, there are 2");
  EXPECT_EQ(error(Options{.replicas = 2, .is_portable = true}.Bytes()),
            "INVALID_ARGUMENT: compile options: a portable program runs on one device, not on 2");
}

TEST(PjrtCompile, DeviceAssignments) {
  const auto client = MakeClient(3);
  const auto error = [&](i64 replicas, const std::vector<std::vector<i64>>& assignment) {
    return CompileError(client, kAdd,
                        Options{.replicas = replicas, .assignment = assignment}.Bytes());
  };
  EXPECT_EQ(error(1, {{2}}), "OK");
  EXPECT_EQ(error(2, {{0, 1}}), "OK");
  EXPECT_EQ(error(1, {{3}}),
            "INVALID_ARGUMENT: pjrt: the program is for device 3, there are 3 devices");
  EXPECT_EQ(error(1, {{-1}}),
            "INVALID_ARGUMENT: pjrt: the program is for device -1, there are 3 devices");
  EXPECT_EQ(error(2, {{2, 1}}), "OK");
  EXPECT_EQ(error(2, {{2, 2}}), "INVALID_ARGUMENT: compile: device 2 is listed twice");
  EXPECT_EQ(error(1, {{0, 1}}),
            "INVALID_ARGUMENT: compile options: the device assignment names 2 devices for 1 "
            "replicas and 1 partitions");
  EXPECT_EQ(error(2, {{0, 1}, {2}}),
            "INVALID_ARGUMENT: compile options: the device assignment does not name 2 * 2 devices");
  // Many replicas of no partition.
  WireWriter assignment, build, out;
  assignment.Int(1, i64{1} << 62);
  build.Message(9, assignment);
  out.Message(3, build);
  EXPECT_EQ(CompileError(client, kAdd, out.bytes()),
            "INVALID_ARGUMENT: compile options: the device assignment does not name "
            "4611686018427387904 * 0 devices");
}

TEST(PjrtCompile, UserOptions) {
  const auto client = MakeClient();
  const auto error = [&](const std::string& name, const std::string& value) {
    return CompileError(client, kAdd, Options{.user = {{name, value}}}.Bytes());
  };
  EXPECT_EQ(error("axle_numerics", "fast"), "OK");
  EXPECT_EQ(error("axle_engine", "interpret"), "OK");
  EXPECT_EQ(error("xla_cpu_enable_fast_math", "True"), "OK");
  EXPECT_EQ(error("x", "1"), "INVALID_ARGUMENT: No such compile option: 'x'");
  EXPECT_EQ(error("axle_numerics", "loose"),
            "INVALID_ARGUMENT: compile options: axle_numerics is \"loose\", must be \"strict\" or "
            "\"fast\"");
  EXPECT_EQ(error("axle_engine", ""),
            "INVALID_ARGUMENT: compile options: axle_engine is nothing, must be \"native\" or "
            "\"interpret\"");
}

// A value has a type: JAX passes numbers of Python as numbers.
TEST(PjrtCompile, TypesOfUserOptions) {
  const auto client = MakeClient();
  // An OptionOverrideProto: 1 a text, 2 a bool, 3 an integer, 4 a float.
  const auto error = [&](std::string_view name, const std::function<void(WireWriter&)>& set) {
    WireWriter value, entry, out;
    set(value);
    entry.Bytes(1, name);
    entry.Bytes(2, value.bytes().empty() ? "\x10" + std::string(1, '\0') : value.bytes());  // false
    out.Message(7, entry);
    return CompileError(client, kAdd, out.bytes());
  };
  const auto text = [](std::string_view value) {
    return [value](WireWriter& out) { out.Bytes(1, value); };
  };
  const auto flag = [](bool value) { return [value](WireWriter& out) { out.Int(2, value); }; };
  const auto integer = [](i64 value) { return [value](WireWriter& out) { out.Int(3, value); }; };
  const auto number = [](double value) {
    return [value](WireWriter& out) { out.Double(4, value); };
  };
  EXPECT_EQ(error("axle_engine", integer(3)),
            "INVALID_ARGUMENT: compile options: axle_engine is 3, must be \"native\" or "
            "\"interpret\"");
  EXPECT_EQ(error("axle_numerics", flag(true)),
            "INVALID_ARGUMENT: compile options: axle_numerics is True, must be \"strict\" or "
            "\"fast\"");
  EXPECT_EQ(error("axle_engine", number(1.5)),
            "INVALID_ARGUMENT: compile options: axle_engine is 1.5, must be \"native\" or "
            "\"interpret\"");
  // Options of XLA have types too, though they have no effect.
  constexpr std::string_view kFlag = "xla_embed_ir_in_executable";
  EXPECT_EQ(error(kFlag, flag(false)), "OK");
  EXPECT_EQ(error(kFlag, text("False")), "OK");
  EXPECT_EQ(error(kFlag, text("false")),
            "INVALID_ARGUMENT: While setting option xla_embed_ir_in_executable, 'false' is not a "
            "valid bool value.");
  EXPECT_EQ(error(kFlag, integer(1)),
            "INVALID_ARGUMENT: While setting option xla_embed_ir_in_executable, '1' is not a valid "
            "bool value.");
  EXPECT_EQ(error("xla_dump_max_hlo_modules", integer(-3)), "OK");
  EXPECT_EQ(error("xla_dump_max_hlo_modules", text("200")), "OK");
  EXPECT_EQ(
      error("xla_dump_max_hlo_modules", integer(i64{1} << 31)),
      "INVALID_ARGUMENT: While setting option xla_dump_max_hlo_modules, '2147483648' is not a "
      "valid int32 value.");
  EXPECT_EQ(error("xla_dump_max_hlo_modules", number(1.5)),
            "INVALID_ARGUMENT: While setting option xla_dump_max_hlo_modules, '1.5' is not a valid "
            "int32 value.");
  EXPECT_EQ(error("xla_dump_to", integer(1)),
            "INVALID_ARGUMENT: While setting option xla_dump_to, '1' is not a valid string value.");
  EXPECT_EQ(error("xla_of_another_version", integer(1)), "OK");
}

constexpr std::string_view kTwoResults = R"(
module @jit_two {
  func.func @main(%a: tensor<2x3xf32>, %b: tensor<i32>) -> (tensor<3x2xf32>, tensor<i32>) {
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %1 = stablehlo.add %b, %b : tensor<i32>
    return %0, %1 : tensor<3x2xf32>, tensor<i32>
  }
})";

TEST(PjrtExecutable, Descriptions) {
  const auto client = MakeClient();
  const auto loaded = Compile(client, kTwoResults);
  const auto executable = ExecutableOf(loaded);
  const auto name = Do(Api().Executable_Name, {.executable = executable});
  EXPECT_EQ(Text(name.executable_name, name.executable_name_size), "jit_two");
  EXPECT_EQ(Do(Api().Executable_NumReplicas, {.executable = executable}).num_replicas, 1U);
  EXPECT_EQ(Do(Api().Executable_NumPartitions, {.executable = executable}).num_partitions, 1U);
  EXPECT_EQ(Do(Api().Executable_NumOutputs, {.executable = executable}).num_outputs, 2U);
  EXPECT_EQ(
      Do(Api().Executable_SizeOfGeneratedCodeInBytes, {.executable = executable}).size_in_bytes, 0);
  const auto types = Do(Api().Executable_OutputElementTypes, {.executable = executable});
  EXPECT_EQ(std::vector<PJRT_Buffer_Type>(types.output_types,
                                          types.output_types + types.num_output_types),
            std::vector<PJRT_Buffer_Type>({kTypeOf<float>, kTypeOf<std::int32_t>}));
  const auto dims = Do(Api().Executable_OutputDimensions, {.executable = executable});
  EXPECT_EQ(std::vector<size_t>(dims.dim_sizes, dims.dim_sizes + dims.num_outputs),
            std::vector<size_t>({2, 0}));
  EXPECT_EQ(std::vector<i64>(dims.dims, dims.dims + 2), std::vector<i64>({3, 2}));
  const auto kinds = Do(Api().Executable_OutputMemoryKinds, {.executable = executable});
  ASSERT_EQ(kinds.num_outputs, 2U);
  const auto parameter_kinds =
      Do(Api().Executable_ParameterMemoryKinds, {.executable = executable});
  ASSERT_EQ(parameter_kinds.num_parameters, 2U);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(Text(kinds.memory_kinds[i], kinds.memory_kind_sizes[i]), "device");
    EXPECT_EQ(Text(parameter_kinds.memory_kinds[i], parameter_kinds.memory_kind_sizes[i]),
              "device");
  }
}

TEST(PjrtExecutable, Fingerprints) {
  const auto client = MakeClient();
  const auto of = [](PJRT_LoadedExecutable* loaded) {
    const auto args = Do(Api().Executable_Fingerprint, {.executable = ExecutableOf(loaded)});
    const auto same = Do(Api().LoadedExecutable_Fingerprint, {.executable = loaded});
    EXPECT_EQ(Text(same.executable_fingerprint, same.executable_fingerprint_size),
              Text(args.executable_fingerprint, args.executable_fingerprint_size));
    return Text(args.executable_fingerprint, args.executable_fingerprint_size);
  };
  const std::string fingerprint = of(Compile(client, kAdd));
  EXPECT_EQ(of(Compile(MakeClient(), kAdd)), fingerprint);
  EXPECT_NE(of(Compile(client, kTwoResults)), fingerprint);
  EXPECT_NE(of(Compile(client, kAdd, Options{.is_portable = true}.Bytes())), fingerprint);
}

TEST(PjrtExecutable, CostAnalysis) {
  const auto client = MakeClient();
  const auto loaded = Compile(client, kAdd);
  const auto args = Do(Api().Executable_GetCostAnalysis, {.executable = ExecutableOf(loaded)});
  std::map<std::string, float> costs;
  for (size_t i = 0; i < args.num_properties; ++i) {
    const PJRT_NamedValue& value = args.properties[i];
    EXPECT_EQ(value.type, PJRT_NamedValue_kFloat);
    costs[Text(value.name, value.name_size)] = value.float_value;
  }
  EXPECT_EQ(costs, (std::map<std::string, float>{{"flops", 3}, {"bytes accessed", 36}}));
}

TEST(PjrtExecutable, MemoryStatsOfAllSizes) {
  using Args = PJRT_Executable_GetCompiledMemoryStats_Args;
  const auto client = MakeClient();
  const auto loaded = Compile(client, kAdd);
  const auto executable = ExecutableOf(loaded);
  for (const size_t size :
       {offsetof(Args, peak_memory_in_bytes), offsetof(Args, total_size_in_bytes),
        offsetof(Args, total_allocation_bytes), offsetof(Args, indefinite_allocations),
        offsetof(Args, peak_unpadded_heap_bytes), sizeof(Args)}) {
    Args args;
    std::memset(static_cast<void*>(&args), 0xA5, sizeof(args));
    args.struct_size = size;
    args.extension_start = nullptr;
    args.executable = executable;
    ASSERT_EQ(Take(Api().Executable_GetCompiledMemoryStats(&args)), "OK");
    EXPECT_EQ(args.argument_size_in_bytes, 24);
    EXPECT_EQ(args.output_size_in_bytes, 12);
    EXPECT_EQ(args.alias_size_in_bytes, 0);
    EXPECT_EQ(args.temp_size_in_bytes, 0);
    EXPECT_EQ(args.generated_code_size_in_bytes, 0);
    EXPECT_EQ(args.host_argument_size_in_bytes, 0);
    EXPECT_EQ(args.host_temp_size_in_bytes, 0);
    const auto* bytes = reinterpret_cast<const unsigned char*>(&args);
    for (size_t i = size; i < sizeof(args); ++i) EXPECT_EQ(bytes[i], 0xA5) << i << " of " << size;
    if (size == sizeof(args)) {
      EXPECT_EQ(args.peak_memory_in_bytes, 36);
      EXPECT_EQ(args.total_size_in_bytes, 36);
      EXPECT_EQ(args.total_allocation_bytes, 36);
      EXPECT_EQ(args.indefinite_allocations, 0);
      EXPECT_EQ(args.peak_unpadded_heap_bytes, 36);
    }
  }
}

std::string AssignmentOf(PJRT_LoadedExecutable* loaded) {
  const auto args = Do(Api().LoadedExecutable_GetDeviceAssignment, {.executable = loaded});
  std::string bytes = Text(args.serialized_bytes, args.serialized_bytes_size);
  args.serialized_device_assignment_deleter(args.serialized_device_assignment);
  return bytes;
}

TEST(PjrtExecutable, DevicesAndOptions) {
  const auto client = MakeClient(3);
  const std::string options = Options{.replicas = 2}.Bytes();
  const auto loaded = Compile(client, kAdd, options);
  const auto devices = Do(Api().LoadedExecutable_AddressableDevices, {.executable = loaded});
  ASSERT_EQ(devices.num_addressable_devices, 2U);
  const auto ids = Do(Api().LoadedExecutable_AddressableDeviceLogicalIds, {.executable = loaded});
  ASSERT_EQ(ids.num_addressable_device_logical_ids, 2U);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(devices.addressable_devices[i], DeviceAt(client, static_cast<size_t>(i)));
    EXPECT_EQ(ids.addressable_device_logical_ids[i].replica, i);
    EXPECT_EQ(ids.addressable_device_logical_ids[i].partition, 0);
  }
  const auto executable = ExecutableOf(loaded);
  EXPECT_EQ(Do(Api().Executable_NumReplicas, {.executable = executable}).num_replicas, 2U);
  // replica_count 2, computation_count 1, one computation with the devices 0 and 1
  EXPECT_EQ(AssignmentOf(loaded), std::string("\x08\x02\x10\x01\x1A\x04\x0A\x02\x00\x01", 10));
  const auto bytes = Do(Api().Executable_GetCompileOptions, {.executable = executable});
  EXPECT_EQ(Text(bytes.serialized_bytes, bytes.serialized_bytes_size), options);
  bytes.serialized_compile_options_deleter(bytes.serialized_compile_options);

  // By the ordinal, and by an assignment of one device.
  const Options by_ordinal = {.ordinal = 2}, by_assignment = {.assignment = {{2}}};
  for (const Options& one : {by_ordinal, by_assignment}) {
    const auto on_two = Compile(client, kAdd, one.Bytes());
    const auto its = Do(Api().LoadedExecutable_AddressableDevices, {.executable = on_two});
    ASSERT_EQ(its.num_addressable_devices, 1U);
    EXPECT_EQ(its.addressable_devices[0], DeviceAt(client, 2));
    EXPECT_EQ(AssignmentOf(on_two), std::string("\x08\x01\x10\x01\x1A\x03\x0A\x01\x02", 9));
  }
  EXPECT_EQ(AssignmentOf(Compile(client, kAdd, Options{.is_portable = true}.Bytes())), "");
}

TEST(PjrtExecutable, OptimizedProgram) {
  const auto client = MakeClient();
  const auto loaded = Compile(client, kAdd);
  const auto executable = ExecutableOf(loaded);
  EXPECT_EQ(Error(Api().Executable_OptimizedProgram, {.executable = executable}),
            "INVALID_ARGUMENT: pjrt: the program is null");
  PJRT_Program program = {.struct_size = sizeof(program)};
  Do(Api().Executable_OptimizedProgram, {.executable = executable, .program = &program});
  EXPECT_EQ(Text(program.format, program.format_size), "hlo_with_config");
  std::string code(program.code_size, '\0');
  ASSERT_GT(code.size(), 0U);
  program.code = code.data();
  program.code_size = code.size() - 1;
  EXPECT_EQ(
      Error(Api().Executable_OptimizedProgram, {.executable = executable, .program = &program}),
      "INVALID_ARGUMENT: pjrt: the program takes " + std::to_string(code.size()) +
          " bytes, there is room for " + std::to_string(code.size() - 1));
  program.code_size = code.size();
  Do(Api().Executable_OptimizedProgram, {.executable = executable, .program = &program});
  EXPECT_EQ(program.code_size, code.size());
  // What comes out can be compiled.
  EXPECT_EQ(Sum(client, Compile(client, code, Options().Bytes(), "hlo_with_config")),
            std::vector<float>({11, 22, 33}));
}

// What is saved runs again, with other options if they are given.
TEST(PjrtExecutable, SaveAndLoad) {
  using Load = PJRT_Executable_DeserializeAndLoad_Args;
  const auto client = MakeClient(2);
  const auto loaded = Compile(client, kAdd);
  const auto executable = ExecutableOf(loaded);
  const auto saved = Do(Api().Executable_Serialize, {.executable = executable});
  const std::string bytes = Text(saved.serialized_bytes, saved.serialized_bytes_size);
  saved.serialized_executable_deleter(saved.serialized_executable);
  Load load = {.client = client,
               .serialized_executable = bytes.data(),
               .serialized_executable_size = bytes.size()};
  const Own<PJRT_LoadedExecutable> again(
      Do(Api().Executable_DeserializeAndLoad, load).loaded_executable);
  EXPECT_EQ(Sum(client, again), std::vector<float>({11, 22, 33}));
  const auto fingerprint = [](PJRT_LoadedExecutable* of) {
    const auto args = Do(Api().LoadedExecutable_Fingerprint, {.executable = of});
    return Text(args.executable_fingerprint, args.executable_fingerprint_size);
  };
  EXPECT_EQ(fingerprint(again), fingerprint(loaded));
  // Other options, which the structs of older clients have no members for.
  const std::string options = Options{.ordinal = 1}.Bytes();
  load.overridden_serialized_compile_options = options.data();
  load.overridden_serialized_compile_options_size = options.size();
  const Own<PJRT_LoadedExecutable> elsewhere(
      Do(Api().Executable_DeserializeAndLoad, load).loaded_executable);
  const auto device = [](PJRT_LoadedExecutable* of) {
    return Do(Api().LoadedExecutable_AddressableDevices, {.executable = of}).addressable_devices[0];
  };
  EXPECT_EQ(device(elsewhere), DeviceAt(client, 1));
  load.struct_size = offsetof(Load, overridden_serialized_compile_options);
  EXPECT_EQ(Take(Api().Executable_DeserializeAndLoad(&load)), "OK");
  const Own<PJRT_LoadedExecutable> by_an_old_client(load.loaded_executable);
  EXPECT_EQ(device(by_an_old_client), DeviceAt(client, 0));

  const auto error = [&](const std::string& damaged) {
    return Error(Api().Executable_DeserializeAndLoad,
                 {.client = client,
                  .serialized_executable = damaged.data(),
                  .serialized_executable_size = damaged.size()});
  };
  EXPECT_EQ(error(""),
            "INVALID_ARGUMENT: compiled program: the bytes are not a file of a compiled program");
  std::string damaged = bytes;
  damaged[bytes.size() / 2] ^= 0x10;
  EXPECT_EQ(error(damaged),
            "DATA_LOSS: compiled program: the file is damaged: its checksum is wrong");
  for (size_t size = 1; size < bytes.size(); size += bytes.size() / 50) {
    EXPECT_NE(error(bytes.substr(0, size)), "OK") << size;
  }
}

TEST(PjrtExecutable, Deletion) {
  const auto client = MakeClient();
  const auto loaded = Compile(client, kAdd);
  EXPECT_FALSE(Do(Api().LoadedExecutable_IsDeleted, {.executable = loaded}).is_deleted);
  Do(Api().LoadedExecutable_Delete, {.executable = loaded});
  Do(Api().LoadedExecutable_Delete, {.executable = loaded});
  EXPECT_TRUE(Do(Api().LoadedExecutable_IsDeleted, {.executable = loaded}).is_deleted);
  const auto x = Put<float>(client, {1, 2, 3}, {3});
  EXPECT_EQ(Execute(loaded, {x, x}).error,
            "FAILED_PRECONDITION: pjrt: the executable \"add\" is deleted");
  EXPECT_EQ(Do(Api().Executable_NumOutputs, {.executable = ExecutableOf(loaded)}).num_outputs, 1U);
}

// PJRT's numbers of element types, which are not XLA's.
TEST(PjrtExecutable, NumbersOfElementTypes) {
  const char* names[] = {"pred",   "s8",       "s16",           "s32",        "s64",
                         "u8",     "u16",      "u32",           "u64",        "f16",
                         "f32",    "f64",      "bf16",          "c64",        "c128",
                         "f8e5m2", "f8e4m3fn", "f8e4m3b11fnuz", "f8e5m2fnuz", "f8e4m3fnuz",
                         "s4",     "u4",       "token",         "s2",         "u2",
                         "f8e4m3", "f8e3m4",   "f8e8m0fnu",     "f4e2m1fn",   "s1",
                         "u1",     "f6e2m3fn", "f6e3m2fn"};
  const auto client = MakeClient();
  PJRT_Buffer_Type number = 0;
  for (const char* name : names) {
    ++number;
    const auto loaded = Compile(
        client, Proto("HloModule m\nENTRY e { ROOT p = " + std::string(name) + "[] parameter(0) }"),
        Options().Bytes(), "hlo");
    const auto types =
        Do(Api().Executable_OutputElementTypes, {.executable = ExecutableOf(loaded)});
    EXPECT_EQ(types.output_types[0], number) << name;
  }
  EXPECT_EQ(number, 33);
}

// Programs that have no parameters, no results, tokens, tuples in tuples.
TEST(PjrtExecutable, UnusualSignatures) {
  const auto client = MakeClient();
  const auto describe = [&](std::string_view hlo) {
    const auto loaded = Compile(client, Proto(hlo), Options().Bytes(), "hlo");
    const auto executable = ExecutableOf(loaded);
    const auto types = Do(Api().Executable_OutputElementTypes, {.executable = executable});
    const auto outcome = Execute(loaded, {});
    EXPECT_EQ(outcome.error, "OK");
    std::string text;
    for (size_t i = 0; i < types.num_output_types; ++i) {
      text += (i == 0 ? "" : " ") + std::to_string(types.output_types[i]);
    }
    for (const auto& result : outcome.results) EXPECT_EQ(Ready(result), "OK");
    return text;
  };
  EXPECT_EQ(describe("HloModule m\nENTRY e { ROOT r = () tuple() }"), "");
  EXPECT_EQ(describe("HloModule m\nENTRY e { ROOT r = s32[] constant(1) }"), "4");
  EXPECT_EQ(describe("HloModule m\nENTRY e { t = token[] after-all() c = pred[2] "
                     "constant({1, 0}) ROOT r = (token[], pred[2]) tuple(t, c) }"),
            "23 1");
  EXPECT_EQ(describe("HloModule m\nENTRY e { c = s32[] constant(1) t = (s32[], s32[]) tuple(c, c) "
                     "ROOT r = ((s32[], s32[]), s32[]) tuple(t, c) }"),
            "0 4");
}

}  // namespace
}  // namespace axle::plugin
