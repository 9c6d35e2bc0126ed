// How regions are made. Instructions are walked once, in order. Elementwise ones gather in open
// regions; an index map that can be read in place is only remembered (a view); everything else is a
// region of its own.
//
// No open region reads what another one computes: reading from outside closes a region, which then
// takes its place in the schedule. So an instruction may join any open region, and open regions may
// become one, without ever making a cycle. What closes last still computes everything that it
// needs from values that are there.
#include "axle/codegen/regions.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "axle/ops/contraction.h"
#include "axle/ops/control_form.h"
#include "axle/ops/dynamic.h"
#include "axle/ops/lane_compiler.h"
#include "axle/ops/liveness.h"

namespace axle {
namespace {

// Instructions of a loop, those that are functions counted as several: beyond this its code has no
// registers left to save loads with.
constexpr i64 kMaxWeight = 256;
constexpr i64 kFunctionWeight = 16;
// Arrays that a loop reads. It writes one per instruction at most, and its folds.
constexpr size_t kMaxInputs = 40;
static_assert(kMaxInputs + kMaxWeight + kMaxFolds <= kMaxLoopOperands);
// A view whose neighbours lie apart is read in place by loops up to this size, and moved into order
// first by longer ones.
constexpr i64 kMostPositionsApart = 1024;
// Open regions that are looked through for one that reads the same array.
constexpr size_t kMostSiblings = 8;

bool IsRowMajorRead(const Access& access) {
  return access.inner_stride() == 0 || access.inner_stride() == 1;
}

class Builder {
 public:
  explicit Builder(const HloComputation& computation)
      : computation_(computation),
        instructions_(computation.instructions()),
        live_(LiveInstructions(computation)),
        states_(instructions_.size()) {}

  StatusOr<Schedule> Make() && {
    for (const Instruction* parameter : computation_.parameters()) {
      NewValues(*parameter);
      const std::vector<ValueId>& values = StateOf(*parameter).values;
      schedule_.arguments.insert(schedule_.arguments.end(), values.begin(), values.end());
    }
    for (const Instruction* inst : instructions_) {
      if (live_[inst->index()] && !IsParameter(*inst)) AXLE_TRY(Add(*inst));
    }
    AXLE_TRY(Need(*computation_.root()));
    schedule_.results = StateOf(*computation_.root()).values;
    DropUnreadConstants();
    return std::move(schedule_);
  }

 private:
  // Elementwise instructions of as many positions, not yet in the schedule.
  struct OpenRegion {
    std::vector<const Instruction*> instructions;  // in order
    i64 num_positions;
    i64 weight = 0;
    std::vector<RegionInput> inputs = {};  // different ones
    struct PendingFold {
      const Instruction* inst;
      Fold fold;
    };
    FoldShape fold_shape = {};  // of all folds
    std::vector<PendingFold> folds = {};
  };
  // A reduction that some region computes, but for joining it with its init: that is done where
  // somebody reads it, as one more elementwise instruction.
  struct FoldState {
    Fold fold;
    OpenRegion* region;  // null once it is closed
    ValueId value = 0;   // then
  };
  struct View {
    const Instruction* base;  // whose elements it shows: not a view itself
    Access access;
  };
  struct State {
    std::vector<ValueId> values;  // once it has a place
    bool has_values = false;
    OpenRegion* open = nullptr;
    std::optional<View> view;
    std::optional<FoldState> fold;
  };

  State& StateOf(const Instruction& inst) { return states_[inst.index()]; }

  ValueId NewValue(const Instruction& inst, i64 bytes, const LaneArray& array) {
    schedule_.values.push_back({&inst, bytes, array});
    return static_cast<ValueId>(schedule_.values.size() - 1);
  }
  void NewValues(const Instruction& inst) {
    State& state = StateOf(inst);
    ForEachBlock(inst.shape(), [&](const Shape& shape, bool is_sizes) {
      const LaneArray array = is_sizes ? LaneArray{LaneType::kS64} : ArrayOf(shape.type());
      state.values.push_back(NewValue(inst, BlockBytes(shape, is_sizes), array));
    });
    state.has_values = true;
  }

