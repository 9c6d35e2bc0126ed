// Open regions: which instructions one loop computes together. For example
//
//   a = negate(x);  b = add(a, y);  c = multiply(x, x);  d = multiply(b, c)
//
// a opens a region, and b joins it, because it reads a at the position at which a is computed. c
// reads nothing that is open, but the region reads x anyway (FindSibling), so c joins too. Were c
// in another region, d would merge the two (TryMerge). The result is one loop that reads x and y
// once and stores d alone, if nobody else reads a, b or c (IsReadOutside).
//
// An instruction joins a region of as many positions if the loop keeps within about kMaxWeight
// operations and kMaxInputs arrays, and if there still is one split of the positions on which each
// array has one stride per dimension (CommonSizes in access.h). Each refusal is noted for `axle
// explain`. Weights are counted in operations of lane programs; they are cached by opcode, types
// and attributes, because a lane program is built to count them.
//
// Close() turns a region into a LoopRegion. An array that several instructions read with the same
// access is one input. Scalar constants are inputs as well, unless the code depends on their value
// (ConstantsInCode): loops that differ only in constants then share a kernel. Until a region is
// closed, its instructions have no values, so a reader outside of it has to close it first.
#include <algorithm>

#include "axle/codegen/schedule/loop_pattern.h"
#include "axle/codegen/schedule/schedule_builder.h"

namespace axle {
namespace {

// Operations of a loop's lane program. In longer ones constants fill the registers, a processor
// sees too few positions at once, and the code generator takes more than linear time.
constexpr i64 kMaxWeight = 64;
// But where a loop ends, what goes on is stored and read again. Polynomials and the selections
// between them, as in erfc, hold several values at once: more than kMaxCut of them cost more than a
// loop of up to kMaxUncutWeight.
constexpr i64 kMaxCut = 3, kMaxUncutWeight = 128;
// Functions that are longer than kLongWeight and have the same operands may share operations (sine
// and cosine). A loop of functions that together exceed kMaxWeight may have kBesideWeight
// operations more.
constexpr i64 kLongWeight = 16, kBesideWeight = 8;
// To round to a narrow float takes more, but so it does in loops of their own.
constexpr i64 kRoundingWeight = 4;
// To clamp an index, and to add it to others.
constexpr i64 kTermWeight = 5;
// Arrays that a loop reads. It writes one per instruction at most, and its folds.
constexpr size_t kMaxInputs = 40;
// Constants besides, and those that are folded as they stand.
constexpr size_t kMaxConstants = 32;
static_assert(kMaxInputs + kMaxConstants + kMaxUncutWeight + 2 * kMaxFolds <= kMaxLoopOperands);
// A view whose neighbours lie far apart is read in place by loops up to this size, and moved into
// order first by longer ones.
constexpr i64 kMaxPositionsApart = 1024;
// A copy of fewer elements is done before its code would be there.
constexpr i64 kMinCopied = i64{1} << 14;

// Neighbouring positions read neighbours, or one element.
bool IsRowMajorRead(const Access& access) {
  return access.inner_stride() == 0 || access.inner_stride() == 1;
}

}  // namespace

bool ScheduleBuilder::IsInlineConstant(const View& read) {
  return IsConstant(*read.base) && read.base->shape().is_scalar();
}

ScheduleBuilder::WeightKey ScheduleBuilder::WeightKeyOf(const Instruction& inst) {
  const ElementType from = inst.num_operands() > 0 ? inst.operand(0)->shape().type() : PRED;
  return {inst.opcode(), from, inst.shape().type(), AttrBlock::ValueHash(inst.attr_block())};
}

// The weight is cached, because finding it compiles the instruction twice: with its reads, and its
// reads alone.
i64 ScheduleBuilder::WeightOf(const Instruction& inst) {
  if (StateOf(inst).fold) return 1;  // to be joined with its init
  if (StateOf(inst).is_copied) return 1;
  if (const auto& factors = StateOf(inst).products; !factors.empty()) {
    return std::ssize(factors) / 2;
  }
  if (const auto& read = StateOf(inst).read) return 1 + kTermWeight * std::ssize(read->terms);
  i64& weight = weights_[WeightKeyOf(inst)];
  if (weight > 0) return weight;
  const ElementType to = inst.shape().type();
  // Counted as kFast, without the operations that read the operands, because a loop has those once:
  // narrow floats are widened.
  LaneCompiler reads(Rounding::kFast), computes(Rounding::kFast);
  std::vector<const Instruction*> operands;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    const Instruction* const operand = inst.operand(i);
    if (reads.Contains(*operand)) continue;
    reads.AddInput(*operand);
    computes.AddInput(*operand);
    if (!IsComplex(operand->shape().type())) operands.push_back(operand);
  }
  weight = 1;
  if (!computes.Add(inst)) return weight;
  const Instruction* const result[] = {&inst};
  const std::span<const Instruction* const> none;
  const LaneProgram all =
      IsComplex(to) ? std::move(computes).Finish(result) : std::move(computes).Finish(none, result);
  const LaneProgram read = std::move(reads).Finish(none, operands);
  weight = std::max<i64>(1, all.num_operations() - read.num_operations());
  if (IsNarrowFloat(to)) weight += kRoundingWeight;
  return weight;
}

