#include "axle/stablehlo/mlir/bytecode_encoder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "axle/core/float_format.h"
#include "axle/stablehlo/mlir/bytecode_entries.h"

namespace axle::mlir {
namespace {

constexpr int kMaxDepth = 512;

Status TooDeep() {
  return InvalidArgument("bytecode: attributes or types are nested more than " +
                         std::to_string(kMaxDepth) + " deep");
}

Status NoVhlo(std::string_view what) {
  return Unimplemented("bytecode: " + std::string(what) + " has no form in VHLO");
}

// The bits of a number of some float type.
std::uint64_t FloatBits(double value, ElementType type) {
  if (type == F64) return std::bit_cast<std::uint64_t>(value);
  return RoundF64To(Info(type).format, value);
}

// Bits of a known width, as they are encoded.
void AppendBits(ByteWriter& out, std::uint64_t bits, int width) {
  if (width <= 8) return out.Byte(static_cast<std::uint8_t>(bits));
  const int unused = 64 - width;
  out.Svarint(static_cast<i64>(bits << unused) >> unused);
}

// The elements as they lie in a file: i1 eight to a byte, one of them alone as 0xFF.
std::string ElementBytes(const Attribute& elements, bool is_packed) {
  const Literal& literal = *elements.literal;
  const std::string_view bytes(reinterpret_cast<const char*>(literal.bytes()),
                               static_cast<size_t>(literal.num_bytes()));
  if (literal.shape().type() != PRED || !is_packed) return std::string(bytes);
  if (elements.is_splat) return std::string(1, bytes[0] != 0 ? '\xff' : '\0');
  std::string packed((bytes.size() + 7) / 8, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != 0) packed[i / 8] = static_cast<char>(packed[i / 8] | 1 << (i % 8));
  }
  return packed;
}

i64 FieldInt(const Attribute& of, std::string_view name) {
  const Attribute* field = of.Field(name);
  return field != nullptr ? field->integer : 0;
}

Dims FieldInts(const Attribute& of, std::string_view name) {
  const Attribute* field = of.Field(name);
  return field != nullptr ? Ints(*field).value_or(Dims()) : Dims();
}

std::string_view FieldText(const Attribute& of, std::string_view name) {
  const Attribute* field = of.Field(name);
  return field != nullptr ? field->text : std::string_view();
}

}  // namespace

void ByteWriter::Varint(std::uint64_t value) {
  // Seven bits for each byte, up to eight; else a byte 0 and all eight.
  const int width = std::bit_width(value | 1);
  if (width > 56) {
    Byte(0);
    for (int i = 0; i < 8; ++i) Byte(static_cast<std::uint8_t>(value >> (8 * i)));
    return;
  }
  const int bytes = (width + 6) / 7;
  const std::uint64_t encoded = (value << 1 | 1) << (bytes - 1);
  for (int i = 0; i < bytes; ++i) Byte(static_cast<std::uint8_t>(encoded >> (8 * i)));
}

size_t ByteWriter::Reserve() {
  const size_t place = out_.size();
  out_.append(9, '\0');
  return place;
}

void ByteWriter::Fill(size_t place, std::uint64_t value) {
  for (size_t i = 0; i < 8; ++i) out_[place + 1 + i] = static_cast<char>(value >> (8 * i));
}

std::uint64_t TextTable::Add(std::string_view text) {
  const auto [at, is_new] = numbers_.try_emplace(std::string(text), order_.size());
  if (is_new) order_.push_back(at->first);
  return at->second;
}

std::uint64_t BytecodeEncoder::Add(Table& table, std::string_view dialect, ByteWriter entry,
                                   bool is_custom) {
  const std::uint64_t number = dialects_.Add(dialect);
  ByteWriter key;
  key.FlaggedVarint(number, is_custom);
  const size_t head = key.size();
  key.Bytes(entry.bytes());
  const auto [at, is_new] = table.numbers.try_emplace(key.Take(), table.order.size());
  if (is_new) {
    table.order.push_back({number, std::string_view(at->first).substr(head), is_custom});
  }
  return at->second;
}

// "#sdy.mesh<...>", "!quant.any<...>": the text that MLIR prints, in the dialect that it names.
std::uint64_t BytecodeEncoder::AddText(Table& table, std::string_view text) {
  std::string_view dialect = "builtin";
  if (text.starts_with('#') || text.starts_with('!')) {
    dialect = text.substr(1, text.find_first_of(".<") - 1);
  }
  ByteWriter out;
  out.Bytes(text);
  out.Byte(0);
  return Add(table, dialect, std::move(out), false);
}

Status BytecodeEncoder::Need(StableHloVersion since, std::string_view what) const {
  if (version_ >= since) return {};
  return Unimplemented("bytecode: StableHLO " + version_.ToString() + " has no " +
                       std::string(what) + ", which " + since.ToString() + " brought");
}

