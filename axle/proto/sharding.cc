#include "axle/proto/sharding.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "axle/core/strings.h"
#include "axle/ops/attributes/device_lists_wire.h"
#include "axle/proto/common_fields.h"

namespace axle {
namespace {

namespace op_sharding {
enum {
  kType = 1,
  kTileDimensions = 3,
  kTileDevices = 4,
  kTupleShardings = 5,
  kReplicateOnLastTileDim = 6,
  kMetadata = 7,
  kLastTileDims = 8,
  kIotaReshapeDims = 9,
  kIotaTransposePerm = 10,
  kIsShardGroup = 11,
  kShardGroupId = 12,
  kShardGroupType = 13,
  kNamedSharding = 14,
};
}  // namespace op_sharding

namespace named_sharding {
enum {
  kMesh = 2,
  kDimShardings = 3,
  kReplicatedAxes = 4,
  kUnreducedAxes = 5,
  kMetadata = 6,
  kManualAxes = 7,
  kReductionOp = 8,
};
}  // namespace named_sharding

enum Type : std::uint8_t { kReplicated, kMaximal, kTuple, kOther, kManual, kUnknown, kUnreduced };
// The words of text, by number; those that are no word of their own are "".
constexpr std::array<std::string_view, 7> kTypeWords = {"replicated", "maximal", "",         "",
                                                        "manual",     "unknown", "unreduced"};
constexpr std::array<std::string_view, 3> kReductions = {"sum", "max", "min"};

template <size_t kCount>
i64 NumberOf(const std::array<std::string_view, kCount>& words, std::string_view word) {
  return std::ranges::find(words, word) - words.begin();
}

// {...} or {{...},{...}} behind "metadata=".
Status WriteMetadataList(Scanner& scanner, int field, WireWriter& out) {
  const auto add = [&]() -> Status {
    AXLE_ASSIGN(const OwnedMetadata metadata, ParseMetadata(scanner));
    out.Message(field, MetadataMessage(metadata.value));
    return {};
  };
  const size_t begin = scanner.position();
  const bool is_list = scanner.Consume("{") && scanner.Peek("{");
  scanner.Rewind(begin);
  return is_list ? scanner.List("{", "}", add) : add();
}

// --- Out: tiles
// -----------------------------------------------------------------------------------

// What follows "devices=".
Status WriteDevices(Scanner& scanner, WireWriter& out) {
  out.Int(op_sharding::kType, kOther);
  AXLE_ASSIGN(const Dims tile, ParseTileDims(scanner));
  out.Ints(op_sharding::kTileDimensions, tile);
  if (scanner.Consume("<=")) {
    AXLE_ASSIGN(const IotaDevices iota, ParseIotaDevices(scanner));
    out.Ints(op_sharding::kIotaReshapeDims, iota.reshape);
    out.Ints(op_sharding::kIotaTransposePerm, iota.transpose);
    return {};
  }
  Dims devices;
  do {
    AXLE_ASSIGN(devices.emplace_back(), scanner.Integer());
  } while (scanner.Consume(","));
  out.Ints(op_sharding::kTileDevices, devices);
  return {};
}

Status WriteTileWord(Scanner& scanner, WireWriter& out) {
  const std::string_view word = scanner.Word();
  if (word == "last_tile_dim_replicate") {
    out.Bool(op_sharding::kReplicateOnLastTileDim, true);
  } else if (word == "shard_as" || word == "shard_like") {
    AXLE_ASSIGN(const i64 group, scanner.Integer());
    out.Bool(op_sharding::kIsShardGroup, true);
    out.Int(op_sharding::kShardGroupId, group);
    out.Int(op_sharding::kShardGroupType, word == "shard_like" ? 1 : 0);
  } else {
    const i64 type = NumberOf(kTypeWords, word);
    out.Int(op_sharding::kType, type);
    if (type != kMaximal) return {};
    scanner.AttributeName();
    AXLE_ASSIGN(const i64 device, scanner.Integer());
    out.Ints(op_sharding::kTileDimensions, Dims{1});
    out.Ints(op_sharding::kTileDevices, Dims{device});
  }
  return {};
}

// Words up to and with the '}' that closes the sharding.
Status WriteTiles(Scanner& scanner, WireWriter& out) {
  while (!scanner.Consume("}")) {
    const std::string_view key = scanner.AttributeName();
    if (key == "devices") {
      AXLE_TRY(WriteDevices(scanner, out));
    } else if (key == "last_tile_dims") {
      Dims types;
      AXLE_TRY(scanner.List("{", "}", [&]() -> Status {
        types.push_back(NumberOf(kTypeWords, scanner.Word()));
        return {};
      }));
      out.Ints(op_sharding::kLastTileDims, types);
    } else if (key == "metadata") {
      AXLE_TRY(WriteMetadataList(scanner, op_sharding::kMetadata, out));
    } else {
      const size_t begin = scanner.position();
      AXLE_TRY(WriteTileWord(scanner, out));
      if (scanner.position() == begin) return scanner.Expected("a word of a sharding");
    }
  }
  return {};
}

// --- Out: axes of a mesh
// ----------------------------------------------------------------------------

// {'x', 'y', ?}; `is_closed` says that there is no '?'.
Status WriteAxes(Scanner& scanner, const DeviceMesh& mesh, int field, WireWriter& out,
                 bool* is_closed = nullptr) {
  AXLE_TRY(scanner.Expect("{"));
  while (!scanner.Consume("}")) {
    scanner.Consume(",");
    if (scanner.Consume("?")) {
      if (is_closed != nullptr) *is_closed = false;
      continue;
    }
    AXLE_ASSIGN(const MeshAxisRef ref, ParseMeshAxisRef(scanner, mesh));
    out.Message(field, MeshAxisRefMessage(ref));
  }
  return {};
}

void WriteAllAxes(const DeviceMesh& mesh, int field, WireWriter& out) {
  for (i64 axis = 0; axis < static_cast<i64>(mesh.axes.size()); ++axis) {
    out.Message(field, MeshAxisRefMessage({.axis = axis}));
  }
}

// max{'x'}, {'x'}, max, or nothing: then all axes if `is_kind`.
Status WriteReduction(Scanner& scanner, const DeviceMesh& mesh, bool is_kind, WireWriter& out) {
  const std::string_view op = scanner.PeekWord();
  if (const i64 number = NumberOf(kReductions, op); number < std::ssize(kReductions)) {
    scanner.Word();
    out.Int(named_sharding::kReductionOp, number);
  }
  if (scanner.Peek("{")) return WriteAxes(scanner, mesh, named_sharding::kUnreducedAxes, out);
  if (is_kind) WriteAllAxes(mesh, named_sharding::kUnreducedAxes, out);
  return {};
}

Status WriteDims(Scanner& scanner, const DeviceMesh& mesh, WireWriter& out) {
  return scanner.List("[", "]", [&]() -> Status {
    WireWriter dim;
    bool is_closed = true;
    AXLE_TRY(WriteAxes(scanner, mesh, 1, dim, &is_closed));
    dim.Bool(2, is_closed);
    out.Message(named_sharding::kDimShardings, dim);
    return {};
  });
}

Status WriteMeshKey(Scanner& scanner, const DeviceMesh& mesh, WireWriter& out) {
  const std::string_view key = scanner.AttributeName();
  if (key == "metadata") return WriteMetadataList(scanner, named_sharding::kMetadata, out);
  if (key == "unreduced") return WriteReduction(scanner, mesh, /*is_kind=*/false, out);
  return WriteAxes(scanner, mesh,
                   key == "manual" ? named_sharding::kManualAxes : named_sharding::kReplicatedAxes,
                   out);
}

// Instead of dimensions: replicated, manual, unreduced, unreduced=max.
Status WriteKind(Scanner& scanner, const DeviceMesh& mesh, WireWriter& out) {
  if (scanner.AttributeName() == "unreduced") {
    return WriteReduction(scanner, mesh, /*is_kind=*/true, out);
  }
  const std::string_view word = scanner.Word();
  if (word == "manual") WriteAllAxes(mesh, named_sharding::kManualAxes, out);
  if (word == "unreduced") WriteAllAxes(mesh, named_sharding::kUnreducedAxes, out);
  return {};
}

Status WriteNamed(Scanner& scanner, WireWriter& out) {
  AXLE_ASSIGN(const DeviceMesh mesh, ParseDeviceMesh(scanner));
  out.Message(named_sharding::kMesh, DeviceMeshMessage(mesh));
  if (scanner.Consume(",")) {
    AXLE_TRY(scanner.Peek("[") ? WriteDims(scanner, mesh, out) : WriteKind(scanner, mesh, out));
  }
  while (scanner.Consume(",")) AXLE_TRY(WriteMeshKey(scanner, mesh, out));
  out.SortFields();
  return scanner.Expect("}");
}

// What follows the '{' of a sharding that is not a tuple.
Status WriteSingle(Scanner& scanner, WireWriter& out) {
  const std::string_view word = scanner.PeekWord();
  if (word == "mesh" || word == "maximal_mesh") {
    WireWriter named;
    AXLE_TRY(WriteNamed(scanner, named));
    out.Message(op_sharding::kNamedSharding, named);
  } else {
    AXLE_TRY(WriteTiles(scanner, out));
    out.SortFields();
  }
  return {};
}

Status WriteSharding(Scanner& scanner, WireWriter& out) {
  AXLE_TRY(scanner.Expect("{"));
  if (!scanner.Peek("{") && !scanner.Peek("}")) return WriteSingle(scanner, out);
  out.Int(op_sharding::kType, kTuple);
  while (!scanner.Consume("}")) {
    scanner.Consume(",");
    AXLE_TRY(scanner.Expect("{"));
    WireWriter element;
    AXLE_TRY(WriteSingle(scanner, element));
    out.Message(op_sharding::kTupleShardings, element);
  }
  return {};
}

// --- In
// -------------------------------------------------------------------------------------------

Status ReadMetadataItem(const WireReader& in, std::vector<std::string>& list) {
  OwnedMetadata metadata;
  AXLE_TRY(ReadMetadata(in, {}, metadata));
  const std::string text = MetadataText(metadata.value);
  list.push_back(text.empty() ? "{}" : text);
  return {};
}

std::string MetadataListText(const std::vector<std::string>& list) {
  return StrCat("metadata={", Join(list, ", "), "}");
}

class NamedReader {
 public:
  StatusOr<std::string> Read(const WireReader& in) {
    AXLE_TRY(ReadMessage(in, [&](const WireReader& field) { return ReadField(field); }));
    // Refs are printed by the names of their axes, so those must be there.
    for (const std::vector<MeshAxisRef>& list : dims_) {
      AXLE_TRY(CheckAxisNumbers(in, mesh_, list));
    }
    for (const auto* list : {&replicated_, &unreduced_, &manual_}) {
      AXLE_TRY(CheckAxisNumbers(in, mesh_, *list));
    }
    std::string text = StrCat("{", DeviceMeshText(mesh_));
    if (!mesh_.maximal_device) StrAppend(text, ", ", Body());
    if (!metadata_.empty()) StrAppend(text, ", ", MetadataListText(metadata_));
    return text + "}";
  }

