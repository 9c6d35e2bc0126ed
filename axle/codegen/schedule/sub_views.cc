// How sub-views are found. For a: f32[3,4] and b: f32[3,2],
//
//   c = concatenate(a, b), along dimension 1      f32[3,6]
//
// a lies in c with the access {(3, 6), (4, 1)}, and b behind offset 4 with {(3, 6), (2, 1)}. If the
// regions that compute a and b can write with these strides, c needs no copy. Along dimension 0,
// both would be runs of elements.
//
// Finder looks at the moves from the last to the first, so that a concatenation inside of another
// one resolves to the outermost whole. PlaceOf inverts a piece: what the piece reads is what the
// region is to write. A value qualifies if it is no result of the computation, a region computes it
// that can write there (RegionKindDef::can_write), and, unless its elements are one run, nobody but
// this move reads it. The pieces of the move have to be disjoint, or a base and one piece above it,
// as in a pad; then the move leaves the piece out.
//
// What is found is an offer: PlanBuffers takes all sub-views or none, whichever needs less memory.
// Time is linear in the pieces, plus the search for common sizes of each loop that would write one.
#include "axle/codegen/schedule/sub_views.h"

#include <algorithm>
#include <set>

#include "axle/codegen/schedule/contraction_kernel.h"
#include "axle/codegen/schedule/loop_pattern.h"
#include "axle/codegen/schedule/small_regions.h"
#include "axle/ops/op_def.h"
#include "axle/runtime/program.h"

