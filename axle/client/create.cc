// This file is compiled for plain x86-64 (CMakeLists.txt): it runs before it is known that the
// processor can run the rest. Everything is inlined here, because the linker might take the copy of
// a function from another file.
#include "axle/client/client.h"
#include "axle/core/processor.h"

namespace axle {

[[gnu::flatten]] StatusOr<std::unique_ptr<Client>> Client::Create(const ClientOptions& options) {
  if (!HasBaselineProcessor()) return Unimplemented(kProcessorTooOld);
  return CreateHere(options);
}

}  // namespace axle
