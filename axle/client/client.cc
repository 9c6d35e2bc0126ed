#include "axle/client/client.h"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <span>
#include <vector>

#include "axle/builder/xla_builder.h"
#include "axle/client/buffer_storage.h"
#include "axle/client/executable_file.h"
#include "axle/client/host_array.h"
#include "axle/client/interpreted_executable.h"
#include "axle/client/job.h"
#include "axle/client/launcher.h"
#include "axle/client/load.h"
#include "axle/client/memory_budget.h"
#include "axle/client/run_devices.h"
#include "axle/core/callback.h"
#include "axle/core/float_environment.h"
#include "axle/core/literal_layouts.h"
#include "axle/core/memory_room.h"
#include "axle/core/storage.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/ops/custom_call_builtins.h"
#include "axle/ops/op_def.h"
#include "axle/ops/open_sizes.h"
#include "axle/passes/spmd/partition.h"
#include "axle/passes/transfer_order.h"
#include "axle/runtime/host_device.h"
#include "axle/runtime/linked_engine.h"
#include "axle/runtime/native_engine.h"
#include "axle/runtime/serial_queue.h"
#include "axle/runtime/thread_pool.h"

// There is one in each copy of this library in a process; Load below compares their addresses.
extern "C" {
extern const char axle_copy;
const char axle_copy = 0;
}

namespace axle {
namespace {

Status Unavailable(std::string message) {
  return {StatusCode::kUnavailable, std::move(message)};
}

// Returns the path in the options or the environment; "" if neither has one.
std::string NamedCodegenLibrary(const ClientOptions& options) {
  if (!options.codegen_library.empty()) return options.codegen_library;
  const char* path = std::getenv("AXLE_CODEGEN_LIBRARY");
  return path == nullptr ? "" : path;
}

// Returns the number of threads in the options or the environment; 0 if neither has one.
StatusOr<int> WantedThreads(const ClientOptions& options) {
  if (options.num_threads < 0 || options.num_threads > kMaxClientThreads) {
    return InvalidArgument(StrCat("client: num_threads is ", options.num_threads, ", must be 0 to ",
                                  kMaxClientThreads));
  }
  const char* text = std::getenv("AXLE_NUM_THREADS");
  if (options.num_threads > 0 || text == nullptr || *text == '\0') return options.num_threads;
  int threads = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, threads);
  if (error == std::errc() && rest == end && threads >= 1 && threads <= kMaxClientThreads)
    return threads;
  return InvalidArgument(StrCat("client: the environment variable AXLE_NUM_THREADS is \"",
                                PrintableText(text), "\", must be a number from 1 to ",
                                kMaxClientThreads));
}

// Returns a path in the folder of the library that contains this code, if the loader knows that
// folder.
std::string DefaultCodegenLibrary() {
  constexpr std::string_view kName = "libaxle_codegen.so";
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&DefaultCodegenLibrary), &info) != 0 &&
      info.dli_fname != nullptr) {
    const std::string_view self = info.dli_fname;
    const size_t slash = self.rfind('/');
    if (slash != self.npos) return StrCat(self.substr(0, slash + 1), kName);
  }
  return std::string(kName);
}

// A callback that receives texts from the threads that compile. Its first exception is kept, and it
// is not called again.
class TextCallback {
 public:
  using Function = std::function<void(std::string_view text)>;
  TextCallback(std::string_view name, const Function& function)
      : name_(name), function_(function) {}
  // Returns an empty function if the callback of the user is empty.
  Function function() {
    if (!function_) return {};
    return [this](std::string_view text) {
      const std::lock_guard lock(mutex_);
      if (status_.ok()) status_ = CallUser(name_, [&] { function_(text); });
    };
  }
  const Status& status() const { return status_; }  // read when all threads are done

 private:
  std::string_view name_;
  const Function& function_;
  std::mutex mutex_;
  Status status_;
};

