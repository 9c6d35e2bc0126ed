// LiteralUtil: XLA's names for functions that make literals.
//
//   LiteralUtil::CreateR2<float>({{1, 2}, {3, 4}})
//   LiteralUtil::MinValue(F32)                          -inf
//
// The functions are static and have no state, so that any thread may call them. Sizes must be ones
// that CheckShape accepts. Without memory the functions throw std::bad_alloc, as Literal does;
// Literal::Create reports both.
#pragma once
#include <algorithm>
#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "axle/builder/primitive_util.h"
#include "axle/core/array.h"
#include "axle/core/array_slice.h"
#include "axle/core/float_format.h"
#include "axle/core/literal.h"

namespace axle {

class LiteralUtil {
 public:
  // Make arrays of the element type whose storage is T (primitive_util.h): [], and [values.size()].
  // All arguments of these functions are copied.
  template <typename T>
  static Literal CreateR0(T value) {
    return Literal::Scalar<T>(NativeToPrimitiveType<T>(), value);
  }
  template <typename T>
  static Literal CreateR1(std::span<const T> values) {
    Literal literal(Shape(NativeToPrimitiveType<T>(), {static_cast<i64>(values.size())}));
    std::copy(values.begin(), values.end(), literal.mutable_data<T>().begin());
    return literal;
  }
  template <typename T>
  static Literal CreateR1(std::initializer_list<T> values) {
    // This does not use a span: std::vector<bool> has no bools that a span could refer to.
    Literal literal(Shape(NativeToPrimitiveType<T>(), {static_cast<i64>(values.size())}));
    std::copy(values.begin(), values.end(), literal.mutable_data<T>().begin());
    return literal;
  }
  // Lists have one length at each depth; elements that a shorter list lacks are 0, further ones are
  // dropped.
  template <typename T>
  static Literal CreateR2(std::initializer_list<std::initializer_list<T>> values) {
    return CreateFromLists<T, 2>(values);
  }
  template <typename T>
  static Literal CreateR3(
      std::initializer_list<std::initializer_list<std::initializer_list<T>>> values) {
    return CreateFromLists<T, 3>(values);
  }
  template <typename T>
  static Literal CreateR4(
      std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<T>>>>
          values) {
    return CreateFromLists<T, 4>(values);
  }
  // Makes an array [values.size()].
  template <typename T>
  static Literal CreateR1(const std::vector<T>& values) {
    Literal literal(Shape(NativeToPrimitiveType<T>(), {static_cast<i64>(values.size())}));
    std::copy(values.begin(), values.end(), literal.mutable_data<T>().begin());
    return literal;
  }
  // Makes an array of `shape`, which is of kType, whose elements are generator(index), called in
  // row-major order. Errors: INVALID_ARGUMENT for another type, or a shape that is not a static
  // array; RESOURCE_EXHAUSTED without memory.
  template <PrimitiveType kType, std::invocable<std::span<const i64>> Generator>
  static StatusOr<Literal> CreateLiteral(const Shape& shape, Generator generator) {
    if (shape.type() != kType || !shape.is_static()) return NotOfType(kType, shape);
    AXLE_ASSIGN(Literal literal, Literal::Create(shape.WithoutLayout()));
    using Native = primitive_util::NativeTypeOf<kType>;
    std::vector<i64> index(static_cast<size_t>(shape.rank()), 0);
    for (Native& element : literal.mutable_data<Native>()) {
      element = static_cast<Native>(generator(std::span<const i64>(index)));
      for (size_t d = index.size(); d-- > 0;) {
        ++index[d];
        if (index[d] < shape.dims()[d]) break;
        index[d] = 0;
      }
    }
    return literal;
  }
  // Makes an array of elements from a normal distribution, drawn by the engine (std::mt19937, for
  // example), or by std::minstd_rand0. It is for tests: the numbers are those of the standard
  // library that the caller is built with. Errors as above. It is defined in
  // axle/builder/random_literal.h, which the caller includes.
  template <PrimitiveType kType, typename Engine, typename T>
  static StatusOr<Literal> CreateRandomLiteral(const Shape& shape, Engine* engine, T mean,
                                               T stddev);
  template <PrimitiveType kType, typename T>
  static StatusOr<Literal> CreateRandomLiteral(const Shape& shape, T mean, T stddev);
  // Makes the literal of an array of core/array.h, of any number of dimensions.
  template <typename T>
  static Literal CreateFromArray(const Array<T>& values) {
    const std::span<const T> elements(values.data(), static_cast<size_t>(values.num_elements()));
    return Literal::Array<T>(NativeToPrimitiveType<T>(), values.dimensions(), elements);
  }
  template <typename T>
  static Literal CreateR2FromArray2D(const Array2D<T>& values) {
    return CreateFromArray<T>(values);
  }
  template <typename T>
  static Literal CreateR3FromArray3D(const Array3D<T>& values) {
    return CreateFromArray<T>(values);
  }
  template <typename T>
  static Literal CreateR4FromArray4D(const Array4D<T>& values) {
    return CreateFromArray<T>(values);
  }
  // Makes an array [dimensions] whose elements are all `value`.
  template <typename T>
  static Literal CreateFull(Dims dimensions, T value) {
    Literal literal =
        Literal::Uninitialized(Shape(NativeToPrimitiveType<T>(), std::move(dimensions)));
    const auto data = literal.mutable_data<T>();
    std::fill(data.begin(), data.end(), value);
    return literal;
  }
  template <typename T>
  static Literal CreateFullWithDescendingLayout(Dims dimensions, T value) {
    return CreateFull<T>(std::move(dimensions), value);
  }
  // Makes an array [size, size] with ones on the diagonal and zeros elsewhere. A negative size
  // counts as 0.
  template <typename T>
  static Literal MakeIdentityR2(i64 size) {
    size = std::max<i64>(size, 0);
    Literal literal(Shape(NativeToPrimitiveType<T>(), {size, size}));
    const Literal one = One(literal.shape().type());
    const auto data = literal.mutable_data<T>();
    for (i64 i = 0; i < size; ++i) data[static_cast<size_t>(i * (size + 1))] = one.data<T>()[0];
    return literal;
  }
  // Returns the bytes of a text as u8[length].
  static Literal CreateR1U8(std::string_view text);
  // Makes an array [dimensions] of zeros.
  static Literal CreateFromDimensions(PrimitiveType type, Dims dimensions) {
    return Literal(Shape(type, std::move(dimensions)));
  }
  // Returns the one value of a token.
  static Literal CreateToken() { return Literal(Shape::Token()); }

