/* axle/c_api.h: Axle for C, and for every language that can call C. Plain C99; includes nothing of
 * Axle's own. docs/c-api.md has a complete program.
 *
 *   axle_client* client = NULL;
 *   axle_module* module = NULL;
 *   axle_executable* executable = NULL;
 *   axle_status* status = axle_client_create(NULL, &client);
 *   if (status == NULL) status = axle_module_parse(text, strlen(text), NULL, &module);
 *   if (status == NULL) status = axle_client_compile(client, module, NULL, &executable);
 *   if (status == NULL) status = axle_executable_run(executable, NULL, arguments, 2, results, 1);
 *   if (status != NULL) fprintf(stderr, "%s\n", axle_status_message(status));
 *   axle_status_destroy(status);
 *
 * Rules that hold everywhere:
 *
 * - Errors. A function that can fail returns an axle_status*, NULL for success, which the caller
 *   destroys. Outputs are written on success only. A null argument is AXLE_INVALID_ARGUMENT unless
 *   its description says that it may be null. No memory is AXLE_RESOURCE_EXHAUSTED. Nothing aborts,
 *   and no C++ exception comes out. A function that cannot fail takes null and returns 0, NULL or
 *   "".
 * - Ownership. A handle that is written to an output belongs to the caller, who ends it with the
 *   destroy function of its type, which does nothing for NULL. A `const` result points into the
 *   handle that was asked. Handles keep what they need: a client may be destroyed before its
 *   executables and buffers.
 * - Threads. Any number of threads may use a client, executables, modules, shapes and buffers at
 *   once; a builder is used by one thread at a time. No handle is destroyed while a call uses it.
 * - Structs. A struct that is passed in begins with struct_size, sizeof(the struct) where the
 *   caller was compiled. Fields of newer versions count as zero, which is always the default. A
 *   caller that is newer than the library may pass more fields; a field that is not zero, and that
 *   this library does not know, is AXLE_UNIMPLEMENTED. All fields have eight bytes, so that there
 *   is no padding.
 * - Texts are UTF-8 and end with a zero byte. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* --- Versions --------------------------------------------------------------------------------- */

/* The interface that this header describes. Functions and fields are added, never changed. */
enum { AXLE_C_API_VERSION = 1 };

/* The interface that the loaded library has; functions of later versions are not in it. */
int32_t axle_c_api_version(void);
/* The version of the library, "0.1.0". */
const char* axle_version(void);

/* --- Status ----------------------------------------------------------------------------------- */

typedef struct axle_status axle_status;

/* The numbers are those of absl and PJRT. */
typedef int32_t axle_code;
enum {
  AXLE_OK = 0,
  AXLE_CANCELLED = 1,
  AXLE_UNKNOWN = 2,
  AXLE_INVALID_ARGUMENT = 3,
  AXLE_DEADLINE_EXCEEDED = 4,
  AXLE_NOT_FOUND = 5,
  AXLE_ALREADY_EXISTS = 6,
  AXLE_PERMISSION_DENIED = 7,
  AXLE_RESOURCE_EXHAUSTED = 8,
  AXLE_FAILED_PRECONDITION = 9,
  AXLE_ABORTED = 10,
  AXLE_OUT_OF_RANGE = 11,
  AXLE_UNIMPLEMENTED = 12,
  AXLE_INTERNAL = 13,
  AXLE_UNAVAILABLE = 14,
  AXLE_DATA_LOSS = 15,
  AXLE_UNAUTHENTICATED = 16
};

/* AXLE_OK for NULL. */
axle_code axle_status_code(const axle_status* status);
/* The message, for people to read. "" for NULL. */
const char* axle_status_message(const axle_status* status);
/* Where the mistake is: the label and the place in a text that was parsed (line and column from 1),
 * or the source file and line that the instruction names (column 0). "" and 0 if unknown. */
const char* axle_status_file(const axle_status* status);
int32_t axle_status_line(const axle_status* status);
int32_t axle_status_column(const axle_status* status);
void axle_status_destroy(axle_status* status);
/* Makes a status, for callbacks that return one. NULL for AXLE_OK; `message` is copied and may be
 * null. */
axle_status* axle_status_create(axle_code code, const char* message);
/* "INVALID_ARGUMENT"; "UNKNOWN" for a number that is no code. */
const char* axle_code_name(axle_code code);

/* --- Bytes ------------------------------------------------------------------------------------ */

/* A text or other bytes that a function made. */
typedef struct axle_bytes axle_bytes;
/* A zero byte follows the last one and does not count. */
const char* axle_bytes_data(const axle_bytes* bytes);
size_t axle_bytes_size(const axle_bytes* bytes);
void axle_bytes_destroy(axle_bytes* bytes);

/* --- Limits ----------------------------------------------------------------------------------- */

