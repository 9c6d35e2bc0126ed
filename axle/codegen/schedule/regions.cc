// The walk over a computation, and regions of a single instruction. Instructions are visited once,
// operands before users. Each joins an open region (loop_regions.cc, fold_regions.cc), is only
// remembered as a view, or becomes a region of its own:
//
//   x = parameter(0)       x has a value from the start
//   t = transpose(x)       a view of x: no region
//   e = exponential(t)     an open region, which reads x through the view, or a copy in order
//   d = dot(e, w)          needs e: the open region closes, then the contraction follows
//
// Need() is the one way from "remembered" to "there": it closes the region that computes an
// instruction, completes a reduction, puts the values of a tuple together, or copies a view with a
// kMove region. Every region calls it for its inputs before it is appended, so the order of the
// list is an order in which the regions can run.
//
// What has dynamic dimensions is sent to its evaluator before anything reads its sizes. A dot reads
// a transposed operand, and writes a transposed result, in place if a kernel exists for these
// strides; whether one exists is the same for all instruction sets, so that schedules do not depend
// on the machine.
#include "axle/codegen/schedule/regions.h"

#include <algorithm>

#include "axle/codegen/schedule/contraction_kernel.h"
#include "axle/codegen/schedule/schedule_builder.h"
#include "axle/codegen/schedule/updates.h"
#include "axle/ops/collective_meeting.h"
#include "axle/ops/contraction.h"
#include "axle/ops/control_form.h"
#include "axle/ops/dynamic.h"

namespace axle {

StatusOr<Schedule> ScheduleBuilder::Make() && {
  for (const Instruction* parameter : computation_.parameters()) {
    NewValues(*parameter);
    const std::vector<ValueId>& values = StateOf(*parameter).values;
    schedule_.arguments.insert(schedule_.arguments.end(), values.begin(), values.end());
  }
  for (const Instruction* inst : instructions_) {
    if (limits_ != nullptr) AXLE_TRY(limits_->Check());
    if (live_[inst->index()] && !IsParameter(*inst)) AXLE_TRY(Add(*inst));
  }
  AXLE_TRY(Need(*computation_.root()));
  schedule_.results = StateOf(*computation_.root()).values;
  DropUnreadConstants();
  return std::move(schedule_);
}

Status ScheduleBuilder::Charge(const LaneProgram& program) {
  if (limits_ == nullptr) return {};
  // The schedule, what is grouped of it, what is used of that, and the key of a kernel.
  constexpr size_t kCopies = 4;
  const auto bytes = static_cast<i64>(kCopies * program.code.size() * sizeof(LaneOp));
  AXLE_TRY(limits_->CheckNow());  // a program may be long
  AXLE_TRY(limits_->Reserve(bytes));
  if (reserved_ != nullptr) *reserved_ += bytes;
  return {};
}

ValueId ScheduleBuilder::NewValue(const Instruction& inst, i64 bytes, const LaneArray& array) {
  schedule_.values.push_back({&inst, bytes, array});
  return static_cast<ValueId>(schedule_.values.size() - 1);
}

void ScheduleBuilder::NewValues(const Instruction& inst) {
  State& state = StateOf(inst);
  ForEachBlock(inst.shape(), [&](const Shape& shape, bool is_sizes) {
    const LaneArray array = is_sizes ? LaneArray{LaneType::kS64} : ArrayOf(shape.type());
    state.values.push_back(NewValue(inst, BlockBytes(shape, is_sizes), array));
  });
  state.has_values = true;
}

// The order of the tests matters. A transpose that a dot already wrote has values and is skipped
// first; dynamic dimensions go to the evaluator before any test looks at sizes; an array without
// elements is never computed; and only what is left may be taken by a kind (RegionKindDef::takes).
Status ScheduleBuilder::Add(const Instruction& inst) {
  if (StateOf(inst).has_values) return {};  // a region has computed it on the way
  const OpDef& def = GetOpDef(inst);
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    AXLE_TRY(FinishFold(*inst.operand(i), /*may_be_again=*/true));
  }
  for (i64 i = 0; i < inst.num_operands(); ++i) AXLE_TRY(ComputeAgain(*inst.operand(i)));
  if (IsConstant(inst)) return AddConstant(inst);
  if (IsTuple(inst)) return {};  // when it is needed
  if (IsTupleElement(inst)) {
    const auto& fold = StateOf(*inst.operand(0)).fold;
    const bool is_pending = fold && fold->region != nullptr;
    return is_pending ? Status() : AddElement(inst);
  }
  const DoneForm done = DoneFormOf(inst);
  if (def.has(kGivesOperand) || done == DoneForm::kOperand) return AddSame(inst);
  if (done == DoneForm::kResults) return AddPart(inst, 1);
  if (IsDynamic(inst)) return AddEvaluate(inst);
  const bool is_plain_array = inst.shape().is_array() && !HasSideEffect(inst);
  if (is_plain_array && inst.shape().num_elements() == 0 && inst.callees().empty()) {
    NewValues(inst);
    return {};
  }
  if (ControlFormOf(inst) != ControlForm::kNone) return AddControl(inst);
  if (IsElementwise(inst)) return AddElementwise(inst);
  if (def.index_map != nullptr) return AddIndexMap(inst);
  if (def.lowering == Lowering::kReduce) return AddReduce(inst);
  if (def.lowering == Lowering::kDot || def.lowering == Lowering::kConvolution) {
    return AddContraction(inst);
  }
  for (const RegionKindDef* kind : AllRegionKinds()) {
    if (kind->takes != nullptr && kind->takes(inst)) return AddOfKind(inst, *kind);
  }
  if (def.eval == nullptr) {
    return OpError(inst, "has no evaluator", StatusCode::kUnimplemented);
  }
  return AddEvaluate(inst);
}

