// Callbacks of the user that throw: the status that the documents promise, nothing lost, and the
// client goes on.
#include <gtest/gtest.h>

#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "axle/builder/xla_builder.h"
#include "axle/client/client.h"

namespace axle {
namespace {

constexpr std::string_view kProgram = R"(
ENTRY e {
  x = f32[4] parameter(0)
  ROOT r = f32[4] add(x, x)
}
)";
const Literal kFour = LiteralUtil::CreateR1<float>({1, 2, 3, 4});

// Throws for the first `num_throws` tasks; runs each on a thread of its own, before it throws if
// that is asked for.
class ThrowingExecutor : public Executor {
 public:
  explicit ThrowingExecutor(int num_throws, bool runs_first = false)
      : num_throws_(num_throws), runs_first_(runs_first) {}
  ~ThrowingExecutor() override {
    for (std::thread& thread : threads_) thread.join();
  }
  void Schedule(std::function<void()> task) override {
    const bool throws = num_throws_-- > 0;
    if (!throws || runs_first_) {
      threads_.emplace_back(std::move(task));
      if (throws) threads_.back().join(), threads_.pop_back();
    }
    if (throws) throw std::runtime_error("the pool is closed");
  }
  int num_threads() const override { return 2; }

 private:
  int num_throws_;
  bool runs_first_;
  std::vector<std::thread> threads_;
};

TEST(Callbacks, AnExecutorThatThrowsFailsTheRunAndNotTheNext) {
  const auto executor = std::make_shared<ThrowingExecutor>(2);
  auto client = Client::Create({.executor = executor});
  ASSERT_TRUE(client.ok());
  auto executable = (*client)->Compile(kProgram);
  ASSERT_TRUE(executable.ok());
  auto x = (*client)->BufferFromLiteral(kFour);
  for (int i = 0; i < 3; ++i) {
    auto result = (*executable)->ExecuteAsync({*x});
    ASSERT_TRUE(result.ok()) << result.status().message();
    const Status done = result->done.Await();
    const StatusOr<Literal> value = result->results[0]->ToLiteral();
    if (i == 2) {
      EXPECT_TRUE(done.ok() && value.ok());
      continue;
    }
    EXPECT_EQ(done.ToString(),
              "INTERNAL: the Executor::Schedule callback threw an exception: the pool is closed");
    EXPECT_EQ(value.status().code(), StatusCode::kInternal);
  }
}

TEST(Callbacks, AnExecutorThatThrowsAfterTheTaskRunsItOnce) {
  const auto executor = std::make_shared<ThrowingExecutor>(1, true);
  auto client = Client::Create({.executor = executor});
  auto executable = (*client)->Compile(kProgram);
  ASSERT_TRUE(executable.ok());
  auto x = (*client)->BufferFromLiteral(kFour);
  auto result = (*executable)->ExecuteAsync({*x});
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->done.Await().ok());
}

// The last reference to an executor is often the run's own: whoever waits for `done` may be faster
// than the thread that has set it.
TEST(Callbacks, AnExecutorIsNotDestroyedInItsOwnTask) {
  struct Gate {
    std::promise<void> opened;
    std::thread::id ran_on;
    std::promise<std::thread::id> destroyed_by;
  };
  class GatedExecutor : public Executor {
   public:
    explicit GatedExecutor(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}
    ~GatedExecutor() override {
      const std::thread::id here = std::this_thread::get_id();
      if (here == gate_->ran_on) {
        thread_.detach();
      } else {
        thread_.join();
      }
      gate_->destroyed_by.set_value(here);
    }
    void Schedule(std::function<void()> task) override {
      thread_ = std::thread([gate = gate_, task = std::move(task)]() mutable {
        gate->opened.get_future().wait();
        gate->ran_on = std::this_thread::get_id();
        task();
      });
    }
    int num_threads() const override { return 1; }

   private:
    std::shared_ptr<Gate> gate_;
    std::thread thread_;
  };
  const auto gate = std::make_shared<Gate>();
  {
    auto client = Client::Create({.executor = std::make_shared<GatedExecutor>(gate)});
    auto executable = (*client)->Compile(kProgram);
    ASSERT_TRUE(executable.ok());
    auto x = (*client)->BufferFromLiteral(kFour);
    ASSERT_TRUE((*executable)->ExecuteAsync({*x}).ok());
  }
  gate->opened.set_value();
  EXPECT_NE(gate->destroyed_by.get_future().get(), gate->ran_on);
}

TEST(Callbacks, AReleaseThatThrows) {
  auto client = Client::Create({});
  alignas(64) float data[16] = {1, 2, 3};
  const auto released = [] { throw std::runtime_error("gone"); };
  const auto copied = (*client)->BufferFromHost(data, Shape(F32, {16}), {},
                                                HostBufferSemantics::kCopy, 0, released);
  EXPECT_EQ(copied.status().ToString(), "INTERNAL: the released callback threw an exception: gone");
  bool is_zero_copy = false;
  auto viewed = (*client)->BufferFromHost(
      data, Shape(F32, {16}), {}, HostBufferSemantics::kZeroCopy, 0, released, &is_zero_copy);
  ASSERT_TRUE(viewed.ok()) << viewed.status().message();
  EXPECT_TRUE(is_zero_copy);
  (*viewed)->Delete();  // dropped
  *viewed = nullptr;
}

TEST(Callbacks, ALogThatThrows) {
  auto client = Client::Create({.log = [](LogLevel, std::string_view) { throw 42; }});
  EXPECT_EQ((*client)->Compile(kProgram).status().ToString(),
            "INTERNAL: the log callback threw an exception: it is no std::exception");
}

TEST(Callbacks, ADumpThatThrows) {
  auto client = Client::Create({});
  CompileOptions options;
  options.engine = EngineKind::kNative;
  options.debug.on_llvm = [](std::string_view) { throw std::runtime_error("disk full"); };
  const auto executable = (*client)->Compile(kProgram, options);
  if (executable.status().code() == StatusCode::kUnavailable) GTEST_SKIP() << "no code generator";
  EXPECT_EQ(executable.status().ToString(),
            "INTERNAL: the on_llvm callback threw an exception: disk full");
}

TEST(Callbacks, AnOnReadyThatThrowsIsDropped) {
  int called = 0;
  const auto callback = [&](const Status&) {
    ++called;
    throw std::runtime_error("no");
  };
  Future().OnReady(callback);
  const Future pending = Future::Pending();
  pending.OnReady(callback);
  pending.OnReady(callback);
  pending.Set({});
  pending.OnReady(callback);
  EXPECT_EQ(called, 4);
  EXPECT_TRUE(pending.Await().ok());
}

TEST(Callbacks, AProgressThatThrows) {
  auto client = Client::Create({});
  for (const EngineKind engine : {EngineKind::kInterpret, EngineKind::kDefault}) {
    CompileOptions options;
    options.engine = engine;
    auto executable = (*client)->Compile(kProgram, options);
    ASSERT_TRUE(executable.ok());
    Limits limits;
    limits.set_progress([](double) { throw std::runtime_error("closed"); });
    const auto result = (*executable)->Execute({kFour}, {.limits = &limits});
    EXPECT_EQ(result.status().ToString(),
              "INTERNAL: the progress callback threw an exception: closed");
  }
}

}  // namespace
}  // namespace axle
