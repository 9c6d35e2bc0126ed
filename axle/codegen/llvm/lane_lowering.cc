// How a lane program becomes a loop. Shape of a kernel, with vectors of W lanes:
//
//   for each row, or a few rows in one iteration
//     for (i = 0; i + U * W <= inner; i += U * W) body(i), body(i + W), ... on all lanes
//     for (; i < inner; i += W) body(i) on the lanes below inner - i
//
// A kernel for a few positions at a time, or for rows of less than a vector, has the second loop
// only, and one whose rows are whole iterations has the first only.
//
// An iteration is long enough to hide the cost of the loop: a program of few operations is written
// up to four times (VectorsPerIteration). Operations that do not depend on the position are
// computed once per row, or once in all if they do not depend on the row either (ComputeUniform).
//
// A fold of rows keeps its accumulators in a queue of vectors up to the end of the row
// (row_folds.h). A fold of columns loads its accumulators, folds all rows of an iteration into
// them, in order, and stores them.
//
// A grouped loop (LoopPattern) has blocks of groups instead, written out, and one of what is left:
//
//   for each row
//     for (g = 0; g + B <= inner; g += B) block(g), its vectors one after the other
//     if (g < inner) block(g) on the groups that are left
//
// Its folds have a result in each lane, and a body for each of the elements that are joined.
//
// A body loads every input, runs the operations in order and stores every output, so an output that
// is an input's array is read before it is written. A pred is a byte in memory and a bit in a
// register. Lanes that the mask of the tail leaves out compute on zeros, or on the last element of
// the row, which definitions must bear without trapping (they guard integer division anyway).
//
// The code grows with operations times bodies, which kMaxOperations bounds; bodies are written
// operation by operation, so that independent chains lie next to each other.
#include "axle/codegen/llvm/lane_lowering.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <bit>
#include <map>
#include <span>

#include "axle/codegen/llvm/access_checks.h"
#include "axle/codegen/llvm/half_conversions.h"
#include "axle/codegen/llvm/kernel_operands.h"
#include "axle/codegen/llvm/lane_emitter.h"
#include "axle/codegen/llvm/lane_groups.h"
#include "axle/codegen/llvm/lane_memory.h"
#include "axle/codegen/llvm/row_folds.h"
#include "axle/codegen/llvm/uniform_quotient.h"

