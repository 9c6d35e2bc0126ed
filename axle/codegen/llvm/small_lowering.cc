// How a small region becomes a function. The small inputs are loaded, the parts run one after the
// other on values in registers, and small outputs are stored. A loop is
//
//   head:  state, fuel = phi(init, next)
//          if fuel == 0: fuel = more(), return if that is negative
//          if !condition(state) goto behind
//          next = body(state); goto head
//
// Called computations are written inline at each place where they are called; small_regions.cc
// bounds the code that this makes.
//
// Large arrays are pointers. Those that a loop or an update writes are outputs of the region: if
// the output lies elsewhere than the input, it is filled with the input first. Inside of callees,
// an update writes where the state of the loop lies.
//
// All small inputs are loaded before anything is stored, so outputs may take the place of any small
// input (AddSmallInPlace). Folds and dots keep the order of docs/numerics.md for so few elements:
// chains, or 16 lanes from 16 elements of a row on.
#include "axle/codegen/llvm/small_lowering.h"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <unordered_map>

#include "axle/codegen/llvm/access_checks.h"
#include "axle/codegen/llvm/kernel_operands.h"
#include "axle/codegen/llvm/small_values.h"
#include "axle/codegen/schedule/dot_form.h"
#include "axle/ops/canonical_sum.h"
#include "axle/ops/lanes/lane_compiler.h"

