// A message goes up to the lowest switch that is above both processes, and down again. So the link
// of a unit carries what its processes send to others outside, and a switch what comes in through
// any of its links, the one upwards included.
//
// A round that is an outer product is added by sums: what the unit u sends is the sum of `sends` in
// it times the sum of `receives` outside. That takes time in proportion to the processes.
#include "tools/axle/topology.h"

#include <algorithm>
#include <charconv>

#include "axle/core/strings.h"
#include "tools/axle/quantities.h"

namespace axle::tool {
namespace {

std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    while (!line.empty() && IsSpace(line.front())) line.remove_prefix(1);
    if (line.empty() || line.front() == '#') return words;
    size_t end = 0;
    while (end < line.size() && !IsSpace(line[end])) ++end;
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

// A number of units, links or cores, more than 0.
template <typename T>
bool ParseNumber(std::string_view text, T& value) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && rest == text.data() + text.size() && value > 0 &&
         value <= T{1 << 30};
}

constexpr std::string_view kSettings[] = {"latency", "bandwidth",        "overhead",
                                          "links",   "oversubscription", "cores"};

Status ReadSetting(const std::string& place, std::string_view word, NetworkLevel& level,
                   double& oversubscription) {
  const size_t equals = word.find('=');
  const std::string_view name = word.substr(0, equals);
  const std::string_view value = equals == word.npos ? std::string_view() : word.substr(equals + 1);
  const std::string what = StrCat(place, name);
  if (name == "latency") {
    AXLE_ASSIGN(level.latency, ParseTime(what, value));
  } else if (name == "overhead") {
    AXLE_ASSIGN(level.overhead, ParseTime(what, value));
  } else if (name == "bandwidth") {
    AXLE_ASSIGN(level.bandwidth, ParseByteRate(what, value));
  } else if (std::ranges::find(kSettings, name) == std::end(kSettings)) {
    return InvalidArgument(StrCat(place, "unknown setting \"", PrintableText(name), "\"",
                                  DidYouMean(name, kSettings), "; there are ",
                                  Join(kSettings, ", ")));
  } else {
    double& number = name == "links"   ? level.links
                     : name == "cores" ? level.cores
                                       : oversubscription;
    if (!ParseNumber(value, number)) {
      return InvalidArgument(
          StrCat(what, ": \"", PrintableText(value), "\" is not a number above 0"));
    }
  }
  return {};
}

}  // namespace

i64 Topology::SwitchSize(size_t i, i64 all) const {
  i64 size = 1;
  for (size_t level = 0; level <= i; ++level) {
    const auto larger = CheckedMul(size, levels[level].units);
    if (levels[level].units == 0 || !larger || *larger >= all) return all;
    size = *larger;
  }
  return size;
}

StatusOr<Topology> ParseTopology(std::string_view name, std::string_view text) {
  Topology topology;
  i64 line_number = 0;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::vector<std::string_view> words = Words(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string place = StrCat(PrintableText(name), ":", ++line_number, ": ");
    if (words.empty()) continue;
    if (!topology.levels.empty() && topology.levels.back().units == 0) {
      return InvalidArgument(StrCat(place, "level \"", topology.levels.back().name,
                                    "\" has all units, so it must be the last one"));
    }
    NetworkLevel level = {.name = PrintableText(words[0])};
    if (words.size() < 2 || (words[1] != "*" && !ParseNumber(words[1], level.units))) {
      return InvalidArgument(StrCat(place, "level \"", level.name,
                                    "\" must be followed by how many units it connects, or * for "
                                    "all"));
    }
    level.bandwidth = 0;
    double oversubscription = 0;
    for (size_t i = 2; i < words.size(); ++i) {
      AXLE_TRY(ReadSetting(place, words[i], level, oversubscription));
    }
    if (level.bandwidth == 0) {
      return InvalidArgument(StrCat(place, "level \"", level.name, "\" has no bandwidth"));
    }
    if (oversubscription > 0) {
      if (level.links > 0 || level.units == 0) {
        return InvalidArgument(StrCat(place, "level \"", level.name,
                                      "\": oversubscription goes with ",
                                      "a number of units, and without links"));
      }
      level.links = static_cast<double>(level.units) / oversubscription;
    }
    topology.levels.push_back(std::move(level));
  }
  if (topology.levels.empty()) {
    return InvalidArgument(StrCat(PrintableText(name), ": there is no level"));
  }
  return topology;
}

LinkLoads::LinkLoads(const Topology& topology, i64 num_processes) : topology_(topology) {
  i64 unit_size = 1;
  for (size_t level = 0; level < topology.levels.size(); ++level) {
    unit_sizes_.push_back(unit_size);
    links_.emplace_back(static_cast<size_t>((num_processes + unit_size - 1) / unit_size));
    unit_size = topology.SwitchSize(level, num_processes);
    switch_sizes_.push_back(unit_size);
  }
  factors_.resize(static_cast<size_t>(num_processes));
}

