// The types of a product, and blocks of sums. Contraction chooses the types: an operand is
// converted to the type in which it is multiplied (its own, if the result type holds all its
// values), then to the type of sums (f32 for narrow floats); products of bf16 and 8-bit floats use
// the tile order.
//
// BlockAccumulator multiplies up to 4 rows with a panel of 16 columns. How a part of k is combined
// with the sums so far is the SumMode: chains of floats begin anew in each part and are added, the
// tile order and integers continue. OrderFor picks plain arithmetic for the tile order if no
// product can underflow: the exponents of the smallest factors add up to at least -112, so every
// sum is a multiple of 2^-126. Otherwise the exact and slower TileFma is used.

#include "axle/ops/contraction.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "axle/core/convert.h"
#include "axle/core/float_format.h"
#include "axle/core/strings.h"
#include "axle/ops/dynamic.h"

namespace axle {
namespace {

// Whether `to` has every value of `from`; both are floating types.
// Compares mantissa, range and special values of both formats.
bool Contains(ElementType to, ElementType from) {
  if (to == from) return true;
  const FloatFormat &wide = Info(to).format, &narrow = Info(from).format;
  if (narrow.is_signed && !wide.is_signed) return false;
  // Exponents of the largest value and of the last place of the smallest subnormal.
  const auto largest = [](const FloatFormat& f) {
    const int exponents = 1 << f.exponent_bits;
    const bool is_top_finite = f.nan != NanEncoding::kIeee && f.mantissa_bits > 0;
    return exponents - (is_top_finite ? 1 : 2) - f.bias;
  };
  const auto smallest = [](const FloatFormat& f) {
    return (f.is_signed ? 1 : 0) - f.bias - f.mantissa_bits;
  };
  const bool has_specials = (HasInfinity(wide) || !HasInfinity(narrow)) &&
                            (HasNan(wide) || !HasNan(narrow)) &&
                            (HasNegativeZero(wide) || !HasNegativeZero(narrow));
  return has_specials && wide.mantissa_bits >= narrow.mantissa_bits &&
         largest(wide) >= largest(narrow) && smallest(wide) <= smallest(narrow);
}

// An operand keeps its own type if the result type holds all its values; then the product rounds
// once.
ElementType MultipliedType(ElementType operand, ElementType result) {
  return IsFloating(operand) && IsFloating(result) && Contains(result, operand) ? operand : result;
}

bool IsTiled(ElementType type) {
  return type == BF16 || (IsFloating(type) && Info(type).bits <= 8);
}

// The exponent of the smallest value that is not zero, or a large number.
int SmallestExponent(const Literal& factor) {
  std::uint32_t smallest = 0xff;
  for (const std::uint32_t bits : factor.UncheckedData<std::uint32_t>()) {
    const std::uint32_t exponent = bits >> 23 & 0xff;
    smallest = std::min(smallest, exponent == 0 ? 0xff : exponent);
  }
  return static_cast<int>(smallest) - kF32Format.bias;
}

}  // namespace

// The conversions between f32 and narrow floats have vectorised loops of their own, because every
// product of narrow operands needs them.
StatusOr<Literal> ConvertIfNeeded(const Literal& literal, ElementType type) {
  const ElementType from = literal.shape().type();
  if (from == type) return literal;
  const bool widens = IsNarrowFloat(from) && type == F32,
             narrows = from == F32 && IsNarrowFloat(type);
  if (!widens && !narrows) return Convert(literal, type);
  AXLE_ASSIGN(Literal result, Literal::CreateUninitialized(literal.shape().WithType(type)));
  const i64 n = literal.num_elements();
  if (widens) {
    WidenElements(from, literal.bytes(), result.mutable_data<float>().data(), n);
  } else {
    RoundElements(literal.data<float>().data(), type, result.mutable_bytes(), n);
  }
  return result;
}

ElementType ContractionType(const Instruction& inst) {
  if (inst.shape().is_array()) return inst.shape().type();
  return HigherPrecision(inst.operand(0)->shape().type(), inst.operand(1)->shape().type());
}

Contraction::Contraction(ElementType lhs, ElementType rhs, ElementType result_type)
    : lhs_multiplied(MultipliedType(lhs, result_type)),
      rhs_multiplied(MultipliedType(rhs, result_type)),
      computed(IsNarrowFloat(result_type) ? F32 : result_type),
      result(result_type),
      is_tiled(IsTiled(lhs_multiplied) && IsTiled(rhs_multiplied)) {
  if (is_tiled) computed = F32;
}

Status CheckHasZero(const Instruction& inst, ElementType type) {
  if (type != F8E8M0FNU) return {};
  return OpError(inst, "padding of f8e8m0fnu, which has no zero", StatusCode::kUnimplemented);
}

StatusOr<Literal> ExtendedByZeros(const Instruction& inst, const Literal& value,
                                  const Dims& sizes) {
  if (value.shape().dims() == sizes) return value;
  AXLE_TRY(CheckHasZero(inst, value.shape().type()));
  AXLE_ASSIGN(const Literal padded, Literal::Padded(value, Shape(value.shape().type(), sizes)));
  return WholeBuffer(padded);
}

// The tile order has no subnormal factors: they are zeros of the same sign.
StatusOr<Literal> Contraction::Factor(const Literal& operand, ElementType multiplied) const {
  AXLE_ASSIGN(Literal factor, ConvertIfNeeded(operand, multiplied));
  AXLE_ASSIGN(factor, ConvertIfNeeded(factor, computed));
  if (!is_tiled) return factor;
  const auto has_subnormal = [](std::uint32_t bits) {
    return (bits & 0x7f800000) == 0 && (bits & 0x7fffffff) != 0;
  };
  if (std::ranges::none_of(factor.UncheckedData<std::uint32_t>(), has_subnormal)) return factor;
  for (std::uint32_t& bits : factor.MutableUncheckedData<std::uint32_t>()) {
    if (has_subnormal(bits)) bits &= 0x80000000;
  }
  return factor;
}

// Integers of less than a byte were summed in a byte and are wrapped here.
StatusOr<Literal> Contraction::Result(Literal sums) const {
  if (IsSubByte(result) && !IsFloating(result)) WrapSubByte(sums);
  return ConvertIfNeeded(sums, result);
}

// The kernels depend on the type and the order alone and are looked up once.
BlockAccumulator::BlockAccumulator(const Contraction& contraction, ProductOrder order)
    : type_(contraction.computed),
      order_(order),
      accumulate_(FindAccumulate(type_, order)),
      join_(FindJoin(type_, order)),
      element_bytes_(Info(type_).bytes) {}

ProductOrder BlockAccumulator::OrderFor(const Contraction& contraction, const Literal& lhs,
                                        const Literal& rhs) {
  if (!contraction.is_tiled) return ProductOrder::kChain;
  // Every product and so every sum is then a multiple of 2^-126: bf16 has 7 bits behind the point.
  const bool cannot_underflow = SmallestExponent(lhs) + SmallestExponent(rhs) >= -112;
  return cannot_underflow ? ProductOrder::kTile : ProductOrder::kTileExact;
}

// The tile order works on blocks of 32 elements.
i64 BlockAccumulator::Padded(i64 count) const {
  return RoundUpTo(count, unit());
}

const PartRule& BlockAccumulator::part_rule() const {
  return is_tile() ? kTileParts : join_ != nullptr ? kChainParts : kAnyParts;
}

void BlockAccumulator::FillNegativeZeros(i64 num_sums, std::byte* sums) const {
  const i64 n = num_sums * numbers_per_sum();
  if (type_ == F64 || type_ == C128) {
    std::fill_n(reinterpret_cast<double*>(sums), n, -0.0);
  } else {
    std::fill_n(reinterpret_cast<float*>(sums), n, -0.0f);
  }
}

// The first part of a group begins at zero.
SumMode BlockAccumulator::ModeOf(i64 part) const {
  if (part % part_rule().group_parts == 0) return SumMode::kBegin;
  return is_tile() || join_ == nullptr ? SumMode::kContinue : SumMode::kAdd;
}

// A panel holds 16 columns of each k contiguously, zeros in place of missing columns. Complex
// panels keep real and imaginary parts in separate halves.
void BlockAccumulator::PackPanel(const std::byte* source, std::span<const i64> k_offsets,
                                 std::span<const i64> column_offsets, i64 count,
                                 std::byte* panel) const {
  const i64 parts = IsComplex(type_) ? 2 : 1;
  const auto columns = static_cast<i64>(column_offsets.size());
  // Adjacent columns are copied as a block.
  const bool neighbours = columns == kPanelColumns && parts == 1 &&
                          column_offsets.back() - column_offsets.front() == columns - 1;
  DispatchBytes(static_cast<int>(element_bytes_ / parts), [&]<typename T>() {
    const T* x = reinterpret_cast<const T*>(source);
    T* out = reinterpret_cast<T*>(panel);
    for (i64 k = 0; k < count; ++k, out += parts * kPanelColumns) {
      const bool is_zero = k >= static_cast<i64>(k_offsets.size()) || k_offsets[k] < 0;
      if (is_zero) {
        std::fill_n(out, parts * kPanelColumns, T());
      } else if (neighbours) {
        std::memcpy(out, x + k_offsets[k] + column_offsets[0], kPanelColumns * sizeof(T));
      } else {
        for (i64 part = 0; part < parts; ++part) {
          T* row = out + part * kPanelColumns;
          for (i64 j = 0; j < columns; ++j) {
            row[j] = x[(k_offsets[k] + column_offsets[j]) * parts + part];
          }
          std::fill(row + columns, row + kPanelColumns, T());
        }
      }
    }
  });
}

// Results lie anywhere (row_offsets, column_stride), while the kernel works on a dense block of 4 x
// 16 sums. The block is loaded if the sums continue, computed, added to the earlier sums if a new
// part began, and stored.
void BlockAccumulator::Multiply(std::span<const void* const> rows, const std::byte* panel,
                                i64 count, SumMode mode, i64 num_columns, std::byte* results,
                                std::span<const i64> row_offsets, i64 column_stride) const {
  constexpr i64 kMaxBytes = kBlockRows * kPanelColumns * sizeof(Bits128);
  alignas(32) std::byte acc[kMaxBytes];
  alignas(32) std::byte before[kMaxBytes];
  const i64 parts = numbers_per_sum();
  std::memset(acc, 0, rows.size() * kPanelColumns * element_bytes_);
  DispatchBytes(static_cast<int>(element_bytes_ / parts), [&]<typename T>() {
    T* out = reinterpret_cast<T*>(results);
    // Calls fn(element of results, element of block).
    const auto for_each = [&](std::byte* block, const auto& fn) {
      for (size_t i = 0; i < rows.size(); ++i) {
        for (i64 part = 0; part < parts; ++part) {
          T* row =
              reinterpret_cast<T*>(block) + (static_cast<i64>(i) * parts + part) * kPanelColumns;
          for (i64 j = 0; j < num_columns; ++j) {
            fn(out[(row_offsets[i] + j * column_stride) * parts + part], row[j]);
          }
        }
      }
    };
    const auto load = [](T& result, T& sum) { sum = result; };
    if (mode == SumMode::kContinue) for_each(acc, load);
    accumulate_(rows.data(), static_cast<i64>(rows.size()), panel, count, acc);
    if (mode == SumMode::kAdd) {
      std::memcpy(before, acc, sizeof before);  // also sets the columns past num_columns
      for_each(before, load);
      join_(before, acc, static_cast<i64>(rows.size()) * parts * kPanelColumns);
    }
    for_each(acc, [](T& result, T& sum) { result = sum; });
  });
}

// One array of sums is kept per bit of the number of groups.
i64 GroupTree::Bytes(const BlockAccumulator& accumulator, i64 num_parts, i64 num_sums) {
  const i64 groups =
      (num_parts + accumulator.part_rule().group_parts - 1) / accumulator.part_rule().group_parts;
  if (groups <= 1) return 0;
  return std::bit_width(static_cast<std::uint64_t>(groups - 1)) * num_sums *
         accumulator.element_bytes();
}

// Adds groups like a binary counter: after group n, the arrays of equal weight are joined. The last
// group joins all that wait, the shortest subtree first.
void GroupTree::Add(std::byte* sums, bool is_last) {
  ++num_groups_;
  for (i64 n = num_groups_; !waiting_.empty() && (is_last || n % 2 == 0); n /= 2) {
    join_(waiting_.back().data(), sums, numbers_);
    waiting_.pop_back();
  }
  if (!is_last) waiting_.emplace_back(sums, sums + bytes_);
}

void WrapSubByte(Literal& literal) {
  const ElementType type = literal.shape().type();
  const int unused = 8 - Info(type).bits;
  for (std::uint8_t& byte : literal.MutableUncheckedData<std::uint8_t>()) {
    const auto shifted = static_cast<std::uint8_t>(byte << unused);
    byte = IsSigned(type) ? static_cast<std::uint8_t>(static_cast<std::int8_t>(shifted) >> unused)
                          : static_cast<std::uint8_t>(shifted >> unused);
  }
}

}  // namespace axle
