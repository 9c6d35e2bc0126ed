// A file of jax.export is a FlatBuffer without an identifier. It begins with the place of its root
// table. A table begins with the distance back to its vtable, which has 16-bit numbers: its own
// size, that of the table, and for each field where it is in the table, 0 for one that is not
// there. A field of the type vector has the distance to a length and that many bytes. All numbers
// are little-endian.
//
// Field 13 of the root is the program, in all versions of the format (1 to 11). What is found there
// begins with the mark of MLIR bytecode, by which the file is recognised: the other fields describe
// the program for JAX and are not needed to run it.
#include "axle/client/jax_export.h"

#include <cstdint>
#include <cstring>

#include "axle/stablehlo/mlir/bytecode.h"

namespace axle {
namespace {

constexpr std::uint64_t kProgramField = 13;

// The number at a place; nothing if it is not inside of the bytes. 64 bits hold every sum of places
// and distances.
template <typename T>
std::optional<std::uint64_t> NumberAt(std::string_view bytes, std::uint64_t place) {
  if (place > bytes.size() || bytes.size() - place < sizeof(T)) return std::nullopt;
  T number;
  std::memcpy(&number, bytes.data() + place, sizeof(T));
  return static_cast<std::uint64_t>(number);
}

}  // namespace

std::optional<std::string_view> ProgramInJaxExport(std::string_view bytes) {
  const auto root = NumberAt<std::uint32_t>(bytes, 0);
  if (!root) return std::nullopt;
  const auto back = NumberAt<std::int32_t>(bytes, *root);
  if (!back) return std::nullopt;
  const std::uint64_t vtable = *root - *back;  // wraps around to a place outside of the bytes
  const auto size = NumberAt<std::uint16_t>(bytes, vtable);
  const std::uint64_t entry = 4 + 2 * kProgramField;
  if (!size || *size < entry + 2) return std::nullopt;
  const auto field = NumberAt<std::uint16_t>(bytes, vtable + entry);
  if (!field || *field == 0) return std::nullopt;
  const std::uint64_t place = *root + *field;
  const auto distance = NumberAt<std::uint32_t>(bytes, place);
  if (!distance) return std::nullopt;
  const std::uint64_t vector = place + *distance;
  const auto length = NumberAt<std::uint32_t>(bytes, vector);
  if (!length) return std::nullopt;
  const std::string_view program = bytes.substr(vector + 4, *length);
  if (!mlir::IsMlirBytecode(program)) return std::nullopt;
  return program;
}

}  // namespace axle
