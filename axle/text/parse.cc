#include "axle/text/parse.h"

#include <tsl/robin_map.h>
#include <tsl/robin_set.h>

#include <algorithm>
#include <bitset>
#include <map>
#include <unordered_map>

#include "axle/core/float_environment.h"
#include "axle/core/strings.h"
#include "axle/ops/async.h"
#include "axle/ops/implied.h"
#include "axle/ops/op_def.h"
#include "axle/ops/unimplemented_attribute.h"
#include "axle/text/common_attributes.h"
#include "axle/text/instruction_checks.h"
#include "axle/text/module_header.h"
#include "axle/text/shape_budget.h"
#include "axle/text/sharding.h"

namespace axle {
namespace {

using InstructionMap = tsl::robin_map<std::string_view, Instruction*>;

// A computation while its instructions are read. Bodies that are written in place (to_apply={...})
// are read while that of their caller is open.
struct Scope {
  Computation* computation;
  InstructionMap instructions = {};
  bool is_single_instruction = false;  // operands that it does not know are parameters
  i64 num_parameters = 0;              // that such operands became
  // For instructions that the text does not name: how many there are with this beginning.
  std::unordered_map<std::string, i64> num_generated = {};
  std::map<std::pair<const Instruction*, i64>, Instruction*> tuple_elements = {};  // t#1
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

// XLA's name of a computation that is written as op-start.
constexpr std::string_view kWrappedName = "async_wrapped";
// And of one that is written where it is called, or around a single instruction.
constexpr std::string_view kBodyName = "_";

// What the attributes of one instruction say, until the instruction is made.
struct PendingAttributes {
  std::shared_ptr<void> values;  // null: all at their defaults
  std::bitset<64> seen;          // specs of the row
  std::vector<Computation*> callees;
  std::bitset<64> seen_callees;
  std::span<const CalleeSpec> callee_specs;
  std::bitset<kNumCommonAttributes> seen_common;
  Metadata metadata;
  InstructionExtras extras;
  bool has_extras = false;
  ShardingText sharding;  // for extras, once the shape is known
  size_t replication_position = 0;
};

class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options)
      : scanner_(text, options.label),
        limits_(options.limits),
        ends_with_empty_line_(text.ends_with("\n\n")),
        shape_budget_(static_cast<i64>(text.size())) {}

  StatusOr<std::unique_ptr<Module>> ParseModule() {
    module_ = std::make_unique<Module>("");
    module_->config().ends_with_empty_line = ends_with_empty_line_;
    HeaderPositions positions;
    if (scanner_.ConsumeWord("HloModule")) {
      AXLE_ASSIGN(const std::string_view name, scanner_.Name("the module's name"));
      module_->set_name(std::string(name));
      AXLE_TRY(ParseModuleHeader(scanner_, module_->config(), positions));
    } else if (AtInstruction()) {
      AXLE_TRY(ParseSingleInstruction());
      return std::move(module_);
    }
    while (!scanner_.AtEnd()) AXLE_TRY(ParseComputation());
    if (module_->computations().empty()) return scanner_.Error("the module has no computation");
    if (module_->entry() == nullptr) module_->set_entry(module_->computations().back().get());
    if (module_->name().empty()) module_->set_name(StrCat("module_", module_->entry()->name()));
    NameGenerated();
    AXLE_TRY(CheckModuleHeader(scanner_, *module_, positions));
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
      AXLE_ASSIGN(declared, ReadShape());
    }
    AXLE_ASSIGN(Computation* const computation, ParseBody(name, name_position));
    if (declared && !Compatible(*declared, computation->root()->shape())) {
      return scanner_.ErrorAt(
          shape_position,
          StrCat("\"", name, "\" is declared to return ", declared->ToString(),
                 " but its root has shape ", computation->root()->shape().ToString()));
    }
    if (scanner_.Consume(",")) {
      const std::string_view attribute = scanner_.AttributeName();
      if (attribute.empty()) return scanner_.Expected("execution_thread=");
      if (attribute != "execution_thread") {
        return scanner_.Error(StrCat("unknown attribute \"", attribute,
                                     "\" for a computation (it takes: execution_thread)"));
      }
      AXLE_ASSIGN(std::string thread, scanner_.String());
      // XLA's name of the main thread.
      computation->set_execution_thread(thread == "main" ? "" : std::move(thread));
    }
    if (is_entry) module_->set_entry(computation);
    return {};
  }

