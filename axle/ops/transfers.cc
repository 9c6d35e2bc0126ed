// Ops that exchange values with the host and with other programs through the device of the run:
// infeed, outfeed, send, send-done, recv, recv-done.
//
// The device of the run (EvalContext::Device) owns the queues and channels; the ops only check
// shapes and call it. A send stores its value and does not wait. recv takes its place in the
// channel's queue when it starts, so that the order of recvs is the order of their starts, and
// recv-done waits for the data of that place. Between start and done the state may pass through ops
// that hand values on (HandsOn), which is why the done op also accepts a state that does not come
// from a start directly.
#include <algorithm>
#include <memory>

#include "axle/core/paired_transfers.h"
#include "axle/ir/source_place.h"
#include "axle/ops/attributes/attr_kinds.h"
#include "axle/ops/collective_parts.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/replica_groups.h"

namespace axle {

extern const OpDef kInfeedDef, kOutfeedDef, kRecvDef, kRecvDoneDef, kSendDef, kSendDoneDef;

namespace {

constexpr OperandSpec kToken[] = {{"token"}};
constexpr OperandSpec kOperandAndToken[] = {{"operand"}, {"token"}};
constexpr AttrSpec kInfeedAttrs[] = {
    Attr<&InfeedAttrs::infeed_config>("infeed_config", {.field = 27}, Presence::kOptional),
};
constexpr AttrSpec kOutfeedAttrs[] = {
    Attr<&OutfeedAttrs::outfeed_shape>("outfeed_shape", {.field = 29}, Presence::kPrinted),
    Attr<&OutfeedAttrs::outfeed_config>("outfeed_config", {.field = 22}, Presence::kOptional),
};
constexpr AttrSpec kTransferAttrs[] = {
    Attr<&TransferAttrs::channel_id>("channel_id", {.field = 26}, Presence::kOptional),
    Attr<&TransferAttrs::is_host_transfer>("is_host_transfer", {.field = 47}, Presence::kOptional),
};

// Tokens carry no data; they order the transfers.
Status ExpectToken(const Instruction& inst, i64 i) {
  if (inst.operand(i)->shape().is_token()) return {};
  return OpError(inst, "token must be a token");
}

// Transfers with the host move whole arrays, one buffer each.
bool IsArrayOrArrays(const Shape& shape) {
  return shape.is_array() ||
         (shape.is_tuple() && std::ranges::all_of(shape.elements(), &Shape::is_array));
}

Literal Token() {
  return Literal(Shape::Token());
}

// An error, or the end of a wait, with the instruction that it happened in.
Status InInstruction(const Instruction& inst, const Status& status) {
  if (status.ok()) return status;
  std::string text = StrCat(status.message(), "; ", GetOpDef(inst).text, " \"", inst.name(), "\"");
  if (const std::string place = SourcePlace(inst); !place.empty()) StrAppend(text, " at ", place);
  return {status.code(), std::move(text)};
}

// The data may be an array or a tuple of arrays; the second element is the token.
StatusOr<Shape> InferInfeed(const Instruction& inst) {
  AXLE_TRY(ExpectToken(inst, 0));
  const Shape& shape = inst.shape();
  if (!shape.is_tuple() || shape.num_tuple_elements() != 2 || !shape.element(1).is_token()) {
    return OpError(inst, StrCat("result is ", shape.ToString(), ", must be (data, token[])"));
  }
  if (!IsArrayOrArrays(shape.element(0))) {
    return OpError(inst, StrCat("data is ", shape.element(0).ToString(),
                                ", must be an array or a tuple of arrays"));
  }
  return shape;
}

// Waits for the host. An empty tuple takes no buffer and does not wait.
StatusOr<Literal> EvalInfeed(const Instruction& inst, std::span<Literal>,
                             const EvalContext& context) {
  const Shape& shape = inst.shape().element(0);
  const auto& attrs = inst.attrs<InfeedAttrs>();
  Literal data;  // an empty tuple takes nothing
  if (shape.is_array() || shape.num_tuple_elements() > 0) {
    StatusOr<Literal> fed = context.Device().Infeed(shape, attrs.infeed_config, context.limits);
    if (!fed.ok()) return InInstruction(inst, fed.status());
    data = *std::move(fed);
  }
  return Literal::Tuple({std::move(data), Token()});
}

// Without outfeed_shape, data are fed out in the operand's layout.
void CanonicalizeOutfeed(std::span<Instruction* const> operands, void* attrs) {
  auto& shape = static_cast<OutfeedAttrs*>(attrs)->outfeed_shape;
  if (!shape) shape = operands[0]->shape();
}

// The result is a token. outfeed_shape may differ from the shape of the data in layouts only.
StatusOr<Shape> InferOutfeed(const Instruction& inst) {
  AXLE_TRY(ExpectToken(inst, 1));
  const Shape& operand = inst.operand(0)->shape();
  if (!IsArrayOrArrays(operand)) {
    return OpError(inst, "operand must be an array or a tuple of arrays");
  }
  const auto& shape = inst.attrs<OutfeedAttrs>().outfeed_shape;
  if (shape && !Compatible(*shape, operand)) {
    return OpError(inst, StrCat("outfeed_shape is ", shape->ToString(), ", not that of operand"));
  }
  return Shape::Token();
}

// outfeed_shape may state another layout than that of the operand; the device converts.
StatusOr<Literal> EvalOutfeed(const Instruction& inst, std::span<Literal> operands,
                              const EvalContext& context) {
  const Shape& operand = inst.operand(0)->shape();
  const auto& attrs = inst.attrs<OutfeedAttrs>();
  if (operand.is_array() || operand.num_tuple_elements() > 0) {
    AXLE_TRY(InInstruction(
        inst, context.Device().Outfeed(operands[0], attrs.outfeed_shape.value_or(operand),
                                       attrs.outfeed_config, context.limits)));
  }
  return Token();
}

// Ops of one channel meet each other; transfers without a channel_id share one.
TransferChannel ChannelOf(const Instruction& inst) {
  const auto& attrs = inst.attrs<TransferAttrs>();
  return {.id = attrs.channel_id, .is_host_transfer = attrs.is_host_transfer};
}

// The text of the frontend attribute with the pairs of devices, or null. A recv-done may leave it
// to its recv.
const std::string* PairsText(const Instruction& inst) {
  const Instruction* named = &inst;
  do {
    const InstructionExtras* extras = named->extras();
    for (size_t i = 0; extras != nullptr && i < extras->frontend_attributes.size(); ++i) {
      const auto& [name, value] = extras->frontend_attributes[i];
      if (name == kTransferPairsAttribute) return &value;
    }
    named = named->opcode() == Opcode::kRecvDone ? named->operand(0) : nullptr;
  } while (named != nullptr && named->opcode() == Opcode::kRecv);
  return nullptr;
}

// Null: the transfer names no pairs, or is one with the host.
StatusOr<std::unique_ptr<const TransferPairs>> PairsOf(const Instruction& inst) {
  const std::string* found = PairsText(inst);
  if (found == nullptr || inst.attrs<TransferAttrs>().is_host_transfer) {
    return std::unique_ptr<const TransferPairs>();
  }
  std::string_view text = *found;
  if (text.size() > 1 && text.starts_with('"')) text = text.substr(1, text.size() - 2);
  auto pairs = std::make_unique<TransferPairs>();
  Scanner scanner(text, kTransferPairsAttribute);
  const auto is_wrong = [&](std::string_view what) {
    return OpError(inst, StrCat(kTransferPairsAttribute, " is ", text, what));
  };
  SourceTargetPairs parsed;
  if (!AttrTraits<SourceTargetPairs>::Parse(scanner, inst.shape(), parsed).ok() ||
      !scanner.AtEnd()) {
    return is_wrong(", must be {{source,target},...}");
  }
  pairs->assign(parsed.begin(), parsed.end());
  for (const auto side : {&std::pair<i64, i64>::first, &std::pair<i64, i64>::second}) {
    std::vector<i64> ids;
    for (const auto& pair : *pairs) ids.push_back(pair.*side);
    std::ranges::sort(ids);
    if (std::ranges::adjacent_find(ids) != ids.end()) {
      return is_wrong(", where a device is twice a source or twice a target");
    }
  }
  return std::unique_ptr<const TransferPairs>(std::move(pairs));
}

// The device of a run with others, or null. Transfers with the host are not its own.
PairedTransfers* PairedOf(const Instruction& inst, const EvalContext& context) {
  if (inst.attrs<TransferAttrs>().is_host_transfer) return nullptr;
  return dynamic_cast<PairedTransfers*>(&context.Device());
}

// The channel must be valid, and a transfer with the host has one array.
Status CheckTransfer(const Instruction& inst, const Shape& data) {
  const auto& attrs = inst.attrs<TransferAttrs>();
  AXLE_TRY(CheckChannel(inst, attrs.channel_id));
  if (attrs.is_host_transfer && !data.is_array()) {
    return OpError(inst, StrCat("a host transfer is of an array, not ", data.ToString()));
  }
  return {};
}

// The state of a transfer: the data, the place in the queue, and a token.
Shape ContextShape(const Shape& data) {
  return Shape::Tuple({data, Shape(U32), Shape::Token()});
}

// Whether an operand or reader may hand on the state that a start gives.
bool HandsOn(const Instruction& inst) {
  if (IsParameter(inst)) {  // the arguments of a program are nobody's state
    return inst.parent() != inst.parent()->module()->entry();
  }
  return GetOpDef(inst).has(kHandsOn) || inst.opcode() == Opcode::kAsyncDone;
}

// One instruction reads the state: the done, or what hands it on. Or it is what a computation that
// is called gives.
template <Opcode kDone>
Status CheckReader(const Instruction& inst) {
  i64 count = 0;
  for (const Use* use = inst.first_use(); use != nullptr; use = use->next) {
    const Instruction& reader = *use->user;
    if (IsControlDependency(reader)) continue;
    ++count;
    if (reader.opcode() == kDone || HandsOn(reader)) continue;
    return OpError(inst, StrCat("\"", inst.name(), "\" must be read by ", GetOpDef(kDone).text,
                                ", not ", GetOpDef(reader).text));
  }
  const HloComputation& parent = *inst.parent();
  const bool is_result = parent.root() == &inst;
  if (is_result && &parent == parent.module()->entry()) {
    return OpError(inst, StrCat("\"", inst.name(), "\" must be read by ", GetOpDef(kDone).text,
                                ", not be the result"));
  }
  if (count == 1 || (is_result && count == 0)) return {};
  return OpError(inst, StrCat("\"", inst.name(), "\" must be read by one ", GetOpDef(kDone).text,
                              ", not by ", count, " instructions"));
}

// The context of a send. The context of a recv is a place in the channel's queue.
constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};

// The shape that a program states for a send is not looked at.
StatusOr<Shape> InferSend(const Instruction& inst) {
  AXLE_TRY(CheckTransfer(inst, inst.operand(0)->shape()));
  return ContextShape(inst.operand(0)->shape());
}

// Checks before a run what EvalSend checks again: the parser accepts a send without a token, but
// such a send does not run.
Status CheckSendRuns(const Instruction& inst) {
  if (inst.operand(1)->shape().is_token()) return {};
  return OpError(inst, "only data with a token behind them are sent", StatusCode::kUnimplemented);
}

StatusOr<Literal> EvalSend(const Instruction& inst, std::span<Literal> operands,
                           const EvalContext& context) {
  if (!inst.operand(1)->shape().is_token()) {
    return OpError(inst, "only data with a token behind them are sent", StatusCode::kUnimplemented);
  }
  AXLE_ASSIGN(const auto pairs, PairsOf(inst));
  PairedTransfers* const paired = PairedOf(inst, context);
  AXLE_TRY(InInstruction(
      inst, paired != nullptr
                ? paired->SendTo(ChannelOf(inst), pairs.get(), operands[0], context.limits)
                : context.Device().Send(ChannelOf(inst), operands[0], context.limits)));
  return Literal::Tuple({std::move(operands[0]), Literal::Scalar(U32, kNoPlace), Token()});
}

// A recv has no operand with the data's shape, so that the program states it.
StatusOr<Shape> InferRecv(const Instruction& inst) {
  AXLE_TRY(ExpectToken(inst, 0));
  const Shape& shape = inst.shape();
  if (!shape.is_tuple() || shape.num_tuple_elements() == 0) {
    return OpError(inst,
                   StrCat("result is ", shape.ToString(), ", must be (data, u32[], token[])"));
  }
  AXLE_TRY(CheckTransfer(inst, shape.element(0)));
  return ContextShape(shape.element(0));
}

// The context is the place in the channel's queue; the data follow with recv-done.
StatusOr<Literal> EvalRecv(const Instruction& inst, std::span<Literal>,
                           const EvalContext& context) {
  AXLE_ASSIGN(const auto pairs, PairsOf(inst));
  PairedTransfers* const paired = PairedOf(inst, context);
  const StatusOr<i64> place = paired != nullptr
                                  ? paired->StartRecvFrom(ChannelOf(inst), pairs.get())
                                  : context.Device().StartRecv(ChannelOf(inst));
  if (!place.ok()) return InInstruction(inst, place.status());
  AXLE_ASSIGN(auto data, Literal::Create(inst.shape().element(0).WithoutLayout()));
  return Literal::Tuple(
      {std::move(data), Literal::Scalar(U32, static_cast<std::uint32_t>(*place)), Token()});
}

// A done takes the state of its own start, or one that comes from somewhere else. That nobody else
// reads it is looked at from the start.
Status CheckDone(const Instruction& inst, Opcode start) {
  const Instruction& operand = *inst.operand(0);
  const std::string_view name = GetOpDef(start).text;
  const Shape& state = operand.shape();
  const bool is_state = state.is_tuple() && state.num_tuple_elements() == 3 &&
                        Compatible(state, ContextShape(state.element(0)));
  if (operand.opcode() != start) {
    if (is_state && HandsOn(operand)) return {};
    return OpError(inst, StrCat("operand is a ", GetOpDef(operand).text, ", must be a ", name));
  }
  const auto &first = operand.attrs<TransferAttrs>(), &second = inst.attrs<TransferAttrs>();
  if (first.channel_id != second.channel_id) {
    const auto text = [](std::optional<i64> id) { return id ? std::to_string(*id) : "none"; };
    return OpError(inst, StrCat("channel_id is ", text(second.channel_id), " but that of the ",
                                name, " is ", text(first.channel_id)));
  }
  if (first.is_host_transfer != second.is_host_transfer) {
    return OpError(inst, StrCat("is_host_transfer is ", second.is_host_transfer,
                                " but that of the ", name, " is ", first.is_host_transfer));
  }
  return {};
}

// The result of send-done is a token. The send op has stored the data already, so that send-done
// does nothing.
StatusOr<Shape> InferSendDone(const Instruction& inst) {
  AXLE_TRY(CheckDone(inst, Opcode::kSend));
  return Shape::Token();
}

StatusOr<Literal> EvalSendDone(const Instruction&, std::span<Literal>, const EvalContext&) {
  return Token();
}

StatusOr<Shape> InferRecvDone(const Instruction& inst) {
  AXLE_TRY(CheckDone(inst, Opcode::kRecv));
  return Shape::Tuple({inst.operand(0)->shape().element(0), Shape::Token()});
}

// The context distinguishes the states of sends and recvs that pass through tuples and loops.
StatusOr<Literal> EvalRecvDone(const Instruction& inst, std::span<Literal> operands,
                               const EvalContext& context) {
  const i64 place = operands[0].element(1).data<std::uint32_t>()[0];
  if (place == kNoPlace) return OpError(inst, "operand is the state of a send, not of a recv");
  AXLE_ASSIGN(const auto pairs, PairsOf(inst));
  PairedTransfers* const paired = PairedOf(inst, context);
  const Shape& shape = inst.shape().element(0);
  StatusOr<Literal> data =
      paired != nullptr
          ? paired->FinishRecvFrom(ChannelOf(inst), pairs.get(), place, shape, context.limits)
          : context.Device().FinishRecv(ChannelOf(inst), place, shape, context.limits);
  if (!data.ok()) return InInstruction(inst, data.status());
  return Literal::Tuple({*std::move(data), Token()});
}

}  // namespace

