// Reads modules from bytes of any format. The format is detected from the content.
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

// kHloProto stands for HloModuleProto, HloProto and HloSnapshot, which are told apart by their
// content. kStablehlo: MLIR's text or bytecode, whichever it is, also with the dialects VHLO, CHLO
// and Shardy, and bytecode in a file of jax.export.
enum class InputFormat : std::uint8_t { kHloText, kHloProto, kStablehlo };

// The formats that are read, in the order of InputFormat, as --from= spells them.
inline constexpr std::string_view kFormatNames[] = {"hlo", "hlo.pb", "stablehlo"};
// Returns nullopt for other names.
std::optional<InputFormat> FormatFromName(std::string_view name);
// Detects the format and never fails: bytes of no other format are treated as HLO text, whose
// reader reports what is wrong.
InputFormat DetectFormat(std::string_view bytes);

struct LoadOptions {
  std::optional<InputFormat> format = {};  // nullopt: detected
  std::string_view label = "";             // begins every message, "hlo text" if empty
  Limits* limits = nullptr;
  // Refuses operations on floats of several types, as XLA's compilers do. Otherwise they are
  // computed in a type that can hold all of them, and conversions are inserted into the module.
  bool strict_types = false;
};

// A module and the values that were stored with it.
struct LoadedProgram {
  std::unique_ptr<Module> module;
  std::vector<Literal> arguments = {};  // one per parameter of the entry, or none
  std::optional<Literal> result = {};   // the result that was stored for them
};

// Reads and verifies a program: HLO text, HloModuleProto, HloProto, HloSnapshot, or StableHLO as
// text, as bytecode or as what jax.export's serialize() writes, which is converted to HLO, each of
// them optionally compressed with gzip or zstd; and the program in a file that
// Executable::Serialize has written. A StableHLO program that leaves sizes open is converted when
// the shapes of its arguments are known (Module::open_program). The bytes are read during the call
// only. The functions are thread-safe. Errors: INVALID_ARGUMENT for bytes that are not a program of
// their format, with the place in them; UNIMPLEMENTED for features that Axle does not have;
// RESOURCE_EXHAUSTED without memory, or for compressed bytes of more than 4 GiB; those of the
// limits.
StatusOr<LoadedProgram> LoadProgram(std::string_view bytes, const LoadOptions& options = {});
// Reads the module alone.
StatusOr<std::unique_ptr<Module>> LoadModule(std::string_view bytes,
                                             const LoadOptions& options = {});

}  // namespace axle
