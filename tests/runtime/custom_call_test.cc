// Custom calls of the user's: the four ways to be called, what the buffers hold, and what fails.
#include <atomic>
#include <stdexcept>
#include <thread>

#include "axle/runtime/custom_call_registry.h"
#include "axle/runtime/host_device.h"
#include "tests/runtime/run_text.h"

namespace axle {
namespace {

std::string Call(std::string_view shape, std::string_view operands, std::string_view rest) {
  return StrCat("ENTRY e { ", operands, " ROOT r = ", shape, " custom-call(",
                operands.empty()                                 ? ""
                : operands.find("parameter(1)") != operands.npos ? "x, y"
                                                                 : "x",
                "), ", rest, " }");
}

template <typename T>
const T* In(const void** in, int i) {
  return static_cast<const T*>(in[i]);
}

// The example of XLA's documentation, with its signature.
extern "C" void DoCustomCall(void* out, void** in) {
  const auto* x = static_cast<const float*>(in[0]);
  const auto* y = static_cast<const float*>(in[1]);
  auto* z = static_cast<float*>(out);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) z[3 * i + j] = static_cast<float>(10 * i + j);
  }
  z[0] = x[1] + y[3];
}

TEST(CustomCall, TheOriginalSignature) {
  HostDevice device;
  ASSERT_TRUE(device.custom_calls().Register("do_custom_call", DoCustomCall).ok());
  const std::string text = Call("f32[3,3]", "x = f32[2] parameter(0)  y = f32[2,3] parameter(1)",
                                "custom_call_target=\"do_custom_call\"");
  EXPECT_EQ(
      ResultText(RunText(text, &device,
                         {Value("f32[2] {1, 2}"), Value("f32[2,3] {{10, 20, 30}, {40, 50, 60}}")})),
      "f32[3,3] {{42, 1, 2}, {10, 11, 12}, {20, 21, 22}}");
}

TEST(CustomCall, TuplesAreTheirArrays) {
  HostDevice device;
  ASSERT_TRUE(device.custom_calls()
                  .Register("swap",
                            [](void* out, const void** in) {
                              void** const arrays = static_cast<void**>(out);
                              *static_cast<float*>(arrays[1]) = *In<float>(in, 0);
                              *static_cast<float*>(arrays[0]) = *In<float>(in, 1);
                            })
                  .ok());
  EXPECT_EQ(ResultText(RunText(
                Call("(f32[], (f32[], token[]))", "x = (f32[], (token[], f32[])) parameter(0)",
                     "custom_call_target=\"swap\""),
                &device, {Value("(f32[], (token[], f32[])) (1, (token, 2))")})),
            "(f32[], (f32[], token[])) (2, (1, token))");
}

TEST(CustomCall, BuffersHaveTheLayoutsOfTheInstruction) {
  HostDevice device;
  std::vector<float> seen;
  ASSERT_TRUE(device.custom_calls()
                  .Register("copy",
                            [&](void* out, const void** in) {
                              seen.assign(In<float>(in, 0), In<float>(in, 0) + 6);
                              std::copy_n(In<float>(in, 0), 6, static_cast<float*>(out));
                            })
                  .ok());
  const Literal value = Value("f32[2,3] {{1, 2, 3}, {4, 5, 6}}");
  const std::vector<float> rows = {1, 2, 3, 4, 5, 6}, columns = {1, 4, 2, 5, 3, 6};
  const auto run = [&](std::string_view shape, std::string_view operand, std::string_view more) {
    return ResultText(RunText(Call(shape, StrCat("x = ", operand, " parameter(0)"),
                                   StrCat("custom_call_target=\"copy\"", more)),
                              &device, {value}));
  };
  EXPECT_EQ(run("f32[2,3]{1,0}", "f32[2,3]", ""), ResultText(value));
  EXPECT_EQ(seen, rows);
  EXPECT_EQ(run("f32[2,3]{0,1}", "f32[2,3]{0,1}", ""), ResultText(value));
  EXPECT_EQ(seen, columns);
  EXPECT_EQ(run("f32[2,3]{1,0}", "f32[2,3]{0,1}", ""), "f32[2,3] {{1, 4, 2}, {5, 3, 6}}");
  EXPECT_EQ(run("f32[2,3]{0,1}", "f32[2,3]", ", operand_layout_constraints={f32[2,3]{0,1}}"),
            ResultText(value));
  EXPECT_EQ(seen, columns);
  EXPECT_EQ(
      run("f32[2,3]{1,0:T(2,2)}", "f32[2,3]", ""),
      "UNIMPLEMENTED: custom-call: \"copy\": tiled buffers; one is f32[2,3]{1,0:T(2,2)}; operand "
      "f32[2,3]");
}

