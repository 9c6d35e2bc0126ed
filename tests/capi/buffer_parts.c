/* Buffers, asynchronous runs, donation, devices; custom calls, infeed and outfeed. */
#include <string.h>

#include "tests/capi/c_api_test.h"

static const int64_t kFour[1] = {4};

static axle_client* client_of(int64_t num_devices) {
  axle_client_options options;
  axle_client* client = NULL;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.num_devices = num_devices;
  options.num_threads = 2;
  expect_ok(__LINE__, axle_client_create(&options, &client));
  return client;
}

static axle_executable* compiled_by(axle_client* client, const char* text,
                                    const axle_compile_options* options) {
  axle_module* module = NULL;
  axle_executable* executable = NULL;
  expect_ok(__LINE__, axle_module_parse(text, strlen(text), NULL, &module));
  expect_ok(__LINE__, axle_client_compile(client, module, options, &executable));
  axle_module_destroy(module);
  return executable;
}

static void count(void* context) {
  ++*(int*)context;
}

static axle_buffer* buffer_of(axle_client* client, float* data, int64_t semantics, int* released) {
  const axle_array array = array_of(AXLE_F32, 1, kFour, data);
  axle_buffer_options options;
  axle_buffer* buffer = NULL;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.semantics = semantics;
  if (released != NULL) {
    options.released = count;
    options.released_context = released;
  }
  expect_ok(__LINE__, axle_buffer_from_host(client, &array, &options, &buffer));
  return buffer;
}

static void expect_buffer(int line, const axle_buffer* buffer, float first, float last) {
  float data[4] = {0};
  const axle_array array = array_of(AXLE_F32, 1, kFour, data);
  expect_ok(line, axle_buffer_to_host(buffer, &array, NULL));
  expect(line, data[0] == first && data[3] == last);
}

static const char kAdd[] =
    "HloModule add\nENTRY e {\n  x = f32[4] parameter(0)\n  y = f32[4] parameter(1)\n"
    "  ROOT r = f32[4] add(x, y)\n}\n";

static void test_zero_copy(axle_client* client) {
  float data[4] = {1, 2, 3, 4};
  const int64_t strides[1] = {-4};
  int released = 0;
  axle_array turned = array_of(AXLE_F32, 1, kFour, data + 3);
  axle_buffer* buffer = buffer_of(client, data, AXLE_HOST_ZERO_COPY, &released);
  axle_view* view = NULL;
  expect(__LINE__, axle_buffer_is_zero_copy(buffer) == 1 && released == 0);
  expect_text(__LINE__, axle_shape_text(axle_buffer_shape(buffer)), "f32[4]");
  expect(__LINE__, axle_buffer_device(buffer) == 0 && axle_buffer_is_ready(buffer) == 1);
  expect_ok(__LINE__, axle_buffer_view(buffer, NULL, &view));
  expect(__LINE__, axle_view_data(view) == (const void*)data);
  axle_buffer_delete(buffer);
  expect(__LINE__, axle_buffer_is_deleted(buffer) == 1 && released == 0); /* pinned */
  axle_view_destroy(view);
  expect(__LINE__, released == 1);
  axle_buffer_delete(buffer);
  expect_code(__LINE__, axle_buffer_to_host(buffer, &turned, NULL), AXLE_FAILED_PRECONDITION);
  expect_code(__LINE__, axle_buffer_view(buffer, NULL, &view), AXLE_FAILED_PRECONDITION);
  axle_buffer_destroy(buffer);

  buffer = buffer_of(client, data, AXLE_HOST_COPY, &released);
  expect(__LINE__, axle_buffer_is_zero_copy(buffer) == 0 && released == 2);
  axle_buffer_destroy(buffer);
  turned.byte_strides = strides;
  expect_ok(__LINE__, axle_buffer_from_host(client, &turned, NULL, &buffer));
  expect_buffer(__LINE__, buffer, 4, 1);
  axle_buffer_destroy(buffer);
}

static void copy_status(axle_status* status, void* context) {
  *(axle_code*)context = axle_status_code(status);
  axle_status_destroy(status);
}

