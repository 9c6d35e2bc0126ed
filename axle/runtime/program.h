// Program: compiled code as a run sees it: a flat list of records over one block of memory, its
// frame. Knows neither the IR nor LLVM.
//
// A computation is one program. Its values are places: an offset in the frame, in the constants, or
// in one of the blocks that the caller hands over (arguments, then results). Entering a program
// turns places into pointers, once; running it then costs a call per record. A record that runs
// another program (a call, a loop, a branch) gives it a part of its own frame.
//
//   std::vector<void*> blocks = {...};        // arguments, then results
//   ProgramRun run;
//   const Status status = Execute(program, frame, blocks.data(), run);
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "axle/core/device_context.h"
#include "axle/core/kernel.h"
#include "axle/core/limits.h"
#include "axle/core/progress_pace.h"
#include "axle/core/run_state.h"
#include "axle/core/status.h"

namespace axle {

// Where a value is.
struct Place {
  static constexpr std::uint32_t kFrame = 0, kConstants = 1, kFirstBlock = 2;
  std::uint32_t base = kFrame;  // or kConstants, or kFirstBlock + a block of the caller's
  i64 offset = 0;               // in bytes
  bool operator==(const Place&) const = default;
};

// What one record can be shared among, and the most places of a record that is shared although it
// wants scratch memory: each thread has its own list of them then, on its stack. One with more
// places is run by one thread.
inline constexpr int kMaxThreads = 256;
inline constexpr std::uint32_t kMaxPlacesBesideScratch = 321;

// Offsets of values are multiples of this.
inline constexpr i64 kPlaceAlignment = 64;

class StepProfile;  // core/step_profile.h
class WorkerPool;
struct Program;

struct Record {
  enum class Kind : std::uint8_t {
    kKernel,       // function(run, plan, places, 0, num_tiles)
    kCall,         // programs[0] with the places as its blocks, but for the last: its frame
    kWhile,        // places: state, pred, frame. programs[0] reads the state and gives the pred;
                   // programs[1] replaces the state in place
    kConditional,  // places: index, frame, then the blocks of one branch after the other.
                   // programs[i] is branch i; a pred as index: branch 0 if it is true
  };
  Kind kind = Kind::kKernel;
  bool index_is_pred = false;     // kConditional
  std::uint32_t first_place = 0;  // in Program::places
  std::uint32_t num_places = 0;
  KernelFunction function = nullptr;
  const void* plan = nullptr;
  i64 num_tiles = 1;
  // kKernel: what one thread takes, about, if that is worth more than one, which then take equal
  // parts of the tiles; else 0. With scratch_bytes, the last place is scratch memory, so much for
  // each thread of the run.
  double parallel_nanoseconds = 0;
  i64 scratch_bytes = 0;
  std::vector<std::shared_ptr<const Program>> programs;
  std::string name;  // of what it computes, for messages
};

struct Program {
  std::string name;  // of the computation
  std::vector<Record> records;
  std::vector<Place> places;  // of all records
  std::shared_ptr<const std::byte> constants;
  i64 frame_bytes = 0;                             // with the pointers at its front
  i64 num_blocks = 0;                              // that the caller hands over
  std::vector<std::shared_ptr<const void>> owned;  // what plans point at

  // The front of a frame, where the pointers of the places are.
  i64 pointer_bytes() const {
    const i64 bytes = static_cast<i64>(places.size() * sizeof(void*));
    return (bytes + kPlaceAlignment - 1) / kPlaceAlignment * kPlaceAlignment;
  }
};

// One run of a program and of those that it calls. Not thread-safe.
struct ProgramRun : RunContext {
  ProgramRun() { stopped = &Stopped; }
  Limits* limits = nullptr;
  DeviceContext* device = nullptr;
  WorkerPool* workers = nullptr;   // null: this thread does everything
  int num_threads = 1;             // at most as many as the program was compiled for
  StepProfile* profile = nullptr;  // gets the times of the records; null: nobody asks
  RunState state;
  Status status;      // why the last kernel failed
  int depth = 0;      // of calls
  double done = 0;    // of the records of the outermost program: what the limits' progress gets
  ProgressPace pace;  // of loops and calls

  static bool Stopped(const RunContext* run);
};

// Runs `program` in a frame of at least frame_bytes bytes. The frame and the blocks that are
// written begin at multiples of kPlaceAlignment. The floating-point mode is the caller's business.
// Errors: those of kernels; CANCELLED, DEADLINE_EXCEEDED or RESOURCE_EXHAUSTED as the limits say:
// they are looked at for each record, and a call or an iteration is a step.
Status Execute(const Program& program, std::byte* frame, void* const* blocks, ProgramRun& run);

}  // namespace axle
