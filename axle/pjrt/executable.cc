// Compilation, and what a client asks of an executable. Execution is in execute.cc.
#include <algorithm>

#include "axle/client/executable_file.h"
#include "axle/client/load.h"
#include "axle/client/save.h"
#include "axle/core/strings.h"
#include "axle/core/wire.h"
#include "axle/ir/module.h"
#include "axle/pjrt/ffi.h"
#include "axle/pjrt/handles.h"
#include "axle/pjrt/options.h"

namespace axle::pjrt {
namespace {

// The arrays that a program takes or gives: the elements of a tuple, or the one value.
std::vector<Shape> Flat(const Shape& shape) {
  return shape.is_tuple() ? shape.elements() : std::vector<Shape>{shape};
}

// HloModuleProtoWithConfig: field 1 is the module. What the config says is in the options too.
StatusOr<std::string_view> ModuleOf(std::string_view with_config) {
  std::optional<std::string_view> module;
  WireReader in(with_config, "hlo_with_config");
  AXLE_TRY(ReadFields(in, [&](const WireReader& field) -> Status {
    if (field.field() == 1) {
      AXLE_ASSIGN(module, field.Bytes());
    }
    return {};
  }));
  if (!module) return InvalidArgument("pjrt: the program \"hlo_with_config\" has no module");
  return *module;
}

StatusOr<std::shared_ptr<const Module>> ReadProgram(const PJRT_Program& program) {
  const std::string_view format = TextOf(program.format, program.format_size);
  std::string_view code = TextOf(program.code, program.code_size);
  LoadOptions options;
  if (format == "mlir") {
    options.format = InputFormat::kStablehlo;
  } else if (format == "hlo") {
    options.format = InputFormat::kHloProto;
  } else if (format == "hlo_with_config") {
    options.format = InputFormat::kHloProto;
    AXLE_ASSIGN(code, ModuleOf(code));
  } else {
    return InvalidArgument(StrCat("pjrt: the format of the program is \"", format,
                                  "\", must be \"mlir\", \"hlo\" or \"hlo_with_config\""));
  }
  AXLE_ASSIGN(std::unique_ptr<Module> module, LoadModule(code, options));
  return std::shared_ptr<const Module>(std::move(module));
}

// The ids of the devices that a program runs on.
StatusOr<std::vector<i64>> ChooseDevices(const ClientState& client, const ProgramOptions& options) {
  const i64 needed = options.num_replicas * options.num_partitions;
  const auto num_devices = static_cast<i64>(client.devices.size());
  if (needed > num_devices) {
    return InvalidArgument(
        StrCat("pjrt: the program is for ", needed, " devices, there are ", num_devices));
  }
  std::vector<i64> devices = options.devices;
  if (options.ordinal >= 0) {
    const auto num_own = static_cast<i64>(client.own_devices.size());
    if (options.ordinal >= num_own) {
      return InvalidArgument(StrCat("pjrt: the program is for device ", options.ordinal,
                                    ", there are ", num_own, " devices"));
    }
    devices = {client.own_devices[static_cast<size_t>(options.ordinal)]->description.id};
  }
  if (devices.empty()) return client.DefaultDevices(options.num_replicas, options.num_partitions);
  for (size_t i = 0; i < devices.size(); ++i) {
    if (devices[i] < 0 || devices[i] >= num_devices) {
      return InvalidArgument(StrCat("pjrt: the program is for device ", devices[i], ", there are ",
                                    num_devices, " devices"));
    }
  }
  return devices;
}

void AddLayouts(const std::vector<Shape>& shapes, ExecutableState& state,
                std::vector<PJRT_Layouts_MemoryLayout*>& layouts) {
  for (const Shape& shape : shapes) {
    state.layouts.push_back(
        std::make_unique<PJRT_Layouts_MemoryLayout>(RowMajorText(shape.rank())));
    layouts.push_back(state.layouts.back().get());
  }
}

// All that is asked about an executable, once.
void Describe(ExecutableState& state) {
  const ProgramShape& shape = state.executable->program_shape();
  const std::vector<Shape> outputs = Flat(shape.result);
  for (const Shape& output : outputs) {
    state.output_types.push_back(TypeNumber(output.type()));
    state.output_dims.insert(state.output_dims.end(), output.dims().begin(), output.dims().end());
    state.output_ranks.push_back(output.dims().size());
  }
  std::vector<Shape> parameters = shape.parameters;
  if (state.has_tupled_arguments) parameters = Flat(parameters[0]);
  state.num_parameters = parameters.size();
  state.output_memory_kinds.assign(outputs.size(), kMemoryKind.data());
  state.output_memory_kind_sizes.assign(outputs.size(), kMemoryKind.size());
  state.parameter_memory_kinds.assign(parameters.size(), kMemoryKind.data());
  state.parameter_memory_kind_sizes.assign(parameters.size(), kMemoryKind.size());
  for (const std::string& sharding : state.shardings.parameters) {
    state.parameter_shardings.push_back(sharding.data());
    state.parameter_sharding_sizes.push_back(sharding.size());
  }
  for (const std::string& sharding : state.shardings.results) {
    state.output_shardings.push_back(sharding.data());
    state.output_sharding_sizes.push_back(sharding.size());
  }
  AddLayouts(outputs, state, state.output_layouts);
  AddLayouts(parameters, state, state.parameter_layouts);

  const CostAnalysis cost = state.executable->cost_analysis();
  state.costs.Add("flops", static_cast<float>(cost.flops));
  state.costs.Add("bytes accessed", static_cast<float>(cost.bytes_accessed));
  state.memory = state.executable->memory_analysis();
  // Operations and bytes of a run that takes about as long as waking another thread.
  constexpr double kWorthAThread = 100'000;
  state.is_short = cost.is_complete && cost.flops + cost.bytes_accessed < kWorthAThread;
}

// What an executable is made of again.
struct SavedExecutable {
  std::string_view bytes;  // what Executable::Serialize gave
  ProgramShardings shardings;
};

// Makes the executable of a module: compiles it, or loads `compiled`. `code_fingerprint` tells
// programs apart.
StatusOr<std::shared_ptr<ExecutableState>> Build(const std::shared_ptr<ClientState>& client,
                                                 std::string_view option_bytes,
                                                 std::shared_ptr<const Module> module,
                                                 std::uint64_t code_fingerprint,
                                                 const SavedExecutable* compiled) {
  AXLE_ASSIGN(const ProgramOptions options, ReadProgramOptions(option_bytes));
  AXLE_ASSIGN(const std::vector<i64> devices, ChooseDevices(*client, options));
  auto state = std::make_shared<ExecutableState>();
  if (module->config().num_partitions != options.num_partitions) {
    // The options have the numbers of a program that does not say them itself.
    std::unique_ptr<Module> copy = module->Clone();
    copy->config().num_partitions = options.num_partitions;
    module = std::move(copy);
  }
  state->module = std::move(module);
  state->client = client;
  state->is_portable = options.is_portable;
  state->has_tupled_arguments = options.has_tupled_arguments;
  state->option_bytes = option_bytes;
  state->options.engine = options.engine;
  state->options.numerics = options.numerics;
  state->options.replicas = options.num_replicas;
  state->options.partitions = options.num_partitions;
  state->options.devices = devices;
  const auto& parameters = state->module->entry()->parameters();
  if (state->has_tupled_arguments &&
      (parameters.size() != 1 || !parameters[0]->shape().is_tuple())) {
    return InvalidArgument(
        "pjrt: parameter_is_tupled_arguments for a program whose parameter is not one tuple");
  }
  if (state->has_tupled_arguments && devices.size() > 1) {
    return Unimplemented(StrCat("pjrt: parameter_is_tupled_arguments for a program of ",
                                devices.size(), " devices"));
  }
  AXLE_ASSIGN(state->calls_user, RegisterHandlers(*state->module, *client));
  if (state->calls_user) state->call_sites = std::make_shared<FfiCallSites>();
  AXLE_ASSIGN(state->executable, compiled != nullptr
                                     ? client->client->Load(compiled->bytes, state->options)
                                     : client->client->Compile(state->module, state->options));
  if (compiled != nullptr) {
    state->shardings = compiled->shardings;
  } else {
    AXLE_ASSIGN(state->shardings, ShardingsOf(*state->module));
  }
  state->name = state->module->name();
  state->fingerprint =
      StrCat(client->platform_version, ";", code_fingerprint, ";", FingerprintOf(option_bytes));
  state->code_fingerprint = code_fingerprint;
  if (!options.is_portable) {
    state->device_assignment =
        WriteDeviceAssignment(options.num_replicas, options.num_partitions, devices);
  }
  state->num_devices = devices.size();
  for (size_t i = 0; i < devices.size(); ++i) {
    PJRT_Device* device = client->device_pointers[static_cast<size_t>(devices[i])];
    if (!device->is_addressable()) continue;
    state->devices.push_back(device);
    const auto partitions = static_cast<size_t>(options.num_partitions);
    state->logical_ids.push_back(
        {static_cast<int>(i / partitions), static_cast<int>(i % partitions)});
  }
  Describe(*state);
  return state;
}

}  // namespace

StatusOr<std::shared_ptr<Executable>> ExecutableState::For(const PJRT_Device& device) {
  const std::string compiled_for =
      devices.empty() ? "another process" : devices[0]->description.debug_string;
  if (device.description.debug_string == compiled_for) return executable;
  if (!is_portable) {
    return InvalidArgument(StrCat("pjrt: \"", name, "\" was compiled for ", compiled_for,
                                  ", not for ", device.description.debug_string));
  }
  const std::lock_guard lock(mutex);
  std::shared_ptr<Executable>& there = portable[&device];
  if (there == nullptr) {
    CompileOptions elsewhere = options;
    elsewhere.devices = {device.description.id};
    AXLE_ASSIGN(there, client->client->Compile(module, elsewhere));
  }
  return there;
}

Status Client_Compile(PJRT_Client_Compile_Args& args) {
  if (args.program == nullptr) return InvalidArgument("pjrt: the program is null");
  const std::string_view option_bytes = TextOf(args.compile_options, args.compile_options_size);
  // Before the program, since one for several devices has operations that one for one device has
  // not.
  AXLE_ASSIGN(const ProgramOptions options, ReadProgramOptions(option_bytes));
  AXLE_TRY(ChooseDevices(*args.client->state, options).status());
  AXLE_ASSIGN(std::shared_ptr<const Module> module, ReadProgram(*args.program));
  AXLE_ASSIGN(std::shared_ptr<ExecutableState> state,
              Build(args.client->state, option_bytes, std::move(module),
                    FingerprintOf(TextOf(args.program->code, args.program->code_size)),
                    /*compiled=*/nullptr));
  args.executable = new PJRT_LoadedExecutable{std::move(state)};
  return {};
}

// A message: 1 the compile options, 2 what Executable::Serialize gives, 3 the fingerprint of the
// program, 4 and 5 the shardings of its arguments and results, each if there are several
// partitions.
Status Executable_Serialize(PJRT_Executable_Serialize_Args& args) {
  const ExecutableState& state = *args.executable->state;
  AXLE_ASSIGN(const std::string compiled, state.executable->Serialize());
  WireWriter out;
  out.Bytes(1, state.option_bytes);
  out.Bytes(2, compiled);
  out.Int(3, static_cast<i64>(state.code_fingerprint));
  for (const std::string& sharding : state.shardings.parameters) out.Bytes(4, sharding);
  for (const std::string& sharding : state.shardings.results) out.Bytes(5, sharding);
  auto bytes = std::make_unique<std::string>(out.Take());
  args.serialized_bytes = bytes->data();
  args.serialized_bytes_size = bytes->size();
  args.serialized_executable_deleter = [](PJRT_SerializedExecutable* serialized) {
    delete reinterpret_cast<std::string*>(serialized);
  };
  args.serialized_executable = reinterpret_cast<PJRT_SerializedExecutable*>(bytes.release());
  return {};
}

Status Executable_DeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args& args) {
  std::string_view option_bytes;
  SavedExecutable compiled;
  i64 code_fingerprint = 0;
  WireReader in(TextOf(args.serialized_executable, args.serialized_executable_size),
                "serialized executable");
  AXLE_TRY(ReadFields(in, [&](const WireReader& field) -> Status {
    if (field.field() == 1) {
      AXLE_ASSIGN(option_bytes, field.Bytes());
    } else if (field.field() == 2) {
      AXLE_ASSIGN(compiled.bytes, field.Bytes());
    } else if (field.field() == 3) {
      AXLE_ASSIGN(code_fingerprint, field.Int());
    } else if (field.field() == 4 || field.field() == 5) {
      AXLE_ASSIGN(const std::string_view sharding, field.Bytes());
      ProgramShardings& all = compiled.shardings;
      (field.field() == 4 ? all.parameters : all.results).emplace_back(sharding);
    }
    return {};
  }));
  if (AXLE_PJRT_HAS(args, overridden_serialized_compile_options_size) &&
      args.overridden_serialized_compile_options != nullptr) {
    option_bytes = TextOf(args.overridden_serialized_compile_options,
                          args.overridden_serialized_compile_options_size);
  }
  AXLE_TRY(ReadExecutableFile(compiled.bytes)
               .status());  // damaged bytes are no program of another format
  AXLE_ASSIGN(std::unique_ptr<Module> module, LoadModule(compiled.bytes));
  AXLE_ASSIGN(std::shared_ptr<ExecutableState> state,
              Build(args.client->state, option_bytes, std::move(module),
                    static_cast<std::uint64_t>(code_fingerprint), &compiled));
  args.loaded_executable = new PJRT_LoadedExecutable{std::move(state)};
  return {};
}