StatusOr<std::uint64_t> BytecodeEncoder::TypeNumber(const Type& type, Flavor flavor, int depth) {
  if (depth > kMaxDepth) return TooDeep();
  const Key key{&type, flavor};
  if (const auto known = known_types_.find(key); known != known_types_.end()) {
    return known->second;
  }
  AXLE_ASSIGN(const std::uint64_t number, MakeType(type, flavor, depth + 1));
  known_types_[key] = number;
  return number;
}

StatusOr<std::uint64_t> BytecodeEncoder::ElementNumber(ElementType element, Flavor flavor,
                                                       int depth) {
  ByteWriter out;
  if (IsComplex(element)) {
    AXLE_ASSIGN(const std::uint64_t part, ElementNumber(PartOf(element), flavor, depth));
    out.Varint(flavor == Flavor::kVhlo ? static_cast<std::uint64_t>(VhloType::kComplex) : 9);
    out.Varint(part);
    return Add(types_, flavor == Flavor::kVhlo ? "vhlo" : "builtin", std::move(out));
  }
  const Type type{.kind = TypeKind::kElement, .element = element};
  if (flavor == Flavor::kVhlo) {
    for (const VhloElement& entry : kVhloElements) {
      if (entry.element != element) continue;
      AXLE_TRY(Need(entry.since, "type " + type.ToString()));
      out.Varint(static_cast<std::uint64_t>(entry.code));
      return Add(types_, "vhlo", std::move(out));
    }
    return NoVhlo("the type " + type.ToString());
  }
  constexpr std::pair<ElementType, int> kFloats[] = {{BF16, 3}, {F16, 4}, {F32, 5}, {F64, 6}};
  for (const auto& [entry, code] : kFloats) {
    if (entry != element) continue;
    out.Varint(static_cast<std::uint64_t>(code));
    return Add(types_, "builtin", std::move(out));
  }
  if (IsFloating(element)) return AddText(types_, type.ToString());
  const std::uint64_t width = element == PRED ? 1 : static_cast<std::uint64_t>(Info(element).bits);
  out.Varint(0);
  out.Varint(width << 2 | (IsUnsigned(element) ? 2 : 0));
  return Add(types_, "builtin", std::move(out));
}

Status BytecodeEncoder::AppendTypes(ByteWriter& out, const std::vector<const Type*>& types,
                                    Flavor flavor, int depth) {
  out.Varint(types.size());
  for (const Type* type : types) {
    AXLE_ASSIGN(const std::uint64_t number, TypeNumber(*type, flavor, depth));
    out.Varint(number);
  }
  return {};
}

StatusOr<std::uint64_t> BytecodeEncoder::QuantizedNumber(const Quantization& q, Flavor flavor,
                                                         int depth) {
  if (flavor != Flavor::kVhlo) return NoVhlo("a quantized type of another dialect");
  const bool per_axis = q.axis >= 0;
  if (per_axis) AXLE_TRY(Need({0, 18, 0}, "quantized type with an axis"));
  // The storage type is signless, and a flag says how it is meant.
  constexpr std::pair<ElementType, ElementType> kSignless[] = {{U2, S2},   {U4, S4},   {U8, S8},
                                                               {U16, S16}, {U32, S32}, {U64, S64}};
  ElementType storage = q.storage;
  for (const auto& [is_unsigned, signless] : kSignless) {
    if (storage == is_unsigned) storage = signless;
  }
  AXLE_ASSIGN(const std::uint64_t storage_number, ElementNumber(storage, flavor, depth));
  AXLE_ASSIGN(const std::uint64_t expressed, ElementNumber(q.expressed, flavor, depth));
  ByteWriter out;
  out.Varint(
      static_cast<std::uint64_t>(per_axis ? VhloType::kQuantizedPerAxis : VhloType::kQuantized));
  out.Varint(IsUnsigned(q.storage) ? 0 : 1);
  out.Varint(storage_number);
  out.Varint(expressed);
  const auto bits = [](double value) {
    return static_cast<i64>(std::bit_cast<std::uint64_t>(value));
  };
  if (per_axis) {
    out.Varint(static_cast<std::uint64_t>(q.axis));
    out.Svarint(q.storage_min);
    out.Svarint(q.storage_max);
    out.Varint(q.scales.size());
    for (const double scale : q.scales) out.Svarint(bits(scale));
    out.Svarints(q.zero_points);
  } else {
    out.Svarint(bits(q.scales[0]));
    out.Svarint(q.zero_points[0]);
    out.Svarint(q.storage_min);
    out.Svarint(q.storage_max);
  }
  return Add(types_, "vhlo", std::move(out));
}

