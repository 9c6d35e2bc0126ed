// The memory that the buffers of one client take together, in bytes. All functions are thread-safe.
#pragma once
#include <atomic>

#include "axle/core/element_type.h"
#include "axle/core/status.h"

namespace axle {

class MemoryBudget {
 public:
  // `cap` is in bytes.
  explicit MemoryBudget(i64 cap) : cap_(cap) {}
  // Reserves bytes; RESOURCE_EXHAUSTED if not enough are left.
  Status Reserve(i64 bytes);
  // Returns reserved bytes to the budget.
  void Release(i64 bytes) { live_ -= bytes; }
  i64 cap() const { return cap_; }
  i64 live() const { return live_; }
  // The most bytes at a time, and how often and how much was reserved at once, since the beginning.
  i64 peak() const { return peak_; }
  i64 num_reservations() const { return num_reservations_; }
  i64 largest_reservation() const { return largest_reservation_; }

 private:
  const i64 cap_;
  std::atomic<i64> live_ = 0;
  std::atomic<i64> peak_ = 0;
  std::atomic<i64> num_reservations_ = 0;
  std::atomic<i64> largest_reservation_ = 0;
};

// A share of a client's memory budget, in bytes, which the destructor returns to the budget.
class MemoryShare {
 public:
  MemoryShare() = default;
  ~MemoryShare() {
    if (budget_ != nullptr) budget_->Release(bytes_);
  }
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;
  // Reserves the bytes of the share, once; before that it has none. RESOURCE_EXHAUSTED if the cap
  // does not allow them.
  Status Take(MemoryBudget& budget, i64 bytes) {
    AXLE_TRY(budget.Reserve(bytes));
    budget_ = &budget;
    bytes_ = bytes;
    return {};
  }

 private:
  MemoryBudget* budget_ = nullptr;
  i64 bytes_ = 0;
};

}  // namespace axle
