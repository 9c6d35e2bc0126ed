// reduce-window: folds the elements that a sliding window shows, for every position of the window.
//
// How it runs. Components of the computation that are sums or products of floats are folded one by
// one: prefix folds (prefix_fold.h) along the cumulative dimensions, windows in parts
// (window_parts.h) otherwise. For any other computation the window is folded with all operands
// together, element by element. Windows are folded like this:
//
// The results are cut into slabs whose accumulators stay in the cache. For a slab, one window
// position after the other is folded into all accumulators at once: the outputs that meet an
// element at a window position are a strided box, and so are these elements (a box of taps, see
// window.h), so a step is: gather the elements, join two arrays. Requirements:
//
// 1. Every accumulator starts as init_value and sees its elements in the order of numerics.md N8:
//    row-major inside the window, but downwards along a dimension that is a reverse scan.
// 2. A scan (Cumulative in window.h) with only windows of size 1 to the left of it folds each
//    element once: the accumulators of a slab sweep along the dimension and are written out at
//    every position. The bits are the same as without this.
// 3. Padding and holes are skipped, never combined.
// 4. A scan along contiguous rows by a known reducer goes through each row by itself.

#include <algorithm>
#include <cstring>
#include <functional>

#include "axle/core/convert.h"
#include "axle/core/strings.h"
#include "axle/emit/strided_copy.h"
#include "axle/ops/contraction.h"
#include "axle/ops/dim_order.h"
#include "axle/ops/dynamic.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/prefix_fold.h"
#include "axle/ops/reduce_kernels.h"
#include "axle/ops/scalar_callee.h"
#include "axle/ops/window.h"
#include "axle/ops/window_parts.h"

namespace axle {

extern const OpDef kReduceWindowDef;

namespace {

constexpr OperandSpec kReduceWindowOperands[] = {{"operand", kVariadic}, {"init_value", kVariadic}};
constexpr AttrSpec kReduceWindowAttrs[] = {
    Attr<&WindowAttrs::window>("window", {.field = 15}, Presence::kOptional),
};
constexpr CalleeSpec kReduceWindowCallees[] = {{"to_apply"}};

// The window has one size, stride and padding per dimension; the reversal of a window is for
// convolution only.
StatusOr<Shape> InferReduceWindow(const Instruction& inst) {
  const Window& window = inst.attrs<WindowAttrs>().window;
  AXLE_ASSIGN(const std::vector<Shape> operands, CheckFoldOperands(inst));
  std::vector<Shape> results;
  for (const Shape& operand : operands) {
    AXLE_ASSIGN(Shape result, WindowOutputShape(inst, window, operand, operand.type()));
    results.push_back(std::move(result));
  }
  for (size_t d = 0; d < window.size(); ++d) {
    if (window[d].reversal) {
      return OpError(inst,
                     StrCat("window dimension ", d, " is reversed, which is for convolution"));
    }
  }
  return FoldResult(inst, std::move(results));
}

// Accumulators of one slab: small enough for the cache, large enough to run in blocks.
constexpr i64 kSlabElements = 8192;

// The elements that one window position adds, and the accumulators it adds them to.
struct TapBox {
  i64 count = 0;
  i64 accumulator = 0;  // offset of the first one in the slab, in elements
  i64 element = 0;      // offset of the first one in the operand, in elements
  i64 position = 0;     // in the window, if it has parts
  // Per operand, in bytes: how to pack the elements, the accumulators, and to unpack the latter.
  std::vector<std::vector<StridedDim>> pack_elements, pack_accumulators, unpack_accumulators;
};

// A window over arrays of the same dimensions.
struct WindowOver {
  Window window;
  Dims bounds;  // those by which scans are recognised
  Dims output_dims;
  Cumulative Kind(i64 d) const { return CumulativeKind(window[d], bounds[d]); }
};

// How accumulators and elements are joined.
struct WindowJoin {
  // outputs[i][e] = f(accumulators, elements)[i], inputs being the accumulators and then the
  // elements.
  std::function<Status(std::span<const void* const> inputs, std::span<void* const> outputs,
                       i64 count)>
      run;
  // How the rows of a scan are folded, if there is a loop for that.
  ScanRowsFn scan_rows = nullptr;
  // Keeps the parts of a long window, of at most kSlabElements results.
  WindowParts* parts = nullptr;
  i64 parts_bytes = 0;
};

// Folds one window function over all positions. The comment at the head of the file describes slabs
// and sweeps.
class WindowFold {
 public:
  WindowFold(const WindowOver& over, WindowJoin join, std::span<const Literal> operands,
             std::span<const Literal> init_values, const EvalContext& context)
      : context_(context),
        over_(over),
        join_(std::move(join)),
        operands_(operands),
        init_values_(init_values),
        rank_(operands[0].shape().rank()),
        operand_dims_(operands[0].shape().dims()),
        operand_strides_(RowMajorStrides(operand_dims_)),
        output_dims_(over.output_dims),
        output_strides_(RowMajorStrides(output_dims_)),
        sweep_(rank_) {}

