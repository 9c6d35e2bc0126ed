// The dimension numbers of dot, gather and scatter: plain structs with the accessors of XLA's
// messages of these names, so that either of these forms makes one:
//
//   DotDimensionNumbers numbers = {.lhs_contracting_dimensions = {1},
//                                  .rhs_contracting_dimensions = {0}};
//
//   DotDimensionNumbers numbers;
//   numbers.add_lhs_contracting_dimensions(1);    // numbers.lhs_contracting_dimensions(0) is 1
//   numbers.add_rhs_contracting_dimensions(0);
//
// Every number is that of a dimension. The op checks the numbers; its page in docs/ops/ has their
// meaning. They are values with the thread safety of std::vector; an index that is read must exist.
// A pointer that mutable_* returns points to the list itself.
#pragma once
#include <utility>

#include "axle/core/shape.h"

namespace axle {

// A list of numbers that can also be called like a function, as the accessors of a repeated field
// are.
class RepeatedNumbers : public Dims {
 public:
  using Dims::Dims;
  RepeatedNumbers() = default;
  // A conversion from a list; access to the list itself; and access to its number i.
  RepeatedNumbers(Dims list) : Dims(std::move(list)) {}  // NOLINT(google-explicit-constructor)
  const Dims& operator()() const { return *this; }
  i64 operator()(i64 i) const { return (*this)[static_cast<size_t>(i)]; }
};

// A number that can also be called like a function.
class FieldNumber {
 public:
  FieldNumber(i64 value = 0) : value_(value) {}  // NOLINT(google-explicit-constructor)
  operator i64() const { return value_; }        // NOLINT(google-explicit-constructor)
  i64 operator()() const { return value_; }

 private:
  i64 value_;
};

// Dimensions of the operands in pairs: number i of lhs goes with number i of rhs. docs/ops/dot.md.
struct DotDimensionNumbers {
  RepeatedNumbers lhs_contracting_dimensions = {};
  RepeatedNumbers rhs_contracting_dimensions = {};
  RepeatedNumbers lhs_batch_dimensions = {};
  RepeatedNumbers rhs_batch_dimensions = {};

  // For each list: a function that appends a number, one that returns the list, and one that
  // returns its size.
  void add_lhs_contracting_dimensions(i64 dim) { lhs_contracting_dimensions.push_back(dim); }
  Dims* mutable_lhs_contracting_dimensions() { return &lhs_contracting_dimensions; }
  int lhs_contracting_dimensions_size() const {
    return static_cast<int>(lhs_contracting_dimensions.size());
  }
  void add_rhs_contracting_dimensions(i64 dim) { rhs_contracting_dimensions.push_back(dim); }
  Dims* mutable_rhs_contracting_dimensions() { return &rhs_contracting_dimensions; }
  int rhs_contracting_dimensions_size() const {
    return static_cast<int>(rhs_contracting_dimensions.size());
  }
  void add_lhs_batch_dimensions(i64 dim) { lhs_batch_dimensions.push_back(dim); }
  Dims* mutable_lhs_batch_dimensions() { return &lhs_batch_dimensions; }
  int lhs_batch_dimensions_size() const { return static_cast<int>(lhs_batch_dimensions.size()); }
  void add_rhs_batch_dimensions(i64 dim) { rhs_batch_dimensions.push_back(dim); }
  Dims* mutable_rhs_batch_dimensions() { return &rhs_batch_dimensions; }
  int rhs_batch_dimensions_size() const { return static_cast<int>(rhs_batch_dimensions.size()); }
};

// docs/ops/ragged-dot.md.
struct RaggedDotDimensionNumbers {
  DotDimensionNumbers dot_dimension_numbers = {};
  RepeatedNumbers lhs_ragged_dimensions = {};  // one
  RepeatedNumbers rhs_group_dimensions = {};   // one if the ragged dimension is free

  // For each list: a function that appends a number, one that returns the list, and one that
  // returns its size.
  DotDimensionNumbers* mutable_dot_dimension_numbers() { return &dot_dimension_numbers; }
  void add_lhs_ragged_dimensions(i64 dim) { lhs_ragged_dimensions.push_back(dim); }
  Dims* mutable_lhs_ragged_dimensions() { return &lhs_ragged_dimensions; }
  int lhs_ragged_dimensions_size() const { return static_cast<int>(lhs_ragged_dimensions.size()); }
  void add_rhs_group_dimensions(i64 dim) { rhs_group_dimensions.push_back(dim); }
  Dims* mutable_rhs_group_dimensions() { return &rhs_group_dimensions; }
  int rhs_group_dimensions_size() const { return static_cast<int>(rhs_group_dimensions.size()); }
};

// docs/ops/gather.md.
struct GatherDimensionNumbers {
  RepeatedNumbers offset_dims = {};
  RepeatedNumbers collapsed_slice_dims = {};
  RepeatedNumbers start_index_map = {};
  FieldNumber index_vector_dim = 0;
  RepeatedNumbers operand_batching_dims = {};
  RepeatedNumbers start_indices_batching_dims = {};