namespace axle {
namespace {

using llvm::Value;

class KernelWriter {
 public:
  KernelWriter(const LoopKernelSpec& spec, const JitTarget& target, const std::string& name,
               llvm::Module& module)
      : spec_(spec),
        program_(*spec.program),
        input_strides_(spec.inputs),
        vector_bytes_(static_cast<std::uint64_t>(target.vector_bytes)),
        width_(static_cast<unsigned>(target.vector_bytes) / 4),
        module_(module),
        b_(module.getContext()),
        emitter_(b_, width_, target),
        halves_(program_, target),
        memory_(b_, emitter_, spec, target),
        folds_(b_, emitter_, width_, spec),
        groups_(b_, emitter_, spec, width_, target.vector_bytes == 64 && target.checks == nullptr),
        checks_(target.checks) {
    llvm::Type *pointer = b_.getPtrTy(), *number = b_.getInt64Ty();
    auto* type = llvm::FunctionType::get(
        b_.getVoidTy(), {pointer, number, number, pointer, pointer}, /*isVarArg=*/false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    const std::string bits = std::to_string(target.vector_bytes * 8);
    function_->addFnAttr("prefer-vector-width", bits);
    function_->addFnAttr("min-legal-vector-width", bits);
  }

  void Write() {
    inner_ = function_->getArg(1);
    outer_ = function_->getArg(2);
    b_.SetInsertPoint(NewBlock("entry"));
    memory_.SetInner(IsGrouped() ? TimesGroups(inner_, spec_.pattern.size) : inner_);
    LoadStrides();
    ComputeUniform(firsts_, InnerStride::kOne, of_all_rows_);
    Value* row = b_.getInt64(0);
    std::vector<Value*> pointers = firsts_;
    const unsigned rows = RowsPerIteration();
    if (rows > 1) row = WriteRows(rows, row, pointers);
    WriteRows(1, row, pointers);
    b_.CreateRetVoid();
    if (checks_ == nullptr) return;
    const size_t num_operands = program_.inputs.size() + program_.outputs.size();
    AddAccessChecks(*function_, {.pointers = 0, .num_operands = num_operands}, *checks_);
  }

 private:
  // Values that are the same at several positions.
  struct Uniform {
    std::vector<Value*> splats;                  // by operation, or null
    std::map<LaneId, Value*> firsts;             // the addresses that elements of rows count from
    std::map<LaneId, UniformQuotient> divisors;  // divisors of quotients that differ by position
  };
  // The addresses that a row of an iteration reads and writes.
  struct Row {
    std::vector<Value*> inputs, outputs;  // addresses of its first elements
    Uniform uniform;                      // values that are the same at all its positions
  };

  // The program on the lanes of a vector that begins at `index`, in one row.
  struct Body {
    const Row* row;
    Value* index;
    std::vector<Value*> values;  // by operation
    std::vector<Value*> loaded;  // by input
    Dims positions = {};         // of the lanes in a block of groups
  };

  llvm::BasicBlock* NewBlock(const char* name) {
    return llvm::BasicBlock::Create(module_.getContext(), name, function_);
  }

  unsigned NumOperations() const {
    i64 count = halves_.num_needed();
    for (const LoopFold& fold : spec_.folds) {
      count += fold.reducer != nullptr ? fold.reducer->num_operations() : 1;
    }
    return static_cast<unsigned>(count);
  }
  bool ReadsApart() const {
    return std::ranges::find(input_strides_, InnerStride::kAny) != input_strides_.end();
  }

  bool IsGrouped() const { return spec_.pattern.size > 0; }
  Value* TimesGroups(Value* groups, i64 elements) {
    return b_.CreateMul(groups, b_.getInt64(static_cast<std::uint64_t>(elements)));
  }

  // Vectors in an iteration of the main loop; 0: there is none. Functions are chains: a processor
  // that looks some hundred operations ahead has more to do at once where several vectors are
  // interleaved.
  unsigned VectorsPerIteration() const {
    unsigned vectors = BestVectorsPerIteration();
    while (vectors * width_ > spec_.row_sizes.most) vectors /= 2;
    return vectors;
  }
  unsigned BestVectorsPerIteration() const {
    constexpr unsigned kMaxOperations = 128, kMaxVectors = 4, kMaxOperationsPerRound = 32;
    if (spec_.is_brief) return 0;
    if (ReadsApart() || RowsPerIteration() > 1) return 1;
    // A whole round of the queue of accumulators, if that is not too much code. Otherwise the loop
    // carries the queue rotated.
    const auto round = static_cast<unsigned>(folds_.num_vectors());
    if (round > 0 && NumOperations() * round <= kMaxOperationsPerRound) return round;
    unsigned vectors = 1;
    while (2 * vectors * NumOperations() <= kMaxOperations && vectors < kMaxVectors) vectors *= 2;
    return vectors;
  }

  unsigned RowsPerIteration() const {
    if (IsGrouped() || ReadsApart() || spec_.form != FoldForm::kColumns) return 1;
    // With few columns, reducers wait for the result of the row before; several rows per iteration
    // keep them from waiting for memory too.
    const bool reduces = std::ranges::any_of(
        spec_.folds, [](const LoopFold& fold) { return fold.reducer != nullptr; });
    const size_t most_operations = reduces ? 96 : 16, most_pointers = reduces ? 24 : 8;
    const size_t cost = std::max<size_t>(NumOperations(), 1);
    const size_t pointers = std::max<size_t>(program_.inputs.size() + NumStores(), 1);
    const size_t most = std::min(most_operations / cost, most_pointers / pointers);
    return most < 2 ? 1 : static_cast<unsigned>(std::bit_floor(most));
  }

  // A loop over rows from `row` on, `count` in each iteration, that stops where fewer are left.
  // Gives the first of those; `pointers`, of the operands, move on to it.
  // Pointers are phis that are advanced by their stride, not computed from the row's number: loop
  // strength reduction does not run (jit.cc).
  Value* WriteRows(unsigned count, Value* row, std::vector<Value*>& pointers) {
    auto *before = b_.GetInsertBlock(), *iteration = NewBlock("rows"), *done = NewBlock("done");
    const auto fits = [&](Value* first) {
      return b_.CreateICmpSLE(b_.CreateAdd(first, b_.getInt64(count)), outer_);
    };
    b_.CreateCondBr(fits(row), iteration, done);

    b_.SetInsertPoint(iteration);
    const auto phi = [&](Value* first) {
      auto* made = b_.CreatePHI(first->getType(), 2);
      made->addIncoming(first, before);
      return made;
    };
    llvm::PHINode* index = phi(row);
    std::vector<llvm::PHINode*> heads(pointers.size());  // null: it does not move
    std::vector<Value*> next = pointers;
    for (size_t i = 0; i < pointers.size(); ++i) {
      if (Moves(i)) next[i] = heads[i] = phi(pointers[i]);
    }
    rows_.clear();
    for (unsigned r = 0; r < count; ++r) {
      const auto inputs_end = next.begin() + static_cast<std::ptrdiff_t>(program_.inputs.size());
      rows_.push_back({{next.begin(), inputs_end}, {inputs_end, next.end()}, of_all_rows_});
      for (size_t i = 0; i < next.size(); ++i) {
        if (Moves(i)) next[i] = b_.CreatePtrAdd(next[i], outer_strides_[i]);
      }
    }
    for (Row& each : rows_) ComputeUniform(each.inputs, InnerStride::kUniform, each.uniform);
    if (IsGrouped()) {
      WriteBlocks();
    } else {
      WriteIteration();
    }
    Value* next_index = b_.CreateAdd(index, b_.getInt64(count));
    auto* last = b_.GetInsertBlock();
    index->addIncoming(next_index, last);
    for (size_t i = 0; i < heads.size(); ++i) {
      if (Moves(i)) heads[i]->addIncoming(next[i], last);
    }
    b_.CreateCondBr(fits(next_index), iteration, done);

    b_.SetInsertPoint(done);
    const auto after = [&](Value* first, Value* moved) {
      auto* made = b_.CreatePHI(first->getType(), 2);
      made->addIncoming(first, before);
      made->addIncoming(moved, last);
      return made;
    };
    row = after(row, next_index);
    for (size_t i = 0; i < pointers.size(); ++i) {
      if (Moves(i)) pointers[i] = after(pointers[i], next[i]);
    }
    return row;
  }

  // Writes the code for all positions of the rows at hand.
  // The main loop is entered only if there is a whole iteration to do; its exit and its bypass meet
  // in `after`, where the queue of accumulators is a phi of both. Where rows are known to be whole
  // iterations, the second loop is left out.
  void WriteIteration() {
    const unsigned vectors = VectorsPerIteration();
    Value *zero = b_.getInt64(0), *step = b_.getInt64(width_);
    auto *begin = b_.GetInsertBlock(), *after = NewBlock("after");
    const std::vector<Value*> identities = folds_.Identities();
    llvm::BasicBlock* main_end = nullptr;
    Value* next = nullptr;
    std::vector<Value*> main_queue;
    std::vector<llvm::PHINode*> heads;
    if (vectors > 0) {
      auto* main = NewBlock("main");
      Value* last_iteration = b_.CreateSub(inner_, b_.getInt64(vectors * width_));
      b_.CreateCondBr(b_.CreateICmpSGE(last_iteration, zero), main, after);
      b_.SetInsertPoint(main);
      auto* index = b_.CreatePHI(b_.getInt64Ty(), 2);
      index->addIncoming(zero, begin);
      heads = folds_.Start(identities, begin);
      std::vector<Value*> indices = {index};
      while (indices.size() <= vectors) indices.push_back(b_.CreateAdd(indices.back(), step));
      next = indices.back();
      Bodies(std::span(indices).first(vectors), nullptr);
      main_end = b_.GetInsertBlock();
      index->addIncoming(next, main_end);
      main_queue = folds_.queue();
      for (size_t q = 0; q < heads.size(); ++q) heads[q]->addIncoming(main_queue[q], main_end);
      b_.CreateCondBr(b_.CreateICmpSLE(next, last_iteration), main, after);
    } else {
      b_.CreateBr(after);
    }

    b_.SetInsertPoint(after);
    auto* position = b_.CreatePHI(b_.getInt64Ty(), 2);
    position->addIncoming(zero, begin);
    if (vectors > 0) position->addIncoming(next, main_end);
    heads = folds_.Start(identities, begin);
    for (size_t q = 0; q < main_queue.size(); ++q) heads[q]->addIncoming(main_queue[q], main_end);
    const bool is_all =
        spec_.row_sizes.are_whole && vectors > 0 && RowSizes::kWhole % (vectors * width_) == 0;
    if (!is_all) WriteRest(position);
    StoreFolds();
  }

  // Writes the loop over the positions that iterations leave over, from `position` on.
  void WriteRest(Value* position) {
    auto *before = b_.GetInsertBlock(), *rest = NewBlock("rest"), *behind = NewBlock("behind");
    const std::vector<Value*> queue = folds_.queue();
    b_.CreateCondBr(b_.CreateICmpSLT(position, inner_), rest, behind);

    b_.SetInsertPoint(rest);
    auto* at = b_.CreatePHI(b_.getInt64Ty(), 2);
    at->addIncoming(position, before);
    std::vector<llvm::PHINode*> heads = folds_.Start(queue, before);
    Value* const index[] = {at};
    Bodies(index, b_.CreateSub(inner_, at));
    Value* next = b_.CreateAdd(at, b_.getInt64(width_));
    auto* end = b_.GetInsertBlock();
    at->addIncoming(next, end);
    const std::vector<Value*> rest_queue = folds_.queue();
    for (size_t q = 0; q < heads.size(); ++q) heads[q]->addIncoming(rest_queue[q], end);
    b_.CreateCondBr(b_.CreateICmpSLT(next, inner_), rest, behind);

    b_.SetInsertPoint(behind);
    heads = folds_.Start(queue, before);
    for (size_t q = 0; q < heads.size(); ++q) heads[q]->addIncoming(rest_queue[q], end);
  }

  // Writes the code for all groups of the row at hand.
  void WriteBlocks() {
    // What is loaded is shuffled.
    const i64 operations =
        (static_cast<i64>(NumOperations()) + 2 * groups_.NumSources()) * spec_.pattern.reduced;
    constexpr i64 kMaxVectors = 4, kMaxOperations = 64;
    while (2 * groups_.num_vectors() <= kMaxVectors &&
           2 * groups_.num_vectors() * operations <= kMaxOperations) {
      groups_.DoubleBlock();
    }
    auto *begin = b_.GetInsertBlock(), *main = NewBlock("main"), *after = NewBlock("after"),
         *rest = NewBlock("rest"), *behind = NewBlock("behind");
    Value *zero = b_.getInt64(0), *step = b_.getInt64(static_cast<std::uint64_t>(groups_.groups()));
    b_.CreateCondBr(b_.CreateICmpSLE(step, inner_), main, after);

    b_.SetInsertPoint(main);
    auto* group = b_.CreatePHI(b_.getInt64Ty(), 2);
    group->addIncoming(zero, begin);
    WriteBlock(group, nullptr);
    Value* next = b_.CreateAdd(group, step);
    auto* main_end = b_.GetInsertBlock();
    group->addIncoming(next, main_end);
    b_.CreateCondBr(b_.CreateICmpSLE(b_.CreateAdd(next, step), inner_), main, after);

    b_.SetInsertPoint(after);
    auto* first_left = b_.CreatePHI(b_.getInt64Ty(), 2);
    first_left->addIncoming(zero, begin);
    first_left->addIncoming(next, main_end);
    b_.CreateCondBr(b_.CreateICmpSLT(first_left, inner_), rest, behind);

    b_.SetInsertPoint(rest);
    WriteBlock(first_left, b_.CreateSub(inner_, first_left));
    b_.CreateBr(behind);
    b_.SetInsertPoint(behind);
  }

  // One block, from `group` on; of the groups that are left, unless `left` is null.
  void WriteBlock(Value* group, Value* left) {
    groups_.BeginBlock(group, left);
    Value* first = TimesGroups(group, groups_.lanes_per_group());
    for (i64 v = 0; v < groups_.num_vectors(); ++v) {
      const i64 lanes_before = v * width_;
      Value* index = b_.CreateAdd(first, b_.getInt64(static_cast<std::uint64_t>(lanes_before)));
      Value* valid = nullptr;
      if (left != nullptr) {
        Value* lanes = TimesGroups(left, groups_.lanes_per_group());
        valid = b_.CreateSub(lanes, b_.getInt64(static_cast<std::uint64_t>(lanes_before)));
        valid = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, valid, b_.getInt64(0));
      }
      memory_.SetValid(valid);
      WriteVector(v, index);
    }
  }

