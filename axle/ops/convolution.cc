// convolution: sums of products over a window and the input features.
//
// How it runs. Along each spatial dimension, outputs whose windows lose the same positions to
// padding and holes form a class: for a window of 3 with padding 1 on 8 elements these are {0},
// {1..6} and {7}. Outputs of one class in every dimension multiply the same kernel elements, so
// they are a matrix product: rows are outputs (and batch elements), k runs over the positions that
// are left and the input features, columns are output features. Rows are gathered 64 at a time;
// blocks of 4 x 16 results are summed by the kernels of contraction_kernels.h, part by part of
// core/product_parts.h. Every result takes its products in the order of docs/numerics.md N6. lhs is
// transposed to have its features last before rows are gathered.

#include "axle/ops/convolution.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "axle/ops/contraction.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/scratch_memory.h"
#include "axle/ops/sparsity.h"
#include "axle/ops/window.h"

namespace axle {

extern const OpDef kConvolutionDef;

namespace {

constexpr AttrSpec kAttrs[] = {
    Attr<&ConvolutionAttrs::window>("window", {.field = 15}, Presence::kOptional),
    Attr<&ConvolutionAttrs::dim_labels>("dim_labels", {.field = 16}),
    Attr<&ConvolutionAttrs::feature_group_count>("feature_group_count", {.field = 50},
                                                 Presence::kOptional),
    Attr<&ConvolutionAttrs::batch_group_count>("batch_group_count", {.field = 58},
                                               Presence::kOptional),
    Attr<&ConvolutionAttrs::operand_precision>("operand_precision", {51, 1}, Presence::kOptional),
    Attr<&ConvolutionAttrs::algorithm>("algorithm", {51, 2}, Presence::kOptional),
    Attr<&ConvolutionAttrs::convolution_kind>("convolution_kind", {.field = 97},
                                              Presence::kOptional),
    Attr<&ConvolutionAttrs::sparsity_config>("sparsity_config", {.field = 98}, Presence::kOptional),
};

// Every dimension has one of the roles, and each role one dimension.
// Labels that occur twice, or not at all, are errors that name the side.
StatusOr<Roles> FindRoles(const Instruction& inst, std::string_view side, const std::string& labels,
                          std::string_view names, i64 rank) {
  Roles roles;
  roles.batch = ConvolutionDimensionNumbers::Find(labels, names[0]);
  roles.feature = ConvolutionDimensionNumbers::Find(labels, names[1]);
  bool is_complete =
      static_cast<i64>(labels.size()) == rank && roles.batch >= 0 && roles.feature >= 0;
  for (i64 s = 0; s < rank - 2; ++s) {
    roles.spatial.push_back(
        s < 10 ? ConvolutionDimensionNumbers::Find(labels, static_cast<char>('0' + s)) : -1);
    is_complete = is_complete && roles.spatial.back() >= 0;
  }
  if (is_complete) return roles;
  return OpError(inst, StrCat("dim_labels of ", side, " are \"", labels, "\", must name ", names[0],
                              ", ", names[1], rank > 2 ? StrCat(" and 0..", rank - 3) : "",
                              " once each for rank ", rank));
}

}  // namespace

StatusOr<ConvolutionRoles> FindConvolutionRoles(const Instruction& inst) {
  const ConvolutionAttrs& attrs = inst.attrs<ConvolutionAttrs>();
  const i64 rank = inst.operand(0)->shape().rank();
  ConvolutionRoles roles;
  AXLE_ASSIGN(roles.lhs, FindRoles(inst, "lhs", attrs.dim_labels.lhs, "bf", rank));
  AXLE_ASSIGN(roles.rhs, FindRoles(inst, "rhs", attrs.dim_labels.rhs, "io", rank));
  AXLE_ASSIGN(roles.output, FindRoles(inst, "the result", attrs.dim_labels.output, "bf", rank));
  return roles;
}

namespace {

// A kernel of rank r has r - 2 spatial dimensions, which the window must have as well.
Status CheckRanks(const Instruction& inst) {
  const i64 lhs = inst.operand(0)->shape().rank(), rhs = inst.operand(1)->shape().rank();
  if (lhs != rhs) {
    return OpError(inst, StrCat("lhs has rank ", lhs, " but rhs has rank ", rhs));
  }
  if (lhs < 2) return OpError(inst, StrCat("operands have rank ", lhs, ", must be >= 2"));
  const auto window = static_cast<i64>(inst.attrs<ConvolutionAttrs>().window.size());
  if (window != lhs - 2) {
    return OpError(inst, StrCat("window has ", window, " dimensions but operands of rank ", lhs,
                                " have ", lhs - 2, " spatial ones"));
  }
  return {};
}

// Only one of the two kinds of groups may be above 1.
Status CheckGroupCounts(const Instruction& inst) {
  const auto [features, batches] = std::pair(inst.attrs<ConvolutionAttrs>().feature_group_count,
                                             inst.attrs<ConvolutionAttrs>().batch_group_count);
  if (features < 1) {
    return OpError(inst, StrCat("feature_group_count is ", features, ", must be >= 1"));
  }
  if (batches < 1) {
    return OpError(inst, StrCat("batch_group_count is ", batches, ", must be >= 1"));
  }
  if (features > 1 && batches > 1) {
    return OpError(inst, StrCat("feature_group_count ", features, " and batch_group_count ",
                                batches, " are both above 1"));
  }
  return {};
}

// Checked against the sizes of the operands, once the roles are known.
Status CheckGroups(const Instruction& inst, const ConvolutionRoles& roles) {
  const auto [features, batches] = std::pair(inst.attrs<ConvolutionAttrs>().feature_group_count,
                                             inst.attrs<ConvolutionAttrs>().batch_group_count);
  const Shape &lhs = inst.operand(0)->shape(), &rhs = inst.operand(1)->shape();
  const i64 output_features = rhs.dim(roles.rhs.feature), batch = lhs.dim(roles.lhs.batch);
  const auto divides = [&](std::string_view what, i64 size, std::string_view count_name,
                           i64 count) {
    if (size % count == 0) return Status();
    return OpError(inst, StrCat(count_name, " ", count, " does not divide the ", size, " ", what));
  };
  AXLE_TRY(divides("output features", output_features, "batch_group_count", batches));
  AXLE_TRY(divides("output features", output_features, "feature_group_count", features));
  AXLE_TRY(divides("batch elements of lhs", batch, "batch_group_count", batches));
  if (HasSparseOperand(inst.attrs<ConvolutionAttrs>())) return {};
  const i64 input = lhs.dim(roles.lhs.feature), kernel_input = rhs.dim(roles.rhs.batch);
  if (CheckedMul(kernel_input, features) != input) {
    return OpError(inst, StrCat("lhs has ", input, " features, must be feature_group_count ",
                                features, " times the ", kernel_input, " input features of rhs"));
  }
  return {};
}

// Sizes follow from the roles of the dimensions: batch and features from the operands, spatial
// sizes from the window.
StatusOr<Shape> InferConvolution(const Instruction& inst) {
  const ConvolutionAttrs& attrs = inst.attrs<ConvolutionAttrs>();
  for (i64 i = 0; i < 2; ++i) AXLE_TRY(ExpectArray(inst, i));
  AXLE_TRY(CheckSparseOperands(inst, HasSparseOperand(attrs)));
  AXLE_TRY(CheckRanks(inst));
  AXLE_TRY(CheckGroupCounts(inst));
  AXLE_ASSIGN(const ConvolutionRoles roles, FindConvolutionRoles(inst));
  AXLE_TRY(CheckGroups(inst, roles));
  const Shape &lhs = inst.operand(0)->shape(), &rhs = inst.operand(1)->shape();
  Shape result(ContractionType(inst), Dims(lhs.rank()));
  result.set_dim(roles.output.batch, lhs.dim(roles.lhs.batch) / attrs.batch_group_count);
  result.set_dynamic(roles.output.batch, lhs.is_dynamic(roles.lhs.batch));
  result.set_dim(roles.output.feature, rhs.dim(roles.rhs.feature));
  for (size_t s = 0; s < attrs.window.size(); ++s) {
    const WindowDim& window = attrs.window[s];
    const i64 lhs_dim = roles.lhs.spatial[s], rhs_dim = roles.rhs.spatial[s];
    if (window.size != rhs.dim(rhs_dim)) {
      return OpError(inst, StrCat("window dimension ", s, " has size ", window.size, " but rhs ",
                                  rhs_dim, " has size ", rhs.dim(rhs_dim)));
    }
    AXLE_ASSIGN(const i64 size,
                WindowOutputSize(inst, window, static_cast<i64>(s), lhs.dim(lhs_dim)));
    result.set_dim(roles.output.spatial[s], size);
    result.set_dynamic(roles.output.spatial[s], lhs.is_dynamic(lhs_dim));
  }
  if (rhs.is_dynamic(roles.rhs.feature)) {
    return OpError(inst, "the output features of rhs are dynamic, must be static");
  }
  return result;
}

Status CheckConvolutionRuns(const Instruction& inst) {
  return CheckNothingIsSparse(inst, HasSparseOperand(inst.attrs<ConvolutionAttrs>()));
}

// Outputs along one dimension whose windows meet elements at the same positions: first, first +
// step, ... The element moves by operand_step from one to the next.
struct OutputClass {
  i64 first = 0, step = 1, count = 0;
  i64 operand_step = 0;
  Dims outputs;
  Dims operand_begins;  // the element at the first position, for each output
};

// Which element of the kernel a window position means.
i64 KernelIndex(const WindowDim& window, i64 position) {
  return window.reversal ? window.size - 1 - position : position;
}

// Only the first kernel_size elements of the kernel exist; positions that need others count as
// positions without an element. Outputs are grouped by the first position, the step and the number
// of positions.
StatusOr<std::vector<OutputClass>> ClassifyOutputs(const WindowDim& window, i64 kernel_size,
                                                   i64 operand_size, i64 output_size,
                                                   const EvalContext& context) {
  struct Positions {
    i64 first = 0, step = 1, count = 0, operand_begin = 0, operand_step = 0;
  };
  AXLE_ASSIGN(const std::vector<WindowTap> taps,
              WindowTaps(window, operand_size, output_size, context.limits));
  const ScratchMemory scratch(context, output_size * i64{sizeof(Positions)});
  AXLE_TRY(scratch.status());
  std::vector<Positions> of_output(output_size);
  for (const WindowTap& tap : taps) {
    AXLE_TRY(context.Check());
    if (KernelIndex(window, tap.position) >= kernel_size) continue;
    for (i64 j = 0; j < tap.count; ++j) {
      Positions& p = of_output[tap.output_begin + j * tap.output_step];
      const i64 element = tap.operand_begin + j * tap.operand_step;
      if (p.count == 0) {
        p.first = tap.position;
        p.operand_begin = element;
      } else if (p.count == 1) {
        p.step = tap.position - p.first;
        p.operand_step = element - p.operand_begin;
      }
      ++p.count;
    }
  }
  std::vector<OutputClass> classes;
  std::map<std::array<i64, 3>, size_t> known;
  for (i64 o = 0; o < output_size; ++o) {
    const Positions& p = of_output[o];
    const auto [it, is_new] = known.try_emplace({p.first, p.step, p.count}, classes.size());
    if (is_new) classes.push_back({p.first, p.step, p.count, p.operand_step, {}, {}});
    classes[it->second].outputs.push_back(o);
    classes[it->second].operand_begins.push_back(p.operand_begin);
  }
  return classes;
}

// The strides of one side, by role.
struct SideStrides {
  SideStrides(const Shape& shape, const Roles& roles) {
    const Dims strides = RowMajorStrides(shape.dims());
    batch = strides[roles.batch];
    feature = strides[roles.feature];
    for (i64 d : roles.spatial) spatial.push_back(strides[d]);
  }
  i64 batch, feature;
  Dims spatial;
};

// Adjacent elements of lhs in a row; a negative offset stands for zeros.
struct Segment {
  i64 begin, count, offset;
};

// One convolution. Run walks over the classes of outputs; per class, Order lists the elements of a
// row and of a column, and RunParts multiplies them part by part.
class Convolver {
 public:
  Convolver(const Instruction& inst, const ConvolutionRoles& roles, const Literal& lhs,
            const Literal& rhs, const Dims& kernel_sizes, const Contraction& contraction,
            const EvalContext& context)
      : attrs_(inst.attrs<ConvolutionAttrs>()),
        context_(context),
        kernel_sizes_(kernel_sizes),
        accumulator_(contraction, BlockAccumulator::OrderFor(contraction, lhs, rhs)),
        is_tiled_(contraction.is_tiled),
        lhs_(lhs.bytes()),
        rhs_(rhs.bytes()),
        lhs_strides_(lhs.shape(), roles.lhs),
        rhs_strides_(rhs.shape(), roles.rhs),
        output_strides_(inst.shape(), roles.output),
        batch_size_(inst.shape().dim(roles.output.batch)),
        input_features_(rhs.shape().dim(roles.rhs.batch)),
        inner_(input_features_) {
    groups_ = std::max(attrs_.feature_group_count, attrs_.batch_group_count);
    group_features_ = rhs.shape().dim(roles.rhs.feature) / groups_;
    lhs_group_stride_ = attrs_.batch_group_count > 1 ? batch_size_ * lhs_strides_.batch
                                                     : input_features_ * lhs_strides_.feature;
    for (i64 d : roles.lhs.spatial) lhs_sizes_.push_back(lhs.shape().dim(d));
    for (i64 d : roles.output.spatial) output_sizes_.push_back(inst.shape().dim(d));
    i64 num_positions = 1;
    // The parts of a sum follow from the window of the program, not from the positions that a class
    // meets: outputs at the border use the same numbering as those in the middle.
    for (size_t s = 0; s < attrs_.window.size(); ++s) {
      (IsFlat(s) ? inner_ : num_positions) *= attrs_.window[s].size;
    }
    part_ = PartsOf(accumulator_.part_rule(), num_positions, inner_, accumulator_.unit());
    parts_in_position_ = (inner_ + part_.elements - 1) / part_.elements;
    num_parts_ = (num_positions + part_.positions - 1) / part_.positions * parts_in_position_;
  }

