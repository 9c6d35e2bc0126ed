// The dialects builtin and quant, and the text forms of attributes and types.
#include <algorithm>

#include "axle/stablehlo/mlir/bytecode_entries.h"
#include "axle/stablehlo/mlir/reader.h"

namespace axle::mlir {
namespace {

const Type* Other(MlirModule& module, std::string text) {
  return module.Get({.kind = TypeKind::kOther, .text = std::move(text)});
}

// The width of an integer type and whether it has a sign, in one number.
const Type* ReadIntegerType(EntryCursor& in) {
  const size_t offset = in.offset();
  const std::uint64_t code = in.Varint();
  if (!in.ok()) return nullptr;
  const std::uint64_t width = code >> 2;
  const std::uint64_t sign = code & 3;
  if (sign == 3 || width > 1 << 24) {
    in.FailAt(offset, "an integer type of " + std::to_string(width) + " bits with the sign " +
                          std::to_string(sign));
    return nullptr;
  }
  MlirModule& module = in.module();
  if (sign == 0 && width == 1) return module.Element(PRED);
  for (const ElementTypeInfo& info : kElementTypes) {
    const bool matches = sign == 0   ? info.type_class == TypeClass::kSigned
                         : sign == 2 ? info.type_class == TypeClass::kUnsigned
                                     : false;
    if (matches && static_cast<std::uint64_t>(info.bits) == width && width > 1) {
      return module.Element(info.type);
    }
  }
  constexpr std::string_view kPrefixes[] = {"i", "si", "ui"};
  return Other(module, std::string(kPrefixes[sign]) + std::to_string(width));
}

const Type* ReadComplex(EntryCursor& in) {
  const Type* part = in.TypeRef();
  if (!in.ready()) return nullptr;
  MlirModule& module = in.module();
  if (part->kind == TypeKind::kElement && part->element == F32) return module.Element(C64);
  if (part->kind == TypeKind::kElement && part->element == F64) return module.Element(C128);
  return Other(module, "complex<" + part->ToString() + ">");
}

std::string DimsText(const Dims& dims, std::string_view scalable = {}) {
  std::string text;
  for (size_t i = 0; i < dims.size(); ++i) {
    const std::string size = dims[i] == kDynamic ? "?" : std::to_string(dims[i]);
    text += i < scalable.size() && scalable[i] != 0 ? "[" + size + "]x" : size + "x";
  }
  return text;
}

// vector<...>, which no operation of StableHLO has.
const Type* ReadVector(EntryCursor& in, bool is_scalable) {
  std::string scalable;
  if (is_scalable) {
    scalable.resize(in.Count("dimensions"));
    for (char& flag : scalable) flag = static_cast<char>(in.Byte());
  }
  const Dims dims = in.Svarints();
  const Type* of = in.TypeRef();
  if (!in.ready()) return nullptr;
  return Other(in.module(), "vector<" + DimsText(dims, scalable) + of->ToString() + ">");
}

// What stands behind the comma in memref<4xf32, space>.
std::string SpaceText(const Attribute& space) {
  if (space.kind == AttributeKind::kInteger) return std::to_string(space.integer);
  return std::string(space.text);
}

// affine_map<(d0, d1) -> (d0, d1)>
bool IsIdentity(std::string_view map) {
  constexpr std::string_view kOpen = "affine_map<(", kArrow = ") -> (";
  const size_t arrow = map.find(kArrow);
  if (!map.starts_with(kOpen) || arrow == map.npos) return false;
  const std::string_view from = map.substr(kOpen.size(), arrow - kOpen.size());
  return map.substr(arrow + kArrow.size()) == std::string(from) + ")>";
}

const Type* ReadMemref(EntryCursor& in, bool has_space) {
  const Attribute* space = has_space ? in.AttributeRef() : nullptr;
  Type type{.kind = TypeKind::kBuffer, .dims = in.Svarints()};
  type.of = in.TypeRef();
  const Attribute* layout = in.AttributeRef();
  if (!in.ready()) return nullptr;
  // A layout is the text of an affine map; that of the row-major order is left out.
  const std::string map(layout->text);
  const bool is_identity = IsIdentity(map);
  if (space == nullptr && is_identity) return in.module().Get(std::move(type));
  std::string text = "memref<" + DimsText(type.dims) + type.of->ToString();
  if (!is_identity) text += ", " + map;
  if (space != nullptr) text += ", " + SpaceText(*space);
  return Other(in.module(), text + ">");
}

const Type* ReadUnrankedMemref(EntryCursor& in, bool has_space) {
  const Attribute* space = has_space ? in.AttributeRef() : nullptr;
  const Type* of = in.TypeRef();
  if (!in.ready()) return nullptr;
  std::string text = "memref<*x" + of->ToString();
  if (space != nullptr) text += ", " + SpaceText(*space);
  return Other(in.module(), text + ">");
}

const Attribute* NewLocation(EntryCursor& in, const Location& location) {
  if (!in.ready()) return nullptr;
  MlirModule& module = in.module();
  return module.NewAttribute(
      {.kind = AttributeKind::kLocation, .location = module.NewLocation(location)});
}

const Attribute* ReadCallSite(EntryCursor& in) {
  const Location* callee = in.LocationRef();
  const Location* caller = in.LocationRef();
  if (!in.ready()) return nullptr;
  return NewLocation(in, {.kind = Location::Kind::kCallSite,
                          .children = in.module().Copy(std::vector{callee, caller})});
}

const Attribute* ReadFileLocation(EntryCursor& in, bool is_range) {
  const std::string_view file = in.StringRef();
  const size_t offset = in.offset();
  std::vector<i64> places(is_range ? in.Count("numbers of a place in a file") : 2);
  for (i64& place : places) place = static_cast<i64>(in.Varint());
  if (!in.ready()) return nullptr;
  if (places.size() > 4) {
    in.FailAt(offset, std::to_string(places.size()) +
                          " numbers of a place in a file, where up to 4 were expected");
    return nullptr;
  }
  // line, column, [end column | end line, end column]
  Location location{.kind = Location::Kind::kFile, .text = file};
  if (!places.empty()) location.line = places[0];
  if (places.size() > 1) location.column = places[1];
  if (places.size() == 3) location.end_line = location.line, location.end_column = places[2];
  if (places.size() == 4) location.end_line = places[2], location.end_column = places[3];
  return NewLocation(in, location);
}

const Attribute* ReadFused(EntryCursor& in, bool has_metadata) {
  std::vector<const Location*> children(in.Count("locations"));
  for (const Location*& child : children) child = in.LocationRef();
  const Attribute* metadata = has_metadata ? in.AttributeRef() : nullptr;
  if (!in.ready()) return nullptr;
  return NewLocation(in, {.kind = Location::Kind::kFused,
                          .children = in.module().Copy(children),
                          .metadata = metadata});
}

const Attribute* ReadNameLocation(EntryCursor& in) {
  const std::string_view name = in.StringRef();
  const Location* child = in.LocationRef();
  if (!in.ready()) return nullptr;
  std::vector<const Location*> children;
  if (child->kind != Location::Kind::kUnknown) children.push_back(child);
  return NewLocation(
      in, {.kind = Location::Kind::kName, .text = name, .children = in.module().Copy(children)});
}

// @f or @f::@g, without the signs between: "f::g".
const Attribute* ReadSymbol(EntryCursor& in, bool is_nested) {
  const size_t offset = in.offset();
  std::string text(in.StringRef());
  if (is_nested) {
    for (const Attribute* inner : in.AttributeRefs()) {
      if (!in.ready()) return nullptr;
      if (inner->kind != AttributeKind::kSymbol) {
        in.FailAt(offset, "a symbol was expected, not an attribute of another kind");
        return nullptr;
      }
      text += "::" + std::string(inner->text);
    }
  }
  if (!in.ready()) return nullptr;
  MlirModule& module = in.module();
  return module.NewAttribute({.kind = AttributeKind::kSymbol, .text = module.Text(text)});
}

const Attribute* ReadResourceElements(EntryCursor& in) {
  const Type* type = in.TypeRef();
  const size_t offset = in.offset();
  const std::uint64_t handle = in.Varint();
  if (!in.ready()) return nullptr;
  const std::vector<BytecodeFile::Resource>& resources = in.table().file().resources;
  if (handle >= resources.size() || resources[handle].kind != BytecodeFile::ResourceKind::kBlob) {
    in.FailAt(offset, "resource " + std::to_string(handle) + " with elements is asked for, of " +
                          std::to_string(resources.size()));
    return nullptr;
  }
  const ByteRange range = resources[handle].bytes;
  return MakeElements(
      in, type, in.table().file().bytes.substr(range.begin, range.end - range.begin), range.begin);
}

// Elements that are texts, which no operation of StableHLO has: as MLIR prints a list of them.
const Attribute* ReadStringElements(EntryCursor& in) {
  const Type* type = in.TypeRef();
  bool is_splat = false;
  const size_t count = in.CheckedCount(in.FlaggedVarint(is_splat), "strings");
  std::string text;
  for (size_t i = 0; i < count && in.ok(); ++i) {
    text += (i > 0 ? ", " : "") + QuotedText(in.String());
  }
  if (!in.ready()) return nullptr;
  return MakeOther(in.module(), "dense<" + std::string(is_splat ? "" : "[") + text +
                                    (is_splat ? "" : "]") + "> : " + type->ToString());
}

// A list of elements as MLIR prints it, of what HLO text prints.
std::string ListText(const Attribute& elements) {
  std::string text = elements.literal->ToString();
  std::string list;
  for (const char c : text) {
    if (c == ' ' || c == '\n') continue;
    list += c == '{' ? "[" : c == '}' ? "]" : c == ',' ? ", " : std::string(1, c);
  }
  return list;
}

const Attribute* ReadSparseElements(EntryCursor& in) {
  const size_t offset = in.offset();
  const Type* type = in.TypeRef();
  const Attribute* indices = in.AttributeRef();
  const Attribute* values = in.AttributeRef();
  if (!in.ready()) return nullptr;
  if (indices->literal == nullptr || values->literal == nullptr) {
    in.FailAt(offset, "sparse elements whose indices and values are not dense elements");
    return nullptr;
  }
  return MakeOther(in.module(), "sparse<" + ListText(*indices) + ", " + ListText(*values) +
                                    "> : " + type->ToString());
}

const Attribute* ReadTyped(EntryCursor& in, bool is_float) {
  const Type* type = in.TypeRef();
  if (!in.ready()) return nullptr;
  return ReadNumber(in, type, is_float);
}

const Attribute* ReadDense(EntryCursor& in) {
  const Type* type = in.TypeRef();
  const size_t offset = in.offset();
  if (!in.ready()) return nullptr;
  return MakeElements(in, type, in.Blob(), offset);
}

const Attribute* ReadDenseArray(EntryCursor& in) {
  const Type* type = in.TypeRef();
  const std::uint64_t count = in.Varint();
  const size_t offset = in.offset();
  if (!in.ready()) return nullptr;
  const std::string_view bytes = in.Blob();
  return in.ok() ? MakeDenseArray(in, type, count, bytes, offset) : nullptr;
}

const Attribute* ReadTypeAttribute(EntryCursor& in) {
  const Type* type = in.TypeRef();
  if (!in.ready()) return nullptr;
  return in.module().NewAttribute({.kind = AttributeKind::kType, .type = type});
}

const Attribute* ReadArray(EntryCursor& in) {
  const std::vector<const Attribute*> elements = in.AttributeRefs();
  return in.ready() ? MakeArray(in.module(), elements) : nullptr;
}

const Attribute* ReadStringAttribute(EntryCursor& in, bool has_type) {
  const std::string_view text = in.String();
  if (has_type) in.TypeRef();
  return in.ready() ? MakeString(in.module(), text) : nullptr;
}

// distinct[3]<a>: the entry is the number.
const Attribute* ReadDistinct(EntryCursor& in) {
  const size_t number = in.offset();
  const Attribute* of = in.AttributeRef();
  if (!in.ready()) return nullptr;
  return MakeOther(in.module(),
                   "distinct[" + std::to_string(number) + "]<" + std::string(of->text) + ">");
}

const Type* ReadList(EntryCursor& in, TypeKind kind) {
  Type type{.kind = kind, .inputs = in.TypeRefs()};
  if (kind == TypeKind::kFunction) type.results = in.TypeRefs();
  return in.ready() ? in.module().Get(std::move(type)) : nullptr;
}

}  // namespace

const Attribute* ReadBuiltinAttribute(EntryCursor& in) {
  const size_t offset = in.offset();
  const std::uint64_t code = in.Varint();
  if (!in.ok()) return nullptr;
  MlirModule& module = in.module();
  switch (code) {
    case 0:
      return ReadArray(in);
    case 1:
      return in.Dictionary();
    case 2:
    case 3:
      return ReadStringAttribute(in, code == 3);
    case 4:
    case 5:
      return ReadSymbol(in, code == 5);
    case 6:
      return ReadTypeAttribute(in);
    case 7:
      return module.NewAttribute({.kind = AttributeKind::kUnit});
    case 8:
    case 9:
      return ReadTyped(in, code == 9);
    case 10:
      return ReadCallSite(in);
    case 11:
    case 22:
      return ReadFileLocation(in, code == 22);
    case 12:
    case 13:
      return ReadFused(in, code == 13);
    case 14:
      return ReadNameLocation(in);
    case 15:
      return module.NewAttribute(
          {.kind = AttributeKind::kLocation, .location = module.unknown_location()});
    case 16:
      return ReadResourceElements(in);
    case 17:
      return ReadDenseArray(in);
    case 18:
      return ReadDense(in);
    case 19:
      return ReadStringElements(in);
    case 20:
      return ReadSparseElements(in);
    case 21:
      return ReadDistinct(in);
    default:
      in.FailAt(offset,
                "attribute " + std::to_string(code) + " of the dialect builtin is not known",
                StatusCode::kUnimplemented);
      return nullptr;
  }
}

const Type* ReadBuiltinType(EntryCursor& in) {
  const size_t offset = in.offset();
  const std::uint64_t code = in.Varint();
  if (!in.ok()) return nullptr;
  MlirModule& module = in.module();
  switch (code) {
    case 0:
      return ReadIntegerType(in);
    case 1:
      return module.Get({.kind = TypeKind::kIndex});
    case 2:
      return ReadList(in, TypeKind::kFunction);
    case 3:
      return module.Element(BF16);
    case 4:
      return module.Element(F16);
    case 5:
      return module.Element(F32);
    case 6:
      return module.Element(F64);
    case 7:
      return Other(module, "f80");
    case 8:
      return Other(module, "f128");
    case 9:
      return ReadComplex(in);
    case 10:
    case 11:
      return ReadMemref(in, code == 11);
    case 12:
      return module.Get({.kind = TypeKind::kNone});
    case 13:
    case 14:
      return ReadTensor(in, TypeKind::kTensor, code == 14);
    case 15:
      return ReadList(in, TypeKind::kTuple);
    case 16:
    case 17:
      return ReadUnrankedMemref(in, code == 17);
    case 18: {
      const Type* of = in.TypeRef();
      return in.ready() ? module.Get({.kind = TypeKind::kUnranked, .of = of}) : nullptr;
    }
    case 19:
    case 20:
      return ReadVector(in, code == 20);
    default:
      in.FailAt(offset, "type " + std::to_string(code) + " of the dialect builtin is not known",
                StatusCode::kUnimplemented);
      return nullptr;
  }
}

const Type* ReadQuantType(EntryCursor& in) {
  const size_t offset = in.offset();
  const std::uint64_t code = in.Varint();
  if (!in.ok()) return nullptr;
  if (code == 4 || code == 5) return ReadUniform(in, code == 5);
  in.FailAt(offset, "type " + std::to_string(code) + " of the dialect quant is not known",
            StatusCode::kUnimplemented);
  return nullptr;
}

StatusOr<const Attribute*> ReadAttributeText(MlirModule& module, std::string_view text) {
  Reader reader(module, module.Text(text), "text", nullptr);
  AXLE_ASSIGN(const Attribute* attribute, reader.ReadAttribute());
  if (!reader.lexer().AtEnd()) return reader.Error("more follows the attribute");
  return attribute;
}

StatusOr<const Type*> ReadTypeText(MlirModule& module, std::string_view text) {
  Reader reader(module, module.Text(text), "text", nullptr);
  AXLE_ASSIGN(const Type* type, reader.ReadType());
  if (!reader.lexer().AtEnd()) return reader.Error("more follows the type");
  return type;
}

}  // namespace axle::mlir
