// Numbers, dense elements and the types around them, which several dialects encode alike.
//
// Elements are little-endian and row-major; one element alone stands for all of them. Of i1 there
// are two forms, by the period of the writer: eight to a byte, lowest bit first, where 0xFF or 0x00
// alone is every element, and one to a byte. Integers and floats of less than 8 bits have a byte
// each, of which the upper bits are anything.
#include <bit>
#include <cstring>

#include "axle/core/float_format.h"
#include "axle/stablehlo/mlir/bytecode_entries.h"
#include "axle/stablehlo/mlir/dialect.h"

namespace axle::mlir {
namespace {

// How many dimensions a tensor may have; each of its constants has as many.
constexpr size_t kMaxRank = 256;

// The number of bits of an integer type, 0 if it is none.
int IntegerWidth(const Type& type) {
  if (type.kind == TypeKind::kIndex) return 64;
  if (type.kind == TypeKind::kElement) {
    if (type.element == PRED) return 1;
    return IsIntegral(type.element) ? Info(type.element).bits : 0;
  }
  // i128, si8: what the element types have no name for.
  if (type.kind != TypeKind::kOther) return 0;
  std::string_view text = type.text;
  if (text.starts_with('s') || text.starts_with('u')) text.remove_prefix(1);
  if (!text.starts_with('i') || text.size() < 2) return 0;
  int width = 0;
  for (const char c : text.substr(1)) {
    if (c < '0' || c > '9' || width > 1 << 20) return 0;
    width = width * 10 + (c - '0');
  }
  return width;
}

bool IsSignedInteger(const Type& type) {
  if (type.kind == TypeKind::kOther) return !type.text.starts_with('u');
  return type.kind == TypeKind::kIndex || IsSigned(type.element);
}

i64 SignExtended(std::uint64_t bits, int width) {
  if (width >= 64) return static_cast<i64>(bits);
  const int unused = 64 - width;
  return static_cast<i64>(bits << unused) >> unused;
}

// The number of bits of a float type, 0 if it is none.
int FloatWidth(const Type& type) {
  if (type.kind == TypeKind::kElement && IsFloating(type.element)) return Info(type.element).bits;
  if (type.kind != TypeKind::kOther) return 0;
  return type.text == "tf32" ? 19 : type.text == "f80" ? 80 : type.text == "f128" ? 128 : 0;
}

double ToDouble(std::uint64_t bits, const Type& type) {
  if (type.kind == TypeKind::kOther) {
    // tf32 is f32 without the lower 13 bits.
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits << 13)));
  }
  if (type.element == F64) return std::bit_cast<double>(bits);
  return WidenToF64(Info(type.element).format, bits);
}

// i1 elements into one byte each. False if there are too many or too few bytes.
bool UnpackBools(std::string_view bytes, std::span<std::uint8_t> out) {
  const size_t count = out.size();
  if (bytes.size() == (count + 7) / 8) {
    for (size_t i = 0; i < count; ++i) {
      out[i] = static_cast<std::uint8_t>(bytes[i / 8]) >> (i % 8) & 1;
    }
    return true;
  }
  if (bytes.size() != count) return false;
  for (size_t i = 0; i < count; ++i) out[i] = bytes[i] != 0 ? 1 : 0;
  return true;
}

// Drops the bits of a byte that the type does not have.
void Narrow(ElementType type, std::span<std::uint8_t> values) {
  const int bits = Info(type).bits;
  const int unused = 8 - bits;
  for (std::uint8_t& value : values) {
    const auto shifted = static_cast<std::uint8_t>(value << unused);
    value = IsSigned(type) ? static_cast<std::uint8_t>(static_cast<std::int8_t>(shifted) >> unused)
                           : static_cast<std::uint8_t>(shifted >> unused);
  }
}

const Attribute* Keep(EntryCursor& in, const Type* type, Literal literal, bool is_splat,
                      std::string_view mnemonic = {}) {
  MlirModule& module = in.module();
  return module.NewAttribute({.kind = AttributeKind::kElements,
                              .type = type,
                              .mnemonic = mnemonic,
                              .literal = module.Keep(std::move(literal)),
                              .is_splat = is_splat});
}

// How many elements a tensor has; -1 if that is not known or no number.
i64 CountElements(const Type& type) {
  i64 count = 1;
  bool is_empty = false;
  for (const i64 dim : type.dims) {
    if (dim < 0) return -1;
    is_empty = is_empty || dim == 0;
    if (dim != 0 && __builtin_mul_overflow(count, dim, &count)) return -1;
  }
  return is_empty ? 0 : count;
}

// The literal of all elements, or of one for all; the cursor fails if the bytes do not fit.
struct Elements {
  Literal literal;
  bool is_splat = false;
};

