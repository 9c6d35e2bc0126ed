// Rewrites a computation for the orders that LayoutChoice found. Example: a convolution written for
// b f 0 1 arrays that runs faster on b 0 1 f:
//
//   c = conv(x, w), bf01_oi01->bf01
//   ->  t = transpose(x); d = conv(t, w), b01f_oi01->b01f; c = transpose(d)
//
// and elementwise instructions between two such convolutions run on the transposed arrays, so that
// only the first and the last transpose remain. permuted_ holds, per instruction, the array in its
// chosen order; transposed_ holds copies in other orders, made once for all readers. Transposes in
// the program are only renumberings of dimensions (Renamed) and are made anew where an order
// differs; iota, broadcast and the like are made in whatever order is read. An order that differs
// only in dimensions of one element is a reshape. The root, parameters and pinned instructions stay
// as written.

#include "axle/passes/layout/layout.h"

#include <map>
#include <utility>

#include "axle/core/strings.h"
#include "axle/passes/dce.h"
#include "axle/passes/layout/choice.h"
#include "axle/passes/rebuild.h"

namespace axle {
namespace {

class Permuter : public Rebuilder {
 public:
  Permuter(const Module& module, PassContext& context)
      : Rebuilder(module, context.limits), context_(context) {}

 private:
  Status Begin(const HloComputation& computation) override {
    choice_.emplace(computation, [this](const Instruction& inst) { return IsPinned(inst); });
    AXLE_ASSIGN(const bool is_permuted, choice_->Run(context_.limits));
    if (!is_permuted) choice_.reset();
    permuted_.assign(computation.instructions().size(), nullptr);
    transposed_.clear();
    if (choice_) context_.changes += choice_->num_permuted();
    return {};
  }

  StatusOr<Instruction*> Visit(const Instruction& inst) override {
    if (!choice_) return Copy(inst);
    Instruction* made = nullptr;
    switch (choice_->FormAt(inst)) {
      case PermuteForm::kRename:
        made = CopyAsWritten(inst);
        break;
      case PermuteForm::kSource:
        made = CopyAsWritten(inst);
        if (made == nullptr) made = MakeSource(inst, Identity(inst.shape().rank()));
        break;
      case PermuteForm::kNone:
        made = CopyOn(inst, Read(inst));
        break;
      default:
        made = Permute(inst);
        permuted_[inst.index()] = made;
        if (!IsIdentity(choice_->OrderOf(inst))) made = nullptr;
    }
    if (made != nullptr) permuted_[inst.index()] = made;
    const bool is_root = &inst == inst.parent()->root();
    if (made == nullptr && is_root) return In(inst, Identity(inst.shape().rank()), inst);
    return made;
  }

  // Copies a transpose or a source whose operands exist in the order as written; null otherwise.
  Instruction* CopyAsWritten(const Instruction& inst) {
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      if (Mapped(*inst.operand(i)) == nullptr) return nullptr;
    }
    Instruction* const copy = Copy(inst);
    const Renamed& view = choice_->Base(inst);
    const bool is_moved = choice_->FormAt(inst) == PermuteForm::kRename &&
                          choice_->FormAt(*view.base) != PermuteForm::kSource;
    if (is_moved) transposed_[{view.base, view.dims}] = copy;
    return copy;
  }

  std::vector<Instruction*> Read(const Instruction& inst) {
    std::vector<Instruction*> operands;
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      Instruction& operand = *inst.operand(i);
      Instruction* const as_written = Mapped(operand);
      operands.push_back(as_written != nullptr
                             ? as_written
                             : In(operand, Identity(operand.shape().rank()), operand));
    }
    return operands;
  }