  StatusOr<std::vector<Literal>> Run() {
    std::vector<Literal> outputs;
    for (const Literal& operand : operands_) {
      const ElementType type = operand.shape().type();
      AXLE_ASSIGN(Literal output, Literal::CreateUninitialized(Shape(type, output_dims_)));
      outputs.push_back(std::move(output));
      output_bytes_.push_back(outputs.back().mutable_bytes());
      bytes_.push_back(Info(type).bytes);
    }
    if (outputs[0].num_elements() == 0) return outputs;
    AXLE_TRY(FindTaps());
    const ScanRowsFn scan = FindRowScan();
    AXLE_TRY(scan != nullptr ? ScanRows(scan) : RunSlabs());
    return outputs;
  }

 private:
  Cumulative Kind(i64 d) const { return over_.Kind(d); }

  // Sets taps_ and sweep_. There are results; without elements no dimension has taps.
  Status FindTaps() {
    taps_.resize(rank_);
    if (operands_[0].num_elements() == 0) return {};
    i64 first = 0;
    while (first < rank_ && over_.window[first].size == 1) ++first;
    for (i64 d = rank_; d-- > 0;) {
      if (d == first && CanSweep(d)) {
        sweep_ = d;  // goes through all elements, without taps
        continue;
      }
      AXLE_ASSIGN(taps_[d],
                  WindowTaps(over_.window[d], operand_dims_[d], output_dims_[d], context_.limits));
      if (Kind(d) == Cumulative::kReverse) std::ranges::reverse(taps_[d]);
    }
    return {};
  }

  // Whether to sweep along `d`, the first dimension with more than one window position: only there
  // do the elements of one position come right after those of the position before. The taps right
  // of it are known. With more boxes per step than kMaxBoxes they would take too much memory.
  bool CanSweep(i64 d) const {
    constexpr size_t kMaxBoxes = 4096;
    size_t boxes = 1;
    for (i64 right = d + 1; right < rank_; ++right) {
      boxes *= taps_[right].size();
      if (boxes > kMaxBoxes) return false;
    }
    return Kind(d) != Cumulative::kNo;
  }

  // How rows of neighbours are scanned, if this is a scan along rows and nothing else.
  // The conditions exclude padding, holes and other windows.
  ScanRowsFn FindRowScan() const {
    if (sweep_ == rank_ || operand_dims_ != output_dims_ || operand_strides_[sweep_] != 1) {
      return nullptr;
    }
    for (i64 d = 0; d < rank_; ++d) {
      const bool is_itself = d == sweep_ || (taps_[d].size() == 1 && IsItself(taps_[d][0], d));
      if (!is_itself) return nullptr;
    }
    return join_.scan_rows;
  }

  // Each output along `d` is made of the element at its own place.
  bool IsItself(const WindowTap& tap, i64 d) const {
    return tap.count == output_dims_[d] && tap.output_begin == 0 && tap.operand_begin == 0 &&
           tap.output_step == 1 && tap.operand_step == 1;
  }

