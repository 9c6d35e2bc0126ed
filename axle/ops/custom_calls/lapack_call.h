// What the built-in custom calls for linear algebra have in common: batches of matrices as
// operands, letters as attributes, results of known shapes. Operands are arrays of matrices, and
// the dimensions in front are the batch.
#pragma once
#include <complex>
#include <cstring>
#include <limits>

#include "axle/core/strings.h"
#include "axle/linalg/linear_algebra.h"
#include "axle/ops/custom_call_builtins.h"
#include "axle/ops/scratch_memory.h"

namespace axle {

template <typename T>
inline constexpr ElementType kTypeOf = std::is_same_v<T, float>                 ? F32
                                       : std::is_same_v<T, double>              ? F64
                                       : std::is_same_v<T, std::complex<float>> ? C64
                                                                                : C128;

// The batch of matrices that operand `index` is.
struct MatrixShape {
  Dims batch;
  i64 count = 1;  // of matrices
  i64 rows = 0, columns = 0;

  i64 rank() const { return std::min(rows, columns); }
  i64 size() const { return rows * columns; }
  Shape With(ElementType type, std::initializer_list<i64> dims) const {
    Dims all = batch;
    all.insert(all.end(), dims);
    return Shape(type, std::move(all));
  }
};

template <typename T>
StatusOr<MatrixShape> MatricesOf(const CustomCallInvocation& invocation, i64 index) {
  const Shape& shape = invocation.operands[index].shape();
  if (shape.type() != kTypeOf<T>) {
    return InvalidArgument(StrCat("operand ", index, " must be of type ", Name(kTypeOf<T>),
                                  ", not ", shape.ToString()));
  }
  if (shape.rank() < 2) {
    return InvalidArgument(StrCat("operand ", index, " must be a matrix, not ", shape.ToString()));
  }
  MatrixShape matrices;
  matrices.batch.assign(shape.dims().begin(), shape.dims().end() - 2);
  matrices.rows = shape.dim(shape.rank() - 2);
  matrices.columns = shape.dim(shape.rank() - 1);
  matrices.count = matrices.size() == 0 ? 0 : shape.num_elements() / matrices.size();
  return matrices;
}

template <typename T>
StatusOr<MatrixShape> SquareMatricesOf(const CustomCallInvocation& invocation, i64 index) {
  AXLE_ASSIGN(MatrixShape matrices, MatricesOf<T>(invocation, index));
  if (matrices.rows != matrices.columns) {
    return InvalidArgument(StrCat("operand ", index, " must be square but is ", matrices.rows,
                                  " by ", matrices.columns));
  }
  return matrices;
}

// Zeros of these shapes, which the instruction must declare as its result.
inline StatusOr<std::vector<Literal>> MakeResults(const CustomCallInvocation& invocation,
                                                  std::vector<Shape> shapes) {
  const bool is_tuple = shapes.size() > 1;
  const Shape expected = is_tuple ? Shape::Tuple(shapes) : shapes[0];
  if (!Compatible(*invocation.result_shape, expected)) {
    return InvalidArgument(
        StrCat("gives ", expected.ToString(), ", not ", invocation.result_shape->ToString()));
  }
  std::vector<Literal> results;
  for (const Shape& shape : shapes) {
    AXLE_ASSIGN(Literal result, Literal::Create(shape));
    results.push_back(std::move(result));
  }
  return results;
}

// One of the letters in `allowed`, from the attribute `name`.
inline StatusOr<char> Letter(const CustomCallAttributes& attributes, std::string_view name,
                             std::string_view allowed) {
  AXLE_ASSIGN(const i64 value, attributes.Integer(name));
  for (char letter : allowed) {
    if (value == letter) return letter;
  }
  return InvalidArgument(StrCat("attribute ", name, " is ", value, ", must be the code of one of ",
                                Join(std::vector<std::string_view>{allowed}, "")));
}

template <typename T>
T* Data(Literal& literal) {
  return reinterpret_cast<T*>(literal.mutable_bytes());
}
template <typename T>
const T* Data(const Literal& literal) {
  return reinterpret_cast<const T*>(literal.bytes());
}
inline std::span<std::int32_t> Integers(Literal& literal) {
  return literal.mutable_data<std::int32_t>();
}

// Memory for `copies` arrays of `elements` elements beside the results.
template <typename T>
i64 BytesFor(i64 elements, i64 copies) {
  const std::optional<i64> bytes = CheckedMul(elements, copies * i64{sizeof(T)});
  return bytes.value_or(std::numeric_limits<i64>::max());
}

// For targets that take any of the four types: Call<T>::kRun is the one of T.
template <template <typename> typename Call>
StatusOr<Literal> OfAnyType(const CustomCallInvocation& invocation, const EvalContext& context) {
  if (invocation.operands.empty()) return InvalidArgument("takes an operand");
  switch (invocation.operands[0].shape().type()) {
    case F32:
      return Call<float>::kRun(invocation, context);
    case F64:
      return Call<double>::kRun(invocation, context);
    case C64:
      return Call<std::complex<float>>::kRun(invocation, context);
    case C128:
      return Call<std::complex<double>>::kRun(invocation, context);
    default:
      return InvalidArgument("takes f32, f64, c64 or c128");
  }
}
}  // namespace axle
