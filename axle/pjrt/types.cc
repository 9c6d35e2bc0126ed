// Element types, shapes and layouts as PJRT spells them.
#include <algorithm>

#include "axle/core/strings.h"
#include "axle/pjrt/handles.h"

namespace axle::pjrt {
namespace {

// By PJRT's number; PRIMITIVE_TYPE_INVALID for numbers without a type.
constexpr ElementType kTypes[] = {
    PRIMITIVE_TYPE_INVALID,
    PRED,
    S8,
    S16,
    S32,
    S64,
    U8,
    U16,
    U32,
    U64,
    F16,
    F32,
    F64,
    BF16,
    C64,
    C128,
    F8E5M2,
    F8E4M3FN,
    F8E4M3B11FNUZ,
    F8E5M2FNUZ,
    F8E4M3FNUZ,
    S4,
    U4,
    TOKEN,
    S2,
    U2,
    F8E4M3,
    F8E3M4,
    F8E8M0FNU,
    F4E2M1FN,
    S1,
    U1,
    F6E2M3FN,
    F6E3M2FN,
};

}  // namespace

StatusOr<ElementType> TypeOf(PJRT_Buffer_Type type) {
  const auto number = static_cast<size_t>(type);
  if (type < 0 || number >= std::size(kTypes) || kTypes[number] == PRIMITIVE_TYPE_INVALID) {
    return InvalidArgument(StrCat("pjrt: ", type, " is not the number of an element type"));
  }
  return kTypes[number];
}

PJRT_Buffer_Type TypeNumber(ElementType type) {
  const auto* found = std::find(std::begin(kTypes), std::end(kTypes), type);
  return found == std::end(kTypes) ? 0 : static_cast<PJRT_Buffer_Type>(found - kTypes);
}

StatusOr<Dims> ReadLayout(const Shape& shape, const PJRT_Buffer_MemoryLayout& layout) {
  const auto rank = static_cast<size_t>(shape.rank());
  const auto no_layout = [&](std::string_view why) {
    return InvalidArgument(StrCat("pjrt: the layout of ", shape.ToString(), " ", why));
  };
  if (layout.type == PJRT_Buffer_MemoryLayout_Type_Tiled) {
    const PJRT_Buffer_MemoryLayout_Tiled& tiled = layout.tiled;
    if (tiled.num_tiles > 0) {
      return Unimplemented(StrCat("pjrt: the layout of ", shape.ToString(),
                                  " has tiles: use a layout without them"));
    }
    if (tiled.minor_to_major_size != rank || (rank > 0 && tiled.minor_to_major == nullptr)) {
      return no_layout(StrCat("names ", tiled.minor_to_major_size, " dimensions"));
    }
    Dims order(tiled.minor_to_major, tiled.minor_to_major + rank);
    std::vector<bool> seen(rank);
    for (const i64 d : order) {
      if (d < 0 || static_cast<size_t>(d) >= rank || seen[static_cast<size_t>(d)]) {
        return no_layout("is not a permutation of its dimensions");
      }
      seen[static_cast<size_t>(d)] = true;
    }
    return order;
  }
  if (layout.type != PJRT_Buffer_MemoryLayout_Type_Strides) {
    return no_layout(StrCat("is of type ", static_cast<int>(layout.type)));
  }
  const PJRT_Buffer_MemoryLayout_Strides& strides = layout.strides;
  if (strides.num_byte_strides != rank || (rank > 0 && strides.byte_strides == nullptr)) {
    return no_layout(StrCat("names ", strides.num_byte_strides, " strides"));
  }
  // The dimensions by growing strides; of equal ones, which have one element, the last first.
  Dims order = Layout::RowMajor(shape.rank()).minor_to_major;
  std::ranges::sort(order, [&](i64 a, i64 b) {
    const i64 of_a = strides.byte_strides[a], of_b = strides.byte_strides[b];
    return of_a != of_b ? of_a < of_b : a > b;
  });
  i64 expected = shape.num_bytes() == 0 ? 0 : shape.num_bytes() / shape.num_elements();
  for (const i64 d : order) {
    if (shape.dim(d) > 1 && strides.byte_strides[d] != expected) {
      return no_layout("has strides with gaps between elements");
    }
    expected *= shape.dim(d);
  }
  return order;
}

StatusOr<Shape> ReadShape(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims,
                          const PJRT_Buffer_MemoryLayout* layout) {
  AXLE_ASSIGN(const ElementType element_type, TypeOf(type));
  if (dims == nullptr && num_dims > 0) return InvalidArgument("pjrt: the dimensions are null");
  if (num_dims > static_cast<size_t>(kMaxRank)) {
    return InvalidArgument(
        StrCat("pjrt: an array has at most ", kMaxRank, " dimensions, not ", num_dims));
  }
  Shape shape(element_type, num_dims == 0 ? Dims() : Dims(dims, dims + num_dims));
  AXLE_TRY(CheckShape(shape));
  if (layout != nullptr) {
    AXLE_ASSIGN(const Dims order, ReadLayout(shape, *layout));
    Layout wanted;
    wanted.minor_to_major = order;
    if (!wanted.is_default()) {
      return Unimplemented(StrCat("pjrt: a buffer of ", shape.ToString(), " in the layout ",
                                  wanted.ToString(), ": buffers are row-major"));
    }
  }
  return shape;
}

std::uint64_t FingerprintOf(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace axle::pjrt