  Status Add(const Instruction& inst) {
    if (StateOf(inst).has_values) return {};  // a region has computed it on the way
    const OpDef& def = GetOpDef(inst);
    for (i64 i = 0; i < inst.num_operands(); ++i) AXLE_TRY(FinishFold(*inst.operand(i)));
    if (IsConstant(inst)) return AddConstant(inst);
    if (IsTuple(inst)) return {};  // when it is needed
    if (IsTupleElement(inst)) return AddElement(inst);
    if (IsDynamic(inst)) return AddEvaluate(inst);
    const bool is_plain_array = inst.shape().is_array() && !HasSideEffect(inst);
    if (is_plain_array && inst.shape().num_elements() == 0 && inst.callees().empty()) {
      NewValues(inst);
      return {};
    }
    if (ControlFormOf(inst) != ControlForm::kNone) return AddControl(inst);
    if (IsElementwise(inst)) return AddElementwise(inst);
    if (def.index_map != nullptr) return AddIndexMap(inst);
    if (def.lowering == Lowering::kReduce) return AddReduce(inst);
    if (def.lowering == Lowering::kDot || def.lowering == Lowering::kConvolution) {
      return AddContraction(inst);
    }
    if (def.lowering == Lowering::kScatter) return AddUpdate(inst, RegionKind::kScatter);
    if (def.eval == nullptr) {
      return OpError(inst, "has no evaluator", StatusCode::kUnimplemented);
    }
    return AddEvaluate(inst);
  }

  Status AddConstant(const Instruction& inst) {
    NewValues(inst);
    const Literal literal = inst.attrs<ConstantAttrs>().literal.ToRowMajor();
    AddConstantLeaves(literal, StateOf(inst).values, 0);
    return {};
  }
  size_t AddConstantLeaves(const Literal& literal, std::span<const ValueId> values, size_t at) {
    if (literal.shape().is_tuple()) {
      for (const Literal& element : literal.elements()) {
        at = AddConstantLeaves(element, values, at);
      }
    } else if (literal.shape().is_array()) {
      schedule_.constants.emplace_back(values[at++], literal);
    }
    return at;
  }

  // Only the tuple's arrays of that element.
  Status AddElement(const Instruction& inst) {
    const Instruction& tuple = *inst.operand(0);
    AXLE_TRY(Need(tuple));
    i64 begin = 0;
    for (i64 i = 0; i < inst.attrs<TupleIndexAttrs>().index; ++i) {
      begin += NumBlocks(tuple.shape().element(i));
    }
    const std::vector<ValueId>& all = StateOf(tuple).values;
    State& state = StateOf(inst);
    state.values.assign(all.begin() + begin, all.begin() + begin + NumBlocks(inst.shape()));
    state.has_values = true;
    return {};
  }

  Status AddEvaluate(const Instruction& inst) {
    const bool is_update = GetOpDef(inst).lowering == Lowering::kSort && !IsDynamic(inst);
    if (is_update) return AddUpdate(inst, RegionKind::kEvaluate);
    return AddWhole(inst, RegionKind::kEvaluate).status();
  }

  // What changes its first operands where they are, if nobody else reads them: output i may lie
  // where input i lies, unless the region reads that once more.
  Status AddUpdate(const Instruction& inst, RegionKind kind) {
    AXLE_ASSIGN(Region * region, AddWhole(inst, kind));
    const size_t count = std::min(region->inputs.size(), region->outputs.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      const ValueId value = region->inputs[i].value;
      if (std::ranges::count(region->inputs, value, &RegionInput::value) == 1) {
        region->in_place.push_back({i, i});
      }
    }
    return {};
  }

  // A region of one instruction that reads and writes whole values.
  StatusOr<Region*> AddWhole(const Instruction& inst, RegionKind kind) {
    for (i64 i = 0; i < inst.num_operands(); ++i) AXLE_TRY(Need(*inst.operand(i)));
    Region region{.kind = kind, .instructions = {&inst}};
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      for (const ValueId value : StateOf(*inst.operand(i)).values) region.inputs.push_back({value});
    }
    NewValues(inst);
    region.outputs = StateOf(inst).values;
    schedule_.regions.push_back(std::move(region));
    return &schedule_.regions.back();
  }

