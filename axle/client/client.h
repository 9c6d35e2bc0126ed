// Client: compiles modules to native code and runs them, or interprets them.
//
//   AXLE_ASSIGN(auto client, Client::Create());
//   AXLE_ASSIGN(auto executable, client->Compile(computation));   // or the text of a program
//   AXLE_ASSIGN(Literal result, executable->Execute({x, y}));
//
// Clients are thread-safe, and so are executables and buffers, which may outlive their client. A
// client prints nothing and installs no signal handler. docs/client.md says what happens at a fork,
// with signals, and with memory that is shared with the host.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "axle/client/buffer.h"
#include "axle/client/device.h"
#include "axle/client/executable.h"
#include "axle/core/executor.h"
#include "axle/core/limits.h"
#include "axle/distributed/transport.h"
#include "axle/runtime/debug_options.h"
#include "axle/runtime/host_device_options.h"
#include "axle/runtime/native_isa.h"

namespace axle {

class Job;               // client/job.h
struct CustomCallFrame;  // runtime/custom_call_registry.h
class NativeEngine;      // runtime/native_engine.h
struct RunDevices;       // client/run_devices.h
struct SavedKernels;     // runtime/saved_kernels.h
class XlaComputation;    // builder/xla_builder.h

// kStrict: the same bits on every machine and engine (docs/numerics.md). kFast allows native code
// to round less often, to sum in other orders and to multiply by reciprocals, as docs/numerics.md
// lists; the interpreter gives the same bits for both.
enum class Numerics : std::uint8_t { kStrict, kFast };

enum class LogLevel : std::uint8_t { kInfo };

// The most devices that a client has, and the most threads that work for it.
inline constexpr int kMaxClientDevices = 1024;
inline constexpr int kMaxClientThreads = 1024;

struct ClientOptions {
  // Path of the library of the native engine; an error if it cannot be loaded. If this is "", the
  // engine that is linked into the program is used, else the path in AXLE_CODEGEN_LIBRARY, which
  // must load as well, else libaxle_codegen.so in the folder of libaxle.so.
  std::string codegen_library = {};
  i64 num_devices = 1;  // 1 to kMaxClientDevices; each of them is this machine's processor
  // Where asynchronous executions run, if the client has one device. Several devices have a thread
  // of the client's own each, since a run on one may wait for the others. Null stands for
  // num_threads threads of the client's own, which start when they are needed; if num_threads is 0,
  // there are AXLE_NUM_THREADS of them, or one per processor. At most as many threads share the
  // work of a large kernel. An exception of Schedule becomes the status of the execution, INTERNAL.
  // The client, its buffers and executables share the executor. It is never destroyed in one of the
  // tasks that they gave it, so its destructor may wait for its threads.
  std::shared_ptr<Executor> executor = nullptr;
  int num_threads = 0;
  // The number of bytes that all buffers of the client may take together, and that the values of
  // each run may take in addition to the buffers.
  i64 memory_cap = std::numeric_limits<i64>::max();
  // Options of each device: its infeed, outfeed and channels.
  HostDeviceOptions device = {};
  // Receives log messages, at present one for each compilation. It is called from any thread,
  // possibly from several at a time. Without it nothing is logged. If it throws, the compilation is
  // INTERNAL.
  std::function<void(LogLevel level, std::string_view message)> log = {};
  // Makes this process one of a job, whose processes run programs together (client/job.h). Create
  // then waits until all have come. What is left empty is taken from the environment of launchers.
  std::optional<TransportOptions> distributed = {};
};

struct CompileOptions {
  // The default is native code, or the interpreter where the library of native code cannot be
  // loaded, as in a program that links libaxle.a. Executable::engine() returns the choice.
  EngineKind engine = EngineKind::kDefault;
  Numerics numerics = Numerics::kStrict;
  NativeIsa isa = NativeIsa::kAuto;
  int codegen_level = 1;  // effort: 0 least, 2 most, 1 as each kernel is worth; changes no bits
  // The layouts that most arguments will have, one shape per parameter, or none; and the layout of
  // the result. They change no value. UNIMPLEMENTED if they are tiled.
  std::vector<Shape> argument_layouts = {};
  std::optional<Shape> result_layout = {};
  // The shapes of the arguments, one per parameter, of a program that leaves sizes open, f32[?]. It
  // is compiled for these shapes. Other programs need none.
  std::vector<Shape> argument_shapes = {};
  // The number of devices that run the program together; 0 means the number in the module.
  i64 replicas = 0;
  i64 partitions = 0;
  // Their ordinals, each another one: devices[r * partitions + p] runs replica r of partition p.
  // Empty means the first devices of the client. In a job, these are the numbers of the devices of
  // all processes (client/job.h), and at least one of them is in this process.
  std::vector<i64> devices = {};
  // The device whose registry must have the functions that custom calls name; null stands for that
  // of the client.
  const DeviceContext* device = nullptr;
  // Limits on the time and memory of the compilation, its cancellation and progress; null means no
  // limits.
  Limits* limits = nullptr;
  // For tests: compiles a program whose constants have lost their elements, constant({...}), with a
  // counting pattern in their place. If this is false, such a program is INVALID_ARGUMENT.
  bool allow_elided = false;
  // Options of native code for tests and tools: a report, its text, other code paths that give the
  // same bits.
  DebugOptions debug = {};
};

class Client {
 public:
  // Errors: INVALID_ARGUMENT for numbers out of range; UNIMPLEMENTED on a processor without AVX2,
  // FMA or BMI; those of ConnectTransport for options.distributed.
  static StatusOr<std::unique_ptr<Client>> Create(const ClientOptions& options = {});
  ~Client();

