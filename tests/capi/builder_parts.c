/* Programs made op by op. */
#include <string.h>

#include "tests/capi/c_api_test.h"

static axle_shape* shape_of(const char* text) {
  axle_shape* shape = NULL;
  expect_ok(__LINE__, axle_shape_parse(text, &shape));
  return shape;
}

static axle_op parameter(axle_builder* builder, int64_t number, const char* shape_text) {
  axle_shape* shape = shape_of(shape_text);
  axle_op op = -1;
  expect_ok(__LINE__, axle_builder_parameter(builder, number, shape, NULL, &op));
  axle_shape_destroy(shape);
  return op;
}

/* An op of at most two operands; those below 0 are left out. */
static axle_op add(axle_builder* builder, const char* opcode, axle_op first, axle_op second,
                   const axle_op_options* options) {
  axle_op operands[2], op = -1;
  operands[0] = first;
  operands[1] = second;
  expect_ok(__LINE__, axle_builder_add(builder, opcode, operands,
                                       (size_t)(first >= 0) + (size_t)(second >= 0), options, &op));
  return op;
}

static axle_op_options no_options(void) {
  axle_op_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  return options;
}

/* A computation of two scalars. */
static axle_module* binary(const char* opcode, const char* shape) {
  axle_builder* builder = NULL;
  axle_module* module = NULL;
  axle_op x, y;
  expect_ok(__LINE__, axle_builder_create(opcode, &builder));
  x = parameter(builder, 0, shape);
  y = parameter(builder, 1, shape);
  expect_ok(__LINE__, axle_builder_build(builder, add(builder, opcode, x, y, NULL), &module));
  axle_builder_destroy(builder);
  return module;
}

static axle_executable* compile(axle_module* module) {
  axle_client* client = NULL;
  axle_executable* executable = NULL;
  expect_ok(__LINE__, axle_client_create(NULL, &client));
  expect_ok(__LINE__, axle_client_compile(client, module, NULL, &executable));
  axle_client_destroy(client);
  axle_module_destroy(module);
  return executable;
}

/* The sum of a * x + y, for f32[] and twice f32[4]. */
static void test_sum_of_axpy(void) {
  axle_builder* builder = NULL;
  axle_module* add_module = binary("add", "f32[]");
  axle_module* module = NULL;
  axle_executable* executable;
  axle_shape* vector = shape_of("f32[4]");
  axle_shape* shape = NULL;
  axle_op a, x, y, ax, zero, sum;
  axle_op_options broadcast = no_options(), reduce = no_options();
  float zero_data = 0, a_data = 2, result = 0;
  float data[4] = {1, 2, 3, 4};
  const int64_t four[1] = {4};
  const axle_array zero_array = array_of(AXLE_F32, 0, NULL, &zero_data);
  const axle_array a_array = array_of(AXLE_F32, 0, NULL, &a_data);
  const axle_array vector_array = array_of(AXLE_F32, 1, four, data);
  const axle_array result_array = array_of(AXLE_F32, 0, NULL, &result);
  const axle_array* arguments[3];
  const axle_array* results[1];
  const axle_module* computations[1];

  expect_ok(__LINE__, axle_builder_create("axpy", &builder));
  a = parameter(builder, 0, "f32[]");
  x = parameter(builder, 1, "f32[4]");
  y = parameter(builder, 2, "f32[4]");
  broadcast.attributes = "dimensions={}";
  broadcast.shape = vector;
  ax = add(builder, "multiply", add(builder, "broadcast", a, -1, &broadcast), x, NULL);
  expect_ok(__LINE__, axle_builder_constant(builder, &zero_array, &zero));
  computations[0] = add_module;
  reduce.attributes = "dimensions={0}";
  reduce.computations = computations;
  reduce.num_computations = 1;
  reduce.name = "total";
  sum = add(builder, "reduce", add(builder, "add", ax, y, NULL), zero, &reduce);
  expect_ok(__LINE__, axle_builder_op_shape(builder, ax, &shape));
  expect_text(__LINE__, axle_shape_text(shape), "f32[4]");
  axle_shape_destroy(shape);
  expect_ok(__LINE__, axle_builder_first_error(builder));
  expect_ok(__LINE__, axle_builder_build(builder, sum, &module));
  axle_builder_destroy(builder);
  axle_module_destroy(add_module);
  axle_shape_destroy(vector);

  arguments[0] = &a_array;
  arguments[1] = arguments[2] = &vector_array;
  results[0] = &result_array;
  executable = compile(module);
  expect_ok(__LINE__, axle_executable_run(executable, NULL, arguments, 3, results, 1));
  expect(__LINE__, result == 30);
  axle_executable_destroy(executable);
}

