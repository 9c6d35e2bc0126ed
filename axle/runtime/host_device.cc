#include "axle/runtime/host_device.h"

#include <algorithm>
#include <new>
#include <utility>

#include "axle/core/literal_layouts.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// The arrays of an array or of a tuple of arrays.
StatusOr<std::vector<Shape>> BufferShapes(std::string_view name, const Shape& shape) {
  if (shape.is_array()) return std::vector<Shape>{shape};
  if (shape.is_tuple() && std::ranges::all_of(shape.elements(), &Shape::is_array)) {
    return shape.elements();
  }
  return InvalidArgument(
      StrCat(name, ": takes arrays and tuples of arrays, not ", shape.ToString()));
}

i64 TotalBytes(std::span<const Shape> shapes) {
  i64 bytes = 0;
  for (const Shape& shape : shapes) {
    bytes = CheckedAdd(bytes, shape.num_bytes()).value_or(std::numeric_limits<i64>::max());
  }
  return bytes;
}

// Whether a value can be had where `shape` is asked for: of its type and sizes, and full where that
// is static.
bool Fits(const Literal& value, const Shape& shape) {
  if (!Compatible(value.shape(), shape)) return false;
  for (i64 i = 0; i < shape.num_tuple_elements(); ++i) {
    if (!Fits(value.element(i), shape.element(i))) return false;
  }
  for (i64 d = 0; shape.is_array() && d < shape.rank(); ++d) {
    if (!shape.is_dynamic(d) && value.size(d) != shape.dim(d)) return false;
  }
  return true;
}

// What a value counts for where the number of arrays is limited.
i64 NumBuffers(const Shape& shape) {
  i64 count = 1;
  for (i64 i = 0; i < shape.num_tuple_elements(); ++i) count += NumBuffers(shape.element(i));
  return count;
}

// What `make` makes of a value of this shape; for the host, which catches no exceptions.
template <typename Make>
StatusOr<Literal> Made(std::string_view name, const Shape& shape, Make make) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted(StrCat(name, ": no memory for a copy of ", shape.ToString()));
  }
}

// A copy that nobody else can change, even if `value` is a view.
StatusOr<Literal> Owned(std::string_view name, const Literal& value) {
  return Made(name, value.shape(), [&] {
    Literal owned = value;
    owned.OwnStorage();
    return owned;
  });
}

TransferHub::Kind KindOf(const TransferChannel& channel, TransferHub::Kind with_host) {
  return channel.is_host_transfer ? with_host : TransferHub::Kind::kDeviceToDevice;
}

}  // namespace

Status BufferQueue::Push(const Literal& value, Limits* limits) {
  AXLE_ASSIGN(const std::vector<Shape> shapes, BufferShapes(name_, value.shape()));
  const i64 bytes = TotalBytes(shapes);
  if (bytes > capacity_) {
    return ResourceExhausted(StrCat(name_, ": ", value.shape().ToString(), " has ", bytes,
                                    " bytes, but the queue holds ", capacity_));
  }
  const auto count = static_cast<i64>(shapes.size());
  AXLE_TRY(CheckCount(count));
  std::vector<Literal> leaves;
  AXLE_ASSIGN(Literal owned, Owned(name_, value));
  if (value.shape().is_array()) {
    leaves.push_back(std::move(owned));
  } else {
    leaves = std::move(owned.mutable_elements());
  }
  std::unique_lock lock(mutex_);
  const auto has_room = [&] {
    return bytes_ <= capacity_ - bytes && static_cast<i64>(buffers_.size()) <= max_buffers_ - count;
  };
  if (!waits_ && !has_room()) {
    return ResourceExhausted(StrCat(name_, ": the queue is full: ", bytes_, " bytes in ",
                                    buffers_.size(), " arrays, and no infeed reads them"));
  }
  AXLE_TRY(WaitFor(*changed_, lock, limits, has_room));
  for (Literal& leaf : leaves) buffers_.push_back(std::move(leaf));
  bytes_ += bytes;
  changed_->notify_all();
  return {};
}

// Nobody could wait long enough for more.
Status BufferQueue::CheckCount(i64 count) const {
  if (count <= max_buffers_) return {};
  return ResourceExhausted(
      StrCat(name_, ": a tuple of ", count, " arrays, but the queue holds ", max_buffers_));
}

// Of the buffers that are there already.
Status BufferQueue::CheckBuffers(std::span<const Shape> shapes) const {
  for (size_t i = 0; i < std::min(shapes.size(), buffers_.size()); ++i) {
    if (Fits(buffers_[i], shapes[i])) continue;
    return InvalidArgument(StrCat(name_, ": buffer ", i, " of the queue is ",
                                  buffers_[i].ShapeToString(), " but ", shapes[i].ToString(),
                                  " is asked for"));
  }
  return {};
}

