// A file is the magic number, the version, the producer's name and sections until the end:
//
//   section := id:byte (bit 7: aligned) size:varint [alignment:varint fill*] data
//
// Sections are found by their id: the order is the writer's choice, and the strings, which nearly
// everything refers to, come near the end.
#include "axle/stablehlo/mlir/bytecode_file.h"

#include <optional>

#include "axle/stablehlo/mlir/bytecode.h"

namespace axle::mlir {
namespace {

constexpr std::uint8_t kFill = 0xcb;
constexpr std::uint64_t kMaxAlignment = 1 << 20;

constexpr std::array<std::string_view, kNumSections> kSectionNames = {
    "strings",   "dialects",  "attributes and types", "offsets of attributes and types",
    "IR",        "resources", "offsets of resources", "dialect version",
    "properties"};

// `at` moved up to the alignment, over bytes that all are the fill.
void SkipFill(ByteCursor& in, std::uint64_t alignment) {
  const size_t offset = in.offset();
  if (!in.ok()) return;
  if (alignment == 0 || alignment > kMaxAlignment || (alignment & (alignment - 1)) != 0) {
    return in.FailAt(offset, "an alignment of " + std::to_string(alignment) +
                                 " bytes, where a power of two up to 1048576 was expected");
  }
  while (in.ok() && (in.offset() & (alignment - 1)) != 0) {
    const size_t place = in.offset();
    if (in.Byte() != kFill && in.ok()) {
      in.FailAt(place, "a byte that is not 0xCB fills the space up to an alignment");
    }
  }
}

class FileReader {
 public:
  explicit FileReader(BytecodeFile& file) : file_(file), in_(file.At({0, file.bytes.size()})) {}

  Status ReadHeader();
  Status ReadSections();
  Status ReadStrings();
  Status ReadDialects();
  Status ReadEntries();
  Status ReadResources();
  Status ReadProperties();

 private:
  StatusOr<ByteCursor> Section(SectionId id) const;
  std::string_view String(ByteCursor& in) const;
  std::uint32_t Dialect(ByteCursor& in) const;
  void ReadDialectVersion(ByteCursor& in, BytecodeFile::Dialect& dialect);
  void ReadOpNames(ByteCursor& in);
  // One entry of the offsets of resources; its bytes are taken from `data`.
  BytecodeFile::Resource ReadResource(ByteCursor& in, ByteCursor& data);

