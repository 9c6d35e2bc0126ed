// Idioms: a few operations for which processors have one, so that code generators look for them,
// and are wrong when they see them where they are not. Each is a formula of two values of one type,
// close to what code generators know, but not always that. All operations are defined on all
// inputs.
#pragma once
#include <span>

#include "tests/codegen/random_kernels/program_generator.h"

namespace axle {

using Idiom = Term (*)(ProgramGenerator& g, const Term& x, const Term& y);

std::span<const Idiom> IntegerArithmeticIdioms();
std::span<const Idiom> ChoiceIdioms();  // of integers: comparisons and what they choose
std::span<const Idiom> BitIdioms();     // of integers
std::span<const Idiom> WidthIdioms();   // of integers: between types
std::span<const Idiom> FloatIdioms();

}  // namespace axle
