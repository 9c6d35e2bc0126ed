#include "axle/ops/tile_sharding.h"

#include <algorithm>
#include <numeric>

#include "axle/core/scanner.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

using Kind = TileSharding::Kind;

i64 ProductOf(std::span<const i64> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), i64{1}, std::multiplies<>());
}

// The tiles of a value that nobody cuts.
TileSharding Simplified(TileSharding sharding) {
  if (!sharding.is_tiled() || ProductOf(sharding.tiles) != 1 || sharding.terms != 1) {
    return sharding;
  }
  return {.kind = Kind::kReplicated, .tiles = {}, .devices = {}};
}

// --- Lists and iotas -----------------------------------------------------------------------------

// All devices have terms of the one tile.
TileSharding Terms(i64 rank, i64 num_devices, TileSharding::Reduction reduction) {
  TileSharding sharding{.kind = Kind::kTiled,
                        .tiles = Dims(static_cast<size_t>(rank), 1),
                        .terms = num_devices,
                        .reduction = reduction,
                        .devices = Dims(static_cast<size_t>(num_devices))};
  std::iota(sharding.devices.begin(), sharding.devices.end(), i64{0});
  return sharding;
}

// max or min; "" is a sum.
TileSharding::Reduction ReadReduction(Scanner& scanner) {
  if (scanner.ConsumeWord("max")) return TileSharding::Reduction::kMax;
  if (scanner.ConsumeWord("min")) return TileSharding::Reduction::kMin;
  scanner.ConsumeWord("sum");
  return TileSharding::Reduction::kSum;
}

// {replicated}, {manual}: what stands in the place of tiles.
StatusOr<TileSharding> ReadWord(Scanner& scanner, i64 rank, i64 num_devices) {
  TileSharding sharding;
  if (const size_t begin = scanner.position(); scanner.AttributeName() == "unreduced") {
    return Terms(rank, num_devices, ReadReduction(scanner));
  } else {
    scanner.Rewind(begin);
  }
  const std::string_view word = scanner.Word();
  if (word == "replicated") {
    sharding.kind = Kind::kReplicated;
  } else if (word == "manual") {
    sharding.kind = Kind::kManual;
  } else if (word == "maximal") {
    sharding.kind = Kind::kMaximal;
    if (scanner.AttributeName() != "device") return scanner.Expected("device=");
    AXLE_ASSIGN(sharding.device, scanner.Integer());
  } else if (word == "unreduced") {
    return Terms(rank, num_devices, TileSharding::Reduction::kSum);
  } else if (word != "unknown") {
    return scanner.Error("expected a sharding");
  }
  return sharding;
}

// Brings the devices of each tile, which are a box of subgroups, into the order of their terms.
void SortTerms(const Dims& subgroups, const std::vector<bool>& is_term, TileSharding& sharding) {
  const i64 all = ProductOf(subgroups);
  for (size_t g = 0; g < subgroups.size(); ++g) {
    if (is_term[g]) sharding.terms *= subgroups[g];
  }
  sharding.copies = all / sharding.terms;
  if (sharding.terms == 1) return;
  const Dims before = sharding.devices;
  for (i64 i = 0; i < static_cast<i64>(before.size()); ++i) {
    i64 rest = i % all, term = 0, copy = 0, term_stride = 1, copy_stride = 1;
    for (size_t g = subgroups.size(); g-- > 0;) {
      i64& number = is_term[g] ? term : copy;
      i64& stride = is_term[g] ? term_stride : copy_stride;
      number += rest % subgroups[g] * stride;
      stride *= subgroups[g];
      rest /= subgroups[g];
    }
    const i64 at = i / all * all + term * sharding.copies + copy;
    sharding.devices[static_cast<size_t>(at)] = before[static_cast<size_t>(i)];
  }
}

