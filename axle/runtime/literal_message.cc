#include "axle/runtime/literal_message.h"

#include <cstring>

#include "axle/core/strings.h"

namespace axle {

i64 PackedBytes(const Shape& shape) {
  i64 bytes = 0;
  ForEachLeaf(shape, [&](const Shape& leaf, const Dims&) {
    if (leaf.is_array()) bytes += leaf.rank() * i64{8} + leaf.num_bytes();
  });
  return bytes;
}

void PackLiteral(const Literal& literal, std::byte* to) {
  ForEachLeaf(literal.shape(), [&](const Shape& leaf, const Dims& path) {
    if (!leaf.is_array()) return;
    const Literal& array = literal.at(path);
    for (i64 d = 0; d < leaf.rank(); ++d, to += 8) {
      const i64 size = array.size(d);
      std::memcpy(to, &size, 8);
    }
    const auto bytes = static_cast<size_t>(array.num_bytes());
    if (bytes > 0) std::memcpy(to, array.bytes(), bytes);
    to += bytes;
  });
}

StatusOr<Literal> UnpackLiteral(const Shape& shape, const std::byte* from) {
  AXLE_ASSIGN(Literal literal, Literal::CreateUninitialized(shape.WithoutLayout()));
  Status status;
  ForEachLeaf(shape, [&](const Shape& leaf, const Dims& path) {
    if (!leaf.is_array()) return;
    Literal* array = &literal;
    for (const i64 i : path) array = &array->mutable_elements()[static_cast<size_t>(i)];
    for (i64 d = 0; d < leaf.rank(); ++d, from += 8) {
      i64 size = 0;
      std::memcpy(&size, from, 8);
      if (size == leaf.dim(d)) continue;
      if (size < 0 || size > leaf.dim(d)) {
        status = {StatusCode::kDataLoss, StrCat("a message says that dimension ", d, " of ",
                                                leaf.ToString(), " has size ", size)};
        return;
      }
      array->SetSizeBeforeFlags(d, size);
    }
    const auto bytes = static_cast<size_t>(array->num_bytes());
    if (bytes > 0) std::memcpy(array->mutable_bytes(), from, bytes);
    from += bytes;
  });
  AXLE_TRY(status);
  return literal;
}

std::uint64_t HashOfShape(const Shape& shape) {
  return shape.WithoutLayout().Hash();
}

}  // namespace axle
