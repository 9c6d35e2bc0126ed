#include "axle/core/block_pool.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

namespace axle {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kKeeps = false;
#elif defined(__has_feature)
constexpr bool kKeeps = !__has_feature(address_sanitizer);
#else
constexpr bool kKeeps = true;
#endif

constexpr size_t kHugePage = size_t{2} << 20;
// Sizes between a power of two and the next.
constexpr size_t kStepsLog = 3;
constexpr size_t kSmallestLog = std::countr_zero(BlockPool::kSmallest);

// The class of the smallest size that holds so many bytes, and the size of a class: powers of two
// with seven sizes between each two.
size_t ClassOf(size_t bytes) {
  const size_t log = std::bit_width(bytes - 1) - 1;  // of the power of two below
  const size_t step = log - kStepsLog;
  const size_t steps = (bytes - 1) >> step;  // 8 to 15
  return ((log - kSmallestLog) << kStepsLog) + steps - (size_t{1} << kStepsLog) + 1;
}

size_t SizeOf(size_t size_class) {
  const size_t log = (size_class >> kStepsLog) + kSmallestLog;
  const size_t steps = (size_class & ((1 << kStepsLog) - 1)) + (size_t{1} << kStepsLog);
  return steps << (log - kStepsLog);
}

// Fresh blocks are zeros where they are mapped, and anything where malloc has them.
bool IsMapped(size_t size) {
  return kKeeps && size >= kHugePage;
}

std::byte* Map(size_t size) {
  const size_t around = size + kHugePage;
  void* const mapped =
      mmap(nullptr, around, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<std::byte*>(mapped);
  const size_t skipped = -reinterpret_cast<std::uintptr_t>(begin) & (kHugePage - 1);
  if (skipped > 0) munmap(begin, skipped);
  munmap(begin + skipped + size, kHugePage - skipped);
  madvise(begin + skipped, size, MADV_HUGEPAGE);  // ordinary pages will do
  return begin + skipped;
}

std::byte* Allocate(size_t size, bool zeroed) {
  if (IsMapped(size)) return Map(size);
  auto* const block = static_cast<std::byte*>(std::aligned_alloc(BlockPool::kAlignment, size));
  if (block != nullptr && zeroed) std::memset(block, 0, size);
  return block;
}

void Free(void* block, size_t size) {
  if (IsMapped(size)) {
    munmap(block, size);
  } else {
    std::free(block);
  }
}

}  // namespace

BlockPool& BlockPool::Get() {
  // Never destroyed: literals may outlive everything. No thread of a child holds the mutex.
  static BlockPool* const pool = [] {
    const size_t memory =
        static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
    auto* const made = new BlockPool(memory / 8);
    pthread_atfork([] { Get().mutex_.lock(); }, [] { Get().mutex_.unlock(); },
                   [] { Get().mutex_.unlock(); });
    return made;
  }();
  return *pool;
}

namespace {
// While only one thread is there: a fork in the middle of the first call would leave a child that
// waits for it to end.
[[maybe_unused]] const BlockPool& made_at_load = BlockPool::Get();
}  // namespace

std::byte* BlockPool::Take(size_t bytes, bool zeroed, size_t keep) {
  if (bytes > SizeOf(kNumClasses - 1)) return nullptr;
  const size_t size_class = ClassOf(bytes), size = SizeOf(size_class);
  Kept* kept = nullptr;
  {
    const std::lock_guard lock(mutex_);
    kept = by_class_[size_class];
    if (kept != nullptr) Remove(kept);
  }
  if (kept != nullptr) {
    if (zeroed) std::memset(static_cast<void*>(kept), 0, bytes);
    return reinterpret_cast<std::byte*>(kept);
  }
  Trim(keep);
  std::byte* block = Allocate(size, zeroed);
  if (block == nullptr) {
    Trim(0);
    block = Allocate(size, zeroed);
  }
  return block;
}

void BlockPool::Give(std::byte* block, size_t bytes) {
  const size_t size_class = ClassOf(bytes), size = SizeOf(size_class);
  if (!kKeeps || size > keep_) return Free(block, size);
  Trim(keep_ - size);
  const std::lock_guard lock(mutex_);
  Kept*& first = by_class_[size_class];
  auto* const kept = new (block) Kept{first, nullptr, youngest_, nullptr, size_class};
  if (first != nullptr) first->previous_of_class = kept;
  first = kept;
  (youngest_ != nullptr ? youngest_->younger : oldest_) = kept;
  youngest_ = kept;
  kept_bytes_ += size;
}

void BlockPool::Trim(size_t keep) {
  Kept* freed = nullptr;  // after the lock: giving pages back takes long
  {
    const std::lock_guard lock(mutex_);
    while (kept_bytes_ > keep) {
      Kept* const kept = oldest_;
      Remove(kept);
      kept->younger = freed;
      freed = kept;
    }
  }
  while (freed != nullptr) {
    Kept* const kept = freed;
    freed = kept->younger;
    Free(kept, SizeOf(kept->size_class));
  }
}

size_t BlockPool::kept_bytes() {
  const std::lock_guard lock(mutex_);
  return kept_bytes_;
}

// The lock is held.
void BlockPool::Remove(Kept* kept) {
  Kept*& first = by_class_[kept->size_class];
  (kept->previous_of_class != nullptr ? kept->previous_of_class->next_of_class : first) =
      kept->next_of_class;
  if (kept->next_of_class != nullptr) {
    kept->next_of_class->previous_of_class = kept->previous_of_class;
  }
  (kept->younger != nullptr ? kept->younger->older : youngest_) = kept->older;
  (kept->older != nullptr ? kept->older->younger : oldest_) = kept->younger;
  kept_bytes_ -= SizeOf(kept->size_class);
}

}  // namespace axle
