#include "axle/stablehlo/mlir/bytecode_entries.h"

#include <algorithm>

#include "axle/core/strings.h"

namespace axle::mlir {
namespace {

// How deep types and attributes may be nested. Whoever prints or converts them may recurse.
constexpr int kMaxDepth = 256;
// The same of locations: calls inside of calls, in Python as deep as its stack.
constexpr int kMaxLocationDepth = 4096;
// How many entries a type or attribute may be made of, where parts that it shares count each time:
// so much is printed of it. Locations may share more.
constexpr std::uint64_t kMaxTypeWeight = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxWeight = std::uint64_t{1} << 24;

struct DialectCodes {
  std::string_view name;
  const Attribute* (*attribute)(EntryCursor&) = nullptr;
  const Type* (*type)(EntryCursor&) = nullptr;
};

constexpr DialectCodes kDialects[] = {
    {"builtin", ReadBuiltinAttribute, ReadBuiltinType},
    {"vhlo", ReadVhloAttribute, ReadVhloType},
    {"stablehlo", ReadStablehloAttribute, ReadStablehloType},
    {"chlo", ReadChloAttribute, nullptr},
    {"sdy", ReadSdyAttribute, nullptr},
    {"quant", nullptr, ReadQuantType},
};

const DialectCodes* FindCodes(std::string_view dialect) {
  for (const DialectCodes& codes : kDialects) {
    if (codes.name == dialect) return &codes;
  }
  return nullptr;
}

}  // namespace

EntryCursor::EntryCursor(EntryTable& table, ByteRange range)
    : ByteCursor(table.file().bytes, range.begin, range.end), table_(table) {}

MlirModule& EntryCursor::module() {
  return table_.module();
}

const EntryTable::Slot* EntryTable::Refer(EntryCursor& in, std::uint64_t index, bool is_type,
                                          size_t offset) {
  if (!in.ok()) return nullptr;
  const std::vector<Slot>& slots = is_type ? types_ : attributes_;
  if (index >= slots.size()) {
    in.FailAt(offset, (is_type ? "type " : "attribute ") + std::to_string(index) +
                          " is asked for, of " + std::to_string(slots.size()));
    return nullptr;
  }
  const Slot& slot = slots[index];
  if (!slot.is_known()) {
    in.missing_.push_back(2 * index + (is_type ? 1 : 0));
    return nullptr;
  }
  in.depth_ = std::max(in.depth_, slot.depth);
  in.weight_ = std::min(in.weight_ + slot.weight, kMaxWeight + 1);
  return &slot;
}

const Attribute* EntryCursor::AttributeRef() {
  const size_t offset = this->offset();
  const EntryTable::Slot* slot = table_.Refer(*this, Varint(), false, offset);
  return slot != nullptr ? slot->attribute : &table_.placeholder_;
}

const Attribute* EntryCursor::OptionalAttributeRef() {
  const size_t offset = this->offset();
  bool is_there = false;
  const std::uint64_t index = FlaggedVarint(is_there);
  if (!ok() || !is_there) return nullptr;
  const EntryTable::Slot* slot = table_.Refer(*this, index, false, offset);
  return slot != nullptr ? slot->attribute : &table_.placeholder_;
}

const Type* EntryCursor::TypeRef() {
  const size_t offset = this->offset();
  const EntryTable::Slot* slot = table_.Refer(*this, Varint(), true, offset);
  return slot != nullptr ? slot->type : &table_.placeholder_type_;
}

std::string_view EntryCursor::String() {
  const size_t offset = this->offset();
  const std::uint64_t index = Varint();
  const std::vector<std::string_view>& strings = table_.file().strings;
  if (!ok()) return {};
  if (index < strings.size()) return strings[index];
  FailAt(offset,
         "string " + std::to_string(index) + " is asked for, of " + std::to_string(strings.size()));
  return {};
}

std::string_view EntryCursor::StringRef() {
  const size_t offset = this->offset();
  const Attribute* attribute = AttributeRef();
  if (!ready()) return {};
  if (attribute->kind == AttributeKind::kString) return attribute->text;
  FailAt(offset, "a string was expected, not an attribute of another kind");
  return {};
}

const Attribute* EntryCursor::NamedRef(std::string_view mnemonic) {
  const size_t offset = this->offset();
  const Attribute* attribute = AttributeRef();
  if (!ready() || attribute->mnemonic == mnemonic) return attribute;
  FailAt(offset, StrCat("an attribute ", mnemonic, " was expected, not one of another kind"));
  return attribute;
}

const Location* EntryCursor::LocationRef() {
  const size_t offset = this->offset();
  const Attribute* attribute = AttributeRef();
  if (!ready()) return table_.module().unknown_location();
  if (attribute->kind == AttributeKind::kLocation) return attribute->location;
  FailAt(offset, "a location was expected, not an attribute of another kind");
  return table_.module().unknown_location();
}

const Attribute* EntryCursor::Dictionary() {
  const size_t offset = this->offset();
  std::vector<NamedAttribute> fields(Count("entries of a dictionary", 2));
  std::vector<std::string_view> names;
  names.reserve(fields.size());
  for (NamedAttribute& field : fields) {
    field = {StringRef(), AttributeRef()};
    names.push_back(field.name);
  }
  if (!ready()) return nullptr;
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end()) {
    FailAt(offset, StrCat("the attribute \"", *twice, "\" is given twice"));
    return nullptr;
  }
  return module().NewAttribute(
      {.kind = AttributeKind::kDictionary, .fields = module().Copy(fields)});
}

