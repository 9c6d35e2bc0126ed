// A dot or convolution by its prebuilt kernel against the interpreter, bit for bit.
#pragma once
#include <random>
#include <string>
#include <vector>

#include "axle/core/element_type.h"

namespace axle {

// What operands are made of.
enum class Values { kPlain, kTiny, kWide, kSpecial };

// Runs `text`, a module whose root is the instruction with parameters as its operands, on made-up
// values: with the interpreter, and by kernels of every instruction set that this processor has,
// all tiles at once and in random pieces. Fails the test where results differ; returns false if a
// kernel says that it does not apply, with its reason in `reason`.
bool CheckContraction(const std::string& text, Values values, std::mt19937& random,
                      std::string* reason = nullptr);

i64 Uniform(std::mt19937& random, i64 low, i64 high);
// "f32[2,3]"
std::string ShapeText(const std::string& type, const std::vector<i64>& dims);
// "{1,2}"
std::string DimsText(const std::vector<i64>& dims);

}  // namespace axle
