#include "axle/core/device_context.h"

#include "axle/core/strings.h"

namespace axle {

StatusOr<std::vector<Literal>> DeviceContext::Exchange(const Rendezvous&,
                                                       std::span<const i64> participants,
                                                       Literal value, Limits*) {
  if (participants.size() == 1 && participants[0] == device_id()) {
    return std::vector<Literal>{std::move(value)};
  }
  return Unimplemented(StrCat("needs devices {", Join(participants, ","),
                              "}, but the program runs on device ", device_id(), " alone"));
}

StatusOr<Literal> DeviceContext::Infeed(const Shape&) {
  return Unimplemented("infeed: this device has no infeed queue");
}

Status DeviceContext::Outfeed(const Literal&) {
  return Unimplemented("outfeed: this device has no outfeed queue");
}

StatusOr<Literal> DeviceContext::CustomCall(std::string_view target, std::span<const Literal>,
                                            const Shape&, std::string_view) {
  return NotFound(StrCat("custom-call: no target \"", target, "\" is registered"));
}

}  // namespace axle
