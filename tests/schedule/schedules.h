// The schedule of a module's entry, for tests of what becomes a region.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string_view>

#include "axle/codegen/schedule/regions.h"
#include "axle/text/parse.h"

namespace axle {

struct MadeSchedule {
  std::unique_ptr<Module> module;  // that the schedule points at
  Schedule schedule;
};

// Empty, with a failure of the test, if there is none.
inline MadeSchedule ScheduleOfEntry(std::string_view text) {
  MadeSchedule made;
  auto module = Parse(text);
  EXPECT_TRUE(module.ok()) << module.status().ToString() << "\n" << text;
  if (!module.ok()) return made;
  made.module = *std::move(module);
  auto schedule = MakeSchedule(*made.module->entry());
  EXPECT_TRUE(schedule.ok()) << schedule.status().ToString();
  if (schedule.ok()) made.schedule = *std::move(schedule);
  return made;
}

}  // namespace axle
