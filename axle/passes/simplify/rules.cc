// The table of all rules.
#include "axle/passes/simplify/rules.h"

namespace axle {

std::vector<const Rule*> AllRules() {
  std::vector<const Rule*> all;
  for (const std::span<const Rule> rules : {ArithmeticRules(), LogicRules(), ConversionRules(),
                                            MovementRules(), ScatterRules(), StructureRules()}) {
    for (const Rule& rule : rules) all.push_back(&rule);
  }
  return all;
}

}  // namespace axle
