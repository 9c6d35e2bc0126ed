/* Running programs on arrays of C. */
#include <pthread.h>
#include <string.h>

#include "tests/capi/c_api_test.h"

static void* cancel(void* limits) {
  axle_limits_cancel((axle_limits*)limits);
  return NULL;
}

static void test_run_limits(void) {
  axle_executable* executable = compiled(kLongLoop);
  axle_execute_options options;
  axle_limits_options limits_options;
  int64_t zero = 0, result = 7;
  const axle_array in = array_of(AXLE_S64, 0, NULL, &zero);
  const axle_array out = array_of(AXLE_S64, 0, NULL, &result);
  const axle_array* arguments[1];
  const axle_array* results[1];
  pthread_t thread;
  arguments[0] = &in;
  results[0] = &out;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  memset(&limits_options, 0, sizeof limits_options);
  limits_options.struct_size = sizeof limits_options;

  limits_options.step_limit = 1000;
  expect_ok(__LINE__, axle_limits_create(&limits_options, &options.limits));
  expect_code(__LINE__, axle_executable_run(executable, &options, arguments, 1, results, 1),
              AXLE_RESOURCE_EXHAUSTED);
  axle_limits_destroy(options.limits);

  limits_options.step_limit = 0;
  limits_options.time_limit = 0.01;
  expect_ok(__LINE__, axle_limits_create(&limits_options, &options.limits));
  expect_code(__LINE__, axle_executable_run(executable, &options, arguments, 1, results, 1),
              AXLE_DEADLINE_EXCEEDED);
  axle_limits_destroy(options.limits);

  expect_ok(__LINE__, axle_limits_create(NULL, &options.limits));
  expect(__LINE__, pthread_create(&thread, NULL, cancel, options.limits) == 0);
  expect_code(__LINE__, axle_executable_run(executable, &options, arguments, 1, results, 1),
              AXLE_CANCELLED);
  pthread_join(thread, NULL);
  axle_limits_destroy(options.limits);
  expect(__LINE__, result == 7);
  axle_executable_destroy(executable);
}

/* A program that was printed without its large constants. */
static void test_elided(void) {
  static const char kElided[] = "HloModule m\nENTRY e { ROOT k = u32[3] constant({...}) }\n";
  axle_client* client = NULL;
  axle_module* module = NULL;
  axle_executable* executable = NULL;
  axle_compile_options options;
  uint32_t result[3] = {7, 7, 7};
  const int64_t dims[1] = {3};
  const axle_array out = array_of(AXLE_U32, 1, dims, result);
  const axle_array* results[1];
  results[0] = &out;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  expect_ok(__LINE__, axle_client_create(NULL, &client));
  expect_ok(__LINE__, axle_module_parse(kElided, strlen(kElided), NULL, &module));
  expect_code(__LINE__, axle_client_compile(client, module, &options, &executable),
              AXLE_INVALID_ARGUMENT);
  options.allow_elided = 2;
  expect_error(__LINE__, axle_client_compile(client, module, &options, &executable),
               AXLE_INVALID_ARGUMENT, "axle_client_compile: allow_elided is 2, must be 0 or 1");
  options.allow_elided = 1;
  expect_ok(__LINE__, axle_client_compile(client, module, &options, &executable));
  expect_ok(__LINE__, axle_executable_run(executable, NULL, NULL, 0, results, 1));
  expect(__LINE__, result[0] == 0 && result[1] == 1 && result[2] == 2);
  axle_executable_destroy(executable);
  axle_module_destroy(module);
  axle_client_destroy(client);
}

