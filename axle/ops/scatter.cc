// scatter: combines windows of updates into copies of the operands, at places that index vectors
// name. Windows are applied one after the other, in row-major order of the updates (numerics.md
// N7); the elements of one window are different elements of the operand, so a window is one run of
// the computation. A component that is a sum or a product of narrow floats has the elements that it
// touches as f32 until the end (touched_elements.h).
#include <algorithm>

#include "axle/core/strings.h"
#include "axle/emit/index_map.h"
#include "axle/emit/strided_copy.h"
#include "axle/ops/contraction_kernels.h"
#include "axle/ops/dynamic.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/index_vectors.h"
#include "axle/ops/lanes/reducer.h"
#include "axle/ops/scalar_callee.h"
#include "axle/ops/touched_elements.h"

namespace axle {

extern const OpDef kScatterDef;

namespace {

constexpr OperandSpec kScatterOperands[] = {
    {"operand", kVariadic}, {"scatter_indices"}, {"updates", kVariadic}};
constexpr AttrSpec kScatterAttrs[] = {
    Attr<&ScatterAttrs::update_window_dims>("update_window_dims", {48, 1}),
    Attr<&ScatterAttrs::inserted_window_dims>("inserted_window_dims", {48, 2}),
    Attr<&ScatterAttrs::scatter_dims_to_operand_dims>("scatter_dims_to_operand_dims", {48, 3}),
    Attr<&ScatterAttrs::input_batching_dims>("input_batching_dims", {48, 5}, Presence::kOptional),
    Attr<&ScatterAttrs::scatter_indices_batching_dims>("scatter_indices_batching_dims", {48, 6},
                                                       Presence::kOptional),
    Attr<&ScatterAttrs::index_vector_dim>("index_vector_dim", {48, 4}),
    Attr<&ScatterAttrs::indices_are_sorted>("indices_are_sorted", {.field = 67},
                                            Presence::kOptional),
    Attr<&ScatterAttrs::unique_indices>("unique_indices", {.field = 69}, Presence::kOptional),
};
constexpr CalleeSpec kScatterCallees[] = {{"to_apply"}};

// Compares the sizes of `updates` with those of the operand in window dimensions, and with those of
// the indices in the others.
Status CheckUpdateSizes(const Instruction& inst, const Shape& operand, const Shape& indices,
                        const Shape& updates) {
  const auto& attrs = inst.attrs<ScatterAttrs>();
  const Dims batch = BatchSizes(indices, attrs.index_vector_dim);
  const Dims& window_dims = attrs.update_window_dims;
  if (updates.rank() != static_cast<i64>(batch.size() + window_dims.size())) {
    return OpError(inst,
                   StrCat("updates have rank ", updates.rank(), ", must be ",
                          batch.size() + window_dims.size(), " for ", batch.size(),
                          " scatter dimensions and ", window_dims.size(), " update_window_dims"));
  }
  AXLE_TRY(CheckAscendingDims(inst, "update_window_dims", window_dims, updates.rank()));
  const size_t named =
      window_dims.size() + attrs.inserted_window_dims.size() + attrs.input_batching_dims.size();
  if (static_cast<i64>(named) != operand.rank()) {
    return OpError(inst, StrCat("operand has rank ", operand.rank(), " but there are ",
                                window_dims.size(), " update_window_dims, ",
                                attrs.inserted_window_dims.size(), " inserted_window_dims and ",
                                attrs.input_batching_dims.size(), " input_batching_dims"));
  }
  const Dims windowed =
      RemainingDims(operand.rank(), attrs.inserted_window_dims, attrs.input_batching_dims);
  for (size_t k = 0; k < window_dims.size(); ++k) {
    if (updates.dim(window_dims[k]) > operand.dim(windowed[k])) {
      return OpError(inst, StrCat("update window dimension ", window_dims[k], " has size ",
                                  updates.dim(window_dims[k]), ", more than ",
                                  operand.dim(windowed[k]), " of operand dimension ", windowed[k]));
    }
  }
  const Dims scatter_dims = RemainingDims(updates.rank(), window_dims);
  for (size_t k = 0; k < scatter_dims.size(); ++k) {
    if (updates.dim(scatter_dims[k]) != batch[k]) {
      return OpError(inst, StrCat("updates dimension ", scatter_dims[k], " has size ",
                                  updates.dim(scatter_dims[k]), ", must be ", batch[k],
                                  " as in scatter_indices"));
    }
  }
  return {};
}

// Operands, one index array, and as many updates as operands; all operands have one shape and so do
// all updates.
StatusOr<Shape> InferScatter(const Instruction& inst) {
  const auto& attrs = inst.attrs<ScatterAttrs>();
  const i64 n = inst.num_operands() / 2;
  if (n == 0) return OpError(inst, "has no operands");
  for (i64 i = 0; i < inst.num_operands(); ++i) AXLE_TRY(ExpectArray(inst, i));
  const Shape& operand = inst.operand(0)->shape();
  const Shape& indices = inst.operand(n)->shape();
  const Shape& updates = inst.operand(n + 1)->shape();
  std::vector<ElementType> types;
  std::vector<Shape> results;
  for (i64 i = 0; i < n; ++i) {
    const Shape& input = inst.operand(i)->shape();
    const Shape& update = inst.operand(n + 1 + i)->shape();
    if (!SameDims(input, operand)) return OpError(inst, "operands must have the same dimensions");
    if (!SameDims(update, updates)) return OpError(inst, "updates must have the same dimensions");
    if (update.type() != input.type()) {
      return OpError(
          inst, StrCat("updates", n == 1 ? "" : StrCat(".", i), " must be of ", Name(input.type()),
                       ", the operand's type, not ", Name(update.type())));
    }
    types.push_back(input.type());
    results.push_back(input.WithoutLayout());
  }
  AXLE_TRY(
      CheckIndexVectors(inst,
                        {"scatter_dims_to_operand_dims", attrs.scatter_dims_to_operand_dims,
                         "inserted_window_dims", attrs.inserted_window_dims, "input_batching_dims",
                         attrs.input_batching_dims, "scatter_indices_batching_dims",
                         attrs.scatter_indices_batching_dims, attrs.index_vector_dim},
                        operand.rank(), n));
  AXLE_TRY(CheckUpdateSizes(inst, operand, indices, updates));
  AXLE_TRY(CheckReducer(inst, 0, types, types));
  return n == 1 ? results[0] : Shape::Tuple(std::move(results));
}

// Applies windows one after the other. Everything that depends on the shapes alone is prepared once
// (PrepareWindow); Place then finds the offsets of a window.
class Scatterer {
 public:
  // The operands are taken.
  Scatterer(const Instruction& inst, std::span<Literal> operands, const EvalContext& context)
      : context_(context),
        callee_(inst, context),
        attrs_(inst.attrs<ScatterAttrs>()),
        indices_(operands[operands.size() / 2]),
        updates_(operands.subspan(operands.size() / 2 + 1)),
        operand_dims_(operands[0].shape().dims()),
        operand_strides_(RowMajorStrides(operand_dims_)),
        update_dims_(updates_[0].shape().dims()),
        update_strides_(RowMajorStrides(update_dims_)),
        index_strides_(RowMajorStrides(indices_.shape().dims())),
        scatter_dims_(RemainingDims(updates_[0].shape().rank(), attrs_.update_window_dims)) {
    // An operand whose storage nobody else holds becomes the result as it is.
    for (Literal& operand : operands.first(operands.size() / 2)) {
      results_.push_back(std::move(operand));
      operand = Literal();
    }
  }

