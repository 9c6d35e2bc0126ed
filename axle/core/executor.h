// Executor: where work runs that its caller does not wait for. A client has a pool of threads
// (runtime/thread_pool.h) or uses the caller's executor:
//
//   struct MyExecutor : Executor {
//     void Schedule(std::function<void()> task) override { my_pool.Post(std::move(task)); }
//     int num_threads() const override { return my_pool.size(); }
//   };
#pragma once
#include <functional>

namespace axle {

class Executor {
 public:
  virtual ~Executor() = default;
  // Runs `task` once, soon, on some thread. Called from any thread. Tasks may wait for one another:
  // as many as num_threads() must be able to run at a time.
  virtual void Schedule(std::function<void()> task) = 0;
  virtual int num_threads() const = 0;  // at least 1
};

}  // namespace axle
