// Shape of a kernel:
//
//   for each row
//     for (i = 0; i + W <= inner; i += W) body(i, all lanes)
//     if (i < inner) body(i, lanes below inner - i)
//
// A fold of rows keeps `lanes` accumulators in a few vectors that take turns: a body folds into the
// first one, which then goes to the end of the queue. Behind the row, the queue is turned until it
// begins with lane 0 again. A fold of columns takes several rows in one body, in order.
//
// A body loads every input, runs the operations in order and stores every output, so an output that
// is an input's array is read before it is written. A pred is a byte in memory and a bit in a
// register. Lanes that the mask of the tail leaves out compute on zeros, or on the last element of
// the row, which definitions must bear without trapping (they guard integer division anyway).
#include "axle/codegen/lane_lowering.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <span>

#include "axle/codegen/lane_emitter.h"

namespace axle {
namespace {

using llvm::Value;

class KernelWriter {
 public:
  KernelWriter(const LoopKernelSpec& spec, int vector_bytes, const std::string& name,
               llvm::Module& module)
      : spec_(spec),
        program_(*spec.program),
        input_strides_(spec.inputs),
        width_(static_cast<unsigned>(vector_bytes) / 4),
        module_(module),
        b_(module.getContext()),
        emitter_(b_, width_) {
    llvm::Type *pointer = b_.getPtrTy(), *number = b_.getInt64Ty();
    auto* type = llvm::FunctionType::get(
        b_.getVoidTy(), {pointer, number, number, pointer, pointer}, /*isVarArg=*/false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    const std::string bits = std::to_string(vector_bytes * 8);
    function_->addFnAttr("prefer-vector-width", bits);
    function_->addFnAttr("min-legal-vector-width", bits);
  }

  void Write() {
    llvm::LLVMContext& context = module_.getContext();
    const auto block = [&](const char* name) {
      return llvm::BasicBlock::Create(context, name, function_);
    };
    auto *entry = block("entry"), *row = block("row"), *head = block("head");
    auto *main = block("main"), *after = block("after"), *tail = block("tail");
    auto *behind = block("behind"), *done = block("done");
    inner_ = function_->getArg(1);
    Value* outer = function_->getArg(2);
    Value* zero = b_.getInt64(0);

    b_.SetInsertPoint(entry);
    LoadStrides();
    b_.CreateBr(row);

    b_.SetInsertPoint(row);
    auto* row_index = b_.CreatePHI(b_.getInt64Ty(), 2);
    row_index->addIncoming(zero, entry);
    std::vector<llvm::PHINode*> rows;
    for (size_t i = 0; i < firsts_.size(); ++i) {
      rows.push_back(b_.CreatePHI(b_.getPtrTy(), 2));
      rows.back()->addIncoming(firsts_[i], entry);
    }
    const size_t num_inputs = program_.inputs.size();
    inputs_.assign(rows.begin(), rows.begin() + num_inputs);
    outputs_.assign(rows.begin() + num_inputs, rows.end());
    LoadUniformInputs();
    b_.CreateBr(head);

    b_.SetInsertPoint(head);
    auto* index = b_.CreatePHI(b_.getInt64Ty(), 2);
    index->addIncoming(zero, row);
    std::vector<llvm::PHINode*> heads = Accumulators(row);
    Value* next = b_.CreateAdd(index, b_.getInt64(width_));
    b_.CreateCondBr(b_.CreateICmpSLE(next, inner_), main, after);

    b_.SetInsertPoint(main);
    queue_.assign(heads.begin(), heads.end());
    Body(index, nullptr);
    index->addIncoming(next, b_.GetInsertBlock());
    for (size_t q = 0; q < heads.size(); ++q) heads[q]->addIncoming(queue_[q], main);
    b_.CreateBr(head);

    b_.SetInsertPoint(after);
    b_.CreateCondBr(b_.CreateICmpSLT(index, inner_), tail, behind);

    b_.SetInsertPoint(tail);
    queue_.assign(heads.begin(), heads.end());
    Body(index, b_.CreateSub(inner_, index));
    b_.CreateBr(behind);

    b_.SetInsertPoint(behind);
    FinishRow(heads, index, next, after, tail);
    llvm::BasicBlock* last = b_.GetInsertBlock();
    Value* next_index = b_.CreateAdd(row_index, b_.getInt64(1));
    row_index->addIncoming(next_index, last);
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i]->addIncoming(b_.CreatePtrAdd(rows[i], outer_strides_[i]), last);
    }
    b_.CreateCondBr(b_.CreateICmpSLT(next_index, outer), row, done);
    b_.SetInsertPoint(done);
    b_.CreateRetVoid();
  }

