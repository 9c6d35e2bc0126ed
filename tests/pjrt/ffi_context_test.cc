// FFI: what handlers get through their context: states, user data, memory, threads, futures.
#include <atomic>
#include <cstring>
#include <thread>

#include "tests/pjrt/ffi_calls.h"

namespace axle::plugin {
namespace {

// --- States

struct Counter {
  float added;
};
std::atomic<int> num_instantiated = 0, num_deleted = 0;
XLA_FFI_TypeId counter_type = {0};

// Reads the attribute `add` once, into a state.
XLA_FFI_Error* InstantiateCounter(XLA_FFI_CallFrame* frame) {
  if (IsVersionCall(frame)) return nullptr;
  EXPECT_EQ(frame->stage, XLA_FFI_ExecutionStage_INSTANTIATE);
  EXPECT_EQ(frame->args.size, 0);
  const auto& scalar = *static_cast<XLA_FFI_Scalar*>(frame->attrs.attrs[0]);
  const float added = *static_cast<float*>(scalar.value);
  if (added < 0) return MakeFfi(frame, 3, "negative");
  ++num_instantiated;
  XLA_FFI_State_Args args = {.struct_size = sizeof(args),
                             .ctx = frame->ctx,
                             .stage = XLA_FFI_ExecutionStage_INSTANTIATE,
                             .type_id = &counter_type,
                             .state = new Counter{added}};
  XLA_FFI_Error* error = frame->api->State_Set(&args);
  if (error != nullptr) return error;
  auto* again = new Counter{added};
  args.state = again;
  EXPECT_EQ(TakeFfi(frame->api->State_Set(&args)), "ffi: the handler has a state already");
  delete again;
  return nullptr;
}
XLA_FFI_Error* ExecuteCounter(XLA_FFI_CallFrame* frame) {
  if (IsVersionCall(frame)) return nullptr;
  XLA_FFI_State_Args args = {.struct_size = sizeof(args),
                             .ctx = frame->ctx,
                             .stage = XLA_FFI_ExecutionStage_INSTANTIATE,
                             .type_id = &counter_type};
  if (XLA_FFI_Error* error = frame->api->State_Get(&args); error != nullptr) return error;
  AddNumber(frame, static_cast<Counter*>(args.state)->added);
  // The same for a handler that was compiled before states had stages.
  XLA_FFI_State_Args_V2 older = {
      .struct_size = sizeof(older), .ctx = frame->ctx, .type_id = &counter_type};
  EXPECT_EQ(TakeFfi(frame->api->State_Get(reinterpret_cast<XLA_FFI_State_Args*>(&older))), "OK");
  EXPECT_EQ(older.state, args.state);
  XLA_FFI_TypeId another = {counter_type.type_id + 1000};
  args.type_id = &another;
  EXPECT_EQ(TakeFfi(frame->api->State_Get(&args)), "ffi: the state of the handler is of type " +
                                                       std::to_string(counter_type.type_id) +
                                                       ", not " + std::to_string(another.type_id));
  args.stage = XLA_FFI_ExecutionStage_PREPARE;
  EXPECT_EQ(TakeFfi(frame->api->State_Get(&args)), "ffi: the handler has no state");
  return nullptr;
}

void RegisterCounter() {
  const XLA_FFI_TypeInfo info = {.struct_size = sizeof(info), .deleter = [](void* object) {
                                   ++num_deleted;
                                   delete static_cast<Counter*>(object);
                                 }};
  XLA_FFI_Type_Register_Args type = {.struct_size = sizeof(type),
                                     .name = {"test.Counter", 12},
                                     .type_id = &counter_type,
                                     .type_info = &info};
  ASSERT_EQ(TakeFfi(FfiApi().Type_Register(&type)), "OK");
  ASSERT_NE(counter_type.type_id, 0);
  ASSERT_EQ(RegisterBundle("test.counter",
                           {.instantiate = InstantiateCounter, .execute = ExecuteCounter}),
            "OK");
}

// Instantiated once for a call site of an executable, and deleted with the executable.
TEST(PjrtFfi, StatesBelongToExecutables) {
  RegisterCounter();
  num_instantiated = num_deleted = 0;
  const auto client = MakeClient();
  // Again and again: memory of a program that is gone may be that of the next one.
  for (int i = 0; i < 10; ++i) {
    const std::string attributes = "add = " + std::to_string(i) + ".0 : f32";
    auto executable = Compile(client, Program("test.counter", attributes));
    const auto code = ExecutableOf(executable);
    for (int run = 0; run < 2; ++run) {
      EXPECT_EQ(CallTarget(client, executable, {}).result[0], 1 + static_cast<float>(i));
    }
    EXPECT_EQ(num_instantiated, i + 1);
    EXPECT_EQ(num_deleted, i);
    executable.reset();
    EXPECT_EQ(num_deleted, i);  // `code` has it
  }
  EXPECT_EQ(num_deleted, 10);
}

TEST(PjrtFfi, EachCallSiteHasAState) {
  RegisterCounter();
  num_instantiated = num_deleted = 0;
  const auto client = MakeClient();
  const auto executable = Compile(client, R"(
    module @calls { func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
      %0 = stablehlo.custom_call @test.counter(%a) {api_version = 4 : i32,
        backend_config = {add = 10.0 : f32}} : (tensor<3xf32>) -> tensor<3xf32>
      %1 = stablehlo.custom_call @test.counter(%0) {api_version = 4 : i32,
        backend_config = {add = 100.0 : f32}} : (tensor<3xf32>) -> tensor<3xf32>
      return %1 : tensor<3xf32> } })");
  EXPECT_EQ(CallTarget(client, executable, {}).result, std::vector<float>({111, 112, 113}));
  EXPECT_EQ(CallTarget(client, executable, {}).result, std::vector<float>({111, 112, 113}));
  EXPECT_EQ(num_instantiated, 2);
}

TEST(PjrtFfi, InstantiationThatFails) {
  RegisterCounter();
  num_instantiated = 0;
  EXPECT_EQ(CallTarget("test.counter", "add = -1.0 : f32").error,
            "INVALID_ARGUMENT: custom-call: \"test.counter\": negative; operand f32[3]");
  EXPECT_EQ(num_instantiated, 0);
}

// All stages of a call, in their order.
std::vector<int> stages;
XLA_FFI_Error* NoteStage(XLA_FFI_CallFrame* frame) {
  if (IsVersionCall(frame)) return nullptr;
  stages.push_back(frame->stage);
  if (frame->stage == XLA_FFI_ExecutionStage_EXECUTE) AddNumber(frame, 0);
  return nullptr;
}
TEST(PjrtFfi, StagesInOrder) {
  ASSERT_EQ(RegisterBundle("test.stages", {NoteStage, NoteStage, NoteStage, NoteStage}), "OK");
  const auto client = MakeClient();
  const auto executable = Compile(client, Program("test.stages"));
  stages.clear();
  EXPECT_EQ(CallTarget(client, executable, {}).error, "OK");
  EXPECT_EQ(stages, std::vector<int>({0, 1, 2, 3}));
  EXPECT_EQ(CallTarget(client, executable, {}).error, "OK");
  EXPECT_EQ(stages, std::vector<int>({0, 1, 2, 3, 1, 2, 3}));
}

// Several replicas, whose calls share nothing.
TEST(PjrtFfi, Replicas) {
  RegisterCounter();
  const auto client = MakeClient(2);
  const auto executable =
      Compile(client, Program("test.counter", "add = 2.0 : f32"), Options{.replicas = 2}.Bytes());
  const auto first = Put<float>(client, {1, 2, 3}, {3}, DeviceAt(client, 0));
  const auto second = Put<float>(client, {4, 5, 6}, {3}, DeviceAt(client, 1));
  PJRT_Buffer* const arguments[] = {first, second};
  PJRT_Buffer* const* const lists[] = {&arguments[0], &arguments[1]};
  PJRT_Buffer* results[2] = {};
  PJRT_Buffer** const outputs[] = {&results[0], &results[1]};
  Do(Api().LoadedExecutable_Execute, {.executable = executable,
                                      .argument_lists = lists,
                                      .num_devices = 2,
                                      .num_args = 1,
                                      .output_lists = outputs});
  EXPECT_EQ(Get<float>(Own<PJRT_Buffer>(results[0])), std::vector<float>({3, 4, 5}));
  EXPECT_EQ(Get<float>(Own<PJRT_Buffer>(results[1])), std::vector<float>({6, 7, 8}));
}

// --- What clients attach to executions

constexpr i64 kUserType = 777;
XLA_FFI_Error* AddUserData(XLA_FFI_CallFrame* frame) {
  if (IsVersionCall(frame)) return nullptr;
  XLA_FFI_TypeId type = {kUserType};
  XLA_FFI_ExecutionContext_Get_Args args = {
      .struct_size = sizeof(args), .ctx = frame->ctx, .type_id = &type};
  if (XLA_FFI_Error* error = frame->api->ExecutionContext_Get(&args); error != nullptr) {
    return error;
  }
  AddNumber(frame, *static_cast<float*>(args.data));
  return nullptr;
}

TEST(PjrtFfi, UserDataOfAnExecution) {
  ASSERT_EQ(Register("test.user_data", AddUserData), "OK");
  const auto client = MakeClient();
  const auto executable = Compile(client, Program("test.user_data"));
  float data = 5;
  const Own<PJRT_ExecuteContext> context(Do(Api().ExecuteContext_Create, {}).context);
  const auto add = [&](PJRT_ExecuteContext* to) {
    PJRT_FFI_UserData_Add_Args args = {
        .struct_size = sizeof(args), .context = to, .type_id = kUserType, .data = &data};
    return Take(Ffi().user_data_add(&args));
  };
  EXPECT_EQ(add(context), "OK");
  EXPECT_EQ(add(context), "ALREADY_EXISTS: pjrt: the execute context has data of type 777 already");
  EXPECT_EQ(add(nullptr), "INVALID_ARGUMENT: pjrt: the execute context is null");
  EXPECT_EQ(CallTarget(client, executable, {.context = context}).result,
            std::vector<float>({6, 7, 8}));
  data = 7;
  EXPECT_EQ(CallTarget(client, executable, {.context = context}).result,
            std::vector<float>({8, 9, 10}));
  EXPECT_EQ(
      CallTarget(client, executable, {}).error,
      "NOT_FOUND: custom-call: \"test.user_data\": ffi: the execution has no user data of type "
      "777; operand f32[3]");
}

TEST(PjrtFfi, TypesHaveOneId) {
  const auto add = [](std::string_view name, i64 id, size_t size) {
    PJRT_FFI_Type_Register_Args args = {.struct_size = size,
                                        .type_name = name.data(),
                                        .type_name_size = name.size(),
                                        .type_id = id};
    const std::string error = Take(Ffi().type_register(&args));
    return error == "OK" ? std::to_string(args.type_id) : error;
  };
  constexpr size_t kSize = sizeof(PJRT_FFI_Type_Register_Args);
  EXPECT_EQ(add("test.A", 900, kSize), "900");
  EXPECT_EQ(add("test.A", 0, kSize), "900");
  EXPECT_EQ(add("test.B", 0, offsetof(PJRT_FFI_Type_Register_Args, type_info)), "901");
  EXPECT_EQ(add("test.A", 5000, kSize),
            "INVALID_ARGUMENT: register: FFI type \"test.A\" has the id 900, not 5000");
  EXPECT_EQ(add("test.C", 900, kSize),
            "INVALID_ARGUMENT: register: the id 900 of FFI type \"test.C\" is that of \"test.A\"");
}

// --- What handlers may ask for

XLA_FFI_Error* UseServices(XLA_FFI_CallFrame* frame) {
  if (IsVersionCall(frame)) return nullptr;
  const XLA_FFI_Api& api = *frame->api;
  XLA_FFI_DeviceMemory_Allocate_Args memory = {
      .struct_size = sizeof(memory), .ctx = frame->ctx, .size = 100, .alignment = 256};
  EXPECT_EQ(TakeFfi(api.DeviceMemory_Allocate(&memory)), "OK");
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data) % 256, 0U);
  std::memset(memory.data, 1, 100);
  XLA_FFI_DeviceMemory_Free_Args release = {
      .struct_size = sizeof(release), .ctx = frame->ctx, .size = 100, .data = memory.data};
  EXPECT_EQ(TakeFfi(api.DeviceMemory_Free(&release)), "OK");
  memory.alignment = 96;
  EXPECT_EQ(TakeFfi(api.DeviceMemory_Allocate(&memory)), "ffi: 100 bytes of memory, aligned to 96");
  memory = {.struct_size = sizeof(memory), .ctx = frame->ctx, .size = SIZE_MAX, .alignment = 1};
  EXPECT_EQ(TakeFfi(api.DeviceMemory_Allocate(&memory)),
            "ffi: 18446744073709551615 bytes of memory, aligned to 1");

  XLA_FFI_Stream_Get_Args stream = {.struct_size = sizeof(stream), .ctx = frame->ctx};
  EXPECT_EQ(TakeFfi(api.Stream_Get(&stream)), "ffi: a processor has no streams");
  i64 num_threads = 0;
  XLA_FFI_ThreadPool_NumThreads_Args threads = {
      .struct_size = sizeof(threads), .ctx = frame->ctx, .num_threads = &num_threads};
  EXPECT_EQ(TakeFfi(api.ThreadPool_NumThreads(&threads)), "OK");
  EXPECT_EQ(num_threads, 1);
  int num_tasks = 0;
  XLA_FFI_ThreadPool_Schedule_Args task = {.struct_size = sizeof(task),
                                           .ctx = frame->ctx,
                                           .task = [](void* data) { ++*static_cast<int*>(data); },
                                           .data = &num_tasks};
  EXPECT_EQ(TakeFfi(api.ThreadPool_Schedule(&task)), "OK");
  EXPECT_EQ(num_tasks, 1);
  XLA_FFI_DeviceOrdinal_Get_Args ordinal = {.struct_size = sizeof(ordinal), .ctx = frame->ctx};
  EXPECT_EQ(TakeFfi(api.DeviceOrdinal_Get(&ordinal)), "OK");
  XLA_FFI_RunId_Get_Args run = {.struct_size = sizeof(run), .ctx = frame->ctx};
  EXPECT_EQ(TakeFfi(api.RunId_Get(&run)), "OK");
  static i64 last_run = 0;
  EXPECT_GT(run.run_id, last_run);
  last_run = run.run_id;
  AddNumber(frame, 10 * static_cast<float>(ordinal.device_ordinal));
  return nullptr;
}

