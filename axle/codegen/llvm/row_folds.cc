// How folds of rows keep the canonical order with any vector width. With 64 lanes of f32 and
// vectors of 16, the accumulators are a queue of 4 vectors. Each body folds its vector of the row
// into the first one and rotates the queue, so element r of the row always meets lane r mod 64, as
// docs/numerics.md says. At the end of the row (JoinLanes), halving joins vector g with vector g +
// 2, then the two that remain, then the halves of the last one by shuffles.
//
// Code for the tail uses the same queue: lanes that the mask leaves out keep their accumulators.
//
// Minimum and maximum of floats with AVX-512 use an instruction that gives anything for NaN. So
// folds of these carry marks: a vector of i1 per lane that stays true while no NaN was met. One
// comparison tests two vectors (FCmpORD), and two marks alternate, so that the chain of ands is
// half as long. A single mark that is false makes the result a NaN.
#include "axle/codegen/llvm/row_folds.h"

#include <algorithm>

namespace axle {

using llvm::Value;

RowFolds::RowFolds(llvm::IRBuilder<>& b, LaneEmitter& emitter, unsigned width,
                   const LoopKernelSpec& spec)
    : b_(b),
      emitter_(emitter),
      width_(width),
      spec_(spec),
      num_vectors_(spec.form == FoldForm::kRows ? static_cast<size_t>(spec.lanes) / width : 0),
      to_mark_(spec.form == FoldForm::kRows ? spec.folds.size() : 0) {}

LaneType RowFolds::TypeOf(size_t f) const {
  const std::vector<LaneArray>& outputs = spec_.program->outputs;
  return outputs[outputs.size() - spec_.folds.size() + f].type;
}

// The marks of a fold begin as true, or as false if its init is a NaN already.
std::vector<Value*> RowFolds::Identities() {
  std::vector<Value*> identities;
  for (size_t f = 0; f < to_mark_.size(); ++f) {
    Value* identity = emitter_.Constant(TypeOf(f), spec_.folds[f].identity);
    identities.insert(identities.end(), num_vectors_, identity);
  }
  for (size_t f = 0; f < to_mark_.size(); ++f) {
    if (!HasMarks(f)) continue;
    Value* identity = emitter_.Constant(TypeOf(f), spec_.folds[f].identity);
    identities.insert(identities.end(), kMarks, b_.CreateFCmpORD(identity, identity));
  }
  return identities;
}

std::vector<llvm::PHINode*> RowFolds::Start(std::span<Value* const> values,
                                            llvm::BasicBlock* before) {
  std::vector<llvm::PHINode*> heads;
  for (Value* value : values) {
    heads.push_back(b_.CreatePHI(value->getType(), 2));
    heads.back()->addIncoming(value, before);
  }
  queue_.assign(heads.begin(), heads.end());
  return heads;
}

void RowFolds::Fold(size_t f, Value* x, llvm::function_ref<Value*()> mask) {
  const std::span<Value*> accumulators = Accumulators(f);
  Value*& first = accumulators[0];
  Value* joined = Join(f, first, x);
  if (mask) {
    joined = b_.CreateSelect(mask(), joined, first);
    x = b_.CreateSelect(mask(), x, llvm::Constant::getNullValue(x->getType()));
  }
  if (HasMarks(f)) Mark(f, x);
  first = joined;
  std::rotate(accumulators.begin(), accumulators.begin() + 1, accumulators.end());
}

void RowFolds::EndBodies() {
  for (size_t f = 0; f < to_mark_.size(); ++f) {
    if (to_mark_[f].waiting != nullptr) Mark(f, to_mark_[f].waiting);
  }
}

Value* RowFolds::Joined(size_t f) {
  const std::span<Value*> accumulators = Accumulators(f);
  Value* joined = JoinLanes(f, {accumulators.begin(), accumulators.end()});
  return HasMarks(f) ? OrNan(f, joined) : joined;
}

Value* RowFolds::Join(size_t f, Value* acc, Value* x) {
  const Primitive join = spec_.folds[f].join;
  if (!HasMarks(f)) return emitter_.Join(join, TypeOf(f), acc, x);
  return emitter_.OrderedMinMax(TypeOf(f), acc, x, join == Primitive::kMax);
}

// One element, of all lanes.
Value* RowFolds::JoinLanes(size_t f, std::vector<Value*> lanes) {
  const Primitive join = spec_.folds[f].join;
  if (spec_.in_order && (join == Primitive::kAdd || join == Primitive::kMul)) {
    return JoinLanesInOrder(f, lanes);
  }
  while (lanes.size() > 1) {
    const size_t half = lanes.size() / 2;
    for (size_t g = 0; g < half; ++g) lanes[g] = Join(f, lanes[g], lanes[g + half]);
    lanes.resize(half);
  }
  Value* vector = lanes[0];
  for (unsigned half = width_ / 2; half > 0; half /= 2) {
    std::vector<int> upper;
    for (unsigned k = 0; k < width_; ++k) upper.push_back(static_cast<int>((k + half) % width_));
    vector = Join(f, vector, b_.CreateShuffleVector(vector, upper));
  }
  return b_.CreateExtractElement(vector, std::uint64_t{0});
}

Value* RowFolds::JoinLanesInOrder(size_t f, std::span<Value* const> lanes) {
  Value* all = nullptr;
  for (Value* vector : lanes) {
    for (unsigned k = 0; k < width_; ++k) {
      Value* lane = b_.CreateVectorSplat(1, b_.CreateExtractElement(vector, k));
      all = all == nullptr ? lane : Join(f, all, lane);
    }
  }
  return b_.CreateExtractElement(all, std::uint64_t{0});
}

std::span<Value*> RowFolds::Accumulators(size_t f) {
  return std::span(queue_).subspan(f * num_vectors_, num_vectors_);
}

bool RowFolds::HasMarks(size_t f) const {
  const Primitive join = spec_.folds[f].join;
  return (join == Primitive::kMin || join == Primitive::kMax) &&
         emitter_.HasOrderedMinMax(TypeOf(f));
}

std::span<Value*> RowFolds::Marks(size_t f) {
  size_t first = spec_.folds.size() * num_vectors_;
  for (size_t k = 0; k < f; ++k) first += HasMarks(k) ? kMarks : 0;
  return std::span(queue_).subspan(first, kMarks);
}

// Two vectors share a comparison, and comparisons alternate with the marks.
void RowFolds::Mark(size_t f, Value* x) {
  auto& [waiting, count] = to_mark_[f];
  if (waiting == nullptr) {
    waiting = x;
    return;
  }
  Value*& mark = Marks(f)[count++ % kMarks];
  mark = b_.CreateAnd(mark, b_.CreateFCmpORD(waiting, x));
  waiting = nullptr;
}

Value* RowFolds::OrNan(size_t f, Value* joined) {
  const std::span<Value*> marks = Marks(f);
  Value* all = marks[0];
  for (Value* mark : marks.subspan(1)) all = b_.CreateAnd(all, mark);
  return b_.CreateSelect(b_.CreateAndReduce(all), joined,
                         llvm::ConstantFP::getNaN(joined->getType()));
}

}  // namespace axle
