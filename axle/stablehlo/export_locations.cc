// Metadata as locations, and what the module, its arguments and results say besides.
#include "axle/core/strings.h"
#include "axle/stablehlo/exporter.h"

namespace axle::stablehlo {

using Kind = mlir::Location::Kind;

const mlir::Location* LocationMaker::Named(std::string_view name, const mlir::Location* child) {
  mlir::Location named{.kind = Kind::kName, .text = tree_.Text(name)};
  if (child != nullptr) {
    named.children = tree_.Copy(std::vector<const mlir::Location*>{child});
  }
  return tree_.NewLocation(named);
}

const mlir::Location* LocationMaker::File(std::string_view file, std::int32_t line,
                                          std::int32_t column, std::int32_t end_line,
                                          std::int32_t end_column) {
  return tree_.NewLocation({.kind = Kind::kFile,
                            .text = tree_.Text(file),
                            .line = line,
                            .column = column,
                            .end_line = end_line,
                            .end_column = end_column});
}

// A frame is loc("function"("file":3:1)), or without a function's name the file alone; of one that
// has a caller, callsite(frame at caller).
const mlir::Location* LocationMaker::Frames(std::int32_t frame) {
  const StackFrameIndex& index = module_.config().stack_frames;
  const auto text = [](const std::vector<std::string>& table, std::int32_t id) {
    const auto at = static_cast<size_t>(id);
    return id > 0 && at <= table.size() ? std::string_view(table[at - 1]) : std::string_view();
  };
  // Callers first, from the one whose location is known.
  std::vector<std::int32_t> open;
  std::unordered_set<std::int32_t> seen;
  for (std::int32_t id = frame; id > 0 && static_cast<size_t>(id) <= index.frames.size();) {
    if (frames_.contains(id) || !seen.insert(id).second) break;
    open.push_back(id);
    id = index.frames[static_cast<size_t>(id) - 1].parent_frame_id;
  }
  for (size_t i = open.size(); i > 0; --i) {
    const StackFrameIndex::Frame& entry = index.frames[static_cast<size_t>(open[i - 1]) - 1];
    const auto at = static_cast<size_t>(entry.file_location_id);
    if (at == 0 || at > index.locations.size()) {
      const auto caller = frames_.find(entry.parent_frame_id);
      frames_[open[i - 1]] = caller == frames_.end() ? nullptr : caller->second;
      continue;
    }
    const StackFrameIndex::Location& place = index.locations[at - 1];
    const std::string_view function = text(index.function_names, place.function_name_id);
    const mlir::Location* made = File(text(index.file_names, place.file_name_id), place.line,
                                      place.column, place.end_line, place.end_column);
    if (!function.empty()) made = Named(function, made);
    const auto caller = frames_.find(entry.parent_frame_id);
    if (caller != frames_.end() && caller->second != nullptr) {
      made = tree_.NewLocation(
          {.kind = Kind::kCallSite,
           .children = tree_.Copy(std::vector<const mlir::Location*>{made, caller->second})});
    }
    frames_[open[i - 1]] = made;
  }
  const auto found = frames_.find(frame);
  return found == frames_.end() ? nullptr : found->second;
}

// loc("name"("type:"(place))): the inverse of Locations::MetadataOf.
const mlir::Location* LocationMaker::Make(const Metadata& metadata, std::string_view name) {
  const mlir::Location* place = nullptr;
  if (metadata.stack_frame_id > 0) place = Frames(metadata.stack_frame_id);
  if (place == nullptr && !metadata.source_file.empty()) {
    place = File(metadata.source_file, metadata.source_line, metadata.source_column,
                 metadata.source_end_line, metadata.source_end_column);
  }
  if (!metadata.op_type.empty()) place = Named(StrCat(metadata.op_type, ":"), place);
  const std::string_view op_name = metadata.op_name.empty() ? name : metadata.op_name;
  if (!op_name.empty()) place = Named(op_name, place);
  return place == nullptr ? tree_.unknown_location() : place;
}

const mlir::Location* LocationMaker::Of(const Instruction& inst) {
  const auto [it, is_new] = made_.try_emplace(&inst.metadata(), nullptr);
  if (is_new) it->second = Make(inst.metadata(), "");
  return it->second;
}

const mlir::Location* LocationMaker::OfParameter(const Instruction& inst) {
  return Make(inst.metadata(), inst.name());
}

const mlir::Attribute* FrontendAttributes(
    mlir::MlirModule& tree, const std::vector<std::pair<std::string, std::string>>& attributes) {
  std::vector<mlir::NamedAttribute> fields;
  for (const auto& [name, quoted] : attributes) {
    std::string value = quoted;  // {json}, or text in quotes
    if (value.size() >= 2 && value.starts_with('"')) {
      const StatusOr<std::string> plain =
          CUnescape(std::string_view(value).substr(1, value.size() - 2));
      if (plain.ok()) value = *plain;
    }
    fields.push_back({tree.Text(name), MakeString(tree, value)});
  }
  return MakeDictionary(tree, std::move(fields));
}

std::span<mlir::NamedAttribute> Exporter::ModuleAttributes() {
  const ModuleConfig& config = module_.config();
  Attributes attributes(*tree_);
  attributes.Add("mhlo.num_partitions", MakeInt(*tree_, config.num_partitions, S32))
      .Add("mhlo.num_replicas", MakeInt(*tree_, config.replica_count, S32))
      .String("sym_name", module_.name());
  if (!config.frontend_attributes.empty()) {
    attributes.Add("mhlo.frontend_attributes",
                   FrontendAttributes(*tree_, config.frontend_attributes));
  }
  return attributes.Take();
}

namespace {

// A list of dictionaries, or null if all are empty.
const mlir::Attribute* Dictionaries(mlir::MlirModule& tree,
                                    std::vector<std::vector<mlir::NamedAttribute>> entries) {
  std::vector<const mlir::Attribute*> result;
  bool is_empty = true;
  for (std::vector<mlir::NamedAttribute>& entry : entries) {
    is_empty = is_empty && entry.empty();
    result.push_back(MakeDictionary(tree, std::move(entry)));
  }
  return is_empty ? nullptr : MakeArray(tree, result);
}

// The shardings of the elements in {{replicated}, {devices=[2]<=[2]}}; none if it is not a list of
// that many.
std::vector<std::string_view> ElementShardings(std::string_view sharding, size_t count) {
  std::vector<std::string_view> result;
  if (!sharding.starts_with("{{") && !sharding.starts_with("{ {")) return result;
  i64 depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < sharding.size(); ++i) {
    if (sharding[i] == '{' && ++depth == 2) begin = i;
    if (sharding[i] == '}' && --depth == 1) result.push_back(sharding.substr(begin, i + 1 - begin));
  }
  if (result.size() != count) result.clear();
  return result;
}

}  // namespace

