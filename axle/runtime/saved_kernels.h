// Machine code of a program's kernels, as it lies in a file of a compiled program: object files,
// and for each kernel the bytes that select its code with the name of its function. Keys begin with
// the instruction set and the level of the code, so that those of another processor are not found.
#pragma once
#include <map>
#include <string>
#include <vector>

namespace axle {

struct SavedKernels {
  std::vector<std::string> objects;  // ELF, relocatable
  std::map<std::string, std::string, std::less<>> functions;
};

}  // namespace axle
