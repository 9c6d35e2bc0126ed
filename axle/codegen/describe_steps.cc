// A report has one record per region; the program has records for copies beside those. A record
// that no region made has its name alone.
#include "axle/codegen/describe_steps.h"

#include <utility>

namespace axle {
namespace {

StepDescription Describe(const CompileReport::Record& record) {
  StepDescription step = {.name = record.name, .kind = record.kind};
  for (const std::string_view engine : {"compiled", "library", "evaluator", "program"}) {
    if (record.engine == engine) step.engine = engine;
  }
  for (const CompileReport::Instruction& inst : record.instructions) {
    step.ops.push_back({inst.name, inst.op, inst.source});
  }
  const bool is_program = step.engine == "program";  // it passes values on
  step.bytes_read = is_program ? 0 : record.bytes_read;
  step.bytes_written = is_program ? 0 : record.bytes_written;
  step.flops = record.flops;
  return step;
}

}  // namespace

std::vector<StepGroupDescription> DescribeSteps(const CompiledModule& compiled,
                                                const CompileReport& report) {
  std::vector<StepGroupDescription> groups;
  for (const auto& computation : compiled.computations) {
    if (computation->program == nullptr) continue;
    const Program& program = *computation->program;
    StepGroupDescription& group = groups.emplace_back();
    group.key = &program;
    group.computation = program.name;
    for (const Record& record : program.records) {
      group.steps.push_back({.name = record.name, .kind = "copy", .engine = "library"});
    }
  }
  for (const CompileReport::Program& program : report.programs) {
    if (std::cmp_greater_equal(program.position, groups.size())) continue;
    std::vector<StepDescription>& steps = groups[static_cast<size_t>(program.position)].steps;
    for (const CompileReport::Record& record : program.records) {
      if (std::cmp_greater_equal(record.position, steps.size())) continue;
      StepDescription& step = steps[static_cast<size_t>(record.position)];
      if (step.name == record.name) step = Describe(record);
    }
  }
  return groups;
}

}  // namespace axle
