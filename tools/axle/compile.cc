// axle compile: a program with the machine code of its kernels, in a file.
#include "axle/core/strings.h"
#include "tools/axle/verbs.h"

namespace axle::tool {
namespace {

int RunCompile(Session& session) {
  const Options& options = session.options();
  const StatusOr<std::string> file = session.OneFile();
  if (!file.ok()) return session.Usage(StrCat("compile: ", file.status().message()));
  if (session.WritesToTerminal()) {
    return session.Usage("compile: a compiled program is binary; give --output FILE");
  }
  StatusOr<std::unique_ptr<Module>> module = session.Load(*file);
  if (!module.ok()) return session.Fail(module.status());
  const auto executable =
      session.Compile(std::shared_ptr<const Module>(*std::move(module)), options.engine);
  if (!executable.ok()) return session.Fail(executable.status());
  const StatusOr<std::string> bytes = (*executable)->Serialize();
  return bytes.ok() ? session.Write(*bytes) : session.Fail(bytes.status());
}

constexpr OptionUse kOptions[] = {
    {"output"},   {"engine"},     {"numerics"}, {"isa"},           {"from"},       {"strict-types"},
    {"replicas"}, {"partitions"}, {"threads"},  {"codegen-level"}, {"time-limit"}, {"mem-limit"},
};

}  // namespace

const Verb kCompileVerb = {
    .name = "compile",
    .summary = "a compiled program in a file, which starts without compiling",
    .examples =
        "axle compile model.hlo --output model.axle\n"
        "axle run model.axle --inputs in.npz\n",
    .description =
        "The file has the program, its options, and the machine code of its kernels. All verbs "
        "take\n"
        "it as a program. The same build of axle uses the code, on a processor that has the\n"
        "instruction set; any other compiles the program anew, with the same results. A damaged\n"
        "file is refused. The code runs as it is: load only files from a source that you trust.",
    .options = kOptions,
    .run = RunCompile};

}  // namespace axle::tool