static void test_execute(axle_client* client) {
  float x_data[4] = {1, 2, 3, 4}, y_data[4] = {10, 10, 10, 10};
  axle_executable* executable = compiled_by(client, kAdd, NULL);
  axle_buffer* x = buffer_of(client, x_data, AXLE_HOST_ZERO_COPY, NULL);
  axle_buffer* y = buffer_of(client, y_data, AXLE_HOST_COPY, NULL);
  axle_buffer* sum = NULL;
  axle_buffer* twice = NULL;
  axle_future* done = NULL;
  axle_code code = AXLE_UNKNOWN;
  const axle_buffer* arguments[2];
  axle_execute_options options;
  const int64_t second[1] = {1};
  arguments[0] = x;
  arguments[1] = y;
  expect(__LINE__, axle_executable_num_results(executable) == 1);
  expect_ok(__LINE__, axle_executable_execute(executable, NULL, arguments, 2, &sum, 1, NULL));
  expect_buffer(__LINE__, sum, 11, 14);

  arguments[1] = sum;
  expect_ok(__LINE__, axle_executable_execute(executable, NULL, arguments, 2, &twice, 1, &done));
  expect_ok(__LINE__, axle_future_await(done, NULL));
  expect(__LINE__, axle_future_is_ready(done) == 1);
  expect_ok(__LINE__, axle_future_on_ready(done, copy_status, &code));
  expect(__LINE__, code == AXLE_OK);
  axle_future_destroy(done);
  expect_ok(__LINE__, axle_buffer_await(twice, NULL));
  expect_buffer(__LINE__, twice, 12, 18);
  axle_buffer_destroy(twice);

  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.donated = second;
  options.num_donated = 1;
  expect_ok(__LINE__, axle_executable_execute(executable, &options, arguments, 2, &twice, 1, NULL));
  expect_buffer(__LINE__, twice, 12, 18);
  expect(__LINE__, axle_buffer_is_deleted(sum) == 1);
  expect_code(__LINE__, axle_executable_execute(executable, NULL, arguments, 2, &twice, 1, NULL),
              AXLE_FAILED_PRECONDITION);
  axle_buffer_destroy(twice);
  options.donated = NULL;
  expect_error(__LINE__,
               axle_executable_execute(executable, &options, arguments, 2, &twice, 1, NULL),
               AXLE_INVALID_ARGUMENT, "axle_executable_execute: donated is null");
  expect_code(__LINE__, axle_executable_execute(executable, NULL, arguments, 1, &twice, 1, NULL),
              AXLE_INVALID_ARGUMENT);
  expect_error(__LINE__, axle_executable_execute(executable, NULL, arguments, 2, &twice, 2, NULL),
               AXLE_INVALID_ARGUMENT,
               "axle_executable_execute: there is room for 2 results, must be 1");
  arguments[1] = NULL;
  expect_error(__LINE__, axle_executable_execute(executable, NULL, arguments, 2, &twice, 1, NULL),
               AXLE_INVALID_ARGUMENT, "axle_executable_execute: an argument is null");
  axle_buffer_destroy(sum);
  axle_buffer_destroy(x);
  axle_buffer_destroy(y);
  axle_executable_destroy(executable);
}

/* The error of a run comes with its future and with its results. */
static void test_failed_run(axle_client* client) {
  axle_executable* executable = compiled_by(client, kLongLoop, NULL);
  axle_limits_options limits_options;
  axle_execute_options options;
  int64_t zero = 0;
  const axle_array array = array_of(AXLE_S64, 0, NULL, &zero);
  axle_buffer* start = NULL;
  axle_buffer* result = NULL;
  axle_future* done = NULL;
  const axle_buffer* arguments[1];
  memset(&limits_options, 0, sizeof limits_options);
  limits_options.struct_size = sizeof limits_options;
  limits_options.step_limit = 100;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  expect_ok(__LINE__, axle_limits_create(&limits_options, &options.limits));
  expect_ok(__LINE__, axle_buffer_from_host(client, &array, NULL, &start));
  arguments[0] = start;
  expect_ok(__LINE__,
            axle_executable_execute(executable, &options, arguments, 1, &result, 1, &done));
  expect_code(__LINE__, axle_future_await(done, NULL), AXLE_RESOURCE_EXHAUSTED);
  expect_code(__LINE__, axle_buffer_await(result, NULL), AXLE_RESOURCE_EXHAUSTED);
  expect_code(__LINE__, axle_buffer_to_host(result, &array, NULL), AXLE_RESOURCE_EXHAUSTED);
  axle_future_destroy(done);
  axle_limits_destroy(options.limits);
  axle_buffer_destroy(result);
  axle_buffer_destroy(start);
  axle_executable_destroy(executable);
}

