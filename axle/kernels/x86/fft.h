// Fourier transforms of the lines along one dimension. Stages and their order are those of
// docs/numerics.md; what is chosen here is what fills vectors.
//
//   kColumns  Lines whose elements have elements of other lines as neighbours: a vector holds one
//             element of each. The first pass reads the array, the last one writes it.
//   kLanes    Short lines that are contiguous: likewise, but squares are transposed on the way to
//             scratch memory and back.
//   kRow      A long line is a matrix, whose columns x[c], x[c + C], x[c + 2 C], ... are
//   transformed
//             first, as many at a time as a vector has lanes. Their results are put one behind the
//             other; from there on, vectors run along the line.
//   kChirp    Bluestein's convolution: two rows in f64. Products with the chirp and the filter are
//             part of their first and last passes.
//
// A line of an even number of real numbers is transformed as half as many complex ones, whose
// spectrum is taken apart afterwards, and put together before an inverse transform.
#pragma once
#include "axle/kernels/x86/fft_entries.h"
#include "axle/kernels/x86/fft_stages.h"

namespace axle::AXLE_ISA {

// The two arrays of parts of a line.
template <typename S>
struct Split {
  S *re, *im;
};

// Columns from `first` on of the products of a line with the chirp, and of zeros behind them.
template <typename S>
struct ChirpSource {
  const S *line, *chirp;
  i64 size, first, stride, count;
  bool exchanges;
  static constexpr bool kStarts = true;
  [[gnu::always_inline]] Parts<S> operator()(i64 j) const {
    const i64 i = j * stride + first, some = Min(count, size - i);
    if (some <= 0) return {Vector<S>{}, Vector<S>{}};
    const Parts<S> x = MemorySource<S>{line + 2 * i, 2, some, exchanges}(0);
    if (some == kLanesOf<S>) return Turn(Load(chirp + i), Load(chirp + size + i), x);
    const FirstLanes<S> lanes(some);
    return Turn(lanes.Load(chirp + i), lanes.Load(chirp + size + i), x);
  }
};
// Products with the filter, whose parts are exchanged for the inverse transform.
template <typename S>
struct FilterSink {
  Split<S> to;
  const S *re, *im;
  [[gnu::always_inline]] void operator()(i64 k, Parts<S> x) const {
    const Parts<S> product = Turn(Load(re + k), Load(im + k), x);
    Store(to.re + k, product.im);
    Store(to.im + k, product.re);
  }
};
template <typename S>
struct SpectrumSource {
  Split<S> from;
  i64 stride, count;
  static constexpr bool kStarts = true;
  [[gnu::always_inline]] Parts<S> operator()(i64 j) const {
    const S *const re = from.re + j * stride, *const im = from.im + j * stride;
    if (count == kLanesOf<S>) return {Load(re), Load(im)};
    const FirstLanes<S> lanes(count);
    return {lanes.Load(re), lanes.Load(im)};
  }
};
template <typename S>
struct ChirpSink {
  S* line;
  const S* chirp;
  i64 size;
  bool exchanges;
  [[gnu::always_inline]] void operator()(i64 k, Parts<S> x) const {
    const i64 some = Min(kLanesOf<S>, size - k);
    if (some <= 0) return;
    const FirstLanes<S> lanes(some);
    const Parts<S> w = some == kLanesOf<S>
                           ? Parts<S>{Load(chirp + k), Load(chirp + size + k)}
                           : Parts<S>{lanes.Load(chirp + k), lanes.Load(chirp + size + k)};
    MemorySink<S>{line + 2 * k, 2, {}, some, exchanges}(0, Turn(w.re, w.im, Parts<S>{x.im, x.re}));
  }
};

// The transforms of one plan; T is the type of the array, S that of the computation.
template <typename T, typename S>
class FftRunner {
 public:
  FftRunner(const FftKernelPlan& plan, void* const* buffers)
      : plan_(plan),
        table_(static_cast<const S*>(plan.table)),
        in_(static_cast<const T*>(buffers[0])),
        out_(static_cast<T*>(buffers[1])) {
    char* const scratch = static_cast<char*>(buffers[2]);
    lines_ = reinterpret_cast<S*>(scratch + plan.lines_at);
    buffer_ = reinterpret_cast<S*>(scratch + plan.buffers_at);
    other_ = buffer_ + 2 * kLanesOf<S> * plan.lanes.size;
    split_ = reinterpret_cast<S*>(scratch + plan.splits_at);
  }

