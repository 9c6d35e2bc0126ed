// Recipes of conversions, products, convolutions, transforms, linear algebra and random numbers.
// The dimensions of a convolution are drawn in one order first and then permuted.

#include <algorithm>

#include "axle/gen/recipes.h"

namespace axle {
namespace {

Instruction* DrawConvert(Body& body, ElementType type) {
  Instruction* operand = body.Array(type);
  if (operand == nullptr) return nullptr;
  return body.Add(Opcode::kConvert, {operand},
                  operand->shape().WithoutLayout().WithType(body.AnyType()));
}

Instruction* DrawBitcastConvert(Body& body, ElementType type) {
  // A type of the same width, or one of which a few make up the other.
  Random& random = body.random();
  for (int tries = 0; tries < 40; ++tries) {
    const ElementType to = random.Of(kElementTypes).type;
    if (!IsArrayType(to)) continue;
    const int from_bits = Info(type).bits, to_bits = Info(to).bits;
    Shape shape;
    Instruction* operand = nullptr;
    if (from_bits >= to_bits && from_bits % to_bits == 0) {
      operand = body.Array(type, 0, 4);
      if (operand == nullptr) return nullptr;
      shape = Shape(to, operand->shape().dims());
      if (from_bits > to_bits) shape.AppendDim(from_bits / to_bits);
    } else if (to_bits % from_bits == 0) {
      shape = Shape(to, body.AnyDims(0, 3));
      Shape parts(type, shape.dims());
      parts.AppendDim(to_bits / from_bits);
      operand = body.Value(parts);
    } else {
      continue;
    }
    if (Instruction* inst = body.Add(Opcode::kBitcastConvert, {operand}, shape)) return inst;
  }
  return nullptr;
}

// The random bits have the unsigned type of the operand's width.
Instruction* DrawStochasticConvert(Body& body, ElementType type) {
  Instruction* operand = body.Array(type);
  if (operand == nullptr) return nullptr;
  for (const ElementTypeInfo& info : kElementTypes) {
    if (info.type_class != TypeClass::kUnsigned || info.bits != Info(type).bits) continue;
    Instruction* random = body.Value(Shape(info.type, operand->shape().dims()));
    const ElementType to = body.random().Of({S32, S8, S16, S64, S4, S2});
    return body.Add(Opcode::kStochasticConvert, {operand, random},
                    Shape(to, operand->shape().dims()));
  }
  return body.Add(Opcode::kStochasticConvert, {operand, operand},
                  Shape(S32, operand->shape().dims()));
}

Instruction* DrawReducePrecision(Body& body, ElementType type) {
  Random& random = body.random();
  const ReducePrecisionAttrs attrs = {random.Between(1, 11), random.Between(0, 30)};
  return body.AddWith(Opcode::kReducePrecision, {body.Array(type)}, attrs);
}

Instruction* DrawCompare(Body& body, ElementType type) {
  constexpr ComparisonDirection kDirections[] = {
      ComparisonDirection::kEq, ComparisonDirection::kNe, ComparisonDirection::kGe,
      ComparisonDirection::kGt, ComparisonDirection::kLe, ComparisonDirection::kLt};
  Instruction* lhs = body.Array(type);
  if (lhs == nullptr) return nullptr;
  CompareAttrs attrs = {.direction = body.random().Of(kDirections)};
  if (IsFloating(type) && body.random().Percent(30)) attrs.type = ComparisonType::kTotalOrder;
  return body.AddWith(Opcode::kCompare, {lhs, body.Value(Shape(type, lhs->shape().dims()))}, attrs);
}

// Sizes of a product: small, but past the tiles of registers now and then.
i64 ProductSize(Body& body) {
  return body.random().Percent(15) ? body.random().Of<i64>({16, 17, 31, 33, 64, 65})
                                   : body.random().Of<i64>({0, 1, 1, 2, 3, 4, 5, 7, 8, 9});
}

// Contracting, batch and free dimensions of both sides, in any order.
struct Product {
  DotAttrs attrs;
  Shape lhs, rhs;
};
// Dimensions have a role: b for batch, c for contracting, f for free. Batch and contracting
// dimensions occur on both sides with one number and size; each side is then shuffled on its own,
// and `place` reads off the attributes.
Product DrawProduct(Body& body, ElementType type, ElementType rhs_type) {
  Random& random = body.random();
  struct Dim {
    char role;
    i64 number, size;
  };
  std::vector<Dim> lhs, rhs;
  const auto both = [&](char role, i64 count) {
    for (i64 i = 0; i < count; ++i) {
      const i64 size = role == 'b' ? random.Below(4) : ProductSize(body);
      lhs.push_back({role, i, size});
      rhs.push_back({role, i, size});
    }
  };
  both('b', random.Percent(30) ? random.Between(1, 2) : 0);
  both('c', random.Percent(85) ? 1 : random.Of<i64>({0, 2}));
  for (i64 n = random.Of<i64>({0, 1, 1, 1, 2}); n > 0; --n)
    lhs.push_back({'f', 0, ProductSize(body)});
  for (i64 n = random.Of<i64>({0, 1, 1, 1, 2}); n > 0; --n)
    rhs.push_back({'f', 0, ProductSize(body)});
  if (random.Percent(60)) random.Shuffle(lhs);
  if (random.Percent(60)) random.Shuffle(rhs);
  Product p = {{}, Shape(type), Shape(rhs_type)};
  const auto place = [](const std::vector<Dim>& dims, Shape& shape, Dims& batch,
                        Dims& contracting) {
    batch.resize(std::ranges::count(dims, 'b', &Dim::role));
    contracting.resize(std::ranges::count(dims, 'c', &Dim::role));
    for (size_t d = 0; d < dims.size(); ++d) {
      shape.AppendDim(dims[d].size);
      if (dims[d].role == 'b') batch[dims[d].number] = static_cast<i64>(d);
      if (dims[d].role == 'c') contracting[dims[d].number] = static_cast<i64>(d);
    }
  };
  place(lhs, p.lhs, p.attrs.lhs_batch_dims, p.attrs.lhs_contracting_dims);
  place(rhs, p.rhs, p.attrs.rhs_batch_dims, p.attrs.rhs_contracting_dims);
  return p;
}

// The types of rhs and of the result: mostly that of lhs, else one that goes with it.
ElementType ProductType(Body& body, ElementType type) {
  if (body.random().Percent(75)) return type;
  if (IsComplex(type)) return body.random().Of({C64, C128});
  if (IsFloating(type)) return body.random().Of({F32, F32, F64, BF16, F16});
  return body.random().Of({S32, S32, S64, S8, U8, F32});
}

Instruction* DrawDot(Body& body, ElementType type) {
  const Product p = DrawProduct(body, type, ProductType(body, type));
  const Shape result(ProductType(body, type));
  return body.AddWith(Opcode::kDot, {body.Value(p.lhs), body.Value(p.rhs)}, p.attrs, {}, result);
}

// Either the rows of lhs or the contracted dimension are ragged; in the first case rhs has one
// matrix per group.
Instruction* DrawRaggedDot(Body& body, ElementType type) {
  const i64 rows = ProductSize(body), depth = ProductSize(body), columns = ProductSize(body);
  const i64 groups = body.random().Between(1, 3);
  RaggedDotAttrs attrs;
  attrs.lhs_contracting_dims = {1};
  attrs.lhs_ragged_dims = {0};
  Shape rhs(type, {groups, depth, columns});
  if (body.random().Percent(50)) {
    attrs.rhs_contracting_dims = {1};
    attrs.rhs_group_dims = {0};
  } else {
    attrs.rhs_contracting_dims = {0};
    attrs.lhs_ragged_dims = {1};
    rhs = Shape(type, {depth, columns});
  }
  return body.AddWith(Opcode::kRaggedDot,
                      {body.Value(Shape(type, {rows, depth})), body.Value(rhs),
                       body.Value(Shape(body.random().Of({S32, S64, U8}), {groups}))},
                      attrs);
}

// A scale has per dimension the size of its operand, half of it (blocks of two), or 1 (one scale
// for the dimension).
Instruction* DrawScaledDot(Body& body, ElementType type) {
  const Product p = DrawProduct(body, type, type);
  const auto scale_of = [&](const Shape& shape, bool may_be_scalar) {
    const ElementType scale_type = body.random().Of({type, F8E8M0FNU, F32});
    if (may_be_scalar && body.random().Percent(50)) return body.Value(Shape(scale_type));
    Shape scale(scale_type);
    for (const i64 size : shape.dims()) {
      scale.AppendDim(size % 2 == 0 && size > 0 && body.random().Percent(50) ? size / 2
                      : body.random().Percent(50)                            ? 1
                                                  : std::max<i64>(size, 1));
    }
    return body.Value(scale);
  };
  Instruction* lhs_scale = scale_of(p.lhs, false);
  const Shape result = body.random().Percent(50) ? Shape(F32) : Shape();
  return body.AddWith(Opcode::kScaledDot,
                      {body.Value(p.lhs), body.Value(p.rhs), lhs_scale, scale_of(p.rhs, true)},
                      p.attrs, {}, result);
}

// Groups are of features or of batches. Inputs, kernel and result have their dimensions shuffled
// independently, because each permutation is a different access pattern of the same convolution.
Instruction* DrawConvolution(Body& body, ElementType type) {
  Random& random = body.random();
  const i64 spatial = random.Of<i64>({0, 1, 1, 2, 2, 2, 3});
  const i64 groups = random.Percent(70) ? 1 : random.Between(2, 3);
  // With batch groups the batch is a multiple of the groups; with feature groups the input features
  // are.
  const bool of_batch = groups > 1 && random.Percent(30);
  const i64 features = random.Between(1, 4), outputs = random.Between(1, 5);
  ConvolutionAttrs attrs;
  (of_batch ? attrs.batch_group_count : attrs.feature_group_count) = groups;
  // In the order b f 0 1 2, i o 0 1 2, and then moved.
  std::string labels[3] = {"bf", "io", "bf"};
  std::vector<i64> sizes[2] = {
      {random.Between(0, 3) * (of_batch ? groups : 1), features * (of_batch ? 1 : groups)},
      {features, outputs * groups}};
  for (i64 s = 0; s < spatial; ++s) {
    WindowDim dim = {.size = random.Between(1, 3), .stride = random.Of<i64>({1, 1, 2, 3})};
    if (random.Percent(50)) {
      dim.pad_low = random.Between(-1, 2);
      dim.pad_high = random.Between(-1, 2);
    }
    if (random.Percent(20)) dim.base_dilation = random.Between(1, 3);
    if (random.Percent(20)) dim.window_dilation = random.Between(1, 3);
    dim.reversal = random.Percent(15);
    attrs.window.push_back(dim);
    for (std::string& label : labels) label.push_back(static_cast<char>('0' + s));
    sizes[0].push_back(spatial == 3 ? random.Between(1, 4) : random.Between(0, 9));
    sizes[1].push_back(dim.size);
  }
  Shape shapes[2] = {Shape(type), Shape(ProductType(body, type))};
  for (int side = 0; side < 3; ++side) {
    Dims order(labels[side].size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<i64>(i);
    if (random.Percent(40)) random.Shuffle(order);
    std::string moved;
    for (const i64 i : order) {
      moved.push_back(labels[side][i]);
      if (side < 2) shapes[side].AppendDim(sizes[side][i]);
    }
    labels[side] = moved;
  }
  attrs.dim_labels.lhs = labels[0];
  attrs.dim_labels.rhs = labels[1];
  attrs.dim_labels.output = labels[2];
  const Shape result(ProductType(body, type));
  return body.AddWith(Opcode::kConvolution, {body.Value(shapes[0]), body.Value(shapes[1])}, attrs,
                      {}, result);
}

// Lengths are powers of two, products of small primes, and primes (7, 13, 97), which take different
// algorithms.
Instruction* DrawFft(Body& body, ElementType type) {
  Random& random = body.random();
  const i64 lengths = random.Of<i64>({1, 1, 1, 2, 3});
  FftAttrs attrs;
  attrs.fft_type = IsComplex(type) ? random.Of({FftType::kFft, FftType::kIfft, FftType::kIrfft})
                                   : FftType::kRfft;
  Shape operand(type, random.Percent(50) ? Dims{} : Dims{random.Between(0, 3)});
  for (i64 i = 0; i < lengths; ++i) {
    const i64 length = lengths == 1 ? random.Of<i64>({0, 1, 2, 3, 4, 7, 8, 12, 13, 30, 64, 97})
                                    : random.Between(0, 6);
    attrs.fft_length.push_back(length);
    const bool is_half = attrs.fft_type == FftType::kIrfft && i + 1 == lengths;
    operand.AppendDim(is_half && length > 0 ? length / 2 + 1 : length);
  }
  return body.AddWith(Opcode::kFft, {body.Value(operand)}, attrs);
}

// A batch of square matrices, or what goes with them.
Shape Matrices(ElementType type, i64 rows, i64 columns, const Dims& batch) {
  Shape shape(type, batch);
  shape.AppendDim(rows);
  shape.AppendDim(columns);
  return shape;
}

Instruction* DrawCholesky(Body& body, ElementType type) {
  const i64 n = body.random().Between(0, 7);
  const CholeskyAttrs attrs = {body.random().Percent(50)};
  return body.AddWith(Opcode::kCholesky, {body.Value(Matrices(type, n, n, body.AnyDims(0, 1, 4)))},
                      attrs);
}

Instruction* DrawTriangularSolve(Body& body, ElementType type) {
  Random& random = body.random();
  const i64 n = random.Between(0, 7), m = random.Between(0, 5);
  const Dims batch = body.AnyDims(0, 1, 4);
  TriangularSolveAttrs attrs = {
      .left_side = random.Percent(50),
      .lower = random.Percent(50),
      .unit_diagonal = random.Percent(30),
      .transpose_a = random.Of(
          {TransposeOption::kNoTranspose, TransposeOption::kTranspose, TransposeOption::kAdjoint})};
  const Shape b = attrs.left_side ? Matrices(type, n, m, batch) : Matrices(type, m, n, batch);
  return body.AddWith(Opcode::kTriangularSolve,
                      {body.Value(Matrices(type, n, n, batch)), body.Value(b)}, attrs);
}

// On an array, as many values for each feature, and perhaps an array of the first one's dimensions.
Instruction* DrawBatchNorm(Body& body, Opcode opcode, ElementType type, int vectors, bool again) {
  Instruction* operand = body.Array(type, 1, 4);
  if (operand == nullptr) return nullptr;
  const Dims dims = operand->shape().dims();
  const i64 feature = body.random().Below(static_cast<i64>(dims.size()));
  std::vector<Instruction*> operands = {operand};
  for (int i = 0; i < vectors; ++i) operands.push_back(body.Value(Shape(type, {dims[feature]})));
  if (again) operands.push_back(body.Value(Shape(type, dims)));
  return body.AddWith(opcode, operands,
                      BatchNormAttrs{.epsilon = 0.001f, .feature_index = feature});
}
Instruction* DrawBatchNormTraining(Body& body, ElementType type) {
  return DrawBatchNorm(body, Opcode::kBatchNormTraining, type, 2, false);
}
Instruction* DrawBatchNormInference(Body& body, ElementType type) {
  return DrawBatchNorm(body, Opcode::kBatchNormInference, type, 4, false);
}
Instruction* DrawBatchNormGrad(Body& body, ElementType type) {
  return DrawBatchNorm(body, Opcode::kBatchNormGrad, type, 3, true);
}

Instruction* DrawRng(Body& body, ElementType type) {
  const bool normal = IsFloating(type) && body.random().Percent(40);
  Instruction *low = body.Constant(type, 0), *high = body.Constant(type, normal ? 1 : 3);
  return body.AddWith(Opcode::kRng, {low, high},
                      RngAttrs{normal ? RandomDistribution::kNormal : RandomDistribution::kUniform},
                      {}, Shape(type, body.AnyDims()));
}

Instruction* DrawRngBitGenerator(Body& body, ElementType type) {
  const RandomAlgorithm algorithm = body.random().Of(
      {RandomAlgorithm::kDefault, RandomAlgorithm::kThreeFry, RandomAlgorithm::kPhilox});
  // ThreeFry has a state of two words, the others of two or three.
  const i64 words = algorithm == RandomAlgorithm::kThreeFry ? 2 : body.random().Between(2, 3);
  const Shape state(U64, {words});
  const Shape result = Shape::Tuple({state, Shape(type, body.AnyDims())});
  return body.AddWith(Opcode::kRngBitGenerator, {body.Value(state)},
                      RngBitGeneratorAttrs{algorithm}, {}, result);
}

Instruction* DrawRngState(Body& body, ElementType type) {
  const Shape result(type, {body.random().Between(1, 2)});
  return body.AddWith(Opcode::kRngGetAndUpdateState, {}, RngStateAttrs{body.random().Below(5000)},
                      {}, result);
}

Instruction* DrawTopk(Body& body, ElementType type) {
  Instruction* operand = body.Array(type, 1);
  if (operand == nullptr) return nullptr;
  const Shape& shape = operand->shape();
  return body.AddWith(Opcode::kTopk, {operand},
                      TopkAttrs{.k = body.random().Between(0, shape.dim(shape.rank() - 1)),
                                .largest = body.random().Percent(60)});
}

constexpr Recipe kRecipes[] = {
    {Opcode::kConvert, DrawConvert},
    {Opcode::kBitcastConvert, DrawBitcastConvert},
    {Opcode::kStochasticConvert, DrawStochasticConvert},
    {Opcode::kReducePrecision, DrawReducePrecision},
    {Opcode::kCompare, DrawCompare},
    {Opcode::kDot, DrawDot},
    {Opcode::kRaggedDot, DrawRaggedDot},
    {Opcode::kScaledDot, DrawScaledDot},
    {Opcode::kConvolution, DrawConvolution},
    {Opcode::kFft, DrawFft},
    {Opcode::kCholesky, DrawCholesky},
    {Opcode::kTriangularSolve, DrawTriangularSolve},
    {Opcode::kBatchNormTraining, DrawBatchNormTraining},
    {Opcode::kBatchNormInference, DrawBatchNormInference},
    {Opcode::kBatchNormGrad, DrawBatchNormGrad},
    {Opcode::kRng, DrawRng},
    {Opcode::kRngBitGenerator, DrawRngBitGenerator},
    {Opcode::kRngGetAndUpdateState, DrawRngState},
    {Opcode::kTopk, DrawTopk},
};

}  // namespace

std::span<const Recipe> NumericRecipes() {
  return kRecipes;
}

}  // namespace axle
