// FFI: the frames that handlers get, their errors, their registration. States and contexts are in
// ffi_context_test.cc.
#include <cstring>

#include "axle/client/load.h"
#include "axle/client/save.h"
#include "tests/pjrt/ffi_calls.h"

namespace axle::plugin {
namespace {

// --- Frames and attributes

template <typename T>
std::string Numbers(const void* data, size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    T value;
    std::memcpy(&value, static_cast<const char*>(data) + i * sizeof(T), sizeof(T));
    text += (i == 0 ? "" : " ") + std::to_string(value);
  }
  return text;
}

// By XLA's numbers of element types.
std::string Numbers(int type, const void* data, size_t size) {
  const std::string name = "t" + std::to_string(type) + " ";
  switch (type) {
    case 1:
    case 6:
      return name + Numbers<std::uint8_t>(data, size);
    case 2:
      return name + Numbers<std::int8_t>(data, size);
    case 4:
      return name + Numbers<std::int32_t>(data, size);
    case 5:
      return name + Numbers<std::int64_t>(data, size);
    case 11:
      return name + Numbers<float>(data, size);
    case 12:
      return name + Numbers<double>(data, size);
    default:
      return name + "?";
  }
}

// "name=text; ...", in the order of the frame.
std::string Describe(const XLA_FFI_Attrs& attrs) {
  std::string text;
  for (i64 i = 0; i < attrs.size; ++i) {
    text += std::string(attrs.names[i]->ptr, attrs.names[i]->len) + "=";
    void* value = attrs.attrs[i];
    if (attrs.types[i] == XLA_FFI_AttrType_SCALAR) {
      const auto& scalar = *static_cast<XLA_FFI_Scalar*>(value);
      text += Numbers(scalar.dtype, scalar.value, 1);
    } else if (attrs.types[i] == XLA_FFI_AttrType_ARRAY) {
      const auto& array = *static_cast<XLA_FFI_Array*>(value);
      text += "[" + Numbers(array.dtype, array.data, array.size) + "]";
    } else if (attrs.types[i] == XLA_FFI_AttrType_STRING) {
      const auto& span = *static_cast<XLA_FFI_ByteSpan*>(value);
      text += "'" + std::string(span.ptr, span.len) + "'";
    } else {
      text += "{" + Describe(*static_cast<XLA_FFI_Attrs*>(value)) + "}";
    }
    text += "; ";
  }
  return text;
}

std::string described;
XLA_FFI_Error* DescribeFrame(XLA_FFI_CallFrame* frame) {
  if (IsVersionCall(frame)) return nullptr;
  EXPECT_EQ(frame->struct_size, offsetof(XLA_FFI_CallFrame, future));
  EXPECT_EQ(frame->extension_start, nullptr);
  EXPECT_EQ(frame->stage, XLA_FFI_ExecutionStage_EXECUTE);
  EXPECT_EQ(frame->api->struct_size, sizeof(XLA_FFI_Api));
  EXPECT_EQ(frame->api->api_version.minor_version, 3);
  EXPECT_EQ(frame->args.size, 1);
  EXPECT_EQ(frame->rets.size, 1);
  EXPECT_EQ(frame->args.types[0], XLA_FFI_ArgType_BUFFER);
  for (const void* pointer : {frame->args.args[0], frame->rets.rets[0]}) {
    const auto& buffer = *static_cast<const XLA_FFI_Buffer*>(pointer);
    EXPECT_EQ(buffer.struct_size, sizeof(XLA_FFI_Buffer));
    EXPECT_EQ(buffer.dtype, 11);
    EXPECT_EQ(buffer.rank, 1);
    EXPECT_EQ(buffer.dims[0], 3);
  }
  described = Describe(frame->attrs);
  AddNumber(frame, 10);
  return nullptr;
}

TEST(PjrtFfi, FramesHaveBuffersAndAttributes) {
  ASSERT_EQ(Register("test.describe", DescribeFrame), "OK");
  EXPECT_EQ(CallTarget("test.describe").result, std::vector<float>({11, 12, 13}));
  EXPECT_EQ(described, "");
  const auto describe = [](std::string_view attributes) {
    described = "not called";
    EXPECT_EQ(CallTarget("test.describe", attributes).error, "OK");
    return described;
  };
  // Scalars of their written types, sorted by name.
  EXPECT_EQ(describe("b = 7 : i32, a = -1 : i64, c = 250 : ui8, d = true, e = false, f = -3 : i8"),
            "a=t5 -1; b=t4 7; c=t6 250; d=t1 1; e=t1 0; f=t2 -3; ");
  EXPECT_EQ(describe("f = 1.5 : f32, g = 2.5 : f64"), "f=t11 1.500000; g=t12 2.500000; ");
  EXPECT_EQ(describe("text = \"a \\\"b\\\"\\n\\\\22c\", empty = \"\""),
            "empty=''; text='a \"b\"\n\\22c'; ");
  EXPECT_EQ(describe("x = array<i32: 1, -2>, y = array<f64: 0.5>, z = array<i64>"),
            "x=[t4 1 -2]; y=[t12 0.500000]; z=[t5 ]; ");
  EXPECT_EQ(describe("d = {inner = {k = 1 : i32}, name = \"n\"}, z = {}"),
            "d={inner={k=t4 1; }; name='n'; }; z={}; ");
}

// HLO has the attributes as a text, in any order.
TEST(PjrtFfi, AttributesAreSorted) {
  ASSERT_EQ(Register("test.describe", DescribeFrame), "OK");
  const auto client = MakeClient();
  const std::string program = ModuleToProto(**LoadModule(R"(HloModule m
ENTRY e {
  a = f32[3] parameter(0)
  ROOT r = f32[3] custom-call(a), custom_call_target="test.describe",
    api_version=API_VERSION_TYPED_FFI, backend_config="{c = 1 : i32, a = 2 : i32, b = {y = true, x = 7}}"
})"));
  EXPECT_EQ(CallTarget(client, Compile(client, program, Options().Bytes(), "hlo"), {}).error, "OK");
  EXPECT_EQ(described, "a=t4 2; b={x=t5 7; y=t1 1; }; c=t4 1; ");
}

TEST(PjrtFfi, AttributesThatCannotBePassed) {
  ASSERT_EQ(Register("test.describe", DescribeFrame), "OK");
  EXPECT_EQ(CallTarget("test.describe", "t = i32").error,
            "UNIMPLEMENTED: custom-call: \"test.describe\": ffi: attribute \"t\" is i32: "
            "numbers, texts, lists of numbers and dictionaries can be passed; operand f32[3]");
  EXPECT_EQ(CallTarget("test.describe", "u").error,
            "UNIMPLEMENTED: custom-call: \"test.describe\": ffi: attribute \"u\" is not a "
            "number; operand f32[3]");
  EXPECT_EQ(CallTarget("test.describe", "x = 1 : i5").error,
            "UNIMPLEMENTED: custom-call: \"test.describe\": ffi: attribute \"x\" is of "
            "type i5; operand f32[3]");
  EXPECT_EQ(CallTarget("test.describe", "l = [\"a\", \"b\"]").error,
            "UNIMPLEMENTED: custom-call: \"test.describe\": ffi: attribute \"l\" is not a "
            "number; operand f32[3]");
}

// --- Errors

XLA_FFI_Error* Fail(XLA_FFI_CallFrame* frame) {
  if (IsVersionCall(frame)) return nullptr;
  return MakeFfi(frame, 9, "the matrix is singular");
}
XLA_FFI_Error* FailWithoutCode(XLA_FFI_CallFrame* frame) {
  if (IsVersionCall(frame)) return nullptr;
  return MakeFfi(frame, 0, nullptr);
}

TEST(PjrtFfi, HandlersThatFail) {
  ASSERT_EQ(Register("test.fail", Fail), "OK");
  ASSERT_EQ(Register("test.fail_without_code", FailWithoutCode), "OK");
  EXPECT_EQ(
      CallTarget("test.fail").error,
      "FAILED_PRECONDITION: custom-call: \"test.fail\": the matrix is singular; operand f32[3]");
  EXPECT_EQ(CallTarget("test.fail_without_code").error,
            "UNKNOWN: custom-call: \"test.fail_without_code\": ; operand f32[3]");
}

XLA_FFI_Error* OfTheFuture(XLA_FFI_CallFrame* frame) {
  IsVersionCall(frame, 9);
  return nullptr;
}
XLA_FFI_Error* OfTheFirstVersion(XLA_FFI_CallFrame* frame) {
  if (IsVersionCall(frame, 1)) return nullptr;
  AddNumber(frame, 1);
  return nullptr;
}
XLA_FFI_Error* FailsAtOnce(XLA_FFI_CallFrame* frame) {
  return MakeFfi(frame, 3, "not today");
}

TEST(PjrtFfi, Registration) {
  EXPECT_EQ(Register("test.future", OfTheFuture),
            "INVALID_ARGUMENT: register: FFI handler \"test.future\" is for version 0.9 of XLA's "
            "FFI, the newest that is known here is 0.3");
  EXPECT_EQ(Register("test.fails_at_once", FailsAtOnce),
            "INVALID_ARGUMENT: register: FFI handler \"test.fails_at_once\": not today");
  EXPECT_EQ(Register("test.first", OfTheFirstVersion), "OK");
  EXPECT_EQ(Register("test.first", OfTheFirstVersion), "OK");  // it is the same one
  EXPECT_EQ(CallTarget("test.first").result, std::vector<float>({2, 3, 4}));
  EXPECT_EQ(Register("test.first", Fail),
            "ALREADY_EXISTS: register: there is another FFI handler \"test.first\"");
  EXPECT_EQ(Register("", Fail), "INVALID_ARGUMENT: register: an FFI handler needs a name");
  EXPECT_EQ(Register("test.null", nullptr),
            "INVALID_ARGUMENT: register: FFI handler \"test.null\" has no function");
  EXPECT_EQ(Register("test.api_2", Fail, 2),
            "UNIMPLEMENTED: pjrt: FFI handlers of api_version 2: use 1, typed handlers");
  EXPECT_EQ(Take(Ffi().register_handler(nullptr)),
            "INVALID_ARGUMENT: PJRT_FFI_Register_Handler: null arguments");
  EXPECT_EQ(RegisterBundle("test.no_execute", {.instantiate = Fail}),
            "register: FFI handler \"test.no_execute\" has no function");
  const auto client = MakeClient();
  EXPECT_EQ(
      CompileError(client, Program("test.nobody")),
      "NOT_FOUND: custom-call: no FFI handler \"test.nobody\" is registered for platform axle; "
      "in JAX: jax.ffi.register_ffi_target(\"test.nobody\", handler, platform=\"axle\"); "
      "operand f32[3]");
  EXPECT_EQ(CompileError(client, Program("test.frist")),
            "NOT_FOUND: custom-call: no FFI handler \"test.frist\" is registered for platform axle "
            "(did you mean \"test.first\"?); in JAX: jax.ffi.register_ffi_target(\"test.frist\", "
            "handler, platform=\"axle\"); operand f32[3]");
}

// What a function of Python raises is the error of the run, with nothing around it.
TEST(PjrtFfi, CallsOfPython) {
  const auto client = MakeClient();
  EXPECT_EQ(CompileError(client, Program("axle_python_callback")),
            "UNIMPLEMENTED: custom-call: \"axle_python_callback\" calls a function of Python "
            "(jax.pure_callback, io_callback, debug.callback or debug.print), which is only in the "
            "process that made the program: leave the call out, or run the program in JAX "
            "(JAX_PLATFORMS=axle); operand f32[3]");
  ASSERT_EQ(Register("axle_python_callback", Fail), "OK");
  EXPECT_EQ(CallTarget("axle_python_callback").error,
            "FAILED_PRECONDITION: the matrix is singular");
}

// The older kind of function: void (void* out, const void** in).
void Untyped(void* out, const void** in) {
  for (int i = 0; i < 3; ++i) {
    static_cast<float*>(out)[i] = 2 * static_cast<const float*>(in[0])[i];
  }
}

TEST(PjrtFfi, UntypedFunctions) {
  ASSERT_EQ(RegisterPointer("test.untyped", reinterpret_cast<void*>(Untyped), 0), "OK");
  const auto client = MakeClient();
  const auto executable = Compile(client, R"(
    module @calls { func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
      %0 = stablehlo.custom_call @test.untyped(%a) : (tensor<3xf32>) -> tensor<3xf32>
      return %0 : tensor<3xf32> } })");
  EXPECT_EQ(CallTarget(client, executable, {}).result, std::vector<float>({2, 4, 6}));
}

}  // namespace
}  // namespace axle::plugin
