// Random valid modules: `axle gen` and the differential tests. A module is a function of (seed,
// index) alone, the same on every machine; docs/adr/2026-11-22-fuzzer.md says what
// they are made of.
//
//   for (std::uint64_t i = 0; i < 1000; ++i) {
//     AXLE_ASSIGN(const std::shared_ptr<const Module> module, GenerateModule(seed, i));
//
// Tested operations (tested_ops.h) take turns: three of four modules have a context around theirs,
// one of four has it in each setting, and each of them goes through all its subjects before one
// comes again. Thread-safe.
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

// The first index of a module that has this op on this type in each setting; such a subject exists.
std::uint64_t FirstWithSettings(Opcode op, ElementType type);

}  // namespace axle
