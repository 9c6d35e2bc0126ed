#include "axle/passes/scan.h"

#include <limits>

#include "axle/ops/attributes.h"
#include "axle/passes/dce.h"
#include "axle/passes/rebuild.h"
#include "axle/passes/simplify/rule.h"

namespace axle {
namespace {

class Expansion : public Rebuilder, private Maker {
 public:
  Expansion(const Module& module, PassContext& context)
      : Rebuilder(module, context.limits), context_(context) {}

 private:
  StatusOr<Instruction*> Visit(const Instruction& inst) override {
    if (!Is(inst, Opcode::kScan) || IsTied(inst) || !IsStatic(inst)) return Copy(inst);
    replaced_ = &inst;
    ++context_.changes;
    return Expand(inst.attrs<ScanAttrs>(), Operands(inst));
  }

  static bool IsStatic(const Instruction& inst) {
    bool is_static = inst.shape().is_static() && inst.callee(0)->root()->shape().is_static();
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      is_static = is_static && inst.operand(i)->shape().is_static();
    }
    return is_static;
  }

  // The state is the counter, the inputs, the outputs and the carries.
  Instruction* Expand(const ScanAttrs& attrs, const std::vector<Instruction*>& operands) {
    const Shape& result = replaced_->shape();
    const i64 num_inputs = std::ssize(operands) - attrs.num_carries;
    const i64 num_outputs = result.num_tuple_elements() - attrs.num_carries;
    const i64 dim = attrs.dimensions[0];
    const i64 num_steps = (num_inputs > 0 ? operands[0]->shape() : result.element(0)).dim(dim);
    std::vector<Instruction*> results;
    for (i64 i = 0; i < num_outputs; ++i) {
      const Shape& output = result.element(i);
      results.push_back(Uniform(output, Literal(Shape(output.type()))));
    }
    const auto carries = operands.begin() + num_inputs;
    if (num_steps == 0) {
      results.insert(results.end(), carries, operands.end());
      return Make(Opcode::kTuple, result, results);
    }
    const Shape counter(num_steps <= std::numeric_limits<std::int32_t>::max() ? S32 : S64);
    std::vector<Instruction*> state = {Uniform(counter, attrs.is_reverse ? num_steps - 1 : 0)};
    state.insert(state.end(), operands.begin(), carries);
    state.insert(state.end(), results.begin(), results.end());
    state.insert(state.end(), carries, operands.end());
    std::vector<Shape> shapes;
    for (const Instruction* element : state) shapes.push_back(element->shape());
    const Shape shape = Shape::Tuple(shapes);
    HloComputation* const callees[] = {Condition(shape, attrs.is_reverse, num_steps),
                                       Body(shape, attrs, num_inputs, num_outputs)};
    Instruction* const init = Make(Opcode::kTuple, shape, state);
    Instruction* const loop =
        Add(Opcode::kWhile, shape, {&init, 1}, Plain(Opcode::kWhile), callees);
    for (i64 i = 0; i < result.num_tuple_elements(); ++i) {
      Instruction* const element = Element(loop, 1 + num_inputs + i);
      if (i < num_outputs) {
        results[i] = element;
      } else {
        results.push_back(element);
      }
    }
    return Make(Opcode::kTuple, result, results);
  }

  HloComputation* Condition(const Shape& state, bool is_reverse, i64 num_steps) {
    Suspend(FreshName("scan_condition"));
    Instruction* const counter = Element(Parameter(state), 0);
    Make(Opcode::kCompare, Shape(PRED),
         {counter, Uniform(counter->shape(), is_reverse ? 0 : num_steps)},
         CompareAttrs{is_reverse ? ComparisonDirection::kGe : ComparisonDirection::kLt});
    return Resume();
  }

