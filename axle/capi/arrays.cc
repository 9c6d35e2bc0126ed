// Files of named arrays, .npz and safetensors, in and out.
#include "axle/capi/handles.h"
#include "axle/core/safetensors.h"

struct axle_arrays {
  struct Member {
    std::string name;
    axle::NpyArray array;
    axle_array view = {};  // of `array`
  };
  std::vector<Member> members;  // none is added once their views are made
};

namespace axle {
namespace {

constexpr i64 kNoLimit = std::numeric_limits<i64>::max();

std::unique_ptr<axle_arrays> MakeHandle(Npz arrays) {
  auto handle = std::make_unique<axle_arrays>();
  handle->members.reserve(arrays.size());
  for (auto& [name, array] : arrays) handle->members.push_back({name, std::move(array)});
  for (axle_arrays::Member& member : handle->members) {
    std::string& bytes = member.array.bytes;
    if (member.array.type == PRED) {
      for (char& byte : bytes) byte = byte != 0 ? 1 : 0;
    }
    member.view = {.struct_size = sizeof(axle_array),
                   .type = member.array.type,
                   .rank = member.array.dims.size(),
                   .dims = member.array.dims.data(),
                   .byte_strides = nullptr,
                   .data = bytes.data(),
                   .sizes = nullptr};
  }
  return handle;
}

}  // namespace
}  // namespace axle

axle_status* axle::ReadArrayFile(const void* bytes, size_t size, axle_limits* limits,
                                 axle_arrays** arrays) {
  constexpr const char* kFunction = "axle_arrays_read";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"arrays", arrays}}));
    if (size > 0) AXLE_TRY(axle::CheckNotNull(kFunction, {{"bytes", bytes}}));
    const axle::i64 most = limits == nullptr ? axle::kNoLimit : limits->value.memory_cap();
    AXLE_ASSIGN(axle::Npz npz, axle::ReadArrays({static_cast<const char*>(bytes), size}, most));
    *arrays = axle::MakeHandle(std::move(npz)).release();
    return {};
  });
}

void axle_arrays_destroy(axle_arrays* arrays) {
  delete arrays;
}

size_t axle_arrays_count(const axle_arrays* arrays) {
  return arrays == nullptr ? 0 : arrays->members.size();
}

const char* axle_arrays_name(const axle_arrays* arrays, size_t i) {
  return i < axle_arrays_count(arrays) ? arrays->members[i].name.c_str() : nullptr;
}

const axle_array* axle_arrays_at(const axle_arrays* arrays, size_t i) {
  return i < axle_arrays_count(arrays) ? &arrays->members[i].view : nullptr;
}

axle_status* axle::WriteArrayFile(const char* format, const char* const* names,
                                  const axle_array* const* arrays, size_t num_arrays,
                                  axle_bytes** file) {
  constexpr const char* kFunction = "axle_arrays_write";
  return axle::Guarded(kFunction, [&]() -> axle::Status {
    AXLE_TRY(axle::CheckNotNull(kFunction, {{"format", format}, {"file", file}}));
    if (num_arrays > 0) {
      AXLE_TRY(axle::CheckNotNull(kFunction, {{"names", names}, {"arrays", arrays}}));
    }
    const std::string_view name = format;
    if (name != "npz" && name != "safetensors") {
      return axle::InvalidArgument(axle::StrCat(kFunction, ": unknown format \"",
                                                axle::PrintableText(name),
                                                "\"; there are npz and safetensors"));
    }
    std::vector<std::pair<std::string, axle::Literal>> members;
    for (size_t i = 0; i < num_arrays; ++i) {
      AXLE_TRY(axle::CheckNotNull(kFunction, {{"a name", names[i]}}));
      AXLE_ASSIGN(const axle::HostArray array, axle::ReadArray(kFunction, arrays[i]));
      AXLE_ASSIGN(axle::Literal value,
                  axle::ReadValue(kFunction, names[i], array, array.shape, axle::HostRead::kView));
      members.emplace_back(names[i], std::move(value));
    }
    const bool is_npz = name == "npz";
    AXLE_ASSIGN(std::string bytes, is_npz ? axle::WriteNpz(members, /*deflate=*/false)
                                          : axle::WriteSafetensors(members));
    *file = new axle_bytes{std::move(bytes)};
    return {};
  });
}
