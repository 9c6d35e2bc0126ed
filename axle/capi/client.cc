#include "axle/client/client.h"

#include "axle/capi/handles.h"

namespace axle {
namespace {

StatusOr<ClientOptions> ReadOptions(const char* function, const axle_client_options* options) {
  AXLE_ASSIGN(const axle_client_options fields, ReadStruct(function, options));
  if (fields.num_devices < 0 || fields.num_threads < 0 || fields.num_threads > INT32_MAX ||
      fields.memory_limit < 0) {
    return InvalidArgument(StrCat(function, ": num_devices is ", fields.num_devices,
                                  ", num_threads ", fields.num_threads, " and memory_limit ",
                                  fields.memory_limit, ", must be >= 0"));
  }
  ClientOptions read = {.num_threads = static_cast<int>(fields.num_threads)};
  if (fields.codegen_library != nullptr) read.codegen_library = fields.codegen_library;
  if (fields.num_devices > 0) read.num_devices = fields.num_devices;
  if (fields.memory_limit > 0) read.memory_cap = fields.memory_limit;
  if (fields.log != nullptr) {
    read.log = [log = fields.log, context = fields.log_context](LogLevel,
                                                                std::string_view message) {
      log(AXLE_LOG_INFO, std::string(message).c_str(), context);
    };
  }
  return read;
}

StatusOr<CompileOptions> ReadOptions(const char* function, const axle_compile_options* options) {
  AXLE_ASSIGN(const axle_compile_options fields, ReadStruct(function, options));
  EngineKind engine = EngineKind::kDefault;
  switch (fields.engine) {
    case AXLE_ENGINE_DEFAULT:
      break;
    case AXLE_ENGINE_NATIVE:
      engine = EngineKind::kNative;
      break;
    case AXLE_ENGINE_INTERPRET:
      engine = EngineKind::kInterpret;
      break;
    default:
      return InvalidArgument(StrCat(function, ": there is no engine ", fields.engine));
  }
  if (fields.numerics != AXLE_NUMERICS_STRICT && fields.numerics != AXLE_NUMERICS_FAST) {
    return InvalidArgument(StrCat(function, ": there are no numerics ", fields.numerics));
  }
  if (fields.allow_elided != 0 && fields.allow_elided != 1) {
    return InvalidArgument(
        StrCat(function, ": allow_elided is ", fields.allow_elided, ", must be 0 or 1"));
  }
  return CompileOptions{
      .engine = engine,
      .numerics = fields.numerics == AXLE_NUMERICS_FAST ? Numerics::kFast : Numerics::kStrict,
      .replicas = fields.replicas,
      .partitions = fields.partitions,
      .device_ordinal = fields.device,
      .limits = LimitsOf(fields.limits),
      .allow_elided = fields.allow_elided != 0};
}

// What goes through a queue: one array, or the arrays of a tuple.
StatusOr<std::vector<HostArray>> ReadArrays(const char* function,
                                            std::span<const axle_array* const> values) {
  if (values.empty()) return InvalidArgument(StrCat(function, ": there are no values"));
  std::vector<HostArray> arrays;
  for (const axle_array* value : values) {
    AXLE_ASSIGN(HostArray array, ReadArray(function, value));
    arrays.push_back(std::move(array));
  }
  return arrays;
}

}  // namespace
}  // namespace axle

axle_status* axle::CreateClient(const axle_client_options* options, axle_client** client) {
  constexpr const char* kFunction = "axle_client_create";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"client", client}}));
    AXLE_ASSIGN(const axle::ClientOptions read, axle::ReadOptions(kFunction, options));
    AXLE_ASSIGN(auto value, axle::Client::Create(read));
    *client = new axle_client{std::move(value)};
    return {};
  });
}

void axle_client_destroy(axle_client* client) {
  delete client;
}

size_t axle_client_num_devices(const axle_client* client) {
  return client == nullptr ? 0 : client->value->devices().size();
}

axle_status* axle_client_compile(axle_client* client, const axle_module* module,
                                 const axle_compile_options* options,
                                 axle_executable** executable) {
  constexpr const char* kFunction = "axle_client_compile";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(
        kFunction, {{"client", client}, {"module", module}, {"executable", executable}}));
    AXLE_ASSIGN(const axle::CompileOptions read, axle::ReadOptions(kFunction, options));
    AXLE_ASSIGN(auto value, client->value->Compile(module->value, read));
    *executable = new axle_executable{std::move(value), axle_module(module->value)};
    return {};
  });
}

void axle_executable_destroy(axle_executable* executable) {
  delete executable;
}

const axle_module* axle_executable_module(const axle_executable* executable) {
  return executable == nullptr ? nullptr : &executable->module;
}

axle_status* axle_client_to_infeed(axle_client* client, std::int64_t device,
                                   const axle_array* const* values, size_t num_values,
                                   axle_limits* limits) {
  constexpr const char* kFunction = "axle_client_to_infeed";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"client", client}, {"values", values}}));
    AXLE_ASSIGN(const auto arrays, axle::ReadArrays(kFunction, {values, num_values}));
    std::vector<axle::Literal> literals;
    for (const axle::HostArray& array : arrays) {
      AXLE_ASSIGN(axle::Literal literal,
                  axle::ReadValue(kFunction, "a value", array, array.shape, axle::HostRead::kCopy));
      literals.push_back(std::move(literal));
    }
    const axle::Literal value =
        num_values == 1 ? literals[0] : axle::Literal::Tuple(std::move(literals));
    return client->value->TransferToInfeed(value, axle::LimitsOf(limits), device);
  });
}

axle_status* axle_client_from_outfeed(axle_client* client, std::int64_t device,
                                      const axle_array* const* values, size_t num_values,
                                      axle_limits* limits) {
  constexpr const char* kFunction = "axle_client_from_outfeed";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"client", client}, {"values", values}}));
    AXLE_ASSIGN(const auto arrays, axle::ReadArrays(kFunction, {values, num_values}));
    std::vector<axle::Shape> shapes;
    for (const axle::HostArray& array : arrays) {
      AXLE_TRY(
          axle::CheckHostArray(array.shape, array.data, array.byte_strides, axle::HostUse::kWrite));
      shapes.push_back(array.shape);
    }
    const bool is_array = num_values == 1;
    AXLE_ASSIGN(const axle::Literal value,
                client->value->TransferFromOutfeed(
                    is_array ? shapes[0] : axle::Shape::Tuple(std::move(shapes)),
                    axle::LimitsOf(limits), device));
    for (size_t i = 0; i < arrays.size(); ++i) {
      AXLE_TRY(
          axle::WriteValue(is_array ? value : value.element(static_cast<axle::i64>(i)), arrays[i]));
    }
    return {};
  });
}
