// What the names of the operations of a file stand for: the row, the version of VHLO, and the
// attributes that their properties hold.
#pragma once
#include <string_view>
#include <vector>

#include "axle/core/status.h"
#include "axle/stablehlo/mlir/bytecode_entries.h"
#include "axle/stablehlo/mlir/dialect.h"

namespace axle::mlir {

// One attribute in the properties of an operation.
struct PropertySyntax {
  std::string_view name;
  bool is_optional = false;
  // Above 0: MLIR added it later, as the how manieth; files from before have properties without it.
  int age = 0;
};

struct OpKind {
  std::string_view name;  // stablehlo.gather; of vhlo.return "", which its parent decides
  const OpSyntax* syntax = nullptr;  // null if there is no row
  int version = 0;                   // of the VHLO operation; 0: of another dialect
  bool is_registered = false;        // its writer knew it, and stored properties in their own form
  bool has_properties = false;       // `properties` says what they are
  std::vector<PropertySyntax> properties;  // in the order in which they are stored
  bool has_segments = false;               // sizes of the groups of operands and results follow
};

// The row of an attribute of the operation, in its version; null for a discardable one.
const AttributeSyntax* FindAttribute(const OpKind& kind, std::string_view name);

// Errors: UNIMPLEMENTED for a VHLO operation, or a version of one, that is not known.
StatusOr<OpKind> FindOpKind(const BytecodeFile& file, const BytecodeFile::OpName& name,
                            MlirModule& module);

// Of the row's attributes, whether the operation has to have this one.
bool IsRequired(const OpKind& kind, const AttributeSyntax& attribute);

// `value` in the form that attributes of `syntax` have in the tree: symbols that VHLO has as
// strings, enums that are numbers. Null in `result` for one that says that there is none. Errors:
// INVALID_ARGUMENT, without a place.
Status Normalize(MlirModule& module, const AttributeSyntax& syntax, const Attribute& value,
                 const Attribute*& result);

}  // namespace axle::mlir