TEST(PjrtFfi, Services) {
  ASSERT_EQ(Register("test.services", UseServices), "OK");
  EXPECT_EQ(CallTarget("test.services").result, std::vector<float>({1, 2, 3}));
  const auto client = MakeClient(3);
  const auto executable =
      Compile(client, Program("test.services"), Options{.is_portable = true}.Bytes());
  const auto x = Put<float>(client, {1, 2, 3}, {3}, DeviceAt(client, 2));
  const Outcome outcome = Execute(executable, {x}, DeviceAt(client, 2));
  ASSERT_EQ(outcome.error, "OK");
  EXPECT_EQ(Get<float>(outcome.results[0]), std::vector<float>({21, 22, 23}));
}

// A handler that is done when another thread says so, with or without an error.
std::thread later;
XLA_FFI_Error* DoLater(XLA_FFI_CallFrame* frame) {
  if (IsVersionCall(frame)) return nullptr;
  XLA_FFI_Future_Create_Args create = {.struct_size = sizeof(create)};
  if (XLA_FFI_Error* error = frame->api->Future_Create(&create); error != nullptr) return error;
  frame->future = create.future;
  const bool fails = frame->attrs.size > 0;
  later = std::thread([frame, fails, future = create.future] {
    if (fails) {
      XLA_FFI_Future_SetError_Args args = {
          .struct_size = sizeof(args), .future = future, .error = MakeFfi(frame, 14, "gone")};
      EXPECT_EQ(TakeFfi(frame->api->Future_SetError(&args)), "OK");
      return;
    }
    AddNumber(frame, 4);
    XLA_FFI_Future_SetAvailable_Args args = {.struct_size = sizeof(args), .future = future};
    EXPECT_EQ(TakeFfi(frame->api->Future_SetAvailable(&args)), "OK");
  });
  return nullptr;
}

TEST(PjrtFfi, FuturesOfOtherThreads) {
  ASSERT_EQ(Register("test.later", DoLater), "OK");
  EXPECT_EQ(CallTarget("test.later").result, std::vector<float>({5, 6, 7}));
  later.join();
  EXPECT_EQ(CallTarget("test.later", "fail = true").error,
            "UNAVAILABLE: custom-call: \"test.later\": gone; operand f32[3]");
  later.join();
}

}  // namespace
}  // namespace axle::plugin
