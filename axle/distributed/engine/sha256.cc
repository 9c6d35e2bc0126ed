#include "axle/distributed/engine/sha256.h"

#include <sys/random.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <random>

namespace axle {
namespace {

// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
constexpr std::array<std::uint32_t, 64> kRoots = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t BigEndian(const unsigned char* bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 |
         std::uint32_t{bytes[2]} << 8 | std::uint32_t{bytes[3]};
}

std::string_view AsText(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

void Sha256::Block(const unsigned char* block) {
  std::array<std::uint32_t, 64> w;
  for (size_t t = 0; t < 16; ++t) w[t] = BigEndian(block + 4 * t);
  for (size_t t = 16; t < 64; ++t) {
    const std::uint32_t s0 = std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (size_t t = 0; t < 64; ++t) {
    const std::uint32_t sum1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t one = h + sum1 + ((e & f) ^ (~e & g)) + kRoots[t] + w[t];
    const std::uint32_t sum0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t two = sum0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + one;
    d = c;
    c = b;
    b = a;
    a = one + two;
  }
  const std::array<std::uint32_t, 8> added = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < added.size(); ++i) state_[i] += added[i];
}

void Sha256::Add(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t at = num_bytes_ % rest_.size();
    const size_t taken = std::min(bytes.size(), rest_.size() - at);
    std::memcpy(rest_.data() + at, bytes.data(), taken);
    num_bytes_ += taken;
    bytes.remove_prefix(taken);
    if (num_bytes_ % rest_.size() == 0) Block(rest_.data());
  }
}

Digest Sha256::Finish() {
  const std::uint64_t bits = num_bytes_ * 8;
  Add(std::string_view("\x80", 1));
  while (num_bytes_ % rest_.size() != 56) Add(std::string_view("\0", 1));
  std::string length(8, '\0');
  for (size_t i = 0; i < 8; ++i) length[i] = static_cast<char>(bits >> (56 - 8 * i));
  Add(length);
  Digest digest;
  for (size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<unsigned char>(state_[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

std::string Hmac(std::string_view secret, std::string_view bytes) {
  constexpr size_t kBlock = 64;
  std::string key(secret);
  if (key.size() > kBlock) {
    Sha256 hash;
    hash.Add(key);
    key = AsText(hash.Finish());
  }
  key.resize(kBlock, '\0');
  std::string inner_key = key, outer_key = key;
  for (char& c : inner_key) c = static_cast<char>(c ^ 0x36);
  for (char& c : outer_key) c = static_cast<char>(c ^ 0x5c);
  Sha256 inner, outer;
  inner.Add(inner_key);
  inner.Add(bytes);
  outer.Add(outer_key);
  outer.Add(AsText(inner.Finish()));
  return std::string(AsText(outer.Finish()));
}

bool SameBytes(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

std::string RandomBytes(size_t count) {
  std::string bytes(count, '\0');
  size_t have = 0;
  while (have < count) {
    const ssize_t got = getrandom(bytes.data() + have, count - have, 0);
    if (got > 0) {
      have += static_cast<size_t>(got);
    } else if (errno != EINTR) {
      // A kernel without the call: the file of the same bytes.
      std::random_device device;
      for (; have < count; ++have) bytes[have] = static_cast<char>(device());
    }
  }
  return bytes;
}

std::string HexText(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace axle
