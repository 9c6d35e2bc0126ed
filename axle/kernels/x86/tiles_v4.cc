#include "axle/kernels/x86/tile_tables.h"
