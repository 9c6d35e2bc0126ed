// Plan: a computation prepared for interpretation, made once however often the computation runs:
// its steps in order, which values each step reads for the last time, and elementwise code as lane
// programs. Values are numbered by Instruction::index().
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "axle/core/literal.h"
#include "axle/core/step_description.h"
#include "axle/emit/index_map.h"
#include "axle/emit/lane_program.h"
#include "axle/ops/op_def.h"

namespace axle {

// A value that a step reads.
struct PlanOperand {
  std::uint32_t value;
  bool last = false;       // nobody reads it afterwards: its storage may be taken over
  bool broadcast = false;  // kLanes: one element stands for all
};

struct PlanStep {
  // The instruction, or the first of the run that `program` computes.
  const Instruction* inst = nullptr;
  std::vector<const Instruction*> run;  // kLanes: all of it
  bool is_long = false;                 // the clock is read before this step
  std::vector<PlanOperand> operands;
  std::vector<std::uint32_t> results;  // more than one only for lane programs
  enum class Kind : std::uint8_t { kLanes, kIndexMap, kElement, kEval, kDynamic };
  Kind kind = Kind::kEval;
  LaneProgram program;               // kLanes
  std::vector<Shape> result_shapes;  // kLanes: without layouts
  IndexMap index_map;                // kIndexMap
  i64 element = 0;                   // kElement: index in the tuple
  bool takes_element = false;        // nobody else reads this element of the tuple afterwards
};

struct Plan {
  std::vector<PlanStep> steps;
  // A constant has its value from the start and keeps it.
  std::vector<std::pair<std::uint32_t, Literal>> constants;
  std::vector<std::uint32_t> unread_parameters;
  bool is_dynamic = false;  // something has a dynamic dimension
};

// UNIMPLEMENTED if the computation has something that the interpreter cannot run.
StatusOr<Plan> MakePlan(const HloComputation& computation);

// Plans of the computations of one module, kept from one run to the next. Thread-safe.
class PlanCache {
 public:
  StatusOr<std::shared_ptr<const Plan>> Get(const HloComputation& computation);
  // What the steps of all plans are, for profiles; the keys are the addresses of the plans.
  std::vector<StepGroupDescription> DescribeSteps();

 private:
  std::mutex mutex_;
  std::unordered_map<const HloComputation*, std::shared_ptr<const Plan>> plans_;
};

}  // namespace axle
