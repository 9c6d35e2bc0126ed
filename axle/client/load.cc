#include "axle/client/load.h"

#include <algorithm>
#include <new>
#include <string>

#include "axle/client/compression.h"
#include "axle/core/storage.h"
#include "axle/core/strings.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

constexpr std::string_view kFormatNames[] = {"hlo", "hlo.pb", "stablehlo", "stablehlo.bc"};
// Of an input that is unpacked without a memory limit.
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

std::string_view FormatName(InputFormat format) {
  return kFormatNames[static_cast<int>(format)];
}

std::optional<InputFormat> FormatFromName(std::string_view name) {
  const auto* const it = std::ranges::find(kFormatNames, name);
  if (it == std::end(kFormatNames)) return {};
  return static_cast<InputFormat>(it - std::begin(kFormatNames));
}

InputFormat DetectFormat(std::string_view bytes) {
  if (bytes.starts_with("ML\xefR")) return InputFormat::kStableHloBytecode;
  const std::string_view text = SkipBlank(bytes);
  if (StartsWithWord(text, "HloModule")) return InputFormat::kHloText;
  if (StartsWithWord(text, "module") || text.starts_with("func.func") || text.starts_with("#")) {
    return InputFormat::kStableHloText;
  }
  // A serialized message opens with the tag of its first field, whose length is next; texts have
  // no control characters.
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 9; };
  const bool is_tag = !bytes.empty() && (bytes[0] == '\n' || bytes[0] == '\x12');
  if (is_tag && std::ranges::any_of(bytes.substr(0, 256), is_control)) {
    return InputFormat::kHloProto;
  }
  return InputFormat::kHloText;
}

StatusOr<std::unique_ptr<Module>> LoadModule(std::string_view bytes, const LoadOptions& options) {
  if (IsCompressed(bytes)) {
    i64 room = kMaxUnpackedBytes;
    if (options.limits != nullptr) {
      room = std::min(room, options.limits->memory_cap() - options.limits->live_bytes());
    }
    AXLE_ASSIGN(const std::string unpacked, Decompress(bytes, room));
    if (IsCompressed(unpacked)) return InvalidArgument("the input is compressed twice");
    return LoadModule(unpacked, options);
  }
  const InputFormat format = options.format ? *options.format : DetectFormat(bytes);
  if (format != InputFormat::kHloText) {
    return Unimplemented(StrCat(FormatName(format), ": this format is not read yet; HLO text is"));
  }
  const StorageScope storage(options.limits);
  try {
    return Parse(bytes, {.limits = options.limits, .label = options.label});
  } catch (const std::bad_alloc&) {
    return ResourceExhausted(StrCat(options.label, ": no memory to read it"));
  }
}

}  // namespace axle