i64 ScheduleBuilder::WeightBeside(const Instruction& other, const Instruction& inst) {
  i64& weight = weights_beside_[{WeightKeyOf(other), WeightKeyOf(inst)}];
  if (weight > 0) return weight;
  weight = WeightOf(inst);
  LaneCompiler one(Rounding::kFast), both(Rounding::kFast);
  for (LaneCompiler* compiler : {&one, &both}) {
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      if (!compiler->Contains(*inst.operand(i))) compiler->AddInput(*inst.operand(i));
    }
  }
  if (!one.Add(other) || !both.Add(other) || !both.Add(inst)) return weight;
  const Instruction* const results[] = {&other, &inst};
  const i64 all = std::move(both).Finish(results).num_operations();
  const i64 more = all - std::move(one).Finish(std::span(results).first(1)).num_operations();
  weight = std::clamp<i64>(more, 1, weight);
  return weight;
}

i64 ScheduleBuilder::WeightIn(const OpenRegion& region, const Instruction& inst) {
  i64 weight = WeightOf(inst);
  if (weight < kLongWeight) return weight;
  for (const Instruction* other : region.instructions) {
    bool is_beside =
        other->num_operands() == inst.num_operands() && WeightOf(*other) >= kLongWeight;
    for (i64 i = 0; is_beside && i < inst.num_operands(); ++i) {
      is_beside = other->operand(i) == inst.operand(i);
    }
    if (is_beside) weight = std::min(weight, WeightBeside(*other, inst));
  }
  return weight;
}

// A long function may exceed kMaxWeight on its own, and many values that go on from it. The loop
// may then have a few operations more, so that what consumes the results is not left alone.
void ScheduleBuilder::AddTo(OpenRegion& region, const Instruction& inst) {
  region.weight += WeightIn(region, inst);
  region.instructions.push_back(&inst);
  const bool is_long = WeightOf(inst) >= kLongWeight && region.weight > kMaxWeight;
  if (is_long || region.weight > std::max(kMaxWeight, region.most_weight)) {
    region.most_weight = region.weight + kBesideWeight;
  }
  StateOf(inst).open = &region;
}

std::optional<Dims> ScheduleBuilder::SizesFor(const OpenRegion& region,
                                              std::span<const RegionInput> inputs) {
  const Access whole = Access::Whole(region.num_positions);
  std::vector<const Access*> accesses = {&whole};
  for (const RegionInput& input : inputs) accesses.push_back(&input.access);
  if (region.folds.empty()) return CommonSizes(accesses, region.num_positions);
  const Access result = ResultAccess(region.fold_shape);
  accesses.push_back(&result);
  auto sizes = CommonSizes(accesses, region.num_positions);
  if (!sizes) return std::nullopt;
  const std::optional<FoldPath> path = region.PathOn(*sizes);
  // Arrays are staged by their accesses, which do not say what is read of a table.
  const bool stages_table =
      path == FoldPath::kStaged && std::ranges::any_of(inputs, &RegionInput::is_table);
  return path && !stages_table ? sizes : std::nullopt;
}

