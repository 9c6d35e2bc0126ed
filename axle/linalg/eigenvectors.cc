// Back substitution on the Schur form T, one eigenvector at a time. For eigenvalue w at position k
// a right vector starts as e_k; elements k - 1 .. 0 follow from rows of (T - w) x = 0, each a chain
// over the known elements. A left vector uses T^H and goes down from k. A 2 by 2 block of a real T
// (a complex pair) is solved as a unit with complete pivoting, and its vector has two columns, real
// and imaginary part.
//
// Overflow is avoided in steps: before a division by a small pivot, and after an element grows past
// 2^40 (f32) or 2^400 (f64), the whole vector is multiplied by a power of two, which is exact for
// normal numbers. Pivots below smallest_ (epsilon |w|, at least a small multiple of the least
// normal number) are replaced by it. O(n^2) operations per vector.

#include "axle/linalg/eigenvectors.h"

namespace axle {
namespace {

// acc - a x, where a may be real and x complex.
template <typename T, typename S>
S SubtractProduct(T a, S x, S acc) {
  if constexpr (kIsComplexScalar<T> == kIsComplexScalar<S>) {
    return MultiplySubtract(a, x, acc);
  } else {
    return {FusedMultiplyAdd(-a, x.real(), acc.real()), FusedMultiplyAdd(-a, x.imag(), acc.imag())};
  }
}

// Solves (T - w) x = 0 from the bottom up, or (T^H - conj(w)) x = 0 from the top down, for T of
// scalars T and a vector of scalars S, which are complex if w is.
template <typename T, typename S>
class Substitution {
 public:
  using P = PartType<T>;

  Substitution(const Matrix<T>& form, S eigenvalue, std::vector<S>& x)
      : form_(form),
        eigenvalue_(eigenvalue),
        x_(x),
        smallest_(std::max(std::numeric_limits<P>::epsilon() * LargestPart(eigenvalue),
                           std::numeric_limits<P>::min() * static_cast<P>(form.rows) /
                               std::numeric_limits<P>::epsilon())) {}

  // Completes a vector upwards: elements [begin, end) are known, those before are solved.
  void SolveUp(i64 begin, i64 end) {
    for (i64 i = begin - 1; i >= 0; --i) {
      const bool is_pair = IsPair(i - 1);
      S rest = Rest(i, i + 1, end);
      if (!is_pair) {
        SolveOne(i, rest, form_(i, i));
        continue;
      }
      SolveTwo(i - 1, Rest(i - 1, i + 1, end), rest, form_(i - 1, i), form_(i, i - 1));
      --i;
    }
  }

  // Completes a vector downwards: elements [begin, end) are known, those after are solved. An
  // element that is not known yet holds the right-hand side of its equation.
  void SolveDown(i64 begin, i64 end) {
    for (i64 i = begin; i < end; ++i) Eliminate(i, end);
    for (i64 i = end; i < form_.rows; ++i) {
      if (!IsPair(i)) {
        SolveOne(i, x_[i], Conjugate(form_(i, i)));
        Eliminate(i, i + 1);
        continue;
      }
      SolveTwo(i, x_[i], x_[i + 1], form_(i + 1, i), form_(i, i + 1));
      Eliminate(i, i + 2);
      Eliminate(i + 1, i + 2);
      ++i;
    }
  }

 private:
  // Whether rows i and i + 1 form a 2 by 2 block.
  bool IsPair(i64 i) const {
    if constexpr (kIsComplexScalar<T>) return false;
    return i >= 0 && i + 1 < form_.rows && form_(i + 1, i) != T();
  }
  S Rest(i64 i, i64 begin, i64 end) const {
    S rest = S();
    const T* row = form_.row(i);
    for (i64 j = begin; j < end; ++j) rest = SubtractProduct(row[j], x_[j], rest);
    return rest;
  }
  void Eliminate(i64 i, i64 begin) {
    const T* row = form_.row(i);
    const S value = x_[i];
    if (value == S()) return;
    for (i64 j = begin; j < form_.rows; ++j) {
      x_[j] = SubtractProduct(Conjugate(row[j]), value, x_[j]);
    }
  }
  // The pivot of T or T^H, whichever is solved; eigenvalue_ belongs to the same matrix.
  S Pivot(T diagonal) const { return S(diagonal) - eigenvalue_; }

  void ScaleAll(P size, S* others, int count) {
    const P factor = 1 / PowerOfTwoBelow(size);
    for (S& x : x_) x = Scale(x, factor);
    for (int i = 0; i < count; ++i) others[i] = Scale(others[i], factor);
  }
  // Scales the vector down before a division by a pivot of this size, if that could overflow.
  void MakeRoom(S* right_sides, int count, P pivot) {
    P size = 0;
    for (int i = 0; i < count; ++i) size = std::max(size, LargestPart(right_sides[i]));
    if (size > 1 && size > kLarge * std::min(pivot, P(1))) ScaleAll(size, right_sides, count);
  }
  void Store(i64 i, S value) {
    x_[i] = value;
    const P size = LargestPart(value);
    if (size > kLarge) ScaleAll(size, nullptr, 0);
  }

  void SolveOne(i64 i, S right_side, T diagonal) {
    S pivot = Pivot(diagonal);
    P size = LargestPart(pivot);
    if (!(size >= smallest_)) {
      pivot = S(smallest_);
      size = smallest_;
    }
    MakeRoom(&right_side, 1, size);
    Store(i, Quotient(right_side, pivot));
  }