static void test_tuples_and_sizes(axle_client* client) {
  axle_executable* executable =
      compiled_by(client,
                  "HloModule t\nENTRY e {\n  p = (f32[4], f32[<=4]) parameter(0)\n"
                  "  x = f32[4] get-tuple-element(p), index=0\n"
                  "  d = f32[<=4] get-tuple-element(p), index=1\n  ROOT r = (f32[<=4], f32[4]) "
                  "tuple(d, x)\n}\n",
                  NULL);
  float x_data[4] = {1, 2, 3, 4}, data[4] = {9, 9, 9, 9};
  int64_t size = 3;
  axle_array array = array_of(AXLE_F32, 1, kFour, x_data);
  axle_buffer_options options;
  axle_shape* dynamic = NULL;
  axle_buffer *elements[2] = {NULL, NULL}, *results[2] = {NULL, NULL}, *tuple = NULL;
  const axle_buffer* arguments[1];
  int released = 0;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.released = count;
  options.released_context = &released;
  elements[0] = buffer_of(client, x_data, AXLE_HOST_COPY, NULL);
  expect_ok(__LINE__, axle_shape_parse("f32[<=4]", &dynamic));
  options.shape = dynamic;
  array.sizes = &size;
  expect_ok(__LINE__, axle_buffer_from_host(client, &array, &options, &elements[1]));
  expect(__LINE__, released == 1);
  expect_ok(__LINE__,
            axle_buffer_create_tuple(client, (const axle_buffer* const*)elements, 2, &tuple));
  expect_text(__LINE__, axle_shape_text(axle_buffer_shape(tuple)), "(f32[4], f32[<=4])");
  arguments[0] = tuple;
  expect(__LINE__, axle_executable_num_results(executable) == 2);
  expect_ok(__LINE__, axle_executable_execute(executable, NULL, arguments, 1, results, 2, NULL));
  size = 0;
  array.data = data;
  expect_ok(__LINE__, axle_buffer_to_host(results[0], &array, NULL));
  expect(__LINE__, size == 3 && data[2] == 3 && data[3] == 0);
  expect_buffer(__LINE__, results[1], 1, 4);
  expect_code(__LINE__, axle_buffer_to_host(tuple, &array, NULL), AXLE_INVALID_ARGUMENT);
  axle_buffer_destroy(results[0]);
  axle_buffer_destroy(results[1]);
  axle_buffer_destroy(tuple);
  axle_buffer_destroy(elements[0]);
  axle_buffer_destroy(elements[1]);
  axle_shape_destroy(dynamic);
  axle_executable_destroy(executable);
}

static void test_buffer_misuse(axle_client* client) {
  float data[4] = {0};
  axle_array array = array_of(AXLE_F32, 1, kFour, data);
  axle_buffer_options options;
  axle_buffer* buffer = NULL;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.semantics = 3;
  expect_error(__LINE__, axle_buffer_from_host(client, &array, &options, &buffer),
               AXLE_INVALID_ARGUMENT, "axle_buffer_from_host: there are no semantics 3");
  options.semantics = 0;
  options.device = 7;
  expect_code(__LINE__, axle_buffer_from_host(client, &array, &options, &buffer),
              AXLE_INVALID_ARGUMENT);
  expect_error(__LINE__, axle_buffer_from_host(NULL, &array, NULL, &buffer), AXLE_INVALID_ARGUMENT,
               "axle_buffer_from_host: client is null");
  expect_error(__LINE__, axle_buffer_from_host(client, NULL, NULL, &buffer), AXLE_INVALID_ARGUMENT,
               "axle_buffer_from_host: an array is null");
  expect_error(__LINE__, axle_buffer_to_host(NULL, &array, NULL), AXLE_INVALID_ARGUMENT,
               "axle_buffer_to_host: buffer is null");
  expect_error(__LINE__, axle_buffer_create_tuple(client, NULL, 1, &buffer), AXLE_INVALID_ARGUMENT,
               "axle_buffer_create_tuple: elements is null");
  expect_error(__LINE__, axle_future_await(NULL, NULL), AXLE_INVALID_ARGUMENT,
               "axle_future_await: future is null");
  expect(__LINE__, buffer == NULL && axle_buffer_shape(NULL) == NULL);
  expect(__LINE__, axle_buffer_is_ready(NULL) == 0 && axle_buffer_is_deleted(NULL) == 0);
  expect(__LINE__, axle_future_is_ready(NULL) == 0 && axle_view_data(NULL) == NULL);
  expect(__LINE__, axle_executable_num_results(NULL) == 0 && axle_client_num_devices(NULL) == 0);
  axle_buffer_delete(NULL);
  axle_buffer_destroy(NULL);
  axle_view_destroy(NULL);
  axle_future_destroy(NULL);
}

