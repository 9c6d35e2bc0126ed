// axle_distributed_process TASK [OPTION=VALUE...]: one process of a job, for the tests. The
// environment says which one. It prints what came out, one line each, and its last line is the
// status.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "axle/core/strings.h"
#include "axle/distributed/transport.h"

namespace axle {
namespace {

using Clock = std::chrono::steady_clock;

double Since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

class Arguments {
 public:
  Arguments(int argc, char** argv) {
    for (int i = 2; i < argc; ++i) {
      const std::string_view text = argv[i];
      const size_t equals = std::min(text.find('='), text.size());
      values_[std::string(text.substr(0, equals))] = text.substr(std::min(equals + 1, text.size()));
    }
  }
  std::string Text(const std::string& name, const std::string& otherwise = "") const {
    const auto found = values_.find(name);
    return found == values_.end() ? otherwise : found->second;
  }
  double Number(const std::string& name, double otherwise) const {
    const std::string text = Text(name);
    double value = otherwise;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
  }
  int Whole(const std::string& name, int otherwise) const {
    return static_cast<int>(Number(name, otherwise));
  }

 private:
  std::map<std::string, std::string> values_;
};

void Say(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

// The bytes of a message differ by who sends it, to whom, and by its place.
std::byte ByteOf(int from, int to, size_t i) {
  return static_cast<std::byte>(i * 131 + static_cast<size_t>(from) * 17 +
                                static_cast<size_t>(to) * 5 + (i >> 9));
}
std::vector<std::byte> Message(int from, int to, size_t size) {
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = ByteOf(from, to, i);
  return bytes;
}
Status CheckMessage(const std::vector<std::byte>& bytes, int from, int to) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] != ByteOf(from, to, i)) {
      return Internal(StrCat("byte ", i, " of a message from ", from, " is wrong"));
    }
  }
  return {};
}

// Every process sends to all others before it receives anything; then with receives that have
// begun.
Status Exchange(Transport& transport, const Arguments& arguments) {
  const int self = transport.process_id();
  std::uint64_t run = 0;
  for (const size_t size :
       {size_t{0}, size_t{1}, size_t{1000}, size_t{65535}, size_t{65536}, size_t{65537},
        size_t{1} << 20, static_cast<size_t>(arguments.Whole("largest", 1 << 20))}) {
    for (const bool begins_first : {false, true}) {
      const MessageKey key = {.run = ++run, .operation = "exchange"};
      std::map<int, std::vector<std::byte>> received;
      std::map<int, std::unique_ptr<PendingReceive>> pending;
      for (int p = 0; p < transport.num_processes(); ++p) {
        if (p == self) continue;
        received[p].resize(size);
        if (!begins_first) continue;
        AXLE_ASSIGN(pending[p], transport.StartReceive(p, key, received[p]));
      }
      for (int p = 0; p < transport.num_processes(); ++p) {
        if (p != self) AXLE_TRY(transport.Send(p, key, Message(self, p, size), nullptr));
      }
      for (auto& [p, bytes] : received) {
        AXLE_TRY(begins_first ? pending[p]->Wait(nullptr)
                              : transport.Receive(p, key, bytes, nullptr));
        AXLE_TRY(CheckMessage(bytes, p, self));
      }
    }
  }
  return {};
}

