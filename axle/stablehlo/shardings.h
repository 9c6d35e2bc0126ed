// Shardings of StableHLO programs for several partitions, in the form that HLO has for them: the
// attribute sharding= of parameters, results and custom-calls, and manual regions between
// SPMDFullToShardShape and SPMDShardToFullShape. A program says them as Shardy's attributes
// (#sdy.sharding<@mesh, [{"x"}, {}]>) or as HLO's text (mhlo.sharding). One for a single partition
// has no use for them.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "axle/ops/tile_sharding.h"
#include "axle/stablehlo/mlir/ir.h"

namespace axle::stablehlo {

// The meshes of a program by name, and what its attributes say about them.
class Meshes {
 public:
  // Those that stand in the top module. INVALID_ARGUMENT for text that describes no mesh.
  static StatusOr<Meshes> Of(const mlir::MlirModule& source);

  // The shardings of a list, `#sdy.sharding_per_value<[<@mesh, [{"x"}]>, ...]>`, or the one of
  // `#sdy.sharding<...>`. If `only` is given, only these axes count. INVALID_ARGUMENT for other
  // text.
  StatusOr<std::vector<TileSharding>> Read(std::string_view text,
                                           const std::set<std::string>* only = nullptr) const;
  // {"x", "y"} of `#sdy<manual_axes{"x", "y"}>`.
  static StatusOr<std::set<std::string>> ManualAxes(std::string_view text);
  // The sharding, as text, of a part inside of a region that is manual over these axes of the mesh
  // that `text`, a list of shardings, names first.
  StatusOr<std::string> ManualText(std::string_view text, const std::set<std::string>& axes,
                                   i64 rank) const;

 private:
  StatusOr<DeviceMesh> MeshOf(Scanner& scanner) const;
  StatusOr<TileSharding> ReadOne(Scanner& scanner, const std::set<std::string>* only) const;

  std::map<std::string, DeviceMesh, std::less<>> meshes_;
};

}  // namespace axle::stablehlo