  void Run(i64 tile) {
    if (plan_.method == FftMethod::kColumns) {
      if constexpr (sizeof(T) == sizeof(S)) RunColumns(tile);
      return;
    }
    const i64 first = tile * plan_.tile_lines;
    RunLines(first, Min(plan_.tile_lines, plan_.lines - first));
  }

 private:
  static constexpr i64 kLanes = kLanesOf<S>;

  // What results are divided by, in the type U. A power of two has an exact reciprocal.
  template <typename U>
  Divisor<U> ResultDivisor() const {
    Divisor<U> divisor;
    const U value = static_cast<U>(plan_.divisor);
    if (value == 1) return divisor;
    const U factor = 1 / value;
    unsigned long long bits = 0;
    if constexpr (sizeof(U) == 8) {
      __builtin_memcpy(&bits, &value, sizeof(U));
      bits &= (1ull << 52) - 1;
    } else {
      unsigned narrow = 0;
      __builtin_memcpy(&narrow, &value, sizeof(U));
      bits = narrow & ((1u << 23) - 1);
    }
    divisor.divides = bits != 0;
    divisor.factor = Broadcast(factor);
    divisor.divisor = Broadcast(value);
    return divisor;
  }

  // -- Passes over lanes --

  // All passes from a source; the results are in the buffer that is returned.
  template <typename Source>
  S* RunLanes(const Source& source) {
    const FftPasses& lanes = plan_.lanes;
    S *to = buffer_, *next = other_;
    for (int i = 0; i < lanes.count; ++i) {
      const FftPass& pass = lanes.passes[i];
      if (i == 0) {
        RunLanePass(pass, lanes.size, table_, source, BufferSink<S>{to});
      } else {
        RunLanePass(pass, lanes.size, table_, BufferSource<S>{next}, BufferSink<S>{to});
      }
      S* const written = to;
      to = next;
      next = written;
    }
    return next;
  }

  void RunColumns(i64 tile) {
    const FftPasses& lanes = plan_.lanes;
    const i64 groups = CeilDivide(plan_.inner, kLanes), first = tile % groups * kLanes;
    const i64 begin = 2 * (tile / groups * plan_.size * plan_.inner + first);
    const i64 count = Min(kLanes, plan_.inner - first);
    const S* const in = reinterpret_cast<const S*>(in_) + begin;
    S* const out = reinterpret_cast<S*>(out_) + begin;
    const MemorySource<S> source = {in, 2 * plan_.inner, count, plan_.is_inverse};
    const MemorySink<S> sink = {out, 2 * plan_.inner, ResultDivisor<S>(), count, plan_.is_inverse};
    if (lanes.count == 0) return sink(0, source(0));
    S *from = other_, *to = buffer_;
    for (int i = 0; i < lanes.count; ++i) {
      const FftPass& pass = lanes.passes[i];
      const bool is_last = i + 1 == lanes.count;
      if (i == 0 && is_last) {
        RunLanePass(pass, lanes.size, table_, source, sink);
      } else if (i == 0) {
        RunLanePass(pass, lanes.size, table_, source, BufferSink<S>{to});
      } else if (is_last) {
        RunLanePass(pass, lanes.size, table_, BufferSource<S>{from}, sink);
      } else {
        RunLanePass(pass, lanes.size, table_, BufferSource<S>{from}, BufferSink<S>{to});
      }
      S* const written = to;
      to = from;
      from = written;
    }
  }

  // -- Rows --

  // Two pairs of arrays for the parts of a line.
  Split<S> SplitAt(int i) const {
    S* const re = split_ + 2 * i * plan_.row_size;
    return {re, re + plan_.row_size};
  }

