// Limits, signals, threads, outputs that cannot be written.
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/sanitizers.h"
#include "tests/tools/cli.h"

namespace axle {
namespace {

using nlohmann::json;

std::vector<std::string> Engines() {
#ifdef AXLE_HAS_CODEGEN
  return {"native", "interpret"};
#else
  return {"interpret"};
#endif
}

// The process has come as far as installing its handlers.
bool HandlesSignals(pid_t pid) {
  const std::string status = ReadText("/proc/" + std::to_string(pid) + "/status");
  const size_t at = status.find("SigCgt:");
  if (at == status.npos || status.find("State:\tZ") != status.npos) return true;  // it has ended
  const auto mask = std::strtoull(status.c_str() + at + 7, nullptr, 16);
  return (mask >> (SIGTERM - 1) & 1) != 0;
}

TEST_F(Cli, LimitsEndARun) {
  const std::string forever = Write("forever.hlo", kForever);
  for (const std::string& engine : Engines()) {
    const Result time = Run({"run", forever, "--time-limit", "0.3", "--engine", engine});
    EXPECT_EQ(time.exit, 4) << engine;
    EXPECT_EQ(
        time.err,
        "DEADLINE_EXCEEDED: the time limit of 0.3 s ended the run of \"forever\"; --time-limit "
        "0 removes it\n")
        << engine;
    const Result memory = Run({"run", "-", "--mem-limit", "64M", "--engine", engine},
                              "HloModule m\n\nENTRY main {\n  one = f32[] constant(1)\n"
                              "  ROOT ones = f32[100000000] broadcast(one), dimensions={}\n}\n");
    EXPECT_EQ(memory.exit, 4) << engine;
    EXPECT_TRUE(memory.err.starts_with("RESOURCE_EXHAUSTED: ")) << engine << memory.err;
    EXPECT_NE(memory.err.find("is above the memory limit of 64 MiB: "), std::string::npos)
        << memory.err;
    const std::string named = std::string(engine == "native" ? ": the result \"ones\" of \"main\""
                                                             : ": \"ones\" of \"main\"") +
                              " in the run of \"m\"; --mem-limit changes it\n";
    EXPECT_TRUE(memory.err.ends_with(named)) << engine << memory.err;
  }
}

TEST_F(Cli, ARunHasNoTimeLimitUnlessOneIsGiven) {
  const std::string forever = Write("forever.hlo", kForever);
  const pid_t pid = Start({"run", forever});
  for (int i = 0; i < 90; ++i) {  // longer than other verbs may take
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, WNOHANG), 0);
  }
  kill(pid, SIGINT);
  EXPECT_EQ(Finish(pid).exit, 4);
}

TEST_F(Cli, AMessageSaysHowManyRepeatsThereWere) {
  const std::string program = Write("long.hlo", R"(HloModule long
less { i = s32[] parameter(0)  n = s32[] constant(30000000)  ROOT l = pred[] compare(i, n), direction=LT }
step { i = s32[] parameter(0)  one = s32[] constant(1)  ROOT j = s32[] add(i, one) }
ENTRY main { i = s32[] parameter(0)  ROOT w = s32[] while(i), condition=less, body=step }
)");
  const Result r =
      Run({"run", program, "--fake=zeros", "--repeat", "1000000", "--time-limit", "1"});
  EXPECT_EQ(r.exit, 4);
  EXPECT_TRUE(r.err.starts_with(
      "DEADLINE_EXCEEDED: the time limit of 1 s ended the run of \"long\" after "))
      << r.err;
  EXPECT_TRUE(r.err.ends_with(" of 1000000 repeats; --time-limit 0 removes it\n")) << r.err;
}

