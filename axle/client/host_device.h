// Client::device() and Device::host() return the queues, the channels and the registry of custom
// calls. This header is for code that uses them directly.
#pragma once
#include "axle/runtime/host_device.h"  // IWYU pragma: export