  // A vector of the block, or of results of its folds.
  void WriteVector(i64 vector, Value* index) {
    const Row& row = rows_[0];
    columns_.clear();
    for (size_t f = 0; f < spec_.folds.size(); ++f) {
      columns_.push_back(emitter_.Constant(FoldType(f), spec_.folds[f].identity));
    }
    std::vector<Body> bodies;
    for (i64 element = 0; element < spec_.pattern.reduced; ++element) {
      bodies.push_back({&row, index, row.uniform.splats, {}});
      bodies.back().loaded.resize(program_.inputs.size());
      bodies.back().positions = groups_.PositionsOf(vector, element);
    }
    for (size_t i = 0; i < program_.code.size(); ++i) {
      if (!Divide(program_.code[i], i, bodies)) {
        for (Body& body : bodies) Compute(program_.code[i], i, body);
      }
    }
    for (const Body& body : bodies) {
      Store(body);
      for (size_t f = 0; f < spec_.folds.size(); ++f) {
        columns_[f] =
            emitter_.Join(spec_.folds[f].join, FoldType(f), columns_[f], FoldedValue(body, f));
      }
    }
    for (size_t f = 0; f < columns_.size(); ++f) {
      memory_.Store(program_.outputs[NumStores() + f], columns_[f], row.outputs[NumStores() + f],
                    index);
    }
  }

