#include "tests/distributed/relay.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace axle {
namespace {

// What is kept of one direction. A sender that is faster waits.
constexpr size_t kMostBytes = size_t{256} << 10;
// The first bytes of a channel (axle/distributed/engine/channel.h).
constexpr std::string_view kChannelMagic = "axle-job";

}  // namespace

Relay::Relay() : wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  StatusOr<Listener> listener = Listen({"127.0.0.1", 0});
  if (!listener.ok() || !wake_.valid()) return;
  listener_ = *std::move(listener);
  thread_ = std::thread([this] { Run(); });
}

Relay::~Relay() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  const std::uint64_t one = 1;
  static_cast<void>(!write(wake_.get(), &one, sizeof one));
  if (thread_.joinable()) thread_.join();
}

void Relay::Set(int from, int to, const LinkState& state) {
  {
    const std::lock_guard lock(mutex_);
    links_[{from, to}] = state;
  }
  const std::uint64_t one = 1;
  static_cast<void>(!write(wake_.get(), &one, sizeof one));
}

int Relay::Break(int one, int other, Kind kind, bool resets) {
  const std::lock_guard lock(mutex_);
  int count = 0;
  for (Connection& connection : connections_) {
    const auto [from, to] = std::pair(connection.processes[0], connection.processes[1]);
    const bool is_between = (from == one && to == other) || (from == other && to == one);
    if (!is_between || (connection.kind & kind) == 0 || connection.is_over) continue;
    End(connection, resets);
    ++count;
  }
  return count;
}

LinkState Relay::StateOf(const Connection& connection, int side) const {
  const auto found = links_.find({connection.processes[side], connection.processes[1 - side]});
  return found == links_.end() ? LinkState() : found->second;
}

