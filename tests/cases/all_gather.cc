#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kAllGatherCases, kAllGatherDoneCases, kAllGatherStartCases;

// clang-format off
// One device: tests/ops/collectives_test.cc has several.
static const OpCase kRows[] = {
    {"alone, the operand stays", {"f32[2] {1, -0.0}"}, "replica_groups={}, dimensions={0}", "f32[2] {1, -0.0}"},
    {"a later dimension", {"s32[1,2] {{127, -3}}"}, "replica_groups={{0}}, dimensions={1}", "s32[1,2] {{127, -3}}"},
    {"one element", {"pred[1] {1}"}, "replica_groups={}, dimensions={0}", "pred[1] {1}"},
    {"no elements", {"f32[0,2] {}"}, "replica_groups={}, dimensions={0}", "f32[0,2] {}"},
    {"small integers", {"s4[2] {7, -8}"}, "replica_groups={}, dimensions={0}", "s4[2] {7, -8}"},
    {"several operands", {"f32[2] {1, 2}", "bf16[1,2] {{nan, inf}}"}, "channel_id=3, replica_groups=[1,1]<=[1], dimensions={0}, use_global_device_ids=true", "(f32[2], bf16[1,2]) ({1, 2}, {{nan, inf}})"},
    {"constrained layout", {"f32[2] {1, 2}"}, "channel_id=1, replica_groups={{0}}, constrain_layout=true, dimensions={0}", "f32[2] {1, 2}"},
    {"parts", {"f32[2,4]"}, "replica_groups={}, dimensions={0}", Infers("f32[8,4]"), {.module = "replica_count=4"}},
    {"V parts are not counted in a group of one", {"f32[2,4]"}, "replica_groups={}, dimensions={1}", Infers("f32[2,12]")},
    {"parts of replicas with their partitions", {"f32[2,4]"}, "channel_id=1, replica_groups={{0,1}}, dimensions={0}", Infers("f32[8,4]"), {.module = "replica_count=2, num_partitions=2"}},
    {"parts of an iota", {"f32[2,4]"}, "channel_id=1, replica_groups=[2,4]<=[8], dimensions={0}, use_global_device_ids=true", Infers("f32[8,4]"), {.module = "num_partitions=8"}},
    {"parts of a mesh", {"f32[2,4]"}, "replica_groups=mesh['x'=2,'y'=4] {'y'}, dimensions={0}", Infers("f32[8,4]"), {.module = "replica_count=8"}},
    {"needs an operand", {}, "replica_groups={}, dimensions={0}", Error("all-gather: needs at least one operand", "()")},
    {"arrays only", {"token[]"}, "replica_groups={}, dimensions={0}", Error("all-gather: expected an array, not token[]; operand token[]", "token[]")},
    {"needs a dimension", {"f32[2]"}, "replica_groups={}", Error("\"all-gather\" needs dimensions=...", "f32[2]")},
    {"one dimension", {"f32[2]"}, "replica_groups={}, dimensions={}", Error("all-gather: dimensions names 0 dimensions, not 1; operand f32[2]", "f32[2]")},
    {"a dimension of the operand", {"f32[2,2]"}, "replica_groups={}, dimensions={2}", Error("all-gather: dimension 2 must be in [0, 2); operand f32[2,2]", "f32[2,2]")},
    {"no negative dimension", {"f32[2,2]"}, "replica_groups={}, dimensions={-1}", Error("all-gather: dimension -1 must be in [0, 2); operand f32[2,2]", "f32[2,2]")},
    {"whole parts", {"f32[2]"}, "replica_groups={}, dimensions={0}",
     Error("all-gather: dimension 0 of the result has size 3, which is no multiple of the operand's 2; operand f32[2]", "f32[3]")},
    {"V as many parts as the group has devices", {"f32[2]"}, "replica_groups={}, dimensions={0}",
     Error("\"all-gather\" has shape f32[8], not f32[4]", "f32[4]"), {.module = "replica_count=4"}},
    {"the rank stays", {"f32[2]"}, "replica_groups={}, dimensions={0}", Error("\"all-gather\" has shape f32[2], not f32[2,1]", "f32[2,1]")},
    {"V groups of one size", {"f32[6]"}, "replica_groups={{0},{1,2}}, dimensions={0}",
     Error("all-gather: replica groups must be of one size, but group 0 has 1 ids and group 1 has 2; operand f32[6]", "f32[6]")},
    {"device ids need a channel", {"f32[2]"}, "replica_groups={{0}}, dimensions={0}, use_global_device_ids=true",
     Error("all-gather: use_global_device_ids needs a channel_id; operand f32[2]", "f32[2]")},
};
const CaseTable kAllGatherCases = {"all-gather", kRows};

