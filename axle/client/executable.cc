#include "axle/client/executable.h"

#include <algorithm>
#include <exception>
#include <map>
#include <new>
#include <optional>
#include <utility>

#include "axle/client/buffer_storage.h"
#include "axle/client/executable_call.h"
#include "axle/client/profile.h"
#include "axle/client/run_device.h"
#include "axle/client/run_devices.h"
#include "axle/core/argument.h"
#include "axle/core/device_context.h"
#include "axle/core/limits.h"
#include "axle/core/literal_layouts.h"
#include "axle/core/stack_array.h"
#include "axle/core/strings.h"
#include "axle/ir/module.h"
#include "axle/ops/op_def.h"
#include "axle/runtime/group_run.h"
#include "axle/runtime/host_device.h"
#include "axle/runtime/serial_queue.h"

namespace axle {
namespace {

Status OneDeviceOnly(const Executable& executable) {
  const size_t num_devices = executable.devices().size();
  if (num_devices == 1) return {};
  return InvalidArgument(StrCat("execute: \"", executable.name(), "\" runs on ", num_devices,
                                " devices: ExecuteReplicated takes arguments for each"));
}

// As long as it lives, the limits allow no more memory than the client has left after its buffers.
class ScopedMemoryCap {
 public:
  // `live` bytes were accounted for before the run.
  ScopedMemoryCap(Limits& limits, const MemoryBudget& memory, i64 live)
      : limits_(limits), before_(limits.memory_cap()) {
    const i64 left = std::max<i64>(memory.cap() - memory.live(), 0);
    const i64 more = std::numeric_limits<i64>::max() - left;
    limits_.set_memory_cap(std::min(before_, left + std::min(live, more)));
  }
  ~ScopedMemoryCap() { limits_.set_memory_cap(before_); }
  ScopedMemoryCap(const ScopedMemoryCap&) = delete;
  ScopedMemoryCap& operator=(const ScopedMemoryCap&) = delete;

