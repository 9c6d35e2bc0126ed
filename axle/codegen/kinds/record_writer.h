// RecordWriter: what a row of a region kind (schedule/region_kinds.h) writes its record with.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "axle/codegen/kinds/program_writer.h"
#include "axle/codegen/kinds/step_planner.h"
#include "axle/codegen/schedule/buffers.h"

namespace axle {

struct RecordWriter {
  ProgramWriter& program;
  const Schedule& schedule;
  const SubViews& sub_views;
  StepPlanner& planner;
  // The region's own:
  const PlannedStep& planned;  // if the kind plans before memory is planned
  std::string name;
  std::vector<Place> inputs, outputs;
  Place scratch;  // as much as RegionKindDef::scratch_bytes or the planned step asked for
  // Plans of the compiled code that the record runs, in order: for reports.
  std::vector<const void*> kernels = {};
  // Records that follow the one with the tiles.
  size_t records_behind = 0;

  // Inputs, outputs, and more.
  std::vector<Place> Places(const std::vector<Place>& more = {}) const {
    std::vector<Place> places = inputs;
    places.insert(places.end(), outputs.begin(), outputs.end());
    places.insert(places.end(), more.begin(), more.end());
    return places;
  }
};

// Adds the record of a step that was planned: its places, and its scratch memory behind them.
void AddPlannedRecord(RecordWriter& writer, const std::vector<Place>& places);

}  // namespace axle
