// The reader behind Parse: one object for one text. Its functions are in four files, by what they
// read; each reads its part from the scanner on and says where the text is wrong.
#pragma once
#include <bitset>
#include <map>
#include <unordered_map>

#include "axle/core/scanner.h"
#include "axle/ops/async.h"
#include "axle/ops/implied.h"
#include "axle/ops/op_def.h"
#include "axle/text/op_attributes.h"
#include "axle/text/parse.h"
#include "axle/text/shape_budget.h"
#include "axle/text/sharding.h"

namespace axle {

class Parser {
 public:
  Parser(std::string_view text, const ParseOptions& options)
      : scanner_(text, options.label),
        limits_(options.limits),
        strict_types_(options.strict_types),
        ends_with_empty_line_(text.ends_with("\n\n")),
        shape_budget_(static_cast<i64>(text.size())) {}

  StatusOr<std::unique_ptr<Module>> ParseModule();
  // Of a text that is nothing but the attributes of an operation.
  StatusOr<OpAttributes> ParseAttributesAlone(const OpDef& def, const Shape& result);

 private:
  using InstructionMap = std::unordered_map<std::string_view, Instruction*>;

  // A computation while its instructions are read. Bodies that are written in place
  // (to_apply={...}) are read while that of their caller is open.
  struct Scope {
    HloComputation* computation;
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
  static constexpr std::string_view kCommonNames[] = {
      "metadata",   "sharding", "frontend_attributes",   "backend_config",  "control-predecessors",
      "statistics", "origin",   "parameter_replication", "result_accuracy",
  };
  static_assert(std::size(kCommonNames) == kNumCommonAttributes);

  // XLA's name of a computation that is written as op-start.
  static constexpr std::string_view kWrappedName = "async_wrapped";
  // And of one that is written where it is called, or around a single instruction.
  static constexpr std::string_view kBodyName = "_";

  // What the attributes of one instruction say, until the instruction is made.
  struct PendingAttributes {
    std::shared_ptr<void> values;  // null: all at their defaults
    std::bitset<64> seen;          // specs of the row
    std::vector<HloComputation*> callees;
    std::bitset<64> seen_callees;
    std::span<const CalleeSpec> callee_specs;
    std::bitset<kNumCommonAttributes> seen_common;
    Metadata metadata;
    InstructionExtras extras;
    bool has_extras = false;
    ShardingText sharding;  // for extras, once the shape is known
    size_t replication_position = 0;
  };

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
    std::string generated_name = {};  // of one without a name
  };

  // An async-start, async-update or async-done whose computation may not be known before the whole
  // module has been read.
  struct PendingAsync {
    Instruction* inst = nullptr;
    size_t shape_position = 0, op_position = 0;
    bool has_shape = false;
    const OpDef* op = nullptr;  // of the short form
    // Of op-start: op, for the computation that the start calls.
    std::unique_ptr<PendingOperation> body = nullptr;
  };

  // Modules, computations, files of one instruction: parse.cc

  // [ENTRY] name [(parameters) -> shape] { instructions } [, execution_thread="..."]
  Status ParseComputation();
  // (x: f32[2], y: f32[]): what it says stands in the parameter instructions again.
  Status ParseParameterList();
  // { instructions } of a computation with a name.
  StatusOr<HloComputation*> ParseBody(std::string_view name, size_t name_position);
  // The same of one that is written where it is called.
  StatusOr<HloComputation*> ParseBodyInPlace();
  Status ParseInstructions(Scope& scope, size_t name_position);
  // What only the whole module shows of who calls whom.
  Status CheckCallees();
  // An error of the op table or the like, with the place that it is about.
  Status Located(size_t position, const Status& status);
  // Without a header: [ROOT] [name =] [shape] op(...), and not a computation?
  bool AtInstruction();
  bool AtInstructionHere();
  Status ParseSingleInstruction();
  // True before "name =".
  bool AtName();

  // Operations and their operands: parse_instruction.cc. Asynchronous ones: parse_async.cc

