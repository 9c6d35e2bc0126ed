// The kind of collectives between devices of a process, as far as they have static shapes and, if
// they fold, a reducer of two scalars that is straight-line code. A module for one device keeps the
// evaluators, which have nothing to wait for.
#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "axle/codegen/kinds/record_writer.h"
#include "axle/codegen/schedule/region_kinds.h"
#include "axle/codegen/steps/collective_step.h"
#include "axle/codegen/steps/scratch.h"
#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/collective_meeting.h"
#include "axle/ops/lanes/reducer.h"

namespace axle {

extern const RegionKindDef kCollectiveRegion;

namespace {

using How = ExchangeForm;

i64 NumDevices(const Instruction& inst) {
  return NumIds(inst, GroupMode::kFlattenedId);
}

bool Takes(const Instruction& inst) {
  return ExchangeFormOf(inst) != How::kNone && NumDevices(inst) > 1;
}

bool FoldsInPlace(const Instruction& inst) {
  return ExchangeFormOf(inst) == How::kReduce;
}

// The dimension along which devices have parts; -1: they have none.
i64 PartDim(const Instruction& inst, How how) {
  switch (how) {
    case How::kReduceScatter:
      return inst.attrs<ReduceScatterAttrs>().dimensions[0];
    case How::kGather:
      return inst.attrs<AllGatherAttrs>().dimensions[0];
    case How::kAllToAll:
      return inst.attrs<AllToAllAttrs>().dimensions[0];
    default:
      return -1;
  }
}

i64 Product(std::span<const i64> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), i64{1}, std::multiplies<>());
}

// Messages begin at cache lines, whole elements of any type.
void AddArrays(const Instruction& inst, CollectivePlan& plan) {
  const i64 dim = PartDim(inst, plan.how);
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    ForEachBlock(inst.operand(i)->shape(), [&](const Shape& shape, bool) {
      CollectivePlan::Array array = {.bytes = shape.num_bytes(), .offset = plan.message_bytes};
      array.run = array.bytes;
      if (dim >= 0) {
        const std::span<const i64> dims = shape.dims();
        array.rows = Product(dims.first(static_cast<size_t>(dim)));
        array.run = Product(dims.subspan(static_cast<size_t>(dim))) * Info(shape.type()).bytes;
        if (plan.how != How::kGather) array.run /= plan.parts;
      }
      plan.message_bytes += ScratchPart(array.bytes);
      plan.arrays.push_back(array);
    });
  }
}

// How many devices a group has for these shapes; 0: any number.
i64 NumParts(const Instruction& inst, How how) {
  if (how == How::kDeal) return inst.num_operands();
  const i64 dim = PartDim(inst, how);
  if (dim < 0) return 0;
  if (how == How::kAllToAll) {
    const StatusOr<i64> size = GroupSize(CollectiveOf(inst));
    return size.ok() ? *size : 0;
  }
  const Shape& results = GivesCollectiveState(inst) ? inst.shape().element(1) : inst.shape();
  const Shape& result = results.is_tuple() ? results.element(0) : results;
  const i64 from = inst.operand(0)->shape().dim(dim), to = result.dim(dim);
  const i64 less = std::min(from, to), more = std::max(from, to);
  return less == 0 ? 0 : more / less;
}

// Whether to_apply is a reducer of two scalars of the type of all operands, with a loop.
bool SetFold(StepPlanner& planner, const Instruction& inst, CollectivePlan& plan) {
  const HloComputation& callee = *inst.callee(0);
  const Shape& root = callee.root()->shape();
  if (!root.is_array() || !root.is_scalar() || callee.parameters().size() != 2) return false;
  const ElementType type = root.type();
  bool has_type = std::ranges::all_of(
      callee.parameters(), [&](const Instruction* value) { return value->shape().type() == type; });
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    has_type = has_type && inst.operand(i)->shape().type() == type;
  }
  if (!has_type) return false;
  CompiledComputation& applied = planner.computations().Applied(callee);
  if (!applied.lanes || !StepPlanner::FitsLoop(*applied.lanes)) return false;
  const ReducerKind kind = ClassifyReducer(*applied.lanes, {&type, 1})[0];
  plan.fold.type = type;
  plan.fold.element_bytes = Info(type).bytes;
  plan.fold.is_tree = kind != ReducerKind::kGeneral;
  if (IsNarrowFloat(type) && IsSumOrProduct(kind, type)) {
    const auto loop_of = [&](LaneProgram program) {
      const LaneProgram& lanes = planner.kernels().Keep(std::move(program));
      return planner.NewLoop({&lanes, std::vector<InnerStride>(lanes.inputs.size())});
    };
    plan.fold.as_f32 = FindFoldKernel(kind, type).fold;
    plan.fold.widen = loop_of(ConversionProgram(type, F32));
    plan.fold.fold_widened = loop_of(WideningProgram(kind, type));
    plan.fold.narrow = loop_of(ConversionProgram(F32, type));
  } else {
    plan.fold.loop = planner.LoopOf(applied);
  }
  return true;
}

PlannedStep Plan(StepPlanner& planner, const Region& region) {
  const Instruction& inst = *region.instructions[0];
  auto plan = std::make_shared<CollectivePlan>();
  plan->how = ExchangeFormOf(inst);
  plan->evaluate.inst = &inst;
  plan->instruction = RendezvousId(inst);
  PlannedStep step = {.function = &RunCollective};
  const bool has_fold = !inst.callees().empty();
  if (has_fold) {
    if (!SetFold(planner, inst, *plan)) return {};
    plan->evaluate.callees.push_back(&planner.computations().Applied(*inst.callee(0)));
    const GroupFold& fold = plan->fold;
    for (const auto& loop : {fold.loop, fold.widen, fold.fold_widened, fold.narrow}) {
      if (loop != nullptr) step.loops.push_back(loop);
    }
    step.scratch_bytes = GroupFold::ScratchBytes(static_cast<std::uint64_t>(NumDevices(inst)));
  }
  plan->parts = NumParts(inst, plan->how);
  if (plan->parts == 0 && PartDim(inst, plan->how) >= 0) return {};  // arrays without elements
  AddArrays(inst, *plan);
  plan->first_result = GivesCollectiveState(inst) ? plan->arrays.size() : 0;
  plan->form = plan->arrays.size();
  for (const CollectivePlan::Array& array : plan->arrays) {
    for (const i64 number : {array.bytes, array.rows, array.run}) {
      plan->form = plan->form * 0x9E3779B97F4A7C15 + static_cast<std::uint64_t>(number);
    }
  }
  step.plan = std::move(plan);
  return step;
}

}  // namespace

const RegionKindDef kCollectiveRegion = {
    .kind = RegionKind::kCollective,
    .engine = "library",
    .takes = Takes,
    .updates_in_place = FoldsInPlace,
    .why_alone =
        [](const Instruction& inst) {
          return StrCat("\"", inst.name(), "\" waits for other devices");
        },
    .plan = Plan,
    .add_record =
        [](RecordWriter& writer, Region&) {
          const bool has_scratch = writer.planned.scratch_bytes > 0;
          AddPlannedRecord(writer, has_scratch ? writer.Places({writer.scratch}) : writer.Places());
        },
};

}  // namespace axle
