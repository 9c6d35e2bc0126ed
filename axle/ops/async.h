// Asynchronous computations: async-start, async-update and async-done, and their short form, in
// which HLO text writes a computation of one op as op-start, op-update and op-done.
//
// The three make a chain: a state, ((operands...), result, contexts...), goes from one to the next.
// A start may bind the first of the computation's parameters only, or none; updates bind the next
// ones, and say more of the result. The computation runs where the shape of the state first shows
// all operands and the whole result, at the latest with async-done. So each op needs to know only
// the computation, the state that it is given and the shape of the one that it gives: the state may
// go through tuples, loops, branches and calls on its way.
//
// Every op of a chain calls the computation. Text and protos may leave it out of updates and dones:
// AsyncChains finds it then.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "axle/ops/attributes/attributes.h"
#include "axle/ops/op_def.h"

namespace axle {

struct AsyncUpdateAttrs {
  std::string async_execution_thread;  // what old dumps repeat of the start
  OperandAliasing output_to_operand_aliasing;
};

struct AsyncDoneAttrs {
  std::string async_execution_thread;  // likewise
};

// The meaning of "op-start", "op-update" or "op-done", where that is not an op of its own.
struct AsyncForm {
  const OpDef* op;       // the op that runs
  const OpDef* wrapper;  // async-start, async-update or async-done
  bool begins;           // op-start
};
std::optional<AsyncForm> FindAsyncForm(std::string_view text);

bool IsAsyncStart(const OpDef& def);
// ((operands...), result, contexts...)
bool IsAsyncState(const Shape& shape);
// async-update or async-done: operand 0 is the state.
bool GoesOnAsync(const OpDef& def);

// Finds the computations that the ops of chains run. It remembers what it has found, so that asking
// about every op of a chain takes time in proportion to its length.
class AsyncChains {
 public:
  // The computation of the chain that has the state `state`, as far as the computation around it
  // and what that calls show; null if that is not enough: the state is a parameter, say.
  const HloComputation* Find(const Instruction& state);

  // Before whole modules are printed: notes what its chains say of their computations.
  void Note(const Module& module);
  // For an async-start, async-update or async-done that has a short form in text, because its
  // computation is one op on its parameters in their order: that op. Null for others.
  const Instruction* WrappedOp(const Instruction& inst);
  // For an async-update or async-done: whether Find finds its computation.
  bool IsImplied(const Instruction& inst);

 private:
  std::unordered_map<const Instruction*, const HloComputation*> found_;
  bool has_noted_ = false;
  std::unordered_set<const HloComputation*> binds_all_, gives_all_;
  std::unordered_set<const Instruction*>
      alone_;  // instructions whose state comes from no async-start
};

// The computations of states that come into a computation from outside, looked for in a module
// that is complete. `open` are computations that stand for those that are looked for.
class AsyncSources {
 public:
  AsyncSources(const Module& module, const std::unordered_set<const HloComputation*>& open);
  // An error that says what is wrong with operand 0 of `inst`, an async-update or async-done, if it
  // is of no chain, or of several that run different computations. Those that have no instructions
  // yet are not compared.
  StatusOr<const HloComputation*> Find(const Instruction& inst);

 private:
  struct Place {
    const Instruction* inst;
    Dims path;  // of tuple indices, the outermost last
    bool operator<(const Place& o) const { return inst != o.inst ? inst < o.inst : path < o.path; }
  };
  void AddSourcesOf(const Place& place, std::vector<Place>& places) const;
  void AddSourcesOfParameter(const Place& place, std::vector<Place>& places) const;

  const std::unordered_set<const HloComputation*>& open_;
  std::unordered_map<const HloComputation*, std::vector<const Instruction*>> callers_;
  // Places that a search has been to, and what it found: the next one goes no further than there,
  // so that all searches together take time in proportion to the module.
  std::map<Place, const HloComputation*> found_;
};

// The parameters and the result that the ops of a chain state for their computation. op-start needs
// them, because it does not say what its computation takes.
struct AsyncSignature {
  std::vector<Shape> parameters;
  Shape result;  // () if nobody says it
  bool is_result_known = false;

  void Add(const Instruction& inst);  // of the chain
  // An op that runs one of `callees` on its operands has its signature.
  void AddCallee(const OpDef& op, std::span<HloComputation* const> callees);
};

// Fills `to`, which is empty, with the instructions of `from`.
void CopyInstructions(const HloComputation& from, HloComputation& to);

// "-start" for async-start, and so on.
std::string_view AsyncSuffix(const Instruction& inst);

// INVALID_ARGUMENT if a computation that an async-start calls is called by anything else but the
// ops of its chain; that is in *caller then.
Status CheckAsyncCallees(const Module& module, const HloComputation** caller = nullptr);

// Lets the computation, if it says no thread, run on the one that async-start names.
void SetThreadOfCallee(const Instruction& start);

}  // namespace axle
