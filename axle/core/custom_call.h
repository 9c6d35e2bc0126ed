// One execution of a custom-call instruction, as whoever implements its target sees it.
//
// There are two kinds of targets. Built-ins are part of the library and are listed in
// ops/custom_call_builtins.cc; they get a CustomCallInvocation and work on row-major literals.
// Targets of the user's are registered by name in a runtime/custom_call_registry.h, which calls
// them with raw buffers in the layouts of the instruction. Symbols are never looked up.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "axle/core/custom_call_api.h"
#include "axle/core/limits.h"
#include "axle/core/literal.h"

namespace axle {

class Callee;       // emit/callee.h
class Instruction;  // ir/instruction.h

// One entry of a dictionary of attributes, "uplo = 76 : ui8": a name, a value and its written type.
struct CustomCallAttribute {
  using List = std::vector<CustomCallAttribute>;  // of an array (no names) or of a dictionary
  std::string name;
  // Nothing for an attribute that is only there. What is not understood is its text, with the type
  // "?".
  std::variant<std::monostate, bool, i64, double, std::string, List> value;
  std::string type;  // "ui8"; "" if none is written
};

// A dictionary of attributes in MLIR's spelling, {mode = 83 : ui8, name = "x"}, or in JSON's.
class CustomCallAttributes {
 public:
  // Also of "", which has no entries. Errors: INVALID_ARGUMENT.
  static StatusOr<CustomCallAttributes> Parse(std::string_view text);

  const CustomCallAttribute::List& list() const { return list_; }
  const CustomCallAttribute* Find(std::string_view name) const;
  // INVALID_ARGUMENT if the attribute is missing or of another kind; the second forms give
  // `otherwise` if it is missing.
  StatusOr<i64> Integer(std::string_view name) const;
  StatusOr<i64> Integer(std::string_view name, i64 otherwise) const;
  StatusOr<double> Float(std::string_view name) const;  // integers too
  StatusOr<double> Float(std::string_view name, double otherwise) const;
  StatusOr<bool> Bool(std::string_view name) const;
  StatusOr<bool> Bool(std::string_view name, bool otherwise) const;
  StatusOr<std::string> String(std::string_view name) const;

 private:
  template <typename T>
  StatusOr<T> Get(std::string_view name, std::string_view kind) const;

  CustomCallAttribute::List list_;
};

struct CustomCallInvocation {
  std::string_view target;
  CustomCallApi api_version = CustomCallApi::kOriginal;
  std::string_view backend_config;  // the bytes of the instruction's backend_config, "" if none
  // As HLO text spells them: the value is "quoted" or {json}. FrontendAttribute() unquotes.
  std::span<const std::pair<std::string, std::string>> frontend_attributes;
  // One per operand, row-major, tuples and tokens included, sub-byte elements in a byte each. The
  // target may take them over.
  std::span<Literal> operands;
  // With the layouts that the instruction promises for buffers: those of
  // operand_layout_constraints, or else those of the operands.
  std::span<const Shape> operand_shapes;
  // With its layout. The value that a target gives back has this shape and is row-major.
  const Shape* result_shape = nullptr;
  const Literal* literal = nullptr;  // of the attribute `literal`, row-major; null if there is none
  std::span<Callee* const> callees;  // called_computations
  Limits* limits = nullptr;          // to be looked at in long loops
  const Instruction* instruction = nullptr;  // for built-ins; may be null

  // backend_config as a dictionary.
  StatusOr<CustomCallAttributes> Attributes() const {
    return CustomCallAttributes::Parse(backend_config);
  }
  // The unquoted value of a frontend attribute, if there is one.
  std::optional<std::string> FrontendAttribute(std::string_view name) const;
};

}  // namespace axle
