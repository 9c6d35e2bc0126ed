// Built-in custom calls for the elements of each line that a comparator puts first: TopK, into
// which XLA:CPU rewrites sort and slice, and ApproxTopK, which JAX writes for approx_max_k. Both
// are exact: the stable sort of numerics.md, and the beginning of each line.
//
// CallTopk adds the positions as a second operand and sorts both; ApproxTopK has its operands and
// attributes already. Sorting whole lines costs n log n instead of n log k, which matters less than
// one definition of the order.
#include <cstring>

#include "axle/core/strings.h"
#include "axle/ops/custom_call_builtins.h"
#include "axle/ops/scratch_memory.h"
#include "axle/ops/sort_lines.h"

namespace axle {
namespace {

// The first elements of every line along `dim`, as many as `result` has.
StatusOr<Literal> FirstOfLines(const Literal& operand, i64 dim, const Shape& result) {
  AXLE_ASSIGN(Literal first, Literal::CreateUninitialized(result.WithoutLayout()));
  if (first.num_elements() == 0) return first;
  // Lines are contiguous blocks of `inner` bytes times their length.
  i64 inner = Info(result.type()).bytes;
  for (i64 d = dim + 1; d < result.rank(); ++d) inner *= result.dim(d);
  const i64 from_line = operand.shape().dim(dim) * inner, to_line = result.dim(dim) * inner;
  const std::byte* from = operand.bytes();
  std::byte* to = first.mutable_bytes();
  for (i64 bytes = first.num_bytes(); bytes > 0; bytes -= to_line) {
    std::memcpy(to, from, to_line);
    from += from_line;
    to += to_line;
  }
  return first;
}

// That `result` is the beginning of lines of `operand` along `dim`.
Status CheckFirst(const Shape& operand, i64 dim, const Shape& result) {
  bool fits =
      result.is_array() && result.rank() == operand.rank() && result.type() == operand.type();
  for (i64 d = 0; fits && d < operand.rank(); ++d) {
    fits = d == dim ? result.dim(d) <= operand.dim(d) : result.dim(d) == operand.dim(d);
  }
  if (fits) return {};
  return InvalidArgument(StrCat("result ", result.ToString(), " is not the beginning of ",
                                operand.ToString(), " along dimension ", dim));
}

// Sorts operands of one size and gives the beginnings of their lines as a tuple.
StatusOr<Literal> SortAndCut(const CustomCallInvocation& invocation, i64 dim,
                             std::span<Literal> operands, const EvalContext& context) {
  const Shape& result = *invocation.result_shape;
  if (!result.is_tuple() || result.num_tuple_elements() != static_cast<i64>(operands.size())) {
    return InvalidArgument(StrCat("result must be a tuple of ", operands.size(), " arrays"));
  }
  std::vector<ElementType> types;
  for (size_t i = 0; i < operands.size(); ++i) {
    AXLE_TRY(CheckFirst(operands[i].shape(), dim, result.element(i)));
    types.push_back(operands[i].shape().type());
  }
  if (invocation.callees.size() != 1) {
    return InvalidArgument(StrCat("needs 1 called computation, not ", invocation.callees.size()));
  }
  AXLE_TRY(CheckComparator(*invocation.instruction, types));
  AXLE_ASSIGN(const std::vector<Literal> sorted,
              SortLines(*invocation.instruction, dim, operands, context));
  std::vector<Literal> first;
  for (size_t i = 0; i < sorted.size(); ++i) {
    AXLE_ASSIGN(first.emplace_back(), FirstOfLines(sorted[i], dim, result.element(i)));
  }
  return Literal::Tuple(std::move(first));
}

// (values, s32 positions) of the last dimension.
StatusOr<Literal> CallTopk(const CustomCallInvocation& invocation, const EvalContext& context) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 1));
  const Shape shape = invocation.operands[0].shape();  // the operand is handed over
  if (shape.rank() == 0) return InvalidArgument("operand has no dimension");
  const i64 size = shape.dims().back();
  if (size > std::numeric_limits<std::int32_t>::max()) {
    return InvalidArgument(StrCat("positions of ", size, " elements do not fit in s32"));
  }
  AXLE_ASSIGN(Literal positions, Literal::CreateUninitialized(Shape(S32, shape.dims())));
  i64 i = 0;
  for (std::int32_t& position : positions.mutable_data<std::int32_t>()) {
    position = static_cast<std::int32_t>(i++ % size);
  }
  Literal operands[] = {std::move(invocation.operands[0]), std::move(positions)};
  return SortAndCut(invocation, shape.rank() - 1, operands, context);
}

// n operands and then n initial values, which a sort does not need. An exact result is a good
// approximation.
StatusOr<Literal> CallApproxTopk(const CustomCallInvocation& invocation,
                                 const EvalContext& context) {
  const size_t count = invocation.operands.size() / 2;
  if (count == 0 || invocation.operands.size() % 2 != 0) {
    return InvalidArgument(StrCat("takes arrays and as many initial values, not ",
                                  invocation.operands.size(), " operands"));
  }
  const std::span<Literal> operands = invocation.operands.first(count);
  const Shape shape = operands[0].shape();
  for (const Literal& operand : operands) {
    if (!operand.shape().is_array() || operand.shape().dims() != shape.dims()) {
      return InvalidArgument("operands must be arrays with the same dimensions");
    }
  }
  AXLE_ASSIGN(const auto attributes, invocation.Attributes());
  AXLE_ASSIGN(i64 dim, attributes.Integer("reduction_dim", -1));
  if (dim < 0) dim += shape.rank();
  if (dim < 0 || dim >= shape.rank()) {
    return InvalidArgument(StrCat("reduction_dim ", dim, " is not a dimension"));
  }
  return SortAndCut(invocation, dim, operands, context);
}

constexpr BuiltinCustomCall kTopkCustomCalls[] = {
    {"ApproxTopK", CallApproxTopk},
    {"TopK", CallTopk},
};

}  // namespace

std::span<const BuiltinCustomCall> TopkCustomCalls() {
  return kTopkCustomCalls;
}

}  // namespace axle