TEST(CustomCall, SmallElementsArePacked) {
  HostDevice device;
  std::vector<unsigned> seen;
  ASSERT_TRUE(device.custom_calls()
                  .Register("copy2",
                            [&](void* out, const void** in) {
                              for (int i = 0; i < 2; ++i) {
                                seen.push_back(In<unsigned char>(in, 0)[i]);
                                static_cast<unsigned char*>(out)[i] = In<unsigned char>(in, 0)[i];
                              }
                            })
                  .ok());
  const auto run = [&](std::string_view value) {
    seen.clear();
    const Literal literal = Value(value);
    const std::string shape = literal.shape().ToString();
    const std::string result = ResultText(
        RunText(Call(shape, StrCat("x = ", shape, " parameter(0)"), "custom_call_target=\"copy2\""),
                &device, {literal}));
    EXPECT_EQ(result, ResultText(literal));
  };
  run("s4[3] {1, -2, 7}");
  EXPECT_EQ(seen, (std::vector<unsigned>{0xe1, 0x07}));
  run("u4[4] {15, 0, 8, 1}");
  EXPECT_EQ(seen, (std::vector<unsigned>{0x0f, 0x18}));
  run("s2[5] {-2, -1, 0, 1, 1}");
  EXPECT_EQ(seen, (std::vector<unsigned>{0x4e, 0x01}));
  run("u1[9] {1, 0, 1, 1, 0, 0, 0, 1, 1}");
  EXPECT_EQ(seen, (std::vector<unsigned>{0x8d, 0x01}));
  run("f4e2m1fn[3] {0.5, -6, 1}");
  EXPECT_EQ(seen, (std::vector<unsigned>{0xf1, 0x02}));
  run("pred[2] {1, 0}");
  EXPECT_EQ(seen, (std::vector<unsigned>{1, 0}));
}

TEST(CustomCall, AnyByteButZeroIsTrue) {
  HostDevice device;
  ASSERT_TRUE(
      device.custom_calls()
          .Register("flags",
                    [](void* out, const void**) { static_cast<unsigned char*>(out)[0] = 0x80; })
          .ok());
  EXPECT_EQ(ResultText(RunText(Call("pred[2]", "", "custom_call_target=\"flags\""), &device)),
            "pred[2] {1, 0}");
}

TEST(CustomCall, StatusReturningFunctions) {
  HostDevice device;
  ASSERT_TRUE(
      device.custom_calls()
          .RegisterStatusReturning("checked",
                                   [](void* out, const void** in, XlaCustomCallStatus* status) {
                                     if (*In<float>(in, 0) < 0) {
                                       XlaCustomCallStatusSetFailure(status, "negative!", 8);
                                     } else {
                                       *static_cast<float*>(out) = *In<float>(in, 0) + 1;
                                       XlaCustomCallStatusSetFailure(status, "no", 2);
                                       XlaCustomCallStatusSetSuccess(status);
                                     }
                                   })
          .ok());
  const std::string text =
      Call("f32[]", "x = f32[] parameter(0)",
           "custom_call_target=\"checked\", api_version=API_VERSION_STATUS_RETURNING");
  EXPECT_EQ(ResultText(RunText(text, &device, {Value("f32[] 1")})), "f32[] 2");
  EXPECT_EQ(ResultText(RunText(text, &device, {Value("f32[] -1")})),
            "INTERNAL: custom-call: \"checked\": negative; operand f32[]");
}

TEST(CustomCall, UnifiedFunctionsGetTheBackendConfig) {
  HostDevice device;
  std::string seen;
  ASSERT_TRUE(
      device.custom_calls()
          .RegisterUnified("unified", [&](void*, const void**, const char* opaque, size_t size,
                                          XlaCustomCallStatus*) { seen.assign(opaque, size); })
          .ok());
  const auto run = [&](std::string_view config) {
    return RunText(Call("f32[]", "",
                        StrCat("custom_call_target=\"unified\", "
                               "api_version=API_VERSION_STATUS_RETURNING_UNIFIED",
                               config)),
                   &device)
        .ok();
  };
  EXPECT_TRUE(run(", backend_config=\"a\\000\\377b\""));
  EXPECT_EQ(seen, std::string("a\0\377b", 4));
  EXPECT_TRUE(run(", backend_config={\"k\": [1, 2]}"));
  EXPECT_EQ(seen, "{\"k\": [1, 2]}");
  EXPECT_TRUE(run(""));
  EXPECT_EQ(seen, "");
}

