// The devices of a group that are in one process have met. One of them, the leader, exchanges
// messages with the leaders of the other processes, and computes the results of all devices here.
// Every process sends each other one what that needs and does not have:
//
//   all-reduce        small: its values to all, and each folds everything. Large: the message is
//                     cut into a part for each process, which gets the values of its part, folds
//                     them and sends the result to all
//   reduce-scatter    for each device there, the values of its part
//   all others        the rows, operands or values that the devices there get of those here
//
// Folds keep the tree over the positions of the group (group_fold.h). Where all positions below a
// node of the tree are in one process, that process folds them and sends one value, so that the
// bits are the same wherever the devices are.
//
// A large message goes in pieces: while one is on its way another is folded. Sends never wait for
// receives, so that the order of both matters for time alone.
#include "axle/codegen/steps/spanning_step.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "axle/codegen/steps/copy_rows.h"
#include "axle/core/storage_block.h"
#include "axle/core/strings.h"
#include "axle/ops/collective_meeting.h"
#include "axle/ops/exchange_rounds.h"
#include "axle/ops/op_def.h"
#include "axle/runtime/group_run.h"

namespace axle {
namespace {

using How = ExchangeForm;

// Bytes of a piece of a large message: half of it costs Gloo half as much again.
constexpr i64 kPieceBytes = i64{1} << 19;

class Spanning {
 public:
  Spanning(const CollectivePlan& plan, GroupRun& group, const Seat& seat, const HostRun& run)
      : plan_(plan),
        group_(group),
        seat_(seat),
        team_(*seat.spanning),
        transport_(*group.link()->transport),
        run_(run),
        operation_(
            StrCat(GetOpDef(*plan.evaluate.inst).text, " \"", plan.evaluate.inst->name(), "\"")),
        key_({group.link()->run, plan.instruction, static_cast<i64>(seat.execution),
              team_.hash ^ plan.form, operation_}) {}

  StatusOr<bool> Run() {
    Status status;
    switch (plan_.how) {
      case How::kReduce:
        status = plan_.is_small() ? ReduceAtOnce() : ReduceInParts();
        break;
      case How::kReduceScatter:
        status = ReduceScatter();
        break;
      default:
        status = Pull();
    }
    if (is_stopped_) return false;
    AXLE_TRY(status);
    return true;
  }

 private:
  // Of this process.
  int self() const { return team_.self; }
  int num_ranks() const { return static_cast<int>(team_.processes.size()); }
  const Dims& MembersOf(int rank) const { return team_.members[static_cast<size_t>(rank)]; }
  size_t num_here() const { return MembersOf(self()).size(); }
  i64 num_positions() const { return std::ssize(team_.rank_of); }

  void* const* Buffers(size_t here) const {
    return static_cast<void* const*>(
        const_cast<void*>(seat_.station->shown(here, seat_.execution)));
  }
  const std::byte* Operand(size_t here, size_t i) const {
    return static_cast<const std::byte*>(Buffers(here)[i]);
  }
  std::byte* Result(size_t here, size_t i) const {
    return static_cast<std::byte*>(Buffers(here)[plan_.arrays.size() + plan_.first_result + i]);
  }
  std::byte* Scratch() const {
    return static_cast<std::byte*>(Buffers(seat_.position)[plan_.arrays.size() * 2]);
  }
  // The place among those here of a position of this process.
  size_t HereOf(i64 position) const {
    return static_cast<size_t>(std::ranges::lower_bound(MembersOf(self()), position) -
                               MembersOf(self()).begin());
  }

