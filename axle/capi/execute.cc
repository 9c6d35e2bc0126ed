// axle_executable_execute and its kin: buffers in, buffers out.
#include "axle/capi/handles.h"
#include "axle/client/executable.h"

namespace axle {
namespace {

StatusOr<std::vector<i64>> ReadNumbers(const char* function, const char* name,
                                       const std::int64_t* numbers, size_t count) {
  if (count > 0) AXLE_TRY(CheckNotNull(function, {{name, numbers}}));
  return std::vector<i64>(numbers, numbers + count);
}

StatusOr<ExecuteOptions> ReadOptions(const char* function, const axle_execute_options* options) {
  AXLE_ASSIGN(const axle_execute_options fields, ReadStruct(function, options));
  ExecuteOptions read = {.limits = LimitsOf(fields.limits),
                         .random_seed = static_cast<std::uint64_t>(fields.random_seed),
                         .profile = ProfileOf(fields.profile)};
  AXLE_ASSIGN(read.donated, ReadNumbers(function, "donated", fields.donated, fields.num_donated));
  AXLE_ASSIGN(read.not_donated,
              ReadNumbers(function, "not_donated", fields.not_donated, fields.num_not_donated));
  return read;
}

StatusOr<std::vector<BufferPtr>> ReadBuffers(const char* function,
                                             std::span<const axle_buffer* const> arguments) {
  std::vector<BufferPtr> buffers;
  for (const axle_buffer* argument : arguments) {
    AXLE_TRY(CheckNotNull(function, {{"an argument", argument}}));
    buffers.push_back(argument->value);
  }
  return buffers;
}

// Null pointers only where there is nothing, and room for exactly what the program gives.
Status CheckLists(const char* function, const axle_executable* executable,
                  const axle_buffer* const* arguments, size_t num_arguments,
                  axle_buffer* const* results, size_t num_results) {
  AXLE_TRY(CheckNotNull(function, {{"executable", executable}}));
  if (num_arguments > 0) AXLE_TRY(CheckNotNull(function, {{"arguments", arguments}}));
  const size_t expected = axle_executable_num_results(executable);
  if (num_results != expected) {
    return InvalidArgument(
        StrCat(function, ": there is room for ", num_results, " results, must be ", expected));
  }
  if (num_results > 0) AXLE_TRY(CheckNotNull(function, {{"results", results}}));
  return {};
}

// All handles or none.
void WriteBuffers(std::span<const BufferPtr> buffers, axle_buffer** results) {
  std::vector<std::unique_ptr<axle_buffer>> handles;
  handles.reserve(buffers.size());
  for (const BufferPtr& buffer : buffers) {
    handles.push_back(std::make_unique<axle_buffer>(buffer, /*is_zero_copy=*/false));
  }
  for (auto& handle : handles) *results++ = handle.release();
}

// The arguments of a run on all devices of an executable.
struct ReplicatedCall {
  ExecuteOptions options;
  std::vector<std::vector<BufferPtr>> arguments;
};

StatusOr<ReplicatedCall> ReadReplicated(const char* function, const axle_executable* executable,
                                        const axle_execute_options* options, size_t num_devices,
                                        const axle_buffer* const* arguments, size_t num_arguments,
                                        axle_buffer** results, size_t num_results) {
  AXLE_TRY(CheckLists(function, executable, arguments, num_arguments, results, num_results));
  if (num_devices != axle_executable_num_devices(executable)) {
    return InvalidArgument(StrCat(function, ": there are arguments for ", num_devices,
                                  " devices, must be ", axle_executable_num_devices(executable)));
  }
  ReplicatedCall call;
  AXLE_ASSIGN(call.options, ReadOptions(function, options));
  for (size_t d = 0; d < num_devices; ++d) {
    AXLE_ASSIGN(call.arguments.emplace_back(),
                ReadBuffers(function, {arguments + d * num_arguments, num_arguments}));
  }
  return call;
}

}  // namespace
}  // namespace axle

size_t axle_executable_num_results(const axle_executable* executable) {
  if (executable == nullptr) return 0;
  const axle::Shape& result = executable->module.result.value;
  return result.is_tuple() ? result.elements().size() : 1;
}

size_t axle_executable_num_devices(const axle_executable* executable) {
  return executable == nullptr ? 0 : executable->value->devices().size();
}

int64_t axle_executable_device(const axle_executable* executable, size_t index) {
  if (index >= axle_executable_num_devices(executable)) return -1;
  return executable->value->devices()[index]->ordinal();
}

