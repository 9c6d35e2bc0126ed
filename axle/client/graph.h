// GraphBuilder: XlaBuilder for callers that cannot call C++ functions, such as the C interface. Ops
// are numbers, and are made by their names in HLO text with attributes as HLO text spells them. It
// is generic over the op table.
//
//   GraphBuilder builder("sum");
//   AXLE_ASSIGN(const i64 x, builder.Parameter(0, Shape(F32, {4}), "x"));
//   AXLE_ASSIGN(const i64 zero, builder.Constant(Literal::Scalar<float>(F32, 0)));
//   AXLE_ASSIGN(const i64 sum, builder.Add({.op = "reduce", .operands = {x, zero},
//                                           .attributes = "dimensions={0}", .called = {add}}));
//   AXLE_ASSIGN(std::shared_ptr<const Module> module, builder.Build(sum));
//
// As in HLO, nothing is broadcast implicitly. The first error is kept: every later call returns it
// too. A builder is used by one thread at a time.
//
// Errors are those of xla_builder.h for all functions; INVALID_ARGUMENT also for a name that is not
// an op's, attributes that cannot be read, and numbers that this builder has not given since its
// last Build. Arguments are copied, literals by sharing their storage.
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
  // `name` is the name of the module.
  explicit GraphBuilder(std::string_view name);
  ~GraphBuilder();

  // Sets the source location of the following calls, for error messages and metadata. "" and 0 mean
  // that it is unknown.
  void SetLocation(std::string_view file, std::uint_least32_t line);
  // As XlaBuilder::set_limits.
  void SetLimits(Limits* limits);

  // Add a parameter or a constant, as in builder/constants.h, and return the number of the op.
  StatusOr<i64> Parameter(i64 number, const Shape& shape, std::string_view name);
  StatusOr<i64> Constant(const Literal& value);

  struct NewOp {
    std::string_view op;  // any but parameter and constant
    ArraySlice<i64> operands = {};
    // The attributes as in "dimensions={0}", without called computations, metadata and control
    // predecessors.
    std::string_view attributes = "";
    // The called computations: the entries of these modules, in the order in which HLO text names
    // them, so that a condition comes before a body.
    ArraySlice<std::shared_ptr<const Module>> called = {};
    // The shape of the result. Ops that do not imply it need it; for other ops it must be right or
    // empty.
    std::optional<Shape> shape = {};
    std::string_view name = "";  // name of the instruction; "": generated
  };
  // Checks the op, adds it and returns its number.
  StatusOr<i64> Add(const NewOp& op);

  // Returns the shape of the value of an op.
  StatusOr<Shape> ShapeOf(i64 op) const;
  // Builds the computation whose result is `root`. Afterwards the builder is empty, and the numbers
  // of its ops are no longer valid. Errors: as XlaBuilder::Build.
  StatusOr<std::shared_ptr<const Module>> Build(i64 root);
  // Returns the first error, or OK.
  const Status& first_error() const;

 private:
  Location location() const { return Location::Of(file_.c_str(), line_); }
  // Returns the handle with this number; it is empty if there is no such op.
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
