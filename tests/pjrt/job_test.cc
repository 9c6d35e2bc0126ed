// Clients of a job of two processes, as plugins of JAX are made under jax.distributed: each gets
// node_id and num_nodes, and they meet in a store of keys and values that belongs to the caller.
// Both are in this process, on a thread each; tests/python/jax_distributed_test.py has processes.
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "axle/core/strings.h"
#include "tests/pjrt/plugin.h"

namespace axle::plugin {
namespace {

// The caller's store, as PJRT's callbacks see it.
class Store {
 public:
  // Which of the two ways to read values a client gets.
  enum Reads { kWaits, kTries };

  void AddTo(PJRT_Client_Create_Args& args, Reads reads) {
    args.kv_put_callback = Put;
    args.kv_put_user_arg = this;
    if (reads == kTries) {
      args.kv_try_get_callback = TryGet;
      args.kv_try_get_user_arg = this;
    } else {
      args.kv_get_callback = Get;
      args.kv_get_user_arg = this;
    }
  }
  std::map<std::string, std::string> values() {
    const std::lock_guard lock(mutex_);
    return values_;
  }
  // What Put returns from now on, if it is not OK.
  void FailWith(PJRT_Error_Code code) { code_ = code; }

 private:
  static PJRT_Error* Fail(PJRT_CallbackError* make, PJRT_Error_Code code, std::string_view text) {
    return (*make)(code, text.data(), text.size());
  }
  static PJRT_Error* Put(PJRT_KeyValuePutCallback_Args* args) {
    Store& store = *static_cast<Store*>(args->user_arg);
    const std::string key = Text(args->key, args->key_size);
    const std::lock_guard lock(store.mutex_);
    if (store.code_ != 0) return Fail(args->callback_error, store.code_, "the store is closed");
    const bool is_new = store.values_.emplace(key, Text(args->value, args->value_size)).second;
    store.changed_.notify_all();
    return is_new ? nullptr : Fail(args->callback_error, 6, "ALREADY THERE: " + key);
  }
  template <typename Args>
  static PJRT_Error* Give(Args& args, const std::string& value) {
    args.value = new char[value.size()];
    args.value_size = value.size();
    std::memcpy(args.value, value.data(), value.size());
    args.value_deleter_callback = [](char* text) { delete[] text; };
    return nullptr;
  }
  static PJRT_Error* TryGet(PJRT_KeyValueTryGetCallback_Args* args) {
    Store& store = *static_cast<Store*>(args->user_arg);
    const std::lock_guard lock(store.mutex_);
    const auto found = store.values_.find(Text(args->key, args->key_size));
    if (found == store.values_.end()) return Fail(args->callback_error, 5, "not there");
    return Give(*args, found->second);
  }
  static PJRT_Error* Get(PJRT_KeyValueGetCallback_Args* args) {
    Store& store = *static_cast<Store*>(args->user_arg);
    const std::string key = Text(args->key, args->key_size);
    std::unique_lock lock(store.mutex_);
    const bool is_there =
        store.changed_.wait_for(lock, std::chrono::milliseconds(args->timeout_in_ms),
                                [&] { return store.values_.contains(key); });
    if (!is_there) return Fail(args->callback_error, 4, "too late");
    return Give(*args, store.values_[key]);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> values_;
  PJRT_Error_Code code_ = 0;
};

PJRT_NamedValue Number(std::string_view name, i64 value) {
  return {.struct_size = sizeof(PJRT_NamedValue),
          .name = name.data(),
          .name_size = name.size(),
          .type = PJRT_NamedValue_kInt64,
          .int64_value = value,
          .value_size = 1};
}

struct Member {
  std::string error;
  Own<PJRT_Client> client;
};

Member Join(Store* store, i64 node_id, i64 num_nodes, i64 num_devices,
            Store::Reads reads = Store::kTries) {
  const PJRT_NamedValue options[] = {Number("num_devices", num_devices), Number("node_id", node_id),
                                     Number("num_nodes", num_nodes)};
  PJRT_Client_Create_Args args = {
      .struct_size = sizeof(args), .create_options = options, .num_options = std::size(options)};
  if (store != nullptr) store->AddTo(args, reads);
  Member member;
  member.error = Take(Api().Client_Create(&args));
  if (member.error == "OK") member.client = Own<PJRT_Client>(args.client);
  return member;
}

// Does the same for the members of a job at the same time.
void ForBoth(const std::function<void(i64 process)>& act) {
  std::thread other(act, 1);
  act(0);
  other.join();
}

// A job whose process 0 has one device and process 1 two.
class PjrtJob : public testing::Test {
 protected:
  void Connect(Store::Reads reads = Store::kTries) {
    ForBoth(
        [&](i64 process) { members_[process] = Join(&store_, process, 2, process + 1, reads); });
    if (members_[0].error.find("no libaxle_gloo.so") != std::string::npos) {
      GTEST_SKIP() << members_[0].error;
    }
    for (const Member& member : members_) ASSERT_EQ(member.error, "OK");
  }
  PJRT_Client* client(i64 process) { return members_[process].client; }

