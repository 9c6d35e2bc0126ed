// QR iteration with implicit shifts. It works on the smallest block [first_, last_] at the end of h
// that does not split; the eigenvalues found at its end shrink it (deflation):
//
// 1. Find the block: a subdiagonal element counts as zero if it is small beside its neighbours by
//    the criterion of Ahues and Tisseur, which is also that of LAPACK's lahqr.
// 2. A block of one row (or two, if real) gives its eigenvalues; real 2 by 2 blocks are brought to
//    standard form (StandardBlock).
// 3. Otherwise a sweep. The shifts are the eigenvalues of the last 2 by 2 matrix: both at once for
//    real matrices (Francis' double shift, real arithmetic), Wilkinson's shift for complex ones.
//    Reflections (real) or rotations (complex) chase the bulge that the shifts make down the
//    diagonal.
//
// Every tenth sweep without a new eigenvalue uses made-up shifts, to break cycles. After 30 max(10,
// size) sweeps the iteration gives up (`failed`). A sweep costs O(n^2) operations.

#include "axle/linalg/schur.h"

namespace axle {
namespace {

// After so many sweeps without a new eigenvalue the shifts are exceptional.
constexpr i64 kExceptionalSweeps = 10;

template <typename P>
P WithSign(P magnitude, P sign) {
  const P positive = Magnitude(magnitude);
  return sign < 0 ? -positive : positive;
}
// sqrt(x^2 + y^2).
template <typename P>
P Hypotenuse(P x, P y) {
  return AbsoluteValue(std::complex<P>(x, y));
}
// The sum of the magnitudes of the parts.
template <typename T>
PartType<T> Size(T x) {
  return Magnitude(RealPart(x)) + Magnitude(ImaginaryPart(x));
}

// x' = c x + s y, y' = c y - conj(s) x, element by element.
template <typename T>
void RotateRows(T* x, T* y, i64 n, PartType<T> c, T s) {
  for (i64 i = 0; i < n; ++i) {
    const T old = x[i];
    x[i] = MultiplyAdd(s, y[i], Scale(old, c));
    y[i] = MultiplySubtract(Conjugate(s), old, Scale(y[i], c));
  }
}
// The same of columns `column` and column + 1 in rows [0, rows), with conj(s) for s.
template <typename T>
void RotateColumns(const Matrix<T>& a, i64 rows, i64 column, PartType<T> c, T s) {
  for (i64 i = 0; i < rows; ++i) RotateRows(&a(i, column), &a(i, column + 1), 1, c, Conjugate(s));
}

// The principal square root.
template <typename P>
std::complex<P> ComplexSquareRoot(std::complex<P> z) {
  const P largest = LargestPart(z);
  if (largest == 0) return {};
  const P scale = PowerOfTwoBelow(largest), root_of_scale = SquareRoot(scale);
  z = DivideByReal(z, scale);
  const P larger = SquareRoot((AbsoluteValue(z) + Magnitude(z.real())) / 2);
  const P smaller = Magnitude(z.imag()) / (2 * larger);
  return z.real() < 0 ? Scale(std::complex<P>(smaller, WithSign(larger, z.imag())), root_of_scale)
                      : Scale(std::complex<P>(larger, WithSign(smaller, z.imag())), root_of_scale);
}

// {{c, s}, {-conj(s), c}} (f, g) = (r, 0), for a g that is not zero.
template <typename T>
struct GivensRotation {
  PartType<T> c = 0;
  T s, r;

  GivensRotation(T f, T g) {
    using P = PartType<T>;
    const P scale = PowerOfTwoBelow(std::max(LargestPart(f), LargestPart(g)));
    const P size_f = AbsoluteValue(DivideByReal(f, scale));
    const P size_g = AbsoluteValue(DivideByReal(g, scale));
    const P norm = Hypotenuse(size_f, size_g);
    s = UnitPhase(Conjugate(g));
    r = T(norm * scale);
    if (f == T()) return;
    const T phase = UnitPhase(f);
    c = size_f / norm;
    s = Scale(Multiply(phase, s), size_g / norm);
    r = Scale(phase, norm * scale);
  }
};

// The iteration, real or complex.
template <typename T>
class Iteration {
 public:
  using P = PartType<T>;
  Iteration(const Matrix<T>& h, const Matrix<T>& vectors, const SchurOptions& options,
            Limits* limits)
      : h_(h), vectors_(vectors), options_(options), limits_(limits) {}

