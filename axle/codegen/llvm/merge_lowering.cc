// How a pass of a merge sort becomes a loop. Shape of a kernel:
//
//   while several merges can be done whole: one element of each of them per iteration
//   the rest: one merge after the other, as far as the call goes
//
// An element is merged without a branch: the position that it comes from is computed from the
// result of the comparator.
//
//   takes_right = right < end and (left >= middle or less(right, left))
//   from = takes_right ? right : left;   to[next] = source[from]
//
// So an iteration waits for the one before it, and several merges at a time (MergesPerIteration)
// take little longer than one. A run that is used up is compared too, with its last element or with
// what lies behind it; the result does not count then.
//
// The state of a pass (MergeState) is loaded at the beginning and stored at the end: a call goes to
// `until` only, so that the limits are asked between calls. The order of comparisons and of equal
// elements is that of axle/ops/merge_sort.h.
#include "axle/codegen/llvm/merge_lowering.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <span>

#include "axle/codegen/llvm/access_checks.h"
#include "axle/codegen/llvm/kernel_operands.h"
#include "axle/codegen/llvm/lane_emitter.h"
#include "axle/codegen/llvm/lane_lowering.h"

namespace axle {
namespace {

using llvm::Value;

class MergeWriter {
 public:
  MergeWriter(const MergeKernelSpec& spec, const JitTarget& target, const std::string& name,
              llvm::Module& module)
      : spec_(spec),
        less_(*spec.less),
        module_(module),
        b_(module.getContext()),
        emitter_(b_, /*width=*/1, target) {
    llvm::Type *pointer = b_.getPtrTy(), *number = b_.getInt64Ty();
    auto* type = llvm::FunctionType::get(
        b_.getVoidTy(), {pointer, number, number, pointer, pointer}, /*isVarArg=*/false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  }

  void Write() {
    b_.SetInsertPoint(NewBlock("entry"));
    size_ = function_->getArg(1);
    last_ = b_.CreateSub(size_, Number(1));
    std::vector<Value*> pointers;
    for (size_t i = 0; i < spec_.num_pointers(); ++i) {
      Value* at = b_.CreateConstGEP1_64(b_.getPtrTy(), function_->getArg(0), i);
      pointers.push_back(b_.CreateLoad(b_.getPtrTy(), at));
    }
    const auto arrays = static_cast<std::ptrdiff_t>(spec_.num_arrays());
    from_.assign(pointers.begin(), pointers.begin() + arrays);
    to_.assign(pointers.begin() + arrays, pointers.end() - 1);
    state_ = pointers.back();
    width_ = Load(offsetof(MergeState, width));
    until_ = Load(offsetof(MergeState, until));
    both_ = b_.CreateShl(width_, 1);
    Place place = {Load(offsetof(MergeState, next)), Load(offsetof(MergeState, left)),
                   Load(offsetof(MergeState, right))};
    place = WriteIterations(place);
    place = WriteRest(place);
    Store(place.next, offsetof(MergeState, next));
    Store(place.left, offsetof(MergeState, left));
    Store(place.right, offsetof(MergeState, right));
    b_.CreateRetVoid();
  }

  llvm::Function& function() { return *function_; }

 private:
  // The next element of a result, and the elements that are compared for it.
  struct Place {
    Value *next, *left, *right;
  };
  struct Merge {
    Place place;
    Value *middle, *end;
  };

  llvm::BasicBlock* NewBlock(const char* name) {
    return llvm::BasicBlock::Create(module_.getContext(), name, function_);
  }
  Value* Number(i64 number) { return b_.getInt64(static_cast<std::uint64_t>(number)); }
  Value* Min(Value* a, Value* b) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, a, b); }
  Value* Load(size_t offset) {
    return b_.CreateLoad(b_.getInt64Ty(), b_.CreateConstGEP1_64(b_.getInt8Ty(), state_, offset));
  }
  void Store(Value* value, size_t offset) {
    b_.CreateStore(value, b_.CreateConstGEP1_64(b_.getInt8Ty(), state_, offset));
  }
  llvm::PHINode* Phi(Value* first, llvm::BasicBlock* before) {
    auto* phi = b_.CreatePHI(first->getType(), 2);
    phi->addIncoming(first, before);
    return phi;
  }
  // The value after a loop that may be skipped.
  Value* Join(Value* skipped, llvm::BasicBlock* before, Value* done, llvm::BasicBlock* end) {
    llvm::PHINode* phi = Phi(skipped, before);
    phi->addIncoming(done, end);
    return phi;
  }
  // The place of a merge whose result begins at `next`.
  Place Begin(Value* next) { return {next, next, Min(b_.CreateAdd(next, width_), size_)}; }

