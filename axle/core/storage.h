// Where the storage of literals comes from. While a StorageScope exists, the literals that its
// thread makes are counted against the scope's limits, and blocks that are freed are kept for the
// next literal of that size: fresh pages cost more than the arithmetic that fills them.
//
//   const StorageScope storage(limits);   // around a run
//
// Literals may outlive the scope and may be freed by any thread; scopes nest.
#pragma once
#include <cstddef>
#include <memory>

#include "axle/core/limits.h"
#include "axle/core/status.h"

namespace axle {

class StoragePool;

class StorageScope {
 public:
  explicit StorageScope(Limits* limits);  // null: nothing is counted, blocks are kept
  ~StorageScope();                        // gives back what is kept
  StorageScope(const StorageScope&) = delete;
  StorageScope& operator=(const StorageScope&) = delete;

 private:
  std::shared_ptr<StoragePool> pool_;
  StoragePool* outer_;
};

// RESOURCE_EXHAUSTED if a block of this size is more than the scope's limits or the machine's
// memory leave. What else is reserved from the limits, before or meanwhile, counts too: the cap is
// one budget.
Status CheckStorage(i64 bytes);
// The limits of the innermost scope of this thread, up to date; null if there are none.
Limits* StorageLimits();

// A block of at least `bytes`, aligned for any vector; `data` is where it begins. Null if there is
// no memory or the limits do not allow it.
std::shared_ptr<std::byte> AllocateStorage(i64 bytes, bool zeroed, std::byte** data);

}  // namespace axle
