// What PJRT_Client_Create is asked for: its options, the environment, and the store of keys and
// values of a job of several processes.
#pragma once
#include <string>

#include "axle/client/client.h"
#include "axle/pjrt/abi.h"

namespace axle::pjrt {

struct CreateOptions {
  std::string platform_name = "axle";
  ClientOptions client = {};
};

// Errors: INVALID_ARGUMENT for numbers that are none or are out of their range; those of the
// caller's store.
StatusOr<CreateOptions> ReadCreateOptions(const PJRT_Client_Create_Args& args);

}  // namespace axle::pjrt
