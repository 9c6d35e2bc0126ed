/* All but execution: statuses, structs of other sizes, shapes, limits, modules. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/capi/c_api_test.h"

void test_status(void) {
  axle_status* status = axle_status_create(AXLE_NOT_FOUND, "no such thing");
  expect(__LINE__, axle_status_code(status) == AXLE_NOT_FOUND);
  expect_text(__LINE__, axle_status_message(status), "no such thing");
  expect_text(__LINE__, axle_status_file(status), "");
  expect(__LINE__, axle_status_line(status) == 0);
  axle_status_destroy(status);
  expect_error(__LINE__, axle_status_create(AXLE_INTERNAL, NULL), AXLE_INTERNAL, "");

  expect(__LINE__, axle_status_create(AXLE_OK, "nothing") == NULL);
  expect(__LINE__, axle_status_code(NULL) == AXLE_OK);
  expect_text(__LINE__, axle_status_message(NULL), "");
  expect_text(__LINE__, axle_status_file(NULL), "");
  expect(__LINE__, axle_status_line(NULL) == 0 && axle_status_column(NULL) == 0);
  axle_status_destroy(NULL);

  expect_text(__LINE__, axle_code_name(AXLE_OK), "OK");
  expect_text(__LINE__, axle_code_name(AXLE_INVALID_ARGUMENT), "INVALID_ARGUMENT");
  expect_text(__LINE__, axle_code_name(77), "UNKNOWN");
  expect(__LINE__, axle_c_api_version() == AXLE_C_API_VERSION);
  expect(__LINE__, strlen(axle_version()) >= 5);
}

/* As a program sees it that was compiled against a version with one more field. */
typedef struct newer_client_options {
  axle_client_options known;
  void* unknown;
} newer_client_options;

void test_structs(void) {
  static const size_t kNoSizes[] = {0, 12, (size_t)1 << 40};
  axle_client* client = NULL;
  newer_client_options newer;
  axle_limits_options limits_options;
  axle_limits* limits = NULL;
  char message[200];
  size_t i;
  memset(&newer, 0, sizeof newer);
  newer.known.struct_size = sizeof newer;
  expect_ok(__LINE__, axle_client_create(&newer.known, &client));
  axle_client_destroy(client);
  newer.unknown = &newer;
  sprintf(message,
          "axle_client_create: the field at byte %d of the options is not known to this version of "
          "axle",
          (int)sizeof(axle_client_options));
  expect_error(__LINE__, axle_client_create(&newer.known, &client), AXLE_UNIMPLEMENTED, message);

  memset(&newer, 0, sizeof newer);
  for (i = 0; i < sizeof kNoSizes / sizeof kNoSizes[0]; ++i) {
    newer.known.struct_size = kNoSizes[i];
    sprintf(message, "axle_client_create: struct_size is %zu, must be sizeof(the struct), %zu here",
            kNoSizes[i], sizeof(axle_client_options));
    expect_error(__LINE__, axle_client_create(&newer.known, &client), AXLE_INVALID_ARGUMENT,
                 message);
  }

  /* A program that was compiled against a version with nothing but the time limit: what lies behind
   * its struct is not looked at. */
  memset(&limits_options, 0xee, sizeof limits_options);
  limits_options.struct_size = offsetof(axle_limits_options, memory_limit);
  limits_options.time_limit = 60;
  expect_ok(__LINE__, axle_limits_create(&limits_options, &limits));
  axle_limits_destroy(limits);
}

