// Buffers of host memory, and buffers that are copied back.
#include <array>
#include <functional>
#include <numeric>

#include "tests/pjrt/plugin.h"

namespace axle::plugin {
namespace {

using Args = PJRT_Client_BufferFromHostBuffer_Args;

constexpr PJRT_HostBufferSemantics kAllSemantics[] = {
    PJRT_HostBufferSemantics_kImmutableOnlyDuringCall,
    PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes,
    PJRT_HostBufferSemantics_kImmutableZeroCopy,
    PJRT_HostBufferSemantics_kMutableZeroCopy,
};

// A buffer and the event that says that the host may have its memory back.
struct Made {
  Own<PJRT_Buffer> buffer;
  Own<PJRT_Event> done;
};
Made Make(Args args) {
  const auto made = Do(Api().Client_BufferFromHostBuffer, args);
  return {Own<PJRT_Buffer>(made.buffer), Own<PJRT_Event>(made.done_with_host_buffer)};
}
bool IsReady(PJRT_Event* event) {
  return Do(Api().Event_IsReady, {.event = event}).is_ready;
}

TEST(PjrtHostBuffer, AllSemantics) {
  const auto client = MakeClient();
  const std::vector<i64> dims = {2, 3};
  for (const PJRT_HostBufferSemantics semantics : kAllSemantics) {
    alignas(64) std::array<float, 6> data = {1, 2, 3, 4, 5, 6};
    Made made = Make({.client = client,
                      .data = data.data(),
                      .type = kTypeOf<float>,
                      .dims = dims.data(),
                      .num_dims = 2,
                      .host_buffer_semantics = semantics,
                      .memory = MemoryAt(client, 0)});
    const bool in_place = semantics >= PJRT_HostBufferSemantics_kImmutableZeroCopy;
    EXPECT_EQ(IsReady(made.done), !in_place) << semantics;
    const void* address =
        Do(Api().Buffer_OpaqueDeviceMemoryDataPointer, {.buffer = made.buffer}).device_memory_ptr;
    EXPECT_EQ(address == data.data(), in_place) << semantics;
    if (!in_place) data.fill(-1);
    EXPECT_EQ(Get<float>(made.buffer), std::vector<float>({1, 2, 3, 4, 5, 6})) << semantics;
    made.buffer.reset();
    EXPECT_TRUE(IsReady(made.done)) << semantics;
    EXPECT_EQ(Await(made.done.release()), "OK");
  }
}

// Only at multiples of 64: programs that write to their arrays afterwards expect a copy of the
// others.
TEST(PjrtHostBuffer, OtherAddressesAreCopied) {
  const auto client = MakeClient();
  const std::vector<i64> dims = {3};
  for (const size_t offset : {1U, 4U, 8U}) {
    alignas(64) std::array<float, 11> data = {};
    std::iota(data.begin() + static_cast<std::ptrdiff_t>(offset), data.end(), 1.0F);
    Made made = Make({.client = client,
                      .data = data.data() + offset,
                      .type = kTypeOf<float>,
                      .dims = dims.data(),
                      .num_dims = 1,
                      .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy,
                      .device = DeviceAt(client, 0)});
    EXPECT_TRUE(IsReady(made.done)) << offset;
    data.fill(-1);
    EXPECT_EQ(Get<float>(made.buffer), std::vector<float>({1, 2, 3})) << offset;
  }
}

// The host's memory stays in use as long as anything reads it.
TEST(PjrtHostBuffer, ZeroCopyEndsWithTheLastUser) {
  const auto client = MakeClient();
  alignas(64) std::array<float, 3> data = {1, 2, 3};
  const std::vector<i64> dims = {3};
  Made made = Make({.client = client,
                    .data = data.data(),
                    .type = kTypeOf<float>,
                    .dims = dims.data(),
                    .num_dims = 1,
                    .host_buffer_semantics = PJRT_HostBufferSemantics_kImmutableZeroCopy,
                    .device = DeviceAt(client, 0)});
  Do(Api().Buffer_IncreaseExternalReferenceCount, {.buffer = made.buffer});
  Do(Api().Buffer_Delete, {.buffer = made.buffer});
  EXPECT_FALSE(IsReady(made.done));
  Do(Api().Buffer_DecreaseExternalReferenceCount, {.buffer = made.buffer});
  EXPECT_TRUE(IsReady(made.done));
}

// All at the same place that only fits the elements that are read.
TEST(PjrtHostBuffer, Strides) {
  const auto client = MakeClient();
  std::array<std::int32_t, 12> data = {};
  std::iota(data.begin(), data.end(), 0);
  struct Case {
    const char* what;
    size_t start;
    std::vector<i64> dims;
    std::vector<i64> strides;  // of elements
    std::vector<std::int32_t> expected;
  };
  const Case cases[] = {
      {"dense", 0, {2, 3}, {3, 1}, {0, 1, 2, 3, 4, 5}},
      {"column-major", 0, {2, 3}, {1, 2}, {0, 2, 4, 1, 3, 5}},
      {"with gaps", 1, {2, 2}, {6, 2}, {1, 3, 7, 9}},
      {"backwards", 11, {2, 3}, {-6, -1}, {11, 10, 9, 5, 4, 3}},
      {"one element again and again", 5, {2, 2}, {0, 0}, {5, 5, 5, 5}},
      {"a row again and again", 2, {2, 3}, {0, 1}, {2, 3, 4, 2, 3, 4}},
      {"a scalar", 7, {}, {}, {7}},
  };
  for (const Case& c : cases) {
    std::vector<i64> bytes;
    for (const i64 stride : c.strides) bytes.push_back(stride * 4);
    for (const PJRT_HostBufferSemantics semantics : kAllSemantics) {
      const Made made = Make({.client = client,
                              .data = data.data() + c.start,
                              .type = kTypeOf<std::int32_t>,
                              .dims = c.dims.data(),
                              .num_dims = c.dims.size(),
                              .byte_strides = bytes.data(),
                              .num_byte_strides = bytes.size(),
                              .host_buffer_semantics = semantics,
                              .device = DeviceAt(client, 0)});
      EXPECT_EQ(Get<std::int32_t>(made.buffer), c.expected) << c.what << " " << semantics;
    }
  }
}

TEST(PjrtHostBuffer, NoElementsNeedNoData) {
  const auto client = MakeClient();
  const std::vector<i64> dims = {0, 3};
  for (const PJRT_HostBufferSemantics semantics : kAllSemantics) {
    Made made = Make({.client = client,
                      .type = kTypeOf<float>,
                      .dims = dims.data(),
                      .num_dims = 2,
                      .host_buffer_semantics = semantics,
                      .device = DeviceAt(client, 0)});
    EXPECT_EQ(Get<float>(made.buffer), std::vector<float>());
    EXPECT_EQ(Ready(made.buffer), "OK");
    made.buffer.reset();
    EXPECT_EQ(Await(made.done.release()), "OK");
  }
}

// One value in each byte, both ways; the bits above are not looked at.
TEST(PjrtHostBuffer, SmallTypesTakeABytePerValue) {
  const auto client = MakeClient();
  constexpr PJRT_Buffer_Type kS4 = 21, kU4 = 22, kS2 = 24, kU2 = 25;
  struct Case {
    PJRT_Buffer_Type type;
    std::vector<std::int8_t> in, out;
  };
  const Case cases[] = {
      {kS4, {-8, 7, -1}, {-8, 7, -1}},    {kU4, {0, 15, 9}, {0, 15, 9}},
      {kU4, {0x7F, 0x10, 9}, {15, 0, 9}}, {kS2, {-2, 1, -1}, {-2, 1, -1}},
      {kU2, {0, 3, 2}, {0, 3, 2}},
  };
  for (const Case& c : cases) {
    const auto buffer = PutBytes(client, c.type, c.in.data(), {3}, nullptr);
    EXPECT_EQ(Do(Api().Buffer_ElementType, {.buffer = buffer}).type, c.type);
    EXPECT_EQ(Get<std::int8_t>(buffer), c.out) << c.type;
  }
}

// Every element type there is, back as it came.
TEST(PjrtHostBuffer, AllElementTypes) {
  const auto client = MakeClient();
  const std::vector<i64> dims = {2};
  const std::vector<char> zeros(64);
  for (PJRT_Buffer_Type type = 1; type <= 33; ++type) {
    if (type == 23) continue;  // TOKEN
    const auto buffer = PutBytes(client, type, zeros.data(), dims, nullptr);
    EXPECT_EQ(Do(Api().Buffer_ElementType, {.buffer = buffer}).type, type);
    const std::vector<char> back = Get<char>(buffer);
    EXPECT_EQ(back.size(),
              Do(Api().Buffer_OnDeviceSizeInBytes, {.buffer = buffer}).on_device_size_in_bytes)
        << type;
    EXPECT_EQ(back, std::vector<char>(back.size())) << type;
  }
}

TEST(PjrtHostBuffer, WrongArguments) {
  const auto client = MakeClient();
  const auto other = MakeClient();
  const std::array<float, 6> data = {};
  const std::vector<i64> dims = {2, 3};
  const Args good = {.client = client,
                     .data = data.data(),
                     .type = kTypeOf<float>,
                     .dims = dims.data(),
                     .num_dims = 2,
                     .device = DeviceAt(client, 0)};
  const auto error = [&](const std::function<void(Args&)>& change) {
    Args args = good;
    change(args);
    return Error(Api().Client_BufferFromHostBuffer, args);
  };
  EXPECT_EQ(error([](Args& args) { args.type = 0; }),
            "INVALID_ARGUMENT: pjrt: 0 is not the number of an element type");
  EXPECT_EQ(error([](Args& args) { args.type = 34; }),
            "INVALID_ARGUMENT: pjrt: 34 is not the number of an element type");
  EXPECT_EQ(error([](Args& args) { args.type = -1; }),
            "INVALID_ARGUMENT: pjrt: -1 is not the number of an element type");
  EXPECT_EQ(error([](Args& args) { args.type = 23; }),
            "INVALID_ARGUMENT: token has no dimensions, got 2");
  EXPECT_EQ(error([](Args& args) {
              args.type = 23;
              args.num_dims = 0;
            }),
            "INVALID_ARGUMENT: host array: the shape is token[], must be an array");
  EXPECT_EQ(error([](Args& args) { args.dims = nullptr; }),
            "INVALID_ARGUMENT: pjrt: the dimensions are null");
  EXPECT_EQ(error([](Args& args) { args.data = nullptr; }),
            "INVALID_ARGUMENT: host array: the data of f32[2,3] is null");
  const i64 negative[] = {2, -3};
  EXPECT_EQ(error([&](Args& args) { args.dims = negative; }),
            "INVALID_ARGUMENT: size of dimension 1 is -3, must be >= 0");
  const i64 large[] = {i64{1} << 40, i64{1} << 40};
  EXPECT_EQ(error([&](Args& args) { args.dims = large; }),
            "INVALID_ARGUMENT: shape f32[1099511627776,1099511627776] has too many elements");
  const std::vector<i64> many(1000, 1);
  EXPECT_EQ(error([&](Args& args) {
              args.dims = many.data();
              args.num_dims = many.size();
            }),
            "INVALID_ARGUMENT: pjrt: an array has at most 256 dimensions, not 1000");
  const i64 strides[] = {12, 4, 1};
  EXPECT_EQ(error([&](Args& args) {
              args.byte_strides = strides;
              args.num_byte_strides = 3;
            }),
            "INVALID_ARGUMENT: pjrt: 3 strides for 2 dimensions");
  EXPECT_EQ(error([](Args& args) { args.device = nullptr; }),
            "INVALID_ARGUMENT: pjrt: neither a device nor a memory is given");
  EXPECT_EQ(error([&](Args& args) { args.device = DeviceAt(other, 0); }),
            "INVALID_ARGUMENT: pjrt: the device belongs to another client");
  EXPECT_EQ(error([&](Args& args) { args.memory = MemoryAt(other, 0); }),
            "INVALID_ARGUMENT: pjrt: the device belongs to another client");
}

// The memory says where the buffer goes, if both are given.
TEST(PjrtHostBuffer, PlaceOfABuffer) {
  const auto client = MakeClient(3);
  const auto place = [&](PJRT_Device* device, PJRT_Memory* memory) {
    const float data = 1;
    const Made made = Make({.client = client,
                            .data = &data,
                            .type = kTypeOf<float>,
                            .device = device,
                            .memory = memory});
    PJRT_Memory* its = Do(Api().Buffer_Memory, {.buffer = made.buffer}).memory;
    PJRT_Device* at = Do(Api().Buffer_Device, {.buffer = made.buffer}).device;
    EXPECT_EQ(Do(Api().Device_DefaultMemory, {.device = at}).memory, its);
    return Do(Api().Device_LocalHardwareId, {.device = at}).local_hardware_id;
  };
  EXPECT_EQ(place(DeviceAt(client, 1), nullptr), 1);
  EXPECT_EQ(place(nullptr, MemoryAt(client, 2)), 2);
  EXPECT_EQ(place(DeviceAt(client, 1), MemoryAt(client, 2)), 2);
}

PJRT_Buffer_MemoryLayout Tiled(const std::vector<i64>& minor_to_major) {
  PJRT_Buffer_MemoryLayout layout = {.type = PJRT_Buffer_MemoryLayout_Type_Tiled};
  layout.tiled.minor_to_major = minor_to_major.data();
  layout.tiled.minor_to_major_size = minor_to_major.size();
  return layout;
}
PJRT_Buffer_MemoryLayout Strided(const std::vector<i64>& strides) {
  PJRT_Buffer_MemoryLayout layout = {.type = PJRT_Buffer_MemoryLayout_Type_Strides};
  layout.strides.byte_strides = strides.data();
  layout.strides.num_byte_strides = strides.size();
  return layout;
}

TEST(PjrtHostBuffer, DeviceLayouts) {
  const auto client = MakeClient();
  const std::array<float, 6> data = {1, 2, 3, 4, 5, 6};
  const std::vector<i64> dims = {2, 3};
  const auto error = [&](PJRT_Buffer_MemoryLayout layout) {
    PJRT_Client_BufferFromHostBuffer_Args args = {.struct_size = sizeof(args),
                                                  .client = client,
                                                  .data = data.data(),
                                                  .type = kTypeOf<float>,
                                                  .dims = dims.data(),
                                                  .num_dims = 2,
                                                  .device = DeviceAt(client, 0),
                                                  .device_layout = &layout};
    std::string text = Take(Api().Client_BufferFromHostBuffer(&args));
    const Own<PJRT_Buffer> buffer(args.buffer);
    const Own<PJRT_Event> done(args.done_with_host_buffer);
    return text;
  };
  EXPECT_EQ(error(Tiled({1, 0})), "OK");
  EXPECT_EQ(error(Strided({12, 4})), "OK");
  EXPECT_EQ(error(Tiled({0, 1})),
            "UNIMPLEMENTED: pjrt: a buffer of f32[2,3] in the layout {0,1}: buffers are row-major");
  EXPECT_EQ(error(Strided({4, 8})),
            "UNIMPLEMENTED: pjrt: a buffer of f32[2,3] in the layout {0,1}: buffers are row-major");
  EXPECT_EQ(error(Tiled({1})), "INVALID_ARGUMENT: pjrt: the layout of f32[2,3] names 1 dimensions");
  EXPECT_EQ(
      error(Tiled({1, 1})),
      "INVALID_ARGUMENT: pjrt: the layout of f32[2,3] is not a permutation of its dimensions");
  EXPECT_EQ(
      error(Tiled({2, 0})),
      "INVALID_ARGUMENT: pjrt: the layout of f32[2,3] is not a permutation of its dimensions");
  EXPECT_EQ(
      error(Tiled({-1, 0})),
      "INVALID_ARGUMENT: pjrt: the layout of f32[2,3] is not a permutation of its dimensions");
  EXPECT_EQ(error(Strided({4})), "INVALID_ARGUMENT: pjrt: the layout of f32[2,3] names 1 strides");
  EXPECT_EQ(error(Strided({16, 4})),
            "INVALID_ARGUMENT: pjrt: the layout of f32[2,3] has strides with gaps between "
            "elements");
  PJRT_Buffer_MemoryLayout layout = Tiled({1, 0});
  layout.tiled.num_tiles = 1;
  EXPECT_EQ(error(layout),
            "UNIMPLEMENTED: pjrt: the layout of f32[2,3] has tiles: use a layout without them");
  layout = Tiled({1, 0});
  layout.type = static_cast<PJRT_Buffer_MemoryLayout_Type>(2);
  EXPECT_EQ(error(layout), "INVALID_ARGUMENT: pjrt: the layout of f32[2,3] is of type 2");
}

// --- Back to the host

TEST(PjrtToHost, SizeIsAskedFirst) {
  const auto client = MakeClient();
  const auto buffer = Put<float>(client, {1, 2, 3, 4, 5, 6}, {2, 3});
  auto* some = reinterpret_cast<PJRT_Event*>(client.get());
  const auto query = Do(Api().Buffer_ToHostBuffer, {.src = buffer, .event = some});
  EXPECT_EQ(query.dst_size, 24U);
  EXPECT_EQ(query.event, nullptr);
  std::array<float, 7> host = {};
  EXPECT_EQ(Error(Api().Buffer_ToHostBuffer, {.src = buffer, .dst = host.data(), .dst_size = 23}),
            "INVALID_ARGUMENT: pjrt: f32[2,3] takes 24 bytes, there is room for 23");
  host[6] = -1;
  EXPECT_EQ(Await(Do(Api().Buffer_ToHostBuffer,
                     {.src = buffer, .dst = host.data(), .dst_size = sizeof(host)})
                      .event),
            "OK");
  EXPECT_EQ(host, (std::array<float, 7>{1, 2, 3, 4, 5, 6, -1}));
}

TEST(PjrtToHost, HostLayouts) {
  const auto client = MakeClient();
  const auto buffer = Put<float>(client, {1, 2, 3, 4, 5, 6}, {2, 3});
  std::array<float, 6> host = {};
  const auto copy = [&](PJRT_Buffer_MemoryLayout layout) {
    PJRT_Buffer_ToHostBuffer_Args args = {.struct_size = sizeof(args),
                                          .src = buffer,
                                          .host_layout = &layout,
                                          .dst = host.data(),
                                          .dst_size = sizeof(host)};
    const std::string error = Take(Api().Buffer_ToHostBuffer(&args));
    return error == "OK" ? Await(args.event) : error;
  };
  EXPECT_EQ(copy(Tiled({0, 1})), "OK");
  EXPECT_EQ(host, (std::array<float, 6>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(copy(Tiled({1, 0})), "OK");
  EXPECT_EQ(host, (std::array<float, 6>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(copy(Strided({12, 4})),
            "UNIMPLEMENTED: pjrt: a copy to the host with strides: give the layout as "
            "minor-to-major dimensions");
  EXPECT_EQ(copy(Tiled({0})), "INVALID_ARGUMENT: pjrt: the layout of f32[2,3] names 1 dimensions");
}

TEST(PjrtToHost, DeletedBuffers) {
  const auto client = MakeClient();
  const auto buffer = Put<float>(client, {1}, {1});
  EXPECT_FALSE(Do(Api().Buffer_IsDeleted, {.buffer = buffer}).is_deleted);
  Do(Api().Buffer_Delete, {.buffer = buffer});
  Do(Api().Buffer_Delete, {.buffer = buffer});
  EXPECT_TRUE(Do(Api().Buffer_IsDeleted, {.buffer = buffer}).is_deleted);
  const char* deleted = "FAILED_PRECONDITION: buffer: f32[1] is deleted";
  EXPECT_EQ(Ready(buffer), deleted);
  float host = 0;
  EXPECT_EQ(
      Await(Do(Api().Buffer_ToHostBuffer, {.src = buffer, .dst = &host, .dst_size = 4}).event),
      deleted);
  EXPECT_EQ(Await(Do(Api().Buffer_CopyRawToHost,
                     {.buffer = buffer, .dst = &host, .offset = 0, .transfer_size = 4})
                      .event),
            deleted);
  EXPECT_EQ(Error(Api().Buffer_UnsafePointer, {.buffer = buffer}), deleted);
  EXPECT_EQ(Error(Api().Buffer_OpaqueDeviceMemoryDataPointer, {.buffer = buffer}), deleted);
  EXPECT_EQ(Error(Api().Buffer_IncreaseExternalReferenceCount, {.buffer = buffer}), deleted);
  EXPECT_EQ(Error(Api().Buffer_CopyToMemory, {.buffer = buffer, .dst_memory = MemoryAt(client, 0)}),
            deleted);
  // What is known without the value is still known.
  EXPECT_EQ(Do(Api().Buffer_Dimensions, {.buffer = buffer}).num_dims, 1U);
}

TEST(PjrtToHost, RawRanges) {
  const auto client = MakeClient();
  const auto buffer = Put<std::int8_t>(client, {0, 1, 2, 3, 4, 5}, {6});
  std::array<std::int8_t, 3> host = {-1, -1, -1};
  const auto copy = [&](void* target, i64 offset, i64 size) {
    PJRT_Buffer_CopyRawToHost_Args args = {.struct_size = sizeof(args),
                                           .buffer = buffer,
                                           .dst = target,
                                           .offset = offset,
                                           .transfer_size = size};
    const std::string error = Take(Api().Buffer_CopyRawToHost(&args));
    return error == "OK" ? Await(args.event) : error;
  };
  EXPECT_EQ(copy(host.data(), 2, 2), "OK");
  EXPECT_EQ(host, (std::array<std::int8_t, 3>{2, 3, -1}));
  EXPECT_EQ(copy(host.data(), 4, 2), "OK");
  EXPECT_EQ(host, (std::array<std::int8_t, 3>{4, 5, -1}));
  EXPECT_EQ(copy(nullptr, 6, 0), "OK");
  constexpr i64 kMax = std::numeric_limits<i64>::max();
  const char* end = " of s8[6], which has 6";
  EXPECT_EQ(copy(host.data(), 5, 2), std::string("INVALID_ARGUMENT: pjrt: bytes 5 to 5 + 2") + end);
  EXPECT_EQ(copy(host.data(), -1, 2),
            std::string("INVALID_ARGUMENT: pjrt: bytes -1 to -1 + 2") + end);
  EXPECT_EQ(copy(host.data(), 1, -1),
            std::string("INVALID_ARGUMENT: pjrt: bytes 1 to 1 + -1") + end);
  EXPECT_EQ(copy(host.data(), 1, kMax),
            std::string("INVALID_ARGUMENT: pjrt: bytes 1 to 1 + 9223372036854775807") + end);
  EXPECT_EQ(copy(nullptr, 0, 1), "INVALID_ARGUMENT: pjrt: the target of the copy is null");
}

}  // namespace
}  // namespace axle::plugin
