// Executable: a compiled program. Runs on literals, or on buffers of its client's devices, as often
// as one likes and from any number of threads at a time.
//
//   AXLE_ASSIGN(Literal sum, executable->Execute({x, y}));               // literals
//   AXLE_ASSIGN(std::vector<BufferPtr> results, executable->Execute({buffer_x, buffer_y}));
//
// Thread-safe; may outlive its client.
#pragma once
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "axle/client/analysis.h"
#include "axle/client/buffer.h"
#include "axle/core/literal.h"
#include "axle/core/program_shape.h"

namespace axle {

struct Argument;       // core/argument.h
struct CompileReport;  // runtime/compile_report.h
class DeviceContext;   // core/device_context.h

// The interpreter or native code. Both give the same bits; native code runs faster and takes longer
// to compile. The default is native code where its library can be loaded.
enum class EngineKind : std::uint8_t { kDefault, kInterpret, kNative };

struct ExecuteOptions {
  // Limits of this run; none if null. They live until the run is over. In ExecuteReplicated, Cancel
  // and the time limit end all runs; memory and steps are counted for the first device.
  Limits* limits = nullptr;
  // The device that serves infeed, custom calls and the like, instead of the one that the buffers
  // are on.
  DeviceContext* device = nullptr;
  // Arguments whose buffers the run may take over, beside those that the module aliases with its
  // result.
  std::vector<i64> donated = {};
  // Arguments that are not taken over, although the module says that they may be.
  std::vector<i64> not_donated = {};
  // Seed of the `rng` operation, unless `device` is set, which has a seed of its own.
  std::uint64_t random_seed = 0;
};

// The results of an asynchronous execution.
struct ExecuteResult {
  std::vector<BufferPtr> results;
  Future done;  // the status of the run
};

class Executable : public std::enable_shared_from_this<Executable> {
 public:
  virtual ~Executable() = default;
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  // The program that was compiled, with its replicas and partitions, and its name; references live
  // as long as the executable.
  const Module& module() const { return *module_; }
  const std::string& name() const;
  // The parameters and the result, with the layouts that were asked for at Compile.
  const ProgramShape& program_shape() const { return *shape_; }
  // The devices that it runs on, one for each replica and partition: device r * partitions + p.
  const std::vector<std::shared_ptr<Device>>& devices() const { return devices_; }
  // kInterpret or kNative.
  virtual EngineKind engine() const = 0;
  // Computed at each call, from the program alone: client/analysis.h.
  CostAnalysis cost_analysis() const;
  MemoryAnalysis memory_analysis() const;

  // What native code is made of: the stages of its compilation and, if CompileOptions::debug.report
  // was set, its programs. Null for the interpreter; lives as long as the executable.
  virtual const CompileReport* report() const { return nullptr; }

  // Runs the program on the caller's thread.
  //
  //   arguments  one literal per parameter of the entry, of any layout
  //   result     in the layout of program_shape().result
  //
  // Errors: INVALID_ARGUMENT if the arguments do not fit, and for a program of several devices;
  // RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED or CANCELLED as the limits say.
  StatusOr<Literal> Execute(ArraySlice<Literal> arguments,
                            const ExecuteOptions& options = {}) const;
  StatusOr<Literal> Execute(std::initializer_list<Literal> arguments,
                            const ExecuteOptions& options = {}) const {
    return Execute(ArraySlice<Literal>(arguments), options);
  }

  // The same with buffers.
  //
  //   arguments  one buffer per parameter, on devices()[0]; waits until they are there
  //   results    one buffer for each element of the result, if that is a tuple, else one
  //
  // Donated buffers are gone as soon as the call is accepted, whatever becomes of the run; if it
  // fails, what they say is its error. Nothing is donated by a call that is refused. Errors beside
  // those above: FAILED_PRECONDITION for a buffer that is deleted or donated, or that must be
  // donated while something else uses it; INVALID_ARGUMENT for a buffer that is donated twice or is
  // on another device; the error of a buffer whose own run has failed.
  StatusOr<std::vector<BufferPtr>> Execute(ArraySlice<BufferPtr> arguments,
                                           const ExecuteOptions& options = {}) const;

  // The same without waiting. Runs on the device's queue, where what is enqueued goes one after the
  // other in the order of the calls. The errors of the call itself are returned at once; those of
  // the run come with `done` and with each result.
  StatusOr<ExecuteResult> ExecuteAsync(ArraySlice<BufferPtr> arguments,
                                       const ExecuteOptions& options = {}) const;

  // Runs the program on each of devices(), all at a time. arguments[d] and element d of the result
  // belong to device d. If one run fails, the others are cancelled; if options.limits are set, only
  // those cancel the run of the first device. The error is that of the first device that was not
  // cancelled. options.device must be null.
  StatusOr<std::vector<std::vector<BufferPtr>>> ExecuteReplicated(
      ArraySlice<std::vector<BufferPtr>> arguments, const ExecuteOptions& options = {}) const;

 protected:
  // For the engines: `devices` is not empty.
  Executable(std::shared_ptr<const Module> module, ProgramShape shape,
             std::vector<std::shared_ptr<Device>> devices);
  // Runs the entry; the result is row-major.
  virtual StatusOr<Literal> Run(std::span<const Argument> arguments, DeviceContext* device,
                                Limits* limits) const = 0;

 private:
  struct Call;  // an accepted call on one device, with its arguments and the results it promised
  StatusOr<std::shared_ptr<Call>> Accept(ArraySlice<BufferPtr> arguments, i64 device,
                                         const ExecuteOptions& options) const;
  Status CheckBuffers(ArraySlice<BufferPtr> arguments, i64 device) const;
  StatusOr<std::vector<BufferPtr>> RunOnBuffers(ArraySlice<BufferPtr> arguments,
                                                const ExecuteOptions& options) const;
  // Waits for the arguments, runs, and gives the results to whoever waits for them.
  Status Finish(Call& call, const Status& scheduled = {}) const;
  StatusOr<Literal> RunOn(i64 device, std::span<const Argument> arguments,
                          const ExecuteOptions& options) const;

  // Shared with the buffers of results, which may outlive the executable.
  std::shared_ptr<const Shape> SharedShape(const Shape& of_result) const;

  std::shared_ptr<const Module> module_;
  std::shared_ptr<const ProgramShape> shape_;
  std::vector<std::shared_ptr<Device>> devices_;
};

}  // namespace axle
