// The check is one comparison of offsets. What fails goes to a thread's own spare memory, so that
// the kernel runs on, and the first failure is kept.
#include "axle/codegen/spec/checked_kernel.h"

#include "axle/core/strings.h"

namespace axle {

// More than the widest vector; copies are cut down to nothing.
constexpr i64 kNowhereBytes = 4096;

Status AccessChecks::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

void AccessChecks::Fail(std::string_view kernel, std::string_view what) {
  const std::lock_guard lock(mutex_);
  if (status_.ok()) status_ = Internal(StrCat("checked code: ", kernel, ": ", what));
}

void* CheckAccess(AccessChecks* checks, const char* kernel, i64 operand, const std::byte* begin,
                  const std::byte* end, std::byte* address, i64 bytes, int is_store) {
  alignas(64) thread_local std::byte nowhere[kNowhereBytes];
  const auto first = reinterpret_cast<std::intptr_t>(address);
  const i64 offset = first - reinterpret_cast<std::intptr_t>(begin), size = end - begin;
  if (bytes == 0 || (offset >= 0 && offset + bytes <= size)) return address;
  checks->Fail(kernel, StrCat(operand < 0 ? "a local array" : StrCat("operand ", operand),
                              is_store != 0 ? ": writes " : ": reads ", bytes, " bytes at ", offset,
                              " of ", size));
  return nowhere;
}

}  // namespace axle