/* Bounds what a task may use, and can stop it. One call at a time works under it; several calls
 * that share it, one after the other, share its budget. */
typedef struct axle_limits axle_limits;

typedef struct axle_limits_options {
  size_t struct_size;
  double time_limit; /* seconds that each call may take until AXLE_DEADLINE_EXCEEDED; 0: none */
  /* Bytes of live values, and of what a compilation needs, until AXLE_RESOURCE_EXHAUSTED; 0: none.
   */
  int64_t memory_limit;
  int64_t
      step_limit; /* loop iterations and calls of a run until AXLE_RESOURCE_EXHAUSTED; 0: none */
  /* Called now and then by the thread that works, with the part that is done, 0 to 1, or -1 if that
   * is not known. It must not use these limits but to cancel them. */
  void (*progress)(double done, void* context);
  void* progress_context;
  /* Called by the thread that made the call, each time that poll_interval seconds have gone by:
   * never in a call that is shorter. It must not use these limits but to cancel them, which ends
   * the call at once. So a thread that has other duties, as to hear of Ctrl-C, need not give the
   * call to another one. */
  void (*poll)(void* context);
  void* poll_context;
  double poll_interval; /* seconds */
} axle_limits_options;

/* `options` may be null. AXLE_INVALID_ARGUMENT for a negative or not finite limit. */
axle_status* axle_limits_create(const axle_limits_options* options, axle_limits** limits);
/* Ends the call that works under it with AXLE_CANCELLED, soon, and all later ones. From any thread,
 * and from a signal handler. */
void axle_limits_cancel(axle_limits* limits);
/* The largest number of bytes of values that were live at one time. */
int64_t axle_limits_peak_bytes(const axle_limits* limits);
void axle_limits_destroy(axle_limits* limits);

/* --- Element types and shapes ----------------------------------------------------------------- */

/* The numbers are XLA's. An element of a type below eight bits is one byte in an axle_array, sign-
 * or zero-extended; an element of AXLE_PRED is a byte, 0 or 1. */
typedef int32_t axle_type;
enum {
  AXLE_TYPE_INVALID = 0,
  AXLE_PRED = 1,
  AXLE_S8 = 2,
  AXLE_S16 = 3,
  AXLE_S32 = 4,
  AXLE_S64 = 5,
  AXLE_U8 = 6,
  AXLE_U16 = 7,
  AXLE_U32 = 8,
  AXLE_U64 = 9,
  AXLE_F16 = 10,
  AXLE_F32 = 11,
  AXLE_F64 = 12,
  AXLE_TUPLE = 13,
  AXLE_OPAQUE = 14,
  AXLE_C64 = 15,
  AXLE_BF16 = 16,
  AXLE_TOKEN = 17,
  AXLE_C128 = 18,
  AXLE_F8E5M2 = 19,
  AXLE_F8E4M3FN = 20,
  AXLE_S4 = 21,
  AXLE_U4 = 22,
  AXLE_F8E4M3B11FNUZ = 23,
  AXLE_F8E5M2FNUZ = 24,
  AXLE_F8E4M3FNUZ = 25,
  AXLE_S2 = 26,
  AXLE_U2 = 27,
  AXLE_F8E4M3 = 28,
  AXLE_F8E3M4 = 29,
  AXLE_S1 = 30,
  AXLE_U1 = 31,
  AXLE_F4E2M1FN = 32,
  AXLE_F8E8M0FNU = 33,
  AXLE_BUFFER = 34,
  AXLE_F6E3M2FN = 35,
  AXLE_F6E2M3FN = 36
};

/* "f32"; "invalid" for a number that is no type. */
const char* axle_type_name(axle_type type);
/* The bytes of one element in an axle_array; 0 for types without elements. */
int64_t axle_type_bytes(axle_type type);

typedef struct axle_shape axle_shape;

/* Reads a shape as HLO text spells it: "f32[2,3]", "(s32[], bf16[<=8])". */
axle_status* axle_shape_parse(const char* text, axle_shape** shape);
/* The shape of an array; `dims` may be null if rank is 0. */
axle_status* axle_shape_create(axle_type type, const int64_t* dims, size_t rank,
                               axle_shape** shape);
/* A tuple of copies of `elements`, which may be null if there are none. */
axle_status* axle_shape_create_tuple(const axle_shape* const* elements, size_t num_elements,
                                     axle_shape** shape);
void axle_shape_destroy(axle_shape* shape);

