// Between an array and its parts on devices: the instructions that gather parts, take a part, and
// hand a value of one device to all.
//
// Offsets of parts come from tables of the program, indexed by partition-id, since devices may be
// in any order. A part that reaches beyond the array is padded with zeros, and what was padded is
// cut off after gathering.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "axle/ops/tile_sharding.h"
#include "axle/passes/rebuild.h"

namespace axle {

// A rebuilder with these instructions; its passes call Restart in each computation.
class ShardMoves : public Rebuilder {
 protected:
  ShardMoves(const Module& from, Limits* limits);

  // Forgets what was made for another computation, the one that to() was.
  void Restart();

  // Every member makes instructions in the place of `at`, whose metadata and id they take.
  //
  // The array of this shape, on every device, of which each device has the part `part`.
  StatusOr<Instruction*> Gather(const Instruction& at, Instruction* part, const Division& division,
                                const Shape& whole);
  // The device's part of an array that all devices have. Where devices have terms of it, the first
  // one has the part, and the others have zeros.
  StatusOr<Instruction*> TakePart(const Instruction& at, Instruction* whole,
                                  const Division& division, const Shape& part);
  // The value that the device of this partition has, on all devices of its replica.
  Instruction* FromPartition(const Instruction& at, Instruction* value, i64 partition);
  // pred[]: whether this device is that of the partition.
  StatusOr<Instruction*> IsPartition(const Instruction& at, i64 partition);
  Instruction* Element(const Instruction& at, Instruction* tuple, i64 index);
  // The value with the layout of a shape that is equal otherwise.
  Instruction* InShape(const Instruction& at, Instruction* value, const Shape& shape);
  // A literal, or zeros.
  Instruction* Constant(const Instruction& at, Literal literal);
  StatusOr<Instruction*> Zeros(const Instruction& at, const Shape& shape);

  // The attributes of an operation that has none, or whose defaults are meant.
  static AttrBlock Plain(Opcode opcode);

  i64 num_partitions() const { return num_partitions_; }

 private:
  Instruction* PartitionId(const Instruction& at);
  // s32[]: the number of the table that belongs to this device.
  StatusOr<Instruction*> FromTable(const Instruction& at, const Dims& by_partition);
  Instruction* Reshape(const Instruction& at, Instruction* value, Dims dims);
  ReplicaGroups GroupsOf(const Division& division) const;
  // The sum of the terms that devices have, or what it is that they are terms of.
  Instruction* Reduce(const Instruction& at, Instruction* term, const Division& division);
  StatusOr<Instruction*> FirstTerm(const Instruction& at, Instruction* part,
                                   const Division& division);
  StatusOr<Instruction*> GatherParts(const Instruction& at, Instruction* part,
                                     const Division& division, const Shape& whole);
  i64 NextChannel() { return next_channel_++; }

  const i64 num_replicas_;
  const i64 num_partitions_;
  // Channels of the pass are above those of programs. They tell no two collectives apart at run
  // time, but XLA's form of a collective across partitions has one.
  i64 next_channel_ = i64{1} << 20;
  Instruction* partition_id_ = nullptr;  // of this computation, and what was read from tables
  std::map<Dims, Instruction*> tables_;
};

}  // namespace axle