  // Transforms a line of row_size numbers; source(c, count) gives those of `count` columns from c
  // on. Columns go to the arrays `at`, from where passes go to and fro between the two pairs of
  // arrays. The last one writes to the sink that last(i) gives if it reads the pair i.
  template <typename Columns, typename Last>
  void RunRow(const Columns& source, int at, const Last& last) {
    const i64 size = plan_.row_size, column = plan_.lanes.size, columns = size / column;
    const Split<S> split = SplitAt(at);
    for (i64 c = 0; c < columns; c += kLanes) {
      const i64 count = Min(kLanes, columns - c);
      const S* const from = RunLanes(source(c, count));
      for (i64 next = 0; next < column; next += kLanes) {
        const i64 k = Min(next, column - kLanes);
        PutColumns(from + 2 * kLanes * k, count, column, split.re + c * column + k);
        PutColumns(from + 2 * kLanes * k + kLanes, count, column, split.im + c * column + k);
      }
    }
    const FftPasses& wide = plan_.wide;
    for (int i = 0; i < wide.count; ++i) {
      const Split<S> from = SplitAt(at);
      const SplitSource<S> values = {from.re, from.im};
      if (i + 1 == wide.count) {
        RunWidePass(wide.passes[i], size, table_, values, last(at));
      } else {
        at ^= 1;
        const Split<S> to = SplitAt(at);
        RunWidePass(wide.passes[i], size, table_, values, SplitSink<S>{to.re, to.im});
      }
    }
  }

  // Contiguous complex numbers; in and out may be the same.
  void RunRow(const S* in, S* out, bool exchanges, const Divisor<S>& divisor) {
    const i64 columns = plan_.row_size / plan_.lanes.size;
    RunRow(
        [&](i64 c, i64 count) {
          return MemorySource<S>{in + 2 * c, 2 * columns, count, exchanges};
        },
        0,
        [&](int) {
          return MemorySink<S>{out, 2, divisor, kLanes, exchanges};
        });
  }

  // The first `count` lanes of vectors, each to a run of its own.
  static void PutColumns(const S* from, i64 count, i64 step, S* to) {
    const auto row = [&](int r) __attribute__((always_inline)) {
      return from + 2 * kLanes * r;
    };
    if (count == kLanes) {
      Transpose<S>(
          row, [&](int c, Vector<S> x) __attribute__((always_inline)) { Store(to + c * step, x); });
    } else {
      Transpose<S>(
          row, [&](int c, Vector<S> x) __attribute__((always_inline)) {
            if (c < count) Store(to + c * step, x);
          });
    }
  }

  // -- Lines side by side --

  // Lines of `size` contiguous complex numbers, `in_step` and `out_step` numbers apart. Spectra of
  // real lines have one number more.
  void RunSideBySide(const S* in, i64 in_step, S* out, i64 out_step, i64 count,
                     const Divisor<S>& divisor) {
    i64 size = plan_.size;
    const bool exchanges = plan_.is_inverse;
    S* const gathered = other_;
    // A square has the parts of half as many numbers as it has rows.
    constexpr i64 kHalf = kLanes / 2;
    for (i64 next = 0; next + kHalf <= size || next < size / kHalf * kHalf; next += kHalf) {
      const auto row = [&](int r) __attribute__((always_inline)) {
        return in + Min(r, count - 1) * in_step + 2 * next;
      };
      S* const to = gathered + 2 * kLanes * next;
      Transpose<S>(
          row, [&](int c, Vector<S> x) __attribute__((always_inline)) {
            Store(to + kLanes * (exchanges ? c ^ 1 : c), x);
          });
    }
    for (i64 j = size / kHalf * kHalf; j < size; ++j) {
      for (i64 w = 0; w < kLanes; ++w) {
        const S* const x = in + Min(w, count - 1) * in_step + 2 * j;
        gathered[2 * kLanes * j + w] = x[exchanges ? 1 : 0];
        gathered[2 * kLanes * j + kLanes + w] = x[exchanges ? 0 : 1];
      }
    }
    S* const from = plan_.lanes.count == 0 ? gathered : RunLanes(BufferSource<S>{gathered});
    if (plan_.ends == FftEnds::kRealEven) {
      TakeApartLanes(from);
      ++size;
    }
    for (i64 k = 0; k < size / kHalf * kHalf; k += kHalf) {
      const auto row = [&](int r) __attribute__((always_inline)) {
        return from + kLanes * (2 * k + (exchanges ? r ^ 1 : r));
      };
      Transpose<S>(
          row, [&](int c, Vector<S> x) __attribute__((always_inline)) {
            if (c < count) Store(out + c * out_step + 2 * k, divisor(x));
          });
    }
    for (i64 k = size / kHalf * kHalf; k < size; ++k) {
      const S* const x = from + 2 * kLanes * k;
      S results[2 * kLanes];
      Store(results + (exchanges ? kLanes : 0), divisor(Load(x)));
      Store(results + (exchanges ? 0 : kLanes), divisor(Load(x + kLanes)));
      for (i64 w = 0; w < count; ++w) {
        out[w * out_step + 2 * k] = results[w];
        out[w * out_step + 2 * k + 1] = results[kLanes + w];
      }
    }
  }

