// The rows of the operations that the readers know: names of operands, attributes and regions, and
// the text form of each. A row is one line of text in a small notation, which is read once:
//
//   {"gather", "operand, start_indices -> result",
//    "collapsed_slice_dims: ints, index_vector_dim: int, operand_batching_dims: ints since 2, ...",
//    "", "generic"}
//
// values      operands -> results; `*` behind a name: any number of them. Where several operands
//             are variadic, all have the same number.
// attributes  name: kind [= default] [since N] [until N]; in the version N of the VHLO operation,
//             which stores them sorted by name. Those with a default may be absent. Kinds:
//             int, ints, bool, bools, string, symbol, symbols, type, elements, dict, array, float,
//             accuracy (kStruct result_accuracy), an enum's mnemonic, or enums: list of one; unit:
//             a bool that text writes as its mere name; i32, ui32, ui64: an int of that type;
//             sdy.x: an attribute of Shardy, which is kept as text; any. A default `absent` is no
//             value.
// regions     names; `*` behind a name: any number of them. "isolated" before them: they see no
//             values of around.
// format      how the text form is written; "" is the generic form. Words and punctuation stand for
//             themselves, blanks for nothing:
//   $name       an operand, attribute or region of the row, or a structure. Of a variadic one all,
//               with commas between them; `$name,` a comma behind each
//   @$name      the string as a symbol
//   {}          the attributes that stand nowhere else, {a = 1, b}, if there are any
//   ( ... )?    may be absent: the attribute or the operands in it are, or have the default. With
//               `|` inside: what may be written in its place.
//   : kind      types. same: one for all operands and the result, or as function; function: (a, b)
//               -> c; arrow: a, b -> c; pairs: of the operands, the results have the same; types:
//               of the operands; type: one for all operands; results, result_types: of the results;
//               complex, select, tuple: what these operations have. Without ':', the same words
//               stand for the types alone.
//   %name       a part that has functions of its own (forms.cc): %ranges, %window, %format; or
//               %like_value: operands have the type of the attribute `value`
//   custom x    the whole form has functions of its own (custom_forms.cc)
// structs     attribute: mnemonic. In text the attributes of the structure stand in one attribute
//             of that name, #stablehlo.mnemonic<...>.
#pragma once
#include <span>
#include <string_view>
#include <vector>

namespace axle::mlir {

struct OperandSyntax {
  std::string_view name;
  bool variadic = false;
};

struct AttributeSyntax {
  std::string_view name;
  std::string_view kind;
  std::string_view fallback = {};  // default, as written; "" where the attribute is required
  bool required = true;
  int since = 1, until = 1 << 30;  // versions of the VHLO operation that have it
};

// A field of a structure of attributes, #stablehlo.gather<offset_dims = [0]>.
struct FieldSyntax {
  std::string_view name;
  std::string_view attribute;  // what it is called among the attributes of an operation
  std::string_view kind;       // as of attributes
  std::string_view fallback;
  bool required = true;
};

struct StructSyntax {
  std::string_view dialect, mnemonic;
  std::vector<FieldSyntax> fields;  // in the order in which they are printed
};

struct StructUse {
  std::string_view attribute;
  const StructSyntax* syntax;
};

struct OpSyntax {
  std::string_view name;  // stablehlo.gather
  std::vector<OperandSyntax> operands;
  std::vector<OperandSyntax> results;
  std::vector<AttributeSyntax> attributes;  // sorted by name
  std::vector<OperandSyntax> regions;
  std::string_view format;
  bool isolated = false;           // its regions see no values of around
  std::vector<StructUse> structs;  // attributes of the text that are taken apart
  // The versions of StableHLO that brought versions 1, 2 and so on of the VHLO operation: "1.10.0".
  // Empty if VHLO has none.
  std::vector<std::string_view> versions = {};

  const AttributeSyntax* FindAttribute(std::string_view attribute) const;  // null if it has none
};

// Null if there is no row. Thread-safe.
const OpSyntax* FindSyntax(std::string_view name);
// All of them, sorted by name.
std::span<const OpSyntax* const> AllSyntax();

// The values of an enum attribute, in the order of their numbers in VHLO: {"DEFAULT", "HIGH",
// "HIGHEST"} of "precision". Empty if there is no such enum.
std::span<const std::string_view> EnumValues(std::string_view mnemonic);

// The dialect that text names with the enum: #stablehlo<precision HIGH>.
std::string_view EnumDialect(std::string_view mnemonic);
// Null if there is no such structure.
const StructSyntax* FindStruct(std::string_view mnemonic);

}  // namespace axle::mlir