// Behind "devices=": [2,1,2]<=[4] last_tile_dim_replicate. What comes after says where the sharding
// comes from and what it should be like.
StatusOr<TileSharding> ReadDevices(Scanner& scanner, i64 rank) {
  TileSharding sharding{.kind = Kind::kTiled, .tiles = {}, .devices = {}};
  AXLE_ASSIGN(const Dims tile, ParseTileDims(scanner));
  const i64 num_devices = ProductOf(tile);
  if (num_devices > kMaxShardingDevices) {
    return scanner.Error("more devices than any program has");
  }
  if (scanner.Consume("<=")) {
    AXLE_ASSIGN(const IotaDevices iota, ParseIotaDevices(scanner));
    for (i64 i = 0; i < iota.size() && iota.size() == num_devices; ++i) {
      sharding.devices.push_back(iota.device(i));
    }
  } else {
    do {
      AXLE_ASSIGN(sharding.devices.emplace_back(), scanner.Integer());
    } while (scanner.Consume(","));
  }
  if (static_cast<i64>(sharding.devices.size()) != num_devices) {
    return scanner.Error(
        StrCat("the tiles [", Join(tile, ","), "] need ", num_devices, " devices"));
  }
  std::vector<bool> is_term;  // by subgroup
  if (scanner.ConsumeWord("last_tile_dim_replicate")) is_term.push_back(false);
  const size_t before = scanner.position();
  if (scanner.AttributeName() == "last_tile_dims") {
    AXLE_TRY(scanner.List("{", "}", [&]() -> Status {
      is_term.push_back(scanner.Word() == "unreduced");
      return {};
    }));
  } else {
    scanner.Rewind(before);
  }
  if (tile.size() != static_cast<size_t>(rank) + is_term.size()) {
    return scanner.Error(StrCat("tiles of ", static_cast<i64>(tile.size() - is_term.size()),
                                " dimensions for an array of ", rank));
  }
  sharding.tiles.assign(tile.begin(), tile.begin() + rank);
  SortTerms(Dims(tile.begin() + rank, tile.end()), is_term, sharding);
  return sharding;
}

// --- Axes of a mesh ------------------------------------------------------------------------------

// {'x', 'y':(1)2, ?}
StatusOr<std::vector<MeshAxisRef>> ReadAxes(Scanner& scanner, const DeviceMesh& mesh) {
  std::vector<MeshAxisRef> axes;
  AXLE_TRY(scanner.List("{", "}", [&]() -> Status {
    if (scanner.Consume("?")) return {};
    AXLE_ASSIGN(axes.emplace_back(), ParseMeshAxisRef(scanner, mesh));
    return {};
  }));
  return axes;
}

StatusOr<TileSharding> ReadMesh(Scanner& scanner, i64 rank, i64 num_devices) {
  AXLE_ASSIGN(const DeviceMesh mesh, ParseDeviceMesh(scanner));
  std::vector<std::vector<MeshAxisRef>> axes;
  std::vector<MeshAxisRef> unreduced;
  TileSharding::Reduction reduction = TileSharding::Reduction::kSum;
  if (scanner.Consume(",") || !scanner.Peek("}")) {
    if (!scanner.Peek("[")) {
      scanner.Consume(",");
      return ReadWord(scanner, rank, num_devices);
    }
    AXLE_TRY(scanner.List("[", "]", [&]() -> Status {
      AXLE_ASSIGN(axes.emplace_back(), ReadAxes(scanner, mesh));
      return {};
    }));
    while (scanner.Consume(",")) {
      if (scanner.AttributeName() != "unreduced") {
        scanner.SkipValue();
        continue;
      }
      reduction = ReadReduction(scanner);
      AXLE_ASSIGN(unreduced, ReadAxes(scanner, mesh));
    }
  }
  if (static_cast<i64>(axes.size()) != rank && !mesh.maximal_device && !mesh.axes.empty()) {
    return scanner.Error(
        StrCat("axes of ", static_cast<i64>(axes.size()), " dimensions for an array of ", rank));
  }
  return ShardingOnMesh(mesh, axes, unreduced, reduction);
}

// The device at a position of the mesh, row-major.
i64 DeviceAt(const DeviceMesh& mesh, i64 position) {
  if (!mesh.device_ids.empty()) return mesh.device_ids[static_cast<size_t>(position)];
  return mesh.iota ? mesh.iota->device(position) : position;
}

}  // namespace

