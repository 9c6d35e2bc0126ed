#include "tests/codegen/random_kernels/compare.h"

#include <llvm/IR/Module.h>

#include <algorithm>
#include <numeric>
#include <sstream>

#include "axle/core/float_environment.h"
#include "tests/codegen/random_kernels/emission.h"
#include "tests/codegen/random_kernels/folds.h"
#include "tests/codegen/random_kernels/reference.h"

namespace axle {
namespace {

// Behind each result, to see what is written there.
constexpr size_t kGuardBytes = 64;
constexpr std::byte kGuard{0xa5};
constexpr i64 kAnyStride = 2;  // in elements, of InnerStride::kAny

std::vector<Elements> EmptyResults(const RandomProgram& program) {
  std::vector<Elements> results;
  for (const int result : program.results) {
    const KernelOp& op = program.ops[result];
    const auto bytes = static_cast<size_t>(program.NumResults(op) * BytesOf(op.type));
    results.emplace_back(bytes + kGuardBytes, kGuard);
  }
  return results;
}

std::vector<Elements> RunSmall(const RandomProgram& program, void* function,
                               std::vector<Elements> inputs) {
  std::vector<Elements> results = EmptyResults(program);
  std::vector<std::uint64_t> turns(RandomProgram::kMaxTurns + 1);
  std::iota(turns.begin(), turns.end(), 0);
  std::vector<void*> pointers;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (program.ops[i].kind == KernelOpKind::kInput) pointers.push_back(inputs[i].data());
  }
  for (Elements& result : results) pointers.push_back(result.data());
  pointers.push_back(turns.data());
  reinterpret_cast<SmallRandomKernel*>(function)(pointers.data());
  return results;
}

// An input as its stride reads it, and by how many bytes.
struct LoopInput {
  Elements memory;
  i64 inner_stride = 0, outer_stride = 0;
};

LoopInput LoopInputOf(const RandomProgram& program, const KernelOp& op, const Elements& elements) {
  const i64 bytes = BytesOf(op.type), row = bytes * program.inner;
  LoopInput input{{}, bytes, row};
  if (op.stride == InnerStride::kUniform) input = {{}, 0, bytes};
  if (op.stride == InnerStride::kOne) input = {{}, 0, 0};
  if (op.stride == InnerStride::kAny) input = {{}, kAnyStride * bytes, kAnyStride * row};
  input.memory.resize(elements.size() * kAnyStride);
  for (i64 k = 0; k < program.rows * program.inner; ++k) {
    const i64 place =
        k / program.inner * input.outer_stride + k % program.inner * input.inner_stride;
    std::copy_n(elements.begin() + k * bytes, bytes, input.memory.begin() + place);
  }
  return input;
}

std::vector<Elements> RunLoop(const RandomProgram& program, void* function,
                              const std::vector<Elements>& elements) {
  std::vector<Elements> results = EmptyResults(program);
  std::vector<LoopInput> inputs;
  for (size_t i = 0; i < elements.size(); ++i) {
    const KernelOp& op = program.ops[i];
    if (op.kind == KernelOpKind::kInput) inputs.push_back(LoopInputOf(program, op, elements[i]));
  }
  std::vector<void*> pointers;
  std::vector<i64> inner_strides, outer_strides;
  for (LoopInput& input : inputs) {
    pointers.push_back(input.memory.data());
    inner_strides.push_back(input.inner_stride);
    outer_strides.push_back(input.outer_stride);
  }
  for (size_t r = 0; r < results.size(); ++r) {
    pointers.push_back(results[r].data());
    inner_strides.push_back(0);
    const i64 bytes = BytesOf(program.ops[program.results[r]].type);
    outer_strides.push_back(program.folds() ? bytes : program.inner * bytes);
  }
  reinterpret_cast<LoopKernel*>(function)(pointers.data(), program.inner, program.rows,
                                          outer_strides.data(), inner_strides.data());
  return results;
}

// The inputs that matter for an element: at its position or in its row, or all.
std::string InputsText(const RandomProgram& program, const std::vector<Elements>& inputs,
                       i64 element) {
  std::ostringstream text;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const KernelOp& op = program.ops[i];
    if (op.kind != KernelOpKind::kInput) continue;
    const bool is_small = program.form == KernelForm::kSmall;
    const i64 size = is_small ? op.num_elements : program.folds() ? program.inner : 1;
    const i64 first = is_small ? 0 : element * size;
    text << "  %" << i << ":" << std::hex;
    for (i64 k = first; k < first + size; ++k) {
      text << " 0x" << ElementBits(op.type, inputs[i], k);
    }
    text << std::dec << "\n";
  }
  return text.str();
}

