// The printer behind PrintMlirText: one object for one text.
#pragma once
#include <unordered_map>

#include "axle/stablehlo/mlir/dialect.h"
#include "axle/stablehlo/mlir/ir.h"
#include "axle/stablehlo/mlir/print.h"

namespace axle::mlir {

// print_attributes.cc

// As MLIR prints it; `dialect` is that of the operation, for enums that several have.
void AppendAttribute(const Attribute& attribute, std::string_view dialect, std::string& out);
// <offset_dims = [0], ...>: what stands behind #stablehlo.gather.
void AppendStruct(const StructSyntax& syntax, const Attribute& value, std::string_view dialect,
                  std::string& out);
// What a pretty form writes for an attribute of this kind (dialect.h); false, and nothing is
// written, if the attribute is not of the kind.
bool AppendOfKind(const Attribute* attribute, std::string_view kind, std::string_view dialect,
                  std::string& out);
// [b, 0, f]x[0, i, o]->[b, 0, f]; false if the numbers are not those of dimensions.
bool AppendConvolutionDimensions(const Attribute& value, std::string& out);
// "f.py":1:2 to 3:4.
void AppendFileLocation(const Location& location, std::string& out);
// name or "a name".
void AppendName(std::string_view name, std::string& out);
void AppendSymbol(std::string_view name, std::string& out);
void AppendInts(const Dims& values, std::string& out);  // [1, 2]
// 1.000000e+00, or with more digits if that is another number; 0x7FC00000 for what is no number.
void AppendNumber(ElementType type, const void* element, std::string& out);

class Printer {
 public:
  explicit Printer(const PrintTextOptions& options) : options_(options) {}

  std::string Print(const Operation& top);

  // For forms.

  std::string& out() { return out_; }
  void Use(const Value& value);
  void Uses(std::span<Value* const> values);
  void Types(std::span<Value* const> values);
  void ResultTypes(std::span<const Value> values, bool brackets);
  void Signature(const Operation& operation);
  // " {a = 1, b}" of all attributes but those named, or nothing. Structures are put together.
  void Attributes(const Operation& operation, std::span<const std::string_view> without,
                  std::string_view keyword = "");
  // {...}; with the arguments of the first block as a label if it has any and the caller has not
  // printed them.
  void PrintRegion(const Region& region, bool arguments);
  // A name for an argument of a region to be printed next, which the form prints itself.
  void NameArgument(const Value& value, std::string_view base);
  void Argument(const Value& value);  // %arg0: type loc(...)
  void OptionalLocation(const Location* location);
  std::string_view dialect() const { return dialect_; }
  bool locations() const { return options_.locations; }

  // The structure made of the operation's attributes, if all that it needs are there; the names of
  // these are added to `taken`.
  static bool PutTogether(const Operation& operation, const StructUse& use,
                          std::vector<NamedAttribute>& fields,
                          std::vector<std::string_view>& taken);

 private:
  void PrintOperation(const Operation& operation);
  void PrintGeneric(const Operation& operation);
  void Entries(const Operation& operation, std::span<const std::string_view> without, bool inherent,
               bool discardable, std::vector<std::pair<std::string, std::string>>& entries);
  void Dictionary(std::vector<std::pair<std::string, std::string>> entries);
  void NumberBlock(const Block& block);
  void NewLine();
  void PrintLocations();
  std::string LocationText(const Location& location);
  size_t LocationNumber(const Location* location);

  const PrintTextOptions& options_;
  std::string out_;
  std::string_view dialect_;
  int indent_ = 0;
  size_t next_value_ = 0, next_argument_ = 0, next_conflict_ = 0;
  std::unordered_map<const Value*, std::string> names_;
  std::unordered_map<const Location*, size_t> location_numbers_;
  std::vector<const Location*> locations_;  // by number, parts before what they are part of
};

}  // namespace axle::mlir