const OpDef kInfeedDef = {
    .opcode = Opcode::kInfeed,
    .text = "infeed",
    .summary = "The next data of the device's infeed queue: (data, token).",
    .semantics =
        "The operand is a token. The declared shape is a pair of the data, which are an array or a "
        "tuple of arrays, and a token. An array takes one buffer of the queue, a tuple one per "
        "element, at once and in order; an empty tuple takes none. The op waits until the host has "
        "transferred them; a buffer of another type or other sizes, or one that is not full where "
        "the declared shape is static, is INVALID_ARGUMENT and stays in the queue. A run without a "
        "queue is FAILED_PRECONDITION. infeed_config is only carried. Infeeds run in the order of "
        "their tokens, and each exactly once.",
    .source = "XLA Infeed and InfeedWithToken; StableHLO infeed",
    .operands = kToken,
    .attrs = Schema<InfeedAttrs>(kInfeedAttrs),
    .declared_shape = true,
    .traits = kMixedPrecision | kSideEffect,
    .lowering = Lowering::kControlFlow,
    .infer = InferInfeed,
    .eval = EvalInfeed,
};

const OpDef kOutfeedDef = {
    .opcode = Opcode::kOutfeed,
    .text = "outfeed",
    .summary = "Puts the operand into the device's outfeed queue, for the host.",
    .semantics =
        "The operand is an array or a tuple of arrays, whose elements enter the queue together and "
        "in order; an empty tuple adds nothing. outfeed_shape is the operand's shape and may have "
        "another layout; without it it is the operand's. The op waits while the queue is full. A "
        "run without a queue is FAILED_PRECONDITION. outfeed_config is only carried. Outfeeds run "
        "in the order of their tokens, and each exactly once.",
    .source = "XLA Outfeed and OutfeedWithToken; StableHLO outfeed",
    .operands = kOperandAndToken,
    .attrs = Schema<OutfeedAttrs>(kOutfeedAttrs),
    .traits = kMixedPrecision | kSideEffect | kIgnoresStatedShape,
    .lowering = Lowering::kControlFlow,
    .infer = InferOutfeed,
    .canonicalize = CanonicalizeOutfeed,
    .eval = EvalOutfeed,
};

