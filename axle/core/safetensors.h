// safetensors: a file of named arrays, whose header says where each of them lies.
//
//   AXLE_ASSIGN(const Safetensors file, ReadSafetensors(bytes));
//   AXLE_ASSIGN(Literal w, MemberLiteral(file, "layer.weight"));
//
// Reading looks at the header alone and copies no elements: of a file that is mapped into memory
// only the arrays that are asked for are read. Nothing of the header is believed before it is
// checked: the arrays lie inside of the file, without overlaps and gaps, each has the bytes that
// its shape needs, and no name comes twice.
//
// BOOL is pred, I8 to I64 and U8 to U64 are integers, F16, BF16, F32, F64, F8_E5M2, F8_E4M3
// (f8e4m3fn), F8_E8M0, F8_E5M2FNUZ, F8_E4M3FNUZ and C64 are what they say. F4 and F6, whose
// elements share bytes, and types that are not known are UNIMPLEMENTED. Thread-safe.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "axle/core/literal.h"
#include "axle/core/npz.h"
#include "axle/core/status.h"

namespace axle {

// An array in a file that is kept elsewhere.
struct SafetensorsArray {
  Shape shape;             // an array, static, row-major
  std::string_view bytes;  // its elements, little-endian, of any alignment
};

struct Safetensors {
  std::map<std::string, SafetensorsArray, std::less<>> arrays;  // by name
  std::map<std::string, std::string, std::less<>> metadata;     // what "__metadata__" has
};

// Whether the first bytes look like such a file. No program and no .npz file does.
bool IsSafetensors(std::string_view bytes);

// `bytes`, a whole file, outlive what is returned. Errors: INVALID_ARGUMENT that says what is
// wrong with the file; UNIMPLEMENTED for a type that is not read, with its name.
StatusOr<Safetensors> ReadSafetensors(std::string_view bytes);

// A copy of the elements, of the shape that the file says; pred is 0 or 1. RESOURCE_EXHAUSTED
// without memory.
StatusOr<Literal> ToLiteral(const SafetensorsArray& array);
// The same by name; NOT_FOUND lists the names that there are.
StatusOr<Literal> MemberLiteral(const Safetensors& file, std::string_view name);

// Arrays and their names as a file. It is deterministic: larger elements first, then by name, each
// aligned to its type. The valid part of an array with dynamic dimensions is written.
// INVALID_ARGUMENT for a tuple, for a name that is given twice, is no UTF-8 or is "__metadata__",
// and for types that the format lacks (c128, and those below eight bits).
StatusOr<std::string> WriteSafetensors(std::span<const std::pair<std::string, Literal>> members,
                                       const std::map<std::string, std::string>& metadata = {});

// The arrays of a .npz or of a safetensors file, by name, copied out of it: the first bytes say
// which of the two it is. Errors: as ReadNpz and ReadSafetensors; RESOURCE_EXHAUSTED for more than
// `max_bytes` of arrays.
StatusOr<Npz> ReadArrays(std::string_view bytes, i64 max_bytes = kDefaultNpzBytes);

}  // namespace axle
