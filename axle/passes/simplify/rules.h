// The parts of the table, one per file.
#pragma once
#include "axle/passes/simplify/rule.h"

namespace axle {

std::span<const Rule> ArithmeticRules();
std::span<const Rule> LogicRules();
std::span<const Rule> ConversionRules();
std::span<const Rule> MovementRules();
std::span<const Rule> ScatterRules();
std::span<const Rule> StructureRules();  // tuples, conditionals, sizes

}  // namespace axle
