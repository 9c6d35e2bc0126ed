// Operations on one element of each operand at a time, and those that make elements of nothing.
#include <algorithm>
#include <bit>

#include "axle/core/number_text.h"
#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/stablehlo/conversions.h"

namespace axle::stablehlo {
namespace {

// HLO's operation of that name: stablehlo.log_plus_one is log-plus-one.
Opcode SameName(const Site& site) {
  std::string name = site.name().substr(site.name().find('.') + 1);
  std::ranges::replace(name, '_', '-');
  return FindOpDef(name)->opcode;
}

// The text of result_accuracy in HLO; "" if it asks for nothing.
StatusOr<std::string> ResultAccuracy(const Site& site) {
  const mlir::Attribute* accuracy = site.Find("result_accuracy");
  if (accuracy == nullptr || accuracy->kind != mlir::AttributeKind::kStruct) return std::string();
  const mlir::Attribute* mode = accuracy->Field("mode");
  if (mode == nullptr) return std::string();
  const std::string_view name = mode->text;
  if (name == "HIGHEST") return std::string("{mode=highest}");
  if (name != "TOLERANCE") return std::string();
  const auto number = [&](std::string_view field) -> double {
    const mlir::Attribute* value = accuracy->Field(field);
    if (value == nullptr) return 0;
    return value->kind == mlir::AttributeKind::kFloat ? value->number
                                                      : static_cast<double>(value->integer);
  };
  const auto text = [&](std::string_view field) {
    std::string out;
    AppendFloat(Info(F64), std::bit_cast<std::uint64_t>(number(field)), out);
    return out;
  };
  return StrCat("{tolerance={atol=", text("atol"), ",rtol=", text("rtol"),
                ",ulps=", static_cast<i64>(number("ulps")), "}}");
}

}  // namespace

Status ConvertSameName(const Site& site) {
  AXLE_ASSIGN(const std::string accuracy, ResultAccuracy(site));
  AXLE_ASSIGN(Instruction* const result, site.Add(SameName(site), site.operands()));
  if (!accuracy.empty()) {
    site.frame().computation->MutableExtras(result).result_accuracy = accuracy;
  }
  return site.Return(result);
}

Status ConvertDeclared(const Site& site) {
  AXLE_ASSIGN(const Shape shape, site.ResultShape());
  return site.Return(site.Add(SameName(site), site.operands(), AttrBlock{}, {}, shape));
}

Status ConvertConstant(const Site& site) {
  const mlir::Attribute* value = site.Find("value");
  if (value == nullptr || value->kind != mlir::AttributeKind::kElements) {
    return site.Error("attribute \"value\" is a list of elements");
  }
  AXLE_ASSIGN(const Shape shape, site.ResultShape());
  if (value->literal == nullptr) {
    // Its elements were left out where the program was printed; whoever needs them says so.
    AXLE_ASSIGN(Literal zeros, Literal::Create(shape));
    AXLE_ASSIGN(Instruction* const constant, site.Constant(std::move(zeros)));
    InstructionExtras& extras = site.frame().computation->MutableExtras(constant);
    extras.is_elided = true;
    extras.elided_place = site.Error(ElidedText(constant->name())).message();
    return site.Return(constant);
  }
  // One value for all elements stays one number and a broadcast.
  if (value->is_splat && shape.rank() > 0 && shape.is_static()) {
    AXLE_ASSIGN(Instruction* const scalar, site.Constant(*value->literal));
    return site.Return(site.Broadcast(scalar, shape.dims(), {}));
  }
  AXLE_ASSIGN(Literal full, mlir::FullLiteral(*value));
  return site.Return(site.Constant(std::move(full)));
}

Status ConvertIota(const Site& site) {
  AXLE_ASSIGN(const i64 dimension, site.Int("iota_dimension"));
  AXLE_ASSIGN(const Shape shape, site.ResultShape());
  return site.Return(site.Add(Opcode::kIota, {}, IotaAttrs{dimension}, {}, shape));
}

Status ConvertBroadcastInDim(const Site& site) {
  AXLE_ASSIGN(const Dims dimensions, site.Ints("broadcast_dimensions"));
  AXLE_ASSIGN(const Shape shape, site.ResultShape());
  return site.Return(site.Broadcast(site.operand(0), shape.dims(), dimensions));
}

Status ConvertBroadcast(const Site& site) {
  AXLE_ASSIGN(const Dims sizes, site.Ints("broadcast_sizes"));
  const Shape& operand = site.operand(0)->shape();
  Dims dims = sizes, mapping;
  for (i64 d = 0; d < operand.rank(); ++d) {
    mapping.push_back(static_cast<i64>(dims.size()));
    dims.push_back(operand.dim(d));
  }
  return site.Return(site.Broadcast(site.operand(0), dims, mapping));
}

Status ConvertClamp(const Site& site) {
  Instructions operands = site.operands();
  const Shape& shape = operands[1]->shape();
  for (const size_t bound : {0, 2}) {
    if (operands[bound]->shape().rank() != 0 || shape.rank() == 0) continue;
    AXLE_ASSIGN(operands[bound], site.Broadcast(operands[bound], shape.dims(), {}));
  }
  return site.Return(site.Add(Opcode::kClamp, operands));
}

Status ConvertSelect(const Site& site) {
  Instructions operands = site.operands();
  const Shape& shape = operands[1]->shape();
  if (operands[0]->shape().rank() == 0 && shape.rank() != 0) {
    AXLE_ASSIGN(operands[0], site.Broadcast(operands[0], shape.dims(), {}));
  }
  return site.Return(site.Add(Opcode::kSelect, operands));
}

Status ConvertCompare(const Site& site) {
  constexpr ComparisonDirection kDirections[] = {
      ComparisonDirection::kEq, ComparisonDirection::kNe, ComparisonDirection::kGe,
      ComparisonDirection::kGt, ComparisonDirection::kLe, ComparisonDirection::kLt};
  constexpr ComparisonType kTypes[] = {ComparisonType::kDefault, ComparisonType::kFloat,
                                       ComparisonType::kTotalOrder, ComparisonType::kSigned,
                                       ComparisonType::kUnsigned};
  AXLE_ASSIGN(const size_t direction, site.Enum("comparison_direction", "comparison_direction"));
  AXLE_ASSIGN(const size_t type, site.Enum("compare_type", "comparison_type", 0));
  const ElementType element = site.operand(0)->shape().type();
  const bool is_float = IsFloating(element) || IsComplex(element);
  const auto wrong = [&](std::string_view what) {
    return site.Error(StrCat("compare_type of ", site.operand_type(0).ToString(), " is ", what));
  };
  switch (kTypes[type]) {
    case ComparisonType::kDefault:
      break;
    case ComparisonType::kFloat:
      if (!is_float) return wrong("not FLOAT");
      break;
    case ComparisonType::kTotalOrder:
      if (!IsFloating(element)) return wrong("not TOTALORDER");
      break;
    case ComparisonType::kSigned:
      if (!IsSigned(element)) return wrong("not SIGNED");
      break;
    case ComparisonType::kUnsigned:
      if (!IsUnsigned(element) && element != PRED) return wrong("not UNSIGNED");
      break;
  }
  // What the type implies is the default.
  const bool is_default = kTypes[type] != ComparisonType::kTotalOrder;
  return site.Return(site.Add(
      Opcode::kCompare, site.operands(),
      CompareAttrs{kDirections[direction], is_default ? ComparisonType::kDefault : kTypes[type]}));
}

Status ConvertConvert(const Site& site) {
  Instruction* operand = site.operand(0);
  const Shape shape =
      operand->shape().WithoutLayout().WithType(mlir::ElementOf(site.result_type()));
  // Of a complex number the real part is converted.
  if (IsComplex(operand->shape().type()) && !IsComplex(shape.type())) {
    AXLE_ASSIGN(operand, site.Add(Opcode::kReal, {operand}));
  }
  return site.Return(site.Add(Opcode::kConvert, {operand}, AttrBlock{}, {}, shape));
}

// Complex numbers are ordered by their real parts, equal ones by their imaginary parts.
Status ConvertMinMax(const Site& site) {
  Instructions operands = site.operands();
  if (!IsComplex(operands[0]->shape().type())) return ConvertSameName(site);
  const bool is_max = site.name().ends_with("maximum");
  Instructions real, imag;
  for (Instruction* operand : operands) {
    AXLE_ASSIGN(Instruction* const re, site.Add(Opcode::kReal, {operand}));
    AXLE_ASSIGN(Instruction* const im, site.Add(Opcode::kImag, {operand}));
    real.push_back(re);
    imag.push_back(im);
  }
  const auto compare = [&](ComparisonDirection direction, const Instructions& parts) {
    return site.Add(Opcode::kCompare, parts, CompareAttrs{direction});
  };
  const auto direction = is_max ? ComparisonDirection::kGt : ComparisonDirection::kLt;
  AXLE_ASSIGN(Instruction* const before, compare(direction, real));
  AXLE_ASSIGN(Instruction* const same, compare(ComparisonDirection::kEq, real));
  AXLE_ASSIGN(Instruction* const before_by_imag, compare(direction, imag));
  AXLE_ASSIGN(Instruction* const both, site.Add(Opcode::kAnd, {same, before_by_imag}));
  AXLE_ASSIGN(Instruction* const first, site.Add(Opcode::kOr, {before, both}));
  return site.Return(site.Add(Opcode::kSelect, {first, operands[0], operands[1]}));
}

// One bit of an i1 counts as one bit, as those of HLO's pred do not: numbers are taken apart into
// bits or put together from them by shifts. The lowest bit comes first.
Status ConvertBitcastConvert(const Site& site) {
  Instruction* operand = site.operand(0);
  const ElementType from = operand->shape().type(), to = mlir::ElementOf(site.result_type());
  if ((from == PRED) == (to == PRED)) return ConvertDeclared(site);
  const ElementType number = from == PRED ? to : from;
  const int bits = Info(number).bits;
  const ElementType word = bits == 8 ? U8 : bits == 16 ? U16 : bits == 32 ? U32 : U64;
  if (bits != Info(word).bits) {
    return site.Error(StrCat("bits of ", site.result_type().ToString(), " and ",
                             site.operand_type(0).ToString(), " are not counted yet"),
                      StatusCode::kUnimplemented);
  }
  const Dims dims = from == PRED ? operand->shape().dims() : [&] {
    Dims wide = operand->shape().dims();
    wide.push_back(bits);
    return wide;
  }();
  if (dims.empty() || dims.back() != bits) {
    return site.Error(
        StrCat("the last dimension of ", site.operand_type(0).ToString(), " is not ", bits));
  }
  const auto last = static_cast<i64>(dims.size()) - 1;
  AXLE_ASSIGN(Instruction* const places,
              site.Add(Opcode::kIota, {}, IotaAttrs{last}, {}, Shape(word, dims)));
  if (from != PRED) {
    AXLE_ASSIGN(Instruction* const as_word,
                site.Add(Opcode::kBitcastConvert, {operand}, AttrBlock{}, {},
                         operand->shape().WithoutLayout().WithType(word)));
    Dims mapping;
    for (i64 d = 0; d < last; ++d) mapping.push_back(d);
    AXLE_ASSIGN(Instruction* const all, site.Broadcast(as_word, dims, mapping));
    AXLE_ASSIGN(Instruction* const shifted, site.Add(Opcode::kShiftRightLogical, {all, places}));
    AXLE_ASSIGN(Instruction* const one, site.Scalar<std::uint64_t>(U64, 1));
    AXLE_ASSIGN(Instruction* const unit, site.Convert(one, word));
    AXLE_ASSIGN(Instruction* const ones, site.Broadcast(unit, dims, {}));
    AXLE_ASSIGN(Instruction* const low, site.Add(Opcode::kAnd, {shifted, ones}));
    return site.Return(site.Convert(low, PRED));
  }
  AXLE_ASSIGN(Instruction* const zeros_and_ones, site.Convert(operand, word));
  AXLE_ASSIGN(Instruction* const shifted, site.Add(Opcode::kShiftLeft, {zeros_and_ones, places}));
  AXLE_ASSIGN(HloComputation* const either,
              site.converter().Combiner(site, Opcode::kOr, Shape(word)));
  AXLE_ASSIGN(Literal zero, Literal::Create(Shape(word)));
  AXLE_ASSIGN(Instruction* const none, site.Constant(std::move(zero)));
  AXLE_ASSIGN(Instruction* const words,
              site.Add(Opcode::kReduce, {shifted, none}, DimensionsAttrs{{last}}, {either}));
  if (word == to) return site.Return(words);
  return site.Return(
      site.Add(Opcode::kBitcastConvert, {words}, AttrBlock{}, {}, words->shape().WithType(to)));
}

Status ConvertReducePrecision(const Site& site) {
  AXLE_ASSIGN(const i64 exponent_bits, site.Int("exponent_bits"));
  AXLE_ASSIGN(const i64 mantissa_bits, site.Int("mantissa_bits"));
  return site.Return(site.Add(Opcode::kReducePrecision, site.operands(),
                              ReducePrecisionAttrs{exponent_bits, mantissa_bits}));
}

}  // namespace axle::stablehlo
