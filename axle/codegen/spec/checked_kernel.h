// Checked kernels, for tests: how they are called, and where they say what they found. The checks
// themselves are in llvm/access_checks.h.
#pragma once
#include <cstddef>
#include <mutex>
#include <string_view>

#include "axle/core/element_type.h"
#include "axle/core/status.h"

namespace axle {

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kAlwaysChecksAccesses = true;
#elif defined(__has_feature)
inline constexpr bool kAlwaysChecksAccesses = __has_feature(address_sanitizer);
#else
inline constexpr bool kAlwaysChecksAccesses = false;
#endif

// Collects what the checks of one compiled module find. Thread-safe.
class AccessChecks {
 public:
  // The first thing that was wrong, INTERNAL, in any run so far.
  Status status() const;
  void Fail(std::string_view kernel, std::string_view what);

 private:
  mutable std::mutex mutex_;
  Status status_;
};

// Checked kernels find the bounds of their operands' memory behind the operands' pointers: so many
// pointers in all.
constexpr size_t NumCheckedPointers(size_t num_operands) {
  return 3 * num_operands;
}
inline void SetBounds(void** pointers, size_t num_operands, size_t operand, void* begin,
                      i64 bytes) {
  void** const bounds = pointers + num_operands + 2 * operand;
  bounds[0] = begin;
  bounds[1] = static_cast<std::byte*>(begin) + bytes;
}

// The function that checked code calls by this name: gives `address` if the bytes there are in
// [begin, end), and a place where it does no harm otherwise. `operand` is negative for memory of
// the kernel's own.
inline constexpr char kCheckAccess[] = "axle_check_access";
void* CheckAccess(AccessChecks* checks, const char* kernel, i64 operand, const std::byte* begin,
                  const std::byte* end, std::byte* address, i64 bytes, int is_store);

}  // namespace axle
