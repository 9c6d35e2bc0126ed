// Buffers: queries, copies, references from outside, views of host memory, and buffers without a
// value of the host: zeros, errors, aliases. How host arrays go in and out is in
// host_buffer_test.cc.
#include <array>

#include "tests/pjrt/plugin.h"

namespace axle::plugin {
namespace {

TEST(PjrtBuffer, Queries) {
  const auto client = MakeClient();
  const auto buffer = Put<float>(client, {1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(Do(Api().Buffer_ElementType, {.buffer = buffer}).type, 11);
  const auto dims = Do(Api().Buffer_Dimensions, {.buffer = buffer});
  EXPECT_EQ(std::vector<i64>(dims.dims, dims.dims + dims.num_dims), std::vector<i64>({2, 3}));
  const auto unpadded = Do(Api().Buffer_UnpaddedDimensions, {.buffer = buffer});
  EXPECT_EQ(std::vector<i64>(unpadded.unpadded_dims, unpadded.unpadded_dims + unpadded.num_dims),
            std::vector<i64>({2, 3}));
  EXPECT_EQ(Do(Api().Buffer_DynamicDimensionIndices, {.buffer = buffer}).num_dynamic_dims, 0U);
  EXPECT_EQ(Do(Api().Buffer_OnDeviceSizeInBytes, {.buffer = buffer}).on_device_size_in_bytes, 24U);
  EXPECT_EQ(Do(Api().Buffer_Device, {.buffer = buffer}).device, DeviceAt(client, 0));
  EXPECT_EQ(Do(Api().Buffer_Memory, {.buffer = buffer}).memory, MemoryAt(client, 0));
  EXPECT_TRUE(Do(Api().Buffer_IsOnCpu, {.buffer = buffer}).is_on_cpu);
  EXPECT_EQ(Ready(buffer), "OK");
  const auto layout = Do(Api().Buffer_GetMemoryLayout, {.buffer = buffer}).layout;
  EXPECT_EQ(layout.type, PJRT_Buffer_MemoryLayout_Type_Tiled);
  EXPECT_EQ(layout.tiled.num_tiles, 0U);
  const i64* order = layout.tiled.minor_to_major;
  EXPECT_EQ(std::vector<i64>(order, order + layout.tiled.minor_to_major_size),
            std::vector<i64>({1, 0}));
}

TEST(PjrtBuffer, AddressIsAlignedAndHasTheElements) {
  const auto client = MakeClient();
  const auto buffer = Put<float>(client, {1, 2, 3}, {3});
  const auto address = Do(Api().Buffer_UnsafePointer, {.buffer = buffer}).buffer_pointer;
  EXPECT_EQ(address % 64, 0U);
  const auto* elements = static_cast<const float*>(
      Do(Api().Buffer_OpaqueDeviceMemoryDataPointer, {.buffer = buffer}).device_memory_ptr);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(elements), address);
  EXPECT_EQ(elements[2], 3);
}

TEST(PjrtBuffer, MemoryIsFreed) {
  const auto client = MakeClient();
  const i64 before = LiveBytes(client);
  auto buffer = Put<float>(client, std::vector<float>(100), {100});
  EXPECT_EQ(LiveBytes(client), before + 400);
  Do(Api().Buffer_Delete, {.buffer = buffer});
  EXPECT_EQ(LiveBytes(client), before);
  buffer = Put<float>(client, std::vector<float>(100), {100});
  EXPECT_EQ(LiveBytes(client), before + 400);
  buffer.reset();
  EXPECT_EQ(LiveBytes(client), before);
}

// The memory stays as long as somebody outside refers to it.
TEST(PjrtBuffer, ExternalReferences) {
  const auto client = MakeClient();
  const auto buffer = Put<float>(client, {1, 2}, {2});
  const i64 bytes = LiveBytes(client);
  EXPECT_EQ(Error(Api().Buffer_DecreaseExternalReferenceCount, {.buffer = buffer}),
            "INVALID_ARGUMENT: pjrt: the buffer has no external references to drop");
  Do(Api().Buffer_IncreaseExternalReferenceCount, {.buffer = buffer});
  Do(Api().Buffer_IncreaseExternalReferenceCount, {.buffer = buffer});
  const auto* elements = static_cast<const float*>(
      Do(Api().Buffer_OpaqueDeviceMemoryDataPointer, {.buffer = buffer}).device_memory_ptr);
  Do(Api().Buffer_Delete, {.buffer = buffer});
  EXPECT_TRUE(Do(Api().Buffer_IsDeleted, {.buffer = buffer}).is_deleted);
  EXPECT_EQ(elements[1], 2);
  Do(Api().Buffer_DecreaseExternalReferenceCount, {.buffer = buffer});
  EXPECT_EQ(LiveBytes(client), bytes);
  Do(Api().Buffer_DecreaseExternalReferenceCount, {.buffer = buffer});
  EXPECT_EQ(LiveBytes(client), bytes - 8);
  EXPECT_EQ(Error(Api().Buffer_DecreaseExternalReferenceCount, {.buffer = buffer}),
            "INVALID_ARGUMENT: pjrt: the buffer has no external references to drop");
}

TEST(PjrtBuffer, CopiesToDevicesAndMemories) {
  const auto client = MakeClient(2);
  const auto other = MakeClient();
  const auto buffer = Put<float>(client, {1, 2}, {2});
  const auto there = Own<PJRT_Buffer>(
      Do(Api().Buffer_CopyToDevice, {.buffer = buffer, .dst_device = DeviceAt(client, 1)})
          .dst_buffer);
  EXPECT_EQ(Do(Api().Buffer_Device, {.buffer = there}).device, DeviceAt(client, 1));
  const auto back = Own<PJRT_Buffer>(
      Do(Api().Buffer_CopyToMemory, {.buffer = there, .dst_memory = MemoryAt(client, 0)})
          .dst_buffer);
  EXPECT_EQ(Do(Api().Buffer_Memory, {.buffer = back}).memory, MemoryAt(client, 0));
  // A copy to the same memory is a copy.
  const auto same = Own<PJRT_Buffer>(
      Do(Api().Buffer_CopyToMemory, {.buffer = buffer, .dst_memory = MemoryAt(client, 0)})
          .dst_buffer);
  EXPECT_NE(Do(Api().Buffer_UnsafePointer, {.buffer = same}).buffer_pointer,
            Do(Api().Buffer_UnsafePointer, {.buffer = buffer}).buffer_pointer);
  Do(Api().Buffer_Delete, {.buffer = buffer});
  Do(Api().Buffer_Delete, {.buffer = there});
  EXPECT_EQ(Get<float>(back), std::vector<float>({1, 2}));
  EXPECT_EQ(Get<float>(same), std::vector<float>({1, 2}));

  EXPECT_EQ(Error(Api().Buffer_CopyToDevice, {.buffer = same, .dst_device = DeviceAt(client, 0)}),
            "INVALID_ARGUMENT: pjrt: the buffer is on axle:0 already");
  EXPECT_EQ(Error(Api().Buffer_CopyToDevice, {.buffer = same, .dst_device = DeviceAt(other, 0)}),
            "INVALID_ARGUMENT: pjrt: the device belongs to another client");
  EXPECT_EQ(Error(Api().Buffer_CopyToDevice, {.buffer = same}),
            "INVALID_ARGUMENT: pjrt: neither a device nor a memory is given");
  EXPECT_EQ(Error(Api().Buffer_CopyToMemory, {.buffer = same, .dst_memory = MemoryAt(other, 0)}),
            "INVALID_ARGUMENT: pjrt: the device belongs to another client");
  EXPECT_EQ(Error(Api().Buffer_CopyToMemory, {.buffer = same}),
            "INVALID_ARGUMENT: pjrt: neither a device nor a memory is given");
}

// Clients whose garbage collector runs finalizers destroy things in any order.
TEST(PjrtBuffer, OutlivesItsClient) {
  auto client = MakeClient();
  auto executable = Compile(client, kAdd);
  const auto code = ExecutableOf(executable);
  const auto buffer = Put<float>(client, {1, 2, 3}, {3});
  client.reset();
  const Outcome outcome = Execute(executable, {buffer, buffer});
  ASSERT_EQ(outcome.error, "OK");
  executable.reset();
  EXPECT_EQ(Get<float>(outcome.results[0]), std::vector<float>({2, 4, 6}));
  const auto name = Do(Api().Executable_Name, {.executable = code});
  EXPECT_EQ(Text(name.executable_name, name.executable_name_size), "add");
  EXPECT_TRUE(
      Do(Api().Device_IsAddressable, {.device = Do(Api().Buffer_Device, {.buffer = buffer}).device})
          .is_addressable);
}

// --- Views

struct Deletions {
  int count = 0;
  void* pointer = nullptr;
};
void Deleted(void* pointer, void* arg) {
  auto& deletions = *static_cast<Deletions*>(arg);
  ++deletions.count;
  deletions.pointer = pointer;
}

TEST(PjrtBuffer, ViewOfHostMemory) {
  const auto client = MakeClient();
  alignas(64) std::array<float, 4> data = {1, 2, 3, 4};
  const std::vector<i64> dims = {2, 2};
  Deletions deletions;
  PJRT_Client_CreateViewOfDeviceBuffer_Args args = {.client = client,
                                                    .device_buffer_ptr = data.data(),
                                                    .dims = dims.data(),
                                                    .num_dims = 2,
                                                    .element_type = kTypeOf<float>,
                                                    .device = DeviceAt(client, 0),
                                                    .on_delete_callback = Deleted,
                                                    .on_delete_callback_arg = &deletions};
  auto buffer = Own<PJRT_Buffer>(Do(Api().Client_CreateViewOfDeviceBuffer, args).buffer);
  EXPECT_EQ(Do(Api().Buffer_UnsafePointer, {.buffer = buffer}).buffer_pointer,
            reinterpret_cast<std::uintptr_t>(data.data()));
  EXPECT_EQ(Get<float>(buffer), std::vector<float>({1, 2, 3, 4}));
  EXPECT_EQ(deletions.count, 0);
  Do(Api().Buffer_Delete, {.buffer = buffer});
  EXPECT_EQ(deletions.count, 1);
  EXPECT_EQ(deletions.pointer, data.data());
  buffer.reset();
  EXPECT_EQ(deletions.count, 1);

  // By the memory, which older clients cannot give, and without a callback.
  args.device = nullptr;
  args.memory = MemoryAt(client, 0);
  args.on_delete_callback = nullptr;
  EXPECT_EQ(Get<float>(Own<PJRT_Buffer>(Do(Api().Client_CreateViewOfDeviceBuffer, args).buffer)),
            std::vector<float>({1, 2, 3, 4}));
  args.struct_size = offsetof(PJRT_Client_CreateViewOfDeviceBuffer_Args, memory);
  EXPECT_EQ(Take(Api().Client_CreateViewOfDeviceBuffer(&args)),
            "INVALID_ARGUMENT: pjrt: neither a device nor a memory is given");
}

// The callback comes once even if the memory could not be used in place.
TEST(PjrtBuffer, ViewOfUnalignedMemory) {
  const auto client = MakeClient();
  alignas(64) std::array<char, 64> data = {};
  const std::vector<i64> dims = {2};
  Deletions deletions;
  auto buffer = Own<PJRT_Buffer>(
      Do(Api().Client_CreateViewOfDeviceBuffer, {.client = client,
                                                 .device_buffer_ptr = data.data() + 1,
                                                 .dims = dims.data(),
                                                 .num_dims = 1,
                                                 .element_type = kTypeOf<float>,
                                                 .device = DeviceAt(client, 0),
                                                 .on_delete_callback = Deleted,
                                                 .on_delete_callback_arg = &deletions})
          .buffer);
  EXPECT_EQ(deletions.count, 1);
  buffer.reset();
  EXPECT_EQ(deletions.count, 1);
  EXPECT_EQ(Error(Api().Client_CreateViewOfDeviceBuffer, {.client = client,
                                                          .dims = dims.data(),
                                                          .num_dims = 1,
                                                          .element_type = kTypeOf<float>,
                                                          .device = DeviceAt(client, 0),
                                                          .on_delete_callback = Deleted,
                                                          .on_delete_callback_arg = &deletions}),
            "INVALID_ARGUMENT: host array: the data of f32[2] is null");
  EXPECT_EQ(deletions.count, 1);  // there is no buffer that could be deleted
}

// --- Without a value of the host

TEST(PjrtBuffer, UninitializedIsZero) {
  const auto client = MakeClient();
  const auto make = [&](PJRT_Buffer_Type type, const std::vector<i64>& sizes) {
    PJRT_Client_CreateUninitializedBuffer_Args args = {.struct_size = sizeof(args),
                                                       .client = client,
                                                       .shape_dims = sizes.data(),
                                                       .shape_num_dims = sizes.size(),
                                                       .shape_element_type = type,
                                                       .memory = MemoryAt(client, 0)};
    std::string error = Take(Api().Client_CreateUninitializedBuffer(&args));
    const Own<PJRT_Buffer> buffer(args.buffer);
    if (buffer != nullptr) {
      EXPECT_EQ(Get<float>(buffer), std::vector<float>({0, 0, 0}));
    }
    return error;
  };
  EXPECT_EQ(make(kTypeOf<float>, {3}), "OK");
  EXPECT_TRUE(make(kTypeOf<float>, {i64{1} << 58})
                  .starts_with("RESOURCE_EXHAUSTED: a value of 1 EiB does not fit into the "));
  EXPECT_EQ(make(kTypeOf<float>, {-1}),
            "INVALID_ARGUMENT: size of dimension 0 is -1, must be >= 0");
}

// A token is a buffer without elements, which cannot be copied to the host.
TEST(PjrtBuffer, Tokens) {
  const auto client = MakeClient();
  const Own<PJRT_Buffer> buffer(
      Do(Api().Client_CreateUninitializedBuffer,
         {.client = client, .shape_element_type = 23, .memory = MemoryAt(client, 0)})
          .buffer);
  EXPECT_EQ(Do(Api().Buffer_ElementType, {.buffer = buffer}).type, 23);
  EXPECT_EQ(Do(Api().Buffer_Dimensions, {.buffer = buffer}).num_dims, 0U);
  EXPECT_EQ(Do(Api().Buffer_OnDeviceSizeInBytes, {.buffer = buffer}).on_device_size_in_bytes, 0U);
  EXPECT_EQ(Ready(buffer), "OK");
  EXPECT_EQ(Error(Api().Buffer_ToHostBuffer, {.src = buffer}),
            "INVALID_ARGUMENT: pjrt: only arrays can be copied to the host, not token[]");
  EXPECT_EQ(Error(Api().Buffer_UnsafePointer, {.buffer = buffer}),
            "INVALID_ARGUMENT: buffer: only arrays have memory to look at, not token[]");
  const auto raw = Do(Api().Buffer_CopyRawToHost, {.buffer = buffer});
  EXPECT_EQ(Await(raw.event),
            "INVALID_ARGUMENT: buffer: only arrays have memory to look at, not token[]");
}

PJRT_Buffer* ErrorBuffer(PJRT_Client* client, int code, std::string_view message,
                         const std::vector<i64>& dims) {
  return Do(Api().Client_CreateErrorBuffer, {.client = client,
                                             .error_code = code,
                                             .error_message = message.data(),
                                             .error_message_size = message.size(),
                                             .shape_dims = dims.data(),
                                             .shape_num_dims = dims.size(),
                                             .shape_element_type = kTypeOf<float>,
                                             .memory = MemoryAt(client, 0)})
      .buffer;
}

TEST(PjrtBuffer, ErrorsAsValues) {
  const auto client = MakeClient();
  const Own<PJRT_Buffer> buffer(ErrorBuffer(client, 15, "bits fell off", {3}));
  const char* error = "DATA_LOSS: bits fell off";
  EXPECT_EQ(Ready(buffer), error);
  EXPECT_EQ(Do(Api().Buffer_Dimensions, {.buffer = buffer}).num_dims, 1U);
  EXPECT_FALSE(Do(Api().Buffer_IsDeleted, {.buffer = buffer}).is_deleted);
  float host[3];
  EXPECT_EQ(
      Await(Do(Api().Buffer_ToHostBuffer, {.src = buffer, .dst = host, .dst_size = 12}).event),
      error);
  EXPECT_EQ(Error(Api().Buffer_UnsafePointer, {.buffer = buffer}), error);
  EXPECT_EQ(Error(Api().Buffer_IncreaseExternalReferenceCount, {.buffer = buffer}), error);
  const auto copy = Own<PJRT_Buffer>(
      Do(Api().Buffer_CopyToMemory, {.buffer = buffer, .dst_memory = MemoryAt(client, 0)})
          .dst_buffer);
  EXPECT_EQ(Ready(copy), error);
  const auto executable = Compile(client, kAdd);
  EXPECT_EQ(Execute(executable, {buffer, buffer}).error, error);

  EXPECT_EQ(Error(Api().Client_CreateErrorBuffer, {.client = client,
                                                   .shape_element_type = kTypeOf<float>,
                                                   .memory = MemoryAt(client, 0)}),
            "INVALID_ARGUMENT: pjrt: an error buffer needs an error");
  EXPECT_EQ(Error(Api().Client_CreateErrorBuffer,
                  {.client = client, .error_code = 3, .shape_element_type = kTypeOf<float>}),
            "INVALID_ARGUMENT: pjrt: neither a device nor a memory is given");
}

// An alias buffer and what fulfils it.
struct Alias {
  Own<PJRT_Buffer> buffer;
  PJRT_FulfillAliasBufferCallback* callback;
  std::string Fulfil(PJRT_Buffer* with) const {
    return Error(Api().Client_FulfillAliasBuffer,
                 {.buffer = with, .fulfill_alias_buffer_cb = callback});
  }
};
Alias MakeAlias(PJRT_Client* client, const std::vector<i64>& dims) {
  const auto made = Do(Api().Client_CreateAliasBuffer, {.client = client,
                                                        .memory = MemoryAt(client, 0),
                                                        .shape_dims = dims.data(),
                                                        .shape_num_dims = dims.size(),
                                                        .shape_element_type = kTypeOf<float>});
  return {Own<PJRT_Buffer>(made.alias_buffer), made.fulfill_alias_buffer_cb};
}

TEST(PjrtBuffer, AliasesAreFulfilledLater) {
  const auto client = MakeClient();
  const auto value = Put<float>(client, {1, 2, 3}, {3});
  const Alias alias = MakeAlias(client, {3});
  EXPECT_FALSE(
      Do(Api().Event_IsReady,
         {.event = Own<PJRT_Event>(Do(Api().Buffer_ReadyEvent, {.buffer = alias.buffer}).event)})
          .is_ready);
  // A copy to the host and an execution that were asked for before the value is there.
  std::array<float, 3> host = {};
  PJRT_Event* copied = Do(Api().Buffer_ToHostBuffer,
                          {.src = alias.buffer, .dst = host.data(), .dst_size = sizeof(host)})
                           .event;
  const auto executable = Compile(client, kAdd);
  const Outcome outcome = Execute(executable, {alias.buffer, alias.buffer});
  ASSERT_EQ(outcome.error, "OK");
  EXPECT_FALSE(Do(Api().Event_IsReady, {.event = outcome.done}).is_ready);
  EXPECT_EQ(alias.Fulfil(value), "OK");
  EXPECT_EQ(Await(copied), "OK");
  EXPECT_EQ(host, (std::array<float, 3>{1, 2, 3}));
  EXPECT_EQ(Get<float>(outcome.results[0]), std::vector<float>({2, 4, 6}));
  EXPECT_EQ(Get<float>(alias.buffer), std::vector<float>({1, 2, 3}));
}

TEST(PjrtBuffer, AliasesOfAliasesErrorsAndNothing) {
  const auto client = MakeClient();
  const auto value = Put<float>(client, {1, 2, 3}, {3});
  const Alias first = MakeAlias(client, {3}), second = MakeAlias(client, {3});
  EXPECT_EQ(second.Fulfil(first.buffer), "OK");
  EXPECT_EQ(first.Fulfil(value), "OK");
  EXPECT_EQ(Get<float>(second.buffer), std::vector<float>({1, 2, 3}));

  const Alias of_error = MakeAlias(client, {3});
  EXPECT_EQ(of_error.Fulfil(Own<PJRT_Buffer>(ErrorBuffer(client, 10, "stop", {3}))), "OK");
  EXPECT_EQ(Ready(of_error.buffer), "ABORTED: stop");

  const Alias of_another_shape = MakeAlias(client, {2});
  const char* mismatch =
      "INVALID_ARGUMENT: PJRT_Client_FulfillAliasBuffer: the buffer is f32[3], promised was f32[2]";
  EXPECT_EQ(of_another_shape.Fulfil(value), mismatch);
  EXPECT_EQ(Ready(of_another_shape.buffer), mismatch);

  const Alias of_nothing = MakeAlias(client, {3});
  EXPECT_EQ(of_nothing.Fulfil(nullptr),
            "INVALID_ARGUMENT: PJRT_Client_FulfillAliasBuffer: the buffer is null");
  EXPECT_EQ(Ready(of_nothing.buffer),
            "INVALID_ARGUMENT: PJRT_Client_FulfillAliasBuffer: the buffer is null");
  EXPECT_EQ(Error(Api().Client_FulfillAliasBuffer, {.buffer = value}),
            "INVALID_ARGUMENT: PJRT_Client_FulfillAliasBuffer: the callback is null");

  // The buffer is gone before the value comes.
  Alias destroyed = MakeAlias(client, {3});
  destroyed.buffer.reset();
  EXPECT_EQ(destroyed.Fulfil(value), "OK");
}

// --- Buffers that are written piece by piece

using Manager = Own<PJRT_AsyncHostToDeviceTransferManager>;

Manager MakeManager(PJRT_Client* client, const std::vector<std::vector<i64>>& shapes) {
  std::vector<PJRT_ShapeSpec> specs;
  for (const std::vector<i64>& dims : shapes) {
    specs.push_back({.struct_size = sizeof(PJRT_ShapeSpec),
                     .dims = dims.data(),
                     .num_dims = dims.size(),
                     .element_type = kTypeOf<float>});
  }
  return Manager(
      Do(Api().Client_CreateBuffersForAsyncHostToDevice, {.client = client,
                                                          .shape_specs = specs.data(),
                                                          .num_shape_specs = specs.size(),
                                                          .memory = MemoryAt(client, 0)})
          .transfer_manager);
}

Own<PJRT_Buffer> Retrieve(const Manager& manager, int index) {
  return Own<PJRT_Buffer>(Do(Api().AsyncHostToDeviceTransferManager_RetrieveBuffer,
                             {.transfer_manager = manager, .buffer_index = index})
                              .buffer_out);
}

// Elements of a buffer; the error, or that of the event.
std::string Send(const Manager& manager, int index, const std::vector<float>& elements, i64 offset,
                 bool is_last) {
  PJRT_AsyncHostToDeviceTransferManager_TransferData_Args args = {
      .struct_size = sizeof(args),
      .transfer_manager = manager,
      .buffer_index = index,
      .data = elements.data(),
      .offset = offset,
      .transfer_size = static_cast<i64>(elements.size() * sizeof(float)),
      .is_last_transfer = is_last};
  const std::string error = Take(Api().AsyncHostToDeviceTransferManager_TransferData(&args));
  return error == "OK" ? Await(args.done_with_h2d_transfer) : error;
}

TEST(PjrtAsyncTransfer, InPieces) {
  const auto client = MakeClient(2);
  const Manager manager = MakeManager(client, {{4}, {2, 2}, {0}});
  EXPECT_EQ(Do(Api().AsyncHostToDeviceTransferManager_BufferCount, {.transfer_manager = manager})
                .buffer_count,
            3U);
  EXPECT_EQ(Do(Api().AsyncHostToDeviceTransferManager_BufferSize,
               {.transfer_manager = manager, .buffer_index = 1})
                .buffer_size,
            16U);
  EXPECT_EQ(
      Do(Api().AsyncHostToDeviceTransferManager_Device, {.transfer_manager = manager}).device_out,
      DeviceAt(client, 0));
  EXPECT_EQ(
      Error(Api().AsyncHostToDeviceTransferManager_AddMetadata, {.transfer_manager = manager}),
      "OK");
  const auto first = Retrieve(manager, 0);
  EXPECT_EQ(Send(manager, 0, {3, 4}, 8, false), "OK");
  EXPECT_FALSE(Do(Api().Event_IsReady,
                  {.event = Own<PJRT_Event>(Do(Api().Buffer_ReadyEvent, {.buffer = first}).event)})
                   .is_ready);
  EXPECT_EQ(Send(manager, 0, {1, 2}, 0, true), "OK");
  EXPECT_EQ(Get<float>(first), std::vector<float>({1, 2, 3, 4}));
  EXPECT_EQ(Send(manager, 1, {5, 6, 7, 8}, 0, true), "OK");
  EXPECT_EQ(Send(manager, 2, {}, 0, true), "OK");
  EXPECT_EQ(Get<float>(Retrieve(manager, 1)), std::vector<float>({5, 6, 7, 8}));
  EXPECT_EQ(Get<float>(Retrieve(manager, 2)), std::vector<float>());
  const char* done = "FAILED_PRECONDITION: pjrt: the buffer has all of its data already";
  EXPECT_EQ(Send(manager, 0, {1}, 0, false), done);
  EXPECT_EQ(Send(manager, 2, {}, 0, true), done);
  EXPECT_EQ(Error(Api().AsyncHostToDeviceTransferManager_RetrieveBuffer,
                  {.transfer_manager = manager, .buffer_index = 0}),
            "FAILED_PRECONDITION: pjrt: buffer 0 was retrieved before");
}

TEST(PjrtAsyncTransfer, WrongPlaces) {
  const auto client = MakeClient();
  const Manager manager = MakeManager(client, {{2}});
  EXPECT_EQ(Send(manager, 0, {1, 2}, 4, false),
            "INVALID_ARGUMENT: pjrt: 8 bytes at 4 of a buffer of 8");
  EXPECT_EQ(Send(manager, 0, {1}, -4, false),
            "INVALID_ARGUMENT: pjrt: 4 bytes at -4 of a buffer of 8");
  EXPECT_EQ(Error(Api().AsyncHostToDeviceTransferManager_TransferData,
                  {.transfer_manager = manager, .transfer_size = -1}),
            "INVALID_ARGUMENT: pjrt: -1 bytes at 0 of a buffer of 8");
  EXPECT_EQ(Error(Api().AsyncHostToDeviceTransferManager_TransferData,
                  {.transfer_manager = manager, .transfer_size = 4}),
            "INVALID_ARGUMENT: pjrt: the data of the transfer is null");
  for (const int index : {-1, 1}) {
    const std::string none = "INVALID_ARGUMENT: pjrt: there is no buffer " + std::to_string(index) +
                             " in the transfer of 1 buffers";
    EXPECT_EQ(Send(manager, index, {1}, 0, false), none);
    EXPECT_EQ(Error(Api().AsyncHostToDeviceTransferManager_RetrieveBuffer,
                    {.transfer_manager = manager, .buffer_index = index}),
              none);
    EXPECT_EQ(Error(Api().AsyncHostToDeviceTransferManager_BufferSize,
                    {.transfer_manager = manager, .buffer_index = index}),
              none);
    EXPECT_EQ(Error(Api().AsyncHostToDeviceTransferManager_SetBufferError,
                    {.transfer_manager = manager, .buffer_index = index, .error_code = 1}),
              none);
  }
  const std::vector<i64> dims = {-1};
  PJRT_ShapeSpec spec = {.dims = dims.data(), .num_dims = 1, .element_type = kTypeOf<float>};
  const auto create = [&](PJRT_ShapeSpec* specs, PJRT_Memory* memory) {
    return Error(Api().Client_CreateBuffersForAsyncHostToDevice,
                 {.client = client, .shape_specs = specs, .num_shape_specs = 1, .memory = memory});
  };
  EXPECT_EQ(create(&spec, MemoryAt(client, 0)),
            "INVALID_ARGUMENT: size of dimension 0 is -1, must be >= 0");
  EXPECT_EQ(create(&spec, nullptr),
            "INVALID_ARGUMENT: pjrt: neither a device nor a memory is given");
  EXPECT_EQ(create(nullptr, MemoryAt(client, 0)), "INVALID_ARGUMENT: pjrt: the shapes are null");
}

TEST(PjrtAsyncTransfer, Errors) {
  const auto client = MakeClient();
  const Manager manager = MakeManager(client, {{2}, {2}});
  const auto fail = [&](int code, std::string_view message) {
    return Error(Api().AsyncHostToDeviceTransferManager_SetBufferError,
                 {.transfer_manager = manager,
                  .buffer_index = 0,
                  .error_code = code,
                  .error_message = message.data(),
                  .error_message_size = message.size()});
  };
  EXPECT_EQ(fail(0, ""), "INVALID_ARGUMENT: pjrt: code 0 is not an error");
  EXPECT_EQ(fail(14, "the disk is gone"), "OK");
  EXPECT_EQ(Ready(Retrieve(manager, 0)), "UNAVAILABLE: the disk is gone");
  EXPECT_EQ(fail(14, "again"), "FAILED_PRECONDITION: pjrt: the buffer has all of its data already");
}

TEST(PjrtAsyncTransfer, Literals) {
  const auto client = MakeClient();
  const Manager manager = MakeManager(client, {{2, 2}, {2}});
  const float data[] = {1, 2, 3, 4};
  const auto send = [&](const std::vector<i64>& dims, PJRT_Buffer_MemoryLayout* layout) {
    PJRT_AsyncHostToDeviceTransferManager_TransferLiteral_Args args = {
        .struct_size = sizeof(args),
        .transfer_manager = manager,
        .data = data,
        .shape_dims = dims.data(),
        .shape_num_dims = dims.size(),
        .shape_element_type = kTypeOf<float>,
        .shape_layout = layout};
    const std::string error = Take(Api().AsyncHostToDeviceTransferManager_TransferLiteral(&args));
    return error == "OK" ? Await(args.done_with_h2d_transfer) : error;
  };
  EXPECT_EQ(send({4}, nullptr),
            "INVALID_ARGUMENT: pjrt: a literal of f32[4] for a buffer of f32[2,2]");
  EXPECT_EQ(send({2, 2}, nullptr), "OK");
  EXPECT_EQ(Get<float>(Retrieve(manager, 0)), std::vector<float>({1, 2, 3, 4}));
  EXPECT_EQ(send({2, 2}, nullptr),
            "FAILED_PRECONDITION: pjrt: the buffer has all of its data already");
  EXPECT_EQ(send({4}, nullptr),
            "INVALID_ARGUMENT: pjrt: a literal of f32[4] for a buffer of f32[2,2]");
  PJRT_Buffer_MemoryLayout column_major = {};
  const i64 order[] = {0, 1};
  column_major.tiled.minor_to_major = order;
  column_major.tiled.minor_to_major_size = 2;
  EXPECT_EQ(send({2, 2}, &column_major),
            "UNIMPLEMENTED: pjrt: a buffer of f32[2,2] in the layout {0,1}: buffers are row-major");
}

// Buffers that do not get their data say so, whether they were retrieved or not.
TEST(PjrtAsyncTransfer, DestroyedEarly) {
  const auto client = MakeClient();
  Manager manager = MakeManager(client, {{2}, {2}});
  const auto buffer = Retrieve(manager, 0);
  const auto executable = Compile(client, R"(
      module @twice { func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
        %0 = stablehlo.add %a, %a : tensor<2xf32>
        return %0 : tensor<2xf32> } })");
  const Outcome outcome = Execute(executable, {buffer});
  ASSERT_EQ(outcome.error, "OK");
  manager.reset();
  const char* error = "CANCELLED: pjrt: the transfer to the buffer was abandoned";
  EXPECT_EQ(Ready(buffer), error);
  EXPECT_EQ(Error(Api().Event_Await, {.event = outcome.done}), error);
  EXPECT_EQ(Ready(outcome.results[0]), error);
}

}  // namespace
}  // namespace axle::plugin
