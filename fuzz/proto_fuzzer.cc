// Feeds any bytes to the proto reader, as HloModuleProto, HloProto or HloSnapshot. What is read
// must print, parse and print the same, and must be written and read again as the same module.
// Memory and time are limited as `axle parse` limits them, so that running into a limit is a
// result.
#include "axle/client/load.h"
#include "axle/core/limits.h"
#include "axle/proto/read.h"
#include "axle/proto/write.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"
#include "fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using axle::fuzz::Fail;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  axle::Limits limits;
  axle::fuzz::SetLimits(limits);
  const auto program =
      axle::LoadProgram(bytes, {.format = axle::InputFormat::kHloProto, .limits = &limits});
  if (!program.ok()) {
    if (program.status().message().empty()) Fail("an error without a message", "", "");
    if (axle::IsBug(program.status())) Fail("a bug", program.status().message(), "");
    return 0;
  }
  const axle::Module& module = *program->module;
  const std::string text = axle::Print(module);
  const auto parsed = axle::Parse(text);
  if (!parsed.ok()) Fail("what was printed does not parse", text, parsed.status().message());
  const std::string again = axle::Print(**parsed);
  if (again != text) Fail("what was printed prints differently after parsing", text, again);
  const auto reread = axle::ReadModuleProto(axle::WriteModuleProto(module));
  if (!reread.ok()) Fail("what was written does not read", text, reread.status().message());
  const std::string from_proto = axle::Print(**reread);
  if (from_proto != text) Fail("the proto holds another module", text, from_proto);
  return 0;
}
