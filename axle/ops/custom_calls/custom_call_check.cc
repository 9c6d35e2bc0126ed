// Built-in custom calls of programs that check themselves: an error unless the elements of two
// arrays agree. The names are those of the dialect `check`, with which StableHLO's own test
// programs are written.
//
//   check.expect_eq         equal, as numbers: -0 is 0, a NaN equals nothing
//   check.expect_almost_eq  equal, both NaN, or finite and at most `tolerance` apart (1e-4)
//   check.expect_close      floats: both NaN, or min_ulp_difference (0) to max_ulp_difference (3)
//                           numbers of the type apart
#include <bit>
#include <cstring>

#include "axle/core/convert.h"
#include "axle/core/strings.h"
#include "axle/ops/custom_call_builtins.h"

namespace axle {
namespace {

// The real parts of all elements, or, of complex ones, all parts, as one array of part numbers.
struct Numbers {
  ElementType type;  // of the parts
  i64 count = 0;
  Literal wide;  // f64, s64 or u64
};

StatusOr<Numbers> NumbersOf(const Literal& array) {
  const ElementType type = array.shape().type();
  Numbers numbers{PartOf(type), array.num_elements() * (IsComplex(type) ? 2 : 1), {}};
  const ElementType wide = IsFloating(numbers.type) ? F64 : IsUnsigned(numbers.type) ? U64 : S64;
  AXLE_ASSIGN(numbers.wide, Literal::CreateUninitialized(Shape(wide, {numbers.count})));
  ConvertElements(numbers.type, array.bytes(), wide, numbers.wide.mutable_bytes(), numbers.count);
  return numbers;
}

double Distance(double a, double b) {
  return a < b ? b - a : a - b;
}

bool IsFinite(double x) {
  return x - x == 0;
}

bool AlmostEqual(double a, double b, double tolerance) {
  if (a == b) return true;
  if (a != a || b != b) return a != a && b != b;
  return IsFinite(a) && IsFinite(b) && Distance(a, b) <= tolerance;
}

// The bits of a float from its element, narrow types included.
std::uint64_t BitsAt(const Literal& array, const Numbers& numbers, i64 i) {
  const int size = Info(numbers.type).bytes;
  std::uint64_t bits = 0;
  std::memcpy(&bits, array.bytes() + i * size, static_cast<size_t>(size));
  return bits;
}

// How many numbers of the type lie between two finite ones of the same type, one of them counted.
std::uint64_t UlpDistance(ElementType type, std::uint64_t a, std::uint64_t b) {
  if (!Info(type).format.is_signed) return a > b ? a - b : b - a;
  const std::uint64_t sign = std::uint64_t{1} << (Info(type).bits - 1);
  const std::uint64_t from_zero_a = a & (sign - 1), from_zero_b = b & (sign - 1);
  if ((a & sign) != (b & sign)) return from_zero_a + from_zero_b;
  return from_zero_a > from_zero_b ? from_zero_a - from_zero_b : from_zero_b - from_zero_a;
}

struct Pair {
  const Literal &actual, &expected;
  Numbers a, b;
};

StatusOr<Pair> PairOf(const CustomCallInvocation& invocation) {
  AXLE_TRY(ExpectCustomCallOperands(invocation, 2));
  const Literal& actual = invocation.operands[0];
  const Literal& expected = invocation.operands[1];
  if (!Compatible(actual.shape(), expected.shape())) {
    return InvalidArgument(
        StrCat("compares ", actual.shape().ToString(), " with ", expected.shape().ToString()));
  }
  AXLE_ASSIGN(Numbers a, NumbersOf(actual));
  AXLE_ASSIGN(Numbers b, NumbersOf(expected));
  return Pair{actual, expected, std::move(a), std::move(b)};
}

// "element 3 is 1, not 2": the first one that differs, of scalars without its number.
Status Differs(const Pair& pair, i64 part) {
  const i64 element = IsComplex(pair.actual.shape().type()) ? part / 2 : part;
  const auto text = [&](const Literal& array) {
    Literal scalar = Literal::Uninitialized(Shape(array.shape().type()));
    const i64 size = Info(array.shape().type()).bytes;
    std::memcpy(scalar.mutable_bytes(), array.bytes() + element * size, static_cast<size_t>(size));
    return scalar.ToString();
  };
  return InvalidArgument(StrCat("element ", element, " is ", text(pair.actual), ", expected is ",
                                text(pair.expected)));
}

// The result says nothing.
StatusOr<Literal> Nothing(const CustomCallInvocation& invocation) {
  return Literal::Create(invocation.result_shape->WithoutLayout());
}

template <typename Fn>
Status CompareAll(const Pair& pair, Fn same) {
  for (i64 i = 0; i < pair.a.count; ++i) {
    if (!same(i)) return Differs(pair, i);
  }
  return {};
}

StatusOr<Literal> CallExpectEqual(const CustomCallInvocation& invocation, const EvalContext&) {
  AXLE_ASSIGN(const Pair pair, PairOf(invocation));
  if (IsFloating(pair.a.type)) {
    const auto a = pair.a.wide.data<double>(), b = pair.b.wide.data<double>();
    AXLE_TRY(CompareAll(pair, [&](i64 i) { return a[i] == b[i]; }));
  } else {
    const auto a = pair.a.wide.UncheckedData<std::uint64_t>();
    const auto b = pair.b.wide.UncheckedData<std::uint64_t>();
    AXLE_TRY(CompareAll(pair, [&](i64 i) { return a[i] == b[i]; }));
  }
  return Nothing(invocation);
}

StatusOr<Literal> CallExpectAlmostEqual(const CustomCallInvocation& invocation,
                                        const EvalContext& context) {
  AXLE_ASSIGN(const auto attributes, invocation.Attributes());
  AXLE_ASSIGN(const double tolerance, attributes.Float("tolerance", 1e-4));
  AXLE_ASSIGN(const Pair pair, PairOf(invocation));
  if (!IsFloating(pair.a.type)) return CallExpectEqual(invocation, context);
  const auto a = pair.a.wide.data<double>(), b = pair.b.wide.data<double>();
  AXLE_TRY(CompareAll(pair, [&](i64 i) { return AlmostEqual(a[i], b[i], tolerance); }));
  return Nothing(invocation);
}

StatusOr<Literal> CallExpectClose(const CustomCallInvocation& invocation, const EvalContext&) {
  AXLE_ASSIGN(const auto attributes, invocation.Attributes());
  AXLE_ASSIGN(const i64 least, attributes.Integer("min_ulp_difference", 0));
  AXLE_ASSIGN(const i64 most, attributes.Integer("max_ulp_difference", 3));
  AXLE_ASSIGN(const Pair pair, PairOf(invocation));
  if (!IsFloating(pair.a.type)) return InvalidArgument("compares floats");
  const auto a = pair.a.wide.data<double>(), b = pair.b.wide.data<double>();
  AXLE_TRY(CompareAll(pair, [&](i64 i) {
    const std::uint64_t bits_a = BitsAt(pair.actual, pair.a, i);
    const std::uint64_t bits_b = BitsAt(pair.expected, pair.b, i);
    const bool both_nan = a[i] != a[i] && b[i] != b[i];
    std::uint64_t distance = 0;
    if (bits_a != bits_b && !both_nan) {
      if (!IsFinite(a[i]) || !IsFinite(b[i])) return false;
      distance = UlpDistance(pair.a.type, bits_a, bits_b);
    }
    return distance >= static_cast<std::uint64_t>(least) &&
           distance <= static_cast<std::uint64_t>(most);
  }));
  return Nothing(invocation);
}

constexpr BuiltinCustomCall kCheckCustomCalls[] = {
    {"check.expect_almost_eq", CallExpectAlmostEqual},
    {"check.expect_close", CallExpectClose},
    {"check.expect_eq", CallExpectEqual},
};

}  // namespace

std::span<const BuiltinCustomCall> CheckCustomCalls() {
  return kCheckCustomCalls;
}

}  // namespace axle
