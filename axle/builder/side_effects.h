// The builder's functions for ops with tokens and side effects, for custom calls and for composite
// calls, with XLA's names. Included by xla_builder.h.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "axle/builder/channel_handle.h"
#include "axle/builder/xla_op.h"
#include "axle/ops/attributes.h"

namespace axle {

// A token at the beginning of an order: AfterAll of nothing.
XlaOp CreateToken(XlaBuilder* builder, Location location = std::source_location::current());
// A token for the end of everything that gave `tokens`.
XlaOp AfterAll(XlaBuilder* builder, ArraySlice<XlaOp> tokens,
               Location location = std::source_location::current());
// The operand, of any kind; nothing moves from one side to the other.
XlaOp OptimizationBarrier(XlaOp operand, Location location = std::source_location::current());

// The next data of the infeed queue: an array or a tuple of arrays. The Infeeds of one builder
// follow each other in the order of the calls.
XlaOp Infeed(XlaBuilder* builder, const Shape& shape, std::string_view config = "",
             Location location = std::source_location::current());
// (data, token)
XlaOp InfeedWithToken(XlaOp token, const Shape& shape, std::string_view config = "",
                      Location location = std::source_location::current());
// Puts the operand into the outfeed queue, in the layouts of `shape_with_layout`. The Outfeeds of
// one builder follow each other in the order of the calls. The last op of the builder is then an
// empty tuple, which is returned.
XlaOp Outfeed(XlaOp operand, const Shape& shape_with_layout, std::string_view outfeed_config = "",
              Location location = std::source_location::current());
// Gives a token.
XlaOp OutfeedWithToken(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                       std::string_view outfeed_config = "",
                       Location location = std::source_location::current());

// Transfers between devices; the channel is DEVICE_TO_DEVICE. Send leaves a token as the builder's
// last op and gives it; Recv gives the data. Each begins an order of its own.
XlaOp Send(XlaOp operand, const ChannelHandle& handle,
           Location location = std::source_location::current());
XlaOp Recv(XlaBuilder* builder, const Shape& shape, const ChannelHandle& handle,
           Location location = std::source_location::current());
// Gives a token.
XlaOp SendWithToken(XlaOp operand, XlaOp token, const ChannelHandle& handle,
                    Location location = std::source_location::current());
// (data, token)
XlaOp RecvWithToken(XlaOp token, const Shape& shape, const ChannelHandle& handle,
                    Location location = std::source_location::current());
// Transfers with the host, of arrays; the channel is DEVICE_TO_HOST or HOST_TO_DEVICE.
XlaOp SendToHost(XlaOp operand, XlaOp token, const Shape& shape_with_layout,
                 const ChannelHandle& handle, Location location = std::source_location::current());
XlaOp RecvFromHost(XlaOp token, const Shape& shape, const ChannelHandle& handle,
                   Location location = std::source_location::current());

// What `computation`, the decomposition, gives; it may be replaced by anything that is known to
// mean the same under this name. `attributes` is a dictionary as text, "{}" if there is none.
XlaOp CompositeCall(XlaBuilder* builder, const XlaComputation& computation,
                    ArraySlice<XlaOp> operands, const std::string& name,
                    std::optional<std::string_view> attributes = std::nullopt,
                    std::optional<i64> version = std::nullopt,
                    Location location = std::source_location::current());

// [shape] from the function that `call_target_name` names; runtime/custom_call_registry.h says how
// it is registered and called. `opaque` is handed to it. `output_operand_aliasing` is a hint.
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
// The same with buffers in the layouts of `shape_with_layout` and `operand_shapes_with_layout`.
XlaOp CustomCallWithLayout(XlaBuilder* builder, const std::string& call_target_name,
                           ArraySlice<XlaOp> operands, const Shape& shape_with_layout,
                           ArraySlice<Shape> operand_shapes_with_layout,
                           const std::string& opaque = "", bool has_side_effect = false,
                           const OperandAliasing& output_operand_aliasing = {},
                           const Literal* literal = nullptr,
                           CustomCallSchedule schedule = CustomCallSchedule::kNone,
                           CustomCallApi api_version = CustomCallApi::kOriginal,
                           Location location = std::source_location::current());
// The same with a window and dimension numbers.
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
