// Many threads at a time: `make tsan` runs this under the thread sanitizer too.
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "tests/pjrt/plugin.h"

namespace axle::plugin {
namespace {

constexpr int kThreads = 4;

// Runs the function on several threads, which begin together.
void OnThreads(const std::function<void(int thread)>& run) {
  std::atomic<int> num_waiting = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      ++num_waiting;
      while (num_waiting < kThreads) std::this_thread::yield();
      run(t);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// a * a + a of f32[n, n], by a product of matrices: long enough for a thread of its own.
std::string Product(int size) {
  const std::string type = "tensor<" + std::to_string(size) + "x" + std::to_string(size) + "xf32>";
  return "module @product { func.func @main(%a: " + type + ") -> " + type +
         " { %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (" + type + ", " +
         type + ") -> " + type + " return %0 : " + type + " } }";
}

// Counts callbacks, and waits for them.
struct Callbacks {
  std::mutex mutex;
  std::condition_variable changed;
  int num_called = 0;
  int num_failed = 0;

  static void Call(PJRT_Error* error, void* user_arg) {
    auto& callbacks = *static_cast<Callbacks*>(user_arg);
    const bool failed = Take(error) != "OK";
    const std::lock_guard lock(callbacks.mutex);
    ++callbacks.num_called;
    if (failed) ++callbacks.num_failed;
    callbacks.changed.notify_all();
  }
  void Wait(int count) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return num_called >= count; });
  }
};

TEST(PjrtThreads, ExecuteTheSameExecutable) {
  const auto client = MakeClient();
  const auto add = Compile(client, kAdd);
  const auto product = Compile(client, Product(64));
  const auto matrix = Put<float>(client, std::vector<float>(64 * 64, 1), {64, 64});
  Callbacks callbacks;
  constexpr int kRuns = 20;
  OnThreads([&](int thread) {
    const auto value = static_cast<float>(thread);
    for (int run = 0; run < kRuns; ++run) {
      const auto x = Put<float>(client, {value, 1, 2}, {3});
      Outcome sum = Execute(add, {x, x});
      ASSERT_EQ(sum.error, "OK");
      EXPECT_EQ(Get<float>(sum.results[0]), std::vector<float>({2 * value, 2, 4}));
      Outcome long_run = Execute(product, {matrix});
      ASSERT_EQ(long_run.error, "OK");
      Do(Api().Event_OnReady,
         {.event = long_run.done, .callback = Callbacks::Call, .user_arg = &callbacks});
      long_run.done.reset();  // before it is ready, maybe
      EXPECT_EQ(Get<float>(long_run.results[0])[17], 64);
    }
  });
  callbacks.Wait(kThreads * kRuns);
  EXPECT_EQ(callbacks.num_failed, 0);
}

// A buffer is deleted while the others use it: each use gets the value or the error.
TEST(PjrtThreads, DeleteWhileOthersUse) {
  const auto client = MakeClient();
  const auto add = Compile(client, kAdd);
  for (int round = 0; round < 20; ++round) {
    const auto x = Put<float>(client, {1, 2, 3}, {3});
    OnThreads([&](int thread) {
      if (thread == 0) {
        Do(Api().Buffer_Delete, {.buffer = x});
        return;
      }
      if (thread == 1) {
        if (Error(Api().Buffer_IncreaseExternalReferenceCount, {.buffer = x}) == "OK") {
          EXPECT_EQ(Error(Api().Buffer_DecreaseExternalReferenceCount, {.buffer = x}), "OK");
        }
        return;
      }
      const Outcome outcome = Execute(add, {x, x});
      if (outcome.error != "OK") {
        // The deletion may come between the uses for the two arguments.
        const bool is_second = outcome.error.find("argument 1") != std::string::npos;
        EXPECT_EQ(outcome.error, std::string("FAILED_PRECONDITION: execute: argument ") +
                                     (is_second ? "1" : "0") + ": buffer: f32[3] is deleted");
        return;
      }
      EXPECT_EQ(Get<float>(outcome.results[0]), std::vector<float>({2, 4, 6}));
    });
    EXPECT_TRUE(Do(Api().Buffer_IsDeleted, {.buffer = x}).is_deleted);
  }
}

