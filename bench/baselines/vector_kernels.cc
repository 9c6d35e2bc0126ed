#include "bench/baselines/vector_kernels.h"

#include <cstring>

namespace axle::baselines {

namespace avx2 {
extern const VectorKernels kKernels;
}
namespace avx512 {
extern const VectorKernels kKernels;
}

const VectorKernels* VectorKernelsOf(const char* isa) {
  if (std::strcmp(isa, "avx2") == 0) return &avx2::kKernels;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (std::strcmp(isa, "avx512") == 0 && has_avx512) return &avx512::kKernels;
  return nullptr;
}

const VectorKernels& BestVectorKernels() {
  const VectorKernels* best = VectorKernelsOf("avx512");
  return best != nullptr ? *best : avx2::kKernels;
}

}  // namespace axle::baselines
