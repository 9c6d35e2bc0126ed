// The fields that every instruction may have whatever its op is. The IR carries most of them as the
// text that HLO text has for them; here that text becomes messages and messages become that text,
// which the readers of axle/text/ check.
#pragma once
#include <span>
#include <string>

#include "axle/core/wire.h"
#include "axle/ir/module.h"
#include "axle/text/common_attributes.h"

namespace axle {

WireWriter MetadataMessage(const Metadata& metadata);
// Texts that are referred to by number are in `payloads`. The views are into the message or them.
Status ReadMetadata(const WireReader& in, std::span<const std::string_view> payloads,
                    OwnedMetadata& metadata);

WireWriter FrontendAttributesMessage(const FrontendAttributeList& attributes);
StatusOr<FrontendAttributeList> ReadFrontendAttributes(const WireReader& in);

// {value, or a number in `payloads`}.
StatusOr<std::string_view> ReadPayload(const WireReader& in,
                                       std::span<const std::string_view> payloads);

WireWriter StatisticsMessage(std::string_view text);
StatusOr<std::string> ReadStatistics(const WireReader& in);

WireWriter OriginMessage(std::string_view text);
StatusOr<std::string> ReadOrigin(const WireReader& in);

WireWriter ResultAccuracyMessage(std::string_view text);
StatusOr<std::string> ReadResultAccuracy(const WireReader& in);

WireWriter ParameterReplicationMessage(std::string_view text);
StatusOr<std::string> ReadParameterReplication(const WireReader& in);

// A path of tuple indices, none of them negative.
Status ReadShapeIndex(const WireReader& in, Dims& index);

// Sends a text through its reader in axle/text/, which checks it and gives its canonical form.
template <typename Parse>
StatusOr<std::string> CheckedText(const WireReader& in, const std::string& text, Parse parse) {
  Scanner scanner(text);
  StatusOr<std::string> checked = parse(scanner);
  if (!checked.ok()) return in.Error(checked.status().message());
  if (!scanner.AtEnd()) return in.Error("cannot be written as text");
  return checked;
}

// True for what HLO text takes for a name.
bool IsName(std::string_view text);

}  // namespace axle
