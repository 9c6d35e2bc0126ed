// The operands stand in the metadata of a function, because an emulator gets a module long after
// the spec is gone.
#include "axle/codegen/llvm/kernel_operands.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Type.h>

namespace axle {
namespace {

constexpr char kName[] = "axle.operands";
constexpr unsigned kNumbersPerOperand = 3;

}  // namespace

KernelOperands OperandsOf(const Region& region, const Schedule& schedule) {
  KernelOperands result;
  const auto add = [&](ValueId value, bool is_output) {
    result.operands.push_back({KernelOperand::Row::kOne, schedule.values[value].bytes, is_output});
  };
  for (const RegionInput& input : region.inputs) add(input.value, false);
  for (const ValueId output : region.outputs) add(output, true);
  return result;
}

// One list of numbers: what it is, then those of each operand.
void SetKernelOperands(llvm::Function& function, const KernelOperands& operands) {
  llvm::LLVMContext& context = function.getContext();
  std::vector<llvm::Metadata*> numbers;
  const auto add = [&](i64 number) {
    numbers.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
        llvm::Type::getInt64Ty(context), static_cast<std::uint64_t>(number))));
  };
  add(operands.is_loop ? 1 : 0);
  for (const KernelOperand& operand : operands.operands) {
    add(static_cast<i64>(operand.row));
    add(operand.bytes);
    add(operand.is_output ? 1 : 0);
  }
  function.setMetadata(kName, llvm::MDNode::get(context, numbers));
}

std::optional<KernelOperands> GetKernelOperands(const llvm::Function& function) {
  const llvm::MDNode* node = function.getMetadata(kName);
  if (node == nullptr) return std::nullopt;
  const auto number = [&](unsigned i) {
    return llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(i))->getSExtValue();
  };
  KernelOperands result{.is_loop = number(0) != 0, .operands = {}};
  for (unsigned i = 1; i < node->getNumOperands(); i += kNumbersPerOperand) {
    result.operands.push_back({.row = static_cast<KernelOperand::Row>(number(i)),
                               .bytes = number(i + 1),
                               .is_output = number(i + 2) != 0});
  }
  return result;
}

}  // namespace axle
