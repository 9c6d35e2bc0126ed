#include "axle/stablehlo/mlir/bytecode_cursor.h"

#include <bit>
#include <cstring>

namespace axle::mlir {

Status BytecodeError(std::string_view label, size_t offset, std::string_view what,
                     StatusCode code) {
  return {code, std::string(label) + ": byte " + std::to_string(offset) + ": " + std::string(what)};
}

std::uint64_t ByteCursor::LongVarint() {
  if (at_ == end_) return FailAtEnd(), 0;
  const auto first = static_cast<std::uint8_t>(file_[at_]);
  const size_t extra = first == 0 ? 8 : static_cast<size_t>(std::countr_zero(first));
  if (end_ - at_ < extra + 1) {
    Fail("a number of " + std::to_string(extra + 1) + " bytes begins here, but only " +
         std::to_string(end_ - at_) + " are left");
    return 0;
  }
  std::uint64_t value = 0;
  if (first == 0) {
    std::memcpy(&value, file_.data() + at_ + 1, sizeof value);
    at_ += 9;
    return value;
  }
  // At most 8 bytes: a byte that is not 0 has at most 7 zeros below a one.
  std::memcpy(&value, file_.data() + at_, extra + 1);
  at_ += extra + 1;
  return value >> (extra + 1);
}

void ByteCursor::FailAtEnd() {
  Fail("the bytes end here, but more were expected");
}

size_t ByteCursor::CheckedCount(std::uint64_t count, std::string_view items, size_t bytes_each) {
  if (failed_) return 0;
  if (count <= remaining() / bytes_each) return static_cast<size_t>(count);
  Fail(std::to_string(count) + " " + std::string(items) + " are announced, but only " +
       std::to_string(remaining()) + " bytes are left");
  return 0;
}

std::string_view ByteCursor::Take(std::uint64_t size, std::string_view what) {
  if (failed_) return {};
  if (size > remaining()) {
    Fail(std::to_string(size) + " bytes of " + std::string(what) + " are announced, but only " +
         std::to_string(remaining()) + " are left");
    return {};
  }
  const std::string_view taken = file_.substr(at_, size);
  at_ += size;
  return taken;
}

std::string_view ByteCursor::TakeText(std::string_view what) {
  if (failed_) return {};
  const size_t size = file_.substr(at_, remaining()).find('\0');
  if (size == std::string_view::npos) {
    Fail(std::string(what) + " does not end with a byte 0");
    return {};
  }
  const std::string_view taken = file_.substr(at_, size);
  at_ += size + 1;
  return taken;
}

void ByteCursor::FailAt(size_t offset, std::string what, StatusCode code) {
  if (failed_) return;
  failed_ = true;
  code_ = code;
  error_offset_ = offset;
  error_ = std::move(what);
  at_ = end_;
}

Status ByteCursor::status(std::string_view label) const {
  if (!failed_) return {};
  return BytecodeError(label, error_offset_, error_, code_);
}

}  // namespace axle::mlir
