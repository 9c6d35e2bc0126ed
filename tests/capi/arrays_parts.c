/* Files of arrays, .npz and safetensors. */
#include <string.h>

#include "tests/capi/c_api_test.h"

static const char kOne[] = "0\0\0\0\0\0\0\0{\"b\":{\"dtype\":\"BOOL\",\"shape\":[2],\"data_offsets\":[0,2]}}\7";

/* Writes two arrays and reads them again; `bf16` is what the format has for it. */
static void round_trip(const char* format, axle_type bf16) {
  float w[6] = {1, 2, 3, 4, 5, 6};
  const uint16_t b[1] = {0x3f80};
  const int64_t dims[2] = {3, 2}, strides[2] = {4, 12}, one[1] = {1};
  axle_array arrays[2];
  const axle_array* pointers[2];
  const char* names[2] = {"w", "b"};
  axle_bytes* file = NULL;
  axle_arrays* read = NULL;
  const axle_array* found;
  arrays[0] = array_of(AXLE_F32, 2, dims, w);
  arrays[0].byte_strides = strides;
  arrays[1] = array_of(AXLE_BF16, 1, one, (void*)b);
  pointers[0] = &arrays[0];
  pointers[1] = &arrays[1];
  expect_ok(__LINE__, axle_arrays_write(format, names, pointers, 2, &file));
  expect_ok(__LINE__,
            axle_arrays_read(axle_bytes_data(file), axle_bytes_size(file), NULL, &read));
  axle_bytes_destroy(file);
  expect(__LINE__, axle_arrays_count(read) == 2);
  expect_text(__LINE__, axle_arrays_name(read, 0), "b");
  expect_text(__LINE__, axle_arrays_name(read, 1), "w");
  expect(__LINE__, axle_arrays_name(read, 2) == NULL && axle_arrays_at(read, 2) == NULL);
  found = axle_arrays_at(read, 0);
  expect(__LINE__, found->type == bf16 && found->rank == 1 && found->dims[0] == 1);
  expect(__LINE__, memcmp(found->data, b, 2) == 0 && found->byte_strides == NULL);
  found = axle_arrays_at(read, 1);
  expect(__LINE__, found->type == AXLE_F32 && found->rank == 2);
  expect(__LINE__, found->dims[0] == 3 && found->dims[1] == 2);
  expect(__LINE__, ((const float*)found->data)[1] == 4 && ((const float*)found->data)[2] == 2);
  expect(__LINE__, (uintptr_t)found->data % 16 == 0);
  axle_arrays_destroy(read);
}

void test_arrays(void) {
  axle_arrays* read = NULL;
  axle_bytes* file = NULL;
  axle_limits* limits = NULL;
  axle_limits_options options;
  const float value = 1;
  const axle_array array = array_of(AXLE_F32, 0, NULL, (void*)&value);
  const axle_array* arrays[2];
  const char* names[2] = {"x", "x"};
  char bytes[sizeof kOne + 1];
  round_trip("safetensors", AXLE_BF16);
  round_trip("npz", AXLE_U16);

  expect_ok(__LINE__, axle_arrays_write("safetensors", NULL, NULL, 0, &file));
  expect_ok(__LINE__,
            axle_arrays_read(axle_bytes_data(file), axle_bytes_size(file), NULL, &read));
  expect(__LINE__, axle_arrays_count(read) == 0 && axle_arrays_name(read, 0) == NULL);
  axle_arrays_destroy(read);
  axle_bytes_destroy(file);

  /* pred is 0 or 1, whatever the file has. */
  memcpy(bytes, kOne, sizeof kOne);
  bytes[0] = (char)(sizeof kOne - 1 - 8 - 1);
  bytes[sizeof kOne - 1] = 0;
  expect_ok(__LINE__, axle_arrays_read(bytes, sizeof kOne, NULL, &read));
  expect(__LINE__, memcmp(axle_arrays_at(read, 0)->data, "\1\0", 2) == 0);
  axle_arrays_destroy(read);

  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.memory_limit = 1;
  expect_ok(__LINE__, axle_limits_create(&options, &limits));
  expect_error(__LINE__, axle_arrays_read(bytes, sizeof kOne, limits, &read),
               AXLE_RESOURCE_EXHAUSTED, "safetensors: more than 1 B of arrays");
  axle_limits_destroy(limits);

  arrays[0] = arrays[1] = &array;
  expect_error(__LINE__, axle_arrays_write("safetensors", names, arrays, 2, &file),
               AXLE_INVALID_ARGUMENT, "safetensors: two arrays are called x");
  expect_error(__LINE__, axle_arrays_write("npy", names, arrays, 1, &file),
               AXLE_INVALID_ARGUMENT,
               "axle_arrays_write: unknown format \"npy\"; there are npz and safetensors");
  expect_error(__LINE__, axle_arrays_write("npz", NULL, arrays, 1, &file), AXLE_INVALID_ARGUMENT,
               "axle_arrays_write: names is null");
  names[0] = NULL;
  expect_error(__LINE__, axle_arrays_write("npz", names, arrays, 1, &file), AXLE_INVALID_ARGUMENT,
               "axle_arrays_write: a name is null");
  expect_error(__LINE__, axle_arrays_read(NULL, 1, NULL, &read), AXLE_INVALID_ARGUMENT,
               "axle_arrays_read: bytes is null");
  expect_error(__LINE__, axle_arrays_read("", 0, NULL, &read), AXLE_INVALID_ARGUMENT,
               "npz: not a zip archive (too short)");
  expect_error(__LINE__, axle_arrays_read("x", 1, NULL, NULL), AXLE_INVALID_ARGUMENT,
               "axle_arrays_read: arrays is null");
  expect(__LINE__, axle_arrays_count(NULL) == 0 && axle_arrays_at(NULL, 0) == NULL);
  axle_arrays_destroy(NULL);
}
