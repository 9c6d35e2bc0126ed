// XlaBuilder: makes computations from C++, with XLA's names.
//
//   XlaBuilder b("axpy");
//   XlaOp x = Parameter(&b, 0, ShapeUtil::MakeShape(F32, {4}), "x");
//   XlaOp y = Add(Mul(x, x), ConstantR0<float>(&b, 1));      // or b.Add(b.Mul(x, x), ...)
//   StatusOr<XlaComputation> axpy = b.Build();
//
// Every call checks its op at once. The first error is kept with the caller's file and line; after
// it every call does nothing and returns an invalid handle, and Build returns the error. No call
// aborts. A builder is used by one thread at a time; finished computations by any number.
//
// The following holds for every function that returns an XlaOp, here and in the headers that this
// one includes (docs/ops/ has a page for each op, with its rules, types and messages):
//
// * [D0, .., Dn-1] is an array of any rank, [] a scalar; the shape marks dynamic dimensions.
// * Errors: INVALID_ARGUMENT if an operand is an empty or invalid handle, of another builder, or
//   from before a Build, and if shapes, types or numbers break a rule of the op (XLA returns
//   INTERNAL for some of these). UNIMPLEMENTED where a page says so. Comments name only further
//   errors.
// * The builder is that of the operands, or the argument `builder`. If that is null, or no operand
//   has a builder, the error is not recorded, and the result is an empty handle.
// * Arguments are read during the call only. Literals, names and called computations become part of
//   the module that is built: a literal by sharing its storage, a computation as a copy.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "axle/builder/annotations.h"
#include "axle/builder/asynchronous.h"
#include "axle/builder/collectives.h"
#include "axle/builder/constants.h"
#include "axle/builder/contractions.h"
#include "axle/builder/control_flow.h"
#include "axle/builder/elementwise.h"
#include "axle/builder/library_ops.h"
#include "axle/builder/literal_util.h"
#include "axle/builder/movement.h"
#include "axle/builder/reductions.h"
#include "axle/builder/shape_util.h"
#include "axle/builder/side_effects.h"
#include "axle/builder/xla_op.h"
#include "axle/core/array_slice.h"

namespace axle {

class HloComputation;  // ir/module.h
class Limits;          // core/limits.h
struct OpDef;          // ops/op_def.h

class XlaBuilder {
 public:
  // `name` is that of the module and, made legal for HLO text, of its entry.
  explicit XlaBuilder(std::string_view name);
  // The form of older programs: `client` is any pointer and is ignored.
  template <typename Pointer>
  requires requires(const Pointer& p) { p == nullptr; }
  XlaBuilder(const Pointer& client, std::string_view name) : XlaBuilder(name) {
    static_cast<void>(client);
  }
  XlaBuilder(const XlaBuilder&) = delete;
  XlaBuilder& operator=(const XlaBuilder&) = delete;
  ~XlaBuilder();

  // Returns the name as it was given.
  const std::string& name() const { return name_; }

  // Sets limits on the time and memory of building from now on; null, the initial value, means
  // none. Each op is charged for time and for the memory of its instruction and shape (tuples of
  // tuples can double with each op), which counts as live until the computation is built or the
  // builder gets other limits. DEADLINE_EXCEEDED, CANCELLED and RESOURCE_EXHAUSTED are errors of
  // the builder. The limits must live until then.
  void set_limits(Limits* limits);

  // Builds the computation whose root is `root`, or else the op added last. The builder is empty
  // afterwards, and its handles are no longer valid; after an error it is unchanged. Errors: the
  // first one of the builder; INVALID_ARGUMENT if it has no op, the numbers of parameters have
  // gaps, the root is not an op of this builder, an alias or donor names something that does not
  // exist, or the halves of a transfer do not match (docs/ops/send.md, recv.md).
  StatusOr<XlaComputation> Build(Location location = std::source_location::current());
  StatusOr<XlaComputation> Build(XlaOp root, Location location = std::source_location::current());
  // The same; an error is recorded in the builder that made this one (CreateSubBuilder), if there
  // is one, and the result is no computation.
  XlaComputation BuildAndNoteError(Location location = std::source_location::current());
  // Returns the first error, or OK; the reference is valid as long as the builder.
  const Status& first_error() const { return error_; }
  const Status& GetCurrentStatus() const { return error_; }
  // Records an error of the caller unless there is one already. Returns an invalid handle.
  XlaOp ReportError(const Status& error, Location location = std::source_location::current());
  // Returns the op, or the result of `build`; an error of either is recorded and gives an invalid
  // handle.
  XlaOp ReportErrorOrReturn(const StatusOr<XlaOp>& op,
                            Location location = std::source_location::current());
  XlaOp ReportErrorOrReturn(const std::function<StatusOr<XlaOp>()>& build,
                            Location location = std::source_location::current());
  // Makes a builder for a computation that this one will call; it may outlive this one. This
  // builder records the errors of its BuildAndNoteError.
  std::unique_ptr<XlaBuilder> CreateSubBuilder(std::string_view name) const;

