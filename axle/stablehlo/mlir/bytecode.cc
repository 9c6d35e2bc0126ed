// The operations of a file in MLIR bytecode.
//
//   op     := name mask location [attributes] [properties] [results] [operands] [successors]
//             [orders of uses] [regions]
//   region := number of blocks [number of values, blocks]
//   block  := number of operations, and whether there are arguments [arguments] operations
//
// Values have numbers: a region takes as many as it says that its blocks define, from the first
// that is free, and gives them back at its end; arguments and results take the next one each. An
// isolated region counts from 0. Regions are read with a stack of frames, not by recursion.
#include "axle/stablehlo/mlir/bytecode.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "axle/stablehlo/mlir/bytecode_entries.h"
#include "axle/stablehlo/mlir/bytecode_file.h"
#include "axle/stablehlo/mlir/bytecode_op_kinds.h"
#include "axle/stablehlo/mlir/vhlo_codes.h"

namespace axle::mlir {
namespace {

constexpr std::string_view kMagic = "ML\xefR";
constexpr std::string_view kStableHloProducer = "StableHLO_v";

// How many attributes operations may have for each byte of the section with them.
constexpr size_t kAttributesPerByte = 32;

class IrReader {
 public:
  IrReader(const BytecodeFile& file, MlirModule& module, EntryTable& table, Limits* limits)
      : file_(file),
        module_(module),
        table_(table),
        limits_(limits),
        in_(table, file.ir),
        kinds_(file.op_names.size()),
        attributes_left_(kAttributesPerByte * (file.ir.end - file.ir.begin) + (1 << 16)) {}

  Status Read();

 private:
  // The regions of an operation, of which one is being read.
  struct Frame {
    Operation* op = nullptr;
    size_t next_region = 0;
    std::optional<size_t> end_around;  // in a section of its own: where the one around ends
    size_t scope_around = 0;           // first value of the isolation scope around
    // Of the region.
    bool is_open = false;
    bool has_one_block = false;
    std::uint64_t blocks_left = 0, ops_left = 0;
    Block* block = nullptr;
    size_t first_value = 0, next_value = 0;
  };
  struct ForwardUse {
    Value** operand;
    const Operation* op;
  };

  Status Step();
  Status OpenRegion(Frame& frame);
  Status CloseRegion(Frame& frame);
  Status OpenBlock(Frame& frame);
  Status ReadArguments(Frame& frame);
  Status ReadOperation(Frame& frame);
  Status ReadAttributes(Operation& op, const OpKind& kind, std::uint8_t mask, size_t offset);
  Status AddDictionary(Operation& op, const OpKind& kind, const Attribute& all, size_t offset);
  StatusOr<int> FirstAbsentAge(const OpKind& kind, const EntryCursor& in) const;
  Status ReadProperties(Operation& op, const OpKind& kind, EntryCursor& in);
  Status ReadSegments(Operation& op, const OpKind& kind, EntryCursor& in);
  Status AddAttribute(const OpKind& kind, std::string_view name, const Attribute& value,
                      size_t offset);
  Status FinishAttributes(const OpKind& kind, size_t offset);
  Status EnterRegions(Operation& op, bool is_isolated);
  Status FindOperand(Operation& op, size_t index, std::uint64_t number, size_t offset);
  Status Define(Frame& frame, Value& value, size_t offset);
  Status CheckCounts(const Operation& op, size_t offset) const;
  // For messages.
  static std::string NameOf(const OpKind& kind) {
    return kind.name.empty() ? "stablehlo.return" : std::string(kind.name);
  }
  void SkipUseOrders(size_t num_values);
  StatusOr<const OpKind*> KindOf(std::uint64_t number, size_t offset);
  Status SetTop(Operation& around);
  Status Error(size_t offset, std::string_view what,
               StatusCode code = StatusCode::kInvalidArgument) const {
    return BytecodeError(file_.label, offset, what, code);
  }
  Status status() const { return in_.status(file_.label); }

