// Runs of a module on as many devices as it is for, to compare them. The arguments of several
// devices are one list, device by device, and their results one tuple; those of one device are what
// they always are.
#pragma once
#include <span>
#include <vector>

#include "axle/client/client.h"
#include "axle/core/literal.h"
#include "axle/ir/module.h"

namespace axle {

// The most devices of a module that is checked.
inline constexpr i64 kMaxCheckedDevices = 8;

i64 NumDevicesOf(const Module& module);

// DrawArguments for each device, of other seeds.
std::vector<Literal> DrawArgumentsOfAll(const Module& module, std::uint64_t seed);

// Runs an executable, on copies of the arguments if `donates` is false and it has one device.
StatusOr<Literal> RunOnAll(Client& client, const Executable& executable,
                           std::span<const Literal> arguments, Limits* limits, bool donates);

// The interpreter on the module as it is. `client` has enough devices; it may be null for a module
// of one.
StatusOr<Literal> EvaluateOnAll(Client* client, const Module& module,
                                std::span<const Literal> arguments, Limits* limits);

}  // namespace axle
