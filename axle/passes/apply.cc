// Expands `map`, and reductions whose reducer is not scalar arithmetic, so that later passes and
// the compiler see ordinary instructions.
//
//   map(x, y), to_apply={a * b + 1}   ->  add(multiply(x, y), broadcast(1))
//   map(x), to_apply={while ...}      ->  while (i < n) { out[i] = call(x[i]) }
//   reduce(x, init), general reducer  ->  while (i < n) { acc = call(first of a result? init : acc,
//                                                                    x[i]); out[i / size] = acc }
//
// The loops run over flat arrays, one element after the other: this is the order that numerics.md
// N4 gives to a general reducer. A reduction's operands are transposed first, so that the elements
// of one result are adjacent. A reduction of one element each needs no loop if the reducer takes
// elements one after the other (FoldsOneByOne). An instruction stays as it is if it is annotated or
// dynamic, if it has no elements, or if the array form of an instruction would lose what the scalar
// one is annotated with. The pass repeats until nothing changes, because what it calls may hold
// maps itself.

#include "axle/passes/apply.h"

#include <algorithm>

#include "axle/ops/attributes/attributes.h"
#include "axle/ops/dynamic.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/ops/lanes/straight_line.h"
#include "axle/passes/loop_maker.h"

namespace axle {
namespace {

class Application : public LoopMaker {
 public:
  using LoopMaker::LoopMaker;

 private:
  Instruction* Replacement(const Instruction& inst) override {
    const bool is_map = Is(inst, Opcode::kMap);
    const bool is_reduction = GetOpDef(inst).lowering == Lowering::kReduce;
    if ((!is_map && !is_reduction) || IsDynamic(inst) || inst.num_operands() == 0) return nullptr;
    const Shape& result = inst.shape().is_tuple() ? inst.shape().element(0) : inst.shape();
    if (inst.operand(0)->shape().num_elements() == 0 || result.num_elements() == 0) return nullptr;
    const HloComputation& applied = *Mapped(*inst.callee(0));
    const bool is_straight = CompileScalarComputation(applied).has_value();
    if (is_map) return is_straight ? Spread(inst, Operands(inst), applied) : Map(inst);
    const std::vector<ElementType> types = TypesOf(inst);
    if (types.empty()) return nullptr;
    if (!is_straight) return Reduce(inst);
    const bool is_of_one = inst.operand(0)->shape().num_elements() == result.num_elements();
    return is_of_one && FoldsOneByOne(applied, types) ? ReduceOne(inst, applied) : nullptr;
  }

  // The element types of a reduction's components; empty if operands and results differ in type.
  static std::vector<ElementType> TypesOf(const Instruction& inst) {
    const i64 n = inst.num_operands() / 2;
    std::vector<ElementType> types;
    for (i64 i = 0; i < 2 * n; ++i) {
      const Shape& result = inst.shape().is_tuple() ? inst.shape().element(i % n) : inst.shape();
      if (inst.operand(i)->shape().type() != result.type()) return {};
      if (i < n) types.push_back(result.type());
    }
    return types;
  }

  // A reduction of one element each: the result is reducer(init, element).
  Instruction* ReduceOne(const Instruction& inst, const HloComputation& applied) {
    std::vector<Instruction*> arrays = Operands(inst);
    std::ranges::rotate(arrays, arrays.begin() + std::ssize(arrays) / 2);
    const Shape& result = inst.shape().is_tuple() ? inst.shape().element(0) : inst.shape();
    for (Instruction*& array : arrays) {
      const Shape shape = result.WithType(array->shape().type());
      array = array->shape().is_scalar()
                  ? Make(Opcode::kBroadcast, shape, {array}, DimensionsAttrs{})
                  : Make(Opcode::kReshape, shape, {array});
    }
    return Spread(inst, arrays, applied);
  }

  // Repeats the scalar instructions of `applied` on whole arrays with the dimensions of the result.
  Instruction* Spread(const Instruction& inst, const std::vector<Instruction*>& operands,
                      const HloComputation& applied) {
    const auto straight = StraightLine(applied, kMaxLaneOps);
    const HloComputation& code = straight == nullptr ? applied : *straight->entry();
    const bool has_extras = std::ranges::any_of(
        code.instructions(), [](const Instruction* each) { return each->extras() != nullptr; });
    if (has_extras) return nullptr;
    std::unordered_map<const Instruction*, Instruction*> arrays;
    for (size_t i = 0; i < operands.size(); ++i) arrays[code.parameters()[i]] = operands[i];
    const bool is_tuple = inst.shape().is_tuple();
    const Shape& result = is_tuple ? inst.shape().element(0) : inst.shape();
    for (const Instruction* each : code.instructions()) {
      if (IsParameter(*each) || IsTuple(*each)) continue;
      const Shape shape = result.WithType(each->shape().type());
      if (IsConstant(*each)) {
        arrays[each] = Uniform(shape, each->attrs<ConstantAttrs>().literal);
        continue;
      }
      std::vector<Instruction*> inputs;
      for (i64 i = 0; i < each->num_operands(); ++i) inputs.push_back(arrays.at(each->operand(i)));
      arrays[each] = Add(each->opcode(), shape, inputs, each->attr_block(), {});
    }
    if (is_tuple) {
      std::vector<Instruction*> results;
      for (i64 i = 0; i < code.root()->num_operands(); ++i) {
        results.push_back(arrays.at(code.root()->operand(i)));
      }
      return Make(Opcode::kTuple, inst.shape(), results);
    }
    Instruction* const only = arrays.at(code.root());
    return only->shape() == inst.shape() ? only : Make(Opcode::kCopy, inst.shape(), {only});
  }

