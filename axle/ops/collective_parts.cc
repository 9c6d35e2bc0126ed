// Shape checks and row-major box copies that the collectives share; see collective_parts.h.
//
// A collective of several operands is one of a tuple: it exchanges one tuple per device. ResultOf
// takes the tuple apart again where there is one operand.

#include "axle/ops/collective_parts.h"

#include <algorithm>
#include <cstring>

#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"

namespace axle {
namespace {

// "all-reduce-done", or "async-update or async-done".
std::string OneOf(std::span<const Opcode> opcodes) {
  return Join(opcodes, " or ", [](Opcode opcode) { return std::string(GetOpDef(opcode).text); });
}

}  // namespace

StatusOr<i64> OneDimension(const Instruction& inst, const Dims& dimensions, const Shape& shape) {
  if (dimensions.size() != 1) {
    return OpError(inst, StrCat("dimensions names ", dimensions.size(), " dimensions, not 1"));
  }
  const i64 dim = dimensions[0];
  if (dim >= 0 && dim < shape.rank()) return dim;
  return OpError(inst, StrCat("dimension ", dim, " must be in [0, ", shape.rank(), ")"));
}

Shape WithDim(const Shape& shape, i64 dim, i64 size) {
  Shape result = shape.WithoutLayout();
  result.set_dim(dim, size);
  return result;
}

// The stated shape of operand i's result; null if the program states none that fits.
const Shape* DeclaredPart(const Shape& declared, i64 i, const Instruction& inst) {
  const Shape* part = &declared;
  if (declared.is_tuple()) {
    if (declared.num_tuple_elements() != inst.num_operands()) return nullptr;
    part = &declared.element(i);
  }
  const bool fits = part->is_array() && part->rank() == inst.operand(i)->shape().rank();
  return fits ? part : nullptr;
}

// `outer` blocks of contiguous memory are copied: everything behind `dim` is contiguous in both
// arrays.
void CopyBlock(const Literal& from, i64 begin, i64 count, i64 dim, i64 at, Literal& to) {
  if (from.num_elements() == 0 || to.num_elements() == 0 || count == 0) return;
  i64 outer = 1, inner = Info(from.shape().type()).bytes;
  for (i64 d = 0; d < from.shape().rank(); ++d) {
    if (d < dim) outer *= from.shape().dim(d);
    if (d > dim) inner *= from.shape().dim(d);
  }
  const i64 from_step = from.shape().dim(dim) * inner, to_step = to.shape().dim(dim) * inner;
  const std::byte* source = from.bytes() + begin * inner;
  std::byte* target = to.mutable_bytes() + at * inner;
  for (i64 i = 0; i < outer; ++i) {
    std::memcpy(target + i * to_step, source + i * from_step, static_cast<size_t>(count * inner));
  }
}

StatusOr<Literal> BlockOf(const Literal& array, i64 dim, i64 begin, const Shape& result) {
  AXLE_ASSIGN(Literal block, Literal::CreateUninitialized(result));
  CopyBlock(array, begin, result.dim(dim), dim, 0, block);
  return block;
}

Shape ResultOf(std::vector<Shape> shapes) {
  return shapes.size() == 1 ? std::move(shapes[0]) : Shape::Tuple(std::move(shapes));
}

Literal ResultOf(std::vector<Literal> values) {
  return values.size() == 1 ? std::move(values[0]) : Literal::Tuple(std::move(values));
}

Literal TupleOf(std::span<Literal> values) {
  return Literal::Tuple(
      {std::make_move_iterator(values.begin()), std::make_move_iterator(values.end())});
}

// A group of one device keeps its operand, so that the declared shape must be the operand's.
Status CheckAloneUnchanged(const Instruction& inst, const Shape& results) {
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    const Shape& result = results.is_tuple() ? results.element(i) : results;
    if (Compatible(result, inst.operand(i)->shape())) continue;
    const ModuleConfig& config = inst.parent()->module()->config();
    return OpError(inst, StrCat("the result is ", result.ToString(), ", but with ",
                                config.replica_count, " replicas x ", config.num_partitions,
                                " partitions the group is one device, which keeps its operand"));
  }
  return {};
}

Status CheckStartedBy(const Instruction& inst, std::span<const Opcode> starts) {
  const Instruction& start = *inst.operand(0);
  if (std::ranges::find(starts, start.opcode()) != starts.end()) return {};
  return OpError(inst, StrCat("operand must be ", OneOf(starts), ", not ", GetOpDef(start).text));
}

bool IsControlDependency(const Instruction& inst) {
  return inst.opcode() == Opcode::kCustomCall &&
         inst.attrs<CustomCallAttrs>().custom_call_target == "control_dep";
}

// The readers of a start op are restricted to one done op; control dependencies do not count as
// reads.
Status CheckReadOnceBy(const Instruction& inst, std::span<const Opcode> readers) {
  i64 count = 0;
  for (const Use* use = inst.first_use(); use != nullptr; use = use->next) {
    if (IsControlDependency(*use->user)) continue;
    ++count;
    const Opcode reader = use->user->opcode();
    if (std::ranges::find(readers, reader) != readers.end()) continue;
    return OpError(inst, StrCat("\"", inst.name(), "\" must be read by ", OneOf(readers), ", not ",
                                GetOpDef(reader).text));
  }
  if (inst.parent()->root() == &inst) {
    return OpError(inst, StrCat("\"", inst.name(), "\" must be read by ", OneOf(readers),
                                ", not be the result"));
  }
  if (count == 1) return {};
  return OpError(inst, StrCat("\"", inst.name(), "\" must be read by one ", OneOf(readers),
                              ", not by ", count, " instructions"));
}

}  // namespace axle
