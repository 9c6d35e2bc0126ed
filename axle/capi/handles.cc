#include "axle/capi/handles.h"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace axle {
namespace {

struct Place {
  std::string_view file;
  std::int32_t line = 0;
  std::int32_t column = 0;
};

bool ReadNumber(std::string_view text, std::int32_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() && number > 0;
}

// "LABEL 3:14: ..." as parsers begin.
bool FindTextPlace(std::string_view line, Place& place) {
  const size_t colon = line.find(": ");
  const std::string_view head = line.substr(0, colon);
  const size_t space = head.rfind(' ');
  const size_t middle = head.rfind(':');
  if (colon == line.npos || space == head.npos || middle == head.npos || middle < space) {
    return false;
  }
  if (!ReadNumber(head.substr(space + 1, middle - space - 1), place.line) ||
      !ReadNumber(head.substr(middle + 1), place.column)) {
    return false;
  }
  place.file = head.substr(0, space);
  return true;
}

// "... at FILE:7" as messages about an instruction end.
bool FindSourcePlace(std::string_view line, Place& place) {
  const size_t at = line.rfind(" at ");
  const size_t colon = line.rfind(':');
  if (at == line.npos || colon == line.npos || colon < at) return false;
  if (!ReadNumber(line.substr(colon + 1), place.line)) return false;
  place.file = line.substr(at + 4, colon - at - 4);
  return true;
}

}  // namespace

axle_status* ToC(const Status& status) {
  if (status.ok()) return nullptr;
  const std::string& message = status.message();
  const std::string_view line = std::string_view(message).substr(0, message.find('\n'));
  Place place;
  if (!FindTextPlace(line, place)) {
    place = {};
    if (!FindSourcePlace(line, place)) place = {};
  }
  return NewStatus(static_cast<axle_code>(status.code()), message.c_str(),
                   std::string(place.file).c_str(), place.line, place.column);
}

Status CheckNotNull(const char* function, std::initializer_list<NamedArgument> arguments) {
  for (const NamedArgument& argument : arguments) {
    if (argument.value == nullptr) {
      return InvalidArgument(StrCat(function, ": ", argument.name, " is null"));
    }
  }
  return {};
}

StatusOr<size_t> CheckStruct(const char* function, const void* data, size_t known_size,
                             bool check_rest) {
  constexpr size_t kMaxSize = 4096;  // more is a size that was never set
  size_t size = 0;
  std::memcpy(&size, data, sizeof size);
  if (size < sizeof size || size > kMaxSize || size % 8 != 0) {
    return InvalidArgument(StrCat(function, ": struct_size is ", size,
                                  ", must be sizeof(the struct), ", known_size, " here"));
  }
  const auto* const bytes = static_cast<const unsigned char*>(data);
  for (size_t i = known_size; check_rest && i < size; ++i) {
    if (bytes[i] != 0) {
      return Unimplemented(StrCat(function, ": the field at byte ", i / 8 * 8,
                                  " of the options is not known to this version of axle"));
    }
  }
  return std::min(size, known_size);
}

StatusOr<HostArray> ReadArray(const char* function, const axle_array* array) {
  AXLE_TRY(CheckNotNull(function, {{"an array", array}}));
  AXLE_ASSIGN(const axle_array fields, ReadStruct(function, array));
  const auto type = fields.type > 0 && fields.type < kNumElementTypes
                        ? static_cast<ElementType>(fields.type)
                        : PRIMITIVE_TYPE_INVALID;
  if (!IsArrayType(type)) {
    return InvalidArgument(
        StrCat(function, ": ", fields.type, " is not the type of elements of an array"));
  }
  if (fields.rank > static_cast<size_t>(kMaxRank)) {
    return InvalidArgument(StrCat(function, ": an array of rank ", fields.rank, ", above the ",
                                  kMaxRank, " that there can be"));
  }
  if (fields.rank > 0 && fields.dims == nullptr) {
    return InvalidArgument(
        StrCat(function, ": the dims of an array of rank ", fields.rank, " are null"));
  }
  HostArray result = {.shape = Shape(type, Dims(fields.dims, fields.dims + fields.rank)),
                      .data = fields.data,
                      .sizes = fields.sizes};
  if (fields.byte_strides != nullptr) {
    result.byte_strides = std::span<const i64>(fields.byte_strides, fields.rank);
  }
  AXLE_TRY(CheckShape(result.shape));
  return result;
}

Status CheckArrayFits(const char* function, std::string_view what, const HostArray& array,
                      const Shape& expected) {
  if (array.shape.type() == expected.type() && SameDims(array.shape, expected)) return {};
  return InvalidArgument(StrCat(function, ": ", what, " is ", array.shape.ToString(), ", must be ",
                                expected.ToString()));
}

StatusOr<Literal> ReadValue(const char* function, std::string_view what, const HostArray& array,
                            const Shape& shape, HostRead read) {
  AXLE_ASSIGN(Literal value, LiteralFromHost(shape, array.data, array.byte_strides, read));
  if (array.sizes == nullptr) return value;
  value.SetDynamicFlags(shape);
  for (i64 d = 0; d < shape.rank(); ++d) {
    const i64 size = array.sizes[d];
    if (size < 0 || size > shape.dim(d) || (!shape.is_dynamic(d) && size != shape.dim(d))) {
      return InvalidArgument(StrCat(function, ": size ", size, " of dimension ", d, " of ", what,
                                    " does not fit ", shape.ToString()));
    }
    if (shape.is_dynamic(d)) value.SetSize(d, size);
  }
  return value;
}

Status WriteValue(const Literal& value, const HostArray& array) {
  if (array.data != nullptr) AXLE_TRY(LiteralToHost(value, array.data, array.byte_strides));
  const Dims sizes = value.sizes();
  if (array.sizes != nullptr) std::ranges::copy(sizes, array.sizes);
  return {};
}

}  // namespace axle

const char* axle_bytes_data(const axle_bytes* bytes) {
  return bytes == nullptr ? "" : bytes->value.c_str();
}

size_t axle_bytes_size(const axle_bytes* bytes) {
  return bytes == nullptr ? 0 : bytes->value.size();
}

void axle_bytes_destroy(axle_bytes* bytes) {
  delete bytes;
}

const char* axle_code_name(axle_code code) {
  return axle::StatusCodeName(static_cast<axle::StatusCode>(code)).data();
}

const char* axle_version(void) {
  return AXLE_VERSION;
}