  // Finds the eigenvalues of [low, high) from the last to the first.
  Status Run(const Eigenvalues<T>& eigenvalues, i64& failed) {
    failed = 0;
    const i64 size = options_.high - options_.low;
    i64 sweeps_left = 30 * std::max<i64>(10, size);
    last_ = options_.high - 1;
    i64 sweeps = 0;  // since the last eigenvalue was found
    while (last_ >= options_.low) {
      AXLE_TRY(CheckLimits(limits_));
      first_ = FirstOfBlock();
      if (first_ > options_.low) h_(first_, first_ - 1) = T();
      const i64 found = last_ - first_ + 1;
      if (found <= (kIsComplexScalar<T> ? 1 : 2)) {
        if (found == 1) eigenvalues.Set(last_, h_(last_, last_));
        if constexpr (!kIsComplexScalar<T>) {
          if (found == 2) StandardiseLastBlock(eigenvalues);
        }
        last_ = first_ - 1;
        sweeps = 0;
        continue;
      }
      if (sweeps_left-- == 0) {
        failed = last_ + 1;
        return {};
      }
      if constexpr (kIsComplexScalar<T>) {
        SingleShiftSweep(++sweeps);
      } else {
        DoubleShiftSweep(++sweeps);
      }
    }
    return {};
  }

 private:
  static constexpr P kEpsilon = std::numeric_limits<P>::epsilon();
  P Smallest() const { return std::numeric_limits<P>::min() * static_cast<P>(h_.rows) / kEpsilon; }
  // The rows and columns that a similarity has to reach.
  i64 FirstRow() const { return options_.whole_form ? 0 : first_; }
  i64 EndColumn() const { return options_.whole_form ? h_.columns : last_ + 1; }

  // The largest k up to last_ whose subdiagonal element on its left is negligible.
  i64 FirstOfBlock() const {
    for (i64 k = last_; k > options_.low; --k) {
      if (IsNegligible(k)) return k;
    }
    return options_.low;
  }
  bool IsNegligible(i64 k) const {
    const P below = Size(h_(k, k - 1)), smallest = Smallest();
    if (below <= smallest) return true;
    const T x = h_(k - 1, k - 1), y = h_(k, k);
    P neighbours = Size(x) + Size(y);
    if (neighbours == 0) {
      if (k - 2 >= options_.low) neighbours += Size(h_(k - 1, k - 2));
      if (k + 1 < options_.high) neighbours += Size(h_(k + 1, k));
    }
    if (below > kEpsilon * neighbours) return false;
    const P above = Size(h_(k - 1, k)), difference = Size(x - y), corner = Size(y);
    const P larger = std::max(below, above), smaller = std::min(below, above);
    const P high = std::max(corner, difference), low = std::min(corner, difference);
    const P sum = high + larger;
    return smaller * (larger / sum) <= std::max(smallest, kEpsilon * (low * (high / sum)));
  }

  void StandardiseLastBlock(const Eigenvalues<T>& eigenvalues) {
    const i64 i = last_ - 1;
    const StandardBlock<P> block(h_(i, i), h_(i, i + 1), h_(i + 1, i), h_(i + 1, i + 1));
    const i64 begin = i + 2;
    if (EndColumn() > begin) {
      RotateRows(h_.row(i) + begin, h_.row(i + 1) + begin, EndColumn() - begin, block.cosine,
                 block.sine);
    }
    if (options_.whole_form) RotateColumns(h_, i, i, block.cosine, block.sine);
    if (vectors_.data != nullptr) {
      RotateRows(vectors_.row(i), vectors_.row(i + 1), vectors_.columns, block.cosine, block.sine);
    }
    h_(i, i) = block.a;
    h_(i, i + 1) = block.b;
    h_(i + 1, i) = block.c;
    h_(i + 1, i + 1) = block.d;
    eigenvalues.Set(i, block.a, block.imaginary);
    eigenvalues.Set(i + 1, block.d, -block.imaginary);
  }

  // --- real: two shifts at once, s1 + s2 and s1 s2 of which are real.
  struct Shifts {
    P real1 = 0, imaginary1 = 0, real2 = 0, imaginary2 = 0;
  };

