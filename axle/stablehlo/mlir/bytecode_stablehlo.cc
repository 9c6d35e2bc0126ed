// The dialects stablehlo and chlo in plain bytecode, which promises no stability: what their
// encodings are since 2023. Structures of dimension numbers stay together here; the operation that
// has them takes them apart (bytecode_ops.cc).
#include "axle/stablehlo/mlir/bytecode_entries.h"
#include "axle/stablehlo/mlir/dialect.h"

namespace axle::mlir {
namespace {

// A structure of numbers, types and texts, whose fields are encoded in the order of its row.
const Attribute* ReadStruct(EntryCursor& in, std::string_view mnemonic) {
  MlirModule& module = in.module();
  const StructSyntax* syntax = FindStruct(mnemonic);
  std::vector<NamedAttribute> fields;
  for (const FieldSyntax& field : syntax->fields) {
    const Attribute* value = nullptr;
    if (field.kind == "ints") {
      value = MakeI64s(module, in.Svarints());
    } else if (field.kind == "type") {
      value = module.NewAttribute({.kind = AttributeKind::kType, .type = in.TypeRef()});
    } else if (field.kind == "string") {
      value = MakeString(module, in.String());
    } else if (field.kind == "bool") {
      value = MakeBool(module, in.Svarint() != 0);
    } else {
      value = MakeI64(module, in.Svarint());
    }
    if (!in.ok()) return nullptr;
    fields.push_back({field.name, value});
  }
  return in.ready() ? MakeStruct(module, syntax->mnemonic, std::move(fields)) : nullptr;
}

const Attribute* ReadAccuracy(EntryCursor& in) {
  MlirModule& module = in.module();
  const auto number = [&] {
    return module.NewAttribute(
        {.kind = AttributeKind::kFloat, .type = module.Element(F64), .number = in.Double()});
  };
  const Attribute* atol = number();
  const Attribute* rtol = number();
  const i64 ulps = in.Svarint();
  const Attribute* mode = in.NamedRef("result_accuracy_mode");
  if (!in.ready()) return nullptr;
  return MakeStruct(
      module, "result_accuracy",
      {{"atol", atol}, {"rtol", rtol}, {"ulps", MakeI64(module, ulps)}, {"mode", mode}});
}

const Attribute* ReadMeshAxes(EntryCursor& in) {
  const Attribute* mesh = in.AttributeRef();
  const std::vector<const Attribute*> axes = in.AttributeRefs();
  if (!in.ready()) return nullptr;
  return MakeStruct(in.module(), "replica_group_mesh_axes",
                    {{"mesh", mesh}, {"axes", MakeArray(in.module(), axes)}});
}

const Attribute* ReadAxisRef(EntryCursor& in) {
  MlirModule& module = in.module();
  const std::string_view name = in.String();
  const Attribute* part = in.Byte() != 0 ? in.NamedRef("sub_axis_info") : nullptr;
  if (!in.ready()) return nullptr;
  const Attribute* text = MakeString(module, name);
  if (part == nullptr) return MakeStruct(module, "axis_ref", {{"name", text}});
  return MakeStruct(module, "axis_ref", {{"name", text}, {"sub_axis_info", part}});
}

const Attribute* ReadMesh(EntryCursor& in) {
  MlirModule& module = in.module();
  const Attribute* axes = in.AttributeRef();
  const Attribute* devices = in.Byte() != 0 ? in.AttributeRef() : nullptr;
  if (!in.ready()) return nullptr;
  if (devices == nullptr) return MakeStruct(module, "mesh", {{"axes", axes}});
  return MakeStruct(module, "mesh", {{"axes", axes}, {"device_ids", devices}});
}

}  // namespace

const Attribute* ReadStablehloAttribute(EntryCursor& in) {
  const size_t offset = in.offset();
  const std::uint64_t code = in.Varint();
  if (!in.ok()) return nullptr;
  switch (code) {
    case 1:
      return ReadStruct(in, "channel_handle");
    case 2:
      return ReadEnum(in, "comparison_direction");
    case 3:
      return ReadEnum(in, "comparison_type");
    case 4:
      return ReadStruct(in, "conv");
    case 5:
      return ReadStruct(in, "dot");
    case 6:
      return ReadEnum(in, "fft_type");
    case 7:
      return ReadStruct(in, "gather");
    case 8:
      return ReadEnum(in, "precision");
    case 9:
      return ReadEnum(in, "rng_algorithm");
    case 10:
      return ReadEnum(in, "rng_distribution");
    case 11:
      return ReadStruct(in, "scatter");
    case 12:
      return ReadEnum(in, "transpose");
    case 13:
      return ReadBounds(in);
    case 14:
      return ReadStruct(in, "output_operand_alias");
    case 15:
      return ReadStruct(in, "dot_algorithm");
    case 16:
      return ReadEnum(in, "result_accuracy_mode");
    case 17:
      return ReadAccuracy(in);
    case 18:
      return ReadMeshAxes(in);
    case 19:
      return ReadStruct(in, "sub_axis_info");
    case 20:
      return ReadAxisRef(in);
    case 21:
      return ReadStruct(in, "mesh_axis");
    case 22:
      return ReadMesh(in);
    default:
      in.FailAt(offset,
                "attribute " + std::to_string(code) + " of the dialect stablehlo is not known",
                StatusCode::kUnimplemented);
      return nullptr;
  }
}

const Type* ReadStablehloType(EntryCursor& in) {
  const size_t offset = in.offset();
  const std::uint64_t code = in.Varint();
  if (!in.ok()) return nullptr;
  if (code == 0) return in.module().Get({.kind = TypeKind::kToken});
  if (code == 1) {
    std::vector<const Type*> elements = in.TypeRefs();
    if (!in.ready()) return nullptr;
    return in.module().Get({.kind = TypeKind::kFuture, .inputs = std::move(elements)});
  }
  in.FailAt(offset, "type " + std::to_string(code) + " of the dialect stablehlo is not known",
            StatusCode::kUnimplemented);
  return nullptr;
}

const Attribute* ReadChloAttribute(EntryCursor& in) {
  const size_t offset = in.offset();
  const std::uint64_t code = in.Varint();
  if (!in.ok()) return nullptr;
  if (code == 0) return ReadEnum(in, "comparison_direction");
  if (code == 1) return ReadEnum(in, "comparison_type");
  in.FailAt(offset, "attribute " + std::to_string(code) + " of the dialect chlo is not known",
            StatusCode::kUnimplemented);
  return nullptr;
}

}  // namespace axle::mlir