// Threads that receive in another order than the other side sends in.
Status Threads(Transport& transport) {
  constexpr int kThreads = 8, kMessages = 50;
  const int self = transport.process_id();
  std::vector<Status> statuses(2 * kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    const auto key = [t](int i) {
      return MessageKey{.run = static_cast<std::uint64_t>(t), .execution = i, .group = 7};
    };
    const auto size = [t](int i) {
      const auto wide = static_cast<size_t>(i);
      return wide * wide * 97 + static_cast<size_t>(t);
    };
    threads.emplace_back([&, t, key, size] {
      for (int i = 0; i < kMessages; ++i) {
        for (int p = 0; p < transport.num_processes(); ++p) {
          if (p == self || !statuses[t].ok()) continue;
          statuses[t] = transport.Send(p, key(i), Message(self, p, size(i)), nullptr);
        }
      }
    });
    threads.emplace_back([&, t, key, size] {
      Status& status = statuses[kThreads + t];
      for (int i = kMessages - 1; i >= 0; --i) {
        for (int p = transport.num_processes() - 1; p >= 0; --p) {
          if (p == self || !status.ok()) continue;
          std::vector<std::byte> bytes(size(i));
          status = transport.Receive(p, key(i), bytes, nullptr);
          if (status.ok()) status = CheckMessage(bytes, p, self);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Status& status : statuses) AXLE_TRY(status);
  return {};
}

// Messages of one key, which arrive in their order.
Status Order(Transport& transport) {
  const MessageKey key = {.run = 1};
  for (int i = 0; i < 300; ++i) {
    if (transport.process_id() == 0) {
      AXLE_TRY(transport.Send(1, key, std::as_bytes(std::span(&i, 1)), nullptr));
    } else {
      int got = -1;
      AXLE_TRY(transport.Receive(0, key, std::as_writable_bytes(std::span(&got, 1)), nullptr));
      if (got != i) return Internal(StrCat("message ", got, " came in place of ", i));
    }
  }
  return {};
}

// Waits for a message that nobody sends; says how long that took.
Status WaitFor(Transport& transport, const Arguments& arguments) {
  const int process = arguments.Whole("process", 0);
  std::vector<std::byte> bytes(static_cast<size_t>(arguments.Whole("bytes", 8)));
  Limits limits;
  const double limit = arguments.Number("limit", 0);
  if (limit > 0) limits.set_time_limit(limit);
  const LimitedCall call(&limits, "the run of", "main");
  std::thread canceller;
  if (arguments.Whole("cancel", 0) != 0) {
    canceller = std::thread([&limits] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      limits.Cancel();
    });
  }
  const Status status =
      transport.Receive(process, {.run = 9, .operation = "all-reduce \"sum\""}, bytes, &limits);
  if (canceller.joinable()) canceller.join();
  return status;
}

// Process 0 sends a message at 2.2 s and is through; process 1 takes it at 4.8 s.
Status Parting(Transport& transport) {
  AXLE_TRY(transport.Barrier(nullptr));  // they are connected
  const bool sends = transport.process_id() == 0;
  std::this_thread::sleep_for(std::chrono::milliseconds(sends ? 2200 : 4800));
  std::byte byte = {};
  const MessageKey key = {.run = 12, .operation = "send \"last\""};
  return sends ? transport.Send(1, key, {&byte, 1}, nullptr)
               : transport.Receive(0, key, {&byte, 1}, nullptr);
}

// Sends until it is told that that makes no sense.
Status SendForever(Transport& transport, const Arguments& arguments) {
  const std::vector<std::byte> bytes(size_t{1} << 20);
  while (true) {
    AXLE_TRY(transport.Send(arguments.Whole("process", 0), {.run = 3, .operation = "send \"s\""},
                            bytes, nullptr));
  }
}

// Receives what SendForever sends.
Status ReceiveForever(Transport& transport, const Arguments& arguments) {
  std::vector<std::byte> bytes(size_t{1} << 20);
  while (true) {
    AXLE_TRY(transport.Receive(arguments.Whole("process", 0), {.run = 3}, bytes, nullptr));
  }
}

Status SendBytes(Transport& transport, const Arguments& arguments) {
  const std::vector<std::byte> bytes(static_cast<size_t>(arguments.Whole("bytes", 8)));
  return transport.Send(arguments.Whole("process", 0),
                        {.run = 9, .operation = "all-reduce \"sum\""}, bytes, nullptr);
}

// Nanoseconds of one message there and one back, and of pairs that cross.
Status Measure(Transport& transport) {
  const int other = 1 - transport.process_id();
  std::uint64_t run = 100;
  for (const size_t size : {size_t{1} << 10, size_t{64} << 10, size_t{4} << 20}) {
    const int count = size > (1 << 20) ? 50 : 500;
    std::vector<std::byte> out(size), in(size);
    std::vector<double> times;
    AXLE_TRY(transport.Barrier(nullptr));
    for (int i = 0; i < count; ++i) {
      const MessageKey key = {.run = ++run};
      const auto start = Clock::now();
      AXLE_ASSIGN(auto pending, transport.StartReceive(other, key, in));
      AXLE_TRY(transport.Send(other, key, out, nullptr));
      AXLE_TRY(pending->Wait(nullptr));
      times.push_back(Since(start));
    }
    std::ranges::sort(times);
    Say(StrCat("exchange of ", size, " bytes: ", times[times.size() / 2] * 1e6, " us"));
  }
  return {};
}

// A report of a process that is as long as one may be, and its beginning.
std::string LongReport(int process) {
  std::string report = StrCat("long report of ", process);
  report.resize(kMostReportBytes, static_cast<char>('a' + process % 26));
  return report;
}

// Waits until the newest report of each other process is that of `expected`. Says how long it took.
Status WaitForReports(const Transport& transport,
                      const std::function<std::string(int process)>& expected) {
  const auto start = Clock::now();
  for (int p = 0; p < transport.num_processes(); ++p) {
    while (transport.report(p) != expected(p)) {
      AXLE_TRY(transport.state().first_cause);
      if (Since(start) > 10) {
        return Internal(StrCat("the report of ", p, " is \"", transport.report(p).substr(0, 40),
                               "\" of ", transport.report(p).size(), " bytes"));
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  Say(StrCat("reports after ", Since(start), " s"));
  return {};
}

// Reports that go out with a heartbeat, then long ones that are sent at once.
Status Reports(Transport& transport) {
  transport.SetReport("nobody sees this one");
  transport.SetReport(StrCat("report of ", transport.process_id()));
  AXLE_TRY(WaitForReports(transport, [](int p) { return StrCat("report of ", p); }));
  AXLE_TRY(transport.Barrier(nullptr));
  // Longer ones are cut off.
  transport.SetReport(LongReport(transport.process_id()) + "too long");
  transport.SendReportNow();
  AXLE_TRY(WaitForReports(transport, LongReport));
  return transport.Barrier(nullptr);
}

// Messages of all processes to all others, each with a receive that has begun.
Status Step(Transport& transport, int step, size_t size) {
  const int self = transport.process_id();
  const MessageKey key = {.run = 1, .execution = step, .operation = "all-reduce \"step\""};
  std::map<int, std::vector<std::byte>> received;
  std::map<int, std::unique_ptr<PendingReceive>> pending;
  for (int p = 0; p < transport.num_processes(); ++p) {
    if (p == self) continue;
    received[p].resize(size);
    AXLE_ASSIGN(pending[p], transport.StartReceive(p, key, received[p]));
  }
  for (int p = 0; p < transport.num_processes(); ++p) {
    if (p != self) AXLE_TRY(transport.Send(p, key, Message(self, p, size), nullptr));
  }
  for (auto& [p, bytes] : received) {
    AXLE_TRY(pending[p]->Wait(nullptr));
    AXLE_TRY(CheckMessage(bytes, p, self));
  }
  return step % 10 == 9 ? transport.Barrier(nullptr) : Status();
}

// What a program does that all processes run. One that fails tells the others why.
Status Steps(Transport& transport, const Arguments& arguments) {
  const int steps = arguments.Whole("steps", 100);
  const auto size = static_cast<size_t>(arguments.Whole("bytes", 1000));
  const std::chrono::duration<double> pause(arguments.Number("pause", 0.01));
  const std::chrono::duration<double> late(arguments.Number("late", 0));
  for (int step = 0; step < steps; ++step) {
    if (step == arguments.Whole("leave_at", -1)) return {};
    if (step == arguments.Whole("late_at", -1)) std::this_thread::sleep_for(late);
    const bool fails = step == arguments.Whole("fail_at", -1);
    const Status status =
        fails ? InvalidArgument("the program is wrong") : Step(transport, step, size);
    if (!status.ok()) {
      transport.Abort(status);
      return status;
    }
    if (step == 0) Say("first step");
    std::this_thread::sleep_for(pause);
  }
  return {};
}

// Every process sends every other one so many messages, and counts them.
Status CountSent(Transport& transport) {
  const int self = transport.process_id();
  for (int p = 0; p < transport.num_processes(); ++p) {
    for (int i = 0; p != self && i <= p; ++i) {
      const MessageKey key = {.run = 1, .execution = i};
      AXLE_TRY(
          transport.Send(p, key, std::vector<std::byte>(static_cast<size_t>(100 * i)), nullptr));
    }
  }
  for (int p = 0; p < transport.num_processes(); ++p) {
    for (int i = 0; p != self && i <= self; ++i) {
      std::vector<std::byte> bytes(static_cast<size_t>(100 * i));
      AXLE_TRY(transport.Receive(p, {.run = 1, .execution = i}, bytes, nullptr));
    }
  }
  std::string text = "sent";
  for (int p = -1; p <= transport.num_processes(); ++p) {
    text += StrCat(" ", transport.sent(p).count, ":", transport.sent(p).bytes);
  }
  Say(text);
  return {};
}

Status RunTask(const std::string& task, Transport& transport, const Arguments& arguments) {
  if (task == "connect") return transport.Barrier(nullptr);
  if (task == "exchange") return Exchange(transport, arguments);
  if (task == "threads") return Threads(transport);
  if (task == "order") return Order(transport);
  if (task == "wait") return WaitFor(transport, arguments);
  if (task == "send") return SendBytes(transport, arguments);
  if (task == "send-forever") return SendForever(transport, arguments);
  if (task == "receive-forever") return ReceiveForever(transport, arguments);
  if (task == "measure") return Measure(transport);
  if (task == "count-sent") return CountSent(transport);
  if (task == "reports") return Reports(transport);
  if (task == "steps") return Steps(transport, arguments);
  if (task == "leave") return {};
  if (task == "parting") return Parting(transport);
  if (task == "late") {
    std::this_thread::sleep_for(std::chrono::duration<double>(arguments.Number("after", 1)));
    return SendBytes(transport, arguments);
  }
  if (task == "abort") {
    transport.Abort(InvalidArgument("the program is wrong"));
    return transport.state().first_cause;
  }
  if (task == "barriers") {
    for (int i = 0; i < 200; ++i) AXLE_TRY(transport.Barrier(nullptr));
    return {};
  }
  if (task == "die") {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    raise(SIGKILL);
  }
  if (task == "hang") {
    while (true) pause();
  }
  return InvalidArgument(StrCat("no task ", task));
}

TransportOptions OptionsOf(const Arguments& arguments) {
  TransportOptions options;
  if (arguments.Text("transport") == "mpi") options.kind = TransportKind::kMpi;
  options.connect_limit = arguments.Number("connect_limit", 20);
  options.silence_limit = arguments.Number("silence_limit", 5);
  options.late_warning = arguments.Number("late_warning", 20);
  options.late_limit = arguments.Number("late_limit", 1800);
  options.version = arguments.Text("version");
  options.fingerprint = arguments.Text("fingerprint", "strict");
  options.max_kept_bytes = arguments.Whole("max_kept_bytes", 1 << 30);
  options.epoch = arguments.Whole("epoch", 0);
  if (const double takes = arguments.Number("second_heartbeat_takes", 0); takes > 0) {
    options.on_heartbeat = [takes, count = 0]() mutable {
      if (++count == 2) std::this_thread::sleep_for(std::chrono::duration<double>(takes));
    };
  }
  options.warn = [](std::string_view text) { Say(StrCat("warning: ", text)); };
  return options;
}

// Open files and threads of this process.
size_t Count(const char* folder) {
  return static_cast<size_t>(std::ranges::distance(std::filesystem::directory_iterator(folder),
                                                   std::filesystem::directory_iterator()));
}

size_t CountSockets() {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    const std::string target = std::filesystem::read_symlink(entry.path(), error);
    count += target.starts_with("socket:") ? 1 : 0;
  }
  return count;
}

// What of a transport is still there. A thread that was joined may be listed for a moment.
std::string LeftBehind() {
  const auto start = Clock::now();
  while (Count("/proc/self/task") > 1 && Since(start) < 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return StrCat("left behind: ", CountSockets(), " sockets, ", Count("/proc/self/task") - 1,
                " threads");
}

int Main(int argc, char** argv) {
  const std::string task = argc > 1 ? argv[1] : "";
  const Arguments arguments(argc, argv);
  const int rounds = arguments.Whole("rounds", 1);
  Status status;
  size_t files = 0;
  for (int round = 0; round < rounds; ++round) {
    if (round == 1) files = Count("/proc/self/fd");
    const auto start = Clock::now();
    TransportOptions options = OptionsOf(arguments);
    options.epoch += round;
    StatusOr<std::unique_ptr<Transport>> transport = ConnectTransport(options);
    status = transport.status();
    if (!status.ok()) {
      Say(StrCat("not connected after ", Since(start), " s"));
      break;
    }
    Say(StrCat("connected after ", Since(start), " s"));
    status = RunTask(task, **transport, arguments);
    if (arguments.Whole("again", 0) != 0) {
      // What is lost stays lost.
      std::byte byte = {};
      const int other = (*transport)->process_id() == 0 ? 1 : 0;
      Say((*transport)->Receive(other, {.run = 10}, {&byte, 1}, nullptr).ToString());
      Say((*transport)->Send(other, {.run = 10}, {&byte, 1}, nullptr).ToString());
    }
  }
  if (rounds > 1) {
    Say(StrCat("left behind: ", Count("/proc/self/fd") - files, " files, ",
               Count("/proc/self/task") - 1, " threads"));
  }
  if (task == "steps") Say(LeftBehind());
  Say(status.ToString());
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace axle

int main(int argc, char** argv) {
  return axle::Main(argc, argv);
}
