#include "axle/text/parse.h"

#include <tsl/robin_map.h>

#include <algorithm>
#include <bitset>

#include "axle/core/float_environment.h"
#include "axle/core/strings.h"
#include "axle/ops/op_def.h"
#include "axle/text/common_attributes.h"
#include "axle/text/module_header.h"

namespace axle {
namespace {

using InstructionMap = tsl::robin_map<std::string_view, Instruction*>;

// A computation while its instructions are read. Bodies that are written in place (to_apply={...})
// are read while that of their caller is open.
struct Scope {
  Computation* computation;
  InstructionMap instructions;
  bool unknown_operands_are_parameters = false;  // in a file of one instruction
  i64 num_anonymous = 0;
};

// The attributes that every op takes, beside those of its row.
enum CommonAttribute {
  kMetadata,
  kSharding,
  kFrontendAttributes,
  kBackendConfig,
  kControlPredecessors,
  kStatistics,
  kOrigin,
  kParameterReplication,
  kResultAccuracy,
  kNumCommonAttributes,
};
constexpr std::string_view kCommonNames[] = {
    "metadata",   "sharding", "frontend_attributes",   "backend_config",  "control-predecessors",
    "statistics", "origin",   "parameter_replication", "result_accuracy",
};
static_assert(std::size(kCommonNames) == kNumCommonAttributes);

// What the attributes of one instruction say, until the instruction is made.
struct PendingAttributes {
  std::shared_ptr<void> values;
  std::bitset<64> seen;  // specs of the row
  std::vector<Computation*> callees;
  std::bitset<64> seen_callees;
  std::span<const CalleeSpec> callee_specs;
  std::bitset<kNumCommonAttributes> seen_common;
  OwnedMetadata metadata;
  InstructionExtras extras;
  bool has_extras = false;
  size_t replication_position = 0;
};

class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options)
      : scanner_(text, options.label), limits_(options.limits) {}

  StatusOr<std::unique_ptr<Module>> ParseModule() {
    module_ = std::make_unique<Module>("");
    const bool has_header = scanner_.ConsumeWord("HloModule");
    if (has_header) {
      AXLE_ASSIGN(const std::string_view name, scanner_.Name("the module's name"));
      module_->set_name(std::string(name));
      AXLE_TRY(ParseModuleHeader(scanner_, module_->config()));
    } else if (AtInstruction()) {
      AXLE_TRY(ParseSingleInstruction());
    }
    while (!scanner_.AtEnd()) AXLE_TRY(ParseComputation());
    if (module_->computations().empty()) return scanner_.Error("the module has no computation");
    if (module_->entry() == nullptr) module_->set_entry(module_->computations().back().get());
    if (!has_header) module_->set_name(StrCat("module_", module_->entry()->name()));
    AXLE_TRY(CheckConfig());
    return std::move(module_);
  }

 private:
  // --- Computations ---------------------------------------------------------------------------

  // [ENTRY] name [(parameters) -> shape] { instructions } [, execution_thread="..."]
  Status ParseComputation() {
    const bool is_entry = scanner_.ConsumeWord("ENTRY");
    if (is_entry && module_->entry() != nullptr) return scanner_.Error("second ENTRY");
    AXLE_ASSIGN(const std::string_view name, scanner_.Name("a computation"));
    if (computations_.contains(name)) {
      return scanner_.Error(StrCat("second computation \"", name, "\""));
    }
    const size_t name_position = scanner_.token_position();
    std::optional<Shape> declared;
    size_t shape_position = 0;
    if (scanner_.Peek("(")) {
      AXLE_TRY(ParseParameterList());
      AXLE_TRY(scanner_.Expect("->"));
      scanner_.PeekChar();
      shape_position = scanner_.position();
      AXLE_ASSIGN(declared, ParseShape(scanner_));
    }
    AXLE_ASSIGN(Computation* const computation, ParseBody(name, name_position));
    if (declared && !Compatible(*declared, computation->root()->shape())) {
      return scanner_.ErrorAt(
          shape_position, StrCat("\"", name, "\" is declared to return ", declared->ToString(),
                                 " but its root has shape ",
                                 computation->root()->shape().ToString()));
    }
    if (scanner_.Consume(",")) {
      if (scanner_.AttributeName() != "execution_thread") {
        return scanner_.Expected("execution_thread=");
      }
      AXLE_ASSIGN(std::string thread, scanner_.String());
      // XLA's name of the main thread.
      computation->set_execution_thread(thread == "main" ? "" : std::move(thread));
    }
    computations_.emplace(computation->name(), computation);
    if (is_entry) module_->set_entry(computation);
    return {};
  }