Status Executable_Destroy(PJRT_Executable_Destroy_Args& args) {
  delete args.executable;
  return {};
}

Status LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args& args) {
  delete args.executable;
  return {};
}

Status LoadedExecutable_Delete(PJRT_LoadedExecutable_Delete_Args& args) {
  args.executable->is_deleted = true;
  return {};
}

Status LoadedExecutable_IsDeleted(PJRT_LoadedExecutable_IsDeleted_Args& args) {
  args.is_deleted = args.executable->is_deleted;
  return {};
}

Status LoadedExecutable_GetExecutable(PJRT_LoadedExecutable_GetExecutable_Args& args) {
  args.executable = new PJRT_Executable{args.loaded_executable->state};
  return {};
}

Status LoadedExecutable_AddressableDevices(PJRT_LoadedExecutable_AddressableDevices_Args& args) {
  args.addressable_devices = args.executable->state->devices.data();
  args.num_addressable_devices = args.executable->state->devices.size();
  return {};
}

Status LoadedExecutable_AddressableDeviceLogicalIds(
    PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args& args) {
  args.addressable_device_logical_ids = args.executable->state->logical_ids.data();
  args.num_addressable_device_logical_ids = args.executable->state->logical_ids.size();
  return {};
}

Status LoadedExecutable_GetDeviceAssignment(PJRT_LoadedExecutable_GetDeviceAssignment_Args& args) {
  args.serialized_bytes = args.executable->state->device_assignment.data();
  args.serialized_bytes_size = args.executable->state->device_assignment.size();
  // The bytes belong to the executable, which clients keep as long as they look at them.
  args.serialized_device_assignment = nullptr;
  args.serialized_device_assignment_deleter = [](PJRT_DeviceAssignmentSerialized*) {};
  return {};
}

