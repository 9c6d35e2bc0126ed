// Splits a reduction of c64 or c128 into the reduction of two float arrays. Example, a search for
// the number of the largest magnitude:
//
//   reduce(z, i; reducer(a, b))  ->  r = reduce(real(z), imag(z), real(i), imag(i); reducer')
//                                    complex(r.0, r.1)
//
// reducer' builds complex numbers from its parameters, runs a copy of the reducer on them and
// returns the parts of its results; `simplify` removes the pairs of complex and real or imag. Both
// the old and the new reducer must take one element after the other (FoldsOneByOne): if a part of
// the new one would be recognised as a sum or product of floats, its order would change, so the
// reduction stays and dead-code elimination removes the unused reducer. Floats of two widths cannot
// be operands of one reduction, so such reductions stay too.

#include "axle/passes/complex.h"

#include <algorithm>

#include "axle/ops/attributes/attributes.h"
#include "axle/ops/dynamic.h"
#include "axle/passes/dce.h"
#include "axle/passes/rebuild.h"
#include "axle/passes/simplify/rule.h"

namespace axle {
namespace {

class Separation : public Rebuilder, private Maker {
 public:
  Separation(const Module& module, PassContext& context)
      : Rebuilder(module, context.limits), context_(context) {}
  bool leaves_garbage() const { return leaves_garbage_; }

 private:
  StatusOr<Instruction*> Visit(const Instruction& inst) override {
    if (GetOpDef(inst).lowering != Lowering::kReduce || IsTied(inst) || IsDynamic(inst)) {
      return Copy(inst);
    }
    replaced_ = &inst;
    Instruction* const made = Separate(inst);
    if (made == nullptr) return Copy(inst);
    ++context_.changes;
    return made;
  }

  // The element types of the components; empty if operand, init and result of one differ.
  static std::vector<ElementType> TypesOf(const Instruction& inst) {
    const i64 n = inst.num_operands() / 2;
    std::vector<ElementType> types;
    for (i64 i = 0; i < n; ++i) {
      const Shape& result = inst.shape().is_tuple() ? inst.shape().element(i) : inst.shape();
      types.push_back(result.type());
      if (inst.operand(i)->shape().type() != types[i]) return {};
      if (inst.operand(n + i)->shape().type() != types[i]) return {};
    }
    return types;
  }

  Instruction* Separate(const Instruction& inst) {
    const std::vector<ElementType> types = TypesOf(inst);
    if (std::ranges::none_of(types, [](ElementType type) { return IsComplex(type); })) {
      return nullptr;
    }
    const HloComputation& reducer = *Mapped(*inst.callee(0));
    const bool has_extras = std::ranges::any_of(
        reducer.instructions(), [](const Instruction* each) { return each->extras() != nullptr; });
    const Instruction& root = *reducer.root();
    if (has_extras || IsTuple(root) != inst.shape().is_tuple() || !FoldsOneByOne(reducer, types)) {
      return nullptr;
    }
    std::vector<ElementType> part_types;
    for (const ElementType type : types) {
      part_types.insert(part_types.end(), IsComplex(type) ? 2 : 1, PartOf(type));
    }
    // Floats of two types are no operands of one reduction.
    const auto first = std::ranges::find_if(part_types, IsFloating);
    const bool is_mixed = std::any_of(first, part_types.end(), [&](ElementType type) {
      return IsFloating(type) && type != *first;
    });
    if (is_mixed) return nullptr;
    leaves_garbage_ = true;  // if the reducer of parts takes another order
    HloComputation* of_parts = ReducerOfParts(reducer);
    if (!FoldsOneByOne(*of_parts, part_types)) return nullptr;
    std::vector<Instruction*> operands;
    for (Instruction* operand : Operands(inst)) AppendParts(operand, operands);
    std::vector<Shape> shapes;
    const size_t n = types.size();
    for (size_t i = 0; i < n; ++i) {
      const Shape& result = inst.shape().is_tuple() ? inst.shape().element(i) : inst.shape();
      shapes.insert(shapes.end(), IsComplex(types[i]) ? 2 : 1, result.WithType(PartOf(types[i])));
    }
    Instruction* const reduction =
        Add(inst.opcode(), Shape::Tuple(shapes), operands, inst.attr_block(), {&of_parts, 1});
    std::vector<Instruction*> results;
    i64 next = 0;
    for (size_t i = 0; i < n; ++i) {
      const Shape& result = inst.shape().is_tuple() ? inst.shape().element(i) : inst.shape();
      results.push_back(Element(reduction, next++));
      if (!IsComplex(types[i])) continue;
      results.back() = Make(Opcode::kComplex, result, {results.back(), Element(reduction, next++)});
    }
    return inst.shape().is_tuple() ? Make(Opcode::kTuple, inst.shape(), results) : results[0];
  }

