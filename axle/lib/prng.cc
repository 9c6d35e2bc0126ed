#include "axle/lib/prng.h"

#include "axle/core/float_format.h"
#include "axle/lib/value.h"

namespace axle {
namespace {

// [operands.., as one list] of u64 scalars and lists.
XlaOp Joined(XlaBuilder& b, ArraySlice<XlaOp> parts, const Location& location) {
  std::vector<XlaOp> lists;
  for (const XlaOp& part : parts) {
    lists.push_back(ShapeOfOp(part).is_scalar() ? Reshape(part, {1}, location) : part);
  }
  return ConcatInDim(&b, lists, 0, location);
}

RngOutput Generate(std::string_view function, RandomAlgorithm algorithm, XlaOp key,
                   XlaOp initial_state, const Shape& shape, const Shape& state_shape) {
  // The caller's is not known: a BitGeneratorTy has no argument for it.
  const Location location = Location::Of("", 0);
  RngOutput output = {NothingBuilt({key, initial_state}), NothingBuilt({key, initial_state})};
  output.value =
      Compose(function, {key, initial_state}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
        if (ShapeOfOp(key) != Shape(U64) || ShapeOfOp(initial_state) != state_shape) {
          return InvalidArgument(StrCat(function, ": takes a key u64[] and a state ",
                                        state_shape.ToString(), "; key ", ShapesOf({key}),
                                        ", state ", ShapesOf({initial_state})));
        }
        const XlaOp both =
            RngBitGenerator(algorithm, Joined(b, {key, initial_state}, location), shape, location);
        const i64 words = state_shape.num_elements();
        const XlaOp state =
            SliceInDim(GetTupleElement(both, 0, location), 1, 1 + words, 1, 0, location);
        output.state = Reshape(state, state_shape.dims(), location);
        return GetTupleElement(both, 1, location);
      });
  return output;
}

// What `convert` makes of a generator's bits of `bits_shape`, a value of `shape`; it runs with good
// handles only.
template <typename Convert>
RngOutput FromBits(std::string_view function, XlaOp key, XlaOp initial_state,
                   ArraySlice<XlaOp> operands, const BitGeneratorTy& bit_generator,
                   const Shape& shape, const Shape& bits_shape, bool takes_type,
                   std::string_view types, const Location& location, const Convert& convert) {
  std::vector<XlaOp> all = {key, initial_state};
  all.insert(all.end(), operands.begin(), operands.end());
  RngOutput output = {NothingBuilt(all), NothingBuilt(all)};
  output.value = Compose(function, all, location, [&](XlaBuilder&) -> StatusOr<XlaOp> {
    AXLE_TRY(CheckShape(shape));
    if (!takes_type) {
      return InvalidArgument(StrCat(function, ": makes ", types, ", not ", shape.ToString()));
    }
    for (const XlaOp& operand : operands) {
      if (ShapeOfOp(operand) == Shape(shape.type())) continue;
      return InvalidArgument(StrCat(function, ": minval and maxval must be ", Name(shape.type()),
                                    "[]; minval, maxval ", ShapesOf(operands)));
    }
    AXLE_TRY(CheckShape(bits_shape));
    if (bit_generator == nullptr) {
      return InvalidArgument(StrCat(function, ": there is no bit generator"));
    }
    const RngOutput bits = bit_generator(key, initial_state, bits_shape);
    output.state = bits.state;
    if (!bits.value.valid()) return bits.value;
    return convert(bits.value);
  });
  return output;
}

bool IsUsualFloat(PrimitiveType type) {
  return type == F16 || type == BF16 || type == F32 || type == F64;
}
constexpr std::string_view kUsualFloats = "f16, bf16, f32 or f64";

// [0, 1) from bits as wide as the type: a significand behind the exponent of 1, less 1.
XlaOp UnitInterval(XlaOp bits, PrimitiveType type, const Location& location) {
  const FloatFormat& format = Info(type).format;
  const std::uint64_t one = static_cast<std::uint64_t>(format.bias) << format.mantissa_bits;
  const XlaOp significand = ShiftRightLogical(
      bits, ScalarLike(bits, format.bits() - format.mantissa_bits, location), {}, location);
  const XlaOp pattern = Or(significand, ScalarLike(bits, one, location), {}, location);
  const Value number(BitcastConvertType(pattern, type, location), location);
  return (number - 1.0).op;
}

}  // namespace

RngOutput ThreeFryBitGenerator(XlaOp key, XlaOp initial_state, const Shape& shape) {
  return Generate("threefry", RandomAlgorithm::kThreeFry, key, initial_state, shape, Shape(U64));
}

