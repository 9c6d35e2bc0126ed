// Built-in custom calls that say where a value lies or how it is divided: on one device they are
// the identity, or an array to be written over.
//
// An annotation has no effect on values, so that all of them share CallIdentity. Padding of dynamic
// dimensions passes through, because no element is looked at.
#include "axle/core/strings.h"
#include "axle/ops/custom_call_builtins.h"

namespace axle {
namespace {

StatusOr<Literal> CallIdentity(const CustomCallInvocation& invocation, const EvalContext&) {
  if (invocation.operands.size() != 1) {
    return InvalidArgument(StrCat("takes 1 operand, not ", invocation.operands.size()));
  }
  return std::move(invocation.operands[0]);
}

// Its contents may be anything; zeros, so that runs repeat.
StatusOr<Literal> CallAllocateBuffer(const CustomCallInvocation& invocation, const EvalContext&) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 0));
  return Literal::Create(invocation.result_shape->WithoutLayout());
}

// Orders instructions, or keeps its operands from being left out, and gives nothing.
StatusOr<Literal> CallControlDependency(const CustomCallInvocation& invocation,
                                        const EvalContext&) {
  return Literal::Create(invocation.result_shape->WithoutLayout());
}

constexpr BuiltinCustomCall kPlacementCustomCalls[] = {
    {"AllocateBuffer", CallAllocateBuffer},
    {"InspectSharding", CallIdentity, true, true},
    {"LayoutConstraint", CallIdentity, true, true},
    {"MoveToDevice", CallIdentity, true, true},
    {"MoveToHost", CallIdentity, true, true},
    {"SPMDFullToShardShape", CallIdentity, true, true},
    {"SPMDShardToFullShape", CallIdentity, true, true},
    {"Sharding", CallIdentity, true, true},
    {"annotate_device_placement", CallIdentity, true, true},
    {"control_dep", CallControlDependency, true},
    {"dce_sink", CallControlDependency, true},
};

}  // namespace

std::span<const BuiltinCustomCall> PlacementCustomCalls() {
  return kPlacementCustomCalls;
}

}  // namespace axle
