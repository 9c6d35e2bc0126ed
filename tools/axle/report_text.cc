#include "tools/axle/report_text.h"

#include <algorithm>
#include <vector>

#include "axle/core/strings.h"

namespace axle::tool {

std::string Padded(std::string text, size_t width) {
  if (text.size() < width) text.resize(width, ' ');
  return text;
}

namespace {

// Sources of the instructions, each once.
std::string Sources(const CompileReport::Record& record) {
  std::string text;
  std::vector<std::string> seen;
  for (const CompileReport::Instruction& inst : record.instructions) {
    if (inst.source.empty() || std::ranges::find(seen, inst.source) != seen.end()) continue;
    seen.push_back(inst.source);
    StrAppend(text, text.empty() ? "" : ", ", inst.source);
  }
  return text;
}

std::string How(const CompileReport::Record& record) {
  const std::string note = record.note.empty() ? "" : StrCat(" (", record.note, ")");
  if (record.engine == "compiled") return StrCat("compiled ", Join(record.kernels, ", "));
  if (record.engine == "evaluator") {
    return StrCat("evaluator of ", record.instructions.back().op, note);
  }
  if (!record.programs.empty()) return StrCat("runs ", Join(record.programs, ", "));
  return StrCat(record.engine, note);
}

}  // namespace

std::string RecordsText(const CompileReport::Program& program) {
  std::string text = StrCat(program.name, ": ", program.records.size(), " records\n");
  for (size_t r = 0; r < program.records.size(); ++r) {
    const CompileReport::Record& record = program.records[r];
    StrAppend(text, Padded(StrCat("  ", r), 6), Padded(record.kind, 12),
              Join(record.instructions, ", ",
                   [](const auto& inst) { return StrCat(inst.name, " (", inst.op, ")"); }),
              "\n      ", How(record), "; reads ", HumanBytes(record.bytes_read), ", writes ",
              HumanBytes(record.bytes_written), "; ", record.num_tiles,
              record.num_tiles == 1 ? " tile\n" : " tiles\n");
    if (const std::string sources = Sources(record); !sources.empty()) {
      StrAppend(text, "      from ", sources, "\n");
    }
  }
  if (program.num_copies > 0) {
    StrAppend(text, "      then ", program.num_copies, " copies of results\n");
  }
  if (!program.boundaries.empty()) StrAppend(text, "  not fused:\n");
  for (const CompileReport::Boundary& boundary : program.boundaries) {
    StrAppend(text, "    ", boundary.producer, " -> ", boundary.consumer, ", ", boundary.value,
              ": ", boundary.reason, "\n");
  }
  return text;
}

std::string BytesLine(const CompileReport::Program& program) {
  std::string text = StrCat("  frame ", HumanBytes(program.frame_bytes), " of values");
  if (program.live_bytes > 0) {
    const i64 percent = (program.frame_bytes * 100 + program.live_bytes - 1) / program.live_bytes;
    StrAppend(text, ", ", percent, "% of the ", HumanBytes(program.live_bytes),
              " live at the peak, \"", program.peak, "\"");
  }
  return StrCat(text, ", and ", HumanBytes(program.pointer_bytes), " of pointers; constants ",
                HumanBytes(program.constant_bytes), "\n");
}

std::string BuffersText(const CompileReport::Program& program) {
  std::string text = StrCat(program.name, ":\n", BytesLine(program));
  const auto end = static_cast<i64>(program.records.size());
  for (const CompileReport::Value& value : program.values) {
    StrAppend(text, "  ", Padded(value.name, 24), Padded(HumanBytes(value.bytes), 12),
              Padded(value.place == "frame" || value.place == "constants"
                         ? StrCat(value.place, " + ", value.offset)
                         : value.place,
                     20),
              value.first < 0 ? "start" : StrCat(value.first), " to ",
              value.last == end ? "end"
              : value.last < 0  ? "start"
                                : StrCat(value.last),
              "\n");
  }
  return text;
}

}  // namespace axle::tool
