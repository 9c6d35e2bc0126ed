// How sorts run, line by line. For sort(k, v) by k[a] < k[b] with floats in total order:
//
//   keys        the integers whose order is that of k: computed once per element
//   positions   0, 1, 2, ...: because v is no key
//   passes      runs of 1, 2, 4, ... are merged from one side of the scratch memory to the other
//   the end     keys that are elements of an operand are copied to the result; other operands are
//               read through the positions
//
// The steps are exactly those of axle/ops/merge_sort.h, because the result of a comparator that is
// no order depends on them. A line of n elements takes n * ceil(log2 n) merge steps, each about
// kMergeTime nanoseconds. Lines are tiles. Arrays whose line is not contiguous are read with their
// stride, both for the keys and when the line is copied.
#include "axle/codegen/steps/sort_step.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

#include "axle/codegen/steps/scratch.h"
#include "axle/emit/strided_copy.h"
#include "axle/ops/attributes/attributes.h"

namespace axle {
namespace {

// The cost of a line beside its elements, in merged elements.
constexpr i64 kLinePositions = 64;

// Offsets in the scratch memory: each array that is merged, twice; the lines of operands that are
// no keys.
struct Scratch {
  explicit Scratch(const SortPlan& plan) {
    const auto take = [&](i64 element_bytes) {
      const i64 at = bytes;
      bytes += ScratchPart(plan.size * element_bytes);
      return at;
    };
    for (std::vector<i64>& side : merged_at) {
      for (size_t i = 0; i < plan.merge_spec.num_arrays(); ++i) {
        side.push_back(take(plan.merge_spec.bytes_of(i)));
      }
    }
    for (const SortPlan::Operand& operand : plan.operands) {
      lines_at.push_back(operand.key == SortPlan::kNoKey ? take(operand.element_bytes) : 0);
    }
  }
  std::vector<i64> merged_at[2];
  std::vector<i64> lines_at;  // by operand
  i64 bytes = 0;
};

// One call of a step.
class Runner {
 public:
  Runner(const RunContext* run, const SortPlan& plan, void* const* buffers)
      : clock_(run),
        plan_(plan),
        num_operands_(plan.operands.size()),
        operands_(buffers),
        results_(buffers + num_operands_) {
    auto* const memory = static_cast<std::byte*>(buffers[2 * num_operands_]);
    const Scratch scratch(plan);
    for (const int side : {0, 1}) {
      for (const i64 at : scratch.merged_at[side]) merged_[side].push_back(memory + at);
    }
    for (const i64 at : scratch.lines_at) lines_.push_back(memory + at);
    SetKeyBounds();
  }

  int Run(i64 line) {
    if (clock_.IsOver()) return kKernelStopped;
    clock_.Did(kLinePositions);
    first_ = line / plan_.step * plan_.step * plan_.size + line % plan_.step;
    ComputeKeys();
    for (size_t k = 0; k < num_operands_; ++k) {
      if (plan_.operands[k].key == SortPlan::kNoKey)
        Copy(lines_[k], 1, At(operands_, k), plan_.step, k);
    }
    from_ = 0;
    if (plan_.has_positions()) {
      WithPositions([&](auto* positions) { std::iota(positions, positions + plan_.size, 0); });
    }
    for (i64 width = 1; width < plan_.size; width *= 2) {
      if (const int result = Merge(width); result != kKernelOk) return result;
      from_ = 1 - from_;
    }
    for (size_t k = 0; k < num_operands_; ++k) WriteLine(k);
    return kKernelOk;
  }

 private:
  std::byte* At(void* const* arrays, size_t k) const {
    return static_cast<std::byte*>(arrays[k]) + first_ * plan_.operands[k].element_bytes;
  }
  void Copy(std::byte* to, i64 to_step, const std::byte* from, i64 from_step, size_t k) const {
    const i64 bytes = plan_.operands[k].element_bytes;
    const StridedDim dim = {plan_.size, to_step * bytes, from_step * bytes};
    StridedCopy({&dim, 1}, to, from, bytes);
  }
  // f(the positions of the line in their new order so far)
  template <typename F>
  void WithPositions(const F& f) const {
    std::byte* const positions = merged_[from_].back();
    if (plan_.merge_spec.other_bytes[0] == sizeof(std::int32_t)) {
      f(reinterpret_cast<std::int32_t*>(positions));
    } else {
      f(reinterpret_cast<i64*>(positions));
    }
  }

  size_t num_key_pointers() const {
    return plan_.comparator.operands.size() + plan_.merge_spec.num_keys();
  }
  // Sets the bounds that checked code may access.
  void SetKeyBounds() {
    if (plan_.keys == nullptr || !plan_.keys->is_checked) return;
    const size_t num_inputs = plan_.comparator.operands.size();
    const i64 num_elements = plan_.size * plan_.num_lines;
    for (size_t i = 0; i < num_inputs; ++i) {
      const size_t k = plan_.comparator.operands[i];
      SetBounds(key_pointers_, num_key_pointers(), i, operands_[k],
                num_elements * plan_.operands[k].element_bytes);
    }
    for (size_t i = 0; i < plan_.merge_spec.num_keys(); ++i) {
      SetBounds(key_pointers_, num_key_pointers(), num_inputs + i, merged_[0][i],
                plan_.size * plan_.merge_spec.bytes_of(i));
    }
  }

