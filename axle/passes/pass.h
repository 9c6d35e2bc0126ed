// Pass: HLO to HLO. Every pass keeps every bit of every result (docs/numerics.md, N11), the shapes
// of the entry with their layouts, the order of effects, and ids and metadata of what it keeps.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "axle/core/limits.h"
#include "axle/ir/module.h"

namespace axle {

// What a pass did to an instruction, for people: `axle explain` prints it.
struct PassNote {
  std::string computation, instruction;
  std::string text;
};

struct PassContext {
  Limits* limits = nullptr;
  i64 changes = 0;  // counted by the pass: what it removed, merged, replaced
  std::vector<PassNote> notes = {};
};

struct Pass {
  std::string_view name;
  std::string_view summary;  // one sentence
  // Returns the changed module; `module` is verified and so is the result. Errors: those of the
  // limits.
  StatusOr<std::unique_ptr<Module>> (*run)(const Module& module, PassContext& context);
};

std::span<const Pass> AllPasses();
const Pass* FindPass(std::string_view name);  // null if there is none

}  // namespace axle
