// Kernels of linear algebra for x86-64-v4.

#include "axle/kernels/x86/block_entries.h"
