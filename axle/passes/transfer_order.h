// The order of transfers between the instructions of one computation.
//
// XLA orders a send before the recv-done that takes its value, wherever the two stand in the text.
// A device that takes instructions one after the other would wait for ever in a recv-done whose
// send, of the same computation, comes later. So what such a send needs moves in front of the
// recv-done, and the send with it; everything else stays where it is. If the send needs the
// recv-done, no order helps.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "axle/ir/module.h"

namespace axle {

// The module in such an order; null if it has it already. Errors: INVALID_ARGUMENT where a send
// needs what its own recv-done gives and `is_alone`, so that no other device sends: its text names
// the operations that wait for each other. Linear time.
StatusOr<std::unique_ptr<Module>> OrderTransfers(const Module& module, bool is_alone);

// The channels between devices that the module sends to, each once; nothing: those of transfers
// without a number.
std::vector<std::optional<i64>> SentChannels(const Module& module);

}  // namespace axle