bool ScheduleBuilder::Unite(OpenRegion& region, std::span<const RegionInput> more) {
  std::vector<RegionInput> all = region.inputs;
  for (const RegionInput& input : more) {
    const auto is_same = [&](const RegionInput& other) { return other == input; };
    if (std::ranges::none_of(all, is_same)) all.push_back(input);
  }
  if (all.size() > kMaxInputs) return Refuse(Apart::kTooManyArrays);
  if (all.size() > region.inputs.size() && !SizesFor(region, all)) {
    return Refuse(Apart::kNoCommonSizes);
  }
  region.inputs = std::move(all);
  return true;
}

// First, all operands become readable; that may close regions. Then the instruction joins the open
// regions that compute its operands: the first one takes it, others are merged into that or closed.
// If there is none, it joins an open region that reads the same arrays, or opens one.
Status ScheduleBuilder::AddElementwise(const Instruction& inst) {
  const i64 n = inst.shape().num_elements();
  for (i64 i = FirstRead(inst); i < inst.num_operands(); ++i) {
    AXLE_TRY(PrepareRead(*inst.operand(i), n));
  }
  AXLE_TRY(MoveWhatDoesNotFit(inst, n));
  return JoinLoop(inst, n);
}

Status ScheduleBuilder::JoinLoop(const Instruction& inst, i64 n) {
  OpenRegion* region = nullptr;
  for (i64 i = FirstRead(inst); i < EndOfReads(inst); ++i) {
    OpenRegion* const open = StateOf(*ReadOf(inst, i, n).base).open;
    if (open == nullptr || open == region) continue;
    if (region == nullptr && TryJoin(*open, inst)) {
      region = open;
    } else if (region == nullptr || !TryMerge(*region, *open)) {
      NoteApart(*open->instructions.back(), inst);
      AXLE_TRY(Close(*open));
    }
  }
  // A region that has been closed since is an array to read now.
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
  AddTo(*region, inst);
  return {};
}

Status ScheduleBuilder::CopyInLoop(const Instruction& inst, const Instruction* reader) {
  State& state = StateOf(inst);
  const i64 n = inst.shape().is_array() ? inst.shape().num_elements() : 0;
  if (state.has_values || state.open != nullptr || !state.view || n < kMinCopied) return {};
  // Long rows of neighbours are moved as they are.
  const auto is_copy = [&] {
    const Access& access = state.view->access;
    const bool has_short_rows = access.factors.size() > 1 && access.factors.back().size < kShortRow;
    return (has_short_rows || !IsRowMajorRead(access)) && IsDenseRead(access);
  };
  if (!is_copy()) return {};
  AXLE_TRY(Need(*state.view->base));  // that may close a region that copies this view
  if (state.has_values || IsInlineConstant(*state.view)) return {};
  state.is_copied = true;
  OpenRegion* region = nullptr;
  for (i64 i = 0; region == nullptr && reader != nullptr && i < reader->num_operands(); ++i) {
    OpenRegion* const open = StateOf(*reader->operand(i)).open;
    if (open != nullptr && open->folds.empty() && TryJoin(*open, inst)) region = open;
  }
  if (region == nullptr) {
    region = NewRegion(n);
    AXLE_INVARIANT(TryJoin(*region, inst), "one copy can always be a loop");
  }
  AddTo(*region, inst);
  return {};
}