void LinkLoads::Clear() {
  for (std::vector<Load>& links : links_) std::ranges::fill(links, Load());
}

void LinkLoads::Add(const ExchangePlan& plan, const ExchangeRound& round) {
  for (size_t level = 0; level < links_.size(); ++level) {
    if (round.messages.empty()) {
      AddProduct(level, plan, round);
    } else {
      AddListed(level, plan, round);
    }
  }
}

void LinkLoads::AddProduct(size_t level, const ExchangePlan& plan, const ExchangeRound& round) {
  Factor all;
  for (size_t rank = 0; rank < round.sends.size(); ++rank) {
    const auto unit = static_cast<size_t>(plan.processes[rank] / unit_sizes_[level]);
    Factor& factor = factors_[unit];
    // A unit without any factor yet may be listed twice, which is harmless: it is taken once.
    if (factor.senders == 0 && factor.receivers == 0) touched_.push_back(unit);
    const auto sends = static_cast<double>(round.sends[rank]);
    const auto receives = static_cast<double>(round.receives[rank]);
    for (Factor* sum : {&factor, &all}) {
      sum->sends += sends;
      sum->receives += receives;
      sum->senders += sends > 0 ? 1 : 0;
      sum->receivers += receives > 0 ? 1 : 0;
    }
  }
  for (const size_t unit : touched_) {
    const Factor factor = std::exchange(factors_[unit], Factor());
    Load& link = links_[level][unit];
    link.out += factor.sends * (all.receives - factor.receives);
    link.in += factor.receives * (all.sends - factor.sends);
    link.messages_out += factor.senders * (all.receivers - factor.receivers);
    link.messages_in += factor.receivers * (all.senders - factor.senders);
  }
  touched_.clear();
}

void LinkLoads::AddListed(size_t level, const ExchangePlan& plan, const ExchangeRound& round) {
  for (const ExchangeMessage& message : round.messages) {
    const auto unit_of = [&](i64 rank) {
      return static_cast<size_t>(plan.processes[static_cast<size_t>(rank)] / unit_sizes_[level]);
    };
    const size_t from = unit_of(message.from), to = unit_of(message.to);
    if (from == to) continue;
    Load& source = links_[level][from];
    Load& target = links_[level][to];
    source.out += static_cast<double>(message.bytes);
    source.messages_out += 1;
    target.in += static_cast<double>(message.bytes);
    target.messages_in += 1;
  }
}

void LinkLoads::Add(const LinkLoads& other, double times) {
  for (size_t level = 0; level < links_.size(); ++level) {
    for (size_t unit = 0; unit < links_[level].size(); ++unit) {
      Load& to = links_[level][unit];
      const Load& from = other.links_[level][unit];
      to.out += from.out * times;
      to.in += from.in * times;
      to.messages_out += from.messages_out * times;
      to.messages_in += from.messages_in * times;
    }
  }
}

double LinkLoads::Busy(size_t level, const Load& load) const {
  const NetworkLevel& network = topology_.levels[level];
  return load.bytes() / network.bandwidth + load.messages() * network.overhead;
}

LinkLoads::Time LinkLoads::RoundTime() const {
  Time time;
  const auto take = [&](size_t level, double bytes, double messages) {
    const NetworkLevel& network = topology_.levels[level];
    const double for_bytes = bytes / network.bandwidth, for_messages = messages * network.overhead;
    if (for_bytes + for_messages <= time.seconds) return;
    time.seconds = for_bytes + for_messages;
    time.level = level;
    time.is_messages = for_messages > for_bytes;
  };
  for (size_t level = 0; level < links_.size(); ++level) {
    const NetworkLevel& network = topology_.levels[level];
    const auto per_switch =
        static_cast<size_t>((switch_sizes_[level] + unit_sizes_[level] - 1) / unit_sizes_[level]);
    for (size_t first = 0; first < links_[level].size(); first += per_switch) {
      const size_t end = std::min(first + per_switch, links_[level].size());
      Load whole;  // what comes from the units, and goes to them
      for (size_t unit = first; unit < end; ++unit) {
        const Load& link = links_[level][unit];
        take(level, link.bytes(), link.messages());
        if (link.messages() > 0) time.latency = std::max(time.latency, network.latency);
        whole.out += link.out;
        whole.in += link.in;
        whole.messages_out += link.messages_out;
        whole.messages_in += link.messages_in;
      }
      if (network.links > 0) {
        take(level, whole.bytes() / network.links, whole.messages() / network.links);
      }
    }
  }
  time.seconds += time.latency;
  return time;
}

}  // namespace axle::tool
