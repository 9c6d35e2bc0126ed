#include "axle/client/save.h"

#include "axle/proto/write.h"
#include "axle/text/print.h"

namespace axle {

std::string ModuleToText(const Module& module, const ModuleTextOptions& options) {
  return Print(module, {.style = options.short_form ? PrintOptions::Style::kShort
                                                    : PrintOptions::Style::kLong,
                        .large_constants = !options.elide_constants});
}

std::string ModuleToProto(const Module& module) {
  return WriteModuleProto(module);
}

}  // namespace axle