Elements ReadElements(EntryCursor& in, ElementType element, const Dims& dims, i64 count,
                      std::string_view bytes, size_t offset, bool may_be_packed) {
  const auto each = static_cast<size_t>(Info(element).bytes);
  const bool is_bool = element == PRED;
  const auto wanted = static_cast<std::uint64_t>(count);
  bool is_splat = count > 1 && bytes.size() == each;
  // A byte is every element if it says so; of up to 8 elements it may be all of them, packed.
  if (is_bool && is_splat && may_be_packed && count <= 8) {
    is_splat = bytes[0] == '\xff' || bytes[0] == 0;
  }
  const bool is_packed = is_bool && may_be_packed && bytes.size() == (wanted + 7) / 8;
  const bool fits = is_splat || is_packed || bytes.size() == wanted * each ||
                    (count == 0 && bytes.size() == each);
  if (!fits) {
    in.FailAt(offset, std::to_string(bytes.size()) + " bytes of elements, where " +
                          std::to_string(count) + " of " + std::string(Name(element)) +
                          " were expected");
    return {};
  }
  const Shape shape(element, is_splat ? Dims() : dims);
  StatusOr<Literal> made = Literal::CreateUninitialized(shape);
  if (!made.ok()) {
    in.FailAt(offset, made.status().message(), made.status().code());
    return {};
  }
  Literal literal = *std::move(made);
  if (count > 0) {
    if (is_bool) {
      const std::span<std::uint8_t> values = literal.MutableUncheckedData<std::uint8_t>();
      if (is_splat) {
        values[0] = bytes[0] != 0 ? 1 : 0;
      } else if (is_packed) {
        UnpackBools(bytes, values);
      } else {
        for (size_t i = 0; i < values.size(); ++i) values[i] = bytes[i] != 0 ? 1 : 0;
      }
    } else {
      std::memcpy(literal.mutable_bytes(), bytes.data(), bytes.size());
      if (IsSubByte(element)) Narrow(element, literal.MutableUncheckedData<std::uint8_t>());
    }
  }
  return {std::move(literal), is_splat};
}

}  // namespace

const Attribute* ReadNumber(EntryCursor& in, const Type* type, bool is_float) {
  const size_t offset = in.offset();
  const int width = is_float ? FloatWidth(*type) : IntegerWidth(*type);
  if (width == 0) {
    in.FailAt(offset, "a number of type " + type->ToString() + ", where " +
                          (is_float ? "a float" : "an integer") + " was expected");
    return nullptr;
  }
  const std::uint64_t bits = in.Bits(width);
  if (!in.ok()) return nullptr;
  MlirModule& module = in.module();
  if (is_float) {
    if (width > 64) {
      in.FailAt(offset, "a float of type " + type->ToString() + " has no place here",
                StatusCode::kUnimplemented);
      return nullptr;
    }
    return module.NewAttribute(
        {.kind = AttributeKind::kFloat, .type = type, .number = ToDouble(bits, *type)});
  }
  if (width == 1) return MakeBool(module, bits != 0);
  return MakeInteger(
      module, IsSignedInteger(*type) ? SignExtended(bits, width) : static_cast<i64>(bits), type);
}

const Attribute* MakeElements(EntryCursor& in, const Type* type, std::string_view bytes,
                              size_t offset) {
  const ElementType element = ElementOf(*type);
  const i64 count = type->is_tensor() ? CountElements(*type) : -1;
  if (count < 0 || !IsArrayType(element)) {
    in.FailAt(offset, "elements of the type " + type->ToString() +
                          ", where a tensor of numbers with static dimensions was expected");
    return nullptr;
  }
  Elements elements = ReadElements(in, element, type->dims, count, bytes, offset, true);
  if (!in.ok()) return nullptr;
  return Keep(in, type, std::move(elements.literal), elements.is_splat);
}

const Attribute* MakeDenseArray(EntryCursor& in, const Type* element, std::uint64_t count,
                                std::string_view bytes, size_t offset) {
  const ElementType type = ElementOf(*element);
  const std::uint64_t each = static_cast<std::uint64_t>(Info(type).bytes);
  if (element->kind != TypeKind::kElement || each == 0 || bytes.size() / each != count ||
      bytes.size() % each != 0) {
    in.FailAt(offset, std::to_string(bytes.size()) + " bytes of an array of " +
                          std::to_string(count) + " elements of the type " + element->ToString());
    return nullptr;
  }
  const Dims dims{static_cast<i64>(count)};
  Elements elements = ReadElements(in, type, dims, static_cast<i64>(count), bytes, offset, false);
  if (!in.ok()) return nullptr;
  return Keep(in, in.module().Tensor(dims, element), std::move(elements.literal), false, "array");
}

