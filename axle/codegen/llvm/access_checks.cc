// How checks are added to a finished kernel. Each load, store, copy, masked load and masked store
// gets a call before it that returns the address to use:
//
//   %x = load <16 x float>, ptr %p
//   becomes
//   %q = call ptr @axle_check_access(state, kernel, operand, begin, end, %p, 64, 0)
//   %x = load <16 x float>, ptr %q
//
// The memory that %p may touch is found from its root (RootOf), following address arithmetic and
// phis back: a pointer loaded from the kernel's list of operands, a stack array, a global variable,
// or a constant block with a known address. Arguments are tables of ours and are not checked. A
// pointer with several roots, or another one, fails the run rather than passing unchecked. A masked
// access counts up to its last set lane.
//
// All accesses are listed before the first check is written, so that loads of bounds are not
// checked themselves. Roots are searched once per access.
#include "axle/codegen/llvm/access_checks.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "axle/core/strings.h"

namespace axle {
namespace {

using llvm::Value;

// One pointer of an instruction that reads or writes memory.
struct MemoryAccess {
  llvm::Instruction* inst;
  unsigned pointer;  // number of its operand
  bool is_store;
  llvm::Type* type = nullptr;  // type of what is loaded or stored, or:
  Value* bytes = nullptr;      // size of a copy
  Value* mask = nullptr;       // which lanes, or null: all
};

void AddAccesses(llvm::Instruction& inst, std::vector<MemoryAccess>& accesses) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst)) {
    accesses.push_back({load, load->getPointerOperandIndex(), false, load->getType()});
  } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst)) {
    accesses.push_back(
        {store, store->getPointerOperandIndex(), true, store->getValueOperand()->getType()});
  } else if (auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&inst)) {
    accesses.push_back({copy, 0, true, nullptr, copy->getLength()});
    accesses.push_back({copy, 1, false, nullptr, copy->getLength()});
  } else if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&inst)) {
    const auto id = call->getIntrinsicID();
    const bool is_store = id == llvm::Intrinsic::masked_store;
    if (!is_store && id != llvm::Intrinsic::masked_load) return;
    // Versions of LLVM differ in where the operands are.
    MemoryAccess access{call, 0, is_store,
                        is_store ? call->getArgOperand(0)->getType() : call->getType()};
    for (unsigned i = 0; i < call->arg_size(); ++i) {
      llvm::Type* type = call->getArgOperand(i)->getType();
      if (type->isPointerTy()) access.pointer = i;
      const bool is_value = is_store ? i == 0 : i + 1 == call->arg_size();
      if (type->isVectorTy() && !is_value) access.mask = call->getArgOperand(i);
    }
    accesses.push_back(access);
  }
}

class Checker {
 public:
  Checker(llvm::Function& function, const CheckedKernel& kernel, AccessChecks& checks)
      : function_(function),
        kernel_(kernel),
        checks_(checks),
        b_(function.getContext()),
        layout_(function.getParent()->getDataLayout()) {}

  void Write() {
    std::vector<MemoryAccess> accesses;
    for (llvm::Instruction& inst : llvm::instructions(function_)) AddAccesses(inst, accesses);
    b_.SetInsertPoint(&*function_.getEntryBlock().getFirstInsertionPt());
    name_ = b_.CreateGlobalString(function_.getName());
    for (size_t i = 0; i < kernel_.num_operands; ++i) {
      const size_t at = kernel_.num_operands + 2 * i;
      operands_.push_back({static_cast<i64>(i), LoadPointer(at), LoadPointer(at + 1)});
    }
    for (const MemoryAccess& access : accesses) Check(access);
  }

 private:
  // The memory that an address belongs to.
  struct Memory {
    i64 operand = -1;
    Value *begin = nullptr, *end = nullptr;
    bool is_table = false;  // memory of the compiler's own, not checked
  };

  Value* LoadPointer(size_t i) {
    Value* address = b_.CreateConstGEP1_64(b_.getPtrTy(), function_.getArg(kernel_.pointers), i);
    return b_.CreateLoad(b_.getPtrTy(), address);
  }

  // Where a pointer comes from, when what is added to it is taken away; null if from several.
  static Value* RootOf(Value* pointer) {
    std::set<Value*> seen;
    std::vector<Value*> left = {pointer};
    Value* root = nullptr;
    while (!left.empty()) {
      Value* at = left.back()->stripInBoundsOffsets();
      left.pop_back();
      if (!seen.insert(at).second) continue;
      if (auto* moved = llvm::dyn_cast<llvm::GEPOperator>(at)) {
        left.push_back(moved->getPointerOperand());
      } else if (auto* phi = llvm::dyn_cast<llvm::PHINode>(at)) {
        left.insert(left.end(), phi->op_begin(), phi->op_end());
      } else if (root == nullptr) {
        root = at;
      } else if (root != at) {
        return nullptr;
      }
    }
    return root;
  }

