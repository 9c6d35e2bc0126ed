// How the sizes of a program follow from those of its arguments.
//
// Computations are written anew, from the entry, each once for every list of parameter shapes that
// it is called with. An instruction gets the shape that its row infers from operands that have all
// their sizes; what its row takes from the program (the result of a broadcast or a reshape) is
// filled in from the operands where they say it. A computation that an instruction calls is written
// before the instruction is, because shapes depend on what it returns: that is a stack of
// computations that are under way, because calls may go as deep as the module is long. What leaves
// no size open is copied as it is.
//
// A computation may be called with more and more sizes, each twice as often as the one before, so
// the number of instructions has a bound.
#include "axle/ops/open_sizes.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "axle/core/strings.h"
#include "axle/ops/op_def.h"

namespace axle {
namespace {

// The bound on the instructions of the new program, beside those that the old one has.
constexpr i64 kMaxFurtherInstructions = 1'000'000;

using OpenComputations = std::unordered_set<const HloComputation*>;

// The computations with an open size, and the computations that call them.
OpenComputations FindOpen(const Module& module) {
  OpenComputations open;
  std::unordered_map<const HloComputation*, std::vector<const HloComputation*>> callers;
  std::vector<const HloComputation*> found;
  for (const auto& computation : module.computations()) {
    bool is_open = false;
    for (const Instruction* inst : computation->instructions()) {
      is_open = is_open || HasOpenSize(inst->shape());
      for (const HloComputation* callee : inst->callees()) {
        callers[callee].push_back(computation.get());
      }
    }
    if (is_open && open.insert(computation.get()).second) found.push_back(computation.get());
  }
  while (!found.empty()) {
    const HloComputation* computation = found.back();
    found.pop_back();
    for (const HloComputation* caller : callers[computation]) {
      // Callers of open computations are open too, up to the entry; a worklist finds them all.
      if (open.insert(caller).second) found.push_back(caller);
    }
  }
  return open;
}

// Whether values of `shape` are what the program states, but for open sizes; layouts aside.
bool Fits(const Shape& shape, const Shape& stated) {
  if (shape.is_array() != stated.is_array() || shape.type() != stated.type() ||
      shape.rank() != stated.rank() || shape.num_tuple_elements() != stated.num_tuple_elements()) {
    return false;
  }
  for (i64 d = 0; d < shape.rank(); ++d) {
    if (stated.dim(d) == kUnboundedSize) continue;
    if (shape.dim(d) != stated.dim(d) || shape.is_dynamic(d) != stated.is_dynamic(d)) return false;
  }
  return std::ranges::equal(shape.elements(), stated.elements(), Fits);
}

// `shape` in the layouts that the program states.
Shape InLayoutsOf(const Shape& stated, const Shape& shape) {
  Shape result = shape.WithoutLayout();
  if (shape.is_array()) {
    if (stated.layout() != nullptr) result.set_layout(*stated.layout());
    return result;
  }
  std::vector<Shape> elements;
  for (size_t i = 0; i < shape.elements().size(); ++i) {
    elements.push_back(InLayoutsOf(stated.elements()[i], shape.elements()[i]));
  }
  if (shape.is_tuple()) return Shape::Tuple(std::move(elements));
  return elements.empty() ? result : Shape::Buffer(std::move(elements[0]));
}

// `shape` with open sizes as 0, for rows that look only at the type of a stated shape.
Shape WithZeros(const Shape& stated) {
  Shape result = stated;
  for (i64 d = 0; d < stated.rank(); ++d) {
    if (stated.dim(d) != kUnboundedSize) continue;
    result.set_dim(d, 0);
    result.set_dynamic(d, false);
  }
  if (!stated.is_tuple()) return result;
  std::vector<Shape> elements;
  for (const Shape& element : stated.elements()) elements.push_back(WithZeros(element));
  return Shape::Tuple(std::move(elements));
}

// For shapes of broadcasts and reshapes, size and dynamic flag always change together.
void SetSize(Shape& shape, i64 d, i64 size, bool is_dynamic) {
  shape.set_dim(d, size);
  shape.set_dynamic(d, is_dynamic);
}

// The one open size of an array that has as many elements as `operand`.
void FillByCount(const Shape& operand, Shape& stated) {
  i64 open = -1, others = 1;
  for (i64 d = 0; d < stated.rank(); ++d) {
    if (stated.dim(d) != kUnboundedSize) {
      others = CheckedMul(others, stated.dim(d)).value_or(INT64_MAX);
    } else if (open >= 0) {
      return;
    } else {
      open = d;
    }
  }
  if (open < 0 || others == 0 || !operand.is_static() || operand.num_elements() % others != 0) {
    return;
  }
  SetSize(stated, open, operand.num_elements() / others, false);
}

// Whether the row takes no more than the type from the shape that the program states.
bool TakesOnlyTheType(const Instruction& inst) {
  switch (inst.opcode()) {
    case Opcode::kBitcastConvert:
    case Opcode::kConvert:
    case Opcode::kStochasticConvert:
      return true;
    default:
      return !GetOpDef(inst).declared_shape;
  }
}

// The shape that `inst` states, with the sizes that its operands say. An error if one is left.
StatusOr<Shape> StatedShape(const Instruction& inst, std::span<Instruction* const> operands) {
  Shape stated = inst.shape();
  if (!HasOpenSize(stated)) return stated;
  if (TakesOnlyTheType(inst)) return WithZeros(stated);
  if (inst.opcode() == Opcode::kBroadcast) {
    const Shape& operand = operands[0]->shape();
    const Dims& dimensions = inst.attrs<DimensionsAttrs>().dimensions;
    for (size_t i = 0; i < dimensions.size() && static_cast<i64>(i) < operand.rank(); ++i) {
      const i64 d = dimensions[i], from = static_cast<i64>(i);
      if (d < 0 || d >= stated.rank() || stated.dim(d) != kUnboundedSize) continue;
      SetSize(stated, d, operand.dim(from), operand.is_dynamic(from));
    }
  } else if (inst.opcode() == Opcode::kReshape ||
             (inst.opcode() == Opcode::kBitcast && stated.is_array() &&
              operands[0]->shape().type() == stated.type())) {
    FillByCount(operands[0]->shape(), stated);
  }
  if (!HasOpenSize(stated)) return stated;
  return OpError(inst, StrCat("the result \"", inst.name(), "\", ", stated.ToString(),
                              ", has a size that does not follow from the operands; write it"));
}

// The shapes that callee `i` gets for its parameters.
StatusOr<std::vector<Shape>> ParametersOf(const Instruction& inst, size_t i,
                                          std::span<Instruction* const> operands) {
  std::vector<Shape> shapes;
  switch (inst.opcode()) {
    case Opcode::kCall:
    case Opcode::kFusion:
    case Opcode::kWhile:
      for (const Instruction* operand : operands) shapes.push_back(operand->shape());
      return shapes;
    case Opcode::kConditional:
      if (i + 1 < operands.size()) shapes.push_back(operands[i + 1]->shape());
      return shapes;
    default:
      return OpError(inst, StrCat("calls \"", inst.callees()[i]->name(),
                                  "\", which leaves sizes open; write them"));
  }
}

// Writes the module for given argument shapes. Frames are kept on an explicit stack.
class Writer {
 public:
  explicit Writer(const Module& module)
      : module_(module), open_(FindOpen(module)), written_(module.name()) {}