StatusOr<TileSharding> ShardingOnMesh(const DeviceMesh& mesh,
                                      const std::vector<std::vector<MeshAxisRef>>& axes,
                                      const std::vector<MeshAxisRef>& unreduced,
                                      TileSharding::Reduction reduction) {
  if (mesh.maximal_device || mesh.axes.empty()) {
    const i64 device = mesh.maximal_device ? *mesh.maximal_device : DeviceAt(mesh, 0);
    return TileSharding{.kind = Kind::kMaximal, .device = device, .tiles = {}, .devices = {}};
  }
  Dims sizes;
  i64 num_devices = 1;
  for (const DeviceMesh::Axis& axis : mesh.axes) {
    sizes.push_back(axis.size);
    num_devices = CheckedMul(num_devices, axis.size).value_or(kMaxShardingDevices + 1);
    if (num_devices > kMaxShardingDevices) {
      return InvalidArgument("the mesh has more devices than any program");
    }
  }
  const Dims strides = RowMajorStrides(sizes);
  TileSharding sharding{.kind = Kind::kTiled, .tiles = {}, .reduction = reduction, .devices = {}};
  struct Digit {
    i64 stride, size;  // of the position: position / stride % size
  };
  i64 num_tiles = 1;          // or terms of tiles
  std::vector<Digit> digits;  // of the number of the tile and term, the major one first
  const auto add = [&](const std::vector<MeshAxisRef>& refs) -> StatusOr<i64> {
    i64 count = 1;
    for (const MeshAxisRef& ref : refs) {
      const i64 axis_size = sizes[static_cast<size_t>(ref.axis)];
      const i64 size = ref.size == 0 ? axis_size : ref.size;
      const auto end = CheckedMul(ref.pre_size, size);
      if (size < 1 || ref.pre_size < 1 || !end || axis_size % *end != 0) {
        return InvalidArgument(StrCat("a part of ", size, " of an axis of ", axis_size));
      }
      digits.push_back(
          {strides[static_cast<size_t>(ref.axis)] * (axis_size / ref.pre_size / size), size});
      count *= size;
      num_tiles *= size;
      if (num_tiles > num_devices) return InvalidArgument("an axis of the mesh is there twice");
    }
    return count;
  };
  for (const std::vector<MeshAxisRef>& refs : axes) {
    AXLE_ASSIGN(sharding.tiles.emplace_back(), add(refs));
  }
  AXLE_ASSIGN(sharding.terms, add(unreduced));
  if (num_devices % num_tiles != 0) return InvalidArgument("an axis of the mesh is there twice");
  sharding.copies = num_devices / num_tiles;
  std::vector<Dims> by_tile(static_cast<size_t>(num_tiles));
  for (i64 position = 0; position < num_devices; ++position) {
    i64 tile = 0;
    for (const Digit& digit : digits) {
      tile = tile * digit.size + position / digit.stride % digit.size;
    }
    by_tile[static_cast<size_t>(tile)].push_back(DeviceAt(mesh, position));
  }
  for (const Dims& devices : by_tile) {
    if (static_cast<i64>(devices.size()) != sharding.copies) {
      return InvalidArgument("an axis of the mesh is there twice");
    }
    sharding.devices.insert(sharding.devices.end(), devices.begin(), devices.end());
  }
  return Simplified(std::move(sharding));
}

StatusOr<TileSharding> ReadTileSharding(std::string_view text, i64 rank, i64 num_devices) {
  if (text.empty()) return TileSharding{};
  Scanner scanner(text, "sharding");
  AXLE_TRY(scanner.Expect("{"));
  if (scanner.Peek("{")) {  // of a tuple that has this one leaf
    AXLE_ASSIGN(const std::vector<std::string> leaves, ShardingsOfLeaves(text, 1));
    return ReadTileSharding(leaves[0], rank, num_devices);
  }
  TileSharding sharding;
  if (const std::string_view word = scanner.PeekWord(); word == "mesh" || word == "maximal_mesh") {
    AXLE_ASSIGN(sharding, ReadMesh(scanner, rank, num_devices));
  } else {
    const size_t begin = scanner.position();
    if (scanner.AttributeName() == "devices") {
      AXLE_ASSIGN(sharding, ReadDevices(scanner, rank));
    } else {
      scanner.Rewind(begin);
      AXLE_ASSIGN(sharding, ReadWord(scanner, rank, num_devices));
    }
  }
  const auto refuse = [&](std::string_view what) {
    return InvalidArgument(StrCat("the sharding ", text, " ", what, ", the program is for ",
                                  num_devices, " partitions"));
  };
  if (sharding.kind == Kind::kMaximal && sharding.device >= num_devices) {
    return refuse(StrCat("names device ", sharding.device));
  }
  if (!sharding.is_tiled()) return sharding;
  if (static_cast<i64>(sharding.devices.size()) != num_devices) {
    return refuse(StrCat("has ", static_cast<i64>(sharding.devices.size()), " devices"));
  }
  Dims sorted = sharding.devices;
  std::ranges::sort(sorted);
  for (i64 i = 0; i < num_devices; ++i) {
    if (sorted[static_cast<size_t>(i)] != i) return refuse(StrCat("lacks device ", i));
  }
  return Simplified(std::move(sharding));
}