namespace axle {
namespace {

using llvm::BasicBlock;
using llvm::Value;

class Writer {
 public:
  Writer(const Region& region, const Schedule& schedule, const JitTarget& target,
         const std::string& name, llvm::Module& module)
      : region_(region),
        schedule_(schedule),
        target_(ForSmallValues(target)),
        b_(module.getContext()),
        values_(b_, target_),
        checks_(target.checks) {
    llvm::Type* pointer = b_.getPtrTy();
    auto* type = llvm::FunctionType::get(b_.getInt32Ty(), {pointer, pointer}, /*isVarArg=*/false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    const std::string bits = std::to_string(target_.vector_bytes * 8);
    function_->addFnAttr("prefer-vector-width", bits);
    function_->addFnAttr("min-legal-vector-width", bits);
  }

  void Write() {
    entry_ = NewBlock("entry");
    b_.SetInsertPoint(entry_);
    BasicBlock* begin = NewBlock("begin");
    fuel_ = b_.CreateAlignedLoad(b_.getInt64Ty(), FuelField(0), llvm::Align(8));
    Frame frame(schedule_);
    Value* buffers = function_->getArg(1);
    size_t next = 0;
    const auto pointer = [&] {
      Value* address = b_.CreateConstGEP1_64(b_.getPtrTy(), buffers, next++);
      return b_.CreateAlignedLoad(b_.getPtrTy(), address, llvm::Align(8));
    };
    for (const RegionInput& input : region_.inputs) {
      frame.held[input.value] = FromMemory(schedule_.values[input.value], pointer());
    }
    std::vector<Value*> outputs;
    for (const ValueId output : region_.outputs) {
      outputs.push_back(pointer());
      if (!IsSmall(schedule_.values[output])) places_[output] = outputs.back();
    }
    BindConstants(frame, region_.small().constants);
    b_.CreateBr(begin);
    b_.SetInsertPoint(begin);
    frame.is_outermost = true;
    AddParts(frame, region_.small().parts);
    for (size_t o = 0; o < outputs.size(); ++o) {
      const Held& held = frame.held[region_.outputs[o]];
      if (held.memory == nullptr) {
        values_.Store(held.small, outputs[o], FirstElements(held.small.num_elements));
      } else {
        CopyTo(outputs[o], held.memory, schedule_.values[region_.outputs[o]].bytes);
      }
    }
    Return(kKernelOk);
    if (checks_ == nullptr) return;
    const size_t num_operands = region_.inputs.size() + region_.outputs.size();
    AddAccessChecks(*function_, {1, num_operands, large_constants_}, *checks_);
  }

 private:
  // A value of a schedule: in registers, or where it is in memory.
  struct Held {
    SmallValue small;
    Value* memory = nullptr;
    Value* origin = nullptr;  // where a small input was loaded from
  };
  struct Frame {
    explicit Frame(const Schedule& schedule) : schedule(schedule) {}
    const Schedule& schedule;
    std::unordered_map<ValueId, Held> held;
    bool is_outermost = false;
  };

  BasicBlock* NewBlock(const char* name) {
    return BasicBlock::Create(b_.getContext(), name, function_);
  }
  Value* FuelField(unsigned field) {
    return b_.CreateConstGEP1_64(b_.getInt64Ty(), function_->getArg(0), field);
  }
  void Return(int code) {
    b_.CreateAlignedStore(fuel_, FuelField(0), llvm::Align(8));
    b_.CreateRet(b_.getInt32(static_cast<std::uint32_t>(code)));
  }

  Held FromMemory(const axle::Value& value, Value* pointer) {
    if (!IsSmall(value)) return {{}, pointer, nullptr};
    return {values_.Load(value.array, pointer, FirstElements(value.num_elements())), nullptr,
            pointer};
  }

  void BindConstants(Frame& frame, std::span<const std::pair<ValueId, Literal>> constants) {
    for (const auto& [id, literal] : constants) {
      Held& held = frame.held[id];
      const axle::Value& value = frame.schedule.values[id];
      if (IsSmall(value)) {
        held.small = values_.Constants(value.array, value.num_elements(), literal.bytes());
      } else if (target_.is_emulated()) {  // there, addresses mean something else
        held.memory = values_.Variable(literal.bytes(), value.bytes);
      } else {
        large_constants_.emplace_back(literal.bytes(), value.bytes);
        held.memory = b_.CreateIntToPtr(
            b_.getInt64(reinterpret_cast<std::uintptr_t>(literal.bytes())), b_.getPtrTy());
      }
    }
  }

  void AddParts(Frame& frame, std::span<const Region> parts) {
    for (const Region& part : parts) {
      std::visit([&](const auto& payload) { AddPart(frame, part, payload); }, part.payload);
    }
  }
  void AddPart(Frame& frame, const Region& part, const LoopRegion& loop) {
    AddLoop(frame, part, loop);
  }
  void AddPart(Frame& frame, const Region& part, const MoveRegion&) { AddMove(frame, part); }
  void AddPart(Frame& frame, const Region& part, const ContractionRegion&) { AddDot(frame, part); }
  void AddPart(Frame& frame, const Region& part, const ControlRegion&) {
    if (part.kind == RegionKind::kWhile) {
      AddWhile(frame, part);
    } else if (part.kind == RegionKind::kConditional) {
      AddConditional(frame, part);
    } else {
      AddCall(frame, part);
    }
  }
  // These never are parts of small regions.
  void AddPart(Frame&, const Region&, const WholeValues&) {}
  void AddPart(Frame&, const Region&, const RowsRegion&) {}
  void AddPart(Frame&, const Region&, const SmallRegion&) {}

  // The elements of a value, in the order of these indices.
  SmallValue Read(const Held& held, const LaneArray& array, std::span<const i64> elements) {
    if (held.memory != nullptr) return values_.Load(array, held.memory, elements);
    std::vector<ElementRef> refs;
    for (const i64 element : elements) refs.push_back({&held.small, element});
    return values_.Gather(array, refs);
  }

  // There is no loop in the code: each vector of positions gets a copy of the program. Inputs are
  // gathered by their access into vectors of positions first.
  void AddLoop(Frame& frame, const Region& region, const LoopRegion& loop) {
    const LaneProgram& program = loop.program;
    const i64 n = loop.num_positions;
    std::vector<SmallValue> inputs;
    for (size_t i = 0; i < region.inputs.size(); ++i) {
      const RegionInput& input = region.inputs[i];
      inputs.push_back(Read(frame.held[input.value], program.inputs[i], ElementsOf(input.access)));
    }
    std::vector<SmallValue> outputs;
    for (const LaneArray& array : program.outputs) outputs.push_back({array, n, {}});
    LaneEmitter emitter = values_.Emitter(n);
    for (i64 v = 0; v < NumSmallVectors(n); ++v) {
      std::vector<Value*> code;
      for (const LaneOp& op : program.code) {
        const bool is_input = op.primitive == Primitive::kInput;
        code.push_back(is_input ? inputs[op.input()].vectors[op.part()][static_cast<size_t>(v)]
                                : emitter.Lower(program, op, code));
      }
      auto result = program.results.begin();
      for (SmallValue& output : outputs) {
        for (unsigned part = 0; part < output.array.num_parts; ++part) {
          output.vectors[part].push_back(code[*result++]);
        }
      }
    }
    const size_t num_stores = outputs.size() - loop.folds.size();
    for (size_t o = 0; o < outputs.size(); ++o) {
      SmallValue& held = frame.held[region.outputs[o]].small;
      held = o < num_stores ? std::move(outputs[o])
                            : FoldOf(outputs[o], loop.fold_shape, loop.folds[o - num_stores]);
    }
  }

  SmallValue Join(const Fold& fold, const SmallValue& a, const SmallValue& b) {
    LaneEmitter emitter = values_.Emitter(a.num_elements);
    SmallValue joined{a.array, a.num_elements, {}};
    for (size_t v = 0; v < a.vectors[0].size(); ++v) {
      joined.vectors[0].push_back(
          emitter.Join(PrimitiveOf(fold.kind), a.array.type, a.vectors[0][v], b.vectors[0][v]));
    }
    return joined;
  }

  // One after the other; 16 and more elements of a row in lanes: the order of canonical_sum.h for
  // less than 512 of them.
  SmallValue FoldOf(const SmallValue& x, const FoldShape& shape, const Fold& fold) {
    static_assert(kMaxSmallElements < 512);
    constexpr i64 kLanes = 16;
    const bool has_lanes = shape.columns == 1 && shape.reduced >= kLanes;
    const i64 width = has_lanes ? kLanes : shape.columns;  // elements that are joined at a time
    const i64 row_size = shape.reduced * shape.columns;
    // The elements that are joined next. The last step may have fewer.
    const auto step = [&](i64 first) {
      std::vector<ElementRef> refs;
      for (i64 row = 0; row < shape.rows; ++row) {
        for (i64 k = 0; k < width; ++k) {
          const bool is_there = first + k < row_size;
          refs.push_back(is_there ? ElementRef{&x, row * row_size + first + k} : ElementRef{});
        }
      }
      return values_.Gather(x.array, refs);
    };
    SmallValue all = step(0);
    for (i64 first = width; first < row_size; first += width) {
      const SmallValue joined = Join(fold, all, step(first));
      std::vector<ElementRef> refs;
      for (i64 row = 0; row < shape.rows; ++row) {
        for (i64 k = 0; k < width; ++k) {
          refs.push_back({first + k < row_size ? &joined : &all, row * width + k});
        }
      }
      all = values_.Gather(x.array, refs);
    }
    for (i64 half = kLanes / 2; has_lanes && half > 0; half /= 2) {
      std::vector<ElementRef> low, high;
      for (i64 row = 0; row < shape.rows; ++row) {
        for (i64 k = 0; k < half; ++k) {
          low.push_back({&all, row * 2 * half + k});
          high.push_back({&all, row * 2 * half + half + k});
        }
      }
      all = Join(fold, values_.Gather(x.array, low), values_.Gather(x.array, high));
    }
    if (!fold.has_init || fold.init_bits == IdentityBits(fold.kind, x.array.type)) return all;
    LaneEmitter emitter = values_.Emitter(all.num_elements);
    SmallValue init{all.array, all.num_elements, {}};
    init.vectors[0].assign(all.vectors[0].size(), emitter.Constant(x.array.type, fold.init_bits));
    return Join(fold, init, all);
  }

  // Rows of rhs are read once per batch and k and shared by the rows of the result. In canonical
  // order a chain begins at -0, so that it is exactly the first product, and is added to +0 at the
  // end.
  void AddDot(Frame& frame, const Region& region) {
    const SmallDot dot = *FindSmallDot(*region.instructions[0]);
    const axle::Value& value = frame.schedule.values[region.outputs[0]];
    const Held &lhs = frame.held[region.inputs[0].value], &rhs = frame.held[region.inputs[1].value];
    // A row of the result at a time, or all of it where rows are short.
    const bool by_rows = dot.num_columns > kMaxSmallNumbers;
    const i64 rows_at_once = by_rows ? 1 : dot.num_rows;
    std::map<std::pair<i64, i64>, SmallValue> rhs_rows;  // by batch and k
    std::vector<SmallValue> parts;
    for (i64 row = 0; row < dot.num_rows; row += rows_at_once) {
      SmallValue sum;
      for (i64 k = 0; k < dot.depth; ++k) {
        std::vector<i64> a, b;
        for (i64 r = row; r < row + rows_at_once; ++r) {
          for (i64 c = 0; c < dot.num_columns; ++c) {
            a.push_back(dot.lhs(r, k));
            b.push_back(dot.rhs(r, k, c));
          }
        }
        SmallValue& rhs_row = rhs_rows[{row / dot.rows_per_batch, k}];
        if (rhs_row.num_elements == 0) rhs_row = Read(rhs, value.array, b);
        // One element for all lanes costs nothing on the way from memory.
        const SmallValue factor = by_rows && lhs.origin != nullptr
                                      ? values_.Load(value.array, lhs.origin, a)
                                      : Read(lhs, value.array, a);
        sum = MultiplyAdd(factor, rhs_row, sum, dot.is_canonical);
      }
      if (dot.is_canonical) {
        LaneEmitter emitter = values_.Emitter(sum.num_elements);
        for (Value*& vector : sum.vectors[0]) {
          vector = emitter.Join(Primitive::kAdd, sum.array.type,
                                emitter.Constant(sum.array.type, 0), vector);
        }
      }
      parts.push_back(std::move(sum));
    }
    std::vector<ElementRef> refs;
    for (const SmallValue& part : parts) {
      for (i64 k = 0; k < part.num_elements; ++k) refs.push_back({&part, k});
    }
    frame.held[region.outputs[0]].small = values_.Gather(value.array, refs);
  }

  // fma(a, b, sum); an empty sum is zero.
  SmallValue MultiplyAdd(const SmallValue& a, const SmallValue& b, const SmallValue& sum,
                         bool from_negative_zero) {
    LaneEmitter emitter = values_.Emitter(a.num_elements);
    const LaneType type = a.array.type;
    const std::uint64_t sign = std::uint64_t{1} << (axle::BitsOf(type) - 1);
    SmallValue result{a.array, a.num_elements, {}};
    for (size_t v = 0; v < a.vectors[0].size(); ++v) {
      Value* before = sum.num_elements > 0 ? sum.vectors[0][v]
                                           : emitter.Constant(type, from_negative_zero ? sign : 0);
      result.vectors[0].push_back(emitter.Fma(a.vectors[0][v], b.vectors[0][v], before));
    }
    return result;
  }

  void AddMove(Frame& frame, const Region& region) {
    const ValueId output = region.outputs[0];
    const LaneArray& array = frame.schedule.values[output].array;
    if (!region.move().map) {
      const RegionInput& input = region.inputs[0];
      frame.held[output].small = Read(frame.held[input.value], array, ElementsOf(input.access));
    } else if (region.move().map->size() == 2 && !region.in_place.empty()) {
      AddUpdate(frame, region);
    } else if (region.move().map->size() == 1 && !(*region.move().map)[0].offsets.empty()) {
      AddDynamicRead(frame, region);
    } else {
      AddPieces(frame, region);
    }
  }

  static const Held& OperandOf(Frame& frame, const Region& move, int operand) {
    return frame.held[move.inputs[static_cast<size_t>(operand)].value];
  }
  static const Shape& ShapeOf(const Region& move, int operand) {
    return move.instructions[0]->operand(operand)->shape();
  }

  // Pieces whose places are known: later ones win.
  void AddPieces(Frame& frame, const Region& region) {
    const axle::Value& value = frame.schedule.values[region.outputs[0]];
    std::vector<SmallValue> read;
    read.reserve(region.move().map->size());
    std::vector<ElementRef> refs(static_cast<size_t>(value.num_elements()));
    for (const IndexPiece& piece : *region.move().map) {
      const PieceElements elements =
          ElementsOf(piece, region.instructions[0]->shape(), ShapeOf(region, piece.operand));
      read.push_back(Read(OperandOf(frame, region, piece.operand), value.array, elements.source));
      for (size_t k = 0; k < elements.result.size(); ++k) {
        refs[static_cast<size_t>(elements.result[k])] = {&read.back(), static_cast<i64>(k)};
      }
    }
    frame.held[region.outputs[0]].small = values_.Gather(value.array, refs);
  }

  // The offset that the index operands add to a linear index, in bytes.
  // Each index is clamped to [0, max] as a number of 64 bits with a sign. A u64 above the largest
  // s64 would turn negative, so it is cut down first.
  Value* OffsetOf(Frame& frame, const Region& region, const IndexPiece& piece,
                  const Shape& moved_in, i64 element_bytes) {
    const Dims strides = RowMajorStrides(moved_in.dims());
    Value* sum = b_.getInt64(0);
    for (const DynamicOffset& offset : piece.offsets) {
      const Dims index_strides = RowMajorStrides(ShapeOf(region, offset.operand).dims());
      i64 element = 0;
      for (size_t d = 0; d < offset.index.size(); ++d)
        element += offset.index[d] * index_strides[d];
      const ValueId id = region.inputs[static_cast<size_t>(offset.operand)].value;
      const LaneType type = frame.schedule.values[id].array.type;
      const SmallValue one = Read(frame.held[id], {type}, {{element}});
      Value* number = values_.Element(one, 0);
      if (type == LaneType::kU64) {
        number = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, number,
                                          b_.getInt64(std::numeric_limits<i64>::max()));
      } else if (type != LaneType::kS64) {
        number = IsSigned(type) ? b_.CreateSExt(number, b_.getInt64Ty())
                                : b_.CreateZExt(number, b_.getInt64Ty());
      }
      number = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, number, b_.getInt64(0));
      number = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, number,
                                        b_.getInt64(static_cast<std::uint64_t>(offset.max)));
      const i64 stride = strides[offset.dim] * element_bytes;
      sum =
          b_.CreateAdd(sum, b_.CreateMul(number, b_.getInt64(static_cast<std::uint64_t>(stride))));
    }
    return sum;
  }

