// Functions, blocks and captures.
#include "axle/stablehlo/converter.h"

#include <algorithm>
#include <unordered_set>

#include "axle/core/float_environment.h"
#include "axle/core/stack_room.h"
#include "axle/core/strings.h"
#include "axle/eval/evaluate.h"
#include "axle/ops/attributes/attributes.h"
#include "axle/ops/implied.h"
#include "axle/stablehlo/conversions.h"
#include "axle/stablehlo/verify/verify.h"
#include "axle/stablehlo/walk.h"

namespace axle::stablehlo {
namespace {

using mlir::Operation;

constexpr std::string_view kFunction = "func.func";
constexpr i64 kMaxSmallConstant = 16;  // elements

const mlir::Region* RegionOf(const mlir::Value& value) {
  return value.definition != nullptr ? value.definition->block->region : value.block->region;
}

const Operation* TerminatorOf(const mlir::Block& block) {
  return block.operations.empty() ? nullptr : block.operations.back();
}

// Whether a value of the function has a type that leaves sizes open.
bool LeavesSizesOpen(const Operation& function) {
  bool open = false;
  Walk(function, [&](const Operation& op) {
    for (const mlir::Value& result : op.results) open = open || IsOpen(*result.type);
    for (const mlir::Region& region : op.regions) {
      for (const mlir::Block& block : region.blocks) {
        for (const mlir::Value& argument : block.arguments) open = open || IsOpen(*argument.type);
      }
    }
  });
  return open;
}

// The functions that an operation names: the callee, the decomposition, called computations.
template <typename Fn>
void ForEachSymbol(const Operation& op, Fn fn) {
  for (const std::string_view name : {"callee", "decomposition", "called_computations"}) {
    const mlir::Attribute* attribute = op.Find(name);
    if (attribute == nullptr) continue;
    if (name == "decomposition" && IsKnownComposite(op)) continue;
    const auto visit = [&](const mlir::Attribute& symbol) {
      if (symbol.kind == mlir::AttributeKind::kSymbol ||
          symbol.kind == mlir::AttributeKind::kString) {
        fn(symbol.text);
      }
    };
    visit(*attribute);
    for (const mlir::Attribute* element : attribute->elements) visit(*element);
  }
}

}  // namespace

std::string Converter::UniqueName(NameCounts& counts, std::string_view base) {
  std::string name(base.empty() ? "_" : base);
  for (char& c : name) {
    if (!IsAlnum(c) && c != '_' && c != '-' && c != '.') c = '_';
  }
  if (!IsAlpha(name[0]) && name[0] != '_') name.insert(name.begin(), '_');
  i64& count = counts[name];
  for (;;) {
    const std::string candidate = count == 0 ? name : StrCat(name, ".", count);
    ++count;
    if (candidate == name || counts.try_emplace(candidate, 1).second) return candidate;
  }
}

HloComputation* Converter::NewComputation(std::string_view base) {
  return module_->AddComputation(UniqueName(computation_names_, base));
}

Status Converter::ListFunctions() {
  const Operation& top = *source_.top();
  for (const mlir::Region& region : top.regions) {
    for (const mlir::Block& block : region.blocks) {
      for (const Operation* op : block.operations) {
        if (op->name == "builtin.module") {
          return ErrorAt(*op, "a module inside of a module has no form in HLO",
                         StatusCode::kUnimplemented);
        }
        if (op->name != kFunction) continue;
        const mlir::Attribute* name = op->Find("sym_name");
        if (name == nullptr) return ErrorAt(*op, "a function without a name");
        if (!functions_.try_emplace(name->text, op).second) {
          return ErrorAt(*op, StrCat("there are two functions @", name->text));
        }
        if (op->regions.empty() || op->regions[0].blocks.empty()) {
          return ErrorAt(*op, StrCat("function @", name->text, " has no body"));
        }
        if (!op->regions[0].has_one_block()) {
          return ErrorAt(
              *op,
              StrCat("function @", name->text,
                     " has several blocks; control flow is stablehlo.if, case and while"),
              StatusCode::kUnimplemented);
        }
      }
    }
  }
  return {};
}

Status Converter::FindEntry() {
  const auto main = functions_.find("main");
  if (main != functions_.end()) {
    entry_ = main->second;
    return {};
  }
  std::vector<const Operation*> candidates;
  for (const auto& [name, function] : functions_) {
    const mlir::Attribute* visibility = function->Find("sym_visibility");
    if (visibility == nullptr || visibility->text != "private") candidates.push_back(function);
  }
  if (candidates.size() == 1) {
    entry_ = candidates[0];
    return {};
  }
  if (functions_.empty()) return ErrorAt(*source_.top(), "the module has no function");
  return ErrorAt(*source_.top(), StrCat("the module has no function @main, and ", candidates.size(),
                                        " public ones; the one to run is called @main"));
}

Status Converter::SortFunctions() {
  // Depth first from the entry, without recursion: a chain of calls may be long.
  enum class Mark : std::uint8_t { kOpen, kDone };
  std::unordered_map<const Operation*, Mark> marks;
  struct Visit {
    const Operation* function;
    std::vector<const Operation*> callees;
    size_t next = 0;
  };
  std::vector<Visit> stack;
  const auto enter = [&](const Operation& function) -> Status {
    marks[&function] = Mark::kOpen;
    Visit visit{&function, {}};
    Status status;
    std::unordered_set<const Operation*> seen;
    Walk(function, [&](const Operation& op) {
      ForEachSymbol(op, [&](std::string_view name) {
        const Operation* callee = FindFunction(name);
        if (callee == nullptr) {
          if (status.ok()) status = ErrorAt(op, StrCat("there is no function @", name));
        } else if (seen.insert(callee).second) {
          visit.callees.push_back(callee);
        }
      });
    });
    stack.push_back(std::move(visit));
    return status;
  };
  AXLE_TRY(enter(*entry_));
  while (!stack.empty()) {
    Visit& visit = stack.back();
    if (visit.next == visit.callees.size()) {
      marks[visit.function] = Mark::kDone;
      order_.push_back(visit.function);
      stack.pop_back();
      continue;
    }
    const Operation* callee = visit.callees[visit.next++];
    const auto mark = marks.find(callee);
    if (mark == marks.end()) {
      AXLE_TRY(enter(*callee));
    } else if (mark->second == Mark::kOpen) {
      return ErrorAt(*callee, StrCat("function @", callee->Find("sym_name")->text,
                                     " calls itself; XLA has no recursion"));
    }
  }
  return {};
}

const Operation* Converter::FindFunction(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : found->second;
}

StatusOr<HloComputation*> Converter::Function(const Site& site, std::string_view name,
                                              const Instructions& operands) {
  const Operation* function = FindFunction(name);
  if (function == nullptr) return site.Error(StrCat("there is no function @", name));
  if (!is_open_) return computations_.at({function, ""});
  std::vector<Shape> shapes;
  std::vector<const Literal*> known;
  std::string key;
  for (const Instruction* operand : operands) {
    shapes.push_back(operand->shape().WithoutLayout());
    const auto found = site.frame().known.find(operand);
    known.push_back(found == site.frame().known.end() ? nullptr : &found->second);
    StrAppend(key, shapes.back().ToString(), known.back() == nullptr ? "" : "=",
              known.back() == nullptr ? "" : known.back()->ToString(), ";");
  }
  const auto found = computations_.find({function, key});
  if (found != computations_.end()) return found->second;
  AXLE_TRY(CheckCallDepth(depth_, name));
  ++depth_;
  AXLE_ASSIGN(HloComputation* const computation, ConvertFunction(*function, shapes, known));
  --depth_;
  computations_[{function, key}] = computation;
  return computation;
}

Status Converter::Learn(Frame& frame, const Instruction& inst) {
  constexpr i64 kMaxKnown = 4096;  // elements
  const Shape& shape = inst.shape();
  if (!shape.is_array() || !shape.is_static() ||
      !(IsIntegral(shape.type()) || shape.type() == PRED) || shape.num_elements() > kMaxKnown ||
      !inst.callees().empty() || IsParameter(inst)) {
    return {};
  }
  Module alone("known");
  HloComputation* computation = alone.AddComputation("known");
  Instructions operands;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    const Instruction* operand = inst.operand(i);
    const auto found = frame.known.find(operand);
    auto attrs = std::make_shared<ConstantAttrs>();
    if (found != frame.known.end()) {
      attrs->literal = found->second;
    } else if (GetOpDef(inst).text == "get-dimension-size" && operand->shape().is_static()) {
      // It looks at the shape of its operand alone.
      const i64 dimension = inst.attrs<DimensionsAttrs>().dimensions[0];
      frame.known[&inst] = Literal::Scalar<std::int32_t>(
          S32, static_cast<std::int32_t>(operand->shape().dim(dimension)));
      return {};
    } else {
      return {};
    }
    const Shape constant_shape = attrs->literal.shape();
    operands.push_back(
        computation->Add({.opcode = Opcode::kConstant,
                          .name = StrCat("c", i),
                          .shape = constant_shape,
                          .attrs = {GetOpDef(Opcode::kConstant).attrs, std::move(attrs)}}));
  }
  if (HasSideEffect(inst)) return {};
  computation->set_root(computation->Add({.opcode = inst.opcode(),
                                          .name = inst.name(),
                                          .shape = shape,
                                          .operands = operands,
                                          .attrs = inst.attr_block()}));
  computation->set_parameters({});
  alone.set_entry(computation);
  StatusOr<Literal> value = Evaluate(alone, {});
  if (value.ok()) frame.known[&inst] = std::move(*value);
  return {};
}