  void StoreFolds() {
    if (spec_.form != FoldForm::kRows) return;
    for (size_t f = 0; f < spec_.folds.size(); ++f) {
      const LaneType type = FoldType(f);
      Value* value = folds_.Joined(f);
      if (type == LaneType::kPred) value = b_.CreateZExt(value, b_.getInt8Ty());
      b_.CreateAlignedStore(value, rows_[0].outputs[NumStores() + f], LaneMemory::AlignOf(type));
    }
  }

  void LoadStrides() {
    const auto load = [&](llvm::Type* type, unsigned argument, size_t i) {
      return b_.CreateLoad(type, b_.CreateConstGEP1_64(type, function_->getArg(argument), i));
    };
    for (size_t i = 0; i < program_.inputs.size() + program_.outputs.size(); ++i) {
      firsts_.push_back(load(b_.getPtrTy(), 0, i));
      outer_strides_.push_back(Moves(i) ? load(b_.getInt64Ty(), 3, i) : nullptr);
    }
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
      const bool is_any = input_strides_[i] == InnerStride::kAny;
      inner_strides_.push_back(is_any ? load(b_.getInt64Ty(), 4, i) : nullptr);
    }
  }

  // Whether the operand moves from row to row.
  bool Moves(size_t operand) const {
    return operand >= input_strides_.size() || input_strides_[operand] != InnerStride::kOne;
  }

