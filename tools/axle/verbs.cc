#include "tools/axle/verbs.h"

#include <algorithm>

#include "axle/core/strings.h"

namespace axle::tool {
namespace {

constexpr const Verb* kVerbs[] = {
    &kRunVerb,     &kParseVerb,  &kPrintVerb,    &kInfoVerb,       &kCheckVerb, &kCompileVerb,
    &kConvertVerb, &kOptVerb,    &kExplainVerb,  &kOpsVerb,        &kGenVerb,   &kReduceVerb,
    &kBatchVerb,   &kLaunchVerb, &kSimulateVerb, &kCompletionVerb, &kManVerb};
// Those of the installation have one line of the overview together.
constexpr std::string_view kHousekeeping[] = {"completion", "man"};

}  // namespace

std::string_view Version() {
  return "axle " AXLE_VERSION;
}

std::span<const Verb* const> AllVerbs() {
  return kVerbs;
}

const Verb* FindVerb(std::string_view name) {
  const auto* const* it = std::ranges::find(kVerbs, name, &Verb::name);
  return it == std::end(kVerbs) ? nullptr : *it;
}

std::string Overview() {
  std::string text =
      "axle VERB [OPTIONS] FILE...\n"
      "  axle run model.hlo --fake              run on random inputs\n"
      "  axle run model.hlo --inputs in.npz     run on yours\n\n";
  for (const Verb* verb : kVerbs) {
    if (std::ranges::find(kHousekeeping, verb->name) != std::end(kHousekeeping)) continue;
    StrAppend(text, "  ", verb->name, std::string(10 - verb->name.size(), ' '), verb->summary,
              "\n");
  }
  text +=
      "  help      this text; `axle VERB -h` tells more; also completion (of shells), man\n\n"
      "FILE is HLO, StableHLO or a compiled program, also with gzip or zstd; - is stdin.\n"
      "Everywhere: --time-limit S, --mem-limit B (0 none), --color WHEN, -q; `axle help options`\n"
      "Exit codes: 0 yes, 1 no, 2 usage, 3 invalid input, 4 limit or interrupt, 5 not\n"
      "supported, 70 a bug in axle\n";
  return text;
}

std::string UnknownVerb(std::string_view name) {
  std::vector<std::string_view> names = {"help"};
  for (const Verb* verb : kVerbs) names.push_back(verb->name);
  return StrCat("unknown verb \"", PrintableText(name), "\"", DidYouMean(name, names),
                "; `axle help` lists them");
}

}  // namespace axle::tool