  std::optional<Memory> MemoryOf(Value* pointer) {
    Value* root = RootOf(pointer);
    if (root == nullptr) return std::nullopt;
    if (llvm::isa<llvm::Argument>(root)) return Memory{.is_table = true};
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(root)) {
      llvm::APInt offset(64, 0);
      const Value* base =
          load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout_, offset, true);
      const std::uint64_t operand = offset.getZExtValue() / sizeof(void*);
      if (base != function_.getArg(kernel_.pointers) || operand >= operands_.size()) {
        return std::nullopt;
      }
      return operands_[operand];
    }
    if (auto* place = llvm::dyn_cast<llvm::AllocaInst>(root)) {
      return Own(place, layout_.getTypeAllocSize(place->getAllocatedType()));
    }
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(root)) {
      return Own(variable, layout_.getTypeAllocSize(variable->getValueType()));
    }
    if (auto* address = llvm::dyn_cast<llvm::ConstantExpr>(root)) {
      if (address->getOpcode() != llvm::Instruction::IntToPtr) return std::nullopt;
      const auto number = llvm::cast<llvm::ConstantInt>(address->getOperand(0))->getZExtValue();
      const auto known = std::ranges::find_if(kernel_.constants, [&](const auto& block) {
        return reinterpret_cast<std::uintptr_t>(block.first) == number;
      });
      if (known == kernel_.constants.end()) return std::nullopt;
      return Own(address, static_cast<std::uint64_t>(known->second));
    }
    return std::nullopt;
  }
  Memory Own(Value* begin, std::uint64_t bytes) {
    return {-1, begin, b_.CreateConstGEP1_64(b_.getInt8Ty(), begin, bytes)};
  }

  // The bytes of an access, up to the last lane of the mask.
  Value* BytesOf(const MemoryAccess& access) {
    if (access.bytes != nullptr) return access.bytes;
    const std::uint64_t bytes = layout_.getTypeStoreSize(access.type).getFixedValue();
    if (access.mask == nullptr) return b_.getInt64(bytes);
    const unsigned lanes = llvm::cast<llvm::FixedVectorType>(access.type)->getNumElements();
    Value* mask = b_.CreateBitCast(access.mask, b_.getIntNTy(lanes));
    Value* above = b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, mask, b_.getFalse());
    Value* used = b_.CreateSub(b_.getInt64(lanes), b_.CreateZExt(above, b_.getInt64Ty()));
    return b_.CreateMul(used, b_.getInt64(bytes / lanes));
  }

  void Check(const MemoryAccess& access) {
    b_.SetInsertPoint(access.inst);
    Value* address = access.inst->getOperand(access.pointer);
    const std::optional<Memory> memory = MemoryOf(address);
    if (!memory) {
      checks_.Fail(function_.getName(), "an access to unknown memory");
      return;
    }
    if (memory->is_table) return;
    Value* bytes = BytesOf(access);
    llvm::Type *pointer = b_.getPtrTy(), *number = b_.getInt64Ty();
    const llvm::FunctionCallee check = function_.getParent()->getOrInsertFunction(
        kCheckAccess,
        llvm::FunctionType::get(
            pointer, {pointer, pointer, number, pointer, pointer, pointer, number, b_.getInt32Ty()},
            /*isVarArg=*/false));
    Value* state =
        b_.CreateIntToPtr(b_.getInt64(reinterpret_cast<std::uintptr_t>(&checks_)), b_.getPtrTy());
    Value* checked = b_.CreateCall(
        check, {state, name_, b_.getInt64(static_cast<std::uint64_t>(memory->operand)),
                memory->begin, memory->end, address, bytes, b_.getInt32(access.is_store ? 1 : 0)});
    access.inst->setOperand(access.pointer, checked);
    if (auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(access.inst)) {
      copy->setLength(
          b_.CreateSelect(b_.CreateICmpEQ(checked, address), copy->getLength(), b_.getInt64(0)));
    }
  }

  llvm::Function& function_;
  const CheckedKernel& kernel_;
  AccessChecks& checks_;
  llvm::IRBuilder<> b_;
  const llvm::DataLayout& layout_;
  Value* name_ = nullptr;
  std::vector<Memory> operands_;
};

}  // namespace

void AddAccessChecks(llvm::Function& function, const CheckedKernel& kernel, AccessChecks& checks) {
  Checker(function, kernel, checks).Write();
}

}  // namespace axle
