#include "axle/kernels/x86/dot_entries.h"
