// The dialect vhlo, whose attributes and types become those of the dialects that it stands for.
#include <algorithm>
#include <charconv>

#include "axle/stablehlo/mlir/bytecode_entries.h"
#include "axle/stablehlo/mlir/vhlo_codes.h"

namespace axle::mlir {
namespace {

// Above all codes: numbers that an enum of codes cannot hold count as it.
constexpr std::uint64_t kUnknownCode = 1000;

const Attribute* ReadAlias(EntryCursor& in) {
  MlirModule& module = in.module();
  const Dims outputs = in.Svarints();
  const i64 operand = in.Svarint();
  const Dims parts = in.Svarints();
  if (!in.ready()) return nullptr;
  return MakeStruct(module, "output_operand_alias",
                    {{"output_tuple_indices", MakeI64s(module, outputs)},
                     {"operand_index", MakeI64(module, operand)},
                     {"operand_tuple_indices", MakeI64s(module, parts)}});
}

const Attribute* ReadAccuracy(EntryCursor& in) {
  MlirModule& module = in.module();
  const double atol = in.Double();
  const double rtol = in.Double();
  const i64 ulps = in.Svarint();
  const Attribute* mode = in.NamedRef("result_accuracy_mode");
  if (!in.ready()) return nullptr;
  const auto number = [&](double value) {
    return module.NewAttribute(
        {.kind = AttributeKind::kFloat, .type = module.Element(F64), .number = value});
  };
  return MakeStruct(module, "result_accuracy",
                    {{"atol", number(atol)},
                     {"rtol", number(rtol)},
                     {"ulps", MakeI64(module, ulps)},
                     {"mode", mode}});
}

const Attribute* ReadTensorAttribute(EntryCursor& in) {
  const Type* type = in.TypeRef();
  const size_t offset = in.offset();
  if (!in.ready()) return nullptr;
  const std::string_view bytes = in.Blob();
  return in.ok() ? MakeElements(in, type, bytes, offset) : nullptr;
}

const Attribute* ReadAxisRef(EntryCursor& in) {
  MlirModule& module = in.module();
  const std::string_view name = in.StringRef();
  const Attribute* part = in.Varint() != 0 ? in.NamedRef("sub_axis_info") : nullptr;
  if (!in.ready()) return nullptr;
  const Attribute* text = MakeString(module, name);
  if (part == nullptr) return MakeStruct(module, "axis_ref", {{"name", text}});
  return MakeStruct(module, "axis_ref", {{"name", text}, {"sub_axis_info", part}});
}

// The mesh is a mesh or the name of one.
const Attribute* ReadMeshAxes(EntryCursor& in) {
  MlirModule& module = in.module();
  const Attribute* mesh = in.AttributeRef();
  const Attribute* axes = in.AttributeRef();
  if (!in.ready()) return nullptr;
  if (mesh->kind == AttributeKind::kString) {
    mesh = module.NewAttribute({.kind = AttributeKind::kSymbol, .text = mesh->text});
  }
  return MakeStruct(module, "replica_group_mesh_axes", {{"mesh", mesh}, {"axes", axes}});
}

const Attribute* ReadMeshAxis(EntryCursor& in) {
  MlirModule& module = in.module();
  const std::string_view name = in.StringRef();
  const i64 size = in.Svarint();
  if (!in.ready()) return nullptr;
  return MakeStruct(module, "mesh_axis",
                    {{"name", MakeString(module, name)}, {"size", MakeI64(module, size)}});
}

const Attribute* ReadMesh(EntryCursor& in) {
  MlirModule& module = in.module();
  const Attribute* axes = in.AttributeRef();
  const Attribute* devices = in.OptionalAttributeRef();
  if (!in.ready()) return nullptr;
  if (devices == nullptr) return MakeStruct(module, "mesh", {{"axes", axes}});
  return MakeStruct(module, "mesh", {{"axes", axes}, {"device_ids", devices}});
}

const Attribute* ReadTypeAttribute(EntryCursor& in) {
  const Type* type = in.TypeRef();
  if (!in.ready()) return nullptr;
  return in.module().NewAttribute({.kind = AttributeKind::kType, .type = type});
}

const Attribute* ReadTypedNumber(EntryCursor& in, bool is_float) {
  const Type* type = in.TypeRef();
  return in.ready() ? ReadNumber(in, type, is_float) : nullptr;
}

const Type* ReadComplex(EntryCursor& in) {
  const size_t offset = in.offset();
  const Type* part = in.TypeRef();
  if (!in.ready()) return nullptr;
  if (part->kind == TypeKind::kElement && part->element == F32) return in.module().Element(C64);
  if (part->kind == TypeKind::kElement && part->element == F64) return in.module().Element(C128);
  in.FailAt(offset, "complex<" + part->ToString() + ">, where f32 or f64 was expected");
  return nullptr;
}

const Type* ReadList(EntryCursor& in, TypeKind kind) {
  Type type{.kind = kind, .inputs = in.TypeRefs()};
  if (kind == TypeKind::kFunction) type.results = in.TypeRefs();
  return in.ready() ? in.module().Get(std::move(type)) : nullptr;
}

}  // namespace

std::optional<StableHloVersion> ParseStableHloVersion(std::string_view text) {
  StableHloVersion version;
  int* const parts[] = {&version.major, &version.minor, &version.patch};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int i = 0; i < 3; ++i) {
    if (i > 0) {
      if (at == end || *at != '.') return std::nullopt;
      ++at;
    }
    const auto [next, error] = std::from_chars(at, end, *parts[i]);
    if (error != std::errc() || *parts[i] < 0) return std::nullopt;
    at = next;
  }
  if (at != end && *at != '-') return std::nullopt;
  return version;
}

