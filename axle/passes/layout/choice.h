// Which order of dimensions each array of a computation gets.
//
// Arrays that must be as written: parameters, the root, what is tied to something, and what ops
// without other orders (permute.h) read and write. A transpose is no array of its own but another
// numbering of its operand's dimensions; what a source gives is made in whatever order is read.
// Where a reader wants another order than the array has, its elements are moved, once for all who
// want the same. What that costs, and what readers lose that are not given what they like best, is
// the cost of a choice (cost.h).
//
// The search begins with everything as written. Whoever would like another order than it gets is
// tried in turn: the array, or the reader, takes that order, together with what is computed from
// it and what it is computed from, as far as ops let it through. What makes the cost smaller stays.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "axle/core/limits.h"
#include "axle/passes/layout/cost.h"

namespace axle {

// An array as another one with its dimensions renumbered: dimension i is dimension dims[i] of base.
struct Renamed {
  const Instruction* base;
  Dims dims;
};

class LayoutChoice {
 public:
  // `is_fixed`: instructions that must stay as they are.
  LayoutChoice(const HloComputation& computation,
               const std::function<bool(const Instruction&)>& is_fixed);

  // False if everything stays as written. Errors: what the limits say.
  StatusOr<bool> Run(Limits* limits);

  // kNone for what is fixed.
  PermuteForm FormAt(const Instruction& inst) const { return forms_[inst.index()]; }
  // The array that readers of a transpose see; of anything else itself.
  const Renamed& Base(const Instruction& inst) const { return bases_[inst.index()]; }
  // The order of the result of a base that is no source.
  const Order& OrderOf(const Instruction& inst) const { return orders_[inst.index()]; }
  // The order in which `reader`, which permutes, reads operand `i`.
  Order WantedOrder(const Instruction& reader, i64 i) const;
  // An order of a view in the dimensions of its base, and back.
  static Order ToBase(const Renamed& view, const Order& order) {
    return Composed(view.dims, order);
  }
  static Order FromBase(const Renamed& view, const Order& order) {
    return Composed(Inverse(view.dims), order);
  }
  // Instructions that are not as written.
  i64 num_permuted() const { return num_permuted_; }

 private:
  struct Reader {
    const Instruction* inst;  // null: the caller of the computation, which reads the root
    i64 operand;
  };
  struct Assignment {
    const Instruction* inst;
    Order order;  // of kFold: of its operand
  };
  enum class Spread : std::uint8_t { kBoth, kReaders, kOperands };

  bool IsPermutable(const Instruction& inst) const;
  // Whether its result can have an order of its own; a reduction's follows from its operand's.
  bool TakesOrder(const Instruction& inst) const {
    return IsPermutable(inst) && FormAt(inst) != PermuteForm::kFold;
  }
  bool IsSource(const Instruction& inst) const { return FormAt(inst) == PermuteForm::kSource; }
  const Order& Assigned(const Instruction& inst) const;
  void Assign(Assignment& assignment);  // and what was assigned before takes its place
  bool LiesIn(const Instruction& base, const Order& order) const;
  // Operand `i` of `inst` as it lies.
  Order PresentOrder(const Instruction& inst, i64 i) const;
  const ConvolutionCost* Convolution(const Instruction& inst) const {
    return convolutions_[inst.index()].get();
  }

  // The cost of this array's order: moves, and what convolutions that read it lose. Each
  // convolution decides here whether the array is moved for it; `settle`: and keeps to that.
  i64 CostOfArray(const Instruction& base, bool settle);
  // The cost of the arrays that the changes have to do with.
  i64 CostAround(std::span<const Assignment> changes);
  // `start` in this order, and what follows; empty if that cannot be.
  std::vector<Assignment> Proposal(const Instruction& start, Order order, Spread spread);
  void Try(const Instruction& start, const Order& order);
  void TryReader(const Instruction& inst);

  const HloComputation& computation_;
  std::span<Instruction* const> instructions_;
  std::vector<PermuteForm> forms_;
  std::vector<Renamed> bases_;
  std::vector<Order> orders_, fold_orders_;
  std::vector<std::vector<Reader>> readers_;  // of bases
  std::vector<std::unique_ptr<ConvolutionCost>> convolutions_;
  std::vector<bool> reads_best_;  // convolutions whose operand is moved
  std::vector<std::uint32_t> seen_;
  std::uint32_t round_ = 0;
  i64 work_left_ = 0;
  i64 num_permuted_ = 0;
  bool has_improved_ = false;
};

}  // namespace axle
