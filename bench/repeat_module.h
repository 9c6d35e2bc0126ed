// A large module out of a small real one, for measurements of text and memory: the entry's body,
// metadata included, again and again under other names.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "axle/core/strings.h"
#include "axle/ir/module.h"

namespace axle {

// Adds copies of the entry's instructions to the entry until the module has `num_instructions`. All
// copies read the same parameters; the root stays.
inline void RepeatEntry(Module& module, i64 num_instructions) {
  HloComputation& entry = *module.entry();
  const std::vector<Instruction*> body(entry.instructions().begin(), entry.instructions().end());
  Instruction* const root = entry.root();
  std::vector<Instruction*> copies(body.size());
  i64 missing = num_instructions - module.num_instructions();
  for (i64 round = 1; missing > 0; ++round) {
    for (size_t i = 0; i < body.size() && missing > 0; ++i) {
      const Instruction& inst = *body[i];
      copies[i] = body[i];
      bool is_parameter = false;
      for (const Instruction* parameter : entry.parameters()) is_parameter |= parameter == &inst;
      if (is_parameter) continue;
      std::vector<Instruction*> operands;
      for (i64 o = 0; o < inst.num_operands(); ++o) {
        operands.push_back(copies[inst.operand(o)->index()]);
      }
      copies[i] = entry.Add({.opcode = inst.opcode(),
                             .name = StrCat(inst.name(), ".r", round),
                             .shape = inst.shape(),
                             .operands = operands,
                             .callees = inst.callees(),
                             .attrs = inst.attr_block(),
                             .metadata = inst.metadata()});
      --missing;
    }
  }
  entry.set_root(root);
}

}  // namespace axle
