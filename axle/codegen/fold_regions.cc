// Reductions in open regions.
#include <algorithm>

#include "axle/codegen/schedule_builder.h"

namespace axle {

Status ScheduleBuilder::AddReduce(const Instruction& inst) {
  const std::optional<FoldOf> found = FindFold(inst);
  if (!found) return AddEvaluate(inst);
  const Instruction& operand = *inst.operand(0);
  const i64 n = operand.shape().num_elements();
  AXLE_TRY(PrepareRead(operand, n));
  OpenRegion* region = StateOf(*ReadFor(operand, n).base).open;
  if (region != nullptr && !TryFold(*region, inst, *found)) {
    NoteApart(*region->instructions.back(), inst);
    AXLE_TRY(Close(*region));
    region = nullptr;
  }
  for (size_t k = 0; region == nullptr && k < std::min(open_.size(), kMostSiblings); ++k) {
    OpenRegion& sibling = *open_[open_.size() - 1 - k];
    if (ReadsAlready(sibling, operand) && TryFold(sibling, inst, *found)) region = &sibling;
  }
  if (region == nullptr) {
    region = NewRegion(n);
    if (!TryFold(*region, inst, *found)) {  // read in a form that does not fit
      AXLE_TRY(Need(operand));
      if (!TryFold(*region, inst, *found)) {
        Forget(*region);
        return AddEvaluate(inst);
      }
    }
  }
  StateOf(inst).fold = FoldState{found->fold, region};
  return {};
}

bool ScheduleBuilder::TryFold(OpenRegion& region, const Instruction& inst, const FoldOf& found) {
  const bool fits =
      region.folds.size() < kMaxFolds && std::ranges::all_of(region.folds, [&](const auto& other) {
        return region.fold_shape == found.shape &&
               CanFoldTogether(found.shape, other.fold, found.fold);
      });
  if (!fits) return Refuse(Apart::kOtherReduction);
  const FoldShape before = region.fold_shape;
  region.fold_shape = found.shape;
  region.folds.push_back({&inst, found.fold});
  std::vector<RegionInput> inputs;
  const View read = ReadFor(*inst.operand(0), region.num_positions);
  if (!IsInlineConstant(read) && StateOf(*read.base).open == nullptr) {
    inputs.push_back({StateOf(*read.base).values[0], read.access});
  }
  if (SizesFor(region, region.inputs) && Unite(region, inputs)) return true;
  region.fold_shape = before;
  region.folds.pop_back();
  return false;
}

Status ScheduleBuilder::FinishFold(const Instruction& inst) {
  State& state = StateOf(inst);
  if (!state.fold || state.open != nullptr || state.has_values) return {};
  if (state.fold->region != nullptr) AXLE_TRY(Close(*state.fold->region));
  AXLE_TRY(FinishFold(*inst.operand(1)));
  return AddElementwise(inst);
}

}  // namespace axle