RngOutput PhiloxBitGenerator(XlaOp key, XlaOp initial_state, const Shape& shape) {
  return Generate("philox", RandomAlgorithm::kPhilox, key, initial_state, shape, Shape(U64, {2}));
}

std::pair<XlaOp, XlaOp> ScramblePhiloxKey(XlaOp key, Location location) {
  XlaOp new_key = NothingBuilt({key});
  const XlaOp state =
      Compose("scramble philox key", {key}, location, [&](XlaBuilder& b) -> StatusOr<XlaOp> {
        AXLE_TRY(TakesOnly("scramble philox key", ShapeOfOp(key) == Shape(U64), "u64[]", key));
        const XlaOp fixed_key = ConstantR0<std::uint64_t>(&b, 0x02461e293ec8f720, location);
        const XlaOp zero = Zero(&b, U64, location);
        const XlaOp counter = Joined(b, {key, zero}, location);
        const XlaOp words = PhiloxBitGenerator(fixed_key, counter, Shape(U64, {2})).value;
        new_key = Reshape(SliceInDim(words, 0, 1, 1, 0, location), {}, location);
        return Joined(b, {zero, SliceInDim(words, 1, 2, 1, 0, location)}, location);
      });
  return {state, new_key};
}

RngOutput UniformFloatingPointDistribution(XlaOp key, XlaOp initial_state,
                                           const BitGeneratorTy& bit_generator, XlaOp minval,
                                           XlaOp maxval, const Shape& shape, Location location) {
  return FromBits("uniform distribution", key, initial_state, {minval, maxval}, bit_generator,
                  shape, shape, IsUsualFloat(shape.type()), kUsualFloats, location,
                  [&](XlaOp bits) {
                    const Value unit(UnitInterval(bits, shape.type(), location), location);
                    const Value low(minval, location), high(maxval, location);
                    return (unit * (high - low) + low).op;
                  });
}

RngOutput UniformIntDistribution(XlaOp key, XlaOp initial_state,
                                 const BitGeneratorTy& bit_generator, XlaOp minval, XlaOp maxval,
                                 const Shape& shape, Location location) {
  const PrimitiveType type = shape.type();
  return FromBits("uniform integer distribution", key, initial_state, {minval, maxval},
                  bit_generator, shape, shape, IsIntegral(type) && Info(type).bits >= 8,
                  "integers of at least 8 bits", location, [&](XlaOp bits) {
                    const PrimitiveType bits_type = ShapeOfOp(bits).type();
                    const auto as_bits = [&](XlaOp x) {
                      return Value(BitcastConvertType(x, bits_type, location), location);
                    };
                    // Modulo 2^width the sum is in range, whatever the signs.
                    const Value low = as_bits(minval), range = as_bits(maxval) - low;
                    const XlaOp offset = Rem(bits, range.op, {}, location);
                    const Value number = low + Value(offset, location);
                    return BitcastConvertType(number.op, type, location);
                  });
}

RngOutput NormalFloatingPointDistribution(XlaOp key, XlaOp initial_state,
                                          const BitGeneratorTy& bit_generator, const Shape& shape,
                                          Location location) {
  const PrimitiveType type = shape.type();
  const bool fits = IsUsualFloat(type);
  const i64 count = fits && CheckShape(shape).ok() ? shape.num_elements() : 0;
  const i64 half = count / 2 + count % 2;
  // 7 or 10 bits are too few to take the logarithm of: narrow numbers are rounded f32 ones.
  const PrimitiveType wide = type == F64 ? F64 : F32;
  const Shape pairs(wide, {2 * half});
  return FromBits(
      "normal distribution", key, initial_state, {}, bit_generator, shape, pairs, fits,
      kUsualFloats, location, [&](XlaOp bits) {
        const XlaOp uniform = UnitInterval(bits, wide, location);
        const auto part = [&](i64 begin) {
          return Value(SliceInDim(uniform, begin, begin + half, 1, 0, location), location);
        };
        // The logarithm needs a positive number.
        const Value u = part(0), radius = Sqrt(-2.0 * Log(Max(u, u.Like(1e-7))));
        const Value angle = 2 * kPi * part(half);
        const XlaOp numbers =
            ConcatInDim(bits.builder_or_null(),
                        {(Sin(angle) * radius).op, (Cos(angle) * radius).op}, 0, location);
        const XlaOp taken = SliceInDim(numbers, 0, count, 1, 0, location);
        return Reshape(ConvertElementType(taken, type, location), shape.dims(), location);
      });
}

}  // namespace axle
