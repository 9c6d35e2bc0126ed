#include "axle/capi/handles.h"

axle_status* axle_limits_create(const axle_limits_options* options, axle_limits** limits) {
  constexpr const char* kFunction = "axle_limits_create";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"limits", limits}}));
    AXLE_ASSIGN(const axle_limits_options fields, axle::ReadStruct(kFunction, options));
    // Years that fit into any clock; written so that a NaN is refused.
    constexpr double kMaxSeconds = 1e9;
    if (!(fields.time_limit >= 0 && fields.time_limit <= kMaxSeconds)) {
      return axle::InvalidArgument(axle::StrCat(kFunction, ": time_limit is ", fields.time_limit,
                                                ", must be 0 to 1e9 seconds"));
    }
    if (fields.memory_limit < 0 || fields.step_limit < 0) {
      return axle::InvalidArgument(axle::StrCat(kFunction, ": memory_limit is ",
                                                fields.memory_limit, " and step_limit is ",
                                                fields.step_limit, ", must be >= 0"));
    }
    auto made = std::make_unique<axle_limits>();
    axle::Limits& value = made->value;
    if (fields.time_limit > 0) value.set_time_limit(fields.time_limit);
    if (fields.memory_limit > 0) value.set_memory_cap(fields.memory_limit);
    if (fields.step_limit > 0) value.set_step_limit(fields.step_limit);
    if (fields.progress != nullptr) {
      value.set_progress([progress = fields.progress, context = fields.progress_context](
                             double done) { progress(done, context); });
    }
    if (fields.poll != nullptr) {
      if (!(fields.poll_interval >= 0 && fields.poll_interval <= kMaxSeconds)) {
        return axle::InvalidArgument(axle::StrCat(
            kFunction, ": poll_interval is ", fields.poll_interval, ", must be 0 to 1e9 seconds"));
      }
      value.set_poll([poll = fields.poll, context = fields.poll_context] { poll(context); },
                     fields.poll_interval);
    }
    *limits = made.release();
    return {};
  });
}

void axle_limits_cancel(axle_limits* limits) {
  if (limits != nullptr) limits->value.Cancel();
}

std::int64_t axle_limits_peak_bytes(const axle_limits* limits) {
  return limits == nullptr ? 0 : limits->value.peak_bytes();
}

void axle_limits_destroy(axle_limits* limits) {
  delete limits;
}
