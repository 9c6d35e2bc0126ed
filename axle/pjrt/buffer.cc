// Buffers: queries, copies, references from outside. How they are made is in transfer.cc.
#include <cstring>

#include "axle/client/buffer_storage.h"
#include "axle/core/strings.h"
#include "axle/pjrt/handles.h"

namespace {

std::vector<size_t> DynamicDims(const axle::Shape& shape) {
  std::vector<size_t> dims;
  if (!shape.is_array()) return dims;
  for (axle::i64 d = 0; d < shape.rank(); ++d) {
    if (shape.is_dynamic(d)) dims.push_back(static_cast<size_t>(d));
  }
  return dims;
}

}  // namespace

PJRT_Buffer::PJRT_Buffer(std::shared_ptr<const axle::pjrt::ClientState> owner,
                         axle::BufferPtr value)
    : client(std::move(owner)),
      buffer(std::move(value)),
      device(client->DeviceOf(buffer->device())),
      dynamic_dims(DynamicDims(buffer->shape())),
      minor_to_major(axle::Layout::RowMajor(buffer->shape().rank()).minor_to_major) {}

axle::Status PJRT_Buffer::AddReference() {
  AXLE_ASSIGN(axle::Buffer::View view, buffer->Pin());
  const std::lock_guard lock(mutex_);
  if (num_references_++ == 0) pin_.emplace(std::move(view));
  return {};
}

axle::Status PJRT_Buffer::DropReference() {
  std::optional<axle::Buffer::View> last;  // released outside of the lock: it may call the user
  const std::lock_guard lock(mutex_);
  if (num_references_ == 0) {
    return axle::InvalidArgument("pjrt: the buffer has no external references to drop");
  }
  if (--num_references_ == 0) last.swap(pin_);
  return {};
}

bool PJRT_Buffer::has_references() {
  const std::lock_guard lock(mutex_);
  return num_references_ > 0;
}

axle::StatusOr<const void*> PJRT_Buffer::Address() const {
  AXLE_ASSIGN(const axle::Buffer::View view, buffer->Pin());
  return view.data();
}

namespace axle::pjrt {
namespace {

// Runs `copy`, which writes elements of the value to the host, once the value is there, and sets
// the event to what it returns.
Future WhenReady(const BufferPtr& buffer, std::function<Status()> copy) {
  if (buffer->is_ready()) return Future(copy());
  Future done = Future::Pending();
  buffer->ready().OnReady([done, copy = std::move(copy)](const Status& status) {
    Status result = status;
    if (result.ok()) result = copy();
    done.Set(std::move(result));
  });
  return done;
}

}  // namespace

Status Buffer_Destroy(PJRT_Buffer_Destroy_Args& args) {
  delete args.buffer;
  return {};
}

Status Buffer_ElementType(PJRT_Buffer_ElementType_Args& args) {
  args.type = TypeNumber(args.buffer->buffer->shape().type());
  return {};
}

Status Buffer_Dimensions(PJRT_Buffer_Dimensions_Args& args) {
  const Dims& dims = args.buffer->buffer->shape().dims();
  args.dims = dims.data();
  args.num_dims = dims.size();
  return {};
}

// Bounds, as PJRT_Buffer_Dimensions: run-time sizes are known only to the value.
Status Buffer_UnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args& args) {
  const Dims& dims = args.buffer->buffer->shape().dims();
  args.unpadded_dims = dims.data();
  args.num_dims = dims.size();
  return {};
}

Status Buffer_DynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args& args) {
  args.dynamic_dim_indices = args.buffer->dynamic_dims.data();
  args.num_dynamic_dims = args.buffer->dynamic_dims.size();
  return {};
}

Status Buffer_OnDeviceSizeInBytes(PJRT_Buffer_OnDeviceSizeInBytes_Args& args) {
  args.on_device_size_in_bytes = static_cast<size_t>(args.buffer->buffer->num_bytes());
  return {};
}

Status Buffer_Device(PJRT_Buffer_Device_Args& args) {
  args.device = args.buffer->device;
  return {};
}

Status Buffer_Memory(PJRT_Buffer_Memory_Args& args) {
  args.memory = args.buffer->device->memory.get();
  return {};
}

Status Buffer_Delete(PJRT_Buffer_Delete_Args& args) {
  args.buffer->buffer->Delete();
  return {};
}

Status Buffer_IsDeleted(PJRT_Buffer_IsDeleted_Args& args) {
  args.is_deleted = args.buffer->buffer->is_deleted();
  return {};
}

Status Buffer_IsOnCpu(PJRT_Buffer_IsOnCpu_Args& args) {
  args.is_on_cpu = true;
  return {};
}

Status Buffer_ReadyEvent(PJRT_Buffer_ReadyEvent_Args& args) {
  const auto use = args.buffer->buffer->Use();
  args.event = new PJRT_Event{use.ok() ? args.buffer->buffer->ready() : Future(use.status())};
  return {};
}