  // Compiles the result of XlaBuilder::Build. Errors as below; INVALID_ARGUMENT for an empty
  // computation.
  StatusOr<std::shared_ptr<Executable>> Compile(const XlaComputation& computation,
                                                const CompileOptions& options = {});
  // Compiles `module`, which must be verified, as Parse and the builder return it. Errors:
  // UNIMPLEMENTED if the engine cannot run it (yet), with the name of the op; NOT_FOUND if it calls
  // a function that is not registered; UNAVAILABLE if kNative is requested and cannot be loaded;
  // INVALID_ARGUMENT for options that make no sense, such as more devices than there are, for a
  // program that was printed without its large constants, and for a program whose sizes are open
  // and do not follow from argument_shapes.
  StatusOr<std::shared_ptr<Executable>> Compile(std::shared_ptr<const Module> module,
                                                const CompileOptions& options = {});
  // Compiles the bytes of any format that client/load.h reads, with its errors in addition.
  StatusOr<std::shared_ptr<Executable>> Compile(std::string_view bytes,
                                                const CompileOptions& options = {});

  // Loads a program that Executable::Serialize has written, with the options that it was compiled
  // with; `options` says for which device, and has its limits. Kernels whose machine code is in the
  // bytes are not compiled, if the same build of Axle wrote them and this processor has the
  // instruction set that they are for; otherwise they are compiled as at first. The bits are the
  // same. The bytes may contain code: only those of a trusted source must be loaded. Errors: those
  // of Compile; INVALID_ARGUMENT for other bytes; DATA_LOSS for damaged ones; UNIMPLEMENTED for a
  // newer format.
  StatusOr<std::shared_ptr<Executable>> Load(std::string_view bytes,
                                             const CompileOptions& options = {});

  // The devices by ordinal. Their number is that of the options, and they stay the same for the
  // life of the client.
  const std::vector<std::shared_ptr<Device>>& devices() const { return devices_; }
  // The queues and channels of the first device, on which executables run unless CompileOptions
  // name another one.
  HostDevice& device() { return devices_[0]->host(); }

  // The processes that this one runs programs with; null without options.distributed.
  const std::shared_ptr<Job>& job() const { return job_; }
  // Connects with the other processes again, all of which call this, after a run has failed with
  // UNAVAILABLE. Executables and buffers stay as they are. Errors: those of ConnectTransport;
  // FAILED_PRECONDITION without a job.
  Status Reconnect(Limits* limits = nullptr);

