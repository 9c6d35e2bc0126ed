// How lanes get the elements of a group. Of f32[n,3] whose elements are read as 0 0 0 1 1 1 2 2 2
// of each group, with vectors of 16, a block has 16 groups, and lies in three vectors of neighbours
// (sources). They are loaded once for the block, and each of its 9 vectors is a shuffle of one or
// two of them: the indices are constants. Sources are numbered from the least element of the block;
// the last one ends at the greatest, so that nothing behind it is touched.
//
// An output whose elements lie apart is shuffled into the lanes of vectors of neighbours, together
// with those that lie between them. Where the outputs of the loop leave elements out, the vector is
// stored with a constant mask.
//
// Elements that are neighbours as they are need no shuffle.
//
// In the last block of a row, sources are loaded with a mask: all elements up to the last one of
// the groups that are left, or not at all: there, an instruction that gathers is less code. So it
// is where groups are read backwards, and the last one of a block lies before the others. A vector
// whose elements lie in too many sources is read one by one.
#include "axle/codegen/llvm/lane_groups.h"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <numeric>

#include "axle/codegen/llvm/lane_memory.h"

namespace axle {
namespace {

// Sources of a vector that are shuffled.
constexpr size_t kMaxSources = 10;
constexpr int kNoLane = -1;

}  // namespace

using llvm::Value;

LaneGroups::LaneGroups(llvm::IRBuilder<>& b, LaneEmitter& emitter, const LoopKernelSpec& spec,
                       unsigned width, bool has_gathers)
    : b_(b),
      emitter_(emitter),
      spec_(spec),
      pattern_(spec.pattern),
      width_(width),
      has_gathers_(has_gathers),
      groups_(pattern_.size == 0 ? 0 : width_ / std::gcd(width_, lanes_per_group())) {}

Dims LaneGroups::PositionsOf(i64 vector, i64 element) const {
  Dims positions;
  for (i64 lane = vector * width_; lane < (vector + 1) * width_; ++lane) {
    const i64 array = lane / pattern_.columns, column = lane % pattern_.columns;
    positions.push_back((array * pattern_.reduced + element) * pattern_.columns + column);
  }
  return positions;
}

void LaneGroups::BeginBlock(Value* group, Value* left) {
  group_ = group;
  left_ = left;
  sources_.clear();
}

// The least element of the block.
Value* LaneGroups::AddressIn(const LaneArray& array, const LoopPattern::Operand& operand,
                             Value* base) {
  const i64 elements = operand.stride * static_cast<i64>(array.num_parts);
  Value* group = group_;
  if (operand.stride < 0) {
    group = b_.CreateAdd(group, b_.getInt64(static_cast<std::uint64_t>(groups_ - 1)));
  }
  Value* distance = b_.CreateMul(group, b_.getInt64(static_cast<std::uint64_t>(elements)));
  return b_.CreateGEP(emitter_.Element(array.type, /*in_memory=*/true), base, distance);
}

llvm::Constant* LaneGroups::Numbers(std::span<const i64> numbers, llvm::Type* type) {
  std::vector<llvm::Constant*> lanes;
  for (const i64 number : numbers) {
    lanes.push_back(llvm::ConstantInt::getSigned(type, number));
  }
  return llvm::ConstantVector::get(lanes);
}

// Lanes whose positions are left.
Value* LaneGroups::IsThere(std::span<const i64> positions) {
  Value* end = b_.CreateMul(left_, b_.getInt64(static_cast<std::uint64_t>(pattern_.size)));
  end = b_.CreateTrunc(end, b_.getInt32Ty());  // less than a block
  return b_.CreateICmpSLT(Numbers(positions, b_.getInt32Ty()),
                          b_.CreateVectorSplat(static_cast<unsigned>(width_), end));
}

// Neighbours from element `begin` of the block on, those of them that belong to it. Not in a last
// block whose groups are read backwards.
Value* LaneGroups::LoadSource(const LaneOp& op, Value* first, i64 begin) {
  const LaneArray& array = spec_.program->inputs[op.input()];
  const LoopPattern::Operand& operand = pattern_.operands[op.input()];
  Value*& source = sources_[{op.input(), begin}];
  if (source != nullptr) return source;
  const i64 parts = array.num_parts;
  const i64 of_group = (std::ranges::max(operand.offsets) + 1) * parts;
  const i64 end = EndOf(operand) * parts;
  llvm::Type* element = emitter_.Element(op.type, /*in_memory=*/true);
  llvm::Type* vector = emitter_.Vector(op.type, /*in_memory=*/true);
  Value* address = b_.CreateConstGEP1_64(element, first, static_cast<std::uint64_t>(begin));
  const llvm::Align alignment = LaneMemory::AlignOf(op.type);
  if (left_ == nullptr && begin + width_ <= end) {
    return source = b_.CreateAlignedLoad(vector, address, alignment);
  }
  Value* there = b_.getInt64(static_cast<std::uint64_t>(end - begin));
  if (left_ != nullptr) {
    Value* others = b_.CreateMul(b_.CreateSub(left_, b_.getInt64(1)),
                                 b_.getInt64(static_cast<std::uint64_t>(operand.stride * parts)));
    there = b_.CreateAdd(others, b_.getInt64(static_cast<std::uint64_t>(of_group - begin)));
    // Neither less than no lane nor more than all.
    there = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, there, b_.getInt64(0));
    there = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, there,
                                     b_.getInt64(static_cast<std::uint64_t>(width_)));
  }
  Dims lanes(width_);
  std::iota(lanes.begin(), lanes.end(), 0);
  Value* mask = b_.CreateICmpSLT(
      Numbers(lanes, b_.getInt32Ty()),
      b_.CreateVectorSplat(static_cast<unsigned>(width_), b_.CreateTrunc(there, b_.getInt32Ty())));
  return source = b_.CreateMaskedLoad(vector, address, alignment, mask,
                                      llvm::Constant::getNullValue(vector));
}

