#include "axle/core/memory_room.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>

#include "axle/core/file.h"

namespace axle {
namespace {

// The number of bytes in a file of a cgroup, or nothing that counts: "max", or no such file.
i64 CgroupLimit(const std::string& path) {
  constexpr i64 kNone = std::numeric_limits<i64>::max();
  const StatusOr<std::string> text = ReadFile(path, 64);
  if (!text.ok()) return kNone;
  i64 bytes = kNone;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), bytes);
  return error == std::errc() && bytes > 0 ? bytes : kNone;
}

// The least limit of a group and of the groups that it is in, down to the root of the file system.
i64 LimitOfGroups(const std::string& root, std::string_view group, std::string_view file) {
  i64 least = std::numeric_limits<i64>::max();
  for (std::string path(group); !path.empty(); path.resize(path.rfind('/'))) {
    least = std::min(least, CgroupLimit(root + path + std::string(file)));
    if (path.find('/') == path.npos) break;
  }
  return std::min(least, CgroupLimit(root + std::string(file)));
}

// Of both versions of cgroups. A container may see itself as the root of the file system, though
// its line names a path outside: the limit of the root is looked at in any case.
i64 CgroupMemory() {
  constexpr i64 kMaxBytes = i64{1} << 20;
  i64 least = std::numeric_limits<i64>::max();
  const StatusOr<std::string> lines = ReadFile("/proc/self/cgroup", kMaxBytes);
  if (!lines.ok()) return least;
  for (std::string_view rest = *lines; !rest.empty();) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const size_t first = line.find(':');
    const size_t second = line.find(':', first + 1);  // of "" if there is no first one
    if (first == line.npos || second == line.npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view group = line.substr(second + 1);
    if (controllers.empty()) {
      least = std::min(least, LimitOfGroups("/sys/fs/cgroup", group, "/memory.max"));
    } else if (controllers.find("memory") != controllers.npos) {
      least =
          std::min(least, LimitOfGroups("/sys/fs/cgroup/memory", group, "/memory.limit_in_bytes"));
    }
  }
  return least;
}

}  // namespace

bool HasRoomFor(i64 bytes) {
  void* const room = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, static_cast<size_t>(bytes));
  return true;
}

i64 MachineMemory() {
  const i64 physical = static_cast<i64>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGE_SIZE);
  return std::min(physical, CgroupMemory());
}

}  // namespace axle
