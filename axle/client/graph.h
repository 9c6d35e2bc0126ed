// GraphBuilder: XlaBuilder for those who cannot call C++ functions, as the C interface. Ops are
// numbers, and are made by their names in HLO text with attributes as HLO text spells them. Generic
// over the op table.
//
//   GraphBuilder builder("sum");
//   AXLE_ASSIGN(const i64 x, builder.Parameter(0, Shape(F32, {4}), "x"));
//   AXLE_ASSIGN(const i64 zero, builder.Constant(Literal::Scalar<float>(F32, 0)));
//   AXLE_ASSIGN(const i64 sum, builder.Add({.op = "reduce", .operands = {x, zero},
//                                           .attributes = "dimensions={0}", .called = {add}}));
//   AXLE_ASSIGN(std::shared_ptr<const Module> module, builder.Build(sum));
//
// As HLO has it, nothing is broadcast implicitly. The first error is kept: every later call returns
// it too. Used by one thread at a time.
//
// Errors are those of xla_builder.h for all functions; INVALID_ARGUMENT also for a name that is no
// op's, attributes that cannot be read, and numbers that this builder did not give since its last
// Build. Arguments are copied, literals by sharing their storage.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "axle/builder/xla_builder.h"

namespace axle {

class GraphBuilder {
 public:
  // `name` is that of the module.
  explicit GraphBuilder(std::string_view name);
  ~GraphBuilder();

  // Where the following calls are written, for error messages and metadata. "" and 0: unknown.
  void SetLocation(std::string_view file, std::uint_least32_t line);
  // As XlaBuilder::set_limits.
  void SetLimits(Limits* limits);

  // Add a parameter or a constant, as in builder/constants.h, and return the number of the op.
  StatusOr<i64> Parameter(i64 number, const Shape& shape, std::string_view name);
  StatusOr<i64> Constant(const Literal& value);

  struct NewOp {
    std::string_view op;  // any but parameter and constant
    ArraySlice<i64> operands = {};
    // "dimensions={0}": without called computations, metadata and control predecessors.
    std::string_view attributes = "";
    // The entries of these modules, in the order in which HLO text names them: condition before
    // body.
    ArraySlice<std::shared_ptr<const Module>> called = {};
    // The shape of the result. Ops that do not imply it need it; for other ops it must be right, or
    // left out.
    std::optional<Shape> shape = {};
    std::string_view name = "";  // name of the instruction; "": made up
  };
  // Checks the op and adds it; its number.
  StatusOr<i64> Add(const NewOp& op);

  // The shape of the value that an op gives.
  StatusOr<Shape> ShapeOf(i64 op) const;
  // The computation that gives `root`. The builder is empty afterwards, and the numbers of its ops
  // are used up. Errors: as XlaBuilder::Build.
  StatusOr<std::shared_ptr<const Module>> Build(i64 root);
  // The first error, or OK.
  const Status& first_error() const;

 private:
  Location location() const { return Location::Of(file_.c_str(), line_); }
  // An empty handle if there is no such op.
  XlaOp Find(i64 op) const;
  StatusOr<i64> Keep(XlaOp op);
  StatusOr<XlaOp> Append(const NewOp& op);

  XlaBuilder builder_;
  std::vector<XlaOp> ops_;  // from first_op_ on
  i64 first_op_ = 0;
  std::string file_;
  std::uint_least32_t line_ = 0;
};

}  // namespace axle