TEST(PjrtThreads, Compile) {
  const auto client = MakeClient(2);
  const auto portable = Compile(client, kAdd, Options{.is_portable = true}.Bytes());
  OnThreads([&](int thread) {
    const auto own = Compile(client, Product(2 + thread));
    const auto size = static_cast<i64>(2 + thread);
    const auto x =
        Put<float>(client, std::vector<float>(static_cast<size_t>(size * size), 1), {size, size});
    const Outcome outcome = Execute(own, {x});
    ASSERT_EQ(outcome.error, "OK");
    EXPECT_EQ(Get<float>(outcome.results[0])[0], static_cast<float>(size));
    // The portable program is compiled for a device when it is first needed there.
    PJRT_Device* device = DeviceAt(client, static_cast<size_t>(thread % 2));
    const auto y = Put<float>(client, {1, 2, 3}, {3}, device);
    const Outcome there = Execute(portable, {y, y}, device);
    ASSERT_EQ(there.error, "OK");
    EXPECT_EQ(Get<float>(there.results[0]), std::vector<float>({2, 4, 6}));
  });
}

// The client goes while runs of it are pending, and then the rest, from other threads.
TEST(PjrtThreads, DestroyTheClientFirst) {
  for (int round = 0; round < 5; ++round) {
    auto client = MakeClient();
    auto product = Compile(client, Product(128));
    const auto matrix = Put<float>(client, std::vector<float>(128 * 128, 1), {128, 128});
    std::vector<Outcome> outcomes(kThreads);
    for (Outcome& outcome : outcomes) {
      outcome = Execute(product, {matrix});
      ASSERT_EQ(outcome.error, "OK");
    }
    OnThreads([&](int thread) {
      if (thread == 0) client.reset();
      if (thread == 1) product.reset();
      Outcome& outcome = outcomes[static_cast<size_t>(thread)];
      EXPECT_EQ(Get<float>(outcome.results[0])[0], 128);
      outcome = {};
    });
  }
}

// Events and states of memories that several threads share.
TEST(PjrtThreads, EventsAndMemories) {
  const auto client = MakeClient();
  PJRT_Memory* memory = MemoryAt(client, 0);
  const auto& table = **reinterpret_cast<const PJRT_Memory_FunctionTable* const*>(memory);
  Callbacks callbacks;
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    const Own<PJRT_Event> event(Do(Api().Event_Create, {}).event);
    OnThreads([&](int thread) {
      if (thread == 0) {
        EXPECT_EQ(Error(Api().Event_Set, {.event = event}), "OK");
      } else if (thread == 1) {
        EXPECT_EQ(Error(Api().Event_Await, {.event = event}), "OK");
      } else {
        Do(Api().Event_OnReady,
           {.event = event, .callback = Callbacks::Call, .user_arg = &callbacks});
      }
      table.set_user_data(memory, &callbacks, &callbacks, nullptr);
      EXPECT_EQ(table.get_user_data(memory, &callbacks), &callbacks);
    });
  }
  callbacks.Wait(kRounds * 2);
  EXPECT_EQ(callbacks.num_called, kRounds * 2);
}

// Pieces of one buffer that come from several threads.
TEST(PjrtThreads, TransferInPieces) {
  const auto client = MakeClient();
  constexpr size_t kPiece = 1000;
  const std::vector<i64> dims = {kThreads * kPiece};
  PJRT_ShapeSpec spec = {.dims = dims.data(), .num_dims = 1, .element_type = kTypeOf<float>};
  const Own<PJRT_AsyncHostToDeviceTransferManager> manager(
      Do(Api().Client_CreateBuffersForAsyncHostToDevice, {.client = client,
                                                          .shape_specs = &spec,
                                                          .num_shape_specs = 1,
                                                          .memory = MemoryAt(client, 0)})
          .transfer_manager);
  const Own<PJRT_Buffer> buffer(
      Do(Api().AsyncHostToDeviceTransferManager_RetrieveBuffer, {.transfer_manager = manager})
          .buffer_out);
  const auto send = [&](int thread, bool is_last) {
    const std::vector<float> piece(kPiece, static_cast<float>(thread));
    const i64 bytes = kPiece * sizeof(float);
    EXPECT_EQ(
        Await(Do(Api().AsyncHostToDeviceTransferManager_TransferData, {.transfer_manager = manager,
                                                                       .data = piece.data(),
                                                                       .offset = thread * bytes,
                                                                       .transfer_size = bytes,
                                                                       .is_last_transfer = is_last})
                  .done_with_h2d_transfer),
        "OK");
  };
  OnThreads([&](int thread) {
    if (thread > 0) send(thread, false);
  });
  send(0, true);
  const std::vector<float> all = Get<float>(buffer);
  for (size_t i = 0; i < all.size(); i += kPiece / 2) {
    EXPECT_EQ(all[i], static_cast<float>(i / kPiece)) << i;
  }
}

}  // namespace
}  // namespace axle::plugin
