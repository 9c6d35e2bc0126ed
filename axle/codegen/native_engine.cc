// The native slice: modules made of elementwise operations and broadcasts of scalars.
//
// Neighbouring elementwise instructions of one size become one lane program and one kernel, as in
// the interpreter; a broadcast of a scalar is an input that is the same for all lanes. Everything
// else is UNIMPLEMENTED, by the op's name. The executable holds the values that are needed later,
// one literal per instruction; a planned arena comes with the compiler.
#include "axle/runtime/native_engine.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <unordered_map>

#include "axle/codegen/jit.h"
#include "axle/codegen/lane_lowering.h"
#include "axle/core/strings.h"
#include "axle/ops/lane_compiler.h"
#include "axle/ops/op_def.h"

namespace axle {
namespace {

// Elements of a kernel call between two looks at the limits.
constexpr i64 kSliceSize = i64{1} << 20;

// A value: position in the table that a run fills.
using Slot = std::uint32_t;

struct KernelStep {
  LaneKernel* kernel = nullptr;
  std::string name;
  i64 count = 0;
  std::vector<Slot> inputs, outputs;
  std::vector<i64> input_bytes, output_bytes;  // per element; 0 for uniform inputs
  std::vector<Shape> output_shapes;
};

// The result of the entry: a slot, or a tuple.
struct ResultTree {
  Slot slot = 0;
  bool is_tuple = false;
  std::vector<ResultTree> elements;
};

class Executable : public NativeExecutable {
 public:
  StatusOr<Literal> Execute(std::span<const Literal> arguments, Limits* limits) const override {
    std::vector<Literal> values = initial_;
    for (const auto& [slot, path] : arguments_) {
      const Literal& argument = arguments[path[0]];
      values[slot] = argument.at(std::span<const i64>(path).subspan(1));
    }
    std::vector<const void*> inputs;
    std::vector<void*> outputs;
    for (const KernelStep& step : steps_) {
      for (size_t i = 0; i < step.outputs.size(); ++i) {
        AXLE_ASSIGN(values[step.outputs[i]], Literal::CreateUninitialized(step.output_shapes[i]));
      }
      for (i64 begin = 0; begin < step.count; begin += kSliceSize) {
        if (limits != nullptr) AXLE_TRY(limits->Check());
        inputs.clear();
        outputs.clear();
        for (size_t i = 0; i < step.inputs.size(); ++i) {
          inputs.push_back(values[step.inputs[i]].bytes() + begin * step.input_bytes[i]);
        }
        for (size_t i = 0; i < step.outputs.size(); ++i) {
          outputs.push_back(values[step.outputs[i]].mutable_bytes() + begin * step.output_bytes[i]);
        }
        step.kernel(inputs.data(), outputs.data(), std::min(kSliceSize, step.count - begin));
      }
    }
    return Assemble(result_, values);
  }

 private:
  friend class Compiler;
  static Literal Assemble(const ResultTree& tree, const std::vector<Literal>& values) {
    if (!tree.is_tuple) return values[tree.slot];
    std::vector<Literal> elements;
    for (const ResultTree& element : tree.elements) elements.push_back(Assemble(element, values));
    return Literal::Tuple(std::move(elements));
  }

  std::unique_ptr<Jit> jit_;                                  // owns the kernels
  std::vector<Literal> initial_;                              // constants at their slots
  std::vector<std::pair<Slot, std::vector<i64>>> arguments_;  // slot, parameter and tuple path
  std::vector<KernelStep> steps_;
  ResultTree result_;
};

// Compiles the entry of one module.
class Compiler {
 public:
  Compiler(const Module& module, std::unique_ptr<Jit> jit, Limits* limits)
      : entry_(*module.entry()), limits_(limits), executable_(std::make_unique<Executable>()) {
    executable_->jit_ = std::move(jit);
  }

  StatusOr<std::unique_ptr<NativeExecutable>> Compile() {
    slots_.resize(entry_.instructions().size());
    const auto instructions = entry_.instructions();
    for (size_t i = 0; i < instructions.size();) {
      if (limits_ != nullptr) AXLE_TRY(limits_->Check());
      const Instruction& inst = *instructions[i];
      if (!inst.shape().is_static()) return NotYet(inst, " of dynamic dimensions");
      if (IsScalarBroadcast(inst)) {
        ++i;
      } else if (IsElementwise(inst)) {
        AXLE_ASSIGN(i, CompileRun(i));
      } else {
        AXLE_TRY(AddData(inst));
        ++i;
      }
    }
    AXLE_TRY(EmitKernels());
    AXLE_ASSIGN(executable_->result_, TreeOf(*entry_.root()));
    return std::unique_ptr<NativeExecutable>(std::move(executable_));
  }

