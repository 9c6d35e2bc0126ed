// axle_executable_run: arrays of the host's in, arrays of the host's out.
#include "axle/capi/handles.h"
#include "axle/client/arguments.h"

namespace axle {
namespace {

constexpr const char* kFunction = "axle_executable_run";

Status CheckCount(std::string_view what, size_t count, size_t expected) {
  if (count == expected) return {};
  return InvalidArgument(
      StrCat(kFunction, ": there are ", count, " ", what, ", must be ", expected));
}

StatusOr<std::vector<Literal>> ReadArguments(const HloComputation& entry,
                                             std::span<const axle_array* const> arguments) {
  const std::vector<Shape> shapes = ArgumentLeaves(entry);
  AXLE_TRY(CheckCount("arguments", arguments.size(), shapes.size()));
  std::vector<Literal> leaves;
  for (size_t i = 0; i < shapes.size(); ++i) {
    AXLE_ASSIGN(const HostArray array, ReadArray(kFunction, arguments[i]));
    const std::string what = StrCat("argument ", i);
    AXLE_TRY(CheckArrayFits(kFunction, what, array, shapes[i]));
    AXLE_ASSIGN(Literal leaf, ReadValue(kFunction, what, array, shapes[i], HostRead::kView));
    leaves.push_back(std::move(leaf));
  }
  return ArgumentsFromLeaves(entry, std::move(leaves));
}

// Null data: left out.
StatusOr<std::vector<HostArray>> ReadResults(const Shape& shape,
                                             std::span<const axle_array* const> results) {
  std::vector<Shape> shapes;
  ForEachLeaf(shape, [&](const Shape& leaf, const Dims&) {
    if (leaf.is_array()) shapes.push_back(leaf);
  });
  AXLE_TRY(CheckCount("results", results.size(), shapes.size()));
  std::vector<HostArray> arrays(results.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (results[i] == nullptr) continue;
    AXLE_ASSIGN(arrays[i], ReadArray(kFunction, results[i]));
    AXLE_TRY(CheckArrayFits(kFunction, StrCat("result ", i), arrays[i], shapes[i]));
    if (arrays[i].data != nullptr) {
      AXLE_TRY(CheckHostArray(shapes[i], arrays[i].data, arrays[i].byte_strides, HostUse::kWrite));
    }
  }
  return arrays;
}

Status WriteResults(const Literal& value, std::span<const HostArray> arrays) {
  size_t i = 0;
  for (const auto& [name, leaf] : NamedLeaves(value, "")) AXLE_TRY(WriteValue(leaf, arrays[i++]));
  return {};
}

}  // namespace
}  // namespace axle

axle_status* axle_executable_run(const axle_executable* executable,
                                 const axle_execute_options* options,
                                 const axle_array* const* arguments, size_t num_arguments,
                                 const axle_array* const* results, size_t num_results) {
  return axle::Guarded(axle::kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(axle::kFunction, {{"executable", executable}}));
    if (num_arguments > 0) {
      AXLE_TRY(axle::CheckNotNull(axle::kFunction, {{"arguments", arguments}}));
    }
    if (num_results > 0) AXLE_TRY(axle::CheckNotNull(axle::kFunction, {{"results", results}}));
    AXLE_ASSIGN(const axle_execute_options fields, axle::ReadStruct(axle::kFunction, options));
    const axle::HloComputation& entry = *executable->module.value->entry();
    AXLE_ASSIGN(const std::vector<axle::HostArray> arrays,
                axle::ReadResults(entry.root()->shape(), {results, num_results}));
    AXLE_ASSIGN(const std::vector<axle::Literal> literals,
                axle::ReadArguments(entry, {arguments, num_arguments}));
    AXLE_ASSIGN(
        const axle::Literal value,
        executable->value->Execute(axle::ArraySlice<axle::Literal>(literals),
                                   {.limits = axle::LimitsOf(fields.limits),
                                    .random_seed = static_cast<std::uint64_t>(fields.random_seed),
                                    .profile = axle::ProfileOf(fields.profile)}));
    return axle::WriteResults(value, arrays);
  });
}
