/* alpha * x + y in C: examples/axpy.cc through axle/c_api.h. The graph is built op by op here;
 * axle_module_parse reads one from a text instead. */
#include <axle/c_api.h>
#include <stdio.h>

enum { SIZE = 4 };

/* Errors go upwards: a status that is not NULL is one, and the next calls are left out. */
static axle_status* build_axpy(axle_module** module) {
  const int64_t dims[] = {SIZE};
  float two = 2;
  axle_array alpha_value = {.struct_size = sizeof(axle_array), .type = AXLE_F32, .data = &two};
  axle_builder* builder = NULL;
  axle_shape* vector = NULL;
  axle_op alpha, x, y, alpha_vector, scaled, sum;

  axle_status* status = axle_builder_create("axpy", &builder);
  if (!status) status = axle_shape_create(AXLE_F32, dims, 1, &vector);
  if (!status) status = axle_builder_constant(builder, &alpha_value, &alpha);
  if (!status) status = axle_builder_parameter(builder, 0, vector, "x", &x);
  if (!status) status = axle_builder_parameter(builder, 1, vector, "y", &y);

  /* As in HLO text, nothing is broadcast that does not say so. */
  const axle_op_options broadcast = {
      .struct_size = sizeof(axle_op_options), .attributes = "dimensions={}", .shape = vector};
  if (!status) {
    status = axle_builder_add(builder, "broadcast", &alpha, 1, &broadcast, &alpha_vector);
  }
  if (!status) {
    status = axle_builder_add(builder, "multiply", (axle_op[]){alpha_vector, x}, 2, NULL, &scaled);
  }
  if (!status) status = axle_builder_add(builder, "add", (axle_op[]){scaled, y}, 2, NULL, &sum);
  if (!status) status = axle_builder_build(builder, sum, module);
  axle_shape_destroy(vector); /* NULL is fine */
  axle_builder_destroy(builder);
  return status;
}

int main(void) {
  const int64_t dims[] = {SIZE};
  float x[SIZE] = {1, 2, 3, 4}, y[SIZE] = {10, 20, 30, 40}, sum[SIZE];
  axle_array arrays[3] = {{.data = x}, {.data = y}, {.data = sum}};
  for (int i = 0; i < 3; ++i) {
    arrays[i].struct_size = sizeof(axle_array);
    arrays[i].type = AXLE_F32;
    arrays[i].rank = 1;
    arrays[i].dims = dims;
  }
  const axle_array* arguments[] = {&arrays[0], &arrays[1]};
  const axle_array* results[] = {&arrays[2]};

  axle_client* client = NULL;
  axle_module* module = NULL;
  axle_executable* executable = NULL;
  axle_status* status = build_axpy(&module);
  if (!status) status = axle_client_create(NULL, &client);
  if (!status) status = axle_client_compile(client, module, NULL, &executable);
  if (!status) status = axle_executable_run(executable, NULL, arguments, 2, results, 1);
  if (!status) printf("%g %g %g %g\n", sum[0], sum[1], sum[2], sum[3]);
  if (status) fprintf(stderr, "axpy_c: %s\n", axle_status_message(status));

  const int failed = status != NULL;
  axle_status_destroy(status);
  axle_executable_destroy(executable);
  axle_module_destroy(module);
  axle_client_destroy(client);
  return failed;
}