StatusOr<Literal> BufferQueue::Pop(const Shape& shape, Limits* limits) {
  AXLE_ASSIGN(const std::vector<Shape> shapes, BufferShapes(name_, shape));
  AXLE_TRY(CheckCount(static_cast<i64>(shapes.size())));
  std::vector<Literal> leaves;
  {
    std::unique_lock lock(mutex_);
    Status status;
    const auto is_there = [&] {
      status = CheckBuffers(shapes);
      return !status.ok() || buffers_.size() >= shapes.size();
    };
    if (!waits_ && !is_there()) {
      return InvalidArgument(StrCat(name_, ": ", shape.ToString(),
                                    " is asked for, and the queue has ", buffers_.size(),
                                    buffers_.size() == 1 ? " array" : " arrays",
                                    "; all that is taken must be put there before"));
    }
    AXLE_TRY(WaitFor(*changed_, lock, limits, is_there));
    AXLE_TRY(status);
    for (size_t i = 0; i < shapes.size(); ++i) {
      bytes_ -= buffers_.front().num_bytes();
      leaves.push_back(std::move(buffers_.front()));
      leaves.back().SetDynamicFlags(shapes[i]);
      buffers_.pop_front();
    }
    changed_->notify_all();
  }
  return shape.is_array() ? std::move(leaves[0]) : Literal::Tuple(std::move(leaves));
}

i64 BufferQueue::num_buffers() const {
  const std::lock_guard lock(mutex_);
  return static_cast<i64>(buffers_.size());
}

void BufferQueue::Clear() {
  const std::lock_guard lock(mutex_);
  buffers_.clear();
  bytes_ = 0;
  changed_->notify_all();
}

Status TransferHub::Send(Kind kind, std::optional<i64> channel, const Literal& value) {
  const i64 bytes = value.num_bytes();
  const std::lock_guard lock(mutex_);
  if (bytes > capacity_ - bytes_) {
    return ResourceExhausted(StrCat("send: ", bytes, " bytes for ", ChannelText(channel), " with ",
                                    bytes_, " not received yet, but channels hold at most ",
                                    capacity_));
  }
  const i64 buffers = NumBuffers(value.shape());
  if (buffers > max_buffers_ - buffers_) {
    return ResourceExhausted(StrCat("send: ", buffers, " buffers for ", ChannelText(channel),
                                    " with ", buffers_,
                                    " not received yet, but channels hold at most ", max_buffers_));
  }
  AXLE_ASSIGN(Literal owned, Owned("send", value));
  Line& line = lines_[{kind, channel}];
  const i64 place = line.num_sends++;
  if (line.lost.erase(place) > 0) return {};
  line.values.emplace(place, std::move(owned));
  bytes_ += bytes;
  buffers_ += buffers;
  changed_->notify_all();
  return {};
}

i64 TransferHub::StartRecv(Kind kind, std::optional<i64> channel) {
  const std::lock_guard lock(mutex_);
  return lines_[{kind, channel}].num_recvs++;
}

StatusOr<Literal> TransferHub::FinishRecv(Kind kind, std::optional<i64> channel, i64 place,
                                          const Shape& shape, Limits* limits) {
  std::unique_lock lock(mutex_);
  Line& line = lines_[{kind, channel}];
  if (line.num_sends <= place) {
    const Status may_come = CheckMayCome(kind, channel);
    if (!may_come.ok()) {
      // Nobody sent and nobody waited: the next recv has the place, if none has a later one.
      if (place + 1 == line.num_recvs) {
        --line.num_recvs;
      } else {
        line.lost.insert(place);
      }
      return may_come;
    }
  }
  const Status status = WaitFor(*changed_, lock, limits, [&] { return line.num_sends > place; });
  if (!status.ok()) {
    line.lost.insert(place);
    return status;
  }
  return Take(line, channel, place, shape);
}

StatusOr<Literal> TransferHub::Recv(Kind kind, std::optional<i64> channel, const Shape& shape,
                                    Limits* limits) {
  std::unique_lock lock(mutex_);
  Line& line = lines_[{kind, channel}];
  if (line.num_sends <= line.num_recvs) AXLE_TRY(CheckMayCome(kind, channel));
  AXLE_TRY(WaitFor(*changed_, lock, limits, [&] { return line.num_sends > line.num_recvs; }));
  return Take(line, channel, line.num_recvs++, shape);
}

void TransferHub::AddSenders(std::span<const std::optional<i64>> channels) {
  const std::lock_guard lock(mutex_);
  knows_senders_ = true;
  senders_.insert(channels.begin(), channels.end());
}

void TransferHub::NeverWaitForHost() {
  const std::lock_guard lock(mutex_);
  waits_for_host_ = false;
}

