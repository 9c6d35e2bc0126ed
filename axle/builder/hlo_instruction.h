// HloInstruction: the two halves of a send and of a receive, as instructions by themselves. A
// program begins a transfer, does something else, and ends it.
//
//   XlaOp context = HloInstruction::CreateRecv(&b, shape, /*channel_id=*/1);
//   ...
//   XlaOp data = GetTupleElement(HloInstruction::CreateRecvDone(context), 0);
#pragma once
#include "axle/builder/xla_op.h"

namespace axle {

class HloInstruction {
 public:
  // (data, context, token), for CreateRecvDone. Without a token it begins an order of its own.
  static XlaOp CreateRecv(XlaBuilder* builder, const Shape& shape, i64 channel_id,
                          Location location = std::source_location::current());
  static XlaOp CreateRecv(const Shape& shape, XlaOp token, i64 channel_id,
                          bool is_host_transfer = false,
                          Location location = std::source_location::current());
  // (data, token).
  static XlaOp CreateRecvDone(XlaOp context, Location location = std::source_location::current());
  // (operand, context, token), for CreateSendDone.
  static XlaOp CreateSend(XlaOp operand, i64 channel_id,
                          Location location = std::source_location::current());
  static XlaOp CreateSend(XlaOp operand, XlaOp token, i64 channel_id, bool is_host_transfer = false,
                          Location location = std::source_location::current());
  // A token.
  static XlaOp CreateSendDone(XlaOp context, Location location = std::source_location::current());
};

}  // namespace axle
