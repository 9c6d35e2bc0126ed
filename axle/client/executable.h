// Executable: a compiled program. It runs on literals, or on buffers of its client's devices, any
// number of times and from any number of threads at a time.
//
//   AXLE_ASSIGN(Literal sum, executable->Execute({x, y}));               // literals
//   AXLE_ASSIGN(std::vector<BufferPtr> results, executable->Execute({buffer_x, buffer_y}));
//
// Executables are thread-safe and may outlive their client.
#pragma once
#include <atomic>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "axle/client/analysis.h"
#include "axle/client/buffer.h"
#include "axle/core/literal.h"
#include "axle/core/program_shape.h"

namespace axle {

struct Argument;              // core/argument.h
struct CompileReport;         // runtime/compile_report.h
class DeviceContext;          // core/device_context.h
struct ExecutableFile;        // client/executable_file.h
class Profile;                // client/profile.h
struct RunDevices;            // client/run_devices.h
struct RunPlacement;          // client/run_devices.h
class StepProfile;            // core/step_profile.h
struct StepGroupDescription;  // core/step_description.h

// The interpreter or native code. Both give the same bits; native code runs faster and takes longer
// to compile. The default is native code where its library can be loaded.
enum class EngineKind : std::uint8_t { kDefault, kInterpret, kNative };

struct ExecuteOptions {
  // Limits of this run; null means none. They must live until the run is over. On several devices
  // they are of all together, but for steps, of which each device has that many; the progress is
  // that of the first device.
  Limits* limits = nullptr;
  // The device that serves infeed, outfeed, channels and custom calls, instead of the one that the
  // buffers are on.
  DeviceContext* device = nullptr;
  // Arguments whose buffers the run may take over, in addition to those that the module aliases
  // with its result.
  std::vector<i64> donated = {};
  // Arguments that are not taken over, although the module allows it.
  std::vector<i64> not_donated = {};
  // Seed of the `rng` operation, unless `device` is set, which has a seed of its own.
  std::uint64_t random_seed = 0;
  // Gets the times of the steps of this run, in addition to those of other runs that it has; null
  // means that nobody asks. It must live until the run is over. A run that fails adds nothing.
  Profile* profile = nullptr;
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

  // The compiled program, with its numbers of replicas and partitions, and its name. References are
  // valid as long as the executable.
  const Module& module() const { return *module_; }
  const std::string& name() const;
  // The shapes of the parameters and of the result, with the layouts that were requested at
  // Compile.
  const ProgramShape& program_shape() const { return *shape_; }
  // The devices that it runs on, one for each replica and partition: device r * partitions + p. In
  // a job of several processes, those of them that are in this process.
  const std::vector<std::shared_ptr<Device>>& devices() const { return devices_; }
  // The number r * partitions + p of each of devices().
  const std::vector<i64>& device_numbers() const { return numbers_; }
  // Whether a device may wait for another one, or for the host, during a run on several devices.
  bool devices_wait() const { return devices_wait_; }
  // kInterpret or kNative.
  virtual EngineKind engine() const = 0;
  // The cost and the memory of the program, computed at each call from the program alone
  // (client/analysis.h). Of native code, peak_temporary_bytes is the memory that a run takes for
  // temporary values.
  CostAnalysis cost_analysis() const;
  virtual MemoryAnalysis memory_analysis() const;

  // The report on native code: the stages of its compilation and, if CompileOptions::debug.report
  // was set, its programs. Null for the interpreter; valid as long as the executable.
  virtual const CompileReport* report() const { return nullptr; }

  // Returns the compiled program as bytes, which Client::Load reads: the program, the options that
  // it was compiled with, and the machine code of its kernels, so that it starts without compiling
  // them. The kernels are compiled once more for this. Errors: UNIMPLEMENTED for a program that
  // leaves sizes open; RESOURCE_EXHAUSTED without memory.
  StatusOr<std::string> Serialize() const;

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

  // Runs the program on buffers, on the caller's thread.
  //
  //   arguments  one buffer per parameter, on devices()[0]; the call waits for their values
  //   results    one buffer for each element of the result, if that is a tuple, else one
  //
  // Donated buffers are no longer usable once the call is accepted, whether or not the run
  // succeeds; if it fails, a use of them returns its error. A call that is refused donates nothing.
  // Errors in addition to those above: FAILED_PRECONDITION for a buffer that is deleted or donated,
  // or that must be donated while it has another user; INVALID_ARGUMENT for a buffer that is
  // donated twice or is on another device; the error of a buffer whose own run has failed.
  StatusOr<std::vector<BufferPtr>> Execute(ArraySlice<BufferPtr> arguments,
                                           const ExecuteOptions& options = {}) const;