/* AXLE_TUPLE, AXLE_TOKEN, or the type of an array's elements; AXLE_TYPE_INVALID for NULL. */
axle_type axle_shape_type(const axle_shape* shape);
/* The shape as HLO text spells it, without layouts. */
const char* axle_shape_text(const axle_shape* shape);
/* The number of an array's dimensions; 0 for others. */
size_t axle_shape_rank(const axle_shape* shape);
/* The sizes of the dimensions of an array, or the bounds of dynamic ones. */
const int64_t* axle_shape_dims(const axle_shape* shape);
/* 1 if the size of the dimension is known only when a program runs; 0 if not, or no dimension. */
int32_t axle_shape_is_dynamic(const axle_shape* shape, size_t dim);
/* The bytes of a dense array, as axle_array has it; for a tuple, the sum. */
int64_t axle_shape_num_bytes(const axle_shape* shape);
/* The elements of a tuple; 0 for others. NULL if there is no such element. */
size_t axle_shape_num_elements(const axle_shape* shape);
const axle_shape* axle_shape_element(const axle_shape* shape, size_t i);

/* --- Arrays in the host's memory -------------------------------------------------------------- */

typedef struct axle_array {
  size_t struct_size;
  int64_t type; /* an axle_type */
  size_t rank;
  const int64_t* dims; /* may be null if rank is 0 */
  /* Distances in bytes between neighbours of each dimension, of any sign, 0 included (but not where
   * a result is written). NULL: dense, the last dimension fastest. */
  const int64_t* byte_strides;
  /* Where element (0, ..., 0) is, of any alignment. May be null if there are no elements. */
  void* data;
  /* For arrays with dynamic dimensions: the sizes at run time, one per dimension; read for an
   * argument, written for a result. NULL: as in dims. */
  int64_t* sizes;
} axle_array;

/* --- Files of arrays -------------------------------------------------------------------------- */

/* The arrays of a file, by name, sorted by it. */
typedef struct axle_arrays axle_arrays;

/* Reads the bytes of a .npz or of a safetensors file, which are not needed afterwards; their
 * beginning says which it is. For a type that NumPy does not have, a .npz holds an integer type
 * that carries its bits: bf16 is AXLE_U16. `limits`, which may be null, bound the bytes of the
 * arrays. AXLE_INVALID_ARGUMENT for a file that is damaged or another, AXLE_UNIMPLEMENTED for
 * elements of types that are not read, and on a processor below x86-64-v3. */
axle_status* axle_arrays_read(const void* bytes, size_t size, axle_limits* limits,
                              axle_arrays** arrays);
void axle_arrays_destroy(axle_arrays* arrays);
size_t axle_arrays_count(const axle_arrays* arrays);
/* NULL if there is no such array. */
const char* axle_arrays_name(const axle_arrays* arrays, size_t i);
/* Dense, the last dimension fastest, aligned, in memory of the handle. NULL if there is none. */
const axle_array* axle_arrays_at(const axle_arrays* arrays, size_t i);
/* Writes a file of the format "npz" or "safetensors" with these arrays under these names. */
axle_status* axle_arrays_write(const char* format, const char* const* names,
                               const axle_array* const* arrays, size_t num_arrays,
                               axle_bytes** file);

/* --- Modules ---------------------------------------------------------------------------------- */

/* A program: verified, immutable. */
typedef struct axle_module axle_module;

typedef struct axle_parse_options {
  size_t struct_size;
  /* "hlo", "hlo.pb", "stablehlo"; NULL: found out from the bytes. For other formats, the error says
   * what to do instead. */
  const char* format;
  const char* label;   /* opens messages: "LABEL 3:14: ..."; NULL: "hlo text" or the like */
  axle_limits* limits; /* may be null */
} axle_parse_options;

/* Reads a program of any format: HLO text, HloModuleProto, HloProto or HloSnapshot, compressed with
 * gzip or zstd or not. `options` may be null. AXLE_UNIMPLEMENTED for formats and ops that Axle does
 * not have, and on a processor below x86-64-v3. */
axle_status* axle_module_parse(const void* bytes, size_t size, const axle_parse_options* options,
                               axle_module** module);
void axle_module_destroy(axle_module* module);

/* The name after HloModule in HLO text. */
const char* axle_module_name(const axle_module* module);
/* The parameters and the result of the entry computation. NULL if there is no such parameter. */
size_t axle_module_num_parameters(const axle_module* module);
const axle_shape* axle_module_parameter_shape(const axle_module* module, size_t i);
const char* axle_module_parameter_name(const axle_module* module, size_t i);
const axle_shape* axle_module_result_shape(const axle_module* module);

enum {
  AXLE_PRINT_SHORT = 1,   /* no % signs, metadata and program shapes */
  AXLE_PRINT_ELIDED = 2,  /* arrays of more than 10 elements as {...}; what reads it lacks them */
  AXLE_PRINT_BYTECODE = 4 /* of StableHLO: a portable artifact instead of text */
};
/* Prints HLO text; `flags` is a sum of AXLE_PRINT_..., 0 for all that is known. UNIMPLEMENTED, as
   for the other formats below, for a StableHLO program that leaves sizes open. */
