// Computations, functions and the values between them.
#include "axle/stablehlo/exporter.h"

#include <algorithm>

#include "axle/core/strings.h"
#include "axle/ir/callees_first.h"
#include "axle/stablehlo/verify/verify.h"

namespace axle::stablehlo {
namespace {

// A computation that is used more than once is repeated as long as it has so few operations, what
// it calls included; and regions are nested so deeply at most.
constexpr i64 kMaxRepeated = 256;
constexpr i64 kMaxNesting = 64;
constexpr std::string_view kChlo = "chlo.";

// The name of an element type that StableHLO does not have: integers of one bit (its i1 is pred)
// and what is no array or token. "" if it has all.
std::string_view TypeWithoutForm(const Shape& shape) {
  if (shape.is_tuple()) {
    for (const Shape& element : shape.elements()) {
      if (const std::string_view name = TypeWithoutForm(element); !name.empty()) return name;
    }
    return "";
  }
  if (shape.is_token()) return "";
  const ElementType type = shape.type();
  const bool has = shape.is_array() && type != S1 && type != U1;
  return has ? "" : Info(type).text;
}

}  // namespace

const mlir::Type* Exporter::TypeOf(const Shape& shape) {
  const auto [it, is_new] = types_.try_emplace(shape, nullptr);
  if (is_new) it->second = mlir::TypeOf(shape, *tree_);
  return it->second;
}

Bundle* Exporter::NewList(const Shape& shape, std::vector<Bundle*> elements) {
  return NewBundle({.shape = &shape, .elements = std::move(elements), .is_list = true});
}

mlir::Operation* Exporter::Append(mlir::Block& block, std::string_view name, const Values& operands,
                                  const Types& results, std::span<mlir::NamedAttribute> attributes,
                                  size_t num_regions, const mlir::Location* location) {
  if (options_.chlo_as_composites && name.starts_with(kChlo) && num_regions == 0) {
    return AppendComposite(block, name, operands, results, attributes, location);
  }
  const mlir::OpSyntax* syntax = mlir::FindSyntax(name);
  mlir::Operation* op = tree_->NewOperation(syntax != nullptr ? syntax->name : tree_->Text(name),
                                            operands.size(), results.size(), num_regions);
  op->syntax = syntax;
  std::ranges::copy(operands, op->operands.begin());
  for (size_t i = 0; i < results.size(); ++i) op->results[i].type = results[i];
  op->attributes = attributes;
  op->location = location;
  op->block = &block;
  block.operations.push_back(op);
  return op;
}

mlir::Value* Exporter::ValueOf(Bundle* bundle, mlir::Block& block, const mlir::Location* location) {
  const bool is_made = !bundle->is_list || bundle->home == &block;
  if (bundle->value != nullptr && is_made) return bundle->value;
  const Shape& shape = *bundle->shape;
  if (bundle->is_list) {
    Values elements;
    for (Bundle* element : bundle->elements) {
      elements.push_back(ValueOf(element, block, location));
    }
    mlir::Operation* tuple =
        Append(block, "stablehlo.tuple", elements, {TypeOf(shape)}, {}, 0, location);
    bundle->value = &tuple->results[0];
    bundle->home = &block;
    return bundle->value;
  }
  // Nothing computes it: zeros, in each place anew.
  if (shape.is_token()) {
    return &Append(block, "stablehlo.create_token", {}, {TypeOf(shape)}, {}, 0, location)
                ->results[0];
  }
  mlir::Attribute* zeros =
      tree_->NewAttribute({.kind = mlir::AttributeKind::kElements,
                           .type = TypeOf(shape.WithoutLayout()),
                           .literal = tree_->Keep(Literal(Shape(shape.type()))),
                           .is_splat = shape.rank() > 0});
  Attributes attributes(*tree_);
  attributes.Add("value", zeros);
  return &Append(block, "stablehlo.constant", {}, {TypeOf(shape)}, attributes.Take(), 0, location)
              ->results[0];
}

Bundle* Exporter::ElementOf(Bundle* tuple, i64 i, mlir::Block& block,
                            const mlir::Location* location) {
  if (tuple->is_list) return tuple->elements[static_cast<size_t>(i)];
  const Shape& shape = tuple->shape->element(i);
  Attributes attributes(*tree_);
  attributes.Add("index", MakeInt(*tree_, i, S32));
  mlir::Operation* op =
      Append(block, "stablehlo.get_tuple_element", {ValueOf(tuple, block, location)},
             {TypeOf(shape)}, attributes.Take(), 0, location);
  return NewBundle({.shape = &shape, .value = &op->results[0]});
}

void Exporter::AppendLeaves(Bundle* bundle, mlir::Block& block, const mlir::Location* location,
                            Values& leaves) {
  if (!bundle->shape->is_tuple()) {
    leaves.push_back(ValueOf(bundle, block, location));
    return;
  }
  for (i64 i = 0; i < bundle->shape->num_tuple_elements(); ++i) {
    AppendLeaves(ElementOf(bundle, i, block, location), block, location, leaves);
  }
}

Bundle* Exporter::FromLeaves(const Shape& shape, const Values& leaves, size_t& next) {
  if (!shape.is_tuple()) return NewBundle({.shape = &shape, .value = leaves[next++]});
  std::vector<Bundle*> elements;
  for (const Shape& element : shape.elements()) {
    elements.push_back(FromLeaves(element, leaves, next));
  }
  return NewList(shape, std::move(elements));
}

void Exporter::AppendLeafTypes(const Shape& shape, Types& types) {
  ForEachLeaf(shape, [&](const Shape& leaf, const Dims&) { types.push_back(TypeOf(leaf)); });
}

StatusOr<Bundle*> Exporter::Call(const HloComputation& callee,
                                 const std::vector<Bundle*>& arguments, mlir::Block& block,
                                 const mlir::Location* location, mlir::Operation** call) {
  Values operands;
  for (Bundle* argument : arguments) operands.push_back(ValueOf(argument, block, location));
  const Shape& shape = callee.root()->shape();
  Types types;
  if (shape.is_tuple()) {
    for (const Shape& element : shape.elements()) types.push_back(TypeOf(element));
  } else {
    types.push_back(TypeOf(shape));
  }
  Attributes attributes(*tree_);
  attributes.Add("callee", MakeSymbol(*tree_, FunctionName(callee)));
  mlir::Operation* op = Append(block, "func.call", operands, types, attributes.Take(), 0, location);
  if (call != nullptr) *call = op;
  if (!shape.is_tuple()) return NewBundle({.shape = &shape, .value = &op->results[0]});
  std::vector<Bundle*> elements;
  for (size_t i = 0; i < op->results.size(); ++i) {
    elements.push_back(
        NewBundle({.shape = &shape.element(static_cast<i64>(i)), .value = &op->results[i]}));
  }
  return NewList(shape, std::move(elements));
}

StatusOr<Bundle*> Exporter::Invoke(const HloComputation& callee,
                                   const std::vector<Bundle*>& arguments, mlir::Block& block,
                                   const mlir::Location* location) {
  if (is_function_.contains(&callee)) return Call(callee, arguments, block, location);
  return ExportInstructions(callee, arguments, block);
}

StatusOr<Bundle*> Exporter::ExportInstructions(const HloComputation& computation,
                                               const std::vector<Bundle*>& arguments,
                                               mlir::Block& block) {
  ExportFrame frame;
  frame.values.resize(computation.instructions().size());
  for (const Instruction* inst : computation.instructions()) {
    if (options_.limits != nullptr) AXLE_TRY(options_.limits->Check());
    if (const std::string_view type = TypeWithoutForm(inst->shape()); !type.empty()) {
      return Spot(*this, frame, *inst, block)
          .Unsupported(StrCat("StableHLO has no type ", type, "; convert to another one"));
    }
    Bundle*& value = frame.values[inst->index()];
    if (IsParameter(*inst)) {
      value = arguments[static_cast<size_t>(inst->attrs<ParameterAttrs>().number)];
    } else {
      AXLE_ASSIGN(value, ExportInstruction(frame, *inst, block));
    }
  }
  return frame.values[computation.root()->index()];
}

StatusOr<Bundle*> Exporter::ExportInstruction(const ExportFrame& frame, const Instruction& inst,
                                              mlir::Block& block) {
  const Spot spot(*this, frame, inst, block);
  const ExportRow* row = FindExportRow(spot.text());
  if (row == nullptr || row->run == nullptr) {
    return spot.Unsupported(
        row == nullptr ? "StableHLO has no such operation; write it with those that there are"
                       : row->why_not);
  }
  const size_t before = block.operations.size();
  AXLE_ASSIGN(Bundle* const result, row->run(spot));
  for (size_t i = before; i < block.operations.size(); ++i) {
    made_from_.emplace(block.operations[i], &inst);
  }
  const InstructionExtras* extras = inst.extras();
  if (extras == nullptr || block.operations.size() == before) return result;
  if (extras->sharding.empty() && extras->frontend_attributes.empty()) return result;
  // The operation that gives the result, or the last one.
  mlir::Operation* op = block.operations.back();
  if (!result->is_list && result->value != nullptr && result->value->definition != nullptr) {
    op = result->value->definition;
  }
  Attributes attributes(*tree_);
  for (const mlir::NamedAttribute& entry : op->attributes) attributes.Add(entry.name, entry.value);
  if (!extras->sharding.empty()) attributes.String("mhlo.sharding", extras->sharding);
  if (!extras->frontend_attributes.empty()) {
    attributes.Add("mhlo.frontend_attributes",
                   FrontendAttributes(*tree_, extras->frontend_attributes));
  }
  op->attributes = attributes.Take();
  return result;
}

// One pass over the computations, callees first: `size` is what a use as a region would add,
// `nesting` how deep it would be.
void Exporter::FindFunctions() {
  struct Extent {
    i64 size = 0;
    i64 nesting = 1;
    i64 uses = 0;
  };
  const std::vector<const HloComputation*> order = CalleesFirst(*module_.entry());
  std::unordered_map<const HloComputation*, Extent> extents;
  for (const HloComputation* computation : order) {
    for (const Instruction* inst : computation->instructions()) {
      const ExportRow* row = FindExportRow(GetOpDef(*inst).text);
      for (const HloComputation* callee : inst->callees()) {
        ++extents[callee].uses;
        if (row != nullptr && row->callees == Callees::kFunctions) is_function_.insert(callee);
      }
    }
  }
  for (const HloComputation* computation : order) {
    Extent& extent = extents[computation];
    extent.size = static_cast<i64>(computation->instructions().size());
    for (const Instruction* inst : computation->instructions()) {
      for (const HloComputation* callee : inst->callees()) {
        if (is_function_.contains(callee)) continue;
        const Extent& inner = extents[callee];
        extent.size = CheckedAdd(extent.size, inner.size).value_or(INT64_MAX);
        extent.nesting = std::max(extent.nesting, inner.nesting + 1);
      }
    }
    const bool repeats = extent.uses > 1 && extent.size > kMaxRepeated;
    if (repeats || extent.nesting >= kMaxNesting) is_function_.insert(computation);
  }
  is_function_.insert(module_.entry());
  for (const HloComputation* computation : order) {
    if (is_function_.contains(computation)) functions_.push_back(computation);
  }
}

std::string Exporter::NewFunctionName(const std::string& base) {
  i64& count = name_counts_[base];
  std::string name = base;
  while (count > 0 && !name_counts_.try_emplace(name = StrCat(base, "_", count), 1).second) ++count;
  ++name_counts_[base];
  return name;
}

void Exporter::NameFunctions() {
  names_[module_.entry()] = NewFunctionName("main");
  for (const HloComputation* computation : functions_) {
    if (computation == module_.entry()) continue;
    names_[computation] = NewFunctionName(std::string(computation->name()));
  }
}

Status Exporter::ExportFunction(const HloComputation& computation, mlir::Block& top) {
  const bool is_entry = &computation == module_.entry();
  const Shape& root = computation.root()->shape();
  mlir::Type type{.kind = mlir::TypeKind::kFunction};
  for (const Instruction* parameter : computation.parameters()) {
    type.inputs.push_back(TypeOf(parameter->shape()));
  }
  if (root.is_tuple()) {
    for (const Shape& element : root.elements()) type.results.push_back(TypeOf(element));
  } else {
    type.results.push_back(TypeOf(root));
  }
  const std::vector<const mlir::Type*> inputs = type.inputs;
  const size_t num_results = type.results.size();
  Attributes attributes(*tree_);
  attributes.String("sym_name", FunctionName(computation))
      .String("sym_visibility", is_entry ? "public" : "private")
      .Add("function_type", MakeType(*tree_, tree_->Get(std::move(type))));
  if (is_entry) {
    attributes.Add("arg_attrs", ArgumentAttributes());
    attributes.Add("res_attrs", ResultAttributes(num_results));
  }
  mlir::Operation* function =
      Append(top, "func.func", {}, {}, attributes.Take(), 1, tree_->unknown_location());
  mlir::Block* block = tree_->NewBlock(function->regions[0], inputs.size());
  std::vector<Bundle*> arguments;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Instruction& parameter = *computation.parameters()[i];
    mlir::Value& argument = block->arguments[i];
    argument.type = inputs[i];
    argument.location = locations_.OfParameter(parameter);
    arguments.push_back(NewBundle({.shape = &parameter.shape(), .value = &argument}));
  }
  AXLE_ASSIGN(Bundle* const result, ExportInstructions(computation, arguments, *block));
  const mlir::Location* location = locations_.Of(*computation.root());
  Values returned;
  if (!root.is_tuple()) {
    returned.push_back(ValueOf(result, *block, location));
  } else {
    for (i64 i = 0; i < root.num_tuple_elements(); ++i) {
      returned.push_back(ValueOf(ElementOf(result, i, *block, location), *block, location));
    }
  }
  Append(*block, "func.return", returned, {}, {}, 0, tree_->unknown_location());
  return {};
}

