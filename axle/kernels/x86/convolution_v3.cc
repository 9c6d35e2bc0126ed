// Convolution kernels for x86-64-v3.

#include "axle/kernels/x86/convolution_entries.h"
