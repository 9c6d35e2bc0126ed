#include "tests/codegen/random_kernels/reference.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "axle/emit/primitives.h"
#include "tests/codegen/random_kernels/defined.h"
#include "tests/codegen/random_kernels/program_generator.h"

namespace axle {
namespace {

bool IsNan(LaneType type, std::uint64_t bits) {
  if (type == LaneType::kF32)
    return std::isnan(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  return type == LaneType::kF64 && std::isnan(std::bit_cast<double>(bits));
}

// The first position that reads the same element as position k.
i64 SamePosition(InnerStride stride, i64 inner, i64 k) {
  if (stride == InnerStride::kOne) return 0;
  return stride == InnerStride::kUniform ? k / inner * inner : k;
}

class Evaluation {
 public:
  Evaluation(const RandomProgram& program, const std::vector<Elements>& inputs,
             std::vector<Elements>& values)
      : program_(program), lanes_(LanesOf(program)), inputs_(inputs), values_(values) {
    values_.assign(program.ops.size(), {});
  }

  bool Run() {
    for (size_t i = 0; i < program_.ops.size(); ++i) {
      switch (program_.ops[i].kind) {
        case KernelOpKind::kLoop:
          EnterLoop(i);
          break;
        case KernelOpKind::kNext:
          EndTurn(i);
          if (--turns_ > 0) i = loop_ + program_.ops[i].operands.size();
          break;
        case KernelOpKind::kState:
          break;
        default:
          if (!Compute(i)) return false;
      }
    }
    return true;
  }

 private:
  const Elements& Operand(const KernelOp& op, size_t k) const { return values_[op.operands[k]]; }

  void EnterLoop(size_t i) {
    loop_ = i;
    const KernelOp& op = program_.ops[i];
    turns_ = static_cast<i64>(op.immediate);
    for (size_t k = 0; k < op.operands.size(); ++k) values_[i + 1 + k] = Operand(op, k);
  }
  void EndTurn(size_t i) {
    const KernelOp& op = program_.ops[i];
    std::vector<Elements> next;
    for (size_t k = 0; k < op.operands.size(); ++k) next.push_back(Operand(op, k));
    std::move(next.begin(), next.end(), values_.begin() + static_cast<i64>(loop_) + 1);
  }

  bool Compute(size_t i) {
    const KernelOp& op = program_.ops[i];
    const i64 num_elements = program_.NumElements(op);
    Elements& result = values_[i];
    result.assign(static_cast<size_t>(num_elements * BytesOf(op.type)), std::byte{0});
    switch (op.kind) {
      case KernelOpKind::kInput:
        result = inputs_[i];
        break;
      case KernelOpKind::kConstant:
        for (i64 k = 0; k < num_elements; ++k) SetElement(op.type, result, k, op.immediate);
        break;
      case KernelOpKind::kNumbers:
        for (i64 k = 0; k < num_elements; ++k) SetElement(op.type, result, k, op.numbers[k]);
        break;
      case KernelOpKind::kPrimitive:
        return Step(i, num_elements);
      case KernelOpKind::kFloatBits:
        FloatBits(op, num_elements, result);
        break;
      case KernelOpKind::kGather:
        for (size_t k = 0; k < op.operands.size(); ++k) {
          const std::uint64_t bits = ElementBits(op.type, Operand(op, k), op.elements[k]);
          SetElement(op.type, result, static_cast<i64>(k), bits);
        }
        break;
      case KernelOpKind::kStored:
        result = Operand(op, 0);
        break;
      case KernelOpKind::kUpdate:
        result = Operand(op, 0);
        std::copy(Operand(op, 1).begin(), Operand(op, 1).end(),
                  result.begin() + Start(op, Operand(op, 2), Operand(op, 1).size()));
        break;
      default:  // kSlice
        std::copy_n(Operand(op, 0).begin() + Start(op, Operand(op, 1), result.size()),
                    result.size(), result.begin());
    }
    return true;
  }

  bool Step(size_t i, i64 num_elements) {
    const KernelOp& op = program_.ops[i];
    StepArgs args{};
    args.result = values_[i].data();
    args.count = num_elements;
    for (size_t k = 0; k < op.operands.size(); ++k) args.operands[k] = Operand(op, k).data();
    const StepFn step = FindStep(lanes_, lanes_.code[i]);
    if (step == nullptr || !IsDefined(lanes_, lanes_.code[i], args)) return false;
    step(args);
    return true;
  }

  void FloatBits(const KernelOp& op, i64 num_elements, Elements& result) const {
    const LaneType from = program_.ops[op.operands[0]].type;
    for (i64 k = 0; k < num_elements; ++k) {
      const std::uint64_t bits = ElementBits(from, Operand(op, 0), k);
      SetElement(op.type, result, k, IsNan(from, bits) ? NanBits(from) : bits);
    }
  }

  // Where a part of so many bytes begins in the first operand.
  i64 Start(const KernelOp& op, const Elements& start_index, size_t part_bytes) const {
    const std::uint64_t bytes = static_cast<std::uint64_t>(BytesOf(op.type));
    const std::uint64_t most = (Operand(op, 0).size() - part_bytes) / bytes;
    return static_cast<i64>(std::min(ElementBits(LaneType::kU64, start_index, 0), most) * bytes);
  }

  const RandomProgram& program_;
  const LaneProgram lanes_;
  const std::vector<Elements>& inputs_;
  std::vector<Elements>& values_;
  size_t loop_ = 0;
  i64 turns_ = 0;
};

}  // namespace

std::vector<Elements> RandomInputs(const RandomProgram& program, Random random) {
  std::vector<Elements> inputs(program.ops.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const KernelOp& op = program.ops[i];
    if (op.kind != KernelOpKind::kInput) continue;
    const i64 num_elements = program.NumElements(op);
    inputs[i].resize(static_cast<size_t>(num_elements * BytesOf(op.type)));
    const bool takes_any = IsSigned(op.type) || IsUnsigned(op.type) ? random.Percent(25) : false;
    for (i64 k = 0; k < num_elements; ++k) {
      const i64 same = SamePosition(op.stride, program.inner, k);
      const std::uint64_t bits = same < k    ? ElementBits(op.type, inputs[i], same)
                                 : takes_any ? random.Bits()
                                             : ProgramGenerator::SpecialBitsOf(op.type, random);
      SetElement(op.type, inputs[i], k, bits);
    }
  }
  return inputs;
}

std::uint64_t ElementBits(LaneType type, const Elements& elements, i64 k) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, elements.data() + k * BytesOf(type), static_cast<size_t>(BytesOf(type)));
  return bits;
}

void SetElement(LaneType type, Elements& elements, i64 k, std::uint64_t bits) {
  std::memcpy(elements.data() + k * BytesOf(type), &bits, static_cast<size_t>(BytesOf(type)));
}

bool IsSameElement(LaneType type, std::uint64_t a, std::uint64_t b) {
  return a == b || (IsNan(type, a) && IsNan(type, b));
}

bool Evaluate(const RandomProgram& program, const std::vector<Elements>& inputs,
              std::vector<Elements>* values) {
  return Evaluation(program, inputs, *values).Run();
}

}  // namespace axle
