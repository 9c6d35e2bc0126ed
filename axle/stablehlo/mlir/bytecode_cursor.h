// A place in the bytes of a file in MLIR bytecode, and the numbers that its format is made of.
//
// A failure sticks: everything that is read after it is 0 or empty, so that code reads what it
// wants and looks at ok() once, before it uses any of it. Counts are held against the bytes that
// are left, so that no loop and no allocation is longer than the file. The first failure is the one
// that status() tells.
#pragma once
#include <string>
#include <string_view>

#include "axle/core/element_type.h"
#include "axle/core/status.h"

namespace axle::mlir {

class ByteCursor {
 public:
  ByteCursor() = default;
  // Reads bytes [begin, end) of `file`; offsets in messages are those in the file.
  ByteCursor(std::string_view file, size_t begin, size_t end)
      : file_(file), at_(begin), end_(end) {}

  size_t offset() const { return at_; }
  size_t end() const { return end_; }
  size_t remaining() const { return end_ - at_; }
  bool done() const { return at_ == end_; }
  bool ok() const { return !failed_; }
  void SetEnd(size_t end) { end_ = end; }
  void MoveTo(size_t offset) { at_ = offset; }

  std::uint8_t Byte() {
    if (at_ == end_) [[unlikely]] {
      return FailAtEnd(), 0;
    }
    return static_cast<std::uint8_t>(file_[at_++]);
  }
  // An unsigned number. The zeros below the lowest one bit of the first byte say how many bytes
  // follow it; a first byte of 0 is followed by all eight.
  std::uint64_t Varint() {
    if (at_ != end_ && (file_[at_] & 1) != 0) [[likely]] {
      return static_cast<std::uint8_t>(file_[at_++]) >> 1;
    }
    return LongVarint();
  }
  // A signed number: zigzag on Varint.
  i64 Svarint() {
    const std::uint64_t value = Varint();
    return static_cast<i64>(value >> 1 ^ (0 - (value & 1)));
  }
  // A number whose lowest bit is `flag`.
  std::uint64_t FlaggedVarint(bool& flag) {
    const std::uint64_t value = Varint();
    flag = (value & 1) != 0;
    return value >> 1;
  }
  // How many items follow, each of at least `bytes_each` bytes. `items` names them for the message.
  size_t Count(std::string_view items, size_t bytes_each = 1) {
    return CheckedCount(Varint(), items, bytes_each);
  }
  size_t CheckedCount(std::uint64_t count, std::string_view items, size_t bytes_each = 1);
  std::string_view Take(std::uint64_t size, std::string_view what);
  // Bytes up to a NUL, which is skipped.
  std::string_view TakeText(std::string_view what);

  // "label: byte 17: <what>"; the first failure counts.
  void Fail(std::string what) { FailAt(at_, std::move(what)); }
  void FailAt(size_t offset, std::string what, StatusCode code = StatusCode::kInvalidArgument);
  Status status(std::string_view label) const;

 private:
  std::uint64_t LongVarint();
  void FailAtEnd();

  std::string_view file_;
  size_t at_ = 0, end_ = 0;
  bool failed_ = false;
  StatusCode code_ = StatusCode::kOk;
  size_t error_offset_ = 0;
  std::string error_;
};

// "label: byte 17: what".
Status BytecodeError(std::string_view label, size_t offset, std::string_view what,
                     StatusCode code = StatusCode::kInvalidArgument);

}  // namespace axle::mlir
