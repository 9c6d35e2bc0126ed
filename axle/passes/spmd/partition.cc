// What a partitioned program is here:
//
//   parameter    a device gets its part, as the sharding says. The parts are gathered, and the
//                program goes on with the whole value, on every device.
//   result       a device gives its part of the whole value. Where no sharding is given it gives
//                the whole.
//   manual       custom-calls SPMDFullToShardShape and SPMDShardToFullShape enclose regions that
//                are written for one device, with collectives and partition-id. A device takes its
//                part of what goes in; what comes out is gathered. Axes over which a region is not
//                manual repeat it.
//   one device   an operation with an effect, or a call of a function of the user, whose sharding
//                is maximal, runs on that device, and the others get its result.
//   others       run on every device with the same values; Sharding annotations say nothing about
//                them yet.
//
// A value that is divided in the same way where it comes from and where it goes to is not gathered:
// from a parameter or a region into a region or a result. Regions in called computations are first
// moved to their callers, so that this is seen.
//
// A partitioner that leaves values divided between operations stands in this place, with the same
// Division and moves.
#include "axle/passes/spmd/partition.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/custom_call_builtins.h"
#include "axle/passes/inline.h"
#include "axle/passes/spmd/shard_moves.h"

namespace axle {
namespace {

std::string_view TargetOf(const Instruction& inst) {
  if (!Is(inst, Opcode::kCustomCall)) return {};
  return inst.attrs<CustomCallAttrs>().custom_call_target;
}

bool IsAnnotation(const Instruction& inst) {
  return TargetOf(inst) == "Sharding" && inst.num_operands() == 1 &&
         Compatible(inst.shape(), inst.operand(0)->shape());
}
bool IsFullToShard(const Instruction& inst) {
  return TargetOf(inst) == "SPMDFullToShardShape" && inst.num_operands() == 1;
}
bool IsShardToFull(const Instruction& inst) {
  return TargetOf(inst) == "SPMDShardToFullShape" && inst.num_operands() == 1;
}

std::string_view ShardingOf(const Instruction& inst) {
  return inst.extras() == nullptr ? std::string_view() : std::string_view(inst.extras()->sharding);
}

std::vector<Shape> LeavesOf(const Shape& shape) {
  std::vector<Shape> leaves;
  ForEachLeaf(shape, [&](const Shape& leaf, const Dims&) { leaves.push_back(leaf); });
  return leaves;
}

// The shardings of leaves of an instruction, whose place errors name.
StatusOr<std::vector<TileSharding>> ReadAll(const Instruction& inst,
                                            std::span<const std::string> texts,
                                            std::span<const Shape> leaves, i64 num_partitions) {
  std::vector<TileSharding> shardings;
  for (size_t i = 0; i < leaves.size(); ++i) {
    auto sharding = ReadTileSharding(texts[i], leaves[i].rank(), num_partitions);
    if (!sharding.ok()) {
      return OpError(inst, sharding.status().message(), sharding.status().code());
    }
    shardings.push_back(*std::move(sharding));
  }
  return shardings;
}

StatusOr<std::vector<TileSharding>> ReadLeaves(const Instruction& inst, i64 num_partitions) {
  const std::vector<Shape> leaves = LeavesOf(inst.shape());
  const auto texts = ShardingsOfLeaves(ShardingOf(inst), static_cast<i64>(leaves.size()));
  if (!texts.ok()) return OpError(inst, texts.status().message());
  return ReadAll(inst, *texts, leaves, num_partitions);
}

Shape PartShape(const Shape& whole, const Division& division) {
  return Shape(whole.type(), division.part_sizes);
}

class Partitioning : public ShardMoves {
 public:
  Partitioning(const Module& module, std::vector<std::string> results, PassContext& context)
      : ShardMoves(module, context.limits),
        context_(context),
        result_shardings_(std::move(results)) {}

 private:
  // Of a value that is gathered here, how it is divided and, once it is visited, its part.
  struct Source {
    Division division;
    Instruction* part = nullptr;
  };

