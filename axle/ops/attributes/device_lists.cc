// Reads and prints the three spellings of device lists: {{0,1},{2,3}}, [2,4]<=[8]T(1,0), and mesh
// axes. An iota list is brought into its shortest form: dimensions of size 1 are dropped, and
// dimensions that stay neighbours under the transposition are merged ([2,2,2]T(2,0,1) is
// [4,2]T(1,0)), so equal lists compare equal. The ids themselves are never listed.

#include "axle/ops/attributes/device_lists.h"

#include <algorithm>
#include <numeric>

#include "axle/core/strings.h"
#include "axle/ops/attributes/attr_kinds.h"

namespace axle {
namespace {

// The bound on the number of axes, because axes are looked up one after the other.
constexpr size_t kMaxAxes = 256;

// Reads integers with commas between them, up to `close`.
StatusOr<Dims> ParseIntegersUntil(Scanner& scanner, std::string_view close) {
  Dims values;
  while (!scanner.Consume(close)) {
    if (!values.empty()) AXLE_TRY(scanner.Expect(","));
    AXLE_ASSIGN(values.emplace_back(), scanner.Integer());
  }
  return values;
}

// Sorting finds repeated ids in n log n steps.
Status CheckDeviceIds(const Scanner& scanner, const Dims& ids, i64 expected) {
  if (static_cast<i64>(ids.size()) != expected) {
    return scanner.Error(StrCat("lists ", ids.size(), " devices but has place for ", expected));
  }
  Dims sorted = ids;
  std::ranges::sort(sorted);
  if (!sorted.empty() && sorted.front() < 0) {
    return scanner.Error(StrCat("device ", sorted.front(), " must be >= 0"));
  }
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice != sorted.end()) return scanner.Error(StrCat("device ", *twice, " is there twice"));
  return {};
}

// Drops sizes of 1 and merges dimensions that the transposition leaves side by side.
void Canonicalize(IotaDevices& devices) {
  Dims& sizes = devices.reshape;
  // Position in the transposed order of each dimension, to see what follows what.
  Dims order;
  for (i64 dim : devices.transpose) {
    if (sizes[dim] != 1) order.push_back(dim);
  }
  Dims kept;  // dimensions of the original order that are larger than 1
  for (i64 dim = 0; dim < static_cast<i64>(sizes.size()); ++dim) {
    if (sizes[dim] != 1) kept.push_back(dim);
  }
  // rank_of is the position among the dimensions that are kept.
  Dims rank_of(sizes.size(), -1);
  for (size_t i = 0; i < kept.size(); ++i) rank_of[kept[i]] = static_cast<i64>(i);
  // Runs of dimensions that are neighbours in both orders become one.
  struct Run {
    i64 first;  // rank of its first dimension
    i64 size;
  };
  std::vector<Run> runs;
  i64 previous = -2;
  // A run goes on while the next dimension in the transposed order is also the next one in the
  // original order.
  for (i64 dim : order) {
    const i64 rank = rank_of[dim];
    if (rank == previous + 1 && !runs.empty()) {
      runs.back().size *= sizes[dim];
    } else {
      runs.push_back({rank, sizes[dim]});
    }
    previous = rank;
  }
  // The runs are renumbered by their position in the original order.
  std::vector<size_t> by_first(runs.size());
  std::iota(by_first.begin(), by_first.end(), size_t{0});
  std::ranges::sort(by_first, {}, [&](size_t i) { return runs[i].first; });
  IotaDevices result;
  result.transpose.resize(runs.size());
  for (size_t i = 0; i < by_first.size(); ++i) {
    result.reshape.push_back(runs[by_first[i]].size);
    result.transpose[by_first[i]] = static_cast<i64>(i);
  }
  if (result.reshape.empty()) result = {{1}, {0}};
  devices = std::move(result);
}

// The callers have checked that the product fits.
i64 Product(const Dims& sizes) {
  i64 product = 1;
  for (i64 size : sizes) product *= size;
  return product;
}

}  // namespace

i64 IotaDevices::size() const {
  return Product(reshape);
}

