// Execution: results, arguments that do not fit, donation, several devices, tuples, errors.
#include <array>

#include "axle/client/load.h"
#include "axle/client/save.h"
#include "tests/pjrt/plugin.h"

namespace axle::plugin {
namespace {

using Floats = std::vector<float>;

bool IsDeleted(PJRT_Buffer* buffer) {
  return Do(Api().Buffer_IsDeleted, {.buffer = buffer}).is_deleted;
}
std::uintptr_t AddressOf(PJRT_Buffer* buffer) {
  return Do(Api().Buffer_UnsafePointer, {.buffer = buffer}).buffer_pointer;
}

TEST(PjrtExecute, Results) {
  const auto client = MakeClient();
  const auto executable = Compile(client, R"(
    module @two { func.func @main(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
      %0 = stablehlo.add %a, %a : tensor<3xf32>
      %1 = stablehlo.multiply %a, %a : tensor<3xf32>
      return %0, %1 : tensor<3xf32>, tensor<3xf32> } })");
  const auto x = Put<float>(client, {1, 2, 3}, {3});
  // The same again: the second run may be done in another way than the first.
  for (int run = 0; run < 3; ++run) {
    const Outcome outcome = Execute(executable, {x});
    ASSERT_EQ(outcome.error, "OK");
    EXPECT_EQ(Error(Api().Event_Await, {.event = outcome.done}), "OK");
    EXPECT_EQ(Get<float>(outcome.results[0]), Floats({2, 4, 6}));
    EXPECT_EQ(Get<float>(outcome.results[1]), Floats({1, 4, 9}));
    EXPECT_EQ(Do(Api().Buffer_Device, {.buffer = outcome.results[0]}).device, DeviceAt(client, 0));
  }
}

// A run that is worth a thread of its own, whose results are used at once.
TEST(PjrtExecute, LongRuns) {
  const auto client = MakeClient();
  const auto executable = Compile(client, R"(
    module @long { func.func @main(%a: tensor<256x256xf32>) -> tensor<256x256xf32> {
      %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0]
        : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
      return %0 : tensor<256x256xf32> } })");
  Floats identity(256 * 256);
  for (size_t i = 0; i < 256; ++i) identity[i * 257] = 2;
  const auto x = Put<float>(client, identity, {256, 256});
  const Outcome first = Execute(executable, {x});
  ASSERT_EQ(first.error, "OK");
  const Outcome second = Execute(executable, {first.results[0]});
  ASSERT_EQ(second.error, "OK");
  EXPECT_EQ(Get<float>(second.results[0])[257], 16);
  EXPECT_EQ(Error(Api().Event_Await, {.event = second.done}), "OK");
}

TEST(PjrtExecute, WrongCalls) {
  const auto client = MakeClient(2);
  const auto executable = Compile(client, kAdd);
  const auto x = Put<float>(client, {1, 2, 3}, {3});
  const auto two = Put<float>(client, {1, 2}, {2});
  const auto elsewhere = Put<float>(client, {1, 2, 3}, {3}, DeviceAt(client, 1));
  EXPECT_EQ(Execute(executable, {x}).error,
            "INVALID_ARGUMENT: pjrt: \"add\" takes 2 arguments, not 1");
  EXPECT_EQ(Execute(executable, {x, x, x}).error,
            "INVALID_ARGUMENT: pjrt: \"add\" takes 2 arguments, not 3");
  EXPECT_EQ(Execute(executable, {x, nullptr}).error, "INVALID_ARGUMENT: pjrt: argument 1 is null");
  EXPECT_EQ(
      Execute(executable, {x, two}).error,
      "INVALID_ARGUMENT: execute: argument 1 is f32[2] but \"main\" expects f32[3] for parameter 1 "
      "\"Arg_1\"");
  EXPECT_EQ(Execute(executable, {x, elsewhere}).error,
            "INVALID_ARGUMENT: execute: argument 1 is on cpu:1, but the program runs on cpu:0");
  EXPECT_EQ(Execute(executable, {x, x}, DeviceAt(client, 1)).error,
            "INVALID_ARGUMENT: pjrt: \"add\" was compiled for axle:0, not for axle:1");
  EXPECT_EQ(Execute(executable, {x, x}, DeviceAt(MakeClient(), 0)).error,
            "INVALID_ARGUMENT: pjrt: the device belongs to another client");
  EXPECT_EQ(Execute(executable, {x, x}, DeviceAt(client, 0)).error, "OK");
  const auto other = MakeClient();
  EXPECT_EQ(
      Execute(executable, {x, Put<float>(other, {1, 2, 3}, {3})}).error,
      "INVALID_ARGUMENT: execute: argument 1 is on cpu:0, but the program runs on cpu:0 of another "
      "client");

  PJRT_Buffer* const arguments[] = {x, x};
  PJRT_Buffer* const* const argument_list = arguments;
  PJRT_Buffer** const no_outputs = nullptr;
  PJRT_LoadedExecutable_Execute_Args args = {
      .executable = executable, .argument_lists = &argument_list, .num_devices = 1, .num_args = 2};
  EXPECT_EQ(Error(Api().LoadedExecutable_Execute, args),
            "INVALID_ARGUMENT: pjrt: there is no room for the results");
  args.output_lists = &no_outputs;
  EXPECT_EQ(Error(Api().LoadedExecutable_Execute, args),
            "INVALID_ARGUMENT: pjrt: there is no room for the results");
  PJRT_Buffer* output = nullptr;
  PJRT_Buffer** const outputs = &output;
  args.output_lists = &outputs;
  args.argument_lists = nullptr;
  EXPECT_EQ(Error(Api().LoadedExecutable_Execute, args),
            "INVALID_ARGUMENT: pjrt: the arguments are null");
  for (const size_t num_devices : {0, 2}) {
    args.num_devices = num_devices;
    EXPECT_EQ(Error(Api().LoadedExecutable_Execute, args),
              "INVALID_ARGUMENT: pjrt: \"add\" runs on 1 devices, the call has arguments for " +
                  std::to_string(num_devices));
  }
  // Neither options nor events are needed.
  args.num_devices = 1;
  args.argument_lists = &argument_list;
  EXPECT_EQ(Error(Api().LoadedExecutable_Execute, args), "OK");
  EXPECT_EQ(Get<float>(Own<PJRT_Buffer>(output)), Floats({2, 4, 6}));
}

TEST(PjrtExecute, WrongOptions) {
  const auto client = MakeClient();
  const auto executable = Compile(client, kAdd);
  const auto x = Put<float>(client, {1, 2, 3}, {3});
  EXPECT_EQ(Execute(executable, {x, x}, nullptr, {.num_send_ops = 1}).error,
            "UNIMPLEMENTED: pjrt: callbacks of send and recv: use jax.pure_callback or "
            "jax.experimental.io_callback");
  EXPECT_EQ(Execute(executable, {x, x}, nullptr, {.num_recv_ops = 1}).error,
            "UNIMPLEMENTED: pjrt: callbacks of send and recv: use jax.pure_callback or "
            "jax.experimental.io_callback");
  EXPECT_EQ(Execute(executable, {x, x}, nullptr, {.num_non_donatable_input_indices = 1}).error,
            "INVALID_ARGUMENT: pjrt: the non-donatable indices are null");
  const i64 indices[] = {5, -1};
  EXPECT_EQ(Execute(executable, {x, x}, nullptr,
                    {.non_donatable_input_indices = indices, .num_non_donatable_input_indices = 2})
                .error,
            "INVALID_ARGUMENT: execute: there is no argument 5 to donate, \"main\" takes 2");
}

// --- Donation

// a + b in the memory of a.
constexpr std::string_view kInPlace = R"(
module @in_place {
  func.func @main(%a: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<3xf32>)
      -> tensor<3xf32> {
    %0 = stablehlo.add %a, %b : tensor<3xf32>
    return %0 : tensor<3xf32>
  }
})";

