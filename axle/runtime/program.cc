#include "axle/runtime/program.h"

#include <pthread.h>

#include <algorithm>
#include <array>

#include "axle/core/profile_clock.h"
#include "axle/core/stack_room.h"
#include "axle/core/step_profile.h"
#include "axle/runtime/worker_pool.h"

namespace axle {
namespace {

// Makes the pointers of a frame.
void Enter(const Program& program, std::byte* frame, void* const* blocks) {
  auto** const pointers = reinterpret_cast<void**>(frame);
  // Constants are never written: places of results are never among them.
  auto* const constants = const_cast<std::byte*>(program.constants.get());
  for (size_t i = 0; i < program.places.size(); ++i) {
    const Place& place = program.places[i];
    std::byte* base = frame;
    if (place.base == Place::kConstants) base = constants;
    if (place.base >= Place::kFirstBlock) {
      base = static_cast<std::byte*>(blocks[place.base - Place::kFirstBlock]);
    }
    pointers[i] = base + place.offset;
  }
}

int Fail(ProgramRun& run, Status status) {
  run.status = std::move(status);
  return kKernelFailed;
}

int Step(ProgramRun& run) {
  if (run.limits == nullptr) return kKernelOk;
  Status status = run.limits->Step();
  if (run.pace.IsDue()) run.limits->Progress(run.done);
  return status.ok() ? kKernelOk : Fail(run, std::move(status));
}

int RunRecords(const Program& program, std::byte* frame, ProgramRun& run);

int EnterAndRun(const Program& program, std::byte* frame, void* const* blocks, ProgramRun& run) {
  if (Status status = CheckCallDepth(run.depth, program.name); !status.ok()) {
    return Fail(run, std::move(status));
  }
  ++run.depth;
  Enter(program, frame, blocks);
  const int result = RunRecords(program, frame, run);
  --run.depth;
  return result;
}

int RunWhile(const Record& record, void* const* places, ProgramRun& run) {
  const Program &condition = *record.programs[0], &body = *record.programs[1];
  auto* const frame = static_cast<std::byte*>(places[record.num_places - 1]);
  const auto* const pred = static_cast<const bool*>(places[record.num_places - 2]);
  // The frames lie one behind the other, so that each is entered once for all iterations.
  std::byte* const body_frame = frame + condition.frame_bytes;
  if (Status status = CheckCallDepth(run.depth, body.name); !status.ok()) {
    return Fail(run, std::move(status));
  }
  Enter(condition, frame, places);
  Enter(body, body_frame, places);
  ++run.depth;
  int result = kKernelOk;
  while (true) {
    result = Step(run);
    if (result != kKernelOk) break;
    result = RunRecords(condition, frame, run);
    if (result != kKernelOk || !*pred) break;
    result = RunRecords(body, body_frame, run);
    if (result != kKernelOk) break;
  }
  --run.depth;
  return result;
}

int RunConditional(const Record& record, void* const* places, ProgramRun& run) {
  if (const int result = Step(run); result != kKernelOk) return result;
  const auto num_branches = static_cast<i64>(record.programs.size());
  i64 branch;
  if (record.index_is_pred) {
    branch = *static_cast<const bool*>(places[0]) ? 0 : 1;
  } else {
    branch = *static_cast<const std::int32_t*>(places[0]);
    if (branch < 0 || branch >= num_branches) branch = num_branches - 1;
  }
  void* const* blocks = places + 2;
  for (i64 i = 0; i < branch; ++i) blocks += record.programs[i]->num_blocks;
  return EnterAndRun(*record.programs[branch], static_cast<std::byte*>(places[1]), blocks, run);
}

// Whether the threads of the run may share the tiles of a record. The number of its places comes
// from the user's program and has no bound, the lists on the threads' stacks have.
bool IsShareable(const Record& record, const ProgramRun& run) {
  return record.parallel_nanoseconds > 0 && run.workers != nullptr && run.num_threads > 1 &&
         (record.scratch_bytes == 0 || record.num_places <= kMaxPlacesBesideScratch);
}

// A record whose tiles several threads share.
struct SharedRecord {
  const Record& record;
  void* const* places;
  ProgramRun& run;
  int num_parts;
  StepProfile::Part* times;  // of the parts, or null
  std::array<int, kMaxThreads> results = {};

  static void RunTimedPart(void* argument, int part) {
    StepProfile::Part& time = static_cast<SharedRecord*>(argument)->times[part];
    time.thread = static_cast<std::uint64_t>(pthread_self());
    time.begin = ProfileClock::Now();
    RunPart(argument, part);
    time.end = ProfileClock::Now();
  }

