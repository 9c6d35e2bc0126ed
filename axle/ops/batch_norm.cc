// batch-norm-training, batch-norm-inference, batch-norm-grad: normalisation over all dimensions but
// one. Every sum is the one that `reduce` would give over the same dimensions.
//
// Elements are addressed as [outer, feature, inner]: the dimensions before the feature dimension,
// the feature itself, and those after it. Intermediate arrays are as large as the operand, and
// their bytes are charged to the memory limit before the work begins.
#include "axle/linalg/linear_algebra.h"
#include "axle/ops/canonical_reduce.h"
#include "axle/ops/contraction.h"
#include "axle/ops/elementwise.h"
#include "axle/ops/scratch_memory.h"

namespace axle {

extern const OpDef kBatchNormGradDef, kBatchNormInferenceDef, kBatchNormTrainingDef;

namespace {

constexpr OperandSpec kTrainingOperands[] = {{"operand"}, {"scale"}, {"offset"}};
constexpr OperandSpec kInferenceOperands[] = {
    {"operand"}, {"scale"}, {"offset"}, {"mean"}, {"variance"}};
constexpr OperandSpec kGradOperands[] = {
    {"operand"}, {"scale"}, {"mean"}, {"variance"}, {"grad_output"}};
constexpr AttrSpec kAttrs[] = {
    Attr<&BatchNormAttrs::epsilon>("epsilon", {.field = 24}),
    Attr<&BatchNormAttrs::feature_index>("feature_index", {.field = 25}),
};

// Operand 0 is normalised; the next `num_vectors` have one element per feature.
// Shared by the three ops, which differ in the number of vectors and in grad_output.
Status CheckFeatures(const Instruction& inst, i64 num_vectors) {
  for (i64 i = 0; i < inst.num_operands(); ++i) AXLE_TRY(ExpectArray(inst, i));
  const Shape& operand = inst.operand(0)->shape();
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    if (IsFloating(inst.operand(i)->shape().type())) continue;
    return OpError(inst, "takes floats only");
  }
  const i64 feature = inst.attrs<BatchNormAttrs>().feature_index;
  if (feature < 0 || feature >= operand.rank()) {
    return OpError(inst,
                   StrCat("feature_index is ", feature, " but operand has rank ", operand.rank()));
  }
  for (i64 i = 1; i <= num_vectors; ++i) {
    const std::string_view name = GetOpDef(inst).operands[i].name;
    const Shape& vector = inst.operand(i)->shape();
    if (vector.rank() != 1) {
      return OpError(inst, StrCat(name, " has rank ", vector.rank(), ", must have 1"));
    }
    if (vector.dim(0) != operand.dim(feature)) {
      return OpError(inst, StrCat(name, " has size ", vector.dim(0), " but operand has ",
                                  operand.dim(feature), " features"));
    }
  }
  return {};
}

// The result with one vector per feature beside it, twice.
Shape WithTwoVectors(const Instruction& inst) {
  const Shape operand = inst.operand(0)->shape().WithoutLayout();
  const i64 feature = inst.attrs<BatchNormAttrs>().feature_index;
  Shape vector(operand.type());
  vector.AppendDim(operand.dim(feature), operand.is_dynamic(feature));
  return Shape::Tuple({operand, vector, vector});
}

// The result has the operand's shape and one vector for mean and variance, or for the two
// gradients.
StatusOr<Shape> InferTraining(const Instruction& inst) {
  AXLE_TRY(CheckFeatures(inst, 2));
  return WithTwoVectors(inst);
}
StatusOr<Shape> InferInference(const Instruction& inst) {
  AXLE_TRY(CheckFeatures(inst, 4));
  return inst.operand(0)->shape().WithoutLayout();
}
StatusOr<Shape> InferGrad(const Instruction& inst) {
  AXLE_TRY(CheckFeatures(inst, 3));
  const Shape &operand = inst.operand(0)->shape(), &grad = inst.operand(4)->shape();
  if (!SameDims(operand, grad)) {
    return OpError(inst, "grad_output must have the dimensions of operand");
  }
  return WithTwoVectors(inst);
}

// Everything in the type of the computation: f64 for f64, else f32.
template <typename T>
class BatchNorm {
 public:
  BatchNorm(const Instruction& inst, const EvalContext& context)
      : context_(context), shape_(inst.operand(0)->shape().WithoutLayout().WithType(kType)) {
    const auto& attrs = inst.attrs<BatchNormAttrs>();
    epsilon_ = attrs.epsilon;
    for (i64 d = 0; d < shape_.rank(); ++d) {
      if (d == attrs.feature_index) {
        features_ = shape_.dim(d);
      } else {
        reduced_.push_back(d);
        (d < attrs.feature_index ? outer_ : inner_) *= shape_.dim(d);
      }
    }
    num_reduced_ = static_cast<T>(outer_ * inner_);
  }
  static constexpr ElementType kType = std::is_same_v<T, float> ? F32 : F64;

