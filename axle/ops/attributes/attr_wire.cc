// How attribute values are encoded in HloInstructionProto.
//
// Field numbers are those of xla/service/hlo.proto and stand in the row of the attribute; what an
// attribute needs below that level is here. Unknown fields are skipped, since newer writers may add
// them. A value that has no field has its default, so that zeros are not written.
#include <algorithm>

#include "axle/core/literal_wire.h"
#include "axle/core/strings.h"
#include "axle/ops/attributes/attr_kinds.h"
#include "axle/ops/attributes/device_lists_wire.h"

namespace axle {

Status AttrTraits<i64>::Read(const WireReader& in, i64& value) {
  // 0 is not written: where a missing field means something else, 0 means that too.
  AXLE_ASSIGN(const i64 read, in.Int());
  if (read != 0) value = read;
  return {};
}

Status AttrTraits<bool>::Read(const WireReader& in, bool& value) {
  AXLE_ASSIGN(value, in.Bool());
  return {};
}

Status AttrTraits<float>::Read(const WireReader& in, float& value) {
  AXLE_ASSIGN(value, in.Float());
  return {};
}

void AttrTraits<Dims>::Write(const Dims& value, int field, WireWriter& out) {
  out.Ints(field, value);
}

Status AttrTraits<Dims>::Read(const WireReader& in, Dims& value) {
  return in.Ints(value);
}

namespace {

// Reads one message of integers into the members that `member` finds by their field number.
template <typename Member>
Status ReadIntegers(const WireReader& in, Member member) {
  return ReadMessage(in, [&](const WireReader& field) -> Status {
    i64* const target = member(field.field());
    if (target == nullptr) return {};
    AXLE_ASSIGN(*target, field.Int());
    return {};
  });
}

}  // namespace

// The message of a padding has one sub-message per dimension.
void AttrTraits<PaddingConfig>::Write(const PaddingConfig& value, int field, WireWriter& out) {
  WireWriter config;
  for (const PaddingDim& dim : value) {
    WireWriter message;
    message.Int(1, dim.low);
    message.Int(2, dim.high);
    message.Int(3, dim.interior);
    config.Message(1, message);
  }
  out.Message(field, config);
}

Status AttrTraits<PaddingConfig>::Read(const WireReader& in, PaddingConfig& value) {
  return ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() != 1) return {};
    PaddingDim& dim = value.emplace_back();
    return ReadIntegers(field, [&](int number) {
      return number == 1   ? &dim.low
             : number == 2 ? &dim.high
             : number == 3 ? &dim.interior
                           : nullptr;
    });
  });
}

// The field is repeated: one message per dimension, without one around them.
void AttrTraits<SliceConfig>::Write(const SliceConfig& value, int field, WireWriter& out) {
  for (const SliceDim& dim : value) {
    WireWriter message;
    message.Int(1, dim.start);
    message.Int(2, dim.limit);
    message.Int(3, dim.stride);
    out.Message(field, message);
  }
}

Status AttrTraits<SliceConfig>::Read(const WireReader& in, SliceConfig& value) {
  SliceDim& dim = value.emplace_back();
  return ReadIntegers(in, [&](int number) {
    return number == 1   ? &dim.start
           : number == 2 ? &dim.limit
           : number == 3 ? &dim.stride
                         : nullptr;
  });
}

namespace {

// The integers of WindowDimension by their field numbers; reversal is a bool and is treated apart.
constexpr std::pair<int, i64 WindowDim::*> kWindowFields[] = {
    {1, &WindowDim::size},     {2, &WindowDim::stride},          {3, &WindowDim::pad_low},
    {4, &WindowDim::pad_high}, {5, &WindowDim::window_dilation}, {6, &WindowDim::base_dilation},
};
constexpr int kReversalField = 7;

}  // namespace

