// Conversion of arrays of any strides in host memory to and from literals.
//
//   AXLE_ASSIGN(Literal x, LiteralFromHost(Shape(F32, {2, 3}), data, {4, 8}, HostRead::kCopy));
//   AXLE_TRY(LiteralToHost(x, data));
//
// `data` is the address of element (0, ..., 0), of any alignment. `byte_strides` are the distances
// between neighbours of each dimension, of any sign; if they are empty, the array is dense and
// row-major. Types of less than a byte have a byte per element. The functions are thread-safe.
#pragma once
#include "axle/core/array_slice.h"
#include "axle/core/literal.h"

namespace axle {

// kView makes a literal that borrows the memory, if the memory is dense, row-major, aligned to its
// elements and holds only values of its type; otherwise it makes a copy, as kCopy does.
enum class HostRead : std::uint8_t { kCopy, kView };

// INVALID_ARGUMENT for a shape that is not an array, a wrong number of strides, strides that lead
// out of the address space, null data where there are elements, or, for writing, two elements at
// one address because a stride is 0.
enum class HostUse : std::uint8_t { kRead, kWrite };
Status CheckHostArray(const Shape& shape, const void* data, ArraySlice<i64> byte_strides,
                      HostUse use);

// Makes a literal of the elements, row-major and full, whatever layout `shape` has. A pred that is
// neither 0 nor 1 becomes 1, and the bits of a byte above those of its type are dropped. Errors:
// those of CheckHostArray; RESOURCE_EXHAUSTED.
StatusOr<Literal> LiteralFromHost(const Shape& shape, const void* data,
                                  ArraySlice<i64> byte_strides, HostRead read);

// Writes the elements of an array of any layout. Of dynamic dimensions all positions up to the
// bound are written, with the padding as zeros. The errors are the same.
Status LiteralToHost(const Literal& literal, void* data, ArraySlice<i64> byte_strides = {});

}  // namespace axle