class CompiledExecutable : public Executable {
 public:
  CompiledExecutable(std::shared_ptr<const Module> module, ProgramShape shape, RunDevices devices,
                     std::shared_ptr<const void> library, NativeEngine* engine,
                     const NativeOptions& options, std::unique_ptr<NativeExecutable> code)
      : Executable(std::move(module), std::move(shape), std::move(devices)),
        library_(std::move(library)),
        engine_(engine),
        options_{.isa = options.isa,
                 .codegen_level = options.codegen_level,
                 .num_threads = options.num_threads,
                 .fast = options.fast},
        code_(std::move(code)) {}

  EngineKind engine() const override { return EngineKind::kNative; }
  const CompileReport* report() const override { return &code_->report(); }
  MemoryAnalysis memory_analysis() const override {
    MemoryAnalysis memory = Executable::memory_analysis();
    memory.peak_temporary_bytes = code_->temporary_bytes();
    return memory;
  }

 private:
  StatusOr<ExecutableFile> Save() const override {
    ExecutableFile file;
    file.options.engine = EngineKind::kNative;
    file.options.numerics = options_.fast ? Numerics::kFast : Numerics::kStrict;
    file.options.isa = options_.isa;
    file.options.codegen_level = options_.codegen_level;
    file.build_id = engine_->build_id();
    if (file.build_id.empty()) return file;
    const ScopedFloatEnvironment float_environment;
    AXLE_ASSIGN(file.kernels, engine_->SaveKernels(module(), options_));
    return file;
  }

  StatusOr<Literal> Run(std::span<const Argument> arguments, DeviceContext* device, Limits* limits,
                        StepProfile* profile) const override {
    const ScopedFloatEnvironment float_environment;
    const StorageScope storage(limits);
    try {
      AXLE_TRY(CheckArguments(*module().entry(), arguments));
      const auto has_layout = [](const Argument& argument) {
        return HasLayout(argument.value->shape());
      };
      if (std::ranges::none_of(arguments, has_layout)) {
        return code_->Execute(arguments, device, limits, profile);
      }
      std::vector<Literal> values;  // copies of the arguments that had to change
      values.reserve(arguments.size());
      std::vector<Argument> row_major(arguments.begin(), arguments.end());
      for (Argument& argument : row_major) {
        if (!has_layout(argument)) continue;
        Literal& value = values.emplace_back(argument.value->ToRowMajor());
        if (argument.own != nullptr) *argument.own = Literal();
        argument = {&value, &value};
      }
      return code_->Execute(row_major, device, limits, profile);
    } catch (const std::bad_alloc&) {
      return ResourceExhausted("execute: no memory for native code");
    }
  }

  StatusOr<std::vector<StepGroupDescription>> DescribeSteps() const override {
    const ScopedFloatEnvironment float_environment;  // constants are folded
    return code_->DescribeSteps();
  }

  std::shared_ptr<const void> library_;  // keeps the engine loaded that made the code
  NativeEngine* engine_;
  const NativeOptions options_;  // without limits and callbacks
  std::unique_ptr<NativeExecutable> code_;
};

// Checks a layout that the options request for a value of this shape.
Status CheckWantedLayout(const Shape& wanted, const Shape& shape, std::string_view what) {
  AXLE_TRY(CheckShape(wanted));
  Status status;
  ForEachLeaf(wanted, [&](const Shape& leaf, const Dims&) {
    if (!status.ok() || leaf.layout() == nullptr || leaf.layout()->tiles.empty()) return;
    status = Unimplemented(StrCat("compile: arguments and results have no tiles; ", what, " is ",
                                  leaf.ToStringWithLayout()));
  });
  AXLE_TRY(status);
  if (Compatible(wanted, shape)) return {};
  return InvalidArgument(StrCat("compile: the layout of ", what, " is for ", wanted.ToString(),
                                ", but the program has ", shape.ToString()));
}

// Puts the layouts of the options into the shapes of the entry. Without them, literals and buffers
// are row-major.
StatusOr<ProgramShape> WantedShape(const Module& module, const CompileOptions& options) {
  ProgramShape shape;
  for (const Instruction* parameter : module.entry()->parameters()) {
    shape.parameters.push_back(parameter->shape().WithoutLayout());
  }
  shape.result = module.entry()->root()->shape().WithoutLayout();
  if (!options.argument_layouts.empty()) {
    if (options.argument_layouts.size() != shape.parameters.size()) {
      return InvalidArgument(StrCat("compile: ", options.argument_layouts.size(),
                                    " argument layouts for ", shape.parameters.size(),
                                    " parameters"));
    }
    for (size_t i = 0; i < shape.parameters.size(); ++i) {
      AXLE_TRY(CheckWantedLayout(options.argument_layouts[i], shape.parameters[i],
                                 StrCat("parameter ", i)));
    }
    shape.parameters = options.argument_layouts;
  }
  if (options.result_layout) {
    AXLE_TRY(CheckWantedLayout(*options.result_layout, shape.result, "the result"));
    shape.result = *options.result_layout;
  }
  return shape;
}

