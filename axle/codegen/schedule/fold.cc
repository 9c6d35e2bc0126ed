// How a reduce becomes a FoldShape and folds. Dimensions of size 1 are dropped, and neighbours that
// are all reduced or all kept are merged. Of f32[2,3,4,5]:
//
//   over {2,3}    rows 6, reduced 20, columns 1    fold of rows
//   over {1}      rows 2, reduced 3, columns 20    fold of columns
//   over {0,2}    rows 3, reduced 8, columns 5     groups {(2, 0), (3, 5), (4, 0), (5, 1)}: staged
//
// In the last one, reduced and kept dimensions alternate; the groups say which result each position
// of the operand belongs to.
//
// The kind of the reducer decides about the order of elements (OrderOf): exact joins may take any
// order, sums and products of floats have the canonical order of docs/numerics.md, and a reducer of
// no known kind takes one element after the other. A reduce of several operands is compiled only if
// none of its results is a sum or product of floats; its folds are then the accumulators of one
// kGeneral reducer. A loop folds in the order in which it reads; where memory does not have the
// elements in that order (IsStaged), steps/staged_fold_step.h copies them into it.
#include "axle/codegen/schedule/fold.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "axle/core/literal.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/canonical_sum.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/ops/reduce_kernels.h"

namespace axle {

bool IsCanonical(const Fold& fold) {
  return (fold.kind == ReducerKind::kAdd || fold.kind == ReducerKind::kMultiply) &&
         (IsFloating(fold.type) || IsComplex(fold.type));
}

namespace {

// The shape with merged dimensions; nothing if none is reduced.
std::optional<FoldShape> ShapeOf(const Shape& operand, const Dims& dimensions) {
  std::vector<std::pair<bool, i64>> groups;
  FoldShape shape;
  for (i64 d = 0; d < operand.rank(); ++d) {
    if (operand.dim(d) == 1) continue;
    const bool is_reduced = std::ranges::find(dimensions, d) != dimensions.end();
    (is_reduced ? shape.reduced : shape.rows) *= operand.dim(d);
    if (!groups.empty() && groups.back().first == is_reduced) {
      groups.back().second *= operand.dim(d);
    } else {
      groups.emplace_back(is_reduced, operand.dim(d));
    }
  }
  if (shape.reduced == 1) return std::nullopt;
  if (!groups.back().first) shape.columns = groups.back().second;
  shape.rows /= shape.columns;
  const size_t most = (groups[0].first ? 1 : 2) + (shape.columns > 1 ? 1 : 0);
  if (groups.size() <= most) return shape;
  i64 stride = shape.num_results();
  for (const auto& [is_reduced, size] : groups) {
    if (!is_reduced) stride /= size;
    shape.groups.push_back({size, is_reduced ? 0 : stride});
  }
  return shape;
}

// The types of the components of a reduction, or of a reduce-window; nothing if they change.
std::optional<std::vector<ElementType>> TypesOf(const Instruction& inst) {
  const i64 n = inst.num_operands() / 2;
  std::vector<ElementType> types;
  for (i64 i = 0; i < n; ++i) {
    const Shape& result = inst.shape().is_tuple() ? inst.shape().element(i) : inst.shape();
    types.push_back(inst.operand(i)->shape().type());
    if (types[i] != result.type() || types[i] != inst.operand(n + i)->shape().type()) {
      return std::nullopt;
    }
  }
  return types;
}

// The folds of a reducer that takes one element after the other. Nothing for complex types.
std::optional<std::vector<Fold>> GeneralFolds(LaneProgram reducer,
                                              std::span<const ElementType> types) {
  std::vector<Fold> folds;
  for (const ElementType type : types) {
    if (IsComplex(type)) return std::nullopt;
    folds.push_back({ReducerKind::kGeneral, type});
  }
  if (folds.size() > kMaxFolds) return std::nullopt;
  folds[0].reducer = std::make_shared<const LaneProgram>(std::move(reducer));
  return folds;
}

// Sets the init that a fold may start from. Lanes, chunks and rows each start from it, so joining
// it any number of times must not change the result. A sum may start from +0: where -0 makes a
// difference, all elements are -0, and +0 is the result of joining it. Integers narrower than a
// byte are folded as bytes, which have the same low bits: joining them with the init wraps them.
void SetInit(Fold& fold, const Instruction& init) {
  if (!IsConstant(init) || IsComplex(fold.type) || IsNarrowFloat(fold.type) ||
      IsSubByte(fold.type)) {
    return;
  }
  const Literal& literal = init.attrs<ConstantAttrs>().literal;
  std::uint64_t bits = 0;
  std::memcpy(&bits, literal.bytes(), static_cast<size_t>(literal.num_bytes()));
  const bool is_sum = fold.kind == ReducerKind::kAdd,
             is_once =
                 is_sum || fold.kind == ReducerKind::kMultiply || fold.kind == ReducerKind::kXor;
  const bool is_identity = bits == IdentityBits(fold.kind, StorageType(fold.type));
  if (is_once && !is_identity && !(is_sum && bits == 0)) return;
  fold.init_bits = bits;
  fold.has_init = true;
}

}  // namespace

FoldOrder OrderOf(const FoldShape& shape, const Fold& fold) {
  if (fold.kind == ReducerKind::kGeneral) return FoldOrder::kLeft;
  if (!IsCanonical(fold)) return FoldOrder::kAny;
  if (SumLanes(shape.reduced, shape.columns, fold.type) > 1) return FoldOrder::kLanes;
  return shape.reduced > kSumChunk ? FoldOrder::kChunks : FoldOrder::kLeft;
}

bool CanFoldTogether(const FoldShape& shape, const Fold& a, const Fold& b) {
  const FoldOrder order = OrderOf(shape, a), other = OrderOf(shape, b);
  if (order == FoldOrder::kAny || other == FoldOrder::kAny) return true;
  return order == other &&
         (order != FoldOrder::kLanes || SumLanes(shape.reduced, shape.columns, a.type) ==
                                            SumLanes(shape.reduced, shape.columns, b.type));
}

bool IsStaged(const FoldShape& shape, std::span<const Fold> folds) {
  return std::ranges::any_of(folds, [&](const Fold& fold) {
    return fold.kind == ReducerKind::kGeneral ||
           (shape.columns > 1 &&
            (!shape.groups.empty() || OrderOf(shape, fold) == FoldOrder::kLanes));
  });
}

std::optional<FoldOf> FindFold(const Instruction& inst) {
  const Shape& operand = inst.operand(0)->shape();
  const auto types = TypesOf(inst);
  if (operand.num_elements() == 0 || !types) return std::nullopt;
  const auto shape = ShapeOf(operand, inst.attrs<DimensionsAttrs>().dimensions);
  std::optional<LaneProgram> reducer = CompileScalarComputation(*inst.callee(0));
  if (!shape || !reducer) return std::nullopt;
  const std::vector<ReducerKind> kinds = ClassifyReducer(*reducer, *types);
  const bool is_general = std::ranges::find(kinds, ReducerKind::kGeneral) != kinds.end();
  if (is_general || inst.shape().is_tuple()) {
    for (size_t i = 0; i < kinds.size(); ++i) {
      if (IsCanonical({kinds[i], (*types)[i]})) return std::nullopt;
    }
    auto folds = GeneralFolds(*std::move(reducer), *types);
    return folds ? std::optional(FoldOf{*shape, *std::move(folds)}) : std::nullopt;
  }
  const ElementType type = (*types)[0];
  if (IsComplex(type) && kinds[0] != ReducerKind::kAdd) return std::nullopt;
  Fold fold{kinds[0], type};
  SetInit(fold, *inst.operand(1));
  return FoldOf{*shape, {fold}};
}

Access ResultAccess(const FoldShape& shape) {
  if (!shape.groups.empty()) return {0, shape.groups};
  Access access;
  const auto add = [&](i64 size, i64 stride) {
    if (size > 1) access.factors.push_back({size, stride});
  };
  add(shape.rows, shape.columns);
  add(shape.reduced, 0);
  add(shape.columns, 1);
  return access;
}

std::optional<FoldPath> PathOf(const FoldShape& shape, std::span<const Fold> folds,
                               const Dims& sizes) {
  // Shorter runs are copied faster than a kernel is called for each.
  constexpr i64 kMinRun = 512;
  const size_t rank = sizes.size();
  if (rank == 0 || rank > kMaxFoldRank) return std::nullopt;
  if (IsStaged(shape, folds)) return FoldPath::kStaged;
  if (shape.columns > 1) {
    const bool fits = shape.groups.empty() && rank >= 2 && sizes[rank - 1] == shape.columns &&
                      sizes[rank - 2] == shape.reduced;
    return fits ? FoldPath::kInOrder : FoldPath::kStaged;
  }
  if (shape.groups.empty() && sizes[rank - 1] == shape.reduced) return FoldPath::kInOrder;
  return sizes[rank - 1] >= kMinRun ? FoldPath::kRuns : FoldPath::kStaged;
}

FoldForm FormOf(const FoldShape& shape, std::span<const Fold> folds, FoldPath path) {
  if (path == FoldPath::kRuns) return FoldForm::kColumns;  // of lanes
  if (path == FoldPath::kInOrder) {
    return shape.columns == 1 ? FoldForm::kRows : FoldForm::kColumns;
  }
  constexpr i64 kFewColumns = 16;
  bool is_any = true;
  for (const Fold& fold : folds) {
    const FoldOrder order = OrderOf(shape, fold);
    if (order == FoldOrder::kLanes) return FoldForm::kRows;
    is_any = is_any && order == FoldOrder::kAny;
  }
  return is_any && shape.columns < kFewColumns ? FoldForm::kRows : FoldForm::kColumns;
}

i64 NumPartials(i64 num_reduced) {
  const i64 chunks = (num_reduced + kSumChunk - 1) / kSumChunk;
  return static_cast<i64>(std::bit_width(static_cast<std::uint64_t>(chunks))) + 1;
}

i64 PartialBytes(const FoldShape& shape) {
  return NumPartials(shape.reduced) * std::min(shape.columns, kColumnsPerTile) * kMaxFoldBytes;
}

i64 FoldScratchBytes(const FoldShape& shape, size_t num_folds) {
  if (shape.columns == 1 || shape.reduced <= kSumChunk) return 0;
  return static_cast<i64>(num_folds) * PartialBytes(shape);
}

}  // namespace axle
