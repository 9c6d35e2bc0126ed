#include "axle/runtime/linked_engine.h"

namespace axle {

static constinit NativeEngineFactory linked_factory = nullptr;

NativeEngineFactory LinkedNativeEngine() {
  return linked_factory;
}

void SetLinkedNativeEngine(NativeEngineFactory factory) {
  linked_factory = factory;
}

}  // namespace axle
