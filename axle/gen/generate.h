// Random valid modules: `axle gen` and the differential tests. A module is a function of (seed,
// index) alone, the same on every machine; docs/adr/2026-11-22-differential-machine.md says what
// they are made of.
//
//   for (std::uint64_t i = 0; i < 1000; ++i) {
//     AXLE_ASSIGN(const std::shared_ptr<const Module> module, GenerateModule(seed, i));
//
// Module i has the op i of those that are drawn as its subject, on one element type after another,
// so that any run of indices covers the table evenly. Thread-safe.
#pragma once
#include <memory>
#include <string>

#include "axle/core/status.h"
#include "axle/ir/module.h"

namespace axle {

// HLO text, which Parse accepts; an INTERNAL error is a bug of the generator.
StatusOr<std::string> GenerateText(std::uint64_t seed, std::uint64_t index);
// The same, read: whatever comes of it comes of the text too.
StatusOr<std::unique_ptr<Module>> GenerateModule(std::uint64_t seed, std::uint64_t index);

// How many indices it takes until every op was the subject with every element type once.
std::uint64_t GenerationPeriod();

// What the instructions, the coverage and inputs are of: the type of the first operand, or of the
// operands behind a pred that chooses between them, or of the result.
ElementType CoveredType(const Instruction& inst);

}  // namespace axle
