// The schedule of a computation while it is being made. Instructions are walked once, in order.
// Elementwise ones gather in open regions; an index map that can be read in place is only
// remembered (a view); everything else is a region of its own.
//
// No open region reads what another one computes: reading from outside closes a region, which then
// takes its place in the schedule. So an instruction may join any open region, and two open regions
// may become one, without ever making a cycle. Whichever open region closes last, the values that
// it reads are in the schedule before it.
//
// In files by topic: regions.cc (the walk, and regions of a single instruction), loop_regions.cc
// (open regions), fold_regions.cc (reductions in them), gather_regions.cc (indexed reads in them),
// product_regions.cc (dots of few products in them), recompute.cc (what several of them compute).
#pragma once
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "axle/codegen/schedule/indexed_read.h"
#include "axle/codegen/schedule/regions.h"
#include "axle/ops/lanes/lane_compiler.h"
#include "axle/ops/liveness.h"

namespace axle {

class ScheduleBuilder {
 public:
  ScheduleBuilder(const HloComputation& computation, Rounding rounding, Limits* limits,
                  i64* reserved)
      : computation_(computation),
        rounding_(rounding),
        limits_(limits),
        reserved_(reserved),
        instructions_(computation.instructions()),
        live_(LiveInstructions(computation)),
        states_(instructions_.size()) {}

  StatusOr<Schedule> Make() &&;

 private:
  // The number of open regions, from the newest on, that are searched for one that reads the same
  // array.
  static constexpr size_t kMaxSiblings = 8;

  // Elementwise instructions of the same number of positions that are not yet in the schedule.
  struct OpenRegion {
    std::vector<const Instruction*> instructions;  // in order
    i64 num_positions;
    i64 weight = 0;
    i64 most_weight = 0;  // if it is one function, or several that share operations: with them
    std::vector<RegionInput> inputs = {};  // different ones
    struct PendingFold {
      const Instruction* inst;
      i64 operand;
      Fold fold;
    };
    FoldShape fold_shape = {};  // the same for all folds
    std::vector<PendingFold> folds = {};
    size_t num_folds() const {  // as folds of the loop: complex sums are two
      size_t count = 0;
      for (const PendingFold& pending : folds) {
        count += static_cast<size_t>(pending.fold.num_parts());
      }
      return count;
    }
    std::optional<FoldPath> PathOn(const Dims& sizes) const {
      std::vector<Fold> all;
      for (const PendingFold& pending : folds) all.push_back(pending.fold);
      return PathOf(fold_shape, all, sizes);
    }
  };
  // A reduction that some region folds. If its reducer is of a known kind and the fold does not
  // start from the init, joining the two is one more elementwise instruction, in the loop that
  // reads the result.
  struct FoldState {
    Fold fold;
    OpenRegion* region;                // null once it is closed
    std::vector<ValueId> values = {};  // once it is closed: one for each part
  };
  struct View {
    const Instruction* base;  // the instruction whose elements it shows; not a view itself
    Access access;
  };
  struct State {
    std::vector<ValueId> values;  // once it has a place
    bool has_values = false;
    OpenRegion* open = nullptr;
    std::optional<View> view;
    std::optional<FoldState> fold;
    std::unique_ptr<const IndexedRead> read;  // of an instruction in an open region, or in a loop
    std::vector<View> products;  // likewise, of a dot: the factors of the products, lhs and rhs
    bool is_copied = false;      // a loop copies what the view shows; it is no view afterwards
    bool is_deferred = false;    // no region computes it, unless one needs it
    bool is_closed = false;      // a region that is in the schedule computes it
    bool is_again = false;       // and does not store it, though it is read: the reader computes it
    int times_again = 0;         // how often that was so
  };

  State& StateOf(const Instruction& inst) { return states_[inst.index()]; }

  // The number of the first block of each element in a tuple, which is an instruction's shape.
  // Cached, because a tuple of n elements may be taken apart by n instructions.
  const std::vector<i64>& FirstBlocks(const Shape& tuple);
  ValueId NewValue(const Instruction& inst, i64 bytes, const LaneArray& array);
  void NewValues(const Instruction& inst);

