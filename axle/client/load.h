// Modules from bytes of any format. The format is found out from the content.
#pragma once
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "axle/core/limits.h"
#include "axle/core/literal.h"
#include "axle/core/status.h"
#include "axle/ir/module.h"

namespace axle {

// kHloProto: HloModuleProto, HloProto or HloSnapshot, whichever it is. kMlir: StableHLO as text or
// bytecode, which is recognised only so that it can be refused with what to do instead.
enum class InputFormat : std::uint8_t { kHloText, kHloProto, kMlir };

// The formats that are read, in the order of InputFormat, as --from= spells them.
inline constexpr std::string_view kFormatNames[] = {"hlo", "hlo.pb"};
// Nothing for other names.
std::optional<InputFormat> FormatFromName(std::string_view name);
// Guesses the format and never fails: bytes of no other format are HLO text, whose reader says what
// is wrong.
InputFormat DetectFormat(std::string_view bytes);

struct LoadOptions {
  std::optional<InputFormat> format = {};  // nothing: detected
  std::string_view label = "";             // opens every message, "hlo text" if empty
  Limits* limits = nullptr;
  // Refuses operations on floats of several types, as XLA's compilers do. Otherwise they are
  // computed in a type that holds them all, between conversions that the module then has.
  bool strict_types = false;
};

// A module and the values that were stored with it.
struct LoadedProgram {
  std::unique_ptr<Module> module;
  std::vector<Literal> arguments = {};  // one per parameter of the entry, or none
  std::optional<Literal> result = {};   // what the program gave for them
};

// Reads and verifies a program: HLO text, or HloModuleProto, HloProto or HloSnapshot, any of them
// compressed with gzip or zstd or not. The bytes are read during the call only. Thread-safe.
// Errors: INVALID_ARGUMENT for what is no program of its format, with the place in it;
// UNIMPLEMENTED for StableHLO and what Axle does not have; RESOURCE_EXHAUSTED without memory, or
// for compressed bytes of more than 4 GiB; what the limits say.
StatusOr<LoadedProgram> LoadProgram(std::string_view bytes, const LoadOptions& options = {});
// The module alone.
StatusOr<std::unique_ptr<Module>> LoadModule(std::string_view bytes,
                                             const LoadOptions& options = {});

}  // namespace axle