 private:
  void LoadStrides() {
    const auto load = [&](llvm::Type* type, unsigned argument, size_t i) {
      return b_.CreateLoad(type, b_.CreateConstGEP1_64(type, function_->getArg(argument), i));
    };
    for (size_t i = 0; i < program_.inputs.size() + program_.outputs.size(); ++i) {
      firsts_.push_back(load(b_.getPtrTy(), 0, i));
      outer_strides_.push_back(load(b_.getInt64Ty(), 3, i));
    }
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
      const bool is_any = input_strides_[i] == InnerStride::kAny;
      inner_strides_.push_back(is_any ? load(b_.getInt64Ty(), 4, i) : nullptr);
    }
  }

  void LoadUniformInputs() {
    splats_.assign(program_.code.size(), nullptr);
    for (size_t i = 0; i < program_.code.size(); ++i) {
      const LaneOp& op = program_.code[i];
      if (op.primitive != Primitive::kInput) continue;
      if (input_strides_[InputOf(op)] != InnerStride::kUniform) continue;
      Value* address =
          b_.CreateConstGEP1_64(emitter_.Element(op.type, true), inputs_[InputOf(op)], PartOf(op));
      Value* element =
          b_.CreateAlignedLoad(emitter_.Element(op.type, true), address, AlignOf(op.type));
      if (op.type == LaneType::kPred) element = b_.CreateICmpNE(element, b_.getInt8(0));
      splats_[i] = b_.CreateVectorSplat(width_, element);
    }
  }

  // Vectors of accumulators per fold.
  size_t Group() const {
    return spec_.form == FoldForm::kRows ? static_cast<size_t>(spec_.lanes) / width_ : 0;
  }
  size_t NumStores() const { return program_.outputs.size() - spec_.folds.size(); }
  LaneType FoldType(size_t f) const { return program_.outputs[NumStores() + f].type; }

  // The queue of accumulators at the head of the inner loop, which begins at the identity: those
  // of fold 0, then of fold 1, ...
  std::vector<llvm::PHINode*> Accumulators(llvm::BasicBlock* before) {
    std::vector<llvm::PHINode*> heads;
    for (size_t f = 0; f < spec_.folds.size() && Group() > 0; ++f) {
      for (size_t g = 0; g < Group(); ++g) {
        heads.push_back(b_.CreatePHI(emitter_.Vector(FoldType(f)), 2));
        heads.back()->addIncoming(emitter_.Constant(FoldType(f), spec_.folds[f].identity), before);
      }
    }
    return heads;
  }

  Value* Join(size_t f, Value* acc, Value* x) {
    return emitter_.Join(spec_.folds[f].join, FoldType(f), acc, x);
  }

  // Folds this body's values into the first accumulators, which go to the end of their queues.
  void FoldIntoQueue() {
    for (size_t f = 0; f < spec_.folds.size(); ++f) {
      const auto first = queue_.begin() + static_cast<std::ptrdiff_t>(f * Group());
      Value* value = values_[program_.results[ResultOf(NumStores() + f)]];
      Value* joined = Join(f, *first, value);
      if (valid_ != nullptr) joined = b_.CreateSelect(Mask(1), joined, *first);
      *first = joined;
      std::rotate(first, first + 1, first + static_cast<std::ptrdiff_t>(Group()));
    }
  }

  // Joins the accumulators of each fold and stores it.
  void FinishRow(std::span<llvm::PHINode* const> heads, Value* index, Value* next,
                 llvm::BasicBlock* after, llvm::BasicBlock* tail) {
    if (heads.empty()) return;
    std::vector<Value*> queue;
    for (size_t q = 0; q < heads.size(); ++q) {
      auto* joined = b_.CreatePHI(heads[q]->getType(), 2);
      joined->addIncoming(heads[q], after);
      joined->addIncoming(queue_[q], tail);
      queue.push_back(joined);
    }
    // How many vectors went into the queue: the lane that it begins with.
    auto* end = b_.CreatePHI(b_.getInt64Ty(), 2);
    end->addIncoming(index, after);
    end->addIncoming(next, tail);
    Value* phase = b_.CreateUDiv(end, b_.getInt64(width_));
    const size_t group = Group();
    phase = b_.CreateAnd(phase, b_.getInt64(group - 1));
    for (size_t f = 0; f < spec_.folds.size(); ++f) {
      // After p bodies, the queue begins with vector p mod group.
      std::vector<Value*> lanes(queue.begin() + static_cast<std::ptrdiff_t>(f * group),
                                queue.begin() + static_cast<std::ptrdiff_t>((f + 1) * group));
      for (size_t bit = 1; bit < group; bit *= 2) {
        Value* turn = b_.CreateICmpNE(b_.CreateAnd(phase, b_.getInt64(bit)), b_.getInt64(0));
        std::vector<Value*> turned(group);
        for (size_t g = 0; g < group; ++g) {
          turned[(g + bit) % group] = b_.CreateSelect(turn, lanes[g], lanes[(g + bit) % group]);
        }
        lanes = turned;
      }
      StoreFold(f, JoinLanes(f, lanes));
    }
  }

