// Indexed reads in open regions: gathers that loops do on the way (indexed_read.h). In
//
//   i = add(a, b);  g = gather(t, i);  d = multiply(g, x);  s = reduce(d, zero), add
//
// the loop that computes i reads the elements of t, multiplies and folds them. The table t has to
// be in memory, because a position may read any of it; index arrays are read like all operands: of
// the same loop if they are computed at the same positions, or from memory.
//
// Where a read finds its indices is settled when it is added, and kept in its state: views may be
// copied later, and the loop then still reads what the view was of.
//
// Index vectors that were concatenated for reads alone (IsReadByPieces) are never put together.
// Such a concatenation has no region until somebody needs it after all.
#include <algorithm>

#include "axle/codegen/schedule/schedule_builder.h"
#include "axle/ops/dynamic.h"

namespace axle {

bool ScheduleBuilder::IsReadByPieces(const Instruction& inst) {
  if (&inst == computation_.root()) return false;
  for (const Use* use = inst.first_use(); use != nullptr; use = use->next) {
    const Instruction& user = *use->user;
    if (!live_[user.index()]) continue;
    const OpDef& def = GetOpDef(user);
    // A read by indices has two operands; the map of a long concatenate would be a long one.
    if (user.num_operands() != 2 || def.index_map == nullptr || IsDynamic(user) ||
        user.operand(0) == &inst) {
      return false;
    }
    const auto read = FindIndexedRead(user, def.index_map(user));
    if (!read || std::ranges::any_of(read->terms, [&](const IndexedRead::Term& term) {
          return term.indices == &inst;
        })) {
      return false;
    }
  }
  return inst.first_use() != nullptr;
}

StatusOr<bool> ScheduleBuilder::PrepareIndexedRead(IndexedRead& read, i64 n) {
  AXLE_TRY(Need(*read.table));
  const Access whole = Access::Whole(n);
  std::vector<const Access*> accesses = {&whole, &read.base};
  Dims result_dims;
  for (IndexedRead::Term& term : read.terms) {
    result_dims.clear();
    for (const IndexPiece::Dim& dim : term.piece.dims) result_dims.push_back(dim.count);
    const Dims& dims = term.indices->shape().dims();
    const auto composed = [&](const View& view) {
      return Compose({term.piece}, result_dims, dims, view.access);
    };
    View view = Read(*term.indices);
    auto access = composed(view);
    if (!access) {
      AXLE_TRY(Need(*term.indices));
      view = Read(*term.indices);
      access = composed(view);
    }
    AXLE_INVARIANT(access.has_value(), "an array in memory is read by any piece");
    term.source = view.base;
    term.access = *std::move(access);
    const View found = {term.source, term.access};
    const bool by_position = term.access.IsWhole() && term.source->shape().num_elements() == n;
    if (!by_position && !IsInlineConstant(found)) AXLE_TRY(Need(*term.source));
  }
  for (const IndexedRead::Term& term : read.terms) accesses.push_back(&term.access);
  return CommonSizes(accesses, n).has_value();
}

Status ScheduleBuilder::AddIndexedRead(const Instruction& inst, IndexedRead read, IndexMap map) {
  const i64 n = inst.shape().num_elements();
  AXLE_ASSIGN(const bool fits, PrepareIndexedRead(read, n));
  if (!fits) return AddMove(inst, std::move(map));
  StateOf(inst).read = std::make_unique<const IndexedRead>(std::move(read));
  return JoinLoop(inst, n);
}

void ScheduleBuilder::AddElements(LaneCompiler& compiler, const Instruction& inst,
                                  const OpenRegion& open, Region& region,
                                  std::vector<const Instruction*>& readers) {
  const IndexedRead& read = *StateOf(inst).read;
  // The number of the input, a new one if there is none yet.
  const auto input = [&](const RegionInput& wanted, ElementType type) {
    const auto found = std::ranges::find(region.inputs, wanted);
    if (found != region.inputs.end()) return static_cast<int>(found - region.inputs.begin());
    region.inputs.push_back(wanted);
    readers.push_back(nullptr);
    return compiler.AddArray(type);
  };
  const int table =
      input({StateOf(*read.table).values[0], read.base, /*is_table=*/true}, inst.shape().type());
  AddElements(compiler, inst, table, [&](const IndexedRead::Term& term) {
    const Instruction& source = *term.source;
    if (IsInlineConstant({&source, term.access}) && constants_in_code_.contains(&source)) {
      if (!compiler.Contains(source)) compiler.AddConstant(source);
      return compiler.NumberOf(source);
    }
    if (StateOf(source).open == &open) return compiler.NumberOf(source);
    return compiler.NumberIn(
        input({StateOf(source).values[0], term.access}, source.shape().type()));
  });
}

}  // namespace axle
