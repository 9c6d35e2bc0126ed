// The messages by their field numbers. Of CompileOptionsProto: 2 parameter_is_tupled_arguments, 3
// executable_build_options, 4 compile_portable_executable, 7 env_option_overrides. Of
// ExecutableBuildOptionsProto: 1 device_ordinal, 4 num_replicas, 5 num_partitions, 9
// device_assignment. Of DeviceAssignmentProto: 1 replica_count, 2 computation_count, 3 for each
// partition the devices of its replicas.
#include "axle/pjrt/options.h"

#include "axle/core/strings.h"
#include "axle/core/wire.h"

namespace axle::pjrt {
namespace {

constexpr std::string_view kLabel = "compile options";

Status ReadDeviceAssignment(const WireReader& in, ProgramOptions& options) {
  i64 replicas = 0, partitions = 0;
  std::vector<std::vector<i64>> by_partition;
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() == 1) {
      AXLE_ASSIGN(replicas, field.Int());
    } else if (field.field() == 2) {
      AXLE_ASSIGN(partitions, field.Int());
    } else if (field.field() == 3) {
      std::vector<i64>& devices = by_partition.emplace_back();
      return ReadMessage(field, [&](const WireReader& device) -> Status {
        return device.field() == 1 ? device.Ints(devices) : Status();
      });
    }
    return {};
  }));
  const auto bad = [&] {
    return InvalidArgument(StrCat(kLabel, ": the device assignment does not name ", replicas, " * ",
                                  partitions, " devices"));
  };
  if (partitions != static_cast<i64>(by_partition.size()) || partitions == 0) return bad();
  for (const std::vector<i64>& devices : by_partition) {
    if (static_cast<i64>(devices.size()) != replicas) return bad();
  }
  options.devices.clear();
  for (size_t r = 0; r < static_cast<size_t>(replicas); ++r) {
    for (const std::vector<i64>& devices : by_partition) options.devices.push_back(devices[r]);
  }
  return {};
}

Status ReadBuildOptions(const WireReader& in, ProgramOptions& options) {
  i64 ordinal = -1;
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    switch (field.field()) {
      case 1: {
        AXLE_ASSIGN(ordinal, field.Int());
        return {};
      }
      case 4: {
        AXLE_ASSIGN(options.num_replicas, field.Int());
        return {};
      }
      case 5: {
        AXLE_ASSIGN(options.num_partitions, field.Int());
        return {};
      }
      case 9:
        return ReadDeviceAssignment(field, options);
      default:
        return {};
    }
  }));
  if (options.devices.empty() && ordinal >= 0 && options.num_replicas <= 1 &&
      options.num_partitions <= 1) {
    options.devices = {ordinal};
  }
  return {};
}

Status Choice(std::string_view name, std::string_view value, std::string_view choices) {
  return InvalidArgument(StrCat(kLabel, ": ", name, " is \"", value, "\", must be ", choices));
}

Status SetUserOption(std::string_view name, std::string_view text, ProgramOptions& options) {
  if (name == "axle_numerics") {
    if (text != "strict" && text != "fast") {
      return Choice(name, text, "\"strict\" or \"fast\"");
    }
    options.numerics = text == "fast" ? Numerics::kFast : Numerics::kStrict;
    return {};
  }
  if (name == "axle_engine") {
    if (text != "native" && text != "interpret") {
      return Choice(name, text, "\"native\" or \"interpret\"");
    }
    options.engine = text == "native" ? EngineKind::kNative : EngineKind::kInterpret;
    return {};
  }
  if (name.starts_with("xla_")) return {};
  return InvalidArgument(StrCat("No such compile option: '", name, "'"));
}

// An entry of the map: 1 the name, 2 the value, of which field 1 is a text.
Status ReadUserOption(const WireReader& in, ProgramOptions& options) {
  std::string_view name, text;
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() == 1) {
      AXLE_ASSIGN(name, field.Bytes());
    } else if (field.field() == 2) {
      return ReadMessage(field, [&](const WireReader& value) -> Status {
        if (value.field() == 1) {
          AXLE_ASSIGN(text, value.Bytes());
        }
        return {};
      });
    }
    return {};
  }));
  return SetUserOption(name, text, options);
}

}  // namespace

StatusOr<ProgramOptions> ReadProgramOptions(std::string_view bytes) {
  ProgramOptions options;
  WireReader in(bytes, kLabel);
  AXLE_TRY(ReadFields(in, [&](const WireReader& field) -> Status {
    switch (field.field()) {
      case 2: {
        AXLE_ASSIGN(options.has_tupled_arguments, field.Bool());
        return {};
      }
      case 3:
        return ReadBuildOptions(field, options);
      case 4: {
        AXLE_ASSIGN(options.is_portable, field.Bool());
        return {};
      }
      case 7:
        return ReadUserOption(field, options);
      default:
        return {};
    }
  }));
  // A message without the field says 0.
  if (options.num_replicas == 0) options.num_replicas = 1;
  if (options.num_partitions == 0) options.num_partitions = 1;
  const std::optional<i64> devices = CheckedMul(options.num_replicas, options.num_partitions);
  if (options.num_replicas < 0 || options.num_partitions < 0 || !devices) {
    return InvalidArgument(StrCat(kLabel, ": ", options.num_replicas, " replicas and ",
                                  options.num_partitions, " partitions"));
  }
  if (!options.devices.empty() && static_cast<i64>(options.devices.size()) != *devices) {
    return InvalidArgument(StrCat(kLabel, ": the device assignment names ", options.devices.size(),
                                  " devices for ", options.num_replicas, " replicas and ",
                                  options.num_partitions, " partitions"));
  }
  if (options.is_portable && *devices != 1) {
    return InvalidArgument(
        StrCat(kLabel, ": a portable program runs on one device, not on ", *devices));
  }
  return options;
}

std::string WriteDeviceAssignment(i64 num_replicas, i64 num_partitions,
                                  const std::vector<i64>& devices) {
  WireWriter out;
  out.Int(1, num_replicas);
  out.Int(2, num_partitions);
  for (i64 p = 0; p < num_partitions; ++p) {
    std::vector<i64> of_partition;
    for (i64 r = 0; r < num_replicas; ++r) {
      of_partition.push_back(devices[static_cast<size_t>(r * num_partitions + p)]);
    }
    WireWriter partition;
    partition.Ints(1, of_partition);
    out.Message(3, partition);
  }
  return out.Take();
}

}  // namespace axle::pjrt
