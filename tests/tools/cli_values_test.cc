// Values on the command line: how results are shown, what --arg reads, and what programs exchange
// with files while they run.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "axle/core/npz.h"
#include "axle/core/strings.h"
#include "tests/tools/cli.h"

namespace axle {
namespace {

using nlohmann::json;

// A program that gives back its parameter.
std::string Identity(const std::string& shape) {
  return "HloModule identity\n\nENTRY main {\n  x = " + shape +
         " parameter(0), metadata={op_name=\"weights\"}\n  ROOT y = " + shape + " copy(x)\n}\n";
}

class CliValues : public Cli {
 protected:
  Result Show(const std::string& shape, const std::string& value,
              const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"run", Write("identity.hlo", Identity(shape)), "--arg",
                                          "x=" + value};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Run(arguments);
  }
  // What --json says of the value.
  std::string JsonOf(const std::string& shape, const std::string& value) const {
    const Result r = Show(shape, value, {"--json"});
    EXPECT_EQ(r.exit, 0) << r.err;
    const size_t begin = r.out.find("\"value\":");
    EXPECT_NE(begin, r.out.npos) << r.out;
    EXPECT_TRUE(r.out.ends_with("}]}\n")) << r.out;
    EXPECT_TRUE(json::accept(r.out)) << r.out;
    return r.out.substr(begin + 8, r.out.size() - begin - 12);
  }
  Literal Member(const std::string& file, const std::string& name, const Shape& shape) const {
    const auto npz = ReadNpz(ReadText(file));
    EXPECT_TRUE(npz.ok()) << npz.status().message();
    const auto literal = MemberLiteral(*npz, name, shape);
    EXPECT_TRUE(literal.ok()) << literal.status().message();
    return *literal;
  }
  std::string WriteArrays(const std::string& name,
                          const std::vector<std::pair<std::string, std::string>>& arrays) const {
    std::vector<std::pair<std::string, Literal>> members;
    for (const auto& [member, text] : arrays) members.emplace_back(member, *ParseLiteral(text));
    return Write(name, *WriteNpz(members, false));
  }
};

TEST_F(CliValues, PayloadsOfNanAreReadBack) {
  const std::string program = "HloModule m\nENTRY e { ROOT x = f32[2] parameter(0) }\n";
  for (const char* value : {"x=1,nan(0x12345)", "x={-nan(0x3), 1}", "x=f32[2] {nan(0x1), nan}"}) {
    const Result r = Run({"run", "-", "--arg", value}, program);
    EXPECT_EQ(r.exit, 0) << r.err;
    EXPECT_EQ(Run({"run", "-", "--arg", "x=" + r.out.substr(8)}, program).out, r.out) << r.err;
  }
  const Result pair = Run({"run", "-", "--arg", "x=(1,nan(0x3)) (2,4)"},
                          "HloModule m\nENTRY e { ROOT x = c64[2] parameter(0) }\n");
  EXPECT_EQ(pair.out, "out_0 = c64[2] {(1, nan(0x3)), (2, 4)}\n") << pair.err;
}

TEST_F(CliValues, RowsStandUnderEachOther) {
  EXPECT_EQ(Show("f32[2,3]", "1,2,3,10,2.5,-3").out,
            "out_0 = f32[2,3] {\n  {   1,   2,   3 },\n  {  10, 2.5,  -3 }\n}\n");
  EXPECT_EQ(Show("s32[2,1,2]", "1,2,3,4").out,
            "out_0 = s32[2,1,2] {\n  {\n    { 1, 2 }\n  },\n  {\n    { 3, 4 }\n  }\n}\n");
  EXPECT_EQ(Show("pred[1,2]", "true,false").out, "out_0 = pred[1,2] {\n  { 1, 0 }\n}\n");
  EXPECT_EQ(Show("pred[]", "true").out, "out_0 = pred[] true\n");
  EXPECT_EQ(Show("f32[0,2]", "").out, "out_0 = f32[0,2] {  }\n");
}

// More than 200 elements are shown by their edges, a dimension of up to 6 as a whole.
TEST_F(CliValues, WhatIsLongIsLeftOutInTheMiddle) {
  const std::string vector = Write("vector.hlo", Identity("s32[201]"));
  EXPECT_EQ(Run({"run", vector, "--fake=iota"}).out,
            "out_0 = s32[201] {0, 1, 2, ..., 198, 199, 200}\n");
  const Result all = Run({"run", vector, "--fake=iota", "--full"});
  EXPECT_EQ(std::ranges::count(all.out, ','), 200);
  EXPECT_EQ(all.out.find("..."), std::string::npos);
  const std::string matrix = Write("matrix.hlo", Identity("s32[40,6]"));
  EXPECT_EQ(Run({"run", matrix, "--fake=iota"}).out,
            "out_0 = s32[40,6] {\n"
            "  {   0,   1,   2,   3,   4,   5 },\n"
            "  {   6,   7,   8,   9,  10,  11 },\n"
            "  {  12,  13,  14,  15,  16,  17 },\n"
            "  ...,\n"
            "  { 222, 223, 224, 225, 226, 227 },\n"
            "  { 228, 229, 230, 231, 232, 233 },\n"
            "  { 234, 235, 236, 237, 238, 239 }\n}\n");
  EXPECT_EQ(Run({"run", Write("at.hlo", Identity("s32[200]")), "--fake=iota"}).out.find("..."),
            std::string::npos);
}

// What is printed is read, in every type and form; what is left out is not taken for elements.
TEST_F(CliValues, WhatIsPrintedIsRead) {
  for (const auto& [shape, kind] :
       std::vector<std::pair<std::string, std::string>>{{"f32[3,4,5]", "random:1"},
                                                        {"c128[7,31]", "random:2"},
                                                        {"s64[300]", "random:3"},
                                                        {"pred[2,2,2,2]", "random:4"},
                                                        {"bf16[]", "random:5"},
                                                        {"u4[2,0,3]", "zeros"},
                                                        {"f8e4m3fn[5,5]", "random:6"}}) {
    const std::string program = Write("p.hlo", Identity(shape));
    const Result first = Run({"run", program, "--fake=" + kind, "--full"});
    ASSERT_EQ(first.exit, 0) << first.err;
    const std::string value = first.out.substr(first.out.find(" = ") + 3);
    const Result second = Run({"run", program, "--arg", "0=" + value, "--full"});
    EXPECT_EQ(second.out, first.out) << second.err;
    // Without its shape too.
    const std::string bare = value.substr(value.find(' ') + 1);
    EXPECT_EQ(Run({"run", program, "--arg", "0=" + bare, "--full"}).out, first.out);
  }
  const std::string vector = Write("vector.hlo", Identity("s32[300]"));
  const std::string elided = Run({"run", vector, "--fake=iota"}).out;
  const Result r = Run({"run", vector, "--arg", "0=" + elided.substr(elided.find(" = ") + 3)});
  EXPECT_EQ(r.exit, 3);
  EXPECT_NE(r.err.find("elements are left out where \"...\" stands"), std::string::npos) << r.err;
}

TEST_F(CliValues, JsonHasNumbers) {
  EXPECT_EQ(JsonOf("f32[2,2]", "1,0.1,-0,1e10"), "[[1,0.1],[-0.0,1e+10]]");
  EXPECT_EQ(JsonOf("f64[4]", "nan,-nan,inf,-inf"), "[\"nan\",\"nan\",\"inf\",\"-inf\"]");
  EXPECT_EQ(JsonOf("s64[2]", "-9223372036854775808,9007199254740993"),
            "[-9223372036854775808,9007199254740993]");
  EXPECT_EQ(JsonOf("u64[]", "18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(JsonOf("c64[2]", "(1,-2.5) (inf,nan)"), "[[1,-2.5],[\"inf\",\"nan\"]]");
  EXPECT_EQ(JsonOf("pred[2]", "1,0"), "[true,false]");
  EXPECT_EQ(JsonOf("pred[]", "false"), "false");
  EXPECT_EQ(JsonOf("s32[0,2]", ""), "[]");
  EXPECT_EQ(JsonOf("s32[2,0]", ""), "[[],[]]");
  EXPECT_EQ(JsonOf("s4[1,2,1]", "[[[-8],[7]]]"), "[[[-8],[7]]]");
  // All elements, however many.
  const Result r = Run({"run", Write("v.hlo", Identity("s32[1000]")), "--fake=iota", "--json"});
  const json report = json::parse(r.out);
  EXPECT_EQ(report["schema"], "axle.run/2");
  EXPECT_EQ(report["outputs"][0]["value"].size(), 1000u);
  EXPECT_EQ(report["outputs"][0]["value"][999], 999);
}

TEST_F(CliValues, ValuesTakeTheShapeOfTheParameter) {
  constexpr std::string_view kOut = "out_0 = f32[2,2] {\n  { 1, 2 },\n  { 3, 4 }\n}\n";
  for (const char* const value :
       {"1,2,3,4", "1 2 3 4", " 1, 2\n3, 4", "{{1,2},{3,4}}", "[[1, 2], [3, 4]]",
        "f32[2,2] 1,2,3,4", "f32[2,2] [[1,2],[3,4]]", "f32[2,2]{{1,2},{3,4}}"}) {
    EXPECT_EQ(Show("f32[2,2]", value).out, kOut) << value;
  }
  EXPECT_EQ(Show("f32[]", "5").out, "out_0 = f32[] 5\n");
  EXPECT_EQ(Show("c64[1]", "(1,2)").out, "out_0 = c64[1] {(1, 2)}\n");
  const auto error = [&](const std::string& shape, const std::string& value) {
    const Result r = Show(shape, value);
    EXPECT_EQ(r.exit, 3) << value << r.out;
    return r.err;
  };
  EXPECT_EQ(error("f32[3]", "1"),
            "INVALID_ARGUMENT: --arg x: 1 value, but the program expects f32[3], which takes 3; "
            "nothing is broadcast\n");
  EXPECT_EQ(error("f32[]", "1,2"),
            "INVALID_ARGUMENT: --arg x: 2 values, but the program expects f32[], which takes 1; "
            "nothing is broadcast\n");
  EXPECT_EQ(error("f32[]", "[1]"),
            "INVALID_ARGUMENT: --arg x: the value is f32[1] but the program expects f32[]; nothing "
            "is broadcast\n");
  EXPECT_EQ(error("f32[2,2]", "[1,2,3,4]"),
            "INVALID_ARGUMENT: --arg x: the value is f32[4] but the program expects f32[2,2]; "
            "nothing is broadcast\n");
  EXPECT_NE(error("f32[2,2]", "[[1,2],[3]]").find("too few elements in dimension 1"),
            std::string::npos);
  EXPECT_NE(error("f32[2]", "[1,2").find("do not pair up"), std::string::npos)
      << error("f32[2]", "[1,2");
  EXPECT_NE(error("f32[2]", std::string(100000, '[')).find("do not pair up"), std::string::npos);
}

TEST_F(CliValues, NumbersFitTheirType) {
  const auto error = [&](const std::string& type, const std::string& value) {
    const Result r = Show(type + "[1]", value);
    EXPECT_EQ(r.exit, 3) << value << r.out;
    return r.err;
  };
  EXPECT_NE(error("s8", "300").find("300 is out of the range of s8"), std::string::npos);
  EXPECT_NE(error("u32", "-1").find("-1 is out of the range of u32"), std::string::npos);
  EXPECT_NE(error("s32", "1.5").find("1.5 is not an integer, as s32 needs"), std::string::npos);
  EXPECT_NE(error("f32", "1e39").find("1e39 is out of the range of f32"), std::string::npos);
  EXPECT_NE(error("f16", "70000").find("70000 is out of the range of f16"), std::string::npos);
  EXPECT_NE(error("pred", "2").find("2 is neither true (1) nor false (0)"), std::string::npos);
  EXPECT_NE(error("f32", "one").find("expected a value of f32"), std::string::npos);
}

TEST_F(CliValues, BoundedDimensionsTakeWhatFits) {
  const auto out = [&](const std::string& value) { return Show("f32[<=10]", value).out; };
  for (const char* const value :
       {"f32[3] 1,2,3", "1,2,3", "[1,2,3]", "f32[3] {1,2,3}", "f32[<=10](3) {1, 2, 3}"}) {
    EXPECT_EQ(out(value), "out_0 = f32[<=10](3) {1, 2, 3}\n") << value;
  }
  const Literal three = *ParseLiteral("f32[3] {1, 2, 3}");
  Write("three.npy", WriteNpy(three));
  EXPECT_EQ(out("@" + Path("three.npy")), "out_0 = f32[<=10](3) {1, 2, 3}\n");
  const Result many = Show("f32[<=2]", "f32[3] 1,2,3");
  EXPECT_EQ(many.exit, 3);
  EXPECT_EQ(many.err,
            "INVALID_ARGUMENT: --arg x: the value is f32[3] but the program expects f32[<=2]\n");
  EXPECT_NE(Show("f32[<=2]", "1,2,3").err.find("which takes at most 2"), std::string::npos);
  EXPECT_EQ(Show("s32[<=3,2]", "[[1,2]]").out, "out_0 = s32[<=3,2](1,2) {\n  { 1, 2 }\n}\n");
  EXPECT_NE(Show("s32[<=3,2]", "1,2").err.find("nest the values in braces"), std::string::npos);
}

TEST_F(CliValues, ArgumentsHaveNames) {
  const std::string program = Write("p.hlo", R"(HloModule p

ENTRY main {
  state = (f32[2], (s32[], f32[1])) parameter(0)
  Arg_1.2 = f32[] parameter(1), metadata={op_name="scale"}
  inner = (s32[], f32[1]) get-tuple-element(state), index=1
  ROOT r = (f32[2], (s32[], f32[1]), f32[]) tuple(a, inner, Arg_1.2)
}
)");
  // The instruction that is missing above, so that the text stays in the order of the results.
  std::string text = ReadText(program);
  text.insert(text.find("  inner"), "  a = f32[2] get-tuple-element(state), index=0\n");
  Write("p.hlo", text);
  const Result r = Run({"run", program, "--arg", "state{0}=1,2", "--arg", "state{1,0}=7", "--arg",
                        "2=[3]", "--arg", "scale=0.5"});
  EXPECT_EQ(r.exit, 0) << r.err;
  EXPECT_EQ(r.out,
            "out_0 = f32[2] {1, 2}\nout_1 = s32[] 7\nout_2 = f32[1] {3}\nout_3 = f32[] 0.5\n");
  const auto error = [&](const std::string& arg) {
    const Result wrong = Run({"run", program, "--fake", "--arg", arg});
    EXPECT_EQ(wrong.exit, 3) << arg << wrong.out;
    return wrong.err;
  };
  EXPECT_EQ(error("scael=1"),
            "INVALID_ARGUMENT: --arg scael: the program has no parameter of this name (did you "
            "mean \"scale\"?); it has state, Arg_1.2 (scale); arguments are numbered from 0\n");
  EXPECT_EQ(error("state=1"),
            "INVALID_ARGUMENT: --arg state: state is (f32[2], (s32[], f32[1])); name one array of "
            "it, as in state{0}\n");
  EXPECT_NE(error("state{7}=1").find("name one array of it"), std::string::npos);
  EXPECT_EQ(error("4=1"),
            "INVALID_ARGUMENT: --arg 4: the program has 4 argument arrays, numbered from 0\n");
  EXPECT_NE(error("1,2").find("is not ARGUMENT=@FILE.npy or ARGUMENT=VALUE"), std::string::npos);
  EXPECT_EQ(Run({"run", program, "--fake", "--arg", "3=1", "--arg", "%Arg_1.2=2"}).err,
            "INVALID_ARGUMENT: --arg %Arg_1.2: argument 3 is given twice\n");
}

std::vector<std::string> EnginesHere() {
#ifdef AXLE_HAS_CODEGEN
  return {"interpret", "native"};
#else
  return {"interpret"};
#endif
}

TEST_F(CliValues, NamesGoWithoutTheirNumbers) {
  const std::string program = Write("p.hlo", R"(HloModule p
ENTRY main {
  w.1 = f32[] parameter(0)
  Arg_0.2 = f32[] parameter(1), metadata={op_name="x.7"}
  b.3 = f32[] parameter(2)
  b.4 = f32[] parameter(3)
  v1.2.3 = f32[] parameter(4)
  ROOT r = (f32[], f32[], f32[], f32[], f32[]) tuple(w.1, Arg_0.2, b.3, b.4, v1.2.3)
}
)");
  const auto run = [&](const std::string& name) {
    return Run({"run", program, "--fake=zeros", "--arg", name + "=5"});
  };
  const std::vector<std::pair<std::string, int>> names = {
      {"w", 0},   {"w.1", 0}, {"%w", 0},  {"Arg_0", 1},  {"Arg_0.2", 1}, {"x", 1},
      {"x.7", 1}, {"b.3", 2}, {"b.4", 3}, {"v1.2.3", 4}, {"v1.2", 4}};
  for (const auto& [name, number] : names) {
    const Result r = run(name);
    EXPECT_NE(r.out.find(StrCat("out_", number, " = f32[] 5\n")), std::string::npos)
        << name << r.out << r.err;
  }
  for (const char* const name : {"b", "v1", "w.2", "q"}) {
    const Result r = run(name);
    EXPECT_EQ(r.exit, 3) << name;
    EXPECT_NE(r.err.find("; it has w.1, Arg_0.2 (x.7), b.3, b.4, v1.2.3; arguments are numbered "
                         "from 0"),
              std::string::npos)
        << r.err;
  }
}

// One rule for the names of arrays, whatever they are for.
TEST_F(CliValues, ArraysInFilesGoByNumberOrName) {
  const std::string add = Write("add.hlo", kAdd);
  const auto run = [&](const std::string& inputs) { return Run({"run", add, "--inputs", inputs}); };
  const auto file = [&](const std::string& x, const std::string& y) {
    return WriteArrays("in.npz", {{x, "f32[2] {3, 4}"}, {y, "f32[2] {1, 1}"}});
  };
  const std::string sum = "out_0 = f32[2] {4, 5}\n";
  for (const auto& [x, y] : std::vector<std::pair<std::string, std::string>>{
           {"in_0", "in_1"}, {"arr_0", "arr_1"}, {"x", "y"}, {"x", "in_1"}}) {
    const Result r = run(file(x, y));
    EXPECT_EQ(r.out, sum) << x << r.err;
    EXPECT_EQ(r.err, "");
  }
  // A folder, likewise.
  fs::create_directory(Path("folder"));
  Write("folder/arr_0.npy", WriteNpy(*ParseLiteral("f32[2] {3, 4}")));
  Write("folder/y.npy", WriteNpy(*ParseLiteral("f32[2] {1, 1}")));
  EXPECT_EQ(run(Path("folder")).out, sum);
  EXPECT_NE(
      run(file("x", "z"))
          .err.find(
              "in.npz: no array for argument 1 f32[2]; there are x, z. An array has the name of a "
              "parameter, or in_ or arr_ and the number of an argument; it has x, y"),
      std::string::npos);
  // The number of a weight is no number of an argument.
  EXPECT_NE(run(file("x", "w1")).err.find("in.npz: no array for argument 1 f32[2]"),
            std::string::npos);
  EXPECT_NE(run(file("x", "in_0")).err.find("both \"x\" and \"in_0\" are for argument 0"),
            std::string::npos);
  EXPECT_NE(
      run(file("in_1", "in_2"))
          .err.find("in.npz: no array for argument 0 f32[2]; there are in_1, in_2. An array has"),
      std::string::npos);
  EXPECT_NE(run(Path("none"))
                .err.find("is neither an .npz or .safetensors file nor a folder of .npy files"),
            std::string::npos);
  const std::string more = WriteArrays(
      "more.npz", {{"in_0", "f32[2] {3, 4}"}, {"in_1", "f32[2] {1, 1}"}, {"in_2", "f32[] 1"}});
  const Result note = run(more);
  EXPECT_EQ(note.out, sum);
  EXPECT_NE(note.err.find("there is no argument 2 for \"in_2\"; the program has 2"),
            std::string::npos);
  // A file with arguments and results, and what else somebody keeps in it.
  const std::string both = WriteArrays("both.npz", {{"in_0", "f32[2] {3, 4}"},
                                                    {"in_1", "f32[2] {1, 1}"},
                                                    {"out_0", "f32[2] {4, 5}"},
                                                    {"losses", "f32[2] {4, 5}"}});
  EXPECT_EQ(run(both).out, sum);
  EXPECT_EQ(Run({"check", add, "--inputs", both, "--against", both}).exit, 0);
  // What is expected has the same rule.
  const std::string expected = WriteArrays("expected.npz", {{"arr_0", "f32[2] {4, 5}"}});
  EXPECT_EQ(Run({"check", add, "--inputs", file("x", "y"), "--against", expected}).exit, 0);
}

TEST_F(CliValues, WhatIsWrongWithAValueIsShownAsItWasWritten) {
  const std::string program = Write("p.hlo", Identity("f32[2]"));
  const auto error = [&](const std::string& value) {
    const Result r = Run({"run", program, "--arg", "0=" + value});
    EXPECT_EQ(r.exit, 3) << value;
    return r.err.substr(r.err.find("--arg 0: ") + 9);
  };
  EXPECT_EQ(error("1,x"), "value 1:3: expected a value of f32\n1,x\n  ^\n");
  EXPECT_EQ(error("1e99,2"), "value 1:1: 1e99 is out of the range of f32\n1e99,2\n^\n");
  EXPECT_EQ(error("[1,x]"), "value 1:4: expected a value of f32\n[1,x]\n   ^\n");
  EXPECT_EQ(error("{1,x}"), "value 1:4: expected a value of f32\n{1,x}\n   ^\n");
  EXPECT_EQ(error("[1,2"), "its brackets or braces do not pair up\n");
  EXPECT_EQ(error("1,2]"), "its brackets or braces do not pair up\n");
}

constexpr std::string_view kSumOfDevices = R"(HloModule two, replica_count=2
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
ENTRY e {
  x = f32[2] parameter(0)
  r = u32[] replica-id()
  f = f32[] convert(r)
  rs = f32[2] broadcast(f), dimensions={}
  y = f32[2] add(x, rs)
  ROOT t = f32[2] all-reduce(y), replica_groups={}, to_apply=sum
}
)";

TEST_F(CliValues, RunsOnSeveralDevices) {
  const std::string two = Write("two.hlo", kSumOfDevices);
  for (const std::string& engine : EnginesHere()) {
    const auto out = [&](std::vector<std::string> options) {
      std::vector<std::string> arguments = {"run", two, "--engine", engine};
      arguments.insert(arguments.end(), options.begin(), options.end());
      const Result result = Run(arguments);
      EXPECT_EQ(result.exit, 0) << result.err;
      return result.out;
    };
    EXPECT_EQ(out({"--arg", "0=1,2"}),
              "device 0: out_0 = f32[2] {3, 5}\ndevice 1: out_0 = f32[2] {3, 5}\n");
    EXPECT_EQ(out({"--arg", "0=1,2", "--replicas", "1"}), "out_0 = f32[2] {1, 2}\n");
    EXPECT_EQ(out({"--fake=iota", "--replicas", "1", "--partitions", "2", "--repeat", "2"}),
              "device 0: out_0 = f32[2] {0, 1}\ndevice 1: out_0 = f32[2] {0, 1}\n");
    const auto report = json::parse(out({"--arg", "0=1,2", "--json"}));
    EXPECT_EQ(report["outputs"][1]["device"], 1);
    EXPECT_EQ(report["outputs"][1]["value"], json({3, 5}));
  }
}

// Each device has files and random numbers of its own.
TEST_F(CliValues, DevicesHaveTheirArguments) {
  const std::string two = Write("two.hlo", kSumOfDevices);
  const std::string one = Write("one.hlo",
                                "HloModule one\nENTRY e { x = f32[2] parameter(0) ROOT y = f32[2] "
                                "copy(x) }");
  EXPECT_EQ(Run({"run", one, "--arg", "0=1,2", "-o", Path("x0.npy")}).exit, 0);
  EXPECT_EQ(Run({"run", one, "--arg", "0=10,20", "-o", Path("x1.npy")}).exit, 0);
  EXPECT_EQ(Run({"run", two, "--arg", "0=@" + Path("x{device}.npy")}).out,
            "device 0: out_0 = f32[2] {12, 23}\ndevice 1: out_0 = f32[2] {12, 23}\n");
  EXPECT_EQ(Run({"run", two, "--arg", "0=1,2", "-o", Path("y{device}.npy")}).exit, 0);
  EXPECT_EQ(Run({"run", one, "--arg", "0=@" + Path("y1.npy")}).out, "out_0 = f32[2] {3, 5}\n");

  const std::string ids =
      Write("ids.hlo", "HloModule ids, num_partitions=2\nENTRY e { ROOT x = f32[1] parameter(0) }");
  const std::string seeds = Run({"run", ids, "--fake", "--seed", "5"}).out;
  EXPECT_EQ(seeds.substr(seeds.find("device 1: ") + 10),
            Run({"run", ids, "--fake", "--seed", "6", "--partitions", "1"}).out);
}

TEST_F(CliValues, WhatSeveralDevicesRefuse) {
  const std::string two = Write("two.hlo", kSumOfDevices);
  const auto refused = [&](std::vector<std::string> arguments, int exit) {
    const Result result = Run(arguments);
    EXPECT_EQ(result.exit, exit) << result.err;
    return result.err;
  };
  EXPECT_EQ(refused({"run", two, "--fake", "-o", Path("y.npz")}, 3),
            "INVALID_ARGUMENT: --output: \"two\" runs on 2 devices, whose results need a name "
            "each: put {device} into it, as in out_{device}.npz\n");
  EXPECT_EQ(refused({"run", two, "--fake", "--infeed", "x.npz"}, 5),
            "UNIMPLEMENTED: \"two\" runs on 2 devices; --infeed, --outfeed, --recv and --send are "
            "for one: in C++ every device has its queues (docs/client.md)\n");
  EXPECT_EQ(refused({"run", two, "--fake", "--replicas", "99", "--partitions", "99"}, 3),
            "INVALID_ARGUMENT: \"two\" is for 99 replicas x 99 partitions, and there are at most "
            "1024 devices; --replicas 1 --partitions 1 runs one of them alone\n");
  EXPECT_EQ(refused({"check", two, "--fake"}, 5),
            "UNIMPLEMENTED: check: \"two\" runs on 2 devices, for which axle check draws the "
            "arguments; axle run with --inputs, --engine native and --engine interpret gives "
            "results to compare\n");
}

TEST_F(CliValues, CheckRunsOnSeveralDevices) {
  const std::string two = Write("two.hlo", kSumOfDevices);
  const Result result = Run({"check", two});
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_NE(result.err.find("two.hlo: equal in "), std::string::npos) << result.err;
}

TEST_F(CliValues, ARecvWithoutASendIsAnErrorNotAWait) {
  const std::string program = Write("recv.hlo", R"(HloModule recv
ENTRY e {
  t = token[] after-all()
  r = (f32[], u32[], token[]) recv(t), channel_id=4
  d = (f32[], token[]) recv-done(r), channel_id=4
  ROOT x = f32[] get-tuple-element(d), index=0
}
)");
  for (const std::string& engine : EnginesHere()) {
    const Result r = Run({"run", program, "--engine", engine});
    EXPECT_EQ(r.exit, 3);
    EXPECT_NE(r.err.find("no program sends to channel 4; "), std::string::npos) << r.err;
  }
}

TEST_F(CliValues, TheTimeIsSaidEvenIfQuiet) {
  const Result r = Run({"run", Write("add.hlo", kAdd), "--fake", "--time", "-q"});
  EXPECT_EQ(r.exit, 0);
  EXPECT_TRUE(r.err.starts_with("load and compile ")) << r.err;
  EXPECT_EQ(Run({"parse", Write("add.hlo", kAdd), "--mem-limit", "1T"}).exit, 0);
}

constexpr std::string_view kFeeds = R"(HloModule feeds

ENTRY main {
  t0 = token[] after-all()
  i0 = ((f32[2], bf16[]), token[]) infeed(t0)
  d0 = (f32[2], bf16[]) get-tuple-element(i0), index=0
  t1 = token[] get-tuple-element(i0), index=1
  i1 = (s32[], token[]) infeed(t1)
  d1 = s32[] get-tuple-element(i1), index=0
  t2 = token[] get-tuple-element(i1), index=1
  o0 = token[] outfeed(d0, t2), outfeed_shape=(f32[2], bf16[])
  o1 = token[] outfeed(d1, o0), outfeed_shape=s32[]
  ROOT r = s32[] copy(d1)
}
)";

TEST_F(CliValues, InfeedAndOutfeedAreFiles) {
  const std::string program = Write("feeds.hlo", kFeeds);
  // By number, not in the order of letters or of the file.
  const std::string in = WriteArrays(
      "in.npz", {{"in_10", "s32[] 42"}, {"in_2", "bf16[] 1.5"}, {"in_1", "f32[2] {3, 4}"}});
  for (const std::string& engine : EnginesHere()) {
    const Result r = Run({"run", program, "--infeed", in, "--outfeed", Path("out.npz"), "--engine",
                          engine, "--repeat", "3"});
    EXPECT_EQ(r.exit, 0) << r.err;
    EXPECT_EQ(r.out, "out_0 = s32[] 42\n");
    EXPECT_EQ(r.err, "");
    EXPECT_EQ(Member(Path("out.npz"), "out_0", Shape(F32, {2})), *ParseLiteral("f32[2] {3, 4}"));
    EXPECT_EQ(Member(Path("out.npz"), "out_1", Shape(BF16)), *ParseLiteral("bf16[] 1.5"));
    EXPECT_EQ(Member(Path("out.npz"), "out_2", Shape(S32)), *ParseLiteral("s32[] 42"));
    EXPECT_EQ(ReadNpz(ReadText(Path("out.npz")))->size(), 3u);
    // What goes out is what goes in.
    EXPECT_EQ(Run({"run", program, "--infeed", Path("out.npz")}).err,
              "note: the program put 3 arrays into the outfeed; --outfeed FILE.npz keeps them\n");
  }
}

TEST_F(CliValues, FeedsThatAreNotThereAreErrorsNotWaits) {
  const std::string program = Write("feeds.hlo", kFeeds);
  const auto error = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"run", program};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Result r = Run(arguments);
    EXPECT_NE(r.exit, 0) << r.out;
    return r.err;
  };
  EXPECT_NE(error({}).find("give --infeed FILE.npz with its arrays"), std::string::npos);
  const std::string few = WriteArrays("few.npz", {{"a0", "f32[2] {3, 4}"}, {"a1", "bf16[] 1"}});
  EXPECT_NE(error({"--infeed", few})
                .find("few.npz has 2 arrays, 2 of them were taken, and the program asks for 1 more "
                      "of s32[]"),
            std::string::npos)
      << error({"--infeed", few});
  const std::string other =
      WriteArrays("other.npz", {{"a0", "f32[3] {3, 4, 5}"}, {"a1", "bf16[] 1"}});
  EXPECT_NE(error({"--infeed", other}).find("other.npz: a0 has float32 (3,), wanted float32 (2,)"),
            std::string::npos)
      << error({"--infeed", other});
  const std::string named = WriteArrays("named.npz", {{"weights", "f32[2] {3, 4}"}});
  EXPECT_NE(error({"--infeed", named}).find("\"weights\" ends in no number"), std::string::npos);
  const std::string twice = WriteArrays("twice.npz", {{"a1", "s32[] 3"}, {"b1", "s32[] 3"}});
  EXPECT_NE(error({"--infeed", twice}).find("both \"a1\" and \"b1\" are number 1"),
            std::string::npos);
  EXPECT_NE(error({"--outfeed", "x"}).find("is not the name of a .npz file"), std::string::npos);
  EXPECT_NE(error({"--recv", "x.npz"}).find("is not CHANNEL=FILE.npz"), std::string::npos);
  EXPECT_NE(error({"--send", "3=x"}).find("is not CHANNEL=FILE.npz"), std::string::npos);
  EXPECT_NE(error({"--send", "3=x.npz", "--send", "3=y.npz"}).find("channel 3 is given twice"),
            std::string::npos);
  const std::string more = WriteArrays(
      "more.npz",
      {{"a0", "f32[2] {3, 4}"}, {"a1", "bf16[] 1"}, {"a2", "s32[] 5"}, {"a3", "s32[] 6"}});
  const Result r = Run({"run", program, "--infeed", more, "--outfeed", Path("o.npz")});
  EXPECT_EQ(r.exit, 0) << r.err;
  EXPECT_NE(r.err.find("note: --infeed: the program took 3 of the 4 arrays in "), std::string::npos)
      << r.err;
}

