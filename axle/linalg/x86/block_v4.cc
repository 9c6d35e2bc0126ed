// Kernels of linear algebra for x86-64-v4.

#include "axle/linalg/x86/block_entries.h"