 private:
  Status ReadField(const WireReader& field) {
    switch (field.field()) {
      case named_sharding::kMesh:
        return ReadDeviceMesh(field, mesh_);
      case named_sharding::kDimShardings:
        return ReadDim(field);
      case named_sharding::kReplicatedAxes:
        return ReadMeshAxisRef(field, replicated_.emplace_back());
      case named_sharding::kUnreducedAxes:
        return ReadMeshAxisRef(field, unreduced_.emplace_back());
      case named_sharding::kManualAxes:
        return ReadMeshAxisRef(field, manual_.emplace_back());
      case named_sharding::kMetadata:
        return ReadMetadataItem(field, metadata_);
      case named_sharding::kReductionOp: {
        AXLE_ASSIGN(const i64 op, field.Int());
        if (op < 0 || op >= std::ssize(kReductions)) {
          return field.Error(StrCat("there is no reduction ", op));
        }
        if (op != 0) reduction_ = kReductions[op];
        return {};
      }
      default:
        return {};
    }
  }

  Status ReadDim(const WireReader& in) {
    std::vector<MeshAxisRef>& refs = dims_.emplace_back();
    bool is_closed = false;
    AXLE_TRY(ReadMessage(in, [&](const WireReader& field) -> Status {
      if (field.field() == 1) return ReadMeshAxisRef(field, refs.emplace_back());
      if (field.field() != 2) return {};
      AXLE_ASSIGN(is_closed, field.Bool());
      return {};
    }));
    is_closed_.push_back(is_closed);
    return {};
  }

