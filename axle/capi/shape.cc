#include "axle/capi/handles.h"

axle_shape::axle_shape(axle::Shape shape) : value(std::move(shape)), text(value.ToString()) {
  if (!value.is_tuple()) return;
  elements.reserve(value.elements().size());
  for (const axle::Shape& element : value.elements()) {
    elements.push_back(std::make_unique<const axle_shape>(element));
  }
}

namespace axle {
namespace {

Status CheckedNewShape(Shape value, axle_shape** shape) {
  AXLE_TRY(CheckShape(value));
  *shape = new axle_shape(std::move(value));
  return {};
}

const ElementTypeInfo& InfoOf(axle_type type) {
  return Info(type > 0 && type < kNumElementTypes ? static_cast<ElementType>(type)
                                                  : PRIMITIVE_TYPE_INVALID);
}

}  // namespace
}  // namespace axle

const char* axle_type_name(axle_type type) {
  return axle::InfoOf(type).text.data();
}

std::int64_t axle_type_bytes(axle_type type) {
  return axle::InfoOf(type).bytes;
}

axle_status* axle_shape_parse(const char* text, axle_shape** shape) {
  constexpr const char* kFunction = "axle_shape_parse";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"text", text}, {"shape", shape}}));
    AXLE_ASSIGN(axle::Shape value, axle::ParseShape(std::string_view(text)));
    return axle::CheckedNewShape(std::move(value), shape);
  });
}

axle_status* axle_shape_create(axle_type type, const std::int64_t* dims, size_t rank,
                               axle_shape** shape) {
  constexpr const char* kFunction = "axle_shape_create";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"shape", shape}}));
    const axle_array array = {sizeof array, type, rank, dims, nullptr, nullptr, nullptr};
    AXLE_ASSIGN(axle::HostArray checked, axle::ReadArray(kFunction, &array));
    return axle::CheckedNewShape(std::move(checked.shape), shape);
  });
}

axle_status* axle_shape_create_tuple(const axle_shape* const* elements, size_t num_elements,
                                     axle_shape** shape) {
  constexpr const char* kFunction = "axle_shape_create_tuple";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"shape", shape}}));
    if (num_elements > 0) AXLE_TRY(axle::CheckNotNull(kFunction, {{"elements", elements}}));
    std::vector<axle::Shape> values;
    for (size_t i = 0; i < num_elements; ++i) {
      AXLE_TRY(axle::CheckNotNull(kFunction, {{"an element", elements[i]}}));
      values.push_back(elements[i]->value);
    }
    return axle::CheckedNewShape(axle::Shape::Tuple(std::move(values)), shape);
  });
}

void axle_shape_destroy(axle_shape* shape) {
  delete shape;
}

axle_type axle_shape_type(const axle_shape* shape) {
  return shape == nullptr ? static_cast<axle_type>(AXLE_TYPE_INVALID) : shape->value.type();
}

const char* axle_shape_text(const axle_shape* shape) {
  return shape == nullptr ? "" : shape->text.c_str();
}

size_t axle_shape_rank(const axle_shape* shape) {
  return shape == nullptr ? 0 : shape->value.dims().size();
}

const std::int64_t* axle_shape_dims(const axle_shape* shape) {
  return shape == nullptr ? nullptr : shape->value.dims().data();
}

std::int32_t axle_shape_is_dynamic(const axle_shape* shape, size_t dim) {
  if (dim >= axle_shape_rank(shape)) return 0;
  return shape->value.is_dynamic(static_cast<std::int64_t>(dim)) ? 1 : 0;
}

std::int64_t axle_shape_num_bytes(const axle_shape* shape) {
  return shape == nullptr ? 0 : shape->value.num_bytes();
}

size_t axle_shape_num_elements(const axle_shape* shape) {
  return shape == nullptr ? 0 : shape->elements.size();
}

const axle_shape* axle_shape_element(const axle_shape* shape, size_t i) {
  return i < axle_shape_num_elements(shape) ? shape->elements[i].get() : nullptr;
}
