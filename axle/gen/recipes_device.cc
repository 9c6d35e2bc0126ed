// Recipes of collectives and of custom calls.
//
// Most modules are for one device, where each collective exchanges values with itself: groups are
// {{0}} or absent, and the pairs of a permutation are (0, 0) or none. In modules of several devices
// the groups are any that cover all ids. Branches of a conditional may differ between devices, so
// that a collective in one would mostly be a deadlock: computations that are called have groups of
// single devices, which do not wait, but for a few. Asynchronous pairs are drawn together, because
// a start that nothing reads is invalid.
#include <algorithm>

#include "axle/gen/recipes.h"

namespace axle {
namespace {

// Who takes part in a collective.
struct Exchange {
  std::optional<i64> channel_id;
  bool use_global_device_ids = false;
  ReplicaGroups groups;
  i64 group_size = 1;  // devices of a group
};

// Groups of `count` ids, in any order. Of one size unless `may_be_uneven`.
void DrawGroups(Body& body, i64 count, bool may_be_uneven, Exchange& exchange, i64 devices_per_id) {
  Random& random = body.random();
  Dims ids;
  for (i64 id = 0; id < count; ++id) ids.push_back(id);
  random.Shuffle(ids);
  i64 size = count;
  if (body.is_entry() || random.Percent(10)) {
    do size = random.Between(1, count);
    while (count % size != 0);
  } else {
    size = 1;
  }
  exchange.group_size = size * devices_per_id;
  i64 begin = 0;
  if (may_be_uneven && size > 1 && random.Percent(30)) {
    exchange.groups.groups.push_back({ids[0]});
    begin = 1;
  }
  for (; begin < count; begin += size) {
    const i64 end = std::min(begin + size, count);
    exchange.groups.groups.push_back(Dims(ids.begin() + begin, ids.begin() + end));
  }
}

// Of operations with use_global_device_ids, or without.
Exchange DrawExchange(Body& body, bool has_device_ids, bool may_be_uneven = false) {
  Random& random = body.random();
  const i64 replicas = body.state().module.config().replica_count;
  const i64 partitions = body.state().module.config().num_partitions;
  Exchange exchange;
  if (replicas * partitions == 1) {
    if (random.Percent(50)) exchange.groups.groups = {{0}};
    return exchange;
  }
  i64 count = replicas, devices_per_id = 1;
  if (random.Percent(60)) {
    exchange.channel_id = random.Between(1, 2);  // which several have
    exchange.use_global_device_ids = has_device_ids && random.Percent(70);
    count = exchange.use_global_device_ids ? replicas * partitions
            : has_device_ids               ? replicas
                                           : partitions;
    if (has_device_ids && !exchange.use_global_device_ids) devices_per_id = partitions;
  }
  DrawGroups(body, count, may_be_uneven, exchange, devices_per_id);
  // One group of all ids may be left out.
  const bool is_all = exchange.groups.groups.size() == 1;
  if (is_all && !exchange.use_global_device_ids && random.Percent(30)) exchange.groups = {};
  return exchange;
}

// One operand or two.
std::vector<Instruction*> Operands(Body& body, ElementType type, i64 min_rank) {
  std::vector<Instruction*> operands = {body.Array(type, min_rank)};
  if (body.random().Percent(30)) operands.push_back(body.Array(body.AnyType(), min_rank));
  return operands;
}

// An array whose first dimension is so many times something.
Instruction* ArrayOf(Body& body, ElementType type, i64 parts) {
  if (parts == 1) return body.Array(type, 1);
  Dims dims = body.AnyDims(1, 3, 200);
  dims[0] = parts * body.random().Between(0, 4);
  return body.Value(Shape(type, dims));
}

// The shape of one operand, or the tuple of the shapes of several; the first dimension of each is
// `times` as large.
Shape Several(std::span<Instruction* const> operands, i64 times = 1) {
  Shape shape;
  for (const Instruction* operand : operands) {
    Shape element = operand->shape().WithoutLayout();
    if (times != 1) {
      Dims dims = element.dims();
      dims[0] *= times;
      element = Shape(element.type(), dims);
    }
    if (operands.size() == 1) return element;
    shape.AddElement(std::move(element));
  }
  return shape;
}

bool AllThere(std::span<Instruction* const> operands) {
  for (const Instruction* operand : operands) {
    if (operand == nullptr) return false;
  }
  return true;
}

// Bounds of dynamic dimensions are not multiplied.
bool IsStatic(std::span<Instruction* const> operands) {
  for (const Instruction* operand : operands) {
    if (!operand->shape().is_static()) return false;
  }
  return true;
}

AllGatherAttrs GatherAttrs(const Exchange& exchange) {
  return {.channel_id = exchange.channel_id,
          .replica_groups = exchange.groups,
          .dimensions = {0},
          .use_global_device_ids = exchange.use_global_device_ids};
}

Instruction* DrawAllGather(Body& body, ElementType type) {
  const auto operands = Operands(body, type, 1);
  const Exchange exchange = DrawExchange(body, /*has_device_ids=*/true);
  if (!AllThere(operands) || (exchange.group_size > 1 && !IsStatic(operands))) return nullptr;
  return body.AddWith(Opcode::kAllGather, operands, GatherAttrs(exchange), {},
                      Several(operands, exchange.group_size));
}

Instruction* DrawAllGatherStart(Body& body, ElementType type) {
  const auto operands = Operands(body, type, 1);
  const Exchange exchange = DrawExchange(body, /*has_device_ids=*/true);
  if (!AllThere(operands) || (exchange.group_size > 1 && !IsStatic(operands))) return nullptr;
  const Shape both = Shape::Tuple({Several(operands), Several(operands, exchange.group_size)});
  return body.Add(Opcode::kAllGatherDone, {body.AddWith(Opcode::kAllGatherStart, operands,
                                                        GatherAttrs(exchange), {}, both)});
}

Instruction* DrawReduction(Body& body, Opcode opcode, ElementType type) {
  Instruction* const operand = body.Array(type);
  HloComputation* reducer = DrawReducer(body, {&type, 1});
  if (operand == nullptr || reducer == nullptr) return nullptr;
  const Exchange exchange = DrawExchange(body, /*has_device_ids=*/true, /*may_be_uneven=*/true);
  return body.AddWith(opcode, {operand},
                      AllReduceAttrs{.channel_id = exchange.channel_id,
                                     .replica_groups = exchange.groups,
                                     .use_global_device_ids = exchange.use_global_device_ids},
                      {reducer});
}
Instruction* DrawAllReduce(Body& body, ElementType type) {
  return DrawReduction(body, Opcode::kAllReduce, type);
}
Instruction* DrawAllReduceStart(Body& body, ElementType type) {
  return body.Add(Opcode::kAllReduceDone, {DrawReduction(body, Opcode::kAllReduceStart, type)});
}

Instruction* DrawReduceScatter(Body& body, ElementType type) {
  const Exchange exchange = DrawExchange(body, /*has_device_ids=*/true);
  Instruction* const operand = ArrayOf(body, type, exchange.group_size);
  HloComputation* reducer = DrawReducer(body, {&type, 1});
  if (operand == nullptr || reducer == nullptr) return nullptr;
  Shape part = Several({&operand, 1});
  if (exchange.group_size > 1) {
    Dims dims = part.dims();
    dims[0] /= exchange.group_size;
    part = Shape(type, dims);
  }
  return body.AddWith(Opcode::kReduceScatter, {operand},
                      ReduceScatterAttrs{.channel_id = exchange.channel_id,
                                         .replica_groups = exchange.groups,
                                         .use_global_device_ids = exchange.use_global_device_ids,
                                         .dimensions = {0}},
                      {reducer}, part);
}

Instruction* DrawAllToAll(Body& body, ElementType type) {
  const Exchange exchange = DrawExchange(body, /*has_device_ids=*/false);
  const AllToAllAttrs attrs = {
      .channel_id = exchange.channel_id, .replica_groups = exchange.groups, .dimensions = {0}};
  return body.AddWith(Opcode::kAllToAll, {ArrayOf(body, type, exchange.group_size)}, attrs);
}

// Of one device with itself: what the devices of a group send must fit together.
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
  ReplicaGroups groups;
  const i64 replicas = body.state().module.config().replica_count;
  if (replicas > 1 || body.random().Percent(50)) {
    for (i64 id = 0; id < replicas; ++id) groups.groups.push_back({id});
  }
  return body.AddWith(Opcode::kRaggedAllToAll, operands, RaggedAllToAllAttrs{{}, groups, {}});
}

Instruction* DrawCollectiveBroadcast(Body& body, ElementType type) {
  const Exchange exchange = DrawExchange(body, /*has_device_ids=*/false);
  CollectiveBroadcastAttrs attrs;
  attrs.channel_id = exchange.channel_id;
  attrs.replica_groups = exchange.groups;
  if (attrs.replica_groups.groups.empty()) attrs.replica_groups.groups = {{0}};
  return body.AddWith(Opcode::kCollectiveBroadcast, {body.Array(type)}, attrs);
}

CollectivePermuteAttrs Pairs(Body& body) {
  Random& random = body.random();
  CollectivePermuteAttrs attrs;
  const ModuleConfig& config = body.state().module.config();
  i64 count = config.replica_count;
  if (config.num_partitions > 1 && random.Percent(50)) {
    attrs.channel_id = 1;
    count = config.num_partitions;
  }
  Dims targets;
  for (i64 id = 0; id < count; ++id) targets.push_back(id);
  if (body.is_entry() || random.Percent(10)) random.Shuffle(targets);
  for (i64 id = 0; id < count; ++id) {
    if (random.Percent(70)) attrs.source_target_pairs.push_back({id, targets[id]});
  }
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