// The memory that passes and schedules of native code take per instruction, in addition to the
// values of constants and the memory of LLVM: a little more than the most that programs of hostile
// shapes took.
constexpr i64 kBytesPerInstruction = 3 << 10;

struct ReleaseAtEnd {
  Limits* limits;
  i64 bytes;
  ~ReleaseAtEnd() {
    if (limits != nullptr) limits->Release(bytes);
  }
};

// Returns the module with the numbers of devices that the options request; a copy if they differ.
std::shared_ptr<const Module> WithDevices(std::shared_ptr<const Module> module,
                                          const CompileOptions& options) {
  const ModuleConfig& config = module->config();
  const i64 replicas = options.replicas == 0 ? config.replica_count : options.replicas;
  const i64 partitions = options.partitions == 0 ? config.num_partitions : options.partitions;
  if (replicas == config.replica_count && partitions == config.num_partitions) return module;
  std::unique_ptr<Module> copy = module->Clone();
  copy->config().replica_count = replicas;
  copy->config().num_partitions = partitions;
  return copy;
}

}  // namespace

// An upper bound of the memory that libaxle_codegen.so needs to initialise itself when it is
// loaded. Parts of its initialisation end the process when they get no memory.
static constexpr i64 kLoadBytes = i64{4} << 20;

// Returns whether the message of the loader says that it got no memory.
static bool IsAboutMemory(std::string_view why) {
  return why.find("failed to map") != why.npos || why.find("annot allocate") != why.npos;
}

struct Client::NativeLibrary {
  std::mutex mutex;
  std::unique_ptr<NativeEngine> engine;  // null until it is loaded
  Status missing;  // why it is missing, for callers that can continue without it

  StatusOr<NativeEngine*> Load(const std::string& path) {
    const std::lock_guard lock(mutex);
    return LoadLocked(path);
  }
  // Returns the engine, or null with the reason in `missing`; tries once. RESOURCE_EXHAUSTED
  // without memory to load it.
  StatusOr<NativeEngine*> LoadIfThere(const std::string& path) {
    const std::lock_guard lock(mutex);
    if (!missing.ok()) return nullptr;
    StatusOr<NativeEngine*> loaded = LoadLocked(path);
    if (loaded.ok() || loaded.status().code() == StatusCode::kResourceExhausted) return loaded;
    missing = loaded.status();
    return nullptr;
  }

  // The engine that is linked into the program.
  StatusOr<NativeEngine*> UseLinked(NativeEngineFactory create) {
    const std::lock_guard lock(mutex);
    if (engine == nullptr) engine.reset(create(kNativeEngineVersion));
    if (engine == nullptr) {
      return Unavailable("compile: libaxle_native.a and libaxle.a have different versions");
    }
    return engine.get();
  }

  // The library is never unloaded, since its code and type information may still be in use.
  StatusOr<NativeEngine*> LoadLocked(const std::string& path) {
    if (engine != nullptr) return engine.get();
    if (!HasRoomFor(kLoadBytes)) {
      return ResourceExhausted(StrCat("compile: no memory to load the native engine, which needs ",
                                      kLoadBytes, " bytes"));
    }
    void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const std::string why = dlerror();
      if (IsAboutMemory(why)) {
        return ResourceExhausted(StrCat("compile: no memory to load the native engine: ", why));
      }
      return Unavailable(StrCat("compile: the native engine was not found: ", why));
    }
    auto* create =
        reinterpret_cast<decltype(&axle_codegen_create)>(dlsym(handle, "axle_codegen_create"));
    if (create == nullptr) {
      return Unavailable(StrCat("compile: ", path, " is not a native engine of axle"));
    }
    // The engine uses the tables of the libaxle.so that it is linked to. A program that contains
    // libaxle.a has tables of its own.
    if (dlsym(handle, "axle_copy") != &axle_copy) {
      return Unavailable(
          StrCat("compile: ", path, " belongs to another copy of axle than this program"));
    }
    engine.reset(create(kNativeEngineVersion));
    if (engine == nullptr) {
      return Unavailable(StrCat("compile: ", path, " is of another version of axle"));
    }
    return engine.get();
  }
};

