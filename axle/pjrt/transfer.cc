// How buffers are made: of host memory, of other buffers, of nothing, of errors, and piece by
// piece.
//
// Host memory is read in place if the caller allows it (immutable or mutable zero copy) and it is
// dense, row-major and aligned; otherwise it is copied before the call returns. The event that says
// that the host may use its memory again is set at once for a copy, and when the last user of the
// value is gone otherwise.
#include <cstring>

#include "axle/client/buffer_storage.h"
#include "axle/core/strings.h"
#include "axle/pjrt/handles.h"

namespace axle::pjrt {
namespace {

std::shared_ptr<Device> Share(const ClientState& client, const PJRT_Device& device) {
  return client.client->devices()[static_cast<size_t>(device.local_ordinal())];
}

// A buffer whose value is given to Fulfill later.
BufferPtr Promise(const ClientState& client, const PJRT_Device& device, const Shape& shape) {
  return Buffer::Promised(Share(client, device), std::make_shared<const Shape>(shape));
}

// Ends the wait for the value of a promised buffer.
void Fulfill(const std::shared_ptr<BufferStorage>& storage, StatusOr<Literal> value) {
  Status status = value.status();
  if (status.ok()) status = storage->Keep(*std::move(value));
  storage->ready.Set(std::move(status));
}

// Memory is read in place only where XLA:CPU does so, at multiples of 64: programs that write to an
// array after they have handed it over have got used to a copy of the others.
HostBufferSemantics SemanticsOf(PJRT_HostBufferSemantics semantics, const void* data) {
  constexpr std::uintptr_t kAlignment = 64;
  if (reinterpret_cast<std::uintptr_t>(data) % kAlignment != 0) return HostBufferSemantics::kCopy;
  switch (semantics) {
    case PJRT_HostBufferSemantics_kImmutableZeroCopy:
      return HostBufferSemantics::kZeroCopy;
    case PJRT_HostBufferSemantics_kMutableZeroCopy:
      return HostBufferSemantics::kMutableZeroCopy;
    default:
      return HostBufferSemantics::kCopy;
  }
}

// A literal of its own memory.
StatusOr<Literal> CopyOf(const Buffer& buffer) {
  AXLE_ASSIGN(Literal value, buffer.ToLiteral());
  if (value.shape().is_array() && value.num_bytes() > 0) (void)value.mutable_bytes();
  return value;
}

}  // namespace

StatusOr<PJRT_Buffer*> CopyBuffer(const PJRT_Buffer& from, PJRT_Device& device) {
  AXLE_TRY(from.buffer->Use().status());
  BufferPtr copy = Promise(*from.client, device, from.buffer->shape());
  // The copy's storage alone: the value comes whether or not somebody still has the buffer.
  from.buffer->ready().OnReady(
      [source = from.buffer, storage = copy->storage()](const Status& status) {
        Fulfill(storage, status.ok() ? CopyOf(*source) : status);
      });
  return new PJRT_Buffer(from.client, std::move(copy));
}

Status Client_BufferFromHostBuffer(PJRT_Client_BufferFromHostBuffer_Args& args) {
  const ClientState& client = *args.client->state;
  AXLE_ASSIGN(const PJRT_Device* device, client.Choose(args.device, args.memory));
  AXLE_ASSIGN(const Shape shape,
              ReadShape(args.type, args.dims, args.num_dims, args.device_layout));
  if (args.byte_strides != nullptr && args.num_byte_strides != 0 &&
      args.num_byte_strides != args.num_dims) {
    return InvalidArgument(
        StrCat("pjrt: ", args.num_byte_strides, " strides for ", args.num_dims, " dimensions"));
  }
  const ArraySlice<i64> strides = args.byte_strides == nullptr
                                      ? ArraySlice<i64>()
                                      : ArraySlice<i64>(args.byte_strides, args.num_byte_strides);
  const Future released = Future::Pending();
  AXLE_ASSIGN(BufferPtr buffer,
              client.client->BufferFromHost(
                  args.data, shape, strides, SemanticsOf(args.host_buffer_semantics, args.data),
                  device->local_ordinal(), [released] { released.Set({}); }));
  auto made = std::make_unique<PJRT_Buffer>(args.client->state, std::move(buffer));
  args.done_with_host_buffer = new PJRT_Event{released};
  args.buffer = made.release();
  return {};
}

// The callback is called once, also where the memory could not be used in place and was copied.
Status Client_CreateViewOfDeviceBuffer(PJRT_Client_CreateViewOfDeviceBuffer_Args& args) {
  const ClientState& client = *args.client->state;
  const PJRT_Memory* memory = AXLE_PJRT_HAS(args, memory) ? args.memory : nullptr;
  AXLE_ASSIGN(const PJRT_Device* device, client.Choose(args.device, memory));
  AXLE_ASSIGN(const Shape shape,
              ReadShape(args.element_type, args.dims, args.num_dims, args.layout));
  std::function<void()> released = nullptr;
  if (args.on_delete_callback != nullptr) {
    released = [callback = args.on_delete_callback, pointer = args.device_buffer_ptr,
                arg = args.on_delete_callback_arg] { callback(pointer, arg); };
  }
  AXLE_ASSIGN(BufferPtr buffer,
              client.client->BufferFromHost(args.device_buffer_ptr, shape, {},
                                            HostBufferSemantics::kZeroCopy, device->local_ordinal(),
                                            std::move(released)));
  args.buffer = new PJRT_Buffer(args.client->state, std::move(buffer));
  return {};
}

// Zeros: a value of no program depends on what was in memory.
Status Client_CreateUninitializedBuffer(PJRT_Client_CreateUninitializedBuffer_Args& args) {
  const ClientState& client = *args.client->state;
  AXLE_ASSIGN(const PJRT_Device* device, client.Choose(args.device, args.memory));
  AXLE_ASSIGN(const Shape shape, ReadShape(args.shape_element_type, args.shape_dims,
                                           args.shape_num_dims, args.shape_layout));
  AXLE_ASSIGN(Literal value, Literal::Create(shape));
  AXLE_ASSIGN(BufferPtr buffer, Buffer::Create(Share(client, *device), std::move(value)));
  args.buffer = new PJRT_Buffer(args.client->state, std::move(buffer));
  return {};
}

// A buffer whose value is this error.
Status Client_CreateErrorBuffer(PJRT_Client_CreateErrorBuffer_Args& args) {
  const ClientState& client = *args.client->state;
  AXLE_ASSIGN(const PJRT_Device* device, client.Choose(nullptr, args.memory));
  AXLE_ASSIGN(const Shape shape, ReadShape(args.shape_element_type, args.shape_dims,
                                           args.shape_num_dims, args.shape_layout));
  if (args.error_code == 0) return InvalidArgument("pjrt: an error buffer needs an error");
  BufferPtr buffer = Promise(client, *device, shape);
  buffer->storage()->ready.Set(
      StatusFrom(args.error_code, TextOf(args.error_message, args.error_message_size)));
  args.buffer = new PJRT_Buffer(args.client->state, std::move(buffer));
  return {};
}

}  // namespace axle::pjrt