  // The array reshaped to one dimension, transposed by `permutation` first if there is one.
  Instruction* Flat(Instruction* array, const Dims* permutation = nullptr) {
    Shape shape = array->shape().WithoutLayout();
    if (permutation != nullptr) {
      for (size_t d = 0; d < permutation->size(); ++d) {
        shape.set_dim(static_cast<i64>(d), array->shape().dim((*permutation)[d]));
      }
      array = Make(Opcode::kTranspose, shape, {array}, DimensionsAttrs{*permutation});
    }
    return Make(Opcode::kReshape, Shape(shape.type(), {shape.num_elements()}), {array});
  }

  Instruction* Map(const Instruction& inst) {
    const i64 count = inst.shape().num_elements();
    const Shape line(inst.shape().type(), {count});
    std::vector<Instruction*> state = {Counter(count)};
    for (Instruction* operand : Operands(inst)) state.push_back(Flat(operand));
    state.push_back(Zeros(line));
    HloComputation& applied = *Mapped(*inst.callee(0));
    Instruction* const loop = Loop(state, count, [&](std::vector<Instruction*>& elements) {
      std::vector<Instruction*> arguments;
      for (size_t i = 1; i + 1 < elements.size(); ++i) {
        arguments.push_back(ElementAt(elements[i], elements[0]));
      }
      elements.back() = WithElement(elements.back(), Call(applied, arguments), elements[0]);
    });
    return Make(Opcode::kReshape, inst.shape(), {Element(loop, std::ssize(state) - 1)});
  }

  // The loop state is the counter, operands, inits, results and accumulators. The elements of one
  // result are adjacent in the flat operands.
  Instruction* Reduce(const Instruction& inst) {
    const Dims& reduced = inst.attrs<DimensionsAttrs>().dimensions;
    const Shape& operand = inst.operand(0)->shape();
    Dims permutation;
    for (const bool is_kept : {true, false}) {
      for (i64 d = 0; d < operand.rank(); ++d) {
        const bool is_reduced = std::ranges::find(reduced, d) != reduced.end();
        if (is_reduced != is_kept) permutation.push_back(d);
      }
    }
    const bool is_tuple = inst.shape().is_tuple();
    const auto result = [&](size_t i) -> const Shape& {
      return is_tuple ? inst.shape().element(static_cast<i64>(i)) : inst.shape();
    };
    const i64 count = operand.num_elements(), num_results = result(0).num_elements();
    const auto n = static_cast<size_t>(inst.num_operands() / 2);
    const std::vector<Instruction*> operands = Operands(inst);
    std::vector<Instruction*> state = {Counter(count)};
    for (size_t i = 0; i < n; ++i) state.push_back(Flat(operands[i], &permutation));
    state.insert(state.end(), operands.begin() + std::ssize(operands) / 2, operands.end());
    for (size_t i = 0; i < n; ++i) state.push_back(Zeros(Shape(result(i).type(), {num_results})));
    state.insert(state.end(), operands.begin() + std::ssize(operands) / 2, operands.end());
    HloComputation& applied = *Mapped(*inst.callee(0));
    Instruction* const loop = Loop(state, count, [&](std::vector<Instruction*>& elements) {
      Instruction* const* const values = elements.data() + 1;
      Instruction* const* const inits = values + n;
      Instruction** const results = elements.data() + 1 + 2 * n;
      Instruction** const accumulators = results + n;
      const Shape& index = elements[0]->shape();
      Instruction* const size = Uniform(index, count / num_results);
      Instruction* const at = Make(Opcode::kDivide, index, {elements[0], size});
      Instruction* const begin = Make(Opcode::kMultiply, index, {at, size});
      Instruction* const is_first = Make(Opcode::kCompare, Shape(PRED), {elements[0], begin},
                                         CompareAttrs{ComparisonDirection::kEq});
      std::vector<Instruction*> arguments;
      for (size_t i = 0; i < n; ++i) {
        arguments.push_back(
            Make(Opcode::kSelect, accumulators[i]->shape(), {is_first, inits[i], accumulators[i]}));
      }
      for (size_t i = 0; i < n; ++i) arguments.push_back(ElementAt(values[i], elements[0]));
      Instruction* const given = Call(applied, arguments);
      for (size_t i = 0; i < n; ++i) {
        accumulators[i] = given->shape().is_tuple() ? Element(given, static_cast<i64>(i)) : given;
        results[i] = WithElement(results[i], accumulators[i], at);
      }
    });
    std::vector<Instruction*> results;
    for (size_t i = 0; i < n; ++i) {
      Instruction* const line = Element(loop, static_cast<i64>(1 + 2 * n + i));
      results.push_back(Make(Opcode::kReshape, result(i), {line}));
    }
    return is_tuple ? Make(Opcode::kTuple, inst.shape(), results) : results[0];
  }
};

}  // namespace

StatusOr<std::unique_ptr<Module>> ApplyToElements(const Module& module, PassContext& context) {
  return ReplaceAll<Application>(module, context);
}

}  // namespace axle