  StatusOr<std::unique_ptr<Module>> Write(std::vector<Shape> arguments) && {
    AXLE_TRY(Begin(*module_.entry(), std::move(arguments)));
    while (!stack_.empty()) AXLE_TRY(Step());
    // Callees first, as front ends have them.
    // The written computations are in the order in which they were begun; cloning from the entry
    // puts callees first.
    auto result = std::make_unique<Module>(module_.name());
    std::unordered_map<const HloComputation*, HloComputation*> cloned;
    result->set_entry(result->CloneComputation(*last_, cloned));
    result->config() = module_.config();
    if (auto& layout = result->config().entry_computation_layout) {
      for (size_t i = 0; i < layout->parameters.size(); ++i) {
        layout->parameters[i] =
            InLayoutsOf(layout->parameters[i], result->entry()->parameters()[i]->shape());
      }
      layout->result = InLayoutsOf(layout->result, result->entry()->root()->shape());
    }
    return result;
  }

 private:
  using Key = std::pair<const HloComputation*, std::string>;
  // A computation that is being written.
  struct Frame {
    const HloComputation* from;
    HloComputation* to;
    std::vector<Shape> parameters;
    std::vector<Instruction*> copies;
    std::vector<HloComputation*> callees;  // of the next instruction, as far as they are there
  };