  // The outputs along a dimension whose windows meet elements at the same positions are a class.
  // The outputs of one choice of classes have the same positions, so that they are computed as a
  // matrix product.
  Status Run(std::byte* results) {
    const size_t rank = attrs_.window.size();
    std::vector<std::vector<OutputClass>> classes(rank);
    for (size_t s = 0; s < rank; ++s) {
      AXLE_ASSIGN(classes[s], ClassifyOutputs(attrs_.window[s], kernel_sizes_[s], lhs_sizes_[s],
                                              output_sizes_[s], context_));
    }
    // Every choice of one class per dimension.
    std::vector<size_t> chosen(rank, 0);
    while (true) {
      std::vector<const OutputClass*> choice;
      for (size_t s = 0; s < rank; ++s) choice.push_back(&classes[s][chosen[s]]);
      AXLE_TRY(RunClass(choice, results));
      // An odometer over the classes of all dimensions.
      size_t s = rank;
      while (s > 0 && ++chosen[s - 1] == classes[s - 1].size()) chosen[--s] = 0;
      if (s == 0) return {};
    }
  }

 private:
  static constexpr i64 kRows = 64;  // a multiple of kBlockRows

  // A part that is not empty: its number, and where its elements end.
  struct Part {
    i64 number, end;
  };
  // Where k = 0, 1, ... is in a row of lhs, from the element at the first window position, and in a
  // column of rhs; -1 where a tile is filled up with zeros.
  struct Order {
    Dims lhs, rhs;
    std::vector<Part> parts;
  };

