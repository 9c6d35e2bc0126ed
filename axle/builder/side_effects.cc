#include "axle/builder/side_effects.h"

#include <map>

#include "axle/builder/emit.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// Returns the builder of the first operand that has one.
XlaBuilder* BuilderOf(XlaOp first, XlaOp second) {
  return first.builder_or_null() != nullptr ? first.builder_or_null() : second.builder_or_null();
}

std::string_view TypeName(ChannelHandle::ChannelType type) {
  switch (type) {
    case ChannelHandle::DEVICE_TO_DEVICE:
      return "DEVICE_TO_DEVICE";
    case ChannelHandle::DEVICE_TO_HOST:
      return "DEVICE_TO_HOST";
    case ChannelHandle::HOST_TO_DEVICE:
      return "HOST_TO_DEVICE";
    default:
      return "CHANNEL_TYPE_INVALID";
  }
}

Status CheckChannel(std::string_view op, const ChannelHandle& handle,
                    ChannelHandle::ChannelType type) {
  if (handle.type() == type) return {};
  return InvalidArgument(
      StrCat(op, ": the channel is ", TypeName(handle.type()), ", must be ", TypeName(type)));
}

// Checks for a token: HLO text may have other values there, but programs that are built from calls
// may not.
Status CheckToken(std::string_view op, XlaOp token) {
  if (!AllValid({token})) return {};  // reported already
  const Shape& shape = token.instruction()->shape();
  if (shape.is_token()) return {};
  return InvalidArgument(StrCat(op, ": token must be a token, not ", shape.ToString()));
}

XlaOp SendThrough(XlaOp operand, XlaOp token, const ChannelHandle& handle, bool with_host,
                  const Location& location) {
  XlaBuilder* builder = BuilderOf(operand, token);
  const TransferAttrs attrs = {ToChannel(handle), with_host};
  const XlaOp operands[] = {operand, token};
  if (Status status = CheckToken("send", token); !status.ok()) {
    return ReportTo(builder, std::move(status), location);
  }
  const XlaOp send = AppendTo(
      builder,
      {.opcode = Opcode::kSend, .operands = operands, .attrs = Block(Opcode::kSend, attrs)},
      location);
  return AppendTo(builder,
                  {.opcode = Opcode::kSendDone,
                   .operands = {&send, 1},
                   .attrs = Block(Opcode::kSendDone, attrs)},
                  location);
}

XlaOp RecvThrough(XlaOp token, const Shape& shape, const ChannelHandle& handle, bool with_host,
                  const Location& location) {
  XlaBuilder* builder = token.builder_or_null();
  const TransferAttrs attrs = {ToChannel(handle), with_host};
  const XlaOp recv = AppendTo(builder,
                              {.opcode = Opcode::kRecv,
                               .operands = {&token, 1},
                               .attrs = Block(Opcode::kRecv, attrs),
                               .declared = Shape::Tuple({shape, Shape(U32), Shape::Token()})},
                              location);
  return AppendTo(builder,
                  {.opcode = Opcode::kRecvDone,
                   .operands = {&recv, 1},
                   .attrs = Block(Opcode::kRecvDone, attrs)},
                  location);
}

XlaOp AppendCustomCall(XlaBuilder* builder, ArraySlice<XlaOp> operands, const Shape& shape,
                       const std::string& opaque, CustomCallAttrs attrs,
                       const std::vector<const XlaComputation*>& called, const Location& location) {
  const XlaOp call = AppendTo(builder,
                              {.opcode = Opcode::kCustomCall,
                               .operands = operands,
                               .attrs = Block(Opcode::kCustomCall, std::move(attrs)),
                               .called = called,
                               .declared = shape},
                              location);
  if (call.valid() && !opaque.empty()) {
    InstructionExtras& extras = call.instruction()->parent()->MutableExtras(call.instruction());
    extras.backend_config = opaque;
    extras.has_backend_config = true;
  }
  return call;
}

CustomCallAttrs MakeCustomCallAttrs(const std::string& target, bool has_side_effect,
                                    const OperandAliasing& aliasing, const Literal* literal,
                                    CustomCallSchedule schedule, CustomCallApi api_version) {
  CustomCallAttrs attrs;
  attrs.custom_call_target = target;
  attrs.custom_call_has_side_effect = has_side_effect;
  attrs.output_to_operand_aliasing = aliasing;
  if (literal != nullptr) attrs.literal.emplace(*literal).OwnStorage();
  attrs.schedule = schedule;
  attrs.api_version = api_version;
  return attrs;
}

}  // namespace

XlaOp CreateToken(XlaBuilder* builder, Location location) {
  return AfterAll(builder, {}, location);
}

