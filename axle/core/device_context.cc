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

StatusOr<Literal> DeviceContext::Infeed(const Shape&, std::string_view, Limits*) {
  return FailedPrecondition("infeed: this run has no device with an infeed queue");
}

Status DeviceContext::Outfeed(const Literal&, const Shape&, std::string_view, Limits*) {
  return FailedPrecondition("outfeed: this run has no device with an outfeed queue");
}

std::string ChannelText(std::optional<i64> id) {
  return id ? StrCat("channel ", *id) : "the channel without an id";
}

Status DeviceContext::Send(const TransferChannel& channel, const Literal&, Limits*) {
  return FailedPrecondition(
      StrCat("send: this run has no device with channels; ", ChannelText(channel.id)));
}

StatusOr<i64> DeviceContext::StartRecv(const TransferChannel& channel) {
  return FailedPrecondition(
      StrCat("recv: this run has no device with channels; ", ChannelText(channel.id)));
}

StatusOr<Literal> DeviceContext::FinishRecv(const TransferChannel& channel, i64, const Shape&,
                                            Limits*) {
  return StartRecv(channel).status();
}

bool DeviceContext::HasCustomCall(std::string_view) const {
  return false;
}

std::vector<std::string> DeviceContext::CustomCallTargets() const {
  return {};
}

StatusOr<Literal> DeviceContext::CustomCall(const CustomCallInvocation& invocation) {
  return NotFound(
      StrCat("custom-call: no target \"", invocation.target, "\" is registered for platform Host"));
}

DeviceContext& DefaultDevice() {
  static DeviceContext device;  // stateless
  return device;
}

}  // namespace axle