 private:
  static Status NotYet(const Instruction& inst, std::string_view what = "") {
    return Unimplemented(StrCat(GetOpDef(inst).text, what, " is not compiled to native code yet"));
  }

  // An index map that reads one element of a scalar everywhere.
  static bool IsScalarBroadcast(const Instruction& inst) {
    const OpDef& def = GetOpDef(inst);
    if (def.lowering != Lowering::kIndexMap || inst.num_operands() != 1) return false;
    return inst.operand(0)->shape().is_scalar() && !inst.shape().is_scalar();
  }

  Slot NewSlot() {
    executable_->initial_.emplace_back();
    return static_cast<Slot>(executable_->initial_.size() - 1);
  }

  // The instruction whose value `inst` has, behind broadcasts of scalars and tuples.
  StatusOr<const ResultTree*> TreeFor(const Instruction& inst) {
    if (!slots_[inst.index()]) return NotYet(inst);
    return &*slots_[inst.index()];
  }

  // parameter, constant, tuple, get-tuple-element: no code.
  Status AddData(const Instruction& inst) {
    if (IsParameter(inst)) {
      slots_[inst.index()] = ArgumentTree(inst.shape(), {inst.attrs<ParameterAttrs>().number});
    } else if (IsConstant(inst)) {
      slots_[inst.index()] = ConstantTree(inst.attrs<ConstantAttrs>().literal.ToRowMajor());
    } else if (IsTuple(inst)) {
      ResultTree tree{0, true, {}};
      for (i64 i = 0; i < inst.num_operands(); ++i) {
        AXLE_ASSIGN(ResultTree element, TreeOf(*inst.operand(i)));
        tree.elements.push_back(std::move(element));
      }
      slots_[inst.index()] = std::move(tree);
    } else if (IsTupleElement(inst)) {
      AXLE_ASSIGN(const ResultTree* tuple, TreeFor(*inst.operand(0)));
      slots_[inst.index()] = tuple->elements[inst.attrs<TupleIndexAttrs>().index];
    } else {
      return NotYet(inst);
    }
    return {};
  }

  ResultTree ArgumentTree(const Shape& shape, std::vector<i64> path) {
    ResultTree tree{0, shape.is_tuple(), {}};
    if (!shape.is_tuple()) {
      tree.slot = NewSlot();
      executable_->arguments_.emplace_back(tree.slot, std::move(path));
      return tree;
    }
    for (i64 i = 0; i < shape.num_tuple_elements(); ++i) {
      path.push_back(i);
      tree.elements.push_back(ArgumentTree(shape.element(i), path));
      path.pop_back();
    }
    return tree;
  }

  ResultTree ConstantTree(const Literal& literal) {
    ResultTree tree{0, literal.shape().is_tuple(), {}};
    if (tree.is_tuple) {
      for (const Literal& element : literal.elements()) {
        tree.elements.push_back(ConstantTree(element));
      }
    } else {
      tree.slot = NewSlot();
      executable_->initial_[tree.slot] = literal;
    }
    return tree;
  }

  // The value of `inst` as part of the result: a broadcast of a scalar gets a kernel that stores
  // it.
  StatusOr<ResultTree> TreeOf(const Instruction& inst) {
    if (!slots_[inst.index()] && IsScalarBroadcast(inst)) AXLE_TRY(CompileBroadcast(inst));
    AXLE_ASSIGN(const ResultTree* tree, TreeFor(inst));
    return *tree;
  }

  struct Pending {
    LaneProgram program;
    std::vector<bool> uniform;
  };

  // Inputs of a run: arrays of its size, and scalars behind broadcasts.
  Status AddInput(LaneCompiler& compiler, Pending& pending, KernelStep& step,
                  const Instruction& inst) {
    const bool is_broadcast = !slots_[inst.index()] && IsScalarBroadcast(inst);
    const Instruction& source = is_broadcast ? *inst.operand(0) : inst;
    if (compiler.Contains(inst)) return {};
    if (is_broadcast && compiler.Contains(source)) {
      compiler.AddAlias(inst, source);
      return {};
    }
    if (IsConstant(source) && source.shape().is_scalar()) {
      compiler.AddConstant(source);
    } else {
      AXLE_ASSIGN(const ResultTree* tree, TreeFor(source));
      compiler.AddInput(source);
      step.inputs.push_back(tree->slot);
      pending.uniform.push_back(source.shape().is_scalar());
      step.input_bytes.push_back(source.shape().is_scalar() ? 0
                                                            : Info(source.shape().type()).bytes);
    }
    if (is_broadcast) compiler.AddAlias(inst, source);
    return {};
  }

