// sort: orders every line along a dimension by a comparator, all operands alike. Always stable
// (numerics.md N10). A line is copied out, a list of positions is sorted by MergeSort, and the
// elements are written back in that order. Most comparators compare one key of each side, a
// total-order float for example (comparator.h): then keys are computed once per element in blocks
// and compared directly. The steps of the sort, and so the result for inconsistent comparators, are
// the same in both cases.

#include <algorithm>
#include <type_traits>

#include "axle/core/strings.h"
#include "axle/emit/dispatch.h"
#include "axle/emit/strided_copy.h"
#include "axle/ops/dynamic.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/lanes/comparator.h"
#include "axle/ops/merge_sort.h"
#include "axle/ops/scalar_callee.h"
#include "axle/ops/scratch_memory.h"
#include "axle/ops/sort_lines.h"

namespace axle {

extern const OpDef kSortDef;

namespace {

constexpr OperandSpec kSortOperands[] = {{"operand", kVariadic}};
constexpr AttrSpec kSortAttrs[] = {
    Attr<&SortAttrs::dimensions>("dimensions", {.field = 14}),
    Attr<&SortAttrs::is_stable>("is_stable", {.field = 60}, Presence::kOptional),
};
constexpr CalleeSpec kSortCallees[] = {{"to_apply"}};

// All operands are permuted alike, so that they share their dimensions.
StatusOr<Shape> InferSort(const Instruction& inst) {
  const i64 n = inst.num_operands();
  const Dims& dimensions = inst.attrs<SortAttrs>().dimensions;
  if (n == 0) return OpError(inst, "has no operands");
  for (i64 i = 0; i < n; ++i) AXLE_TRY(ExpectArray(inst, i));
  const Shape& first = inst.operand(0)->shape();
  std::vector<Shape> results;
  std::vector<ElementType> types;
  for (i64 i = 0; i < n; ++i) {
    const Shape& operand = inst.operand(i)->shape();
    if (!SameDims(operand, first)) return OpError(inst, "operands must have the same dimensions");
    results.push_back(operand.WithoutLayout());
    for (i64 k = 0; k < n; ++k) MergeDynamic(inst.operand(k)->shape(), results.back());
    types.push_back(operand.type());
  }
  if (first.rank() == 0) return OpError(inst, "operand has rank 0, must have a dimension to sort");
  if (dimensions.size() != 1) {
    return OpError(inst, StrCat("dimensions names ", dimensions.size(), " dimensions, must be 1"));
  }
  AXLE_TRY(CheckDims(inst, "dimensions", dimensions, first.rank()));
  AXLE_TRY(CheckComparator(inst, types));
  return n == 1 ? results[0] : Shape::Tuple(std::move(results));
}

// Runs the comparator on two elements of each operand. An error of the run is kept in status_, and
// all further comparisons are false, so that the sort ends.
class CalledLess {
 public:
  CalledLess(const Instruction& inst, const EvalContext& context) : callee_(inst, context) {}

  void SetLine(std::span<const std::vector<std::byte>> line, std::span<const i64> bytes) {
    line_ = line;
    bytes_ = bytes;
    inputs_.resize(2 * line.size());
  }
  bool operator()(i64 i, i64 j) {
    if (!status_.ok()) return false;
    for (size_t k = 0; k < line_.size(); ++k) {
      inputs_[2 * k] = line_[k].data() + i * bytes_[k];
      inputs_[2 * k + 1] = line_[k].data() + j * bytes_[k];
    }
    bool less = false;
    void* output = &less;
    if (ScalarExecutor* scalar = callee_.scalar()) {
      scalar->Run(inputs_, {&output, 1});
    } else {
      status_ = callee_.Run(inputs_, {&output, 1}, 1);
    }
    return less;
  }
  const Status& status() const { return status_; }
  const LaneProgram* lanes() const { return callee_.lanes(); }

