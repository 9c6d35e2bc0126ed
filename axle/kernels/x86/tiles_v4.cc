// Register tiles for x86-64-v4.

#include "axle/kernels/x86/tile_tables.h"
