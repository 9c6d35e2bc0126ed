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
//
// Requirements for whoever edits Lower: no fast-math flags; no operation that has other results for
// other targets or levels (conversions from 64-bit unsigned integers, minimum and maximum are
// spelled out for that reason); shift counts are masked, because LLVM gives no value to larger
// ones.
#include "axle/codegen/lane_lowering.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <span>

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
        b_(module.getContext()) {
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
          b_.CreateConstGEP1_64(Element(op.type, true), inputs_[InputOf(op)], PartOf(op));
      Value* element = b_.CreateAlignedLoad(Element(op.type, true), address, AlignOf(op.type));
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
        heads.push_back(b_.CreatePHI(Vector(FoldType(f)), 2));
        heads.back()->addIncoming(Constant(FoldType(f), spec_.folds[f].identity), before);
      }
    }
    return heads;
  }

  Value* Join(size_t f, Value* acc, Value* x) {
    const LaneType type = FoldType(f);
    switch (spec_.folds[f].join) {
      case Primitive::kAdd:
        return Sum(type, acc, x);
      case Primitive::kMul:
        return Product(type, acc, x);
      case Primitive::kMin:
      case Primitive::kMax:
        return MinMax(type, acc, x, spec_.folds[f].join == Primitive::kMax);
      case Primitive::kAnd:
        return b_.CreateAnd(acc, x);
      default:
        return b_.CreateOr(acc, x);
    }
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
        values_[i] = Lower(op);
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

  llvm::Type* Element(LaneType type, bool in_memory = false) {
    switch (type) {
      case LaneType::kPred:
        return in_memory ? b_.getInt8Ty() : b_.getInt1Ty();
      case LaneType::kF32:
        return b_.getFloatTy();
      case LaneType::kF64:
        return b_.getDoubleTy();
      default:
        return b_.getIntNTy(static_cast<unsigned>(axle::BitsOf(type)));
    }
  }
  llvm::Type* Vector(LaneType type, bool in_memory = false, unsigned parts = 1) {
    return llvm::FixedVectorType::get(Element(type, in_memory), width_ * parts);
  }
  Value* Address(const LaneArray& array, Value* base, Value* index) {
    Value* element = array.num_parts == 1 ? index : b_.CreateMul(index, b_.getInt64(2));
    return b_.CreateGEP(Element(array.type, /*in_memory=*/true), base, element);
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
    llvm::Type* vector = Vector(array.type, /*in_memory=*/true, array.num_parts);
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
    llvm::Type* type = Element(op.type, /*in_memory=*/true);
    Value* lanes = llvm::PoisonValue::get(Vector(op.type, /*in_memory=*/true));
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
      value = b_.CreateZExt(value, Vector(array.type, /*in_memory=*/true));
    }
    Value* address = Address(array, base, index);
    if (valid_ == nullptr) {
      b_.CreateAlignedStore(value, address, AlignOf(array.type));
    } else {
      b_.CreateMaskedStore(value, address, AlignOf(array.type), Mask(array.num_parts));
    }
  }

  Value* Constant(LaneType type, std::uint64_t bits) {
    const auto width = static_cast<unsigned>(type == LaneType::kPred ? 1 : axle::BitsOf(type));
    const llvm::APInt pattern(64, bits);
    const llvm::APInt value = pattern.trunc(width);
    if (type == LaneType::kF32) {
      return llvm::ConstantFP::get(Vector(type), llvm::APFloat(llvm::APFloat::IEEEsingle(), value));
    }
    if (type == LaneType::kF64) {
      return llvm::ConstantFP::get(Vector(type), llvm::APFloat(llvm::APFloat::IEEEdouble(), value));
    }
    return llvm::ConstantInt::get(Vector(type), value);
  }

  // a and b of one float type. Equal values differ in the sign of zero only: and for the larger
  // one, or for the smaller.
  Value* FloatMinMax(LaneType type, Value* a, Value* b, bool is_max) {
    llvm::Type* bits = Vector(UnsignedOf(type));
    Value *x = b_.CreateBitCast(a, bits), *y = b_.CreateBitCast(b, bits);
    Value* equal = b_.CreateBitCast(is_max ? b_.CreateAnd(x, y) : b_.CreateOr(x, y), a->getType());
    Value* first = is_max ? b_.CreateFCmpOGT(a, b) : b_.CreateFCmpOLT(a, b);
    Value* ordered = b_.CreateSelect(b_.CreateFCmpOEQ(a, b), equal, b_.CreateSelect(first, a, b));
    return b_.CreateSelect(b_.CreateFCmpUNO(a, a), a, ordered);
  }

  Value* Sum(LaneType type, Value* a, Value* b) {
    if (type == LaneType::kPred) return b_.CreateOr(a, b);
    return IsFloat(type) ? b_.CreateFAdd(a, b) : b_.CreateAdd(a, b);
  }
  Value* Product(LaneType type, Value* a, Value* b) {
    if (type == LaneType::kPred) return b_.CreateAnd(a, b);
    return IsFloat(type) ? b_.CreateFMul(a, b) : b_.CreateMul(a, b);
  }

  Value* MinMax(LaneType type, Value* a, Value* b, bool is_max) {
    if (IsFloat(type)) return FloatMinMax(type, a, b, is_max);
    if (type == LaneType::kPred) return is_max ? b_.CreateOr(a, b) : b_.CreateAnd(a, b);
    Value* less = IsSigned(type) ? b_.CreateICmpSLT(a, b) : b_.CreateICmpULT(a, b);
    return is_max ? b_.CreateSelect(less, b, a) : b_.CreateSelect(less, a, b);
  }

  Value* MinMax(const LaneOp& op) {
    const bool is_max = op.primitive == Primitive::kMax;
    for (int side = 0; side < 2 && IsFloat(op.type); ++side) {
      const LaneOp& bound = program_.code[op.operands[side]];
      if (bound.primitive != Primitive::kConstant) continue;
      Value* result = FloatBound(op.type, bound.immediate, values_[op.operands[1 - side]], is_max);
      if (result != nullptr) return result;
    }
    return MinMax(op.type, values_[op.operands[0]], values_[op.operands[1]], is_max);
  }

  // The same of x and a constant: one comparison, chosen so that a NaN x stays, and that of two
  // zeros the right one does. Null for a constant NaN.
  Value* FloatBound(LaneType type, std::uint64_t bits, Value* x, bool is_max) {
    const int width = axle::BitsOf(type);
    const std::uint64_t sign = std::uint64_t{1} << (width - 1), magnitude = bits & (sign - 1);
    const std::uint64_t infinity = type == LaneType::kF32 ? 0x7f800000 : 0x7ff0000000000000;
    if (magnitude > infinity) return nullptr;
    Value* bound = Constant(type, bits);
    if (magnitude != 0) {
      Value* is_bound = is_max ? b_.CreateFCmpOGT(bound, x) : b_.CreateFCmpOLT(bound, x);
      return b_.CreateSelect(is_bound, bound, x);
    }
    // Where x is a zero too, the bound wins if it is +0 in a maximum, or -0 in a minimum.
    const bool bound_wins = is_max == (bits == 0);
    if (bound_wins) {
      Value* is_x = is_max ? b_.CreateFCmpUGT(x, bound) : b_.CreateFCmpULT(x, bound);
      return b_.CreateSelect(is_x, x, bound);
    }
    Value* is_bound = is_max ? b_.CreateFCmpOLT(x, bound) : b_.CreateFCmpOGT(x, bound);
    return b_.CreateSelect(is_bound, bound, x);
  }

  // A runtime function on each lane.
  Value* CallPerLane(LaneType type, Value* a, Value* b) {
    llvm::Type* element = Element(type);
    const llvm::FunctionCallee callee = module_.getOrInsertFunction(
        type == LaneType::kF32 ? kRemainderF32 : kRemainderF64, element, element, element);
    Value* result = llvm::PoisonValue::get(Vector(type));
    for (unsigned k = 0; k < width_; ++k) {
      Value* lane =
          b_.CreateCall(callee, {b_.CreateExtractElement(a, k), b_.CreateExtractElement(b, k)});
      result = b_.CreateInsertElement(result, lane, k);
    }
    return result;
  }

  Value* MulHigh(LaneType type, Value* a, Value* b) {
    const auto bits = static_cast<unsigned>(axle::BitsOf(type));
    llvm::Type* wide = llvm::FixedVectorType::get(b_.getIntNTy(2 * bits), width_);
    const auto extend = [&](Value* x) {
      return IsSigned(type) ? b_.CreateSExt(x, wide) : b_.CreateZExt(x, wide);
    };
    Value* product = b_.CreateMul(extend(a), extend(b));
    return b_.CreateTrunc(b_.CreateLShr(product, bits), Vector(type));
  }

  // To nearest even, once. A 64-bit unsigned number with its top bit set is halved first, keeping
  // the lost bit: halving and doubling are exact otherwise.
  Value* ToFloat(LaneType to, LaneType from, Value* x) {
    llvm::Type* result = Vector(to);
    if (from == LaneType::kU64) {
      Value* half = b_.CreateOr(b_.CreateLShr(x, 1), b_.CreateAnd(x, Constant(from, 1)));
      Value* is_small = b_.CreateICmpSGE(x, Constant(from, 0));
      Value* converted = b_.CreateSIToFP(b_.CreateSelect(is_small, x, half), result);
      return b_.CreateSelect(is_small, converted, b_.CreateFAdd(converted, converted));
    }
    if (from == LaneType::kU32) {  // exact in f64
      Value* wide = b_.CreateUIToFP(x, Vector(LaneType::kF64));
      return to == LaneType::kF64 ? wide : b_.CreateFPTrunc(wide, result);
    }
    if (!IsSigned(from)) x = b_.CreateZExt(x, Vector(LaneType::kS32));
    return b_.CreateSIToFP(x, result);
  }

  // Towards zero; the operand is in range.
  Value* ToInt(LaneType to, LaneType from, Value* x) {
    if (to == LaneType::kU32) {
      return b_.CreateTrunc(b_.CreateFPToSI(x, Vector(LaneType::kS64)), Vector(to));
    }
    if (to != LaneType::kU64) return b_.CreateFPToSI(x, Vector(to));
    Value* limit = llvm::ConstantFP::get(Vector(from), 0x1p63);
    Value* is_small = b_.CreateFCmpOLT(x, limit);
    Value* low = b_.CreateFPToSI(b_.CreateSelect(is_small, x, b_.CreateFSub(x, limit)), Vector(to));
    Value* high = b_.CreateXor(low, Constant(to, std::uint64_t{1} << 63));
    return b_.CreateSelect(is_small, low, high);
  }

  Value* Resize(LaneType to, LaneType from, Value* x) {
    if (from == LaneType::kPred || !IsSigned(from)) return b_.CreateZExtOrTrunc(x, Vector(to));
    return b_.CreateSExtOrTrunc(x, Vector(to));
  }

  // The only switch of the code generator.
  Value* Lower(const LaneOp& op) {
    const auto in = [&](int i) { return values_[op.operands[i]]; };
    const LaneType from = program_.code[op.operands[0]].type;
    const bool is_float = IsFloat(from), is_signed = IsSigned(from);
    llvm::Type* to = Vector(op.type);
    const auto unary = [&](llvm::Intrinsic::ID id) { return b_.CreateUnaryIntrinsic(id, in(0)); };
    const auto shift_count = [&] {
      return b_.CreateAnd(in(1),
                          Constant(op.type, static_cast<std::uint64_t>(axle::BitsOf(op.type)) - 1));
    };
    switch (op.primitive) {
      case Primitive::kInput:
        return nullptr;  // Body has loaded it
      case Primitive::kConstant:
        return Constant(op.type, op.immediate);
      case Primitive::kAdd:
        return Sum(from, in(0), in(1));
      case Primitive::kSub:
        return is_float ? b_.CreateFSub(in(0), in(1)) : b_.CreateSub(in(0), in(1));
      case Primitive::kMul:
        return Product(from, in(0), in(1));
      case Primitive::kDiv:
        if (is_float) return b_.CreateFDiv(in(0), in(1));
        return is_signed ? b_.CreateSDiv(in(0), in(1)) : b_.CreateUDiv(in(0), in(1));
      case Primitive::kRem:
        if (is_float) return CallPerLane(op.type, in(0), in(1));
        return is_signed ? b_.CreateSRem(in(0), in(1)) : b_.CreateURem(in(0), in(1));
      case Primitive::kNeg:
        return is_float ? b_.CreateFNeg(in(0)) : b_.CreateNeg(in(0));
      case Primitive::kAbs:
        if (is_float) return unary(llvm::Intrinsic::fabs);
        return b_.CreateSelect(b_.CreateICmpSLT(in(0), Constant(op.type, 0)), b_.CreateNeg(in(0)),
                               in(0));
      case Primitive::kMin:
      case Primitive::kMax:
        return MinMax(op);
      case Primitive::kFma:
        return b_.CreateIntrinsic(llvm::Intrinsic::fma, {to}, {in(0), in(1), in(2)});
      case Primitive::kSqrt:
        return unary(llvm::Intrinsic::sqrt);
      case Primitive::kFloor:
        return unary(llvm::Intrinsic::floor);
      case Primitive::kCeil:
        return unary(llvm::Intrinsic::ceil);
      case Primitive::kTrunc:
        return unary(llvm::Intrinsic::trunc);
      case Primitive::kRint:
        return unary(llvm::Intrinsic::roundeven);
      case Primitive::kAnd:
        return b_.CreateAnd(in(0), in(1));
      case Primitive::kOr:
        return b_.CreateOr(in(0), in(1));
      case Primitive::kXor:
        return b_.CreateXor(in(0), in(1));
      case Primitive::kShl:
        return b_.CreateShl(in(0), shift_count());
      case Primitive::kShr:
        return is_signed ? b_.CreateAShr(in(0), shift_count())
                         : b_.CreateLShr(in(0), shift_count());
      case Primitive::kMulHigh:
        return MulHigh(op.type, in(0), in(1));
      case Primitive::kClz:
        return b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, in(0), b_.getFalse());
      case Primitive::kPopcount:
        return unary(llvm::Intrinsic::ctpop);
      case Primitive::kEq:
        return is_float ? b_.CreateFCmpOEQ(in(0), in(1)) : b_.CreateICmpEQ(in(0), in(1));
      case Primitive::kLt:
        if (is_float) return b_.CreateFCmpOLT(in(0), in(1));
        return is_signed ? b_.CreateICmpSLT(in(0), in(1)) : b_.CreateICmpULT(in(0), in(1));
      case Primitive::kLe:
        if (is_float) return b_.CreateFCmpOLE(in(0), in(1));
        return is_signed ? b_.CreateICmpSLE(in(0), in(1)) : b_.CreateICmpULE(in(0), in(1));
      case Primitive::kSelect:
        return b_.CreateSelect(in(0), in(1), in(2));
      case Primitive::kBitcast:
        return b_.CreateBitCast(in(0), to);
      case Primitive::kResize:
        return Resize(op.type, from, in(0));
      case Primitive::kToFloat:
        return ToFloat(op.type, from, in(0));
      case Primitive::kToInt:
        return ToInt(op.type, from, in(0));
      case Primitive::kFloatToFloat:
        return op.type == LaneType::kF64 ? b_.CreateFPExt(in(0), to) : b_.CreateFPTrunc(in(0), to);
    }
    return nullptr;
  }

  const LoopKernelSpec& spec_;
  const LaneProgram& program_;
  const std::vector<InnerStride>& input_strides_;
  unsigned width_;  // lanes of a vector
  llvm::Module& module_;
  llvm::IRBuilder<> b_;
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
