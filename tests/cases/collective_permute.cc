#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kCollectiveBroadcastCases, kCollectivePermuteCases,
    kCollectivePermuteDoneCases, kCollectivePermuteStartCases;

// clang-format off
// One device: tests/ops/collectives_test.cc has several.
static const OpCase kPermuteRows[] = {
    {"from itself", {"f32[2] {1, -0.0}"}, "source_target_pairs={{0,0}}", "f32[2] {1, -0.0}"},
    {"from nobody: zeros", {"f32[2] {1, 2}"}, "source_target_pairs={}", "f32[2] {0, 0}"},
    {"from nobody, of several: zeros", {"f32[2] {1, 2}", "s32[] 5"}, "source_target_pairs={}", "(f32[2], s32[]) ({0, 0}, 0)"},
    {"scalar", {"pred[] 1"}, "channel_id=5, source_target_pairs={{0,0}}", "pred[] 1"},
    {"one element", {"bf16[1] {nan}"}, "source_target_pairs={{0,0}}", "bf16[1] {nan}"},
    {"no elements", {"f32[0,3] {}"}, "source_target_pairs={{0,0}}", "f32[0,3] {}"},
    {"several operands", {"f32[2] {1, 2}", "s32[] 127"}, "source_target_pairs={{0,0}}", "(f32[2], s32[]) ({1, 2}, 127)"},
    {"a slice in place", {"f32[2,3] {{1, 2, 3}, {4, 5, 6}}", "f32[3,3] {{0, 0, 0}, {0, 0, 0}, {0, 0, 7}}", "(s32[], s32[]) (1, 1)", "(s32[], s32[]) (0, 0)"},
     "source_target_pairs={{0,0}}, slice_sizes={{1,2}}", "f32[3,3] {{5, 6, 0}, {0, 0, 0}, {0, 0, 7}}"},
    {"a slice in place is clamped", {"f32[3] {1, 2, 3}", "f32[3] {4, 5, 6}", "(s32[]) (9)", "(s32[]) (-9)"},
     "source_target_pairs={{0,0}}, slice_sizes={{2}}", "f32[3] {2, 3, 6}"},
    {"in place, from nobody: the output stays", {"f32[3] {1, 2, 3}", "f32[3] {4, 5, 6}", "(s32[]) (0)", "(s32[]) (0)"},
     "source_target_pairs={}, slice_sizes={{2}}", "f32[3] {4, 5, 6}"},
    {"an empty slice in place", {"f32[3] {1, 2, 3}", "f32[3] {4, 5, 6}", "(s32[]) (0)", "(s32[]) (0)"},
     "source_target_pairs={{0,0}}, slice_sizes={{0}}", "f32[3] {4, 5, 6}"},
    {"dynamic dimensions", {"f32[<=3]"}, "source_target_pairs={{0,0}}", Infers("f32[<=3]")},
    {"V there may be more replicas than the module says", {"f32[3]"}, "source_target_pairs={{0,7}}", Infers("f32[3]")},
    {"needs pairs", {"f32[2]"}, "", Error("\"collective-permute\" needs source_target_pairs=...")},
    {"needs an operand", {}, "source_target_pairs={}", Error("collective-permute: needs at least one operand")},
    {"a tuple travels as one", {"(f32[2], (s32[])) ({1, 2}, (3))", "f32[1] {4}"}, "source_target_pairs={{0,0}}",
     "((f32[2], (s32[])), f32[1]) (({1, 2}, (3)), {4})"},
    {"a tuple from nobody", {"(f32[2], s32[]) ({1, 2}, 3)"}, "source_target_pairs={}", "(f32[2], s32[]) ({0, 0}, 0)", {.degenerate = true}},
    {"arrays and tuples of them only", {"(token[])"}, "source_target_pairs={}", Error("collective-permute: expected an array, not (token[]); operand (token[])")},
    {"in place, indices of other types", {"f32[3] {1, 2, 3}", "f32[3] {4, 5, 6}", "(u32[]) (1)", "(s8[]) (0)"},
     "source_target_pairs={{0,0}}, slice_sizes={{2}}", "f32[3] {2, 3, 6}"},
    {"in place, several arrays", {"(f32[2], s32[2]) ({1, 2}, {3, 4})", "(f32[3], s32[2]) ({5, 6, 7}, {8, 9})", "((s32[]), (s32[])) ((1), (0))", "((s32[]), (s32[])) ((2), (1))"},
     "source_target_pairs={{0,0}}, slice_sizes={{1},{1}}", "(f32[3], s32[2]) ({5, 6, 2}, {8, 3})"},
    {"in place, two slices: a source and a target twice", {"f32[4]", "f32[4]", "((s32[]), (s32[]))", "((s32[]), (s32[]))"},
     "source_target_pairs={{0,1},{0,2},{1,2}}, slice_sizes={{1},{1}}", Infers("f32[4]")},
    {"V in place, two slices: not three times", {"f32[4]", "f32[4]", "((s32[]), (s32[]))", "((s32[]), (s32[]))"},
     "source_target_pairs={{0,1},{0,2},{0,3}}, slice_sizes={{1},{1}}",
     Error("collective-permute: source 0 is more than 2 times in source_target_pairs; operand.0 f32[4], operand.1 f32[4], operand.2 ((s32[]), (s32[])), operand.3 ((s32[]), (s32[]))")},
    {"in place, as many arrays in and out", {"(f32[2])", "f32[2]", "((s32[]))", "(s32[])"}, "source_target_pairs={}, slice_sizes={{1}}",
     Error("collective-permute: input and output must be two arrays, or tuples of as many arrays; operand.0 (f32[2]), operand.1 f32[2], operand.2 ((s32[])), operand.3 (s32[])")},
    {"in place, indices of each array", {"(f32[2], f32[2])", "(f32[2], f32[2])", "((s32[]))", "((s32[]))"}, "source_target_pairs={}, slice_sizes={{1},{1}}",
     Error("collective-permute: input_start_indices must be a tuple of 2 tuples, not ((s32[])); operand.0 (f32[2], f32[2]), operand.1 (f32[2], f32[2]), operand.2 ((s32[])), operand.3 ((s32[]))")},
    {"V a source once", {"f32[2]"}, "source_target_pairs={{0,1},{0,2}}", Error("collective-permute: source 0 is twice in source_target_pairs; operand f32[2]")},
    {"V a target once", {"f32[2]"}, "source_target_pairs={{0,1},{2,1}}", Error("collective-permute: target 1 is twice in source_target_pairs; operand f32[2]")},
    {"V no negative source", {"f32[2]"}, "source_target_pairs={{-1,0}}", Error("collective-permute: source -1 must be >= 0; operand f32[2]")},
    {"V no negative target", {"f32[2]"}, "source_target_pairs={{0,-2}}", Error("collective-permute: target -2 must be >= 0; operand f32[2]")},
    {"V sources are replicas", {"f32[2]"}, "source_target_pairs={{4,0}}",
     Error("collective-permute: source 4 must be below 4, the number of replicas; operand f32[2]"), {.module = "replica_count=4"}},
    {"V targets are partitions with a channel", {"f32[2]"}, "channel_id=1, source_target_pairs={{0,2}}",
     Error("collective-permute: target 2 must be below 2, the number of partitions; operand f32[2]"), {.module = "replica_count=4, num_partitions=2"}},
    {"channels are positive", {"f32[2]"}, "channel_id=-1, source_target_pairs={}", Error("collective-permute: channel_id is -1, must be >= 0; operand f32[2]")},
    {"in place, four operands", {"f32[2]"}, "source_target_pairs={}, slice_sizes={{1}}",
     Error("collective-permute: with slice_sizes, takes 4 operands (input, output, input_start_indices, output_start_indices), not 1; operand f32[2]")},
    {"in place, several slices", {"f32[2]", "f32[2]", "(s32[])", "(s32[])"}, "source_target_pairs={}, slice_sizes={{1},{1}}", Infers("f32[2]")},
    {"in place, an index for each dimension", {"f32[2]", "f32[2]", "(s32[])", "(s32[], s32[])"}, "source_target_pairs={}, slice_sizes={{1}}",
     Error("collective-permute: output_start_indices must be 1 scalar integers, not (s32[], s32[]); operand.0 f32[2], operand.1 f32[2], operand.2 (s32[]), operand.3 (s32[], s32[])")},
    {"in place, the slice fits", {"f32[3]", "f32[2]", "(s32[])", "(s32[])"}, "source_target_pairs={}, slice_sizes={{3}}",
     Error("collective-permute: a slice of sizes {3} must fit into input and output; operand.0 f32[3], operand.1 f32[2], operand.2 (s32[]), operand.3 (s32[])")},
};
const CaseTable kCollectivePermuteCases = {"collective-permute", kPermuteRows};