axle_status* axle_module_to_text(const axle_module* module, int64_t flags, axle_bytes** text);
/* Writes a serialized HloModuleProto. */
axle_status* axle_module_to_proto(const axle_module* module, axle_bytes** proto);
/* Writes StableHLO: text, without locations if `flags` has AXLE_PRINT_SHORT, or with
 * AXLE_PRINT_BYTECODE a portable artifact (VHLO as MLIR bytecode). AXLE_UNIMPLEMENTED for what has
 * no form in StableHLO; the message names the instruction and says what to do. */
axle_status* axle_module_to_stablehlo(const axle_module* module, int64_t flags,
                                      axle_bytes** program);

/* --- Building programs ------------------------------------------------------------------------ */

/* Makes a module op by op, by the names and the spelling of HLO text. As HLO has it, nothing is
 * broadcast implicitly. Each call checks its op at once and returns what is wrong with it; the
 * first error is kept, and every later call returns it again. */
typedef struct axle_builder axle_builder;
/* A value: a number that its builder gave. */
typedef int64_t axle_op;

/* `name` is that of the module. AXLE_UNIMPLEMENTED on a processor below x86-64-v3. */
axle_status* axle_builder_create(const char* name, axle_builder** builder);
void axle_builder_destroy(axle_builder* builder);
/* Where the following calls are written: errors and the metadata of the ops say it. `file` may be
 * null: unknown. */
axle_status* axle_builder_set_location(axle_builder* builder, const char* file, int32_t line);
/* Limits the time and the memory of building from now on. NULL, as at first: no limits. The limits
 * live until the builder is destroyed or gets other ones. */
axle_status* axle_builder_set_limits(axle_builder* builder, axle_limits* limits);

/* Parameter `number`; the numbers must be 0, 1, ... when it is built. `name` may be null. */
axle_status* axle_builder_parameter(axle_builder* builder, int64_t number, const axle_shape* shape,
                                    const char* name, axle_op* op);
/* A constant that is a copy of the array. */
axle_status* axle_builder_constant(axle_builder* builder, const axle_array* value, axle_op* op);

typedef struct axle_op_options {
  size_t struct_size;
  /* The attributes as they follow the operands in HLO text, "dimensions={0}, is_stable=true", but
   * for called computations, metadata and control predecessors. NULL: none. */
  const char* attributes;
  /* The computations that it calls, the entries of these modules, in the order in which HLO text
   * prints them: the condition of a while before its body. They are copied. */
  const axle_module* const* computations;
  size_t num_computations;
  /* The shape of the result. Ops that do not imply it need it: broadcast, iota, reshape and all ops
   * that docs/ops lists with a declared shape. For other ops it must be right. NULL: implied. */
  const axle_shape* shape;
  const char* name; /* name of the instruction; NULL: made up */
} axle_op_options;

/* Adds any op of docs/ops but parameter and constant: "add", "reduce", "dot". `options` may be
 * null. */
axle_status* axle_builder_add(axle_builder* builder, const char* opcode, const axle_op* operands,
                              size_t num_operands, const axle_op_options* options, axle_op* op);

/* The shape of the op's value, which the caller destroys; AXLE_INVALID_ARGUMENT if there is no such
 * op. */
axle_status* axle_builder_op_shape(const axle_builder* builder, axle_op op, axle_shape** shape);
/* The builder's first error; NULL if there is none so far. */
axle_status* axle_builder_first_error(const axle_builder* builder);
/* Makes the program whose result is `root`, or the computation for another builder to call. The
 * builder is empty afterwards and can be used again; its ops are gone. */
axle_status* axle_builder_build(axle_builder* builder, axle_op root, axle_module** module);

/* The name of operation i in HLO text; NULL if there are no more. With the functions below, a
 * language binding can make the functions of a builder from the list of operations. */
const char* axle_op_name(size_t i);
/* One sentence about the operation of this name; NULL if there is none. */
const char* axle_op_summary(const char* opcode);
/* 1 if the program states the shape of the op's result: axle_op_options.shape. */
int32_t axle_op_declares_shape(const char* opcode);
typedef int32_t axle_op_part;
enum {
  AXLE_OP_OPERAND = 0,
  AXLE_OP_ATTRIBUTE = 1,
  AXLE_OP_ATTRIBUTE_KIND = 2, /* "list of integers", "string" */
  AXLE_OP_COMPUTATION = 3     /* in the order of axle_op_options.computations */
};
/* The name (or kind) of part i of the operation; NULL if there are no more. */
const char* axle_op_part_name(const char* opcode, axle_op_part part, size_t i);

/* --- Clients ---------------------------------------------------------------------------------- */

