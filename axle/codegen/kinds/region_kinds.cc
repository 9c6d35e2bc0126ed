// The table of region kinds: the rows of runtime/region_kinds.def, in its order.
#include "axle/codegen/schedule/region_kinds.h"

namespace axle {

#define FOLD_FORM(name, what)
#define REGION_KIND(enumerator, name, what) extern const RegionKindDef k##enumerator##Region;
#include "axle/runtime/region_kinds.def"
#undef REGION_KIND

static const RegionKindDef* const kRows[] = {
#define REGION_KIND(enumerator, name, what) &k##enumerator##Region,
#include "axle/runtime/region_kinds.def"
#undef REGION_KIND
};

static constexpr std::string_view kNames[] = {
#define REGION_KIND(enumerator, name, what) name,
#include "axle/runtime/region_kinds.def"
#undef REGION_KIND
};
#undef FOLD_FORM

std::string_view Name(RegionKind kind) {
  return kNames[static_cast<size_t>(kind)];
}

const RegionKindDef& GetKind(RegionKind kind) {
  return *kRows[static_cast<size_t>(kind)];
}

std::span<const RegionKindDef* const> AllRegionKinds() {
  return kRows;
}

}  // namespace axle