  // Appends the input features of one window position; an offset of -1 stands for zeros.
  void AppendPosition(i64 lhs_offset, i64 rhs_offset, Order& order) const {
    for (i64 i = 0; i < input_features_; ++i) {
      order.lhs.push_back(lhs_offset < 0 ? -1 : lhs_offset + i * lhs_strides_.feature);
      order.rhs.push_back(rhs_offset < 0 ? -1 : rhs_offset + i * rhs_strides_.batch);
    }
  }
  // Completes a position, whose elements are appended, with zeros, and says where its parts end.
  void EndPosition(i64 position, Order& order) const {
    const i64 begin = order.parts.empty() ? 0 : order.parts.back().end;
    const i64 end = accumulator_.Padded(static_cast<i64>(order.lhs.size()));
    order.lhs.resize(end, -1);
    order.rhs.resize(end, -1);
    if (parts_in_position_ == 1) {
      const i64 number = position / part_.positions;
      if (order.parts.empty() || order.parts.back().number != number) {
        order.parts.push_back({number, end});
      }
      order.parts.back().end = end;
      return;
    }
    for (i64 i = 0; i < parts_in_position_; ++i) {
      order.parts.push_back(
          {position * parts_in_position_ + i, std::min(end, begin + (i + 1) * part_.elements)});
    }
  }

