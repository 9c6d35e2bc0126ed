#include "axle/client/compression.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>

#include "axle/core/strings.h"

namespace axle {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
constexpr size_t kChunk = 1 << 16;

Status TooLong(i64 max_bytes) {
  return ResourceExhausted(
      StrCat("the compressed input is longer than ", HumanBytes(max_bytes), " when unpacked"));
}

// The number of members, including the one that begins now.
Status CountMember(i64& count) {
  if (++count <= kMaxMembers) return {};
  return ResourceExhausted(StrCat("the compressed input has more than ", kMaxMembers, " members"));
}

Status Check(Limits* limits) {
  return limits == nullptr ? Status() : limits->Check();
}

StatusOr<std::string> Gunzip(std::string_view bytes, i64 max_bytes, Limits* limits) {
  z_stream stream = {};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) return ResourceExhausted("no memory for gzip");
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> closer(&stream, &inflateEnd);
  std::string out;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  size_t left = bytes.size();  // avail_in is 32 bits
  i64 num_members = 1;
  while (true) {
    AXLE_TRY(Check(limits));
    if (stream.avail_in == 0) {
      stream.avail_in = static_cast<uInt>(std::min<size_t>(left, 1u << 30));
      left -= stream.avail_in;
    }
    const size_t size = out.size();
    out.resize(size + kChunk);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + size);
    stream.avail_out = kChunk;
    const int result = inflate(&stream, Z_NO_FLUSH);
    out.resize(size + kChunk - stream.avail_out);
    if (static_cast<i64>(out.size()) > max_bytes) return TooLong(max_bytes);
    if (result == Z_STREAM_END) {
      if (stream.avail_in == 0 && left == 0) return out;
      AXLE_TRY(CountMember(num_members));
      if (inflateReset(&stream) != Z_OK) break;  // another member follows
    } else if (result != Z_OK) {
      break;
    }
  }
  return InvalidArgument("the gzip input is damaged or cut off");
}

StatusOr<std::string> Unzstd(std::string_view bytes, i64 max_bytes, Limits* limits) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          &ZSTD_freeDStream);
  if (stream == nullptr) return ResourceExhausted("no memory for zstd");
  // The library refuses frames that ask for a larger window than this.
  ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, 27);
  std::string out;
  ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
  size_t result = 1;
  i64 num_members = 1;
  while (in.pos < in.size || result != 0) {
    AXLE_TRY(Check(limits));
    if (result == 0) AXLE_TRY(CountMember(num_members));
    const size_t size = out.size(), consumed = in.pos;
    out.resize(size + kChunk);
    ZSTD_outBuffer chunk = {out.data() + size, kChunk, 0};
    result = ZSTD_decompressStream(stream.get(), &chunk, &in);
    out.resize(size + chunk.pos);
    if (ZSTD_isError(result) || (chunk.pos == 0 && in.pos == consumed)) {
      return InvalidArgument("the zstd input is damaged or cut off");
    }
    if (static_cast<i64>(out.size()) > max_bytes) return TooLong(max_bytes);
  }
  return out;
}

}  // namespace

bool IsCompressed(std::string_view bytes) {
  return bytes.starts_with(kGzipMagic) || bytes.starts_with(kZstdMagic);
}

StatusOr<std::string> Decompress(std::string_view bytes, i64 max_bytes, Limits* limits) {
  return bytes.starts_with(kGzipMagic) ? Gunzip(bytes, max_bytes, limits)
                                       : Unzstd(bytes, max_bytes, limits);
}

}  // namespace axle