void test_buffers(void) {
  axle_client* client = client_of(1);
  test_zero_copy(client);
  test_execute(client);
  test_failed_run(client);
  test_tuples_and_sizes(client);
  test_buffer_misuse(client);
  axle_client_destroy(client);
}

/* Two devices, which add their numbers to their arguments. */
static void test_replicas(void) {
  axle_client* client = client_of(2);
  axle_compile_options options;
  axle_executable* executable;
  float ones[4] = {1, 1, 1, 1}, twos[4] = {2, 2, 2, 2};
  const axle_array array = array_of(AXLE_F32, 1, kFour, twos);
  axle_buffer_options on_second;
  axle_buffer *arguments[2] = {NULL, NULL}, *results[2] = {NULL, NULL};
  axle_future* done[2] = {NULL, NULL};
  const int64_t reversed[2] = {1, 0};
  int i;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.replicas = 2;
  memset(&on_second, 0, sizeof on_second);
  on_second.struct_size = sizeof on_second;
  on_second.device = 1;
  executable =
      compiled_by(client,
                  "HloModule ids\nENTRY e {\n  x = f32[4] parameter(0)\n  i = u32[] replica-id()\n"
                  "  f = f32[] convert(i)\n  b = f32[4] broadcast(f), dimensions={}\n"
                  "  ROOT r = f32[4] add(x, b)\n}\n",
                  &options);
  expect(__LINE__, axle_client_num_devices(client) == 2);
  expect(__LINE__, axle_executable_num_devices(executable) == 2);
  arguments[0] = buffer_of(client, ones, AXLE_HOST_COPY, NULL);
  expect_ok(__LINE__, axle_buffer_from_host(client, &array, &on_second, &arguments[1]));
  expect(__LINE__, axle_buffer_device(arguments[1]) == 1);
  expect_ok(__LINE__,
            axle_executable_execute_replicated(
                executable, NULL, 2, (const axle_buffer* const*)arguments, 1, results, 1));
  expect_buffer(__LINE__, results[0], 1, 1);
  expect_buffer(__LINE__, results[1], 3, 3);
  expect_error(__LINE__,
               axle_executable_execute_replicated(
                   executable, NULL, 1, (const axle_buffer* const*)arguments, 1, results, 1),
               AXLE_INVALID_ARGUMENT,
               "axle_executable_execute_replicated: there are arguments for 1 devices, must be 2");
  axle_buffer_destroy(results[0]);
  axle_buffer_destroy(results[1]);
  expect_ok(__LINE__,
            axle_executable_execute_replicated_async(
                executable, NULL, 2, (const axle_buffer* const*)arguments, 1, results, 1, done));
  expect_buffer(__LINE__, results[0], 1, 1);
  expect_buffer(__LINE__, results[1], 3, 3);
  for (i = 0; i < 2; ++i) {
    expect_ok(__LINE__, axle_future_await(done[i], NULL));
    axle_future_destroy(done[i]);
    axle_buffer_destroy(results[i]);
  }
  expect_error(__LINE__,
               axle_executable_execute_replicated_async(
                   executable, NULL, 2, (const axle_buffer* const*)arguments, 1, results, 1, NULL),
               AXLE_INVALID_ARGUMENT, "axle_executable_execute_replicated_async: done is null");
  expect(__LINE__, axle_executable_device(executable, 0) == 0);
  expect(__LINE__, axle_executable_device(executable, 1) == 1);
  expect(__LINE__, axle_executable_device(executable, 2) == -1);
  axle_executable_destroy(executable);
  options.devices = reversed;
  options.num_devices = 2;
  executable = compiled_by(client,
                           "HloModule ids\nENTRY e {\n  i = u32[] replica-id()\n"
                           "  ROOT b = u32[4] broadcast(i), dimensions={}\n}\n",
                           &options);
  expect(__LINE__, axle_executable_device(executable, 0) == 1);
  axle_executable_destroy(executable);
  axle_buffer_destroy(arguments[0]);
  axle_buffer_destroy(arguments[1]);
  axle_client_destroy(client);
}

