// Attributes that HLO has and that are not implemented: a program that gives one is UNIMPLEMENTED,
// whether it comes as text or as a message of a proto that is not empty. There is no value to keep.
//
//   constexpr AttrSpec kAttrs[] = {..., UnimplementedAttr("sparsity_config", {.field = 98})};
#pragma once
#include "axle/ops/op_def.h"

namespace axle {

// Its parse and read always fail; who calls them adds the name of the op and of the attribute.
extern const AttrKind kUnimplementedKind;

constexpr AttrSpec UnimplementedAttr(std::string_view text, ProtoPath proto = {}) {
  return {text, &kUnimplementedKind, proto, Presence::kOptional, [](void* attrs) { return attrs; }};
}

inline Status UnimplementedAttrError(const OpDef& def, const AttrSpec& spec) {
  return Unimplemented(StrCat(def.text, ": ", spec.text, " is not implemented"));
}

}  // namespace axle