  Status Add(const Instruction& inst);

  Status AddConstant(const Instruction& inst);
  size_t AddConstantLeaves(const Literal& literal, std::span<const ValueId> values, size_t at);

  // For instructions that give an element of the tuple that is their first operand: they have the
  // values of its arrays.
  Status AddPart(const Instruction& inst, i64 index);
  Status AddElement(const Instruction& inst) {
    return AddPart(inst, inst.attrs<TupleIndexAttrs>().index);
  }

  // For instructions that give their first operand as it is: they have its values. Loops on both
  // sides stay separate.
  Status AddSame(const Instruction& inst);

  Status AddEvaluate(const Instruction& inst);

  // For an instruction that a kind takes (RegionKindDef::takes).
  Status AddOfKind(const Instruction& inst, const RegionKindDef& kind);

  // Adds a region of one instruction that reads and writes whole values.
  StatusOr<Region*> AddWhole(const Instruction& inst, RegionKind kind);

  // The instruction that reads the value of `inst`, if it is the only one.
  const Instruction* OnlyUser(const Instruction& inst) const;

  // A dot reads its operands through views, and writes the transpose of its result where nobody
  // reads the result itself.
  Status AddContraction(const Instruction& inst);
  Status AddWholeContraction(const Instruction& inst);

  Status AddControl(const Instruction& inst);

  // The instruction that `inst` is a view of, with the access; `inst` itself if it is no view.
  View Read(const Instruction& inst);

  Status AddIndexMap(const Instruction& inst);
  // Adds a region that copies.
  Status AddMove(const Instruction& inst, IndexMap map);

  // Adds an indexed read to an open region, or moves the elements if no loop can have it.
  Status AddIndexedRead(const Instruction& inst, IndexedRead read, IndexMap map);
  // Whether a loop of n positions can have it. Afterwards all that it reads is computed at the same
  // positions by an open region, or in memory.
  StatusOr<bool> PrepareIndexedRead(IndexedRead& read, i64 n);
  // Whether all that reads the instruction are indexed reads that read the arrays that it is put
  // together of.
  bool IsReadByPieces(const Instruction& inst);
  // Adds the instruction to the program; `number_of` gives the number of each term.
  template <typename F>
  void AddElements(LaneCompiler& compiler, const Instruction& inst, int table, const F& number_of) {
    const IndexedRead& read = *StateOf(inst).read;
    std::vector<Lane> numbers;
    for (const IndexedRead::Term& term : read.terms) numbers.push_back(number_of(term));
    compiler.AddElements(inst, table, DistanceOf(read, compiler.builder(), numbers));
  }
  void AddElements(LaneCompiler& compiler, const Instruction& inst, const OpenRegion& open,
                   Region& region, std::vector<const Instruction*>& readers);

  // The factors of a dot that a loop had better compute, in order; none if it had not.
  StatusOr<std::vector<View>> PrepareProducts(const Instruction& inst);
  Status AddProducts(const Instruction& inst, std::vector<View> reads);
  // Adds the dot to the program; `inputs` are those of the factors.
  static void AddChain(LaneCompiler& compiler, const Instruction& inst,
                       std::span<const int> inputs);
  void AddChain(LaneCompiler& compiler, const Instruction& inst, Region& region,
                std::vector<const Instruction*>& readers);

  static bool IsWholeOf(const IndexPiece& piece, const Instruction& inst);

  // Gives `inst` its values, if it has none yet, by regions that come before the next one.
  Status Need(const Instruction& inst);

  // If a loop copies the view faster than a move: makes it part of one that also copies or computes
  // an operand of `reader`, unless that is null, or of a new one.
  Status CopyInLoop(const Instruction& inst, const Instruction* reader);
  // Adds an instruction that is copied to the program of the region.
  void AddCopy(LaneCompiler& compiler, const Instruction& inst, Region& region,
               std::vector<const Instruction*>& readers);

  static bool IsInlineConstant(const View& read);