  // Two passes: the mean first, then the mean of the squared distances from it. The variance of one
  // pass, E[x^2] - E[x]^2, would cancel.
  StatusOr<std::vector<Literal>> Training(std::span<const Literal> operands) {
    const Literal& x = operands[0];
    AXLE_ASSIGN(Literal mean, Mean(x));
    AXLE_ASSIGN(Literal squares, Literal::CreateUninitialized(shape_));
    ForEach(squares, [&](i64 i, i64 l) {
      const T centered = x.data<T>()[i] - mean.data<T>()[l];
      return centered * centered;
    });
    AXLE_ASSIGN(Literal variance, Mean(squares));
    squares = Literal();
    AXLE_ASSIGN(Literal y, Normalize(x, operands[1], operands[2], mean, variance));
    return std::vector<Literal>{std::move(y), std::move(mean), std::move(variance)};
  }

  // (x - mean) * (scale / sqrt(variance + epsilon)) + offset.
  StatusOr<Literal> Normalize(const Literal& x, const Literal& scale, const Literal& offset,
                              const Literal& mean, const Literal& variance) {
    std::vector<T> weight(features_);
    // The weight of a feature is computed once, not per element.
    for (i64 l = 0; l < features_; ++l) {
      weight[l] = scale.data<T>()[l] / SquareRoot(variance.data<T>()[l] + epsilon_);
    }
    AXLE_ASSIGN(Literal y, Literal::CreateUninitialized(shape_));
    const T *from = x.data<T>().data(), *means = mean.data<T>().data();
    const T* offsets = offset.data<T>().data();
    ForEach(y, [&](i64 i, i64 l) { return (from[i] - means[l]) * weight[l] + offsets[l]; });
    return y;
  }

  // The sums over the elements of a feature are canonical sums; everything else is elementwise in a
  // fixed order of operations.
  StatusOr<std::vector<Literal>> Grad(std::span<const Literal> operands) {
    const T *x = operands[0].data<T>().data(), *scale = operands[1].data<T>().data();
    const T *mean = operands[2].data<T>().data(), *variance = operands[3].data<T>().data();
    const T* g = operands[4].data<T>().data();
    AXLE_ASSIGN(Literal grad_offset, CanonicalSum(operands[4], reduced_, context_));
    AXLE_ASSIGN(Literal products, Literal::CreateUninitialized(shape_));
    ForEach(products, [&](i64 i, i64 l) { return g[i] * (x[i] - mean[l]); });
    AXLE_ASSIGN(Literal grad_scale, CanonicalSum(products, reduced_, context_));
    std::vector<T> factor(features_), shift(features_), slope(features_);
    const std::span<T> sums = grad_scale.mutable_data<T>();
    for (i64 l = 0; l < features_; ++l) {
      const T shifted = variance[l] + epsilon_, inverse = T(1) / SquareRoot(shifted);
      factor[l] = scale[l] * inverse;
      shift[l] = grad_offset.data<T>()[l] / num_reduced_;
      slope[l] = sums[l] / num_reduced_ / shifted;
      sums[l] *= inverse;
    }
    Literal grad_operand = std::move(products);
    ForEach(grad_operand, [&](i64 i, i64 l) {
      return factor[l] * ((g[i] - shift[l]) - (x[i] - mean[l]) * slope[l]);
    });
    return std::vector<Literal>{std::move(grad_operand), std::move(grad_scale),
                                std::move(grad_offset)};
  }