StatusOr<std::uint64_t> BytecodeEncoder::VhloTensorOrList(const Type& type, int depth) {
  ByteWriter out;
  const auto code = [&](VhloType value) { out.Varint(static_cast<std::uint64_t>(value)); };
  switch (type.kind) {
    case TypeKind::kFunction:
      code(VhloType::kFunction);
      AXLE_TRY(AppendTypes(out, type.inputs, Flavor::kVhlo, depth));
      AXLE_TRY(AppendTypes(out, type.results, Flavor::kVhlo, depth));
      break;
    case TypeKind::kFuture:
      AXLE_TRY(Need({1, 15, 0}, "type future"));
      [[fallthrough]];
    case TypeKind::kTuple:
      code(type.kind == TypeKind::kTuple ? VhloType::kTuple : VhloType::kFuture);
      AXLE_TRY(AppendTypes(out, type.inputs, Flavor::kVhlo, depth));
      break;
    case TypeKind::kUnranked: {
      AXLE_ASSIGN(const std::uint64_t of, TypeNumber(*type.of, Flavor::kVhlo, depth));
      code(VhloType::kUnranked);
      out.Varint(of);
      break;
    }
    default: {
      const bool is_buffer = type.kind == TypeKind::kBuffer;
      if (is_buffer) AXLE_TRY(Need({1, 13, 0}, "buffer type"));
      if (!type.text.empty()) return NoVhlo("the encoding " + type.text);
      AXLE_ASSIGN(const std::uint64_t of, TypeNumber(*type.of, Flavor::kVhlo, depth));
      if (!type.bounds.empty()) {
        ByteWriter bounds;
        bounds.Varint(static_cast<std::uint64_t>(VhloAttribute::kTypeExtensions));
        bounds.Svarints(type.bounds);
        const std::uint64_t encoding = Add(attributes_, "vhlo", std::move(bounds));
        code(VhloType::kTensorWithEncoding);
        out.Varint(encoding);
      } else {
        code(is_buffer ? VhloType::kBuffer : VhloType::kTensor);
      }
      out.Svarints(type.dims);
      out.Varint(of);
    }
  }
  return Add(types_, "vhlo", std::move(out));
}

StatusOr<std::uint64_t> BytecodeEncoder::BuiltinTensorOrList(const Type& type, int depth) {
  ByteWriter out;
  switch (type.kind) {
    case TypeKind::kFunction:
      out.Varint(2);
      AXLE_TRY(AppendTypes(out, type.inputs, Flavor::kBuiltin, depth));
      AXLE_TRY(AppendTypes(out, type.results, Flavor::kBuiltin, depth));
      break;
    case TypeKind::kTuple:
      out.Varint(15);
      AXLE_TRY(AppendTypes(out, type.inputs, Flavor::kBuiltin, depth));
      break;
    case TypeKind::kUnranked: {
      AXLE_ASSIGN(const std::uint64_t of, TypeNumber(*type.of, Flavor::kBuiltin, depth));
      out.Varint(18);
      out.Varint(of);
      break;
    }
    case TypeKind::kTensor: {
      AXLE_ASSIGN(const std::uint64_t of, TypeNumber(*type.of, Flavor::kBuiltin, depth));
      if (!type.bounds.empty()) {
        ByteWriter bounds;
        bounds.Varint(13);
        bounds.Svarints(type.bounds);
        const std::uint64_t encoding = Add(attributes_, "stablehlo", std::move(bounds));
        out.Varint(14);
        out.Varint(encoding);
      } else if (!type.text.empty()) {
        const std::uint64_t encoding = AddText(attributes_, type.text);
        out.Varint(14);
        out.Varint(encoding);
      } else {
        out.Varint(13);
      }
      out.Svarints(type.dims);
      out.Varint(of);
      break;
    }
    default:
      return AddText(types_, type.ToString());
  }
  return Add(types_, "builtin", std::move(out));
}

StatusOr<std::uint64_t> BytecodeEncoder::MakeType(const Type& type, Flavor flavor, int depth) {
  const bool is_vhlo = flavor == Flavor::kVhlo;
  const auto code = [&](VhloType vhlo, std::uint64_t builtin) {
    ByteWriter out;
    out.Varint(is_vhlo ? static_cast<std::uint64_t>(vhlo) : builtin);
    return Add(types_, is_vhlo ? "vhlo" : "builtin", std::move(out));
  };
  switch (type.kind) {
    case TypeKind::kElement:
      return ElementNumber(type.element, flavor, depth);
    case TypeKind::kIndex:
      return code(VhloType::kIndex, 1);
    case TypeKind::kNone:
      if (is_vhlo) AXLE_TRY(Need({1, 6, 0}, "type none"));
      return code(VhloType::kNone, 12);
    case TypeKind::kToken: {
      if (is_vhlo) return code(VhloType::kToken, 0);
      ByteWriter out;
      out.Varint(0);
      return Add(types_, "stablehlo", std::move(out));
    }
    case TypeKind::kQuantized:
      return QuantizedNumber(type.quantization, flavor, depth);
    case TypeKind::kOther:
      if (!is_vhlo) return AddText(types_, type.text);
      if (type.text == "tf32") {
        AXLE_TRY(Need({1, 6, 0}, "type tf32"));
        return code(VhloType::kTf32, 0);
      }
      if (type.text == "!shape.witness") return code(VhloType::kWitness, 0);
      return NoVhlo("the type " + type.text);
    default:
      return is_vhlo ? VhloTensorOrList(type, depth) : BuiltinTensorOrList(type, depth);
  }
}

