#include "axle/core/literal_wire.h"

#include <cstring>

#include "axle/core/strings.h"

namespace axle {
namespace {

namespace shape_field {
enum { kElementType = 2, kDimensions = 3, kTupleShapes = 4, kLayout = 5, kIsDynamic = 6 };
}  // namespace shape_field

namespace layout_field {
enum {
  kMinorToMajor = 1,
  kTiles = 6,
  kElementSizeInBits = 7,
  kMemorySpace = 8,
  kPhysicalShape = 10,
  kIndexType = 11,
  kPointerType = 12,
  kMetadataPrefixBytes = 15,
  kTailPaddingAlignment = 16,
  kSplitConfigs = 17,
};
}  // namespace layout_field

namespace literal_field {
enum { kShape = 1, kTupleLiterals = 10, kDynamicSizes = 34 };
}  // namespace literal_field

WireWriter LayoutMessage(const Layout& layout) {
  WireWriter out;
  out.Ints(layout_field::kMinorToMajor, layout.minor_to_major);
  for (const Dims& tile : layout.tiles) {
    WireWriter message;
    message.Ints(1, tile);
    out.Message(layout_field::kTiles, message);
  }
  out.Int(layout_field::kElementSizeInBits, layout.element_size_in_bits);
  out.Int(layout_field::kMemorySpace, layout.memory_space);
  out.Int(layout_field::kIndexType, layout.index_type);
  out.Int(layout_field::kPointerType, layout.pointer_type);
  out.Int(layout_field::kMetadataPrefixBytes, layout.dynamic_shape_metadata_prefix_bytes);
  out.Int(layout_field::kTailPaddingAlignment, layout.tail_padding_alignment);
  for (const auto& [dim, indices] : layout.split_configs) {
    WireWriter message;
    message.Int(1, dim);
    message.Ints(2, indices);
    out.Message(layout_field::kSplitConfigs, message);
  }
  return out;
}

StatusOr<i64> ReadCount(const WireReader& in) {
  AXLE_ASSIGN(const i64 value, in.Int());
  return value >= 0 ? StatusOr<i64>(value) : in.Error(StrCat(value, " must be >= 0"));
}

StatusOr<ElementType> ReadElementType(const WireReader& in) {
  AXLE_ASSIGN(const i64 number, in.Int());
  const bool is_known = number > 0 && number < kNumElementTypes &&
                        Info(static_cast<ElementType>(number)).type != PRIMITIVE_TYPE_INVALID;
  if (!is_known) return in.Error(StrCat("there is no element type ", number));
  return static_cast<ElementType>(number);
}

StatusOr<ElementType> ReadIndexType(const WireReader& in) {
  AXLE_ASSIGN(const ElementType type, ReadElementType(in));
  return IsUnsigned(type) ? StatusOr<ElementType>(type)
                          : in.Error("must be an unsigned integer type");
}

Status ReadTile(const WireReader& in, Dims& tile) {
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    return field.field() == 1 ? field.Ints(tile) : Status();
  }));
  for (i64 size : tile) {
    if (size < 0 && size != Layout::kCombineTileDim) {
      return in.Error(StrCat("tile size ", size, " must be >= 0"));
    }
  }
  return tile.empty() ? in.Error("a tile has no dimensions") : Status();
}

Status ReadSplitConfig(const WireReader& in, std::pair<i64, Dims>& config) {
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() == 2) return field.Ints(config.second);
    if (field.field() != 1) return {};
    AXLE_ASSIGN(config.first, ReadCount(field));
    return {};
  }));
  return config.second.empty() ? in.Error("a split has no indices") : Status();
}

Status ReadLayoutField(const WireReader& in, Layout& layout) {
  switch (in.field()) {
    case layout_field::kMinorToMajor:
      return in.Ints(layout.minor_to_major);
    case layout_field::kTiles:
      return ReadTile(in, layout.tiles.emplace_back());
    case layout_field::kElementSizeInBits: {
      AXLE_ASSIGN(layout.element_size_in_bits, ReadCount(in));
      return {};
    }
    case layout_field::kMemorySpace: {
      AXLE_ASSIGN(layout.memory_space, ReadCount(in));
      return {};
    }
    case layout_field::kPhysicalShape:
      return Unimplemented(in.Error("physical shapes are not supported").message());
    case layout_field::kIndexType: {
      AXLE_ASSIGN(layout.index_type, ReadIndexType(in));
      return {};
    }
    case layout_field::kPointerType: {
      AXLE_ASSIGN(layout.pointer_type, ReadIndexType(in));
      return {};
    }
    case layout_field::kMetadataPrefixBytes: {
      AXLE_ASSIGN(layout.dynamic_shape_metadata_prefix_bytes, ReadCount(in));
      return {};
    }
    case layout_field::kTailPaddingAlignment: {
      AXLE_ASSIGN(const i64 alignment, ReadCount(in));
      layout.tail_padding_alignment = std::max<i64>(alignment, 1);
      return {};
    }
    case layout_field::kSplitConfigs:
      return ReadSplitConfig(in, layout.split_configs.emplace_back());
    default:
      return {};
  }
}

