#include "axle/client/channels.h"

#include "axle/client/host_device.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

StatusOr<HostDevice*> HostOf(const Client& client, i64 ordinal) {
  const auto& devices = client.devices();
  if (ordinal >= 0 && ordinal < static_cast<i64>(devices.size())) return &devices[ordinal]->host();
  return InvalidArgument(
      StrCat("channel: there is no device ", ordinal, ", the client has ", devices.size()));
}

}  // namespace

Status SendToDevice(const Client& client, i64 channel, const Literal& value, i64 device_ordinal) {
  AXLE_ASSIGN(HostDevice * host, HostOf(client, device_ordinal));
  return host->SendToDevice(channel, value);
}

StatusOr<Literal> RecvFromDevice(const Client& client, i64 channel, const Shape& shape,
                                 Limits* limits, i64 device_ordinal) {
  AXLE_ASSIGN(HostDevice * host, HostOf(client, device_ordinal));
  return host->RecvFromDevice(channel, shape, limits);
}

}  // namespace axle
