// Made by scripts/builder_methods.py from styles.txt; not for editing. Every function of the
// builder in each style makes one program.
#include "tests/builder/styles.h"

namespace axle {
namespace {

// clang-format off
TEST(Styles, Abs) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Abs(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Abs(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Abs(o.x); });
}
TEST(Styles, Acos) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Acos(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Acos(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Acos(o.x); });
}
TEST(Styles, Acosh) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Acosh(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Acosh(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Acosh(o.x); });
}
TEST(Styles, Add) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Add(o.x, o.row, {1}); }, [](XlaBuilder& b, const Operands& o) { return b.Add(o.x, o.row, {1}); }, [](ComputationBuilder& b, const Operands& o) { return b.Add(o.x, o.row, {1}); });
}
TEST(Styles, AddDependency) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return AddDependency(o.x, o.token); }, [](XlaBuilder& b, const Operands& o) { return b.AddDependency(o.x, o.token); }, [](ComputationBuilder& b, const Operands& o) { return b.AddDependency(o.x, o.token); });
}
TEST(Styles, AfterAll) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return AfterAll(&b, {o.token, o.token}); }, [](XlaBuilder& b, const Operands& o) { return b.AfterAll({o.token, o.token}); }, [](ComputationBuilder& b, const Operands& o) { return b.AfterAll({o.token, o.token}); });
}
TEST(Styles, AllGather) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return AllGather(o.x, 0, 1); }, [](XlaBuilder& b, const Operands& o) { return b.AllGather(o.x, 0, 1); }, [](ComputationBuilder& b, const Operands& o) { return b.AllGather(o.x, 0, 1); });
}
TEST(Styles, AllGatherDone) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return AllGatherDone(AllGatherStart({o.x}, 0, 1)); }, [](XlaBuilder& b, const Operands& o) { return b.AllGatherDone(AllGatherStart({o.x}, 0, 1)); }, [](ComputationBuilder& b, const Operands& o) { return b.AllGatherDone(AllGatherStart({o.x}, 0, 1)); });
}
TEST(Styles, AllGatherStart) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return AllGatherStart({o.x, o.y}, 0, 1); }, [](XlaBuilder& b, const Operands& o) { return b.AllGatherStart({o.x, o.y}, 0, 1); }, [](ComputationBuilder& b, const Operands& o) { return b.AllGatherStart({o.x, o.y}, 0, 1); });
}
TEST(Styles, AllGatherTuple) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return AllGatherTuple({o.x, o.y}, 0, 1); }, [](XlaBuilder& b, const Operands& o) { return b.AllGatherTuple({o.x, o.y}, 0, 1); }, [](ComputationBuilder& b, const Operands& o) { return b.AllGatherTuple({o.x, o.y}, 0, 1); });
}
TEST(Styles, AllGatherTupleWithDeviceList) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return AllGatherTupleWithDeviceList({o.x, o.y}, 0, 1, CollectiveDeviceList()); }, [](XlaBuilder& b, const Operands& o) { return b.AllGatherTupleWithDeviceList({o.x, o.y}, 0, 1, CollectiveDeviceList()); }, [](ComputationBuilder& b, const Operands& o) { return b.AllGatherTupleWithDeviceList({o.x, o.y}, 0, 1, CollectiveDeviceList()); });
}
TEST(Styles, AllGatherWithDeviceList) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return AllGatherWithDeviceList(o.x, 0, 1, CollectiveDeviceList()); }, [](XlaBuilder& b, const Operands& o) { return b.AllGatherWithDeviceList(o.x, 0, 1, CollectiveDeviceList()); }, [](ComputationBuilder& b, const Operands& o) { return b.AllGatherWithDeviceList(o.x, 0, 1, CollectiveDeviceList()); });
}
TEST(Styles, AllReduce) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return AllReduce(o.x, o.add); }, [](XlaBuilder& b, const Operands& o) { return b.AllReduce(o.x, o.add); }, [](ComputationBuilder& b, const Operands& o) { return b.AllReduce(o.x, o.add); });
}
TEST(Styles, AllReduceDone) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return AllReduceDone(AllReduceStart({o.x}, o.add)); }, [](XlaBuilder& b, const Operands& o) { return b.AllReduceDone(AllReduceStart({o.x}, o.add)); }, [](ComputationBuilder& b, const Operands& o) { return b.AllReduceDone(AllReduceStart({o.x}, o.add)); });
}
TEST(Styles, AllReduceStart) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return AllReduceStart({o.x, o.y}, o.add); }, [](XlaBuilder& b, const Operands& o) { return b.AllReduceStart({o.x, o.y}, o.add); }, [](ComputationBuilder& b, const Operands& o) { return b.AllReduceStart({o.x, o.y}, o.add); });
}
TEST(Styles, AllReduceTuple) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return AllReduceTuple({o.x, o.y}, o.add); }, [](XlaBuilder& b, const Operands& o) { return b.AllReduceTuple({o.x, o.y}, o.add); }, [](ComputationBuilder& b, const Operands& o) { return b.AllReduceTuple({o.x, o.y}, o.add); });
}
TEST(Styles, AllReduceTupleWithDeviceList) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return AllReduceTupleWithDeviceList({o.x, o.y}, o.add, CollectiveDeviceList()); }, [](XlaBuilder& b, const Operands& o) { return b.AllReduceTupleWithDeviceList({o.x, o.y}, o.add, CollectiveDeviceList()); }, [](ComputationBuilder& b, const Operands& o) { return b.AllReduceTupleWithDeviceList({o.x, o.y}, o.add, CollectiveDeviceList()); });
}
TEST(Styles, AllReduceWithDeviceList) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return AllReduceWithDeviceList(o.x, o.add, CollectiveDeviceList()); }, [](XlaBuilder& b, const Operands& o) { return b.AllReduceWithDeviceList(o.x, o.add, CollectiveDeviceList()); }, [](ComputationBuilder& b, const Operands& o) { return b.AllReduceWithDeviceList(o.x, o.add, CollectiveDeviceList()); });
}
TEST(Styles, AllToAll) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return AllToAll(o.x, 0, 1, 1, {{0}}); }, [](XlaBuilder& b, const Operands& o) { return b.AllToAll(o.x, 0, 1, 1, {{0}}); }, [](ComputationBuilder& b, const Operands& o) { return b.AllToAll(o.x, 0, 1, 1, {{0}}); });
}
TEST(Styles, AllToAllTuple) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return AllToAllTuple({o.x}, {{0}}); }, [](XlaBuilder& b, const Operands& o) { return b.AllToAllTuple({o.x}, {{0}}); }, [](ComputationBuilder& b, const Operands& o) { return b.AllToAllTuple({o.x}, {{0}}); });
}
TEST(Styles, AllToAllTupleWithDeviceList) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return AllToAllTupleWithDeviceList({o.x}, CollectiveDeviceList(kOneGroup)); }, [](XlaBuilder& b, const Operands& o) { return b.AllToAllTupleWithDeviceList({o.x}, CollectiveDeviceList(kOneGroup)); }, [](ComputationBuilder& b, const Operands& o) { return b.AllToAllTupleWithDeviceList({o.x}, CollectiveDeviceList(kOneGroup)); });
}
TEST(Styles, AllToAllWithDeviceList) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return AllToAllWithDeviceList(o.x, 0, 1, 1, CollectiveDeviceList(kOneGroup)); }, [](XlaBuilder& b, const Operands& o) { return b.AllToAllWithDeviceList(o.x, 0, 1, 1, CollectiveDeviceList(kOneGroup)); }, [](ComputationBuilder& b, const Operands& o) { return b.AllToAllWithDeviceList(o.x, 0, 1, 1, CollectiveDeviceList(kOneGroup)); });
}
TEST(Styles, And) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return And(o.p, o.p); }, [](XlaBuilder& b, const Operands& o) { return b.And(o.p, o.p); }, [](ComputationBuilder& b, const Operands& o) { return b.And(o.p, o.p); });
}
TEST(Styles, And2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return And(o.p, o.p, o.p, o.p); }, [](XlaBuilder& b, const Operands& o) { return b.And(o.p, o.p, o.p, o.p); }, [](ComputationBuilder& b, const Operands& o) { return b.And(o.p, o.p, o.p, o.p); });
}
TEST(Styles, Asin) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Asin(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Asin(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Asin(o.x); });
}
TEST(Styles, Asinh) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Asinh(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Asinh(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Asinh(o.x); });
}
TEST(Styles, AsyncDone) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return AsyncDone(AsyncStart(&b, {o.s}, o.negate)); }, [](XlaBuilder& b, const Operands& o) { return b.AsyncDone(AsyncStart(&b, {o.s}, o.negate)); }, [](ComputationBuilder& b, const Operands& o) { return b.AsyncDone(AsyncStart(&b, {o.s}, o.negate)); });
}
TEST(Styles, AsyncStart) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return AsyncStart(&b, {o.s}, o.negate); }, [](XlaBuilder& b, const Operands& o) { return b.AsyncStart({o.s}, o.negate); }, [](ComputationBuilder& b, const Operands& o) { return b.AsyncStart({o.s}, o.negate); });
}
TEST(Styles, AsyncUpdate) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return AsyncUpdate(AsyncStart(&b, {o.s}, o.negate)); }, [](XlaBuilder& b, const Operands& o) { return b.AsyncUpdate(AsyncStart(&b, {o.s}, o.negate)); }, [](ComputationBuilder& b, const Operands& o) { return b.AsyncUpdate(AsyncStart(&b, {o.s}, o.negate)); });
}
TEST(Styles, Atan2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Atan2(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.Atan2(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.Atan2(o.x, o.y); });
}
TEST(Styles, Atanh) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Atanh(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Atanh(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Atanh(o.x); });
}
TEST(Styles, BatchNormGrad) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return BatchNormGrad(o.x, o.scale, o.scale, o.scale, o.y, 0.5f, 1); }, [](XlaBuilder& b, const Operands& o) { return b.BatchNormGrad(o.x, o.scale, o.scale, o.scale, o.y, 0.5f, 1); }, [](ComputationBuilder& b, const Operands& o) { return b.BatchNormGrad(o.x, o.scale, o.scale, o.scale, o.y, 0.5f, 1); });
}
TEST(Styles, BatchNormInference) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return BatchNormInference(o.x, o.scale, o.scale, o.scale, o.scale, 0.5f, 1); }, [](XlaBuilder& b, const Operands& o) { return b.BatchNormInference(o.x, o.scale, o.scale, o.scale, o.scale, 0.5f, 1); }, [](ComputationBuilder& b, const Operands& o) { return b.BatchNormInference(o.x, o.scale, o.scale, o.scale, o.scale, 0.5f, 1); });
}
TEST(Styles, BatchNormTraining) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return BatchNormTraining(o.x, o.scale, o.scale, 0.5f, 1); }, [](XlaBuilder& b, const Operands& o) { return b.BatchNormTraining(o.x, o.scale, o.scale, 0.5f, 1); }, [](ComputationBuilder& b, const Operands& o) { return b.BatchNormTraining(o.x, o.scale, o.scale, 0.5f, 1); });
}
TEST(Styles, Bitcast) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Bitcast(o.x, ShapeUtil::MakeShape(S32, {6})); }, [](XlaBuilder& b, const Operands& o) { return b.Bitcast(o.x, ShapeUtil::MakeShape(S32, {6})); }, [](ComputationBuilder& b, const Operands& o) { return b.Bitcast(o.x, ShapeUtil::MakeShape(S32, {6})); });
}
TEST(Styles, BitcastConvertType) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return BitcastConvertType(o.x, S32); }, [](XlaBuilder& b, const Operands& o) { return b.BitcastConvertType(o.x, S32); }, [](ComputationBuilder& b, const Operands& o) { return b.BitcastConvertType(o.x, S32); });
}
TEST(Styles, Broadcast) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Broadcast(o.x, {2}); }, [](XlaBuilder& b, const Operands& o) { return b.Broadcast(o.x, {2}); }, [](ComputationBuilder& b, const Operands& o) { return b.Broadcast(o.x, {2}); });
}
TEST(Styles, BroadcastInDim) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return BroadcastInDim(o.row, {2, 3}, {1}); }, [](XlaBuilder& b, const Operands& o) { return b.BroadcastInDim(o.row, {2, 3}, {1}); }, [](ComputationBuilder& b, const Operands& o) { return b.BroadcastInDim(o.row, {2, 3}, {1}); });
}
TEST(Styles, BuildPartitionId) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return BuildPartitionId(&b, ShapeUtil::MakeShape(U32, {})); }, [](XlaBuilder& b, const Operands&) { return b.BuildPartitionId(ShapeUtil::MakeShape(U32, {})); }, [](ComputationBuilder& b, const Operands&) { return b.BuildPartitionId(ShapeUtil::MakeShape(U32, {})); });
}
TEST(Styles, Call) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return Call(&b, o.add, {o.s, o.s}); }, [](XlaBuilder& b, const Operands& o) { return b.Call(o.add, {o.s, o.s}); }, [](ComputationBuilder& b, const Operands& o) { return b.Call(o.add, {o.s, o.s}); });
}
TEST(Styles, Cbrt) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Cbrt(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Cbrt(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Cbrt(o.x); });
}
TEST(Styles, Ceil) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Ceil(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Ceil(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Ceil(o.x); });
}
TEST(Styles, Cholesky) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Cholesky(o.square, true); }, [](XlaBuilder& b, const Operands& o) { return b.Cholesky(o.square, true); }, [](ComputationBuilder& b, const Operands& o) { return b.Cholesky(o.square, true); });
}
TEST(Styles, Clamp) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Clamp(o.s, o.x, o.s); }, [](XlaBuilder& b, const Operands& o) { return b.Clamp(o.s, o.x, o.s); }, [](ComputationBuilder& b, const Operands& o) { return b.Clamp(o.x, o.s, o.s); });
}
TEST(Styles, Clz) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Clz(o.n); }, [](XlaBuilder& b, const Operands& o) { return b.Clz(o.n); }, [](ComputationBuilder& b, const Operands& o) { return b.Clz(o.n); });
}
TEST(Styles, Collapse) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Collapse(o.x, {0, 1}); }, [](XlaBuilder& b, const Operands& o) { return b.Collapse(o.x, {0, 1}); }, [](ComputationBuilder& b, const Operands& o) { return b.Collapse(o.x, {0, 1}); });
}
TEST(Styles, CollectiveBroadcast) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return CollectiveBroadcast(o.x, {{0}}); }, [](XlaBuilder& b, const Operands& o) { return b.CollectiveBroadcast(o.x, {{0}}); }, [](ComputationBuilder& b, const Operands& o) { return b.CollectiveBroadcast(o.x, {{0}}); });
}
TEST(Styles, CollectiveBroadcast2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return CollectiveBroadcast({o.x, o.y}, {{0}}); }, [](XlaBuilder& b, const Operands& o) { return b.CollectiveBroadcast({o.x, o.y}, {{0}}); }, [](ComputationBuilder& b, const Operands& o) { return b.CollectiveBroadcast({o.x, o.y}, {{0}}); });
}
TEST(Styles, CollectiveBroadcastWithDeviceList) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return CollectiveBroadcastWithDeviceList(o.x, CollectiveDeviceList(kOneGroup)); }, [](XlaBuilder& b, const Operands& o) { return b.CollectiveBroadcastWithDeviceList(o.x, CollectiveDeviceList(kOneGroup)); }, [](ComputationBuilder& b, const Operands& o) { return b.CollectiveBroadcastWithDeviceList(o.x, CollectiveDeviceList(kOneGroup)); });
}
TEST(Styles, CollectiveBroadcastWithDeviceList2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return CollectiveBroadcastWithDeviceList({o.x, o.y}, CollectiveDeviceList(kOneGroup)); }, [](XlaBuilder& b, const Operands& o) { return b.CollectiveBroadcastWithDeviceList({o.x, o.y}, CollectiveDeviceList(kOneGroup)); }, [](ComputationBuilder& b, const Operands& o) { return b.CollectiveBroadcastWithDeviceList({o.x, o.y}, CollectiveDeviceList(kOneGroup)); });
}
TEST(Styles, CollectivePermute) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return CollectivePermute(o.x, {{0, 0}}); }, [](XlaBuilder& b, const Operands& o) { return b.CollectivePermute(o.x, {{0, 0}}); }, [](ComputationBuilder& b, const Operands& o) { return b.CollectivePermute(o.x, {{0, 0}}); });
}
TEST(Styles, CollectivePermuteDone) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return CollectivePermuteDone(CollectivePermuteStart({o.x}, {{0, 0}})); }, [](XlaBuilder& b, const Operands& o) { return b.CollectivePermuteDone(CollectivePermuteStart({o.x}, {{0, 0}})); }, [](ComputationBuilder& b, const Operands& o) { return b.CollectivePermuteDone(CollectivePermuteStart({o.x}, {{0, 0}})); });
}
TEST(Styles, CollectivePermuteStart) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return CollectivePermuteStart({o.x, o.y}, {{0, 0}}); }, [](XlaBuilder& b, const Operands& o) { return b.CollectivePermuteStart({o.x, o.y}, {{0, 0}}); }, [](ComputationBuilder& b, const Operands& o) { return b.CollectivePermuteStart({o.x, o.y}, {{0, 0}}); });
}
TEST(Styles, Compare) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Compare(o.x, o.row, {1}, ComparisonDirection::kLt); }, [](XlaBuilder& b, const Operands& o) { return b.Compare(o.x, o.row, {1}, ComparisonDirection::kLt); }, [](ComputationBuilder& b, const Operands& o) { return b.Compare(o.x, o.row, {1}, ComparisonDirection::kLt); });
}
TEST(Styles, Compare2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Compare(o.x, o.y, ComparisonDirection::kLt); }, [](XlaBuilder& b, const Operands& o) { return b.Compare(o.x, o.y, ComparisonDirection::kLt); }, [](ComputationBuilder& b, const Operands& o) { return b.Compare(o.x, o.y, ComparisonDirection::kLt); });
}
TEST(Styles, Complex) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Complex(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.Complex(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.Complex(o.x, o.y); });
}
TEST(Styles, CompositeCall) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return CompositeCall(&b, o.add, {o.s, o.s}, "sum"); }, [](XlaBuilder& b, const Operands& o) { return b.CompositeCall(o.add, {o.s, o.s}, "sum"); }, [](ComputationBuilder& b, const Operands& o) { return b.CompositeCall(o.add, {o.s, o.s}, "sum"); });
}
TEST(Styles, ConcatInDim) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return ConcatInDim(&b, {o.x, o.y}, 1); }, [](XlaBuilder& b, const Operands& o) { return b.ConcatInDim({o.x, o.y}, 1); }, [](ComputationBuilder& b, const Operands& o) { return b.ConcatInDim({o.x, o.y}, 1); });
}
TEST(Styles, Concatenate) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return Concatenate(&b, {o.x, o.y}, 1); }, [](XlaBuilder& b, const Operands& o) { return b.Concatenate({o.x, o.y}, 1); }, [](ComputationBuilder& b, const Operands& o) { return b.Concatenate({o.x, o.y}, 1); });
}
TEST(Styles, Conditional) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Conditional(o.i, {&o.negate, &o.negate}, {o.s, o.s}); }, [](XlaBuilder& b, const Operands& o) { return b.Conditional(o.i, {&o.negate, &o.negate}, {o.s, o.s}); }, [](ComputationBuilder& b, const Operands& o) { return b.Conditional(o.i, {&o.negate, &o.negate}, {o.s, o.s}); });
}
TEST(Styles, Conditional2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Conditional(o.q, o.s, o.negate, o.s, o.negate); }, [](XlaBuilder& b, const Operands& o) { return b.Conditional(o.q, o.s, o.negate, o.s, o.negate); }, [](ComputationBuilder& b, const Operands& o) { return b.Conditional(o.q, o.s, o.negate, o.s, o.negate); });
}
TEST(Styles, Conj) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Conj(o.c); }, [](XlaBuilder& b, const Operands& o) { return b.Conj(o.c); }, [](ComputationBuilder& b, const Operands& o) { return b.Conj(o.c); });
}
TEST(Styles, ConstantFromArray) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return ConstantFromArray<float>(&b, Array2D<float>({{1, 2}})); }, [](XlaBuilder& b, const Operands&) { return b.ConstantFromArray<float>(Array2D<float>({{1, 2}})); }, [](ComputationBuilder& b, const Operands&) { return b.ConstantFromArray<float>(Array2D<float>({{1, 2}})); });
}
TEST(Styles, ConstantLiteral) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return ConstantLiteral(&b, LiteralUtil::MinValue(F32)); }, [](XlaBuilder& b, const Operands&) { return b.ConstantLiteral(LiteralUtil::MinValue(F32)); }, [](ComputationBuilder& b, const Operands&) { return b.ConstantLiteral(LiteralUtil::MinValue(F32)); });
}
TEST(Styles, ConstantR0) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return ConstantR0(&b, true); }, [](XlaBuilder& b, const Operands&) { return b.ConstantR0(true); }, [](ComputationBuilder& b, const Operands&) { return b.ConstantR0(true); });
}
TEST(Styles, ConstantR02) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return ConstantR0<float>(&b, 4); }, [](XlaBuilder& b, const Operands&) { return b.ConstantR0<float>(4); }, [](ComputationBuilder& b, const Operands&) { return b.ConstantR0<float>(4); });
}
TEST(Styles, ConstantR1) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return ConstantR1(&b, std::span<const float>(kValues)); }, [](XlaBuilder& b, const Operands&) { return b.ConstantR1(std::span<const float>(kValues)); }, [](ComputationBuilder& b, const Operands&) { return b.ConstantR1(std::span<const float>(kValues)); });
}
TEST(Styles, ConstantR12) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return ConstantR1(&b, std::vector<float>{1, 2}); }, [](XlaBuilder& b, const Operands&) { return b.ConstantR1(std::vector<float>{1, 2}); }, [](ComputationBuilder& b, const Operands&) { return b.ConstantR1(std::vector<float>{1, 2}); });
}
TEST(Styles, ConstantR13) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return ConstantR1<float>(&b, 5, 2); }, [](XlaBuilder& b, const Operands&) { return b.ConstantR1<float>(5, 2); }, [](ComputationBuilder& b, const Operands&) { return b.ConstantR1<float>(5, 2); });
}
TEST(Styles, ConstantR14) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return ConstantR1<float>(&b, {1, 2}); }, [](XlaBuilder& b, const Operands&) { return b.ConstantR1<float>({1, 2}); }, [](ComputationBuilder& b, const Operands&) { return b.ConstantR1<float>({1, 2}); });
}
TEST(Styles, ConstantR2) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return ConstantR2<float>(&b, {{1, 2}}); }, [](XlaBuilder& b, const Operands&) { return b.ConstantR2<float>({{1, 2}}); }, [](ComputationBuilder& b, const Operands&) { return b.ConstantR2<float>({{1, 2}}); });
}
TEST(Styles, ConstantR2FromArray2D) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return ConstantR2FromArray2D(&b, Array2D<float>({{1, 2}})); }, [](XlaBuilder& b, const Operands&) { return b.ConstantR2FromArray2D(Array2D<float>({{1, 2}})); }, [](ComputationBuilder& b, const Operands&) { return b.ConstantR2FromArray2D(Array2D<float>({{1, 2}})); });
}
TEST(Styles, ConstantR3) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return ConstantR3<float>(&b, {{{1, 2}}}); }, [](XlaBuilder& b, const Operands&) { return b.ConstantR3<float>({{{1, 2}}}); }, [](ComputationBuilder& b, const Operands&) { return b.ConstantR3<float>({{{1, 2}}}); });
}
TEST(Styles, ConstantR3FromArray3D) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return ConstantR3FromArray3D(&b, Array3D<float>({{{1, 2}}})); }, [](XlaBuilder& b, const Operands&) { return b.ConstantR3FromArray3D(Array3D<float>({{{1, 2}}})); }, [](ComputationBuilder& b, const Operands&) { return b.ConstantR3FromArray3D(Array3D<float>({{{1, 2}}})); });
}
TEST(Styles, ConstantR4) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return ConstantR4<float>(&b, {{{{1, 2}}}}); }, [](XlaBuilder& b, const Operands&) { return b.ConstantR4<float>({{{{1, 2}}}}); }, [](ComputationBuilder& b, const Operands&) { return b.ConstantR4<float>({{{{1, 2}}}}); });
}
TEST(Styles, ConstantR4FromArray4D) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return ConstantR4FromArray4D(&b, Array4D<float>({{{{1, 2}}}})); }, [](XlaBuilder& b, const Operands&) { return b.ConstantR4FromArray4D(Array4D<float>({{{{1, 2}}}})); }, [](ComputationBuilder& b, const Operands&) { return b.ConstantR4FromArray4D(Array4D<float>({{{{1, 2}}}})); });
}
TEST(Styles, Conv) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Conv(o.image, o.kernel, {1, 1}, Padding::kSame); }, [](XlaBuilder& b, const Operands& o) { return b.Conv(o.image, o.kernel, {1, 1}, Padding::kSame); }, [](ComputationBuilder& b, const Operands& o) { return b.Conv(o.image, o.kernel, {1, 1}, Padding::kSame); });
}
TEST(Styles, ConvGeneral) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ConvGeneral(o.image, o.kernel, {1, 1}, {{0, 0}, {1, 1}}, o.numbers); }, [](XlaBuilder& b, const Operands& o) { return b.ConvGeneral(o.image, o.kernel, {1, 1}, {{0, 0}, {1, 1}}, o.numbers); }, [](ComputationBuilder& b, const Operands& o) { return b.ConvGeneral(o.image, o.kernel, {1, 1}, {{0, 0}, {1, 1}}, o.numbers); });
}
TEST(Styles, ConvGeneralDilated) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ConvGeneralDilated(o.image, o.kernel, {1, 1}, {{0, 0}, {1, 1}}, {1, 2}, {2, 1}, o.numbers); }, [](XlaBuilder& b, const Operands& o) { return b.ConvGeneralDilated(o.image, o.kernel, {1, 1}, {{0, 0}, {1, 1}}, {1, 2}, {2, 1}, o.numbers); }, [](ComputationBuilder& b, const Operands& o) { return b.ConvGeneralDilated(o.image, o.kernel, {1, 1}, {{0, 0}, {1, 1}}, {1, 2}, {2, 1}, o.numbers); });
}
TEST(Styles, ConvWithGeneralDimensions) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ConvWithGeneralDimensions(o.image, o.kernel, {1, 1}, Padding::kValid, o.numbers); }, [](XlaBuilder& b, const Operands& o) { return b.ConvWithGeneralDimensions(o.image, o.kernel, {1, 1}, Padding::kValid, o.numbers); }, [](ComputationBuilder& b, const Operands& o) { return b.ConvWithGeneralDimensions(o.image, o.kernel, {1, 1}, Padding::kValid, o.numbers); });
}
TEST(Styles, ConvWithGeneralPadding) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ConvWithGeneralPadding(o.image, o.kernel, {1, 1}, {{0, 0}, {1, 1}}); }, [](XlaBuilder& b, const Operands& o) { return b.ConvWithGeneralPadding(o.image, o.kernel, {1, 1}, {{0, 0}, {1, 1}}); }, [](ComputationBuilder& b, const Operands& o) { return b.ConvWithGeneralPadding(o.image, o.kernel, {1, 1}, {{0, 0}, {1, 1}}); });
}
TEST(Styles, ConvWithGeneralPadding2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ConvWithGeneralPadding(o.image, o.kernel, {1, 1}, {{0, 0}, {1, 1}}, {2, 1}, {1, 1}); }, [](XlaBuilder& b, const Operands& o) { return b.ConvWithGeneralPadding(o.image, o.kernel, {1, 1}, {{0, 0}, {1, 1}}, {2, 1}, {1, 1}); }, [](ComputationBuilder& b, const Operands& o) { return b.ConvWithGeneralPadding(o.image, o.kernel, {1, 1}, {{0, 0}, {1, 1}}, {2, 1}, {1, 1}); });
}
TEST(Styles, ConvertElementType) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ConvertElementType(o.x, S32); }, [](XlaBuilder& b, const Operands& o) { return b.ConvertElementType(o.x, S32); }, [](ComputationBuilder& b, const Operands& o) { return b.ConvertElementType(o.x, S32); });
}
TEST(Styles, Copy) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Copy(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Copy(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Copy(o.x); });
}
TEST(Styles, CopyDone) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return CopyDone(CopyStart(o.x)); }, [](XlaBuilder& b, const Operands& o) { return b.CopyDone(CopyStart(o.x)); }, [](ComputationBuilder& b, const Operands& o) { return b.CopyDone(CopyStart(o.x)); });
}
TEST(Styles, CopyStart) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return CopyStart(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.CopyStart(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.CopyStart(o.x); });
}
TEST(Styles, Cos) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Cos(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Cos(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Cos(o.x); });
}
TEST(Styles, Cosh) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Cosh(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Cosh(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Cosh(o.x); });
}
TEST(Styles, CreateToken) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return CreateToken(&b); }, [](XlaBuilder& b, const Operands&) { return b.CreateToken(); }, [](ComputationBuilder& b, const Operands&) { return b.CreateToken(); });
}
TEST(Styles, CrossReplicaSum) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return CrossReplicaSum(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.CrossReplicaSum(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.CrossReplicaSum(o.x); });
}
TEST(Styles, CrossReplicaSum2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return CrossReplicaSum(o.x, {0}); }, [](XlaBuilder& b, const Operands& o) { return b.CrossReplicaSum(o.x, {0}); }, [](ComputationBuilder& b, const Operands& o) { return b.CrossReplicaSum(o.x, {0}); });
}
TEST(Styles, CustomCall) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return CustomCall(&b, "f", {o.x}, ShapeUtil::MakeShape(F32, {2})); }, [](XlaBuilder& b, const Operands& o) { return b.CustomCall("f", {o.x}, ShapeUtil::MakeShape(F32, {2})); }, [](ComputationBuilder& b, const Operands& o) { return b.CustomCall("f", {o.x}, ShapeUtil::MakeShape(F32, {2})); });
}
TEST(Styles, CustomCallWithComputation) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return CustomCallWithComputation(&b, "f", {o.x}, o.add, ShapeUtil::MakeShape(F32, {2})); }, [](XlaBuilder& b, const Operands& o) { return b.CustomCallWithComputation("f", {o.x}, o.add, ShapeUtil::MakeShape(F32, {2})); }, [](ComputationBuilder& b, const Operands& o) { return b.CustomCallWithComputation("f", {o.x}, o.add, ShapeUtil::MakeShape(F32, {2})); });
}
TEST(Styles, CustomCallWithConvDnums) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return CustomCallWithConvDnums(&b, "f", {o.x}, ShapeUtil::MakeShape(F32, {2}), {}, "", false, {}, nullptr, Window(), o.numbers); }, [](XlaBuilder& b, const Operands& o) { return b.CustomCallWithConvDnums("f", {o.x}, ShapeUtil::MakeShape(F32, {2}), {}, "", false, {}, nullptr, Window(), o.numbers); }, [](ComputationBuilder& b, const Operands& o) { return b.CustomCallWithConvDnums("f", {o.x}, ShapeUtil::MakeShape(F32, {2}), {}, "", false, {}, nullptr, Window(), o.numbers); });
}
TEST(Styles, CustomCallWithLayout) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return CustomCallWithLayout(&b, "f", {o.x}, ShapeUtil::MakeShape(F32, {2}), {ShapeUtil::MakeShape(F32, {2, 3})}); }, [](XlaBuilder& b, const Operands& o) { return b.CustomCallWithLayout("f", {o.x}, ShapeUtil::MakeShape(F32, {2}), {ShapeUtil::MakeShape(F32, {2, 3})}); }, [](ComputationBuilder& b, const Operands& o) { return b.CustomCallWithLayout("f", {o.x}, ShapeUtil::MakeShape(F32, {2}), {ShapeUtil::MakeShape(F32, {2, 3})}); });
}
TEST(Styles, Div) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Div(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.Div(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.Div(o.x, o.y); });
}
TEST(Styles, Dot) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Dot(o.x, o.square); }, [](XlaBuilder& b, const Operands& o) { return b.Dot(o.x, o.square); }, [](ComputationBuilder& b, const Operands& o) { return b.Dot(o.x, o.square); });
}
TEST(Styles, Dot2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Dot(o.x, o.square, nullptr); }, [](XlaBuilder& b, const Operands& o) { return b.Dot(o.x, o.square, nullptr); }, [](ComputationBuilder& b, const Operands& o) { return b.Dot(o.x, o.square, nullptr); });
}
TEST(Styles, DotGeneral) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return DotGeneral(o.x, o.square, {{1}, {0}}); }, [](XlaBuilder& b, const Operands& o) { return b.DotGeneral(o.x, o.square, {{1}, {0}}); }, [](ComputationBuilder& b, const Operands& o) { return b.DotGeneral(o.x, o.square, {{1}, {0}}); });
}
TEST(Styles, DotGeneral2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return DotGeneral(o.x, o.square, {{1}, {0}}, nullptr); }, [](XlaBuilder& b, const Operands& o) { return b.DotGeneral(o.x, o.square, {{1}, {0}}, nullptr); }, [](ComputationBuilder& b, const Operands& o) { return b.DotGeneral(o.x, o.square, {{1}, {0}}, nullptr); });
}
TEST(Styles, DynamicConvForward) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return DynamicConvForward(o.image, o.kernel, {1, 1}, {{0, 0}, {1, 1}}, {}, {}, o.numbers, 1, 1, nullptr, PaddingType::kSame); }, [](XlaBuilder& b, const Operands& o) { return b.DynamicConvForward(o.image, o.kernel, {1, 1}, {{0, 0}, {1, 1}}, {}, {}, o.numbers, 1, 1, nullptr, PaddingType::kSame); }, [](ComputationBuilder& b, const Operands& o) { return b.DynamicConvForward(o.image, o.kernel, {1, 1}, {{0, 0}, {1, 1}}, {}, {}, o.numbers, 1, 1, nullptr, PaddingType::kSame); });
}
TEST(Styles, DynamicReshape) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return DynamicReshape(o.x, {o.i, o.i}, {3, 2}, {false, false}); }, [](XlaBuilder& b, const Operands& o) { return b.DynamicReshape(o.x, {o.i, o.i}, {3, 2}, {false, false}); }, [](ComputationBuilder& b, const Operands& o) { return b.DynamicReshape(o.x, {o.i, o.i}, {3, 2}, {false, false}); });
}
TEST(Styles, DynamicSlice) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return DynamicSlice(o.x, o.pair, {1, 1}); }, [](XlaBuilder& b, const Operands& o) { return b.DynamicSlice(o.x, o.pair, {1, 1}); }, [](ComputationBuilder& b, const Operands& o) { return b.DynamicSlice(o.x, o.pair, {1, 1}); });
}
TEST(Styles, DynamicSlice2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return DynamicSlice(o.x, {o.i, o.i}, {1, 1}); }, [](XlaBuilder& b, const Operands& o) { return b.DynamicSlice(o.x, {o.i, o.i}, {1, 1}); }, [](ComputationBuilder& b, const Operands& o) { return b.DynamicSlice(o.x, {o.i, o.i}, {1, 1}); });
}
TEST(Styles, DynamicUpdateSlice) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return DynamicUpdateSlice(o.x, o.y, o.pair); }, [](XlaBuilder& b, const Operands& o) { return b.DynamicUpdateSlice(o.x, o.y, o.pair); }, [](ComputationBuilder& b, const Operands& o) { return b.DynamicUpdateSlice(o.x, o.y, o.pair); });
}
TEST(Styles, DynamicUpdateSlice2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return DynamicUpdateSlice(o.x, o.y, {o.i, o.i}); }, [](XlaBuilder& b, const Operands& o) { return b.DynamicUpdateSlice(o.x, o.y, {o.i, o.i}); }, [](ComputationBuilder& b, const Operands& o) { return b.DynamicUpdateSlice(o.x, o.y, {o.i, o.i}); });
}
TEST(Styles, Eq) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Eq(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.Eq(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.Eq(o.x, o.y); });
}
TEST(Styles, EqTotalOrder) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return EqTotalOrder(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.EqTotalOrder(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.EqTotalOrder(o.x, o.y); });
}
TEST(Styles, Erf) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Erf(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Erf(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Erf(o.x); });
}
TEST(Styles, Exp) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Exp(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Exp(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Exp(o.x); });
}
TEST(Styles, Expm1) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Expm1(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Expm1(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Expm1(o.x); });
}
TEST(Styles, Fft) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Fft(o.c, FftType::kFft, {2}); }, [](XlaBuilder& b, const Operands& o) { return b.Fft(o.c, FftType::kFft, {2}); }, [](ComputationBuilder& b, const Operands& o) { return b.Fft(o.c, FftType::kFft, {2}); });
}
TEST(Styles, Floor) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Floor(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Floor(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Floor(o.x); });
}
TEST(Styles, Fusion) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return Fusion(&b, {o.s}, o.negate); }, [](XlaBuilder& b, const Operands& o) { return b.Fusion({o.s}, o.negate); }, [](ComputationBuilder& b, const Operands& o) { return b.Fusion({o.s}, o.negate); });
}
TEST(Styles, Gather) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Gather(o.x, o.pair, {0}, {1}, {2, 1}, {1}, 1); }, [](XlaBuilder& b, const Operands& o) { return b.Gather(o.x, o.pair, {0}, {1}, {2, 1}, {1}, 1); }, [](ComputationBuilder& b, const Operands& o) { return b.Gather(o.x, o.pair, {0}, {1}, {2, 1}, {1}, 1); });
}
TEST(Styles, Gather2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Gather(o.x, o.pair, {{0}, {1}, {1}, 1}, {2, 1}); }, [](XlaBuilder& b, const Operands& o) { return b.Gather(o.x, o.pair, {{0}, {1}, {1}, 1}, {2, 1}); }, [](ComputationBuilder& b, const Operands& o) { return b.Gather(o.x, o.pair, {{0}, {1}, {1}, 1}, {2, 1}); });
}
TEST(Styles, Ge) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Ge(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.Ge(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.Ge(o.x, o.y); });
}
TEST(Styles, GeTotalOrder) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return GeTotalOrder(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.GeTotalOrder(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.GeTotalOrder(o.x, o.y); });
}
TEST(Styles, GetDimensionSize) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return GetDimensionSize(o.x, 1); }, [](XlaBuilder& b, const Operands& o) { return b.GetDimensionSize(o.x, 1); }, [](ComputationBuilder& b, const Operands& o) { return b.GetDimensionSize(o.x, 1); });
}
TEST(Styles, GetTupleElement) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return GetTupleElement(o.tuple, 1); }, [](XlaBuilder& b, const Operands& o) { return b.GetTupleElement(o.tuple, 1); }, [](ComputationBuilder& b, const Operands& o) { return b.GetTupleElement(o.tuple, 1); });
}
TEST(Styles, Gt) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Gt(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.Gt(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.Gt(o.x, o.y); });
}
TEST(Styles, GtTotalOrder) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return GtTotalOrder(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.GtTotalOrder(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.GtTotalOrder(o.x, o.y); });
}
TEST(Styles, Imag) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Imag(o.c); }, [](XlaBuilder& b, const Operands& o) { return b.Imag(o.c); }, [](ComputationBuilder& b, const Operands& o) { return b.Imag(o.c); });
}
TEST(Styles, Infeed) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return Infeed(&b, ShapeUtil::MakeShape(F32, {2})); }, [](XlaBuilder& b, const Operands&) { return b.Infeed(ShapeUtil::MakeShape(F32, {2})); }, [](ComputationBuilder& b, const Operands&) { return b.Infeed(ShapeUtil::MakeShape(F32, {2})); });
}
TEST(Styles, InfeedWithToken) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return InfeedWithToken(o.token, ShapeUtil::MakeShape(F32, {2})); }, [](XlaBuilder& b, const Operands& o) { return b.InfeedWithToken(o.token, ShapeUtil::MakeShape(F32, {2})); }, [](ComputationBuilder& b, const Operands& o) { return b.InfeedWithToken(o.token, ShapeUtil::MakeShape(F32, {2})); });
}
TEST(Styles, Iota) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return Iota(&b, F32, 3); }, [](XlaBuilder& b, const Operands&) { return b.Iota(F32, 3); }, [](ComputationBuilder& b, const Operands&) { return b.Iota(F32, 3); });
}
TEST(Styles, Iota2) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return Iota(&b, ShapeUtil::MakeShape(F32, {2, 3}), 1); }, [](XlaBuilder& b, const Operands&) { return b.Iota(ShapeUtil::MakeShape(F32, {2, 3}), 1); }, [](ComputationBuilder& b, const Operands&) { return b.Iota(ShapeUtil::MakeShape(F32, {2, 3}), 1); });
}
TEST(Styles, IsFinite) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return IsFinite(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.IsFinite(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.IsFinite(o.x); });
}
TEST(Styles, Le) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Le(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.Le(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.Le(o.x, o.y); });
}
TEST(Styles, LeTotalOrder) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return LeTotalOrder(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.LeTotalOrder(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.LeTotalOrder(o.x, o.y); });
}
TEST(Styles, Log) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Log(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Log(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Log(o.x); });
}
TEST(Styles, Log1p) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Log1p(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Log1p(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Log1p(o.x); });
}
TEST(Styles, LogicalAnd) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return LogicalAnd(o.p, o.p); }, [](XlaBuilder& b, const Operands& o) { return b.LogicalAnd(o.p, o.p); }, [](ComputationBuilder& b, const Operands& o) { return b.LogicalAnd(o.p, o.p); });
}
TEST(Styles, LogicalNot) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return LogicalNot(o.p); }, [](XlaBuilder& b, const Operands& o) { return b.LogicalNot(o.p); }, [](ComputationBuilder& b, const Operands& o) { return b.LogicalNot(o.p); });
}
TEST(Styles, LogicalOr) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return LogicalOr(o.p, o.p); }, [](XlaBuilder& b, const Operands& o) { return b.LogicalOr(o.p, o.p); }, [](ComputationBuilder& b, const Operands& o) { return b.LogicalOr(o.p, o.p); });
}
TEST(Styles, Logistic) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Logistic(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Logistic(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Logistic(o.x); });
}
TEST(Styles, Lt) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Lt(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.Lt(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.Lt(o.x, o.y); });
}
TEST(Styles, LtTotalOrder) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return LtTotalOrder(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.LtTotalOrder(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.LtTotalOrder(o.x, o.y); });
}
TEST(Styles, Map) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return Map(&b, {o.x, o.y}, o.add); }, [](XlaBuilder& b, const Operands& o) { return b.Map({o.x, o.y}, o.add); }, [](ComputationBuilder& b, const Operands& o) { return b.Map({o.x, o.y}, o.add); });
}
TEST(Styles, Map2) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return Map(&b, {o.x, o.y}, o.add, {0, 1}); }, [](XlaBuilder& b, const Operands& o) { return b.Map({o.x, o.y}, o.add, {0, 1}); }, [](ComputationBuilder& b, const Operands& o) { return b.Map({o.x, o.y}, o.add, {0, 1}); });
}
TEST(Styles, Map3) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return Map(&b, {o.x, o.y}, o.add, {}); }, [](XlaBuilder& b, const Operands& o) { return b.Map({o.x, o.y}, o.add, {}); }, [](ComputationBuilder& b, const Operands& o) { return b.Map({o.x, o.y}, o.add, {}); });
}
TEST(Styles, Map4) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return Map(&b, {o.x}, o.add, {0, 1}, {o.s}); }, [](XlaBuilder& b, const Operands& o) { return b.Map({o.x}, o.add, {0, 1}, {o.s}); }, [](ComputationBuilder& b, const Operands& o) { return b.Map({o.x}, o.add, {0, 1}, {o.s}); });
}
TEST(Styles, Map5) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return Map(&b, {o.x}, o.add, {o.s}); }, [](XlaBuilder& b, const Operands& o) { return b.Map({o.x}, o.add, {o.s}); }, [](ComputationBuilder& b, const Operands& o) { return b.Map({o.x}, o.add, {o.s}); });
}
TEST(Styles, Max) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Max(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.Max(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.Max(o.x, o.y); });
}
TEST(Styles, Min) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Min(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.Min(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.Min(o.x, o.y); });
}
TEST(Styles, Mul) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Mul(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.Mul(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.Mul(o.x, o.y); });
}
TEST(Styles, Mulhi) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Mulhi(o.n, o.n); }, [](XlaBuilder& b, const Operands& o) { return b.Mulhi(o.n, o.n); }, [](ComputationBuilder& b, const Operands& o) { return b.Mulhi(o.n, o.n); });
}
TEST(Styles, MultiCollectivePermute) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return MultiCollectivePermute({o.x, o.y}, {{0, 0}}); }, [](XlaBuilder& b, const Operands& o) { return b.MultiCollectivePermute({o.x, o.y}, {{0, 0}}); }, [](ComputationBuilder& b, const Operands& o) { return b.MultiCollectivePermute({o.x, o.y}, {{0, 0}}); });
}
TEST(Styles, Ne) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Ne(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.Ne(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.Ne(o.x, o.y); });
}
TEST(Styles, NeTotalOrder) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return NeTotalOrder(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.NeTotalOrder(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.NeTotalOrder(o.x, o.y); });
}
TEST(Styles, Neg) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Neg(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Neg(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Neg(o.x); });
}
TEST(Styles, Not) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Not(o.p); }, [](XlaBuilder& b, const Operands& o) { return b.Not(o.p); }, [](ComputationBuilder& b, const Operands& o) { return b.Not(o.p); });
}
TEST(Styles, OptimizationBarrier) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return OptimizationBarrier(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.OptimizationBarrier(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.OptimizationBarrier(o.x); });
}
TEST(Styles, Or) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Or(o.p, o.p); }, [](XlaBuilder& b, const Operands& o) { return b.Or(o.p, o.p); }, [](ComputationBuilder& b, const Operands& o) { return b.Or(o.p, o.p); });
}
TEST(Styles, Or2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Or(o.p, o.p, o.p); }, [](XlaBuilder& b, const Operands& o) { return b.Or(o.p, o.p, o.p); }, [](ComputationBuilder& b, const Operands& o) { return b.Or(o.p, o.p, o.p); });
}
TEST(Styles, Outfeed) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Outfeed(o.x, ShapeUtil::MakeShape(F32, {2, 3})); }, [](XlaBuilder& b, const Operands& o) { return b.Outfeed(o.x, ShapeUtil::MakeShape(F32, {2, 3})); }, [](ComputationBuilder& b, const Operands& o) { return b.Outfeed(o.x, ShapeUtil::MakeShape(F32, {2, 3})); });
}
TEST(Styles, OutfeedWithToken) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return OutfeedWithToken(o.x, o.token, ShapeUtil::MakeShape(F32, {2, 3})); }, [](XlaBuilder& b, const Operands& o) { return b.OutfeedWithToken(o.x, o.token, ShapeUtil::MakeShape(F32, {2, 3})); }, [](ComputationBuilder& b, const Operands& o) { return b.OutfeedWithToken(o.x, o.token, ShapeUtil::MakeShape(F32, {2, 3})); });
}
TEST(Styles, Pad) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Pad(o.x, o.s, MakeEdgePaddingConfig({{1, 0}, {0, 2}})); }, [](XlaBuilder& b, const Operands& o) { return b.Pad(o.x, o.s, MakeEdgePaddingConfig({{1, 0}, {0, 2}})); }, [](ComputationBuilder& b, const Operands& o) { return b.Pad(o.x, o.s, MakeEdgePaddingConfig({{1, 0}, {0, 2}})); });
}
TEST(Styles, PadInDim) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return PadInDim(o.x, o.s, 0, 1, 2); }, [](XlaBuilder& b, const Operands& o) { return b.PadInDim(o.x, o.s, 0, 1, 2); }, [](ComputationBuilder& b, const Operands& o) { return b.PadInDim(o.x, o.s, 0, 1, 2); });
}
TEST(Styles, Parameter) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return Parameter(&b, kNumParameters, ShapeUtil::MakeShape(F32, {2}), "last"); }, [](XlaBuilder& b, const Operands&) { return b.Parameter(kNumParameters, ShapeUtil::MakeShape(F32, {2}), "last"); }, [](ComputationBuilder& b, const Operands&) { return b.Parameter(kNumParameters, ShapeUtil::MakeShape(F32, {2}), "last"); });
}
TEST(Styles, PartitionId) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return PartitionId(&b); }, [](XlaBuilder& b, const Operands&) { return b.PartitionId(); }, [](ComputationBuilder& b, const Operands&) { return b.PartitionId(); });
}
TEST(Styles, PopulationCount) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return PopulationCount(o.n); }, [](XlaBuilder& b, const Operands& o) { return b.PopulationCount(o.n); }, [](ComputationBuilder& b, const Operands& o) { return b.PopulationCount(o.n); });
}
TEST(Styles, Pow) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Pow(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.Pow(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.Pow(o.x, o.y); });
}
TEST(Styles, RaggedAllToAll) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return RaggedAllToAll(o.row, o.one, o.one, o.row, o.one, o.one, {{0}}); }, [](XlaBuilder& b, const Operands& o) { return b.RaggedAllToAll(o.row, o.one, o.one, o.row, o.one, o.one, {{0}}); }, [](ComputationBuilder& b, const Operands& o) { return b.RaggedAllToAll(o.row, o.one, o.one, o.row, o.one, o.one, {{0}}); });
}
TEST(Styles, RaggedAllToAllWithDeviceList) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return RaggedAllToAllWithDeviceList(o.row, o.one, o.one, o.row, o.one, o.one, CollectiveDeviceList(kOneGroup)); }, [](XlaBuilder& b, const Operands& o) { return b.RaggedAllToAllWithDeviceList(o.row, o.one, o.one, o.row, o.one, o.one, CollectiveDeviceList(kOneGroup)); }, [](ComputationBuilder& b, const Operands& o) { return b.RaggedAllToAllWithDeviceList(o.row, o.one, o.one, o.row, o.one, o.one, CollectiveDeviceList(kOneGroup)); });
}
TEST(Styles, RaggedDot) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return RaggedDot(o.square, o.groups, o.one, {{{1}, {1}}, {0}, {0}}); }, [](XlaBuilder& b, const Operands& o) { return b.RaggedDot(o.square, o.groups, o.one, {{{1}, {1}}, {0}, {0}}); }, [](ComputationBuilder& b, const Operands& o) { return b.RaggedDot(o.square, o.groups, o.one, {{{1}, {1}}, {0}, {0}}); });
}
TEST(Styles, Real) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Real(o.c); }, [](XlaBuilder& b, const Operands& o) { return b.Real(o.c); }, [](ComputationBuilder& b, const Operands& o) { return b.Real(o.c); });
}
TEST(Styles, Recv) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return Recv(&b, ShapeUtil::MakeShape(F32, {2}), o.channel); }, [](XlaBuilder& b, const Operands& o) { return b.Recv(ShapeUtil::MakeShape(F32, {2}), o.channel); }, [](ComputationBuilder& b, const Operands& o) { return b.Recv(ShapeUtil::MakeShape(F32, {2}), o.channel); });
}
TEST(Styles, RecvFromHost) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return RecvFromHost(o.token, ShapeUtil::MakeShape(F32, {2}), o.from_host); }, [](XlaBuilder& b, const Operands& o) { return b.RecvFromHost(o.token, ShapeUtil::MakeShape(F32, {2}), o.from_host); }, [](ComputationBuilder& b, const Operands& o) { return b.RecvFromHost(o.token, ShapeUtil::MakeShape(F32, {2}), o.from_host); });
}
TEST(Styles, RecvWithToken) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return RecvWithToken(o.token, ShapeUtil::MakeShape(F32, {2}), o.channel); }, [](XlaBuilder& b, const Operands& o) { return b.RecvWithToken(o.token, ShapeUtil::MakeShape(F32, {2}), o.channel); }, [](ComputationBuilder& b, const Operands& o) { return b.RecvWithToken(o.token, ShapeUtil::MakeShape(F32, {2}), o.channel); });
}
TEST(Styles, Reduce) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return Reduce(&b, {o.x}, {o.s}, o.add, {0}); }, [](XlaBuilder& b, const Operands& o) { return b.Reduce({o.x}, {o.s}, o.add, {0}); }, [](ComputationBuilder& b, const Operands& o) { return b.Reduce({o.x}, {o.s}, o.add, {0}); });
}
TEST(Styles, Reduce2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Reduce(o.x, o.s, o.add, {0}); }, [](XlaBuilder& b, const Operands& o) { return b.Reduce(o.x, o.s, o.add, {0}); }, [](ComputationBuilder& b, const Operands& o) { return b.Reduce(o.x, o.s, o.add, {0}); });
}
TEST(Styles, ReduceAll) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ReduceAll(o.x, o.s, o.add); }, [](XlaBuilder& b, const Operands& o) { return b.ReduceAll(o.x, o.s, o.add); }, [](ComputationBuilder& b, const Operands& o) { return b.ReduceAll(o.x, o.s, o.add); });
}
TEST(Styles, ReducePrecision) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ReducePrecision(o.x, 5, 10); }, [](XlaBuilder& b, const Operands& o) { return b.ReducePrecision(o.x, 5, 10); }, [](ComputationBuilder& b, const Operands& o) { return b.ReducePrecision(o.x, 5, 10); });
}
TEST(Styles, ReduceScatter) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ReduceScatter(o.x, o.add, 0, 1); }, [](XlaBuilder& b, const Operands& o) { return b.ReduceScatter(o.x, o.add, 0, 1); }, [](ComputationBuilder& b, const Operands& o) { return b.ReduceScatter(o.x, o.add, 0, 1); });
}
TEST(Styles, ReduceScatterWithDeviceList) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ReduceScatterWithDeviceList(o.x, o.add, 0, 1, CollectiveDeviceList()); }, [](XlaBuilder& b, const Operands& o) { return b.ReduceScatterWithDeviceList(o.x, o.add, 0, 1, CollectiveDeviceList()); }, [](ComputationBuilder& b, const Operands& o) { return b.ReduceScatterWithDeviceList(o.x, o.add, 0, 1, CollectiveDeviceList()); });
}
TEST(Styles, ReduceWindow) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ReduceWindow(std::vector<XlaOp>{o.x}, std::vector<XlaOp>{o.s}, o.add, {2, 3}, {2, 3}, Padding::kSame); }, [](XlaBuilder& b, const Operands& o) { return b.ReduceWindow(std::vector<XlaOp>{o.x}, std::vector<XlaOp>{o.s}, o.add, {2, 3}, {2, 3}, Padding::kSame); }, [](ComputationBuilder& b, const Operands& o) { return b.ReduceWindow(std::vector<XlaOp>{o.x}, std::vector<XlaOp>{o.s}, o.add, {2, 3}, {2, 3}, Padding::kSame); });
}
TEST(Styles, ReduceWindow2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ReduceWindow(o.x, o.add, o.s, {2, 3}, {2, 3}, Padding::kValid); }, [](XlaBuilder& b, const Operands& o) { return b.ReduceWindow(o.x, o.add, o.s, {2, 3}, {2, 3}, Padding::kValid); }, [](ComputationBuilder& b, const Operands& o) { return b.ReduceWindow(o.x, o.add, o.s, {2, 3}, {2, 3}, Padding::kValid); });
}
TEST(Styles, ReduceWindow3) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ReduceWindow(o.x, o.s, o.add, {1, 2}, {1, 1}, {1, 2}, {1, 1}, Padding::kSame); }, [](XlaBuilder& b, const Operands& o) { return b.ReduceWindow(o.x, o.s, o.add, {1, 2}, {1, 1}, {1, 2}, {1, 1}, Padding::kSame); }, [](ComputationBuilder& b, const Operands& o) { return b.ReduceWindow(o.x, o.s, o.add, {1, 2}, {1, 1}, {1, 2}, {1, 1}, Padding::kSame); });
}
TEST(Styles, ReduceWindow4) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ReduceWindow(o.x, o.s, o.add, {2, 3}, {2, 3}, Padding::kValid); }, [](XlaBuilder& b, const Operands& o) { return b.ReduceWindow(o.x, o.s, o.add, {2, 3}, {2, 3}, Padding::kValid); }, [](ComputationBuilder& b, const Operands& o) { return b.ReduceWindow(o.x, o.s, o.add, {2, 3}, {2, 3}, Padding::kValid); });
}
TEST(Styles, ReduceWindowWithGeneralPadding) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ReduceWindowWithGeneralPadding(std::vector<XlaOp>{o.x}, std::vector<XlaOp>{o.s}, o.add, {2, 3}, {2, 3}, {}, {}, {}); }, [](XlaBuilder& b, const Operands& o) { return b.ReduceWindowWithGeneralPadding(std::vector<XlaOp>{o.x}, std::vector<XlaOp>{o.s}, o.add, {2, 3}, {2, 3}, {}, {}, {}); }, [](ComputationBuilder& b, const Operands& o) { return b.ReduceWindowWithGeneralPadding(std::vector<XlaOp>{o.x}, std::vector<XlaOp>{o.s}, o.add, {2, 3}, {2, 3}, {}, {}, {}); });
}
TEST(Styles, ReduceWindowWithGeneralPadding2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ReduceWindowWithGeneralPadding(o.x, o.s, o.add, {2, 3}, {2, 3}, {}, {1, 1}, {{1, 0}, {0, 0}}); }, [](XlaBuilder& b, const Operands& o) { return b.ReduceWindowWithGeneralPadding(o.x, o.s, o.add, {2, 3}, {2, 3}, {}, {1, 1}, {{1, 0}, {0, 0}}); }, [](ComputationBuilder& b, const Operands& o) { return b.ReduceWindowWithGeneralPadding(o.x, o.s, o.add, {2, 3}, {2, 3}, {}, {1, 1}, {{1, 0}, {0, 0}}); });
}
TEST(Styles, Rem) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Rem(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.Rem(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.Rem(o.x, o.y); });
}
TEST(Styles, RemoveDynamicDimension) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return RemoveDynamicDimension(SetDimensionSize(o.x, o.i, 0), 0); }, [](XlaBuilder& b, const Operands& o) { return b.RemoveDynamicDimension(SetDimensionSize(o.x, o.i, 0), 0); }, [](ComputationBuilder& b, const Operands& o) { return b.RemoveDynamicDimension(SetDimensionSize(o.x, o.i, 0), 0); });
}
TEST(Styles, ReplicaId) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return ReplicaId(&b); }, [](XlaBuilder& b, const Operands&) { return b.ReplicaId(); }, [](ComputationBuilder& b, const Operands&) { return b.ReplicaId(); });
}
TEST(Styles, Reshape) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Reshape(ShapeUtil::MakeShape(F32, {6}), o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Reshape(ShapeUtil::MakeShape(F32, {6}), o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Reshape(ShapeUtil::MakeShape(F32, {6}), o.x); });
}
TEST(Styles, Reshape2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Reshape(o.x, {1, 0}, {6}); }, [](XlaBuilder& b, const Operands& o) { return b.Reshape(o.x, {1, 0}, {6}); }, [](ComputationBuilder& b, const Operands& o) { return b.Reshape(o.x, {1, 0}, {6}); });
}
TEST(Styles, Reshape3) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Reshape(o.x, {6}); }, [](XlaBuilder& b, const Operands& o) { return b.Reshape(o.x, {6}); }, [](ComputationBuilder& b, const Operands& o) { return b.Reshape(o.x, {6}); });
}
TEST(Styles, ReshapeWithInferredDimension) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ReshapeWithInferredDimension(o.x, {3, 2}, 0); }, [](XlaBuilder& b, const Operands& o) { return b.ReshapeWithInferredDimension(o.x, {3, 2}, 0); }, [](ComputationBuilder& b, const Operands& o) { return b.ReshapeWithInferredDimension(o.x, {3, 2}, 0); });
}
TEST(Styles, Rev) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Rev(o.x, {0}); }, [](XlaBuilder& b, const Operands& o) { return b.Rev(o.x, {0}); }, [](ComputationBuilder& b, const Operands& o) { return b.Rev(o.x, {0}); });
}
TEST(Styles, RngBernoulli) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return RngBernoulli(o.s, ShapeUtil::MakeShape(U32, {2})); }, [](XlaBuilder& b, const Operands& o) { return b.RngBernoulli(o.s, ShapeUtil::MakeShape(U32, {2})); }, [](ComputationBuilder& b, const Operands& o) { return b.RngBernoulli(o.s, ShapeUtil::MakeShape(U32, {2})); });
}
TEST(Styles, RngBitGenerator) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return RngBitGenerator(RandomAlgorithm::kThreeFry, o.state, ShapeUtil::MakeShape(F32, {2})); }, [](XlaBuilder& b, const Operands& o) { return b.RngBitGenerator(RandomAlgorithm::kThreeFry, o.state, ShapeUtil::MakeShape(F32, {2})); }, [](ComputationBuilder& b, const Operands& o) { return b.RngBitGenerator(RandomAlgorithm::kThreeFry, o.state, ShapeUtil::MakeShape(F32, {2})); });
}
TEST(Styles, RngNormal) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return RngNormal(o.s, o.s, ShapeUtil::MakeShape(F32, {2})); }, [](XlaBuilder& b, const Operands& o) { return b.RngNormal(o.s, o.s, ShapeUtil::MakeShape(F32, {2})); }, [](ComputationBuilder& b, const Operands& o) { return b.RngNormal(o.s, o.s, ShapeUtil::MakeShape(F32, {2})); });
}
TEST(Styles, RngUniform) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return RngUniform(o.s, o.s, ShapeUtil::MakeShape(F32, {2})); }, [](XlaBuilder& b, const Operands& o) { return b.RngUniform(o.s, o.s, ShapeUtil::MakeShape(F32, {2})); }, [](ComputationBuilder& b, const Operands& o) { return b.RngUniform(o.s, o.s, ShapeUtil::MakeShape(F32, {2})); });
}
TEST(Styles, Round) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Round(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Round(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Round(o.x); });
}
TEST(Styles, RoundNearestEven) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return RoundNearestEven(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.RoundNearestEven(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.RoundNearestEven(o.x); });
}
TEST(Styles, Rsqrt) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Rsqrt(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Rsqrt(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Rsqrt(o.x); });
}
TEST(Styles, ScaledDot) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ScaledDot(o.x, o.square, o.x, o.s, {{1}, {0}}); }, [](XlaBuilder& b, const Operands& o) { return b.ScaledDot(o.x, o.square, o.x, o.s, {{1}, {0}}); }, [](ComputationBuilder& b, const Operands& o) { return b.ScaledDot(o.x, o.square, o.x, o.s, {{1}, {0}}); });
}
TEST(Styles, Scan) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Scan({o.row}, {o.s}, o.step, 0); }, [](XlaBuilder& b, const Operands& o) { return b.Scan({o.row}, {o.s}, o.step, 0); }, [](ComputationBuilder& b, const Operands& o) { return b.Scan({o.row}, {o.s}, o.step, 0); });
}
TEST(Styles, Scatter) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Scatter(std::vector<XlaOp>{o.x}, o.pair, std::vector<XlaOp>{o.column}, o.add, 1, {0}, {1}, {1}); }, [](XlaBuilder& b, const Operands& o) { return b.Scatter(std::vector<XlaOp>{o.x}, o.pair, std::vector<XlaOp>{o.column}, o.add, 1, {0}, {1}, {1}); }, [](ComputationBuilder& b, const Operands& o) { return b.Scatter(std::vector<XlaOp>{o.x}, o.pair, std::vector<XlaOp>{o.column}, o.add, 1, {0}, {1}, {1}); });
}
TEST(Styles, Scatter2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Scatter(std::vector<XlaOp>{o.x}, o.pair, std::vector<XlaOp>{o.column}, o.add, {{0}, {1}, {1}, 1}); }, [](XlaBuilder& b, const Operands& o) { return b.Scatter(std::vector<XlaOp>{o.x}, o.pair, std::vector<XlaOp>{o.column}, o.add, {{0}, {1}, {1}, 1}); }, [](ComputationBuilder& b, const Operands& o) { return b.Scatter(std::vector<XlaOp>{o.x}, o.pair, std::vector<XlaOp>{o.column}, o.add, {{0}, {1}, {1}, 1}); });
}
TEST(Styles, Scatter3) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Scatter(o.x, o.pair, o.column, o.add, 1, {0}, {1}, {1}); }, [](XlaBuilder& b, const Operands& o) { return b.Scatter(o.x, o.pair, o.column, o.add, 1, {0}, {1}, {1}); }, [](ComputationBuilder& b, const Operands& o) { return b.Scatter(o.x, o.pair, o.column, o.add, 1, {0}, {1}, {1}); });
}
TEST(Styles, Scatter4) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Scatter(o.x, o.pair, o.column, o.add, {{0}, {1}, {1}, 1}); }, [](XlaBuilder& b, const Operands& o) { return b.Scatter(o.x, o.pair, o.column, o.add, {{0}, {1}, {1}, 1}); }, [](ComputationBuilder& b, const Operands& o) { return b.Scatter(o.x, o.pair, o.column, o.add, {{0}, {1}, {1}, 1}); });
}
TEST(Styles, Select) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Select(o.p, o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.Select(o.p, o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.Select(o.p, o.x, o.y); });
}
TEST(Styles, SelectAndScatter) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return SelectAndScatter(o.x, o.greater, {2, 3}, {2, 3}, Padding::kValid, o.corner, o.s, o.add); }, [](XlaBuilder& b, const Operands& o) { return b.SelectAndScatter(o.x, o.greater, {2, 3}, {2, 3}, Padding::kValid, o.corner, o.s, o.add); }, [](ComputationBuilder& b, const Operands& o) { return b.SelectAndScatter(o.x, o.greater, {2, 3}, {2, 3}, Padding::kValid, o.corner, o.s, o.add); });
}
TEST(Styles, SelectAndScatterWithGeneralPadding) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return SelectAndScatterWithGeneralPadding(o.x, o.greater, {2, 3}, {2, 3}, {}, o.corner, o.s, o.add); }, [](XlaBuilder& b, const Operands& o) { return b.SelectAndScatterWithGeneralPadding(o.x, o.greater, {2, 3}, {2, 3}, {}, o.corner, o.s, o.add); }, [](ComputationBuilder& b, const Operands& o) { return b.SelectAndScatterWithGeneralPadding(o.x, o.greater, {2, 3}, {2, 3}, {}, o.corner, o.s, o.add); });
}
TEST(Styles, Send) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Send(o.x, o.channel); }, [](XlaBuilder& b, const Operands& o) { return b.Send(o.x, o.channel); }, [](ComputationBuilder& b, const Operands& o) { return b.Send(o.x, o.channel); });
}
TEST(Styles, SendToHost) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return SendToHost(o.x, o.token, ShapeUtil::MakeShape(F32, {2, 3}), o.to_host); }, [](XlaBuilder& b, const Operands& o) { return b.SendToHost(o.x, o.token, ShapeUtil::MakeShape(F32, {2, 3}), o.to_host); }, [](ComputationBuilder& b, const Operands& o) { return b.SendToHost(o.x, o.token, ShapeUtil::MakeShape(F32, {2, 3}), o.to_host); });
}
TEST(Styles, SendWithToken) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return SendWithToken(o.x, o.token, o.channel); }, [](XlaBuilder& b, const Operands& o) { return b.SendWithToken(o.x, o.token, o.channel); }, [](ComputationBuilder& b, const Operands& o) { return b.SendWithToken(o.x, o.token, o.channel); });
}
TEST(Styles, SetDimensionSize) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return SetDimensionSize(o.x, o.i, 0); }, [](XlaBuilder& b, const Operands& o) { return b.SetDimensionSize(o.x, o.i, 0); }, [](ComputationBuilder& b, const Operands& o) { return b.SetDimensionSize(o.x, o.i, 0); });
}
TEST(Styles, ShiftLeft) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ShiftLeft(o.n, o.n); }, [](XlaBuilder& b, const Operands& o) { return b.ShiftLeft(o.n, o.n); }, [](ComputationBuilder& b, const Operands& o) { return b.ShiftLeft(o.n, o.n); });
}
TEST(Styles, ShiftRightArithmetic) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ShiftRightArithmetic(o.n, o.n); }, [](XlaBuilder& b, const Operands& o) { return b.ShiftRightArithmetic(o.n, o.n); }, [](ComputationBuilder& b, const Operands& o) { return b.ShiftRightArithmetic(o.n, o.n); });
}
TEST(Styles, ShiftRightLogical) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return ShiftRightLogical(o.n, o.n); }, [](XlaBuilder& b, const Operands& o) { return b.ShiftRightLogical(o.n, o.n); }, [](ComputationBuilder& b, const Operands& o) { return b.ShiftRightLogical(o.n, o.n); });
}
TEST(Styles, Sign) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Sign(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Sign(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Sign(o.x); });
}
TEST(Styles, Sin) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Sin(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Sin(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Sin(o.x); });
}
TEST(Styles, Sinh) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Sinh(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Sinh(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Sinh(o.x); });
}
TEST(Styles, Slice) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Slice(o.x, {0, 1}, {2, 3}); }, [](XlaBuilder& b, const Operands& o) { return b.Slice(o.x, {0, 1}, {2, 3}); }, [](ComputationBuilder& b, const Operands& o) { return b.Slice(o.x, {0, 1}, {2, 3}); });
}
TEST(Styles, Slice2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Slice(o.x, {0, 1}, {2, 3}, {1, 2}); }, [](XlaBuilder& b, const Operands& o) { return b.Slice(o.x, {0, 1}, {2, 3}, {1, 2}); }, [](ComputationBuilder& b, const Operands& o) { return b.Slice(o.x, {0, 1}, {2, 3}, {1, 2}); });
}
TEST(Styles, SliceInDim) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return SliceInDim(o.x, 0, 2, 1, 1); }, [](XlaBuilder& b, const Operands& o) { return b.SliceInDim(o.x, 0, 2, 1, 1); }, [](ComputationBuilder& b, const Operands& o) { return b.SliceInDim(o.x, 0, 2, 1, 1); });
}
TEST(Styles, Sort) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Sort(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Sort(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Sort(o.x); });
}
TEST(Styles, Sort2) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Sort(o.x, 0); }, [](XlaBuilder& b, const Operands& o) { return b.Sort(o.x, 0); }, [](ComputationBuilder& b, const Operands& o) { return b.Sort(o.x, 0); });
}
TEST(Styles, Sort3) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Sort(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.Sort(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.Sort(o.x, o.y); });
}
TEST(Styles, Sort4) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Sort(o.x, o.y, 0); }, [](XlaBuilder& b, const Operands& o) { return b.Sort(o.x, o.y, 0); }, [](ComputationBuilder& b, const Operands& o) { return b.Sort(o.x, o.y, 0); });
}
TEST(Styles, Sort5) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Sort({o.x}, o.less); }, [](XlaBuilder& b, const Operands& o) { return b.Sort({o.x}, o.less); }, [](ComputationBuilder& b, const Operands& o) { return b.Sort({o.x}, o.less); });
}
TEST(Styles, Sqrt) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Sqrt(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Sqrt(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Sqrt(o.x); });
}
TEST(Styles, StochasticConvertType) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return StochasticConvertType(o.x, o.u, S32); }, [](XlaBuilder& b, const Operands& o) { return b.StochasticConvertType(o.x, o.u, S32); }, [](ComputationBuilder& b, const Operands& o) { return b.StochasticConvertType(o.x, o.u, S32); });
}
TEST(Styles, Sub) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Sub(o.x, o.y); }, [](XlaBuilder& b, const Operands& o) { return b.Sub(o.x, o.y); }, [](ComputationBuilder& b, const Operands& o) { return b.Sub(o.x, o.y); });
}
TEST(Styles, Tan) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Tan(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Tan(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Tan(o.x); });
}
TEST(Styles, Tanh) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Tanh(o.x); }, [](XlaBuilder& b, const Operands& o) { return b.Tanh(o.x); }, [](ComputationBuilder& b, const Operands& o) { return b.Tanh(o.x); });
}
TEST(Styles, TopK) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return TopK(o.x, 2, true); }, [](XlaBuilder& b, const Operands& o) { return b.TopK(o.x, 2, true); }, [](ComputationBuilder& b, const Operands& o) { return b.TopK(o.x, 2, true); });
}
TEST(Styles, Transpose) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Transpose(o.x, {1, 0}); }, [](XlaBuilder& b, const Operands& o) { return b.Transpose(o.x, {1, 0}); }, [](ComputationBuilder& b, const Operands& o) { return b.Transpose(o.x, {1, 0}); });
}
TEST(Styles, TriangularSolve) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return TriangularSolve(o.square, o.square, true, true, false, TransposeOption::kTranspose); }, [](XlaBuilder& b, const Operands& o) { return b.TriangularSolve(o.square, o.square, true, true, false, TransposeOption::kTranspose); }, [](ComputationBuilder& b, const Operands& o) { return b.TriangularSolve(o.square, o.square, true, true, false, TransposeOption::kTranspose); });
}
TEST(Styles, Tuple) {
  ExpectOneProgram([](XlaBuilder& b, const Operands& o) { return Tuple(&b, {o.x, o.y}); }, [](XlaBuilder& b, const Operands& o) { return b.Tuple({o.x, o.y}); }, [](ComputationBuilder& b, const Operands& o) { return b.Tuple({o.x, o.y}); });
}
TEST(Styles, Tuple2) {
  ExpectOneProgram([](XlaBuilder& b, const Operands&) { return Tuple(&b, {}); }, [](XlaBuilder& b, const Operands&) { return b.Tuple({}); }, [](ComputationBuilder& b, const Operands&) { return b.Tuple({}); });
}
TEST(Styles, While) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return While(o.condition, o.body, o.i); }, [](XlaBuilder& b, const Operands& o) { return b.While(o.condition, o.body, o.i); }, [](ComputationBuilder& b, const Operands& o) { return b.While(o.condition, o.body, o.i); });
}
TEST(Styles, Xor) {
  ExpectOneProgram([](XlaBuilder&, const Operands& o) { return Xor(o.p, o.p); }, [](XlaBuilder& b, const Operands& o) { return b.Xor(o.p, o.p); }, [](ComputationBuilder& b, const Operands& o) { return b.Xor(o.p, o.p); });
}

}  // namespace
}  // namespace axle