  // The address of a value in memory. A value in registers is stored to the stack.
  Value* MemoryOf(const Held& held) {
    if (held.memory != nullptr) return held.memory;
    const i64 n = held.small.num_elements;
    llvm::IRBuilder<> at_entry(entry_, entry_->begin());
    auto* type = llvm::ArrayType::get(
        b_.getInt8Ty(), static_cast<std::uint64_t>(n * held.small.array.element_bytes()));
    auto* place = at_entry.CreateAlloca(type);
    place->setAlignment(llvm::Align(64));
    values_.Store(held.small, place, FirstElements(n));
    return place;
  }

  // Reads from memory at an offset that is known at run time; an array in registers is stored to
  // the stack first.
  void AddDynamicRead(Frame& frame, const Region& region) {
    const IndexPiece& piece = (*region.move().map)[0];
    const LaneArray& array = frame.schedule.values[region.outputs[0]].array;
    const Shape& source = ShapeOf(region, piece.operand);
    Value* memory = MemoryOf(OperandOf(frame, region, piece.operand));
    Value* first =
        b_.CreatePtrAdd(memory, OffsetOf(frame, region, piece, source, array.element_bytes()));
    const PieceElements elements = ElementsOf(piece, region.instructions[0]->shape(), source);
    std::vector<i64> in_order(elements.source.size());
    for (size_t k = 0; k < in_order.size(); ++k) {
      in_order[static_cast<size_t>(elements.result[k])] = elements.source[k];
    }
    frame.held[region.outputs[0]].small = values_.Load(array, first, in_order);
  }