  // For each list: a function that appends a number, one that returns the list, and one that
  // returns its size.
  void add_offset_dims(i64 dim) { offset_dims.push_back(dim); }
  Dims* mutable_offset_dims() { return &offset_dims; }
  int offset_dims_size() const { return static_cast<int>(offset_dims.size()); }
  void add_collapsed_slice_dims(i64 dim) { collapsed_slice_dims.push_back(dim); }
  Dims* mutable_collapsed_slice_dims() { return &collapsed_slice_dims; }
  int collapsed_slice_dims_size() const { return static_cast<int>(collapsed_slice_dims.size()); }
  void add_start_index_map(i64 dim) { start_index_map.push_back(dim); }
  Dims* mutable_start_index_map() { return &start_index_map; }
  int start_index_map_size() const { return static_cast<int>(start_index_map.size()); }
  void add_operand_batching_dims(i64 dim) { operand_batching_dims.push_back(dim); }
  Dims* mutable_operand_batching_dims() { return &operand_batching_dims; }
  int operand_batching_dims_size() const { return static_cast<int>(operand_batching_dims.size()); }
  void add_start_indices_batching_dims(i64 dim) { start_indices_batching_dims.push_back(dim); }
  Dims* mutable_start_indices_batching_dims() { return &start_indices_batching_dims; }
  int start_indices_batching_dims_size() const {
    return static_cast<int>(start_indices_batching_dims.size());
  }
  void set_index_vector_dim(i64 dim) { index_vector_dim = dim; }
  // The names that XLA used in 2018.
  void add_output_window_dims(i64 dim) { offset_dims.push_back(dim); }
  const Dims& output_window_dims() const { return offset_dims; }
  i64 output_window_dims(i64 i) const { return offset_dims(i); }
  int output_window_dims_size() const { return static_cast<int>(offset_dims.size()); }
  void add_elided_window_dims(i64 dim) { collapsed_slice_dims.push_back(dim); }
  const Dims& elided_window_dims() const { return collapsed_slice_dims; }
  i64 elided_window_dims(i64 i) const { return collapsed_slice_dims(i); }
  int elided_window_dims_size() const { return static_cast<int>(collapsed_slice_dims.size()); }
  void add_gather_dims_to_operand_dims(i64 dim) { start_index_map.push_back(dim); }
  const Dims& gather_dims_to_operand_dims() const { return start_index_map; }
  i64 gather_dims_to_operand_dims(i64 i) const { return start_index_map(i); }
  int gather_dims_to_operand_dims_size() const { return static_cast<int>(start_index_map.size()); }
};

// docs/ops/scatter.md.
struct ScatterDimensionNumbers {
  RepeatedNumbers update_window_dims = {};
  RepeatedNumbers inserted_window_dims = {};
  RepeatedNumbers scatter_dims_to_operand_dims = {};
  FieldNumber index_vector_dim = 0;
  RepeatedNumbers input_batching_dims = {};
  RepeatedNumbers scatter_indices_batching_dims = {};

  // For each list: a function that appends a number, one that returns the list, and one that
  // returns its size.
  void add_update_window_dims(i64 dim) { update_window_dims.push_back(dim); }
  Dims* mutable_update_window_dims() { return &update_window_dims; }
  int update_window_dims_size() const { return static_cast<int>(update_window_dims.size()); }
  void add_inserted_window_dims(i64 dim) { inserted_window_dims.push_back(dim); }
  Dims* mutable_inserted_window_dims() { return &inserted_window_dims; }
  int inserted_window_dims_size() const { return static_cast<int>(inserted_window_dims.size()); }
  void add_scatter_dims_to_operand_dims(i64 dim) { scatter_dims_to_operand_dims.push_back(dim); }
  Dims* mutable_scatter_dims_to_operand_dims() { return &scatter_dims_to_operand_dims; }
  int scatter_dims_to_operand_dims_size() const {
    return static_cast<int>(scatter_dims_to_operand_dims.size());
  }
  void add_input_batching_dims(i64 dim) { input_batching_dims.push_back(dim); }
  Dims* mutable_input_batching_dims() { return &input_batching_dims; }
  int input_batching_dims_size() const { return static_cast<int>(input_batching_dims.size()); }
  void add_scatter_indices_batching_dims(i64 dim) { scatter_indices_batching_dims.push_back(dim); }
  Dims* mutable_scatter_indices_batching_dims() { return &scatter_indices_batching_dims; }
  int scatter_indices_batching_dims_size() const {
    return static_cast<int>(scatter_indices_batching_dims.size());
  }
  void set_index_vector_dim(i64 dim) { index_vector_dim = dim; }
};

}  // namespace axle
