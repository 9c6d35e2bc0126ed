// .npz: the parts of the zip format that NumPy writes. A zip archive ends in a record that says
// where the central directory is; its entries give name, sizes, checksum and place of each member.
// The local header in front of a member's bytes is only used to step over it.
#include "axle/core/npz.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <type_traits>

#include "axle/core/strings.h"

namespace axle {
namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50;
constexpr std::uint32_t kCentralHeader = 0x02014b50;
constexpr std::uint32_t kEndRecord = 0x06054b50;
constexpr std::uint32_t kZip64EndRecord = 0x06064b50;
constexpr std::uint32_t kZip64Locator = 0x07064b50;
constexpr std::uint16_t kZip64Extra = 1;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;
constexpr size_t kEndRecordSize = 22;
// A zip64 field is used where its short form holds this.
constexpr std::uint32_t kInZip64 = 0xffffffff;
// Deflate makes at most this many bytes of one.
constexpr std::uint64_t kMaxRatio = 1032;

Status Malformed(std::string_view what) {
  return InvalidArgument(StrCat("npz: ", what));
}

// Little-endian fields, one after the other; zeros and !ok() beyond the end.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  T Read() {
    static_assert(std::is_unsigned_v<T>);
    T value = 0;
    const std::string_view field = Take(sizeof(T));
    field.copy(reinterpret_cast<char*>(&value), sizeof(T));
    return value;
  }
  std::string_view Take(std::uint64_t size) {
    ok_ = ok_ && size <= bytes_.size();
    if (!ok_) return {};
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  bool empty() const { return bytes_.empty(); }
  bool ok() const { return ok_; }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

std::string_view From(std::string_view bytes, std::uint64_t offset) {
  return offset < bytes.size() ? bytes.substr(offset) : std::string_view();
}

struct Member {
  std::string_view name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc = 0;
  std::uint64_t compressed = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  // of the local header
};

struct Directory {
  std::uint64_t num_members = 0;
  std::uint64_t offset = 0;
};

StatusOr<Directory> FindDirectory(std::string_view bytes) {
  // The end record is followed only by a comment of at most 65535 bytes.
  const char signature[] = {'P', 'K', '\5', '\6'};
  if (bytes.size() < kEndRecordSize) return Malformed("not a zip archive (too short)");
  const size_t earliest = bytes.size() - std::min<size_t>(bytes.size(), kEndRecordSize + 65535);
  const size_t end = bytes.rfind({signature, 4}, bytes.size() - kEndRecordSize);
  if (end == bytes.npos || end < earliest) return Malformed("not a zip archive (no end record)");
  FieldReader record(bytes.substr(end + 4));
  record.Take(6);  // numbers of disks
  Directory directory;
  directory.num_members = record.Read<std::uint16_t>();
  record.Take(4);  // size of the directory
  directory.offset = record.Read<std::uint32_t>();
  if (directory.num_members != 0xffff && directory.offset != kInZip64) return directory;
  // A locator lies in front of the end record when one of the fields was too small.
  constexpr size_t kLocatorSize = 20;
  FieldReader locator(end >= kLocatorSize ? bytes.substr(end - kLocatorSize) : std::string_view());
  if (locator.Read<std::uint32_t>() != kZip64Locator) return directory;
  locator.Take(4);
  FieldReader large(From(bytes, locator.Read<std::uint64_t>()));
  if (large.Read<std::uint32_t>() != kZip64EndRecord) return Malformed("no zip64 end record");
  large.Take(28);
  directory.num_members = large.Read<std::uint64_t>();
  large.Take(8);
  directory.offset = large.Read<std::uint64_t>();
  if (!large.ok()) return Malformed("the zip64 end record is cut off");
  return directory;
}

// Sizes and offset that did not fit into 32 bits, in this order, each only if it did not.
void ReadZip64Extra(std::string_view extra, Member& member) {
  FieldReader fields(extra);
  while (!fields.empty() && fields.ok()) {
    const auto id = fields.Read<std::uint16_t>();
    FieldReader body(fields.Take(fields.Read<std::uint16_t>()));
    if (id != kZip64Extra) continue;
    for (std::uint64_t* field : {&member.size, &member.compressed, &member.offset}) {
      if (*field == kInZip64) *field = body.Read<std::uint64_t>();
    }
  }
}

StatusOr<Member> ReadMember(FieldReader& fields) {
  Member member;
  if (fields.Read<std::uint32_t>() != kCentralHeader) {
    return Malformed("the central directory is damaged");
  }
  fields.Take(4);  // versions
  member.flags = fields.Read<std::uint16_t>();
  member.method = fields.Read<std::uint16_t>();
  fields.Take(4);  // time
  member.crc = fields.Read<std::uint32_t>();
  member.compressed = fields.Read<std::uint32_t>();
  member.size = fields.Read<std::uint32_t>();
  const auto name_size = fields.Read<std::uint16_t>();
  const auto extra_size = fields.Read<std::uint16_t>();
  const auto comment_size = fields.Read<std::uint16_t>();
  fields.Take(8);  // disk and file attributes
  member.offset = fields.Read<std::uint32_t>();
  member.name = fields.Take(name_size);
  ReadZip64Extra(fields.Take(extra_size), member);
  fields.Take(comment_size);
  if (!fields.ok()) return Malformed("the central directory is cut off");
  return member;
}

Status MemberError(const Member& member, std::string_view what) {
  return Malformed(StrCat("member ", PrintableText(member.name), " ", what));
}

// The member's bytes as they lie in the archive.
StatusOr<std::string_view> CompressedBytes(std::string_view bytes, const Member& member) {
  FieldReader local(From(bytes, member.offset));
  if (local.Read<std::uint32_t>() != kLocalHeader)
    return MemberError(member, "has no local header");
  local.Take(22);  // said again by the central directory
  const auto name_size = local.Read<std::uint16_t>();
  const auto extra_size = local.Read<std::uint16_t>();
  local.Take(std::uint64_t{name_size} + extra_size);
  const std::string_view data = local.Take(member.compressed);
  if (!local.ok()) return MemberError(member, "ends beyond the archive");
  return data;
}

StatusOr<std::string> Inflate(const Member& member, std::string_view data) {
  if (member.size / kMaxRatio > data.size())
    return MemberError(member, "claims an impossible size");
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return ResourceExhausted("no memory for zlib");
  std::string out(member.size, '\0');
  constexpr std::uint64_t kMaxPiece = 1u << 30;  // zlib counts in 32 bits
  size_t taken = 0;
  size_t made = 0;
  int result = Z_OK;
  while (result == Z_OK) {
    const auto in_piece = static_cast<uInt>(std::min(data.size() - taken, kMaxPiece));
    const auto out_piece = static_cast<uInt>(std::min(out.size() - made, kMaxPiece));
    char none = 0;  // zlib wants a place even for nothing
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data() + taken));
    stream.avail_in = in_piece;
    stream.next_out = reinterpret_cast<Bytef*>(out_piece > 0 ? out.data() + made : &none);
    stream.avail_out = out_piece;
    result = inflate(&stream, Z_NO_FLUSH);
    taken += in_piece - stream.avail_in;
    made += out_piece - stream.avail_out;
  }
  inflateEnd(&stream);
  if (result != Z_STREAM_END || made != out.size() || taken != data.size()) {
    return MemberError(member, "has damaged compressed data");
  }
  return out;
}

