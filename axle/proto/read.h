// HloModuleProto, HloProto and HloSnapshot in. Generic over the op table. Errors name the byte and
// the path of fields to it: "hlo proto: byte 34, field 3.2.2: unknown operation "foo"".
//
// Thread-safe. Sets and restores the floating-point mode itself.
#pragma once
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "axle/core/limits.h"
#include "axle/core/literal.h"
#include "axle/core/status.h"
#include "axle/ir/module.h"

namespace axle {

struct ReadProtoOptions {
  Limits* limits = nullptr;
  // Opens every message.
  std::string_view label = "hlo proto";
  bool strict_types = false;  // as in ParseOptions
};

// Any bytes give a verified module or an error. Fields that are unknown are skipped. Computations
// come before their callers, instructions before their users, as XLA writes them.
StatusOr<std::unique_ptr<Module>> ReadModuleProto(std::string_view bytes,
                                                  const ReadProtoOptions& options = {});

// A module with what XLA dumps beside it.
struct HloSnapshot {
  std::unique_ptr<Module> module;
  std::vector<Literal> arguments;  // as many as the entry has parameters, or none
  std::optional<Literal> result;
};

// HloProto has a module only.
StatusOr<HloSnapshot> ReadHloProto(std::string_view bytes, const ReadProtoOptions& options = {});
StatusOr<HloSnapshot> ReadHloSnapshot(std::string_view bytes, const ReadProtoOptions& options = {});

// Which message these bytes are likely to be.
enum class ProtoKind : std::uint8_t { kModule, kHlo, kSnapshot };
// Nothing if they are none of them.
std::optional<ProtoKind> DetectProto(std::string_view bytes);

}  // namespace axle
