// Errors and events.
#include <chrono>
#include <thread>

#include "tests/pjrt/plugin.h"

namespace axle::plugin {
namespace {

// An error: a lookup of a device that there is not.
PJRT_Error* SomeError(PJRT_Client* client) {
  PJRT_Client_LookupDevice_Args args = {.struct_size = sizeof(args), .client = client, .id = 7};
  return Api().Client_LookupDevice(&args);
}
constexpr std::string_view kSomeMessage = "pjrt: there is no device 7, there are 1 devices";

TEST(PjrtError, CodeMessageAndPayloads) {
  const auto client = MakeClient();
  PJRT_Error* error = SomeError(client);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(Do(Api().Error_GetCode, {.error = error}).code, 3);
  PJRT_Error_Message_Args message = {.struct_size = sizeof(message), .error = error};
  Api().Error_Message(&message);
  EXPECT_EQ(Text(message.message, message.message_size), kSomeMessage);
  int num_visited = 0;
  Do(Api().Error_ForEachPayload, {.error = error,
                                  .visitor = [](const char*, size_t, const char*, size_t,
                                                void* user_arg) { ++*static_cast<int*>(user_arg); },
                                  .user_arg = &num_visited});
  EXPECT_EQ(num_visited, 0);
  PJRT_Error_Destroy_Args destroy = {.struct_size = sizeof(destroy), .error = error};
  Api().Error_Destroy(&destroy);
  // No error has no message.
  message.error = nullptr;
  Api().Error_Message(&message);
  EXPECT_EQ(message.message_size, 0U);
}

// The same through the table of functions that an error begins with, and without the size of the
// arguments, which old clients leave out.
TEST(PjrtError, TableOfFunctions) {
  const auto client = MakeClient();
  PJRT_Error* error = SomeError(client);
  const auto& table = **reinterpret_cast<const PJRT_Error_FunctionTable* const*>(error);
  EXPECT_EQ(table.struct_size, sizeof(PJRT_Error_FunctionTable));
  EXPECT_GE(table.instance_size, sizeof(void*));
  EXPECT_EQ(table.extension_start, nullptr);
  EXPECT_EQ(table.get_code(error), 3);
  const char* text = nullptr;
  size_t size = 0;
  table.message(error, &text, &size);
  EXPECT_EQ(Text(text, size), kSomeMessage);
  table.for_each_payload(
      error, [](const char*, size_t, const char*, size_t, void*) { ADD_FAILURE(); }, nullptr);
  table.destroy(error);

  PJRT_Error_GetCode_Args code = {.error = SomeError(client)};
  EXPECT_EQ(Api().Error_GetCode(&code), nullptr);
  EXPECT_EQ(code.code, 3);
  PJRT_Error_Destroy_Args destroy = {.error = const_cast<PJRT_Error*>(code.error)};
  Api().Error_Destroy(&destroy);
}

Own<PJRT_Event> Pending() {
  return Own<PJRT_Event>(Do(Api().Event_Create, {}).event);
}
std::string Set(PJRT_Event* event, int code = 0, std::string_view message = "") {
  return Error(Api().Event_Set, {.event = event,
                                 .error_code = code,
                                 .error_message = message.data(),
                                 .error_message_size = message.size()});
}
bool IsReady(PJRT_Event* event) {
  return Do(Api().Event_IsReady, {.event = event}).is_ready;
}
std::string ErrorOf(PJRT_Event* event) {
  return Error(Api().Event_Error, {.event = event});
}

// What a callback got, once it was called.
struct Seen {
  int count = 0;
  std::string error;
};
void See(PJRT_Error* error, void* user_arg) {
  auto& seen = *static_cast<Seen*>(user_arg);
  ++seen.count;
  seen.error = Take(error);
}
std::string OnReady(PJRT_Event* event, Seen& seen) {
  return Error(Api().Event_OnReady, {.event = event, .callback = See, .user_arg = &seen});
}

TEST(PjrtEvent, SetWithoutAnError) {
  const auto event = Pending();
  EXPECT_FALSE(IsReady(event));
  EXPECT_EQ(ErrorOf(event), "FAILED_PRECONDITION: PJRT_Event_Error: the event is not ready");
  Seen first, second;
  EXPECT_EQ(OnReady(event, first), "OK");
  EXPECT_EQ(first.count, 0);
  EXPECT_EQ(Set(event), "OK");
  EXPECT_TRUE(IsReady(event));
  EXPECT_EQ(first.count, 1);
  EXPECT_EQ(first.error, "OK");
  EXPECT_EQ(ErrorOf(event), "OK");
  EXPECT_EQ(Error(Api().Event_Await, {.event = event}), "OK");
  EXPECT_EQ(OnReady(event, second), "OK");  // at once
  EXPECT_EQ(second.count, 1);
  EXPECT_EQ(Set(event), "FAILED_PRECONDITION: PJRT_Event_Set: the event is set already");
  EXPECT_EQ(Error(Api().Event_OnReady, {.event = event}),
            "INVALID_ARGUMENT: PJRT_Event_OnReady: the callback is null");
}

TEST(PjrtEvent, SetWithAnError) {
  const auto event = Pending();
  Seen first, second;
  OnReady(event, first);
  std::string message = "the other side is gone";
  EXPECT_EQ(Set(event, 14, message), "OK");
  message.assign(message.size(), '?');  // it was copied
  const char* expected = "UNAVAILABLE: the other side is gone";
  EXPECT_EQ(first.error, expected);
  EXPECT_TRUE(IsReady(event));
  // Each call gives an error of its own.
  EXPECT_EQ(ErrorOf(event), expected);
  EXPECT_EQ(ErrorOf(event), expected);
  EXPECT_EQ(Error(Api().Event_Await, {.event = event}), expected);
  OnReady(event, second);
  EXPECT_EQ(second.error, expected);
}

TEST(PjrtEvent, UnknownCodesAndNoMessage) {
  const auto event = Pending();
  EXPECT_EQ(Error(Api().Event_Set, {.event = event, .error_code = 99}), "OK");
  EXPECT_EQ(ErrorOf(event), "UNKNOWN: ");
}

TEST(PjrtEvent, AwaitWaits) {
  const auto event = Pending();
  std::thread setter([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    Set(event, 1, "enough");
  });
  EXPECT_EQ(Error(Api().Event_Await, {.event = event}), "CANCELLED: enough");
  setter.join();
}

// A destroyed event still calls back: here that of a buffer which gets its value afterwards.
TEST(PjrtEvent, DestroyedBeforeItIsSet) {
  const auto client = MakeClient();
  const auto alias =
      Do(Api().Client_CreateAliasBuffer,
         {.client = client, .memory = MemoryAt(client, 0), .shape_element_type = kTypeOf<float>});
  const Own<PJRT_Buffer> buffer(alias.alias_buffer);
  Seen seen;
  {
    const Own<PJRT_Event> event(Do(Api().Buffer_ReadyEvent, {.buffer = buffer}).event);
    OnReady(event, seen);
  }
  EXPECT_EQ(seen.count, 0);
  Do(Api().Client_FulfillAliasBuffer, {.status_code = 13,
                                       .error_message = "no",
                                       .error_message_size = 2,
                                       .fulfill_alias_buffer_cb = alias.fulfill_alias_buffer_cb});
  EXPECT_EQ(seen.count, 1);
  EXPECT_EQ(seen.error, "INTERNAL: no");
}

// As jaxlib does with the events of executions.
TEST(PjrtEvent, DestroyedByItsCallback) {
  struct Own {
    PJRT_Event* event;
    int count = 0;
  };
  const auto callback = [](PJRT_Error* error, void* user_arg) {
    auto& own = *static_cast<struct Own*>(user_arg);
    ++own.count;
    Take(error);
    Do(Api().Event_Destroy, {.event = own.event});
  };
  struct Own later = {Pending().release()};
  Do(Api().Event_OnReady, {.event = later.event, .callback = callback, .user_arg = &later});
  EXPECT_EQ(later.count, 0);
  Set(later.event);
  EXPECT_EQ(later.count, 1);

  struct Own inlined = {Pending().release()};
  Set(inlined.event, 2, "x");
  Do(Api().Event_OnReady, {.event = inlined.event, .callback = callback, .user_arg = &inlined});
  EXPECT_EQ(inlined.count, 1);
}

}  // namespace
}  // namespace axle::plugin
