// Branches, loops, calls and what calls other computations.
#include <algorithm>

#include "axle/stablehlo/verify/rules.h"

namespace axle::stablehlo {

using mlir::Attribute;
using mlir::AttributeKind;
using mlir::Operation;
using mlir::Type;

namespace {

// The type of a function; null if the symbol is none.
const Type* FunctionType(const Operation* function) {
  if (function == nullptr || function->name != "func.func") return nullptr;
  const Attribute* type = function->Find("function_type");
  return type == nullptr ? nullptr : type->type;
}

// The operands and results are those of the function, exactly.
Status CheckCallee(const Subject& op, std::string_view name) {
  const Type* type = FunctionType(op.program().FindSymbol(op.op(), name));
  if (type == nullptr) return op.Error("there is no function @", name);
  const auto same = [](const Type& a, const Type& b) { return &a == &b; };
  AXLE_TRY(CheckTypes(op, StrCat("operands for @", name), op.operands(), type->inputs, same));
  return CheckTypes(op, StrCat("results of @", name), op.results(), type->results, same);
}

bool IsLetter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// "namespace.name", of letters, digits and underscores; the parts behind dots may have `$` too.
bool IsCompositeName(std::string_view name) {
  if (name.empty() || !IsLetter(name.front()) || name.back() == '.') return false;
  bool has_dot = false;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '.') {
      if (has_dot && name[i - 1] == '.') return false;
      has_dot = true;
    } else if (!IsLetter(c) && !(c >= '0' && c <= '9') && c != '_' && !(has_dot && c == '$')) {
      return false;
    }
  }
  return has_dot;
}

}  // namespace

Status VerifyCall(const Subject& op) {
  return CheckCallee(op, op.Text("callee"));
}

Status VerifyComposite(const Subject& op) {
  if (!IsCompositeName(op.Text("name"))) {
    return op.Error("the name \"", op.Text("name"), "\" is not of the form \"namespace.name\"");
  }
  return CheckCallee(op, op.Text("decomposition"));
}

Status VerifyBranches(const Subject& op) {
  const size_t count = op.op().regions.size();
  if (!op.operand().dims.empty()) {
    return op.Error(op.row().operands[0].name, " is ", op.operand().ToString(), ", not a scalar");
  }
  if (count == 0) return op.Error("there is no branch");
  const Types first = op.Returned(0);
  std::vector<Type> implied;
  for (const Type* type : first) implied.push_back(*type);
  for (size_t i = 0; i < count; ++i) {
    const Types returned = op.Returned(i);
    AXLE_TRY(
        CheckTypes(op, StrCat("arguments of branch ", i), op.Arguments(i), {}, CompatibleTypes));
    AXLE_TRY(CheckTypes(op, StrCat("results of branch ", i), returned, first, CompatibleTypes));
    // A size that one of the branches leaves open is open.
    for (size_t j = 0; j < implied.size(); ++j) {
      if (!returned[j]->is_tensor() || !implied[j].is_tensor()) continue;
      for (size_t d = 0; d < implied[j].dims.size(); ++d) {
        if (returned[j]->dims[d] == implied[j].dims[d]) continue;
        implied[j].dims[d] = mlir::kDynamic;
        implied[j].bounds.clear();
      }
    }
  }
  return op.CheckResults(implied);
}

Status VerifyWhile(const Subject& op) {
  const Types operands = op.operands();
  for (const size_t region : {0, 1}) {
    AXLE_TRY(CheckTypes(op, StrCat("arguments of region ", op.row().regions[region].name),
                        op.Arguments(region), operands, CompatibleTypes));
  }
  AXLE_TRY(CheckTypes(op, "results of region body", op.Returned(1), operands, CompatibleTypes));
  const Types condition = op.Returned(0);
  if (condition.size() != 1 || !IsTensor(*condition[0], op.ScalarOf(op.Element(PRED)))) {
    return op.Error("region cond returns (", TypesText(condition), "), not tensor<i1>");
  }
  std::vector<Type> implied;
  for (const Type* operand : operands) implied.push_back(*operand);
  return op.CheckResults(implied);
}

