// Conversions of element types without a fast path, which kernels leave to the library.
#pragma once
#include "axle/core/element_type.h"

namespace axle {

// Converts n adjacent elements, at most 64, from type `from` to `factor` and then to `sum`, as
// core/convert.h does.
void ConvertFactors(ElementType from, ElementType factor, ElementType sum, const void* source,
                    void* target, std::int64_t n);

// Converts n sums to elements of `result`; integers of less than 8 bits wrap into their range.
void ConvertSums(ElementType sum, ElementType result, const void* source, void* target,
                 std::int64_t n);

}  // namespace axle
