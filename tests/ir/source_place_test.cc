// The line of source that made an instruction, from its metadata.
#include "axle/ir/source_place.h"

#include <gtest/gtest.h>

#include "axle/ir/module.h"

namespace axle {
namespace {

class SourcePlaceTest : public testing::Test {
 protected:
  SourcePlaceTest() {
    StackFrameIndex& index = module_.config().stack_frames;
    index.file_names = {"train.py", "net.py"};
    index.locations = {{.file_name_id = 1, .line = 40}, {.file_name_id = 2, .line = 17}};
    index.frames = {{1, 0}, {2, 1}};
  }

  std::string Place(Metadata metadata) {
    Instruction* const inst = computation_->Add(
        {.opcode = Opcode::kParameter, .name = "p", .shape = Shape(F32), .metadata = metadata});
    return SourcePlace(*inst);
  }

  std::string InFrame(std::int32_t id) {
    Metadata metadata;
    metadata.stack_frame_id = id;
    return Place(metadata);
  }

  Module module_{"m"};
  HloComputation* computation_ = module_.AddComputation("c");
};

TEST_F(SourcePlaceTest, IsTheFileAndLineOrTheInnermostFrame) {
  Metadata metadata;
  EXPECT_EQ(Place(metadata), "");
  metadata.source_file = "a.py";
  metadata.source_line = 7;
  EXPECT_EQ(Place(metadata), "a.py:7");
  metadata.stack_frame_id = 2;
  EXPECT_EQ(Place(metadata), "a.py:7");
  EXPECT_EQ(InFrame(1), "train.py:40");
  EXPECT_EQ(InFrame(2), "net.py:17");
}

TEST_F(SourcePlaceTest, IsEmptyWhereAnIdIsNotInItsTable) {
  for (const std::int32_t id : {-1, 3, INT32_MIN, INT32_MAX}) {
    EXPECT_EQ(InFrame(id), "") << id;
    StackFrameIndex& index = module_.config().stack_frames;
    const StackFrameIndex right = index;
    index.frames[1].file_location_id = id;
    EXPECT_EQ(InFrame(2), "") << id;
    index = right;
    index.locations[1].file_name_id = id;
    EXPECT_EQ(InFrame(2), "") << id;
    index = right;
  }
}

}  // namespace
}  // namespace axle
