// The container of MLIR bytecode: sections, strings, the index of attributes and types, resources.
// What the operations, attributes and types say is read on top of it.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "axle/core/status.h"
#include "axle/stablehlo/mlir/bytecode_cursor.h"

namespace axle::mlir {

// The newest version of the container that is known; what each brought:
enum ContainerVersion : int {
  kDialectVersions = 1,         // a dialect may say its version
  kLazyRegions = 2,             // isolated regions are sections of their own
  kUseListOrders = 3,           // the order of the uses of a value may be stated
  kElidedArgumentLocation = 4,  // unknown locations of block arguments are left out
  kNativeProperties = 5,        // properties are apart from discardable attributes
  kSegmentSizes = 6,            // sizes of operand groups are in the properties
  kNewestContainer = 6,
};

enum SectionId : std::uint8_t {
  kStringSection,
  kDialectSection,
  kEntrySection,
  kEntryOffsetSection,
  kIrSection,
  kResourceSection,
  kResourceOffsetSection,
  kDialectVersionSection,
  kPropertySection,
  kNumSections,
};

// Parts that an operation has, in the order in which they follow.
enum OpMask : std::uint8_t {
  kHasAttributes = 0x01,
  kHasResults = 0x02,
  kHasOperands = 0x04,
  kHasSuccessors = 0x08,
  kHasRegions = 0x10,
  kHasUseOrders = 0x20,
  kHasProperties = 0x40,
};

struct ByteRange {
  size_t begin = 0, end = 0;
};

struct BytecodeFile {
  struct Dialect {
    std::string_view name;
    std::string_view version;  // bytes that only the dialect understands
  };
  struct OpName {
    std::string name;  // with its dialect
    bool is_registered = false;
    size_t offset = 0;  // where the file says it
  };
  // An attribute or a type.
  struct Entry {
    std::uint32_t dialect = 0;
    ByteRange bytes;
    bool is_custom = false;  // in the dialect's encoding; else its text in MLIR
  };
  enum class ResourceKind : std::uint8_t { kBlob, kBool, kString };
  struct Resource {
    std::string_view key;
    ResourceKind kind = ResourceKind::kBlob;
    ByteRange bytes;
  };

  std::string_view bytes;
  std::string label;
  int version = 0;
  std::string_view producer;
  std::vector<std::string_view> strings;
  std::vector<Dialect> dialects;
  std::vector<OpName> op_names;
  std::vector<Entry> attributes;
  std::vector<Entry> types;
  std::vector<ByteRange> properties;
  std::vector<Resource> resources;  // of dialects, in the order of their handles
  ByteRange ir;

  ByteCursor At(ByteRange range) const { return {bytes, range.begin, range.end}; }
};

// Enters the section that begins at `in`, moves `in` behind it and returns where its data lies.
// `id` is what the file says it is, at most kNumSections - 1.
ByteRange ReadSection(ByteCursor& in, std::uint8_t& id);

// Reads everything but what entries, properties and operations say. `bytes` must outlive it.
// Errors: INVALID_ARGUMENT with the offset; UNIMPLEMENTED for a newer version.
StatusOr<BytecodeFile> ReadBytecodeFile(std::string_view bytes, std::string label);
// The same, but nothing behind the producer and the dialects.
StatusOr<BytecodeFile> ReadBytecodeHeader(std::string_view bytes, std::string label);

}  // namespace axle::mlir