std::vector<const Attribute*> EntryCursor::AttributeRefs() {
  std::vector<const Attribute*> result(Count("attributes"));
  for (const Attribute*& attribute : result) attribute = AttributeRef();
  return result;
}

std::vector<const Type*> EntryCursor::TypeRefs() {
  std::vector<const Type*> result(Count("types"));
  for (const Type*& type : result) type = TypeRef();
  return result;
}

Dims EntryCursor::Svarints() {
  Dims result(Count("numbers"));
  for (i64& value : result) value = Svarint();
  return result;
}

std::uint64_t EntryCursor::Bits(int width) {
  const std::uint64_t mask = width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
  if (width <= 8) return Byte() & mask;
  if (width <= 64) return static_cast<std::uint64_t>(Svarint()) & mask;
  const size_t words = Count("words of an integer");
  std::uint64_t low = 0;
  for (size_t i = 0; i < words; ++i) {
    const i64 word = Svarint();
    if (i == 0) low = static_cast<std::uint64_t>(word);
  }
  return low;
}

std::string_view EntryCursor::Blob() {
  return Take(Varint(), "elements");
}

EntryTable::EntryTable(const BytecodeFile& file, MlirModule& module, Limits* limits)
    : file_(file),
      module_(module),
      limits_(limits),
      attributes_(file.attributes.size()),
      types_(file.types.size()) {}

Status EntryTable::ReadAll() {
  for (size_t i = 0; i < types_.size(); ++i) AXLE_TRY(Read(2 * i + 1));
  for (size_t i = 0; i < attributes_.size(); ++i) AXLE_TRY(Read(2 * i));
  return {};
}

Status EntryTable::Read(std::uint64_t id) {
  std::vector<std::uint64_t> open{id};
  while (!open.empty()) {
    const std::uint64_t next = open.back();
    Slot& slot = SlotOf(next);
    if (slot.is_known()) {
      open.pop_back();
      continue;
    }
    if (limits_ != nullptr) AXLE_TRY(limits_->Check());
    slot.is_open = true;
    EntryCursor in(*this, EntryOf(next).bytes);
    Slot result;
    ReadEntry(next, in, result);
    if (!in.waits()) {
      AXLE_TRY(in.status(file_.label));
      result.depth = in.depth_ + 1;
      result.weight = in.weight_ + 1;
      slot = result;
      open.pop_back();
      continue;
    }
    for (const std::uint64_t missing : in.missing_) {
      if (SlotOf(missing).is_open) {
        return BytecodeError(file_.label, EntryOf(next).bytes.begin,
                             "this attribute or type contains itself");
      }
      open.push_back(missing);
    }
  }
  return {};
}