namespace axle {
bool HasStaticMap(const Region& region) {
  const MoveRegion* move = region.if_move();
  return move != nullptr && move->map && !move->map->empty() &&
         region.instructions[0]->shape().rank() > 0 &&
         std::ranges::all_of(*move->map, [](const IndexPiece& piece) {
           return piece.offsets.empty() && !piece.relinearize;
         });
}

namespace {

// Rows that do not fill their vectors waste the rest of the last one. Up to a fourth of a row, that
// costs less than a copy.
constexpr i64 kVectorLanes = 16;
bool FillsVectors(i64 row) {
  const i64 lanes = (row + kVectorLanes - 1) / kVectorLanes * kVectorLanes;
  return (lanes - row) * 4 <= row;
}

// True if the pieces write disjoint positions, because they lie one after the other along some
// dimension.
bool AreApart(std::span<const IndexPiece> pieces) {
  const size_t rank = pieces[0].dims.size();
  for (size_t d = 0; d < rank; ++d) {
    const auto follows = [&](const IndexPiece& before, const IndexPiece& piece) {
      return before.dims[d].step == 1 &&
             before.dims[d].begin + before.dims[d].count <= piece.dims[d].begin;
    };
    bool are_apart = true;
    for (size_t p = 1; p < pieces.size(); ++p) are_apart &= follows(pieces[p - 1], pieces[p]);
    if (are_apart) return true;
  }
  return false;
}

// The access at which a piece puts all of its operand into a result that lies as `result` says;
// nothing if the piece does something else.
std::optional<Access> PlaceOf(const IndexPiece& piece, const Dims& operand_dims,
                              const Dims& result_dims, const Access& result) {
  // The piece the other way round: what it reads is what is written.
  IndexPiece written;
  for (const i64 size : operand_dims) written.dims.push_back({.count = size});
  i64 count = 1, num_elements = 1;
  for (const i64 size : operand_dims) num_elements *= size;
  for (const IndexPiece::Dim& dim : piece.dims) {
    written.source_begin.push_back(dim.begin);
    count *= dim.count;
    if (dim.count == 1 || dim.source_dim == kNoSourceDim) continue;
    const bool is_all = dim.source_step == 1 && piece.source_begin[dim.source_dim] == 0 &&
                        dim.count == operand_dims[dim.source_dim];
    if (!is_all) return std::nullopt;
    written.dims[dim.source_dim].source_dim = std::ssize(written.source_begin) - 1;
    written.dims[dim.source_dim].source_step = dim.step;
  }
  if (count != num_elements) return std::nullopt;
  return Compose({written}, operand_dims, result_dims, result);
}

// The sizes of a loop that writes its sub-views in place; nothing if it cannot, or if copying is
// cheaper.
std::optional<Dims> SizesFor(const Region& loop, const SubViews& sub_views, i64 rows) {
  const auto& [n, program, loop_sizes, fold_shape, folds, fetches] = loop.loop();
  if (!folds.empty() && loop.loop().path() != FoldPath::kInOrder) return std::nullopt;
  const std::vector<Access> outputs = OutputAccesses(loop, sub_views);
  if (outputs.size() != loop.outputs.size()) return std::nullopt;
  const Access whole = Access::Whole(n);
  const Access result = ResultAccess(fold_shape);
  const Access boundary = ResultAccess({.rows = rows, .reduced = rows > 0 ? n / rows : 1});
  std::vector<const Access*> accesses = {&whole};
  for (const RegionInput& input : loop.inputs) accesses.push_back(&input.access);
  for (const Access& output : outputs) accesses.push_back(&output);
  if (!folds.empty()) accesses.push_back(&result);
  if (rows > 0) accesses.push_back(&boundary);
  auto sizes = CommonSizes(accesses, n);
  if (!sizes || sizes->empty()) return sizes;
  const bool fits = folds.empty() ? rows == 0 || n > rows || sizes->size() == 1
                                  : PathOf(fold_shape, folds, *sizes) == FoldPath::kInOrder;
  if (!fits) return std::nullopt;
  if (const auto groups =
          FindGroups(program, *sizes, std::span(accesses).subspan(1, loop.inputs.size()), outputs,
                     fold_shape, folds);
      groups && (rows == 0 || (groups->num_dims == 1 && sizes->front() % rows == 0))) {
    return sizes;
  }
  if (sizes->back() < loop_sizes.back() && !FillsVectors(sizes->back())) return std::nullopt;
  // Along a row, what is stored is a run; a fold is one element, or a run.
  for (const Access& output : outputs) {
    const i64 stride = StridesOn(output, *sizes).back();
    const bool is_fold_of_rows = !folds.empty() && fold_shape.columns == 1 &&
                                 &output >= &outputs[outputs.size() - folds.size()];
    if (stride != (is_fold_of_rows ? 0 : 1)) return std::nullopt;
  }
  return sizes;
}

class Finder {
 public:
  explicit Finder(const Schedule& schedule)
      : schedule_(schedule),
        producers_(schedule.values.size()),
        num_reads_(schedule.values.size()),
        results_(schedule.results.begin(), schedule.results.end()) {
    for (const Region& region : schedule.regions) {
      for (const RegionInput& input : region.inputs) ++num_reads_[input.value];
      for (size_t o = 0; o < region.outputs.size(); ++o) {
        producers_[region.outputs[o]] = {&region, o};
      }
    }
  }

  SubViews Find() && {
    // From the last move to the first: a piece of a sub-view is then known to be a piece of its
    // whole.
    for (size_t r = schedule_.regions.size(); r-- > 0;) AddPieces(schedule_.regions[r]);
    return std::move(views_);
  }

 private:
  struct Producer {
    const Region* region = nullptr;
    size_t output = 0;
  };

  void AddPieces(const Region& move) {
    if (!HasStaticMap(move) || !move.in_place.empty()) return;
    const IndexMap& map = *move.move().map;
    // The first piece may be a base below the other one, and is then copied around it.
    const bool are_apart = AreApart(map);
    if (!are_apart && map.size() != 2) return;
    const Instruction& inst = *move.instructions[0];
    const ValueId result = move.outputs[0];
    const auto outer = views_.find(result);
    const bool is_inner = outer != views_.end();
    const ValueId whole = is_inner ? outer->second.whole : result;
    const Access access =
        is_inner ? outer->second.access : Access::Whole(inst.shape().num_elements());
    for (size_t p = are_apart ? 0 : 1; p < map.size(); ++p) {
      const bool has_holes = std::ranges::any_of(
          map[p].dims, [](const IndexPiece::Dim& dim) { return dim.step != 1; });
      if (has_holes) continue;
      const Shape& operand = inst.operand(map[p].operand)->shape();
      const ValueId value = move.inputs[map[p].operand].value;
      if (operand.num_elements() == 0 || results_.contains(value) || views_.contains(value)) {
        continue;
      }
      auto place = PlaceOf(map[p], operand.dims(), inst.shape().dims(), access);
      if (!place) continue;
      views_.emplace(value, SubView{whole, *std::move(place), &move, p});
      if (!CanBeWritten(value)) views_.erase(value);
    }
  }

