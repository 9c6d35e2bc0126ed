// A ProfileReport (client/profile.h) as text. Thread-safe.
#pragma once
#include <string>

#include "axle/client/profile.h"

namespace axle {

// Returns tables for people, one for each program and device, with the steps that take the most
// time first and at most `max_rows` of them. Times are per run; bytes and operations per turn.
std::string ProfileTable(const ProfileReport& report, i64 max_rows = 30);

// Returns a JSON object on one line, without its end: {"schema":"axle.profile/1","programs":[...]}
// with the members of ProfileReport but for the events. docs/profiling.md lists them. What is not
// known is null.
std::string ProfileJson(const ProfileReport& report);

// Returns the events as a trace for Perfetto and chrome://tracing: a JSON array of complete events,
// in which a process is a device and a thread is one that worked for it. If events were left out,
// the last one says how many.
std::string ProfileTrace(const ProfileReport& report);

}  // namespace axle
