// Conversions that kernels leave to the library, of types that have no fast path.
#pragma once
#include "axle/core/element_type.h"

namespace axle {

// n neighbours of type `from`, converted to `factor` and then to `sum` as core/convert.h does it.
// At most 64.
void ConvertFactors(ElementType from, ElementType factor, ElementType sum, const void* source,
                    void* target, std::int64_t n);

// n sums as elements of `result`; integers of less than 8 bits are brought back into their range.
void ConvertSums(ElementType sum, ElementType result, const void* source, void* target,
                 std::int64_t n);

}  // namespace axle