  // The eigenvalues of {{a, b}, {c, d}}; if they are real, twice the one that is closer to d.
  static Shifts ShiftsOf(P a, P b, P c, P d) {
    Shifts shifts;
    const P scale = Magnitude(a) + Magnitude(b) + Magnitude(c) + Magnitude(d);
    if (scale == 0) return shifts;
    a /= scale, b /= scale, c /= scale, d /= scale;
    const P middle = (a + d) / 2;
    const P determinant = FusedMultiplyAdd(-b, c, (a - middle) * (d - middle));
    const P root = SquareRoot(Magnitude(determinant));
    if (determinant >= 0) {
      shifts.real1 = shifts.real2 = middle * scale;
      shifts.imaginary1 = root * scale;
      shifts.imaginary2 = -shifts.imaginary1;
    } else {
      const P one = middle + root, other = middle - root;
      const P closer = Magnitude(one - d) <= Magnitude(other - d) ? one : other;
      shifts.real1 = shifts.real2 = closer * scale;
    }
    return shifts;
  }
  Shifts ChooseShifts(i64 sweep) const {
    const i64 end = last_, begin = first_;
    if (sweep % kExceptionalSweeps != 0) {
      return ShiftsOf(h_(end - 1, end - 1), h_(end - 1, end), h_(end, end - 1), h_(end, end));
    }
    const bool from_end = sweep % (2 * kExceptionalSweeps) == 0;
    const P size = from_end ? Magnitude(h_(end, end - 1)) + Magnitude(h_(end - 1, end - 2))
                            : Magnitude(h_(begin + 1, begin)) + Magnitude(h_(begin + 2, begin + 1));
    const P corner = FusedMultiplyAdd(P(0.75), size, from_end ? h_(end, end) : h_(begin, begin));
    return ShiftsOf(corner, P(-0.4375) * size, size, corner);
  }

  // The first column of (h - s1)(h - s2) for the block that begins in row m, scaled.
  void StartOfSweep(i64 m, const Shifts& s, P v[3]) const {
    const P a = h_(m, m) - s.real2;
    const P scale = Magnitude(a) + Magnitude(s.imaginary2) + Magnitude(h_(m + 1, m));
    const P below = h_(m + 1, m) / scale;
    v[0] = FusedMultiplyAdd(h_(m, m) - s.real1, a / scale, below * h_(m, m + 1));
    v[0] = FusedMultiplyAdd(-s.imaginary1, s.imaginary2 / scale, v[0]);
    v[1] = below * (h_(m, m) + h_(m + 1, m + 1) - s.real1 - s.real2);
    v[2] = below * h_(m + 2, m + 1);
    const P size = Magnitude(v[0]) + Magnitude(v[1]) + Magnitude(v[2]);
    if (size == 0) return;
    for (int i = 0; i < 3; ++i) v[i] /= size;
  }

  void DoubleShiftSweep(i64 sweep) {
    const Shifts shifts = ChooseShifts(sweep);
    P v[3];
    i64 m = last_ - 2;
    for (;; --m) {
      StartOfSweep(m, shifts, v);
      if (m == first_) break;
      // A sweep can begin where two subdiagonal elements in a row are small.
      const P sizes =
          Magnitude(h_(m - 1, m - 1)) + Magnitude(h_(m, m)) + Magnitude(h_(m + 1, m + 1));
      if (Magnitude(h_(m, m - 1)) * (Magnitude(v[1]) + Magnitude(v[2])) <=
          kEpsilon * Magnitude(v[0]) * sizes) {
        break;
      }
    }
    for (i64 k = m; k < last_; ++k) {
      const i64 size = std::min<i64>(3, last_ - k + 1);
      if (k > m) {
        for (i64 i = 0; i < size; ++i) v[i] = h_(k + i, k - 1);
      }
      const P tau = MakeReflector(Matrix<P>(v, size, 1), 0, 0);
      if (k > m) {
        h_(k, k - 1) = v[0];
        for (i64 i = 1; i < size; ++i) h_(k + i, k - 1) = 0;
      } else if (m > first_) {
        h_(k, k - 1) *= 1 - tau;
      }
      if (size == 3) {
        Reflect<3>(k, v, tau);
      } else {
        Reflect<2>(k, v, tau);
      }
    }
  }

