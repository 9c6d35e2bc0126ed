// Programs written by hand: records, places, calls, loops, branches, and what stops them.
#include "axle/runtime/program.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

#include "axle/runtime/worker_pool.h"

namespace axle {
namespace {

using Int = std::int32_t;

Place InFrame(i64 slot) {
  return {Place::kFrame, slot * kPlaceAlignment};
}
Place Block(std::uint32_t block) {
  return {Place::kFirstBlock + block, 0};
}

// Adds `record` with these places; those in the frame count from behind the pointers, which
// Finish adds.
Record& AddRecord(Program& program, Record record, std::vector<Place> places) {
  record.first_place = static_cast<std::uint32_t>(program.places.size());
  record.num_places = static_cast<std::uint32_t>(places.size());
  program.places.insert(program.places.end(), places.begin(), places.end());
  return program.records.emplace_back(std::move(record));
}
Record Kernel(KernelFunction function, const void* plan = nullptr) {
  Record record;
  record.function = function;
  record.plan = plan;
  return record;
}
Record Runs(Record::Kind kind, std::vector<std::shared_ptr<const Program>> programs) {
  Record record;
  record.kind = kind;
  record.programs = std::move(programs);
  return record;
}
// Slots are what the program has in its frame, each kPlaceAlignment bytes; a record that runs
// programs has their frames behind them.
std::shared_ptr<const Program> Finish(Program program, i64 slots, i64 inner_frame = 0) {
  for (Place& place : program.places) {
    if (place.base == Place::kFrame) place.offset += program.pointer_bytes();
  }
  program.frame_bytes = program.pointer_bytes() + slots * kPlaceAlignment + inner_frame;
  return std::make_shared<Program>(std::move(program));
}

// buffers[1] = buffers[0] + *plan
int AddNumber(const RunContext*, const void* plan, void* const* buffers, i64, i64) {
  *static_cast<Int*>(buffers[1]) =
      *static_cast<const Int*>(buffers[0]) + *static_cast<const Int*>(plan);
  return kKernelOk;
}
constexpr Int kOne = 1, kTen = 10, kHundred = 100;

// Runs `program` in a frame whose end is guarded.
Status RunProgram(const Program& program, std::vector<void*> blocks, ProgramRun& run) {
  constexpr i64 kGuard = 64;
  const auto bytes = static_cast<size_t>((program.frame_bytes + 63) / 64 * 64 + kGuard);
  auto* const frame = static_cast<std::byte*>(std::aligned_alloc(64, bytes));
  std::fill_n(frame, bytes, std::byte{0x5a});
  const Status status = Execute(program, frame, blocks.data(), run);
  for (size_t i = static_cast<size_t>(program.frame_bytes); i < bytes; ++i) {
    EXPECT_EQ(frame[i], std::byte{0x5a});
  }
  std::free(frame);
  return status;
}
Status RunProgram(const Program& program, std::vector<void*> blocks) {
  ProgramRun run;
  return RunProgram(program, std::move(blocks), run);
}

TEST(Program, RecordsRunInOrderOnTheirPlaces) {
  Program program;
  static constexpr Int kConstants[32] = {7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8};
  program.constants = {std::shared_ptr<void>(), reinterpret_cast<const std::byte*>(kConstants)};
  program.num_blocks = 2;
  AddRecord(program, Kernel(&AddNumber, &kTen), {{Place::kConstants, 64}, InFrame(1)});
  AddRecord(program, Kernel(&AddNumber, &kHundred), {InFrame(1), InFrame(0)});
  AddRecord(program, Kernel(&AddNumber, &kOne), {InFrame(0), Block(1)});
  AddRecord(program, Kernel(&AddNumber, &kOne), {Block(0), {Place::kFirstBlock + 0, 4}});
  const auto finished = Finish(std::move(program), 2);
  Int first[2] = {40, 0}, second = 0;
  EXPECT_TRUE(RunProgram(*finished, {first, &second}).ok());
  EXPECT_EQ(second, 8 + 10 + 100 + 1);
  EXPECT_EQ(first[1], 41);
}

TEST(Program, KernelsGetTheirTiles) {
  Program program;
  Record& record = AddRecord(
      program, Kernel([](const RunContext*, const void*, void* const* buffers, i64 begin, i64 end) {
        auto* const sums = static_cast<Int*>(buffers[0]);
        for (i64 tile = begin; tile < end; ++tile) ++sums[tile];
        return kKernelOk;
      }),
      {Block(0)});
  record.num_tiles = 5;
  Int counts[7] = {};
  EXPECT_TRUE(RunProgram(*Finish(std::move(program), 0), {counts}).ok());
  EXPECT_EQ(std::vector<Int>(counts, counts + 7), (std::vector<Int>{1, 1, 1, 1, 1, 0, 0}));
}

// Counts the calls for each tile in the result and leaves its first tile in the scratch memory.
int CountTiles(const RunContext*, const void*, void* const* buffers, i64 begin, i64 end) {
  auto* const counts = static_cast<Int*>(buffers[0]);
  for (i64 tile = begin; tile < end; ++tile) ++counts[tile];
  *static_cast<Int*>(buffers[1]) = static_cast<Int>(begin);
  return kKernelOk;
}

TEST(Program, ThreadsShareTheTilesOfALargeKernel) {
  constexpr int kThreads = 3, kTiles = 10;
  Program program;
  Record record = Kernel(&CountTiles);
  record.num_tiles = kTiles;
  record.parallel_nanoseconds = 1e6;
  record.scratch_bytes = kPlaceAlignment;
  program.num_blocks = 2;
  AddRecord(program, std::move(record), {Block(0), Block(1)});
  const auto finished = Finish(std::move(program), 0);
  Int counts[kTiles] = {};
  alignas(kPlaceAlignment) Int scratch[kThreads * kPlaceAlignment / sizeof(Int)] = {};
  WorkerPool workers(kThreads);
  ProgramRun run;
  run.workers = &workers;
  run.num_threads = kThreads;
  ASSERT_TRUE(RunProgram(*finished, {counts, scratch}, run).ok());
  for (const Int count : counts) EXPECT_EQ(count, 1);
  // Each thread had memory of its own.
  for (int part = 0; part < kThreads; ++part) {
    EXPECT_EQ(scratch[part * kPlaceAlignment / sizeof(Int)], kTiles * part / kThreads);
  }
}

// The first thread has nothing to do when the time is over.
TEST(Program, EachThreadLooksAtTheDeadline) {
  constexpr int kThreads = 3;
  Program program;
  Record record = Kernel([](const RunContext* run, const void*, void* const*, i64 begin, i64) {
    if (begin == 0) return kKernelOk;
    while (!run->stopped(run)) std::this_thread::yield();
    return kKernelStopped;
  });
  record.num_tiles = kThreads;
  record.parallel_nanoseconds = 1e6;
  program.num_blocks = 1;
  AddRecord(program, std::move(record), {Block(0)});
  const auto finished = Finish(std::move(program), 0);
  WorkerPool workers(kThreads);
  Limits limits;
  limits.set_time_limit(0.05);
  ProgramRun run;
  run.limits = &limits;
  run.workers = &workers;
  run.num_threads = kThreads;
  Int state = 0;
  EXPECT_EQ(RunProgram(*finished, {&state}, run).code(), StatusCode::kDeadlineExceeded);
}

TEST(Program, APlaceOfNoBytesIsNeverTouched) {
  // A value without elements has some place; nothing is read or written there.
  Program program;
  AddRecord(program, Kernel([](const RunContext*, const void*, void* const* buffers, i64, i64) {
              return buffers[0] != nullptr ? kKernelOk : kKernelFailed;
            }),
            {Place{}});
  EXPECT_TRUE(RunProgram(*Finish(std::move(program), 0), {}).ok());
}

// block 1 = block 0 + 1
std::shared_ptr<const Program> Increment() {
  Program program;
  program.name = "increment";
  program.num_blocks = 2;
  AddRecord(program, Kernel(&AddNumber, &kOne), {Block(0), Block(1)});
  return Finish(std::move(program), 0);
}

TEST(Program, CallsHaveAFrameOfTheirOwn) {
  // The callee: block 1 = (block 0 + 1) + 10, by its own frame.
  Program callee;
  callee.num_blocks = 2;
  AddRecord(callee, Kernel(&AddNumber, &kOne), {Block(0), InFrame(0)});
  AddRecord(callee, Kernel(&AddNumber, &kTen), {InFrame(0), Block(1)});
  const auto called = Finish(std::move(callee), 1);
  Program program;
  program.num_blocks = 2;
  AddRecord(program, Kernel(&AddNumber, &kHundred), {Block(0), InFrame(0)});
  AddRecord(program, Runs(Record::Kind::kCall, {called}), {InFrame(0), InFrame(1), InFrame(2)});
  AddRecord(program, Runs(Record::Kind::kCall, {called}), {InFrame(1), InFrame(1), InFrame(2)});
  AddRecord(program, Kernel(&AddNumber, &kOne), {InFrame(1), Block(1)});
  const auto finished = Finish(std::move(program), 2, called->frame_bytes);
  Int argument = 5, result = 0;
  EXPECT_TRUE(RunProgram(*finished, {&argument, &result}).ok());
  EXPECT_EQ(result, 5 + 100 + 11 + 11 + 1);
}

// Runs as long as the state, block 0, is not *plan; block 1 is the pred.
int IsNot(const RunContext*, const void* plan, void* const* buffers, i64, i64) {
  *static_cast<bool*>(buffers[1]) =
      *static_cast<const Int*>(buffers[0]) != *static_cast<const Int*>(plan);
  return kKernelOk;
}

// A loop on block 0 that adds 1 until it is *limit.
std::shared_ptr<const Program> CountTo(const Int* limit) {
  Program condition;
  condition.name = "condition";
  condition.num_blocks = 2;
  AddRecord(condition, Kernel(&IsNot, limit), {Block(0), Block(1)});
  // The body goes through its own frame, behind that of the condition.
  Program body;
  body.name = "body";
  body.num_blocks = 1;
  AddRecord(body, Kernel(&AddNumber, &kOne), {Block(0), InFrame(0)});
  static constexpr Int kZero = 0;
  AddRecord(body, Kernel(&AddNumber, &kZero), {InFrame(0), Block(0)});
  const auto first = Finish(std::move(condition), 0), second = Finish(std::move(body), 1);
  Program program;
  program.name = "loop";
  program.num_blocks = 1;
  AddRecord(program, Runs(Record::Kind::kWhile, {first, second}),
            {Block(0), InFrame(0), InFrame(1)});
  return Finish(std::move(program), 1, first->frame_bytes + second->frame_bytes);
}

TEST(Program, LoopsRunUntilTheConditionIsFalse) {
  constexpr Int kLimit = 1000;
  for (const Int start : {1000, 999, -5}) {
    Int state = start;
    EXPECT_TRUE(RunProgram(*CountTo(&kLimit), {&state}).ok());
    EXPECT_EQ(state, 1000);
  }
}

std::shared_ptr<const Program> Branches(int count, bool index_is_pred) {
  static constexpr Int kAdded[] = {1000, 2000, 3000};
  Record record = Runs(Record::Kind::kConditional, {});
  record.index_is_pred = index_is_pred;
  Program program;
  program.num_blocks = 5;
  // Blocks: the index, an argument for each branch, the result.
  std::vector<Place> places = {Block(0), InFrame(0)};
  for (int i = 0; i < count; ++i) {
    Program branch;
    branch.num_blocks = 2;
    AddRecord(branch, Kernel(&AddNumber, &kAdded[i]), {Block(0), Block(1)});
    record.programs.push_back(Finish(std::move(branch), 0));
    places.push_back(Block(1 + static_cast<std::uint32_t>(i)));
    places.push_back(Block(4));
  }
  const i64 frame = record.programs[0]->frame_bytes;
  AddRecord(program, std::move(record), places);
  return Finish(std::move(program), 0, frame);
}

TEST(Program, BranchesByIndex) {
  // What is no branch is the last one.
  const std::pair<Int, Int> expected[] = {
      {0, 1001}, {1, 2002}, {2, 3003}, {3, 3003}, {-1, 3003}, {INT32_MIN, 3003}, {INT32_MAX, 3003}};
  for (auto [index, value] : expected) {
    Int arguments[] = {1, 2, 3}, result = 0;
    EXPECT_TRUE(RunProgram(*Branches(3, false),
                           {&index, &arguments[0], &arguments[1], &arguments[2], &result})
                    .ok());
    EXPECT_EQ(result, value) << index;
  }
}

TEST(Program, BranchesByPred) {
  for (bool pred : {true, false}) {
    Int arguments[] = {1, 2, 3}, result = 0;
    EXPECT_TRUE(RunProgram(*Branches(2, true),
                           {&pred, &arguments[0], &arguments[1], &arguments[2], &result})
                    .ok());
    EXPECT_EQ(result, pred ? 1001 : 2002);
  }
}

TEST(Program, StepsAreIterationsAndCalls) {
  constexpr Int kLimit = 100;
  // 100 iterations and the look that ends the loop.
  for (const i64 steps : {101, 100}) {
    Limits limits;
    limits.set_step_limit(steps);
    ProgramRun run;
    run.limits = &limits;
    Int state = 0;
    const Status status = RunProgram(*CountTo(&kLimit), {&state}, run);
    EXPECT_EQ(status.ok(), steps == 101);
    if (!status.ok()) {
      EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
    }
  }
}

TEST(Program, ProgressIsTheRecordsOfTheOutermostProgram) {
  constexpr Int kLimit = 5000;
  const auto loop = CountTo(&kLimit);
  Program program;
  program.num_blocks = 1;
  Record call = Runs(Record::Kind::kCall, {loop});
  AddRecord(program, std::move(call), {Block(0), InFrame(0)});
  AddRecord(program, Kernel(&AddNumber, &kOne), {Block(0), Block(0)});
  const auto finished = Finish(std::move(program), 0, loop->frame_bytes);
  std::vector<double> seen;
  Limits limits;
  limits.set_progress([&](double done) { seen.push_back(done); });
  ProgramRun run;
  run.limits = &limits;
  Int state = 0;
  EXPECT_TRUE(RunProgram(*finished, {&state}, run).ok());
  EXPECT_EQ(state, 5001);
  // Now and then while the loop goes on, as the clock has it, then after each record.
  EXPECT_EQ(seen.front(), 0);
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  EXPECT_EQ(seen, (std::vector<double>{0, 0.5, 1}));
}

TEST(Program, CancelEndsAnEndlessLoop) {
  constexpr Int kNever = -1;
  for (const bool by_deadline : {false, true}) {
    Limits limits;
    if (by_deadline) limits.set_time_limit(0.02);
    ProgramRun run;
    run.limits = &limits;
    Int state = 0;
    std::thread canceller([&] {
      if (by_deadline) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      limits.Cancel();
    });
    const auto begin = std::chrono::steady_clock::now();
    // Ends by itself after 2^32 iterations, about a minute.
    const Status status = RunProgram(*CountTo(&kNever), {&state}, run);
    canceller.join();
    EXPECT_EQ(status.code(), by_deadline ? StatusCode::kDeadlineExceeded : StatusCode::kCancelled);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  }
}

TEST(Program, KernelsThatFailEndTheRun) {
  Program program;
  program.num_blocks = 2;
  AddRecord(program, Kernel([](const RunContext* context, const void*, void* const*, i64, i64) {
              auto* const run = const_cast<ProgramRun*>(static_cast<const ProgramRun*>(context));
              run->status = InvalidArgument("no");
              return kKernelFailed;
            }),
            {});
  AddRecord(program, Kernel(&AddNumber, &kOne), {Block(0), Block(1)});
  Int argument = 1, result = 0;
  EXPECT_EQ(RunProgram(*Finish(std::move(program), 0), {&argument, &result}).ToString(),
            InvalidArgument("no").ToString());
  EXPECT_EQ(result, 0);
}

TEST(Program, KernelsThatStopSayWhy) {
  // A kernel that works for long asks the run, and stops.
  Program program;
  AddRecord(program, Kernel([](const RunContext* run, const void*, void* const*, i64, i64) {
              static_cast<ProgramRun*>(const_cast<RunContext*>(run))->limits->Cancel();
              return run->stopped(run) ? kKernelStopped : kKernelOk;
            }),
            {});
  const auto finished = Finish(std::move(program), 0);
  Limits limits;
  ProgramRun run;
  run.limits = &limits;
  EXPECT_EQ(RunProgram(*finished, {}, run).code(), StatusCode::kCancelled);
  ProgramRun free_run;
  EXPECT_FALSE(free_run.stopped(&free_run));
}

enum class Nesting : std::uint8_t { kCalls, kBranches, kLoops };

// A program that runs itself, as far as anybody can tell: `depth` copies, one in the other.
std::shared_ptr<const Program> Nested(int depth, Nesting nesting) {
  std::shared_ptr<const Program> inner = Increment();
  if (nesting == Nesting::kLoops) {
    static constexpr Int kLimit = 1;
    inner = CountTo(&kLimit);
  }
  for (int i = 1; i < depth; ++i) {
    Program program;
    program.name = "nested";
    program.num_blocks = inner->num_blocks;
    Record record;
    if (nesting == Nesting::kCalls) {
      record = Runs(Record::Kind::kCall, {inner});
      AddRecord(program, std::move(record), {Block(0), Block(1), InFrame(0)});
      inner = Finish(std::move(program), 0, inner->frame_bytes);
    } else if (nesting == Nesting::kBranches) {
      record = Runs(Record::Kind::kConditional, {inner});
      AddRecord(program, std::move(record), {Block(0), InFrame(0), Block(0), Block(1)});
      inner = Finish(std::move(program), 0, inner->frame_bytes);
    } else {
      Program condition;
      static constexpr Int kLimit = 1;
      condition.num_blocks = 2;
      AddRecord(condition, Kernel(&IsNot, &kLimit), {Block(0), Block(1)});
      record = Runs(Record::Kind::kWhile, {Finish(std::move(condition), 0), inner});
      const i64 bytes = record.programs[0]->frame_bytes + inner->frame_bytes;
      AddRecord(program, std::move(record), {Block(0), InFrame(0), InFrame(1)});
      inner = Finish(std::move(program), 1, bytes);
    }
  }
  return inner;
}

TEST(Program, DeepNestingIsRefusedAndDoesNotCrash) {
  for (const Nesting nesting : {Nesting::kCalls, Nesting::kBranches, Nesting::kLoops}) {
    // A loop of the innermost program is one level more.
    const int most = nesting == Nesting::kLoops ? 499 : 500;
    for (const int depth : {most, most + 1, 1000}) {
      Int argument = 0, result = 0;
      ProgramRun run;
      const Status status = RunProgram(*Nested(depth, nesting), {&argument, &result}, run);
      EXPECT_EQ(status.ok(), depth == most) << depth;
      EXPECT_EQ(run.depth, 0);
      if (status.ok()) {
        EXPECT_EQ(nesting == Nesting::kLoops ? argument : result, 1);
      } else {
        EXPECT_EQ(status.code(), StatusCode::kResourceExhausted);
        EXPECT_NE(status.message().find("nested more than 500 deep"), std::string::npos);
      }
    }
  }
}

}  // namespace
}  // namespace axle