  StatusOr<Division> Divide(const Instruction& inst, const TileSharding& sharding,
                            const Shape& whole, const Dims& inner = {}) const {
    if (!whole.is_array() || !whole.is_static()) {
      return OpError(inst, StrCat("a value of ", whole.ToString(), " is divided among devices"),
                     StatusCode::kUnimplemented);
    }
    auto division = DivisionOf(sharding, whole.dims(), inner);
    if (!division.ok()) return OpError(inst, division.status().message());
    return division;
  }

  // How a manual region divides a value: `divided` has the sharding of the whole, and `manual` may
  // have one of a part along other axes, which are left together.
  StatusOr<Division> DivisionOfRegion(const Instruction& inst, const Instruction& divided,
                                      const Instruction& manual, const Shape& whole,
                                      const Shape& part) const {
    AXLE_ASSIGN(const std::vector<TileSharding> outer, ReadLeaves(divided, num_partitions()));
    AXLE_ASSIGN(const std::vector<TileSharding> inner, ReadLeaves(manual, num_partitions()));
    Division division;
    if (outer.size() == 1 && inner.size() == 1 && outer[0].is_tiled()) {
      AXLE_ASSIGN(division, Divide(inst, outer[0], whole, inner[0].tiles));
    } else {
      division = Undivided(whole);
    }
    if (division.part_sizes == part.dims()) return division;
    const std::string_view text = ShardingOf(divided);
    return OpError(
        inst, StrCat("a part of ", whole.ToString(),
                     text.empty() ? " without a sharding" : " with the sharding ", text, " is [",
                     Join(division.part_sizes, ","), "], not ", part.ToString()));
  }
  Division Undivided(const Shape& whole) const {
    const auto num_devices = static_cast<size_t>(num_partitions());
    Division division;
    division.parts = Dims(whole.dims().size(), 1);
    division.part_sizes = whole.dims();
    division.part_of = division.term_of = Dims(num_devices);
    for (i64 p = 0; p < num_partitions(); ++p) division.group_of.push_back(p);
    return division;
  }
  StatusOr<Division> IntoRegion(const Instruction& inst) const {
    return DivisionOfRegion(inst, *inst.operand(0), inst, inst.operand(0)->shape(), inst.shape());
  }

  Status Begin(const HloComputation& computation) override {
    Restart();
    sources_.clear();
    is_entry_ = &computation == from().entry();
    results_.clear();
    parameters_.assign(computation.parameters().size(), nullptr);
    predecessors_.clear();
    for (const Instruction* inst : computation.instructions()) {
      if (inst->extras() != nullptr) {
        const auto& before = inst->extras()->control_predecessors;
        predecessors_.insert(before.begin(), before.end());
      }
      if (IsShardToFull(*inst)) {
        AXLE_ASSIGN(Division division, DivisionOfRegion(*inst, *inst, *inst->operand(0),
                                                        inst->shape(), inst->operand(0)->shape()));
        sources_[inst] = {std::move(division)};
      } else if (IsAnnotation(*inst)) {
        if (const auto it = sources_.find(inst->operand(0)); it != sources_.end()) {
          sources_[inst] = {it->second.division};
        }
      } else if (is_entry_ && IsParameter(*inst) && inst->shape().is_array()) {
        AXLE_ASSIGN(const std::vector<TileSharding> shardings, ReadLeaves(*inst, num_partitions()));
        if (!shardings[0].is_tiled()) continue;
        AXLE_ASSIGN(Division division, Divide(*inst, shardings[0], inst->shape()));
        sources_[inst] = {std::move(division)};
      }
    }
    if (is_entry_) AXLE_TRY(ReadResults(*computation.root()));
    return FindWholes(computation);
  }

  Status ReadResults(const Instruction& root) {
    const std::vector<Shape> leaves = LeavesOf(root.shape());
    AXLE_ASSIGN(const std::vector<TileSharding> shardings,
                ReadAll(root, result_shardings_, leaves, num_partitions()));
    if (std::ranges::none_of(shardings, &TileSharding::is_tiled)) return {};
    if (root.shape().is_tuple() &&
        static_cast<size_t>(root.shape().num_tuple_elements()) != shardings.size()) {
      return OpError(root, "a result in a tuple in a tuple is divided among devices",
                     StatusCode::kUnimplemented);
    }
    for (size_t i = 0; i < leaves.size(); ++i) {
      if (!shardings[i].is_tiled()) {
        results_.push_back(Undivided(leaves[i]));
        continue;
      }
      AXLE_ASSIGN(results_.emplace_back(), Divide(root, shardings[i], leaves[i]));
    }
    return {};
  }

