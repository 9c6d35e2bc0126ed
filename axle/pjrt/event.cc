// Events are futures. What is set later than its event is destroyed still calls back: the callback
// belongs to the future's state.
#include "axle/pjrt/handles.h"

namespace axle::pjrt {

Status Event_Destroy(PJRT_Event_Destroy_Args& args) {
  delete args.event;
  return {};
}

Status Event_IsReady(PJRT_Event_IsReady_Args& args) {
  args.is_ready = args.event->future.is_ready();
  return {};
}

Status Event_Error(PJRT_Event_Error_Args& args) {
  if (!args.event->future.is_ready()) {
    return FailedPrecondition("PJRT_Event_Error: the event is not ready");
  }
  return args.event->future.Await();
}

Status Event_Await(PJRT_Event_Await_Args& args) {
  return args.event->future.Await();
}

Status Event_OnReady(PJRT_Event_OnReady_Args& args) {
  if (args.callback == nullptr) {
    return InvalidArgument("PJRT_Event_OnReady: the callback is null");
  }
  // The callback may destroy the event, so that the future is copied first.
  const Future future = args.event->future;
  future.OnReady([callback = args.callback, user_arg = args.user_arg](const Status& status) {
    callback(MakeError(status), user_arg);
  });
  return {};
}

Status Event_Create(PJRT_Event_Create_Args& args) {
  args.event = new PJRT_Event{Future::Pending()};
  return {};
}

Status Event_Set(PJRT_Event_Set_Args& args) {
  const Future future = args.event->future;
  if (future.is_ready()) return FailedPrecondition("PJRT_Event_Set: the event is set already");
  future.Set(StatusFrom(args.error_code, TextOf(args.error_message, args.error_message_size)));
  return {};
}

}  // namespace axle::pjrt