  // Rows of a plain scan need neither taps nor slabs.
  Status ScanRows(ScanRowsFn scan) {
    constexpr i64 kRows = 16, kPiece = 1 << 14;  // between two checks of the limits
    const i64 bytes = bytes_[0], size = operand_dims_[sweep_];
    const i64 rows = operands_[0].num_elements() / size;
    const i64 step = Kind(sweep_) == Cumulative::kReverse ? -1 : 1;
    std::vector<std::byte> accumulators(kRows * bytes);
    for (i64 row = 0; row < rows; row += kRows) {
      const i64 some = std::min(kRows, rows - row);
      for (i64 r = 0; r < some; ++r) {
        std::memcpy(accumulators.data() + r * bytes, init_values_[0].bytes(), bytes);
      }
      for (i64 done = 0; done < size; done += kPiece) {
        AXLE_TRY(context_.Check());
        const i64 first = row * size + (step > 0 ? done : size - 1 - done);
        scan(accumulators.data(), operands_[0].bytes() + first * bytes,
             output_bytes_[0] + first * bytes, some, size, std::min(kPiece, size - done), step);
      }
    }
    return {};
  }

  // Cuts the outputs, or one position of them along the swept dimension, into slabs: everything in
  // the innermost dimensions, a range of one, one position of the outermost.
  Status RunSlabs() {
    Dims sizes = output_dims_;
    if (sweep_ < rank_) sizes[sweep_] = 1;
    Dims block(rank_);
    i64 room = kSlabElements;
    for (i64 d = rank_; d-- > 0;) {
      block[d] = std::min(sizes[d], room);
      room = block[d] == sizes[d] ? std::max<i64>(1, room / block[d]) : 1;
    }
    Allocate(Shape(PRED, block).num_elements());
    begin_ = Dims(rank_, 0);
    while (true) {
      end_ = begin_;
      for (i64 d = 0; d < rank_; ++d) end_[d] = std::min(sizes[d], begin_[d] + block[d]);
      AXLE_TRY(RunSlab());
      i64 d = rank_ - 1;
      for (; d >= 0; --d) {
        begin_[d] += block[d];
        if (begin_[d] < sizes[d]) break;
        begin_[d] = 0;
      }
      if (d < 0) return {};
    }
  }

  // Buffers for one slab, used again by all of them.
  void Allocate(i64 slab_elements) {
    inputs_.resize(2 * operands_.size());
    outputs_.resize(operands_.size());
    for (auto* buffers : {&accumulators_, &packed_accumulators_, &packed_elements_}) {
      for (i64 bytes : bytes_) buffers->emplace_back(slab_elements * bytes);
    }
    parts_.resize(join_.parts_bytes);
  }

  // Clips the taps of each dimension to the slab, fills the accumulators with the initial value,
  // and folds box by box.
  Status RunSlab() {
    Dims slab_sizes(rank_);
    for (i64 d = 0; d < rank_; ++d) slab_sizes[d] = end_[d] - begin_[d];
    slab_strides_ = RowMajorStrides(slab_sizes);
    slab_count_ = Shape(PRED, slab_sizes).num_elements();
    slab_taps_.assign(rank_, {});
    for (i64 d = 0; d < rank_; ++d) {
      if (d == sweep_) {
        slab_taps_[d].push_back({.position = 0, .count = 1});  // its place is added at each step
        continue;
      }
      for (const WindowTap& tap : taps_[d]) {
        const WindowTap clipped = ClipTap(tap, begin_[d], end_[d]);
        if (clipped.count > 0) slab_taps_[d].push_back(clipped);
      }
    }
    for (size_t i = 0; i < operands_.size(); ++i) {
      DispatchBytes(static_cast<int>(bytes_[i]), [&]<typename T>() {
        std::fill_n(reinterpret_cast<T*>(accumulators_[i].data()), slab_count_,
                    *reinterpret_cast<const T*>(init_values_[i].bytes()));
      });
    }
    PrepareWriteOut();
    if (sweep_ < rank_) return Sweep();
    WindowParts* const parts = join_.parts;
    if (parts != nullptr) parts->Begin(accumulators_[0].data(), slab_count_, parts_.data());
    AXLE_TRY(ForEachBox([&](const TapBox& box) {
      if (parts != nullptr) parts->MoveTo(box.position);
      return FoldBox(box, 0);
    }));
    if (parts != nullptr) parts->End();
    WriteOut();
    return {};
  }