static void scale(void* out, const void** in, void* context) {
  int i;
  for (i = 0; i < 4; ++i) ((float*)out)[i] = ((const float*)in[0])[i] * *(const float*)context;
}

static axle_status* typed_scale(const axle_custom_call_frame* frame, void* context) {
  const axle_array* from = frame->operands[0];
  if (strstr(frame->backend_config, "fail") != NULL) {
    return axle_status_create(AXLE_ABORTED, "told to");
  }
  if (frame->num_operands != 1 || frame->num_results != 1 || from->type != AXLE_F32 ||
      from->rank != 1 || from->dims[0] != 4 || from->byte_strides[0] != 4) {
    return axle_status_create(AXLE_INVALID_ARGUMENT, "not f32[4]");
  }
  scale(frame->results[0]->data, (const void**)&from->data, context);
  return NULL;
}

/* Bytes with the layout that the strides say, or without strides if they are packed. */
static axle_status* see_bytes(const axle_custom_call_frame* frame, void* context) {
  const axle_array* from = frame->operands[0];
  unsigned char* seen = (unsigned char*)context;
  seen[0] = from->byte_strides == NULL ? 0 : (unsigned char)from->byte_strides[0];
  seen[1] = ((const unsigned char*)from->data)[0];
  return NULL;
}

static void test_narrow_custom_calls(axle_client* client) {
  unsigned char data[4] = {1, 2, 3, 4}, out[4] = {0}, seen[2] = {9, 9};
  axle_array in_array = array_of(AXLE_F6E3M2FN, 1, kFour, data);
  axle_array out_array = array_of(AXLE_F6E3M2FN, 1, kFour, out);
  const axle_array* arguments[1];
  const axle_array* results[1];
  axle_executable* executable;
  arguments[0] = &in_array;
  results[0] = &out_array;
  expect_ok(__LINE__, axle_client_register_typed_custom_call(client, "see_bytes", see_bytes, seen));
  executable = compiled_by(client,
                           "HloModule c\nENTRY e {\n  x = f6e3m2fn[4] parameter(0)\n"
                           "  ROOT r = f6e3m2fn[4] custom-call(x), "
                           "custom_call_target=\"see_bytes\", "
                           "api_version=API_VERSION_TYPED_FFI\n}\n",
                           NULL);
  expect_ok(__LINE__, axle_executable_run(executable, NULL, arguments, 1, results, 1));
  expect(__LINE__, seen[0] == 1 && seen[1] == 1);
  axle_executable_destroy(executable);
  in_array.type = out_array.type = AXLE_U4;
  executable = compiled_by(client,
                           "HloModule c\nENTRY e {\n  x = u4[4] parameter(0)\n"
                           "  ROOT r = u4[4] custom-call(x), custom_call_target=\"see_bytes\", "
                           "api_version=API_VERSION_TYPED_FFI\n}\n",
                           NULL);
  expect_ok(__LINE__, axle_executable_run(executable, NULL, arguments, 1, results, 1));
  expect(__LINE__, seen[0] == 0 && seen[1] == 0x21);
  axle_executable_destroy(executable);
}

