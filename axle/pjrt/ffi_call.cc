// Call frames. A frame borrows the buffers of the call; everything else that it points to lies in
// vectors that were given their size before the first pointer into them was taken.
//
// Attributes come as the text of a dictionary, {x = 1 : i64, names = array<i32: 1, 2>}. A scalar is
// passed as its written type says (i64 for an integer and f32 for a float without one), true and
// false as PRED, a list of numbers as an array of the type of its elements, and texts and
// dictionaries as they are.
#include <algorithm>
#include <cstring>
#include <deque>

#include "axle/core/convert.h"
#include "axle/core/strings.h"
#include "axle/pjrt/ffi.h"

namespace axle::pjrt {
namespace {

// The element type of a written one: "i32", "ui8", "f64", "i1".
std::optional<ElementType> TypeNamed(std::string_view name) {
  constexpr std::pair<std::string_view, ElementType> kNames[] = {
      {"i1", PRED},  {"i8", S8},    {"i16", S16},  {"i32", S32}, {"i64", S64},   {"ui8", U8},
      {"ui16", U16}, {"ui32", U32}, {"ui64", U64}, {"f16", F16}, {"bf16", BF16}, {"f32", F32},
      {"f64", F64},  {"u8", U8},    {"u16", U16},  {"u32", U32}, {"u64", U64},   {"s8", S8},
      {"s16", S16},  {"s32", S32},  {"s64", S64}};
  for (const auto& [text, type] : kNames) {
    if (text == name) return type;
  }
  return std::nullopt;
}

// Everything that the attributes of a frame point to. Deques, since their elements stay where they
// are.
class AttributeStore {
 public:
  StatusOr<XLA_FFI_Attrs> Dictionary(CustomCallAttribute::List list) {
    std::ranges::sort(list, {}, &CustomCallAttribute::name);
    std::vector<int>& types = types_.emplace_back();
    std::vector<void*>& values = pointers_.emplace_back();
    std::vector<XLA_FFI_ByteSpan*>& names = names_.emplace_back();
    for (CustomCallAttribute& attribute : list) {
      const std::string& name = texts_.emplace_back(std::move(attribute.name));
      names.push_back(&spans_.emplace_back(XLA_FFI_ByteSpan{name.data(), name.size()}));
      AXLE_ASSIGN(const Value value, Attribute(name, attribute));
      types.push_back(value.type);
      values.push_back(value.data);
    }
    XLA_FFI_Attrs attrs = {};
    attrs.struct_size = sizeof(attrs);
    attrs.size = static_cast<int64_t>(types.size());
    attrs.types = types.data();
    attrs.names = names.data();
    attrs.attrs = values.data();
    return attrs;
  }

 private:
  struct Value {
    int type;
    void* data;
  };

  StatusOr<Value> Attribute(std::string_view name, CustomCallAttribute& attribute) {
    if (auto* text = std::get_if<std::string>(&attribute.value); text != nullptr) {
      if (attribute.type == "?") {
        return Unimplemented(StrCat("ffi: attribute \"", name, "\" is ", *text,
                                    ": numbers, texts, lists of numbers and dictionaries can be "
                                    "passed"));
      }
      const std::string& kept = texts_.emplace_back(std::move(*text));
      return Value{XLA_FFI_AttrType_STRING,
                   &spans_.emplace_back(XLA_FFI_ByteSpan{kept.data(), kept.size()})};
    }
    if (auto* list = std::get_if<CustomCallAttribute::List>(&attribute.value); list != nullptr) {
      const bool is_dictionary = !list->empty() && !list->front().name.empty();
      if (!is_dictionary && (!list->empty() || !attribute.type.empty())) {
        return Array(name, attribute.type, *list);
      }
      AXLE_ASSIGN(const XLA_FFI_Attrs attrs, Dictionary(std::move(*list)));
      return Value{XLA_FFI_AttrType_DICTIONARY, &dictionaries_.emplace_back(attrs)};
    }
    AXLE_ASSIGN(const ElementType type, TypeOfScalar(name, attribute));
    std::vector<std::byte>& bytes = bytes_.emplace_back();
    AXLE_TRY(Append(name, type, attribute, bytes));
    return Value{XLA_FFI_AttrType_SCALAR,
                 &scalars_.emplace_back(XLA_FFI_Scalar{type, bytes.data()})};
  }

  StatusOr<Value> Array(std::string_view name, std::string_view type_name,
                        const CustomCallAttribute::List& list) {
    ElementType type = S64;
    if (const auto named = TypeNamed(type_name); named) {
      type = *named;
    } else if (!list.empty()) {
      AXLE_ASSIGN(type, TypeOfScalar(name, list.front()));
    }
    std::vector<std::byte>& bytes = bytes_.emplace_back();
    for (const CustomCallAttribute& element : list) {
      AXLE_TRY(Append(name, type, element, bytes));
    }
    return Value{XLA_FFI_AttrType_ARRAY,
                 &arrays_.emplace_back(XLA_FFI_Array{type, list.size(), bytes.data()})};
  }

