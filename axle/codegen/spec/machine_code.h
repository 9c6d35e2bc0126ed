// MachineCode: the compiled kernels of a module.
#pragma once
#include "axle/core/status.h"

namespace axle {

// The code lives as long as the object. Thread-safe.
class MachineCode {
 public:
  virtual ~MachineCode() = default;
  // Why code could not run; always OK but for emulated code.
  virtual Status status() const = 0;
};

}  // namespace axle
