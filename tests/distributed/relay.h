// Relay: a network that can fail, between the processes of one job on this machine.
//
// drills/divert.cc sends the connections of processes here; the first bytes say who connects and
// where to. The relay connects with that place, and carries bytes both ways, as the link between
// the two processes allows: late, slowly, not now, or never. A thread does all of it.
#pragma once
#include <atomic>
#include <chrono>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "axle/distributed/engine/sockets.h"
#include "tests/distributed/drills/divert.h"

namespace axle {

// One direction of a link between two processes.
struct LinkState {
  double delay = 0;             // seconds that each byte is late
  double bytes_per_second = 0;  // of each connection; 0: no limit
  bool is_held = false;         // bytes wait here
  bool is_hole = false;         // bytes are taken, and go nowhere
};

class Relay {
 public:
  // Which connections between two processes: those that watch and share values, or those that carry
  // messages.
  enum Kind : std::uint8_t { kControl = 1, kData = 2, kBoth = 3 };

  Relay();
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // The port at 127.0.0.1; 0 if there is none.
  int port() const { return listener_.port; }
  // How the link from one process to another is from now on.
  void Set(int from, int to, const LinkState& state);
  void SetBothWays(int one, int other, const LinkState& state) {
    Set(one, other, state);
    Set(other, one, state);
  }
  // Ends the connections between two processes, with a reset or as if the other side had closed
  // them. Returns how many.
  int Break(int one, int other, Kind kind, bool resets);

 private:
  using Clock = std::chrono::steady_clock;
  struct Chunk {
    Clock::time_point due;
    std::string bytes;
  };
  // One direction of a connection.
  struct Stream {
    std::deque<Chunk> chunks;
    size_t num_bytes = 0;  // in chunks
    bool has_ended = false, has_told = false;
    bool is_blocked = false;  // the receiver takes no more
    double credit = 0;        // bytes that may go
    Clock::time_point last_credit = Clock::now();
  };
  struct Connection {
    Descriptor ends[2];  // of who has connected, and of where to; the second one may come later
    int processes[2] = {-1, -1};
    std::string preface;  // while it is read
    HostPort target;
    Kind kind = kData;
    std::string first;  // bytes, which tell the kind
    Stream streams[2];  // streams[i] comes from ends[i]
    bool is_over = false;
  };

  void Run();
  void Step(Connection& connection);
  bool Open(Connection& connection);
  void Take(Connection& connection, int side);
  void Give(Connection& connection, int side);
  void End(Connection& connection, bool resets);
  LinkState StateOf(const Connection& connection, int side) const;
  void Poll();

  Listener listener_;
  Descriptor wake_;
  std::mutex mutex_;  // guards what follows
  std::map<std::pair<int, int>, LinkState> links_;
  std::list<Connection> connections_;
  bool stops_ = false;
  std::thread thread_;
};

}  // namespace axle