// The id at a position of the transposed list: the position is split into indices of the transposed
// sizes, and the indices are joined by the strides of the original sizes.
i64 IotaDevices::device(i64 position) const {
  const Dims strides = RowMajorStrides(reshape);
  i64 device = 0;
  for (size_t i = transpose.size(); i-- > 0;) {
    const i64 size = reshape[transpose[i]];
    device += position % size * strides[transpose[i]];
    position /= size;
  }
  return device;
}

// The inverse of device().
i64 IotaDevices::position(i64 device) const {
  const Dims strides = RowMajorStrides(reshape);
  i64 position = 0;
  for (i64 dim : transpose)
    position = position * reshape[dim] + device / strides[dim] % reshape[dim];
  return position;
}

// Sizes are at least 1 and their product fits into 64 bits.
StatusOr<Dims> ParseTileDims(Scanner& scanner) {
  AXLE_TRY(scanner.Expect("["));
  AXLE_ASSIGN(Dims dims, ParseIntegersUntil(scanner, "]"));
  if (dims.empty()) return scanner.Error("expected at least one size");
  i64 product = 1;
  for (i64 size : dims) {
    if (size < 1) return scanner.Error(StrCat("size ", size, " must be >= 1"));
    const auto next = CheckedMul(product, size);
    if (!next) return scanner.Error("the product of the sizes does not fit into 64 bits");
    product = *next;
  }
  return dims;
}

// "[4,2]T(1,0)": 0 .. 7 as an array [4,2], transposed.
StatusOr<IotaDevices> ParseIotaDevices(Scanner& scanner) {
  IotaDevices devices;
  AXLE_ASSIGN(devices.reshape, ParseTileDims(scanner));
  const i64 rank = static_cast<i64>(devices.reshape.size());
  if (rank == 1) {
    devices.transpose = {0};
    return devices;
  }
  if (!scanner.ConsumeWord("T")) return scanner.Expected("a transposition: T(1,0)");
  AXLE_TRY(scanner.Expect("("));
  AXLE_ASSIGN(devices.transpose, ParseIntegersUntil(scanner, ")"));
  std::vector<bool> seen(rank);
  bool fits = static_cast<i64>(devices.transpose.size()) == rank;
  for (i64 dim : devices.transpose) {
    fits = fits && dim >= 0 && dim < rank && !seen[dim];
    if (fits) seen[dim] = true;
  }
  if (!fits) {
    return scanner.Error(StrCat("(", Join(devices.transpose, ","),
                                ") is not a permutation of the dimensions 0..", rank - 1));
  }
  Canonicalize(devices);
  return devices;
}

std::string IotaDevicesText(const IotaDevices& devices) {
  const std::string reshape = StrCat("[", Join(devices.reshape, ","), "]");
  return devices.is_identity() ? reshape : StrCat(reshape, "T(", Join(devices.transpose, ","), ")");
}