std::uint32_t Crc(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

StatusOr<NpyArray> ReadArray(std::string_view archive, const Member& member) {
  if ((member.flags & 1) != 0) return MemberError(member, "is encrypted");
  AXLE_ASSIGN(const std::string_view data, CompressedBytes(archive, member));
  std::string inflated;
  std::string_view npy = data;
  if (member.method == kDeflated) {
    AXLE_ASSIGN(inflated, Inflate(member, data));
    npy = inflated;
  } else if (member.method != kStored) {
    return MemberError(member, StrCat("uses compression method ", member.method));
  } else if (data.size() != member.size) {
    return MemberError(member, "has two different sizes");
  }
  if (Crc(npy) != member.crc) return MemberError(member, "has a wrong checksum");
  auto array = ReadNpy(npy);
  if (array.ok()) return array;
  return Status(array.status().code(),
                StrCat("npz: member ", PrintableText(member.name), ": ", array.status().message()));
}

}  // namespace

StatusOr<Npz> ReadNpz(std::string_view bytes, i64 max_bytes) {
  AXLE_ASSIGN(const Directory directory, FindDirectory(bytes));
  FieldReader fields(From(bytes, directory.offset));
  Npz npz;
  std::uint64_t unclaimed = bytes.size();
  std::uint64_t limit = static_cast<std::uint64_t>(max_bytes);
  for (std::uint64_t i = 0; i < directory.num_members; ++i) {
    AXLE_ASSIGN(const Member member, ReadMember(fields));
    if (!member.name.ends_with(".npy")) continue;
    // Members that share bytes would multiply a small file.
    if (member.compressed > unclaimed) return Malformed("members overlap");
    unclaimed -= member.compressed;
    if (member.size > limit) {
      return ResourceExhausted(StrCat("npz: more than ", HumanBytes(max_bytes), " of arrays"));
    }
    limit -= member.size;
    AXLE_ASSIGN(NpyArray array, ReadArray(bytes, member));
    std::string name(member.name.substr(0, member.name.size() - 4));
    if (!npz.emplace(std::move(name), std::move(array)).second) {
      return MemberError(member, "appears twice");
    }
  }
  return npz;
}

namespace {

class FieldWriter {
 public:
  template <typename T>
  FieldWriter& Write(T value) {
    for (size_t i = 0; i < sizeof(T); ++i) out_ += static_cast<char>(value >> (8 * i));
    return *this;
  }
  FieldWriter& Append(std::string_view bytes) {
    out_ += bytes;
    return *this;
  }
  std::uint64_t size() const { return out_.size(); }
  std::string Take() && { return std::move(out_); }

