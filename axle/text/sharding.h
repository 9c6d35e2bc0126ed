// The text of shardings. An instruction carries its sharding in the one form in which XLA prints
// it; this reads any form and checks it.
//
//   {replicated}  {maximal device=3}  {devices=[2,1,2]<=[4] last_tile_dim_replicate}
//   {mesh['x'=2,'y'=4], [{'x'}, {}]}  {{replicated}, {manual}} for the leaves of a tuple
#pragma once
#include <string>

#include "axle/core/scanner.h"
#include "axle/core/shape.h"

namespace axle {

// What a sharding says, as text.
struct ShardingText {
  std::string text;
  bool is_tuple = false;  // one sharding for each leaf
};

struct ShardingOptions {
  bool with_metadata = true;
};

StatusOr<ShardingText> ParseSharding(Scanner& scanner, const ShardingOptions& options = {});

// One sharding for each leaf of a tuple where a single one was given, as XLA has it.
std::string ShardingForLeaves(const ShardingText& sharding, i64 num_leaves);

// The sharding without what it says about its origin, for the short style.
std::string ShardingWithoutMetadata(const std::string& sharding);

}  // namespace axle