// Lanes that are not left read the first element of the first group.
Value* LaneGroups::LoadOneByOne(const LaneOp& op, Value* first, std::span<const i64> elements,
                                std::span<const i64> positions) {
  llvm::Type* element = emitter_.Element(op.type, /*in_memory=*/true);
  llvm::Type* vector = emitter_.Vector(op.type, /*in_memory=*/true);
  Value* numbers = Numbers(elements, b_.getInt64Ty());
  const llvm::Align alignment = LaneMemory::AlignOf(op.type);
  if (HasGathers(op.type)) {
    Value* is_there = left_ == nullptr ? nullptr : IsThere(positions);
    return b_.CreateMaskedGather(vector, b_.CreateGEP(element, first, numbers), alignment, is_there,
                                 llvm::Constant::getNullValue(vector));
  }
  if (left_ != nullptr) {
    const i64 one = ElementAt(pattern_.operands[op.input()], 0) *
                    static_cast<i64>(spec_.program->inputs[op.input()].num_parts);
    numbers =
        b_.CreateSelect(IsThere(positions), numbers, Numbers(Dims(width_, one), b_.getInt64Ty()));
  }
  Value* lanes = llvm::PoisonValue::get(vector);
  for (unsigned k = 0; k < width_; ++k) {
    Value* address = b_.CreateGEP(element, first, b_.CreateExtractElement(numbers, k));
    lanes = b_.CreateInsertElement(lanes, b_.CreateAlignedLoad(element, address, alignment), k);
  }
  return lanes;
}

// Sources begin at multiples of the width, the last one earlier.
LaneGroups::Reads LaneGroups::ReadsOf(const LaneArray& array, const LoopPattern::Operand& operand,
                                      std::uint32_t part, std::span<const i64> positions) const {
  const i64 parts = array.num_parts;
  const i64 end = EndOf(operand) * parts;
  Reads reads;
  for (const i64 position : positions) {
    const i64 element = ElementAt(operand, position) * parts + static_cast<i64>(part);
    reads.elements.push_back(element);
    reads.begins.push_back(std::max<i64>(0, std::min(element / width_ * width_, end - width_)));
  }
  reads.sources = reads.begins;
  std::ranges::sort(reads.sources);
  reads.sources.erase(std::unique(reads.sources.begin(), reads.sources.end()), reads.sources.end());
  reads.are_neighbours = reads.elements[0] + width_ <= end;
  for (i64 k = 0; k < width_; ++k) {
    reads.are_neighbours &= reads.elements[k] == reads.elements[0] + k;
  }
  return reads;
}

i64 LaneGroups::NumSources() const {
  i64 count = 0;
  const Dims positions = PositionsOf(0, 0);
  for (size_t i = 0; i < spec_.inputs.size(); ++i) {
    if (spec_.inputs[i] != InnerStride::kPattern) continue;
    const Reads reads =
        ReadsOf(spec_.program->inputs[i], pattern_.operands[i], /*part=*/0, positions);
    count += std::ssize(reads.sources);
  }
  return count;
}

