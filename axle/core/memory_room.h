// Whether there is memory left, for calls of libraries that end the process when they get none.
#pragma once
#include "axle/core/element_type.h"

namespace axle {

// Whether the system would give this process so many bytes more just now, all at once. Limits of
// the process are honoured; what other processes leave is known only where the system promises no
// more than it has. Thread-safe; costs microseconds.
bool HasRoomFor(i64 bytes);

}  // namespace axle