void AttrTraits<Window>::Write(const Window& value, int field, WireWriter& out) {
  WireWriter window;
  for (const WindowDim& dim : value) {
    WireWriter message;
    for (const auto& [number, member] : kWindowFields) message.Int(number, dim.*member);
    message.Bool(kReversalField, dim.reversal);
    window.Message(1, message);
  }
  out.Message(field, window);
}

// Missing fields are 0 in the proto, not the defaults of WindowDim.
Status AttrTraits<Window>::Read(const WireReader& in, Window& value) {
  return ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() != 1) return {};
    WindowDim& dim = value.emplace_back();
    for (const auto& [number, member] : kWindowFields) dim.*member = 0;
    return ReadMessage(field, [&](const WireReader& part) -> Status {
      if (part.field() == kReversalField) {
        AXLE_ASSIGN(dim.reversal, part.Bool());
        return {};
      }
      const auto known =
          std::ranges::find(kWindowFields, part.field(), &std::pair<int, i64 WindowDim::*>::first);
      if (known == std::end(kWindowFields)) return {};
      AXLE_ASSIGN(dim.*(known->second), part.Int());
      return {};
    });
  });
}

namespace {

// The fields of one side of the dimension numbers; 'x' stands for the spatial dimensions.
struct ConvolutionField {
  int field;
  std::string ConvolutionDimensionNumbers::*side;
  char role;
};
constexpr ConvolutionField kConvolutionFields[] = {
    {3, &ConvolutionDimensionNumbers::rhs, 'i'},     {4, &ConvolutionDimensionNumbers::rhs, 'o'},
    {6, &ConvolutionDimensionNumbers::rhs, 'x'},     {7, &ConvolutionDimensionNumbers::lhs, 'b'},
    {8, &ConvolutionDimensionNumbers::lhs, 'f'},     {9, &ConvolutionDimensionNumbers::output, 'b'},
    {10, &ConvolutionDimensionNumbers::output, 'f'}, {11, &ConvolutionDimensionNumbers::lhs, 'x'},
    {12, &ConvolutionDimensionNumbers::output, 'x'},
};
constexpr i64 kMaxConvolutionRank = 16;

// Dimensions may come in any order, so that the text grows with '?' in the places that are not
// known yet.
Status PlaceRole(const WireReader& in, std::string& side, i64 dim, char role) {
  if (dim < 0 || dim >= kMaxConvolutionRank) return in.Error(StrCat("there is no dimension ", dim));
  if (dim >= static_cast<i64>(side.size())) side.resize(dim + 1, '?');
  if (side[dim] != '?') return in.Error(StrCat("dimension ", dim, " has two roles"));
  side[dim] = role;
  return {};
}

}  // namespace

// All roles are written, each as the number of its dimension.
void AttrTraits<ConvolutionDimensionNumbers>::Write(const ConvolutionDimensionNumbers& value,
                                                    int field, WireWriter& out) {
  if (value == ConvolutionDimensionNumbers()) return;  // optional in some ops
  WireWriter message;
  for (const ConvolutionField& part : kConvolutionFields) {
    const std::string& side = value.*part.side;
    if (part.role != 'x') {
      message.Int(part.field, ConvolutionDimensionNumbers::Find(side, part.role));
      continue;
    }
    Dims spatial;
    for (char digit = '0'; digit <= '9'; ++digit) {
      const i64 dim = ConvolutionDimensionNumbers::Find(side, digit);
      if (dim >= 0) spatial.push_back(dim);
    }
    message.Ints(part.field, spatial);
  }
  out.Message(field, message);
}

