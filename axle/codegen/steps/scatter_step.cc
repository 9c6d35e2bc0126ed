// How scatters run. For an operand f32[100,8], indices s32[5,1] and updates f32[5,8] whose rows are
// windows:
//
//   batch     5 index vectors, each with the next 8 updates
//   entry     index * 8 elements from the operand's beginning; 0 <= index <= 99, else left out
//   window    one row of 8 neighbours
//
// Index vectors are read some hundred at a time (kBlock): first all entries of the block are added
// up to places of windows, kOutside for those that are left out, then the rows of these windows are
// combined. Updates of one element are applied one after the other in row-major order, as
// docs/numerics.md N7 asks.
//
// Threads share the result, not the updates: a tile is a range of its elements (Range), reads all
// index vectors, and applies, in their order, the updates of its own elements. Reading the indices
// is done once by each thread, so that only windows of several elements are worth it, and only if
// each is one row that lies in one range (ShareResult).
//
// The way to combine is chosen when the step is planned: a copy if the update replaces the element,
// a C++ loop for known reducers, with f32 accumulators for narrow floats, or the compiled loop of
// the computation on one row. Time is linear in the updates, beside a copy of the operand where the
// result does not take its place.
#include "axle/codegen/steps/scatter_step.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "axle/codegen/steps/scratch.h"
#include "axle/emit/strided_copy.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/contraction_kernels.h"
#include "axle/ops/index_vectors.h"
#include "axle/ops/lanes/reducer.h"

