// The objects behind the opaque types of PJRT's C interface.
//
// Lifetimes. A client of the interface may destroy its objects in any order, from any thread:
// buffers and executables after their PJRT_Client, for instance. The devices, their memories and
// the topology belong to a ClientState, which every other object holds a share of. Nothing in this
// folder holds a lock while it calls back, but for the `instantiate` of an FFI handler, which runs
// once for a call site.
#pragma once
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "axle/client/buffer.h"
#include "axle/client/client.h"
#include "axle/client/executable.h"
#include "axle/client/future.h"
#include "axle/client/shardings.h"
#include "axle/pjrt/abi.h"

namespace axle::pjrt {
struct ClientState;
struct ExecutableState;
class FfiCallSites;  // pjrt/ffi.h
}  // namespace axle::pjrt

struct PJRT_Event {
  axle::Future future;
};

// A list of named values that lives as long as its owner.
namespace axle::pjrt {
class NamedValues {
 public:
  void Add(std::string name, std::string value);
  void Add(std::string name, i64 value);
  void Add(std::string name, float value);
  void Add(std::string name, std::vector<i64> value);
  const PJRT_NamedValue* data() const { return values_.data(); }
  size_t size() const { return values_.size(); }

 private:
  PJRT_NamedValue& Next(std::string name);
  std::vector<PJRT_NamedValue> values_;
  std::vector<std::unique_ptr<const std::string>> texts_;
  std::vector<std::unique_ptr<const std::vector<i64>>> lists_;
};
}  // namespace axle::pjrt

struct PJRT_DeviceDescription {
  int id;
  int process_index;
  std::string debug_string;
  std::string to_string;
  axle::pjrt::NamedValues attributes;
};

// The memory of a device of this process, which is the only kind of memory. The table of functions
// keeps what clients attach to it.
struct PJRT_Memory {
  PJRT_Memory(int id, PJRT_Device* device);
  ~PJRT_Memory();
  PJRT_Memory(const PJRT_Memory&) = delete;
  PJRT_Memory& operator=(const PJRT_Memory&) = delete;

  const PJRT_Memory_FunctionTable* const table;  // the first member, as clients expect
  const int id;
  PJRT_Device* const device;
  const std::string debug_string;
  struct Attached {
    void* data;
    void (*destructor)(void* data);
  };
  std::mutex mutex;
  std::map<void*, Attached> attached;
};

// A device of this process, or of another one of the job, which can be named and not used.
struct PJRT_Device {
  // `device` is null for one of another process.
  PJRT_Device(axle::Device* device, axle::i64 id, int process, std::string_view platform);

  bool is_addressable() const { return device != nullptr; }
  // The number among the devices of this process; -1 for one of another process.
  int local_ordinal() const;

  axle::Device* const device;
  PJRT_DeviceDescription description;
  std::unique_ptr<PJRT_Memory> memory;  // null for one of another process
  PJRT_Memory* memories[1];
};

struct PJRT_TopologyDescription {
  const axle::pjrt::ClientState* client;
  std::vector<PJRT_DeviceDescription*> descriptions;
  axle::pjrt::NamedValues attributes;
};

namespace axle::pjrt {

inline constexpr std::string_view kMemoryKind = "device";
inline constexpr std::string_view kDeviceKind = "cpu";

std::string_view AxleVersion();
// A number that is the same for equal bytes, in every process (FNV-1a).
std::uint64_t FingerprintOf(std::string_view bytes);

struct ClientState : std::enable_shared_from_this<ClientState> {
  std::unique_ptr<Client> client;
  std::string platform_name;
  std::string platform_version;
  int process_index = 0;
  int num_processes = 1;
  std::vector<std::unique_ptr<PJRT_Device>> devices;
  std::vector<PJRT_Device*> device_pointers;  // of all processes, by id
  std::vector<PJRT_Device*> own_devices;      // of this process
  std::vector<PJRT_Memory*> memory_pointers;  // of this process
  PJRT_TopologyDescription topology;

