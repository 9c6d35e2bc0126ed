// select-and-scatter: the gradient of a pooling. First every window position chooses one element of
// the operand, many positions at a time; then each chosen element takes its source, one after the
// other in row-major order of source (numerics.md N7). Sums and products of narrow floats are f32
// until all sources are taken.
#include <algorithm>

#include "axle/core/convert.h"
#include "axle/core/strings.h"
#include "axle/ops/contraction_kernels.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/lanes/reducer.h"
#include "axle/ops/reduce_kernels.h"
#include "axle/ops/scalar_callee.h"
#include "axle/ops/window.h"

namespace axle {

extern const OpDef kSelectAndScatterDef;

namespace {

constexpr OperandSpec kSelectAndScatterOperands[] = {{"operand"}, {"source"}, {"init_value"}};
constexpr AttrSpec kSelectAndScatterAttrs[] = {
    Attr<&WindowAttrs::window>("window", {.field = 15}, Presence::kOptional),
};
constexpr CalleeSpec kSelectAndScatterCallees[] = {{"select", 0}, {"scatter", 1}};

// The window has strides and padding only, and the source has one element per window position.
StatusOr<Shape> InferSelectAndScatter(const Instruction& inst) {
  for (i64 i = 0; i < 3; ++i) AXLE_TRY(ExpectArray(inst, i));
  const Shape& operand = inst.operand(0)->shape();
  const Window& window = inst.attrs<WindowAttrs>().window;
  const ElementType type = operand.type();
  AXLE_ASSIGN(const Shape windows, WindowOutputShape(inst, window, operand, type));
  for (size_t d = 0; d < window.size(); ++d) {
    if (window[d].base_dilation != 1 || window[d].window_dilation != 1 || window[d].reversal) {
      return OpError(inst, StrCat("window dimension ", d,
                                  " has a dilation or reversal, which this op does not take"));
    }
  }
  if (const Shape& source = inst.operand(1)->shape(); !Compatible(source, windows)) {
    return OpError(inst, StrCat("source must be ", windows.ToString(),
                                ", one element per window, not ", source.ToString()));
  }
  const Shape scalar(type);
  if (const Shape& init = inst.operand(2)->shape(); !Compatible(init, scalar)) {
    return OpError(inst,
                   StrCat("init_value must be ", scalar.ToString(), ", not ", init.ToString()));
  }
  AXLE_TRY(CheckCallee(inst, 0, std::vector<Shape>{scalar, scalar}, Shape(PRED)));
  AXLE_TRY(CheckReducer(inst, 1, {&type, 1}, {&type, 1}));
  return operand.WithoutLayout();
}

// Chooses the elements of a run of windows.
template <typename T>
class Selector {
 public:
  static constexpr i64 kNone = -1;
  static constexpr i64 kMaxWindows = 1024;  // per call

  Selector(const Instruction& inst, const EvalContext& context, const Literal& operand)
      : context_(context),
        select_(inst, context, 0),
        window_(inst.attrs<WindowAttrs>().window),
        elements_(reinterpret_cast<const T*>(operand.bytes())),
        operand_dims_(operand.shape().dims()),
        strides_(RowMajorStrides(operand_dims_)),
        source_dims_(inst.operand(1)->shape().dims()),
        rank_(operand.shape().rank()),
        starts_(kMaxWindows * rank_) {}

  // To be called once, first. There are windows and elements.
  Status FindTaps() {
    for (i64 d = 0; d < rank_; ++d) {
      AXLE_ASSIGN(std::vector<WindowTap> taps,
                  WindowTaps(window_[d], operand_dims_[d], source_dims_[d], context_.limits));
      taps_.push_back(std::move(taps));
    }
    return {};
  }

