// Fourier transforms for AVX-512.

#include "axle/kernels/x86/fft.h"
