// Calls of functions that are the user's: an executor, a log, progress, the release of memory. They
// should not throw. If one does, the exception ends here and becomes a status, INTERNAL with the
// name of the callback, so that it neither ends a thread of the library nor leaves its state half
// changed.
#pragma once
#include <exception>
#include <new>
#include <string_view>

#include "axle/core/status.h"

namespace axle {

// INTERNAL: "the <name> callback threw an exception: <what>". Not a bug in axle.
Status CallbackThrew(std::string_view name, std::string_view what);

// Calls `function`, the callback called `name`. OK, or the error above; RESOURCE_EXHAUSTED if it
// throws std::bad_alloc.
template <typename Function>
Status CallUser(std::string_view name, Function&& function) {
  try {
    function();
    return {};
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("no memory in a callback");
  } catch (const std::exception& exception) {
    return CallbackThrew(name, exception.what());
  } catch (...) {
    return CallbackThrew(name, "it is no std::exception");
  }
}

}  // namespace axle