Status LoadedExecutable_Fingerprint(PJRT_LoadedExecutable_Fingerprint_Args& args) {
  args.executable_fingerprint = args.executable->state->fingerprint.data();
  args.executable_fingerprint_size = args.executable->state->fingerprint.size();
  return {};
}

Status Executable_Fingerprint(PJRT_Executable_Fingerprint_Args& args) {
  args.executable_fingerprint = args.executable->state->fingerprint.data();
  args.executable_fingerprint_size = args.executable->state->fingerprint.size();
  return {};
}

Status Executable_Name(PJRT_Executable_Name_Args& args) {
  args.executable_name = args.executable->state->name.data();
  args.executable_name_size = args.executable->state->name.size();
  return {};
}

Status Executable_NumReplicas(PJRT_Executable_NumReplicas_Args& args) {
  args.num_replicas = static_cast<size_t>(args.executable->state->options.replicas);
  return {};
}

Status Executable_NumPartitions(PJRT_Executable_NumPartitions_Args& args) {
  args.num_partitions = static_cast<size_t>(args.executable->state->options.partitions);
  return {};
}

Status Executable_NumOutputs(PJRT_Executable_NumOutputs_Args& args) {
  args.num_outputs = args.executable->state->output_types.size();
  return {};
}

// 0: not known. Kernels are shared by executables.
Status Executable_SizeOfGeneratedCodeInBytes(
    PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args) {
  args.size_in_bytes = 0;
  return {};
}