static void test_run_misuse(const axle_executable* executable, const axle_array* const* arguments,
                            const axle_array* const* results) {
  const int64_t wrong_dims[1] = {3};
  float data[8] = {0};
  axle_array wrong = array_of(AXLE_F32, 1, wrong_dims, data);
  const axle_array* wrongs[3];
  expect_error(__LINE__, axle_executable_run(NULL, NULL, arguments, 3, results, 3),
               AXLE_INVALID_ARGUMENT, "axle_executable_run: executable is null");
  expect_error(__LINE__, axle_executable_run(executable, NULL, NULL, 3, results, 3),
               AXLE_INVALID_ARGUMENT, "axle_executable_run: arguments is null");
  expect_error(__LINE__, axle_executable_run(executable, NULL, arguments, 3, NULL, 3),
               AXLE_INVALID_ARGUMENT, "axle_executable_run: results is null");
  expect_error(__LINE__, axle_executable_run(executable, NULL, arguments, 2, results, 3),
               AXLE_INVALID_ARGUMENT, "axle_executable_run: there are 2 arguments, must be 3");
  expect_error(__LINE__, axle_executable_run(executable, NULL, arguments, 3, results, 1),
               AXLE_INVALID_ARGUMENT, "axle_executable_run: there are 1 results, must be 3");
  wrongs[0] = &wrong;
  wrongs[1] = arguments[1];
  wrongs[2] = arguments[2];
  expect_error(__LINE__, axle_executable_run(executable, NULL, wrongs, 3, results, 3),
               AXLE_INVALID_ARGUMENT,
               "axle_executable_run: argument 0 is f32[3], must be f32[2,3]");
  wrongs[0] = NULL;
  expect_error(__LINE__, axle_executable_run(executable, NULL, wrongs, 3, results, 3),
               AXLE_INVALID_ARGUMENT, "axle_executable_run: an array is null");
  wrong = *arguments[0];
  wrong.data = NULL;
  wrongs[0] = &wrong;
  expect_error(__LINE__, axle_executable_run(executable, NULL, wrongs, 3, results, 3),
               AXLE_INVALID_ARGUMENT, "host array: the data of f32[2,3] is null");
  wrong = *results[0];
  wrong.type = AXLE_F64;
  wrongs[1] = results[1];
  wrongs[2] = results[2];
  expect_error(__LINE__, axle_executable_run(executable, NULL, arguments, 3, wrongs, 3),
               AXLE_INVALID_ARGUMENT,
               "axle_executable_run: result 0 is f64[2,3], must be f32[2,3]");
}

/* A tuple taken apart on the way in and on the way out. */
static void test_run_tuples(void) {
  axle_executable* executable = compiled(
      "HloModule two\n"
      "ENTRY main {\n"
      "  p = (f32[2,3], s32[]) parameter(0)\n"
      "  b = pred[2] parameter(1)\n"
      "  x = f32[2,3] get-tuple-element(p), index=0\n"
      "  n = s32[] get-tuple-element(p), index=1\n"
      "  d = f32[2,3] add(x, x)\n"
      "  nb = pred[2] not(b)\n"
      "  t = (s32[], pred[2]) tuple(n, nb)\n"
      "  ROOT r = (f32[2,3], (s32[], pred[2])) tuple(d, t)\n"
      "}\n");
  const int64_t dims[2] = {2, 3};
  const int64_t two[1] = {2};
  float x[6] = {1, 2, 3, 4, 5, 6}, d[6] = {0};
  int32_t n = 42, n_out = 0;
  unsigned char b[2] = {0, 2}, nb[2] = {7, 7}; /* 2 is true as well */
  const axle_array x_in = array_of(AXLE_F32, 2, dims, x);
  const axle_array n_in = array_of(AXLE_S32, 0, NULL, &n);
  const axle_array b_in = array_of(AXLE_PRED, 1, two, b);
  const axle_array d_result = array_of(AXLE_F32, 2, dims, d);
  axle_array n_result = array_of(AXLE_S32, 0, NULL, &n_out);
  const axle_array nb_result = array_of(AXLE_PRED, 1, two, nb);
  const axle_array* arguments[3];
  const axle_array* results[3];
  arguments[0] = &x_in;
  arguments[1] = &n_in;
  arguments[2] = &b_in;
  results[0] = &d_result;
  results[1] = &n_result;
  results[2] = &nb_result;
  expect_text(__LINE__, axle_module_name(axle_executable_module(executable)), "two");
  expect_ok(__LINE__, axle_executable_run(executable, NULL, arguments, 3, results, 3));
  expect(__LINE__, d[0] == 2 && d[5] == 12 && n_out == 42 && nb[0] == 1 && nb[1] == 0);

  /* Results that are left out. */
  n_result.data = NULL;
  results[0] = NULL;
  d[0] = 99;
  nb[0] = 7;
  expect_ok(__LINE__, axle_executable_run(executable, NULL, arguments, 3, results, 3));
  expect(__LINE__, d[0] == 99 && nb[0] == 1);
  results[0] = &d_result;
  test_run_misuse(executable, arguments, results);
  axle_executable_destroy(executable);
}

