// Every op on dynamic operands: the valid part of its result is what the op of the run-time sizes
// gives on the valid parts, whatever the padding holds, at all sizes from 0 to the bound.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

constexpr std::string_view kComputations = R"(
sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
difference { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] subtract(b, a) }
sum_and_difference { a = f32[] parameter(0)  b = f32[] parameter(1)  x = f32[] parameter(2)
  y = f32[] parameter(3)  s = f32[] add(a, x)  d = f32[] subtract(y, b)
  ROOT r = (f32[], f32[]) tuple(s, d) }
less { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
less_of_two { a = f32[] parameter(0)  b = f32[] parameter(1)  c = s32[] parameter(2)
  d = s32[] parameter(3)  ROOT r = pred[] compare(a, b), direction=LT }
ge { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=GE }
lt { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = pred[] compare(a, b), direction=LT }
twice { a = f32[] parameter(0)  ROOT r = f32[] add(a, a) }
step { x = f32[2] parameter(0)  c = f32[2] parameter(1)  s = f32[2] add(x, c)
  ROOT r = (f32[2], f32[2]) tuple(s, s) }
)";

// $n is the dynamic dimension, <=7 in one program and its size in the other; #n is the same number
// without <=. $2n+1/3 is (2 n + 1) / 3.
std::string Expand(std::string_view text, i64 bound, i64 size, bool dynamic) {
  std::string out;
  while (!text.empty()) {
    const char c = text[0];
    text.remove_prefix(1);
    if (c != '$' && c != '#') {
      out += c;
      continue;
    }
    const auto number = [&](i64 otherwise) {
      i64 value = 0;
      size_t digits = 0;
      for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits) {
        value = value * 10 + (text[digits] - '0');
      }
      text.remove_prefix(digits);
      return digits == 0 ? otherwise : value;
    };
    i64 value = number(1) * (dynamic ? bound : size);
    EXPECT_EQ(text[0], 'n');
    text.remove_prefix(1);
    for (const char op : {'+', '-', '/'}) {
      if (!text.starts_with(op) || !std::isdigit(text.substr(1)[0])) continue;
      text.remove_prefix(1);
      const i64 other = number(0);
      value = op == '+' ? value + other : op == '-' ? value - other : value / other;
    }
    StrAppend(out, c == '$' && dynamic ? "<=" : "", std::max<i64>(value, 0));
  }
  return out;
}

struct Row {
  std::string_view op;    // and what is dynamic
  std::string_view body;  // of the entry
  std::string_view computations = "";
  i64 bound = 5;
  i64 least = 0;  // size
};

// Sizes are small integers, whose sums are exact in every order; kept[i] says of each parameter.
Literal Argument(const Shape& shape, std::mt19937& random) {
  if (shape.is_tuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.elements()) elements.push_back(Argument(element, random));
    return Literal::Tuple(std::move(elements));
  }
  Literal literal(shape.WithoutLayout());
  const auto small = [&] { return static_cast<int>(random() % 7) - 2; };
  if (shape.type() == F32) {
    for (float& x : literal.mutable_data<float>()) x = static_cast<float>(small());
  } else if (shape.type() == C64) {
    for (std::complex<float>& x : literal.mutable_data<std::complex<float>>()) {
      x = {static_cast<float>(small()), static_cast<float>(small())};
    }
  } else if (shape.type() == PRED) {
    for (bool& x : literal.mutable_data<bool>()) x = small() > 0;
  } else if (shape.type() == S32 || shape.type() == U32) {
    for (std::int32_t& x : literal.MutableUncheckedData<std::int32_t>()) x = small() & 3;
  } else {
    ADD_FAILURE() << "no arguments of type " << shape.ToString();
  }
  return literal;
}

