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
  explicit StoragePool(Limits* limits) {
    if (limits != nullptr) cap_ = limits->memory_cap() - limits->live_bytes();
  }
  ~StoragePool() { Close(); }

  i64 live() const { return live_; }
  i64 cap() const { return cap_; }
  i64 peak() const { return peak_; }

  std::byte* Take(size_t size, bool zeroed) {
    const i64 bytes = static_cast<i64>(size);
    if (bytes > cap_ - live_) return nullptr;
    std::byte* block = size < kSmallestKept ? nullptr : TakeKept(size);
    if (block != nullptr) {
      if (zeroed) std::memset(block, 0, size);
    } else {
      block = static_cast<std::byte*>(zeroed ? std::calloc(size, 1) : std::malloc(size));
    }
    if (block == nullptr) return nullptr;
    live_ += bytes;
    peak_ = std::max<i64>(peak_, live_);
    return block;
  }

  void Give(std::byte* block, size_t size) {
    live_ -= static_cast<i64>(size);
    const std::lock_guard lock(mutex_);
    const bool fits = kept_bytes_ + size <= kMostKept;
    if (closed_ || !fits || size < kSmallestKept) return std::free(block);
    kept_[size].push_back(block);
    kept_bytes_ += size;
  }

  void Close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    FreeKept();
  }

 private:
  std::byte* TakeKept(size_t size) {
    const std::lock_guard lock(mutex_);
    const auto it = kept_.find(size);
    if (it != kept_.end() && !it->second.empty()) {
      std::byte* block = it->second.back();
      it->second.pop_back();
      kept_bytes_ -= size;
      return block;
    }
    // What is kept counts as memory too.
    if (static_cast<i64>(size + kept_bytes_) > cap_ - live_) FreeKept();
    return nullptr;
  }

  void FreeKept() {
    for (auto& [size, blocks] : kept_) {
      for (std::byte* block : blocks) std::free(block);
    }
    kept_.clear();
    kept_bytes_ = 0;
  }

  i64 cap_ = std::numeric_limits<i64>::max();
  std::atomic<i64> live_ = 0;
  i64 peak_ = 0;
  std::mutex mutex_;  // of what follows
  bool closed_ = false;
  std::unordered_map<size_t, std::vector<std::byte*>> kept_;  // by size
  size_t kept_bytes_ = 0;
};

namespace {

thread_local StoragePool* current_pool = nullptr;

}  // namespace

StorageScope::StorageScope(Limits* limits)
    : limits_(limits), pool_(std::make_shared<StoragePool>(limits)), outer_(current_pool) {
  current_pool = pool_.get();
}

StorageScope::~StorageScope() {
  current_pool = outer_;
  pool_->Close();
  // The limits learn of the peak; what lives on is its owner's now.
  if (limits_ != nullptr && limits_->Reserve(pool_->peak()).ok()) limits_->Release(pool_->peak());
}

Status CheckStorage(i64 bytes) {
  static const i64 physical = static_cast<i64>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  if (bytes > physical) {
    return ResourceExhausted(StrCat("a value of ", HumanBytes(bytes), " does not fit into the ",
                                    HumanBytes(physical), " of memory of this machine"));
  }
  const StoragePool* pool = current_pool;
  if (pool == nullptr || bytes <= pool->cap() - pool->live()) return {};
  return ResourceExhausted(StrCat("a value of ", HumanBytes(bytes), " beside ",
                                  HumanBytes(pool->live()), " of live ones is above the limit of ",
                                  HumanBytes(pool->cap())));
}

std::shared_ptr<std::byte> AllocateStorage(i64 bytes, bool zeroed, std::byte** data) {
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
