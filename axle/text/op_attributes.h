// The attributes of one operation by themselves, as they stand behind its operands in HLO text: for
// those who have the operands and the called computations in another form.
#pragma once
#include "axle/ops/op_def.h"
#include "axle/text/parse.h"
#include "axle/text/sharding.h"

namespace axle {

struct OpAttributes {
  AttrBlock attrs;  // values of null: all at their defaults
  std::optional<ShardingText> sharding;
  std::optional<InstructionExtras> extras;  // without the sharding
};

// Reads "dimensions={0}, indices_are_sorted=true". `shape` is that of the result if the op takes it
// from the program. Errors as those of Parse, also for what is not of the operation alone: called
// computations, control predecessors, metadata. Thread-safe.
StatusOr<OpAttributes> ParseOpAttributes(const OpDef& def, std::string_view text,
                                         const Shape& shape = {}, const ParseOptions& options = {});

}  // namespace axle
