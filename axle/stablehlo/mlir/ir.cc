#include "axle/stablehlo/mlir/ir.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

#include "axle/core/scanner.h"

namespace axle::mlir {
namespace {

size_t Combine(size_t seed, size_t value) {
  return seed ^ (value + 0x9e3779b97f4a7c15 + (seed << 6) + (seed >> 2));
}

// MLIR's spelling of an element type.
std::string ElementName(ElementType type) {
  const ElementTypeInfo& info = Info(type);
  switch (info.type_class) {
    case TypeClass::kPred:
      return "i1";
    case TypeClass::kSigned:
      return "i" + std::to_string(info.bits);
    case TypeClass::kUnsigned:
      return "ui" + std::to_string(info.bits);
    case TypeClass::kComplex:
      return type == C64 ? "complex<f32>" : "complex<f64>";
    case TypeClass::kFloat:
      break;
    case TypeClass::kOther:
      return "none";
  }
  // f8e4m3fn is f8E4M3FN there.
  std::string name(info.text);
  if (name == "bf16") return name;
  for (char& c : std::span(name).subspan(1)) c = static_cast<char>(std::toupper(c));
  return name;
}

std::string DoubleText(double value) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, end.ptr);
  if (text.find_first_of(".eni") == std::string::npos) text += ".0";
  return text;
}

void PrintTypes(const std::vector<const Type*>& types, std::string& out) {
  for (size_t i = 0; i < types.size(); ++i) {
    if (i > 0) out += ", ";
    out += types[i]->ToString();
  }
}

void PrintQuantized(const Quantization& q, std::string& out) {
  out += "!quant.uniform<" + std::string(IsUnsigned(q.storage) ? "u" : "") + "i" +
         std::to_string(Info(q.storage).bits) + "<" + std::to_string(q.storage_min) + ":" +
         std::to_string(q.storage_max) + ">:" + ElementName(q.expressed);
  if (q.axis >= 0) out += ":" + std::to_string(q.axis);
  out += ", ";
  if (q.axis >= 0) out += "{";
  for (size_t i = 0; i < q.scales.size(); ++i) {
    if (i > 0) out += ", ";
    out += DoubleText(q.scales[i]);
    if (q.zero_points[i] != 0) out += ":" + std::to_string(q.zero_points[i]);
  }
  if (q.axis >= 0) out += "}";
  out += ">";
}

}  // namespace

bool Type::is_static_tensor() const {
  return is_tensor() && std::ranges::find(dims, kDynamic) == dims.end();
}

size_t Type::Hash() const {
  size_t hash = static_cast<size_t>(kind);
  hash = Combine(hash, static_cast<size_t>(element));
  hash = Combine(hash, std::hash<const Type*>()(of));
  for (const i64 dim : dims) hash = Combine(hash, static_cast<size_t>(dim));
  for (const i64 bound : bounds) hash = Combine(hash, static_cast<size_t>(bound));
  for (const Type* type : inputs) hash = Combine(hash, std::hash<const Type*>()(type));
  hash = Combine(hash, inputs.size());
  for (const Type* type : results) hash = Combine(hash, std::hash<const Type*>()(type));
  for (const double scale : quantization.scales) {
    hash = Combine(hash, std::hash<double>()(scale));
  }
  return Combine(hash, std::hash<std::string>()(text));
}

std::string Type::ToString() const {
  std::string out;
  switch (kind) {
    case TypeKind::kElement:
      return ElementName(element);
    case TypeKind::kIndex:
      return "index";
    case TypeKind::kNone:
      return "none";
    case TypeKind::kToken:
      return "!stablehlo.token";
    case TypeKind::kOther:
      return text;
    case TypeKind::kQuantized:
      PrintQuantized(quantization, out);
      return out;
    case TypeKind::kUnranked:
      return "tensor<*x" + of->ToString() + ">";
    case TypeKind::kTensor:
    case TypeKind::kBuffer: {
      out = kind == TypeKind::kTensor ? "tensor<" : "memref<";
      for (const i64 dim : dims) out += (dim == kDynamic ? "?" : std::to_string(dim)) + "x";
      out += of->ToString();
      if (!bounds.empty()) {
        out += ", #stablehlo.bounds<";
        for (size_t i = 0; i < bounds.size(); ++i) {
          if (i > 0) out += ", ";
          out += bounds[i] == kDynamic ? "?" : std::to_string(bounds[i]);
        }
        out += ">";
      }
      if (!text.empty()) out += ", " + text;
      return out + ">";
    }
    case TypeKind::kTuple:
    case TypeKind::kFuture:
      out = kind == TypeKind::kTuple ? "tuple<" : "!stablehlo.future<";
      PrintTypes(inputs, out);
      return out + ">";
    case TypeKind::kFunction: {
      out = "(";
      PrintTypes(inputs, out);
      out += ") -> ";
      const bool alone = results.size() == 1 && results[0]->kind != TypeKind::kFunction;
      if (!alone) out += "(";
      PrintTypes(results, out);
      if (!alone) out += ")";
      return out;
    }
  }
  return out;
}