  static void RunPart(void* argument, int part) {
    auto& shared = *static_cast<SharedRecord*>(argument);
    const Record& record = shared.record;
    const i64 begin = record.num_tiles * part / shared.num_parts;
    const i64 end = record.num_tiles * (part + 1) / shared.num_parts;
    void* const* places = shared.places;
    std::array<void*, kMaxPlacesBesideScratch> own_places;
    if (record.scratch_bytes > 0) {
      std::copy_n(places, record.num_places, own_places.begin());
      void*& scratch = own_places[record.num_places - 1];
      scratch = static_cast<std::byte*>(scratch) + part * record.scratch_bytes;
      places = own_places.data();
    }
    // Limits are for one thread: the others only look whether the run was cancelled or is past its
    // deadline, which changes nothing there. The first one may have done its part long before.
    PartContext other{{&PartContext::Stopped}, shared.run.limits};
    const RunContext* own = part == 0 ? static_cast<RunContext*>(&shared.run) : &other;
    shared.results[static_cast<size_t>(part)] =
        record.function(own, record.plan, places, begin, end);
  }

  struct PartContext : RunContext {
    Limits* limits;
    static bool Stopped(const RunContext* run) {
      Limits* limits = static_cast<const PartContext*>(run)->limits;
      return limits != nullptr && !limits->CheckNow().ok();
    }
  };
};

int RunShared(const Record& record, void* const* places, ProgramRun& run) {
  if (record.scratch_bytes > 0 && record.num_places > kMaxPlacesBesideScratch) {
    return Fail(run, Internal("execute: a parallel record has too many operands"));
  }
  const auto num_parts = static_cast<int>(
      std::min<i64>({run.num_threads, kMaxThreads, std::max<i64>(record.num_tiles, 1)}));
  SharedRecord shared{record, places, run, num_parts,
                      run.profile == nullptr ? nullptr : run.profile->PartsFor(num_parts)};
  const auto run_part =
      shared.times == nullptr ? &SharedRecord::RunPart : &SharedRecord::RunTimedPart;
  if (!run.workers->TryRun(num_parts, run_part, &shared, record.parallel_nanoseconds)) {
    return record.function(&run, record.plan, places, 0, record.num_tiles);
  }
  if (run.profile != nullptr) run.profile->SetThreads(num_parts);
  return *std::max_element(shared.results.begin(), shared.results.begin() + num_parts);
}

int RunRecord(const Record& record, void* const* places, ProgramRun& run) {
  switch (record.kind) {
    case Record::Kind::kKernel:
      if (IsShareable(record, run)) return RunShared(record, places, run);
      return record.function(&run, record.plan, places, 0, record.num_tiles);
    case Record::Kind::kCall:
      if (const int result = Step(run); result != kKernelOk) return result;
      return EnterAndRun(*record.programs[0],
                         static_cast<std::byte*>(places[record.num_places - 1]), places, run);
    case Record::Kind::kWhile:
      return RunWhile(record, places, run);
    case Record::Kind::kConditional:
      return RunConditional(record, places, run);
  }
  return kKernelFailed;
}

// Runs one record of `program`, which the limits may forbid.
int RunNext(const Program& program, const Record& record, void* const* pointers, ProgramRun& run) {
  if (run.limits != nullptr) {
    Status status = run.limits->Check();
    if (!status.ok()) return Fail(run, std::move(status));
  }
  const int result = RunRecord(record, pointers + record.first_place, run);
  if (result != kKernelOk) return result;
  if (run.limits != nullptr && run.depth == 1) {
    run.done = static_cast<double>(&record - program.records.data() + 1) /
               static_cast<double>(program.records.size());
    run.limits->Progress(run.done);
  }
  return kKernelOk;
}

int RunTimedRecords(const Program& program, void* const* pointers, ProgramRun& run) {
  StepProfile::Turn turn(*run.profile, &program, program.records.size());
  for (size_t i = 0; i < program.records.size(); ++i) {
    turn.Begin(i);
    const int result = RunNext(program, program.records[i], pointers, run);
    if (result != kKernelOk) return result;
    turn.End(i);
  }
  return kKernelOk;
}

int RunRecords(const Program& program, std::byte* frame, ProgramRun& run) {
  auto* const* const pointers = reinterpret_cast<void* const*>(frame);
  if (run.profile != nullptr) return RunTimedRecords(program, pointers, run);
  for (const Record& record : program.records) {
    const int result = RunNext(program, record, pointers, run);
    if (result != kKernelOk) return result;
  }
  return kKernelOk;
}

}  // namespace

bool ProgramRun::Stopped(const RunContext* context) {
  Limits* const limits = static_cast<const ProgramRun*>(context)->limits;
  return limits != nullptr && !limits->CheckNow().ok();
}

Status Execute(const Program& program, std::byte* frame, void* const* blocks, ProgramRun& run) {
  switch (EnterAndRun(program, frame, blocks, run)) {
    case kKernelOk:
      return {};
    case kKernelStopped:
      if (run.limits != nullptr) AXLE_TRY(run.limits->CheckNow());
      return Internal("execute: a kernel stopped without a reason");
    default:
      if (!run.status.ok()) return std::move(run.status);
      return Internal("execute: a kernel failed without a reason");
  }
}

}  // namespace axle
