#include "axle/builder/primitive_util.h"

#include "axle/core/strings.h"

namespace axle::primitive_util {

StatusOr<PrimitiveType> StringToPrimitiveType(std::string_view name) {
  std::vector<std::string_view> names;
  for (const ElementTypeInfo& info : kElementTypes) {
    if (info.text == name) return info.type;
    names.push_back(info.text);
  }
  return InvalidArgument(
      StrCat("no element type is called \"", name, "\"", DidYouMean(name, names)));
}

}  // namespace axle::primitive_util
