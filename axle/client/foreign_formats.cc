// A row for each format with a mark of its own in its first bytes. No program begins with such a
// mark: HLO text has none of these bytes, and a proto of XLA begins with the tag of a message or a
// string.
#include "axle/client/foreign_formats.h"

#include <algorithm>

#include "axle/core/safetensors.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

constexpr std::string_view kArrays = "it holds arrays: arguments of a program, not a program";
constexpr std::string_view kNoModel =
    "Axle reads HLO and StableHLO: export the model with JAX (docs/from-jax.md) or through "
    "StableHLO";

struct Foreign {
  bool (*matches)(std::string_view bytes);
  std::string_view what;
  std::string_view advice;
};

// A protobuf whose field 1 comes first and is a small number; those of XLA begin with a name or a
// message.
bool StartsWithVersion(std::string_view bytes, char least, char most) {
  constexpr std::string_view kNextTags = "\x12\x1a\x22\x28\x32\x3a\x42";
  return bytes.size() > 3 && bytes[0] == '\x08' && bytes[1] >= least && bytes[1] <= most &&
         kNextTags.find(bytes[2]) != kNextTags.npos;
}

constexpr Foreign kForeign[] = {
    {[](std::string_view b) { return b.starts_with("PK\x03\x04"); },
     "a zip archive, as NumPy's .npz and PyTorch's .pt are", kArrays},
    {[](std::string_view b) { return b.starts_with("\x93NUMPY"); },
     "an array in NumPy's .npy format", kArrays},
    {IsSafetensors, "a safetensors file", kArrays},
    {[](std::string_view b) { return b.starts_with("\x89HDF"); }, "an HDF5 file", kArrays},
    {[](std::string_view b) {
       return b.starts_with("\x80\x02") || b.starts_with("\x80\x03") || b.starts_with("\x80\x04") ||
              b.starts_with("\x80\x05");
     },
     "a pickle of Python", kNoModel},
    {[](std::string_view b) { return StartsWithVersion(b, 1, 1); }, "a SavedModel of TensorFlow",
     kNoModel},
    {[](std::string_view b) { return StartsWithVersion(b, 2, 31); }, "an ONNX model", kNoModel},
    {[](std::string_view b) { return b.size() > 8 && b.substr(4, 4) == "TFL3"; },
     "a TensorFlow Lite model", kNoModel},
    {[](std::string_view b) {
       return b.starts_with(
           "\x7f"
           "ELF");
     },
     "a program or a library of this machine",
     "Axle reads HLO text, HloModuleProto, HloProto, HloSnapshot and StableHLO"},
};

std::string_view WithoutEndingSpace(std::string_view text) {
  while (!text.empty() && IsSpace(text.back())) text.remove_suffix(1);
  return text;
}

// One line that looks like a path and has no brace, which every program has.
bool IsFileName(std::string_view bytes) {
  constexpr size_t kMaxBytes = 4096;
  if (bytes.empty() || bytes.size() > kMaxBytes || bytes.starts_with("HloModule ")) return false;
  const auto is_odd = [](char c) {
    return static_cast<unsigned char>(c) < ' ' || c == '{' || c == '}' || c == '=';
  };
  if (std::ranges::any_of(bytes, is_odd)) return false;
  const size_t slash = bytes.rfind('/');
  const std::string_view last = slash == bytes.npos ? bytes : bytes.substr(slash + 1);
  const size_t dot = last.rfind('.');
  const bool has_extension = dot != last.npos && dot > 0 && dot + 1 < last.size() &&
                             std::ranges::all_of(last.substr(dot + 1), IsAlnum);
  return slash != bytes.npos || (has_extension && bytes.find(' ') == bytes.npos);
}

}  // namespace

Status CheckNotForeign(std::string_view bytes, std::string_view label) {
  for (const Foreign& foreign : kForeign) {
    if (!foreign.matches(bytes)) continue;
    return InvalidArgument(StrCat(label, ": this is ", foreign.what, "; ", foreign.advice));
  }
  const std::string_view name = WithoutEndingSpace(bytes);
  if (!IsFileName(name)) return {};
  return InvalidArgument(
      StrCat(label, ": \"", PrintableText(name.substr(0, 80)),
             "\" is the name of a file, not a program; pass what is in the file"));
}

}  // namespace axle
