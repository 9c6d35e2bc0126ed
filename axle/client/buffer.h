// Buffer: a value on a device, which is an argument or a result of executions. The value may still
// be pending: an asynchronous execution returns its buffers at once. A buffer whose execution
// failed has the error instead of a value, and every use of it returns that error.
//
//   AXLE_ASSIGN(BufferPtr x, client->BufferFromLiteral(literal));
//   AXLE_ASSIGN(std::vector<BufferPtr> results, executable->Execute({x, y}));
//   AXLE_ASSIGN(Literal value, results[0]->ToLiteral());
//
// Buffers are shared; their memory is freed when the last user releases it. All functions are
// thread-safe. docs/client.md describes donation, deletion and views.
#pragma once
#include <cstdint>
#include <memory>

#include "axle/client/device.h"
#include "axle/client/future.h"
#include "axle/core/array_slice.h"
#include "axle/core/literal.h"

namespace axle {

struct BufferStorage;  // client/buffer_storage.h, for executables
class BufferUse;
class Limits;  // core/limits.h

// How a buffer uses the host memory that it is made of.
enum class HostBufferSemantics : std::uint8_t {
  kCopy,      // the memory is copied before the call returns
  kZeroCopy,  // read in place if possible; the host must not write to it until it is released
  kMutableZeroCopy,  // the same, but the host may write to it while no execution reads it
};

class Buffer {
 public:
  // Makes a buffer of a value that is already computed. `shape` has the layouts and bounds that the
  // buffer is to show. RESOURCE_EXHAUSTED if the client's memory cap does not allow it.
  static StatusOr<std::shared_ptr<Buffer>> Create(std::shared_ptr<Device> device, Literal&& value,
                                                  std::shared_ptr<const Shape> shape);
  static StatusOr<std::shared_ptr<Buffer>> Create(std::shared_ptr<Device> device, Literal&& value);
  // Makes a buffer whose value is given to its storage() later.
  static std::shared_ptr<Buffer> Promised(std::shared_ptr<Device> device,
                                          std::shared_ptr<const Shape> shape);

  const Shape& shape() const { return *shape_; }  // with the layout, and bounds of dynamic sizes
  // The device that the buffer is on, which the buffer keeps alive; and its size in bytes, with
  // dynamic sizes at their bounds.
  Device& device() const { return *device_; }
  i64 num_bytes() const { return shape_->num_bytes(); }

  // A future that is set when the value, or the error in its place, is available. Its Await returns
  // OK, that error, or the error with which the limits ended the wait.
  const Future& ready() const { return ready_; }
  bool is_ready() const { return ready_.is_ready(); }
  Status Await(Limits* limits = nullptr) const { return ready_.Await(limits); }

  // Waits for the value and returns it. The literal shares memory with the buffer until one of the
  // two changes; a value that lies in host memory is copied. Errors, here and below:
  // FAILED_PRECONDITION if the buffer is deleted or donated; those of Await; RESOURCE_EXHAUSTED
  // without memory for a copy.
  StatusOr<Literal> ToLiteral(Limits* limits = nullptr) const;
  // Writes the elements of an array to `data`, where there is room for `num_bytes`.
  //
  //   byte_strides  distances between neighbours of each dimension, of any sign; empty: dense,
  //                 row-major. `data` is where element (0, ..., 0) goes.
  //
  // Of dynamic dimensions, everything up to the bound is written, with the padding as zeros. Types
  // of less than a byte have a byte per element. INVALID_ARGUMENT if there is not enough room, for
  // tuples, and for a wrong number of strides; with strides, the caller must make sure that there
  // is enough room.
  Status CopyToHost(void* data, i64 num_bytes, ArraySlice<i64> byte_strides = {},
                    Limits* limits = nullptr) const;

  // The memory of an array, in the layout of its shape, for reading. As long as the view lives, the
  // buffer is pinned: deletion and donation do not free its memory.
  class View {
   public:
    // The shape().num_bytes() bytes of the array, valid as long as the view lives.
    const Shape& shape() const { return value_.shape(); }
    const void* data() const { return value_.bytes(); }

   private:
    friend class Buffer;
    View(Literal value, std::shared_ptr<const BufferUse> pin)
        : value_(std::move(value)), pin_(std::move(pin)) {}
    Literal value_;
    std::shared_ptr<const BufferUse> pin_;
  };
  // Waits for the value. Errors: as ToLiteral; INVALID_ARGUMENT if the value is not an array.
  StatusOr<View> Pin(Limits* limits = nullptr) const;

  // Deletes the value; executions that are running keep it until they end. Deleting twice is
  // allowed; any other use afterwards is FAILED_PRECONDITION.
  void Delete();
  bool is_deleted() const;  // true also if it was donated to an execution

  // --- For executables ---------------------------------------------------------------------------

  // Registers a user of the storage, until the result is destroyed. FAILED_PRECONDITION if the
  // buffer is deleted or donated.
  StatusOr<BufferUse> Use() const;
  // Marks the buffer as donated and gives up its storage. With `must`, FAILED_PRECONDITION if it
  // has other users.
  StatusOr<std::shared_ptr<BufferStorage>> Donate(bool must);
  // Undoes Donate, for a call that is refused afterwards.
  void TakeBack(std::shared_ptr<BufferStorage> storage);
  // Sets the error that a use of the donated buffer returns from now on.
  void SetFate(Status fate);
  // Returns the storage; null if the buffer is deleted or donated.
  std::shared_ptr<BufferStorage> storage() const;

 private:
  struct Private {
    explicit Private() = default;
  };

 public:
  // The constructor for the functions above.
  Buffer(Private, std::shared_ptr<BufferStorage> storage, std::shared_ptr<const Shape> shape);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

 private:
  const std::shared_ptr<Device> device_;
  const std::shared_ptr<const Shape> shape_;
  const Future ready_;
  struct Holder;  // the storage, until the buffer is deleted or donated, and its lock
  const std::unique_ptr<Holder> holder_;
};

using BufferPtr = std::shared_ptr<Buffer>;

}  // namespace axle