TEST(PjrtDonation, AliasedArgumentsAreDeleted) {
  const auto client = MakeClient();
  const auto executable = Compile(client, kInPlace);
  const auto a = Put<float>(client, {1, 2, 3}, {3});
  const auto b = Put<float>(client, {10, 20, 30}, {3});
  const std::uintptr_t address = AddressOf(a);
  const Outcome outcome = Execute(executable, {a, b});
  ASSERT_EQ(outcome.error, "OK");
  EXPECT_TRUE(IsDeleted(a));
  EXPECT_FALSE(IsDeleted(b));
  EXPECT_EQ(Get<float>(outcome.results[0]), Floats({11, 22, 33}));
  EXPECT_EQ(AddressOf(outcome.results[0]), address);
  EXPECT_EQ(Ready(a), "FAILED_PRECONDITION: buffer: f32[3] is donated");
  EXPECT_EQ(Execute(executable, {a, b}).error,
            "FAILED_PRECONDITION: execute: argument 0: buffer: f32[3] is donated");
  PJRT_Executable_GetCompiledMemoryStats_Args stats =
      Do(Api().Executable_GetCompiledMemoryStats, {.executable = ExecutableOf(executable)});
  EXPECT_EQ(stats.alias_size_in_bytes, 12);
}

TEST(PjrtDonation, NonDonatableArgumentsAreKept) {
  const auto client = MakeClient();
  const auto executable = Compile(client, kInPlace);
  const auto a = Put<float>(client, {1, 2, 3}, {3});
  const i64 index = 0;
  const Outcome outcome =
      Execute(executable, {a, a}, nullptr,
              {.non_donatable_input_indices = &index, .num_non_donatable_input_indices = 1});
  ASSERT_EQ(outcome.error, "OK");
  EXPECT_FALSE(IsDeleted(a));
  EXPECT_EQ(Get<float>(outcome.results[0]), Floats({2, 4, 6}));
  EXPECT_EQ(Get<float>(a), Floats({1, 2, 3}));
}

