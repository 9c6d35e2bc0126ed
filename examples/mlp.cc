// Trains a three-layer perceptron twice: from the HLO that JAX exported for one training step, and
// from the same network and its gradients written with XlaBuilder. Prints the loss as a plot, and
// whether both gave the same bits.
//
//   example_mlp [--steps N] [mlp_train_step.hlo]
#include <axle/axle.h>
#include <axle/ir/module.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

using namespace axle;  // NOLINT(google-build-using-namespace): an example reads better so

constexpr i64 kBatch = 32, kInputs = 64, kHidden1 = 128, kHidden2 = 64, kClasses = 10;
constexpr int kParameters = 6;  // b1 w1 b2 w2 b3 w3, as the exported program orders them
constexpr float kMomentum = 0.9f, kWeightDecay = 1e-4f;

Shape F32Shape(Dims dims) {
  return ShapeUtil::MakeShape(F32, std::move(dims));
}

const Shape kParameterShapes[kParameters] = {F32Shape({kHidden1}), F32Shape({kInputs, kHidden1}),
                                             F32Shape({kHidden2}), F32Shape({kHidden1, kHidden2}),
                                             F32Shape({kClasses}), F32Shape({kHidden2, kClasses})};

// --- the network, with XlaBuilder ---------------------------------------------------------------

XlaComputation ScalarComputation(std::string_view name, XlaOp (*function)(XlaOp, XlaOp)) {
  XlaBuilder b(name);
  const XlaOp x = Parameter(&b, 0, Shape(F32), "x"), y = Parameter(&b, 1, Shape(F32), "y");
  return b.Build(function(x, y)).ConsumeValueOrDie();
}

struct Reducers {
  XlaComputation sum = ScalarComputation("sum", [](XlaOp x, XlaOp y) { return Add(x, y); });
  XlaComputation max = ScalarComputation("max", [](XlaOp x, XlaOp y) { return Max(x, y); });
};

XlaOp Sum(const Reducers& r, XlaOp x, const Dims& dims) {
  return Reduce(x, ConstantR0<float>(x.builder(), 0), r.sum, dims);
}

// x [batch, in] . w [in, out] + b [out]
XlaOp Dense(XlaOp x, XlaOp w, XlaOp b) {
  return Add(Dot(x, w), b, Dims{1});
}

// The gradients of Dense with respect to x and w.
XlaOp GradInput(XlaOp gradient, XlaOp w) {
  return DotGeneral(gradient, w, {{1}, {1}});
}
XlaOp GradWeights(XlaOp gradient, XlaOp x) {
  return Transpose(DotGeneral(gradient, x, {{0}, {0}}), Dims{1, 0});
}

