// StorageBlock: memory that the limits of the thread's StorageScope count, and that is not a
// literal.
#pragma once
#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

#include "axle/core/storage.h"

namespace axle {

class StorageBlock {
 public:
  StorageBlock() = default;
  // At least so many bytes, unspecified. Throws std::bad_alloc if there are none, or the limits do
  // not allow them.
  explicit StorageBlock(i64 bytes)
      : owner_(AllocateStorage(std::max<i64>(bytes, 1), /*zeroed=*/false, &data_)) {
    if (owner_ == nullptr) throw std::bad_alloc();
  }
  std::byte* data() const { return data_; }

 private:
  std::byte* data_ = nullptr;
  std::shared_ptr<std::byte> owner_;
};

}  // namespace axle