  HloComputation* Body(const Shape& state, const ScanAttrs& attrs, i64 num_inputs,
                       i64 num_outputs) {
    HloComputation* callee = Mapped(*replaced_->callee(0));
    const i64 dim = attrs.dimensions[0];
    Suspend(FreshName(callee->name()));
    to()->set_execution_thread(callee->execution_thread());
    Instruction* const parameter = Parameter(state);
    std::vector<Instruction*> elements, arguments;
    for (i64 i = 0; i < state.num_tuple_elements(); ++i) elements.push_back(Element(parameter, i));
    Instruction* const counter = elements[0];
    for (i64 i = 0; i < num_inputs; ++i) {
      Instruction* const input = elements[1 + i];
      const Shape slice = SliceShape(input->shape(), dim);
      std::vector<Instruction*> operands = {input};
      AddStarts(slice.rank(), dim, counter, operands);
      Instruction* const taken =
          Make(Opcode::kDynamicSlice, slice, operands, DynamicSliceAttrs{Dims(slice.dims())});
      arguments.push_back(Make(Opcode::kReshape, callee->parameters()[i]->shape(), {taken}));
    }
    arguments.insert(arguments.end(), elements.begin() + 1 + num_inputs + num_outputs,
                     elements.end());
    Instruction* const given =
        Add(Opcode::kCall, callee->root()->shape(), arguments, Plain(Opcode::kCall), {&callee, 1});
    Instruction* const step = Uniform(counter->shape(), attrs.is_reverse ? -1 : 1);
    elements[0] = Make(Opcode::kAdd, counter->shape(), {counter, step});
    for (i64 i = 0; i < given->shape().num_tuple_elements(); ++i) {
      Instruction*& element = elements[1 + num_inputs + i];
      Instruction* const result = Element(given, i);
      if (i >= num_outputs) {
        element = result;
        continue;
      }
      const Shape slice = SliceShape(element->shape(), dim);
      std::vector<Instruction*> operands = {element, Make(Opcode::kReshape, slice, {result})};
      AddStarts(slice.rank(), dim, counter, operands);
      element = Make(Opcode::kDynamicUpdateSlice, element->shape(), operands);
    }
    Make(Opcode::kTuple, state, elements);
    return Resume();
  }

  Instruction* Parameter(const Shape& shape) {
    Instruction* const parameter = Make(Opcode::kParameter, shape, {}, ParameterAttrs{0});
    to()->set_parameters({parameter});
    return parameter;
  }
  Instruction* Element(Instruction* tuple, i64 i) {
    return Make(Opcode::kGetTupleElement, tuple->shape().element(i), {tuple}, TupleIndexAttrs{i});
  }
  // One step of an array.
  static Shape SliceShape(const Shape& stacked, i64 dim) {
    Shape slice = stacked.WithoutLayout();
    slice.set_dim(dim, 1);
    return slice;
  }
  // Where it begins.
  void AddStarts(i64 rank, i64 dim, Instruction* counter, std::vector<Instruction*>& operands) {
    for (i64 d = 0; d < rank; ++d) {
      operands.push_back(d == dim ? counter : Uniform(counter->shape(), 0));
    }
  }
  static AttrBlock Plain(Opcode opcode) {
    const AttrSchema& schema = GetOpDef(opcode).attrs;
    return {schema, schema.create()};
  }

  Instruction* Add(Opcode opcode, const Shape& shape, std::span<Instruction* const> operands,
                   AttrBlock attrs, std::span<HloComputation* const> callees) override {
    return Rebuilder::Make(*replaced_, opcode, shape, operands, std::move(attrs), callees);
  }
  using Maker::Make;

  PassContext& context_;
  const Instruction* replaced_ = nullptr;
};

}  // namespace

StatusOr<std::unique_ptr<Module>> ExpandScans(const Module& module, PassContext& context) {
  AXLE_ASSIGN(std::unique_ptr<Module> expanded, Expansion(module, context).Run());
  if (context.changes == 0) return expanded;
  // What a scan applies is frozen; scans in it are found when it is called by a loop.
  for (i64 before = 0; before != context.changes;) {
    before = context.changes;
    AXLE_ASSIGN(expanded, RemoveDeadCode(*expanded, context.limits));
    AXLE_ASSIGN(expanded, Expansion(*expanded, context).Run());
  }
  return expanded;
}

}  // namespace axle
