#include "axle/core/storage.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "axle/core/strings.h"

namespace axle {
namespace {

constexpr size_t kAlignment = 64;  // a cache line, and the widest vector
// Smaller blocks are left to malloc, which is as good for them.
constexpr size_t kSmallestKept = 1 << 14;
constexpr size_t kPageSize = 1 << 12;
// Of all blocks that a scope keeps.
constexpr size_t kMostKept = size_t{256} << 20;

}  // namespace

class StoragePool : public std::enable_shared_from_this<StoragePool> {
 public:
  explicit StoragePool(Limits* limits) : limits_(limits) {}
  ~StoragePool() { FreeKept(); }

  // What follows is called by the scope's thread alone, while the scope lives.
  Limits* limits() {
    Settle();
    return limits_;
  }

  std::byte* Take(size_t size, bool zeroed) {
    const i64 bytes = static_cast<i64>(size);
    Settle();
    if (limits_ != nullptr && !limits_->Reserve(bytes).ok()) return nullptr;
    reserved_ += bytes;
    live_ += bytes;
    std::byte* block = size < kSmallestKept ? nullptr : TakeKept(size);
    if (block != nullptr) {
      if (zeroed) std::memset(block, 0, size);
    } else {
      block = static_cast<std::byte*>(zeroed ? std::calloc(size, 1) : std::malloc(size));
    }
    if (block == nullptr) live_ -= bytes;
    return block;
  }

  // What lives on is its owner's now, and no longer counted.
  void Close() {
    if (limits_ != nullptr) limits_->Release(reserved_);
    limits_ = nullptr;
    const std::lock_guard lock(mutex_);
    closed_ = true;
    FreeKept();
  }

  // From here on: called by any thread, at any time.

  void Give(std::byte* block, size_t size) {
    live_ -= static_cast<i64>(size);
    const std::lock_guard lock(mutex_);
    const bool fits = kept_bytes_ + size <= kMostKept;
    if (closed_ || !fits || size < kSmallestKept) return std::free(block);
    kept_[size].push_back(block);
    kept_bytes_ += size;
  }

 private:
  // Tells the limits what was given back since, by whatever thread: they are not thread-safe.
  void Settle() {
    const i64 freed = reserved_ - live_;
    if (limits_ != nullptr && freed > 0) limits_->Release(freed);
    reserved_ -= freed;
  }

  std::byte* TakeKept(size_t size) {
    const std::lock_guard lock(mutex_);
    const auto it = kept_.find(size);
    if (it != kept_.end() && !it->second.empty()) {
      std::byte* block = it->second.back();
      it->second.pop_back();
      kept_bytes_ -= size;
      return block;
    }
    // What is kept is memory too, though nobody needs it.
    if (limits_ != nullptr &&
        static_cast<i64>(kept_bytes_) > limits_->memory_cap() - limits_->live_bytes()) {
      FreeKept();
    }
    return nullptr;
  }

  void FreeKept() {
    for (auto& [size, blocks] : kept_) {
      for (std::byte* block : blocks) std::free(block);
    }
    kept_.clear();
    kept_bytes_ = 0;
  }

  Limits* limits_;
  i64 reserved_ = 0;  // from the limits: live_ at the last settlement
  std::atomic<i64> live_ = 0;
  std::mutex mutex_;  // of what follows
  bool closed_ = false;
  std::unordered_map<size_t, std::vector<std::byte*>> kept_;  // by size
  size_t kept_bytes_ = 0;
};

namespace {

thread_local StoragePool* current_pool = nullptr;
thread_local StoragePlaces* current_places = nullptr;

}  // namespace

StorageScope::StorageScope(Limits* limits)
    : pool_(std::make_shared<StoragePool>(limits)), outer_(current_pool) {
  current_pool = pool_.get();
}

StorageScope::~StorageScope() {
  current_pool = outer_;
  pool_->Close();
}

StoragePlaces::StoragePlaces(std::vector<Block> blocks)
    : blocks_(std::move(blocks)), outer_(current_places) {
  current_places = this;
}

StoragePlaces::~StoragePlaces() {
  current_places = outer_;
}

std::byte* StoragePlaces::Take(i64 bytes) {
  const auto block = std::ranges::find(blocks_, bytes, &Block::bytes);
  if (block == blocks_.end()) return nullptr;
  std::byte* const data = block->data;
  blocks_.erase(block);
  return data;
}

Limits* StorageLimits() {
  return current_pool == nullptr ? nullptr : current_pool->limits();
}

Status CheckStorage(i64 bytes) {
  static const i64 physical = static_cast<i64>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  if (bytes > physical) {
    return ResourceExhausted(StrCat("a value of ", HumanBytes(bytes), " does not fit into the ",
                                    HumanBytes(physical), " of memory of this machine"));
  }
  const Limits* limits = StorageLimits();
  if (limits == nullptr || bytes <= limits->memory_cap() - limits->live_bytes()) return {};
  return ResourceExhausted(
      StrCat("a value of ", HumanBytes(bytes), " beside ", HumanBytes(limits->live_bytes()),
             " of live ones is above the limit of ", HumanBytes(limits->memory_cap())));
}

std::shared_ptr<std::byte> AllocateStorage(i64 bytes, bool zeroed, std::byte** data) {
  if (current_places != nullptr) {
    if (std::byte* const placed = current_places->Take(bytes)) {
      if (zeroed) std::memset(placed, 0, static_cast<size_t>(bytes));
      *data = placed;
      return {placed, [](std::byte*) {}};
    }
  }
  size_t size = static_cast<size_t>(bytes) + kAlignment;
  StoragePool* pool = current_pool;
  std::byte* block;
  if (pool == nullptr) {
    block = static_cast<std::byte*>(zeroed ? std::calloc(size, 1) : std::malloc(size));
  } else {
    if (size >= kSmallestKept) size = (size + kPageSize - 1) / kPageSize * kPageSize;
    block = pool->Take(size, zeroed);
  }
  if (block == nullptr) return nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(block);
  *data = block + (kAlignment - address % kAlignment) % kAlignment;
  if (pool == nullptr) return {block, [](std::byte* p) { std::free(p); }};
  return {block, [owner = pool->shared_from_this(), size](std::byte* p) { owner->Give(p, size); }};
}

}  // namespace axle
