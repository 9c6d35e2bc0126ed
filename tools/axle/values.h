// Arguments from the command line, results to files.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "axle/core/literal.h"
#include "axle/ir/module.h"
#include "tools/axle/session.h"

namespace axle::tool {

// The name of a file of one device of several: {device} stands for its number.
std::string ForDevice(std::string_view path, std::optional<i64> device);
// One literal per parameter: --arg goes before --inputs, --fake fills what is left. Without any of
// them, those that were stored with the program. `device` is one of several: files may be its own
// (ForDevice), and random values are.
StatusOr<std::vector<Literal>> ReadArguments(Session& session, const HloComputation& entry,
                                             std::vector<Literal> stored = {},
                                             std::optional<i64> device = {});
// A program that leaves sizes open, f32[?], becomes that for the shapes of the arguments.
Status FitToArguments(std::span<const Literal> arguments, std::shared_ptr<const Module>& module);
// Where results go, by the name of --output: a .npz or .safetensors file; a .npy file, of one
// array; a folder that is there, or whose name ends in a slash, of .npy files out_0.npy, ...; "-":
// stdout, as .npz.
enum class ResultFile : std::uint8_t { kNpz, kSafetensors, kNpy, kFolder, kStdout };
// INVALID_ARGUMENT for other names.
StatusOr<ResultFile> ResultFileOf(const std::string& path);
// out_0, ... to a path of this kind.
Status WriteResult(Session& session, const std::string& path, ResultFile kind,
                   const Literal& result);

// The names of arrays by the number at the end of each: in_0, in_1, ..., in_10, or arr_0, ... as
// numpy.savez names them. If some are PREFIX0, PREFIX1, ..., the others do not count: a file
// may have arguments and results. Errors: INVALID_ARGUMENT for a name without a number, and for two
// of the same number.
StatusOr<std::map<i64, std::string>> NamesByNumber(std::span<const std::string> names,
                                                   std::string_view prefix);

}  // namespace axle::tool