  // An update: all of one operand, then another one somewhere in it.
  // A small array goes through memory on the stack, because its place is known at run time only; a
  // large one is changed where it lies.
  void AddUpdate(Frame& frame, const Region& region) {
    const IndexPiece &whole = (*region.move().map)[0], &piece = (*region.move().map)[1];
    const ValueId output = region.outputs[0];
    const axle::Value& value = frame.schedule.values[output];
    const Shape& shape = region.instructions[0]->shape();
    const PieceElements elements = ElementsOf(piece, shape, ShapeOf(region, piece.operand));
    const SmallValue update =
        Read(OperandOf(frame, region, piece.operand), value.array, elements.source);
    const Held& before = OperandOf(frame, region, whole.operand);
    Value* memory = MemoryOf(before);
    if (before.memory != nullptr) memory = PlaceFor(frame, output, memory, value.bytes);
    Value* first =
        b_.CreatePtrAdd(memory, OffsetOf(frame, region, piece, shape, value.array.element_bytes()));
    values_.Store(update, first, elements.result);
    if (before.memory != nullptr) {
      frame.held[output].memory = memory;
    } else {
      frame.held[output].small =
          values_.Load(value.array, memory, FirstElements(value.num_elements()));
    }
  }

  // The place where a large value is written that begins as a copy of what is at `source`. In a
  // callee, that is the state of the loop, which is updated in place.
  Value* PlaceFor(const Frame& frame, ValueId value, Value* source, i64 bytes) {
    if (!frame.is_outermost) return source;
    Value* place = places_.at(value);
    CopyTo(place, source, bytes);
    return place;
  }