  // (x: f32[2], y: f32[]): what it says stands in the parameter instructions again.
  Status ParseParameterList() {
    return scanner_.List("(", ")", [&]() -> Status {
      AXLE_TRY(scanner_.Name("a parameter").status());
      scanner_.Consume(":");
      return ParseShape(scanner_).status();
    });
  }

  // { instructions }
  StatusOr<Computation*> ParseBody(std::string_view name, size_t name_position) {
    Scope scope{.computation = module_->AddComputation(name), .instructions = {}};
    Instruction* root = nullptr;
    AXLE_TRY(scanner_.List("{", "}", [&]() -> Status {
      if (limits_ != nullptr) AXLE_TRY(limits_->Check());
      const bool is_root = scanner_.ConsumeWord("ROOT");
      if (is_root && root != nullptr) return scanner_.Error("second ROOT");
      AXLE_ASSIGN(Instruction* const inst, ParseInstruction(scope));
      if (is_root) root = inst;
      return {};
    }));
    Computation* computation = scope.computation;
    if (computation->root() == nullptr) {
      return scanner_.ErrorAt(name_position, StrCat("\"", name, "\" has no instructions"));
    }
    if (root != nullptr) computation->set_root(root);
    if (Status status = BindParameters(*computation); !status.ok()) {
      return Located(name_position, status);
    }
    return computation;
  }

  Status Located(size_t position, const Status& status) {
    return {status.code(), scanner_.ErrorAt(position, status.message()).message()};
  }

  // --- Instructions ---------------------------------------------------------------------------

  // name = [shape] op(...), attributes
  StatusOr<Instruction*> ParseInstruction(Scope& scope) {
    AXLE_ASSIGN(const std::string_view name, scanner_.Name("an instruction"));
    if (scope.instructions.contains(name)) {
      return scanner_.Error(StrCat("second instruction \"", name, "\""));
    }
    AXLE_TRY(scanner_.Expect("="));
    AXLE_ASSIGN(Instruction* const inst, ParseOperation(scope, name));
    return inst;
  }

  // [shape] op(...), attributes. An operation inside of another's operands has no attributes.
  StatusOr<Instruction*> ParseOperation(Scope& scope, std::string_view name, bool nested = false) {
    NewInstruction init{.opcode = {}, .name = name};
    scanner_.PeekChar();
    const size_t shape_position = scanner_.position();
    const bool has_shape = AtShape();
    if (has_shape) {
      AXLE_ASSIGN(init.shape, ParseShape(scanner_));
    }
    AXLE_ASSIGN(const std::string_view text, scanner_.Name("an operation"));
    const size_t op_position = scanner_.token_position();
    const OpDef* def = FindOpDef(text);
    if (def == nullptr) return UnknownOp(text);
    if (def->declared_shape && !has_shape) {
      return scanner_.Error(StrCat("\"", text, "\" needs a shape before it"));
    }
    init.opcode = def->opcode;
    PendingAttributes attributes;
    attributes.values = def->attrs.create();
    std::vector<Instruction*> operands;
    if (def->parens == ParenSyntax::kAttribute) {
      AXLE_TRY(scanner_.Expect("("));
      AXLE_TRY(ParseSpec(*def, 0, init.shape, attributes));
      AXLE_TRY(scanner_.Expect(")"));
    } else {
      AXLE_TRY(scanner_.List("(", ")", [&]() -> Status {
        AXLE_ASSIGN(operands.emplace_back(), ParseOperand(scope));
        return {};
      }));
    }
    if (!nested) AXLE_TRY(ParseAttributes(scope, *def, init.shape, attributes));
    AXLE_TRY(CheckAttributes(*def, op_position, attributes));
    if (def->canonicalize != nullptr && OperandsFit(*def, operands)) {
      def->canonicalize(operands, attributes.values.get());
    }
    std::string generated;
    if (name.empty()) {
      generated = AnonymousName(scope, def->text);
      init.name = generated;
    }
    init.operands = operands;
    init.callees = attributes.callees;
    init.attrs = {def->attrs, std::move(attributes.values)};
    init.metadata = attributes.metadata.value;

    Instruction* inst = scope.computation->Add(init);
    StatusOr<Shape> shape = InferShape(*inst);
    if (!shape.ok()) return Located(op_position, shape.status());
    if (has_shape && !EqualIgnoringLayout(*shape, init.shape)) {
      return scanner_.ErrorAt(shape_position,
                              StrCat("\"", text, "\" has shape ", shape->ToString(), ", not ",
                                     init.shape.ToString()));
    }
    if (!has_shape) scope.computation->SetShape(inst, *shape);
    if (attributes.has_extras) {
      AXLE_TRY(CheckReplication(attributes, inst->shape()));
      scope.computation->MutableExtras(inst) = std::move(attributes.extras);
    }
    scope.instructions.emplace(inst->name(), inst);
    return inst;
  }

