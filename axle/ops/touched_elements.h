// The elements of an array of narrow floats that a scatter touches, as f32: each is widened once,
// takes its updates, and is rounded once at the end (docs/numerics.md N7).
//
// Elements are kept in units: neighbours that are touched together. If the array is not larger than
// the updates, all of it is widened. If it is, a hash table finds the units that are touched, so
// that the cost is that of the updates, however large the array.
#pragma once
#include "axle/core/element_type.h"

namespace axle {

struct TouchedPlan {
  // The plan for an array of `elements` elements, with `updates` updated elements in all. No unit
  // is touched only in part.
  static TouchedPlan Make(ElementType type, i64 elements, i64 unit, i64 updates);

  ElementType type = BF16;
  i64 elements = 0;
  i64 unit = 1;
  i64 most_units = 0;  // how many units can be touched
  i64 places = 0;      // size of the hash table, a power of two; 0: all elements are widened
  i64 bytes() const;   // size of the memory that the table needs
};

class TouchedElements {
 public:
  // `array` has the elements; `memory` is aligned for any number.
  TouchedElements(const TouchedPlan& plan, void* array, void* memory);

  // The f32 of the unit that begins with this element, for the caller to change; valid until Round.
  float* Unit(i64 element) {
    return plan_.places == 0 ? values_ + element : Find(element / plan_.unit);
  }
  // Rounds the values back into the array.
  void Round();

 private:
  float* Find(i64 unit);

  const TouchedPlan plan_;
  std::byte* array_;
  i64* units_ = nullptr;    // by place of the table, the unit that is there, or -1
  i64* slots_ = nullptr;    // and where its values are
  i64* touched_ = nullptr;  // by slot, the unit
  float* values_;
  i64 num_touched_ = 0;
};

}  // namespace axle