static const OpCase kStartRows[] = {
    {"begun and done", {"f32[2] {1, 2}"}, "", "f32[2] {1, 2}",
     {.body = "s = (f32[2], f32[2]) collective-permute-start(p0), source_target_pairs={{0,0}} ROOT r = f32[2] collective-permute-done(s)"}},
    {"with contexts", {"f32[2] {1, 2}"}, "", "f32[2] {1, 2}",
     {.body = "s = (f32[2], f32[2], u32[], u32[]) collective-permute-start(p0), channel_id=2, source_target_pairs={{0,0}} ROOT r = f32[2] collective-permute-done(s)"}},
    {"several operands", {"f32[2] {1, 2}", "s32[] 5"}, "", "(f32[2], s32[]) ({1, 2}, 5)",
     {.body = "s = ((f32[2], s32[]), (f32[2], s32[])) collective-permute-start(p0, p1), source_target_pairs={{0,0}} ROOT r = (f32[2], s32[]) collective-permute-done(s)"}},
    {"in place", {"f32[2] {1, 2}", "f32[3] {3, 4, 5}", "(s32[]) (1)", "(s32[]) (2)"}, "", "f32[3] {3, 4, 2}",
     {.body = "s = (f32[2], f32[3], u32[]) collective-permute-start(p0, p1, p2, p3), source_target_pairs={{0,0}}, slice_sizes={{1}} ROOT r = f32[3] collective-permute-done(s)"}},
    {"no elements", {"f32[0] {}"}, "", "f32[0] {}",
     {.body = "s = (f32[0], f32[0]) collective-permute-start(p0), source_target_pairs={{0,0}} ROOT r = f32[0] collective-permute-done(s)"}},
    {"the shape is operand and result", {"f32[2]"}, "source_target_pairs={}",
     Error("\"collective-permute-start\" has shape (f32[2], f32[2], u32[]), not (f32[2], f32[3], u32[])", "(f32[2], f32[3], u32[])")},
    {"V it is the result", {"f32[2]"}, "source_target_pairs={}",
     Error("collective-permute-start: \"r\" must be read by collective-permute-done, not be the result; operand f32[2]", "(f32[2], f32[2])")},
    {"V a source once", {"f32[2]"}, "source_target_pairs={{0,1},{0,2}}",
     Error("collective-permute-start: source 0 is twice in source_target_pairs; operand f32[2]", "(f32[2], f32[2])")},
};
const CaseTable kCollectivePermuteStartCases = {"collective-permute-start", kStartRows};