std::uint64_t BytecodeEncoder::StringNumber(std::string_view text, Flavor flavor) {
  ByteWriter out;
  out.Varint(flavor == Flavor::kVhlo ? static_cast<std::uint64_t>(VhloAttribute::kString) : 2);
  out.Varint(strings_.Add(text));
  return Add(attributes_, flavor == Flavor::kVhlo ? "vhlo" : "builtin", std::move(out));
}

StatusOr<std::uint64_t> BytecodeEncoder::AttributeNumber(const Attribute& attribute, Flavor flavor,
                                                         int depth) {
  if (depth > kMaxDepth) return TooDeep();
  const Key key{&attribute, flavor};
  if (const auto known = known_attributes_.find(key); known != known_attributes_.end()) {
    return known->second;
  }
  AXLE_ASSIGN(const std::uint64_t number, MakeAttribute(attribute, flavor, depth + 1));
  known_attributes_[key] = number;
  return number;
}

StatusOr<std::uint64_t> BytecodeEncoder::NumberAttribute(const Attribute& attribute, Flavor flavor,
                                                         int depth) {
  const bool is_float = attribute.kind == AttributeKind::kFloat;
  const Type i64_type{.kind = TypeKind::kElement, .element = is_float ? F64 : S64};
  const Type& type = attribute.type != nullptr ? *attribute.type : i64_type;
  const ElementType element = type.kind == TypeKind::kIndex ? S64 : type.element;
  if (!IsFloating(element) && !IsIntegral(element)) return NoVhlo("a number of this type");
  AXLE_ASSIGN(const std::uint64_t type_number, attribute.type != nullptr
                                                   ? TypeNumber(type, flavor, depth)
                                                   : ElementNumber(element, flavor, depth));
  const std::uint64_t bits = is_float ? FloatBits(attribute.number, element)
                                      : static_cast<std::uint64_t>(attribute.integer);
  ByteWriter out;
  if (flavor == Flavor::kVhlo) {
    out.Varint(
        static_cast<std::uint64_t>(is_float ? VhloAttribute::kFloat : VhloAttribute::kInteger));
  } else {
    out.Varint(is_float ? 9 : 8);
  }
  out.Varint(type_number);
  AppendBits(out, bits, Info(element).bits);
  return Add(attributes_, flavor == Flavor::kVhlo ? "vhlo" : "builtin", std::move(out));
}

StatusOr<std::uint64_t> BytecodeEncoder::ArrayNumber(std::span<const Attribute* const> elements,
                                                     Flavor flavor, int depth) {
  const bool is_vhlo = flavor == Flavor::kVhlo;
  ByteWriter out;
  out.Varint(is_vhlo ? static_cast<std::uint64_t>(VhloAttribute::kArray) : 0);
  out.Varint(elements.size());
  for (const Attribute* element : elements) {
    AXLE_ASSIGN(const std::uint64_t number, AttributeNumber(*element, flavor, depth));
    out.Varint(number);
  }
  return Add(attributes_, is_vhlo ? "vhlo" : "builtin", std::move(out));
}

StatusOr<std::uint64_t> BytecodeEncoder::DictionaryNumber(std::span<const NamedAttribute> fields,
                                                          Flavor keys, Flavor values, int depth) {
  const bool is_vhlo = keys == Flavor::kVhlo;
  std::vector<NamedAttribute> sorted(fields.begin(), fields.end());
  std::ranges::sort(sorted, {}, &NamedAttribute::name);
  ByteWriter out;
  out.Varint(is_vhlo ? static_cast<std::uint64_t>(VhloAttribute::kDictionary) : 1);
  out.Varint(sorted.size());
  for (const NamedAttribute& field : sorted) {
    const std::uint64_t name = StringNumber(field.name, keys);
    AXLE_ASSIGN(const std::uint64_t value, AttributeNumber(*field.value, values, depth));
    out.Varint(name);
    out.Varint(value);
  }
  return Add(attributes_, is_vhlo ? "vhlo" : "builtin", std::move(out));
}