/* while (i < 10) i = i + 1, on s32[]. */
static void test_while(void) {
  axle_builder* builder = NULL;
  axle_module* computations[2] = {NULL, NULL};
  axle_module* module = NULL;
  axle_executable* executable;
  axle_op_options less = no_options(), loop = no_options();
  axle_op i, constant;
  int32_t ten = 10, one = 1, start = 3, result = 0;
  const axle_array ten_array = array_of(AXLE_S32, 0, NULL, &ten);
  const axle_array one_array = array_of(AXLE_S32, 0, NULL, &one);
  const axle_array start_array = array_of(AXLE_S32, 0, NULL, &start);
  const axle_array result_array = array_of(AXLE_S32, 0, NULL, &result);
  const axle_array* arguments[1];
  const axle_array* results[1];
  expect_ok(__LINE__, axle_builder_create("condition", &builder));
  i = parameter(builder, 0, "s32[]");
  expect_ok(__LINE__, axle_builder_constant(builder, &ten_array, &constant));
  less.attributes = "direction=LT";
  expect_ok(__LINE__, axle_builder_build(builder, add(builder, "compare", i, constant, &less),
                                         &computations[0]));
  /* The same builder again. */
  i = parameter(builder, 0, "s32[]");
  expect_ok(__LINE__, axle_builder_constant(builder, &one_array, &constant));
  expect_ok(__LINE__,
            axle_builder_build(builder, add(builder, "add", i, constant, NULL), &computations[1]));
  i = parameter(builder, 0, "s32[]");
  loop.computations = (const axle_module* const*)computations;
  loop.num_computations = 2;
  expect_ok(__LINE__, axle_builder_build(builder, add(builder, "while", i, -1, &loop), &module));
  axle_builder_destroy(builder);
  axle_module_destroy(computations[0]);
  axle_module_destroy(computations[1]);
  arguments[0] = &start_array;
  results[0] = &result_array;
  executable = compile(module);
  expect_ok(__LINE__, axle_executable_run(executable, NULL, arguments, 1, results, 1));
  expect(__LINE__, result == 10);
  axle_executable_destroy(executable);
}

/* Each mistake in a builder of its own: f32[2,3] is 0, s32[4] is 1. */
static void expect_mistake(int line, const char* opcode, axle_op first, axle_op second,
                           const axle_op_options* options, const char* message) {
  axle_builder* builder = NULL;
  axle_status* status;
  axle_module* module = NULL;
  axle_op operands[2], op = -1;
  expect_ok(__LINE__, axle_builder_create("b", &builder));
  expect_ok(__LINE__, axle_builder_set_location(builder, "model.c", 12));
  parameter(builder, 0, "f32[2,3]");
  parameter(builder, 1, "s32[4]");
  operands[0] = first;
  operands[1] = second;
  status = axle_builder_add(builder, opcode, operands, 2, options, &op);
  expect_text(line, axle_status_message(status), message);
  expect_text(line, axle_status_file(status), "model.c");
  expect(line, axle_status_line(status) == 12 && axle_status_column(status) == 0);
  expect(line, op == -1);
  axle_status_destroy(status);
  /* It is kept. */
  expect_error(line, axle_builder_add(builder, "add", operands, 2, NULL, &op),
               AXLE_INVALID_ARGUMENT, message);
  expect_error(line, axle_builder_first_error(builder), AXLE_INVALID_ARGUMENT, message);
  expect_error(line, axle_builder_build(builder, 0, &module), AXLE_INVALID_ARGUMENT, message);
  axle_builder_destroy(builder);
}

