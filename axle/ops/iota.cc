// iota: every element is its position along one dimension, as the element type.
//
// Equal elements come in runs, so that a number is converted once and written as often as the run
// is long; the block of the dimension is then copied for all outer positions.

#include <cstring>

#include "axle/core/convert.h"
#include "axle/ops/dim_order.h"
#include "axle/ops/elementwise.h"

namespace axle {

extern const OpDef kIotaDef;

namespace {

constexpr AttrSpec kIotaAttrs[] = {
    ListedAttr<&IotaAttrs::iota_dimension>("iota_dimension", {.field = 14}),
};
constexpr TypeSet kIotaTypes = static_cast<TypeSet>(kNumbers);

StatusOr<Shape> InferIota(const Instruction& inst) {
  const Shape& result = inst.shape();
  if (!result.is_array() || !Accepts(kIotaTypes, result.type())) {
    return OpError(inst, StrCat("gives ", Describe(kIotaTypes), " only, not ", result.ToString()));
  }
  const i64 d = inst.attrs<IotaAttrs>().iota_dimension;
  if (d < 0 || d >= result.rank()) {
    return OpError(
        inst, StrCat("iota_dimension is ", d, ", which is not a dimension of ", result.ToString()));
  }
  if (!result.is_static()) {
    return OpError(inst, StrCat("dimensions must be static, not ", result.ToString()));
  }
  return result;
}

// Writes one period, which is the dimension with everything inside of it, and copies that for the
// dimensions outside.
StatusOr<Literal> EvalIota(const Instruction& inst, std::span<Literal>,
                           const EvalContext& context) {
  const Shape shape = inst.shape().WithoutLayout();
  AXLE_ASSIGN(Literal out, Literal::CreateUninitialized(shape));
  if (shape.num_elements() == 0) return out;
  const i64 d = inst.attrs<IotaAttrs>().iota_dimension, size = shape.dim(d);
  const i64 repeats = RowMajorStrides(shape.dims())[d];  // neighbours with the same number
  const i64 bytes = Info(shape.type()).bytes, period = size * repeats * bytes;
  std::byte* const begin = out.mutable_bytes();

  constexpr i64 kBlock = 256;
  i64 numbers[kBlock];
  // Numbers are converted in blocks on the stack; the widest element has 16 bytes.
  alignas(16) std::byte converted[kBlock * sizeof(Bits128)];
  for (i64 from = 0; from < size; from += kBlock) {
    AXLE_TRY(context.Check());
    const i64 count = std::min(kBlock, size - from);
    for (i64 i = 0; i < count; ++i) numbers[i] = from + i;
    ConvertElements(S64, numbers, shape.type(), converted, count);
    DispatchBytes(static_cast<int>(bytes), [&]<typename T>() {
      T* to = reinterpret_cast<T*>(begin) + from * repeats;
      const T* values = reinterpret_cast<const T*>(converted);
      for (i64 i = 0; i < count; ++i, to += repeats) std::fill_n(to, repeats, values[i]);
    });
  }
  // Everything outside of the dimension repeats the first period.
  for (i64 at = period; at < shape.num_bytes(); at += period) {
    std::memcpy(begin + at, begin, static_cast<size_t>(period));
  }
  return out;
}

}  // namespace

const OpDef kIotaDef = {
    .opcode = Opcode::kIota,
    .text = "iota",
    .summary = "The position of each element along dimension `iota_dimension`.",
    .semantics =
        "0, 1, 2, ... converted to the element type: integers wrap around, floats are rounded to "
        "nearest even, complex numbers have an imaginary part of 0. Not for pred; the rank is at "
        "least 1.",
    .source = "XLA Iota; StableHLO iota",
    .attrs = Schema<IotaAttrs>(kIotaAttrs),
    .declared_shape = true,
    .lowering = Lowering::kIota,
    .infer = InferIota,
    .eval = EvalIota,
    .permute = {PermuteForm::kSource,
                [](const Instruction& inst, const Order& order, const Order&) {
                  const i64 d = inst.attrs<IotaAttrs>().iota_dimension;
                  return BlockOf(inst, IotaAttrs{Inverse(order)[static_cast<size_t>(d)]});
                }},
};

}  // namespace axle
