#include "axle/codegen/steps/fft_step.h"

#include <algorithm>
#include <bit>

#include "axle/core/float_environment.h"
#include "axle/emit/executor.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/fft_plan.h"

namespace axle {
namespace {

// Of a program, for each dimension of a transform.
constexpr i64 kMaxTableBytes = 64 << 20;

// Nanoseconds per element and stage of radix 2, of f32.
constexpr double kStageTime = 0.1;

class Planner {
 public:
  Planner(const Instruction& inst, InstructionSet instruction_set)
      : inst_(inst),
        attrs_(inst.attrs<FftAttrs>()),
        instruction_set_(instruction_set),
        rank_(inst.shape().rank()),
        num_lengths_(static_cast<i64>(attrs_.fft_length.size())) {
    for (const i64 length : attrs_.fft_length) total_ *= static_cast<double>(length);
  }

  // In the order of docs/numerics.md.
  std::shared_ptr<const FftStep> Make() {
    const FftType type = attrs_.fft_type;
    const bool is_inverse = type == FftType::kIfft || type == FftType::kIrfft;
    const i64 last = num_lengths_ - 1;
    if (type == FftType::kIrfft) {
      for (i64 i = 0; i < last; ++i) Add(inst_.operand(0)->shape(), i, Ends::kNone, true, false);
      Add(inst_.shape(), last, Ends::kTo, true, true);
      if (num_lengths_ > 1) step_->between_bytes = inst_.operand(0)->shape().num_bytes();
    } else {
      for (i64 i = last; i >= 0; --i) {
        const bool is_real = type == FftType::kRfft && i == last;
        Add(is_real ? inst_.operand(0)->shape() : inst_.shape(), i,
            is_real ? Ends::kFrom : Ends::kNone, is_inverse, i == 0);
      }
    }
    return is_possible_ ? step_ : nullptr;
  }

 private:
  enum class Ends { kNone, kFrom, kTo };

  // Lines along the dimension of fft_length[i] of an array that has that length.
  void Add(const Shape& shape, i64 i, Ends real, bool is_inverse, bool is_last) {
    if (!is_possible_) return;
    const i64 d = rank_ - num_lengths_ + i, length = attrs_.fft_length[i];
    const bool is_even = length % 2 == 0;
    FftDescription fft;
    fft.is_f64 = PartOf(shape.type()) == F64;
    fft.is_inverse = is_inverse;
    if (real == Ends::kFrom) fft.ends = is_even ? FftEnds::kRealEven : FftEnds::kRealOdd;
    if (real == Ends::kTo) fft.ends = is_even ? FftEnds::kToRealEven : FftEnds::kToRealOdd;
    fft.size = real != Ends::kNone && is_even ? length / 2 : length;
    for (i64 inner = d + 1; inner < rank_; ++inner) fft.inner *= shape.dim(inner);
    fft.lines = shape.num_elements() / length;
    if (is_inverse && is_last) fft.divisor = total_;
    const std::vector<std::int32_t> radices = FftRadices(fft.size);
    std::vector<std::int32_t> chirp_radices;
    const bool is_chirp = radices.empty() && fft.size > 1;
    fft.computes_f64 = fft.is_f64 || FftComputesF64(fft.size);
    if (is_chirp) {
      // Longer ones cannot be tables; their convolution might not even have a length.
      if (fft.size > kMaxTableBytes) return Refuse();
      fft.chirp_size = FftConvolutionLength(fft.size);
      chirp_radices = FftRadices(fft.chirp_size);
    }
    fft.radices = radices;
    fft.chirp_radices = chirp_radices;

    FftDimension dimension;
    dimension.kernel = PlanFft(fft, instruction_set_);
    dimension.function = FftKernelFor(dimension.kernel, instruction_set_);
    const double size = static_cast<double>(dimension.kernel.row_size);
    const auto stages = std::bit_width(static_cast<std::uint64_t>(dimension.kernel.row_size)) + 1;
    dimension.nanoseconds = static_cast<double>(fft.lines) * size * stages * kStageTime *
                            (fft.computes_f64 ? 2 : 1) * (is_chirp ? 2 : 1);
    AddTables(fft, is_chirp, dimension.kernel);
    step_->dimensions.push_back(dimension);
  }

  void Refuse() { is_possible_ = false; }

  // Memory that lives as long as the step.
  template <typename T>
  T* NewTable(i64 count) {
    auto table = std::make_shared<std::vector<T>>(count);
    T* const data = table->data();
    step_->tables.push_back(std::move(table));
    return data;
  }

  void AddTables(const FftDescription& fft, bool is_chirp, FftKernelPlan& kernel) {
    const bool is_wide = fft.computes_f64;
    const i64 bytes = is_wide ? sizeof(double) : sizeof(float);
    if (fft.size > kMaxTableBytes || FftTableSize(kernel) * bytes > kMaxTableBytes ||
        kernel.row_size > kMaxTableBytes / 16) {
      return Refuse();
    }
    BlockExecutor executor;
    const ScopedFloatEnvironment environment;
    const EvalContext context = {.callees = {}, .executor = executor};
    const auto roots = RootsOfUnity(kernel.row_size, context);
    if (!roots.ok()) return Refuse();
    const i64 count = FftTableSize(kernel);
    void* const table = is_wide ? static_cast<void*>(NewTable<double>(count))
                                : static_cast<void*>(NewTable<float>(count));
    FillFftTable(kernel, roots->re, roots->im, table);
    kernel.table = table;
    if (fft.ends == FftEnds::kRealEven || fft.ends == FftEnds::kToRealEven) {
      const auto halves = RootsOfUnity(2 * fft.size, context);
      if (!halves.ok()) return Refuse();
      kernel.halves = is_wide ? static_cast<const void*>(Halves<double>(*halves, fft.size))
                              : static_cast<const void*>(Halves<float>(*halves, fft.size));
    }
    if (!is_chirp) return;
    const auto plan = FftPlan<double>::Make(fft.size, 1, context);
    if (!plan.ok()) return Refuse();
    kernel.chirp = Copied((*plan)->chirp());
    kernel.filter = Copied((*plan)->filter());
  }

  template <typename T>
  T* Halves(const ComplexArrays<double>& roots, i64 size) {
    const i64 count = size / 2 + 1;
    T* const halves = NewTable<T>(2 * count);
    const auto rounded = [](double x) { return static_cast<T>(x); };
    std::transform(roots.re.begin(), roots.re.begin() + count, halves, rounded);
    std::transform(roots.im.begin(), roots.im.begin() + count, halves + count, rounded);
    return halves;
  }

  double* Copied(const ComplexArrays<double>& values) {
    const auto count = static_cast<i64>(values.re.size());
    double* const copied = NewTable<double>(2 * count);
    std::ranges::copy(values.re, copied);
    std::ranges::copy(values.im, copied + count);
    return copied;
  }

  const Instruction& inst_;
  const FftAttrs& attrs_;
  const InstructionSet instruction_set_;
  const i64 rank_, num_lengths_;
  double total_ = 1;
  bool is_possible_ = true;
  std::shared_ptr<FftStep> step_ = std::make_shared<FftStep>();
};

}  // namespace

std::shared_ptr<const FftStep> PlanFftStep(const Instruction& inst,
                                           InstructionSet instruction_set) {
  if (inst.shape().num_elements() == 0) return nullptr;
  return Planner(inst, instruction_set).Make();
}

}  // namespace axle
