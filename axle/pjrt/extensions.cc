// The extensions: layouts, shardings, kinds of memory; those of FFI and the profiler are apart. All
// arrays are row-major and each device has one memory, so that there is little to say about them;
// clients guess where an extension is missing, and ask for the program after compilation.
#include "axle/pjrt/extensions.h"

#include "axle/core/strings.h"
#include "axle/pjrt/ffi.h"
#include "axle/pjrt/handles.h"
#include "axle/pjrt/profiler.h"

// The one kind of memory.
struct PJRT_MemoryDescription {};

namespace axle::pjrt {

std::string RowMajorText(i64 rank) {
  // {2,1,0}; {} of a scalar.
  std::string text = "{";
  for (i64 d = rank - 1; d >= 0; --d) text += StrCat(d, d == 0 ? "" : ",");
  return text + "}";
}

namespace {

Status MemoryLayout_Destroy(PJRT_Layouts_MemoryLayout_Destroy_Args& args) {
  delete args.layout;
  return {};
}

Status MemoryLayout_Serialize(PJRT_Layouts_MemoryLayout_Serialize_Args& args) {
  auto text = std::make_unique<std::string>(args.layout->text);
  args.serialized_bytes = text->data();
  args.serialized_bytes_size = text->size();
  args.serialized_layout_deleter = [](PJRT_Layouts_SerializedLayout* layout) {
    delete reinterpret_cast<std::string*>(layout);
  };
  args.serialized_layout = reinterpret_cast<PJRT_Layouts_SerializedLayout*>(text.release());
  return {};
}

Status Client_GetDefaultLayout(PJRT_Layouts_Client_GetDefaultLayout_Args& args) {
  AXLE_ASSIGN(const Shape shape, ReadShape(args.type, args.dims, args.num_dims, nullptr));
  args.layout = new PJRT_Layouts_MemoryLayout{RowMajorText(shape.rank())};
  return {};
}

Status Topology_GetDefaultLayout(PJRT_Layouts_Topology_GetDefaultLayout_Args& args) {
  AXLE_ASSIGN(const Shape shape, ReadShape(args.type, args.dims, args.num_dims, nullptr));
  args.layout = new PJRT_Layouts_MemoryLayout{RowMajorText(shape.rank())};
  return {};
}

Status Buffer_MemoryLayout(PJRT_Layouts_Buffer_MemoryLayout_Args& args) {
  args.layout = new PJRT_Layouts_MemoryLayout{RowMajorText(args.buffer->buffer->shape().rank())};
  return {};
}

Status Executable_GetOutputLayouts(PJRT_Layouts_Executable_GetOutputLayouts_Args& args) {
  args.num_outputs = args.executable->state->output_layouts.size();
  args.layouts = args.executable->state->output_layouts.data();
  return {};
}

Status Executable_GetParameterLayouts(PJRT_Layouts_Executable_GetParameterLayouts_Args& args) {
  args.num_parameters = args.executable->state->parameter_layouts.size();
  args.layouts = args.executable->state->parameter_layouts.data();
  return {};
}

// Null: none, as there is one partition or nothing to divide; clients take an empty list for an
// error.
Status Executable_ParameterShardings(PJRT_Shardings_Executable_ParameterShardings_Args& args) {
  const ExecutableState& state = *args.executable->state;
  const bool has_shardings = !state.parameter_shardings.empty();
  args.num_parameters = state.num_parameters;
  args.shardings = has_shardings ? state.parameter_shardings.data() : nullptr;
  args.sharding_sizes = has_shardings ? state.parameter_sharding_sizes.data() : nullptr;
  return {};
}

Status Executable_OutputShardings(PJRT_Shardings_Executable_OutputShardings_Args& args) {
  const ExecutableState& state = *args.executable->state;
  const bool has_shardings = !state.output_shardings.empty();
  args.num_outputs = state.output_types.size();
  args.shardings = has_shardings ? state.output_shardings.data() : nullptr;
  args.sharding_sizes = has_shardings ? state.output_sharding_sizes.data() : nullptr;
  return {};
}

Status DeviceDescription_MemoryDescriptions(PJRT_DeviceDescription_MemoryDescriptions_Args& args) {
  static constexpr PJRT_MemoryDescription kDescription;
  static constexpr const PJRT_MemoryDescription* kDescriptions[] = {&kDescription};
  args.memory_descriptions = kDescriptions;
  args.num_memory_descriptions = std::size(kDescriptions);
  args.default_memory_index = 0;
  return {};
}

Status MemoryDescription_Kind(PJRT_MemoryDescription_Kind_Args& args) {
  args.kind = kMemoryKind.data();
  args.kind_size = kMemoryKind.size();
  args.kind_id = 0;
  return {};
}

// The entry of a table for a function: all of them are about an object.
template <auto kFunction>
struct Entry;
template <typename Args, Status (*kFunction)(Args&)>
struct Entry<kFunction> {
  static PJRT_Error* Do(Args* args) { return Call("pjrt extension", true, args, kFunction); }
};

PJRT_MemoryDescriptions_Extension memory_descriptions = {
    .base = {sizeof(PJRT_MemoryDescriptions_Extension), PJRT_Extension_Type_MemoryDescriptions,
             nullptr},
    .DeviceDescription_MemoryDescriptions = Entry<DeviceDescription_MemoryDescriptions>::Do,
    .MemoryDescription_Kind = Entry<MemoryDescription_Kind>::Do,
};

PJRT_Shardings_Extension shardings = {
    .base = {sizeof(PJRT_Shardings_Extension), PJRT_Extension_Type_Shardings,
             &memory_descriptions.base},
    .Executable_ParameterShardings = Entry<Executable_ParameterShardings>::Do,
    .Executable_OutputShardings = Entry<Executable_OutputShardings>::Do,
};

PJRT_Layouts_Extension layouts = {
    .base = {sizeof(PJRT_Layouts_Extension), PJRT_Extension_Type_Layouts, &shardings.base},
    .MemoryLayout_Destroy = Entry<MemoryLayout_Destroy>::Do,
    .MemoryLayout_Serialize = Entry<MemoryLayout_Serialize>::Do,
    .Client_GetDefaultLayout = Entry<Client_GetDefaultLayout>::Do,
    .Buffer_MemoryLayout = Entry<Buffer_MemoryLayout>::Do,
    .Topology_GetDefaultLayout = Entry<Topology_GetDefaultLayout>::Do,
    .Executable_GetOutputLayouts = Entry<Executable_GetOutputLayouts>::Do,
    .Executable_GetParameterLayouts = Entry<Executable_GetParameterLayouts>::Do,
};

}  // namespace

PJRT_Extension_Base* Extensions() {
  return FfiExtension(ProfilerExtension(&layouts.base));
}

}  // namespace axle::pjrt
