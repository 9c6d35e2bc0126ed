#include "axle/client/buffer.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "axle/builder/shape_util.h"
#include "axle/client/client.h"
#include "axle/client/memory_budget.h"
#include "axle/core/storage.h"
#include "axle/core/strings.h"
#include "axle/runtime/host_device.h"

namespace axle {
namespace {

constexpr std::string_view kAddOne = R"(
ENTRY main { x = f32[2,2] parameter(0)  one = f32[] constant(1)
  ones = f32[2,2] broadcast(one), dimensions={}  ROOT r = f32[2,2] add(x, ones) })";
constexpr std::string_view kMayAlias = R"(HloModule m, input_output_alias={ {}: (0, {}, may-alias) }
ENTRY main { x = f32[2] parameter(0)  y = f32[2] parameter(1)  ROOT r = f32[2] add(x, y) })";
constexpr std::string_view kMustAlias =
    R"(HloModule m, input_output_alias={ {}: (0, {}, must-alias) }
ENTRY main { x = f32[2] parameter(0)  y = f32[2] parameter(1)  ROOT r = f32[2] add(x, y) })";

Literal Parsed(std::string_view text) {
  return *ParseLiteral(text);
}

class Buffers : public testing::Test {
 protected:
  BufferPtr Put(std::string_view text) { return *client_->BufferFromLiteral(Parsed(text)); }
  std::shared_ptr<Executable> Compiled(std::string_view text) {
    auto executable = client_->Compile(text);
    EXPECT_TRUE(executable.ok()) << executable.status().message();
    return *std::move(executable);
  }
  std::unique_ptr<Client> client_ = *Client::Create();
};

TEST_F(Buffers, AreArgumentsAndResults) {
  const auto executable = Compiled(kAddOne);
  const auto results = executable->Execute({Put("f32[2,2] {{1, 2}, {3, 4}}")});
  ASSERT_TRUE(results.ok()) << results.status().message();
  ASSERT_EQ(results->size(), 1u);
  EXPECT_EQ((*results)[0]->ToLiteral()->ToStringWithShape(), "f32[2,2] { { 2, 3 }, { 4, 5 } }");
  EXPECT_TRUE((*results)[0]->is_ready());
  EXPECT_EQ((*results)[0]->device().ToString(), "cpu:0");
}

TEST_F(Buffers, ATupleComesBackAsItsElements) {
  const auto executable = Compiled(
      "ENTRY main { x = s32[] parameter(0) y = f32[2] parameter(1) ROOT t = (f32[2], s32[]) "
      "tuple(y, x) }");
  const auto results = *executable->Execute({Put("s32[] 7"), Put("f32[2] {1, 2}")});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0]->ToLiteral()->ToString(), "{1, 2}");
  EXPECT_EQ(results[1]->ToLiteral()->ToString(), "7");
  const auto nothing =
      Compiled("ENTRY main { ROOT t = () tuple() }")->Execute(ArraySlice<BufferPtr>());
  EXPECT_TRUE(nothing.ok() && nothing->empty());
}

// More than a call has room for on the stack; one buffer may be several of them.
TEST_F(Buffers, ManyArgumentsAreInOrder) {
  std::string text = "ENTRY main { ";
  std::vector<BufferPtr> arguments;
  for (int i = 0; i < 20; ++i) {
    text += StrCat("p", i, " = s32[] parameter(", i, ") ");
    arguments.push_back(i % 5 == 4 ? arguments[0] : Put(StrCat("s32[] ", i)));
  }
  text += "ROOT t = (s32[], s32[], s32[]) tuple(p19, p7, p18) }";
  const auto results = *Compiled(text)->Execute(arguments);
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0]->ToLiteral()->ToString(), "0");
  EXPECT_EQ(results[1]->ToLiteral()->ToString(), "7");
  EXPECT_EQ(results[2]->ToLiteral()->ToString(), "18");
  arguments[18]->Delete();
  const auto refused = Compiled(text)->Execute(arguments);
  EXPECT_EQ(refused.status().message(), "execute: argument 18: buffer: s32[] is deleted");
}