 private:
  Limits& limits_;
  const i64 before_;
};

// Which arguments to donate, and which of them must be donated, by parameter; empty if there are
// none.
enum class Donation : std::uint8_t { kNone, kMay, kMust };

bool MayDonate(const Module& module, const ExecuteOptions& options) {
  return !module.config().input_output_alias.empty() || !module.config().buffer_donor.empty() ||
         !options.not_donated.empty() || !options.donated.empty();
}

StatusOr<std::vector<Donation>> Donations(const Module& module, const ExecuteOptions& options) {
  const auto num_parameters = static_cast<i64>(module.entry()->parameters().size());
  if (!MayDonate(module, options)) return std::vector<Donation>();
  std::vector<Donation> donations(num_parameters, Donation::kNone);
  const auto check = [&](i64 parameter) -> Status {
    if (parameter >= 0 && parameter < num_parameters) return {};
    return InvalidArgument(StrCat("execute: there is no argument ", parameter, " to donate, \"",
                                  module.entry()->name(), "\" takes ", num_parameters));
  };
  for (const AliasEntry& alias : module.config().input_output_alias) {
    Donation& donation = donations[alias.parameter];
    donation =
        std::max(donation, alias.kind == AliasKind::kMustAlias ? Donation::kMust : Donation::kMay);
  }
  for (const BufferDonor& donor : module.config().buffer_donor) {
    donations[donor.parameter] = std::max(donations[donor.parameter], Donation::kMay);
  }
  for (i64 parameter : options.not_donated) {
    AXLE_TRY(check(parameter));
    donations[parameter] = Donation::kNone;
  }
  for (i64 parameter : options.donated) {
    AXLE_TRY(check(parameter));
    donations[parameter] = std::max(donations[parameter], Donation::kMay);
  }
  return donations;
}

Status ArgumentError(size_t i, const Status& status) {
  return {status.code(), StrCat("execute: argument ", i, ": ", status.message())};
}

// Whether the program has an instruction that may wait for another device or for the host.
// Functions of the user may wait for anything, whatever effects they have.
bool MayWait(const Module& module) {
  return std::ranges::any_of(module.computations(), [](const auto& computation) {
    return std::ranges::any_of(computation->instructions(), [](const Instruction* inst) {
      return GetOpDef(*inst).has(kSideEffect);
    });
  });
}

}  // namespace

Executable::Executable(std::shared_ptr<const Module> module, ProgramShape shape, RunDevices devices)
    : module_(std::move(module)),
      shape_(std::make_shared<const ProgramShape>(std::move(shape))),
      devices_(std::move(devices.local)),
      numbers_(std::move(devices.numbers)),
      num_devices_(devices.num_devices),
      placement_(std::move(devices.placement)),
      devices_wait_(num_devices_ > 1 && MayWait(*module_)) {}

const std::string& Executable::name() const {
  return module_->name();
}

CostAnalysis Executable::cost_analysis() const {
  return AnalyzeCost(*module_);
}

MemoryAnalysis Executable::memory_analysis() const {
  return AnalyzeMemory(*module_);
}

std::shared_ptr<const Shape> Executable::SharedShape(const Shape& of_result) const {
  return {shape_, &of_result};
}

StatusOr<Literal> Executable::RunOn(i64 device, std::span<const Argument> arguments,
                                    const ExecuteOptions& options, Launch* launch) const {
  const LimitedCall call(options.limits, "the run of", name());
  if (options.limits != nullptr) AXLE_TRY(options.limits->Check());  // some runs never check again
  const ModuleConfig& config = module_->config();
  DeviceContext* host = options.device != nullptr ? options.device : &devices_[device]->host();
  GroupRun* const group = launch == nullptr ? nullptr : &launch->group;
  std::optional<RunDevice> own_device;  // few runs need one
  const bool plain = num_devices_ == 1 && options.random_seed == 0;
  if (!plain && options.device == nullptr) {
    own_device.emplace(*host, numbers_[device], config, options.random_seed, group);
  }
  DeviceContext* context = own_device ? &*own_device : host;
  const MemoryBudget& memory = devices_[device]->memory();
  Limits* limits = options.limits;
  std::unique_ptr<Limits> own;  // on the heap: few runs need them
  std::optional<ScopedMemoryCap> cap;
  try {
    if (memory.cap() != std::numeric_limits<i64>::max()) {
      if (limits == nullptr) limits = (own = std::make_unique<Limits>()).get();
      // What the run itself has live on other devices is no reason to give it more.
      cap.emplace(*limits, memory, launch == nullptr ? limits->live_bytes() : launch->live_before);
    }
    std::optional<Profile::Recording> recording;
    if (options.profile != nullptr) recording.emplace(*options.profile);
    StatusOr<Literal> result =
        Run(arguments, context, limits, recording ? &recording->steps() : nullptr);
    if (recording && result.ok()) recording->Finish(*this, numbers_[device]);
    // Callbacks that are told of the end may throw as well.
    if (limits != nullptr && result.ok()) AXLE_TRY(limits->progress_error());
    if (!result.ok() || !HasLayout(shape_->result)) return result;
    return InLayoutsOf(*std::move(result), shape_->result);
  } catch (const std::bad_alloc&) {
    return ResourceExhausted(StrCat("execute: no memory for the result of \"", name(), "\""));
  } catch (const std::exception& exception) {
    return Internal(StrCat("execute: exception: ", exception.what()));
  } catch (...) {
    return Internal("execute: an exception that is not a std::exception");
  }
}

StatusOr<Literal> Executable::Execute(ArraySlice<Literal> arguments,
                                      const ExecuteOptions& options) const {
  if (options.device == nullptr) AXLE_TRY(OneDeviceOnly(*this));
  const StackArray<Argument, 16> borrowed(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) borrowed[i] = {&arguments[i], nullptr};
  if (placement_ == nullptr) return RunOn(0, borrowed, options, /*launch=*/nullptr);
  if (options.device != nullptr) {
    return InvalidArgument(StrCat("execute: options.device is set, but \"", name(),
                                  "\" runs in several processes, on devices of their clients"));
  }
  AXLE_ASSIGN(const std::shared_ptr<Launch> launch, MakeLaunch(options.limits));
  AXLE_TRY(launch->Begin(name()));
  ExecuteOptions own = options;
  own.limits = launch->parts[0].get();
  StatusOr<Literal> result = RunOn(0, borrowed, own, launch.get());
  launch->Leave(numbers_[0], result.status());
  return result;
}

Status Executable::CheckBuffers(ArraySlice<BufferPtr> arguments, i64 device) const {
  const auto parameters = module_->entry()->parameters();
  if (arguments.size() != parameters.size()) {
    return InvalidArgument(StrCat("execute: \"", module_->entry()->name(), "\" takes ",
                                  parameters.size(), " arguments, not ", arguments.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == nullptr) {
      return InvalidArgument(StrCat("execute: argument ", i, " is null"));
    }
    const Buffer& buffer = *arguments[i];
    if (!Compatible(buffer.shape(), parameters[i]->shape())) {
      return InvalidArgument(StrCat("execute: argument ", i, " is ", buffer.shape().ToString(),
                                    " but \"", module_->entry()->name(), "\" expects ",
                                    parameters[i]->shape().ToString(), " for parameter ", i, " \"",
                                    parameters[i]->name(), "\""));
    }
    if (&buffer.device() != devices_[device].get()) {
      return InvalidArgument(StrCat(
          "execute: argument ", i, " is on ", buffer.device().ToString(),
          ", but the program runs on ", devices_[device]->ToString(),
          buffer.device().ordinal() == devices_[device]->ordinal() ? " of another client" : ""));
    }
  }
  return {};
}

// The examples are those of XLA's messages.
static Status DonatedTwice(size_t i, Donation first, size_t j, Donation second) {
  const bool both = first != Donation::kNone && second != Donation::kNone;
  const std::string who =
      both ? "both donate" : StrCat("argument ", first != Donation::kNone ? i : j, " donates");
  const std::string_view example = both                       ? "f(donate(a), donate(a))"
                                   : first != Donation::kNone ? "f(donate(a), a)"
                                                              : "f(a, donate(a))";
  return InvalidArgument(StrCat("execute: arguments ", i, " and ", j, " are one buffer, which ",
                                who, ", as in `", example, "`; pass a copy of it"));
}

StatusOr<std::shared_ptr<Executable::Call>> Executable::Accept(
    ArraySlice<BufferPtr> arguments, i64 device, const ExecuteOptions& options) const {
  AXLE_TRY(CheckBuffers(arguments, device));
  AXLE_ASSIGN(const std::vector<Donation> donations, Donations(*module_, options));
  std::map<const Buffer*, size_t> first;
  for (size_t i = 0; i < donations.size(); ++i) {
    const auto [it, is_new] = first.try_emplace(arguments[i].get(), i);
    const size_t j = it->second;
    if (is_new || std::max(donations[j], donations[i]) == Donation::kNone) continue;
    return DonatedTwice(j, donations[j], i, donations[i]);
  }
  auto call = std::make_shared<Call>();
  call->device = device;
  call->options = options;
  const auto promise = [&](const Shape& shape) {
    BufferPtr buffer = Buffer::Promised(devices_[device], SharedShape(shape));
    call->promised.push_back(buffer->storage());
    call->results.push_back(std::move(buffer));
  };
  if (shape_->result.is_tuple()) {
    for (const Shape& element : shape_->result.elements()) promise(element);
  } else {
    promise(shape_->result);
  }
  // All memory is allocated first: an exception would lose what has been donated by then.
  call->news.reserve(call->promised.size());
  call->arguments.resize(arguments.size());
  call->uses.reserve(arguments.size());
  call->donated.reserve(arguments.size());
  const auto refuse = [&](size_t i, const Status& status) -> Status {
    call->Undo();
    return ArgumentError(i, status);
  };
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!donations.empty() && donations[i] != Donation::kNone) {
      auto storage = arguments[i]->Donate(donations[i] == Donation::kMust);
      if (!storage.ok()) return refuse(i, storage.status());
      call->arguments[i] = *std::move(storage);
      call->donated.push_back({arguments[i], i});
      continue;
    }
    auto use = arguments[i]->Use();
    if (!use.ok()) return refuse(i, use.status());
    call->arguments[i] = use->storage();
    call->uses.push_back(*std::move(use));
  }
  return call;
}