Client::Client(ClientOptions options)
    : options_(std::move(options)),
      num_threads_(options_.num_threads > 0 ? options_.num_threads : AvailableProcessors()),
      memory_(std::make_shared<MemoryBudget>(options_.memory_cap)),
      native_(std::make_shared<NativeLibrary>()) {
  if (options_.executor == nullptr) {
    options_.executor = std::make_shared<ThreadPool>(
        std::max(num_threads_, static_cast<int>(options_.num_devices)));
  } else {
    options_.executor = ReleasedOutsideTasks(std::move(options_.executor));
  }
  HostDeviceOptions device = options_.device;
  if (device.custom_calls == nullptr) device.custom_calls = std::make_shared<CustomCallRegistry>();
  if (device.hub == nullptr) {
    device.hub = std::make_shared<TransferHub>(device.queue_capacity, device.max_buffers);
  }
  const auto launcher = std::make_shared<Launcher>(static_cast<int>(options_.num_devices));
  std::shared_ptr<Executor> executor = options_.executor;
  if (options_.num_devices > 1) executor = {launcher, &launcher->threads};
  for (i64 d = 0; d < options_.num_devices; ++d) {
    devices_.push_back(std::make_shared<Device>(d, device, executor, memory_, launcher));
  }
}
Client::~Client() = default;

StatusOr<std::unique_ptr<Client>> Client::CreateHere(const ClientOptions& options) {
  if (options.num_devices < 1 || options.num_devices > kMaxClientDevices) {
    return InvalidArgument(StrCat("client: num_devices is ", options.num_devices, ", must be 1 to ",
                                  kMaxClientDevices));
  }
  if (options.memory_cap < 0) {
    return InvalidArgument(StrCat("client: memory_cap is ", options.memory_cap, ", must be >= 0"));
  }
  ClientOptions wanted = options;
  AXLE_ASSIGN(wanted.num_threads, WantedThreads(options));
  std::unique_ptr<Client> client(new Client(std::move(wanted)));
  if (options.distributed) {
    AXLE_ASSIGN(client->job_, Job::Connect(*options.distributed, options.num_devices, nullptr));
  }
  return client;
}

Status Client::Log(LogLevel level, const std::function<std::string()>& message) const {
  if (!options_.log) return {};
  const std::string text = message();
  return CallUser("log", [&] { options_.log(level, text); });
}

static constexpr std::string_view kWithoutLlvm =
    "compile: the native engine was built without LLVM";

StatusOr<NativeEngine*> Client::EngineFor(EngineKind kind, bool code) const {
  if (kind == EngineKind::kInterpret) return nullptr;
  if (const NativeEngineFactory linked = LinkedNativeEngine();
      linked != nullptr && options_.codegen_library.empty()) {
    return native_->UseLinked(linked);
  }
  // An engine that is named explicitly must be loaded; there is no fallback.
  const std::string named = NamedCodegenLibrary(options_);
  const bool may_lack = kind != EngineKind::kNative && named.empty();
  AXLE_ASSIGN(NativeEngine * engine,
              may_lack ? native_->LoadIfThere(DefaultCodegenLibrary())
                       : native_->Load(named.empty() ? DefaultCodegenLibrary() : named));
  if (engine == nullptr || engine->makes_code() || !code) return engine;
  if (may_lack) return nullptr;
  return Unavailable(std::string(kWithoutLlvm));
}

StatusOr<std::shared_ptr<Executable>> Client::Compile(const XlaComputation& computation,
                                                      const CompileOptions& options) {
  if (!computation.valid()) return InvalidArgument("compile: the computation is empty");
  return Compile(computation.shared_module(), options);
}

