// Runs on several devices. Each device has a call of its own in its queue; a synchronous run does
// the first one on the caller's thread, and all of them, one after the other, if no device waits
// for another one and they are done before a thread would wake up.
#include <algorithm>
#include <chrono>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

#include "axle/client/executable_call.h"
#include "axle/client/job.h"
#include "axle/client/launcher.h"
#include "axle/core/strings.h"
#include "axle/ir/module.h"
#include "axle/ops/op_def.h"
#include "axle/ops/replica_groups.h"
#include "axle/runtime/serial_queue.h"

namespace axle {

// About what it takes until a thread that sleeps has been woken, and has woken the caller.
constexpr std::chrono::microseconds kBrief{50};

// The name of the instruction with this id, of both halves of DeviceContext::Rendezvous. It looks
// at all instructions, which only messages do.
static std::string NameOf(const Module& module, std::uint64_t id) {
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      if (RendezvousId(*inst) == id) {
        // The operation goes before the name: all-reduce "sum".
        return StrCat(GetOpDef(*inst).text, " \"", inst->name(), "\"");
      }
    }
  }
  return "a collective";
}

Executable::Launch::Launch(const std::shared_ptr<const Module>& module, size_t num_devices,
                           size_t num_here, std::shared_ptr<RunLink> with_others, Limits* limits)
    : link(std::move(with_others)),
      group(
          static_cast<i64>(num_devices), [module](std::uint64_t id) { return NameOf(*module, id); },
          link.get()) {
  Limits& whole = limits == nullptr ? own : *limits;
  live_before = whole.live_bytes();
  for (size_t d = 0; d < num_here; ++d) {
    parts.push_back(std::make_unique<Limits>());
    parts.back()->BecomePartOf(whole, /*tells_progress=*/d == 0);
  }
}

Executable::Launch::~Launch() {
  End(false);
}

void Executable::Launch::End(bool is_whole) noexcept {
  if (is_watched.exchange(false)) placement->job->EndRun(group, is_whole);
}

void Executable::Launch::Leave(i64 device, const Status& status) noexcept {
  group.Leave(device, status);
  if (status.ok()) {
    if (++num_finished == parts.size()) End(true);
    return;
  }
  Cancel();
  // The other devices here leave because of the first one.
  if (link != nullptr && group.first_failure() == device) placement->job->FailRun(group, status);
}

Status Executable::Launch::Begin(std::string_view program) {
  if (link == nullptr) return {};
  Status cause = link->transport->state().first_cause;
  if (cause.ok()) {
    is_watched = true;
    cause = placement->job->NextRun(*link, program, group);
  }
  if (cause.ok()) return {};
  return {cause.code(), StrCat("execute: \"", program, "\": ", cause.message())};
}

StatusOr<std::shared_ptr<Executable::Launch>> Executable::MakeLaunch(Limits* limits) const {
  std::shared_ptr<RunLink> link;
  if (placement_ != nullptr) {
    link = std::make_shared<RunLink>();
    link->transport = placement_->job->transport();
    if (link->transport == nullptr) {
      return Status(StatusCode::kUnavailable,
                    "execute: the processes of the job are not connected");
    }
    link->processes = placement_->processes;
    link->program = placement_->program;
    link->process_of = placement_->process_of;  // which the launch keeps
  }
  auto launch = std::make_shared<Launch>(module_, static_cast<size_t>(num_devices_),
                                         devices_.size(), std::move(link), limits);
  launch->placement = placement_;
  return launch;
}

void Executable::Launch::Cancel() {
  for (const auto& part : parts) part->Cancel();
}

// In a job, a call counts as a run from here on, whatever comes of it: the others have to learn
// what is wrong with it, and all of them have to go on with the same number.
StatusOr<std::vector<std::shared_ptr<Executable::Call>>> Executable::AcceptAll(
    ArraySlice<std::vector<BufferPtr>> arguments, const ExecuteOptions& options) const {
  AXLE_ASSIGN(const std::shared_ptr<Launch> launch, MakeLaunch(options.limits));
  AXLE_TRY(launch->Begin(name()));
  auto calls = AcceptEach(arguments, options, launch);
  if (!calls.ok()) launch->Leave(numbers_[0], calls.status());
  return calls;
}

