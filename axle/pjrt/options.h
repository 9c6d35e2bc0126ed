// The options of a compilation, as PJRT clients send them: a CompileOptionsProto.
#pragma once
#include <string_view>
#include <vector>

#include "axle/client/client.h"

namespace axle::pjrt {

struct ProgramOptions {
  i64 num_replicas = 1;
  i64 num_partitions = 1;
  // devices[r * num_partitions + p] runs replica r of partition p; empty if the client leaves the
  // choice to the plugin.
  std::vector<i64> devices = {};
  // Of a program of one device without such a list: its number among the devices of this process;
  // -1 for any.
  i64 ordinal = -1;
  // The program has no device of its own: each execution names one.
  bool is_portable = false;
  // The program takes its arguments as one tuple, and is called with its elements.
  bool has_tupled_arguments = false;
  Numerics numerics = Numerics::kStrict;
  EngineKind engine = EngineKind::kDefault;
};

// Reads the message; fields that have no meaning here are skipped. Errors: INVALID_ARGUMENT for
// bytes that are no such message, for numbers that make no sense, and for an option of the user
// (env_option_overrides) that there is not: "No such compile option: 'x'".
//
// Options of the user that there are: axle_numerics ("strict" or "fast") and axle_engine ("native"
// or "interpret"). Those that begin with xla_ are XLA's and have no effect.
StatusOr<ProgramOptions> ReadProgramOptions(std::string_view bytes);

// The DeviceAssignmentProto of these devices.
std::string WriteDeviceAssignment(i64 num_replicas, i64 num_partitions,
                                  const std::vector<i64>& devices);

}  // namespace axle::pjrt