  // The instruction that reads the value of `inst`, if it is the only one.
  const Instruction* OnlyUser(const Instruction& inst) const {
    const Instruction* only = nullptr;
    for (const Use* use = inst.first_use(); use != nullptr; use = use->next) {
      if (!live_[use->user->index()]) continue;
      if (only != nullptr) return nullptr;
      only = use->user;
    }
    return &inst == computation_.root() ? nullptr : only;
  }

  // A dot reads its operands through views, and writes the transpose of its result where nobody
  // reads the result itself.
  Status AddContraction(const Instruction& inst) {
    // Small regions want a dot of few numbers as it stands.
    if (!IsDot(inst) || FindSmallDot(inst)) {
      return AddWhole(inst, RegionKind::kContraction).status();
    }
    ContractionStrides strides = RowMajor(inst);
    View reads[2];
    bool is_plain = true;
    for (i64 i = 0; i < 2; ++i) {
      reads[i] = Read(*inst.operand(i));
      auto in_place = StridesInPlace(inst, i, reads[i].access);
      if (!in_place)
        reads[i] = {inst.operand(i), Access::Whole(inst.operand(i)->shape().num_elements())};
      if (!in_place || reads[i].base == inst.operand(i)) continue;
      (i == 0 ? strides.lhs : strides.rhs) = *std::move(in_place);
      is_plain = false;
    }
    const Instruction* written = &inst;
    const Instruction* const user = OnlyUser(inst);
    if (user != nullptr && !IsDynamic(*user)) {
      if (auto transposed = StridesOfResult(inst, *user)) {
        strides.result = *std::move(transposed);
        written = user;
        is_plain = false;
      }
    }
    if (is_plain || !PlanContraction(inst, InstructionSet::kX86V3, &strides).reason.empty()) {
      return AddWhole(inst, RegionKind::kContraction).status();
    }
    for (const View& read : reads) AXLE_TRY(Need(*read.base));
    Region region{.kind = RegionKind::kContraction, .instructions = {&inst}};
    if (written != &inst) region.instructions.push_back(written);
    for (const View& read : reads) {
      region.inputs.push_back({StateOf(*read.base).values[0], read.access});
    }
    NewValues(*written);
    region.outputs = StateOf(*written).values;
    region.strides = std::move(strides);
    schedule_.regions.push_back(std::move(region));
    return {};
  }

  Status AddControl(const Instruction& inst) {
    if (!RunsPrograms(inst)) return AddEvaluate(inst);
    switch (ControlFormOf(inst)) {
      case ControlForm::kCall:
        return AddWhole(inst, RegionKind::kCall).status();
      case ControlForm::kConditional:
        return AddWhole(inst, RegionKind::kConditional).status();
      default: {
        AXLE_ASSIGN(Region * loop, AddWhole(inst, RegionKind::kWhile));
        for (std::uint32_t i = 0; i < loop->outputs.size(); ++i) loop->in_place.push_back({i, i});
        return {};
      }
    }
  }

  // An instruction whose elements `inst` has, and which of them.
  View Read(const Instruction& inst) {
    if (StateOf(inst).view) return *StateOf(inst).view;
    return {&inst, Access::Whole(inst.shape().num_elements())};
  }

  Status AddIndexMap(const Instruction& inst) {
    IndexMap map = GetOpDef(inst).index_map(inst);
    if (map.size() == 1) {
      const Instruction& operand = *inst.operand(map[0].operand);
      const View read = Read(operand);
      auto access = Compose(map, inst.shape().dims(), operand.shape().dims(), read.access);
      if (access) {
        StateOf(inst).view = View{read.base, *std::move(access)};
        return {};
      }
    }
    AXLE_ASSIGN(Region * move, AddWhole(inst, RegionKind::kMove));
    // An update: all of one operand, then parts of it.
    if (map.size() > 1 && IsWholeOf(map[0], inst)) {
      const int whole = map[0].operand;
      const bool is_read_again =
          std::any_of(map.begin() + 1, map.end(), [&](const IndexPiece& piece) {
            return piece.operand == whole ||
                   std::ranges::any_of(piece.offsets, [&](const DynamicOffset& offset) {
                     return offset.operand == whole;
                   });
          });
      if (!is_read_again) move->in_place.push_back({0, static_cast<std::uint32_t>(whole)});
    }
    move->map = std::move(map);
    return {};
  }