  // The root is a tuple of results that is not made: each result is taken from its element.
  bool GivesElements(const Instruction& inst) const {
    return !results_.empty() && &inst == inst.parent()->root() && Is(inst, Opcode::kTuple) &&
           inst.first_use() == nullptr && !predecessors_.contains(&inst);
  }
  bool IsDividedLike(const Instruction& source, const Division& division) const {
    const auto it = sources_.find(&source);
    return it != sources_.end() && it->second.division == division;
  }

  // Which sources are needed as whole values, from users to operands.
  Status FindWholes(const HloComputation& computation) {
    const auto instructions = computation.instructions();
    is_whole_.assign(instructions.size(), false);
    const auto need = [&](const Instruction& inst) { is_whole_[inst.index()] = true; };
    const Instruction& root = *computation.root();
    if (results_.empty() || root.shape().is_tuple() || !IsDividedLike(root, results_[0])) {
      need(root);
    }
    for (size_t i = instructions.size(); i-- > 0;) {
      const Instruction& inst = *instructions[i];
      if (predecessors_.contains(&inst)) need(inst);
      for (i64 o = 0; o < inst.num_operands(); ++o) {
        const Instruction& operand = *inst.operand(o);
        if (GivesElements(inst)) {
          if (IsDividedLike(operand, results_[static_cast<size_t>(o)])) continue;
        } else if (IsAnnotation(inst)) {
          if (sources_.contains(&operand) && !is_whole_[inst.index()]) continue;
        } else if (IsFullToShard(inst)) {
          AXLE_ASSIGN(const Division division, IntoRegion(inst));
          if (IsDividedLike(operand, division)) continue;
        }
        need(operand);
      }
    }
    return {};
  }
  StatusOr<Instruction*> Visit(const Instruction& inst) override {
    if (is_entry_ && IsParameter(inst)) return VisitParameter(inst);
    if (IsAnnotation(inst)) {
      if (const auto it = sources_.find(&inst); it != sources_.end()) {
        it->second.part = sources_.at(inst.operand(0)).part;
        if (!is_whole_[inst.index()]) return nullptr;
      }
      ++context_.changes;
      return InShape(inst, Mapped(*inst.operand(0)), inst.shape());
    }
    if (IsFullToShard(inst)) {
      ++context_.changes;
      AXLE_ASSIGN(const Division division, IntoRegion(inst));
      const Instruction& operand = *inst.operand(0);
      if (IsDividedLike(operand, division)) {
        return InShape(inst, sources_.at(&operand).part, inst.shape());
      }
      return TakePart(inst, Mapped(operand), division, inst.shape());
    }
    if (const auto it = sources_.find(&inst); it != sources_.end()) {
      ++context_.changes;
      it->second.part = Mapped(*inst.operand(0));
      return Whole(inst, it->second, StrCat("\"", inst.operand(0)->name(), "\""));
    }
    AXLE_ASSIGN(const std::optional<i64> partition, OnlyPartition(inst));
    if (partition) return RunOn(inst, *partition);
    if (GivesElements(inst)) return nullptr;
    return WithoutSharding(inst, Copy(inst));
  }

  Instruction* WithoutSharding(const Instruction& inst, Instruction* made) {
    if (!ShardingOf(inst).empty()) to()->MutableExtras(made).sharding.clear();
    return made;
  }

  // The whole value of a source, or null if nothing needs it.
  StatusOr<Instruction*> Whole(const Instruction& inst, const Source& source,
                               std::string_view what) {
    if (!is_whole_[inst.index()]) return nullptr;
    const i64 num_parts = source.division.num_parts();
    if (!source.division.is_whole()) {
      Note(inst, StrCat("gathers ", HumanBytes(inst.shape().num_bytes()), " of ", what, " from ",
                        num_parts, " parts"));
    }
    return Gather(inst, source.part, source.division, inst.shape());
  }
  void Note(const Instruction& inst, std::string text) {
    context_.notes.push_back(
        {std::string(inst.parent()->name()), std::string(inst.name()), std::move(text)});
  }

