// The state of a builder between calls. Internal to axle/builder; it is separate from xla_builder.h
// so that programs do not compile the IR.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "axle/builder/xla_builder.h"
#include "axle/core/limits.h"
#include "axle/ir/module.h"

namespace axle {

struct XlaBuilder::State {
  Limits* limits = nullptr;
  i64 reserved = 0;                                 // from limits
  std::unordered_map<const Shape*, i64> num_nodes;  // of the module's tuple shapes
  std::unique_ptr<Module> module;
  HloComputation* computation = nullptr;
  std::shared_ptr<BuilderLife> parent;  // of the builder that made this one, or null
  // Copies of called computations, by the original. The shared pointers keep the originals alive.
  std::unordered_map<const HloComputation*, HloComputation*> copies;
  std::vector<std::shared_ptr<const Module>> originals;
  std::unordered_set<std::string> names, computation_names;  // in use
  std::unordered_set<i64> parameter_numbers;                 // in use
  XlaOp last_infeed, last_outfeed;
  OpMetadata metadata;
  std::optional<OpMetadata> one_shot_metadata;
  std::optional<OpSharding> sharding;
  FrontendAttributes attributes;
};

}  // namespace axle
