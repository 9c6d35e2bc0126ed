// What `axle VERB -h` prints, made from the verb's examples, description and list of options.
#pragma once
#include <string>

#include "tools/axle/verbs.h"

namespace axle::tool {

// Examples, description, a row for each option; the last lines name those that OptionUse calls
// brief, whose texts are in HelpOnOptions.
std::string HelpText(const Verb& verb);
// `axle help options`: the options that are brief in some verb, with what they do in all of them.
std::string HelpOnOptions();

}  // namespace axle::tool
