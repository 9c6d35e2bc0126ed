// The file is the size of the header in eight bytes, the header, the elements. The header is JSON
// of a fixed depth:
//
//   {"__metadata__": {"key": "text"}, "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0,
//   24]}}
//
// nlohmann's parser, which does not recurse, tells HeaderReader what it meets. That accepts the
// form above and nothing else, so that no nesting is followed and nothing is kept of what does not
// belong. What the arrays say of their places is checked when all are known.
#include "axle/core/safetensors.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "axle/core/strings.h"

namespace axle {
namespace {

using Json = nlohmann::json;

constexpr size_t kSizeBytes = 8;
// What the format's own reader allows.
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;
constexpr std::string_view kMetadata = "__metadata__";

struct Dtype {
  std::string_view name;
  ElementType type;
};
constexpr Dtype kDtypes[] = {
    {"BOOL", PRED},
    {"U8", U8},
    {"I8", S8},
    {"F8_E5M2", F8E5M2},
    {"F8_E4M3", F8E4M3FN},
    {"F8_E8M0", F8E8M0FNU},
    {"F8_E4M3FNUZ", F8E4M3FNUZ},
    {"F8_E5M2FNUZ", F8E5M2FNUZ},
    {"I16", S16},
    {"U16", U16},
    {"F16", F16},
    {"BF16", BF16},
    {"I32", S32},
    {"U32", U32},
    {"F32", F32},
    {"C64", C64},
    {"F64", F64},
    {"I64", S64},
    {"U64", U64},
};

Status Malformed(std::string_view what) {
  return InvalidArgument(StrCat("safetensors: ", what));
}

Status ArrayError(std::string_view name, std::string_view what) {
  return Malformed(StrCat("\"", PrintableText(name), "\" ", what));
}

// An array as the header describes it.
struct Entry {
  std::string name;
  std::optional<std::string> dtype;
  std::optional<std::vector<std::uint64_t>> shape, offsets;
};

// What the parser calls. A function that returns false ends it; `status` says why.
class HeaderReader : public nlohmann::json_sax<Json> {
 public:
  Status status;
  std::vector<Entry> entries;
  std::map<std::string, std::string, std::less<>> metadata;

  bool null() override { return Unexpected("null"); }
  bool boolean(bool) override { return Unexpected("a truth value"); }
  bool number_integer(number_integer_t) override { return Unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    return Unexpected("a number that is no integer below 2^64");
  }
  bool binary(binary_t&) override { return Unexpected("bytes"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (place_ != Place::kList) return Unexpected("a number");
    // More would never fit into a shape, nor into a pair of offsets.
    if (static_cast<i64>(list_->size()) == kMaxRank) {
      return Fail(
          ArrayError(entries.back().name, StrCat("has more than ", kMaxRank, " dimensions")));
    }
    list_->push_back(value);
    return true;
  }

  bool string(string_t& value) override {
    if (place_ == Place::kMetadata) {
      if (metadata.emplace(key_, std::move(value)).second) return true;
      return Fail(Malformed(StrCat("the metadata have \"", PrintableText(key_), "\" twice")));
    }
    if (place_ != Place::kArray || key_ != "dtype") return Unexpected("a text");
    if (entries.back().dtype) return Twice();
    entries.back().dtype = std::move(value);
    return true;
  }

  bool start_object(std::size_t) override {
    if (place_ == Place::kOutside) {
      place_ = Place::kTop;
    } else if (place_ != Place::kTop) {
      return Unexpected("an object");
    } else if (key_ == kMetadata) {
      if (has_metadata_) return Fail(Malformed(StrCat("there is \"", kMetadata, "\" twice")));
      has_metadata_ = true;
      place_ = Place::kMetadata;
    } else {
      entries.push_back({.name = key_, .dtype = {}, .shape = {}, .offsets = {}});
      place_ = Place::kArray;
    }
    return true;
  }
  bool end_object() override {
    if (place_ == Place::kArray) {
      const Entry& entry = entries.back();
      if (!entry.dtype || !entry.shape || !entry.offsets) {
        return Fail(ArrayError(entry.name, "needs dtype, shape and data_offsets"));
      }
    }
    place_ = place_ == Place::kTop ? Place::kOutside : Place::kTop;
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::kArray || (key_ != "shape" && key_ != "data_offsets")) {
      return Unexpected("a list");
    }
    Entry& entry = entries.back();
    std::optional<std::vector<std::uint64_t>>& list = key_ == "shape" ? entry.shape : entry.offsets;
    if (list) return Twice();
    list_ = &list.emplace();
    place_ = Place::kList;
    return true;
  }
  bool end_array() override {
    place_ = Place::kArray;
    return true;
  }

