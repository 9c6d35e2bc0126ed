// Loaded in front of a program (LD_PRELOAD), this sends its TCP connections to processes of a drill
// through the relay, without the program's knowledge: neither it nor Gloo has anything for that.
// All other connections are left alone. It can also make the disk of a folder seem full.
#include "tests/distributed/drills/divert.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

using Connect = int (*)(int, const sockaddr*, socklen_t);
using Write = ssize_t (*)(int, const void*, size_t);

// Whether a connection is one to divert; `preface` gets where it goes.
bool IsDiverted(int socket, const sockaddr* address, socklen_t size, axle::DivertPreface& preface) {
  if (std::getenv(axle::kRelayVariable) == nullptr || address == nullptr ||
      size < sizeof(sockaddr_in) || address->sa_family != AF_INET) {
    return false;
  }
  int type = 0;
  socklen_t type_size = sizeof type;
  if (getsockopt(socket, SOL_SOCKET, SO_TYPE, &type, &type_size) != 0 || type != SOCK_STREAM) {
    return false;
  }
  sockaddr_in wanted;
  std::memcpy(&wanted, address, sizeof wanted);
  preface.address = ntohl(wanted.sin_addr.s_addr);
  preface.port = ntohs(wanted.sin_port);
  const char* process = std::getenv("AXLE_PROCESS_ID");
  if (process != nullptr) preface.from = std::atoi(process);
  return (preface.address & 0xffff0000U) == axle::kRankNetwork;
}

// Whether a file is in the folder that takes no bytes.
bool IsInFullFolder(int file) {
  const char* folder = std::getenv(axle::kFullDiskVariable);
  if (folder == nullptr) return false;
  std::array<char, 4096> path = {};
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t size = readlink(link.c_str(), path.data(), path.size() - 1);
  return size > 0 && std::string_view(path.data(), static_cast<size_t>(size)).starts_with(folder);
}

}  // namespace

// The relay is on this machine and always accepts: waiting for it takes no time.
extern "C" int connect(int socket, const sockaddr* address, socklen_t size) {
  static const auto real = reinterpret_cast<Connect>(dlsym(RTLD_NEXT, "connect"));
  axle::DivertPreface preface;
  if (!IsDiverted(socket, address, size, preface)) return real(socket, address, size);
  sockaddr_in relay = {};
  relay.sin_family = AF_INET;
  relay.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  relay.sin_port = htons(static_cast<std::uint16_t>(std::atoi(std::getenv(axle::kRelayVariable))));
  const int flags = fcntl(socket, F_GETFL);
  fcntl(socket, F_SETFL, flags & ~O_NONBLOCK);
  int result = real(socket, reinterpret_cast<const sockaddr*>(&relay), sizeof relay);
  if (result == 0 && send(socket, &preface, sizeof preface, MSG_NOSIGNAL) !=
                         static_cast<ssize_t>(sizeof preface)) {
    result = -1;
    errno = ECONNREFUSED;
  }
  const int error = errno;
  fcntl(socket, F_SETFL, flags);
  errno = error;
  return result;
}

extern "C" ssize_t write(int file, const void* bytes, size_t size) {
  static const auto real = reinterpret_cast<Write>(dlsym(RTLD_NEXT, "write"));
  if (!IsInFullFolder(file)) return real(file, bytes, size);
  errno = ENOSPC;
  return -1;
}