 private:
  ScalarCallee callee_;
  std::span<const std::vector<std::byte>> line_;
  std::span<const i64> bytes_;
  std::vector<const void*> inputs_;
  Status status_;
};

// fn.template operator()<T>() with the type of a key. Dispatched once per line.
template <typename Fn>
Status DispatchKey(LaneType type, Fn&& fn) {
  return DispatchLane(type, [&]<typename T>() -> Status {
    using Key = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
    return fn.template operator()<Key>();
  });
}

// Sorts the lines one by one. The operands' storage becomes the result if nobody else holds it.
class Sorter {
 public:
  Sorter(const Instruction& inst, i64 dim, std::span<Literal> operands, const EvalContext& context)
      : context_(context), less_(inst, context) {
    const Shape& shape = operands[0].shape();
    size_ = shape.dim(dim);
    step_ = RowMajorStrides(shape.dims())[dim];
    num_lines_ = size_ == 0 ? 0 : shape.num_elements() / size_;
    for (Literal& operand : operands) {
      bytes_.push_back(Info(operand.shape().type()).bytes);
      line_.emplace_back(num_lines_ == 0 ? 0 : size_ * bytes_.back());
      results_.push_back(std::move(operand));  // sorted in place if nobody else holds it
      operand = Literal();
    }
    if (less_.lanes() != nullptr) key_ = FindKey(*less_.lanes());
  }

  StatusOr<std::vector<Literal>> Run() {
    if (size_ < 2) return std::move(results_);
    std::vector<std::byte*> data;
    for (Literal& result : results_) data.push_back(result.mutable_bytes());
    for (i64 line = 0; line < num_lines_; ++line) {
      // Lines begin at every element with index 0 in the sorted dimension.
      const i64 begin = line / step_ * step_ * size_ + line % step_;
      for (size_t k = 0; k < data.size(); ++k) {
        const StridedDim dim = {size_, bytes_[k], step_ * bytes_[k]};
        StridedCopy({&dim, 1}, line_[k].data(), data[k] + begin * bytes_[k], bytes_[k]);
      }
      AXLE_TRY(SortLine());
      for (size_t k = 0; k < data.size(); ++k) AXLE_TRY(WriteLine(k, data[k] + begin * bytes_[k]));
    }
    return std::move(results_);
  }

 private:
  // Elements of a long line between two checks of the limits: milliseconds.
  static constexpr i64 kCheckEvery = 1 << 20;

  // Sets order_ to the positions of the line in their new order.
  Status SortLine() {
    order_.resize(size_);
    std::iota(order_.begin(), order_.end(), i64{0});
    if (key_) return SortLineByKey();
    less_.SetLine(line_, bytes_);
    AXLE_TRY(MergeSort(order_, less_, [&]() -> Status {
      AXLE_TRY(less_.status());
      return context_.Check();
    }));
    return less_.status();
  }

  // Computes the keys of the line, then sorts positions by comparing keys. The four directions are
  // four instantiations, so that the inner loop has no branch on them.
  Status SortLineByKey() {
    const LaneType type = key_->key.outputs[0].type;
    keys_.resize(size_ * BytesOf(type));
    for (i64 begin = 0; begin < size_; begin += kCheckEvery) {
      AXLE_TRY(context_.Check());
      const void* line = line_[key_->operand].data() + begin * bytes_[key_->operand];
      void* keys = keys_.data() + begin * BytesOf(type);
      AXLE_TRY(context_.executor.Run(key_->key, {&line, 1}, {&keys, 1},
                                     std::min(kCheckEvery, size_ - begin)));
    }
    return DispatchKey(type, [&]<typename T>() -> Status {
      const T* key = reinterpret_cast<const T*>(keys_.data());
      const auto check = [&] { return context_.Check(); };
      if (key_->or_equal) {
        if (key_->descending) {
          return MergeSort(
              order_, [key](i64 i, i64 j) { return key[j] <= key[i]; }, check);
        }
        return MergeSort(
            order_, [key](i64 i, i64 j) { return key[i] <= key[j]; }, check);
      }
      if (key_->descending) {
        return MergeSort(
            order_, [key](i64 i, i64 j) { return key[j] < key[i]; }, check);
      }
      return MergeSort(
          order_, [key](i64 i, i64 j) { return key[i] < key[j]; }, check);
    });
  }

