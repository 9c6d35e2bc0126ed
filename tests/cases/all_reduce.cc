#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kAllReduceCases, kAllReduceDoneCases, kAllReduceStartCases,
    kReduceScatterCases;

static constexpr std::string_view kComputations = R"(
three { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] parameter(2) }
rows { a = f32[2] parameter(0)  b = f32[2] parameter(1)  ROOT r = f32[2] add(a, b) }
compared { a = f32[] parameter(0)  b = f32[] parameter(1)
  ROOT r = pred[] compare(a, b), direction=LT }
)";

// clang-format off
// One device: tests/ops/collectives_test.cc has several.
static const OpCase kRows[] = {
    {"alone, the operand stays", {"f32[2] {1, -0.0}"}, "replica_groups={}, to_apply=sum", "f32[2] {1, -0.0}"},
    {"the group of this device", {"f32[3] {nan, inf, 2.5}"}, "replica_groups={{0}}, to_apply=sum", "f32[3] {nan, inf, 2.5}"},
    {"scalar", {"s32[] -2147483648"}, "replica_groups={}, to_apply=sum_s32", "s32[] -2147483648"},
    {"one element", {"c64[1] {(1, 2)}"}, "replica_groups={}, to_apply=sum_c64", "c64[1] {(1, 2)}"},
    {"no elements", {"f32[0,2] {}"}, "replica_groups={}, to_apply=sum", "f32[0,2] {}"},
    {"pred", {"pred[2] {1, 0}"}, "replica_groups={}, to_apply=any", "pred[2] {1, 0}"},
    {"any reducer", {"s32[2] {3, 7}"}, "replica_groups={}, to_apply=horner_s32", "s32[2] {3, 7}"},
    {"several operands", {"f32[2] {1, 2}", "f32[] 3"}, "replica_groups={}, to_apply=sum", "(f32[2], f32[]) ({1, 2}, 3)"},
    {"groups may be left out", {"f32[2] {1, 2}"}, "to_apply=sum", "f32[2] {1, 2}"},
    {"bf16 with a reducer of f32", {"bf16[2] {1, 3}"}, "replica_groups={}, to_apply=sum", "bf16[2] {1, 3}"},
    {"operands of several float types", {"f32[] 1", "f64[2] {2, 1e300}"}, "replica_groups={}, to_apply=sum_f64", "(f32[], f64[2]) (1, {2, 1e300})"},
    {"the mode says nothing", {"f32[2] {1, 2}"}, "replica_groups={}, mode=cross_replica, to_apply=sum", "f32[2] {1, 2}"},
    {"a channel: replicas and partitions", {"f32[2] {1, 2}"}, "channel_id=1, replica_groups={{0}}, to_apply=sum", "f32[2] {1, 2}"},
    {"flattened ids", {"f32[2] {1, 2}"}, "channel_id=1, replica_groups={{0}}, use_global_device_ids=true, to_apply=sum", "f32[2] {1, 2}"},
    {"constrained layout", {"f32[2] {1, 2}"}, "channel_id=3, replica_groups=[1,1]<=[1], constrain_layout=true, use_global_device_ids=true, to_apply=sum", "f32[2] {1, 2}"},
    {"iota groups", {"f32[8]"}, "channel_id=2, replica_groups=[4,2]<=[2,4]T(1,0), use_global_device_ids=true, to_apply=sum", Infers("f32[8]"), {.module = "num_partitions=8"}},
    {"mesh groups", {"f32[8]"}, "replica_groups=mesh['dp'=2,'tp'=4], device_ids=([4,2]T(1,0)) {'dp','tp':(1)2}, to_apply=sum", Infers("f32[8]"), {.module = "replica_count=8"}},
    {"groups of several sizes", {"f32[8]"}, "replica_groups={{0},{2,1}}, to_apply=sum", Infers("f32[8]"), {.module = "replica_count=3"}},
    {"V ids are not counted where there is one replica", {"f32[8]"}, "replica_groups={{0,1},{2,3}}, to_apply=sum", Infers("f32[8]")},
    {"dynamic dimensions", {"f32[<=8]"}, "replica_groups={}, to_apply=sum", Infers("f32[<=8]")},
    {"needs an operand", {}, "replica_groups={}, to_apply=sum", Error("all-reduce: needs at least one operand", "()")},
    {"arrays only", {"(f32[])"}, "replica_groups={}, to_apply=sum", Error("all-reduce: expected an array, not (f32[]); operand (f32[])")},
    {"the reducer takes two values", {"f32[2]"}, "replica_groups={}, to_apply=three",
     Error("all-reduce: to_apply must be (f32[], f32[])->f32[] but \"three\" is (f32[], f32[], f32[])->f32[]; operand f32[2]")},
    {"the reducer takes whole operands", {"f32[2] {1, 2}"}, "replica_groups={}, to_apply=rows", "f32[2] {1, 2}"},
    {"whole operands of several replicas", {"f32[2]"}, "replica_groups={}, to_apply=rows", Infers("f32[2]"), {.module = "replica_count=2"}},
    {"the reducer gives what it takes", {"f32[2]"}, "replica_groups={}, to_apply=compared",
     Error("all-reduce: to_apply must be (pred[], pred[])->pred[] but \"compared\" is (f32[], f32[])->pred[]; operand f32[2]")},
    {"the reducer is of another type", {"f32[2] {1, 2}", "s32[2] {3, 4}"}, "replica_groups={}, to_apply=sum",
     "(f32[2], s32[2]) ({1, 2}, {3, 4})"},
    {"the reducer is of another shape", {"f32[3] {1, 2, 3}"}, "replica_groups={}, to_apply=rows", "f32[3] {1, 2, 3}"},
    {"needs a reducer", {"f32[2]"}, "replica_groups={}", Error("\"all-reduce\" needs to_apply=...")},
    {"channels are positive", {"f32[2]"}, "channel_id=-1, replica_groups={}, to_apply=sum",
     Error("all-reduce: channel_id is -1, must be >= 0; operand f32[2]")},
    {"device ids need a channel", {"f32[2]"}, "replica_groups={{0}}, use_global_device_ids=true, to_apply=sum",
     Error("all-reduce: use_global_device_ids needs a channel_id; operand f32[2]")},
    {"device ids need groups", {"f32[2]"}, "channel_id=1, replica_groups={}, use_global_device_ids=true, to_apply=sum",
     Error("all-reduce: use_global_device_ids needs replica_groups that are not empty; operand f32[2]")},
    {"V no empty group", {"f32[2]"}, "replica_groups={{0},{}}, to_apply=sum",
     Error("all-reduce: replica group 1 is empty; operand f32[2]")},
    {"V ids in range", {"f32[2]"}, "replica_groups={{0,2}}, to_apply=sum",
     Error("all-reduce: replica_groups list 2 ids, so id 2 must be in [0, 2); operand f32[2]")},
    {"V ids are not negative", {"f32[2]"}, "replica_groups={{0,-1}}, to_apply=sum",
     Error("all-reduce: replica_groups list 2 ids, so id -1 must be in [0, 2); operand f32[2]")},
    {"V ids once", {"f32[2]"}, "replica_groups={{0,1},{1,2}}, to_apply=sum",
     Error("all-reduce: id 1 is twice in replica_groups; operand f32[2]")},
    {"V all replicas", {"f32[2]"}, "replica_groups={{0,1}}, to_apply=sum",
     Error("all-reduce: replica_groups list 2 ids but the module has 4 replicas; operand f32[2]"), {.module = "replica_count=4"}},
    {"V all replicas, with their partitions", {"f32[2]"}, "channel_id=1, replica_groups={{0,1}}, to_apply=sum",
     Error("all-reduce: replica_groups list 2 ids but the module has 4 replicas; operand f32[2]"), {.module = "replica_count=4, num_partitions=2"}},
    {"V all devices", {"f32[2]"}, "channel_id=1, replica_groups={{0,1}}, use_global_device_ids=true, to_apply=sum",
     Error("all-reduce: replica_groups list 2 ids but the module has 4 devices; operand f32[2]"), {.module = "replica_count=2, num_partitions=2"}},
    {"V all devices of an iota", {"f32[2]"}, "channel_id=1, replica_groups=[2,4]<=[8], use_global_device_ids=true, to_apply=sum",
     Error("all-reduce: replica_groups list 8 ids but the module has 4 devices; operand f32[2]"), {.module = "replica_count=2, num_partitions=2"}},
    {"V all devices of a mesh", {"f32[2]"}, "replica_groups=mesh['x'=2,'y'=4] {'x'}, to_apply=sum",
     Error("all-reduce: replica_groups list 8 ids but the module has 4 replicas; operand f32[2]"), {.module = "replica_count=4"}},
    {"V the device of a mesh of one", {"f32[2]"}, "replica_groups=maximal_mesh[device_id=5] {}, to_apply=sum",
     Error("all-reduce: replica_groups list 1 ids, so id 5 must be in [0, 1); operand f32[2]")},
};
const CaseTable kAllReduceCases = {"all-reduce", kRows, kComputations};

