#include "axle/core/element_type.h"

namespace axle {

ElementType ElementTypeFromName(std::string_view text) {
  for (const ElementTypeInfo& info : kElementTypes) {
    if (info.text == text && IsArrayType(info.type)) return info.type;
  }
  return PRIMITIVE_TYPE_INVALID;
}

}  // namespace axle
