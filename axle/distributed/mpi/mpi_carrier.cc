// The carrier over MPI, and libaxle_mpi.so's entry.
//
// Each transport has a duplicate of MPI_COMM_WORLD. A message is a frame with tag kFrameTag: its
// header and up to kInlineBytes of it. The rest of a long message follows with a tag of its own,
// straight into the place of the receive; the number of the message gives the tag, and since both
// go the same way in order, a tag may come round again. What tells messages apart is in the header,
// which is longer than any tag.
//
// A thread receives frames and polls; it is idle in steps that grow, so that a job with more
// processes than cores comes along. No call of MPI that may wait for another process blocks: each
// is polled, so that a process that is lost ends it. MPI itself cannot go on without a process;
// when one is lost nothing more of MPI is called for this transport, also not MPI_Finalize.
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

#include "axle/core/blocked_signals.h"
#include "axle/core/strings.h"
#include "axle/distributed/engine/carrier.h"
#include "axle/distributed/engine/job.h"
#include "axle/distributed/engine/sha256.h"
#include "axle/distributed/engine/sockets.h"
#include "axle/distributed/engine/stores.h"
#include "axle/distributed/transport_library.h"

namespace axle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kInlineBytes = size_t{64} << 10;
constexpr int kFrameTag = 0;
// MPI counts with an int.
constexpr size_t kPieceBytes = size_t{1} << 30;
constexpr std::chrono::milliseconds kLook{5};

std::atomic<bool> has_failed = false;  // any transport of the process

struct FrameHead {
  std::uint64_t is_long, number;
  MessageHeader message;
};

std::string ErrorText(int code) {
  char text[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  return StrCat("MPI: ", static_cast<const char*>(text));
}

Status ToStatus(int code) {
  if (code == MPI_SUCCESS) return {};
  return {StatusCode::kUnavailable, ErrorText(code)};
}

// Gives the processor away while nothing happens: at once, then for longer and longer.
class Idle {
 public:
  void Reset() { turns_ = 0; }
  void Wait() {
    ++turns_;
    if (turns_ < 200) {
      sched_yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(turns_ < 1000 ? 50 : 500));
    }
  }

 private:
  int turns_ = 0;
};

// Polls until a request is done. The error of `check`, which is called now and then, ends it.
Status Poll(MPI_Request& request, const std::function<Status()>& check) {
  Idle idle;
  auto next_look = Clock::now() + kLook;
  while (true) {
    int is_done = 0;
    AXLE_TRY(ToStatus(MPI_Test(&request, &is_done, MPI_STATUS_IGNORE)));
    if (is_done != 0) return {};
    if (Clock::now() >= next_look) {
      AXLE_TRY(check());
      next_look = Clock::now() + kLook;
    }
    idle.Wait();
  }
}

class MpiCarrier : public Carrier {
 public:
  MpiCarrier(MPI_Comm communicator, MessageSink& sink) : communicator_(communicator), sink_(sink) {
    void* most = nullptr;
    int is_there = 0;
    MPI_Comm_get_attr(communicator_, MPI_TAG_UB, static_cast<void*>(&most), &is_there);
    if (is_there != 0) num_tags_ = static_cast<std::uint64_t>(*static_cast<int*>(most));
    int size = 0;
    MPI_Comm_size(communicator_, &size);
    num_long_ = std::vector<std::atomic<std::uint64_t>>(static_cast<size_t>(size));
    const ScopedBlockedSignals blocked;
    thread_ = std::thread([this] { Run(); });
  }
  ~MpiCarrier() override {
    ends_ = true;
    thread_.join();
    if (!is_broken_) MPI_Comm_free(&communicator_);
  }

  Status Send(int process, const MessageHeader& header, std::span<const std::byte> bytes,
              const std::function<Status()>& check) override {
    if (is_broken_) return {StatusCode::kUnavailable, "its connection was closed"};
    const bool is_long = bytes.size() > kInlineBytes;
    FrameHead head = {is_long ? std::uint64_t{1} : std::uint64_t{0}, 0, header};
    const size_t whole = is_long ? 0 : bytes.size();
    std::vector<std::byte> frame(sizeof head + whole);
    std::vector<MPI_Request> requests;
    {
      // The frame and its rest leave in one go: numbers are in the order of frames.
      const std::lock_guard lock(send_mutex_);
      if (is_long) head.number = num_long_[static_cast<size_t>(process)]++;
      std::memcpy(frame.data(), &head, sizeof head);
      if (whole > 0) std::memcpy(frame.data() + sizeof head, bytes.data(), whole);
      const auto send = [&](const std::byte* at, size_t size, int tag) {
        requests.push_back(MPI_REQUEST_NULL);
        return ToStatus(MPI_Isend(at, static_cast<int>(size), MPI_BYTE, process, tag, communicator_,
                                  &requests.back()));
      };
      AXLE_TRY(send(frame.data(), frame.size(), kFrameTag));
      for (size_t at = 0; is_long && at < bytes.size(); at += kPieceBytes) {
        AXLE_TRY(
            send(bytes.data() + at, std::min(kPieceBytes, bytes.size() - at), TagOf(head.number)));
      }
    }
    for (MPI_Request& request : requests) {
      const Status status = Poll(request, [&]() -> Status {
        if (is_broken_) return {StatusCode::kUnavailable, "its connection was closed"};
        return check();
      });
      if (!status.ok()) {
        // Without calls of MPI nobody reads from the bytes any more.
        BreakAll();
        return status;
      }
    }
    return {};
  }

