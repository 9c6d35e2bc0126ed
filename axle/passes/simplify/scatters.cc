// A scatter of one window, as x.at[i].set(v) writes it, is an update of a slice that does nothing
// where the window is out of bounds:
//
//   old = dynamic-slice(x, start)            both clamp the start alike
//   new = combiner(old, update)
//   dynamic-update-slice(x, select(start is in bounds, new, old), start)
//
// Loops write such a slice in place and join it with what computes its operands; a scatter is a
// step of its own. The window has one element along each dimension that an index moves, so that it
// is whole in bounds or not at all, and begins at 0 along the others.

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

#include "axle/ops/attributes/attributes.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/passes/simplify/rules.h"

namespace axle {
namespace {

// Elements of a window; what is larger costs a scatter no time of its own.
constexpr i64 kMostElements = 1024;

// The combiner on whole windows: the update, or one operation of both; null if it is something
// else.
Instruction* Combined(Maker& to, const HloComputation& combiner, Instruction* old,
                      Instruction* update) {
  const Instruction& root = *combiner.root();
  const auto given = [&](const Instruction& parameter) {
    return parameter.attrs<ParameterAttrs>().number == 0 ? old : update;
  };
  if (IsParameter(root)) return given(root);
  if (root.num_operands() != 2 || !IsElementwise(root) || TypeOf(root) != TypeOf(*old) ||
      !IsParameter(*root.operand(0)) || !IsParameter(*root.operand(1)) || HasAnnotations(root)) {
    return nullptr;
  }
  return to.Add(root.opcode(), old->shape(),
                std::array{given(*root.operand(0)), given(*root.operand(1))}, root.attr_block(),
                {});
}

// The sizes of the window in the dimensions of the operand, if there is one window that may be
// written as a slice.
std::optional<Dims> WindowOf(const Instruction& scatter) {
  const auto& attrs = scatter.attrs<ScatterAttrs>();
  if (scatter.num_operands() != 3 || !attrs.input_batching_dims.empty()) return std::nullopt;
  const Shape &x = scatter.operand(0)->shape(), &update = scatter.operand(2)->shape();
  i64 elements = 1;
  Dims window(static_cast<size_t>(x.rank()), 1);
  for (i64 d = 0, u = 0; d < x.rank(); ++d) {
    if (x.dim(d) == 0) return std::nullopt;
    if (std::ranges::find(attrs.inserted_window_dims, d) != attrs.inserted_window_dims.end()) {
      continue;
    }
    const i64 size = update.dim(attrs.update_window_dims[static_cast<size_t>(u++)]);
    window[static_cast<size_t>(d)] = size;
    elements *= size;
  }
  for (const i64 d : attrs.scatter_dims_to_operand_dims) {
    if (window[static_cast<size_t>(d)] != 1) return std::nullopt;
  }
  if (elements != update.num_elements() || elements == 0 || elements > kMostElements) {
    return std::nullopt;
  }
  return window;
}

Instruction* ScatterOfOne(Maker& to, Instruction& inst) {
  const auto& attrs = inst.attrs<ScatterAttrs>();
  const std::optional<Dims> window = WindowOf(inst);
  Instruction* const x = inst.operand(0);
  Instruction* const indices = inst.operand(1);
  const ElementType type = TypeOf(*indices);
  if (!window || (type != S32 && type != S64)) return nullptr;
  const Shape scalar(type, {}), pred(PRED);
  // Sizes are compared in the type of the indices.
  constexpr i64 kMostS32 = std::numeric_limits<std::int32_t>::max();
  if (type == S32 && std::ranges::any_of(x->shape().dims(), [](i64 n) { return n > kMostS32; })) {
    return nullptr;
  }

  const i64 count = std::ssize(attrs.scatter_dims_to_operand_dims);
  Instruction* const vector = to.Make(Opcode::kReshape, Shape(type, {count}), {indices});
  Instruction* const zero = to.Uniform(scalar, 0);
  std::vector<Instruction*> starts(window->size(), zero);
  Instruction* in_bounds = nullptr;
  for (i64 i = 0; i < count; ++i) {
    const i64 d = attrs.scatter_dims_to_operand_dims[static_cast<size_t>(i)];
    Instruction* const element =
        to.Make(Opcode::kSlice, Shape(type, {1}), {vector}, SliceAttrs{SliceConfig{{i, i + 1, 1}}});
    Instruction* const start = to.Make(Opcode::kReshape, scalar, {element});
    starts[static_cast<size_t>(d)] = start;
    for (Instruction* const fits :
         {to.Make(Opcode::kCompare, pred, {start, zero}, CompareAttrs{ComparisonDirection::kGe}),
          to.Make(Opcode::kCompare, pred, {start, to.Uniform(scalar, x->shape().dim(d))},
                  CompareAttrs{ComparisonDirection::kLt})}) {
      in_bounds = in_bounds == nullptr ? fits : to.Make(Opcode::kAnd, pred, {in_bounds, fits});
    }
  }

  const Shape shape(TypeOf(inst), *window);
  std::vector<Instruction*> operands = {x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  Instruction* const old =
      to.Make(Opcode::kDynamicSlice, shape, operands, DynamicSliceAttrs{*window});
  Instruction* const update = to.Make(Opcode::kReshape, shape, {inst.operand(2)});
  Instruction* written = Combined(to, *inst.callee(0), old, update);
  if (written == nullptr) return nullptr;
  if (in_bounds != nullptr) {
    Instruction* const all =
        to.Make(Opcode::kBroadcast, Shape(PRED, *window), {in_bounds}, DimensionsAttrs{});
    written = to.Make(Opcode::kSelect, shape, {all, written, old});
  }
  operands[0] = written;
  operands.insert(operands.begin(), x);
  return to.Make(Opcode::kDynamicUpdateSlice, inst.shape(), operands);
}

constexpr Rule kRules[] = {
    {"scatter-one",
     "scatter of one window -> dynamic-update-slice(x, select(in bounds, f(old, update), old))",
     "a window that is out of bounds changes nothing; f is its update or one operation of both",
     Opcode::kScatter, ScatterOfOne,
     "x = f32[4,9] parameter(0)  i = s32[2] parameter(1)  u = f32[] parameter(2)\n"
     "ROOT r = f32[4,9] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0,1}, "
     "scatter_dims_to_operand_dims={1,0}, index_vector_dim=0, to_apply=set",
     "set { a = f32[] parameter(0)  ROOT b = f32[] parameter(1) }"},
};

}  // namespace

std::span<const Rule> ScatterRules() {
  return kRules;
}

}  // namespace axle