  // An empty message is neither sent nor received.
  Status Send(int rank, const std::byte* bytes, i64 size) {
    if (size == 0) return {};
    if (run_.stopped(&run_)) {
      is_stopped_ = true;
      return Cancelled("stopped");
    }
    return transport_.Send(team_.processes[static_cast<size_t>(rank)], key_,
                           {bytes, static_cast<size_t>(size)}, run_.limits);
  }
  StatusOr<std::unique_ptr<PendingReceive>> StartReceive(int rank, std::byte* bytes,
                                                         i64 size) const {
    return transport_.StartReceive(team_.processes[static_cast<size_t>(rank)], key_,
                                   {bytes, static_cast<size_t>(size)});
  }
  // The messages of the others, one each.
  struct Incoming {
    struct Receive {
      int process;
      std::unique_ptr<PendingReceive> message;
    };
    std::vector<const std::byte*> from;  // by rank: where what is left of the message begins
    std::vector<Receive> receives;
  };
  // Begins the receives of size_of(rank) bytes each, at `at` and behind it.
  template <typename SizeOf>
  StatusOr<Incoming> ReceiveFromOthers(const SizeOf& size_of, std::byte*& at) const {
    Incoming incoming = {std::vector<const std::byte*>(static_cast<size_t>(num_ranks())), {}};
    AXLE_TRY(ForOthers([&](int rank) -> Status {
      incoming.from[static_cast<size_t>(rank)] = at;
      const i64 size = size_of(rank);
      if (size == 0) return {};
      AXLE_ASSIGN(auto message, StartReceive(rank, at, size));
      const int process = team_.processes[static_cast<size_t>(rank)];
      incoming.receives.push_back({process, std::move(message)});
      at += size;
      return {};
    }));
    return incoming;
  }
  Status Await(const Incoming& incoming) const {
    for (const auto& [process, message] : incoming.receives) {
      AXLE_TRY(group_.AwaitMessage(seat_, *message, process, run_.limits));
    }
    return {};
  }
  // The ranks of the others, from the one after this: not all begin with the same.
  template <typename Fn>
  Status ForOthers(const Fn& fn) const {
    for (int k = 1; k < num_ranks(); ++k) AXLE_TRY(fn((self() + k) % num_ranks()));
    return {};
  }

  // --- Values to fold: a message is bytes [0, size) of each value, whole elements.

  // Bytes of a subtree's value where a single one has `bytes`.
  i64 ValueBytes(const ExchangeSubtree& subtree, i64 bytes) const {
    return subtree.size == 1 ? bytes
                             : bytes / plan_.fold.element_bytes * plan_.fold.partial_bytes();
  }
  i64 ValueBytes(int rank, i64 bytes) const {
    i64 sum = 0;
    for (const ExchangeSubtree& subtree : subtrees_) {
      if (subtree.rank == rank) sum += ValueBytes(subtree, bytes);
    }
    return sum;
  }

  // The values of the subtrees here. value_of(here) is where that of a device is, in one piece.
  template <typename ValueOf>
  void PackValues(i64 bytes, const ValueOf& value_of, std::byte* to) {
    for (const ExchangeSubtree& subtree : subtrees_) {
      if (subtree.rank != self()) continue;
      if (subtree.size == 1) {
        std::memcpy(to, value_of(HereOf(subtree.first)), static_cast<size_t>(bytes));
      } else {
        values_.clear();
        for (i64 k = 0; k < subtree.size; ++k) {
          values_.push_back({value_of(HereOf(subtree.first + k)), 1});
        }
        FoldBlocks(bytes, to, /*is_partial=*/true);
      }
      to += ValueBytes(subtree, bytes);
    }
  }

  // All values, those of others as they were packed, which are then behind.
  template <typename ValueOf>
  void FoldAll(i64 bytes, const ValueOf& value_of, Incoming& incoming, std::byte* out) {
    values_.clear();
    for (const ExchangeSubtree& subtree : subtrees_) {
      if (subtree.rank == self()) {
        for (i64 k = 0; k < subtree.size; ++k) {
          values_.push_back({value_of(HereOf(subtree.first + k)), 1});
        }
        continue;
      }
      const std::byte*& from = incoming.from[static_cast<size_t>(subtree.rank)];
      values_.push_back({from, static_cast<size_t>(subtree.size)});
      from += ValueBytes(subtree, bytes);
    }
    FoldBlocks(bytes, out, /*is_partial=*/false);
  }

  void FoldBlocks(i64 bytes, std::byte* out, bool is_partial) {
    const GroupFold& fold = plan_.fold;
    for (i64 at = 0; at < bytes;) {
      const i64 size = std::min(bytes - at, fold.block_elements() * fold.element_bytes);
      const i64 count = size / fold.element_bytes;
      fold.Run(values_, {size, size}, count, out, Scratch(), is_partial);
      for (GroupFold::Value& value : values_) {
        value.data += value.size == 1 ? size : count * fold.partial_bytes();
      }
      out += is_partial ? count * fold.partial_bytes() : size;
      at += size;
    }
  }

  // --- all-reduce. A message is all operands, each at its offset.

