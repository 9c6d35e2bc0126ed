// Literals as messages between processes: the run-time sizes of each array, 8 bytes each, and then
// its elements as they are stored; the arrays of a tuple one after the other.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "axle/core/literal.h"
#include "axle/core/status.h"

namespace axle {

// The bytes of a literal of this shape.
i64 PackedBytes(const Shape& shape);
// Writes PackedBytes(literal.shape()) bytes. The literal is row-major.
void PackLiteral(const Literal& literal, std::byte* to);
// The literal of this shape, which is row-major. DATA_LOSS if sizes do not fit it;
// RESOURCE_EXHAUSTED without memory.
StatusOr<Literal> UnpackLiteral(const Shape& shape, const std::byte* from);
// The same for shapes that are equal but for their layouts.
std::uint64_t HashOfShape(const Shape& shape);

}  // namespace axle