const Attribute* Attribute::Field(std::string_view name) const {
  for (const NamedAttribute& field : fields) {
    if (field.name == name) return field.value;
  }
  return nullptr;
}

std::string_view Attribute::KindText() const {
  switch (kind) {
    case AttributeKind::kUnit:
      return "a unit attribute";
    case AttributeKind::kBool:
      return "a boolean";
    case AttributeKind::kInteger:
      return "an integer";
    case AttributeKind::kFloat:
      return "a number";
    case AttributeKind::kString:
      return "a string";
    case AttributeKind::kArray:
      return "an array";
    case AttributeKind::kDictionary:
      return "a dictionary";
    case AttributeKind::kSymbol:
      return "a symbol";
    case AttributeKind::kType:
      return "a type";
    case AttributeKind::kElements:
      return "elements";
    case AttributeKind::kEnum:
      return "an enum";
    case AttributeKind::kStruct:
      return "a structure";
    case AttributeKind::kLocation:
      return "a location";
    case AttributeKind::kOther:
      return "an attribute of another dialect";
  }
  return "";
}

const Attribute* Operation::Find(std::string_view attribute) const {
  for (const NamedAttribute& entry : attributes) {
    if (entry.name == attribute) return entry.value;
  }
  return nullptr;
}

Region* Operation::parent_region() const {
  return block == nullptr ? nullptr : block->region;
}

Operation* Operation::parent() const {
  return block == nullptr ? nullptr : block->region->parent;
}

MlirModule::~MlirModule() {
  // Innermost regions are made last or first, by the reader; each destroys only its own blocks,
  // which hold pointers.
  for (const std::span<Region> regions : regions_) std::destroy(regions.begin(), regions.end());
}

const Type* MlirModule::Get(Type type) {
  return &*types_.insert(std::move(type)).first;
}

const Type* MlirModule::Element(ElementType type) {
  return Get({.kind = TypeKind::kElement, .element = type});
}

const Type* MlirModule::Tensor(Dims dims, const Type* of) {
  return Get({.kind = TypeKind::kTensor, .of = of, .dims = std::move(dims)});
}

Attribute* MlirModule::NewAttribute(Attribute attribute) {
  static_assert(std::is_trivially_destructible_v<Attribute>);
  return CopyOf(&attribute, 1).data();
}

const Location* MlirModule::NewLocation(const Location& location) {
  static_assert(std::is_trivially_destructible_v<Location>);
  return CopyOf(&location, 1).data();
}

std::string_view MlirModule::Text(std::string_view text) {
  const auto found = texts_.find(text);
  if (found != texts_.end()) return *found;
  const std::span<char> copy = CopyOf(text.data(), text.size());
  return *texts_.insert(std::string_view(copy.data(), copy.size())).first;
}

const Literal* MlirModule::Keep(Literal literal) {
  return &literals_.emplace_back(std::move(literal));
}

Operation* MlirModule::NewOperation(std::string_view name, size_t num_operands, size_t num_results,
                                    size_t num_regions) {
  static_assert(std::is_trivially_destructible_v<Operation>);
  const Operation empty{.name = name, .location = &unknown_};
  Operation* operation = CopyOf(&empty, 1).data();
  const auto allocate = [&]<typename T>(size_t count, T*) -> std::span<T> {
    if (count == 0) return {};
    T* memory = static_cast<T*>(arena_.allocate(count * sizeof(T), alignof(T)));
    std::uninitialized_value_construct_n(memory, count);
    return {memory, count};
  };
  operation->operands = allocate(num_operands, static_cast<Value**>(nullptr));
  operation->results = allocate(num_results, static_cast<Value*>(nullptr));
  for (size_t i = 0; i < num_results; ++i) {
    operation->results[i].definition = operation;
    operation->results[i].index = static_cast<std::uint32_t>(i);
  }
  operation->regions = allocate(num_regions, static_cast<Region*>(nullptr));
  if (num_regions > 0) regions_.push_back(operation->regions);
  for (Region& region : operation->regions) region.parent = operation;
  return operation;
}