static void test_custom_calls(axle_client* client) {
  float factor = 3, data[4] = {1, 2, 3, 4}, out[4] = {0};
  const axle_array in_array = array_of(AXLE_F32, 1, kFour, data);
  const axle_array out_array = array_of(AXLE_F32, 1, kFour, out);
  const axle_array* arguments[1];
  const axle_array* results[1];
  axle_executable* executable;
  arguments[0] = &in_array;
  results[0] = &out_array;
  expect_ok(__LINE__, axle_client_register_custom_call(client, "scale", scale, &factor));
  expect_code(__LINE__, axle_client_register_custom_call(client, "scale", scale, &factor),
              AXLE_ALREADY_EXISTS);
  expect_error(__LINE__, axle_client_register_custom_call(client, "none", NULL, NULL),
               AXLE_INVALID_ARGUMENT, "axle_client_register_custom_call: function is null");
  expect_ok(__LINE__,
            axle_client_register_typed_custom_call(client, "typed_scale", typed_scale, &factor));
  executable = compiled_by(client,
                           "HloModule c\nENTRY e {\n  x = f32[4] parameter(0)\n"
                           "  y = f32[4] custom-call(x), custom_call_target=\"scale\"\n"
                           "  ROOT r = f32[4] custom-call(y), custom_call_target=\"typed_scale\", "
                           "api_version=API_VERSION_TYPED_FFI\n}\n",
                           NULL);
  expect_ok(__LINE__, axle_executable_run(executable, NULL, arguments, 1, results, 1));
  expect(__LINE__, out[0] == 9 && out[3] == 36);
  axle_executable_destroy(executable);
  executable = compiled_by(client,
                           "HloModule c\nENTRY e {\n  x = f32[4] parameter(0)\n"
                           "  ROOT r = f32[4] custom-call(x), custom_call_target=\"typed_scale\", "
                           "api_version=API_VERSION_TYPED_FFI, backend_config={fail = true}\n}\n",
                           NULL);
  expect_code(__LINE__, axle_executable_run(executable, NULL, arguments, 1, results, 1),
              AXLE_ABORTED);
  axle_executable_destroy(executable);
}

static void test_queues(axle_client* client) {
  float data[4] = {1, 2, 3, 4}, out[4] = {0};
  const axle_array in_array = array_of(AXLE_F32, 1, kFour, data);
  axle_array out_array = array_of(AXLE_F32, 1, kFour, out);
  const axle_array* values[1];
  axle_limits_options limits_options;
  axle_limits* limits = NULL;
  axle_executable* executable = compiled_by(
      client,
      "HloModule q\nENTRY e {\n  t = token[] after-all()\n"
      "  i = (f32[4], token[]) infeed(t)\n  x = f32[4] get-tuple-element(i), index=0\n"
      "  y = f32[4] add(x, x)\n  ROOT o = token[] outfeed(y, t), outfeed_shape=f32[4]\n}\n",
      NULL);
  values[0] = &in_array;
  expect_ok(__LINE__, axle_client_to_infeed(client, 0, values, 1, NULL));
  expect_ok(__LINE__, axle_executable_run(executable, NULL, NULL, 0, NULL, 0));
  values[0] = &out_array;
  expect_ok(__LINE__, axle_client_from_outfeed(client, 0, values, 1, NULL));
  expect(__LINE__, out[0] == 2 && out[3] == 8);
  memset(&limits_options, 0, sizeof limits_options);
  limits_options.struct_size = sizeof limits_options;
  limits_options.time_limit = 0.01;
  expect_ok(__LINE__, axle_limits_create(&limits_options, &limits));
  expect_code(__LINE__, axle_client_from_outfeed(client, 0, values, 1, limits),
              AXLE_DEADLINE_EXCEEDED);
  axle_limits_destroy(limits);
  expect_error(__LINE__, axle_client_to_infeed(client, 0, values, 0, NULL), AXLE_INVALID_ARGUMENT,
               "axle_client_to_infeed: there are no values");
  expect_code(__LINE__, axle_client_to_infeed(client, 5, values, 1, NULL), AXLE_INVALID_ARGUMENT);
  axle_executable_destroy(executable);
}

