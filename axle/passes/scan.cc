#include "axle/passes/scan.h"

#include "axle/ops/attributes.h"
#include "axle/ops/dynamic.h"
#include "axle/passes/loop_maker.h"

namespace axle {
namespace {

class Expansion : public LoopMaker {
 public:
  using LoopMaker::LoopMaker;

 private:
  // The state is the counter, the inputs, the outputs and the carries.
  Instruction* Replacement(const Instruction& inst) override {
    if (!Is(inst, Opcode::kScan) || IsDynamic(inst) ||
        !inst.callee(0)->root()->shape().is_static()) {
      return nullptr;
    }
    const ScanAttrs& attrs = inst.attrs<ScanAttrs>();
    const Shape& result = inst.shape();
    const std::vector<Instruction*> operands = Operands(inst);
    const i64 num_inputs = std::ssize(operands) - attrs.num_carries;
    const i64 num_outputs = result.num_tuple_elements() - attrs.num_carries;
    const i64 dim = attrs.dimensions[0];
    const i64 num_steps = (num_inputs > 0 ? operands[0]->shape() : result.element(0)).dim(dim);
    std::vector<Instruction*> outputs;
    for (i64 i = 0; i < num_outputs; ++i) outputs.push_back(Zeros(result.element(i)));
    const auto carries = operands.begin() + num_inputs;
    if (num_steps == 0) {
      outputs.insert(outputs.end(), carries, operands.end());
      return Make(Opcode::kTuple, result, outputs);
    }
    std::vector<Instruction*> state = {Counter(num_steps, attrs.is_reverse)};
    state.insert(state.end(), operands.begin(), carries);
    state.insert(state.end(), outputs.begin(), outputs.end());
    state.insert(state.end(), carries, operands.end());
    HloComputation& applied = *Mapped(*inst.callee(0));
    const auto step = [&](std::vector<Instruction*>& elements) {
      std::vector<Instruction*> arguments;
      for (i64 i = 0; i < num_inputs; ++i) {
        arguments.push_back(
            SliceAt(elements[1 + i], dim, elements[0], applied.parameters()[i]->shape()));
      }
      arguments.insert(arguments.end(), elements.begin() + 1 + num_inputs + num_outputs,
                       elements.end());
      Instruction* const given = Call(applied, arguments);
      for (i64 i = 0; i < given->shape().num_tuple_elements(); ++i) {
        Instruction*& element = elements[1 + num_inputs + i];
        Instruction* const value = Element(given, i);
        element = i < num_outputs ? WithSlice(element, dim, value, elements[0]) : value;
      }
    };
    Instruction* const loop = Loop(state, num_steps, step, attrs.is_reverse);
    std::vector<Instruction*> results;
    for (i64 i = 0; i < result.num_tuple_elements(); ++i) {
      results.push_back(Element(loop, 1 + num_inputs + i));
    }
    return Make(Opcode::kTuple, result, results);
  }
};

}  // namespace

StatusOr<std::unique_ptr<Module>> ExpandScans(const Module& module, PassContext& context) {
  return ReplaceAll<Expansion>(module, context);
}

}  // namespace axle
