// MeshProto and AxisRefProto, for replica groups and shardings, and the check that what a proto
// says can be said in text.
#pragma once
#include "axle/core/wire.h"
#include "axle/ops/attributes/attr_kinds.h"
#include "axle/ops/attributes/device_lists.h"

namespace axle {

WireWriter DeviceMeshMessage(const DeviceMesh& mesh);
WireWriter MeshAxisRefMessage(const MeshAxisRef& ref);
// Read the messages without checks.
Status ReadDeviceMesh(const WireReader& in, DeviceMesh& mesh);
Status ReadMeshAxisRef(const WireReader& in, MeshAxisRef& ref);
// The axes that are named are there, so that the refs can be printed.
Status CheckAxisNumbers(const WireReader& in, const DeviceMesh& mesh,
                        std::span<const MeshAxisRef> refs);

// Sends a value through its text, whose reader makes all checks and gives the canonical form.
template <typename T>
Status CheckText(const WireReader& in, T& value) {
  const std::string text = AttrTraits<T>::Print(value);
  Scanner scanner(text);
  T checked;
  const Status status = AttrTraits<T>::Parse(scanner, Shape(), checked);
  if (!status.ok() || !scanner.AtEnd()) {
    return in.Error(status.ok() ? StrCat("cannot be read: ", text) : status.message());
  }
  value = std::move(checked);
  return {};
}

}  // namespace axle