  // Writes the elements back in their new order.
  Status WriteLine(size_t k, std::byte* to) const {
    for (i64 begin = 0; begin < size_; begin += kCheckEvery) {
      AXLE_TRY(context_.Check());
      const i64 end = std::min(begin + kCheckEvery, size_);
      DispatchBytes(static_cast<int>(bytes_[k]), [&]<typename T>() {
        const T* from = reinterpret_cast<const T*>(line_[k].data());
        for (i64 i = begin; i < end; ++i) reinterpret_cast<T*>(to)[i * step_] = from[order_[i]];
      });
    }
    return {};
  }

  const EvalContext& context_;
  CalledLess less_;
  std::optional<KeyedComparator> key_;
  std::vector<Literal> results_;
  i64 size_ = 0, step_ = 1, num_lines_ = 0;
  // The line at hand, per operand.
  std::vector<std::vector<std::byte>> line_;
  std::vector<i64> bytes_;
  std::vector<i64> order_;
  std::vector<std::byte> keys_;
};

StatusOr<Literal> EvalSort(const Instruction& inst, std::span<Literal> operands,
                           const EvalContext& context) {
  AXLE_ASSIGN(std::vector<Literal> results,
              SortLines(inst, inst.attrs<SortAttrs>().dimensions[0], operands, context));
  return inst.shape().is_tuple() ? Literal::Tuple(std::move(results)) : std::move(results[0]);
}

}  // namespace

Status CheckComparator(const Instruction& inst, std::span<const ElementType> types) {
  std::vector<Shape> parameters;
  for (ElementType type : types) parameters.insert(parameters.end(), 2, Shape(type));
  return CheckCallee(inst, 0, parameters, Shape(PRED));
}

// The scratch memory is charged before the sort begins.
StatusOr<std::vector<Literal>> SortLines(const Instruction& inst, i64 dim,
                                         std::span<Literal> operands, const EvalContext& context) {
  // The line of each operand; its order, twice, and its keys.
  i64 bytes_per_position = 3 * i64{sizeof(i64)};
  for (const Literal& operand : operands) bytes_per_position += Info(operand.shape().type()).bytes;
  const Shape& shape = operands[0].shape();
  const i64 size = shape.num_elements() == 0 ? 0 : shape.dim(dim);
  const ScratchMemory scratch(context, CheckedMul(size, bytes_per_position).value_or(size));
  AXLE_TRY(scratch.status());
  return Sorter(inst, dim, operands, context).Run();
}

const OpDef kSortDef = {
    .opcode = Opcode::kSort,
    .text = "sort",
    .summary = "Sorts every line along a dimension, several operands together, by a comparator.",
    .semantics =
        "to_apply(a0, b0, a1, b1, ...) says whether the elements a of the operands go strictly "
        "before the elements b. It should be a strict weak order; a < b on floats is not one if "
        "there are NaNs. The sort is stable whether is_stable asks for it or not, and does the "
        "same steps for a comparator that is no order: runs of 1, 2, 4, ... elements are merged, "
        "the right one going first only where it is strictly before the left one. All operands "
        "are permuted alike; the result is a tuple if there are several.",
    .source = "XLA Sort; StableHLO sort",
    .operands = kSortOperands,
    .attrs = Schema<SortAttrs>(kSortAttrs),
    .callees = kSortCallees,
    .traits = kMixedPrecision,
    .lowering = Lowering::kSort,
    .infer = InferSort,
    .eval = EvalSort,
    .eval_dynamic = EvaluateCutAlike,
};

}  // namespace axle