  const BytecodeFile& file_;
  MlirModule& module_;
  EntryTable& table_;
  Limits* limits_;
  EntryCursor in_;
  std::vector<std::optional<OpKind>> kinds_;
  std::vector<Frame> frames_;
  std::vector<Value*> values_;  // of all regions that are open; null: not defined yet
  size_t scope_ = 0;            // first value of the isolation scope
  std::unordered_map<size_t, std::vector<ForwardUse>> forward_;
  std::vector<NamedAttribute> attributes_;  // of the operation that is being read
  size_t num_ops_ = 0;
  size_t num_undefined_ = 0;  // values that open regions are yet to define
  size_t num_unread_ = 0;     // regions of open operations that are yet to be read
  // Attributes that operations may still have: those of a dictionary are in each operation that
  // refers to it.
  size_t attributes_left_ = 0;
  // Of arrays, what Normalize made of them for a row.
  std::map<std::pair<const Attribute*, const AttributeSyntax*>, const Attribute*> normal_arrays_;
};

Status IrReader::Read() {
  // The section is a block whose one operation is the module.
  Operation* around = module_.NewOperation("builtin.module", 0, 0, 1);
  around->syntax = FindSyntax(around->name);
  Block* block = module_.NewBlock(around->regions[0], 0);
  bool has_arguments = false;
  const std::uint64_t num_ops = in_.FlaggedVarint(has_arguments);
  const size_t count = in_.CheckedCount(num_ops, "operations", 2);
  AXLE_TRY(status());
  if (has_arguments) return Error(file_.ir.begin, "the block of the module has arguments");
  frames_.push_back({.op = around,
                     .next_region = 1,
                     .end_around = std::nullopt,
                     .is_open = true,
                     .has_one_block = true,
                     .ops_left = count,
                     .block = block});
  while (!frames_.empty()) AXLE_TRY(Step());
  if (!in_.done()) return Error(in_.offset(), "bytes follow the last operation");
  return SetTop(*around);
}

// The one module of the file, or what was read as a module.
Status IrReader::SetTop(Operation& around) {
  const std::vector<Operation*>& ops = around.regions[0].blocks[0].operations;
  const bool is_module = ops.size() == 1 && ops[0]->name == "builtin.module";
  if (is_module) ops[0]->block = nullptr;
  module_.set_top(is_module ? ops[0] : &around);
  return {};
}

Status IrReader::Step() {
  Frame& frame = frames_.back();
  if (frame.ops_left > 0) {
    --frame.ops_left;
    return ReadOperation(frame);
  }
  if (frame.blocks_left > 0) return OpenBlock(frame);
  if (frame.is_open) return CloseRegion(frame);
  if (frame.next_region < frame.op->regions.size()) return OpenRegion(frame);
  if (frame.end_around) {
    if (!in_.done()) return Error(in_.offset(), "bytes follow the last region of an operation");
    in_.SetEnd(*frame.end_around);
  }
  scope_ = frame.scope_around;
  frames_.pop_back();
  return {};
}

Status IrReader::OpenRegion(Frame& frame) {
  ++frame.next_region;
  --num_unread_;
  const size_t num_blocks = in_.Count("blocks");
  if (!in_.ok() || num_blocks == 0) return status();
  const size_t offset = in_.offset();
  const size_t num_values = in_.Count("values");
  AXLE_TRY(status());
  // Each value that is yet to be defined, of all open regions, takes a byte that is yet to come.
  if (num_values > file_.ir.end - in_.offset() - num_undefined_) {
    return Error(offset, std::to_string(num_values) + " values are announced, and " +
                             std::to_string(num_undefined_) + " of the regions around, but only " +
                             std::to_string(file_.ir.end - in_.offset()) + " bytes are left");
  }
  num_undefined_ += num_values;
  frame.is_open = true;
  frame.has_one_block = num_blocks == 1;
  frame.blocks_left = num_blocks;
  frame.first_value = frame.next_value = values_.size();
  values_.resize(values_.size() + num_values);
  return {};
}

Status IrReader::CloseRegion(Frame& frame) {
  if (frame.next_value != values_.size()) {
    return Error(in_.offset(), "a region of " + std::string(frame.op->name) + " defines " +
                                   std::to_string(frame.next_value - frame.first_value) +
                                   " values, where it announced " +
                                   std::to_string(values_.size() - frame.first_value));
  }
  values_.resize(frame.first_value);
  frame.is_open = false;
  return {};
}

Status IrReader::OpenBlock(Frame& frame) {
  --frame.blocks_left;
  bool has_arguments = false;
  const std::uint64_t num_ops = in_.FlaggedVarint(has_arguments);
  frame.ops_left = in_.CheckedCount(num_ops, "operations", 2);
  AXLE_TRY(status());
  if (has_arguments) return ReadArguments(frame);
  frame.block = module_.NewBlock(frame.op->regions[frame.next_region - 1], 0);
  return {};
}

Status IrReader::ReadArguments(Frame& frame) {
  const size_t count = in_.Count("arguments of a block");
  AXLE_TRY(status());
  frame.block = module_.NewBlock(frame.op->regions[frame.next_region - 1], count);
  for (Value& argument : frame.block->arguments) {
    const size_t offset = in_.offset();
    bool has_location = true;
    std::uint64_t type = 0;
    if (file_.version >= kElidedArgumentLocation) {
      type = in_.FlaggedVarint(has_location);
    } else {
      type = in_.Varint();
    }
    AXLE_TRY(status());
    argument.type = table_.TypeAt(type);
    if (argument.type == nullptr) {
      return Error(offset, "type " + std::to_string(type) + " is asked for, of " +
                               std::to_string(file_.types.size()));
    }
    argument.location = has_location ? in_.LocationRef() : module_.unknown_location();
    AXLE_TRY(status());
    AXLE_TRY(Define(frame, argument, offset));
  }
  if (file_.version >= kUseListOrders && in_.Byte() != 0) SkipUseOrders(count);
  return status();
}

// Gives `value` the next number of the region.
Status IrReader::Define(Frame& frame, Value& value, size_t offset) {
  if (frame.next_value == values_.size() || !frame.is_open) {
    return Error(offset,
                 "a region of " + std::string(frame.op->name) + " defines more values than the " +
                     std::to_string(values_.size() - frame.first_value) + " that it announced");
  }
  const size_t number = frame.next_value++;
  --num_undefined_;
  values_[number] = &value;
  if (forward_.empty()) return {};
  const auto uses = forward_.find(number);
  if (uses == forward_.end()) return {};
  for (const ForwardUse& use : uses->second) *use.operand = &value;
  forward_.erase(uses);
  return {};
}

StatusOr<const OpKind*> IrReader::KindOf(std::uint64_t number, size_t offset) {
  if (number >= kinds_.size()) {
    return Error(offset, "the name of operation " + std::to_string(number) + " is asked for, of " +
                             std::to_string(kinds_.size()));
  }
  std::optional<OpKind>& kind = kinds_[number];
  if (!kind) {
    AXLE_ASSIGN(kind, FindOpKind(file_, file_.op_names[number], module_));
  }
  return &*kind;
}

// What the order of the uses of values was, which nothing here depends on.
void IrReader::SkipUseOrders(size_t num_values) {
  const size_t count = num_values == 1 ? 1 : in_.Count("orders of uses");
  for (size_t i = 0; i < count && in_.ok(); ++i) {
    if (num_values != 1) in_.Varint();
    bool is_pairs = false;
    const size_t indices = in_.CheckedCount(in_.FlaggedVarint(is_pairs), "positions of uses");
    for (size_t k = 0; k < indices && in_.ok(); ++k) in_.Varint();
  }
}

Status IrReader::ReadOperation(Frame& frame) {
  if (limits_ != nullptr) AXLE_TRY(limits_->Check());
  const size_t offset = in_.offset();
  const std::uint64_t name = in_.Varint();
  AXLE_TRY(status());
  AXLE_ASSIGN(const OpKind* kind, KindOf(name, offset));
  const std::uint8_t mask = in_.Byte();
  const Location* location = in_.LocationRef();
  AXLE_TRY(status());
  Operation head;
  head.position = num_ops_++;
  AXLE_TRY(ReadAttributes(head, *kind, mask, offset));
  std::vector<const Type*> results;
  if ((mask & kHasResults) != 0) results = in_.TypeRefs();
  const size_t num_operands = (mask & kHasOperands) != 0 ? in_.Count("operands") : 0;
  AXLE_TRY(status());
  // Operands follow each other; how many regions there are comes behind them.
  std::vector<std::uint64_t> operands(num_operands);
  const size_t operand_offset = in_.offset();
  for (std::uint64_t& operand : operands) operand = in_.Varint();
  if ((mask & kHasSuccessors) != 0) {
    return Error(offset, "an operation with successors, which StableHLO has none of",
                 StatusCode::kUnimplemented);
  }
  if ((mask & kHasUseOrders) != 0) SkipUseOrders(results.size());
  bool is_isolated = false;
  size_t num_regions = 0;
  if ((mask & kHasRegions) != 0) {
    const std::uint64_t count = in_.FlaggedVarint(is_isolated);
    num_regions = in_.CheckedCount(count, "regions");
    if (in_.ok() && num_regions > file_.ir.end - in_.offset() - num_unread_) {
      in_.FailAt(offset, std::to_string(num_regions) + " regions are announced, and " +
                             std::to_string(num_unread_) + " of the operations around, but only " +
                             std::to_string(file_.ir.end - in_.offset()) + " bytes are left");
    }
  }
  AXLE_TRY(status());
  num_unread_ += num_regions;
  std::string_view op_name = kind->name;
  const OpSyntax* syntax = kind->syntax;
  if (op_name.empty()) {
    op_name = frame.op->name == "func.func" ? "func.return" : "stablehlo.return";
    syntax = FindSyntax(op_name);
  }
  Operation* op = module_.NewOperation(op_name, num_operands, results.size(), num_regions);
  op->syntax = syntax;
  op->location = location;
  op->position = head.position;
  op->operand_sizes = head.operand_sizes;
  op->attributes = module_.Copy(attributes_);
  op->block = frame.block;
  frame.block->operations.push_back(op);
  for (size_t i = 0; i < num_operands; ++i) {
    AXLE_TRY(FindOperand(*op, i, operands[i], operand_offset));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    op->results[i].type = results[i];
    AXLE_TRY(Define(frame, op->results[i], offset));
  }
  AXLE_TRY(CheckCounts(*op, offset));
  return num_regions > 0 ? EnterRegions(*op, is_isolated) : Status();
}

Status IrReader::EnterRegions(Operation& op, bool is_isolated) {
  Frame inner{.op = &op, .end_around = std::nullopt, .scope_around = scope_};
  if (is_isolated) scope_ = values_.size();
  if (is_isolated && file_.version >= kLazyRegions) {
    std::uint8_t id = 0;
    const size_t section = in_.offset();
    const ByteRange range = ReadSection(in_, id);
    AXLE_TRY(status());
    if (id != kIrSection) {
      return Error(section, "the regions of " + std::string(op.name) +
                                " were expected, not another section");
    }
    inner.end_around = in_.end();
    in_.MoveTo(range.begin);
    in_.SetEnd(range.end);
  }
  frames_.push_back(inner);
  return {};
}

// Refers to a value by its number in the isolation scope.
Status IrReader::FindOperand(Operation& op, size_t index, std::uint64_t number, size_t offset) {
  if (number >= values_.size() - scope_) {
    return Error(offset, "operand " + std::to_string(index) + " of " + std::string(op.name) +
                             " is value " + std::to_string(number) + ", of " +
                             std::to_string(values_.size() - scope_));
  }
  const size_t slot = scope_ + static_cast<size_t>(number);
  op.operands[index] = values_[slot];
  if (op.operands[index] != nullptr && slot >= frames_.back().first_value) return {};
  // The region that defines it: the innermost that begins before it. The next one is of an
  // operation in that region, whose results are not for itself.
  const auto behind = std::ranges::upper_bound(
      frames_, slot, {}, [](const Frame& frame) { return frame.first_value; });
  if (op.operands[index] != nullptr &&
      (behind == frames_.end() || op.operands[index]->definition != behind->op)) {
    return {};
  }
  const bool may_follow = op.operands[index] == nullptr && behind != frames_.begin() &&
                          !std::prev(behind)->has_one_block;
  if (!may_follow) {
    return Error(offset, "operand " + std::to_string(index) + " of " + std::string(op.name) +
                             " is value " + std::to_string(number) +
                             ", which is defined behind it");
  }
  forward_[slot].push_back({&op.operands[index], &op});
  return {};
}

// Discardable attributes, and the properties; in old files the former are all.
Status IrReader::ReadAttributes(Operation& op, const OpKind& kind, std::uint8_t mask,
                                size_t offset) {
  attributes_.clear();
  if ((mask & kHasAttributes) != 0) {
    const size_t at = in_.offset();
    const Attribute* all = in_.AttributeRef();
    AXLE_TRY(status());
    AXLE_TRY(AddDictionary(op, kind, *all, at));
  }
  if ((mask & kHasProperties) != 0) {
    const size_t at = in_.offset();
    const std::uint64_t index = in_.Varint();
    AXLE_TRY(status());
    if (file_.version < kNativeProperties || index >= file_.properties.size()) {
      return Error(at, "properties " + std::to_string(index) + " are asked for, of " +
                           std::to_string(file_.properties.size()));
    }
    EntryCursor in(table_, file_.properties[index]);
    AXLE_TRY(ReadProperties(op, kind, in));
    AXLE_TRY(in.status(file_.label));
    if (!in.done()) {
      return Error(in.offset(), std::to_string(in.remaining()) +
                                    " bytes follow the properties of " + NameOf(kind));
    }
  }
  return FinishAttributes(kind, offset);
}

Status IrReader::AddDictionary(Operation& op, const OpKind& kind, const Attribute& all,
                               size_t offset) {
  if (all.kind != AttributeKind::kDictionary) {
    return Error(offset, "the attributes of an operation are no dictionary");
  }
  if (all.fields.size() > attributes_left_) {
    return Error(offset,
                 "the operations have more than " + std::to_string(kAttributesPerByte) +
                     " attributes for each of their bytes",
                 StatusCode::kResourceExhausted);
  }
  attributes_left_ -= all.fields.size();
  for (const NamedAttribute& entry : all.fields) {
    // Names of before and after the versions of VHLO had properties.
    if (entry.name == "operandSegmentSizes" || entry.name == "operand_segment_sizes") {
      const std::optional<Dims> sizes = Ints(*entry.value);
      if (!sizes) return Error(offset, std::string(entry.name) + " is no list of numbers");
      op.operand_sizes = module_.Copy(std::vector<std::int32_t>(sizes->begin(), sizes->end()));
      continue;
    }
    const bool is_results = entry.name == "result_segment_sizes";
    AXLE_TRY(
        AddAttribute(kind, is_results ? "resultSegmentSizes" : entry.name, *entry.value, offset));
  }
  return {};
}

// Which of the properties a file has, by how many it has: the later ones may be missing.
StatusOr<int> IrReader::FirstAbsentAge(const OpKind& kind, const EntryCursor& in) const {
  ByteCursor rest = in;
  size_t count = 0;
  for (; rest.ok() && !rest.done(); ++count) rest.Varint();
  AXLE_TRY(rest.status(file_.label));
  int age = 0;
  for (const PropertySyntax& property : kind.properties) age = std::max(age, property.age);
  for (++age; age > 0; --age) {
    const auto is_there = [&](const PropertySyntax& property) { return property.age < age; };
    if (static_cast<size_t>(std::ranges::count_if(kind.properties, is_there)) == count) return age;
  }
  return Error(in.offset(), "the properties of " + NameOf(kind) + " are " + std::to_string(count) +
                                " values, where " + std::to_string(kind.properties.size()) +
                                " were expected");
}

Status IrReader::ReadProperties(Operation& op, const OpKind& kind, EntryCursor& in) {
  const size_t offset = in.offset();
  if (!kind.is_registered) {
    const Attribute* all = in.AttributeRef();
    AXLE_TRY(in.status(file_.label));
    return AddDictionary(op, kind, *all, offset);
  }
  if (!kind.has_properties) {
    return Error(offset,
                 "the form of the properties of " + NameOf(kind) +
                     " is not known; write the program as text, or as a portable artifact",
                 StatusCode::kUnimplemented);
  }
  int absent = std::numeric_limits<int>::max();
  if (kind.version == 0 && !kind.has_segments) {
    AXLE_ASSIGN(absent, FirstAbsentAge(kind, in));
  }
  for (const PropertySyntax& property : kind.properties) {
    if (property.age >= absent) continue;
    const Attribute* value = property.is_optional ? in.OptionalAttributeRef() : in.AttributeRef();
    AXLE_TRY(in.status(file_.label));
    if (value != nullptr) AXLE_TRY(AddAttribute(kind, property.name, *value, offset));
  }
  return kind.has_segments ? ReadSegments(op, kind, in) : Status();
}

// The sizes of the groups of operands and of results: those that are not 0, or all.
Status IrReader::ReadSegments(Operation& op, const OpKind& kind, EntryCursor& in) {
  const auto read = [&](size_t num_groups) {
    if (file_.version < kSegmentSizes) {
      const Attribute* sizes = in.AttributeRef();
      return in.ok() ? Ints(*sizes).value_or(Dims()) : Dims();
    }
    Dims sizes(num_groups);
    const size_t offset = in.offset();
    bool is_sparse = false;
    const size_t count = in.CheckedCount(in.FlaggedVarint(is_sparse), "sizes of groups");
    const std::uint64_t index_bits = is_sparse && count > 0 ? in.Varint() : 0;
    for (size_t i = 0; i < count && in.ok(); ++i) {
      const std::uint64_t value = in.Varint();
      const std::uint64_t mask = index_bits < 32 ? (std::uint64_t{1} << index_bits) - 1 : 0;
      const std::uint64_t index = is_sparse ? value & mask : i;
      if (index >= num_groups || index_bits >= 32) {
        in.FailAt(offset, "the size of a group that " + NameOf(kind) + " has not");
        break;
      }
      sizes[index] = static_cast<i64>(is_sparse ? value >> index_bits : value);
    }
    return sizes;
  };
  const Dims operands = read(kind.syntax->operands.size());
  const Dims results = read(kind.syntax->results.size());
  AXLE_TRY(in.status(file_.label));
  op.operand_sizes = module_.Copy(std::vector<std::int32_t>(operands.begin(), operands.end()));
  attributes_.push_back({"resultSegmentSizes", MakeI64s(module_, results)});
  return {};
}

// In the tree's form; structures are taken apart.
Status IrReader::AddAttribute(const OpKind& kind, std::string_view name, const Attribute& value,
                              size_t offset) {
  const auto add = [&](std::string_view as, const Attribute& part) -> Status {
    const AttributeSyntax* syntax = FindAttribute(kind, as);
    if (syntax == nullptr) {
      attributes_.push_back({as, &part});
      return {};
    }
    const Attribute* normal = nullptr;
    const bool is_array = part.kind == AttributeKind::kArray;
    const auto known = is_array ? normal_arrays_.find({&part, syntax}) : normal_arrays_.end();
    if (known != normal_arrays_.end()) {
      normal = known->second;
    } else {
      const Status status = Normalize(module_, *syntax, part, normal);
      if (!status.ok()) return Error(offset, NameOf(kind) + ": " + status.message());
      if (is_array) normal_arrays_[{&part, syntax}] = normal;
    }
    if (normal != nullptr) attributes_.push_back({syntax->name, normal});
    return {};
  };
  if (kind.syntax == nullptr || value.kind != AttributeKind::kStruct) return add(name, value);
  for (const StructUse& use : kind.syntax->structs) {
    if (use.attribute != name) continue;
    for (const FieldSyntax& field : use.syntax->fields) {
      const Attribute* part = value.Field(field.name);
      // channel_type is an attribute of some of the operations only.
      if (part == nullptr || kind.syntax->FindAttribute(field.attribute) == nullptr) continue;
      AXLE_TRY(add(field.attribute, *part));
    }
    return {};
  }
  return add(name, value);
}

Status IrReader::FinishAttributes(const OpKind& kind, size_t offset) {
  std::ranges::sort(attributes_, {}, &NamedAttribute::name);
  const auto twice = std::ranges::adjacent_find(attributes_, {}, &NamedAttribute::name);
  if (twice != attributes_.end()) {
    return Error(offset,
                 NameOf(kind) + " has the attribute " + std::string(twice->name) + " twice");
  }
  if (kind.syntax == nullptr) return {};
  for (const AttributeSyntax& attribute : kind.syntax->attributes) {
    if (!IsRequired(kind, attribute)) continue;
    if (!std::ranges::binary_search(attributes_, attribute.name, {}, &NamedAttribute::name)) {
      return Error(offset, NameOf(kind) + " lacks the attribute " + std::string(attribute.name));
    }
  }
  return {};
}

// Whether the row may have so many operands, results and regions.
Status IrReader::CheckCounts(const Operation& op, size_t offset) const {
  if (op.syntax == nullptr) return {};
  const auto check = [&](size_t count, const std::vector<OperandSyntax>& names,
                         std::string_view what) -> Status {
    const auto groups = static_cast<size_t>(
        std::ranges::count_if(names, [](const OperandSyntax& name) { return name.variadic; }));
    const size_t fixed = names.size() - groups;
    const bool is_even = groups < 2 || !op.operand_sizes.empty() || (count - fixed) % groups == 0;
    if (groups == 0 ? count == fixed : count >= fixed && is_even) return {};
    return Error(offset,
                 std::string(op.name) + " has " + std::to_string(count) + " " + std::string(what) +
                     ", where " + std::to_string(fixed) +
                     (groups > 0 ? " and groups of one size were expected" : " were expected"));
  };
  AXLE_TRY(check(op.operands.size(), op.syntax->operands, "operands"));
  AXLE_TRY(check(op.results.size(), op.syntax->results, "results"));
  AXLE_TRY(check(op.regions.size(), op.syntax->regions, "regions"));
  i64 total = 0;
  for (const std::int32_t size : op.operand_sizes) {
    if (size < 0) {
      return Error(offset, std::string(op.name) + " has a group of operands of size " +
                               std::to_string(size));
    }
    total += size;
  }
  if (op.operand_sizes.empty() || total == static_cast<i64>(op.operands.size())) return {};
  return Error(offset, std::string(op.name) + " has " + std::to_string(op.operands.size()) +
                           " operands, in groups of " + std::to_string(total));
}

std::string VersionOf(std::string_view producer) {
  if (!producer.starts_with(kStableHloProducer)) return "";
  return std::string(producer.substr(kStableHloProducer.size()));
}

}  // namespace

bool IsMlirBytecode(std::string_view bytes) {
  return bytes.starts_with(kMagic);
}

StatusOr<std::unique_ptr<MlirModule>> ReadMlirBytecode(std::string_view bytes,
                                                       const BytecodeOptions& options) {
  AXLE_ASSIGN(const BytecodeFile file, ReadBytecodeFile(bytes, options.label));
  auto module = std::make_unique<MlirModule>();
  module->SetSource(options.label, "");
  EntryTable table(file, *module, options.limits);
  AXLE_TRY(table.ReadAll());
  IrReader reader(file, *module, table, options.limits);
  AXLE_TRY(reader.Read());
  return module;
}

StatusOr<BytecodeInfo> ReadBytecodeInfo(std::string_view bytes, const std::string& label) {
  AXLE_ASSIGN(const BytecodeFile file, ReadBytecodeHeader(bytes, label));
  return BytecodeInfo{.container_version = file.version,
                      .producer = std::string(file.producer),
                      .stablehlo_version = VersionOf(file.producer)};
}

}  // namespace axle::mlir