  void TakeNote(int /*process*/, std::string_view /*bytes*/) override {}
  void BreakAll() override {
    is_broken_ = true;
    has_failed = true;
  }

 private:
  // The rest of a long message that is on its way.
  struct Arriving {
    int process;
    void* receipt;
    std::vector<MPI_Request> requests;
  };

  int TagOf(std::uint64_t number) const {
    return static_cast<int>(1 + number % std::max<std::uint64_t>(1, num_tags_ - 1));
  }

  void Run() {
    Idle idle;
    std::list<Arriving> arriving;
    while (!ends_ && !is_broken_) {
      bool is_busy = false;
      const Status status = Step(arriving, is_busy);
      if (!status.ok()) {
        BreakAll();
        sink_.LinkBroken(failing_process_, status.message());
      }
      if (is_busy) idle.Reset();
      idle.Wait();
    }
    for (const Arriving& message : arriving) sink_.Dropped(message.process, message.receipt);
  }

  Status Step(std::list<Arriving>& arriving, bool& is_busy) {
    int is_there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status about = {};
    AXLE_TRY(ToStatus(
        MPI_Improbe(MPI_ANY_SOURCE, kFrameTag, communicator_, &is_there, &message, &about)));
    if (is_there != 0) {
      is_busy = true;
      AXLE_TRY(Take(message, about, arriving));
    }
    for (auto at = arriving.begin(); at != arriving.end();) {
      int is_done = 0;
      failing_process_ = at->process;
      AXLE_TRY(ToStatus(MPI_Testall(static_cast<int>(at->requests.size()), at->requests.data(),
                                    &is_done, MPI_STATUSES_IGNORE)));
      if (is_done == 0) {
        ++at;
        continue;
      }
      is_busy = true;
      sink_.Arrived(at->process, at->receipt);
      at = arriving.erase(at);
    }
    return {};
  }

  Status Take(MPI_Message& message, const MPI_Status& about, std::list<Arriving>& arriving) {
    const int process = about.MPI_SOURCE;
    failing_process_ = process;
    int size = 0;
    MPI_Get_count(&about, MPI_BYTE, &size);
    frame_.resize(static_cast<size_t>(size));
    AXLE_TRY(ToStatus(MPI_Mrecv(frame_.data(), size, MPI_BYTE, &message, MPI_STATUS_IGNORE)));
    FrameHead head;
    AXLE_INVARIANT(frame_.size() >= sizeof head, "transport: a frame is too short");
    std::memcpy(&head, frame_.data(), sizeof head);
    void* receipt = nullptr;
    std::byte* place = sink_.Place(process, head.message, receipt);
    if (place == nullptr) return ResourceExhausted("no room for a message");
    const size_t num_bytes = head.message.num_bytes;
    if (head.is_long == 0) {
      std::memcpy(place, frame_.data() + sizeof head, num_bytes);
      sink_.Arrived(process, receipt);
      return {};
    }
    arriving.push_back({process, receipt, {}});
    for (size_t at = 0; at < num_bytes; at += kPieceBytes) {
      std::vector<MPI_Request>& requests = arriving.back().requests;
      requests.push_back(MPI_REQUEST_NULL);
      AXLE_TRY(ToStatus(MPI_Irecv(place + at,
                                  static_cast<int>(std::min(kPieceBytes, num_bytes - at)), MPI_BYTE,
                                  process, TagOf(head.number), communicator_, &requests.back())));
    }
    return {};
  }

  MPI_Comm communicator_;
  MessageSink& sink_;
  std::uint64_t num_tags_ = 32767;  // what MPI promises
  std::mutex send_mutex_;
  std::vector<std::atomic<std::uint64_t>> num_long_;  // that were sent to a process
  std::atomic<bool> is_broken_ = false, ends_ = false;
  std::vector<std::byte> frame_;
  int failing_process_ = 0;
  std::thread thread_;
};

// Ends MPI with the process, if this library has begun it: launchers take a process that ends
// otherwise for one that has crashed. Not when a process is lost, for which it would wait.
void EndMpi() {
  int is_over = 0;
  MPI_Finalized(&is_over);
  if (is_over == 0 && !has_failed) MPI_Finalize();
}