Status Executable_GetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args& args) {
  args.properties = args.executable->state->costs.data();
  args.num_properties = args.executable->state->costs.size();
  return {};
}

Status Executable_OutputElementTypes(PJRT_Executable_OutputElementTypes_Args& args) {
  args.output_types = args.executable->state->output_types.data();
  args.num_output_types = args.executable->state->output_types.size();
  return {};
}

Status Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args& args) {
  args.num_outputs = args.executable->state->output_ranks.size();
  args.dims = args.executable->state->output_dims.data();
  args.dim_sizes = args.executable->state->output_ranks.data();
  return {};
}

Status Executable_OutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args& args) {
  args.num_outputs = args.executable->state->output_memory_kinds.size();
  args.memory_kinds = args.executable->state->output_memory_kinds.data();
  args.memory_kind_sizes = args.executable->state->output_memory_kind_sizes.data();
  return {};
}

Status Executable_ParameterMemoryKinds(PJRT_Executable_ParameterMemoryKinds_Args& args) {
  args.num_parameters = args.executable->state->parameter_memory_kinds.size();
  args.memory_kinds = args.executable->state->parameter_memory_kinds.data();
  args.memory_kind_sizes = args.executable->state->parameter_memory_kind_sizes.data();
  return {};
}

// The program that was compiled, as HloModuleProtoWithConfig: field 1 is the module, 2 the config,
// whose field 1 is the program shape, which is field 4 of the module. The first call asks for the
// size.
static StatusOr<std::string> WriteProgram(const Module& module) {
  const std::string proto = ModuleToProto(module);
  WireWriter config, program;
  WireReader in(proto, "hlo proto");
  AXLE_TRY(ReadFields(in, [&](const WireReader& field) -> Status {
    if (field.field() == 4) {
      AXLE_ASSIGN(const std::string_view shape, field.Bytes());
      config.Bytes(1, shape);
    }
    return {};
  }));
  config.Int(4, module.config().replica_count);
  config.Int(5, module.config().num_partitions);
  program.Bytes(1, proto);
  program.Message(2, config);
  return program.Take();
}