  // (x: f32[2], y: f32[]): what it says stands in the parameter instructions again.
  Status ParseParameterList() {
    return scanner_.List("(", ")", [&]() -> Status {
      AXLE_TRY(scanner_.Name("a parameter").status());
      scanner_.Consume(":");
      return ReadShape().status();
    });
  }

  // { instructions } of a computation with a name.
  StatusOr<Computation*> ParseBody(std::string_view name, size_t name_position) {
    const size_t position = module_->computations().size();
    Scope scope{.computation = module_->AddComputation(name)};
    const std::string_view key = scope.computation->name();
    computations_.emplace(key, nullptr);
    AXLE_TRY(ParseInstructions(scope, name_position));
    // Behind the computations that were written inside of it.
    if (position + 1 < module_->computations().size()) module_->MoveToEnd(position);
    computations_[key] = scope.computation;
    return scope.computation;
  }

  // The same of one that is written where it is called.
  StatusOr<Computation*> ParseBodyInPlace() {
    const size_t text_position = scanner_.position();
    const size_t position = module_->computations().size();
    Scope scope{.computation = module_->AddComputation(kBodyName)};
    generated_.push_back(scope.computation);
    AXLE_TRY(ParseInstructions(scope, text_position));
    if (position + 1 < module_->computations().size()) module_->MoveToEnd(position);
    return scope.computation;
  }

  Status ParseInstructions(Scope& scope, size_t name_position) {
    Instruction* root = nullptr;
    AXLE_TRY(scanner_.List("{", "}", [&]() -> Status {
      if (limits_ != nullptr) AXLE_TRY(limits_->Check());
      const bool is_root = scanner_.ConsumeWord("ROOT");
      if (is_root && root != nullptr) return scanner_.Error("second ROOT");
      AXLE_ASSIGN(Instruction* const inst, ParseInstruction(scope));
      if (is_root) root = inst;
      return {};
    }));
    Computation& computation = *scope.computation;
    if (computation.root() == nullptr) {
      return scanner_.ErrorAt(name_position,
                              StrCat("\"", computation.name(), "\" has no instructions"));
    }
    if (root != nullptr) computation.set_root(root);
    Status status = BindParameters(computation);
    if (status.ok()) status = CheckUses(computation);
    return status.ok() ? status : Located(name_position, status);
  }

  // An error of the op table or the like, with the place that it is about.
  Status Located(size_t position, const Status& status) {
    return {status.code(), scanner_.ErrorAt(position, status.message()).message()};
  }

  // --- Instructions ---------------------------------------------------------------------------

  // name = [shape] op(...), attributes
  StatusOr<Instruction*> ParseInstruction(Scope& scope) {
    AXLE_ASSIGN(const std::string_view name, scanner_.Name("an instruction"));
    AXLE_TRY(CheckNewName(scope, name));
    AXLE_TRY(scanner_.Expect("="));
    AXLE_ASSIGN(Instruction* const inst, ParseOperation(scope, name));
    return inst;
  }

  // Of the name that was read last.
  Status CheckNewName(const Scope& scope, std::string_view name) {
    if (scope.instructions.contains(name)) {
      return scanner_.Error(StrCat("second instruction \"", name, "\""));
    }
    if (const Status status = CheckInstructionName(name); !status.ok()) {
      return scanner_.Error(status.message());
    }
    const size_t begin = scanner_.token_position();
    const bool has_percent = scanner_.Slice(begin, begin + 1) == "%";
    if (has_percent || !scanner_.PeekAdjacent("=")) return {};
    return scanner_.Error(StrCat("\"", name, "=\" is an attribute; an instruction has a space, \"",
                                 name, " = ...\""));
  }

