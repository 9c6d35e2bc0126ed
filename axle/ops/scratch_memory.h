// Memory that an evaluation needs besides its values, counted against the limit while it lives:
//
//   const ScratchMemory scratch(context, bytes);
//   AXLE_TRY(scratch.status());
//
// Values are counted where their storage is allocated (core/storage.h); tables and copies of an
// evaluator are counted here. Both take from one budget.
#pragma once
#include "axle/core/storage.h"
#include "axle/emit/callee.h"

namespace axle {

class ScratchMemory {
 public:
  ScratchMemory(const EvalContext& context, i64 bytes) : limits_(context.limits), bytes_(bytes) {
    StorageLimits();  // collects what values have released
    if (limits_ != nullptr) status_ = limits_->Reserve(bytes);
  }
  ~ScratchMemory() {
    if (limits_ != nullptr && status_.ok()) limits_->Release(bytes_);
  }
  ScratchMemory(const ScratchMemory&) = delete;
  ScratchMemory& operator=(const ScratchMemory&) = delete;
  const Status& status() const { return status_; }

 private:
  Limits* limits_;
  i64 bytes_;
  Status status_;
};

}  // namespace axle
