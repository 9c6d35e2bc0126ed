// Local search over the orders of dimensions. Each round visits every reader (a convolution, a
// reduction, an elementwise instruction that reads an array in another order than it has) and
// proposes an order for the array or for the reader. A proposal spreads: the same order, translated
// through transposes, is assigned to whatever is computed from the array, to what it is computed
// from, or to both, up to instructions that cannot take it or whose bits would change (KeepsBits).
// The three spreads are tried and the best one that lowers the cost is kept; trying means
// assigning, computing the cost of the arrays around the change, and swapping the old orders back.
//
// Two bounds keep the search linear: at most 3 rounds, and 64 arrays or readers looked at per
// instruction of the computation (work_left_). Costs are sums over arrays (CostOfArray): copies are
// shared by all readers that want the same order; convolutions that want one decide together
// whether it pays. After the search, `settle` records these decisions in reads_best_.

#include "axle/passes/layout/choice.h"

#include <algorithm>
#include <map>

#include "axle/ops/contraction.h"
#include "axle/ops/dynamic.h"

namespace axle {
namespace {

constexpr int kMaxRounds = 3;
// Arrays and readers that are looked at, per instruction: keeps the search linear.
constexpr i64 kWorkPerInstruction = 64;

bool IsPlainArray(const Shape& shape) {
  return shape.is_array() && shape.num_elements() > 0 &&
         (shape.layout() == nullptr || shape.layout()->is_default());
}

PermuteForm FreeForm(const Instruction& inst) {
  bool is_plain = IsPlainArray(inst.shape()) && !IsDynamic(inst);
  for (i64 i = 0; i < inst.num_operands() && is_plain; ++i) {
    is_plain = IsPlainArray(inst.operand(i)->shape());
  }
  return is_plain ? PermuteFormOf(inst) : PermuteForm::kNone;
}

}  // namespace

LayoutChoice::LayoutChoice(const HloComputation& computation,
                           const std::function<bool(const Instruction&)>& is_fixed)
    : computation_(computation), instructions_(computation.instructions()) {
  const size_t count = instructions_.size();
  for (const Instruction* inst : instructions_) {
    forms_.push_back(is_fixed(*inst) ? PermuteForm::kNone : FreeForm(*inst));
  }
  bases_.resize(count);
  orders_.resize(count);
  fold_orders_.resize(count);
  readers_.resize(count);
  convolutions_.resize(count);
  reads_best_.resize(count);
  seen_.resize(count);
  work_left_ = kWorkPerInstruction * static_cast<i64>(count);
}

StatusOr<bool> LayoutChoice::Run(Limits* limits) {
  const auto asks = [](PermuteForm form) {
    return form == PermuteForm::kRename || form == PermuteForm::kConvolution;
  };
  if (std::ranges::none_of(forms_, asks)) return false;
  for (const Instruction* inst : instructions_) {
    const size_t at = inst->index();
    const PermuteForm form = forms_[at];
    const Order written = Identity(inst->shape().is_array() ? inst->shape().rank() : 0);
    orders_[at] = written;
    if (form == PermuteForm::kRename) {
      const Renamed& operand = Base(*inst->operand(0));
      bases_[at] = {operand.base,
                    Composed(operand.dims, inst->attrs<DimensionsAttrs>().dimensions)};
      continue;
    }
    bases_[at] = {inst, written};
    if (form == PermuteForm::kSource) continue;
    if (form == PermuteForm::kFold) fold_orders_[at] = Identity(inst->operand(0)->shape().rank());
    if (form == PermuteForm::kConvolution) {
      convolutions_[at] = std::make_unique<ConvolutionCost>(*inst);
    }
    for (i64 i = 0; i < inst->num_operands(); ++i) {
      const Shape& operand = inst->operand(i)->shape();
      if (!operand.is_array() || operand.rank() < 2) continue;
      readers_[Base(*inst->operand(i)).base->index()].push_back({inst, i});
    }
  }
  const Instruction& root = *computation_.root();
  readers_[Base(root).base->index()].push_back({nullptr, 0});

  for (int round = 0; round < kMaxRounds; ++round) {
    has_improved_ = false;
    for (const Instruction* inst : instructions_) {
      if (limits != nullptr) AXLE_TRY(limits->CheckNow());
      TryReader(*inst);
    }
    const Renamed& result = Base(root);
    if (TakesOrder(*result.base)) {
      const Order order = ToBase(result, Identity(root.shape().rank()));
      if (!LiesIn(*result.base, order)) Try(*result.base, order);
    }
    if (!has_improved_) break;
  }
  for (const Instruction* inst : instructions_) {
    if (Base(*inst).base == inst) CostOfArray(*inst, true);
  }
  for (const Instruction* inst : instructions_) {
    if (!IsPermutable(*inst)) continue;
    bool is_as_written = IsIdentity(OrderOf(*inst));
    for (i64 i = 0; i < inst->num_operands(); ++i) {
      is_as_written = is_as_written && IsIdentity(WantedOrder(*inst, i));
    }
    if (!is_as_written) ++num_permuted_;
  }
  return num_permuted_ > 0;
}

bool LayoutChoice::IsPermutable(const Instruction& inst) const {
  const PermuteForm form = FormAt(inst);
  return form == PermuteForm::kAlike || form == PermuteForm::kFold ||
         form == PermuteForm::kConvolution;
}

const Order& LayoutChoice::Assigned(const Instruction& inst) const {
  return FormAt(inst) == PermuteForm::kFold ? fold_orders_[inst.index()] : orders_[inst.index()];
}

void LayoutChoice::Assign(Assignment& assignment) {
  const Instruction& inst = *assignment.inst;
  Order& order =
      FormAt(inst) == PermuteForm::kFold ? fold_orders_[inst.index()] : orders_[inst.index()];
  order.swap(assignment.order);
  if (FormAt(inst) == PermuteForm::kFold) orders_[inst.index()] = FoldedOrder(inst, order);
}

bool LayoutChoice::LiesIn(const Instruction& base, const Order& order) const {
  return Essential(base.shape(), OrderOf(base)) == Essential(base.shape(), order);
}

Order LayoutChoice::PresentOrder(const Instruction& inst, i64 i) const {
  const Renamed& view = Base(*inst.operand(i));
  if (IsSource(*view.base)) return Identity(inst.operand(i)->shape().rank());
  return FromBase(view, OrderOf(*view.base));
}

Order LayoutChoice::WantedOrder(const Instruction& reader, i64 i) const {
  const i64 rank = reader.operand(i)->shape().is_array() ? reader.operand(i)->shape().rank() : 0;
  switch (FormAt(reader)) {
    case PermuteForm::kAlike:
      return rank == 0 ? Order() : OrderOf(reader);
    case PermuteForm::kFold:
      return i == 0 ? fold_orders_[reader.index()] : Identity(rank);
    case PermuteForm::kConvolution: {
      const ConvolutionCost& cost = *Convolution(reader);
      const bool is_best = cost.is_depthwise() ? cost.Write(OrderOf(reader)) == 0
                                               : i == 0 && reads_best_[reader.index()];
      if (is_best) return i == 0 ? cost.lhs() : cost.rhs();
      return PresentOrder(reader, i);
    }
    default:
      return Identity(rank);
  }
}

i64 LayoutChoice::CostOfArray(const Instruction& base, bool settle) {
  if (IsSource(base) || readers_[base.index()].empty()) return 0;
  const Shape& shape = base.shape();
  const Order& present = OrderOf(base);
  // Convolutions that are fastest with the same order: they pay for a transpose together.
  struct Wish {
    i64 in_place = 0, moved = 0;
    std::vector<const Instruction*> readers = {};
  };
  std::map<Order, Order> moved;  // by the order without dimensions of one element
  std::map<Order, Wish> wishes;
  const auto move_to = [&](Order order) {
    if (!LiesIn(base, order)) moved.emplace(Essential(shape, order), std::move(order));
  };
  for (const Reader& reader : readers_[base.index()]) {
    --work_left_;
    if (reader.inst == nullptr) {
      const Instruction& root = *computation_.root();
      move_to(ToBase(Base(root), Identity(root.shape().is_array() ? root.shape().rank() : 0)));
      continue;
    }
    const Renamed& view = Base(*reader.inst->operand(reader.operand));
    const ConvolutionCost* convolution = Convolution(*reader.inst);
    if (convolution != nullptr && !convolution->is_depthwise()) {
      if (reader.operand != 0) continue;
      Wish& wish = wishes[ToBase(view, convolution->lhs())];
      wish.in_place += convolution->Read(FromBase(view, present), OrderOf(*reader.inst));
      wish.moved += convolution->Read(convolution->lhs(), OrderOf(*reader.inst));
      wish.readers.push_back(reader.inst);
      continue;
    }
    if (IsDot(*reader.inst) &&
        DotReadsInPlace(*reader.inst, reader.operand, FromBase(view, present))) {
      continue;
    }
    move_to(ToBase(view, WantedOrder(*reader.inst, reader.operand)));
  }
  i64 cost = 0;
  const bool is_written = IsDot(base) && moved.size() == 1 && wishes.empty() &&
                          readers_[base.index()].size() == 1 &&
                          DotWritesInPlace(base, moved.begin()->second);
  for (const auto& [essential, order] : moved) {
    cost += is_written ? 0 : MoveCost(shape, present, order);
  }
  for (const auto& [order, wish] : wishes) {
    const bool is_moved = moved.contains(Essential(shape, order));
    const i64 move = is_moved ? 0 : MoveCost(shape, present, order);
    const bool moves = !LiesIn(base, order) && wish.moved + move < wish.in_place;
    cost += moves ? wish.moved + move : wish.in_place;
    for (const Instruction* reader : wish.readers) {
      if (settle) reads_best_[reader->index()] = moves;
    }
  }
  return cost;
}

i64 LayoutChoice::CostAround(std::span<const Assignment> changes) {
  ++round_;
  i64 cost = 0;
  const auto add = [&](const Instruction& base) {
    if (seen_[base.index()] == round_) return;
    seen_[base.index()] = round_;
    cost += CostOfArray(base, false);
  };
  for (const Assignment& change : changes) {
    const Instruction& inst = *change.inst;
    add(inst);
    for (i64 i = 0; i < inst.num_operands(); ++i) add(*Base(*inst.operand(i)).base);
    if (const ConvolutionCost* convolution = Convolution(inst)) {
      cost += convolution->Write(OrderOf(inst));
    }
  }
  return cost;
}

std::vector<LayoutChoice::Assignment> LayoutChoice::Proposal(const Instruction& start, Order order,
                                                             Spread spread) {
  ++round_;
  std::vector<Assignment> changes;
  const auto add = [&](const Instruction& inst, Order wanted) {
    if (!IsPermutable(inst) || seen_[inst.index()] == round_) return;
    seen_[inst.index()] = round_;
    if (Assigned(inst) != wanted && KeepsBits(inst, wanted)) {
      changes.push_back({&inst, std::move(wanted)});
    }
  };
  add(start, std::move(order));
  for (size_t c = 0; c < changes.size() && work_left_ > 0; ++c) {
    const Instruction& inst = *changes[c].inst;
    const Order assigned = changes[c].order;
    const bool is_fold = FormAt(inst) == PermuteForm::kFold;
    --work_left_;
    if (spread != Spread::kReaders && Convolution(inst) == nullptr) {
      for (i64 i = 0; i < (is_fold ? 1 : inst.num_operands()); ++i) {
        const Renamed& view = Base(*inst.operand(i));
        // A reduction's result is smaller than its operand, so a transpose of the result is
        // cheaper.
        if (inst.operand(i)->shape().rank() < 2 || FormAt(*view.base) == PermuteForm::kFold)
          continue;
        add(*view.base, ToBase(view, assigned));
      }
    }
    if (spread == Spread::kOperands) continue;
    const Order result = is_fold ? FoldedOrder(inst, assigned) : assigned;
    for (const Reader& reader : readers_[inst.index()]) {
      --work_left_;
      if (reader.inst == nullptr || Convolution(*reader.inst) != nullptr) continue;
      if (FormAt(*reader.inst) == PermuteForm::kFold && reader.operand != 0) continue;
      add(*reader.inst, FromBase(Base(*reader.inst->operand(reader.operand)), result));
    }
  }
  return changes;
}

void LayoutChoice::Try(const Instruction& start, const Order& order) {
  std::vector<Assignment> best;
  i64 best_gain = 0;
  for (const Spread spread : {Spread::kBoth, Spread::kReaders, Spread::kOperands}) {
    if (work_left_ <= 0) break;
    std::vector<Assignment> changes = Proposal(start, order, spread);
    if (changes.empty()) break;
    const i64 before = CostAround(changes);
    for (Assignment& change : changes) Assign(change);
    const i64 gain = before - CostAround(changes);
    for (Assignment& change : changes) Assign(change);
    if (gain > best_gain) {
      best_gain = gain;
      best = std::move(changes);
    }
  }
  for (Assignment& change : best) Assign(change);
  has_improved_ |= !best.empty();
}

void LayoutChoice::TryReader(const Instruction& inst) {
  const ConvolutionCost* convolution = Convolution(inst);
  if (convolution != nullptr) {
    const Renamed& view = Base(*inst.operand(0));
    if (convolution->is_depthwise()) {
      if (convolution->Write(OrderOf(inst)) > 0) Try(inst, convolution->output());
    } else if (TakesOrder(*view.base)) {
      const Order order = ToBase(view, convolution->lhs());
      if (!LiesIn(*view.base, order)) Try(*view.base, order);
    }
    return;
  }
  if (FormAt(inst) == PermuteForm::kRename || IsSource(inst)) return;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    const Renamed& view = Base(*inst.operand(i));
    const Instruction& base = *view.base;
    if (inst.operand(i)->shape().rank() < 2 || IsSource(base)) continue;
    const Order wanted = ToBase(view, WantedOrder(inst, i));
    if (LiesIn(base, wanted)) continue;
    if (TakesOrder(base)) Try(base, wanted);
    if (IsPermutable(inst) && !LiesIn(base, ToBase(view, WantedOrder(inst, i)))) {
      Try(inst, FromBase(view, OrderOf(base)));
    }
  }
}

}  // namespace axle
