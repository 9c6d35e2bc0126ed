// Axle for C++ programs: builder, client, shapes and literals, all in namespace axle.
// examples/axpy.cc is a whole program, docs/api.md goes through it. The older ComputationBuilder is
// in axle/computation_builder.h, C in axle/c_api.h.
#pragma once
#if __cplusplus < 202002L
#error "Axle needs C++20: compile with -std=c++20 or a newer standard"
#else
#include "axle/builder/shape_util.h"
#include "axle/builder/xla_builder.h"
#include "axle/client/client.h"
#include "axle/lib/constants.h"
#endif