  void AddOutput(KernelStep& step, const Instruction& inst) {
    const Slot slot = NewSlot();
    slots_[inst.index()] = ResultTree{slot, false, {}};
    step.outputs.push_back(slot);
    step.output_shapes.push_back(inst.shape().WithoutLayout());
    step.output_bytes.push_back(Info(inst.shape().type()).bytes);
  }

  // Compiles elementwise instructions of one size from `begin` on, with the broadcasts between
  // them, and returns where they end.
  StatusOr<size_t> CompileRun(size_t begin) {
    const auto instructions = entry_.instructions();
    const Dims& dims = instructions[begin]->shape().dims();
    LaneCompiler compiler;
    Pending pending;
    KernelStep step;
    std::vector<const Instruction*> run;
    size_t end = begin;
    for (; end < instructions.size() && compiler.size() < kMaxLaneOps; ++end) {
      const Instruction& inst = *instructions[end];
      if (IsScalarBroadcast(inst)) continue;
      if (!IsElementwise(inst) || inst.shape().dims() != dims) break;
      for (i64 i = 0; i < inst.num_operands(); ++i) {
        AXLE_TRY(AddInput(compiler, pending, step, *inst.operand(i)));
      }
      if (!compiler.Add(inst)) return NotYet(inst, StrCat(" of ", Name(inst.shape().type())));
      run.push_back(&inst);
    }
    std::vector<const Instruction*> results;
    for (const Instruction* inst : run) {
      if (!IsReadOutside(*inst, instructions[begin]->index(), instructions[end - 1]->index()))
        continue;
      results.push_back(inst);
      AddOutput(step, *inst);
    }
    pending.program = std::move(compiler).Finish(results);
    step.count = instructions[begin]->shape().num_elements();
    AddKernel(std::move(pending), std::move(step));
    return end;
  }

  Status CompileBroadcast(const Instruction& inst) {
    LaneCompiler compiler;
    Pending pending;
    KernelStep step;
    AXLE_TRY(AddInput(compiler, pending, step, inst));
    const Instruction* result = &inst;
    pending.program = std::move(compiler).Finish({&result, 1});
    step.count = inst.shape().num_elements();
    AddOutput(step, inst);
    pending_.push_back(std::move(pending));
    executable_->steps_.push_back(std::move(step));
    return {};
  }

  void AddKernel(Pending pending, KernelStep step) {
    if (step.outputs.empty()) return;
    pending_.push_back(std::move(pending));
    executable_->steps_.push_back(std::move(step));
  }

  // Somebody other than the elementwise instructions between `first` and `last` needs the value. A
  // broadcast may be read anywhere, so it counts as outside.
  bool IsReadOutside(const Instruction& inst, std::uint32_t first, std::uint32_t last) const {
    if (&inst == entry_.root()) return true;
    for (const Use* use = inst.first_use(); use != nullptr; use = use->next) {
      const std::uint32_t index = use->user->index();
      if (index < first || index > last || IsScalarBroadcast(*use->user)) return true;
    }
    return false;
  }

  // Tuples of the root are assembled first, because they may need kernels for broadcasts.
  Status EmitKernels() {
    AXLE_TRY(TreeOf(*entry_.root()).status());
    Jit::NewModule module = executable_->jit_->MakeModule("axle");
    for (size_t i = 0; i < pending_.size(); ++i) {
      executable_->steps_[i].name = StrCat("kernel", i);
      EmitLaneKernel({&pending_[i].program, pending_[i].uniform},
                     executable_->jit_->target().vector_bytes, executable_->steps_[i].name,
                     *module.module);
    }
    AXLE_TRY(executable_->jit_->Add(std::move(module)));
    for (KernelStep& step : executable_->steps_) {
      AXLE_ASSIGN(void* const address, executable_->jit_->Lookup(step.name));
      step.kernel = reinterpret_cast<LaneKernel*>(address);
    }
    return {};
  }

  const HloComputation& entry_;
  Limits* limits_;
  std::unique_ptr<Executable> executable_;
  std::vector<std::optional<ResultTree>> slots_;  // by Instruction::index()
  std::vector<Pending> pending_;                  // one per step
};

class Engine : public NativeEngine {
 public:
  StatusOr<std::unique_ptr<NativeExecutable>> Compile(const Module& module,
                                                      const NativeOptions& options) override {
    AXLE_ASSIGN(const JitTarget target, ChooseTarget(options.isa, options.codegen_level));
    AXLE_ASSIGN(std::unique_ptr<Jit> jit, Jit::Create(target));
    return Compiler(module, std::move(jit), options.limits).Compile();
  }
};

}  // namespace
}  // namespace axle

extern "C" axle::NativeEngine* axle_codegen_create(int version) {
  return version == axle::kNativeEngineVersion ? new axle::Engine : nullptr;
}
