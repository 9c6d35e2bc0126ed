// Tuples, tokens, transfers, asynchronous computations, and calls of what the module does not have.
#include <algorithm>

#include "axle/core/strings.h"
#include "axle/ops/async.h"
#include "axle/stablehlo/export_functions.h"

namespace axle::stablehlo {
namespace {

StatusOr<Bundle*> ElementOfOperand(const Spot& spot, i64 i) {
  return spot.exporter().ElementOf(spot.bundle(0), i, spot.block(),
                                   spot.exporter().locations().Of(spot.inst()));
}

// Operand `i`, taken apart.
Values LeavesOf(const Spot& spot, i64 i) {
  Values leaves;
  spot.exporter().AppendLeaves(spot.bundle(i), spot.block(),
                               spot.exporter().locations().Of(spot.inst()), leaves);
  return leaves;
}

// What nothing computes: zeros where somebody reads it.
Bundle* Nothing(const Spot& spot, const Shape& shape) {
  if (!shape.is_tuple()) return spot.exporter().NewBundle({.shape = &shape});
  std::vector<Bundle*> elements;
  for (const Shape& element : shape.elements()) elements.push_back(Nothing(spot, element));
  return spot.exporter().NewList(shape, std::move(elements));
}

// The results of an operation, leaf by leaf.
Bundle* LeafResults(const Spot& spot, const Shape& shape, mlir::Operation& op) {
  Values results;
  for (mlir::Value& result : op.results) results.push_back(&result);
  size_t next = 0;
  return spot.exporter().FromLeaves(shape, results, next);
}

}  // namespace

StatusOr<Bundle*> ExportOperand(const Spot& spot) {
  return spot.bundle(0);
}

StatusOr<Bundle*> ExportElement0(const Spot& spot) {
  return ElementOfOperand(spot, 0);
}

StatusOr<Bundle*> ExportElement1(const Spot& spot) {
  return ElementOfOperand(spot, 1);
}

StatusOr<Bundle*> ExportGetTupleElement(const Spot& spot) {
  return ElementOfOperand(spot, spot.inst().attrs<TupleIndexAttrs>().index);
}

StatusOr<Bundle*> ExportTuple(const Spot& spot) {
  std::vector<Bundle*> elements;
  for (i64 i = 0; i < spot.inst().num_operands(); ++i) elements.push_back(spot.bundle(i));
  return spot.exporter().NewList(spot.inst().shape(), std::move(elements));
}

// (copy, operand, context)
StatusOr<Bundle*> ExportCopyStart(const Spot& spot) {
  const Shape& shape = spot.inst().shape();
  std::vector<Bundle*> elements = {spot.bundle(0), spot.bundle(0)};
  for (i64 i = 2; i < shape.num_tuple_elements(); ++i) {
    elements.push_back(Nothing(spot, shape.element(i)));
  }
  return spot.exporter().NewList(shape, std::move(elements));
}

StatusOr<Bundle*> ExportAfterAll(const Spot& spot) {
  const bool is_first = spot.inst().num_operands() == 0;
  return spot.AddResult(is_first ? "stablehlo.create_token" : "stablehlo.after_all",
                        spot.operands());
}

StatusOr<Bundle*> ExportOptBarrier(const Spot& spot) {
  Types types;
  spot.exporter().AppendLeafTypes(spot.inst().shape(), types);
  return LeafResults(spot, spot.inst().shape(),
                     *spot.Add("stablehlo.optimization_barrier", LeavesOf(spot, 0), types));
}

// Behind a barrier together with the token.
StatusOr<Bundle*> ExportAddDependency(const Spot& spot) {
  Values operands = LeavesOf(spot, 0);
  operands.push_back(spot.operand(1));
  Types types;
  for (const mlir::Value* operand : operands) types.push_back(operand->type);
  return LeafResults(spot, spot.inst().shape(),
                     *spot.Add("stablehlo.optimization_barrier", operands, types));
}

StatusOr<Bundle*> ExportInfeed(const Spot& spot) {
  Attributes attributes = spot.attributes();
  attributes.String("infeed_config", spot.inst().attrs<InfeedAttrs>().infeed_config);
  Types types;
  spot.exporter().AppendLeafTypes(spot.inst().shape(), types);
  return LeafResults(spot, spot.inst().shape(),
                     *spot.Add("stablehlo.infeed", spot.operands(), types, std::move(attributes)));
}

StatusOr<Bundle*> ExportOutfeed(const Spot& spot) {
  Attributes attributes = spot.attributes();
  attributes.String("outfeed_config", spot.inst().attrs<OutfeedAttrs>().outfeed_config);
  Values operands = LeavesOf(spot, 0);
  operands.push_back(spot.operand(1));
  return spot.AddResult("stablehlo.outfeed", operands, std::move(attributes));
}

namespace {

// Channels of StableHLO have a type: between devices, to the host, from the host.
Attributes TransferAttributes(const Spot& spot, const TransferAttrs& attrs, i64 host_type) {
  Attributes attributes = spot.attributes();
  attributes.Int("channel_id", attrs.channel_id.value_or(0))
      .Int("channel_type", attrs.is_host_transfer ? host_type : 1)
      .Bool("is_host_transfer", attrs.is_host_transfer);
  return attributes;
}

}  // namespace

// (data, context, token). The data are on their way from here on.
StatusOr<Bundle*> ExportSend(const Spot& spot) {
  const Shape& shape = spot.inst().shape();
  Values operands = LeavesOf(spot, 0);
  operands.push_back(spot.operand(1));
  mlir::Value* token =
      spot.AddValue("stablehlo.send", operands, Shape::Token(),
                    TransferAttributes(spot, spot.inst().attrs<TransferAttrs>(), 2));
  return spot.exporter().NewList(
      shape, {spot.bundle(0), Nothing(spot, shape.element(1)), spot.Wrap(token, shape.element(2))});
}

StatusOr<Bundle*> ExportSendDone(const Spot& spot) {
  return ElementOfOperand(spot, 2);
}

// Waiting is recv-done's; until then there is the token that recv has.
StatusOr<Bundle*> ExportRecv(const Spot& spot) {
  const Shape& shape = spot.inst().shape();
  return spot.exporter().NewList(
      shape, {Nothing(spot, shape.element(0)), Nothing(spot, shape.element(1)), spot.bundle(0)});
}

StatusOr<Bundle*> ExportRecvDone(const Spot& spot) {
  AXLE_ASSIGN(Bundle* const token, ElementOfOperand(spot, 2));
  Types types;
  spot.exporter().AppendLeafTypes(spot.inst().shape(), types);
  mlir::Operation* op = spot.Add(
      "stablehlo.recv",
      {spot.exporter().ValueOf(token, spot.block(), spot.exporter().locations().Of(spot.inst()))},
      types, TransferAttributes(spot, spot.inst().attrs<TransferAttrs>(), 3));
  return LeafResults(spot, spot.inst().shape(), *op);
}

namespace {

bool IsComplete(const Spot& spot, const Shape& state) {
  const HloComputation& callee = *spot.inst().callees()[0];
  return state.element(0).elements().size() == callee.parameters().size() &&
         Compatible(state.element(1), callee.root()->shape());
}

// A state ((operands), result, contexts...) with these operands; the computation stands where the
// state is complete.
StatusOr<Bundle*> StateWith(const Spot& spot, const std::vector<Bundle*>& operands) {
  const Shape& shape = spot.inst().shape();
  std::vector<Bundle*> elements = {spot.exporter().NewList(shape.element(0), operands)};
  if (IsComplete(spot, shape)) {
    AXLE_ASSIGN(Bundle* const result,
                spot.exporter().Invoke(*spot.inst().callees()[0], operands, spot.block(),
                                       spot.exporter().locations().Of(spot.inst())));
    elements.push_back(result);
  } else {
    elements.push_back(Nothing(spot, shape.element(1)));
  }
  for (i64 i = 2; i < shape.num_tuple_elements(); ++i) {
    elements.push_back(Nothing(spot, shape.element(i)));
  }
  return spot.exporter().NewList(shape, std::move(elements));
}

// The operands that the state has.
StatusOr<std::vector<Bundle*>> OperandsOfState(const Spot& spot) {
  AXLE_ASSIGN(Bundle* const bound, ElementOfOperand(spot, 0));
  std::vector<Bundle*> operands;
  for (i64 i = 0; i < bound->shape->num_tuple_elements(); ++i) {
    operands.push_back(spot.exporter().ElementOf(bound, i, spot.block(),
                                                 spot.exporter().locations().Of(spot.inst())));
  }
  return operands;
}

}  // namespace

StatusOr<Bundle*> ExportAsyncStart(const Spot& spot) {
  std::vector<Bundle*> operands;
  for (i64 i = 0; i < spot.inst().num_operands(); ++i) operands.push_back(spot.bundle(i));
  return StateWith(spot, operands);
}

StatusOr<Bundle*> ExportAsyncUpdate(const Spot& spot) {
  if (IsComplete(spot, spot.inst().operand(0)->shape())) return spot.bundle(0);
  AXLE_ASSIGN(std::vector<Bundle*> operands, OperandsOfState(spot));
  for (i64 i = 1; i < spot.inst().num_operands(); ++i) operands.push_back(spot.bundle(i));
  return StateWith(spot, operands);
}

StatusOr<Bundle*> ExportAsyncDone(const Spot& spot) {
  if (IsComplete(spot, spot.inst().operand(0)->shape())) return ElementOfOperand(spot, 1);
  AXLE_ASSIGN(const std::vector<Bundle*> operands, OperandsOfState(spot));
  return spot.exporter().Invoke(*spot.inst().callees()[0], operands, spot.block(),
                                spot.exporter().locations().Of(spot.inst()));
}

namespace {

// What of a custom call has no form; "" if all has.
std::string_view WithoutForm(const CustomCallAttrs& attrs) {
  const CustomCallAttrs plain;
  if (!attrs.window.empty()) return "window";
  if (attrs.dim_labels != plain.dim_labels) return "dim_labels";
  if (attrs.feature_group_count != 1) return "feature_group_count";
  if (attrs.batch_group_count != 1) return "batch_group_count";
  if (!attrs.operand_precision.empty()) return "operand_precision";
  if (attrs.padding_type != PaddingType::kInvalid) return "padding_type";
  if (attrs.literal) return "literal";
  return "";
}

const mlir::Attribute* LayoutsOf(const Spot& spot, const std::vector<Shape>& shapes) {
  mlir::MlirModule& tree = spot.tree();
  std::vector<const mlir::Attribute*> layouts;
  for (const Shape& shape : shapes) {
    const Dims order = shape.is_array() ? shape.LayoutOrDefault().minor_to_major : Dims();
    const Dims dims{static_cast<i64>(order.size())};
    layouts.push_back(
        tree.NewAttribute({.kind = mlir::AttributeKind::kElements,
                           .type = tree.Tensor(dims, tree.Get({.kind = mlir::TypeKind::kIndex})),
                           .literal = tree.Keep(Literal::Array<i64>(S64, dims, order))}));
  }
  return MakeArray(tree, layouts);
}

const mlir::Attribute* AliasesOf(const Spot& spot, const OperandAliasing& aliasing) {
  mlir::MlirModule& tree = spot.tree();
  std::vector<const mlir::Attribute*> aliases;
  for (const OperandAlias& alias : aliasing) {
    const std::vector<mlir::NamedAttribute> fields = {
        {"output_tuple_indices", MakeInts(tree, alias.output_index)},
        {"operand_index", MakeInt(tree, alias.operand)},
        {"operand_tuple_indices", MakeInts(tree, alias.operand_index)}};
    aliases.push_back(tree.NewAttribute({.kind = mlir::AttributeKind::kStruct,
                                         .mnemonic = "output_operand_alias",
                                         .fields = tree.Copy(fields)}));
  }
  return MakeArray(tree, aliases);
}

}  // namespace

StatusOr<Bundle*> ExportCustomCall(const Spot& spot) {
  const Instruction& inst = spot.inst();
  const CustomCallAttrs& attrs = inst.attrs<CustomCallAttrs>();
  if (const std::string_view what = WithoutForm(attrs); !what.empty()) {
    return spot.Unsupported(StrCat("it has ", what,
                                   ", which StableHLO's custom_call does not "
                                   "have; say it in backend_config"));
  }
  // A tuple of one stays a tuple, since one result is an array.
  const bool is_list = inst.shape().is_tuple() && inst.shape().num_tuple_elements() != 1;
  const std::vector<Shape> results =
      is_list ? inst.shape().elements() : std::vector<Shape>{inst.shape()};
  Attributes attributes = spot.attributes();
  attributes.String("call_target_name", attrs.custom_call_target)
      .Bool("has_side_effect", attrs.custom_call_has_side_effect)
      .Enum("api_version", "api_version", static_cast<size_t>(attrs.api_version));
  if (inst.extras() != nullptr && inst.extras()->has_backend_config) {
    attributes.String("backend_config", inst.extras()->backend_config);
  }
  if (!inst.callees().empty()) {
    std::vector<const mlir::Attribute*> symbols;
    for (const HloComputation* callee : inst.callees()) {
      symbols.push_back(MakeSymbol(spot.tree(), spot.exporter().FunctionName(*callee)));
    }
    attributes.Add("called_computations", MakeArray(spot.tree(), symbols));
  }
  if (attrs.operand_layout_constraints) {
    attributes.Add("operand_layouts", LayoutsOf(spot, *attrs.operand_layout_constraints))
        .Add("result_layouts", LayoutsOf(spot, results));
  }
  if (!attrs.output_to_operand_aliasing.empty()) {
    attributes.Add("output_operand_aliases", AliasesOf(spot, attrs.output_to_operand_aliasing));
  }
  Types types;
  for (const Shape& result : results) types.push_back(spot.exporter().TypeOf(result));
  mlir::Operation* op =
      spot.Add("stablehlo.custom_call", spot.operands(), types, std::move(attributes));
  return is_list ? spot.ResultsAs(inst.shape(), *op) : spot.Wrap(&op->results[0], inst.shape());
}

}  // namespace axle::stablehlo