  void CopyTo(Value* place, Value* source, i64 bytes) {
    BasicBlock *copy = NewBlock("copy"), *behind = NewBlock("behind");
    b_.CreateCondBr(b_.CreateICmpEQ(place, source), behind, copy);
    b_.SetInsertPoint(copy);
    b_.CreateMemCpy(place, llvm::Align(1), source, llvm::Align(1),
                    static_cast<std::uint64_t>(bytes));
    b_.CreateBr(behind);
    b_.SetInsertPoint(behind);
  }

  // The results of a computation on these arguments.
  std::vector<Held> Run(const Schedule& schedule, std::span<const Held> arguments) {
    Frame frame(schedule);
    for (size_t i = 0; i < arguments.size(); ++i) {
      frame.held[schedule.arguments[i]] = arguments[i];
    }
    BindConstants(frame, schedule.constants);
    AddParts(frame, schedule.regions);
    std::vector<Held> results;
    for (const ValueId result : schedule.results) results.push_back(frame.held[result]);
    return results;
  }

  static std::vector<Held> InputsOf(Frame& frame, const Region& region) {
    std::vector<Held> inputs;
    for (const RegionInput& input : region.inputs) inputs.push_back(frame.held[input.value]);
    return inputs;
  }

  void AddCall(Frame& frame, const Region& region) {
    const std::vector<Held> results = Run(*region.control().callees[0], InputsOf(frame, region));
    for (size_t k = 0; k < results.size(); ++k) frame.held[region.outputs[k]] = results[k];
  }