TEST_F(CliValues, ChannelsAreFiles) {
  const std::string program = Write("channels.hlo", R"(HloModule channels

ENTRY main {
  t = token[] after-all()
  r0 = (f32[2], u32[], token[]) recv(t), channel_id=1, is_host_transfer=true
  d0 = (f32[2], token[]) recv-done(r0), channel_id=1, is_host_transfer=true
  x0 = f32[2] get-tuple-element(d0), index=0
  t0 = token[] get-tuple-element(d0), index=1
  r1 = (f32[2], u32[], token[]) recv(t0), channel_id=1, is_host_transfer=true
  d1 = (f32[2], token[]) recv-done(r1), channel_id=1, is_host_transfer=true
  x1 = f32[2] get-tuple-element(d1), index=0
  t1 = token[] get-tuple-element(d1), index=1
  sum = f32[2] add(x0, x1)
  s = (f32[2], u32[], token[]) send(sum, t1), channel_id=2, is_host_transfer=true
  sd = token[] send-done(s), channel_id=2, is_host_transfer=true
  ROOT r = f32[2] copy(sum)
}
)");
  const std::string in = WriteArrays("in.npz", {{"0", "f32[2] {1, 2}"}, {"1", "f32[2] {10, 20}"}});
  for (const std::string& engine : EnginesHere()) {
    const Result r = Run({"run", program, "--recv", "1=" + in, "--send", "2=" + Path("out.npz"),
                          "--engine", engine});
    EXPECT_EQ(r.exit, 0) << r.err;
    EXPECT_EQ(r.out, "out_0 = f32[2] {11, 22}\n");
    EXPECT_EQ(Member(Path("out.npz"), "out_0", Shape(F32, {2})), *ParseLiteral("f32[2] {11, 22}"));
    EXPECT_EQ(Run({"run", program, "--recv", "1=" + in, "--engine", engine}).err,
              "note: the program sent 1 array to channel 2; --send 2=FILE.npz keeps them\n");
    const Result none = Run({"run", program, "--engine", engine});
    EXPECT_EQ(none.exit, 3);
    EXPECT_NE(none.err.find("give --recv 1=FILE.npz with its arrays"), std::string::npos);
  }
}