  bool key(string_t& value) override {
    key_ = std::move(value);
    if (place_ != Place::kArray || key_ == "dtype" || key_ == "shape" || key_ == "data_offsets") {
      return true;
    }
    return Fail(ArrayError(entries.back().name,
                           StrCat("has the unknown key \"", PrintableText(key_), "\"")));
  }

  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    return Fail(Malformed(StrCat("the header is no JSON from its byte ", position, " on")));
  }

 private:
  enum class Place { kOutside, kTop, kMetadata, kArray, kList };

  bool Fail(Status why) {
    status = std::move(why);
    return false;
  }
  bool Unexpected(std::string_view what) {
    if (place_ == Place::kOutside) return Fail(Malformed(StrCat("the header is ", what)));
    return Fail(Malformed(StrCat("the header has ", what, " at \"", PrintableText(key_), "\"")));
  }
  bool Twice() {
    return Fail(ArrayError(entries.back().name, StrCat("has \"", PrintableText(key_), "\" twice")));
  }

  Place place_ = Place::kOutside;
  std::string key_;
  std::vector<std::uint64_t>* list_ = nullptr;
  bool has_metadata_ = false;
};

StatusOr<HeaderReader> ReadHeader(std::string_view text) {
  HeaderReader reader;
  if (Json::sax_parse(text.begin(), text.end(), &reader)) return reader;
  AXLE_TRY(reader.status);
  return Malformed("the header is no JSON");
}

std::uint64_t HeaderSize(std::string_view bytes) {
  std::uint64_t size = 0;
  for (size_t i = 0; i < kSizeBytes; ++i) {
    size |= std::uint64_t{static_cast<std::uint8_t>(bytes[i])} << (8 * i);
  }
  return size;
}

// Of dimensions that may have any size.
StatusOr<Shape> ShapeOf(const Entry& entry) {
  const auto* dtype = std::ranges::find(kDtypes, *entry.dtype, &Dtype::name);
  if (dtype == std::end(kDtypes)) {
    return Unimplemented(
        StrCat("safetensors: \"", PrintableText(entry.name), "\" has elements of type ",
               PrintableText(*entry.dtype), ", which are not read; there are ",
               Join(kDtypes, ", ", [](const Dtype& known) { return known.name; })));
  }
  Dims dims;
  for (std::uint64_t size : *entry.shape) {
    if (size > static_cast<std::uint64_t>(INT64_MAX)) {
      return ArrayError(entry.name, StrCat("has a dimension of size ", size));
    }
    dims.push_back(static_cast<i64>(size));
  }
  Shape shape(dtype->type, std::move(dims));
  if (const Status status = CheckShape(shape); !status.ok()) {
    return ArrayError(entry.name, StrCat("cannot be: ", status.message()));
  }
  return shape;
}

// The part of `data` that the entry names, for a shape of so many bytes.
StatusOr<std::string_view> BytesOf(const Entry& entry, const Shape& shape, std::string_view data) {
  const std::vector<std::uint64_t>& offsets = *entry.offsets;
  if (offsets.size() != 2) {
    return ArrayError(entry.name, StrCat("has ", offsets.size(), " data_offsets; must be 2"));
  }
  const std::string range = StrCat(offsets[0], " to ", offsets[1]);
  if (offsets[0] > offsets[1]) {
    return ArrayError(entry.name, StrCat("lies at ", range, ", which is backwards"));
  }
  if (offsets[1] > data.size()) {
    return ArrayError(entry.name, StrCat("lies at ", range, ", but the file has only ", data.size(),
                                         " bytes behind the header"));
  }
  const std::string_view bytes = data.substr(offsets[0], offsets[1] - offsets[0]);
  if (static_cast<std::uint64_t>(shape.num_bytes()) != bytes.size()) {
    return ArrayError(entry.name, StrCat("has ", bytes.size(), " bytes, but ", shape.ToString(),
                                         " needs ", shape.num_bytes()));
  }
  return bytes;
}

// The format has every byte behind the header belong to one array.
Status CheckNoGapsOrOverlaps(std::vector<Entry>& entries, std::string_view data) {
  std::ranges::sort(entries, {}, [](const Entry& entry) { return *entry.offsets; });
  std::uint64_t end = 0;
  const Entry* before = nullptr;
  for (const Entry& entry : entries) {
    const std::uint64_t begin = entry.offsets->at(0);
    if (begin < end) {
      return ArrayError(entry.name, StrCat("and \"", PrintableText(before->name), "\" overlap"));
    }
    if (begin > end)
      return ArrayError(entry.name, StrCat("lies behind a gap of ", begin - end, " bytes"));
    end = entry.offsets->at(1);
    before = &entry;
  }
  if (end == data.size()) return {};
  return Malformed(StrCat("the last ", data.size() - end, " bytes belong to no array"));
}

std::string Names(const Safetensors& file) {
  std::string names;
  int count = 0;
  for (const auto& [name, array] : file.arrays) {
    if (count == 10) names += ", ...";
    if (++count > 10) break;
    StrAppend(names, count > 1 ? ", " : "", PrintableText(name));
  }
  return names.empty() ? "none" : names;
}

}  // namespace

