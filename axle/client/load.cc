#include "axle/client/load.h"

#include <algorithm>
#include <new>
#include <string>

#include "axle/client/compression.h"
#include "axle/client/executable_file.h"
#include "axle/client/foreign_formats.h"
#include "axle/client/jax_export.h"
#include "axle/core/storage.h"
#include "axle/core/strings.h"
#include "axle/proto/read.h"
#include "axle/stablehlo/convert.h"
#include "axle/stablehlo/mlir/bytecode.h"
#include "axle/stablehlo/mlir/text.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

// The limit for an input that is unpacked without a memory limit.
constexpr i64 kMaxUnpackedBytes = i64{1} << 32;

// Skips white space and comments.
std::string_view SkipBlank(std::string_view text) {
  while (!text.empty()) {
    if (IsSpace(text.front())) {
      text.remove_prefix(1);
    } else if (text.starts_with("//")) {
      text.remove_prefix(std::min(text.find('\n'), text.size()));
    } else if (text.starts_with("/*")) {
      const size_t end = text.find("*/", 2);
      text.remove_prefix(end == text.npos ? text.size() : end + 2);
    } else {
      break;
    }
  }
  return text;
}

bool StartsWithWord(std::string_view text, std::string_view word) {
  return text.starts_with(word) && (text.size() == word.size() || !IsAlnum(text[word.size()]));
}

}  // namespace

std::optional<InputFormat> FormatFromName(std::string_view name) {
  const auto* const it = std::ranges::find(kFormatNames, name);
  if (it == std::end(kFormatNames)) return {};
  return static_cast<InputFormat>(it - std::begin(kFormatNames));
}

namespace {

// How texts of MLIR begin: module, an operation of func, an attribute or type alias, an operation
// in the generic form, one with a symbol (sdy.mesh @mesh), or resources.
bool LooksLikeMlir(std::string_view text) {
  if (StartsWithWord(text, "module") || text.starts_with("func.func") ||
      text.starts_with("builtin.module") || text.starts_with('#') || text.starts_with('!') ||
      text.starts_with("{-#")) {
    return true;
  }
  const auto is_of_name = [](char c) { return IsAlnum(c) || c == '_' || c == '.'; };
  if (text.starts_with('"')) {
    const size_t end = text.find_first_of("\"\n", 1);
    return end != text.npos && text[end] == '"' && text.substr(0, end).find('.') != text.npos &&
           std::ranges::all_of(text.substr(1, end - 1), is_of_name);
  }
  size_t end = 0;
  while (end < text.size() && is_of_name(text[end])) ++end;
  return end > 0 && text.substr(0, end).find('.') != text.npos &&
         text.substr(end).starts_with(" @");
}

}  // namespace

InputFormat DetectFormat(std::string_view bytes) {
  if (mlir::IsMlirBytecode(bytes) || ProgramInJaxExport(bytes)) return InputFormat::kStablehlo;
  const std::string_view text = SkipBlank(bytes);
  if (StartsWithWord(text, "HloModule")) return InputFormat::kHloText;
  const bool is_mlir = LooksLikeMlir(text);
  // A message whose module has a name of 35 characters begins with "\n#" as well.
  const bool may_be_proto = !is_mlir || bytes.starts_with("\n#");
  if (may_be_proto && DetectProto(bytes)) return InputFormat::kHloProto;
  if (is_mlir) return InputFormat::kStablehlo;
  // These are damaged messages. A message begins with the tag of its first field and its length;
  // texts have no control characters.
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 9; };
  const bool is_tag = !bytes.empty() && (bytes[0] == '\n' || bytes[0] == '\x12');
  if (is_tag && std::ranges::any_of(bytes.substr(0, 256), is_control)) {
    return InputFormat::kHloProto;
  }
  return InputFormat::kHloText;
}