// `valid` in front of an array of the bounds, and everywhere else what would be noticed.
Literal WithGarbage(const Shape& shape, const Literal& valid) {
  if (shape.is_tuple()) {
    std::vector<Literal> elements;
    for (i64 i = 0; i < shape.num_tuple_elements(); ++i) {
      elements.push_back(WithGarbage(shape.element(i), valid.element(i)));
    }
    return Literal::Tuple(std::move(elements));
  }
  Literal literal(shape.WithoutLayout());
  std::span<std::byte> bytes{literal.mutable_bytes(), static_cast<size_t>(literal.num_bytes())};
  const i64 width = Info(shape.type()).bytes;
  for (size_t i = 0; i < bytes.size(); ++i) {  // NaN, and numbers far out of range
    bytes[i] = shape.type() == PRED ? std::byte{1} : width == 1 ? std::byte{0x7f} : std::byte{0xff};
  }
  const Dims sizes = valid.shape().dims();
  Dims index(sizes.size());
  for (i64 i = 0; i < valid.num_elements(); ++i) {
    i64 rest = i, to = 0;
    for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) index[d] = rest % sizes[d];
    for (size_t d = 0; d < sizes.size(); ++d) to = to * shape.dim(static_cast<i64>(d)) + index[d];
    std::copy_n(valid.bytes() + i * width, width, bytes.data() + to * width);
  }
  for (size_t d = 0; d < sizes.size(); ++d) literal.SetSize(static_cast<i64>(d), sizes[d]);
  return literal;
}

// Zeros of either sign are alike: a dot counts padding as zeros.
Literal WithPositiveZeros(Literal literal) {
  if (literal.shape().is_tuple()) {
    for (Literal& element : literal.mutable_elements()) element = WithPositiveZeros(element);
  } else if (literal.shape().type() == F32) {
    for (float& x : literal.mutable_data<float>()) x += 0.0f;
  }
  return literal;
}

std::string Program(const Row& row, i64 size, bool dynamic) {
  return Expand(StrCat("HloModule m\n", kComputations, row.computations, "ENTRY main {\n",
                       "zero = f32[] constant(0)  three = f32[] constant(3)\n", row.body, "\n}\n"),
                row.bound, size, dynamic);
}

void CheckRow(const Row& row, i64 size) {
  const std::string dynamic_text = Program(row, size, true);
  SCOPED_TRACE(StrCat(row.op, ", size ", size, "\n", dynamic_text));
  const auto dynamic_module = Parse(dynamic_text), static_module = Parse(Program(row, size, false));
  ASSERT_TRUE(dynamic_module.ok()) << dynamic_module.status().message();
  ASSERT_TRUE(static_module.ok()) << static_module.status().message();
  std::mt19937 random(static_cast<unsigned>(size));
  std::vector<Literal> padded, valid;
  for (const Instruction* parameter : (*static_module)->entry()->parameters()) {
    valid.push_back(Argument(parameter->shape(), random));
    const size_t i = padded.size();
    padded.push_back(
        WithGarbage((*dynamic_module)->entry()->parameters()[i]->shape(), valid.back()));
  }
  const auto actual = Evaluate(**dynamic_module, padded);
  const auto expected = Evaluate(**static_module, valid);
  ASSERT_TRUE(expected.ok()) << expected.status().message();
  ASSERT_TRUE(actual.ok()) << actual.status().message();
  ASSERT_TRUE(SameValue(WithPositiveZeros(actual->ValidPart()), WithPositiveZeros(*expected)))
      << "gives    " << actual->ToStringWithShape() << "\nexpected "
      << expected->ToStringWithShape();
}

void CheckRows(std::span<const Row> rows) {
  for (const Row& row : rows) {
    for (i64 size = row.least; size <= row.bound; ++size) CheckRow(row, size);
  }
}

// clang-format off
TEST(DynamicOps, Elementwise) {
  constexpr Row kRows[] = {
      {"add", "x = f32[$n,2] parameter(0)  y = f32[$n,2] parameter(1)  ROOT r = f32[$n,2] add(x, y)"},
      {"add of all rows and a static array", "x = f32[2,$n] parameter(0)  y = f32[2,$n] parameter(1)  ROOT r = f32[2,$n] divide(x, y)"},
      {"convert", "x = f32[$n] parameter(0)  ROOT r = s32[$n] convert(x)"},
      {"copy", "x = f32[$n] parameter(0)  ROOT r = f32[$n] copy(x)"},
      {"compare", "x = f32[$n] parameter(0)  y = f32[$n] parameter(1)  ROOT r = pred[$n] compare(x, y), direction=LE"},
      {"select by a scalar", "p = pred[] parameter(0)  x = f32[$n] parameter(1)  y = f32[$n] parameter(2)  ROOT r = f32[$n] select(p, x, y)"},
      {"select", "p = pred[$n] parameter(0)  x = f32[$n] parameter(1)  y = f32[$n] parameter(2)  ROOT r = f32[$n] select(p, x, y)"},
      {"clamp", "x = f32[$n] parameter(0)  ROOT r = f32[$n] clamp(zero, x, three)"},
      {"map", "x = f32[$n] parameter(0)  y = f32[$n] parameter(1)  ROOT r = f32[$n] map(x, y), dimensions={0}, to_apply=difference"},
      {"reduce-precision", "x = f32[$n] parameter(0)  ROOT r = f32[$n] reduce-precision(x), exponent_bits=4, mantissa_bits=1"},
      {"stochastic-convert", "x = f32[$n] parameter(0)  b = u32[$n] parameter(1)  ROOT r = s32[$n] stochastic-convert(x, b)"},
      {"complex and its parts", "x = f32[$n] parameter(0)  y = f32[$n] parameter(1)  c = c64[$n] complex(x, y)  d = c64[$n] multiply(c, c)  ROOT r = f32[$n] imag(d)"},
      {"bitcast", "x = f32[2,$n] parameter(0)  ROOT r = u32[2,$n] bitcast(x)"},
      {"bitcast-convert to wider", "x = u32[$n,2] parameter(0)  ROOT r = u64[$n] bitcast-convert(x)"},
      {"bitcast-convert to narrower", "x = u32[$n] parameter(0)  ROOT r = u16[$n,2] bitcast-convert(x)"},
  };
  CheckRows(kRows);
}