Status Executable::Finish(Call& call, const Status& scheduled) const {
  const LimitedCall limited(call.options.limits, "the run of", name());
  const auto run = [&]() -> StatusOr<Literal> {
    AXLE_TRY(scheduled);
    const StackArray<Argument, 16> arguments(call.arguments.size());
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      BufferStorage& storage = *call.arguments[i];
      AXLE_TRY(storage.ready.Await(call.options.limits));
      // A donated value without other users is handed over, so that the run may change it. The call
      // itself is a user of arguments that are not donated.
      arguments[i] = {&storage.value, storage.num_users == 0 ? &storage.value : nullptr};
    }
    return RunOn(call.device, arguments, call.options, call.launch.get());
  };
  StatusOr<Literal> result = run();
  const Status ran = result.status();
  if (call.launch != nullptr) call.launch->Leave(numbers_[call.device], ran);
  Status status = ran;
  // This happens before the results are charged, since a result may be in the memory of a donated
  // argument.
  call.arguments.clear();
  call.uses.clear();
  for (size_t i = 0; i < call.promised.size(); ++i) {
    BufferStorage& storage = *call.promised[i];
    Status kept = ran;
    if (kept.ok()) {
      Literal& value = shape_->result.is_tuple() ? result->mutable_elements()[i] : *result;
      kept = storage.Keep(std::move(value));
    }
    if (status.ok()) status = kept;
    call.news.emplace_back(storage.ready, std::move(kept));
  }
  if (!status.ok()) {
    for (const Call::Donated& given : call.donated) given.buffer->SetFate(status);
  }
  // The call releases all its memory before the futures are set, so that a thread that has waited
  // sees the memory as free.
  call.donated.clear();
  call.promised.clear();
  for (auto& [ready, kept] : call.news) ready.Set(std::move(kept));
  call.done.Set(status);
  return status;
}

