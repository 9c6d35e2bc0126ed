#include "axle/text/parse.h"

#include <new>

#include "axle/core/float_environment.h"
#include "axle/core/strings.h"
#include "axle/text/module_header.h"
#include "axle/text/parser.h"

namespace axle {

StatusOr<std::unique_ptr<Module>> Parser::ParseModule() {
  module_ = std::make_unique<Module>("");
  module_->config().ends_with_empty_line = ends_with_empty_line_;
  HeaderPositions positions;
  if (scanner_.ConsumeWord("HloModule")) {
    AXLE_ASSIGN(const std::string_view name, scanner_.Name("the module's name"));
    module_->set_name(std::string(name));
    scanner_.Consume(":");  // some write "HloModule m:"
    AXLE_TRY(ParseModuleHeader(scanner_, module_->config(), positions));
  } else if (AtInstruction()) {
    AXLE_TRY(ParseSingleInstruction());
    return std::move(module_);
  }
  while (!scanner_.AtEnd()) AXLE_TRY(ParseComputation());
  if (module_->computations().empty()) return scanner_.Error("the module has no computation");
  if (module_->entry() == nullptr) module_->set_entry(module_->computations().back().get());
  if (module_->name().empty()) module_->set_name(StrCat("module_", module_->entry()->name()));
  AXLE_TRY(FinishAsync());
  NameGenerated();
  AXLE_TRY(CheckCallees());
  AXLE_TRY(CheckModuleHeader(scanner_, *module_, positions));
  return std::move(module_);
}

Status Parser::CheckCallees() {
  const HloComputation* caller = nullptr;
  const Status status = CheckAsyncCallees(*module_, &caller);
  if (!status.ok()) return Located(positions_.at(caller), status);
  // Not everything that a computation may give can be the result of the program.
  const Status uses = CheckUses(*module_->entry());
  return uses.ok() ? uses : Located(positions_.at(module_->entry()), uses);
}

Status Parser::ParseComputation() {
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
  AXLE_ASSIGN(HloComputation* const computation, ParseBody(name, name_position));
  if (declared && !Compatible(*declared, computation->root()->shape())) {
    return scanner_.ErrorAt(shape_position, StrCat("\"", name, "\" is declared to return ",
                                                   declared->ToString(), " but its root has shape ",
                                                   computation->root()->shape().ToString()));
  }
  if (scanner_.Consume(",")) {
    const std::string_view attribute = scanner_.AttributeName();
    if (attribute.empty()) return scanner_.Expected("execution_thread=");
    if (attribute != "execution_thread") {
      return scanner_.Error(StrCat("unknown attribute \"", attribute,
                                   "\" for a computation (it takes: execution_thread)"));
    }
    const StatusOr<std::string> thread = scanner_.String();
    if (!thread.ok()) return thread.status();
    // XLA's name of the main thread is as good as none.
    if (*thread != "main") computation->set_execution_thread(*thread);
  }
  if (is_entry) module_->set_entry(computation);
  return {};
}

Status Parser::ParseParameterList() {
  return scanner_.List("(", ")", [&]() -> Status {
    AXLE_TRY(scanner_.Name("a parameter").status());
    scanner_.Consume(":");
    return ReadShape().status();
  });
}

StatusOr<HloComputation*> Parser::ParseBody(std::string_view name, size_t name_position) {
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

StatusOr<HloComputation*> Parser::ParseBodyInPlace() {
  const size_t text_position = scanner_.position();
  const size_t position = module_->computations().size();
  Scope scope{.computation = module_->AddComputation(kBodyName)};
  generated_.push_back(scope.computation);
  AXLE_TRY(ParseInstructions(scope, text_position));
  if (position + 1 < module_->computations().size()) module_->MoveToEnd(position);
  return scope.computation;
}

Status Parser::ParseInstructions(Scope& scope, size_t name_position) {
  positions_.emplace(scope.computation, name_position);
  Instruction* root = nullptr;
  AXLE_TRY(scanner_.List("{", "}", [&]() -> Status {
    if (limits_ != nullptr) AXLE_TRY(limits_->Check());
    const bool is_root = scanner_.ConsumeWord("ROOT");
    if (is_root && root != nullptr) return scanner_.Error("second ROOT");
    AXLE_ASSIGN(Instruction* const inst, ParseInstruction(scope));
    if (is_root) root = inst;
    return {};
  }));
  HloComputation& computation = *scope.computation;
  if (computation.root() == nullptr) {
    return scanner_.ErrorAt(name_position,
                            StrCat("\"", computation.name(), "\" has no instructions"));
  }
  if (root != nullptr) computation.set_root(root);
  Status status = BindParameters(computation);
  if (status.ok()) status = CheckUses(computation);
  return status.ok() ? status : Located(name_position, status);
}

Status Parser::Located(size_t position, const Status& status) {
  return {status.code(), scanner_.ErrorAt(position, status.message()).message()};
}

bool Parser::AtInstruction() {
  const size_t begin = scanner_.position();
  const bool found = AtInstructionHere();
  scanner_.Rewind(begin);
  return found;
}

bool Parser::AtInstructionHere() {
  if (scanner_.ConsumeWord("ROOT") || scanner_.Peek("(")) return true;
  if (scanner_.Word().empty()) return false;
  if (scanner_.Peek("=") || scanner_.Peek("[")) return true;
  if (!scanner_.Peek("(")) return false;
  scanner_.SkipValue();
  return !scanner_.Peek("->");
}

Status Parser::ParseSingleInstruction() {
  // The names are XLA's.
  module_->set_name(std::string(kBodyName));
  const size_t position = scanner_.position();
  Scope scope{.computation = module_->AddComputation(kBodyName), .is_single_instruction = true};
  computations_.emplace(scope.computation->name(), nullptr);
  scanner_.ConsumeWord("ROOT");
  AXLE_TRY(AtName() ? ParseInstruction(scope).status() : ParseOperation(scope, "").status());
  if (!scanner_.AtEnd()) return scanner_.Expected("the end of the text after its one instruction");
  Status status = BindParameters(*scope.computation);
  if (!status.ok()) return Located(position, status);
  if (module_->computations().size() > 1) module_->MoveToEnd(0);
  AXLE_TRY(FinishAsync());
  NameGenerated();
  module_->set_entry(scope.computation);
  return {};
}

bool Parser::AtName() {
  const size_t begin = scanner_.position();
  const bool found = !scanner_.Word().empty() && scanner_.Peek("=");
  scanner_.Rewind(begin);
  return found;
}

StatusOr<std::unique_ptr<Module>> Parse(std::string_view text, const ParseOptions& options) {
  const ScopedFloatEnvironment environment;
  try {
    return Parser(text, options).ParseModule();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted(StrCat(options.label, ": no memory to read it"));
  }
}

}  // namespace axle