  // One value in lane 0 of the result, or the only one.
  Value* JoinLanes(size_t f, std::vector<Value*> lanes) {
    const Primitive join = spec_.folds[f].join;
    if (spec_.in_order && (join == Primitive::kAdd || join == Primitive::kMul)) {
      Value* all = nullptr;
      for (Value* vector : lanes) {
        for (unsigned k = 0; k < width_; ++k) {
          Value* lane = b_.CreateVectorSplat(1, b_.CreateExtractElement(vector, k));
          all = all == nullptr ? lane : Join(f, all, lane);
        }
      }
      return b_.CreateExtractElement(all, std::uint64_t{0});
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

  void StoreFold(size_t f, Value* value) {
    const LaneType type = FoldType(f);
    if (type == LaneType::kPred) value = b_.CreateZExt(value, b_.getInt8Ty());
    b_.CreateAlignedStore(value, outputs_[NumStores() + f], AlignOf(type));
  }

  // Where the lanes of output `o` begin in the results of the program.
  size_t ResultOf(size_t o) const {
    size_t result = 0;
    for (size_t k = 0; k < o; ++k) result += program_.outputs[k].num_parts;
    return result;
  }

  static size_t InputOf(const LaneOp& op) { return op.immediate & 0xffffffff; }
  static unsigned PartOf(const LaneOp& op) { return static_cast<unsigned>(op.immediate >> 32); }
  static llvm::Align AlignOf(LaneType type) { return llvm::Align(BytesOf(type)); }

  // The program on lanes [index, index + width); only the first `valid` of them if it is not null.
  void Body(Value* index, Value* valid) {
    values_.assign(program_.code.size(), nullptr);
    loaded_.assign(program_.inputs.size(), nullptr);
    masks_[0] = masks_[1] = nullptr;
    valid_ = valid;
    for (size_t i = 0; i < program_.code.size(); ++i) {
      const LaneOp& op = program_.code[i];
      if (op.primitive != Primitive::kInput) {
        values_[i] = emitter_.Lower(program_, op, values_);
      } else if (splats_[i] != nullptr) {
        values_[i] = splats_[i];
      } else if (input_strides_[InputOf(op)] == InnerStride::kAny) {
        values_[i] = LoadApart(op, index);
      } else {
        values_[i] = Load(op, index);
      }
    }
    if (spec_.form == FoldForm::kRows) FoldIntoQueue();
    if (spec_.form == FoldForm::kColumns) FoldIntoColumns(index);
    size_t result = 0;
    for (size_t i = 0; i < NumStores(); ++i) {
      const LaneArray& array = program_.outputs[i];
      Value* value = values_[program_.results[result]];
      if (array.num_parts == 2) {
        std::vector<int> interleaved;
        for (unsigned k = 0; k < width_; ++k) {
          interleaved.push_back(static_cast<int>(k));
          interleaved.push_back(static_cast<int>(k + width_));
        }
        value = b_.CreateShuffleVector(value, values_[program_.results[result + 1]], interleaved);
      }
      Store(array, value, outputs_[i], index);
      result += array.num_parts;
    }
  }

  void FoldIntoColumns(Value* index) {
    for (size_t f = 0; f < spec_.folds.size(); ++f) {
      const LaneArray& array = program_.outputs[NumStores() + f];
      Value* base = outputs_[NumStores() + f];
      Value* value = values_[program_.results[ResultOf(NumStores() + f)]];
      Store(array, Join(f, LoadVector(array, base, index), value), base, index);
    }
  }

  // Lanes (or parts of lanes) below valid_.
  Value* Mask(unsigned parts) {
    Value*& mask = masks_[parts - 1];
    if (mask == nullptr) {
      std::vector<llvm::Constant*> lanes;
      for (unsigned k = 0; k < width_ * parts; ++k) lanes.push_back(b_.getInt64(k / parts));
      mask = b_.CreateICmpULT(llvm::ConstantVector::get(lanes),
                              b_.CreateVectorSplat(width_ * parts, valid_));
    }
    return mask;
  }

  Value* Address(const LaneArray& array, Value* base, Value* index) {
    Value* element = array.num_parts == 1 ? index : b_.CreateMul(index, b_.getInt64(2));
    return b_.CreateGEP(emitter_.Element(array.type, /*in_memory=*/true), base, element);
  }

  Value* Load(const LaneOp& op, Value* index) {
    const LaneArray& array = program_.inputs[InputOf(op)];
    Value*& loaded = loaded_[InputOf(op)];
    if (loaded == nullptr) loaded = LoadVector(array, inputs_[InputOf(op)], index);
    if (array.num_parts == 1) return loaded;
    std::vector<int> part;
    for (unsigned k = 0; k < width_; ++k) part.push_back(static_cast<int>(2 * k + PartOf(op)));
    return b_.CreateShuffleVector(loaded, part);
  }

  Value* LoadVector(const LaneArray& array, Value* base, Value* index) {
    llvm::Type* vector = emitter_.Vector(array.type, /*in_memory=*/true, array.num_parts);
    Value* address = Address(array, base, index);
    Value* zeros = llvm::Constant::getNullValue(vector);
    Value* loaded;
    if (valid_ == nullptr) {
      loaded = b_.CreateAlignedLoad(vector, address, AlignOf(array.type));
    } else {
      loaded =
          b_.CreateMaskedLoad(vector, address, AlignOf(array.type), Mask(array.num_parts), zeros);
    }
    return array.type == LaneType::kPred ? b_.CreateICmpNE(loaded, zeros) : loaded;
  }

  // Elements that are not neighbours, one by one. Behind the end of the row: its last one.
  Value* LoadApart(const LaneOp& op, Value* index) {
    llvm::Type* type = emitter_.Element(op.type, /*in_memory=*/true);
    Value* lanes = llvm::PoisonValue::get(emitter_.Vector(op.type, /*in_memory=*/true));
    Value* last = b_.CreateSub(inner_, b_.getInt64(1));
    for (unsigned k = 0; k < width_; ++k) {
      Value* at = b_.CreateAdd(index, b_.getInt64(k));
      if (valid_ != nullptr) at = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, at, last);
      Value* element =
          b_.CreatePtrAdd(inputs_[InputOf(op)], b_.CreateMul(at, inner_strides_[InputOf(op)]));
      element = b_.CreateConstGEP1_64(type, element, PartOf(op));
      lanes =
          b_.CreateInsertElement(lanes, b_.CreateAlignedLoad(type, element, AlignOf(op.type)), k);
    }
    if (op.type != LaneType::kPred) return lanes;
    return b_.CreateICmpNE(lanes, llvm::Constant::getNullValue(lanes->getType()));
  }

  void Store(const LaneArray& array, Value* value, Value* base, Value* index) {
    if (array.type == LaneType::kPred) {
      value = b_.CreateZExt(value, emitter_.Vector(array.type, /*in_memory=*/true));
    }
    Value* address = Address(array, base, index);
    if (valid_ == nullptr) {
      b_.CreateAlignedStore(value, address, AlignOf(array.type));
    } else {
      b_.CreateMaskedStore(value, address, AlignOf(array.type), Mask(array.num_parts));
    }
  }

  const LoopKernelSpec& spec_;
  const LaneProgram& program_;
  const std::vector<InnerStride>& input_strides_;
  unsigned width_;  // lanes of a vector
  llvm::Module& module_;
  llvm::IRBuilder<> b_;
  LaneEmitter emitter_;
  llvm::Function* function_;
  Value* inner_;  // length of a row
  std::vector<Value*> firsts_, outer_strides_, inner_strides_;
  std::vector<Value*> inputs_, outputs_;  // where the row begins
  std::vector<Value*> splats_;            // of uniform inputs, by operation
  // Of the body being written:
  Value* valid_ = nullptr;      // number of lanes, or null: all
  Value* masks_[2] = {};        // for one and two parts
  std::vector<Value*> loaded_;  // by input
  std::vector<Value*> values_;  // by operation
  std::vector<Value*> queue_;   // accumulators of folds of rows
};

}  // namespace

void EmitLoopKernel(const LoopKernelSpec& spec, int vector_bytes, const std::string& name,
                    llvm::Module& module) {
  KernelWriter(spec, vector_bytes, name, module).Write();
}

}  // namespace axle
