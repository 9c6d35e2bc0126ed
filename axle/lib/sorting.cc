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

}  // namespace axle
