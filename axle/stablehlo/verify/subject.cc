#include "axle/stablehlo/verify/subject.h"

#include <algorithm>
#include <unordered_set>

namespace axle::stablehlo {

using mlir::Attribute;
using mlir::AttributeKind;
using mlir::Operation;
using mlir::Type;

const Operation* Program::FindSymbol(const Operation& op, std::string_view name) {
  const Operation* around = &op;
  while (around->name != "builtin.module" && around->block != nullptr) around = around->parent();
  const auto [found, is_new] = symbols_.try_emplace(around);
  Symbols& symbols = found->second;
  if (is_new) {
    for (const mlir::Region& region : around->regions) {
      for (const mlir::Block& block : region.blocks) {
        for (const Operation* inner : block.operations) {
          const Attribute* symbol = inner->Find("sym_name");
          if (symbol != nullptr) symbols.try_emplace(symbol->text, inner);
        }
      }
    }
  }
  const auto symbol = symbols.find(name);
  return symbol == symbols.end() ? nullptr : symbol->second;
}

Status Program::Refuse(const Operation& op, std::string what) {
  refusal_ = {&op, std::move(what)};
  return source_.ErrorAt(op, refusal_.what);
}

Types Subject::operands(size_t begin, size_t end) const {
  Types types;
  for (size_t i = begin; i < end; ++i) types.push_back(&operand(i));
  return types;
}

Types Subject::results() const {
  Types types;
  for (const mlir::Value& value : op_.results) types.push_back(value.type);
  return types;
}

std::pair<size_t, size_t> Subject::Group(size_t position) const {
  if (!op_.operand_sizes.empty()) {
    size_t begin = 0;
    for (size_t i = 0; i < position; ++i) begin += static_cast<size_t>(op_.operand_sizes[i]);
    return {begin, begin + static_cast<size_t>(op_.operand_sizes[position])};
  }
  const std::vector<mlir::OperandSyntax>& names = row().operands;
  const auto variadic =
      static_cast<size_t>(std::ranges::count_if(names, &mlir::OperandSyntax::variadic));
  const size_t group = variadic == 0 ? 0 : (num_operands() - (names.size() - variadic)) / variadic;
  size_t begin = 0;
  for (size_t i = 0; i < position; ++i) begin += names[i].variadic ? group : 1;
  return {begin, begin + (names[position].variadic ? group : 1)};
}

Types Subject::GroupTypes(size_t position) const {
  const auto [begin, end] = Group(position);
  return operands(begin, end);
}

Dims Subject::Ints(std::string_view name) const {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr) return {};
  return mlir::Ints(*attribute).value_or(Dims{});
}

i64 Subject::Int(std::string_view name) const {
  const Attribute* attribute = Find(name);
  return attribute == nullptr ? 0 : mlir::Int(*attribute).value_or(0);
}

bool Subject::Bool(std::string_view name) const {
  const Attribute* attribute = Find(name);
  if (attribute == nullptr) return false;
  return attribute->kind == AttributeKind::kUnit || mlir::Int(*attribute).value_or(0) != 0;
}

std::string_view Subject::Text(std::string_view name) const {
  const Attribute* attribute = Find(name);
  return attribute == nullptr ? std::string_view() : attribute->text;
}

std::optional<Dims> Subject::ConstantInts(size_t i) const {
  const Operation* definition = op_.operands[i]->definition;
  if (definition == nullptr || definition->name != "stablehlo.constant") return std::nullopt;
  const Attribute* value = definition->Find("value");
  std::optional<Dims> ints = value == nullptr ? std::nullopt : mlir::Ints(*value);
  // The constant may stand behind this operation, in bytecode, and not be verified yet.
  if (!ints || NumElements(operand(i)) != static_cast<i64>(ints->size())) return std::nullopt;
  return ints;
}

Types Subject::Arguments(size_t region) const {
  Types types;
  for (const mlir::Value& argument : block(region).arguments) types.push_back(argument.type);
  return types;
}

