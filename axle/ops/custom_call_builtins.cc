// The table of built-in custom-call targets: one line per family of ops/custom_calls/.
//
// Each family is a function that returns its rows, in a file of its own. The table of names is
// built once, at the first look-up.

#include "axle/ops/custom_call_builtins.h"

#include <algorithm>
#include <unordered_map>

#include "axle/core/strings.h"

namespace axle {
namespace {

constexpr std::span<const BuiltinCustomCall> (*kFamilies[])() = {
    CheckCustomCalls,        DynamicCustomCalls,   EigenCustomCalls, LapackCustomCalls,
    LapackScalarCustomCalls, PlacementCustomCalls, TopkCustomCalls,  TridiagonalCustomCalls,
};

}  // namespace

const BuiltinCustomCall* FindBuiltinCustomCall(std::string_view target) {
  static const auto* const kByTarget = [] {
    auto* map = new std::unordered_map<std::string_view, const BuiltinCustomCall*>;
    for (const auto family : kFamilies) {
      for (const BuiltinCustomCall& builtin : family()) map->emplace(builtin.target, &builtin);
    }
    return map;
  }();
  const auto it = kByTarget->find(target);
  return it == kByTarget->end() ? nullptr : it->second;
}

std::vector<std::string_view> BuiltinCustomCallTargets() {
  std::vector<std::string_view> targets;
  for (const auto family : kFamilies) {
    for (const BuiltinCustomCall& builtin : family()) targets.push_back(builtin.target);
  }
  std::ranges::sort(targets);
  return targets;
}

// The names of Axle's own platform for JAX (python/axle/_jax_lowerings.py) and of XLA:CPU and
// XLA:GPU, with those of jaxlib before typed calls.
bool IsPythonCallback(std::string_view target) {
  constexpr std::string_view kNames[] = {"axle_python_callback",
                                         "xla_ffi_partitioned_python_cpu_callback",
                                         "xla_ffi_partitioned_python_gpu_callback",
                                         "xla_ffi_python_cpu_callback",
                                         "xla_ffi_python_gpu_callback",
                                         "xla_python_cpu_callback",
                                         "xla_python_gpu_callback"};
  return std::ranges::find(kNames, target) != std::end(kNames);
}

// A shared check of the calls that take arrays only.
Status ExpectCustomCallOperands(const CustomCallInvocation& invocation, i64 count) {
  if (static_cast<i64>(invocation.operands.size()) != count) {
    return InvalidArgument(StrCat("takes ", count, count == 1 ? " operand" : " operands", ", not ",
                                  invocation.operands.size()));
  }
  for (const Literal& operand : invocation.operands) {
    if (!operand.shape().is_array()) return InvalidArgument("takes arrays");
  }
  return {};
}

}  // namespace axle