  std::string AxesText(const std::vector<MeshAxisRef>& refs, bool is_closed = true) const {
    std::vector<std::string> texts;
    for (const MeshAxisRef& ref : refs) texts.push_back(MeshAxisRefText(mesh_, ref));
    if (!is_closed) texts.push_back("?");
    return StrCat("{", Join(texts, ", "), "}");
  }

  bool IsAllAxes(const std::vector<MeshAxisRef>& refs) const {
    bool all = refs.size() == mesh_.axes.size();
    for (size_t i = 0; all && i < refs.size(); ++i) {
      all = refs[i] == MeshAxisRef{.axis = static_cast<i64>(i)};
    }
    return all;
  }

  // The dimensions or what stands for them, and the keys.
  std::string Body() const {
    if (dims_.empty() && replicated_.empty()) {
      if (unreduced_.empty() && manual_.empty()) return "replicated";
      if (unreduced_.empty() && IsAllAxes(manual_)) return "manual";
      if (manual_.empty()) {
        const std::string axes = IsAllAxes(unreduced_) ? "" : AxesText(unreduced_);
        const bool is_plain = axes.empty() && reduction_.empty();
        return is_plain ? "unreduced" : StrCat("unreduced=", reduction_, axes);
      }
    }
    std::vector<std::string> dims;
    for (size_t i = 0; i < dims_.size(); ++i) dims.push_back(AxesText(dims_[i], is_closed_[i]));
    std::string text = StrCat("[", Join(dims, ", "), "]");
    if (!replicated_.empty()) StrAppend(text, ", replicated=", AxesText(replicated_));
    if (!unreduced_.empty()) StrAppend(text, ", unreduced=", reduction_, AxesText(unreduced_));
    if (!manual_.empty()) StrAppend(text, ", manual=", AxesText(manual_));
    return text;
  }