static void test_builder_mistakes(void) {
  axle_op_options options = no_options();
  axle_shape* shape = shape_of("f32[7]");
  expect_mistake(__LINE__, "add", 0, 1, NULL,
                 "add: operands have different element types f32 and s32; lhs f32[2,3], rhs s32[4] "
                 "at model.c:12");
  expect_mistake(__LINE__, "addd", 0, 0, NULL,
                 "there is no operation \"addd\" (did you mean \"add\"?) at model.c:12");
  expect_mistake(__LINE__, "constant", 0, 0, NULL,
                 "constant: has a function of its own in the builder at model.c:12");
  expect_mistake(__LINE__, "add", 0, 7, NULL,
                 "add: operand 1 is 7, which is not an op of builder \"b\" at model.c:12");
  expect_mistake(__LINE__, "add", -1, 0, NULL,
                 "add: operand 0 is -1, which is not an op of builder \"b\" at model.c:12");
  expect_mistake(__LINE__, "iota", 0, 0, NULL,
                 "iota: the shape of the result must be given at model.c:12");
  options.attributes = "dimension={0}";
  expect_mistake(__LINE__, "transpose", 0, 0, &options,
                 "transpose: unknown attribute \"dimension\" for \"transpose\" (did you mean "
                 "\"dimensions\"? it takes: dimensions) at model.c:12");
  options.attributes = "dimensions={0} dimensions={1}";
  expect_mistake(__LINE__, "transpose", 0, 0, &options, "transpose: expected ',' at model.c:12");
  options.attributes = "";
  expect_mistake(__LINE__, "transpose", 0, 0, &options,
                 "transpose: \"transpose\" needs dimensions=... at model.c:12");
  options.attributes = "dimensions={0}, to_apply={ROOT r = f32[] parameter(0)}";
  expect_mistake(__LINE__, "reduce", 0, 0, &options,
                 "reduce: \"to_apply\" cannot be given as text here at model.c:12");
  options.attributes = "metadata={op_name=\"x\"}";
  expect_mistake(__LINE__, "add", 0, 0, &options,
                 "add: \"metadata\" cannot be given as text here at model.c:12");
  options.attributes = NULL;
  options.shape = shape;
  expect_mistake(__LINE__, "add", 0, 0, &options,
                 "add: the shape of the result is f32[2,3], not f32[7] at model.c:12");
  axle_shape_destroy(shape);
}

static void test_builder_misuse(void) {
  axle_builder* builder = NULL;
  axle_module* module = NULL;
  axle_shape* shape = shape_of("f32[]");
  axle_op op = 0, x;
  axle_op_options options = no_options();
  expect_error(__LINE__, axle_builder_create(NULL, &builder), AXLE_INVALID_ARGUMENT,
               "axle_builder_create: name is null");
  expect_ok(__LINE__, axle_builder_create("", &builder));
  expect_error(__LINE__, axle_builder_add(builder, NULL, NULL, 0, NULL, &op), AXLE_INVALID_ARGUMENT,
               "axle_builder_add: opcode is null");
  expect_error(__LINE__, axle_builder_add(builder, "add", NULL, 2, NULL, &op),
               AXLE_INVALID_ARGUMENT, "axle_builder_add: operands is null");
  options.num_computations = 1;
  expect_error(__LINE__, axle_builder_add(builder, "add", NULL, 0, &options, &op),
               AXLE_INVALID_ARGUMENT, "axle_builder_add: computations is null");
  expect_error(__LINE__, axle_builder_parameter(builder, 0, NULL, "p", &op), AXLE_INVALID_ARGUMENT,
               "axle_builder_parameter: shape is null");
  expect_error(__LINE__, axle_builder_constant(builder, NULL, &op), AXLE_INVALID_ARGUMENT,
               "axle_builder_constant: value is null");
  expect_error(__LINE__, axle_builder_op_shape(builder, 3, &shape), AXLE_INVALID_ARGUMENT,
               "3 is not an op of builder \"\"");
  expect_error(__LINE__, axle_builder_set_location(builder, "x.c", -1), AXLE_INVALID_ARGUMENT,
               "axle_builder_set_location: line is -1");
  expect_error(__LINE__, axle_builder_first_error(NULL), AXLE_INVALID_ARGUMENT,
               "axle_builder_first_error: builder is null");
  /* An op of a computation that is finished. */
  x = parameter(builder, 0, "f32[]");
  expect_ok(__LINE__, axle_builder_build(builder, x, &module));
  axle_module_destroy(module);
  expect_code(__LINE__, axle_builder_build(builder, x, &module), AXLE_INVALID_ARGUMENT);
  parameter(builder, 0, "f32[]");
  expect_error(__LINE__, axle_builder_add(builder, "negate", &x, 1, NULL, &op),
               AXLE_INVALID_ARGUMENT, "negate: operand 0 is 0, which is not an op of builder \"\"");
  axle_builder_destroy(builder);
  axle_builder_destroy(NULL);
  axle_shape_destroy(shape);
}

