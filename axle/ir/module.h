// Module: computations and the tables that their instructions share. Not thread-safe while it
// grows; any number of threads may read it afterwards.
//
//   Module module("m");
//   HloComputation* main = module.AddComputation("main");
//   Instruction* x = main->Add({.opcode = ..., .name = "x", .shape = Shape(F32)});
#pragma once
#include <memory>
#include <memory_resource>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "axle/core/program_shape.h"
#include "axle/ir/instruction.h"

namespace axle {

class Module;

// Everything an instruction is made of. `shape` may be left empty if the op implies it.
struct NewInstruction {
  Opcode opcode;
  std::string_view name;
  Shape shape = {};
  std::span<Instruction* const> operands = {};
  std::span<HloComputation* const> callees = {};
  AttrBlock attrs = {};
  Metadata metadata = {};       // texts are copied
  std::optional<OpId> id = {};  // of the instruction that this one is a clone of
};

class HloComputation {
 public:
  std::string_view name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  Module* module() const { return module_; }
  std::uint32_t ordinal() const { return ordinal_; }
  std::span<Instruction* const> instructions() const { return instructions_; }  // operands first
  std::span<Instruction* const> parameters() const { return parameters_; }
  Instruction* root() const { return root_; }
  void set_root(Instruction* root) { root_ = root; }
  // Parameters in order of their numbers; set once, when all instructions are there.
  void set_parameters(std::vector<Instruction*> parameters) { parameters_ = std::move(parameters); }
  // "" is the main thread.
  const std::string& execution_thread() const { return execution_thread_; }
  void set_execution_thread(std::string name) { execution_thread_ = std::move(name); }

  // Appends; the last instruction is the root until set_root says otherwise.
  Instruction* Add(const NewInstruction& init);
  void SetShape(Instruction* inst, const Shape& shape);
  // The side table's entry, made if it is not there.
  InstructionExtras& MutableExtras(Instruction* inst);
  // Takes back the instruction added last, which must have no users.
  void RemoveLast();
  // The same instructions in another order: operands still come first.
  void SetOrder(std::vector<Instruction*> order);

 private:
  friend class Module;
  HloComputation(Module* module, std::string_view name, std::uint32_t ordinal)
      : module_(module), name_(name), ordinal_(ordinal) {}

  Module* module_;
  std::string name_;
  std::uint32_t ordinal_;
  std::vector<Instruction*> instructions_;
  std::vector<Instruction*> parameters_;
  Instruction* root_ = nullptr;
  std::string execution_thread_;
};

// Output `output_index` of the entry may or must share the buffer of a parameter.
struct AliasEntry {
  Dims output_index;
  i64 parameter = 0;
  Dims parameter_index;
  AliasKind kind = AliasKind::kMayAlias;
  bool operator==(const AliasEntry&) const = default;
};

struct BufferDonor {
  i64 parameter = 0;
  Dims parameter_index;
  bool operator==(const BufferDonor&) const = default;
};

// What the head of a module says. Texts are verbatim.
struct ModuleConfig {
  bool is_scheduled = false;
  std::vector<AliasEntry> input_output_alias;
  std::vector<BufferDonor> buffer_donor;
  bool alias_passthrough_params = false;
  std::optional<ProgramShape> entry_computation_layout;  // as given; else from the entry
  std::vector<bool> allow_spmd_sharding_propagation_to_parameters;
  std::vector<bool> allow_spmd_sharding_propagation_to_output;
  i64 replica_count = 1;
  i64 num_partitions = 1;
  std::vector<std::pair<std::string, std::string>> frontend_attributes;  // value: "text" or {json}
  std::string origin_recovery_table;
  std::string debug_attributes;
  StackFrameIndex stack_frames;
  // Of the text: XLA prints an empty line after every computation, files often lack the last one.
  bool ends_with_empty_line = true;
};

// A program whose operations take sizes as operands, which HLO does not have: it is made for the
// shapes of its arguments (ForArgumentShapes, ops/open_sizes.h). Immutable.
class OpenProgram {
 public:
  virtual ~OpenProgram() = default;
  virtual StatusOr<std::unique_ptr<Module>> ForShapes(std::span<const Shape> arguments) const = 0;
};

class Module {
 public:
  explicit Module(std::string name) : name_(std::move(name)) {}
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  std::span<const std::unique_ptr<HloComputation>> computations() const { return computations_; }
  HloComputation* entry() const { return entry_; }
  void set_entry(HloComputation* entry) { entry_ = entry; }
  HloComputation* AddComputation(std::string_view name);
  // Puts the computation at `position` behind all others; for one that was added before its
  // callees.
  void MoveToEnd(size_t position);
  // What the module stands for, where it says no more than which parameters and results there are:
  // its entry is a call of nothing that can run. Null for others.
  const std::shared_ptr<const OpenProgram>& open_program() const { return open_program_; }
  void set_open_program(std::shared_ptr<const OpenProgram> program) {
    open_program_ = std::move(program);
  }
  ModuleConfig& config() { return config_; }
  const ModuleConfig& config() const { return config_; }

  i64 num_instructions() const;
  // The same module again: names, ids, extras, config.
  std::unique_ptr<Module> Clone() const;
  // Copies `computation`, which may be of another module, and everything it calls; `cloned` maps
  // what is copied already. Names are kept; the caller sees to their being unique.
  HloComputation* CloneComputation(
      const HloComputation& computation,
      std::unordered_map<const HloComputation*, HloComputation*>& cloned);
  // A text that lives as long as the module; equal texts are stored once.
  std::string_view InternText(std::string_view text);
  const Shape* InternShape(const Shape& shape) { return &*shapes_.insert(shape).first; }

 private:
  friend class HloComputation;
  friend class Instruction;
  struct MetadataHash {
    size_t operator()(const Metadata& m) const;
  };

  std::string name_;
  std::vector<std::unique_ptr<HloComputation>> computations_;
  HloComputation* entry_ = nullptr;
  ModuleConfig config_;
  std::shared_ptr<const OpenProgram> open_program_;
  std::pmr::monotonic_buffer_resource arena_;  // instructions, operand slots, names, texts
  std::unordered_set<Shape, ShapeHash> shapes_;
  std::unordered_set<AttrBlock, AttrBlock::Hash> attrs_;
  std::unordered_set<Metadata, MetadataHash> metadata_;
  std::unordered_set<std::string_view> texts_;
  std::unordered_map<const Instruction*, std::unique_ptr<InstructionExtras>> extras_;
};

inline const InstructionExtras* Instruction::extras() const {
  return has_extras_ ? parent_->module()->extras_.at(this).get() : nullptr;
}

// A hash of what a computation computes: opcodes, shapes, attributes, operands by position, called
// computations. Names, ids, metadata and the order of computations in the module do not count.
std::uint64_t StructuralHash(const HloComputation& computation);

}  // namespace axle