// "mesh['x'=2,'y'=4], device_ids=([4,2]T(1,0))" or "maximal_mesh[device_id=3]". Lists in the order
// 0, 1, 2, ... are dropped, so that both spellings are one value.
StatusOr<DeviceMesh> ParseDeviceMesh(Scanner& scanner) {
  DeviceMesh mesh;
  if (scanner.ConsumeWord("maximal_mesh")) {
    AXLE_TRY(scanner.Expect("["));
    if (scanner.AttributeName() != "device_id") return scanner.Expected("device_id=");
    AXLE_ASSIGN(mesh.maximal_device, scanner.Integer());
    if (*mesh.maximal_device < 0) return scanner.Error("a device must be >= 0");
    AXLE_TRY(scanner.Expect("]"));
    return mesh;
  }
  if (!scanner.ConsumeWord("mesh")) return scanner.Expected("mesh[ or maximal_mesh[");
  i64 num_devices = 1;
  AXLE_TRY(scanner.List("[", "]", [&]() -> Status {
    DeviceMesh::Axis axis;
    AXLE_ASSIGN(axis.name, scanner.String());
    AXLE_TRY(scanner.Expect("="));
    AXLE_ASSIGN(axis.size, scanner.Integer());
    if (axis.size < 1) return scanner.Error(StrCat("size ", axis.size, " must be >= 1"));
    const auto product = CheckedMul(num_devices, axis.size);
    if (!product) return scanner.Error("the product of the sizes does not fit into 64 bits");
    num_devices = *product;
    if (mesh.axes.size() == kMaxAxes) return scanner.Error(StrCat("more than ", kMaxAxes, " axes"));
    mesh.axes.push_back(std::move(axis));
    return {};
  }));
  std::vector<std::string_view> names;
  for (const DeviceMesh::Axis& axis : mesh.axes) names.push_back(axis.name);
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end()) {
    return scanner.Error(StrCat("axis '", *twice, "' is there twice"));
  }
  // A comma may also lead on to what follows the mesh.
  const size_t end = scanner.position();
  if (!scanner.Consume(",") || scanner.AttributeName() != "device_ids") {
    scanner.Rewind(end);
    return mesh;
  }
  AXLE_TRY(scanner.Expect("("));
  if (scanner.Peek("[")) {
    AXLE_ASSIGN(mesh.iota, ParseIotaDevices(scanner));
    if (mesh.iota->size() != num_devices) {
      return scanner.Error(
          StrCat("lists ", mesh.iota->size(), " devices but the mesh has ", num_devices));
    }
    if (mesh.iota->is_identity()) mesh.iota.reset();
    AXLE_TRY(scanner.Expect(")"));
    return mesh;
  }
  AXLE_ASSIGN(mesh.device_ids, ParseIntegersUntil(scanner, ")"));
  AXLE_TRY(CheckDeviceIds(scanner, mesh.device_ids, num_devices));
  bool is_identity = true;
  for (size_t i = 0; i < mesh.device_ids.size(); ++i) {
    is_identity = is_identity && mesh.device_ids[i] == static_cast<i64>(i);
  }
  if (is_identity) mesh.device_ids.clear();
  return mesh;
}

std::string DeviceMeshText(const DeviceMesh& mesh) {
  if (mesh.maximal_device) return StrCat("maximal_mesh[device_id=", *mesh.maximal_device, "]");
  const auto axis = [](const DeviceMesh::Axis& axis) {
    return StrCat("'", CEscape(axis.name), "'=", axis.size);
  };
  std::string out = StrCat("mesh[", Join(mesh.axes, ",", axis), "]");
  if (mesh.iota) StrAppend(out, ", device_ids=(", IotaDevicesText(*mesh.iota), ")");
  if (!mesh.device_ids.empty()) {
    StrAppend(out, ", device_ids=(", Join(mesh.device_ids, ","), ")");
  }
  return out;
}

namespace {

// The axis of this name, or the axis whose number is written as the name.
std::optional<i64> FindAxis(const DeviceMesh& mesh, const std::string& name) {
  const auto axis = std::ranges::find(mesh.axes, name, &DeviceMesh::Axis::name);
  if (axis != mesh.axes.end()) return axis - mesh.axes.begin();
  if (name.empty()) return {};
  i64 number = 0;
  for (char c : name) {
    if (!IsDigit(c)) return {};
    number = number * 10 + (c - '0');
    if (number >= static_cast<i64>(mesh.axes.size())) return {};
  }
  return number;
}

}  // namespace

// "'x'" or "'x':(2)4": the factor of size 4 of axis x, after a factor of size 2.
StatusOr<MeshAxisRef> ParseMeshAxisRef(Scanner& scanner, const DeviceMesh& mesh) {
  MeshAxisRef ref;
  AXLE_ASSIGN(const std::string name, scanner.String());
  const auto axis = FindAxis(mesh, name);
  if (!axis) {
    std::vector<std::string_view> names;
    for (const DeviceMesh::Axis& known : mesh.axes) names.push_back(known.name);
    return scanner.Error(StrCat("the mesh has no axis \"", name, "\"", DidYouMean(name, names)));
  }
  ref.axis = *axis;
  if (!scanner.Consume(":")) return ref;
  AXLE_TRY(scanner.Expect("("));
  AXLE_ASSIGN(ref.pre_size, scanner.Integer());
  AXLE_TRY(scanner.Expect(")"));
  AXLE_ASSIGN(ref.size, scanner.Integer());
  const i64 axis_size = mesh.axes[ref.axis].size;
  const auto end = CheckedMul(ref.pre_size, ref.size);
  if (ref.pre_size < 1 || ref.size < 1 || !end || axis_size % *end != 0) {
    return scanner.Error(StrCat("(", ref.pre_size, ")", ref.size, " is not a part of axis '", name,
                                "' of size ", axis_size));
  }
  if (ref.size == axis_size) ref.size = 0;
  return ref;
}

