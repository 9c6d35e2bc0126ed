// Glue to core/convert.h, which all conversions without a vector path use.

#include "axle/kernels/conversions.h"

#include <cstring>

#include "axle/core/convert.h"

namespace axle {

void ConvertFactors(ElementType from, ElementType factor, ElementType sum, const void* source,
                    void* target, i64 n) {
  alignas(16) std::byte factors[64 * sizeof(Bits128)];
  if (from == factor) return ConvertElements(from, source, sum, target, n);
  if (factor == sum) return ConvertElements(from, source, sum, target, n);
  ConvertElements(from, source, factor, factors, n);
  ConvertElements(factor, factors, sum, target, n);
}

void ConvertSums(ElementType sum, ElementType result, const void* source, void* target, i64 n) {
  if (sum != result) return ConvertElements(sum, source, result, target, n);
  std::memcpy(target, source, n * Info(sum).bytes);
  if (!IsSubByte(result) || IsFloating(result)) return;
  const int unused = 8 - Info(result).bits;
  auto* bytes = static_cast<std::uint8_t*>(target);
  for (i64 i = 0; i < n; ++i) {
    const auto shifted = static_cast<std::uint8_t>(bytes[i] << unused);
    bytes[i] = IsSigned(result)
                   ? static_cast<std::uint8_t>(static_cast<std::int8_t>(shifted) >> unused)
                   : static_cast<std::uint8_t>(shifted >> unused);
  }
}

}  // namespace axle
