// fft: discrete Fourier transforms over up to three dimensions. The transform of a line is
// fft_plan.h.
//
// One dimension after the other is transformed: FFT from the last to the first, IRFFT from the
// first to the last, so that the real dimension is halved first and restored last. Lines are copied
// into a plan, up to 16 side by side, transformed and copied back. An inverse transform is a
// forward one with real and imaginary parts exchanged on the way in and out. The division by the
// product of lengths happens once, in the last dimension.
//
// A real line of an even length n is n / 2 complex numbers, x[2 j] + i x[2 j + 1]. With their
// spectrum Z, E = (Z[k] + conj Z[n/2 - k]) / 2 is that of the even elements and O, with a
// difference and a factor -i, that of the odd ones: X[k] = E + w^k O. The inverse goes the other
// way.
//
// This is the definition, and what the interpreter runs. Compiled programs have kernels
// (axle/kernels/fft.h) with the same bits.
#include <algorithm>

#include "axle/linalg/linear_algebra.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/fft_plan.h"
#include "axle/ops/scratch_memory.h"

namespace axle {

extern const OpDef kFftDef;

bool IsFft(const Instruction& inst) {
  return inst.opcode() == Opcode::kFft;
}

namespace {

constexpr AttrSpec kAttrs[] = {
    Attr<&FftAttrs::fft_type>("fft_type", {.field = 31}),
    Attr<&FftAttrs::fft_length>("fft_length", {.field = 32}),
};

// For FFT and IFFT the lengths only have to be as many as dimensions, as in XLA; whether they fit
// is checked before a program runs.
Status CheckNumLengths(const Instruction& inst) {
  const Shape& operand = inst.operand(0)->shape();
  const Dims& lengths = inst.attrs<FftAttrs>().fft_length;
  const auto count = static_cast<i64>(lengths.size());
  if (count < 1 || count > 3) {
    return OpError(inst, StrCat("fft_length has ", count, " lengths, must have 1 to 3"));
  }
  if (operand.rank() < count) {
    return OpError(
        inst, StrCat("fft_length has ", count, " lengths but operand has rank ", operand.rank()));
  }
  return {};
}

Status CheckLengths(const Instruction& inst) {
  AXLE_TRY(CheckNumLengths(inst));
  const Shape& operand = inst.operand(0)->shape();
  const auto& attrs = inst.attrs<FftAttrs>();
  const Dims& lengths = attrs.fft_length;
  const auto count = static_cast<i64>(lengths.size());
  for (i64 i = 0; i < count; ++i) {
    const i64 d = operand.rank() - count + i, length = lengths[i];
    if (length < 0) return OpError(inst, StrCat("length ", i, " is ", length, ", must be >= 0"));
    const bool is_half = attrs.fft_type == FftType::kIrfft && i == count - 1;
    const i64 expected = is_half && length > 0 ? length / 2 + 1 : length;
    if (operand.dim(d) == expected) continue;
    return OpError(inst, StrCat("dimension ", d, " has size ", operand.dim(d), " but length ",
                                length, is_half ? " of an IRFFT takes " : " takes ", expected));
  }
  return {};
}

// FFT and IFFT keep the shape. RFFT keeps the first n/2 + 1 frequencies of the last dimension,
// since the others are their conjugates, and IRFFT gives the n real numbers back.
StatusOr<Shape> InferFft(const Instruction& inst) {
  AXLE_TRY(ExpectArray(inst, 0));
  const Shape& operand = inst.operand(0)->shape();
  const auto& attrs = inst.attrs<FftAttrs>();
  const std::string type = AttrTraits<FftType>::Print(attrs.fft_type);
  if (attrs.fft_type == FftType::kRfft) {
    if (operand.type() != F32 && operand.type() != F64) {
      return OpError(inst, StrCat(type, " takes f32 or f64"));
    }
  } else if (!IsComplex(operand.type())) {
    return OpError(inst, StrCat(type, " takes complex numbers"));
  }
  // XLA compares the lengths only where they say what the result is.
  if (attrs.fft_type == FftType::kRfft || attrs.fft_type == FftType::kIrfft) {
    AXLE_TRY(CheckLengths(inst));
  } else {
    AXLE_TRY(CheckNumLengths(inst));
  }
  Shape result = operand.WithoutLayout();
  const i64 last = operand.rank() - 1, length = attrs.fft_length.back();
  if (attrs.fft_type == FftType::kRfft) {
    result.set_type(operand.type() == F32 ? C64 : C128);
    result.set_dim(last, length == 0 ? 0 : length / 2 + 1);
  } else if (attrs.fft_type == FftType::kIrfft) {
    result.set_type(PartOf(operand.type()));
    result.set_dim(last, length);
  }
  return result;
}

// The lines along one dimension, how they are read and how they are written.
template <typename T>
struct Lines {
  i64 length;             // of the transform
  i64 inner;              // the stride of a line, in elements
  i64 count;              // of lines
  i64 in_size, out_size;  // elements of a line in memory
  const T* in;            // of in_parts parts each: 1 if the elements are real
  i64 in_parts = 2;
  T* out;
  i64 out_parts = 2;
  bool is_inverse = false;  // parts are exchanged on the way in and out
  bool is_half = false;     // in holds the first half of a Hermitian sequence
  T divisor = 1;
};

// Copies lines into the plan. After the stored half of a Hermitian sequence come conjugates.
template <typename T>
void Gather(const Lines<T>& lines, i64 first, i64 width, FftPlan<T>& plan) {
  T* re = lines.is_inverse ? plan.im() : plan.re();
  T* im = lines.is_inverse ? plan.re() : plan.im();
  for (i64 j = 0; j < lines.length; ++j) {
    const bool is_mirrored = j >= lines.in_size;
    const i64 source = is_mirrored ? lines.length - j : j;
    // The first element of a Hermitian sequence is real.
    const bool is_real = lines.in_parts == 1 || (lines.is_half && j == 0);
    for (i64 w = 0; w < width; ++w) {
      const i64 line = first + w;
      // The first element of the line: its outer and inner position around the transformed
      // dimension.
      const i64 begin = line / lines.inner * lines.in_size * lines.inner + line % lines.inner;
      const T* x = lines.in + (begin + source * lines.inner) * lines.in_parts;
      re[j * width + w] = x[0];
      im[j * width + w] = is_real ? T(0) : is_mirrored ? -x[1] : x[1];
    }
  }
}

// Takes the results out of the plan; `out_size` is half of the length for RFFT.
template <typename T>
void Scatter(const Lines<T>& lines, i64 first, i64 width, FftPlan<T>& plan) {
  const T* re = lines.is_inverse ? plan.im() : plan.re();
  const T* im = lines.is_inverse ? plan.re() : plan.im();
  for (i64 k = 0; k < lines.out_size; ++k) {
    for (i64 w = 0; w < width; ++w) {
      const i64 line = first + w;
      const i64 begin = line / lines.inner * lines.out_size * lines.inner + line % lines.inner;
      T* y = lines.out + (begin + k * lines.inner) * lines.out_parts;
      y[0] = re[k * width + w] / lines.divisor;
      if (lines.out_parts == 2) y[1] = im[k * width + w] / lines.divisor;
    }
  }
}

// Calls run(first, taken, plan) for up to 16 lines at once, to fill vectors, fewer if they are
// long. `length` is that of the complex transform, P its type.
template <typename P, typename Run>
Status ForLines(i64 length, i64 count, const EvalContext& context, const Run& run) {
  constexpr i64 kMaxWidth = 16, kMaxElements = 1 << 18;
  const i64 room = std::max<i64>(1, kMaxElements / length);
  const i64 width = std::min({count, kMaxWidth, room});
  const ScratchMemory scratch(context, FftPlan<P>::ScratchBytes(length, width));
  AXLE_TRY(scratch.status());
  AXLE_ASSIGN(const auto plan, FftPlan<P>::Make(length, width, context));
  for (i64 first = 0; first < count; first += width) {
    AXLE_TRY(context.Check());
    AXLE_TRY(run(first, std::min(width, count - first), *plan));
  }
  return {};
}

template <typename T>
Status TransformLines(const Lines<T>& lines, const EvalContext& context) {
  return ForLines<T>(lines.length, lines.count, context,
                     [&](i64 first, i64 taken, FftPlan<T>& plan) -> Status {
                       Gather(lines, first, taken, plan);
                       AXLE_TRY(plan.Run(taken, context));
                       Scatter(lines, first, taken, plan);
                       return {};
                     });
}

// A complex number of the type that a spectrum is computed in.
template <typename P>
struct Parts {
  P re, im;
};
// w times x, as in the plan.
template <typename P>
Parts<P> Turn(Parts<P> w, Parts<P> x) {
  return {FusedMultiplyAdd(-w.im, x.im, w.re * x.re), FusedMultiplyAdd(w.im, x.re, w.re * x.im)};
}

// Lines of real numbers of an even length, which are contiguous: from them, or to them. P is T, or
// f64 where that computes the complex transform, so that results are rounded once.
template <typename T, typename P>
class RealLines {
 public:
  RealLines(const Lines<T>& lines, const EvalContext& context)
      : lines_(lines), context_(context), half_(lines.length / 2) {}