typedef struct axle_client axle_client;

/* Makes this process one of a job, whose processes run programs together (docs/distributed.md). */
typedef struct axle_distributed_options {
  size_t struct_size;
  const char* transport; /* "gloo" or "mpi"; NULL: "gloo" */
  /* file:///FOLDER or tcp://HOST:PORT. This and the other texts may be NULL, and are then what the
   * environment of launchers says. */
  const char* rendezvous;
  int64_t process_id;    /* from 0 */
  int64_t num_processes; /* 0: this and process_id are what the environment says */
  const char* secret;
  const char* job;
  const char* listen_address;
  int64_t allow_no_secret; /* 1: also where strangers reach the processes */
  int64_t epoch;           /* goes up when all processes of a job are started again */
  /* Seconds: until all have connected, 120; of silence after which one is lost, 5; after which a
   * late one is warned of, 20, and given up, 1800. 0: these. */
  double connect_limit;
  double silence_limit;
  double late_warning;
  double late_limit;
  /* Gets warnings, from any thread; `message` is valid during the call. NULL: they go to stderr. */
  void (*warn)(const char* message, void* context);
  void* warn_context;
} axle_distributed_options;

typedef struct axle_client_options {
  size_t struct_size;
  /* The library of the native engine; NULL: the engine that the program has inside, else what the
   * environment variable AXLE_CODEGEN_LIBRARY says, else libaxle_codegen.so beside libaxle.so. */
  const char* codegen_library;
  int64_t num_devices; /* each is this machine's processor; 0: one */
  /* Threads for asynchronous runs (at least one per device), for compiling and for parts of large
   * kernels; 0: one for each processor that this process may use. */
  int64_t num_threads;
  int64_t memory_limit; /* bytes of all buffers, and of the values of each run; 0: none */
  /* Gets log messages, from any thread, maybe from several at a time; `message` is valid
   * during the call. NULL: nothing is logged. */
  void (*log)(int32_t level, const char* message, void* context);
  void* log_context;
  /* 1: neither a program nor the host waits for what the other one has not sent: an infeed or a
   * recv of the host's, axle_client_from_outfeed and axle_client_from_channel are
   * AXLE_INVALID_ARGUMENT if it is not there, and a full queue is AXLE_RESOURCE_EXHAUSTED. 0: they
   * wait. */
  int64_t never_waits_for_host;
  /* NULL: the client is in no job. Else axle_client_create waits until all processes are there. */
  const axle_distributed_options* distributed;
} axle_client_options;

enum { AXLE_LOG_INFO = 0 };

/* `options` may be null. AXLE_UNIMPLEMENTED on a processor below x86-64-v3. In a job:
 * AXLE_UNAVAILABLE without the library of the transport, AXLE_DEADLINE_EXCEEDED if processes do not
 * come, AXLE_FAILED_PRECONDITION if they do not fit together, AXLE_PERMISSION_DENIED for another
 * secret. */
axle_status* axle_client_create(const axle_client_options* options, axle_client** client);
/* Leaves the job too, as axle_client_leave does. */
void axle_client_destroy(axle_client* client);
/* Of this process. */
size_t axle_client_num_devices(const axle_client* client);

/* Which process of the client's job this is, and of how many: 0 and 1 without a job. */
int64_t axle_client_process_id(const axle_client* client);
int64_t axle_client_num_processes(const axle_client* client);
/* The number of a process's first device among the devices of all processes; for axle_client_
 * num_processes how many there are; -1 if there is no such process. Device i of this process, as
 * buffers and queues name it, is device axle_client_first_device(client,
 * axle_client_process_id(client)) + i of the job, as axle_compile_options.devices names it. */
int64_t axle_client_first_device(const axle_client* client, int64_t process);
/* Connects with the other processes again, all of which call this, after a run has ended with
 * AXLE_UNAVAILABLE. Executables and buffers stay as they are. `limits` may be null. */
axle_status* axle_client_reconnect(axle_client* client, axle_limits* limits);
/* Tells the other processes of the job that this one has done its part, so that they do not take it
 * for lost. Programs that they share are AXLE_UNAVAILABLE from then on. */
void axle_client_leave(axle_client* client);

/* Makes `function` the target of custom calls of this name with API_VERSION_ORIGINAL, the default.
 * in[i] is the i-th array of the operands, tuples taken apart; `out` is the array of the result,
 * or, for a tuple, an array of pointers to its arrays. Arrays are dense, in the layouts that the
 * instruction names; types of 1, 2 and 4 bits are packed. It is called from any thread that runs a
 * program, and must not throw. AXLE_ALREADY_EXISTS if the name is taken; a target is never taken
 * back. */
axle_status* axle_client_register_custom_call(axle_client* client, const char* name,
                                              void (*function)(void* out, const void** in,
                                                               void* context),
                                              void* context);

