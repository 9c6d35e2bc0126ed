// Relations between types that StableHLO's rules speak of. An open size (`?`) stands for any size,
// so that rules compare what both types state.
#pragma once
#include <optional>
#include <span>

#include "axle/stablehlo/mlir/ir.h"

namespace axle::stablehlo {

using Types = std::vector<const mlir::Type*>;

inline bool IsOpenSize(i64 size) {
  return size == mlir::kDynamic;
}
inline i64 RankOf(const mlir::Type& tensor) {
  return static_cast<i64>(tensor.dims.size());
}
// Tensors with and without a rank, and buffers: types that have elements.
bool IsShaped(const mlir::Type& type);
// The type of the elements; of a type without elements the type itself.
const mlir::Type& ElementTypeOf(const mlir::Type& type);
// What a quantized tensor or element says; null for others.
const mlir::Quantization* QuantizationOf(const mlir::Type& type);
inline bool IsPerAxis(const mlir::Quantization* quantization) {
  return quantization != nullptr && quantization->axis >= 0;
}

// The bound of a dimension; kDynamic if it has none.
i64 BoundOf(const mlir::Type& tensor, size_t dim);
// The size, or, of an open dimension, the bound; kDynamic if it has neither.
i64 SizeOrBound(const mlir::Type& tensor, size_t dim);
// Nothing if a size is open or the product does not fit.
std::optional<i64> NumElements(const mlir::Type& tensor);

bool CompatibleSizes(i64 a, i64 b);
bool CompatibleDims(const Dims& a, const Dims& b);
// Of types with elements. A type without a rank fits all.
bool CompatibleShapes(const mlir::Type& a, const mlir::Type& b);
// Equal, or quantized alike but for scales and zero points.
bool CompatibleElements(const mlir::Type& a, const mlir::Type& b);
// Equal elements. `any_float`: all floats count as one.
bool SameElements(const mlir::Type& a, const mlir::Type& b, bool any_float = false);
// The same tensor, whether or not both are types of the module.
bool IsTensor(const mlir::Type& type, const mlir::Type& expected);
// Compatible shapes and elements, and no size above the other's bound; other types are equal.
bool CompatibleTypes(const mlir::Type& a, const mlir::Type& b);
// Whether elements of `from` can become those of `to` without a change of their class: integers,
// floats, complex numbers, or numbers quantized with one expressed type. Only floats may lose bits.
bool IsPromotable(const mlir::Type& from, const mlir::Type& to);

// "tensor<f32>, tensor<i32>"; of many the first ones.
std::string TypesText(const Types& types);
// "2", or "?" of an open one.
std::string SizeText(i64 size);
// "[2, ?]".
std::string DimsText(const Dims& dims);

// The tensor of these elements; compared by value, and not one of the module's types.
mlir::Type TensorOf(const mlir::Type& element, Dims dims, Dims bounds = {});

}  // namespace axle::stablehlo
