#include "axle/client/buffer.h"

#include <mutex>
#include <new>
#include <utility>

#include "axle/client/buffer_storage.h"
#include "axle/client/host_array.h"
#include "axle/core/limits.h"
#include "axle/core/strings.h"

namespace axle {

Status BufferStorage::Keep(Literal&& made) {
  value = std::move(made);
  Status status = Count();
  if (!status.ok()) value = Literal();
  return status;
}

static void RaiseTo(std::atomic<i64>& most, i64 value) {
  i64 old = most;
  while (value > old && !most.compare_exchange_weak(old, value)) {
  }
}

Status MemoryBudget::Reserve(i64 bytes) {
  i64 live = live_;
  while (bytes <= cap_ - live) {
    if (!live_.compare_exchange_weak(live, live + bytes)) continue;
    RaiseTo(peak_, live + bytes);
    RaiseTo(largest_reservation_, bytes);
    ++num_reservations_;
    return {};
  }
  return ResourceExhausted(StrCat("buffer: needs ", bytes, " bytes in addition to ", live,
                                  " of other buffers, but the client's memory cap is ", cap_));
}

// The reason why a buffer has no value. Deletion leaves no reason, since Delete must not need
// memory.
static Status WhyGone(const Status& fate, const Shape& shape) {
  if (!fate.ok()) return fate;
  return FailedPrecondition(StrCat("buffer: ", shape.ToString(), " is deleted"));
}

struct Buffer::Holder {
  std::mutex mutex;
  std::shared_ptr<BufferStorage> storage;  // null: deleted or donated
  Status fate = {};                        // the reason
};

Buffer::Buffer(Private, std::shared_ptr<BufferStorage> storage, std::shared_ptr<const Shape> shape)
    : device_(storage->device),
      shape_(std::move(shape)),
      ready_(storage->ready),
      holder_(new Holder{.mutex = {}, .storage = std::move(storage)}) {}

Buffer::~Buffer() = default;

BufferPtr Buffer::Promised(std::shared_ptr<Device> device, std::shared_ptr<const Shape> shape) {
  auto storage = std::make_shared<BufferStorage>(std::move(device), Future::Pending());
  return std::make_shared<Buffer>(Private(), std::move(storage), std::move(shape));
}

StatusOr<BufferPtr> Buffer::Create(std::shared_ptr<Device> device, Literal&& value,
                                   std::shared_ptr<const Shape> shape) {
  auto storage = std::make_shared<BufferStorage>(std::move(device), Future(), std::move(value));
  AXLE_TRY(storage->Count());
  return std::make_shared<Buffer>(Private(), std::move(storage), std::move(shape));
}

StatusOr<BufferPtr> Buffer::Create(std::shared_ptr<Device> device, Literal&& value) {
  auto shape = std::make_shared<const Shape>(value.shape());
  return Create(std::move(device), std::move(value), std::move(shape));
}

StatusOr<BufferUse> Buffer::Use() const {
  const std::lock_guard lock(holder_->mutex);
  if (holder_->storage == nullptr) return WhyGone(holder_->fate, *shape_);
  return BufferUse(holder_->storage);
}

std::shared_ptr<BufferStorage> Buffer::storage() const {
  const std::lock_guard lock(holder_->mutex);
  return holder_->storage;
}

StatusOr<Literal> Buffer::ToLiteral(Limits* limits) const {
  const LimitedCall call(limits, "the wait for a buffer");
  AXLE_ASSIGN(const BufferUse use, Use());
  AXLE_TRY(ready_.Await(limits));
  Literal value = use.storage()->value;
  try {
    value.OwnStorage();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted(StrCat("buffer: no memory for a copy of ", shape_->ToString()));
  }
  return value;
}

StatusOr<Buffer::View> Buffer::Pin(Limits* limits) const {
  const LimitedCall call(limits, "the wait for a buffer");
  if (!shape_->is_array()) {
    return InvalidArgument(
        StrCat("buffer: only arrays have memory to look at, not ", shape_->ToString()));
  }
  AXLE_ASSIGN(BufferUse use, Use());
  AXLE_TRY(ready_.Await(limits));
  Literal value = use.storage()->value;
  return View(std::move(value), std::make_shared<const BufferUse>(std::move(use)));
}

Status Buffer::CopyToHost(void* data, i64 num_bytes, ArraySlice<i64> byte_strides,
                          Limits* limits) const {
  const LimitedCall call(limits, "the wait for a buffer");
  AXLE_TRY(CheckHostArray(*shape_, data, byte_strides, HostUse::kWrite));
  AXLE_ASSIGN(const BufferUse use, Use());
  AXLE_TRY(ready_.Await(limits));
  if (byte_strides.empty() && num_bytes < shape_->num_bytes()) {
    return InvalidArgument(StrCat("copy to host: ", shape_->ToString(), " takes ",
                                  shape_->num_bytes(), " bytes, not ", num_bytes));
  }
  return LiteralToHost(use.storage()->value, data, byte_strides);
}

void Buffer::Delete() {
  std::shared_ptr<BufferStorage> released;  // freed outside of the lock: it may call the user
  const std::lock_guard lock(holder_->mutex);
  released = std::exchange(holder_->storage, nullptr);
  holder_->fate = {};
}

bool Buffer::is_deleted() const {
  const std::lock_guard lock(holder_->mutex);
  return holder_->storage == nullptr;
}

StatusOr<std::shared_ptr<BufferStorage>> Buffer::Donate(bool must) {
  const std::lock_guard lock(holder_->mutex);
  if (holder_->storage == nullptr) return WhyGone(holder_->fate, *shape_);
  if (must && holder_->storage->num_users > 0) {
    return FailedPrecondition(StrCat("buffer: ", shape_->ToString(),
                                     " must be donated, but an execution or a view uses it"));
  }
  holder_->fate = FailedPrecondition(StrCat("buffer: ", shape_->ToString(), " is donated"));
  return std::exchange(holder_->storage, nullptr);
}

void Buffer::TakeBack(std::shared_ptr<BufferStorage> storage) {
  const std::lock_guard lock(holder_->mutex);
  if (holder_->fate.ok()) return;  // it was deleted in the meantime
  holder_->storage = std::move(storage);
}

void Buffer::SetFate(Status fate) {
  const std::lock_guard lock(holder_->mutex);
  holder_->fate = std::move(fate);
}

}  // namespace axle
