/* The program that runs under an emulator, with kernels for the processor that it emulates: loads
   libraries of them and calls them, as emulator.cc says. Kernels find here what they may call. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "axle/codegen/emulation/emulator_protocol.h"

static char* memory;

/* A message is whole or not there: the socket keeps messages apart. */
static void Send(const AxleMessage* message) {
  while (send(kAxleGuestSocket, message, sizeof *message, MSG_NOSIGNAL) < 0) {
    if (errno != EINTR) _exit(1);
  }
}

static void Receive(AxleMessage* message) {
  for (;;) {
    const ssize_t got = recv(kAxleGuestSocket, message, sizeof *message, 0);
    if (got == sizeof *message) return;
    if (got >= 0 || errno != EINTR) _exit(0);
  }
}

static uint64_t Ask(AxleMessage question) {
  Send(&question);
  Receive(&question);
  return question.values[0];
}

/* What kernels call; declared for them by the code generator. */
int64_t axle_more_fuel(void* fuel);
float axle_remainder_f32(float x, float y);
double axle_remainder_f64(double x, double y);
void* axle_check_access(void* checks, const char* kernel, int64_t operand, const char* begin,
                        const char* end, char* address, int64_t bytes, int is_store);

int64_t axle_more_fuel(void* fuel) {
  (void)fuel;
  return (int64_t)Ask((AxleMessage){kAxleFuel, {0}});
}

float axle_remainder_f32(float x, float y) {
  AxleMessage question = {kAxleRemainderF32, {0}};
  memcpy(&question.values[0], &x, sizeof x);
  memcpy(&question.values[1], &y, sizeof y);
  const uint64_t bits = Ask(question);
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

double axle_remainder_f64(double x, double y) {
  AxleMessage question = {kAxleRemainderF64, {0}};
  memcpy(&question.values[0], &x, sizeof x);
  memcpy(&question.values[1], &y, sizeof y);
  const uint64_t bits = Ask(question);
  double result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

/* Like CheckAccess in spec/checked_kernel.cc, which is told what is wrong. */
void* axle_check_access(void* checks, const char* kernel, int64_t operand, const char* begin,
                        const char* end, char* address, int64_t bytes, int is_store) {
  static char nowhere[4096];
  (void)checks, (void)kernel;
  const int64_t offset = (intptr_t)address - (intptr_t)begin;
  const int64_t size = (intptr_t)end - (intptr_t)begin;
  if (bytes == 0 || (offset >= 0 && offset + bytes <= size)) return address;
  Ask((AxleMessage){
      kAxleOutOfBounds,
      {(uint64_t)operand, (uint64_t)offset, (uint64_t)size, (uint64_t)bytes, (uint64_t)is_store}});
  return nowhere;
}

/* Ends a kernel that runs for ever when nobody waits for it any more. */
static void LookWhetherAlone(int number) {
  struct pollfd other = {kAxleGuestSocket, 0, 0};
  (void)number;
  if (poll(&other, 1, 0) > 0 && (other.revents & (POLLHUP | POLLERR)) != 0) _exit(0);
}

typedef uint64_t Kernel(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

int main(void) {
  memory = mmap(NULL, kAxleMemoryBytes, PROT_READ | PROT_WRITE, MAP_SHARED, kAxleGuestMemory, 0);
  if (memory == MAP_FAILED) return 1;
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none); /* a crash is reported, and leaves no file */
  signal(SIGALRM, &LookWhetherAlone);
  const struct itimerval second = {{1, 0}, {1, 0}};
  setitimer(ITIMER_REAL, &second, NULL);
  AxleMessage message = {kAxleDone, {(uintptr_t)memory, (uintptr_t)&axle_more_fuel}};
  for (;;) {
    Send(&message);
    Receive(&message);
    uint64_t* const v = message.values;
    switch (message.kind) {
      case kAxleLoad:
        v[0] = (uintptr_t)dlopen(memory, RTLD_NOW | RTLD_LOCAL);
        if (v[0] == 0) {
          strncpy(memory, dlerror(), kAxleFrontBytes - 1);
          memory[kAxleFrontBytes - 1] = 0;
        }
        break;
      case kAxleFind:
        v[0] = (uintptr_t)dlsym((void*)(uintptr_t)v[0], memory);
        break;
      case kAxleUnload:
        dlclose((void*)(uintptr_t)v[0]);
        break;
      case kAxleCall:
        v[0] = ((Kernel*)(uintptr_t)v[0])(v[1], v[2], v[3], v[4], v[5]);
        break;
      default:
        return 1;
    }
    message.kind = kAxleDone;
  }
}
