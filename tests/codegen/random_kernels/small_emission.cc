// As small_lowering.cc does it: inputs are loaded into vectors, and results are stored.
#include <llvm/IR/Module.h>

#include "axle/codegen/llvm/small_values.h"
#include "tests/codegen/random_kernels/emission.h"
#include "tests/codegen/random_kernels/reference.h"

namespace axle {
namespace {

using llvm::BasicBlock;
using llvm::Value;

class Writer {
 public:
  Writer(const RandomProgram& program, const JitTarget& target, const std::string& name,
         llvm::Module& module)
      : program_(program),
        lanes_(LanesOf(program)),
        target_(ForSmallValues(target)),
        b_(module.getContext()),
        builder_(b_, target_),
        values_(program.ops.size()) {
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy()}, /*isVarArg=*/false);
    function_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    const std::string bits = std::to_string(target_.vector_bytes * 8);
    function_->addFnAttr("prefer-vector-width", bits);
    function_->addFnAttr("min-legal-vector-width", bits);
  }

  void Write() {
    entry_ = NewBlock("entry");
    b_.SetInsertPoint(entry_);
    for (size_t i = 0; i < program_.ops.size(); ++i) {
      const KernelOp& op = program_.ops[i];
      if (op.kind == KernelOpKind::kInput) values_[i] = Load(op, NextPointer());
    }
    std::vector<Value*> results;
    for (size_t k = 0; k < program_.results.size(); ++k) results.push_back(NextPointer());
    turns_ = NextPointer();
    if (program_.loads_apart) Begin(NewBlock("begin"));
    for (size_t i = 0; i < program_.ops.size(); ++i) Add(i);
    for (size_t k = 0; k < results.size(); ++k) {
      const SmallValue& value = values_[program_.results[k]];
      builder_.Store(value, results[k], FirstElements(value.num_elements));
    }
    b_.CreateRetVoid();
  }

 private:
  BasicBlock* NewBlock(const char* name) {
    return BasicBlock::Create(b_.getContext(), name, function_);
  }
  void Begin(BasicBlock* block) {
    b_.CreateBr(block);
    b_.SetInsertPoint(block);
  }
  Value* NextPointer() {
    Value* address = b_.CreateConstGEP1_64(b_.getPtrTy(), function_->getArg(0), next_pointer_++);
    return b_.CreateAlignedLoad(b_.getPtrTy(), address, llvm::Align(8));
  }
  SmallValue Load(const KernelOp& op, Value* base) {
    return builder_.Load({op.type}, base, FirstElements(op.num_elements));
  }
  const SmallValue& Operand(const KernelOp& op, size_t k) { return values_[op.operands[k]]; }

  void Add(size_t i) {
    const KernelOp& op = program_.ops[i];
    switch (op.kind) {
      case KernelOpKind::kInput:
      case KernelOpKind::kState:
        break;
      case KernelOpKind::kNumbers:
        values_[i] = Numbers(op);
        break;
      case KernelOpKind::kConstant:
      case KernelOpKind::kPrimitive:
        values_[i] = Lowered(op, lanes_.code[i]);
        break;
      case KernelOpKind::kFloatBits:
        values_[i] = FloatBits(op);
        break;
      case KernelOpKind::kGather:
        values_[i] = Gathered(op);
        break;
      case KernelOpKind::kStored:
        values_[i] = Load(op, Place(Operand(op, 0)));
        break;
      case KernelOpKind::kUpdate:
        values_[i] = Updated(op);
        break;
      case KernelOpKind::kSlice: {
        const i64 most = Operand(op, 0).num_elements - op.num_elements;
        Value* place = Place(Operand(op, 0));
        values_[i] = Load(op, At(place, op, Operand(op, 1), most));
        break;
      }
      case KernelOpKind::kLoop:
        BeginLoop(i);
        break;
      case KernelOpKind::kNext:
        EndLoop(op);
    }
  }

  SmallValue Lowered(const KernelOp& op, const LaneOp& lane) {
    SmallValue result{{op.type}, op.num_elements, {}};
    LaneEmitter emitter = builder_.Emitter(op.num_elements);
    for (i64 v = 0; v < NumSmallVectors(op.num_elements); ++v) {
      std::vector<Value*> vectors(lanes_.code.size());
      for (size_t k = 0; k < op.operands.size(); ++k) {
        vectors[op.operands[k]] = Operand(op, k).vectors[0][static_cast<size_t>(v)];
      }
      result.vectors[0].push_back(emitter.Lower(lanes_, lane, vectors));
    }
    return result;
  }

  SmallValue FloatBits(const KernelOp& op) {
    const LaneType from = program_.ops[op.operands[0]].type;
    LaneProgram lanes;
    lanes.code = {{Primitive::kInput, from},
                  {Primitive::kEq, LaneType::kPred, {0, 0}},
                  {Primitive::kBitcast, op.type, {0}},
                  {Primitive::kConstant, op.type, {}, NanBits(from)},
                  {Primitive::kSelect, op.type, {1, 2, 3}}};
    SmallValue result{{op.type}, op.num_elements, {}};
    LaneEmitter emitter = builder_.Emitter(op.num_elements);
    for (Value* x : Operand(op, 0).vectors[0]) {
      std::vector<Value*> vectors = {x};
      for (size_t k = 1; k < lanes.code.size(); ++k) {
        vectors.push_back(emitter.Lower(lanes, lanes.code[k], vectors));
      }
      result.vectors[0].push_back(vectors.back());
    }
    return result;
  }