  // A value that has one form in each of the blocks that lead here; the phis are filled in later.
  struct Merge {
    SmallValue value;
    void AddIncoming(const SmallValue& from, BasicBlock* block) {
      for (unsigned part = 0; part < 2; ++part) {
        for (size_t v = 0; v < value.vectors[part].size(); ++v) {
          llvm::cast<llvm::PHINode>(value.vectors[part][v])
              ->addIncoming(from.vectors[part][v], block);
        }
      }
    }
  };
  Merge NewMerge(const axle::Value& value) {
    Merge merge{{value.array, value.num_elements(), {}}};
    llvm::Type* type = values_.VectorType(value.array, value.num_elements());
    for (unsigned part = 0; part < value.array.num_parts; ++part) {
      for (i64 v = 0; v < NumSmallVectors(value.num_elements()); ++v) {
        merge.value.vectors[part].push_back(b_.CreatePHI(type, 2));
      }
    }
    return merge;
  }

  // State that the body changes is a phi; state that it hands on, and large arrays, are the same in
  // each iteration. Condition and body are written once, with the phis as their arguments.
  void AddWhile(Frame& frame, const Region& region) {
    const Schedule &condition = *region.control().callees[0], &body = *region.control().callees[1];
    std::vector<Held> state = InputsOf(frame, region);
    const auto large_outputs = *LargeOutputs(frame.schedule, region);
    for (const LargeOutput& large : large_outputs) {
      const ValueId output = region.outputs[large.output];
      if (!large.is_written) continue;
      Value*& memory = state[large.input].memory;
      memory = PlaceFor(frame, output, memory, frame.schedule.values[output].bytes);
    }
    BasicBlock* before = b_.GetInsertBlock();
    BasicBlock *head = NewBlock("head"), *enter = NewBlock("enter"), *behind = NewBlock("behind");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    auto* fuel = b_.CreatePHI(b_.getInt64Ty(), 2);
    fuel->addIncoming(fuel_, before);
    fuel_ = fuel;
    std::vector<std::pair<size_t, Merge>> merges;  // by number in the state
    for (size_t k = 0; k < state.size(); ++k) {
      const axle::Value& value = body.values[body.arguments[k]];
      if (state[k].memory != nullptr || body.results[k] == body.arguments[k]) continue;
      Merge& merge = merges.emplace_back(k, NewMerge(value)).second;
      merge.AddIncoming(state[k].small, before);
      state[k] = {merge.value};
    }
    BurnFuel();
    const Held pred = Run(condition, state)[0];
    b_.CreateCondBr(values_.Element(pred.small, 0), enter, behind);
    Value* fuel_behind = fuel_;

    b_.SetInsertPoint(enter);
    const std::vector<Held> next = Run(body, state);
    fuel->addIncoming(fuel_, b_.GetInsertBlock());
    for (auto& [k, merge] : merges) merge.AddIncoming(next[k].small, b_.GetInsertBlock());
    b_.CreateBr(head);

    b_.SetInsertPoint(behind);
    fuel_ = fuel_behind;
    for (size_t k = 0; k < state.size(); ++k) frame.held[region.outputs[k]] = state[k];
  }