  BytecodeFile& file_;
  ByteCursor in_;
  std::array<std::optional<ByteRange>, kNumSections> sections_;
};

Status FileReader::ReadHeader() {
  if (!IsMlirBytecode(file_.bytes)) {
    return BytecodeError(file_.label, 0,
                         "MLIR bytecode begins with the bytes 4D 4C EF 52, which are not here");
  }
  in_.MoveTo(4);
  const std::uint64_t version = in_.Varint();
  if (in_.ok() && version > kNewestContainer) {
    return BytecodeError(file_.label, 4,
                         "version " + std::to_string(version) + " of MLIR bytecode is newer than " +
                             std::to_string(kNewestContainer) + ", the newest that is known",
                         StatusCode::kUnimplemented);
  }
  file_.version = static_cast<int>(version);
  file_.producer = in_.TakeText("the name of the producer");
  return in_.status(file_.label);
}

Status FileReader::ReadSections() {
  while (in_.ok() && !in_.done()) {
    const size_t offset = in_.offset();
    std::uint8_t id = 0;
    const ByteRange range = ReadSection(in_, id);
    if (!in_.ok()) break;
    if (sections_[id]) {
      return BytecodeError(file_.label, offset,
                           "a second section of " + std::string(kSectionNames[id]));
    }
    sections_[id] = range;
  }
  AXLE_TRY(in_.status(file_.label));
  AXLE_TRY(Section(kIrSection).status());
  file_.ir = *sections_[kIrSection];
  return {};
}

StatusOr<ByteCursor> FileReader::Section(SectionId id) const {
  if (!sections_[id]) {
    return BytecodeError(file_.label, file_.bytes.size(),
                         "the file ends without the section of " + std::string(kSectionNames[id]));
  }
  return file_.At(*sections_[id]);
}

// Sizes come in the reverse order of the strings; each counts the byte 0 behind it.
Status FileReader::ReadStrings() {
  AXLE_ASSIGN(ByteCursor in, Section(kStringSection));
  const size_t count = in.Count("strings", 2);
  std::vector<std::uint64_t> sizes(count);
  for (size_t i = count; i > 0 && in.ok(); --i) sizes[i - 1] = in.Varint();
  file_.strings.reserve(count);
  for (size_t i = 0; i < count && in.ok(); ++i) {
    const size_t offset = in.offset();
    std::string_view text = in.Take(sizes[i], "a string");
    if (in.ok() && (text.empty() || text.back() != '\0')) {
      in.FailAt(offset, "string " + std::to_string(i) + " does not end with a byte 0");
      break;
    }
    if (!in.ok()) break;
    text.remove_suffix(1);
    file_.strings.push_back(text);
  }
  if (in.ok() && !in.done()) {
    in.Fail(std::to_string(in.remaining()) + " bytes follow the last string");
  }
  return in.status(file_.label);
}

std::string_view FileReader::String(ByteCursor& in) const {
  const size_t offset = in.offset();
  const std::uint64_t index = in.Varint();
  if (!in.ok()) return {};
  if (index < file_.strings.size()) return file_.strings[static_cast<size_t>(index)];
  in.FailAt(offset, "string " + std::to_string(index) + " is asked for, of " +
                        std::to_string(file_.strings.size()));
  return {};
}

std::uint32_t FileReader::Dialect(ByteCursor& in) const {
  const size_t offset = in.offset();
  const std::uint64_t index = in.Varint();
  if (!in.ok()) return 0;
  if (index < file_.dialects.size()) return static_cast<std::uint32_t>(index);
  in.FailAt(offset, "dialect " + std::to_string(index) + " is asked for, of " +
                        std::to_string(file_.dialects.size()));
  return 0;
}

void FileReader::ReadDialectVersion(ByteCursor& in, BytecodeFile::Dialect& dialect) {
  const size_t offset = in.offset();
  std::uint8_t id = 0;
  const ByteRange range = ReadSection(in, id);
  if (!in.ok()) return;
  if (id != kDialectVersionSection) {
    return in.FailAt(offset, "the version of a dialect was expected, not a section of " +
                                 std::string(kSectionNames[id]));
  }
  dialect.version = file_.bytes.substr(range.begin, range.end - range.begin);
}

Status FileReader::ReadDialects() {
  AXLE_ASSIGN(ByteCursor in, Section(kDialectSection));
  const size_t count = in.Count("dialects");
  for (size_t i = 0; i < count && in.ok(); ++i) {
    BytecodeFile::Dialect dialect;
    if (file_.version < kDialectVersions) {
      dialect.name = String(in);
    } else {
      const size_t offset = in.offset();
      bool has_version = false;
      const std::uint64_t name = in.FlaggedVarint(has_version);
      if (name < file_.strings.size()) {
        dialect.name = file_.strings[static_cast<size_t>(name)];
      } else {
        in.FailAt(offset, "string " + std::to_string(name) + " is asked for, of " +
                              std::to_string(file_.strings.size()));
      }
      if (has_version) ReadDialectVersion(in, dialect);
    }
    file_.dialects.push_back(dialect);
  }
  ReadOpNames(in);
  return in.status(file_.label);
}

void FileReader::ReadOpNames(ByteCursor& in) {
  if (file_.version >= kElidedArgumentLocation && !in.done()) {
    file_.op_names.reserve(in.Count("names of operations"));
  }
  while (in.ok() && !in.done()) {
    const std::uint32_t dialect = Dialect(in);
    const size_t count = in.Count("names of operations");
    for (size_t i = 0; i < count && in.ok(); ++i) {
      BytecodeFile::OpName name{.name = {}, .is_registered = false, .offset = in.offset()};
      std::string_view text;
      if (file_.version >= kNativeProperties) {
        const std::uint64_t index = in.FlaggedVarint(name.is_registered);
        if (index < file_.strings.size()) {
          text = file_.strings[static_cast<size_t>(index)];
        } else {
          in.FailAt(name.offset, "string " + std::to_string(index) + " is asked for, of " +
                                     std::to_string(file_.strings.size()));
        }
      } else {
        text = String(in);
      }
      if (!in.ok()) return;
      name.name = std::string(file_.dialects[dialect].name) + "." + std::string(text);
      file_.op_names.push_back(std::move(name));
    }
  }
}

// Entries lie back to back in their section, attributes first.
Status FileReader::ReadEntries() {
  AXLE_ASSIGN(ByteCursor in, Section(kEntryOffsetSection));
  AXLE_ASSIGN(const ByteCursor data, Section(kEntrySection));
  const size_t num_attributes = in.Count("attributes");
  const size_t num_types = in.Count("types");
  const size_t total = in.CheckedCount(num_attributes + num_types, "attributes and types");
  size_t begin = data.offset();
  size_t number = 0;
  while (in.ok() && !in.done()) {
    const std::uint32_t dialect = Dialect(in);
    const size_t count = in.Count("attributes or types");
    for (size_t i = 0; i < count && in.ok(); ++i) {
      const size_t offset = in.offset();
      BytecodeFile::Entry entry;
      entry.dialect = dialect;
      const std::uint64_t size = in.FlaggedVarint(entry.is_custom);
      if (number == total) {
        in.FailAt(offset, "more than the " + std::to_string(total) +
                              " attributes and types that are announced");
      } else if (size > data.end() - begin) {
        in.FailAt(offset, std::to_string(size) +
                              " bytes of an attribute or type are announced, "
                              "but only " +
                              std::to_string(data.end() - begin) + " are left");
      }
      if (!in.ok()) break;
      entry.bytes = {begin, begin + static_cast<size_t>(size)};
      begin = entry.bytes.end;
      (number++ < num_attributes ? file_.attributes : file_.types).push_back(entry);
    }
  }
  if (in.ok() && number != total) {
    in.Fail(std::to_string(total) + " attributes and types are announced, but only " +
            std::to_string(number) + " are there");
  }
  if (in.ok() && begin != data.end()) {
    in.FailAt(begin, "bytes follow the last attribute or type");
  }
  return in.status(file_.label);
}

BytecodeFile::Resource FileReader::ReadResource(ByteCursor& in, ByteCursor& data) {
  BytecodeFile::Resource resource;
  resource.key = String(in);
  const std::uint64_t size = in.Varint();
  const size_t offset = in.offset();
  const std::uint8_t kind = in.Byte();
  if (in.ok() && kind > 2) {
    in.FailAt(offset, "a resource of kind " + std::to_string(kind) + ", where 0 to 2 are known");
  }
  if (!in.ok()) return resource;
  resource.kind = static_cast<BytecodeFile::ResourceKind>(kind);
  const size_t begin = data.offset();
  data.Take(size, "a resource");
  resource.bytes = {begin, data.offset()};
  if (resource.kind != BytecodeFile::ResourceKind::kBlob || !data.ok()) return resource;
  ByteCursor blob = file_.At(resource.bytes);
  const std::uint64_t alignment = blob.Varint();
  const std::uint64_t num_bytes = blob.Varint();
  SkipFill(blob, alignment);
  const size_t first = blob.offset();
  blob.Take(num_bytes, "a resource");
  resource.bytes = {first, blob.offset()};
  if (!blob.ok()) data = blob;
  return resource;
}

Status FileReader::ReadResources() {
  if (!sections_[kResourceOffsetSection]) return {};
  AXLE_ASSIGN(ByteCursor in, Section(kResourceOffsetSection));
  AXLE_ASSIGN(ByteCursor data, Section(kResourceSection));
  // Those of the tools that wrote the file, which mean nothing here.
  const size_t groups = in.Count("groups of resources");
  for (size_t group = 0; group < groups && in.ok() && data.ok(); ++group) {
    String(in);
    const size_t count = in.Count("resources");
    for (size_t i = 0; i < count && in.ok() && data.ok(); ++i) ReadResource(in, data);
  }
  while (in.ok() && data.ok() && !in.done()) {
    Dialect(in);
    const size_t count = in.Count("resources");
    for (size_t i = 0; i < count && in.ok() && data.ok(); ++i) {
      file_.resources.push_back(ReadResource(in, data));
    }
  }
  AXLE_TRY(in.status(file_.label));
  return data.status(file_.label);
}

Status FileReader::ReadProperties() {
  if (!sections_[kPropertySection]) return {};
  AXLE_ASSIGN(ByteCursor in, Section(kPropertySection));
  const size_t count = in.Count("properties");
  file_.properties.reserve(count);
  for (size_t i = 0; i < count && in.ok(); ++i) {
    const std::uint64_t size = in.Varint();
    const size_t begin = in.offset();
    in.Take(size, "properties");
    file_.properties.push_back({begin, in.offset()});
  }
  if (in.ok() && !in.done()) {
    in.Fail(std::to_string(in.remaining()) + " bytes follow the last properties");
  }
  return in.status(file_.label);
}

}  // namespace

ByteRange ReadSection(ByteCursor& in, std::uint8_t& id) {
  const size_t offset = in.offset();
  const std::uint8_t head = in.Byte();
  const std::uint64_t size = in.Varint();
  if (in.ok() && (head & 0x7f) >= kNumSections) {
    in.FailAt(offset, "a section with the number " + std::to_string(head & 0x7f) +
                          ", where 0 to 8 are known");
  }
  id = head & 0x7f;
  if ((head & 0x80) != 0) SkipFill(in, in.Varint());
  const size_t begin = in.offset();
  in.Take(size, "a section");
  if (!in.ok()) id = 0;
  return {begin, in.ok() ? in.offset() : begin};
}

StatusOr<BytecodeFile> ReadBytecodeHeader(std::string_view bytes, std::string label) {
  BytecodeFile file;
  file.bytes = bytes;
  file.label = std::move(label);
  FileReader reader(file);
  AXLE_TRY(reader.ReadHeader());
  AXLE_TRY(reader.ReadSections());
  AXLE_TRY(reader.ReadStrings());
  AXLE_TRY(reader.ReadDialects());
  return file;
}

StatusOr<BytecodeFile> ReadBytecodeFile(std::string_view bytes, std::string label) {
  BytecodeFile file;
  file.bytes = bytes;
  file.label = std::move(label);
  FileReader reader(file);
  AXLE_TRY(reader.ReadHeader());
  AXLE_TRY(reader.ReadSections());
  AXLE_TRY(reader.ReadStrings());
  AXLE_TRY(reader.ReadDialects());
  AXLE_TRY(reader.ReadEntries());
  AXLE_TRY(reader.ReadResources());
  AXLE_TRY(reader.ReadProperties());
  return file;
}

}  // namespace axle::mlir