  // Window positions of dimensions `s` and up, row-major, input features fastest. `position` counts
  // those of the dimensions before.
  // Recursion over the spatial dimensions, of which there are at most ten.
  void AppendPositions(std::span<const OutputClass* const> choice, size_t s, i64 lhs_offset,
                       i64 rhs_offset, i64 position, Order& order) const {
    if (s == choice.size()) {
      AppendPosition(lhs_offset, rhs_offset, order);
      EndPosition(position, order);
      return;
    }
    const OutputClass& positions = *choice[s];
    const WindowDim& window = attrs_.window[s];
    const i64 lhs_step = positions.operand_step * lhs_strides_.spatial[s];
    if (IsFlat(s)) {
      i64 met = 0;
      for (i64 k = 0; k < window.size; ++k) {
        if (met == positions.count || k != positions.first + met * positions.step) {
          AppendPosition(-1, -1, order);
          continue;
        }
        AppendPosition(lhs_offset + met * lhs_step,
                       rhs_offset + KernelIndex(window, k) * rhs_strides_.spatial[s], order);
        ++met;
      }
      EndPosition(position, order);
      return;
    }
    for (i64 met = 0; met < positions.count; ++met) {
      const i64 k = positions.first + met * positions.step;
      AppendPositions(choice, s + 1, lhs_offset + met * lhs_step,
                      rhs_offset + KernelIndex(window, k) * rhs_strides_.spatial[s],
                      position * window.size + k, order);
    }
  }