void Relay::End(Connection& connection, bool resets) {
  for (Descriptor& end : connection.ends) {
    if (resets && end.valid()) {
      const linger at_once = {1, 0};
      setsockopt(end.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    }
    end.Close();
  }
  connection.is_over = true;
}

// Reads where a connection wants to go, and connects with that. False while it is not there.
bool Relay::Open(Connection& connection) {
  if (connection.ends[1].valid()) return true;
  if (connection.preface.size() < sizeof(DivertPreface)) {
    std::array<char, sizeof(DivertPreface)> bytes;
    const ssize_t got = recv(connection.ends[0].get(), bytes.data(),
                             bytes.size() - connection.preface.size(), MSG_DONTWAIT);
    if (got == 0 || (got < 0 && errno != EAGAIN)) End(connection, false);
    if (got > 0) connection.preface.append(bytes.data(), static_cast<size_t>(got));
    if (connection.preface.size() < sizeof(DivertPreface)) return false;
    DivertPreface preface;
    std::memcpy(&preface, connection.preface.data(), sizeof preface);
    if (preface.magic != DivertPreface::kMagic) {
      End(connection, false);
      return false;
    }
    const std::uint32_t address = preface.address;
    connection.processes[0] = preface.from;
    connection.processes[1] = static_cast<int>(address & 255) - 1;
    connection.target = {std::to_string(address >> 24) + "." + std::to_string(address >> 16 & 255) +
                             "." + std::to_string(address >> 8 & 255) + "." +
                             std::to_string(address & 255),
                         static_cast<int>(preface.port)};
  }
  const LinkState there = StateOf(connection, 0), back = StateOf(connection, 1);
  if (there.is_hole || there.is_held || back.is_hole || back.is_held) return false;
  StatusOr<Descriptor> socket = BeginConnect(connection.target);
  if (!socket.ok()) {
    End(connection, true);
    return false;
  }
  pollfd polled = {socket->get(), POLLOUT, 0};
  if (poll(&polled, 1, 1000) != 1 || !ConnectResult(socket->get(), connection.target).ok()) {
    End(connection, true);
    return false;
  }
  connection.ends[1] = *std::move(socket);
  return true;
}

// Reads what one side has sent.
void Relay::Take(Connection& connection, int side) {
  Stream& stream = connection.streams[side];
  const LinkState state = StateOf(connection, side);
  if (state.is_hole) {
    stream.chunks.clear();
    stream.num_bytes = 0;
  }
  std::array<char, 16384> bytes;
  while (!stream.has_ended && stream.num_bytes < kMostBytes) {
    const ssize_t got = recv(connection.ends[side].get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
      stream.has_ended = true;
      return;
    }
    const std::string_view text(bytes.data(), static_cast<size_t>(got));
    if (side == 0 && connection.first.size() < kChannelMagic.size()) {
      connection.first += text.substr(0, kChannelMagic.size() - connection.first.size());
      if (connection.first == kChannelMagic) connection.kind = kControl;
    }
    if (state.is_hole) continue;
    const auto delay = std::chrono::duration<double>(state.delay);
    stream.chunks.push_back(
        {Clock::now() + std::chrono::duration_cast<Clock::duration>(delay), std::string(text)});
    stream.num_bytes += text.size();
  }
}

// Sends the other side what may go to it.
void Relay::Give(Connection& connection, int side) {
  Stream& stream = connection.streams[side];
  const LinkState state = StateOf(connection, side);
  if (state.is_hole || state.is_held || stream.has_told) return;
  const auto now = Clock::now();
  const int out = connection.ends[1 - side].get();
  const double most = std::max(state.bytes_per_second / 50, 1024.0);
  stream.credit +=
      state.bytes_per_second * std::chrono::duration<double>(now - stream.last_credit).count();
  stream.credit = std::min(stream.credit, most);
  stream.last_credit = now;
  while (!stream.chunks.empty() && stream.chunks.front().due <= now) {
    std::string& bytes = stream.chunks.front().bytes;
    size_t size = bytes.size();
    if (state.bytes_per_second > 0) size = std::min(size, static_cast<size_t>(stream.credit));
    if (size == 0) return;
    const ssize_t sent = send(out, bytes.data(), size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      stream.is_blocked = errno == EAGAIN;
      // Nobody takes it any more: what the other direction has still to say goes on.
      if (!stream.is_blocked) {
        stream.has_ended = stream.has_told = true;
        stream.chunks.clear();
      }
      return;
    }
    stream.is_blocked = false;
    if (state.bytes_per_second > 0) stream.credit -= static_cast<double>(sent);
    stream.num_bytes -= static_cast<size_t>(sent);
    bytes.erase(0, static_cast<size_t>(sent));
    if (bytes.empty()) stream.chunks.pop_front();
  }
  if (stream.has_ended && stream.chunks.empty()) {
    shutdown(out, SHUT_WR);
    stream.has_told = true;
  }
}

void Relay::Step(Connection& connection) {
  if (connection.is_over || !Open(connection)) return;
  for (const int side : {0, 1}) {
    Take(connection, side);
    Give(connection, side);
  }
  if (connection.streams[0].has_told && connection.streams[1].has_told) End(connection, false);
}

void Relay::Poll() {
  std::vector<pollfd> polled = {{wake_.get(), POLLIN, 0}, {listener_.socket.get(), POLLIN, 0}};
  int wait = 100;
  {
    const std::lock_guard lock(mutex_);
    for (const Connection& connection : connections_) {
      if (!connection.ends[1].valid()) {
        if (connection.preface.size() < sizeof(DivertPreface)) {
          polled.push_back({connection.ends[0].get(), POLLIN, 0});
        }
        continue;
      }
      for (const int side : {0, 1}) {
        const Stream& stream = connection.streams[side];
        const Stream& back = connection.streams[1 - side];
        const bool reads = !stream.has_ended && stream.num_bytes < kMostBytes;
        const bool writes = back.is_blocked && !back.has_told;
        const int events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0);
        if (events != 0) {
          polled.push_back({connection.ends[side].get(), static_cast<short>(events), 0});
        }
        const LinkState state = StateOf(connection, side);
        const bool waits = (!stream.chunks.empty() && !stream.is_blocked) ||
                           (stream.has_ended && !stream.has_told);
        if (waits && !state.is_held && !state.is_hole) wait = 2;
      }
    }
  }
  poll(polled.data(), polled.size(), wait);
  std::uint64_t count = 0;
  static_cast<void>(!read(wake_.get(), &count, sizeof count));
}

void Relay::Run() {
  while (true) {
    Poll();
    const std::lock_guard lock(mutex_);
    if (stops_) return;
    while (true) {
      Descriptor accepted = Accept(listener_);
      if (!accepted.valid()) break;
      connections_.emplace_back();
      connections_.back().ends[0] = std::move(accepted);
    }
    for (Connection& connection : connections_) Step(connection);
    std::erase_if(connections_, [](const Connection& c) { return c.is_over; });
  }
}

}  // namespace axle