Status Buffer_UnsafePointer(PJRT_Buffer_UnsafePointer_Args& args) {
  AXLE_ASSIGN(const void* address, args.buffer->Address());
  args.buffer_pointer = reinterpret_cast<std::uintptr_t>(address);
  return {};
}

Status Buffer_OpaqueDeviceMemoryDataPointer(PJRT_Buffer_OpaqueDeviceMemoryDataPointer_Args& args) {
  AXLE_ASSIGN(const void* address, args.buffer->Address());
  args.device_memory_ptr = const_cast<void*>(address);
  return {};
}

Status Buffer_IncreaseExternalReferenceCount(
    PJRT_Buffer_IncreaseExternalReferenceCount_Args& args) {
  return args.buffer->AddReference();
}

Status Buffer_DecreaseExternalReferenceCount(
    PJRT_Buffer_DecreaseExternalReferenceCount_Args& args) {
  return args.buffer->DropReference();
}

// Row-major, as all buffers are.
Status Buffer_GetMemoryLayout(PJRT_Buffer_GetMemoryLayout_Args& args) {
  args.layout = {};
  args.layout.struct_size = sizeof(args.layout);
  args.layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  args.layout.tiled.struct_size = sizeof(args.layout.tiled);
  args.layout.tiled.minor_to_major = args.buffer->minor_to_major.data();
  args.layout.tiled.minor_to_major_size = args.buffer->minor_to_major.size();
  return {};
}

Status Buffer_ToHostBuffer(PJRT_Buffer_ToHostBuffer_Args& args) {
  const BufferPtr& buffer = args.src->buffer;
  const Shape& shape = buffer->shape();
  if (!shape.is_array()) {
    return InvalidArgument(
        StrCat("pjrt: only arrays can be copied to the host, not ", shape.ToString()));
  }
  const auto num_bytes = static_cast<size_t>(shape.num_bytes());
  if (args.dst == nullptr) {
    args.dst_size = num_bytes;
    args.event = nullptr;
    return {};
  }
  if (args.dst_size < num_bytes) {
    return InvalidArgument(StrCat("pjrt: ", shape.ToString(), " takes ", num_bytes,
                                  " bytes, there is room for ", args.dst_size));
  }
  Dims strides;
  if (args.host_layout != nullptr) {
    if (args.host_layout->type == PJRT_Buffer_MemoryLayout_Type_Strides) {
      return Unimplemented(
          "pjrt: a copy to the host with strides: give the layout as minor-to-major dimensions");
    }
    AXLE_ASSIGN(const Dims order, ReadLayout(shape, *args.host_layout));
    i64 stride = shape.num_elements() == 0 ? 0 : shape.num_bytes() / shape.num_elements();
    strides.resize(order.size());
    for (const i64 d : order) {
      strides[static_cast<size_t>(d)] = stride;
      stride *= shape.dim(d);
    }
  }
  args.event = new PJRT_Event{WhenReady(
      buffer, [buffer, dst = args.dst, num_bytes, strides = std::move(strides)]() -> Status {
        return buffer->CopyToHost(dst, static_cast<i64>(num_bytes), strides);
      })};
  return {};
}

Status Buffer_CopyRawToHost(PJRT_Buffer_CopyRawToHost_Args& args) {
  const BufferPtr& buffer = args.buffer->buffer;
  const i64 size = buffer->num_bytes();
  if (args.offset < 0 || args.transfer_size < 0 || args.offset > size ||
      args.transfer_size > size - args.offset) {
    return InvalidArgument(StrCat("pjrt: bytes ", args.offset, " to ", args.offset, " + ",
                                  args.transfer_size, " of ", buffer->shape().ToString(),
                                  ", which has ", size));
  }
  if (args.dst == nullptr && args.transfer_size > 0) {
    return InvalidArgument("pjrt: the target of the copy is null");
  }
  args.event = new PJRT_Event{
      WhenReady(buffer,
                [buffer, dst = args.dst, offset = args.offset,
                 transfer_size = static_cast<size_t>(args.transfer_size)]() -> Status {
                  AXLE_ASSIGN(const Buffer::View view, buffer->Pin());
                  if (transfer_size > 0) {
                    std::memcpy(dst, static_cast<const char*>(view.data()) + offset, transfer_size);
                  }
                  return {};
                })};
  return {};
}

Status Buffer_CopyToDevice(PJRT_Buffer_CopyToDevice_Args& args) {
  AXLE_ASSIGN(PJRT_Device * device, args.buffer->client->Choose(args.dst_device, nullptr));
  if (device == args.buffer->device) {
    return InvalidArgument(
        StrCat("pjrt: the buffer is on ", device->description.debug_string, " already"));
  }
  AXLE_ASSIGN(args.dst_buffer, CopyBuffer(*args.buffer, *device));
  return {};
}

Status Buffer_CopyToMemory(PJRT_Buffer_CopyToMemory_Args& args) {
  AXLE_ASSIGN(PJRT_Device * device, args.buffer->client->Choose(nullptr, args.dst_memory));
  AXLE_ASSIGN(args.dst_buffer, CopyBuffer(*args.buffer, *device));
  return {};
}

}  // namespace axle::pjrt