/* The arguments of a typed custom call; valid during the call. byte_strides say the layout, and are
 * NULL for types of 1, 2 and 4 bits, which are packed in it. */
typedef struct axle_custom_call_frame {
  size_t struct_size;
  const char* target;
  const char* backend_config; /* a dictionary as text, or ""; a zero byte follows */
  size_t backend_config_size;
  const axle_array* const* operands; /* tuples taken apart, tokens left out */
  size_t num_operands;
  const axle_array* const* results; /* to be written; they begin as zeros */
  size_t num_results;
} axle_custom_call_frame;
/* The same for API_VERSION_TYPED_FFI. The function returns NULL, or a status that
 * axle_status_create made, which ends the run with that error. */
axle_status* axle_client_register_typed_custom_call(
    axle_client* client, const char* name,
    axle_status* (*function)(const axle_custom_call_frame* frame, void* context), void* context);

/* Puts arrays into the infeed queue of a device, for a program's infeed to take: one for an array,
 * several together for a tuple. Waits while the queue is full; `limits` may be null. */
axle_status* axle_client_to_infeed(axle_client* client, int64_t device,
                                   const axle_array* const* values, size_t num_values,
                                   axle_limits* limits);
/* Takes the next arrays that a program has put into the outfeed queue, and waits for them.
 * AXLE_INVALID_ARGUMENT if they are of other types or dims; they stay in the queue then. */
axle_status* axle_client_from_outfeed(axle_client* client, int64_t device,
                                      const axle_array* const* values, size_t num_values,
                                      axle_limits* limits);

/* Send a value to, and take one from, the channels of host transfers, recv and send with
 * is_host_transfer=true. A value is one array, or several for a tuple. axle_client_to_channel,
 * before or during the run, does not wait; axle_client_from_channel waits until the program has
 * sent. */
axle_status* axle_client_to_channel(axle_client* client, int64_t device, int64_t channel,
                                    const axle_array* const* values, size_t num_values);
axle_status* axle_client_from_channel(axle_client* client, int64_t device, int64_t channel,
                                      const axle_array* const* values, size_t num_values,
                                      axle_limits* limits);

/* --- Executables ---------------------------------------------------------------------------- */

typedef struct axle_executable axle_executable;

/* Both engines give the same bits, unless numerics are fast. The default is native code, or the
 * interpreter where the library of native code cannot be loaded. */
enum { AXLE_ENGINE_DEFAULT = 0, AXLE_ENGINE_NATIVE = 1, AXLE_ENGINE_INTERPRET = 2 };
/* Strict: a result is a function of the program and its arguments alone, bit for bit. Fast allows
 * native code to be faster and less exact, as docs/numerics.md lists. */
enum { AXLE_NUMERICS_STRICT = 0, AXLE_NUMERICS_FAST = 1 };

typedef struct axle_compile_options {
  size_t struct_size;
  int64_t engine;      /* AXLE_ENGINE_... */
  int64_t numerics;    /* AXLE_NUMERICS_... */
  axle_limits* limits; /* of the compilation; may be null */
  int64_t replicas;    /* 0: as the module says */
  int64_t partitions;  /* likewise; replicas * partitions devices run it together */
  int64_t device;      /* the device that a program of one device runs on */
  /* For tests. 1: a program whose constants have lost their elements, constant({...}), is compiled
   * with a counting pattern in their place; 0: that is AXLE_INVALID_ARGUMENT. */
  int64_t allow_elided;
  /* The devices that run it together, each another one: devices[r * partitions + p] runs replica r
   * of partition p. NULL: the first devices of the client, or `device`. In a job, numbers among the
   * devices of all processes, one of which at least is of this process. */
  const int64_t* devices;
  size_t num_devices;
} axle_compile_options;

/* `options` may be null. AXLE_UNIMPLEMENTED if the engine cannot run the program, with the name of
 * the op; AXLE_NOT_FOUND if it calls a function that is not registered; AXLE_UNAVAILABLE if
 * AXLE_ENGINE_NATIVE cannot be loaded. */
axle_status* axle_client_compile(axle_client* client, const axle_module* module,
                                 const axle_compile_options* options, axle_executable** executable);
void axle_executable_destroy(axle_executable* executable);
/* The program. It belongs to the executable. */
const axle_module* axle_executable_module(const axle_executable* executable);

/* The cost of a program, as far as its text tells; every computation counts once, however often it
 * is called. */