StatusOr<std::shared_ptr<Executable>> Client::Compile(std::shared_ptr<const Module> module,
                                                      const CompileOptions& options) {
  return CompileWith(std::move(module), options, nullptr);
}

StatusOr<std::shared_ptr<Executable>> Client::CompileWith(std::shared_ptr<const Module> module,
                                                          const CompileOptions& options,
                                                          const SavedKernels* saved) try {
  if (module == nullptr) return InvalidArgument("compile: the module is null");
  module = WithDevices(std::move(module), options);
  const LimitedCall call(options.limits, "the compilation of", module->name());
  AXLE_TRY(VerifyModule(*module));
  if (!options.argument_shapes.empty()) {
    AXLE_ASSIGN(module, ForArgumentShapes(*module, options.argument_shapes));
  }
  if (!options.allow_elided) AXLE_TRY(CheckNothingIsElided(*module));
  if (module->config().num_partitions > 1) {
    PassContext context = {.limits = options.limits};
    AXLE_ASSIGN(module, GatherShardings(*module, context));
    AXLE_TRY(VerifyModule(*module));
  }
  AXLE_TRY(CheckRuns(*module));
  AXLE_ASSIGN(ProgramShape shape, WantedShape(*module, options));
  AXLE_ASSIGN(RunDevices devices, DevicesFor(*module, options));
  // A device that the caller passes knows the other devices of its run, so that the numbers in the
  // module are not checked.
  if (options.device == nullptr) AXLE_TRY(CheckDevices(*module));
  AXLE_ASSIGN(std::unique_ptr<Module> ordered,
              OrderTransfers(*module, devices.num_devices == 1 && options.device == nullptr));
  if (ordered != nullptr) module = std::move(ordered);
  // In a hub that the user owns, other devices may send.
  HostDevice& host = devices.local[0]->host();
  if (options_.device.hub == nullptr) host.AddSenders(SentChannels(*module));
  AXLE_TRY(CheckCustomCallTargets(
      *module, options.device != nullptr ? *options.device : static_cast<DeviceContext&>(host)));
  if (options.codegen_level < 0 || options.codegen_level > 2) {
    return InvalidArgument(
        StrCat("compile: codegen level is ", options.codegen_level, ", must be 0, 1 or 2"));
  }
  AXLE_ASSIGN(NativeEngine * engine, EngineFor(options.engine, options.debug.code));
  AXLE_TRY(Log(LogLevel::kInfo, [&] {
    return StrCat(
        "compile: \"", module->name(), "\", ", module->num_instructions(),
        " instructions, for the ", engine == nullptr ? "interpreter" : "native engine",
        engine == nullptr && options.engine == EngineKind::kDefault
            ? StrCat("; ", native_->missing.ok() ? kWithoutLlvm : native_->missing.message())
            : "");
  }));
  if (engine == nullptr) {
    return MakeInterpreted(std::move(module), std::move(shape), std::move(devices));
  }
  const ScopedFloatEnvironment float_environment;  // constants are folded here
  const StorageScope storage(options.limits);
  const i64 work = kBytesPerInstruction * module->num_instructions();
  if (options.limits != nullptr) AXLE_TRY(options.limits->Reserve(work));
  const ReleaseAtEnd release{options.limits, work};
  DebugOptions debug = options.debug;
  // They refer to the caller's functions, not to those of `debug`, which they replace.
  TextCallback on_llvm("on_llvm", options.debug.on_llvm);
  TextCallback on_assembly("on_assembly", options.debug.on_assembly);
  debug.on_llvm = on_llvm.function();
  debug.on_assembly = on_assembly.function();
  const auto num_devices = static_cast<int>(devices.local.size());
  const NativeOptions native = {.isa = options.isa,
                                .codegen_level = options.codegen_level,
                                .num_threads = std::max(1, num_threads_ / num_devices),
                                .num_devices = num_devices,
                                .device_numbers = devices.numbers,
                                .limits = options.limits,
                                .fast = options.numerics == Numerics::kFast,
                                .saved = saved,
                                .debug = std::move(debug)};
  AXLE_ASSIGN(std::unique_ptr<NativeExecutable> code, engine->Compile(*module, native));
  AXLE_TRY(on_llvm.status());
  AXLE_TRY(on_assembly.status());
  if (options.limits != nullptr) AXLE_TRY(options.limits->CheckNow());
  return std::shared_ptr<Executable>(
      std::make_shared<CompiledExecutable>(std::move(module), std::move(shape), std::move(devices),
                                           native_, engine, native, std::move(code)));
} catch (const std::bad_alloc&) {
  return ResourceExhausted("compile: out of memory");
} catch (const std::exception& exception) {
  return Internal(StrCat("compile: exception: ", exception.what()));
} catch (...) {
  return Internal("compile: an exception that is not a std::exception");
}

