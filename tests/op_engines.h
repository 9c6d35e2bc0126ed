// What runs the modules of case tables and test vectors. The first engine is the reference; of the
// others UNIMPLEMENTED is accepted. A new engine is one more entry in Engines().
#pragma once
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "axle/eval/evaluate.h"

namespace axle {

struct Engine {
  std::string_view name;
  bool is_reference = false;
  std::function<StatusOr<Literal>(const Module&, std::span<const Literal> arguments)> run;
};

inline const std::vector<Engine>& Engines() {
  static const auto* const kEngines = new std::vector<Engine>{
      {"interpreter", true,
       [](const Module& module, std::span<const Literal> arguments) {
         return Evaluate(module, arguments);
       }},
  };
  return *kEngines;
}

}  // namespace axle
