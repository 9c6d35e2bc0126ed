#include "axle/lib/sorting.h"

#include "axle/lib/comparators.h"
#include "axle/lib/compose.h"

namespace axle {

XlaOp TopK(XlaOp input, i64 k, PrimitiveType index_type, Location location) {
  return Compose("topk", {input}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    const Shape& shape = ShapeOfOp(input);
    AXLE_TRY(TakesOnly("topk", shape.is_array() && shape.rank() > 0,
                       "an array of at least one dimension", input));
    AXLE_TRY(TakesOnly("topk", IsIntegral(index_type),
                       StrCat("an integral index type, got ", Name(index_type)), input));
    const i64 last = shape.rank() - 1;
    if (k < 0 || k > shape.dim(last)) {
      return InvalidArgument(StrCat("topk: k is ", k, ", must be in 0..", shape.dim(last),
                                    "; operand ", shape.ToString()));
    }
    const XlaOp positions = Iota(&b, Shape(index_type, shape.dims()), last, location);
    const XlaComputation greater =
        CreateScalarGtComputation({shape.type(), index_type}, &b, location);
    const XlaOp sorted = Sort({input, positions}, greater, last, /*is_stable=*/true, location);
    const auto front = [&](i64 index) {
      return SliceInDim(GetTupleElement(sorted, index, location), 0, k, 1, last, location);
    };
    const XlaOp values = front(0), indices = front(1);
    return Tuple(&b, {values, indices}, location);
  });
}

XlaOp TopKWithPartitions(XlaOp input, i64 k, i64 num_partitions, PrimitiveType index_type,
                         Location location) {
  return Compose("topk", {input}, location, [&](XlaBuilder&) -> StatusOr<XlaOp> {
    if (num_partitions < 1) {
      return InvalidArgument(StrCat("topk: num_partitions is ", num_partitions,
                                    ", must be >= 1; operand ", ShapesOf({input})));
    }
    return TopK(input, k, index_type, location);
  });
}

XlaOp ApproxTopK(XlaBuilder* builder, ArraySlice<XlaOp> operands, ArraySlice<XlaOp> init_values,
                 i64 top_k, i64 reduction_dim, const XlaComputation& comparator,
                 float recall_target, bool aggregate_to_topk, i64 /*reduction_input_size_override*/,
                 Location location) {
  if (operands.empty()) {
    Status none = InvalidArgument("approx topk: there are no operands");
    return builder == nullptr ? XlaOp() : builder->ReportError(none, location);
  }
  return Compose("approx topk", operands, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
    const Shape& shape = ShapeOfOp(operands[0]);
    const auto bad = [&](const std::string& what) {
      return InvalidArgument(StrCat("approx topk: ", what, "; operands ", ShapesOf(operands)));
    };
    if (!shape.is_array() || reduction_dim < 0 || reduction_dim >= shape.rank()) {
      return bad(StrCat("there is no dimension ", reduction_dim));
    }
    if (init_values.size() != operands.size()) {
      return bad(StrCat("there are ", init_values.size(), " init_values"));
    }
    if (top_k < 0 || top_k > shape.dim(reduction_dim)) {
      return bad(StrCat("top_k is ", top_k, ", must be in 0..", shape.dim(reduction_dim)));
    }
    if (!(recall_target > 0 && recall_target <= 1)) {
      return bad(StrCat("recall_target is ", recall_target, ", must be above 0 and at most 1"));
    }
    if (!aggregate_to_topk) {
      return Unimplemented(
          "approx topk: aggregate_to_topk = false; take true, and as many results as you need");
    }
    const XlaOp sorted = Sort(operands, comparator, reduction_dim, /*is_stable=*/true, location);
    std::vector<XlaOp> results;
    for (i64 i = 0; i < static_cast<i64>(operands.size()); ++i) {
      const XlaOp line = operands.size() == 1 ? sorted : GetTupleElement(sorted, i, location);
      results.push_back(SliceInDim(line, 0, top_k, 1, reduction_dim, location));
    }
    return Tuple(&b, results, location);
  });
}

}  // namespace axle
