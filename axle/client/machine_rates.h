// How fast this machine is: the two limits of the roofline model.
#pragma once

namespace axle {

struct MachineRates {
  int threads = 1;              // that worked at the same time
  double bytes_per_second = 0;  // read and written by a copy of arrays of 8 MiB
  double flops_per_second = 0;  // f32 multiplications and additions, in vectors of full width
};

// Measures the rates of so many threads, at least 1, in a few milliseconds; the first call of a
// process does, later ones return what it found. What else runs on the machine makes them smaller.
// Thread-safe.
MachineRates MeasuredRates(int threads);

}  // namespace axle
