// SHA-256 (FIPS 180-4) and HMAC with it (RFC 2104): what proves that bytes come from the job.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace axle {

inline constexpr size_t kDigestBytes = 32;
using Digest = std::array<unsigned char, kDigestBytes>;

// A hash of bytes that come in pieces.
class Sha256 {
 public:
  void Add(std::string_view bytes);
  Digest Finish();

 private:
  void Block(const unsigned char* block);
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> rest_ = {};
  std::uint64_t num_bytes_ = 0;
};

// The HMAC of the bytes, kDigestBytes of them.
std::string Hmac(std::string_view secret, std::string_view bytes);
// Compares in a time that does not depend on where the two differ.
bool SameBytes(std::string_view a, std::string_view b);
// Bytes from the system that nobody can guess.
std::string RandomBytes(size_t count);
std::string HexText(std::string_view bytes);

}  // namespace axle
