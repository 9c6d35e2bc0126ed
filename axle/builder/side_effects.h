// The builder's functions for ops with tokens and side effects, for custom calls and for composite
// calls, with XLA's names. The header is included by xla_builder.h, which states what holds for all
// of the builder's functions.
//
// The pages of infeed, outfeed, send, recv and custom-call in docs/ops/ state what a program needs
// when it runs (a device with queues, channels, a registered function), and the errors of a run
// without it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "axle/builder/channel_handle.h"
#include "axle/builder/xla_op.h"
#include "axle/ops/attributes/attribute_types.h"

namespace axle {

class Literal;  // core/literal.h

// Returns a token that begins a new order: AfterAll without operands.
XlaOp CreateToken(XlaBuilder* builder, Location location = std::source_location::current());
// Returns a token that stands for the end of all ops that gave `tokens`.
XlaOp AfterAll(XlaBuilder* builder, ArraySlice<XlaOp> tokens,
               Location location = std::source_location::current());
// Returns the operand, of any kind; no pass moves an op from one side to the other.
XlaOp OptimizationBarrier(XlaOp operand, Location location = std::source_location::current());

// Returns the next data of the infeed queue: an array or a tuple of arrays. The Infeeds of one
// builder run in the order of the calls.
XlaOp Infeed(XlaBuilder* builder, const Shape& shape, std::string_view config = "",
             Location location = std::source_location::current());
// Returns (data of `shape`, token), after the ops that `token` stands for. `config` is kept and has
// no effect.
XlaOp InfeedWithToken(XlaOp token, const Shape& shape, std::string_view config = "",
                      Location location = std::source_location::current());
// Puts the operand, an array or a tuple of arrays, into the outfeed queue, in the layouts of
// `shape_with_layout`, which is its shape. The Outfeeds of one builder run in the order of the
// calls. The last op of the builder is then an empty tuple, which is returned.
XlaOp Outfeed(XlaOp operand, const Shape& shape_with_layout, std::string_view outfeed_config = "",
              Location location = std::source_location::current());
// The result is a token. `outfeed_config` is kept and has no effect.
XlaOp OutfeedWithToken(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                       std::string_view outfeed_config = "",
                       Location location = std::source_location::current());

// Transfers between devices; the channel is DEVICE_TO_DEVICE, and its handle at least 0. The k-th
// Send of a channel is received by the k-th Recv of it, which has the operand's shape. Send returns
// a token, which is the builder's last op; Recv returns the data. Each begins a new order.
XlaOp Send(XlaOp operand, const ChannelHandle& handle,
           Location location = std::source_location::current());
XlaOp Recv(XlaBuilder* builder, const Shape& shape, const ChannelHandle& handle,
           Location location = std::source_location::current());
// The result is a token.
XlaOp SendWithToken(XlaOp operand, XlaOp token, const ChannelHandle& handle,
                    Location location = std::source_location::current());
// Returns (data of `shape`, token).
XlaOp RecvWithToken(XlaOp token, const Shape& shape, const ChannelHandle& handle,
                    Location location = std::source_location::current());
// Transfers of arrays with the host; the channel is DEVICE_TO_HOST or HOST_TO_DEVICE. SendToHost
// returns a token, and shape_with_layout is the operand's shape; RecvFromHost returns (data,
// token).
XlaOp SendToHost(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                 const ChannelHandle& handle, Location location = std::source_location::current());
XlaOp RecvFromHost(XlaOp token, const Shape& shape, const ChannelHandle& handle,
                   Location location = std::source_location::current());

// Returns the result of `computation`, the decomposition, for the operands, which have the shapes
// of its parameters. A compiler may use any other code that is known to mean the same under this
// name. `attributes` is a dictionary as text, "{}" if it is empty; the version is 0 if there is
// none.
XlaOp CompositeCall(XlaBuilder* builder, const XlaComputation& computation,
                    ArraySlice<XlaOp> operands, const std::string& name,
                    std::optional<std::string_view> attributes = std::nullopt,
                    std::optional<i64> version = std::nullopt,
                    Location location = std::source_location::current());

// Returns `shape`, computed by the function that `call_target_name` names;
// runtime/custom_call_registry.h states how functions are registered and called. `opaque` is passed
// to the function; `literal`, which may be null and is copied, and the schedule have no effect.
// `output_operand_aliasing` is a hint about parts that have one shape. With has_side_effect the
// call is never removed, repeated or moved across another such op. Errors: INVALID_ARGUMENT if the
// name begins with '$', which is reserved.
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
// The same with buffers in the layouts of `shape_with_layout` and `operand_shapes_with_layout`,
// which has one shape for each operand, of its type and sizes.
XlaOp CustomCallWithLayout(XlaBuilder* builder, const std::string& call_target_name,
                           ArraySlice<XlaOp> operands, const Shape& shape_with_layout,
                           ArraySlice<Shape> operand_shapes_with_layout,
                           const std::string& opaque = "", bool has_side_effect = false,
                           const OperandAliasing& output_operand_aliasing = {},
                           const Literal* literal = nullptr,
                           CustomCallSchedule schedule = CustomCallSchedule::kNone,
                           CustomCallApi api_version = CustomCallApi::kOriginal,
                           Location location = std::source_location::current());
// The same with a window and dimension numbers; without operand_shapes_with_layout, buffers have
// the layouts of the operands.
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
