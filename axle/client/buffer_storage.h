// The storage behind a Buffer. Internal to client/.
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "axle/client/device.h"
#include "axle/client/future.h"
#include "axle/client/memory_budget.h"
#include "axle/core/callback.h"
#include "axle/core/literal.h"

namespace axle {

// A value, once it is there, and the memory that it takes. Executions and pins hold the storage as
// users; it is freed with the last of them.
struct BufferStorage {
  // With a value if `ready` is over, otherwise until somebody keeps one and sets `ready`.
  BufferStorage(std::shared_ptr<Device> device, Future ready, Literal&& value = {})
      : device(std::move(device)), ready(std::move(ready)), value(std::move(value)) {}
  ~BufferStorage() {
    if (!on_release) return;
    value = Literal();                       // a view of what is released
    (void)CallUser("released", on_release);  // nobody is there to hear of an exception
  }
  BufferStorage(const BufferStorage&) = delete;
  BufferStorage& operator=(const BufferStorage&) = delete;
  // Counts the value, once: RESOURCE_EXHAUSTED if the memory cap does not allow it.
  Status Count() { return share.Take(device->memory(), value.is_view() ? 0 : value.num_bytes()); }
  // The value of a promise, once, before somebody sets `ready` to what this returns:
  // RESOURCE_EXHAUSTED if the memory cap does not allow it, which keeps nothing then.
  Status Keep(Literal&& made);

  const std::shared_ptr<Device> device;
  const Future ready;
  MemoryShare share;  // until the value is gone
  Literal value;      // written before `ready`, then only read
  std::function<void()> on_release = nullptr;
  std::atomic<int> num_users = 0;
};

// A user of a buffer's storage, or of none.
class BufferUse {
 public:
  BufferUse() = default;
  explicit BufferUse(std::shared_ptr<BufferStorage> storage) : storage_(std::move(storage)) {
    ++storage_->num_users;
  }
  BufferUse(BufferUse&&) = default;
  BufferUse& operator=(BufferUse&& other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~BufferUse() {
    if (storage_ != nullptr) --storage_->num_users;
  }
  // Null if this is a user of none.
  const std::shared_ptr<BufferStorage>& storage() const { return storage_; }

 private:
  std::shared_ptr<BufferStorage> storage_;
};

}  // namespace axle
