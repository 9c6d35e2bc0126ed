#include "axle/capi/handles.h"
#include "axle/client/graph.h"

struct axle_builder {
  explicit axle_builder(const char* name) : value(name) {}
  axle::GraphBuilder value;
};

namespace axle {
namespace {

// Writes what a call of the builder gave.
Status Take(const StatusOr<i64>& made, axle_op* op) {
  AXLE_TRY(made.status());
  *op = *made;
  return {};
}

}  // namespace
}  // namespace axle

axle_status* axle::CreateBuilder(const char* name, axle_builder** builder) {
  constexpr const char* kFunction = "axle_builder_create";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"name", name}, {"builder", builder}}));
    *builder = new axle_builder(name);
    return {};
  });
}

void axle_builder_destroy(axle_builder* builder) {
  delete builder;
}

axle_status* axle_builder_set_location(axle_builder* builder, const char* file, std::int32_t line) {
  constexpr const char* kFunction = "axle_builder_set_location";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"builder", builder}}));
    if (line < 0) return axle::InvalidArgument(axle::StrCat(kFunction, ": line is ", line));
    builder->value.SetLocation(file == nullptr ? "" : file, file == nullptr ? 0 : line);
    return {};
  });
}

axle_status* axle_builder_set_limits(axle_builder* builder, axle_limits* limits) {
  constexpr const char* kFunction = "axle_builder_set_limits";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"builder", builder}}));
    builder->value.SetLimits(axle::LimitsOf(limits));
    return {};
  });
}

axle_status* axle_builder_parameter(axle_builder* builder, std::int64_t number,
                                    const axle_shape* shape, const char* name, axle_op* op) {
  constexpr const char* kFunction = "axle_builder_parameter";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"builder", builder}, {"shape", shape}, {"op", op}}));
    return axle::Take(builder->value.Parameter(number, shape->value, name == nullptr ? "p" : name),
                      op);
  });
}

axle_status* axle_builder_constant(axle_builder* builder, const axle_array* value, axle_op* op) {
  constexpr const char* kFunction = "axle_builder_constant";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"builder", builder}, {"value", value}, {"op", op}}));
    AXLE_ASSIGN(const axle::HostArray array, axle::ReadArray(kFunction, value));
    AXLE_ASSIGN(
        const axle::Literal literal,
        axle::LiteralFromHost(array.shape, array.data, array.byte_strides, axle::HostRead::kCopy));
    return axle::Take(builder->value.Constant(literal), op);
  });
}

axle_status* axle_builder_add(axle_builder* builder, const char* opcode, const axle_op* operands,
                              size_t num_operands, const axle_op_options* options, axle_op* op) {
  constexpr const char* kFunction = "axle_builder_add";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"builder", builder}, {"opcode", opcode}, {"op", op}}));
    if (num_operands > 0) AXLE_TRY(axle::CheckNotNull(kFunction, {{"operands", operands}}));
    AXLE_ASSIGN(const axle_op_options fields, axle::ReadStruct(kFunction, options));
    if (fields.num_computations > 0) {
      AXLE_TRY(axle::CheckNotNull(kFunction, {{"computations", fields.computations}}));
    }
    std::vector<std::shared_ptr<const axle::Module>> called;
    for (size_t i = 0; i < fields.num_computations; ++i) {
      AXLE_TRY(axle::CheckNotNull(kFunction, {{"a computation", fields.computations[i]}}));
      called.push_back(fields.computations[i]->value);
    }
    axle::GraphBuilder::NewOp added = {
        .op = opcode,
        .operands = std::span<const axle::i64>(operands, num_operands),
        .called = std::span<const std::shared_ptr<const axle::Module>>(called)};
    if (fields.attributes != nullptr) added.attributes = fields.attributes;
    if (fields.shape != nullptr) added.shape = fields.shape->value;
    if (fields.name != nullptr) added.name = fields.name;
    return axle::Take(builder->value.Add(added), op);
  });
}

axle_status* axle_builder_op_shape(const axle_builder* builder, axle_op op, axle_shape** shape) {
  constexpr const char* kFunction = "axle_builder_op_shape";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"builder", builder}, {"shape", shape}}));
    AXLE_ASSIGN(axle::Shape value, builder->value.ShapeOf(op));
    *shape = new axle_shape(std::move(value));
    return {};
  });
}

axle_status* axle_builder_first_error(const axle_builder* builder) {
  constexpr const char* kFunction = "axle_builder_first_error";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"builder", builder}}));
    return builder->value.first_error();
  });
}

axle_status* axle_builder_build(axle_builder* builder, axle_op root, axle_module** module) {
  constexpr const char* kFunction = "axle_builder_build";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"builder", builder}, {"module", module}}));
    AXLE_ASSIGN(auto value, builder->value.Build(root));
    *module = new axle_module(std::move(value));
    return {};
  });
}