  // A canonicalize hook may look at its operands, so they must be there.
  static bool OperandsFit(const OpDef& def, const std::vector<Instruction*>& operands) {
    return operands.size() >= def.operands.size();
  }

  static std::string AnonymousName(const Scope& scope, std::string_view op) {
    std::string name = StrCat(op, ".anon");
    for (i64 i = 1; scope.instructions.contains(name); ++i) name = StrCat(op, ".anon.", i);
    return name;
  }

  // True before f32[2], (f32[], s32[]) or b(f32[8]).
  bool AtShape() {
    if (scanner_.Peek("(")) return true;
    const size_t begin = scanner_.position();
    const std::string_view word = scanner_.Word();
    const bool found =
        !word.empty() && (scanner_.Peek("[") || (word == "b" && scanner_.Peek("(")));
    scanner_.Rewind(begin);
    return found;
  }

  Status UnknownOp(std::string_view text) {
    if (IsPlanned(text)) {
      return Unimplemented(scanner_.Error(StrCat(text, " is not implemented yet")).message());
    }
    std::vector<std::string_view> names(std::begin(kPlannedOps), std::end(kPlannedOps));
    for (const OpDef* def : AllOpDefs()) names.push_back(def->text);
    return scanner_.Error(StrCat("unknown operation \"", text, "\"", DidYouMean(text, names)));
  }

  // Any operation may be written in its asynchronous form.
  static bool IsPlanned(std::string_view text) {
    if (IsPlannedOp(text)) return true;
    for (std::string_view suffix : {"-start", "-update", "-done"}) {
      if (!text.ends_with(suffix)) continue;
      const std::string_view op = text.substr(0, text.size() - suffix.size());
      if (FindOpDef(op) != nullptr || IsPlannedOp(op)) return true;
    }
    return false;
  }

  // --- Operands -------------------------------------------------------------------------------

  // name, "shape name" in old dumps, or an operation.
  StatusOr<Instruction*> ParseOperand(Scope& scope) {
    scanner_.PeekChar();
    const size_t begin = scanner_.position();
    std::optional<Shape> shape;
    if (AtShape()) {
      AXLE_ASSIGN(shape, ParseShape(scanner_));
    }
    AXLE_ASSIGN(const std::string_view name, scanner_.Name("an operand"));
    const size_t name_position = scanner_.token_position();
    if (scanner_.Peek("(")) {
      scanner_.Rewind(begin);
      return ParseOperation(scope, "", /*nested=*/true);
    }
    const auto it = scope.instructions.find(name);
    if (it == scope.instructions.end()) return UnknownOperand(scope, name, name_position);
    if (shape && !Compatible(*shape, it->second->shape())) {
      return scanner_.ErrorAt(begin, StrCat("\"", name, "\" has shape ",
                                            it->second->shape().ToString(), ", not ",
                                            shape->ToString()));
    }
    return it->second;
  }

  Status UnknownOperand(const Scope& scope, std::string_view name, size_t position) {
    std::vector<std::string_view> names;
    for (const auto& [known, _] : scope.instructions) names.push_back(known);
    return scanner_.ErrorAt(position, StrCat("no instruction \"", name, "\" before this one",
                                             DidYouMean(name, names)));
  }

  // --- Attributes -----------------------------------------------------------------------------

  Status ParseSpec(const OpDef& def, size_t i, const Shape& result, PendingAttributes& attributes) {
    const AttrSpec& spec = def.attrs.specs[i];
    if (attributes.seen.test(i)) return Twice(spec.text);
    attributes.seen.set(i);
    return spec.kind->parse(scanner_, result, spec.field(attributes.values.get()));
  }