// One step of SGD with momentum and weight decay: (6 parameters, 6 momenta, images, labels, rate)
// -> (6 parameters, 6 momenta, loss).
StatusOr<XlaComputation> BuildTrainStep() {
  const Reducers reducers;
  XlaBuilder b("mlp_train_step");
  std::vector<XlaOp> p, momentum;
  for (int i = 0; i < kParameters; ++i) p.push_back(Parameter(&b, i, kParameterShapes[i], "p"));
  for (int i = 0; i < kParameters; ++i) {
    momentum.push_back(Parameter(&b, kParameters + i, kParameterShapes[i], "m"));
  }
  const XlaOp images = Parameter(&b, 12, F32Shape({kBatch, kInputs}), "images");
  const XlaOp labels = Parameter(&b, 13, ShapeUtil::MakeShape(S32, {kBatch}), "labels");
  const XlaOp rate = Parameter(&b, 14, Shape(F32), "rate");
  const XlaOp zero = ConstantR0<float>(&b, 0), one = ConstantR0<float>(&b, 1);

  // Forward: relu, silu, log-softmax.
  const XlaOp a1 = Dense(images, p[1], p[0]), h1 = Max(a1, zero);
  const XlaOp a2 = Dense(h1, p[3], p[2]), sigmoid = one / (Exp(-a2) + one), h2 = a2 * sigmoid;
  const XlaOp logits = Dense(h2, p[5], p[4]);
  const XlaOp lowest = ConstantLiteral(&b, LiteralUtil::MinValue(F32));
  const XlaOp largest = Reduce(logits, lowest, reducers.max, Dims{1});
  const XlaOp shifted = Sub(logits, largest, Dims{0}), powers = Exp(shifted);
  const XlaOp total = Sum(reducers, powers, {1});
  const XlaOp log_softmax = Sub(shifted, Log(total), Dims{0});

  // The loss: minus the mean of each row's entry at its label.
  const XlaOp is_label =
      Eq(Iota(&b, ShapeUtil::MakeShape(S32, {kBatch, kClasses}), 1), labels, Dims{0});
  const XlaOp picked = Sum(reducers, Select(is_label, log_softmax, zero), {1});
  const XlaOp loss = Neg(Sum(reducers, picked, {0}) / ConstantR0<float>(&b, kBatch));

  // Backward.
  const XlaOp g_picked = Select(is_label, ConstantR0<float>(&b, -1.0f / kBatch), zero);
  const XlaOp g_total = Sum(reducers, Neg(g_picked), {1}) / total;
  const XlaOp g_logits = g_picked + Mul(powers, g_total, Dims{0});
  const XlaOp g_h2 = GradInput(g_logits, p[5]);
  const XlaOp g_a2 = g_h2 * sigmoid + a2 * g_h2 * (sigmoid * (one - sigmoid));
  const XlaOp g_a1 = Select(Gt(a1, zero), GradInput(g_a2, p[3]), zero);
  const XlaOp gradients[kParameters] = {Sum(reducers, g_a1, {0}),     GradWeights(g_a1, images),
                                        Sum(reducers, g_a2, {0}),     GradWeights(g_a2, h1),
                                        Sum(reducers, g_logits, {0}), GradWeights(g_logits, h2)};

  std::vector<XlaOp> results, new_momentum;
  for (int i = 0; i < kParameters; ++i) {
    new_momentum.push_back(momentum[i] * ConstantR0<float>(&b, kMomentum) + gradients[i] +
                           p[i] * ConstantR0<float>(&b, kWeightDecay));
    results.push_back(p[i] - rate * new_momentum[i]);
  }
  results.insert(results.end(), new_momentum.begin(), new_momentum.end());
  results.push_back(loss);
  return b.Build(Tuple(&b, results));
}

// --- data ---------------------------------------------------------------------------------------

// The same numbers on every machine.
class Random {
 public:
  std::uint32_t Next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>(state_ >> 33);
  }
  float Uniform() { return static_cast<float>(Next()) * 0x1p-31f - 0.5f; }

 private:
  std::uint64_t state_ = 20261121;
};

Literal RandomLiteral(Random& random, const Shape& shape, float scale) {
  Literal literal{shape};
  for (float& x : literal.mutable_data<float>()) x = random.Uniform() * scale;
  return literal;
}

// Arguments of the train step. The label of an image is the class whose random direction it points
// in most, so there is something to learn.
std::vector<Literal> MakeArguments(float rate) {
  Random random;
  std::vector<Literal> arguments;
  for (const Shape& shape : kParameterShapes) {
    const float fan_in = static_cast<float>(shape.rank() == 2 ? shape.dim(0) : 1000);
    arguments.push_back(RandomLiteral(random, shape, 3.4f / __builtin_sqrtf(fan_in)));
  }
  for (const Shape& shape : kParameterShapes) arguments.emplace_back(shape);  // momentum: zeros
  const Literal images = RandomLiteral(random, F32Shape({kBatch, kInputs}), 3);
  const Literal directions = RandomLiteral(random, F32Shape({kClasses, kInputs}), 1);
  Literal labels{ShapeUtil::MakeShape(S32, {kBatch})};
  for (i64 i = 0; i < kBatch; ++i) {
    float best = -1e30f;
    for (i64 c = 0; c < kClasses; ++c) {
      float score = 0;
      for (i64 k = 0; k < kInputs; ++k) {
        score += images.Get<float>(Dims{i, k}) * directions.Get<float>(Dims{c, k});
      }
      if (score <= best) continue;
      best = score;
      labels.Set<std::int32_t>(Dims{i}, static_cast<std::int32_t>(c));
    }
  }
  arguments.push_back(images);
  arguments.push_back(labels);
  arguments.push_back(LiteralUtil::CreateR0<float>(rate));
  return arguments;
}

// --- training -----------------------------------------------------------------------------------

struct Training {
  std::vector<float> losses;
  std::vector<Literal> state;  // parameters and momenta at the end
  double seconds = 0;
};

