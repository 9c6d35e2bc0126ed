// Dot kernels for x86-64-v3.

#include "axle/kernels/x86/dot_entries.h"