StatusOr<Shape> BuildArray(const WireReader& in, ElementType type, const Dims& dims,
                           const Dims& is_dynamic, std::optional<Layout> layout) {
  if (static_cast<i64>(dims.size()) > kMaxRank) {
    return in.Error(StrCat("shape has ", dims.size(), " dimensions, more than ", kMaxRank));
  }
  if (is_dynamic.size() > dims.size()) {
    return in.Error(
        StrCat("has ", is_dynamic.size(), " dynamic flags for ", dims.size(), " dimensions"));
  }
  Shape shape(type, dims);
  for (size_t d = 0; d < dims.size(); ++d) {
    const bool dynamic = d < is_dynamic.size() && is_dynamic[d] != 0;
    if (dynamic || dims[d] == kUnboundedSize) shape.set_dynamic(static_cast<i64>(d), true);
  }
  if (!layout) return shape;
  if (layout->minor_to_major.empty()) {
    layout->minor_to_major = Layout::RowMajor(shape.rank()).minor_to_major;
  }
  for (const auto& [dim, indices] : layout->split_configs) {
    if (dim >= shape.rank()) return in.Error(StrCat("a split names dimension ", dim));
  }
  shape.set_layout(*std::move(layout));
  return shape;
}

// Without the checks that look at the whole shape.
StatusOr<Shape> ReadShapeAt(const WireReader& in) {
  ElementType type = PRIMITIVE_TYPE_INVALID;
  Dims dims, is_dynamic;
  std::vector<Shape> elements;
  std::optional<Layout> layout;
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    switch (field.field()) {
      case shape_field::kElementType: {
        AXLE_ASSIGN(type, ReadElementType(field));
        return {};
      }
      case shape_field::kDimensions:
        return field.Ints(dims);
      case shape_field::kTupleShapes: {
        AXLE_ASSIGN(elements.emplace_back(), ReadShapeAt(field));
        return {};
      }
      case shape_field::kLayout:
        layout.emplace();
        return ReadMessage(field,
                           [&](const WireReader& part) { return ReadLayoutField(part, *layout); });
      case shape_field::kIsDynamic:
        return field.Ints(is_dynamic);
      default:
        return {};
    }
  }));
  if (type == PRIMITIVE_TYPE_INVALID) return in.Error("a shape has no element type");
  if (IsArrayType(type)) {
    if (!elements.empty()) return in.Error(StrCat(Name(type), " has no elements that are shapes"));
    return BuildArray(in, type, dims, is_dynamic, std::move(layout));
  }
  if (type == TUPLE) return Shape::Tuple(std::move(elements));
  if (type == BUFFER) {
    if (elements.size() != 1) return in.Error("a buffer shape must hold one array");
    return Shape::Buffer(std::move(elements[0]));
  }
  if (!elements.empty()) return in.Error(StrCat(Name(type), " has no elements that are shapes"));
  return Shape(type);
}

// --- Literals
// -------------------------------------------------------------------------------------

enum class Encoding : std::uint8_t { kBytes, kVarints, kFixed };
struct ElementField {
  ElementType type;
  int field;
  Encoding encoding;
};
constexpr ElementField kElementFields[] = {
    {PRED, 2, Encoding::kVarints},      {U8, 3, Encoding::kBytes},
    {S32, 4, Encoding::kVarints},       {S64, 5, Encoding::kVarints},
    {U32, 6, Encoding::kVarints},       {U64, 7, Encoding::kVarints},
    {F32, 8, Encoding::kFixed},         {F64, 9, Encoding::kFixed},
    {F16, 11, Encoding::kBytes},        {C64, 12, Encoding::kFixed},
    {BF16, 13, Encoding::kBytes},       {S8, 15, Encoding::kBytes},
    {U16, 16, Encoding::kBytes},        {S16, 17, Encoding::kBytes},
    {C128, 18, Encoding::kFixed},       {F8E5M2, 19, Encoding::kBytes},
    {F8E4M3FN, 20, Encoding::kBytes},   {S4, 21, Encoding::kBytes},
    {U4, 22, Encoding::kBytes},         {F8E4M3B11FNUZ, 23, Encoding::kBytes},
    {F8E5M2FNUZ, 24, Encoding::kBytes}, {F8E4M3FNUZ, 25, Encoding::kBytes},
    {S2, 26, Encoding::kBytes},         {U2, 27, Encoding::kBytes},
    {F8E4M3, 28, Encoding::kBytes},     {F8E3M4, 29, Encoding::kBytes},
    {S1, 30, Encoding::kBytes},         {U1, 31, Encoding::kBytes},
    {F4E2M1FN, 32, Encoding::kBytes},   {F8E8M0FNU, 33, Encoding::kBytes},
    {F6E3M2FN, 35, Encoding::kBytes},   {F6E2M3FN, 36, Encoding::kBytes},
};
constexpr auto kFieldByType = [] {
  std::array<ElementField, kNumElementTypes> table = {};
  for (const ElementField& field : kElementFields) table[field.type] = field;
  return table;
}();