// Constants that no region reads are dropped at the end (DropUnreadConstants): loops have many of
// them in their code.
Status ScheduleBuilder::AddConstant(const Instruction& inst) {
  NewValues(inst);
  const Literal literal = inst.attrs<ConstantAttrs>().literal.ToRowMajor();
  AddConstantLeaves(literal, StateOf(inst).values, 0);
  return {};
}

size_t ScheduleBuilder::AddConstantLeaves(const Literal& literal, std::span<const ValueId> values,
                                          size_t at) {
  if (literal.shape().is_tuple()) {
    for (const Literal& element : literal.elements()) {
      at = AddConstantLeaves(element, values, at);
    }
  } else if (literal.shape().is_array()) {
    schedule_.constants.emplace_back(values[at++], literal);
  }
  return at;
}

const std::vector<i64>& ScheduleBuilder::FirstBlocks(const Shape& tuple) {
  const auto [begins, is_new] = first_blocks_.try_emplace(&tuple);
  if (!is_new) return begins->second;
  i64 begin = 0;
  for (const Shape& element : tuple.elements()) {
    begins->second.push_back(begin);
    begin += NumBlocks(element);
  }
  return begins->second;
}

Status ScheduleBuilder::AddPart(const Instruction& inst, i64 index) {
  const Instruction& tuple = *inst.operand(0);
  AXLE_TRY(Need(tuple));
  const i64 begin = FirstBlocks(tuple.shape())[static_cast<size_t>(index)];
  const std::vector<ValueId>& all = StateOf(tuple).values;
  State& state = StateOf(inst);
  state.values.assign(all.begin() + begin, all.begin() + begin + NumBlocks(inst.shape()));
  state.has_values = true;
  return {};
}

Status ScheduleBuilder::AddSame(const Instruction& inst) {
  AXLE_TRY(Need(*inst.operand(0)));
  State& state = StateOf(inst);
  state.values = StateOf(*inst.operand(0)).values;
  state.has_values = true;
  return {};
}

Status ScheduleBuilder::AddEvaluate(const Instruction& inst) {
  return AddWhole(inst, RegionKind::kEvaluate).status();
}

// An output may lie in the place of its input only if the region reads that value once: a second
// reader inside of the region would see what was overwritten.
Status ScheduleBuilder::AddOfKind(const Instruction& inst, const RegionKindDef& kind) {
  AXLE_ASSIGN(Region * region, AddWhole(inst, kind.kind));
  if (kind.updates_in_place == nullptr || !kind.updates_in_place(inst)) return {};
  const size_t count = std::min(region->inputs.size(), region->outputs.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    const ValueId value = region->inputs[i].value;
    if (std::ranges::count(region->inputs, value, &RegionInput::value) == 1) {
      region->in_place.push_back({i, i});
    }
  }
  return {};
}

StatusOr<Region*> ScheduleBuilder::AddWhole(const Instruction& inst, RegionKind kind) {
  for (i64 i = 0; i < inst.num_operands() && kind == RegionKind::kMove; ++i) {
    AXLE_TRY(CopyInLoop(*inst.operand(i), &inst));
  }
  for (i64 i = 0; i < inst.num_operands(); ++i) AXLE_TRY(Need(*inst.operand(i)));
  Region region{.kind = kind, .instructions = {&inst}};
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    for (const ValueId value : StateOf(*inst.operand(i)).values) region.inputs.push_back({value});
  }
  NewValues(inst);
  region.outputs = StateOf(inst).values;
  schedule_.regions.push_back(std::move(region));
  return &schedule_.regions.back();
}

