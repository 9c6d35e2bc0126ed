// One profiler runs at a time, as in XLA: the one that was started last gets the runs.
#include "axle/pjrt/profiler.h"

#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "axle/core/strings.h"
#include "axle/pjrt/profiler_abi.h"
#include "axle/pjrt/xspace.h"

struct PLUGIN_Profiler {
  std::shared_ptr<axle::Profile> profile;
  std::optional<std::string> space;  // when its size was asked for
};

struct PLUGIN_Profiler_Error {
  axle::Status status;
};

namespace axle::pjrt {
namespace {

// The most events that a session keeps: 8 MB.
constexpr std::uint64_t kMaxEvents = 250'000;

std::mutex mutex;
std::shared_ptr<Profile> active;      // guarded by mutex
std::atomic<bool> is_active = false;  // what runs look at first

PLUGIN_Profiler_Error* NoMemoryError() {
  static PLUGIN_Profiler_Error error = {ResourceExhausted("pjrt profiler: out of memory")};
  return &error;
}

// An error in the form of this interface; null for OK. Nothing is thrown at the client.
template <typename Args, typename Body>
PLUGIN_Profiler_Error* Guarded(Args* args, Body body) noexcept {
  try {
    Status status =
        args == nullptr ? InvalidArgument("pjrt profiler: the arguments are null") : body(*args);
    if (status.ok()) return nullptr;
    return new PLUGIN_Profiler_Error{std::move(status)};
  } catch (const std::exception&) {
    return NoMemoryError();
  }
}

Status CheckProfiler(const PLUGIN_Profiler* profiler) {
  if (profiler != nullptr) return {};
  return InvalidArgument("pjrt profiler: the profiler is null");
}

void SetActive(std::shared_ptr<Profile> profile) {
  const std::lock_guard lock(mutex);
  is_active = profile != nullptr;
  active = std::move(profile);
}

void StopIfActive(const PLUGIN_Profiler& profiler) {
  const std::lock_guard lock(mutex);
  if (active != profiler.profile) return;
  is_active = false;
  active = nullptr;
}

void ErrorDestroy(PLUGIN_Profiler_Error_Destroy_Args* args) {
  if (args->error != NoMemoryError()) delete args->error;
}

void ErrorMessage(PLUGIN_Profiler_Error_Message_Args* args) {
  args->message = args->error->status.message().data();
  args->message_size = args->error->status.message().size();
}

PLUGIN_Profiler_Error* ErrorGetCode(PLUGIN_Profiler_Error_GetCode_Args* args) {
  args->code = static_cast<int>(args->error->status.code());
  return nullptr;
}

PLUGIN_Profiler_Error* Create(PLUGIN_Profiler_Create_Args* args) {
  return Guarded(args, [](PLUGIN_Profiler_Create_Args& of) -> Status {
    of.profiler = new PLUGIN_Profiler{
        std::make_shared<Profile>(ProfileOptions{.max_events = kMaxEvents}), {}};
    return {};
  });
}

PLUGIN_Profiler_Error* Destroy(PLUGIN_Profiler_Args* args) {
  return Guarded(args, [](PLUGIN_Profiler_Args& of) -> Status {
    if (of.profiler == nullptr) return {};
    StopIfActive(*of.profiler);
    delete of.profiler;
    return {};
  });
}

PLUGIN_Profiler_Error* Start(PLUGIN_Profiler_Args* args) {
  return Guarded(args, [](PLUGIN_Profiler_Args& of) -> Status {
    AXLE_TRY(CheckProfiler(of.profiler));
    of.profiler->space.reset();
    SetActive(of.profiler->profile);
    return {};
  });
}

PLUGIN_Profiler_Error* Stop(PLUGIN_Profiler_Args* args) {
  return Guarded(args, [](PLUGIN_Profiler_Args& of) -> Status {
    AXLE_TRY(CheckProfiler(of.profiler));
    StopIfActive(*of.profiler);
    return {};
  });
}

// Clients call it once and read the profiler's memory, or twice: for the size, and to have the
// bytes copied into memory of their own. They are the same each time.
PLUGIN_Profiler_Error* CollectData(PLUGIN_Profiler_CollectData_Args* args) {
  return Guarded(args, [](PLUGIN_Profiler_CollectData_Args& of) -> Status {
    AXLE_TRY(CheckProfiler(of.profiler));
    std::optional<std::string>& space = of.profiler->space;
    if (!space) {
      AXLE_ASSIGN(const ProfileReport report, of.profiler->profile->Report());
      space = ToXSpace(report);
    }
    if (of.buffer != nullptr) {
      std::memcpy(of.buffer, space->data(), space->size());
    } else {
      of.buffer = reinterpret_cast<std::uint8_t*>(space->data());
    }
    of.buffer_size_in_bytes = space->size();
    return {};
  });
}

PLUGIN_Profiler_Api profiler_api = {.struct_size = sizeof(PLUGIN_Profiler_Api),
                                    .priv = nullptr,
                                    .error_destroy = ErrorDestroy,
                                    .error_message = ErrorMessage,
                                    .error_get_code = ErrorGetCode,
                                    .create = Create,
                                    .destroy = Destroy,
                                    .start = Start,
                                    .stop = Stop,
                                    .collect_data = CollectData};

PJRT_Profiler_Extension extension = {
    .base = {sizeof(PJRT_Profiler_Extension), PJRT_Extension_Type_Profiler, nullptr},
    .profiler_api = &profiler_api,
    .traceme_context_id = 0,
};

}  // namespace

std::shared_ptr<Profile> ActiveProfile() {
  if (!is_active.load(std::memory_order_relaxed)) return nullptr;
  const std::lock_guard lock(mutex);
  return active;
}

PJRT_Extension_Base* ProfilerExtension(PJRT_Extension_Base* next) {
  extension.base.next = next;
  return &extension.base;
}

}  // namespace axle::pjrt
