// .npy: a magic number, a version, a Python dictionary as text, then the elements.
#include <algorithm>
#include <cstring>

#include "axle/core/float_format.h"
#include "axle/core/npz.h"
#include "axle/core/scanner.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kAlignment = 64;  // of the elements in the file

// NumPy's names: the character and size of a dtype, and how people write it.
struct NpyType {
  ElementType type;
  std::string_view code;
  std::string_view name;
};
constexpr NpyType kNpyTypes[] = {
    {PRED, "b1", "bool"},         {S8, "i1", "int8"},          {S16, "i2", "int16"},
    {S32, "i4", "int32"},         {S64, "i8", "int64"},        {U8, "u1", "uint8"},
    {U16, "u2", "uint16"},        {U32, "u4", "uint32"},       {U64, "u8", "uint64"},
    {F16, "f2", "float16"},       {F32, "f4", "float32"},      {F64, "f8", "float64"},
    {C64, "c8", "complex64"},     {C128, "c16", "complex128"}, {U8, "V1", "1-byte values"},
    {U16, "V2", "2-byte values"},
};

const NpyType& NpyTypeOf(ElementType type) {
  return *std::ranges::find(kNpyTypes, type, &NpyType::type);
}

// The type in which values of an element type travel.
ElementType TravelType(ElementType type) {
  if (type == BF16) return U16;
  if (IsNarrowFloat(type) && type != F16) return U8;
  if (IsSubByte(type)) return IsSigned(type) ? S8 : U8;
  return type;
}

std::string DimsText(const Dims& dims) {
  const auto text = [](i64 size) { return size == kUnboundedSize ? "?" : std::to_string(size); };
  return StrCat("(", Join(dims, ", ", text), dims.size() == 1 ? ",)" : ")");
}

// Sizes of dynamic dimensions may be anything up to the bound.
bool DimsFit(const Dims& dims, const Shape& shape) {
  bool fit = static_cast<i64>(dims.size()) == shape.rank();
  for (i64 d = 0; fit && d < shape.rank(); ++d) {
    if (shape.dim(d) == kUnboundedSize) continue;
    fit = shape.is_dynamic(d) ? dims[d] <= shape.dim(d) : dims[d] == shape.dim(d);
  }
  return fit;
}

struct Header {
  std::string descr;
  bool fortran_order = false;
  Dims dims;
};

Status ReadDims(Scanner& scanner, Dims& dims) {
  AXLE_TRY(scanner.Expect("("));
  while (!scanner.Consume(")")) {
    AXLE_ASSIGN(const i64 size, scanner.Integer());
    if (size < 0) return scanner.Error("negative size");
    if (static_cast<i64>(dims.size()) == kMaxRank) return scanner.Error("too many dimensions");
    dims.push_back(size);
    scanner.Consume("L");  // Python 2 wrote long integers so
    if (!scanner.Peek(")")) AXLE_TRY(scanner.Expect(","));
  }
  return {};
}

StatusOr<Header> ReadHeader(std::string_view text) {
  Scanner scanner(text, "npy header");
  Header header;
  int seen = 0;
  AXLE_TRY(scanner.List("{", "}", [&]() -> Status {
    AXLE_ASSIGN(const std::string key, scanner.String());
    AXLE_TRY(scanner.Expect(":"));
    if (key == "descr") {
      if (!scanner.PeekString()) {
        return Unimplemented(scanner.Error("structured arrays are not supported").message());
      }
      AXLE_ASSIGN(header.descr, scanner.String());
      seen |= 1;
    } else if (key == "fortran_order") {
      header.fortran_order = scanner.ConsumeWord("True");
      if (!header.fortran_order && !scanner.ConsumeWord("False")) {
        return scanner.Expected("True or False");
      }
      seen |= 2;
    } else if (key == "shape") {
      header.dims.clear();
      AXLE_TRY(ReadDims(scanner, header.dims));
      seen |= 4;
    } else {
      return scanner.Error(StrCat("unknown key \"", PrintableText(key), "\""));
    }
    return {};
  }));
  if (!scanner.AtEnd()) return scanner.Error("unexpected text after the dictionary");
  if (seen != 7) return scanner.Error("needs descr, fortran_order and shape");
  return header;
}

