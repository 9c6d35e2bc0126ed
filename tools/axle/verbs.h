// The verbs. Each is one file over the client API.
#pragma once
#include <span>
#include <string_view>

#include "tools/axle/session.h"

namespace axle::tool {

struct Verb {
  std::string_view name;
  std::string_view summary;
  std::string_view help;  // what -h prints: examples first, at most 25 lines
  std::span<const std::string_view> options;
  int (*run)(Session& session);
};

extern const Verb kRunVerb, kParseVerb, kPrintVerb, kInfoVerb, kBatchVerb, kCheckVerb, kConvertVerb,
    kOptVerb, kExplainVerb, kOpsVerb, kGenVerb, kReduceVerb;

std::span<const Verb* const> AllVerbs();
const Verb* FindVerb(std::string_view name);
// Verbs that the design names and that are still to come.
bool IsPlannedVerb(std::string_view name);
std::string Overview();  // what `axle help` prints
std::string UnknownVerb(std::string_view name);

}  // namespace axle::tool
