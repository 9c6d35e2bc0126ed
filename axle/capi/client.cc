#include "axle/client/client.h"

#include <functional>

#include "axle/capi/handles.h"
#include "axle/client/channels.h"
#include "axle/client/job.h"

namespace axle {
namespace {

StatusOr<TransportOptions> ReadOptions(const char* function,
                                       const axle_distributed_options* options) {
  AXLE_ASSIGN(const axle_distributed_options fields, ReadStruct(function, options));
  TransportOptions read;
  const std::string_view transport = fields.transport == nullptr ? "gloo" : fields.transport;
  if (transport != "gloo" && transport != "mpi") {
    return InvalidArgument(StrCat(function, ": there is no transport \"", PrintableText(transport),
                                  "\"; there are gloo, mpi"));
  }
  if (transport == "mpi") read.kind = TransportKind::kMpi;
  const bool says_process = fields.num_processes != 0 || fields.process_id != 0;
  if (says_process && (fields.num_processes > INT32_MAX || fields.process_id < 0 ||
                       fields.process_id >= fields.num_processes)) {
    return InvalidArgument(StrCat(function, ": process_id is ", fields.process_id,
                                  ", must be from 0 and below num_processes, which is ",
                                  fields.num_processes));
  }
  if (says_process) {
    read.process_id = static_cast<int>(fields.process_id);
    read.num_processes = static_cast<int>(fields.num_processes);
  }
  const std::pair<const char*, std::string*> texts[] = {
      {fields.rendezvous, &read.rendezvous},
      {fields.secret, &read.secret},
      {fields.job, &read.job},
      {fields.listen_address, &read.listen_address}};
  for (const auto& [text, field] : texts) {
    if (text != nullptr) *field = text;
  }
  if (fields.allow_no_secret != 0 && fields.allow_no_secret != 1) {
    return InvalidArgument(
        StrCat(function, ": allow_no_secret is ", fields.allow_no_secret, ", must be 0 or 1"));
  }
  read.allow_no_secret = fields.allow_no_secret == 1;
  if (fields.epoch < 0 || fields.epoch > INT32_MAX) {
    return InvalidArgument(StrCat(function, ": epoch is ", fields.epoch, ", must be >= 0"));
  }
  read.epoch = static_cast<int>(fields.epoch);
  const std::tuple<const char*, double, double*> limits[] = {
      {"connect_limit", fields.connect_limit, &read.connect_limit},
      {"silence_limit", fields.silence_limit, &read.silence_limit},
      {"late_warning", fields.late_warning, &read.late_warning},
      {"late_limit", fields.late_limit, &read.late_limit}};
  for (const auto& [name, seconds, field] : limits) {
    if (!(seconds >= 0)) {
      return InvalidArgument(StrCat(function, ": ", name, " is ", seconds, ", must be >= 0"));
    }
    if (seconds > 0) *field = seconds;
  }
  if (fields.warn != nullptr) {
    read.warn = [warn = fields.warn, context = fields.warn_context](std::string_view message) {
      warn(std::string(message).c_str(), context);
    };
  }
  return read;
}

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
  if (fields.never_waits_for_host != 0 && fields.never_waits_for_host != 1) {
    return InvalidArgument(StrCat(function, ": never_waits_for_host is ",
                                  fields.never_waits_for_host, ", must be 0 or 1"));
  }
  read.device.waits_for_host = fields.never_waits_for_host == 0;
  if (fields.log != nullptr) {
    read.log = [log = fields.log, context = fields.log_context](LogLevel,
                                                                std::string_view message) {
      log(AXLE_LOG_INFO, std::string(message).c_str(), context);
    };
  }
  if (fields.distributed != nullptr) {
    AXLE_ASSIGN(read.distributed, ReadOptions(function, fields.distributed));
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
  if (fields.devices == nullptr && fields.num_devices > 0) {
    return InvalidArgument(
        StrCat(function, ": devices is null, but num_devices is ", fields.num_devices));
  }
  std::vector<i64> devices(fields.devices, fields.devices + fields.num_devices);
  if (devices.empty() && fields.device != 0) devices.push_back(fields.device);
  return CompileOptions{
      .engine = engine,
      .numerics = fields.numerics == AXLE_NUMERICS_FAST ? Numerics::kFast : Numerics::kStrict,
      .replicas = fields.replicas,
      .partitions = fields.partitions,
      .devices = std::move(devices),
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

// A copy of an array, or of several as a tuple.
StatusOr<Literal> ReadValues(const char* function, std::span<const axle_array* const> values) {
  AXLE_ASSIGN(const auto arrays, ReadArrays(function, values));
  std::vector<Literal> literals;
  for (const HostArray& array : arrays) {
    AXLE_ASSIGN(Literal literal,
                ReadValue(function, "a value", array, array.shape, HostRead::kCopy));
    literals.push_back(std::move(literal));
  }
  return literals.size() == 1 ? std::move(literals[0]) : Literal::Tuple(std::move(literals));
}

// Writes what `take` gives for the shape of an array, or for the tuple of several.
Status WriteValues(const char* function, std::span<const axle_array* const> values,
                   const std::function<StatusOr<Literal>(const Shape& shape)>& take) {
  AXLE_ASSIGN(const auto arrays, ReadArrays(function, values));
  std::vector<Shape> shapes;
  for (const HostArray& array : arrays) {
    AXLE_TRY(CheckHostArray(array.shape, array.data, array.byte_strides, HostUse::kWrite));
    shapes.push_back(array.shape);
  }
  const bool is_array = shapes.size() == 1;
  const Shape whole = is_array ? shapes[0] : Shape::Tuple(std::move(shapes));
  AXLE_ASSIGN(const Literal value, take(whole));
  for (size_t i = 0; i < arrays.size(); ++i) {
    AXLE_TRY(WriteValue(is_array ? value : value.element(static_cast<i64>(i)), arrays[i]));
  }
  return {};
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
  axle_client_leave(client);
  delete client;
}

size_t axle_client_num_devices(const axle_client* client) {
  return client == nullptr ? 0 : client->value->devices().size();
}

int64_t axle_client_process_id(const axle_client* client) {
  return client == nullptr || client->value->job() == nullptr ? 0
                                                              : client->value->job()->process_id();
}

int64_t axle_client_num_processes(const axle_client* client) {
  if (client == nullptr || client->value->job() == nullptr) return 1;
  return client->value->job()->num_processes();
}

int64_t axle_client_first_device(const axle_client* client, int64_t process) {
  if (client == nullptr || process < 0 || process > axle_client_num_processes(client)) return -1;
  const axle::Client& value = *client->value;
  if (value.job() != nullptr) return value.job()->FirstDeviceOf(static_cast<int>(process));
  return process == 0 ? 0 : static_cast<int64_t>(value.devices().size());
}

axle_status* axle_client_reconnect(axle_client* client, axle_limits* limits) {
  constexpr const char* kFunction = "axle_client_reconnect";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"client", client}}));
    return client->value->Reconnect(axle::LimitsOf(limits));
  });
}

