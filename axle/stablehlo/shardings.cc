#include "axle/stablehlo/shardings.h"

#include <algorithm>

#include "axle/core/scanner.h"
#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/stablehlo/conversions.h"

namespace axle::stablehlo {
namespace {

// <["x"=4, "y"=2], device_ids=[1, 0, ...]>
StatusOr<DeviceMesh> ReadMesh(Scanner& scanner) {
  DeviceMesh mesh;
  i64 num_devices = 1;
  AXLE_TRY(scanner.Expect("<"));
  AXLE_TRY(scanner.List("[", "]", [&]() -> Status {
    DeviceMesh::Axis axis;
    AXLE_ASSIGN(axis.name, scanner.String());
    AXLE_TRY(scanner.Expect("="));
    AXLE_ASSIGN(axis.size, scanner.Integer());
    const auto product = CheckedMul(num_devices, axis.size);
    if (axis.size < 1 || !product || *product > i64{1} << 24) {
      return scanner.Error("a mesh has between 1 and 2^24 devices");
    }
    num_devices = *product;
    mesh.axes.push_back(std::move(axis));
    return {};
  }));
  if (scanner.Consume(",")) {
    if (scanner.AttributeName() != "device_ids") return scanner.Expected("device_ids=");
    AXLE_TRY(scanner.List("[", "]", [&]() -> Status {
      AXLE_ASSIGN(mesh.device_ids.emplace_back(), scanner.Integer());
      return {};
    }));
    if (static_cast<i64>(mesh.device_ids.size()) != num_devices) {
      return scanner.Error(StrCat("a mesh of ", num_devices, " devices lists ",
                                  static_cast<i64>(mesh.device_ids.size())));
    }
  }
  AXLE_TRY(scanner.Expect(">"));
  return mesh;
}

// "x" or "y":(1)2
StatusOr<MeshAxisRef> ReadAxis(Scanner& scanner, const DeviceMesh& mesh, std::string& name) {
  MeshAxisRef ref;
  AXLE_ASSIGN(name, scanner.String());
  const auto axis = std::ranges::find(mesh.axes, name, &DeviceMesh::Axis::name);
  if (axis == mesh.axes.end()) {
    return scanner.Error(StrCat("the mesh has no axis \"", name, "\""));
  }
  ref.axis = axis - mesh.axes.begin();
  if (!scanner.Consume(":")) return ref;
  AXLE_TRY(scanner.Expect("("));
  AXLE_ASSIGN(ref.pre_size, scanner.Integer());
  AXLE_TRY(scanner.Expect(")"));
  AXLE_ASSIGN(ref.size, scanner.Integer());
  return ref;
}

// The list of a #sdy.sharding_per_value<[...]> or the one of #sdy.sharding<...>, from its '<' on.
std::string_view Body(std::string_view text, bool& is_list) {
  is_list = text.starts_with("#sdy.sharding_per_value");
  const size_t open = text.find('<');
  return open == text.npos ? std::string_view() : text.substr(open);
}

constexpr std::string_view kLabel = "sharding";

}  // namespace

StatusOr<Meshes> Meshes::Of(const mlir::MlirModule& source) {
  Meshes meshes;
  const mlir::Operation& top = *source.top();
  if (top.regions.empty() || top.regions[0].blocks.empty()) return meshes;
  for (const mlir::Operation* op : top.regions[0].blocks[0].operations) {
    if (op->name != "sdy.mesh") continue;
    const mlir::Attribute* name = op->Find("sym_name");
    const mlir::Attribute* mesh = op->Find("mesh");
    if (name == nullptr || mesh == nullptr) continue;
    const std::string_view text = mesh->text;
    Scanner scanner(text.substr(std::min(text.find('<'), text.size())), "mesh");
    auto read = ReadMesh(scanner);
    if (!read.ok()) return source.ErrorAt(*op, read.status().message());
    meshes.meshes_.emplace(name->text, *std::move(read));
  }
  return meshes;
}

// @mesh, @"a mesh" or mesh<[...]>
StatusOr<DeviceMesh> Meshes::MeshOf(Scanner& scanner) const {
  if (!scanner.Consume("@")) {
    if (!scanner.ConsumeWord("mesh")) return scanner.Expected("a mesh");
    return ReadMesh(scanner);
  }
  std::string name;
  if (scanner.PeekString()) {
    AXLE_ASSIGN(name, scanner.String());
  } else {
    name = scanner.Word();
  }
  const auto found = meshes_.find(name);
  if (found == meshes_.end()) return scanner.Error(StrCat("there is no mesh @", name));
  return found->second;
}

// <@mesh, [{"x", ?}p1, {}], replicated={"y"}>
StatusOr<TileSharding> Meshes::ReadOne(Scanner& scanner, const std::set<std::string>* only) const {
  AXLE_TRY(scanner.Expect("<"));
  AXLE_ASSIGN(const DeviceMesh mesh, MeshOf(scanner));
  AXLE_TRY(scanner.Expect(","));
  std::vector<std::vector<MeshAxisRef>> axes;
  std::vector<MeshAxisRef> unreduced;
  const auto read_axes = [&](std::vector<MeshAxisRef>& refs) {
    return scanner.List("{", "}", [&]() -> Status {
      if (scanner.Consume("?")) return {};
      std::string name;
      AXLE_ASSIGN(const MeshAxisRef ref, ReadAxis(scanner, mesh, name));
      if (only == nullptr || only->contains(name)) refs.push_back(ref);
      return {};
    });
  };
  AXLE_TRY(scanner.List("[", "]", [&]() -> Status {
    AXLE_TRY(read_axes(axes.emplace_back()));
    if (!scanner.Peek(",") && !scanner.Peek("]")) scanner.Word();  // a priority
    return {};
  }));
  while (scanner.Consume(",")) {
    if (scanner.AttributeName() != "unreduced") {
      AXLE_TRY(scanner.Braces().status());
      continue;
    }
    if (!scanner.Peek("{")) {
      return Unimplemented("devices have values whose maximum or minimum is meant (unreduced)");
    }
    AXLE_TRY(read_axes(unreduced));
  }
  AXLE_TRY(scanner.Expect(">"));
  if (mesh.axes.empty() && mesh.device_ids.empty()) {
    return TileSharding{.kind = TileSharding::Kind::kReplicated, .tiles = {}, .devices = {}};
  }
  return ShardingOnMesh(mesh, axes, unreduced);
}

StatusOr<std::vector<TileSharding>> Meshes::Read(std::string_view text,
                                                 const std::set<std::string>* only) const {
  bool is_list = false;
  Scanner scanner(Body(text, is_list), kLabel);
  std::vector<TileSharding> shardings;
  if (!is_list) {
    AXLE_ASSIGN(shardings.emplace_back(), ReadOne(scanner, only));
    return shardings;
  }
  AXLE_TRY(scanner.Expect("<"));
  AXLE_TRY(scanner.List("[", "]", [&]() -> Status {
    AXLE_ASSIGN(shardings.emplace_back(), ReadOne(scanner, only));
    return {};
  }));
  return shardings;
}

StatusOr<std::set<std::string>> Meshes::ManualAxes(std::string_view text) {
  std::set<std::string> axes;
  Scanner scanner(text.substr(std::min(text.find('{'), text.size())), "manual axes");
  AXLE_TRY(scanner.List("{", "}", [&]() -> Status {
    AXLE_ASSIGN(std::string axis, scanner.String());
    axes.insert(std::move(axis));
    return {};
  }));
  return axes;
}

StatusOr<std::string> Meshes::ManualText(std::string_view text, const std::set<std::string>& axes,
                                         i64 rank) const {
  bool is_list = false;
  Scanner scanner(Body(text, is_list), kLabel);
  AXLE_TRY(scanner.Expect("<"));
  if (!scanner.Consume("[") || !scanner.Consume("<")) return std::string("{manual}");
  AXLE_ASSIGN(const DeviceMesh mesh, MeshOf(scanner));
  std::vector<MeshAxisRef> refs;
  for (size_t a = 0; a < mesh.axes.size(); ++a) {
    if (axes.contains(mesh.axes[a].name)) refs.push_back({.axis = static_cast<i64>(a)});
  }
  if (refs.size() == mesh.axes.size()) return std::string("{manual}");
  AXLE_ASSIGN(const TileSharding manual, ShardingOnMesh(mesh, {refs}));
  if (!manual.is_tiled()) return std::string("{replicated}");
  Dims tile(static_cast<size_t>(rank), 1);
  tile.push_back(manual.tiles[0]);
  tile.push_back(manual.copies);
  return StrCat("{devices=[", Join(tile, ","), "]", Join(manual.devices, ","),
                " last_tile_dims={manual, replicated}}");
}

namespace {

// A custom-call on one operand that says something about how it is divided.
StatusOr<Instruction*> AddMark(const Site& site, std::string_view target, Instruction* operand,
                               const Shape& shape, std::string sharding) {
  CustomCallAttrs attrs;
  attrs.custom_call_target = target;
  AXLE_ASSIGN(Instruction* const call,
              site.Add(Opcode::kCustomCall, {operand}, std::move(attrs), {}, shape));
  site.frame().computation->MutableExtras(call).sharding = std::move(sharding);
  return call;
}

StatusOr<std::string_view> TextOf(const Site& site, std::string_view name) {
  const mlir::Attribute* attribute = site.Find(name);
  if (attribute == nullptr) return site.Error(StrCat("attribute \"", name, "\" is missing"));
  return attribute->text;
}

template <typename T>
StatusOr<T> AtSite(const Site& site, StatusOr<T> value) {
  if (value.ok()) return value;
  return site.Error(value.status().message(), value.status().code());
}

Status CheckCount(const Site& site, std::string_view what, size_t shardings, size_t values) {
  if (shardings == values) return {};
  return site.Error(
      StrCat(static_cast<i64>(shardings), " shardings for ", static_cast<i64>(values), " ", what));
}

}  // namespace

// One partition has all of each value, so that the region is its body.
Status ConvertManualComputation(const Site& site) {
  if (!site.converter().is_partitioned()) return ConvertShardedBody(site);
  const Meshes& meshes = site.converter().meshes();
  AXLE_ASSIGN(const std::string_view in_text, TextOf(site, "in_shardings"));
  AXLE_ASSIGN(const std::string_view out_text, TextOf(site, "out_shardings"));
  AXLE_ASSIGN(const std::string_view axes_text, TextOf(site, "manual_axes"));
  AXLE_ASSIGN(const std::set<std::string> axes, AtSite(site, Meshes::ManualAxes(axes_text)));
  AXLE_ASSIGN(const auto in, AtSite(site, meshes.Read(in_text, &axes)));
  AXLE_ASSIGN(const auto out, AtSite(site, meshes.Read(out_text, &axes)));
  AXLE_ASSIGN(HloComputation* const body, site.Body(0));
  const auto parameters = body->parameters();
  AXLE_TRY(CheckCount(site, "operands", in.size(), site.num_operands()));
  AXLE_TRY(CheckCount(site, "results", out.size(), site.op().results.size()));
  if (parameters.size() != in.size()) return site.Error("the body takes other operands");
  const std::string_view mesh_text = in.empty() ? out_text : in_text;
  Instructions parts;
  for (size_t i = 0; i < in.size(); ++i) {
    Instruction* operand = site.operand(i);
    if (!operand->shape().is_array()) {
      parts.push_back(operand);
      continue;
    }
    AXLE_ASSIGN(std::string manual,
                AtSite(site, meshes.ManualText(mesh_text, axes, operand->shape().rank())));
    AXLE_ASSIGN(operand,
                AddMark(site, "Sharding", operand, operand->shape(), TileShardingText(in[i])));
    AXLE_ASSIGN(parts.emplace_back(), AddMark(site, "SPMDFullToShardShape", operand,
                                              parameters[i]->shape(), std::move(manual)));
  }
  AXLE_ASSIGN(Instruction* const call, site.Add(Opcode::kCall, parts, CallAttrs{}, {body}));
  for (size_t i = 0; i < out.size(); ++i) {
    Instruction* part = call;
    if (out.size() != 1) {
      AXLE_ASSIGN(part, site.Element(call, static_cast<i64>(i)));
    }
    if (part->shape().is_array()) {
      AXLE_ASSIGN(std::string manual,
                  AtSite(site, meshes.ManualText(mesh_text, axes, part->shape().rank())));
      AXLE_ASSIGN(part, AddMark(site, "Sharding", part, part->shape(), std::move(manual)));
      AXLE_ASSIGN(const Shape whole, site.ResultShape(i));
      AXLE_ASSIGN(part,
                  AddMark(site, "SPMDShardToFullShape", part, whole, TileShardingText(out[i])));
    }
    AXLE_TRY(site.Return(part, i));
  }
  return {};
}

// An annotation of a whole value. Combiners keep none: what they are is read off their arithmetic.
Status ConvertShardingConstraint(const Site& site) {
  Instruction* const operand = site.operand(0);
  if (!site.converter().is_partitioned() || operand->shape().rank() == 0 ||
      !operand->shape().is_array()) {
    return ConvertIdentity(site);
  }
  AXLE_ASSIGN(const std::string_view text, TextOf(site, "sharding"));
  AXLE_ASSIGN(const auto shardings, AtSite(site, site.converter().meshes().Read(text)));
  return site.Return(
      AddMark(site, "Sharding", operand, operand->shape(), TileShardingText(shardings[0])));
}

StatusOr<std::string> Converter::ShardingText(
    const std::function<const mlir::Attribute*(std::string_view)>& find,
    std::span<const Shape> shapes) const {
  std::string text;
  if (const mlir::Attribute* hlo = find("mhlo.sharding"); hlo != nullptr) {
    text = std::string(hlo->text);
  } else if (const mlir::Attribute* sdy = find("sdy.sharding"); sdy != nullptr) {
    AXLE_ASSIGN(const auto shardings, meshes_.Read(sdy->text));
    for (const TileSharding& sharding : shardings) {
      StrAppend(text, text.empty() ? "" : ", ", TileShardingText(sharding));
    }
    if (shardings.size() != 1) text = StrCat("{", text, "}");
  } else {
    return text;
  }
  // It must be one: a bad sharding is an error here, where its place is known.
  AXLE_ASSIGN(const auto leaves, ShardingsOfLeaves(text, static_cast<i64>(shapes.size())));
  for (size_t i = 0; i < leaves.size(); ++i) {
    AXLE_TRY(
        ReadTileSharding(leaves[i], shapes[i].rank(), module_->config().num_partitions).status());
  }
  return text;
}

Status Converter::SetEntryShardings(const mlir::Operation& function, HloComputation& entry) {
  if (!is_partitioned()) return {};
  const auto text_of = [&](const mlir::Attribute* list, size_t i,
                           const Shape& shape) -> StatusOr<std::string> {
    if (list == nullptr || i >= list->elements.size() || !shape.is_array()) return std::string();
    const mlir::Attribute& attributes = *list->elements[i];
    auto text =
        ShardingText([&](std::string_view name) { return attributes.Field(name); }, {&shape, 1});
    if (text.ok()) return text;
    return ErrorAt(function, text.status().message(), text.status().code());
  };
  const mlir::Attribute* arguments = function.Find("arg_attrs");
  for (size_t i = 0; i < entry.parameters().size(); ++i) {
    Instruction* parameter = entry.parameters()[i];
    AXLE_ASSIGN(std::string text, text_of(arguments, i, parameter->shape()));
    if (!text.empty()) entry.MutableExtras(parameter).sharding = std::move(text);
  }
  const mlir::Attribute* results = function.Find("res_attrs");
  if (results == nullptr) return {};
  Instruction* root = entry.root();
  const size_t num_results = function.regions[0].blocks[0].operations.back()->operands.size();
  if (num_results != 1) {
    std::vector<std::string> texts;
    bool is_said = false;
    for (size_t i = 0; i < num_results; ++i) {
      AXLE_ASSIGN(std::string text,
                  text_of(results, i, root->shape().element(static_cast<i64>(i))));
      is_said = is_said || !text.empty();
      texts.push_back(text.empty() ? "{unknown}" : std::move(text));
    }
    if (is_said) entry.MutableExtras(root).sharding = StrCat("{", Join(texts, ", "), "}");
    return {};
  }
  AXLE_ASSIGN(std::string text, text_of(results, 0, root->shape()));
  if (text.empty()) return {};
  CustomCallAttrs attrs;
  attrs.custom_call_target = "Sharding";
  Instruction* const operands[] = {root};
  Instruction* const annotated =
      entry.Add({.opcode = Opcode::kCustomCall,
                 .name = UnusedName("sharding"),
                 .shape = root->shape(),
                 .operands = operands,
                 .attrs = {GetOpDef(Opcode::kCustomCall).attrs,
                           std::make_shared<CustomCallAttrs>(std::move(attrs))}});
  entry.MutableExtras(annotated).sharding = std::move(text);
  entry.set_root(annotated);
  return {};
}

}  // namespace axle::stablehlo