  // Keys are computed for a whole line by one call, into the side of the scratch memory from which
  // the first pass reads.
  void ComputeKeys() {
    if (plan_.keys == nullptr) return;
    static constexpr i64 kNoStrides[kMaxLoopOperands] = {};
    const std::vector<size_t>& operands = plan_.comparator.operands;
    i64 strides[kMaxLoopOperands];
    for (size_t i = 0; i < operands.size(); ++i) {
      key_pointers_[i] = At(operands_, operands[i]);
      strides[i] = plan_.step * plan_.operands[operands[i]].element_bytes;
    }
    std::copy_n(merged_[0].begin(), plan_.merge_spec.num_keys(), key_pointers_ + operands.size());
    std::fill(strides + operands.size(), strides + num_key_pointers(), 0);
    plan_.keys->kernel(key_pointers_, plan_.size, 1, kNoStrides, strides);
  }

  // Merges all pairs of neighbouring runs.
  // A pass is cut into calls of kSlicePositions elements, between which the limits are asked;
  // MergeState carries it from call to call.
  int Merge(i64 width) {
    const size_t n = plan_.merge_spec.num_arrays(), count = plan_.merge_spec.num_pointers();
    MergeState state = {.width = width, .until = 0, .right = std::min(width, plan_.size)};
    void* pointers[kMaxLoopPointers];
    for (const int side : {0, 1}) {
      const std::vector<std::byte*>& arrays = merged_[side == 0 ? from_ : 1 - from_];
      std::ranges::copy(arrays, pointers + static_cast<size_t>(side) * n);
      for (size_t i = 0; i < n && plan_.merge->is_checked; ++i) {
        SetBounds(pointers, count, static_cast<size_t>(side) * n + i, arrays[i],
                  plan_.size * plan_.merge_spec.bytes_of(i));
      }
    }
    pointers[2 * n] = &state;
    if (plan_.merge->is_checked) SetBounds(pointers, count, 2 * n, &state, sizeof state);
    while (state.next < plan_.size) {
      if (clock_.IsOver()) return kKernelStopped;
      state.until = std::min(state.next + kSlicePositions, plan_.size);
      clock_.Did(state.until - state.next);
      RunOneRow(*plan_.merge, pointers, plan_.size);
    }
    return kKernelOk;
  }

  void WriteLine(size_t k) const {
    const size_t key = plan_.operands[k].key;
    std::byte* const to = At(results_, k);
    if (key != SortPlan::kNoKey) return Copy(to, plan_.step, merged_[from_][key], 1, k);
    WithPositions([&](const auto* positions) {
      DispatchBytes(static_cast<int>(plan_.operands[k].element_bytes), [&]<typename T>() {
        const T* const from = reinterpret_cast<const T*>(lines_[k]);
        for (i64 i = 0; i < plan_.size; ++i) {
          reinterpret_cast<T*>(to)[i * plan_.step] = from[positions[i]];
        }
      });
    });
  }

  LimitClock clock_;
  const SortPlan& plan_;
  const size_t num_operands_;
  void *const *operands_, *const *results_;
  std::vector<std::byte*> merged_[2];  // by array; keys, then positions
  std::vector<std::byte*> lines_;      // by operand
  int from_ = 0;                       // the side of `merged_` that has the line so far
  i64 first_ = 0;                      // element of the line
  void* key_pointers_[kMaxLoopPointers];
};

}  // namespace

double SortPlan::num_steps() const {
  const int passes = std::bit_width(static_cast<std::uint64_t>(size - 1));
  return static_cast<double>(size) * static_cast<double>(num_lines) * passes;
}

std::shared_ptr<SortPlan> PlanSort(const Instruction& inst, const LaneProgram& comparator) {
  const Shape& shape = inst.operand(0)->shape();
  const i64 dim = inst.attrs<SortAttrs>().dimensions[0];
  if (shape.num_elements() == 0) return nullptr;
  auto plan = std::make_shared<SortPlan>();
  plan->size = shape.dim(dim);
  plan->step = RowMajorStrides(shape.dims())[static_cast<size_t>(dim)];
  plan->num_lines = shape.num_elements() / plan->size;
  plan->comparator = Split(comparator);
  plan->merge_spec.less = &plan->comparator.less;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    plan->operands.push_back({Info(inst.operand(i)->shape().type()).bytes});
  }
  const LaneProgram& keys = plan->comparator.keys;
  for (size_t k = 0; k < keys.results.size(); ++k) {
    const LaneOp& op = keys.code[keys.results[k]];
    if (op.primitive != Primitive::kInput || keys.inputs[op.input()].num_parts != 1) continue;
    plan->operands[plan->comparator.operands[op.input()]].key = k;
  }
  if (std::ranges::count(plan->operands, SortPlan::kNoKey, &SortPlan::Operand::key) > 0) {
    const bool fits = plan->size <= std::numeric_limits<std::int32_t>::max();
    plan->merge_spec.other_bytes = {fits ? i64{sizeof(std::int32_t)} : i64{sizeof(i64)}};
  }
  if (keys.inputs.size() + keys.outputs.size() > kMaxLoopOperands ||
      plan->merge_spec.num_pointers() > kMaxLoopOperands) {
    return nullptr;
  }
  plan->scratch_bytes = Scratch(*plan).bytes;
  return plan;
}

int RunSort(const RunContext* run, const void* data, void* const* buffers, i64 begin, i64 end) {
  Runner runner(run, *static_cast<const SortPlan*>(data), buffers);
  for (i64 line = begin; line < end; ++line) {
    if (const int result = runner.Run(line); result != kKernelOk) return result;
  }
  return kKernelOk;
}

}  // namespace axle
