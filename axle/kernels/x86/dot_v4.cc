// Dot kernels for x86-64-v4.

#include "axle/kernels/x86/dot_entries.h"
