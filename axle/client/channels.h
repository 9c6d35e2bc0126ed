// The channels of host transfers (recv and send with is_host_transfer=true) of a client's devices.
// The functions are thread-safe. Errors: INVALID_ARGUMENT if there is no such device;
// runtime/host_device.h lists the others.
#pragma once
#include "axle/client/client.h"

namespace axle {

// Sends a value to the next recv of the channel, without waiting.
Status SendToDevice(const Client& client, i64 channel, const Literal& value,
                    i64 device_ordinal = 0);
// Receives the value of the channel's next send, an array or a tuple of arrays of this shape. It
// waits for the value until the limits say CANCELLED or DEADLINE_EXCEEDED.
StatusOr<Literal> RecvFromDevice(const Client& client, i64 channel, const Shape& shape,
                                 Limits* limits = nullptr, i64 device_ordinal = 0);

}  // namespace axle
