#include "axle/proto/attributes.h"

#include <algorithm>
#include <array>

#include "axle/core/stable_sort.h"

namespace axle {
namespace {

constexpr size_t kMaxPath = 3;
using Path = std::array<int, kMaxPath>;

Path PathOf(const AttrSpec& spec) {
  return {spec.proto.field, spec.proto.subfield, spec.proto.subsubfield};
}

// Fields before the last one are messages around it.
size_t Length(const Path& path) {
  return std::ranges::find(path, 0) - path.begin();
}

using SpecSpan = std::span<const AttrSpec* const>;

// Writes the specs, which agree in the first `depth` fields of their paths, into the message there.
void WriteSpecs(SpecSpan specs, size_t depth, const void* values, const Shape& result,
                WireWriter& out) {
  if (depth >= kMaxPath) return;  // no path is longer, which g++ does not see
  for (size_t i = 0; i < specs.size();) {
    const Path path = PathOf(*specs[i]);
    if (Length(path) == depth + 1) {
      specs[i]->kind->write(specs[i]->Field(values), result, path[depth], out);
      ++i;
      continue;
    }
    size_t end = i;
    while (end < specs.size() && PathOf(*specs[end])[depth] == path[depth]) ++end;
    WireWriter message;
    WriteSpecs(specs.subspan(i, end - i), depth + 1, values, result, message);
    out.Message(path[depth], message);
    i = end;
  }
}

bool Takes(const AttrSpec& spec, size_t depth, int field) {
  if (PathOf(spec)[depth] == field) return true;
  return depth == 0 &&
         std::ranges::find(spec.kind->other_fields, field) != spec.kind->other_fields.end();
}

// Gives every field of `in` to the specs whose path it has.
Status ReadSpecs(SpecSpan specs, size_t depth, const Shape& result, WireReader& in, void* attrs) {
  return ReadFields(in, [&](const WireReader& field) -> Status {
    std::vector<const AttrSpec*> inside;
    for (const AttrSpec* spec : specs) {
      if (!Takes(*spec, depth, field.field())) continue;
      if (Length(PathOf(*spec)) > depth + 1) {
        inside.push_back(spec);
      } else {
        AXLE_TRY(spec->kind->read(field, result, spec->field(attrs)));
      }
    }
    if (inside.empty()) return {};
    AXLE_ASSIGN(WireReader message, field.Message());
    return ReadSpecs(inside, depth + 1, result, message, attrs);
  });
}

std::vector<const AttrSpec*> SpecsInProto(const OpDef& def) {
  std::vector<const AttrSpec*> specs;
  for (const AttrSpec& spec : def.attrs.specs) {
    if (spec.proto.field != 0) specs.push_back(&spec);
  }
  StableSort(specs, [](const AttrSpec* a, const AttrSpec* b) { return PathOf(*a) < PathOf(*b); });
  return specs;
}

// Whether all that `spec` would write is a message without fields, which a missing one stands for.
// To XLA an empty window is a window.
bool IsEmptyMessage(const AttrSpec& spec, const OpDef& def, const void* values,
                    const Shape& result) {
  const std::shared_ptr<void> missing = def.attrs.create();
  spec.kind->clear(spec.field(missing.get()));
  if (!spec.kind->equal(spec.Field(values), spec.Field(missing.get()))) return false;
  WireWriter out;
  spec.kind->write(spec.Field(values), result, spec.proto.field, out);
  const std::string bytes = out.Take();
  WireReader in(bytes, "");
  if (!in.Next()) return false;
  const StatusOr<std::string_view> message = in.Bytes();
  return message.ok() && message->empty();
}

std::vector<const AttrSpec*> SpecsToWrite(const OpDef& def, const void* values,
                                          const Shape& result) {
  std::vector<const AttrSpec*> specs = SpecsInProto(def);
  std::erase_if(specs, [&](const AttrSpec* spec) {
    return spec->presence == Presence::kOptional && IsEmptyMessage(*spec, def, values, result);
  });
  return specs;
}

}  // namespace

void WriteAttributes(const OpDef& def, const AttrBlock& attrs, const Shape& result,
                     WireWriter& out) {
  if (def.attrs.specs.empty()) return;
  const void* values = attrs.values.get();
  WriteSpecs(SpecsToWrite(def, values, result), 0, values, result, out);
}

Status ReadAttributes(const OpDef& def, const Shape& result, WireReader& instruction, void* attrs) {
  const std::vector<const AttrSpec*> specs = SpecsInProto(def);
  for (const AttrSpec* spec : specs) spec->kind->clear(spec->field(attrs));
  return ReadSpecs(specs, 0, result, instruction, attrs);
}

}  // namespace axle
