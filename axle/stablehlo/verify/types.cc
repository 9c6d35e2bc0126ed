#include "axle/stablehlo/verify/types.h"

#include <algorithm>

#include "axle/core/strings.h"

namespace axle::stablehlo {

using mlir::Type;
using mlir::TypeKind;

bool IsShaped(const Type& type) {
  return type.kind == TypeKind::kTensor || type.kind == TypeKind::kUnranked ||
         type.kind == TypeKind::kBuffer;
}

const Type& ElementTypeOf(const Type& type) {
  return IsShaped(type) ? *type.of : type;
}

const mlir::Quantization* QuantizationOf(const Type& type) {
  const Type& element = ElementTypeOf(type);
  return element.kind == TypeKind::kQuantized ? &element.quantization : nullptr;
}

i64 BoundOf(const Type& tensor, size_t dim) {
  return dim < tensor.bounds.size() ? tensor.bounds[dim] : mlir::kDynamic;
}

i64 SizeOrBound(const Type& tensor, size_t dim) {
  return IsOpenSize(tensor.dims[dim]) ? BoundOf(tensor, dim) : tensor.dims[dim];
}

std::optional<i64> NumElements(const Type& tensor) {
  i64 count = 1;
  for (const i64 size : tensor.dims) {
    if (IsOpenSize(size)) return std::nullopt;
    const std::optional<i64> product = CheckedMul(count, size);
    if (!product) return std::nullopt;
    count = *product;
  }
  return count;
}

bool CompatibleSizes(i64 a, i64 b) {
  return IsOpenSize(a) || IsOpenSize(b) || a == b;
}

bool CompatibleDims(const Dims& a, const Dims& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!CompatibleSizes(a[i], b[i])) return false;
  }
  return true;
}

bool CompatibleShapes(const Type& a, const Type& b) {
  if (!IsShaped(a) || !IsShaped(b)) return IsShaped(a) == IsShaped(b);
  if (a.kind == TypeKind::kUnranked || b.kind == TypeKind::kUnranked) return true;
  return CompatibleDims(a.dims, b.dims);
}

bool CompatibleElements(const Type& a, const Type& b) {
  const mlir::Quantization* of_a = QuantizationOf(a);
  const mlir::Quantization* of_b = QuantizationOf(b);
  if ((of_a == nullptr) != (of_b == nullptr)) return false;
  if (of_a == of_b && of_a != nullptr) return true;
  if (of_a == nullptr) return ElementTypeOf(a) == ElementTypeOf(b);
  return of_a->storage == of_b->storage && of_a->storage_min == of_b->storage_min &&
         of_a->storage_max == of_b->storage_max && of_a->expressed == of_b->expressed &&
         IsPerAxis(of_a) == IsPerAxis(of_b);
}

namespace {

bool IsFloatElement(const Type& element) {
  return element.kind == TypeKind::kElement && IsFloating(element.element);
}

// No size of `a` is above the bound of `b`.
bool WithinBounds(const Type& a, const Type& b) {
  for (size_t i = 0; i < a.dims.size(); ++i) {
    const i64 bound = BoundOf(b, i);
    if (!IsOpenSize(bound) && bound < a.dims[i]) return false;
  }
  return true;
}

}  // namespace

bool SameElements(const Type& a, const Type& b, bool any_float) {
  const Type& of_a = ElementTypeOf(a);
  const Type& of_b = ElementTypeOf(b);
  return &of_a == &of_b || of_a == of_b ||
         (any_float && IsFloatElement(of_a) && IsFloatElement(of_b));
}

bool IsTensor(const Type& type, const Type& expected) {
  return type.is_tensor() && type.dims == expected.dims && type.bounds == expected.bounds &&
         *type.of == *expected.of;
}

bool CompatibleTypes(const Type& a, const Type& b) {
  if (!IsShaped(a) || !IsShaped(b)) return a == b;
  if (!CompatibleShapes(a, b) || !CompatibleElements(a, b)) return false;
  if (a.kind == TypeKind::kUnranked || b.kind == TypeKind::kUnranked) return true;
  return WithinBounds(a, b) && WithinBounds(b, a);
}

bool IsPromotable(const Type& from, const Type& to) {
  if (!IsShaped(from) || !IsShaped(to)) return false;
  const mlir::Quantization* of_from = QuantizationOf(from);
  const mlir::Quantization* of_to = QuantizationOf(to);
  if ((of_from == nullptr) != (of_to == nullptr)) return false;
  const ElementType a = mlir::ElementOf(from);
  const ElementType b = mlir::ElementOf(to);
  if (of_from != nullptr) {
    return of_from->expressed == of_to->expressed && Info(a).bits <= Info(b).bits;
  }
  const auto is_integer = [](ElementType type) { return IsIntegral(type) || type == PRED; };
  const auto bits = [](ElementType type) { return type == PRED ? 1 : Info(type).bits; };
  if (IsFloating(a)) return IsFloating(b);
  if (is_integer(a) ? !is_integer(b) : !(IsComplex(a) && IsComplex(b))) return false;
  return bits(a) <= bits(b);
}

std::string TypesText(const Types& types) {
  constexpr size_t kMax = 8;
  const std::span<const Type* const> first(types.data(), std::min(types.size(), kMax));
  const std::string text = Join(first, ", ", [](const Type* type) { return type->ToString(); });
  return types.size() <= kMax ? text : StrCat(text, ", ... (", types.size(), " in all)");
}

std::string SizeText(i64 size) {
  return IsOpenSize(size) ? "?" : StrCat(size);
}

std::string DimsText(const Dims& dims) {
  return StrCat("[", Join(dims, ", ", SizeText), "]");
}

Type TensorOf(const Type& element, Dims dims, Dims bounds) {
  if (std::ranges::all_of(bounds, IsOpenSize)) bounds.clear();
  return {.kind = TypeKind::kTensor,
          .of = &element,
          .dims = std::move(dims),
          .bounds = std::move(bounds)};
}

}  // namespace axle::stablehlo