namespace {

StatusOr<LoadedProgram> LoadProto(std::string_view bytes, const ReadProtoOptions& options) {
  const ProtoKind kind = DetectProto(bytes).value_or(ProtoKind::kModule);
  if (kind == ProtoKind::kModule) {
    AXLE_ASSIGN(std::unique_ptr<Module> module, ReadModuleProto(bytes, options));
    return LoadedProgram{std::move(module)};
  }
  AXLE_ASSIGN(HloSnapshot snapshot, kind == ProtoKind::kHlo ? ReadHloProto(bytes, options)
                                                            : ReadHloSnapshot(bytes, options));
  return LoadedProgram{std::move(snapshot.module), std::move(snapshot.arguments),
                       std::move(snapshot.result)};
}

StatusOr<std::unique_ptr<Module>> LoadStablehlo(std::string_view bytes, std::string_view label,
                                                Limits* limits) {
  std::string name(label);
  if (const auto program = ProgramInJaxExport(bytes)) {
    bytes = *program;  // places in messages count from its beginning
    name += name.empty() ? "the program in the file" : ", the program in it";
  }
  AXLE_ASSIGN(std::shared_ptr<const mlir::MlirModule> source,
              mlir::IsMlirBytecode(bytes)
                  ? mlir::ReadMlirBytecode(bytes, {.label = name, .limits = limits})
                  : mlir::ParseMlirText(bytes, {.label = name, .limits = limits}));
  return ConvertOrKeepOpen(std::move(source), {.limits = limits});
}

StatusOr<LoadedProgram> LoadUnpacked(std::string_view bytes, const LoadOptions& options) {
  if (!options.format && IsExecutableFile(bytes)) {
    AXLE_ASSIGN(const ExecutableFile file, ReadExecutableFile(bytes));
    return LoadProto(file.module, {.limits = options.limits, .label = "compiled program"});
  }
  const InputFormat format = options.format ? *options.format : DetectFormat(bytes);
  const auto label_or = [&](std::string_view fallback) {
    return options.label.empty() ? fallback : options.label;
  };
  if (!options.format || format == InputFormat::kHloText) {
    AXLE_TRY(CheckNotForeign(bytes, label_or("the input")));
  }
  if (format == InputFormat::kHloProto) {
    return LoadProto(bytes, {.limits = options.limits,
                             .label = label_or("hlo proto"),
                             .strict_types = options.strict_types});
  }
  if (format == InputFormat::kHloText) {
    AXLE_ASSIGN(std::unique_ptr<Module> module,
                Parse(bytes, {.limits = options.limits,
                              .label = label_or("hlo text"),
                              .strict_types = options.strict_types}));
    return LoadedProgram{std::move(module)};
  }
  AXLE_ASSIGN(std::unique_ptr<Module> module,
              LoadStablehlo(bytes, label_or("stablehlo"), options.limits));
  return LoadedProgram{std::move(module)};
}

}  // namespace

StatusOr<LoadedProgram> LoadProgram(std::string_view bytes, const LoadOptions& options) {
  const LimitedCall call(options.limits, "reading", options.label);
  if (IsCompressed(bytes)) {
    i64 room = kMaxUnpackedBytes;
    if (options.limits != nullptr) {
      room = std::min(room, options.limits->memory_cap() - options.limits->live_bytes());
    }
    AXLE_ASSIGN(const std::string unpacked, Decompress(bytes, room, options.limits));
    if (IsCompressed(unpacked)) return InvalidArgument("the input is compressed twice");
    return LoadProgram(unpacked, options);
  }
  const StorageScope storage(options.limits);
  try {
    AXLE_ASSIGN(LoadedProgram program, LoadUnpacked(bytes, options));
    if (options.limits != nullptr) AXLE_TRY(options.limits->CheckNow());
    return program;
  } catch (const std::bad_alloc&) {
    return ResourceExhausted(
        StrCat(options.label.empty() ? "the program" : options.label, ": no memory to read it"));
  }
}

StatusOr<std::unique_ptr<Module>> LoadModule(std::string_view bytes, const LoadOptions& options) {
  AXLE_ASSIGN(LoadedProgram program, LoadProgram(bytes, options));
  return std::move(program.module);
}

}  // namespace axle