std::vector<i64> Varints(const Literal& literal) {
  std::vector<i64> values;
  values.reserve(literal.num_elements());
  DispatchElementType(literal.shape().type(), [&]<ElementType kType>() {
    if constexpr (kFieldByType[kType].encoding == Encoding::kVarints) {
      for (const auto value : literal.data<StorageOf<kType>>()) {
        values.push_back(static_cast<i64>(value));
      }
    }
  });
  return values;
}

// What arrives in the fields of elements, whatever the type turns out to be.
struct Elements {
  std::vector<i64> varints;
  std::string bytes;  // of kBytes and kFixed
};

// `field` has the number of an element type.
Status ReadElements(const WireReader& in, const ElementField& field, Elements& elements) {
  if (field.encoding == Encoding::kVarints) return in.Ints(elements.varints);
  if (field.encoding == Encoding::kBytes) {
    AXLE_ASSIGN(const std::string_view bytes, in.Bytes());
    elements.bytes = bytes;
    return {};
  }
  // A list of numbers may come in pieces.
  if (Info(PartOf(field.type)).bytes == 4) {
    std::vector<float> values;
    AXLE_TRY(in.Floats(values));
    elements.bytes.append(reinterpret_cast<const char*>(values.data()), 4 * values.size());
  } else {
    std::vector<double> values;
    AXLE_TRY(in.Doubles(values));
    elements.bytes.append(reinterpret_cast<const char*>(values.data()), 8 * values.size());
  }
  return {};
}

// Sub-byte elements fill their byte as StorageOf says, whatever a writer left in the upper bits.
void NormalizeSubBytes(Literal& literal) {
  const ElementTypeInfo& info = Info(literal.shape().type());
  if (info.bits >= 8) return;
  const int unused = 8 - info.bits;
  for (std::byte& byte : literal.MutableUncheckedData<std::byte>()) {
    const auto shifted = static_cast<std::uint8_t>(static_cast<std::uint8_t>(byte) << unused);
    const int value = info.type_class == TypeClass::kSigned
                          ? static_cast<std::int8_t>(shifted) >> unused
                          : shifted >> unused;
    byte = static_cast<std::byte>(value);
  }
}

// The run-time sizes, one for each dimension, of an array that has all elements of its bound.
Status SetSizes(const WireReader& in, const Dims& sizes, Literal& literal) {
  const Shape shape = literal.shape();
  if (static_cast<i64>(sizes.size()) != shape.rank()) {
    return in.Error(StrCat("a literal of shape ", shape.ToString(), " has ", sizes.size(),
                           " dynamic_sizes, not ", shape.rank()));
  }
  for (i64 d = 0; d < shape.rank(); ++d) {
    if (sizes[d] < 0 || sizes[d] > shape.dim(d) ||
        (sizes[d] != shape.dim(d) && !shape.is_dynamic(d))) {
      return in.Error(
          StrCat("dimension ", d, " of ", shape.ToString(), " cannot have size ", sizes[d]));
    }
    literal.SetSize(d, sizes[d]);
  }
  return {};
}

