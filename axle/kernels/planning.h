// What the plans of dot and convolution have in common: which family of numbers, how they are
// loaded and stored, the size of register tiles. Nothing here shows in the bits of a result.
#pragma once
#include "axle/core/product_parts.h"
#include "axle/kernels/contraction_plan.h"
#include "axle/kernels/instruction_set.h"
#include "axle/kernels/x86/entries.h"

namespace axle {

// The kernels of a family, or null where they are not compiled for this architecture.
const FamilyEntry* FindFamily(DotFamily family, InstructionSet instruction_set);

const ConvolutionEntry* FindConvolution(DotFamily family, InstructionSet instruction_set);

// Sets what follows from the types alone; sums are kept apart from the result.
void SetTypes(const ProductTypes& types, bool is_flipped, ProductPlan& plan);
DotFamily FamilyOf(const ProductTypes& types);

// The number of vectors across a register tile that takes the fewest cycles; `block_depth` is how
// many contracted elements a panel holds at most.
int ChooseVectors(const FamilyEntry& entry, i64 rows, i64 columns, i64 depth, i64 block_depth);

// How contracted elements are cut up (core/product_parts.h).
const PartRule& PartRuleOf(const ProductTypes& types);
// The maximum number of group sums that wait in the tree (x86/group_tree.h), for so many parts.
int WaitingGroups(i64 num_parts, i64 group_parts);

// Lays out scratch memory: regions one after the other, aligned to 64 bytes.
class ScratchLayout {
 public:
  // Adds a region and returns its offset.
  i64 Add(i64 bytes);
  i64 end() const { return end_; }

 private:
  i64 end_ = 0;
};

}  // namespace axle
