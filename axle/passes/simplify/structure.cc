// Rules for tuples, conditionals with a known branch, static sizes, sorts and reductions of at most
// one element, and collectives of one device.

#include <algorithm>

#include "axle/ops/attributes/attributes.h"
#include "axle/ops/collective_meeting.h"
#include "axle/passes/simplify/rules.h"

namespace axle {
namespace {

Instruction* ElementOfTuple(Maker&, Instruction& inst) {
  Instruction* tuple = inst.operand(0);
  return IsTuple(*tuple) ? tuple->operand(inst.attrs<TupleIndexAttrs>().index) : nullptr;
}

Instruction* TupleOfItsElements(Maker&, Instruction& inst) {
  Instruction* whole = nullptr;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    const Instruction& element = *inst.operand(i);
    if (!IsTupleElement(element) || element.attrs<TupleIndexAttrs>().index != i) return nullptr;
    if (i > 0 && element.operand(0) != whole) return nullptr;
    whole = element.operand(0);
  }
  return whole;
}

// An index out of range selects the last branch.
Instruction* KnownBranch(Maker& to, Instruction& inst) {
  const auto index = UniformInteger(*inst.operand(0));
  if (!index) return nullptr;
  const i64 last = static_cast<i64>(inst.callees().size()) - 1;
  i64 branch = *index < 0 || *index > last ? last : *index;
  if (TypeOf(*inst.operand(0)) == PRED) branch = *index != 0 ? 0 : 1;
  Instruction* operand = inst.operand(1 + branch);
  HloComputation* callee = inst.callee(branch);
  const AttrSchema& schema = GetOpDef(Opcode::kCall).attrs;
  return to.Add(Opcode::kCall, inst.shape(), {&operand, 1}, {schema, schema.create()},
                {&callee, 1});
}

Instruction* StaticSize(Maker& to, Instruction& inst) {
  const i64 d = inst.attrs<DimensionsAttrs>().dimensions[0];
  const Shape& operand = inst.operand(0)->shape();
  return operand.is_dynamic(d) ? nullptr : to.Uniform(inst.shape(), operand.dim(d));
}

// The operand, or the tuple of operands.
Instruction* OperandsOf(Maker& to, Instruction& inst) {
  if (!inst.shape().is_tuple()) return inst.operand(0);
  std::vector<Instruction*> operands;
  for (i64 i = 0; i < inst.num_operands(); ++i) operands.push_back(inst.operand(i));
  return to.Make(Opcode::kTuple, inst.shape(), operands);
}

Instruction* SortedAlready(Maker& to, Instruction& inst) {
  const i64 d = inst.attrs<SortAttrs>().dimensions[0];
  return inst.operand(0)->shape().dim(d) > 1 ? nullptr : OperandsOf(to, inst);
}

Instruction* AloneInItsGroup(Maker& to, Instruction& inst) {
  return MeetsOthers(inst) ? nullptr : OperandsOf(to, inst);
}

// A reduction of one element each: the result is the reducer, a single operation, on init and
// element.
Instruction* ReductionOfOne(Maker& to, Instruction& inst) {
  if (inst.num_operands() != 2 || !inst.shape().is_array()) return nullptr;
  Instruction &x = *inst.operand(0), &init = *inst.operand(1);
  const Instruction& root = *inst.callee(0)->root();
  if (x.shape().num_elements() != inst.shape().num_elements() || x.shape().num_elements() == 0 ||
      TypeOf(x) != TypeOf(inst) || TypeOf(init) != TypeOf(inst)) {
    return nullptr;
  }
  const auto is_parameter = [&](i64 i) {
    return IsParameter(*root.operand(i)) && root.operand(i)->attrs<ParameterAttrs>().number == i;
  };
  const bool is_op = root.shape().is_array() && GetOpDef(root).emit != nullptr &&
                     root.num_operands() == 2 && is_parameter(0) && is_parameter(1);
  if (!is_op || TypeOf(root) != TypeOf(inst)) return nullptr;
  Instruction* const operands[] = {
      to.Make(Opcode::kBroadcast, inst.shape(), {&init}, DimensionsAttrs{}),
      to.Make(Opcode::kReshape, inst.shape(), {&x})};
  return to.Add(root.opcode(), inst.shape(), operands, root.attr_block(), {});
}

// One of the collectives that give back their operands in groups of one.
constexpr Rule OfGroupsOfOne(std::string_view name, std::string_view algebra, Opcode root,
                             std::string_view sample, std::string_view helpers = "") {
  return {.name = name,
          .algebra = algebra,
          .why = "nothing comes from other devices",
          .root = root,
          .rewrite = AloneInItsGroup,
          .sample = sample,
          .helpers = helpers};
}
constexpr std::string_view kSum =
    "sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }\n";

constexpr Rule kRules[] = {
    {.name = "element-of-tuple",
     .algebra = "get-tuple-element(tuple(..., x, ...)) -> x",
     .why = "x is that element",
     .root = Opcode::kGetTupleElement,
     .rewrite = ElementOfTuple,
     .sample = "x = f32[4] parameter(0)  y = s32[] parameter(1)\n"
               "t = (f32[4], s32[]) tuple(x, y)  ROOT r = s32[] get-tuple-element(t), index=1",
     .takes_dynamic = true},
    {.name = "tuple-of-elements",
     .algebra = "tuple of all elements of t in their order -> t",
     .why = "both have the same elements",
     .root = Opcode::kTuple,
     .rewrite = TupleOfItsElements,
     .sample = "t = (f32[4], s32[]) parameter(0)  a = f32[4] get-tuple-element(t), index=0\n"
               "b = s32[] get-tuple-element(t), index=1\n"
               "ROOT r = (f32[4], s32[]) tuple(a, b)",
     .takes_dynamic = true},
    {.name = "known-branch",
     .algebra = "conditional(constant, ...) -> call of that branch",
     .why = "no other branch runs",
     .root = Opcode::kConditional,
     .rewrite = KnownBranch,
     .sample = "i = s32[] constant(7)  x = f32[4] parameter(0)\n"
               "ROOT r = f32[4] conditional(i, x, x, x), branch_computations={up, up, down}",
     .helpers = "up { x = f32[4] parameter(0)  ROOT y = f32[4] ceil(x) }\n"
                "down { x = f32[4] parameter(0)  ROOT y = f32[4] floor(x) }\n"},
    {.name = "static-size",
     .algebra = "get-dimension-size(x) of a static dimension -> constant",
     .why = "a static dimension has one size",
     .root = Opcode::kGetDimensionSize,
     .rewrite = StaticSize,
     .sample = "x = f32[4,9] parameter(0)\n"
               "ROOT r = s32[] get-dimension-size(x), dimensions={1}",
     .takes_dynamic = true},
    {.name = "reduce-one",
     .algebra =
         "reduce(x, init) of one element each -> to_apply(init, x), of a reducer that is one op",
     .why = "init is the first accumulator, and the sum of one element is that element",
     .root = Opcode::kReduce,
     .rewrite = ReductionOfOne,
     .sample = "x = f32[4,1] parameter(0)  i = f32[] parameter(1)\n"
               "ROOT r = f32[4] reduce(x, i), dimensions={1}, to_apply=sum",
     .helpers = kSum},
    {.name = "sort-one",
     .algebra = "sort(x, ...) along a dimension of at most one element -> x, ...",
     .why = "there is one order only",
     .root = Opcode::kSort,
     .rewrite = SortedAlready,
     .sample = "x = f32[1,4] parameter(0)  y = s32[1,4] parameter(1)\n"
               "ROOT r = (f32[1,4], s32[1,4]) sort(x, y), dimensions={0}, to_apply=before",
     .helpers = "before { a = f32[] parameter(0)  b = f32[] parameter(1)\n"
                "c = s32[] parameter(2)  d = s32[] parameter(3)\n"
                "ROOT r = pred[] compare(a, b), direction=LT }\n"},
    OfGroupsOfOne("all-reduce-alone", "all-reduce(x, ...) in groups of one device -> x, ...",
                  Opcode::kAllReduce,
                  "x = f32[4] parameter(0)  y = f32[] parameter(1)\n"
                  "ROOT r = (f32[4], f32[]) all-reduce(x, y), replica_groups={{0}}, to_apply=sum",
                  kSum),
    OfGroupsOfOne("reduce-scatter-alone", "reduce-scatter(x, ...) in groups of one -> x, ...",
                  Opcode::kReduceScatter,
                  "x = f32[4] parameter(0)\n"
                  "ROOT r = f32[4] reduce-scatter(x), replica_groups={{0}}, dimensions={0}, "
                  "to_apply=sum",
                  kSum),
    OfGroupsOfOne("all-gather-alone", "all-gather(x, ...) in groups of one -> x, ...",
                  Opcode::kAllGather,
                  "x = f32[4] parameter(0)\n"
                  "ROOT r = f32[4] all-gather(x), replica_groups={{0}}, dimensions={0}"),
    OfGroupsOfOne("all-to-all-alone", "all-to-all(x, ...) in groups of one -> x, ...",
                  Opcode::kAllToAll,
                  "x = f32[4] parameter(0)\n"
                  "ROOT r = f32[4] all-to-all(x), replica_groups={{0}}, dimensions={0}"),
};

}  // namespace

std::span<const Rule> StructureRules() {
  return kRules;
}

}  // namespace axle
