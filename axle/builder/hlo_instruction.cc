#include "axle/builder/hlo_instruction.h"

#include "axle/builder/emit.h"

namespace axle {
namespace {

// Returns the channel of the transfer that `context` belongs to; the op refuses other operands.
TransferAttrs ChannelOf(XlaOp context, Opcode begin) {
  if (!context.valid() || context.instruction()->opcode() != begin) return {};
  return context.instruction()->attrs<TransferAttrs>();
}

}  // namespace

XlaOp HloInstruction::CreateRecv(XlaBuilder* builder, const Shape& shape, i64 channel_id,
                                 Location location) {
  return CreateRecv(shape, CreateToken(builder, location), channel_id, false, location);
}

XlaOp HloInstruction::CreateRecv(const Shape& shape, XlaOp token, i64 channel_id,
                                 bool is_host_transfer, Location location) {
  return Emit(Opcode::kRecv, {token}, location, TransferAttrs{channel_id, is_host_transfer}, {},
              Shape::Tuple({shape, Shape(U32), Shape::Token()}));
}

XlaOp HloInstruction::CreateRecvDone(XlaOp context, Location location) {
  return Emit(Opcode::kRecvDone, {context}, location, ChannelOf(context, Opcode::kRecv));
}

XlaOp HloInstruction::CreateSend(XlaOp operand, i64 channel_id, Location location) {
  if (operand.builder_or_null() == nullptr) return {};
  return CreateSend(operand, CreateToken(operand.builder_or_null(), location), channel_id, false,
                    location);
}

XlaOp HloInstruction::CreateSend(XlaOp operand, XlaOp token, i64 channel_id, bool is_host_transfer,
                                 Location location) {
  return Emit(Opcode::kSend, {operand, token}, location,
              TransferAttrs{channel_id, is_host_transfer});
}

XlaOp HloInstruction::CreateSendDone(XlaOp context, Location location) {
  return Emit(Opcode::kSendDone, {context}, location, ChannelOf(context, Opcode::kSend));
}

}  // namespace axle
