// Expands scans. The general case is a loop:
//
//   scan(x, carry; f)  ->  while (i < n) { (y, carry) = f(x[i], carry); out[i] = y }
//
// A scan that only sums or multiplies floats becomes one cumulative reduce-window per carry,
// because its order of evaluation is that of the reduce-window (numerics.md N4): window size n,
// padded by n - 1 in front (behind, if reversed). A scalar carry is the init of the window; an
// array of carries is combined with the first slice beforehand. Narrow floats are widened to f32
// and rounded at the end.
//
// A reduce-window that is cumulative in some dimensions and slides along others becomes a chain:
// first the sliding window, then one cumulative window per dimension, the last dimension first;
// only the last link of the chain takes the init, the others start from the identity.

#include "axle/passes/scan.h"

#include "axle/ops/attributes/attributes.h"
#include "axle/ops/dynamic.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/ops/lanes/reducer.h"
#include "axle/ops/scan_sums.h"
#include "axle/ops/window.h"
#include "axle/ops/window_parts.h"
#include "axle/passes/loop_maker.h"

namespace axle {
namespace {

class Expansion : public LoopMaker {
 public:
  using LoopMaker::LoopMaker;

 private:
  // The loop state is the counter, the inputs, the outputs and the carries.
  Instruction* Replacement(const Instruction& inst) override {
    if (Is(inst, Opcode::kReduceWindow)) return InTurn(inst);
    if (!Is(inst, Opcode::kScan) || IsDynamic(inst) ||
        !inst.callee(0)->root()->shape().is_static() || !inst.shape().is_tuple() ||
        !inst.callee(0)->root()->shape().is_tuple()) {
      return nullptr;
    }
    if (const auto sums = FindScanSums(inst)) return Sums(*sums, inst);
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

  // Running sums and products are reduce-windows.
  Instruction* Sums(const ScanSums& sums, const Instruction& inst) {
    const ScanAttrs& attrs = inst.attrs<ScanAttrs>();
    const Shape& shape = inst.shape();
    const std::vector<Instruction*> operands = Operands(inst);
    const i64 num_inputs = std::ssize(operands) - attrs.num_carries;
    std::vector<Instruction*> running, results;
    for (size_t c = 0; c < sums.carries.size(); ++c) {
      const auto& [kind, input] = sums.carries[c];
      running.push_back(Running(kind, operands[input], operands[num_inputs + static_cast<i64>(c)],
                                attrs.dimensions[0], attrs.is_reverse));
    }
    for (size_t i = 0; i < sums.outputs.size(); ++i) {
      results.push_back(As(shape.element(static_cast<i64>(i)).type(), running[sums.outputs[i]]));
    }
    for (size_t c = 0; c < sums.carries.size(); ++c) {
      Instruction* const carry = operands[num_inputs + static_cast<i64>(c)];
      const i64 dim = attrs.dimensions[0], steps = running[c]->shape().dim(dim);
      if (steps == 0) {
        results.push_back(carry);
        continue;
      }
      Instruction* const last = Part(running[c], dim, attrs.is_reverse ? 0 : steps - 1, 1);
      results.push_back(
          As(carry->shape().type(),
             Make(Opcode::kReshape, carry->shape().WithoutLayout().WithType(last->shape().type()),
                  {last})));
    }
    return Make(Opcode::kTuple, shape, results);
  }

  // The carry after each step, as f32 for narrow floats. A scalar carry is the init of the window;
  // an array of carries is combined with the first slice, and the window starts from the identity.
  Instruction* Running(ReducerKind kind, Instruction* input, Instruction* carry, i64 dim,
                       bool is_reverse) {
    const ElementType type = IsNarrowFloat(input->shape().type()) ? F32 : input->shape().type();
    const Opcode opcode = kind == ReducerKind::kAdd ? Opcode::kAdd : Opcode::kMultiply;
    Instruction* x = As(type, input);
    Instruction* init = As(type, carry);
    const Shape shape = x->shape().WithoutLayout();
    const i64 steps = shape.dim(dim);
    if (steps == 0) return x;
    if (!init->shape().is_scalar()) {
      const i64 first = is_reverse ? steps - 1 : 0;
      Instruction* const slice = Part(x, dim, first, 1);
      Instruction* const begun =
          Make(opcode, slice->shape(), {Make(Opcode::kReshape, slice->shape(), {init}), slice});
      if (steps == 1) return begun;
      Instruction* const rest = Part(x, dim, is_reverse ? 0 : 1, steps - 1);
      x = Make(Opcode::kConcatenate, shape,
               is_reverse ? std::vector{rest, begun} : std::vector{begun, rest},
               DimensionsAttrs{{dim}});
      init = Identity(kind, type);
    }
    Window window(static_cast<size_t>(shape.rank()));
    window[static_cast<size_t>(dim)] = {.size = steps,
                                        .pad_low = is_reverse ? 0 : steps - 1,
                                        .pad_high = is_reverse ? steps - 1 : 0};
    return Windows(kind, shape, x, init, window);
  }

  // A sum or product that is cumulative in some dimensions and a sliding window in others, as a
  // chain of reduce-windows of one kind each: the order of the sum is defined by this chain.
  Instruction* InTurn(const Instruction& inst) {
    const Shape& operand = inst.operand(0)->shape();
    if (inst.num_operands() != 2 || inst.shape().is_tuple() || IsDynamic(inst)) return nullptr;
    const ElementType type = operand.type();
    if (inst.shape().type() != type || inst.operand(1)->shape().type() != type) return nullptr;
    const auto program = CompileScalarComputation(*inst.callee(0));
    const ReducerKind kind =
        program ? ClassifyReducer(*program, {&type, 1})[0] : ReducerKind::kGeneral;
    if (!IsSumOrProduct(kind, type)) return nullptr;
    const Window& window = inst.attrs<WindowAttrs>().window;
    Window rest = window;
    Dims cumulative, dims(inst.shape().dims());
    for (size_t d = 0; d < window.size(); ++d) {
      const auto dim = static_cast<i64>(d);
      if (window[d].size == 1 || CumulativeKind(window[d], operand.dim(dim)) == Cumulative::kNo) {
        continue;
      }
      cumulative.push_back(dim);
      rest[d] = {};
    }
    const bool has_rest = rest != Window(rest.size());
    if (cumulative.empty() || (cumulative.size() == 1 && !has_rest)) return nullptr;
    const ElementType computed = IsNarrowFloat(type) ? F32 : type;
    const Shape shape(computed, dims);
    Instruction* folded = As(computed, Operands(inst)[0]);
    if (has_rest) folded = Windows(kind, shape, folded, Identity(kind, computed), rest);
    while (!cumulative.empty()) {
      Window scan(window.size());
      const auto d = static_cast<size_t>(cumulative.back());
      scan[d] = window[d];
      cumulative.pop_back();
      Instruction* const init =
          cumulative.empty() ? As(computed, Operands(inst)[1]) : Identity(kind, computed);
      folded = Windows(kind, shape, folded, init, scan);
    }
    return As(type, folded);
  }

  Instruction* Windows(ReducerKind kind, const Shape& shape, Instruction* x, Instruction* init,
                       const Window& window) {
    const Shape scalar(shape.type());
    const std::string thread(to()->execution_thread());
    Suspend(FreshName("scan_fold"));
    to()->set_execution_thread(thread);
    std::vector<Instruction*> parameters;
    for (i64 p = 0; p < 2; ++p) {
      parameters.push_back(Make(Opcode::kParameter, scalar, {}, ParameterAttrs{p}));
    }
    to()->set_parameters(parameters);
    Make(kind == ReducerKind::kAdd ? Opcode::kAdd : Opcode::kMultiply, scalar, parameters);
    HloComputation* const fold = Resume();
    const AttrBlock attrs = {GetOpDef(Opcode::kReduceWindow).attrs,
                             std::make_shared<const WindowAttrs>(WindowAttrs{window})};
    Instruction* const folded[] = {x, init};
    return Add(Opcode::kReduceWindow, shape, folded, attrs, {&fold, 1});
  }

  Instruction* Identity(ReducerKind kind, ElementType type) {
    Literal identity{Shape(type)};
    WindowParts(kind, type, 1, 0).FillWithIdentity(identity.mutable_bytes(), 1);
    return Uniform(Shape(type), identity);
  }

  Instruction* As(ElementType type, Instruction* array) {
    if (array->shape().type() == type) return array;
    return Make(Opcode::kConvert, array->shape().WithoutLayout().WithType(type), {array});
  }

  // `count` positions of dimension `dim` from `begin` on.
  Instruction* Part(Instruction* array, i64 dim, i64 begin, i64 count) {
    Shape shape = array->shape().WithoutLayout();
    SliceConfig slice;
    for (i64 d = 0; d < shape.rank(); ++d) slice.push_back({0, shape.dim(d), 1});
    slice[static_cast<size_t>(dim)] = {begin, begin + count, 1};
    shape.set_dim(dim, count);
    return Make(Opcode::kSlice, shape, {array}, SliceAttrs{slice});
  }
};

}  // namespace

StatusOr<std::unique_ptr<Module>> ExpandScans(const Module& module, PassContext& context) {
  return ReplaceAll<Expansion>(module, context);
}

}  // namespace axle
