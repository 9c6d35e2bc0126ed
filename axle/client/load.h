// Modules from bytes of any format. The format is found out from the content.
#pragma once
#include <memory>
#include <optional>
#include <string_view>

#include "axle/core/limits.h"
#include "axle/core/status.h"
#include "axle/ir/module.h"

namespace axle {

enum class InputFormat : std::uint8_t { kHloText, kHloProto, kStableHloText, kStableHloBytecode };

// "hlo", "hlo.pb", "stablehlo", "stablehlo.bc": as --from= spells them.
std::string_view FormatName(InputFormat format);
std::optional<InputFormat> FormatFromName(std::string_view name);
// A guess, never an error: what is nothing else is HLO text, whose reader says what is wrong.
InputFormat DetectFormat(std::string_view bytes);

struct LoadOptions {
  std::optional<InputFormat> format = {};  // nothing: detected
  std::string_view label = "hlo text";     // opens every message; a file name reads best
  Limits* limits = nullptr;
};

// Reads and verifies a module. `bytes` may be compressed with gzip or zstd. So far HLO text is
// read; any other format is UNIMPLEMENTED. Thread-safe.
StatusOr<std::unique_ptr<Module>> LoadModule(std::string_view bytes,
                                             const LoadOptions& options = {});

}  // namespace axle