  // h = H h H and Z = Z H for H = I - tau (1, v[1..]) (1, v[1..])^T in rows k, k + 1, ...
  template <int size>
  void Reflect(i64 k, const P* v, P tau) {
    P scaled[size];  // tau v
    scaled[0] = tau;
    for (int i = 1; i < size; ++i) scaled[i] = tau * v[i];
    const i64 end = EndColumn();
    ReflectRows<size>(h_, k, k, end, v, scaled);
    for (i64 row = FirstRow(); row < std::min(k + 4, last_ + 1); ++row) {
      P* x = h_.row(row) + k;
      P sum = x[0];
      for (int i = 1; i < size; ++i) sum = FusedMultiplyAdd(v[i], x[i], sum);
      for (int i = 0; i < size; ++i) x[i] = FusedMultiplyAdd(-sum, scaled[i], x[i]);
    }
    if (vectors_.data != nullptr) {
      ReflectRows<size>(vectors_, k, 0, vectors_.columns, v, scaled);
    }
  }
  template <int size>
  static void ReflectRows(const Matrix<T>& a, i64 row, i64 begin, i64 end, const P* v,
                          const P* scaled) {
    P* rows[size];
    for (int i = 0; i < size; ++i) rows[i] = a.row(row + i);
    for (i64 j = begin; j < end; ++j) {
      P sum = rows[0][j];
      for (int i = 1; i < size; ++i) sum = FusedMultiplyAdd(v[i], rows[i][j], sum);
      for (int i = 0; i < size; ++i) rows[i][j] = FusedMultiplyAdd(-sum, scaled[i], rows[i][j]);
    }
  }

  // --- complex: one shift, Wilkinson's.
  T ChooseShift(i64 sweep) const {
    const i64 i = last_;
    if (sweep % (2 * kExceptionalSweeps) == 0) {
      return h_(i, i) + T(P(0.75) * Size(h_(i, i - 1)));
    }
    if (sweep % kExceptionalSweeps == 0) {
      return h_(first_, first_) + T(P(0.75) * Size(h_(first_ + 1, first_)));
    }
    const T corner = h_(i, i);
    const T product = Multiply(ComplexSquareRoot(h_(i - 1, i)), ComplexSquareRoot(h_(i, i - 1)));
    if (product == T()) return corner;
    const T half = Scale(h_(i - 1, i - 1) - corner, P(0.5));
    const P scale = std::max(Size(product), Size(half));
    const T x = DivideByReal(half, scale), u = DivideByReal(product, scale);
    T root = ComplexSquareRoot(MultiplyAdd(u, u, Multiply(x, x)));
    // The eigenvalue that is closer to the corner: the larger denominator.
    if (RealPart(Multiply(Conjugate(x), root)) < 0) root = -root;
    return corner - Multiply(product, ComplexQuotient(u, x + root));
  }

  void SingleShiftSweep(i64 sweep) {
    const T shift = ChooseShift(sweep);
    i64 m = last_ - 1;
    for (; m > first_; --m) {
      const T x = h_(m, m) - shift;
      const P below = Size(h_(m + 1, m)), size = Size(x) + below;
      const P sizes = Size(h_(m, m)) + Size(h_(m + 1, m + 1));
      if (size == 0 || Size(h_(m, m - 1)) * (below / size) <= kEpsilon * (Size(x) / size) * sizes) {
        break;
      }
    }
    for (i64 k = m; k < last_; ++k) {
      const T f = k > m ? h_(k, k - 1) : h_(m, m) - shift;
      const T g = k > m ? h_(k + 1, k - 1) : h_(m + 1, m);
      if (g == T()) continue;
      const GivensRotation<T> rotation(f, g);
      const P c = rotation.c;
      const T s = rotation.s;
      if (k > m) {
        h_(k, k - 1) = rotation.r;
        h_(k + 1, k - 1) = T();
      } else if (m > first_) {
        h_(k, k - 1) = Scale(h_(k, k - 1), c);
      }
      RotateRows(h_.row(k) + k, h_.row(k + 1) + k, EndColumn() - k, c, s);
      const i64 first = FirstRow(), rows = std::min(k + 3, last_ + 1) - first;
      RotateColumns(Matrix<T>(h_.row(first), rows, h_.columns, h_.stride), rows, k, c, s);
      if (vectors_.data != nullptr) {
        RotateRows(vectors_.row(k), vectors_.row(k + 1), vectors_.columns, c, Conjugate(s));
      }
    }
  }