void EntryTable::ReadEntry(std::uint64_t id, EntryCursor& in, Slot& result) {
  const bool is_type = (id & 1) != 0;
  const BytecodeFile::Entry& entry = EntryOf(id);
  const std::string_view dialect = file_.dialects[entry.dialect].name;
  if (!entry.is_custom) {
    const size_t offset = in.offset();
    const std::string_view text = in.TakeText("the text of an attribute or type");
    if (!in.ok()) return;
    Status status;
    if (is_type) {
      StatusOr<const Type*> type = ReadTypeText(module_, text);
      status = type.status();
      if (status.ok()) result.type = *type;
    } else {
      StatusOr<const Attribute*> attribute = ReadAttributeText(module_, text);
      status = attribute.status();
      if (status.ok()) result.attribute = *attribute;
    }
    if (!status.ok()) in.FailAt(offset, status.message(), status.code());
  } else {
    const DialectCodes* codes = FindCodes(dialect);
    if (codes == nullptr || (is_type ? codes->type == nullptr : codes->attribute == nullptr)) {
      return in.FailAt(in.offset(),
                       "the encoding of " + std::string(is_type ? "types" : "attributes") +
                           " of the dialect " + std::string(dialect) + " is not known",
                       StatusCode::kUnimplemented);
    }
    if (is_type) {
      result.type = codes->type(in);
    } else {
      result.attribute = codes->attribute(in);
    }
  }
  if (!in.ready()) return;
  if (!in.done()) {
    return in.Fail(std::to_string(in.remaining()) + " bytes follow this " +
                   (is_type ? "type" : "attribute") + " of the dialect " + std::string(dialect));
  }
  const bool is_location = !is_type && result.attribute->kind == AttributeKind::kLocation;
  const int limit = is_location ? kMaxLocationDepth : kMaxDepth;
  if (in.depth_ >= limit) {
    in.FailAt(entry.bytes.begin, "attributes, types or locations are nested more than " +
                                     std::to_string(limit) + " deep");
  }
  const std::uint64_t max_weight = is_type ? kMaxTypeWeight : kMaxWeight;
  if (!is_location && in.weight_ > max_weight) {
    in.FailAt(entry.bytes.begin, "this attribute or type is made of more than " +
                                     std::to_string(max_weight) + " others");
  }
}

std::string_view EntryTable::StrippedText(const Attribute& attribute) {
  // "#sdy.sharding<@mesh, []>", "#sdy<axis_ref"x">" and "#sdy<dim_mapping ij>".
  if (attribute.kind != AttributeKind::kOther) return {};
  std::string_view text = attribute.text;
  const auto is_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const auto skip_name = [&] {
    while (!text.empty() && is_name(text.front())) text.remove_prefix(1);
  };
  if (!text.starts_with('#')) return {};
  text.remove_prefix(1);
  skip_name();
  if (text.empty()) return {};
  const bool is_enclosed = text.front() == '<';
  text.remove_prefix(1);
  skip_name();
  if (is_enclosed && text.ends_with('>')) text.remove_suffix(1);
  if (is_enclosed && text.starts_with(' ')) text.remove_prefix(1);
  return text;
}

std::string QuotedText(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || byte < 0x20 || byte >= 0x7f) {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      out += {'\\', kDigits[byte >> 4], kDigits[byte & 15]};
    } else {
      out += c;
    }
  }
  return out + "\"";
}

const Attribute* MakeString(MlirModule& module, std::string_view text) {
  return module.NewAttribute({.kind = AttributeKind::kString, .text = module.Text(text)});
}

const Attribute* MakeBool(MlirModule& module, bool value) {
  return module.NewAttribute({.kind = AttributeKind::kBool, .integer = value ? 1 : 0});
}

const Attribute* MakeInteger(MlirModule& module, i64 value, const Type* type) {
  return module.NewAttribute({.kind = AttributeKind::kInteger, .type = type, .integer = value});
}

const Attribute* MakeI64(MlirModule& module, i64 value) {
  return MakeInteger(module, value, module.Element(S64));
}

const Attribute* MakeI64s(MlirModule& module, const Dims& values) {
  const Dims dims{static_cast<i64>(values.size())};
  return module.NewAttribute(
      {.kind = AttributeKind::kElements,
       .type = module.Tensor(dims, module.Element(S64)),
       .mnemonic = "array",
       .literal = module.Keep(Literal::Array<i64>(S64, dims, {values.data(), values.size()}))});
}

const Attribute* MakeArray(MlirModule& module, const std::vector<const Attribute*>& elements) {
  return module.NewAttribute({.kind = AttributeKind::kArray, .elements = module.Copy(elements)});
}

const Attribute* MakeOther(MlirModule& module, std::string_view text) {
  return module.NewAttribute({.kind = AttributeKind::kOther, .text = module.Text(text)});
}

const Attribute* MakeStruct(MlirModule& module, std::string_view mnemonic,
                            std::vector<NamedAttribute> fields) {
  std::ranges::sort(fields, {}, &NamedAttribute::name);
  return module.NewAttribute(
      {.kind = AttributeKind::kStruct, .mnemonic = mnemonic, .fields = module.Copy(fields)});
}

}  // namespace axle::mlir