  // A shape, whose layout may stand apart from it: no literal follows here.
  StatusOr<Shape> ReadShape() {
    AXLE_ASSIGN(Shape shape, ParseShape(scanner_));
    if (!shape.is_array() || !scanner_.Peek("{")) return shape;
    const size_t begin = scanner_.position();
    scanner_.Consume("{");
    const bool is_layout = scanner_.Peek(":") || IsDigit(scanner_.PeekChar());
    scanner_.Rewind(begin);
    if (!is_layout) return shape;
    AXLE_ASSIGN(Layout layout, ParseLayout(scanner_, shape.rank()));
    shape.set_layout(std::move(layout));
    return shape;
  }

  // One operation while it is read.
  struct PendingOperation {
    const OpDef* def = nullptr;
    std::string_view text;  // as written: op, or op-start
    size_t shape_position = 0;
    size_t op_position = 0;
    bool has_shape = false;
    bool nested = false;  // among another's operands: without attributes
    Shape shape = {};
    std::vector<Instruction*> operands = {};
    PendingAttributes attributes = {};
  };

  // [shape] op(...), attributes.
  StatusOr<Instruction*> ParseOperation(Scope& scope, std::string_view name, bool nested = false) {
    PendingOperation op;
    op.nested = nested;
    scanner_.PeekChar();
    op.shape_position = scanner_.position();
    op.has_shape = AtShape();
    if (op.has_shape) {
      AXLE_ASSIGN(op.shape, ReadShape());
    }
    AXLE_ASSIGN(op.text, scanner_.Name("an operation"));
    op.op_position = scanner_.token_position();
    op.def = FindOpDef(op.text);
    std::optional<AsyncForm> async;
    if (op.def == nullptr) {
      async = FindAsyncForm(op.text);
      if (!async) return UnknownOp(op.text);
      if (async->begins) return ParseAsyncStart(scope, name, *async, op);
      op.def = async->wrapper;
    }
    if (op.def->declared_shape && !op.has_shape) {
      return scanner_.Error(StrCat("\"", op.text, "\" needs a shape before it"));
    }
    AXLE_TRY(ParseOperands(scope, op));
    if (async && (op.operands.empty() || chains_.WrappedDef(*op.operands[0]) != async->op)) {
      return scanner_.ErrorAt(
          op.op_position,
          StrCat("the operand of \"", op.text, "\" is not of \"", async->op->text, "-start\""));
    }
    if (!op.nested) AXLE_TRY(ParseAttributes(scope, *op.def, op.shape, op.attributes));
    AXLE_TRY(CheckAttributes(*op.def, op.op_position, op.attributes));
    return AddOperation(scope, name, op);
  }

  // What stands in the parentheses.
  Status ParseOperands(Scope& scope, PendingOperation& op) {
    if (op.def->parens == ParenSyntax::kAttribute) {
      AXLE_TRY(scanner_.Expect("("));
      AXLE_TRY(ParseSpec(*op.def, 0, op.shape, op.attributes));
      return scanner_.Expect(")");
    }
    return scanner_.List("(", ")", [&]() -> Status {
      AXLE_ASSIGN(op.operands.emplace_back(), ParseOperand(scope));
      return {};
    });
  }

  // Appends the instruction, of which everything has been read.
  StatusOr<Instruction*> AddOperation(Scope& scope, std::string_view name, PendingOperation& op) {
    const OpDef& def = *op.def;
    PendingAttributes& attributes = op.attributes;
    if (def.canonicalize != nullptr && op.operands.size() >= def.operands.size()) {
      def.canonicalize(op.operands, MutableValues(def, attributes));
    }
    std::string generated;
    if (name.empty()) {
      generated = UnusedName(scope, op.nested ? StrCat(op.text, ".anon") : "_");
      name = generated;
    }
    const NewInstruction init = {.opcode = def.opcode,
                                 .name = name,
                                 .shape = op.shape,
                                 .operands = op.operands,
                                 .callees = attributes.callees,
                                 .attrs = FinishAttrs(def, attributes),
                                 .metadata = attributes.metadata};
    if (!shape_budget_.ChargeOperands(def, op.operands)) return TooLarge(op.op_position);

    Instruction* inst = scope.computation->Add(init);
    StatusOr<Shape> shape = InferShape(*inst);
    if (!shape.ok()) return Located(op.op_position, shape.status());
    if (op.has_shape && !EqualIgnoringLayout(*shape, init.shape)) {
      return Located(op.shape_position, {StatusCode::kInternal,
                                         StrCat("\"", op.text, "\" has shape ", shape->ToString(),
                                                ", not ", init.shape.ToString())});
    }
    if (!op.has_shape) scope.computation->SetShape(inst, *shape);
    if (!shape_budget_.ChargeResult(*inst)) return TooLarge(op.op_position);
    if (attributes.has_extras) {
      AXLE_TRY(FinishExtras(attributes, *inst));
      scope.computation->MutableExtras(inst) = std::move(attributes.extras);
    }
    scope.instructions.emplace(inst->name(), inst);
    return inst;
  }

