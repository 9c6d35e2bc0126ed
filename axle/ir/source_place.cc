#include "axle/ir/source_place.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "axle/core/strings.h"
#include "axle/ir/module.h"

namespace axle {
namespace {

// The entry of a table by its 1-based id; nothing has checked that the id is in the table.
template <typename T>
const T* Entry(const std::vector<T>& table, std::int32_t id) {
  return id >= 1 && static_cast<size_t>(id) <= table.size() ? &table[static_cast<size_t>(id) - 1]
                                                            : nullptr;
}

}  // namespace

std::string SourcePlace(const Instruction& instruction) {
  const Metadata& from = instruction.metadata();
  if (!from.source_file.empty()) {
    return StrCat(from.source_file, ":", from.source_line);
  }
  if (from.stack_frame_id == 0) return "";
  const StackFrameIndex& index = instruction.parent()->module()->config().stack_frames;
  const auto* const frame = Entry(index.frames, from.stack_frame_id);
  if (frame == nullptr) return "";
  const auto* const location = Entry(index.locations, frame->file_location_id);
  if (location == nullptr) return "";
  const auto* const file = Entry(index.file_names, location->file_name_id);
  return file == nullptr ? "" : StrCat(*file, ":", location->line);
}

}  // namespace axle