  // The instruction on arrays in the chosen orders.
  Instruction* Permute(const Instruction& inst) {
    const PermuteForm form = choice_->FormAt(inst);
    std::vector<Instruction*> operands;
    std::vector<Order> orders;
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      orders.push_back(choice_->WantedOrder(inst, i));
      operands.push_back(In(*inst.operand(i), orders.back(), *inst.operand(i)));
    }
    const Order& order = choice_->OrderOf(inst);
    const Order& of_attrs = form == PermuteForm::kFold ? orders[0] : order;
    AttrBlock attrs = inst.attr_block();
    if (form == PermuteForm::kConvolution) {
      attrs = PermutedConvolution(inst, orders[0], orders[1], order);
      Note(inst, orders, order);
    } else if (!IsIdentity(of_attrs)) {
      attrs = PermutedAttrs(inst, of_attrs, {});
    }
    std::vector<HloComputation*> callees;
    for (const HloComputation* callee : inst.callees()) callees.push_back(Mapped(*callee));
    Instruction* const made =
        to()->Add({.opcode = inst.opcode(),
                   .name = inst.name(),
                   .shape = IsIdentity(order) ? inst.shape() : Permuted(inst.shape(), order),
                   .operands = operands,
                   .callees = callees,
                   .attrs = std::move(attrs),
                   .metadata = inst.metadata(),
                   .id = inst.id()});
    if (inst.extras() != nullptr) to()->MutableExtras(made) = *inst.extras();
    return made;
  }

  // `inst` in this order of its dimensions. New instructions take the id and metadata of
  // `replaced`.
  Instruction* In(const Instruction& inst, const Order& order, const Instruction& replaced) {
    if (IsIdentity(order) && Mapped(inst) != nullptr) return Mapped(inst);
    const Renamed& view = choice_->Base(inst);
    const Instruction& base = *view.base;
    const Order wanted = LayoutChoice::ToBase(view, order);
    const bool is_source = choice_->FormAt(base) == PermuteForm::kSource;
    const Order written = Identity(base.shape().rank());
    const Order& base_order = is_source ? written : choice_->OrderOf(base);
    if (wanted == base_order && permuted_[base.index()] != nullptr) return permuted_[base.index()];
    Instruction*& made = transposed_[{&base, wanted}];
    if (made != nullptr) return made;
    if (is_source) return made = MakeSource(base, wanted);
    const Shape shape = Permuted(base.shape(), wanted);
    Instruction* const operand = permuted_[base.index()];
    // Dimensions of one element change place without a copy.
    if (Essential(base.shape(), wanted) == Essential(base.shape(), base_order)) {
      return made = Make(replaced, Opcode::kReshape, shape, {&operand, 1},
                         Block(Opcode::kReshape, ReshapeAttrs{}));
    }
    return made = Make(
               replaced, Opcode::kTranspose, shape, {&operand, 1},
               Block(Opcode::kTranspose, DimensionsAttrs{Composed(Inverse(base_order), wanted)}));
  }

  Instruction* MakeSource(const Instruction& source, const Order& order) {
    std::vector<Instruction*> operands;
    Order operand_order;
    if (source.num_operands() > 0) {
      const Instruction& operand = *source.operand(0);
      const Renamed& view = choice_->Base(operand);
      const bool is_source = choice_->FormAt(*view.base) == PermuteForm::kSource;
      operand_order = is_source ? Identity(operand.shape().rank())
                                : LayoutChoice::FromBase(view, choice_->OrderOf(*view.base));
      operands.push_back(In(operand, operand_order, operand));
    }
    return Make(source, source.opcode(), Permuted(source.shape(), order), operands,
                PermutedAttrs(source, order, operand_order));
  }

  void Note(const Instruction& inst, const std::vector<Order>& orders, const Order& order) {
    const auto& labels = inst.attrs<ConvolutionAttrs>().dim_labels;
    const std::string lhs = PermutedLabels(labels.lhs, orders[0]);
    const std::string output = PermutedLabels(labels.output, order);
    if (lhs == labels.lhs && output == labels.output) return;
    const Renamed& view = choice_->Base(*inst.operand(0));
    const bool is_moved = choice_->FormAt(*view.base) != PermuteForm::kSource &&
                          LayoutChoice::ToBase(view, orders[0]) != choice_->OrderOf(*view.base);
    context_.notes.push_back({std::string(inst.parent()->name()), std::string(inst.name()),
                              StrCat("reads \"", inst.operand(0)->name(), "\" as ", lhs,
                                     is_moved ? ", transposed once" : "", ", and writes ", output,
                                     "; written as ", labels.lhs, " and ", labels.output)});
  }

  PassContext& context_;
  std::optional<LayoutChoice> choice_;  // none: the computation stays as written
  std::vector<Instruction*> permuted_;  // by index: the instruction in its chosen order
  std::map<std::pair<const Instruction*, Order>, Instruction*> transposed_;  // in other orders
};

}  // namespace

StatusOr<std::unique_ptr<Module>> ChooseLayouts(const Module& module, PassContext& context) {
  const i64 before = context.changes;
  Permuter permuter(module, context);
  AXLE_ASSIGN(std::unique_ptr<Module> permuted, permuter.Run());
  if (context.changes == before) return permuted;
  return RemoveDeadCode(*permuted, context.limits);
}

}  // namespace axle
