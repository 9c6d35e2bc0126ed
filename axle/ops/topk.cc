// topk: the k largest or smallest elements of every row, and where they are.
//
// Elements are mapped to unsigned keys whose order is the total order, complemented for the largest
// elements, so that small keys are wanted. A heap has the k best elements so far, the worst of them
// at its top. For f32[6] {3, 1, 5, 2, 4, 6}, k = 2, after {3, 1, 5, 2}: top 3, and 5 below it.
//
// Rows are taken in blocks. A block whose smallest key is not below that of the top changes
// nothing, since of equal elements the earlier one wins; of a long row most are such blocks, and to
// see that takes a minimum over a block of keys, in vectors. The others cost n log k steps at most.
#include <algorithm>
#include <cstring>
#include <type_traits>

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
using KeyOf = std::conditional_t<sizeof(StorageOf<kType>) <= 4, std::uint32_t, std::uint64_t>;
template <ElementType kType>
KeyOf<kType> OrderKey(StorageOf<kType> element) {
  using Key = KeyOf<kType>;
  if constexpr (IsFloating(kType)) {
    Key bits = 0;
    std::memcpy(&bits, &element, sizeof(element));
    return TotalOrderKey(Info(kType).format, bits);
  } else if constexpr (IsSigned(kType)) {
    return static_cast<Key>(static_cast<i64>(element)) ^ Key { 1 } << (8 * sizeof(Key) - 1);
  } else if constexpr (IsComplex(kType)) {
    return 0;
  } else {
    return static_cast<Key>(element);
  }
}

// An element; those with smaller keys, and the earlier ones of equal keys, are better.
template <typename Key>
struct Ranked {
  Key key;
  i64 index;
  bool operator<(const Ranked& other) const {
    return key != other.key ? key < other.key : index < other.index;
  }
};

template <ElementType kType>
Status TopkRows(const Literal& operand, const TopkAttrs& attrs, const EvalContext& context,
                Literal& values, Literal& indices) {
  using T = StorageOf<kType>;
  const i64 size = operand.shape().dims().back(), k = attrs.k;
  const T* row = operand.data<T>().data();
  T* value = values.mutable_data<T>().data();
  std::int32_t* index = indices.mutable_data<std::int32_t>().data();
  using Key = KeyOf<kType>;
  constexpr i64 kBlock = 64, kBlocksBetweenLooks = 1 << 12;
  const Key flip = attrs.largest ? static_cast<Key>(-1) : 0;
  const ScratchMemory scratch(context, k * i64{sizeof(Ranked<Key>)});
  AXLE_TRY(scratch.status());
  std::vector<Ranked<Key>> best;
  best.reserve(static_cast<size_t>(k));
  i64 blocks = 0;
  for (i64 rows = values.num_elements() / k; rows > 0; --rows, row += size) {
    AXLE_TRY(context.Check());
    best.clear();
    for (i64 i = 0; i < k; ++i) best.push_back({OrderKey<kType>(row[i]) ^ flip, i});
    std::make_heap(best.begin(), best.end());
    for (i64 begin = k; begin < size; begin += kBlock) {
      if (++blocks % kBlocksBetweenLooks == 0) AXLE_TRY(context.Check());
      Key keys[kBlock];
      const i64 count = std::min(kBlock, size - begin);
      if (count == kBlock) {
        for (i64 i = 0; i < kBlock; ++i) keys[i] = OrderKey<kType>(row[begin + i]) ^ flip;
        Key least = keys[0];
        for (const Key key : keys) least = std::min(least, key);
        if (least >= best.front().key) continue;
      } else {
        for (i64 i = 0; i < count; ++i) keys[i] = OrderKey<kType>(row[begin + i]) ^ flip;
      }
      for (i64 i = 0; i < count; ++i) {
        if (keys[i] >= best.front().key) continue;
        std::pop_heap(best.begin(), best.end());
        best.back() = {keys[i], begin + i};
        std::push_heap(best.begin(), best.end());
      }
    }
    std::sort_heap(best.begin(), best.end());
    for (const Ranked<Key>& element : best) {
      *value++ = row[element.index];
      *index++ = static_cast<std::int32_t>(element.index);
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
