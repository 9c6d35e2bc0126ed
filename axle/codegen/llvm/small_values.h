// Small values: arrays of few elements that compiled code keeps in registers, as vectors of LLVM
// IR.
//
// Element k of n is lane k mod w of vector k / w, where w is SmallLanesFor(n)
// (spec/small_vectors.h). Lanes behind the last element are numbers of any value, not poison. A
// few elements have a vector each: programs mostly take them apart and put them together again.
#pragma once
#include <llvm/IR/IRBuilder.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "axle/codegen/llvm/lane_emitter.h"
#include "axle/codegen/spec/small_vectors.h"

namespace axle {

// The elements 0 to n - 1.
inline std::vector<i64> FirstElements(i64 n) {
  std::vector<i64> elements(static_cast<size_t>(n));
  std::iota(elements.begin(), elements.end(), 0);
  return elements;
}

// At most registers of 32 bytes: LLVM 21 and 22 merge shuffles of <8 x i64> wrongly
// (shuffles_of_eight_i64.ll).
inline JitTarget ForSmallValues(JitTarget target) {
  target.vector_bytes = std::min(target.vector_bytes, 32);
  return target;
}

struct SmallValue {
  LaneArray array = {LaneType::kU8};
  i64 num_elements = 0;
  std::vector<llvm::Value*> vectors[2];  // by part
};

// One element of a small value; of none: any.
struct ElementRef {
  const SmallValue* value = nullptr;
  i64 element = 0;
};

class SmallValueBuilder {
 public:
  SmallValueBuilder(llvm::IRBuilder<>& b, const JitTarget& target) : b_(b), target_(target) {}

  // For the vectors of an array of so many elements.
  LaneEmitter Emitter(i64 num_elements);
  llvm::Type* VectorType(const LaneArray& array, i64 num_elements);
  // Element k of the result is refs[k].
  SmallValue Gather(const LaneArray& array, std::span<const ElementRef> refs);
  // `bytes` are the elements as they are in memory.
  SmallValue Constants(const LaneArray& array, i64 num_elements, const std::byte* bytes);
  // The address of a copy of these bytes that is part of the code.
  llvm::Value* Variable(const std::byte* bytes, i64 num_bytes);
  // Element k of the result is element elements[k] of the array at `base`.
  SmallValue Load(const LaneArray& array, llvm::Value* base, std::span<const i64> elements);
  // Stores element k of the value to element elements[k] of the array at `base`.
  void Store(const SmallValue& value, llvm::Value* base, std::span<const i64> elements);
  // The first part of an element, as a number.
  llvm::Value* Element(const SmallValue& value, i64 element);

 private:
  llvm::Type* ElementType(LaneType type, bool in_memory);
  llvm::Value* Address(const LaneArray& array, llvm::Value* base, i64 element, unsigned part);
  llvm::Value* Resized(llvm::Value* vector, std::span<const int> lanes);
  llvm::Value* Pick(unsigned part, i64 lanes, std::span<const ElementRef> refs);
  llvm::Value* LoadVector(const LaneArray& array, llvm::Value* base, std::span<const i64> elements,
                          i64 lanes, unsigned part);
  void StoreVector(const LaneArray& array, llvm::Value* vector, llvm::Value* base,
                   std::span<const i64> elements, unsigned part);

  llvm::IRBuilder<>& b_;
  JitTarget target_;
};

}  // namespace axle
