// What Client::device() and Device::host() give: queues, channels and the registry of custom calls,
// for whoever uses them beyond the functions of Client.
#pragma once
#include "axle/runtime/host_device.h"  // IWYU pragma: export