Status AttrTraits<ConvolutionDimensionNumbers>::Read(const WireReader& in,
                                                     ConvolutionDimensionNumbers& value) {
  std::vector<Dims> dims(std::size(kConvolutionFields));
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    const auto known =
        std::ranges::find(kConvolutionFields, field.field(), &ConvolutionField::field);
    if (known == std::end(kConvolutionFields)) return {};
    return field.Ints(dims[known - std::begin(kConvolutionFields)]);
  }));
  value = {};
  for (size_t i = 0; i < dims.size(); ++i) {
    const ConvolutionField& part = kConvolutionFields[i];
    if (part.role != 'x') {
      // Dimension 0 is not written.
      AXLE_TRY(PlaceRole(in, value.*part.side, dims[i].empty() ? 0 : dims[i].back(), part.role));
      continue;
    }
    if (dims[i].size() > 10) return in.Error("has more than 10 spatial dimensions");
    for (size_t d = 0; d < dims[i].size(); ++d) {
      AXLE_TRY(PlaceRole(in, value.*part.side, dims[i][d], static_cast<char>('0' + d)));
    }
  }
  // What was read must also be a value that the text can express.
  return CheckText(in, value);
}

// Most enumerations have the numbers 0, 1, 2, ...; `numbers` lists them for the others.
StatusOr<size_t> ReadEnum(const WireReader& in, std::string_view what, size_t count,
                          std::span<const i64> numbers) {
  AXLE_ASSIGN(const i64 number, in.Int());
  if (numbers.empty() && number >= 0 && number < static_cast<i64>(count)) return number;
  const auto at = std::ranges::find(numbers, number);
  if (at != numbers.end()) return at - numbers.begin();
  return in.Error(StrCat("there is no ", what, " ", number));
}

// Some enumerations are stored by their names.
StatusOr<size_t> ReadEnumText(const WireReader& in, std::string_view what,
                              std::span<const std::string_view> texts) {
  AXLE_ASSIGN(const std::string_view text, in.Bytes());
  const auto at = std::ranges::find(texts, text);
  if (at != texts.end()) return at - texts.begin();
  return in.Error(StrCat("there is no ", what, " \"", PrintableText(text.substr(0, 40)), "\""));
}

// One number per operand. No numbers at all mean the default for all operands.
void AttrTraits<OperandPrecision>::Write(const OperandPrecision& value, int field,
                                         WireWriter& out) {
  Dims numbers;
  for (Precision precision : value) numbers.push_back(static_cast<i64>(precision));
  out.Ints(field, numbers);
}

Status AttrTraits<OperandPrecision>::Read(const WireReader& in, OperandPrecision& value) {
  Dims numbers;
  AXLE_TRY(in.Ints(numbers));
  for (i64 number : numbers) {
    if (number < 0 || number >= static_cast<i64>(std::size(EnumTexts<Precision>::kTexts))) {
      return in.Error(StrCat("there is no precision ", number));
    }
    value.push_back(static_cast<Precision>(number));
  }
  // As in text, all default and nothing are one value.
  if (std::ranges::all_of(value, [](Precision p) { return p == Precision::kDefault; })) value = {};
  return {};
}

void AttrTraits<OperandAliasing>::Write(const OperandAliasing& value, int field, WireWriter& out) {
  for (const OperandAlias& alias : value) {
    WireWriter message;
    message.Ints(1, alias.output_index);
    message.Int(2, alias.operand);
    message.Ints(3, alias.operand_index);
    out.Message(field, message);
  }
}

Status AttrTraits<OperandAliasing>::Read(const WireReader& in, OperandAliasing& value) {
  OperandAlias& alias = value.emplace_back();
  return ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() == 1) return field.Ints(alias.output_index);
    if (field.field() == 3) return field.Ints(alias.operand_index);
    if (field.field() != 2) return {};
    AXLE_ASSIGN(alias.operand, field.Int());
    return {};
  });
}

// The elements of a literal are written in the order of the instruction's layout, if it states one.
void AttrTraits<Literal>::Write(const Literal& value, const Shape& result, int field,
                                WireWriter& out) {
  const bool has_layout = value.shape().is_array() && result.is_array() &&
                          SameDims(value.shape(), result) && result.layout() != nullptr;
  if (!has_layout) {
    out.Message(field, LiteralMessage(value));
    return;
  }
  Layout order;
  order.minor_to_major = result.layout()->minor_to_major;
  out.Message(field, LiteralMessage(value.Relayout(order)));
}