  // Merges that are interleaved.
  size_t MergesPerIteration() const {
    constexpr i64 kMost = 4, kOperations = 16;
    const i64 cost = less_.num_operations() + static_cast<i64>(spec_.num_arrays());
    return static_cast<size_t>(std::clamp<i64>(kOperations / cost, 1, kMost));
  }

  Place WriteIterations(const Place& from) {
    const size_t count = MergesPerIteration();
    if (count == 1) return from;
    Value* length = b_.CreateMul(both_, Number(static_cast<i64>(count)));
    auto *before = b_.GetInsertBlock(), *iteration = NewBlock("iteration"),
         *done = NewBlock("done");
    const auto fits = [&](Value* next) {
      return b_.CreateICmpSLE(b_.CreateAdd(next, length), until_);
    };
    Value* inside = b_.CreateAnd(from.next, b_.CreateSub(both_, Number(1)));
    Value* begins = b_.CreateICmpEQ(inside, Number(0));
    b_.CreateCondBr(b_.CreateAnd(begins, fits(from.next)), iteration, done);

    b_.SetInsertPoint(iteration);
    llvm::PHINode* next = Phi(from.next, before);
    std::vector<Merge> merges;
    for (Value* begin = next; merges.size() < count;) {
      Value *middle = b_.CreateAdd(begin, width_), *end = b_.CreateAdd(begin, both_);
      merges.push_back({{begin, begin, middle}, middle, end});
      begin = end;
    }
    WriteMerges(merges, merges[0].end);
    Value* behind = b_.CreateAdd(next, length);
    const Place begun = Begin(behind);
    auto* iteration_end = b_.GetInsertBlock();
    next->addIncoming(behind, iteration_end);
    b_.CreateCondBr(fits(behind), iteration, done);

    b_.SetInsertPoint(done);
    return {Join(from.next, before, behind, iteration_end),
            Join(from.left, before, begun.left, iteration_end),
            Join(from.right, before, begun.right, iteration_end)};
  }

  Place WriteRest(const Place& from) {
    auto *before = b_.GetInsertBlock(), *merge = NewBlock("merge"), *done = NewBlock("rest_done");
    b_.CreateCondBr(b_.CreateICmpSLT(from.next, until_), merge, done);

    b_.SetInsertPoint(merge);
    llvm::PHINode *next = Phi(from.next, before), *left = Phi(from.left, before),
                  *right = Phi(from.right, before);
    Value* begin = b_.CreateAnd(next, b_.CreateNeg(both_));
    Value* middle = Min(b_.CreateAdd(begin, width_), size_);
    Value* end = Min(b_.CreateAdd(begin, both_), size_);
    Merge one = {{next, left, right}, middle, end};
    Value* stop = Min(end, until_);
    WriteMerges({&one, 1}, stop);
    const Place begun = Begin(stop);
    Value* is_over = b_.CreateICmpEQ(stop, end);
    Value* next_left = b_.CreateSelect(is_over, begun.left, one.place.left);
    Value* next_right = b_.CreateSelect(is_over, begun.right, one.place.right);
    auto* merge_end = b_.GetInsertBlock();
    next->addIncoming(stop, merge_end);
    left->addIncoming(next_left, merge_end);
    right->addIncoming(next_right, merge_end);
    b_.CreateCondBr(b_.CreateICmpSLT(stop, until_), merge, done);

    b_.SetInsertPoint(done);
    return {Join(from.next, before, stop, merge_end), Join(from.left, before, next_left, merge_end),
            Join(from.right, before, next_right, merge_end)};
  }