StatusOr<std::uint64_t> BytecodeEncoder::ElementsNumber(const Attribute& attribute, Flavor flavor,
                                                        int depth) {
  if (attribute.literal == nullptr || attribute.type == nullptr) {
    return InvalidArgument("bytecode: the elements of a constant are left out");
  }
  ByteWriter out;
  if (flavor == Flavor::kBuiltin && attribute.mnemonic == "array" && !attribute.is_splat) {
    AXLE_ASSIGN(const std::uint64_t element, TypeNumber(*attribute.type->of, flavor, depth));
    out.Varint(17);
    out.Varint(element);
    out.Varint(static_cast<std::uint64_t>(attribute.literal->num_elements()));
    out.Blob(ElementBytes(attribute, false));
    return Add(attributes_, "builtin", std::move(out));
  }
  AXLE_ASSIGN(const std::uint64_t type, TypeNumber(*attribute.type, flavor, depth));
  out.Varint(flavor == Flavor::kVhlo ? static_cast<std::uint64_t>(VhloAttribute::kTensor) : 18);
  out.Varint(type);
  out.Blob(ElementBytes(attribute, true));
  return Add(attributes_, flavor == Flavor::kVhlo ? "vhlo" : "builtin", std::move(out));
}

StatusOr<std::uint64_t> BytecodeEncoder::EnumNumber(std::string_view mnemonic,
                                                    std::string_view value, Flavor flavor) {
  const std::span<const std::string_view> all = EnumValues(mnemonic);
  if (flavor == Flavor::kBuiltin && EnumDialect(mnemonic) == "sdy") {
    // Shardy's enums are integers.
    AXLE_ASSIGN(const std::uint64_t type, ElementNumber(S32, flavor, 0));
    ByteWriter out;
    out.Varint(8);
    out.Varint(type);
    AppendBits(out, static_cast<std::uint64_t>(std::ranges::find(all, value) - all.begin()), 32);
    return Add(attributes_, "builtin", std::move(out));
  }
  if (flavor == Flavor::kBuiltin) {
    return AddText(attributes_, "#" + std::string(EnumDialect(mnemonic)) + "<" +
                                    std::string(mnemonic) + " " + std::string(value) + ">");
  }
  const auto at = std::ranges::find(all, value);
  for (const VhloEnum& entry : kVhloEnums) {
    if (entry.mnemonic != mnemonic || at == all.end()) continue;
    ByteWriter out;
    out.Varint(static_cast<std::uint64_t>(entry.code));
    out.Varint(static_cast<std::uint64_t>(at - all.begin() + FirstEnumNumber(mnemonic)));
    return Add(attributes_, "vhlo", std::move(out));
  }
  return NoVhlo("the value " + std::string(value) + " of " + std::string(mnemonic));
}

StatusOr<std::uint64_t> BytecodeEncoder::AccuracyNumber(double atol, double rtol, i64 ulps,
                                                        std::string_view mode) {
  AXLE_TRY(Need({1, 9, 0}, "attribute result_accuracy"));
  AXLE_ASSIGN(const std::uint64_t mode_number,
              EnumNumber("result_accuracy_mode", mode, Flavor::kVhlo));
  ByteWriter out;
  out.Varint(static_cast<std::uint64_t>(VhloAttribute::kResultAccuracy));
  AppendBits(out, std::bit_cast<std::uint64_t>(atol), 64);
  AppendBits(out, std::bit_cast<std::uint64_t>(rtol), 64);
  out.Svarint(ulps);
  out.Varint(mode_number);
  return Add(attributes_, "vhlo", std::move(out));
}

