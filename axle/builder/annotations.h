// What a program may state about ops in addition to their meaning: OpMetadata, OpSharding and
// FrontendAttributes, with the accessors of XLA's messages of these names. They are plain values.
//
//   OpSharding rows;
//   rows.set_type(OpSharding::OTHER);
//   rows.add_tile_assignment_dimensions(2);
//   rows.add_tile_assignment_dimensions(1);
//   rows.add_tile_assignment_devices(0);
//   rows.add_tile_assignment_devices(1);    // {devices=[2,1]0,1}
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "axle/core/shape.h"

namespace axle {

// Where an op comes from. Without a source file, the builder records where it was called.
class OpMetadata {
 public:
  // The accessors return "" and 0 for fields that were not set.
  const std::string& op_type() const { return op_type_; }
  const std::string& op_name() const { return op_name_; }
  const std::string& source_file() const { return source_file_; }
  std::int32_t source_line() const { return source_line_; }
  void set_op_type(std::string type) { op_type_ = std::move(type); }
  void set_op_name(std::string name) { op_name_ = std::move(name); }
  void set_source_file(std::string file) { source_file_ = std::move(file); }
  void set_source_line(std::int32_t line) { source_line_ = line; }
  bool operator==(const OpMetadata&) const = default;

 private:
  std::string op_type_, op_name_, source_file_;
  std::int32_t source_line_ = 0;
};

// How a value is split over devices. Axle keeps it and prints it; no pass uses it yet.
class OpSharding {
 public:
  enum Type { REPLICATED = 0, MAXIMAL = 1, TUPLE = 2, OTHER = 3, MANUAL = 4, UNKNOWN = 5 };

  // For OTHER: the sizes of the grid of tiles, and its devices in row-major order; with
  // replicate_on_last_tile_dim, the last size counts copies. For MAXIMAL: the one device.
  Type type() const { return type_; }
  void set_type(Type type) { type_ = type; }
  const Dims& tile_assignment_dimensions() const { return tile_; }
  void add_tile_assignment_dimensions(i64 size);
  const Dims& tile_assignment_devices() const { return devices_; }
  void add_tile_assignment_devices(i64 device);
  bool replicate_on_last_tile_dim() const { return replicate_on_last_tile_dim_; }
  void set_replicate_on_last_tile_dim(bool replicate) { replicate_on_last_tile_dim_ = replicate; }
  // For TUPLE: one sharding per leaf. A pointer is valid until the next one is added.
  const std::vector<OpSharding>& tuple_shardings() const { return elements_; }
  OpSharding* add_tuple_shardings();

  // INVALID_ARGUMENT if devices are negative or named twice, or do not fill the tiles, or a tuple
  // contains a tuple. A MAXIMAL sharding has one device.
  Status Check() const;
  // Returns the text as in HLO, braces included, for a sharding that Check accepts.
  std::string ToString() const;
  bool operator==(const OpSharding&) const = default;

 private:
  Type type_ = REPLICATED;
  Dims tile_, devices_;
  bool replicate_on_last_tile_dim_ = false;
  std::vector<OpSharding> elements_;
};

// Names and texts that frameworks attach to ops.
class FrontendAttributes {
 public:
  FrontendAttributes() = default;
  // Returns the names with their values, in the order of the names.
  FrontendAttributes(std::initializer_list<std::pair<const std::string, std::string>> attributes);
  const std::map<std::string, std::string>& map() const { return map_; }
  std::map<std::string, std::string>* mutable_map() { return &map_; }
  bool operator==(const FrontendAttributes&) const = default;

  // INVALID_ARGUMENT if a name has characters other than letters, digits, '_', '.' and '-'.
  Status Check() const;

 private:
  std::map<std::string, std::string> map_;
};

// Returns the value of a frontend attribute as HLO text has it: a dictionary in braces is
// unchanged, everything else is put into quotation marks.
std::string FrontendAttributeText(std::string_view value);

}  // namespace axle
