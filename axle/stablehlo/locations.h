// Locations of MLIR as HLO's metadata: names, and the stack of the places where the program's
// source calls itself, innermost first, in the module's table of frames.
//
// JAX writes a name around a place: loc("jit(f)/mul"(loc("f"(loc("model.py":50:21 to :26))))), or
// around a chain of callsites of such places. The outer name is the operation's, the inner ones are
// functions. A file that stands alone is the operation's place.
#pragma once
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

#include "axle/ir/module.h"
#include "axle/stablehlo/mlir/ir.h"

namespace axle::stablehlo {

class Locations {
 public:
  void set_module(Module* module) { module_ = module; }
  // Made once for each location; texts live in the module.
  const Metadata& MetadataOf(const mlir::Location& location);
  // The name of an argument: "x" of loc("x"); "" if the location is none.
  static std::string_view ArgumentName(const mlir::Location& location);

 private:
  std::int32_t File(std::string_view name);
  std::int32_t FunctionName(std::string_view name);
  std::int32_t FileLocation(const mlir::Location& file, std::int32_t function);
  // The frame of a place, called from `parent`; 0 if the location has no file.
  std::int32_t Frame(const mlir::Location& place, std::int32_t parent);

  Module* module_ = nullptr;
  std::unordered_map<const mlir::Location*, Metadata> made_;
  std::unordered_map<std::string, std::int32_t> files_, functions_;
  std::map<std::tuple<std::int32_t, std::int32_t, i64, i64, i64, i64>, std::int32_t> places_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> frames_;
};

}  // namespace axle::stablehlo