static const OpCase kStartRows[] = {
    {"begun and done", {"f32[2] {1, 2}"}, "", "f32[2] {1, 2}",
     {.body = "s = f32[2] all-reduce-start(p0), replica_groups={}, to_apply=sum ROOT r = f32[2] all-reduce-done(s)"}},
    {"several operands", {"f32[2] {1, 2}", "f32[1] {3}"}, "", "(f32[2], f32[1]) ({1, 2}, {3})",
     {.body = "s = (f32[2], f32[1]) all-reduce-start(p0, p1), channel_id=1, replica_groups={{0}}, to_apply=sum ROOT r = (f32[2], f32[1]) all-reduce-done(s)"}},
    {"no elements", {"f32[0] {}"}, "", "f32[0] {}",
     {.body = "s = f32[0] all-reduce-start(p0), replica_groups={}, mode=cross_replica, to_apply=sum ROOT r = f32[0] all-reduce-done(s)"}},
    {"V nothing reads it", {"f32[2]"}, "", Error("all-reduce-start: \"s\" must be read by one all-reduce-done, not by 0 instructions; operand f32[2]"),
     {.body = "s = f32[2] all-reduce-start(p0), replica_groups={}, to_apply=sum ROOT r = f32[2] negate(p0)"}},
    {"V it is the result", {"f32[2]"}, "replica_groups={}, to_apply=sum",
     Error("all-reduce-start: \"r\" must be read by all-reduce-done, not be the result; operand f32[2]")},
    {"V something else reads it", {"f32[2]"}, "", Error("all-reduce-start: \"s\" must be read by all-reduce-done, not negate; operand f32[2]"),
     {.body = "s = f32[2] all-reduce-start(p0), replica_groups={}, to_apply=sum ROOT r = f32[2] negate(s)"}},
    {"V it is done twice", {"f32[2]"}, "", Error("all-reduce-start: \"s\" must be read by one all-reduce-done, not by 2 instructions; operand f32[2]"),
     {.body = "s = f32[2] all-reduce-start(p0), replica_groups={}, to_apply=sum a = f32[2] all-reduce-done(s) ROOT r = f32[2] all-reduce-done(s)"}},
    {"rules of all-reduce", {"f32[2]"}, "replica_groups={{0},{}}, to_apply=sum",
     Error("all-reduce-start: replica group 1 is empty; operand f32[2]")},
};
const CaseTable kAllReduceStartCases = {"all-reduce-start", kStartRows, kComputations};

