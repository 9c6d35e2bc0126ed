#include "tests/codegen/random_kernels/reduce.h"

#include <algorithm>

namespace axle {
namespace {

constexpr int kMaxRounds = 8;

class Reducer {
 public:
  Reducer(const RandomProgram& program, const std::function<bool(const RandomProgram&)>& fails)
      : program_(Trimmed(program)), fails_(fails) {}

  RandomProgram Run() {
    for (int round = 0; round < kMaxRounds; ++round) {
      bool has_changed = DropResults();
      has_changed |= MoveResults();
      has_changed |= SimplifyForm();
      has_changed |= SimplifyOperations();
      if (!has_changed) break;
    }
    return program_;
  }

 private:
  bool Try(const RandomProgram& candidate) {
    RandomProgram trimmed = Trimmed(candidate);
    if (!fails_(trimmed)) return false;
    program_ = std::move(trimmed);
    return true;
  }

  bool DropResults() {
    bool has_changed = false;
    for (size_t k = 0; k < program_.results.size() && program_.results.size() > 1;) {
      RandomProgram candidate = program_;
      candidate.results.erase(candidate.results.begin() + static_cast<i64>(k));
      if (Try(candidate)) {
        has_changed = true;
      } else {
        ++k;
      }
    }
    return has_changed;
  }

  // To operands, whatever their type.
  bool MoveResults() {
    bool has_changed = false;
    for (size_t k = 0; k < program_.results.size(); ++k) {
      while (MoveResult(k)) has_changed = true;
    }
    return has_changed;
  }

  bool MoveResult(size_t k) {
    const std::vector<int> operands = program_.ops[program_.results[k]].operands;
    return std::any_of(operands.begin(), operands.end(), [&](int operand) {
      RandomProgram candidate = program_;
      candidate.results[k] = operand;
      return Try(candidate);
    });
  }

  bool SimplifyForm() {
    constexpr void (*kSimpler[])(RandomProgram&) = {
        [](RandomProgram& program) { program.loads_apart = false; },
        [](RandomProgram& program) { program.join = Primitive::kInput; },
        [](RandomProgram& program) { program.lanes = 16; },
        [](RandomProgram& program) { program.rows = 1; },
        [](RandomProgram& program) { program.inner = std::min<i64>(program.inner, 16); },
        [](RandomProgram& program) {
          for (KernelOp& op : program.ops) op.stride = InnerStride::kUnit;
        },
    };
    bool has_changed = false;
    for (const auto simpler : kSimpler) {
      RandomProgram candidate = program_;
      simpler(candidate);
      if (candidate.ToString() != program_.ToString()) has_changed |= Try(candidate);
    }
    return has_changed;
  }

  // From the last operation on, as those in front may not be needed then.
  bool SimplifyOperations() {
    bool has_changed = false;
    for (int i = static_cast<int>(program_.ops.size()) - 1; i >= 0; --i) {
      i = std::min(i, static_cast<int>(program_.ops.size()) - 1);
      has_changed |= SimplifyOperation(i);
    }
    return has_changed;
  }

  bool SimplifyOperation(int i) {
    const KernelOp op = program_.ops[i];
    if (op.kind == KernelOpKind::kInput || op.kind == KernelOpKind::kConstant ||
        op.kind == KernelOpKind::kLoop || op.kind == KernelOpKind::kNext) {
      return false;
    }
    if (op.kind == KernelOpKind::kState) {
      const RandomProgram candidate = WithUsesOf(i, InitialValue(i));
      return candidate.ToString() != program_.ToString() && Try(candidate);  // else nothing used it
    }
    for (const int value : OperandsAndTheirs(op)) {
      const KernelOp& other = program_.ops[value];
      const bool is_alike = other.type == op.type && other.num_elements == op.num_elements;
      if (is_alike && Try(WithUsesOf(i, value))) return true;
    }
    KernelOp constant{KernelOpKind::kConstant, op.type, op.num_elements};
    if (TryInstead(i, {KernelOpKind::kInput, op.type, op.num_elements})) return true;
    if (TryInstead(i, constant)) return true;
    constant.immediate = 1;
    return TryInstead(i, constant);
  }

  std::vector<int> OperandsAndTheirs(const KernelOp& op) const {
    std::vector<int> values = op.operands;
    for (const int operand : op.operands) {
      const std::vector<int>& theirs = program_.ops[operand].operands;
      values.insert(values.end(), theirs.begin(), theirs.end());
    }
    return values;
  }

  int InitialValue(int state) const {
    int loop = state;
    while (program_.ops[loop].kind != KernelOpKind::kLoop) --loop;
    return program_.ops[loop].operands[state - loop - 1];
  }

  bool TryInstead(int i, const KernelOp& op) {
    RandomProgram candidate = program_;
    candidate.ops[i] = op;
    return Try(candidate);
  }

  // With uses of value `to` instead of `from`.
  RandomProgram WithUsesOf(int from, int to) const {
    RandomProgram candidate = program_;
    for (KernelOp& op : candidate.ops)
      std::replace(op.operands.begin(), op.operands.end(), from, to);
    std::replace(candidate.results.begin(), candidate.results.end(), from, to);
    return candidate;
  }

  RandomProgram program_;
  const std::function<bool(const RandomProgram&)>& fails_;
};

}  // namespace

RandomProgram Reduced(const RandomProgram& program,
                      const std::function<bool(const RandomProgram&)>& fails) {
  return Reducer(program, fails).Run();
}

}  // namespace axle