  // Adds to `uniform` what follows from the inputs of this kind, and from what is there, alone.
  // `inputs`: where they are.
  // One forward pass is enough, because operands come before their operations. Operations that are
  // uniform are lowered here, outside of the loop over positions.
  void ComputeUniform(std::span<Value* const> inputs, InnerStride kind, Uniform& uniform) {
    std::vector<Value*>& splats = uniform.splats;
    splats.resize(program_.code.size());
    for (size_t i = 0; i < program_.code.size(); ++i) {
      const LaneOp& op = program_.code[i];
      if (splats[i] != nullptr || !halves_.IsNeeded(i)) continue;
      if (op.primitive == Primitive::kInput) {
        const bool is_of_kind = input_strides_[op.input()] == kind;
        if (is_of_kind) splats[i] = memory_.LoadUniform(op, inputs[op.input()]);
        continue;
      }
      const auto is_splat = [&](LaneId operand) { return splats[operand] != nullptr; };
      const bool is_uniform = halves_.IsConversion(i) ? is_splat(halves_.OperandOf(i))
                                                      : std::ranges::all_of(op.taken(), is_splat);
      if (!is_uniform) continue;
      if (op.primitive == Primitive::kElement) {
        AddElementsAt(static_cast<LaneId>(i), inputs, kind, uniform);
      } else {
        splats[i] = Lower(i, splats);
      }
    }
    for (size_t i = 0; i < program_.code.size(); ++i) {
      const LaneOp& op = program_.code[i];
      if (splats[i] != nullptr || op.primitive != Primitive::kDiv || !IsFloat(op.type)) continue;
      const LaneId divisor = op.operands[1];
      if (!DividesSlowly() || splats[divisor] == nullptr) continue;
      if (uniform.divisors.contains(divisor)) continue;
      uniform.divisors.try_emplace(divisor, b_, emitter_, op.type, splats[divisor]);
    }
  }