static const OpCase kDoneRows[] = {
    {"one element", {"f32[1] {inf}"}, "", "f32[1] {inf}",
     {.body = "s = (f32[1], f32[1]) collective-permute-start(p0), source_target_pairs={{0,0}} ROOT r = f32[1] collective-permute-done(s)"}},
    {"no elements", {"f32[0] {}"}, "", "f32[0] {}",
     {.body = "s = (f32[0], f32[0]) collective-permute-start(p0), source_target_pairs={{0,0}} ROOT r = f32[0] collective-permute-done(s)"}},
    {"V nothing was begun", {"(f32[2], f32[2])"}, "",
     Error("collective-permute-done: operand must be collective-permute-start, not parameter; operand (f32[2], f32[2])")},
};
const CaseTable kCollectivePermuteDoneCases = {"collective-permute-done", kDoneRows};

static const OpCase kBroadcastRows[] = {
    {"from itself", {"f32[2] {1, -0.0}"}, "replica_groups={{0}}, has_dynamic_root=false", "f32[2] {1, -0.0}"},
    {"a device in no group gets zeros", {"f32[2]"}, "replica_groups={{1,2}}", Infers("f32[2]")},
    {"everything is one group", {"s32[] 7"}, "channel_id=1, replica_groups={}", "s32[] 7"},
    {"one element", {"pred[1] {1}"}, "replica_groups={{0}}", "pred[1] {1}"},
    {"no elements", {"f32[0,2] {}"}, "replica_groups={{0}}", "f32[0,2] {}"},
    {"several operands", {"f32[2] {1, 2}", "s32[] 127"}, "replica_groups={{0}}", "(f32[2], s32[]) ({1, 2}, 127)"},
    {"a root for each operand", {"f32[2] {1, 2}", "f32[1] {3}", "s32[2] {0, 0}"}, "replica_groups={{0}}, has_dynamic_root=true", "(f32[2], f32[1]) ({1, 2}, {3})"},
    {"a root for one operand", {"f32[2] {1, 2}", "s32[1] {0}"}, "replica_groups={}, has_dynamic_root=true", "f32[2] {1, 2}"},
    {"some replicas in groups of any size", {"f32[2]"}, "replica_groups={{1},{3,2}}", Infers("f32[2]"), {.module = "replica_count=8"}},
    {"needs an operand", {"s32[1]"}, "replica_groups={}, has_dynamic_root=true", Error("collective-broadcast: needs at least one operand; operand s32[1]")},
    {"arrays only", {"(f32[])"}, "replica_groups={}", Error("collective-broadcast: expected an array, not (f32[]); operand (f32[])")},
    {"a root for each", {"f32[2]", "s32[2]"}, "replica_groups={}, has_dynamic_root=true",
     Error("collective-broadcast: the last operand, which gives the roots, must have 1 elements; operand.0 f32[2], operand.1 s32[2]")},
    {"a root of another integer type", {"f32[2] {1, 2}", "u8[1] {0}"}, "replica_groups={}, has_dynamic_root=true", "f32[2] {1, 2}"},
    {"a root that is a float is read", {"f32[2]", "f32[1]"}, "replica_groups={}, has_dynamic_root=true", Infers("f32[2]")},
    {"V no empty group", {"f32[2]"}, "replica_groups={{0},{}}", Error("collective-broadcast: replica group 1 is empty; operand f32[2]")},
    {"V ids once", {"f32[2]"}, "replica_groups={{0,1},{1,2}}", Error("collective-broadcast: id 1 is twice in replica_groups; operand f32[2]")},
    {"V ids exist", {"f32[2]"}, "replica_groups={{4,1}}",
     Error("collective-broadcast: id 4 in replica_groups must be in [0, 4); operand f32[2]"), {.module = "replica_count=4"}},
    {"channels are positive", {"f32[2]"}, "channel_id=-1, replica_groups={}", Error("collective-broadcast: channel_id is -1, must be >= 0; operand f32[2]")},
};
const CaseTable kCollectiveBroadcastCases = {"collective-broadcast", kBroadcastRows};
// clang-format on

}  // namespace axle