// The shape of the literal must be that of the instruction.
Status AttrTraits<Literal>::Read(const WireReader& in, const Shape& result, Literal& value) {
  AXLE_ASSIGN(value, ReadLiteral(in));
  if (Compatible(value.shape(), result)) return {};
  return in.Error(StrCat("the literal has shape ", value.shape().ToString(),
                         " but the instruction ", result.ToString()));
}

// --- Replica groups -----------------------------------------------------------------------------

namespace {

// The fields of HloInstructionProto that hold replica groups. Writers of different ages use
// different ones, and some write two.
constexpr int kGroupListField = 87, kLegacyGroupField = 49, kIotaGroupsField = 92,
              kMeshGroupsField = 93;

// The ids of one group, appended to the list.
Status ReadGroup(const WireReader& in, ReplicaGroups& value) {
  Dims& group = value.groups.emplace_back();
  return ReadMessage(in, [&](const WireReader& field) -> Status {
    return field.field() == 1 ? field.Ints(group) : Status();
  });
}

// The iota form replaces what was read before: only one form is valid.
Status ReadIotaGroups(const WireReader& in, ReplicaGroups& value) {
  value = {};
  IotaDevices& iota = value.iota.emplace();
  return ReadMessage(in, [&](const WireReader& field) -> Status {
    switch (field.field()) {
      case 1:
        return AttrTraits<i64>::Read(field, value.num_groups);
      case 2:
        return AttrTraits<i64>::Read(field, value.group_size);
      case 3:
        return field.Ints(iota.reshape);
      case 4:
        return field.Ints(iota.transpose);
      default:
        return {};
    }
  });
}

// A mesh and the axes along which the groups extend.
Status ReadMeshGroups(const WireReader& in, ReplicaGroups& value) {
  value = {};
  DeviceMesh& mesh = value.mesh.emplace();
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() == 1) return ReadDeviceMesh(field, mesh);
    if (field.field() == 2) return ReadMeshAxisRef(field, value.axes.emplace_back());
    return {};
  }));
  return CheckAxisNumbers(in, mesh, value.axes);
}

}  // namespace

// Each of the three forms has a field of its own.
void AttrTraits<ReplicaGroups>::Write(const ReplicaGroups& value, int, WireWriter& out) {
  WireWriter message;
  if (value.mesh) {
    message.Message(1, DeviceMeshMessage(*value.mesh));
    for (const MeshAxisRef& axis : value.axes) message.Message(2, MeshAxisRefMessage(axis));
    out.Message(kMeshGroupsField, message);
    return;
  }
  if (value.iota) {
    message.Int(1, value.num_groups);
    message.Int(2, value.group_size);
    message.Ints(3, value.iota->reshape);
    message.Ints(4, value.iota->transpose);
    out.Message(kIotaGroupsField, message);
    return;
  }
  for (const Dims& ids : value.groups) {
    WireWriter group;
    group.Ints(1, ids);
    message.Message(1, group);
  }
  out.Message(kGroupListField, message);
}

// Old versions write the list beside the new form; the new one wins, whatever comes first.
Status AttrTraits<ReplicaGroups>::Read(const WireReader& in, ReplicaGroups& value) {
  switch (in.field()) {
    case kLegacyGroupField:  // written beside the others by old versions
      return value.iota || value.mesh ? Status() : ReadGroup(in, value);
    case kIotaGroupsField:
      AXLE_TRY(ReadIotaGroups(in, value));
      break;
    case kMeshGroupsField:
      AXLE_TRY(ReadMeshGroups(in, value));
      break;
    default:
      value = {};
      AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
        return field.field() == 1 ? ReadGroup(field, value) : Status();
      }));
  }
  return CheckText(in, value);
}

