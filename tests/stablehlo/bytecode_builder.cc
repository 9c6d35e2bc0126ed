#include "tests/stablehlo/bytecode_builder.h"

namespace axle::mlir {

std::string BytecodeBuilder::Op(const OpParts& parts) const {
  const int mask = (parts.attributes ? 0x01 : 0) | (parts.properties ? 0x40 : 0) |
                   (parts.results.empty() ? 0 : 0x02) | (parts.operands.empty() ? 0 : 0x04) |
                   (parts.use_orders.empty() ? 0 : 0x20) | (parts.regions.empty() ? 0 : 0x10);
  std::string out = Varint(parts.name) + static_cast<char>(mask) + Varint(parts.location);
  if (parts.attributes) out += Varint(*parts.attributes);
  if (parts.properties) out += Varint(*parts.properties);
  const auto add = [&](const std::vector<std::uint64_t>& numbers) {
    if (numbers.empty()) return;
    out += Varint(numbers.size());
    for (const std::uint64_t number : numbers) out += Varint(number);
  };
  add(parts.results);
  add(parts.operands);
  out += parts.use_orders;
  if (parts.regions.empty()) return out;
  out += Flagged(parts.regions.size(), parts.isolated);
  std::string regions;
  for (const std::string& region : parts.regions) regions += region;
  return out + (parts.isolated && version_ >= 2 ? Section(4, regions) : regions);
}

std::string BytecodeBuilder::Region(std::uint64_t num_values,
                                    const std::vector<std::uint64_t>& arguments,
                                    const std::vector<std::string>& ops,
                                    std::uint64_t location) const {
  std::string out = Varint(1) + Varint(num_values) + Flagged(ops.size(), !arguments.empty());
  if (!arguments.empty()) {
    out += Varint(arguments.size());
    for (const std::uint64_t type : arguments) {
      out += version_ >= 4 ? Flagged(type, false) : Varint(type) + Varint(location);
    }
    if (version_ >= 3) out += '\0';
  }
  for (const std::string& op : ops) out += op;
  return out;
}

void BytecodeBuilder::AddEntries(const std::vector<Entry>& entries, std::string& offsets,
                                 std::string& data) {
  for (const Entry& entry : entries) {
    const std::string bytes = entry.custom ? entry.bytes : entry.bytes + '\0';
    offsets += Varint(entry.dialect) + Varint(1) + Flagged(bytes.size(), entry.custom);
    data += bytes;
  }
}

std::string BytecodeBuilder::Build(std::string_view ir) const {
  std::string dialects = Varint(dialects_.texts().size());
  for (const std::string_view name : dialects_.texts()) {
    const std::uint64_t text = strings_.Add(name);
    // builtin says a version, which nothing reads.
    const bool has_version = version_ >= 1 && name == "builtin";
    dialects += version_ >= 1 ? Flagged(text, has_version) : Varint(text);
    if (has_version) dialects += Section(7, Varints(1, 2, 3));
  }
  if (version_ >= 4) dialects += Varint(op_names_.size());
  for (const Name& name : op_names_) {
    dialects += Varint(name.dialect) + Varint(1);
    dialects += version_ >= 5 ? Flagged(name.text, name.registered) : Varint(name.text);
  }
  std::string offsets = Varint(attributes_.size()) + Varint(types_.size());
  std::string data;
  AddEntries(attributes_, offsets, data);
  AddEntries(types_, offsets, data);
  std::string strings = Varint(strings_.texts().size());
  for (size_t i = strings_.texts().size(); i > 0; --i) {
    strings += Varint(strings_.texts()[i - 1].size() + 1);
  }
  for (const std::string_view text : strings_.texts()) strings += std::string(text) + '\0';
  // Blobs are aligned to 8 bytes, which the offset in the file decides; so their section is first.
  std::string out = "ML\xefR" + Varint(static_cast<std::uint64_t>(version_)) + producer_ + '\0';
  if (!resources_.empty()) {
    std::string resource_offsets = Varint(0), resource_data;
    // The head of the section takes 1 byte, its size 2: enough for what tests have.
    const size_t begin = out.size() + 3;
    for (const NamedBlob& resource : resources_) {
      const size_t size = resource_data.size();
      resource_data += Varint(8) + Varint(resource.bytes.size());
      while ((begin + resource_data.size()) % 8 != 0) resource_data += '\xcb';
      resource_data += resource.bytes;
      resource_offsets += Varint(resource.dialect) + Varint(1) + Varint(resource.key) +
                          Varint(resource_data.size() - size) + '\0';
    }
    while (resource_data.size() < 128) resource_data += '\xcb';
    out += std::string(1, '\5') + Varint(resource_data.size()) + resource_data;
    out += Section(6, resource_offsets);
  }
  out += Section(1, dialects) + Section(3, offsets) + Section(2, data) + Section(4, ir) +
         Section(0, strings);
  if (version_ >= 5) {
    std::string properties = Varint(properties_.size());
    for (const std::string& entry : properties_) properties += Blob(entry);
    out += Section(8, properties);
  }
  return out;
}

}  // namespace axle::mlir