// What fulfils an alias buffer, once.
struct PJRT_FulfillAliasBufferCallback {
  std::shared_ptr<axle::BufferStorage> storage;
  axle::Shape shape;
};

namespace axle::pjrt {

// A buffer that stands for another one, which is named later.
Status Client_CreateAliasBuffer(PJRT_Client_CreateAliasBuffer_Args& args) {
  const ClientState& client = *args.client->state;
  AXLE_ASSIGN(const PJRT_Device* device, client.Choose(nullptr, args.memory));
  AXLE_ASSIGN(const Shape shape, ReadShape(args.shape_element_type, args.shape_dims,
                                           args.shape_num_dims, args.shape_layout));
  BufferPtr buffer = Promise(client, *device, shape);
  auto fulfil = std::make_unique<PJRT_FulfillAliasBufferCallback>(
      PJRT_FulfillAliasBufferCallback{buffer->storage(), shape});
  args.alias_buffer = new PJRT_Buffer(args.client->state, std::move(buffer));
  args.fulfill_alias_buffer_cb = fulfil.release();
  return {};
}

Status Client_FulfillAliasBuffer(PJRT_Client_FulfillAliasBuffer_Args& args) {
  if (args.fulfill_alias_buffer_cb == nullptr) {
    return InvalidArgument("PJRT_Client_FulfillAliasBuffer: the callback is null");
  }
  const std::unique_ptr<PJRT_FulfillAliasBufferCallback> fulfil(args.fulfill_alias_buffer_cb);
  if (args.status_code != 0) {
    fulfil->storage->ready.Set(
        StatusFrom(args.status_code, TextOf(args.error_message, args.error_message_size)));
    return {};
  }
  Status status;
  if (args.buffer == nullptr) {
    status = InvalidArgument("PJRT_Client_FulfillAliasBuffer: the buffer is null");
  } else if (!Compatible(args.buffer->buffer->shape(), fulfil->shape)) {
    status = InvalidArgument(StrCat("PJRT_Client_FulfillAliasBuffer: the buffer is ",
                                    args.buffer->buffer->shape().ToString(), ", promised was ",
                                    fulfil->shape.ToString()));
  }
  if (!status.ok()) {
    fulfil->storage->ready.Set(status);
    return status;
  }
  args.buffer->buffer->ready().OnReady(
      [source = args.buffer->buffer, storage = fulfil->storage](const Status& ready) {
        Fulfill(storage, ready.ok() ? source->ToLiteral() : ready);
      });
  return {};
}

}  // namespace axle::pjrt