  // Tiles of few input features run over the whole last window dimension, padding included.
  bool IsFlat(size_t s) const {
    return is_tiled_ && input_features_ < kTileDepth && s + 1 == attrs_.window.size();
  }

  // Neighbouring offsets are joined into segments, so that rows are gathered with copies of runs
  // instead of element by element.
  static std::vector<Segment> SegmentsOf(std::span<const i64> offsets) {
    std::vector<Segment> segments;
    for (size_t k = 0; k < offsets.size(); ++k) {
      const i64 offset = offsets[k];
      if (!segments.empty()) {
        Segment& last = segments.back();
        const i64 next = last.offset < 0 ? -1 : last.offset + last.count;
        if (offset == next) {
          ++last.count;
          continue;
        }
      }
      segments.push_back({static_cast<i64>(k), 1, offset});
    }
    return segments;
  }

  // Where the first element of each output's window and the output itself are.
  struct Output {
    i64 lhs, result;
  };
  // The product of the classes' outputs, with the batch.
  std::vector<Output> OutputsOf(std::span<const OutputClass* const> choice) const {
    std::vector<Output> outputs;
    for (i64 b = 0; b < batch_size_; ++b) {
      outputs.push_back({b * lhs_strides_.batch, b * output_strides_.batch});
    }
    for (size_t s = 0; s < choice.size(); ++s) {
      std::vector<Output> next;
      next.reserve(outputs.size() * choice[s]->outputs.size());
      for (const Output& output : outputs) {
        for (size_t i = 0; i < choice[s]->outputs.size(); ++i) {
          next.push_back({output.lhs + choice[s]->operand_begins[i] * lhs_strides_.spatial[s],
                          output.result + choice[s]->outputs[i] * output_strides_.spatial[s]});
        }
      }
      outputs = std::move(next);
    }
    return outputs;
  }

  // Bytes of the tables and copies for one class; K and the number of outputs may be huge.
  i64 ScratchBytes(std::span<const OutputClass* const> choice) const {
    i64 positions = 1, outputs = batch_size_;
    for (size_t s = 0; s < choice.size(); ++s) {
      positions *= IsFlat(s) ? attrs_.window[s].size : choice[s]->count;
      outputs *= static_cast<i64>(choice[s]->outputs.size());
    }
    const i64 count = positions * accumulator_.Padded(input_features_);
    const i64 depth = std::min(count, kOnePartElements);
    const i64 columns = group_features_ + kPanelColumns;
    const i64 sums = NumGroups() > 1 ? outputs * group_features_ : 0;
    return count * i64{sizeof(i64)} * 2 + outputs * i64{sizeof(Output)} * 2 +
           depth * (kRows + columns) * accumulator_.element_bytes() +
           sums * accumulator_.element_bytes() + GroupTree::Bytes(accumulator_, num_parts_, sums);
  }

