#include "axle/text/sharding.h"

#include <algorithm>
#include <array>

#include "axle/core/strings.h"
#include "axle/ops/attributes/device_lists.h"
#include "axle/text/common_attributes.h"

namespace axle {
namespace {

// A comment after every fifth element, as in tuple shapes.
constexpr i64 kIndexCommentInterval = 5;

// Metadata texts of metadata={...} or metadata={{...},{...}}.
StatusOr<std::vector<std::string>> ParseMetadataList(Scanner& scanner) {
  std::vector<std::string> list;
  const auto add = [&]() -> Status {
    AXLE_ASSIGN(const OwnedMetadata metadata, ParseMetadata(scanner));
    const std::string text = MetadataText(metadata.value);
    list.push_back(text.empty() ? "{}" : text);
    return {};
  };
  const size_t begin = scanner.position();
  const bool is_list = scanner.Consume("{") && scanner.Peek("{");
  scanner.Rewind(begin);
  if (!is_list) {
    AXLE_TRY(add());
  } else {
    AXLE_TRY(scanner.List("{", "}", add));
  }
  return list;
}

// --- Tiles: words in any order -------------------------------------------------------------------

struct TileSharding {
  std::string kind;  // replicated, manual, ..., maximal device=3, or devices=[...]...
  std::string last_tile_dims;
  std::string shard_group;
  std::vector<std::string> metadata;
  Dims tile;  // of devices=
  bool replicate_last_tile_dim = false;
};

Status ParseDevices(Scanner& scanner, TileSharding& sharding) {
  AXLE_ASSIGN(sharding.tile, ParseTileDims(scanner));
  i64 expected = 1;
  for (i64 size : sharding.tile) expected *= size;
  i64 count = 0;
  Dims devices;
  if (scanner.Consume("<=")) {
    AXLE_ASSIGN(const IotaDevices iota, ParseIotaDevices(scanner));
    count = iota.size();
    sharding.kind = StrCat("<=", IotaDevicesText(iota));
  } else {
    do {
      AXLE_ASSIGN(devices.emplace_back(), scanner.Integer());
    } while (scanner.Consume(","));
    count = static_cast<i64>(devices.size());
    sharding.kind = Join(devices, ",");
  }
  if (count != expected) {
    return scanner.Error(StrCat("lists ", count, " devices but the tiles [",
                                Join(sharding.tile, ","), "] need ", expected));
  }
  std::ranges::sort(devices);
  if (!devices.empty() && devices.front() < 0) return scanner.Error("a device must be >= 0");
  if (const auto twice = std::ranges::adjacent_find(devices); twice != devices.end()) {
    return scanner.Error(StrCat("device ", *twice, " is there twice"));
  }
  return {};
}

constexpr std::array<std::string_view, 4> kKinds = {"replicated", "manual", "unknown", "unreduced"};
constexpr std::array<std::string_view, 4> kSubgroupTypes = {"manual", "replicated", "unreduced",
                                                            "maximal"};

bool IsOneOf(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

Status ParseSubgroupTypes(Scanner& scanner, TileSharding& sharding) {
  std::vector<std::string_view> types;
  AXLE_TRY(scanner.List("{", "}", [&]() -> Status {
    types.push_back(scanner.Word());
    if (IsOneOf(types.back(), kSubgroupTypes)) return {};
    return scanner.Error(StrCat("expected one of: ", Join(kSubgroupTypes, ", ")));
  }));
  if (types.size() > sharding.tile.size()) {
    return scanner.Error(
        StrCat("names ", types.size(), " tile dimensions, of ", sharding.tile.size()));
  }
  sharding.last_tile_dims = StrCat("{", Join(types, ", "), "}");
  return {};
}

// What follows "key=" in a sharding of tiles.
Status ParseTileKey(Scanner& scanner, std::string_view key, TileSharding& sharding) {
  const auto twice = [&](bool seen) {
    return seen ? scanner.Error(StrCat("second value for \"", key, "\"")) : Status();
  };
  if (key == "devices") {
    if (!sharding.kind.empty()) {
      return scanner.Error(StrCat("\"devices\" cannot stand beside \"", sharding.kind, "\""));
    }
    return ParseDevices(scanner, sharding);
  }
  if (key == "last_tile_dims") {
    AXLE_TRY(twice(!sharding.last_tile_dims.empty()));
    if (sharding.tile.empty()) return scanner.Error("\"last_tile_dims\" comes after \"devices\"");
    return ParseSubgroupTypes(scanner, sharding);
  }
  if (key == "metadata") {
    AXLE_TRY(twice(!sharding.metadata.empty()));
    AXLE_ASSIGN(sharding.metadata, ParseMetadataList(scanner));
    return {};
  }
  return scanner.Error(StrCat("unknown key \"", key, "\" of a sharding; it is one of: devices, ",
                              "last_tile_dims, metadata"));
}

Status ParseTileWord(Scanner& scanner, TileSharding& sharding) {
  const std::string_view word = scanner.Word();
  if (word == "shard_as" || word == "shard_like") {
    if (!sharding.shard_group.empty()) return scanner.Error("second shard group");
    AXLE_ASSIGN(const i64 group, scanner.Integer());
    sharding.shard_group = StrCat(word, " ", group);
    return {};
  }
  if (word == "last_tile_dim_replicate") {
    if (sharding.tile.empty()) return scanner.Error(StrCat("\"", word, "\" comes after devices="));
    sharding.replicate_last_tile_dim = true;
    return {};
  }
  if (word != "maximal" && !IsOneOf(word, kKinds)) {
    return scanner.Error(
        StrCat("expected a sharding: ", Join(kKinds, ", "), ", maximal, devices=... or mesh[...]"));
  }
  if (!sharding.kind.empty() || !sharding.tile.empty()) {
    return scanner.Error(StrCat("\"", word, "\" beside another kind of sharding"));
  }
  sharding.kind = word;
  if (word != "maximal") return {};
  if (scanner.AttributeName() != "device") return scanner.Expected("device=");
  AXLE_ASSIGN(const i64 device, scanner.Integer());
  if (device < 0) return scanner.Error("a device must be >= 0");
  StrAppend(sharding.kind, " device=", device);
  return {};
}

std::string TileShardingText(TileSharding& sharding, const ShardingOptions& options) {
  std::string out = "{";
  Dims& tile = sharding.tile;
  // The last dimension of the tiles only repeats, so without it nothing is lost.
  if (sharding.replicate_last_tile_dim && !tile.empty()) {
    const bool all_others_one =
        std::all_of(tile.begin(), tile.end() - 1, [](i64 size) { return size == 1; });
    if (all_others_one) {
      tile.clear();
      sharding.kind = "replicated";
      sharding.replicate_last_tile_dim = false;
    } else if (tile.back() == 1) {
      tile.pop_back();
      sharding.replicate_last_tile_dim = false;
    }
  }
  if (!tile.empty()) StrAppend(out, "devices=[", Join(tile, ","), "]");
  out += sharding.kind;
  if (sharding.replicate_last_tile_dim) out += " last_tile_dim_replicate";
  if (!sharding.last_tile_dims.empty()) StrAppend(out, " last_tile_dims=", sharding.last_tile_dims);
  if (!sharding.shard_group.empty()) StrAppend(out, " ", sharding.shard_group);
  if (options.with_metadata && !sharding.metadata.empty()) {
    const std::string list = Join(sharding.metadata, ", ");
    StrAppend(out, " metadata=", sharding.metadata.size() == 1 ? list : StrCat("{", list, "}"));
  }
  return out + "}";
}

StatusOr<std::string> ParseTileSharding(Scanner& scanner, const ShardingOptions& options) {
  TileSharding sharding;
  while (!scanner.Consume("}")) {
    const std::string_view key = scanner.AttributeName();
    AXLE_TRY(key.empty() ? ParseTileWord(scanner, sharding) : ParseTileKey(scanner, key, sharding));
  }
  if (sharding.kind.empty() && sharding.tile.empty()) {
    return scanner.Error("a sharding says what it is: replicated, maximal, devices=...");
  }
  if (sharding.replicate_last_tile_dim && !sharding.last_tile_dims.empty()) {
    return scanner.Error("\"last_tile_dim_replicate\" cannot stand beside \"last_tile_dims\"");
  }
  return TileShardingText(sharding, options);
}

// --- Axes of a mesh
// --------------------------------------------------------------------------------

class MeshShardingReader {
 public:
  MeshShardingReader(Scanner& scanner, const ShardingOptions& options)
      : scanner_(scanner), options_(options) {}

  // Up to and with the '}' that closes the sharding.
  StatusOr<std::string> Read() {
    AXLE_ASSIGN(mesh_, ParseDeviceMesh(scanner_));
    text_ = StrCat("{", DeviceMeshText(mesh_));
    // XLA writes the comma, and does not need it.
    if (scanner_.Consume(",") || !scanner_.Peek("}")) {
      AXLE_TRY(scanner_.Peek("[") ? ReadDims() : ReadKind());
      while (scanner_.Consume(",")) AXLE_TRY(ReadKey());
    } else if (!mesh_.maximal_device) {
      return scanner_.Expected("',' and the axes of each dimension");
    }
    AXLE_TRY(scanner_.Expect("}"));
    AXLE_TRY(CheckMeshAxisRefs(scanner_, mesh_, lists_));
    for (size_t i = 0; i < std::size(kKeys); ++i) {
      if (!keys_[i].empty()) StrAppend(text_, ", ", kKeys[i], "=", keys_[i]);
    }
    if (options_.with_metadata && !metadata_.empty()) {
      StrAppend(text_, ", metadata={", Join(metadata_, ", "), "}");
    }
    return text_ + "}";
  }

 private:
  static constexpr std::string_view kKeys[] = {"replicated", "unreduced", "manual"};

  // {'x', 'y', ?}; '?' where more axes may be added.
  StatusOr<std::string> ReadAxes(bool may_be_open) {
    std::vector<MeshAxisRef>& refs = lists_.emplace_back();
    std::vector<std::string> texts;
    AXLE_TRY(scanner_.Expect("{"));
    while (!scanner_.Consume("}")) {
      if (!texts.empty()) AXLE_TRY(scanner_.Expect(","));
      if (may_be_open && scanner_.Consume("?")) {
        texts.push_back("?");
        AXLE_TRY(scanner_.Expect("}"));
        break;
      }
      AXLE_ASSIGN(refs.emplace_back(), ParseMeshAxisRef(scanner_, mesh_));
      texts.push_back(MeshAxisRefText(mesh_, refs.back()));
    }
    return StrCat("{", Join(texts, ", "), "}");
  }

  Status ReadDims() {
    std::vector<std::string> dims;
    AXLE_TRY(scanner_.List("[", "]", [&]() -> Status {
      AXLE_ASSIGN(dims.emplace_back(), ReadAxes(/*may_be_open=*/true));
      return {};
    }));
    StrAppend(text_, ", [", Join(dims, ", "), "]");
    return {};
  }

  // max{'x'}, {'x'}; sums need no name.
  StatusOr<std::string> ReadReduction() {
    std::string op;
    if (const std::string_view word = scanner_.Word(); !word.empty()) {
      if (word != "sum" && word != "max" && word != "min") {
        return scanner_.Error("expected one of: sum, max, min");
      }
      if (word != "sum") op = word;
    }
    if (!scanner_.Peek("{")) return op;
    AXLE_ASSIGN(const std::string axes, ReadAxes(/*may_be_open=*/false));
    return axes == "{}" ? op : op + axes;
  }

  // What a sharding says in place of dimensions: replicated, manual, unreduced, unreduced=max.
  Status ReadKind() {
    if (scanner_.AttributeName() == "unreduced") {
      AXLE_ASSIGN(const std::string reduction, ReadReduction());
      StrAppend(text_, ", unreduced", reduction.empty() ? "" : "=", reduction);
      return {};
    }
    const std::string_view word = scanner_.Word();
    if (word != "replicated" && word != "manual" && word != "unreduced") {
      return scanner_.Error("expected the axes of each dimension, replicated, manual or unreduced");
    }
    StrAppend(text_, ", ", word);
    return {};
  }

  Status ReadKey() {
    const std::string_view name = scanner_.AttributeName();
    if (name == "metadata") {
      if (!metadata_.empty()) return scanner_.Error("second value for \"metadata\"");
      AXLE_ASSIGN(metadata_, ParseMetadataList(scanner_));
      return {};
    }
    const auto key = std::ranges::find(kKeys, name);
    if (key == std::end(kKeys)) {
      constexpr std::string_view kOneOf =
          "one of: replicated, unreduced, manual, metadata, with '='";
      return name.empty() ? scanner_.Expected(kOneOf) : scanner_.Error(StrCat("expected ", kOneOf));
    }
    const size_t i = key - std::begin(kKeys);
    if (seen_[i]) return scanner_.Error(StrCat("second value for \"", name, "\""));
    seen_[i] = true;
    AXLE_ASSIGN(keys_[i], name == "unreduced" ? ReadReduction() : ReadAxes(false));
    if (keys_[i] == "{}") keys_[i].clear();
    return {};
  }

  Scanner& scanner_;
  const ShardingOptions& options_;
  DeviceMesh mesh_;
  std::string text_;
  std::array<std::string, 3> keys_;
  std::array<bool, 3> seen_ = {};
  std::vector<std::vector<MeshAxisRef>> lists_;
  std::vector<std::string> metadata_;
};

// What follows the opening '{' of a sharding that is not a tuple.
StatusOr<std::string> ParseSingle(Scanner& scanner, const ShardingOptions& options) {
  const std::string_view word = scanner.PeekWord();
  if (word == "mesh" || word == "maximal_mesh") return MeshShardingReader(scanner, options).Read();
  return ParseTileSharding(scanner, options);
}

std::string TupleText(i64 size, const auto& element) {
  std::string out = "{";
  for (i64 i = 0; i < size; ++i) {
    if (i > 0) out += ", ";
    if (i > 0 && i % kIndexCommentInterval == 0) StrAppend(out, "/*index=", i, "*/");
    out += element(i);
  }
  return out + "}";
}

}  // namespace

StatusOr<ShardingText> ParseSharding(Scanner& scanner, const ShardingOptions& options) {
  AXLE_TRY(scanner.Expect("{"));
  if (!scanner.Peek("{") && !scanner.Peek("}")) {
    AXLE_ASSIGN(std::string text, ParseSingle(scanner, options));
    return ShardingText{std::move(text)};
  }
  std::vector<std::string> elements;
  while (!scanner.Consume("}")) {
    if (!elements.empty()) AXLE_TRY(scanner.Expect(","));
    AXLE_TRY(scanner.Expect("{"));
    AXLE_ASSIGN(elements.emplace_back(), ParseSingle(scanner, options));
  }
  const auto element = [&](i64 i) -> const std::string& { return elements[i]; };
  return ShardingText{TupleText(static_cast<i64>(elements.size()), element), true};
}

std::string ShardingForLeaves(const ShardingText& sharding, i64 num_leaves) {
  if (sharding.is_tuple) return sharding.text;
  return TupleText(std::max<i64>(num_leaves, 1),
                   [&](i64) -> const std::string& { return sharding.text; });
}

std::string ShardingWithoutMetadata(const std::string& sharding) {
  if (sharding.find("metadata=") == sharding.npos) return sharding;
  Scanner scanner(sharding);
  StatusOr<ShardingText> stripped = ParseSharding(scanner, {.with_metadata = false});
  return stripped.ok() ? stripped->text : sharding;
}

}  // namespace axle
