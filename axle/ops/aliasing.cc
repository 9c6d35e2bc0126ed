// Checks of output_to_operand_aliasing: paths of tuple indices that must lead somewhere, once each.
//
// An alias {output_index}: (operand, operand_index) says that a part of the result may share the
// buffer of a part of an operand. Axle checks such attributes and computes as if they were not
// there: both paths must exist, have one shape, and a part of the result may be named only once.

#include "axle/ops/aliasing.h"

#include <set>

#include "axle/core/strings.h"

namespace axle {
namespace {

// The part of a shape at a path of tuple indices; null if there is none.
const Shape* SubshapeAt(const Shape& shape, const Dims& index) {
  const Shape* at = &shape;
  for (i64 i : index) {
    if (!at->is_tuple() || i < 0 || i >= at->num_tuple_elements()) return nullptr;
    at = &at->element(i);
  }
  return at;
}

// A buffer shape wraps the array that lies in it. Async states and pinned buffers alias as their
// contents do.
const Shape& Contents(const Shape& shape, Buffers buffers) {
  const bool is_buffer = !shape.is_tuple() && !shape.elements().empty();
  // NOLINTNEXTLINE(bugprone-return-const-ref-from-parameter): a part of an instruction's shape
  return is_buffer && buffers == Buffers::kAreAsTheirContents ? shape.element(0) : shape;
}

}  // namespace

// The common case: the operands of the instruction themselves. An async-start passes the parameters
// of its computation instead.
Status CheckAliasing(const Instruction& inst, const Shape& result, const OperandAliasing& aliasing,
                     Buffers buffers) {
  if (aliasing.empty()) return {};
  std::vector<Shape> operands;
  for (i64 i = 0; i < inst.num_operands(); ++i) operands.push_back(inst.operand(i)->shape());
  return CheckAliasing(inst, result, aliasing, operands, buffers);
}

Status CheckAliasing(const Instruction& inst, const Shape& result, const OperandAliasing& aliasing,
                     std::span<const Shape> operands, Buffers buffers) {
  const auto fail = [&](std::string_view what) {
    return OpError(inst, StrCat("output_to_operand_aliasing ", what));
  };
  // A set finds a second alias of one output in logarithmic time.
  std::set<Dims> outputs;
  for (const OperandAlias& alias : aliasing) {
    const std::string output = StrCat("{", Join(alias.output_index, ","), "}");
    const Shape* part = SubshapeAt(result, alias.output_index);
    if (part == nullptr) {
      return fail(StrCat("names ", output, " of the result, which is ", result.ToString()));
    }
    if (alias.operand < 0 || alias.operand >= std::ssize(operands)) {
      return fail(StrCat("names operand ", alias.operand, " but there are ", operands.size()));
    }
    const Shape& whole = operands[alias.operand];
    const Shape* operand = SubshapeAt(whole, alias.operand_index);
    if (operand == nullptr) {
      return fail(StrCat("names {", Join(alias.operand_index, ","), "} of operand ", alias.operand,
                         ", which is ", whole.ToString()));
    }
    if (!Compatible(Contents(*part, buffers), Contents(*operand, buffers))) {
      return fail(StrCat("puts ", part->ToString(), " at ", output, " in the place of ",
                         operand->ToString()));
    }
    if (!outputs.insert(alias.output_index).second) return fail(StrCat("has ", output, " twice"));
  }
  return {};
}

}  // namespace axle