TEST_F(Buffers, HostMemoryOfAnyStridesGoesIn) {
  const std::array<float, 6> data = {1, 2, 3, 4, 5, 6};
  const auto text = [&](const void* from, const Shape& shape, ArraySlice<i64> strides) {
    const auto buffer = client_->BufferFromHost(from, shape, strides);
    return buffer.ok() ? (*buffer)->ToLiteral()->ToString() : buffer.status().ToString();
  };
  const Shape shape(F32, {2, 3});
  EXPECT_EQ(text(data.data(), shape, {}), "{ { 1, 2, 3 }, { 4, 5, 6 } }");
  EXPECT_EQ(text(data.data(), shape, {4, 8}), "{ { 1, 3, 5 }, { 2, 4, 6 } }");
  EXPECT_EQ(text(&data[5], shape, {-12, -4}), "{ { 6, 5, 4 }, { 3, 2, 1 } }");
  EXPECT_EQ(text(data.data(), shape, {0, 4}), "{ { 1, 2, 3 }, { 1, 2, 3 } }");
  EXPECT_EQ(text(nullptr, Shape(F32, {0, 3}), {}), "{  }");
  EXPECT_EQ(text(data.data(), shape, {4}),
            "INVALID_ARGUMENT: host array: there are 1 strides for f32[2,3]");
  EXPECT_EQ(text(nullptr, shape, {}), "INVALID_ARGUMENT: host array: the data of f32[2,3] is null");
  EXPECT_EQ(text(data.data(), Shape::Tuple({shape}), {}),
            "INVALID_ARGUMENT: host array: the shape is (f32[2,3]), must be an array");
  EXPECT_EQ(client_->BufferFromHost(data.data(), shape, {}, HostBufferSemantics::kCopy, 3)
                .status()
                .message(),
            "buffer from host: there is no device 3, the client has 1");
}