  // --- Asynchronous forms -----------------------------------------------------------------------

  // ((operands...), result, contexts...) op-start(...), attributes of the op: the op in a
  // computation of its own, and the instruction that begins it.
  StatusOr<Instruction*> ParseAsyncStart(Scope& scope, std::string_view name, const AsyncForm& form,
                                         PendingOperation& start) {
    if (!start.has_shape || start.shape.num_tuple_elements() < 2 ||
        !start.shape.element(0).is_tuple()) {
      return scanner_.Error(
          StrCat("\"", start.text, "\" needs the shape ((operands...), result, ...) before it"));
    }
    PendingOperation op = {.def = form.op,
                           .text = form.op->text,
                           .shape_position = start.shape_position,
                           .op_position = start.op_position,
                           .has_shape = true,
                           .shape = start.shape.element(1)};
    start.def = form.wrapper;
    AXLE_TRY(ParseOperands(scope, start));
    if (!start.nested) {
      AXLE_TRY(
          ParseAttributes(scope, *op.def, op.shape, op.attributes, start.def, &start.attributes));
    }
    AXLE_TRY(CheckAttributes(*op.def, op.op_position, op.attributes));
    TakeCommonAttributes(op.attributes, start.attributes);
    AXLE_ASSIGN(Computation* const wrapped, AddWrapped(start, op));
    start.attributes.callees = {wrapped};
    return AddOperation(scope, name, start);
  }

  // The attributes that are not of the op go to the instruction that begins it; some stay on both.
  static void TakeCommonAttributes(PendingAttributes& op, PendingAttributes& start) {
    start.metadata = op.metadata;
    start.seen_common = op.seen_common;
    start.has_extras = op.has_extras;
    start.sharding = std::move(op.sharding);
    start.replication_position = op.replication_position;
    start.extras = std::move(op.extras);
    op.extras = {};
    op.extras.frontend_attributes = start.extras.frontend_attributes;
    op.extras.statistics = start.extras.statistics;
    op.extras.result_accuracy = start.extras.result_accuracy;
    op.extras.origin = start.extras.origin;
    op.extras.backend_config = start.extras.backend_config;
    op.extras.has_backend_config = start.extras.has_backend_config;
    op.has_extras = start.has_extras;
    op.seen_common.reset();
  }

  // The computation that holds nothing but `op`, on parameters of the shapes that `start` states.
  StatusOr<Computation*> AddWrapped(const PendingOperation& start, PendingOperation& op) {
    Scope scope{.computation = module_->AddComputation(kWrappedName)};
    generated_.push_back(scope.computation);
    const Shape& parameters = start.shape.element(0);
    if (parameters.num_tuple_elements() != static_cast<i64>(start.operands.size())) {
      return scanner_.ErrorAt(
          start.shape_position,
          StrCat("\"", start.text, "\" has ", start.operands.size(), " operands but its shape ",
                 start.shape.ToString(), " begins with ", parameters.num_tuple_elements()));
    }
    for (i64 i = 0; i < parameters.num_tuple_elements(); ++i) {
      op.operands.push_back(AddParameter(*scope.computation, i, parameters.element(i),
                                         i == 0 ? "async_param" : StrCat("async_param.", i)));
    }
    AXLE_TRY(AddOperation(scope, "async_op", op).status());
    if (Status status = BindParameters(*scope.computation); !status.ok()) {
      return Located(op.op_position, status);
    }
    SetThreadOfCallee(*start.def, start.attributes.values.get(), *scope.computation);
    return scope.computation;
  }