// There are no pending buffers here: the caller receives the results when they are computed.
StatusOr<std::vector<BufferPtr>> Executable::RunOnBuffers(ArraySlice<BufferPtr> arguments,
                                                          const ExecuteOptions& options) const {
  const LimitedCall call(options.limits, "the run of", name());
  AXLE_TRY(CheckBuffers(arguments, 0));
  const auto run = [&]() -> StatusOr<Literal> {
    const StackArray<BufferUse, 8> uses(arguments.size());
    const StackArray<Argument, 16> borrowed(arguments.size());
    for (size_t i = 0; i < arguments.size(); ++i) {
      auto use = arguments[i]->Use();
      if (!use.ok()) return ArgumentError(i, use.status());
      uses[i] = *std::move(use);
      borrowed[i] = {&uses[i].storage()->value, nullptr};
    }
    for (size_t i = 0; i < arguments.size(); ++i) {
      AXLE_TRY(uses[i].storage()->ready.Await(options.limits));
    }
    return RunOn(0, borrowed, options, /*launch=*/nullptr);
  };
  // The run has released the arguments when the results are charged.
  AXLE_ASSIGN(Literal && value, run());
  try {
    std::vector<BufferPtr> results;
    const auto add = [&](Literal&& element, const Shape& shape) -> Status {
      AXLE_ASSIGN(BufferPtr buffer,
                  Buffer::Create(devices_[0], std::move(element), SharedShape(shape)));
      results.push_back(std::move(buffer));
      return {};
    };
    if (!shape_->result.is_tuple()) {
      AXLE_TRY(add(std::move(value), shape_->result));
      return results;
    }
    results.reserve(shape_->result.elements().size());
    for (i64 i = 0; i < shape_->result.num_tuple_elements(); ++i) {
      AXLE_TRY(add(std::move(value.mutable_elements()[static_cast<size_t>(i)]),
                   shape_->result.element(i)));
    }
    return results;
  } catch (const std::bad_alloc&) {
    return ResourceExhausted(StrCat("execute: no memory for the result of \"", name(), "\""));
  }
}

StatusOr<std::vector<BufferPtr>> Executable::Execute(ArraySlice<BufferPtr> arguments,
                                                     const ExecuteOptions& options) const {
  AXLE_TRY(OneDeviceOnly(*this));
  if (placement_ != nullptr) {
    const std::vector<BufferPtr> of_device(arguments.begin(), arguments.end());
    AXLE_ASSIGN(std::vector<std::vector<BufferPtr>> results,
                ExecuteReplicated({of_device}, options));
    return std::move(results[0]);
  }
  if (!MayDonate(*module_, options)) return RunOnBuffers(arguments, options);
  AXLE_ASSIGN(const std::shared_ptr<Call> call, Accept(arguments, 0, options));
  std::vector<BufferPtr> results = std::move(call->results);
  AXLE_TRY(Finish(*call));
  return results;
}

StatusOr<ExecuteResult> Executable::ExecuteAsync(ArraySlice<BufferPtr> arguments,
                                                 const ExecuteOptions& options) const {
  AXLE_TRY(OneDeviceOnly(*this));
  if (placement_ != nullptr) {
    const std::vector<BufferPtr> of_device(arguments.begin(), arguments.end());
    AXLE_ASSIGN(std::vector<ExecuteResult> results, ExecuteReplicatedAsync({of_device}, options));
    return std::move(results[0]);
  }
  AXLE_ASSIGN(const std::shared_ptr<Call> call, Accept(arguments, 0, options));
  ExecuteResult result{std::move(call->results), call->done};
  try {
    devices_[0]->queue().Schedule([self = shared_from_this(), call](const Status& scheduled) {
      (void)self->Finish(*call, scheduled);
    });
  } catch (const std::bad_alloc&) {
    call->Undo();
    return ResourceExhausted("execute: no memory to enqueue the run");
  }
  return result;
}

}  // namespace axle
