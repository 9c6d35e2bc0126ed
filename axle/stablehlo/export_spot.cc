// What rows of the export ask of an instruction and append to a block.
#include <algorithm>
#include <cstring>

#include "axle/core/strings.h"
#include "axle/stablehlo/exporter.h"

namespace axle::stablehlo {

using mlir::AttributeKind;
using mlir::MlirModule;

const mlir::Attribute* MakeInt(MlirModule& tree, i64 value, ElementType type) {
  return tree.NewAttribute(
      {.kind = AttributeKind::kInteger, .type = tree.Element(type), .integer = value});
}

const mlir::Attribute* MakeInts(MlirModule& tree, const Dims& values) {
  const Dims dims{static_cast<i64>(values.size())};
  return tree.NewAttribute({.kind = AttributeKind::kElements,
                            .type = tree.Tensor(dims, tree.Element(S64)),
                            .mnemonic = "array",
                            .literal = tree.Keep(Literal::Array<i64>(S64, dims, values))});
}

const mlir::Attribute* MakeBool(MlirModule& tree, bool value) {
  return tree.NewAttribute({.kind = AttributeKind::kBool, .integer = value ? 1 : 0});
}

const mlir::Attribute* MakeString(MlirModule& tree, std::string_view text) {
  return tree.NewAttribute({.kind = AttributeKind::kString, .text = tree.Text(text)});
}

const mlir::Attribute* MakeSymbol(MlirModule& tree, std::string_view name) {
  return tree.NewAttribute({.kind = AttributeKind::kSymbol, .text = tree.Text(name)});
}

const mlir::Attribute* MakeType(MlirModule& tree, const mlir::Type* type) {
  return tree.NewAttribute({.kind = AttributeKind::kType, .type = type});
}

const mlir::Attribute* MakeEnum(MlirModule& tree, std::string_view mnemonic,
                                std::string_view text) {
  return tree.NewAttribute(
      {.kind = AttributeKind::kEnum, .text = text, .mnemonic = tree.Text(mnemonic)});
}

const mlir::Attribute* MakeArray(MlirModule& tree,
                                 const std::vector<const mlir::Attribute*>& elements) {
  return tree.NewAttribute({.kind = AttributeKind::kArray, .elements = tree.Copy(elements)});
}

const mlir::Attribute* MakeDictionary(MlirModule& tree, std::vector<mlir::NamedAttribute> fields) {
  std::ranges::sort(fields, {}, &mlir::NamedAttribute::name);
  return tree.NewAttribute({.kind = AttributeKind::kDictionary, .fields = tree.Copy(fields)});
}

const mlir::Attribute* MakeElements(MlirModule& tree, const Literal& literal) {
  Literal plain = literal.ToRowMajor();
  const mlir::Type* type = mlir::TypeOf(plain.shape().WithoutLayout(), tree);
  plain.OwnStorage();
  const auto size = static_cast<size_t>(Info(plain.shape().type()).bytes);
  const i64 count = plain.num_elements();
  // All elements are the first one if each is the one before it.
  const std::byte* bytes = plain.bytes();
  const bool is_splat =
      plain.shape().rank() > 0 && count > 0 &&
      std::memcmp(bytes, bytes + size, size * static_cast<size_t>(count - 1)) == 0;
  if (is_splat) {
    Literal scalar{Shape(plain.shape().type())};
    std::memcpy(scalar.mutable_bytes(), bytes, size);
    plain = std::move(scalar);
  }
  return tree.NewAttribute({.kind = AttributeKind::kElements,
                            .type = type,
                            .literal = tree.Keep(std::move(plain)),
                            .is_splat = is_splat});
}

Attributes& Attributes::Add(std::string_view name, const mlir::Attribute* value) {
  if (value != nullptr) entries_.push_back({tree_.Text(name), value});
  return *this;
}

Attributes& Attributes::Int(std::string_view name, i64 value) {
  return Add(name, MakeInt(tree_, value));
}

Attributes& Attributes::Ints(std::string_view name, const Dims& values) {
  return Add(name, MakeInts(tree_, values));
}

Attributes& Attributes::Bools(std::string_view name, const std::vector<bool>& values) {
  const Dims dims{static_cast<i64>(values.size())};
  Literal literal{Shape(PRED, dims)};
  const std::span<bool> elements = literal.mutable_data<bool>();
  for (size_t i = 0; i < values.size(); ++i) elements[i] = values[i];
  return Add(name, tree_.NewAttribute({.kind = AttributeKind::kElements,
                                       .type = tree_.Tensor(dims, tree_.Element(PRED)),
                                       .mnemonic = "array",
                                       .literal = tree_.Keep(std::move(literal))}));
}

Attributes& Attributes::Bool(std::string_view name, bool value) {
  return Add(name, MakeBool(tree_, value));
}

Attributes& Attributes::UnitIf(std::string_view name, bool value) {
  return value ? Bool(name, true) : *this;
}

Attributes& Attributes::String(std::string_view name, std::string_view value) {
  return Add(name, MakeString(tree_, value));
}

Attributes& Attributes::Enum(std::string_view name, std::string_view mnemonic, size_t number) {
  return Add(name, MakeEnum(tree_, mnemonic, mlir::EnumValues(mnemonic)[number]));
}

Attributes& Attributes::Matrix(std::string_view name, i64 rows, i64 columns, const Dims& values) {
  return Add(name, MakeElements(tree_, Literal::Array<i64>(S64, {rows, columns}, values)));
}

std::span<mlir::NamedAttribute> Attributes::Take() {
  std::ranges::sort(entries_, {}, &mlir::NamedAttribute::name);
  return tree_.Copy(std::exchange(entries_, {}));
}

MlirModule& Spot::tree() const {
  return exporter_.tree();
}

mlir::Value* Spot::operand(i64 i) const {
  return exporter_.ValueOf(bundle(i), block_, exporter_.locations().Of(inst_));
}

Values Spot::operands(i64 begin, i64 end) const {
  Values result;
  for (i64 i = begin; i < end; ++i) result.push_back(operand(i));
  return result;
}

mlir::Operation* Spot::Add(std::string_view name, const Values& operands, const Types& results,
                           Attributes&& attributes, size_t num_regions) const {
  return exporter_.Append(block_, name, operands, results, attributes.Take(), num_regions,
                          exporter_.locations().Of(inst_));
}

mlir::Value* Spot::AddValue(std::string_view name, const Values& operands, const Shape& shape,
                            Attributes&& attributes) const {
  return &Add(name, operands, {exporter_.TypeOf(shape)}, std::move(attributes))->results[0];
}

Bundle* Spot::AddResult(std::string_view name, const Values& operands,
                        Attributes&& attributes) const {
  return ResultsAs(inst_.shape(),
                   *Add(name, operands, TypesOf(inst_.shape()), std::move(attributes)));
}

Types Spot::TypesOf(const Shape& shape) const {
  if (!shape.is_tuple()) return {exporter_.TypeOf(shape)};
  Types types;
  for (const Shape& element : shape.elements()) types.push_back(exporter_.TypeOf(element));
  return types;
}

Bundle* Spot::ResultsAs(const Shape& shape, const mlir::Operation& op) const {
  const std::span<mlir::Value> results = op.results;
  if (!shape.is_tuple()) return Wrap(&results[0], shape);
  std::vector<Bundle*> elements;
  for (size_t i = 0; i < results.size(); ++i) {
    elements.push_back(Wrap(&results[i], shape.element(static_cast<i64>(i))));
  }
  return exporter_.NewList(shape, std::move(elements));
}

Bundle* Spot::Wrap(mlir::Value* value, const Shape& shape) const {
  return exporter_.NewBundle({.shape = &shape, .value = value});
}

mlir::Value* Spot::Reshape(mlir::Value* value, const Shape& shape) const {
  const mlir::Type* type = exporter_.TypeOf(shape);
  return value->type == type ? value : AddValue("stablehlo.reshape", {value}, shape);
}

mlir::Value* Spot::Transpose(mlir::Value* value, const Shape& shape,
                             const Dims& permutation) const {
  if (std::ranges::is_sorted(permutation)) return value;
  Attributes numbers = attributes();
  numbers.Ints("permutation", permutation);
  return AddValue("stablehlo.transpose", {value}, shape, std::move(numbers));
}

Status Spot::AddBody(mlir::Operation& op, size_t region, const HloComputation& callee) const {
  Types types;
  for (const Instruction* parameter : callee.parameters()) {
    exporter_.AppendLeafTypes(parameter->shape(), types);
  }
  mlir::Block* block = tree().NewBlock(op.regions[region], types.size());
  Values leaves;
  for (size_t i = 0; i < types.size(); ++i) {
    block->arguments[i].type = types[i];
    leaves.push_back(&block->arguments[i]);
  }
  std::vector<Bundle*> arguments;
  size_t next = 0;
  for (const Instruction* parameter : callee.parameters()) {
    const size_t first = next;
    arguments.push_back(exporter_.FromLeaves(parameter->shape(), leaves, next));
    const mlir::Location* location = exporter_.locations().OfParameter(*parameter);
    for (size_t i = first; i < next; ++i) block->arguments[i].location = location;
  }
  const mlir::Location* location = exporter_.locations().Of(inst_);
  AXLE_ASSIGN(Bundle* const result, exporter_.Invoke(callee, arguments, *block, location));
  Values returned;
  exporter_.AppendLeaves(result, *block, location, returned);
  exporter_.Append(*block, "stablehlo.return", returned, {}, {}, 0, location);
  return {};
}

Status Spot::AddCapturing(mlir::Operation& op, size_t region, const HloComputation& callee,
                          const std::vector<Bundle*>& arguments) const {
  mlir::Block* block = tree().NewBlock(op.regions[region], 0);
  const mlir::Location* location = exporter_.locations().Of(inst_);
  AXLE_ASSIGN(Bundle* const result, exporter_.Invoke(callee, arguments, *block, location));
  Values returned;
  exporter_.AppendLeaves(result, *block, location, returned);
  exporter_.Append(*block, "stablehlo.return", returned, {}, {}, 0, location);
  return {};
}

Status WithoutForm(const Instruction& inst, std::string_view what) {
  return OpError(inst,
                 StrCat("instruction \"", inst.name(), "\" of computation \"",
                        inst.parent()->name(), "\" has no form in StableHLO: ", what),
                 StatusCode::kUnimplemented);
}

Status Spot::Unsupported(std::string_view what) const {
  return WithoutForm(inst_, what);
}

}  // namespace axle::stablehlo