const OpDef kSendDef = {
    .opcode = Opcode::kSend,
    .text = "send",
    .summary = "Begins to send the operand through a channel: (operand, context, token).",
    .semantics =
        "One send-done reads the result, directly or behind what hands it on: tuples, copies, "
        "opt-barrier, loops, branches, calls, asynchronous computations; it does not read the "
        "result of a program. The k-th send of a channel meets "
        "the k-th recv of it; shapes agree. A stated shape is not looked at; the second operand "
        "may be something else than a token in a program that is not run. The value is stored "
        "until it is received, so that a "
        "send does not wait. With is_host_transfer the other side is the host, and the operand is "
        "an array. A channel_id is not negative; 0 is one, and transfers that have none meet each "
        "other. A run without channels is FAILED_PRECONDITION. In a run on several devices the "
        "frontend attribute _xla_send_recv_source_target_pairs={{source,target},...} of send, recv "
        "and recv-done says which devices meet, by partition, or by replica where there is one "
        "partition: each pair has a channel of its own, a device that is no source sends nothing, "
        "and one that is no target receives zeros. Without it one device may send to a channel, "
        "and one may receive from it: others are INVALID_ARGUMENT.",
    .source = "XLA Send, SendWithToken and SendToHost; StableHLO send",
    .operands = kOperandAndToken,
    .attrs = Schema<TransferAttrs>(kTransferAttrs),
    .traits = kMixedPrecision | kSideEffect | kIgnoresStatedShape,
    .lowering = Lowering::kControlFlow,
    .infer = InferSend,
    .check_uses = CheckReader<Opcode::kSendDone>,
    .check_run = CheckSendRuns,
    .eval = EvalSend,
};

