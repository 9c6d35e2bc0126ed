// bitcast: the bytes of an array as they lie in memory, under another shape and layout.
#include <utility>

#include "axle/ops/dynamic.h"
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kBitcastDef;

namespace {

// Nothing but an order of the dimensions, in whichever memory.
bool IsPlain(const Shape& shape) {
  Layout plain = Layout::RowMajor(shape.rank());
  const Layout layout = shape.LayoutOrDefault();
  plain.minor_to_major = layout.minor_to_major;
  plain.memory_space = layout.memory_space;
  return layout == plain;
}

StatusOr<Shape> InferBitcast(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  const Shape &from = inst.operand(0)->shape(), &to = inst.shape();
  if (!to.is_array()) return OpError(inst, StrCat("cannot give ", to.ToString()));
  if (from.num_bytes() != to.num_bytes()) {
    return OpError(inst, StrCat("the result ", to.ToString(), " has ", to.num_bytes(),
                                " bytes, the operand ", from.num_bytes()));
  }
  const bool same_type = from.type() == to.type();
  if (!IsPlain(from) || !IsPlain(to) ||
      (!same_type && (IsSubByte(from.type()) || IsSubByte(to.type()) || to.type() == PRED))) {
    return OpError(inst,
                   StrCat("to ", to.ToStringWithLayout(), " from ", from.ToStringWithLayout(),
                          " depends on how elements are packed"),
                   StatusCode::kUnimplemented);
  }
  return to;
}

StatusOr<Literal> EvalBitcast(const Instruction& inst, std::span<Literal> operands,
                              const EvalContext&) {
  const Shape& from = inst.operand(0)->shape();
  Literal bytes = operands[0].Relayout(from.LayoutOrDefault());
  const Shape result = inst.shape().WithoutLayout();
  if (inst.shape().layout() == nullptr) return bytes.WithShape(result);
  bytes = bytes.WithShape(result);  // aligned for the new type
  Literal value = Literal::View(inst.shape(), bytes.bytes()).ToRowMajor();
  value.OwnStorage();
  return value;
}

// Where only the type or nothing changes, sizes stay; other shapes would show padding.
StatusOr<Literal> EvalBitcastDynamic(const Instruction& inst, std::span<Literal> operands,
                                     const EvalContext& context) {
  const Shape &from = inst.operand(0)->shape(), &to = inst.shape();
  bool is_alike = SameDims(from, to) && from.LayoutOrDefault() == to.LayoutOrDefault();
  for (i64 d = 0; d < from.rank() && is_alike; ++d) {
    is_alike = from.is_dynamic(d) == to.is_dynamic(d);
  }
  if (!is_alike) {
    return OpError(inst,
                   StrCat("to ", to.ToStringWithLayout(), " from ", from.ToStringWithLayout(),
                          " does not keep dynamic dimensions as they are"),
                   StatusCode::kUnimplemented);
  }
  const Dims sizes = operands[0].sizes();
  operands[0] = WholeBuffer(operands[0]);
  AXLE_ASSIGN(Literal result, EvalBitcast(inst, operands, context));
  result.SetDynamicFlags(to);
  for (i64 d = 0; d < to.rank(); ++d) result.SetSizeBeforeFlags(d, sizes[d]);
  return result;
}

}  // namespace

const OpDef kBitcastDef = {
    .opcode = Opcode::kBitcast,
    .text = "bitcast",
    .summary = "The bytes of the operand as they lie in memory, under another shape.",
    .semantics =
        "Operand and result have as many bytes; their layouts say which element lies where. With "
        "row-major layouts and one element type this is a reshape. Tiled layouts, and changes of "
        "the type where elements do not fill their bytes, are UNIMPLEMENTED, and so are dynamic "
        "dimensions unless dimensions and layout stay as they are.",
    .source = "XLA HLO bitcast, which compilers write",
    .operands = kUnaryOperands,
    .declared_shape = true,
    .lowering = Lowering::kData,
    .infer = InferBitcast,
    .eval = EvalBitcast,
    .eval_dynamic = EvalBitcastDynamic,
};

}  // namespace axle
