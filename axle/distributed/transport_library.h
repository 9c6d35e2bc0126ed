// The one symbol of libaxle_gloo.so and libaxle_mpi.so, which ConnectTransport looks up.
#pragma once
#include <memory>

#include "axle/distributed/transport.h"

namespace axle {

// Goes up when anything in this folder that both sides of the symbol use changes.
inline constexpr int kTransportVersion = 3;

}  // namespace axle

// Connects, as ConnectTransport, whose options are complete. The caller deletes what it gets:
// null if `version` is not the kTransportVersion that the library was built with.
extern "C" axle::StatusOr<std::unique_ptr<axle::Transport>>* axle_transport_connect(
    int version, const axle::TransportOptions& options, axle::Limits* limits);
