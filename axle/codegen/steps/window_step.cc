// How reduce-windows run. A window of 3 over x: f32[10] without padding has 8 results:
//
//   out[o] = f(f(f(init, x[o]), x[o + 1]), x[o + 2])
//
// The compiled loop of f takes window position 0 for all results of a slab, then position 1, then
// 2: each result still folds its elements in order, and neighbouring results are lanes. Padding
// needs no code, because a window position only meets results for which it has an element.
//
// Other forms, from the most special one (PlanWindow):
//
//   prefix    running sums and products of floats, in blocks (axle/ops/prefix_fold.h)
//   scan      other running folds: one pass, each result from the one before it. Along the last
//             dimension by a C++ loop, or transposed in scratch memory a piece at a time
//   sum       sums and products with accumulators apart from the results: narrow floats in f32,
//             windows of more than 512 positions in parts (axle/ops/window_parts.h)
//
// A long scan in another form would take quadratic time and goes to the evaluator (IsLongScan).
// Each tile writes its own results, in an order that does not depend on the tiles.
#include "axle/codegen/steps/window_step.h"

#include <algorithm>
#include <cstring>

#include "axle/codegen/steps/scatter_step.h"
#include "axle/codegen/steps/scratch.h"
#include "axle/core/convert.h"
#include "axle/ops/contraction_kernels.h"
#include "axle/ops/window_parts.h"

