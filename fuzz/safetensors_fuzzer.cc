// Feeds any bytes to the reader of safetensors files. What is read becomes literals, is written and
// read again, and must be the same.
#include "axle/core/limits.h"
#include "axle/core/safetensors.h"
#include "axle/core/storage.h"
#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  axle::Limits limits;
  axle::fuzz::SetLimits(limits);
  const axle::StorageScope storage(&limits);
  const auto file = axle::ReadSafetensors(bytes);
  if (!file.ok()) {
    if (file.status().message().empty()) axle::fuzz::Fail("an error without a message", "", "");
    return 0;
  }
  std::vector<std::pair<std::string, axle::Literal>> members;
  for (const auto& [name, array] : file->arrays) {
    const auto literal = axle::ToLiteral(array);
    if (!literal.ok()) axle::fuzz::Fail("no literal of", name, literal.status().message());
    members.emplace_back(name, *literal);
  }
  const auto written =
      axle::WriteSafetensors(members, {file->metadata.begin(), file->metadata.end()});
  if (!written.ok()) axle::fuzz::Fail("is not written", "", written.status().message());
  const auto again = axle::ReadSafetensors(*written);
  if (!again.ok()) axle::fuzz::Fail("what was written does not read", "", again.status().message());
  if (again->metadata != file->metadata || again->arrays.size() != members.size()) {
    axle::fuzz::Fail("reads back as another file", "", "");
  }
  for (const auto& [name, literal] : members) {
    const auto same = axle::MemberLiteral(*again, name);
    if (!same.ok() || !(*same == literal)) axle::fuzz::Fail("reads back as another", name, "");
  }
  return 0;
}