  Store store_;
  Member members_[2];
};

std::string DescriptionOf(PJRT_Device* device) {
  auto* description = Do(Api().Device_GetDescription, {.device = device}).device_description;
  const auto text = Do(Api().DeviceDescription_ToString, {.device_description = description});
  return StrCat(
      Text(text.to_string, text.to_string_size), " of process ",
      Do(Api().DeviceDescription_ProcessIndex, {.device_description = description}).process_index,
      ", hardware ", Do(Api().Device_LocalHardwareId, {.device = device}).local_hardware_id, ", ",
      Do(Api().Device_AddressableMemories, {.device = device}).num_memories, " memories");
}

TEST_F(PjrtJob, DevicesOfAllProcesses) {
  Connect();
  if (IsSkipped()) return;
  const std::vector<std::string> expected[] = {
      {"AxleDevice(id=0) of process 0, hardware 0, 1 memories",
       "AxleDevice(id=1) of process 1, hardware -1, 0 memories",
       "AxleDevice(id=2) of process 1, hardware -1, 0 memories"},
      {"AxleDevice(id=0) of process 0, hardware -1, 0 memories",
       "AxleDevice(id=1) of process 1, hardware 0, 1 memories",
       "AxleDevice(id=2) of process 1, hardware 1, 1 memories"}};
  for (i64 process = 0; process < 2; ++process) {
    PJRT_Client* const client = this->client(process);
    EXPECT_EQ(Do(Api().Client_ProcessIndex, {.client = client}).process_index, process);
    const auto all = Do(Api().Client_Devices, {.client = client});
    std::vector<std::string> devices;
    for (size_t i = 0; i < all.num_devices; ++i) devices.push_back(DescriptionOf(all.devices[i]));
    EXPECT_EQ(devices, expected[process]);
    const auto own = Do(Api().Client_AddressableDevices, {.client = client});
    ASSERT_EQ(own.num_addressable_devices, static_cast<size_t>(process + 1));
    for (size_t i = 0; i < own.num_addressable_devices; ++i) {
      PJRT_Device* const device = own.addressable_devices[i];
      EXPECT_EQ(device, DeviceAt(client, i + static_cast<size_t>(process)));
      EXPECT_TRUE(Do(Api().Device_IsAddressable, {.device = device}).is_addressable);
      const auto found = Do(Api().Client_LookupAddressableDevice,
                            {.client = client, .local_hardware_id = static_cast<int>(i)});
      EXPECT_EQ(found.addressable_device, device);
    }
    EXPECT_EQ(Do(Api().Client_LookupDevice, {.client = client, .id = 2}).device,
              DeviceAt(client, 2));
    EXPECT_EQ(Do(Api().Client_AddressableMemories, {.client = client}).num_addressable_memories,
              static_cast<size_t>(process + 1));
    auto* topology = Do(Api().Client_TopologyDescription, {.client = client}).topology;
    EXPECT_EQ(Do(Api().TopologyDescription_GetDeviceDescriptions, {.topology = topology})
                  .num_descriptions,
              3U);
    EXPECT_EQ(
        Error(Api().Client_LookupAddressableDevice, {.client = client, .local_hardware_id = 2}),
        StrCat("INVALID_ARGUMENT: pjrt: there is no device 2, there are ", process + 1,
               " devices"));
  }
  // The topology is the same for both, and another one than that of one process.
  const auto fingerprint = [](PJRT_Client* client) {
    auto* topology = Do(Api().Client_TopologyDescription, {.client = client}).topology;
    return Do(Api().TopologyDescription_Fingerprint, {.topology = topology}).fingerprint;
  };
  EXPECT_EQ(fingerprint(client(0)), fingerprint(client(1)));
  EXPECT_NE(fingerprint(client(0)), fingerprint(MakeClient(3)));
}

TEST_F(PjrtJob, DevicesOfOthersCannotBeUsed) {
  Connect();
  if (IsSkipped()) return;
  PJRT_Device* const other = DeviceAt(client(0), 1);
  EXPECT_FALSE(Do(Api().Device_IsAddressable, {.device = other}).is_addressable);
  const std::string error = "INVALID_ARGUMENT: pjrt: axle:1 is a device of process 1";
  EXPECT_EQ(Error(Api().Device_DefaultMemory, {.device = other}), error);
  EXPECT_EQ(Error(Api().Device_MemoryStats, {.device = other}), error);
  const float x = 1;
  EXPECT_EQ(Error(Api().Client_BufferFromHostBuffer,
                  {.client = client(0), .data = &x, .type = 11, .device = other}),
            error + ", this is process 0");
  const auto own = Put<float>(client(0), {1}, {1});
  EXPECT_EQ(Error(Api().Buffer_CopyToDevice, {.buffer = own, .dst_device = other}),
            error + ", this is process 0");
}

std::vector<int> DefaultDevices(PJRT_Client* client, int replicas, int partitions) {
  std::vector<int> devices(static_cast<size_t>(replicas) * partitions);
  EXPECT_EQ(Error(Api().Client_DefaultDeviceAssignment, {.client = client,
                                                         .num_replicas = replicas,
                                                         .num_partitions = partitions,
                                                         .default_assignment_size = devices.size(),
                                                         .default_assignment = devices.data()}),
            "OK");
  return devices;
}

TEST_F(PjrtJob, DefaultDevicesAreOwnOnesWhereTheyAreEnough) {
  Connect();
  if (IsSkipped()) return;
  EXPECT_EQ(DefaultDevices(client(0), 1, 1), std::vector<int>({0}));
  EXPECT_EQ(DefaultDevices(client(1), 1, 1), std::vector<int>({1}));
  EXPECT_EQ(DefaultDevices(client(1), 2, 1), std::vector<int>({1, 2}));
  for (i64 process = 0; process < 2; ++process) {
    EXPECT_EQ(DefaultDevices(client(process), 1, 3), std::vector<int>({0, 1, 2}));
  }
  // A program of one device, by itself, by its number in the process and by its id.
  for (const Options& options : {Options{}, Options{.ordinal = 0}, Options{.assignment = {{1}}}}) {
    const auto loaded = Compile(client(1), kAdd, options.Bytes());
    const auto on = Do(Api().LoadedExecutable_AddressableDevices, {.executable = loaded});
    ASSERT_EQ(on.num_addressable_devices, 1U);
    EXPECT_EQ(on.addressable_devices[0], DeviceAt(client(1), 1));
    const auto x = Put<float>(client(1), {1, 2, 3}, {3}, DeviceAt(client(1), 1));
    const Outcome outcome = Execute(loaded, {x, x});
    ASSERT_EQ(outcome.error, "OK");
    EXPECT_EQ(Get<float>(outcome.results[0]), std::vector<float>({2, 4, 6}));
  }
  EXPECT_EQ(CompileError(client(0), kAdd, Options{.ordinal = 1}.Bytes()),
            "INVALID_ARGUMENT: pjrt: the program is for device 1, there are 1 devices");
}

// The sum over all replicas, and the product of that with the replica's number.
constexpr std::string_view kSum = R"(
module @sum {
  func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<ui32>) {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = stablehlo.replica_id : tensor<ui32>
    return %0, %1 : tensor<2xf32>, tensor<ui32>
  }
})";

// Runs kSum on the devices of a process, whose ids are the elements; "2 4 @ 1" for each of them.
std::vector<std::string> RunSum(PJRT_Client* client, PJRT_LoadedExecutable* loaded) {
  const auto on = Do(Api().LoadedExecutable_AddressableDevices, {.executable = loaded});
  const size_t count = on.num_addressable_devices;
  std::vector<Own<PJRT_Buffer>> owned;
  std::vector<PJRT_Buffer*> arguments(count);
  std::vector<PJRT_Buffer* const*> argument_lists;
  std::vector<PJRT_Buffer*> results(2 * count);
  std::vector<PJRT_Buffer**> result_lists;
  std::vector<PJRT_Event*> done(count);
  for (size_t d = 0; d < count; ++d) {
    PJRT_Device* const device = on.addressable_devices[d];
    auto* description = Do(Api().Device_GetDescription, {.device = device}).device_description;
    const auto id =
        static_cast<float>(Do(Api().DeviceDescription_Id, {.device_description = description}).id);
    owned.push_back(Put<float>(client, {id, 10 * id}, {2}, device));
    arguments[d] = owned.back();
    argument_lists.push_back(&arguments[d]);
    result_lists.push_back(&results[2 * d]);
  }
  const std::string error =
      Error(Api().LoadedExecutable_Execute, {.executable = loaded,
                                             .argument_lists = argument_lists.data(),
                                             .num_devices = count,
                                             .num_args = 1,
                                             .output_lists = result_lists.data(),
                                             .device_complete_events = done.data()});
  if (error != "OK") return {error};
  std::vector<std::string> texts;
  for (size_t d = 0; d < count; ++d) {
    const Own<PJRT_Buffer> sum(results[2 * d]), replica(results[2 * d + 1]);
    std::string status = Await(done[d]);
    if (status != "OK") {
      texts.push_back(std::move(status));
      continue;
    }
    const std::vector<float> values = Get<float>(sum);
    texts.push_back(StrCat(values[0], " ", values[1], " @ ", Get<std::int32_t>(replica)[0]));
  }
  return texts;
}

TEST_F(PjrtJob, ProgramOverBothProcesses) {
  Connect();
  if (IsSkipped()) return;
  // Replicas 0, 1, 2 on devices 2, 0, 1.
  const std::string options = Options{.replicas = 3, .assignment = {{2, 0, 1}}}.Bytes();
  std::vector<std::string> results[2];
  ForBoth([&](i64 process) {
    const auto loaded = Compile(client(process), kSum, options);
    const auto on = Do(Api().LoadedExecutable_AddressableDevices, {.executable = loaded});
    const auto ids = Do(Api().LoadedExecutable_AddressableDeviceLogicalIds, {.executable = loaded});
    ASSERT_EQ(on.num_addressable_devices, static_cast<size_t>(process + 1));
    ASSERT_EQ(ids.num_addressable_device_logical_ids, static_cast<size_t>(process + 1));
    EXPECT_EQ(ids.addressable_device_logical_ids[0].replica, process == 0 ? 1 : 0);
    if (process == 1) {
      EXPECT_EQ(on.addressable_devices[0], DeviceAt(client(1), 2));
      EXPECT_EQ(ids.addressable_device_logical_ids[1].replica, 2);
    }
    const auto assignment = Do(Api().LoadedExecutable_GetDeviceAssignment, {.executable = loaded});
    EXPECT_EQ(Text(assignment.serialized_bytes, assignment.serialized_bytes_size),
              std::string("\x08\x03\x10\x01\x1A\x05\x0A\x03\x02\x00\x01", 11));
    for (int run = 0; run < 3; ++run) results[process] = RunSum(client(process), loaded);
  });
  EXPECT_EQ(results[0], std::vector<std::string>({"3 30 @ 1"}));
  EXPECT_EQ(results[1], std::vector<std::string>({"3 30 @ 0", "3 30 @ 2"}));
}

TEST_F(PjrtJob, AnOlderCallerOnlyWaitsForValues) {
  Connect(Store::kWaits);
  if (IsSkipped()) return;
  EXPECT_EQ(Do(Api().Client_Devices, {.client = client(0)}).num_devices, 3U);
}

TEST_F(PjrtJob, TheNextClientsOfAStoreHaveKeysOfTheirOwn) {
  Connect();
  if (IsSkipped()) return;
  const auto before = store_.values();
  for (Member& member : members_) member.client = nullptr;
  Connect();
  EXPECT_EQ(Do(Api().Client_Devices, {.client = client(1)}).num_devices, 3U);
  EXPECT_EQ(store_.values().size(), 2 * before.size());
}

TEST_F(PjrtJob, WhoLeavesEndsTheRunsOfTheOther) {
  Connect();
  if (IsSkipped()) return;
  const std::string options = Options{.replicas = 3}.Bytes();
  const auto loaded = Compile(client(0), kSum, options);
  const auto others = Compile(client(1), kSum, options);
  members_[1].client = nullptr;
  const std::vector<std::string> results = RunSum(client(0), loaded);
  ASSERT_EQ(results.size(), 1U);
  EXPECT_TRUE(results[0].starts_with("UNAVAILABLE: ")) << results[0];
  EXPECT_NE(results[0].find("process 1 ("), std::string::npos) << results[0];
}

TEST(PjrtJobOptions, Errors) {
  EXPECT_EQ(Join(nullptr, 2, 2, 1).error,
            "INVALID_ARGUMENT: pjrt: the option node_id is 2, must be below num_nodes, which is 2");
  EXPECT_EQ(Join(nullptr, 0, -3, 1).error,
            "INVALID_ARGUMENT: pjrt: the option num_nodes is -3, must be a number from 0 to "
            "1048576");
  const std::string nowhere = Join(nullptr, 0, 2, 1).error;
  EXPECT_EQ(nowhere.substr(0, nowhere.find(':', 30)),
            "INVALID_ARGUMENT: connect: where the processes meet was not said");
  // One process needs no store.
  Store store;
  store.FailWith(9);
  EXPECT_EQ(Join(&store, 0, 1, 1).error, "OK");
  EXPECT_EQ(Join(&store, 0, 2, 1).error, "FAILED_PRECONDITION: the store is closed");
  PJRT_NamedValue transport = {.struct_size = sizeof(transport),
                               .name = "transport",
                               .name_size = 9,
                               .type = PJRT_NamedValue_kString,
                               .string_value = "pigeon",
                               .value_size = 6};
  EXPECT_EQ(Error(Api().Client_Create, {.create_options = &transport, .num_options = 1}),
            "INVALID_ARGUMENT: pjrt: the option transport is \"pigeon\", must be \"gloo\" or "
            "\"mpi\"");
}

}  // namespace
}  // namespace axle::plugin
