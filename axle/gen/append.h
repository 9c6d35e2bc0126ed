// Adds instructions to a computation that is there already.
#pragma once
#include <memory>
#include <span>

#include "axle/ops/op_def.h"

namespace axle {

template <typename Attrs = NoAttrs>
Instruction* Append(HloComputation& to, std::string_view name, Opcode opcode, const Shape& shape,
                    std::span<Instruction* const> operands, Attrs attrs = {},
                    std::span<HloComputation* const> callees = {}) {
  return to.Add(
      {.opcode = opcode,
       .name = name,
       .shape = shape,
       .operands = operands,
       .callees = callees,
       .attrs = {GetOpDef(opcode).attrs, std::make_shared<const Attrs>(std::move(attrs))}});
}

}  // namespace axle