// A structure among the attributes of a VHLO operation.
StatusOr<std::uint64_t> BytecodeEncoder::StructNumber(const Attribute& attribute, int depth) {
  constexpr StableHloVersion kMeshes{1, 16, 0};
  const std::string_view mnemonic = attribute.mnemonic;
  ByteWriter out;
  const auto code = [&](VhloAttribute value) { out.Varint(static_cast<std::uint64_t>(value)); };
  const auto number = [&](std::string_view name) -> StatusOr<std::uint64_t> {
    const Attribute* field = attribute.Field(name);
    if (field == nullptr) {
      return InvalidArgument("bytecode: " + std::string(mnemonic) + " lacks its " +
                             std::string(name));
    }
    return AttributeNumber(*field, Flavor::kVhlo, depth);
  };
  if (mnemonic == "output_operand_alias") {
    code(VhloAttribute::kOutputOperandAlias);
    out.Svarints(FieldInts(attribute, "output_tuple_indices"));
    out.Svarint(FieldInt(attribute, "operand_index"));
    out.Svarints(FieldInts(attribute, "operand_tuple_indices"));
  } else if (mnemonic == "type_extensions") {
    code(VhloAttribute::kTypeExtensions);
    out.Svarints(FieldInts(attribute, "bounds"));
  } else if (mnemonic == "result_accuracy") {
    const auto value = [&](std::string_view name) {
      const Attribute* field = attribute.Field(name);
      return field != nullptr ? field->number : 0.0;
    };
    return AccuracyNumber(value("atol"), value("rtol"), FieldInt(attribute, "ulps"),
                          FieldText(attribute, "mode"));
  } else if (mnemonic == "sub_axis_info") {
    AXLE_TRY(Need(kMeshes, "attribute sub_axis_info"));
    code(VhloAttribute::kSubAxisInfo);
    out.Svarint(FieldInt(attribute, "pre_size"));
    out.Svarint(FieldInt(attribute, "size"));
  } else if (mnemonic == "axis_ref") {
    AXLE_TRY(Need(kMeshes, "attribute axis_ref"));
    AXLE_ASSIGN(const std::uint64_t name, number("name"));
    code(VhloAttribute::kAxisRef);
    out.Varint(name);
    const bool has_part = attribute.Field("sub_axis_info") != nullptr;
    out.Varint(has_part ? 1 : 0);
    if (has_part) {
      AXLE_ASSIGN(const std::uint64_t part, number("sub_axis_info"));
      out.Varint(part);
    }
  } else if (mnemonic == "replica_group_mesh_axes") {
    AXLE_TRY(Need(kMeshes, "replica groups of mesh axes"));
    AXLE_ASSIGN(const std::uint64_t mesh, number("mesh"));
    AXLE_ASSIGN(const std::uint64_t axes, number("axes"));
    code(VhloAttribute::kReplicaGroupMeshAxes);
    out.Varint(mesh);
    out.Varint(axes);
  } else if (mnemonic == "mesh_axis") {
    AXLE_TRY(Need(kMeshes, "attribute mesh_axis"));
    AXLE_ASSIGN(const std::uint64_t name, number("name"));
    code(VhloAttribute::kMeshAxis);
    out.Varint(name);
    out.Svarint(FieldInt(attribute, "size"));
  } else if (mnemonic == "mesh") {
    AXLE_TRY(Need(kMeshes, "attribute mesh"));
    AXLE_ASSIGN(const std::uint64_t axes, number("axes"));
    code(VhloAttribute::kMesh);
    out.Varint(axes);
    const bool has_devices = attribute.Field("device_ids") != nullptr;
    std::uint64_t devices = 0;
    if (has_devices) {
      AXLE_ASSIGN(devices, number("device_ids"));
    }
    out.FlaggedVarint(devices, has_devices);
  } else {
    return NoVhlo("the attribute " + std::string(mnemonic));
  }
  return Add(attributes_, "vhlo", std::move(out));
}

// "f" or "f::g"; VHLO has symbols as strings.
StatusOr<std::uint64_t> BytecodeEncoder::SymbolNumber(std::string_view text, Flavor flavor) {
  if (flavor == Flavor::kVhlo) return StringNumber(text, flavor);
  const auto flat = [&](std::string_view name) {
    ByteWriter out;
    out.Varint(4);
    out.Varint(StringNumber(name, Flavor::kBuiltin));
    return Add(attributes_, "builtin", std::move(out));
  };
  size_t end = text.find("::");
  if (end == std::string_view::npos) return flat(text);
  ByteWriter inner;
  std::uint64_t count = 0;
  const std::string_view root = text.substr(0, end);
  while (end != std::string_view::npos) {
    const size_t begin = end + 2;
    end = text.find("::", begin);
    inner.Varint(flat(text.substr(begin, end == std::string_view::npos ? end : end - begin)));
    ++count;
  }
  ByteWriter out;
  out.Varint(5);
  out.Varint(StringNumber(root, Flavor::kBuiltin));
  out.Varint(count);
  out.Bytes(inner.bytes());
  return Add(attributes_, "builtin", std::move(out));
}

