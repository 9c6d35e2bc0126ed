// How a collective runs. The devices meet (runtime/station.h) and read what they need straight from
// the operands of the others:
//
//   all-reduce       device i of n folds the i-th part of all operands, block by block, writes it
//                    into its own result and copies it to those of the others
//   reduce-scatter   each device folds its own part
//   all others       each device copies what is for it, in runs as long as both sides allow
//
// Then they depart, because until all have done so nobody may change its operands or read its
// results. Where an all-reduce writes into the place of its operand, the device that writes a part
// is the only one that reads it.
//
// Small messages are copied on arrival into memory that stays as it is until the second meeting
// after this one; every device computes its results from these copies, and nobody departs.
//
// Where other processes have devices of the group, spanning_step.cc does all of this.
//
// A run on one device, and on devices that meet in another way, goes to the evaluator. So do cases
// in which it reports an error; they are the same on all devices of a group.
#include "axle/codegen/steps/collective_step.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "axle/codegen/steps/copy_rows.h"
#include "axle/codegen/steps/spanning_step.h"
#include "axle/core/stack_array.h"
#include "axle/ops/collective_meeting.h"
#include "axle/runtime/group_device.h"
#include "axle/runtime/group_run.h"

namespace axle {
namespace {

using How = ExchangeForm;

// Bytes that are folded or copied between two looks at the limits.
constexpr i64 kBytesPerLook = i64{1} << 20;

// One execution, after all have arrived.
class Execution {
 public:
  Execution(const CollectivePlan& plan, const Seat& seat, bool has_slots, void* const* buffers,
            const RunContext* run)
      : plan_(plan),
        seat_(seat),
        has_slots_(has_slots),
        buffers_(buffers),
        results_(buffers + plan.arrays.size() + plan.first_result),
        run_(run) {}

  // False if the limits ended it.
  bool Run() {
    switch (plan_.how) {
      case How::kReduce:
        return Reduce();
      case How::kReduceScatter:
        return ReduceScatter();
      default:
        return Pull();
    }
  }

 private:
  size_t size() const { return seat_.station->size(); }
  const void* shown(size_t position) const {
    return seat_.station->shown(position, seat_.execution);
  }

  const std::byte* Operand(size_t position, size_t i) const {
    if (has_slots_) {
      return static_cast<const std::byte*>(shown(position)) + plan_.arrays[i].offset;
    }
    return static_cast<const std::byte*>(static_cast<void* const*>(shown(position))[i]);
  }
  std::byte* Result(size_t i) const { return static_cast<std::byte*>(results_[i]); }
  // Result i of another device, if they have shown their buffers.
  std::byte* ResultOf(size_t position, size_t i) const {
    return static_cast<std::byte*>(
        static_cast<void* const*>(shown(position))[plan_.arrays.size() + i]);
  }
  std::byte* Scratch() const { return static_cast<std::byte*>(buffers_[plan_.arrays.size() * 2]); }

  bool IsOver(i64 bytes) {
    since_look_ += bytes;
    if (since_look_ < kBytesPerLook) return false;
    since_look_ = 0;
    return run_->stopped(run_);
  }

  // The message is cut into equal parts at cache lines, which are whole elements. With slots each
  // device folds all of it.
  bool Reduce() {
    const auto n = static_cast<i64>(size()), position = static_cast<i64>(seat_.position);
    const auto cut = [&](i64 k) { return plan_.message_bytes / n * k / 64 * 64; };
    const i64 begin = has_slots_ ? 0 : cut(position);
    const i64 end = has_slots_ || position + 1 == n ? plan_.message_bytes : cut(position + 1);
    for (size_t i = 0; i < plan_.arrays.size(); ++i) {
      const CollectivePlan::Array& array = plan_.arrays[i];
      const i64 from = std::clamp<i64>(begin - array.offset, 0, array.bytes);
      const i64 to = std::clamp<i64>(end - array.offset, 0, array.bytes);
      if (from < to && !ReducePart(i, from, to)) return false;
    }
    return true;
  }

