// Differences between the versions of LLVM that Axle can be built with, 19 and newer.
#pragma once
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/IRBuilder.h>

#include <vector>

// In LLVM 19, these are in other headers.
#if __has_include(<llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>)
#include <llvm/ExecutionEngine/Orc/AbsoluteSymbols.h>
#endif
#if __has_include(<llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h>)
#include <llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h>
#endif

namespace axle {

// `vector` with `part` in the lanes from `at` on. LLVM 19 cannot legalise the intrinsic for narrow
// vectors (insert_subvector_narrow.ll), so that shuffles do the same there.
inline llvm::Value* InsertVector(llvm::IRBuilder<>& b, llvm::Value* vector, llvm::Value* part,
                                 int at) {
#if LLVM_VERSION_MAJOR > 19
  return b.CreateInsertVector(vector->getType(), vector, part, b.getInt64(at));
#else
  const auto lanes_of = [](llvm::Value* value) {
    return static_cast<int>(llvm::cast<llvm::FixedVectorType>(value->getType())->getNumElements());
  };
  const int lanes = lanes_of(vector), part_lanes = lanes_of(part);
  std::vector<int> widened, merged;
  for (int k = 0; k < lanes; ++k) {
    const bool is_part = k >= at && k < at + part_lanes;
    widened.push_back(k < part_lanes ? k : -1);
    merged.push_back(is_part ? lanes + k - at : k);
  }
  return b.CreateShuffleVector(vector, b.CreateShuffleVector(part, widened), merged);
#endif
}

// The lanes of `vector` from `at` on.
inline llvm::Value* ExtractVector(llvm::IRBuilder<>& b, llvm::FixedVectorType* type,
                                  llvm::Value* vector, int at) {
#if LLVM_VERSION_MAJOR > 19
  return b.CreateExtractVector(type, vector, b.getInt64(at));
#else
  std::vector<int> lanes;
  for (int k = 0; k < static_cast<int>(type->getNumElements()); ++k) lanes.push_back(at + k);
  return b.CreateShuffleVector(vector, lanes);
#endif
}

}  // namespace axle