  // selected[k] = linear index of the element that window first + k chooses, or kNone if it shows
  // nothing but padding.
  // All windows meet the same taps; each tap compares one candidate per window.
  Status Select(i64 first, i64 count, i64* selected) {
    std::fill_n(selected, count, kNone);
    for (const std::vector<WindowTap>& taps : taps_) {
      if (taps.empty()) return {};
    }
    for (i64 k = 0; k < count; ++k) {
      i64 rest = first + k;
      // Where window first + k begins in each dimension, computed modulo 2^64: positions in the
      // padding become large numbers.
      for (i64 d = rank_; d-- > 0; rest /= source_dims_[d]) {
        starts_[k * rank_ + d] =
            static_cast<std::uint64_t>(rest % source_dims_[d] * window_[d].stride) -
            static_cast<std::uint64_t>(window_[d].pad_low);
      }
    }
    std::vector<size_t> at(rank_, 0);
    while (true) {
      AXLE_TRY(Challenge(at, count, selected));
      i64 d = rank_ - 1;
      for (; d >= 0 && ++at[d] == taps_[d].size(); --d) at[d] = 0;
      if (d < 0) return {};
    }
  }

 private:
  // The elements at one window position: each becomes the selected one of its window unless
  // select(selected one, element) keeps the former.
  // Windows that show an element for the first time take it without a comparison.
  Status Challenge(std::span<const size_t> at, i64 count, i64* selected) {
    AXLE_TRY(context_.Check());
    i64 num_pairs = 0;
    for (i64 k = 0; k < count; ++k) {
      i64 index = 0;
      bool real = true;
      for (i64 d = 0; d < rank_ && real; ++d) {
        // Before the operand and behind it, both come out as too large: a position is above -2^63
        // and, in a padded operand of less than 2^63 elements, below 2^64 - 1.
        const std::uint64_t position =
            starts_[k * rank_ + d] + static_cast<std::uint64_t>(taps_[d][at[d]].position);
        real = position < static_cast<std::uint64_t>(operand_dims_[d]);
        if (real) index += static_cast<i64>(position) * strides_[d];
      }
      if (!real) continue;
      if (selected[k] == kNone) {
        selected[k] = index;
        continue;
      }
      windows_[num_pairs] = k;
      challengers_[num_pairs] = index;
      current_[num_pairs] = elements_[selected[k]];
      candidates_[num_pairs++] = elements_[index];
    }
    const void* inputs[] = {current_, candidates_};
    void* outputs[] = {keeps_};
    AXLE_TRY(select_.Run(inputs, outputs, num_pairs));
    for (i64 i = 0; i < num_pairs; ++i) {
      if (!keeps_[i]) selected[windows_[i]] = challengers_[i];
    }
    return {};
  }