// Dead users do not count. The root is read by the caller, so it never has an only user.
const Instruction* ScheduleBuilder::OnlyUser(const Instruction& inst) const {
  const Instruction* only = nullptr;
  for (const Use* use = inst.first_use(); use != nullptr; use = use->next) {
    if (!live_[use->user->index()]) continue;
    if (only != nullptr) return nullptr;
    only = use->user;
  }
  return &inst == computation_.root() ? nullptr : only;
}

Status ScheduleBuilder::AddWholeContraction(const Instruction& inst) {
  AXLE_ASSIGN(Region * region, AddWhole(inst, RegionKind::kContraction));
  region->payload = ContractionRegion();
  return {};
}

Status ScheduleBuilder::AddContraction(const Instruction& inst) {
  // Small regions want a dot of few numbers as it stands.
  if (!IsDot(inst) || FindSmallDot(inst)) {
    return AddWholeContraction(inst);
  }
  ContractionStrides strides = RowMajor(inst);
  View reads[2];
  bool is_plain = true;
  for (i64 i = 0; i < 2; ++i) {
    reads[i] = Read(*inst.operand(i));
    auto in_place = StridesInPlace(inst, i, reads[i].access);
    if (!in_place)
      reads[i] = {inst.operand(i), Access::Whole(inst.operand(i)->shape().num_elements())};
    if (!in_place || reads[i].base == inst.operand(i)) continue;
    (i == 0 ? strides.lhs : strides.rhs) = *std::move(in_place);
    is_plain = false;
  }
  const Instruction* written = &inst;
  const Instruction* const user = OnlyUser(inst);
  if (user != nullptr && !IsDynamic(*user)) {
    if (auto transposed = StridesOfResult(inst, *user)) {
      strides.result = *std::move(transposed);
      written = user;
      is_plain = false;
    }
  }
  if (written == &inst) {
    AXLE_ASSIGN(std::vector<View> factors, PrepareProducts(inst));
    if (!factors.empty()) return AddProducts(inst, std::move(factors));
  }
  if (is_plain || !PlanContraction(inst, InstructionSet::kX86V3, &strides).reason.empty()) {
    return AddWholeContraction(inst);
  }
  for (const View& read : reads) AXLE_TRY(Need(*read.base));
  Region region{.kind = RegionKind::kContraction, .instructions = {&inst}};
  if (written != &inst) region.instructions.push_back(written);
  for (const View& read : reads) {
    region.inputs.push_back({StateOf(*read.base).values[0], read.access});
  }
  NewValues(*written);
  region.outputs = StateOf(*written).values;
  region.payload = ContractionRegion{std::move(strides)};
  schedule_.regions.push_back(std::move(region));
  return {};
}

// A while updates its state: output i may take the place of input i, and its record copies the
// input there otherwise. So do calls and branches, where a result begins as an argument.
Status ScheduleBuilder::AddControl(const Instruction& inst) {
  if (!RunsPrograms(inst)) return AddEvaluate(inst);
  const ControlForm form = ControlFormOf(inst);
  const RegionKind kind = form == ControlForm::kCall          ? RegionKind::kCall
                          : form == ControlForm::kConditional ? RegionKind::kConditional
                                                              : RegionKind::kWhile;
  AXLE_ASSIGN(Region * region, AddWhole(inst, kind));
  region->payload = ControlRegion();
  if (kind != RegionKind::kWhile) {
    FindUpdates(schedule_, *region);
    return {};
  }
  std::vector<std::int32_t> all;
  for (std::uint32_t i = 0; i < region->outputs.size(); ++i) {
    region->in_place.push_back({i, i});
    all.push_back(static_cast<std::int32_t>(i));
  }
  region->control().updates = {{}, std::move(all)};  // of the condition and the body
  return {};
}

ScheduleBuilder::View ScheduleBuilder::Read(const Instruction& inst) {
  if (StateOf(inst).view) return *StateOf(inst).view;
  return {&inst, Access::Whole(inst.shape().num_elements())};
}

// A map of a single piece is a view if the elements that it reads are an access (Compose); all
// other maps copy. A map that begins with all of one operand and then replaces a part is an update;
// it may run in place if its other pieces do not read that operand.
Status ScheduleBuilder::AddIndexMap(const Instruction& inst) {
  IndexMap map = GetOpDef(inst).index_map(inst);
  if (map.size() == 1) {
    const Instruction& operand = *inst.operand(map[0].operand);
    const View read = Read(operand);
    auto access = Compose(map, inst.shape().dims(), operand.shape().dims(), read.access);
    if (access) {
      StateOf(inst).view = View{read.base, *std::move(access)};
      return {};
    }
  }
  if (map.size() > 1 && IsReadByPieces(inst)) {
    StateOf(inst).is_deferred = true;
    return {};
  }
  if (auto read = FindIndexedRead(inst, map)) {
    return AddIndexedRead(inst, *std::move(read), std::move(map));
  }
  return AddMove(inst, std::move(map));
}

