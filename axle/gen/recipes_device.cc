// Recipes of collectives, of one device with itself, and of custom calls.
//
// One device is all that a check runs on, so that each collective exchanges values with itself:
// groups are {{0}} or absent, and the pairs of a permutation are (0, 0) or none. Asynchronous pairs
// are drawn together, because a start that nothing reads is invalid.
#include "axle/gen/recipes.h"

namespace axle {
namespace {

ReplicaGroups Groups(Body& body) {
  ReplicaGroups groups;
  if (body.random().Percent(50)) groups.groups = {{0}};
  return groups;
}

// One operand or two.
std::vector<Instruction*> Operands(Body& body, ElementType type, i64 min_rank) {
  std::vector<Instruction*> operands = {body.Array(type, min_rank)};
  if (body.random().Percent(30)) operands.push_back(body.Array(body.AnyType(), min_rank));
  return operands;
}

// The shape of one operand, or the tuple of the shapes of several.
Shape Several(std::span<Instruction* const> operands) {
  if (operands.size() == 1) return operands[0]->shape().WithoutLayout();
  Shape shape;
  for (const Instruction* operand : operands) shape.AddElement(operand->shape().WithoutLayout());
  return shape;
}

bool AllThere(std::span<Instruction* const> operands) {
  for (const Instruction* operand : operands) {
    if (operand == nullptr) return false;
  }
  return true;
}

Instruction* DrawAllGather(Body& body, ElementType type) {
  const auto operands = Operands(body, type, 1);
  if (!AllThere(operands)) return nullptr;
  const AllGatherAttrs attrs = {
      .channel_id = {}, .replica_groups = Groups(body), .dimensions = {0}};
  return body.AddWith(Opcode::kAllGather, operands, attrs, {}, Several(operands));
}

Instruction* DrawAllGatherStart(Body& body, ElementType type) {
  const auto operands = Operands(body, type, 1);
  if (!AllThere(operands)) return nullptr;
  const AllGatherAttrs attrs = {
      .channel_id = {}, .replica_groups = Groups(body), .dimensions = {0}};
  const Shape both = Shape::Tuple({Several(operands), Several(operands)});
  return body.Add(Opcode::kAllGatherDone,
                  {body.AddWith(Opcode::kAllGatherStart, operands, attrs, {}, both)});
}

Instruction* DrawReduction(Body& body, Opcode opcode, ElementType type) {
  Instruction* const operand = body.Array(type);
  HloComputation* reducer = DrawReducer(body, {&type, 1});
  if (operand == nullptr || reducer == nullptr) return nullptr;
  return body.AddWith(opcode, {operand},
                      AllReduceAttrs{.channel_id = {}, .replica_groups = Groups(body)}, {reducer});
}
Instruction* DrawAllReduce(Body& body, ElementType type) {
  return DrawReduction(body, Opcode::kAllReduce, type);
}
Instruction* DrawAllReduceStart(Body& body, ElementType type) {
  return body.Add(Opcode::kAllReduceDone, {DrawReduction(body, Opcode::kAllReduceStart, type)});
}

Instruction* DrawReduceScatter(Body& body, ElementType type) {
  Instruction* const operand = body.Array(type, 1);
  HloComputation* reducer = DrawReducer(body, {&type, 1});
  if (operand == nullptr || reducer == nullptr) return nullptr;
  return body.AddWith(
      Opcode::kReduceScatter, {operand},
      ReduceScatterAttrs{.channel_id = {}, .replica_groups = Groups(body), .dimensions = {0}},
      {reducer}, Several({&operand, 1}));
}

Instruction* DrawAllToAll(Body& body, ElementType type) {
  const AllToAllAttrs attrs = {.channel_id = {}, .replica_groups = Groups(body), .dimensions = {0}};
  return body.AddWith(Opcode::kAllToAll, {body.Array(type, 1)}, attrs);
}

Instruction* DrawRaggedAllToAll(Body& body, ElementType type) {
  Dims dims = body.AnyDims(1, 3);
  Instruction* input = body.Value(Shape(type, dims));
  const i64 rows = dims[0];
  dims[0] += body.random().Below(3);
  std::vector<Instruction*> operands = {input, body.Value(Shape(type, dims))};
  // Input offset, size, output offset and received size of the one group member, such that all rows
  // exist.
  const i64 sent = body.random().Between(0, rows);
  for (const i64 number : {body.random().Between(0, rows - sent), sent, dims[0] - rows, sent}) {
    operands.push_back(body.BroadcastTo(body.Constant(S32, static_cast<double>(number)), {1}));
  }
  return body.AddWith(Opcode::kRaggedAllToAll, operands, RaggedAllToAllAttrs{{}, Groups(body), {}});
}

Instruction* DrawCollectiveBroadcast(Body& body, ElementType type) {
  CollectiveBroadcastAttrs attrs;
  attrs.replica_groups.groups = {{0}};
  return body.AddWith(Opcode::kCollectiveBroadcast, {body.Array(type)}, attrs);
}

CollectivePermuteAttrs Pairs(Body& body) {
  CollectivePermuteAttrs attrs;
  if (body.random().Percent(70)) attrs.source_target_pairs = {{0, 0}};
  return attrs;
}

Instruction* DrawCollectivePermute(Body& body, ElementType type) {
  const CollectivePermuteAttrs attrs = Pairs(body);
  return body.AddWith(Opcode::kCollectivePermute, {body.Array(type)}, attrs);
}

Instruction* DrawCollectivePermuteStart(Body& body, ElementType type) {
  Instruction* const operand = body.Array(type);
  if (operand == nullptr) return nullptr;
  const Shape shape = Several({&operand, 1});
  return body.Add(Opcode::kCollectivePermuteDone,
                  {body.AddWith(Opcode::kCollectivePermuteStart, {operand}, Pairs(body), {},
                                Shape::Tuple({shape, shape}))});
}

// Custom calls that a program may contain without a registration: TopK, which computes, and
// Sharding, which gives its operand.
Instruction* DrawCustomCall(Body& body, ElementType type) {
  Random& random = body.random();
  CustomCallAttrs attrs;
  attrs.custom_call_target = "TopK";
  if (random.Percent(50) && (type == F32 || type == BF16)) {
    Instruction* operand = body.Array(type, 1, 2);
    if (operand == nullptr) return nullptr;
    Dims dims = operand->shape().dims();
    dims.back() = random.Between(0, dims.back());
    HloComputation* comparator = DrawComparator(body, std::vector<ElementType>{type, S32});
    if (comparator == nullptr) return nullptr;
    return body.AddWith(Opcode::kCustomCall, {operand}, attrs, {comparator},
                        Shape::Tuple({Shape(type, dims), Shape(S32, dims)}));
  }
  Instruction* operand = body.Array(type);
  if (operand == nullptr) return nullptr;
  attrs.custom_call_target = "Sharding";
  return body.AddWith(Opcode::kCustomCall, {operand}, attrs, {}, operand->shape().WithoutLayout());
}

constexpr Recipe kRecipes[] = {
    {Opcode::kAllGather, DrawAllGather},
    {Opcode::kAllGatherStart, DrawAllGatherStart},
    {Opcode::kAllGatherDone, DrawAllGatherStart},
    {Opcode::kAllReduce, DrawAllReduce},
    {Opcode::kAllReduceStart, DrawAllReduceStart},
    {Opcode::kAllReduceDone, DrawAllReduceStart},
    {Opcode::kReduceScatter, DrawReduceScatter},
    {Opcode::kAllToAll, DrawAllToAll},
    {Opcode::kRaggedAllToAll, DrawRaggedAllToAll},
    {Opcode::kCollectiveBroadcast, DrawCollectiveBroadcast},
    {Opcode::kCollectivePermute, DrawCollectivePermute},
    {Opcode::kCollectivePermuteStart, DrawCollectivePermuteStart},
    {Opcode::kCollectivePermuteDone, DrawCollectivePermuteStart},
    {Opcode::kCustomCall, DrawCustomCall},
};

}  // namespace

std::span<const Recipe> DeviceRecipes() {
  return kRecipes;
}

}  // namespace axle