  // -- Convolutions --

  // Transforms the `size` complex numbers of `line` in their places.
  void RunChirp(S* line, bool exchanges) {
    if constexpr (sizeof(S) == 8) {
      const i64 columns = plan_.row_size / plan_.lanes.size;
      int at = 0;
      const auto chirped = [&](i64 c, i64 count) {
        return ChirpSource<S>{line, plan_.chirp, plan_.size, c, columns, count, exchanges};
      };
      // Where the places of its vectors do not overlap, the last pass may write what it has read.
      const FftPass& last = plan_.wide.passes[plan_.wide.count - 1];
      const int moves = last.length % kLanes == 0 ? 0 : 1;
      RunRow(chirped, at, [&](int i) {
        at = i ^ moves;
        return FilterSink<S>{SplitAt(at), plan_.filter, plan_.filter + plan_.row_size};
      });
      const Split<S> spectrum = SplitAt(at);
      const auto columns_of = [&](i64 c, i64 count) {
        return SpectrumSource<S>{{spectrum.re + c, spectrum.im + c}, columns, count};
      };
      RunRow(columns_of, at ^ 1, [&](int) {
        return ChirpSink<S>{line, plan_.chirp, plan_.size, exchanges};
      });
    }
  }

  // -- Whole lines: what comes before and after the transform of their complex numbers --

  // Lines are transformed on the way from the array to the result if they are contiguous complex
  // numbers of the type that computes; others are copied first.
  void RunLines(i64 first, i64 count) {
    const i64 size = plan_.size, step = 2 * (size + 1);
    if constexpr (sizeof(T) == sizeof(S)) {
      const bool is_chirp = plan_.method == FftMethod::kChirp;
      if (!is_chirp && plan_.ends == FftEnds::kComplex && plan_.inner == 1) {
        const i64 begin = 2 * first * size;
        return Transform(in_ + begin, 2 * size, out_ + begin, 2 * size, count);
      }
      if (!is_chirp && plan_.ends == FftEnds::kRealEven) {
        T* const out = out_ + first * step;
        Transform(in_ + 2 * first * size, 2 * size, out, step, count);
        return plan_.method == FftMethod::kRow ? TakeApart(out) : void();
      }
      if (!is_chirp && plan_.ends == FftEnds::kToRealEven) {
        for (i64 i = 0; i < count; ++i) PutTogether(in_ + (first + i) * step, Line(i));
        return Transform(lines_, step, out_ + 2 * first * size, 2 * size, count);
      }
    }
    for (i64 i = 0; i < count; ++i) GetLine(first + i, Line(i));
    if (plan_.method == FftMethod::kChirp) {
      RunChirp(lines_, plan_.is_inverse);
    } else if (plan_.method == FftMethod::kRow) {
      RunRow(lines_, lines_, plan_.is_inverse, {});
    } else {
      RunSideBySide(lines_, step, lines_, step, count, {});
    }
    if (plan_.ends == FftEnds::kRealEven && plan_.method != FftMethod::kLanes) TakeApart(lines_);
    for (i64 i = 0; i < count; ++i) PutLine(Line(i), first + i);
  }

  // The numbers of the type that computes, with room for one more.
  S* Line(i64 i) { return lines_ + 2 * i * (plan_.size + 1); }