Status Converter::CheckArgument(const Operation& function, const mlir::Value& argument,
                                const Shape& shape) const {
  AXLE_TRY(CheckShape(shape));
  const mlir::Type& type = *argument.type;
  bool fits = shape.is_array() ? type.is_tensor() && mlir::ElementOf(type) == shape.type() &&
                                     shape.rank() == static_cast<i64>(type.dims.size())
                               : !type.is_tensor();
  for (i64 d = 0; fits && shape.is_array() && d < shape.rank(); ++d) {
    const i64 declared = type.dims[static_cast<size_t>(d)];
    fits = declared == mlir::kDynamic || declared == shape.dim(d);
  }
  if (fits) return {};
  return ErrorAt(function,
                 StrCat("argument ", argument.index, " of @", function.Find("sym_name")->text,
                        " is ", type.ToString(), ", not ", shape.ToString()));
}

Status Converter::FindCaptures(const Operation& function) {
  // A value that an operation takes from a region further out is taken by every region between.
  // The regions around are known by their depth, so that each step is a table look-up.
  std::unordered_map<const mlir::Region*, std::unordered_set<const mlir::Value*>> seen;
  Status status;
  Walk(function, [&](const Operation& op) {
    if (!status.ok()) return;
    for (const mlir::Value* operand : op.operands) {
      const mlir::Region* home = RegionOf(*operand);
      for (const mlir::Region* region = op.block->region; region != home;
           region = region->parent->block->region) {
        if (region->parent->block == nullptr || region->parent == &function) {
          status = ErrorAt(op, "an operand is not defined in this function");
          return;
        }
        if (!seen[region].insert(operand).second) break;
        captures_[region].push_back(operand);
      }
    }
  });
  return status;
}