  // Equal parameter shapes share one copy: the printed shapes are the key.
  static Key KeyOf(const HloComputation& from, std::span<const Shape> parameters) {
    return {&from, Join(parameters, ",", [](const Shape& s) { return s.ToString(); })};
  }

  // Names stay unique across copies of one computation.
  std::string UnusedName(std::string_view base) {
    std::string name(base);
    while (!names_.insert(name).second) name = StrCat(base, ".", ++num_copies_[std::string(base)]);
    return name;
  }

  // The limit ends programs whose calls multiply the shapes without end.
  Status Begin(const HloComputation& from, std::vector<Shape> parameters) {
    num_instructions_ += static_cast<i64>(from.instructions().size());
    if (num_instructions_ > module_.num_instructions() + kMaxFurtherInstructions) {
      return ResourceExhausted(StrCat(
          "computations that are called with many sizes make more than ", kMaxFurtherInstructions,
          " further instructions; write the "
          "sizes of \"",
          from.name(), "\""));
    }
    HloComputation* to = written_.AddComputation(UnusedName(from.name()));
    to->set_execution_thread(from.execution_thread());
    stack_.push_back({&from, to, std::move(parameters), {}, {}});
    return {};
  }

  // Writes one instruction, or begins with a computation that it calls.
  Status Step() {
    Frame& frame = stack_.back();
    if (frame.copies.size() == frame.from->instructions().size()) return End(), Status();
    const Instruction& inst = *frame.from->instructions()[frame.copies.size()];
    std::vector<Instruction*> operands;
    for (i64 i = 0; i < inst.num_operands(); ++i) {
      operands.push_back(frame.copies[inst.operand(i)->index()]);
    }
    while (frame.callees.size() < inst.callees().size()) {
      const HloComputation& callee = *inst.callees()[frame.callees.size()];
      if (!open_.contains(&callee)) {
        frame.callees.push_back(Copied(callee));
        continue;
      }
      AXLE_ASSIGN(std::vector<Shape> parameters,
                  ParametersOf(inst, frame.callees.size(), operands));
      const auto known = done_.find(KeyOf(callee, parameters));
      if (known == done_.end()) return Begin(callee, std::move(parameters));
      frame.callees.push_back(known->second);
    }
    return Append(frame, inst, operands);
  }

  // A parameter gets the shape that the caller passes, everything else what its row infers.
  Status Append(Frame& frame, const Instruction& inst, std::span<Instruction* const> operands) {
    Shape stated;
    if (IsParameter(inst)) {
      const auto number = static_cast<size_t>(inst.attrs<ParameterAttrs>().number);
      if (number >= frame.parameters.size() || !Fits(frame.parameters[number], inst.shape())) {
        return OpError(inst, StrCat("parameter ", number, " \"", inst.name(), "\" of \"",
                                    frame.from->name(), "\" is ", inst.shape().ToString(),
                                    number < frame.parameters.size()
                                        ? ", not " + frame.parameters[number].ToString()
                                        : ", but no value is given"));
      }
      stated = frame.parameters[number];
    } else {
      AXLE_ASSIGN(stated, StatedShape(inst, operands));
    }
    Instruction* copy = frame.to->Add({.opcode = inst.opcode(),
                                       .name = inst.name(),
                                       .shape = stated,
                                       .operands = operands,
                                       .callees = frame.callees,
                                       .attrs = inst.attr_block(),
                                       .metadata = inst.metadata(),
                                       .id = inst.id()});
    frame.callees.clear();
    AXLE_ASSIGN(const Shape shape, InferShape(*copy));
    if (!Fits(shape, inst.shape())) {
      return OpError(*copy, StrCat("\"", inst.name(), "\" has shape ", shape.ToString(), ", not ",
                                   inst.shape().ToString()));
    }
    frame.to->SetShape(copy, InLayoutsOf(inst.shape(), shape));
    frame.copies.push_back(copy);
    if (inst.extras() == nullptr) return {};
    InstructionExtras& extras = frame.to->MutableExtras(copy);
    extras = *inst.extras();
    for (Instruction*& other : extras.control_predecessors) other = frame.copies[other->index()];
    return {};
  }