bool IsSafetensors(std::string_view bytes) {
  // The high bytes of a size are zeros, and it is followed by an object of JSON.
  return bytes.size() > kSizeBytes && bytes[kSizeBytes] == '{' &&
         HeaderSize(bytes) <= kMaxHeaderBytes;
}

StatusOr<Safetensors> ReadSafetensors(std::string_view bytes) {
  if (bytes.size() < kSizeBytes) return Malformed("the file ends inside the size of its header");
  const std::uint64_t size = HeaderSize(bytes);
  if (size > kMaxHeaderBytes) {
    return Malformed(StrCat("the header would have ", size, " bytes, more than ", kMaxHeaderBytes));
  }
  bytes.remove_prefix(kSizeBytes);
  if (size > bytes.size()) {
    return Malformed(StrCat("the file ends inside its header of ", size, " bytes"));
  }
  const std::string_view header = bytes.substr(0, size), data = bytes.substr(size);
  if (!header.starts_with('{')) return Malformed("the header does not begin with {");
  AXLE_ASSIGN(HeaderReader reader, ReadHeader(header));
  Safetensors file;
  file.metadata = std::move(reader.metadata);
  for (const Entry& entry : reader.entries) {
    AXLE_ASSIGN(Shape shape, ShapeOf(entry));
    AXLE_ASSIGN(const std::string_view elements, BytesOf(entry, shape, data));
    SafetensorsArray array = {std::move(shape), elements};
    if (!file.arrays.emplace(entry.name, std::move(array)).second) {
      return ArrayError(entry.name, "appears twice");
    }
  }
  AXLE_TRY(CheckNoGapsOrOverlaps(reader.entries, data));
  return file;
}

StatusOr<Literal> ToLiteral(const SafetensorsArray& array) {
  AXLE_ASSIGN(Literal literal, Literal::CreateUninitialized(array.shape));
  std::byte* out = literal.mutable_bytes();
  if (!array.bytes.empty()) std::memcpy(out, array.bytes.data(), array.bytes.size());
  if (array.shape.type() == PRED) {
    for (size_t i = 0; i < array.bytes.size(); ++i) out[i] = std::byte{out[i] != std::byte{0}};
  }
  return literal;
}

StatusOr<Literal> MemberLiteral(const Safetensors& file, std::string_view name) {
  const auto found = file.arrays.find(name);
  if (found != file.arrays.end()) return ToLiteral(found->second);
  return NotFound(StrCat("no member ", PrintableText(name), "; there ",
                         file.arrays.size() == 1 ? "is " : "are ", Names(file)));
}

