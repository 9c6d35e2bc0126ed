#include "tools/axle/feeds.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "axle/client/arguments.h"
#include "axle/core/file.h"
#include "axle/core/safetensors.h"
#include "axle/core/strings.h"
#include "tools/axle/values.h"

namespace axle::tool {
namespace {

StatusOr<FeedFile> ReadFeedFile(Session& session, const std::string& path,
                                std::string_view option) {
  FeedFile file = {.path = PrintableText(path), .arrays = {}};
  const auto wrong = [&](std::string_view what) {
    return InvalidArgument(StrCat(option, ": ", file.path, ": ", what));
  };
  AXLE_ASSIGN(const std::string bytes, session.Read(path));
  StatusOr<Npz> npz = ReadArrays(bytes, session.limits().memory_cap());
  if (!npz.ok()) return wrong(npz.status().message());
  std::vector<std::string> names;
  for (const auto& [name, array] : *npz) names.push_back(name);
  const StatusOr<std::map<i64, std::string>> by_number = NamesByNumber(names, "in_");
  if (!by_number.ok()) return wrong(by_number.status().message());
  for (const auto& [number, name] : *by_number) {
    file.arrays.emplace_back(name, std::move(npz->at(name)));
  }
  return file;
}

// CHANNEL=FILE.npz of --recv or --send.
StatusOr<std::pair<i64, std::string>> ReadChannel(const std::string& text,
                                                  std::string_view option) {
  i64 channel = 0;
  const size_t equals = text.find('=');
  const char* end = text.data() + std::min(equals, text.size());
  const auto [rest, error] = std::from_chars(text.data(), end, channel);
  if (equals == text.npos || error != std::errc() || rest != end || !text.ends_with(".npz")) {
    return InvalidArgument(StrCat(option, ": \"", PrintableText(text),
                                  "\" is not CHANNEL=FILE.npz, with the number of a channel"));
  }
  return std::pair(channel, text.substr(equals + 1));
}

Status GivenTwice(std::string_view option, i64 channel) {
  return InvalidArgument(StrCat(option, ": channel ", channel, " is given twice"));
}

i64 CountArrays(const Shape& shape) {
  i64 count = 0;
  ForEachLeaf(shape, [&](const Shape& leaf, const Dims&) { count += leaf.is_array() ? 1 : 0; });
  return count;
}

// The arrays of a file from `first` on as a value of this shape. `what` opens messages.
StatusOr<Literal> TakeArrays(const FeedFile& file, i64 first, const Shape& shape,
                             std::string_view what, Limits* limits) {
  const i64 wanted = CountArrays(shape), there = static_cast<i64>(file.arrays.size());
  if (wanted > there - first) {
    return InvalidArgument(StrCat(
        what, ": ", file.path, " has ", there, there == 1 ? " array, " : " arrays, ", first,
        " of them were taken, and the program asks for ", wanted, " more of ", shape.ToString()));
  }
  std::vector<Literal> leaves;
  Status status;
  ForEachLeaf(shape, [&](const Shape& leaf, const Dims&) {
    if (!status.ok() || !leaf.is_array()) return;
    const auto& [name, array] = file.arrays[first + static_cast<i64>(leaves.size())];
    StatusOr<Literal> literal = ToLiteral(array, leaf.WithoutLayout());
    if (literal.ok()) {
      leaves.push_back(*std::move(literal));
    } else {
      status = InvalidArgument(
          StrCat(what, ": ", file.path, ": ", name, " ", literal.status().message()));
    }
  });
  AXLE_TRY(status);
  constexpr i64 kNoEnd = std::numeric_limits<i64>::max();
  BufferQueue queue(what, kNoEnd, kNoEnd);  // which knows how values are made of arrays
  if (!leaves.empty()) AXLE_TRY(queue.Push(Literal::Tuple(std::move(leaves)), limits));
  return queue.Pop(shape, limits);
}

Status WriteFeed(const std::string& path, std::string_view prefix,
                 const std::vector<Literal>& arrays) {
  std::vector<std::pair<std::string, Literal>> members;
  for (const Literal& array : arrays) members.emplace_back(StrCat(prefix, members.size()), array);
  AXLE_ASSIGN(const std::string bytes, WriteNpz(members, /*deflate=*/false));
  return WriteFile(path, bytes);
}

std::string Arrays(i64 count) {
  return StrCat(count, count == 1 ? " array" : " arrays");
}

void NoteUnread(Session& session, const FeedFile& file, i64 taken, std::string_view option) {
  const i64 there = static_cast<i64>(file.arrays.size());
  if (taken >= there) return;
  session.Say(StrCat("note: ", option, ": the program took ", taken, " of the ", Arrays(there),
                     " in ", file.path));
}

}  // namespace

StatusOr<Feeds> ReadFeeds(Session& session) {
  const Options& options = session.options();
  Feeds feeds;
  if (!options.outfeed.empty() && !options.outfeed.ends_with(".npz")) {
    return InvalidArgument(StrCat("--outfeed: \"", PrintableText(options.outfeed),
                                  "\" is not the name of a .npz file"));
  }
  for (const std::string& text : options.sends) {
    AXLE_ASSIGN(const auto channel, ReadChannel(text, "--send"));
    if (!feeds.sends.insert(channel).second) return GivenTwice("--send", channel.first);
  }
  for (const std::string& text : options.recvs) {
    AXLE_ASSIGN(const auto channel, ReadChannel(text, "--recv"));
    if (feeds.recvs.contains(channel.first)) return GivenTwice("--recv", channel.first);
    AXLE_ASSIGN(feeds.recvs[channel.first], ReadFeedFile(session, channel.second, "--recv"));
  }
  if (options.infeed.empty()) return feeds;
  AXLE_ASSIGN(feeds.infeed, ReadFeedFile(session, options.infeed, "--infeed"));
  return feeds;
}

StatusOr<Literal> FeedDevice::Infeed(const Shape& shape, std::string_view /*config*/,
                                     Limits* limits) {
  if (!feeds_.infeed) {
    return InvalidArgument(StrCat("infeed: the program asks for ", shape.ToString(),
                                  "; give --infeed FILE.npz with its arrays"));
  }
  const std::lock_guard lock(mutex_);
  AXLE_ASSIGN(Literal value,
              TakeArrays(*feeds_.infeed, static_cast<i64>(infed_), shape, "--infeed", limits));
  infed_ += CountArrays(shape);
  return value;
}

void FeedDevice::Keep(Sent& sent, const Literal& value, bool is_wanted) {
  for (auto& [name, array] : NamedLeaves(value, "")) {
    ++sent.count;
    if (!is_wanted) continue;
    array.OwnStorage();
    sent.kept.push_back(std::move(array));
  }
}

Status FeedDevice::Outfeed(const Literal& value, const Shape& /*shape*/,
                           std::string_view /*config*/, Limits* /*limits*/) {
  const std::lock_guard lock(mutex_);
  Keep(outfed_, value, keeps_outfeed_);
  return {};
}

// The number that --recv and --send have for it.
static i64 NumberOf(const TransferChannel& channel) {
  return channel.id.value_or(0);
}

Status FeedDevice::Send(const TransferChannel& channel, const Literal& value, Limits* limits) {
  if (!channel.is_host_transfer) return HostDevice::Send(channel, value, limits);
  const std::lock_guard lock(mutex_);
  Keep(sent_[NumberOf(channel)], value, feeds_.sends.contains(NumberOf(channel)));
  return {};
}

StatusOr<i64> FeedDevice::StartRecv(const TransferChannel& channel) {
  if (!channel.is_host_transfer) return HostDevice::StartRecv(channel);
  const std::lock_guard lock(mutex_);
  return started_[NumberOf(channel)]++;
}

StatusOr<Literal> FeedDevice::FinishRecv(const TransferChannel& channel, i64 place,
                                         const Shape& shape, Limits* limits) {
  if (!channel.is_host_transfer) return HostDevice::FinishRecv(channel, place, shape, limits);
  const std::lock_guard lock(mutex_);
  const i64 number = NumberOf(channel);
  const auto file = feeds_.recvs.find(number);
  if (file == feeds_.recvs.end()) {
    return InvalidArgument(StrCat("recv: the program asks channel ", number, " for ",
                                  shape.ToString(), "; give --recv ", number,
                                  "=FILE.npz with its arrays"));
  }
  // The values of a channel have one shape, so that the place says where each begins.
  const i64 size = CountArrays(shape);
  AXLE_ASSIGN(Literal value,
              TakeArrays(file->second, place * size, shape, StrCat("--recv ", number), limits));
  received_[number] += size;
  return value;
}

Status FeedDevice::Finish(Session& session) {
  const Options& options = session.options();
  const std::lock_guard lock(mutex_);
  if (!options.outfeed.empty()) {
    AXLE_TRY(WriteFeed(options.outfeed, "out_", outfed_.kept));
  } else if (outfed_.count > 0) {
    session.Say(StrCat("note: the program put ", Arrays(outfed_.count),
                       " into the outfeed; --outfeed FILE.npz keeps them"));
  }
  for (const auto& [channel, path] : feeds_.sends) {
    AXLE_TRY(WriteFeed(path, "out_", sent_[channel].kept));
  }
  for (const auto& [channel, sent] : sent_) {
    if (feeds_.sends.contains(channel)) continue;
    session.Say(StrCat("note: the program sent ", Arrays(sent.count), " to channel ", channel,
                       "; --send ", channel, "=FILE.npz keeps them"));
  }
  if (feeds_.infeed) {
    NoteUnread(session, *feeds_.infeed, static_cast<i64>(infed_), "--infeed");
  }
  for (const auto& [channel, file] : feeds_.recvs) {
    NoteUnread(session, file, received_[channel], StrCat("--recv ", channel));
  }
  return {};
}

}  // namespace axle::tool