Status AddScaled(const CustomCallFrame& frame) {
  AXLE_ASSIGN(const double scale, frame.attributes.Float("scale"));
  AXLE_ASSIGN(const i64 repeat, frame.attributes.Integer("repeat", 1));
  if (frame.operands.size() != 2 || frame.results.size() != 1) {
    return InvalidArgument("takes two operands");
  }
  for (size_t i = 0; i < frame.results[0].elements<float>().size(); ++i) {
    frame.results[0].elements<float>()[i] =
        static_cast<float>(scale * static_cast<double>(repeat)) *
        (frame.operands[0].elements<float>()[i] + frame.operands[1].elements<float>()[i]);
  }
  return {};
}

TEST(CustomCall, TypedFunctions) {
  HostDevice device;
  ASSERT_TRUE(device.custom_calls().RegisterTyped("add_scaled", AddScaled).ok());
  const auto run = [&](std::string_view operands, std::string_view config) {
    return ResultText(
        RunText(Call("f32[2]", operands,
                     StrCat("custom_call_target=\"add_scaled\", api_version=API_VERSION_TYPED_FFI, "
                            "backend_config=",
                            config)),
                &device,
                operands.find("(1)") == operands.npos
                    ? std::vector{Value("f32[2] {1, 2}")}
                    : std::vector{Value("f32[2] {1, 2}"), Value("f32[2] {3, 5}")}));
  };
  constexpr char kTwo[] = "x = f32[2] parameter(0)  y = f32[2] parameter(1)";
  EXPECT_EQ(run(kTwo, "{scale = 0.5 : f32, repeat = 4 : i64}"), "f32[2] {8, 14}");
  EXPECT_EQ(run(kTwo, "\"{scale = 2}\""), "f32[2] {8, 14}");
  EXPECT_EQ(run(kTwo, "{}"),
            "INVALID_ARGUMENT: custom-call: \"add_scaled\": needs an attribute \"scale\"; "
            "operand.0 f32[2], operand.1 f32[2]");
  EXPECT_EQ(run("x = f32[2] parameter(0)", "{scale = 1}"),
            "INVALID_ARGUMENT: custom-call: \"add_scaled\": takes two operands; operand f32[2]");
  EXPECT_NE(run(kTwo, "\"scale\"").find("custom-call attributes 1:1"), std::string::npos);
}

// Programs of JAX that call functions of Python cannot run anywhere else.
TEST(CustomCall, FunctionsOfPython) {
  HostDevice device;
  for (const std::string target :
       {"axle_python_callback", "xla_ffi_partitioned_python_cpu_callback",
        "xla_ffi_partitioned_python_gpu_callback", "xla_ffi_python_cpu_callback",
        "xla_ffi_python_gpu_callback", "xla_python_cpu_callback", "xla_python_gpu_callback"}) {
    EXPECT_EQ(
        ResultText(
            RunText(Call("f32[]", "", StrCat("custom_call_target=\"", target, "\"")), &device)),
        "UNIMPLEMENTED: custom-call: \"" + target +
            "\" calls a function of Python (jax.pure_callback, io_callback, debug.callback or "
            "debug.print), which is only in the process that made the program: leave the call "
            "out, or run the program in JAX (JAX_PLATFORMS=axle)");
  }
}

TEST(CustomCall, TargetsAreFoundByNameOnly) {
  HostDevice device;
  ASSERT_TRUE(device.custom_calls().Register("known", [](void*, const void**) {}).ok());
  // A symbol of this program, and nothing that is registered.
  EXPECT_EQ(ResultText(RunText(Call("f32[]", "", "custom_call_target=\"DoCustomCall\""), &device)),
            "NOT_FOUND: custom-call: no target \"DoCustomCall\" is registered for platform Host");
  EXPECT_EQ(ResultText(RunText(Call("f32[]", "", "custom_call_target=\"knwon\""), &device)),
            "NOT_FOUND: custom-call: no target \"knwon\" is registered for platform Host (did you "
            "mean \"known\"?)");
  EXPECT_EQ(ResultText(RunText(Call("f32[]", "x = f32[] parameter(0)",
                                    "custom_call_target=\"known\", "
                                    "metadata={source_file=\"a.py\" source_line=7}"),
                               nullptr, {Value("f32[] 1")})),
            "NOT_FOUND: custom-call: no target \"known\" is registered for platform Host; operand "
            "f32[] at a.py:7");
  EXPECT_EQ(
      ResultText(RunText(Call("f32[]", "",
                              "custom_call_target=\"known\", "
                              "api_version=API_VERSION_TYPED_FFI"),
                         &device)),
      "FAILED_PRECONDITION: custom-call: \"known\": is registered for API_VERSION_ORIGINAL but "
      "the program asks for API_VERSION_TYPED_FFI");
}

