// Folds of rows as LLVM IR: FoldForm::kRows of spec/kernel_spec.h.
//
// A fold keeps `lanes` accumulators in a few vectors in rotation: a body folds into the first one,
// which then goes to the end of the queue. At the end of the row, the queue may begin with any
// vector: halving joins the same lanes as if it began with the first, with operands exchanged. The
// vectors of a row that is folded in order are at the end of the queue, after identities. Marks
// follow all accumulators: they say in which lanes a minimum or maximum of floats has met no NaN.
// Where it has met one, it may go on with anything.
//
//   heads = folds.Start(folds.Identities(), before);
//   folds.BeginBodies();  folds.Fold(f, x, mask);  ...  folds.EndBodies();
//   heads[q]->addIncoming(folds.queue()[q], end);
//   value = folds.Joined(f);
#pragma once
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>

#include <span>
#include <vector>

#include "axle/codegen/llvm/lane_emitter.h"
#include "axle/codegen/llvm/lane_lowering.h"

namespace axle {

class RowFolds {
 public:
  // `spec` stays where it is. Of another form, it has no folds of rows.
  RowFolds(llvm::IRBuilder<>& b, LaneEmitter& emitter, unsigned width, const LoopKernelSpec& spec);

  // Vectors of accumulators of each fold: the number of bodies in a round of the queue.
  size_t num_vectors() const { return num_vectors_; }
  // The queue that a row begins with.
  std::vector<llvm::Value*> Identities();
  // The queue at the head of a block that is entered from `before` with these, and from elsewhere.
  std::vector<llvm::PHINode*> Start(std::span<llvm::Value* const> values, llvm::BasicBlock* before);
  // The accumulators of fold 0, then of fold 1, ..., and then the marks.
  const std::vector<llvm::Value*>& queue() const { return queue_; }

  // Around the bodies of a block: only there marks may wait for a second vector.
  void BeginBodies() { to_mark_.assign(to_mark_.size(), {}); }
  // x into the first accumulators, which go to the end of their queue. `mask` gives the lanes that
  // count; null: all.
  void Fold(size_t f, llvm::Value* x, llvm::function_ref<llvm::Value*()> mask);
  void EndBodies();

  // The result of a fold, as one element.
  llvm::Value* Joined(size_t f);

 private:
  LaneType TypeOf(size_t f) const;
  llvm::Value* Join(size_t f, llvm::Value* acc, llvm::Value* x);
  llvm::Value* JoinLanes(size_t f, std::vector<llvm::Value*> lanes);
  llvm::Value* JoinLanesInOrder(size_t f, std::span<llvm::Value* const> lanes);
  std::span<llvm::Value*> Accumulators(size_t f);
  bool HasMarks(size_t f) const;
  std::span<llvm::Value*> Marks(size_t f);
  void Mark(size_t f, llvm::Value* x);
  llvm::Value* OrNan(size_t f, llvm::Value* joined);

  static constexpr size_t kMarks = 2;  // vectors for each fold that has some
  struct ToMark {
    llvm::Value* waiting = nullptr;
    size_t count = 0;  // number of comparisons
  };

  llvm::IRBuilder<>& b_;
  LaneEmitter& emitter_;
  const unsigned width_;
  const LoopKernelSpec& spec_;
  const size_t num_vectors_;
  std::vector<llvm::Value*> queue_;
  std::vector<ToMark> to_mark_;  // by fold
};

}  // namespace axle