Block* MlirModule::NewBlock(Region& region, size_t num_arguments) {
  static_assert(std::is_trivially_destructible_v<Value>);
  Block& block = region.blocks.emplace_back();
  block.region = &region;
  const Value empty{.block = &block, .location = &unknown_};
  const std::vector<Value> arguments(num_arguments, empty);
  block.arguments = CopyOf(arguments.data(), arguments.size());
  for (size_t i = 0; i < num_arguments; ++i) {
    block.arguments[i].index = static_cast<std::uint32_t>(i);
  }
  return &block;
}

void MlirModule::SetSource(std::string label, std::string text) {
  label_ = std::move(label);
  source_ = std::move(text);
}

Status MlirModule::ErrorAt(const Operation& operation, std::string_view what,
                           StatusCode code) const {
  const std::string file = FilePlace(*operation.location);
  const std::string from = file.empty() ? "" : ", from " + file;
  if (source_.empty()) {
    return {code, label_ + ": " + std::string(what) + "; in " + std::string(operation.name) +
                      " (operation " + std::to_string(operation.position) + ")" + from};
  }
  const Status placed =
      Scanner(source_, label_).ErrorAt(operation.position, std::string(what) + from);
  return {code, placed.message()};
}

const Location* FileOf(const Location& location) {
  // The first file on the way down: names and fused locations before what they are made of.
  // Parts may be shared so often that walking all ways to them would have no end.
  std::vector<const Location*> open{&location};
  std::unordered_set<const Location*> seen;
  while (!open.empty()) {
    const Location* next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    if (next->kind == Location::Kind::kFile) return next;
    for (size_t i = next->children.size(); i > 0; --i) open.push_back(next->children[i - 1]);
  }
  return nullptr;
}

std::string FilePlace(const Location& location) {
  const Location* file = FileOf(location);
  if (file == nullptr) return "";
  std::string place(file->text);
  if (file->line > 0) place += ":" + std::to_string(file->line);
  if (file->column > 0) place += ":" + std::to_string(file->column);
  return place;
}

