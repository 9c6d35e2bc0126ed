// How often this process is the child of a fork since the library was first asked: what belongs to
// threads of a parent is told by it, in a few instructions where getpid is a system call.
#pragma once
#include <cstdint>

namespace axle {

// Thread-safe. Goes up in a child, and counts from the first call.
std::uint32_t ForkCount();

}  // namespace axle