  // The tables of a class are built once and used for all feature groups.
  Status RunClass(std::span<const OutputClass* const> choice, std::byte* results) {
    const ScratchMemory scratch(context_, ScratchBytes(choice));
    AXLE_TRY(scratch.status());
    Order order;
    AppendPositions(choice, 0, 0, 0, 0, order);
    const std::vector<Output> outputs = OutputsOf(choice);
    for (i64 g = 0; g < groups_; ++g) AXLE_TRY(RunParts(order, outputs, g, results));
    return {};
  }

  // Groups of parts, in which the canonical order joins the sums of parts.
  i64 NumGroups() const {
    return (num_parts_ + accumulator_.part_rule().group_parts - 1) /
           accumulator_.part_rule().group_parts;
  }

  // All parts of a feature group, by groups of parts.
  Status RunParts(const Order& order, std::span<const Output> outputs, i64 feature_group,
                  std::byte* results) {
    const i64 num_groups = NumGroups(),
              num_sums = static_cast<i64>(outputs.size()) * group_features_;
    GroupTree tree(accumulator_, num_sums);
    // Several groups of parts need their sums apart from the results, to join them by a tree.
    std::vector<std::byte> sums;
    if (num_groups > 1) sums.resize(num_sums * accumulator_.element_bytes());
    i64 begin = 0;
    auto part = order.parts.begin();
    if (order.parts.empty()) {
      return RunSlice({}, {}, outputs, feature_group, SumMode::kBegin, results);
    }
    for (i64 group = 0; group < num_groups; ++group) {
      SumMode mode = SumMode::kBegin;
      for (; part != order.parts.end() &&
             part->number / accumulator_.part_rule().group_parts == group;
           begin = part++->end) {
        AXLE_TRY(RunSlice(std::span(order.lhs).subspan(begin, part->end - begin),
                          std::span(order.rhs).subspan(begin, part->end - begin), outputs,
                          feature_group, mode, results));
        mode = accumulator_.ModeOf(1);
      }
      if (num_groups == 1) break;
      if (mode == SumMode::kBegin) {
        accumulator_.FillNegativeZeros(num_sums, sums.data());  // an empty group changes no sum
      } else {
        CopySums(outputs, feature_group, results, sums.data(), false);
      }
      tree.Add(sums.data(), group + 1 == num_groups);
    }
    if (num_groups > 1) CopySums(outputs, feature_group, results, sums.data(), true);
    return {};
  }

  // Copies sums between their places in `results` and an array of their own.
  void CopySums(std::span<const Output> outputs, i64 feature_group, std::byte* results,
                std::byte* sums, bool to_results) const {
    DispatchBytes(static_cast<int>(accumulator_.element_bytes()), [&]<typename T>() {
      T* x = reinterpret_cast<T*>(sums);
      for (const Output& output : outputs) {
        T* y = reinterpret_cast<T*>(results) + output.result +
               feature_group * group_features_ * output_strides_.feature;
        for (i64 f = 0; f < group_features_; ++f, ++x, y += output_strides_.feature) {
          to_results ? * y = *x : * x = *y;
        }
      }
    });
  }

  // Takes a slice of k into the output features of a group.
  Status RunSlice(std::span<const i64> lhs_order, std::span<const i64> rhs_order,
                  std::span<const Output> outputs, i64 group, SumMode mode, std::byte* results) {
    const auto count = static_cast<i64>(lhs_order.size());
    const std::vector<Segment> segments = SegmentsOf(lhs_order);
    const i64 panel_bytes = accumulator_.PanelBytes(count);
    const i64 num_panels = (group_features_ + kPanelColumns - 1) / kPanelColumns;
    panels_.resize(num_panels * panel_bytes);
    rows_.resize(kRows * count * accumulator_.element_bytes());
    for (i64 p = 0; p < num_panels; ++p) {
      AXLE_TRY(context_.Check());
      accumulator_.PackPanel(rhs_, rhs_order, ColumnOffsets(group, p), count,
                             panels_.data() + p * panel_bytes);
    }
    for (size_t begin = 0; begin < outputs.size(); begin += kRows) {
      const auto block = outputs.subspan(begin, std::min<size_t>(kRows, outputs.size() - begin));
      CopyRows(segments, block, group * lhs_group_stride_, count);
      AXLE_TRY(MultiplyBlock(block, count, group, mode, results));
    }
    return {};
  }