  bool ReducePart(size_t i, i64 begin, i64 end) {
    const i64 block = plan_.fold.block_elements() * plan_.fold.element_bytes;
    const StackArray<GroupFold::Value, 16> leaves(size());
    for (i64 at = begin; at < end; at += block) {
      const i64 bytes = std::min(block, end - at);
      for (size_t k = 0; k < size(); ++k) leaves[k].data = Operand(k, i) + at;
      std::byte* const out = Result(i) + at;
      plan_.fold.Run({leaves.begin(), leaves.size()}, {bytes, bytes},
                     bytes / plan_.fold.element_bytes, out, Scratch());
      for (size_t k = 0; k < size() && !has_slots_; ++k) {
        if (k != seat_.position) std::memcpy(ResultOf(k, i) + at, out, static_cast<size_t>(bytes));
      }
      if (IsOver(bytes * static_cast<i64>(size()))) return false;
    }
    return true;
  }

  // A block is a part of a row, or a number of whole rows.
  bool ReduceScatter() {
    const i64 block = plan_.fold.block_elements() * plan_.fold.element_bytes;
    const StackArray<GroupFold::Value, 16> leaves(size());
    for (size_t i = 0; i < plan_.arrays.size(); ++i) {
      const auto& [bytes, offset, rows, run] = plan_.arrays[i];
      if (bytes == 0) continue;
      const i64 step = run * static_cast<i64>(size());
      const i64 rows_at_once = std::max<i64>(1, block / run);
      for (i64 row = 0; row < rows; row += rows_at_once) {
        const i64 count = std::min(rows_at_once, rows - row);
        for (i64 at = 0; at < run; at += block) {
          const i64 size_in_row = std::min(block, run - at);
          for (size_t k = 0; k < size(); ++k) {
            leaves[k].data =
                Operand(k, i) + row * step + static_cast<i64>(seat_.position) * run + at;
          }
          plan_.fold.Run({leaves.begin(), leaves.size()}, {size_in_row, step},
                         count * size_in_row / plan_.fold.element_bytes, Result(i) + row * run + at,
                         Scratch());
          if (IsOver(count * size_in_row * static_cast<i64>(size()))) return false;
        }
      }
    }
    return true;
  }

  bool Pull() {
    const auto n = static_cast<i64>(size()), position = static_cast<i64>(seat_.position);
    for (size_t i = 0; i < plan_.arrays.size(); ++i) {
      const auto& [bytes, offset, rows, run] = plan_.arrays[i];
      switch (plan_.how) {
        case How::kGather:
        case How::kAllToAll: {
          const bool is_gather = plan_.how == How::kGather;
          for (i64 k = 0; k < n; ++k) {
            const std::byte* const from =
                Operand(static_cast<size_t>(k), i) + (is_gather ? 0 : position * run);
            CopyRows(Result(i) + k * run, n * run, from, is_gather ? run : n * run, rows, run);
            if (IsOver(rows * run)) return false;
          }
          break;
        }
        case How::kDeal:
          CopyAll(i, Operand(i, seat_.position), bytes);
          break;
        case How::kPermute:
          if (seat_.source < 0) {
            if (bytes > 0) std::memset(Result(i), 0, static_cast<size_t>(bytes));
          } else {
            CopyAll(i, Operand(static_cast<size_t>(seat_.source), i), bytes);
          }
          break;
        default:
          CopyAll(i, Operand(0, i), bytes);
      }
      if (IsOver(bytes)) return false;
    }
    return true;
  }

  void CopyAll(size_t i, const std::byte* from, i64 bytes) const {
    if (bytes > 0 && Result(i) != from) {
      std::memcpy(Result(i), from, static_cast<size_t>(bytes));
    }
  }