  Status Twice(std::string_view name) {
    return scanner_.Error(StrCat("second value for \"", name, "\""));
  }

  // ", name=value" until the end of the instruction.
  Status ParseAttributes(Scope& scope, const OpDef& def, const Shape& result,
                         PendingAttributes& attributes) {
    while (scanner_.Consume(",")) {
      const std::string_view name = scanner_.AttributeName();
      if (name.empty()) return scanner_.Expected("an attribute, and '='");
      const auto has_name = [&](const auto& spec) { return spec.text == name; };
      const size_t skip = def.parens == ParenSyntax::kAttribute ? 1 : 0;
      const auto specs = def.attrs.specs.subspan(skip);
      if (const auto spec = std::ranges::find_if(specs, has_name); spec != specs.end()) {
        AXLE_TRY(ParseSpec(def, spec - specs.begin() + skip, result, attributes));
      } else if (const auto common = std::ranges::find(kCommonNames, name);
                 common != std::end(kCommonNames)) {
        AXLE_TRY(ParseCommon(scope, def, common - std::begin(kCommonNames), attributes));
      } else {
        AXLE_TRY(ParseCallees(def, name, attributes));
      }
    }
    return {};
  }

  // to_apply=name, branch_computations={a, b}
  Status ParseCallees(const OpDef& def, std::string_view name, PendingAttributes& attributes) {
    const auto has_name = [&](const CalleeSpec& spec) { return spec.text == name; };
    for (const std::span<const CalleeSpec> specs : {def.callees, def.alternative_callees}) {
      const auto spec = std::ranges::find_if(specs, has_name);
      if (spec == specs.end()) continue;
      const size_t i = spec - specs.begin();
      if (attributes.callee_specs.data() != specs.data()) {
        if (!attributes.callee_specs.empty()) {
          return scanner_.Error(StrCat("\"", name, "\" cannot stand beside \"",
                                       attributes.callee_specs[0].text, "\""));
        }
        attributes.callee_specs = specs;
        if (!spec->variadic) attributes.callees.resize(specs.size());
      }
      if (attributes.seen_callees.test(i)) return Twice(name);
      attributes.seen_callees.set(i);
      if (!spec->variadic) {
        AXLE_ASSIGN(attributes.callees[i], ParseCallee());
        return {};
      }
      return scanner_.List("{", "}", [&]() -> Status {
        AXLE_ASSIGN(attributes.callees.emplace_back(), ParseCallee());
        return {};
      });
    }
    return UnknownAttribute(def, name);
  }

  StatusOr<Computation*> ParseCallee() {
    AXLE_ASSIGN(const std::string_view name, scanner_.Name("a computation"));
    if (const auto it = computations_.find(name); it != computations_.end()) return it->second;
    std::vector<std::string_view> names;
    for (const auto& [known, _] : computations_) names.push_back(known);
    return scanner_.Error(
        StrCat("no computation \"", name, "\" before this one", DidYouMean(name, names)));
  }

  Status UnknownAttribute(const OpDef& def, std::string_view name) {
    std::vector<std::string_view> known;
    const size_t skip = def.parens == ParenSyntax::kAttribute ? 1 : 0;
    for (const AttrSpec& spec : def.attrs.specs.subspan(skip)) known.push_back(spec.text);
    for (const CalleeSpec& spec : def.callees) known.push_back(spec.text);
    for (const CalleeSpec& spec : def.alternative_callees) known.push_back(spec.text);
    const std::string takes = known.empty() ? "it takes none" : "it takes: " + Join(known, ", ");
    known.insert(known.end(), std::begin(kCommonNames), std::end(kCommonNames));
    const auto match = ClosestMatch(name, known);
    const std::string hint = match ? StrCat("did you mean \"", *match, "\"? ") : "";
    return scanner_.Error(StrCat("unknown attribute \"", name, "\" for \"", def.text, "\" (", hint,
                                 takes, ")"));
  }

