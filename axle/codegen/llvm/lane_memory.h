// What a loop's kernel loads and stores: the elements of the lanes of a vector, at positions of a
// row from an index on. Lanes behind the end of the row are left out by a mask, or read what the
// last position reads.
#pragma once
#include <llvm/IR/IRBuilder.h>

#include "axle/codegen/llvm/lane_emitter.h"
#include "axle/codegen/spec/jit_target.h"
#include "axle/codegen/spec/kernel_spec.h"

namespace axle {

class LaneMemory {
 public:
  // All live longer. `inner` is the number of positions of a row.
  LaneMemory(llvm::IRBuilder<>& b, LaneEmitter& emitter, const LoopKernelSpec& spec,
             const JitTarget& target);
  void SetInner(llvm::Value* inner) { inner_ = inner; }

  // From now on `valid` lanes are in the row, or all if that is null.
  void SetValid(llvm::Value* valid);
  bool has_all() const { return valid_ == nullptr; }
  // Lanes, or parts of lanes, that are in the row.
  llvm::Value* Mask(unsigned parts);

  static llvm::Align AlignOf(LaneType type) { return llvm::Align(BytesOf(type)); }
  // Element `index` of the array at `base`.
  llvm::Value* Address(const LaneArray& array, llvm::Value* base, llvm::Value* index);
  // One element in all lanes.
  llvm::Value* LoadUniform(const LaneOp& op, llvm::Value* from);
  // Neighbours, of all parts, and one part of those.
  llvm::Value* LoadVector(const LaneArray& array, llvm::Value* base, llvm::Value* index);
  llvm::Value* PartOf(const LaneArray& array, llvm::Value* loaded, std::uint32_t part);
  // Elements `stride` bytes apart, one by one; `first` is that of position 0.
  llvm::Value* LoadApart(const LaneOp& op, llvm::Value* first, llvm::Value* index,
                         llvm::Value* stride);
  // Elements with a number for each lane, which count from `base` and on from there as positions
  // do; `stride` is for kAny. All lanes have numbers of elements.
  llvm::Value* LoadElements(const LaneOp& op, llvm::Value* numbers, llvm::Value* base,
                            llvm::Value* index, InnerStride inner, llvm::Value* stride);
  // Prefetches so many bytes, `distance` bytes after the address, into the first-level cache. If
  // the target has no prefetch for writing, LLVM uses the one for reading.
  void Fetch(llvm::Value* address, i64 distance, i64 bytes, bool to_write);
  // Neighbours.
  void Store(const LaneArray& array, llvm::Value* value, llvm::Value* base, llvm::Value* index);

 private:
  template <typename F>
  llvm::Value* Collect(const LaneOp& op, const F& address_of);
  llvm::Value* DistanceOf(llvm::Value* index, unsigned k, llvm::Value* stride);
  llvm::Value* Positions(llvm::Value* numbers, llvm::Value* index);
  bool HasGathers(LaneType type) const;
  llvm::Align StreamAlignOf(const llvm::Value* value) const;

  llvm::IRBuilder<>& b_;
  LaneEmitter& emitter_;
  const LoopKernelSpec& spec_;
  const std::uint64_t vector_bytes_;
  const unsigned width_;  // lanes of a vector
  const bool is_checked_;
  llvm::Value* inner_ = nullptr;
  llvm::Value* valid_ = nullptr;
  llvm::Value* masks_[2] = {};  // for one and two parts
};

}  // namespace axle
