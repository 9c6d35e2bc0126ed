#include "axle/core/storage.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>

#include "axle/core/block_pool.h"
#include "axle/core/strings.h"

namespace axle {

// What the blocks of one scope count for.
class StorageAccount : public std::enable_shared_from_this<StorageAccount> {
 public:
  explicit StorageAccount(Limits* limits) : limits_(limits) {}

  // What follows is called by the scope's thread alone, while the scope lives.
  Limits* limits() {
    Settle();
    return limits_;
  }

  bool Reserve(i64 bytes) {
    Settle();
    if (!limits_->Reserve(bytes).ok()) return false;
    reserved_ += bytes;
    live_ += bytes;
    return true;
  }

  // What the pool keeps is memory too, though nobody needs it: it may be as much as this.
  size_t left() const { return static_cast<size_t>(limits_->memory_cap() - limits_->live_bytes()); }

  // What lives on is its owner's now, and no longer counted.
  void Close() {
    limits_->Release(reserved_);
    limits_ = nullptr;
  }

  // Called by any thread, at any time.
  void Release(i64 bytes) { live_ -= bytes; }

 private:
  // Tells the limits what was given back since, by whatever thread: they are not thread-safe.
  void Settle() {
    const i64 freed = reserved_ - live_;
    if (freed > 0) limits_->Release(freed);
    reserved_ -= freed;
  }

  Limits* limits_;
  i64 reserved_ = 0;  // from the limits: live_ at the last settlement
  std::atomic<i64> live_ = 0;
};

namespace {

constexpr size_t kAlignment = BlockPool::kAlignment;
constexpr size_t kPageSize = 1 << 12;

// Read several times in each execution: at a fixed place of the thread, for which glibc keeps
// room for libraries that come later too (16 bytes here), and not behind a call that finds it.
#define AXLE_NEAR_THREAD_LOCAL __attribute__((tls_model("initial-exec"))) thread_local
AXLE_NEAR_THREAD_LOCAL StorageAccount* current_account = nullptr;
AXLE_NEAR_THREAD_LOCAL StoragePlaces* current_places = nullptr;
#undef AXLE_NEAR_THREAD_LOCAL

// What a block counts for, for as long as this lives.
class Reservation {
 public:
  // `account` may be null; it has reserved so many bytes.
  Reservation(StorageAccount* account, i64 bytes) : bytes_(bytes) {
    if (account != nullptr) account_ = account->shared_from_this();
  }
  Reservation(Reservation&& other) = default;
  Reservation& operator=(Reservation&&) = delete;
  ~Reservation() {
    if (account_ != nullptr) account_->Release(bytes_);
  }
  i64 bytes() const { return bytes_; }
  size_t left() const {
    return account_ == nullptr ? std::numeric_limits<size_t>::max() : account_->left();
  }

 private:
  std::shared_ptr<StorageAccount> account_;
  i64 bytes_;
};

// Allocates one T with room for a block behind it, so that a small block and its owner are one
// piece of memory.
template <typename T>
struct AllocatorWithRoom {
  using value_type = T;
  AllocatorWithRoom(size_t room, std::byte** data) : room(room), data(data) {}
  template <typename U>
  AllocatorWithRoom(const AllocatorWithRoom<U>& other)  // NOLINT(google-explicit-constructor)
      : room(other.room), data(other.data) {}

  T* allocate(size_t n) {
    void* const memory = std::malloc(n * sizeof(T) + kAlignment + room);
    if (memory == nullptr) throw std::bad_alloc();
    const auto end = reinterpret_cast<std::uintptr_t>(memory) + n * sizeof(T);
    *data = static_cast<std::byte*>(memory) + n * sizeof(T) + (-end & (kAlignment - 1));
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, size_t) { std::free(memory); }

  size_t room;
  std::byte** data;  // where `allocate` writes where the room begins
};

std::shared_ptr<std::byte> AllocateSmall(i64 bytes, bool zeroed, std::byte** data,
                                         Reservation reservation) {
  const auto room = static_cast<size_t>(bytes);
  auto owner = std::allocate_shared<Reservation>(AllocatorWithRoom<Reservation>(room, data),
                                                 std::move(reservation));
  if (zeroed) std::memset(*data, 0, room);
  return {std::move(owner), *data};
}

std::shared_ptr<std::byte> AllocateLarge(bool zeroed, std::byte** data, Reservation reservation) {
  const auto size = static_cast<size_t>(reservation.bytes());
  *data = BlockPool::Get().Take(size, zeroed, reservation.left());
  if (*data == nullptr) return nullptr;
  return {*data, [size, held = std::move(reservation)](std::byte* block) {
            BlockPool::Get().Give(block, size);
          }};
}

}  // namespace

StorageScope::StorageScope(Limits* limits) : outer_(current_account) {
  if (limits != nullptr) account_ = std::make_shared<StorageAccount>(limits);
  current_account = account_.get();
}

StorageScope::~StorageScope() {
  current_account = outer_;
  if (account_ != nullptr) account_->Close();
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
  return current_account == nullptr ? nullptr : current_account->limits();
}

Status CheckStorage(i64 bytes) {
  static const i64 physical = static_cast<i64>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  if (bytes > physical) {
    return ResourceExhausted(StrCat("a value of ", HumanBytes(bytes), " does not fit into the ",
                                    HumanBytes(physical), " of memory of this machine"));
  }
  const Limits* limits = StorageLimits();
  if (limits == nullptr || bytes <= limits->memory_cap() - limits->live_bytes()) return {};
  return ResourceExhausted(StrCat("a value of ", HumanBytes(bytes), limits->BesideText(),
                                  " is above ", limits->MemoryLimitText()));
}

std::shared_ptr<std::byte> AllocateStorage(i64 bytes, bool zeroed, std::byte** data) {
  if (current_places != nullptr) {
    if (std::byte* const placed = current_places->Take(bytes)) {
      if (zeroed) std::memset(placed, 0, static_cast<size_t>(bytes));
      *data = placed;
      return {placed, [](std::byte*) {}};
    }
  }
  const bool is_large = bytes >= static_cast<i64>(BlockPool::kSmallest);
  const i64 size = is_large ? (bytes + kPageSize - 1) / kPageSize * kPageSize : bytes + kAlignment;
  StorageAccount* const account = current_account;
  if (account != nullptr && !account->Reserve(size)) return nullptr;
  Reservation reservation(account, size);
  try {
    return is_large ? AllocateLarge(zeroed, data, std::move(reservation))
                    : AllocateSmall(bytes, zeroed, data, std::move(reservation));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace axle