namespace axle {
namespace {

// Index vectors that are read at a time.
constexpr i64 kBlock = 256;
// Rows of fewer bytes take no longer than their index vectors.
constexpr i64 kMinSharedRowBytes = 32;
// Tiles, so that each of several threads has one.
constexpr i64 kTiles = 64;
// Nanoseconds of an index vector, and of each byte of a row.
constexpr double kVectorTime = 2, kUpdateByteTime = 0.05;
// Elements between two looks at the limits.
constexpr i64 kSlice = i64{1} << 19;
// The place of a window that is left out. It stays negative whatever is added to it.
constexpr i64 kOutside = -(i64{1} << 62);

// The update replaces the element.
bool IsOverwrite(const LaneProgram& program) {
  for (size_t part = 0; part < program.results.size(); ++part) {
    const LaneOp& op = program.code[program.results[part]];
    if (op.primitive != Primitive::kInput || op.immediate != (std::uint64_t{part} << 32 | 1)) {
      return false;
    }
  }
  return program.outputs.size() == 1;
}

// Window dimensions are merged as far as operand and updates allow; if the last one has neighbours
// in both, it is the row.
void AddWindow(const ScatterAttrs& attrs, const Dims& operand_strides, const Shape& updates,
               ScatterPlan& plan) {
  const Dims update_strides = RowMajorStrides(updates.dims());
  const Dims windowed = RemainingDims(static_cast<i64>(operand_strides.size()),
                                      attrs.inserted_window_dims, attrs.input_batching_dims);
  std::vector<StridedDim> dims;
  for (size_t k = 0; k < windowed.size(); ++k) {
    const i64 d = attrs.update_window_dims[k];
    dims.push_back({updates.dim(d), operand_strides[windowed[k]], update_strides[d]});
    plan.window_elements *= updates.dim(d);
  }
  for (const StridedDim& dim : MergeStridedDims(dims)) {
    plan.window.push_back({dim.count, dim.to_step, dim.from_step});
  }
  const ScatterPlan::WindowDim last = plan.window.back();
  if (last.count == 1 || (last.operand_step == 1 && last.update_step == 1)) {
    plan.row = last.count;
    plan.window.pop_back();
  }
}

// Whether the two dimensions are one: the next one goes on where the last one ends.
bool AreOne(const ScatterPlan::BatchDim& outer, const ScatterPlan::BatchDim& inner) {
  return outer.operand_step == 0 && inner.operand_step == 0 &&
         outer.update_step == inner.count * inner.update_step &&
         outer.index_step == inner.count * inner.index_step;
}

// Index vectors are counted along all dimensions of the indices but the one that holds a vector.
// Dimensions that do not move the operand are merged if they follow each other in memory.
void AddBatch(const ScatterAttrs& attrs, const Shape& operand, const Shape& indices,
              const Shape& updates, ScatterPlan& plan) {
  const Dims operand_strides = RowMajorStrides(operand.dims());
  const Dims index_strides = RowMajorStrides(indices.dims());
  const Dims update_strides = RowMajorStrides(updates.dims());
  const i64 vector_dim = attrs.index_vector_dim;
  const Dims update_dims = RemainingDims(updates.rank(), attrs.update_window_dims);
  std::vector<ScatterPlan::BatchDim> dims;
  for (i64 d = 0; d < indices.rank(); ++d) {
    if (d == vector_dim) continue;
    const i64 count = indices.dim(d);
    dims.push_back({count, count, update_strides[update_dims[dims.size()]], index_strides[d], 0});
  }
  for (size_t k = 0; k < attrs.input_batching_dims.size(); ++k) {
    const i64 from = attrs.scatter_indices_batching_dims[k], to = attrs.input_batching_dims[k];
    ScatterPlan::BatchDim& dim = dims[from > vector_dim ? from - 1 : from];
    dim.operand_step = operand_strides[to];
    dim.limit = std::min(dim.limit, operand.dim(to));
  }
  for (const ScatterPlan::BatchDim& dim : dims) {
    if (!plan.batch.empty() && AreOne(plan.batch.back(), dim)) {
      ScatterPlan::BatchDim& outer = plan.batch.back();
      const i64 count = outer.count * dim.count;
      outer = {count, count, dim.update_step, dim.index_step, 0};
    } else {
      plan.batch.push_back(dim);
    }
  }
  if (plan.batch.empty()) plan.batch.push_back({1, 1, 0, 0, 0});

  const Dims windowed =
      RemainingDims(operand.rank(), attrs.inserted_window_dims, attrs.input_batching_dims);
  const i64 entry_stride = vector_dim < indices.rank() ? index_strides[vector_dim] : 0;
  for (size_t k = 0; k < attrs.scatter_dims_to_operand_dims.size(); ++k) {
    const i64 d = attrs.scatter_dims_to_operand_dims[k];
    const auto window = std::ranges::find(windowed, d);
    const i64 size = window == windowed.end()
                         ? 1
                         : updates.dim(attrs.update_window_dims[window - windowed.begin()]);
    plan.entries.push_back(
        {static_cast<i64>(k) * entry_stride, operand_strides[d], operand.dim(d) - size});
  }
}

// Elements of the result, in order.
struct Range {
  i64 begin, end;
  bool Contains(i64 place) const {
    return static_cast<std::uint64_t>(place - begin) < static_cast<std::uint64_t>(end - begin);
  }
};

// Index vectors that follow each other: the number of the first one, and the distance to the next.
struct Vectors {
  const void* indices;
  i64 first, step, count;
};

// Adds values[i * step] * stride to where window i is; with kIsFirst, to `begin`. Windows of values
// that are not below num_inside are outside.
template <bool kIsFirst, typename T>
void AddValues(const T* values, i64 step, i64 count, std::uint64_t num_inside, std::uint64_t stride,
               i64 begin, i64* windows) {
  for (i64 i = 0; i < count; ++i) {
    // Negative numbers are the largest ones here, and outside like those that fit into no i64.
    const auto value = static_cast<std::uint64_t>(static_cast<i64>(values[i * step]));
    const auto from = static_cast<std::uint64_t>(kIsFirst ? begin : windows[i]);
    const auto place = static_cast<i64>(from + value * stride);
    windows[i] = value < num_inside ? place : kOutside;
  }
}

// Adds what `entry` says to where windows are. The first entry may set all of them, from one place
// `begin` on.
template <bool kIsFirst>
void AddEntry(const ScatterPlan& plan, const ScatterPlan::Entry& entry, const Vectors& vectors,
              i64 begin, i64* windows) {
  DispatchElementType(plan.index_type, [&]<ElementType kType>() {
    if constexpr (IsIntegral(kType) || kType == PRED) {
      const auto* values =
          static_cast<const StorageOf<kType>*>(vectors.indices) + vectors.first + entry.offset;
      const auto stride = static_cast<std::uint64_t>(entry.stride);
      // None if windows are larger than the operand.
      const auto num_inside = static_cast<std::uint64_t>(std::max<i64>(entry.max + 1, 0));
      // Most are numbers of elements one after the other, a loop of its own that needs no products.
      if (vectors.step == 1 && stride == 1) {
        AddValues<kIsFirst>(values, 1, vectors.count, num_inside, 1, begin, windows);
      } else {
        AddValues<kIsFirst>(values, vectors.step, vectors.count, num_inside, stride, begin,
                            windows);
      }
    }
  });
}

// Where the windows of some index vectors lie: from `begin` on, each operand_step behind the last,
// and as their entries say.
void FindWindows(const ScatterPlan& plan, const Vectors& vectors, i64 begin, i64 operand_step,
                 i64* windows) {
  std::span<const ScatterPlan::Entry> entries = plan.entries;
  if (operand_step == 0 && !entries.empty()) {
    AddEntry<true>(plan, entries[0], vectors, begin, windows);
    entries = entries.subspan(1);
  } else {
    for (i64 i = 0; i < vectors.count; ++i) windows[i] = begin + i * operand_step;
  }
  for (const ScatterPlan::Entry& entry : entries) {
    AddEntry<false>(plan, entry, vectors, begin, windows);
  }
}

// Calls combine(operand offset, update offset) for each row of a window, in elements.
template <typename Combine>
void ForEachRow(std::span<const ScatterPlan::WindowDim> dims, i64 operand, i64 update,
                const Combine& combine) {
  if (dims.empty()) return combine(operand, update);
  for (i64 i = 0; i < dims[0].count; ++i) {
    ForEachRow(dims.subspan(1), operand + i * dims[0].operand_step,
               update + i * dims[0].update_step, combine);
  }
}

// Calls apply(windows, count, update, update_step) for some windows after the other, in their
// order: where they lie in the operand, negative for those that are left out, and the updates of
// the first one and those of the next.
// The outer batch dimensions are an odometer (`at`); the innermost one is taken in blocks. Batch
// positions beyond the operand have no window.
template <typename Apply>
int ForEachBlockOf(const RunContext* run, const ScatterPlan& plan, const void* indices,
                   const Apply& apply) {
  const size_t last = plan.batch.size() - 1;
  const ScatterPlan::BatchDim& inner = plan.batch[last];
  std::vector<i64> at(last);
  i64 windows[kBlock];
  i64 since_look = 0;
  while (true) {
    i64 operand = 0, index = 0, update = 0;
    bool is_inside = true;
    for (size_t d = 0; d < last; ++d) {
      const ScatterPlan::BatchDim& dim = plan.batch[d];
      is_inside = is_inside && at[d] < dim.limit;
      operand += at[d] * dim.operand_step;
      index += at[d] * dim.index_step;
      update += at[d] * dim.update_step;
    }
    const i64 end = is_inside ? inner.limit : 0;
    for (i64 begin = 0; begin < end; begin += kBlock) {
      const i64 count = std::min(kBlock, end - begin);
      FindWindows(plan, {indices, index + begin * inner.index_step, inner.index_step, count},
                  operand + begin * inner.operand_step, inner.operand_step, windows);
      // So few windows that their elements are at most a slice, or one window.
      const i64 some = std::max<i64>(1, kSlice / plan.window_elements);
      for (i64 done = 0; done < count; done += some) {
        const i64 taken = std::min(some, count - done);
        apply(windows + done, taken, update + (begin + done) * inner.update_step,
              inner.update_step);
        since_look += taken * plan.window_elements;
        if (since_look < kSlice) continue;
        if (run->stopped(run)) return kKernelStopped;
        since_look = 0;
      }
    }
    size_t d = last;
    while (d > 0 && ++at[d - 1] == plan.batch[d - 1].count) at[--d] = 0;
    if (d == 0) return kKernelOk;
  }
}

// Calls combine(operand offset, update offset) for each row of all windows in the operand.
template <typename Combine>
int ForEachRowOfAll(const RunContext* run, const ScatterPlan& plan, const void* indices,
                    const Combine& combine) {
  return ForEachBlockOf(run, plan, indices,
                        [&](const i64* windows, i64 count, i64 update, i64 step) {
                          for (i64 i = 0; i < count; ++i, update += step) {
                            if (windows[i] < 0) continue;
                            ForEachRow(plan.window, windows[i], update, combine);
                          }
                        });
}

// The windows of one row that begin in `range`, some of them at a time: calls
// apply(places, updates, count) with where they lie in the operand and in the updates, in order.
template <typename Apply>
int ForEachRowIn(const RunContext* run, const ScatterPlan& plan, const void* indices,
                 const Range& range, const Apply& apply) {
  return ForEachBlockOf(run, plan, indices,
                        [&](const i64* windows, i64 count, i64 update, i64 step) {
                          i64 places[kBlock], updates[kBlock];
                          i64 num_inside = 0;
                          for (i64 i = 0; i < count; ++i) {
                            places[num_inside] = windows[i];
                            updates[num_inside] = update + i * step;
                            num_inside += range.Contains(windows[i]);
                          }
                          apply(places, updates, num_inside);
                        });
}

// Elements that are widened at a time.
constexpr i64 kWidened = 1024;

// The rows of windows begin at multiples of their size.
bool AreRowsAligned(const ScatterPlan& plan) {
  const auto is_multiple = [&](i64 step) { return step % plan.row == 0; };
  return std::ranges::all_of(plan.entries, is_multiple, &ScatterPlan::Entry::stride) &&
         std::ranges::all_of(plan.window, is_multiple, &ScatterPlan::WindowDim::operand_step) &&
         std::ranges::all_of(plan.batch, is_multiple, &ScatterPlan::BatchDim::operand_step);
}

// `count` updates into as many neighbours of the result.
void AddRow(const ScatterPlan& plan, TouchedElements& touched, i64 operand,
            const std::byte* updates, i64 count) {
  const i64 bytes = plan.arrays[0].element_bytes, unit = plan.touched.unit;
  float widened[kWidened];
  for (i64 done = 0; done < count; done += kWidened) {
    const i64 some = std::min(kWidened, count - done);
    WidenElements(plan.touched.type, updates + done * bytes, widened, some);
    if (plan.touched.places == 0) {
      plan.fold.fold(touched.Unit(operand + done), widened, some, 1, 0);
    } else if (unit > 1) {  // the row is one
      plan.fold.fold(touched.Unit(operand) + done, widened, some, 1, 0);
    } else {
      for (i64 k = 0; k < some; ++k) {
        plan.fold.fold(touched.Unit(operand + done + k), widened + k, 1, 1, 0);
      }
    }
  }
}

// `to` has the operand's elements.
int ScatterWide(const RunContext* run, const ScatterPlan& plan, const void* indices,
                const std::byte* updates, std::byte* to, void* scratch) {
  const i64 bytes = plan.arrays[0].element_bytes;
  TouchedElements touched(plan.touched, to, scratch);
  int result = kKernelOk;
  if (plan.window_elements == 1 && plan.touched.places == 0) {
    float widened[kBlock];
    result = ForEachBlockOf(
        run, plan, indices, [&](const i64* windows, i64 count, i64 update, i64 step) {
          const std::byte* const from = updates + update * bytes;
          for (i64 i = 0; i < count && step != 1; ++i) {
            WidenElements(plan.touched.type, from + i * step * bytes, widened + i, 1);
          }
          if (step == 1) WidenElements(plan.touched.type, from, widened, count);
          plan.fold.fold_at(touched.Unit(0), windows, widened, 1, count);
        });
  } else {
    result = ForEachRowOfAll(run, plan, indices, [&](i64 operand, i64 update) {
      AddRow(plan, touched, operand, updates + update * bytes, plan.row);
    });
  }
  touched.Round();
  return result;
}

// Cuts the result into tiles, if threads that share it save time.
void ShareResult(i64 num_elements, i64 num_windows, ScatterPlan& plan) {
  i64 row_bytes = 0;
  for (const ScatterPlan::Array& array : plan.arrays) row_bytes += plan.row * array.element_bytes;
  plan.nanoseconds = static_cast<double>(num_windows) *
                     (kVectorTime + kUpdateByteTime * static_cast<double>(row_bytes));
  const bool is_shared = plan.how != ScatterPlan::How::kWideFold && plan.window.empty() &&
                         row_bytes >= kMinSharedRowBytes && AreRowsAligned(plan);
  plan.unit = is_shared ? plan.row : 1;
  plan.num_units = (num_elements + plan.unit - 1) / plan.unit;
  plan.num_tiles = is_shared ? std::clamp<i64>(plan.num_units, 1, kTiles) : 1;
}

// The elements of tiles [begin, end).
Range RangeOf(const ScatterPlan& plan, i64 begin, i64 end) {
  const auto first = [&](i64 tile) { return plan.num_units * tile / plan.num_tiles * plan.unit; };
  return {first(begin), first(end)};
}

// One element for each index vector.
int ScatterElements(const RunContext* run, const ScatterPlan& plan, const void* indices,
                    const std::byte* updates, std::byte* to) {
  const i64 bytes = plan.arrays[0].element_bytes;
  if (plan.how == ScatterPlan::How::kFold) {
    return ForEachBlockOf(run, plan, indices,
                          [&](const i64* windows, i64 count, i64 update, i64 step) {
                            plan.fold.fold_at(to, windows, updates + update * bytes, step, count);
                          });
  }
  return DispatchBytes(static_cast<int>(bytes), [&]<typename T>() {
    return ForEachBlockOf(run, plan, indices,
                          [&](const i64* windows, i64 count, i64 update, i64 step) {
                            const T* from = reinterpret_cast<const T*>(updates) + update;
                            for (i64 i = 0; i < count; ++i) {
                              if (windows[i] < 0) continue;
                              reinterpret_cast<T*>(to)[windows[i]] = from[i * step];
                            }
                          });
  });
}

// The row at `from` into the row at `to`, by a known computation.
void ApplyRow(const ScatterPlan& plan, std::byte* to, const std::byte* from) {
  if (plan.how == ScatterPlan::How::kFold) {
    plan.fold.fold(to, from, plan.row, 1, 0);
  } else {
    std::memcpy(to, from, static_cast<size_t>(plan.row * plan.arrays[0].element_bytes));
  }
}

// One row for each index vector, those that lie in `range`.
int ScatterRows(const RunContext* run, const ScatterPlan& plan, const void* indices,
                const std::byte* updates, std::byte* to, const Range& range) {
  const i64 bytes = plan.arrays[0].element_bytes;
  return ForEachRowIn(run, plan, indices, range,
                      [&](const i64* places, const i64* from, i64 count) {
                        if (plan.how == ScatterPlan::How::kFold) {
                          plan.fold.fold_rows_at(to, places, updates, from, count, plan.row);
                          return;
                        }
                        for (i64 i = 0; i < count; ++i) {
                          ApplyRow(plan, to + places[i] * bytes, updates + from[i] * bytes);
                        }
                      });
}

}  // namespace

std::optional<FoldKernel> UpdateFold(const LaneProgram& computation, ElementType type) {
  const bool is_plain = !IsSubByte(type) && !IsComplex(type);
  if (computation.outputs.size() != 1 || (!is_plain && !IsNarrowFloat(type))) return std::nullopt;
  const ReducerKind kind = ClassifyReducer(computation, {&type, 1})[0];
  if (IsNarrowFloat(type) && !IsSumOrProduct(kind, type)) return std::nullopt;
  return kind == ReducerKind::kGeneral ? std::nullopt : std::optional(FindFoldKernel(kind, type));
}

std::shared_ptr<ScatterPlan> PlanScatter(const Instruction& inst, const LaneProgram& computation) {
  const auto& attrs = inst.attrs<ScatterAttrs>();
  const i64 n = inst.num_operands() / 2;
  const Shape& operand = inst.operand(0)->shape();
  const Shape& indices = inst.operand(n)->shape();
  const Shape& updates = inst.operand(n + 1)->shape();
  std::vector<ElementType> types;
  for (i64 i = 0; i < n; ++i) types.push_back(inst.operand(i)->shape().type());
  const std::vector<ReducerKind> kinds = ClassifyReducer(computation, types);
  for (size_t i = 0; i < types.size() && n > 1; ++i) {
    if (IsNarrowFloat(types[i]) && IsSumOrProduct(kinds[i], types[i])) return nullptr;
  }
  auto plan = std::make_shared<ScatterPlan>();
  for (i64 i = 0; i < n; ++i) {
    const Shape& array = inst.operand(i)->shape();
    plan->arrays.push_back({Info(array.type()).bytes, array.num_bytes(),
                            inst.operand(n + 1 + i)->shape().num_bytes()});
  }
  plan->index_type = indices.type();
  plan->is_empty = updates.num_elements() == 0 || operand.num_elements() == 0;
  if (plan->is_empty) return plan;
  AddWindow(attrs, RowMajorStrides(operand.dims()), updates, *plan);
  AddBatch(attrs, operand, indices, updates, *plan);
  if (IsOverwrite(computation)) {
    plan->how = ScatterPlan::How::kOverwrite;
  } else if (const auto fold = UpdateFold(computation, operand.type())) {
    plan->how = ScatterPlan::How::kFold;
    plan->fold = *fold;
    if (IsNarrowFloat(operand.type())) {
      plan->how = ScatterPlan::How::kWideFold;
      plan->touched =
          TouchedPlan::Make(operand.type(), operand.num_elements(),
                            AreRowsAligned(*plan) ? plan->row : 1, updates.num_elements());
      plan->scratch_bytes = ScratchPart(plan->touched.bytes());
    }
  }
  ShareResult(operand.num_elements(), updates.num_elements() / plan->window_elements, *plan);
  return plan;
}

int RunScatter(const RunContext* run, const void* data, void* const* buffers, i64 begin, i64 end) {
  const auto& plan = *static_cast<const ScatterPlan*>(data);
  const size_t n = plan.arrays.size();
  void* const* const updates = buffers + n + 1;
  void* const* const results = buffers + 2 * n + 1;
  const Range range = RangeOf(plan, begin, end);
  for (size_t i = 0; i < n; ++i) {
    const ScatterPlan::Array& array = plan.arrays[i];
    if (results[i] == buffers[i] || array.bytes == 0) continue;
    const i64 first = plan.num_tiles > 1 ? range.begin * array.element_bytes : 0;
    const i64 last = end < plan.num_tiles ? range.end * array.element_bytes : array.bytes;
    std::memcpy(static_cast<std::byte*>(results[i]) + first,
                static_cast<const std::byte*>(buffers[i]) + first,
                static_cast<size_t>(last - first));
  }
  if (plan.is_empty) return kKernelOk;
  const void* const indices = buffers[n];
  const i64 bytes = plan.arrays[0].element_bytes;
  auto* const to = static_cast<std::byte*>(results[0]);
  const auto* const from = static_cast<const std::byte*>(updates[0]);
  if (plan.how == ScatterPlan::How::kWideFold) {
    return ScatterWide(run, plan, indices, from, to, buffers[3 * n + 1]);
  }
  if (plan.how != ScatterPlan::How::kLoop) {
    if (plan.window_elements == 1 && plan.num_tiles == 1) {
      return ScatterElements(run, plan, indices, from, to);
    }
    if (plan.window.empty()) return ScatterRows(run, plan, indices, from, to, range);
    return ForEachRowOfAll(run, plan, indices, [&](i64 operand, i64 update) {
      ApplyRow(plan, to + operand * bytes, from + update * bytes);
    });
  }
  void* pointers[kMaxLoopPointers];
  for (size_t i = 0; i < n && plan.loop->is_checked; ++i) {
    const ScatterPlan::Array& array = plan.arrays[i];
    SetBounds(pointers, 3 * n, i, results[i], array.bytes);
    SetBounds(pointers, 3 * n, n + i, updates[i], array.update_bytes);
    SetBounds(pointers, 3 * n, 2 * n + i, results[i], array.bytes);
  }
  const auto run_loop = [&](i64 operand, i64 update) {
    for (size_t i = 0; i < n; ++i) {
      const i64 size = plan.arrays[i].element_bytes;
      pointers[i] = pointers[2 * n + i] = static_cast<std::byte*>(results[i]) + operand * size;
      pointers[n + i] = static_cast<std::byte*>(updates[i]) + update * size;
    }
    RunOneRow(*plan.loop, pointers, plan.row);
  };
  if (plan.num_tiles == 1) return ForEachRowOfAll(run, plan, indices, run_loop);
  return ForEachRowIn(run, plan, indices, range,
                      [&](const i64* places, const i64* from_updates, i64 count) {
                        for (i64 i = 0; i < count; ++i) run_loop(places[i], from_updates[i]);
                      });
}

}  // namespace axle
