// How a call on literals becomes a run of a program on blocks. A block is a pointer to an array,
// depth first through tuples, followed by one to its sizes if the array has dynamic dimensions:
//
//   parameters (f32[4], s32[<=8]), result f32[4]:   {p0, p1, sizes of p1, result}
//
// The literal of the result is made before the run, and its own memory is the block, so nothing is
// copied afterwards. A result that replaces an argument takes over the argument's literal if nobody
// else holds it, or a copy. A frame of up to 4 KiB lies on the stack.
//
// A small program should not wait for allocations: short lists of blocks lie on the stack
// (StackArray), and all that depends on the shapes alone is worked out once (LiteralCall).
#include "axle/codegen/steps/literal_run.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "axle/core/stack_array.h"
#include "axle/core/storage.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// The arguments and results of one call as blocks.
class Call {
 public:
  explicit Call(const CompiledComputation& compiled)
      : compiled_(compiled),
        blocks_(compiled.call.num_argument_blocks + compiled.call.num_result_blocks),
        leaves_(compiled.call.replaces_arguments ? compiled.call.num_argument_blocks : 0),
        next_own_result_(compiled.call.num_argument_blocks) {}

  StatusOr<Literal> Run(std::span<const Argument> arguments, HostRun& run) {
    AXLE_TRY(SetArguments(arguments));
    return RunAndMakeResult(run);
  }

 private:
  Status SetArguments(std::span<const Argument> arguments) {
    const auto parameters = compiled_.computation->parameters();
    AXLE_INVARIANT(arguments.size() == parameters.size(),
                   "a callee's arguments are its parameters");
    for (size_t i = 0; i < arguments.size(); ++i) {
      AXLE_TRY(CheckSizes(*parameters[i], static_cast<i64>(i), *arguments[i].value));
      AddArgument(parameters[i]->shape(), *arguments[i].value, arguments[i].own);
    }
    return {};
  }

  // Here and below there is one variable to return: moving a literal costs much in a small run.
  StatusOr<Literal> RunAndMakeResult(HostRun& run) {
    StatusOr<Literal> result = MakeResult(compiled_.call.result);
    Status status = result.ok() ? RunInFrame(run) : NoMemoryForResult(result.status());
    if (!status.ok()) {
      result = std::move(status);
    } else if (compiled_.call.has_dynamic_result) {
      size_t sizes = 0;
      SetSizes(*result, sizes);
    }
    return result;
  }

  Status RunInFrame(HostRun& run) {
    const Program& program = *compiled_.program;
    constexpr i64 kSmallFrame = 4096;
    if (program.frame_bytes <= kSmallFrame) {
      alignas(kPlaceAlignment) std::byte frame[kSmallFrame];
      return Execute(program, frame, blocks_.data(), run);
    }
    if (!CheckStorage(program.frame_bytes).ok()) return NoMemory();
    std::byte* frame = nullptr;
    const std::shared_ptr<std::byte> memory =
        AllocateStorage(program.frame_bytes, /*zeroed=*/false, &frame);
    return memory == nullptr ? NoMemory() : Execute(program, frame, blocks_.data(), run);
  }

  // Checks an argument whose literal is not full. A static parameter takes no padding.
  Status CheckSizes(const Instruction& parameter, i64 number, const Literal& argument) const {
    if (!argument.is_padded()) return {};
    Literal flagged = argument;
    flagged.SetDynamicFlags(parameter.shape());
    if (EqualIgnoringLayout(flagged.shape(), parameter.shape())) return {};
    return InvalidArgument(StrCat("execute: parameter ", number, " \"", parameter.name(),
                                  "\" of \"", compiled_.computation->name(), "\" is ",
                                  parameter.shape().ToString(), " but gets ",
                                  flagged.ShapeToString(), " at run time"));
  }

  Status NoMemory() const {
    const i64 bytes = compiled_.program->frame_bytes;
    Status status = CheckStorage(bytes);
    const std::string what = StrCat("the values of \"", compiled_.computation->name(), "\" need ",
                                    bytes, " bytes, the most at \"", compiled_.peak, "\"");
    if (status.ok()) return ResourceExhausted(StrCat("execute: no memory: ", what));
    return {status.code(), StrCat(status.message(), ": ", what)};
  }

  Status NoMemoryForResult(const Status& status) const {
    return {status.code(),
            StrCat(status.message(), ": the result \"", compiled_.computation->root()->name(),
                   "\" of \"", compiled_.computation->name(), "\"")};
  }

  void AddArgument(const Shape& shape, const Literal& argument, Literal* own) {
    if (shape.is_tuple()) {
      for (i64 i = 0; i < shape.num_tuple_elements(); ++i) {
        AddArgument(shape.element(i), argument.element(i),
                    own == nullptr ? nullptr : &own->mutable_elements()[i]);
      }
    } else if (shape.is_array()) {
      // A program writes to nothing that it only reads.
      AddBlock(const_cast<std::byte*>(argument.bytes()), {&argument, own});
      if (shape.is_static()) return;
      AddBlock(sizes_.emplace_back(std::make_unique<Dims>(argument.sizes()))->data(), {});
    }
  }

  void AddBlock(void* block, Argument leaf) {
    blocks_[next_argument_] = block;
    if (leaves_.size() > 0) leaves_[next_argument_] = leaf;
    ++next_argument_;
  }

