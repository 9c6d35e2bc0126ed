// Built-in custom calls for dynamic dimensions: between arrays of the bounds with sizes beside them
// and arrays that carry their sizes, and windows whose padding follows the run-time size.
//
// PadToStatic and SliceToDynamic convert between the two representations of run-time sizes. The
// windowed calls compute the padding of "same" from the run-time size and then evaluate the
// ordinary op on the run-time shape (CallAs).
#include <algorithm>

#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/custom_call_builtins.h"
#include "axle/ops/dynamic.h"

namespace axle {
namespace {

// (the elements in an array of the bound, with zeros behind them, and the size of each dimension)
StatusOr<Literal> CallPadToStatic(const CustomCallInvocation& invocation, const EvalContext&) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 1));
  const Literal& operand = invocation.operands[0];
  std::vector<Shape> shapes(1 + operand.shape().rank(), Shape(S32));
  shapes[0] = Shape(operand.shape().type(), operand.shape().dims());
  const Shape expected = Shape::Tuple(shapes);
  if (!EqualIgnoringLayout(*invocation.result_shape, expected)) {
    return InvalidArgument(
        StrCat("gives ", expected.ToString(), ", not ", invocation.result_shape->ToString()));
  }
  std::vector<Literal> elements;
  AXLE_ASSIGN(const Literal padded, Literal::Padded(operand.ValidPart(), operand.shape()));
  elements.push_back(WholeBuffer(padded));
  for (i64 size : operand.sizes()) {
    elements.push_back(Literal::Scalar<std::int32_t>(S32, static_cast<std::int32_t>(size)));
  }
  return Literal::Tuple(std::move(elements));
}

// The inverse. Sizes are clamped as those of set-dimension-size are.
StatusOr<Literal> CallSliceToDynamic(const CustomCallInvocation& invocation, const EvalContext&) {
  if (invocation.operands.empty() || !invocation.operands[0].shape().is_array()) {
    return InvalidArgument("takes an array and the size of each of its dimensions");
  }
  const Shape shape = invocation.operands[0].shape();
  AXLE_TRY(ExpectCustomCallOperands(invocation, 1 + shape.rank()));
  if (!shape.is_static()) return InvalidArgument("takes an array of static shape");
  const Shape& result = *invocation.result_shape;
  if (!Compatible(result, shape)) {
    return InvalidArgument(
        StrCat("gives ", shape.ToString(), " with dynamic dimensions, not ", result.ToString()));
  }
  Literal value = invocation.operands[0];
  value.SetDynamicFlags(result);
  for (i64 d = 0; d < shape.rank(); ++d) {
    const Literal& operand = invocation.operands[1 + d];
    if (operand.shape() != Shape(S32)) {
      return InvalidArgument(
          StrCat("the size of dimension ", d, " must be s32[], not ", operand.shape().ToString()));
    }
    const i64 size = std::clamp<i64>(operand.data<std::int32_t>()[0], 0, shape.dim(d));
    if (size != shape.dim(d) && !result.is_dynamic(d)) {
      return InvalidArgument(StrCat("the size of dimension ", d, " is ", size, " but the result ",
                                    result.ToString(), " has it static"));
    }
    value.SetSizeBeforeFlags(d, size);
  }
  return value;
}

// Says how large the value may get, which is for compilers that look for bounds.
StatusOr<Literal> CallSetBound(const CustomCallInvocation& invocation, const EvalContext&) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 1));
  return std::move(invocation.operands[0]);
}

// Gives `window` along a dimension of run-time size `size` the padding with which there are
// ceil(size / stride) windows; what is odd of it goes to the end.
Status PadAlike(i64 size, WindowDim& window) {
  if (window.window_dilation != 1 || window.base_dilation != 1) {
    return Unimplemented("dilation along a dynamic dimension");
  }
  if (window.stride < 1 || window.size < 1) return {};  // an error of the op
  const i64 count = size / window.stride + (size % window.stride != 0);
  const __int128 total = __int128{count - 1} * window.stride + window.size - size;
  const i64 padding = count == 0 ? 0 : static_cast<i64>(std::max<__int128>(total, 0));
  window.pad_low = padding / 2;
  window.pad_high = padding - padding / 2;
  return {};
}

// Whether two shapes differ in sizes only.
bool IsAlike(const Shape& a, const Shape& b) {
  if (a.is_tuple() && b.is_tuple()) return std::ranges::equal(a.elements(), b.elements(), IsAlike);
  return a.is_array() && b.is_array() && a.type() == b.type() && a.rank() == b.rank();
}

