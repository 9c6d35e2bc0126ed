// What a random program gives, by the interpreter's steps (emit/primitives.h).
#pragma once
#include <cstddef>
#include <vector>

#include "axle/gen/random.h"
#include "tests/codegen/random_kernels/program.h"

namespace axle {

// The elements of one value, as they lie in memory.
using Elements = std::vector<std::byte>;

std::uint64_t ElementBits(LaneType type, const Elements& elements, i64 k);
void SetElement(LaneType type, Elements& elements, i64 k, std::uint64_t bits);
// The same bits, or NaNs both.
bool IsSameElement(LaneType type, std::uint64_t a, std::uint64_t b);

// By operation; empty for all but inputs. Of those of a loop only the elements that its stride
// reaches count: one for each position.
std::vector<Elements> RandomInputs(const RandomProgram& program, Random random);

// All values by operation. False: an operation has operands for which it is not defined, as those
// of a program that Generate drew never are, but those of one that is being reduced may be.
// The caller has set the floating-point mode.
bool Evaluate(const RandomProgram& program, const std::vector<Elements>& inputs,
              std::vector<Elements>* values);

}  // namespace axle