TEST(DynamicOps, Movement) {
  constexpr Row kRows[] = {
      {"broadcast", "x = f32[$n] parameter(0)  ROOT r = f32[2,$n,3] broadcast(x), dimensions={1}"},
      {"transpose", "x = f32[$n,3,2] parameter(0)  ROOT r = f32[2,$n,3] transpose(x), dimensions={2,0,1}"},
      {"reverse", "x = f32[2,$n] parameter(0)  ROOT r = f32[2,$n] reverse(x), dimensions={0,1}"},
      {"reshape that merges", "x = f32[$n,3] parameter(0)  ROOT r = f32[$3n] reshape(x)"},
      {"reshape that splits", "x = f32[$3n] parameter(0)  ROOT r = f32[$n,3] reshape(x)"},
      {"reshape beside", "x = f32[2,3,$n] parameter(0)  ROOT r = f32[6,$n,1] reshape(x)"},
      {"concatenate", "x = f32[2,$n] parameter(0)  y = f32[2,3] parameter(1)  ROOT r = f32[2,$2n+3] concatenate(x, y, x), dimensions={1}"},
      {"concatenate across", "x = f32[2,$n] parameter(0)  y = f32[1,$n] parameter(1)  ROOT r = f32[3,$n] concatenate(x, y), dimensions={0}"},
      {"slice of all", "x = f32[4,$n] parameter(0)  ROOT r = f32[2,$n+1/2] slice(x), slice={[1:3], [0:#n:2]}"},
      {"pad", "x = f32[$n,2] parameter(0)  ROOT r = f32[$n+3,3] pad(x, three), padding=1_2x0_1"},
      {"dynamic-slice of a whole dimension", "x = f32[$n,4] parameter(0)  i = s32[] parameter(1)  ROOT r = f32[$n,2] dynamic-slice(x, i, i), dynamic_slice_sizes={#n,2}", "", 6},
      {"dynamic-update-slice by a whole dimension", "x = f32[$n,4] parameter(0)  u = f32[$n,2] parameter(1)  i = s32[] parameter(2)  ROOT r = f32[$n,4] dynamic-update-slice(x, u, i, i)"},
      {"dynamic-update-slice beside", "x = f32[$n,4] parameter(0)  u = f32[$n,4] parameter(1)  z = s32[] constant(0)  y = f32[$n,4] add(x, u)  ROOT r = f32[$n,4] dynamic-update-slice(x, y, z, z)"},
      {"gather of index vectors", "x = f32[4,2] parameter(0)  i = s32[$n,1] parameter(1)  ROOT r = f32[$n,2] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,2}"},
      {"gather of whole dimensions", "x = f32[4,$n] parameter(0)  i = s32[3] parameter(1)  ROOT r = f32[3,$n] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,#n}", "", 6},
      {"gather of batches", "x = f32[$n,4] parameter(0)  i = s32[$n,3] parameter(1)  ROOT r = f32[$n,3] gather(x, i), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}", "", 5, 1},
      {"scatter of index vectors", "x = f32[4,2] parameter(0)  i = s32[$n] parameter(1)  u = f32[$n,2] parameter(2)  ROOT r = f32[4,2] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=difference"},
      {"scatter of windows", "x = f32[4,$n] parameter(0)  i = s32[3] parameter(1)  u = f32[3,$n] parameter(2)  ROOT r = f32[4,$n] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=difference"},
      {"scatter of several operands", "x = f32[4] parameter(0)  i = s32[$n] parameter(1)  u = f32[$n] parameter(2)  ROOT r = (f32[4], f32[4]) scatter(x, x, i, u, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=sum_and_difference"},
      {"get-dimension-size", "x = f32[2,$n] parameter(0)  ROOT r = s32[] get-dimension-size(x), dimensions={1}"},
  };
  CheckRows(kRows);
}