  // The first devices, r * partitions + p for replica r and partition p: those of this process if
  // it has as many, as a program of few devices is for who compiles it, else those of all
  // processes. INVALID_ARGUMENT if there are not so many.
  StatusOr<std::vector<i64>> DefaultDevices(i64 replicas, i64 partitions) const;
  PJRT_Device* DeviceOf(const Device& device) const {
    return own_devices[static_cast<size_t>(device.ordinal())];
  }
  // The device that a call names by a memory or a device. INVALID_ARGUMENT if it is not one of this
  // client's and this process's, and if both are null.
  StatusOr<PJRT_Device*> Choose(const PJRT_Device* device, const PJRT_Memory* memory) const;
};

// `type` and sizes as PJRT spells them, as a shape. INVALID_ARGUMENT for an unknown type, null
// sizes, or sizes that no shape has; `layout` may be null, and must be row-major.
StatusOr<Shape> ReadShape(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims,
                          const PJRT_Buffer_MemoryLayout* layout);
// The minor-to-major order that a layout describes for an array of this shape: UNIMPLEMENTED for
// tiles, INVALID_ARGUMENT for anything that is no layout of such an array.
StatusOr<Dims> ReadLayout(const Shape& shape, const PJRT_Buffer_MemoryLayout& layout);

// The numbers of element types in the two enumerations: INVALID_ARGUMENT for types that PJRT does
// not have, and 0 in the other direction.
StatusOr<ElementType> TypeOf(PJRT_Buffer_Type type);
PJRT_Buffer_Type TypeNumber(ElementType type);

}  // namespace axle::pjrt

// The layout of an array, as text: {1,0}.
struct PJRT_Layouts_MemoryLayout {
  std::string text;
};

struct PJRT_Client {
  std::shared_ptr<axle::pjrt::ClientState> state;
};

struct PJRT_Buffer {
  PJRT_Buffer(std::shared_ptr<const axle::pjrt::ClientState> client, axle::BufferPtr buffer);

  // Keeps the value in its place until the last external reference is gone, whatever becomes of
  // the buffer. Errors: those of Buffer::Pin.
  axle::Status AddReference();
  axle::Status DropReference();
  bool has_references();
  // The address of the elements, which stay there as long as the value lives; waits for the value.
  axle::StatusOr<const void*> Address() const;

  const std::shared_ptr<const axle::pjrt::ClientState> client;
  const axle::BufferPtr buffer;
  PJRT_Device* const device;
  const std::vector<size_t> dynamic_dims;
  const axle::Dims minor_to_major;

 private:
  std::mutex mutex_;
  axle::i64 num_references_ = 0;
  std::optional<axle::Buffer::View> pin_;  // while there are references
};

namespace axle::pjrt {

// The text of the row-major layout of an array, {1,0}.
std::string RowMajorText(i64 rank);

// An executable: shared by its handles and by what is running.
struct ExecutableState {
  // The program for a device. A portable program is compiled for each device that it is run on.
  StatusOr<std::shared_ptr<Executable>> For(const PJRT_Device& device);

  std::shared_ptr<ClientState> client;
  std::shared_ptr<const Module> module;
  CompileOptions options;
  std::string option_bytes;
  std::shared_ptr<Executable> executable;  // for the device of the options
  bool is_portable = false;
  bool has_tupled_arguments = false;
  bool calls_user = false;
  std::shared_ptr<FfiCallSites> call_sites;  // if it calls functions of the user
  // A run is so short that it is not worth another thread.
  std::atomic<bool> is_short = false;
  std::mutex mutex;
  std::map<const PJRT_Device*, std::shared_ptr<Executable>> portable;  // under the mutex

  // What clients ask; their pointers live as long as the executable.
  std::string name;
  std::string fingerprint;
  std::uint64_t code_fingerprint = 0;  // of the program's bytes
  std::string device_assignment;       // a DeviceAssignmentProto; empty for a portable program
  size_t num_devices = 0;              // of all processes
  std::vector<PJRT_Device*> devices;   // those of this process, and what they run
  std::vector<PJRT_LogicalDeviceIds> logical_ids;
  size_t num_parameters = 0;
  std::vector<PJRT_Buffer_Type> output_types;
  std::vector<int64_t> output_dims;  // of all outputs
  std::vector<size_t> output_ranks;
  std::vector<const char*> output_memory_kinds, parameter_memory_kinds;
  std::vector<size_t> output_memory_kind_sizes, parameter_memory_kind_sizes;
  ProgramShardings shardings;  // of several partitions; and what the extension gives of them
  std::vector<const char*> output_shardings, parameter_shardings;
  std::vector<size_t> output_sharding_sizes, parameter_sharding_sizes;
  std::vector<std::unique_ptr<PJRT_Layouts_MemoryLayout>> layouts;
  std::vector<PJRT_Layouts_MemoryLayout*> output_layouts, parameter_layouts;
  NamedValues costs;
  MemoryAnalysis memory;
};

// Copies a buffer, whose value may be pending, to a device. Errors: those of Buffer::Use.
StatusOr<PJRT_Buffer*> CopyBuffer(const PJRT_Buffer& from, PJRT_Device& device);

}  // namespace axle::pjrt

struct PJRT_Executable {
  std::shared_ptr<axle::pjrt::ExecutableState> state;
};

struct PJRT_LoadedExecutable {
  std::shared_ptr<axle::pjrt::ExecutableState> state;
  std::atomic<bool> is_deleted = false;
};
