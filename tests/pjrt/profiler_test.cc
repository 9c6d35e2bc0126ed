// The profiler that clients start and stop around executions, and the XSpace that it gives.
#include <chrono>
#include <map>
#include <set>

#include "axle/core/wire.h"
#include "axle/pjrt/profiler_abi.h"
#include "tests/pjrt/plugin.h"

namespace axle::plugin {
namespace {

const PJRT_Profiler_Extension& TheExtension() {
  return *reinterpret_cast<const PJRT_Profiler_Extension*>(Extension(PJRT_Extension_Type_Profiler));
}
const PLUGIN_Profiler_Api& Functions() {
  return *TheExtension().profiler_api;
}

// "OK", or the code and the message; destroys the error.
std::string TakeError(PLUGIN_Profiler_Error* error) {
  if (error == nullptr) return "OK";
  PLUGIN_Profiler_Error_Message_Args message = {.struct_size = sizeof message, .error = error};
  Functions().error_message(&message);
  PLUGIN_Profiler_Error_GetCode_Args code = {.struct_size = sizeof code, .error = error};
  EXPECT_EQ(Functions().error_get_code(&code), nullptr);
  const std::string text =
      std::to_string(code.code) + ": " + std::string(message.message, message.message_size);
  PLUGIN_Profiler_Error_Destroy_Args destroy = {.struct_size = sizeof destroy, .error = error};
  Functions().error_destroy(&destroy);
  return text;
}

class PjrtProfiler : public testing::Test {
 protected:
  PjrtProfiler() {
    PLUGIN_Profiler_Create_Args args = {.struct_size = sizeof args};
    EXPECT_EQ(TakeError(Functions().create(&args)), "OK");
    profiler_ = args.profiler;
  }
  ~PjrtProfiler() override { EXPECT_EQ(Call(Functions().destroy), "OK"); }

  std::string Call(PLUGIN_Profiler_Error* (*function)(PLUGIN_Profiler_Args*)) {
    PLUGIN_Profiler_Args args = {.struct_size = sizeof args, .profiler = profiler_};
    return TakeError(function(&args));
  }
  std::string Collect() {
    PLUGIN_Profiler_CollectData_Args args = {.struct_size = sizeof args, .profiler = profiler_};
    EXPECT_EQ(TakeError(Functions().collect_data(&args)), "OK");
    const std::string lent(reinterpret_cast<const char*>(args.buffer), args.buffer_size_in_bytes);
    std::string bytes(args.buffer_size_in_bytes, '\0');
    args.buffer = reinterpret_cast<std::uint8_t*>(bytes.data());
    EXPECT_EQ(TakeError(Functions().collect_data(&args)), "OK");
    EXPECT_EQ(args.buffer_size_in_bytes, bytes.size());
    EXPECT_EQ(bytes, lent);
    return bytes;
  }
  void RunAdd(PJRT_Client* client) {
    const auto executable = Compile(client, kAdd);
    const auto x = Put<float>(client, {1, 2, 3}, {3});
    const Outcome outcome = Execute(executable, {x, x});
    ASSERT_EQ(outcome.error, "OK");
    EXPECT_EQ(Error(Api().Event_Await, {.event = outcome.done}), "OK");
    EXPECT_EQ(Get<float>(outcome.results[0]), (std::vector<float>{2, 4, 6}));
  }