StatusOr<std::uint64_t> BytecodeEncoder::MakeAttribute(const Attribute& attribute, Flavor flavor,
                                                       int depth) {
  const bool is_vhlo = flavor == Flavor::kVhlo;
  ByteWriter out;
  switch (attribute.kind) {
    case AttributeKind::kUnit:
    case AttributeKind::kBool: {
      const bool is_unit = attribute.kind == AttributeKind::kUnit;
      if (is_vhlo) {
        out.Varint(static_cast<std::uint64_t>(VhloAttribute::kBool));
        out.Varint(is_unit || attribute.integer != 0 ? 1 : 0);
        return Add(attributes_, "vhlo", std::move(out));
      }
      if (is_unit) {
        out.Varint(7);
      } else {
        AXLE_ASSIGN(const std::uint64_t type, ElementNumber(PRED, flavor, depth));
        out.Varint(8);
        out.Varint(type);
        out.Byte(attribute.integer != 0 ? 1 : 0);
      }
      return Add(attributes_, "builtin", std::move(out));
    }
    case AttributeKind::kInteger:
    case AttributeKind::kFloat:
      return NumberAttribute(attribute, flavor, depth);
    case AttributeKind::kString:
      return StringNumber(attribute.text, flavor);
    case AttributeKind::kArray:
      return ArrayNumber(attribute.elements, flavor, depth);
    case AttributeKind::kDictionary:
      return DictionaryNumber(attribute.fields, flavor, flavor, depth);
    case AttributeKind::kSymbol:
      return SymbolNumber(attribute.text, flavor);
    case AttributeKind::kType: {
      AXLE_ASSIGN(const std::uint64_t type, TypeNumber(*attribute.type, flavor, depth));
      out.Varint(is_vhlo ? static_cast<std::uint64_t>(VhloAttribute::kType) : 6);
      out.Varint(type);
      return Add(attributes_, is_vhlo ? "vhlo" : "builtin", std::move(out));
    }
    case AttributeKind::kElements:
      return ElementsNumber(attribute, flavor, depth);
    case AttributeKind::kEnum:
      return EnumNumber(attribute.mnemonic, attribute.text, flavor);
    case AttributeKind::kStruct:
      if (is_vhlo) return StructNumber(attribute, depth);
      return AddText(attributes_, attribute.ToString());
    case AttributeKind::kLocation:
      return LocationNumber(*attribute.location);
    case AttributeKind::kOther:
      return AddText(attributes_, attribute.text);
  }
  return NoVhlo("an attribute");
}

StatusOr<std::uint64_t> BytecodeEncoder::LocationNumber(const Location& location) {
  // Children first, with a stack: they may be nested deeply.
  std::vector<const Location*> open{&location};
  while (!open.empty()) {
    const Location* next = open.back();
    if (known_locations_.contains(next)) {
      open.pop_back();
      continue;
    }
    const size_t before = open.size();
    for (const Location* child : next->children) {
      if (!known_locations_.contains(child)) open.push_back(child);
    }
    if (open.size() > before) continue;
    AXLE_ASSIGN(known_locations_[next], MakeLocation(*next));
    open.pop_back();
  }
  return known_locations_[&location];
}

StatusOr<std::uint64_t> BytecodeEncoder::MakeLocation(const Location& location) {
  const auto unknown = [&] {
    ByteWriter out;
    out.Varint(15);
    return Add(attributes_, "builtin", std::move(out));
  };
  const auto child = [&](size_t i) { return known_locations_[location.children[i]]; };
  ByteWriter out;
  switch (location.kind) {
    case Location::Kind::kUnknown:
      return unknown();
    case Location::Kind::kFile: {
      const std::uint64_t file = StringNumber(location.text, Flavor::kBuiltin);
      const auto number = [](i64 value) { return static_cast<std::uint64_t>(value); };
      // Ranges came with 1.9.
      const bool is_range = location.end_column > 0 || location.end_line > 0;
      if (is_range && version_ >= StableHloVersion{1, 9, 0}) {
        const bool is_one_line = location.end_line == location.line;
        out.Varint(22);
        out.Varint(file);
        out.Varint(is_one_line ? 3 : 4);
        out.Varint(number(location.line));
        out.Varint(number(location.column));
        if (!is_one_line) out.Varint(number(location.end_line));
        out.Varint(number(location.end_column));
      } else {
        out.Varint(11);
        out.Varint(file);
        out.Varint(number(location.line));
        out.Varint(number(location.column));
      }
      break;
    }
    case Location::Kind::kName: {
      const std::uint64_t name = StringNumber(location.text, Flavor::kBuiltin);
      const std::uint64_t inner = location.children.empty() ? unknown() : child(0);
      out.Varint(14);
      out.Varint(name);
      out.Varint(inner);
      break;
    }
    case Location::Kind::kCallSite:
      out.Varint(10);
      out.Varint(child(0));
      out.Varint(child(1));
      break;
    case Location::Kind::kFused: {
      out.Varint(location.metadata != nullptr ? 13 : 12);
      out.Varint(location.children.size());
      for (size_t i = 0; i < location.children.size(); ++i) out.Varint(child(i));
      if (location.metadata != nullptr) {
        AXLE_ASSIGN(const std::uint64_t metadata,
                    AttributeNumber(*location.metadata, Flavor::kBuiltin));
        out.Varint(metadata);
      }
      break;
    }
  }
  return Add(attributes_, "builtin", std::move(out));
}

