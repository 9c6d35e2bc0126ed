// Instructions, their uses, clones, hashes and side tables.
#include "axle/ir/module.h"

#include <gtest/gtest.h>
#include <malloc.h>

#include <map>
#include <random>

#include "axle/core/strings.h"
#include "axle/ir/callees_first.h"

namespace axle {
namespace {

Instruction* AddParameter(HloComputation* computation, std::string_view name = "p",
                          Shape shape = Shape(F32)) {
  return computation->Add({.opcode = Opcode::kParameter, .name = name, .shape = std::move(shape)});
}

Instruction* AddOp(HloComputation* computation, Opcode opcode, std::string_view name,
                   std::vector<Instruction*> operands, Shape shape = Shape(F32)) {
  return computation->Add(
      {.opcode = opcode, .name = name, .shape = std::move(shape), .operands = operands});
}

// The use lists, as counts per (operand, user), found by walking the lists and by asking everybody.
using Uses = std::map<std::pair<const Instruction*, const Instruction*>, int>;

Uses ListedUses(const HloComputation& computation) {
  Uses uses;
  for (const Instruction* inst : computation.instructions()) {
    for (const Use* use = inst->first_use(); use != nullptr; use = use->next) {
      EXPECT_EQ(use->operand, inst);
      EXPECT_EQ(*use->link, use);
      ++uses[{inst, use->user}];
    }
  }
  return uses;
}

Uses OperandUses(const HloComputation& computation) {
  Uses uses;
  for (const Instruction* inst : computation.instructions()) {
    for (i64 i = 0; i < inst->num_operands(); ++i) ++uses[{inst->operand(i), inst}];
  }
  return uses;
}

TEST(Instruction, UsesFollowEveryChange) {
  std::mt19937 random(3);
  Module module("m");
  HloComputation* computation = module.AddComputation("c");
  for (int i = 0; i < 3; ++i) AddParameter(computation);
  for (int step = 0; step < 3000; ++step) {
    const auto all = computation->instructions();
    const auto pick = [&](size_t below) { return all[random() % below]; };
    switch (random() % 4) {
      case 0:
      case 1: {
        std::vector<Instruction*> operands(random() % 5);
        for (Instruction*& operand : operands) operand = pick(all.size());
        AddOp(computation, Opcode::kTuple, "t", operands);
        break;
      }
      case 2: {
        Instruction* user = all[random() % all.size()];
        if (user->num_operands() == 0) break;
        user->ReplaceOperand(random() % user->num_operands(), pick(user->index()));
        break;
      }
      default: {
        Instruction* from = pick(all.size());
        if (random() % 8 == 0) from->ReplaceAllUsesWith(pick(from->index() + 1));
        if (all.back()->first_use() == nullptr && all.size() > 3) computation->RemoveLast();
        break;
      }
    }
    if (step % 50 == 0) {
      ASSERT_EQ(ListedUses(*computation), OperandUses(*computation));
    }
  }
  EXPECT_GT(computation->instructions().size(), 500u);
}

TEST(Instruction, ReplaceAllUsesTakesEveryUse) {
  Module module("m");
  HloComputation* c = module.AddComputation("c");
  Instruction* x = AddParameter(c);
  Instruction* y = AddParameter(c);
  Instruction* twice = AddOp(c, Opcode::kAdd, "twice", {x, x});
  Instruction* once = AddOp(c, Opcode::kNegate, "once", {x});
  x->ReplaceAllUsesWith(y);
  EXPECT_EQ(x->first_use(), nullptr);
  EXPECT_EQ(twice->operand(0), y);
  EXPECT_EQ(twice->operand(1), y);
  EXPECT_EQ(once->operand(0), y);
  y->ReplaceAllUsesWith(y);
  EXPECT_EQ(once->operand(0), y);
}

TEST(HloComputation, RootIndexAndRemoveLast) {
  Module module("m");
  HloComputation* c = module.AddComputation("c");
  EXPECT_EQ(c->root(), nullptr);
  Instruction* x = AddParameter(c);
  Instruction* y = AddOp(c, Opcode::kNegate, "y", {x});
  EXPECT_EQ(c->root(), y);
  EXPECT_EQ(y->index(), 1u);
  c->MutableExtras(y).sharding = "{replicated}";
  c->RemoveLast();
  EXPECT_EQ(c->root(), x);
  EXPECT_EQ(x->first_use(), nullptr);
  Instruction* z = AddOp(c, Opcode::kNegate, "z", {x});
  EXPECT_EQ(z->index(), 1u);
  EXPECT_EQ(z->extras(), nullptr);
  c->set_root(x);
  EXPECT_EQ(c->root(), x);
}

TEST(Module, TextsShapesAndMetadataAreStoredOnce) {
  Module module("m");
  HloComputation* c = module.AddComputation("c");
  std::string name = "source.py";
  Metadata metadata;
  metadata.source_file = name;
  metadata.source_line = 7;
  std::string first_name = "first";
  Instruction* a = c->Add({.opcode = Opcode::kParameter,
                           .name = first_name,
                           .shape = Shape(F32, {2}),
                           .metadata = metadata});
  first_name = "other";
  const std::string same_text = "source.py";
  metadata.source_file = same_text;
  Instruction* b = c->Add(
      {.opcode = Opcode::kParameter, .name = "b", .shape = Shape(F32, {2}), .metadata = metadata});
  name = "overwritten";
  EXPECT_EQ(a->name(), "first");
  EXPECT_EQ(&a->metadata(), &b->metadata());
  EXPECT_EQ(a->metadata().source_file, "source.py");
  EXPECT_EQ(&a->shape(), &b->shape());
  EXPECT_EQ(module.InternText("source.py").data(), a->metadata().source_file.data());
  EXPECT_EQ(module.InternText(""), "");
  c->SetShape(a, Shape(F32, {3}));
  EXPECT_EQ(a->shape(), Shape(F32, {3}));
  EXPECT_EQ(b->shape(), Shape(F32, {2}));
}

TEST(Module, IdsArePositionsAndSurviveClones) {
  Module module("m");
  module.AddComputation("first");
  HloComputation* c = module.AddComputation("second");
  AddParameter(c);
  Instruction* x = AddParameter(c);
  EXPECT_TRUE((x->id() == OpId{1, 1}));
  Module other("n");
  std::unordered_map<const HloComputation*, HloComputation*> cloned;
  const HloComputation* copy = other.CloneComputation(*c, cloned);
  EXPECT_EQ(copy->ordinal(), 0u);
  EXPECT_TRUE((copy->instructions()[1]->id() == OpId{1, 1}));
}

// main calls outer, which calls inner; with everything that a module can carry.
std::unique_ptr<Module> MakeModule() {
  auto module = std::make_unique<Module>("m");
  HloComputation* inner = module->AddComputation("inner");
  Instruction* p = AddParameter(inner, "p");
  AddOp(inner, Opcode::kNegate, "n", {p});
  inner->set_parameters({p});
  HloComputation* outer = module->AddComputation("outer");
  Instruction* q = AddParameter(outer, "q");
  outer->Add({.opcode = Opcode::kCall,
              .name = "call.1",
              .shape = Shape(F32),
              .operands = {&q, 1},
              .callees = {&inner, 1}});
  outer->set_parameters({q});
  outer->set_execution_thread("host");
  HloComputation* main = module->AddComputation("main");
  Instruction* x = AddParameter(main, "x");
  Instruction* y = AddParameter(main, "y");
  Instruction* sum = AddOp(main, Opcode::kAdd, "sum", {x, y});
  Instruction* call = main->Add({.opcode = Opcode::kCall,
                                 .name = "call.2",
                                 .shape = Shape(F32),
                                 .operands = {&sum, 1},
                                 .callees = {&outer, 1}});
  AddOp(main, Opcode::kNegate, "unused", {sum});
  main->set_root(call);
  main->set_parameters({y, x});
  InstructionExtras& extras = main->MutableExtras(call);
  extras.sharding = "{replicated}";
  extras.frontend_attributes = {{"a", "\"b\""}};
  extras.control_predecessors = {y, sum};
  extras.backend_config = "";
  extras.has_backend_config = true;
  extras.origins = {{7, 8}};
  module->set_entry(main);
  module->config().replica_count = 4;
  module->config().input_output_alias.push_back({{}, 1, {}, AliasKind::kMustAlias});
  return module;
}

TEST(Clone, EverythingIsThereAgain) {
  const auto module = MakeModule();
  const auto clone = module->Clone();
  ASSERT_EQ(clone->computations().size(), module->computations().size());
  EXPECT_EQ(clone->name(), "m");
  EXPECT_EQ(clone->entry(), clone->computations()[2].get());
  EXPECT_EQ(clone->num_instructions(), module->num_instructions());
  EXPECT_EQ(clone->config().replica_count, 4);
  EXPECT_EQ(clone->config().input_output_alias, module->config().input_output_alias);
  for (size_t i = 0; i < clone->computations().size(); ++i) {
    const HloComputation& from = *module->computations()[i];
    const HloComputation& to = *clone->computations()[i];
    EXPECT_EQ(to.name(), from.name());
    EXPECT_EQ(to.module(), clone.get());
    EXPECT_EQ(to.execution_thread(), from.execution_thread());
    EXPECT_EQ(to.root()->index(), from.root()->index());
    ASSERT_EQ(to.parameters().size(), from.parameters().size());
    for (size_t k = 0; k < to.parameters().size(); ++k) {
      EXPECT_EQ(to.parameters()[k]->index(), from.parameters()[k]->index());
    }
    for (size_t k = 0; k < to.instructions().size(); ++k) {
      const Instruction* a = from.instructions()[k];
      const Instruction* b = to.instructions()[k];
      EXPECT_NE(a, b);
      EXPECT_EQ(b->name(), a->name());
      EXPECT_NE(b->name().data(), a->name().data());
      EXPECT_EQ(b->opcode(), a->opcode());
      EXPECT_EQ(b->shape(), a->shape());
      EXPECT_TRUE(b->id() == a->id());
      EXPECT_EQ(b->parent(), &to);
      for (HloComputation* callee : b->callees()) EXPECT_EQ(callee->module(), clone.get());
    }
    EXPECT_EQ(ListedUses(to), OperandUses(to));
  }
  EXPECT_EQ(StructuralHash(*clone->entry()), StructuralHash(*module->entry()));
}

TEST(Clone, ExtrasPointIntoTheClone) {
  const auto module = MakeModule();
  auto clone = module->Clone();
  const HloComputation* main = clone->entry();
  const InstructionExtras* extras = main->root()->extras();
  ASSERT_NE(extras, nullptr);
  EXPECT_EQ(extras->sharding, "{replicated}");
  EXPECT_TRUE(extras->has_backend_config);
  EXPECT_EQ(extras->frontend_attributes, module->entry()->root()->extras()->frontend_attributes);
  EXPECT_EQ(extras->control_predecessors,
            (std::vector<Instruction*>{main->instructions()[1], main->instructions()[2]}));
  EXPECT_TRUE((extras->origins == std::vector<OpId>{{7, 8}}));
  EXPECT_EQ(main->instructions()[0]->extras(), nullptr);
  // And the original may go.
  clone->entry()->MutableExtras(main->root()).sharding = "{manual}";
  EXPECT_EQ(module->entry()->root()->extras()->sharding, "{replicated}");
}

TEST(Clone, CalleesAreClonedOnceAndLongChainsDoNotRecurse) {
  Module module("m");
  HloComputation* callee = module.AddComputation("c0");
  callee->set_parameters({AddParameter(callee)});
  for (int i = 1; i < 100000; ++i) {
    HloComputation* caller = module.AddComputation("c");
    Instruction* p = AddParameter(caller);
    caller->set_parameters({p});
    HloComputation* both[] = {callee, callee};
    caller->Add({.opcode = Opcode::kConditional,
                 .name = "r",
                 .shape = Shape(F32),
                 .operands = {&p, 1},
                 .callees = both});
    callee = caller;
  }
  module.set_entry(callee);
  const auto clone = module.Clone();
  EXPECT_EQ(clone->computations().size(), module.computations().size());
  EXPECT_EQ(StructuralHash(*clone->entry()), StructuralHash(*module.entry()));
}

// add(x, y) with everything that must not count, and one thing that may.
std::uint64_t HashOf(std::string_view prefix, bool flip, Opcode opcode = Opcode::kAdd,
                     Shape shape = Shape(F32), bool other_root = false,
                     std::string_view thread = "") {
  Module module(std::string(prefix) + "module");
  if (!prefix.empty()) module.AddComputation("in front");
  HloComputation* c = module.AddComputation(StrCat(prefix, "c"));
  c->set_execution_thread(std::string(thread));
  Instruction* x = AddParameter(c, StrCat(prefix, "x"), shape);
  Instruction* y = AddParameter(c, StrCat(prefix, "y"), shape);
  if (flip) std::swap(x, y);
  Metadata metadata;
  metadata.op_name = prefix;
  metadata.source_line = static_cast<std::int32_t>(prefix.size());
  Instruction* operands[] = {x, y};
  Instruction* r = c->Add({.opcode = opcode,
                           .name = StrCat(prefix, "r"),
                           .shape = shape,
                           .operands = operands,
                           .metadata = metadata});
  if (!prefix.empty()) c->MutableExtras(r).sharding = "{replicated}";
  if (other_root) c->set_root(x);
  return StructuralHash(*c);
}

TEST(StructuralHash, NamesAndOriginsDoNotCount) {
  EXPECT_EQ(HashOf("", false), HashOf("other", false));
}

TEST(StructuralHash, EverythingElseCounts) {
  const std::uint64_t hash = HashOf("", false);
  EXPECT_NE(hash, HashOf("", true));
  EXPECT_NE(hash, HashOf("", false, Opcode::kMultiply));
  EXPECT_NE(hash, HashOf("", false, Opcode::kAdd, Shape(F64)));
  EXPECT_NE(hash, HashOf("", false, Opcode::kAdd, Shape(F32, {1})));
  EXPECT_NE(hash, HashOf("", false, Opcode::kAdd, Shape(F32), true));
}

TEST(StructuralHash, CalledComputationsCount) {
  const auto hash = [](Opcode opcode, std::string_view name) {
    Module module("m");
    HloComputation* callee = module.AddComputation(name);
    Instruction* p = AddParameter(callee, name);
    AddOp(callee, opcode, name, {p});
    HloComputation* c = module.AddComputation("c");
    Instruction* x = AddParameter(c);
    c->Add({.opcode = Opcode::kCall,
            .name = "r",
            .shape = Shape(F32),
            .operands = {&x, 1},
            .callees = {&callee, 1}});
    return StructuralHash(*c);
  };
  EXPECT_EQ(hash(Opcode::kNegate, "a"), hash(Opcode::kNegate, "b"));
  EXPECT_NE(hash(Opcode::kNegate, "a"), hash(Opcode::kSine, "a"));
}

// Bytes that malloc has handed out.
size_t HeapBytes() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

TEST(Memory, AnInstructionWithMetadataTakesAtMost500Bytes) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer's heap is not malloc's";
#endif
  constexpr i64 kInstructions = 200000;
  const size_t before = HeapBytes();
  auto module = std::make_unique<Module>("m");
  HloComputation* c = module->AddComputation("main");
  Instruction* x = AddParameter(c, "x", Shape(F32, {128, 128}));
  for (i64 i = 0; i < kInstructions; ++i) {
    // Every instruction has a line of its own; ten share an op name, as in a traced program.
    Metadata metadata;
    const std::string op_name = StrCat("jit(f)/jit(main)/layer_", i / 10, "/add");
    metadata.op_name = op_name;
    metadata.source_file = "/home/user/project/model.py";
    metadata.source_line = static_cast<std::int32_t>(i % 1000);
    Instruction* operands[] = {x, x};
    x = c->Add({.opcode = Opcode::kAdd,
                .name = StrCat("add.", i),
                .shape = x->shape(),
                .operands = operands,
                .metadata = metadata});
  }
  const double bytes = static_cast<double>(HeapBytes() - before) / kInstructions;
  if (bytes == 0) GTEST_SKIP() << "a sanitizer's heap does not tell its size";
  RecordProperty("bytes_per_instruction", StrCat(bytes));
  std::cout << "[ memory   ] " << bytes << " bytes per instruction\n";
  EXPECT_LE(bytes, 500);
  EXPECT_GT(bytes, 72);
}

// a calls b and c, both call d; e calls nothing.
TEST(CalleesFirst, EachComputationIsBehindThoseThatItCalls) {
  Module module("m");
  std::map<std::string, HloComputation*> computations;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    computations[name] = module.AddComputation(name);
  }
  const auto add_call = [&](const char* from, const char* to) {
    HloComputation* callee = computations[to];
    computations[from]->Add(
        {.opcode = Opcode::kCall, .name = to, .shape = Shape(F32), .callees = {&callee, 1}});
  };
  add_call("a", "b");
  add_call("a", "c");
  add_call("b", "d");
  add_call("c", "d");
  const auto names = [](const std::vector<const HloComputation*>& order) {
    return Join(order, " ", [](const HloComputation* c) { return std::string(c->name()); });
  };
  EXPECT_EQ(names(CalleesFirst(module)), "d b c a e");
  EXPECT_EQ(names(CalleesFirst(*computations["c"])), "d c");
  EXPECT_EQ(names(CalleesFirst(*computations["a"],
                               [&](const HloComputation* c) { return c == computations["b"]; })),
            "d c a");
  EXPECT_EQ(names(CalleesFirst(*computations["a"], [](const HloComputation*) { return true; })),
            "");
}

TEST(CalleesFirst, CallsMayBeNestedDeeperThanTheStack) {
  Module module("m");
  constexpr int kDepth = 200000;
  HloComputation* last = module.AddComputation("c0");
  for (int i = 1; i < kDepth; ++i) {
    HloComputation* caller = module.AddComputation(StrCat("c", i));
    caller->Add({.opcode = Opcode::kCall, .name = "x", .shape = Shape(F32), .callees = {&last, 1}});
    last = caller;
  }
  const std::vector<const HloComputation*> order = CalleesFirst(*last);
  ASSERT_EQ(order.size(), static_cast<size_t>(kDepth));
  EXPECT_EQ(order.front()->name(), "c0");
  EXPECT_EQ(order.back(), last);
  EXPECT_EQ(CalleesFirst(module), order);
}

}  // namespace
}  // namespace axle