  // Takes one unit of fuel, or asks for more. The branch is marked as unlikely, so that the common
  // way falls through.
  void BurnFuel() {
    BasicBlock* before = b_.GetInsertBlock();
    BasicBlock *fill = NewBlock("fill"), *stop = NewBlock("stop"), *go = NewBlock("go");
    llvm::MDNode* seldom = llvm::MDBuilder(b_.getContext()).createBranchWeights(1, 1000);
    b_.CreateCondBr(b_.CreateICmpEQ(fuel_, b_.getInt64(0)), fill, go, seldom);
    b_.SetInsertPoint(fill);
    auto* type = llvm::FunctionType::get(b_.getInt64Ty(), {b_.getPtrTy()}, /*isVarArg=*/false);
    Value* more = b_.CreateAlignedLoad(b_.getPtrTy(), FuelField(1), llvm::Align(8));
    Value* filled = b_.CreateCall(type, more, {function_->getArg(0)});
    b_.CreateCondBr(b_.CreateICmpSLT(filled, b_.getInt64(0)), stop, go);
    b_.SetInsertPoint(stop);
    b_.CreateRet(b_.getInt32(kKernelFailed));
    b_.SetInsertPoint(go);
    auto* fuel = b_.CreatePHI(b_.getInt64Ty(), 2);
    fuel->addIncoming(fuel_, before);
    fuel->addIncoming(filled, fill);
    fuel_ = b_.CreateSub(fuel, b_.getInt64(1));
  }

