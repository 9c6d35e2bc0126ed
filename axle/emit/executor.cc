// How the block executor runs a program: each operation becomes a step, a function over arrays of
// up to kBlockSize elements, chosen once by primitive and types (primitives.h). Inputs are read in
// place, results are written in place unless an output overlaps an input, and every other value is
// in a register (a block of memory) that the program assigned. x * y + 1 on 1000 elements is three
// steps (the constant, the product, the sum), run on blocks of 256, 256, 256 and 232; the sum goes
// right into the output array.
//
// A plan depends on the program and on whether it writes in place. The last plans are kept in 256
// entries by serial number; another program in the same entry replaces the plan, which costs time
// and changes no result.

#include "axle/emit/executor.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "axle/emit/primitives.h"

namespace axle {
namespace {

// Where a value is: a register of the executor, or an array of the caller.
struct Place {
  enum Kind : std::uint8_t { kRegister, kInput, kOutput } kind = kRegister;
  std::uint32_t index = 0;
  i64 element_bytes = 0;
};

struct Step {
  StepFn fn;
  std::uint64_t immediate;
  int num_operands;
  Place result;
  Place operands[3];
};

// A result that is not where it belongs when the steps are done: copied, or interleaved.
struct StoredPart {
  Place from;
  std::uint32_t output;
  int part, num_parts;
  LaneType type;
};

struct Plan {
  std::vector<Step> steps;
  std::vector<StoredPart> stores;
};

template <typename T>
void StorePart(void* to, const void* from, int part, i64 count) {
  T* parts = static_cast<T*>(to) + part;
  for (i64 i = 0; i < count; ++i) parts[2 * i] = static_cast<const T*>(from)[i];
}

// With `in_place`, the steps write results straight into the output arrays.
StatusOr<Plan> MakePlan(const LaneProgram& program, bool in_place) {
  Plan plan;
  std::vector<Place> places(program.code.size());
  for (size_t i = 0; i < program.code.size(); ++i) {
    const LaneOp& op = program.code[i];
    const auto input = op.input();
    places[i] = {Place::kRegister, program.registers[i], BytesOf(op.type)};
    // A result that is an input is copied first: storing another result may overwrite it.
    const bool copied = !in_place && std::ranges::find(program.results, i) != program.results.end();
    if (op.primitive == Primitive::kInput && program.inputs[input].num_parts == 1 && !copied) {
      places[i] = {Place::kInput, input, BytesOf(op.type)};
    }
  }
  // Every value has its place before anything is stored from there: one value may be several
  // results.
  size_t result = 0;
  std::vector<LaneId> stored;  // by entry of plan.stores
  for (std::uint32_t output = 0; output < program.outputs.size(); ++output) {
    const LaneArray& array = program.outputs[output];
    for (int part = 0; part < array.num_parts; ++part) {
      const LaneId id = program.results[result++];
      if (in_place && array.num_parts == 1 && places[id].kind == Place::kRegister) {
        places[id] = {Place::kOutput, output, BytesOf(array.type)};
      } else {
        plan.stores.push_back({{}, output, part, array.num_parts, array.type});
        stored.push_back(id);
      }
    }
  }
  for (size_t i = 0; i < stored.size(); ++i) plan.stores[i].from = places[stored[i]];
  for (size_t i = 0; i < program.code.size(); ++i) {
    const LaneOp& op = program.code[i];
    if (places[i].kind == Place::kInput) continue;
    Step step{FindStep(program, op), op.immediate, Arity(op.primitive), places[i], {}};
    if (step.fn == nullptr) {
      return Internal("lane program: no primitive of these types in\n" + program.ToString());
    }
    for (int k = 0; k < step.num_operands; ++k) step.operands[k] = places[op.operands[k]];
    if (op.primitive == Primitive::kInput) {
      const auto input = op.input();
      step.num_operands = 1;
      step.operands[0] = {Place::kInput, input, program.inputs[input].element_bytes()};
    }
    if (op.primitive == Primitive::kElement) {
      step.num_operands = 2;
      step.operands[1] = {Place::kInput, op.input(), 0};  // every block reads all of it
    }
    plan.steps.push_back(step);
  }
  return plan;
}

struct alignas(64) Register {
  std::byte bytes[kBlockSize * 8];
};

// Runs the plan on elements [begin, begin + count).
void RunPlan(const LaneProgram& program, const Plan& plan, Register* registers,
             std::span<const void* const> inputs, std::span<void* const> outputs, i64 begin,
             i64 count) {
  const auto address = [&](const Place& place) -> std::byte* {
    switch (place.kind) {
      case Place::kInput:
        return const_cast<std::byte*>(static_cast<const std::byte*>(inputs[place.index])) +
               begin * place.element_bytes;
      case Place::kOutput:
        return static_cast<std::byte*>(outputs[place.index]) + begin * place.element_bytes;
      default:
        return registers[place.index].bytes;
    }
  };
  StepArgs args{};
  args.count = count;
  for (const Step& step : plan.steps) {
    args.result = address(step.result);
    args.immediate = step.immediate;
    for (int k = 0; k < step.num_operands; ++k) args.operands[k] = address(step.operands[k]);
    step.fn(args);
  }
  for (const StoredPart& store : plan.stores) {
    const LaneArray& array = program.outputs[store.output];
    std::byte* to = static_cast<std::byte*>(outputs[store.output]) + begin * array.element_bytes();
    const std::byte* from = address(store.from);
    if (store.num_parts == 1) {
      if (to != from) std::memcpy(to, from, static_cast<size_t>(count * BytesOf(store.type)));
    } else if (BytesOf(store.type) == 4) {
      StorePart<std::uint32_t>(to, from, store.part, count);
    } else {
      StorePart<std::uint64_t>(to, from, store.part, count);
    }
  }
}

}  // namespace

struct BlockExecutor::State {
  // The plans of the programs run last, by their serial number.
  struct Cached {
    std::uint64_t serial = 0;
    bool in_place = false;
    Plan plan;
  };
  Cached cache[256];
  std::vector<Register> registers;

