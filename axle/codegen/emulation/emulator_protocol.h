/* What Axle (emulator.cc) and its program under an emulator (emulator_guest.c) say to each other,
   over a socket, beside memory that they share. C, because both include it. */
#pragma once
#include <stdint.h>

enum AxleMessageKind {
  /* To the guest, which answers with kAxleDone and a value. */
  kAxleLoad = 1, /* a library, whose path is at the front of the memory: gives its handle, or 0 and
                    there the reason */
  kAxleFind, /* in library values[0], the function whose name is at the front: its address, or 0 */
  kAxleUnload, /* library values[0] */
  kAxleCall,   /* the function at values[0] with the arguments values[1], ...: what it returns */
  kAxleDone,
  /* From the guest during a call; answered with kAxleDone and a value. */
  kAxleFuel,         /* no fuel is left */
  kAxleRemainderF32, /* of the numbers with the bits values[0] and values[1]: its bits */
  kAxleRemainderF64,
  kAxleOutOfBounds /* checked code: operand values[0], offset, size, bytes, whether it is a store */
};

typedef struct AxleMessage {
  uint64_t kind;
  uint64_t values[6];
} AxleMessage;

/* The first message is the guest's: kAxleDone, where the memory is, and the address of what a
   kernel calls when no fuel is left. */

enum {
  kAxleGuestSocket = 3,
  kAxleGuestMemory = 4, /* file descriptors of the guest */
  kAxleFrontBytes = 4096
};
static const uint64_t kAxleMemoryBytes = (uint64_t)4 << 30; /* only what is used takes memory */
