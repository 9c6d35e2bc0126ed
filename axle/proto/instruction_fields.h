// One HloInstructionProto, taken apart: what does not need the other instructions.
#pragma once
#include <optional>
#include <span>
#include <string>

#include "axle/core/wire.h"
#include "axle/ops/op_def.h"
#include "axle/text/common_attributes.h"
#include "axle/text/sharding.h"

namespace axle {

struct InstructionFields {
  std::string_view name;
  const OpDef* def = nullptr;
  Shape shape;
  i64 id = 0;
  Dims operand_ids;
  Dims predecessor_ids;
  Dims callee_ids;
  OwnedMetadata metadata;
  std::shared_ptr<void> attrs;         // of the row's struct
  Literal* missing_literal = nullptr;  // in `attrs`, if the row has a literal and the message none
  InstructionExtras extras;            // but control predecessors and sharding
  bool has_extras = false;
  std::optional<ShardingText> sharding;
};

// `in` is at the instruction's field of its computation. Texts that are referred to by number are
// in `payloads`.
Status ReadInstructionFields(const WireReader& in, std::span<const std::string_view> payloads,
                             InstructionFields& fields);

}  // namespace axle
