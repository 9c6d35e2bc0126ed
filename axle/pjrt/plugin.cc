// GetPjrtApi, and what concerns the plugin as a whole.
#include "axle/core/strings.h"
#include "axle/pjrt/extensions.h"
#include "axle/pjrt/handles.h"
#include "axle/stablehlo/mlir/vhlo_codes.h"

namespace axle::pjrt {

std::string_view AxleVersion() {
  return AXLE_VERSION;
}

// Programs need nothing that is done once.
Status Plugin_Initialize(PJRT_Plugin_Initialize_Args& /*args*/) {
  return {};
}

static std::vector<i64> Numbers(const mlir::StableHloVersion& version) {
  return {version.major, version.minor, version.patch};
}

// The newest and the oldest StableHLO that is read, which frameworks write programs for.
Status Plugin_Attributes(PJRT_Plugin_Attributes_Args& args) {
  static const NamedValues& attributes = *[] {
    auto* made = new NamedValues;  // for the life of the process
    made->Add("xla_version", static_cast<i64>(2));
    made->Add("stablehlo_current_version", Numbers(mlir::kNewestStableHlo));
    made->Add("stablehlo_minimum_version", Numbers(mlir::kOldestStableHlo));
    return made;
  }();
  args.attributes = attributes.data();
  args.num_attributes = attributes.size();
  return {};
}

namespace {

void Error_Destroy(PJRT_Error_Destroy_Args* args) {
  if (args != nullptr) DestroyError(args->error);
}

// Null errors are no errors.
void Error_Message(PJRT_Error_Message_Args* args) {
  if (args == nullptr) return;
  const std::string_view message =
      args->error == nullptr ? std::string_view() : StatusOf(*args->error).message();
  args->message = message.data();
  args->message_size = message.size();
}

PJRT_Error* Refuse(const char* name, const char* what) {
  return MakeError(Unimplemented(StrCat(name, ": this plugin does not support ", what)));
}

#define AXLE_PJRT_OF(name, since)                                \
  PJRT_Error* Enter##name(PJRT_##name##_Args* args) noexcept {   \
    return Call("PJRT_" #name, /*has_object=*/true, args, name); \
  }
#define AXLE_PJRT_FREE(name, since)                               \
  PJRT_Error* Enter##name(PJRT_##name##_Args* args) noexcept {    \
    return Call("PJRT_" #name, /*has_object=*/false, args, name); \
  }
#define AXLE_PJRT_REFUSED(name, since, what)                       \
  PJRT_Error* Enter##name(PJRT_##name##_Args* /*args*/) noexcept { \
    return Refuse("PJRT_" #name, what);                            \
  }
#include "axle/pjrt/functions.def"

}  // namespace

const PJRT_Api& Api() {
  static const PJRT_Api api = {
      .struct_size = sizeof(PJRT_Api),
      .extension_start = Extensions(),
      .pjrt_api_version = {.struct_size = sizeof(PJRT_Api_Version),
                           .extension_start = nullptr,
                           .major_version = PJRT_API_MAJOR,
                           .minor_version = PJRT_API_MINOR},
#define AXLE_PJRT_OF(name, since) .name = Enter##name,
#define AXLE_PJRT_FREE(name, since) .name = Enter##name,
#define AXLE_PJRT_REFUSED(name, since, what) .name = Enter##name,
#define AXLE_PJRT_VOID(name, since) .name = name,
#define AXLE_PJRT_ABSENT(name, since) .name = nullptr,
#include "axle/pjrt/functions.def"
  };
  return api;
}

}  // namespace axle::pjrt

// The one name that the library shows.
extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  return &axle::pjrt::Api();
}
