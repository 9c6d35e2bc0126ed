// Device lists in the fields of HloInstructionProto.
//
// The messages repeat the structure of the text: a mesh has axes and a list of ids or an iota, and
// a reference to an axis has the number of the axis and, for a part, two sizes.

#include "axle/ops/attributes/device_lists_wire.h"

#include "axle/core/strings.h"

namespace axle {

// Axes, ids and iota are fields 1 to 3.
WireWriter DeviceMeshMessage(const DeviceMesh& mesh) {
  WireWriter out;
  for (const DeviceMesh::Axis& axis : mesh.axes) {
    WireWriter message;
    message.Text(1, axis.name);
    message.Int(2, axis.size);
    out.Message(1, message);
  }
  // A mesh of one device has no axes and names the device.
  out.Ints(2, mesh.maximal_device ? Dims{*mesh.maximal_device} : mesh.device_ids);
  if (mesh.iota) {
    WireWriter iota;
    iota.Ints(1, mesh.iota->reshape);
    iota.Ints(2, mesh.iota->transpose);
    out.Message(3, iota);
  }
  return out;
}

WireWriter MeshAxisRefMessage(const MeshAxisRef& ref) {
  WireWriter out;
  out.Int(1, ref.axis);
  if (ref.size != 0) {
    WireWriter part;
    part.Int(1, ref.pre_size);
    part.Int(2, ref.size);
    out.Message(2, part);
  }
  return out;
}

// Sizes that are missing are 0 and refused later by the checks of replica_groups.cc.
Status ReadDeviceMesh(const WireReader& in, DeviceMesh& mesh) {
  AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() == 1) {
      DeviceMesh::Axis& axis = mesh.axes.emplace_back();
      axis.size = 0;
      return ReadMessage(field, [&](const WireReader& part) -> Status {
        if (part.field() == 1) {
          AXLE_ASSIGN(axis.name, part.Bytes());
        } else if (part.field() == 2) {
          AXLE_ASSIGN(axis.size, part.Int());
        }
        return {};
      });
    }
    if (field.field() == 2) return field.Ints(mesh.device_ids);
    if (field.field() != 3) return {};
    IotaDevices& iota = mesh.iota.emplace();
    return ReadMessage(field, [&](const WireReader& part) -> Status {
      if (part.field() == 1) return part.Ints(iota.reshape);
      return part.field() == 2 ? part.Ints(iota.transpose) : Status();
    });
  }));
  if (mesh.axes.empty() && mesh.device_ids.size() == 1) {
    mesh.maximal_device = mesh.device_ids[0];
    mesh.device_ids.clear();
  }
  return {};
}

Status ReadMeshAxisRef(const WireReader& in, MeshAxisRef& ref) {
  return ReadMessage(in, [&](const WireReader& field) -> Status {
    if (field.field() == 1) {
      AXLE_ASSIGN(ref.axis, field.Int());
      return {};
    }
    if (field.field() != 2) return {};
    ref.pre_size = 0;
    return ReadMessage(field, [&](const WireReader& part) -> Status {
      if (part.field() == 1) {
        AXLE_ASSIGN(ref.pre_size, part.Int());
      } else if (part.field() == 2) {
        AXLE_ASSIGN(ref.size, part.Int());
      }
      return {};
    });
  });
}

// Numbers of axes come from the file and index the mesh.
Status CheckAxisNumbers(const WireReader& in, const DeviceMesh& mesh,
                        std::span<const MeshAxisRef> refs) {
  for (const MeshAxisRef& ref : refs) {
    if (ref.axis < 0 || ref.axis >= static_cast<i64>(mesh.axes.size())) {
      return in.Error(StrCat("the mesh has no axis ", ref.axis));
    }
  }
  return {};
}

}  // namespace axle