Value* LaneGroups::Load(const LaneOp& op, Value* base, std::span<const i64> positions) {
  const LaneArray& array = spec_.program->inputs[op.input()];
  const LoopPattern::Operand& operand = pattern_.operands[op.input()];
  const auto& [elements, begins, sources, are_neighbours] =
      ReadsOf(array, operand, op.part(), positions);
  Value* first = AddressIn(array, operand, base);
  Value* lanes = nullptr;
  const bool is_last_backwards = left_ != nullptr && operand.stride < 0;
  if (are_neighbours && !is_last_backwards) {
    lanes = LoadSource(op, first, elements[0]);
  } else if (sources.size() > kMaxSources || is_last_backwards ||
             (left_ != nullptr && HasGathers(op.type))) {
    lanes = LoadOneByOne(op, first, elements, positions);
  } else {
    // The first shuffle takes from two sources, the others add one each.
    for (size_t s = 0; s < sources.size(); ++s) {
      Value* source = LoadSource(op, first, sources[s]);
      if (s == 0 && sources.size() > 1) {
        lanes = source;
        continue;
      }
      std::vector<int> indices;
      for (i64 k = 0; k < width_; ++k) {
        const int there = static_cast<int>(elements[k] - begins[k]);
        const bool is_here = begins[k] == sources[s];
        if (s == 0) {
          indices.push_back(there);
        } else if (is_here) {
          indices.push_back(there + static_cast<int>(width_));
        } else if (s == 1) {
          indices.push_back(begins[k] == sources[0] ? there : kNoLane);
        } else {
          indices.push_back(begins[k] < sources[s] ? static_cast<int>(k) : kNoLane);
        }
      }
      lanes = s == 0 ? b_.CreateShuffleVector(source, indices)
                     : b_.CreateShuffleVector(lanes, source, indices);
    }
  }
  if (op.type != LaneType::kPred) return lanes;
  return b_.CreateICmpNE(lanes, llvm::Constant::getNullValue(lanes->getType()));
}

// Each vector of neighbours takes its lanes from the outputs one after the other.
void LaneGroups::Store(std::span<const Stored> outputs, Value* base,
                       std::span<const i64> positions) {
  const LaneArray& array = spec_.program->outputs[outputs[0].first];
  llvm::Type* element = emitter_.Element(array.type, /*in_memory=*/true);
  llvm::Type* vector = emitter_.Vector(array.type, /*in_memory=*/true);
  struct From {
    size_t output;
    i64 lane = kNoLane;
  };
  std::map<i64, std::vector<From>> lanes_of;  // by first element of neighbours
  for (size_t i = 0; i < outputs.size(); ++i) {
    const LoopPattern::Operand& operand = OperandOf(outputs[i].first);
    for (i64 k = 0; k < width_; ++k) {
      const i64 at = operand.distance + ElementAt(operand, positions[k]);
      const i64 begin = at / width_ * width_;
      lanes_of.try_emplace(begin, width_).first->second[at - begin] = {i, k};
    }
  }
  Value* is_there = left_ == nullptr ? nullptr : IsThere(positions);
  Value* first = AddressIn(array, OperandOf(outputs[0].first), base);
  const llvm::Align alignment = LaneMemory::AlignOf(array.type);
  for (const auto& [begin, lanes] : lanes_of) {
    Value* stored = nullptr;
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::vector<int> indices;
      bool is_any = false;
      for (size_t k = 0; k < lanes.size(); ++k) {
        const bool is_here = lanes[k].lane != kNoLane && lanes[k].output == i;
        is_any = is_any || is_here;
        indices.push_back(is_here             ? static_cast<int>(lanes[k].lane + width_)
                          : stored == nullptr ? kNoLane
                                              : static_cast<int>(k));
      }
      if (!is_any) continue;
      Value* value = outputs[i].second;
      if (array.type == LaneType::kPred) value = b_.CreateZExt(value, vector);
      stored = b_.CreateShuffleVector(stored == nullptr ? llvm::PoisonValue::get(vector) : stored,
                                      value, indices);
    }
    std::vector<llvm::Constant*> written;
    std::vector<int> of_mask;  // from the mask, or zeros behind it
    bool are_all = true;
    for (const From& from : lanes) {
      const bool is_written = from.lane != kNoLane;
      are_all = are_all && is_written;
      written.push_back(b_.getInt1(is_written));
      of_mask.push_back(static_cast<int>(is_written ? from.lane : width_));
    }
    Value* address = b_.CreateConstGEP1_64(element, first, static_cast<std::uint64_t>(begin));
    if (are_all && is_there == nullptr) {
      b_.CreateAlignedStore(stored, address, alignment);
      continue;
    }
    Value* mask = llvm::ConstantVector::get(written);
    if (is_there != nullptr) {
      Value* zeros = llvm::Constant::getNullValue(is_there->getType());
      mask = b_.CreateShuffleVector(is_there, zeros, of_mask);
    }
    b_.CreateMaskedStore(stored, address, alignment, mask);
  }
}

}  // namespace axle