  StatusOr<Instruction*> VisitParameter(const Instruction& inst) {
    const i64 number = inst.attrs<ParameterAttrs>().number;
    Instruction*& parameter = parameters_[static_cast<size_t>(number)];
    const auto add = [&](const Shape& shape) {
      parameter = to()->Add({.opcode = Opcode::kParameter,
                             .name = inst.name(),
                             .shape = shape,
                             .attrs = inst.attr_block(),
                             .metadata = inst.metadata(),
                             .id = inst.id()});
      if (inst.extras() != nullptr) {
        to()->MutableExtras(parameter) = *inst.extras();
        to()->MutableExtras(parameter).control_predecessors.clear();
        to()->MutableExtras(parameter).sharding.clear();
      }
    };
    const std::string what = StrCat("parameter ", number);
    if (const auto it = sources_.find(&inst); it != sources_.end()) {
      add(PartShape(inst.shape(), it->second.division));
      it->second.part = parameter;
      ++context_.changes;
      return Whole(inst, it->second, what);
    }
    AXLE_ASSIGN(const std::vector<TileSharding> shardings, ReadLeaves(inst, num_partitions()));
    if (inst.shape().is_tuple() && std::ranges::any_of(shardings, &TileSharding::is_tiled)) {
      return VisitTuple(inst, shardings, add, parameter);
    }
    add(inst.shape());
    if (!inst.shape().is_tuple() && shardings[0].kind == TileSharding::Kind::kMaximal) {
      ++context_.changes;
      return FromPartition(inst, parameter, shardings[0].device);
    }
    return parameter;
  }

  // A parameter that is a tuple of arrays.
  StatusOr<Instruction*> VisitTuple(const Instruction& inst,
                                    const std::vector<TileSharding>& shardings, const auto& add,
                                    Instruction*& parameter) {
    const std::vector<Shape>& wholes = inst.shape().elements();
    if (wholes.size() != shardings.size()) {
      return OpError(inst, "an argument in a tuple in a tuple is divided among devices",
                     StatusCode::kUnimplemented);
    }
    std::vector<Division> divisions;
    std::vector<Shape> parts;
    for (size_t i = 0; i < wholes.size(); ++i) {
      divisions.push_back(Undivided(wholes[i]));
      parts.push_back(wholes[i]);
      if (!shardings[i].is_tiled()) continue;
      AXLE_ASSIGN(divisions.back(), Divide(inst, shardings[i], wholes[i]));
      parts.back() = PartShape(wholes[i], divisions.back());
    }
    add(Shape::Tuple(std::move(parts)));
    ++context_.changes;
    std::vector<Instruction*> elements;
    for (size_t i = 0; i < wholes.size(); ++i) {
      Instruction* const part = Element(inst, parameter, static_cast<i64>(i));
      if (!divisions[i].is_whole()) {
        Note(inst, StrCat("gathers ", HumanBytes(wholes[i].num_bytes()), " of element ",
                          static_cast<i64>(i), " from ", divisions[i].num_parts(), " parts"));
      }
      AXLE_ASSIGN(elements.emplace_back(), Gather(inst, part, divisions[i], wholes[i]));
    }
    return Make(inst, Opcode::kTuple, inst.shape(), elements, Plain(Opcode::kTuple));
  }

  // The partition that alone runs the instruction, if there is one.
  StatusOr<std::optional<i64>> OnlyPartition(const Instruction& inst) const {
    const bool has_effect =
        HasSideEffect(inst) ||
        (Is(inst, Opcode::kCustomCall) && FindBuiltinCustomCall(TargetOf(inst)) == nullptr);
    if (!has_effect || ShardingOf(inst).find("maximal") == std::string_view::npos) {
      return std::optional<i64>();
    }
    AXLE_ASSIGN(const std::vector<TileSharding> shardings, ReadLeaves(inst, num_partitions()));
    if (shardings.empty()) return std::optional<i64>();
    for (const TileSharding& sharding : shardings) {
      if (sharding.kind != TileSharding::Kind::kMaximal || sharding.device != shardings[0].device) {
        return std::optional<i64>();
      }
    }
    for (const Shape& element : inst.shape().elements()) {
      if (element.is_tuple()) return std::optional<i64>();
    }
    return std::optional<i64>(shardings[0].device);
  }

