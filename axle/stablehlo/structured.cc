// Operations with regions: branches, loops, combiners, comparators.
//
// A branch or a loop body takes values from around it. HLO passes them: each branch of a
// conditional gets a tuple of what it captures, and a while carries what its condition and body
// capture behind its own values, unchanged. A combiner (of reduce, sort, scatter, ...) takes its
// arguments alone; constants that it captures are made again inside.
#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/stablehlo/conversions.h"

namespace axle::stablehlo {
namespace {

using mlir::Block;
using mlir::Region;
using mlir::Value;

// Adds what a region captures to the frame: constants as constants, the rest from `carried`.
StatusOr<Instruction*> CloneConstant(const Site& site, Frame& frame, const Value& value) {
  const mlir::Attribute* elements = value.definition->Find("value");
  AXLE_ASSIGN(Literal literal, mlir::FullLiteral(*elements));
  const Site inner(site.converter(), frame, *value.definition);
  return inner.Constant(std::move(literal));
}

// Values that have to be passed to a region, without those that are made again in it.
void AddCaptures(const Site& site, const Region& region, std::vector<const Value*>& carried) {
  for (const Value* value : site.converter().CapturesOf(region)) {
    if (!Converter::IsSmallConstant(*value)) carried.push_back(value);
  }
}

Status CloneConstants(const Site& site, const Region& region, Frame& frame) {
  for (const Value* value : site.converter().CapturesOf(region)) {
    if (!Converter::IsSmallConstant(*value)) continue;
    AXLE_ASSIGN(frame.values[value], CloneConstant(site, frame, *value));
  }
  return {};
}

// A computation that takes `carried` as one tuple (or as one value, if it is only one), and gives
// the region's results followed by the first `num_passed` of what was carried behind them.
struct Carried {
  std::vector<const Value*> values;  // captured
  std::vector<Shape> shapes;         // of all that is carried, the region's arguments first
};

StatusOr<HloComputation*> CarryingRegion(const Site& site, const Region& region,
                                         std::string_view name, const Carried& carried,
                                         bool passes_on, bool tuple_result) {
  const Block& block = region.blocks.front();
  Converter& converter = site.converter();
  Frame frame{.computation = converter.NewComputation(name)};
  const Metadata& metadata = converter.locations().MetadataOf(*site.op().location);
  const size_t num_arguments = block.arguments.size();
  const bool alone = carried.shapes.size() == 1;
  Instruction* parameter = converter.AddParameter(
      frame, alone ? carried.shapes[0] : Shape::Tuple(carried.shapes), "arg_tuple", metadata);
  AXLE_TRY(InferShape(*parameter).status());
  const Site inner(converter, frame, site.op());
  Instructions elements;
  for (size_t i = 0; i < carried.shapes.size(); ++i) {
    Instruction* element = parameter;
    if (!alone) {
      AXLE_ASSIGN(element, inner.Element(parameter, static_cast<i64>(i)));
    }
    elements.push_back(element);
    if (i < num_arguments) {
      frame.values[&block.arguments[i]] = element;
    } else {
      const Value* value = carried.values[i - num_arguments];
      frame.values[value] = element;
      const auto known = site.frame().known.find(converter.Find(site.frame(), *value));
      if (known != site.frame().known.end()) frame.known[element] = known->second;
    }
  }
  AXLE_TRY(CloneConstants(site, region, frame));
  Instructions results;
  AXLE_TRY(converter.ConvertBlock(frame, block, &results));
  if (passes_on) {
    results.insert(results.end(), elements.begin() + static_cast<std::ptrdiff_t>(num_arguments),
                   elements.end());
  }
  Instruction* root = results.size() == 1 ? results[0] : nullptr;
  if (root == nullptr || tuple_result) {
    AXLE_ASSIGN(root, inner.Tuple(results));
  }
  frame.computation->set_root(root);
  AXLE_TRY(converter.SetParameters(frame));
  return frame.computation;
}

}  // namespace

StatusOr<HloComputation*> Site::Body(size_t i) const {
  const Region& region = op_.regions[i];
  const std::string name = op_.syntax != nullptr && i < op_.syntax->regions.size()
                               ? std::string(op_.syntax->regions[i].name)
                               : "region";
  const Block& block = region.blocks.front();
  Frame frame{.computation = converter_.NewComputation(name)};
  for (const Value& argument : block.arguments) {
    const std::optional<Shape> shape = mlir::ShapeOf(*argument.type);
    if (!shape) return Error(StrCat("an argument of region ", name, " leaves sizes open"));
    Instruction* parameter = converter_.AddParameter(frame, *shape, *argument.location);
    AXLE_TRY(InferShape(*parameter).status());
    frame.values[&argument] = parameter;
  }
  AXLE_TRY(CloneConstants(*this, region, frame));
  for (const Value* value : converter_.CapturesOf(region)) {
    if (Converter::IsSmallConstant(*value)) continue;
    const auto known = frame_.known.find(converter_.Find(frame_, *value));
    if (known != frame_.known.end()) {
      const Site inner(converter_, frame, op_);
      AXLE_ASSIGN(frame.values[value], inner.Constant(known->second));
      continue;
    }
    return Error(StrCat("region ", name,
                        " uses a value from around it that is no constant: pass it as an operand"),
                 StatusCode::kUnimplemented);
  }
  Instructions results;
  AXLE_TRY(converter_.ConvertBlock(frame, block, &results));
  Instruction* root = results.size() == 1 ? results[0] : nullptr;
  if (root == nullptr) {
    const Site inner(converter_, frame, op_);
    AXLE_ASSIGN(root, inner.Tuple(results));
  }
  frame.computation->set_root(root);
  AXLE_TRY(converter_.SetParameters(frame));
  return frame.computation;
}

Status ConvertWhile(const Site& site) {
  const Region& cond = site.op().regions[0];
  const Region& body = site.op().regions[1];
  Carried carried;
  for (const Instruction* operand : site.operands()) {
    carried.shapes.push_back(operand->shape().WithoutLayout());
  }
  AddCaptures(site, cond, carried.values);
  std::vector<const Value*> of_body;
  AddCaptures(site, body, of_body);
  const std::unordered_set<const Value*> known(carried.values.begin(), carried.values.end());
  for (const Value* value : of_body) {
    if (!known.contains(value)) carried.values.push_back(value);
  }
  Instructions operands = site.operands();
  for (const Value* value : carried.values) {
    operands.push_back(site.converter().Find(site.frame(), *value));
    carried.shapes.push_back(operands.back()->shape().WithoutLayout());
  }
  AXLE_ASSIGN(HloComputation* const condition,
              CarryingRegion(site, cond, "cond", carried, false, false));
  AXLE_ASSIGN(HloComputation* const step,
              CarryingRegion(site, body, "body", carried, true, operands.size() != 1));
  if (operands.size() == 1) {
    return site.Return(site.Add(Opcode::kWhile, operands, AttrBlock{}, {condition, step}));
  }
  AXLE_ASSIGN(Instruction* const tuple, site.Tuple(operands));
  AXLE_ASSIGN(Instruction* const loop,
              site.Add(Opcode::kWhile, {tuple}, AttrBlock{}, {condition, step}));
  for (size_t i = 0; i < site.op().results.size(); ++i) {
    AXLE_TRY(site.Return(site.Element(loop, static_cast<i64>(i)), i));
  }
  return {};
}

namespace {

// The computations of branches, each with a tuple of what it captures as its argument.
Status AddBranch(const Site& site, size_t i, Instructions& operands,
                 std::vector<HloComputation*>& branches) {
  const Region& region = site.op().regions[i];
  const std::string name = StrCat("branch_", i);
  Carried carried;
  AddCaptures(site, region, carried.values);
  Instructions captured;
  for (const Value* value : carried.values) {
    captured.push_back(site.converter().Find(site.frame(), *value));
    carried.shapes.push_back(captured.back()->shape().WithoutLayout());
  }
  if (captured.size() == 1) {
    operands.push_back(captured[0]);
  } else {
    AXLE_ASSIGN(Instruction* const tuple, site.Tuple(captured));
    operands.push_back(tuple);
  }
  AXLE_ASSIGN(HloComputation* const branch,
              CarryingRegion(site, region, name, carried, false, false));
  branches.push_back(branch);
  return {};
}

}  // namespace

Status ConvertCase(const Site& site) {
  Instructions operands = {site.operand(0)};
  std::vector<HloComputation*> branches;
  for (size_t i = 0; i < site.op().regions.size(); ++i) {
    AXLE_TRY(AddBranch(site, i, operands, branches));
  }
  return site.ReturnAll(site.Add(Opcode::kConditional, operands, AttrBlock{}, branches));
}

// The branches of stablehlo.if are true, false, those of an HLO conditional on a predicate, too.
Status ConvertIf(const Site& site) {
  return ConvertCase(site);
}

Status ConvertReduce(const Site& site) {
  AXLE_ASSIGN(Dims dimensions, site.Ints("dimensions"));
  AXLE_ASSIGN(HloComputation* const body, site.Body(0));
  return site.ReturnAll(
      site.Add(Opcode::kReduce, site.operands(), DimensionsAttrs{std::move(dimensions)}, {body}));
}

namespace {

StatusOr<Window> WindowOf(const Site& site, i64 rank) {
  AXLE_ASSIGN(const Dims sizes, site.Ints("window_dimensions"));
  const auto n = static_cast<size_t>(rank);
  AXLE_ASSIGN(const Dims strides, site.WindowInts("window_strides", n, 1));
  AXLE_ASSIGN(const Dims base, site.WindowInts("base_dilations", n, 1));
  AXLE_ASSIGN(const Dims dilations, site.WindowInts("window_dilations", n, 1));
  AXLE_ASSIGN(const auto padding, site.Pairs("padding", rank));
  Window window(n);
  for (size_t d = 0; d < n; ++d) {
    window[d] = {.size = sizes[d],
                 .stride = strides[d],
                 .pad_low = padding[d].first,
                 .pad_high = padding[d].second,
                 .base_dilation = base[d],
                 .window_dilation = dilations[d]};
  }
  return window;
}

}  // namespace

Status ConvertReduceWindow(const Site& site) {
  AXLE_ASSIGN(Window window, WindowOf(site, site.operand(0)->shape().rank()));
  AXLE_ASSIGN(HloComputation* const body, site.Body(0));
  return site.ReturnAll(
      site.Add(Opcode::kReduceWindow, site.operands(), WindowAttrs{std::move(window)}, {body}));
}

Status ConvertSelectAndScatter(const Site& site) {
  AXLE_ASSIGN(Window window, WindowOf(site, site.operand(0)->shape().rank()));
  AXLE_ASSIGN(HloComputation* const select, site.Body(0));
  AXLE_ASSIGN(HloComputation* const scatter, site.Body(1));
  return site.Return(site.Add(Opcode::kSelectAndScatter, site.operands(),
                              WindowAttrs{std::move(window)}, {select, scatter}));
}

Status ConvertSort(const Site& site) {
  const i64 rank = site.operand(0)->shape().rank();
  AXLE_ASSIGN(i64 dimension, site.Int("dimension", -1));
  if (dimension < 0) dimension += rank;
  AXLE_ASSIGN(const bool is_stable, site.Bool("is_stable", false));
  AXLE_ASSIGN(HloComputation* const comparator, site.Body(0));
  return site.ReturnAll(
      site.Add(Opcode::kSort, site.operands(), SortAttrs{{dimension}, is_stable}, {comparator}));
}

Status ConvertMap(const Site& site) {
  AXLE_ASSIGN(Dims dimensions, site.Ints("dimensions"));
  AXLE_ASSIGN(HloComputation* const body, site.Body(0));
  return site.Return(
      site.Add(Opcode::kMap, site.operands(), DimensionsAttrs{std::move(dimensions)}, {body}));
}

Status ConvertScatter(const Site& site) {
  ScatterAttrs attrs;
  AXLE_ASSIGN(attrs.update_window_dims, site.Ints("update_window_dims", {}));
  AXLE_ASSIGN(attrs.inserted_window_dims, site.Ints("inserted_window_dims", {}));
  AXLE_ASSIGN(attrs.scatter_dims_to_operand_dims, site.Ints("scatter_dims_to_operand_dims", {}));
  AXLE_ASSIGN(attrs.input_batching_dims, site.Ints("input_batching_dims", {}));
  AXLE_ASSIGN(attrs.scatter_indices_batching_dims, site.Ints("scatter_indices_batching_dims", {}));
  AXLE_ASSIGN(attrs.index_vector_dim, site.Int("index_vector_dim", 0));
  AXLE_ASSIGN(attrs.indices_are_sorted, site.Bool("indices_are_sorted", false));
  AXLE_ASSIGN(attrs.unique_indices, site.Bool("unique_indices", false));
  AXLE_ASSIGN(HloComputation* const body, site.Body(0));
  return site.ReturnAll(site.Add(Opcode::kScatter, site.operands(), std::move(attrs), {body}));
}

// The operation in the region runs where it is started; a future holds its results.
Status ConvertAsyncStart(const Site& site) {
  const Block& block = site.op().regions[0].blocks.front();
  for (size_t i = 0; i < site.num_operands(); ++i) {
    site.frame().values[&block.arguments[i]] = site.operand(i);
  }
  Instructions results;
  AXLE_TRY(site.converter().ConvertBlock(site.frame(), block, &results));
  Instruction* held = results.size() == 1 ? results[0] : nullptr;
  if (held == nullptr) {
    AXLE_ASSIGN(held, site.Tuple(results));
  }
  site.frame().values[&site.op().results[0]] = held;
  return {};
}

Status ConvertAsyncDone(const Site& site) {
  return site.ReturnAll(site.operand(0));
}

Status ConvertCall(const Site& site) {
  AXLE_ASSIGN(const std::string callee, site.String("callee"));
  AXLE_ASSIGN(HloComputation* const computation,
              site.converter().Function(site, callee, site.operands()));
  return site.ReturnAll(site.Add(Opcode::kCall, site.operands(), CallAttrs{}, {computation}));
}

// On one device its part of a value is the value. A body whose parts are smaller is for several
// devices.
Status ConvertShardedBody(const Site& site) {
  AXLE_ASSIGN(HloComputation* const body, site.Body(0));
  const auto parameters = body->parameters();
  for (size_t i = 0; i < std::min(parameters.size(), site.operands().size()); ++i) {
    const Shape& whole = site.operand(i)->shape();
    const Shape& part = parameters[i]->shape();
    if (Compatible(whole, part)) continue;
    return site.Error(
        StrCat("the program is divided among devices, operand ", i, " is ", whole.ToString(),
               " and its part ", part.ToString(), ": programs of one device run"),
        StatusCode::kUnimplemented);
  }
  return site.ReturnAll(site.Add(Opcode::kCall, site.operands(), CallAttrs{}, {body}));
}

}  // namespace axle::stablehlo