  // The computations that the text does not name get names that it has not used: of asynchronous
  // forms, and those that are written where they are called.
  void NameGenerated() {
    std::map<std::string, i64, std::less<>> counts;
    for (Computation* computation : generated_) {
      const std::string base(computation->name());
      i64& count = counts[base];
      std::string name;
      do {
        name = count == 0 ? base : StrCat(base, ".", count);
        ++count;
      } while (computations_.contains(name));
      computation->set_name(std::move(name));
    }
  }

  Status TooLarge(size_t position) {
    return ResourceExhausted(
        scanner_.ErrorAt(position, "the tuple shapes of this text are too large").message());
  }

  static void* MutableValues(const OpDef& def, PendingAttributes& attributes) {
    if (attributes.values == nullptr) attributes.values = def.attrs.create();
    return attributes.values.get();
  }

  // Nobody owns the defaults.
  static AttrBlock FinishAttrs(const OpDef& def, PendingAttributes& attributes) {
    if (attributes.values != nullptr) return {def.attrs, std::move(attributes.values)};
    return {def.attrs,
            std::shared_ptr<const void>(std::shared_ptr<const void>(), def.attrs.defaults)};
  }

  // `base`, or base.1, base.2, ... if there is one already.
  static std::string UnusedName(Scope& scope, const std::string& base) {
    i64& count = scope.num_generated[base];
    std::string name = count == 0 ? base : StrCat(base, ".", count);
    while (scope.instructions.contains(name)) name = StrCat(base, ".", ++count);
    ++count;
    return name;
  }

  // True before f32[2], (f32[], s32[]) or b(f32[8]).
  bool AtShape() {
    if (scanner_.Peek("(")) return true;
    const size_t begin = scanner_.position();
    const std::string_view word = scanner_.Word();
    const bool found = !word.empty() && (scanner_.Peek("[") || (word == "b" && scanner_.Peek("(")));
    scanner_.Rewind(begin);
    return found;
  }

  Status UnknownOp(std::string_view text) {
    if (IsPlanned(text)) {
      // The name comes first: "UNIMPLEMENTED: fft ..." is what tools look for.
      return Unimplemented(
          StrCat(text, " is not implemented yet; ", scanner_.Error("this operation").message()));
    }
    std::vector<std::string_view> names(PlannedOps().begin(), PlannedOps().end());
    for (const OpDef* def : AllOpDefs()) names.push_back(def->text);
    return scanner_.Error(StrCat("unknown operation \"", text, "\"", DidYouMean(text, names)));
  }

  // Any operation may be written in its asynchronous form.
  static bool IsPlanned(std::string_view text) {
    if (IsPlannedOp(text)) return true;
    for (std::string_view suffix : {"-start", "-update", "-done"}) {
      if (text.ends_with(suffix) && IsPlannedOp(text.substr(0, text.size() - suffix.size()))) {
        return true;
      }
    }
    return false;
  }

  // --- Operands -------------------------------------------------------------------------------

  // name, t#1, "shape name" in old dumps, or an operation.
  StatusOr<Instruction*> ParseOperand(Scope& scope) {
    scanner_.PeekChar();
    const size_t begin = scanner_.position();
    std::optional<Shape> shape;
    if (AtShape()) {
      AXLE_ASSIGN(shape, ReadShape());
      if (scope.is_single_instruction && (scanner_.Peek(",") || scanner_.Peek(")"))) {
        return AddUnknownParameter(scope, *shape, "");
      }
    }
    AXLE_ASSIGN(const std::string_view name, scanner_.Name("an operand"));
    const size_t name_position = scanner_.token_position();
    if (scanner_.Peek("(")) {
      scanner_.Rewind(begin);
      AXLE_TRY(scanner_.Enter());
      AXLE_ASSIGN(Instruction* const inst, ParseOperation(scope, "", /*nested=*/true));
      scanner_.Leave();
      return inst;
    }
    const auto it = scope.instructions.find(name);
    if (it == scope.instructions.end()) {
      if (!scope.is_single_instruction) return UnknownInstruction(scope, name, name_position);
      if (shape) return AddUnknownParameter(scope, *shape, name);
      return scanner_.ErrorAt(name_position, StrCat("parameter \"", name, "\" needs its shape"));
    }
    Instruction* operand = it->second;
    while (scanner_.Consume("#")) {
      AXLE_ASSIGN(operand, ParseTupleElement(scope, operand));
    }
    if (shape && !Compatible(*shape, operand->shape())) {
      return scanner_.ErrorAt(
          begin, StrCat("\"", name, "\" has shape ", operand->shape().ToString(), ", not ",
                        shape->ToString()));
    }
    return operand;
  }

