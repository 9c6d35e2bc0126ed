// Whichever allocation fails, on whatever thread: a call of the C interface returns
// RESOURCE_EXHAUSTED, and no exception comes out.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "axle/c_api.h"

namespace {

std::atomic<long> allocations_left = -1;  // until one fails; below 0: none does

[[maybe_unused]] void* Allocate(size_t size) {
  if (allocations_left < 0) return std::malloc(size);
  const bool fails = allocations_left-- == 0;
  return fails ? nullptr : std::malloc(size);
}

}  // namespace

// The sanitizers have an operator new of their own, and come with clang alone.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define AXLE_TEST_SANITIZED
#endif
#endif
#if defined(AXLE_TEST_SANITIZED)
constexpr bool kOwnsMemory = false;
#else
constexpr bool kOwnsMemory = true;

void* operator new(size_t size) {
  void* const block = Allocate(size);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, size_t) noexcept {
  std::free(block);
}
#endif

namespace {

constexpr char kProgram[] =
    "HloModule m, input_output_alias={ {0}: (0, {}, may-alias) }\n"
    "ENTRY main { x = f32[4] parameter(0) y = f32[4] exponential(x) ROOT r = (f32[4]) tuple(y) }";

// What a caller makes, in the order in which it goes again.
struct Handles {
  ~Handles() {
    axle_view_destroy(view);
    for (axle_buffer* buffer : {x, y, later}) axle_buffer_destroy(buffer);
    axle_future_destroy(done);
    axle_executable_destroy(executable);
    for (axle_module* module : {parsed, built}) axle_module_destroy(module);
    axle_builder_destroy(builder);
    axle_shape_destroy(shape);
    axle_bytes_destroy(text);
    axle_client_destroy(client);
  }
  axle_client* client = nullptr;
  axle_module *parsed = nullptr, *built = nullptr;
  axle_bytes* text = nullptr;
  axle_shape* shape = nullptr;
  axle_builder* builder = nullptr;
  axle_executable* executable = nullptr;
  axle_buffer *x = nullptr, *y = nullptr, *later = nullptr;
  axle_future* done = nullptr;
  axle_view* view = nullptr;
};

// Makes, runs and reads a program; the code of the first call that fails.
axle_code RunAll() {
  Handles h;
  const int64_t dims[1] = {4};
  float in[4] = {1, 2, 3, 4}, out[4] = {};
  const axle_array from = {sizeof from, AXLE_F32, 1, dims, nullptr, in, nullptr};
  const axle_array to = {sizeof to, AXLE_F32, 1, dims, nullptr, out, nullptr};
  const axle_array *from_list = &from, *to_list = &to;
  axle_op p = 0, negated = 0;
  const int64_t zero = 0;
  axle_execute_options keep = {};
  keep.struct_size = sizeof keep;
  keep.not_donated = &zero;
  keep.num_not_donated = 1;
  axle_code code = AXLE_OK;
  const auto good = [&](axle_status* status) {
    code = axle_status_code(status);
    axle_status_destroy(status);
    return code == AXLE_OK;
  };
  const auto ignore = [](axle_status* status, void*) { axle_status_destroy(status); };
  if (!good(axle_client_create(nullptr, &h.client))) return code;
  if (!good(axle_module_parse(kProgram, strlen(kProgram), nullptr, &h.parsed))) return code;
  if (!good(axle_module_to_text(h.parsed, 0, &h.text))) return code;
  if (!good(axle_shape_create(AXLE_F32, dims, 1, &h.shape))) return code;
  if (!good(axle_builder_create("b", &h.builder))) return code;
  if (!good(axle_builder_parameter(h.builder, 0, h.shape, "p", &p))) return code;
  if (!good(axle_builder_add(h.builder, "negate", &p, 1, nullptr, &negated))) return code;
  if (!good(axle_builder_build(h.builder, negated, &h.built))) return code;
  // LLVM ends the process when there is no memory.
  axle_compile_options interpret = {};
  interpret.struct_size = sizeof(interpret);
  interpret.engine = AXLE_ENGINE_INTERPRET;
  if (!good(axle_client_compile(h.client, h.parsed, &interpret, &h.executable))) return code;
  if (!good(axle_executable_run(h.executable, nullptr, &from_list, 1, &to_list, 1))) return code;
  if (!good(axle_buffer_from_host(h.client, &from, nullptr, &h.x))) return code;
  if (!good(axle_executable_execute(h.executable, &keep, &h.x, 1, &h.y, 1, nullptr))) return code;
  if (!good(axle_executable_execute(h.executable, nullptr, &h.x, 1, &h.later, 1, &h.done))) {
    return code;
  }
  if (!good(axle_future_on_ready(h.done, ignore, nullptr))) return code;
  if (!good(axle_future_await(h.done, nullptr))) return code;
  if (!good(axle_buffer_to_host(h.y, &to, nullptr))) return code;
  if (!good(axle_buffer_view(h.y, nullptr, &h.view))) return code;
  axle_buffer_delete(h.y);
  if (!good(axle_client_to_infeed(h.client, 0, &from_list, 1, nullptr))) return code;
  return AXLE_OK;
}

TEST(CApiNoMemory, IsAStatusWhereverItIsFound) {
  if (!kOwnsMemory) GTEST_SKIP() << "no allocation can be made to fail";
  ASSERT_EQ(RunAll(), AXLE_OK);
  int num_failures = 0;
  for (long k = 0; k < 10000; ++k) {
    allocations_left = k;
    const axle_code code = RunAll();
    const bool is_over = allocations_left.exchange(-1) >= 0;
    if (is_over) break;
    // Some need not succeed, as the creation of one more thread.
    ASSERT_TRUE(code == AXLE_RESOURCE_EXHAUSTED || code == AXLE_OK) << "allocation " << k;
    num_failures += code == AXLE_OK ? 0 : 1;
  }
  EXPECT_GT(num_failures, 100);
  EXPECT_EQ(RunAll(), AXLE_OK);
}

}  // namespace