typedef struct axle_analysis {
  size_t struct_size;
  double flops;
  double bytes_accessed; /* bytes that instructions read and write, as if nothing were fused */
  int64_t num_instructions;
  int64_t argument_bytes;
  int64_t result_bytes;
  int64_t constant_bytes;
  int64_t alias_bytes; /* the part of the result that can share memory with donated arguments */
  int64_t
      peak_temporary_bytes; /* of native code: what a run takes; else as if nothing were fused */
  /* 1: a run does no more than these numbers say; 0: it may, for the program has loops or calls,
   * waits for others, calls functions of the user's, or has operations whose work is not counted */
  int64_t is_complete;
} axle_analysis;
/* Writes the fields that struct_size has room for. */
axle_status* axle_executable_analyze(const axle_executable* executable, axle_analysis* analysis);

/* Where the time of runs goes, step by step. Any number of runs, of any executables, also at the
 * same time, may add to one profile, which keeps the executables alive. Thread-safe. */
typedef struct axle_profile axle_profile;

typedef struct axle_profile_options {
  size_t struct_size;
  int64_t max_events; /* events that are kept for a trace, 32 bytes each; 0: none */
} axle_profile_options;

/* `options` may be null. AXLE_INVALID_ARGUMENT for a negative number. */
axle_status* axle_profile_create(const axle_profile_options* options, axle_profile** profile);
enum {
  AXLE_PROFILE_TABLE = 0, /* for people */
  AXLE_PROFILE_JSON = 1,  /* one object; docs/profiling.md has its members */
  AXLE_PROFILE_TRACE = 2  /* the events, for Perfetto and chrome://tracing */
};
/* What the runs that are over took, as AXLE_PROFILE_... says. The first call for an executable
 * plans it once more, and the first of a process measures the machine for a few milliseconds. */
axle_status* axle_profile_text(const axle_profile* profile, int64_t form, axle_bytes** text);
/* Not while a run adds to it. */
void axle_profile_destroy(axle_profile* profile);

typedef struct axle_execute_options {
  size_t struct_size;
  axle_limits* limits; /* of this run, to its end; may be null */
  int64_t random_seed; /* seed of the op rng */
  /* For axle_executable_execute: arguments that the run may take over, and arguments that it may
   * not, although the program says that it may. */
  const int64_t* donated;
  size_t num_donated;
  const int64_t* not_donated;
  size_t num_not_donated;
  axle_profile* profile; /* gets the times of this run, at its end; may be null */
} axle_execute_options;

/* Runs the program on arrays in the host's memory, and waits for the end.
 *
 *   arguments  one per array of the parameters, tuples taken apart depth first; read in place if
 *              they are dense, row-major and aligned to their elements, else copied
 *   results    one per array of the result, likewise; type and dims say what is expected, and the
 *              elements are written to `data`, of which no two may share memory. NULL, or data of
 *              NULL, leaves a result out.
 *
 * AXLE_INVALID_ARGUMENT if counts, types or dims do not fit; AXLE_RESOURCE_EXHAUSTED,
 * AXLE_DEADLINE_EXCEEDED or AXLE_CANCELLED as the limits say. After an error the memory of results
 * is as it was. */
axle_status* axle_executable_run(const axle_executable* executable,
                                 const axle_execute_options* options,
                                 const axle_array* const* arguments, size_t num_arguments,
                                 const axle_array* const* results, size_t num_results);

/* --- Buffers ---------------------------------------------------------------------------------- */

/* A value on a device: an argument or a result of executions. It may not be there yet, or be an
 * error instead, which every use returns. The handle is one user of the value, runs and views are
 * others; the memory goes with the last. */
typedef struct axle_buffer axle_buffer;

enum {
  AXLE_HOST_COPY = 0, /* copied before the call returns */
  AXLE_HOST_ZERO_COPY =
      1, /* read in place where it can be; nobody writes to it until it is released */
  AXLE_HOST_MUTABLE_ZERO_COPY = 2 /* the same, but the host may write while no run reads it */
};

typedef struct axle_buffer_options {
  size_t struct_size;
  int64_t semantics; /* AXLE_HOST_... */
  int64_t device;
  /* Called once, from any thread, when the memory of the array is not used any more; for a copy,
   * before axle_buffer_from_host returns. Not called if that fails. May be NULL. */
  void (*released)(void* context);
  void* released_context;
  const axle_shape* shape; /* of an array with dynamic dimensions, which is copied; else NULL */
} axle_buffer_options;

/* `options` may be null. In place are arrays that axle_executable_run reads in place. */
axle_status* axle_buffer_from_host(axle_client* client, const axle_array* array,
                                   const axle_buffer_options* options, axle_buffer** buffer);
/* A tuple of the values of buffers of one device, for which it waits. Shares their memory. */
axle_status* axle_buffer_create_tuple(axle_client* client, const axle_buffer* const* elements,
                                      size_t num_elements, axle_buffer** buffer);
void axle_buffer_destroy(axle_buffer* buffer);

