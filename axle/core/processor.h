// Whether this processor has the instructions that the library is compiled for. Its file is
// compiled for any x86-64, so that entry points can ask before anything else runs:
//
//   if (!HasBaselineProcessor()) return kProcessorTooOld;
#pragma once

namespace axle {

// True on x86-64-v3 (AVX2, FMA, BMI) and above, and on other architectures. Thread-safe; fast.
bool HasBaselineProcessor();
// What to say, with UNIMPLEMENTED, where it is false.
extern const char* const kProcessorTooOld;

}  // namespace axle
