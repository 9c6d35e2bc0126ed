// Infeed, outfeed and custom calls against a model: random steps of the host and of programs, on a
// device and on two plain lists. After every step the result or the error, what the queues hold and
// how often each function was called have to agree. A step that has to wait is cancelled.
#include <atomic>
#include <deque>
#include <random>
#include <stdexcept>
#include <thread>

#include "axle/runtime/custom_call_registry.h"
#include "axle/runtime/host_device.h"
#include "tests/runtime/run_text.h"

namespace axle {
namespace {

constexpr i64 kQueueBytes = 32, kQueueBuffers = 5;
constexpr std::string_view kCancelled = "CANCELLED: cancelled";

// What may be fed in or out; the last two only by a host that does not know better.
constexpr std::string_view kValues[] = {"s32[] 7",
                                        "s32[] -8",
                                        "s32[2] {1, 2}",
                                        "f32[2] {3, 4}",
                                        "pred[0] {}",
                                        "(s32[], f32[2]) (5, {6, 7})",
                                        "f32[<=3](2) {8, 9}",
                                        "() ()",
                                        "f32[9] {1, 2, 3, 4, 5, 6, 7, 8, 9}",
                                        "((s32[])) ((1))",
                                        "token[] token"};
constexpr size_t kNumWellFormed = std::size(kValues) - 2;
constexpr std::string_view kShapes[] = {"s32[]",           "s32[2]", "f32[2]",   "pred[0]",
                                        "(s32[], f32[2])", "f32[3]", "f32[<=3]", "()"};

// How a program calls a function of the host, and what that gives for x; "" if x + 1.
struct Handler {
  std::string_view call;  // attributes
  std::string_view error;
  bool is_called = true;
};
constexpr Handler kHandlers[] = {
    {"custom_call_target=\"plus_one\"", ""},
    {"custom_call_target=\"checked\", api_version=API_VERSION_STATUS_RETURNING",
     "INTERNAL: custom-call: \"checked\": refused; operand s32[]"},
    {"custom_call_target=\"throws\"",
     "INTERNAL: custom-call: \"throws\": the function threw: oops; operand s32[]"},
    {"custom_call_target=\"typed\", api_version=API_VERSION_TYPED_FFI, backend_config={by = 1 : "
     "i64}",
     ""},
    {"custom_call_target=\"typed\", api_version=API_VERSION_TYPED_FFI",
     "INVALID_ARGUMENT: custom-call: \"typed\": needs an attribute \"by\"; operand s32[]"},
    {"custom_call_target=\"typed\"",
     "FAILED_PRECONDITION: custom-call: \"typed\": is registered for API_VERSION_TYPED_FFI but the "
     "program asks for API_VERSION_ORIGINAL; operand s32[]",
     false},
    {"custom_call_target=\"nobody\"",
     "NOT_FOUND: custom-call: no target \"nobody\" is registered for platform Host; operand s32[]",
     false},
};

class Machine {
 public:
  explicit Machine(unsigned seed)
      : random_(seed), device_({.queue_capacity = kQueueBytes, .max_buffers = kQueueBuffers}) {
    CustomCallRegistry& registry = device_.custom_calls();
    const auto plus_one = [this](void* out, const void** in) {
      ++calls_;
      *static_cast<std::int32_t*>(out) = *static_cast<const std::int32_t*>(in[0]) + 1;
    };
    EXPECT_TRUE(registry.Register("plus_one", plus_one).ok());
    EXPECT_TRUE(registry
                    .RegisterStatusReturning("checked",
                                             [this](void*, const void**, XlaCustomCallStatus* s) {
                                               ++calls_;
                                               XlaCustomCallStatusSetFailure(s, "refused", 7);
                                             })
                    .ok());
    EXPECT_TRUE(registry
                    .Register("throws",
                              [this](void*, const void**) {
                                ++calls_;
                                throw std::runtime_error("oops");
                              })
                    .ok());
    EXPECT_TRUE(registry
                    .RegisterTyped("typed",
                                   [this](const CustomCallFrame& frame) -> Status {
                                     ++calls_;
                                     AXLE_ASSIGN(const i64 by, frame.attributes.Integer("by"));
                                     frame.results[0].elements<std::int32_t>()[0] =
                                         frame.operands[0].elements<std::int32_t>()[0] +
                                         static_cast<std::int32_t>(by);
                                     return {};
                                   })
                    .ok());
  }

