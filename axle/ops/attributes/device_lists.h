// Lists of devices as HLO text spells them, shared by shardings and replica groups: explicit, iota
// ([2,4]T(1,0)) and by the axes of a mesh. They stay in the form in which they were written, since
// an iota of a million devices is a few bytes of text.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "axle/core/shape.h"

namespace axle {

// arange(product of reshape).reshape(reshape).transpose(transpose), flattened. Canonical: without
// sizes of 1 and with dimensions that stay neighbours merged, so that equal lists are equal.
struct IotaDevices {
  Dims reshape;
  Dims transpose;

  i64 size() const;  // how many devices the list has
  // The device at a position of the list, and the position of a device; both are below size().
  i64 device(i64 position) const;
  i64 position(i64 device) const;
  bool is_identity() const { return reshape.size() <= 1; }
  bool operator==(const IotaDevices&) const = default;
};

// [8], [2,4]T(1,0); the transposition is needed if there are several dimensions.
StatusOr<IotaDevices> ParseIotaDevices(Scanner& scanner);
std::string IotaDevicesText(const IotaDevices& devices);

// [2,4]: sizes >= 1 whose product fits.
StatusOr<Dims> ParseTileDims(Scanner& scanner);

// Devices as a box whose dimensions have names.
struct DeviceMesh {
  struct Axis {
    std::string name;
    i64 size = 1;
    bool operator==(const Axis&) const = default;
  };
  std::vector<Axis> axes;
  // Which device is where, row-major; without either, device i is at position i.
  Dims device_ids;
  std::optional<IotaDevices> iota;
  std::optional<i64> maximal_device;  // maximal_mesh[device_id=N]: this device and no axes

  bool operator==(const DeviceMesh&) const = default;
};

// mesh['x'=2,'y'=4], device_ids=(...), or maximal_mesh[device_id=3].
StatusOr<DeviceMesh> ParseDeviceMesh(Scanner& scanner);
std::string DeviceMeshText(const DeviceMesh& mesh);

// An axis of a mesh, or the part of it that varies while `pre_size` more major and the remaining
// more minor positions stay.
struct MeshAxisRef {
  i64 axis = 0;
  i64 pre_size = 1;
  i64 size = 0;  // size of the part; 0: the whole axis
  bool operator==(const MeshAxisRef&) const = default;
};

// 'x' or 'y':(1)2, or the number of an axis in quotes.
StatusOr<MeshAxisRef> ParseMeshAxisRef(Scanner& scanner, const DeviceMesh& mesh);
std::string MeshAxisRefText(const DeviceMesh& mesh, const MeshAxisRef& ref);

// An error if two of `refs` have devices in common, or if two neighbours are one part written as
// two. `lists` are the refs in the order in which they were written, list by list.
Status CheckMeshAxisRefs(const Scanner& scanner, const DeviceMesh& mesh,
                         const std::vector<std::vector<MeshAxisRef>>& lists);

}  // namespace axle
