#include "axle/builder/xla_builder.h"

#include <cstring>

#include "axle/builder/emit.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// A name that HLO text can spell and that is not in `taken`, to which it is added.
std::string UniqueName(std::string_view wish, std::unordered_set<std::string>& taken) {
  std::string name(wish);
  for (char& c : name) {
    const bool is_legal = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
    if (!is_legal) c = '_';
  }
  const auto starts_well = [&] {
    const char c = name.empty() ? '\0' : name[0];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (!starts_well()) name = "_" + name;
  const bool is_type = ElementTypeFromName(name) != PRIMITIVE_TYPE_INVALID || name == "token" ||
                       name == "opaque" || name == "opaque_type";
  if (is_type) name += '_';
  std::string unique = name;
  for (i64 number = 1; !taken.insert(unique).second; ++number) unique = StrCat(name, ".", number);
  return unique;
}

bool IsUniform(const Literal& literal) {
  const auto bytes = static_cast<size_t>(Info(literal.shape().type()).bytes);
  for (i64 i = 1; i < literal.num_elements(); ++i) {
    if (std::memcmp(literal.bytes(), literal.bytes() + i * bytes, bytes) != 0) return false;
  }
  return true;
}

}  // namespace

StatusOr<ProgramShape> XlaComputation::GetProgramShape() const {
  if (!valid()) return InvalidArgument("the computation is empty");
  ProgramShape program;
  for (const Instruction* p : module_->entry()->parameters())
    program.parameters.push_back(p->shape());
  program.result = module_->entry()->root()->shape();
  return program;
}

XlaBuilder::XlaBuilder(std::string_view name) : name_(name) {
  Reset();
}

void XlaBuilder::Reset() {
  copies_.clear();
  originals_.clear();
  names_.clear();
  computation_names_.clear();
  last_infeed_ = last_outfeed_ = {};
  module_ = std::make_unique<Module>(name_);
  computation_ = module_->AddComputation(UniqueName(name_, computation_names_));
  module_->set_entry(computation_);
}

XlaOp XlaBuilder::ReportError(Status error, Location location) {
  if (error_.ok()) {
    std::string message = error.message();
    if (message.find(At(location)) == message.npos) message += At(location);
    error_ = Status(error.code(), std::move(message));
  }
  return {this, nullptr};
}

StatusOr<Shape> XlaBuilder::GetShape(XlaOp op) const {
  AXLE_TRY(error_);
  if (!op.valid() || op.builder() != this) {
    return InvalidArgument(StrCat("the handle is not of builder \"", name_, "\""));
  }
  return op.instruction()->shape();
}

Computation* XlaBuilder::CopyOf(const Computation& original) {
  const size_t before = module_->computations().size();
  Computation* copy = module_->CloneComputation(original, copies_);
  for (const auto& computation : module_->computations().subspan(before)) {
    computation->set_name(UniqueName(computation->name(), computation_names_));
  }
  return copy;
}

