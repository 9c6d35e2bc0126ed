// Feeds any bytes to the text parser. What parses must print, and what was printed must parse and
// print the same again. Memory and time are limited as `axle parse` limits them, so that running
// into a limit is a result, and the process running out of memory is a finding.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "axle/core/limits.h"
#include "axle/text/parse.h"
#include "axle/text/print.h"

namespace {

[[noreturn]] void Fail(const char* what, const std::string& first, const std::string& second) {
  std::fprintf(stderr, "text_fuzzer: %s\n--- first\n%s\n--- second\n%s\n", what, first.c_str(),
               second.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  axle::Limits limits;
  limits.set_memory_cap(std::int64_t{1} << 30);
  limits.set_time_limit(8);
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
