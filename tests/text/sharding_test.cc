// Shardings and replica groups: every form, as it is printed again.
#include "axle/text/sharding.h"

#include <gtest/gtest.h>

#include "axle/core/strings.h"
#include "axle/ops/attributes/attr_kinds.h"

namespace axle {
namespace {

struct Row {
  const char* text;
  const char* expected;  // null: the same; an error begins with '!'
};

void Expect(const Row& row, const StatusOr<std::string>& actual) {
  const std::string expected = row.expected == nullptr ? row.text : row.expected;
  if (!actual.ok()) {
    const std::string message = actual.status().message();
    const size_t begin = message.find(": ") + 2;
    const std::string what = message.substr(begin, message.find('\n') - begin);
    EXPECT_EQ(StrCat("!", what), expected) << row.text;
    return;
  }
  EXPECT_EQ(*actual, expected) << row.text;
}

const Row kShardings[] = {
    {"{replicated}", nullptr},
    {"{ manual }", "{manual}"},
    {"{unreduced}", nullptr},
    {"{unknown shard_like 1}", nullptr},
    {"{maximal device=3}", nullptr},
    {"{devices=[2,2]0,1,2,3}", nullptr},
    {"{devices=[4,1]<=[4]}", nullptr},
    {"{devices=[2,2]<=[2,2]T(0,1)}", "{devices=[2,2]<=[4]}"},
    {"{devices=[2,2]<=[1,2,2]T(2,0,1)}", "{devices=[2,2]<=[2,2]T(1,0)}"},
    {"{devices=[2,2]<=[2,1,2]T(1,0,2)}", "{devices=[2,2]<=[4]}"},
    {"{devices=[4,6]<=[2,3,4]T(2,0,1)}", "{devices=[4,6]<=[6,4]T(1,0)}"},
    {"{devices=[24]<=[2,3,4]T(2,1,0)}", nullptr},
    {"{devices=[1,1]<=[1,1]T(1,0)}", "{devices=[1,1]<=[1]}"},
    {"{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}", nullptr},
    {"{devices=[2,2,1]<=[4] last_tile_dim_replicate}", "{devices=[2,2]<=[4]}"},
    {"{devices=[1,1,4]<=[4] last_tile_dim_replicate}", "{replicated}"},
    {"{devices=[2,2,2]<=[8] last_tile_dims={manual}}", nullptr},
    {"{devices=[1,2,1,2]<=[4] last_tile_dims={manual,replicated}}",
     "{devices=[1,2,1,2]<=[4] last_tile_dims={manual, replicated}}"},
    {"{shard_as 3 devices=[2,2]<=[4]}", "{devices=[2,2]<=[4] shard_as 3}"},
    {"{replicated metadata={op_name=\"x\" op_type=\"y\"}}",
     "{replicated metadata={op_type=\"y\" op_name=\"x\"}}"},
    {"{replicated metadata={{op_name=\"x\"},{op_name=\"z\"}}}",
     "{replicated metadata={{op_name=\"x\"}, {op_name=\"z\"}}}"},
    {"{}", nullptr},
    {"{{replicated},{devices=[2]<=[2]}}", "{{replicated}, {devices=[2]<=[2]}}"},
    {"{{manual}, {manual}, {manual}, {manual}, {manual}, {manual}}",
     "{{manual}, {manual}, {manual}, {manual}, {manual}, /*index=5*/{manual}}"},
    {"{mesh['x'=2,'y'=4], [{'x'}, {'y':(1)2, ?}], replicated={'y':(2)2}}", nullptr},
    {"{mesh['x'=2,'y'=2], device_ids=(0,2,1,3), [{}, {'x', 'y'}]}", nullptr},
    {"{mesh['x'=2,'y'=2], device_ids=(0,1,2,3), [{?}]}", "{mesh['x'=2,'y'=2], [{?}]}"},
    {"{mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)), [{}, {'x', 'y'}]}", nullptr},
    {"{mesh['x'=4], [{'0'}, {}]}", "{mesh['x'=4], [{'x'}, {}]}"},
    {"{mesh['x'=4], [{'x':(1)4}]}", "{mesh['x'=4], [{'x'}]}"},
    {"{mesh['x'=2,'z'=3], [{?}], manual={'x'}, replicated={'z'}}",
     "{mesh['x'=2,'z'=3], [{?}], replicated={'z'}, manual={'x'}}"},
    {"{mesh['x'=2], [{}], replicated={}}", "{mesh['x'=2], [{}]}"},
    {"{mesh['x'=2,'y'=2] [{?},{'x'}], unreduced={'y'}}",
     "{mesh['x'=2,'y'=2], [{?}, {'x'}], unreduced={'y'}}"},
    {"{mesh['x'=2] replicated}", "{mesh['x'=2], replicated}"},
    {"{mesh['x'=2], device_ids=(1,0) [{'x'}]}", "{mesh['x'=2], device_ids=(1,0), [{'x'}]}"},
    {"{mesh['x'=2], [{}], unreduced=max{'x'}, metadata={op_name=\"m\"}}",
     "{mesh['x'=2], [{}], unreduced=max{'x'}, metadata={{op_name=\"m\"}}}"},
    {"{mesh['x'=2], [{}], unreduced=sum{'x'}}", "{mesh['x'=2], [{}], unreduced={'x'}}"},
    {"{mesh['x'=2], replicated}", nullptr},
    {"{mesh['x'=2], manual}", nullptr},
    {"{mesh['x'=2], unreduced=min}", nullptr},
    {"{mesh[], replicated}", nullptr},
    {"{maximal_mesh[device_id=5]}", nullptr},

    {"{devices=[2,2]<=[2,2]}", "!expected a transposition: T(1,0)"},
    {"{devices=[2,2]<=[2,2]T(0,0)}", "!(0,0) is not a permutation of the dimensions 0..1"},
    {"{devices=[0,2]<=[0]}", "!size 0 must be >= 1"},
    {"{devices=[]0}", "!expected at least one size"},
    {"{devices=[4294967296,4294967296]0}", "!the product of the sizes does not fit into 64 bits"},
    {"{devices=[2]-1,0}", "!a device must be >= 0"},
    {"{maximal}", "!expected device="},
    {"{replicated shard_as 1 shard_as 2}", "!second shard group"},
    {"{last_tile_dim_replicate}", "!\"last_tile_dim_replicate\" comes after devices="},
    {"{devices=[2]<=[2] last_tile_dims={manual,manual}}", "!names 2 tile dimensions, of 1"},
    {"{devices=[2]<=[2] last_tile_dims={auto}}",
     "!expected one of: manual, replicated, unreduced, maximal"},
    {"{shard_as 1}", "!a sharding says what it is: replicated, maximal, devices=..."},
    {"{mesh['x'=4], [{'x':(1)2,'x':(2)2}]}",
     "!axes 'x':(1)2 and 'x':(2)2 are one part written as two"},
    {"{mesh['x'=8], [{'x':(1)4},{'x':(2)2}]}", "!axes 'x':(1)4 and 'x':(2)2 overlap"},
    {"{mesh['x'=2], [{'x'}], manual={'x'}}", "!axes 'x' and 'x' overlap"},
    {"{mesh['x'=2], device_ids=(0,0), manual}", "!device 0 is there twice"},
    {"{mesh['x'=2], device_ids=(0,1,2), manual}", "!lists 3 devices but has place for 2"},
    {"{mesh['x'=2]}", "!expected ',' and the axes of each dimension"},
    {"{mesh['x'=2], bogus}",
     "!expected the axes of each dimension, replicated, manual or unreduced"},
};

TEST(Sharding, Forms) {
  for (const Row& row : kShardings) {
    Scanner scanner(row.text);
    StatusOr<ShardingText> sharding = ParseSharding(scanner);
    Expect(row, sharding.ok() ? StatusOr<std::string>(sharding->text) : sharding.status());
    if (!sharding.ok()) continue;
    EXPECT_TRUE(scanner.AtEnd()) << row.text;
    Scanner again(sharding->text);
    const auto second = ParseSharding(again);
    ASSERT_TRUE(second.ok()) << second.status().ToString();
    EXPECT_EQ(second->text, sharding->text);
  }
}

TEST(Sharding, OneForAllLeaves) {
  EXPECT_EQ(ShardingForLeaves({"{manual}", false}, 2), "{{manual}, {manual}}");
  EXPECT_EQ(ShardingForLeaves({"{manual}", false}, 0), "{{manual}}");
  EXPECT_EQ(ShardingForLeaves({"{{manual}}", true}, 2), "{{manual}}");
}

TEST(Sharding, WithoutMetadata) {
  EXPECT_EQ(ShardingWithoutMetadata("{manual metadata={op_name=\"a\"}}"), "{manual}");
  EXPECT_EQ(ShardingWithoutMetadata("{mesh['x'=2], manual, metadata={{op_name=\"a\"}}}"),
            "{mesh['x'=2], manual}");
}

const Row kGroups[] = {
    {"{{0,1},{2,3}}", nullptr},
    {"{}", nullptr},
    {"{{}}", nullptr},
    {"{{0, 1} {2}}", "{{0,1},{2}}"},
    {"[2,4]<=[8]", nullptr},
    {"[4,2]<=[2,4]T(1,0)", nullptr},
    {"[4,2]<=[2,4]T(0,1)", "[4,2]<=[8]"},
    {"[4,2]<=[2,1,4]T(2,1,0)", "[4,2]<=[2,4]T(1,0)"},
    {"mesh['dp'=2,'tp'=4] {'dp'}", nullptr},
    {"mesh['dp'=2,'tp'=4], device_ids=([4,2]T(1,0)) {'dp', 'tp':(1)2}",
     "mesh['dp'=2,'tp'=4], device_ids=([4,2]T(1,0)) {'dp','tp':(1)2}"},
    {"mesh['dp'=2,'tp'=2], device_ids=(3,2,1,0) {'dp'}", nullptr},
    {"maximal_mesh[device_id=3] {}", nullptr},
    {"[8]<=[8]", "!replica groups have two sizes: [groups,devices of a group]"},
    {"[4,2]<=[4]", "!lists 4 devices but has place for 8"},
    {"mesh['dp'=2] {'tp'}", "!the mesh has no axis \"tp\" (did you mean \"dp\"?)"},
    {"mesh['dp'=2] {'dp','dp'}", "!axes 'dp' and 'dp' overlap"},
    {"0,1", "!expected mesh[ or maximal_mesh["},
};

TEST(ReplicaGroups, Forms) {
  const AttrKind& kind = kAttrKind<ReplicaGroups>;
  for (const Row& row : kGroups) {
    Scanner scanner(row.text);
    ReplicaGroups groups, again;
    Status status = kind.parse(scanner, Shape(), &groups);
    Expect(row, status.ok() ? StatusOr<std::string>(kind.print(&groups)) : status);
    if (!status.ok()) continue;
    EXPECT_TRUE(scanner.AtEnd()) << row.text;
    const std::string text = kind.print(&groups);
    Scanner second(text);
    ASSERT_TRUE(kind.parse(second, Shape(), &again).ok()) << text;
    EXPECT_TRUE(kind.equal(&groups, &again)) << text;
    EXPECT_EQ(kind.hash(&groups), kind.hash(&again));
  }
}

}  // namespace
}  // namespace axle
