// Expands the three batch-norm instructions. With x the operand and the mean over all dimensions
// but the feature:
//
//   training   mean = sum(x) / n, c = x - mean, var = sum(c * c) / n
//              y = c * (scale / sqrt(var + epsilon)) + offset; results y, mean, var
//   inference  the same y with mean and var as operands
//   grad       c = x - mean, inverse = 1 / sqrt(var + epsilon)
//              grad_offset = sum(g), grad_scale = sum(g * c) * inverse
//              slope = (sum(g * c) / n) / (var + epsilon)
//             grad_operand = scale * inverse * (g - grad_offset / n - c * slope)
//
// The order of these operations is the definition of the instructions (docs/ops): the evaluators in
// axle/ops/batch_norm.cc compute the same bits. Operands are converted to f32 (f64 for f64) first
// and results are rounded once at the end. All sums of one type share one addition computation.

#include "axle/passes/batch_norm.h"

#include <map>
#include <utility>

#include "axle/ops/attributes/attributes.h"
#include "axle/ops/dynamic.h"
#include "axle/passes/rebuild.h"
#include "axle/passes/simplify/rule.h"

namespace axle {
namespace {

class Writing : public Rebuilder, private Maker {
 public:
  Writing(const Module& module, PassContext& context)
      : Rebuilder(module, context.limits), context_(context) {}

 private:
  StatusOr<Instruction*> Visit(const Instruction& inst) override {
    const bool is_training = Is(inst, Opcode::kBatchNormTraining);
    const bool is_inference = Is(inst, Opcode::kBatchNormInference);
    if (!is_training && !is_inference && !Is(inst, Opcode::kBatchNormGrad)) return Copy(inst);
    if (IsTied(inst) || IsDynamic(inst)) return Copy(inst);
    replaced_ = &inst;
    const Shape& operand = inst.operand(0)->shape();
    const ElementType type = operand.type() == F64 ? F64 : F32;
    epsilon_ = inst.attrs<BatchNormAttrs>().epsilon;
    feature_ = inst.attrs<BatchNormAttrs>().feature_index;
    array_ = operand.WithoutLayout().WithType(type);
    line_ = Shape(type, {array_.dim(feature_)});
    reduced_ = {};
    num_reduced_ = 1;
    for (i64 d = 0; d < array_.rank(); ++d) {
      if (d == feature_) continue;
      reduced_.push_back(d);
      num_reduced_ *= array_.dim(d);
    }
    std::vector<Instruction*> wide;
    for (Instruction* each : Operands(inst)) wide.push_back(Converted(each, type));
    ++context_.changes;
    if (is_inference) {
      Instruction* const y = Normalized(Centered(wide[0], wide[3]), wide[1], wide[2], wide[4]);
      return Rounded(y, inst.shape());
    }
    std::vector<Instruction*> results = is_training ? Training(wide) : Grad(wide);
    for (i64 i = 0; i < std::ssize(results); ++i) {
      results[i] = Rounded(results[i], inst.shape().element(i));
    }
    return Make(Opcode::kTuple, inst.shape(), results);
  }

  std::vector<Instruction*> Training(const std::vector<Instruction*>& operands) {
    Instruction* const mean = OfEach(Sum(operands[0]));
    Instruction* const centered = Centered(operands[0], mean);
    Instruction* const variance = OfEach(Sum(Of(Opcode::kMultiply, {centered, centered})));
    return {Normalized(centered, operands[1], operands[2], variance), mean, variance};
  }

  Instruction* Normalized(Instruction* centered, Instruction* scale, Instruction* offset,
                          Instruction* variance) {
    Instruction* const root = Of(Opcode::kSqrt, {Shifted(variance)});
    Instruction* const weight = Of(Opcode::kDivide, {scale, root});
    Instruction* const scaled = Of(Opcode::kMultiply, {centered, Spread(weight)});
    return Of(Opcode::kAdd, {scaled, Spread(offset)});
  }

