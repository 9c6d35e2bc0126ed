// Where instructions come from: HLO metadata and the module's table of stack frames.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "axle/core/element_type.h"

namespace axle {

// One per distinct value in a module; the texts live as long as the module. Fields and their order
// in print are those of OpMetadata.
struct Metadata {
  std::string_view op_type;
  std::string_view op_name;
  std::string_view source_file;
  std::int32_t source_line = 0;
  std::int32_t source_end_line = 0;
  std::int32_t source_column = 0;
  std::int32_t source_end_column = 0;
  std::int32_t stack_frame_id = 0;  // 1-based position in StackFrameIndex::frames; 0: none
  std::string_view profile_type;    // the list as it was written, "{1,2}"
  std::string_view deduplicated_name;
  std::string_view scheduling_name;
  std::string_view metadata_payload;
  bool operator==(const Metadata&) const = default;
};

// The four tables at the head of a module. Ids are 1-based positions; 0 is none.
struct StackFrameIndex {
  struct Location {
    std::int32_t file_name_id = 0;
    std::int32_t function_name_id = 0;
    std::int32_t line = 0;
    std::int32_t end_line = 0;
    std::int32_t column = 0;
    std::int32_t end_column = 0;
    bool operator==(const Location&) const = default;
  };
  struct Frame {
    std::int32_t file_location_id = 0;
    std::int32_t parent_frame_id = 0;  // 0: a root frame. Text writes this number + 1
    bool operator==(const Frame&) const = default;
  };
  std::vector<std::string> file_names;
  std::vector<std::string> function_names;
  std::vector<Location> locations;
  std::vector<Frame> frames;

  bool empty() const {
    return file_names.empty() && function_names.empty() && locations.empty() && frames.empty();
  }
  bool operator==(const StackFrameIndex&) const = default;
};

}  // namespace axle