static void test_shape_errors(void) {
  const int64_t dims[2] = {2, 3};
  const int64_t negative[1] = {-1};
  const axle_shape* elements[1] = {NULL};
  axle_shape* shape = NULL;
  expect_error(__LINE__, axle_shape_create(AXLE_TUPLE, NULL, 0, &shape), AXLE_INVALID_ARGUMENT,
               "axle_shape_create: 13 is not the type of elements of an array");
  expect_error(__LINE__, axle_shape_create(-5, NULL, 0, &shape), AXLE_INVALID_ARGUMENT,
               "axle_shape_create: -5 is not the type of elements of an array");
  expect_error(__LINE__, axle_shape_create(AXLE_F32, NULL, 2, &shape), AXLE_INVALID_ARGUMENT,
               "axle_shape_create: the dims of an array of rank 2 are null");
  expect_error(__LINE__, axle_shape_create(AXLE_F32, dims, 1000, &shape), AXLE_INVALID_ARGUMENT,
               "axle_shape_create: an array of rank 1000, above the 256 that there can be");
  expect_code(__LINE__, axle_shape_create(AXLE_F32, negative, 1, &shape), AXLE_INVALID_ARGUMENT);
  expect_error(__LINE__, axle_shape_create(AXLE_F32, dims, 2, NULL), AXLE_INVALID_ARGUMENT,
               "axle_shape_create: shape is null");
  expect_error(__LINE__, axle_shape_parse(NULL, &shape), AXLE_INVALID_ARGUMENT,
               "axle_shape_parse: text is null");
  expect_code(__LINE__, axle_shape_parse("f32[", &shape), AXLE_INVALID_ARGUMENT);
  expect_error(__LINE__, axle_shape_create_tuple(elements, 1, &shape), AXLE_INVALID_ARGUMENT,
               "axle_shape_create_tuple: an element is null");
  expect(__LINE__, shape == NULL);
}

void test_shapes(void) {
  axle_shape* shape = NULL;
  axle_shape* tuple = NULL;
  const axle_shape* elements[2];
  const int64_t dims[2] = {2, 3};
  expect_ok(__LINE__, axle_shape_create(AXLE_F32, dims, 2, &shape));
  expect_text(__LINE__, axle_shape_text(shape), "f32[2,3]");
  expect(__LINE__, axle_shape_type(shape) == AXLE_F32);
  expect(__LINE__, axle_shape_rank(shape) == 2 && axle_shape_dims(shape)[1] == 3);
  expect(__LINE__, axle_shape_num_bytes(shape) == 24);
  expect(__LINE__, axle_shape_num_elements(shape) == 0 && axle_shape_element(shape, 0) == NULL);
  elements[0] = elements[1] = shape;
  expect_ok(__LINE__, axle_shape_create_tuple(elements, 2, &tuple));
  axle_shape_destroy(shape);
  expect_text(__LINE__, axle_shape_text(tuple), "(f32[2,3], f32[2,3])");
  expect(__LINE__, axle_shape_type(tuple) == AXLE_TUPLE && axle_shape_num_elements(tuple) == 2);
  expect_text(__LINE__, axle_shape_text(axle_shape_element(tuple, 1)), "f32[2,3]");
  axle_shape_destroy(tuple);

  expect_ok(__LINE__, axle_shape_parse("(s4[<=8,2], (), token[])", &shape));
  expect(__LINE__, axle_shape_num_elements(shape) == 3);
  expect(__LINE__, axle_shape_is_dynamic(axle_shape_element(shape, 0), 0) == 1);
  expect(__LINE__, axle_shape_is_dynamic(axle_shape_element(shape, 0), 1) == 0);
  expect(__LINE__, axle_shape_is_dynamic(axle_shape_element(shape, 0), 2) == 0);
  expect(__LINE__, axle_shape_type(axle_shape_element(shape, 2)) == AXLE_TOKEN);
  axle_shape_destroy(shape);
  expect_ok(__LINE__, axle_shape_create_tuple(NULL, 0, &shape));
  expect_text(__LINE__, axle_shape_text(shape), "()");
  axle_shape_destroy(shape);
  test_shape_errors();

  expect(__LINE__, axle_shape_rank(NULL) == 0 && axle_shape_dims(NULL) == NULL);
  expect(__LINE__, axle_shape_type(NULL) == AXLE_TYPE_INVALID && axle_shape_num_bytes(NULL) == 0);
  expect_text(__LINE__, axle_shape_text(NULL), "");
  axle_shape_destroy(NULL);
  expect_text(__LINE__, axle_type_name(AXLE_BF16), "bf16");
  expect_text(__LINE__, axle_type_name(12345), "invalid");
  expect(__LINE__, axle_type_bytes(AXLE_C128) == 16 && axle_type_bytes(AXLE_S4) == 1);
  expect(__LINE__, axle_type_bytes(-1) == 0);
}