StatusOr<std::vector<std::shared_ptr<Executable::Call>>> Executable::AcceptEach(
    ArraySlice<std::vector<BufferPtr>> arguments, const ExecuteOptions& options,
    const std::shared_ptr<Launch>& launch) const {
  if (arguments.size() != devices_.size()) {
    return InvalidArgument(StrCat("execute: \"", name(), "\" runs on ", devices_.size(),
                                  placement_ == nullptr ? " devices" : " devices of this process",
                                  ", not on ", arguments.size()));
  }
  if (options.device != nullptr) {
    return InvalidArgument("execute: options.device is set, but ExecuteReplicated has its devices");
  }
  if (devices_.size() > 1) AXLE_TRY(devices_[0]->launcher().StartThreads());
  std::vector<std::shared_ptr<Call>> calls;
  for (size_t d = 0; d < devices_.size(); ++d) {
    ExecuteOptions own = options;
    own.limits = launch->parts[d].get();
    auto call = Accept(arguments[d], static_cast<i64>(d), own);
    if (!call.ok()) {
      // Nothing runs; the arguments that other devices donated are returned to their buffers.
      for (const auto& accepted : calls) accepted->Undo();
      return Status(call.status().code(), StrCat(call.status().message(), " (device ", d, ")"));
    }
    (*call)->launch = launch;
    calls.push_back(*std::move(call));
  }
  return calls;
}

// All devices have their threads by now. A queue without memory runs the call at once: it is
// failed, when the lock is free, since the futures of a call may have callbacks.
void Executable::Enqueue(std::span<const std::shared_ptr<Call>> calls) const {
  if (calls.empty()) return;
  struct Schedule {
    std::thread::id thread = std::this_thread::get_id();
    bool holds_lock = true;  // read and written by that thread only
    std::vector<std::shared_ptr<Call>> refused;
  };
  const auto schedule = std::make_shared<Schedule>();
  schedule->refused.reserve(calls.size());
  {
    const std::lock_guard lock(devices_[0]->launcher().mutex);
    for (const std::shared_ptr<Call>& call : calls) {
      try {
        devices_[call->device]->queue().Schedule(
            [self = shared_from_this(), call, schedule](const Status& scheduled) {
              if (schedule->thread == std::this_thread::get_id() && schedule->holds_lock) {
                schedule->refused.push_back(call);
              } else if (!call->is_taken.exchange(true)) {
                (void)self->Finish(*call, scheduled);
              }
            });
      } catch (const std::bad_alloc&) {
        schedule->refused.push_back(call);
      }
    }
    schedule->holds_lock = false;
  }
  for (const std::shared_ptr<Call>& call : schedule->refused) {
    if (call->is_taken.exchange(true)) continue;
    (void)Finish(*call, ResourceExhausted("execute: no memory to enqueue the run"));
  }
}

Status Executable::AwaitAll(std::span<const std::shared_ptr<Call>> calls, Limits* limits) const {
  Launch& launch = *calls[0]->launch;
  Status ended;
  for (const auto& call : calls) {
    const Status waited = call->done.Await(limits);
    if (waited.ok() || call->done.is_ready()) continue;
    if (!launch.group.first_failure()) ended = waited;
    // The wait was ended. Calls whose turn has not come end here: the limits, which they use, may
    // be gone after this, and what is before them in the queue may take long.
    launch.Cancel();
    for (const auto& waiting : calls) {
      if (waiting->is_taken.exchange(true)) continue;
      (void)Finish(*waiting, Cancelled("the run was ended before its turn came"));
    }
    for (const auto& running : calls) (void)running->done.Await();
  }
  AXLE_TRY(ended);
  const std::optional<i64> cause = launch.group.first_failure();
  const auto first = std::ranges::find(numbers_, cause.value_or(-1)) - numbers_.begin();
  if (cause) AXLE_TRY(calls[static_cast<size_t>(first)]->done.Await());
  for (const auto& call : calls) AXLE_TRY(call->done.Await());
  return {};
}

StatusOr<std::vector<std::vector<BufferPtr>>> Executable::ExecuteReplicated(
    ArraySlice<std::vector<BufferPtr>> arguments, const ExecuteOptions& options) const {
  const LimitedCall limited(options.limits, "the run of", name());
  AXLE_ASSIGN(const auto calls, AcceptAll(arguments, options));
  std::vector<std::vector<BufferPtr>> results;
  for (const auto& call : calls) results.push_back(std::move(call->results));
  const std::span all(calls);
  const size_t num_here = !devices_wait_ && is_brief_ ? calls.size() : 1;
  Enqueue(all.subspan(num_here));
  const auto begin = std::chrono::steady_clock::now();
  for (const auto& call : all.first(num_here)) {
    call->is_taken = true;
    (void)Finish(*call);
  }
  const auto time = std::chrono::steady_clock::now() - begin;
  is_brief_ = time * (all.size() / num_here) < kBrief;
  AXLE_TRY(AwaitAll(calls, options.limits));
  return results;
}

StatusOr<std::vector<ExecuteResult>> Executable::ExecuteReplicatedAsync(
    ArraySlice<std::vector<BufferPtr>> arguments, const ExecuteOptions& options) const {
  AXLE_ASSIGN(const auto calls, AcceptAll(arguments, options));
  std::vector<ExecuteResult> results;
  for (const auto& call : calls) results.push_back({std::move(call->results), call->done});
  Enqueue(calls);
  return results;
}

}  // namespace axle
