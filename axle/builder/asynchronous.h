// The builder's functions for asynchronous pairs and for ops that compilers insert, which XLA's
// client library leaves to HLO text. Their names are those of the ops. The header is included by
// xla_builder.h, which states what holds for all of the builder's functions.
//
// A ..Start returns a value for its ..Done, which returns the result. Each ..Start has exactly one
// ..Done and no other user, which Build checks.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "axle/builder/collectives.h"
#include "axle/ops/attributes/attribute_types.h"

namespace axle {

// Returns ((operands..), result of `computation`, u32[]); docs/ops/async-start.md.
XlaOp AsyncStart(XlaBuilder* builder, ArraySlice<XlaOp> operands, const XlaComputation& computation,
                 Location location = std::source_location::current());
// Returns its operand, an AsyncStart or AsyncUpdate.
XlaOp AsyncUpdate(XlaOp operand, Location location = std::source_location::current());
// Returns the result of the computation of an AsyncStart; the operand is the AsyncStart or an
// AsyncUpdate of it.
XlaOp AsyncDone(XlaOp operand, Location location = std::source_location::current());

// AllReduce and AllReduceTuple in two halves. With one operand the result is not a tuple.
XlaOp AllReduceStart(ArraySlice<XlaOp> operands, const XlaComputation& computation,
                     ReplicaGroupList replica_groups = {}, const OptionalChannel& channel_id = {},
                     std::optional<bool> use_global_device_ids = {},
                     Location location = std::source_location::current());
XlaOp AllReduceDone(XlaOp operand, Location location = std::source_location::current());
// AllGather and AllGatherTuple in two halves. The start returns (operand, result), which are tuples
// if there are several operands.
XlaOp AllGatherStart(ArraySlice<XlaOp> operands, i64 all_gather_dimension, i64 shard_count,
                     ReplicaGroupList replica_groups = {}, const OptionalChannel& channel_id = {},
                     std::optional<bool> use_global_device_ids = {},
                     Location location = std::source_location::current());
XlaOp AllGatherDone(XlaOp operand, Location location = std::source_location::current());
// CollectivePermute and MultiCollectivePermute in two halves. The start returns (operand, result),
// which are tuples if there are several operands.
XlaOp CollectivePermuteStart(ArraySlice<XlaOp> operands,
                             const std::vector<std::pair<i64, i64>>& source_target_pairs,
                             const OptionalChannel& channel_id = {},
                             Location location = std::source_location::current());
XlaOp CollectivePermuteDone(XlaOp operand, Location location = std::source_location::current());
// Copy of an array in two halves. The start returns (copy, operand, u32[]).
XlaOp CopyStart(XlaOp operand, Location location = std::source_location::current());
XlaOp CopyDone(XlaOp operand, Location location = std::source_location::current());

// Returns the operand, of any kind. Its users run after the op that gave the token.
XlaOp AddDependency(XlaOp operand, XlaOp token,
                    Location location = std::source_location::current());
// Returns the bytes of an array, as they are in memory, as another array of as many bytes;
// docs/ops/bitcast.md. BitcastConvertType ignores layouts.
XlaOp Bitcast(XlaOp operand, const Shape& shape,
              Location location = std::source_location::current());
// Call, under the name that compilers use for instructions that they have fused; the kind is kept
// and has no effect.
XlaOp Fusion(XlaBuilder* builder, ArraySlice<XlaOp> operands, const XlaComputation& computation,
             FusionKind kind = FusionKind::kLoop,
             Location location = std::source_location::current());

}  // namespace axle