  // Goes along the swept dimension; at each position the new elements are folded and the slab is
  // written out.
  Status Sweep() {
    std::vector<TapBox> boxes;
    AXLE_TRY(ForEachBox([&](const TapBox& box) {
      boxes.push_back(box);
      return Status();
    }));
    const i64 size = operand_dims_[sweep_];
    const bool reverse = Kind(sweep_) == Cumulative::kReverse;
    for (i64 step = 0; step < size; ++step) {
      const i64 position = reverse ? size - 1 - step : step;
      for (const TapBox& box : boxes) {
        AXLE_TRY(FoldBox(box, position * operand_strides_[sweep_]));
      }
      begin_[sweep_] = position;
      WriteOut();
    }
    begin_[sweep_] = 0;
    return {};
  }

  // Calls fn(box) for every window position that meets an element, in the order of the fold.
  // An odometer over the taps of all dimensions, the last one fastest, which is row-major order
  // inside the window.
  template <typename Fn>
  Status ForEachBox(Fn fn) {
    for (const std::vector<WindowTap>& taps : slab_taps_) {
      if (taps.empty()) return {};
    }
    std::vector<size_t> at(rank_, 0);
    while (true) {
      AXLE_TRY(fn(MakeBox(at)));
      i64 d = rank_ - 1;
      for (; d >= 0 && ++at[d] == slab_taps_[d].size(); --d) at[d] = 0;
      if (d < 0) return {};
    }
  }

  // The strides of one box for packing and unpacking; adjacent dimensions are merged.
  TapBox MakeBox(std::span<const size_t> at) const {
    TapBox box;
    box.count = 1;
    for (i64 d = 0; d < rank_; ++d) {
      const WindowTap& tap = slab_taps_[d][at[d]];
      box.count *= tap.count;
      box.accumulator += tap.output_begin * slab_strides_[d];
      box.element += tap.operand_begin * operand_strides_[d];
      if (join_.parts != nullptr) box.position = box.position * over_.window[d].size + tap.position;
    }
    std::vector<StridedDim> elements(rank_), accumulators(rank_);
    for (i64 bytes : bytes_) {
      i64 packed = bytes;
      for (i64 d = rank_; d-- > 0;) {
        const WindowTap& tap = slab_taps_[d][at[d]];
        elements[d] = {tap.count, packed, tap.operand_step * operand_strides_[d] * bytes};
        accumulators[d] = {tap.count, packed, tap.output_step * slab_strides_[d] * bytes};
        packed *= tap.count;
      }
      box.pack_elements.push_back(MergeStridedDims(elements));
      box.pack_accumulators.push_back(MergeStridedDims(accumulators));
      for (StridedDim& dim : accumulators) std::swap(dim.to_step, dim.from_step);
      box.unpack_accumulators.push_back(MergeStridedDims(accumulators));
    }
    return box;
  }

  // Packs accumulators and elements where they are not contiguous, joins them, and unpacks the
  // accumulators.
  Status FoldBox(const TapBox& box, i64 element_offset) {
    AXLE_TRY(context_.Check());
    const bool whole = box.count == slab_count_;  // then it is all accumulators in order
    const size_t n = operands_.size();
    for (size_t i = 0; i < n; ++i) {
      const i64 bytes = bytes_[i];
      std::byte* accumulators = accumulators_[i].data();
      const std::byte* elements = operands_[i].bytes() + (box.element + element_offset) * bytes;
      // The whole slab in order needs no packing of accumulators.
      if (!whole) {
        StridedCopy(box.pack_accumulators[i], packed_accumulators_[i].data(),
                    accumulators + box.accumulator * bytes, bytes);
        accumulators = packed_accumulators_[i].data();
      }
      if (box.pack_elements[i].size() > 1 || box.pack_elements[i][0].from_step != bytes) {
        StridedCopy(box.pack_elements[i], packed_elements_[i].data(), elements, bytes);
        elements = packed_elements_[i].data();
      }
      inputs_[i] = outputs_[i] = accumulators;
      inputs_[n + i] = elements;
    }
    AXLE_TRY(join_.run(inputs_, outputs_, box.count));
    for (size_t i = 0; i < n && !whole; ++i) {
      StridedCopy(box.unpack_accumulators[i], accumulators_[i].data() + box.accumulator * bytes_[i],
                  packed_accumulators_[i].data(), bytes_[i]);
    }
    return {};
  }