  // An index out of range goes to the last branch, as XLA defines it: that is the default of the
  // switch.
  void AddConditional(Frame& frame, const Region& region) {
    const std::vector<Held> inputs = InputsOf(frame, region);
    const size_t num_branches = region.control().callees.size();
    Value* index = values_.Element(inputs[0].small, 0);
    BasicBlock* behind = NewBlock("behind");
    std::vector<BasicBlock*> branches;
    for (size_t i = 0; i < num_branches; ++i) branches.push_back(NewBlock("branch"));
    if (inputs[0].small.array.type == LaneType::kPred) {
      b_.CreateCondBr(index, branches[0], branches[1]);
    } else {
      auto* choice = b_.CreateSwitch(index, branches.back());
      for (size_t i = 0; i + 1 < num_branches; ++i) {
        choice->addCase(b_.getInt32(static_cast<std::uint32_t>(i)), branches[i]);
      }
    }
    b_.SetInsertPoint(behind);
    auto* fuel = b_.CreatePHI(b_.getInt64Ty(), static_cast<unsigned>(num_branches));
    std::vector<Merge> merges;
    for (const ValueId output : region.outputs) {
      merges.push_back(NewMerge(frame.schedule.values[output]));
    }
    Value* fuel_before = fuel_;
    size_t next = 1;
    for (size_t i = 0; i < num_branches; ++i) {
      b_.SetInsertPoint(branches[i]);
      fuel_ = fuel_before;
      const size_t count = region.control().callees[i]->arguments.size();
      const std::vector<Held> results =
          Run(*region.control().callees[i], std::span(inputs).subspan(next, count));
      next += count;
      fuel->addIncoming(fuel_, b_.GetInsertBlock());
      for (size_t k = 0; k < merges.size(); ++k) {
        merges[k].AddIncoming(results[k].small, b_.GetInsertBlock());
      }
      b_.CreateBr(behind);
    }
    b_.SetInsertPoint(behind);
    fuel_ = fuel;
    for (size_t k = 0; k < merges.size(); ++k) {
      frame.held[region.outputs[k]].small = merges[k].value;
    }
  }

  const Region& region_;
  const Schedule& schedule_;
  const JitTarget target_;
  llvm::IRBuilder<> b_;
  SmallValueBuilder values_;
  AccessChecks* checks_;  // or null
  llvm::Function* function_;
  BasicBlock* entry_ = nullptr;                 // block of loads and of memory on the stack
  Value* fuel_ = nullptr;                       // the fuel that is left
  std::unordered_map<ValueId, Value*> places_;  // places of large outputs
  std::vector<std::pair<const std::byte*, i64>> large_constants_;
};

}  // namespace

void EmitSmallKernel(const Region& region, const Schedule& schedule, const JitTarget& target,
                     const std::string& name, llvm::Module& module) {
  Writer(region, schedule, target, name, module).Write();
  if (target.is_emulated()) {
    SetKernelOperands(*module.getFunction(name), OperandsOf(region, schedule));
  }
}

}  // namespace axle