  // One step of the host or of a program. `text` is what was done.
  void Step() {
    switch (random_() % 8) {
      case 0:
      case 1:
        return HostFeeds(Pick(kValues));
      case 2:
        return ProgramTakes(Pick(kShapes));
      case 3:
        return ProgramPuts(kValues[random_() % kNumWellFormed]);
      case 4:
        return HostTakes(Pick(kShapes));
      case 5:
      case 6:
        return ProgramRelays(kHandlers[random_() % std::size(kHandlers)]);
      default:
        if (random_() % 4 == 0) HostClears();
    }
  }

  const std::string& text() const { return text_; }
  void CheckState() {
    EXPECT_EQ(device_.infeed().num_buffers(), static_cast<i64>(infeed_.size()));
    EXPECT_EQ(device_.outfeed().num_buffers(), static_cast<i64>(outfeed_.size()));
    EXPECT_EQ(calls_, expected_calls_);
  }

 private:
  using Queue = std::deque<Literal>;
  // What the model says of a step: it waits, or it ends like this.
  struct Prediction {
    bool waits = false;
    std::string result;
  };

  template <size_t kCount>
  std::string_view Pick(const std::string_view (&list)[kCount]) {
    return list[random_() % kCount];
  }

  static std::vector<Literal> Leaves(const Literal& value) {
    return value.shape().is_tuple() ? value.elements() : std::vector<Literal>{value};
  }

  static bool Fits(const Literal& buffer, const Shape& shape) {
    return buffer.shape().type() == shape.type() && buffer.shape().dims() == shape.dims() &&
           (buffer.sizes() == shape.dims() || !shape.is_static());
  }

  // Empty if `value` has entered the queue.
  static Prediction Push(std::string_view name, const Literal& value, Queue& queue) {
    const std::vector<Literal> leaves = Leaves(value);
    i64 bytes = 0, queued = 0;
    for (const Literal& leaf : leaves) {
      if (leaf.shape().is_array()) {
        bytes += leaf.num_bytes();
        continue;
      }
      return {.result = StrCat("INVALID_ARGUMENT: ", name, ": takes arrays and tuples of arrays, ",
                               "not ", value.shape().ToString())};
    }
    if (bytes > kQueueBytes) {
      return {.result = StrCat("RESOURCE_EXHAUSTED: ", name, ": ", value.shape().ToString(),
                               " has ", bytes, " bytes, but the queue holds ", kQueueBytes)};
    }
    for (const Literal& buffer : queue) queued += buffer.num_bytes();
    if (queued + bytes > kQueueBytes || queue.size() + leaves.size() > kQueueBuffers) {
      return {.waits = true, .result = ""};
    }
    queue.insert(queue.end(), leaves.begin(), leaves.end());
    return {};
  }

  // The result is what was taken, as text.
  static Prediction Pop(std::string_view name, const Shape& shape, Queue& queue,
                        Literal* taken = nullptr) {
    const std::vector<Shape> shapes = shape.is_tuple() ? shape.elements() : std::vector{shape};
    for (size_t i = 0; i < std::min(shapes.size(), queue.size()); ++i) {
      if (Fits(queue[i], shapes[i])) continue;
      return {.result =
                  StrCat("INVALID_ARGUMENT: ", name, ": buffer ", i, " of the queue is ",
                         queue[i].ShapeToString(), " but ", shapes[i].ToString(), " is asked for")};
    }
    if (queue.size() < shapes.size()) return {.waits = true, .result = ""};
    std::vector<Literal> leaves(queue.begin(), queue.begin() + static_cast<i64>(shapes.size()));
    queue.erase(queue.begin(), queue.begin() + static_cast<i64>(shapes.size()));
    Literal value = shape.is_tuple() ? Literal::Tuple(std::move(leaves)) : std::move(leaves[0]);
    if (taken != nullptr) *taken = value;
    return {.result = ResultText(value)};
  }