  Status FromReal() {
    AXLE_TRY(MakeRoots());
    return ForLines<P>(half_, lines_.count, context_,
                       [&](i64 first, i64 taken, FftPlan<P>& plan) -> Status {
                         for (i64 i = 0; i < half_ * taken; ++i) {
                           const T* x = lines_.in + (first + i % taken) * lines_.length;
                           plan.re()[i] = x[2 * (i / taken)];
                           plan.im()[i] = x[2 * (i / taken) + 1];
                         }
                         AXLE_TRY(plan.Run(taken, context_));
                         for (i64 w = 0; w < taken; ++w) TakeApart(plan, taken, first + w, w);
                         return {};
                       });
  }
  Status ToReal() {
    AXLE_TRY(MakeRoots());
    return ForLines<P>(half_, lines_.count, context_,
                       [&](i64 first, i64 taken, FftPlan<P>& plan) -> Status {
                         for (i64 w = 0; w < taken; ++w) PutTogether(plan, taken, first + w, w);
                         AXLE_TRY(plan.Run(taken, context_));
                         for (i64 i = 0; i < half_ * taken; ++i) {
                           T* x = lines_.out + (first + i % taken) * lines_.length;
                           x[2 * (i / taken)] = static_cast<T>(plan.im()[i]) / lines_.divisor;
                           x[2 * (i / taken) + 1] = static_cast<T>(plan.re()[i]) / lines_.divisor;
                         }
                         return {};
                       });
  }