StatusOr<std::uint64_t> BytecodeEncoder::TensorOf(const Dims& dims, ElementType element,
                                                  const Dims& values) {
  AXLE_ASSIGN(const std::uint64_t of, ElementNumber(element, Flavor::kVhlo, 0));
  ByteWriter type;
  type.Varint(static_cast<std::uint64_t>(VhloType::kTensor));
  type.Svarints(dims);
  type.Varint(of);
  const std::uint64_t type_number = Add(types_, "vhlo", std::move(type));
  std::string bytes;
  const bool is_splat = values.size() > 1 &&
                        std::ranges::adjacent_find(values, std::not_equal_to<>()) == values.end();
  const std::span<const i64> stored(values.data(), is_splat ? 1 : values.size());
  if (element == PRED) {
    if (is_splat) {
      bytes = values[0] != 0 ? "\xff" : std::string(1, '\0');
    } else {
      bytes.resize((stored.size() + 7) / 8);
      for (size_t i = 0; i < stored.size(); ++i) {
        if (stored[i] != 0) bytes[i / 8] = static_cast<char>(bytes[i / 8] | 1 << (i % 8));
      }
    }
  } else {
    bytes.assign(reinterpret_cast<const char*>(stored.data()), stored.size_bytes());
  }
  ByteWriter out;
  out.Varint(static_cast<std::uint64_t>(VhloAttribute::kTensor));
  out.Varint(type_number);
  out.Blob(bytes);
  return Add(attributes_, "vhlo", std::move(out));
}

StatusOr<std::uint64_t> BytecodeEncoder::OfKind(const AttributeSyntax& syntax,
                                                const Attribute& value) {
  const std::string_view kind = syntax.kind;
  if (value.kind == AttributeKind::kArray && (kind == "ints" || kind == "bools")) {
    const std::optional<Dims> values = Ints(value);
    if (!values) return InvalidArgument("bytecode: " + std::string(syntax.name) + " is no list");
    return TensorOf({static_cast<i64>(values->size())}, kind == "ints" ? S64 : PRED, *values);
  }
  if (kind == "i32" && value.kind == AttributeKind::kInteger) {
    AXLE_ASSIGN(const std::uint64_t type, ElementNumber(S32, Flavor::kVhlo, 0));
    ByteWriter out;
    out.Varint(static_cast<std::uint64_t>(VhloAttribute::kInteger));
    out.Varint(type);
    AppendBits(out, static_cast<std::uint64_t>(value.integer), 32);
    return Add(attributes_, "vhlo", std::move(out));
  }
  if (syntax.name == "backend_config" && value.kind == AttributeKind::kDictionary) {
    AXLE_TRY(Need({1, 3, 0}, "backend_config that is a dictionary"));
  }
  return AttributeNumber(value, Flavor::kVhlo);
}

StatusOr<std::uint64_t> BytecodeEncoder::Default(const AttributeSyntax& syntax, size_t count) {
  const std::string_view kind = syntax.kind;
  const std::string_view fallback = syntax.fallback;
  const Attribute none_array{.kind = AttributeKind::kArray};
  const auto size = static_cast<i64>(count);
  if (fallback == "none") {
    const Type none{.kind = TypeKind::kNone};
    AXLE_ASSIGN(const std::uint64_t type, MakeType(none, Flavor::kVhlo, 0));
    ByteWriter out;
    out.Varint(static_cast<std::uint64_t>(VhloAttribute::kType));
    out.Varint(type);
    return Add(attributes_, "vhlo", std::move(out));
  }
  if (kind == "ints" || kind == "bools") {
    const ElementType element = kind == "ints" ? S64 : PRED;
    if (fallback == "[]") return TensorOf({0}, element, {});
    return TensorOf({size}, element, Dims(count, fallback == "1" ? 1 : 0));
  }
  if (kind == "elements") {
    if (syntax.required) return TensorOf({0}, S64, {});  // source_target_pairs
    return TensorOf({size, 2}, S64, Dims(2 * count, 0));
  }
  if (kind == "bool" || kind == "unit") {
    const Attribute value{.kind = AttributeKind::kBool, .integer = fallback == "true" ? 1 : 0};
    return MakeAttribute(value, Flavor::kVhlo, 0);
  }
  if (kind == "int") {
    const Attribute value{.kind = AttributeKind::kInteger,
                          .integer = fallback == "-1"  ? -1
                                     : fallback == "1" ? 1
                                                       : 0};
    return MakeAttribute(value, Flavor::kVhlo, 0);
  }
  if (kind == "string" || kind == "any") return StringNumber("", Flavor::kVhlo);
  if (kind == "dict") return DictionaryNumber({}, Flavor::kVhlo, Flavor::kVhlo);
  if (kind == "array" || kind == "symbols") return MakeAttribute(none_array, Flavor::kVhlo, 0);
  if (kind == "accuracy") return AccuracyNumber(0, 0, 0, "DEFAULT");
  if (kind == "precisions") {
    AXLE_ASSIGN(const std::uint64_t one, EnumNumber("precision", fallback, Flavor::kVhlo));
    ByteWriter out;
    out.Varint(static_cast<std::uint64_t>(VhloAttribute::kArray));
    out.Varint(2);
    out.Varint(one);
    out.Varint(one);
    return Add(attributes_, "vhlo", std::move(out));
  }
  return EnumNumber(kind, fallback, Flavor::kVhlo);
}

}  // namespace axle::mlir
