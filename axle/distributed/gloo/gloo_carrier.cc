// The carrier over Gloo's TCP transport, and libaxle_gloo.so's entry.
//
// Gloo's pairs connect when a message first needs one: each of the two processes opens a pair,
// which listens, sends its address to the other over the control plane, and connects. A thread for
// each pair does this, on both sides, and reads afterwards. The first message on a pair proves that
// the other side knows the secret: Gloo itself takes whoever connects first, so a pair listens only
// while it connects.
//
// A message is a frame: its header and up to kInlineBytes of it. The reader has kFrames receives
// posted all the time, so that frames leave at once. The rest of a long message is a send of its
// own, straight into the place of the receive.
//
// Gloo throws; nothing of it leaves this file. A wait of Gloo that times out ends all pairs of a
// context, so that waits are ended by abort instead, which touches nothing: a thread of the carrier
// does that now and then while sends take long.
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include "axle/core/blocked_signals.h"
#include "axle/core/strings.h"
#include "axle/distributed/engine/carrier.h"
#include "axle/distributed/engine/job.h"
#include "axle/distributed/engine/sha256.h"
#include "axle/distributed/gloo/guarded_context.h"
#include "axle/distributed/transport_library.h"
#include "gloo/transport/context.h"
#include "gloo/transport/device.h"
#include "gloo/transport/tcp/device.h"

namespace axle {
namespace {

using GlooBuffer = std::unique_ptr<gloo::transport::UnboundBuffer>;

constexpr size_t kInlineBytes = size_t{64} << 10;
constexpr size_t kFrames = 4;
// Slots of Gloo: of frames, and, from the next one on, of the rests of long messages.
constexpr std::uint64_t kFrameSlot = 0;
// For Gloo never, without an overflow.
constexpr std::chrono::milliseconds kForever = std::chrono::hours(100);
// Gloo takes five times as long to connect a pair.
constexpr std::chrono::milliseconds kConnectTimeout = std::chrono::seconds(2);
constexpr std::chrono::milliseconds kLook{20};

enum class FrameKind : std::uint64_t { kProof = 1, kWhole, kLong };

struct FrameHead {
  FrameKind kind;
  std::uint64_t number;  // of a long message: its slot is the next one
  MessageHeader message;
};

// While one is alive, a connection that is closed is no signal for this thread: Gloo writes to
// sockets without MSG_NOSIGNAL.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec now = {};
    while (!was_pending_ && sigtimedwait(&pipe_, nullptr, &now) == SIGPIPE) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_, before_;
  bool was_pending_;
};

// Closes a link from this side.
struct LinkEnds : std::exception {
  const char* what() const noexcept override { return "its connection was closed"; }
};

// Aborts the waits for sends that last, so that their threads look around. Its thread also makes
// the calls that a thread with a lock of Gloo must not make.
class Ticker {
 public:
  // `look` is called after each Ask.
  explicit Ticker(std::function<void()> look) : look_(std::move(look)) {
    const ScopedBlockedSignals blocked;
    thread_ = std::thread([this] { Run(); });
  }
  ~Ticker() { Stop(); }
  void Stop() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  void Ask() {
    {
      const std::lock_guard lock(mutex_);
      is_asked_ = true;
    }
    changed_.notify_all();
  }
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  void Add(gloo::transport::UnboundBuffer* buffer) {
    const std::lock_guard lock(mutex_);
    buffers_.push_back(buffer);
    if (sleeps_) changed_.notify_all();
  }
  void Remove(gloo::transport::UnboundBuffer* buffer) {
    const std::lock_guard lock(mutex_);
    std::erase(buffers_, buffer);
  }

