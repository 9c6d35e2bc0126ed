// Reasons for which a test cannot run in some builds.
#pragma once
#include <gtest/gtest.h>

// In a test or its SetUp: skips it where the library is built without LLVM.
#ifdef AXLE_HAS_CODEGEN
#define AXLE_SKIP_WITHOUT_CODEGEN() \
  do {                              \
  } while (false)
#else
#define AXLE_SKIP_WITHOUT_CODEGEN() GTEST_SKIP() << "built without LLVM"
#endif
