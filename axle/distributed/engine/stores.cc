#include "axle/distributed/engine/stores.h"

#include "axle/core/strings.h"
#include "axle/distributed/engine/sha256.h"

namespace axle {
namespace {

class CallbackStore : public KeyValueStore {
 public:
  explicit CallbackStore(KeyValueCallbacks callbacks) : callbacks_(std::move(callbacks)) {}

  Status Set(std::string_view key, std::string_view value) override {
    return callbacks_.put(key, value);
  }
  StatusOr<std::optional<std::string>> TryGet(std::string_view key) override {
    StatusOr<std::string> value = callbacks_.try_get(key);
    if (value.ok()) return std::optional<std::string>(*std::move(value));
    if (value.status().code() == StatusCode::kNotFound) return std::optional<std::string>();
    return value.status();
  }

 private:
  const KeyValueCallbacks callbacks_;
};

class Signed : public KeyValueStore {
 public:
  Signed(std::unique_ptr<KeyValueStore> store, std::string secret, std::string job)
      : store_(std::move(store)), secret_(std::move(secret)), job_(std::move(job)) {}

  Status Set(std::string_view key, std::string_view value) override {
    return store_->Set(key, StrCat(Code(key, value), value));
  }
  StatusOr<std::optional<std::string>> TryGet(std::string_view key) override {
    AXLE_ASSIGN(std::optional<std::string> value, store_->TryGet(key));
    if (!value) return value;
    const std::string_view all = *value;
    const std::string_view code = all.substr(0, std::min(all.size(), kDigestBytes));
    const std::string_view rest = all.substr(code.size());
    if (SameBytes(code, Code(key, rest))) return std::optional<std::string>(rest);
    return Status(StatusCode::kPermissionDenied,
                  StrCat("rendezvous: the value of \"", PrintableText(key),
                         "\" is from somebody who has another secret or belongs to another job"));
  }

 private:
  // Lengths keep what is key and what is value apart.
  std::string Code(std::string_view key, std::string_view value) const {
    return Hmac(secret_, StrCat("value\n", job_.size(), "\n", job_, key.size(), "\n", key, value));
  }

  const std::unique_ptr<KeyValueStore> store_;
  const std::string secret_, job_;
};

}  // namespace

std::unique_ptr<KeyValueStore> StoreOfCallbacks(KeyValueCallbacks callbacks) {
  return std::make_unique<CallbackStore>(std::move(callbacks));
}

std::unique_ptr<KeyValueStore> SignedStore(std::unique_ptr<KeyValueStore> store, std::string secret,
                                           std::string job) {
  return std::make_unique<Signed>(std::move(store), std::move(secret), std::move(job));
}

}  // namespace axle