  DeviceMesh mesh_;
  std::vector<std::vector<MeshAxisRef>> dims_;
  std::vector<bool> is_closed_;
  std::vector<MeshAxisRef> replicated_, unreduced_, manual_;
  std::string_view reduction_;
  std::vector<std::string> metadata_;
};

class ShardingReader {
 public:
  // The text of one sharding; a tuple only if `may_be_tuple`.
  StatusOr<std::string> Read(const WireReader& in, bool may_be_tuple) {
    AXLE_TRY(ReadMessage(in, [&](const WireReader& field) { return ReadField(field); }));
    if (named_) return *named_;
    if (type_ == kTuple) {
      if (!may_be_tuple) return in.Error("a tuple inside of a tuple of shardings");
      return StrCat("{", Join(elements_, ", "), "}");
    }
    AXLE_ASSIGN(std::string text, Kind(in));
    if (replicate_on_last_tile_dim_) text += " last_tile_dim_replicate";
    if (!last_tile_dims_.empty()) {
      std::vector<std::string_view> words;
      for (i64 type : last_tile_dims_) {
        const bool is_word = type >= 0 && type < std::ssize(kTypeWords);
        if (!is_word) return in.Error(StrCat("there is no type of sharding ", type));
        words.push_back(kTypeWords[type]);
      }
      StrAppend(text, " last_tile_dims={", Join(words, ", "), "}");
    }
    if (is_shard_group_) {
      StrAppend(text, shard_group_type_ == 1 ? " shard_like " : " shard_as ", shard_group_id_);
    }
    if (!metadata_.empty()) {
      // A list of one is written without the braces of the list.
      StrAppend(
          text, " ",
          metadata_.size() == 1 ? StrCat("metadata=", metadata_[0]) : MetadataListText(metadata_));
    }
    return StrCat("{", text, "}");
  }
  bool is_tuple() const { return !named_ && type_ == kTuple; }

