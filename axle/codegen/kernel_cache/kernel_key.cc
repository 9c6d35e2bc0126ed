// How keys are written: all members that select code, in a fixed order, as numbers of seven bits to
// a byte with the sign in the lowest bit, so -1 is 1, 1 is 2 and 64 is 0x80 0x01. Lists have their
// length in front, so no key is the beginning of another one by accident.
//
// What must hold: kernels whose code differs have different keys. Structs are therefore taken apart
// by name; a new member does not compile before somebody has decided whether it belongs in the key.
// Left out on purpose are the sizes of rows, since the table compiles a kernel for all of its
// users, and passes_once, which selects the level.
//
// Values of a small region are numbered in the order in which they appear, so that equal functions
// on other values have equal keys. A large constant enters with its address, because its bytes are
// not part of the code; such a key means nothing in another process (is_portable).
#include "axle/codegen/kernel_cache/kernel_key.h"

#include <unordered_map>

#include "axle/codegen/schedule/dot_form.h"

namespace axle {
namespace {

// The first number of a key.
enum class KernelKind : std::uint8_t { kLoop, kMerge, kSmall };

class KeyWriter {
 public:
  explicit KeyWriter(KernelKind kind) { Add(static_cast<i64>(kind)); }
  void AddRegion(const Region& region, const Schedule& schedule) {
    Scope scope{schedule, {}};
    AddValues(region.inputs, scope);
    AddConstants(region.small().constants, scope);
    AddParts(region.small().parts, scope);
    AddValues(region.outputs, scope);
  }
  // All members by name, here and below: one that comes to be does not compile until it is in the
  // key, or is left out on purpose. How often a loop passes selects its level, which comes beside.
  void AddLoop(const LoopKernelSpec& spec) {
    const auto& [program, inputs, form, folds, lanes, in_order, streams, passes_once, is_brief,
                 row_sizes, fetches, pattern] = spec;
    AddProgram(*program);
    AddAll(inputs);
    Add(static_cast<i64>(form));
    Add(std::ssize(folds));
    for (const auto& [join, identity, reducer] : folds) {
      Add(static_cast<i64>(join));
      Add(static_cast<i64>(identity));
      Add(reducer != nullptr);
      if (reducer != nullptr) AddProgram(*reducer);
    }
    Add(lanes);
    for (const bool flag : {in_order, streams, is_brief}) Add(flag);
    AddAll(fetches);
    AddPattern(pattern);
  }
  void AddPattern(const LoopPattern& pattern) {
    const auto& [size, operands, reduced, columns] = pattern;
    Add(size);
    if (size == 0) return;
    Add(std::ssize(operands));
    for (const auto& [stride, offsets, beside, distance] : operands) {
      Add(stride);
      AddAll(offsets);
      Add(beside);
      Add(distance);
    }
    Add(reduced);
    Add(columns);
  }
  void AddMerge(const MergeKernelSpec& spec) {
    const auto& [less, other_bytes] = spec;
    AddProgram(*less);
    AddAll(other_bytes);
  }
  KernelKey Take() && { return std::move(key_); }

 private:
  // Values are numbered as they come.
  struct Scope {
    const Schedule& schedule;
    std::unordered_map<ValueId, i64> numbers;
  };

  // Most numbers are small: seven bits to a byte, the sign in the lowest.
  void Add(i64 number) {
    auto rest = static_cast<std::uint64_t>(number) << 1 ^ static_cast<std::uint64_t>(number >> 63);
    for (; rest >= 0x80; rest >>= 7) key_.text.push_back(static_cast<char>(rest | 0x80));
    key_.text.push_back(static_cast<char>(rest));
  }
  template <typename T>
  requires std::integral<T> || std::is_enum_v<T>
  void AddAll(const std::vector<T>& numbers) {
    Add(static_cast<i64>(numbers.size()));
    for (const T number : numbers) Add(static_cast<i64>(number));
  }
  void AddArray(const LaneArray& array) {
    const auto& [type, num_parts] = array;
    Add(static_cast<i64>(type));
    Add(num_parts);
  }

  // The first mention of a value describes it; later ones are its number alone.
  void AddValue(ValueId id, Scope& scope) {
    const auto [known, is_new] = scope.numbers.emplace(id, scope.numbers.size());
    Add(known->second);
    if (!is_new) return;
    const Value& value = scope.schedule.values[id];
    AddArray(value.array);
    Add(value.bytes);
  }
  static ValueId IdOf(ValueId id) { return id; }
  static ValueId IdOf(const RegionInput& input) { return input.value; }
  template <typename T>
  void AddValues(const std::vector<T>& values, Scope& scope) {
    Add(static_cast<i64>(values.size()));
    for (const T& value : values) AddValue(IdOf(value), scope);
  }

  // Larger constants are not copied into the code: they are the same where they are.
  void AddConstants(const std::vector<std::pair<ValueId, Literal>>& constants, Scope& scope) {
    Add(static_cast<i64>(constants.size()));
    for (const auto& [id, literal] : constants) {
      AddValue(id, scope);
      if (IsSmall(scope.schedule.values[id])) {
        key_.text.append(reinterpret_cast<const char*>(literal.bytes()),
                         static_cast<size_t>(literal.num_bytes()));
      } else {
        key_.is_portable = false;
        Add(static_cast<i64>(reinterpret_cast<std::uintptr_t>(literal.bytes())));
      }
    }
  }

