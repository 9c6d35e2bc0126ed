// bitcast: the bytes of an array as they lie in memory, under another shape and layout.
//
// Three cases, from cheap to expensive: the same places in memory (the value is passed on), layouts
// that are only an order of dimensions (a relayout, then a view, then the relayout back), and
// layouts with tiles (through an image of the memory, place by place).
#include <cstring>
#include <utility>

#include "axle/ops/dynamic.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/memory_order.h"

namespace axle {

extern const OpDef kBitcastDef;

namespace {

// Whether the layout says only an order of the dimensions, in any memory space. Then the bitcast is
// a permutation.
bool IsPlain(const Shape& shape) {
  Layout plain = Layout::RowMajor(shape.rank());
  const Layout layout = shape.LayoutOrDefault();
  plain.minor_to_major = layout.minor_to_major;
  plain.memory_space = layout.memory_space;
  return layout == plain;
}

// XLA compares no sizes here. Where there are tiles, the number of elements alone does not say
// whether the bytes agree, so that CheckBitcastRuns compares the bytes later.
StatusOr<Shape> InferBitcast(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  const Shape& to = inst.shape();
  if (!to.is_array()) return OpError(inst, StrCat("cannot give ", to.ToString()));
  return to;
}

// The memory space does not move elements.
bool IsInSamePlaces(const Shape& from, const Shape& to) {
  Layout from_layout = from.LayoutOrDefault(), to_layout = to.LayoutOrDefault();
  from_layout.memory_space = to_layout.memory_space = 0;
  return from.type() == to.type() && SameDims(from, to) && from_layout == to_layout;
}

// A bitcast can run if it copies bytes from place to place, or copies nothing.
// Everything that Eval may meet is decided here, when the program is compiled.
Status CheckBitcastRuns(const Instruction& inst) {
  const Shape &from = inst.operand(0)->shape(), &to = inst.shape();
  if (IsInSamePlaces(from, to)) return {};
  const auto bits = [](const Shape& shape) { return shape.LayoutOrDefault().element_size_in_bits; };
  const bool same_elements = from.type() == to.type() && bits(from) == bits(to);
  // bitcast-convert defines how narrow elements are packed; a bitcast of them would depend on the
  // machine.
  if (!same_elements && (IsSubByte(from.type()) || IsSubByte(to.type()) || to.type() == PRED)) {
    return OpError(inst,
                   StrCat("to ", to.ToStringWithLayout(), " from ", from.ToStringWithLayout(),
                          " depends on how elements are packed; bitcast-convert does not"),
                   StatusCode::kUnimplemented);
  }
  if (IsPlain(from) && IsPlain(to) && from.num_bytes() != to.num_bytes()) {
    return OpError(inst, StrCat("the result ", to.ToString(), " has ", to.num_bytes(),
                                " bytes, the operand ", from.num_bytes()));
  }
  i64 bytes[2];
  for (const Shape* shape : {&from, &to}) {
    const StatusOr<MemoryOrder> order = MemoryOrder::Of(*shape);
    if (!order.ok()) return OpError(inst, order.status().message(), order.status().code());
    const auto size = CheckedMul(order->num_places(), Info(shape->type()).bytes);
    bytes[shape == &to] = size.value_or(-1);
  }
  if (bytes[0] == bytes[1] && bytes[0] >= 0) return {};
  return OpError(inst, StrCat("to ", to.ToStringWithLayout(), " from ", from.ToStringWithLayout(),
                              " is to other bytes: they take ", bytes[1], " and ", bytes[0]));
}

// Calls visit(element, place) for the elements in row-major order.
// An odometer over the index, whose last dimension runs fastest.
template <typename Visit>
Status ForEachPlace(const Shape& shape, const MemoryOrder& order, const EvalContext& context,
                    const Visit& visit) {
  constexpr i64 kPiece = 1 << 14;
  Dims index(shape.rank(), 0);
  for (i64 element = 0; element < shape.num_elements(); ++element) {
    if (element % kPiece == 0) AXLE_TRY(context.Check());
    visit(element, order.PlaceOf(index));
    for (i64 d = shape.rank(); d-- > 0;) {
      if (++index[d] < shape.dim(d)) break;
      index[d] = 0;
    }
  }
  return {};
}

// Writes the operand into an image of its memory and reads the result out of it. The padding of
// tiles in the image is zero. The image has the size of the padded operand.
StatusOr<Literal> EvalThroughMemory(const Instruction& inst, const Literal& operand,
                                    const EvalContext& context) {
  const Shape &from = inst.operand(0)->shape(), &to = inst.shape();
  AXLE_ASSIGN(const MemoryOrder from_order, MemoryOrder::Of(from));
  AXLE_ASSIGN(const MemoryOrder to_order, MemoryOrder::Of(to));
  const i64 from_bytes = Info(from.type()).bytes, to_bytes = Info(to.type()).bytes;
  AXLE_ASSIGN(Literal memory, Literal::Create(Shape(U8, {from_order.num_places() * from_bytes})));
  AXLE_ASSIGN(Literal result, Literal::CreateUninitialized(to.WithoutLayout()));
  std::byte* const bytes = memory.mutable_bytes();
  AXLE_TRY(ForEachPlace(from, from_order, context, [&](i64 element, i64 place) {
    std::memcpy(bytes + place * from_bytes, operand.bytes() + element * from_bytes,
                static_cast<size_t>(from_bytes));
  }));
  std::byte* const out = result.mutable_bytes();
  AXLE_TRY(ForEachPlace(to, to_order, context, [&](i64 element, i64 place) {
    std::memcpy(out + element * to_bytes, bytes + place * to_bytes, static_cast<size_t>(to_bytes));
  }));
  return result;
}

// The bytes of the operand in its layout are those of the result in its own. Most bitcasts rename
// dimensions and share the storage; the others are rearranged on the way in and out.
StatusOr<Literal> EvalBitcast(const Instruction& inst, std::span<Literal> operands,
                              const EvalContext& context) {
  const Shape &from = inst.operand(0)->shape(), &to = inst.shape();
  const Shape result = to.WithoutLayout();
  if (IsInSamePlaces(from, to)) return operands[0].WithShape(result);
  if (!IsPlain(from) || !IsPlain(to)) return EvalThroughMemory(inst, operands[0], context);
  Literal bytes = operands[0].Relayout(from.LayoutOrDefault());
  if (to.layout() == nullptr) return bytes.WithShape(result);
  bytes = bytes.WithShape(result);  // aligned for the new type
  Literal value = Literal::View(to, bytes.bytes()).ToRowMajor();
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
        "Operand and result have as many bytes; their layouts, tiles included, say which element "
        "lies where. With row-major layouts and one element type this is a reshape. An element of "
        "the result that lies where a tile of the operand is only filled up is zero. What is not "
        "computed is read and printed, and is UNIMPLEMENTED when it is compiled: changes of the "
        "type where elements do not fill their bytes, layouts that say more than an order and "
        "tiles, and dynamic dimensions unless dimensions and layout stay as they are.",
    .source = "XLA HLO bitcast, which compilers write",
    .operands = kUnaryOperands,
    .declared_shape = true,
    .lowering = Lowering::kData,
    .infer = InferBitcast,
    .check_run = CheckBitcastRuns,
    .eval = EvalBitcast,
    .eval_dynamic = EvalBitcastDynamic,
};

}  // namespace axle
