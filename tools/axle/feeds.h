// What a program exchanges with its host while it runs, from and to files: --infeed and --outfeed
// for the queues, --recv and --send for the channels of host transfers.
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "axle/core/npz.h"
#include "axle/runtime/host_device.h"
#include "tools/axle/session.h"

namespace axle::tool {

// The arrays of a .npz file in the order of the numbers at the end of their names: in_0, in_1, ...,
// in_10, or arr_0, ... as numpy.savez names them.
struct FeedFile {
  std::string path;  // as messages show it
  std::vector<std::pair<std::string, NpyArray>> arrays;
};

// The files that the options name, read once, for any number of runs.
struct Feeds {
  std::optional<FeedFile> infeed;
  std::map<i64, FeedFile> recvs;     // by channel
  std::map<i64, std::string> sends;  // by channel: where to
};
// Errors: INVALID_ARGUMENT for options and files that are not what they must be.
StatusOr<Feeds> ReadFeeds(Session& session);

// The device of one run. Values come from the feeds, each infeed and recv takes as many arrays as
// its shape has, and no run waits for more than there are: that is INVALID_ARGUMENT, which says
// which option is missing or what file is too short. What goes out is kept where an option wants
// it, and counted. Thread-safe.
class FeedDevice : public HostDevice {
 public:
  // `sent` are the channels between devices that the program sends to: it is alone.
  FeedDevice(const Feeds& feeds, bool keeps_outfeed, std::span<const std::optional<i64>> sent)
      : feeds_(feeds), keeps_outfeed_(keeps_outfeed) {
    AddSenders(sent);
  }

  StatusOr<Literal> Infeed(const Shape& shape, std::string_view config, Limits* limits) override;
  Status Outfeed(const Literal& value, const Shape& shape, std::string_view config,
                 Limits* limits) override;
  Status Send(const TransferChannel& channel, const Literal& value, Limits* limits) override;
  StatusOr<i64> StartRecv(const TransferChannel& channel) override;
  StatusOr<Literal> FinishRecv(const TransferChannel& channel, i64 place, const Shape& shape,
                               Limits* limits) override;

  // After the run: writes the files that --outfeed and --send name; tells, unless --quiet, what was
  // dropped because no option wants it, and what was not read.
  Status Finish(Session& session);

 private:
  struct Sent {
    i64 count = 0;  // of arrays
    std::vector<Literal> kept;
  };
  void Keep(Sent& sent, const Literal& value, bool is_wanted);

  const Feeds& feeds_;
  const bool keeps_outfeed_;
  std::mutex mutex_;
  size_t infed_ = 0;                       // arrays that were taken
  std::map<i64, i64> started_, received_;  // by channel: recvs; arrays that they took
  Sent outfed_;
  std::map<i64, Sent> sent_;
};

}  // namespace axle::tool