  void AddParts(const std::vector<Region>& parts, Scope& scope) {
    Add(static_cast<i64>(parts.size()));
    for (const Region& part : parts) AddPart(part, scope);
  }

  // Instructions enter by what their code depends on, never by name or address.
  void AddPart(const Region& part, Scope& scope) {
    Add(static_cast<i64>(part.kind));
    AddValues(part.inputs, scope);
    for (const RegionInput& input : part.inputs) {
      Add(input.access.offset);
      Add(static_cast<i64>(input.access.factors.size()));
      for (const AccessFactor& factor : input.access.factors) {
        Add(factor.size);
        Add(factor.stride);
      }
    }
    AddValues(part.outputs, scope);
    std::visit([&](const auto& payload) { AddPayload(part, payload, scope); }, part.payload);
  }

  void AddPayload(const Region&, const LoopRegion& loop, Scope&) {
    const auto& [num_positions, program, sizes, fold_shape, folds, fetches] = loop;
    Add(num_positions);
    AddProgram(program);
    Add(fold_shape.rows);
    Add(fold_shape.reduced);
    Add(fold_shape.columns);
    Add(static_cast<i64>(folds.size()));
    for (const Fold& fold : folds) {
      Add(static_cast<i64>(fold.kind));
      Add(static_cast<i64>(fold.type));
      Add(fold.has_init ? 1 : 0);
      Add(static_cast<i64>(fold.init_bits));
    }
  }
  void AddPayload(const Region& part, const MoveRegion& move, Scope&) {
    Add(move.map ? 1 : 0);
    if (move.map) AddMap(part);
  }
  void AddPayload(const Region& part, const ContractionRegion&, Scope&) {
    AddDot(*FindSmallDot(*part.instructions[0]));
  }
  void AddPayload(const Region&, const ControlRegion& control, Scope&) {
    Add(static_cast<i64>(control.callees.size()));
    for (const auto& callee : control.callees) {
      Scope inner{*callee, {}};
      AddValues(callee->arguments, inner);
      AddConstants(callee->constants, inner);
      AddParts(callee->regions, inner);
      AddValues(callee->results, inner);
    }
  }
  // These never are parts of small regions.
  void AddPayload(const Region&, const WholeValues&, Scope&) {}
  void AddPayload(const Region&, const RowsRegion&, Scope&) {}
  void AddPayload(const Region&, const SmallRegion&, Scope&) {}

  void AddProgram(const LaneProgram& program) {
    Add(static_cast<i64>(program.code.size()));
    for (const auto& [primitive, type, operands, immediate] : program.code) {
      Add(static_cast<i64>(primitive));
      Add(static_cast<i64>(type));
      for (const LaneId operand : operands) Add(operand);
      Add(static_cast<i64>(immediate));
    }
    for (const auto* arrays : {&program.inputs, &program.outputs}) {
      Add(std::ssize(*arrays));
      for (const LaneArray& array : *arrays) AddArray(array);
    }
    AddAll(program.results);
  }

  void AddMap(const Region& move) {
    const Instruction& inst = *move.instructions[0];
    AddAll(inst.shape().dims());
    for (i64 i = 0; i < inst.num_operands(); ++i) AddAll(inst.operand(i)->shape().dims());
    Add(static_cast<i64>(move.in_place.size()));
    Add(static_cast<i64>(move.move().map->size()));
    for (const IndexPiece& piece : *move.move().map) {
      Add(piece.operand);
      Add(static_cast<i64>(piece.dims.size()));
      for (const IndexPiece::Dim& dim : piece.dims) {
        for (const i64 n : {dim.begin, dim.count, dim.step, dim.source_dim, dim.source_step}) {
          Add(n);
        }
      }
      AddAll(piece.source_begin);
      Add(piece.relinearize ? 1 : 0);
      Add(static_cast<i64>(piece.offsets.size()));
      for (const DynamicOffset& offset : piece.offsets) {
        Add(static_cast<i64>(offset.side));
        Add(offset.dim);
        Add(offset.operand);
        AddAll(offset.index);
        AddAll(offset.index_from);
        Add(offset.max);
      }
    }
  }

  void AddDot(const SmallDot& dot) {
    for (const i64 n : {dot.num_rows, dot.num_columns, dot.depth, dot.rows_per_batch}) Add(n);
    Add(dot.is_canonical ? 1 : 0);
    AddAll(dot.lhs_elements);
    AddAll(dot.rhs_elements);
  }

  KernelKey key_;
};

}  // namespace

KernelKey KeyOf(const LoopKernelSpec& spec) {
  KeyWriter writer(KernelKind::kLoop);
  writer.AddLoop(spec);
  return std::move(writer).Take();
}

KernelKey KeyOf(const MergeKernelSpec& spec) {
  KeyWriter writer(KernelKind::kMerge);
  writer.AddMerge(spec);
  return std::move(writer).Take();
}

KernelKey KeyOf(const Region& region, const Schedule& schedule) {
  KeyWriter writer(KernelKind::kSmall);
  writer.AddRegion(region, schedule);
  return std::move(writer).Take();
}

}  // namespace axle