Status Executable_OptimizedProgram(PJRT_Executable_OptimizedProgram_Args& args) {
  if (args.program == nullptr) return InvalidArgument("pjrt: the program is null");
  AXLE_ASSIGN(const std::string program,
              WriteProgram(args.executable->state->executable->module()));
  static constexpr std::string_view kFormat = "hlo_with_config";
  args.program->format = kFormat.data();
  args.program->format_size = kFormat.size();
  if (args.program->code == nullptr) {
    args.program->code_size = program.size();
    return {};
  }
  if (args.program->code_size < program.size()) {
    return InvalidArgument(StrCat("pjrt: the program takes ", program.size(),
                                  " bytes, there is room for ", args.program->code_size));
  }
  args.program->code_size = program.size();
  std::ranges::copy(program, args.program->code);
  return {};
}

Status Executable_GetCompileOptions(PJRT_Executable_GetCompileOptions_Args& args) {
  args.serialized_bytes = args.executable->state->option_bytes.data();
  args.serialized_bytes_size = args.executable->state->option_bytes.size();
  args.serialized_compile_options = nullptr;
  args.serialized_compile_options_deleter = [](PJRT_SerializedCompileOptions*) {};
  return {};
}

// Sizes of values; the constants count as temporary memory, as they are part of no argument.
Status Executable_GetCompiledMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args& args) {
  const MemoryAnalysis& memory = args.executable->state->memory;
  const i64 temporary = memory.peak_temporary_bytes + memory.constant_bytes;
  const i64 peak = memory.argument_bytes + memory.result_bytes - memory.alias_bytes + temporary;
  args.generated_code_size_in_bytes = 0;
  args.argument_size_in_bytes = memory.argument_bytes;
  args.output_size_in_bytes = memory.result_bytes;
  args.alias_size_in_bytes = memory.alias_bytes;
  args.temp_size_in_bytes = temporary;
  args.host_generated_code_size_in_bytes = 0;
  args.host_argument_size_in_bytes = 0;
  args.host_output_size_in_bytes = 0;
  args.host_alias_size_in_bytes = 0;
  args.host_temp_size_in_bytes = 0;
  if (AXLE_PJRT_HAS(args, peak_memory_in_bytes)) args.peak_memory_in_bytes = peak;
  if (AXLE_PJRT_HAS(args, total_size_in_bytes)) args.total_size_in_bytes = peak;
  if (AXLE_PJRT_HAS(args, total_allocation_bytes)) args.total_allocation_bytes = peak;
  if (AXLE_PJRT_HAS(args, indefinite_allocations)) args.indefinite_allocations = 0;
  if (AXLE_PJRT_HAS(args, peak_unpadded_heap_bytes)) args.peak_unpadded_heap_bytes = peak;
  return {};
}

}  // namespace axle::pjrt