int64_t axle_executable_device_number(const axle_executable* executable, size_t index) {
  if (index >= axle_executable_num_devices(executable)) return -1;
  return executable->value->device_numbers()[index];
}

axle_status* axle_executable_execute(const axle_executable* executable,
                                     const axle_execute_options* options,
                                     const axle_buffer* const* arguments, size_t num_arguments,
                                     axle_buffer** results, size_t num_results,
                                     axle_future** done) {
  constexpr const char* kFunction = "axle_executable_execute";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(
        axle::CheckLists(kFunction, executable, arguments, num_arguments, results, num_results));
    AXLE_ASSIGN(const axle::ExecuteOptions read, axle::ReadOptions(kFunction, options));
    AXLE_ASSIGN(const auto buffers, axle::ReadBuffers(kFunction, {arguments, num_arguments}));
    if (done == nullptr) {
      AXLE_ASSIGN(const auto made,
                  executable->value->Execute(axle::ArraySlice<axle::BufferPtr>(buffers), read));
      axle::WriteBuffers(made, results);
      return {};
    }
    AXLE_ASSIGN(const axle::ExecuteResult made, executable->value->ExecuteAsync(buffers, read));
    auto future = std::make_unique<axle_future>(axle_future{made.done});
    axle::WriteBuffers(made.results, results);
    *done = future.release();
    return {};
  });
}

axle_status* axle_executable_execute_replicated(const axle_executable* executable,
                                                const axle_execute_options* options,
                                                size_t num_devices,
                                                const axle_buffer* const* arguments,
                                                size_t num_arguments, axle_buffer** results,
                                                size_t num_results) {
  constexpr const char* kFunction = "axle_executable_execute_replicated";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_ASSIGN(const axle::ReplicatedCall call,
                axle::ReadReplicated(kFunction, executable, options, num_devices, arguments,
                                     num_arguments, results, num_results));
    AXLE_ASSIGN(const auto made,
                executable->value->ExecuteReplicated(call.arguments, call.options));
    std::vector<axle::BufferPtr> all;
    for (const auto& list : made) all.insert(all.end(), list.begin(), list.end());
    axle::WriteBuffers(all, results);
    return {};
  });
}

axle_status* axle_executable_execute_replicated_async(const axle_executable* executable,
                                                      const axle_execute_options* options,
                                                      size_t num_devices,
                                                      const axle_buffer* const* arguments,
                                                      size_t num_arguments, axle_buffer** results,
                                                      size_t num_results, axle_future** done) {
  constexpr const char* kFunction = "axle_executable_execute_replicated_async";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"done", done}}));
    AXLE_ASSIGN(const axle::ReplicatedCall call,
                axle::ReadReplicated(kFunction, executable, options, num_devices, arguments,
                                     num_arguments, results, num_results));
    AXLE_ASSIGN(const auto made,
                executable->value->ExecuteReplicatedAsync(call.arguments, call.options));
    std::vector<axle::BufferPtr> all;
    std::vector<std::unique_ptr<axle_future>> futures;
    for (const axle::ExecuteResult& result : made) {
      all.insert(all.end(), result.results.begin(), result.results.end());
      futures.push_back(std::make_unique<axle_future>(axle_future{result.done}));
    }
    axle::WriteBuffers(all, results);
    for (size_t d = 0; d < num_devices; ++d) done[d] = futures[d].release();
    return {};
  });
}

axle_status* axle_executable_analyze(const axle_executable* executable, axle_analysis* analysis) {
  constexpr const char* kFunction = "axle_executable_analyze";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"executable", executable}, {"analysis", analysis}}));
    // What a newer caller has room for beyond this version is left as it is.
    AXLE_ASSIGN(const size_t size,
                axle::CheckStruct(kFunction, analysis, sizeof *analysis, /*check_rest=*/false));
    const axle::CostAnalysis cost = executable->value->cost_analysis();
    const axle::MemoryAnalysis memory = executable->value->memory_analysis();
    const axle_analysis all = {analysis->struct_size,       cost.flops,
                               cost.bytes_accessed,         cost.instructions,
                               memory.argument_bytes,       memory.result_bytes,
                               memory.constant_bytes,       memory.alias_bytes,
                               memory.peak_temporary_bytes, cost.is_complete ? 1 : 0};
    std::memcpy(analysis, &all, size);
    return {};
  });
}
