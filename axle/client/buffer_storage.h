// The storage of a Buffer. For client/, and for pjrt/, whose buffers get their values in
// other ways.
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

// A value, once it is available, and the memory that it takes. Executions and pins hold the storage
// as its users; it is freed with the last of them.
struct BufferStorage {
  // The storage has its value if `ready` is set already; otherwise an execution stores one with
  // Keep and sets `ready`.
  BufferStorage(std::shared_ptr<Device> device, Future ready, Literal&& value = {})
      : device(std::move(device)), ready(std::move(ready)), value(std::move(value)) {}
  ~BufferStorage() {
    if (!on_release) return;
    value = Literal();                       // it may be a view of the memory that is released
    (void)CallUser("released", on_release);  // an exception has no receiver here
  }
  BufferStorage(const BufferStorage&) = delete;
  BufferStorage& operator=(const BufferStorage&) = delete;
  // Charges the value to the memory cap, once: RESOURCE_EXHAUSTED if the cap does not allow it.
  Status Count() { return share.Take(device->memory(), value.is_view() ? 0 : value.num_bytes()); }
  // Stores the value of a pending buffer, once, before the caller sets `ready` to the status that
  // this returns: RESOURCE_EXHAUSTED if the memory cap does not allow the value, which is then not
  // kept.
  Status Keep(Literal&& made);

  const std::shared_ptr<Device> device;
  const Future ready;
  MemoryShare share;  // held until the value is freed
  Literal value;      // written before `ready`, then only read
  std::function<void()> on_release = nullptr;
  std::atomic<int> num_users = 0;
};

// A user of a buffer's storage; it may be empty.
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
  // Null if this user is empty.
  const std::shared_ptr<BufferStorage>& storage() const { return storage_; }

 private:
  std::shared_ptr<BufferStorage> storage_;
};

}  // namespace axle