 private:
  std::string out_;
};

constexpr std::uint16_t kVersion = 20;
constexpr std::uint16_t kVersionZip64 = 45;
constexpr std::uint16_t kDate = 0x21;  // 1980-01-01, the first that the format can say

std::uint32_t Short(std::uint64_t value) {
  return value < kInZip64 ? static_cast<std::uint32_t>(value) : kInZip64;
}

// A local header, or the same with the additions of the central directory. The extra field holds
// what Short() could not say; it is empty below 4 GiB.
void WriteHeader(const Member& member, bool central, FieldWriter& out) {
  FieldWriter large;
  // A local header names both sizes or none, and no offset.
  const bool large_sizes = member.size >= kInZip64 || member.compressed >= kInZip64;
  const bool large_offset = central && member.offset >= kInZip64;
  if (large_sizes) large.Write(member.size).Write(member.compressed);
  if (large_offset) large.Write(member.offset);
  const std::string body = std::move(large).Take();
  const std::uint16_t version = body.empty() ? kVersion : kVersionZip64;

  out.Write(central ? kCentralHeader : kLocalHeader);
  if (central) out.Write(version);
  out.Write(version).Write(member.flags).Write(member.method);
  out.Write(std::uint16_t{0}).Write(kDate).Write(member.crc);
  out.Write(large_sizes ? kInZip64 : Short(member.compressed));
  out.Write(large_sizes ? kInZip64 : Short(member.size));
  out.Write(static_cast<std::uint16_t>(member.name.size()));
  out.Write(static_cast<std::uint16_t>(body.empty() ? 0 : body.size() + 4));
  if (central) {
    out.Write(std::uint16_t{0}).Write(std::uint16_t{0}).Write(std::uint16_t{0});
    out.Write(std::uint32_t{0}).Write(Short(member.offset));
  }
  out.Append(member.name);
  if (body.empty()) return;
  out.Write(kZip64Extra).Write(static_cast<std::uint16_t>(body.size())).Append(body);
}

void WriteEnd(std::uint64_t num_members, std::uint64_t directory, FieldWriter& out) {
  const std::uint64_t end = out.size();
  const std::uint64_t directory_size = end - directory;
  const bool large = num_members >= 0xffff || directory >= kInZip64 || directory_size >= kInZip64;
  if (large) {
    out.Write(kZip64EndRecord).Write(std::uint64_t{44}).Write(kVersionZip64).Write(kVersionZip64);
    out.Write(std::uint32_t{0}).Write(std::uint32_t{0}).Write(num_members).Write(num_members);
    out.Write(directory_size).Write(directory);
    out.Write(kZip64Locator).Write(std::uint32_t{0}).Write(end).Write(std::uint32_t{1});
  }
  const auto count = static_cast<std::uint16_t>(std::min<std::uint64_t>(num_members, 0xffff));
  out.Write(kEndRecord).Write(std::uint16_t{0}).Write(std::uint16_t{0}).Write(count).Write(count);
  out.Write(Short(directory_size)).Write(Short(directory)).Write(std::uint16_t{0});
}

StatusOr<std::string> Deflate(std::string_view bytes) {
  z_stream stream = {};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) !=
      Z_OK) {
    return ResourceExhausted("no memory for zlib");
  }
  std::string out;
  std::string piece(1 << 18, '\0');
  size_t taken = 0;
  int result = Z_OK;
  while (result == Z_OK) {
    if (stream.avail_in == 0) {
      const auto size = static_cast<uInt>(std::min<size_t>(bytes.size() - taken, 1u << 30));
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + taken));
      stream.avail_in = size;
      taken += size;
    }
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    result = deflate(&stream, taken == bytes.size() ? Z_FINISH : Z_NO_FLUSH);
    out.append(piece.data(), piece.size() - stream.avail_out);
  }
  deflateEnd(&stream);
  if (result != Z_STREAM_END) return Internal("npz: zlib did not finish");
  return out;
}

}  // namespace

StatusOr<std::string> WriteNpz(std::span<const std::pair<std::string, Literal>> members,
                               bool deflate) {
  FieldWriter out;
  std::vector<std::string> names;
  for (const auto& [name, literal] : members) names.push_back(name + ".npy");
  std::vector<Member> directory;
  for (size_t i = 0; i < members.size(); ++i) {
    const Literal& literal = members[i].second;
    if (!literal.shape().is_array() || names[i].size() > 0xffff) {
      return InvalidArgument(StrCat("npz: cannot write ", literal.shape().ToString(), " as member ",
                                    PrintableText(names[i])));
    }
    const std::string npy = WriteNpy(literal);
    std::string deflated;
    if (deflate) {
      AXLE_ASSIGN(deflated, Deflate(npy));
    }
    const std::string& data = deflate ? deflated : npy;
    Member& member = directory.emplace_back();
    member.name = names[i];
    member.method = deflate ? kDeflated : kStored;
    member.crc = Crc(npy);
    member.compressed = data.size();
    member.size = npy.size();
    member.offset = out.size();
    WriteHeader(member, false, out);
    out.Append(data);
  }
  const std::uint64_t begin = out.size();
  for (const Member& member : directory) WriteHeader(member, true, out);
  WriteEnd(directory.size(), begin, out);
  return std::move(out).Take();
}

}  // namespace axle