 private:
  Status MakeRoots() {
    AXLE_ASSIGN(roots_, RootsOfUnity(lines_.length, context_));
    return {};
  }
  Parts<P> Root(i64 k) const {
    return {static_cast<P>(roots_.re[k]), static_cast<P>(roots_.im[k])};
  }

  void TakeApart(FftPlan<P>& plan, i64 width, i64 line, i64 w) {
    const P *re = plan.re() + w, *im = plan.im() + w;
    const auto put = [&](i64 k, P x, P y) {
      T* out = lines_.out + (line * (half_ + 1) + k) * 2;
      out[0] = static_cast<T>(x);
      out[1] = static_cast<T>(y);
    };
    put(0, re[0] + im[0], 0);
    put(half_, re[0] - im[0], 0);
    for (i64 k = 1; 2 * k <= half_; ++k) {
      const Parts<P> a = {re[k * width], im[k * width]};
      if (2 * k == half_) {
        put(k, a.re, -a.im);
        break;
      }
      const Parts<P> b = {re[(half_ - k) * width], im[(half_ - k) * width]};
      const Parts<P> sum = {a.re + b.re, a.im - b.im};
      const Parts<P> u = Turn(Root(k), Parts<P>{a.re - b.re, a.im + b.im});
      put(k, P(0.5) * (sum.re + u.im), P(0.5) * (sum.im - u.re));
      put(half_ - k, P(0.5) * (sum.re - u.im), P(0.5) * (-sum.im - u.re));
    }
  }
  // The plan gets the parts exchanged.
  void PutTogether(FftPlan<P>& plan, i64 width, i64 line, i64 w) {
    P *re = plan.im() + w, *im = plan.re() + w;
    const T* in = lines_.in + line * (half_ + 1) * 2;
    const auto get = [&](i64 k) { return Parts<P>{in[2 * k], in[2 * k + 1]}; };
    re[0] = get(0).re + get(half_).re;
    im[0] = get(0).re - get(half_).re;
    for (i64 k = 1; 2 * k <= half_; ++k) {
      const Parts<P> a = get(k);
      if (2 * k == half_) {
        re[k * width] = a.re + a.re;
        im[k * width] = -(a.im + a.im);
        break;
      }
      const Parts<P> b = get(half_ - k), root = Root(k);
      const Parts<P> sum = {a.re + b.re, a.im - b.im};
      const Parts<P> u = Turn(Parts<P>{root.re, -root.im}, Parts<P>{a.re - b.re, a.im + b.im});
      re[k * width] = sum.re - u.im;
      im[k * width] = sum.im + u.re;
      re[(half_ - k) * width] = sum.re + u.im;
      im[(half_ - k) * width] = u.re - sum.im;
    }
  }

