// The builder's functions for asynchronous pairs and for what compilers write: ops that XLA's
// client library leaves to HLO text. Their names are those of the ops. Included by xla_builder.h,
// which has the promises of all of the builder's functions.
//
// A ..Start gives a value for its ..Done, which gives the result; nothing else reads it, and there
// is exactly one. That is checked at Build.
#pragma once
#include <optional>
#include <utility>
#include <vector>

#include "axle/builder/collectives.h"
#include "axle/ops/attributes/attribute_types.h"

namespace axle {

// ((operands..), what `computation` gives, u32[]); docs/ops/async-start.md.
XlaOp AsyncStart(XlaBuilder* builder, ArraySlice<XlaOp> operands, const XlaComputation& computation,
                 Location location = std::source_location::current());
// Passes on its operand, an AsyncStart or AsyncUpdate.
XlaOp AsyncUpdate(XlaOp operand, Location location = std::source_location::current());
// The result of the computation of an AsyncStart; the operand may be an AsyncUpdate behind it.
XlaOp AsyncDone(XlaOp operand, Location location = std::source_location::current());

// AllReduce and AllReduceTuple in two halves. With one operand the result is no tuple.
XlaOp AllReduceStart(ArraySlice<XlaOp> operands, const XlaComputation& computation,
                     ReplicaGroupList replica_groups = {}, const OptionalChannel& channel_id = {},
                     std::optional<bool> use_global_device_ids = {},
                     Location location = std::source_location::current());
XlaOp AllReduceDone(XlaOp operand, Location location = std::source_location::current());
// AllGather and AllGatherTuple in two halves; the start gives (operand, result), each a tuple of
// several.
XlaOp AllGatherStart(ArraySlice<XlaOp> operands, i64 all_gather_dimension, i64 shard_count,
                     ReplicaGroupList replica_groups = {}, const OptionalChannel& channel_id = {},
                     std::optional<bool> use_global_device_ids = {},
                     Location location = std::source_location::current());
XlaOp AllGatherDone(XlaOp operand, Location location = std::source_location::current());
// CollectivePermute and MultiCollectivePermute in two halves; the start gives (operand, result),
// each a tuple of several.
XlaOp CollectivePermuteStart(ArraySlice<XlaOp> operands,
                             const std::vector<std::pair<i64, i64>>& source_target_pairs,
                             const OptionalChannel& channel_id = {},
                             Location location = std::source_location::current());
XlaOp CollectivePermuteDone(XlaOp operand, Location location = std::source_location::current());
// Copy in two halves, of an array; the start gives (copy, operand, u32[]).
XlaOp CopyStart(XlaOp operand, Location location = std::source_location::current());
XlaOp CopyDone(XlaOp operand, Location location = std::source_location::current());

// The operand, of any kind, for users that run after what gave the token.
XlaOp AddDependency(XlaOp operand, XlaOp token,
                    Location location = std::source_location::current());
// The bytes of an array as they lie in memory, as another array of as many bytes;
// docs/ops/bitcast.md. BitcastConvertType does not look at layouts.
XlaOp Bitcast(XlaOp operand, const Shape& shape,
              Location location = std::source_location::current());
// Call under the name that compilers use for instructions that they have fused; the kind is only
// carried.
XlaOp Fusion(XlaBuilder* builder, ArraySlice<XlaOp> operands, const XlaComputation& computation,
             FusionKind kind = FusionKind::kLoop,
             Location location = std::source_location::current());

}  // namespace axle
