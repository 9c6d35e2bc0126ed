// Two walks over the module, both with a stack of their own. The first counts the values of each
// region, because a region's numbers begin behind all of the region around it, and finds where a
// cast is needed; the second writes.
#include "axle/stablehlo/mlir/bytecode_writer.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "axle/stablehlo/mlir/bytecode_encoder.h"
#include "axle/stablehlo/mlir/bytecode_file.h"

namespace axle::mlir {
namespace {

constexpr std::string_view kCast = "builtin.unrealized_conversion_cast";

bool IsVhlo(const Operation& op) {
  return op.syntax != nullptr && !op.syntax->versions.empty();
}

class ModuleWriter {
 public:
  ModuleWriter(const MlirModule& module, StableHloVersion version)
      : module_(module), encoder_(version) {}

  StatusOr<std::string> Write();

 private:
  // The regions of an operation, of which one is being written.
  struct Frame {
    const Operation* op = nullptr;
    size_t region = 0, block = 0, index = 0;
    bool is_open = false;           // in the middle of `region`
    std::optional<size_t> section;  // isolated: where the size of its section is
    size_t scope_around = 0;
    std::uint64_t base = 0;  // first number of its regions
    std::uint64_t next_value = 0, end_value = 0;
  };
  struct Number {
    size_t scope = 0;  // isolated regions count for themselves
    std::uint64_t value = 0;
  };

  Status Prepare(const Operation& op);
  Status Step();
  Status BeginOperation(const Operation& op);
  Status BeginBlock(Frame& frame);
  Status WriteCast(const Value& value, const Operation& op);
  StatusOr<size_t> VhloVersion(const Operation& op) const;
  Status CheckVersion(const Operation& op, size_t version) const;
  StatusOr<std::string> VhloProperties(const Operation& op, size_t version);
  StatusOr<std::string> PlainProperties(const Operation& op);
  StatusOr<std::optional<std::uint64_t>> Discardable(const Operation& op);
  StatusOr<std::uint64_t> ValueNumber(const Value& value, const Operation& op) const;
  void Define(const Value& value) { numbers_[&value] = {scope_, frames_.back().next_value++}; }
  Flavor FlavorOf(const Value& value) const {
    return of_builtin_.contains(&value) ? Flavor::kBuiltin : Flavor::kVhlo;
  }
  std::vector<const Value*> CastsOf(const Operation& op) const;
  std::uint64_t OpName(std::string_view dialect, std::string_view name);
  std::string Assemble();