StatusOr<std::shared_ptr<Executable>> Client::Compile(std::string_view bytes,
                                                      const CompileOptions& options) {
  const LimitedCall call(options.limits, "reading and compiling the program");
  AXLE_ASSIGN(std::unique_ptr<Module> module, LoadModule(bytes, {.limits = options.limits}));
  return Compile(std::shared_ptr<const Module>(std::move(module)), options);
}

StatusOr<BufferPtr> Client::BufferFromLiteral(Literal literal, i64 device_ordinal) {
  AXLE_ASSIGN(std::shared_ptr<Device> device, DeviceAt(device_ordinal, "buffer from literal"));
  try {
    literal.OwnStorage();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted(
        StrCat("buffer from literal: no memory for a copy of ", literal.shape().ToString()));
  }
  return Buffer::Create(std::move(device), std::move(literal));
}

StatusOr<BufferPtr> Client::BufferFromHost(const void* data, const Shape& shape,
                                           ArraySlice<i64> byte_strides,
                                           HostBufferSemantics semantics, i64 device_ordinal,
                                           std::function<void()> released, bool* is_zero_copy) {
  AXLE_ASSIGN(std::shared_ptr<Device> device, DeviceAt(device_ordinal, "buffer from host"));
  // Where a byte may have bits that its type lacks, all elements are checked once, here.
  const bool may_spoil = shape.type() == PRED || IsSubByte(shape.type());
  const bool copy = semantics == HostBufferSemantics::kCopy ||
                    (semantics == HostBufferSemantics::kMutableZeroCopy && may_spoil);
  AXLE_ASSIGN(Literal literal,
              LiteralFromHost(shape, data, byte_strides, copy ? HostRead::kCopy : HostRead::kView));
  const bool is_view = literal.is_view();
  AXLE_ASSIGN(BufferPtr buffer, Buffer::Create(std::move(device), std::move(literal)));
  if (is_view) {
    buffer->storage()->on_release = std::move(released);
  } else if (released) {
    AXLE_TRY(CallUser("released", released));
  }
  if (is_zero_copy != nullptr) *is_zero_copy = is_view;
  return buffer;
}

Status Client::TransferToInfeed(const Literal& value, Limits* limits, i64 device_ordinal) {
  const LimitedCall call(limits, "the wait for the infeed");
  AXLE_ASSIGN(const std::shared_ptr<Device> device, DeviceAt(device_ordinal, "infeed"));
  return device->host().TransferToInfeed(value, limits);
}

StatusOr<Literal> Client::TransferFromOutfeed(const Shape& shape, Limits* limits,
                                              i64 device_ordinal) {
  const LimitedCall call(limits, "the wait for the outfeed");
  AXLE_ASSIGN(const std::shared_ptr<Device> device, DeviceAt(device_ordinal, "outfeed"));
  return device->host().TransferFromOutfeed(shape, limits);
}

i64 Client::live_buffer_bytes() const {
  return memory_->live();
}

Status Client::RegisterCustomCall(std::string_view name,
                                  std::function<void(void* out, const void** in)> function) {
  return device().custom_calls().Register(name, std::move(function));
}

Status Client::RegisterCustomCall(std::string_view name, void (*function)(void* out, void** in)) {
  return device().custom_calls().Register(name, function);
}

Status Client::RegisterTypedCustomCall(std::string_view name,
                                       CustomCallRegistry::TypedFunction function) {
  return device().custom_calls().RegisterTyped(name, std::move(function));
}

}  // namespace axle