  SmallValue Numbers(const KernelOp& op) {
    Elements elements(static_cast<size_t>(op.num_elements * BytesOf(op.type)));
    for (i64 k = 0; k < op.num_elements; ++k) SetElement(op.type, elements, k, op.numbers[k]);
    return builder_.Constants({op.type}, op.num_elements, elements.data());
  }

  SmallValue Gathered(const KernelOp& op) {
    std::vector<ElementRef> refs(static_cast<size_t>(op.num_elements));
    for (size_t k = 0; k < op.operands.size(); ++k) refs[k] = {&Operand(op, k), op.elements[k]};
    return builder_.Gather({op.type}, refs);
  }

  // Memory that holds a value.
  Value* Place(const SmallValue& value) {
    llvm::IRBuilder<> at_entry(entry_, entry_->begin());
    const i64 bytes = value.num_elements * value.array.element_bytes();
    auto* place = at_entry.CreateAlloca(
        llvm::ArrayType::get(b_.getInt8Ty(), static_cast<std::uint64_t>(bytes)));
    place->setAlignment(llvm::Align(64));
    builder_.Store(value, place, FirstElements(value.num_elements));
    return place;
  }

  SmallValue Updated(const KernelOp& op) {
    const SmallValue& update = Operand(op, 1);
    Value* place = Place(Operand(op, 0));
    const i64 most = op.num_elements - update.num_elements;
    builder_.Store(update, At(place, op, Operand(op, 2), most), FirstElements(update.num_elements));
    return Load(op, place);
  }

  // The address of the element that a start index names, and at most of number `most`.
  Value* At(Value* place, const KernelOp& op, const SmallValue& start_index, i64 most) {
    Value* index = builder_.Element(start_index, 0);
    index = b_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, index,
                                     b_.getInt64(static_cast<std::uint64_t>(most)));
    const auto bytes = static_cast<std::uint64_t>(BytesOf(op.type));
    return b_.CreatePtrAdd(place, b_.CreateMul(index, b_.getInt64(bytes)));
  }

  void BeginLoop(size_t i) {
    const KernelOp& op = program_.ops[i];
    loop_ = i;
    BasicBlock* before = b_.GetInsertBlock();
    Value* turns = b_.CreateLoad(b_.getInt64Ty(),
                                 b_.CreateConstGEP1_64(b_.getInt64Ty(), turns_, op.immediate));
    head_ = NewBlock("head");
    Begin(head_);
    left_ = b_.CreatePHI(b_.getInt64Ty(), 2);
    left_->addIncoming(turns, before);
    for (size_t k = 0; k < op.operands.size(); ++k) {
      SmallValue state = Operand(op, k);
      for (Value*& vector : state.vectors[0]) {
        auto* phi = b_.CreatePHI(vector->getType(), 2);
        phi->addIncoming(vector, before);
        vector = phi;
      }
      values_[i + 1 + k] = std::move(state);
    }
    BasicBlock* body = NewBlock("body");
    behind_ = NewBlock("behind");
    b_.CreateCondBr(b_.CreateICmpEQ(left_, b_.getInt64(0)), behind_, body);
    b_.SetInsertPoint(body);
  }

  void EndLoop(const KernelOp& op) {
    left_->addIncoming(b_.CreateSub(left_, b_.getInt64(1)), b_.GetInsertBlock());
    for (size_t k = 0; k < op.operands.size(); ++k) {
      const std::vector<Value*>& phis = values_[loop_ + 1 + k].vectors[0];
      for (size_t v = 0; v < phis.size(); ++v) {
        llvm::cast<llvm::PHINode>(phis[v])->addIncoming(Operand(op, k).vectors[0][v],
                                                        b_.GetInsertBlock());
      }
    }
    b_.CreateBr(head_);
    b_.SetInsertPoint(behind_);
  }

  const RandomProgram& program_;
  const LaneProgram lanes_;
  const JitTarget target_;
  llvm::IRBuilder<> b_;
  SmallValueBuilder builder_;
  std::vector<SmallValue> values_;
  llvm::Function* function_ = nullptr;
  BasicBlock* entry_ = nullptr;
  std::uint64_t next_pointer_ = 0;
  Value* turns_ = nullptr;
  size_t loop_ = 0;  // the loop that is being written, and its blocks and turns left
  BasicBlock* head_ = nullptr;
  BasicBlock* behind_ = nullptr;
  llvm::PHINode* left_ = nullptr;
};

}  // namespace

void EmitSmallProgram(const RandomProgram& program, const JitTarget& target,
                      const std::string& name, llvm::Module& module) {
  Writer(program, target, name, module).Write();
}

}  // namespace axle