  // The reducer on real and imaginary parts; its result is a tuple of parts.
  HloComputation* ReducerOfParts(const HloComputation& reducer) {
    Suspend(FreshName(reducer.name()));
    to()->set_execution_thread(reducer.execution_thread());
    std::unordered_map<const Instruction*, Instruction*> copies;
    std::vector<Instruction*> parameters;
    const auto parameter_of = [&](const Shape& shape) {
      const auto number = static_cast<i64>(parameters.size());
      parameters.push_back(Make(Opcode::kParameter, shape, {}, ParameterAttrs{number}));
      return parameters.back();
    };
    for (const Instruction* parameter : reducer.parameters()) {
      const Shape part(PartOf(parameter->shape().type()));
      Instruction* const first = parameter_of(part);
      copies[parameter] =
          IsComplex(parameter->shape().type())
              ? Make(Opcode::kComplex, parameter->shape(), {first, parameter_of(part)})
              : first;
    }
    to()->set_parameters(parameters);
    std::vector<const Instruction*> body, results = {reducer.root()};
    if (IsTuple(*reducer.root())) {
      results.clear();
      for (i64 i = 0; i < reducer.root()->num_operands(); ++i) {
        results.push_back(reducer.root()->operand(i));
      }
    }
    for (const Instruction* inst : reducer.instructions()) {
      if (inst != reducer.root() || !IsTuple(*inst)) body.push_back(inst);
    }
    CopyAll(body, /*rename=*/true, copies);
    std::vector<Instruction*> parts;
    for (const Instruction* result : results) AppendParts(copies.at(result), parts);
    std::vector<Shape> shapes;
    for (const Instruction* part : parts) shapes.push_back(part->shape());
    Make(Opcode::kTuple, Shape::Tuple(shapes), parts);
    return Resume();
  }

  void AppendParts(Instruction* value, std::vector<Instruction*>& parts) {
    const ElementType type = value->shape().type();
    if (!IsComplex(type)) return parts.push_back(value);
    const Shape part = value->shape().WithType(PartOf(type));
    parts.push_back(Make(Opcode::kReal, part, {value}));
    parts.push_back(Make(Opcode::kImag, part, {value}));
  }
  static ElementType PartOf(ElementType type) {
    return type == C64 ? F32 : type == C128 ? F64 : type;
  }
  Instruction* Element(Instruction* tuple, i64 i) {
    return Make(Opcode::kGetTupleElement, tuple->shape().element(i), {tuple}, TupleIndexAttrs{i});
  }

  Instruction* Add(Opcode opcode, const Shape& shape, std::span<Instruction* const> operands,
                   AttrBlock attrs, std::span<HloComputation* const> callees) override {
    return Rebuilder::Make(*replaced_, opcode, shape, operands, std::move(attrs), callees);
  }
  using Maker::Make;

  PassContext& context_;
  const Instruction* replaced_ = nullptr;
  bool leaves_garbage_ = false;
};

}  // namespace

StatusOr<std::unique_ptr<Module>> TakeComplexApart(const Module& module, PassContext& context) {
  Separation separation(module, context);
  AXLE_ASSIGN(std::unique_ptr<Module> apart, separation.Run());
  if (!separation.leaves_garbage()) return apart;
  return RemoveDeadCode(*apart, context.limits);
}

}  // namespace axle