  std::vector<Instruction*> Grad(const std::vector<Instruction*>& operands) {
    Instruction* const g = operands[4];
    Instruction* const centered = Centered(operands[0], operands[2]);
    Instruction* const grad_offset = Sum(g);
    Instruction* const sum = Sum(Of(Opcode::kMultiply, {g, centered}));
    Instruction* const shifted = Shifted(operands[3]);
    Instruction* const root = Of(Opcode::kSqrt, {shifted});
    Instruction* const inverse = Of(Opcode::kDivide, {Number(line_, 1), root});
    Instruction* const factor = Of(Opcode::kMultiply, {operands[1], inverse});
    Instruction* const slope = Of(Opcode::kDivide, {OfEach(sum), shifted});
    Instruction* const apart = Of(Opcode::kSubtract, {g, Spread(OfEach(grad_offset))});
    Instruction* const along = Of(Opcode::kMultiply, {centered, Spread(slope)});
    Instruction* const rest = Of(Opcode::kSubtract, {apart, along});
    Instruction* const grad_operand = Of(Opcode::kMultiply, {Spread(factor), rest});
    return {grad_operand, Of(Opcode::kMultiply, {sum, inverse}), grad_offset};
  }

  Instruction* Centered(Instruction* x, Instruction* mean) {
    return Of(Opcode::kSubtract, {x, Spread(mean)});
  }
  Instruction* Shifted(Instruction* variance) {
    return Of(Opcode::kAdd, {variance, Number(line_, epsilon_)});
  }
  // The mean of a sum: it is divided by the number of elements of a feature.
  Instruction* OfEach(Instruction* sum) {
    return Of(Opcode::kDivide, {sum, Number(line_, num_reduced_)});
  }

  // The sum over all dimensions but the feature: one element per feature.
  Instruction* Sum(Instruction* array) {
    HloComputation* const add = Addition();
    Instruction* const operands[] = {array, Number(Shape(array_.type()), 0)};
    return Add(Opcode::kReduce, line_, operands, Block(Opcode::kReduce, DimensionsAttrs{reduced_}),
               {&add, 1});
  }
  // Broadcasts one value per feature to the shape of the operand.
  Instruction* Spread(Instruction* line) {
    return Make(Opcode::kBroadcast, array_, {line}, DimensionsAttrs{{feature_}});
  }
  Instruction* Of(Opcode opcode, const std::vector<Instruction*>& operands) {
    return Make(opcode, operands[0]->shape(), operands);
  }
  template <typename N>
  Instruction* Number(const Shape& shape, N value) {
    Literal scalar{Shape(shape.type())};
    if (shape.type() == F64) {
      scalar.mutable_data<double>()[0] = static_cast<double>(value);
    } else {
      scalar.mutable_data<float>()[0] = static_cast<float>(value);
    }
    return Uniform(shape, scalar);
  }

  Instruction* Converted(Instruction* operand, ElementType type) {
    const Shape shape = operand->shape().WithoutLayout().WithType(type);
    return operand->shape() == shape ? operand : Rounded(operand, shape);
  }
  // As the result says, with its layout.
  Instruction* Rounded(Instruction* value, const Shape& shape) {
    if (value->shape() == shape) return value;
    const bool is_same = value->shape().type() == shape.type();
    return Make(is_same ? Opcode::kCopy : Opcode::kConvert, shape, {value});
  }

  // The reducer of sums in the type of the computation.
  HloComputation* Addition() {
    const Shape scalar(array_.type());
    const std::string thread(to()->execution_thread());
    HloComputation*& made = additions_[{scalar.type(), thread}];
    if (made != nullptr) return made;
    Suspend(FreshName("sum"));
    to()->set_execution_thread(thread);
    Instruction* const a = Make(Opcode::kParameter, scalar, {}, ParameterAttrs{0});
    Instruction* const b = Make(Opcode::kParameter, scalar, {}, ParameterAttrs{1});
    to()->set_parameters({a, b});
    Of(Opcode::kAdd, {a, b});
    return made = Resume();
  }

  Instruction* Add(Opcode opcode, const Shape& shape, std::span<Instruction* const> operands,
                   AttrBlock attrs, std::span<HloComputation* const> callees) override {
    return Rebuilder::Make(*replaced_, opcode, shape, operands, std::move(attrs), callees);
  }
  using Maker::Make;

  PassContext& context_;
  std::map<std::pair<ElementType, std::string>, HloComputation*> additions_;
  // State of the batch norm that is being rewritten.
  const Instruction* replaced_ = nullptr;
  Shape array_, line_;  // all elements and one for each feature, in the type of the computation
  Dims reduced_;
  i64 feature_ = 0, num_reduced_ = 1;
  float epsilon_ = 0;
};

}  // namespace

StatusOr<std::unique_ptr<Module>> WriteBatchNorms(const Module& module, PassContext& context) {
  return Writing(module, context).Run();
}

}  // namespace axle
