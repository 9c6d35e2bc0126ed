// A hash table from units of a narrow-float array to their f32 values, with open addressing: the
// place of a unit is the top bits of its position times 2^64 / golden ratio, and a unit whose place
// is taken goes to the next free one. The table has at least twice as many places as units that can
// be touched, so a search takes few steps. Every element is widened at its first update and rounded
// once, in Round: a bf16 1 with the updates 2^-8 and 2^-8 becomes 1 + 2^-7, where rounding after
// each update would leave 1.

#include "axle/ops/touched_elements.h"

#include <algorithm>
#include <bit>

#include "axle/ops/contraction_kernels.h"

namespace axle {
namespace {

i64 AlignedBytes(i64 count, i64 bytes_each) {
  return (count * bytes_each + 63) / 64 * 64;
}

}  // namespace

// If there may be as many updates as elements, a plain f32 copy of the array needs less memory than
// a table.
TouchedPlan TouchedPlan::Make(ElementType type, i64 elements, i64 unit, i64 updates) {
  TouchedPlan plan = {.type = type, .elements = elements, .unit = unit};
  if (elements <= updates) return plan;
  plan.most_units = std::min(elements, updates) / unit;
  plan.places =
      static_cast<i64>(std::bit_ceil(static_cast<std::uint64_t>(2 * plan.most_units + 1)));
  return plan;
}

i64 TouchedPlan::bytes() const {
  if (places == 0) return AlignedBytes(elements, sizeof(float));
  return 2 * AlignedBytes(places, sizeof(i64)) + AlignedBytes(most_units, sizeof(i64)) +
         AlignedBytes(most_units * unit, sizeof(float));
}

// Two layouts of `memory`: without places, all elements of the array as f32; otherwise a hash table
// (keys, slots, list of touched units) with the f32 values of the touched units behind it.
TouchedElements::TouchedElements(const TouchedPlan& plan, void* array, void* memory)
    : plan_(plan), array_(static_cast<std::byte*>(array)), values_(static_cast<float*>(memory)) {
  if (plan_.places == 0) {
    WidenElements(plan_.type, array_, values_, plan_.elements);
    return;
  }
  auto* const bytes = static_cast<std::byte*>(memory);
  const i64 table = AlignedBytes(plan_.places, sizeof(i64));
  units_ = reinterpret_cast<i64*>(bytes);
  slots_ = reinterpret_cast<i64*>(bytes + table);
  touched_ = reinterpret_cast<i64*>(bytes + 2 * table);
  values_ =
      reinterpret_cast<float*>(bytes + 2 * table + AlignedBytes(plan_.most_units, sizeof(i64)));
  std::fill_n(units_, plan_.places, i64{-1});
}

// Returns the f32 values of a unit, which are widened when it is touched first.
float* TouchedElements::Find(i64 unit) {
  constexpr std::uint64_t kSpread = 0x9e3779b97f4a7c15;  // 2^64 over the golden ratio
  const i64 mask = plan_.places - 1;
  const int shift = 64 - std::countr_zero(static_cast<std::uint64_t>(plan_.places));
  i64 place = static_cast<i64>(static_cast<std::uint64_t>(unit) * kSpread >> shift);
  while (units_[place] != unit) {
    if (units_[place] >= 0) {
      place = (place + 1) & mask;
      continue;
    }
    units_[place] = unit;
    slots_[place] = num_touched_;
    touched_[num_touched_] = unit;
    float* const values = values_ + num_touched_++ * plan_.unit;
    WidenElements(plan_.type, array_ + unit * plan_.unit * Info(plan_.type).bytes, values,
                  plan_.unit);
    return values;
  }
  return values_ + slots_[place] * plan_.unit;
}

// Only units that were touched are rounded; all others keep their bits.
void TouchedElements::Round() {
  if (plan_.places == 0) return RoundElements(values_, plan_.type, array_, plan_.elements);
  for (i64 slot = 0; slot < num_touched_; ++slot) {
    RoundElements(values_ + slot * plan_.unit, plan_.type,
                  array_ + touched_[slot] * plan_.unit * Info(plan_.type).bytes, plan_.unit);
  }
}

}  // namespace axle