namespace axle {
namespace {

// Neighbouring results that a scan works on at a time, and the number from which on it need not
// transpose.
constexpr i64 kScanColumns = 1024, kMinScanColumns = 16;
// Rows and elements that a scan transposes at a time.
constexpr i64 kStagedRows = 64, kStagedElements = 4096;
// Rows that one call of ScanRowsFn takes, and elements of each.
constexpr i64 kScanRows = 16, kScanPiece = 1 << 14;
// A longer scan must not become a window of as many positions.
constexpr i64 kLongScan = 64;

// The dimension of a window that is a scan along it and nothing else; nothing if there is none.
std::optional<i64> ScanDim(const Window& window, const Dims& operand) {
  std::optional<i64> scan;
  for (i64 d = 0; d < std::ssize(window); ++d) {
    if (window[d] == WindowDim()) continue;
    if (scan || CumulativeKind(window[d], operand[d]) == Cumulative::kNo) return std::nullopt;
    scan = d;
  }
  return scan;
}

// A scan in the sense of reduce-window's evaluator, which sweeps along it in linear time.
bool IsLongScan(const Window& window, const Dims& operand) {
  size_t d = 0;
  while (d < window.size() && window[d].size == 1) ++d;
  return d < window.size() && operand[d] > kLongScan &&
         CumulativeKind(window[d], operand[d]) != Cumulative::kNo;
}

ScanShape MakeScan(const Dims& operand, i64 dim, bool is_reverse) {
  ScanShape scan;
  scan.size = operand[dim];
  scan.is_reverse = is_reverse;
  for (i64 d = 0; d < dim; ++d) scan.outer *= operand[d];
  for (i64 d = dim + 1; d < std::ssize(operand); ++d) scan.inner *= operand[d];
  return scan;
}

void PlanScan(const LaneProgram& computation, ElementType type, WindowPlan& plan) {
  ScanShape& scan = *plan.scan;
  plan.num_folded = static_cast<double>(scan.outer * scan.size * scan.inner);
  const std::optional<FoldKernel> fold = UpdateFold(computation, type);
  if (scan.inner == 1 && fold) scan.rows = fold->scan_rows;
  if (scan.rows != nullptr) {
    plan.num_tiles = (scan.outer + kScanRows - 1) / kScanRows;
  } else if (scan.inner >= kMinScanColumns) {
    plan.num_tiles = scan.outer * ((scan.inner + kScanColumns - 1) / kScanColumns);
  } else {
    scan.staged_outer = std::min(scan.outer, kStagedRows / scan.inner);
    const i64 row = scan.staged_outer * scan.inner;
    scan.staged_size = std::min(scan.size, kStagedElements / row);
    plan.num_tiles = (scan.outer + scan.staged_outer - 1) / scan.staged_outer;
    for (const WindowPlan::Array& array : plan.arrays) {
      plan.scratch_bytes += ScratchPart(scan.staged_size * row * array.element_bytes) +
                            ScratchPart((scan.staged_size + 1) * row * array.element_bytes);
    }
  }
}

// Whether the computation takes and gives the elements as they are.
bool FitsArrays(const Instruction& inst) {
  const i64 n = inst.num_operands() / 2;
  const std::span parameters = inst.callee(0)->parameters();
  for (i64 i = 0; i < n; ++i) {
    const ElementType type = inst.operand(i)->shape().type();
    const Shape& result = inst.shape().is_tuple() ? inst.shape().element(i) : inst.shape();
    if (result.type() != type || inst.operand(n + i)->shape().type() != type ||
        parameters[i]->shape().type() != type || parameters[n + i]->shape().type() != type) {
      return false;
    }
  }
  return true;
}

// Whether a window is a prefix fold along some dimension, and something else besides that.
bool IsMixedScan(const Window& window, const Dims& operand) {
  for (size_t d = 0; d < window.size(); ++d) {
    if (window[d].size > 1 && CumulativeKind(window[d], operand[d]) != Cumulative::kNo) {
      return !ScanDim(window, operand);
    }
  }
  return false;
}

// The one component is a sum or product of floats. Sets `prefix`, or what a window of it needs;
// false if there is no such form.
bool PlanSum(ReducerKind kind, const Window& window, const Shape& operand, WindowPlan& plan) {
  const ElementType type = operand.type();
  if (const auto dim = ScanDim(window, operand.dims())) {
    const bool is_reverse = CumulativeKind(window[*dim], operand.dim(*dim)) == Cumulative::kReverse;
    const ScanShape scan = MakeScan(operand.dims(), *dim, is_reverse);
    plan.prefix = PrefixFold::Make(kind, type, scan.outer, scan.size, scan.inner, is_reverse);
    plan.num_folded = static_cast<double>(operand.num_elements());
    plan.num_tiles = plan.prefix->num_tiles();
    plan.scratch_bytes = plan.prefix->scratch_bytes();
    return true;
  }
  if (IsMixedScan(window, operand.dims())) return false;
  const i64 positions = WindowPositions(window).value_or(0);
  if (positions <= kShortWindow && !IsNarrowFloat(type)) return true;  // results are accumulators
  plan.sum = {kind, type, type, positions <= kShortWindow ? 0 : positions, {}};
  if (IsNarrowFloat(type)) {
    plan.sum->computed = F32;
    plan.sum->widening = WideningProgram(kind, type);
  }
  return true;
}

i64 AccumulatorBytes(const WindowPlan& plan) {
  return ScratchPart(plan.window.slab_outputs * Info(plan.sum->computed).bytes);
}

void Fill(const WindowPlan::Array& array, void* to, const void* value, i64 count) {
  DispatchBytes(static_cast<int>(array.element_bytes), [&]<typename T>() {
    std::fill_n(static_cast<T*>(to), count, *static_cast<const T*>(value));
  });
}

// One call of a step.
class Runner {
 public:
  Runner(const WindowPlan& plan, void* const* buffers)
      : plan_(plan),
        n_(plan.arrays.size()),
        operands_(buffers),
        inits_(buffers + n_),
        results_(buffers + 2 * n_),
        scratch_(static_cast<std::byte*>(buffers[3 * n_])),
        outer_strides_(3 * n_),
        inner_strides_(3 * n_) {
    for (size_t i = 0; i < n_ && plan.loop != nullptr && plan.loop->is_checked; ++i) {
      const WindowPlan::Array& array = plan.arrays[i];
      SetArray(i, results_[i], array.result_bytes, operands_[i], array.operand_bytes);
    }
  }