static const OpCase kStartRows[] = {
    {"begun and done", {"f32[2] {1, 2}"}, "", "f32[2] {1, 2}",
     {.body = "s = (f32[2], f32[2]) all-gather-start(p0), replica_groups={}, dimensions={0} ROOT r = f32[2] all-gather-done(s)"}},
    {"several operands", {"f32[2] {1, 2}", "s32[1] {255}"}, "", "(f32[2], s32[1]) ({1, 2}, {255})",
     {.body = "s = ((f32[2], s32[1]), (f32[2], s32[1])) all-gather-start(p0, p1), replica_groups={}, dimensions={0} ROOT r = (f32[2], s32[1]) all-gather-done(s)"}},
    {"no elements", {"f32[0] {}"}, "", "f32[0] {}",
     {.body = "s = (f32[0], f32[0]) all-gather-start(p0), replica_groups={}, dimensions={0} ROOT r = f32[0] all-gather-done(s)"}},
    {"parts", {"f32[2]"}, "", Infers("f32[4]"),
     {.body = "s = (f32[2], f32[4]) all-gather-start(p0), replica_groups={{0,1}}, dimensions={0} ROOT r = f32[4] all-gather-done(s)"}},
    {"the shape is a pair", {"f32[2]"}, "replica_groups={}, dimensions={0}", Error("\"all-gather-start\" has shape (f32[2], f32[2]), not f32[2]", "f32[2]")},
    {"V it is the result", {"f32[2]"}, "replica_groups={}, dimensions={0}",
     Error("all-gather-start: \"r\" must be read by all-gather-done, not be the result; operand f32[2]", "(f32[2], f32[2])")},
    {"V something else reads it", {"f32[2]"}, "", Error("all-gather-start: \"s\" must be read by all-gather-done, not get-tuple-element; operand f32[2]"),
     {.body = "s = (f32[2], f32[2]) all-gather-start(p0), replica_groups={}, dimensions={0} ROOT r = f32[2] get-tuple-element(s), index=1"}},
    {"rules of all-gather", {"f32[2]"}, "replica_groups={}, dimensions={1}",
     Error("all-gather-start: dimension 1 must be in [0, 1); operand f32[2]", "(f32[2], f32[2])")},
};
const CaseTable kAllGatherStartCases = {"all-gather-start", kStartRows};

static const OpCase kDoneRows[] = {
    {"one element", {"f32[1] {nan}"}, "", "f32[1] {nan}",
     {.body = "s = (f32[1], f32[1]) all-gather-start(p0), dimensions={0} ROOT r = f32[1] all-gather-done(s)"}},
    {"no elements", {"f32[0] {}"}, "", "f32[0] {}",
     {.body = "s = (f32[0], f32[0]) all-gather-start(p0), dimensions={0} ROOT r = f32[0] all-gather-done(s)"}},
    {"V nothing was begun", {"(f32[2], f32[2])"}, "", Error("all-gather-done: operand must be all-gather-start, not parameter; operand (f32[2], f32[2])")},
};
const CaseTable kAllGatherDoneCases = {"all-gather-done", kDoneRows};
// clang-format on

}  // namespace axle