  // Contiguous complex lines.
  void Transform(const S* in, i64 in_step, S* out, i64 out_step, i64 count) {
    const Divisor<S> divisor = ResultDivisor<S>();
    if (plan_.method == FftMethod::kRow) return RunRow(in, out, plan_.is_inverse, divisor);
    RunSideBySide(in, in_step, out, out_step, count, divisor);
  }

  // The begin of a line of complex numbers whose elements are `inner` apart.
  i64 BeginOf(i64 line) const {
    return 2 * (line / plan_.inner * plan_.size * plan_.inner + line % plan_.inner);
  }

  void GetLine(i64 index, S* line) {
    const i64 size = plan_.size;
    switch (plan_.ends) {
      case FftEnds::kComplex: {
        const T* const x = in_ + BeginOf(index);
        const i64 step = 2 * plan_.inner;
        if (step == 2) return Widen(x, 2 * size, line);
        for (i64 j = 0; j < size; ++j) {
          line[2 * j] = x[j * step];
          line[2 * j + 1] = x[j * step + 1];
        }
        return;
      }
      case FftEnds::kRealEven:
        return Widen(in_ + 2 * index * size, 2 * size, line);
      case FftEnds::kRealOdd: {
        const T* const x = in_ + index * size;
        for (i64 j = 0; j < size; ++j) {
          line[2 * j] = x[j];
          line[2 * j + 1] = 0;
        }
        return;
      }
      case FftEnds::kToRealEven:
        return PutTogether(in_ + index * 2 * (size + 1), line);
      case FftEnds::kToRealOdd: {
        const i64 half = size / 2;
        const T* const x = in_ + index * 2 * (half + 1);
        line[0] = x[0];
        line[1] = 0;
        for (i64 j = 1; j <= half; ++j) {
          line[2 * j] = line[2 * (size - j)] = x[2 * j];
          line[2 * j + 1] = x[2 * j + 1];
          line[2 * (size - j) + 1] = -x[2 * j + 1];
        }
        return;
      }
    }
  }

  void PutLine(const S* line, i64 index) {
    const i64 size = plan_.size, half = size / 2 + 1;
    switch (plan_.ends) {
      case FftEnds::kComplex: {
        T* const y = out_ + BeginOf(index);
        const i64 step = 2 * plan_.inner;
        if (step == 2) return Divide(line, 2 * size, y);
        const T divisor = static_cast<T>(plan_.divisor);
        for (i64 j = 0; j < size; ++j) {
          const T re = static_cast<T>(line[2 * j]), im = static_cast<T>(line[2 * j + 1]);
          y[j * step] = divisor == 1 ? re : re / divisor;
          y[j * step + 1] = divisor == 1 ? im : im / divisor;
        }
        return;
      }
      case FftEnds::kRealEven:
        return Round(line, 2 * (size + 1), out_ + index * 2 * (size + 1));
      case FftEnds::kRealOdd:
        return Round(line, 2 * half, out_ + index * 2 * half);
      case FftEnds::kToRealEven:
        return Divide(line, 2 * size, out_ + 2 * index * size);
      case FftEnds::kToRealOdd: {
        T* const y = out_ + index * size;
        const T divisor = static_cast<T>(plan_.divisor);
        for (i64 j = 0; j < size; ++j) y[j] = static_cast<T>(line[2 * j]) / divisor;
        return;
      }
    }
  }

  // -- Numbers of the array and of the computation --

  static void Widen(const T* from, i64 count, S* to) {
    i64 i = 0;
    if constexpr (sizeof(S) == 8) {
      for (; i + kLanes <= count; i += kLanes) Store(to + i, LoadWide(from + i));
    }
    for (; i < count; ++i) to[i] = from[i];
  }
  static void Round(const S* from, i64 count, T* to) {
    i64 i = 0;
    if constexpr (sizeof(S) == 8) {
      for (; i + kLanes <= count; i += kLanes) StoreRounded(to + i, Load(from + i));
    }
    for (; i < count; ++i) to[i] = static_cast<T>(from[i]);
  }
  // Rounds, then divides.
  void Divide(const S* from, i64 count, T* to) {
    Round(from, count, to);
    if (plan_.divisor == 1) return;
    const Divisor<T> divisor = ResultDivisor<T>();
    i64 i = 0;
    for (; i + kLanesOf<T> <= count; i += kLanesOf<T>) Store(to + i, divisor(Load(to + i)));
    const T value = static_cast<T>(plan_.divisor);
    for (; i < count; ++i) to[i] = to[i] / value;
  }