const std::vector<const mlir::Value*>& Converter::CapturesOf(const mlir::Region& region) const {
  static const std::vector<const mlir::Value*> none;
  const auto found = captures_.find(&region);
  return found == captures_.end() ? none : found->second;
}

bool Converter::IsSmallConstant(const mlir::Value& value) {
  if (value.definition == nullptr || value.definition->name != "stablehlo.constant") return false;
  const mlir::Attribute* elements = value.definition->Find("value");
  return elements != nullptr && elements->literal != nullptr && value.type->is_tensor() &&
         (elements->is_splat || elements->literal->num_elements() <= kMaxSmallConstant);
}

Instruction* Converter::Find(Frame& frame, const mlir::Value& value) {
  const auto found = frame.values.find(&value);
  return found == frame.values.end() ? nullptr : found->second;
}

Instruction* Converter::AddParameter(Frame& frame, const Shape& shape,
                                     const mlir::Location& location) {
  return AddParameter(frame, shape, Locations::ArgumentName(location),
                      locations_.MetadataOf(location));
}

Instruction* Converter::AddParameter(Frame& frame, const Shape& shape, std::string_view name,
                                     const Metadata& metadata) {
  auto attrs = std::make_shared<ParameterAttrs>();
  attrs->number = frame.num_parameters++;
  const std::string unused =
      UnusedName(name.empty() ? StrCat("Arg_", attrs->number) : std::string(name));
  return frame.computation->Add({.opcode = Opcode::kParameter,
                                 .name = unused,
                                 .shape = shape,
                                 .attrs = {GetOpDef(Opcode::kParameter).attrs, std::move(attrs)},
                                 .metadata = metadata});
}