  Status CheckAttributes(const OpDef& def, size_t op_position,
                         const PendingAttributes& attributes) {
    for (size_t i = 0; i < def.attrs.specs.size(); ++i) {
      const AttrSpec& spec = def.attrs.specs[i];
      if (spec.presence == Presence::kRequired && !attributes.seen.test(i)) {
        return scanner_.ErrorAt(op_position, StrCat("\"", def.text, "\" needs ", spec.text, "=..."));
      }
    }
    const auto specs = attributes.callee_specs.empty() ? def.callees : attributes.callee_specs;
    for (size_t i = 0; i < specs.size(); ++i) {
      if (!attributes.seen_callees.test(i)) {
        return scanner_.ErrorAt(op_position,
                                StrCat("\"", def.text, "\" needs ", specs[i].text, "=..."));
      }
    }
    return {};
  }

  Status ParseCommon(Scope& scope, const OpDef& def, size_t which, PendingAttributes& attributes) {
    if (attributes.seen_common.test(which)) return Twice(kCommonNames[which]);
    attributes.seen_common.set(which);
    InstructionExtras& extras = attributes.extras;
    if (which != kMetadata) attributes.has_extras = true;
    switch (which) {
      case kMetadata: {
        AXLE_ASSIGN(attributes.metadata, ParseMetadata(scanner_));
        return {};
      }
      case kSharding: {
        AXLE_ASSIGN(extras.sharding, scanner_.Braces());
        return {};
      }
      case kFrontendAttributes: {
        AXLE_ASSIGN(extras.frontend_attributes, ParseFrontendAttributes(scanner_));
        return {};
      }
      case kBackendConfig: {
        AXLE_ASSIGN(extras.backend_config, ParseTextOrJson(scanner_));
        extras.has_backend_config = true;
        return {};
      }
      case kControlPredecessors:
        return ParseControlPredecessors(scope, extras.control_predecessors);
      case kStatistics: {
        AXLE_ASSIGN(extras.statistics, ParseStatistics(scanner_));
        return {};
      }
      case kOrigin: {
        AXLE_ASSIGN(extras.origin, ParseOrigin(scanner_));
        return {};
      }
      case kParameterReplication: {
        attributes.replication_position = scanner_.token_position();
        AXLE_ASSIGN(extras.parameter_replication, ParseParameterReplication(scanner_));
        return {};
      }
      default: {
        if (!TakesResultAccuracy(def)) return UnknownAttribute(def, kCommonNames[which]);
        AXLE_ASSIGN(extras.result_accuracy, ParseResultAccuracy(scanner_));
        return {};
      }
    }
  }

  // Only for functions of one operand that are not computed exactly.
  static bool TakesResultAccuracy(const OpDef& def) {
    return def.lowering == Lowering::kElementwise && def.operands.size() == 1 &&
           !def.declared_shape && def.accuracy != "exact";
  }

  Status ParseControlPredecessors(const Scope& scope, std::vector<Instruction*>& predecessors) {
    AXLE_TRY(scanner_.List("{", "}", [&]() -> Status {
      AXLE_ASSIGN(const std::string_view name, scanner_.Name("an instruction"));
      const auto it = scope.instructions.find(name);
      if (it == scope.instructions.end()) {
        return UnknownOperand(scope, name, scanner_.token_position());
      }
      predecessors.push_back(it->second);
      return {};
    }));
    return {};
  }

  Status CheckReplication(const PendingAttributes& attributes, const Shape& shape) {
    if (!attributes.seen_common.test(kParameterReplication)) return {};
    i64 num_leaves = 0;
    ForEachLeaf(shape, [&](const Shape&, const Dims&) { ++num_leaves; });
    const i64 num_flags = std::ranges::count(attributes.extras.parameter_replication, ',') + 1;
    if (num_flags == num_leaves) return {};
    return scanner_.ErrorAt(attributes.replication_position,
                            StrCat("parameter_replication has ", num_flags,
                                   " flags but the shape has ", num_leaves, " leaves"));
  }

  // --- Files without a header -------------------------------------------------------------------

  bool AtInstruction() { return false; }
  Status ParseSingleInstruction() { return {}; }

  Status CheckConfig() { return {}; }

  Scanner scanner_;
  Limits* limits_;
  std::unique_ptr<Module> module_;
  tsl::robin_map<std::string_view, Computation*> computations_;
};

}  // namespace

StatusOr<std::unique_ptr<Module>> Parse(std::string_view text, const ParseOptions& options) {
  const ScopedFloatEnvironment environment;
  return Parser(text, options).ParseModule();
}

}  // namespace axle