// Takes the magic number, version and header off the front.
StatusOr<Header> TakeHeader(std::string_view& bytes) {
  if (!bytes.starts_with(kMagic))
    return InvalidArgument("npy: no NumPy array (wrong magic number)");
  const auto byte = [&](size_t i) {
    return i < bytes.size() ? static_cast<std::uint8_t>(bytes[i]) : 0u;
  };
  const unsigned version = byte(6);
  if (version < 1 || version > 3) return InvalidArgument(StrCat("npy: unknown version ", version));
  const size_t begin = version == 1 ? 10 : 12;
  size_t size = byte(8) | byte(9) << 8;
  if (version > 1)
    size |= static_cast<size_t>(byte(10)) << 16 | static_cast<size_t>(byte(11)) << 24;
  if (bytes.size() < begin || size > bytes.size() - begin) {
    return InvalidArgument("npy: the file ends inside its header");
  }
  auto header = ReadHeader(bytes.substr(begin, size));
  bytes.remove_prefix(begin + size);
  return header;
}

// 'descr' without its byte order.
StatusOr<ElementType> TypeOf(std::string_view descr, bool& big_endian) {
  const std::string_view order = descr.substr(0, 1);
  big_endian = order == ">";
  const bool has_order = big_endian || order == "<" || order == "|" || order == "=";
  const std::string_view code = descr.substr(has_order ? 1 : 0);
  for (const NpyType& type : kNpyTypes) {
    if (code == type.code) return type.type;
  }
  return InvalidArgument(
      StrCat("npy: elements of type '", PrintableText(descr), "' are not supported"));
}

void SwapBytes(ElementType type, std::string& bytes) {
  const size_t part = Info(PartOf(type)).bytes;
  for (size_t i = 0; i + part <= bytes.size(); i += part) {
    std::reverse(bytes.begin() + i, bytes.begin() + i + part);
  }
}

}  // namespace

std::string NpyArray::ToString() const {
  const auto* known = std::ranges::find(kNpyTypes, type, &NpyType::type);
  return StrCat(known == std::end(kNpyTypes) ? Name(type) : known->name, " ", DimsText(dims));
}

StatusOr<NpyArray> ReadNpy(std::string_view bytes) {
  AXLE_ASSIGN(Header header, TakeHeader(bytes));
  NpyArray array;
  bool big_endian = false;
  AXLE_ASSIGN(array.type, TypeOf(header.descr, big_endian));
  const Shape shape(array.type, header.dims);
  AXLE_TRY(CheckShape(shape));
  if (shape.num_bytes() != static_cast<i64>(bytes.size())) {
    return InvalidArgument(StrCat("npy: ", NpyTypeOf(array.type).name, " ", DimsText(header.dims),
                                  " needs ", shape.num_bytes(), " bytes but ", bytes.size(),
                                  " follow the header"));
  }
  array.bytes = bytes;
  if (big_endian) SwapBytes(array.type, array.bytes);
  if (header.fortran_order && header.dims.size() > 1) {
    Shape column_major = shape;
    Layout layout;
    for (i64 d = 0; d < shape.rank(); ++d) layout.minor_to_major.push_back(d);
    column_major.set_layout(std::move(layout));
    const Literal row_major = Literal::View(column_major, array.bytes.data()).ToRowMajor();
    array.bytes.assign(reinterpret_cast<const char*>(row_major.bytes()), row_major.num_bytes());
  }
  array.dims = std::move(header.dims);
  return array;
}

