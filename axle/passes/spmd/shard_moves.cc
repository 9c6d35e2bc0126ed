#include "axle/passes/spmd/shard_moves.h"

#include <algorithm>

#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"

namespace axle {
AttrBlock ShardMoves::Plain(Opcode opcode) {
  const AttrSchema& schema = GetOpDef(opcode).attrs;
  return {schema, schema.create()};
}

ShardMoves::ShardMoves(const Module& from, Limits* limits)
    : Rebuilder(from, limits),
      num_replicas_(from.config().replica_count),
      num_partitions_(from.config().num_partitions) {}

void ShardMoves::Restart() {
  partition_id_ = nullptr;
  tables_.clear();
}

Instruction* ShardMoves::Constant(const Instruction& at, Literal literal) {
  const Shape shape = literal.shape();
  return Make(at, Opcode::kConstant, shape, {},
              Block(Opcode::kConstant, ConstantAttrs{std::move(literal)}));
}

StatusOr<Instruction*> ShardMoves::Zeros(const Instruction& at, const Shape& shape) {
  if (shape.is_token()) {
    return Make(at, Opcode::kAfterAll, shape, {}, Plain(Opcode::kAfterAll));
  }
  AXLE_ASSIGN(Literal zero, Literal::Create(Shape(shape.type())));
  Instruction* const scalar = Constant(at, std::move(zero));
  if (shape.rank() == 0) return InShape(at, scalar, shape);
  return Make(at, Opcode::kBroadcast, shape, {{scalar}},
              Block(Opcode::kBroadcast, DimensionsAttrs{}));
}

Instruction* ShardMoves::Reshape(const Instruction& at, Instruction* value, Dims dims) {
  return Make(at, Opcode::kReshape, Shape(value->shape().type(), std::move(dims)), {{value}},
              Block(Opcode::kReshape, ReshapeAttrs{}));
}

Instruction* ShardMoves::InShape(const Instruction& at, Instruction* value, const Shape& shape) {
  if (value->shape() == shape) return value;
  return Make(at, Opcode::kCopy, shape, {{value}}, Plain(Opcode::kCopy));
}

Instruction* ShardMoves::Element(const Instruction& at, Instruction* tuple, i64 index) {
  return Make(at, Opcode::kGetTupleElement, tuple->shape().element(index), {{tuple}},
              Block(Opcode::kGetTupleElement, TupleIndexAttrs{index}));
}

Instruction* ShardMoves::PartitionId(const Instruction& at) {
  if (partition_id_ == nullptr) {
    partition_id_ = Make(at, Opcode::kPartitionId, Shape(U32), {}, Plain(Opcode::kPartitionId));
  }
  return partition_id_;
}

StatusOr<Instruction*> ShardMoves::IsPartition(const Instruction& at, i64 partition) {
  Instruction* const id =
      Constant(at, Literal::Scalar<std::uint32_t>(U32, static_cast<std::uint32_t>(partition)));
  return Make(at, Opcode::kCompare, Shape(PRED), {{PartitionId(at), id}},
              Block(Opcode::kCompare, CompareAttrs{}));
}

StatusOr<Instruction*> ShardMoves::FromTable(const Instruction& at, const Dims& by_partition) {
  Instruction*& made = tables_[by_partition];
  if (made != nullptr) return made;
  std::vector<std::int32_t> numbers;
  for (const i64 number : by_partition) {
    if (number > std::numeric_limits<std::int32_t>::max()) {
      return Unimplemented(StrCat("a part begins at ", number, ", beyond 31 bits"));
    }
    numbers.push_back(static_cast<std::int32_t>(number));
  }
  if (std::ranges::count(numbers, numbers[0]) == std::ssize(numbers)) {
    return made = Constant(at, Literal::Scalar<std::int32_t>(S32, numbers[0]));
  }
  Instruction* const table =
      Constant(at, Literal::Array<std::int32_t>(S32, {static_cast<i64>(numbers.size())}, numbers));
  Instruction* const entry =
      Make(at, Opcode::kDynamicSlice, Shape(S32, {1}), {{table, PartitionId(at)}},
           Block(Opcode::kDynamicSlice, DynamicSliceAttrs{{1}}));
  return made = Reshape(at, entry, {});
}

ReplicaGroups ShardMoves::GroupsOf(const Division& division) const {
  const auto size = static_cast<size_t>(division.num_parts());
  const size_t num_groups = static_cast<size_t>(num_partitions_) / size;
  ReplicaGroups result;
  result.groups.assign(num_groups * static_cast<size_t>(num_replicas_), Dims(size));
  for (i64 r = 0; r < num_replicas_; ++r) {
    for (i64 p = 0; p < num_partitions_; ++p) {
      const auto device = static_cast<size_t>(p);
      const size_t group =
          static_cast<size_t>(r) * num_groups + static_cast<size_t>(division.group_of[device]);
      result.groups[group][static_cast<size_t>(division.part_of[device])] = r * num_partitions_ + p;
    }
  }
  return result;
}

Instruction* ShardMoves::Reduce(const Instruction& at, Instruction* term,
                                const Division& division) {
  if (division.terms == 1) return term;
  using Reduction = TileSharding::Reduction;
  const Opcode opcode = division.reduction == Reduction::kMax   ? Opcode::kMaximum
                        : division.reduction == Reduction::kMin ? Opcode::kMinimum
                                                                : Opcode::kAdd;
  const Shape scalar(term->shape().type());
  Suspend(FreshName("reduce_terms"));
  std::vector<Instruction*> operands;
  for (i64 i = 0; i < 2; ++i) {
    operands.push_back(
        Make(at, Opcode::kParameter, scalar, {}, Block(Opcode::kParameter, ParameterAttrs{i})));
  }
  to()->set_parameters(operands);
  to()->set_root(Make(at, opcode, scalar, operands, Plain(opcode)));
  HloComputation* const reducer[] = {Resume()};
  // Devices of one group have all terms of one part.
  std::map<std::pair<i64, i64>, Dims> groups;
  for (i64 r = 0; r < num_replicas_; ++r) {
    for (i64 p = 0; p < num_partitions_; ++p) {
      const auto device = static_cast<size_t>(p);
      const i64 number = division.term_of[device];
      const i64 place = r * num_partitions_ + division.part_of[device];
      Dims& group = groups[{place, division.group_of[device] - number * division.copies}];
      group.resize(static_cast<size_t>(division.terms));
      group[static_cast<size_t>(number)] = r * num_partitions_ + p;
    }
  }
  AllReduceAttrs attrs;
  attrs.channel_id = NextChannel();
  attrs.use_global_device_ids = true;
  for (auto& [key, group] : groups) attrs.replica_groups.groups.push_back(std::move(group));
  return Make(at, Opcode::kAllReduce, term->shape(), {{term}},
              Block(Opcode::kAllReduce, std::move(attrs)), reducer);
}

StatusOr<Instruction*> ShardMoves::FirstTerm(const Instruction& at, Instruction* part,
                                             const Division& division) {
  if (division.terms == 1 || division.reduction != TileSharding::Reduction::kSum) return part;
  const Shape& shape = part->shape();
  AXLE_ASSIGN(Instruction* const term, FromTable(at, division.term_of));
  Instruction* const zero = Constant(at, Literal::Scalar<std::int32_t>(S32, 0));
  Instruction* const is_first = Make(at, Opcode::kCompare, Shape(PRED), {{term, zero}},
                                     Block(Opcode::kCompare, CompareAttrs{}));
  Instruction* const mask = Make(at, Opcode::kBroadcast, Shape(PRED, shape.dims()), {{is_first}},
                                 Block(Opcode::kBroadcast, DimensionsAttrs{}));
  AXLE_ASSIGN(Instruction* const zeros, Zeros(at, shape));
  return Make(at, Opcode::kSelect, shape, {{mask, part, zeros}}, Plain(Opcode::kSelect));
}

StatusOr<Instruction*> ShardMoves::Gather(const Instruction& at, Instruction* part,
                                          const Division& division, const Shape& whole) {
  AXLE_ASSIGN(Instruction* const gathered, GatherParts(at, part, division, whole));
  return Reduce(at, gathered, division);
}

StatusOr<Instruction*> ShardMoves::GatherParts(const Instruction& at, Instruction* part,
                                               const Division& division, const Shape& whole) {
  const i64 num_parts = division.num_parts();
  if (num_parts == 1) return InShape(at, part, whole);
  if (whole.num_elements() == 0) {
    AXLE_ASSIGN(Literal nothing, Literal::Create(whole.WithoutLayout()));
    return InShape(at, Constant(at, std::move(nothing)), whole);
  }
  const Dims& sizes = division.part_sizes;
  const auto rank = static_cast<i64>(sizes.size());
  const auto num_cut = std::ranges::count_if(division.parts, [](i64 n) { return n > 1; });
  // Along one dimension parts are gathered in their places, else as a dimension of their own.
  i64 along = 0;
  Instruction* value = part;
  if (num_cut == 1) {
    along =
        std::ranges::find_if(division.parts, [](i64 n) { return n > 1; }) - division.parts.begin();
  } else {
    Dims dims = {1};
    dims.insert(dims.end(), sizes.begin(), sizes.end());
    value = Reshape(at, part, std::move(dims));
  }
  AllGatherAttrs attrs;
  attrs.channel_id = NextChannel();
  attrs.replica_groups = GroupsOf(division);
  attrs.use_global_device_ids = true;
  attrs.dimensions = {along};
  Dims gathered = value->shape().dims();
  gathered[static_cast<size_t>(along)] *= num_parts;
  value = Make(at, Opcode::kAllGather, Shape(part->shape().type(), gathered), {{value}},
               Block(Opcode::kAllGather, std::move(attrs)));
  Dims padded;
  for (i64 d = 0; d < rank; ++d) {
    padded.push_back(sizes[static_cast<size_t>(d)] * division.parts[static_cast<size_t>(d)]);
  }
  if (num_cut > 1) {
    // [parts.., sizes..] -> [part 0, size 0, part 1, size 1, ...] -> [padded..]
    Dims apart = division.parts;
    apart.insert(apart.end(), sizes.begin(), sizes.end());
    value = Reshape(at, value, apart);
    Dims permutation, moved;
    for (i64 d = 0; d < rank; ++d) {
      for (const i64 from : {d, rank + d}) {
        permutation.push_back(from);
        moved.push_back(apart[static_cast<size_t>(from)]);
      }
    }
    value = Make(at, Opcode::kTranspose, Shape(part->shape().type(), moved), {{value}},
                 Block(Opcode::kTranspose, DimensionsAttrs{std::move(permutation)}));
    value = Reshape(at, value, padded);
  }
  if (padded == whole.dims()) return InShape(at, value, whole);
  SliceConfig slice;
  for (i64 d = 0; d < rank; ++d) slice.push_back({.start = 0, .limit = whole.dim(d), .stride = 1});
  return Make(at, Opcode::kSlice, whole, {{value}},
              Block(Opcode::kSlice, SliceAttrs{std::move(slice)}));
}

StatusOr<Instruction*> ShardMoves::TakePart(const Instruction& at, Instruction* whole,
                                            const Division& division, const Shape& part) {
  if (division.num_parts() == 1) return FirstTerm(at, InShape(at, whole, part), division);
  if (part.num_elements() == 0) {
    AXLE_ASSIGN(Literal nothing, Literal::Create(part.WithoutLayout()));
    return InShape(at, Constant(at, std::move(nothing)), part);
  }
  const auto rank = static_cast<size_t>(part.rank());
  PaddingConfig padding(rank);
  Dims padded = whole->shape().dims();
  for (size_t d = 0; d < rank; ++d) {
    padding[d].high = division.parts[d] * division.part_sizes[d] - padded[d];
    padded[d] += padding[d].high;
  }
  if (padded != whole->shape().dims()) {
    const ElementType type = whole->shape().type();
    AXLE_ASSIGN(Instruction* const zero, Zeros(at, Shape(type)));
    whole = Make(at, Opcode::kPad, Shape(type, padded), {{whole, zero}},
                 Block(Opcode::kPad, PadAttrs{std::move(padding)}));
  }
  std::vector<Instruction*> operands = {whole};
  i64 stride = division.num_parts();
  for (size_t d = 0; d < rank; ++d) {
    const i64 parts = division.parts[d];
    stride /= parts;
    Dims offsets;
    for (const i64 number : division.part_of) {
      offsets.push_back(number / stride % parts * division.part_sizes[d]);
    }
    AXLE_ASSIGN(operands.emplace_back(), FromTable(at, offsets));
  }
  Instruction* const taken = Make(at, Opcode::kDynamicSlice, part, operands,
                                  Block(Opcode::kDynamicSlice, DynamicSliceAttrs{part.dims()}));
  return FirstTerm(at, taken, division);
}

Instruction* ShardMoves::FromPartition(const Instruction& at, Instruction* value, i64 partition) {
  if (!value->shape().is_array()) return value;
  CollectiveBroadcastAttrs attrs;
  attrs.channel_id = NextChannel();
  Dims& group = attrs.replica_groups.groups.emplace_back();
  group.push_back(partition);  // the sender
  for (i64 p = 0; p < num_partitions_; ++p) {
    if (p != partition) group.push_back(p);
  }
  return Make(at, Opcode::kCollectiveBroadcast, value->shape(), {{value}},
              Block(Opcode::kCollectiveBroadcast, std::move(attrs)));
}

}  // namespace axle
