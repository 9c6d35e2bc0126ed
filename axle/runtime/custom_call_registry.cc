#include "axle/runtime/custom_call_registry.h"

#include <algorithm>
#include <cstring>
#include <exception>

#include "axle/core/strings.h"

namespace axle {
namespace {

Status AlreadyExists(std::string message) {
  return {StatusCode::kAlreadyExists, std::move(message)};
}

// Bits of an element in a buffer: less than 8 where several share a byte.
int BufferBits(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  return type == PRED || info.bits >= 8 || 8 % info.bits != 0 ? info.bytes * 8 : info.bits;
}

i64 BufferBytes(const Shape& array) {
  const int bits = BufferBits(array.type());
  if (bits >= 8) return array.num_bytes();
  const i64 per_byte = 8 / bits;
  return array.num_elements() / per_byte + (array.num_elements() % per_byte != 0);
}

// One element per byte -> several; the first in the low bits.
void Pack(const std::byte* from, i64 count, int bits, std::byte* to) {
  const unsigned mask = (1u << bits) - 1;
  const i64 per_byte = 8 / bits;
  for (i64 i = 0; i < count; i += per_byte) {
    unsigned packed = 0;
    for (i64 k = 0; k < per_byte && i + k < count; ++k) {
      packed |= (std::to_integer<unsigned>(from[i + k]) & mask) << (k * bits);
    }
    *to++ = static_cast<std::byte>(packed);
  }
}

void Unpack(const std::byte* from, i64 count, ElementType type, std::byte* to) {
  const int bits = BufferBits(type);
  const unsigned mask = (1u << bits) - 1;
  const i64 per_byte = 8 / bits;
  for (i64 i = 0; i < count; ++i) {
    unsigned value = std::to_integer<unsigned>(from[i / per_byte]) >> (i % per_byte * bits) & mask;
    // The literal holds a signed number as a byte.
    if (IsSigned(type) && (value >> (bits - 1)) != 0) value |= 0xffu & ~mask;
    to[i] = static_cast<std::byte>(value);
  }
}

Status CheckBufferLayout(const Shape& array) {
  if (array.layout() == nullptr || array.layout()->tiles.empty()) return {};
  return Unimplemented(StrCat("tiled buffers; one is ", array.ToStringWithLayout()));
}

// The buffers of one call. Operands that lie right already are used where they are.
class CallBuffers {
 public:
  Status AddOperand(const Literal& operand, const Shape& shape) {
    if (shape.is_tuple()) {
      for (i64 i = 0; i < shape.num_tuple_elements(); ++i) {
        AXLE_TRY(AddOperand(operand.element(i), shape.element(i)));
      }
      return {};
    }
    if (!shape.is_array()) return {};
    AXLE_TRY(CheckBufferLayout(shape));
    Literal literal = operand;
    if (const Layout* layout = shape.layout(); layout != nullptr && !layout->is_default()) {
      literal = operand.Relayout(*layout);
    }
    if (const int bits = BufferBits(shape.type()); bits < 8) {
      AXLE_ASSIGN(auto packed, Literal::Create(Shape(U8, {BufferBytes(shape)})));
      Pack(literal.bytes(), literal.num_elements(), bits, packed.mutable_bytes());
      literal = std::move(packed);
    }
    // Functions do not write to operands, whatever the pointer's type lets them do.
    operands_.push_back({shape, const_cast<std::byte*>(literal.bytes()), BufferBytes(shape)});
    literals_.push_back(std::move(literal));
    return {};
  }

  Status AddResult(const Shape& shape) {
    if (shape.is_tuple()) {
      for (const Shape& element : shape.elements()) AXLE_TRY(AddResult(element));
    }
    if (!shape.is_array()) return {};
    AXLE_TRY(CheckBufferLayout(shape));
    const bool packed = BufferBits(shape.type()) < 8;
    AXLE_ASSIGN(Literal literal, Literal::Create(packed ? Shape(U8, {BufferBytes(shape)}) : shape));
    results_.push_back({shape, literal.mutable_bytes(), BufferBytes(shape)});
    literals_.push_back(std::move(literal));
    result_literals_.push_back(literals_.size() - 1);
    return {};
  }

  // The value in the result buffers, row-major.
  StatusOr<Literal> TakeResult(const Shape& shape) {
    size_t next = 0;
    return TakeResult(shape, next);
  }

  std::span<const CustomCallBuffer> operands() const { return operands_; }
  std::span<const CustomCallBuffer> results() const { return results_; }

 private:
  StatusOr<Literal> TakeResult(const Shape& shape, size_t& next) {
    if (shape.is_tuple()) {
      std::vector<Literal> elements;
      for (const Shape& element : shape.elements()) {
        AXLE_ASSIGN(elements.emplace_back(), TakeResult(element, next));
      }
      return Literal::Tuple(std::move(elements));
    }
    if (!shape.is_array()) return Literal(shape);
    Literal literal = std::move(literals_[result_literals_[next++]]);
    if (BufferBits(shape.type()) < 8) {
      AXLE_ASSIGN(auto unpacked, Literal::CreateUninitialized(shape));
      Unpack(literal.bytes(), shape.num_elements(), shape.type(), unpacked.mutable_bytes());
      literal = std::move(unpacked);
    }
    if (shape.type() == PRED) {  // any byte but 0 is true
      for (bool& element : literal.mutable_data<bool>()) {
        std::uint8_t byte = 0;
        std::memcpy(&byte, &element, 1);
        element = byte != 0;
      }
    }
    return literal.ToRowMajor();
  }

