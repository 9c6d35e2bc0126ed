// Operations whose sizes are operands. HLO has none of them: the sizes are known when the program
// is converted, because they follow from the shapes of its arguments, or the type states them.
#include <algorithm>

#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/stablehlo/conversions.h"

namespace axle::stablehlo {
namespace {

// The sizes in operand `i`, or else those of the result's type.
StatusOr<Dims> SizesOf(const Site& site, size_t i) {
  if (std::optional<Dims> known = site.KnownInts(i); known) return std::move(*known);
  const std::optional<Shape> shape = mlir::ShapeOf(site.result_type());
  if (shape && shape->is_static()) return shape->dims();
  return site.Error(
      StrCat("the sizes in operand ", i, " do not follow from the shapes of the arguments"),
      StatusCode::kUnimplemented);
}

StatusOr<Dims> KnownOperand(const Site& site, size_t i) {
  if (std::optional<Dims> known = site.KnownInts(i); known) return std::move(*known);
  return site.Error(StrCat("operand ", i, " does not follow from the shapes of the arguments"),
                    StatusCode::kUnimplemented);
}

}  // namespace

namespace {

// Where sizes are known at run time only, below bounds: HLO's dynamic-reshape, which takes them one
// by one.
Status ConvertBoundedReshape(const Site& site, const Shape& shape) {
  Instructions operands = {site.operand(0)};
  for (i64 d = 0; d < shape.rank(); ++d) {
    AXLE_ASSIGN(Instruction* const one,
                site.Add(Opcode::kSlice, {site.operand(1)}, SliceAttrs{{{d, d + 1, 1}}}));
    AXLE_ASSIGN(Instruction* const scalar, site.Reshape(one, {}));
    AXLE_ASSIGN(Instruction* const size, site.Convert(scalar, S32));
    operands.push_back(size);
  }
  return site.Return(site.Add(Opcode::kDynamicReshape, operands, AttrBlock{}, {}, shape));
}

}  // namespace

Status ConvertDynamicReshape(const Site& site) {
  const std::optional<Shape> bounded = mlir::ShapeOf(site.result_type());
  if (bounded && !(bounded->is_static() && site.operand(0)->shape().is_static())) {
    return ConvertBoundedReshape(site, *bounded);
  }
  AXLE_ASSIGN(const Dims sizes, SizesOf(site, 1));
  return site.Return(site.Reshape(site.operand(0), sizes));
}

Status ConvertDynamicBroadcastInDim(const Site& site) {
  AXLE_ASSIGN(const Dims sizes, SizesOf(site, 1));
  AXLE_ASSIGN(const Dims mapping, site.Ints("broadcast_dimensions"));
  return site.Return(site.Broadcast(site.operand(0), sizes, mapping));
}

Status ConvertDynamicIota(const Site& site) {
  AXLE_ASSIGN(Dims sizes, SizesOf(site, 0));
  AXLE_ASSIGN(const i64 dimension, site.Int("iota_dimension"));
  const Shape shape(mlir::ElementOf(site.result_type()), std::move(sizes));
  return site.Return(site.Add(Opcode::kIota, {}, IotaAttrs{dimension}, {}, shape));
}

Status ConvertDynamicPad(const Site& site) {
  AXLE_ASSIGN(const Dims low, KnownOperand(site, 2));
  AXLE_ASSIGN(const Dims high, KnownOperand(site, 3));
  AXLE_ASSIGN(const Dims interior, KnownOperand(site, 4));
  if (low.size() != high.size() || low.size() != interior.size()) {
    return site.Error("the paddings are not of one length");
  }
  PaddingConfig padding(low.size());
  for (size_t d = 0; d < low.size(); ++d) padding[d] = {low[d], high[d], interior[d]};
  return site.Return(site.Add(Opcode::kPad, site.operands(0, 2), PadAttrs{std::move(padding)}));
}

// Start and limit are known, or they are computed and lie as far apart as the type says.
Status ConvertRealDynamicSlice(const Site& site) {
  const std::optional<Dims> starts = site.KnownInts(1), limits = site.KnownInts(2);
  const std::optional<Dims> strides = site.KnownInts(3);
  const auto rank = static_cast<size_t>(site.operand(0)->shape().rank());
  if (starts && limits && strides) {
    if (starts->size() != rank || limits->size() != rank || strides->size() != rank) {
      return site.Error(StrCat("start, limit and strides have ", rank, " elements"));
    }
    SliceConfig slice(rank);
    for (size_t d = 0; d < rank; ++d) slice[d] = {(*starts)[d], (*limits)[d], (*strides)[d]};
    return site.Return(site.Add(Opcode::kSlice, site.operands(0, 1), SliceAttrs{std::move(slice)}));
  }
  const std::optional<Shape> shape = mlir::ShapeOf(site.result_type());
  const bool plain = strides && std::ranges::all_of(*strides, [](i64 s) { return s == 1; });
  if (!plain || !shape || !shape->is_static()) {
    return site.Error("the size of the slice does not follow from the shapes of the arguments",
                      StatusCode::kUnimplemented);
  }
  Instructions operands = {site.operand(0)};
  for (size_t d = 0; d < rank; ++d) {
    const auto at = static_cast<i64>(d);
    AXLE_ASSIGN(Instruction* const one,
                site.Add(Opcode::kSlice, {site.operand(1)}, SliceAttrs{{{at, at + 1, 1}}}));
    AXLE_ASSIGN(Instruction* const start, site.Reshape(one, {}));
    operands.push_back(start);
  }
  return site.Return(site.Add(Opcode::kDynamicSlice, operands, DynamicSliceAttrs{shape->dims()}));
}

Status ConvertDynamicGather(const Site& site) {
  AXLE_ASSIGN(Dims sizes, KnownOperand(site, 2));
  return GatherWith(site, std::move(sizes));
}

Status ConvertDynamicConv(const Site& site) {
  AXLE_ASSIGN(const Dims numbers, KnownOperand(site, 2));
  if (numbers.size() % 2 != 0) return site.Error("the padding is not n x 2");
  std::vector<std::pair<i64, i64>> padding;
  for (size_t i = 0; i < numbers.size(); i += 2) padding.emplace_back(numbers[i], numbers[i + 1]);
  return ConvolutionWith(site, padding);
}

// A program that JAX exported with symbolic shapes states what it needs of them. Operand 0 says
// whether it is so, the others are the numbers {0}, {1}, ... of the message.
Status ConvertShapeAssertion(const Site& site) {
  AXLE_ASSIGN(const Dims holds, KnownOperand(site, 0));
  if (holds.size() != 1) return site.Error("a shape assertion takes one predicate");
  if (holds[0] != 0) return {};
  AXLE_ASSIGN(std::string message, site.String("error_message", "a shape assertion does not hold"));
  for (size_t i = 1; i < site.num_operands(); ++i) {
    const std::string place = StrCat("{", i - 1, "}");
    const std::optional<Dims> value = site.KnownInts(i);
    const std::string text = value && value->size() == 1 ? StrCat((*value)[0]) : "?";
    for (size_t at = message.find(place); at != message.npos; at = message.find(place, at)) {
      message.replace(at, place.size(), text);
      at += text.size();
    }
  }
  return site.Error(message);
}

namespace {

// reduce_window whose window is in the last five operands.
Status ConvertDynamicReduceWindow(const Site& site) {
  constexpr size_t kNumWindowOperands = 5;
  const size_t count = site.num_operands();
  if (count <= kNumWindowOperands || (count - kNumWindowOperands) % 2 != 0) {
    return site.Error("takes inputs, as many initial values, and five operands for the window");
  }
  const size_t first = count - kNumWindowOperands;
  Dims parts[kNumWindowOperands];
  for (size_t i = 0; i < kNumWindowOperands; ++i) {
    AXLE_ASSIGN(parts[i], KnownOperand(site, first + i));
  }
  const size_t rank = parts[0].size();
  for (size_t i = 0; i < kNumWindowOperands; ++i) {
    if (parts[i].size() == (i + 1 == kNumWindowOperands ? 2 * rank : rank)) continue;
    return site.Error(StrCat("operand ", first + i, " does not fit a window of rank ", rank));
  }
  Window window(rank);
  for (size_t d = 0; d < rank; ++d) {
    window[d] = {.size = parts[0][d],
                 .stride = parts[1][d],
                 .pad_low = parts[4][2 * d],
                 .pad_high = parts[4][2 * d + 1],
                 .base_dilation = parts[2][d],
                 .window_dilation = parts[3][d]};
  }
  const mlir::Attribute* called = site.Find("called_computations");
  if (called == nullptr || called->elements.size() != 1) return site.Error("calls one computation");
  AXLE_ASSIGN(HloComputation* const body,
              site.converter().Function(site, called->elements[0]->text, {}));
  return site.ReturnAll(site.Add(Opcode::kReduceWindow, site.operands(0, first),
                                 WindowAttrs{std::move(window)}, {body}));
}

Status ConvertDynamicTopK(const Site& site) {
  AXLE_ASSIGN(const Dims k, KnownOperand(site, 1));
  if (k.size() != 1) return site.Error("k is one number");
  return site.ReturnAll(site.Add(Opcode::kTopk, site.operands(0, 1), TopkAttrs{.k = k[0]}));
}

Status ConvertDynamicRngBitGenerator(const Site& site) {
  AXLE_ASSIGN(const size_t algorithm, site.Enum("rng_algorithm", "rng_algorithm"));
  AXLE_ASSIGN(Dims sizes, KnownOperand(site, 1));
  const Shape bits(mlir::ElementOf(site.result_type(1)), std::move(sizes));
  const Shape shape = Shape::Tuple({site.operand(0)->shape().WithoutLayout(), bits});
  return site.ReturnAll(site.Add(Opcode::kRngBitGenerator, site.operands(0, 1),
                                 RngBitGeneratorAttrs{static_cast<RandomAlgorithm>(algorithm)}, {},
                                 shape));
}

struct DynamicCall {
  std::string_view target;
  ConvertFn convert;
};
constexpr DynamicCall kDynamicCalls[] = {
    {"shape_assertion", ConvertShapeAssertion},
    {"stablehlo.dynamic_reduce_window", ConvertDynamicReduceWindow},
    {"stablehlo.dynamic_rng_bit_generator", ConvertDynamicRngBitGenerator},
    {"stablehlo.dynamic_top_k", ConvertDynamicTopK},
};

}  // namespace

ConvertFn FindDynamicCall(std::string_view target) {
  for (const DynamicCall& call : kDynamicCalls) {
    if (call.target == target) return call.convert;
  }
  return nullptr;
}

// The shapes of the results of a custom call: those of the types, or, where these leave sizes open,
// the numbers in the operand that indices_of_shape_operands names.
StatusOr<std::vector<Shape>> ResultShapesOfCall(const Site& site) {
  std::vector<Shape> shapes;
  AXLE_ASSIGN(const Dims places, site.Ints("indices_of_shape_operands", {}));
  for (size_t i = 0; i < site.op().results.size(); ++i) {
    if (i >= places.size()) {
      AXLE_ASSIGN(Shape shape, site.ResultShape(i));
      shapes.push_back(std::move(shape));
      continue;
    }
    if (places[i] < 0 || places[i] >= static_cast<i64>(site.num_operands())) {
      return site.Error(
          StrCat("indices_of_shape_operands has ", places[i], ", which is not an operand"));
    }
    AXLE_ASSIGN(Dims sizes, KnownOperand(site, static_cast<size_t>(places[i])));
    shapes.emplace_back(mlir::ElementOf(site.result_type(i)), std::move(sizes));
    AXLE_TRY(CheckShape(shapes.back()));
  }
  return shapes;
}

}  // namespace axle::stablehlo
