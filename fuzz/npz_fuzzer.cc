// Feeds any bytes to the readers of .npz and .npy files. What is read becomes literals, is written
// and read again, and must be the same.
#include "axle/core/limits.h"
#include "axle/core/npz.h"
#include "axle/core/storage.h"
#include "fuzz/fuzz.h"

namespace {

constexpr std::int64_t kMaxBytes = std::int64_t{256} << 20;

// The literal that an array of a file is, or nothing for types that literals lack.
axle::StatusOr<axle::Literal> AsLiteral(const axle::NpyArray& array) {
  return axle::ToLiteral(array, axle::Shape(array.type, array.dims));
}

void CheckArray(const axle::NpyArray& array) {
  const auto literal = AsLiteral(array);
  if (!literal.ok()) return;
  const auto again = axle::ReadNpy(axle::WriteNpy(*literal));
  if (!again.ok()) {
    axle::fuzz::Fail("what was written does not read", array.ToString(), again.status().message());
  }
  const auto same = AsLiteral(*again);
  if (!same.ok() || !(*same == *literal)) {
    axle::fuzz::Fail("reads back as another array", array.ToString(), again->ToString());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  axle::Limits limits;
  axle::fuzz::SetLimits(limits);
  const axle::StorageScope storage(&limits);
  if (const auto array = axle::ReadNpy(bytes); array.ok()) CheckArray(*array);
  const auto npz = axle::ReadNpz(bytes, kMaxBytes);
  if (!npz.ok()) {
    if (npz.status().message().empty()) axle::fuzz::Fail("an error without a message", "", "");
    return 0;
  }
  for (const auto& [name, array] : *npz) CheckArray(array);
  return 0;
}
