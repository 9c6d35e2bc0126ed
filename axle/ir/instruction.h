// Instruction: one HLO operation. Owned by its computation's module; its address is its identity.
//
// Memory is the point of the layout: shapes, attributes and metadata are interned, operands and
// called computations follow the object in the same allocation, and what few instructions have
// (sharding, control edges, ...) is in a side table of the module (`tests/ir/` measures it).
// Data only: what an opcode means is in ops/.
#pragma once
#include <cassert>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "axle/ir/attributes.h"
#include "axle/ir/metadata.h"
#include "axle/ir/opcode.h"

namespace axle {

class HloComputation;
class Instruction;

// Position at the time the module was read or built: never reused, kept by passes and clones, so
// that errors, profiles and random numbers can refer to it. Not the proto's id.
struct OpId {
  std::uint32_t computation = 0;
  std::uint32_t ordinal = 0;
  bool operator==(const OpId&) const = default;
};

// An operand slot, threaded into the doubly linked list of all uses of its operand: adding and
// removing a use is O(1) however many there are.
struct Use {
  Instruction* operand;
  Instruction* user;
  Use* next;
  Use** link;  // the pointer that points at this use
};

// What only some instructions carry. Texts are verbatim, in the form in which HLO text prints them.
struct InstructionExtras {
  std::string sharding;  // {devices=[2,1]<=[2]}, braces included; "" if there is none
  std::vector<std::pair<std::string, std::string>> frontend_attributes;  // value: "text" or {json}
  std::vector<Instruction*> control_predecessors;
  std::string statistics;
  std::string result_accuracy;
  std::string origin;
  std::string parameter_replication;
  std::string backend_config;       // the raw bytes, without quotes
  bool has_backend_config = false;  // "" is a value too
  std::vector<OpId> origins;        // of an instruction that a pass made from others
  // Of a constant whose elements are not known, because the text or proto that it was read from
  // leaves them out. Its literal has other ones (ElidedLiteral). `elided_place`: the message of
  // whoever needs them, with the place in the text or proto; "" if it is not known.
  bool is_elided = false;
  std::string elided_place;
};

class Instruction {
 public:
  Instruction(const Instruction&) = delete;
  Instruction& operator=(const Instruction&) = delete;

  Opcode opcode() const { return opcode_; }
  OpId id() const { return id_; }
  std::string_view name() const { return {name_, name_size_}; }
  const Shape& shape() const { return *shape_; }
  const Metadata& metadata() const { return *metadata_; }
  HloComputation* parent() const { return parent_; }
  // Position in parent()->instructions(), for tables indexed by instruction.
  std::uint32_t index() const { return index_; }

  i64 num_operands() const { return num_operands_; }
  Instruction* operand(i64 i) const { return uses()[i].operand; }
  std::span<HloComputation* const> callees() const {
    return {reinterpret_cast<HloComputation* const*>(uses() + num_operands_), num_callees_};
  }
  HloComputation* callee(i64 i) const { return callees()[i]; }
  const Use* first_use() const { return first_use_; }  // then ->next, in no particular order
  // Every user reads `other` instead. Shapes must agree.
  void ReplaceAllUsesWith(Instruction* other);
  void ReplaceOperand(i64 i, Instruction* other);

  // The attributes, as the struct that the op's row names.
  template <typename Attrs>
  const Attrs& attrs() const {
    assert(attrs_->schema.defaults == &kDefaultAttrs<Attrs>);
    return *static_cast<const Attrs*>(attrs_->values.get());
  }
  const AttrBlock& attr_block() const { return *attrs_; }
  // What is in the side table; null for most instructions.
  const InstructionExtras* extras() const;

 private:
  friend class HloComputation;
  Instruction() = default;
  Use* uses() { return reinterpret_cast<Use*>(this + 1); }
  const Use* uses() const { return reinterpret_cast<const Use*>(this + 1); }

  Opcode opcode_;
  bool has_extras_ = false;
  std::uint32_t index_;
  std::uint32_t num_operands_;
  std::uint32_t num_callees_;
  OpId id_;
  const Shape* shape_;
  const AttrBlock* attrs_;
  const Metadata* metadata_;
  HloComputation* parent_;
  Use* first_use_ = nullptr;
  const char* name_;
  std::uint32_t name_size_;
};

}  // namespace axle
