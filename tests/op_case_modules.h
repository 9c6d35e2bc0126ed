// The modules that rows of case tables stand for.
#pragma once
#include <string>

#include "tests/op_cases.h"

namespace axle {

// HLO text: the entry is the op on parameters.
std::string CaseModuleText(const CaseTable& table, const OpCase& c);

}  // namespace axle