XlaOp XlaBuilder::Append(NewOp op, Location location) {
  if (!error_.ok()) return {this, nullptr};
  const OpDef& def = GetOpDef(op.opcode);
  std::vector<Instruction*> operands;
  for (const XlaOp& operand : op.operands) {
    if (operand.builder() != this || !operand.valid()) {
      const std::string whose =
          operand.builder() == nullptr ? "an empty handle"
          : operand.builder() == this
              ? "an invalid handle"
              : StrCat("of builder \"", operand.builder()->name(), "\", not of \"", name_, "\"");
      return ReportError(
          InvalidArgument(StrCat(def.text, ": operand ", operands.size(), " is ", whose)),
          location);
    }
    operands.push_back(operand.instruction());
  }
  std::vector<Computation*> callees;
  for (const XlaComputation* called : op.called) {
    if (called == nullptr || !called->valid()) {
      return ReportError(
          InvalidArgument(StrCat(def.text, ": a called computation failed to build")), location);
    }
    originals_.push_back(called->shared_module());
    callees.push_back(CopyOf(*called->module().entry()));
  }
  if (Status status = CheckShape(op.declared); !status.ok()) return ReportError(status, location);
  const std::string name = UniqueName(
      op.name.empty() ? StrCat(def.text, ".", computation_->instructions().size()) : op.name,
      names_);
  if (op.attrs.values == nullptr) op.attrs = {def.attrs, def.attrs.create()};
  if (def.canonicalize != nullptr) {
    // The block was made by a function of this file and is not shared yet.
    def.canonicalize(operands, const_cast<void*>(op.attrs.values.get()));
  }
  Metadata metadata;
  metadata.source_file = location.file_name();
  metadata.source_line = static_cast<std::int32_t>(location.line());
  Instruction* inst = computation_->Add({
      .opcode = op.opcode,
      .name = name,
      .shape = op.declared,
      .operands = operands,
      .callees = callees,
      .attrs = std::move(op.attrs),
      .metadata = metadata,
  });
  StatusOr<Shape> shape = InferShape(*inst);
  if (!shape.ok()) {
    Status error = shape.status();
    computation_->RemoveLast();
    return ReportError(std::move(error), location);
  }
  if (!EqualIgnoringLayout(*shape, inst->shape())) computation_->SetShape(inst, *shape);
  return {this, inst};
}

StatusOr<XlaComputation> XlaBuilder::Build(Location location) {
  AXLE_TRY(error_);
  if (computation_->root() == nullptr) {
    return Status(StatusCode::kInternal,
                  StrCat("build: computation \"", name_, "\" has no op", At(location)));
  }
  return Build(XlaOp(this, computation_->root()), location);
}

StatusOr<XlaComputation> XlaBuilder::Build(XlaOp root, Location location) {
  AXLE_TRY(error_);
  if (root.builder() != this || !root.valid()) {
    return InvalidArgument(
        StrCat("build: the root is not an op of builder \"", name_, "\"", At(location)));
  }
  computation_->set_root(root.instruction());
  AXLE_TRY(BindParameters(*computation_));
  AXLE_TRY(CheckUses(*computation_));
  std::shared_ptr<const Module> module = std::move(module_);
  Reset();
  return XlaComputation(std::move(module));
}

XlaOp Parameter(XlaBuilder* builder, i64 number, const Shape& shape, std::string_view name,
                Location location) {
  return builder->Append({.opcode = Opcode::kParameter,
                          .attrs = Block(Opcode::kParameter, ParameterAttrs{number}),
                          .declared = shape,
                          .name = name},
                         location);
}

XlaOp ConstantLiteral(XlaBuilder* builder, const Literal& literal, Location location) {
  const Literal value = literal.ToRowMajor();
  const Shape& shape = value.shape();
  if (shape.is_array() && value.num_elements() > 1 && IsUniform(value)) {
    const Literal scalar = Literal::View(Shape(shape.type()), value.bytes());
    Literal owned{scalar.shape()};
    std::memcpy(owned.mutable_bytes(), scalar.bytes(), static_cast<size_t>(scalar.num_bytes()));
    return Expand(ConstantLiteral(builder, owned, location), {}, shape.dims(), location);
  }
  return builder->Append({.opcode = Opcode::kConstant,
                          .attrs = Block(Opcode::kConstant, ConstantAttrs{value}),
                          .declared = shape},
                         location);
}

XlaOp Iota(XlaBuilder* builder, const Shape& shape, i64 iota_dimension, Location location) {
  return builder->Append({.opcode = Opcode::kIota,
                          .attrs = Block(Opcode::kIota, IotaAttrs{iota_dimension}),
                          .declared = shape},
                         location);
}

XlaOp Iota(XlaBuilder* builder, PrimitiveType type, i64 size, Location location) {
  return Iota(builder, Shape(type, {size}), 0, location);
}

}  // namespace axle