  StatusOr<std::vector<Literal>> Run() {
    if (updates_[0].num_elements() == 0) return std::move(results_);
    PrepareWindow();
    AXLE_TRY(ForEachWindow([&] { return ApplyWindow(); }));
    return std::move(results_);
  }

  // The results of operands whose components are sums or products of narrow floats, in f32 until
  // the end. Those whose kind is kGeneral stay as they are.
  StatusOr<std::vector<Literal>> RunWide(std::span<const ReducerKind> kinds) {
    if (updates_[0].num_elements() == 0) return std::move(results_);
    PrepareWindow();
    const std::vector<std::pair<i64, i64>> elements = WindowElements();
    for (size_t i = 0; i < results_.size(); ++i) {
      if (kinds[i] == ReducerKind::kGeneral || results_[i].num_elements() == 0) continue;
      AXLE_TRY(RunWide(i, kinds[i] == ReducerKind::kAdd, elements));
    }
    return std::move(results_);
  }

 private:
  // One component of narrow floats: a hash table holds the touched elements as f32.
  Status RunWide(size_t i, bool is_add, std::span<const std::pair<i64, i64>> elements) {
    const ElementType type = results_[i].shape().type();
    const TouchedPlan plan =
        TouchedPlan::Make(type, results_[i].num_elements(), 1, updates_[i].num_elements());
    AXLE_ASSIGN(Literal memory, Literal::CreateUninitialized(Shape(U8, {plan.bytes()})));
    TouchedElements touched(plan, results_[i].mutable_bytes(), memory.mutable_bytes());
    const i64 bytes = copies_[i].bytes;
    AXLE_TRY(ForEachWindow([&]() -> Status {
      for (const auto& [element, update] : elements) {
        float value = 0;
        WidenElements(type, copies_[i].updates + (update_offset_ + update) * bytes, &value, 1);
        float& acc = *touched.Unit(operand_offset_ + element);
        acc = is_add ? acc + value : acc * value;
      }
      return {};
    }));
    touched.Round();
    return {};
  }