  // The last panel has the remaining output features.
  i64 PanelWidth(i64 panel) const {
    return std::min(kPanelColumns, group_features_ - panel * kPanelColumns);
  }
  Dims ColumnOffsets(i64 group, i64 panel) const {
    Dims offsets;
    for (i64 j = 0; j < PanelWidth(panel); ++j) {
      const i64 feature = group * group_features_ + panel * kPanelColumns + j;
      offsets.push_back(feature * rhs_strides_.feature);
    }
    return offsets;
  }

  // Rows are contiguous copies of the elements in the order of k.
  void CopyRows(std::span<const Segment> segments, std::span<const Output> outputs,
                i64 group_offset, i64 count) {
    DispatchBytes(static_cast<int>(accumulator_.element_bytes()), [&]<typename T>() {
      T* row = reinterpret_cast<T*>(rows_.data());
      for (const Output& output : outputs) {
        const T* x = reinterpret_cast<const T*>(lhs_) + output.lhs + group_offset;
        for (const Segment& segment : segments) {
          if (segment.offset < 0) {
            std::fill_n(row + segment.begin, segment.count, T());
          } else {
            std::copy_n(x + segment.offset, segment.count, row + segment.begin);
          }
        }
        row += count;
      }
    });
  }

  // 4 rows at a time against each panel; results are scattered to the places of the outputs.
  Status MultiplyBlock(std::span<const Output> outputs, i64 count, i64 group, SumMode mode,
                       std::byte* results) const {
    const i64 row_bytes = count * accumulator_.element_bytes();
    const auto num_rows = static_cast<i64>(outputs.size());
    for (i64 p = 0; p * kPanelColumns < group_features_; ++p) {
      const i64 feature = group * group_features_ + p * kPanelColumns;
      for (i64 row = 0; row < num_rows; row += kBlockRows) {
        const i64 height = std::min(kBlockRows, num_rows - row);
        const void* block[kBlockRows];
        i64 offsets[kBlockRows];
        for (i64 i = 0; i < height; ++i) {
          block[i] = rows_.data() + (row + i) * row_bytes;
          offsets[i] = outputs[row + i].result + feature * output_strides_.feature;
        }
        AXLE_TRY(context_.Check());
        accumulator_.Multiply(
            std::span(block, height), panels_.data() + p * accumulator_.PanelBytes(count), count,
            mode, PanelWidth(p), results, std::span(offsets, height), output_strides_.feature);
      }
    }
    return {};
  }