TEST(CustomCall, RegisteredTargetsGoBeforeBuiltIns) {
  HostDevice device;
  const std::string text =
      Call("f32[]", "x = f32[] parameter(0)", "custom_call_target=\"Sharding\"");
  EXPECT_EQ(ResultText(RunText(text, &device, {Value("f32[] 1")})), "f32[] 1");
  ASSERT_TRUE(
      device.custom_calls()
          .Register("Sharding", [](void* out, const void**) { *static_cast<float*>(out) = 7; })
          .ok());
  EXPECT_EQ(ResultText(RunText(text, &device, {Value("f32[] 1")})), "f32[] 7");
}

TEST(CustomCall, BuiltInsCheckTheirOperands) {
  EXPECT_EQ(ResultText(RunText(Call("f32[]", "", "custom_call_target=\"Sharding\""), nullptr)),
            "INVALID_ARGUMENT: custom-call: \"Sharding\": takes 1 operand, not 0");
  EXPECT_EQ(
      ResultText(
          RunText(Call("f32[2]", "x = f32[] parameter(0)", "custom_call_target=\"MoveToHost\""),
                  nullptr, {Value("f32[] 1")})),
      "INVALID_ARGUMENT: custom-call: \"MoveToHost\": gives f32[], not f32[2]; operand f32[]");
}

TEST(CustomCall, TopkChecksItsOperandsAndResults) {
  const auto run = [](std::string_view shape, std::string_view operands, std::string_view rest,
                      std::vector<Literal> arguments) {
    return ResultText(RunText(
        StrCat("less { a = f32[] parameter(0)  b = f32[] parameter(1)  i = s32[] parameter(2)  "
               "j = s32[] parameter(3)  ROOT r = pred[] compare(a, b), direction=LT }\n",
               Call(shape, operands, rest)),
        nullptr, std::move(arguments)));
  };
  constexpr char kX[] = "x = f32[3] parameter(0)";
  constexpr char kTopk[] = "custom_call_target=\"TopK\", called_computations={less}";
  const Literal x = Value("f32[3] {3, 1, 2}");
  EXPECT_EQ(run("(f32[2], s32[2])", kX, kTopk, {x}), "(f32[2], s32[2]) ({1, 2}, {1, 2})");
  EXPECT_EQ(run("f32[2]", kX, kTopk, {x}),
            "INVALID_ARGUMENT: custom-call: \"TopK\": result must be a tuple of 2 arrays; operand "
            "f32[3]");
  EXPECT_EQ(run("(f32[4], s32[4])", kX, kTopk, {x}),
            "INVALID_ARGUMENT: custom-call: \"TopK\": result f32[4] is not the beginning of f32[3] "
            "along dimension 0; operand f32[3]");
  EXPECT_EQ(run("(f32[2], s32[2])", kX, "custom_call_target=\"TopK\"", {x}),
            "INVALID_ARGUMENT: custom-call: \"TopK\": needs 1 called computation, not 0; operand "
            "f32[3]");
  EXPECT_EQ(run("(f32[], s32[])", "x = f32[] parameter(0)", kTopk, {Value("f32[] 1")}),
            "INVALID_ARGUMENT: custom-call: \"TopK\": operand has no dimension; operand f32[]");
  EXPECT_NE(run("(f64[2], s32[2])", "x = f64[3] parameter(0)", kTopk, {Value("f64[3] {3, 1, 2}")})
                .find("called_computations 0 must be (f64[], f64[], s32[], s32[])->pred[]"),
            std::string::npos);
  EXPECT_EQ(
      run("(f32[2])", kX, "custom_call_target=\"ApproxTopK\"", {x}),
      "INVALID_ARGUMENT: custom-call: \"ApproxTopK\": takes arrays and as many initial values, "
      "not 1 operands; operand f32[3]");
}