StatusOr<HloComputation*> Converter::Combiner(const Site& site, Opcode opcode,
                                              const Shape& scalar) {
  Frame frame{.computation = NewComputation(GetOpDef(opcode).text)};
  Instructions parameters;
  for (int i = 0; i < 2; ++i) parameters.push_back(AddParameter(frame, scalar, "", Metadata{}));
  const Site inner(*this, frame, site.op());
  AXLE_ASSIGN(Instruction* const root, inner.Add(opcode, parameters));
  frame.computation->set_root(root);
  AXLE_TRY(SetParameters(frame));
  return frame.computation;
}

Status Converter::SetParameters(Frame& frame) {
  return BindParameters(*frame.computation);
}

StatusOr<Instruction*> Converter::AddInstruction(const Site& site, const NewInstruction& init) {
  HloComputation& computation = *site.frame().computation;
  Instruction* inst = computation.Add(init);
  const auto refuse = [&](const Status& status) {
    const Status placed =
        ErrorAt(site.op(), StrCat(site.op().name, ": ", status.message()), status.code());
    computation.RemoveLast();
    return placed;
  };
  const StatusOr<Shape> shape = InferShape(*inst);
  if (!shape.ok()) return refuse(shape.status());
  if (init.shape == Shape()) {
    computation.SetShape(inst, *shape);
  } else if (!Compatible(*shape, init.shape)) {
    return refuse(InvalidArgument(
        StrCat("the result is ", shape->ToString(), ", not ", init.shape.ToString())));
  }
  if (options_.limits != nullptr) AXLE_TRY(options_.limits->Check());
  if (is_open_) AXLE_TRY(Learn(site.frame(), *inst));
  return inst;
}

Status Converter::CheckDefined(Frame& frame, const Operation& op) {
  const auto check = [&](const mlir::Value& value) -> Status {
    if (Find(frame, value) != nullptr) return {};
    return ErrorAt(op, StrCat(op.name, ": a value is used before it is defined"));
  };
  for (const mlir::Value* operand : op.operands) AXLE_TRY(check(*operand));
  for (const mlir::Region& region : op.regions) {
    for (const mlir::Value* captured : CapturesOf(region)) AXLE_TRY(check(*captured));
  }
  return {};
}

Status Converter::ConvertBlock(Frame& frame, const mlir::Block& block, Instructions* returned) {
  const Operation* terminator = TerminatorOf(block);
  for (const Operation* op : block.operations) {
    AXLE_TRY(CheckDefined(frame, *op));
    if (op == terminator &&
        (op->name == "func.return" || op->name == "stablehlo.return" || op->name == "sdy.return")) {
      for (const mlir::Value* operand : op->operands) {
        returned->push_back(Find(frame, *operand));
      }
      return {};
    }
    const Site site(*this, frame, *op);
    const ConvertFn convert = FindConversion(op->name);
    if (convert == nullptr) {
      return ErrorAt(*op, StrCat("operation ", op->name, " has no form in HLO"),
                     StatusCode::kUnimplemented);
    }
    const Quantized quantized = HowQuantized(op->name);
    if (IsQuantized(*op) && quantized != kItself &&
        !(quantized == kStored && HasOneQuantization(*op))) {
      AXLE_TRY(ConvertExpressed(site, convert));
    } else {
      AXLE_TRY(convert(site));
    }
  }
  const Operation* around = block.region->parent;
  return ErrorAt(terminator == nullptr ? *around : *terminator,
                 StrCat("a block of ", around->name, " does not end with a return"));
}

