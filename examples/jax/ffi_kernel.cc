// Root mean square normalization, as a kernel for jax.ffi: examples/jax/ffi_kernel.py compiles and
// calls it.
#include <cmath>

#include "xla/ffi/api/ffi.h"

namespace ffi = xla::ffi;

static ffi::Error RmsNorm(float epsilon, ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y) {
  const auto dims = x.dimensions();
  if (dims.size() == 0) return ffi::Error::InvalidArgument("RmsNorm: x needs a dimension");
  const auto size = static_cast<size_t>(dims.back());
  for (size_t row = 0; row < x.element_count(); row += size) {
    const float* in = x.typed_data() + row;
    float* out = y->typed_data() + row;
    float sum = 0;
    for (size_t i = 0; i < size; ++i) sum += in[i] * in[i];
    const float scale = 1 / std::sqrt(sum / static_cast<float>(size) + epsilon);
    for (size_t i = 0; i < size; ++i) out[i] = in[i] * scale;
  }
  return ffi::Error::Success();
}

XLA_FFI_DEFINE_HANDLER_SYMBOL(RmsNormHandler, RmsNorm,
                              ffi::Ffi::Bind()
                                  .Attr<float>("epsilon")
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>());
