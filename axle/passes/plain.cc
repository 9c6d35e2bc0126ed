// Layouts say how a value lies in memory. In a program for Axle they change no value, with three
// exceptions: a bitcast takes the bytes of one layout for those of another, a custom call gets its
// operands in the layouts that they have, and so does an outfeed. The pass writes these down:
//
//   y = f32[3,2]{1,0} bitcast(x), x f32[2,3]{0,1}    ->  y = transpose(x), dimensions={1,0}
//   y = s32[6] bitcast(x), x f32[2,3]{0,1}           ->  t = transpose(x); c = bitcast-convert(t);
//                                                        y = reshape(c)
//   custom-call(x), outfeed(x)                       ->  the same with operand_layout_constraints,
//                                                        with outfeed_shape
//   a bitcast that depends on tiles                  ->  the same on a copy with that layout
//
// Then it drops the layouts of all other instructions; those of the entry are kept in
// entry_computation_layout. So operands, parameters and results that
// agree have equal shapes, and dumps of other compilers, where layouts have been chosen, run as the
// program did before.
//
// It also drops annotations that no later pass and no code reads: shardings, backend configs,
// wanted accuracies, attributes of frontends, and control edges at instructions without effects.
// Custom calls, transfers and collectives keep theirs.

#include "axle/passes/plain.h"

#include <algorithm>

#include "axle/ops/attributes/attributes.h"
#include "axle/ops/dynamic.h"
#include "axle/passes/rebuild.h"

namespace axle {
namespace {

bool HasLayouts(const Shape& shape) {
  bool found = false;
  ForEachLeaf(shape, [&](const Shape& leaf, const Dims&) {
    found |= leaf.layout() != nullptr && !leaf.layout()->is_default();
  });
  return found;
}

// The dimensions from the outermost in memory to the innermost; nothing if the layout says more
// than an order of them.
std::optional<Dims> OrderInMemory(const Shape& shape) {
  const Layout layout = shape.LayoutOrDefault();
  Layout plain = Layout::RowMajor(shape.rank());
  plain.minor_to_major = layout.minor_to_major;
  plain.memory_space = layout.memory_space;
  if (layout != plain) return std::nullopt;
  return Dims(layout.minor_to_major.rbegin(), layout.minor_to_major.rend());
}

// Whether it means the layouts of its operands and of its result: a function of the user and the
// host see them.
bool HandsLayoutsOn(const Instruction& inst) {
  const OpDef& def = GetOpDef(inst);
  return Is(inst, Opcode::kBitcast) ||
         (def.has(kSideEffect) && def.lowering != Lowering::kCollective &&
          def.lowering != Lowering::kRandom);
}

class Plain : public Rebuilder {
 public:
  Plain(const Module& module, PassContext& context)
      : Rebuilder(module, context.limits), context_(context) {}

 private:
  StatusOr<Instruction*> Visit(const Instruction& inst) override {
    Instruction* const moved = Is(inst, Opcode::kBitcast) ? Moved(inst) : nullptr;
    if (moved != nullptr) {
      ++context_.changes;
      return moved;
    }
    if (HandsLayoutsOn(inst)) return CopyOn(inst, OperandsInLayouts(inst));
    Instruction* const copy = CopyWithoutLayouts(inst);
    DropAnnotations(inst, copy);
    return copy;
  }

  // A bitcast as movements of elements; null if it is more than that.
  Instruction* Moved(const Instruction& bitcast) {
    const Shape &from = bitcast.operand(0)->shape(), &to = bitcast.shape();
    const std::optional<Dims> order = OrderInMemory(from), result_order = OrderInMemory(to);
    if (!order || !result_order || IsDynamic(bitcast) ||
        !GetOpDef(bitcast).check_run(bitcast).ok()) {
      return nullptr;
    }
    Instruction* value = Transposed(bitcast, Mapped(*bitcast.operand(0)), *order);
    Dims dims, inverse(result_order->size());
    for (size_t i = 0; i < result_order->size(); ++i) {
      dims.push_back(to.dim((*result_order)[i]));
      inverse[static_cast<size_t>((*result_order)[i])] = static_cast<i64>(i);
    }
    value = WithType(bitcast, value, to.type());
    if (value == nullptr) return nullptr;
    return Transposed(bitcast, Reshaped(bitcast, value, dims), inverse);
  }