TEST(DynamicOps, ReductionsAndSorts) {
  constexpr Row kRows[] = {
      {"reduce of the dimension", "x = f32[$n,3] parameter(0)  ROOT r = f32[3] reduce(x, three), dimensions={0}, to_apply=sum"},
      {"reduce of another one", "x = f32[$n,3] parameter(0)  ROOT r = f32[$n] reduce(x, three), dimensions={1}, to_apply=difference"},
      {"reduce of two", "x = f32[2,$n] parameter(0)  y = f32[2,$n] parameter(1)  ROOT r = (f32[2], f32[2]) reduce(x, y, zero, three), dimensions={1}, to_apply=sum_and_difference"},
      {"reduce-window", "x = f32[$n,2] parameter(0)  ROOT r = f32[$n+1,2] reduce-window(x, three), window={size=2x1 pad=1_1x0_0}, to_apply=difference"},
      {"reduce-window with strides and dilation", "x = f32[$n] parameter(0)  ROOT r = f32[$n+1] reduce-window(x, three), window={size=3 stride=2 pad=2_2 lhs_dilate=2 rhs_dilate=1}, to_apply=difference"},
      {"reduce-window of two", "x = f32[$n] parameter(0)  y = f32[$n] parameter(1)  ROOT r = (f32[$n+1/2], f32[$n+1/2]) reduce-window(x, y, zero, three), window={size=2 stride=2 pad=0_1}, to_apply=sum_and_difference"},
      {"select-and-scatter", "x = f32[$n,2] parameter(0)  s = f32[$n,2] parameter(1)  ROOT r = f32[$n,2] select-and-scatter(x, s, three), window={size=3x1 pad=1_1x0_0}, select=ge, scatter=difference"},
      {"select-and-scatter by another comparison", "x = f32[$n] parameter(0)  s = f32[$n+1/2] parameter(1)  ROOT r = f32[$n] select-and-scatter(x, s, three), window={size=2 stride=2 pad=0_1}, select=lt, scatter=sum"},
      {"sort of the dimension", "x = f32[$n,2] parameter(0)  ROOT r = f32[$n,2] sort(x), dimensions={0}, to_apply=less"},
      {"sort beside", "x = f32[$n,4] parameter(0)  ROOT r = f32[$n,4] sort(x), dimensions={1}, to_apply=less"},
      {"sort of two", "x = f32[$n] parameter(0)  y = s32[$n] parameter(1)  ROOT r = (f32[$n], s32[$n]) sort(x, y), dimensions={0}, is_stable=true, to_apply=less_of_two"},
      {"topk of lines", "x = f32[$n,4] parameter(0)  ROOT r = (f32[$n,2], s32[$n,2]) topk(x), k=2, largest=true"},
      {"scan of lines", "x = f32[$n,2] parameter(0)  c = f32[2] parameter(1)  ROOT r = (f32[$n,2], f32[2]) scan(x, c), dimensions={0}, num_carries=1, to_apply=step"},
      {"batch-norm-training of the batch", "x = f32[$n,2] parameter(0)  s = f32[2] parameter(1)  ROOT r = (f32[$n,2], f32[2], f32[2]) batch-norm-training(x, s, s), epsilon=1, feature_index=1"},
      {"batch-norm-training of the features", "x = f32[2,$n] parameter(0)  s = f32[$n] parameter(1)  ROOT r = (f32[2,$n], f32[$n], f32[$n]) batch-norm-training(x, s, s), epsilon=1, feature_index=1"},
      {"batch-norm-inference", "x = f32[$n,2] parameter(0)  s = f32[2] parameter(1)  v = f32[2] constant({1, 4})  ROOT r = f32[$n,2] batch-norm-inference(x, s, s, s, v), epsilon=0, feature_index=1"},
      {"batch-norm-inference of the features", "x = f32[2,$n] parameter(0)  s = f32[$n] parameter(1)  v = f32[$n] parameter(2)  ROOT r = f32[2,$n] batch-norm-inference(x, s, s, s, v), epsilon=3, feature_index=1"},
      {"batch-norm-grad", "x = f32[$n,2] parameter(0)  g = f32[$n,2] parameter(1)  s = f32[2] parameter(2)  v = f32[2] constant({1, 4})  ROOT r = (f32[$n,2], f32[2], f32[2]) batch-norm-grad(x, s, s, v, g), epsilon=0, feature_index=1"},
      {"batch-norm-grad of the features", "x = f32[2,$n] parameter(0)  g = f32[2,$n] parameter(1)  s = f32[$n] parameter(2)  v = f32[$n] parameter(3)  ROOT r = (f32[2,$n], f32[$n], f32[$n]) batch-norm-grad(x, s, s, v, g), epsilon=3, feature_index=1"},
  };
  CheckRows(kRows);
}

