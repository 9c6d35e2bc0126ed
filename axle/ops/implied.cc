#include "axle/ops/implied.h"

#include "axle/ops/op_def.h"

namespace axle {
namespace {

template <typename Attrs>
AttrBlock MakeAttrs(Opcode opcode, Attrs values) {
  return {GetOpDef(opcode).attrs, std::make_shared<Attrs>(std::move(values))};
}

}  // namespace

Instruction* AddTupleElement(HloComputation& computation, Instruction* tuple, i64 index,
                             std::string_view name) {
  return computation.Add({.opcode = Opcode::kGetTupleElement,
                          .name = name,
                          .shape = tuple->shape().element(index),
                          .operands = {&tuple, 1},
                          .attrs = MakeAttrs(Opcode::kGetTupleElement, TupleIndexAttrs{index})});
}

Instruction* AddParameter(HloComputation& computation, i64 number, const Shape& shape,
                          std::string_view name) {
  return computation.Add({.opcode = Opcode::kParameter,
                          .name = name,
                          .shape = shape,
                          .attrs = MakeAttrs(Opcode::kParameter, ParameterAttrs{number})});
}

}  // namespace axle
