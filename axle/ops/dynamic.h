// How ops run on values with dynamic dimensions, whose run-time sizes are below their bounds.
//
// There is one mechanism. Every operand is cut to the elements that it really has; the instruction
// is made once more with those static shapes (Substitute), so that its row's own rules check the
// sizes and give those of the result; its definition runs; and the result is put in front of an
// array of the bounds. Padding is never read, because it is not there. Classes of ops:
//
//   elementwise     dynamic operands agree in their sizes; static ones are cut to them:
//                   EvaluateCutAlike
//   control flow    values pass through as they are, and computations run on them
//   data            likewise
//   ops with a declared result shape   UNIMPLEMENTED without an eval_dynamic of their own
//   anything else   as above: EvaluateCut
//
// A row with other rules has OpDef::eval_dynamic, which is made of the same functions.
#pragma once
#include <memory>
#include <utility>

#include "axle/ops/op_def.h"

namespace axle {

// True if a shape of `inst` has a dynamic dimension, so that EvaluateDynamic has to run it.
bool IsDynamic(const Instruction& inst);

// Runs `inst` on operands with run-time sizes. The result has the dynamic flags of inst.shape(). It
// is an error if sizes do not fit together, or if a static dimension would change its size.
StatusOr<Literal> EvaluateDynamic(const Instruction& inst, std::span<Literal> operands,
                                  const EvalContext& context);

// An instruction that stands in for another one on operands of other shapes, in a module of its
// own.
class Substitute {
 public:
  // `inst` on operands of these shapes. `declared` is the result shape of an op that declares its
  // dimensions. An error of the row's rules names the sizes that led to it.
  static StatusOr<Substitute> Create(const Instruction& inst, std::span<const Literal> operands,
                                     const Shape* declared = nullptr) {
    return Make(inst, inst.opcode(), inst.attr_block(), operands, declared);
  }
  // The same with other attributes.
  template <typename Attrs>
  static StatusOr<Substitute> Create(const Instruction& inst, const Attrs& attrs,
                                     std::span<const Literal> operands) {
    return CreateAs(inst.opcode(), inst, attrs, operands);
  }
  // Another op, with the computations that `inst` calls.
  template <typename Attrs>
  static StatusOr<Substitute> CreateAs(Opcode opcode, const Instruction& inst, const Attrs& attrs,
                                       std::span<const Literal> operands) {
    return Make(inst, opcode, {GetOpDef(opcode).attrs, std::make_shared<const Attrs>(attrs)},
                operands, nullptr);
  }

  const Instruction& inst() const { return *inst_; }
  // Runs the op's definition.
  StatusOr<Literal> Evaluate(std::span<Literal> operands, const EvalContext& context) const;

 private:
  static StatusOr<Substitute> Make(const Instruction& inst, Opcode opcode, AttrBlock attrs,
                                   std::span<const Literal> operands, const Shape* declared);

  std::unique_ptr<Module> module_;
  const Instruction* inst_ = nullptr;
};

// Runs the op on the valid parts of its operands and puts the result into an array of the bounds.
StatusOr<Literal> EvaluateCut(const Instruction& inst, std::span<Literal> operands,
                              const EvalContext& context);
// The same for ops whose operands have the same dimensions, scalars excepted: dynamic operands must
// agree in their sizes, static operands are cut to them.
StatusOr<Literal> EvaluateCutAlike(const Instruction& inst, std::span<Literal> operands,
                                   const EvalContext& context);
// The sizes that the operands agree on, or an error that names the operands that do not agree.
StatusOr<Dims> AgreedSizes(const Instruction& inst, std::span<const Literal> operands);

// Puts a value of static shapes into arrays of the bounds of inst.shape().
StatusOr<Literal> PutIntoBounds(const Instruction& inst, const Literal& value);

// The whole array, padding included, as a value whose static shape is the bound.
Literal WholeBuffer(const Literal& value);
// The first sizes[d] elements in each dimension d; sizes[d] <= value.shape().dim(d). Shares storage
// if that is the whole value.
Literal FirstElements(const Literal& value, const Dims& sizes);
// Makes an array of static shape larger: every element behind those of `value` is `fill`, a scalar
// of the same type.
StatusOr<Literal> Extended(const Literal& value, const Dims& sizes, const Literal& fill);

}  // namespace axle