  // Runs the program on buffers without waiting. The run is scheduled on the device's queue, which
  // executes runs one after the other in the order of the calls. Errors of the call itself are
  // returned at once; those of the run are in `done` and in each result.
  StatusOr<ExecuteResult> ExecuteAsync(ArraySlice<BufferPtr> arguments,
                                       const ExecuteOptions& options = {}) const;

  // Runs the program on all of devices() at the same time. arguments[d] and element d of the result
  // belong to devices()[d]. If a device fails, the others end soon. The error is that of the device
  // that failed first. options.device must be null. Any two runs are in the same order on all
  // devices that they share, so that neither waits for the other. In a job, each process calls this
  // for its own devices, and all call their programs in the same order; a process with one of the
  // devices may call Execute or ExecuteAsync as well. UNAVAILABLE if another process was lost.
  StatusOr<std::vector<std::vector<BufferPtr>>> ExecuteReplicated(
      ArraySlice<std::vector<BufferPtr>> arguments, const ExecuteOptions& options = {}) const;
  // The same without waiting, as ExecuteAsync. Where another device has failed first, a device's
  // status, and that of its results, is CANCELLED with the cause.
  StatusOr<std::vector<ExecuteResult>> ExecuteReplicatedAsync(
      ArraySlice<std::vector<BufferPtr>> arguments, const ExecuteOptions& options = {}) const;

 protected:
  // Everything that Serialize writes, but for what it takes from module() and program_shape().
  virtual StatusOr<ExecutableFile> Save() const = 0;
  // The constructor for the engines: `devices` must not be empty.
  Executable(std::shared_ptr<const Module> module, ProgramShape shape, RunDevices devices);
  // Runs the entry; the result is row-major. `profile`, which may be null, gets the times.
  virtual StatusOr<Literal> Run(std::span<const Argument> arguments, DeviceContext* device,
                                Limits* limits, StepProfile* profile) const = 0;
  // What the steps are that profiles of finished runs have times of.
  virtual StatusOr<std::vector<StepGroupDescription>> DescribeSteps() const = 0;

 private:
  friend class Profile;
  struct Call;    // an accepted call on one device, with its arguments and pending results
  struct Launch;  // what the calls of one run on several devices share
  StatusOr<std::shared_ptr<Call>> Accept(ArraySlice<BufferPtr> arguments, i64 device,
                                         const ExecuteOptions& options) const;
  Status CheckBuffers(ArraySlice<BufferPtr> arguments, i64 device) const;
  StatusOr<std::vector<BufferPtr>> RunOnBuffers(ArraySlice<BufferPtr> arguments,
                                                const ExecuteOptions& options) const;
  // Waits for the arguments, runs, and sets the pending results.
  Status Finish(Call& call, const Status& scheduled = {}) const;
  // Accepts the calls of one run on several devices.
  StatusOr<std::vector<std::shared_ptr<Call>>> AcceptAll(
      ArraySlice<std::vector<BufferPtr>> arguments, const ExecuteOptions& options) const;
  StatusOr<std::vector<std::shared_ptr<Call>>> AcceptEach(
      ArraySlice<std::vector<BufferPtr>> arguments, const ExecuteOptions& options,
      const std::shared_ptr<Launch>& launch) const;
  // Puts calls of one run into the queues of their devices, all at once.
  void Enqueue(std::span<const std::shared_ptr<Call>> calls) const;
  // Waits for the end of all calls. What ends the wait ends the run.
  Status AwaitAll(std::span<const std::shared_ptr<Call>> calls, Limits* limits) const;
  StatusOr<std::shared_ptr<Launch>> MakeLaunch(Limits* limits) const;
  // `launch` is that of a run on several devices, or null.
  StatusOr<Literal> RunOn(i64 device, std::span<const Argument> arguments,
                          const ExecuteOptions& options, Launch* launch) const;

  // Shared with the buffers of results, which may outlive the executable.
  std::shared_ptr<const Shape> SharedShape(const Shape& of_result) const;

  std::shared_ptr<const Module> module_;
  std::shared_ptr<const ProgramShape> shape_;
  const std::vector<std::shared_ptr<Device>> devices_;
  const std::vector<i64> numbers_;
  const i64 num_devices_;  // of all processes
  const std::shared_ptr<const RunPlacement> placement_;
  const bool devices_wait_;
  // Whether all devices took less time than it takes to wake their threads, when last seen.
  mutable std::atomic<bool> is_brief_ = false;
};

}  // namespace axle