Status BeginMpi() {
  int has_begun = 0, is_over = 0;
  MPI_Initialized(&has_begun);
  MPI_Finalized(&is_over);
  if (is_over != 0) return FailedPrecondition("connect: MPI_Finalize was called already");
  int level = MPI_THREAD_SINGLE;
  if (has_begun != 0) {
    MPI_Query_thread(&level);
  } else {
    AXLE_TRY(ToStatus(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level)));
    std::atexit(EndMpi);
    std::at_quick_exit(EndMpi);
  }
  if (level == MPI_THREAD_MULTIPLE) return {};
  return FailedPrecondition(
      StrCat("connect: MPI was begun for fewer threads than MPI_THREAD_MULTIPLE (level ", level,
             " of ", static_cast<int>(MPI_THREAD_MULTIPLE), ")"));
}

// A broadcast of a text from process 0 that ends with the limit.
StatusOr<std::string> Share(MPI_Comm communicator, std::string text,
                            const std::function<Status()>& check) {
  std::vector<char> bytes(4096);
  std::memcpy(bytes.data(), text.data(), std::min(text.size(), bytes.size() - 1));
  MPI_Request request = MPI_REQUEST_NULL;
  AXLE_TRY(ToStatus(MPI_Ibcast(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0,
                               communicator, &request)));
  AXLE_TRY(Poll(request, check));
  return std::string(bytes.data());
}

// Whether all processes are on one machine.
bool IsOneMachine(int size) {
  MPI_Comm here = MPI_COMM_NULL;
  int size_here = 0;
  if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here) !=
      MPI_SUCCESS) {
    return false;
  }
  MPI_Comm_size(here, &size_here);
  MPI_Comm_free(&here);
  return size_here == size;
}

StatusOr<std::unique_ptr<Transport>> ConnectMpi(TransportOptions options, Limits* limits) {
  AXLE_TRY(BeginMpi());
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const bool is_other = (options.process_id >= 0 && options.process_id != rank) ||
                        (options.num_processes > 0 && options.num_processes != size);
  if (is_other) {
    return InvalidArgument(StrCat("connect: this is process ", rank, " of ", size,
                                  " of MPI, and process_id and num_processes, or the environment, "
                                  "say ",
                                  options.process_id, " of ", options.num_processes));
  }
  options.process_id = rank;
  options.num_processes = size;
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(options.connect_limit));
  const auto check = [&]() -> Status {
    if (limits != nullptr) AXLE_TRY(limits->CheckNow());
    if (Clock::now() < end) return {};
    return DeadlineExceeded(
        StrCat("connect: not all processes of MPI have come within ", options.connect_limit, " s"));
  };
  MPI_Comm communicator = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  AXLE_TRY(ToStatus(MPI_Comm_idup(MPI_COMM_WORLD, &communicator, &request)));
  AXLE_TRY(Poll(request, check));
  MPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  // Beside the messages there are the connections that notice when a process is lost. MPI, which
  // knows who belongs to the job, hands out where they meet, and the secret.
  if (options.listen_address.empty()) {
    constexpr const char* kLoopback = "127.0.0.1";
    constexpr const char* kElsewhere = "192.0.2.1";  // belongs to nobody (RFC 5737)
    options.listen_address = IsOneMachine(size) ? kLoopback : AddressTowards(kElsewhere);
  }
  std::unique_ptr<KeyValueStore> store;
  std::string shared;
  Status status;
  if (rank == 0) {
    options.secret = HexText(RandomBytes(kDigestBytes));
    int port = 0;
    auto served =
        ServeTcpStore(StrCat(options.listen_address, ":0"), options.secret, options.job, &port);
    status = served.status();
    if (served.ok()) {
      store = *std::move(served);
      shared = StrCat(options.secret, " ", options.listen_address, ":", port);
    }
  }
  AXLE_ASSIGN(shared, Share(communicator, shared, check));
  AXLE_TRY(status);
  const size_t space = shared.find(' ');
  if (space == shared.npos) {
    return Status(StatusCode::kUnavailable, "connect: process 0 has failed to serve the store");
  }
  if (rank != 0) {
    options.secret = shared.substr(0, space);
    AXLE_ASSIGN(store, OpenTcpStore(shared.substr(space + 1), options.secret, options.job,
                                    options.connect_limit, limits));
  }
  return ConnectOver(
      options, std::move(store), limits,
      [communicator](const TransportOptions&, MessageSink& sink, ControlPlane&) {
        return StatusOr<std::unique_ptr<Carrier>>(std::make_unique<MpiCarrier>(communicator, sink));
      });
}

}  // namespace
}  // namespace axle

extern "C" axle::StatusOr<std::unique_ptr<axle::Transport>>* axle_transport_connect(
    int version, const axle::TransportOptions& options, axle::Limits* limits) {
  if (version != axle::kTransportVersion) return nullptr;
  return new axle::StatusOr<std::unique_ptr<axle::Transport>>(axle::ConnectMpi(options, limits));
}