// Buffers that are written in pieces, from any thread. The pieces of one buffer may come at the
// same time if they do not overlap; the last one, by its flag, comes when all others are there.
struct PJRT_AsyncHostToDeviceTransferManager {
  struct Part {
    axle::Shape shape;
    axle::Literal value;
    std::byte* data;
    axle::i64 num_bytes;
    axle::BufferPtr buffer;  // null once it is retrieved
    std::shared_ptr<axle::BufferStorage> storage;
    bool is_done = false;
  };
  std::shared_ptr<axle::pjrt::ClientState> client;
  PJRT_Device* device;
  std::mutex mutex;
  std::vector<Part> parts;
};

namespace axle::pjrt {
namespace {

using Manager = PJRT_AsyncHostToDeviceTransferManager;

StatusOr<Manager::Part*> PartAt(Manager& manager, int index) {
  if (index < 0 || static_cast<size_t>(index) >= manager.parts.size()) {
    return InvalidArgument(StrCat("pjrt: there is no buffer ", index, " in the transfer of ",
                                  manager.parts.size(), " buffers"));
  }
  return &manager.parts[static_cast<size_t>(index)];
}

// Sets the value of a buffer, or its error, once.
Status EndPart(Manager& manager, Manager::Part& part, const Status& error) {
  {
    const std::lock_guard lock(manager.mutex);
    if (part.is_done) return FailedPrecondition("pjrt: the buffer has all of its data already");
    part.is_done = true;
  }
  if (error.ok()) {
    Fulfill(part.storage, std::move(part.value));
  } else {
    part.storage->ready.Set(error);
  }
  return {};
}

}  // namespace

Status Client_CreateBuffersForAsyncHostToDevice(
    PJRT_Client_CreateBuffersForAsyncHostToDevice_Args& args) {
  AXLE_ASSIGN(PJRT_Device * device, args.client->state->Choose(nullptr, args.memory));
  if (args.device_layouts != nullptr && args.num_device_layouts != args.num_shape_specs) {
    return InvalidArgument(StrCat("pjrt: ", args.num_device_layouts, " layouts for ",
                                  args.num_shape_specs, " buffers"));
  }
  if (args.shape_specs == nullptr && args.num_shape_specs > 0) {
    return InvalidArgument("pjrt: the shapes are null");
  }
  auto manager = std::make_unique<Manager>();
  manager->client = args.client->state;
  manager->device = device;
  for (size_t i = 0; i < args.num_shape_specs; ++i) {
    const PJRT_ShapeSpec& spec = args.shape_specs[i];
    AXLE_ASSIGN(const Shape shape,
                ReadShape(spec.element_type, spec.dims, spec.num_dims,
                          args.device_layouts == nullptr ? nullptr : args.device_layouts[i]));
    AXLE_ASSIGN(Literal value, Literal::Create(shape));
    Manager::Part part{.shape = shape,
                       .value = std::move(value),
                       .data = nullptr,
                       .num_bytes = shape.num_bytes(),
                       .buffer = Promise(*args.client->state, *device, shape),
                       .storage = nullptr};
    part.data = part.num_bytes > 0 ? part.value.mutable_bytes() : nullptr;
    part.storage = part.buffer->storage();
    manager->parts.push_back(std::move(part));
  }
  args.transfer_manager = manager.release();
  return {};
}

// Buffers that did not get all of their data become errors.
Status AsyncHostToDeviceTransferManager_Destroy(
    PJRT_AsyncHostToDeviceTransferManager_Destroy_Args& args) {
  const std::unique_ptr<Manager> manager(args.transfer_manager);
  if (manager == nullptr) return {};
  for (Manager::Part& part : manager->parts) {
    if (!part.is_done) {
      (void)EndPart(*manager, part, Cancelled("pjrt: the transfer to the buffer was abandoned"));
    }
  }
  return {};
}

Status AsyncHostToDeviceTransferManager_TransferData(
    PJRT_AsyncHostToDeviceTransferManager_TransferData_Args& args) {
  Manager& manager = *args.transfer_manager;
  AXLE_ASSIGN(Manager::Part * part, PartAt(manager, args.buffer_index));
  if (args.offset < 0 || args.transfer_size < 0 || args.offset > part->num_bytes ||
      args.transfer_size > part->num_bytes - args.offset) {
    return InvalidArgument(StrCat("pjrt: ", args.transfer_size, " bytes at ", args.offset,
                                  " of a buffer of ", part->num_bytes));
  }
  if (args.data == nullptr && args.transfer_size > 0) {
    return InvalidArgument("pjrt: the data of the transfer is null");
  }
  {
    const std::lock_guard lock(manager.mutex);
    if (part->is_done) {
      return FailedPrecondition("pjrt: the buffer has all of its data already");
    }
  }
  if (args.transfer_size > 0) {
    std::memcpy(part->data + args.offset, args.data, static_cast<size_t>(args.transfer_size));
  }
  if (args.is_last_transfer) AXLE_TRY(EndPart(manager, *part, {}));
  args.done_with_h2d_transfer = new PJRT_Event{Future()};
  return {};
}

Status AsyncHostToDeviceTransferManager_TransferLiteral(
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args& args) {
  Manager& manager = *args.transfer_manager;
  AXLE_ASSIGN(Manager::Part * part, PartAt(manager, args.buffer_index));
  AXLE_ASSIGN(const Shape shape, ReadShape(args.shape_element_type, args.shape_dims,
                                           args.shape_num_dims, args.shape_layout));
  if (!Compatible(shape, part->shape)) {
    return InvalidArgument(StrCat("pjrt: a literal of ", shape.ToString(), " for a buffer of ",
                                  part->shape.ToString()));
  }
  PJRT_AsyncHostToDeviceTransferManager_TransferData_Args data = {};
  data.transfer_manager = args.transfer_manager;
  data.buffer_index = args.buffer_index;
  data.data = args.data;
  data.transfer_size = part->num_bytes;
  data.is_last_transfer = true;
  AXLE_TRY(AsyncHostToDeviceTransferManager_TransferData(data));
  args.done_with_h2d_transfer = data.done_with_h2d_transfer;
  return {};
}

Status AsyncHostToDeviceTransferManager_RetrieveBuffer(
    PJRT_AsyncHostToDeviceTransferManager_RetrieveBuffer_Args& args) {
  Manager& manager = *args.transfer_manager;
  AXLE_ASSIGN(Manager::Part * part, PartAt(manager, args.buffer_index));
  BufferPtr buffer;
  {
    const std::lock_guard lock(manager.mutex);
    buffer = std::move(part->buffer);
  }
  if (buffer == nullptr) {
    return FailedPrecondition(StrCat("pjrt: buffer ", args.buffer_index, " was retrieved before"));
  }
  args.buffer_out = new PJRT_Buffer(manager.client, std::move(buffer));
  return {};
}

Status AsyncHostToDeviceTransferManager_Device(
    PJRT_AsyncHostToDeviceTransferManager_Device_Args& args) {
  args.device_out = args.transfer_manager->device;
  return {};
}

Status AsyncHostToDeviceTransferManager_BufferCount(
    PJRT_AsyncHostToDeviceTransferManager_BufferCount_Args& args) {
  args.buffer_count = args.transfer_manager->parts.size();
  return {};
}

Status AsyncHostToDeviceTransferManager_BufferSize(
    PJRT_AsyncHostToDeviceTransferManager_BufferSize_Args& args) {
  AXLE_ASSIGN(const Manager::Part* part, PartAt(*args.transfer_manager, args.buffer_index));
  args.buffer_size = static_cast<size_t>(part->num_bytes);
  return {};
}

Status AsyncHostToDeviceTransferManager_SetBufferError(
    PJRT_AsyncHostToDeviceTransferManager_SetBufferError_Args& args) {
  AXLE_ASSIGN(Manager::Part * part, PartAt(*args.transfer_manager, args.buffer_index));
  if (args.error_code == 0) return InvalidArgument("pjrt: code 0 is not an error");
  return EndPart(*args.transfer_manager, *part,
                 StatusFrom(args.error_code, TextOf(args.error_message, args.error_message_size)));
}

// Nothing uses the metadata.
Status AsyncHostToDeviceTransferManager_AddMetadata(
    PJRT_AsyncHostToDeviceTransferManager_AddMetadata_Args& /*args*/) {
  return {};
}

}  // namespace axle::pjrt