  Matrix<T> h_, vectors_;
  SchurOptions options_;
  Limits* limits_;
  i64 first_ = 0, last_ = 0;  // of the block that is worked on
};

}  // namespace

// Appends a rotation to (cosine, sine). Here and below the second product is fused explicitly, so
// that no compiler does it on its own (scripts/check_contraction.py).
template <typename P>
void StandardBlock<P>::Rotate(P cosine_of_step, P sine_of_step) {
  const P old = cosine;
  cosine = FusedMultiplyAdd(-sine, sine_of_step, old * cosine_of_step);
  sine = FusedMultiplyAdd(sine, cosine_of_step, old * sine_of_step);
}

// Rotates so that a and d are equal: complex eigenvalues, or real ones that are nearly equal.
template <typename P>
void StandardBlock<P>::MakeEqualDiagonal() {
  const P scale = PowerOfTwoBelow(std::max(Magnitude(a - d), Magnitude(b + c)));
  const P difference = (a - d) / scale, sum = (b + c) / scale;
  const P size = Hypotenuse(sum, difference);
  cosine = SquareRoot((1 + Magnitude(sum) / size) / 2);
  sine = -(difference / 2 / (size * cosine)) * WithSign(P(1), sum);
  const P aa = FusedMultiplyAdd(b, sine, a * cosine), bb = FusedMultiplyAdd(-a, sine, b * cosine);
  const P cc = FusedMultiplyAdd(d, sine, c * cosine), dd = FusedMultiplyAdd(-c, sine, d * cosine);
  b = FusedMultiplyAdd(dd, sine, bb * cosine);
  c = FusedMultiplyAdd(-aa, sine, cc * cosine);
  a = FusedMultiplyAdd(cc, sine, aa * cosine);
  d = FusedMultiplyAdd(-bb, sine, dd * cosine);
  a = d = (a + d) / 2;
}

template <typename P>
StandardBlock<P>::StandardBlock(P a_, P b_, P c_, P d_) : a(a_), b(b_), c(c_), d(d_) {
  const auto opposite = [&] { return (b < 0) != (c < 0); };
  if (c == 0) return;
  if (b == 0) {  // exchange the two
    cosine = 0;
    sine = 1;
    std::swap(a, d);
    b = -c;
    c = 0;
    return;
  }
  if (a != d || !opposite()) {
    const P half = (a - d) / 2;
    const P larger = std::max(Magnitude(b), Magnitude(c));
    const P smaller = std::min(Magnitude(b), Magnitude(c)) * (opposite() ? P(-1) : P(1));
    const P scale = std::max(Magnitude(half), larger);
    const P discriminant = half / scale * half + larger / scale * smaller;
    if (discriminant >= 4 * std::numeric_limits<P>::epsilon()) {  // real and apart
      const P z = half + WithSign(SquareRoot(scale) * SquareRoot(discriminant), half);
      a = d + z;
      d -= larger / z * smaller;
      const P size = Hypotenuse(c, z);
      cosine = z / size;
      sine = c / size;
      b -= c;
      c = 0;
      return;
    }
    MakeEqualDiagonal();
  }
  if (c == 0) return;
  if (b == 0) {
    b = -c;
    c = 0;
    Rotate(0, 1);
  } else if (!opposite()) {  // real eigenvalues
    const P root_b = SquareRoot(Magnitude(b)), root_c = SquareRoot(Magnitude(c));
    const P half = WithSign(root_b * root_c, c), size = SquareRoot(Magnitude(b + c));
    d = a - half;
    a += half;
    b -= c;
    c = 0;
    Rotate(root_b / size, root_c / size);
  } else {
    imaginary = SquareRoot(Magnitude(b)) * SquareRoot(Magnitude(c));
  }
}

template <typename T>
Status HessenbergSchur(const Matrix<T>& h, const Matrix<T>& vectors, const SchurOptions& options,
                       const Eigenvalues<T>& eigenvalues, Limits* limits, i64& failed) {
  for (i64 i = 0; i < h.rows; ++i) {
    std::fill_n(h.row(i), std::max<i64>(i - 1, 0), T());  // overwrites the reflectors
    if (i < options.low || i >= options.high) eigenvalues.Set(i, h(i, i));
  }
  return Iteration<T>(h, vectors, options, limits).Run(eigenvalues, failed);
}

#define INSTANTIATE(T)                                                                     \
  template Status HessenbergSchur(const Matrix<T>&, const Matrix<T>&, const SchurOptions&, \
                                  const Eigenvalues<T>&, Limits*, i64&);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(std::complex<float>)
INSTANTIATE(std::complex<double>)
#undef INSTANTIATE
template struct StandardBlock<float>;
template struct StandardBlock<double>;

}  // namespace axle