 private:
  void Run() {
    std::unique_lock lock(mutex_);
    while (!ends_) {
      // A few rounds before it sleeps: sends follow each other.
      sleeps_ = buffers_.empty();
      if (sleeps_) {
        changed_.wait(lock, [this] { return ends_ || is_asked_ || !buffers_.empty(); });
        sleeps_ = false;
      }
      changed_.wait_for(lock, kLook, [this] { return ends_ || is_asked_; });
      if (is_asked_) {
        is_asked_ = false;
        lock.unlock();
        look_();
        lock.lock();
      }
      for (gloo::transport::UnboundBuffer* buffer : buffers_) buffer->abortWaitSend();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<gloo::transport::UnboundBuffer*> buffers_;
  bool sleeps_ = false, ends_ = false, is_asked_ = false;
  const std::function<void()> look_;
  std::thread thread_;
};

class GlooCarrier : public Carrier {
 public:
  GlooCarrier(const TransportOptions& options, MessageSink& sink, ControlPlane& control)
      : sink_(sink), control_(control), own_(options.process_id) {
    const ScopedBlockedSignals blocked;  // for the thread that Gloo starts
    gloo::transport::tcp::attr attr;
    attr.hostname = options.listen_address;
    device_ = gloo::transport::tcp::CreateDevice(attr);
    context_ =
        MakeGuardedContext(device_, options.process_id, options.num_processes, [this](int process) {
          Of(process).is_closed = true;
          ticker_.Ask();
        });
    context_->setTimeout(kConnectTimeout);
    for (int p = 0; p < options.num_processes; ++p) links_.push_back(std::make_unique<Link>());
  }

  ~GlooCarrier() override {
    BreakAll();
    for (const std::unique_ptr<Link>& link : links_) {
      if (link->reader.joinable()) link->reader.join();
    }
    ticker_.Stop();
    context_.reset();
    device_.reset();
  }

  Status Send(int process, const MessageHeader& header, std::span<const std::byte> bytes,
              const std::function<Status()>& check) override {
    Link& link = Of(process);
    AXLE_TRY(WaitUntilUp(process, link, check));
    const NoPipeSignal no_signal;
    try {
      const bool is_whole = bytes.size() <= kInlineBytes;
      const FrameHead head = {is_whole ? FrameKind::kWhole : FrameKind::kLong,
                              link.num_long.fetch_add(is_whole ? 0 : 1), header};
      std::vector<std::byte> frame(sizeof head + (is_whole ? bytes.size() : 0));
      std::memcpy(frame.data(), &head, sizeof head);
      if (is_whole && !bytes.empty()) {
        std::memcpy(frame.data() + sizeof head, bytes.data(), bytes.size());
      }
      const GlooBuffer first = context_->createUnboundBuffer(frame.data(), frame.size());
      first->send(process, kFrameSlot);
      GlooBuffer rest;
      if (!is_whole) {
        rest = context_->createUnboundBuffer(const_cast<std::byte*>(bytes.data()), bytes.size());
        rest->send(process, kFrameSlot + 1 + head.number);
      }
      Status status = WaitForSend(*first, link, check);
      if (status.ok() && rest != nullptr) status = WaitForSend(*rest, link, check);
      // No thread reads from the bytes any more, whatever happens.
      if (!status.ok()) Break(process, link);
      return status;
    } catch (const std::exception& error) {
      Break(process, link);
      return {StatusCode::kUnavailable, error.what()};
    }
  }

  void TakeNote(int process, std::string_view bytes) override {
    Link& link = Of(process);
    {
      const std::lock_guard lock(link.mutex);
      link.address.assign(bytes.begin(), bytes.end());
    }
    link.changed.notify_all();
    StartLink(process, link);
  }

  void BreakAll() override {
    for (size_t p = 0; p < links_.size(); ++p) {
      if (static_cast<int>(p) != own_) Break(static_cast<int>(p), *links_[p]);
    }
  }

 private:
  struct Link {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_up = false, is_broken = false, has_pair = false;
    std::vector<char> address;                              // of the other side
    std::vector<gloo::transport::UnboundBuffer*> receives;  // that the reader may wait for
    std::atomic<std::uint64_t> num_long = 0;
    std::atomic<bool> is_closed = false;  // its connection has ended: to be broken
    std::thread reader;
  };

  Link& Of(int process) { return *links_[static_cast<size_t>(process)]; }

  void StartLink(int process, Link& link) {
    const std::lock_guard lock(link.mutex);
    if (link.reader.joinable() || link.is_broken) return;
    const ScopedBlockedSignals blocked;
    link.reader = std::thread([this, process, &link] { Run(process, link); });
  }

  // Ends a link: nobody reads or writes memory of ours for it when this returns, but for what its
  // reader itself does.
  void Break(int process, Link& link) {
    std::lock_guard lock(link.mutex);
    link.is_broken = true;
    link.changed.notify_all();
    try {
      if (link.has_pair) context_->getPair(process)->close();
    } catch (const std::exception&) {
      // The connection is closed already.
    }
    for (gloo::transport::UnboundBuffer* buffer : link.receives) buffer->abortWaitRecv();
  }

  // Ends the waits for messages on connections that have ended.
  void BreakClosed() {
    for (size_t p = 0; p < links_.size(); ++p) {
      if (links_[p]->is_closed.exchange(false)) Break(static_cast<int>(p), *links_[p]);
    }
  }

  Status WaitUntilUp(int process, Link& link, const std::function<Status()>& check) {
    std::unique_lock lock(link.mutex);
    if (link.is_up && !link.is_broken) return {};
    lock.unlock();
    StartLink(process, link);
    lock.lock();
    while (true) {
      if (link.is_broken) return {StatusCode::kUnavailable, "its connection was closed"};
      if (link.is_up) return {};
      lock.unlock();
      AXLE_TRY(check());
      lock.lock();
      if (!link.is_up && !link.is_broken) link.changed.wait_for(lock, kLook);
    }
  }

  Status WaitForSend(gloo::transport::UnboundBuffer& buffer, Link& link,
                     const std::function<Status()>& check) {
    ticker_.Add(&buffer);
    Status status;
    try {
      while (status.ok() && !buffer.waitSend(nullptr, kForever)) {
        status = check();
        const std::lock_guard lock(link.mutex);
        if (status.ok() && link.is_broken) {
          status = {StatusCode::kUnavailable, "its connection was closed"};
        }
      }
    } catch (...) {
      ticker_.Remove(&buffer);
      throw;
    }
    ticker_.Remove(&buffer);
    return status;
  }

  // A receive of the reader, which Break can end.
  struct Posted {
    Posted(GlooCarrier& carrier, Link& link, std::byte* bytes, size_t size)
        : link(link), buffer(carrier.context_->createUnboundBuffer(bytes, size)) {
      const std::lock_guard lock(link.mutex);
      link.receives.push_back(buffer.get());
    }
    ~Posted() {
      const std::lock_guard lock(link.mutex);
      std::erase(link.receives, buffer.get());
    }
    Posted(const Posted&) = delete;
    Posted& operator=(const Posted&) = delete;
    void Wait() const {
      while (!buffer->waitRecv(nullptr, kForever)) {
        const std::lock_guard lock(link.mutex);
        if (link.is_broken) throw LinkEnds();
      }
    }
    Link& link;
    const GlooBuffer buffer;
  };

  // The thread of a link.
  void Run(int process, Link& link) {
    std::string why;
    try {
      Connect(process, link);
      Read(process, link);
    } catch (const std::exception& error) {
      why = error.what();
    }
    Break(process, link);
    sink_.LinkBroken(process, why);
  }

  void Connect(int process, Link& link) {
    std::unique_lock lock(link.mutex);
    if (link.is_broken) throw LinkEnds();
    const std::vector<char> own = context_->createPair(process)->address().bytes();
    link.has_pair = true;
    lock.unlock();
    sink_.SendNote(process, std::string_view(own.data(), own.size()));
    lock.lock();
    link.changed.wait(lock, [&link] { return link.is_broken || !link.address.empty(); });
    if (link.is_broken) throw LinkEnds();
    const std::vector<char> address = link.address;
    lock.unlock();
    context_->getPair(process)->connect(address);
  }

  std::string ProofOf(int sender, int other) const {
    return Hmac(control_.session_key(other), StrCat("carrier of ", sender));
  }

  void Read(int process, Link& link) {
    const size_t frame_bytes = sizeof(FrameHead) + kInlineBytes;
    std::vector<std::byte> memory(kFrames * frame_bytes);
    std::vector<std::unique_ptr<Posted>> posted;
    for (size_t i = 0; i < kFrames; ++i) {
      posted.push_back(
          std::make_unique<Posted>(*this, link, memory.data() + i * frame_bytes, frame_bytes));
      posted.back()->buffer->recv(process, kFrameSlot);
    }
    SendProof(process, link);
    for (size_t i = 0;; i = (i + 1) % kFrames) {
      posted[i]->Wait();
      const std::byte* frame = memory.data() + i * frame_bytes;
      FrameHead head;
      std::memcpy(&head, frame, sizeof head);
      if (head.kind == FrameKind::kProof) {
        TakeProof(process, link, frame + sizeof head);
      } else {
        TakeMessage(process, link, head, frame + sizeof head);
      }
      posted[i]->buffer->recv(process, kFrameSlot);
    }
  }

  void SendProof(int process, Link& link) {
    const FrameHead head = {FrameKind::kProof, 0, {}};
    std::vector<std::byte> frame(sizeof head + kDigestBytes);
    std::memcpy(frame.data(), &head, sizeof head);
    std::memcpy(frame.data() + sizeof head, ProofOf(own_, process).data(), kDigestBytes);
    const GlooBuffer buffer = context_->createUnboundBuffer(frame.data(), frame.size());
    buffer->send(process, kFrameSlot);
    if (!WaitForSend(*buffer, link, [] { return Status(); }).ok()) throw LinkEnds();
  }

  void TakeProof(int process, Link& link, const std::byte* proof) {
    const std::string_view bytes(reinterpret_cast<const char*>(proof), kDigestBytes);
    if (!SameBytes(bytes, ProofOf(process, process))) {
      throw std::runtime_error("a stranger has connected in its place");
    }
    {
      const std::lock_guard lock(link.mutex);
      link.is_up = true;
    }
    link.changed.notify_all();
  }

  void TakeMessage(int process, Link& link, const FrameHead& head, const std::byte* whole) {
    {
      const std::lock_guard lock(link.mutex);
      if (!link.is_up) throw std::runtime_error("a stranger has connected in its place");
    }
    void* receipt = nullptr;
    std::byte* place = sink_.Place(process, head.message, receipt);
    if (place == nullptr) throw LinkEnds();
    const size_t size = head.message.num_bytes;
    try {
      if (head.kind == FrameKind::kWhole) {
        std::memcpy(place, whole, size);
      } else {
        const Posted rest(*this, link, place, size);
        rest.buffer->recv(process, kFrameSlot + 1 + head.number);
        rest.Wait();
      }
    } catch (...) {
      Break(process, link);
      sink_.Dropped(process, receipt);
      throw;
    }
    sink_.Arrived(process, receipt);
  }

  MessageSink& sink_;
  ControlPlane& control_;
  const int own_;
  std::shared_ptr<gloo::transport::Device> device_;
  std::shared_ptr<gloo::transport::Context> context_;
  std::vector<std::unique_ptr<Link>> links_;
  Ticker ticker_{[this] { BreakClosed(); }};
};

StatusOr<std::unique_ptr<Carrier>> MakeGlooCarrier(const TransportOptions& options,
                                                   MessageSink& sink, ControlPlane& control) {
  try {
    return std::unique_ptr<Carrier>(std::make_unique<GlooCarrier>(options, sink, control));
  } catch (const std::exception& error) {
    return Status(StatusCode::kUnavailable, StrCat("connect: Gloo cannot start at ",
                                                   options.listen_address, ": ", error.what()));
  }
}

}  // namespace
}  // namespace axle

extern "C" axle::StatusOr<std::unique_ptr<axle::Transport>>* axle_transport_connect(
    int version, const axle::TransportOptions& options, axle::Limits* limits) {
  if (version != axle::kTransportVersion) return nullptr;
  return new axle::StatusOr<std::unique_ptr<axle::Transport>>(
      axle::ConnectJob(options, limits, axle::MakeGlooCarrier));
}