Status ScheduleBuilder::AddMove(const Instruction& inst, IndexMap map) {
  AXLE_ASSIGN(Region * move, AddWhole(inst, RegionKind::kMove));
  // An update: all of one operand, then parts of it.
  if (map.size() > 1 && IsWholeOf(map[0], inst)) {
    const int whole = map[0].operand;
    const bool is_read_again =
        std::any_of(map.begin() + 1, map.end(), [&](const IndexPiece& piece) {
          return piece.operand == whole ||
                 std::ranges::any_of(piece.offsets, [&](const DynamicOffset& offset) {
                   return offset.operand == whole;
                 });
        });
    if (!is_read_again) move->in_place.push_back({0, static_cast<std::uint32_t>(whole)});
  }
  move->payload = MoveRegion{std::move(map)};
  return {};
}

// Whether the piece is the operand, element for element.
bool ScheduleBuilder::IsWholeOf(const IndexPiece& piece, const Instruction& inst) {
  const Shape& source = inst.operand(piece.operand)->shape();
  const Shape& result = inst.shape();
  const auto access =
      Compose({piece}, result.dims(), source.dims(), Access::Whole(source.num_elements()));
  return access && access->IsWhole() && source.num_elements() == result.num_elements();
}

// Ways to get values, in order: finish the second half of a reduction, close the region that
// computes the instruction, join the values of a tuple's operands, or copy a view. A view that is
// all of its base needs no copy: it has the same value.
Status ScheduleBuilder::Need(const Instruction& inst) {
  AXLE_TRY(FinishFold(inst));
  State& state = StateOf(inst);
  if (state.has_values) return {};
  if (state.open != nullptr) return Close(*state.open);
  if (IsTuple(inst)) {
    for (i64 i = 0; i < inst.num_operands(); ++i) AXLE_TRY(Need(*inst.operand(i)));
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      const std::vector<ValueId>& values = StateOf(*inst.operand(i)).values;
      state.values.insert(state.values.end(), values.begin(), values.end());
    }
    state.has_values = true;
    return {};
  }
  if (state.is_deferred) {
    state.is_deferred = false;
    return AddMove(inst, GetOpDef(inst).index_map(inst));
  }
  AXLE_INVARIANT(state.view.has_value(), "a region computes what is read");
  AXLE_TRY(CopyInLoop(inst, nullptr));
  if (state.open != nullptr) return Close(*state.open);
  if (state.has_values) return {};
  const View view = *state.view;
  AXLE_TRY(Need(*view.base));  // a region that this closes may read `inst` through the view
  state.view.reset();
  const ValueId source = StateOf(*view.base).values[0];
  if (view.access.IsWhole() && schedule_.values[source].bytes == inst.shape().num_bytes()) {
    state.values = {source};
    state.has_values = true;
    return {};
  }
  NewValues(inst);
  Region move{.kind = RegionKind::kMove, .instructions = {&inst}};
  move.inputs = {{source, view.access}};
  move.outputs = state.values;
  move.payload = MoveRegion();
  schedule_.regions.push_back(std::move(move));
  return {};
}

void ScheduleBuilder::DropUnreadConstants() {
  std::vector<bool> is_read(schedule_.values.size());
  for (const Region& region : schedule_.regions) {
    for (const RegionInput& input : region.inputs) is_read[input.value] = true;
  }
  for (const ValueId value : schedule_.results) is_read[value] = true;
  std::erase_if(schedule_.constants, [&](const auto& c) { return !is_read[c.first]; });
}

i64 NumBlocks(const Shape& shape) {
  i64 count = 0;
  ForEachBlock(shape, [&](const Shape&, bool) { ++count; });
  return count;
}

bool RunsPrograms(const Instruction& inst) {
  if (ControlFormOf(inst) == ControlForm::kNone || IsDynamic(inst)) return false;
  return std::ranges::all_of(inst.callees(), [](const HloComputation* callee) {
    return callee->root()->shape().is_static() &&
           std::ranges::all_of(callee->parameters(), [](const Instruction* parameter) {
             return parameter->shape().is_static();
           });
  });
}

StatusOr<Schedule> MakeSchedule(const HloComputation& computation, Rounding rounding,
                                Limits* limits, i64* reserved) {
  return ScheduleBuilder(computation, rounding, limits, reserved).Make();
}

}  // namespace axle
