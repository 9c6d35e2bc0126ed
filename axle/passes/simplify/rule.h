// Rewrite rules as data. A rule finds its pattern at an instruction of the op `root` and says what
// gives the same bits for less. What it may not do is looked after by who applies it
// (simplify.cc): instructions with effects, annotations, tokens or dynamic dimensions are never
// shown to it, and a replacement of another shape or layout is dropped.
//
// A new rule is a row in one of the files of this folder. The test walks the rows; see
// CONTRIBUTING.md.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "axle/passes/facts.h"

namespace axle {

// Makes instructions for rules, behind everything that is there already.
class Maker {
 public:
  virtual ~Maker() = default;
  virtual Instruction* Add(Opcode opcode, const Shape& shape,
                           std::span<Instruction* const> operands, AttrBlock attrs,
                           std::span<HloComputation* const> callees) = 0;

  Instruction* Make(Opcode opcode, const Shape& shape, std::vector<Instruction*> operands) {
    const AttrSchema& schema = GetOpDef(opcode).attrs;
    return Add(opcode, shape, operands, {schema, schema.create()}, {});
  }
  template <typename Attrs>
  Instruction* Make(Opcode opcode, const Shape& shape, std::vector<Instruction*> operands,
                    Attrs attrs) {
    return Add(opcode, shape, operands,
               {GetOpDef(opcode).attrs, std::make_shared<const Attrs>(std::move(attrs))}, {});
  }
  // The op of `inst` with its attributes on other operands.
  Instruction* Again(const Instruction& inst, std::vector<Instruction*> operands) {
    return Add(inst.opcode(), inst.shape(), operands, inst.attr_block(), {});
  }
  // An array all of whose elements are this scalar.
  Instruction* Uniform(const Shape& shape, const Literal& scalar);
  // The same of the integer, or false and true; only the low bits count.
  Instruction* Uniform(const Shape& shape, i64 value);
};

struct Rule {
  std::string_view name;
  std::string_view algebra;  // what becomes what, in one line
  std::string_view why;      // every bit stays, or of which types it does
  Opcode root;
  // The replacement, which is there already or is made; null if the pattern is not there.
  Instruction* (*rewrite)(Maker& to, Instruction& inst);
  std::string_view sample;        // the body of an entry computation in which the rule fires
  std::string_view helpers = "";  // computations that the sample calls
  bool takes_dynamic = false;     // also of values with dynamic dimensions
};

std::vector<const Rule*> AllRules();

// For patterns.

// The operand of the operand, if that is this op; else null.
inline Instruction* Under(const Instruction& inst, Opcode opcode, i64 i = 0) {
  Instruction* operand = inst.operand(i);
  return Is(*operand, opcode) && operand->num_operands() > 0 ? operand->operand(0) : nullptr;
}
inline ElementType TypeOf(const Instruction& inst) {
  return inst.shape().type();
}
inline bool IsInteger(const Instruction& inst) {
  return IsIntegral(TypeOf(inst));
}
inline bool IsIntegerOrPred(const Instruction& inst) {
  return IsInteger(inst) || TypeOf(inst) == PRED;
}
// A float type with a sign: all but f8e8m0fnu.
inline bool IsSignedFloat(const Instruction& inst) {
  return IsFloating(TypeOf(inst)) && Info(TypeOf(inst)).format.is_signed;
}

// The one element of a constant, or of a constant that is repeated; empty if there is none.
std::span<const std::byte> UniformBytes(const Instruction& inst);
// An integer or pred of which all elements are this one; unsigned as the bits of an i64.
std::optional<i64> UniformInteger(const Instruction& inst);
bool IsUniformZero(const Instruction& inst);  // +0 of floats, 0, false
bool IsUniformOne(const Instruction& inst);   // not of complex types; true is one
bool IsUniformOnes(const Instruction& inst);  // all bits of an integer, true
bool IsUniformNegativeZero(const Instruction& inst);
bool IsUniformInfinity(const Instruction& inst);
bool IsUniformNegativeInfinity(const Instruction& inst);

}  // namespace axle
