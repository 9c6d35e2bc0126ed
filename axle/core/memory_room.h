// Whether there is memory left, for calls of libraries that end the process when they get none.
#pragma once
#include "axle/core/element_type.h"

namespace axle {

// Whether the system would give this process so many bytes more just now, all at once. Limits of
// the process are honoured; what other processes leave is known only where the system promises no
// more than it has. Thread-safe; costs microseconds.
bool HasRoomFor(i64 bytes);

// Bytes of memory that this process can have at best: of the machine, or what a cgroup allows, if
// that is less. Thread-safe.
i64 MachineMemory();

}  // namespace axle
