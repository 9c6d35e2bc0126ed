// What Gloo's headers of pairs need and Debian's package leaves out: pointers to the buffers of
// operations. Nothing here is used but their size, with which pairs are laid out;
// guarded_context.cc compares that with the library. In front of this is the header of Gloo itself,
// where there is one.
#pragma once
#include <unistd.h>

#include <memory>

namespace gloo {

template <typename T>
class NonOwningPtr {
  std::shared_ptr<T> object_;
};

template <typename T>
class WeakNonOwningPtr {
  std::weak_ptr<T> object_;
};

template <typename T>
class ShareableNonOwningPtr {
  std::shared_ptr<T> object_;
};

}  // namespace gloo
