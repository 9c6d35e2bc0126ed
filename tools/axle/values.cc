#include "tools/axle/values.h"

#include <filesystem>
#include <optional>

#include "axle/client/arguments.h"
#include "axle/core/file.h"
#include "axle/core/npz.h"
#include "axle/core/strings.h"
#include "axle/ops/open_sizes.h"
#include "tools/axle/argument_text.h"

namespace axle::tool {
namespace {

using Leaves = std::vector<std::optional<Literal>>;

bool IsNpz(const std::string& path) {
  return path.ends_with(".npz");
}

StatusOr<Literal> ReadNpyLiteral(Session& session, const std::string& path, const Shape& shape) {
  AXLE_ASSIGN(const std::string bytes, session.Read(path));
  AXLE_ASSIGN(const NpyArray array, ReadNpy(bytes));
  return ToLiteral(array, shape);
}

Status Annotate(const Status& status, std::string_view where) {
  return {status.code(), StrCat(where, ": ", status.message())};
}

// --arg KEY=@FILE.npy or KEY=VALUE.
Status ReadArg(Session& session, const std::string& text, const HloComputation& entry,
               std::span<const Shape> shapes, Leaves& leaves) {
  const size_t equals = text.find('=');
  if (equals == text.npos || equals == 0) {
    return InvalidArgument(StrCat("--arg: \"", PrintableText(text),
                                  "\" is not ARGUMENT=@FILE.npy or ARGUMENT=VALUE, with the number "
                                  "or the name of an argument"));
  }
  const std::string where = StrCat("--arg ", PrintableText(text.substr(0, equals)));
  const StatusOr<size_t> index = FindArgument(text.substr(0, equals), entry);
  if (!index.ok()) return Annotate(index.status(), where);
  if (leaves[*index]) {
    return InvalidArgument(StrCat(where, ": argument ", *index, " is given twice"));
  }
  const std::string value = text.substr(equals + 1);
  StatusOr<Literal> literal = value.starts_with("@")
                                  ? ReadNpyLiteral(session, value.substr(1), shapes[*index])
                                  : ParseArgument(value, shapes[*index]);
  if (!literal.ok()) return Annotate(literal.status(), where);
  leaves[*index] = *std::move(literal);
  return {};
}

// What is missing in `leaves` from an .npz file, or a folder of .npy files.
Status ReadInputs(Session& session, std::span<const Shape> shapes, Leaves& leaves) {
  const std::string& path = session.options().inputs;
  Npz npz;
  if (IsNpz(path)) {
    AXLE_ASSIGN(const std::string bytes, session.Read(path));
    StatusOr<Npz> read = ReadNpz(bytes, session.limits().memory_cap());
    if (!read.ok()) return Annotate(read.status(), PrintableText(path));
    npz = *std::move(read);
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (leaves[i]) continue;
    const std::string name = StrCat("in_", i);
    const std::string file = StrCat(path, "/", name, ".npy");
    StatusOr<Literal> leaf = IsNpz(path) ? MemberLiteral(npz, name, shapes[i])
                                         : ReadNpyLiteral(session, file, shapes[i]);
    if (leaf.ok()) {
      leaves[i] = *std::move(leaf);
    } else if (session.options().fake.empty() || leaf.status().code() != StatusCode::kNotFound) {
      return Annotate(leaf.status(), PrintableText(IsNpz(path) ? path : file));
    }
  }
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

StatusOr<std::vector<Literal>> ReadArguments(Session& session, const HloComputation& entry,
                                             std::vector<Literal> stored) {
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
  for (const std::string& arg : options.args) {
    AXLE_TRY(ReadArg(session, arg, entry, shapes, leaves));
  }
  if (!options.inputs.empty()) AXLE_TRY(ReadInputs(session, shapes, leaves));
  std::string fake = options.fake;
  if (fake == "random" && options.seed != 0) fake = StrCat("random:", options.seed);
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
  AXLE_TRY(session.WithoutClock("making values", [&](Limits& limits) -> Status {
    return MakeFakes(shapes, fake, limits, leaves);
  }));
  std::vector<Literal> values;
  for (std::optional<Literal>& leaf : leaves) values.push_back(*std::move(leaf));
  return ArgumentsFromLeaves(entry, std::move(values));
}

StatusOr<ResultFile> ResultFileOf(const std::string& path) {
  std::error_code error;
  if (path.find('\0') != path.npos) return InvalidArgument("--output: there is a NUL byte in it");
  if (path == "-") return ResultFile::kStdout;
  if (path.ends_with('/') || std::filesystem::is_directory(path, error)) return ResultFile::kFolder;
  if (IsNpz(path)) return ResultFile::kNpz;
  if (path.ends_with(".npy")) return ResultFile::kNpy;
  return InvalidArgument(StrCat("--output: \"", PrintableText(path),
                                "\" is neither a .npz or .npy file nor an existing folder or "
                                "FOLDER/, nor - for stdout"));
}

Status WriteResult(Session& session, ResultFile kind, const Literal& result) {
  const std::string& path = session.options().output;
  const auto leaves = NamedLeaves(result, "out_");
  if (kind == ResultFile::kNpy) return WriteFile(path, WriteNpy(leaves[0].second));
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