void ScheduleBuilder::AddCopy(LaneCompiler& compiler, const Instruction& inst, Region& region,
                              std::vector<const Instruction*>& readers) {
  const View& view = *StateOf(inst).view;
  const RegionInput wanted = {StateOf(*view.base).values[0], view.access};
  const auto found = std::ranges::find(region.inputs, wanted);
  if (found != region.inputs.end()) {
    const auto k = static_cast<size_t>(found - region.inputs.begin());
    if (readers[k] == nullptr) return compiler.AddReader(inst, static_cast<int>(k));
    return compiler.AddAlias(inst, *readers[k]);
  }
  compiler.AddInput(inst);
  region.inputs.push_back(wanted);
  readers.push_back(&inst);
}

ScheduleBuilder::OpenRegion* ScheduleBuilder::NewRegion(i64 n) {
  open_.push_back(std::make_unique<OpenRegion>(OpenRegion{.instructions = {}, .num_positions = n}));
  return open_.back().get();
}

// Afterwards the operand is computed at the same positions by an open region, or a scalar constant,
// or in memory.
Status ScheduleBuilder::PrepareRead(const Instruction& operand, i64 n) {
  const View read = ReadFor(operand, n);
  if (!IsRowMajorRead(read.access) && n > kMaxPositionsApart && !IsDenseRead(read.access)) {
    AXLE_TRY(Need(operand));
  }
  const View now = ReadFor(operand, n);
  const bool by_position = now.access.IsWhole() && now.base->shape().num_elements() == n;
  return by_position || IsInlineConstant(now) ? Status() : Need(*now.base);
}

bool ScheduleBuilder::ReadsAlready(const OpenRegion& region, const View& read) {
  if (StateOf(*read.base).open != nullptr || IsInlineConstant(read)) return false;
  const ValueId value = StateOf(*read.base).values[0];
  return std::ranges::any_of(region.inputs, [&](const RegionInput& input) {
    return input == RegionInput{value, read.access};
  });
}

