#include "tools/axle/values.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <set>

#include "axle/client/arguments.h"
#include "axle/core/file.h"
#include "axle/core/safetensors.h"
#include "axle/core/strings.h"
#include "axle/ops/open_sizes.h"
#include "tools/axle/argument_text.h"

namespace axle::tool {
namespace {

using Leaves = std::vector<std::optional<Literal>>;

// A file of named arrays; which of the two it is, its bytes say.
bool IsArrayFile(const std::string& path) {
  return path.ends_with(".npz") || path.ends_with(".safetensors");
}

StatusOr<Literal> ReadNpyLiteral(Session& session, const std::string& path, const Shape& shape) {
  AXLE_ASSIGN(const std::string bytes, session.Read(path));
  AXLE_ASSIGN(const NpyArray array, ReadNpy(bytes));
  return ToLiteral(array, shape);
}

constexpr std::string_view kInput = "in_";

// PREFIX0, PREFIX1, ...
bool IsNumbered(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) && name.size() > prefix.size() &&
         name.find_first_not_of("0123456789", prefix.size()) == name.npos;
}

// -1 if there is none.
i64 NumberAtEnd(std::string_view name) {
  const size_t last = name.find_last_not_of("0123456789");
  const std::string_view digits = name.substr(last == name.npos ? 0 : last + 1);
  i64 number = -1;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() ? number : -1;
}

Status BothFor(std::string_view a, std::string_view b, i64 leaf) {
  return InvalidArgument(StrCat("both \"", PrintableText(a), "\" and \"", PrintableText(b),
                                "\" are for argument ", leaf));
}

Status Annotate(const Status& status, std::string_view where) {
  return {status.code(), StrCat(where, ": ", status.message())};
}

// --arg KEY=@FILE.npy or KEY=VALUE.
Status ReadArg(Session& session, const std::string& text, std::optional<i64> device,
               const ArgumentNames& names, std::span<const Shape> shapes, Leaves& leaves) {
  const size_t equals = text.find('=');
  if (equals == text.npos || equals == 0) {
    return InvalidArgument(StrCat("--arg: \"", PrintableText(text),
                                  "\" is not ARGUMENT=@FILE.npy or ARGUMENT=VALUE, with the number "
                                  "or the name of an argument"));
  }
  const std::string where = StrCat("--arg ", PrintableText(text.substr(0, equals)));
  const StatusOr<size_t> index = names.Find(text.substr(0, equals));
  if (!index.ok()) return Annotate(index.status(), where);
  if (leaves[*index]) {
    return InvalidArgument(StrCat(where, ": argument ", *index, " is given twice"));
  }
  const std::string value = text.substr(equals + 1);
  StatusOr<Literal> literal =
      value.starts_with("@")
          ? ReadNpyLiteral(session, ForDevice(value.substr(1), device), shapes[*index])
          : ParseArgument(value, shapes[*index]);
  if (!literal.ok()) return Annotate(literal.status(), where);
  leaves[*index] = *std::move(literal);
  return {};
}

// What --inputs names: a file of arrays, read, or a folder of .npy files.
struct InputFile {
  std::string path;
  Npz npz;
  std::vector<std::string> names;  // of the arrays
};

StatusOr<InputFile> OpenInputs(Session& session, const std::string& path) {
  InputFile file = {.path = path, .npz = {}, .names = {}};
  if (IsArrayFile(path)) {
    AXLE_ASSIGN(const std::string bytes, session.Read(path));
    AXLE_ASSIGN(file.npz, ReadArrays(bytes, session.limits().memory_cap()));
    for (const auto& [name, array] : file.npz) file.names.push_back(name);
    return file;
  }
  std::error_code error;
  for (std::filesystem::directory_iterator it(path, error), end; !error && it != end;
       it.increment(error)) {
    if (it->path().extension() == ".npy") file.names.push_back(it->path().stem().string());
  }
  if (error && path.ends_with(".npy")) {
    return InvalidArgument(
        StrCat("is one array; --arg ARGUMENT=@", PrintableText(path), " says for which argument"));
  }
  if (error) {
    return InvalidArgument(StrCat(
        "is neither an .npz or .safetensors file nor a folder of .npy files: ", error.message()));
  }
  std::ranges::sort(file.names);
  return file;
}

StatusOr<Literal> ReadInput(Session& session, const InputFile& file, const std::string& name,
                            const Shape& shape) {
  if (IsArrayFile(file.path)) return MemberLiteral(file.npz, name, shape);
  return ReadNpyLiteral(session, StrCat(file.path, "/", name, ".npy"), shape);
}

// By the leaf, the name of the array for it: that of a parameter, or in_ or arr_ and the leaf's
// number.
StatusOr<std::map<i64, std::string>> NamesByLeaf(const InputFile& file,
                                                 const ArgumentNames& arguments) {
  std::map<i64, std::string> by_leaf;
  std::vector<std::string> others;
  for (const std::string& name : file.names) {
    if (IsNumbered(name, kInput) || !arguments.Parameter(name)) {
      others.push_back(name);
      continue;
    }
    AXLE_ASSIGN(const size_t leaf, arguments.Find(name));
    const auto [other, is_new] = by_leaf.emplace(static_cast<i64>(leaf), name);
    if (!is_new) return BothFor(other->second, name, other->first);
  }
  // Other numbers belong to the name, as of w1 or layer.0.
  std::erase_if(others, [](const std::string& name) {
    return !IsNumbered(name, kInput) && !IsNumbered(name, "arr_");
  });
  AXLE_ASSIGN(const auto by_number, NamesByNumber(others, kInput));
  for (const auto& [leaf, name] : by_number) {
    const auto [other, is_new] = by_leaf.emplace(leaf, name);
    if (!is_new) return BothFor(other->second, name, leaf);
  }
  return by_leaf;
}

Status NoArrayFor(size_t leaf, const Shape& shape, const InputFile& file,
                  const HloComputation& entry) {
  return NotFound(StrCat("no array for argument ", leaf, " ", shape.ToString(), "; there ",
                         file.names.size() == 1 ? "is " : "are ", FewNames(file.names),
                         ". An array has the name of a parameter, or in_ or arr_ and the number of "
                         "an argument",
                         ParameterNames(entry)));
}

// Says which arrays nobody took, but for results, which may be in the same file.
void NoteUnused(Session& session, const InputFile& file,
                const std::map<i64, std::string>& by_leaf) {
  std::set<std::string_view> used;
  for (const auto& [leaf, name] : by_leaf) used.insert(name);
  std::vector<std::string> unused;
  for (const std::string& name : file.names) {
    if (!IsNumbered(name, "out_") && !used.contains(name)) unused.push_back(name);
  }
  if (unused.empty()) return;
  session.Say(StrCat("note: ", PrintableText(file.path), ": ", FewNames(unused),
                     unused.size() == 1 ? " is" : " are", " for no argument"));
}

// What is missing in `leaves` from `path`, which --inputs names.
Status ReadInputs(Session& session, const std::string& path, const HloComputation& entry,
                  const ArgumentNames& arguments, std::span<const Shape> shapes, Leaves& leaves) {
  const auto at_file = [&](const Status& status) { return Annotate(status, PrintableText(path)); };
  const StatusOr<InputFile> file = OpenInputs(session, path);
  if (!file.ok()) return at_file(file.status());
  const StatusOr<std::map<i64, std::string>> names = NamesByLeaf(*file, arguments);
  if (!names.ok()) return at_file(names.status());
  const bool takes_any = !names->empty() || file->names.empty();
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (leaves[i]) continue;
    const auto name = names->find(static_cast<i64>(i));
    if (name == names->end()) {
      // A file that no argument takes anything of was meant for another program.
      if (!session.options().fake.empty() && takes_any) continue;
      return at_file(NoArrayFor(i, shapes[i], *file, entry));
    }
    StatusOr<Literal> leaf = ReadInput(session, *file, name->second, shapes[i]);
    if (!leaf.ok()) return at_file(leaf.status());
    leaves[i] = *std::move(leaf);
  }
  const auto past = names->lower_bound(static_cast<i64>(shapes.size()));
  if (past != names->end()) {
    session.Say(StrCat("note: ", PrintableText(path), ": there is no argument ", past->first,
                       " for \"", PrintableText(past->second), "\"; the program has ",
                       shapes.size()));
  }
  NoteUnused(session, *file, *names);
  return {};
}