// Adds one result to the comparison.
void CompareResult(const RandomProgram& program, const std::vector<Elements>& inputs, int result,
                   const Elements& expected, const Elements& actual, Comparison& comparison) {
  const LaneType type = program.ops[result].type;
  const i64 size = program.NumResults(program.ops[result]);
  std::ostringstream text;
  for (i64 k = 0; k < size && comparison.is_equal; ++k) {
    ++comparison.num_values;
    const std::uint64_t wanted = ElementBits(type, expected, k), is = ElementBits(type, actual, k);
    if (IsSameElement(type, wanted, is)) continue;
    comparison.is_equal = false;
    text << "%" << result << ", element " << k << std::hex << ": expected 0x" << wanted
         << ", got 0x" << is << ", of\n"
         << InputsText(program, inputs, k);
  }
  const auto is_guard = [](std::byte byte) { return byte == kGuard; };
  if (comparison.is_equal && !std::all_of(actual.end() - kGuardBytes, actual.end(), is_guard)) {
    comparison.is_equal = false;
    text << "%" << result << ": something is written behind the last element\n";
  }
  comparison.difference += text.str();
}

}  // namespace

StatusOr<CompiledPrograms> CompiledPrograms::Create(std::span<const RandomProgram> programs,
                                                    const JitTarget& target,
                                                    std::function<void(std::string_view)> on_llvm) {
  NativeOptions options;
  options.debug.on_llvm = std::move(on_llvm);
  CompiledPrograms compiled;
  AXLE_ASSIGN(compiled.jit_, Jit::Create(target, options));
  const bool has_small = std::any_of(programs.begin(), programs.end(), [](const auto& program) {
    return program.form == KernelForm::kSmall;
  });
  const int level = std::max(target.codegen_level, has_small ? 1 : 0);
  Jit::NewModule module = compiled.jit_->MakeModule("random", level);
  const auto name = [](size_t i) { return "kernel" + std::to_string(i); };
  for (size_t i = 0; i < programs.size(); ++i) {
    const auto emit = programs[i].form == KernelForm::kSmall ? &EmitSmallProgram : &EmitLoopProgram;
    emit(programs[i], compiled.jit_->target(), name(i), *module.module);
  }
  AXLE_TRY(compiled.jit_->Add(std::move(module)));
  for (size_t i = 0; i < programs.size(); ++i) {
    AXLE_ASSIGN(void* const function, compiled.jit_->Lookup(name(i)));
    compiled.functions_.push_back(function);
  }
  return compiled;
}

Comparison Compare(const RandomProgram& program, void* function, Random random, int num_sets) {
  const ScopedFloatEnvironment environment;
  Comparison comparison;
  for (int set = 0; set < num_sets && comparison.is_equal; ++set) {
    const std::vector<Elements> inputs = RandomInputs(program, Random(random.Bits()));
    std::vector<Elements> values;
    if (!Evaluate(program, inputs, &values)) {
      comparison.is_defined = false;
      return comparison;
    }
    const bool is_small = program.form == KernelForm::kSmall;
    const std::vector<Elements> actual =
        is_small ? RunSmall(program, function, inputs) : RunLoop(program, function, inputs);
    for (size_t r = 0; r < actual.size(); ++r) {
      const int result = program.results[r];
      const LaneType type = program.ops[result].type;
      const Elements expected =
          program.folds() ? FoldedRows(program, type, values[result]) : values[result];
      CompareResult(program, inputs, result, expected, actual[r], comparison);
    }
  }
  return comparison;
}

StatusOr<Comparison> CompileAndCompare(const RandomProgram& program, const JitTarget& target,
                                       Random random, int num_sets) {
  AXLE_ASSIGN(const CompiledPrograms compiled, CompiledPrograms::Create({&program, 1}, target));
  return Compare(program, compiled.function(0), random, num_sets);
}

}  // namespace axle
