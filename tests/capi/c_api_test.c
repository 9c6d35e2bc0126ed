/* The C ABI from C: `axle_c_api_test [PART]`. */
#include "tests/capi/c_api_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* part = "";

void expect(int line, int condition) {
  if (condition) return;
  fprintf(stderr, "%s: line %d: not as expected\n", part, line);
  exit(1);
}

void expect_text(int line, const char* got, const char* expected) {
  if (got != NULL && strcmp(got, expected) == 0) return;
  fprintf(stderr, "%s: line %d: got\n  %s\nexpected\n  %s\n", part, line,
          got == NULL ? "(null)" : got, expected);
  exit(1);
}

void expect_ok(int line, axle_status* status) {
  if (status == NULL) return;
  fprintf(stderr, "%s: line %d: %s: %s\n", part, line, axle_code_name(axle_status_code(status)),
          axle_status_message(status));
  exit(1);
}

void expect_code(int line, axle_status* status, axle_code code) {
  expect_text(line, axle_code_name(axle_status_code(status)), axle_code_name(code));
  axle_status_destroy(status);
}

void expect_error(int line, axle_status* status, axle_code code, const char* message) {
  expect_text(line, axle_status_message(status), message);
  expect_code(line, status, code);
}

axle_executable* compiled(const char* text) {
  axle_client* client = NULL;
  axle_module* module = NULL;
  axle_executable* executable = NULL;
  expect_ok(__LINE__, axle_client_create(NULL, &client));
  expect_ok(__LINE__, axle_module_parse(text, strlen(text), NULL, &module));
  expect_ok(__LINE__, axle_client_compile(client, module, NULL, &executable));
  axle_module_destroy(module);
  axle_client_destroy(client);
  return executable;
}

axle_array array_of(axle_type type, size_t rank, const int64_t* dims, void* data) {
  axle_array array;
  memset(&array, 0, sizeof array);
  array.struct_size = sizeof array;
  array.type = type;
  array.rank = rank;
  array.dims = dims;
  array.data = data;
  return array;
}

const char kLongLoop[] =
    "HloModule loop\n"
    "condition {\n  i = s64[] parameter(0)\n  n = s64[] constant(1000000000000)\n"
    "  ROOT c = pred[] compare(i, n), direction=LT\n}\n"
    "body {\n  i = s64[] parameter(0)\n  one = s64[] constant(1)\n"
    "  ROOT r = s64[] add(i, one)\n}\n"
    "ENTRY main {\n  i = s64[] parameter(0)\n"
    "  ROOT r = s64[] while(i), condition=condition, body=body\n}\n";

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*test)(void);
  } kParts[] = {
      {"status", test_status},   {"structs", test_structs}, {"shapes", test_shapes},
      {"limits", test_limits},   {"modules", test_modules}, {"run", test_run},
      {"profiles", test_profiles},
      {"strides", test_strides}, {"builder", test_builder}, {"buffers", test_buffers},
      {"clients", test_clients}, {"arrays", test_arrays}, {"jobs", test_jobs},
  };
  size_t i, found = 0;
  for (i = 0; i < sizeof kParts / sizeof kParts[0]; ++i) {
    if (argc > 1 && strcmp(argv[1], kParts[i].name) != 0) continue;
    part = kParts[i].name;
    kParts[i].test();
    ++found;
  }
  return found > 0 ? 0 : 1;
}
