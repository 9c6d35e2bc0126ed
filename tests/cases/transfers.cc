#include "tests/op_cases.h"

namespace axle {

extern const CaseTable kInfeedCases, kOutfeedCases, kRecvCases, kRecvDoneCases, kSendCases,
    kSendDoneCases;

// What these do is shown by tests/runtime/host_device_test.cc.
// clang-format off
static const OpCase kInfeedRows[] = {
    {"the empty tuple takes nothing", {"token[] token"}, "", "((), token[]) ((), token)"},
    {"an array", {"token[]"}, "infeed_config=\"cfg\"", Infers("(f32[2,3], token[])")},
    {"an array in its layout", {"token[]"}, "", Infers("(f32[2,3]{0,1}, token[])")},
    {"a tuple", {"token[]"}, "infeed_config=\"\\000\\\"\"", Infers("((f32[3], pred[]), token[])")},
    {"dynamic", {"token[]"}, "", Infers("(f32[<=3], token[])")},
    {"needs a shape", {"token[]"}, "", Error("\"infeed\" needs a shape before it")},
    {"needs a token", {"f32[]"}, "", Error("infeed: token must be a token; token f32[]", "(f32[], token[])")},
    {"result is a pair", {"token[]"}, "", Error("infeed: result is f32[3], must be (data, token[]); token token[]", "f32[3]")},
    {"the token is second", {"token[]"}, "", Error("infeed: result is (token[], f32[]), must be (data, token[]); token token[]", "(token[], f32[])")},
    {"nested tuples", {"token[]"}, "", Error("infeed: data is (f32[], (s32[])), must be an array or a tuple of arrays; token token[]", "((f32[], (s32[])), token[])")},
    {"tokens in the data", {"token[]"}, "", Error("infeed: data is (token[]), must be an array or a tuple of arrays; token token[]", "((token[]), token[])")},
};
const CaseTable kInfeedCases = {"infeed", kInfeedRows, "", /*without_values=*/true};

static const OpCase kOutfeedRows[] = {
    {"the empty tuple adds nothing", {"() ()", "token[] token"}, "", "token[] token"},
    {"an array", {"f32[2]", "token[]"}, "", Infers("token[]")},
    {"a tuple in its layouts", {"(f32[2,3], pred[])", "token[]"}, "outfeed_shape=(f32[2,3]{0,1}, pred[]), outfeed_config=\"x\"", Infers("token[]")},
    {"needs a token", {"f32[]", "f32[]"}, "", Error("outfeed: token must be a token; operand f32[], token f32[]")},
    {"nested tuples", {"((f32[]))", "token[]"}, "", Error("outfeed: operand must be an array or a tuple of arrays; operand ((f32[])), token token[]")},
    {"shapes agree", {"f32[2]", "token[]"}, "outfeed_shape=f32[3]{0}", Error("outfeed: outfeed_shape is f32[3], not that of operand; operand f32[2], token token[]")},
};
const CaseTable kOutfeedCases = {"outfeed", kOutfeedRows, "", /*without_values=*/true};

static const OpCase kSendRows[] = {
    {"an array", {"f32[2]", "token[]"}, "", Infers("token[]"),
     {.body = "s = (f32[2], u32[], token[]) send(p0, p1), channel_id=7 ROOT r = token[] send-done(s), channel_id=7"}},
    {"to the host", {"f32[2]", "token[]"}, "", Infers("token[]"),
     {.body = "s = (f32[2], u32[], token[]) send(p0, p1), channel_id=7, is_host_transfer=true ROOT r = token[] send-done(s), channel_id=7, is_host_transfer=true"}},
    {"a tuple", {"(f32[2], s32[])", "token[]"}, "", Infers("token[]"),
     {.body = "s = ((f32[2], s32[]), u32[], token[]) send(p0, p1) ROOT r = token[] send-done(s)"}},
    {"a stated shape is not looked at", {"f32[2]", "token[]"}, "", Infers("token[]"),
     {.body = "s = (f32[3], token[]) send(p0, p1) ROOT r = (f32[3], token[]) send-done(s)"}},
    {"the token first is read", {"token[]", "f32[2]"}, "", Infers("token[]"),
     {.body = "s = (f32[2], u32[], token[]) send(p0, p1) ROOT r = token[] send-done(s)"}},
    {"through tuples", {"f32[2]", "token[]"}, "", Infers("token[]"),
     {.body = "s = (f32[2], u32[], token[]) send(p0, p1) t = ((f32[2], u32[], token[]), f32[2]) tuple(s, p0) "
              "g = (f32[2], u32[], token[]) get-tuple-element(t), index=0 c = (f32[2], u32[], token[]) copy(g) "
              "ROOT r = token[] send-done(c)"}},
    {"out of an asynchronous computation", {"f32[2]", "token[]"}, "", Infers("token[]"),
     {.body = "s = ((f32[2], token[]), (f32[2], u32[], token[])) async-start(p0, p1), calls=sends "
              "d = (f32[2], u32[], token[]) async-done(s) ROOT r = token[] send-done(d)"}},
    {"next to a control dependency", {"f32[2]", "token[]"}, "", Infers("token[]"),
     {.body = "s = (f32[2], u32[], token[]) send(p0, p1) c = () custom-call(s), custom_call_target=\"control_dep\" "
              "ROOT r = token[] send-done(s)"}},
    {"arrays for the host", {"(f32[2])", "token[]"}, "channel_id=1, is_host_transfer=true", Error("send: a host transfer is of an array, not (f32[2]); operand (f32[2]), token token[]")},
    {"negative channel", {"f32[2]", "token[]"}, "channel_id=-1", Error("send: channel_id is -1, must be >= 0; operand f32[2], token token[]")},
    {"V it is the result", {"f32[2]", "token[]"}, "", Error("send: \"r\" must be read by send-done, not be the result; operand f32[2], token token[]")},
    {"V nothing ends it", {"f32[2]", "token[]"}, "", Error("send: \"s\" must be read by one send-done, not by 0 instructions; operand f32[2], token token[]"),
     {.body = "s = (f32[2], u32[], token[]) send(p0, p1) ROOT r = f32[2] negate(p0)"}},
    {"V it is ended twice", {"f32[2]", "token[]"}, "", Error("send: \"s\" must be read by one send-done, not by 2 instructions; operand f32[2], token token[]"),
     {.body = "s = (f32[2], u32[], token[]) send(p0, p1) a = token[] send-done(s) ROOT r = token[] send-done(s)"}},
};
const CaseTable kSendCases = {"send", kSendRows,
                              "sends { x = f32[2] parameter(0)  t = token[] parameter(1) "
                              "ROOT s = (f32[2], u32[], token[]) send(x, t) }\n", /*without_values=*/true};

static const OpCase kSendDoneRows[] = {
    {"a send", {}, "", Infers("token[]"), {.parens = "send(f32[2] constant({1, 2}), after-all())"}},
    {"not a send", {}, "", Error("send-done: operand is a infeed, must be a send; operand (f32[], token[])"),
     {.parens = "(f32[], token[]) infeed(after-all())"}},
    {"no state", {"(f32[], token[])"}, "", Error("send-done: operand is a parameter, must be a send; operand (f32[], token[])")},
    {"another channel", {}, "channel_id=2", Error("send-done: channel_id is 2 but that of the send is none; operand (f32[], u32[], token[])"),
     {.parens = "send(f32[] constant(1), after-all())"}},
    {"another side", {}, "is_host_transfer=true", Error("send-done: is_host_transfer is true but that of the send is false; operand (f32[], u32[], token[])"),
     {.parens = "send(f32[] constant(1), after-all())"}},
};
const CaseTable kSendDoneCases = {"send-done", kSendDoneRows, "", /*without_values=*/true};

static const OpCase kRecvRows[] = {
    {"an array", {"token[]"}, "", Infers("(f32[2], token[])"),
     {.body = "s = (f32[2], u32[], token[]) recv(p0), channel_id=7 ROOT r = (f32[2], token[]) recv-done(s), channel_id=7"}},
    {"from the host", {"token[]"}, "", Infers("(f32[2], token[])"),
     {.body = "s = (f32[2]{0}, u32[], token[]) recv(p0), channel_id=7, is_host_transfer=true ROOT r = (f32[2]{0}, token[]) recv-done(s), channel_id=7, is_host_transfer=true"}},
    {"dynamic", {"token[]"}, "", Infers("(f32[<=2], token[])"),
     {.body = "s = (f32[<=2], u32[], token[]) recv(p0) ROOT r = (f32[<=2], token[]) recv-done(s)"}},
    {"needs a shape", {"token[]"}, "", Error("\"recv\" needs a shape before it")},
    {"needs a token", {"f32[]"}, "", Error("recv: token must be a token; token f32[]", "(f32[], u32[], token[])")},
    {"of a stated shape only the data are looked at", {"token[]"}, "", Infers("(f32[2], token[])"),
     {.body = "s = (f32[2], s32[3]) recv(p0) ROOT r = f32[3] recv-done(s)"}},
    {"through a loop", {"token[]"}, "", Infers("(f32[2], token[])"),
     {.body = "s = (f32[2], u32[], token[]) recv(p0) w = (f32[2], u32[], token[]) while(s), condition=never, body=next "
              "ROOT r = (f32[2], token[]) recv-done(w)"}},
    {"the result has data", {"token[]"}, "", Error("recv: result is f32[], must be (data, u32[], token[]); token token[]", "f32[]")},
    {"negative channel", {"token[]"}, "channel_id=-1", Error("recv: channel_id is -1, must be >= 0; token token[]", "(f32[], u32[], token[])")},
    {"V it is the result", {"token[]"}, "", Error("recv: \"r\" must be read by recv-done, not be the result; token token[]", "(f32[], u32[], token[])")},
    {"V something else reads it", {"token[]"}, "", Error("recv: \"s\" must be read by recv-done, not after-all; token token[]"),
     {.body = "s = (f32[], u32[], token[]) recv(p0) ROOT r = token[] after-all(s)"}},
    {"arrays from the host", {"token[]"}, "is_host_transfer=true", Error("recv: a host transfer is of an array, not (f32[]); token token[]", "((f32[]), u32[], token[])")},
};
const CaseTable kRecvCases = {"recv", kRecvRows,
                              "next { s = (f32[2], u32[], token[]) parameter(0)  d = (f32[2], token[]) recv-done(s) "
                              "t = token[] get-tuple-element(d), index=1  ROOT n = (f32[2], u32[], token[]) recv(t) }\n"
                              "never { s = (f32[2], u32[], token[]) parameter(0)  ROOT f = pred[] constant(false) }\n", /*without_values=*/true};

static const OpCase kRecvDoneRows[] = {
    {"a recv", {}, "", Infers("(f32[2], token[])"), {.parens = "(f32[2], u32[], token[]) recv(after-all())"}},
    {"not a recv", {}, "", Error("recv-done: operand is a send, must be a recv; operand (f32[], u32[], token[])"),
     {.parens = "send(f32[] constant(1), after-all())"}},
    {"another channel", {}, "channel_id=2", Error("recv-done: channel_id is 2 but that of the recv is none; operand (f32[], u32[], token[])"),
     {.parens = "(f32[], u32[], token[]) recv(after-all())"}},
    {"another side", {}, "is_host_transfer=true", Error("recv-done: is_host_transfer is true but that of the recv is false; operand (f32[], u32[], token[])"),
     {.parens = "(f32[], u32[], token[]) recv(after-all())"}},
};
const CaseTable kRecvDoneCases = {"recv-done", kRecvDoneRows, "", /*without_values=*/true};
// clang-format on

}  // namespace axle