  const CollectivePlan& plan_;
  const Seat& seat_;
  const bool has_slots_;
  void* const* const buffers_;
  void* const* const results_;
  const RunContext* const run_;
  i64 since_look_ = 0;
};

// Where the device meets others at this instruction; null: the evaluator knows what to do.
StatusOr<Seat*> SeatOf(const CollectivePlan& plan, GroupRun& group, const DeviceContext& device) {
  const i64 id = device.device_id();
  if (Seat* const seat = group.FindSeat(id, plan.instruction, plan.form)) return seat;
  AXLE_ASSIGN(const CollectiveMeeting meeting, MeetingOf(*plan.evaluate.inst, device));
  const Dims& participants = meeting.participants;
  const auto count = static_cast<i64>(participants.size());
  const bool is_there = std::ranges::find(participants, id) != participants.end();
  const bool may_miss = plan.how == How::kPermute && participants.empty();
  if ((!is_there && !may_miss) || (plan.parts > 0 && plan.parts != count)) return nullptr;
  AXLE_ASSIGN(Seat* const seat, group.TakeSeat(id, plan.instruction, plan.form, participants));
  seat->source = meeting.source;
  if (seat->spanning != nullptr) seat->sources = meeting.sources;
  return seat;
}

void SetZeros(const CollectivePlan& plan, void* const* buffers) {
  for (size_t i = 0; i < plan.arrays.size(); ++i) {
    void* const result = buffers[plan.arrays.size() + plan.first_result + i];
    if (plan.arrays[i].bytes > 0) {
      std::memset(result, 0, static_cast<size_t>(plan.arrays[i].bytes));
    }
  }
}

// Copies the operands to where all others can read them.
StatusOr<const void*> Send(const CollectivePlan& plan, GroupRun& group, Seat& seat,
                           void* const* buffers) {
  std::byte* const slot = group.NextSlot(seat, plan.message_bytes);
  if (slot == nullptr) return ResourceExhausted("no memory for a message to the other devices");
  for (size_t i = 0; i < plan.arrays.size(); ++i) {
    const auto bytes = static_cast<size_t>(plan.arrays[i].bytes);
    if (bytes > 0) std::memcpy(slot + plan.arrays[i].offset, buffers[i], bytes);
  }
  return slot;
}

// False if the limits ended it.
StatusOr<bool> Meet(const CollectivePlan& plan, GroupRun& group, Seat& seat, i64 device,
                    void* const* buffers, const HostRun& run) {
  const bool has_slots = plan.is_small() && seat.station->size() > 1 && seat.spanning == nullptr;
  const void* shown = static_cast<const void*>(buffers);
  if (has_slots) {
    AXLE_ASSIGN(shown, Send(plan, group, seat, buffers));
  }
  AXLE_TRY(group.Arrive(seat, device, shown, run.limits));
  StatusOr<bool> is_whole = false;
  try {
    if (seat.spanning != nullptr) {
      is_whole = RunSpanning(plan, group, seat, run);
    } else {
      is_whole = Execution(plan, seat, has_slots, buffers, &run).Run();
    }
  } catch (const std::bad_alloc&) {
    is_whole = ResourceExhausted("no memory to fold the values of the other devices");
  }
  if (!has_slots) AXLE_TRY(group.Depart(seat, is_whole.ok() && *is_whole));
  return is_whole;
}

}  // namespace

int RunCollective(const RunContext* context, const void* data, void* const* buffers, i64, i64) {
  // Every run of this library is a HostRun.
  auto& run = *const_cast<HostRun*>(static_cast<const HostRun*>(context));
  const auto& plan = *static_cast<const CollectivePlan*>(data);
  const auto fail = [&](const Status& status) {
    run.status = OpError(*plan.evaluate.inst, status.message(), status.code());
    return kKernelFailed;
  };
  auto* const device = dynamic_cast<GroupDevice*>(run.device);
  GroupRun* const group = device == nullptr ? nullptr : device->group();
  if (group == nullptr) return RunEvaluate(context, &plan.evaluate, buffers, 0, 1);
  try {
    const StatusOr<Seat*> seat = SeatOf(plan, *group, *device);
    if (!seat.ok()) return fail(seat.status());
    if (*seat == nullptr) return RunEvaluate(context, &plan.evaluate, buffers, 0, 1);
    if ((*seat)->station == nullptr) {
      SetZeros(plan, buffers);
      return kKernelOk;
    }
    const StatusOr<bool> is_whole = Meet(plan, *group, **seat, device->device_id(), buffers, run);
    if (!is_whole.ok()) return fail(is_whole.status());
    return *is_whole ? kKernelOk : kKernelStopped;
  } catch (const std::bad_alloc&) {
    return fail(ResourceExhausted("no memory for a meeting of devices"));
  }
}

}  // namespace axle
