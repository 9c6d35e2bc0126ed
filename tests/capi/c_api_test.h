/* What the parts of the C test share. A failed expectation prints the line and ends the process
 * with 1; `line` is always __LINE__. */
#pragma once
#include <stddef.h>

#include "axle/c_api.h"

void expect(int line, int condition);
void expect_text(int line, const char* got, const char* expected);
void expect_ok(int line, axle_status* status);
/* A failure with this code and text; destroys it. */
void expect_error(int line, axle_status* status, axle_code code, const char* message);
/* A failure with this code, whatever it says. */
void expect_code(int line, axle_status* status, axle_code code);

/* Compiled from HLO text, by a client that does not outlive the call. */
axle_executable* compiled(const char* text);
axle_array array_of(axle_type type, size_t rank, const int64_t* dims, void* data);

/* Counts to 10^12 from its s64[] parameter. */
extern const char kLongLoop[];

void test_status(void);
void test_structs(void);
void test_shapes(void);
void test_limits(void);
void test_modules(void);
void test_run(void);
void test_profiles(void);
void test_strides(void);
void test_builder(void);
void test_buffers(void);
void test_clients(void);
void test_arrays(void);
void test_jobs(void);
