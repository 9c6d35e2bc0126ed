// A called computation often gives back an argument with a few elements changed, or as it is: a
// branch that stores into an array, beside one that does nothing. Such a result may lie where the
// argument lies. For a result of the region, the places come from what a branch does:
//
//   result  <-  tuples, barriers, loops, updates of slices, calls and branches  <-  argument
//
// and all branches that get the same value have to put the result there, each from one argument.
// Where the value is needed later, the record copies it first, as that of a loop does.
#include "axle/codegen/schedule/updates.h"

#include <algorithm>
#include <optional>
#include <set>

#include "axle/ops/control_form.h"
#include "axle/ops/op_def.h"
#include "axle/ops/updated_operand.h"

namespace axle {
namespace {

// Beyond these the results have places of their own.
constexpr size_t kMaxOutputs = 1024;
constexpr int kMaxSteps = 10000;   // for all results of a region
constexpr int kMaxDepth = 8;       // of calls
constexpr i64 kMaxWork = 4 << 20;  // inputs looked at for a region

// An array of a parameter.
struct Leaf {
  i64 parameter = 0;
  Dims path;
};

// The argument that the array at `path` of the result begins as; nothing if it is another value.
std::optional<Leaf> BeginOf(const HloComputation& computation, Dims path, int depth, int& steps) {
  if (depth > kMaxDepth) return std::nullopt;
  const Instruction* inst = computation.root();
  while (++steps < kMaxSteps) {
    if (IsParameter(*inst)) return Leaf{inst->attrs<ParameterAttrs>().number, std::move(path)};
    if (IsTuple(*inst)) {
      inst = inst->operand(path[0]);
      path.erase(path.begin());
      continue;
    }
    if (IsTupleElement(*inst)) {
      path.insert(path.begin(), inst->attrs<TupleIndexAttrs>().index);
      inst = inst->operand(0);
      continue;
    }
    const ControlForm form = ControlFormOf(*inst);
    if (form == ControlForm::kWhile || GetOpDef(*inst).has(kGivesOperand)) {
      inst = inst->operand(0);
      continue;
    }
    if (const std::optional<i64> updated = UpdatedOperand(*inst)) {
      inst = inst->operand(*updated);
      continue;
    }
    if (form == ControlForm::kNone) return std::nullopt;
    std::optional<Leaf> inner;
    for (size_t i = 0; i < inst->callees().size() && !inner; ++i) {
      inner = BeginOf(*inst->callee(static_cast<i64>(i)), path, depth + 1, steps);
      if (inner && form == ControlForm::kConditional) inner->parameter = static_cast<i64>(i) + 1;
    }
    if (!inner) return std::nullopt;
    inst = inst->operand(inner->parameter);
    path = std::move(inner->path);
  }
  return std::nullopt;
}

// The number of the array at `path` among those of a value.
i64 BlockAt(const Shape& shape, std::span<const i64> path) {
  const Shape* at = &shape;
  i64 block = 0;
  for (const i64 k : path) {
    for (i64 i = 0; i < k; ++i) block += NumBlocks(at->element(i));
    at = &at->element(k);
  }
  return block;
}

// The inputs of a region that one callee takes.
struct Arguments {
  const HloComputation* callee;
  size_t first, count;
  std::vector<std::int32_t> begins;  // by output: the argument that it begins as, or -1
};

std::vector<Arguments> ArgumentsOf(const Instruction& inst, const Region& region) {
  std::vector<Arguments> all;
  if (ControlFormOf(inst) == ControlForm::kCall) {
    all.push_back({inst.callee(0), 0, region.inputs.size(), {}});
    return all;
  }
  size_t next = 1;
  for (i64 i = 0; i < static_cast<i64>(inst.callees().size()); ++i) {
    const auto count = static_cast<size_t>(NumBlocks(inst.operand(i + 1)->shape()));
    all.push_back({inst.callee(i), next, count, {}});
    next += count;
  }
  return all;
}

void FindBegins(const Instruction& inst, size_t num_outputs, Arguments& arguments, int& steps) {
  const HloComputation& callee = *arguments.callee;
  arguments.begins.assign(num_outputs, -1);
  ForEachLeaf(inst.shape(), [&](const Shape& leaf, const Dims& path) {
    if (!leaf.is_array() || !leaf.is_static()) return;
    const std::optional<Leaf> begin = BeginOf(callee, path, 0, steps);
    if (!begin) return;
    i64 block = 0;
    for (i64 p = 0; p < begin->parameter; ++p) block += NumBlocks(callee.parameters()[p]->shape());
    block += BlockAt(callee.parameters()[begin->parameter]->shape(), begin->path);
    arguments.begins[static_cast<size_t>(BlockAt(inst.shape(), path))] =
        static_cast<std::int32_t>(block);
  });
}

}  // namespace

void FindUpdates(const Schedule& schedule, Region& region) {
  const Instruction& inst = *region.instructions[0];
  const size_t num_outputs = region.outputs.size();
  if (num_outputs > kMaxOutputs || region.inputs.size() > kMaxOutputs) return;
  std::vector<Arguments> callees = ArgumentsOf(inst, region);
  int steps = 0;
  for (Arguments& callee : callees) FindBegins(inst, num_outputs, callee, steps);

  std::vector<std::vector<std::int32_t>> updates(callees.size(),
                                                 std::vector<std::int32_t>(num_outputs, -1));
  std::set<ValueId> taken;
  i64 work = 0;
  // Where an input of the callee has this value; nothing if there are several.
  const auto position = [&](const Arguments& callee, ValueId value) -> std::optional<std::int32_t> {
    std::int32_t found = -1;
    for (size_t k = 0; k < callee.count; ++k) {
      if (region.inputs[callee.first + k].value != value) continue;
      if (found >= 0) return std::nullopt;
      found = static_cast<std::int32_t>(k);
    }
    return found;
  };
  const auto try_pair = [&](std::uint32_t output, size_t input) {
    // Each try looks at the inputs of all callees.
    work += static_cast<i64>(region.inputs.size());
    if (work > kMaxWork) return false;
    const ValueId value = region.inputs[input].value;
    const bool is_index = callees[0].first > 0 && region.inputs[0].value == value;
    if (is_index || taken.contains(value) ||
        schedule.values[value].bytes != schedule.values[region.outputs[output]].bytes) {
      return false;
    }
    std::vector<std::int32_t> positions;
    for (const Arguments& callee : callees) {
      const auto at = position(callee, value);
      if (!at) return false;
      positions.push_back(*at);
    }
    for (size_t c = 0; c < callees.size(); ++c) updates[c][output] = positions[c];
    taken.insert(value);
    region.in_place.push_back({output, static_cast<std::uint32_t>(input)});
    return true;
  };
  for (std::uint32_t o = 0; o < num_outputs; ++o) {
    std::ignore = std::ranges::any_of(callees, [&](const Arguments& callee) {
      const std::int32_t begin = callee.begins[o];
      return begin >= 0 && try_pair(o, callee.first + static_cast<size_t>(begin));
    });
  }
  if (!region.in_place.empty()) region.control().updates = std::move(updates);
}

}  // namespace axle