  // -- Spectra of real lines --

  // From the spectrum Z of the numbers x[2 j] + i x[2 j + 1], in its place, that of x. Elements k
  // and size - k are made of the same two.
  void TakeApart(S* z) {
    const i64 size = plan_.size;
    const S* const re = static_cast<const S*>(plan_.halves);
    const S* const im = re + size / 2 + 1;
    const S first = z[0], second = z[1];
    z[0] = first + second;
    z[1] = 0;
    z[2 * size] = first - second;
    z[2 * size + 1] = 0;
    i64 k = 1;
    for (; k + kLanes - 1 < size - k - kLanes + 1; k += kLanes) {
      S* const low = z + 2 * k;
      S* const high = z + 2 * (size - k - kLanes + 1);
      const Parts<S> a = Separate(Load(low), Load(low + kLanes));
      const Parts<S> b = Separate(Load(high), Load(high + kLanes));
      const Vector<S> b_re = Reversed(b.re), b_im = Reversed(b.im);
      const Parts<S> sum = {a.re + b_re, a.im - b_im}, difference = {a.re - b_re, a.im + b_im};
      const Parts<S> u = Turn(Load(re + k), Load(im + k), difference);
      const Vector<S> half = Broadcast(S(0.5));
      const Parts<S> x = Alternate(Parts<S>{half * (sum.re + u.im), half * (sum.im - u.re)});
      const Parts<S> y =
          Alternate(Parts<S>{Reversed(half * (sum.re - u.im)), Reversed(half * (-sum.im - u.re))});
      Store(low, x.re);
      Store(low + kLanes, x.im);
      Store(high, y.re);
      Store(high + kLanes, y.im);
    }
    for (; k < size - k; ++k) {
      S* const low = z + 2 * k;
      S* const high = z + 2 * (size - k);
      const S sum_re = low[0] + high[0], sum_im = low[1] - high[1];
      const S d_re = low[0] - high[0], d_im = low[1] + high[1];
      const S u_re = ScalarFma(-im[k], d_im, re[k] * d_re);
      const S u_im = ScalarFma(im[k], d_re, re[k] * d_im);
      low[0] = S(0.5) * (sum_re + u_im);
      low[1] = S(0.5) * (sum_im - u_re);
      high[0] = S(0.5) * (sum_re - u_im);
      high[1] = S(0.5) * (-sum_im - u_re);
    }
    if (k == size - k) z[2 * k + 1] = -z[2 * k + 1];
  }

  // The same of lines side by side.
  void TakeApartLanes(S* z) {
    const i64 size = plan_.size;
    const S* const re = static_cast<const S*>(plan_.halves);
    const S* const im = re + size / 2 + 1;
    const BufferSource<S> source = {z};
    const BufferSink<S> sink = {z};
    const Vector<S> half = Broadcast(S(0.5));
    const Parts<S> first = source(0);
    sink(0, {first.re + first.im, Vector<S>{}});
    i64 k = 1;
    for (; k < size - k; ++k) {
      const Parts<S> a = source(k), b = source(size - k);
      const Parts<S> sum = {a.re + b.re, a.im - b.im}, difference = {a.re - b.re, a.im + b.im};
      const Parts<S> u = Turn(Broadcast(re[k]), Broadcast(im[k]), difference);
      sink(k, {half * (sum.re + u.im), half * (sum.im - u.re)});
      sink(size - k, {half * (sum.re - u.im), half * (-sum.im - u.re)});
    }
    if (k == size - k) {
      const Parts<S> middle = source(k);
      sink(k, {middle.re, -middle.im});
    }
    sink(size, {first.re - first.im, Vector<S>{}});
  }