  // The index behind a '#'.
  StatusOr<Instruction*> ParseTupleElement(Scope& scope, Instruction* tuple) {
    AXLE_ASSIGN(const i64 index, scanner_.Integer());
    if (index < 0 || index >= tuple->shape().num_tuple_elements()) {
      return scanner_.Error(StrCat("\"", tuple->name(), "\" of shape ", tuple->shape().ToString(),
                                   " has no element ", index));
    }
    Instruction*& element = scope.tuple_elements[{tuple, index}];
    if (element == nullptr) {
      const std::string name = UnusedName(scope, StrCat(tuple->name(), "_", index));
      element = AddTupleElement(*scope.computation, tuple, index, name);
      scope.instructions.emplace(element->name(), element);
    }
    return element;
  }

  Instruction* AddUnknownParameter(Scope& scope, const Shape& shape, std::string_view name) {
    const i64 number = scope.num_parameters++;
    const std::string text =
        name.empty() ? UnusedName(scope, StrCat("_", number)) : std::string(name);
    Instruction* parameter = AddParameter(*scope.computation, number, shape, text);
    scope.instructions.emplace(parameter->name(), parameter);
    return parameter;
  }

  Status UnknownInstruction(const Scope& scope, std::string_view name, size_t position) {
    std::vector<std::string_view> names;
    for (const Instruction* inst : scope.computation->instructions()) names.push_back(inst->name());
    return scanner_.ErrorAt(
        position, StrCat("no instruction \"", name, "\" before this one", DidYouMean(name, names)));
  }

  // --- Attributes -----------------------------------------------------------------------------

  Status ParseSpec(const OpDef& def, size_t i, const Shape& result, PendingAttributes& attributes) {
    const AttrSpec& spec = def.attrs.specs[i];
    if (attributes.seen.test(i)) return Twice(spec.text);
    attributes.seen.set(i);
    if (spec.kind == &kUnimplementedKind) {
      return Located(scanner_.token_position(), UnimplementedAttrError(def, spec));
    }
    scanner_.PeekChar();
    const size_t begin = scanner_.position();
    void* const value = spec.field(MutableValues(def, attributes));
    AXLE_TRY(spec.kind->parse(scanner_, result, value));
    if (spec.kind != &kAttrKind<DomainSharding>) return {};
    // Its shardings are read here, where shardings are known.
    auto& domain = *static_cast<DomainSharding*>(value);
    for (std::string* text : {&domain.entry, &domain.exit}) {
      Scanner scanner(*text, "sharding");
      StatusOr<ShardingText> sharding = ParseSharding(scanner);
      if (!sharding.ok()) return Located(begin, sharding.status());
      *text = std::move(sharding->text);
    }
    return {};
  }

  Status Twice(std::string_view name) {
    return scanner_.Error(StrCat("second value for \"", name, "\""));
  }

  // ", name=value" until the end of the instruction. What `def` does not take may be of `outer`.
  Status ParseAttributes(Scope& scope, const OpDef& def, const Shape& result,
                         PendingAttributes& attributes, const OpDef* outer = nullptr,
                         PendingAttributes* outer_attributes = nullptr) {
    while (scanner_.Consume(",")) {
      const std::string_view name = SpacedAttributeName(scanner_);
      if (name.empty()) return scanner_.Expected("an attribute, and '='");
      const auto has_name = [&](const auto& spec) { return spec.text == name; };
      const size_t skip = def.parens == ParenSyntax::kAttribute ? 1 : 0;
      const auto specs = def.attrs.specs.subspan(skip);
      if (const auto spec = std::ranges::find_if(specs, has_name); spec != specs.end()) {
        AXLE_TRY(ParseSpec(def, spec - specs.begin() + skip, result, attributes));
      } else if (const auto common = std::ranges::find(kCommonNames, name);
                 common != std::end(kCommonNames)) {
        AXLE_TRY(ParseCommon(scope, def, common - std::begin(kCommonNames), attributes));
      } else if (const size_t i = outer == nullptr ? 0 : FindSpec(*outer, name);
                 outer != nullptr && i < outer->attrs.specs.size()) {
        AXLE_TRY(ParseSpec(*outer, i, result, *outer_attributes));
      } else {
        AXLE_TRY(ParseCallees(def, name, attributes));
      }
    }
    return {};
  }