TEST(DynamicOps, Contractions) {
  constexpr Row kRows[] = {
      {"dot, contracting", "x = f32[2,$n] parameter(0)  y = f32[$n,3] parameter(1)  ROOT r = f32[2,3] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
      {"dot, free", "x = f32[$n,2] parameter(0)  y = f32[2,$n] parameter(1)  ROOT r = f32[$n,$n] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
      {"dot, batch", "x = f32[$n,2] parameter(0)  y = f32[$n,2] parameter(1)  ROOT r = f32[$n] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={1}"},
      {"ragged-dot, free", "x = f32[4,2] parameter(0)  y = f32[3,2,$n] parameter(1)  g = s32[3] parameter(2)  ROOT r = f32[4,$n] ragged-dot(x, y, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}"},
      {"ragged-dot, ragged", "x = f32[$n,2] parameter(0)  y = f32[3,2,2] parameter(1)  g = s32[3] parameter(2)  ROOT r = f32[$n,2] ragged-dot(x, y, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}"},
      {"scaled-dot, free", "x = f32[$n,4] parameter(0)  y = f32[4,2] parameter(1)  s = f32[1,2] parameter(2)  t = f32[] constant(1)  u = f32[2,2] parameter(3)  ROOT r = f32[$n,2] scaled-dot(x, y, t, u), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
      {"convolution, batch", "x = f32[$n,2,4] parameter(0)  k = f32[3,2,2] parameter(1)  ROOT r = f32[$n,3,3] convolution(x, k), window={size=2}, dim_labels=bf0_oi0->bf0"},
      {"convolution, spatial", "x = f32[2,$n,2] parameter(0)  k = f32[3,2,2] parameter(1)  ROOT r = f32[2,$n,3] convolution(x, k), window={size=2 pad=0_1}, dim_labels=b0f_oi0->b0f"},
      {"convolution, strides and dilation", "x = f32[1,$n,1] parameter(0)  k = f32[1,1,3] parameter(1)  ROOT r = f32[1,$n+1,1] convolution(x, k), window={size=3 stride=2 pad=2_4 lhs_dilate=2 rhs_dilate=2 rhs_reversal=1}, dim_labels=b0f_oi0->b0f"},
      {"convolution, features", "x = f32[2,4,$n] parameter(0)  k = f32[3,$n,2] parameter(1)  ROOT r = f32[2,3,3] convolution(x, k), window={size=2}, dim_labels=b0f_oi0->b0f"},
      {"convolution, batch in groups", "x = f32[$2n,4,2] parameter(0)  k = f32[6,2,2] parameter(1)  ROOT r = f32[$n,3,6] convolution(x, k), window={size=2}, dim_labels=b0f_oi0->b0f, batch_group_count=2"},
      {"cholesky, batch", "x = f32[$n,2,2] parameter(0)  ROOT r = f32[$n,2,2] cholesky(x), lower=true"},
      {"cholesky, matrix", "x = f32[$n,$n] parameter(0)  ROOT r = f32[$n,$n] cholesky(x), lower=false"},
      {"triangular-solve, batch", "a = f32[$n,2,2] parameter(0)  b = f32[$n,2,3] parameter(1)  ROOT r = f32[$n,2,3] triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=false, transpose_a=NO_TRANSPOSE"},
      {"triangular-solve, columns", "a = f32[2,2] parameter(0)  b = f32[2,$n] parameter(1)  ROOT r = f32[2,$n] triangular-solve(a, b), left_side=true, lower=false, unit_diagonal=true, transpose_a=TRANSPOSE"},
      {"triangular-solve, matrix", "a = f32[$n,$n] parameter(0)  b = f32[$n,2] parameter(1)  ROOT r = f32[$n,2] triangular-solve(a, b), left_side=true, lower=true, unit_diagonal=true, transpose_a=NO_TRANSPOSE"},
      {"fft, batch", "x = c64[$n,4] parameter(0)  ROOT r = c64[$n,4] fft(x), fft_type=FFT, fft_length={4}"},
      {"rfft, batch", "x = f32[2,$n,3] parameter(0)  ROOT r = c64[2,$n,2] fft(x), fft_type=RFFT, fft_length={3}"},
      {"irfft, batch", "x = c64[$n,3] parameter(0)  ROOT r = f32[$n,4] fft(x), fft_type=IRFFT, fft_length={4}"},
  };
  CheckRows(kRows);
}

TEST(DynamicOps, ControlFlow) {
  constexpr std::string_view kBranches = R"(
negated { x = f32[$n] parameter(0)  ROOT r = f32[$n] negate(x) }
reversed { x = f32[$n] parameter(0)  ROOT r = f32[$n] reverse(x), dimensions={0} }
goes_on { t = (s32[], f32[$n]) parameter(0)  i = s32[] get-tuple-element(t), index=0  five = s32[] constant(5)
  ROOT r = pred[] compare(i, five), direction=LT }
turn { t = (s32[], f32[$n]) parameter(0)  i = s32[] get-tuple-element(t), index=0  x = f32[$n] get-tuple-element(t), index=1
  one = s32[] constant(1)  j = s32[] add(i, one)  y = f32[$n] reverse(x), dimensions={0}  z = f32[$n] subtract(y, x)
  ROOT r = (s32[], f32[$n]) tuple(j, z) }
)";
  constexpr Row kRows[] = {
      {"tuple and its elements", "x = f32[$n] parameter(0)  y = f32[2] parameter(1)  t = (f32[$n], f32[2]) tuple(x, y)  ROOT r = f32[$n] get-tuple-element(t), index=0"},
      {"opt-barrier", "x = f32[$n] parameter(0)  t = (f32[$n]) tuple(x)  ROOT r = (f32[$n]) opt-barrier(t)"},
      {"call", "x = f32[$n] parameter(0)  ROOT r = f32[$n] call(x), to_apply=reversed", kBranches},
      {"fusion", "x = f32[$n] parameter(0)  ROOT r = f32[$n] fusion(x), kind=kLoop, calls=reversed", kBranches},
      {"async-start", "x = f32[$n] parameter(0)  s = ((f32[$n]), f32[$n], s32[]) async-start(x), calls=reversed  ROOT r = f32[$n] async-done(s), calls=reversed", kBranches},
      {"conditional on pred", "p = pred[] parameter(0)  x = f32[$n] parameter(1)  ROOT r = f32[$n] conditional(p, x, x), true_computation=negated, false_computation=reversed", kBranches},
      {"conditional on s32", "i = s32[] parameter(0)  x = f32[$n] parameter(1)  ROOT r = f32[$n] conditional(i, x, x, x), branch_computations={reversed, negated, reversed}", kBranches},
      {"while", "x = f32[$n] parameter(0)  i = s32[] parameter(1)  t = (s32[], f32[$n]) tuple(i, x)  ROOT r = (s32[], f32[$n]) while(t), condition=goes_on, body=turn", kBranches},
      {"domain", "x = f32[$n] parameter(0)  ROOT r = f32[$n] domain(x), domain={kind=\"sharding\", entry={maximal device=0}, exit={maximal device=0}}"},
      {"add-dependency", "x = f32[$n] parameter(0)  t = token[] after-all()  ROOT r = f32[$n] add-dependency(x, t)"},
      {"copy-start", "x = f32[$n] parameter(0)  s = (f32[$n], f32[$n], u32[]) copy-start(x)  ROOT r = f32[$n] copy-done(s)"},
      {"all-reduce", "x = f32[$n] parameter(0)  ROOT r = f32[$n] all-reduce(x), replica_groups={}, to_apply=sum"},
      {"collective-permute", "x = f32[$n] parameter(0)  ROOT r = f32[$n] collective-permute(x), source_target_pairs={{0,0}}"},
      {"custom-call that is the identity", "x = f32[$n] parameter(0)  ROOT r = f32[$n] custom-call(x), custom_call_target=\"Sharding\""},
  };
  CheckRows(kRows);
}
// clang-format on

}  // namespace
}  // namespace axle
