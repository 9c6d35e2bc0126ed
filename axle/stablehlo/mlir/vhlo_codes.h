// The numbers of VHLO's types and attributes, and the version of StableHLO that brought each: what
// its reader and its writer share.
#pragma once
#include <compare>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "axle/core/element_type.h"

namespace axle::mlir {

// Of StableHLO: 1.13.7.
struct StableHloVersion {
  int major = 0, minor = 0, patch = 0;
  auto operator<=>(const StableHloVersion&) const = default;
  std::string ToString() const {
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  }
};

// The first that portable artifacts have, and the newest that is known here.
inline constexpr StableHloVersion kOldestStableHlo{0, 9, 0};
inline constexpr StableHloVersion kNewestStableHlo{1, 20, 0};

// "1.13.7", with or without a part that follows a '-'. Nothing if it is none.
std::optional<StableHloVersion> ParseStableHloVersion(std::string_view text);

// Types that are a code and nothing else.
struct VhloElement {
  int code;
  ElementType element;
  StableHloVersion since = kOldestStableHlo;
};
inline constexpr VhloElement kVhloElements[] = {
    {0, PRED},
    {2, BF16},
    {3, F16},
    {4, F32},
    {5, F64},
    {6, F8E4M3FN},
    {7, F8E5M2},
    {10, S4},
    {11, S8},
    {12, S16},
    {13, S32},
    {14, S64},
    {15, U4},
    {16, U8},
    {17, U16},
    {18, U32},
    {19, U64},
    {27, F8E4M3FNUZ, {0, 10, 0}},
    {28, F8E5M2FNUZ, {0, 10, 0}},
    {29, F8E4M3B11FNUZ, {0, 11, 0}},
    {31, S2, {1, 2, 0}},
    {32, U2, {1, 2, 0}},
    {35, F8E4M3, {1, 7, 0}},
    {36, F8E3M4, {1, 7, 0}},
    {37, F4E2M1FN, {1, 8, 0}},
    {38, F6E2M3FN, {1, 8, 0}},
    {39, F6E3M2FN, {1, 8, 0}},
    {40, F8E8M0FNU, {1, 8, 0}},
};

enum class VhloType : int {
  kComplex = 1,
  kFunction = 8,
  kIndex = 9,
  kTensor = 20,
  kTensorWithEncoding = 21,
  kToken = 22,
  kTuple = 23,
  kQuantized = 24,
  kUnranked = 25,
  kWitness = 26,
  kQuantizedPerAxis = 30,
  kNone = 33,
  kTf32 = 34,
  kBuffer = 41,
  kFuture = 42,
};

enum class VhloAttribute : int {
  kArray = 1,
  kBool = 2,
  kDictionary = 6,
  kFloat = 8,
  kInteger = 9,
  kOutputOperandAlias = 10,
  kString = 14,
  kTensor = 15,
  kType = 17,
  kTypeExtensions = 18,
  kResultAccuracy = 20,
  kSubAxisInfo = 21,
  kAxisRef = 22,
  kReplicaGroupMeshAxes = 23,
  kMeshAxis = 24,
  kMesh = 25,
};

// Attributes that are one value of an enum.
struct VhloEnum {
  int code;
  std::string_view mnemonic;
};
inline constexpr VhloEnum kVhloEnums[] = {
    {3, "comparison_direction"},
    {4, "comparison_type"},
    {5, "api_version"},
    {7, "fft_type"},
    {11, "precision"},
    {12, "rng_algorithm"},
    {13, "rng_distribution"},
    {16, "transpose"},
    {19, "result_accuracy_mode"},
};

}  // namespace axle::mlir