  const ConvolutionAttrs& attrs_;
  const EvalContext& context_;
  const Dims& kernel_sizes_;
  BlockAccumulator accumulator_;
  bool is_tiled_;
  const std::byte *lhs_, *rhs_;
  SideStrides lhs_strides_, rhs_strides_, output_strides_;
  i64 batch_size_;      // of the result
  i64 input_features_;  // of one group
  i64 inner_;           // elements of a position, including the last dimension if it is flat
  ProductParts part_;
  i64 parts_in_position_ = 1, num_parts_ = 1;
  i64 groups_, group_features_, lhs_group_stride_;
  Dims lhs_sizes_, output_sizes_;
  std::vector<std::byte> panels_, rows_;
};

// The same array with the features last, where windows are gathered from; `roles` follow.
// Gathering a row reads all features of a position, which are adjacent after this transpose.
StatusOr<Literal> FeaturesLast(Literal literal, Roles& roles) {
  const i64 rank = literal.shape().rank();
  if (roles.feature == rank - 1) return literal;
  Dims order = {roles.batch}, sizes;
  order.insert(order.end(), roles.spatial.begin(), roles.spatial.end());
  order.push_back(roles.feature);
  for (i64 d : order) sizes.push_back(literal.shape().dim(d));
  const Shape shape(literal.shape().type(), sizes);
  roles.batch = 0;
  roles.feature = rank - 1;
  std::iota(roles.spatial.begin(), roles.spatial.end(), 1);
  return EvaluateIndexMap({WholeResult(shape, 0, rank, order)}, shape, {&literal, 1});
}

}  // namespace

// The operands are brought into the type of the computation first, then multiplied; the sums are
// rounded to the result type at the end.
StatusOr<Literal> Convolve(const Instruction& inst, std::span<Literal> operands,
                           const Dims& kernel_sizes, const EvalContext& context) {
  const Contraction contraction(operands[0].shape().type(), operands[1].shape().type(),
                                inst.shape().type());
  const Shape sums_shape = inst.shape().WithoutLayout().WithType(contraction.computed);
  AXLE_ASSIGN(Literal sums, Literal::CreateUninitialized(sums_shape));
  if (sums.num_elements() == 0) return contraction.Result(std::move(sums));
  if (operands[0].num_elements() == 0 || operands[1].num_elements() == 0) {
    // Sums of nothing. The dimensions beside a zero may be too long to walk.
    std::memset(sums.mutable_bytes(), 0, sums.num_bytes());
  } else {
    AXLE_ASSIGN(ConvolutionRoles roles, FindConvolutionRoles(inst));
    AXLE_ASSIGN(Literal lhs, contraction.Factor(operands[0], contraction.lhs_multiplied));
    AXLE_ASSIGN(const Literal rhs, contraction.Factor(operands[1], contraction.rhs_multiplied));
    AXLE_ASSIGN(lhs, FeaturesLast(std::move(lhs), roles.lhs));
    Convolver convolver(inst, roles, lhs, rhs, kernel_sizes, contraction, context);
    AXLE_TRY(convolver.Run(sums.mutable_bytes()));
  }
  return contraction.Result(std::move(sums));
}

namespace {

StatusOr<Literal> EvalConvolution(const Instruction& inst, std::span<Literal> operands,
                                  const EvalContext& context) {
  Dims kernel_sizes;
  for (const WindowDim& window : inst.attrs<ConvolutionAttrs>().window) {
    kernel_sizes.push_back(window.size);
  }
  return Convolve(inst, operands, kernel_sizes, context);
}

}  // namespace

const OpDef kConvolutionDef = {
    .opcode = Opcode::kConvolution,
    .text = "convolution",
    .summary =
        "Slides a kernel over the spatial dimensions: at each place, sums of products over the "
        "window and the input features.",
    .semantics =
        "dim_labels says which dimension of lhs, rhs and the result is batch, feature or spatial. "
        "The kernel is not flipped, unless rhs_reversal says so. pad adds places around lhs "
        "(negative: takes them away), lhs_dilate puts holes between its elements and rhs_dilate "
        "between those of the kernel; padding and holes contribute nothing, even where the kernel "
        "holds an infinity or NaN. In each dimension, n elements lie at pad_low + (n - 1) * "
        "lhs_dilate + 1 + pad_high positions (pad_low + pad_high without elements), the window "
        "covers (size - 1) * rhs_dilate + 1 of them, and the result has a size of 1 + (positions - "
        "covered) / stride, rounded down, or 0 if the window covers more than there are. size, "
        "stride and dilations are at least 1, the positions at least 0. feature_group_count splits "
        "the input features: each group of output features sees only its own. batch_group_count "
        "splits the batch instead. Both operands are converted to the result's element type, the "
        "declared one, or else the operand type of higher precision. Integers wrap around, pred is "
        "the or of ands. Every result has one order of additions, see docs/numerics.md N6; "
        "operand_precision, algorithm and convolution_kind are carried and change nothing. A "
        "dynamic spatial dimension of lhs ends where its elements do, and the result is dynamic "
        "there; a dynamic batch is that of the result, and batch_group_count must divide its "
        "run-time size. Input features that are padding on either side count as zeros on both, in "
        "groups that are those of the bounds. Padding of a dynamic window of rhs is skipped; the "
        "sizes of the result are those for the bound. With sparsity_config an operand holds only "
        "some "
        "elements of each block of its features, and the operands behind rhs say which: that is "
        "read and printed, and UNIMPLEMENTED when it is compiled.",
    .source = "XLA ConvGeneralDilated; StableHLO convolution; docs/numerics.md N6",
    .operands = kSparseOperands,
    .attrs = Schema<ConvolutionAttrs>(kAttrs),
    .traits = kMixedPrecision,
    .lowering = Lowering::kConvolution,
    .accuracy = "one fma per product in a fixed order, docs/numerics.md N6",
    .infer = InferConvolution,
    .check_run = CheckConvolutionRuns,
    .eval = EvalConvolution,
    .eval_dynamic = EvalConvolutionDynamic,
    .permute = {PermuteForm::kConvolution},
};

}  // namespace axle