  // Errors of the following functions: the first one of the builder; INVALID_ARGUMENT for a handle
  // that is not of this builder.
  StatusOr<Shape> GetShape(XlaOp op) const;
  // Returns the shape of an op, valid as long as the builder, or the computation that it builds.
  StatusOr<const Shape*> GetShapePtr(XlaOp op) const;
  StatusOr<std::vector<Shape>> GetOperandShapes(ArraySlice<XlaOp> operands) const;
  // Returns the parameters and the result of the computation so far, with `root` as its root, or
  // the op added last.
  StatusOr<ProgramShape> GetProgramShape() const;
  StatusOr<ProgramShape> GetProgramShape(XlaOp root) const;

  // Returns whether `op` depends on nothing but constants: on no parameter, random number, other
  // device, input or custom call.
  StatusOr<bool> IsConstant(XlaOp op) const;
  // Returns a computation without parameters whose result is `op`; the builder is unchanged.
  // Errors: INVALID_ARGUMENT if `op` is not a constant.
  StatusOr<XlaComputation> BuildConstantSubGraph(XlaOp op) const;
  // Computes the value of a constant with the interpreter, on the caller's thread, within `limits`
  // if they are given. Further errors: those of the run.
  StatusOr<Literal> ComputeConstant(XlaOp op, Limits* limits = nullptr) const;

  // Set the annotations of the ops added from now on, until they are set again; no value depends on
  // them. Swap returns what was set before. A sharding or attributes that do not pass their Check
  // are an error of the builder at the next op.
  void SetOpMetadata(OpMetadata metadata);
  OpMetadata SwapOpMetadata(OpMetadata metadata);
  void ClearOpMetadata();
  // For the next op only.
  void SetOneShotOpMetadata(OpMetadata metadata);
  const OpMetadata& op_metadata() const;
  void SetSharding(const OpSharding& sharding);
  void ClearSharding();
  const std::optional<OpSharding>& sharding() const;
  void SetFrontendAttributes(FrontendAttributes attributes);
  FrontendAttributes SwapFrontendAttributes(FrontendAttributes attributes);
  void ClearFrontendAttributes();
  const FrontendAttributes& frontend_attributes() const;
  // The same for one op that exists already; an empty sharding removes that of the op. Errors: as
  // of GetShape; INVALID_ARGUMENT if the Check fails.
  Status SetInstructionFrontendAttribute(XlaOp op, std::string name, std::string value);
  Status SetInstructionSharding(XlaOp op, const std::optional<OpSharding>& sharding);

  // Allows, or requires, that output `output_index` of the entry takes over the buffer of a
  // parameter; the indices are paths into tuples, {} is the whole value. Paths that do not exist
  // are an error of Build.
  void SetUpAlias(ArraySlice<i64> output_index, i64 parameter_number,
                  ArraySlice<i64> parameter_index, AliasKind kind = AliasKind::kMayAlias);
  // Allows any output to take over the buffer of a parameter.
  void AddBufferDonor(i64 parameter_number, ArraySlice<i64> parameter_index);
  // Undoes AddBufferDonor; nothing happens if the buffer was not a donor.
  void RemoveBufferDonor(i64 parameter_number, ArraySlice<i64> parameter_index);

  // Appends an op. Every function of the builder is made of calls of this one. Errors: as those of
  // all functions. The struct is in builder/emit.h.
  struct NewOp;
  XlaOp Append(NewOp op, Location location);

  // The last plain Infeed and the token of the last plain Outfeed, for builder/side_effects.h: the
  // next one runs after them.
  XlaOp& last_infeed();
  XlaOp& last_outfeed();
  // Returns the fault of a handle for this builder, as words after "is"; "" if it has none.
  std::string WhoseHandle(XlaOp op) const;
  // Returns the state that the builder's handles share.
  const std::shared_ptr<BuilderLife>& life() const { return life_; }