StatusOr<std::vector<std::string>> ShardingsOfLeaves(std::string_view text, i64 num_leaves) {
  std::vector<std::string> leaves;
  Scanner scanner(text, "sharding");
  if (!text.empty()) AXLE_TRY(scanner.Expect("{"));
  if (!scanner.Peek("{")) {
    leaves.assign(static_cast<size_t>(num_leaves), std::string(text));
    return leaves;
  }
  while (scanner.Peek("{")) {
    AXLE_ASSIGN(const std::string_view leaf, scanner.Braces());
    leaves.push_back(leaf.starts_with('{') ? std::string(leaf) : StrCat("{", leaf, "}"));
    scanner.Consume(",");
  }
  if (static_cast<i64>(leaves.size()) != num_leaves) {
    return InvalidArgument(StrCat("the sharding ", text, " is of ", static_cast<i64>(leaves.size()),
                                  " values, not of ", num_leaves));
  }
  return leaves;
}

std::string TileShardingText(const TileSharding& sharding) {
  switch (sharding.kind) {
    case Kind::kUnknown:
      return "{unknown}";
    case Kind::kReplicated:
      return "{replicated}";
    case Kind::kManual:
      return "{manual}";
    case Kind::kMaximal:
      return StrCat("{maximal device=", sharding.device, "}");
    case Kind::kTiled:
      break;
  }
  const bool is_copied = sharding.copies > 1;
  const bool has_terms = sharding.terms > 1;
  std::string text = StrCat("{devices=[", Join(sharding.tiles, ","));
  const bool is_first = sharding.tiles.empty();
  if (has_terms) StrAppend(text, is_first ? "" : ",", sharding.terms);
  if (is_copied) StrAppend(text, is_first && !has_terms ? "" : ",", sharding.copies);
  text += "]";
  if (std::ranges::is_sorted(sharding.devices)) {
    StrAppend(text, "<=[", static_cast<i64>(sharding.devices.size()), "]");
  } else {
    text += Join(sharding.devices, ",");
  }
  if (has_terms) {
    StrAppend(text, " last_tile_dims={unreduced", is_copied ? ", replicated" : "", "}");
  } else if (is_copied) {
    text += " last_tile_dim_replicate";
  }
  return text + "}";
}

i64 Division::num_parts() const {
  return ProductOf(parts);
}

StatusOr<Division> DivisionOf(const TileSharding& sharding, const Dims& sizes, const Dims& inner) {
  const size_t rank = sizes.size();
  const size_t num_devices = sharding.devices.size();
  Division division;
  division.part_of.resize(num_devices);
  division.group_of.resize(num_devices);
  division.term_of.resize(num_devices);
  division.terms = sharding.terms;
  division.copies = sharding.copies;
  division.reduction = sharding.reduction;
  const i64 per_tile = sharding.terms * sharding.copies;
  Dims kept(rank, 1);
  for (size_t d = 0; d < rank; ++d) {
    if (d < inner.size()) kept[d] = inner[d];
    if (sharding.tiles[d] % kept[d] != 0) {
      return InvalidArgument(StrCat("dimension ", static_cast<i64>(d), " has ", sharding.tiles[d],
                                    " tiles, which are no multiple of ", kept[d]));
    }
    division.parts.push_back(sharding.tiles[d] / kept[d]);
    const i64 parts = division.parts.back();
    division.part_sizes.push_back(sizes[d] / parts + (sizes[d] % parts != 0 ? 1 : 0));
  }
  for (size_t i = 0; i < num_devices; ++i) {
    // The tile's number in each dimension, from the last one.
    i64 tile = static_cast<i64>(i) / per_tile;
    i64 part = 0, rest = 0, part_stride = 1, rest_stride = 1;
    for (size_t d = rank; d-- > 0;) {
      const i64 at = tile % sharding.tiles[d];
      tile /= sharding.tiles[d];
      part += at / kept[d] * part_stride;
      rest += at % kept[d] * rest_stride;
      part_stride *= division.parts[d];
      rest_stride *= kept[d];
    }
    const auto device = static_cast<size_t>(sharding.devices[i]);
    division.part_of[device] = part;
    division.group_of[device] = rest * per_tile + static_cast<i64>(i) % per_tile;
    division.term_of[device] = static_cast<i64>(i) % per_tile / sharding.copies;
  }
  return division;
}

}  // namespace axle
