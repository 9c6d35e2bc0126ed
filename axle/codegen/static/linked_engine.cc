// Part of libaxle_native.a alone. Whoever links that asks the linker for the variable below, which
// nothing else refers to; with it comes the engine, and client/ is told of it before main begins.
#include "axle/runtime/linked_engine.h"

extern "C" const bool axle_native_engine_is_linked;
const bool axle_native_engine_is_linked = [] {
  axle::SetLinkedNativeEngine(&axle_codegen_create);
  return true;
}();