/* The shape belongs to the buffer. The device is its number, from 0. */
const axle_shape* axle_buffer_shape(const axle_buffer* buffer);
int64_t axle_buffer_device(const axle_buffer* buffer);
/* 1 if the value lies in the host memory that the buffer was made of. */
int32_t axle_buffer_is_zero_copy(const axle_buffer* buffer);
/* 1 if the value, or the error in its place, is there. */
int32_t axle_buffer_is_ready(const axle_buffer* buffer);
/* Waits for the value, and returns the error, if there is one. `limits` may be null. */
axle_status* axle_buffer_await(const axle_buffer* buffer, axle_limits* limits);
/* Waits and writes the elements of an array, as axle_executable_run does for a result. */
axle_status* axle_buffer_to_host(const axle_buffer* buffer, const axle_array* array,
                                 axle_limits* limits);
/* Gives the value up; runs that are under way keep it to their end. A second time does nothing;
 * other uses are AXLE_FAILED_PRECONDITION from then on. The handle stays. */
void axle_buffer_delete(axle_buffer* buffer);
/* 1 if it was deleted or donated. */
int32_t axle_buffer_is_deleted(const axle_buffer* buffer);

/* A look at the memory of an array, dense, the last dimension fastest, for reading. Until it is
 * destroyed the buffer is pinned: deletion leaves the memory alone, and it is not donated. */
typedef struct axle_view axle_view;
axle_status* axle_buffer_view(const axle_buffer* buffer, axle_limits* limits, axle_view** view);
const void* axle_view_data(const axle_view* view);
void axle_view_destroy(axle_view* view);

/* The end of something that runs on another thread. */
typedef struct axle_future axle_future;
int32_t axle_future_is_ready(const axle_future* future);
/* Waits, and returns the error that it ended with. The limits, which may be null, end only the
 * wait. */
axle_status* axle_future_await(const axle_future* future, axle_limits* limits);
/* Calls `callback` once, at once if it is over, else on the thread that ends it. The callback
 * destroys the status, and does not wait for other runs of that device's queue. */
axle_status* axle_future_on_ready(const axle_future* future,
                                  void (*callback)(axle_status* status, void* context),
                                  void* context);
void axle_future_destroy(axle_future* future);

/* The number of buffers that a run gives: one for each element of the result if that is a tuple,
 * else one. */
size_t axle_executable_num_results(const axle_executable* executable);
/* How many devices of this process run it together, and the number of one of them, or -1. */
size_t axle_executable_num_devices(const axle_executable* executable);
int64_t axle_executable_device(const axle_executable* executable, size_t index);
/* What that device runs: replica * partitions + partition, or -1. In a program of one process it is
 * `index`. */
int64_t axle_executable_device_number(const axle_executable* executable, size_t index);

/* Runs the program on buffers, one per parameter.
 *
 *   results  axle_executable_num_results handles are written
 *   done     NULL: waits for the end. Otherwise the run goes to the queue of the device, behind
 *            what is there, and this is its end; `limits` live until then. Destroying the future
 *            early changes nothing.
 *
 * Donated buffers are gone as soon as the call is accepted; if the run fails, what they say is its
 * error. Nothing is donated by a call that is refused. Errors beside those of axle_executable_run:
 * AXLE_FAILED_PRECONDITION for a buffer that is deleted or donated, or that must be donated while
 * something else uses it; AXLE_INVALID_ARGUMENT for a buffer that is donated twice or on another
 * device; the error of a buffer whose own run failed. */
axle_status* axle_executable_execute(const axle_executable* executable,
                                     const axle_execute_options* options,
                                     const axle_buffer* const* arguments, size_t num_arguments,
                                     axle_buffer** results, size_t num_results, axle_future** done);
/* Runs the program once on each device, all at a time, and waits for the end. arguments[d *
 * num_arguments + i] is argument i of device d, results[d * num_results + i] its result i. If a
 * device fails, the others end soon; the error is that of the device that failed first. The limits
 * are of all devices together, but for steps, of which each has that many. */
axle_status* axle_executable_execute_replicated(const axle_executable* executable,
                                                const axle_execute_options* options,
                                                size_t num_devices,
                                                const axle_buffer* const* arguments,
                                                size_t num_arguments, axle_buffer** results,
                                                size_t num_results);
/* The same without waiting: the runs go to the queues of their devices, and num_devices futures are
 * written to `done`. `limits` live until all have ended. Where another device has failed first, the
 * error of a device's future is AXLE_CANCELLED with the cause. */
axle_status* axle_executable_execute_replicated_async(const axle_executable* executable,
                                                      const axle_execute_options* options,
                                                      size_t num_devices,
                                                      const axle_buffer* const* arguments,
                                                      size_t num_arguments, axle_buffer** results,
                                                      size_t num_results, axle_future** done);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