TEST_F(Buffers, GoOutWithAnyStrides) {
  const BufferPtr buffer = Put("f32[2,3] {{1, 2, 3}, {4, 5, 6}}");
  std::array<float, 6> out = {};
  EXPECT_TRUE(buffer->CopyToHost(out.data(), sizeof(out)).ok());
  EXPECT_EQ(out, (std::array<float, 6>{1, 2, 3, 4, 5, 6}));
  EXPECT_TRUE(buffer->CopyToHost(out.data(), sizeof(out), {4, 8}).ok());
  EXPECT_EQ(out, (std::array<float, 6>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(buffer->CopyToHost(out.data(), 8).message(),
            "copy to host: f32[2,3] takes 24 bytes, not 8");
  EXPECT_EQ(buffer->CopyToHost(nullptr, 24).message(), "host array: the data of f32[2,3] is null");
  // Padding of a dynamic dimension is zeros, whatever lies there.
  Literal padded = Parsed("f32[<=3](2) {7, 8}");
  std::array<float, 3> three = {9, 9, 9};
  EXPECT_TRUE((*client_->BufferFromLiteral(padded))->CopyToHost(three.data(), sizeof(three)).ok());
  EXPECT_EQ(three, (std::array<float, 3>{7, 8, 0}));
}

TEST_F(Buffers, MayLieInHostMemory) {
  alignas(64) std::array<float, 2> data = {1, 2};
  bool is_zero_copy = false;
  int released = 0;
  auto buffer = *client_->BufferFromHost(
      data.data(), Shape(F32, {2}), {}, HostBufferSemantics::kMutableZeroCopy, 0,
      [&] { ++released; }, &is_zero_copy);
  EXPECT_TRUE(is_zero_copy);
  const Literal before = *buffer->ToLiteral();
  data[0] = 5;
  EXPECT_EQ(before.ToString(), "{1, 2}");  // a copy
  EXPECT_EQ(buffer->ToLiteral()->ToString(), "{5, 2}");
  EXPECT_EQ(buffer->Pin()->data(), data.data());
  {
    const auto view = *buffer->Pin();
    buffer->Delete();
    EXPECT_EQ(released, 0);  // the view keeps it
  }
  EXPECT_EQ(released, 1);
  // Strides, or an address between elements, need a copy.
  const char* odd = reinterpret_cast<const char*>(data.data()) + 1;
  buffer = *client_->BufferFromHost(
      odd, Shape(F32, {1}), {}, HostBufferSemantics::kZeroCopy, 0, [&] { ++released; },
      &is_zero_copy);
  EXPECT_FALSE(is_zero_copy);
  EXPECT_EQ(released, 2);  // at once
}

TEST_F(Buffers, DeletedOnesAreOfNoUse) {
  const BufferPtr x = Put("f32[2,2] {{1, 2}, {3, 4}}");
  x->Delete();
  x->Delete();
  EXPECT_TRUE(x->is_deleted());
  EXPECT_EQ(x->ToLiteral().status().ToString(), "FAILED_PRECONDITION: buffer: f32[2,2] is deleted");
  EXPECT_EQ(Compiled(kAddOne)->Execute({x}).status().ToString(),
            "FAILED_PRECONDITION: execute: argument 0: buffer: f32[2,2] is deleted");
  EXPECT_EQ(client_->live_buffer_bytes(), 0);
}

// By another thread, while the call that takes it over is refused.
TEST_F(Buffers, ADeletedOneDoesNotComeBack) {
  const BufferPtr x = Put("f32[] 1");
  auto storage = *x->Donate(/*must=*/false);
  EXPECT_EQ(x->ToLiteral().status().message(), "buffer: f32[] is donated");
  x->Delete();
  x->TakeBack(std::move(storage));
  EXPECT_EQ(x->ToLiteral().status().message(), "buffer: f32[] is deleted");
  EXPECT_EQ(client_->live_buffer_bytes(), 0);
  const BufferPtr y = Put("f32[] 1");
  y->TakeBack(*y->Donate(/*must=*/false));
  EXPECT_EQ(y->ToLiteral()->ToString(), "1");
}

TEST_F(Buffers, WrongArgumentsAreNamed) {
  const auto executable = Compiled(kAddOne);
  EXPECT_EQ(executable->Execute(ArraySlice<BufferPtr>()).status().message(),
            "execute: \"main\" takes 1 arguments, not 0");
  EXPECT_EQ(executable->Execute({BufferPtr()}).status().message(), "execute: argument 0 is null");
  EXPECT_EQ(executable->Execute({Put("f32[2] {1, 2}")}).status().message(),
            "execute: argument 0 is f32[2] but \"main\" expects f32[2,2] for parameter 0 \"x\"");
  const auto other = *Client::Create();
  EXPECT_EQ(executable->Execute({*other->BufferFromLiteral(Parsed("f32[2,2] {{1, 2}, {3, 4}}"))})
                .status()
                .message(),
            "execute: argument 0 is on cpu:0, but the program runs on cpu:0 of another client");
}

TEST_F(Buffers, DonationTakesTheBufferAway) {
  const auto executable = Compiled(kMayAlias);
  const BufferPtr x = Put("f32[2] {1, 2}"), y = Put("f32[2] {10, 20}");
  const void* memory = x->Pin()->data();
  const auto results = executable->Execute({x, y});
  ASSERT_TRUE(results.ok()) << results.status().message();
  EXPECT_EQ((*results)[0]->ToLiteral()->ToString(), "{11, 22}");
  EXPECT_EQ((*results)[0]->Pin()->data(), memory);  // the result lies where x was
  EXPECT_EQ(x->ToLiteral().status().message(), "buffer: f32[2] is donated");
  EXPECT_EQ(executable->Execute({x, y}).status().message(),
            "execute: argument 0: buffer: f32[2] is donated");
  EXPECT_FALSE(y->is_deleted());
  // By the call, and not by the module.
  const auto plain = Compiled(kAddOne);
  const BufferPtr z = Put("f32[2,2] {{1, 2}, {3, 4}}");
  EXPECT_TRUE(plain->Execute({z}, {.donated = {0}}).ok());
  EXPECT_TRUE(z->is_deleted());
  EXPECT_EQ(plain->Execute({z}, {.donated = {1}}).status().message(),
            "execute: there is no argument 1 to donate, \"main\" takes 1");
  const BufferPtr kept = Put("f32[2] {1, 2}");
  EXPECT_TRUE(executable->Execute({kept, y}, {.not_donated = {0}}).ok());
  EXPECT_FALSE(kept->is_deleted());
}

TEST_F(Buffers, ARefusedCallDonatesNothing) {
  const auto executable = Compiled(kMayAlias);
  const BufferPtr x = Put("f32[2] {1, 2}"), y = Put("f32[2] {10, 20}");
  y->Delete();
  EXPECT_EQ(executable->Execute({x, y}).status().message(),
            "execute: argument 1: buffer: f32[2] is deleted");
  EXPECT_EQ(x->ToLiteral()->ToString(), "{1, 2}");
  EXPECT_EQ(
      executable->Execute({x, x}).status().ToString(),
      "INVALID_ARGUMENT: execute: arguments 0 and 1 are one buffer, which argument 0 donates, as "
      "in `f(donate(a), a)`; pass a copy of it");
  EXPECT_EQ(executable->Execute({x, x}, {.donated = {1}}).status().ToString(),
            "INVALID_ARGUMENT: execute: arguments 0 and 1 are one buffer, which both donate, as in "
            "`f(donate(a), donate(a))`; pass a copy of it");
  EXPECT_EQ(
      executable->Execute({x, x}, {.donated = {1}, .not_donated = {0}}).status().ToString(),
      "INVALID_ARGUMENT: execute: arguments 0 and 1 are one buffer, which argument 1 donates, as "
      "in `f(a, donate(a))`; pass a copy of it");
  EXPECT_FALSE(x->is_deleted());
}

TEST_F(Buffers, AFailedRunLeavesItsErrorInWhatWasDonated) {
  const auto executable = Compiled(kMayAlias);
  const BufferPtr x = Put("f32[2] {1, 2}"), y = Put("f32[2] {10, 20}");
  Limits limits;
  limits.Cancel();
  EXPECT_EQ(executable->Execute({x, y}, {.limits = &limits}).status().code(),
            StatusCode::kCancelled);
  EXPECT_EQ(x->ToLiteral().status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(y->ToLiteral().ok());
}

TEST_F(Buffers, APinnedBufferIsCopiedOrRefused) {
  const BufferPtr x = Put("f32[2] {1, 2}"), y = Put("f32[2] {10, 20}");
  const auto view = *x->Pin();
  EXPECT_EQ(Compiled(kMustAlias)->Execute({x, y}).status().ToString(),
            "FAILED_PRECONDITION: execute: argument 0: buffer: f32[2] must be donated, but an "
            "execution or a view uses it");
  EXPECT_FALSE(x->is_deleted());
  const auto results = Compiled(kMayAlias)->Execute({x, y});
  ASSERT_TRUE(results.ok());
  EXPECT_TRUE(x->is_deleted());
  const float* pinned = static_cast<const float*>(view.data());
  EXPECT_EQ(pinned[0], 1);  // the run worked on a copy
  EXPECT_NE((*results)[0]->Pin()->data(), view.data());
}

TEST_F(Buffers, CountAgainstTheClientsMemory) {
  const auto client = *Client::Create({.memory_cap = 100});
  const auto x = client->BufferFromLiteral(Parsed("f32[2,2] {{1, 2}, {3, 4}}"));
  ASSERT_TRUE(x.ok());
  EXPECT_EQ(client->live_buffer_bytes(), 16);
  EXPECT_EQ(
      client->BufferFromLiteral(Literal(Shape(F32, {64}))).status().ToString(),
      "RESOURCE_EXHAUSTED: buffer: needs 256 bytes in addition to 16 of other buffers, but the "
      "client's memory cap is 100");
  const auto large = *client->Compile(
      "ENTRY main { x = f32[2,2] parameter(0) z = f32[] constant(0) b = f32[1000] broadcast(z), "
      "dimensions={} ROOT r = f32[1000] exponential(b) }");
  EXPECT_EQ(large->Execute({*x}).status().code(), StatusCode::kResourceExhausted);
  const auto small = *client->Compile(kAddOne);
  EXPECT_TRUE(small->Execute({*x}).ok());
  EXPECT_EQ(client->live_buffer_bytes(), 16);
}

// Or the cap would allow no more than half of what it says.
TEST_F(Buffers, ADonatedOneDoesNotCountBesideItsResult) {
  const std::string lines = "ENTRY main { x = f32[2,2] parameter(0) ROOT r = f32[2,2] negate(x) }";
  // Native code is made for the aliases of the module; the interpreter uses whatever it is given.
  const std::string aliased =
      "HloModule m, input_output_alias={ {}: (0, {}, may-alias) }\n" + lines;
  for (const auto& [text, engine] :
       {std::pair{lines, EngineKind::kInterpret}, std::pair{aliased, EngineKind::kInterpret},
        std::pair{aliased, EngineKind::kDefault}}) {
    const auto client = *Client::Create({.memory_cap = 24});
    const auto x = *client->BufferFromLiteral(Parsed("f32[2,2] {{1, 2}, {3, 4}}"));
    const auto results =
        (*client->Compile(text, {.engine = engine}))->Execute({x}, {.donated = {0}});
    ASSERT_TRUE(results.ok()) << results.status().message();
    EXPECT_EQ((*results)[0]->ToLiteral()->ToString(), "{ { -1, -2 }, { -3, -4 } }");
    EXPECT_EQ(client->live_buffer_bytes(), 16);
  }
}

TEST_F(Buffers, AResultBeyondTheCapIsAnErrorOfTheRun) {
  const auto client = *Client::Create({.memory_cap = 1700});
  const auto x = *client->BufferFromLiteral(Literal(Shape(F32, {400})));
  const auto executable = *client->Compile(
      "ENTRY main { x = f32[400] parameter(0) y = f32[2] slice(x), slice={[0:2]} ROOT t = (f32[2], "
      "f32[400]) tuple(y, x) }",
      // Hands x on. Native code copies it, which is too much already for the run.
      {.engine = EngineKind::kInterpret});
  const auto later = *executable->ExecuteAsync({x});
  EXPECT_EQ(later.done.Await().code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(later.results[0]->Await().ok());
  EXPECT_EQ(later.results[1]->Await().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(executable->ExecuteReplicated({{x}}).status().code(), StatusCode::kResourceExhausted);
}

TEST_F(Buffers, ARefusedOneTakesNoMemoryFromOthers) {
  MemoryBudget budget(1000);
  std::atomic<bool> stop = false;
  std::thread refused([&] {
    while (!stop) EXPECT_FALSE(budget.Reserve(1001).ok());
  });
  int wrong = 0;
  for (int i = 0; i < 100000; ++i) {
    if (budget.Reserve(1000).ok()) {
      budget.Release(1000);
    } else {
      ++wrong;
    }
  }
  stop = true;
  refused.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(budget.num_reservations(), 100000);
  EXPECT_EQ(budget.largest_reservation(), 1000);
  EXPECT_EQ(budget.peak(), 1000);
}

TEST_F(Buffers, WhatWasReservedIsCounted) {
  MemoryBudget budget(1000);
  EXPECT_TRUE(budget.Reserve(300).ok());
  EXPECT_TRUE(budget.Reserve(200).ok());
  budget.Release(300);
  EXPECT_TRUE(budget.Reserve(100).ok());
  EXPECT_EQ(budget.live(), 300);
  EXPECT_EQ(budget.peak(), 500);
  EXPECT_EQ(budget.largest_reservation(), 300);
  EXPECT_EQ(budget.num_reservations(), 3);
}

TEST_F(Buffers, NoMemoryIsAStatus) {
  const Shape wanted = ShapeUtil::MakeShapeWithLayout(F32, {2, 2}, {0, 1});
  const auto executable = *client_->Compile(kAddOne, {.result_layout = wanted});
  const auto x = Put("f32[2,2] {{1, 2}, {3, 4}}");
  const auto result = *executable->Execute({x});
  Limits limits;
  limits.set_memory_cap(15);
  const StorageScope scope(&limits);
  EXPECT_EQ(executable->Execute({x}).status().ToString(),
            "RESOURCE_EXHAUSTED: execute: no memory for the result of \"module_main\"");
  std::array<float, 4> out = {};
  EXPECT_EQ(result[0]->CopyToHost(out.data(), sizeof(out)).ToString(),
            "RESOURCE_EXHAUSTED: host array: no memory for a copy of f32[2,2]");
}

TEST_F(Buffers, AsynchronousRunsFollowEachOther) {
  const auto executable = Compiled(kAddOne);
  BufferPtr value = Put("f32[2,2] {{0, 0}, {0, 0}}");
  Future last;
  for (int i = 0; i < 100; ++i) {
    const auto result = executable->ExecuteAsync({value}, {.donated = {0}});
    ASSERT_TRUE(result.ok()) << result.status().message();
    value = result->results[0];
    last = result->done;
  }
  EXPECT_TRUE(last.Await().ok());
  EXPECT_EQ(value->ToLiteral()->ToString(), "{ { 100, 100 }, { 100, 100 } }");
}

TEST_F(Buffers, AnErrorGoesOnToWhoeverReadsIt) {
  const auto waits = Compiled(
      "ENTRY main { t = token[] after-all() i = (f32[2,2], token[]) infeed(t) ROOT x = f32[2,2] "
      "get-tuple-element(i), index=0 }");
  Limits limits;
  const auto first = *waits->ExecuteAsync({}, {.limits = &limits});
  const auto second = *Compiled(kAddOne)->ExecuteAsync({first.results[0]});
  EXPECT_FALSE(second.results[0]->is_ready());
  limits.Cancel();
  EXPECT_EQ(second.done.Await().code(), StatusCode::kCancelled);
  EXPECT_EQ(second.results[0]->ToLiteral().status().code(), StatusCode::kCancelled);
  int called = 0;
  second.done.OnReady([&](const Status& status) { called += status.ok() ? 100 : 1; });
  EXPECT_EQ(called, 1);
}

TEST_F(Buffers, DeletingOneInUseLetsTheRunFinish) {
  const auto executable = Compiled(
      "ENTRY main { x = f32[] parameter(0) t = token[] after-all() i = (f32[], token[]) infeed(t) "
      "y = f32[] get-tuple-element(i), index=0 ROOT r = f32[] add(x, y) }");
  const BufferPtr x = Put("f32[] 1");
  const auto result = *executable->ExecuteAsync({x});
  x->Delete();
  EXPECT_TRUE(client_->TransferToInfeed(Parsed("f32[] 2")).ok());
  EXPECT_EQ(result.results[0]->ToLiteral()->ToString(), "3");
}

// Not only some time after: a caller may count its memory as soon as it has waited.
TEST_F(Buffers, ARunThatIsOverHoldsNoMemory) {
  const auto executable = Compiled(
      "ENTRY main { x = f32[2] parameter(0) t = token[] after-all() i = (f32[2], token[]) "
      "infeed(t) "
      "y = f32[2] get-tuple-element(i), index=0 ROOT r = f32[2] add(x, y) }");
  BufferPtr x = Put("f32[2] {1, 2}");
  ExecuteResult later = *executable->ExecuteAsync({x});
  x.reset();
  EXPECT_EQ(client_->live_buffer_bytes(), 8);
  i64 live = -1;
  later.results[0]->ready().OnReady(
      [&](const Status& status) { live = status.ok() ? client_->live_buffer_bytes() : -2; });
  later.results.clear();
  ASSERT_TRUE(client_->TransferToInfeed(Parsed("f32[2] {3, 4}")).ok());
  ASSERT_TRUE(later.done.Await().ok());
  EXPECT_EQ(live, 0);
}

TEST_F(Buffers, AWaitHasLimitsOfItsOwn) {
  const auto waits = Compiled(
      "ENTRY main { t = token[] after-all() i = (f32[], token[]) infeed(t) ROOT x = f32[] "
      "get-tuple-element(i), index=0 }");
  const auto result = *waits->ExecuteAsync({});
  Limits limits;
  limits.set_time_limit(0.01);
  EXPECT_EQ(result.results[0]->ToLiteral(&limits).status().code(), StatusCode::kDeadlineExceeded);
  EXPECT_TRUE(client_->TransferToInfeed(Parsed("f32[] 2")).ok());
  EXPECT_EQ(result.results[0]->ToLiteral()->ToString(), "2");
}

TEST_F(Buffers, ResultsHaveTheLayoutThatWasAskedFor) {
  const Shape wanted = ShapeUtil::MakeShapeWithLayout(F32, {2, 2}, {0, 1});
  const auto executable = *client_->Compile(kAddOne, {.result_layout = wanted});
  const auto results = *executable->Execute({Put("f32[2,2] {{1, 2}, {3, 4}}")});
  EXPECT_EQ(results[0]->shape().ToStringWithLayout(), "f32[2,2]{0,1}");
  const auto view = *results[0]->Pin();
  const float* data = static_cast<const float*>(view.data());
  EXPECT_EQ(std::vector<float>(data, data + 4), (std::vector<float>{2, 4, 3, 5}));
  EXPECT_EQ(results[0]->ToLiteral()->ToString(), "{ { 2, 3 }, { 4, 5 } }");
  std::array<float, 4> out = {};
  EXPECT_TRUE(results[0]->CopyToHost(out.data(), sizeof(out)).ok());
  EXPECT_EQ(out, (std::array<float, 4>{2, 3, 4, 5}));
  EXPECT_EQ(client_->Compile(kAddOne, {.result_layout = Shape(F32, {3})}).status().message(),
            "compile: the layout of the result is for f32[3], but the program has f32[2,2]");
  EXPECT_EQ(client_->Compile(kAddOne, {.argument_layouts = {wanted, wanted}}).status().message(),
            "compile: 2 argument layouts for 1 parameters");
}

}  // namespace
}  // namespace axle