/* A host that never waits gets errors, and one that feeds and takes in time gets none. */
static void test_channels(void) {
  float data[4] = {1, 2, 3, 4}, out[4] = {0};
  const axle_array in_array = array_of(AXLE_F32, 1, kFour, data);
  axle_array out_array = array_of(AXLE_F32, 1, kFour, out);
  const axle_array* values[1];
  axle_client_options options;
  axle_client* client = NULL;
  axle_executable* executable;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.never_waits_for_host = 2;
  expect_error(__LINE__, axle_client_create(&options, &client), AXLE_INVALID_ARGUMENT,
               "axle_client_create: never_waits_for_host is 2, must be 0 or 1");
  options.never_waits_for_host = 1;
  expect_ok(__LINE__, axle_client_create(&options, &client));
  executable =
      compiled_by(client,
                  "HloModule q\nENTRY e {\n  t = token[] after-all()\n"
                  "  r = (f32[4], u32[], token[]) recv(t), channel_id=1, is_host_transfer=true\n"
                  "  d = (f32[4], token[]) recv-done(r), channel_id=1, is_host_transfer=true\n"
                  "  x = f32[4] get-tuple-element(d), index=0\n  y = f32[4] add(x, x)\n"
                  "  u = token[] get-tuple-element(d), index=1\n"
                  "  s = (f32[4], u32[], token[]) send(y, u), channel_id=2, is_host_transfer=true\n"
                  "  ROOT e = token[] send-done(s), channel_id=2, is_host_transfer=true\n}\n",
                  NULL);
  values[0] = &in_array;
  expect_code(__LINE__, axle_executable_run(executable, NULL, NULL, 0, NULL, 0),
              AXLE_INVALID_ARGUMENT);
  expect_ok(__LINE__, axle_client_to_channel(client, 0, 1, values, 1));
  expect_ok(__LINE__, axle_executable_run(executable, NULL, NULL, 0, NULL, 0));
  values[0] = &out_array;
  expect_ok(__LINE__, axle_client_from_channel(client, 0, 2, values, 1, NULL));
  expect(__LINE__, out[0] == 2 && out[3] == 8);
  expect_code(__LINE__, axle_client_from_channel(client, 0, 2, values, 1, NULL),
              AXLE_INVALID_ARGUMENT);
  expect_code(__LINE__, axle_client_from_outfeed(client, 0, values, 1, NULL),
              AXLE_INVALID_ARGUMENT);
  expect_error(__LINE__, axle_client_to_channel(client, 5, 1, values, 1), AXLE_INVALID_ARGUMENT,
               "channel: there is no device 5, the client has 1");
  expect_error(__LINE__, axle_client_from_channel(client, 0, 2, NULL, 1, NULL),
               AXLE_INVALID_ARGUMENT, "axle_client_from_channel: values is null");
  axle_executable_destroy(executable);
  axle_client_destroy(client);
}

static void log_line(int32_t level, const char* message, void* context) {
  if (level == AXLE_LOG_INFO && message[0] != '\0') ++*(int*)context;
}

static void test_analysis_and_log(void) {
  axle_client_options options;
  axle_client* client = NULL;
  axle_executable* executable;
  struct {
    axle_analysis known;
    int64_t unknown;
  } newer;
  int lines = 0;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.log = log_line;
  options.log_context = &lines;
  expect_ok(__LINE__, axle_client_create(&options, &client));
  executable = compiled_by(client, kAdd, NULL);
  expect(__LINE__, lines > 0);
  memset(&newer, 0x55, sizeof newer);
  newer.known.struct_size = sizeof newer;
  expect_ok(__LINE__, axle_executable_analyze(executable, &newer.known));
  expect(__LINE__, newer.known.flops == 4 && newer.known.num_instructions == 3);
  expect(__LINE__, newer.known.argument_bytes == 32 && newer.known.result_bytes == 16);
  expect(__LINE__, newer.known.is_complete == 1);
  expect(__LINE__, newer.unknown == 0x5555555555555555);
  memset(&newer, 0x55, sizeof newer);
  newer.known.struct_size = offsetof(axle_analysis, bytes_accessed);
  expect_ok(__LINE__, axle_executable_analyze(executable, &newer.known));
  expect(__LINE__, newer.known.flops == 4);
  expect(__LINE__, newer.known.num_instructions == 0x5555555555555555);
  axle_executable_destroy(executable);
  axle_client_destroy(client);
  options.num_devices = -1;
  expect_code(__LINE__, axle_client_create(&options, &client), AXLE_INVALID_ARGUMENT);
}

void test_clients(void) {
  axle_client* client = client_of(1);
  test_custom_calls(client);
  test_narrow_custom_calls(client);
  test_queues(client);
  test_channels();
  axle_client_destroy(client);
  test_replicas();
  test_analysis_and_log();
}