Types Subject::Returned(size_t region) const {
  Types types;
  for (const mlir::Value* value : block(region).operations.back()->operands) {
    types.push_back(value->type);
  }
  return types;
}

Status Subject::CheckResults(const std::vector<Type>& implied) const {
  if (implied.size() != num_results()) {
    return Error("there are ", num_results(), " results, not ", implied.size());
  }
  for (size_t i = 0; i < implied.size(); ++i) {
    if (CompatibleTypes(result(i), implied[i])) continue;
    return Error("result ", i, " is ", result(i).ToString(), ", not ", implied[i].ToString());
  }
  return {};
}

Status Subject::CheckResultDims(const Dims& implied) const {
  if (!result().is_tensor() || CompatibleDims(result().dims, implied)) return {};
  return Error("the result is ", result().ToString(), ", not of the sizes ", DimsText(implied));
}

Status CheckDimsInRange(const Subject& op, std::string_view name, const Dims& dims, i64 rank) {
  for (const i64 dim : dims) {
    if (dim >= 0 && dim < rank) continue;
    return op.Error("\"", name, "\" has ", dim, ", which is not a dimension of rank ", rank);
  }
  return {};
}

Status CheckDistinct(const Subject& op, std::string_view name, const Dims& dims,
                     std::string_view other_name, const Dims& other) {
  std::unordered_set<i64> seen;
  for (const Dims* list : {&dims, &other}) {
    for (const i64 dim : *list) {
      if (seen.insert(dim).second) continue;
      if (other_name.empty()) return op.Error("\"", name, "\" has ", dim, " twice");
      return op.Error("\"", name, "\" and \"", other_name, "\" have ", dim, " twice");
    }
  }
  return {};
}

Status CheckSorted(const Subject& op, std::string_view name, const Dims& dims) {
  if (std::ranges::is_sorted(dims)) return {};
  return op.Error("\"", name, "\" ", DimsText(dims), " is not in increasing order");
}

Status CheckTypes(const Subject& op, std::string_view what, const Types& types,
                  const Types& expected, bool (*fits)(const Type&, const Type&)) {
  if (types.size() != expected.size()) {
    return op.Error(what, ": ", types.size(), " values, not ", expected.size());
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (fits(*types[i], *expected[i])) continue;
    return op.Error(what, ": value ", i, " is ", types[i]->ToString(), ", not ",
                    expected[i]->ToString());
  }
  return {};
}

StatusOr<Type> MostSpecific(const Subject& op, const Types& types) {
  Type merged = *types.front();
  for (const Type* type : types) {
    if (!type->is_tensor() || !merged.is_tensor()) return *types.front();
    if (type->dims.size() != merged.dims.size()) {
      return op.Error("the ranks of ", merged.ToString(), " and ", type->ToString(), " differ");
    }
    for (size_t d = 0; d < merged.dims.size(); ++d) {
      const i64 size = IsOpenSize(merged.dims[d]) ? type->dims[d] : merged.dims[d];
      if (!CompatibleSizes(merged.dims[d], type->dims[d])) {
        return op.Error("dimension ", d, " has sizes ", merged.dims[d], " and ", type->dims[d]);
      }
      i64 bound = BoundOf(merged, d);
      const i64 other = BoundOf(*type, d);
      if (IsOpenSize(bound) || (!IsOpenSize(other) && other < bound)) bound = other;
      if (!IsOpenSize(size)) {
        if (!IsOpenSize(bound) && size > bound) {
          return op.Error("dimension ", d, " has size ", size, " and bound ", bound);
        }
        bound = mlir::kDynamic;
      }
      merged.dims[d] = size;
      if (!IsOpenSize(bound)) merged.bounds.resize(merged.dims.size(), mlir::kDynamic);
      if (d < merged.bounds.size()) merged.bounds[d] = bound;
    }
  }
  if (std::ranges::all_of(merged.bounds, IsOpenSize)) merged.bounds.clear();
  return merged;
}

}  // namespace axle::stablehlo
