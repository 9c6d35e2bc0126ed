// Programs that leave sizes open: what they take and give, and their conversion when the shapes of
// the arguments are known.
#include <algorithm>

#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/stablehlo/converter.h"
#include "axle/stablehlo/verify/verify.h"

namespace axle::stablehlo {

using mlir::Operation;

bool IsOpen(const mlir::Type& type) {
  if (type.kind == mlir::TypeKind::kUnranked) return true;
  return type.is_tensor() && !mlir::ShapeOf(type) &&
         mlir::ElementOf(type) != PRIMITIVE_TYPE_INVALID;
}

// JAX exports a program with symbolic sizes as a @main whose arguments have no names and that calls
// a function, whose arguments have them.
std::vector<const mlir::Location*> Converter::ArgumentLocations(const Operation& function) const {
  const mlir::Block& block = function.regions[0].blocks[0];
  std::vector<const mlir::Location*> locations;
  for (const mlir::Value& argument : block.arguments) locations.push_back(argument.location);
  const auto has_name = [](const mlir::Location* location) {
    return !Locations::ArgumentName(*location).empty();
  };
  if (&function != entry_ || std::ranges::all_of(locations, has_name)) return locations;
  for (const Operation* op : block.operations) {
    if (op->name != "func.call") continue;
    const mlir::Attribute* callee = op->Find("callee");
    const Operation* called = callee == nullptr ? nullptr : FindFunction(callee->text);
    if (called == nullptr) continue;
    const std::span<const mlir::Value> arguments = called->regions[0].blocks[0].arguments;
    for (size_t i = 0; i < std::min(op->operands.size(), arguments.size()); ++i) {
      const mlir::Value& operand = *op->operands[i];
      if (operand.block != &block || has_name(locations[operand.index])) continue;
      if (has_name(arguments[i].location)) locations[operand.index] = arguments[i].location;
    }
  }
  return locations;
}

namespace {

// An argument's shape, with sizes that are open; nothing of types that have none.
std::optional<Shape> OpenShapeOf(const mlir::Type& type) {
  if (std::optional<Shape> shape = mlir::ShapeOf(type); shape) return shape;
  const ElementType element = mlir::ElementOf(type);
  if (!type.is_tensor() || element == PRIMITIVE_TYPE_INVALID) return std::nullopt;
  static_assert(mlir::kDynamic == kUnboundedSize);
  Shape shape(element, type.dims);
  for (size_t d = 0; d < type.dims.size(); ++d) {
    if (type.dims[d] == mlir::kDynamic) shape.set_dynamic(static_cast<i64>(d), true);
  }
  return shape;
}

}  // namespace

StatusOr<std::unique_ptr<Module>> Converter::Signature() {
  AXLE_TRY(ListFunctions());
  AXLE_TRY(FindEntry());
  const mlir::Block& block = entry_->regions[0].blocks[0];
  const auto is_open = [](const mlir::Value& argument) { return IsOpen(*argument.type); };
  if (std::ranges::none_of(block.arguments, is_open)) return std::unique_ptr<Module>();
  const mlir::Attribute* name = source_.top()->Find("sym_name");
  module_ = std::make_unique<Module>(name == nullptr ? "module" : std::string(name->text));
  locations_.set_module(module_.get());
  Frame frame{.computation = NewComputation("main")};
  Instructions parameters;
  const std::vector<const mlir::Location*> locations = ArgumentLocations(*entry_);
  for (const mlir::Value& argument : block.arguments) {
    const std::optional<Shape> shape = OpenShapeOf(*argument.type);
    if (!shape) return ErrorAt(*entry_, StrCat("an argument is ", argument.type->ToString()));
    parameters.push_back(AddParameter(frame, *shape, *locations[argument.index]));
  }
  std::vector<Shape> results;
  const mlir::Attribute* type = entry_->Find("function_type");
  if (type == nullptr || type->type == nullptr) return ErrorAt(*entry_, "a function has no type");
  for (const mlir::Type* result : type->type->results) {
    const std::optional<Shape> shape = OpenShapeOf(*result);
    if (!shape) return ErrorAt(*entry_, StrCat("a result is ", result->ToString()));
    results.push_back(*shape);
  }
  auto attrs = std::make_shared<CustomCallAttrs>();
  attrs->custom_call_target = "axle.open_program";
  const Shape result = results.size() == 1 ? results[0] : Shape::Tuple(results);
  frame.computation->set_root(
      frame.computation->Add({.opcode = Opcode::kCustomCall,
                              .name = "open_program",
                              .shape = result,
                              .operands = parameters,
                              .attrs = {GetOpDef(Opcode::kCustomCall).attrs, std::move(attrs)}}));
  AXLE_TRY(SetParameters(frame));
  module_->set_entry(frame.computation);
  return std::move(module_);
}

}  // namespace axle::stablehlo

namespace axle {

namespace {

class OpenStablehlo : public OpenProgram {
 public:
  explicit OpenStablehlo(std::shared_ptr<const mlir::MlirModule> source)
      : source_(std::move(source)) {}
  StatusOr<std::unique_ptr<Module>> ForShapes(std::span<const Shape> arguments) const override {
    // It was verified when it was read.
    return stablehlo::Converter(*source_, {.argument_shapes = arguments}).Run();
  }

 private:
  std::shared_ptr<const mlir::MlirModule> source_;
};

}  // namespace

StatusOr<std::unique_ptr<Module>> ConvertOrKeepOpen(std::shared_ptr<const mlir::MlirModule> source,
                                                    const ConvertOptions& options) {
  AXLE_TRY(stablehlo::VerifyProgram(*source, options.limits));
  if (options.argument_shapes.empty()) {
    AXLE_ASSIGN(std::unique_ptr<Module> open, stablehlo::Converter(*source, options).Signature());
    if (open != nullptr) {
      open->set_open_program(std::make_shared<OpenStablehlo>(std::move(source)));
      return open;
    }
  }
  return stablehlo::Converter(*source, options).Run();
}

}  // namespace axle