  const Lines<T>& lines_;
  const EvalContext& context_;
  const i64 half_;
  ComplexArrays<double> roots_;
};

// The transform of one instruction, in f32 or f64.
template <typename T>
class Transform {
 public:
  Transform(const Instruction& inst, const EvalContext& context)
      : attrs_(inst.attrs<FftAttrs>()),
        context_(context),
        rank_(inst.shape().rank()),
        num_lengths_(static_cast<i64>(attrs_.fft_length.size())) {
    for (i64 length : attrs_.fft_length) total_ *= length;
  }

  // FFT, IFFT: dimensions from the last to the first.
  Status Complex(Literal& values) {
    for (i64 i = num_lengths_ - 1; i >= 0; --i) {
      AXLE_TRY(Dimension(values, i, i == 0));
    }
    return {};
  }
  // RFFT: the last dimension, from real lines; then as FFT.
  Status FromReal(const Literal& operand, Literal& result) {
    Lines<T> lines = LinesOf(operand.shape(), num_lengths_ - 1);
    lines.in = reinterpret_cast<const T*>(operand.bytes());
    lines.in_parts = 1;
    lines.out = reinterpret_cast<T*>(result.mutable_bytes());
    lines.out_size = result.shape().dims().back();
    AXLE_TRY(ForReals(lines, [&](auto reals) { return reals.FromReal(); }));
    for (i64 i = num_lengths_ - 2; i >= 0; --i) AXLE_TRY(Dimension(result, i, false));
    return {};
  }
  // IRFFT: the other dimensions from the first on; then the last one, to real lines.
  Status ToReal(Literal& operand, Literal& result) {
    for (i64 i = 0; i + 1 < num_lengths_; ++i) AXLE_TRY(Dimension(operand, i, false));
    Lines<T> lines = LinesOf(result.shape(), num_lengths_ - 1);
    lines.in = reinterpret_cast<const T*>(operand.bytes());
    lines.in_size = operand.shape().dims().back();
    lines.is_half = true;
    lines.is_inverse = true;
    lines.out = reinterpret_cast<T*>(result.mutable_bytes());
    lines.out_parts = 1;
    lines.divisor = static_cast<T>(total_);
    return ForReals(lines, [&](auto reals) { return reals.ToReal(); });
  }

 private:
  // run(RealLines), or, of an odd length, a transform with zeros as imaginary parts.
  template <typename Run>
  Status ForReals(const Lines<T>& lines, const Run& run) const {
    if (lines.length % 2 == 1) return TransformLines(lines, context_);
    const i64 half = lines.length / 2;
    return FftComputesF64(half) ? run(RealLines<T, double>(lines, context_))
                                : run(RealLines<T, T>(lines, context_));
  }