const Attribute* ReadVhloAttribute(EntryCursor& in) {
  const size_t offset = in.offset();
  const std::uint64_t code = in.Varint();
  if (!in.ok()) return nullptr;
  for (const VhloEnum& entry : kVhloEnums) {
    if (static_cast<std::uint64_t>(entry.code) == code) return ReadEnum(in, entry.mnemonic);
  }
  MlirModule& module = in.module();
  switch (static_cast<VhloAttribute>(std::min<std::uint64_t>(code, kUnknownCode))) {
    case VhloAttribute::kArray: {
      const std::vector<const Attribute*> elements = in.AttributeRefs();
      return in.ready() ? MakeArray(module, elements) : nullptr;
    }
    case VhloAttribute::kBool:
      return MakeBool(module, in.Varint() != 0);
    case VhloAttribute::kDictionary:
      return in.Dictionary();
    case VhloAttribute::kFloat:
    case VhloAttribute::kInteger:
      return ReadTypedNumber(in, static_cast<VhloAttribute>(code) == VhloAttribute::kFloat);
    case VhloAttribute::kOutputOperandAlias:
      return ReadAlias(in);
    case VhloAttribute::kString:
      return MakeString(module, in.String());
    case VhloAttribute::kTensor:
      return ReadTensorAttribute(in);
    case VhloAttribute::kType:
      return ReadTypeAttribute(in);
    case VhloAttribute::kTypeExtensions:
      return ReadBounds(in);
    case VhloAttribute::kResultAccuracy:
      return ReadAccuracy(in);
    case VhloAttribute::kSubAxisInfo: {
      const i64 before = in.Svarint();
      const i64 size = in.Svarint();
      return MakeStruct(module, "sub_axis_info",
                        {{"pre_size", MakeI64(module, before)}, {"size", MakeI64(module, size)}});
    }
    case VhloAttribute::kAxisRef:
      return ReadAxisRef(in);
    case VhloAttribute::kReplicaGroupMeshAxes:
      return ReadMeshAxes(in);
    case VhloAttribute::kMeshAxis:
      return ReadMeshAxis(in);
    case VhloAttribute::kMesh:
      return ReadMesh(in);
  }
  in.FailAt(offset, "attribute " + std::to_string(code) + " of the dialect vhlo is not known",
            StatusCode::kUnimplemented);
  return nullptr;
}

const Type* ReadVhloType(EntryCursor& in) {
  const size_t offset = in.offset();
  const std::uint64_t code = in.Varint();
  if (!in.ok()) return nullptr;
  MlirModule& module = in.module();
  for (const VhloElement& entry : kVhloElements) {
    if (static_cast<std::uint64_t>(entry.code) == code) return module.Element(entry.element);
  }
  switch (static_cast<VhloType>(std::min<std::uint64_t>(code, kUnknownCode))) {
    case VhloType::kComplex:
      return ReadComplex(in);
    case VhloType::kFunction:
      return ReadList(in, TypeKind::kFunction);
    case VhloType::kIndex:
      return module.Get({.kind = TypeKind::kIndex});
    case VhloType::kTensor:
    case VhloType::kTensorWithEncoding:
      return ReadTensor(in, TypeKind::kTensor,
                        static_cast<VhloType>(code) == VhloType::kTensorWithEncoding);
    case VhloType::kToken:
      return module.Get({.kind = TypeKind::kToken});
    case VhloType::kTuple:
      return ReadList(in, TypeKind::kTuple);
    case VhloType::kQuantized:
    case VhloType::kQuantizedPerAxis:
      return ReadUniform(in, static_cast<VhloType>(code) == VhloType::kQuantizedPerAxis);
    case VhloType::kUnranked: {
      const Type* of = in.TypeRef();
      return in.ready() ? module.Get({.kind = TypeKind::kUnranked, .of = of}) : nullptr;
    }
    case VhloType::kWitness:
      return module.Get({.kind = TypeKind::kOther, .text = "!shape.witness"});
    case VhloType::kNone:
      return module.Get({.kind = TypeKind::kNone});
    case VhloType::kTf32:
      return module.Get({.kind = TypeKind::kOther, .text = "tf32"});
    case VhloType::kBuffer:
      return ReadTensor(in, TypeKind::kBuffer, false);
    case VhloType::kFuture:
      return ReadList(in, TypeKind::kFuture);
  }
  in.FailAt(offset, "type " + std::to_string(code) + " of the dialect vhlo is not known",
            StatusCode::kUnimplemented);
  return nullptr;
}

}  // namespace axle::mlir
