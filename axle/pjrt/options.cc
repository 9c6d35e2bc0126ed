// The messages by their field numbers. Of CompileOptionsProto: 2 parameter_is_tupled_arguments, 3
// executable_build_options, 4 compile_portable_executable, 7 env_option_overrides. Of
// ExecutableBuildOptionsProto: 1 device_ordinal, 4 num_replicas, 5 num_partitions, 9
// device_assignment. Of DeviceAssignmentProto: 1 replica_count, 2 computation_count, 3 for each
// partition the devices of its replicas.
#include "axle/pjrt/options.h"

#include <charconv>

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
    options.ordinal = ordinal;
  }
  return {};
}

// The value of an option of the user: an OptionOverrideProto, which has one of a text (field 1), a
// bool, an integer and a float.
struct UserValue {
  enum Type { kNone, kText, kBool, kInt, kFloat };
  Type type = kNone;
  std::string text = "nothing";  // of any type
};

StatusOr<UserValue> ReadUserValue(const WireReader& in) {
  UserValue value;
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() == UserValue::kText) {
      AXLE_ASSIGN(const std::string_view text, field.Bytes());
      value = {UserValue::kText, std::string(text)};
    } else if (field.field() == UserValue::kBool) {
      AXLE_ASSIGN(const bool flag, field.Bool());
      value = {UserValue::kBool, flag ? "True" : "False"};
    } else if (field.field() == UserValue::kInt) {
      AXLE_ASSIGN(const i64 number, field.Int());
      value = {UserValue::kInt, StrCat(number)};
    } else if (field.field() == UserValue::kFloat) {
      AXLE_ASSIGN(const double number, field.Double());
      value = {UserValue::kFloat, ToText(number)};
    }
    return {};
  }));
  return value;
}

template <typename T>
bool IsNumber(std::string_view text) {
  T number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

// The names of types in xla_options.def. Texts are taken for the types that they spell, as by XLA.
bool IsOfType(std::string_view type, const UserValue& value) {
  if (type == "string") return value.type == UserValue::kText;
  if (type == "bool") {
    return value.type == UserValue::kBool ||
           (value.type == UserValue::kText && (value.text == "True" || value.text == "False"));
  }
  if (value.type != UserValue::kInt && value.type != UserValue::kText) return false;
  return type == "int32" ? IsNumber<std::int32_t>(value.text) : IsNumber<i64>(value.text);
}

// XLA's options have no effect. A value of a wrong type is a mistake all the same.
Status CheckXlaOption(std::string_view name, const UserValue& value) {
  static constexpr std::pair<std::string_view, std::string_view> kTypes[] = {
#define XLA_OPTION(type, name) {#name, #type},
#include "axle/pjrt/xla_options.def"
#undef XLA_OPTION
  };
  for (const auto& [known, type] : kTypes) {
    if (known != name || IsOfType(type, value)) continue;
    return InvalidArgument(StrCat("While setting option ", name, ", '", PrintableText(value.text),
                                  "' is not a valid ", type, " value."));
  }
  return {};
}

Status Choice(std::string_view name, const UserValue& value, std::string_view choices) {
  const std::string_view quote = value.type == UserValue::kText ? "\"" : "";
  return InvalidArgument(StrCat(kLabel, ": ", name, " is ", quote, PrintableText(value.text), quote,
                                ", must be ", choices));
}

Status SetUserOption(std::string_view name, const UserValue& value, ProgramOptions& options) {
  const bool is_text = value.type == UserValue::kText;
  if (name == "axle_numerics") {
    if (!is_text || (value.text != "strict" && value.text != "fast")) {
      return Choice(name, value, "\"strict\" or \"fast\"");
    }
    options.numerics = value.text == "fast" ? Numerics::kFast : Numerics::kStrict;
    return {};
  }
  if (name == "axle_engine") {
    if (!is_text || (value.text != "native" && value.text != "interpret")) {
      return Choice(name, value, "\"native\" or \"interpret\"");
    }
    options.engine = value.text == "native" ? EngineKind::kNative : EngineKind::kInterpret;
    return {};
  }
  if (name.starts_with("xla_")) return CheckXlaOption(name, value);
  return InvalidArgument(StrCat("No such compile option: '", name, "'"));
}

// An entry of the map: 1 the name, 2 the value.
Status ReadUserOption(const WireReader& in, ProgramOptions& options) {
  std::string_view name;
  UserValue value;
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() == 1) {
      AXLE_ASSIGN(name, field.Bytes());
    } else if (field.field() == 2) {
      AXLE_ASSIGN(value, ReadUserValue(field));
    }
    return {};
  }));
  return SetUserOption(name, value, options);
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
