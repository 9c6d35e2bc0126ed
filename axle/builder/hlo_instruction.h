// HloInstruction: the two halves of a send and of a receive, as instructions by themselves. A
// program begins a transfer, does something else, and ends it.
//
//   XlaOp context = HloInstruction::CreateRecv(&b, shape, /*channel_id=*/1);
//   ...
//   XlaOp data = GetTupleElement(HloInstruction::CreateRecvDone(context), 0);
//
// Channels and pairs of transfers: docs/ops/send.md, recv.md. Errors: as every function's
// (xla_builder.h); besides, of Build, if what CreateSend or CreateRecv gave has not exactly one
// Done, or another user.
#pragma once
#include "axle/builder/xla_op.h"

namespace axle {

class HloInstruction {
 public:
  // (data of `shape`, u32[] context, token), for CreateRecvDone. `shape` is an array if the other
  // side is the host. Without a token it begins an order of its own, and is between devices.
  static XlaOp CreateRecv(XlaBuilder* builder, const Shape& shape, i64 channel_id,
                          Location location = std::source_location::current());
  static XlaOp CreateRecv(const Shape& shape, XlaOp token, i64 channel_id,
                          bool is_host_transfer = false,
                          Location location = std::source_location::current());
  // Gives (data, token); the operand is the result of CreateRecv.
  static XlaOp CreateRecvDone(XlaOp context, Location location = std::source_location::current());
  // (operand, u32[] context, token), for CreateSendDone; the rest as CreateRecv.
  static XlaOp CreateSend(XlaOp operand, i64 channel_id,
                          Location location = std::source_location::current());
  static XlaOp CreateSend(XlaOp operand, XlaOp token, i64 channel_id, bool is_host_transfer = false,
                          Location location = std::source_location::current());
  // Gives a token; the operand is the result of CreateSend.
  static XlaOp CreateSendDone(XlaOp context, Location location = std::source_location::current());
};

}  // namespace axle