  // Return scalars of an array type: 0; 1; the least and the greatest value, which are infinities
  // where the type has them; the same without infinities; not a number. Min and max of pred are
  // false and true; of complex types they are 0. For a type without elements the result is the
  // empty tuple.
  static Literal Zero(PrimitiveType type);
  static Literal One(PrimitiveType type);
  static Literal MinValue(PrimitiveType type);
  static Literal MaxValue(PrimitiveType type);
  static Literal MinFiniteValue(PrimitiveType type);
  static Literal MaxFiniteValue(PrimitiveType type);
  // Return the distance from 1 to the next number; and the least positive number with full
  // precision. Errors, of these three: INVALID_ARGUMENT if the type is not a float (NaN: or
  // complex) or has no such value.
  static StatusOr<Literal> Epsilon(PrimitiveType type);
  static StatusOr<Literal> MinPositiveNormalValue(PrimitiveType type);
  static StatusOr<Literal> NanValue(PrimitiveType type);

  // Returns the greatest element of an array, a NaN if it has one. Errors: INVALID_ARGUMENT if
  // there are no elements, or they have no order (complex numbers).
  static StatusOr<Literal> MaxElement(const Literal& literal);
  // Returns one element as a scalar. Errors: INVALID_ARGUMENT if there is no such element.
  static StatusOr<Literal> GetScalarLiteral(const Literal& literal, ArraySlice<i64> multi_index);
  static StatusOr<Literal> GetFirstScalarLiteral(const Literal& literal);
  // Replaces one element. Errors: INVALID_ARGUMENT as above, or if types differ.
  static Status SetScalarLiteral(Literal& literal, ArraySlice<i64> multi_index,
                                 const Literal& scalar);