XlaOp AfterAll(XlaBuilder* builder, ArraySlice<XlaOp> tokens, Location location) {
  for (const XlaOp& token : tokens) {
    if (Status status = CheckToken("after-all", token); !status.ok()) {
      return ReportTo(builder, std::move(status), location);
    }
  }
  return AppendTo(builder, {.opcode = Opcode::kAfterAll, .operands = tokens}, location);
}

XlaOp OptimizationBarrier(XlaOp operand, Location location) {
  if (operand.builder_or_null() == nullptr) return {};
  return AppendTo(operand.builder_or_null(),
                  {.opcode = Opcode::kOptBarrier, .operands = {&operand, 1}}, location);
}

XlaOp Infeed(XlaBuilder* builder, const Shape& shape, std::string_view config, Location location) {
  if (builder == nullptr) return {};
  XlaOp& last = builder->last_infeed();
  const XlaOp token =
      last.valid() ? GetTupleElement(last, 1, location) : CreateToken(builder, location);
  last = InfeedWithToken(token, shape, config, location);
  return last.valid() ? GetTupleElement(last, 0, location) : last;
}

XlaOp InfeedWithToken(XlaOp token, const Shape& shape, std::string_view config, Location location) {
  if (token.builder_or_null() == nullptr) return {};
  return AppendTo(token.builder_or_null(),
                  {.opcode = Opcode::kInfeed,
                   .operands = {&token, 1},
                   .attrs = Block(Opcode::kInfeed, InfeedAttrs{std::string(config)}),
                   .declared = Shape::Tuple({shape, Shape::Token()})},
                  location);
}

XlaOp Outfeed(XlaOp operand, const Shape& shape_with_layout, std::string_view outfeed_config,
              Location location) {
  XlaBuilder* builder = operand.builder_or_null();
  if (builder == nullptr) return {};
  XlaOp& last = builder->last_outfeed();
  const XlaOp token = last.valid() ? last : CreateToken(builder, location);
  last = OutfeedWithToken(operand, token, shape_with_layout, outfeed_config, location);
  return last.valid() ? Tuple(builder, {}, location) : last;
}

XlaOp OutfeedWithToken(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                       std::string_view outfeed_config, Location location) {
  XlaBuilder* builder = BuilderOf(operand, token);
  if (builder == nullptr) return {};
  const XlaOp operands[] = {operand, token};
  return AppendTo(builder,
                  {.opcode = Opcode::kOutfeed,
                   .operands = operands,
                   .attrs = Block(Opcode::kOutfeed,
                                  OutfeedAttrs{shape_with_layout, std::string(outfeed_config)})},
                  location);
}

XlaOp Send(XlaOp operand, const ChannelHandle& handle, Location location) {
  if (operand.builder_or_null() == nullptr) return {};
  return SendWithToken(operand, CreateToken(operand.builder_or_null(), location), handle, location);
}

XlaOp Recv(XlaBuilder* builder, const Shape& shape, const ChannelHandle& handle,
           Location location) {
  const XlaOp pair = RecvWithToken(CreateToken(builder, location), shape, handle, location);
  return pair.valid() ? GetTupleElement(pair, 0, location) : pair;
}

XlaOp SendWithToken(XlaOp operand, XlaOp token, const ChannelHandle& handle, Location location) {
  XlaBuilder* builder = BuilderOf(operand, token);
  if (builder == nullptr) return {};
  if (Status status = CheckChannel("send", handle, ChannelHandle::DEVICE_TO_DEVICE); !status.ok()) {
    return ReportTo(builder, std::move(status), location);
  }
  return SendThrough(operand, token, handle, false, location);
}

XlaOp RecvWithToken(XlaOp token, const Shape& shape, const ChannelHandle& handle,
                    Location location) {
  if (token.builder_or_null() == nullptr) return {};
  if (Status status = CheckChannel("recv", handle, ChannelHandle::DEVICE_TO_DEVICE); !status.ok()) {
    return token.builder()->ReportError(status, location);
  }
  return RecvThrough(token, shape, handle, false, location);
}

XlaOp SendToHost(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                 const ChannelHandle& handle, Location location) {
  XlaBuilder* builder = BuilderOf(operand, token);
  if (builder == nullptr) return {};
  Status status = CheckChannel("send", handle, ChannelHandle::DEVICE_TO_HOST);
  if (status.ok() && operand.valid() &&
      !Compatible(operand.instruction()->shape(), shape_with_layout)) {
    status = InvalidArgument(StrCat("send: shape_with_layout is ", shape_with_layout.ToString(),
                                    " but operand is ", operand.instruction()->shape().ToString()));
  }
  if (!status.ok()) return ReportTo(builder, std::move(status), location);
  return SendThrough(operand, token, handle, true, location);
}

