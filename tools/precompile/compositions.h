// Programs of several operations whose kernels are precompiled: those that most models have in the
// same form, as JAX writes them.
#pragma once
#include <string>
#include <vector>

namespace axle {

// HLO texts.
std::vector<std::string> PrecompiledCompositions();

}  // namespace axle
