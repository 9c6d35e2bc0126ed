#include "axle/builder/constants.h"

#include <cstring>

#include "axle/builder/emit.h"

namespace axle {
namespace {

bool IsUniform(const Literal& literal) {
  const auto bytes = static_cast<size_t>(Info(literal.shape().type()).bytes);
  for (i64 i = 1; i < literal.num_elements(); ++i) {
    if (std::memcmp(literal.bytes(), literal.bytes() + i * bytes, bytes) != 0) return false;
  }
  return true;
}

}  // namespace

XlaOp Parameter(XlaBuilder* builder, i64 number, const Shape& shape, std::string_view name,
                Location location) {
  return AppendTo(builder,
                  {.opcode = Opcode::kParameter,
                   .attrs = Block(Opcode::kParameter, ParameterAttrs{number}),
                   .declared = shape,
                   .name = name},
                  location);
}

XlaOp ConstantLiteral(XlaBuilder* builder, const Literal& literal, Location location) {
  if (builder == nullptr) return {};
  Literal value = literal.ToRowMajor();
  const Shape& shape = value.shape();
  if (shape.is_array() && value.num_elements() > 1 && IsUniform(value)) {
    const Literal scalar = Literal::View(Shape(shape.type()), value.bytes());
    Literal owned{scalar.shape()};
    std::memcpy(owned.mutable_bytes(), scalar.bytes(), static_cast<size_t>(scalar.num_bytes()));
    return Expand(ConstantLiteral(builder, owned, location), {}, shape.dims(), location);
  }
  value.OwnStorage();  // the module outlives the memory that a view refers to
  return AppendTo(builder,
                  {.opcode = Opcode::kConstant,
                   .attrs = Block(Opcode::kConstant, ConstantAttrs{value}),
                   .declared = shape},
                  location);
}

XlaOp Iota(XlaBuilder* builder, const Shape& shape, i64 iota_dimension, Location location) {
  return AppendTo(builder,
                  {.opcode = Opcode::kIota,
                   .attrs = Block(Opcode::kIota, IotaAttrs{iota_dimension}),
                   .declared = shape},
                  location);
}

XlaOp Iota(XlaBuilder* builder, PrimitiveType type, i64 size, Location location) {
  return Iota(builder, Shape(type, {size}), 0, location);
}

}  // namespace axle
