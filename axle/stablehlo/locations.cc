#include "axle/stablehlo/locations.h"

#include <vector>

namespace axle::stablehlo {
namespace {

using Kind = mlir::Location::Kind;

// Steps over fused locations to the first thing that they are made of.
const mlir::Location* Unfused(const mlir::Location* location) {
  while (location != nullptr && location->kind == Kind::kFused) {
    location = location->children.empty() ? nullptr : location->children[0];
  }
  return location;
}

const mlir::Location* ChildOf(const mlir::Location& name) {
  return name.children.empty() ? nullptr : Unfused(name.children[0]);
}

template <typename Map>
std::int32_t IdOf(Map& ids, std::vector<std::string>& table, std::string_view text) {
  const auto [it, is_new] = ids.try_emplace(std::string(text), 0);
  if (is_new) {
    table.emplace_back(text);
    it->second = static_cast<std::int32_t>(table.size());
  }
  return it->second;
}

}  // namespace

std::int32_t Locations::File(std::string_view name) {
  return IdOf(files_, module_->config().stack_frames.file_names, name);
}

std::int32_t Locations::FunctionName(std::string_view name) {
  return IdOf(functions_, module_->config().stack_frames.function_names, name);
}

std::int32_t Locations::FileLocation(const mlir::Location& file, std::int32_t function) {
  std::vector<StackFrameIndex::Location>& table = module_->config().stack_frames.locations;
  const std::int32_t name = File(file.text);
  const auto [it, is_new] = places_.try_emplace(
      {name, function, file.line, file.column, file.end_line, file.end_column}, 0);
  if (is_new) {
    const auto number = [](i64 value) { return static_cast<std::int32_t>(value); };
    table.push_back({.file_name_id = name,
                     .function_name_id = function,
                     .line = number(file.line),
                     .end_line = number(file.end_line),
                     .column = number(file.column),
                     .end_column = number(file.end_column)});
    it->second = static_cast<std::int32_t>(table.size());
  }
  return it->second;
}

std::int32_t Locations::Frame(const mlir::Location& place, std::int32_t parent) {
  const mlir::Location* file = &place;
  std::int32_t function = 0;
  if (place.kind == Kind::kName) {
    file = ChildOf(place);
    if (file == nullptr || file->kind != Kind::kFile) return 0;
    function = FunctionName(place.text);
  }
  if (file->kind != Kind::kFile) return 0;
  std::vector<StackFrameIndex::Frame>& table = module_->config().stack_frames.frames;
  const std::int32_t location = FileLocation(*file, function);
  const auto [it, is_new] = frames_.try_emplace({location, parent}, 0);
  if (is_new) {
    table.push_back({.file_location_id = location, .parent_frame_id = parent});
    it->second = static_cast<std::int32_t>(table.size());
  }
  return it->second;
}

const Metadata& Locations::MetadataOf(const mlir::Location& location) {
  const auto [it, is_new] = made_.try_emplace(&location);
  Metadata& metadata = it->second;
  if (!is_new) return metadata;
  const mlir::Location* next = Unfused(&location);
  // Names around names: that of the primitive ends with a colon, the last other one is the name.
  while (next != nullptr && next->kind == Kind::kName) {
    const mlir::Location* child = ChildOf(*next);
    if (next->text.ends_with(':')) {
      metadata.op_type = module_->InternText(next->text.substr(0, next->text.size() - 1));
    } else if (metadata.op_name.empty()) {
      metadata.op_name = module_->InternText(next->text);
    } else {
      break;  // the name of a function
    }
    next = child;
  }
  if (next == nullptr) return metadata;
  if (next->kind == Kind::kFile && metadata.op_name.empty()) {
    metadata.source_file = module_->InternText(next->text);
    metadata.source_line = static_cast<std::int32_t>(next->line);
    metadata.source_column = static_cast<std::int32_t>(next->column);
    metadata.source_end_line = static_cast<std::int32_t>(next->end_line);
    metadata.source_end_column = static_cast<std::int32_t>(next->end_column);
    return metadata;
  }
  // Innermost first; a callsite is (callee at caller), and callers are callsites again. A callee
  // may be one, too.
  constexpr size_t kMaxFrames = 256;  // parts may be shared: the ways to them have no bound
  std::vector<const mlir::Location*> places, open{next};
  while (!open.empty() && places.size() < kMaxFrames) {
    const mlir::Location* place = Unfused(open.back());
    open.pop_back();
    if (place == nullptr) continue;
    if (place->kind == Kind::kCallSite && place->children.size() == 2) {
      open.push_back(place->children[1]);
      open.push_back(place->children[0]);
    } else {
      places.push_back(place);
    }
  }
  std::int32_t frame = 0;
  for (size_t i = places.size(); i > 0; --i) {
    const std::int32_t inner = Frame(*places[i - 1], frame);
    if (inner != 0) frame = inner;
  }
  metadata.stack_frame_id = frame;
  return metadata;
}

std::string_view Locations::ArgumentName(const mlir::Location& location) {
  const mlir::Location* named = Unfused(&location);
  return named != nullptr && named->kind == Kind::kName ? named->text : std::string_view();
}

}  // namespace axle::stablehlo
