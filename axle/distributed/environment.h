// What launchers say in the environment of a process: which one of the job it is, and where the
// others are found. The one place that reads such variables.
#pragma once
#include <string>
#include <string_view>

#include "axle/core/status.h"

namespace axle {

struct LaunchEnvironment {
  int process_id = -1;    // -1: nobody says
  int num_processes = 0;  // 0: nobody says
  std::string rendezvous, secret, listen_address, job;
  // Where the numbers are from: "AXLE_PROCESS_ID", "SLURM_PROCID"; "" if nobody says.
  std::string source;
  // The first machine of the job, if the launcher says: for messages that propose a rendezvous.
  std::string first_host;
  bool has_several_hosts = false;
};

// Reads AXLE_PROCESS_ID, AXLE_NUM_PROCESSES, AXLE_RENDEZVOUS, AXLE_JOB_SECRET, AXLE_JOB_ID and
// AXLE_LISTEN_ADDRESS, and, where ours say nothing, the variables of OpenMPI, Slurm and PMI, in
// this order. INVALID_ARGUMENT, with names and values, for what is no number, for one of two
// numbers, for a process that is not below the number of processes, and for two launchers that
// contradict each other, unless ours decide.
StatusOr<LaunchEnvironment> ReadLaunchEnvironment();

// A new secret for the processes of a job: 32 random bytes as text. FAILED_PRECONDITION if the
// system gives none.
StatusOr<std::string> NewJobSecret();

}  // namespace axle
