// HLO text out, as XLA prints it. Generic over the op table. Thread-safe.
#pragma once
#include <string>

#include "axle/ir/module.h"

namespace axle {

struct PrintOptions {
  // Long: % before names, program shapes, metadata, stack tables, control edges. Short: none of
  // them; what XLA calls short parsable.
  enum class Style { kLong, kShort } style = Style::kLong;
  // Arrays of more than 10 elements print as {...} if false: what reads the text back has no values
  // of them. So do constants whose elements were left out where they were read, in any case.
  bool large_constants = true;
  // The shape of each operand in front of its name, as older dumps have it.
  bool operand_shapes = false;
  // Computations inside of the instructions that call them: to_apply={...}. In a module, those that
  // one instruction calls once; they lose their names. Of one instruction, all, so that with
  // operand_shapes its line is a module; not beyond 32 inside of each other, nor beyond 1 MiB.
  bool bodies_in_place = false;
  // What the style prints of these, unless it is left out.
  bool metadata = true;
  bool backend_config = true;
  // If false, names end before their first '.': two texts of one program that was numbered
  // otherwise are then alike. Parse does not read them back where names become the same.
  bool ids = true;
  // Instructions are tmp_0, tmp_1, .. in the order of their computation, whatever they are called.
  bool canonical_names = false;
  // Spaces in front of every line, two for each.
  int indent = 0;
};

std::string Print(const Instruction& inst, const PrintOptions& options = {});  // no ROOT, no '\n'
std::string Print(const Module& module, const PrintOptions& options = {});     // what Parse reads

}  // namespace axle