  static bool IsWholeOf(const IndexPiece& piece, const Instruction& inst) {
    const Shape& source = inst.operand(piece.operand)->shape();
    const Shape& result = inst.shape();
    const auto access =
        Compose({piece}, result.dims(), source.dims(), Access::Whole(source.num_elements()));
    return access && access->IsWhole() && source.num_elements() == result.num_elements();
  }

  // Makes sure that `inst` has its values before what comes next.
  Status Need(const Instruction& inst) {
    AXLE_TRY(FinishFold(inst));
    State& state = StateOf(inst);
    if (state.has_values) return {};
    if (state.open != nullptr) return Close(*state.open);
    if (IsTuple(inst)) {
      for (i64 i = 0; i < inst.num_operands(); ++i) AXLE_TRY(Need(*inst.operand(i)));
      for (i64 i = 0; i < inst.num_operands(); ++i) {
        const std::vector<ValueId>& values = StateOf(*inst.operand(i)).values;
        state.values.insert(state.values.end(), values.begin(), values.end());
      }
      state.has_values = true;
      return {};
    }
    AXLE_INVARIANT(state.view.has_value(), "a region computes what is read");
    const View view = *state.view;
    AXLE_TRY(Need(*view.base));  // a region that this closes may read `inst` through the view
    state.view.reset();
    const ValueId source = StateOf(*view.base).values[0];
    if (view.access.IsWhole() && schedule_.values[source].bytes == inst.shape().num_bytes()) {
      state.values = {source};
      state.has_values = true;
      return {};
    }
    NewValues(inst);
    Region move{.kind = RegionKind::kMove, .instructions = {&inst}};
    move.inputs = {{source, view.access}};
    move.outputs = state.values;
    schedule_.regions.push_back(std::move(move));
    return {};
  }

  static bool IsInlineConstant(const View& read) {
    return IsConstant(*read.base) && read.base->shape().is_scalar();
  }

  static i64 WeightOf(const Instruction& inst) {
    return GetOpDef(inst).accuracy == "exact" ? 1 : kFunctionWeight;
  }

  // The sizes for the inputs, outputs and folds of a loop that reads all of these.
  static std::optional<Dims> SizesFor(const OpenRegion& region,
                                      std::span<const RegionInput> inputs) {
    const Access whole = Access::Whole(region.num_positions);
    std::vector<const Access*> accesses = {&whole};
    for (const RegionInput& input : inputs) accesses.push_back(&input.access);
    if (region.folds.empty()) return CommonSizes(accesses, region.num_positions);
    const Access result = ResultAccess(region.fold_shape);
    accesses.push_back(&result);
    auto sizes = CommonSizes(accesses, region.num_positions);
    return sizes && FoldFits(region.fold_shape, *sizes) ? sizes : std::nullopt;
  }

  // What is not fused is noted with the last refusal.
  bool Refuse(Apart why) {
    why_ = why;
    return false;
  }
  void NoteApart(const Instruction& producer, const Instruction& consumer) {
    schedule_.not_fused.push_back({&producer, &consumer, why_});
  }

  // Whether the region can read these too; then its inputs have them.
  bool Unite(OpenRegion& region, std::span<const RegionInput> more) {
    std::vector<RegionInput> all = region.inputs;
    for (const RegionInput& input : more) {
      const auto is_same = [&](const RegionInput& other) {
        return other.value == input.value && other.access == input.access;
      };
      if (std::ranges::none_of(all, is_same)) all.push_back(input);
    }
    if (all.size() > kMaxInputs) return Refuse(Apart::kTooManyArrays);
    if (all.size() > region.inputs.size() && !SizesFor(region, all)) {
      return Refuse(Apart::kNoCommonSizes);
    }
    region.inputs = std::move(all);
    return true;
  }

