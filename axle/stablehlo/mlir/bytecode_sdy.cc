// The dialect sdy (Shardy): its attributes become the text that MLIR prints for them, because only
// whoever understands shardings takes them apart. An attribute inside of another of the dialect is
// printed without its name: #sdy.sharding<@mesh, [{"x"}, {?}]>.
#include <cctype>

#include "axle/stablehlo/mlir/bytecode_entries.h"

namespace axle::mlir {
namespace {

// #sdy.mnemonic<...> if the body is in angle brackets, else #sdy<mnemonic...>, with a blank before
// a body that is a word.
const Attribute* Sdy(EntryCursor& in, std::string_view mnemonic, const std::string& body) {
  if (!in.ready()) return nullptr;
  const bool is_simple = body.starts_with('<');
  const std::string name(mnemonic);
  if (is_simple) return MakeOther(in.module(), "#sdy." + name + body);
  const bool is_word = !body.empty() && std::isalnum(static_cast<unsigned char>(body[0])) != 0;
  return MakeOther(in.module(), "#sdy<" + name + (is_word ? " " : "") + body + ">");
}

std::string SymbolText(std::string_view name) {
  bool is_plain =
      !name.empty() && (std::isalpha(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_');
  for (const char c : name) {
    is_plain = is_plain && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
                            c == '$' || c == '.');
  }
  return "@" + (is_plain ? std::string(name) : QuotedText(name));
}

// How long the text of one attribute may be.
constexpr size_t kMaxText = size_t{1} << 20;

std::string Joined(EntryCursor& in, const std::vector<const Attribute*>& parts,
                   std::string_view separator = ", ") {
  std::string text;
  if (!in.ready()) return text;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += separator;
    text += parts[i]->kind == AttributeKind::kString ? QuotedText(parts[i]->text)
                                                     : EntryTable::StrippedText(*parts[i]);
    if (text.size() > kMaxText) {
      in.Fail("the text of a sharding is longer than " + std::to_string(kMaxText) + " characters");
      return {};
    }
  }
  return text;
}

// Factors are the letters i to z, then z_1, z_2 and so on.
std::string Factor(i64 number) {
  constexpr i64 kLastLetter = 'z' - 'i';
  if (number >= 0 && number <= kLastLetter) {
    return std::string(1, static_cast<char>('i' + number));
  }
  return "z_" + std::to_string(number - kLastLetter);
}

std::string Factors(const Dims& factors, std::string_view separator) {
  std::string text;
  for (size_t i = 0; i < factors.size(); ++i) {
    if (i > 0) text += separator;
    text += Factor(factors[i]);
  }
  return text;
}

const Attribute* ReadMesh(EntryCursor& in) {
  const std::vector<const Attribute*> axes = in.AttributeRefs();
  const Dims devices = in.Svarints();
  std::string body = "<[" + Joined(in, axes) + "]";
  if (!devices.empty()) {
    body += ", device_ids=[";
    for (size_t i = 0; i < devices.size(); ++i) {
      if (i > 0) body += ", ";
      body += std::to_string(devices[i]);
    }
    body += "]";
  }
  return Sdy(in, "mesh", body + ">");
}

const Attribute* ReadAxisRef(EntryCursor& in) {
  std::string body = QuotedText(in.String());
  const Attribute* part = in.OptionalAttributeRef();
  if (!in.ready()) return nullptr;
  if (part != nullptr) body += ":" + std::string(EntryTable::StrippedText(*part));
  return Sdy(in, "axis_ref", body);
}

// {"x", ?}p1
const Attribute* ReadDimension(EntryCursor& in) {
  const std::vector<const Attribute*> axes = in.AttributeRefs();
  const bool is_closed = in.Byte() != 0;
  bool has_priority = false;
  const std::uint64_t priority = in.FlaggedVarint(has_priority);
  std::string body = "{" + Joined(in, axes);
  if (!is_closed) body += axes.empty() ? "?" : ", ?";
  body += "}";
  if (has_priority) body += "p" + std::to_string(priority);
  return Sdy(in, "dimension_sharding", body);
}

// The later forms also say over which axes the value is yet to be reduced, and how.
const Attribute* ReadSharding(EntryCursor& in, bool has_unreduced, bool has_reduction) {
  const Attribute* mesh = in.AttributeRef();
  const std::vector<const Attribute*> dims = in.AttributeRefs();
  const std::vector<const Attribute*> replicated = in.AttributeRefs();
  std::vector<const Attribute*> unreduced;
  // Writers of 2025 added the list to the first form.
  if (has_unreduced || (in.ok() && !in.done())) unreduced = in.AttributeRefs();
  const size_t offset = in.offset();
  const i64 reduction = has_reduction ? in.Svarint() : 0;
  if (!in.ready()) return nullptr;
  if (reduction < 0 || reduction > 2) {
    in.FailAt(offset, "reduction " + std::to_string(reduction) + ", where 0 to 2 are known");
    return nullptr;
  }
  std::string body = "<";
  body += mesh->kind == AttributeKind::kSymbol
              ? SymbolText(mesh->text)
              : "mesh" + std::string(EntryTable::StrippedText(*mesh));
  body += ", [" + Joined(in, dims) + "]";
  if (!replicated.empty()) body += ", replicated={" + Joined(in, replicated) + "}";
  if (!unreduced.empty()) {
    constexpr std::string_view kReductions[] = {"", "max", "min"};
    body +=
        ", unreduced=" + std::string(kReductions[reduction]) + "{" + Joined(in, unreduced) + "}";
  }
  return Sdy(in, "sharding", body + ">");
}

const Attribute* ReadRule(EntryCursor& in) {
  const Dims sizes = in.Svarints();
  const std::vector<const Attribute*> operands = in.AttributeRefs();
  const std::vector<const Attribute*> results = in.AttributeRefs();
  std::string body = "<(" + Joined(in, operands) + ")->(" + Joined(in, results) + ")";
  if (!sizes.empty()) {
    body += " {";
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (i > 0) body += ", ";
      body += Factor(static_cast<i64>(i)) + "=" + std::to_string(sizes[i]);
    }
    body += "}";
  }
  for (const std::string_view kind :
       {"reduction", "need_replication", "permutation", "blocked_propagation"}) {
    const Dims factors = in.Svarints();
    if (!factors.empty()) body += " " + std::string(kind) + "={" + Factors(factors, ", ") + "}";
  }
  if (in.Byte() != 0) body += ", custom";
  return Sdy(in, "op_sharding_rule", body + ">");
}

const Attribute* ReadAllToAll(EntryCursor& in) {
  const std::vector<const Attribute*> axes = in.AttributeRefs();
  const i64 source = in.Svarint();
  const i64 target = in.Svarint();
  return Sdy(
      in, "all_to_all_param",
      "{" + Joined(in, axes) + "}: " + std::to_string(source) + "->" + std::to_string(target));
}

}  // namespace

