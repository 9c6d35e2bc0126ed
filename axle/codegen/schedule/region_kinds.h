// The kinds of regions, and what the compiler knows of each: its row, k<Kind>Region, which stands
// in codegen/kinds/<kind>.cc. Their list is runtime/region_kinds.def: a kind without a row does not
// link.
//
// A new kind is a line in that list, its row, and a step (codegen/steps/) that runs it.
// CONTRIBUTING.md follows one from beginning to end.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "axle/core/element_type.h"
#include "axle/ir/module.h"

namespace axle {

enum class RegionKind : std::uint8_t {
#define REGION_KIND(enumerator, name, what) k##enumerator,
#define FOLD_FORM(name, what)
#include "axle/runtime/region_kinds.def"
#undef REGION_KIND
#undef FOLD_FORM
};
// The name that `axle explain` shows.
std::string_view Name(RegionKind kind);

struct Region;
struct PlannedStep;   // kinds/step_planner.h
class StepPlanner;    // kinds/step_planner.h
struct RecordWriter;  // kinds/record_writer.h
struct SubView;       // schedule/sub_views.h
struct SubViewWrite;  // schedule/sub_views.h

struct RegionKindDef {
  RegionKind kind;
  // The engine that computes it, for reports: "compiled", "library", "evaluator" or "program".
  std::string_view engine;

  // -- Which instructions get such a region, and what it does to their neighbours. --

  // Whether a region of this kind is made of this instruction alone; it then reads and writes whole
  // values. Asked of what is no part of a loop, no view and no call. Null: the schedule builder
  // makes them otherwise.
  bool (*takes)(const Instruction& inst) = nullptr;
  // Whether output i lies where input i lies, if no other region reads that input afterwards. Null:
  // it does not.
  bool (*updates_in_place)(const Instruction& inst) = nullptr;
  // It has no effect but its results, and may come earlier than it stands.
  bool may_move = false;
  // Why the region is no part of another one, for people; null: it may be, or has several parts.
  std::string (*why_alone)(const Instruction& inst) = nullptr;
  // Whether it can write an output where a sub-view lies that is one run of elements, and where one
  // lies that is not. Null: it writes runs, and nothing else.
  bool (*can_write)(const Region& region, const SubViewWrite& write) = nullptr;

  // -- How it runs. --

  // Computations that its instructions call are code of the region, and no programs.
  bool has_callees_inside = false;
  // The computation whose results take the place of its arguments, or -1: the body of a loop.
  std::ptrdiff_t body = -1;
  // Plans the step before memory is planned, because its plan says how much it needs, or that there
  // is no such step: then the region becomes one of kind kEvaluate. What the region calls is
  // compiled by now. Null: add_record makes the plan.
  PlannedStep (*plan)(StepPlanner& planner, const Region& region) = nullptr;
  // Plans the step that writes into a sub-view that is not one run; null if can_write takes none.
  PlannedStep (*plan_into)(StepPlanner& planner, const Region& region,
                           const SubView& view) = nullptr;
  // Memory that a run of a region needs beside its values, with that of the programs that it calls,
  // for kinds that are not planned before. Null: none.
  i64 (*scratch_bytes)(const StepPlanner& planner, const Region& region) = nullptr;
  // Adds the record. It may move parts of the region into it that are not needed any more.
  void (*add_record)(RecordWriter& writer, Region& region);
};

const RegionKindDef& GetKind(RegionKind kind);
std::span<const RegionKindDef* const> AllRegionKinds();

}  // namespace axle