TEST(CustomCallRegistry, NamesAreTakenOnce) {
  CustomCallRegistry registry;
  EXPECT_EQ(registry.Register("", [](void*, const void**) {}).ToString(),
            "INVALID_ARGUMENT: register: a custom-call target needs a name");
  EXPECT_EQ(registry.RegisterTyped("f", nullptr).ToString(),
            "INVALID_ARGUMENT: register: custom-call target \"f\" has no function");
  EXPECT_EQ(registry.Register("f", static_cast<void (*)(void*, void**)>(nullptr)).ToString(),
            "INVALID_ARGUMENT: register: custom-call target \"f\" has no function");
  EXPECT_TRUE(registry.RegisterTyped("f", AddScaled).ok());
  EXPECT_EQ(registry.Register("f", [](void*, const void**) {}).ToString(),
            "ALREADY_EXISTS: register: custom-call target \"f\" is registered already");
  EXPECT_TRUE(registry.Register("a", [](void*, const void**) {}).ok());
  EXPECT_EQ(registry.Names(), (std::vector<std::string>{"a", "f"}));
  EXPECT_TRUE(registry.Contains("f"));
  EXPECT_FALSE(registry.Contains("g"));
}

TEST(CustomCall, WhatFunctionsThrowIsAnError) {
  HostDevice device;
  ASSERT_TRUE(device.custom_calls()
                  .Register("throws", [](void*, const void**) { throw std::runtime_error("oops"); })
                  .ok());
  ASSERT_TRUE(device.custom_calls().Register("throws3", [](void*, const void**) { throw 3; }).ok());
  EXPECT_EQ(ResultText(RunText(Call("f32[]", "", "custom_call_target=\"throws\""), &device)),
            "INTERNAL: custom-call: \"throws\": the function threw: oops");
  EXPECT_EQ(ResultText(RunText(Call("f32[]", "", "custom_call_target=\"throws3\""), &device)),
            "INTERNAL: custom-call: \"throws3\": the function threw something");
}

// Unread calls are left out, unless they have a side effect: those run once each, in order.
TEST(CustomCall, SideEffectsHappenOnceAndInOrder) {
  HostDevice device;
  std::vector<float> seen;
  const auto note = [&](void* out, const void** in) {
    seen.push_back(*In<float>(in, 0));
    *static_cast<float*>(out) = *In<float>(in, 0);
  };
  ASSERT_TRUE(device.custom_calls().Register("note", note).ok());
  const char* text = R"(
noted { p = f32[] parameter(0)  n = f32[] negate(p)
  a = f32[] custom-call(n), custom_call_target="note", custom_call_has_side_effect=true
  ROOT r = f32[] constant(0) }
ENTRY e { one = f32[] constant(1)  two = f32[] constant(2)  three = f32[] add(one, two)
  a = f32[] custom-call(three), custom_call_target="note", custom_call_has_side_effect=true
  unread = f32[] custom-call(two), custom_call_target="note"
  b = f32[] custom-call(one), custom_call_target="note", custom_call_has_side_effect=true
  same = f32[] custom-call(one), custom_call_target="note", custom_call_has_side_effect=true
  c = f32[] call(two), to_apply=noted
  read = f32[] custom-call(two), custom_call_target="note"
  ROOT r = f32[] multiply(read, read) }
)";
  EXPECT_EQ(ResultText(RunText(text, &device)), "f32[] 4");
  EXPECT_EQ(seen, (std::vector<float>{3, 1, 1, -2, 2}));
}

TEST(CustomCall, MemoryIsLimited) {
  HostDevice device;
  ASSERT_TRUE(device.custom_calls().Register("big", [](void*, const void**) {}).ok());
  Limits limits;
  limits.set_memory_cap(1000);
  const auto result =
      RunText(Call("(f32[1000], f32[])", "", "custom_call_target=\"big\""), &device, {}, &limits);
  EXPECT_EQ(result.status().code(), StatusCode::kResourceExhausted);
}

TEST(CustomCall, ManyThreads) {
  constexpr int kThreads = 6, kCalls = 100;
  HostDevice device;
  std::atomic<int> calls = 0, failed = 0;
  const auto module = Parse(Call("s32[]", "x = s32[] parameter(0)", "custom_call_target=\"f0\""));
  ASSERT_TRUE(module.ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      // All of them register f0, one of them succeeds; the others are their own.
      for (const std::string& name : {std::string("f0"), StrCat("g", t)}) {
        (void)device.custom_calls().Register(name, [&](void* out, const void** in) {
          ++calls;
          *static_cast<std::int32_t*>(out) = *In<std::int32_t>(in, 0) + 1;
        });
      }
      for (int i = 0; i < kCalls; ++i) {
        const Literal argument = Literal::Scalar(S32, static_cast<std::int32_t>(i));
        const auto result = Evaluate(**module, {&argument, 1}, {.device = &device});
        if (!result.ok() || result->data<std::int32_t>()[0] != i + 1) ++failed;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(calls, kThreads * kCalls);
  EXPECT_EQ(device.CustomCallTargets().size(), kThreads + 1u);
}

}  // namespace
}  // namespace axle
