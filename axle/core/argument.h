// Argument: a literal that a run reads, and may take over if the run is given it.
#pragma once
#include "axle/core/literal.h"

namespace axle {

struct Argument {
  const Literal* value = nullptr;
  // The same literal, if the run may leave nothing of it; null if it is somebody else's.
  Literal* own = nullptr;
};

}  // namespace axle