const Type* ReadTensor(EntryCursor& in, TypeKind kind, bool has_encoding) {
  const size_t offset = in.offset();
  const Attribute* encoding = has_encoding ? in.AttributeRef() : nullptr;
  Type type{.kind = kind, .dims = in.Svarints()};
  type.of = in.TypeRef();
  if (!in.ready()) return nullptr;
  if (type.dims.size() > kMaxRank) {
    in.FailAt(offset, "a type with " + std::to_string(type.dims.size()) + " dimensions, where " +
                          std::to_string(kMaxRank) + " are the most");
    return nullptr;
  }
  for (const i64 dim : type.dims) {
    if (dim < 0 && dim != kDynamic) {
      in.FailAt(offset, "a dimension of size " + std::to_string(dim));
      return nullptr;
    }
  }
  if (encoding == nullptr) return in.module().Get(std::move(type));
  const Attribute* bounds =
      encoding->kind == AttributeKind::kStruct ? encoding->Field("bounds") : nullptr;
  if (bounds != nullptr) {
    type.bounds = Ints(*bounds).value_or(Dims());
    if (type.bounds.size() != type.dims.size()) {
      in.FailAt(offset, std::to_string(type.bounds.size()) + " bounds of a tensor with " +
                            std::to_string(type.dims.size()) + " dimensions");
      return nullptr;
    }
  } else if (encoding->kind == AttributeKind::kOther) {
    type.text = encoding->text;
  } else if (encoding->kind == AttributeKind::kString) {
    type.text = "\"" + std::string(encoding->text) + "\"";
  } else {
    in.FailAt(offset, "the encoding of a tensor is neither bounds nor another dialect's attribute",
              StatusCode::kUnimplemented);
    return nullptr;
  }
  return in.module().Get(std::move(type));
}

const Type* ReadUniform(EntryCursor& in, bool per_axis) {
  const size_t offset = in.offset();
  constexpr std::uint64_t kSignedFlag = 1;
  const std::uint64_t flags = in.Varint();
  const Type* storage = in.TypeRef();
  const Type* expressed = in.TypeRef();
  Quantization q;
  if (per_axis) {
    q.axis = static_cast<i64>(in.Varint());
    q.storage_min = in.Svarint();
    q.storage_max = in.Svarint();
    q.scales.resize(in.Count("scales"));
    for (double& scale : q.scales) scale = in.Double();
    q.zero_points = in.Svarints();
  } else {
    q.scales = {in.Double()};
    q.zero_points = {in.Svarint()};
    q.storage_min = in.Svarint();
    q.storage_max = in.Svarint();
  }
  if (!in.ready()) return nullptr;
  q.storage = ElementOf(*storage);
  q.expressed = ElementOf(*expressed);
  if (storage->kind != TypeKind::kElement || !IsIntegral(q.storage) ||
      expressed->kind != TypeKind::kElement || !IsFloating(q.expressed) ||
      (per_axis && q.axis < 0) || q.scales.size() != q.zero_points.size()) {
    in.FailAt(offset, "a quantized type that stores " + storage->ToString() + " for " +
                          expressed->ToString() + ", with " + std::to_string(q.scales.size()) +
                          " scales and " + std::to_string(q.zero_points.size()) + " zero points");
    return nullptr;
  }
  // The storage type is signless; the flag says how it is meant.
  constexpr std::pair<ElementType, ElementType> kUnsignedOf[] = {
      {S2, U2}, {S4, U4}, {S8, U8}, {S16, U16}, {S32, U32}, {S64, U64}};
  for (const auto& [is_signed, is_unsigned] : kUnsignedOf) {
    if ((flags & kSignedFlag) == 0 && q.storage == is_signed) q.storage = is_unsigned;
  }
  return in.module().Get({.kind = TypeKind::kQuantized, .quantization = std::move(q)});
}

i64 FirstEnumNumber(std::string_view mnemonic) {
  return mnemonic == "rng_distribution" ? 1 : 0;
}

const Attribute* ReadEnum(EntryCursor& in, std::string_view mnemonic) {
  const size_t offset = in.offset();
  const std::uint64_t number = in.Varint();
  if (!in.ok()) return nullptr;
  const std::span<const std::string_view> values = EnumValues(mnemonic);
  const auto first = static_cast<std::uint64_t>(FirstEnumNumber(mnemonic));
  if (number < first || number - first >= values.size()) {
    in.FailAt(offset, "value " + std::to_string(number) + " of " + std::string(mnemonic) +
                          ", where " + std::to_string(first) + " to " +
                          std::to_string(first + values.size() - 1) + " are known");
    return nullptr;
  }
  return in.module().NewAttribute(
      {.kind = AttributeKind::kEnum, .text = values[number - first], .mnemonic = mnemonic});
}

const Attribute* ReadBounds(EntryCursor& in) {
  const Dims bounds = in.Svarints();
  if (!in.ready()) return nullptr;
  return MakeStruct(in.module(), "type_extensions", {{"bounds", MakeI64s(in.module(), bounds)}});
}

}  // namespace axle::mlir
