// Stations: devices of a run that show each other memory, which ends with them, and what ends a
// meeting. Whole programs are in tests/client/compiled_collectives_test.cc.
#include "axle/runtime/group_run.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <vector>

namespace axle {
namespace {

constexpr std::uint64_t kInstruction = 7, kForm = 1;

class Stations : public testing::Test {
 protected:
  // Runs a function as each device, which then leaves with its status; the statuses.
  std::vector<std::string> RunDevices(const std::function<Status(i64)>& device) {
    std::vector<std::string> statuses(static_cast<size_t>(num_devices_));
    std::vector<std::thread> threads;
    for (i64 d = 0; d < num_devices_; ++d) {
      threads.emplace_back([&, d] {
        const Status status = device(d);
        statuses[static_cast<size_t>(d)] = status.ToString();
        group_.Leave(d, status);
      });
    }
    for (std::thread& thread : threads) thread.join();
    return statuses;
  }
  Seat& SeatOf(i64 device, std::uint64_t instruction = kInstruction) {
    Seat* const seat = group_.FindSeat(device, instruction, kForm);
    return seat != nullptr ? *seat : **group_.TakeSeat(device, instruction, kForm, all_);
  }

  const i64 num_devices_ = 3;
  const Dims all_ = {2, 0, 1};
  GroupRun group_{num_devices_, [](std::uint64_t id) { return std::to_string(id); }};
};

TEST_F(Stations, MessagesAreThereForOneMeetingMore) {
  const auto statuses = RunDevices([&](i64 device) -> Status {
    for (i64 turn = 0; turn < 3000; ++turn) {
      // Two instructions of one team, and messages that grow.
      Seat& seat = SeatOf(device, kInstruction + static_cast<std::uint64_t>(turn % 2));
      const i64 words = turn < 1000 ? 1 : 300;
      auto* const message = reinterpret_cast<i64*>(group_.NextSlot(seat, words * 8));
      for (i64 i = 0; i < words; ++i) message[i] = turn * 10 + device;
      AXLE_TRY(group_.Arrive(seat, device, message, nullptr));
      for (size_t k = 0; k < all_.size(); ++k) {
        const auto* const shown = static_cast<const i64*>(seat.station->shown(k, seat.execution));
        for (const i64 i : {i64{0}, words - 1}) {
          if (shown[i] != turn * 10 + all_[k]) return Internal("another message");
        }
      }
    }
    return {};
  });
  EXPECT_EQ(statuses, std::vector<std::string>(3, "OK"));
}

TEST_F(Stations, MemoryStaysUntilAllDepart) {
  const auto statuses = RunDevices([&](i64 device) -> Status {
    Seat& seat = SeatOf(device);
    for (i64 turn = 0; turn < 3000; ++turn) {
      i64 value = turn * 10 + device;
      AXLE_TRY(group_.Arrive(seat, device, &value, nullptr));
      Status status;
      for (size_t k = 0; k < all_.size(); ++k) {
        const i64 shown = *static_cast<const i64*>(seat.station->shown(k, seat.execution));
        if (shown != turn * 10 + all_[k]) status = Internal("another value");
      }
      AXLE_TRY(group_.Depart(seat, true));
      AXLE_TRY(status);
    }
    return {};
  });
  EXPECT_EQ(statuses, std::vector<std::string>(3, "OK"));
}

// Device 1 stops in the midst of a meeting: what it has not done is the others' failure too.
TEST_F(Stations, AnIncompletePartFailsAll) {
  const auto statuses = RunDevices([&](i64 device) -> Status {
    Seat& seat = SeatOf(device);
    AXLE_TRY(group_.Arrive(seat, device, nullptr, nullptr));
    AXLE_TRY(group_.Depart(seat, device != 1));
    return device == 1 ? InvalidArgument("stopped") : Status();
  });
  const std::string failed = "CANCELLED: device 1 failed: stopped";
  EXPECT_EQ(statuses, (std::vector<std::string>{failed, "INVALID_ARGUMENT: stopped", failed}));
}

// Whoever gives up takes what it has shown away; who comes later reads nothing.
TEST_F(Stations, ACancelledDeviceClosesTheStation) {
  for (int i = 0; i < 50; ++i) {
    GroupRun group(2, [](std::uint64_t id) { return std::to_string(id); });
    Limits limits;
    std::thread canceller([&] { limits.Cancel(); });
    std::vector<Status> statuses(2);
    std::vector<std::thread> threads;
    for (const i64 device : {0, 1}) {
      threads.emplace_back([&, device] {
        Seat& seat = **group.TakeSeat(device, kInstruction, kForm, {0, 1});
        Status& status = statuses[static_cast<size_t>(device)];
        while (status.ok()) {
          auto value = std::make_unique<i64>(device);
          status = group.Arrive(seat, device, value.get(), device == 0 ? &limits : nullptr);
          if (!status.ok()) break;
          for (size_t k = 0; k < 2; ++k) {
            EXPECT_EQ(*static_cast<const i64*>(seat.station->shown(k, seat.execution)),
                      static_cast<i64>(k));
          }
          status = group.Depart(seat, true);
          if (device == 0 && status.ok()) status = limits.CheckNow();
        }
        group.Leave(device, status);
      });
    }
    for (std::thread& thread : threads) thread.join();
    canceller.join();
    EXPECT_EQ(statuses[0].code(), StatusCode::kCancelled);
    EXPECT_EQ(statuses[1].ToString(),
              "CANCELLED: device 0 failed: " + std::string(statuses[0].message()));
  }
}

// The second one comes before the first one has said why it left.
TEST_F(Stations, NobodyMeetsADeviceThatGaveUp) {
  GroupRun group(2, [](std::uint64_t id) { return std::to_string(id); });
  Limits limits;
  limits.Cancel();
  const Status first =
      group.Arrive(**group.TakeSeat(0, kInstruction, kForm, {0, 1}), 0, nullptr, &limits);
  EXPECT_EQ(first.code(), StatusCode::kCancelled);
  std::string second;
  std::thread thread([&] {
    Seat& seat = **group.TakeSeat(1, kInstruction, kForm, {0, 1});
    second = group.Arrive(seat, 1, nullptr, nullptr).ToString();
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  group.Leave(0, first);
  thread.join();
  EXPECT_EQ(second, "CANCELLED: device 0 failed: " + std::string(first.message()));
}

// Which of them has come by then is a matter of time.
TEST_F(Stations, DeadlocksAreFound) {
  const auto statuses = RunDevices([&](i64 device) -> Status {
    Seat& seat = SeatOf(device, static_cast<std::uint64_t>(device == 2 ? 8 : 7));
    return group_.Arrive(seat, device, nullptr, nullptr);
  });
  for (const std::string& status : statuses) {
    EXPECT_TRUE(status.starts_with("INVALID_ARGUMENT: deadlock: device ")) << status;
    EXPECT_NE(status.find("waits at 7 for device"), std::string::npos) << status;
    EXPECT_NE(status.find("device 2 waits at 8 for devices 0, 1"), std::string::npos) << status;
  }
}

TEST_F(Stations, WhoHasLeftDoesNotCome) {
  const auto statuses = RunDevices([&](i64 device) -> Status {
    if (device == 1) return {};
    return group_.Arrive(SeatOf(device), device, nullptr, nullptr);
  });
  EXPECT_EQ(statuses[1], "OK");
  EXPECT_EQ(statuses[0], statuses[2]);
  EXPECT_TRUE(statuses[0].starts_with("INVALID_ARGUMENT: deadlock: device ")) << statuses[0];
  EXPECT_TRUE(statuses[0].ends_with("; device 1 has finished the program")) << statuses[0];
}

}  // namespace
}  // namespace axle