// `opcode` in the place of the call, on its operands and computations.
// The declared shape has the bounds; the op is evaluated with run-time sizes.
template <typename Attrs>
StatusOr<Literal> CallAs(Opcode opcode, const Attrs& attrs, const CustomCallInvocation& invocation,
                         const EvalContext& context) {
  const Instruction& inst = *invocation.instruction;
  AXLE_ASSIGN(const Substitute op, Substitute::CreateAs(opcode, inst, attrs, invocation.operands));
  if (!IsAlike(op.inst().shape(), inst.shape())) {
    return InvalidArgument(
        StrCat("gives ", op.inst().shape().ToString(), ", not ", inst.shape().ToString()));
  }
  AXLE_ASSIGN(const Literal result, op.Evaluate(invocation.operands, context));
  return PutIntoBounds(inst, result.ValidPart());
}

// Padding depends on the run-time size of each dynamic dimension.
StatusOr<Literal> CallWindowed(Opcode opcode, const CustomCallInvocation& invocation,
                               const EvalContext& context) {
  if (invocation.operands.empty() || !invocation.operands[0].shape().is_array()) {
    return InvalidArgument("takes arrays");
  }
  // The arrays that windows move over: of a reduce-window, those before the initial values.
  const size_t num_inputs =
      opcode == Opcode::kSelectAndScatter ? 1 : (invocation.operands.size() + 1) / 2;
  const auto inputs = std::span<const Literal>(invocation.operands).first(num_inputs);
  WindowAttrs attrs{invocation.instruction->attrs<CustomCallAttrs>().window};
  for (i64 d = 0; d < static_cast<i64>(attrs.window.size()); ++d) {
    for (const Literal& input : inputs) {
      if (!input.shape().is_array() || d >= input.shape().rank() || !input.shape().is_dynamic(d))
        continue;
      AXLE_TRY(PadAlike(input.size(d), attrs.window[d]));
      break;  // the others have the same size, or the op refuses them
    }
  }
  // The windows fit the source by its run-time sizes, not by its bounds.
  if (opcode == Opcode::kSelectAndScatter) {
    for (Literal& array : invocation.operands) array = array.ValidPart();
  }
  return CallAs(opcode, attrs, invocation, context);
}

StatusOr<Literal> CallReduceWindow(const CustomCallInvocation& invocation,
                                   const EvalContext& context) {
  return CallWindowed(Opcode::kReduceWindow, invocation, context);
}

StatusOr<Literal> CallSelectAndScatter(const CustomCallInvocation& invocation,
                                       const EvalContext& context) {
  return CallWindowed(Opcode::kSelectAndScatter, invocation, context);
}

// padding_type says how dynamic spatial dimensions of lhs are padded.
StatusOr<Literal> CallConvolution(const CustomCallInvocation& invocation,
                                  const EvalContext& context) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 2));
  const Literal& lhs = invocation.operands[0];
  const auto& given = invocation.instruction->attrs<CustomCallAttrs>();
  ConvolutionAttrs attrs{.window = given.window,
                         .dim_labels = given.dim_labels,
                         .feature_group_count = given.feature_group_count,
                         .batch_group_count = given.batch_group_count,
                         .operand_precision = given.operand_precision};
  if (given.padding_type == PaddingType::kInvalid) {
    return InvalidArgument("needs padding_type=PADDING_VALID or PADDING_SAME");
  }
  for (size_t s = 0; s < attrs.window.size(); ++s) {
    const i64 d =
        s < 10 ? ConvolutionDimensionNumbers::Find(attrs.dim_labels.lhs, static_cast<char>('0' + s))
               : -1;
    if (d < 0 || d >= lhs.shape().rank() || !lhs.shape().is_dynamic(d)) continue;
    if (given.padding_type == PaddingType::kSame) {
      AXLE_TRY(PadAlike(lhs.size(d), attrs.window[s]));
    } else {
      attrs.window[s].pad_low = attrs.window[s].pad_high = 0;
    }
  }
  return CallAs(Opcode::kConvolution, attrs, invocation, context);
}

// Programs may contain these names, but Axle has no definition of them.
StatusOr<Literal> CallUnspecified(const CustomCallInvocation&, const EvalContext&) {
  return Unimplemented("is known by name only");
}

constexpr BuiltinCustomCall kDynamicCustomCalls[] = {
    {"DynamicConvolutionForward", CallConvolution, true},
    {"DynamicConvolutionInputGrad", CallUnspecified, true},
    {"DynamicConvolutionKernelGrad", CallUnspecified, true},
    {"DynamicReduceWindowSamePadding", CallReduceWindow, true},
    {"DynamicSelectAndScatterSamePadding", CallSelectAndScatter, true},
    {"MhloDynamicBroadcastInDim", CallUnspecified, true},
    {"MhloDynamicReshape", CallUnspecified, true},
    {"PadToStatic", CallPadToStatic, true},
    {"SetBound", CallSetBound, true},
    {"SliceToDynamic", CallSliceToDynamic, true},
};

}  // namespace

std::span<const BuiltinCustomCall> DynamicCustomCalls() {
  return kDynamicCustomCalls;
}

}  // namespace axle