  // The number of operations of its lane program.
  i64 WeightOf(const Instruction& inst);
  // The operations that it adds to the region's. A sine and a cosine of the same number share most
  // of them.
  i64 WeightIn(const OpenRegion& region, const Instruction& inst);
  // The operations of `inst` that `other`, with the same operands, does not have.
  i64 WeightBeside(const Instruction& other, const Instruction& inst);
  void AddTo(OpenRegion& region, const Instruction& inst);

  // The sizes for the inputs, outputs and folds of a loop that reads all of these.
  static std::optional<Dims> SizesFor(const OpenRegion& region,
                                      std::span<const RegionInput> inputs);

  // NoteApart records the reason of the last refusal.
  bool Refuse(Apart why) {
    why_ = why;
    return false;
  }
  void NoteApart(const Instruction& producer, const Instruction& consumer) {
    schedule_.not_fused.push_back({&producer, &consumer, why_});
  }

  // Adds these to the inputs of the region, if it can read them too.
  bool Unite(OpenRegion& region, std::span<const RegionInput> more);

  Status AddElementwise(const Instruction& inst);
  // Adds an instruction to an open region, when all that it reads is readable.
  Status JoinLoop(const Instruction& inst, i64 n);

  OpenRegion* NewRegion(i64 n);

  // What the loop with `inst` reads by position: from the first operand on that it reads as such
  // (of a reduction, its init), or the terms of an indexed read, or the factors of a dot.
  i64 FirstRead(const Instruction& inst) { return StateOf(inst).fold ? 1 : 0; }
  i64 EndOfReads(const Instruction& inst) {
    const auto& read = StateOf(inst).read;
    if (StateOf(inst).is_copied) return 1;
    if (const auto& factors = StateOf(inst).products; !factors.empty()) return std::ssize(factors);
    return read ? std::ssize(read->terms) : inst.num_operands();
  }
  View ReadOf(const Instruction& inst, i64 i, i64 n) {
    if (StateOf(inst).is_copied) return *StateOf(inst).view;
    if (const auto& factors = StateOf(inst).products; !factors.empty()) return factors[i];
    if (const auto& read = StateOf(inst).read)
      return {read->terms[i].source, read->terms[i].access};
    return ReadFor(*inst.operand(i), n);
  }

  // Makes an operand readable by a loop of n positions: arrays that are not read position by
  // position are put into memory, and into order if neighbours would be far from each other.
  Status PrepareRead(const Instruction& operand, i64 n);

  Status AddReduce(const Instruction& inst);

  // Whether the region reads these elements, in the same order, anyway.
  bool ReadsAlready(const OpenRegion& region, const View& read);

  // Adds the reduction to the region, which computes the operand or can read it, if it can fold it.
  bool TryFold(OpenRegion& region, const Instruction& inst, const FoldOf& found);

  // How the folds of the region run with what it reads.
  static std::optional<FoldPath> PathIn(const OpenRegion& region);
  // Whether the region, of which `inst` has become a fold, may run in the way that this takes.
  bool IsWorthFolding(OpenRegion& region, const Instruction& inst, const FoldOf& found);

  // Closes the region that computes what `inst` folds, but could not take it. Gives the region that
  // did, or null.
  StatusOr<OpenRegion*> CloseToFold(OpenRegion& region, const Instruction& inst,
                                    const FoldOf& found);

  // Whether the region could fold these too.
  bool CanFold(const OpenRegion& region, const FoldShape& shape, std::span<const Fold> folds);

  // If `inst` is a reduction of which only the fold is computed, or to be computed, or an element
  // of the tuple of one: adds the rest, because somebody is about to read it.
  // `may_be_again`: what else the region computes is not read at once.
  Status FinishFold(const Instruction& inst, bool may_be_again = false);

  // Copies views into order that no loop could read together.
  Status MoveWhatDoesNotFit(const Instruction& inst, i64 n);

  // Like Read, for a loop of n positions: an operand of one element is the same at all of them.
  View ReadFor(const Instruction& operand, i64 n);