  // {{p, above}, {below, q}} (x[i], x[i + 1]) = (first, second), by elimination with the largest
  // element of the matrix.
  void SolveTwo(i64 i, S first, S second, T above, T below) {
    S m[2][2] = {{Pivot(form_(i, i)), S(above)}, {S(below), Pivot(form_(i + 1, i + 1))}};
    int row = 0, column = 0;
    for (int r = 0; r < 2; ++r) {
      for (int c = 0; c < 2; ++c) {
        if (LargestPart(m[r][c]) > LargestPart(m[row][column])) row = r, column = c;
      }
    }
    S right[2] = {first, second};
    if (!(LargestPart(m[row][column]) >= smallest_)) {
      row = column = 0;
      m[0][0] = m[1][1] = S(smallest_);
      m[0][1] = m[1][0] = S();
    }
    const S factor = Quotient(m[1 - row][column], m[row][column]);
    S pivot = MultiplySubtract(factor, m[row][1 - column], m[1 - row][1 - column]);
    if (!(LargestPart(pivot) >= smallest_)) pivot = S(smallest_);
    MakeRoom(right, 2, std::min(LargestPart(pivot), LargestPart(m[row][column])));
    S other = Quotient(MultiplySubtract(factor, right[row], right[1 - row]), pivot);
    if (LargestPart(other) > kLarge) {
      right[1 - row] = other;
      ScaleAll(LargestPart(other), right, 2);
      other = right[1 - row];
    }
    x_[i] = x_[i + 1] = S();
    const S one = Quotient(MultiplySubtract(m[row][1 - column], other, right[row]), m[row][column]);
    x_[i + 1 - column] = other;
    Store(i + column, one);
  }

  // Far from overflow after as many sums as a matrix has rows.
  static constexpr P kLarge = sizeof(P) == 4 ? P(0x1p40) : P(0x1p400);

  const Matrix<T>& form_;
  S eigenvalue_;
  std::vector<S>& x_;
  P smallest_;
};

// Brings the largest part into [1, 2) and puts the vector into columns `column` (and column + 1).
template <typename T, typename S>
void StoreColumn(std::vector<S>& x, const Matrix<T>& vectors, i64 column) {
  PartType<T> size = 0;
  for (const S& element : x) size = std::max(size, LargestPart(element));
  const PartType<T> scale = PowerOfTwoBelow(size);
  for (i64 i = 0; i < vectors.rows; ++i) {
    const S element = DivideByReal(x[i], scale);
    if constexpr (kIsComplexScalar<S> == kIsComplexScalar<T>) {
      vectors(i, column) = element;
    } else {
      vectors(i, column) = element.real();
      vectors(i, column + 1) = element.imag();
    }
  }
}

// The vector of the pair in rows k and k + 1 of a real form.
template <typename P>
void SolvePair(const Matrix<P>& form, const Eigenvalues<P>& eigenvalues, i64 k, bool right,
               const Matrix<P>& vectors, std::vector<std::complex<P>>& x) {
  using C = std::complex<P>;
  const P imaginary = eigenvalues.imaginary[k], above = form(k, k + 1), below = form(k + 1, k);
  const bool use_above = Magnitude(above) >= Magnitude(below);
  x.assign(form.rows, C());
  if (right) {
    x[k] = use_above ? C(1) : C(-imaginary / below);
    x[k + 1] = C(0, use_above ? imaginary / above : P(1));
  } else {
    x[k] = use_above ? C(imaginary / above) : C(1);
    x[k + 1] = C(0, use_above ? P(1) : -imaginary / below);
  }
  Substitution<P, C> substitution(form, C(eigenvalues.values[k], right ? imaginary : -imaginary),
                                  x);
  if (right) {
    substitution.SolveUp(k, k + 2);
  } else {
    substitution.SolveDown(k, k + 2);
  }
  StoreColumn(x, vectors, k);
}

}  // namespace

template <typename T>
Status SchurEigenvectors(const Matrix<T>& form, const Eigenvalues<T>& eigenvalues, bool right,
                         const Matrix<T>& vectors, Limits* limits) {
  std::vector<T> x;
  std::vector<std::complex<PartType<T>>> pair;
  for (i64 k = 0; k < form.rows; ++k) {
    AXLE_TRY(CheckLimits(limits));
    if constexpr (!kIsComplexScalar<T>) {
      if (eigenvalues.imaginary[k] != 0) {
        SolvePair(form, eigenvalues, k, right, vectors, pair);
        ++k;
        continue;
      }
    }
    x.assign(form.rows, T());
    x[k] = T(1);
    const T value = eigenvalues.values[k];
    Substitution<T, T> substitution(form, right ? value : Conjugate(value), x);
    if (right) {
      substitution.SolveUp(k, k + 1);
    } else {
      substitution.SolveDown(k, k + 1);
    }
    StoreColumn(x, vectors, k);
  }
  return {};
}

#define INSTANTIATE(T)                                                             \
  template Status SchurEigenvectors(const Matrix<T>&, const Eigenvalues<T>&, bool, \
                                    const Matrix<T>&, Limits*);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(std::complex<float>)
INSTANTIATE(std::complex<double>)
#undef INSTANTIATE

}  // namespace axle
