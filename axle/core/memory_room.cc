#include "axle/core/memory_room.h"

#include <sys/mman.h>

namespace axle {

bool HasRoomFor(i64 bytes) {
  void* const room = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) return false;
  munmap(room, static_cast<size_t>(bytes));
  return true;
}

}  // namespace axle
