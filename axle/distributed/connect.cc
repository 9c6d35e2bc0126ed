// Loads the library of a transport: libaxle_gloo.so or libaxle_mpi.so beside libaxle.so.
#include <dlfcn.h>
#include <unistd.h>

#include <thread>

#include "axle/core/strings.h"
#include "axle/distributed/environment.h"
#include "axle/distributed/transport.h"
#include "axle/distributed/transport_library.h"

namespace axle {
namespace {

struct Library {
  const char* file;
  const char* package;  // of Debian, which the library needs
  const char* option;   // of CMake
};
constexpr Library kGlooLibrary = {"libaxle_gloo.so", "libgloo0", "AXLE_GLOO"};
constexpr Library kMpiLibrary = {"libaxle_mpi.so", "libopenmpi3 or libmpich12", "AXLE_MPI"};

std::string PathOf(const char* file) {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&ConnectTransport), &info) != 0 &&
      info.dli_fname != nullptr) {
    const std::string_view self = info.dli_fname;
    const size_t slash = self.rfind('/');
    if (slash != self.npos) return StrCat(self.substr(0, slash + 1), file);
  }
  return file;
}

// Takes what the options leave open from the environment.
Status Complete(TransportOptions& options) {
  AXLE_ASSIGN(const LaunchEnvironment environment, ReadLaunchEnvironment());
  if (options.process_id < 0) options.process_id = environment.process_id;
  if (options.num_processes == 0) options.num_processes = environment.num_processes;
  if (options.rendezvous.empty() && !options.callbacks) {
    options.rendezvous = environment.rendezvous;
  }
  if (options.secret.empty()) options.secret = environment.secret;
  if (options.job.empty()) options.job = environment.job;
  if (options.listen_address.empty()) options.listen_address = environment.listen_address;
  if (options.version.empty()) options.version = AXLE_VERSION;
  const bool is_mpi = options.kind == TransportKind::kMpi;  // which knows its processes itself
  if (!is_mpi && (options.process_id < 0 || options.num_processes < 1)) {
    return InvalidArgument(
        "connect: which process of how many this is was not said: set process_id and "
        "num_processes, or AXLE_PROCESS_ID and AXLE_NUM_PROCESSES");
  }
  if (options.num_processes > 0 && options.process_id >= options.num_processes) {
    return InvalidArgument(StrCat("connect: process_id is ", options.process_id,
                                  ", must be below num_processes, which is ",
                                  options.num_processes));
  }
  if (!is_mpi && options.rendezvous.empty() && !options.callbacks) {
    return InvalidArgument(StrCat(
        "connect: where the processes meet was not said: set rendezvous or AXLE_RENDEZVOUS to "
        "file:///FOLDER or tcp://HOST:PORT",
        environment.first_host.empty() ? "" : " (the first host of the job is ",
        environment.first_host, environment.first_host.empty() ? "" : ")"));
  }
  return {};
}

}  // namespace

StatusOr<std::string> KeyValueStore::Get(std::string_view key, double seconds, Limits* limits) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  auto pause = std::chrono::milliseconds(1);
  while (true) {
    AXLE_ASSIGN(std::optional<std::string> value, TryGet(key));
    if (value) return *std::move(value);
    if (limits != nullptr) AXLE_TRY(limits->CheckNow());
    if (Clock::now() >= end) {
      return DeadlineExceeded(
          StrCat("rendezvous: nobody has set \"", PrintableText(key), "\" within ", seconds, " s"));
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, std::chrono::milliseconds(50));
  }
}

StatusOr<std::unique_ptr<Transport>> ConnectTransport(const TransportOptions& options,
                                                      Limits* limits) {
  const Library& library = options.kind == TransportKind::kMpi ? kMpiLibrary : kGlooLibrary;
  TransportOptions complete = options;
  AXLE_TRY(Complete(complete));
  const std::string path = PathOf(library.file);
  // The library is never unloaded: its threads and type information may still be in use. MPI finds
  // its own parts among the names of all libraries.
  const int scope = options.kind == TransportKind::kMpi ? RTLD_GLOBAL : RTLD_LOCAL;
  void* handle = dlopen(path.c_str(), RTLD_NOW | scope);
  if (handle == nullptr) {
    const char* why = dlerror();
    const std::string text = StrCat("connect: no ", library.file, ": ", why == nullptr ? "" : why);
    if (access(path.c_str(), F_OK) == 0) {
      return Status(StatusCode::kUnavailable,
                    StrCat(text, "; it needs the package ", library.package));
    }
    return Status(StatusCode::kUnavailable,
                  StrCat(text, "; it comes with a build with -D", library.option,
                         "=ON and needs the package ", library.package));
  }
  auto* connect =
      reinterpret_cast<decltype(&axle_transport_connect)>(dlsym(handle, "axle_transport_connect"));
  if (connect == nullptr) {
    return Status(StatusCode::kUnavailable,
                  StrCat("connect: ", path, " is not a transport of axle"));
  }
  const std::unique_ptr<StatusOr<std::unique_ptr<Transport>>> connected(
      connect(kTransportVersion, complete, limits));
  if (connected == nullptr) {
    return Status(StatusCode::kUnavailable,
                  StrCat("connect: ", path, " is of another version of axle"));
  }
  return std::move(*connected);
}

}  // namespace axle
