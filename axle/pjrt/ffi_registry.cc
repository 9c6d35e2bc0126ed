// The handlers and types of the process, and the extension through which they are registered.
#include "axle/core/strings.h"
#include "axle/ops/custom_call_builtins.h"
#include "axle/ops/op_def.h"
#include "axle/pjrt/abi.h"
#include "axle/pjrt/ffi.h"
#include "axle/pjrt/handles.h"
#include "axle/runtime/host_device.h"

namespace axle::pjrt {
namespace {

constexpr int kMajor = 0;
constexpr int kNewestMinor = 3;

struct Type {
  std::string name;
  void (*deleter)(void* object) = nullptr;
};

struct Registry {
  std::mutex mutex;
  std::map<std::string, FfiHandler, std::less<>> handlers;
  std::map<int64_t, Type> types;
};

Registry& TheRegistry() {
  static Registry& registry = *new Registry;  // threads may use it at the end of the process
  return registry;
}

// Asks a handler which version of the interface it was compiled with.
Status CheckVersion(std::string_view name, XLA_FFI_Handler* handler) {
  XLA_FFI_Metadata metadata = {};
  metadata.struct_size = sizeof(metadata);
  metadata.api_version.struct_size = sizeof(metadata.api_version);
  XLA_FFI_Metadata_Extension extension = {};
  extension.extension_base.struct_size = sizeof(extension);
  extension.extension_base.type = 1;
  extension.metadata = &metadata;
  XLA_FFI_CallFrame frame = {};
  frame.struct_size = offsetof(XLA_FFI_CallFrame, future);
  frame.extension_start = &extension.extension_base;
  frame.api = &FfiApi();
  frame.stage = XLA_FFI_ExecutionStage_EXECUTE;
  const Status status = TakeFfiStatus(handler(&frame));
  if (!status.ok()) {
    return InvalidArgument(StrCat("register: FFI handler \"", name, "\": ", status.message()));
  }
  if (metadata.api_version.major_version == kMajor &&
      metadata.api_version.minor_version <= kNewestMinor) {
    return {};
  }
  return InvalidArgument(
      StrCat("register: FFI handler \"", name, "\" is for version ",
             metadata.api_version.major_version, ".", metadata.api_version.minor_version,
             " of XLA's FFI, the newest that is known here is ", kMajor, ".", kNewestMinor));
}

bool SameBundle(const XLA_FFI_Handler_Bundle& a, const XLA_FFI_Handler_Bundle& b) {
  return a.instantiate == b.instantiate && a.prepare == b.prepare && a.initialize == b.initialize &&
         a.execute == b.execute;
}

}  // namespace

bool FfiHandler::operator==(const FfiHandler& other) const {
  return untyped == other.untyped && SameBundle(bundle, other.bundle);
}

Status RegisterFfiHandler(std::string_view name, const FfiHandler& handler) {
  if (name.empty()) return InvalidArgument("register: an FFI handler needs a name");
  if (handler.untyped == nullptr && handler.bundle.execute == nullptr) {
    return InvalidArgument(StrCat("register: FFI handler \"", name, "\" has no function"));
  }
  if (handler.bundle.execute != nullptr) AXLE_TRY(CheckVersion(name, handler.bundle.execute));
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  const auto [it, is_new] = registry.handlers.try_emplace(std::string(name), handler);
  if (is_new || it->second == handler) return {};
  return {StatusCode::kAlreadyExists,
          StrCat("register: there is another FFI handler \"", name, "\"")};
}

std::optional<FfiHandler> FindFfiHandler(std::string_view name) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  const auto it = registry.handlers.find(name);
  if (it == registry.handlers.end()) return std::nullopt;
  return it->second;
}

Status RegisterFfiType(std::string_view name, void (*deleter)(void* object), int64_t& type_id) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  for (const auto& [id, type] : registry.types) {
    if (type.name != name) continue;
    if (type_id != 0 && type_id != id) {
      return InvalidArgument(
          StrCat("register: FFI type \"", name, "\" has the id ", id, ", not ", type_id));
    }
    type_id = id;
    return {};
  }
  if (type_id == 0) {
    type_id = registry.types.empty() ? 1 : registry.types.rbegin()->first + 1;
  } else if (registry.types.contains(type_id)) {
    return InvalidArgument(StrCat("register: the id ", type_id, " of FFI type \"", name,
                                  "\" is that of \"", registry.types[type_id].name, "\""));
  }
  registry.types[type_id] = {std::string(name), deleter};
  return {};
}

void (*FfiTypeDeleter(int64_t type_id))(void* object) {
  Registry& registry = TheRegistry();
  const std::lock_guard lock(registry.mutex);
  const auto it = registry.types.find(type_id);
  return it == registry.types.end() ? nullptr : it->second.deleter;
}

