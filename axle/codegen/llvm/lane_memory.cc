// How lanes are loaded and stored. The lanes that a mask leaves out are zeros; elements that are
// read one by one are those of the last position there, so that nothing behind the row is touched.
//
// Elements by number need no mask: the numbers of all lanes are clamped by the program, whatever
// their indices are. What the position adds to a number is added in the type of numbers, in which
// all elements of the table fit.
#include "axle/codegen/llvm/lane_memory.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <vector>

namespace axle {

using llvm::Value;

LaneMemory::LaneMemory(llvm::IRBuilder<>& b, LaneEmitter& emitter, const LoopKernelSpec& spec,
                       const JitTarget& target)
    : b_(b),
      emitter_(emitter),
      spec_(spec),
      vector_bytes_(static_cast<std::uint64_t>(target.vector_bytes)),
      width_(static_cast<unsigned>(target.vector_bytes) / 4),
      is_checked_(target.checks != nullptr) {}

void LaneMemory::SetValid(Value* valid) {
  masks_[0] = masks_[1] = nullptr;
  valid_ = valid;
}

Value* LaneMemory::Mask(unsigned parts) {
  Value*& mask = masks_[parts - 1];
  if (mask == nullptr) {
    std::vector<llvm::Constant*> lanes;
    for (unsigned k = 0; k < width_ * parts; ++k) lanes.push_back(b_.getInt32(k / parts));
    Value* valid = b_.CreateTrunc(valid_, b_.getInt32Ty());  // less than an iteration
    mask = b_.CreateICmpULT(llvm::ConstantVector::get(lanes),
                            b_.CreateVectorSplat(width_ * parts, valid));
  }
  return mask;
}

Value* LaneMemory::Address(const LaneArray& array, Value* base, Value* index) {
  Value* element = array.num_parts == 1 ? index : b_.CreateMul(index, b_.getInt64(2));
  return b_.CreateGEP(emitter_.Element(array.type, /*in_memory=*/true), base, element);
}

Value* LaneMemory::LoadUniform(const LaneOp& op, Value* from) {
  llvm::Type* type = emitter_.Element(op.type, /*in_memory=*/true);
  Value* address = b_.CreateConstGEP1_64(type, from, op.part());
  Value* element = b_.CreateAlignedLoad(type, address, AlignOf(op.type));
  if (op.type == LaneType::kPred) element = b_.CreateICmpNE(element, b_.getInt8(0));
  return b_.CreateVectorSplat(width_, element);
}

// Whether an instruction for it takes less time than loads one by one. Measured on a Xeon with
// tables in the caches: half of the time with AVX-512, the same or more with AVX2. Checks know
// loads.
bool LaneMemory::HasGathers(LaneType type) const {
  return vector_bytes_ == 64 && BytesOf(type) >= 4 && !is_checked_;
}

// Elements from the addresses of the lanes.
template <typename F>
Value* LaneMemory::Collect(const LaneOp& op, const F& address_of) {
  llvm::Type* type = emitter_.Element(op.type, /*in_memory=*/true);
  Value* lanes = llvm::PoisonValue::get(emitter_.Vector(op.type, /*in_memory=*/true));
  for (unsigned k = 0; k < width_; ++k) {
    Value* element = b_.CreateAlignedLoad(type, address_of(k), AlignOf(op.type));
    lanes = b_.CreateInsertElement(lanes, element, k);
  }
  if (op.type != LaneType::kPred) return lanes;
  return b_.CreateICmpNE(lanes, llvm::Constant::getNullValue(lanes->getType()));
}

// How far from the first element of the row that of lane k is, in bytes. Behind the end of the
// row: that of the last one.
Value* LaneMemory::DistanceOf(Value* index, unsigned k, Value* stride) {
  Value* at = b_.CreateAdd(index, b_.getInt64(k));
  if (valid_ != nullptr) {
    at = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, at, b_.CreateSub(inner_, b_.getInt64(1)));
  }
  return b_.CreateMul(at, stride);
}

// The positions of the lanes in the type of `numbers`, where that is in the row.
Value* LaneMemory::Positions(Value* numbers, Value* index) {
  llvm::Type* type = numbers->getType()->getScalarType();
  std::vector<llvm::Constant*> lanes;
  for (unsigned k = 0; k < width_; ++k) lanes.push_back(llvm::ConstantInt::get(type, k));
  Value* first = b_.CreateVectorSplat(width_, b_.CreateTrunc(index, type));
  Value* positions = b_.CreateAdd(first, llvm::ConstantVector::get(lanes));
  if (valid_ == nullptr) return positions;
  Value* last = b_.CreateTrunc(b_.CreateSub(inner_, b_.getInt64(1)), type);
  return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, positions,
                                  b_.CreateVectorSplat(width_, last));
}