  // Results are their own accumulators: they begin as the init values, and each window position
  // joins its elements with them.
  int Slabs(i64 begin, i64 end, LimitClock& clock) {
    WindowWalk walk(plan_.window);
    for (i64 slab = begin; slab < end; ++slab) {
      if (clock.IsOver()) return kKernelStopped;
      walk.SetSlab(slab);
      for (size_t i = 0; i < n_; ++i) {
        Fill(plan_.arrays[i], Result(i, walk.first()), inits_[i], walk.count());
      }
      clock.Did(walk.count());
      const bool is_done = walk.ForEachCall([&](const WindowCall& call, i64) {
        if (clock.IsOver()) return false;
        Fold(walk.first() + call.output, call);
        clock.Did(call.inner * call.outer);
        return true;
      });
      if (!is_done) return kKernelStopped;
    }
    return kKernelOk;
  }

  // Runs slabs of sums that have accumulators of their own, in scratch memory.
  int SumSlabs(i64 begin, i64 end, LimitClock& clock) {
    const WindowSum& sum = *plan_.sum;
    const i64 most = plan_.window.slab_outputs, bytes = Info(sum.computed).bytes;
    WindowParts parts(sum.kind, sum.computed, most, sum.positions);
    alignas(16) std::byte init[2 * sizeof(double)];
    ConvertElements(sum.type, inits_[0], sum.computed, init, 1);
    const WindowPlan::Array accumulators = {bytes, 0, 0};
    if (plan_.loop->is_checked) {
      SetArray(0, scratch_, most * bytes, operands_[0], plan_.arrays[0].operand_bytes);
    }
    WindowWalk walk(plan_.window);
    for (i64 slab = begin; slab < end; ++slab) {
      if (clock.IsOver()) return kKernelStopped;
      walk.SetSlab(slab);
      Fill(accumulators, scratch_, init, walk.count());
      parts.Begin(scratch_, walk.count(), scratch_ + AccumulatorBytes(plan_));
      clock.Did(walk.count());
      const bool is_done = walk.ForEachCall([&](const WindowCall& call, i64) {
        if (clock.IsOver()) return false;
        if (sum.positions != 0) parts.MoveTo(static_cast<i64>(call.position));
        AddTo(scratch_, bytes, call);
        clock.Did(call.inner * call.outer);
        return true;
      });
      if (!is_done) return kKernelStopped;
      parts.End();
      void* const result = Result(0, walk.first());
      if (sum.computed == sum.type) {
        std::memcpy(result, scratch_, static_cast<size_t>(walk.count() * bytes));
      } else {
        RoundElements(reinterpret_cast<const float*>(scratch_), sum.type, result, walk.count());
      }
    }
    return kKernelOk;
  }

  int Prefix(i64 begin, i64 end, LimitClock& clock) {
    PrefixFolder folder(*plan_.prefix, operands_[0], inits_[0], false, results_[0], scratch_);
    for (i64 tile = begin; tile < end; ++tile) {
      folder.Start(tile);
      while (const i64 folded = folder.Step()) {
        clock.Did(folded);
        if (clock.IsOver()) return kKernelStopped;
      }
    }
    return kKernelOk;
  }

  int Scan(i64 begin, i64 end, LimitClock& clock) {
    const ScanShape& scan = *plan_.scan;
    for (i64 tile = begin; tile < end; ++tile) {
      const int result = scan.rows != nullptr     ? ScanRows(tile, clock)
                         : scan.staged_outer != 0 ? ScanStaged(tile, clock)
                                                  : ScanColumns(tile, clock);
      if (result != kKernelOk) return result;
    }
    return kKernelOk;
  }

