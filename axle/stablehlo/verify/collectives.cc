// Exchanges between devices.
#include <unordered_set>

#include "axle/stablehlo/verify/rules.h"

namespace axle::stablehlo {

using mlir::Attribute;
using mlir::AttributeKind;
using mlir::Type;

namespace {

// How the rows of replica_groups, an array of two dimensions, may be filled.
struct GroupsRule {
  bool same_size = true;  // none is filled up with -1
  bool complete = true;   // all ids from 0 on are there
  bool not_empty = false;
  i64 size = -1;  // of each group, if not -1
};

// Groups that are axes of a mesh name one of the program.
Status CheckMeshAxes(const Subject& op, const Attribute& groups) {
  const Attribute* mesh = groups.Field("mesh");
  if (mesh == nullptr || mesh->kind != AttributeKind::kSymbol) return {};
  if (op.program().FindSymbol(op.op(), mesh->text) != nullptr) return {};
  return op.Error("replica_groups are of @", mesh->text, ", which is not defined");
}

Status CheckGroups(const Subject& op, const GroupsRule& rule) {
  const Attribute& groups = *op.Find("replica_groups");
  if (groups.kind == AttributeKind::kStruct) return CheckMeshAxes(op, groups);
  if (groups.kind != AttributeKind::kElements || groups.type == nullptr) return {};
  if (groups.type->dims.size() != 2) {
    return op.Error("\"replica_groups\" is ", groups.type->ToString(), ", not of two dimensions");
  }
  const Dims ids = op.Ints("replica_groups");
  if (rule.not_empty && ids.empty()) return op.Error("\"replica_groups\" is empty");
  std::unordered_set<i64> seen;
  for (const i64 id : ids) {
    if (id == -1 && !rule.same_size) continue;
    if (id < 0) return op.Error("\"replica_groups\" has ", id);
    if (!seen.insert(id).second) return op.Error("\"replica_groups\" has ", id, " twice");
  }
  for (i64 id = 0; rule.complete && id < static_cast<i64>(seen.size()); ++id) {
    if (!seen.contains(id)) return op.Error("\"replica_groups\" does not have ", id);
  }
  const Dims& dims = groups.type->dims;
  if (rule.size < 0 || (dims[0] > 0 && dims[1] == rule.size)) return {};
  return op.Error("\"replica_groups\" is ", groups.type->ToString(), ", not of groups of ",
                  rule.size);
}

Status CheckChannel(const Subject& op, i64 least) {
  if (!op.Bool("use_global_device_ids") || op.Int("channel_id") >= least) return {};
  return op.Error("use_global_device_ids does not go with channel ", op.Int("channel_id"));
}

// The last operand says which device is the root, if that is an operand; the others are data.
StatusOr<size_t> NumDataOperands(const Subject& op) {
  const size_t count = op.num_operands();
  if (!op.Bool("has_dynamic_root")) {
    if (count == 0) return op.Error("there is no operand");
    return count;
  }
  if (count < 2) return op.Error("has ", count, " operands, no data and root");
  const Type root = TensorOf(op.Element(S32), {static_cast<i64>(count) - 1});
  if (IsTensor(op.operand(count - 1), root)) return count - 1;
  return op.Error("the root is ", op.operand(count - 1).ToString(), ", not ", root.ToString());
}

// The region reduces elements of each operand; results have the elements that it returns.
Status CheckReduction(const Subject& op, size_t num_data) {
  std::vector<Type> implied;
  for (size_t i = 0; i < num_data; ++i) {
    const Type& operand = op.operand(i);
    const Type init = op.ScalarOf(*operand.of);
    AXLE_TRY(VerifyReducer(op, 0, {&operand}, {&init}, {}));
    implied.push_back(TensorOf(*op.Returned(0)[0]->of, operand.dims, operand.bounds));
  }
  return op.CheckResults(implied);
}

// Sizes are equal but for one dimension.
Status CheckOtherSizes(const Subject& op, size_t i, i64 dimension) {
  const Type& operand = op.operand(i);
  const Type& result = op.result(i);
  bool fits = operand.dims.size() == result.dims.size();
  for (size_t d = 0; fits && d < operand.dims.size(); ++d) {
    fits = static_cast<i64>(d) == dimension || CompatibleSizes(operand.dims[d], result.dims[d]);
  }
  if (fits) return {};
  return op.Error("operand ", i, " is ", operand.ToString(), ", result ", i, " is ",
                  result.ToString(), "; they differ outside of dimension ", dimension);
}

}  // namespace

Status VerifyAllGather(const Subject& op) {
  AXLE_TRY(CheckGroups(op, {.not_empty = op.Bool("use_global_device_ids")}));
  AXLE_TRY(CheckChannel(op, 0));
  const i64 dimension = op.Int("all_gather_dim");
  for (size_t i = 0; i < op.num_operands(); ++i) {
    AXLE_TRY(CheckDimsInRange(op, "all_gather_dim", {dimension}, RankOf(op.operand(i))));
    AXLE_TRY(CheckOtherSizes(op, i, dimension));
    const i64 from = op.operand(i).dims[static_cast<size_t>(dimension)];
    const i64 to = op.result(i).dims[static_cast<size_t>(dimension)];
    if (from != 0 && (IsOpenSize(from) || IsOpenSize(to) || to % from == 0)) continue;
    return op.Error("dimension ", dimension, " of result ", i, " has size ", to,
                    ", not a multiple of ", from);
  }
  return {};
}

Status VerifyAllReduce(const Subject& op) {
  AXLE_TRY(CheckGroups(op, {.same_size = false, .not_empty = op.Bool("use_global_device_ids")}));
  AXLE_TRY(CheckChannel(op, 1));
  return CheckReduction(op, op.num_operands());
}

Status VerifyCollectiveReduce(const Subject& op) {
  AXLE_TRY(CheckGroups(op, {.same_size = false, .not_empty = op.Bool("use_global_device_ids")}));
  AXLE_TRY(CheckChannel(op, 1));
  AXLE_ASSIGN(const size_t num_data, NumDataOperands(op));
  return CheckReduction(op, num_data);
}

Status VerifyReduceScatter(const Subject& op) {
  AXLE_TRY(CheckGroups(op, {.not_empty = op.Bool("use_global_device_ids")}));
  AXLE_TRY(CheckChannel(op, 1));
  const Type& operand = op.operand();
  const Type init = op.ScalarOf(*operand.of);
  AXLE_TRY(VerifyReducer(op, 0, {&operand}, {&init}, {}));
  const i64 dimension = op.Int("scatter_dimension");
  AXLE_TRY(CheckDimsInRange(op, "scatter_dimension", {dimension}, RankOf(operand)));
  AXLE_TRY(CheckOtherSizes(op, 0, dimension));
  if (!SameElements(op.result(), *op.Returned(0)[0])) {
    return op.Error("the result is ", op.result().ToString(), ", the region returns ",
                    op.Returned(0)[0]->ToString());
  }
  const i64 from = operand.dims[static_cast<size_t>(dimension)];
  const i64 to = op.result().dims[static_cast<size_t>(dimension)];
  if (IsOpenSize(from) || IsOpenSize(to)) return {};
  if (from != 0 && to != 0 && from % to == 0) return {};
  return op.Error("dimension ", dimension, " has size ", from, ", not a multiple of ", to,
                  " in the result");
}

Status VerifyAllToAll(const Subject& op) {
  const i64 count = op.Int("split_count");
  AXLE_TRY(CheckGroups(op, {.size = count}));
  const i64 split = op.Int("split_dimension");
  const i64 concat = op.Int("concat_dimension");
  std::vector<Type> implied;
  for (size_t i = 0; i < op.num_operands(); ++i) {
    const Type& operand = op.operand(i);
    AXLE_TRY(CheckDimsInRange(op, "split_dimension", {split}, RankOf(operand)));
    AXLE_TRY(CheckDimsInRange(op, "concat_dimension", {concat}, RankOf(operand)));
    const i64 size = operand.dims[static_cast<size_t>(split)];
    if (!IsOpenSize(size) && size % count != 0) {
      return op.Error("dimension ", split, " of ", operand.ToString(),
                      " does not divide into split_count ", count);
    }
    Type& result = implied.emplace_back(operand);
    for (Dims* sizes : {&result.dims, &result.bounds}) {
      if (sizes->empty()) continue;
      i64& parted = (*sizes)[static_cast<size_t>(split)];
      if (!IsOpenSize(parted)) parted /= count;
      i64& joined = (*sizes)[static_cast<size_t>(concat)];
      if (!IsOpenSize(joined)) joined = CheckedMul(joined, count).value_or(mlir::kDynamic);
    }
  }
  return op.CheckResults(implied);
}

Status VerifyCollectiveBroadcast(const Subject& op) {
  AXLE_TRY(CheckGroups(op, {.complete = false}));
  AXLE_ASSIGN(const size_t num_data, NumDataOperands(op));
  std::vector<Type> implied;
  for (size_t i = 0; i < num_data; ++i) implied.push_back(op.operand(i));
  return op.CheckResults(implied);
}

Status VerifyCollectivePermute(const Subject& op) {
  const Attribute& pairs = *op.Find("source_target_pairs");
  if (pairs.kind == AttributeKind::kElements && pairs.type != nullptr) {
    if (pairs.type->dims.size() != 2 || pairs.type->dims[1] != 2) {
      return op.Error("\"source_target_pairs\" is ", pairs.type->ToString(), ", not n x 2");
    }
    const Dims ids = op.Ints("source_target_pairs");
    std::unordered_set<i64> seen[2];
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] < 0) return op.Error("\"source_target_pairs\" has ", ids[i]);
      if (seen[i % 2].insert(ids[i]).second) continue;
      return op.Error("\"source_target_pairs\" has the ", i % 2 == 0 ? "source " : "target ",
                      ids[i], " twice");
    }
  }
  return op.CheckResult(op.operand());
}

}  // namespace axle::stablehlo