TEST_F(Cli, TimeLimitsThatAreNoTimesAreUsageErrors) {
  for (const char* const limit : {"nan", "-1", "inf", "1e300", "8s", "-nan", "0x10"}) {
    const Result r = Run({"parse", Write("add.hlo", kAdd), std::string("--time-limit=") + limit});
    EXPECT_EQ(r.exit, 2) << limit << r.err;
    EXPECT_NE(r.err.find("is not a number of seconds"), std::string::npos) << limit << r.err;
  }
  EXPECT_EQ(Run({"parse", Write("add.hlo", kAdd), "--time-limit", "-1"}).exit, 2);
  EXPECT_EQ(Run({"parse", Write("add.hlo", kAdd), "--time-limit", "1e3"}).exit, 0);
}

// Pipes that nobody writes to, or whose writer never ends.
TEST_F(Cli, ReadingFromAPipeIsUnderTheLimit) {
  const std::string fifo = Path("fifo.hlo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const Result r = Run({"parse", fifo, "--time-limit", "0.3"});
  EXPECT_EQ(r.exit, 4);
  EXPECT_EQ(r.err, "DEADLINE_EXCEEDED: the time limit of 0.3 s ended reading \"" + fifo +
                       "\"; --time-limit 0 removes it\n");
  const int held = open(fifo.c_str(), O_RDWR);
  ASSERT_EQ(write(held, "HloModule", 9), 9);
  EXPECT_EQ(Run({"parse", fifo, "--time-limit", "0.3"}).exit, 4);
  EXPECT_EQ(
      Run({"run", Write("add.hlo", kAdd), "--fake", "--arg", "0=@" + fifo, "--time-limit", "0.3"})
          .exit,
      4);
  const pid_t pid = Start({"parse", fifo, "--time-limit", "0"});
  while (!HandlesSignals(pid)) std::this_thread::yield();
  kill(pid, SIGINT);
  EXPECT_EQ(Finish(pid).err, "CANCELLED: cancelled during reading \"" + fifo + "\"\n");
  close(held);
}

TEST_F(Cli, AFileLimitIsAnErrorMessage) {
  std::string text = "HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n";
  for (int i = 0; i < 2000; ++i) text += "  y" + std::to_string(i) + " = f32[] negate(x)\n";
  const std::string file = Write("in.hlo", text + "}\n");
  const std::string command = "ulimit -f 1; exec " + (BuildFolder() / "bin/axle").string() +
                              " print " + file + " --output " + Path("out.hlo") + " 2>" +
                              Path("message");
  const int status = std::system(("sh -c '" + command + "'").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 3);
  EXPECT_NE(ReadText(Path("message")).find("File too large"), std::string::npos)
      << ReadText(Path("message"));
}

// Made-up values are no part of the run, however many there are, and can be interrupted.
TEST_F(Cli, MakingValuesDoesNotCount) {
  const std::string program = Write("large.hlo",
                                    "HloModule m\nENTRY e {\n  x = f64[20000000] parameter(0)\n  "
                                    "ROOT y = f64[1] slice(x), slice={[0:1]}\n}\n");
  const Result r = Run({"run", program, "--fake", "--time-limit", "0.4", "--engine", "interpret"});
  EXPECT_EQ(r.exit, 0) << r.err;
}

TEST_F(Cli, CheckSaysThatAProgramDoesNotFit) {
  AXLE_SKIP_WITHOUT_CODEGEN();
  const std::string program = Write("large.hlo",
                                    "HloModule m\nENTRY e {\n  x = f32[100000000] parameter(0)\n  "
                                    "ROOT y = f32[100000000] negate(x)\n}\n");
  const Result r = Run({"check", program, "--mem-limit", "256M"});
  EXPECT_EQ(r.exit, 4) << r.out << r.err;
  EXPECT_NE(r.out.find("over limit: "), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("memory"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("--mem-limit"), std::string::npos) << r.out;
  // No option gives the machine more than it has.
  const std::string huge = Write("huge.hlo",
                                 "HloModule m\nENTRY e {\n  x = f32[] parameter(0)\n  ROOT y = "
                                 "f32[1000000000000] broadcast(x), dimensions={}\n}\n");
  for (const char* const verb : {"check", "run"}) {
    const Result no = Run({verb, huge, "--fake"});
    EXPECT_EQ(no.exit, 4) << no.out << no.err;
    EXPECT_NE((no.out + no.err).find("memory of this machine"), std::string::npos) << no.out;
    EXPECT_EQ((no.out + no.err).find("--mem-limit"), std::string::npos) << no.out << no.err;
  }
}

// From too little to start the native engine to enough to compile and run.
TEST_F(Cli, TooLittleMemoryToCompileIsALimitNotACrash) {
  const std::string program = Write("norm.hlo", R"(
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }
ENTRY e {
  x = f32[8,64] parameter(0)
  zero = f32[] constant(0)
  y = f32[8,64] exponential(x)
  sum = f32[8] reduce(y, zero), dimensions={1}, to_apply=add
  sums = f32[8,64] broadcast(sum), dimensions={0}
  z = f32[8,64] divide(y, sums)
  w = f32[64,8] transpose(z), dimensions={1,0}
  t = f32[64,8] tanh(w)
  v = f32[64,64] dot(t, z), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT r = (f32[64,64], f32[64,8]) tuple(v, t)
})");
  std::vector<int> exits;
  for (const int megabytes : {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 40, 64, 128, 256}) {
    const Result r =
        Run({"run", program, "--fake", "--mem-limit", std::to_string(megabytes) + "M"});
    EXPECT_TRUE(r.exit == 0 || r.exit == 4) << megabytes << " MB: " << r.exit << r.err;
    exits.push_back(r.exit);
  }
  EXPECT_EQ(exits.back(), 0);
  EXPECT_TRUE(std::ranges::is_sorted(exits, std::greater()));  // what is enough stays enough
  EXPECT_EQ(exits.front(), 4);
}

// With room for some of the threads that could compile its kernels.
TEST_F(Cli, ManyThreadsCompileInTheMemoryThatThereIs) {
  AXLE_SKIP_WITHOUT_CODEGEN();
  std::string text = "HloModule m\nENTRY e {\n  x0 = f32[9] parameter(0)\n";
  for (int i = 1; i <= 100; ++i) {
    const std::string n = std::to_string(i), size = std::to_string(i + 10);
    text += "  x" + n + " = f32[" + size + "] parameter(" + n + ")\n  y" + n + " = f32[" + size +
            "] sine(x" + n + ")\n  k" + n + " = f32[] constant(" + n + ")\n  b" + n + " = f32[" +
            size + "] broadcast(k" + n + "), dimensions={}\n  z" + n + " = f32[" + size +
            "] multiply(y" + n + ", b" + n + ")\n";
  }
  std::string list, types;
  for (int i = 1; i <= 100; ++i) {
    list += (i > 1 ? ", z" : "z") + std::to_string(i);
    types += (i > 1 ? ", f32[" : "f32[") + std::to_string(i + 10) + "]";
  }
  text += "  ROOT r = (" + types + ") tuple(" + list + ")\n}\n";
  const Result r =
      Run({"check", Write("many.hlo", text), "--threads", "64", "--mem-limit", "256M"});
  EXPECT_EQ(r.exit, 0) << r.out << r.err;
  EXPECT_EQ(r.out.find("over limit"), std::string::npos) << r.out;
}

#ifdef AXLE_HAS_CODEGEN
// A process keeps some of the memory that each module took. With less and less of it, workers begin
// anew before any module has too little in a process of its own.
TEST_F(Cli, WorkersThatHaveNoMemoryLeftBeginAnew) {
  if (kAddressSanitizer || kThreadSanitizer) GTEST_SKIP() << "sanitizers lift the limit";
  int begun_anew = 0;
  for (int megabytes = 58; begun_anew == 0 && megabytes > 10; megabytes -= 2) {
    const Result r =
        Run({"check", "--random=42", "--seed", "5", "--seeds", "1", "--variants", "1", "--levels",
             "0", "--mem-limit", std::to_string(megabytes) + "M", "--json"});
    EXPECT_EQ(r.exit, 0) << r.err << r.out;
    const json report = json::parse(r.out);
    EXPECT_EQ(report["modules"], 42);
    // Modules of several devices need more threads than this: they are over the limit anywhere.
    const auto count = [&](std::string_view what) {
      int number = 0;
      for (size_t at = 0; (at = r.err.find(what, at)) != r.err.npos; ++at) ++number;
      return number;
    };
    EXPECT_EQ(count("  over limit: "), count("devices need a thread each"))
        << megabytes << " MB: " << r.err;
    begun_anew = report["begun_anew"];
  }
  EXPECT_GT(begun_anew, 0);
}
#endif

TEST_F(Cli, AHugeShapeIsALimitNotACrash) {
  const Result r =
      Run({"run", "-", "--fake=zeros"},
          "HloModule m\n\nENTRY main {\n  ROOT x = f32[1099511627776] parameter(0)\n}\n");
  EXPECT_TRUE(r.exit == 3 || r.exit == 4) << r.exit << r.err;
}

TEST_F(Cli, SignalsCancelCleanly) {
  const std::string forever = Write("forever.hlo", kForever);
  for (const std::string& engine : Engines()) {
    for (int signal : {SIGINT, SIGTERM}) {
      const pid_t pid = Start({"run", forever, "--time-limit", "0", "--engine", engine});
      while (!HandlesSignals(pid)) std::this_thread::yield();
      kill(pid, signal);
      const Result r = Finish(pid);
      EXPECT_EQ(r.exit, 4) << engine << signal;
      EXPECT_TRUE(r.err.starts_with("CANCELLED: cancelled during ")) << engine << r.err;
    }
  }
}

TEST_F(Cli, OutputThatCannotBeWrittenIsSaid) {
  std::string text = "HloModule m\n\nENTRY main {\n  x0 = f32[] parameter(0)\n";
  for (int i = 0; i < 20'000; ++i) {
    text += "  x" + std::to_string(i + 1) + " = f32[] negate(x" + std::to_string(i) + ")\n";
  }
  const std::string small = Write("add.hlo", kAdd), large = Write("large.hlo", text + "}\n");
  const int full = open("/dev/full", O_WRONLY);
  for (const std::string& file : {small, large}) {  // one buffer of output, and many
    const Result r = Finish(Start({"print", file}, "", full));
    EXPECT_EQ(r.exit, 3) << file;
    EXPECT_EQ(r.err, "cannot write to stdout: No space left on device\n");
  }
  close(full);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  for (const std::string& file : {small, large}) {  // nobody is there to read it
    const Result r = Finish(Start({"print", file}, "", ends[1]));
    EXPECT_EQ(r.exit, 4) << file;
    EXPECT_EQ(r.err, "");
  }
  close(ends[1]);
}

#ifdef AXLE_HAS_CODEGEN
// Products without end, by as many threads as were asked for.
TEST_F(Cli, ThreadsShareARun) {
  const pid_t pid = Start({"run", "-", "--fake=zeros", "--threads", "5", "--time-limit", "60"},
                          R"(HloModule m

always {
  x = f32[300,300] parameter(0)
  ROOT yes = pred[] constant(true)
}

step {
  x = f32[300,300] parameter(0)
  ROOT d = f32[300,300] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
}

ENTRY main {
  x = f32[300,300] parameter(0)
  ROOT r = f32[300,300] while(x), condition=always, body=step
}
)");
  const auto tasks = fs::path("/proc") / std::to_string(pid) / "task";
  std::error_code error;
  std::ptrdiff_t most = 0;
  int status = 0;
  bool has_ended = false;
  while (most < 5 && !(has_ended = waitpid(pid, &status, WNOHANG) != 0)) {
    most = std::max(most, std::distance(fs::directory_iterator(tasks, error), {}));
    std::this_thread::yield();
  }
  EXPECT_EQ(most, 5);
  if (has_ended) return;
  kill(pid, SIGTERM);
  EXPECT_EQ(Finish(pid).exit, 4);
}
#endif

}  // namespace
}  // namespace axle