  // Calls fn(array, first byte, last byte) for what of the message is in [begin, end).
  template <typename Fn>
  void ForSections(i64 begin, i64 end, const Fn& fn) const {
    for (size_t i = 0; i < plan_.arrays.size(); ++i) {
      const CollectivePlan::Array& array = plan_.arrays[i];
      const i64 from = std::clamp<i64>(begin - array.offset, 0, array.bytes);
      const i64 to = std::clamp<i64>(end - array.offset, 0, array.bytes);
      if (from < to) fn(i, from, to);
    }
  }
  // The bytes of operands in [begin, end), one section after the other.
  i64 SectionBytes(i64 begin, i64 end) const {
    i64 sum = 0;
    ForSections(begin, end, [&](size_t, i64 from, i64 to) { sum += to - from; });
    return sum;
  }

  // The bytes that this process sends of [begin, end). One operand of one device needs no copy.
  std::span<const std::byte> PackSections(i64 begin, i64 end, std::byte* buffer) {
    std::byte* to = buffer;
    const std::byte* only = nullptr;
    size_t num_sections = 0;
    const bool is_plain = num_here() == 1;
    ForSections(begin, end, [&](size_t i, i64 from, i64) {
      only = Operand(0, i) + from;
      ++num_sections;
    });
    const i64 bytes = SectionBytes(begin, end);
    if (is_plain && num_sections == 1) return {only, static_cast<size_t>(bytes)};
    ForSections(begin, end, [&](size_t i, i64 from, i64 until) {
      PackValues(
          until - from, [&](size_t here) { return Operand(here, i) + from; }, to);
      to += ValueBytes(self(), until - from);
    });
    return {buffer, static_cast<size_t>(to - buffer)};
  }

  // Into the results of the leader.
  void FoldSections(i64 begin, i64 end, Incoming& incoming) {
    ForSections(begin, end, [&](size_t i, i64 from, i64 to) {
      const auto value_of = [&](size_t here) { return Operand(here, i) + from; };
      FoldAll(to - from, value_of, incoming, Result(seat_.position, i) + from);
    });
  }

  void CopyToOthersHere() const {
    for (size_t here = 0; here < num_here(); ++here) {
      for (size_t i = 0; i < plan_.arrays.size() && here != seat_.position; ++i) {
        const auto bytes = static_cast<size_t>(plan_.arrays[i].bytes);
        if (bytes > 0) std::memcpy(Result(here, i), Result(seat_.position, i), bytes);
      }
    }
  }

  Status ReduceAtOnce() {
    subtrees_ = SubtreesOf(team_.rank_of, plan_.fold.is_tree);
    const i64 bytes = SectionBytes(0, plan_.message_bytes);
    i64 total = ValueBytes(self(), bytes);
    for (int rank = 0; rank < num_ranks(); ++rank) total += ValueBytes(rank, bytes);
    const StorageBlock memory(total);
    std::byte* at = memory.data();
    AXLE_ASSIGN(Incoming incoming,
                ReceiveFromOthers([&](int rank) { return ValueBytes(rank, bytes); }, at));
    const std::span<const std::byte> own = PackSections(0, plan_.message_bytes, at);
    AXLE_TRY(ForOthers([&](int rank) { return Send(rank, own.data(), std::ssize(own)); }));
    AXLE_TRY(Await(incoming));
    FoldSections(0, plan_.message_bytes, incoming);
    CopyToOthersHere();
    return {};
  }

  // Where the message is cut into the part of `rank`, at cache lines, and the part into pieces.
  i64 Cut(int rank) const { return PartBegin(plan_.message_bytes, rank, num_ranks()); }
  template <typename Fn>
  Status ForPieces(int rank, const Fn& fn) const {
    for (i64 begin = Cut(rank), end = 0; begin < Cut(rank + 1); begin = end) {
      end = std::min(begin + kPieceBytes, Cut(rank + 1));
      AXLE_TRY(fn(begin, end));
    }
    return {};
  }

  // A piece of a folded part on its way: its bytes lie in the leader's result, or in a buffer.
  struct Arrival {
    std::unique_ptr<PendingReceive> receive;
    i64 begin = 0, end = 0;
    const std::byte* buffer = nullptr;
  };

