// Arguments and results by name, as .npz files hold them: in_0, in_1, ... are the leaves (arrays)
// of the entry's parameters, out_0, ... those of its result, depth first. Thread-safe.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "axle/core/limits.h"
#include "axle/core/literal.h"
#include "axle/core/npz.h"
#include "axle/ir/module.h"

namespace axle {

// Returns the array shapes of all parameters, in order.
std::vector<Shape> ArgumentLeaves(const HloComputation& entry);
// Makes one literal per parameter from one value per leaf. The shapes must be right already. Values
// are not copied.
std::vector<Literal> ArgumentsFromLeaves(const HloComputation& entry, std::vector<Literal> leaves);
// Reads all arguments from the members in_0, in_1, ... Errors: NOT_FOUND if one is missing,
// INVALID_ARGUMENT if it does not fit the shape of its leaf.
StatusOr<std::vector<Literal>> ArgumentsFromNpz(const HloComputation& entry, const Npz& npz);

// Makes up values: "random" or "random:SEED" (floats in [-1, 1), small integers), "iota" (0, 1, 2,
// ... in row-major order), or "zeros". They are the same in every process and on every machine;
// `leaf` makes leaves differ from each other. `progress`, if there is one, is called now and then
// with the part that is done.
StatusOr<Literal> FakeLiteral(const Shape& shape, std::string_view kind, i64 leaf,
                              Limits* limits = nullptr,
                              const std::function<void(double done)>& progress = nullptr);

// Names the arrays of a value prefix + "0", prefix + "1", ..., depth first: out_0, out_1 for a
// result.
std::vector<std::pair<std::string, Literal>> NamedLeaves(const Literal& value,
                                                         std::string_view prefix);

// How far `a` may be from `b`. Elements pass if they are equal (NaN equals NaN, -0 is not +0 unless
// there is a tolerance), or |a - b| <= atol + rtol * |b|, or they are within `ulp`.
struct Tolerance {
  double rtol = 0;
  double atol = 0;
  std::uint64_t ulp = 0;
  bool exact() const { return rtol == 0 && atol == 0 && ulp == 0; }
};
// Finds the first element at which two arrays of one shape differ by more than the tolerance;
// nullopt if there is none. Infinities must be equal.
std::optional<LiteralDifference> FirstDifference(const Literal& a, const Literal& b,
                                                 const Tolerance& tolerance);

}  // namespace axle
