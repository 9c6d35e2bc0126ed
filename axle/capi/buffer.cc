#include "axle/client/buffer.h"

#include "axle/capi/handles.h"
#include "axle/client/host_device.h"

namespace axle {
namespace {

StatusOr<HostBufferSemantics> ReadSemantics(const char* function, std::int64_t semantics) {
  if (semantics < AXLE_HOST_COPY || semantics > AXLE_HOST_MUTABLE_ZERO_COPY) {
    return InvalidArgument(StrCat(function, ": there are no semantics ", semantics));
  }
  return static_cast<HostBufferSemantics>(semantics);
}

std::function<void()> ReleaseOf(const axle_buffer_options& options) {
  if (options.released == nullptr) return nullptr;
  return [released = options.released, context = options.released_context] { released(context); };
}

// With run-time sizes, which only literals have: a copy.
StatusOr<BufferPtr> DynamicBuffer(const char* function, Client& client, const HostArray& array,
                                  const Shape& shape, const axle_buffer_options& options) {
  AXLE_TRY(CheckArrayFits(function, "the array", array, shape));
  AXLE_ASSIGN(Literal value, ReadValue(function, "the array", array, shape, HostRead::kCopy));
  AXLE_ASSIGN(BufferPtr buffer, client.BufferFromLiteral(std::move(value), options.device));
  if (options.released != nullptr) options.released(options.released_context);
  return buffer;
}

}  // namespace
}  // namespace axle

axle_status* axle_buffer_from_host(axle_client* client, const axle_array* array,
                                   const axle_buffer_options* options, axle_buffer** buffer) {
  constexpr const char* kFunction = "axle_buffer_from_host";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"client", client}, {"buffer", buffer}}));
    AXLE_ASSIGN(const axle::HostArray host, axle::ReadArray(kFunction, array));
    AXLE_ASSIGN(const axle_buffer_options fields, axle::ReadStruct(kFunction, options));
    AXLE_ASSIGN(const auto semantics, axle::ReadSemantics(kFunction, fields.semantics));
    if (fields.shape != nullptr) {
      AXLE_ASSIGN(auto made, axle::DynamicBuffer(kFunction, *client->value, host,
                                                 fields.shape->value, fields));
      *buffer = new axle_buffer(std::move(made), /*is_zero_copy=*/false);
      return {};
    }
    bool is_zero_copy = false;
    AXLE_ASSIGN(auto made, client->value->BufferFromHost(host.data, host.shape, host.byte_strides,
                                                         semantics, fields.device,
                                                         axle::ReleaseOf(fields), &is_zero_copy));
    *buffer = new axle_buffer(std::move(made), is_zero_copy);
    return {};
  });
}

axle_status* axle_buffer_create_tuple(axle_client* client, const axle_buffer* const* elements,
                                      size_t num_elements, axle_buffer** buffer) {
  constexpr const char* kFunction = "axle_buffer_create_tuple";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"client", client}, {"buffer", buffer}}));
    if (num_elements > 0) AXLE_TRY(axle::CheckNotNull(kFunction, {{"elements", elements}}));
    std::vector<axle::Literal> values;
    std::int64_t device = 0;
    for (size_t i = 0; i < num_elements; ++i) {
      AXLE_TRY(axle::CheckNotNull(kFunction, {{"an element", elements[i]}}));
      const axle::Buffer& element = *elements[i]->value;
      if (i == 0) device = element.device().ordinal();
      if (element.device().ordinal() != device) {
        return axle::InvalidArgument(axle::StrCat(kFunction, ": element ", i, " is on device ",
                                                  element.device().ordinal(),
                                                  ", but element 0 on device ", device));
      }
      AXLE_ASSIGN(axle::Literal value, element.ToLiteral());
      values.push_back(std::move(value));
    }
    AXLE_ASSIGN(auto made,
                client->value->BufferFromLiteral(axle::Literal::Tuple(std::move(values)), device));
    *buffer = new axle_buffer(std::move(made), /*is_zero_copy=*/false);
    return {};
  });
}

void axle_buffer_destroy(axle_buffer* buffer) {
  delete buffer;
}

const axle_shape* axle_buffer_shape(const axle_buffer* buffer) {
  return buffer == nullptr ? nullptr : &buffer->shape;
}

std::int64_t axle_buffer_device(const axle_buffer* buffer) {
  return buffer == nullptr ? 0 : buffer->value->device().ordinal();
}

std::int32_t axle_buffer_is_zero_copy(const axle_buffer* buffer) {
  return buffer != nullptr && buffer->is_zero_copy ? 1 : 0;
}

std::int32_t axle_buffer_is_ready(const axle_buffer* buffer) {
  return buffer != nullptr && buffer->value->is_ready() ? 1 : 0;
}

axle_status* axle_buffer_await(const axle_buffer* buffer, axle_limits* limits) {
  constexpr const char* kFunction = "axle_buffer_await";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"buffer", buffer}}));
    return buffer->value->Await(axle::LimitsOf(limits));
  });
}

axle_status* axle_buffer_to_host(const axle_buffer* buffer, const axle_array* array,
                                 axle_limits* limits) {
  constexpr const char* kFunction = "axle_buffer_to_host";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"buffer", buffer}}));
    AXLE_ASSIGN(const axle::HostArray host, axle::ReadArray(kFunction, array));
    AXLE_TRY(axle::CheckArrayFits(kFunction, "the array", host, buffer->value->shape()));
    AXLE_ASSIGN(const axle::Literal value, buffer->value->ToLiteral(axle::LimitsOf(limits)));
    return axle::WriteValue(value, host);
  });
}

void axle_buffer_delete(axle_buffer* buffer) {
  if (buffer != nullptr) buffer->value->Delete();
}

std::int32_t axle_buffer_is_deleted(const axle_buffer* buffer) {
  return buffer != nullptr && buffer->value->is_deleted() ? 1 : 0;
}

axle_status* axle_buffer_view(const axle_buffer* buffer, axle_limits* limits, axle_view** view) {
  constexpr const char* kFunction = "axle_buffer_view";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"buffer", buffer}, {"view", view}}));
    AXLE_ASSIGN(axle::Buffer::View value, buffer->value->Pin(axle::LimitsOf(limits)));
    const axle::Layout* layout = value.shape().layout();
    if (layout != nullptr && !layout->is_default()) {
      return axle::Unimplemented(axle::StrCat(kFunction, ": a view of a buffer in the layout of ",
                                              value.shape().ToStringWithLayout()));
    }
    *view = new axle_view{std::move(value)};
    return {};
  });
}

const void* axle_view_data(const axle_view* view) {
  return view == nullptr ? nullptr : view->value.data();
}

void axle_view_destroy(axle_view* view) {
  delete view;
}

std::int32_t axle_future_is_ready(const axle_future* future) {
  return future != nullptr && future->value.is_ready() ? 1 : 0;
}

axle_status* axle_future_await(const axle_future* future, axle_limits* limits) {
  constexpr const char* kFunction = "axle_future_await";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"future", future}}));
    return future->value.Await(axle::LimitsOf(limits));
  });
}

axle_status* axle_future_on_ready(const axle_future* future,
                                  void (*callback)(axle_status* status, void* context),
                                  void* context) {
  constexpr const char* kFunction = "axle_future_on_ready";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(
        kFunction, {{"future", future}, {"callback", reinterpret_cast<const void*>(callback)}}));
    future->value.OnReady([callback, context](const axle::Status& status) {
      callback(axle::Guarded("axle_future_on_ready", [&] { return status; }), context);
    });
    return {};
  });
}

void axle_future_destroy(axle_future* future) {
  delete future;
}