  const MlirModule& module_;
  BytecodeEncoder encoder_;
  ByteWriter body_;
  std::unordered_set<const Value*> of_builtin_;  // values with types of the dialect builtin
  std::unordered_map<const Region*, std::uint64_t> num_values_;
  std::unordered_map<const Block*, std::uint64_t> num_casts_;
  std::unordered_map<const Value*, Number> numbers_;
  std::unordered_map<const Value*, std::uint64_t> casts_;  // of the operation being written
  std::vector<Frame> frames_;
  size_t scope_ = 0, num_scopes_ = 0;
  struct Name {
    std::uint64_t dialect, text;
  };
  std::unordered_map<std::string, std::uint64_t> name_numbers_;
  std::vector<Name> names_;
  TextTable properties_;
};

// The values that this operation wants in types of the other dialect, each once, in their order.
std::vector<const Value*> ModuleWriter::CastsOf(const Operation& op) const {
  std::vector<const Value*> casts;
  if (op.name == kCast) return casts;
  const Flavor wanted = IsVhlo(op) ? Flavor::kVhlo : Flavor::kBuiltin;
  std::unordered_set<const Value*> seen;
  for (const Value* operand : op.operands) {
    if (FlavorOf(*operand) != wanted && seen.insert(operand).second) casts.push_back(operand);
  }
  return casts;
}

Status ModuleWriter::Prepare(const Operation& op) {
  const bool is_shardy = op.name.starts_with("sdy.");
  if (!IsVhlo(op) && !is_shardy && op.name != kCast && op.name != "builtin.module") {
    return module_.ErrorAt(op,
                           "VHLO, which portable artifacts are made of, has no form of this "
                           "operation",
                           StatusCode::kUnimplemented);
  }
  const bool is_cast = op.name == kCast;
  const bool from_vhlo =
      is_cast && (op.operands.empty() || FlavorOf(*op.operands[0]) == Flavor::kVhlo);
  if (is_shardy || from_vhlo) {
    for (const Value& result : op.results) of_builtin_.insert(&result);
  }
  if (op.block != nullptr) {
    const size_t casts = CastsOf(op).size();
    num_values_[op.block->region] += op.results.size() + casts;
    if (casts > 0) num_casts_[op.block] += casts;
  }
  for (const Region& region : op.regions) {
    for (const Block& block : region.blocks) {
      num_values_[&region] += block.arguments.size();
      if (!is_shardy) continue;
      for (const Value& argument : block.arguments) of_builtin_.insert(&argument);
    }
  }
  return {};
}

// Calls enter(op) before the regions of each operation.
template <typename Function>
Status ForEach(const Operation& top, Function enter) {
  struct Open {
    const Operation* op;
    size_t region = 0, block = 0, index = 0;
  };
  std::vector<Open> open{{.op = &top}};
  AXLE_TRY(enter(top));
  while (!open.empty()) {
    Open& frame = open.back();
    if (frame.region == frame.op->regions.size()) {
      open.pop_back();
      continue;
    }
    const Region& region = frame.op->regions[frame.region];
    if (frame.block == region.blocks.size()) {
      ++frame.region, frame.block = 0, frame.index = 0;
      continue;
    }
    const Block& block = region.blocks[frame.block];
    if (frame.index == block.operations.size()) {
      ++frame.block, frame.index = 0;
      continue;
    }
    const Operation* op = block.operations[frame.index++];
    AXLE_TRY(enter(*op));
    if (!op->regions.empty()) open.push_back({.op = op});
  }
  return {};
}

std::uint64_t ModuleWriter::OpName(std::string_view dialect, std::string_view name) {
  const std::uint64_t number = encoder_.dialects().Add(dialect);
  const auto [at, is_new] =
      name_numbers_.try_emplace(std::string(dialect) + "." + std::string(name), names_.size());
  if (is_new) names_.push_back({number, encoder_.strings().Add(name)});
  return at->second;
}

// The newest form of the operation that the version of StableHLO has.
StatusOr<size_t> ModuleWriter::VhloVersion(const Operation& op) const {
  size_t version = 0;
  for (const std::string_view since : op.syntax->versions) {
    if (ParseStableHloVersion(since).value_or(kNewestStableHlo) > encoder_.version()) break;
    ++version;
  }
  if (version > 0) return version;
  return module_.ErrorAt(op,
                         "StableHLO " + encoder_.version().ToString() + " has no operation " +
                             std::string(op.name) + ", which " +
                             std::string(op.syntax->versions[0]) + " brought",
                         StatusCode::kUnimplemented);
}

// Whether an attribute says what its absence would.
bool IsDefault(const AttributeSyntax& syntax, const Attribute& value) {
  if (syntax.kind == "accuracy") {
    const Attribute* mode = value.Field("mode");
    const auto is_zero = [&](std::string_view name) {
      const Attribute* field = value.Field(name);
      return field == nullptr || (field->number == 0 && field->integer == 0);
    };
    return (mode == nullptr || mode->text == "DEFAULT") && is_zero("atol") && is_zero("rtol") &&
           is_zero("ulps");
  }
  if (syntax.fallback == "none") return false;
  if (syntax.fallback == "false") return value.integer == 0;
  const std::optional<Dims> values = Ints(value);
  return (values && values->empty()) ||
         (value.kind == AttributeKind::kArray && value.elements.empty());
}

// What the older form of the operation does not have.
Status ModuleWriter::CheckVersion(const Operation& op, size_t version) const {
  const auto lacks = [&](std::string_view what) {
    return module_.ErrorAt(op,
                           "StableHLO " + encoder_.version().ToString() + " has no " +
                               std::string(what) + " in " + std::string(op.name) + ", which " +
                               std::string(op.syntax->versions[version]) + " brought",
                           StatusCode::kUnimplemented);
  };
  if (version == op.syntax->versions.size()) return {};
  for (const AttributeSyntax& attribute : op.syntax->attributes) {
    if (attribute.since <= static_cast<int>(version)) continue;
    const Attribute* value = op.Find(attribute.name);
    if (value != nullptr && !IsDefault(attribute, *value)) {
      return lacks("attribute " + std::string(attribute.name));
    }
  }
  if (op.name == "stablehlo.composite" && !op.regions.empty()) return lacks("regions");
  // The first forms of the collectives had one operand.
  const bool is_collective = op.syntax->operands.size() == 1 && op.syntax->operands[0].variadic &&
                             op.Find("replica_groups") != nullptr;
  if (is_collective && op.operands.size() != 1) return lacks("second operand");
  return {};
}

// How many dimensions the lists of defaults are for.
size_t ListSize(const Operation& op) {
  for (const std::string_view name : {"input_spatial_dimensions", "window_dimensions"}) {
    const Attribute* list = op.Find(name);
    if (list != nullptr) return Ints(*list).value_or(Dims()).size();
  }
  return 0;
}

// A custom call of the typed interface has a dictionary where others have a string.
bool IsEmptyConfig(const Operation& op, const AttributeSyntax& syntax) {
  const Attribute* api = op.Find("api_version");
  return syntax.name == "backend_config" && api != nullptr && api->text == "TYPED_FFI";
}

StatusOr<std::string> ModuleWriter::VhloProperties(const Operation& op, size_t version) {
  ByteWriter out;
  for (const AttributeSyntax& syntax : op.syntax->attributes) {
    const int number = static_cast<int>(version);
    if (syntax.since > number || syntax.until < number) continue;
    const Attribute* value = op.Find(syntax.name);
    if (value == nullptr && syntax.required && syntax.since == 1) {
      return module_.ErrorAt(op, "the attribute " + std::string(syntax.name) + " is missing");
    }
    const StatusOr<std::uint64_t> entry =
        value != nullptr            ? encoder_.OfKind(syntax, *value)
        : IsEmptyConfig(op, syntax) ? encoder_.DictionaryNumber({}, Flavor::kVhlo, Flavor::kVhlo)
                                    : encoder_.Default(syntax, ListSize(op));
    if (!entry.ok()) {
      return module_.ErrorAt(op, entry.status().message(), entry.status().code());
    }
    out.Varint(*entry);
  }
  return out.Take();
}

StatusOr<std::string> ModuleWriter::PlainProperties(const Operation& op) {
  ByteWriter out;
  if (op.syntax == nullptr) return out.Take();
  for (const AttributeSyntax& syntax : op.syntax->attributes) {
    const Attribute* value = op.Find(syntax.name);
    std::uint64_t number = 0;
    if (value != nullptr) {
      AXLE_ASSIGN(number, encoder_.AttributeNumber(*value, Flavor::kBuiltin));
    } else if (syntax.required) {
      return module_.ErrorAt(op, "the attribute " + std::string(syntax.name) + " is missing");
    }
    if (syntax.required) {
      out.Varint(number);
    } else {
      out.FlaggedVarint(number, value != nullptr);
    }
  }
  return out.Take();
}

// The dictionary of what no row has.
StatusOr<std::optional<std::uint64_t>> ModuleWriter::Discardable(const Operation& op) {
  std::vector<NamedAttribute> rest;
  for (const NamedAttribute& entry : op.attributes) {
    if (op.syntax == nullptr || op.syntax->FindAttribute(entry.name) == nullptr) {
      rest.push_back(entry);
    }
  }
  if (rest.empty()) return std::optional<std::uint64_t>();
  const StatusOr<std::uint64_t> number = encoder_.DictionaryNumber(
      rest, Flavor::kBuiltin, IsVhlo(op) ? Flavor::kVhlo : Flavor::kBuiltin);
  if (!number.ok()) return module_.ErrorAt(op, number.status().message(), number.status().code());
  return std::optional<std::uint64_t>(*number);
}

StatusOr<std::uint64_t> ModuleWriter::ValueNumber(const Value& value, const Operation& op) const {
  if (const auto cast = casts_.find(&value); cast != casts_.end()) return cast->second;
  const auto at = numbers_.find(&value);
  if (at != numbers_.end() && at->second.scope == scope_) return at->second.value;
  return module_.ErrorAt(op, at == numbers_.end()
                                 ? "an operand is defined behind the operation"
                                 : "an operand is a value outside of the isolated region around");
}

Status ModuleWriter::WriteCast(const Value& value, const Operation& op) {
  const Flavor target = FlavorOf(value) == Flavor::kVhlo ? Flavor::kBuiltin : Flavor::kVhlo;
  AXLE_ASSIGN(const std::uint64_t operand, ValueNumber(value, op));
  AXLE_ASSIGN(const std::uint64_t type, encoder_.TypeNumber(*value.type, target));
  AXLE_ASSIGN(const std::uint64_t location, encoder_.LocationNumber(*op.location));
  body_.Varint(OpName("builtin", kCast.substr(kCast.find('.') + 1)));
  body_.Byte(kHasResults | kHasOperands);
  body_.Varint(location);
  body_.Varint(1);
  body_.Varint(type);
  body_.Varint(1);
  body_.Varint(operand);
  casts_[&value] = frames_.back().next_value++;
  return {};
}

Status ModuleWriter::BeginOperation(const Operation& op) {
  casts_.clear();
  for (const Value* value : CastsOf(op)) AXLE_TRY(WriteCast(*value, op));
  const size_t dot = op.name.find('.');
  std::string properties;
  std::uint64_t name = 0;
  if (IsVhlo(op)) {
    AXLE_ASSIGN(const size_t version, VhloVersion(op));
    AXLE_TRY(CheckVersion(op, version));
    name = OpName("vhlo", std::string(op.name.substr(dot + 1)) + "_v" + std::to_string(version));
    AXLE_ASSIGN(properties, VhloProperties(op, version));
  } else {
    name = OpName(op.name.substr(0, dot), op.name.substr(dot + 1));
    AXLE_ASSIGN(properties, PlainProperties(op));
  }
  AXLE_ASSIGN(const std::optional<std::uint64_t> attributes, Discardable(op));
  AXLE_ASSIGN(const std::uint64_t location, encoder_.LocationNumber(*op.location));
  const int mask = (attributes ? kHasAttributes : 0) | (properties.empty() ? 0 : kHasProperties) |
                   (op.results.empty() ? 0 : kHasResults) |
                   (op.operands.empty() ? 0 : kHasOperands) |
                   (op.regions.empty() ? 0 : kHasRegions);
  body_.Varint(name);
  body_.Byte(static_cast<std::uint8_t>(mask));
  body_.Varint(location);
  if (attributes) body_.Varint(*attributes);
  if (!properties.empty()) body_.Varint(properties_.Add(properties));
  if (!op.results.empty()) body_.Varint(op.results.size());
  for (const Value& result : op.results) {
    const StatusOr<std::uint64_t> type = encoder_.TypeNumber(*result.type, FlavorOf(result));
    if (!type.ok()) return module_.ErrorAt(op, type.status().message(), type.status().code());
    body_.Varint(*type);
  }
  if (!op.operands.empty()) body_.Varint(op.operands.size());
  for (const Value* operand : op.operands) {
    AXLE_ASSIGN(const std::uint64_t number, ValueNumber(*operand, op));
    body_.Varint(number);
  }
  for (const Value& result : op.results) Define(result);
  if (op.regions.empty()) return {};
  const bool is_isolated = op.syntax != nullptr && op.syntax->isolated;
  body_.FlaggedVarint(op.regions.size(), is_isolated);
  Frame frame{.op = &op, .section = std::nullopt, .scope_around = scope_};
  frame.base = frames_.empty() || is_isolated ? 0 : frames_.back().end_value;
  if (is_isolated) {
    scope_ = ++num_scopes_;
    body_.Byte(kIrSection);
    frame.section = body_.Reserve();
  }
  frames_.push_back(frame);
  return {};
}

Status ModuleWriter::BeginBlock(Frame& frame) {
  const Block& block = frame.op->regions[frame.region].blocks[frame.block];
  frame.index = 0;
  const auto casts = num_casts_.find(&block);
  body_.FlaggedVarint(block.operations.size() + (casts != num_casts_.end() ? casts->second : 0),
                      !block.arguments.empty());
  if (block.arguments.empty()) return {};
  body_.Varint(block.arguments.size());
  for (const Value& argument : block.arguments) {
    const StatusOr<std::uint64_t> type = encoder_.TypeNumber(*argument.type, FlavorOf(argument));
    if (!type.ok()) {
      return module_.ErrorAt(*frame.op, type.status().message(), type.status().code());
    }
    const bool has_location =
        argument.location != nullptr && argument.location->kind != Location::Kind::kUnknown;
    body_.FlaggedVarint(*type, has_location);
    if (has_location) {
      AXLE_ASSIGN(const std::uint64_t location, encoder_.LocationNumber(*argument.location));
      body_.Varint(location);
    }
    Define(argument);
  }
  body_.Byte(0);  // no orders of uses
  return {};
}

Status ModuleWriter::Step() {
  Frame& frame = frames_.back();
  if (frame.is_open) {
    const Region& region = frame.op->regions[frame.region];
    const Block& block = region.blocks[frame.block];
    if (frame.index < block.operations.size()) {
      return BeginOperation(*block.operations[frame.index++]);
    }
    if (++frame.block < region.blocks.size()) return BeginBlock(frame);
    frame.is_open = false;
    ++frame.region;
    return {};
  }
  if (frame.region < frame.op->regions.size()) {
    const Region& region = frame.op->regions[frame.region];
    body_.Varint(region.blocks.size());
    if (region.blocks.empty()) {
      ++frame.region;
      return {};
    }
    const std::uint64_t num_values = num_values_[&region];
    body_.Varint(num_values);
    frame.next_value = frame.base;
    frame.end_value = frame.base + num_values;
    frame.is_open = true;
    frame.block = 0;
    return BeginBlock(frame);
  }
  if (frame.section) body_.Fill(*frame.section, body_.size() - *frame.section - 9);
  scope_ = frame.scope_around;
  frames_.pop_back();
  return {};
}

void WriteSection(ByteWriter& out, SectionId id, const ByteWriter& data) {
  out.Byte(id);
  out.Blob(data.bytes());
}

// One group for each run of entries of a dialect.
void WriteEntries(const std::vector<BytecodeEncoder::Entry>& entries, ByteWriter& offsets,
                  ByteWriter& data) {
  for (size_t begin = 0; begin < entries.size();) {
    size_t end = begin;
    while (end < entries.size() && entries[end].dialect == entries[begin].dialect) ++end;
    offsets.Varint(entries[begin].dialect);
    offsets.Varint(end - begin);
    for (; begin < end; ++begin) {
      offsets.FlaggedVarint(entries[begin].bytes.size(), entries[begin].is_custom);
      data.Bytes(entries[begin].bytes);
    }
  }
}

std::string ModuleWriter::Assemble() {
  ByteWriter dialects;
  const std::vector<std::string_view>& dialect_names = encoder_.dialects().texts();
  dialects.Varint(dialect_names.size());
  for (const std::string_view name : dialect_names) {
    dialects.FlaggedVarint(encoder_.strings().Add(name), false);
  }
  dialects.Varint(names_.size());
  for (size_t begin = 0; begin < names_.size();) {
    size_t end = begin;
    while (end < names_.size() && names_[end].dialect == names_[begin].dialect) ++end;
    dialects.Varint(names_[begin].dialect);
    dialects.Varint(end - begin);
    for (; begin < end; ++begin) dialects.FlaggedVarint(names_[begin].text, true);
  }
  ByteWriter offsets, entries;
  offsets.Varint(encoder_.attributes().size());
  offsets.Varint(encoder_.types().size());
  WriteEntries(encoder_.attributes(), offsets, entries);
  WriteEntries(encoder_.types(), offsets, entries);
  ByteWriter resources;
  resources.Varint(0);
  ByteWriter strings;
  const std::vector<std::string_view>& texts = encoder_.strings().texts();
  strings.Varint(texts.size());
  for (size_t i = texts.size(); i > 0; --i) strings.Varint(texts[i - 1].size() + 1);
  for (const std::string_view text : texts) {
    strings.Bytes(text);
    strings.Byte(0);
  }
  ByteWriter properties;
  properties.Varint(properties_.texts().size());
  for (const std::string_view text : properties_.texts()) properties.Blob(text);

  ByteWriter out;
  out.Bytes("ML\xefR");
  out.Varint(kNewestContainer);
  out.Bytes("StableHLO_v" + encoder_.version().ToString());
  out.Byte(0);
  WriteSection(out, kDialectSection, dialects);
  WriteSection(out, kEntryOffsetSection, offsets);
  WriteSection(out, kEntrySection, entries);
  WriteSection(out, kIrSection, body_);
  WriteSection(out, kResourceOffsetSection, resources);
  WriteSection(out, kResourceSection, ByteWriter());
  WriteSection(out, kStringSection, strings);
  WriteSection(out, kPropertySection, properties);
  return out.Take();
}

StatusOr<std::string> ModuleWriter::Write() {
  const Operation& top = *module_.top();
  AXLE_TRY(ForEach(top, [&](const Operation& op) { return Prepare(op); }));
  body_.FlaggedVarint(1, false);
  AXLE_TRY(BeginOperation(top));
  while (!frames_.empty()) AXLE_TRY(Step());
  return Assemble();
}

}  // namespace

StatusOr<std::string> WriteMlirBytecode(const MlirModule& module,
                                        const BytecodeWriteOptions& options) {
  const StableHloVersion version = options.stablehlo_version;
  if (version < kOldestStableHlo || version > kNewestStableHlo) {
    return Unimplemented("bytecode: StableHLO " + version.ToString() +
                         " cannot be written; versions from " + kOldestStableHlo.ToString() +
                         " to " + kNewestStableHlo.ToString() + " can");
  }
  AXLE_INVARIANT(module.top() != nullptr, "bytecode: a module without operations");
  return ModuleWriter(module, version).Write();
}

}  // namespace axle::mlir