const mlir::Attribute* Exporter::ArgumentAttributes() {
  const std::span<Instruction* const> parameters = module_.entry()->parameters();
  std::vector<std::vector<mlir::NamedAttribute>> entries(parameters.size());
  const auto entry = [&](i64 parameter) { return &entries[static_cast<size_t>(parameter)]; };
  for (size_t i = 0; i < parameters.size(); ++i) {
    const InstructionExtras* extras = parameters[i]->extras();
    if (extras == nullptr) continue;
    if (!extras->sharding.empty()) {
      entries[i].push_back({"mhlo.sharding", MakeString(*tree_, extras->sharding)});
    }
    if (!extras->frontend_attributes.empty()) {
      entries[i].push_back(
          {"mhlo.frontend_attributes", FrontendAttributes(*tree_, extras->frontend_attributes)});
    }
  }
  const bool is_tuple = module_.entry()->root()->shape().is_tuple();
  std::unordered_set<i64> named;
  for (const AliasEntry& alias : module_.config().input_output_alias) {
    if (!alias.parameter_index.empty() || alias.output_index.size() != (is_tuple ? 1 : 0)) continue;
    if (!named.insert(alias.parameter).second) continue;
    const i64 output = is_tuple ? alias.output_index[0] : 0;
    entry(alias.parameter)->push_back({"tf.aliasing_output", MakeInt(*tree_, output, S32)});
  }
  for (const BufferDonor& donor : module_.config().buffer_donor) {
    if (!donor.parameter_index.empty() || !named.insert(donor.parameter).second) continue;
    entry(donor.parameter)->push_back({"jax.buffer_donor", MakeBool(*tree_, true)});
  }
  return Dictionaries(*tree_, std::move(entries));
}

const mlir::Attribute* Exporter::ResultAttributes(size_t num_results) {
  const Instruction& root = *module_.entry()->root();
  if (root.extras() == nullptr || root.extras()->sharding.empty()) return nullptr;
  const std::string_view sharding = root.extras()->sharding;
  std::vector<std::vector<mlir::NamedAttribute>> entries(num_results);
  const std::vector<std::string_view> each = ElementShardings(sharding, num_results);
  for (size_t i = 0; i < num_results; ++i) {
    if (root.shape().is_tuple() && each.empty()) return nullptr;
    const std::string_view text = root.shape().is_tuple() ? each[i] : sharding;
    entries[i].push_back({"mhlo.sharding", MakeString(*tree_, text)});
  }
  return Dictionaries(*tree_, std::move(entries));
}

}  // namespace axle::stablehlo