  // The strides with which WriteOut copies; equal for every step of a sweep.
  void PrepareWriteOut() {
    write_out_.clear();
    std::vector<StridedDim> dims(rank_);
    for (i64 bytes : bytes_) {
      for (i64 d = 0; d < rank_; ++d) {
        const i64 size = d == sweep_ ? 1 : end_[d] - begin_[d];
        dims[d] = {size, output_strides_[d] * bytes, slab_strides_[d] * bytes};
      }
      write_out_.push_back(MergeStridedDims(dims));
    }
  }

  void WriteOut() {
    i64 offset = 0;
    for (i64 d = 0; d < rank_; ++d) offset += begin_[d] * output_strides_[d];
    for (size_t i = 0; i < operands_.size(); ++i) {
      StridedCopy(write_out_[i], output_bytes_[i] + offset * bytes_[i], accumulators_[i].data(),
                  bytes_[i]);
    }
  }

  const EvalContext& context_;
  const WindowOver& over_;
  WindowJoin join_;
  std::span<const Literal> operands_, init_values_;
  i64 rank_;
  Dims operand_dims_, operand_strides_;
  Dims output_dims_, output_strides_;
  std::vector<std::vector<WindowTap>> taps_;  // per dimension, in the order of the fold
  i64 sweep_;                                 // the dimension to sweep along, or rank_
  std::vector<i64> bytes_;                    // of an element, per operand
  std::vector<std::byte*> output_bytes_;      // per operand

  // The present slab: outputs [begin_, end_). Buffers are per operand.
  Dims begin_, end_, slab_strides_;
  i64 slab_count_ = 0;
  std::vector<std::vector<WindowTap>> slab_taps_;
  std::vector<std::vector<std::byte>> accumulators_, packed_accumulators_, packed_elements_;
  std::vector<std::byte> parts_;
  std::vector<std::vector<StridedDim>> write_out_;
  std::vector<const void*> inputs_;  // of one call of the computation
  std::vector<void*> outputs_;
};

// One component that is a sum or a product of floats.
class BlockedWindow {
 public:
  BlockedWindow(const WindowOver& over, ReducerKind kind, const EvalContext& context)
      : over_(over), kind_(kind), context_(context) {}

  // Along its cumulative dimensions the window is a prefix fold, from the last one to the first,
  // which takes the init, of what the rest of the window gives.
  StatusOr<Literal> Run(const Literal& operand, const Literal& init) {
    const ElementType type = operand.shape().type();
    const ElementType computed = IsNarrowFloat(type) ? F32 : type;
    // `rest` is the window without its cumulative dimensions.
    WindowOver rest = over_;
    Dims cumulative;
    bool is_alone = true;  // the cumulative dimension
    for (i64 d = 0; d < std::ssize(over_.window); ++d) {
      if (over_.window[d].size > 1 && over_.Kind(d) != Cumulative::kNo) {
        cumulative.push_back(d);
        rest.window[d] = {};
      } else {
        is_alone = is_alone && over_.window[d] == WindowDim();
      }
    }
    if (cumulative.size() == 1 && is_alone) return Prefix(operand, init, cumulative[0]);
    AXLE_ASSIGN(Literal folded, ConvertIfNeeded(operand, computed));
    AXLE_ASSIGN(const Literal first, ConvertIfNeeded(init, computed));
    const Literal identity = Identity(computed);
    if (!is_alone || cumulative.empty()) {
      AXLE_ASSIGN(folded, Parts(rest, folded, cumulative.empty() ? first : identity));
    }
    while (!cumulative.empty()) {
      const i64 d = cumulative.back();
      cumulative.pop_back();
      AXLE_ASSIGN(folded, Prefix(folded, cumulative.empty() ? first : identity, d));
    }
    return ConvertIfNeeded(folded, type);
  }

