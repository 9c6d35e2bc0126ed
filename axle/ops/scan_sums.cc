// Recognises running sums in the body of a scan by tracing values to where they are made, through
// copies, tuples, and calls (an explicit chain of frames instead of inlining). Carry c must become
// `c + slice` or `c * slice`, in either order, possibly as round(widen(c) + widen(slice)) for
// narrow floats, and every output must be the new value of a carry.

#include "axle/ops/scan_sums.h"

#include <memory>
#include <utility>

#include "axle/ops/attributes/attributes.h"
#include "axle/ops/dynamic.h"
#include "axle/ops/lanes/reducer.h"

namespace axle {
namespace {

// A call on the way to a value: parameters of its callee are its operands.
struct Frame {
  const Instruction* call;
  std::shared_ptr<const Frame> caller;
};

// A value of the computation that a scan applies, seen through calls, tuples and copies.
struct Traced {
  const Instruction* inst;
  std::shared_ptr<const Frame> frame;

  Traced Operand(i64 i) const { return Traced{inst->operand(i), frame}.Source(); }

  // The definition of the value: a parameter of the scan's computation, or an instruction.
  Traced Source() const {
    Traced at = *this;
    Dims elements;  // pending tuple elements, innermost last
    while (true) {
      if (IsTupleElement(*at.inst)) {
        elements.push_back(at.inst->attrs<TupleIndexAttrs>().index);
        at.inst = at.inst->operand(0);
      } else if (IsTuple(*at.inst) && !elements.empty()) {
        at.inst = at.inst->operand(elements.back());
        elements.pop_back();
      } else if (at.inst->opcode() == Opcode::kCopy) {
        at.inst = at.inst->operand(0);
      } else if (at.inst->opcode() == Opcode::kCall) {
        at.frame = std::make_shared<const Frame>(Frame{at.inst, at.frame});
        at.inst = at.inst->callee(0)->root();
      } else if (IsParameter(*at.inst) && at.frame != nullptr) {
        at.inst = at.frame->call->operand(at.inst->attrs<ParameterAttrs>().number);
        at.frame = at.frame->caller;
      } else {
        return at;
      }
    }
  }
};

// The number of the parameter that `value` is, or -1. With `widened`, `value` must be its
// conversion.
i64 NumberOf(const Traced& value, bool widened) {
  Traced source = value;
  if (widened) {
    if (source.inst->opcode() != Opcode::kConvert) return -1;
    source = source.Operand(0);
  }
  return IsParameter(*source.inst) ? source.inst->attrs<ParameterAttrs>().number : -1;
}

// The kind and input of carry `number`, if it becomes the sum or product of itself and a slice.
std::optional<ScanSums::Carry> CarryOf(const Traced& value, i64 number, i64 num_inputs) {
  const ElementType type = value.inst->shape().type();
  Traced sum = value;
  const bool widened = sum.inst->opcode() == Opcode::kConvert && IsNarrowFloat(type);
  if (widened) sum = sum.Operand(0);
  const bool is_add = sum.inst->opcode() == Opcode::kAdd;
  const ReducerKind kind = is_add ? ReducerKind::kAdd : ReducerKind::kMultiply;
  const ElementType computed = widened ? F32 : type;
  if ((!is_add && sum.inst->opcode() != Opcode::kMultiply) || !IsSumOrProduct(kind, type) ||
      sum.inst->shape().type() != computed) {
    return std::nullopt;
  }
  i64 from[2];
  for (i64 i = 0; i < 2; ++i) {
    const Traced operand = sum.Operand(i);
    if (operand.inst->shape().type() != computed) return std::nullopt;
    from[i] = NumberOf(operand, widened);
  }
  if (from[0] != number) std::swap(from[0], from[1]);
  if (from[0] != number || from[1] < 0 || from[1] >= num_inputs) return std::nullopt;
  return ScanSums::Carry{kind, from[1]};
}

}  // namespace

// Looks at each carry first; an output then has to be the new value of one of them.
std::optional<ScanSums> FindScanSums(const Instruction& scan) {
  const HloComputation& applied = *scan.callee(0);
  const i64 num_carries = scan.attrs<ScanAttrs>().num_carries;
  const i64 num_inputs = scan.num_operands() - num_carries;
  if (num_carries == 0 || num_inputs == 0 || IsDynamic(scan)) return std::nullopt;
  for (const Instruction* parameter : applied.parameters()) {
    if (!parameter->shape().is_static()) return std::nullopt;
  }
  const Shape& root = applied.root()->shape();
  if (!root.is_static() || !root.is_tuple()) return std::nullopt;
  const i64 num_outputs = root.num_tuple_elements() - num_carries;
  const Traced tuple = Traced{applied.root(), nullptr}.Source();
  if (!IsTuple(*tuple.inst)) return std::nullopt;
  ScanSums sums;
  for (i64 c = 0; c < num_carries; ++c) {
    const auto carry = CarryOf(tuple.Operand(num_outputs + c), num_inputs + c, num_inputs);
    // The carry has the type of the slices: neither is the other one, converted.
    if (!carry || !Compatible(applied.parameters()[carry->input]->shape(),
                              applied.parameters()[num_inputs + c]->shape())) {
      return std::nullopt;
    }
    sums.carries.push_back(*carry);
  }
  for (i64 i = 0; i < num_outputs; ++i) {
    const Traced output = tuple.Operand(i);
    i64 carry = 0;
    while (carry < num_carries) {
      const auto again = CarryOf(output, num_inputs + carry, num_inputs);
      const ScanSums::Carry& known = sums.carries[static_cast<size_t>(carry)];
      if (again && again->kind == known.kind && again->input == known.input) break;
      ++carry;
    }
    if (carry == num_carries) return std::nullopt;
    sums.outputs.push_back(carry);
  }
  return sums;
}

}  // namespace axle