  Instruction* Make(const Instruction& bitcast, Opcode opcode, const Shape& shape,
                    Instruction* operand) {
    const AttrSchema& schema = GetOpDef(opcode).attrs;
    return Rebuilder::Make(bitcast, opcode, shape, {&operand, 1}, {schema, schema.create()});
  }

  Instruction* Reshaped(const Instruction& bitcast, Instruction* value, const Dims& dims) {
    const Shape shape(value->shape().type(), dims);
    if (SameDims(value->shape(), shape)) return value;
    return Make(bitcast, Opcode::kReshape, shape, value);
  }

  Instruction* Transposed(const Instruction& bitcast, Instruction* value, const Dims& order) {
    Dims dims, moved;
    for (const i64 d : order) {
      dims.push_back(value->shape().dim(d));
      if (dims.back() != 1) moved.push_back(d);
    }
    // Dimensions of one element lie anywhere.
    if (std::ranges::is_sorted(moved)) return Reshaped(bitcast, value, dims);
    return Rebuilder::Make(bitcast, Opcode::kTranspose, Shape(value->shape().type(), dims),
                           {&value, 1}, Block(Opcode::kTranspose, DimensionsAttrs{order}));
  }

  // The bytes of a row-major array as elements of another type, of any dimensions; null if
  // bitcast-convert does not define it.
  Instruction* WithType(const Instruction& bitcast, Instruction* value, ElementType type) {
    const ElementType from = value->shape().type();
    if (from == type) return value;
    if (IsComplex(from) || IsComplex(type)) return nullptr;
    const i64 bytes = Info(from).bytes, result_bytes = Info(type).bytes;
    Dims dims = value->shape().dims();
    if (bytes > result_bytes) dims.push_back(bytes / result_bytes);
    if (bytes < result_bytes) {
      const i64 ratio = result_bytes / bytes;
      const i64 count = value->shape().num_elements() / ratio;
      value = Reshaped(bitcast, value, {count, ratio});
      dims = {count};
    }
    return Make(bitcast, Opcode::kBitcastConvert, Shape(type, dims), value);
  }

  // An operand that has a layout is copied to it.
  std::vector<Instruction*> OperandsInLayouts(const Instruction& inst) {
    std::vector<Instruction*> operands = Operands(inst);
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      const Shape& shape = inst.operand(i)->shape();
      if (HasLayouts(shape) && operands[static_cast<size_t>(i)]->shape() != shape) {
        operands[static_cast<size_t>(i)] =
            Make(inst, Opcode::kCopy, shape, operands[static_cast<size_t>(i)]);
      }
    }
    return operands;
  }

  Instruction* CopyWithoutLayouts(const Instruction& inst) {
    if (!HasLayouts(inst.shape())) return Copy(inst);
    ++context_.changes;
    const Shape shape = inst.shape().WithoutLayout();
    if (!IsConstant(inst))
      return CopyAs(inst.name(), inst, Operands(inst), shape, inst.attr_block());
    const Literal& literal = inst.attrs<ConstantAttrs>().literal;
    return CopyAs(inst.name(), inst, {}, shape,
                  Block(Opcode::kConstant, ConstantAttrs{literal.ToRowMajor()}));
  }

  // What is not read behind this pass. Where an instruction has an effect, edges to others with
  // effects stay.
  void DropAnnotations(const Instruction& inst, Instruction* copy) {
    if (inst.extras() == nullptr || HasSideEffect(inst)) return;
    InstructionExtras& extras = to()->MutableExtras(copy);
    extras.sharding.clear();
    extras.frontend_attributes.clear();
    extras.result_accuracy.clear();
    extras.backend_config.clear();
    extras.has_backend_config = false;
    std::vector<Instruction*> kept;
    for (const Instruction* before : inst.extras()->control_predecessors) {
      if (effects().Of(inst) && effects().Of(*before)) kept.push_back(Mapped(*before));
    }
    extras.control_predecessors = std::move(kept);
  }

  PassContext& context_;
};

}  // namespace

StatusOr<std::unique_ptr<Module>> TakeLayoutsAway(const Module& module, PassContext& context) {
  AXLE_ASSIGN(std::unique_ptr<Module> plain, Plain(module, context).Run());
  std::optional<ProgramShape>& layout = plain->config().entry_computation_layout;
  if (layout || module.entry() == nullptr || context.changes == 0) return plain;
  layout.emplace().result = module.entry()->root()->shape();
  for (const Instruction* parameter : module.entry()->parameters()) {
    layout->parameters.push_back(parameter->shape());
  }
  return plain;
}

}  // namespace axle
