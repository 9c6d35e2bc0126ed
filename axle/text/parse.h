// HLO text in. Generic over the op table. Errors name line and column and point at the token.
//
//   StatusOr<std::unique_ptr<Module>> module = Parse(text);
//
// Thread-safe. Sets and restores the floating-point mode itself.
#pragma once
#include <memory>
#include <string_view>

#include "axle/core/limits.h"
#include "axle/core/status.h"
#include "axle/ir/module.h"

namespace axle {

struct ParseOptions {
  Limits* limits = nullptr;
  // Opens every message: "hlo text 3:14: ...". A file name reads better in a tool.
  std::string_view label = "hlo text";
  // Refuses operations on floats of several types, as XLA's compilers do. Otherwise they are
  // computed in a type that holds them all, between conversions that the module then has.
  bool strict_types = false;
};

// Any bytes give a verified module or an error: INVALID_ARGUMENT, UNIMPLEMENTED for what Axle does
// not have, RESOURCE_EXHAUSTED without memory, and what the limits say. The text is read during the
// call only. Computations come before their callers.
StatusOr<std::unique_ptr<Module>> Parse(std::string_view text, const ParseOptions& options = {});

}  // namespace axle
