#include "axle/client/graph.h"

#include "axle/builder/emit.h"
#include "axle/core/strings.h"
#include "axle/text/op_attributes.h"

namespace axle {
namespace {

StatusOr<const OpDef*> FindOp(std::string_view name) {
  const OpDef* def = FindOpDef(name);
  if (def == nullptr) {
    std::vector<std::string_view> names;
    for (const OpDef* candidate : AllOpDefs()) names.push_back(candidate->text);
    return InvalidArgument(
        StrCat("there is no operation \"", PrintableText(name), "\"", DidYouMean(name, names)));
  }
  if (def->parens == ParenSyntax::kAttribute) {
    return InvalidArgument(StrCat(name, ": has a function of its own in the builder"));
  }
  return def;
}

// Attributes are short, so that an error does not state the place in the text.
StatusOr<OpAttributes> ReadAttributes(const OpDef& def, const GraphBuilder::NewOp& op,
                                      const Shape& declared) {
  StatusOr<OpAttributes> attributes =
      ParseOpAttributes(def, op.attributes, declared, {.label = "attributes"});
  if (attributes.ok()) return attributes;
  const std::string& message = attributes.status().message();
  const size_t begin = message.find(": ");
  return Status(attributes.status().code(),
                StrCat(op.op, message.substr(begin, message.find('\n') - begin)));
}

void AddExtras(Instruction& inst, OpAttributes& attributes) {
  if (!attributes.extras) return;
  InstructionExtras& extras = inst.parent()->MutableExtras(&inst);
  extras = std::move(*attributes.extras);
  if (!attributes.sharding) return;
  const Shape& shape = inst.shape();
  i64 num_leaves = 0;
  ForEachLeaf(shape, [&](const Shape&, const Dims&) { ++num_leaves; });
  extras.sharding = shape.is_tuple() ? ShardingForLeaves(*attributes.sharding, num_leaves)
                                     : attributes.sharding->text;
}

}  // namespace

GraphBuilder::GraphBuilder(std::string_view name) : builder_(name) {}

GraphBuilder::~GraphBuilder() = default;

void GraphBuilder::SetLimits(Limits* limits) {
  builder_.set_limits(limits);
}

void GraphBuilder::SetLocation(std::string_view file, std::uint_least32_t line) {
  file_ = file;
  line_ = line;
}

XlaOp GraphBuilder::Find(i64 op) const {
  const i64 i = op - first_op_;
  return op >= first_op_ && i < static_cast<i64>(ops_.size()) ? ops_[i] : XlaOp();
}

StatusOr<i64> GraphBuilder::Keep(XlaOp op) {
  if (!op.valid()) return builder_.first_error();
  ops_.push_back(op);
  return first_op_ + static_cast<i64>(ops_.size()) - 1;
}

StatusOr<i64> GraphBuilder::Parameter(i64 number, const Shape& shape, std::string_view name) {
  return Keep(axle::Parameter(&builder_, number, shape, name, location()));
}

StatusOr<i64> GraphBuilder::Constant(const Literal& value) {
  return Keep(ConstantLiteral(&builder_, value, location()));
}

StatusOr<i64> GraphBuilder::Add(const NewOp& op) {
  AXLE_TRY(builder_.first_error());
  StatusOr<XlaOp> added = Append(op);
  return Keep(added.ok() ? *added : builder_.ReportError(added.status(), location()));
}

StatusOr<XlaOp> GraphBuilder::Append(const NewOp& op) {
  AXLE_ASSIGN(const OpDef* def, FindOp(op.op));
  if (def->declared_shape && !op.shape) {
    return InvalidArgument(StrCat(op.op, ": the shape of the result must be given"));
  }
  const Shape declared = op.shape.value_or(Shape());
  AXLE_TRY(CheckShape(declared));
  AXLE_ASSIGN(OpAttributes attributes, ReadAttributes(*def, op, declared));
  if (attributes.attrs.values == nullptr) attributes.attrs = {};
  std::vector<XlaOp> operands;
  for (const i64 operand : op.operands) {
    operands.push_back(Find(operand));
    if (operands.back().valid()) continue;
    return InvalidArgument(StrCat(op.op, ": operand ", operands.size() - 1, " is ", operand,
                                  ", which is not an op of builder \"", builder_.name(), "\""));
  }
  std::vector<XlaComputation> computations(op.called.begin(), op.called.end());
  std::vector<const XlaComputation*> called;
  for (const XlaComputation& computation : computations) called.push_back(&computation);
  const XlaOp added = builder_.Append({.opcode = def->opcode,
                                       .operands = operands,
                                       .attrs = std::move(attributes.attrs),
                                       .called = called,
                                       .declared = declared,
                                       .name = op.name},
                                      location());
  if (!added.valid()) return added;
  Instruction& inst = *added.instruction();
  if (op.shape && !EqualIgnoringLayout(inst.shape(), declared)) {
    return InvalidArgument(StrCat(op.op, ": the shape of the result is ", inst.shape().ToString(),
                                  ", not ", declared.ToString()));
  }
  AddExtras(inst, attributes);
  return added;
}

StatusOr<Shape> GraphBuilder::ShapeOf(i64 op) const {
  AXLE_TRY(builder_.first_error());
  const XlaOp found = Find(op);
  if (found.valid()) return found.instruction()->shape();
  return InvalidArgument(StrCat(op, " is not an op of builder \"", builder_.name(), "\""));
}

StatusOr<std::shared_ptr<const Module>> GraphBuilder::Build(i64 root) {
  AXLE_ASSIGN(const XlaComputation computation, builder_.Build(Find(root), location()));
  first_op_ += static_cast<i64>(ops_.size());
  ops_.clear();
  return computation.shared_module();
}

const Status& GraphBuilder::first_error() const {
  return builder_.first_error();
}

}  // namespace axle