  // A branch that one device takes, with the instruction in it, or zeros in its place.
  StatusOr<HloComputation*> Branch(const Instruction& inst, const Shape& arguments, bool runs) {
    Suspend(FreshName(runs ? "on_device" : "elsewhere"));
    Instruction* const parameter =
        Make(inst, Opcode::kParameter, arguments, {}, Block(Opcode::kParameter, ParameterAttrs{}));
    to()->set_parameters({parameter});
    std::vector<Instruction*> values;
    if (runs) {
      for (i64 i = 0; i < inst.num_operands(); ++i) values.push_back(Element(inst, parameter, i));
      Instruction* const run = CopyAs(FreshName(inst.name()), inst, values);
      if (inst.extras() != nullptr) {
        to()->MutableExtras(run).sharding.clear();
        to()->MutableExtras(run).control_predecessors.clear();
      }
      to()->set_root(run);
      return Resume();
    }
    const auto add_zeros = [&](const Shape& shape) -> Status {
      AXLE_ASSIGN(values.emplace_back(), Zeros(inst, shape));
      return {};
    };
    if (inst.shape().is_tuple()) {
      for (const Shape& element : inst.shape().elements()) AXLE_TRY(add_zeros(element));
      to()->set_root(Make(inst, Opcode::kTuple, inst.shape(), values, Plain(Opcode::kTuple)));
    } else {
      AXLE_TRY(add_zeros(inst.shape()));
      to()->set_root(values[0]);
    }
    return Resume();
  }

  StatusOr<Instruction*> RunOn(const Instruction& inst, i64 partition) {
    ++context_.changes;
    Note(inst, StrCat("runs on partition ", partition, " alone"));
    const std::vector<Instruction*> operands = Operands(inst);
    std::vector<Shape> shapes;
    for (const Instruction* operand : operands) shapes.push_back(operand->shape());
    Instruction* const arguments = Make(inst, Opcode::kTuple, Shape::Tuple(std::move(shapes)),
                                        operands, Plain(Opcode::kTuple));
    AXLE_ASSIGN(Instruction* const is_here, IsPartition(inst, partition));
    AXLE_ASSIGN(HloComputation* const runs, Branch(inst, arguments->shape(), true));
    AXLE_ASSIGN(HloComputation* const elsewhere, Branch(inst, arguments->shape(), false));
    HloComputation* const branches[] = {runs, elsewhere};
    Instruction* const value =
        Make(inst, Opcode::kConditional, inst.shape(), {{is_here, arguments, arguments}},
             Plain(Opcode::kConditional), branches);
    if (!inst.shape().is_tuple()) return FromPartition(inst, value, partition);
    std::vector<Instruction*> elements;
    for (i64 i = 0; i < inst.shape().num_tuple_elements(); ++i) {
      elements.push_back(FromPartition(inst, Element(inst, value, i), partition));
    }
    return Make(inst, Opcode::kTuple, inst.shape(), elements, Plain(Opcode::kTuple));
  }

  HloComputation* End(const HloComputation& computation, HloComputation* made) override {
    if (!is_entry_) return made;
    made->set_parameters(parameters_);
    if (!results_.empty()) status_ = GiveResults(*computation.root(), *made);
    return made;
  }

  Status GiveResults(const Instruction& root, HloComputation& made) {
    ++context_.changes;
    const std::vector<Shape> leaves = LeavesOf(root.shape());
    std::vector<Instruction*> parts;
    std::vector<Shape> shapes;
    for (size_t i = 0; i < leaves.size(); ++i) {
      const bool is_operand = GivesElements(root);
      const Instruction& given = is_operand ? *root.operand(static_cast<i64>(i)) : root;
      const Division& division = results_[i];
      if ((is_operand || !root.shape().is_tuple()) && IsDividedLike(given, division)) {
        parts.push_back(sources_.at(&given).part);
      } else {
        Instruction* whole = Mapped(given);
        if (!is_operand && root.shape().is_tuple()) {
          whole = Element(root, whole, static_cast<i64>(i));
        }
        parts.push_back(whole);
        if (!division.is_whole()) {
          AXLE_ASSIGN(parts.back(),
                      TakePart(root, whole, division, PartShape(leaves[i], division)));
        }
      }
      shapes.push_back(parts.back()->shape());
    }
    made.set_root(root.shape().is_tuple() ? Make(root, Opcode::kTuple, Shape::Tuple(shapes), parts,
                                                 Plain(Opcode::kTuple))
                                          : parts[0]);
    return {};
  }

