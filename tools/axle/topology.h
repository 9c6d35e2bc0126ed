// The network of a job that is simulated: levels of switches, from the inside out, and how long
// they are busy with the messages of a round.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "axle/core/status.h"
#include "axle/ops/exchange_rounds.h"

namespace axle::tool {

// A level connects `units` of the level below: processes at the first level, whole switches of the
// level below at others. Each unit has one link into its switch, which carries as much in each
// direction at a time.
struct NetworkLevel {
  std::string name;
  i64 units = 0;         // of a switch; 0: all that there are
  double latency = 0;    // seconds until a message arrives whose way has no higher level
  double bandwidth = 1;  // bytes per second of a link in one direction
  double overhead = 0;   // seconds that a message keeps a link beside its bytes
  double links = 0;      // how many can be busy at a time; 0: all
  double cores = 0;      // how many devices below a switch compute at a time; 0: all
};

struct Topology {
  std::vector<NetworkLevel> levels;  // at least one

  // How many processes are below a switch of level `i`; `all` at most.
  i64 SwitchSize(size_t i, i64 all) const;
};

// Reads the file format of docs/distributed.md. Errors begin with the name and the line.
StatusOr<Topology> ParseTopology(std::string_view name, std::string_view text);

// What the links of all levels carry.
class LinkLoads {
 public:
  // What a link has carried: bytes and messages out of the unit and into it.
  struct Load {
    double out = 0, in = 0, messages_out = 0, messages_in = 0;
    double bytes() const { return out > in ? out : in; }
    double messages() const { return messages_out + messages_in; }
  };
  // The time of messages that are under way together, and what it is the time of.
  struct Time {
    double seconds = 0;
    double latency = 0;        // a part of it
    size_t level = 0;          // whose links or switches are busy for longest
    bool is_messages = false;  // mostly with messages, not with their bytes
  };

  LinkLoads(const Topology& topology, i64 num_processes);

  // Adds a round of one group. Processes below num_processes.
  void Add(const ExchangePlan& plan, const ExchangeRound& round);
  // Adds what other loads, of the same network, have carried, so many times.
  void Add(const LinkLoads& other, double times);
  void Clear();

  Time RoundTime() const;
  // By unit of a level.
  std::span<const Load> links(size_t level) const { return links_[level]; }
  // The seconds that the load keeps a link of the level.
  double Busy(size_t level, const Load& load) const;

 private:
  struct Factor {  // of the ranks in one unit: sums of what they send and receive
    double sends = 0, receives = 0, senders = 0, receivers = 0;
  };
  void AddProduct(size_t level, const ExchangePlan& plan, const ExchangeRound& round);
  void AddListed(size_t level, const ExchangePlan& plan, const ExchangeRound& round);

  const Topology& topology_;
  std::vector<i64> unit_sizes_;           // by level: processes in a unit
  std::vector<i64> switch_sizes_;         // by level: processes below a switch
  std::vector<std::vector<Load>> links_;  // by level and unit
  std::vector<Factor> factors_;           // of a round, by unit
  std::vector<size_t> touched_;           // units that the round has met
};

}  // namespace axle::tool
