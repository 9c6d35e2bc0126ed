// What the kernel of a grouped loop (LoopPattern in spec/kernel_spec.h) loads and stores. It works
// on blocks of groups: as many as fill whole vectors.
#pragma once
#include <llvm/IR/IRBuilder.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <span>
#include <vector>

#include "axle/codegen/llvm/lane_emitter.h"
#include "axle/codegen/spec/kernel_spec.h"

namespace axle {

class LaneGroups {
 public:
  // All live longer.
  LaneGroups(llvm::IRBuilder<>& b, LaneEmitter& emitter, const LoopKernelSpec& spec, unsigned width,
             bool has_gathers);

  // A block of twice as many groups as the smallest one, and so on.
  void DoubleBlock() { groups_ *= 2; }
  i64 groups() const { return groups_; }
  // Vectors of a block: of positions, or of results of folds.
  i64 num_vectors() const { return groups_ * lanes_per_group() / width_; }
  i64 lanes_per_group() const { return pattern_.size / pattern_.reduced; }
  // The positions in the block of the lanes of vector `vector`; with folds, of element `element` of
  // those that are joined.
  Dims PositionsOf(i64 vector, i64 element) const;

  // Loads for a vector, of all inputs of kind kPattern.
  i64 NumSources() const;

  // A block that begins at group `group` of the row; `left` groups are left, or at least all of the
  // block if that is null.
  void BeginBlock(llvm::Value* group, llvm::Value* left);
  // The elements of an input of kind kPattern; `base` is where the row begins.
  llvm::Value* Load(const LaneOp& op, llvm::Value* base, std::span<const i64> positions);
  // Whether output `o` lies apart, and the output through whose pointer it is stored: its own, or
  // that of another one beside which it lies.
  bool IsApart(size_t o) const { return !OperandOf(o).offsets.empty(); }
  size_t StoredThrough(size_t o) const {
    const std::int32_t beside = OperandOf(o).beside;
    return beside < 0 ? o : static_cast<size_t>(beside);
  }
  // An output, by number, and its lanes.
  using Stored = std::pair<size_t, llvm::Value*>;
  // Stores outputs that go through the same pointer, where the row begins.
  void Store(std::span<const Stored> outputs, llvm::Value* base, std::span<const i64> positions);

 private:
  // How the lanes of a vector are read, in parts of elements counted from the first of the block.
  struct Reads {
    Dims elements;        // by lane
    Dims begins;          // by lane: of the neighbours that it is loaded with
    Dims sources;         // the different ones of these, in order
    bool are_neighbours;  // the lanes are
  };
  Reads ReadsOf(const LaneArray& array, const LoopPattern::Operand& operand, std::uint32_t part,
                std::span<const i64> positions) const;
  bool HasGathers(LaneType type) const { return has_gathers_ && BytesOf(type) >= 4; }
  const LoopPattern::Operand& OperandOf(size_t output) const {
    return pattern_.operands[spec_.inputs.size() + output];
  }
  // The element of a position of the block, counted from the least one, and the end of the block.
  i64 ElementAt(const LoopPattern::Operand& operand, i64 position) const {
    const i64 group = position / pattern_.size;
    const i64 before = operand.stride < 0 ? group - (groups_ - 1) : group;
    return before * operand.stride + operand.offsets[position % pattern_.size];
  }
  i64 EndOf(const LoopPattern::Operand& operand) const {
    return (groups_ - 1) * std::abs(operand.stride) + std::ranges::max(operand.offsets) + 1;
  }
  llvm::Value* AddressIn(const LaneArray& array, const LoopPattern::Operand& operand,
                         llvm::Value* base);
  llvm::Value* LoadSource(const LaneOp& op, llvm::Value* first, i64 begin);
  llvm::Value* LoadOneByOne(const LaneOp& op, llvm::Value* first, std::span<const i64> elements,
                            std::span<const i64> positions);
  llvm::Value* IsThere(std::span<const i64> positions);
  llvm::Constant* Numbers(std::span<const i64> numbers, llvm::Type* type);

  llvm::IRBuilder<>& b_;
  LaneEmitter& emitter_;
  const LoopKernelSpec& spec_;
  const LoopPattern& pattern_;
  const i64 width_;  // lanes of a vector
  const bool has_gathers_;
  i64 groups_;
  llvm::Value* group_ = nullptr;
  llvm::Value* left_ = nullptr;
  std::map<std::pair<std::uint32_t, i64>, llvm::Value*> sources_;  // by input and first element
};

}  // namespace axle
