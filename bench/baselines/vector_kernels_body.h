// The kernels, over the vectors of an instruction set; included by one .cc for each, inside a
// namespace of its own, after it has said what these are:
//
//   F, I            vectors of kLanes f32, and of as many s32
//   Load, Store, Stream, Set, SetI, Bits, FromBits, Fma, Sqrt, Round, ToInt, ToFloat,
//   TimesPowerOf2, Max, Select, Shift, Narrow, LoadBf16, LoadS8, and fma_f32, fma_f64 below
//
// Operators on vectors are the compiler's.

constexpr long kStreamBytes = 32L << 20;  // larger arrays are written past the caches

// --- Functions ----------------------------------------------------------------------------------

// e^(r + n ln 2) for |r| <= ln(2) / 2.
inline F ExpReduced(F r, F n) {
  F p = Set(1.9875691500e-4F);
  p = Fma(p, r, Set(1.3981999507e-3F));
  p = Fma(p, r, Set(8.3334519073e-3F));
  p = Fma(p, r, Set(4.1665795894e-2F));
  p = Fma(p, r, Set(1.6666665459e-1F));
  p = Fma(p, r, Set(5.0000001201e-1F));
  p = Fma(p, r * r, r) + Set(1.0F);
  return TimesPowerOf2(p, n);
}

inline F Exp(F x) {
  const F n = Round(x * Set(1.44269504F));
  F r = Fma(n, Set(-0.693359375F), x);
  r = Fma(n, Set(2.12194440e-4F), r);
  return ExpReduced(r, n);
}

inline F Tanh(F x) {
  const F size = FromBits(Bits(x) & SetI(0x7fffffff));
  const I sign = Bits(x) & SetI(static_cast<int>(0x80000000U));
  const F square = x * x;
  F p = Set(-5.70498872745e-3F);
  p = Fma(p, square, Set(2.06390887954e-2F));
  p = Fma(p, square, Set(-5.37397155531e-2F));
  p = Fma(p, square, Set(1.33314422036e-1F));
  p = Fma(p, square, Set(-3.33332819422e-1F));
  const F small = Fma(p * square, x, x);
  const F limited = Select(size > Set(9.5F), Set(9.5F), size);
  const F large = Set(1.0F) - Set(2.0F) / (Exp(limited + limited) + Set(1.0F));
  return Select(size < Set(0.625F), small, FromBits(Bits(large) | sign));
}

inline F Gelu(F x) {
  const F inner = Set(0.797884583F) * Fma(x * x * x, Set(0.044715F), x);
  return Set(0.5F) * x * (Set(1.0F) + Tanh(inner));
}

template <F (*kFunction)(F)>
void Map(const float* x, float* out, long n) {
  for (long i = 0; i < n; i += kLanes) Store(out + i, kFunction(Load(x + i)));
}

// --- Rows and columns ---------------------------------------------------------------------------

inline float Sum(F v) {
  alignas(64) float lanes[kLanes];
  Store(lanes, v);
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  }
  return lanes[0];
}

inline float Largest(F v) {
  alignas(64) float lanes[kLanes];
  Store(lanes, v);
  float most = lanes[0];
  for (const float lane : lanes) most = lane > most ? lane : most;
  return most;
}

// A row, in four chains.
template <typename Term>
F SumOf(const float* row, long columns, Term term) {
  F sums[4] = {Set(0), Set(0), Set(0), Set(0)};
  long i = 0;
  for (; i + 4 * kLanes <= columns; i += 4 * kLanes) {
    for (int k = 0; k < 4; ++k) sums[k] = sums[k] + term(Load(row + i + k * kLanes));
  }
  for (; i < columns; i += kLanes) sums[0] = sums[0] + term(Load(row + i));
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

inline void SoftmaxRows(const float* x, float* out, long rows, long columns) {
  for (long r = 0; r < rows; ++r, x += columns, out += columns) {
    F tops[4];
    for (F& top : tops) top = Load(x);
    for (long i = 0; i < columns; i += 4 * kLanes) {
      for (int k = 0; k < 4; ++k) tops[k] = Max(tops[k], Load(x + i + k * kLanes));
    }
    const F top = Set(Largest(Max(Max(tops[0], tops[1]), Max(tops[2], tops[3]))));
    F sums[2] = {Set(0), Set(0)};
    for (long i = 0; i < columns; i += 2 * kLanes) {
      for (int k = 0; k < 2; ++k) {
        const F e = Exp(Load(x + i + k * kLanes) - top);
        Store(out + i + k * kLanes, e);
        sums[k] = sums[k] + e;
      }
    }
    const F factor = Set(1.0F / Sum(sums[0] + sums[1]));
    for (long i = 0; i < columns; i += kLanes) Store(out + i, Load(out + i) * factor);
  }
}

inline void LayerNormRows(const float* x, float* out, long rows, long columns) {
  const float part = 1.0F / static_cast<float>(columns);
  for (long r = 0; r < rows; ++r, x += columns, out += columns) {
    const F mean = Set(Sum(SumOf(x, columns, [](F v) { return v; })) * part);
    const float variance =
        Sum(SumOf(x, columns, [mean](F v) { return (v - mean) * (v - mean); })) * part;
    const F factor = Set(1.0F) / Sqrt(Set(variance + 1e-5F));
    for (long i = 0; i < columns; i += kLanes) Store(out + i, (Load(x + i) - mean) * factor);
  }
}

inline void RowSums(const float* x, float* out, long rows, long columns) {
  for (long r = 0; r < rows; ++r) {
    out[r] = Sum(SumOf(x + r * columns, columns, [](F v) { return v; }));
  }
}

// Eight rows at a time into the sums of all columns, which stay in the cache.
inline void ColumnSums(const float* x, float* out, long rows, long columns) {
  for (long i = 0; i < columns; i += kLanes) Store(out + i, Set(0));
  for (long r = 0; r < rows; r += 8) {
    const float* row = x + r * columns;
    for (long i = 0; i < columns; i += kLanes) {
      F sum = Load(out + i);
      for (int k = 0; k < 8; ++k) sum = sum + Load(row + k * columns + i);
      Store(out + i, sum);
    }
  }
}

// --- Transpose: a square of kLanes * kLanes in registers
// -------------------------------------------

// Lane i of the result of step `width`: the lanes with that bit change places between two rows.
template <int kWidth, bool kUpper, int... kLane>
F Exchange(F a, F b, Sequence<kLane...>) {
  return __builtin_shufflevector(
      a, b,
      (kUpper ? ((kLane & kWidth) != 0 ? kLane + kLanes : kLane + kWidth)
              : ((kLane & kWidth) != 0 ? kLane - kWidth + kLanes : kLane))...);
}

template <int kWidth>
void ExchangeRows(F* rows) {
  for (int i = 0; i < kLanes; ++i) {
    if ((i & kWidth) != 0) continue;
    const F a = rows[i], b = rows[i + kWidth];
    rows[i] = Exchange<kWidth, false>(a, b, Lanes());
    rows[i + kWidth] = Exchange<kWidth, true>(a, b, Lanes());
  }
}

inline void Transpose(const float* x, float* out, long rows, long columns) {
  for (long r = 0; r < rows; r += kLanes) {
    for (long c = 0; c < columns; c += kLanes) {
      F square[kLanes];
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i) square[i] = Load(x + (r + i) * columns + c);
      ExchangeRows<1>(square);
      ExchangeRows<2>(square);
      ExchangeRows<4>(square);
      if constexpr (kLanes == 16) ExchangeRows<8>(square);
#pragma GCC unroll 16
      for (int i = 0; i < kLanes; ++i) Store(out + (c + i) * rows + r, square[i]);
    }
  }
}

