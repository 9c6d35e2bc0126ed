// How both transports connect: options, store, control plane, endpoint.
#pragma once
#include <functional>
#include <memory>

#include "axle/distributed/engine/carrier.h"
#include "axle/distributed/engine/control_plane.h"
#include "axle/distributed/transport.h"

namespace axle {

using MakeCarrier = std::function<StatusOr<std::unique_ptr<Carrier>>(
    const TransportOptions& options, MessageSink& sink, ControlPlane& control)>;

// Chooses the listening address and the secret, opens the store, and connects.
StatusOr<std::unique_ptr<Transport>> ConnectJob(TransportOptions options, Limits* limits,
                                                const MakeCarrier& make);
// The second half of it: the store is open, and the options are complete.
StatusOr<std::unique_ptr<Transport>> ConnectOver(const TransportOptions& options,
                                                 std::unique_ptr<KeyValueStore> store,
                                                 Limits* limits, const MakeCarrier& make);

}  // namespace axle
