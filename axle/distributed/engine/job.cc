#include "axle/distributed/engine/job.h"

#include "axle/core/strings.h"
#include "axle/distributed/engine/endpoint.h"
#include "axle/distributed/engine/stores.h"
#include "axle/distributed/environment.h"

namespace axle {
namespace {

constexpr std::string_view kFile = "file://";
constexpr std::string_view kTcp = "tcp://";
constexpr const char* kLoopback = "127.0.0.1";
// An address that belongs to nobody (RFC 5737): the way to it is the way out of this machine.
constexpr const char* kElsewhere = "192.0.2.1";

// A rendezvous, taken apart.
struct Place {
  std::string folder, address, host;  // host: of address
};

StatusOr<Place> ParseRendezvous(const TransportOptions& options) {
  Place place;
  const std::string_view text = options.rendezvous;
  if (options.callbacks) return place;
  if (text.starts_with(kFile) && text.size() > kFile.size() && text[kFile.size()] == '/') {
    place.folder = text.substr(kFile.size());
    while (place.folder.size() > 1 && place.folder.back() == '/') place.folder.pop_back();
    return place;
  }
  if (text.starts_with(kTcp)) {
    place.address = text.substr(kTcp.size());
    const StatusOr<HostPort> parsed = ParseHostPort(place.address);
    if (parsed.ok() && parsed->port > 0) {
      place.host = parsed->host;
      return place;
    }
  }
  return InvalidArgument(StrCat("connect: rendezvous is \"", PrintableText(text),
                                "\", must be file:///FOLDER or tcp://HOST:PORT"));
}

std::string ListenAddress(const Place& place) {
  if (!place.host.empty()) return AddressTowards(place.host);
  const StatusOr<LaunchEnvironment> environment = ReadLaunchEnvironment();
  const bool is_alone = !environment.ok() || !environment->has_several_hosts;
  return is_alone ? kLoopback : AddressTowards(kElsewhere);
}

// OK if the job needs no secret, or has one.
Status CheckSecret(const Place& place, const TransportOptions& options) {
  if (!options.secret.empty() || options.allow_no_secret || !place.folder.empty()) return {};
  const bool is_local =
      IsLoopback(options.listen_address) && (place.host.empty() || IsLoopback(place.host));
  if (is_local) return {};
  return FailedPrecondition(
      StrCat("connect: this process listens at ", options.listen_address,
             " and the job has no secret: set AXLE_JOB_SECRET to the same text everywhere, or "
             "allow_no_secret if nobody else reaches that address"));
}

}  // namespace

StatusOr<std::unique_ptr<Transport>> ConnectOver(const TransportOptions& options,
                                                 std::unique_ptr<KeyValueStore> store,
                                                 Limits* limits, const MakeCarrier& make) {
  std::unique_ptr<KeyValueStore> signed_store =
      SignedStore(std::move(store), options.secret, options.job);
  AXLE_ASSIGN(std::unique_ptr<ControlPlane> control,
              ControlPlane::Connect(options, *signed_store, limits));
  auto endpoint = std::make_unique<Endpoint>(options, std::move(signed_store), std::move(control));
  AXLE_TRY(endpoint->Start(
      [&](MessageSink& sink, ControlPlane& plane) { return make(options, sink, plane); }));
  return std::unique_ptr<Transport>(std::move(endpoint));
}

StatusOr<std::unique_ptr<Transport>> ConnectJob(TransportOptions options, Limits* limits,
                                                const MakeCarrier& make) {
  AXLE_ASSIGN(const Place place, ParseRendezvous(options));
  if (options.listen_address.empty()) options.listen_address = ListenAddress(place);
  AXLE_TRY(CheckSecret(place, options));
  StatusOr<std::unique_ptr<KeyValueStore>> store = std::unique_ptr<KeyValueStore>();
  if (options.callbacks) {
    store = StoreOfCallbacks(*options.callbacks);
  } else if (!place.folder.empty()) {
    const bool has_secret = !options.secret.empty() || options.allow_no_secret;
    store = OpenFileStore(place.folder, StrCat("secret/", options.job, "/", options.epoch),
                          has_secret ? nullptr : &options.secret);
  } else if (options.process_id == 0) {
    store = ServeTcpStore(place.address, options.secret, options.job);
  } else {
    store = OpenTcpStore(place.address, options.secret, options.job, options.connect_limit, limits);
  }
  AXLE_TRY(store.status());
  return ConnectOver(options, *std::move(store), limits, make);
}

}  // namespace axle