  // The lines along the dimension of fft_length[i] of an array that has that length.
  // The transformed dimensions are the last ones.
  Lines<T> LinesOf(const Shape& shape, i64 i) const {
    const i64 d = rank_ - num_lengths_ + i, length = attrs_.fft_length[i];
    return {.length = length,
            .inner = RowMajorStrides(shape.dims())[d],
            .count = shape.num_elements() / length,
            .in_size = length,
            .out_size = length,
            .in = nullptr,
            .out = nullptr};
  }
  // Complex lines in place.
  Status Dimension(Literal& values, i64 i, bool is_last) {
    Lines<T> lines = LinesOf(values.shape(), i);
    lines.out = reinterpret_cast<T*>(values.mutable_bytes());
    lines.in = lines.out;
    lines.is_inverse = attrs_.fft_type == FftType::kIfft || attrs_.fft_type == FftType::kIrfft;
    if (lines.is_inverse && is_last) lines.divisor = static_cast<T>(total_);
    return TransformLines(lines, context_);
  }

  const FftAttrs& attrs_;
  const EvalContext& context_;
  i64 rank_, num_lengths_;
  i64 total_ = 1;
};

// FFT and IFFT work in place on the operand, whose storage is taken.
template <typename T>
StatusOr<Literal> EvalTyped(const Instruction& inst, Literal& operand, const EvalContext& context) {
  Transform<T> transform(inst, context);
  const FftType type = inst.attrs<FftAttrs>().fft_type;
  if (type == FftType::kFft || type == FftType::kIfft) {
    Literal values = std::move(operand);
    AXLE_TRY(transform.Complex(values));
    return values;
  }
  AXLE_ASSIGN(Literal result, Literal::CreateUninitialized(inst.shape().WithoutLayout()));
  AXLE_TRY(type == FftType::kRfft ? transform.FromReal(operand, result)
                                  : transform.ToReal(operand, result));
  return result;
}

StatusOr<Literal> EvalFft(const Instruction& inst, std::span<Literal> operands,
                          const EvalContext& context) {
  // Without results there is nothing to do, and no length is 0 otherwise.
  if (inst.shape().num_elements() == 0) {
    return Literal::CreateUninitialized(inst.shape().WithoutLayout());
  }
  const ElementType part = PartOf(operands[0].shape().type());
  return part == F32 ? EvalTyped<float>(inst, operands[0], context)
                     : EvalTyped<double>(inst, operands[0], context);
}

}  // namespace

const OpDef kFftDef = {
    .opcode = Opcode::kFft,
    .text = "fft",
    .summary = "Discrete Fourier transform over the last one, two or three dimensions.",
    .semantics =
        "FFT gives X[k] = sum over j of x[j] e^(-2 pi i j k / n) along each of the dimensions, "
        "IFFT the same with e^(+...), divided by the product of the lengths. RFFT is the FFT of a "
        "real operand, of which the last dimension keeps only k = 0 .. n/2. IRFFT is its inverse: "
        "the last dimension holds n/2 + 1 elements of a Hermitian sequence, the others follow by "
        "conjugation, the imaginary parts of the first and, for even n, the last one do not count, "
        "and the result is real. fft_length says the lengths n; the operand must have them, except "
        "in the last dimension of an IRFFT. Any length will do: lengths without a prime factor "
        "above 31 take n log n steps in the type itself, others are computed in f64, by a "
        "convolution if a prime factor is above 97. The order of "
        "operations is fixed in docs/numerics.md N10. Padding of dynamic dimensions takes no part.",
    .source = "XLA Fft; StableHLO fft; docs/numerics.md N10",
    .operands = kUnaryOperands,
    .attrs = Schema<FftAttrs>(kAttrs),
    .lowering = Lowering::kLinearAlgebra,
    .accuracy =
        "the bits of docs/numerics.md N10; relative to the largest result, a few roundings "
        "per factor of the length",
    .infer = InferFft,
    .check_run = CheckLengths,
    .eval = EvalFft,
};

}  // namespace axle
