// Splits a variadic reduction into independent ones. Example: reduce(x, y, 0, 1) with the reducer
// (a + x, b * y) becomes reduce(x, 0; a + x) and reduce(y, 1; b * y), each of a kind that has fast
// code.
//
// Components that read each other stay together: an argmax's value and index form one group. Groups
// come from the data flow of the reducer: for each instruction, the set of components that it is
// computed from; components whose results share a set are united. For each group the needed part of
// the reducer is copied as a computation of its own. The sets are n bits per instruction and the
// union is quadratic in the number of components n; reducers are scalar code with few components.

#include "axle/passes/split.h"

#include <algorithm>
#include <numeric>

#include "axle/ops/attributes/attributes.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/passes/dce.h"
#include "axle/passes/rebuild.h"

namespace axle {
namespace {

// The components of a reducer, in groups that do not read each other: not even what makes no
// difference, as the imaginary part of a real number, because that is copied too.
std::vector<std::vector<i64>> GroupsOf(const HloComputation& reducer) {
  const std::span parameters = reducer.parameters();
  const size_t n = parameters.size() / 2;
  // By instruction, the components whose accumulators and values it is computed from.
  std::vector<std::vector<bool>> reads(reducer.instructions().size(), std::vector<bool>(n));
  for (size_t p = 0; p < 2 * n; ++p) reads[parameters[p]->index()][p % n] = true;
  for (const Instruction* inst : reducer.instructions()) {
    std::vector<bool>& all = reads[inst->index()];
    for (i64 k = 0; k < inst->num_operands(); ++k) {
      for (size_t i = 0; i < n; ++i) all[i] = all[i] || reads[inst->operand(k)->index()][i];
    }
  }
  std::vector<size_t> group(n);
  std::iota(group.begin(), group.end(), 0);
  for (size_t i = 0; i < n; ++i) {
    const std::vector<bool>& read = reads[reducer.root()->operand(static_cast<i64>(i))->index()];
    for (size_t k = 0; k < n; ++k) {
      const size_t theirs = group[k], ours = group[i];  // not elements of what is changed
      if (read[k] && theirs != ours) std::ranges::replace(group, theirs, ours);
    }
  }
  std::vector<std::vector<i64>> groups(n);
  for (size_t i = 0; i < n; ++i) groups[group[i]].push_back(static_cast<i64>(i));
  std::erase_if(groups, [](const auto& members) { return members.empty(); });
  return groups;
}

class Splitting : public Rebuilder {
 public:
  Splitting(const Module& module, PassContext& context)
      : Rebuilder(module, context.limits), context_(context) {}

 private:
  StatusOr<Instruction*> Visit(const Instruction& inst) override {
    const bool is_reduction = GetOpDef(inst).lowering == Lowering::kReduce &&
                              inst.shape().is_tuple() && inst.shape().num_tuple_elements() > 1;
    if (!is_reduction || IsTied(inst) || !IsStatic(inst)) return Copy(inst);
    const HloComputation& reducer = *Mapped(*inst.callee(0));
    const bool is_straight = CompileScalarComputation(reducer).has_value();
    const bool has_extras = std::ranges::any_of(
        reducer.instructions(), [](const Instruction* each) { return each->extras() != nullptr; });
    if (!is_straight || !IsTuple(*reducer.root()) || has_extras) return Copy(inst);
    const std::vector<std::vector<i64>> groups = GroupsOf(reducer);
    if (groups.size() == 1) return Copy(inst);
    std::vector<Instruction*> results(inst.shape().num_tuple_elements());
    for (const std::vector<i64>& group : groups) AddReduction(inst, reducer, group, results);
    ++context_.changes;
    return Make(inst, Opcode::kTuple, inst.shape(), results, Block(Opcode::kTuple));
  }

  static bool IsStatic(const Instruction& inst) {
    bool is_static = inst.shape().is_static();
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      is_static = is_static && inst.operand(i)->shape().is_static();
    }
    return is_static;
  }