void test_limits(void) {
  axle_limits_options options;
  axle_limits* limits = NULL;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.time_limit = -1;
  expect_error(__LINE__, axle_limits_create(&options, &limits), AXLE_INVALID_ARGUMENT,
               "axle_limits_create: time_limit is -1, must be 0 to 1e9 seconds");
  options.time_limit = (double)NAN;
  expect_error(__LINE__, axle_limits_create(&options, &limits), AXLE_INVALID_ARGUMENT,
               "axle_limits_create: time_limit is nan, must be 0 to 1e9 seconds");
  options.time_limit = 0;
  options.step_limit = -3;
  expect_error(__LINE__, axle_limits_create(&options, &limits), AXLE_INVALID_ARGUMENT,
               "axle_limits_create: memory_limit is 0 and step_limit is -3, must be >= 0");
  expect_error(__LINE__, axle_limits_create(NULL, NULL), AXLE_INVALID_ARGUMENT,
               "axle_limits_create: limits is null");
  expect_ok(__LINE__, axle_limits_create(NULL, &limits));
  axle_limits_cancel(limits);
  expect(__LINE__, axle_limits_peak_bytes(limits) == 0);
  axle_limits_destroy(limits);
  axle_limits_cancel(NULL);
  expect(__LINE__, axle_limits_peak_bytes(NULL) == 0);
  axle_limits_destroy(NULL);
}

static const char kAxpy[] =
    "HloModule axpy\n"
    "ENTRY main {\n"
    "  a = f32[] parameter(0)\n"
    "  x = f32[4] parameter(1)\n"
    "  y = f32[4] parameter(2)\n"
    "  as = f32[4] broadcast(a), dimensions={}\n"
    "  ax = f32[4] multiply(as, x)\n"
    "  ROOT r = f32[4] add(ax, y)\n"
    "}\n";

static void test_parse_errors(void) {
  static const char kBroken[] =
      "HloModule m\nENTRY e {\n  ROOT r = f32[2] iotas(), dimensions={0}\n}\n";
  axle_parse_options options;
  axle_module* module = NULL;
  axle_status* status;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.label = "model.hlo";
  status = axle_module_parse(kBroken, strlen(kBroken), &options, &module);
  expect_text(__LINE__, axle_status_file(status), "model.hlo");
  expect(__LINE__, axle_status_line(status) == 3 && axle_status_column(status) == 19);
  expect(__LINE__, strstr(axle_status_message(status), "did you mean \"iota\"?") != NULL);
  expect_code(__LINE__, status, AXLE_INVALID_ARGUMENT);
  options.format = "onnx";
  expect_error(__LINE__, axle_module_parse(kAxpy, strlen(kAxpy), &options, &module),
               AXLE_INVALID_ARGUMENT,
               "axle_module_parse: unknown format \"onnx\"; there are hlo, hlo.pb, stablehlo");
  expect_error(__LINE__, axle_module_parse(NULL, 3, NULL, &module), AXLE_INVALID_ARGUMENT,
               "axle_module_parse: bytes is null");
  expect_error(__LINE__, axle_module_parse(kAxpy, 3, NULL, NULL), AXLE_INVALID_ARGUMENT,
               "axle_module_parse: module is null");
  expect_code(__LINE__, axle_module_parse(NULL, 0, NULL, &module), AXLE_INVALID_ARGUMENT);
  expect(__LINE__, module == NULL);
}