TEST(PjrtDonation, SameBufferTwice) {
  const auto client = MakeClient();
  const auto executable = Compile(client, kInPlace);
  const auto a = Put<float>(client, {1, 2, 3}, {3});
  EXPECT_EQ(
      Execute(executable, {a, a}).error,
      "INVALID_ARGUMENT: execute: arguments 0 and 1 are one buffer, which argument 0 donates, as "
      "in `f(donate(a), a)`; pass a copy of it");
  EXPECT_FALSE(IsDeleted(a));
}

// What somebody outside looks at is copied, and deleted as well.
TEST(PjrtDonation, WithExternalReferences) {
  const auto client = MakeClient();
  const auto executable = Compile(client, kInPlace);
  const auto a = Put<float>(client, {1, 2, 3}, {3});
  const auto b = Put<float>(client, {10, 20, 30}, {3});
  Do(Api().Buffer_IncreaseExternalReferenceCount, {.buffer = a});
  const auto* elements = reinterpret_cast<const float*>(AddressOf(a));
  const Outcome outcome = Execute(executable, {a, b});
  ASSERT_EQ(outcome.error, "OK");
  EXPECT_EQ(Get<float>(outcome.results[0]), Floats({11, 22, 33}));
  EXPECT_EQ(Floats(elements, elements + 3), Floats({1, 2, 3}));
  EXPECT_TRUE(IsDeleted(a));
  Do(Api().Buffer_DecreaseExternalReferenceCount, {.buffer = a});
}

// A refused call donates nothing.
TEST(PjrtDonation, RefusedCalls) {
  const auto client = MakeClient();
  const auto executable = Compile(client, kInPlace);
  const auto a = Put<float>(client, {1, 2, 3}, {3});
  const auto wrong = Put<float>(client, {1, 2}, {2});
  EXPECT_NE(Execute(executable, {a, wrong}).error, "OK");
  EXPECT_FALSE(IsDeleted(a));
  EXPECT_EQ(Get<float>(a), Floats({1, 2, 3}));
}

// --- Several devices

TEST(PjrtDevices, PortableProgramsRunWhereTheyAreTold) {
  const auto client = MakeClient(3);
  const auto executable = Compile(client, kAdd, Options{.is_portable = true}.Bytes());
  for (size_t d = 0; d < 3; ++d) {
    const auto x = Put<float>(client, {1, 2, static_cast<float>(d)}, {3}, DeviceAt(client, d));
    for (PJRT_Device* device : {DeviceAt(client, d), static_cast<PJRT_Device*>(nullptr)}) {
      const Outcome outcome = Execute(executable, {x, x}, device);
      ASSERT_EQ(outcome.error, "OK");
      EXPECT_EQ(Get<float>(outcome.results[0]), Floats({2, 4, 2 * static_cast<float>(d)}));
      EXPECT_EQ(Do(Api().Buffer_Device, {.buffer = outcome.results[0]}).device,
                DeviceAt(client, d));
    }
  }
}

