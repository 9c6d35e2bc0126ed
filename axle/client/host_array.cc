#include "axle/client/host_array.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "axle/core/strings.h"
#include "axle/emit/strided_copy.h"

namespace axle {
namespace {

bool IsAligned(ElementType type, const void* data, ArraySlice<i64> byte_strides) {
  const auto align = static_cast<std::uintptr_t>(Info(type).align);
  return reinterpret_cast<std::uintptr_t>(data) % align == 0 &&
         std::ranges::all_of(byte_strides,
                             [&](i64 stride) { return stride % static_cast<i64>(align) == 0; });
}

Dims DenseByteStrides(const Shape& shape) {
  Dims strides = RowMajorStrides(shape.dims());
  for (i64& stride : strides) stride *= Info(shape.type()).bytes;
  return strides;
}

bool IsDense(const Shape& shape, ArraySlice<i64> byte_strides) {
  if (byte_strides.empty()) return true;
  const Dims dense = DenseByteStrides(shape);
  for (i64 d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) != 1 && byte_strides[d] != dense[d]) return false;
  }
  return true;
}

// Copies elements from both sides' first element on; byte by byte where elements are not aligned.
void CopyStrided(const Shape& shape, std::byte* to, ArraySlice<i64> to_strides,
                 const std::byte* from, ArraySlice<i64> from_strides, bool is_aligned) {
  std::vector<StridedDim> dims;
  for (i64 d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) == 0) return;
    dims.push_back({shape.dim(d), to_strides[d], from_strides[d]});
  }
  const i64 bytes = Info(shape.type()).bytes;
  if (!is_aligned) dims.push_back({bytes, 1, 1});
  StridedCopy(MergeStridedDims(dims), to, from, is_aligned ? bytes : 1);
}

// Returns the byte of an element with only the bits of its type.
std::uint8_t Canonical(ElementType type, std::uint8_t byte) {
  if (type == PRED) return byte != 0 ? 1 : 0;
  const int unused = 8 - Info(type).bits;
  if (!IsSigned(type)) return static_cast<std::uint8_t>(byte & (0xff >> unused));
  return static_cast<std::uint8_t>(static_cast<std::int8_t>(byte << unused) >> unused);
}

bool CanBeOtherBits(ElementType type) {
  return type == PRED || IsSubByte(type);
}

bool IsCanonical(ElementType type, const std::byte* bytes, i64 count) {
  return std::all_of(bytes, bytes + count, [type](std::byte byte) {
    const auto bits = static_cast<std::uint8_t>(byte);
    return Canonical(type, bits) == bits;
  });
}

}  // namespace

Status CheckHostArray(const Shape& shape, const void* data, ArraySlice<i64> byte_strides,
                      HostUse use) {
  AXLE_TRY(CheckShape(shape));
  if (!shape.is_array()) {
    return InvalidArgument(
        StrCat("host array: the shape is ", shape.ToString(), ", must be an array"));
  }
  const auto num_strides = static_cast<i64>(byte_strides.size());
  if (num_strides != 0 && num_strides != shape.rank()) {
    return InvalidArgument(
        StrCat("host array: there are ", num_strides, " strides for ", shape.ToString()));
  }
  if (shape.num_elements() == 0) return {};
  if (data == nullptr) {
    return InvalidArgument(StrCat("host array: the data of ", shape.ToString(), " is null"));
  }
  i64 low = 0,
      high = Info(shape.type()).bytes;  // the range of all elements in bytes, relative to `data`
  for (i64 d = 0; d < num_strides; ++d) {
    const i64 stride = byte_strides[d];
    if (use == HostUse::kWrite && stride == 0 && shape.dim(d) > 1) {
      return InvalidArgument(StrCat("host array: the stride of dimension ", d, " of ",
                                    shape.ToString(), " is 0, so that its elements share memory"));
    }
    const std::optional<i64> extent = CheckedMul(stride, shape.dim(d) - 1);
    i64& end = stride < 0 ? low : high;
    const std::optional<i64> sum = extent ? CheckedAdd(end, *extent) : std::nullopt;
    if (!sum) {
      return InvalidArgument(StrCat("host array: stride ", stride, " of dimension ", d, " of ",
                                    shape.ToString(), " is too large"));
    }
    end = *sum;
  }
  return {};
}

StatusOr<Literal> LiteralFromHost(const Shape& from_shape, const void* from_data,
                                  ArraySlice<i64> byte_strides, HostRead read) {
  AXLE_TRY(CheckHostArray(from_shape, from_data, byte_strides, HostUse::kRead));
  const Shape shape = from_shape.WithoutLayout();
  const auto* const data = static_cast<const std::byte*>(from_data);
  const bool is_aligned = IsAligned(shape.type(), data, byte_strides);
  const bool check_bits = CanBeOtherBits(shape.type());
  if (read == HostRead::kView && IsDense(shape, byte_strides) && is_aligned &&
      shape.num_elements() > 0 &&
      (!check_bits || IsCanonical(shape.type(), data, shape.num_elements()))) {
    return Literal::View(shape, data);
  }
  AXLE_ASSIGN(Literal literal, Literal::CreateUninitialized(shape));
  const Dims dense = DenseByteStrides(shape);
  std::byte* const to = literal.mutable_bytes();
  CopyStrided(shape, to, dense, data, byte_strides.empty() ? dense : byte_strides, is_aligned);
  if (check_bits) {
    for (i64 i = 0; i < literal.num_elements(); ++i) {
      to[i] = std::byte{Canonical(shape.type(), static_cast<std::uint8_t>(to[i]))};
    }
  }
  return literal;
}

Status LiteralToHost(const Literal& literal, void* data, ArraySlice<i64> byte_strides) {
  AXLE_TRY(CheckHostArray(literal.shape(), data, byte_strides, HostUse::kWrite));
  if (literal.num_elements() == 0) return {};
  Literal value;
  try {
    value = literal.ToRowMajor();
    if (value.is_padded()) {
      AXLE_ASSIGN(value, Literal::Padded(value.ValidPart(), value.shape()));
    }
  } catch (const std::bad_alloc&) {
    return ResourceExhausted(
        StrCat("host array: no memory for a copy of ", literal.shape().ToString()));
  }
  const Dims dense = DenseByteStrides(value.shape());
  CopyStrided(value.shape(), static_cast<std::byte*>(data),
              byte_strides.empty() ? dense : byte_strides, value.bytes(), dense,
              IsAligned(value.shape().type(), data, byte_strides));
  return {};
}

}  // namespace axle