const Attribute* ReadSdyAttribute(EntryCursor& in) {
  const size_t offset = in.offset();
  const std::uint64_t code = in.Varint();
  if (!in.ok()) return nullptr;
  const auto list = [&](std::string_view mnemonic, std::string_view open, std::string_view close) {
    const std::vector<const Attribute*> parts = in.AttributeRefs();
    return Sdy(in, mnemonic, std::string(open) + Joined(in, parts) + std::string(close));
  };
  switch (code) {
    case 0:
      return list("manual_axes", "{", "}");
    case 1: {
      const std::string_view name = in.String();
      return Sdy(in, "mesh_axis", QuotedText(name) + "=" + std::to_string(in.Svarint()));
    }
    case 2:
      return ReadMesh(in);
    case 3: {
      const i64 before = in.Svarint();
      return Sdy(in, "sub_axis_info",
                 "(" + std::to_string(before) + ")" + std::to_string(in.Svarint()));
    }
    case 4:
      return ReadAxisRef(in);
    case 5:
      return ReadDimension(in);
    case 6:
    case 15:
    case 17:
      return ReadSharding(in, code != 6, code == 17);
    case 7:
    case 16:
      return list("sharding_per_value", "<[", "]>");
    case 8:
      return Sdy(in, "dim_mapping", Factors(in.Svarints(), ""));
    case 9:
      return list("tensor_mapping", "[", "]");
    case 10:
      return ReadRule(in);
    case 11:
      return list("axis_ref_list", "{", "}");
    case 12:
      return list("list_of_axis_ref_lists", "[", "]");
    case 13:
      return ReadAllToAll(in);
    case 14:
      return list("all_to_all_param_list", "[", "]");
    default:
      in.FailAt(offset, "attribute " + std::to_string(code) + " of the dialect sdy is not known",
                StatusCode::kUnimplemented);
      return nullptr;
  }
}

}  // namespace axle::mlir