TEST_F(CliValues, BatchesAnswerWithResults) {
  const std::string add = Write("add.hlo", kAdd);
  const json run = {{"verb", "run"}, {"file", add}, {"args", {"x=1,2", "y=[3,nan]"}}};
  json saved = run;
  saved["output"] = Path("o.npz");
  const json print = {{"verb", "print"}, {"file", add}};
  const json parse = {{"verb", "parse"}, {"file", add}};
  const json feeds = {
      {"verb", "run"},
      {"file", Write("feeds.hlo", kFeeds)},
      {"infeed",
       WriteArrays("in.npz", {{"0", "f32[2] {3, 4}"}, {"1", "bf16[] 1.5"}, {"2", "s32[] 42"}})},
      {"outfeed", Path("out.npz")}};
  const json wrong = {{"verb", "run"}, {"file", add}, {"recv", "1=x.npz"}};
  std::string requests;
  for (const json& request : {run, saved, print, parse, feeds, wrong}) {
    requests += request.dump() + "\n";
  }
  const Result r = Run({"batch"}, requests);
  std::istringstream lines(r.out);
  std::vector<json> answers;
  for (std::string line; std::getline(lines, line);) answers.push_back(json::parse(line));
  ASSERT_EQ(answers.size(), 6u) << r.out;
  EXPECT_EQ(answers[0]["result"]["schema"], "axle.run/2");
  EXPECT_EQ(answers[0]["result"]["outputs"][0]["value"], json({4, "nan"}));
  EXPECT_FALSE(answers[1].contains("result"));
  EXPECT_EQ(answers[2]["result"]["text"], Run({"print", add}).out);
  EXPECT_FALSE(answers[3].contains("result"));
  EXPECT_EQ(answers[3]["exit"], 0);
  EXPECT_EQ(answers[4]["result"]["outputs"][0]["value"], 42);
  EXPECT_TRUE(fs::exists(Path("out.npz")));
  EXPECT_EQ(answers[5]["message"], "\"recv\" is not a list of strings");
}