  // Returns the literal with the arrays of one type in it converted, rounded once
  // (docs/ops/convert.md); the others share its storage.
  static Literal ConvertBF16ToF32(const Literal& literal) {
    return ConvertType(literal, BF16, F32);
  }
  static Literal ConvertBF16ToF64(const Literal& literal) {
    return ConvertType(literal, BF16, F64);
  }
  static Literal ConvertF32ToBF16(const Literal& literal) {
    return ConvertType(literal, F32, BF16);
  }
  static Literal ConvertF32ToF64(const Literal& literal) { return ConvertType(literal, F32, F64); }
  static Literal ConvertF64ToBF16(const Literal& literal) {
    return ConvertType(literal, F64, BF16);
  }
  static Literal ConvertF64ToF32(const Literal& literal) { return ConvertType(literal, F64, F32); }
  static Literal ConvertS32ToF32(const Literal& literal) { return ConvertType(literal, S32, F32); }
  static Literal ConvertType(const Literal& literal, PrimitiveType from, PrimitiveType to);
  // Returns the elements in row-major order as [new_dimensions] with this layout; an empty layout
  // means row-major. Errors: INVALID_ARGUMENT if the numbers of elements differ or the layout does
  // not fit.
  static StatusOr<Literal> ReshapeSlice(ArraySlice<i64> new_dimensions,
                                        ArraySlice<i64> minor_to_major, const Literal& literal);

  // Make tuples of copies of the literals that are pointed at, which share their storage; or of the
  // literals themselves.
  static Literal MakeTuple(ArraySlice<const Literal*> elements);
  static Literal MakeTupleOwned(std::vector<Literal> elements) {
    return Literal::Tuple(std::move(elements));
  }
  template <std::same_as<Literal>... Rest>
  static Literal MakeTupleOwned(Literal first, Rest... rest) {
    std::vector<Literal> elements;
    elements.push_back(std::move(first));
    (elements.push_back(std::move(rest)), ...);
    return Literal::Tuple(std::move(elements));
  }

  // Returns the text of an index: {1,2}.
  static std::string MultiIndexAsString(ArraySlice<i64> multi_index);

 private:
  static Status NotOfType(PrimitiveType type, const Shape& shape);
  // Returns the sizes, from the first list of each depth.
  template <typename List>
  static void AppendSizes(const List& list, Dims& sizes, size_t depth) {
    if (sizes.size() == depth) return;
    sizes.push_back(static_cast<i64>(list.size()));
    if constexpr (!std::is_arithmetic_v<typename List::value_type> && requires {
                    typename List::value_type::value_type;
                    list.begin()->begin();
                  }) {
      if (list.size() > 0) return AppendSizes(*list.begin(), sizes, depth);
    }
    sizes.resize(depth, 0);
  }
  template <int kDepth, typename T, typename List>
  static void Fill(const List& list, const Dims& sizes, const Dims& strides, T* to) {
    const size_t d = sizes.size() - kDepth;
    const size_t count = std::min(list.size(), static_cast<size_t>(sizes[d]));
    for (size_t i = 0; i < count; ++i, to += strides[d]) {
      if constexpr (kDepth == 1) {
        *to = list.begin()[i];
      } else {
        Fill<kDepth - 1>(list.begin()[i], sizes, strides, to);
      }
    }
  }
  template <typename T, int kDepth, typename List>
  static Literal CreateFromLists(const List& list) {
    Dims sizes;
    AppendSizes(list, sizes, kDepth);
    Literal literal(Shape(NativeToPrimitiveType<T>(), sizes));
    if (literal.num_elements() > 0) {
      Fill<kDepth>(list, sizes, RowMajorStrides(sizes), literal.mutable_data<T>().data());
    }
    return literal;
  }
};

}  // namespace axle
