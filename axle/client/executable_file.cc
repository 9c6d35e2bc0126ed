// Fields: 2 module, 3 engine, 4 numerics, 5 isa, 6 codegen level, 7 shapes of the
// parameters and 8 of the result, as texts, if layouts were asked for, 9 build id, 10 object files,
// 11 functions {1 key, 2 name}.
#include "axle/client/executable_file.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "axle/core/strings.h"
#include "axle/core/wire.h"

namespace axle {
namespace {

constexpr std::string_view kMagic("AXLEPRG\0", 8);
constexpr std::uint32_t kFormat = 1;
constexpr size_t kHeaderBytes = 28;
constexpr std::string_view kLabel = "compiled program";

template <typename T>
void AppendNumber(std::string& out, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
}

template <typename T>
T NumberAt(std::string_view bytes, size_t at) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return value;
}

Status Damaged(std::string_view why) {
  return {StatusCode::kDataLoss, StrCat(kLabel, ": the file is damaged: ", why)};
}

// A number of an enumeration with this many values.
template <typename T>
Status ReadEnum(const WireReader& field, int num_values, T& value) {
  AXLE_ASSIGN(const i64 number, field.Int());
  if (number < 0 || number >= num_values)
    return field.Error("the number is not one of the choices");
  value = static_cast<T>(number);
  return {};
}

Status ReadFunction(const WireReader& in, SavedKernels& kernels) {
  std::string_view key, name;
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() == 1) {
      AXLE_ASSIGN(key, field.Bytes());
    } else if (field.field() == 2) {
      AXLE_ASSIGN(name, field.Bytes());
    }
    return {};
  }));
  kernels.functions.emplace(key, name);
  return {};
}

Status ReadField(const WireReader& field, ExecutableFile& file) {
  const auto bytes = [&](std::string& value) -> Status {
    AXLE_ASSIGN(value, field.Bytes());
    return {};
  };
  const auto shape = [&]() -> StatusOr<Shape> {
    AXLE_ASSIGN(const std::string_view text, field.Bytes());
    return ParseShape(text);
  };
  switch (field.field()) {
    case 2:
      return bytes(file.module);
    case 3:
      return ReadEnum(field, 3, file.options.engine);
    case 4:
      return ReadEnum(field, 2, file.options.numerics);
    case 5:
      return ReadEnum(field, kNumNativeIsas, file.options.isa);
    case 6:
      return ReadEnum(field, 3, file.options.codegen_level);
    case 7: {
      AXLE_ASSIGN(file.options.argument_layouts.emplace_back(), shape());
      return {};
    }
    case 8: {
      AXLE_ASSIGN(file.options.result_layout, shape());
      return {};
    }
    case 9:
      return bytes(file.build_id);
    case 10:
      return bytes(file.kernels.objects.emplace_back());
    case 11:
      return ReadFunction(field, file.kernels);
    default:
      return {};
  }
}

}  // namespace

bool IsExecutableFile(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

std::string WriteExecutableFile(const ExecutableFile& file) {
  WireWriter out;
  out.Bytes(2, file.module);
  out.Int(3, static_cast<i64>(file.options.engine));
  out.Int(4, static_cast<i64>(file.options.numerics));
  out.Int(5, static_cast<i64>(file.options.isa));
  out.Int(6, file.options.codegen_level);
  for (const Shape& shape : file.options.argument_layouts) {
    out.Bytes(7, shape.ToStringWithLayout());
  }
  if (file.options.result_layout) out.Bytes(8, file.options.result_layout->ToStringWithLayout());
  out.Text(9, file.build_id);
  for (const std::string& object : file.kernels.objects) out.Bytes(10, object);
  for (const auto& [key, name] : file.kernels.functions) {
    WireWriter function;
    function.Bytes(1, key);
    function.Bytes(2, name);
    out.Message(11, function);
  }
  std::string bytes(kMagic);
  AppendNumber(bytes, kFormat);
  AppendNumber(bytes, static_cast<std::uint64_t>(out.bytes().size()));
  AppendNumber(bytes,
               static_cast<std::uint64_t>(XXH3_64bits(out.bytes().data(), out.bytes().size())));
  return bytes += out.bytes();
}

StatusOr<ExecutableFile> ReadExecutableFile(std::string_view bytes) {
  if (!IsExecutableFile(bytes)) {
    return InvalidArgument(StrCat(kLabel, ": the bytes are not a file of a compiled program"));
  }
  if (bytes.size() < kHeaderBytes) return Damaged("it ends in its header");
  const auto format = NumberAt<std::uint32_t>(bytes, 8);
  if (format != kFormat) {
    return Unimplemented(StrCat(kLabel, ": the file has format ", format, ", known here is ",
                                kFormat, ": it was written by another version of Axle"));
  }
  const std::string_view body = bytes.substr(kHeaderBytes);
  const auto size = NumberAt<std::uint64_t>(bytes, 12);
  if (size != body.size()) {
    return Damaged(
        StrCat("it should have ", size, " bytes behind its header, and has ", body.size()));
  }
  if (NumberAt<std::uint64_t>(bytes, 20) != XXH3_64bits(body.data(), body.size())) {
    return Damaged("its checksum is wrong");
  }
  ExecutableFile file;
  file.options.codegen_level = 0;  // is not written if it is 0
  WireReader in(body, kLabel);
  AXLE_TRY(ReadFields(in, [&](const WireReader& field) { return ReadField(field, file); }));
  return file;
}

}  // namespace axle