  Status ReduceInParts() {
    subtrees_ = SubtreesOf(team_.rank_of, plan_.fold.is_tree);
    // The values of the own part come from all others, piece by piece.
    i64 total = 0;
    for (int rank = 0; rank < num_ranks(); ++rank) {
      if (rank != self()) total += ValueBytes(rank, Cut(self() + 1) - Cut(self()));
    }
    const StorageBlock memory(total);
    std::byte* at = memory.data();
    std::vector<Incoming> pieces;
    AXLE_TRY(ForPieces(self(), [&](i64 begin, i64 end) -> Status {
      const i64 bytes = SectionBytes(begin, end);
      AXLE_ASSIGN(pieces.emplace_back(),
                  ReceiveFromOthers([&](int rank) { return ValueBytes(rank, bytes); }, at));
      return {};
    }));
    const StorageBlock packed(std::max(ValueBytes(self(), kPieceBytes), kPieceBytes));
    AXLE_TRY(ForOthers([&](int rank) {
      return ForPieces(rank, [&](i64 begin, i64 end) {
        const std::span<const std::byte> own = PackSections(begin, end, packed.data());
        return Send(rank, own.data(), std::ssize(own));
      });
    }));
    // The operands of the other parts are not read any more; the results may be in their place.
    AXLE_ASSIGN(std::vector<Arrival> arrivals, StartResults());
    size_t k = 0;
    AXLE_TRY(ForPieces(self(), [&](i64 begin, i64 end) -> Status {
      Incoming& piece = pieces[k++];
      AXLE_TRY(Await(piece));
      FoldSections(begin, end, piece);
      const std::span<const std::byte> folded = PackResults(begin, end, packed.data());
      return ForOthers([&](int rank) { return Send(rank, folded.data(), std::ssize(folded)); });
    }));
    for (Arrival& arrival : arrivals) {
      AXLE_TRY(group_.AwaitMessage(seat_, *arrival.receive, kAllProcesses, run_.limits));
      if (arrival.buffer == nullptr) continue;
      ForSections(arrival.begin, arrival.end, [&](size_t i, i64 from, i64 to) {
        std::memcpy(Result(seat_.position, i) + from, arrival.buffer,
                    static_cast<size_t>(to - from));
        arrival.buffer += to - from;
      });
    }
    CopyToOthersHere();
    return {};
  }

  // Where the results of [begin, end) are if they are in one piece, or null.
  std::byte* OnlySection(i64 begin, i64 end) const {
    std::byte* only = nullptr;
    size_t count = 0;
    ForSections(begin, end, [&](size_t i, i64 from, i64) {
      only = Result(seat_.position, i) + from;
      ++count;
    });
    return count == 1 ? only : nullptr;
  }

  StatusOr<std::vector<Arrival>> StartResults() {
    i64 total = 0;
    const auto add = [&](i64 begin, i64 end) -> Status {
      if (OnlySection(begin, end) == nullptr) total += SectionBytes(begin, end);
      return {};
    };
    AXLE_TRY(ForOthers([&](int rank) { return ForPieces(rank, add); }));
    results_ = StorageBlock(total);
    std::byte* at = results_.data();
    std::vector<Arrival> arrivals;
    AXLE_TRY(ForOthers([&](int rank) {
      return ForPieces(rank, [&](i64 begin, i64 end) -> Status {
        if (SectionBytes(begin, end) == 0) return {};
        Arrival& arrival = arrivals.emplace_back();
        arrival.begin = begin;
        arrival.end = end;
        std::byte* to = OnlySection(begin, end);
        const i64 bytes = SectionBytes(begin, end);
        if (to == nullptr) {
          arrival.buffer = to = at;
          at += bytes;
        }
        AXLE_ASSIGN(arrival.receive, StartReceive(rank, to, bytes));
        return {};
      });
    }));
    return arrivals;
  }

  std::span<const std::byte> PackResults(i64 begin, i64 end, std::byte* buffer) const {
    const auto bytes = static_cast<size_t>(SectionBytes(begin, end));
    if (const std::byte* const only = OnlySection(begin, end)) return {only, bytes};
    std::byte* to = buffer;
    ForSections(begin, end, [&](size_t i, i64 from, i64 until) {
      std::memcpy(to, Result(seat_.position, i) + from, static_cast<size_t>(until - from));
      to += until - from;
    });
    return {buffer, bytes};
  }

  // --- reduce-scatter. A value is the parts of all operands for one device, one after the other.

