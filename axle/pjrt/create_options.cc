// Options of PJRT_Client_Create, all of them optional; names that are not listed are ignored, since
// frameworks pass options of their own:
//
//   platform_name             what the client calls its platform, "axle" if nothing else is said;
//                             JAX chooses its lowering rules by it
//   num_devices               how many devices this process has, each of them the whole processor;
//   cpu_device_count          without it the environment variable AXLE_NUM_DEVICES says, or
//                             --xla_force_host_platform_device_count in XLA_FLAGS, or there is one
//   num_threads               how many threads work; AXLE_NUM_THREADS, or one per processor
//   num_nodes, node_id        the number of processes, and which of them this is; several make a
//                             job, whose devices all of them see
//   transport                 what carries the bytes of a job, "gloo" or "mpi"
//   rendezvous                where processes without a store of keys and values meet
//   listen_address            of this process, for the others of the job
//
// Numbers may come as texts.
//
// The processes of a job meet in the caller's store (kv_put_callback and kv_try_get_callback, or
// kv_get_callback). A job needs a secret where its addresses are not loopback. If the environment
// names none, process 0 makes one and puts it into the store: who can read the store of a job is
// one of its processes, as far as the store knows.
#include "axle/pjrt/create_options.h"

#include <charconv>
#include <cstdlib>
#include <memory>

#include "axle/core/strings.h"
#include "axle/distributed/environment.h"
#include "axle/distributed/key_value_store.h"
#include "axle/distributed/transport.h"

namespace axle::pjrt {
namespace {

std::string_view NameOf(const PJRT_NamedValue& value) {
  return TextOf(value.name, value.name_size);
}

// A number in a range, which errors give with the name of what is wrong.
struct Range {
  std::string_view what;
  i64 least;
  i64 most;