 private:
  // The identity of the sum or product, -0 or 1.
  Literal Identity(ElementType type) const {
    Literal identity{Shape(type)};
    WindowParts(kind_, type, 1, 0).FillWithIdentity(identity.mutable_bytes(), 1);
    return identity;
  }

  // A cumulative dimension is a prefix fold over [outer, size, inner].
  StatusOr<Literal> Prefix(const Literal& operand, const Literal& init, i64 dim) {
    const Shape& shape = operand.shape();
    AXLE_ASSIGN(Literal result, Literal::CreateUninitialized(shape.WithoutLayout()));
    if (shape.num_elements() == 0) return result;
    i64 outer = 1, inner = 1;
    for (i64 d = 0; d < shape.rank(); ++d) (d < dim ? outer : inner) *= d == dim ? 1 : shape.dim(d);
    const bool is_reverse = over_.Kind(dim) == Cumulative::kReverse;
    AXLE_TRY(RunPrefixFold(
        PrefixFold::Make(kind_, shape.type(), outer, shape.dim(dim), inner, is_reverse),
        operand.bytes(), init.bytes(), false, result.mutable_bytes(),
        [&] { return context_.Check(); }));
    return result;
  }

  // Folds a window without cumulative dimensions over elements that are not narrow.
  StatusOr<Literal> Parts(const WindowOver& over, const Literal& operand, const Literal& init) {
    const ElementType type = operand.shape().type();
    const FoldKernel kernel = FindFoldKernel(kind_, type);
    WindowJoin join;
    join.run = [&](std::span<const void* const> inputs, std::span<void* const> outputs, i64 count) {
      kernel.fold(outputs[0], inputs[1], count * kernel.parts, 1, 0);
      return Status();
    };
    // Long windows are added in parts; short ones directly.
    const i64 positions = WindowPositions(over.window).value_or(0);
    WindowParts parts(kind_, type, kSlabElements, positions);
    if (positions > kShortWindow) {
      join.parts = &parts;
      join.parts_bytes = WindowParts::Bytes(type, kSlabElements, positions);
    }
    AXLE_ASSIGN(std::vector<Literal> results,
                WindowFold(over, std::move(join), {&operand, 1}, {&init, 1}, context_).Run());
    return std::move(results[0]);
  }

