// The key-value stores: a folder of files, a server in process 0, functions of somebody else, and
// the signature around each of them.
#pragma once
#include <memory>
#include <string>

#include "axle/distributed/key_value_store.h"
#include "axle/distributed/transport.h"

namespace axle {

// A folder, which may be on a file system of several machines: a file for each key. A value is
// written beside its place and then renamed, so that nobody reads half of it. The folder is made
// if it is missing, for its owner alone. The store removes what it has written when it goes, and
// the last one the folder. With `secret`, unless it is null, the store also gives the job a secret:
// the file `secret_name` of the folder, which the first process writes and only its owner may read.
// PERMISSION_DENIED if others may, or have written it.
StatusOr<std::unique_ptr<KeyValueStore>> OpenFileStore(const std::string& folder,
                                                       std::string_view secret_name = {},
                                                       std::string* secret = nullptr);

// The server of process 0, in a thread of its own, and its clients: values in memory. Requests come
// over channels (channel.h). `port`, unless null, gets the port, which differs from that of the
// address if that is 0.
StatusOr<std::unique_ptr<KeyValueStore>> ServeTcpStore(const std::string& address,
                                                       const std::string& secret,
                                                       const std::string& job, int* port = nullptr);
// Connects until the server is there, for `seconds`.
StatusOr<std::unique_ptr<KeyValueStore>> OpenTcpStore(const std::string& address,
                                                      const std::string& secret,
                                                      const std::string& job, double seconds,
                                                      Limits* limits);

std::unique_ptr<KeyValueStore> StoreOfCallbacks(KeyValueCallbacks callbacks);

// Puts an HMAC of the job, the key and the value in front of each value of `store`. A value that
// has another one is PERMISSION_DENIED.
std::unique_ptr<KeyValueStore> SignedStore(std::unique_ptr<KeyValueStore> store, std::string secret,
                                           std::string job);

}  // namespace axle