// The lock is held.
Status TransferHub::CheckMayCome(Kind kind, std::optional<i64> channel) const {
  if (kind != Kind::kDeviceToDevice) {
    if (waits_for_host_) return {};
    return InvalidArgument(StrCat("recv: nothing is left in ", ChannelText(channel),
                                  "; all that is taken must be sent before"));
  }
  if (!knows_senders_ || senders_.contains(channel)) return {};
  return InvalidArgument(
      StrCat("recv: deadlock: no program sends to ", ChannelText(channel),
             "; compile the one that does, with the same client, before this one runs; for a value "
             "of the host, recv and recv-done say is_host_transfer=true"));
}

// The lock is held.
StatusOr<Literal> TransferHub::Take(Line& line, std::optional<i64> channel, i64 place,
                                    const Shape& shape) {
  const auto it = line.values.find(place);
  if (it == line.values.end()) {
    return FailedPrecondition(
        StrCat("recv: value ", place, " of ", ChannelText(channel), " has been received before"));
  }
  Literal value = std::move(it->second);
  line.values.erase(it);
  bytes_ -= value.num_bytes();
  buffers_ -= NumBuffers(value.shape());
  if (Fits(value, shape)) {
    value.SetDynamicFlags(shape);
    return value;
  }
  return InvalidArgument(StrCat("recv: ", ChannelText(channel), " has been sent ",
                                value.ShapeToString(), " but ", shape.ToString(), " is asked for"));
}

HostDevice::HostDevice(const HostDeviceOptions& options)
    : infeed_("infeed", options.queue_capacity, options.max_buffers, options.waits_for_host),
      outfeed_("outfeed", options.queue_capacity, options.max_buffers, options.waits_for_host),
      hub_(options.hub != nullptr
               ? options.hub
               : std::make_shared<TransferHub>(options.queue_capacity, options.max_buffers)),
      custom_calls_(options.custom_calls != nullptr ? options.custom_calls
                                                    : std::make_shared<CustomCallRegistry>()) {
  if (!options.waits_for_host) hub_->NeverWaitForHost();
}

Status HostDevice::TransferToInfeed(const Literal& value, Limits* limits) {
  return infeed_.Push(value, limits);
}

StatusOr<Literal> HostDevice::TransferFromOutfeed(const Shape& shape, Limits* limits) {
  AXLE_ASSIGN(Literal value, outfeed_.Pop(shape, limits));
  return Made("outfeed", shape, [&] { return InLayoutsOf(std::move(value), shape); });
}

Status HostDevice::SendToDevice(std::optional<i64> channel, const Literal& value) {
  AXLE_ASSIGN(const Literal row_major,
              Made("send", value.shape(), [&] { return value.ToRowMajor(); }));
  return hub_->Send(TransferHub::Kind::kHostToDevice, channel, row_major);
}

StatusOr<Literal> HostDevice::RecvFromDevice(std::optional<i64> channel, const Shape& shape,
                                             Limits* limits) {
  AXLE_ASSIGN(Literal value, hub_->Recv(TransferHub::Kind::kDeviceToHost, channel, shape, limits));
  return Made("recv", shape, [&] { return InLayoutsOf(std::move(value), shape); });
}

StatusOr<Literal> HostDevice::Infeed(const Shape& shape, std::string_view, Limits* limits) {
  AXLE_ASSIGN(const Literal value, infeed_.Pop(shape, limits));
  return value.ToRowMajor();
}

Status HostDevice::Outfeed(const Literal& value, const Shape&, std::string_view, Limits* limits) {
  return outfeed_.Push(value, limits);
}

Status HostDevice::Send(const TransferChannel& channel, const Literal& value, Limits*) {
  return hub_->Send(KindOf(channel, TransferHub::Kind::kDeviceToHost), channel.id, value);
}

StatusOr<i64> HostDevice::StartRecv(const TransferChannel& channel) {
  return hub_->StartRecv(KindOf(channel, TransferHub::Kind::kHostToDevice), channel.id);
}

StatusOr<Literal> HostDevice::FinishRecv(const TransferChannel& channel, i64 place,
                                         const Shape& shape, Limits* limits) {
  return hub_->FinishRecv(KindOf(channel, TransferHub::Kind::kHostToDevice), channel.id, place,
                          shape, limits);
}

bool HostDevice::HasCustomCall(std::string_view target) const {
  return custom_calls_->Contains(target);
}

std::vector<std::string> HostDevice::CustomCallTargets() const {
  return custom_calls_->Names();
}

StatusOr<Literal> HostDevice::CustomCall(const CustomCallInvocation& invocation) {
  return custom_calls_->Call(invocation);
}

}  // namespace axle