void AttrTraits<SourceTargetPairs>::Write(const SourceTargetPairs& value, int field,
                                          WireWriter& out) {
  for (const auto& [source, target] : value) {
    WireWriter message;
    message.Int(1, source);
    message.Int(2, target);
    out.Message(field, message);
  }
}

Status AttrTraits<SourceTargetPairs>::Read(const WireReader& in, SourceTargetPairs& value) {
  auto& [source, target] = value.emplace_back();
  return ReadIntegers(in, [&s = source, &t = target](int number) {
    return number == 1 ? &s : number == 2 ? &t : nullptr;
  });
}

// The lists of all arrays are one list of numbers in the proto.
void AttrTraits<DimsList>::Write(const DimsList& value, int field, WireWriter& out) {
  Dims flat;
  for (const Dims& part : value) flat.insert(flat.end(), part.begin(), part.end());
  out.Ints(field, flat);
}

// The list is cut again by the rank of the array, since all parts have one entry per dimension.
// Fields may be split into several pieces, so that what was read before is joined first.
Status AttrTraits<DimsList>::Read(const WireReader& in, const Shape& result, DimsList& value) {
  Dims flat;
  for (const Dims& part : value) flat.insert(flat.end(), part.begin(), part.end());
  AXLE_TRY(in.Ints(flat));
  const bool is_pair = result.is_tuple() && result.num_tuple_elements() > 1;
  const Shape* part = is_pair ? &result.element(1) : &result;
  while (part->is_tuple() && part->num_tuple_elements() > 0) part = &part->element(0);
  const Shape& array = *part;
  const size_t size = array.rank() > 0 ? static_cast<size_t>(array.rank()) : flat.size();
  value.clear();
  for (size_t i = 0; i < flat.size(); ++i) {
    if (i % size == 0) value.emplace_back();
    value.back().push_back(flat[i]);
  }
  return {};
}

Status AttrTraits<std::string>::Read(const WireReader& in, std::string& value) {
  AXLE_ASSIGN(value, in.Bytes());
  return {};
}

void AttrTraits<std::optional<Shape>>::Write(const std::optional<Shape>& value, int field,
                                             WireWriter& out) {
  if (value) out.Message(field, ShapeMessage(*value));
}

Status AttrTraits<std::optional<Shape>>::Read(const WireReader& in, std::optional<Shape>& value) {
  AXLE_ASSIGN(value, ReadShape(in));
  return {};
}

// A flag tells an empty list from none.
void AttrTraits<std::optional<std::vector<Shape>>>::Write(
    const std::optional<std::vector<Shape>>& value, int field, WireWriter& out) {
  if (!value) return;
  out.Bool(kOtherFields[0], true);
  for (const Shape& shape : *value) out.Message(field, ShapeMessage(shape));
}

Status AttrTraits<std::optional<std::vector<Shape>>>::Read(
    const WireReader& in, std::optional<std::vector<Shape>>& value) {
  if (in.field() == kOtherFields[0]) {
    AXLE_ASSIGN(const bool is_there, in.Bool());
    if (is_there && !value) value.emplace();
    return {};
  }
  if (!value) value.emplace();
  AXLE_ASSIGN(value->emplace_back(), ReadShape(in));
  return {};
}

// The literal carries its own shape; a layout in it says in which order the elements are.
void AttrTraits<std::optional<Literal>>::Write(const std::optional<Literal>& value, int field,
                                               WireWriter& out) {
  if (value) out.Message(field, LiteralMessage(*value));
}

Status AttrTraits<std::optional<Literal>>::Read(const WireReader& in,
                                                std::optional<Literal>& value) {
  AXLE_ASSIGN(value, ReadLiteral(in));
  constexpr int kShapeField = 1;
  return ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() != kShapeField) return {};
    AXLE_ASSIGN(const Shape shape, ReadShape(field));
    const Layout* layout = shape.layout();
    if (shape.is_array() && layout != nullptr && layout->tiles.empty()) {
      value = value->Relayout(*layout);
    }
    return {};
  });
}

}  // namespace axle
