// The building blocks of the builder's functions. Internal to axle/builder.
#pragma once
#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "axle/builder/xla_builder.h"
#include "axle/ops/op_def.h"

namespace axle {

// An op to append. `declared` is the result shape of ops whose shape is not implied. The
// computations in `called` are copied into the builder's module, each once. Without attributes the
// op has the default ones; without a name it is called "<op>.<number>".
struct XlaBuilder::NewOp {
  Opcode opcode;
  ArraySlice<XlaOp> operands = {};
  AttrBlock attrs = {};
  ArraySlice<const XlaComputation*> called = {};
  Shape declared = {};
  std::string_view name = {};
};

// Returns attributes in the form in which the instruction keeps them.
template <typename Attrs>
AttrBlock Block(Opcode opcode, Attrs attrs) {
  if constexpr (std::is_same_v<Attrs, NoAttrs>) return {};  // Append makes the row's default
  return {GetOpDef(opcode).attrs, std::make_shared<Attrs>(std::move(attrs))};
}

using Called = std::vector<const XlaComputation*>;

// Returns the builder of the first operand that has one; null only if all handles are empty.
XlaBuilder* BuilderOf(ArraySlice<XlaOp> operands);
// Returns whether no handle is empty, invalid, or from before a Build.
bool AllValid(std::initializer_list<XlaOp> ops);
// Returns the result of the builder's Append or ReportError. Without a builder, neither an op nor
// an error is recorded, and the result is the empty handle.
inline XlaOp AppendTo(XlaBuilder* builder, XlaBuilder::NewOp op, const Location& location) {
  return builder == nullptr ? XlaOp() : builder->Append(std::move(op), location);
}
inline XlaOp ReportTo(XlaBuilder* builder, Status error, const Location& location) {
  return builder == nullptr ? XlaOp() : builder->ReportError(error, location);
}
// Returns the text " at file:line" that ends every message.
std::string At(const Location& location);

// Returns the metadata of an op that was written at this location.
Metadata MetadataOf(const OpMetadata& given, const Location& location);

// Appends an op of the usual form: operands of one builder, and attributes.
template <typename Attrs = NoAttrs>
XlaOp Emit(Opcode opcode, ArraySlice<XlaOp> operands, const Location& location, Attrs attrs = {},
           const Called& called = {}, const Shape& declared = {}) {
  XlaBuilder* builder = BuilderOf(operands);
  if (builder == nullptr) return {};
  return builder->Append({.opcode = opcode,
                          .operands = operands,
                          .attrs = Block(opcode, std::move(attrs)),
                          .called = called,
                          .declared = declared},
                         location);
}

// The same with a list in braces.
template <typename Attrs = NoAttrs>
XlaOp Emit(Opcode opcode, std::initializer_list<XlaOp> operands, const Location& location,
           Attrs attrs = {}, const Called& called = {}, const Shape& declared = {}) {
  return Emit(opcode, ArraySlice<XlaOp>(operands.begin(), operands.size()), location,
              std::move(attrs), called, declared);
}

// Returns an invalid handle; the error, if it is the first one, is recorded in the builder of
// `operands`.
XlaOp Fail(std::initializer_list<XlaOp> operands, std::string message, const Location& location);

// Broadcasts `operand`, of shape [small], to [result dims]: dimension i becomes dims[i]; size 1
// expands.
XlaOp Expand(XlaOp operand, const Dims& dims, const Dims& result, const Location& location);

// Makes a window. Empty lists mean 1 everywhere, or padding 0; an error names a list of the wrong
// length.
StatusOr<Window> MakeWindow(ArraySlice<i64> sizes, ArraySlice<i64> strides,
                            ArraySlice<std::pair<i64, i64>> padding, ArraySlice<i64> base_dilations,
                            ArraySlice<i64> window_dilations);

// Returns the result shape of `build` for parameters with the operands' shapes, or its error.
StatusOr<Shape> ShapeIfBuilt(ArraySlice<XlaOp> operands,
                             const std::function<XlaOp(ArraySlice<XlaOp>)>& build);

// Returns the channel in the form of attributes. A handle of 0 means no channel, as in XLA's
// builder.
inline std::optional<i64> ToChannel(const OptionalChannel& channel) {
  if (!channel || channel->handle() == 0) return {};
  return channel->handle();
}

// Copies the config.
inline Dims ToDims(ArraySlice<i64> list) {
  return {list.begin(), list.end()};
}

}  // namespace axle