// --- Conversions
// ----------------------------------------------------------------------------------

inline I ToBf16(F x) {
  const I bits = Bits(x);
  const I rounded = bits + SetI(0x7fff) + (Shift(bits, 16) & SetI(1));
  const I quiet = bits | SetI(0x400000);
  return Shift(Bits(Select(x == x, FromBits(rounded), FromBits(quiet))), 16);
}

inline void F32ToBf16(const float* x, Bf16* out, long n) {
  for (long i = 0; i < n; i += 2 * kLanes) {
    Narrow(out + i, ToBf16(Load(x + i)), ToBf16(Load(x + i + kLanes)));
  }
}

inline void Bf16ToF32(const Bf16* x, float* out, long n) {
  for (long i = 0; i < n; i += kLanes) Store(out + i, LoadBf16(x + i));
}

inline void S8ToF32(const std::int8_t* x, float* out, long n) {
  for (long i = 0; i < n; i += kLanes) Store(out + i, LoadS8(x + i));
}

// --- Memory
// ---------------------------------------------------------------------------------------

inline void Copy(const float* x, float* out, long n) {
  if (n * 4 < kStreamBytes) {
    for (long i = 0; i < n; i += kLanes) Store(out + i, Load(x + i));
  } else {
    for (long i = 0; i < n; i += kLanes) Stream(out + i, Load(x + i));
    __builtin_ia32_sfence();
  }
}

inline void Triad(const float* x, const float* y, float* out, long n) {
  const F half = Set(0.5F);
  if (n * 4 < kStreamBytes) {
    for (long i = 0; i < n; i += kLanes) Store(out + i, Fma(Load(y + i), half, Load(x + i)));
  } else {
    for (long i = 0; i < n; i += kLanes) Stream(out + i, Fma(Load(y + i), half, Load(x + i)));
    __builtin_ia32_sfence();
  }
}

// --- Peaks
// ------------------------------------------------------------------------------------------

constexpr int kChains = 12;  // enough for two units with a latency of 5

inline void MultiplyAdd(F& chain, F factor) {
  asm volatile("vfmadd213ps %1, %1, %0" : "+v"(chain) : "v"(factor));
}
inline void MultiplyAdd(D& chain, D factor) {
  asm volatile("vfmadd213pd %1, %1, %0" : "+v"(chain) : "v"(factor));
}

template <typename V, typename Element>
void FmaChains(long steps) {
  const V one = V{} + static_cast<Element>(1), factor = V{} + static_cast<Element>(0.999);
  // Twelve variables: an array would live in memory.
  V a = one, b = one, c = one, d = one, e = one, f = one;
  V g = one, h = one, i = one, j = one, k = one, l = one;
  const auto each = [factor](auto&... chains) { (MultiplyAdd(chains, factor), ...); };
  for (long step = 0; step < steps; ++step) each(a, b, c, d, e, f, g, h, i, j, k, l);
}

constexpr VectorKernels Table(const char* isa) {
  constexpr long kFlops = 2L * kChains * kLanes;
  return {isa,
          Map<Exp>,
          Map<Tanh>,
          Map<Gelu>,
          SoftmaxRows,
          LayerNormRows,
          RowSums,
          ColumnSums,
          Transpose,
          F32ToBf16,
          Bf16ToF32,
          S8ToF32,
          Copy,
          Triad,
          FmaChains<F, float>,
          FmaChains<D, double>,
          kFlops,
          kFlops / 2};
}