namespace {

template <typename T>
Dims Widened(const Literal& literal, i64 count) {
  const std::span<const T> values = literal.UncheckedData<T>();
  Dims result(static_cast<size_t>(count));
  for (size_t i = 0; i < result.size(); ++i) {
    result[i] = static_cast<i64>(values[values.size() == 1 ? 0 : i]);
  }
  return result;
}

// Elements that a program may ask for where it states one; more are an error where they are used.
constexpr i64 kMaxSplatInts = i64{1} << 16;

std::optional<Dims> IntsOf(const Attribute& elements) {
  if (elements.literal == nullptr) return std::nullopt;
  i64 count = elements.literal->num_elements();
  if (elements.is_splat && elements.type != nullptr && elements.type->is_static_tensor()) {
    count = 1;
    for (const i64 dim : elements.type->dims) {
      if (__builtin_mul_overflow(count, dim, &count)) return std::nullopt;
    }
    if (count > kMaxSplatInts) return std::nullopt;
  }
  const Literal& literal = *elements.literal;
  switch (literal.shape().type()) {
    case PRED:
    case U2:
    case U4:
    case U8:
      return Widened<std::uint8_t>(literal, count);
    case S2:
    case S4:
    case S8:
      return Widened<std::int8_t>(literal, count);
    case S16:
      return Widened<std::int16_t>(literal, count);
    case U16:
      return Widened<std::uint16_t>(literal, count);
    case S32:
      return Widened<std::int32_t>(literal, count);
    case U32:
      return Widened<std::uint32_t>(literal, count);
    case S64:
    case U64:
      return Widened<std::int64_t>(literal, count);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Dims> Ints(const Attribute& attribute) {
  if (attribute.kind == AttributeKind::kElements) return IntsOf(attribute);
  if (attribute.kind != AttributeKind::kArray) return std::nullopt;
  Dims result;
  for (const Attribute* element : attribute.elements) {
    const std::optional<i64> value = Int(*element);
    if (!value) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

std::optional<i64> Int(const Attribute& attribute) {
  if (attribute.kind == AttributeKind::kInteger || attribute.kind == AttributeKind::kBool) {
    return attribute.integer;
  }
  if (attribute.kind != AttributeKind::kElements) return std::nullopt;
  const std::optional<Dims> values = IntsOf(attribute);
  if (!values || values->size() != 1) return std::nullopt;
  return values->front();
}

ElementType ElementOf(const Type& type) {
  switch (type.kind) {
    case TypeKind::kElement:
      return type.element;
    case TypeKind::kIndex:
      return S64;
    case TypeKind::kQuantized:
      return type.quantization.storage;
    case TypeKind::kTensor:
    case TypeKind::kUnranked:
    case TypeKind::kBuffer:
      return ElementOf(*type.of);
    default:
      return PRIMITIVE_TYPE_INVALID;
  }
}

std::optional<Shape> ShapeOf(const Type& type) {
  switch (type.kind) {
    case TypeKind::kToken:
      return Shape(TOKEN);
    case TypeKind::kTuple: {
      std::vector<Shape> elements;
      for (const Type* element : type.inputs) {
        std::optional<Shape> shape = ShapeOf(*element);
        if (!shape) return std::nullopt;
        elements.push_back(std::move(*shape));
      }
      return Shape::Tuple(std::move(elements));
    }
    case TypeKind::kTensor: {
      const ElementType element = ElementOf(type);
      if (element == PRIMITIVE_TYPE_INVALID) return std::nullopt;
      Dims dims = type.dims;
      for (size_t i = 0; i < dims.size(); ++i) {
        if (dims[i] != kDynamic) continue;
        if (type.bounds.empty() || type.bounds[i] == kDynamic) return std::nullopt;
        dims[i] = type.bounds[i];
      }
      Shape shape(element, std::move(dims));
      for (size_t i = 0; i < type.dims.size(); ++i) {
        if (type.dims[i] == kDynamic) shape.set_dynamic(static_cast<i64>(i), true);
      }
      return shape;
    }
    default:
      return std::nullopt;
  }
}

const Type* TypeOf(const Shape& shape, MlirModule& module) {
  if (shape.type() == TOKEN) return module.Get({.kind = TypeKind::kToken});
  if (shape.is_tuple()) {
    Type tuple{.kind = TypeKind::kTuple};
    for (const Shape& element : shape.elements()) tuple.inputs.push_back(TypeOf(element, module));
    return module.Get(std::move(tuple));
  }
  Type tensor{.kind = TypeKind::kTensor, .of = module.Element(shape.type()), .dims = shape.dims()};
  for (i64 i = 0; i < shape.rank(); ++i) {
    if (!shape.is_dynamic(i)) continue;
    tensor.bounds.resize(tensor.dims.size(), kDynamic);
    tensor.bounds[static_cast<size_t>(i)] = tensor.dims[static_cast<size_t>(i)];
    tensor.dims[static_cast<size_t>(i)] = kDynamic;
  }
  // A size without a bound is open.
  if (std::ranges::all_of(tensor.bounds, [](i64 bound) { return bound == kDynamic; })) {
    tensor.bounds.clear();
  }
  return module.Get(std::move(tensor));
}

StatusOr<Literal> FullLiteral(const Attribute& elements) {
  if (elements.kind != AttributeKind::kElements || elements.literal == nullptr) {
    return InvalidArgument("the elements of a constant are left out");
  }
  if (!elements.is_splat) return *elements.literal;
  const std::optional<Shape> shape = ShapeOf(*elements.type);
  if (!shape) return InvalidArgument("a constant of a type that leaves sizes open");
  AXLE_ASSIGN(Literal full, Literal::CreateUninitialized(*shape));
  const std::byte* value = elements.literal->bytes();
  const auto size = static_cast<size_t>(elements.literal->num_bytes());
  std::byte* out = full.mutable_bytes();
  const auto total = static_cast<size_t>(full.num_bytes());
  // The filled part doubles with each copy.
  size_t filled = std::min(size, total);
  if (filled > 0) std::memcpy(out, value, filled);
  while (filled < total) {
    const size_t count = std::min(filled, total - filled);
    std::memcpy(out + filled, out, count);
    filled += count;
  }
  return full;
}

}  // namespace axle::mlir