TEST_F(CliValues, ArraysThatNobodyTakesAreNamed) {
  const std::string add = Write("add.hlo", kAdd);
  const std::string more =
      WriteArrays("more.npz", {{"x", "f32[2] {3, 4}"}, {"y", "f32[2] {1, 1}"}, {"z", "f32[] 1"}});
  const Result taken = Run({"run", add, "--inputs", more});
  EXPECT_EQ(taken.out, "out_0 = f32[2] {4, 5}\n");
  EXPECT_EQ(taken.err, "note: " + more + ": z is for no argument\n");
  // Values are not made up in the place of a file of which nothing fits.
  const std::string typo = WriteArrays("typo.npz", {{"weight", "f32[2] {3, 4}"}});
  const Result other = Run({"run", add, "--inputs", typo, "--fake"});
  EXPECT_EQ(other.exit, 3);
  EXPECT_EQ(other.err, "NOT_FOUND: " + typo +
                           ": no array for argument 0 f32[2]; there is weight. An array has the "
                           "name of a parameter, or in_ or arr_ and the number of an argument; it "
                           "has x, y\n");
  const std::string one = Write("one.npy", WriteNpy(*ParseLiteral("f32[2] {3, 4}")));
  EXPECT_EQ(Run({"run", add, "--inputs", one}).err, "INVALID_ARGUMENT: " + one +
                                                        ": is one array; --arg ARGUMENT=@" + one +
                                                        " says for which argument\n");
}

