// The builder's functions for ops with tokens and side effects, for custom calls and for composite
// calls, with XLA's names. Included by xla_builder.h, which has the promises of all of the
// builder's functions.
//
// What a program needs when it runs (a device with queues, channels, a registered function), and
// the errors of the run without it, is on the pages of infeed, outfeed, send, recv and custom-call
// in docs/ops/.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "axle/builder/channel_handle.h"
#include "axle/builder/xla_op.h"
#include "axle/ops/attributes/attribute_types.h"

namespace axle {

class Literal;  // core/literal.h

// A token that begins a new order: AfterAll of nothing.
XlaOp CreateToken(XlaBuilder* builder, Location location = std::source_location::current());
// A token that stands for the end of all ops that gave `tokens`.
XlaOp AfterAll(XlaBuilder* builder, ArraySlice<XlaOp> tokens,
               Location location = std::source_location::current());
// The operand, of any kind; nothing moves from one side to the other.
XlaOp OptimizationBarrier(XlaOp operand, Location location = std::source_location::current());

// The next data of the infeed queue: an array or a tuple of arrays. The Infeeds of one builder
// follow each other in the order of the calls.
XlaOp Infeed(XlaBuilder* builder, const Shape& shape, std::string_view config = "",
             Location location = std::source_location::current());
// (data of `shape`, token), after what `token` stands for. `config` is only carried.
XlaOp InfeedWithToken(XlaOp token, const Shape& shape, std::string_view config = "",
                      Location location = std::source_location::current());
// Puts the operand, an array or a tuple of arrays, into the outfeed queue, in the layouts of
// `shape_with_layout`, which is its shape. The Outfeeds of one builder follow each other in the
// order of the calls. The last op of the builder is then an empty tuple, which is returned.
XlaOp Outfeed(XlaOp operand, const Shape& shape_with_layout, std::string_view outfeed_config = "",
              Location location = std::source_location::current());
// The result is a token. `outfeed_config` is only carried.
XlaOp OutfeedWithToken(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                       std::string_view outfeed_config = "",
                       Location location = std::source_location::current());

// Transfers between devices; the channel is DEVICE_TO_DEVICE, its handle at least 0. The k-th Send
// of a channel goes to the k-th Recv of it, which has the operand's shape. Send leaves a token as
// the builder's last op and gives it; Recv gives the data. Each begins an order of its own.
XlaOp Send(XlaOp operand, const ChannelHandle& handle,
           Location location = std::source_location::current());
XlaOp Recv(XlaBuilder* builder, const Shape& shape, const ChannelHandle& handle,
           Location location = std::source_location::current());
// The result is a token.
XlaOp SendWithToken(XlaOp operand, XlaOp token, const ChannelHandle& handle,
                    Location location = std::source_location::current());
// (data of `shape`, token)
XlaOp RecvWithToken(XlaOp token, const Shape& shape, const ChannelHandle& handle,
                    Location location = std::source_location::current());
// Transfers with the host, of arrays; the channel is DEVICE_TO_HOST or HOST_TO_DEVICE. SendToHost
// gives a token, and shape_with_layout is the operand's shape; RecvFromHost gives (data, token).
XlaOp SendToHost(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                 const ChannelHandle& handle, Location location = std::source_location::current());
XlaOp RecvFromHost(XlaOp token, const Shape& shape, const ChannelHandle& handle,
                   Location location = std::source_location::current());

// The result of `computation`, the decomposition, for the operands, which are of its parameters'
// shapes. A compiler may use any other code that is known to mean the same under this name.
// `attributes` is a dictionary as text, "{}" if there is none; the version is 0 if there is none.
XlaOp CompositeCall(XlaBuilder* builder, const XlaComputation& computation,
                    ArraySlice<XlaOp> operands, const std::string& name,
                    std::optional<std::string_view> attributes = std::nullopt,
                    std::optional<i64> version = std::nullopt,
                    Location location = std::source_location::current());

// `shape` from the function that `call_target_name` names; runtime/custom_call_registry.h says how
// it is registered and called. `opaque` is handed to it; `literal`, null or copied, and the
// schedule are carried. `output_operand_aliasing` is a hint, of parts that have one shape. With
// has_side_effect the call is never left out, done twice or moved over another such op.
// Errors: INVALID_ARGUMENT if the name begins with '$', which is reserved.
XlaOp CustomCall(XlaBuilder* builder, const std::string& call_target_name,
                 ArraySlice<XlaOp> operands, const Shape& shape, const std::string& opaque = "",
                 bool has_side_effect = false, const OperandAliasing& output_operand_aliasing = {},
                 const Literal* literal = nullptr,
                 CustomCallSchedule schedule = CustomCallSchedule::kNone,
                 CustomCallApi api_version = CustomCallApi::kOriginal,
                 Location location = std::source_location::current());
// The same with a computation that the function may call.
XlaOp CustomCallWithComputation(XlaBuilder* builder, const std::string& call_target_name,
                                ArraySlice<XlaOp> operands, const XlaComputation& computation,
                                const Shape& shape, const std::string& opaque = "",
                                bool has_side_effect = false,
                                const OperandAliasing& output_operand_aliasing = {},
                                const Literal* literal = nullptr,
                                CustomCallSchedule schedule = CustomCallSchedule::kNone,
                                CustomCallApi api_version = CustomCallApi::kOriginal,
                                Location location = std::source_location::current());
// The same with buffers in the layouts of `shape_with_layout` and `operand_shapes_with_layout`, one
// for each operand, of its type and sizes.
XlaOp CustomCallWithLayout(XlaBuilder* builder, const std::string& call_target_name,
                           ArraySlice<XlaOp> operands, const Shape& shape_with_layout,
                           ArraySlice<Shape> operand_shapes_with_layout,
                           const std::string& opaque = "", bool has_side_effect = false,
                           const OperandAliasing& output_operand_aliasing = {},
                           const Literal* literal = nullptr,
                           CustomCallSchedule schedule = CustomCallSchedule::kNone,
                           CustomCallApi api_version = CustomCallApi::kOriginal,
                           Location location = std::source_location::current());
// The same with a window and dimension numbers; without operand_shapes_with_layout buffers have the
// layouts of the operands.
XlaOp CustomCallWithConvDnums(XlaBuilder* builder, const std::string& call_target_name,
                              ArraySlice<XlaOp> operands, const Shape& shape,
                              ArraySlice<Shape> operand_shapes_with_layout,
                              const std::string& opaque, bool has_side_effect,
                              const OperandAliasing& output_operand_aliasing,
                              const Literal* literal, const Window& window,
                              const ConvolutionDimensionNumbers& dnums,
                              CustomCallSchedule schedule = CustomCallSchedule::kNone,
                              CustomCallApi api_version = CustomCallApi::kOriginal,
                              Location location = std::source_location::current());

}  // namespace axle