  Status AddElementwise(const Instruction& inst) {
    const i64 n = inst.shape().num_elements();
    for (i64 i = FirstRead(inst); i < inst.num_operands(); ++i) {
      AXLE_TRY(PrepareRead(*inst.operand(i), n));
    }
    AXLE_TRY(MoveWhatDoesNotFit(inst, n));
    OpenRegion* region = nullptr;
    for (i64 i = FirstRead(inst); i < inst.num_operands(); ++i) {
      OpenRegion* const open = StateOf(*ReadFor(*inst.operand(i), n).base).open;
      if (open == nullptr || open == region) continue;
      if (region == nullptr && TryJoin(*open, inst)) {
        region = open;
      } else if (region == nullptr || !TryMerge(*region, *open)) {
        NoteApart(*open->instructions.back(), inst);
        AXLE_TRY(Close(*open));
      }
    }
    // What has been closed since is an array to read now.
    if (region != nullptr && !TryJoin(*region, inst)) {
      NoteApart(*region->instructions.back(), inst);
      AXLE_TRY(Close(*region));
      region = nullptr;
    }
    if (region == nullptr) region = FindSibling(inst);
    if (region == nullptr) {
      region = NewRegion(n);
      AXLE_INVARIANT(TryJoin(*region, inst), "one instruction can always be a loop");
    }
    region->instructions.push_back(&inst);
    region->weight += WeightOf(inst);
    StateOf(inst).open = region;
    return {};
  }

  OpenRegion* NewRegion(i64 n) {
    open_.push_back(
        std::make_unique<OpenRegion>(OpenRegion{.instructions = {}, .num_positions = n}));
    return open_.back().get();
  }

  // The first operand that the loop with `inst` reads as such: of a reduction, its init.
  i64 FirstRead(const Instruction& inst) { return StateOf(inst).fold ? 1 : 0; }

  // For a loop of n positions. What is not read position by position must be there; what lies apart
  // is put in order.
  Status PrepareRead(const Instruction& operand, i64 n) {
    const View read = ReadFor(operand, n);
    if (!IsRowMajorRead(read.access) && n > kMostPositionsApart) AXLE_TRY(Need(operand));
    const View now = ReadFor(operand, n);
    const bool by_position = now.access.IsWhole() && now.base->shape().num_elements() == n;
    return by_position || IsInlineConstant(now) ? Status() : Need(*now.base);
  }

  Status AddReduce(const Instruction& inst) {
    const std::optional<FoldOf> found = FindFold(inst);
    if (!found) return AddEvaluate(inst);
    const Instruction& operand = *inst.operand(0);
    const i64 n = operand.shape().num_elements();
    AXLE_TRY(PrepareRead(operand, n));
    OpenRegion* region = StateOf(*ReadFor(operand, n).base).open;
    if (region != nullptr && !TryFold(*region, inst, *found)) {
      NoteApart(*region->instructions.back(), inst);
      AXLE_TRY(Close(*region));
      region = nullptr;
    }
    for (size_t k = 0; region == nullptr && k < std::min(open_.size(), kMostSiblings); ++k) {
      OpenRegion& sibling = *open_[open_.size() - 1 - k];
      if (ReadsAlready(sibling, operand) && TryFold(sibling, inst, *found)) region = &sibling;
    }
    if (region == nullptr) {
      region = NewRegion(n);
      if (!TryFold(*region, inst, *found)) {  // read in a form that does not fit
        AXLE_TRY(Need(operand));
        if (!TryFold(*region, inst, *found)) {
          Forget(*region);
          return AddEvaluate(inst);
        }
      }
    }
    StateOf(inst).fold = FoldState{found->fold, region};
    return {};
  }

  // Whether the region reads the elements of `operand`, in the same order, anyway.
  bool ReadsAlready(const OpenRegion& region, const Instruction& operand) {
    if (region.num_positions != operand.shape().num_elements()) return false;
    const View read = ReadFor(operand, region.num_positions);
    if (StateOf(*read.base).open != nullptr || IsInlineConstant(read)) return false;
    const ValueId value = StateOf(*read.base).values[0];
    return std::ranges::any_of(region.inputs, [&](const RegionInput& input) {
      return input.value == value && input.access == read.access;
    });
  }

  // Whether the region, which computes the operand or can read it, can fold it; then it does.
  bool TryFold(OpenRegion& region, const Instruction& inst, const FoldOf& found) {
    const bool fits = region.folds.size() < kMaxFolds &&
                      std::ranges::all_of(region.folds, [&](const auto& other) {
                        return region.fold_shape == found.shape &&
                               CanFoldTogether(found.shape, other.fold, found.fold);
                      });
    if (!fits) return Refuse(Apart::kOtherReduction);
    const FoldShape before = region.fold_shape;
    region.fold_shape = found.shape;
    region.folds.push_back({&inst, found.fold});
    std::vector<RegionInput> inputs;
    const View read = ReadFor(*inst.operand(0), region.num_positions);
    if (!IsInlineConstant(read) && StateOf(*read.base).open == nullptr) {
      inputs.push_back({StateOf(*read.base).values[0], read.access});
    }
    if (SizesFor(region, region.inputs) && Unite(region, inputs)) return true;
    region.fold_shape = before;
    region.folds.pop_back();
    return false;
  }