  static StatusOr<ElementType> TypeOfScalar(std::string_view name,
                                            const CustomCallAttribute& attribute) {
    if (std::holds_alternative<bool>(attribute.value)) return PRED;
    if (attribute.type.empty()) return std::holds_alternative<double>(attribute.value) ? F32 : S64;
    if (const auto type = TypeNamed(attribute.type); type) return *type;
    return Unimplemented(StrCat("ffi: attribute \"", name, "\" is of type ", attribute.type));
  }

  // The bytes of a number of this type.
  static Status Append(std::string_view name, ElementType type,
                       const CustomCallAttribute& attribute, std::vector<std::byte>& bytes) {
    StatusOr<Literal> value = Status(StatusCode::kInvalidArgument, "");
    if (const auto* flag = std::get_if<bool>(&attribute.value); flag != nullptr) {
      value = Convert(Literal::Scalar<bool>(PRED, *flag), type);
    } else if (const auto* integer = std::get_if<i64>(&attribute.value); integer != nullptr) {
      value = Convert(Literal::Scalar<i64>(S64, *integer), type);
    } else if (const auto* number = std::get_if<double>(&attribute.value); number != nullptr) {
      value = Convert(Literal::Scalar<double>(F64, *number), type);
    } else {
      return Unimplemented(StrCat("ffi: attribute \"", name, "\" is not a number"));
    }
    AXLE_TRY(value.status());
    bytes.insert(bytes.end(), value->bytes(), value->bytes() + value->num_bytes());
    return {};
  }

  std::deque<std::vector<int>> types_;
  std::deque<std::vector<void*>> pointers_;
  std::deque<std::vector<XLA_FFI_ByteSpan*>> names_;
  std::deque<std::string> texts_;
  std::deque<XLA_FFI_ByteSpan> spans_;
  std::deque<std::vector<std::byte>> bytes_;
  std::deque<XLA_FFI_Scalar> scalars_;
  std::deque<XLA_FFI_Array> arrays_;
  std::deque<XLA_FFI_Attrs> dictionaries_;
};

// The buffers of the operands or results, tuples taken apart; a token is a buffer without data.
class BufferList {
 public:
  void Add(const Shape& shape, std::span<const CustomCallBuffer> buffers, size_t& next) {
    ForEachLeaf(shape, [&](const Shape& leaf, const Dims& /*path*/) {
      XLA_FFI_Buffer& buffer = buffers_.emplace_back();
      Dims& dims = dims_.emplace_back(leaf.dims());
      buffer.struct_size = sizeof(buffer);
      buffer.dtype = leaf.type();
      buffer.data = leaf.is_array() ? buffers[next++].data : nullptr;
      buffer.rank = static_cast<int64_t>(dims.size());
      buffer.dims = dims.data();
      types_.push_back(XLA_FFI_ArgType_BUFFER);
      pointers_.push_back(&buffer);
    });
  }
  int64_t size() const { return static_cast<int64_t>(pointers_.size()); }
  int* types() { return types_.data(); }
  void** pointers() { return pointers_.data(); }

 private:
  std::deque<XLA_FFI_Buffer> buffers_;
  std::deque<Dims> dims_;
  std::vector<int> types_;
  std::vector<void*> pointers_;
};

// Runs one stage, and waits for a handler that is not done when it returns.
Status RunStage(XLA_FFI_Handler* handler, int stage, XLA_FFI_CallFrame& frame) {
  if (handler == nullptr) return {};
  frame.stage = stage;
  frame.future = nullptr;
  AXLE_TRY(TakeFfiStatus(handler(&frame)));
  if (frame.future == nullptr) return {};
  const std::unique_ptr<XLA_FFI_Future> future(frame.future);
  return future->future.Await();
}

}  // namespace

Status CallFfiHandler(const XLA_FFI_Handler_Bundle& bundle, const CustomCallFrame& frame,
                      FfiState& state) {
  AttributeStore store;
  AXLE_ASSIGN(const XLA_FFI_Attrs attrs, store.Dictionary(frame.attributes.list()));
  BufferList operands, results;
  size_t next = 0;
  for (const Shape& shape : frame.invocation.operand_shapes) {
    operands.Add(shape, frame.operands, next);
  }
  next = 0;
  results.Add(*frame.invocation.result_shape, frame.results, next);
  FfiState of_call;
  XLA_FFI_ExecutionContext context{CurrentFfiExecution(), state, of_call};
  XLA_FFI_CallFrame call = {};
  call.struct_size = offsetof(XLA_FFI_CallFrame, future);
  call.api = &FfiApi();
  call.ctx = &context;
  call.attrs = attrs;
  if (bundle.instantiate != nullptr) {
    AXLE_TRY(state.Instantiate(
        [&] { return RunStage(bundle.instantiate, XLA_FFI_ExecutionStage_INSTANTIATE, call); }));
  }
  call.args = {sizeof(XLA_FFI_Args), nullptr, operands.size(), operands.types(),
               operands.pointers()};
  call.rets = {sizeof(XLA_FFI_Rets), nullptr, results.size(), results.types(), results.pointers()};
  AXLE_TRY(RunStage(bundle.prepare, XLA_FFI_ExecutionStage_PREPARE, call));
  AXLE_TRY(RunStage(bundle.initialize, XLA_FFI_ExecutionStage_INITIALIZE, call));
  return RunStage(bundle.execute, XLA_FFI_ExecutionStage_EXECUTE, call);
}

}  // namespace axle::pjrt
