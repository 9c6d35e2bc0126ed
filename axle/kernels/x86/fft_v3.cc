// Fourier transforms for x86-64-v3.

#include "axle/kernels/x86/fft.h"