  static AttrBlock Block(Opcode opcode) {
    const AttrSchema& schema = GetOpDef(opcode).attrs;
    return {schema, schema.create()};
  }

  // Adds the reduction of the components in `group` and stores its values in `results`.
  void AddReduction(const Instruction& inst, const HloComputation& reducer,
                    const std::vector<i64>& group, std::vector<Instruction*>& results) {
    const i64 n = inst.num_operands() / 2;
    HloComputation* const part = PartOf(inst, reducer, group);
    std::vector<Instruction*> operands;
    std::vector<Shape> shapes;
    for (const i64 first : {i64{0}, n}) {
      for (const i64 i : group) operands.push_back(Operands(inst)[first + i]);
    }
    for (const i64 i : group) shapes.push_back(inst.shape().element(i));
    const bool is_one = group.size() == 1;
    Instruction* const reduction =
        Make(inst, inst.opcode(), is_one ? shapes[0] : Shape::Tuple(shapes), operands,
             inst.attr_block(), {&part, 1});
    for (size_t k = 0; k < group.size(); ++k) {
      results[group[k]] = is_one ? reduction
                                 : Make(inst, Opcode::kGetTupleElement, shapes[k], {&reduction, 1},
                                        Rebuilder::Block(Opcode::kGetTupleElement,
                                                         TupleIndexAttrs{static_cast<i64>(k)}));
    }
  }

  // The part of the reducer that computes these components, as a computation.
  HloComputation* PartOf(const Instruction& inst, const HloComputation& reducer,
                         const std::vector<i64>& group) {
    const i64 n = inst.num_operands() / 2;
    const Instruction& root = *reducer.root();
    std::vector<bool> is_needed(reducer.instructions().size());
    for (const i64 i : group) is_needed[root.operand(i)->index()] = true;
    for (size_t k = is_needed.size(); k-- > 0;) {
      const Instruction& each = *reducer.instructions()[k];
      for (i64 i = 0; is_needed[k] && i < each.num_operands(); ++i) {
        is_needed[each.operand(i)->index()] = true;
      }
    }
    Suspend(FreshName(reducer.name()));
    to()->set_execution_thread(reducer.execution_thread());
    std::unordered_map<const Instruction*, Instruction*> copies;
    std::vector<Instruction*> parameters;
    for (const i64 first : {i64{0}, n}) {
      for (const i64 i : group) {
        const Instruction* parameter = reducer.parameters()[first + i];
        const auto number = static_cast<i64>(parameters.size());
        parameters.push_back(Make(*parameter, Opcode::kParameter, parameter->shape(), {},
                                  Rebuilder::Block(Opcode::kParameter, ParameterAttrs{number})));
        copies[parameter] = parameters.back();
      }
    }
    to()->set_parameters(parameters);
    std::vector<const Instruction*> body;
    for (size_t k = 0; k < is_needed.size(); ++k) {
      if (is_needed[k]) body.push_back(reducer.instructions()[k]);
    }
    CopyAll(body, /*rename=*/true, copies);
    std::vector<Instruction*> roots;
    std::vector<Shape> shapes;
    for (const i64 i : group) {
      roots.push_back(copies.at(root.operand(i)));
      shapes.push_back(roots.back()->shape());
    }
    to()->set_root(roots.size() == 1 ? roots[0]
                                     : Make(inst, Opcode::kTuple, Shape::Tuple(shapes), roots,
                                            Block(Opcode::kTuple)));
    return Resume();
  }

  PassContext& context_;
};

}  // namespace

StatusOr<std::unique_ptr<Module>> SplitReductions(const Module& module, PassContext& context) {
  AXLE_ASSIGN(std::unique_ptr<Module> split, Splitting(module, context).Run());
  if (context.changes == 0) return split;
  return RemoveDeadCode(*split, context.limits);
}

}  // namespace axle
