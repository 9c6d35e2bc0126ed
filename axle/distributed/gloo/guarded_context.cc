#include "axle/distributed/gloo/guarded_context.h"

#include <fcntl.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>

#include "axle/core/strings.h"
#include "gloo/transport/tcp/context.h"
#include "gloo/transport/tcp/device.h"
#include "gloo/transport/tcp/pair.h"

namespace axle {
namespace {

constexpr int kNoFile = -1;

using Closed = std::function<void(int process)>;

// All members but changeState are called by Gloo's thread. It must not wait for the lock of a pair:
// its holder may wait for this thread. The kernel reports again what is to be read or written.
class GuardedPair : public gloo::transport::tcp::Pair {
 public:
  GuardedPair(gloo::transport::tcp::Context* context, gloo::transport::tcp::Device* device,
              int process, std::chrono::milliseconds timeout, const Closed& on_closed)
      : Pair(context, device, process, timeout), process_(process), on_closed_(on_closed) {}

  void handleEvents(int events) override {
    std::unique_lock lock(m_, std::try_to_lock);
    if (!lock || ex_ != nullptr) return;
    if (state_ == LISTENING) return Accept();
    if (state_ == CONNECTING) return Connected();
    if (state_ != CONNECTED) return;
    lock.unlock();
    try {
      Pair::handleEvents(events);
    } catch (const std::exception& error) {
      if (lock.try_lock() && state_ == CONNECTED && ex_ == nullptr) signalException(error.what());
    }
  }

  void changeState(state next) noexcept override {
    Pair::changeState(next);
    if (next == CLOSED) on_closed_(process_);
  }

 private:
  // Takes one connection, and stops listening.
  void Accept() {
    const int accepted = accept4(fd_, nullptr, nullptr, SOCK_CLOEXEC);
    const int error = errno;
    device_->unregisterDescriptor(fd_, this);
    ::close(fd_);
    fd_ = accepted;
    if (accepted == kNoFile) return signalException(StrCat("accept: ", std::strerror(error)));
    try {
      Prepare();
    } catch (const std::exception& failure) {
      // Closing a pair that listens would look for the connection where it is not yet.
      ::close(fd_);
      fd_ = kNoFile;
      signalException(failure.what());
    }
  }

  // A connection of this side has come about, or has not.
  void Connected() {
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
    if (error != 0) {
      return signalException(StrCat("connect ", peer_.str(), ": ", std::strerror(error)));
    }
    try {
      Prepare();
    } catch (const std::exception& failure) {
      signalException(failure.what());
    }
  }

  // Throws if the connection is gone already. The socket is registered last.
  void Prepare() {
    self_ = gloo::transport::tcp::Address::fromSockName(fd_);
    peer_ = gloo::transport::tcp::Address::fromPeerName(fd_);
    const int flags = fcntl(fd_, F_GETFL);
    const int on = 1;
    if (flags < 0 || fcntl(fd_, F_SETFL, flags | O_NONBLOCK) != 0 ||
        setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0) {
      throw std::runtime_error(StrCat("socket: ", std::strerror(errno)));
    }
    device_->registerDescriptor(fd_, EPOLLIN, this);
    changeState(CONNECTED);
  }

  const int process_;
  const Closed& on_closed_;
};

class GuardedContext : public gloo::transport::tcp::Context {
 public:
  GuardedContext(std::shared_ptr<gloo::transport::tcp::Device> device, int process, int size,
                 Closed on_closed)
      : Context(std::move(device), process, size), on_closed_(std::move(on_closed)) {}
  ~GuardedContext() override { pairs_.clear(); }  // which use the function

  std::unique_ptr<gloo::transport::Pair>& createPair(int process) override {
    std::unique_ptr<gloo::transport::Pair>& pair = pairs_[static_cast<size_t>(process)];
    pair = std::make_unique<GuardedPair>(this, device_.get(), process, getTimeout(), on_closed_);
    return pair;
  }

 private:
  const Closed on_closed_;
};

// Whether the library allocates as many bytes for a pair as the headers say.
bool HasLayoutOfHeaders(gloo::transport::Device& device) {
  constexpr size_t kMostRounding = 32;
  const auto context = device.createContext(0, 2);
  void* const pair = dynamic_cast<void*>(context->createPair(1).get());
  const size_t allocated = malloc_usable_size(pair);
  return allocated >= sizeof(gloo::transport::tcp::Pair) &&
         allocated < sizeof(gloo::transport::tcp::Pair) + kMostRounding;
}

}  // namespace

std::shared_ptr<gloo::transport::Context> MakeGuardedContext(
    const std::shared_ptr<gloo::transport::Device>& device, int process, int size,
    Closed on_closed) {
  const auto tcp = std::dynamic_pointer_cast<gloo::transport::tcp::Device>(device);
  static const bool has_layout = HasLayoutOfHeaders(*device);
  if (tcp == nullptr || !has_layout) return device->createContext(process, size);
  return std::make_shared<GuardedContext>(tcp, process, size, std::move(on_closed));
}

}  // namespace axle
