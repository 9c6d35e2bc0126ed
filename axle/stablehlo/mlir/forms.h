// The pretty forms of operations: each is read and printed by one description, the format of its
// row (dialect.h explains the notation), or by the two functions that the format names.
#pragma once
#include "axle/stablehlo/mlir/printer.h"
#include "axle/stablehlo/mlir/reader.h"

namespace axle::mlir {

// Behind the name of an operation whose row has a format: everything up to its location.
Status ReadForm(Reader& reader, PendingOperation& op);
// The same, behind the name. False if the operation does not fit the form: nothing is printed then.
bool PrintForm(Printer& printer, const Operation& operation);

// A form, or a part of one, that the notation cannot describe.
struct CustomForm {
  std::string_view name;
  Status (*read)(Reader& reader, PendingOperation& op);
  // Asked before anything of the operation is printed.
  bool (*fits)(const Operation& operation);
  void (*print)(Printer& printer, const Operation& operation);
};

// custom_forms.cc. "custom x" in a row; null if there is none.
const CustomForm* FindCustomForm(std::string_view name);

// An attribute of the row is absent or has its default.
bool IsDefault(const AttributeSyntax& syntax, const Attribute* value);

}  // namespace axle::mlir
