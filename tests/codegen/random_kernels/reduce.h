// Makes a program that fails smaller.
#pragma once
#include <functional>

#include "tests/codegen/random_kernels/program.h"

namespace axle {

// A program from which nothing can be taken that still fails, as far as single steps go: without a
// result, with an operand in the place of an operation, or an input or a constant. `fails` is true
// of `program`; it is asked about programs with operations that are not defined for their operands.
RandomProgram Reduced(const RandomProgram& program,
                      const std::function<bool(const RandomProgram&)>& fails);

}  // namespace axle