void test_modules(void) {
  axle_module* module = NULL;
  axle_module* again = NULL;
  axle_bytes* text = NULL;
  axle_bytes* proto = NULL;
  axle_bytes* text_again = NULL;
  test_parse_errors();
  expect_ok(__LINE__, axle_module_parse(kAxpy, strlen(kAxpy), NULL, &module));
  expect_text(__LINE__, axle_module_name(module), "axpy");
  expect(__LINE__, axle_module_num_parameters(module) == 3);
  expect_text(__LINE__, axle_shape_text(axle_module_parameter_shape(module, 1)), "f32[4]");
  expect_text(__LINE__, axle_module_parameter_name(module, 2), "y");
  expect(__LINE__, axle_module_parameter_shape(module, 3) == NULL);
  expect(__LINE__, axle_module_parameter_name(module, 3) == NULL);
  expect_text(__LINE__, axle_shape_text(axle_module_result_shape(module)), "f32[4]");

  /* Through the proto and back. */
  expect_ok(__LINE__, axle_module_to_text(module, AXLE_PRINT_SHORT, &text));
  expect(__LINE__, strstr(axle_bytes_data(text), "ROOT r = f32[4]{0} add(ax, y)") != NULL);
  expect(__LINE__, axle_bytes_size(text) == strlen(axle_bytes_data(text)));
  expect_ok(__LINE__, axle_module_to_proto(module, &proto));
  expect_ok(__LINE__,
            axle_module_parse(axle_bytes_data(proto), axle_bytes_size(proto), NULL, &again));
  expect_ok(__LINE__, axle_module_to_text(again, AXLE_PRINT_SHORT, &text_again));
  expect_text(__LINE__, axle_bytes_data(text_again), axle_bytes_data(text));
  axle_bytes_destroy(text_again);
  axle_bytes_destroy(proto);
  axle_module_destroy(again);

  /* Through StableHLO. */
  for (int64_t flags = 0; flags <= AXLE_PRINT_BYTECODE; flags += AXLE_PRINT_BYTECODE) {
    expect_ok(__LINE__, axle_module_to_stablehlo(module, flags, &proto));
    expect_ok(__LINE__,
              axle_module_parse(axle_bytes_data(proto), axle_bytes_size(proto), NULL, &again));
    expect_text(__LINE__, axle_shape_text(axle_module_result_shape(again)), "f32[4]");
    axle_bytes_destroy(proto);
    axle_module_destroy(again);
  }
  axle_bytes_destroy(text);

  /* A StableHLO program that leaves sizes open is not written. */
  const char open[] =
      "module @open { func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
      "  return %x : tensor<?xf32>\n} }\n";
  const char* unwritten =
      "\"open\" is a StableHLO program that leaves sizes open, which cannot be written in another "
      "format; export it for the shapes of its arguments";
  expect_ok(__LINE__, axle_module_parse(open, strlen(open), NULL, &again));
  expect_error(__LINE__, axle_module_to_text(again, 0, &text), AXLE_UNIMPLEMENTED, unwritten);
  expect_error(__LINE__, axle_module_to_proto(again, &proto), AXLE_UNIMPLEMENTED, unwritten);
  expect_error(__LINE__, axle_module_to_stablehlo(again, 0, &text), AXLE_UNIMPLEMENTED, unwritten);
  axle_module_destroy(again);

  expect_error(__LINE__, axle_module_to_stablehlo(module, 64, &text), AXLE_UNIMPLEMENTED,
               "axle_module_to_stablehlo: flags 64 are not known to this version of axle");
  expect_error(__LINE__, axle_module_to_stablehlo(module, 0, NULL), AXLE_INVALID_ARGUMENT,
               "axle_module_to_stablehlo: program is null");

  expect_error(__LINE__, axle_module_to_text(module, 64, &text), AXLE_UNIMPLEMENTED,
               "axle_module_to_text: flags 64 are not known to this version of axle");
  expect_error(__LINE__, axle_module_to_text(NULL, 0, &text), AXLE_INVALID_ARGUMENT,
               "axle_module_to_text: module is null");
  expect_error(__LINE__, axle_module_to_proto(module, NULL), AXLE_INVALID_ARGUMENT,
               "axle_module_to_proto: proto is null");
  axle_module_destroy(module);
  expect_text(__LINE__, axle_module_name(NULL), "");
  expect(__LINE__, axle_module_num_parameters(NULL) == 0);
  expect(__LINE__, axle_module_result_shape(NULL) == NULL);
  axle_module_destroy(NULL);
  expect_text(__LINE__, axle_bytes_data(NULL), "");
  expect(__LINE__, axle_bytes_size(NULL) == 0);
  axle_bytes_destroy(NULL);
}
