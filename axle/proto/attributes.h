// The attribute fields of HloInstructionProto. Generic over the op table: AttrSpec's ProtoPath is
// all there is to know about an attribute's place in the proto.
#pragma once
#include "axle/core/wire.h"
#include "axle/ops/op_def.h"

namespace axle {

void WriteAttributes(const OpDef& def, const AttrBlock& attrs, const Shape& result,
                     WireWriter& out);

// Reads the fields of the row into `attrs`, which is of the row's struct and has its defaults;
// others are skipped. `result` is the shape of the instruction.
Status ReadAttributes(const OpDef& def, const Shape& result, WireReader& instruction, void* attrs);

}  // namespace axle