 private:
  void* Operand(size_t i, i64 element) const {
    return static_cast<std::byte*>(operands_[i]) + element * plan_.arrays[i].element_bytes;
  }
  void* Result(size_t i, i64 element) const {
    return static_cast<std::byte*>(results_[i]) + element * plan_.arrays[i].element_bytes;
  }
  // Where the kernel finds array i, if it is checked.
  void SetArray(size_t i, void* results, i64 result_bytes, void* operand, i64 operand_bytes) {
    SetBounds(pointers_, 3 * n_, i, results, result_bytes);
    SetBounds(pointers_, 3 * n_, n_ + i, operand, operand_bytes);
    SetBounds(pointers_, 3 * n_, 2 * n_ + i, results, result_bytes);
  }
  // The kernel's arrays: accumulators, elements, and where the new accumulators go.
  void SetPointers(size_t i, void* from, void* elements, void* to) {
    pointers_[i] = from;
    pointers_[n_ + i] = elements;
    pointers_[2 * n_ + i] = to;
  }
  // Sets the strides from row to row, in elements.
  void SetStrides(i64 outputs, i64 elements) {
    for (size_t i = 0; i < n_; ++i) {
      const i64 bytes = plan_.arrays[i].element_bytes;
      outer_strides_[i] = outer_strides_[2 * n_ + i] = outputs * bytes;
      outer_strides_[n_ + i] = elements * bytes;
    }
  }
  void Run(const LoopPlan& loop, i64 inner, i64 outer) {
    loop.kernel(pointers_, inner, outer, outer_strides_.data(), inner_strides_.data());
  }

  void Fold(i64 output, const WindowCall& call) {
    SetStrides(call.outer_output_step, call.outer_element_step);
    for (size_t i = 0; i < n_; ++i) {
      void* const result = Result(i, output);
      SetPointers(i, result, Operand(i, call.element), result);
      inner_strides_[n_ + i] = call.inner_element_step * plan_.arrays[i].element_bytes;
    }
    const bool is_apart = call.inner > 1 && call.inner_element_step != 1;
    Run(is_apart ? *plan_.apart : *plan_.loop, call.inner, call.outer);
  }

  // Folds the elements of a call into the accumulators of a slab, which have `bytes` bytes each.
  void AddTo(std::byte* accumulators, i64 bytes, const WindowCall& call) {
    const i64 element_bytes = plan_.arrays[0].element_bytes;
    outer_strides_[0] = outer_strides_[2] = call.outer_output_step * bytes;
    outer_strides_[1] = call.outer_element_step * element_bytes;
    inner_strides_[1] = call.inner_element_step * element_bytes;
    std::byte* const first = accumulators + call.output * bytes;
    SetPointers(0, first, Operand(0, call.element), first);
    const bool is_apart = call.inner > 1 && call.inner_element_step != 1;
    Run(is_apart ? *plan_.apart : *plan_.loop, call.inner, call.outer);
  }

  // Several rows at a time, because each is one chain of dependent operations.
  int ScanRows(i64 tile, LimitClock& clock) {
    const ScanShape& scan = *plan_.scan;
    const i64 bytes = plan_.arrays[0].element_bytes, row = tile * kScanRows;
    const i64 rows = std::min(kScanRows, scan.outer - row);
    alignas(16) std::byte accumulators[kScanRows * sizeof(double)];
    for (i64 r = 0; r < rows; ++r) {
      std::memcpy(accumulators + r * bytes, inits_[0], static_cast<size_t>(bytes));
    }
    for (i64 done = 0; done < scan.size; done += kScanPiece) {
      if (clock.IsOver()) return kKernelStopped;
      const i64 count = std::min(kScanPiece, scan.size - done);
      const i64 first = row * scan.size + (scan.is_reverse ? scan.size - 1 - done : done);
      scan.rows(accumulators, Operand(0, first), Result(0, first), rows, scan.size, count,
                scan.is_reverse ? -1 : 1);
      clock.Did(rows * count);
    }
    return kKernelOk;
  }

