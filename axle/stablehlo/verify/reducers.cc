// Operations that apply a region to elements: map, reduce, sort, and the reducers of others.
#include "axle/stablehlo/verify/rules.h"

namespace axle::stablehlo {

using mlir::Type;

namespace {

std::string_view RegionName(const Subject& op, size_t region) {
  return op.row().regions[region].name;
}

// An argument of a reducer is an element, or has some dimensions of `allowed`, in their order.
bool IsPartOf(const Dims& dims, const Dims& allowed) {
  size_t next = 0;
  for (size_t i = 0; i < allowed.size() && next < dims.size(); ++i) {
    if (CompatibleSizes(allowed[i], dims[next])) ++next;
  }
  return next == dims.size();
}

}  // namespace

Status VerifyReducer(const Subject& op, size_t region, const Types& inputs, const Types& inits,
                     const Dims& allowed) {
  const std::string_view name = RegionName(op, region);
  const Types arguments = op.Arguments(region);
  const Types returned = op.Returned(region);
  const size_t count = inputs.size();
  if (arguments.size() != 2 * count || returned.size() != count) {
    return op.Error("region ", name, " takes ", arguments.size(), " values and returns ",
                    returned.size(), ", not ", 2 * count, " and ", count);
  }
  for (size_t i = 0; i < count; ++i) {
    const Type& accumulator = *returned[i];
    const Type& value = *arguments[count + i];
    if (!accumulator.is_tensor() || !value.is_tensor()) {
      return op.Error("region ", name, " takes ", value.ToString(), " and returns ",
                      accumulator.ToString(), ", not tensors");
    }
    for (const size_t j : {i, count + i}) {
      if (CompatibleShapes(*arguments[j], accumulator) &&
          SameElements(*arguments[j], accumulator, true)) {
        continue;
      }
      return op.Error("argument ", j, " of region ", name, " is ", arguments[j]->ToString(),
                      ", what it returns ", accumulator.ToString());
    }
    if (!CompatibleShapes(*inits[i], accumulator) || !IsPromotable(*inits[i], accumulator)) {
      return op.Error("region ", name, " returns ", accumulator.ToString(),
                      ", which the initial value ", inits[i]->ToString(), " does not become");
    }
    if (!IsPromotable(*inputs[i], value)) {
      return op.Error("argument ", count + i, " of region ", name, " is ", value.ToString(),
                      ", which elements of ", inputs[i]->ToString(), " do not become");
    }
    if (!IsPartOf(value.dims, allowed)) {
      return op.Error("argument ", count + i, " of region ", name, " is ", value.ToString(),
                      ", whose sizes are not among ", DimsText(allowed));
    }
  }
  return {};
}

Status VerifyReduce(const Subject& op) {
  const Types inputs = op.GroupTypes(0);
  if (inputs.empty()) return op.Error("there is no input");
  const Type& first = *inputs.front();
  for (const Type* input : inputs) {
    if (CompatibleShapes(*input, first)) continue;
    return op.Error("the shapes of inputs differ: ", TypesText(inputs));
  }
  const Dims dimensions = op.Ints("dimensions");
  AXLE_TRY(CheckDimsInRange(op, "dimensions", dimensions, RankOf(first)));
  AXLE_TRY(CheckDistinct(op, "dimensions", dimensions));
  std::vector<bool> is_reduced(first.dims.size());
  for (const i64 dim : dimensions) is_reduced[static_cast<size_t>(dim)] = true;
  Dims dims, bounds;
  for (size_t d = 0; d < first.dims.size(); ++d) {
    if (is_reduced[d]) continue;
    dims.push_back(first.dims[d]);
    bounds.push_back(BoundOf(first, d));
  }
  AXLE_TRY(VerifyReducer(op, 0, inputs, op.GroupTypes(1), dims));
  std::vector<Type> implied;
  for (const Type* accumulator : op.Returned(0)) {
    implied.push_back(TensorOf(*accumulator->of, dims, bounds));
  }
  return op.CheckResults(implied);
}

Status VerifyMap(const Subject& op) {
  if (op.num_operands() == 0) return op.Error("there is no operand");
  const Types arguments = op.Arguments(0);
  const Types returned = op.Returned(0);
  if (arguments.size() != op.num_operands() || returned.size() != 1) {
    return op.Error("region computation takes ", arguments.size(), " values and returns ",
                    returned.size(), ", not ", op.num_operands(), " and 1");
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type scalar = op.ScalarOf(*op.operand(i).of);
    if (IsTensor(*arguments[i], scalar)) continue;
    return op.Error("argument ", i, " of region computation is ", arguments[i]->ToString(),
                    ", not ", scalar.ToString());
  }
  if (!returned[0]->is_tensor() || !returned[0]->dims.empty()) {
    return op.Error("region computation returns ", returned[0]->ToString(), ", not a scalar");
  }
  const Dims dimensions = op.Ints("dimensions");
  const Type& operand = op.operand();
  bool is_all = dimensions.size() == operand.dims.size();
  for (size_t d = 0; is_all && d < dimensions.size(); ++d) {
    is_all = dimensions[d] == static_cast<i64>(d);
  }
  if (!is_all) {
    return op.Error("\"dimensions\" is ", DimsText(dimensions), ", not all of ", operand.ToString(),
                    " in their order");
  }
  return op.CheckResult(TensorOf(*returned[0]->of, operand.dims));
}

Status VerifySort(const Subject& op) {
  if (op.num_operands() == 0) return op.Error("there is no operand");
  const i64 rank = RankOf(op.operand());
  const i64 dimension = op.Has("dimension") ? op.Int("dimension") : -1;
  if (dimension < -rank || dimension >= rank) {
    return op.Error("\"dimension\" has ", dimension, ", which is not a dimension of rank ", rank);
  }
  const Types arguments = op.Arguments(0);
  if (arguments.size() != 2 * op.num_operands()) {
    return op.Error("region comparator takes ", arguments.size(), " values, not ",
                    2 * op.num_operands());
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Type scalar = op.ScalarOf(*op.operand(i / 2).of);
    if (IsTensor(*arguments[i], scalar)) continue;
    return op.Error("argument ", i, " of region comparator is ", arguments[i]->ToString(), ", not ",
                    scalar.ToString());
  }
  const Types returned = op.Returned(0);
  if (returned.size() != 1 || !IsTensor(*returned[0], op.ScalarOf(op.Element(PRED)))) {
    return op.Error("region comparator returns (", TypesText(returned), "), not tensor<i1>");
  }
  std::vector<Type> implied;
  for (const Type* operand : op.operands()) implied.push_back(*operand);
  return op.CheckResults(implied);
}

}  // namespace axle::stablehlo