/* Tuples that double reach the memory limit, not that of the machine. */
static void test_builder_limits(void) {
  axle_builder* builder = NULL;
  axle_limits_options options;
  axle_limits* limits = NULL;
  axle_status* status = NULL;
  axle_op x;
  int built = 0;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.memory_limit = 16 << 20;
  expect_ok(__LINE__, axle_limits_create(&options, &limits));
  expect_ok(__LINE__, axle_builder_create("doubling", &builder));
  expect_ok(__LINE__, axle_builder_set_limits(builder, limits));
  x = parameter(builder, 0, "f32[]");
  while (built < 30 && status == NULL) {
    axle_op operands[2];
    operands[0] = operands[1] = x;
    status = axle_builder_add(builder, "tuple", operands, 2, NULL, &x);
    ++built;
  }
  expect(__LINE__, built > 8 && built < 20);
  expect_code(__LINE__, status, AXLE_RESOURCE_EXHAUSTED);
  expect_ok(__LINE__, axle_builder_set_limits(builder, NULL));
  axle_limits_destroy(limits);
  axle_builder_destroy(builder);
  expect_error(__LINE__, axle_builder_set_limits(NULL, NULL), AXLE_INVALID_ARGUMENT,
               "axle_builder_set_limits: builder is null");
}

static int is_text(const char* text, const char* expected) {
  return text != NULL && strcmp(text, expected) == 0;
}

/* What a builder in another language makes its functions of. */
static void test_op_names(void) {
  size_t num_ops = 0, i;
  int has_while = 0;
  for (; axle_op_name(num_ops) != NULL; ++num_ops) {
    has_while |= is_text(axle_op_name(num_ops), "while");
    expect(__LINE__, axle_op_summary(axle_op_name(num_ops)) != NULL);
    for (i = 0; axle_op_part_name(axle_op_name(num_ops), AXLE_OP_ATTRIBUTE, i) != NULL; ++i) {
      expect(__LINE__,
             axle_op_part_name(axle_op_name(num_ops), AXLE_OP_ATTRIBUTE_KIND, i) != NULL);
    }
    expect(__LINE__,
           axle_op_part_name(axle_op_name(num_ops), AXLE_OP_ATTRIBUTE_KIND, i) == NULL);
  }
  expect(__LINE__, num_ops > 100 && has_while);
  expect(__LINE__, axle_op_name(num_ops + 1) == NULL);
  expect(__LINE__, is_text(axle_op_part_name("reduce", AXLE_OP_ATTRIBUTE, 0), "dimensions"));
  expect(__LINE__, is_text(axle_op_part_name("reduce", AXLE_OP_ATTRIBUTE_KIND, 0),
                           "list of integers"));
  expect(__LINE__, is_text(axle_op_part_name("while", AXLE_OP_COMPUTATION, 0), "condition"));
  expect(__LINE__, is_text(axle_op_part_name("while", AXLE_OP_COMPUTATION, 1), "body"));
  expect(__LINE__, axle_op_part_name("while", AXLE_OP_COMPUTATION, 2) == NULL);
  expect(__LINE__, is_text(axle_op_part_name("add", AXLE_OP_OPERAND, 0), "lhs"));
  expect(__LINE__, axle_op_part_name("add", 99, 0) == NULL);
  expect(__LINE__, axle_op_declares_shape("iota") == 1 && axle_op_declares_shape("add") == 0);
  expect(__LINE__, axle_op_summary("no-such-op") == NULL && axle_op_summary(NULL) == NULL);
  expect(__LINE__, axle_op_part_name(NULL, AXLE_OP_OPERAND, 0) == NULL);
  expect(__LINE__, axle_op_declares_shape(NULL) == 0);
}

void test_builder(void) {
  test_op_names();
  test_builder_limits();
  test_sum_of_axpy();
  test_while();
  test_builder_mistakes();
  test_builder_misuse();
}
