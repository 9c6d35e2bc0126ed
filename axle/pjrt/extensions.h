// The chain of extensions that PJRT_Api begins with.
#pragma once
#include "axle/pjrt/c_abi.h"

namespace axle::pjrt {

PJRT_Extension_Base* Extensions();

}  // namespace axle::pjrt
