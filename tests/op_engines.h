// What runs the modules of case tables and test vectors. The first engine is the reference; of the
// others UNIMPLEMENTED is accepted. A new engine is one more entry in Engines().
#pragma once
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "axle/client/client.h"
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
      {"native", false,
       [](const Module& module, std::span<const Literal> arguments) -> StatusOr<Literal> {
         static Client* const kClient = Client::Create()->release();
         const auto executable = kClient->Compile(std::shared_ptr<const Module>(module.Clone()),
                                                  {.engine = EngineKind::kNative});
         if (executable.status().code() == StatusCode::kUnavailable) {
           return Unimplemented("this build has no native engine");
         }
         AXLE_TRY(executable.status());
         return (*executable)->Execute(arguments);
       }},
  };
  return *kEngines;
}

}  // namespace axle
