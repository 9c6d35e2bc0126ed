// Feeds any bytes to the text parser. What parses must print, and what was printed must parse and
// print the same again. Memory and time are limited as `axle parse` limits them, so that running
// into a limit is a result, and the process running out of memory is a finding.
#include "axle/core/limits.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"
#include "fuzz/fuzz.h"

using axle::fuzz::Fail;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  axle::Limits limits;
  axle::fuzz::SetLimits(limits);
  const auto module = axle::Parse(text, {.limits = &limits});
  if (!module.ok()) {
    if (module.status().message().empty()) {
      Fail("an error without a message", std::string(text), "");
    }
    return 0;
  }
  const std::string once = axle::Print(**module);
  const auto again = axle::Parse(once);
  if (!again.ok()) {
    Fail("what was printed does not parse", once, std::string(again.status().message()));
  }
  const std::string twice = axle::Print(**again);
  if (once != twice) {
    Fail("what was printed prints differently after parsing", once, twice);
  }
  return 0;
}
