// Kernels of linear algebra for x86-64-v3.

#include "axle/linalg/x86/block_entries.h"