  // The opposite, without the factors 1/2.
  void PutTogether(const T* x, S* z) {
    const i64 size = plan_.size;
    const S* const re = static_cast<const S*>(plan_.halves);
    const S* const im = re + size / 2 + 1;
    z[0] = S(x[0]) + S(x[2 * size]);
    z[1] = S(x[0]) - S(x[2 * size]);
    i64 k = 1;
    for (; k + kLanes - 1 < size - k - kLanes + 1; k += kLanes) {
      const i64 mirrored = size - k - kLanes + 1;
      const Parts<S> a = Separate(LoadS(x + 2 * k), LoadS(x + 2 * k + kLanes));
      const Parts<S> b = Separate(LoadS(x + 2 * mirrored), LoadS(x + 2 * mirrored + kLanes));
      const Vector<S> b_re = Reversed(b.re), b_im = Reversed(b.im);
      const Parts<S> sum = {a.re + b_re, a.im - b_im}, difference = {a.re - b_re, a.im + b_im};
      const Parts<S> u = Turn(Load(re + k), -Load(im + k), difference);
      const Parts<S> low = Alternate(Parts<S>{sum.re - u.im, sum.im + u.re});
      const Parts<S> high = Alternate(Parts<S>{Reversed(sum.re + u.im), Reversed(u.re - sum.im)});
      Store(z + 2 * k, low.re);
      Store(z + 2 * k + kLanes, low.im);
      Store(z + 2 * mirrored, high.re);
      Store(z + 2 * mirrored + kLanes, high.im);
    }
    for (; k < size - k; ++k) {
      const T *low = x + 2 * k, *high = x + 2 * (size - k);
      const S sum_re = S(low[0]) + S(high[0]), sum_im = S(low[1]) - S(high[1]);
      const S d_re = S(low[0]) - S(high[0]), d_im = S(low[1]) + S(high[1]);
      const S u_re = ScalarFma(im[k], d_im, re[k] * d_re);
      const S u_im = ScalarFma(-im[k], d_re, re[k] * d_im);
      z[2 * k] = sum_re - u_im;
      z[2 * k + 1] = sum_im + u_re;
      z[2 * (size - k)] = sum_re + u_im;
      z[2 * (size - k) + 1] = u_re - sum_im;
    }
    if (k != size - k) return;
    z[2 * k] = S(x[2 * k]) + S(x[2 * k]);
    z[2 * k + 1] = -(S(x[2 * k + 1]) + S(x[2 * k + 1]));
  }
  static Vector<S> LoadS(const T* x) {
    if constexpr (sizeof(T) == sizeof(S)) {
      return Load(x);
    } else {
      return LoadWide(x);
    }
  }

  const FftKernelPlan& plan_;
  const S* const table_;
  const T* const in_;
  T* const out_;
  S *lines_, *buffer_, *other_, *split_;
};

// Tiles between two looks at whether the run was stopped: about a million elements.
inline constexpr i64 kLookElements = 1 << 20;

template <typename T, typename S>
int RunTiles(const RunContext* run, const FftKernelPlan& plan, void* const* buffers, i64 begin,
             i64 end) {
  const i64 look = Max(1, kLookElements / (plan.size * plan.tile_lines));
  FftRunner<T, S> runner(plan, buffers);
  for (i64 tile = begin; tile < end; ++tile) {
    if ((tile - begin) % look == 0 && run != nullptr && run->stopped != nullptr &&
        run->stopped(run)) {
      return kKernelStopped;
    }
    runner.Run(tile);
  }
  return kKernelOk;
}

template <typename T>
int RunFft(const RunContext* run, const void* data, void* const* buffers, i64 begin, i64 end) {
  const FftKernelPlan& plan = *static_cast<const FftKernelPlan*>(data);
  if constexpr (sizeof(T) == 4) {
    if (!plan.computes_f64) return RunTiles<T, float>(run, plan, buffers, begin, end);
  }
  return RunTiles<T, double>(run, plan, buffers, begin, end);
}

// NOLINTNEXTLINE(misc-definitions-in-headers): for one source file
extern const KernelFunction kFfts[2] = {&RunFft<float>, &RunFft<double>};

}  // namespace axle::AXLE_ISA
