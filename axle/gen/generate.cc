// Composes a module. Modules of collectives are mostly for several devices, few others are. Modules
// come in rounds of four: in one of them, at a random place of the
// round, the subject is placed in every setting (settings.cc); in the other three it has other
// operations around it. Both sequences go through all their subjects before one repeats. The second
// strides by a prime that is larger than the number of subjects, so that a short run meets all
// operations and types.
//
// Some modules have layouts, as compilers write them; they change no value but through bitcasts.
// The result is a tuple of the arrays that no instruction reads, so dead code is rare. Entry
// layouts, input-output aliases and donations are drawn last. The text is printed and parsed again:
// the parser and printer are part of what is tested.

#include "axle/gen/generate.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "axle/core/float_environment.h"
#include "axle/core/strings.h"
#include "axle/gen/patterns.h"
#include "axle/gen/tested_ops.h"
#include "axle/ir/callees_first.h"
#include "axle/passes/facts.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"

namespace axle {
namespace {

// Whether it is an array that no instruction reads.
bool IsLoose(const Instruction& inst) {
  return inst.first_use() == nullptr && inst.shape().is_array() && !IsParameter(inst);
}

// The result: the arrays that no instruction reads, and sometimes one that is read, or one twice.
Instruction* DrawResult(Body& body) {
  Random& random = body.random();
  std::vector<Instruction*> outputs;
  for (Instruction* value : body.values()) {
    if (IsLoose(*value) && !random.Percent(3)) outputs.push_back(value);
  }
  if (outputs.size() == 1 && random.Percent(80)) return outputs[0];
  for (i64 more = random.Percent(30) ? random.Between(1, 2) : 0; more > 0 && !body.values().empty();
       --more) {
    outputs.push_back(random.Of(body.values()));
  }
  if (random.Percent(10) && outputs.size() > 1) {
    Instruction* inner = body.Add(Opcode::kTuple, {outputs.back(), outputs[0]});
    outputs.back() = inner;
  }
  return body.Add(Opcode::kTuple, outputs, {});
}

// Draws layouts of the entry, input-output aliases and donations. An alias needs a parameter of the
// leaf's shape that no other alias has taken.
void DrawConfig(Random& random, Module& module) {
  const HloComputation& entry = *module.entry();
  const Shape& result = entry.root()->shape();
  if (random.Percent(20)) {
    ProgramShape shape;
    for (const Instruction* p : entry.parameters())
      shape.parameters.push_back(WithAnyLayout(random, p->shape()));
    shape.result = WithAnyLayout(random, result);
    module.config().entry_computation_layout = std::move(shape);
  }
  // Each leaf of the result takes the first free parameter of its shape; other parameters may be
  // donated without an alias.
  if (!random.Percent(25)) return;
  std::vector<bool> taken(entry.parameters().size());
  ForEachLeaf(result, [&](const Shape& leaf, const Dims& path) {
    for (size_t p = 0; p < taken.size(); ++p) {
      if (taken[p] || !EqualIgnoringLayout(entry.parameters()[p]->shape(), leaf)) continue;
      taken[p] = true;
      module.config().input_output_alias.push_back({path, static_cast<i64>(p), {}});
      break;
    }
  });
  for (size_t p = 0; p < taken.size(); ++p) {
    if (!taken[p] && random.Percent(20))
      module.config().buffer_donor.push_back({static_cast<i64>(p), {}});
  }
}

// Moves callees before their callers, the order of every module.
void OrderComputations(Module& module) {
  for (const HloComputation* computation : CalleesFirst(module)) {
    const auto all = module.computations();
    const auto at =
        std::ranges::find_if(all, [&](const auto& c) { return c.get() == computation; });
    module.MoveToEnd(static_cast<size_t>(at - all.begin()));
  }
}

// Computations that were drawn for an instruction that was then refused are called by nobody.
// Cloning from the entry copies exactly what the entry calls.
StatusOr<std::unique_ptr<Module>> WithoutUncalled(const Module& module) {
  auto kept = std::make_unique<Module>(module.name());
  std::unordered_map<const HloComputation*, HloComputation*> cloned;
  kept->set_entry(kept->CloneComputation(*module.entry(), cloned));
  kept->config() = module.config();
  return kept;
}

// In each round of so many modules, one has its subject in every setting, the others have context.
constexpr std::uint64_t kRound = 4;

const TestedOp& Nth(std::span<const TestedOp> subjects, std::uint64_t n) {
  return subjects[n % subjects.size()];
}

// The place of that module in its round; random, so that no stride of indices meets one sort only.
std::uint64_t TurnOfSettings(std::uint64_t round) {
  return static_cast<std::uint64_t>(Random(round).Below(kRound));
}

// Each subject once before any repeats; consecutive ones differ in operation and type, because the
// stride is a prime larger than their number.
const TestedOp& SettingSubject(std::uint64_t n) {
  constexpr std::uint64_t kStride = 7919;
  return Nth(TestedOpsOfSettings(), n * kStride);
}

// Makes the context of the operation under test. In 20 % of these modules the operation is alone,
// in 40 % it has arbitrary operations around it, and a tenth is large; in the others patterns and
// settings stand beside it.
void DrawAround(Body& entry, const TestedOp& subject) {
  Random& random = entry.random();
  GeneratorState& state = entry.state();
  const i64 kind = random.Below(100);
  const bool is_alone = kind >= 80, has_company = kind < 40;
  state.is_large = kind < 10;
  if (state.is_large) state.work_limit = 400'000;
  state.has_layouts = random.Percent(15);
  state.layout_random = Random(random.Bits());
  if (!is_alone && random.Percent(50)) DrawPattern(entry);
  // An operation that refuses one set of operands may accept another.
  bool is_drawn = false;
  for (int tries = 0; tries < 4 && !is_drawn; ++tries) {
    is_drawn = Draw(entry, *subject.op, subject.type) != nullptr;
  }
  if (!has_company && random.Percent(60)) {
    DrawSetting(entry, *subject.op, is_drawn ? subject.type : entry.AnyType());
  }
  if (has_company) {
    if (random.Percent(30)) DrawPattern(entry);
    DrawSome(entry, static_cast<int>(random.Between(0, state.is_large ? 3 : 8)));
  }
  if (!is_alone && random.Percent(25)) {
    random.Percent(70) ? DrawDenseIntegers(entry) : DrawDenseFloats(entry);
  }
  if (!is_alone) DrawLanes(entry, static_cast<int>(random.Between(0, has_company ? 6 : 2)));
}

}  // namespace

// The position is searched, because the subjects are visited with a stride.
std::uint64_t FirstWithSettings(Opcode op, ElementType type) {
  std::uint64_t round = 0;
  for (const size_t end = TestedOpsOfSettings().size(); round < end; ++round) {
    const TestedOp& subject = SettingSubject(round);
    if (subject.op->opcode == op && subject.type == type) break;
  }
  return round * kRound + TurnOfSettings(round);
}

// How many devices the module is for. A stream of its own: other modules stay as they are.
void DrawDevices(std::uint64_t seed, std::uint64_t index, const TestedOp& subject,
                 ModuleConfig& config) {
  Random random(~seed, index);
  const bool is_collective = subject.op->lowering == Lowering::kCollective;
  if (!random.Percent(is_collective ? 80 : 3)) return;
  constexpr std::pair<i64, i64> kDevices[] = {{2, 1}, {3, 1}, {4, 1}, {5, 1}, {1, 2},
                                              {1, 3}, {2, 2}, {3, 2}, {2, 4}};
  std::tie(config.replica_count, config.num_partitions) = random.Of(kDevices);
}

// A fixed floating-point environment makes the text independent of the caller's rounding mode.
StatusOr<std::string> GenerateText(std::uint64_t seed, std::uint64_t index) {
  const ScopedFloatEnvironment environment;
  GeneratorState state(StrCat("gen_", seed, "_", index), Random(seed, index));
  Module& module = state.module;
  Body entry(state, module.AddComputation("main"), 0);
  module.set_entry(entry.computation());
  const std::uint64_t round = index / kRound, turn = index % kRound;
  const std::uint64_t with_settings = TurnOfSettings(round);
  if (turn == with_settings) {
    const TestedOp& subject = SettingSubject(round);
    DrawDevices(seed, index, subject, module.config());
    DrawSettings(entry, *subject.op, subject.type);
  } else {
    const std::uint64_t before = turn < with_settings ? turn : turn - 1;
    const TestedOp& subject = Nth(TestedOps(), round * (kRound - 1) + before);
    DrawDevices(seed, index, subject, module.config());
    DrawAround(entry, subject);
  }
  AXLE_TRY(entry.Finish(DrawResult(entry)));
  AXLE_ASSIGN(const std::unique_ptr<Module> kept, WithoutUncalled(module));
  OrderComputations(*kept);
  DrawConfig(state.random, *kept);
  return Print(*kept);
}

StatusOr<std::unique_ptr<Module>> GenerateModule(std::uint64_t seed, std::uint64_t index) {
  AXLE_ASSIGN(const std::string text, GenerateText(seed, index));
  StatusOr<std::unique_ptr<Module>> module =
      Parse(text, {.label = StrCat("gen ", seed, ":", index)});
  if (module.ok()) return module;
  return Internal(StrCat("a generated module is refused: ", module.status().ToString()));
}

}  // namespace axle
