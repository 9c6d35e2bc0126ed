// The convolutions of one instruction set, for the file that is compiled for it.
#pragma once
#include "axle/kernels/x86/convolution.h"
#include "axle/kernels/x86/depthwise.h"
#include "axle/kernels/x86/entries.h"
#include "axle/kernels/x86/lines.h"

namespace axle::AXLE_ISA {

// NOLINTNEXTLINE(misc-definitions-in-headers): for one source file
extern const ConvolutionEntry kConvolutions[] = {
    {&RunConvolution<ChainFamily<float, FusedChain>>, &RunDepthwise<float>, &RunLines<float>},
    {&RunConvolution<ChainFamily<double, FusedChain>>, &RunDepthwise<double>, &RunLines<double>},
    {&RunConvolution<ComplexFamily<float>>, nullptr, nullptr},
    {&RunConvolution<ComplexFamily<double>>, nullptr, nullptr},
    {&RunConvolution<ChainFamily<std::uint16_t, FusedChain>>, nullptr, nullptr},
    {&RunConvolution<ChainFamily<std::uint32_t, FusedChain>>, nullptr, nullptr},
    {&RunConvolution<ChainFamily<std::uint64_t, FusedChain>>, nullptr, nullptr},
    {&RunConvolution<ChainFamily<std::uint16_t, OrOfAnds>>, nullptr, nullptr},
    {&RunConvolution<PairFamily>, nullptr, nullptr},
    {&RunConvolution<TileFamily>, nullptr, nullptr},
};

}  // namespace axle::AXLE_ISA