  static size_t FindSpec(const OpDef& def, std::string_view name) {
    return std::ranges::find(def.attrs.specs, name, &AttrSpec::text) - def.attrs.specs.begin();
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

  // A name, or the body of the computation itself.
  StatusOr<Computation*> ParseCallee() {
    if (scanner_.Peek("{")) return ParseBodyInPlace();
    AXLE_ASSIGN(const std::string_view name, scanner_.Name("a computation"));
    if (const auto it = computations_.find(name); it != computations_.end()) {
      if (it->second != nullptr) return it->second;
      return scanner_.Error(StrCat("computation \"", name, "\" calls itself"));
    }
    std::vector<std::string_view> names;
    for (const auto& computation : module_->computations()) names.push_back(computation->name());
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
    // An attribute that other ops take is not misspelt.
    const std::string hint =
        match && *match != name ? StrCat("did you mean \"", *match, "\"? ") : "";
    return scanner_.Error(
        StrCat("unknown attribute \"", name, "\" for \"", def.text, "\" (", hint, takes, ")"));
  }

  Status CheckAttributes(const OpDef& def, size_t op_position,
                         const PendingAttributes& attributes) {
    for (size_t i = 0; i < def.attrs.specs.size(); ++i) {
      const AttrSpec& spec = def.attrs.specs[i];
      if (spec.presence == Presence::kRequired && !attributes.seen.test(i)) {
        return scanner_.ErrorAt(op_position,
                                StrCat("\"", def.text, "\" needs ", spec.text, "=..."));
      }
    }
    const auto specs = attributes.callee_specs.empty() ? def.callees : attributes.callee_specs;
    for (size_t i = 0; i < specs.size(); ++i) {
      if (!attributes.seen_callees.test(i) && !specs[i].optional) {
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
        AXLE_ASSIGN(attributes.metadata, ParseInternedMetadata());
        return {};
      }
      case kSharding: {
        AXLE_ASSIGN(attributes.sharding, ParseSharding(scanner_));
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

  // Metadata is often the same text as before.
  StatusOr<Metadata> ParseInternedMetadata() {
    scanner_.PeekChar();
    const size_t begin = scanner_.position();
    const std::string_view text = PlainBraces();
    if (const auto it = metadata_.find(text); !text.empty() && it != metadata_.end()) {
      scanner_.Rewind(begin + text.size());
      return it->second;
    }
    AXLE_ASSIGN(OwnedMetadata owned, ParseMetadata(scanner_));
    Metadata& metadata = owned.value;
    for (std::string_view* view :
         {&metadata.op_type, &metadata.op_name, &metadata.source_file, &metadata.profile_type,
          &metadata.deduplicated_name, &metadata.scheduling_name, &metadata.metadata_payload}) {
      *view = module_->InternText(*view);
    }
    if (!text.empty()) metadata_.emplace(text, metadata);
    return metadata;
  }

  // What comes next, if it is {...} with nothing inside that needs a parser to find the end: no
  // inner braces, single quotation marks or comments. Otherwise "".
  std::string_view PlainBraces() const {
    const size_t begin = scanner_.position();
    const std::string_view text = scanner_.Slice(begin, begin + scanner_.remaining());
    if (!text.starts_with('{')) return {};
    size_t at = 1;
    while ((at = text.find_first_of("}\"'{/", at)) != text.npos) {
      if (text[at] == '}') return text.substr(0, at + 1);
      if (text[at] != '"') return {};
      while (++at < text.size() && text[at] != '"') at += text[at] == '\\';
      ++at;
    }
    return {};
  }

  Status ParseControlPredecessors(const Scope& scope, std::vector<Instruction*>& predecessors) {
    tsl::robin_set<const Instruction*> seen;
    AXLE_TRY(scanner_.List("{", "}", [&]() -> Status {
      AXLE_ASSIGN(const std::string_view name, scanner_.Name("an instruction"));
      const auto it = scope.instructions.find(name);
      if (it == scope.instructions.end()) {
        return UnknownInstruction(scope, name, scanner_.token_position());
      }
      if (seen.insert(it->second).second) predecessors.push_back(it->second);
      return {};
    }));
    return {};
  }

  // What depends on the instruction.
  Status FinishExtras(PendingAttributes& attributes, const Instruction& inst) {
    const Shape& shape = inst.shape();
    const bool has_sharding = attributes.seen_common.test(kSharding);
    const bool has_replication = attributes.seen_common.test(kParameterReplication);
    if (!has_sharding && !has_replication) return {};
    i64 num_leaves = 0;
    ForEachLeaf(shape, [&](const Shape&, const Dims&) { ++num_leaves; });
    if (has_sharding) {
      ShardingText& sharding = attributes.sharding;
      if (shape.is_tuple()) {
        AXLE_TRY(scanner_.ChargeElided(sharding.is_tuple ? 0 : num_leaves * sharding.text.size()));
        attributes.extras.sharding = ShardingForLeaves(sharding, num_leaves);
      } else {
        attributes.extras.sharding = std::move(sharding.text);
      }
    }
    if (!has_replication) return {};
    const Status status =
        CheckParameterReplication(inst, attributes.extras.parameter_replication, num_leaves);
    return status.ok() ? status
                       : scanner_.ErrorAt(attributes.replication_position, status.message());
  }

  // --- Files of one instruction -----------------------------------------------------------------

  // Without a header: [ROOT] [name =] [shape] op(...), and not a computation?
  bool AtInstruction() {
    const size_t begin = scanner_.position();
    const bool found = AtInstructionHere();
    scanner_.Rewind(begin);
    return found;
  }

  bool AtInstructionHere() {
    if (scanner_.ConsumeWord("ROOT") || scanner_.Peek("(")) return true;
    if (scanner_.Word().empty()) return false;
    if (scanner_.Peek("=") || scanner_.Peek("[")) return true;
    if (!scanner_.Peek("(")) return false;
    scanner_.SkipValue();
    return !scanner_.Peek("->");
  }

  Status ParseSingleInstruction() {
    // The names are XLA's.
    module_->set_name(std::string(kBodyName));
    const size_t position = scanner_.position();
    Scope scope{.computation = module_->AddComputation(kBodyName), .is_single_instruction = true};
    computations_.emplace(scope.computation->name(), nullptr);
    scanner_.ConsumeWord("ROOT");
    AXLE_TRY(AtName() ? ParseInstruction(scope).status() : ParseOperation(scope, "").status());
    if (!scanner_.AtEnd())
      return scanner_.Expected("the end of the text after its one instruction");
    Status status = BindParameters(*scope.computation);
    if (!status.ok()) return Located(position, status);
    if (module_->computations().size() > 1) module_->MoveToEnd(0);
    NameGenerated();
    module_->set_entry(scope.computation);
    return {};
  }

  // True before "name =".
  bool AtName() {
    const size_t begin = scanner_.position();
    const bool found = !scanner_.Word().empty() && scanner_.Peek("=");
    scanner_.Rewind(begin);
    return found;
  }

  Scanner scanner_;
  Limits* limits_;
  bool ends_with_empty_line_;
  std::unique_ptr<Module> module_;
  tsl::robin_map<std::string_view, Computation*> computations_;  // null while it is being read
  std::vector<Computation*> generated_;                  // without names so far: see NameGenerated
  tsl::robin_map<std::string_view, Metadata> metadata_;  // by text
  ShapeBudget shape_budget_;
  AsyncChains chains_;
};

}  // namespace

StatusOr<std::unique_ptr<Module>> Parse(std::string_view text, const ParseOptions& options) {
  const ScopedFloatEnvironment environment;
  return Parser(text, options).ParseModule();
}

}  // namespace axle