  Value* Lower(size_t op, std::span<Value* const> values) {
    return halves_.IsConversion(op) ? halves_.Lower(b_, op, values)
                                    : emitter_.Lower(program_, program_.code[op], values);
  }

  // The same for the elements of an input with a number that is known: one for the row, or those
  // from an address on.
  void AddElementsAt(LaneId id, std::span<Value* const> inputs, InnerStride kind,
                     Uniform& uniform) {
    const LaneOp& op = program_.code[id];
    const InnerStride stride = input_strides_[op.input()];
    const bool is_one = stride == InnerStride::kOne;
    if (kind == InnerStride::kOne && !is_one) return;  // its rows are elsewhere
    Value* number = b_.CreateExtractElement(uniform.splats[op.operands[0]], std::uint64_t{0});
    Value* first = memory_.Address(program_.inputs[op.input()], inputs[op.input()],
                                   b_.CreateZExt(number, b_.getInt64Ty()));
    if (is_one || stride == InnerStride::kUniform) {
      uniform.splats[id] = memory_.LoadUniform(op, first);
    } else {
      uniform.firsts[id] = first;
    }
  }

  // Whether divisions take several times as long as what UniformQuotient makes of them.
  bool DividesSlowly() const { return vector_bytes_ == 64; }

  size_t NumStores() const { return program_.outputs.size() - spec_.folds.size(); }
  LaneType FoldType(size_t f) const { return program_.outputs[NumStores() + f].type; }

  // Where the lanes of output `o` begin in the results of the program.
  size_t ResultOf(size_t o) const {
    size_t result = 0;
    for (size_t k = 0; k < o; ++k) result += program_.outputs[k].num_parts;
    return result;
  }

  // Bodies at each of these indices in each row of the iteration; on the first `valid` lanes only
  // if that is not null. They advance in step, so that the processor finds work in all of them.
  void Bodies(std::span<Value* const> indices, Value* valid) {
    memory_.SetValid(valid);
    folds_.BeginBodies();
    std::vector<Body> bodies;
    for (Value* index : indices) {
      for (const Row& row : rows_) {
        bodies.push_back({&row, index, row.uniform.splats, {}});
        bodies.back().loaded.resize(program_.inputs.size());
      }
    }
    for (size_t i = 0; i < spec_.fetches.size() && valid == nullptr; ++i) {
      if (spec_.fetches[i] != LoopKernelSpec::kFetchesPlace) continue;
      const LaneArray& array = program_.inputs[i];
      for (const Body& body : bodies) {
        memory_.Fetch(memory_.Address(array, body.row->inputs[i], body.index), 0,
                      array.element_bytes() * static_cast<i64>(width_), /*to_write=*/true);
      }
    }
    for (size_t i = 0; i < program_.code.size(); ++i) {
      if (!Divide(program_.code[i], i, bodies)) {
        for (Body& body : bodies) Compute(program_.code[i], i, body);
      }
    }
    for (size_t k = 0; k < indices.size(); ++k) {
      columns_.clear();
      for (const Body& body : std::span(bodies).subspan(k * rows_.size(), rows_.size())) {
        Finish(body);
      }
      for (size_t f = 0; f < columns_.size(); ++f) {
        memory_.Store(program_.outputs[NumStores() + f], columns_[f],
                      rows_[0].outputs[NumStores() + f], indices[k]);
      }
    }
    folds_.EndBodies();
  }

