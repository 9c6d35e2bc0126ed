// The convolutions of one instruction set, for the file that is compiled for it.
#pragma once
#include "axle/kernels/x86/convolution.h"
#include "axle/kernels/x86/entries.h"

namespace axle::AXLE_ISA {

extern const ConvolutionEntry kConvolutions[] = {
    {&RunConvolution<ChainFamily<float, FusedChain>>},
    {&RunConvolution<ChainFamily<double, FusedChain>>},
    {&RunConvolution<ComplexFamily<float>>},
    {&RunConvolution<ComplexFamily<double>>},
    {&RunConvolution<ChainFamily<std::uint16_t, FusedChain>>},
    {&RunConvolution<ChainFamily<std::uint32_t, FusedChain>>},
    {&RunConvolution<ChainFamily<std::uint64_t, FusedChain>>},
    {&RunConvolution<ChainFamily<std::uint16_t, OrOfAnds>>},
    {&RunConvolution<PairFamily>},
    {&RunConvolution<TileFamily>},
};

}  // namespace axle::AXLE_ISA
