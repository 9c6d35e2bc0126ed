// GroupDevice: a device of a run that has others. Compiled collectives meet there without literals.
#pragma once
#include "axle/core/device_context.h"

namespace axle {

class GroupRun;

class GroupDevice : public DeviceContext {
 public:
  // Null: the run has one device only.
  virtual GroupRun* group() const = 0;
};

}  // namespace axle
