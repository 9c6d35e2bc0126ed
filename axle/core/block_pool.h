// BlockPool: large blocks of memory, kept when they are freed: fresh pages cost more than the
// arithmetic that fills them. One for the process; blocks of 2 MiB and more lie on huge pages where
// the system has them.
//
//   BlockPool& pool = BlockPool::Get();
//   std::byte* block = pool.Take(bytes, /*zeroed=*/false);
//   pool.Give(block, bytes);
//
// What is kept is at most an eighth of the machine's memory; what was not needed for longest goes
// first. Thread-safe; a child of fork may go on with it. Under AddressSanitizer nothing is kept, so
// that every use after free is found.
#pragma once
#include <array>
#include <cstddef>
#include <limits>
#include <mutex>

namespace axle {

class BlockPool {
 public:
  // Blocks below this are better off in malloc.
  static constexpr size_t kSmallest = size_t{1} << 14;
  static constexpr size_t kAlignment = 64;  // a cache line, and the widest vector

  // Lives as long as the process.
  static BlockPool& Get();
  // `keep`: the most bytes that may be kept.
  explicit BlockPool(size_t keep) : keep_(keep) {}
  ~BlockPool() { Trim(0); }
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  // At least `bytes` bytes, which are kSmallest or more, at a multiple of kAlignment; null without
  // memory. Beside a block that was not kept, no more than `keep` bytes are.
  std::byte* Take(size_t bytes, bool zeroed, size_t keep = std::numeric_limits<size_t>::max());
  // What Take gave for as many bytes.
  void Give(std::byte* block, size_t bytes);
  // Gives all but so many bytes of what is kept back to the system.
  void Trim(size_t keep);
  size_t kept_bytes();

 private:
  // At the front of a block that is kept: its neighbours among those of its class, and among all,
  // from the one that was given back last to the first.
  struct Kept {
    Kept *next_of_class, *previous_of_class;
    Kept *older, *younger;
    size_t size_class;
  };

  void Remove(Kept* kept);

  static constexpr size_t kNumClasses = 264;  // of sizes up to 2^47
  const size_t keep_;
  std::mutex mutex_;  // of what follows
  std::array<Kept*, kNumClasses> by_class_ = {};
  Kept *youngest_ = nullptr, *oldest_ = nullptr;
  size_t kept_bytes_ = 0;
};

}  // namespace axle