  // Writes a loop that takes one element of each of these merges per iteration, until the first one
  // is at `stop`, which it is not yet.
  void WriteMerges(std::span<Merge> merges, Value* stop) {
    auto *before = b_.GetInsertBlock(), *step = NewBlock("step"), *over = NewBlock("over");
    b_.CreateBr(step);
    b_.SetInsertPoint(step);
    std::vector<llvm::PHINode*> heads;
    for (Merge& merge : merges) {
      for (Value** number : {&merge.place.next, &merge.place.left, &merge.place.right}) {
        heads.push_back(Phi(*number, before));
        *number = heads.back();
      }
    }
    for (Merge& merge : merges) WriteStep(merge);
    auto head = heads.begin();
    for (const Merge& merge : merges) {
      for (Value* number : {merge.place.next, merge.place.left, merge.place.right}) {
        (*head++)->addIncoming(number, step);
      }
    }
    b_.CreateCondBr(b_.CreateICmpEQ(merges[0].place.next, stop), over, step);
    b_.SetInsertPoint(over);
  }

  void WriteStep(Merge& merge) {
    auto& [next, left, right] = merge.place;
    Value* is_left_over = b_.CreateICmpUGE(left, merge.middle);
    Value* has_right = b_.CreateICmpULT(right, merge.end);
    Value* goes_first = Less(Min(right, last_), left);
    Value* takes_right = b_.CreateAnd(has_right, b_.CreateOr(is_left_over, goes_first));
    Value* from_right = b_.CreateZExt(takes_right, b_.getInt64Ty());
    // A select could become a branch that cannot be predicted.
    Value* all_or_none = b_.CreateNeg(from_right);
    Value* from = b_.CreateXor(left, b_.CreateAnd(b_.CreateXor(left, right), all_or_none));
    for (size_t i = 0; i < from_.size(); ++i) {
      const i64 bytes = spec_.bytes_of(i);
      llvm::Type* type = b_.getIntNTy(8 * static_cast<unsigned>(bytes));
      const llvm::Align align(static_cast<std::uint64_t>(bytes));
      Value* element = b_.CreateAlignedLoad(type, b_.CreateGEP(type, from_[i], from), align);
      b_.CreateAlignedStore(element, b_.CreateGEP(type, to_[i], next), align);
    }
    left = b_.CreateAdd(left, b_.CreateSub(Number(1), from_right));
    right = b_.CreateAdd(right, from_right);
    next = b_.CreateAdd(next, Number(1));
  }

  // Whether the keys at `a` go before those at `b`.
  Value* Less(Value* a, Value* b) {
    std::vector<Value*> values;
    for (const LaneOp& op : less_.code) {
      if (op.primitive != Primitive::kInput) {
        values.push_back(emitter_.Lower(less_, op, values));
        continue;
      }
      llvm::Type* element = emitter_.Element(op.type, /*in_memory=*/true);
      Value* at = b_.CreateGEP(element, from_[op.input() / 2], op.input() % 2 == 0 ? a : b);
      Value* key = b_.CreateAlignedLoad(emitter_.Vector(op.type, /*in_memory=*/true), at,
                                        llvm::Align(BytesOf(op.type)));
      if (op.type == LaneType::kPred) {
        key = b_.CreateICmpNE(key, llvm::Constant::getNullValue(key->getType()));
      }
      values.push_back(key);
    }
    return b_.CreateExtractElement(values[less_.results[0]], std::uint64_t{0});
  }

  const MergeKernelSpec& spec_;
  const LaneProgram& less_;
  llvm::Module& module_;
  llvm::IRBuilder<> b_;
  LaneEmitter emitter_;
  llvm::Function* function_;
  Value *size_, *last_, *state_;
  Value *width_, *both_, *until_;  // `both_` is the width of two runs
  std::vector<Value*> from_, to_;
};

}  // namespace

void EmitMergeKernel(const MergeKernelSpec& spec, const JitTarget& target, const std::string& name,
                     llvm::Module& module) {
  MergeWriter writer(spec, target, name, module);
  writer.Write();
  if (target.checks != nullptr) {
    AddAccessChecks(writer.function(), {.pointers = 0, .num_operands = spec.num_pointers()},
                    *target.checks);
  }
  if (target.is_emulated()) SetKernelOperands(writer.function(), OperandsOf(spec));
}

}  // namespace axle