  // Calls fn for each window that is inside the operand, in their order.
  // An odometer over the scatter dimensions, the last one fastest.
  template <typename Fn>
  Status ForEachWindow(const Fn& fn) {
    Dims at(scatter_dims_.size(), 0);
    while (true) {
      if (Place(at)) AXLE_TRY(fn());
      AXLE_TRY(context_.Check());
      i64 k = static_cast<i64>(at.size()) - 1;
      for (; k >= 0 && ++at[k] == update_dims_[scatter_dims_[k]]; --k) at[k] = 0;
      if (k < 0) return {};
    }
  }

  // The offset of each element of a window from its first one, in the operand and in the updates.
  std::vector<std::pair<i64, i64>> WindowElements() const {
    const Dims windowed = RemainingDims(static_cast<i64>(operand_dims_.size()),
                                        attrs_.inserted_window_dims, attrs_.input_batching_dims);
    std::vector<std::pair<i64, i64>> elements;
    elements.reserve(window_count_);
    for (i64 k = 0; k < window_count_; ++k) {
      i64 element = 0, update = 0, rest = k;
      for (size_t d = windowed.size(); d-- > 0; rest /= window_sizes_[windowed[d]]) {
        const i64 index = rest % window_sizes_[windowed[d]];
        element += index * operand_strides_[windowed[d]];
        update += index * update_strides_[attrs_.update_window_dims[d]];
      }
      elements.emplace_back(element, update);
    }
    return elements;
  }

  // One window, per operand: how to pack its elements and updates, and to unpack the former.
  struct WindowCopies {
    i64 bytes = 0;
    std::byte* result = nullptr;
    const std::byte* updates = nullptr;
    std::vector<StridedDim> pack, unpack, pack_updates;
    std::vector<std::byte> packed, packed_updates;
    bool in_place = false;  // both are contiguous
  };

  // Computes what all windows have in common: their sizes, and for each operand how to copy a
  // window between the array and a contiguous buffer.
  void PrepareWindow() {
    const Dims windowed = RemainingDims(static_cast<i64>(operand_dims_.size()),
                                        attrs_.inserted_window_dims, attrs_.input_batching_dims);
    window_sizes_ = Dims(operand_dims_.size(), 1);
    window_count_ = 1;
    for (size_t k = 0; k < windowed.size(); ++k) {
      window_sizes_[windowed[k]] = update_dims_[attrs_.update_window_dims[k]];
      window_count_ *= window_sizes_[windowed[k]];
    }
    for (size_t i = 0; i < results_.size(); ++i) {
      WindowCopies& copies = copies_.emplace_back();
      copies.bytes = Info(results_[i].shape().type()).bytes;
      copies.result = results_[i].mutable_bytes();
      copies.updates = updates_[i].bytes();
      std::vector<StridedDim> pack(windowed.size()), unpack = pack, pack_updates = pack;
      i64 packed = copies.bytes;
      for (size_t k = windowed.size(); k-- > 0;) {
        const i64 size = window_sizes_[windowed[k]];
        const i64 step = operand_strides_[windowed[k]] * copies.bytes;
        const i64 update_step = update_strides_[attrs_.update_window_dims[k]] * copies.bytes;
        pack[k] = {size, packed, step};
        unpack[k] = {size, step, packed};
        pack_updates[k] = {size, packed, update_step};
        packed *= size;
      }
      copies.pack = MergeStridedDims(pack);
      copies.unpack = MergeStridedDims(unpack);
      copies.pack_updates = MergeStridedDims(pack_updates);
      // A window that is contiguous on both sides is combined in place, without packing.
      const auto is_run = [&](const std::vector<StridedDim>& dims) {
        return dims.size() == 1 && (dims[0].count == 1 || dims[0].from_step == copies.bytes);
      };
      copies.in_place = is_run(copies.pack) && is_run(copies.pack_updates);
      if (copies.in_place) continue;
      copies.packed.resize(window_count_ * copies.bytes);
      copies.packed_updates.resize(window_count_ * copies.bytes);
    }
  }