StatusOr<Training> Train(const Executable& step, int steps, std::string_view what) {
  Training training;
  std::vector<Literal> arguments = MakeArguments(0.05f);
  const bool progress = isatty(STDERR_FILENO) != 0;
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  for (int i = 0; i < steps; ++i) {
    AXLE_ASSIGN(Literal result, step.Execute(arguments));
    for (int k = 0; k < 2 * kParameters; ++k) arguments[k] = result.element(k);
    training.losses.push_back(result.element(2 * kParameters).data<float>()[0]);
    if (progress && elapsed() > 0.5 && (i + 1) % 10 == 0) {
      std::fprintf(stderr, "\r%.*s: step %d of %d, loss %.4f ", static_cast<int>(what.size()),
                   what.data(), i + 1, steps, training.losses.back());
    }
  }
  training.seconds = elapsed();
  if (progress && training.seconds > 0.5) std::fprintf(stderr, "\r\033[K");
  training.state.assign(arguments.begin(), arguments.begin() + 2 * kParameters);
  return training;
}

void Plot(const std::vector<float>& losses) {
  constexpr int kRows = 12, kColumns = 64;
  float highest = 0;
  for (float loss : losses) highest = std::max(highest, loss);
  for (int row = 0; row < kRows; ++row) {
    const float top = highest * static_cast<float>(kRows - row) / kRows;
    const float bottom = highest * static_cast<float>(kRows - row - 1) / kRows;
    std::printf("  %7.3f |", top);
    for (int column = 0; column < kColumns; ++column) {
      const size_t at = static_cast<size_t>(column) * losses.size() / kColumns;
      const float loss = losses[at];
      std::putchar(loss > bottom && loss <= top ? '*' : ' ');
    }
    std::putchar('\n');
  }
  std::printf("    loss  +%s\n           step 1%*s%zu\n", std::string(kColumns, '-').c_str(),
              kColumns - 6, "", losses.size());
}

bool SameBits(const Training& a, const Training& b) {
  if (std::memcmp(a.losses.data(), b.losses.data(), a.losses.size() * sizeof(float)) != 0)
    return false;
  for (size_t i = 0; i < a.state.size(); ++i) {
    if (!(a.state[i] == b.state[i])) return false;
  }
  return true;
}

Status Run(const std::string& path, int steps) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return NotFound("cannot read " + path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());

  AXLE_ASSIGN(const std::unique_ptr<Client> client, Client::Create());
  AXLE_ASSIGN(const std::shared_ptr<Executable> from_hlo, client->Compile(text));
  AXLE_ASSIGN(const XlaComputation built, BuildTrainStep());
  AXLE_ASSIGN(const std::shared_ptr<Executable> from_builder, client->Compile(built));

  std::printf("Training a %lld-%lld-%lld-%lld perceptron for %d steps, from JAX's HLO (%s):\n\n",
              static_cast<long long>(kInputs), static_cast<long long>(kHidden1),
              static_cast<long long>(kHidden2), static_cast<long long>(kClasses), steps,
              path.c_str());
  AXLE_ASSIGN(const Training hlo, Train(*from_hlo, steps, "from HLO"));
  Plot(hlo.losses);
  AXLE_ASSIGN(const Training builder, Train(*from_builder, steps, "from XlaBuilder"));
  std::printf(
      "\n  from HLO:        loss %.4f -> %.4f in %.2f s (%.2f ms per step, %lld instructions)\n",
      hlo.losses.front(), hlo.losses.back(), hlo.seconds, hlo.seconds * 1e3 / steps,
      static_cast<long long>(from_hlo->module().num_instructions()));
  std::printf(
      "  from XlaBuilder: loss %.4f -> %.4f in %.2f s (%.2f ms per step, %lld instructions)\n",
      builder.losses.front(), builder.losses.back(), builder.seconds, builder.seconds * 1e3 / steps,
      static_cast<long long>(from_builder->module().num_instructions()));
  if (!SameBits(hlo, builder)) return Internal("the two gave different bits");
  std::printf("\nBoth gave the same bits: every loss, parameter and momentum.\n");
  if (hlo.losses.back() > 0.5f * hlo.losses.front() && steps >= 100) {
    return Internal("the loss has not fallen");
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  int steps = 200;
  std::string path = "examples/mlp_train_step.hlo";
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--steps") == 0 && i + 1 < argc) {
      steps = std::max(1, std::atoi(argv[++i]));
    } else if (argv[i][0] == '-') {
      std::printf("usage: example_mlp [--steps N] [mlp_train_step.hlo]\n");
      return std::strcmp(argv[i], "--help") == 0 || std::strcmp(argv[i], "-h") == 0 ? 0 : 2;
    } else {
      path = argv[i];
    }
  }
  const axle::Status status = Run(path, steps);
  if (status.ok()) return 0;
  std::fprintf(stderr, "example_mlp: %s\n", status.ToString().c_str());
  return 1;
}