  PLUGIN_Profiler* profiler_ = nullptr;
};

// The messages in the field of a message.
std::vector<std::string> Messages(std::string_view message, int field) {
  std::vector<std::string> found;
  WireReader reader(message, "xspace");
  while (reader.Next()) {
    if (reader.field() == field) found.emplace_back(*reader.Bytes());
  }
  EXPECT_TRUE(reader.status().ok()) << reader.status().ToString();
  return found;
}
i64 Number(std::string_view message, int field) {
  WireReader reader(message, "xspace");
  while (reader.Next()) {
    if (reader.field() == field) return *reader.Int();
  }
  return 0;
}

TEST_F(PjrtProfiler, GivesTheEventsBetweenStartAndStop) {
  EXPECT_EQ(TheExtension().base.struct_size, sizeof(PJRT_Profiler_Extension));
  EXPECT_EQ(Functions().struct_size, sizeof(PLUGIN_Profiler_Api));
  const auto client = MakeClient();
  RunAdd(client);
  EXPECT_EQ(Call(Functions().start), "OK");
  const auto now = [] {
    return std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
  };
  const i64 before = now();
  for (int run = 0; run < 2; ++run) RunAdd(client);
  EXPECT_EQ(Call(Functions().stop), "OK");
  const i64 after = now();
  RunAdd(client);
  const std::vector<std::string> planes = Messages(Collect(), 1);
  ASSERT_EQ(planes.size(), 1u);
  EXPECT_EQ(Messages(planes[0], 2), std::vector<std::string>{"/device:CUSTOM:Axle 0"});
  std::map<i64, std::string> names;
  for (const std::string& entry : Messages(planes[0], 4)) {
    const std::string metadata = Messages(entry, 2)[0];
    names[Number(entry, 1)] = Messages(metadata, 2)[0];
    EXPECT_EQ(Number(metadata, 1), Number(entry, 1));
  }
  std::multiset<std::string> events;
  for (const std::string& line : Messages(planes[0], 3)) {
    const i64 start = Number(line, 3);
    for (const std::string& event : Messages(line, 4)) {
      events.insert(names.at(Number(event, 1)));
      const i64 begin = start + Number(event, 2) / 1000, end = begin + Number(event, 3) / 1000;
      // The clocks agree to a part of a thousand of the time since the process began.
      constexpr i64 kSlack = 20'000'000;
      EXPECT_GE(begin, before - kSlack);
      EXPECT_LE(end, after + kSlack);
      EXPECT_LE(begin, end);
    }
  }
  // Two executables, which ran once each: a run, and its one step of the same name.
  EXPECT_EQ(events.size(), 4u);
  EXPECT_EQ(events.count("add"), 4u);
}

TEST_F(PjrtProfiler, HasNothingWithoutRuns) {
  EXPECT_EQ(Collect(), "");
  EXPECT_EQ(Call(Functions().stop), "OK");
}

TEST_F(PjrtProfiler, RefusesNull) {
  EXPECT_EQ(TakeError(Functions().start(nullptr)), "3: pjrt profiler: the arguments are null");
  PLUGIN_Profiler_Args args = {.struct_size = sizeof args, .profiler = nullptr};
  EXPECT_EQ(TakeError(Functions().start(&args)), "3: pjrt profiler: the profiler is null");
  EXPECT_EQ(TakeError(Functions().stop(&args)), "3: pjrt profiler: the profiler is null");
  EXPECT_EQ(TakeError(Functions().destroy(&args)), "OK");
  PLUGIN_Profiler_CollectData_Args collect = {.struct_size = sizeof collect};
  EXPECT_EQ(TakeError(Functions().collect_data(&collect)),
            "3: pjrt profiler: the profiler is null");
}

// A profiler that goes away while it runs leaves nothing behind, and the next one works.
TEST_F(PjrtProfiler, MayGoAwayWhileItRuns) {
  const auto client = MakeClient();
  EXPECT_EQ(Call(Functions().start), "OK");
  EXPECT_EQ(Call(Functions().destroy), "OK");
  RunAdd(client);
  PLUGIN_Profiler_Create_Args args = {.struct_size = sizeof args};
  EXPECT_EQ(TakeError(Functions().create(&args)), "OK");
  profiler_ = args.profiler;
  EXPECT_EQ(Call(Functions().start), "OK");
  RunAdd(client);
  EXPECT_EQ(Messages(Collect(), 1).size(), 1u);
}

}  // namespace
}  // namespace axle::plugin
