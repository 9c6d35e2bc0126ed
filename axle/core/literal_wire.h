// ShapeProto, LayoutProto and LiteralProto: here because attribute values hold shapes and literals.
// Errors are those of WireReader.
#pragma once
#include "axle/core/literal.h"
#include "axle/core/wire.h"

namespace axle {

// Arrays always say their layout, as XLA has it.
WireWriter ShapeMessage(const Shape& shape);
// From the message in the current field of `in`; checked by CheckShape.
StatusOr<Shape> ReadShape(const WireReader& in);

// Elements in the order of the literal's layout.
WireWriter LiteralMessage(const Literal& literal);
// Row-major. There must be as many elements as the shape says, so that no more memory is taken than
// the message has.
StatusOr<Literal> ReadLiteral(const WireReader& in);

}  // namespace axle