Status VerifyScan(const Subject& op) {
  const Types inputs = op.GroupTypes(0);
  const Types inits = op.GroupTypes(1);
  const auto dimension = static_cast<size_t>(op.Int("dimension"));
  i64 length = op.Has("scan_dim_size") ? op.Int("scan_dim_size") : mlir::kDynamic;
  std::vector<Type> expected;  // the arguments of the body
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i]->is_tensor() || dimension >= inputs[i]->dims.size()) {
      return op.Error("input ", i, " is ", inputs[i]->ToString(), ", which has no dimension ",
                      dimension);
    }
    const i64 size = inputs[i]->dims[dimension];
    if (!CompatibleSizes(size, length)) {
      return op.Error("input ", i, " is ", inputs[i]->ToString(), ", of which dimension ",
                      dimension, " does not have the size ", length);
    }
    if (IsOpenSize(length)) length = size;
    Type& slice = expected.emplace_back(*inputs[i]);
    slice.dims.erase(slice.dims.begin() + static_cast<std::ptrdiff_t>(dimension));
    slice.bounds.clear();
  }
  for (const Type* init : inits) expected.push_back(*init);
  const Types arguments = op.Arguments(0);
  if (arguments.size() != expected.size()) {
    return op.Error("region body takes ", arguments.size(), " values, not ", expected.size());
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (CompatibleTypes(*arguments[i], expected[i])) continue;
    return op.Error("argument ", i, " of region body is ", arguments[i]->ToString(), ", not ",
                    expected[i].ToString());
  }
  const Types returned = op.Returned(0);
  if (returned.size() < inits.size()) {
    return op.Error("region body returns ", returned.size(), " values, fewer than the ",
                    inits.size(), " that it carries");
  }
  std::vector<Type> implied;
  for (size_t i = 0; i < returned.size(); ++i) {
    Type& result = implied.emplace_back(*returned[i]);
    if (i >= returned.size() - inits.size()) continue;
    if (!result.is_tensor() || result.dims.size() < dimension) {
      return op.Error("region body returns ", result.ToString(),
                      ", which has no place for dimension ", dimension);
    }
    result.dims.insert(result.dims.begin() + static_cast<std::ptrdiff_t>(dimension), length);
    result.bounds.clear();
  }
  return op.CheckResults(implied);
}

Status VerifyAsyncStart(const Subject& op) {
  constexpr std::string_view kAllowed[] = {
      "stablehlo.all_gather",         "stablehlo.all_reduce",
      "stablehlo.all_to_all",         "stablehlo.collective_broadcast",
      "stablehlo.collective_permute", "stablehlo.collective_reduce",
      "stablehlo.dynamic_slice",      "stablehlo.dynamic_update_slice",
      "stablehlo.reduce_scatter",     "stablehlo.slice"};
  const std::vector<Operation*>& operations = op.block(0).operations;
  if (operations.size() != 2 ||
      std::ranges::find(kAllowed, operations[0]->name) == std::end(kAllowed)) {
    return op.Error("the region is not one collective or slice and a return");
  }
  if (op.Arguments(0) != op.operands()) {
    return op.Error("the region takes (", TypesText(op.Arguments(0)), "), not (",
                    TypesText(op.operands()), ")");
  }
  const Types returned = op.Returned(0);
  if (returned.size() != 1 || op.result().inputs != returned) {
    return op.Error("the result is ", op.result().ToString(), ", the region returns (",
                    TypesText(returned), ")");
  }
  return {};
}

Status VerifyAsyncDone(const Subject& op) {
  const Types& types = op.operand().inputs;
  if (types.size() == 1 && CompatibleTypes(*types[0], op.result())) return {};
  return op.Error("the operand is ", op.operand().ToString(), ", the result is ",
                  op.result().ToString());
}

namespace {

// The functions of the processes, one list for each replica.
StatusOr<std::vector<std::string_view>> ProgramNames(const Subject& op) {
  const Attribute* programs = op.Find("programs");
  std::vector<std::string_view> names;
  if (programs == nullptr || programs->elements.empty()) return op.Error("there are no programs");
  const size_t width = programs->elements[0]->elements.size();
  for (const Attribute* row : programs->elements) {
    if (row->kind != AttributeKind::kArray || row->elements.size() != width) {
      return op.Error("the rows of \"programs\" have different lengths");
    }
    for (const Attribute* name : row->elements) names.push_back(name->text);
  }
  return names;
}

}  // namespace

Status VerifyRunParallel(const Subject& op) {
  AXLE_ASSIGN(const std::vector<std::string_view> names, ProgramNames(op));
  size_t inputs = 0, results = 0;
  for (const std::string_view name : names) {
    const Type* type = FunctionType(op.program().FindSymbol(op.op(), name));
    if (type == nullptr) return op.Error("there is no function @", name);
    inputs += type->inputs.size();
    results += type->results.size();
  }
  if (inputs != op.num_operands() || results != op.num_results()) {
    return op.Error("has ", op.num_operands(), " operands and ", op.num_results(),
                    " results, the programs take ", inputs, " and give ", results);
  }
  const Attribute* infeed = op.Find("infeed");
  if (infeed == nullptr) return {};
  if (infeed->elements.empty()) return op.Error("\"infeed\" is empty");
  for (const Attribute* name : infeed->elements) {
    const Type* type = FunctionType(op.program().FindSymbol(op.op(), name->text));
    if (type == nullptr) return op.Error("there is no function @", name->text);
    if (type->results.size() == 1 && IsShaped(*type->results[0])) continue;
    return op.Error("@", name->text, " gives (", TypesText(type->results), "), not one tensor");
  }
  return {};
}

}  // namespace axle::stablehlo
