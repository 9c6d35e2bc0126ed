// Where the storage of literals comes from. While a StorageScope exists, the literals that its
// thread makes are counted against the scope's limits. Large blocks come from the pool of the
// process (core/block_pool.h).
//
//   const StorageScope storage(limits);   // around a run
//
// Literals may outlive the scope and may be freed by any thread; scopes nest.
#pragma once
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "axle/core/limits.h"
#include "axle/core/status.h"

namespace axle {

class StorageAccount;

class StorageScope {
 public:
  explicit StorageScope(Limits* limits);  // null: nothing is counted
  ~StorageScope();
  StorageScope(const StorageScope&) = delete;
  StorageScope& operator=(const StorageScope&) = delete;

 private:
  std::shared_ptr<StorageAccount> account_;  // null: of no limits
  StorageAccount* outer_;
};

// Memory for the next literals of a thread, of whoever made the object: the first literal that
// needs exactly as many bytes as one of the blocks gets it, as its storage, once. So a function
// that returns new literals writes them where its caller wants them. No such literal may outlive
// the memory. Scopes nest; the innermost one counts, and one without blocks hides the others.
//
//   const StoragePlaces places({{block, bytes}});
//   const Literal result = f();   // at `block`, if f is so kind
class StoragePlaces {
 public:
  struct Block {
    std::byte* data;  // aligned for any vector
    i64 bytes;
  };
  explicit StoragePlaces(std::vector<Block> blocks);
  ~StoragePlaces();
  StoragePlaces(const StoragePlaces&) = delete;
  StoragePlaces& operator=(const StoragePlaces&) = delete;

 private:
  friend std::shared_ptr<std::byte> AllocateStorage(i64 bytes, bool zeroed, std::byte** data);
  std::byte* Take(i64 bytes);

  std::vector<Block> blocks_;  // not taken yet
  StoragePlaces* outer_;
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