  // If `inst` is a reduction of which only the fold is computed, or to be computed: adds the rest,
  // because somebody is about to read it.
  Status FinishFold(const Instruction& inst) {
    State& state = StateOf(inst);
    if (!state.fold || state.open != nullptr || state.has_values) return {};
    if (state.fold->region != nullptr) AXLE_TRY(Close(*state.fold->region));
    AXLE_TRY(FinishFold(*inst.operand(1)));
    return AddElementwise(inst);
  }

  // Views that no loop could read together are put in order first.
  Status MoveWhatDoesNotFit(const Instruction& inst, i64 n) {
    std::vector<View> reads;
    std::vector<const Access*> accesses;
    const i64 first = FirstRead(inst);
    for (i64 i = first; i < inst.num_operands(); ++i) reads.push_back(ReadFor(*inst.operand(i), n));
    for (const View& read : reads) accesses.push_back(&read.access);
    if (CommonSizes(accesses, n)) return {};
    for (i64 i = first; i < inst.num_operands(); ++i) {
      if (!reads[i - first].access.IsUniform()) AXLE_TRY(Need(*inst.operand(i)));
    }
    return {};
  }

  // As Read, for a loop of n positions: an operand of one element is the same at all of them.
  View ReadFor(const Instruction& operand, i64 n) {
    View read = Read(operand);
    if (operand.shape().num_elements() == 1 && n != 1) {
      const i64 offset = read.access.offset;
      read.access = Access::Uniform(n);
      read.access.offset = offset;
    }
    return read;
  }

  // Whether `inst` can be computed in `region`, which then has its inputs. Operands in other open
  // regions are left out.
  bool TryJoin(OpenRegion& region, const Instruction& inst) {
    if (region.num_positions != inst.shape().num_elements()) return Refuse(Apart::kOtherSize);
    if (region.weight > 0 && region.weight + WeightOf(inst) > kMaxWeight) {
      return Refuse(Apart::kTooMuchWork);
    }
    std::vector<RegionInput> inputs;
    if (const auto& fold = StateOf(inst).fold) {
      inputs.push_back({fold->value, Access::Whole(region.num_positions)});
    }
    for (i64 i = FirstRead(inst); i < inst.num_operands(); ++i) {
      const View read = ReadFor(*inst.operand(i), region.num_positions);
      if (IsInlineConstant(read) || StateOf(*read.base).open != nullptr) continue;
      inputs.push_back({StateOf(*read.base).values[0], read.access});
    }
    return Unite(region, inputs);
  }

  // Puts what `from` computes into `into`, if one loop can do both.
  bool TryMerge(OpenRegion& into, OpenRegion& from) {
    if (into.num_positions != from.num_positions) return Refuse(Apart::kOtherSize);
    if (into.weight + from.weight > kMaxWeight) return Refuse(Apart::kTooMuchWork);
    if (into.folds.size() + from.folds.size() > kMaxFolds) return Refuse(Apart::kOtherReduction);
    OpenRegion merged = into;
    if (merged.folds.empty()) merged.fold_shape = from.fold_shape;
    for (const auto& fold : from.folds) {
      if (merged.fold_shape != from.fold_shape) return Refuse(Apart::kOtherReduction);
      for (const auto& other : into.folds) {
        if (!CanFoldTogether(merged.fold_shape, other.fold, fold.fold)) {
          return Refuse(Apart::kOtherReduction);
        }
      }
      merged.folds.push_back(fold);
    }
    if (!SizesFor(merged, merged.inputs)) return Refuse(Apart::kNoCommonSizes);
    if (!Unite(merged, from.inputs)) return false;
    merged.instructions.insert(merged.instructions.end(), from.instructions.begin(),
                               from.instructions.end());
    std::ranges::sort(merged.instructions, {}, &Instruction::index);
    merged.weight += from.weight;
    for (const Instruction* inst : from.instructions) StateOf(*inst).open = &into;
    for (const auto& fold : from.folds) StateOf(*fold.inst).fold->region = &into;
    into = std::move(merged);
    Forget(from);
    return true;
  }