std::string WriteNpy(const Literal& literal) {
  const Literal row_major = literal.is_padded() ? literal.ValidPart() : literal.ToRowMajor();
  const NpyType& type = NpyTypeOf(TravelType(literal.shape().type()));
  std::string header =
      StrCat("{'descr': '", Info(type.type).bytes > 1 ? "<" : "|", type.code,
             "', 'fortran_order': False, 'shape': ", DimsText(row_major.shape().dims()), ", }");
  // Version 1 while the length fits into its two bytes.
  const bool version_1 = header.size() < 65000;
  const size_t begin = version_1 ? 10 : 12;
  const size_t padded = (begin + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  header.resize(padded - begin - 1, ' ');
  header += '\n';
  std::string out(kMagic);
  out += {version_1 ? '\1' : '\2', '\0'};
  for (size_t i = 0; i < begin - 8; ++i) out += static_cast<char>(header.size() >> (8 * i));
  out += header;
  out.append(reinterpret_cast<const char*>(row_major.bytes()), row_major.num_bytes());
  return out;
}

Shape WithSizes(const Shape& shape, const Dims& sizes) {
  Shape result = shape;
  for (i64 d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) != kUnboundedSize) continue;
    result.set_dim(d, sizes[d]);
    result.set_dynamic(d, false);
  }
  return result;
}

StatusOr<Literal> ToLiteral(const NpyArray& array, const Shape& shape) {
  if (!shape.is_array()) {
    return InvalidArgument(StrCat(shape.ToString(), " cannot be read from an array"));
  }
  const ElementType type = shape.type();
  const ElementType travel = TravelType(type);
  // A file of another format than NumPy's may have the type itself.
  if ((array.type != travel && array.type != type) || !DimsFit(array.dims, shape)) {
    return InvalidArgument(StrCat("has ", array.ToString(), ", wanted ", NpyTypeOf(travel).name,
                                  " ", DimsText(shape.dims()), " for ", shape.ToString()));
  }
  if (!shape.is_static()) {
    AXLE_ASSIGN(const Literal valid, ToLiteral(array, Shape(type, array.dims)));
    return Literal::Padded(valid, WithSizes(shape, array.dims));
  }
  AXLE_ASSIGN(Literal literal, Literal::CreateUninitialized(Shape(type, shape.dims())));
  std::byte* out = literal.mutable_bytes();
  if (!array.bytes.empty()) std::memcpy(out, array.bytes.data(), array.bytes.size());
  if (type == PRED) {
    for (std::byte& byte : literal.MutableUncheckedData<std::byte>())
      byte = std::byte{byte != std::byte{0}};
  }
  if (!IsSubByte(type)) return literal;
  // One element per byte: the bits above must say nothing of their own.
  const int spare = 8 - Info(type).bits;
  for (std::uint8_t byte : literal.UncheckedData<std::uint8_t>()) {
    const auto cut = static_cast<std::uint8_t>(byte << spare);
    const int value = IsSigned(type) ? static_cast<std::int8_t>(cut) >> spare : cut >> spare;
    if (static_cast<std::uint8_t>(value) != byte) {
      return InvalidArgument(StrCat("holds ", travel == S8 ? static_cast<std::int8_t>(byte) : byte,
                                    ", which is not a value of ", Name(type)));
    }
  }
  return literal;
}

StatusOr<Literal> MemberLiteral(const Npz& npz, const std::string& name, const Shape& shape) {
  const auto member = npz.find(name);
  if (member == npz.end()) {
    std::string names;
    int count = 0;
    for (const auto& [other, array] : npz) {
      if (count == 10) names += ", ...";
      if (++count > 10) break;
      StrAppend(names, count > 1 ? ", " : "", PrintableText(other));
    }
    return NotFound(StrCat("no member ", name, "; there ", npz.size() == 1 ? "is " : "are ",
                           npz.empty() ? "none" : names));
  }
  auto literal = ToLiteral(member->second, shape);
  if (literal.ok()) return literal;
  return Status(literal.status().code(), StrCat(name, ": ", literal.status().message()));
}

}  // namespace axle
