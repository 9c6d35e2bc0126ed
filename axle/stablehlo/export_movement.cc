// Operations that move elements.
#include <algorithm>
#include <numeric>

#include "axle/core/strings.h"
#include "axle/stablehlo/export_functions.h"

namespace axle::stablehlo {
namespace {

// dimensions={d} of an operation for one dimension.
StatusOr<Bundle*> WithDimension(const Spot& spot, std::string_view name) {
  Attributes attributes = spot.attributes();
  attributes.Int("dimension", spot.inst().attrs<DimensionsAttrs>().dimensions[0]);
  return spot.AddResult(name, spot.operands(), std::move(attributes));
}

StatusOr<Bundle*> WithDimensions(const Spot& spot, std::string_view name,
                                 std::string_view attribute) {
  Attributes attributes = spot.attributes();
  attributes.Ints(attribute, spot.inst().attrs<DimensionsAttrs>().dimensions);
  return spot.AddResult(name, spot.operands(), std::move(attributes));
}

// Operands with start indices from `first` on: one scalar for each dimension. An older form of HLO
// has them in one array.
Values WithScalarStarts(const Spot& spot, i64 first) {
  const Instruction& inst = spot.inst();
  Values operands = spot.operands(0, first);
  const bool is_array =
      inst.num_operands() == first + 1 && inst.operand(first)->shape().rank() == 1;
  if (!is_array) {
    const Values starts = spot.operands(first, inst.num_operands());
    operands.insert(operands.end(), starts.begin(), starts.end());
    return operands;
  }
  mlir::Value* all = spot.operand(first);
  const ElementType type = inst.operand(first)->shape().type();
  for (i64 d = 0; d < inst.operand(first)->shape().dim(0); ++d) {
    Attributes attributes = spot.attributes();
    attributes.Ints("start_indices", {d}).Ints("limit_indices", {d + 1}).Ints("strides", {1});
    mlir::Value* one =
        spot.AddValue("stablehlo.slice", {all}, Shape(type, {1}), std::move(attributes));
    operands.push_back(spot.Reshape(one, Shape(type)));
  }
  return operands;
}

// Dimensions from the slowest to the fastest in memory.
Dims MajorToMinor(const Shape& shape) {
  Dims order = shape.LayoutOrDefault().minor_to_major;
  std::ranges::reverse(order);
  return order;
}

bool IsPlain(const Shape& shape) {
  Layout plain = Layout::RowMajor(shape.rank());
  const Layout layout = shape.LayoutOrDefault();
  plain.minor_to_major = layout.minor_to_major;
  plain.memory_space = layout.memory_space;
  return layout == plain;
}

Dims Permuted(const Dims& dims, const Dims& order) {
  Dims result;
  for (const i64 d : order) result.push_back(dims[static_cast<size_t>(d)]);
  return result;
}

}  // namespace

StatusOr<Bundle*> ExportConcatenate(const Spot& spot) {
  return WithDimension(spot, "stablehlo.concatenate");
}

StatusOr<Bundle*> ExportGetDimensionSize(const Spot& spot) {
  return WithDimension(spot, "stablehlo.get_dimension_size");
}

StatusOr<Bundle*> ExportSetDimensionSize(const Spot& spot) {
  return WithDimension(spot, "stablehlo.set_dimension_size");
}

StatusOr<Bundle*> ExportReverse(const Spot& spot) {
  return WithDimensions(spot, "stablehlo.reverse", "dimensions");
}

StatusOr<Bundle*> ExportTranspose(const Spot& spot) {
  return WithDimensions(spot, "stablehlo.transpose", "permutation");
}

StatusOr<Bundle*> ExportSlice(const Spot& spot) {
  Dims starts, limits, strides;
  for (const SliceDim& d : spot.inst().attrs<SliceAttrs>().slice) {
    starts.push_back(d.start);
    limits.push_back(d.limit);
    strides.push_back(d.stride);
  }
  Attributes attributes = spot.attributes();
  attributes.Ints("start_indices", starts).Ints("limit_indices", limits).Ints("strides", strides);
  return spot.AddResult("stablehlo.slice", spot.operands(), std::move(attributes));
}

StatusOr<Bundle*> ExportPad(const Spot& spot) {
  Dims low, high, interior;
  for (const PaddingDim& d : spot.inst().attrs<PadAttrs>().padding) {
    low.push_back(d.low);
    high.push_back(d.high);
    interior.push_back(d.interior);
  }
  Attributes attributes = spot.attributes();
  attributes.Ints("edge_padding_low", low)
      .Ints("edge_padding_high", high)
      .Ints("interior_padding", interior);
  return spot.AddResult("stablehlo.pad", spot.operands(), std::move(attributes));
}

StatusOr<Bundle*> ExportDynamicSlice(const Spot& spot) {
  Attributes attributes = spot.attributes();
  attributes.Ints("slice_sizes", spot.inst().attrs<DynamicSliceAttrs>().dynamic_slice_sizes);
  return spot.AddResult("stablehlo.dynamic_slice", WithScalarStarts(spot, 1),
                        std::move(attributes));
}

StatusOr<Bundle*> ExportDynamicUpdateSlice(const Spot& spot) {
  return spot.AddResult("stablehlo.dynamic_update_slice", WithScalarStarts(spot, 2));
}

StatusOr<Bundle*> ExportGather(const Spot& spot) {
  const GatherAttrs& gather = spot.inst().attrs<GatherAttrs>();
  Attributes attributes = spot.attributes();
  attributes.Ints("offset_dims", gather.offset_dims)
      .Ints("collapsed_slice_dims", gather.collapsed_slice_dims)
      .Ints("start_index_map", gather.start_index_map)
      .Ints("operand_batching_dims", gather.operand_batching_dims)
      .Ints("start_indices_batching_dims", gather.start_indices_batching_dims)
      .Int("index_vector_dim", gather.index_vector_dim)
      .Ints("slice_sizes", gather.slice_sizes)
      .Bool("indices_are_sorted", gather.indices_are_sorted);
  return spot.AddResult("stablehlo.gather", spot.operands(), std::move(attributes));
}

StatusOr<Bundle*> ExportTopk(const Spot& spot) {
  const TopkAttrs& topk = spot.inst().attrs<TopkAttrs>();
  if (!topk.largest) {
    return spot.Unsupported("CHLO's top_k gives the largest elements; use sort for the smallest");
  }
  Attributes attributes = spot.attributes();
  attributes.Int("k", topk.k);
  if (topk.is_stable == TriState::kFalse) attributes.Bool("is_stable", false);
  return spot.AddResult("chlo.top_k", spot.operands(), std::move(attributes));
}

// The sizes as one array.
StatusOr<Bundle*> ExportDynamicReshape(const Spot& spot) {
  const Instruction& inst = spot.inst();
  Values sizes;
  for (i64 i = 1; i < inst.num_operands(); ++i) {
    sizes.push_back(spot.Reshape(spot.operand(i), Shape(inst.operand(i)->shape().type(), {1})));
  }
  if (sizes.empty()) return spot.Wrap(spot.Reshape(spot.operand(0), inst.shape()), inst.shape());
  Attributes attributes = spot.attributes();
  attributes.Int("dimension", 0);
  const Shape shape(inst.operand(1)->shape().type(), {static_cast<i64>(sizes.size())});
  mlir::Value* all = spot.AddValue("stablehlo.concatenate", sizes, shape, std::move(attributes));
  return spot.AddResult("stablehlo.dynamic_reshape", {spot.operand(0), all});
}

// The bytes of the operand in the order in which they lie: the operand with its dimensions in that
// order, as other elements and in other dimensions, and back from the result's order.
StatusOr<Bundle*> ExportBitcast(const Spot& spot) {
  const Shape& from = spot.inst().operand(0)->shape();
  const Shape& to = spot.inst().shape();
  if (EqualIgnoringLayout(from, to) && from.LayoutOrDefault() == to.LayoutOrDefault()) {
    return spot.bundle(0);
  }
  if (!IsPlain(from) || !IsPlain(to)) {
    return spot.Unsupported(
        "its layouts say more than an order of the dimensions; use copy to a "
        "plain layout before it");
  }
  if (!from.is_static() || !to.is_static()) {
    return spot.Unsupported("it has dynamic dimensions; use reshape");
  }
  const bool changes_type = from.type() != to.type();
  const auto is_bytes = [](ElementType type) {
    return !IsSubByte(type) && type != PRED && !IsComplex(type);
  };
  if (changes_type && (!is_bytes(from.type()) || !is_bytes(to.type()))) {
    return spot.Unsupported(
        "the elements are not whole bytes that StableHLO's bitcast_convert "
        "takes; use bitcast-convert, or real, imag and complex");
  }
  const Dims from_order = MajorToMinor(from), to_order = MajorToMinor(to);
  Dims dims = Permuted(from.dims(), from_order);
  mlir::Value* value = spot.Transpose(spot.operand(0), Shape(from.type(), dims), from_order);
  const i64 from_bytes = Info(from.type()).bytes, to_bytes = Info(to.type()).bytes;
  if (changes_type && from_bytes < to_bytes) {
    const i64 ratio = to_bytes / from_bytes;
    value = spot.Reshape(value, Shape(from.type(), {from.num_elements() / ratio, ratio}));
    dims = {from.num_elements() / ratio};
  } else if (changes_type && from_bytes > to_bytes) {
    dims.push_back(from_bytes / to_bytes);
  }
  if (changes_type) {
    value = spot.AddValue("stablehlo.bitcast_convert", {value}, Shape(to.type(), dims));
  }
  value = spot.Reshape(value, Shape(to.type(), Permuted(to.dims(), to_order)));
  Dims inverse(to_order.size());
  for (size_t i = 0; i < to_order.size(); ++i) {
    inverse[static_cast<size_t>(to_order[i])] = static_cast<i64>(i);
  }
  return spot.Wrap(spot.Transpose(value, to.WithoutLayout(), inverse), to);
}

}  // namespace axle::stablehlo
