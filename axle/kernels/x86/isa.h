// The namespace of this object's instruction set: isa_v3 or isa_v4. Everything that is compiled for
// more than the baseline is in it, so that the linker never takes such a copy for other code: no
// function of the standard library or of other folders is inlined here, only called.
#pragma once

#if defined(__AVX512F__)
#define AXLE_ISA isa_v4
#else
#define AXLE_ISA isa_v3
#endif