  // Each row of results is the one before it, joined with a row of elements.
  int ScanColumns(i64 tile, LimitClock& clock) {
    const ScanShape& scan = *plan_.scan;
    const i64 parts = (scan.inner + kScanColumns - 1) / kScanColumns;
    const i64 column = tile % parts * kScanColumns;
    const i64 columns = std::min(kScanColumns, scan.inner - column);
    const i64 step = scan.is_reverse ? -scan.inner : scan.inner;
    i64 at = tile / parts * scan.size * scan.inner + column;
    if (scan.is_reverse) at += (scan.size - 1) * scan.inner;
    for (size_t i = 0; i < n_; ++i) {
      void* const result = Result(i, at);
      Fill(plan_.arrays[i], result, inits_[i], columns);
      SetPointers(i, result, Operand(i, at), result);
    }
    Run(*plan_.loop, columns, 1);
    SetStrides(step, step);
    const i64 most = std::max<i64>(1, kSlicePositions / columns);
    for (i64 done = 1; done < scan.size; done += most) {
      if (clock.IsOver()) return kKernelStopped;
      const i64 count = std::min(most, scan.size - done);
      for (size_t i = 0; i < n_; ++i) {
        const i64 first = at + done * step;
        SetPointers(i, Result(i, first - step), Operand(i, first), Result(i, first));
      }
      Run(*plan_.loop, columns, count);
      clock.Did(count * columns);
    }
    return kKernelOk;
  }

