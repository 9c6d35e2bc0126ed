// Convolution kernels for x86-64-v4.

#include "axle/kernels/x86/convolution_entries.h"
