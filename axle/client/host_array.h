// Arrays of any strides in the host's memory, from and to literals.
//
//   AXLE_ASSIGN(Literal x, LiteralFromHost(Shape(F32, {2, 3}), data, {4, 8}, HostRead::kCopy));
//   AXLE_TRY(LiteralToHost(x, data));
//
// `data` is where element (0, ..., 0) is, of any alignment. `byte_strides` are the distances
// between neighbours of each dimension, of any sign; none: dense, row-major. Types of less than a
// byte have a byte per element. Thread-safe.
#pragma once
#include "axle/core/array_slice.h"
#include "axle/core/literal.h"

namespace axle {

// kView: a literal that borrows the memory, if that is dense, row-major, aligned to its elements
// and holds nothing but values of its type; otherwise a copy, as with kCopy.
enum class HostRead : std::uint8_t { kCopy, kView };

// INVALID_ARGUMENT for a shape that is no array, a wrong number of strides, strides that lead out
// of the address space, null data where there are elements, or, to write, if two elements share an
// address because a stride is 0.
enum class HostUse : std::uint8_t { kRead, kWrite };
Status CheckHostArray(const Shape& shape, const void* data, ArraySlice<i64> byte_strides,
                      HostUse use);

// A literal of the elements, row-major and full, whatever layout `shape` has. A pred that is
// neither 0 nor 1 becomes 1, and what a byte holds above the bits of its type is dropped. Errors:
// those of CheckHostArray; RESOURCE_EXHAUSTED.
StatusOr<Literal> LiteralFromHost(const Shape& shape, const void* data,
                                  ArraySlice<i64> byte_strides, HostRead read);

// Writes the elements of an array of any layout; of dynamic dimensions all up to the bound, padding
// as zeros. The same errors.
Status LiteralToHost(const Literal& literal, void* data, ArraySlice<i64> byte_strides = {});

}  // namespace axle
