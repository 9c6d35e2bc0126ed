// Operations of CHLO as composites.
#include "axle/core/strings.h"
#include "axle/stablehlo/exporter.h"

namespace axle::stablehlo {

mlir::Operation* Exporter::AppendComposite(mlir::Block& block, std::string_view name,
                                           const Values& operands, const Types& results,
                                           std::span<mlir::NamedAttribute> attributes,
                                           const mlir::Location* location) {
  const mlir::Attribute* dictionary =
      MakeDictionary(*tree_, {attributes.begin(), attributes.end()});
  // Composites of one name, type and attributes share a decomposition.
  std::string key = StrCat(name, " ", dictionary->ToString());
  for (const mlir::Value* operand : operands) StrAppend(key, " ", operand->type->ToString());
  for (const mlir::Type* result : results) StrAppend(key, " ", result->ToString());
  const auto [it, is_new] = decomposition_of_.try_emplace(key, decompositions_.size());
  if (is_new) decompositions_.push_back({NewFunctionName(StrCat(name, ".impl")), nullptr});
  Decomposition& decomposition = decompositions_[it->second];
  Attributes all(*tree_);
  all.String("name", name)
      .Add("composite_attributes", dictionary)
      .Add("decomposition", MakeSymbol(*tree_, decomposition.name))
      .Add("version", MakeInt(*tree_, 1, S32));
  mlir::Operation* op =
      Append(block, "stablehlo.composite", operands, results, all.Take(), 0, location);
  if (decomposition.first == nullptr) decomposition.first = op;
  return op;
}

void Exporter::AppendDecompositions(mlir::Block& top) {
  const mlir::Location* location = tree_->unknown_location();
  for (const Decomposition& decomposition : decompositions_) {
    const mlir::Operation& composite = *decomposition.first;
    mlir::Type type{.kind = mlir::TypeKind::kFunction};
    for (const mlir::Value* operand : composite.operands) type.inputs.push_back(operand->type);
    for (const mlir::Value& result : composite.results) type.results.push_back(result.type);
    const Types inputs = type.inputs, results = type.results;
    Attributes attributes(*tree_);
    attributes.String("sym_name", decomposition.name)
        .String("sym_visibility", "private")
        .Add("function_type", MakeType(*tree_, tree_->Get(std::move(type))));
    mlir::Operation* function = Append(top, "func.func", {}, {}, attributes.Take(), 1, location);
    mlir::Block* block = tree_->NewBlock(function->regions[0], inputs.size());
    Values arguments;
    for (size_t i = 0; i < inputs.size(); ++i) {
      block->arguments[i].type = inputs[i];
      arguments.push_back(&block->arguments[i]);
    }
    const std::string_view name = composite.Find("name")->text;
    Attributes call(*tree_);
    call.String("call_target_name", StrCat("mhlo.", name.substr(name.find('.') + 1)))
        .Add("mhlo.attributes", composite.Find("composite_attributes"))
        .Int("mhlo.version", 1);
    mlir::Operation* op =
        Append(*block, "stablehlo.custom_call", arguments, results, call.Take(), 0, location);
    Values returned;
    for (mlir::Value& result : op->results) returned.push_back(&result);
    Append(*block, "func.return", returned, {}, {}, 0, location);
  }
}

}  // namespace axle::stablehlo