// A program of two replicas: element r of the lists belongs to replica r.
TEST(PjrtDevices, Replicas) {
  const auto client = MakeClient(2);
  const auto executable = Compile(client, R"(
    module @replicas {
      func.func @main(%a: tensor<3xui32> {tf.aliasing_output = 0 : i32}) -> tensor<3xui32> {
        %0 = stablehlo.replica_id : tensor<ui32>
        %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<ui32>) -> tensor<3xui32>
        %2 = stablehlo.add %a, %1 : tensor<3xui32>
        return %2 : tensor<3xui32>
      }
    })",
                                  Options{.replicas = 2}.Bytes());
  constexpr PJRT_Buffer_Type kU32 = 8;
  const std::uint32_t data[] = {10, 20, 30};
  std::array<Own<PJRT_Buffer>, 2> buffers;
  for (size_t d = 0; d < 2; ++d) {
    buffers[d] = PutBytes(client, kU32, data, {3}, DeviceAt(client, d));
  }
  // One of the arguments is looked at from outside, so that it is copied.
  Do(Api().Buffer_IncreaseExternalReferenceCount, {.buffer = buffers[0]});
  const auto* seen = reinterpret_cast<const std::uint32_t*>(AddressOf(buffers[0]));

  PJRT_Buffer* const first[] = {buffers[0]};
  PJRT_Buffer* const second[] = {buffers[1]};
  PJRT_Buffer* const* const arguments[] = {first, second};
  PJRT_Buffer *first_out = nullptr, *second_out = nullptr;
  PJRT_Buffer** const outputs[] = {&first_out, &second_out};
  PJRT_Event* events[2] = {};
  Do(Api().LoadedExecutable_Execute, {.executable = executable,
                                      .argument_lists = arguments,
                                      .num_devices = 2,
                                      .num_args = 1,
                                      .output_lists = outputs,
                                      .device_complete_events = events});
  const Own<PJRT_Buffer> results[] = {Own<PJRT_Buffer>(first_out), Own<PJRT_Buffer>(second_out)};
  for (std::uint32_t d = 0; d < 2; ++d) {
    EXPECT_EQ(Await(events[d]), "OK");
    EXPECT_EQ(Do(Api().Buffer_Device, {.buffer = results[d]}).device, DeviceAt(client, d));
    EXPECT_EQ(Get<std::uint32_t>(results[d]), std::vector<std::uint32_t>({10 + d, 20 + d, 30 + d}));
    EXPECT_TRUE(IsDeleted(buffers[d])) << d;
  }
  EXPECT_EQ(seen[2], 30U);
  Do(Api().Buffer_DecreaseExternalReferenceCount, {.buffer = buffers[0]});

  EXPECT_EQ(Execute(executable, {results[0]}).error,
            "INVALID_ARGUMENT: pjrt: \"replicas\" runs on 2 devices, the call has arguments for 1");
  PJRT_Buffer** const no_room[] = {&first_out, nullptr};
  EXPECT_EQ(Error(Api().LoadedExecutable_Execute, {.executable = executable,
                                                   .argument_lists = arguments,
                                                   .num_devices = 2,
                                                   .num_args = 1,
                                                   .output_lists = no_room}),
            "INVALID_ARGUMENT: pjrt: there is no room for the results");
  PJRT_Buffer* const* const no_arguments[] = {first, nullptr};
  EXPECT_EQ(Error(Api().LoadedExecutable_Execute, {.executable = executable,
                                                   .argument_lists = no_arguments,
                                                   .num_devices = 2,
                                                   .num_args = 1,
                                                   .output_lists = outputs}),
            "INVALID_ARGUMENT: pjrt: the arguments are null");
}

// --- Tuples

constexpr std::string_view kTupled = R"(HloModule tupled
ENTRY e {
  p = (f32[3], f32[3]) parameter(0)
  a = f32[3] get-tuple-element(p), index=0
  b = f32[3] get-tuple-element(p), index=1
  s = f32[3] subtract(a, b)
  ROOT r = (f32[3], f32[3]) tuple(s, a)
})";

TEST(PjrtTuples, ArgumentsAreTheElements) {
  const auto client = MakeClient(2);
  const std::string program = ModuleToProto(**LoadModule(kTupled));
  const auto executable = Compile(client, program, Options{.is_tupled = true}.Bytes(), "hlo");
  const auto a = Put<float>(client, {10, 20, 30}, {3});
  const auto b = Put<float>(client, {1, 2, 3}, {3});
  const Outcome outcome = Execute(executable, {a, b});
  ASSERT_EQ(outcome.error, "OK");
  EXPECT_EQ(Error(Api().Event_Await, {.event = outcome.done}), "OK");
  EXPECT_EQ(Get<float>(outcome.results[0]), Floats({9, 18, 27}));
  EXPECT_EQ(Get<float>(outcome.results[1]), Floats({10, 20, 30}));
  EXPECT_EQ(Execute(executable, {a}).error,
            "INVALID_ARGUMENT: pjrt: \"tupled\" takes 2 arguments, not 1");
  EXPECT_EQ(Execute(executable, {a, Put<float>(client, {1}, {1})}).error,
            "INVALID_ARGUMENT: execute: argument 0 is (f32[3], f32[1]) but \"e\" expects (f32[3], "
            "f32[3]) "
            "for parameter 0 \"p\"");
  EXPECT_EQ(CompileError(client, kAdd, Options{.is_tupled = true}.Bytes()),
            "INVALID_ARGUMENT: pjrt: parameter_is_tupled_arguments for a program whose parameter "
            "is not one tuple");
  EXPECT_EQ(CompileError(client, program, Options{.replicas = 2, .is_tupled = true}.Bytes(), "hlo"),
            "UNIMPLEMENTED: pjrt: parameter_is_tupled_arguments for a program of 2 devices");
  // Without the option the program has one parameter, for which there is no buffer.
  EXPECT_EQ(
      Execute(Compile(client, program, Options().Bytes(), "hlo"), {a}).error,
      "INVALID_ARGUMENT: execute: argument 0 is f32[3] but \"e\" expects (f32[3], f32[3]) for "
      "parameter 0 \"p\"");
}

}  // namespace
}  // namespace axle::plugin