std::string MeshAxisRefText(const DeviceMesh& mesh, const MeshAxisRef& ref) {
  const std::string name = StrCat("'", CEscape(mesh.axes[ref.axis].name), "'");
  return ref.size == 0 ? name : StrCat(name, ":(", ref.pre_size, ")", ref.size);
}

// Parts of one axis must not overlap; two adjacent parts in one list must be written as one.
Status CheckMeshAxisRefs(const Scanner& scanner, const DeviceMesh& mesh,
                         const std::vector<std::vector<MeshAxisRef>>& lists) {
  const auto end = [&](const MeshAxisRef& ref) {
    return ref.size == 0 ? mesh.axes[ref.axis].size : ref.pre_size * ref.size;
  };
  const auto text = [&](const MeshAxisRef& ref) { return MeshAxisRefText(mesh, ref); };
  std::vector<MeshAxisRef> all;
  for (const std::vector<MeshAxisRef>& list : lists) {
    for (size_t i = 0; i < list.size(); ++i) {
      all.push_back(list[i]);
      if (i > 0 && list[i - 1].axis == list[i].axis && end(list[i - 1]) == list[i].pre_size) {
        return scanner.Error(StrCat("axes ", text(list[i - 1]), " and ", text(list[i]),
                                    " are one part written as two"));
      }
    }
  }
  std::ranges::sort(all, {},
                    [](const MeshAxisRef& ref) { return std::pair(ref.axis, ref.pre_size); });
  for (size_t i = 1; i < all.size(); ++i) {
    if (all[i - 1].axis == all[i].axis && end(all[i - 1]) > all[i].pre_size) {
      return scanner.Error(StrCat("axes ", text(all[i - 1]), " and ", text(all[i]), " overlap"));
    }
  }
  return {};
}

// {{0,1},{2,3}}, [2,4]<=[8], or mesh['x'=2,'y'=4] {'x'}.
Status AttrTraits<ReplicaGroups>::Parse(Scanner& scanner, const Shape& result,
                                        ReplicaGroups& value) {
  if (scanner.Peek("{")) {
    return scanner.List("{", "}", [&]() -> Status {
      return AttrTraits<Dims>::Parse(scanner, result, value.groups.emplace_back());
    });
  }
  if (scanner.Peek("[")) {
    AXLE_ASSIGN(const Dims dims, ParseTileDims(scanner));
    if (dims.size() != 2) {
      return scanner.Error("replica groups have two sizes: [groups,devices of a group]");
    }
    AXLE_TRY(scanner.Expect("<="));
    AXLE_ASSIGN(value.iota, ParseIotaDevices(scanner));
    value.num_groups = dims[0];
    value.group_size = dims[1];
    const i64 expected = dims[0] * dims[1];
    if (value.iota->size() == expected) return {};
    return scanner.Error(
        StrCat("lists ", value.iota->size(), " devices but has place for ", expected));
  }
  AXLE_ASSIGN(value.mesh, ParseDeviceMesh(scanner));
  AXLE_TRY(scanner.List("{", "}", [&]() -> Status {
    AXLE_ASSIGN(value.axes.emplace_back(), ParseMeshAxisRef(scanner, *value.mesh));
    return {};
  }));
  return CheckMeshAxisRefs(scanner, *value.mesh, {value.axes});
}

std::string AttrTraits<ReplicaGroups>::Print(const ReplicaGroups& value) {
  if (value.mesh) {
    const auto text = [&](const MeshAxisRef& ref) { return MeshAxisRefText(*value.mesh, ref); };
    return StrCat(DeviceMeshText(*value.mesh), " {", Join(value.axes, ",", text), "}");
  }
  if (value.iota) {
    return StrCat("[", value.num_groups, ",", value.group_size,
                  "]<=", IotaDevicesText(*value.iota));
  }
  return StrCat("{", Join(value.groups, ",", AttrTraits<Dims>::Print), "}");
}

}  // namespace axle
