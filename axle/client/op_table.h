// What a program may ask about the operations: the op table as plain data, the element types that
// each op takes, found by trying, and the facts of one instruction that tools report.
//
//   for (const OpInfo& op : DescribeOps()) std::cout << op.name << ": " << op.summary << "\n";
//
// The texts live as long as the program. Thread-safe.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "axle/core/element_type.h"
#include "axle/ir/module.h"

namespace axle {

struct AttributeInfo {
  std::string_view name;
  std::string_view kind;      // "list of integers", "comparison direction"
  std::string_view presence;  // required; optional; printed: may be left out, is always printed
  std::string default_value;  // as text, unless it is required
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
// nothing for other names.
std::vector<OpInfo> DescribeOps();
std::optional<OpInfo> DescribeOp(std::string_view name);

// The element types that one operand, or a declared result, may have.
struct OperandTypes {
  std::string_view operand;
  std::vector<ElementType> supported;  // accepted, and the interpreter has run it
  std::vector<ElementType> rejected;   // by a rule of the op
  std::vector<ElementType> not_yet;    // UNIMPLEMENTED, when it was checked or when it ran
  std::string rejection;               // what the first rejected type was told
};

// Tries small programs until the op accepts one, then gives each operand every element type, alone
// and together with the operands that had its type. Empty if no program was found, as for ops with
// several structural attributes. Takes milliseconds.
std::vector<OperandTypes> ProbeElementTypes(const OpInfo& op);

// The opcode as HLO text spells it: "dot".
std::string_view OpName(const Instruction& inst);
// Whether it is a `constant`.
bool IsConstantOp(const Instruction& inst);
// Whether it only holds, passes on or calls: no elements are read or written by itself.
bool MovesNothing(const Instruction& inst);
// Multiplications and additions, by its lowering class: one per result element, per product of a
// dot or convolution (two), or per operand element of a reduction. Computations it calls count
// where they stand.
double Flops(const Instruction& inst);
// Whether the instruction does no more than Flops and the bytes of its operands and result say,
// and, of a call or a conditional, than what is called says.
bool CountsAllWork(const Instruction& inst);

}  // namespace axle