static const OpCase kDoneRows[] = {
    {"dynamic dimensions", {"f32[<=3](2) {1, 2}"}, "", "f32[<=3](2) {1, 2}",
     {.body = "s = f32[<=3] all-reduce-start(p0), replica_groups={}, to_apply=sum ROOT r = f32[<=3] all-reduce-done(s)"}},
    {"result", {"s32[2] {2147483647, -5}"}, "", "s32[2] {2147483647, -5}",
     {.body = "s = s32[2] all-reduce-start(p0), to_apply=sum_s32 ROOT r = s32[2] all-reduce-done(s)"}},
    {"one element", {"f32[1] {nan}"}, "", "f32[1] {nan}",
     {.body = "s = f32[1] all-reduce-start(p0), to_apply=sum ROOT r = f32[1] all-reduce-done(s)"}},
    {"no elements", {"f32[0] {}"}, "", "f32[0] {}",
     {.body = "s = f32[0] all-reduce-start(p0), to_apply=sum ROOT r = f32[0] all-reduce-done(s)"}},
    {"V nothing was begun", {"f32[2]"}, "", Error("all-reduce-done: operand must be all-reduce-start, not parameter; operand f32[2]")},
};
const CaseTable kAllReduceDoneCases = {"all-reduce-done", kDoneRows};

