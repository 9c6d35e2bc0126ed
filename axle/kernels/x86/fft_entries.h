// What the objects of each instruction set offer: transforms of f32 and of f64 numbers.
#pragma once
#include "axle/core/kernel.h"

namespace axle {

namespace isa_v3 {
extern const KernelFunction kFfts[2];  // of an FftKernelPlan
}  // namespace isa_v3
namespace isa_v4 {
extern const KernelFunction kFfts[2];
}  // namespace isa_v4

}  // namespace axle