namespace {

Status RegisterWith(Client& client, std::string_view name, const FfiHandler& handler) {
  if (handler.untyped != nullptr) {
    return client.device().custom_calls().Register(name, handler.untyped);
  }
  return client.RegisterTypedCustomCall(
      name, [bundle = handler.bundle](const CustomCallFrame& frame) {
        // The threads of a program of several replicas do not know their execution: a state for the
        // call alone.
        FfiState alone;
        FfiCallSites* sites = CurrentFfiExecution().sites;
        const Instruction* site = frame.invocation.instruction;
        return CallFfiHandler(bundle, frame,
                              sites == nullptr || site == nullptr ? alone : sites->At(site));
      });
}

}  // namespace

// Suggests a handler with a similar name.
static Status NoHandler(const Instruction& call, std::string_view name, std::string_view platform) {
  std::vector<std::string> handlers;
  {
    Registry& registry = TheRegistry();
    const std::lock_guard lock(registry.mutex);
    for (const auto& [known, handler] : registry.handlers) {
      if (!IsPythonCallback(known)) handlers.push_back(known);
    }
  }
  std::vector<std::string_view> known(handlers.begin(), handlers.end());
  for (const std::string_view builtin : BuiltinCustomCallTargets()) known.push_back(builtin);
  return OpError(call,
                 StrCat("no FFI handler \"", name, "\" is registered for platform ", platform,
                        DidYouMean(name, known), "; in JAX: jax.ffi.register_ffi_target(\"", name,
                        "\", handler, platform=\"", platform, "\")"),
                 StatusCode::kNotFound);
}

StatusOr<bool> RegisterHandlers(const Module& module, ClientState& client) {
  bool calls_user = false;
  for (const auto& [name, call] : CalledTargets(module)) {
    if (client.client->device().custom_calls().Contains(name)) {
      calls_user = true;
      continue;
    }
    // JAX registers LAPACK for its platform "cpu", whose results depend on the machine: those names
    // are built in.
    if (FindBuiltinCustomCall(name) != nullptr) continue;
    const std::optional<FfiHandler> handler = FindFfiHandler(name);
    if (!handler && IsPythonCallback(name)) continue;  // compilation refuses it
    if (!handler) return NoHandler(*call, name, client.platform_name);
    const Status status = RegisterWith(*client.client, name, *handler);
    // Another thread may have been faster.
    if (!status.ok() && status.code() != StatusCode::kAlreadyExists) return status;
    calls_user = true;
  }
  return calls_user;
}

namespace {

Status TypeRegister(PJRT_FFI_Type_Register_Args& args) {
  const bool has_info = AXLE_PJRT_HAS(args, type_info) && args.type_info != nullptr;
  return RegisterFfiType(TextOf(args.type_name, args.type_name_size),
                         has_info ? args.type_info->deleter : nullptr, args.type_id);
}

Status UserDataAdd(PJRT_FFI_UserData_Add_Args& args) {
  if (args.context == nullptr) return InvalidArgument("pjrt: the execute context is null");
  const std::lock_guard lock(args.context->mutex);
  const auto [it, is_new] = args.context->user_data.try_emplace(args.type_id, args.data);
  if (is_new) return {};
  return {StatusCode::kAlreadyExists,
          StrCat("pjrt: the execute context has data of type ", args.type_id, " already")};
}

// The platform is not looked at: what is registered with this plugin is for it.
Status RegisterHandler(PJRT_FFI_Register_Handler_Args& args) {
  FfiHandler handler;
  if (args.api_version == 0) {
    handler.untyped = reinterpret_cast<void (*)(void*, const void**)>(args.handler);
  } else if (args.api_version == 1) {
    handler.bundle.execute = reinterpret_cast<XLA_FFI_Handler*>(args.handler);
  } else {
    return Unimplemented(
        StrCat("pjrt: FFI handlers of api_version ", args.api_version, ": use 1, typed handlers"));
  }
  return RegisterFfiHandler(TextOf(args.target_name, args.target_name_size), handler);
}

PJRT_FFI_Extension extension = {
    .base = {sizeof(PJRT_FFI_Extension), PJRT_Extension_Type_FFI, nullptr},
    .type_register =
        [](PJRT_FFI_Type_Register_Args* args) {
          return Call("PJRT_FFI_Type_Register", false, args, TypeRegister);
        },
    .user_data_add =
        [](PJRT_FFI_UserData_Add_Args* args) {
          return Call("PJRT_FFI_UserData_Add", false, args, UserDataAdd);
        },
    .register_handler =
        [](PJRT_FFI_Register_Handler_Args* args) {
          return Call("PJRT_FFI_Register_Handler", false, args, RegisterHandler);
        },
};

}  // namespace

PJRT_Extension_Base* FfiExtension(PJRT_Extension_Base* next) {
  extension.base.next = next;
  return &extension.base;
}

Status ExecuteContext_Create(PJRT_ExecuteContext_Create_Args& args) {
  args.context = new PJRT_ExecuteContext;
  return {};
}

Status ExecuteContext_Destroy(PJRT_ExecuteContext_Destroy_Args& args) {
  delete args.context;
  return {};
}

}  // namespace axle::pjrt
