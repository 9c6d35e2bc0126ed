// Conversions between all element types: the meaning of the `convert` op for host values. Every
// conversion is exact or rounded once, straight from the source value (numerics.md N2).
//
//   to pred     x != 0; a NaN is true, -0 is false; of a complex value the real part decides
//   int to int  the low bits; extended by the sign of the source type
//   float to int  truncated, saturated to the target's range; NaN gives 0
//   to float    nearest, ties to even; core/float_format.h says what overflow becomes
//   to complex  (x, +0); from complex: the real part, or each part
#pragma once
#include "axle/core/element_type.h"
#include "axle/core/literal.h"
#include "axle/core/status.h"

namespace axle {

// Converts `n` elements; both types are array types. The ranges do not overlap.
void ConvertElements(ElementType from, const void* source, ElementType to, void* target, i64 n);

// The same dimensions and layout with another element type.
// Errors: INVALID_ARGUMENT if the literal or the type is not an array (type).
StatusOr<Literal> Convert(const Literal& literal, ElementType type);

// The same of a scalar that somebody wrote down, which `type` must have. It is what HLO text of
// that type may spell (literal_text.cc, number_text.h), but for whole numbers, which a float may
// hold: fractions are rounded for floats and refused for integers; so are numbers that are out of
// the range, where a conversion wraps, saturates or gives an infinity, infinities and NaNs of types
// that have none, and of pred all but 0 and 1. A complex number is none of a real type. Errors:
// INVALID_ARGUMENT, "300 is out of the range of s8, -128 to 127".
StatusOr<Literal> ConvertNumber(const Literal& number, ElementType type);

}  // namespace axle