void axle_client_leave(axle_client* client) {
  if (client != nullptr && client->value->job() != nullptr) client->value->job()->Leave();
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
    AXLE_ASSIGN(const axle::Literal value, axle::ReadValues(kFunction, {values, num_values}));
    return client->value->TransferToInfeed(value, axle::LimitsOf(limits), device);
  });
}

axle_status* axle_client_from_outfeed(axle_client* client, std::int64_t device,
                                      const axle_array* const* values, size_t num_values,
                                      axle_limits* limits) {
  constexpr const char* kFunction = "axle_client_from_outfeed";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"client", client}, {"values", values}}));
    return axle::WriteValues(kFunction, {values, num_values}, [&](const axle::Shape& shape) {
      return client->value->TransferFromOutfeed(shape, axle::LimitsOf(limits), device);
    });
  });
}

axle_status* axle_client_to_channel(axle_client* client, std::int64_t device, std::int64_t channel,
                                    const axle_array* const* values, size_t num_values) {
  constexpr const char* kFunction = "axle_client_to_channel";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"client", client}, {"values", values}}));
    AXLE_ASSIGN(const axle::Literal value, axle::ReadValues(kFunction, {values, num_values}));
    return axle::SendToDevice(*client->value, channel, value, device);
  });
}

axle_status* axle_client_from_channel(axle_client* client, std::int64_t device,
                                      std::int64_t channel, const axle_array* const* values,
                                      size_t num_values, axle_limits* limits) {
  constexpr const char* kFunction = "axle_client_from_channel";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"client", client}, {"values", values}}));
    return axle::WriteValues(kFunction, {values, num_values}, [&](const axle::Shape& shape) {
      return axle::RecvFromDevice(*client->value, channel, shape, axle::LimitsOf(limits), device);
    });
  });
}
