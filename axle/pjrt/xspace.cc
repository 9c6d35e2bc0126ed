// Only the fields that a reader needs, by their numbers in the message. Events of one step share a
// metadata entry, which has the name and what is the same in each turn.
#include "axle/pjrt/xspace.h"

#include <map>
#include <string_view>
#include <utility>

#include "axle/core/strings.h"
#include "axle/core/wire.h"

namespace axle::pjrt {
namespace {

// Fields of the messages.
struct Space {
  static constexpr int kPlanes = 1;
};
struct Plane {
  static constexpr int kId = 1, kName = 2, kLines = 3, kEventMetadata = 4, kStatMetadata = 5;
};
struct Line {
  static constexpr int kId = 1, kName = 2, kTimestampNs = 3, kEvents = 4, kDisplayId = 10;
};
struct Event {
  static constexpr int kMetadataId = 1, kOffsetPs = 2, kDurationPs = 3;
};
struct Metadata {
  static constexpr int kId = 1, kName = 2, kStats = 5;
};
struct Stat {
  static constexpr int kMetadataId = 1, kInt64 = 4, kText = 5;
};
struct MapEntry {
  static constexpr int kKey = 1, kValue = 2;
};

// The stats of steps, numbered from 1 as they stand here; XProf knows some of the names.
constexpr std::string_view kStats[] = {"hlo_op", "hlo_category", "source", "bytes_accessed",
                                       "flops"};
enum StatId : int { kHloOp = 1, kHloCategory, kSource, kBytesAccessed, kFlops };

constexpr i64 kPicoseconds = 1000;  // of a nanosecond

void AddTextStat(WireWriter& to, StatId id, std::string_view text) {
  WireWriter stat;
  stat.Int(Stat::kMetadataId, id);
  stat.Bytes(Stat::kText, text);
  to.Message(Metadata::kStats, stat);
}

WireWriter MetadataOf(i64 id, const ProfileProgram& program, size_t position) {
  WireWriter metadata;
  metadata.Int(Metadata::kId, id);
  if (position == ProfileEvent::kRun) {
    metadata.Text(Metadata::kName, program.name);
    return metadata;
  }
  const ProfileRecord& record = program.records[position];
  metadata.Text(Metadata::kName, record.name);
  AddTextStat(metadata, kHloOp, record.name);
  AddTextStat(metadata, kHloCategory, record.kind);
  if (!record.sources.empty()) AddTextStat(metadata, kSource, record.sources.back());
  if (record.bytes_read >= 0 && record.bytes_written >= 0) {
    WireWriter stat;
    stat.Int(Stat::kMetadataId, kBytesAccessed);
    stat.ExplicitInt(Stat::kInt64, record.bytes_read + record.bytes_written);
    metadata.Message(Metadata::kStats, stat);
  }
  if (record.flops >= 0) {
    WireWriter stat;
    stat.Int(Stat::kMetadataId, kFlops);
    stat.ExplicitInt(Stat::kInt64, static_cast<i64>(record.flops));
    metadata.Message(Metadata::kStats, stat);
  }
  return metadata;
}

void AddMapEntry(WireWriter& to, int field, i64 key, const WireWriter& value) {
  WireWriter entry;
  entry.Int(MapEntry::kKey, key);
  entry.Message(MapEntry::kValue, value);
  to.Message(field, entry);
}

// The plane of one device, while its events come.
struct DevicePlane {
  std::map<std::pair<size_t, size_t>, i64> ids;  // of metadata, by program and record
  std::map<int, WireWriter> events;              // of the lines, by thread
};

WireWriter Write(const ProfileReport& report, i64 device, DevicePlane& plane) {
  WireWriter out;
  out.Int(Plane::kId, device + 1);
  // A prefix that trace viewers take for a device of a kind that they do not know.
  out.Text(Plane::kName, StrCat("/device:CUSTOM:Axle ", device));
  for (auto& [thread, events] : plane.events) {
    WireWriter line;
    line.Int(Line::kId, thread + 1);
    line.Int(Line::kDisplayId, thread + 1);
    line.Text(Line::kName, StrCat("thread ", thread));
    line.Int(Line::kTimestampNs, report.first_event);
    std::string bytes = line.Take() + events.Take();
    out.Bytes(Plane::kLines, bytes);
  }
  for (const auto& [step, id] : plane.ids) {
    AddMapEntry(out, Plane::kEventMetadata, id,
                MetadataOf(id, report.programs[step.first], step.second));
  }
  for (size_t i = 0; i < std::size(kStats); ++i) {
    WireWriter stat;
    stat.Int(Metadata::kId, static_cast<i64>(i) + 1);
    stat.Text(Metadata::kName, kStats[i]);
    AddMapEntry(out, Plane::kStatMetadata, static_cast<i64>(i) + 1, stat);
  }
  return out;
}

}  // namespace

std::string ToXSpace(const ProfileReport& report) {
  std::map<i64, DevicePlane> planes;
  for (const ProfileEvent& event : report.events) {
    DevicePlane& plane = planes[report.programs[event.program].device];
    const auto next = static_cast<i64>(plane.ids.size()) + 1;
    const i64 id = plane.ids.emplace(std::pair(event.program, event.record), next).first->second;
    WireWriter written;
    written.Int(Event::kMetadataId, id);
    written.ExplicitInt(Event::kOffsetPs, event.begin * kPicoseconds);
    written.Int(Event::kDurationPs, (event.end - event.begin) * kPicoseconds);
    plane.events[event.thread].Message(Line::kEvents, written);
  }
  WireWriter space;
  for (auto& [device, plane] : planes) {
    space.Message(Space::kPlanes, Write(report, device, plane));
  }
  return space.Take();
}

}  // namespace axle::pjrt
