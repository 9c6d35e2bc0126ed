# shellcheck shell=bash disable=SC2034,SC2154
# The op of CONTRIBUTING.md, "Your first change": an opcode line, an op file, a case file. Read by scripts/drill.sh.
max_files=3

try_it() {
  cat >"$work/softsign.hlo" <<'HLO'
HloModule softsign, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  ROOT %result = f32[4]{0} softsign(f32[4]{0} %x)
}

HLO
  step parse
  "$axle" parse "$work/softsign.hlo"
  step print
  "$axle" print "$work/softsign.hlo" >"$work/once.hlo"
  "$axle" print "$work/once.hlo" >"$work/twice.hlo"
  cmp "$work/once.hlo" "$work/twice.hlo"
  grep -q 'softsign(' "$work/once.hlo"
  step run, interpreted and native
  for engine in interpret native; do
    if [ $engine = native ] && [ ! -e "$build/lib/libaxle_codegen.so" ]; then continue; fi
    "$axle" run --engine $engine --arg '0=f32[4] 0,1,-3,-0.0' "$work/softsign.hlo" >"$work/$engine.txt"
    cmp "$work/interpret.txt" "$work/$engine.txt"
  done
  grep -E '0\.5.*-0\.75' "$work/interpret.txt"
  step case table, op table
  "$build/bin/axle_cases_test" --gtest_brief=1 --gtest_filter='*softsign*:*Softsign*:*OpTable*'
  # A program of its own, compiled against the library just built.
  step builder
  cat >"$work/builder.cc" <<'CC'
#include <cstdio>

#include "axle/builder/xla_builder.h"

int main() {
  axle::XlaBuilder builder("softsign");
  const axle::XlaOp x = axle::Parameter(&builder, 0, axle::ShapeUtil::MakeShape(axle::F32, {4}), "x");
  axle::Softsign(x);
  const auto computation = builder.Build();
  if (!computation.ok()) {
    std::fprintf(stderr, "%s\n", computation.status().ToString().c_str());
    return 1;
  }
}
CC
  g++ -std=c++20 -I. -march=x86-64-v3 "$work/builder.cc" -L"$build/lib" -laxle -Wl,-rpath,"$build/lib" -o "$work/builder"
  "$work/builder"
}