StatusOr<std::unique_ptr<mlir::MlirModule>> Exporter::Run() {
  if (module_.entry() == nullptr) return InvalidArgument("the module has no entry computation");
  FindFunctions();
  NameFunctions();
  mlir::Operation* top = tree_->NewOperation("builtin.module", 0, 0, 1);
  top->syntax = mlir::FindSyntax("builtin.module");
  top->attributes = ModuleAttributes();
  mlir::Block* block = tree_->NewBlock(top->regions[0], 0);
  tree_->set_top(top);
  tree_->SetSource(module_.name(), "");
  AXLE_TRY(ExportFunction(*module_.entry(), *block));
  for (const HloComputation* computation : functions_) {
    if (computation != module_.entry()) AXLE_TRY(ExportFunction(*computation, *block));
  }
  AppendDecompositions(*block);
  AXLE_TRY(Verify());
  return std::move(tree_);
}

Status Exporter::Verify() const {
  Refusal refusal;
  const Status status = VerifyProgram(*tree_, nullptr, &refusal);
  if (status.ok()) return status;
  for (const mlir::Operation* op = refusal.op; op != nullptr; op = op->parent()) {
    const auto found = made_from_.find(op);
    if (found != made_from_.end()) return WithoutForm(*found->second, refusal.what);
  }
  return {StatusCode::kUnimplemented, status.message()};
}

}  // namespace axle::stablehlo

namespace axle {

StatusOr<std::unique_ptr<mlir::MlirModule>> ExportToStablehlo(const Module& module,
                                                              const ExportOptions& options) {
  return stablehlo::Exporter(module, options).Run();
}

}  // namespace axle
