// KeyValueStore: small values that the processes of a job share, by name, to find each other.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "axle/core/limits.h"
#include "axle/core/status.h"

namespace axle {

// Thread-safe.
class KeyValueStore {
 public:
  KeyValueStore() = default;
  KeyValueStore(const KeyValueStore&) = delete;
  KeyValueStore& operator=(const KeyValueStore&) = delete;
  virtual ~KeyValueStore() = default;

  // Replaces the value of the key, all at once. RESOURCE_EXHAUSTED, with the place, if there is no
  // room for it.
  virtual Status Set(std::string_view key, std::string_view value) = 0;
  // The value, or nullopt if there is none yet.
  virtual StatusOr<std::optional<std::string>> TryGet(std::string_view key) = 0;
  // Waits for the value. DEADLINE_EXCEEDED after `seconds`, or what the limits, unless null, say.
  StatusOr<std::string> Get(std::string_view key, double seconds, Limits* limits = nullptr);
};

// A store that somebody else has, as PJRT's clients do. Functions are called from any thread.
struct KeyValueCallbacks {
  // Stores a value under a name that has none.
  std::function<Status(std::string_view key, std::string_view value)> put;
  // The value; NOT_FOUND if there is none.
  std::function<StatusOr<std::string>(std::string_view key)> try_get;
};

}  // namespace axle