  // Operation i, if it is a division by what is the same in the whole row.
  // Divides the vectors of all bodies of a row at once: they share one test of whether the fast way
  // is exact (uniform_quotient.cc).
  bool Divide(const LaneOp& op, size_t i, std::span<Body> bodies) {
    if (op.primitive != Primitive::kDiv || bodies[0].values[i] != nullptr) return false;
    for (const Row& row : rows_) {
      const auto divisor = row.uniform.divisors.find(op.operands[1]);
      if (divisor == row.uniform.divisors.end()) return false;
      std::vector<Value*> dividends;
      for (const Body& body : bodies) {
        if (body.row == &row) dividends.push_back(body.values[op.operands[0]]);
      }
      const std::vector<Value*> quotients = divisor->second.Divide(b_, emitter_, dividends);
      auto next = quotients.begin();
      for (Body& body : bodies) {
        if (body.row == &row) body.values[i] = *next++;
      }
    }
    return true;
  }

  void Compute(const LaneOp& op, size_t i, Body& body) {
    Value*& value = body.values[i];
    if (value != nullptr || !halves_.IsNeeded(i)) return;
    if (op.primitive == Primitive::kElement) {
      const auto& firsts = body.row->uniform.firsts;
      const auto first = firsts.find(static_cast<LaneId>(i));
      value = first == firsts.end()
                  ? memory_.LoadElements(op, body.values[op.operands[0]],
                                         body.row->inputs[op.input()], body.index,
                                         input_strides_[op.input()], inner_strides_[op.input()])
                  : LoadFrom(op, first->second, body.index);
    } else if (op.primitive != Primitive::kInput) {
      value = Lower(i, body.values);
    } else if (input_strides_[op.input()] == InnerStride::kPattern) {
      value = groups_.Load(op, body.row->inputs[op.input()], body.positions);
    } else if (input_strides_[op.input()] == InnerStride::kAny) {
      value = LoadFrom(op, body.row->inputs[op.input()], body.index);
    } else {
      value = Load(op, body);
    }
  }

  // Elements that are neighbours, or apart, from an address on.
  Value* LoadFrom(const LaneOp& op, Value* first, Value* index) {
    if (input_strides_[op.input()] == InnerStride::kAny) {
      return memory_.LoadApart(op, first, index, inner_strides_[op.input()]);
    }
    const LaneArray& array = program_.inputs[op.input()];
    return memory_.PartOf(array, memory_.LoadVector(array, first, index), op.part());
  }

  // Folds and stores.
  void Finish(const Body& body) {
    if (spec_.form == FoldForm::kRows) FoldIntoRow(body);
    if (spec_.form == FoldForm::kColumns) FoldIntoColumns(body);
    Store(body);
  }

  void Store(const Body& body) {
    std::map<size_t, std::vector<LaneGroups::Stored>> apart;  // by output that they go through
    size_t result = 0;
    for (size_t i = 0; i < NumStores(); ++i) {
      const LaneArray& array = program_.outputs[i];
      Value* value = body.values[program_.results[result]];
      if (array.num_parts == 2) {
        std::vector<int> interleaved;
        for (unsigned k = 0; k < width_; ++k) {
          interleaved.push_back(static_cast<int>(k));
          interleaved.push_back(static_cast<int>(k + width_));
        }
        value =
            b_.CreateShuffleVector(value, body.values[program_.results[result + 1]], interleaved);
      }
      if (IsGrouped() && groups_.IsApart(i)) {
        apart[groups_.StoredThrough(i)].emplace_back(i, value);
      } else {
        memory_.Store(array, value, body.row->outputs[i], body.index);
      }
      result += array.num_parts;
    }
    for (const auto& [through, outputs] : apart) {
      groups_.Store(outputs, body.row->outputs[through], body.positions);
    }
  }

