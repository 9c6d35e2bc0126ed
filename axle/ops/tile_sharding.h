// What a sharding says about one array: which devices have which part of it.
//
// Instructions carry shardings as text (ir/instruction.h), in three spellings: lists of devices,
// iotas and axes of a mesh. All of them come down to an assignment of devices to tiles:
//
//   {devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}   tiles [2,1], devices 0 and 1 have the first
//   {devices=[2,1,2]<=[4] last_tile_dims={manual}}     the same; the subgroup is no part of a value
//   {mesh['x'=2,'y'=2], [{'x'}, {}]}                   the same
//
// The devices of a tile are its copies. Whether they are replicated or manual makes no difference
// to where a device's part lies. Along unreduced subgroups and axes the devices have terms of the
// tile, which is their sum, maximum or minimum.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "axle/core/shape.h"
#include "axle/core/status.h"
#include "axle/ops/attributes/device_lists.h"

namespace axle {

// More devices than any program has. Lists of them are made up to here.
inline constexpr i64 kMaxShardingDevices = i64{1} << 24;

struct TileSharding {
  enum class Kind : std::uint8_t {
    kUnknown,     // nothing is said
    kReplicated,  // every device has all of it
    kManual,      // every device has a value of its own
    kMaximal,     // one device has all of it
    kTiled,
  };
  enum class Reduction : std::uint8_t { kSum, kMax, kMin };
  Kind kind = Kind::kUnknown;
  i64 device = 0;  // of kMaximal
  Dims tiles;      // of kTiled: how many along each dimension
  i64 copies = 1;  // the number of devices that have each tile, or each term of it
  i64 terms = 1;
  Reduction reduction = Reduction::kSum;  // of the terms
  Dims devices;  // tiles in row-major order, each with its terms, each with its copies

  bool is_tiled() const { return kind == Kind::kTiled; }
  bool operator==(const TileSharding&) const = default;
};

// Reads a sharding of an array of `rank` dimensions for a program of `num_devices` devices. Errors:
// INVALID_ARGUMENT for text that is no sharding, for other numbers of dimensions and devices.
StatusOr<TileSharding> ReadTileSharding(std::string_view text, i64 rank, i64 num_devices);

// Of the leaves of a value, one sharding each: of {{...},{...}} those in it; of another the same
// for each; of no text as many texts that say nothing.
StatusOr<std::vector<std::string>> ShardingsOfLeaves(std::string_view text, i64 num_leaves);

// The sharding along axes of a mesh: `axes` has a list for each dimension, the major axis first,
// and `unreduced` those along which devices have terms. Of a mesh of one device and no axes it is
// kMaximal.
StatusOr<TileSharding> ShardingOnMesh(
    const DeviceMesh& mesh, const std::vector<std::vector<MeshAxisRef>>& axes,
    const std::vector<MeshAxisRef>& unreduced = {},
    TileSharding::Reduction reduction = TileSharding::Reduction::kSum);

// The text of a sharding, in the spelling with a list or, where the devices are in order, an iota.
std::string TileShardingText(const TileSharding& sharding);

// How one array is cut into equal parts, of which each device has one. Parts at the end of a
// dimension that the number of parts does not divide reach beyond it.
struct Division {
  Dims parts;       // how many along each dimension
  Dims part_sizes;  // of each of them
  Dims part_of;     // by device: its part, in row-major order
  Dims group_of;    // by device: devices of one group have all parts, each once
  i64 terms = 1;    // of which each part is the sum, or what `reduction` says
  i64 copies = 1;   // of each term
  TileSharding::Reduction reduction = TileSharding::Reduction::kSum;
  Dims term_of;  // by device

  i64 num_parts() const;
  // Every device has all of it.
  bool is_whole() const { return num_parts() == 1 && terms == 1; }
  // Every device has the same part, whatever the groups.
  bool operator==(const Division& other) const {
    return parts == other.parts && part_sizes == other.part_sizes && part_of == other.part_of &&
           terms == other.terms && reduction == other.reduction && term_of == other.term_of;
  }
};

// `inner` tiles along each dimension, the minor ones, are left together; without it none are.
// INVALID_ARGUMENT if they do not divide the tiles. The sharding is tiled.
StatusOr<Division> DivisionOf(const TileSharding& sharding, const Dims& sizes,
                              const Dims& inner = {});

}  // namespace axle
