// ProbeElementTypes tries programs of HLO text through the public reader and the interpreter. The
// rules stay in the op's row; nothing here repeats them.
#include <algorithm>
#include <functional>

#include "axle/client/client.h"
#include "axle/client/op_table.h"
#include "axle/core/strings.h"
#include "axle/text/parse.h"

namespace axle {
namespace {

// An operand or a declared result.
struct Value {
  ElementType type = F32;
  std::string_view dims;  // "[2,2]"
};

struct Program {
  std::vector<Value> values;  // the operands, then the result if its shape is declared
  std::string attributes;     // ", dimensions={0}"
};

std::string ToText(const Value& value) {
  return StrCat(Name(value.type), value.dims);
}

std::string ModuleText(const OpInfo& op, const Program& program) {
  std::string text = "HloModule probe\nENTRY main {\n", names;
  const size_t operands = program.values.size() - (op.declared_shape ? 1 : 0);
  for (size_t i = 0; i < operands; ++i) {
    StrAppend(text, "  p", i, " = ", ToText(program.values[i]), " parameter(", i, ")\n");
    StrAppend(names, i == 0 ? "p" : ", p", i);
  }
  const std::string shape = op.declared_shape ? ToText(program.values.back()) + " " : "";
  return StrCat(text, "  ROOT r = ", shape, op.name, "(", names, ")", program.attributes, "\n}\n");
}

// Returns OK if the op accepts the program and the interpreter can run it. It runs on zeros; an op
// that refuses these values, such as a size of zero, says nothing about types.
Status Try(const OpInfo& op, const Program& program, bool run) {
  AXLE_ASSIGN(std::unique_ptr<Module> module, Parse(ModuleText(op, program)));
  if (!run) return {};
  AXLE_ASSIGN(const auto client, Client::Create());
  std::vector<Literal> arguments;
  for (const Instruction* p : module->entry()->parameters()) {
    arguments.push_back(Literal(p->shape()));
  }
  AXLE_ASSIGN(const auto executable,
              client->Compile(std::move(module), {.engine = EngineKind::kInterpret}));
  const Status status = executable->Execute(arguments).status();
  return status.code() == StatusCode::kUnimplemented ? status : Status();
}

std::vector<std::string> Candidates(const AttributeInfo& attribute) {
  if (attribute.presence != "required") return {""};
  std::vector<std::string> texts = attribute.values;
  if (attribute.kind == "integer") texts = {"0", "1", "2"};
  if (attribute.kind == "list of integers") texts = {"{}", "{0}", "{1}", "{0,1}", "{2}"};
  if (attribute.kind == "padding") texts = {"0_0", "0_0x0_0"};
  if (attribute.kind == "slice") texts = {"{[0:1]}", "{[0:1], [0:1]}"};
  for (std::string& text : texts) text = StrCat(", ", attribute.name, "=", text);
  return texts;
}

// Calls `visit` with one choice out of each list, until it returns true.
template <typename T>
bool ForEachChoice(const std::vector<std::vector<T>>& lists, std::vector<T>& chosen,
                   const std::function<bool()>& visit) {
  if (chosen.size() == lists.size()) return visit();
  for (const T& choice : lists[chosen.size()]) {
    chosen.push_back(choice);
    if (ForEachChoice(lists, chosen, visit)) return true;
    chosen.pop_back();
  }
  return false;
}

// Finds a program that the op accepts, among few small shapes and types.
std::optional<Program> FindProgram(const OpInfo& op) {
  constexpr int kMaxTries = 4000;
  size_t count = op.operands.size() + (op.declared_shape ? 1 : 0);
  if (!op.callees.empty() || op.attribute_in_parens || count == 0 || count > 5) return {};
  std::vector<std::vector<std::string>> attributes;
  for (const AttributeInfo& attribute : op.attributes) attributes.push_back(Candidates(attribute));
  const std::vector<std::vector<std::string_view>> dims(count, {"[2,2]", "[2]", "[]"});
  std::optional<Program> found;
  int tries = 0;
  for (ElementType type : {F32, S32, PRED, C64, U32}) {
    // The operands all have one type, or the first is a pred, or the last is an unsigned integer.
    for (int variant : {0, 1, 2}) {
      std::vector<std::string> attribute_texts;
      std::vector<std::string_view> chosen;
      const auto visit = [&] {
        Program program;
        for (std::string_view d : chosen) program.values.push_back({type, d});
        if (variant == 1) program.values.front().type = PRED;
        if (variant == 2) program.values.back().type = U32;
        for (const std::string& text : attribute_texts) program.attributes += text;
        if (Try(op, program, /*run=*/false).ok()) found = std::move(program);
        return found.has_value() || ++tries >= kMaxTries;
      };
      if (ForEachChoice<std::string>(attributes, attribute_texts, [&] {
            return ForEachChoice<std::string_view>(dims, chosen, visit);
          })) {
        return found;
      }
    }
  }
  return found;
}

Status TryType(const OpInfo& op, Program program, size_t i, ElementType type) {
  Program alone = program;
  alone.values[i].type = type;
  if (Status status = Try(op, alone, /*run=*/true); status.ok()) return status;
  const ElementType old = program.values[i].type;
  for (Value& value : program.values) {
    if (value.type == old) value.type = type;
  }
  return Try(op, program, /*run=*/true);
}

}  // namespace

std::vector<OperandTypes> ProbeElementTypes(const OpInfo& op) {
  std::vector<OperandTypes> answers;
  const std::optional<Program> program = FindProgram(op);
  if (!program) return answers;
  for (size_t i = 0; i < program->values.size(); ++i) {
    OperandTypes& answer = answers.emplace_back();
    answer.operand = i < op.operands.size() ? op.operands[i].name : "result";
    for (const ElementTypeInfo& info : kElementTypes) {
      if (!IsArrayType(info.type)) continue;
      const Status status = TryType(op, *program, i, info.type);
      if (status.ok()) {
        answer.supported.push_back(info.type);
      } else if (status.code() == StatusCode::kUnimplemented) {
        answer.not_yet.push_back(info.type);
      } else {
        const std::string& message = status.message();
        const size_t begin = message.find(": ") + 2;
        if (answer.rejected.empty()) {
          answer.rejection = message.substr(begin, message.find('\n') - begin);
        }
        answer.rejected.push_back(info.type);
      }
    }
  }
  return answers;
}

}  // namespace axle