  const WindowOver& over_;
  ReducerKind kind_;
  const EvalContext& context_;
};

// `bounds` are the dimensions by which scans are recognised.
// Chooses between the two ways per component: blocked sums and products, or the general fold of all
// components.
StatusOr<Literal> FoldWindows(const Instruction& inst, std::span<const Literal> operands,
                              const Dims& bounds, const EvalContext& context) {
  const size_t n = operands.size() / 2;
  const Shape& shape = inst.shape();
  const WindowOver over = {inst.attrs<WindowAttrs>().window, bounds,
                           (shape.is_tuple() ? shape.element(0) : shape).dims()};
  std::vector<ElementType> types;
  for (const Literal& operand : operands.first(n)) types.push_back(operand.shape().type());
  ScalarCallee callee(inst, context);
  std::vector<ReducerKind> kinds(n, ReducerKind::kGeneral);
  if (callee.lanes() != nullptr) kinds = ClassifyReducer(*callee.lanes(), types);
  std::vector<Literal> results(n);
  bool is_blocked = true;
  for (size_t i = 0; i < n; ++i) is_blocked = is_blocked && IsSumOrProduct(kinds[i], types[i]);
  if (!is_blocked) {
    WindowJoin join;
    join.run = [&](std::span<const void* const> inputs, std::span<void* const> outputs, i64 count) {
      return callee.Run(inputs, outputs, count);
    };
    const bool is_plain = !IsNarrowFloat(types[0]) && !IsSubByte(types[0]) && !IsComplex(types[0]);
    if (n == 1 && is_plain && kinds[0] != ReducerKind::kGeneral) {
      join.scan_rows = FindFoldKernel(kinds[0], types[0]).scan_rows;
    }
    AXLE_ASSIGN(
        results,
        WindowFold(over, std::move(join), operands.first(n), operands.subspan(n), context).Run());
  }
  for (size_t i = 0; i < n; ++i) {
    if (!IsSumOrProduct(kinds[i], types[i])) continue;
    AXLE_ASSIGN(results[i],
                BlockedWindow(over, kinds[i], context).Run(operands[i], operands[n + i]));
  }
  return shape.is_tuple() ? Literal::Tuple(std::move(results)) : std::move(results[0]);
}

StatusOr<Literal> EvalReduceWindow(const Instruction& inst, std::span<Literal> operands,
                                   const EvalContext& context) {
  return FoldWindows(inst, operands, Dims(operands[0].shape().dims()), context);
}

// The window slides over the elements that are there; the direction of the fold is that of the
// bounds, so that it does not depend on run-time sizes.
StatusOr<Literal> EvalReduceWindowDynamic(const Instruction& inst, std::span<Literal> operands,
                                          const EvalContext& context) {
  const Dims bounds = operands[0].shape().dims();
  const std::span<Literal> values = operands.first(operands.size() / 2);
  AXLE_ASSIGN(const Dims sizes, AgreedSizes(inst, values));
  for (Literal& value : values) value = FirstElements(value, sizes);
  AXLE_ASSIGN(const Substitute substitute, Substitute::Create(inst, operands));
  AXLE_ASSIGN(Literal folded, FoldWindows(substitute.inst(), operands, bounds, context));
  return PutIntoBounds(inst, folded);
}

}  // namespace

const OpDef kReduceWindowDef = {
    .opcode = Opcode::kReduceWindow,
    .text = "reduce-window",
    .summary = "Folds the elements under a sliding window with a computation, for every position.",
    .semantics =
        "Each result starts as init_value and takes the elements that its window shows, in "
        "row-major order inside the window, as acc = to_apply(acc, element). Sums and products of "
        "floats go in the order of docs/numerics.md (N8), which has blocks where windows are scans "
        "or have more than 512 positions; those of narrow floats are f32 until the end. Padding "
        "and the holes "
        "of a base dilation are skipped; a window that shows no element gives init_value. In a "
        "dimension with stride 1, no dilation, a window at least as large as the operand, pad_low "
        "= 0 and pad_high = window - 1 the elements are taken downwards, so that scans in both "
        "directions are prefix folds. Negative padding crops. In each dimension, n elements lie at "
        "pad_low + (n - 1) * lhs_dilate + 1 + pad_high positions (pad_low + pad_high without "
        "elements), the window covers (size - 1) * rhs_dilate + 1 of them, and the result has a "
        "size of 1 + (positions - covered) / stride, rounded down, or 0 if the window covers more "
        "than there are. size, stride and dilations are at least 1, the positions at least 0. With "
        "n operands and n init_values, to_apply takes n accumulators and n elements, and the "
        "result is a tuple. A dynamic dimension stays dynamic: the window slides over the elements "
        "that are there, in the direction that the bound gives.",
    .source = "XLA ReduceWindow; StableHLO reduce_window; order: docs/numerics.md",
    .operands = kReduceWindowOperands,
    .attrs = Schema<WindowAttrs>(kReduceWindowAttrs),
    .callees = kReduceWindowCallees,
    .traits = kMixedPrecision,
    .lowering = Lowering::kWindow,
    .accuracy = "that of to_apply, in the order of docs/numerics.md N8",
    .infer = InferReduceWindow,
    .eval = EvalReduceWindow,
    .eval_dynamic = EvalReduceWindowDynamic,
    .permute = {PermuteForm::kAlike,
                [](const Instruction& inst, const Order& order, const Order&) {
                  return BlockOf(inst,
                                 WindowAttrs{InOrder(inst.attrs<WindowAttrs>().window, order)});
                }},
};

}  // namespace axle
