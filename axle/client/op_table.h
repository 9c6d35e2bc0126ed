// Queries about the operations: the op table as plain data, the element types that each op accepts,
// found by trials, and the facts of one instruction that tools report.
//
//   for (const OpInfo& op : DescribeOps()) std::cout << op.name << ": " << op.summary << "\n";
//
// The texts are valid as long as the program runs. The functions are thread-safe.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "axle/core/element_type.h"
#include "axle/ir/module.h"
#include "axle/ops/work.h"  // what an instruction costs

namespace axle {

struct AttributeInfo {
  std::string_view name;
  std::string_view kind;            // "list of integers", "comparison direction"
  std::string_view presence;        // required; optional; printed: may be omitted, always printed
  std::string default_value;        // as text, unless it is required
  std::vector<std::string> values;  // the values of an enumeration
};

struct OperandInfo {
  std::string_view name;
  bool variadic = false;
};

struct OpInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view semantics;
  std::string_view source;
  std::string_view accuracy;
  std::string_view lowering;  // "elementwise", "index map", ...
  std::vector<OperandInfo> operands;
  std::vector<AttributeInfo> attributes;
  std::vector<OperandInfo> callees;
  std::vector<OperandInfo> alternative_callees;
  std::vector<std::string_view> traits;
  std::vector<std::string_view> builder_calls;  // C++: "XlaOp Abs(XlaOp operand)"
  bool attribute_in_parens = false;             // parameter(0)
  bool declared_shape = false;                  // the result shape is part of the program
};

// Describes all ops, in the order of axle/ir/opcodes.def, or the one with this name in HLO text;
// nullopt for other names.
std::vector<OpInfo> DescribeOps();
std::optional<OpInfo> DescribeOp(std::string_view name);

// The element types that one operand, or a declared result, may have.
struct OperandTypes {
  std::string_view operand;
  std::vector<ElementType> supported;  // accepted, and run by the interpreter
  std::vector<ElementType> rejected;   // refused by a rule of the op
  std::vector<ElementType> not_yet;    // UNIMPLEMENTED, in the check or in the run
  std::string rejection;               // the message for the first rejected type
};

// Tries small programs until the op accepts one, then gives each operand every element type, alone
// and together with the operands that had its type. The result is empty if no program was found, as
// for ops with several structural attributes. A call takes milliseconds.
std::vector<OperandTypes> ProbeElementTypes(const OpInfo& op);

// Returns the opcode as HLO text spells it, such as "dot".
std::string_view OpName(const Instruction& inst);
// Returns whether the instruction is a `constant`.
bool IsConstantOp(const Instruction& inst);

}  // namespace axle
