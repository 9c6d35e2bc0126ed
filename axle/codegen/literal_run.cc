#include "axle/codegen/literal_run.h"

#include <cstring>
#include <memory>

#include "axle/core/storage.h"
#include "axle/core/strings.h"

namespace axle {
namespace {

// The arguments and results of one call as blocks.
class Call {
 public:
  explicit Call(const CompiledComputation& compiled) : compiled_(compiled) {}

  StatusOr<Literal> Run(std::span<Literal> arguments, HostRun& run) {
    const auto parameters = compiled_.computation->parameters();
    AXLE_INVARIANT(arguments.size() == parameters.size(),
                   "a callee's arguments are its parameters");
    for (size_t i = 0; i < arguments.size(); ++i) {
      AXLE_TRY(CheckSizes(*parameters[i], static_cast<i64>(i), arguments[i]));
      AddArgument(parameters[i]->shape(), arguments[i]);
    }
    AXLE_ASSIGN(Literal result, MakeResult(compiled_.computation->root()->shape()));
    blocks_.insert(blocks_.end(), own_results_.begin(), own_results_.end());
    AXLE_TRY(RunInFrame(run));
    size_t sizes = 0;
    SetSizes(result, sizes);
    return result;
  }

 private:
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

  // Of an argument whose literal is not full. A static parameter takes no padding.
  Status CheckSizes(const Instruction& parameter, i64 number, Literal& argument) const {
    if (!argument.is_padded()) return {};
    argument.SetDynamicFlags(parameter.shape());
    if (EqualIgnoringLayout(argument.shape(), parameter.shape())) return {};
    return InvalidArgument(StrCat("execute: parameter ", number, " \"", parameter.name(),
                                  "\" of \"", compiled_.computation->name(), "\" is ",
                                  parameter.shape().ToString(), " but gets ",
                                  argument.ShapeToString(), " at run time"));
  }

  Status NoMemory() const {
    const i64 bytes = compiled_.program->frame_bytes;
    Status status = CheckStorage(bytes);
    const std::string what = StrCat("the values of \"", compiled_.computation->name(), "\" need ",
                                    bytes, " bytes, the most at \"", compiled_.peak, "\"");
    if (status.ok()) return ResourceExhausted(StrCat("execute: no memory: ", what));
    return {status.code(), StrCat(status.message(), ": ", what)};
  }

  void AddArgument(const Shape& shape, Literal& argument) {
    if (shape.is_tuple()) {
      for (i64 i = 0; i < shape.num_tuple_elements(); ++i) {
        AddArgument(shape.element(i), argument.mutable_elements()[i]);
      }
    } else if (shape.is_array()) {
      // A program writes to nothing that it only reads.
      blocks_.push_back(const_cast<std::byte*>(argument.bytes()));
      leaves_.push_back(&argument);
      if (shape.is_static()) return;
      blocks_.push_back(sizes_.emplace_back(std::make_unique<Dims>(argument.sizes()))->data());
      leaves_.push_back(nullptr);
    }
  }

  StatusOr<Literal> MakeResult(const Shape& shape) {
    if (shape.is_tuple()) {
      std::vector<Literal> elements;
      for (i64 i = 0; i < shape.num_tuple_elements(); ++i) {
        AXLE_ASSIGN(Literal element, MakeResult(shape.element(i)));
        elements.push_back(std::move(element));
      }
      return Literal::Tuple(std::move(elements));
    }
    if (!shape.is_array()) return Literal::Create(shape);
    const std::int32_t argument = compiled_.blocks.argument_of_result[next_result_++];
    Literal result;
    if (argument >= 0 && leaves_[argument]->is_unique()) {
      result = leaves_[argument]->WithShape(shape.WithoutLayout());
      *leaves_[argument] = Literal();
    } else {
      AXLE_ASSIGN(result, Literal::CreateUninitialized(shape.WithoutLayout()));
      if (argument >= 0) {
        std::byte* const bytes = result.mutable_bytes();
        std::memcpy(bytes, blocks_[argument], result.num_bytes());
        blocks_[argument] = bytes;
      }
    }
    if (argument < 0) own_results_.push_back(result.mutable_bytes());
    if (!shape.is_static()) {
      ++next_result_;
      own_results_.push_back(
          result_sizes_.emplace_back(std::make_unique<Dims>(shape.rank()))->data());
    }
    return result;
  }

  void SetSizes(Literal& result, size_t& next) const {
    if (result.shape().is_tuple()) {
      for (Literal& element : result.mutable_elements()) SetSizes(element, next);
    } else if (result.shape().is_array() && !result.shape().is_static()) {
      const Dims& sizes = *result_sizes_[next++];
      for (i64 d = 0; d < result.shape().rank(); ++d) {
        if (result.shape().is_dynamic(d)) result.SetSize(d, sizes[d]);
      }
    }
  }

  const CompiledComputation& compiled_;
  std::vector<void*> blocks_;
  std::vector<Literal*> leaves_;  // by block of the arguments; null for sizes
  std::vector<std::unique_ptr<Dims>> sizes_, result_sizes_;
  std::vector<void*> own_results_;
  size_t next_result_ = 0;
};

}  // namespace

StatusOr<Literal> RunOnLiterals(const CompiledComputation& compiled, std::span<Literal> arguments,
                                HostRun& run) {
  return Call(compiled).Run(arguments, run);
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
      if (shape.is_dynamic(d)) view.SetSize(d, sizes[d]);
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
    if (to != literal.bytes()) std::memcpy(to, literal.bytes(), literal.num_bytes());
    if (shape.is_static()) return;
    auto* const sizes = static_cast<i64*>(*blocks++);
    for (i64 d = 0; d < shape.rank(); ++d) sizes[d] = literal.size(d);
  }
}

}  // namespace axle