  // Makes a buffer of the literal on a device; it is not copied if it owns its storage. Errors,
  // here and below: INVALID_ARGUMENT if there is no such device; RESOURCE_EXHAUSTED without memory,
  // or beyond the client's cap.
  StatusOr<BufferPtr> BufferFromLiteral(Literal literal, i64 device_ordinal = 0);
  // Makes a buffer of an array in host memory, of any strides; client/host_array.h says which
  // arrays are accepted. If the array is not copied, which is_zero_copy returns, the memory must
  // stay valid as long as the buffer, the executions that use it and views of it. `released` is
  // called when the memory may be freed, from any thread; for a copy, before the call returns. An
  // exception of `released` makes the call INTERNAL, or is dropped if it comes later.
  //
  //   AXLE_ASSIGN(BufferPtr x, client->BufferFromHost(data, ShapeUtil::MakeShape(F32, {2, 3})));
  StatusOr<BufferPtr> BufferFromHost(const void* data, const Shape& shape,
                                     ArraySlice<i64> byte_strides = {},
                                     HostBufferSemantics semantics = HostBufferSemantics::kCopy,
                                     i64 device_ordinal = 0,
                                     std::function<void()> released = nullptr,
                                     bool* is_zero_copy = nullptr);

  // Makes `function` the target of custom calls of this name, api_version API_VERSION_ORIGINAL:
  //
  //   void AddOne(void* out, void** in);
  //   AXLE_TRY(client->RegisterCustomCall("add_one", AddOne));
  //
  // runtime/custom_call_registry.h says what arguments the function receives;
  // device().custom_calls() registers the other kinds of functions. Errors: ALREADY_EXISTS if the
  // name is taken. A target cannot be unregistered.
  Status RegisterCustomCall(std::string_view name,
                            std::function<void(void* out, const void** in)> function);
  Status RegisterCustomCall(std::string_view name, void (*function)(void* out, void** in));
  // The same for api_version API_VERSION_TYPED_FFI.
  Status RegisterTypedCustomCall(std::string_view name,
                                 std::function<Status(const CustomCallFrame& frame)> function);

  // Puts an array, or the elements of a tuple of arrays, into the infeed queue. It waits while the
  // queue is full, until the limits say CANCELLED or DEADLINE_EXCEEDED. The infeed ops of a program
  // take the arrays in the order in which they were put in, and wait for them. Errors, here and
  // below: INVALID_ARGUMENT for other shapes or if there is no such device; RESOURCE_EXHAUSTED for
  // more bytes than the queue ever holds.
  Status TransferToInfeed(const Literal& value, Limits* limits = nullptr, i64 device_ordinal = 0);
  // Takes the next array, or for a tuple the next arrays, that a program has put into the outfeed
  // queue, and waits for them. INVALID_ARGUMENT if they are not of this shape; they then stay in
  // the queue.
  StatusOr<Literal> TransferFromOutfeed(const Shape& shape, Limits* limits = nullptr,
                                        i64 device_ordinal = 0);

  // Returns the number of bytes that the live buffers of the client take.
  i64 live_buffer_bytes() const;

 private:
  struct NativeLibrary;
  explicit Client(ClientOptions options);
  // Create, for a processor that has the features the library needs.
  static StatusOr<std::unique_ptr<Client>> CreateHere(const ClientOptions& options);
  StatusOr<std::shared_ptr<Device>> DeviceAt(i64 ordinal, std::string_view what) const;
  StatusOr<RunDevices> DevicesFor(const Module& module, const CompileOptions& options) const;
  // Compile, with kernels that need not be compiled, or null.
  StatusOr<std::shared_ptr<Executable>> CompileWith(std::shared_ptr<const Module> module,
                                                    const CompileOptions& options,
                                                    const SavedKernels* saved);
  // Null for the interpreter.
  StatusOr<NativeEngine*> EngineFor(EngineKind kind, bool code) const;
  // Logs a message. INTERNAL if the log throws.
  Status Log(LogLevel level, const std::function<std::string()>& message) const;

  ClientOptions options_;
  int num_threads_;  // the threads that share the work of a large kernel
  std::shared_ptr<MemoryBudget> memory_;
  std::vector<std::shared_ptr<Device>> devices_;
  std::shared_ptr<Job> job_;
  std::shared_ptr<NativeLibrary> native_;  // loaded when it is first needed
};

}  // namespace axle