  void FoldIntoRow(const Body& body) {
    const auto mask = [&] { return memory_.Mask(1); };
    for (size_t f = 0; f < spec_.folds.size(); ++f) {
      Value* x = FoldedValue(body, f);
      if (memory_.has_all()) {
        folds_.Fold(f, x, nullptr);
      } else {
        folds_.Fold(f, x, mask);
      }
    }
  }

  // The first row of an iteration loads the accumulators; Bodies stores them after the last one, so
  // the rows between work in registers.
  void FoldIntoColumns(const Body& body) {
    const size_t num_folds = spec_.folds.size();
    for (size_t f = columns_.size(); f < num_folds; ++f) {
      columns_.push_back(memory_.LoadVector(program_.outputs[NumStores() + f],
                                            rows_[0].outputs[NumStores() + f], body.index));
    }
    for (size_t f = 0; f < num_folds;) {
      if (const LaneProgram* reducer = spec_.folds[f].reducer) {
        Reduce(body, f, *reducer);
        f += reducer->outputs.size();
      } else {
        columns_[f] =
            emitter_.Join(spec_.folds[f].join, FoldType(f), columns_[f], FoldedValue(body, f));
        ++f;
      }
    }
  }
  Value* FoldedValue(const Body& body, size_t f) const {
    return body.values[program_.results[ResultOf(NumStores() + f)]];
  }

  // The accumulators from f on, as many as the reducer has, and the values that it joins them with.
  void Reduce(const Body& body, size_t f, const LaneProgram& reducer) {
    const size_t count = reducer.outputs.size();
    std::vector<Value*> values;
    for (const LaneOp& op : reducer.code) {
      if (op.primitive != Primitive::kInput) {
        values.push_back(emitter_.Lower(reducer, op, values));
      } else if (op.input() < count) {
        values.push_back(columns_[f + op.input()]);
      } else {
        values.push_back(FoldedValue(body, f + op.input() - count));
      }
    }
    for (size_t i = 0; i < count; ++i) columns_[f + i] = values[reducer.results[i]];
  }

  Value* Load(const LaneOp& op, Body& body) {
    const LaneArray& array = program_.inputs[op.input()];
    Value*& loaded = body.loaded[op.input()];
    if (loaded == nullptr) {
      Value* base = body.row->inputs[op.input()];
      const i64 distance = spec_.fetches.empty() ? 0 : spec_.fetches[op.input()];
      if (distance > 0 && memory_.has_all()) {
        memory_.Fetch(memory_.Address(array, base, body.index), distance,
                      array.element_bytes() * static_cast<i64>(width_), /*to_write=*/false);
      }
      loaded = memory_.LoadVector(array, base, body.index);
    }
    return memory_.PartOf(array, loaded, op.part());
  }

  const LoopKernelSpec& spec_;
  const LaneProgram& program_;
  const std::vector<InnerStride>& input_strides_;
  const std::uint64_t vector_bytes_;
  unsigned width_;  // lanes of a vector
  llvm::Module& module_;
  llvm::IRBuilder<> b_;
  LaneEmitter emitter_;
  HalfConversions halves_;
  LaneMemory memory_;
  RowFolds folds_;
  LaneGroups groups_;
  AccessChecks* checks_;  // or null
  llvm::Function* function_;
  Value* inner_;  // length of a row
  Value* outer_;  // number of rows
  std::vector<Value*> firsts_, outer_strides_, inner_strides_;
  Uniform of_all_rows_;
  std::vector<Row> rows_;  // the rows of the iteration
  // State of the bodies being written:
  std::vector<Value*> columns_;  // accumulators of folds of columns
};

}  // namespace

void EmitLoopKernel(const LoopKernelSpec& spec, const JitTarget& target, const std::string& name,
                    llvm::Module& module) {
  KernelWriter(spec, target, name, module).Write();
  if (target.is_emulated()) SetKernelOperands(*module.getFunction(name), OperandsOf(spec));
}

}  // namespace axle
