// A module for other programs: a graph in the language of Graphviz, and JSON.
#pragma once
#include <string>

#include "axle/ir/module.h"

namespace axle::tool {

// A cluster per computation, a node per instruction; dashed edges lead to called computations.
std::string ToDot(const Module& module);

// One line: {"schema": "axle.module/1", "name": ..., "entry": ..., "computations": [...]}.
// Attributes are texts as HLO text spells them.
std::string ToJson(const Module& module);

}  // namespace axle::tool
