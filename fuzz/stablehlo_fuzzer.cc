// Feeds any bytes to the readers of StableHLO: bytecode if they begin as that, else text. What is
// read must print, and what was printed must be read back as an equal tree. What converts to HLO
// must be a module that verifies.
#include <memory>

#include "axle/ops/op_def.h"
#include "axle/stablehlo/convert.h"
#include "axle/stablehlo/mlir/bytecode.h"
#include "axle/stablehlo/mlir/compare.h"
#include "axle/stablehlo/mlir/print.h"
#include "axle/stablehlo/mlir/text.h"
#include "fuzz/fuzz.h"

using axle::fuzz::Fail;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  axle::Limits limits;
  axle::fuzz::SetLimits(limits);
  axle::StatusOr<std::shared_ptr<const axle::mlir::MlirModule>> source =
      axle::InvalidArgument("not read");
  if (axle::mlir::IsMlirBytecode(bytes)) {
    auto read = axle::mlir::ReadMlirBytecode(bytes, {.limits = &limits});
    if (!read.ok()) return 0;
    source = std::shared_ptr<const axle::mlir::MlirModule>(std::move(*read));
  } else {
    auto read = axle::mlir::ParseMlirText(bytes, {.limits = &limits});
    if (!read.ok()) return 0;
    source = std::shared_ptr<const axle::mlir::MlirModule>(std::move(*read));
  }
  const std::string printed = axle::mlir::PrintMlirText(**source, {.generic = true});
  const auto again = axle::mlir::ParseMlirText(printed);
  if (!again.ok()) {
    Fail("what was printed is not read", printed, std::string(again.status().message()));
  }
  const std::string difference = axle::mlir::FirstDifference(**source, **again, {});
  if (!difference.empty()) Fail("what was printed is read as something else", printed, difference);
  const auto module = axle::ConvertOrKeepOpen(*source, {.limits = &limits});
  if (!module.ok()) {
    if (axle::IsBug(module.status())) {
      Fail("an internal error", printed, std::string(module.status().message()));
    }
    return 0;
  }
  if ((*module)->open_program() != nullptr) return 0;
  const axle::Status verified = axle::VerifyModule(**module);
  if (!verified.ok()) {
    Fail("what was converted does not verify", printed, std::string(verified.message()));
  }
  return 0;
}
