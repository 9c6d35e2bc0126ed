// Attributes: what an instruction carries besides operands and called computations.
//
// The attributes of an op are a plain struct; its AttrSpecs say how each field is spelled:
//
//   struct PadAttrs { PaddingConfig padding; };
//   constexpr AttrSpec kPadAttrs[] = {Attr<&PadAttrs::padding>("padding", {.field = 21})};
//   inst.attrs<PadAttrs>().padding            // one load, checked by the compiler
//
// Everything generic (text, proto, hashing, equality, defaults) goes through the specs. A block is
// immutable and interned by its module, so equal attributes cost one pointer per instruction.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "axle/core/scanner.h"
#include "axle/core/shape.h"
#include "axle/core/wire.h"

namespace axle {

// What can be done with one attribute value, whatever op carries it. Instances: ops/attr_kinds.h.
struct AttrKind {
  std::string_view name;
  Status (*parse)(Scanner&, const Shape& result, void* value);
  std::string (*print)(const void* value);
  bool (*equal)(const void*, const void*);
  size_t (*hash)(const void*);
  // The form in HloInstructionProto. `field` is where the row says that it is; `result` is the
  // shape of the instruction.
  void (*write)(const void* value, const Shape& result, int field, WireWriter& out);
  // Called for each field of that number, after `clear`.
  Status (*read)(const WireReader& in, const Shape& result, void* value);
  // The value that a field which is not there stands for.
  void (*clear)(void* value);
  std::span<const int> other_fields = {};  // that hold the same value in other forms
};

// Where a value is in HloInstructionProto: a field, or a field of the sub-message in that field, or
// of one inside of that. Field 0: the attribute is not in the proto.
struct ProtoPath {
  int field = 0;
  int subfield = 0;
  int subsubfield = 0;
};

enum class Presence {
  kRequired,  // must be written, and is always printed
  kOptional,  // not printed when equal to the default
  kPrinted,   // may be left out when read, but is always printed
  kLast,      // as kOptional; printed behind the called computations
};

struct AttrSpec {
  std::string_view text;
  const AttrKind* kind;
  ProtoPath proto;
  Presence presence;
  void* (*field)(void* attrs);

  const void* Field(const void* attrs) const { return field(const_cast<void*>(attrs)); }
};

// The specs of one attribute struct, and its default value, which the member initialisers give.
struct AttrSchema {
  std::span<const AttrSpec> specs = {};
  std::shared_ptr<void> (*create)() = nullptr;
  const void* defaults = nullptr;

  bool operator==(const AttrSchema& other) const { return defaults == other.defaults; }
};

struct AttrBlock {
  AttrSchema schema;
  std::shared_ptr<const void> values;

  bool operator==(const AttrBlock& other) const;
  // Of the values alone: the same in every process, unlike Hash, which also tells schemas apart.
  static size_t ValueHash(const AttrBlock& block);
  struct Hash {
    size_t operator()(const AttrBlock& block) const;
  };
};

template <typename Attrs>
inline const Attrs kDefaultAttrs{};

template <typename Attrs>
constexpr AttrSchema Schema(std::span<const AttrSpec> specs) {
  return {specs, []() -> std::shared_ptr<void> { return std::make_shared<Attrs>(); },
          &kDefaultAttrs<Attrs>};
}

inline bool AttrBlock::operator==(const AttrBlock& other) const {
  if (!(schema == other.schema)) return false;
  for (const AttrSpec& spec : schema.specs) {
    if (!spec.kind->equal(spec.Field(values.get()), spec.Field(other.values.get()))) return false;
  }
  return true;
}

inline size_t AttrBlock::ValueHash(const AttrBlock& block) {
  size_t hash = block.schema.specs.size();
  for (const AttrSpec& spec : block.schema.specs) {
    hash = hash * 1000003 + spec.kind->hash(spec.Field(block.values.get()));
  }
  return hash;
}

inline size_t AttrBlock::Hash::operator()(const AttrBlock& block) const {
  return ValueHash(block) * 1000003 + reinterpret_cast<size_t>(block.schema.defaults);
}

}  // namespace axle