 public:
  const Status& status() const { return status_; }

 private:
  PassContext& context_;
  const std::vector<std::string> result_shardings_;
  bool is_entry_ = false;
  std::unordered_map<const Instruction*, Source> sources_;  // of this computation
  std::unordered_set<const Instruction*> predecessors_;     // control edges begin at them
  std::vector<bool> is_whole_;                              // by index
  std::vector<Division> results_;  // of the entry, by leaf; empty if none is divided
  std::vector<Instruction*> parameters_;
  Status status_;
};

bool HasRegionsBelow(const Module& module) {
  for (const auto& computation : module.computations()) {
    if (computation.get() == module.entry()) continue;
    for (const Instruction* inst : computation->instructions()) {
      if (IsFullToShard(*inst) || IsShardToFull(*inst)) return true;
    }
  }
  return false;
}

// `shape`, of which arrays may have other sizes now, with its layouts.
Shape WithSizesOf(const Shape& shape, const Shape& sizes) {
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    for (i64 i = 0; i < shape.num_tuple_elements(); ++i) {
      elements.push_back(WithSizesOf(shape.element(i), sizes.element(i)));
    }
    return Shape::Tuple(std::move(elements));
  }
  Shape result = shape;
  for (i64 d = 0; d < shape.rank(); ++d) result.set_dim(d, sizes.dim(d));
  return result;
}

const Shape& At(const Shape& shape, const Dims& path) {
  const Shape* at = &shape;
  for (const i64 i : path) at = &at->element(i);
  return *at;
}

// What the head of the module says, for the new shapes. An argument that no longer fits the result
// that would take its place is donated all the same.
void AdaptConfig(Module& module) {
  ModuleConfig& config = module.config();
  const HloComputation& entry = *module.entry();
  if (config.entry_computation_layout) {
    ProgramShape& layout = *config.entry_computation_layout;
    for (size_t i = 0; i < layout.parameters.size(); ++i) {
      layout.parameters[i] = WithSizesOf(layout.parameters[i], entry.parameters()[i]->shape());
    }
    layout.result = WithSizesOf(layout.result, entry.root()->shape());
  }
  std::vector<AliasEntry> aliases;
  for (AliasEntry& alias : config.input_output_alias) {
    const Shape& parameter = At(entry.parameters()[static_cast<size_t>(alias.parameter)]->shape(),
                                alias.parameter_index);
    if (Compatible(parameter, At(entry.root()->shape(), alias.output_index))) {
      aliases.push_back(std::move(alias));
    } else {
      config.buffer_donor.push_back({alias.parameter, std::move(alias.parameter_index)});
    }
  }
  config.input_output_alias = std::move(aliases);
  config.allow_spmd_sharding_propagation_to_parameters.clear();
  config.allow_spmd_sharding_propagation_to_output.clear();
}

}  // namespace

StatusOr<std::unique_ptr<Module>> GatherShardings(const Module& module, PassContext& context) {
  if (module.config().num_partitions == 1 || module.entry() == nullptr ||
      module.open_program() != nullptr ||
      module.config().num_partitions > kMaxShardingDevices) {  // nobody runs that
    return module.Clone();
  }
  auto results = ResultShardings(module);
  if (!results.ok()) return OpError(*module.entry()->root(), results.status().message());
  std::unique_ptr<Module> inlined;
  if (HasRegionsBelow(module)) {
    PassContext inlining = {.limits = context.limits};
    AXLE_ASSIGN(inlined, InlineCalls(module, inlining));
  }
  Partitioning partitioning(inlined == nullptr ? module : *inlined, *std::move(results), context);
  AXLE_ASSIGN(std::unique_ptr<Module> result, partitioning.Run());
  AXLE_TRY(partitioning.status());
  AdaptConfig(*result);
  return result;
}

}  // namespace axle
