// Reductions in open regions. The loop that computes the operand of a reduction, or that reads the
// same array, folds it on the way:
//
//   e = exponential(x)
//   s = reduce(e, b), add      the loop of e folds s; e is stored only if somebody else reads it
//   r = divide(1, s)           joins the fold with b, in the loop of the divide
//
// A region takes several reductions if their FoldShape is the same and their orders of elements go
// together (CanFoldTogether). If the operand is read in a form that has no common sizes with the
// reduction, it is put into memory and folded by a region of its own; if that fails too, the
// evaluator runs.
//
// A reduction has two halves. The fold is an output of the region. What remains, joining with the
// init and rounding, is one elementwise instruction, which FinishFold adds to the loop of the first
// reader. There is no second half if the fold starts from the init (Fold::has_init), or if the
// reducer is of no known kind (kGeneral): those start from their init, which therefore has to be
// there before the loop. Folds of kGeneral come first among the folds of a loop, because their
// operands are stored outputs of the lane program and LaneCompiler::Finish puts these before folded
// ones.
#include <algorithm>
#include <cstring>

#include "axle/codegen/schedule/schedule_builder.h"
#include "axle/core/stable_sort.h"

namespace axle {

Status ScheduleBuilder::AddReduce(const Instruction& inst) {
  const std::optional<FoldOf> found = FindFold(inst);
  if (!found) return AddEvaluate(inst);
  const auto count = static_cast<i64>(found->folds.size());
  const i64 n = inst.operand(0)->shape().num_elements();
  const bool is_general = found->folds[0].kind == ReducerKind::kGeneral;
  for (i64 i = 0; is_general && i < count; ++i) AXLE_TRY(Need(*inst.operand(count + i)));
  for (i64 i = 0; i < count; ++i) AXLE_TRY(PrepareRead(*inst.operand(i), n));
  if (count > 1) AXLE_TRY(MoveWhatDoesNotFit(inst, n));
  OpenRegion* region = nullptr;
  for (i64 i = 0; i < count; ++i) {
    OpenRegion* const open = StateOf(*ReadFor(*inst.operand(i), n).base).open;
    if (open == nullptr || open == region) continue;
    if (region == nullptr) {
      region = open;
    } else if (!TryMerge(*region, *open)) {
      NoteApart(*open->instructions.back(), inst);
      AXLE_TRY(Close(*open));
    }
  }
  if (region != nullptr && !TryFold(*region, inst, *found)) {
    NoteApart(*region->instructions.back(), inst);
    AXLE_ASSIGN(region, CloseToFold(*region, inst, *found));
  }
  for (size_t k = 0; region == nullptr && k < std::min(open_.size(), kMaxSiblings); ++k) {
    OpenRegion& sibling = *open_[open_.size() - 1 - k];
    for (i64 i = 0; region == nullptr && i < count; ++i) {
      const View read = ReadFor(*inst.operand(i), n);
      if (read.access.IsUniform() || sibling.num_positions != n) continue;
      if (ReadsAlready(sibling, read) && TryFold(sibling, inst, *found)) {
        region = &sibling;
      }
    }
  }
  if (region == nullptr) {
    region = NewRegion(n);
    if (!TryFold(*region, inst, *found)) {  // read in a form that does not fit
      for (i64 i = 0; i < count; ++i) AXLE_TRY(Need(*inst.operand(i)));
      if (!TryFold(*region, inst, *found)) {
        Forget(*region);
        return AddEvaluate(inst);
      }
    }
  }
  StateOf(inst).fold = FoldState{found->folds[0], region};
  return {};
}

// The operand that the region computes is in memory afterwards, or computed again in a region that
// has folded it.
StatusOr<ScheduleBuilder::OpenRegion*> ScheduleBuilder::CloseToFold(OpenRegion& region,
                                                                    const Instruction& inst,
                                                                    const FoldOf& found) {
  const bool may_be_again = !region.folds.empty() && found.folds.size() == 1;
  AXLE_TRY(Close(region, may_be_again));
  AXLE_TRY(ComputeAgain(*inst.operand(0)));
  OpenRegion* const again = StateOf(*Read(*inst.operand(0)).base).open;
  if (again == nullptr || TryFold(*again, inst, found)) return again;
  AXLE_TRY(Close(*again));
  return nullptr;
}

bool ScheduleBuilder::CanFold(const OpenRegion& region, const FoldShape& shape,
                              std::span<const Fold> folds) {
  size_t count = region.num_folds();
  for (const Fold& fold : folds) count += static_cast<size_t>(fold.num_parts());
  if (count > kMaxFolds) return false;
  return std::ranges::all_of(region.folds, [&](const auto& other) {
    return region.fold_shape == shape && std::ranges::all_of(folds, [&](const Fold& fold) {
             return CanFoldTogether(shape, other.fold, fold);
           });
  });
}

bool ScheduleBuilder::TryFold(OpenRegion& region, const Instruction& inst, const FoldOf& found) {
  if (!CanFold(region, found.shape, found.folds)) return Refuse(Apart::kOtherReduction);
  const FoldShape before = region.fold_shape;
  const size_t num_before = region.folds.size();
  const auto path_before = PathIn(region);
  region.fold_shape = found.shape;
  std::vector<RegionInput> inputs;
  const auto read = [&](const Instruction& operand) {
    const View view = ReadFor(operand, region.num_positions);
    if (IsInlineConstant(view) || StateOf(*view.base).open != nullptr) return;
    inputs.push_back({StateOf(*view.base).values[0], view.access});
  };
  for (size_t f = 0; f < found.folds.size(); ++f) {
    const auto i = static_cast<i64>(f);
    region.folds.push_back({&inst, i, found.folds[f]});
    read(*inst.operand(i));
    const bool is_general = found.folds[f].kind == ReducerKind::kGeneral;
    if (is_general) read(*inst.operand(inst.num_operands() / 2 + i));
  }
  const std::vector<RegionInput> inputs_before = region.inputs;
  if (SizesFor(region, region.inputs) && Unite(region, inputs)) {
    if (num_before == 0 ? IsWorthFolding(region, inst, found) : PathIn(region) == path_before) {
      return true;
    }
    Refuse(Apart::kNoCommonSizes);
  }
  region.inputs = inputs_before;
  region.fold_shape = before;
  region.folds.resize(num_before);
  return false;
}

std::optional<FoldPath> ScheduleBuilder::PathIn(const OpenRegion& region) {
  if (region.folds.empty()) return std::nullopt;
  const auto sizes = SizesFor(region, region.inputs);
  return sizes ? region.PathOn(*sizes) : std::nullopt;
}

// A fold that is staged because of what the region computes saves the memory of its operand. It
// costs something: threads do not share a single result, and rows are not fused by rows. So nothing
// of the region may have to be stored anyway.
bool ScheduleBuilder::IsWorthFolding(OpenRegion& region, const Instruction& inst,
                                     const FoldOf& found) {
  const bool is_always_staged = !found.shape.groups.empty() || IsStaged(found.shape, found.folds);
  if (PathIn(region) != FoldPath::kStaged || is_always_staged) return true;
  std::optional<FoldState>& state = StateOf(inst).fold;
  state = FoldState{found.folds[0], &region};  // so that it counts as a reader inside
  const bool stores = !StoredBy(region, /*may_be_again=*/true).empty();
  state.reset();
  return !stores;
}

Status ScheduleBuilder::FinishFold(const Instruction& inst, bool may_be_again) {
  State& state = StateOf(inst);
  if (state.open != nullptr || state.has_values) return {};
  if (IsTupleElement(inst)) return AddElement(inst);
  if (!state.fold) return {};
  if (state.fold->region != nullptr) AXLE_TRY(Close(*state.fold->region, may_be_again));
  if (state.has_values) return {};
  AXLE_TRY(FinishFold(*inst.operand(1)));
  return AddElementwise(inst);
}

void ScheduleBuilder::SetInit(LaneCompiler& compiler, const Instruction& init,
                              const OpenRegion& open, Region& region,
                              std::vector<const Instruction*>& readers, Fold& fold) {
  const View read = ReadFor(init, open.num_positions);
  if (IsInlineConstant(read)) {
    const Literal& literal = read.base->attrs<ConstantAttrs>().literal;
    std::memcpy(&fold.init_bits, literal.bytes(), static_cast<size_t>(literal.num_bytes()));
    return;
  }
  AddOperand(compiler, init, open, region, readers);
  const ValueId value = StateOf(*read.base).values[0];
  const auto input = std::ranges::find_if(region.inputs, [&](const RegionInput& other) {
    return other == RegionInput{value, read.access};
  });
  fold.init_input = input - region.inputs.begin();
}

ScheduleBuilder::FoldOperands ScheduleBuilder::AddFoldOperands(
    LaneCompiler& compiler, OpenRegion& open, Region& region,
    std::vector<const Instruction*>& readers) {
  // Values in the form in which they are stored come first.
  const auto is_stored = [](const auto& pending) {
    return pending.fold.kind == ReducerKind::kGeneral;
  };
  StableSort(open.folds,
             [&](const auto& a, const auto& b) { return is_stored(a) && !is_stored(b); });
  FoldOperands operands;
  for (const auto& [inst, i, fold] : open.folds) {
    const Instruction& operand = *inst->operand(i);
    AddOperand(compiler, operand, open, region, readers);
    if (i == 0) region.instructions.push_back(inst);
    std::vector<Fold>& folds = region.loop().folds;
    folds.insert(folds.end(), static_cast<size_t>(fold.num_parts()), fold);
    if (fold.kind != ReducerKind::kGeneral) {
      operands.folded.push_back(&operand);
      continue;
    }
    operands.stored.push_back(&operand);
    const Instruction& init = *inst->operand(inst->num_operands() / 2 + i);
    SetInit(compiler, init, open, region, readers, folds.back());
  }
  return operands;
}

void ScheduleBuilder::AddFoldResults(const OpenRegion& open, Region& region) {
  for (const auto& [inst, i, fold] : open.folds) {
    State& state = StateOf(*inst);
    state.fold->region = nullptr;
    if (fold.kind == ReducerKind::kGeneral) {
      if (i == 0) NewValues(*inst);
      region.outputs.push_back(state.values[static_cast<size_t>(i)]);
      continue;
    }
    if (fold.has_init) {
      NewValues(*inst);
      region.outputs.push_back(state.values[0]);
      continue;
    }
    for (int part = 0; part < fold.num_parts(); ++part) {
      const LaneArray& array = region.loop().program.outputs[region.outputs.size()];
      const i64 bytes = array.element_bytes() * inst->shape().num_elements();
      region.outputs.push_back(NewValue(*inst, bytes, array));
      state.fold->values.push_back(region.outputs.back());
    }
  }
}

}  // namespace axle