  // Every function of the builder as a method: it takes the arguments without the builder and does
  // what the function does. Further errors: INVALID_ARGUMENT if an operand is of another builder.
#include "axle/builder/builder_methods.inc"

 private:
  // Returns whether all handles are of this builder and it has no error yet; if not, an error is
  // recorded.
  bool AreOwn(std::string_view function, ArraySlice<XlaOp> operands, const Location& location);
  // Returns the result of a function, with the error recorded here if the function found no builder
  // in its handles.
  XlaOp OrNoOperand(std::string_view function, XlaOp result, const Location& location);
  // Checks the whole computation, its root included.
  Status CheckComplete(const Location& location);
  void Reset();
  // Returns the copy of a called computation, which is made at the first call, under a name of its
  // own.
  HloComputation* CopyOf(const HloComputation& original);
  Status CheckHandle(XlaOp op) const;
  StatusOr<std::vector<Instruction*>> OperandsOf(const NewOp& op) const;
  StatusOr<std::vector<HloComputation*>> CopiesOf(const NewOp& op);
  StatusOr<Instruction*> TryAppend(NewOp& op, const Location& location);
  // Charge the limits for an op on these operands, before anything is allocated for it; and for the
  // shape that it has.
  Status ChargeOperands(const OpDef& def, std::span<Instruction* const> operands);
  Status ChargeResult(const Instruction& inst);
  i64 NumNodes(const Shape& interned);
  // Calls CheckNow and Reserve of the limits; an error states what was being built.
  Status AskLimits(i64 bytes);
  Status Reserve(i64 bytes);
  // Marks the number of a parameter as used; an error if it is used already.
  Status RegisterParameter(const Instruction& parameter);
  // Puts the builder's sharding and frontend attributes on an op.
  Status Annotate(Instruction* inst);

  struct State;  // builder/builder_state.h

  std::string name_;
  Status error_;
  const std::shared_ptr<BuilderLife> life_;
  const std::unique_ptr<State> state_;
};

// Scopes: during the life of one, the ops of the builder have this annotation; afterwards they have
// the previous one again. The builder must outlive the scope; nothing is checked before the next
// op. A scope of a null builder does nothing.
class XlaScopedShardingAssignment {
 public:
  // Without a sharding, ops have none.
  XlaScopedShardingAssignment(XlaBuilder* builder, const std::optional<OpSharding>& sharding);
  XlaScopedShardingAssignment(const XlaScopedShardingAssignment&) = delete;
  XlaScopedShardingAssignment& operator=(const XlaScopedShardingAssignment&) = delete;
  ~XlaScopedShardingAssignment();

 private:
  void Set(const std::optional<OpSharding>& sharding);
  XlaBuilder* builder_;
  std::optional<OpSharding> before_;
};

class XlaScopedFrontendAttributesAssignment {
 public:
  // The attributes replace those that were set.
  XlaScopedFrontendAttributesAssignment(XlaBuilder* builder, FrontendAttributes attributes);
  XlaScopedFrontendAttributesAssignment(const XlaScopedFrontendAttributesAssignment&) = delete;
  XlaScopedFrontendAttributesAssignment& operator=(const XlaScopedFrontendAttributesAssignment&) =
      delete;
  ~XlaScopedFrontendAttributesAssignment();

 private:
  XlaBuilder* builder_;
  FrontendAttributes before_;
};

class XlaScopedOpMetadataAssignment {
 public:
  // The metadata replaces what was set.
  XlaScopedOpMetadataAssignment(XlaBuilder* builder, OpMetadata metadata);
  XlaScopedOpMetadataAssignment(const XlaScopedOpMetadataAssignment&) = delete;
  XlaScopedOpMetadataAssignment& operator=(const XlaScopedOpMetadataAssignment&) = delete;
  ~XlaScopedOpMetadataAssignment();

 private:
  XlaBuilder* builder_;
  OpMetadata before_;
};

// The function form of XlaBuilder::ComputeConstant; INVALID_ARGUMENT for an empty handle.
StatusOr<Literal> ComputeConstant(XlaOp op, Limits* limits = nullptr);

}  // namespace axle