StatusOr<Literal> BuildArrayLiteral(const WireReader& in, Shape shape, const Elements& elements) {
  // Elements are dense, in the order of the layout, whatever else it says.
  if (shape.layout() != nullptr) {
    Layout order;
    order.minor_to_major = shape.layout()->minor_to_major;
    shape.set_layout(std::move(order));
  }
  const ElementTypeInfo& info = Info(shape.type());
  const bool is_varints = kFieldByType[shape.type()].encoding == Encoding::kVarints;
  const i64 count =
      static_cast<i64>(is_varints ? elements.varints.size() : elements.bytes.size() / info.bytes);
  if (count != shape.num_elements() || (!is_varints && elements.bytes.size() % info.bytes != 0)) {
    return in.Error(StrCat("a literal of shape ", shape.ToString(), " has ", shape.num_elements(),
                           " elements, but there are ", count));
  }
  AXLE_ASSIGN(Literal literal, Literal::CreateUninitialized(shape));
  if (!is_varints) {
    if (count > 0) std::memcpy(literal.mutable_bytes(), elements.bytes.data(), literal.num_bytes());
    NormalizeSubBytes(literal);
    return literal.ToRowMajor();
  }
  DispatchElementType(shape.type(), [&]<ElementType kType>() {
    if constexpr (kFieldByType[kType].encoding == Encoding::kVarints) {
      const auto data = literal.mutable_data<StorageOf<kType>>();
      for (size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<StorageOf<kType>>(elements.varints[i]);
      }
    }
  });
  return literal.ToRowMajor();
}

}  // namespace

WireWriter ShapeMessage(const Shape& shape) {
  WireWriter out;
  out.Int(shape_field::kElementType, shape.type());
  out.Ints(shape_field::kDimensions, shape.dims());
  for (const Shape& element : shape.elements()) {
    out.Message(shape_field::kTupleShapes, ShapeMessage(element));
  }
  if (shape.is_array()) {
    out.Message(shape_field::kLayout, LayoutMessage(shape.LayoutOrDefault()));
    Dims is_dynamic;
    for (i64 d = 0; d < shape.rank(); ++d) is_dynamic.push_back(shape.is_dynamic(d) ? 1 : 0);
    out.Ints(shape_field::kIsDynamic, is_dynamic);
  }
  return out;
}

StatusOr<Shape> ReadShape(const WireReader& in) {
  AXLE_ASSIGN(Shape shape, ReadShapeAt(in));
  const Status status = CheckShape(shape);
  return status.ok() ? StatusOr<Shape>(std::move(shape)) : in.Error(status.message());
}

WireWriter LiteralMessage(const Literal& literal) {
  WireWriter out;
  const Shape& shape = literal.shape();
  out.Message(literal_field::kShape, ShapeMessage(shape));
  for (const Literal& element : literal.elements()) {
    out.Message(literal_field::kTupleLiterals, LiteralMessage(element));
  }
  if (!shape.is_array()) return out;
  if (!shape.is_static()) out.Ints(literal_field::kDynamicSizes, literal.sizes());
  const ElementField& field = kFieldByType[shape.type()];
  if (field.encoding == Encoding::kVarints) {
    out.Ints(field.field, Varints(literal));
  } else if (literal.num_bytes() > 0) {
    out.Bytes(field.field, {reinterpret_cast<const char*>(literal.bytes()),
                            static_cast<size_t>(literal.num_bytes())});
  }
  return out;
}

StatusOr<Literal> ReadLiteral(const WireReader& in) {
  std::optional<Shape> shape;
  Elements elements;
  Dims dynamic_sizes;
  std::vector<Literal> tuple;
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() == literal_field::kShape) {
      AXLE_ASSIGN(shape, ReadShape(field));
      return {};
    }
    if (field.field() == literal_field::kTupleLiterals) {
      AXLE_ASSIGN(tuple.emplace_back(), ReadLiteral(field));
      return {};
    }
    if (field.field() == literal_field::kDynamicSizes) return field.Ints(dynamic_sizes);
    // XLA writes one field of elements; others would not be of the literal's type.
    for (const ElementField& known : kElementFields) {
      if (known.field == field.field() && (!shape || shape->type() == known.type)) {
        return ReadElements(field, known, elements);
      }
    }
    return {};
  }));
  if (!shape) return in.Error("a literal has no shape");
  if (shape->is_array()) {
    AXLE_ASSIGN(Literal literal, BuildArrayLiteral(in, *std::move(shape), elements));
    // Without them the array is full.
    if (!dynamic_sizes.empty()) AXLE_TRY(SetSizes(in, dynamic_sizes, literal));
    return literal;
  }
  if (shape->type() == BUFFER) return in.Error("there are no literals of buffers");
  if (!shape->is_tuple()) return Literal(*shape);
  bool fits = static_cast<i64>(tuple.size()) == shape->num_tuple_elements();
  for (size_t i = 0; fits && i < tuple.size(); ++i) {
    fits = Compatible(tuple[i].shape(), shape->element(static_cast<i64>(i)));
  }
  if (!fits) return in.Error(StrCat("the elements are not those of ", shape->ToString()));
  return Literal::Tuple(std::move(tuple));
}

}  // namespace axle
