// Shardings of results that the program leaves open. A caller would rather have parts of its own
// than the whole on every device, so that a result takes the sharding of what it is computed from,
// if that has the same sizes and the computation goes element by element: of parameters, of values
// that come out of manual regions, of annotations.
#include <algorithm>
#include <unordered_map>

#include "axle/core/strings.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/tile_sharding.h"
#include "axle/passes/facts.h"
#include "axle/passes/spmd/partition.h"

namespace axle {
namespace {

std::string_view ShardingOf(const Instruction& inst) {
  return inst.extras() == nullptr ? std::string_view() : std::string_view(inst.extras()->sharding);
}

bool IsOpen(std::string_view sharding) {
  return sharding.empty() || sharding == "{unknown}" || sharding == "{manual}";
}

// The sharding, if it divides the value evenly; a caller has no use for parts of several sizes.
std::string_view IfEven(std::string_view text, const Shape& shape, i64 num_partitions) {
  if (IsOpen(text) || !shape.is_array() || !shape.is_static()) return {};
  const auto sharding = ReadTileSharding(text, shape.rank(), num_partitions);
  if (!sharding.ok() || !sharding->is_tiled()) return {};
  for (i64 d = 0; d < shape.rank(); ++d) {
    if (shape.dim(d) % sharding->tiles[static_cast<size_t>(d)] != 0) return {};
  }
  return text;
}

class Propagation {
 public:
  explicit Propagation(const Module& module) : module_(module) {
    for (const Instruction* inst : module.entry()->instructions()) Visit(*inst);
  }
  // What the value is divided like; "" if nothing says so.
  std::string_view Of(const Instruction& inst) const {
    const auto found = shardings_.find(&inst);
    return found == shardings_.end() ? std::string_view() : found->second;
  }

 private:
  void Visit(const Instruction& inst) {
    const std::string_view own =
        IfEven(ShardingOf(inst), inst.shape(), module_.config().num_partitions);
    if (!own.empty()) {
      shardings_[&inst] = own;
      return;
    }
    if (GetOpDef(inst).lowering != Lowering::kElementwise && !Is(inst, Opcode::kCopy)) return;
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      const Instruction& operand = *inst.operand(i);
      const std::string_view sharding = Of(operand);
      if (sharding.empty() || !SameDims(operand.shape(), inst.shape())) continue;
      shardings_[&inst] = sharding;
      return;
    }
  }

  const Module& module_;
  std::unordered_map<const Instruction*, std::string_view> shardings_;
};

}  // namespace

StatusOr<std::vector<std::string>> ResultShardings(const Module& module) {
  const Instruction& root = *module.entry()->root();
  i64 num_leaves = 0;
  ForEachLeaf(root.shape(), [&](const Shape&, const Dims&) { ++num_leaves; });
  AXLE_ASSIGN(std::vector<std::string> leaves, ShardingsOfLeaves(ShardingOf(root), num_leaves));
  std::optional<Propagation> propagation;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!IsOpen(leaves[i])) continue;
    const bool is_operand = Is(root, Opcode::kTuple) && num_leaves == root.num_operands();
    leaves[i] = "{replicated}";
    if (root.shape().is_tuple() && !is_operand) continue;
    if (!propagation) propagation.emplace(module);
    const std::string_view sharding =
        propagation->Of(is_operand ? *root.operand(static_cast<i64>(i)) : root);
    if (!sharding.empty()) leaves[i] = sharding;
  }
  return leaves;
}

}  // namespace axle