  std::vector<CustomCallBuffer> operands_, results_;
  std::vector<Literal> literals_;
  std::vector<size_t> result_literals_;
};

std::string_view ApiName(size_t kind) {
  constexpr std::string_view kNames[] = {"API_VERSION_ORIGINAL", "API_VERSION_STATUS_RETURNING",
                                         "API_VERSION_STATUS_RETURNING_UNIFIED",
                                         "API_VERSION_TYPED_FFI"};
  return kind < std::size(kNames) ? kNames[kind] : "no api_version";
}

Status FromCustomCallStatus(const XlaCustomCallStatus& status) {
  if (!status.failed) return {};
  return {StatusCode::kInternal, status.message};
}

}  // namespace

Status CustomCallRegistry::Add(std::string_view name, Target target) {
  if (name.empty()) return InvalidArgument("register: a custom-call target needs a name");
  if (!std::visit([](const auto& function) { return static_cast<bool>(function); }, target)) {
    return InvalidArgument(StrCat("register: custom-call target \"", name, "\" has no function"));
  }
  const std::lock_guard lock(mutex_);
  const auto [it, inserted] =
      targets_.try_emplace(std::string(name), std::make_shared<const Target>(std::move(target)));
  if (inserted) return {};
  return AlreadyExists(StrCat("register: custom-call target \"", name, "\" is registered already"));
}

Status CustomCallRegistry::Register(std::string_view name, Function function) {
  return Add(name, Target(std::in_place_index<0>, std::move(function)));
}

Status CustomCallRegistry::Register(std::string_view name, void (*function)(void*, void**)) {
  if (function == nullptr) return Register(name, Function());
  return Register(name, Function([function](void* out, const void** in) {
                    function(out, const_cast<void**>(in));
                  }));
}

Status CustomCallRegistry::RegisterStatusReturning(std::string_view name, StatusFunction function) {
  return Add(name, Target(std::in_place_index<1>, std::move(function)));
}

Status CustomCallRegistry::RegisterUnified(std::string_view name, UnifiedFunction function) {
  return Add(name, Target(std::in_place_index<2>, std::move(function)));
}

Status CustomCallRegistry::RegisterTyped(std::string_view name, TypedFunction function) {
  return Add(name, Target(std::in_place_index<3>, std::move(function)));
}

bool CustomCallRegistry::Contains(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  return targets_.contains(name);
}

std::vector<std::string> CustomCallRegistry::Names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, target] : targets_) names.push_back(name);
  return names;
}

StatusOr<Literal> CustomCallRegistry::Call(const CustomCallInvocation& invocation) const {
  std::shared_ptr<const Target> target;
  {
    const std::lock_guard lock(mutex_);
    const auto it = targets_.find(invocation.target);
    if (it == targets_.end()) return NotFound("no such target is registered");
    target = it->second;
  }
  const size_t asked = static_cast<size_t>(invocation.api_version) - 1;
  if (asked != target->index()) {
    return FailedPrecondition(StrCat("is registered for ", ApiName(target->index()),
                                     " but the program asks for ", ApiName(asked)));
  }
  CallBuffers buffers;
  for (size_t i = 0; i < invocation.operands.size(); ++i) {
    AXLE_TRY(buffers.AddOperand(invocation.operands[i], invocation.operand_shapes[i]));
  }
  AXLE_TRY(buffers.AddResult(*invocation.result_shape));
  std::vector<const void*> in;
  std::vector<void*> leaves;
  for (const CustomCallBuffer& operand : buffers.operands()) in.push_back(operand.data);
  for (const CustomCallBuffer& result : buffers.results()) leaves.push_back(result.data);
  // So that there are arrays and pointers even without buffers.
  in.push_back(nullptr);
  leaves.push_back(nullptr);
  void* const out = invocation.result_shape->is_tuple() ? leaves.data() : leaves[0];
  CustomCallAttributes attributes;
  if (invocation.api_version == CustomCallApi::kTyped) {
    AXLE_ASSIGN(attributes, invocation.Attributes());
  }
  XlaCustomCallStatus status;
  try {
    if (const auto* function = std::get_if<0>(target.get())) {
      (*function)(out, in.data());
    } else if (const auto* function = std::get_if<1>(target.get())) {
      (*function)(out, in.data(), &status);
    } else if (const auto* function = std::get_if<2>(target.get())) {
      (*function)(out, in.data(), invocation.backend_config.data(),
                  invocation.backend_config.size(), &status);
    } else if (const auto* function = std::get_if<3>(target.get())) {
      AXLE_TRY((*function)({invocation, attributes, buffers.operands(), buffers.results()}));
    }
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("the function is out of memory");
  } catch (const std::exception& error) {
    return Status(StatusCode::kInternal, StrCat("the function threw: ", error.what()));
  } catch (...) {
    return Status(StatusCode::kInternal, "the function threw something");
  }
  AXLE_TRY(FromCustomCallStatus(status));
  return buffers.TakeResult(*invocation.result_shape);
}

}  // namespace axle