StatusOr<Npz> ReadArrays(std::string_view bytes, i64 max_bytes) {
  if (!IsSafetensors(bytes)) return ReadNpz(bytes, max_bytes);
  AXLE_ASSIGN(const Safetensors file, ReadSafetensors(bytes));
  i64 left = max_bytes;
  Npz arrays;
  for (const auto& [name, array] : file.arrays) {
    const auto size = static_cast<i64>(array.bytes.size());
    if (size > left) {
      return ResourceExhausted(
          StrCat("safetensors: more than ", HumanBytes(max_bytes), " of arrays"));
    }
    left -= size;
    arrays.emplace(name,
                   NpyArray{array.shape.type(), array.shape.dims(), std::string(array.bytes)});
  }
  return arrays;
}

namespace {

struct Member {
  const std::string* name;
  Literal value;  // row-major, full
  std::string_view dtype;
};

StatusOr<std::vector<Member>> MembersOf(std::span<const std::pair<std::string, Literal>> members) {
  std::vector<Member> sorted;
  for (const auto& [name, literal] : members) {
    const Shape& shape = literal.shape();
    const auto* dtype = std::ranges::find(kDtypes, shape.type(), &Dtype::type);
    if (!shape.is_array() || dtype == std::end(kDtypes) || name == kMetadata) {
      return InvalidArgument(StrCat("safetensors: cannot write ", shape.ToString(), " as \"",
                                    PrintableText(name), "\""));
    }
    sorted.push_back(
        {&name, literal.is_padded() ? literal.ValidPart() : literal.ToRowMajor(), dtype->name});
  }
  // Large elements first: so each array is aligned, if the first one is.
  std::ranges::sort(sorted, [](const Member& a, const Member& b) {
    const int left = Info(a.value.shape().type()).bytes, right = Info(b.value.shape().type()).bytes;
    return left != right ? left > right : *a.name < *b.name;
  });
  std::vector<std::string_view> names;
  for (const Member& member : sorted) names.push_back(*member.name);
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end()) {
    return InvalidArgument(StrCat("safetensors: two arrays are called ", PrintableText(*twice)));
  }
  return sorted;
}

// A text of JSON: UTF-8 stands for itself.
std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte < 0x20) {
      StrAppend(out, "\\u00", kDigits[byte >> 4], kDigits[byte & 15]);
    } else {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
  }
  out += '"';
  return out;
}

}  // namespace

StatusOr<std::string> WriteSafetensors(std::span<const std::pair<std::string, Literal>> members,
                                       const std::map<std::string, std::string>& metadata) {
  AXLE_ASSIGN(const std::vector<Member> sorted, MembersOf(members));
  std::string text = "{";
  const auto begin = [&](std::string_view name) {
    if (text.size() > 1) text += ',';
    text += Quoted(name);
  };
  if (!metadata.empty()) {
    begin(kMetadata);
    text += ":{";
    for (const auto& [key, value] : metadata) {
      StrAppend(text, text.ends_with('{') ? "" : ",", Quoted(key), ":", Quoted(value));
    }
    text += '}';
  }
  i64 end = 0;
  for (const Member& member : sorted) {
    const i64 first = end;
    end += member.value.num_bytes();
    begin(*member.name);
    StrAppend(text, ":{\"dtype\":\"", member.dtype, "\",\"shape\":[",
              Join(member.value.shape().dims(), ","), "],\"data_offsets\":[", first, ",", end,
              "]}");
  }
  text += '}';
  if (!ReadHeader(text).ok()) {
    return InvalidArgument("safetensors: a name or the metadata are no UTF-8");
  }
  text.resize((text.size() + kSizeBytes - 1) / kSizeBytes * kSizeBytes, ' ');
  if (text.size() > kMaxHeaderBytes) {
    return InvalidArgument(StrCat("safetensors: the header would have ", text.size(),
                                  " bytes, more than ", kMaxHeaderBytes));
  }
  std::string out;
  out.reserve(kSizeBytes + text.size() + static_cast<size_t>(end));
  for (size_t i = 0; i < kSizeBytes; ++i) {
    out += static_cast<char>(std::uint64_t{text.size()} >> (8 * i));
  }
  out += text;
  for (const Member& member : sorted) {
    out.append(reinterpret_cast<const char*>(member.value.bytes()), member.value.num_bytes());
  }
  return out;
}

}  // namespace axle
