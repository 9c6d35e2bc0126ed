/* Jobs of several processes: options, numbers of devices, a run, and the end of a process. The test
 * forks; the child is process 1. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/capi/c_api_test.h"

/* The sum over three replicas, and twice that. */
static const char kSum[] =
    "HloModule sum, replica_count=3\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
    "  ROOT c = f32[] add(a, b)\n}\nENTRY main {\n  x = f32[2] parameter(0)\n"
    "  s = f32[2] all-reduce(x), replica_groups={}, to_apply=add\n  t = f32[2] add(s, s)\n"
    "  ROOT r = (f32[2], f32[2]) tuple(s, t)\n}\n";

static void expect_bad_option(int line, const axle_distributed_options* distributed,
                              const char* message) {
  axle_client_options options;
  axle_client* client = NULL;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.distributed = distributed;
  expect_error(line, axle_client_create(&options, &client), AXLE_INVALID_ARGUMENT, message);
}

static axle_distributed_options no_options(void) {
  axle_distributed_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  return options;
}

static void test_job_options(void) {
  axle_distributed_options options = no_options();
  options.transport = "pigeon";
  expect_bad_option(__LINE__, &options,
                    "axle_client_create: there is no transport \"pigeon\"; there are gloo, mpi");
  options = no_options();
  options.process_id = 2;
  options.num_processes = 2;
  expect_bad_option(__LINE__, &options,
                    "axle_client_create: process_id is 2, must be from 0 and below num_processes, "
                    "which is 2");
  options = no_options();
  options.process_id = 1; /* and no num_processes */
  expect_bad_option(__LINE__, &options,
                    "axle_client_create: process_id is 1, must be from 0 and below num_processes, "
                    "which is 0");
  options = no_options();
  options.allow_no_secret = 3;
  expect_bad_option(__LINE__, &options,
                    "axle_client_create: allow_no_secret is 3, must be 0 or 1");
  options = no_options();
  options.epoch = -1;
  expect_bad_option(__LINE__, &options, "axle_client_create: epoch is -1, must be >= 0");
  options = no_options();
  options.silence_limit = -0.5;
  expect_bad_option(__LINE__, &options, "axle_client_create: silence_limit is -0.5, must be >= 0");
  options = no_options();
  options.struct_size = 3;
  {
    char message[160];
    sprintf(message, "axle_client_create: struct_size is 3, must be sizeof(the struct), %zu here",
            sizeof options);
    expect_bad_option(__LINE__, &options, message);
  }
}

static void test_without_job(void) {
  axle_client* client = NULL;
  expect_ok(__LINE__, axle_client_create(NULL, &client));
  expect(__LINE__, axle_client_process_id(client) == 0);
  expect(__LINE__, axle_client_num_processes(client) == 1);
  expect(__LINE__, axle_client_first_device(client, 0) == 0);
  expect(__LINE__, axle_client_first_device(client, 1) == 1);
  expect(__LINE__, axle_client_first_device(client, 2) == -1);
  expect(__LINE__, axle_client_first_device(client, -1) == -1);
  expect_error(__LINE__, axle_client_reconnect(client, NULL), AXLE_FAILED_PRECONDITION,
               "connect: the client is in no job: set ClientOptions::distributed");
  axle_client_leave(client); /* does nothing */
  axle_client_destroy(client);
  expect(__LINE__, axle_client_process_id(NULL) == 0 && axle_client_num_processes(NULL) == 1);
  expect(__LINE__, axle_client_first_device(NULL, 0) == -1);
  axle_client_leave(NULL);
  expect_error(__LINE__, axle_client_reconnect(NULL, NULL), AXLE_INVALID_ARGUMENT,
               "axle_client_reconnect: client is null");
}

static axle_client* connected(int process, const char* rendezvous) {
  axle_distributed_options distributed = no_options();
  axle_client_options options;
  axle_client* client = NULL;
  axle_status* status;
  distributed.rendezvous = rendezvous;
  distributed.process_id = process;
  distributed.num_processes = 2;
  distributed.connect_limit = 60;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.num_devices = process + 1;
  options.distributed = &distributed;
  status = axle_client_create(&options, &client);
  if (axle_status_code(status) == AXLE_UNAVAILABLE &&
      strstr(axle_status_message(status), "no libaxle_gloo.so") != NULL) {
    axle_status_destroy(status);
    return NULL;
  }
  expect_ok(__LINE__, status);
  return client;
}

