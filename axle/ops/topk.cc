// topk: the k largest or smallest elements of every row, and where they are.
//
// Elements are mapped to unsigned keys whose order is the total order, complemented for the largest
// elements. A partial sort of the positions with the index as second key gives a unique result of k
// elements in n log k steps.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "axle/core/strings.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/scratch_memory.h"
#include "axle/ops/total_order.h"

namespace axle {

extern const OpDef kTopkDef;

namespace {

constexpr AttrSpec kTopkAttrs[] = {
    Attr<&TopkAttrs::k>("k", {.field = 81}),
    Attr<&TopkAttrs::largest>("largest", {.field = 85}, Presence::kPrinted),
    StatedBoolAttr<&TopkAttrs::is_stable>("is_stable", {.field = 60}),
};

// Both results have size k in the last dimension, which is static.
StatusOr<Shape> InferTopk(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  const Shape& operand = inst.operand(0)->shape();
  const i64 k = inst.attrs<TopkAttrs>().k;
  if (IsComplex(operand.type())) return OpError(inst, "complex numbers have no order");
  if (operand.rank() == 0) return OpError(inst, "operand has rank 0, must have a last dimension");
  if (k < 0) return OpError(inst, StrCat("k is ", k, ", must be >= 0"));
  const i64 last = operand.rank() - 1;
  if (k > operand.dim(last)) {
    return OpError(inst, StrCat("k is ", k, ", more than the ", operand.dim(last),
                                " elements of the last dimension"));
  }
  Shape values = operand.WithoutLayout();
  values.set_dim(last, k);
  values.set_dynamic(last, false);
  return Shape::Tuple({values, values.WithType(S32)});
}

// An unsigned number in the order of the elements: total order of floats.
// Signed integers are shifted into the unsigned range by their sign bit.
template <ElementType kType>
std::uint64_t OrderKey(StorageOf<kType> element) {
  if constexpr (IsFloating(kType)) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &element, sizeof(element));
    return TotalOrderKey(Info(kType).format, bits);
  } else if constexpr (IsSigned(kType)) {
    return static_cast<std::uint64_t>(static_cast<i64>(element)) ^ std::uint64_t{1} << 63;
  } else if constexpr (IsComplex(kType)) {
    return 0;
  } else {
    return static_cast<std::uint64_t>(element);
  }
}

template <ElementType kType>
Status TopkRows(const Literal& operand, const TopkAttrs& attrs, const EvalContext& context,
                Literal& values, Literal& indices) {
  using T = StorageOf<kType>;
  const i64 size = operand.shape().dims().back(), k = attrs.k;
  const T* row = operand.data<T>().data();
  T* value = values.mutable_data<T>().data();
  std::int32_t* index = indices.mutable_data<std::int32_t>().data();
  const ScratchMemory scratch(context, size * i64{2 * sizeof(i64)});
  AXLE_TRY(scratch.status());
  std::vector<std::uint64_t> keys(size);
  std::vector<i64> order(size);
  for (i64 rows = values.num_elements() / k; rows > 0; --rows, row += size) {
    AXLE_TRY(context.Check());
    // The first of two elements has the smaller key, or the smaller index: no two are equal.
    for (i64 i = 0; i < size; ++i) {
      keys[i] = attrs.largest ? ~OrderKey<kType>(row[i]) : OrderKey<kType>(row[i]);
    }
    std::iota(order.begin(), order.end(), i64{0});
    std::partial_sort(order.begin(), order.begin() + k, order.end(),
                      [&](i64 i, i64 j) { return keys[i] != keys[j] ? keys[i] < keys[j] : i < j; });
    for (i64 i = 0; i < k; ++i) {
      *value++ = row[order[i]];
      *index++ = static_cast<std::int32_t>(order[i]);
    }
  }
  return {};
}

// The rows are those of the last dimension.
StatusOr<Literal> EvalTopk(const Instruction& inst, std::span<Literal> operands,
                           const EvalContext& context) {
  AXLE_ASSIGN(Literal values,
              Literal::CreateUninitialized(inst.shape().element(0).WithoutLayout()));
  AXLE_ASSIGN(Literal indices,
              Literal::CreateUninitialized(inst.shape().element(1).WithoutLayout()));
  if (values.num_elements() > 0) {
    AXLE_TRY(DispatchElementType(values.shape().type(), [&]<ElementType kType>() {
      return TopkRows<kType>(operands[0], inst.attrs<TopkAttrs>(), context, values, indices);
    }));
  }
  return Literal::Tuple({std::move(values), std::move(indices)});
}

}  // namespace

const OpDef kTopkDef = {
    .opcode = Opcode::kTopk,
    .text = "topk",
    .summary = "The k largest (or smallest) elements of every row, in order, with their indices.",
    .semantics =
        "Rows run along the last dimension, which has size k in both results; indices are s32. "
        "Floats are ordered totally: -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN. Of equal "
        "elements the one with the lower index comes first, whether is_stable asks for it or not. "
        "Not for complex numbers.",
    .source = "XLA TopK; CHLO top_k",
    .operands = kUnaryOperands,
    .attrs = Schema<TopkAttrs>(kTopkAttrs),
    .lowering = Lowering::kSort,
    .infer = InferTopk,
    .eval = EvalTopk,
};

}  // namespace axle
