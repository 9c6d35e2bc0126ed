// The attributes that every instruction may carry whatever its op is, and what they share with the
// head of a module: metadata, frontend attributes, backend config, statistics, origin, accuracy.
//
// Most are carried as text in the one form in which HLO text prints them; Parse... functions check
// the grammar and return that form. Metadata is a struct, because passes and messages read it.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "axle/core/scanner.h"
#include "axle/ir/metadata.h"

namespace axle {

using FrontendAttributeList = std::vector<std::pair<std::string, std::string>>;

// Metadata with its own storage for the texts.
struct OwnedMetadata {
  Metadata value;  // views into `texts`
  std::vector<std::string> texts;
};

// The name of "name=value" and "name = value", consumed with the '='; "" and nothing consumed if
// something else comes. For places where no instruction can stand.
std::string_view SpacedAttributeName(Scanner& scanner);

// {op_name="add" source_file="a.py" source_line=3}.
StatusOr<OwnedMetadata> ParseMetadata(Scanner& scanner);
// The same without what has its default; "" if nothing is left.
std::string MetadataText(const Metadata& metadata);

// {name="text",other={"json":1}}, sorted by name.
StatusOr<FrontendAttributeList> ParseFrontendAttributes(Scanner& scanner);
std::string FrontendAttributesText(const FrontendAttributeList& attributes);

// "text" or {json}: the raw bytes, without quotes.
StatusOr<std::string> ParseTextOrJson(Scanner& scanner);
// The inverse: texts that read as one balanced {...} are not quoted.
std::string TextOrJson(std::string_view bytes);

StatusOr<std::string> ParseStatistics(Scanner& scanner);
StatusOr<std::string> ParseOrigin(Scanner& scanner);
// The same of a whole module, kept as written:
//   { {"inst" {0}} : {"original"}, "a module that computes it" {"other"} : {"original"} }
StatusOr<std::string> ParseOriginRecoveryTable(Scanner& scanner);
//   { {"inst"}:({log_mode=1,callback_id=2,partitioned=true,op_id=3}) }
StatusOr<std::string> ParseDebugAttributes(Scanner& scanner);
StatusOr<std::string> ParseResultAccuracy(Scanner& scanner);
// One flag per leaf of the shape.
StatusOr<std::string> ParseParameterReplication(Scanner& scanner);

// {0,1}: a path of tuple indices.
StatusOr<std::vector<i64>> ParseShapeIndex(Scanner& scanner);
std::string ShapeIndexText(const std::vector<i64>& index);

}  // namespace axle
