#include "axle/kernels/x86/convolution_entries.h"