/* Sizes that are known only at run time, on both sides. */
static void test_run_dynamic(void) {
  axle_executable* executable = compiled(
      "HloModule d\nENTRY main {\n  x = f32[<=4] parameter(0)\n"
      "  ROOT r = f32[<=4] add(x, x)\n}\n");
  const int64_t four[1] = {4};
  float x[4] = {1, 2, 3, 4}, r[4] = {9, 9, 9, 9};
  int64_t size = 3, r_size = 0;
  axle_array in = array_of(AXLE_F32, 1, four, x);
  axle_array out = array_of(AXLE_F32, 1, four, r);
  const axle_array* arguments[1];
  const axle_array* results[1];
  arguments[0] = &in;
  results[0] = &out;
  in.sizes = &size;
  out.sizes = &r_size;
  expect_ok(__LINE__, axle_executable_run(executable, NULL, arguments, 1, results, 1));
  expect(__LINE__, r_size == 3 && r[0] == 2 && r[2] == 6 && r[3] == 0);
  in.sizes = NULL;
  expect_ok(__LINE__, axle_executable_run(executable, NULL, arguments, 1, results, 1));
  expect(__LINE__, r_size == 4 && r[3] == 8);
  in.sizes = &size;
  size = 5;
  expect_error(__LINE__, axle_executable_run(executable, NULL, arguments, 1, results, 1),
               AXLE_INVALID_ARGUMENT,
               "axle_executable_run: size 5 of dimension 0 of argument 0 does not fit f32[<=4]");
  axle_executable_destroy(executable);
}

void test_run(void) {
  test_run_tuples();
  test_run_dynamic();
  test_elided();
  test_run_limits();
  axle_executable_destroy(NULL);
  axle_client_destroy(NULL);
  expect(__LINE__, axle_executable_module(NULL) == NULL);
}

/* The transpose of f32[2,3] from and to any strides. */
static axle_status* transpose(void* in, const int64_t* in_strides, void* out,
                              const int64_t* out_strides) {
  static axle_executable* executable = NULL;
  static const int64_t kDims[2] = {2, 3}, kOutDims[2] = {3, 2};
  axle_array argument = array_of(AXLE_F32, 2, kDims, in);
  axle_array result = array_of(AXLE_F32, 2, kOutDims, out);
  const axle_array* arguments[1];
  const axle_array* results[1];
  if (out == NULL) {
    axle_executable_destroy(executable);
    return NULL;
  }
  if (executable == NULL) {
    executable = compiled(
        "HloModule t\nENTRY main {\n  x = f32[2,3] parameter(0)\n"
        "  ROOT r = f32[3,2] transpose(x), dimensions={1,0}\n}\n");
  }
  argument.byte_strides = in_strides;
  result.byte_strides = out_strides;
  arguments[0] = &argument;
  results[0] = &result;
  return axle_executable_run(executable, NULL, arguments, 1, results, 1);
}

static void expect_floats(int line, const float* got, const float* expected) {
  size_t i;
  for (i = 0; i < 6; ++i) expect(line, got[i] == expected[i]);
}