  // name = [shape] op(...), attributes
  StatusOr<Instruction*> ParseInstruction(Scope& scope);
  // Of the name that was read last.
  Status CheckNewName(const Scope& scope, std::string_view name);
  // A shape, whose layout may stand apart from it: no literal follows here.
  StatusOr<Shape> ReadShape();
  // [shape] op(...), attributes.
  StatusOr<Instruction*> ParseOperation(Scope& scope, std::string_view name, bool nested = false);
  // What stands in the parentheses.
  Status ParseOperands(Scope& scope, std::string_view name, PendingOperation& op);
  // After the literal of a constant: notes whether its elements were left out.
  void NoteElided(std::string_view name, PendingAttributes& attributes);
  // Appends the instruction, of which everything has been read.
  StatusOr<Instruction*> AddOperation(Scope& scope, std::string_view name, PendingOperation& op);
  // What it is made of; its name lasts as long as `op`.
  StatusOr<NewInstruction> Describe(Scope& scope, std::string_view name, PendingOperation& op);
  // One whose operands are floats of several types.
  StatusOr<Instruction*> AddMixedOperation(Scope& scope, std::string_view name,
                                           PendingOperation& op, ElementType type);
  // The same before its row is asked.
  StatusOr<Instruction*> AddUnchecked(Scope& scope, std::string_view name, PendingOperation& op);
  // And after.
  Status FinishOperation(Scope& scope, PendingOperation& op, Instruction* inst);
  // ((operands...), result, contexts...) op-start(...), attributes of the op: the op in a
  // computation of its own, and the instruction that begins it.
  StatusOr<Instruction*> ParseAsyncStart(Scope& scope, std::string_view name, const AsyncForm& form,
                                         PendingOperation& start);
  // The attributes that are not of the op go to the instruction that begins it; some stay on both.
  static void TakeCommonAttributes(PendingAttributes& op, PendingAttributes& start);
  // A computation without instructions, which FinishAsync fills.
  HloComputation* AddOpenComputation(size_t position);
  // Appends an op of a chain, of which everything has been read; FinishAsync checks it.
  StatusOr<Instruction*> AddAsync(Scope& scope, std::string_view name, PendingOperation& op,
                                  PendingAsync pending);
  // Behind the whole text: fills the computations that have been left open, and checks chains.
  Status FinishAsync();
  // What the open computations stand for.
  using ComputationMap = std::unordered_map<const HloComputation*, const HloComputation*>;
  StatusOr<ComputationMap> FindSources();
  Status NotOfStart(const PendingAsync& pending);
  // Fills the computation of an op-start with nothing but op, on parameters.
  Status FillWrapped(const AsyncSignature& signature, const PendingAsync& start);
  Status CheckAsync(const PendingAsync& pending);
  // The computations that the text does not name get names that it has not used: of asynchronous
  // forms, and those that are written where they are called.
  void NameGenerated();
  Status TooLarge(size_t position);
  // `base`, or base.1, base.2, ... if there is one already.
  static std::string UnusedName(Scope& scope, const std::string& base);
  // True before f32[2], (f32[], s32[]) or b(f32[8]).
  bool AtShape();
  Status UnknownOp(std::string_view text);
  // name, t#1, "shape name" in old dumps, or an operation.
  StatusOr<Instruction*> ParseOperand(Scope& scope);
  // The index behind a '#'.
  StatusOr<Instruction*> ParseTupleElement(Scope& scope, Instruction* tuple);
  Instruction* AddUnknownParameter(Scope& scope, const Shape& shape, std::string_view name);
  Status UnknownInstruction(const Scope& scope, std::string_view name, size_t position);

  // Attributes: parse_attributes.cc

  static void* MutableValues(const OpDef& def, PendingAttributes& attributes);
  // Nobody owns the defaults.
  static AttrBlock FinishAttrs(const OpDef& def, PendingAttributes& attributes);
  Status ParseSpec(const OpDef& def, size_t i, const Shape& result, PendingAttributes& attributes);
  // What names instructions or computations, or is an instruction's own, needs the module around
  // it: an error where attributes are read alone.
  Status CheckHasModule(std::string_view name);
  Status Twice(std::string_view name);
  // ", name=value" until the end of the instruction. What `def` does not take may be of `outer`.
  Status ParseAttributes(Scope& scope, const OpDef& def, const Shape& result,
                         PendingAttributes& attributes, const OpDef* outer = nullptr,
                         PendingAttributes* outer_attributes = nullptr);
  // name=value
  Status ParseAttribute(Scope& scope, const OpDef& def, const Shape& result,
                        PendingAttributes& attributes, const OpDef* outer,
                        PendingAttributes* outer_attributes);
  static size_t FindSpec(const OpDef& def, std::string_view name);
  // to_apply=name, branch_computations={a, b}
  Status ParseCallees(const OpDef& def, std::string_view name, PendingAttributes& attributes);
  // A name, or the body of the computation itself.
  StatusOr<HloComputation*> ParseCallee();
  Status UnknownAttribute(const OpDef& def, std::string_view name);
  Status CheckAttributes(const OpDef& def, size_t op_position, const PendingAttributes& attributes);
  Status CheckRequired(const OpDef& def, size_t op_position, const PendingAttributes& attributes);
  Status ParseCommon(Scope& scope, const OpDef& def, size_t which, PendingAttributes& attributes);
  // Metadata is often the same text as before.
  StatusOr<Metadata> ParseInternedMetadata();
  // What comes next, if it is {...} with nothing inside that needs a parser to find the end: no
  // inner braces, single quotation marks or comments. Otherwise "".
  std::string_view PlainBraces() const;
  Status ParseControlPredecessors(const Scope& scope, std::vector<Instruction*>& predecessors);
  // What depends on the instruction.
  Status FinishExtras(PendingAttributes& attributes, const Instruction& inst);

  Scanner scanner_;
  Limits* limits_;
  bool strict_types_;
  bool ends_with_empty_line_;
  bool is_alone_ = false;  // nothing but the attributes of an operation is read
  std::unique_ptr<Module> module_;
  std::unordered_map<std::string_view, HloComputation*>
      computations_;                                             // null while it is being read
  std::unordered_map<const HloComputation*, size_t> positions_;  // of their names in the text
  std::vector<HloComputation*> generated_;  // without names so far: see NameGenerated
  std::unordered_map<std::string_view, Metadata> metadata_;  // by text
  ShapeBudget shape_budget_;
  AsyncChains chains_;
  std::vector<PendingAsync> async_;
  std::unordered_set<const HloComputation*> open_;  // by chains whose start was not to be seen
  // Constants without elements so far. Only the first ones get a place: to find the line of each
  // would take quadratic time.
  int num_elided_ = 0;
  static constexpr int kMaxElidedPlaces = 16;
};

}  // namespace axle