static const OpCase kReduceScatterRows[] = {
    {"alone, the operand stays", {"f32[2] {1, 2}"}, "replica_groups={}, dimensions={0}, to_apply=sum", "f32[2] {1, 2}"},
    {"one element", {"s32[1,1] {{127}}"}, "replica_groups={{0}}, dimensions={1}, to_apply=sum_s32", "s32[1,1] {{127}}"},
    {"no elements", {"f32[0,2] {}"}, "replica_groups={}, dimensions={0}, to_apply=sum", "f32[0,2] {}"},
    {"several operands", {"f32[2] {1, 2}", "f32[1,2] {{3, 4}}"}, "channel_id=1, replica_groups={{0}}, use_global_device_ids=true, dimensions={0}, to_apply=sum", "(f32[2], f32[1,2]) ({1, 2}, {{3, 4}})"},
    {"the mode says nothing", {"f32[2] {1, 2}"}, "replica_groups={}, dimensions={0}, mode=cross_replica, to_apply=sum", "f32[2] {1, 2}"},
    {"parts", {"f32[8,4]"}, "replica_groups={}, dimensions={0}, to_apply=sum", Infers("f32[2,4]"), {.module = "replica_count=4"}},
    {"V parts are not counted in a group of one", {"f32[8,4]"}, "replica_groups={}, dimensions={0}, to_apply=sum", Infers("f32[2,4]")},
    {"parts of replicas with their partitions", {"f32[8,4]"}, "channel_id=1, replica_groups={{0,1}}, dimensions={1}, to_apply=sum", Infers("f32[8,1]"), {.module = "replica_count=2, num_partitions=2"}},
    {"no mixed precision", {"f32[2]", "bf16[2]"}, "replica_groups={}, dimensions={0}, to_apply=sum",
     Error("reduce-scatter: mixed precision: operands of f32 and bf16; operand.0 f32[2], operand.1 bf16[2]", "(f32[2], bf16[2])")},
    {"needs an operand", {}, "replica_groups={}, dimensions={0}, to_apply=sum", Error("reduce-scatter: needs at least one operand", "()")},
    {"one dimension", {"f32[2,2]"}, "replica_groups={}, dimensions={0,1}, to_apply=sum", Error("reduce-scatter: dimensions names 2 dimensions, not 1; operand f32[2,2]", "f32[2,2]")},
    {"a dimension of the operand", {"f32[2,2]"}, "replica_groups={}, dimensions={2}, to_apply=sum", Error("reduce-scatter: dimension 2 must be in [0, 2); operand f32[2,2]", "f32[2,2]")},
    {"no negative dimension", {"f32[2,2]"}, "replica_groups={}, dimensions={-1}, to_apply=sum", Error("reduce-scatter: dimension -1 must be in [0, 2); operand f32[2,2]", "f32[2,2]")},
    {"the group divides the dimension", {"f32[6]"}, "replica_groups={}, dimensions={0}, to_apply=sum",
     Error("reduce-scatter: dimension 0 has size 6, which the group size 4 does not divide; operand f32[6]", "f32[2]"), {.module = "replica_count=4"}},
    {"the result divides the dimension", {"f32[6]"}, "replica_groups={}, dimensions={0}, to_apply=sum",
     Error("reduce-scatter: dimension 0 has size 6, which is no multiple of the result's 4; operand f32[6]", "f32[4]")},
    {"V as many parts as the group has devices", {"f32[8]"}, "replica_groups={}, dimensions={0}, to_apply=sum",
     Error("\"reduce-scatter\" has shape f32[2], not f32[4]", "f32[4]"), {.module = "replica_count=4"}},
    {"V groups of one size", {"f32[6]"}, "replica_groups={{0},{1,2}}, dimensions={0}, to_apply=sum",
     Error("reduce-scatter: replica groups must be of one size, but group 0 has 1 ids and group 1 has 2; operand f32[6]", "f32[6]")},
    {"the reducer is of another type", {"s32[2] {5, 6}"}, "replica_groups={}, dimensions={0}, to_apply=sum", "s32[2] {5, 6}"},
    {"device ids need a channel", {"f32[2]"}, "replica_groups={{0}}, use_global_device_ids=true, dimensions={0}, to_apply=sum",
     Error("reduce-scatter: use_global_device_ids needs a channel_id; operand f32[2]", "f32[2]")},
    {"needs a dimension", {"f32[2]"}, "replica_groups={}, to_apply=sum", Error("\"reduce-scatter\" needs dimensions=...", "f32[2]")},
};
const CaseTable kReduceScatterCases = {"reduce-scatter", kReduceScatterRows};
// clang-format on

}  // namespace axle
