#include "axle/capi/handles.h"
#include "axle/client/host_device.h"

namespace axle {
namespace {

// The arrays of operands or results as C sees them; the pointers point into the object.
class FrameArrays {
 public:
  explicit FrameArrays(std::span<const CustomCallBuffer> buffers)
      : strides_(buffers.size()), arrays_(buffers.size()) {
    for (size_t i = 0; i < buffers.size(); ++i) {
      const Shape& shape = buffers[i].shape;
      arrays_[i] = {.struct_size = sizeof(axle_array),
                    .type = shape.type(),
                    .rank = shape.dims().size(),
                    .dims = shape.dims().data(),
                    .byte_strides = nullptr,
                    .data = buffers[i].data,
                    .sizes = nullptr};
      const bool is_packed = IsSubByte(shape.type()) && 8 % Info(shape.type()).bits == 0;
      if (!is_packed) {
        strides_[i] = LayoutStrides(shape);
        for (i64& stride : strides_[i]) stride *= Info(shape.type()).bytes;
        arrays_[i].byte_strides = strides_[i].data();
      }
      pointers_.push_back(&arrays_[i]);
    }
  }
  FrameArrays(const FrameArrays&) = delete;
  FrameArrays& operator=(const FrameArrays&) = delete;
  const axle_array* const* data() const { return pointers_.data(); }
  size_t size() const { return pointers_.size(); }

 private:
  std::vector<Dims> strides_;
  std::vector<axle_array> arrays_;
  std::vector<const axle_array*> pointers_;
};

using TypedFunction = axle_status* (*)(const axle_custom_call_frame* frame, void* context);

Status CallTyped(TypedFunction function, void* context, const CustomCallFrame& frame) {
  const FrameArrays operands(frame.operands);
  const FrameArrays results(frame.results);
  const std::string target(frame.invocation.target);
  const std::string backend_config(frame.invocation.backend_config);
  const axle_custom_call_frame passed = {.struct_size = sizeof passed,
                                         .target = target.c_str(),
                                         .backend_config = backend_config.c_str(),
                                         .backend_config_size = backend_config.size(),
                                         .operands = operands.data(),
                                         .num_operands = operands.size(),
                                         .results = results.data(),
                                         .num_results = results.size()};
  axle_status* const status = function(&passed, context);
  if (status == nullptr) return {};
  Status copy(static_cast<StatusCode>(status->code), status->message);
  axle_status_destroy(status);
  return copy;
}

}  // namespace
}  // namespace axle

axle_status* axle_client_register_custom_call(axle_client* client, const char* name,
                                              void (*function)(void* out, const void** in,
                                                               void* context),
                                              void* context) {
  constexpr const char* kFunction = "axle_client_register_custom_call";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(
        axle::CheckNotNull(kFunction, {{"client", client},
                                       {"name", name},
                                       {"function", reinterpret_cast<const void*>(function)}}));
    return client->value->RegisterCustomCall(
        name, axle::CustomCallRegistry::Function(
                  [function, context](void* out, const void** in) { function(out, in, context); }));
  });
}

axle_status* axle_client_register_typed_custom_call(
    axle_client* client, const char* name,
    axle_status* (*function)(const axle_custom_call_frame* frame, void* context), void* context) {
  constexpr const char* kFunction = "axle_client_register_typed_custom_call";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(
        axle::CheckNotNull(kFunction, {{"client", client},
                                       {"name", name},
                                       {"function", reinterpret_cast<const void*>(function)}}));
    return client->value->RegisterTypedCustomCall(
        name, [function, context](const axle::CustomCallFrame& frame) {
          return axle::CallTyped(function, context, frame);
        });
  });
}