  StatusOr<const Plan*> PlanFor(const LaneProgram& program, bool in_place) {
    Cached& cached = cache[program.serial % std::size(cache)];
    if (cached.serial != program.serial || cached.in_place != in_place) {
      AXLE_ASSIGN(cached.plan, MakePlan(program, in_place));
      cached.serial = program.serial;
      cached.in_place = in_place;
    }
    return &cached.plan;
  }
};

BlockExecutor::BlockExecutor() : state_(std::make_unique<State>()) {}
BlockExecutor::~BlockExecutor() = default;

Status BlockExecutor::Run(const LaneProgram& program, std::span<const void* const> inputs,
                          std::span<void* const> outputs, i64 count) {
  bool overlaps = false;
  for (const void* output : outputs) {
    overlaps = overlaps || std::find(inputs.begin(), inputs.end(), output) != inputs.end();
  }
  AXLE_ASSIGN(const Plan* plan, state_->PlanFor(program, !overlaps));
  if (state_->registers.size() < static_cast<size_t>(program.num_registers)) {
    state_->registers.resize(program.num_registers);
  }
  for (i64 begin = 0; begin < count; begin += kBlockSize) {
    RunPlan(program, *plan, state_->registers.data(), inputs, outputs, begin,
            std::min(kBlockSize, count - begin));
  }
  return {};
}

struct ScalarExecutor::State {
  const LaneProgram& program;
  Plan plan;
  struct alignas(8) Slot {
    std::byte bytes[8];
  };
  std::vector<Slot> registers;
};

ScalarExecutor::ScalarExecutor(const LaneProgram& program)
    : state_(new State{program, {}, std::vector<State::Slot>(program.num_registers)}) {
  StatusOr<Plan> plan = MakePlan(program, /*in_place=*/false);
  if (plan.ok()) state_->plan = *std::move(plan);
}
ScalarExecutor::~ScalarExecutor() = default;

void ScalarExecutor::Run(std::span<const void* const> inputs, std::span<void* const> outputs) {
  StepArgs args{};
  args.count = 1;
  const auto address = [&](const Place& place) -> void* {
    return place.kind == Place::kInput ? const_cast<void*>(inputs[place.index])
                                       : state_->registers[place.index].bytes;
  };
  for (const Step& step : state_->plan.steps) {
    args.result = address(step.result);
    args.immediate = step.immediate;
    for (int k = 0; k < step.num_operands; ++k) args.operands[k] = address(step.operands[k]);
    step.fn(args);
  }
  for (const StoredPart& store : state_->plan.stores) {
    const auto bytes = static_cast<size_t>(BytesOf(store.type));
    std::memmove(static_cast<std::byte*>(outputs[store.output]) + store.part * bytes,
                 address(store.from), bytes);
  }
}

}  // namespace axle
