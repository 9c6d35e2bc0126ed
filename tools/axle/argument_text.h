// What --arg says: which argument, and its value as text.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "axle/core/literal.h"
#include "axle/ir/module.h"

namespace axle::tool {

// An array of `shape`, which is that of the parameter. Text is one of
//
//   f32[2,2] {{1, 2}, {3, 4}}   with a shape: that of the parameter, or, where the parameter has a
//                               bounded dimension, one with sizes up to the bounds
//   {{1, 2}, {3, 4}}            the parameter's shape is meant; brackets are as good as braces
//   1, 2, 3, 4                  all elements in row-major order
//
// Errors: INVALID_ARGUMENT if shapes or counts differ (nothing is broadcast), for numbers that do
// not fit the type, and for text whose elements are partly left out.
StatusOr<Literal> ParseArgument(std::string_view text, const Shape& shape);

// What the arguments of a program are called. It does not outlive the computation.
class ArgumentNames {
 public:
  explicit ArgumentNames(const HloComputation& entry);

  // The number, among the array leaves of the parameters, of what "3", "x" or, for a leaf of a
  // tuple, "x{1,0}" names: the name of the parameter, or that in its metadata (op_name), which is
  // what JAX calls it. Where no parameter has the name, "w" is also the only one that is called
  // w.1: the number behind the last point is XLA's. INVALID_ARGUMENT, with the names that there
  // are, if there is none.
  StatusOr<size_t> Find(std::string_view key) const;
  // The number of the parameter of a name without an index.
  std::optional<size_t> Parameter(std::string_view name) const;

 private:
  // Parameters by what they are called, and by what their metadata calls them.
  using ByName = std::unordered_map<std::string_view, std::optional<size_t>>;

  const HloComputation& entry_;
  std::vector<size_t> first_leaf_;  // of each parameter
  size_t num_leaves_ = 0;
  ByName exact_[2], bare_[2];  // without the number; nothing: several
};

// For messages: "; it has x, Arg_1.2 (scale)", with the names of metadata in parentheses.
std::string ParameterNames(const HloComputation& entry);
// "x, y, ...": the first ten, or "none".
std::string FewNames(std::span<const std::string> names);

}  // namespace axle::tool