// Values of this kind for the leaves that have none.
Status MakeFakes(std::span<const Shape> shapes, const std::string& kind, Limits& limits,
                 Leaves& leaves) {
  double all = 0, made = 0;
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (!leaves[i]) all += static_cast<double>(shapes[i].num_elements());
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (leaves[i]) continue;
    const auto elements = static_cast<double>(shapes[i].num_elements());
    const auto progress = [&](double done) { limits.Progress((made + done * elements) / all); };
    AXLE_ASSIGN(leaves[i], FakeLiteral(shapes[i], kind, static_cast<i64>(i), &limits, progress));
    made += elements;
  }
  return {};
}

}  // namespace

StatusOr<std::map<i64, std::string>> NamesByNumber(std::span<const std::string> names,
                                                   std::string_view prefix) {
  const bool has_prefix =
      std::ranges::any_of(names, [&](const auto& name) { return IsNumbered(name, prefix); });
  std::map<i64, std::string> by_number;
  for (const std::string& name : names) {
    if (has_prefix && !IsNumbered(name, prefix)) continue;
    const i64 number = NumberAtEnd(name);
    if (number < 0) {
      return InvalidArgument(StrCat(
          "\"", PrintableText(name),
          "\" ends in no number; the arrays are taken in the order of the numbers at the end "
          "of their names, as in in_0, in_1"));
    }
    const auto [other, is_new] = by_number.emplace(number, name);
    if (!is_new) {
      return InvalidArgument(StrCat("both \"", PrintableText(other->second), "\" and \"",
                                    PrintableText(name), "\" are number ", number));
    }
  }
  return by_number;
}

