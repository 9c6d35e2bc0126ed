// ChannelHandle: the builder's name of a channel between devices, or between a device and its host.
#pragma once
#include "axle/core/element_type.h"

namespace axle {

// A channel of a program; collectives and transfers between devices use its number.
class ChannelHandle {
 public:
  enum ChannelType {
    CHANNEL_TYPE_INVALID = 0,
    DEVICE_TO_DEVICE = 1,
    DEVICE_TO_HOST = 2,
    HOST_TO_DEVICE = 3,
  };
  ChannelHandle() = default;
  // A number is converted to a channel without a type.
  ChannelHandle(i64 handle) : handle_(handle) {}  // NOLINT(google-explicit-constructor)
  // The number, which the op checks, and the kinds of ends that the channel connects.
  i64 handle() const { return handle_; }
  void set_handle(i64 handle) { handle_ = handle; }
  ChannelType type() const { return type_; }
  void set_type(ChannelType type) { type_ = type; }

 private:
  i64 handle_ = 0;
  ChannelType type_ = CHANNEL_TYPE_INVALID;
};

}  // namespace axle