/* One run: replica r has {r, 10 r}. */
static axle_status* run_sum(const axle_client* client, const axle_executable* executable,
                            float sum[2]) {
  static const int64_t kTwo[1] = {2};
  const size_t count = axle_executable_num_devices(executable);
  const axle_buffer* arguments[2] = {NULL, NULL};
  axle_buffer* results[4] = {NULL, NULL, NULL, NULL};
  axle_status* status;
  size_t d;
  for (d = 0; d < count; ++d) {
    const float r = (float)axle_executable_device_number(executable, d);
    float data[2];
    axle_array array = array_of(AXLE_F32, 1, kTwo, data);
    axle_buffer_options options;
    axle_buffer* buffer = NULL;
    data[0] = r;
    data[1] = 10 * r;
    memset(&options, 0, sizeof options);
    options.struct_size = sizeof options;
    options.device = axle_executable_device(executable, d);
    expect_ok(__LINE__,
              axle_buffer_from_host((axle_client*)client, &array, &options, &buffer));
    arguments[d] = buffer;
  }
  status = axle_executable_execute_replicated(executable, NULL, count, arguments, 1, results, 2);
  if (status == NULL) {
    axle_array array = array_of(AXLE_F32, 1, kTwo, sum);
    expect_ok(__LINE__, axle_buffer_to_host(results[2 * (count - 1)], &array, NULL));
  }
  for (d = 0; d < count; ++d) {
    axle_buffer_destroy((axle_buffer*)arguments[d]);
    axle_buffer_destroy(results[2 * d]);
    axle_buffer_destroy(results[2 * d + 1]);
  }
  return status;
}

static void be_a_process(int process, const char* rendezvous) {
  static const int64_t kDevices[] = {2, 0, 1};
  axle_client* client = connected(process, rendezvous);
  axle_module* module = NULL;
  axle_executable* executable = NULL;
  axle_compile_options options;
  axle_status* status;
  float sum[2] = {0, 0};
  if (client == NULL) {
    printf("skipped: this build has no libaxle_gloo.so\n");
    return;
  }
  expect(__LINE__, axle_client_process_id(client) == process);
  expect(__LINE__, axle_client_num_processes(client) == 2);
  expect(__LINE__, (int)axle_client_num_devices(client) == process + 1);
  expect(__LINE__, axle_client_first_device(client, 0) == 0);
  expect(__LINE__, axle_client_first_device(client, 1) == 1);
  expect(__LINE__, axle_client_first_device(client, 2) == 3);

  expect_ok(__LINE__, axle_module_parse(kSum, strlen(kSum), NULL, &module));
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.devices = kDevices; /* replicas 0 and 2 in process 1, replica 1 in process 0 */
  options.num_devices = 3;
  expect_ok(__LINE__, axle_client_compile(client, module, &options, &executable));
  expect(__LINE__, (int)axle_executable_num_devices(executable) == process + 1);
  expect(__LINE__, axle_executable_device_number(executable, 0) == (process == 0 ? 1 : 0));
  expect(__LINE__, axle_executable_device(executable, 0) == (process == 0 ? 0 : 1));
  expect(__LINE__, axle_executable_device_number(executable, 1) == (process == 0 ? -1 : 2));
  expect_ok(__LINE__, run_sum(client, executable, sum));
  expect(__LINE__, sum[0] == 3 && sum[1] == 30);

  /* Process 1 leaves: what process 0 runs with it is an error. Then both are there again. */
  if (process == 1) {
    axle_client_leave(client);
    expect_error(__LINE__, run_sum(client, executable, sum), AXLE_UNAVAILABLE,
                 "execute: the processes of the job are not connected");
  } else {
    status = run_sum(client, executable, sum);
    expect(__LINE__, axle_status_code(status) == AXLE_UNAVAILABLE);
    expect(__LINE__, strstr(axle_status_message(status), "process 1 (") != NULL);
    axle_status_destroy(status);
  }
  expect_ok(__LINE__, axle_client_reconnect(client, NULL));
  sum[0] = sum[1] = 0;
  expect_ok(__LINE__, run_sum(client, executable, sum));
  expect(__LINE__, sum[0] == 3 && sum[1] == 30);

  axle_executable_destroy(executable);
  axle_module_destroy(module);
  axle_client_destroy(client);
}

void test_jobs(void) {
  char folder[] = "/tmp/axle_job_XXXXXX";
  char rendezvous[64];
  int status = 0;
  pid_t child;
  test_job_options();
  expect(__LINE__, mkdtemp(folder) != NULL);
  sprintf(rendezvous, "file://%s/meet", folder);
  child = fork(); /* before there are threads */
  expect(__LINE__, child >= 0);
  if (child == 0) {
    be_a_process(1, rendezvous);
    exit(0);
  }
  be_a_process(0, rendezvous);
  expect(__LINE__, waitpid(child, &status, 0) == child && status == 0);
  expect(__LINE__, rmdir(folder) == 0);
  test_without_job();
}
