// The op table as names.
#include <string_view>

#include "axle/capi/handles.h"
#include "axle/client/op_table.h"

namespace axle {
namespace {

// Made once, and never destroyed: the names that are given out live as long as the program. Null
// without memory for it.
const std::vector<OpInfo>* Ops() {
  try {
    static const auto* const ops = new std::vector<OpInfo>(DescribeOps());
    return ops;
  } catch (...) {
    return nullptr;
  }
}

const OpInfo* Find(const char* name) {
  const std::vector<OpInfo>* const ops = Ops();
  if (ops == nullptr || name == nullptr) return nullptr;
  for (const OpInfo& op : *ops) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

// Texts of the op table are literals: a zero byte follows.
template <typename Part>
const char* NameOf(const std::vector<Part>& parts, size_t i) {
  return i < parts.size() ? parts[i].name.data() : nullptr;
}

}  // namespace
}  // namespace axle

const char* axle_op_name(size_t i) {
  const auto* const ops = axle::Ops();
  return ops == nullptr ? nullptr : axle::NameOf(*ops, i);
}

const char* axle_op_summary(const char* opcode) {
  const axle::OpInfo* const op = axle::Find(opcode);
  return op == nullptr ? nullptr : op->summary.data();
}

std::int32_t axle_op_declares_shape(const char* opcode) {
  const axle::OpInfo* const op = axle::Find(opcode);
  return op != nullptr && op->declared_shape ? 1 : 0;
}

const char* axle_op_part_name(const char* opcode, axle_op_part part, size_t i) {
  const axle::OpInfo* const op = axle::Find(opcode);
  if (op == nullptr) return nullptr;
  switch (part) {
    case AXLE_OP_OPERAND:
      return axle::NameOf(op->operands, i);
    case AXLE_OP_ATTRIBUTE:
      return axle::NameOf(op->attributes, i);
    case AXLE_OP_ATTRIBUTE_KIND:
      return i < op->attributes.size() ? op->attributes[i].kind.data() : nullptr;
    case AXLE_OP_COMPUTATION:
      return axle::NameOf(op->callees, i);
    default:
      return nullptr;
  }
}
