#include "axle/core/wire.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "axle/core/stable_sort.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

constexpr int kMaxField = (1 << 29) - 1;

}  // namespace

void WireWriter::Varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out_ += static_cast<char>(value | 0x80);
  out_ += static_cast<char>(value);
}

void WireWriter::Tag(int field, int type) {
  is_sorted_ = is_sorted_ && field >= last_field_;
  last_field_ = field;
  Varint(static_cast<std::uint64_t>(field) << 3 | static_cast<std::uint64_t>(type));
}

void WireWriter::ExplicitInt(int field, i64 value) {
  Tag(field, 0);
  Varint(static_cast<std::uint64_t>(value));
}

void WireWriter::Bytes(int field, std::string_view bytes) {
  Tag(field, 2);
  Varint(bytes.size());
  out_ += bytes;
}

void WireWriter::Double(int field, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  if (bits == 0) return;
  Tag(field, 1);
  out_.append(reinterpret_cast<const char*>(&bits), sizeof bits);
}

void WireWriter::Float(int field, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (bits == 0) return;
  Tag(field, 5);
  out_.append(reinterpret_cast<const char*>(&bits), sizeof bits);
}

void WireWriter::Ints(int field, std::span<const i64> values) {
  if (values.empty()) return;
  WireWriter list;
  for (i64 value : values) list.Varint(static_cast<std::uint64_t>(value));
  Bytes(field, list.out_);
}

void WireWriter::SortFields() {
  if (is_sorted_) return;
  std::vector<std::pair<int, std::string_view>> fields;
  WireReader reader(out_, "");
  const std::string_view all = out_;
  for (size_t begin = 0; reader.Next();) {
    const size_t end = all.size() - reader.remaining();
    fields.emplace_back(reader.field(), all.substr(begin, end - begin));
    begin = end;
  }
  StableSort(fields, [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string sorted;
  sorted.reserve(out_.size());
  for (const auto& [field, bytes] : fields) sorted += bytes;
  out_ = std::move(sorted);
  is_sorted_ = true;
  last_field_ = fields.back().first;
}

bool WireReader::ReadVarint(std::string_view& from, std::uint64_t& value) const {
  value = 0;
  for (size_t i = 0; i < std::min<size_t>(from.size(), 10); ++i) {
    const auto byte = static_cast<std::uint8_t>(from[i]);
    value |= static_cast<std::uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) {
      from.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

bool WireReader::Fail(std::string_view what) {
  status_ = Error(what);
  return false;
}

bool WireReader::Next() {
  if (rest_.empty() || !status_.ok()) return false;
  field_offset_ = rest_.data() - begin_;
  field_ = 0;
  std::uint64_t tag = 0;
  if (!ReadVarint(rest_, tag)) return Fail("the tag of a field is cut off");
  type_ = static_cast<int>(tag & 7);
  if (tag >> 3 < 1 || tag >> 3 > kMaxField) return Fail("the tag has no valid field number");
  field_ = static_cast<int>(tag >> 3);
  std::uint64_t value = 0;
  switch (type_) {
    case kVarint:
      if (!ReadVarint(rest_, value)) return Fail("a varint is cut off or too long");
      varint_ = static_cast<i64>(value);
      return true;
    case kBytes:
      if (!ReadVarint(rest_, value)) return Fail("a length is cut off or too long");
      break;
    case kFixed32:
      value = 4;
      break;
    case kFixed64:
      value = 8;
      break;
    default:
      return Fail(StrCat("wire type ", type_, " is not used by these messages"));
  }
  if (value > rest_.size()) {
    return Fail(StrCat("has ", value, " bytes but only ", rest_.size(), " are left"));
  }
  bytes_ = rest_.substr(0, value);
  rest_.remove_prefix(value);
  return true;
}

Status WireReader::Error(std::string_view what) const {
  std::string path;
  const WireReader* outermost = this;
  for (const WireReader* reader = this; reader != nullptr; reader = reader->parent_) {
    if (reader->field_ != 0) {
      path = path.empty() ? StrCat(reader->field_) : StrCat(reader->field_, ".", path);
    }
    outermost = reader;
  }
  const size_t offset = begin_ - outermost->begin_ + field_offset_;
  return InvalidArgument(
      StrCat(label_, ": byte ", offset, path.empty() ? "" : ", field ", path, ": ", what));
}

Status WireReader::Expect(Type type) const {
  if (type_ == type) return {};
  return Error(StrCat("has wire type ", type_, ", not ", static_cast<int>(type)));
}

StatusOr<i64> WireReader::Int() const {
  AXLE_TRY(Expect(kVarint));
  return varint_;
}

StatusOr<std::int32_t> WireReader::Int32() const {
  AXLE_TRY(Expect(kVarint));
  const auto value = static_cast<std::int32_t>(varint_);
  if (value != varint_) return Error(StrCat(varint_, " does not fit into 32 bits"));
  return value;
}

StatusOr<bool> WireReader::Bool() const {
  AXLE_TRY(Expect(kVarint));
  return varint_ != 0;
}

StatusOr<float> WireReader::Float() const {
  AXLE_TRY(Expect(kFixed32));
  float value;
  std::memcpy(&value, bytes_.data(), sizeof value);
  return value;
}

StatusOr<double> WireReader::Double() const {
  AXLE_TRY(Expect(kFixed64));
  double value;
  std::memcpy(&value, bytes_.data(), sizeof value);
  return value;
}

StatusOr<std::string_view> WireReader::Bytes() const {
  AXLE_TRY(Expect(kBytes));
  return bytes_;
}

StatusOr<WireReader> WireReader::Message() const {
  AXLE_TRY(Expect(kBytes));
  if (depth_ >= kMaxDepth) return Error("messages are nested too deeply");
  WireReader message(bytes_, label_);
  message.parent_ = this;
  message.depth_ = depth_ + 1;
  return message;
}

Status WireReader::Ints(std::vector<i64>& values) const {
  if (type_ == kVarint) {
    values.push_back(varint_);
    return {};
  }
  AXLE_TRY(Expect(kBytes));
  for (std::string_view rest = bytes_; !rest.empty();) {
    std::uint64_t value = 0;
    if (!ReadVarint(rest, value)) return Error("a packed list is cut off");
    values.push_back(static_cast<i64>(value));
  }
  return {};
}

template <typename T>
Status WireReader::Fixed(Type type, std::vector<T>& values) const {
  if (type_ != type) AXLE_TRY(Expect(kBytes));
  if (bytes_.size() % sizeof(T) != 0) {
    return Error(
        StrCat("a packed list has ", bytes_.size(), " bytes, not a multiple of ", sizeof(T)));
  }
  const size_t count = values.size();
  values.resize(count + bytes_.size() / sizeof(T));
  if (!bytes_.empty()) std::memcpy(values.data() + count, bytes_.data(), bytes_.size());
  return {};
}

Status WireReader::Floats(std::vector<float>& values) const {
  return Fixed(kFixed32, values);
}

Status WireReader::Doubles(std::vector<double>& values) const {
  return Fixed(kFixed64, values);
}

}  // namespace axle