void test_strides(void) {
  static const float kTransposed[6] = {1, 4, 2, 5, 3, 6};
  static const int64_t kDense[2] = {12, 4};
  float in[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  float out[6];
  unsigned char bytes[1 + sizeof(float) * 6]; /* of elements that are not aligned */
  expect_ok(__LINE__, transpose(in, kDense, out, NULL));
  expect_floats(__LINE__, out, kTransposed);
  memcpy(bytes + 1, in, sizeof out);
  expect_ok(__LINE__, transpose(bytes + 1, NULL, out, NULL));
  expect_floats(__LINE__, out, kTransposed);
  expect_ok(__LINE__, transpose(in, NULL, bytes + 1, NULL));
  memcpy(out, bytes + 1, sizeof out);
  expect_floats(__LINE__, out, kTransposed);
  {
    /* Every second column, rows from the last to the first; the result with its rows turned. */
    const int64_t strides[2] = {-24, 8}, out_strides[2] = {-8, 4};
    const float expected[6] = {11, 5, 9, 3, 7, 1};
    expect_ok(__LINE__, transpose(in + 6, strides, out + 4, out_strides));
    expect_floats(__LINE__, out, expected);
  }
  {
    /* One row, twice. */
    const int64_t strides[2] = {0, 4};
    const float expected[6] = {1, 1, 2, 2, 3, 3};
    expect_ok(__LINE__, transpose(in, strides, out, NULL));
    expect_floats(__LINE__, out, expected);
    expect_error(__LINE__, transpose(in, NULL, out, strides), AXLE_INVALID_ARGUMENT,
                 "host array: the stride of dimension 0 of f32[3,2] is 0, so that its elements "
                 "share memory");
  }
  {
    const int64_t strides[2] = {INT64_MAX, 4};
    expect_error(__LINE__, transpose(in, strides, out, NULL), AXLE_INVALID_ARGUMENT,
                 "host array: stride 9223372036854775807 of dimension 0 of f32[2,3] is too large");
  }
  transpose(NULL, NULL, NULL, NULL);
}

void test_profiles(void) {
  axle_executable* executable = compiled(
      "HloModule m\nENTRY e {\n  x = s64[] parameter(0)\n  ROOT y = s64[] negate(x)\n}\n");
  axle_profile_options profile_options;
  axle_execute_options options;
  axle_bytes* text = NULL;
  int64_t value = 3, result = 0, form;
  const axle_array in = array_of(AXLE_S64, 0, NULL, &value);
  const axle_array out = array_of(AXLE_S64, 0, NULL, &result);
  const axle_array* arguments[1];
  const axle_array* results[1];
  static const char* const kBegins[3] = {"profile of \"m\": 1 run, ",
                                         "{\"schema\":\"axle.profile/1\",", "[\n{"};
  arguments[0] = &in;
  results[0] = &out;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  memset(&profile_options, 0, sizeof profile_options);
  profile_options.struct_size = sizeof profile_options;
  profile_options.max_events = -1;
  expect_error(__LINE__, axle_profile_create(&profile_options, &options.profile),
               AXLE_INVALID_ARGUMENT, "axle_profile_create: max_events is -1, must be >= 0");
  expect_error(__LINE__, axle_profile_create(&profile_options, NULL), AXLE_INVALID_ARGUMENT,
               "axle_profile_create: profile is null");
  profile_options.max_events = 10;
  expect_ok(__LINE__, axle_profile_create(&profile_options, &options.profile));
  expect_ok(__LINE__, axle_executable_run(executable, &options, arguments, 1, results, 1));
  expect(__LINE__, result == -3);
  for (form = AXLE_PROFILE_TABLE; form <= AXLE_PROFILE_TRACE; ++form) {
    const char* begin = kBegins[form];
    expect_ok(__LINE__, axle_profile_text(options.profile, form, &text));
    expect(__LINE__, strncmp(axle_bytes_data(text), begin, strlen(begin)) == 0);
    axle_bytes_destroy(text);
  }
  expect_error(__LINE__, axle_profile_text(options.profile, 3, &text), AXLE_INVALID_ARGUMENT,
               "axle_profile_text: form is 3, must be AXLE_PROFILE_TABLE, _JSON or _TRACE");
  axle_profile_destroy(options.profile);
  axle_profile_destroy(NULL);
  axle_executable_destroy(executable);
}
