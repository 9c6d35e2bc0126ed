// NumPy's files: .npy (one array) and .npz (a zip archive of them), between bytes and literals.
//
// What has no NumPy type travels as bits: bf16 as uint16, floats of at most 8 bits as uint8,
// integers below 8 bits as one int8 or uint8 per element; pred is bool. Reading therefore takes the
// shape that is wanted and checks it. Malformed input gives INVALID_ARGUMENT with the reason;
// memory stays in proportion to the input (times deflate's ratio) and below `max_bytes`.
//
// Of an array with dynamic dimensions the file has the valid part: sizes up to the bounds.
//
//   AXLE_ASSIGN(const Npz npz, ReadNpz(bytes));
//   AXLE_ASSIGN(Literal x, MemberLiteral(npz, "in_0", Shape(F32, {2, 3})));
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "axle/core/literal.h"
#include "axle/core/status.h"

namespace axle {

// An array as the file has it, made row-major and little-endian.
struct NpyArray {
  ElementType type = PRIMITIVE_TYPE_INVALID;  // of the file: U16 for an array of bf16 in .npz
  Dims dims;
  std::string bytes;

  std::string ToString() const;  // "uint16 (2, 3)"
};
using Npz = std::map<std::string, NpyArray>;  // by name, without ".npy"

inline constexpr i64 kDefaultNpzBytes = i64{64} << 30;

// Versions 1 to 3, either byte order, C or Fortran order; bool, int8..64, uint8..64, float16..64,
// complex64, complex128; raw elements of 1 or 2 bytes (V1, V2: what ml_dtypes arrays are saved as)
// count as uint8 and uint16. Structured and object arrays are refused.
StatusOr<NpyArray> ReadNpy(std::string_view bytes);
std::string WriteNpy(const Literal& literal);

// Stored and deflated members, zip64 or not, checksums verified. Members that are not .npy files
// are passed over; two members of one name are an error.
StatusOr<Npz> ReadNpz(std::string_view bytes, i64 max_bytes = kDefaultNpzBytes);
// Deterministic: no time stamps. The literals are arrays.
StatusOr<std::string> WriteNpz(std::span<const std::pair<std::string, Literal>> members,
                               bool deflate);

// `shape`, where it leaves sizes open (f32[?]) with these, which are as many as it has dimensions.
Shape WithSizes(const Shape& shape, const Dims& sizes);
// The array as a row-major literal of this shape (layout ignored), or an error that says what the
// file has and what was wanted. Sizes that the shape leaves open are those of the array.
StatusOr<Literal> ToLiteral(const NpyArray& array, const Shape& shape);
// The same for a member; the error for an absent one lists what is there.
StatusOr<Literal> MemberLiteral(const Npz& npz, const std::string& name, const Shape& shape);

}  // namespace axle