  // An open region that reads an array which `inst` reads too.
  OpenRegion* FindSibling(const Instruction& inst) {
    const i64 n = inst.shape().num_elements();
    for (size_t k = 0; k < std::min(open_.size(), kMostSiblings); ++k) {
      OpenRegion& region = *open_[open_.size() - 1 - k];
      for (i64 i = FirstRead(inst); region.num_positions == n && i < inst.num_operands(); ++i) {
        if (ReadFor(*inst.operand(i), n).access.IsUniform()) continue;
        if (ReadsAlready(region, *inst.operand(i)) && TryJoin(region, inst)) return &region;
      }
    }
    return nullptr;
  }

  void Forget(OpenRegion& region) {
    std::erase_if(open_, [&](const auto& open) { return open.get() == &region; });
  }

  // `user` is in the region, or is a reduction of which the region computes the part that reads
  // `inst`.
  bool IsComputedIn(const OpenRegion& region, const Instruction& user, const Instruction& inst) {
    if (StateOf(user).open == &region) return true;
    const auto& fold = StateOf(user).fold;
    return fold && fold->region == &region && user.operand(1) != &inst;
  }

  // Somebody may read the value of `inst`, which is in `region`, from outside of it. Views of views
  // are followed some steps.
  bool IsReadOutside(const Instruction& inst, const OpenRegion& region, int depth = 0) {
    constexpr int kMostViews = 16;
    if (&inst == computation_.root() || depth > kMostViews) return true;
    for (const Use* use = inst.first_use(); use != nullptr; use = use->next) {
      const Instruction& user = *use->user;
      if (!live_[user.index()] || IsComputedIn(region, user, inst)) continue;
      const std::optional<View>& view = StateOf(user).view;
      if (!view || !view->access.IsWhole() || IsReadOutside(user, region, depth + 1)) return true;
    }
    return false;
  }

  // Turns an open region into the next one of the schedule.
  Status Close(OpenRegion& open) {
    Region region{.kind = RegionKind::kLoop,
                  .instructions = open.instructions,
                  .num_positions = open.num_positions,
                  .fold_shape = open.fold_shape};
    LaneCompiler compiler;
    std::vector<const Instruction*> readers;  // by input
    for (const Instruction* inst : open.instructions) {
      for (i64 i = FirstRead(*inst); i < inst->num_operands(); ++i) {
        AddOperand(compiler, *inst->operand(i), open, region, readers);
      }
      if (const auto& fold = StateOf(*inst).fold) {
        compiler.AddFold(*inst, PrimitiveOf(fold->fold.kind), *inst->operand(1));
        region.inputs.push_back({fold->value, Access::Whole(open.num_positions)});
        readers.push_back(inst);
      } else if (!compiler.Add(*inst)) {
        return OpError(*inst, "is not defined for these types", StatusCode::kUnimplemented);
      }
    }
    std::vector<const Instruction*> results, folded;
    for (const Instruction* inst : open.instructions) {
      if (!IsReadOutside(*inst, open)) continue;
      results.push_back(inst);
      NewValues(*inst);
      region.outputs.push_back(StateOf(*inst).values[0]);
    }
    for (const auto& pending : open.folds) {
      const Instruction& inst = *pending.inst;
      AddOperand(compiler, *inst.operand(0), open, region, readers);
      folded.push_back(inst.operand(0));
      region.instructions.push_back(&inst);
      region.folds.push_back(pending.fold);
    }
    region.program = std::move(compiler).Finish(results, folded);
    AddInPlacePairs(region);  // the results of folds have no such place
    const size_t num_stores = region.outputs.size();
    for (size_t f = 0; f < open.folds.size(); ++f) {
      const Instruction& inst = *open.folds[f].inst;
      const LaneArray& array = region.program.outputs[num_stores + f];
      FoldState& fold = *StateOf(inst).fold;
      fold.value = NewValue(inst, array.element_bytes() * inst.shape().num_elements(), array);
      fold.region = nullptr;
      region.outputs.push_back(fold.value);
    }
    for (const Instruction* inst : open.instructions) StateOf(*inst).open = nullptr;
    const auto sizes = SizesFor(open, region.inputs);
    AXLE_INVARIANT(sizes.has_value(), "what joins a loop fits its sizes");
    region.sizes = *sizes;
    Forget(open);
    schedule_.regions.push_back(std::move(region));
    return {};
  }