StatusOr<HloComputation*> Converter::ConvertFunction(const Operation& function,
                                                     std::span<const Shape> shapes,
                                                     std::span<const Literal* const> known) {
  const std::string_view name = function.Find("sym_name")->text;
  if (captured_.insert(&function).second) AXLE_TRY(FindCaptures(function));
  Frame frame{.computation = NewComputation(name)};
  const mlir::Block& block = function.regions[0].blocks[0];
  const std::vector<const mlir::Location*> locations = ArgumentLocations(function);
  for (const mlir::Value& argument : block.arguments) {
    std::optional<Shape> shape;
    if (shapes.empty()) {
      shape = mlir::ShapeOf(*argument.type);
    } else {
      shape = shapes[argument.index].WithoutLayout();
      AXLE_TRY(CheckArgument(function, argument, *shape));
    }
    if (!shape) {
      return ErrorAt(function, StrCat("argument ", argument.index, " of @", name, " is ",
                                      argument.type->ToString(),
                                      ", which leaves sizes open: give the shapes of the arguments "
                                      "(argument_shapes; axle run takes those of the values)"));
    }
    AXLE_TRY(CheckShape(*shape));
    Instruction* parameter = AddParameter(frame, *shape, *locations[argument.index]);
    AXLE_TRY(InferShape(*parameter).status());
    frame.values[&argument] = parameter;
    if (argument.index < known.size() && known[argument.index] != nullptr) {
      frame.known[parameter] = *known[argument.index];
    }
  }
  Instructions results;
  AXLE_TRY(ConvertBlock(frame, block, &results));
  const Operation& terminator = *block.operations.back();
  const mlir::Attribute* type = function.Find("function_type");
  if (type != nullptr && type->type != nullptr) {
    const std::vector<const mlir::Type*>& declared = type->type->results;
    if (declared.size() != results.size()) {
      return ErrorAt(terminator, StrCat("@", name, " returns ", results.size(), " values, not ",
                                        declared.size()));
    }
    for (size_t i = 0; i < results.size(); ++i) {
      if (is_open_ || declared[i] == terminator.operands[i]->type) continue;
      return ErrorAt(terminator, StrCat("result ", i, " of @", name, " is ",
                                        terminator.operands[i]->type->ToString(), ", not ",
                                        declared[i]->ToString()));
    }
  }
  if (results.size() == 1) {
    frame.computation->set_root(results[0]);
  } else {
    const Site site(*this, frame, terminator);
    AXLE_ASSIGN(Instruction* const root, site.Tuple(results));
    frame.computation->set_root(root);
  }
  AXLE_TRY(SetParameters(frame));
  return frame.computation;
}

StatusOr<std::unique_ptr<Module>> Converter::Run() {
  const ScopedFloatEnvironment environment;
  const mlir::Attribute* name = source_.top()->Find("sym_name");
  module_ = std::make_unique<Module>(name == nullptr ? "module" : std::string(name->text));
  locations_.set_module(module_.get());
  AXLE_TRY(ListFunctions());
  AXLE_TRY(FindEntry());
  AXLE_TRY(SortFunctions());
  for (const Operation* function : order_) is_open_ = is_open_ || LeavesSizesOpen(*function);
  const size_t num_arguments = entry_->regions[0].blocks[0].arguments.size();
  if (!options_.argument_shapes.empty() && options_.argument_shapes.size() != num_arguments) {
    return InvalidArgument(StrCat(options_.argument_shapes.size(), " argument shapes for the ",
                                  num_arguments, " arguments of the program"));
  }
  // The shapes of collectives follow from the numbers of devices.
  AXLE_TRY(SetModuleConfig());
  if (is_partitioned()) {
    AXLE_ASSIGN(meshes_, Meshes::Of(source_));
  }
  if (!is_open_) {
    for (const Operation* function : order_) {
      if (function == entry_) continue;
      AXLE_ASSIGN(HloComputation* const computation, ConvertFunction(*function, {}, {}));
      computations_[{function, ""}] = computation;
    }
  }
  AXLE_ASSIGN(HloComputation* const entry, ConvertFunction(*entry_, options_.argument_shapes, {}));
  module_->set_entry(entry);
  AXLE_TRY(SetEntryConfig(*entry_, *entry));
  AXLE_TRY(SetEntryShardings(*entry_, *entry));
  for (const auto& computation : module_->computations()) AXLE_TRY(CheckUses(*computation));
  return std::move(module_);
}

}  // namespace axle::stablehlo

namespace axle {

StatusOr<std::unique_ptr<Module>> ConvertToHlo(const mlir::MlirModule& source,
                                               const ConvertOptions& options) {
  AXLE_TRY(stablehlo::VerifyProgram(source, options.limits));
  return stablehlo::Converter(source, options).Run();
}

}  // namespace axle