  i64 PartBytes() const {
    i64 sum = 0;
    for (const CollectivePlan::Array& array : plan_.arrays) sum += array.rows * array.run;
    return sum;
  }
  // The part of `target` of a device here.
  void GatherPart(size_t here, i64 target, std::byte* to) const {
    for (size_t i = 0; i < plan_.arrays.size(); ++i) {
      const auto& [bytes, offset, rows, run] = plan_.arrays[i];
      CopyRows(to, run, Operand(here, i) + target * run, num_positions() * run, rows, run);
      to += rows * run;
    }
  }
  void GatherParts(i64 target, std::byte* to) const {
    for (size_t here = 0; here < num_here(); ++here) {
      GatherPart(here, target, to + static_cast<i64>(here) * PartBytes());
    }
  }

  Status ReduceScatter() {
    subtrees_ = SubtreesOf(team_.rank_of, plan_.fold.is_tree);
    const i64 part = PartBytes();
    const auto targets = static_cast<i64>(num_here());
    i64 total = 0;
    for (int rank = 0; rank < num_ranks(); ++rank) {
      if (rank != self()) total += targets * ValueBytes(rank, part);
    }
    const StorageBlock memory(total);
    std::byte* at = memory.data();
    AXLE_ASSIGN(Incoming incoming,
                ReceiveFromOthers([&](int rank) { return targets * ValueBytes(rank, part); }, at));
    const StorageBlock gathered(part * targets);
    const auto value_of = [&](size_t here) {
      return gathered.data() + static_cast<i64>(here) * part;
    };
    AXLE_TRY(ForOthers([&](int rank) {
      const i64 size = ValueBytes(self(), part);
      const StorageBlock own(size * std::ssize(MembersOf(rank)));
      std::byte* to = own.data();
      for (const i64 target : MembersOf(rank)) {
        GatherParts(target, gathered.data());
        PackValues(part, value_of, to);
        to += size;
      }
      return Send(rank, own.data(), to - own.data());
    }));
    AXLE_TRY(Await(incoming));
    const StorageBlock folded(part);
    for (size_t here = 0; here < num_here(); ++here) {
      GatherParts(MembersOf(self())[here], gathered.data());
      FoldAll(part, value_of, incoming, folded.data());
      const std::byte* from = folded.data();
      for (size_t i = 0; i < plan_.arrays.size(); ++i) {
        const i64 bytes = plan_.arrays[i].rows * plan_.arrays[i].run;
        if (bytes > 0) std::memcpy(Result(here, i), from, static_cast<size_t>(bytes));
        from += bytes;
      }
    }
    return {};
  }

  // --- What is not folded. A value is what one position gets of another one.

  // Whether all positions get the same, so that a process gets it once.
  bool IsForAll() const { return plan_.how == How::kGather || plan_.how == How::kBroadcast; }
  // Whether `target` gets something of `source`.
  bool Gets(i64 target, i64 source) const {
    if (plan_.how == How::kBroadcast) return source == 0;
    if (plan_.how != How::kPermute) return true;
    return seat_.sources[static_cast<size_t>(target)] == source;
  }
  i64 BytesFor(i64 target) const {
    i64 sum = 0;
    ForArrays(target, [&](size_t, const CollectivePlan::Array& array) {
      sum += IsOfRows() ? array.rows * array.run : array.bytes;
    });
    return sum;
  }
  // All-to-all: each gets one part of each row.
  bool IsOfRows() const { return plan_.how == How::kAllToAll; }
  // The operands that go to `target`.
  template <typename Fn>
  void ForArrays(i64 target, const Fn& fn) const {
    if (plan_.how == How::kDeal) {
      fn(static_cast<size_t>(target), plan_.arrays[static_cast<size_t>(target)]);
      return;
    }
    for (size_t i = 0; i < plan_.arrays.size(); ++i) fn(i, plan_.arrays[i]);
  }

  void Pack(size_t here, i64 target, std::byte* to) const {
    ForArrays(target, [&](size_t i, const CollectivePlan::Array& array) {
      const i64 bytes = IsOfRows() ? array.rows * array.run : array.bytes;
      if (IsOfRows()) {
        CopyRows(to, array.run, Operand(here, i) + target * array.run, num_positions() * array.run,
                 array.rows, array.run);
      } else if (bytes > 0) {
        std::memcpy(to, Operand(here, i), static_cast<size_t>(bytes));
      }
      to += bytes;
    });
  }
  // Puts what position `source` has packed for a device here into its results.
  void Unpack(size_t here, i64 source, const std::byte* from) const {
    ForArrays(MembersOf(self())[here], [&](size_t i, const CollectivePlan::Array& array) {
      const bool has_rows = IsOfRows() || plan_.how == How::kGather;
      const i64 bytes = IsOfRows() ? array.rows * array.run : array.bytes;
      if (has_rows) {
        CopyRows(Result(here, i) + source * array.run, num_positions() * array.run, from, array.run,
                 array.rows, array.run);
      } else if (bytes > 0) {
        const size_t to = plan_.how == How::kDeal ? static_cast<size_t>(source) : i;
        std::memcpy(Result(here, to), from, static_cast<size_t>(bytes));
      }
      from += bytes;
    });
  }

