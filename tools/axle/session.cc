#include "tools/axle/session.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#include "axle/client/executable_file.h"
#include "axle/client/job.h"
#include "axle/core/file.h"
#include "axle/core/strings.h"
#include "axle/distributed/environment.h"
#include "axle/ops/op_def.h"
#include "tools/axle/progress.h"

namespace axle::tool {
namespace {

std::atomic<Limits*> current_limits = nullptr;
std::atomic<bool> interrupted = false;
std::atomic<bool> has_grace = true;
std::atomic<int> output_error = 0;  // errno of the first write to stdout that failed

// What looks at its limits ends long before.
constexpr unsigned kGraceSeconds = 2;

void OnSignal(int) {
  if (interrupted.exchange(true)) _exit(kLimit);
  if (Limits* limits = current_limits.load(); limits != nullptr) limits->Cancel();
  if (has_grace) alarm(kGraceSeconds);
}

void OnAlarm(int) {
  constexpr std::string_view kText = "CANCELLED: interrupted\n";
  (void)!write(STDERR_FILENO, kText.data(), kText.size());
  _exit(kLimit);
}

// One for all sessions that want as many threads and devices.
StatusOr<Client*> SharedClient(int num_threads, i64 num_devices = 1) {
  static auto* const clients = new std::map<std::pair<int, i64>, std::unique_ptr<Client>>();
  std::unique_ptr<Client>& client = (*clients)[{num_threads, num_devices}];
  if (client == nullptr) {
    AXLE_ASSIGN(client, Client::Create({.num_devices = num_devices, .num_threads = num_threads}));
  }
  return client.get();
}

bool IsModuleName(const std::string& path) {
  const auto ends = [&](std::string_view suffix) { return path.ends_with(suffix); };
  return ends(".hlo") || ends(".hlo.txt") || ends(".hlo.gz") || ends(".hlo.txt.gz") ||
         ends(".hlo.zst") || ends(".hlo.txt.zst");
}

bool WriteAll(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

}  // namespace

ExitCode Session::ExitCodeOf(const Status& status) const {
  switch (status.code()) {
    case StatusCode::kOk:
      return kYes;
    case StatusCode::kCancelled:
    case StatusCode::kDeadlineExceeded:
    case StatusCode::kResourceExhausted:
      return kLimit;
    case StatusCode::kUnimplemented:
    case StatusCode::kUnavailable:
      return kUnsupported;
    case StatusCode::kFailedPrecondition:  // of verification, or something this machine lacks
      return is_loaded_ ? kUnsupported : kInvalid;
    case StatusCode::kInternal:  // a program that the verifier refuses, or a broken invariant of
                                 // ours
      return IsBug(status) ? kBug : kInvalid;
    case StatusCode::kUnknown:
      return kBug;
    default:
      return kInvalid;
  }
}

Session::Session(Options options, std::string* collected, std::string* data)
    : options_(std::move(options)),
      collected_(collected),
      data_(data),
      call_(&limits_, "the command"),
      begin_(std::chrono::steady_clock::now()) {
  if (options_.time_limit > 0) limits_.set_time_limit(options_.time_limit);
  if (options_.mem_limit > 0) limits_.set_memory_cap(options_.mem_limit);
  limits_.set_time_note({options_.is_time_default, "--time-limit 0 removes it"});
  limits_.set_memory_note({options_.is_mem_default, "--mem-limit changes it"});
  if (!is_batch() && !options_.quiet) AttachProgressBar(limits_, options_.color);
  current_limits = &limits_;
  if (Interrupted()) limits_.Cancel();
}

Session::~Session() {
  if (job_client_ != nullptr) job_client_->job()->Leave();
  current_limits = nullptr;
  RemoveProgressBar();
}

double Session::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

void Session::Begin(std::string_view what, std::string_view name) {
  limits_.set_activity(name.empty() ? std::string(what) : StrCat(what, " \"", name, "\""));
}

void Session::BeginRun(std::string_view name, int done) {
  if (options_.repeat == 1) return Begin("the run of", name);
  limits_.set_activity(
      StrCat("the run of \"", name, "\" after ", done, " of ", options_.repeat, " repeats"));
}

int Session::InTime(int code) {
  if (code != kYes) return code;
  const Status status = limits_.CheckNow();
  return status.ok() ? code : Fail(status);
}

int Session::Write(std::string_view text) {
  const std::string& path = options_.output;
  if (path == "-" && is_batch()) {
    return Usage("\"output\": \"-\" is no file of a request: stdout has the answers of the batch");
  }
  if (path.empty() || path == "-") {
    Out(text);
    return kYes;
  }
  const Status written = WriteFile(path, text);
  return written.ok() ? kYes : Fail(written);
}

Status Session::WithoutClock(std::string_view what, const std::function<Status(Limits&)>& work) {
  Limits own;
  const i64 left = limits_.memory_cap() - limits_.live_bytes();
  own.set_memory_cap(left);
  own.set_memory_note({options_.is_mem_default, "--mem-limit changes it"});
  const LimitedCall call(&own, what);
  if (!is_batch() && !options_.quiet) AttachProgressBar(own, options_.color);
  const double before = seconds();
  current_limits = &own;
  if (Interrupted()) own.Cancel();
  Status status = work(own);
  current_limits = &limits_;
  if (Interrupted()) limits_.Cancel();
  limits_.Extend(seconds() - before);
  return status;
}

int Session::FailWithoutMemory() {
  return Fail(ResourceExhausted("out of memory"));
}

void Session::Out(std::string_view data) {
  if (is_batch()) {
    data_->append(data);
    return;
  }
  RemoveProgressBar();
  // How long others take to read does not count.
  const double before = seconds();
  const bool is_written = std::fwrite(data.data(), 1, data.size(), stdout) == data.size();
  limits_.Extend(seconds() - before);
  if (is_written) return;
  int none = 0;
  output_error.compare_exchange_strong(none, errno);
}

void Session::Say(std::string_view line) {
  if (!options_.quiet) SayAlways(line);
}

void Session::SayAlways(std::string_view line) {
  if (is_batch()) {
    if (!collected_->empty()) collected_->push_back('\n');
    collected_->append(line);
    return;
  }
  RemoveProgressBar();
  WriteAll(STDERR_FILENO, StrCat(line, "\n"));
}

int Session::Fail(const Status& status) {
  std::string text = status.ToString();
  // Whoever ran out of memory may not know whose limit it was, and what changes it.
  if (status.code() == StatusCode::kResourceExhausted && options_.mem_limit > 0 &&
      MayBeOfMemoryLimit(text) && text.find("--mem-limit") == text.npos) {
    if (text.find("memory limit") == text.npos) {
      StrAppend(text, ", under ", limits_.MemoryLimitText());
    }
    text += limits_.MemoryLimitEnding();
  }
  SayAlways(text);
  return ExitCodeOf(status);
}

int Session::Usage(std::string_view what) {
  SayAlways(is_batch() ? std::string(what) : StrCat("axle: ", what));
  return kUsage;
}

bool Session::WritesToTerminal() const {
  const std::string& path = options_.output;
  if (path.empty() || path == "-") return !is_batch() && isatty(STDOUT_FILENO) != 0;
  // Only devices are opened: who reads a FIFO would find its end when it is closed again.
  struct stat info = {};
  if (stat(path.c_str(), &info) != 0 || !S_ISCHR(info.st_mode)) return false;
  const int file = open(path.c_str(), O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return false;  // an error that writing finds
  const bool is_terminal = isatty(file) != 0;
  close(file);
  return is_terminal;
}

StatusOr<std::vector<std::string>> Session::Modules() const {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  for (const std::string& file : options_.files) {
    std::error_code error;
    if (file == "-" || !fs::is_directory(file, error)) {
      paths.push_back(file);
      continue;
    }
    const size_t first = paths.size();
    for (fs::recursive_directory_iterator it(file, error), end; !error && it != end;
         it.increment(error)) {
      if (it->is_regular_file(error) && IsModuleName(it->path().string())) {
        paths.push_back(it->path().string());
      }
    }
    if (error) return NotFound(StrCat("cannot read \"", file, "\": ", error.message()));
    if (paths.size() == first) {
      return NotFound(StrCat("no module in \"", file, "\": no file ends in .hlo or .hlo.txt"));
    }
    std::sort(paths.begin() + static_cast<i64>(first), paths.end());
  }
  return paths;
}

StatusOr<std::string> Session::OneFile() const {
  if (options_.files.size() == 1) return options_.files[0];
  return InvalidArgument(StrCat("takes one FILE, not ", options_.files.size()));
}

StatusOr<std::string> Session::Read(const std::string& path) {
  const i64 most = options_.mem_limit > 0 ? options_.mem_limit : INT64_MAX;
  StatusOr<std::string> bytes = path == "-" ? ReadStdin(most) : ReadFile(path, most, &limits_);
  if (bytes.status().code() != StatusCode::kResourceExhausted) return bytes;
  return ResourceExhausted(StrCat(bytes.status().message(), ", ", limits_.MemoryLimitText(),
                                  limits_.MemoryLimitEnding()));
}

StatusOr<std::string> Session::ReadStdin(i64 max_bytes) {
  if (is_batch()) {
    return InvalidArgument("\"-\" is no file of a request: stdin has the requests of the batch");
  }
  return ReadDescriptor(STDIN_FILENO, "stdin", max_bytes, &limits_);
}

StatusOr<LoadedProgram> Session::LoadWithValues(const std::string& path) {
  const std::string label = path == "-" ? "stdin" : PrintableText(path);
  Begin("reading", label);
  AXLE_ASSIGN(std::string bytes, Read(path));
  StatusOr<LoadedProgram> program = LoadProgram(bytes, {.format = options_.from,
                                                        .label = label,
                                                        .limits = &limits_,
                                                        .strict_types = options_.strict_types});
  is_loaded_ = program.ok();
  compiled_ = is_loaded_ && IsExecutableFile(bytes) ? std::move(bytes) : "";
  return program;
}

StatusOr<std::unique_ptr<Module>> Session::Load(const std::string& path) {
  AXLE_ASSIGN(LoadedProgram program, LoadWithValues(path));
  return std::move(program.module);
}

Status Session::CheckNothingIsElided(const Module& module) const {
  return options_.allow_elided ? Status() : axle::CheckNothingIsElided(module);
}

void Session::NoteWhatIsElided(const Module& module) {
  const Status whole = axle::CheckNothingIsElided(module);
  if (!whole.ok()) Say(StrCat("note: ", whole.message()));
}

StatusOr<i64> Session::NumDevices(const Module& module) const {
  const ModuleConfig& config = module.config();
  const i64 replicas = options_.replicas != 0 ? options_.replicas : config.replica_count;
  const i64 partitions = options_.partitions != 0 ? options_.partitions : config.num_partitions;
  const std::optional<i64> devices = CheckedMul(replicas, partitions);
  if (devices && *devices <= kMaxClientDevices) return std::max<i64>(*devices, 1);
  return InvalidArgument(StrCat("\"", module.name(), "\" is for ", replicas, " replicas x ",
                                partitions, " partitions, and there are at most ",
                                kMaxClientDevices,
                                " devices; --replicas 1 --partitions 1 runs one "
                                "of them alone"));
}

// The processes have an equal part of the devices each, or as many as they say.
StatusOr<Client*> Session::ClientOf(i64 num_devices) {
  if (!options_.distributed) return SharedClient(options_.threads, num_devices);
  if (job_client_ != nullptr) return job_client_.get();
  i64 local = options_.local_devices;
  if (local == 0) {
    i64 processes = options_.processes;
    if (processes == 0) {
      AXLE_ASSIGN(const LaunchEnvironment environment, ReadLaunchEnvironment());
      processes = environment.num_processes;
    }
    if (processes == 0) {
      return InvalidArgument(
          "--distributed: how many processes there are was not said: give --processes and "
          "--process, or start them with axle launch, mpirun or srun");
    }
    if (num_devices % processes != 0) {
      return InvalidArgument(StrCat("--distributed: ", num_devices, " devices are no multiple of ",
                                    processes,
                                    " processes: say with --local-devices how many are in this "
                                    "one"));
    }
    local = num_devices / processes;
  }
  TransportOptions job;
  job.kind = *options_.distributed;
  job.rendezvous = options_.rendezvous;
  job.process_id = options_.process;
  job.num_processes = options_.processes;
  AXLE_ASSIGN(job_client_, Client::Create({.num_devices = local,
                                           .num_threads = options_.threads,
                                           .distributed = std::move(job)}));
  return job_client_.get();
}

StatusOr<std::shared_ptr<Executable>> Session::Compile(std::shared_ptr<const Module> module,
                                                       EngineKind engine) {
  Begin("the compilation of", module->name());
  AXLE_ASSIGN(const i64 num_devices, NumDevices(*module));
  AXLE_ASSIGN(Client* const client, ClientOf(num_devices));
  // A file of `axle compile` has its options and its code; others are asked for by name.
  const bool has_options = engine != EngineKind::kDefault || options_.replicas != 0 ||
                           options_.partitions != 0 || options_.numerics != Numerics::kStrict ||
                           options_.isa != NativeIsa::kAuto || options_.codegen_level != 1;
  if (!compiled_.empty() && !has_options) return client->Load(compiled_, {.limits = &limits_});
  return client->Compile(std::move(module), {.engine = engine,
                                             .numerics = options_.numerics,
                                             .isa = options_.isa,
                                             .codegen_level = options_.codegen_level,
                                             .replicas = options_.replicas,
                                             .partitions = options_.partitions,
                                             .limits = &limits_,
                                             .allow_elided = options_.allow_elided});
}

StatusOr<std::shared_ptr<Executable>> Session::CompileNative(std::shared_ptr<const Module> module,
                                                             CompileOptions options) {
  options.engine = EngineKind::kNative;
  options.numerics = options_.numerics;
  options.isa = options_.isa;
  options.codegen_level = options_.codegen_level;
  options.limits = &limits_;
  Begin("the compilation of", module->name());
  AXLE_ASSIGN(const i64 num_devices, NumDevices(*module));
  AXLE_ASSIGN(Client* const client, ClientOf(num_devices));
  return client->Compile(std::move(module), options);
}

bool MayBeOfMemoryLimit(std::string_view message) {
  return message.find("memory") != message.npos && message.find("of this machine") == message.npos;
}

void InstallSignalHandlers() {
  struct sigaction action = {};
  action.sa_handler = OnSignal;  // without SA_RESTART: a read that waits ends
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGALRM, OnAlarm);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a write beyond the limit on files fails and says so
}

bool Interrupted() {
  return interrupted;
}

void KeepWhatThereIsWhenInterrupted() {
  has_grace = false;
}

// Sanitizers reserve more address space than any limit allows.
#if defined(__has_feature)
#define AXLE_SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define AXLE_SANITIZED 1
#else
#define AXLE_SANITIZED 0
#endif

void LimitProcessMemory(std::int64_t bytes) {
#if !AXLE_SANITIZED
  rlimit limit = {};
  if (bytes <= 0 || getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, static_cast<rlim_t>(bytes));
  setrlimit(RLIMIT_DATA, &limit);
#else
  (void)bytes;
#endif
}

ExitCode FlushOutput() {
  const int flushed = std::fflush(stdout) == 0 ? 0 : errno;
  const int error = output_error != 0 ? output_error.load() : flushed;
  if (error == 0) return kYes;
  if (error == EPIPE) return kLimit;  // the reader went away: no news
  WriteAll(STDERR_FILENO, StrCat("cannot write to stdout: ", std::strerror(error), "\n"));
  return kInvalid;
}

void EndProcess(int code) {
#if !AXLE_SANITIZED
  std::quick_exit(code);
#else
  std::exit(code);  // leaks are looked for there
#endif
}

}  // namespace axle::tool