Status ScheduleBuilder::MoveWhatDoesNotFit(const Instruction& inst, i64 n) {
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

ScheduleBuilder::View ScheduleBuilder::ReadFor(const Instruction& operand, i64 n) {
  View read = Read(operand);
  if (operand.shape().num_elements() == 1 && n != 1) {
    const i64 offset = read.access.offset;
    read.access = Access::Uniform(n);
    read.access.offset = offset;
  }
  return read;
}

bool ScheduleBuilder::TryJoin(OpenRegion& region, const Instruction& inst) {
  if (region.num_positions != inst.shape().num_elements()) return Refuse(Apart::kOtherSize);
  if (region.weight > 0) {
    const i64 more = WeightIn(region, inst);
    const bool is_shared = 2 * more <= WeightOf(inst);  // apart, it would be computed twice
    const i64 weight = region.weight + more;
    if (weight > std::max(kMaxWeight, region.most_weight) && !is_shared &&
        (weight > kMaxUncutWeight || !HasManyReadOutside(region))) {
      return Refuse(Apart::kTooMuchWork);
    }
  }
  std::vector<RegionInput> inputs;
  if (const auto& fold = StateOf(inst).fold) {
    for (const ValueId value : fold->values) {
      inputs.push_back({value, Access::Whole(region.num_positions)});
    }
  }
  if (const auto& read = StateOf(inst).read) {
    inputs.push_back({StateOf(*read->table).values[0], read->base, /*is_table=*/true});
  }
  for (i64 i = FirstRead(inst); i < EndOfReads(inst); ++i) {
    const View read = ReadOf(inst, i, region.num_positions);
    if (IsInlineConstant(read) || StateOf(*read.base).open != nullptr) continue;
    inputs.push_back({StateOf(*read.base).values[0], read.access});
  }
  if (region.folds.empty()) return Unite(region, inputs);
  // What the loop folds stays as easy to read as it is.
  const std::vector<RegionInput> before = region.inputs;
  const auto path = PathIn(region);
  if (!Unite(region, inputs)) return false;
  if (PathIn(region) == path) return true;
  region.inputs = before;
  return Refuse(Apart::kNoCommonSizes);
}

// Merging works on a copy, so that a refusal changes nothing. Instructions stay in program order,
// which is an order in which operands come first.
bool ScheduleBuilder::TryMerge(OpenRegion& into, OpenRegion& from) {
  if (into.num_positions != from.num_positions) return Refuse(Apart::kOtherSize);
  const i64 weight = into.weight + from.weight;
  if (weight > kMaxWeight &&
      (weight > kMaxUncutWeight || (!HasManyReadOutside(into) && !HasManyReadOutside(from)))) {
    return Refuse(Apart::kTooMuchWork);
  }
  if (into.num_folds() + from.num_folds() > kMaxFolds) return Refuse(Apart::kOtherReduction);
  OpenRegion merged = into;
  if (merged.folds.empty()) merged.fold_shape = from.fold_shape;
  for (const auto& pending : from.folds) {
    if (!CanFold(into, from.fold_shape, {&pending.fold, 1})) {
      return Refuse(Apart::kOtherReduction);
    }
    merged.folds.push_back(pending);
  }
  if (!SizesFor(merged, merged.inputs)) return Refuse(Apart::kNoCommonSizes);
  if (!Unite(merged, from.inputs)) return false;
  const auto keeps_path = [&](const OpenRegion& part) {
    return part.folds.empty() || PathIn(part) == PathIn(merged);
  };
  if (!keeps_path(into) || !keeps_path(from)) return Refuse(Apart::kNoCommonSizes);
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

ScheduleBuilder::OpenRegion* ScheduleBuilder::FindSibling(const Instruction& inst) {
  const i64 n = inst.shape().num_elements();
  for (size_t k = 0; k < std::min(open_.size(), kMaxSiblings); ++k) {
    OpenRegion& region = *open_[open_.size() - 1 - k];
    for (i64 i = FirstRead(inst); region.num_positions == n && i < EndOfReads(inst); ++i) {
      const View read = ReadOf(inst, i, n);
      if (read.access.IsUniform()) continue;
      if (ReadsAlready(region, read) && TryJoin(region, inst)) return &region;
    }
  }
  return nullptr;
}

void ScheduleBuilder::Forget(OpenRegion& region) {
  std::erase_if(open_, [&](const auto& open) { return open.get() == &region; });
}

bool ScheduleBuilder::IsComputedIn(const OpenRegion& region, const Instruction& user,
                                   const Instruction& inst) {
  if (StateOf(user).open == &region) return true;
  const auto& fold = StateOf(user).fold;
  if (!fold || fold->region != &region) return false;
  for (i64 i = user.num_operands() / 2; i < user.num_operands(); ++i) {
    if (user.operand(i) == &inst) return false;  // an init
  }
  return true;
}

// Readers inside of the region do not count, and whole views of the instruction count only if they
// are read outside themselves. After kMaxViews views in a row it is taken for read: that costs a
// store, not a wrong result.
bool ScheduleBuilder::IsReadOutside(const Instruction& inst, const OpenRegion& region, int depth) {
  constexpr int kMaxViews = 16;
  if (&inst == computation_.root() || depth > kMaxViews) return true;
  for (const Use* use = inst.first_use(); use != nullptr; use = use->next) {
    const Instruction& user = *use->user;
    if (!live_[user.index()] || IsComputedIn(region, user, inst)) continue;
    if (StateOf(user).is_deferred && !IsReadOutside(user, region, depth + 1)) continue;
    if (HasRead(user, inst)) continue;
    const std::optional<View>& view = StateOf(user).view;
    if (!view || !view->access.IsWhole() || IsReadOutside(user, region, depth + 1)) return true;
  }
  return false;
}

// Whether more than kMaxCut values of the region would be stored if it were closed now.
bool ScheduleBuilder::HasManyReadOutside(const OpenRegion& region) {
  i64 count = 0;
  for (const Instruction* inst : region.instructions) {
    if (IsReadOutside(*inst, region) && ++count > kMaxCut) return true;
  }
  return false;
}

// The order of the outputs is fixed: instructions that are read outside, then folds of kGeneral,
// then other folds. In-place pairs are found before the results of folds are added, because a
// fold's result has another number of elements than the arrays that the loop reads.
Status ScheduleBuilder::Close(OpenRegion& open, bool may_be_again) {
  Region region{.kind = RegionKind::kLoop, .instructions = open.instructions};
  region.payload = LoopRegion{.num_positions = open.num_positions, .fold_shape = open.fold_shape};
  LoopRegion& loop = region.loop();
  constants_in_code_ = ConstantsInCode(open);
  LaneCompiler compiler(rounding_);
  std::vector<const Instruction*> readers;  // by input
  for (const Instruction* inst : open.instructions) {
    if (StateOf(*inst).read) {
      AddElements(compiler, *inst, open, region, readers);
      continue;
    }
    if (!StateOf(*inst).products.empty()) {
      AddChain(compiler, *inst, region, readers);
      continue;
    }
    if (StateOf(*inst).is_copied) {
      AddCopy(compiler, *inst, region, readers);
      continue;
    }
    for (i64 i = FirstRead(*inst); i < inst->num_operands(); ++i) {
      AddOperand(compiler, *inst->operand(i), open, region, readers);
    }
    if (const auto& fold = StateOf(*inst).fold) {
      compiler.AddFold(*inst, PrimitiveOf(fold->fold.kind), *inst->operand(1));
      for (const ValueId value : fold->values) {
        region.inputs.push_back({value, Access::Whole(open.num_positions)});
        readers.push_back(inst);
      }
    } else if (!compiler.Add(*inst)) {
      return OpError(*inst, "is not defined for these types", StatusCode::kUnimplemented);
    }
  }
  std::vector<const Instruction*> results;
  const std::vector<const Instruction*> stored = StoredBy(open, may_be_again);
  if (may_be_again) NoteAgain(open, stored);
  for (const Instruction* inst : stored) {
    results.push_back(inst);
    NewValues(*inst);
    region.outputs.push_back(StateOf(*inst).values[0]);
  }
  FoldOperands operands = AddFoldOperands(compiler, open, region, readers);
  results.insert(results.end(), operands.stored.begin(), operands.stored.end());
  loop.program = std::move(compiler).Finish(results, operands.folded);
  AXLE_TRY(Charge(loop.program));
  AddInPlacePairs(region);  // the results of folds have no such place
  AddFoldResults(open, region);
  for (const Instruction* inst : open.instructions) {
    StateOf(*inst).open = nullptr;
    StateOf(*inst).is_closed = true;
    if (StateOf(*inst).is_copied) StateOf(*inst).view.reset();
    StateOf(*inst).is_copied = false;
  }
  const auto sizes = SizesFor(open, region.inputs);
  AXLE_INVARIANT(sizes.has_value(), "what joins a loop fits its sizes");
  loop.sizes = *sizes;
  Forget(open);
  schedule_.regions.push_back(std::move(region));
  return {};
}

// Compiles the loop once with all constants as operands and asks which of them select code
// (LaneCompiler::SelectsCode). Beyond kMaxConstants operands, the others go into the code too.
std::unordered_set<const Instruction*> ScheduleBuilder::ConstantsInCode(const OpenRegion& open) {
  const auto reads_constant = [&](const Instruction* inst) {
    for (i64 i = FirstRead(*inst); i < EndOfReads(*inst); ++i) {
      if (IsInlineConstant(ReadOf(*inst, i, open.num_positions))) return true;
    }
    return false;
  };
  if (std::ranges::none_of(open.instructions, reads_constant)) return {};
  std::vector<const Instruction*> constants;
  LaneCompiler probe(rounding_);  // in which all of them are operands
  const auto read_constant = [&](const View& view) {
    const bool is_constant = IsInlineConstant(view);
    if (is_constant && !probe.Contains(*view.base)) {
      probe.AddInput(*view.base);
      constants.push_back(view.base);
    }
    return is_constant;
  };
  const auto number_of = [&](const IndexedRead::Term& term) {
    const bool is_there =
        read_constant({term.source, term.access}) || StateOf(*term.source).open == &open;
    if (is_there) return probe.NumberOf(*term.source);
    return probe.NumberIn(probe.AddArray(term.indices->shape().type()));
  };
  const auto read = [&](const Instruction& operand) {
    if (probe.Contains(operand)) return;
    const View view = ReadFor(operand, open.num_positions);
    const bool is_constant = read_constant(view);
    if (!is_constant && StateOf(*view.base).open != &open) return probe.AddInput(operand);
    if (view.base != &operand) probe.AddAlias(operand, *view.base);
  };
  for (const Instruction* inst : open.instructions) {
    if (StateOf(*inst).read) {
      AddElements(probe, *inst, probe.AddArray(inst->shape().type()), number_of);
      continue;
    }
    if (const size_t count = StateOf(*inst).products.size(); count > 0) {
      std::vector<int> inputs;
      while (inputs.size() < count) inputs.push_back(probe.AddArray(inst->shape().type()));
      AddChain(probe, *inst, inputs);
      continue;
    }
    if (StateOf(*inst).is_copied) {
      if (!probe.Contains(*inst)) probe.AddInput(*inst);
      continue;
    }
    for (i64 i = FirstRead(*inst); i < inst->num_operands(); ++i) read(*inst->operand(i));
    if (const auto& fold = StateOf(*inst).fold) {
      probe.AddFold(*inst, PrimitiveOf(fold->fold.kind), *inst->operand(1));
    } else if (!probe.Add(*inst)) {
      return {};  // the caller reports it
    }
  }
  std::unordered_set<const Instruction*> in_code;
  size_t num_operands = 0;
  for (const Instruction* constant : constants) {
    if (probe.SelectsCode(*constant) || num_operands == kMaxConstants) {
      in_code.insert(constant);
    } else {
      ++num_operands;
    }
  }
  return in_code;
}

void ScheduleBuilder::AddOperand(LaneCompiler& compiler, const Instruction& operand,
                                 const OpenRegion& open, Region& region,
                                 std::vector<const Instruction*>& readers) {
  if (compiler.Contains(operand)) return;
  const View read = ReadFor(operand, open.num_positions);
  if (IsInlineConstant(read) && constants_in_code_.contains(read.base)) {
    if (!compiler.Contains(*read.base)) compiler.AddConstant(*read.base);
    if (read.base != &operand) compiler.AddAlias(operand, *read.base);
    return;
  }
  if (StateOf(*read.base).open == &open) return compiler.AddAlias(operand, *read.base);
  const ValueId value = StateOf(*read.base).values[0];
  for (size_t k = 0; k < region.inputs.size(); ++k) {
    if (region.inputs[k] != RegionInput{value, read.access}) continue;
    if (readers[k] == nullptr) return compiler.AddReader(operand, static_cast<int>(k));
    return compiler.AddAlias(operand, *readers[k]);
  }
  compiler.AddInput(operand);
  region.inputs.push_back({value, read.access});
  readers.push_back(&operand);
}

void ScheduleBuilder::AddInPlacePairs(Region& region) {
  for (std::uint32_t i = 0; i < region.inputs.size(); ++i) {
    const ValueId value = region.inputs[i].value;
    const bool all_whole = std::ranges::all_of(region.inputs, [&](const RegionInput& input) {
      return input.value != value || (!input.is_table && input.access.IsWhole());
    });
    // The front of a longer array has the same positions, but elements of another size.
    const i64 bytes_read =
        region.loop().num_positions * region.loop().program.inputs[i].element_bytes();
    if (!all_whole || bytes_read != schedule_.values[value].bytes) continue;
    for (std::uint32_t o = 0; o < region.outputs.size(); ++o) {
      if (schedule_.values[region.outputs[o]].bytes == schedule_.values[value].bytes) {
        region.in_place.push_back({o, i});
      }
    }
  }
}

}  // namespace axle
