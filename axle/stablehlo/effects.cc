// Tokens, transfers, and calls of what the module does not have.
#include "axle/core/paired_transfers.h"
#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/custom_call_builtins.h"
#include "axle/stablehlo/conversions.h"

namespace axle::stablehlo {

Status ConvertCreateToken(const Site& site) {
  return site.Return(site.Add(Opcode::kAfterAll, {}));
}

Status ConvertIdentity(const Site& site) {
  return site.Return(site.operand(0));
}

Status ConvertOptimizationBarrier(const Site& site) {
  if (site.num_operands() == 1) {
    return site.Return(site.Add(Opcode::kOptBarrier, site.operands()));
  }
  AXLE_ASSIGN(Instruction* const tuple, site.Tuple(site.operands()));
  return site.ReturnAll(site.Add(Opcode::kOptBarrier, {tuple}));
}

// The data, and the token behind it.
Status ConvertInfeed(const Site& site) {
  const size_t num_data = site.op().results.size() - 1;
  std::vector<Shape> data;
  for (size_t i = 0; i < num_data; ++i) {
    AXLE_ASSIGN(Shape shape, site.ResultShape(i));
    data.push_back(std::move(shape));
  }
  AXLE_ASSIGN(const std::string config, site.String("infeed_config", ""));
  const Shape shape = Shape::Tuple({Shape::Tuple(data), Shape::Token()});
  AXLE_ASSIGN(Instruction* const infeed,
              site.Add(Opcode::kInfeed, site.operands(), InfeedAttrs{config}, {}, shape));
  AXLE_ASSIGN(Instruction* const values, site.Element(infeed, 0));
  for (size_t i = 0; i < num_data; ++i) {
    AXLE_TRY(site.Return(site.Element(values, static_cast<i64>(i)), i));
  }
  return site.Return(site.Element(infeed, 1), num_data);
}

Status ConvertOutfeed(const Site& site) {
  AXLE_ASSIGN(const std::string config, site.String("outfeed_config", ""));
  const size_t num_data = site.num_operands() - 1;
  AXLE_ASSIGN(Instruction* const data, site.Tuple(site.operands(0, num_data)));
  return site.Return(site.Add(Opcode::kOutfeed, {data, site.operand(num_data)},
                              OutfeedAttrs{data->shape().WithoutLayout(), config}));
}

namespace {

StatusOr<TransferAttrs> TransferOf(const Site& site) {
  TransferAttrs attrs;
  AXLE_ASSIGN(const i64 channel, site.Int("channel_id", 0));
  attrs.channel_id = channel;
  AXLE_ASSIGN(attrs.is_host_transfer, site.Bool("is_host_transfer", false));
  return attrs;
}

// The devices that meet, which HLO has in a frontend attribute. The host is not one of them.
Status SetPairs(const Site& site, Instruction* inst) {
  AXLE_ASSIGN(const auto pairs, site.Pairs("source_target_pairs", 0));
  if (pairs.empty() || inst->attrs<TransferAttrs>().is_host_transfer) return {};
  std::vector<std::string> texts;
  for (const auto& [source, target] : pairs) texts.push_back(StrCat("{", source, ",", target, "}"));
  site.frame().computation->MutableExtras(inst).frontend_attributes.emplace_back(
      kTransferPairsAttribute, StrCat("\"{", Join(texts, ","), "}\""));
  return {};
}

}  // namespace

Status ConvertSend(const Site& site) {
  AXLE_ASSIGN(const TransferAttrs attrs, TransferOf(site));
  const size_t num_data = site.num_operands() - 1;
  Instruction* data = num_data == 1 ? site.operand(0) : nullptr;
  if (data == nullptr) {
    AXLE_ASSIGN(data, site.Tuple(site.operands(0, num_data)));
  }
  AXLE_ASSIGN(Instruction* const send,
              site.Add(Opcode::kSend, {data, site.operand(num_data)}, attrs));
  AXLE_TRY(SetPairs(site, send));
  return site.Return(site.Add(Opcode::kSendDone, {send}, attrs));
}

Status ConvertRecv(const Site& site) {
  AXLE_ASSIGN(const TransferAttrs attrs, TransferOf(site));
  const size_t num_data = site.op().results.size() - 1;
  std::vector<Shape> data;
  for (size_t i = 0; i < num_data; ++i) {
    AXLE_ASSIGN(Shape shape, site.ResultShape(i));
    data.push_back(std::move(shape));
  }
  const Shape received = num_data == 1 ? data[0] : Shape::Tuple(data);
  const Shape state = Shape::Tuple({received, Shape(U32), Shape::Token()});
  AXLE_ASSIGN(Instruction* const recv, site.Add(Opcode::kRecv, site.operands(), attrs, {}, state));
  AXLE_TRY(SetPairs(site, recv));
  AXLE_ASSIGN(Instruction* const done, site.Add(Opcode::kRecvDone, {recv}, attrs));
  AXLE_TRY(SetPairs(site, done));
  AXLE_ASSIGN(Instruction* const value, site.Element(done, 0));
  if (num_data == 1) {
    AXLE_TRY(site.Return(value, 0));
  } else {
    for (size_t i = 0; i < num_data; ++i) {
      AXLE_TRY(site.Return(site.Element(value, static_cast<i64>(i)), i));
    }
  }
  return site.Return(site.Element(done, 1), num_data);
}

namespace {

// Sets the layouts that an attribute lists, minor to major, one for each of `shapes`.
Status SetLayouts(const Site& site, std::string_view name, std::vector<Shape>& shapes) {
  const mlir::Attribute* layouts = site.Find(name);
  if (layouts == nullptr || layouts->elements.empty()) return {};
  if (layouts->elements.size() != shapes.size()) {
    return site.Error(StrCat("\"", name, "\" has ", layouts->elements.size(), " entries for ",
                             shapes.size(), " values"));
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    std::optional<Dims> order = mlir::Ints(*layouts->elements[i]);
    if (!order) return site.Error(StrCat("\"", name, "\" lists orders of dimensions"));
    if (!shapes[i].is_array()) continue;
    Layout layout;
    layout.minor_to_major = std::move(*order);
    shapes[i].set_layout(std::move(layout));
    AXLE_TRY(CheckShape(shapes[i]));
  }
  return {};
}

StatusOr<OperandAliasing> AliasingOf(const Site& site) {
  OperandAliasing result;
  const mlir::Attribute* aliases = site.Find("output_operand_aliases");
  if (aliases == nullptr) return result;
  for (const mlir::Attribute* alias : aliases->elements) {
    const auto ints = [&](std::string_view field) {
      const mlir::Attribute* value = alias->Field(field);
      return value == nullptr ? Dims() : mlir::Ints(*value).value_or(Dims());
    };
    const mlir::Attribute* operand = alias->Field("operand_index");
    result.push_back({.output_index = ints("output_tuple_indices"),
                      .operand = operand == nullptr ? 0 : mlir::Int(*operand).value_or(0),
                      .operand_index = ints("operand_tuple_indices")});
  }
  return result;
}

// What the call says about how its result is divided; "" for one partition.
StatusOr<std::string> ShardingOf(const Site& site) {
  if (!site.converter().is_partitioned()) return std::string();
  AXLE_ASSIGN(const std::vector<Shape> shapes, ResultShapesOfCall(site));
  auto text =
      site.converter().ShardingText([&](std::string_view name) { return site.Find(name); }, shapes);
  if (text.ok()) return text;
  return site.Error(text.status().message(), text.status().code());
}

}  // namespace

Status ConvertCustomCall(const Site& site) {
  AXLE_ASSIGN(const std::string target, site.String("call_target_name"));
  if (const ConvertFn convert = FindDynamicCall(target); convert != nullptr) return convert(site);
  const bool keeps_type = site.num_operands() == 1 && site.op().results.size() == 1 &&
                          &site.operand_type(0) == &site.result_type(0);
  const BuiltinCustomCall* builtin = FindBuiltinCustomCall(target);
  AXLE_ASSIGN(std::string sharding, ShardingOf(site));
  // What an annotation says counts for several partitions, and not in combiners, which take
  // scalars.
  const bool says_sharding =
      !sharding.empty() && (target.starts_with("SPMD") ||
                            (site.num_operands() == 1 && site.operand(0)->shape().rank() > 0));
  if (keeps_type && builtin != nullptr && builtin->gives_operand &&
      !(says_sharding && site.converter().is_partitioned())) {
    return ConvertIdentity(site);
  }
  CustomCallAttrs attrs;
  attrs.custom_call_target = target;
  AXLE_ASSIGN(attrs.custom_call_has_side_effect, site.Bool("has_side_effect", false));
  AXLE_ASSIGN(const size_t version, site.Enum("api_version", "api_version", 1));
  AXLE_ASSIGN(attrs.output_to_operand_aliasing, AliasingOf(site));
  std::vector<Shape> operand_shapes;
  AXLE_ASSIGN(std::vector<Shape> result_shapes, ResultShapesOfCall(site));
  for (Instruction* operand : site.operands()) {
    operand_shapes.push_back(operand->shape().WithoutLayout());
  }
  const bool has_layouts = site.Find("operand_layouts") != nullptr &&
                           (!site.Find("operand_layouts")->elements.empty() ||
                            (operand_shapes.empty() && site.Find("result_layouts") != nullptr &&
                             !site.Find("result_layouts")->elements.empty()));
  if (has_layouts) {
    AXLE_TRY(SetLayouts(site, "operand_layouts", operand_shapes));
    AXLE_TRY(SetLayouts(site, "result_layouts", result_shapes));
    attrs.operand_layout_constraints = operand_shapes;
  }
  // The attributes of a typed call are a dictionary, which HLO has as MLIR's text.
  const mlir::Attribute* config = site.Find("mhlo.backend_config");
  const mlir::Attribute* plain = site.Find("backend_config");
  if (config == nullptr && plain != nullptr && plain->kind == mlir::AttributeKind::kDictionary) {
    config = plain;
  }
  attrs.api_version =
      config != nullptr ? CustomCallApi::kTyped : static_cast<CustomCallApi>(version);
  std::vector<HloComputation*> callees;
  if (const mlir::Attribute* called = site.Find("called_computations"); called != nullptr) {
    for (const mlir::Attribute* symbol : called->elements) {
      AXLE_ASSIGN(HloComputation* const callee, site.converter().Function(site, symbol->text, {}));
      callees.push_back(callee);
    }
  }
  const Shape shape =
      result_shapes.size() == 1 ? result_shapes[0] : Shape::Tuple(std::move(result_shapes));
  AXLE_ASSIGN(Instruction* const call,
              site.Add(Opcode::kCustomCall, site.operands(), std::move(attrs), callees, shape));
  const std::string text = config != nullptr ? config->ToString()
                           : plain != nullptr && plain->kind == mlir::AttributeKind::kString
                               ? std::string(plain->text)
                               : "";
  if (!sharding.empty()) {
    site.frame().computation->MutableExtras(call).sharding = std::move(sharding);
  }
  if (!text.empty()) {
    InstructionExtras& extras = site.frame().computation->MutableExtras(call);
    extras.backend_config = text;
    extras.has_backend_config = true;
  }
  return site.ReturnAll(call);
}

}  // namespace axle::stablehlo