const OpDef kSendDoneDef = {
    .opcode = Opcode::kSendDone,
    .text = "send-done",
    .summary = "A token for the end of a send.",
    .semantics =
        "The operand is a send with the same channel_id and is_host_transfer, or the state of one "
        "that comes out of a tuple, a loop and the like.",
    .source = "XLA Send and SendWithToken; StableHLO send",
    .operands = kUnaryOperands,
    .attrs = Schema<TransferAttrs>(kTransferAttrs),
    .traits = kMixedPrecision | kSideEffect | kIgnoresStatedShape,
    .lowering = Lowering::kControlFlow,
    .infer = InferSendDone,
    .eval = EvalSendDone,
};

const OpDef kRecvDef = {
    .opcode = Opcode::kRecv,
    .text = "recv",
    .summary = "Begins to receive data from a channel: (data, context, token).",
    .semantics =
        "The operand is a token, and the declared shape (data, u32[], token[]); what stands behind "
        "the data is not looked at. One recv-done reads the result, directly or behind what hands "
        "it on, as with send, and gives the data. The k-th recv of a channel "
        "gets what its k-th send sent. With is_host_transfer the other side is the host, and the "
        "data are an array. A channel_id is not negative; 0 is one, and transfers that have none "
        "meet each other. A run without channels is "
        "FAILED_PRECONDITION.",
    .source = "XLA Recv, RecvWithToken and RecvFromHost; StableHLO recv",
    .operands = kToken,
    .attrs = Schema<TransferAttrs>(kTransferAttrs),
    .declared_shape = true,
    .traits = kMixedPrecision | kSideEffect | kIgnoresStatedShape,
    .lowering = Lowering::kControlFlow,
    .infer = InferRecv,
    .check_uses = CheckReader<Opcode::kRecvDone>,
    .eval = EvalRecv,
};

const OpDef kRecvDoneDef = {
    .opcode = Opcode::kRecvDone,
    .text = "recv-done",
    .summary = "Waits for the data of a recv: (data, token).",
    .semantics =
        "The operand is a recv with the same channel_id and is_host_transfer, or the state of one "
        "that comes out of a tuple, a loop and the like: that of a send is INVALID_ARGUMENT. A "
        "stated shape is not looked at. Data of another type "
        "or other sizes than were sent, or that are not full where the declared shape is static, "
        "are INVALID_ARGUMENT.",
    .source = "XLA Recv and RecvWithToken; StableHLO recv",
    .operands = kUnaryOperands,
    .attrs = Schema<TransferAttrs>(kTransferAttrs),
    .traits = kMixedPrecision | kSideEffect | kIgnoresStatedShape,
    .lowering = Lowering::kControlFlow,
    .infer = InferRecvDone,
    .eval = EvalRecvDone,
};

}  // namespace axle