  // The computation is complete: its parameters and root are bound, and later calls with the same
  // shapes find it.
  void End() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    frame.to->set_root(frame.copies[frame.from->root()->index()]);
    std::vector<Instruction*> parameters;
    for (const Instruction* p : frame.from->parameters()) {
      parameters.push_back(frame.copies[p->index()]);
    }
    frame.to->set_parameters(std::move(parameters));
    done_.emplace(KeyOf(*frame.from, frame.parameters), frame.to);
    last_ = frame.to;
  }

  // Copies a computation that leaves no size open, with everything that it calls.
  HloComputation* Copied(const HloComputation& callee) {
    const size_t first = written_.computations().size();
    HloComputation* copy = written_.CloneComputation(callee, copied_);
    for (size_t i = first; i < written_.computations().size(); ++i) {
      HloComputation& added = *written_.computations()[i];
      added.set_name(UnusedName(added.name()));
    }
    return copy;
  }

  const Module& module_;
  const OpenComputations open_;
  Module written_;  // in the order in which computations were begun
  std::vector<Frame> stack_;
  std::map<Key, HloComputation*> done_;
  std::unordered_map<const HloComputation*, HloComputation*> copied_;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, i64> num_copies_;
  HloComputation* last_ = nullptr;
  i64 num_instructions_ = 0;
};

}  // namespace

bool HasOpenSize(const Shape& shape) {
  return std::ranges::find(shape.dims(), kUnboundedSize) != shape.dims().end() ||
         std::ranges::any_of(shape.elements(), [](const Shape& s) { return HasOpenSize(s); });
}

bool HaveOpenSize(const OpDef& def, std::span<Instruction* const> operands) {
  // The rule takes any sizes. To look at the whole operand for each element of a wide tuple would
  // take quadratic time.
  if (def.opcode == Opcode::kGetTupleElement) return false;
  return std::ranges::any_of(
      operands, [](const Instruction* operand) { return HasOpenSize(operand->shape()); });
}

bool HasOpenSize(const Instruction& inst) {
  if (IsTupleElement(inst)) return false;
  if (HasOpenSize(inst.shape())) return true;
  for (i64 i = 0; i < inst.num_operands(); ++i) {
    if (HasOpenSize(inst.operand(i)->shape())) return true;
  }
  return false;
}

bool HasOpenSize(const Module& module) {
  return !CheckSizesAreKnown(module).ok();
}

Status CheckSizesAreKnown(const Instruction& inst) {
  if (!HasOpenSize(inst.shape())) return {};
  return OpError(inst, StrCat("\"", inst.name(), "\" is ", inst.shape().ToString(),
                              ", and a program runs with sizes: compile it for the shapes of its "
                              "arguments (argument_shapes; axle run takes those of the values), or "
                              "write the sizes"));
}

Status CheckSizesAreKnown(const Module& module) {
  for (const auto& computation : module.computations()) {
    for (const Instruction* inst : computation->instructions()) {
      AXLE_TRY(CheckSizesAreKnown(*inst));
    }
  }
  return {};
}

// The entry point: checks the shapes of the arguments against the parameters and writes the program
// for them.
StatusOr<std::unique_ptr<Module>> ForArgumentShapes(const Module& module,
                                                    std::span<const Shape> arguments) {
  const auto parameters = module.entry()->parameters();
  if (arguments.size() != parameters.size()) {
    return InvalidArgument(StrCat("\"", module.name(), "\" takes ", parameters.size(),
                                  " arguments, but there are ", arguments.size(), " shapes"));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    AXLE_TRY(CheckShape(arguments[i]));
    if (Fits(arguments[i], parameters[i]->shape()) && !HasOpenSize(arguments[i])) continue;
    return InvalidArgument(StrCat("argument ", i, " is ", arguments[i].ToString(),
                                  ", but parameter ", i, " \"", parameters[i]->name(), "\" is ",
                                  parameters[i]->shape().ToString()));
  }
  if (module.open_program() != nullptr) return module.open_program()->ForShapes(arguments);
  return Writer(module).Write({arguments.begin(), arguments.end()});
}

}  // namespace axle