  // Finds the window at scatter position `at`; false if part of it is outside the operand.
  // Index values are read as s64; a window that lies partly outside is skipped as a whole.
  bool Place(const Dims& at) {
    update_offset_ = 0;
    for (size_t k = 0; k < at.size(); ++k) {
      update_offset_ += at[k] * update_strides_[scatter_dims_[k]];
    }
    // Position of the index vector, and of each dimension of the indices among the scatter dims.
    i64 vector = 0, vector_stride = 0;
    const auto position = [&](i64 d) { return at[d > attrs_.index_vector_dim ? d - 1 : d]; };
    for (i64 d = 0; d < indices_.shape().rank(); ++d) {
      if (d == attrs_.index_vector_dim) {
        vector_stride = index_strides_[d];
      } else {
        vector += position(d) * index_strides_[d];
      }
    }
    Dims& start = start_;
    start.assign(operand_dims_.size(), 0);
    for (size_t k = 0; k < attrs_.scatter_dims_to_operand_dims.size(); ++k) {
      start[attrs_.scatter_dims_to_operand_dims[k]] =
          IndexValue(indices_, vector + static_cast<i64>(k) * vector_stride);
    }
    for (size_t k = 0; k < attrs_.input_batching_dims.size(); ++k) {
      start[attrs_.input_batching_dims[k]] = position(attrs_.scatter_indices_batching_dims[k]);
    }
    operand_offset_ = 0;
    for (size_t d = 0; d < start.size(); ++d) {
      if (start[d] < 0 || start[d] > operand_dims_[d] - window_sizes_[d]) return false;
      operand_offset_ += start[d] * operand_strides_[d];
    }
    return true;
  }

  // One run of the computation for the elements of a window.
  Status ApplyWindow() {
    const size_t n = copies_.size();
    inputs_.resize(2 * n);
    outputs_.resize(n);
    for (size_t i = 0; i < n; ++i) {
      WindowCopies& copies = copies_[i];
      std::byte* elements = copies.result + operand_offset_ * copies.bytes;
      const std::byte* updates = copies.updates + update_offset_ * copies.bytes;
      if (!copies.in_place) {
        StridedCopy(copies.pack, copies.packed.data(), elements, copies.bytes);
        StridedCopy(copies.pack_updates, copies.packed_updates.data(), updates, copies.bytes);
        elements = copies.packed.data();
        updates = copies.packed_updates.data();
      }
      inputs_[i] = outputs_[i] = elements;
      inputs_[n + i] = updates;
    }
    AXLE_TRY(callee_.Run(inputs_, outputs_, window_count_));
    for (WindowCopies& copies : copies_) {
      if (copies.in_place) continue;
      StridedCopy(copies.unpack, copies.result + operand_offset_ * copies.bytes,
                  copies.packed.data(), copies.bytes);
    }
    return {};
  }