  void AddOperand(LaneCompiler& compiler, const Instruction& operand, const OpenRegion& open,
                  Region& region, std::vector<const Instruction*>& readers) {
    if (compiler.Contains(operand)) return;
    const View read = ReadFor(operand, open.num_positions);
    if (IsInlineConstant(read)) {
      if (!compiler.Contains(*read.base)) compiler.AddConstant(*read.base);
      if (read.base != &operand) compiler.AddAlias(operand, *read.base);
      return;
    }
    if (StateOf(*read.base).open == &open) return compiler.AddAlias(operand, *read.base);
    const ValueId value = StateOf(*read.base).values[0];
    for (size_t k = 0; k < region.inputs.size(); ++k) {
      const RegionInput& input = region.inputs[k];
      if (input.value == value && input.access == read.access) {
        return compiler.AddAlias(operand, *readers[k]);
      }
    }
    compiler.AddInput(operand);
    region.inputs.push_back({value, read.access});
    readers.push_back(&operand);
  }

  // A result may take the place of an array that is read at the same positions only.
  void AddInPlacePairs(Region& region) {
    for (std::uint32_t i = 0; i < region.inputs.size(); ++i) {
      const ValueId value = region.inputs[i].value;
      const bool all_whole = std::ranges::all_of(region.inputs, [&](const RegionInput& input) {
        return input.value != value || input.access.IsWhole();
      });
      // The front of a longer array has the same positions, but elements of another size.
      const i64 bytes_read = region.num_positions * region.program.inputs[i].element_bytes();
      if (!all_whole || bytes_read != schedule_.values[value].bytes) continue;
      for (std::uint32_t o = 0; o < region.outputs.size(); ++o) {
        if (schedule_.values[region.outputs[o]].bytes == schedule_.values[value].bytes) {
          region.in_place.push_back({o, i});
        }
      }
    }
  }

  void DropUnreadConstants() {
    std::vector<bool> is_read(schedule_.values.size());
    for (const Region& region : schedule_.regions) {
      for (const RegionInput& input : region.inputs) is_read[input.value] = true;
    }
    for (const ValueId value : schedule_.results) is_read[value] = true;
    std::erase_if(schedule_.constants, [&](const auto& c) { return !is_read[c.first]; });
  }

  const HloComputation& computation_;
  std::span<Instruction* const> instructions_;
  std::vector<bool> live_;
  std::vector<State> states_;  // by Instruction::index()
  std::vector<std::unique_ptr<OpenRegion>> open_;
  Apart why_ = Apart::kOtherSize;  // of the last refusal
  Schedule schedule_;
};

}  // namespace

std::string_view Name(RegionKind kind) {
  switch (kind) {
    case RegionKind::kLoop:
      return "loop";
    case RegionKind::kRows:
      return "rows";
    case RegionKind::kMove:
      return "move";
    case RegionKind::kContraction:
      return "contraction";
    case RegionKind::kScatter:
      return "scatter";
    case RegionKind::kEvaluate:
      return "evaluate";
    case RegionKind::kCall:
      return "call";
    case RegionKind::kWhile:
      return "while";
    case RegionKind::kConditional:
      return "conditional";
    case RegionKind::kSmall:
      return "small";
  }
  return "";
}

i64 NumBlocks(const Shape& shape) {
  i64 count = 0;
  ForEachBlock(shape, [&](const Shape&, bool) { ++count; });
  return count;
}

bool RunsPrograms(const Instruction& inst) {
  if (ControlFormOf(inst) == ControlForm::kNone || IsDynamic(inst)) return false;
  return std::ranges::all_of(inst.callees(), [](const HloComputation* callee) {
    return callee->root()->shape().is_static() &&
           std::ranges::all_of(callee->parameters(), [](const Instruction* parameter) {
             return parameter->shape().is_static();
           });
  });
}

StatusOr<Schedule> MakeSchedule(const HloComputation& computation) {
  return Builder(computation).Make();
}

}  // namespace axle
