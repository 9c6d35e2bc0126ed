// What conversions ask of an operation and add to a computation.
#include <algorithm>

#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/stablehlo/converter.h"

namespace axle::stablehlo {
namespace {

Status Absent(const Site& site, std::string_view name) {
  return site.Error(StrCat("attribute \"", name, "\" is missing"));
}

Status WrongKind(const Site& site, std::string_view name, const mlir::Attribute& attribute,
                 std::string_view wanted) {
  return site.Error(StrCat("attribute \"", name, "\" is ", attribute.KindText(), ", not ", wanted));
}

// Whether a value may be that of a type, whose open sizes may be any.
bool Fits(const Shape& shape, const mlir::Type& type) {
  if (const std::optional<Shape> declared = mlir::ShapeOf(type); declared) {
    return Compatible(shape, *declared);
  }
  if (type.kind == mlir::TypeKind::kUnranked) return shape.type() == mlir::ElementOf(type);
  if (!type.is_tensor() || !shape.is_array() || shape.type() != mlir::ElementOf(type) ||
      shape.rank() != static_cast<i64>(type.dims.size())) {
    return false;
  }
  for (size_t d = 0; d < type.dims.size(); ++d) {
    if (type.dims[d] != mlir::kDynamic && type.dims[d] != shape.dim(static_cast<i64>(d))) {
      return false;
    }
  }
  return true;
}

}  // namespace

Site Site::Renamed(std::string name, std::optional<Instructions> operands,
                   const mlir::Attribute* attributes) const {
  Site other = *this;
  other.name_ = std::move(name);
  if (operands) other.operands_ = std::move(operands);
  if (attributes != nullptr) other.attributes_ = attributes;
  return other;
}

Site Site::Expressed(Instructions operands, std::vector<const mlir::Type*> types) const {
  Site other = *this;
  other.operands_ = std::move(operands);
  other.result_types_ = std::move(types);
  return other;
}

Instruction* Site::operand(size_t i) const {
  if (operands_) return (*operands_)[i];
  return converter_.Find(frame_, *op_.operands[i]);
}

Instructions Site::operands(size_t begin, size_t end) const {
  Instructions result;
  for (size_t i = begin; i < end; ++i) result.push_back(operand(i));
  return result;
}

StatusOr<Shape> Site::ResultShape(size_t i) const {
  const std::optional<Shape> shape = mlir::ShapeOf(result_type(i));
  if (!shape) {
    return Error(StrCat("the type ", result_type(i).ToString(),
                        " leaves sizes open; give the shapes of the arguments"));
  }
  AXLE_TRY(CheckShape(*shape));
  return *shape;
}

StatusOr<Shape> Site::TupleOfResults() const {
  if (op_.results.size() == 1) return ResultShape(0);
  std::vector<Shape> elements;
  for (size_t i = 0; i < op_.results.size(); ++i) {
    AXLE_ASSIGN(Shape element, ResultShape(i));
    elements.push_back(std::move(element));
  }
  return Shape::Tuple(std::move(elements));
}

StatusOr<Dims> Site::Ints(std::string_view name) const {
  const mlir::Attribute* attribute = Find(name);
  if (attribute == nullptr) return Absent(*this, name);
  std::optional<Dims> values = mlir::Ints(*attribute);
  if (!values) return WrongKind(*this, name, *attribute, "a list of integers");
  return std::move(*values);
}

StatusOr<Dims> Site::Ints(std::string_view name, Dims fallback) const {
  if (Find(name) == nullptr) return fallback;
  return Ints(name);
}

StatusOr<Dims> Site::WindowInts(std::string_view name, size_t n, i64 value) const {
  AXLE_ASSIGN(Dims values, Ints(name, {}));
  if (values.empty()) values.assign(n, value);
  return values;
}

StatusOr<i64> Site::Int(std::string_view name) const {
  const mlir::Attribute* attribute = Find(name);
  if (attribute == nullptr) return Absent(*this, name);
  const std::optional<i64> value = mlir::Int(*attribute);
  if (!value) return WrongKind(*this, name, *attribute, "an integer");
  return *value;
}

StatusOr<i64> Site::Int(std::string_view name, i64 fallback) const {
  if (Find(name) == nullptr) return fallback;
  return Int(name);
}

StatusOr<bool> Site::Bool(std::string_view name, bool fallback) const {
  const mlir::Attribute* attribute = Find(name);
  if (attribute == nullptr) return fallback;
  if (attribute->kind == mlir::AttributeKind::kUnit) return true;
  const std::optional<i64> value = mlir::Int(*attribute);
  if (!value) return WrongKind(*this, name, *attribute, "a boolean");
  return *value != 0;
}

StatusOr<std::string> Site::String(std::string_view name) const {
  const mlir::Attribute* attribute = Find(name);
  if (attribute == nullptr) return Absent(*this, name);
  if (attribute->kind != mlir::AttributeKind::kString &&
      attribute->kind != mlir::AttributeKind::kSymbol) {
    return WrongKind(*this, name, *attribute, "a string");
  }
  return std::string(attribute->text);
}

StatusOr<std::string> Site::String(std::string_view name, std::string_view fallback) const {
  if (Find(name) == nullptr) return std::string(fallback);
  return String(name);
}

StatusOr<size_t> Site::Enum(std::string_view name, std::string_view mnemonic) const {
  const mlir::Attribute* attribute = Find(name);
  if (attribute == nullptr) return Absent(*this, name);
  const std::span<const std::string_view> values = mlir::EnumValues(mnemonic);
  if (attribute->kind == mlir::AttributeKind::kEnum ||
      attribute->kind == mlir::AttributeKind::kString) {
    const auto* const found = std::ranges::find(values, attribute->text).base();
    if (found != values.data() + values.size()) return static_cast<size_t>(found - values.data());
    return Error(StrCat("attribute \"", name, "\": there is no ", mnemonic, " ", attribute->text));
  }
  // api_version is a number in text.
  const std::optional<i64> number = mlir::Int(*attribute);
  if (!number) return WrongKind(*this, name, *attribute, StrCat("a ", mnemonic));
  if (*number < 0 || *number >= static_cast<i64>(values.size())) {
    return Error(StrCat("attribute \"", name, "\": there is no ", mnemonic, " ", *number));
  }
  return static_cast<size_t>(*number);
}

StatusOr<size_t> Site::Enum(std::string_view name, std::string_view mnemonic,
                            size_t fallback) const {
  if (Find(name) == nullptr) return fallback;
  return Enum(name, mnemonic);
}

StatusOr<std::vector<std::pair<i64, i64>>> Site::Pairs(std::string_view name, i64 fallback) const {
  std::vector<std::pair<i64, i64>> pairs;
  if (Find(name) == nullptr) {
    if (fallback < 0) return Absent(*this, name);
    pairs.resize(static_cast<size_t>(fallback));
    return pairs;
  }
  AXLE_ASSIGN(const Dims numbers, Ints(name));
  if (numbers.size() % 2 != 0) return Error(StrCat("attribute \"", name, "\" is not n x 2"));
  for (size_t i = 0; i < numbers.size(); i += 2) pairs.emplace_back(numbers[i], numbers[i + 1]);
  if (pairs.empty() && fallback > 0) pairs.resize(static_cast<size_t>(fallback));
  return pairs;
}

StatusOr<Instruction*> Site::Add(Opcode opcode, const Instructions& operands, AttrBlock attrs,
                                 const std::vector<HloComputation*>& callees,
                                 const Shape& declared) const {
  const OpDef& def = GetOpDef(opcode);
  if (attrs.values == nullptr) attrs = {def.attrs, def.attrs.create()};
  const std::string name = converter_.UnusedName(def.text);
  return converter_.AddInstruction(*this,
                                   {.opcode = opcode,
                                    .name = name,
                                    .shape = declared,
                                    .operands = operands,
                                    .callees = callees,
                                    .attrs = std::move(attrs),
                                    .metadata = converter_.locations().MetadataOf(*op_.location)});
}

StatusOr<Instruction*> Site::AddOfResultType(Opcode opcode, const Instructions& operands,
                                             AttrBlock attrs) const {
  const ElementType type = mlir::ElementOf(result_type());
  AXLE_ASSIGN(Instruction* const implied, Add(opcode, operands, attrs));
  if (implied->shape().type() == type) return implied;
  const Shape shape = implied->shape().WithType(type);
  frame_.known.erase(implied);
  frame_.computation->RemoveLast();
  return Add(opcode, operands, std::move(attrs), {}, shape);
}

std::optional<Dims> Site::KnownInts(size_t i) const {
  const auto known = frame_.known.find(operand(i));
  if (known == frame_.known.end()) {
    // In a program without open sizes a constant is one still.
    const mlir::Operation* definition = op_.operands[i]->definition;
    if (definition == nullptr || definition->name != "stablehlo.constant") return std::nullopt;
    const mlir::Attribute* value = definition->Find("value");
    return value == nullptr ? std::nullopt : mlir::Ints(*value);
  }
  mlir::Attribute elements;
  elements.kind = mlir::AttributeKind::kElements;
  elements.literal = &known->second;
  return mlir::Ints(elements);
}

StatusOr<Instruction*> Site::Constant(Literal literal) const {
  const Shape shape = literal.shape();
  return Add(Opcode::kConstant, {}, ConstantAttrs{std::move(literal)}, {}, shape);
}

StatusOr<Instruction*> Site::Tuple(const Instructions& elements) const {
  return Add(Opcode::kTuple, elements);
}

StatusOr<Instruction*> Site::Element(Instruction* tuple, i64 index) const {
  return Add(Opcode::kGetTupleElement, {tuple}, TupleIndexAttrs{index});
}

StatusOr<Instruction*> Site::Reshape(Instruction* operand, const Dims& dims) const {
  if (operand->shape().dims() == dims) return operand;
  return Add(Opcode::kReshape, {operand}, ReshapeAttrs{}, {}, Shape(operand->shape().type(), dims));
}

StatusOr<Instruction*> Site::Broadcast(Instruction* operand, const Dims& dims,
                                       const Dims& mapping) const {
  const Shape& shape = operand->shape();
  if (static_cast<i64>(mapping.size()) != shape.rank()) {
    return Error(
        StrCat(mapping.size(), " dimensions are given for an operand of rank ", shape.rank()));
  }
  Dims kept, kept_mapping;
  for (size_t i = 0; i < mapping.size(); ++i) {
    const i64 to = mapping[i];
    if (to < 0 || to >= static_cast<i64>(dims.size())) {
      return Error(StrCat("dimension ", to, " is not one of the result"));
    }
    const i64 size = shape.dim(static_cast<i64>(i));
    if (size == 1 && dims[static_cast<size_t>(to)] != 1) continue;
    kept.push_back(size);
    kept_mapping.push_back(to);
  }
  if (kept.size() != mapping.size()) {
    AXLE_ASSIGN(operand, Reshape(operand, kept));
  }
  Shape result(shape.type(), dims);
  for (size_t i = 0; i < kept_mapping.size(); ++i) {
    if (operand->shape().is_dynamic(static_cast<i64>(i))) result.set_dynamic(kept_mapping[i], true);
  }
  return Add(Opcode::kBroadcast, {operand}, DimensionsAttrs{kept_mapping}, {}, result);
}

StatusOr<Instruction*> Site::Convert(Instruction* operand, ElementType type) const {
  if (operand->shape().type() == type) return operand;
  return Add(Opcode::kConvert, {operand}, NoAttrs{}, {}, operand->shape().WithType(type));
}

Status Site::Return(StatusOr<Instruction*> result, size_t index) const {
  if (!result.ok()) return result.status();
  if (!Fits((*result)->shape(), result_type(index))) {
    return Error(StrCat("the result is ", (*result)->shape().ToString(), ", not of the type ",
                        result_type(index).ToString()));
  }
  frame_.values[&op_.results[index]] = *result;
  return {};
}

Status Site::ReturnAll(StatusOr<Instruction*> result) const {
  if (op_.results.size() == 1) return Return(std::move(result));
  if (!result.ok()) return result.status();
  const i64 count = (*result)->shape().num_tuple_elements();
  if (!(*result)->shape().is_tuple() || count != static_cast<i64>(op_.results.size())) {
    return Error(StrCat("the operation has ", op_.results.size(), " results, not ",
                        (*result)->shape().ToString()));
  }
  for (i64 i = 0; i < count; ++i) {
    AXLE_TRY(Return(Element(*result, i), static_cast<size_t>(i)));
  }
  return {};
}

Status Site::Error(std::string_view what, StatusCode code) const {
  return converter_.ErrorAt(op_, StrCat(name_, ": ", what), code);
}

}  // namespace axle::stablehlo