  const EvalContext& context_;
  ScalarCallee callee_;
  const ScatterAttrs& attrs_;
  const Literal& indices_;
  std::span<const Literal> updates_;
  std::vector<Literal> results_;
  Dims operand_dims_, operand_strides_;
  Dims update_dims_, update_strides_, index_strides_;
  Dims scatter_dims_;  // of the updates
  Dims window_sizes_;  // per operand dimension, 1 where windows have none
  i64 window_count_ = 0;
  std::vector<WindowCopies> copies_;
  // The present window.
  Dims start_;
  i64 operand_offset_ = 0, update_offset_ = 0;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
};

// Components that need f32 between updates run on their own; if others are left, both ways run on
// copies of the operands.
StatusOr<Literal> EvalScatter(const Instruction& inst, std::span<Literal> operands,
                              const EvalContext& context) {
  const size_t n = operands.size() / 2;
  std::vector<ElementType> types;
  for (const Literal& operand : operands.first(n)) types.push_back(operand.shape().type());
  std::vector<ReducerKind> kinds(n, ReducerKind::kGeneral);
  if (const LaneProgram* lanes = context.callee().lanes()) kinds = ClassifyReducer(*lanes, types);
  for (size_t i = 0; i < n; ++i) {
    if (!IsNarrowFloat(types[i]) || !IsSumOrProduct(kinds[i], types[i]))
      kinds[i] = ReducerKind::kGeneral;
  }
  const auto num_general = std::ranges::count(kinds, ReducerKind::kGeneral);
  std::vector<Literal> results;
  if (num_general == std::ssize(kinds)) {
    AXLE_ASSIGN(results, Scatterer(inst, operands, context).Run());
  } else {
    std::vector<Literal> general;
    if (num_general > 0) {
      std::vector<Literal> shared(operands.begin(), operands.end());
      AXLE_ASSIGN(general, Scatterer(inst, shared, context).Run());
    }
    AXLE_ASSIGN(results, Scatterer(inst, operands, context).RunWide(kinds));
    for (size_t i = 0; i < n && num_general > 0; ++i) {
      if (kinds[i] == ReducerKind::kGeneral) results[i] = std::move(general[i]);
    }
  }
  return inst.shape().is_tuple() ? Literal::Tuple(std::move(results)) : std::move(results[0]);
}

// Index vectors that are padding place no window; places are checked against the operands' bounds.
StatusOr<Literal> EvalScatterDynamic(const Instruction& inst, std::span<Literal> operands,
                                     const EvalContext& context) {
  const auto& attrs = inst.attrs<ScatterAttrs>();
  const size_t n = operands.size() / 2;
  std::vector<Dims> sizes;
  for (Literal& operand : operands.first(n)) {
    sizes.push_back(operand.sizes());
    operand = WholeBuffer(operand);
  }
  operands[n] = operands[n].ValidPart();
  const Dims batch = BatchSizes(operands[n].shape(), attrs.index_vector_dim);
  for (Literal& updates : operands.subspan(n + 1)) {
    Dims taken = updates.sizes();
    const Dims scatter_dims = RemainingDims(updates.shape().rank(), attrs.update_window_dims);
    for (size_t k = 0; k < scatter_dims.size(); ++k) {
      taken[scatter_dims[k]] = std::min(taken[scatter_dims[k]], batch[k]);
    }
    updates = FirstElements(updates, taken);
  }
  AXLE_ASSIGN(const Substitute substitute, Substitute::Create(inst, operands));
  AXLE_ASSIGN(Literal result, substitute.Evaluate(operands, context));
  std::vector<Literal> elements;
  for (size_t i = 0; i < n; ++i) {
    Literal& element = n == 1 ? result : result.mutable_elements()[i];
    for (i64 d = 0; d < element.shape().rank(); ++d) element.SetSizeBeforeFlags(d, sizes[i][d]);
    elements.push_back(std::move(element));
  }
  return n == 1 ? std::move(elements[0]) : Literal::Tuple(std::move(elements));
}

}  // namespace

const OpDef kScatterDef = {
    .opcode = Opcode::kScatter,
    .text = "scatter",
    .summary =
        "Combines windows of updates into the operand at the places that index vectors name.",
    .semantics =
        "The inverse of gather: update_window_dims of updates run over a window of the operand, "
        "the other dimensions over the index vectors of scatter_indices. Entry k of an index "
        "vector is where the window starts in operand dimension scatter_dims_to_operand_dims[k]. A "
        "window of which any part is outside the operand is skipped whole, as XLA does it, though "
        "its "
        "documents leave that open. Each update u at "
        "element x of the operand makes it to_apply(x, u); updates are applied in row-major order, "
        "so repeated places accumulate and the last one overwrites. A sum or product of narrow "
        "floats has the elements that it touches as f32 until all updates are applied. With n "
        "operands, to_apply "
        "takes n elements and n updates, and the result is a tuple. indices_are_sorted and "
        "unique_indices are promises that change nothing. Dynamic operands keep their sizes and "
        "are checked by their bounds; updates that belong to no index vector are not applied.",
    .source = "XLA Scatter; StableHLO scatter; order: docs/numerics.md",
    .operands = kScatterOperands,
    .attrs = Schema<ScatterAttrs>(kScatterAttrs),
    .callees = kScatterCallees,
    .lowering = Lowering::kScatter,
    .accuracy = "that of to_apply, in the order given",
    .infer = InferScatter,
    .eval = EvalScatter,
    .eval_dynamic = EvalScatterDynamic,
};

}  // namespace axle