  // Calls fn(source, target) for the values that `from` sends to `to`, in their order; target is
  // any of the positions where all get the same.
  template <typename Fn>
  void ForValues(int from, int to, const Fn& fn) const {
    if (plan_.how == How::kPermute) {
      for (const i64 target : MembersOf(to)) {
        const i64 source = seat_.sources[static_cast<size_t>(target)];
        if (source >= 0 && team_.rank_of[static_cast<size_t>(source)] == from) fn(source, target);
      }
      return;
    }
    for (const i64 source : MembersOf(from)) {
      for (const i64 target : MembersOf(to)) {
        if (Gets(target, source)) fn(source, target);
        if (IsForAll()) break;
      }
    }
  }
  i64 BytesOf(int from, int to) const {
    i64 sum = 0;
    ForValues(from, to, [&](i64, i64 target) { sum += BytesFor(target); });
    return sum;
  }

  Status Pull() {
    i64 total = 0, most = 0;
    for (int rank = 0; rank < num_ranks(); ++rank) {
      total += BytesOf(rank, self());
      most = std::max(most, BytesOf(self(), rank));
    }
    const StorageBlock memory(total + most);
    std::byte* at = memory.data();
    AXLE_ASSIGN(Incoming incoming,
                ReceiveFromOthers([&](int rank) { return BytesOf(rank, self()); }, at));
    std::byte* const packed = memory.data() + total;
    const auto pack_for = [&](int rank) {
      std::byte* to = packed;
      ForValues(self(), rank, [&](i64 source, i64 target) {
        Pack(HereOf(source), target, to);
        to += BytesFor(target);
      });
      return to - packed;
    };
    i64 size = -1;
    AXLE_TRY(ForOthers([&](int rank) -> Status {
      if (size < 0 || !IsForAll()) size = pack_for(rank);
      return Send(rank, packed, size);
    }));
    // The values that devices here get of each other.
    pack_for(self());
    incoming.from[static_cast<size_t>(self())] = packed;
    if (plan_.how == How::kPermute) SetZeros();
    AXLE_TRY(Await(incoming));
    for (int rank = 0; rank < num_ranks(); ++rank) {
      const std::byte* from = incoming.from[static_cast<size_t>(rank)];
      ForValues(rank, self(), [&](i64 source, i64 target) {
        const i64 bytes = BytesFor(target);
        if (IsForAll()) {
          for (size_t here = 0; here < num_here(); ++here) Unpack(here, source, from);
        } else {
          Unpack(HereOf(target), source, from);
        }
        from += bytes;
      });
    }
    return {};
  }

  // The results of devices that get nothing.
  void SetZeros() const {
    for (size_t here = 0; here < num_here(); ++here) {
      if (seat_.sources[static_cast<size_t>(MembersOf(self())[here])] >= 0) continue;
      for (size_t i = 0; i < plan_.arrays.size(); ++i) {
        const auto bytes = static_cast<size_t>(plan_.arrays[i].bytes);
        if (bytes > 0) std::memset(Result(here, i), 0, bytes);
      }
    }
  }

  const CollectivePlan& plan_;
  GroupRun& group_;
  const Seat& seat_;
  const SpanningGroup& team_;
  Transport& transport_;
  const HostRun& run_;
  const std::string operation_;
  const MessageKey key_;
  std::vector<ExchangeSubtree> subtrees_;
  std::vector<GroupFold::Value> values_;  // of one fold
  StorageBlock results_;
  bool is_stopped_ = false;
};

}  // namespace

StatusOr<bool> RunSpanning(const CollectivePlan& plan, GroupRun& group, const Seat& seat,
                           const HostRun& run) {
  if (seat.position > 0) return true;
  return Spanning(plan, group, seat, run).Run();
}

}  // namespace axle