XlaOp RecvFromHost(XlaOp token, const Shape& shape, const ChannelHandle& handle,
                   Location location) {
  if (token.builder_or_null() == nullptr) return {};
  if (Status status = CheckChannel("recv", handle, ChannelHandle::HOST_TO_DEVICE); !status.ok()) {
    return token.builder()->ReportError(status, location);
  }
  return RecvThrough(token, shape, handle, true, location);
}

XlaOp CompositeCall(XlaBuilder* builder, const XlaComputation& computation,
                    ArraySlice<XlaOp> operands, const std::string& name,
                    std::optional<std::string_view> attributes, std::optional<i64> version,
                    Location location) {
  const XlaComputation* const called[] = {&computation};
  const XlaOp call = AppendTo(builder,
                              {.opcode = Opcode::kCall,
                               .operands = operands,
                               .attrs = Block(Opcode::kCall, CallAttrs{true}),
                               .called = called},
                              location);
  if (!call.valid()) return call;
  // They are added to the attributes that the builder was told to attach, in the order of names.
  auto& all = call.instruction()->parent()->MutableExtras(call.instruction()).frontend_attributes;
  std::map<std::string, std::string> sorted(all.begin(), all.end());
  sorted["composite.attributes"] = FrontendAttributeText(attributes.value_or("{}"));
  sorted["composite.name"] = StrCat("\"", CEscape(name), "\"");
  sorted["composite.version"] = StrCat("\"", version.value_or(0), "\"");
  all.assign(sorted.begin(), sorted.end());
  return call;
}

XlaOp CustomCall(XlaBuilder* builder, const std::string& call_target_name,
                 ArraySlice<XlaOp> operands, const Shape& shape, const std::string& opaque,
                 bool has_side_effect, const OperandAliasing& output_operand_aliasing,
                 const Literal* literal, CustomCallSchedule schedule, CustomCallApi api_version,
                 Location location) {
  return AppendCustomCall(
      builder, operands, shape, opaque,
      MakeCustomCallAttrs(call_target_name, has_side_effect, output_operand_aliasing, literal,
                          schedule, api_version),
      {}, location);
}

XlaOp CustomCallWithComputation(XlaBuilder* builder, const std::string& call_target_name,
                                ArraySlice<XlaOp> operands, const XlaComputation& computation,
                                const Shape& shape, const std::string& opaque, bool has_side_effect,
                                const OperandAliasing& output_operand_aliasing,
                                const Literal* literal, CustomCallSchedule schedule,
                                CustomCallApi api_version, Location location) {
  return AppendCustomCall(
      builder, operands, shape, opaque,
      MakeCustomCallAttrs(call_target_name, has_side_effect, output_operand_aliasing, literal,
                          schedule, api_version),
      {&computation}, location);
}

XlaOp CustomCallWithLayout(XlaBuilder* builder, const std::string& call_target_name,
                           ArraySlice<XlaOp> operands, const Shape& shape_with_layout,
                           ArraySlice<Shape> operand_shapes_with_layout, const std::string& opaque,
                           bool has_side_effect, const OperandAliasing& output_operand_aliasing,
                           const Literal* literal, CustomCallSchedule schedule,
                           CustomCallApi api_version, Location location) {
  CustomCallAttrs attrs = MakeCustomCallAttrs(
      call_target_name, has_side_effect, output_operand_aliasing, literal, schedule, api_version);
  attrs.operand_layout_constraints.emplace(operand_shapes_with_layout.begin(),
                                           operand_shapes_with_layout.end());
  return AppendCustomCall(builder, operands, shape_with_layout, opaque, std::move(attrs), {},
                          location);
}

XlaOp CustomCallWithConvDnums(XlaBuilder* builder, const std::string& call_target_name,
                              ArraySlice<XlaOp> operands, const Shape& shape,
                              ArraySlice<Shape> operand_shapes_with_layout,
                              const std::string& opaque, bool has_side_effect,
                              const OperandAliasing& output_operand_aliasing,
                              const Literal* literal, const Window& window,
                              const ConvolutionDimensionNumbers& dnums, CustomCallSchedule schedule,
                              CustomCallApi api_version, Location location) {
  CustomCallAttrs attrs = MakeCustomCallAttrs(
      call_target_name, has_side_effect, output_operand_aliasing, literal, schedule, api_version);
  if (!operand_shapes_with_layout.empty()) {
    attrs.operand_layout_constraints.emplace(operand_shapes_with_layout.begin(),
                                             operand_shapes_with_layout.end());
  }
  attrs.window = window;
  attrs.dim_labels = dnums;
  return AppendCustomCall(builder, operands, shape, opaque, std::move(attrs), {}, location);
}

}  // namespace axle
