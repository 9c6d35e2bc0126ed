// HloInstruction: the two halves of a send and of a receive as separate instructions. A program
// starts a transfer, does something else, and ends it.
//
//   XlaOp context = HloInstruction::CreateRecv(&b, shape, /*channel_id=*/1);
//   ...
//   XlaOp data = GetTupleElement(HloInstruction::CreateRecvDone(context), 0);
//
// Channels and pairs of transfers: docs/ops/send.md, recv.md. Errors: those of every function
// (xla_builder.h); in addition, an error of Build if the result of CreateSend or CreateRecv does
// not have exactly one Done, or has another user.
#pragma once
#include "axle/builder/xla_op.h"

namespace axle {

class HloInstruction {
 public:
  // Returns (data of `shape`, u32[] context, token), for CreateRecvDone. `shape` is an array if the
  // other side is the host. Without a token the transfer begins a new order and is between devices.
  static XlaOp CreateRecv(XlaBuilder* builder, const Shape& shape, i64 channel_id,
                          Location location = std::source_location::current());
  static XlaOp CreateRecv(const Shape& shape, XlaOp token, i64 channel_id,
                          bool is_host_transfer = false,
                          Location location = std::source_location::current());
  // Returns (data, token); the operand is the result of CreateRecv.
  static XlaOp CreateRecvDone(XlaOp context, Location location = std::source_location::current());
  // Returns (operand, u32[] context, token), for CreateSendDone; the rest is as for CreateRecv.
  static XlaOp CreateSend(XlaOp operand, i64 channel_id,
                          Location location = std::source_location::current());
  static XlaOp CreateSend(XlaOp operand, XlaOp token, i64 channel_id, bool is_host_transfer = false,
                          Location location = std::source_location::current());
  // Returns a token; the operand is the result of CreateSend.
  static XlaOp CreateSendDone(XlaOp context, Location location = std::source_location::current());
};

}  // namespace axle
