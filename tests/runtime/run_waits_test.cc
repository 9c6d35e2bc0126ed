// What the processes of a run tell each other of waits, and the search over it.
#include "axle/runtime/run_waits.h"

#include <gtest/gtest.h>

namespace axle {
namespace {

MeetingPlace Place(std::uint64_t instruction, std::int64_t execution = 1) {
  return {MeetingPlace::Kind::kStation, instruction, execution, ~std::uint64_t{0}};
}
DeviceWait WaitOf(i64 device, std::uint64_t instruction, int process, Dims participants) {
  DeviceWait wait;
  wait.device = device;
  wait.place = Place(instruction);
  wait.text = "at \"" + std::to_string(instruction) + "\"";
  wait.participants = std::move(participants);
  wait.process = process;
  return wait;
}

// Devices 0 and 1 of process 0, device 2 of process 1.
class Search : public testing::Test {
 protected:
  std::string Run() const {
    std::map<int, const RunWaits*> known;
    for (const auto& [process, waits] : processes_) known[process] = &waits;
    return DeadlockOver(process_of_, known);
  }
  const std::vector<int> process_of_ = {0, 0, 1};
  std::map<int, RunWaits> processes_;
};

TEST_F(Search, EachWaitsForTheOther) {
  processes_[0].waits = {WaitOf(0, 7, 1, {0, 2})};
  processes_[0].arrivals = {{Place(7), {0}}, {Place(8), {}}};
  processes_[1].waits = {WaitOf(2, 8, 0, {0, 2})};
  processes_[1].arrivals = {{Place(7), {}}, {Place(8), {2}}};
  const std::string crossed =
      "deadlock: device 0 waits at \"7\" for device 2; device 2 waits at \"8\" for device 0";
  EXPECT_EQ(Run(), crossed);
  // One that has come has sent its message, which is on its way.
  processes_[1].arrivals[Place(7)] = {2};
  EXPECT_EQ(Run(), "");
  // Nor is anything known of one that has not said where it has come to.
  processes_[1].arrivals.erase(Place(7));
  EXPECT_EQ(Run(), "");
  processes_[1].arrivals[Place(7)] = {};
  EXPECT_EQ(Run(), crossed);
  // Device 1 is not in it, and its finish is told.
  processes_[0].finished = {1};
  EXPECT_EQ(Run(), crossed + "; device 1 has finished the program");
  // One that runs may come.
  processes_[1].waits.clear();
  EXPECT_EQ(Run(), "");
  processes_.erase(1);
  EXPECT_EQ(Run(), "");
}

TEST_F(Search, TheOthersOfAProcessWaitForItsLeader) {
  processes_[0].waits = {WaitOf(0, 7, 1, {0, 1, 2}), WaitOf(1, 7, 0, {0, 1, 2})};
  processes_[0].waits[1].leader = 0;
  processes_[0].arrivals = {{Place(7), {0, 1}}};
  EXPECT_EQ(Run(), "");
  processes_[1].arrivals = {{Place(7), {}}};
  EXPECT_EQ(Run(), "");
  processes_[1].finished = {2};
  EXPECT_EQ(Run(),
            "deadlock: device 0 waits at \"7\" for device 2; device 2 has finished the program");
  // The results of others come when all have.
  processes_[0].waits[0].process = kAllProcesses;
  EXPECT_NE(Run(), "");
}

// Only a process itself knows of its devices.
TEST_F(Search, DevicesOfOthersDoNotCount) {
  processes_[0].waits = {WaitOf(2, 7, 0, {0}), WaitOf(9, 7, 0, {0}), WaitOf(-1, 7, 0, {0})};
  processes_[0].arrivals = {{Place(7), {}}};
  processes_[0].finished = {2, -5, 40};
  EXPECT_EQ(Run(), "");
}

TEST(RunWaitsText, ThereAndBack) {
  RunWaits waits;
  waits.finished = {0, 1, 2, 5, 7, 8};
  waits.waits = {WaitOf(3, 7, kAllProcesses, {0, 1, 2, 3, 9})};
  waits.waits[0].leader = 2;
  waits.arrivals = {{Place(7), {}}, {Place(8, 1000), {4, 5}}};
  const std::string text = RunWaitsText(waits);
  EXPECT_EQ(text,
            "finished 0-2,5,7-8\n"
            "waits 3 2 -1 0 7 1 18446744073709551615 0-3,9 at \"7\"\n"
            "came 0 7 1 18446744073709551615 -\n"
            "came 0 8 1000 18446744073709551615 4-5\n");
  const std::optional<RunWaits> back = ParseRunWaits(text);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(RunWaitsText(*back), text);
  EXPECT_EQ(back->finished, waits.finished);
  // A part of it, or anything else, is nothing.
  for (size_t size = 1; size < text.size(); ++size) {
    const bool has_lines = ParseRunWaits(text.substr(0, size)).has_value();
    EXPECT_EQ(has_lines, text[size - 1] == '\n') << size;
  }
  for (const char* wrong :
       {"finished 3-\n", "finished 0-9999999\n", "finished x\n", "finished -3\n",
        "came 9 1 1 1 0\n", "waits 1\n", "ended 1\n", "finished 99999999999999999999\n"}) {
    EXPECT_FALSE(ParseRunWaits(wrong).has_value()) << wrong;
  }
}

TEST(Arrivals, TheLastOneTellsOfThoseBefore) {
  const Arrivals arrivals = {{Place(7, 3), 1}, {Place(7, 5), 0}, {Place(8, 1), 1}};
  EXPECT_EQ(ArrivedAt(Place(7, 3), arrivals), (Dims{0, 1}));
  EXPECT_EQ(ArrivedAt(Place(7, 4), arrivals), Dims{0});
  EXPECT_EQ(ArrivedAt(Place(7, 6), arrivals), Dims());
  EXPECT_EQ(ArrivedAt(Place(8, 0), arrivals), Dims{1});
  MeetingPlace other = Place(7, 1);
  other.group = 0;
  EXPECT_EQ(ArrivedAt(other, arrivals), Dims());
}

TEST(DevicesText, AtMostSome) {
  EXPECT_EQ(DevicesText(Dims{3}), "device 3");
  EXPECT_EQ(DevicesText(Dims{1, 2}), "devices 1, 2");
  EXPECT_EQ(DevicesText(Dims{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}),
            "devices 0, 1, 2, 3, 4, 5, 6, 7 and 2 more");
}

}  // namespace
}  // namespace axle
