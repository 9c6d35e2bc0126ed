// Compile reports as text, for the verbs that show what a module was compiled to.
#pragma once
#include <string>

#include "axle/runtime/compile_report.h"

namespace axle::tool {

// `text`, with spaces behind it up to `width`.
std::string Padded(std::string text, size_t width);
// The records of a program, and why neighbours are apart.
std::string RecordsText(const CompileReport::Program& program);
// Where its values lie and when they are needed.
std::string BuffersText(const CompileReport::Program& program);
std::string BytesLine(const CompileReport::Program& program);

}  // namespace axle::tool