  // Adds the inputs of `inst` to `region` if it can be computed there. Operands in other open
  // regions are left out.
  bool TryJoin(OpenRegion& region, const Instruction& inst);

  // Merges `from` into `into`, if one loop can do both.
  bool TryMerge(OpenRegion& into, OpenRegion& from);

  // An open region that reads an array which `inst` reads too.
  OpenRegion* FindSibling(const Instruction& inst);

  void Forget(OpenRegion& region);

  // `user` is in the region, or is a reduction of which the region computes the part that reads
  // `inst`.
  bool IsComputedIn(const OpenRegion& region, const Instruction& user, const Instruction& inst);

  // Whether the value of `inst`, which is in `region`, may be read outside of it. Views of views
  // are followed some steps.
  bool IsReadOutside(const Instruction& inst, const OpenRegion& region, int depth = 0);
  bool HasManyReadOutside(const OpenRegion& region);

  // recompute.cc: values that are computed again instead of stored.
  // Whether `user`, a user of `inst`, needs it no more, because the region that reads it is closed.
  bool HasRead(const Instruction& user, const Instruction& inst) const;
  // Of `inst`, which is in `region` and read outside: what the region computes it from, itself
  // included, if that is better done again than stored. Else empty.
  std::vector<const Instruction*> CheapChain(const Instruction& inst, const OpenRegion& region);
  // What the region stores if it closes now.
  std::vector<const Instruction*> StoredBy(const OpenRegion& region, bool may_be_again);
  // Marks what else is read outside.
  void NoteAgain(const OpenRegion& region, std::span<const Instruction* const> stored);
  // Adds what is marked to an open region again.
  Status ComputeAgain(const Instruction& inst);

  // Asks the limits for the memory of a loop's program.
  Status Charge(const LaneProgram& program);
  // Turns an open region into the next one of the schedule. `may_be_again`: as for FinishFold.
  Status Close(OpenRegion& open, bool may_be_again = false);
  // The folds of what Close makes: their operands, then, once the program is there, their results.
  struct FoldOperands {
    std::vector<const Instruction*> stored, folded;  // as for LaneCompiler::Finish
  };
  // Sets the init that a fold of kind kGeneral starts from.
  void SetInit(LaneCompiler& compiler, const Instruction& init, const OpenRegion& open,
               Region& region, std::vector<const Instruction*>& readers, Fold& fold);
  FoldOperands AddFoldOperands(LaneCompiler& compiler, OpenRegion& open, Region& region,
                               std::vector<const Instruction*>& readers);
  void AddFoldResults(const OpenRegion& open, Region& region);

  // The constants that are part of the loop's code, because other numbers give other code. All
  // others are operands, so that loops that differ in them share a kernel.
  std::unordered_set<const Instruction*> ConstantsInCode(const OpenRegion& open);

  void AddOperand(LaneCompiler& compiler, const Instruction& operand, const OpenRegion& open,
                  Region& region, std::vector<const Instruction*>& readers);

  // A result may take the place of an array that is read at the same positions only.
  void AddInPlacePairs(Region& region);

  void DropUnreadConstants();

  const HloComputation& computation_;
  const Rounding rounding_;
  Limits* const limits_;
  i64* const reserved_;
  std::span<Instruction* const> instructions_;
  std::vector<bool> live_;
  std::vector<State> states_;  // by Instruction::index()
  std::vector<std::unique_ptr<OpenRegion>> open_;
  // Key: opcode, types of the first operand and of the result, hash of the attributes.
  using WeightKey = std::tuple<Opcode, ElementType, ElementType, size_t>;
  static WeightKey WeightKeyOf(const Instruction& inst);
  std::map<WeightKey, i64> weights_;
  std::map<std::pair<WeightKey, WeightKey>, i64> weights_beside_;
  std::unordered_set<const Instruction*> constants_in_code_;  // of the loop that is being closed
  Apart why_ = Apart::kOtherSize;                             // of the last refusal
  std::unordered_map<const Shape*, std::vector<i64>> first_blocks_;
  Schedule schedule_;
};

}  // namespace axle
