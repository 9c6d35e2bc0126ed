// HLO text out, as XLA prints it. Generic over the op table.
#pragma once
#include <string>

#include "axle/ir/module.h"

namespace axle {

struct PrintOptions {
  // Long: % before names, program shapes, metadata, stack tables, control edges. Short: none of
  // them; what XLA calls short parsable.
  enum class Style { kLong, kShort } style = Style::kLong;
  // Arrays of more than 10 elements print as {...} if false; the text cannot be read back then.
  bool large_constants = true;
  // The shape of each operand in front of its name, as older dumps have it.
  bool operand_shapes = false;
};

std::string Print(const Instruction& inst, const PrintOptions& options = {});  // one line, no ROOT
std::string Print(const Module& module, const PrintOptions& options = {});     // what Parse reads

}  // namespace axle
