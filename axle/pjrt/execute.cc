// Execution.
//
// A run is done on the caller's thread if it is short, since another thread would take longer to
// wake up than the run takes, and otherwise on the queue of its device. Whether it is short follows
// from the cost of the program at first and from the time of the last run after that. A program
// that calls functions of the user is run on the caller's thread, whatever it costs: such a
// function may run programs itself, which would wait for ever behind this one in the queue of the
// device.
#include <chrono>

#include "axle/core/strings.h"
#include "axle/ir/module.h"
#include "axle/pjrt/ffi.h"
#include "axle/pjrt/handles.h"
#include "axle/pjrt/profiler.h"
#include "axle/runtime/thread_pool.h"

namespace axle::pjrt {
namespace {

using Clock = std::chrono::steady_clock;

// How long a run may take on the caller's thread, for each device.
constexpr std::chrono::microseconds kShort(50);

// What one device gets and gives.
struct Launch {
  std::shared_ptr<ExecutableState> state;
  std::shared_ptr<Executable> executable;
  std::vector<BufferPtr> arguments;
  ExecuteOptions options;
  // Donated arguments that somebody outside refers to, by parameter: the run leaves their memory
  // alone, and they are deleted after the call.
  std::vector<i64> referenced = {};
  PJRT_ExecuteContext* context = nullptr;
  std::shared_ptr<Profile> profile = nullptr;  // that of the options
};

// Keeps the profile, if there is one, until the run is over.
void KeepUntilDone(const std::shared_ptr<Profile>& profile, const ExecuteResult& result) {
  if (profile != nullptr) result.done.OnReady([profile](const Status& /*status*/) {});
}

bool AllReady(const std::vector<BufferPtr>& buffers) {
  for (const BufferPtr& buffer : buffers) {
    if (!buffer->is_ready()) return false;
  }
  return true;
}

// Which parameters a run donates, among `num_parameters`; empty for a program that donates none.
std::vector<bool> Donated(const Module& module, size_t num_parameters, ArraySlice<i64> refused) {
  const ModuleConfig& config = module.config();
  if (config.input_output_alias.empty() && config.buffer_donor.empty()) return {};
  std::vector<bool> donated(num_parameters);
  const auto set = [&](i64 parameter, bool value) {
    if (parameter >= 0 && static_cast<size_t>(parameter) < num_parameters) {
      donated[static_cast<size_t>(parameter)] = value;
    }
  };
  for (const AliasEntry& alias : config.input_output_alias) set(alias.parameter, true);
  for (const BufferDonor& donor : config.buffer_donor) set(donor.parameter, true);
  for (const i64 parameter : refused) set(parameter, false);
  return donated;
}

// The argument, or a token for a parameter that is one: the first token of a chain comes from JAX
// as an array without elements.
StatusOr<BufferPtr> TokenIfNeeded(const ExecutableState& state, size_t parameter,
                                  const BufferPtr& argument) {
  if (state.has_tupled_arguments) return argument;
  const Shape& shape = state.module->entry()->parameters()[parameter]->shape();
  if (!shape.is_token() || argument->shape().is_token()) return argument;
  AXLE_TRY(argument->Await());
  return state.client->client->BufferFromLiteral(Literal(shape), argument->device().ordinal());
}

Status ReadArguments(PJRT_Buffer* const* buffers, size_t num_buffers,
                     const PJRT_ExecuteOptions* options, Launch& launch) {
  if (num_buffers > 0 && buffers == nullptr) return InvalidArgument("pjrt: the arguments are null");
  launch.arguments.reserve(num_buffers);
  if (options != nullptr && options->num_non_donatable_input_indices > 0) {
    if (options->non_donatable_input_indices == nullptr) {
      return InvalidArgument("pjrt: the non-donatable indices are null");
    }
    launch.options.not_donated.assign(
        options->non_donatable_input_indices,
        options->non_donatable_input_indices + options->num_non_donatable_input_indices);
  }
  const std::vector<bool> donated =
      Donated(*launch.state->module, num_buffers, launch.options.not_donated);
  for (size_t i = 0; i < num_buffers; ++i) {
    if (buffers[i] == nullptr) return InvalidArgument(StrCat("pjrt: argument ", i, " is null"));
    AXLE_ASSIGN(BufferPtr argument, TokenIfNeeded(*launch.state, i, buffers[i]->buffer));
    launch.arguments.push_back(std::move(argument));
    if (!donated.empty() && donated[i] && buffers[i]->has_references()) {
      launch.options.not_donated.push_back(static_cast<i64>(i));
      launch.referenced.push_back(static_cast<i64>(i));
    }
  }
  return {};
}

// The elements of a program's one argument, which is a tuple; donation does not reach into it.
StatusOr<std::vector<BufferPtr>> RunOnTuple(const Launch& launch, const ClientState& client) {
  std::vector<Literal> elements;
  for (const BufferPtr& argument : launch.arguments) {
    AXLE_ASSIGN(Literal value, argument->ToLiteral());
    elements.push_back(std::move(value));
  }
  AXLE_ASSIGN(Literal result, launch.executable->Execute({Literal::Tuple(std::move(elements))},
                                                         {.profile = launch.profile.get()}));
  std::vector<Literal> values;
  if (result.shape().is_tuple()) {
    values = result.DecomposeTuple();
  } else {
    values.push_back(std::move(result));
  }
  std::vector<BufferPtr> buffers;
  const i64 ordinal = launch.executable->devices()[0]->ordinal();
  for (Literal& value : values) {
    AXLE_ASSIGN(BufferPtr buffer, client.client->BufferFromLiteral(std::move(value), ordinal));
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

// Runs, or schedules the run. The results may be pending; `done` is set at the end of the run.
StatusOr<ExecuteResult> Run(Launch& launch) {
  ExecutableState& state = *launch.state;
  std::optional<ScopedFfiExecution> execution;
  if (state.calls_user) {
    static std::atomic<i64> num_runs = 0;
    execution.emplace(FfiExecution{
        .context = launch.context,
        .sites = state.call_sites.get(),
        .run_id = ++num_runs,
        .device_ordinal = static_cast<int>(launch.executable->devices()[0]->ordinal())});
  }
  if (state.has_tupled_arguments) {
    AXLE_ASSIGN(std::vector<BufferPtr> results, RunOnTuple(launch, *state.client));
    return ExecuteResult{std::move(results), Future()};
  }
  if (state.calls_user || (state.is_short && AllReady(launch.arguments))) {
    const Clock::time_point start = Clock::now();
    AXLE_ASSIGN(std::vector<BufferPtr> results,
                launch.executable->Execute(launch.arguments, launch.options));
    state.is_short = Clock::now() - start < kShort;
    return ExecuteResult{std::move(results), Future()};
  }
  const Clock::time_point start = Clock::now();
  AXLE_ASSIGN(ExecuteResult result,
              launch.executable->ExecuteAsync(launch.arguments, launch.options));
  KeepUntilDone(launch.profile, result);
  result.done.OnReady([shared = launch.state, start](const Status& /*status*/) {
    if (Clock::now() - start < kShort) shared->is_short = true;
  });
  return result;
}

// Hands the results to the client. Nothing fails here but memory, which leaves nothing behind.
Status Return(const ExecutableState& state, ExecuteResult result, PJRT_Buffer** outputs,
              PJRT_Event** done) {
  std::vector<std::unique_ptr<PJRT_Buffer>> buffers;
  buffers.reserve(result.results.size());
  for (BufferPtr& buffer : result.results) {
    buffers.push_back(std::make_unique<PJRT_Buffer>(state.client, std::move(buffer)));
  }
  if (done != nullptr) *done = new PJRT_Event{std::move(result.done)};
  for (size_t i = 0; i < buffers.size(); ++i) outputs[i] = buffers[i].release();
  return {};
}

StatusOr<Launch> Prepare(const PJRT_LoadedExecutable_Execute_Args& args, size_t device) {
  const std::shared_ptr<ExecutableState>& state = args.executable->state;
  Launch launch;
  launch.state = state;
  launch.profile = ActiveProfile();
  launch.options.profile = launch.profile.get();
  if (args.execute_device != nullptr) {
    AXLE_ASSIGN(const PJRT_Device* chosen, state->client->Choose(args.execute_device, nullptr));
    AXLE_ASSIGN(launch.executable, state->For(*chosen));
  } else {
    launch.executable = state->executable;
  }
  if (args.options != nullptr && AXLE_PJRT_HAS(*args.options, context)) {
    launch.context = args.options->context;
  }
  PJRT_Buffer* const* buffers =
      args.argument_lists == nullptr ? nullptr : args.argument_lists[device];
  AXLE_TRY(ReadArguments(buffers, args.num_args, args.options, launch));
  // A portable program without a device runs where its first argument is.
  if (args.execute_device == nullptr && state->is_portable && args.num_args > 0) {
    AXLE_ASSIGN(launch.executable, state->For(*buffers[0]->device));
  }
  return launch;
}

void DeleteReferenced(const std::vector<BufferPtr>& arguments, const std::vector<i64>& referenced) {
  for (const i64 parameter : referenced) arguments[static_cast<size_t>(parameter)]->Delete();
}

// Run, for several devices. Where devices wait for each other, the caller's thread runs the first
// one, if there is a processor for each.
StatusOr<std::vector<ExecuteResult>> RunOnAll(const std::shared_ptr<ExecutableState>& state,
                                              const std::vector<std::vector<BufferPtr>>& arguments,
                                              const ExecuteOptions& options) {
  const auto limit = kShort * arguments.size();
  const bool may_be_here = !state->executable->devices_wait() ||
                           arguments.size() <= static_cast<size_t>(AvailableProcessors());
  const Clock::time_point start = Clock::now();
  if (may_be_here && state->is_short && std::ranges::all_of(arguments, AllReady)) {
    AXLE_ASSIGN(std::vector<std::vector<BufferPtr>> buffers,
                state->executable->ExecuteReplicated(arguments, options));
    state->is_short = Clock::now() - start < limit;
    std::vector<ExecuteResult> results;
    for (std::vector<BufferPtr>& of_device : buffers) {
      results.push_back({std::move(of_device), Future()});
    }
    return results;
  }
  AXLE_ASSIGN(std::vector<ExecuteResult> results,
              state->executable->ExecuteReplicatedAsync(arguments, options));
  results.back().done.OnReady([state, start, limit](const Status& /*status*/) {
    if (Clock::now() - start < limit) state->is_short = true;
  });
  return results;
}

// What is not donated on one device is donated on none, since the devices run with the same
// options.
Status ExecuteOnAll(const PJRT_LoadedExecutable_Execute_Args& args) {
  const std::shared_ptr<ExecutableState>& state = args.executable->state;
  std::vector<std::vector<BufferPtr>> arguments;
  ExecuteOptions options;
  std::shared_ptr<Profile> profile;
  std::vector<i64> referenced;
  std::vector<bool> is_referenced(args.num_args);
  for (size_t d = 0; d < args.num_devices; ++d) {
    AXLE_ASSIGN(Launch launch, Prepare(args, d));
    arguments.push_back(std::move(launch.arguments));
    if (d == 0) {
      options.not_donated = launch.options.not_donated;
      profile = launch.profile;
      options.profile = profile.get();
    }
    for (const i64 parameter : launch.referenced) {
      if (is_referenced[static_cast<size_t>(parameter)]) continue;
      is_referenced[static_cast<size_t>(parameter)] = true;
      referenced.push_back(parameter);
      options.not_donated.push_back(parameter);
    }
  }
  AXLE_ASSIGN(std::vector<ExecuteResult> results, RunOnAll(state, arguments, options));
  for (const ExecuteResult& result : results) KeepUntilDone(profile, result);
  for (size_t d = 0; d < args.num_devices; ++d) {
    AXLE_TRY(
        Return(*state, std::move(results[d]),
               args.output_lists == nullptr ? nullptr : args.output_lists[d],
               args.device_complete_events == nullptr ? nullptr : &args.device_complete_events[d]));
    DeleteReferenced(arguments[d], referenced);
  }
  return {};
}

Status CheckCall(const PJRT_LoadedExecutable_Execute_Args& args) {
  const ExecutableState& state = *args.executable->state;
  if (args.executable->is_deleted) {
    return FailedPrecondition(StrCat("pjrt: the executable \"", state.name, "\" is deleted"));
  }
  const size_t expected = args.execute_device != nullptr ? 1 : state.devices.size();
  if (args.num_devices != expected) {
    return InvalidArgument(StrCat("pjrt: \"", state.name, "\" runs on ", expected,
                                  " devices, the call has arguments for ", args.num_devices));
  }
  if (args.num_args != state.num_parameters) {
    return InvalidArgument(StrCat("pjrt: \"", state.name, "\" takes ", state.num_parameters,
                                  " arguments, not ", args.num_args));
  }
  for (size_t d = 0; d < args.num_devices && !state.output_types.empty(); ++d) {
    if (args.output_lists == nullptr || args.output_lists[d] == nullptr) {
      return InvalidArgument("pjrt: there is no room for the results");
    }
  }
  if (args.options != nullptr &&
      (args.options->num_send_ops > 0 || args.options->num_recv_ops > 0)) {
    return Unimplemented(
        "pjrt: callbacks of send and recv: use jax.pure_callback or jax.experimental.io_callback");
  }
  return {};
}

}  // namespace

Status LoadedExecutable_Execute(PJRT_LoadedExecutable_Execute_Args& args) {
  AXLE_TRY(CheckCall(args));
  // One that runs on devices of other processes too runs on all of its own, if it has any.
  if (args.executable->state->num_devices > 1 || args.num_devices != 1) return ExecuteOnAll(args);
  AXLE_ASSIGN(Launch launch, Prepare(args, 0));
  AXLE_ASSIGN(ExecuteResult result, Run(launch));
  AXLE_TRY(Return(*launch.state, std::move(result),
                  args.output_lists == nullptr ? nullptr : args.output_lists[0],
                  args.device_complete_events));
  DeleteReferenced(launch.arguments, launch.referenced);
  return {};
}

}  // namespace axle::pjrt