  const EvalContext& context_;
  ScalarCallee select_;
  const Window& window_;
  const T* elements_;
  Dims operand_dims_, strides_, source_dims_;
  i64 rank_;
  std::vector<std::vector<WindowTap>> taps_;
  // Per window and dimension: where the window begins in the operand, modulo 2^64.
  std::vector<std::uint64_t> starts_;
  // The pairs that one window position compares.
  i64 windows_[kMaxWindows], challengers_[kMaxWindows];
  T current_[kMaxWindows], candidates_[kMaxWindows];
  bool keeps_[kMaxWindows];
};

// How the sources of a sum or product of narrow floats are taken; null for all others.
FoldAtFn FoldAsF32(const ScalarCallee& scatter, ElementType type) {
  if (scatter.lanes() == nullptr || !IsNarrowFloat(type)) return nullptr;
  const ReducerKind kind = ClassifyReducer(*scatter.lanes(), {&type, 1})[0];
  return IsSumOrProduct(kind, type) ? FindFoldKernel(kind, type).fold_at : nullptr;
}

// The general scatter runs one element at a time, because two windows may choose the same element
// and order matters.
template <typename T>
StatusOr<Literal> SelectAndScatter(const Instruction& inst, std::span<Literal> operands,
                                   const EvalContext& context) {
  const Shape shape = inst.shape().WithoutLayout();
  ScalarCallee scatter(inst, context, 1);
  const FoldAtFn fold_at = FoldAsF32(scatter, shape.type());
  Literal init = operands[2];
  if (fold_at != nullptr) {
    AXLE_ASSIGN(init, Convert(init, F32));
  }
  AXLE_ASSIGN(Literal result, Literal::CreateUninitialized(shape.WithType(init.shape().type())));
  DispatchBytes(Info(init.shape().type()).bytes, [&]<typename Value>() {
    std::fill_n(reinterpret_cast<Value*>(result.mutable_bytes()), result.num_elements(),
                *reinterpret_cast<const Value*>(init.bytes()));
  });
  std::byte* const out = result.mutable_bytes();
  const T* source = reinterpret_cast<const T*>(operands[1].bytes());
  // The f32 values of narrow floats are rounded once, when all sources were taken.
  const auto finished = [&]() -> StatusOr<Literal> {
    if (fold_at != nullptr) return Convert(result, shape.type());
    return std::move(result);
  };
  if (operands[0].num_elements() == 0 || operands[1].num_elements() == 0) return finished();
  const auto selector = std::make_unique<Selector<T>>(inst, context, operands[0]);
  AXLE_TRY(selector->FindTaps());
  std::vector<i64> selected(Selector<T>::kMaxWindows);
  std::vector<float> wide(fold_at != nullptr ? Selector<T>::kMaxWindows : 0);
  const i64 num_windows = operands[1].num_elements();
  for (i64 first = 0; first < num_windows; first += Selector<T>::kMaxWindows) {
    const i64 count = std::min(Selector<T>::kMaxWindows, num_windows - first);
    AXLE_TRY(selector->Select(first, count, selected.data()));
    if (fold_at != nullptr) {
      WidenElements(shape.type(), source + first, wide.data(), count);
      fold_at(out, selected.data(), wide.data(), 1, count);
      continue;
    }
    for (i64 k = 0; k < count; ++k) {
      if (selected[k] == Selector<T>::kNone) continue;
      void* target = reinterpret_cast<T*>(out) + selected[k];
      const void* inputs[] = {target, source + first + k};
      AXLE_TRY(scatter.Run(inputs, {&target, 1}, 1));
    }
  }
  return finished();
}

StatusOr<Literal> EvalSelectAndScatter(const Instruction& inst, std::span<Literal> operands,
                                       const EvalContext& context) {
  return DispatchBytes(Info(inst.shape().type()).bytes,
                       [&]<typename T>() { return SelectAndScatter<T>(inst, operands, context); });
}

}  // namespace

const OpDef kSelectAndScatterDef = {
    .opcode = Opcode::kSelectAndScatter,
    .text = "select-and-scatter",
    .summary = "Adds each element of source to the operand element that its window selects.",
    .semantics =
        "The result has the operand's shape and starts as init_value everywhere. The window slides "
        "over the operand as in reduce-window, with stride and pad but no dilation, and source has "
        "one element per place of it. A window goes through its elements in row-major order and "
        "keeps the one it has if select(that one, the next one) is true, else it takes the next; "
        "padding is never selected. Then, in row-major order of source, result[selected] = "
        "scatter(result[selected], source element). A sum or product of narrow floats is f32 until "
        "all sources are taken, and rounded once. A window of padding alone drops its source "
        "element.",
    .source = "XLA SelectAndScatter; StableHLO select_and_scatter; order: docs/numerics.md",
    .operands = kSelectAndScatterOperands,
    .attrs = Schema<WindowAttrs>(kSelectAndScatterAttrs),
    .callees = kSelectAndScatterCallees,
    .lowering = Lowering::kWindow,
    .accuracy = "that of scatter, in the order given",
    .infer = InferSelectAndScatter,
    .eval = EvalSelectAndScatter,
};

}  // namespace axle