Value* LaneMemory::LoadElements(const LaneOp& op, Value* numbers, Value* base, Value* index,
                                InnerStride inner, Value* stride) {
  const LaneArray& array = spec_.program->inputs[op.input()];
  if (inner == InnerStride::kUnit) numbers = b_.CreateAdd(numbers, Positions(numbers, index));
  if (array.num_parts == 2) numbers = b_.CreateShl(numbers, 1);
  if (op.part() == 1) {
    numbers = b_.CreateAdd(numbers, llvm::ConstantInt::get(numbers->getType(), 1));
  }
  llvm::Type* type = emitter_.Element(op.type, /*in_memory=*/true);
  if (inner != InnerStride::kAny && HasGathers(op.type)) {
    return b_.CreateMaskedGather(emitter_.Vector(op.type), b_.CreateGEP(type, base, numbers),
                                 AlignOf(op.type));
  }
  return Collect(op, [&](unsigned k) {
    Value* number = b_.CreateZExt(b_.CreateExtractElement(numbers, k), b_.getInt64Ty());
    Value* element = b_.CreateGEP(type, base, number);
    if (inner != InnerStride::kAny) return element;
    return b_.CreatePtrAdd(element, DistanceOf(index, k, stride));
  });
}

Value* LaneMemory::PartOf(const LaneArray& array, Value* loaded, std::uint32_t part) {
  if (array.num_parts == 1) return loaded;
  std::vector<int> lanes;
  for (unsigned k = 0; k < width_; ++k) lanes.push_back(static_cast<int>(2 * k + part));
  return b_.CreateShuffleVector(loaded, lanes);
}

Value* LaneMemory::LoadVector(const LaneArray& array, Value* base, Value* index) {
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

void LaneMemory::Fetch(Value* address, i64 distance, i64 bytes, bool to_write) {
  constexpr i64 kLine = 64;
  constexpr int kAllLevels = 3, kData = 1;
  for (i64 line = 0; line < bytes; line += kLine) {
    Value* ahead =
        b_.CreatePtrAdd(address, b_.getInt64(static_cast<std::uint64_t>(distance + line)));
    b_.CreateIntrinsic(
        llvm::Intrinsic::prefetch, {ahead->getType()},
        {ahead, b_.getInt32(to_write ? 1 : 0), b_.getInt32(kAllLevels), b_.getInt32(kData)});
  }
}

Value* LaneMemory::LoadApart(const LaneOp& op, Value* first, Value* index, Value* stride) {
  llvm::Type* type = emitter_.Element(op.type, /*in_memory=*/true);
  return Collect(op, [&](unsigned k) {
    Value* element = b_.CreatePtrAdd(first, DistanceOf(index, k, stride));
    return b_.CreateConstGEP1_64(type, element, op.part());
  });
}

// The alignment of a row that begins at a multiple of the widest vector of the kernel.
llvm::Align LaneMemory::StreamAlignOf(const Value* value) const {
  const std::uint64_t bytes = b_.GetInsertBlock()
                                  ->getModule()
                                  ->getDataLayout()
                                  .getTypeStoreSize(value->getType())
                                  .getFixedValue();
  return llvm::Align(std::min<std::uint64_t>(bytes, vector_bytes_));
}

void LaneMemory::Store(const LaneArray& array, Value* value, Value* base, Value* index) {
  if (array.type == LaneType::kPred) {
    value = b_.CreateZExt(value, emitter_.Vector(array.type, /*in_memory=*/true));
  }
  Value* address = Address(array, base, index);
  if (valid_ == nullptr && spec_.streams) {
    llvm::StoreInst* store = b_.CreateAlignedStore(value, address, StreamAlignOf(value));
    store->setMetadata(
        llvm::LLVMContext::MD_nontemporal,
        llvm::MDNode::get(b_.getContext(), llvm::ConstantAsMetadata::get(b_.getInt32(1))));
  } else if (valid_ == nullptr) {
    b_.CreateAlignedStore(value, address, AlignOf(array.type));
  } else {
    b_.CreateMaskedStore(value, address, AlignOf(array.type), Mask(array.num_parts));
  }
}

}  // namespace axle