  // Runs `action(limits)`, which gives a text, and cancels it where the model says that it waits:
  // once the functions of the host that it calls before have been called.
  template <typename Action>
  void Do(std::string text, const Prediction& prediction, const Action& action) {
    text_ = std::move(text);
    Limits limits;
    std::string result;
    if (!prediction.waits) {
      EXPECT_EQ(WithoutPlace(action(&limits)), prediction.result) << text_;
      return;
    }
    std::thread thread([&] { result = action(&limits); });
    while (calls_ < expected_calls_) std::this_thread::yield();
    limits.Cancel();
    thread.join();
    EXPECT_EQ(WithoutPlace(result), kCancelled) << text_;
  }

  static std::string TextOf(const Status& status) {
    return status.ok() ? "" : WithoutPlace(std::string(status.ToString()));
  }

  void HostFeeds(std::string_view text) {
    const Literal value = Value(text);
    Do(StrCat("the host feeds ", text), Push("infeed", value, infeed_),
       [&](Limits* limits) { return TextOf(device_.TransferToInfeed(value, limits)); });
  }

  void HostTakes(std::string_view text) {
    const Shape shape = *ParseShape(text);
    Do(StrCat("the host takes ", text), Pop("outfeed", shape, outfeed_),
       [&](Limits* limits) { return ResultText(device_.TransferFromOutfeed(shape, limits)); });
  }

  void HostClears() {
    text_ = "the host clears both queues";
    device_.infeed().Clear();
    device_.outfeed().Clear();
    infeed_.clear();
    outfeed_.clear();
  }

  void ProgramTakes(std::string_view shape) {
    const std::string program =
        StrCat("ENTRY e { t = token[] after-all()  i = (", shape,
               ", token[]) infeed(t)  ROOT r = ", shape, " get-tuple-element(i), index=0 }");
    Do(StrCat("a program takes ", shape), Pop("infeed", *ParseShape(shape), infeed_),
       [&](Limits* limits) { return ResultText(RunText(program, &device_, {}, limits)); });
  }

  void ProgramPuts(std::string_view text) {
    const Literal value = Value(text);
    const std::string program =
        StrCat("ENTRY e { p = ", value.shape().ToString(),
               " parameter(0)  t = token[] after-all()  ROOT o = token[] outfeed(p, t) }");
    Do(StrCat("a program puts ", text), Push("outfeed", value, outfeed_), [&](Limits* limits) {
      return TextOf(RunText(program, &device_, {value}, limits).status());
    });
  }

  // infeed, a function of the host, outfeed: what was taken is gone even if the rest fails.
  void ProgramRelays(const Handler& handler) {
    const std::string program = StrCat(
        "ENTRY e { t = token[] after-all()  i = (s32[], token[]) infeed(t)  x = s32[] "
        "get-tuple-element(i), index=0  u = token[] get-tuple-element(i), index=1  y = "
        "s32[] custom-call(x), ",
        handler.call, "  o = token[] outfeed(y, u)  ROOT r = s32[] copy(y) }");
    Literal x;
    Prediction prediction = Pop("infeed", Shape(S32), infeed_, &x);
    if (x.shape().is_array()) {
      if (handler.is_called) ++expected_calls_;
      prediction.result = handler.error;
      if (handler.error.empty()) {
        const Literal y = Literal::Scalar(S32, x.data<std::int32_t>()[0] + 1);
        prediction = Push("outfeed", y, outfeed_);
        prediction.result = ResultText(y);
      }
    }
    Do(StrCat("a program relays by ", handler.call), prediction,
       [&](Limits* limits) { return ResultText(RunText(program, &device_, {}, limits)); });
  }

  std::mt19937 random_;
  HostDevice device_;
  Queue infeed_, outfeed_;
  std::atomic<int> calls_ = 0;
  int expected_calls_ = 0;
  std::string text_;
};

class DeviceModelTest : public testing::TestWithParam<unsigned> {};

TEST_P(DeviceModelTest, RandomStepsAgree) {
  Machine machine(GetParam());
  for (int i = 0; i < 250; ++i) {
    machine.Step();
    machine.CheckState();
    ASSERT_FALSE(HasFailure()) << "seed " << GetParam() << ", step " << i << ": " << machine.text();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DeviceModelTest, testing::Range(1u, 9u));

}  // namespace
}  // namespace axle