  // Like ScanColumns, with rows of scratch memory: rows of elements, and after them the results,
  // the first row of which is the state of the scan.
  int ScanStaged(i64 tile, LimitClock& clock) {
    const ScanShape& scan = *plan_.scan;
    const i64 first = tile * scan.staged_outer;
    const i64 outer = std::min(scan.staged_outer, scan.outer - first), row = outer * scan.inner;
    const i64 step = scan.is_reverse ? -scan.inner : scan.inner;
    const i64 begin =
        first * scan.size * scan.inner + (scan.is_reverse ? (scan.size - 1) * scan.inner : 0);
    std::vector<std::byte*> elements, results;
    std::byte* next = scratch_;
    for (size_t i = 0; i < n_; ++i) {
      const WindowPlan::Array& array = plan_.arrays[i];
      const i64 bytes = scan.staged_size * row * array.element_bytes;
      const i64 result_bytes = bytes + row * array.element_bytes;
      elements.push_back(next);
      results.push_back(next + ScratchPart(bytes));
      next = results[i] + ScratchPart(result_bytes);
      Fill(array, results[i], inits_[i], row);
      if (plan_.loop->is_checked) SetArray(i, results[i], result_bytes, elements[i], bytes);
    }
    SetStrides(row, row);
    for (i64 done = 0; done < scan.size; done += scan.staged_size) {
      if (clock.IsOver()) return kKernelStopped;
      const i64 count = std::min(scan.staged_size, scan.size - done), at = begin + done * step;
      for (size_t i = 0; i < n_; ++i) {
        const i64 bytes = plan_.arrays[i].element_bytes;
        const StridedDim in_order[] = {{count, row * bytes, step * bytes},
                                       {outer, scan.inner * bytes, scan.size * scan.inner * bytes},
                                       {scan.inner, bytes, bytes}};
        Copy(in_order, elements[i], Operand(i, at), bytes);
        SetPointers(i, results[i], elements[i], results[i] + row * bytes);
      }
      Run(*plan_.loop, row, count);
      for (size_t i = 0; i < n_; ++i) {
        const i64 bytes = plan_.arrays[i].element_bytes;
        const StridedDim back[] = {{outer, scan.size * scan.inner * bytes, scan.inner * bytes},
                                   {count, step * bytes, row * bytes},
                                   {scan.inner, bytes, bytes}};
        Copy(back, Result(i, at), results[i] + row * bytes, bytes);
        std::memcpy(results[i], results[i] + count * row * bytes, static_cast<size_t>(row * bytes));
      }
      clock.Did(count * row);
    }
    return kKernelOk;
  }
  void Copy(std::span<const StridedDim> box, void* to, const void* from, i64 bytes) {
    dims_.clear();
    for (const StridedDim& dim : box) AppendDim(dims_, dim);
    if (dims_.empty()) dims_.push_back({1, 0, 0});
    StridedCopy(dims_, static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
  }

  const WindowPlan& plan_;
  const size_t n_;
  void *const *operands_, *const *inits_, *const *results_;
  std::byte* scratch_;
  void* pointers_[kMaxLoopPointers];
  Dims outer_strides_, inner_strides_;  // in bytes, as of a LoopKernel
  std::vector<StridedDim> dims_;
};

}  // namespace

// Sums and products of floats come first, because their order is defined apart (N8). In a
// reduce-window of several arrays, one that would need such a form refuses the whole plan.
std::shared_ptr<WindowPlan> PlanWindow(const Instruction& inst, const LaneProgram& computation) {
  const auto n = static_cast<size_t>(inst.num_operands() / 2);
  if (3 * n > kMaxLoopOperands || !FitsArrays(inst)) return nullptr;
  const Shape& operand = inst.operand(0)->shape();
  const Shape& result = inst.shape().is_tuple() ? inst.shape().element(0) : inst.shape();
  if (operand.num_elements() == 0 || result.num_elements() == 0) return nullptr;
  const Window& window = inst.attrs<WindowAttrs>().window;
  auto plan = std::make_shared<WindowPlan>();
  for (size_t i = 0; i < n; ++i) {
    const Shape& array = inst.operand(static_cast<i64>(i))->shape();
    const i64 bytes = Info(array.type()).bytes;
    plan->arrays.push_back({bytes, operand.num_elements() * bytes, result.num_elements() * bytes});
  }
  std::vector<ElementType> types;
  for (size_t i = 0; i < n; ++i) {
    types.push_back(inst.operand(static_cast<i64>(i))->shape().type());
  }
  const std::vector<ReducerKind> kinds = ClassifyReducer(computation, types);
  for (size_t i = 0; i < n; ++i) {
    if (!IsSumOrProduct(kinds[i], types[i])) continue;
    WindowPlan alone;
    WindowPlan& planned = n == 1 ? *plan : alone;
    if (!PlanSum(kinds[i], window, operand.WithType(types[i]), planned)) return nullptr;
    if (n > 1 && (alone.prefix || alone.sum)) return nullptr;
  }
  if (plan->prefix) return plan;
  if (const auto dim = ScanDim(window, operand.dims())) {
    const Cumulative kind = CumulativeKind(window[*dim], operand.dim(*dim));
    plan->scan = MakeScan(operand.dims(), *dim, kind == Cumulative::kReverse);
    PlanScan(computation, operand.type(), *plan);
    return plan;
  }
  if (IsLongScan(window, operand.dims())) return nullptr;
  auto shape = PlanWindowShape(window, operand.dims(), result.dims(), WindowOrder::kFold);
  if (!shape) return nullptr;
  plan->window = *std::move(shape);
  plan->num_tiles = plan->window.num_slabs;
  if (plan->sum) {
    plan->scratch_bytes =
        AccumulatorBytes(*plan) +
        WindowParts::Bytes(plan->sum->computed, plan->window.slab_outputs, plan->sum->positions);
  }
  plan->num_folded =
      static_cast<double>(plan->window.num_outputs) * static_cast<double>(plan->window.num_taps);
  return plan;
}

int RunWindow(const RunContext* run, const void* data, void* const* buffers, i64 begin, i64 end) {
  const auto& plan = *static_cast<const WindowPlan*>(data);
  Runner runner(plan, buffers);
  LimitClock clock(run);
  return plan.prefix ? runner.Prefix(begin, end, clock)
         : plan.scan ? runner.Scan(begin, end, clock)
         : plan.sum  ? runner.SumSlabs(begin, end, clock)
                     : runner.Slabs(begin, end, clock);
}

}  // namespace axle