 private:
  // Sets result[i] to value(i, feature of i), in row-major order.
  template <typename Fn>
  void ForEach(Literal& result, const Fn& value) {
    if (result.num_elements() == 0) return;  // sizes beside a zero may be too long to walk
    T* out = result.mutable_data<T>().data();
    i64 i = 0;
    for (i64 outer = 0; outer < outer_; ++outer) {
      for (i64 l = 0; l < features_; ++l) {
        for (i64 inner = 0; inner < inner_; ++inner, ++i) out[i] = value(i, l);
      }
    }
  }

  // The mean is the canonical sum, divided once.
  StatusOr<Literal> Mean(const Literal& values) {
    AXLE_ASSIGN(Literal sums, CanonicalSum(values, reduced_, context_));
    for (T& sum : sums.mutable_data<T>()) sum /= num_reduced_;
    return sums;
  }

  const EvalContext& context_;
  Shape shape_;
  Dims reduced_;
  i64 outer_ = 1, features_ = 0, inner_ = 1;
  T epsilon_ = 0, num_reduced_ = 0;
};

// Operands in the type of the computation, and memory for what is computed beside the result.
template <typename T>
StatusOr<std::vector<Literal>> Widened(std::span<Literal> operands) {
  std::vector<Literal> widened;
  for (Literal& operand : operands) {
    AXLE_ASSIGN(Literal wide, ConvertIfNeeded(operand, BatchNorm<T>::kType));
    widened.push_back(std::move(wide));
    operand = Literal();
  }
  return widened;
}

// Calls fn(calculator, operands) and rounds what it gives to the type of the operands.
// All three ops convert, compute and round in the same way.
template <typename Fn>
StatusOr<Literal> Evaluate(const Instruction& inst, std::span<Literal> operands,
                           const EvalContext& context, const Fn& fn) {
  const ElementType type = inst.operand(0)->shape().type();
  const bool is_f64 = type == F64;
  const auto run = [&]<typename T>(T) -> StatusOr<Literal> {
    BatchNorm<T> batch_norm(inst, context);
    AXLE_ASSIGN(const std::vector<Literal> wide, Widened<T>(operands));
    AXLE_ASSIGN(std::vector<Literal> results, fn(batch_norm, wide));
    for (Literal& result : results) {
      AXLE_ASSIGN(result, ConvertIfNeeded(result, type));
    }
    return results.size() == 1 ? std::move(results[0]) : Literal::Tuple(std::move(results));
  };
  const i64 bytes = inst.operand(0)->shape().num_elements() * i64{is_f64 ? 8 : 4};
  const ScratchMemory scratch(context, 2 * bytes);
  AXLE_TRY(scratch.status());
  return is_f64 ? run(double{}) : run(float{});
}

StatusOr<Literal> EvalTraining(const Instruction& inst, std::span<Literal> operands,
                               const EvalContext& context) {
  return Evaluate(inst, operands, context,
                  [](auto& batch_norm, const auto& wide) { return batch_norm.Training(wide); });
}

StatusOr<Literal> EvalInference(const Instruction& inst, std::span<Literal> operands,
                                const EvalContext& context) {
  const auto normalize = [](auto& batch_norm, const auto& wide) -> StatusOr<std::vector<Literal>> {
    AXLE_ASSIGN(Literal y, batch_norm.Normalize(wide[0], wide[1], wide[2], wide[3], wide[4]));
    return std::vector<Literal>{std::move(y)};
  };
  return Evaluate(inst, operands, context, normalize);
}

StatusOr<Literal> EvalGrad(const Instruction& inst, std::span<Literal> operands,
                           const EvalContext& context) {
  return Evaluate(inst, operands, context,
                  [](auto& batch_norm, const auto& wide) { return batch_norm.Grad(wide); });
}

}  // namespace

