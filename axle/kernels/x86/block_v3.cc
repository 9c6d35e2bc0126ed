// Kernels of linear algebra for x86-64-v3.

#include "axle/kernels/x86/block_entries.h"