  Status Error(std::string_view value) const {
    return InvalidArgument(
        StrCat("pjrt: ", what, " is ", value, ", must be a number from ", least, " to ", most));
  }
  StatusOr<i64> Check(i64 number) const {
    if (number < least || number > most) return Error(StrCat(number));
    return number;
  }
  StatusOr<i64> Parse(std::string_view text) const {
    i64 number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    if (is_number && number >= least && number <= most) return number;
    return Error(StrCat("\"", PrintableText(text), "\""));
  }
};

// 0 stands for "what the environment says".
StatusOr<i64> NumberOf(const PJRT_NamedValue& value, int most) {
  const std::string what = StrCat("the option ", NameOf(value));
  const Range range = {what, 0, most};
  if (value.type == PJRT_NamedValue_kInt64) return range.Check(value.int64_value);
  if (value.type == PJRT_NamedValue_kString) {
    return range.Parse(TextOf(value.string_value, value.value_size));
  }
  return range.Error("of another type");
}

// The value of --xla_force_host_platform_device_count, which is the last one; 1 without it.
StatusOr<i64> DeviceCountOfXlaFlags() {
  const char* flags = std::getenv("XLA_FLAGS");
  if (flags == nullptr) return 1;
  constexpr std::string_view kFlag = "--xla_force_host_platform_device_count=";
  const std::string_view text = flags;
  const size_t at = text.rfind(kFlag);
  if (at == std::string_view::npos) return 1;
  const std::string_view rest = text.substr(at + kFlag.size());
  constexpr Range kRange = {
      "--xla_force_host_platform_device_count of the environment variable XLA_FLAGS", 1,
      kMaxClientDevices};
  return kRange.Parse(rest.substr(0, rest.find(' ')));
}

StatusOr<i64> NumDevicesOfEnvironment() {
  const char* count = std::getenv("AXLE_NUM_DEVICES");
  if (count == nullptr || *count == '\0') return DeviceCountOfXlaFlags();
  constexpr Range kRange = {"the environment variable AXLE_NUM_DEVICES", 1, kMaxClientDevices};
  return kRange.Parse(count);
}

StatusOr<TransportKind> TransportOf(std::string_view name) {
  if (name == "gloo") return TransportKind::kGloo;
  if (name == "mpi") return TransportKind::kMpi;
  return InvalidArgument(StrCat("pjrt: the option transport is \"", PrintableText(name),
                                "\", must be \"gloo\" or \"mpi\""));
}

// An error that a callback of the caller makes, which the plugin owns.
PJRT_Error* CallbackError(PJRT_Error_Code code, const char* message, size_t message_size) {
  return MakeError(StatusFrom(code, TextOf(message, message_size)));
}
PJRT_CallbackError callback_error = CallbackError;

// Takes the value that a callback gave.
template <typename Args>
std::string TakeValue(const Args& args) {
  std::string value(TextOf(args.value, args.value_size));
  if (args.value != nullptr && args.value_deleter_callback != nullptr) {
    args.value_deleter_callback(args.value);
  }
  return value;
}

// The caller's store. An older caller can only wait for a value, for a millisecond here.
std::optional<KeyValueCallbacks> CallbacksOf(const PJRT_Client_Create_Args& args) {
  if (!AXLE_PJRT_HAS(args, kv_put_user_arg) || args.kv_put_callback == nullptr) return {};
  KeyValueCallbacks callbacks;
  callbacks.put = [put = args.kv_put_callback, user = args.kv_put_user_arg](
                      std::string_view key, std::string_view value) {
    PJRT_KeyValuePutCallback_Args call = {};
    call.struct_size = sizeof(call);
    call.key = key.data();
    call.key_size = key.size();
    call.value = value.data();
    call.value_size = value.size();
    call.callback_error = &callback_error;
    call.user_arg = user;
    return TakeStatus(put(&call));
  };
  if (AXLE_PJRT_HAS(args, kv_try_get_user_arg) && args.kv_try_get_callback != nullptr) {
    callbacks.try_get = [get = args.kv_try_get_callback, user = args.kv_try_get_user_arg](
                            std::string_view key) -> StatusOr<std::string> {
      PJRT_KeyValueTryGetCallback_Args call = {};
      call.struct_size = sizeof(call);
      call.key = key.data();
      call.key_size = key.size();
      call.callback_error = &callback_error;
      call.user_arg = user;
      AXLE_TRY(TakeStatus(get(&call)));
      return TakeValue(call);
    };
    return callbacks;
  }
  if (!AXLE_PJRT_HAS(args, kv_get_user_arg) || args.kv_get_callback == nullptr) return {};
  callbacks.try_get = [get = args.kv_get_callback,
                       user = args.kv_get_user_arg](std::string_view key) -> StatusOr<std::string> {
    PJRT_KeyValueGetCallback_Args call = {};
    call.struct_size = sizeof(call);
    call.key = key.data();
    call.key_size = key.size();
    call.timeout_in_ms = 1;
    call.callback_error = &callback_error;
    call.user_arg = user;
    Status status = TakeStatus(get(&call));
    if (status.code() == StatusCode::kDeadlineExceeded) {
      return Status(StatusCode::kNotFound, status.message());
    }
    AXLE_TRY(status);
    return TakeValue(call);
  };
  return callbacks;
}

// The part of the store that belongs to this client: the keys of earlier clients of the processes
// stay in it. The first client of a process takes "axle/0/", the second one "axle/1/".
StatusOr<KeyValueCallbacks> ForThisClient(const KeyValueCallbacks& all, int process_id) {
  for (int number = 0;; ++number) {
    const std::string prefix = StrCat("axle/", number, "/");
    const Status taken = all.put(StrCat(prefix, "client/", process_id), "");
    if (taken.code() == StatusCode::kAlreadyExists) continue;
    AXLE_TRY(taken);
    return KeyValueCallbacks{
        .put = [put = all.put, prefix](
                   std::string_view key,
                   std::string_view value) { return put(StrCat(prefix, key), value); },
        .try_get = [get = all.try_get,
                    prefix](std::string_view key) { return get(StrCat(prefix, key)); }};
  }
}

// Gives a job that has none a secret, which is in its store. A process that has one of its own does
// not look there; "" says that process 0 has one of its own.
Status ShareSecret(TransportOptions& options) {
  AXLE_ASSIGN(const LaunchEnvironment environment, ReadLaunchEnvironment());
  options.secret = environment.secret;
  constexpr std::string_view kKey = "secret";
  if (options.process_id == 0) {
    const bool has_one = !options.secret.empty();
    if (!has_one) {
      AXLE_ASSIGN(options.secret, NewJobSecret());
    }
    return options.callbacks->put(kKey, has_one ? "" : options.secret);
  }
  if (!options.secret.empty()) return {};
  struct Store : KeyValueStore {
    explicit Store(const KeyValueCallbacks& callbacks) : callbacks(callbacks) {}
    Status Set(std::string_view key, std::string_view value) override {
      return callbacks.put(key, value);
    }
    StatusOr<std::optional<std::string>> TryGet(std::string_view key) override {
      StatusOr<std::string> value = callbacks.try_get(key);
      if (value.ok()) return std::optional<std::string>(*std::move(value));
      if (value.status().code() == StatusCode::kNotFound) return std::optional<std::string>();
      return value.status();
    }
    const KeyValueCallbacks& callbacks;
  } store(*options.callbacks);
  AXLE_ASSIGN(options.secret, store.Get(kKey, options.connect_limit));
  if (!options.secret.empty()) return {};
  return Status(StatusCode::kPermissionDenied,
                "pjrt: AXLE_JOB_SECRET is set in process 0 and not in this one");
}

}  // namespace

StatusOr<CreateOptions> ReadCreateOptions(const PJRT_Client_Create_Args& args) {
  constexpr int kMaxProcesses = 1 << 20;
  CreateOptions options;
  i64 num_devices = 0;
  i64 num_nodes = 0, node_id = 0;
  TransportOptions job;
  for (size_t i = 0; i < args.num_options; ++i) {
    const PJRT_NamedValue& value = args.create_options[i];
    const std::string_view name = NameOf(value);
    const bool is_text = value.type == PJRT_NamedValue_kString;
    const std::string_view text =
        is_text ? TextOf(value.string_value, value.value_size) : std::string_view();
    if (name == "platform_name" && is_text) {
      options.platform_name = text;
    } else if (name == "num_devices" || name == "cpu_device_count") {
      AXLE_ASSIGN(num_devices, NumberOf(value, kMaxClientDevices));
    } else if (name == "num_threads") {
      AXLE_ASSIGN(const i64 num_threads, NumberOf(value, kMaxClientThreads));
      options.client.num_threads = static_cast<int>(num_threads);
    } else if (name == "num_nodes") {
      AXLE_ASSIGN(num_nodes, NumberOf(value, kMaxProcesses));
    } else if (name == "node_id") {
      AXLE_ASSIGN(node_id, NumberOf(value, kMaxProcesses));
    } else if (name == "transport") {
      AXLE_ASSIGN(job.kind, TransportOf(text));
    } else if (name == "rendezvous" && is_text) {
      job.rendezvous = text;
    } else if (name == "listen_address" && is_text) {
      job.listen_address = text;
    }
  }
  if (num_devices == 0) {
    AXLE_ASSIGN(num_devices, NumDevicesOfEnvironment());
  }
  options.client.num_devices = num_devices;
  if (num_nodes <= 1) return options;
  if (node_id >= num_nodes) {
    return InvalidArgument(StrCat("pjrt: the option node_id is ", node_id,
                                  ", must be below num_nodes, which is ", num_nodes));
  }
  job.process_id = static_cast<int>(node_id);
  job.num_processes = static_cast<int>(num_nodes);
  job.callbacks = CallbacksOf(args);
  if (job.callbacks) {
    AXLE_ASSIGN(job.callbacks, ForThisClient(*job.callbacks, job.process_id));
    AXLE_TRY(ShareSecret(job));
  }
  options.client.distributed = std::move(job);
  return options;
}

}  // namespace axle::pjrt