  // Whether the region that computes `value` can write it where it would be a view.
  bool CanBeWritten(ValueId value) const {
    const auto& [region, output] = producers_[value];
    if (region == nullptr) return false;
    const SubView& view = views_.at(value);
    if (!view.is_run() && num_reads_[value] != 1) return false;
    const Value& array = schedule_.values[value];
    const RegionKindDef& kind = GetKind(region->kind);
    if (kind.can_write == nullptr) return view.is_run();
    return kind.can_write(*region, {views_, view, array, value, output});
  }

  const Schedule& schedule_;
  std::vector<Producer> producers_;  // by value
  std::vector<i64> num_reads_;       // by value
  const std::set<ValueId> results_;
  SubViews views_;
};

}  // namespace

bool SubView::is_run() const {
  return from_first().IsWhole();
}

SubViews FindSubViews(const Schedule& schedule) {
  return Finder(schedule).Find();
}

bool CanWriteMove(const Region& region, const SubViewWrite& write) {
  if (write.view.is_run()) return true;
  const Access& view = write.view.access;
  if (region.move().map) {
    return HasStaticMap(region) && StridesAlong(view, region.instructions[0]->shape().dims());
  }
  const Access* const accesses[] = {&region.inputs[0].access, &view};
  return CommonSizes(accesses, region.instructions[0]->shape().num_elements()).has_value();
}

bool CanWriteLoop(const Region& region, const SubViewWrite& write) {
  return write.view.is_run() || SizesFor(region, write.views, 0);
}

bool CanWriteRows(const Region& region, const SubViewWrite& write) {
  if (write.view.is_run()) return true;
  const bool is_shared = std::ranges::any_of(
      region.rows().locals, [&](const RowLocal& local) { return local.output == write.output; });
  if (is_shared) return false;
  for (const Region& loop : region.rows().loops) {
    const bool reads = std::ranges::any_of(
        loop.inputs, [&](const RegionInput& input) { return input.value == write.id; });
    if (reads) return false;
    const bool writes = std::ranges::find(loop.outputs, write.id) != loop.outputs.end();
    if (writes && !SizesFor(loop, write.views, region.rows().rows)) return false;
  }
  return true;
}

std::vector<Access> OutputAccesses(const Region& loop, const SubViews& sub_views) {
  const FoldShape& shape = loop.loop().fold_shape;
  const size_t num_stores = loop.outputs.size() - loop.loop().folds.size();
  std::vector<Access> accesses;
  for (size_t o = 0; o < loop.outputs.size(); ++o) {
    const auto view = sub_views.find(loop.outputs[o]);
    const bool is_apart = view != sub_views.end() && !view->second.is_run();
    if (o < num_stores) {
      accesses.push_back(is_apart ? view->second.from_first()
                                  : Access::Whole(loop.loop().num_positions));
    } else if (!is_apart) {
      accesses.push_back(ResultAccess(shape));
    } else {
      // Along what is reduced it stays where it is.
      IndexPiece piece;
      piece.dims = {{.count = shape.rows, .source_dim = 0},
                    {.count = shape.reduced},
                    {.count = shape.columns, .source_dim = 1}};
      piece.source_begin = {0, 0};
      const auto access = Compose({piece}, {shape.rows, shape.reduced, shape.columns},
                                  {shape.rows, shape.columns}, view->second.from_first());
      if (!access) return {};
      accesses.push_back(*access);
    }
  }
  return accesses;
}

Dims SizesOf(const Region& loop, const SubViews& sub_views, i64 rows) {
  const bool are_there = std::ranges::all_of(loop.outputs, [&](ValueId output) {
    const auto view = sub_views.find(output);
    return view == sub_views.end() || view->second.is_run();
  });
  return are_there ? loop.loop().sizes : *SizesFor(loop, sub_views, rows);
}

}  // namespace axle
