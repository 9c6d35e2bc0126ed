// What the objects of each instruction set offer: one row per family of numbers.
#pragma once
#include "axle/core/kernel.h"

namespace axle {

struct FamilyEntry {
  KernelFunction dot;        // of a DotPlan
  KernelFunction canonical;  // likewise, in the canonical order; null where the family has none
  KernelFunction across;     // of many tiny matrices; null where the family has none
  int lanes;                 // sums of a vector; a complex sum counts once
  int packed_bytes;          // of an element of a packed operand
  int sum_bytes;             // of a sum
  int parts;                 // places that an element of packed columns, or a sum, takes
  int unit;                  // contracted elements are filled up with zeros to a multiple
  bool in_place;             // operands and results of the type itself need no copies
  int max_rows[4];           // of a register tile of 1 to 4 vectors
};

// Functions of convolutions, which are compiled into objects of their own.
struct ConvolutionEntry {
  KernelFunction convolution;  // of a ConvolutionPlan
  KernelFunction depthwise;    // of one whose features have a group each, side by side; or null
  KernelFunction lines;        // of one whose outputs are read and written along lines; or null
};

// Indexed by DotFamily.
namespace isa_v3 {
extern const FamilyEntry kFamilies[];
extern const ConvolutionEntry kConvolutions[];
}  // namespace isa_v3
namespace isa_v4 {
extern const FamilyEntry kFamilies[];
extern const ConvolutionEntry kConvolutions[];
}  // namespace isa_v4

}  // namespace axle
