// The native engine that is linked into a program: libaxle_native.a has one, and tells of it when
// the program starts. Without it client/ loads libaxle_codegen.so.
#pragma once
#include "axle/runtime/native_engine.h"

namespace axle {

// What axle_codegen_create is.
using NativeEngineFactory = NativeEngine* (*)(int version);

// Null in a program without. Thread-safe once main has begun.
NativeEngineFactory LinkedNativeEngine();
// For the static initialization of libaxle_native.a.
void SetLinkedNativeEngine(NativeEngineFactory factory);

}  // namespace axle
