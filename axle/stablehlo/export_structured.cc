// Operations that call computations: regions, functions, and what stands in their place.
#include <algorithm>

#include "axle/core/strings.h"
#include "axle/stablehlo/export_functions.h"

namespace axle::stablehlo {
namespace {

// An operation with a region for each computation, in their order, whose bodies are combiners.
StatusOr<Bundle*> WithBodies(const Spot& spot, std::string_view name, Attributes&& attributes) {
  const Instruction& inst = spot.inst();
  mlir::Operation* op = spot.Add(name, spot.operands(), spot.TypesOf(inst.shape()),
                                 std::move(attributes), inst.callees().size());
  for (size_t i = 0; i < inst.callees().size(); ++i) {
    AXLE_TRY(spot.AddBody(*op, i, *inst.callees()[i]));
  }
  return spot.ResultsAs(inst.shape(), *op);
}

// The attributes of a window that reduce_window and select_and_scatter have in common.
void AddWindow(const Window& window, Attributes& attributes) {
  Dims sizes, strides, padding;
  for (const WindowDim& d : window) {
    sizes.push_back(d.size);
    strides.push_back(d.stride);
    padding.push_back(d.pad_low);
    padding.push_back(d.pad_high);
  }
  attributes.Ints("window_dimensions", sizes)
      .Ints("window_strides", strides)
      .Matrix("padding", static_cast<i64>(window.size()), 2, padding);
}

std::vector<Bundle*> Bundles(const Spot& spot, i64 begin, i64 end) {
  std::vector<Bundle*> result;
  for (i64 i = begin; i < end; ++i) result.push_back(spot.bundle(i));
  return result;
}

}  // namespace

StatusOr<Bundle*> ExportReduce(const Spot& spot) {
  Attributes attributes = spot.attributes();
  attributes.Ints("dimensions", spot.inst().attrs<DimensionsAttrs>().dimensions);
  return WithBodies(spot, "stablehlo.reduce", std::move(attributes));
}

StatusOr<Bundle*> ExportMap(const Spot& spot) {
  Attributes attributes = spot.attributes();
  attributes.Ints("dimensions", spot.inst().attrs<DimensionsAttrs>().dimensions);
  return WithBodies(spot, "stablehlo.map", std::move(attributes));
}

StatusOr<Bundle*> ExportReduceWindow(const Spot& spot) {
  const Window& window = spot.inst().attrs<WindowAttrs>().window;
  Dims base, dilation;
  for (const WindowDim& d : window) {
    base.push_back(d.base_dilation);
    dilation.push_back(d.window_dilation);
  }
  Attributes attributes = spot.attributes();
  AddWindow(window, attributes);
  attributes.Ints("base_dilations", base).Ints("window_dilations", dilation);
  return WithBodies(spot, "stablehlo.reduce_window", std::move(attributes));
}

StatusOr<Bundle*> ExportSelectAndScatter(const Spot& spot) {
  Attributes attributes = spot.attributes();
  AddWindow(spot.inst().attrs<WindowAttrs>().window, attributes);
  return WithBodies(spot, "stablehlo.select_and_scatter", std::move(attributes));
}

StatusOr<Bundle*> ExportSort(const Spot& spot) {
  const SortAttrs& sort = spot.inst().attrs<SortAttrs>();
  Attributes attributes = spot.attributes();
  attributes.Int("dimension", sort.dimensions.empty() ? 0 : sort.dimensions[0])
      .Bool("is_stable", sort.is_stable);
  return WithBodies(spot, "stablehlo.sort", std::move(attributes));
}

StatusOr<Bundle*> ExportScatter(const Spot& spot) {
  const ScatterAttrs& scatter = spot.inst().attrs<ScatterAttrs>();
  Attributes attributes = spot.attributes();
  attributes.Ints("update_window_dims", scatter.update_window_dims)
      .Ints("inserted_window_dims", scatter.inserted_window_dims)
      .Ints("scatter_dims_to_operand_dims", scatter.scatter_dims_to_operand_dims)
      .Ints("input_batching_dims", scatter.input_batching_dims)
      .Ints("scatter_indices_batching_dims", scatter.scatter_indices_batching_dims)
      .Int("index_vector_dim", scatter.index_vector_dim)
      .Bool("indices_are_sorted", scatter.indices_are_sorted)
      .Bool("unique_indices", scatter.unique_indices);
  return WithBodies(spot, "stablehlo.scatter", std::move(attributes));
}

// Inputs and first carries are two groups of operands, outputs and last carries of results.
StatusOr<Bundle*> ExportScan(const Spot& spot) {
  const Instruction& inst = spot.inst();
  const ScanAttrs& scan = inst.attrs<ScanAttrs>();
  Types types = spot.TypesOf(inst.shape());
  const i64 num_inputs = inst.num_operands() - scan.num_carries;
  const i64 num_outputs = static_cast<i64>(types.size()) - scan.num_carries;
  Attributes attributes = spot.attributes();
  attributes.Int("dimension", scan.dimensions[0]).Bool("is_reverse", scan.is_reverse);
  if (scan.is_associative != TriState::kUnspecified) {
    attributes.Bool("is_associative", scan.is_associative == TriState::kTrue);
  }
  if (num_inputs == 0 && num_outputs > 0) {
    const Shape& output = inst.shape().is_tuple() ? inst.shape().element(0) : inst.shape();
    attributes.Int("scan_dim_size", output.dim(scan.dimensions[0]));
  }
  const std::vector<std::int32_t> sizes = {static_cast<std::int32_t>(num_outputs),
                                           static_cast<std::int32_t>(scan.num_carries)};
  attributes.Add(
      "resultSegmentSizes",
      spot.tree().NewAttribute(
          {.kind = mlir::AttributeKind::kElements,
           .type = spot.tree().Tensor({2}, spot.tree().Element(S32)),
           .mnemonic = "array",
           .literal = spot.tree().Keep(Literal::Array<std::int32_t>(S32, {2}, std::span(sizes)))}));
  mlir::Operation* op = spot.Add("chlo.scan", spot.operands(), types, std::move(attributes), 1);
  op->operand_sizes = spot.tree().Copy(std::vector<std::int32_t>{
      static_cast<std::int32_t>(num_inputs), static_cast<std::int32_t>(scan.num_carries)});
  AXLE_TRY(spot.AddBody(*op, 0, *inst.callees()[0]));
  return spot.ResultsAs(inst.shape(), *op);
}

namespace {

// The dimensions that the type of an operation of StableHLO flags as dynamic are those of every
// value that it stands for.
bool HasSameFlags(const HloComputation& callee, const Shape& shape) {
  return EqualIgnoringLayout(callee.root()->shape(), shape);
}

}  // namespace

// A loop over the leaves of its state.
StatusOr<Bundle*> ExportWhile(const Spot& spot) {
  const Instruction& inst = spot.inst();
  Exporter& exporter = spot.exporter();
  const bool is_alike =
      EqualIgnoringLayout(inst.operand(0)->shape(), inst.shape()) &&
      std::ranges::all_of(inst.callees(), [&](const HloComputation* callee) {
        const bool is_condition = callee->root()->shape() == Shape(PRED);
        return EqualIgnoringLayout(callee->parameters()[0]->shape(), inst.shape()) &&
               (is_condition || HasSameFlags(*callee, inst.shape()));
      });
  if (!is_alike) {
    return spot.Unsupported(
        "its state has other dynamic dimensions in the loop than outside; flag "
        "them everywhere, with set-dimension-size");
  }
  Values operands;
  exporter.AppendLeaves(spot.bundle(0), spot.block(), exporter.locations().Of(inst), operands);
  Types types;
  exporter.AppendLeafTypes(inst.shape(), types);
  mlir::Operation* op =
      spot.Add("stablehlo.while", operands, types, spot.attributes(), inst.callees().size());
  for (size_t i = 0; i < inst.callees().size(); ++i) {
    AXLE_TRY(spot.AddBody(*op, i, *inst.callees()[i]));
  }
  Values results;
  for (mlir::Value& result : op->results) results.push_back(&result);
  size_t next = 0;
  return exporter.FromLeaves(inst.shape(), results, next);
}

// Branches see their operand where it is.
StatusOr<Bundle*> ExportConditional(const Spot& spot) {
  const Instruction& inst = spot.inst();
  Exporter& exporter = spot.exporter();
  for (const HloComputation* callee : inst.callees()) {
    if (HasSameFlags(*callee, inst.shape())) continue;
    return spot.Unsupported(
        "its branches have different dynamic dimensions; flag them everywhere, "
        "with set-dimension-size");
  }
  const bool is_predicate = inst.operand(0)->shape().type() == PRED;
  Types types;
  exporter.AppendLeafTypes(inst.shape(), types);
  mlir::Operation* op =
      spot.Add(is_predicate ? "stablehlo.if" : "stablehlo.case", {spot.operand(0)}, types,
               spot.attributes(), inst.callees().size());
  for (size_t i = 0; i < inst.callees().size(); ++i) {
    AXLE_TRY(spot.AddCapturing(*op, i, *inst.callees()[i], {spot.bundle(static_cast<i64>(i) + 1)}));
  }
  Values results;
  for (mlir::Value& result : op->results) results.push_back(&result);
  size_t next = 0;
  return exporter.FromLeaves(inst.shape(), results, next);
}

// Where the fusion stands; operands that it does not take are left out.
StatusOr<Bundle*> ExportFusion(const Spot& spot) {
  const HloComputation& callee = *spot.inst().callees()[0];
  return spot.exporter().Invoke(callee,
                                Bundles(spot, 0, static_cast<i64>(callee.parameters().size())),
                                spot.block(), spot.exporter().locations().Of(spot.inst()));
}

StatusOr<Bundle*> ExportCall(const Spot& spot) {
  const Instruction& inst = spot.inst();
  mlir::Operation* call = nullptr;
  AXLE_ASSIGN(Bundle* const result,
              spot.exporter().Call(*inst.callees()[0], Bundles(spot, 0, inst.num_operands()),
                                   spot.block(), spot.exporter().locations().Of(inst), &call));
  return result;
}

}  // namespace axle::stablehlo