const OpDef kBatchNormTrainingDef = {
    .opcode = Opcode::kBatchNormTraining,
    .text = "batch-norm-training",
    .summary = "Normalises each feature by its own mean and variance, and gives both.",
    .semantics =
        "The features are the dimension feature_index; sums run over all other dimensions, m "
        "elements of them. The result is (y, mean, variance) with mean = sum x / m, variance = sum "
        "(x - mean)^2 / m, which is the biased one, and y = (x - mean) * (scale / sqrt(variance + "
        "epsilon)) + offset, each operation rounded by itself. The sums are those of reduce "
        "(docs/numerics.md N4). Without elements mean and variance are NaN. All operands are "
        "floats of one type; narrow ones are computed in f32, where mean and variance are not "
        "rounded before they are used. Padding of dynamic dimensions takes no part.",
    .source = "XLA BatchNormTraining; StableHLO batch_norm_training; docs/numerics.md N4",
    .operands = kTrainingOperands,
    .attrs = Schema<BatchNormAttrs>(kAttrs),
    .lowering = Lowering::kLinearAlgebra,
    .accuracy = "each operation correctly rounded",
    .infer = InferTraining,
    .eval = EvalTraining,
};

const OpDef kBatchNormInferenceDef = {
    .opcode = Opcode::kBatchNormInference,
    .text = "batch-norm-inference",
    .summary = "Normalises each feature by a mean and a variance that are given.",
    .semantics =
        "(operand - mean) * (scale / sqrt(variance + epsilon)) + offset, each operation rounded by "
        "itself, where scale, offset, mean and variance have one element for each position of "
        "the dimension feature_index. All operands are floats of one type; narrow ones are "
        "computed in f32. Padding of dynamic dimensions takes no part.",
    .source = "XLA BatchNormInference; StableHLO batch_norm_inference",
    .operands = kInferenceOperands,
    .attrs = Schema<BatchNormAttrs>(kAttrs),
    .lowering = Lowering::kLinearAlgebra,
    .accuracy = "each operation correctly rounded",
    .infer = InferInference,
    .eval = EvalInference,
};

const OpDef kBatchNormGradDef = {
    .opcode = Opcode::kBatchNormGrad,
    .text = "batch-norm-grad",
    .summary = "The gradients of batch-norm-training with respect to its operands.",
    .semantics =
        "The result is (grad_operand, grad_scale, grad_offset). With c = operand - mean, v = "
        "variance + epsilon, s = 1 / sqrt(v) and m the number of elements of a feature: "
        "grad_offset = sum g, grad_scale = (sum g c) s, and grad_operand = (scale s) ((g - (sum g) "
        "/ m) - c ((sum g c) / m / v)), where g is grad_output and each operation is rounded by "
        "itself. The sums run over all dimensions but feature_index and are those of reduce "
        "(docs/numerics.md N4). All operands are floats of one type; narrow ones are computed in "
        "f32. Padding of dynamic dimensions takes no part.",
    .source = "XLA BatchNormGrad; StableHLO batch_norm_grad; docs/numerics.md N4",
    .operands = kGradOperands,
    .attrs = Schema<BatchNormAttrs>(kAttrs),
    .lowering = Lowering::kLinearAlgebra,
    .accuracy = "each operation correctly rounded",
    .infer = InferGrad,
    .eval = EvalGrad,
};

}  // namespace axle
