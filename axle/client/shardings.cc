#include "axle/client/shardings.h"

#include "axle/ir/module.h"
#include "axle/ops/tile_sharding.h"
#include "axle/passes/spmd/partition.h"
#include "axle/proto/sharding.h"

namespace axle {
namespace {

Status AddShardings(const Instruction& inst, std::vector<std::string>& shardings) {
  i64 num_leaves = 0;
  ForEachLeaf(inst.shape(), [&](const Shape&, const Dims&) { ++num_leaves; });
  const InstructionExtras* extras = inst.extras();
  AXLE_ASSIGN(const std::vector<std::string> leaves,
              ShardingsOfLeaves(extras == nullptr ? "" : extras->sharding, num_leaves));
  for (const std::string& leaf : leaves) {
    const bool is_open = leaf.empty() || leaf == "{unknown}";
    shardings.push_back(ShardingMessage(is_open ? "{replicated}" : leaf).Take());
  }
  return {};
}

}  // namespace

StatusOr<ProgramShardings> ShardingsOf(const Module& module) {
  ProgramShardings shardings;
  if (module.config().num_partitions == 1 || module.entry() == nullptr ||
      module.config().num_partitions > kMaxShardingDevices)
    return shardings;
  for (const Instruction* parameter : module.entry()->parameters()) {
    AXLE_TRY(AddShardings(*parameter, shardings.parameters));
  }
  AXLE_ASSIGN(const std::vector<std::string> results, ResultShardings(module));
  for (const std::string& result : results) {
    shardings.results.push_back(ShardingMessage(result).Take());
  }
  return shardings;
}

}  // namespace axle