TEST_F(CliValues, OpenSizesAreThoseOfTheValues) {
  AXLE_SKIP_WITHOUT_CODEGEN();
  const std::string file = Write("open.hlo",
                                 "HloModule open\nENTRY e {\n  x = f32[?] parameter(0)\n"
                                 "  y = f32[?] parameter(1)\n  ROOT s = f32[?] add(x, y)\n}\n");
  const std::vector<std::string> values = {"--arg", "x=f32[3] 1,2,3", "--arg", "y=f32[3] 4,5,6"};
  const auto with = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), values.begin(), values.end());
    return Run(arguments);
  };
  EXPECT_EQ(with({"run", file}).out, "out_0 = f32[3] {5, 7, 9}\n") << with({"run", file}).err;
  EXPECT_EQ(with({"check", file}).exit, 0) << with({"check", file}).err;
  const Result info = Run({"info", file});
  EXPECT_NE(info.out.find("sizes         open: the cost depends on the arguments\n"),
            std::string::npos)
      << info.out;
  EXPECT_EQ(info.out.find("flops"), std::string::npos);
}

TEST_F(CliValues, OpenSizesOfStablehloAreNotWritten) {
  const std::string file = Write("open.mlir",
                                 "module @open { func.func @main(%x: tensor<?xf32>) -> "
                                 "tensor<?xf32> {\n  %y = stablehlo.add %x, %x : tensor<?xf32>\n"
                                 "  return %y : tensor<?xf32>\n} }\n");
  const std::string error =
      "UNIMPLEMENTED: \"open\" is a StableHLO program that leaves sizes open, which cannot be "
      "written in another format; export it for the shapes of its arguments\n";
  for (const char* format : {"hlo", "hlo.pb", "stablehlo", "stablehlo.bc", "json", "dot"}) {
    const Result result = Run({"convert", file, "--to", format, "--output", Path("out")});
    EXPECT_EQ(result.err, error);
    EXPECT_EQ(result.exit, 5);
  }
  EXPECT_EQ(Run({"print", file}).err, error);
  EXPECT_EQ(Run({"run", file, "--engine", "interpret", "--arg", "0=f32[2] 1,2"}).out,
            "out_0 = f32[2] {2, 4}\n");
}

}  // namespace
}  // namespace axle