std::string ForDevice(std::string_view path, std::optional<i64> device) {
  constexpr std::string_view kNumber = "{device}";
  std::string result(path);
  if (!device) return result;
  const std::string number = std::to_string(*device);
  for (size_t at = result.find(kNumber); at != result.npos;
       at = result.find(kNumber, at + number.size())) {
    result.replace(at, kNumber.size(), number);
  }
  return result;
}

StatusOr<std::vector<Literal>> ReadArguments(Session& session, const HloComputation& entry,
                                             std::vector<Literal> stored,
                                             std::optional<i64> device) {
  const Options& options = session.options();
  const bool is_given = !options.args.empty() || !options.inputs.empty() || !options.fake.empty();
  if (!stored.empty() && !is_given) return stored;
  const std::vector<Shape> shapes = ArgumentLeaves(entry);
  i64 bytes = 0;
  for (const Shape& shape : shapes) {
    if (HasOpenSize(shape)) continue;
    bytes = CheckedAdd(bytes, shape.num_bytes()).value_or(INT64_MAX);
  }
  AXLE_TRY(session.limits().Reserve(bytes));
  session.limits().Release(bytes);
  Leaves leaves(shapes.size());
  const ArgumentNames names(entry);
  for (const std::string& arg : options.args) {
    AXLE_TRY(ReadArg(session, arg, device, names, shapes, leaves));
  }
  if (!options.inputs.empty()) {
    AXLE_TRY(ReadInputs(session, ForDevice(options.inputs, device), entry, names, shapes, leaves));
  }
  std::string fake = options.fake;
  const std::uint64_t seed = options.seed + static_cast<std::uint64_t>(device.value_or(0));
  if (fake == "random" && seed != 0) fake = StrCat("random:", seed);
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (leaves[i] || (!fake.empty() && !HasOpenSize(shapes[i]))) continue;
    if (HasOpenSize(shapes[i])) {
      return InvalidArgument(StrCat("argument ", i, " ", shapes[i].ToString(),
                                    " has no value, which would say its sizes: give --inputs "
                                    "FILE.npz or --arg ",
                                    i, "=..."));
    }
    return InvalidArgument(StrCat("argument ", i, " ", shapes[i].ToString(),
                                  " has no value: give --inputs FILE.npz, --arg ", i,
                                  "=..., or --fake"));
  }
  // Nobody asked for this work: it does not count as that of the program.
  AXLE_TRY(session.WithoutClock("generating values", [&](Limits& limits) -> Status {
    return MakeFakes(shapes, fake, limits, leaves);
  }));
  std::vector<Literal> values;
  for (std::optional<Literal>& leaf : leaves) values.push_back(*std::move(leaf));
  return ArgumentsFromLeaves(entry, std::move(values));
}

Status FitToArguments(std::span<const Literal> arguments, std::shared_ptr<const Module>& module) {
  if (!HasOpenSize(*module)) return {};
  std::vector<Shape> shapes;
  for (const Literal& argument : arguments) shapes.push_back(argument.shape().WithoutLayout());
  AXLE_ASSIGN(module, ForArgumentShapes(*module, shapes));
  return {};
}

StatusOr<ResultFile> ResultFileOf(const std::string& path) {
  std::error_code error;
  if (path.find('\0') != path.npos) return InvalidArgument("--output: there is a NUL byte in it");
  if (path == "-") return ResultFile::kStdout;
  if (path.ends_with('/') || std::filesystem::is_directory(path, error)) return ResultFile::kFolder;
  if (path.ends_with(".npz")) return ResultFile::kNpz;
  if (path.ends_with(".safetensors")) return ResultFile::kSafetensors;
  if (path.ends_with(".npy")) return ResultFile::kNpy;
  return InvalidArgument(
      StrCat("--output: \"", PrintableText(path),
             "\" is neither a .npz, .npy or .safetensors file nor an existing folder or "
             "FOLDER/, nor - for stdout"));
}

Status WriteResult(Session& session, const std::string& path, ResultFile kind,
                   const Literal& result) {
  const auto leaves = NamedLeaves(result, "out_");
  if (kind == ResultFile::kNpy) return WriteFile(path, WriteNpy(leaves[0].second));
  if (kind == ResultFile::kSafetensors) {
    AXLE_ASSIGN(const std::string bytes, WriteSafetensors(leaves));
    return WriteFile(path, bytes);
  }
  if (kind != ResultFile::kFolder) {
    AXLE_ASSIGN(const std::string bytes, WriteNpz(leaves, /*deflate=*/false));
    if (kind == ResultFile::kNpz) return WriteFile(path, bytes);
    session.Out(bytes);
    return {};
  }
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    return InvalidArgument(StrCat("cannot make \"", PrintableText(path), "\": ", error.message()));
  }
  for (const auto& [name, literal] : leaves) {
    AXLE_TRY(WriteFile(StrCat(path, "/", name, ".npy"), WriteNpy(literal)));
  }
  return {};
}

}  // namespace axle::tool
