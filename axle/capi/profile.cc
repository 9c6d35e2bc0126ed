#include "axle/client/profile.h"

#include "axle/capi/handles.h"
#include "axle/client/profile_text.h"

axle_status* axle_profile_create(const axle_profile_options* options, axle_profile** profile) {
  constexpr const char* kFunction = "axle_profile_create";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"profile", profile}}));
    AXLE_ASSIGN(const axle_profile_options fields, axle::ReadStruct(kFunction, options));
    if (fields.max_events < 0) {
      return axle::InvalidArgument(
          axle::StrCat(kFunction, ": max_events is ", fields.max_events, ", must be >= 0"));
    }
    *profile = new axle_profile({.max_events = static_cast<std::uint64_t>(fields.max_events)});
    return {};
  });
}

axle_status* axle_profile_text(const axle_profile* profile, std::int64_t form, axle_bytes** text) {
  constexpr const char* kFunction = "axle_profile_text";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"profile", profile}, {"text", text}}));
    if (form < AXLE_PROFILE_TABLE || form > AXLE_PROFILE_TRACE) {
      return axle::InvalidArgument(axle::StrCat(kFunction, ": form is ", form,
                                                ", must be AXLE_PROFILE_TABLE, _JSON or _TRACE"));
    }
    AXLE_ASSIGN(const axle::ProfileReport report, profile->value.Report());
    *text = new axle_bytes{form == AXLE_PROFILE_TABLE  ? axle::ProfileTable(report)
                           : form == AXLE_PROFILE_JSON ? axle::ProfileJson(report)
                                                       : axle::ProfileTrace(report)};
    return {};
  });
}

void axle_profile_destroy(axle_profile* profile) {
  delete profile;
}