  StatusOr<Literal> MakeResult(const Shape& shape) {
    if (shape.is_tuple()) {
      std::vector<Literal> elements;
      elements.reserve(shape.elements().size());
      for (const Shape& element_shape : shape.elements()) {
        AXLE_ASSIGN(Literal element, MakeResult(element_shape));
        elements.push_back(std::move(element));
      }
      return Literal::Tuple(std::move(elements));
    }
    return shape.is_array() ? MakeArray(shape) : Literal::Create(shape);
  }

  // The memory of the literal is the block of the result, whether it is new or an argument's.
  StatusOr<Literal> MakeArray(const Shape& shape) {
    const std::int32_t argument = compiled_.blocks.argument_of_result[next_result_++];
    StatusOr<Literal> result = argument < 0
                                   ? Literal::CreateUninitializedArray(shape, shape.num_bytes())
                                   : ReplaceArgument(shape, argument);
    if (!result.ok()) return result;
    if (argument < 0) blocks_[next_own_result_++] = result->mutable_bytes();
    if (!shape.is_static()) {
      ++next_result_;
      blocks_[next_own_result_++] =
          result_sizes_.emplace_back(std::make_unique<Dims>(shape.rank()))->data();
    }
    return result;
  }

  // The literal of an argument, or a copy of it if others look at it.
  StatusOr<Literal> ReplaceArgument(const Shape& shape, std::int32_t argument) {
    const Argument& leaf = leaves_[argument];
    if (leaf.own != nullptr && leaf.own->is_unique()) {
      Literal result = leaf.own->WithShape(shape);
      *leaf.own = Literal();
      return result;
    }
    AXLE_ASSIGN(Literal result, Literal::CreateUninitialized(shape));
    std::byte* const bytes = result.mutable_bytes();
    std::memcpy(bytes, blocks_[argument], result.num_bytes());
    blocks_[argument] = bytes;
    return result;
  }

  void SetSizes(Literal& result, size_t& next) const {
    if (result.shape().is_tuple()) {
      for (Literal& element : result.mutable_elements()) SetSizes(element, next);
    } else if (result.shape().is_array() && !result.shape().is_static()) {
      const Dims& sizes = *result_sizes_[next++];
      for (i64 d = 0; d < result.shape().rank(); ++d) {
        if (result.shape().is_dynamic(d)) result.SetSizeBeforeFlags(d, sizes[d]);
      }
    }
  }

  const CompiledComputation& compiled_;
  const StackArray<void*, 24> blocks_;     // the arguments', then those of results of their own
  const StackArray<Argument, 24> leaves_;  // by block of the arguments; null for sizes
  std::vector<std::unique_ptr<Dims>> sizes_, result_sizes_;
  size_t next_argument_ = 0, next_own_result_, next_result_ = 0;
};

}  // namespace

LiteralCall PlanLiteralCall(const HloComputation& computation, const BlockUse& blocks) {
  LiteralCall call;
  call.result = computation.root()->shape().WithoutLayout();
  for (const Instruction* parameter : computation.parameters()) {
    call.num_argument_blocks += static_cast<size_t>(NumBlocks(parameter->shape()));
  }
  call.num_result_blocks = static_cast<size_t>(std::ranges::count(blocks.argument_of_result, -1));
  call.has_dynamic_result = !call.result.is_static();
  call.replaces_arguments = call.num_result_blocks < blocks.argument_of_result.size();
  return call;
}

StatusOr<Literal> RunOnLiterals(const CompiledComputation& compiled,
                                std::span<const Argument> arguments, HostRun& run) {
  return Call(compiled).Run(arguments, run);
}

StatusOr<Literal> RunOnLiterals(const CompiledComputation& compiled, std::span<Literal> arguments,
                                HostRun& run) {
  const StackArray<Argument, 16> own(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) own[i] = {&arguments[i], &arguments[i]};
  return RunOnLiterals(compiled, std::span<const Argument>(own.begin(), own.end()), run);
}

Literal ViewOfBlocks(const Shape& shape, void* const*& blocks) {
  if (shape.is_tuple()) {
    std::vector<Literal> elements;
    for (const Shape& element : shape.elements()) elements.push_back(ViewOfBlocks(element, blocks));
    return Literal::Tuple(std::move(elements));
  }
  if (!shape.is_array()) return Literal(shape);
  Literal view = Literal::View(shape.WithoutLayout(), *blocks++);
  if (!shape.is_static()) {
    const auto* const sizes = static_cast<const i64*>(*blocks++);
    for (i64 d = 0; d < shape.rank(); ++d) {
      if (shape.is_dynamic(d)) view.SetSizeBeforeFlags(d, sizes[d]);
    }
  }
  return view;
}

void CopyToBlocks(const Literal& literal, const Shape& shape, void* const*& blocks) {
  if (shape.is_tuple()) {
    for (i64 i = 0; i < shape.num_tuple_elements(); ++i) {
      CopyToBlocks(literal.element(i), shape.element(i), blocks);
    }
  } else if (shape.is_array()) {
    void* const to = *blocks++;
    const bool is_elsewhere = to != literal.bytes() && literal.num_bytes() > 0;  // or null
    if (is_elsewhere) std::memcpy(to, literal.bytes(), literal.num_bytes());
    if (shape.is_static()) return;
    auto* const sizes = static_cast<i64*>(*blocks++);
    for (i64 d = 0; d < shape.rank(); ++d) sizes[d] = literal.size(d);
  }
}

}  // namespace axle