 private:
  Status ReadField(const WireReader& field) {
    const auto integer = [&](i64& value) -> Status {
      AXLE_ASSIGN(value, field.Int());
      return {};
    };
    const auto flag = [&](bool& value) -> Status {
      AXLE_ASSIGN(value, field.Bool());
      return {};
    };
    switch (field.field()) {
      case op_sharding::kType:
        return integer(type_);
      case op_sharding::kTileDimensions:
        return field.Ints(tile_);
      case op_sharding::kTileDevices:
        return field.Ints(devices_);
      case op_sharding::kTupleShardings: {
        ShardingReader element;
        AXLE_ASSIGN(elements_.emplace_back(), element.Read(field, /*may_be_tuple=*/false));
        return {};
      }
      case op_sharding::kReplicateOnLastTileDim:
        return flag(replicate_on_last_tile_dim_);
      case op_sharding::kMetadata:
        return ReadMetadataItem(field, metadata_);
      case op_sharding::kLastTileDims:
        return field.Ints(last_tile_dims_);
      case op_sharding::kIotaReshapeDims:
        return field.Ints(iota_.reshape);
      case op_sharding::kIotaTransposePerm:
        return field.Ints(iota_.transpose);
      case op_sharding::kIsShardGroup:
        return flag(is_shard_group_);
      case op_sharding::kShardGroupId:
        return integer(shard_group_id_);
      case op_sharding::kShardGroupType:
        return integer(shard_group_type_);
      case op_sharding::kNamedSharding: {
        AXLE_ASSIGN(named_, NamedReader().Read(field));
        return {};
      }
      default:
        return {};
    }
  }

  StatusOr<std::string> Kind(const WireReader& in) const {
    if (type_ == kOther) {
      return StrCat(
          "devices=[", Join(tile_, ","), "]",
          iota_.reshape.empty() ? Join(devices_, ",") : StrCat("<=", IotaDevicesText(iota_)));
    }
    if (type_ < 0 || type_ >= std::ssize(kTypeWords)) {
      return in.Error(StrCat("there is no type of sharding ", type_));
    }
    if (type_ != kMaximal) return std::string(kTypeWords[type_]);
    if (devices_.size() != 1) return in.Error("a maximal sharding names one device");
    return StrCat("maximal device=", devices_[0]);
  }

  i64 type_ = kReplicated;
  Dims tile_, devices_, last_tile_dims_;
  IotaDevices iota_;
  std::vector<std::string> elements_;
  bool replicate_on_last_tile_dim_ = false;
  bool is_shard_group_ = false;
  i64 shard_group_id_ = 0;
  i64 shard_group_type_ = 0;
  std::vector<std::string> metadata_;
  std::optional<std::string> named_;
};

}  // namespace

WireWriter ShardingMessage(std::string_view text) {
  WireWriter out;
  Scanner scanner(text);
  static_cast<void>(WriteSharding(scanner, out).ok());  // the IR holds texts that read
  return out;
}

StatusOr<ShardingText> ReadSharding(const WireReader& in) {
  ShardingReader reader;
  AXLE_ASSIGN(const std::string text, reader.Read(in, /*may_be_tuple=*/true));
  Scanner scanner(text);
  StatusOr<ShardingText> checked = ParseSharding(scanner);
  if (!checked.ok()) return in.Error(checked.status().message());
  if (!scanner.AtEnd()) return in.Error("cannot be written as text");
  return checked;
}

namespace {

constexpr int kDomainExitField = 54, kDomainEntryField = 55;

}  // namespace

void WriteDomainSharding(const DomainSharding& domain, WireWriter& instruction) {
  instruction.Message(kDomainExitField, ShardingMessage(domain.exit));
  instruction.Message(kDomainEntryField, ShardingMessage(domain.entry));
}

Status ReadDomainSharding(WireReader& instruction, DomainSharding& domain) {
  AXLE_TRY(ReadFields(instruction, [&](const WireReader& field) -> Status {
    if (field.field() != kDomainExitField && field.field() != kDomainEntryField) return {};
    AXLE_ASSIGN(ShardingText sharding, ReadSharding(field));
    (field.field() == kDomainExitField ? domain.exit : domain.entry) = std::move(sharding.text);
    return {};
  }));
  if (!domain.exit.empty() && !domain.entry.empty()) return {};
  return instruction.Error("a domain has an entry and an exit sharding");
}

}  // namespace axle
