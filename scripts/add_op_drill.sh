#!/usr/bin/env bash
# Adds a unary op from drill/softsign.patch (opcode line, op file, case file: three files), builds, uses
# it through the parser, the printer, the interpreter, the builder and native code, and takes it back,
# whatever happens: scripts/add_op_drill.sh [BUILD_DIR]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/dev}
patch=drill/softsign.patch

files=$(sed -nE 's|^\+\+\+ b/([^[:space:]]*).*|\1|p' "$patch")
if [ "$(wc -l <<<"$files")" != 3 ]; then
  echo "drill: $patch touches $(wc -l <<<"$files") files, must be three: $files" >&2
  exit 1
fi
[ -f "$build/build.ninja" ] || cmake --preset dev -B "$build"

work=$(mktemp -d)
applied=0
revert() {
  if [ $applied = 1 ]; then patch --quiet --reverse --no-backup-if-mismatch -p1 <"$patch"; fi
  rm -rf "$work"
}
trap revert EXIT
patch --quiet --dry-run --no-backup-if-mismatch -p1 <"$patch"
applied=1
patch --quiet --no-backup-if-mismatch -p1 <"$patch"

# The builder is reached from a program of its own, compiled against the library just built.
cmake --build "$build" --target axle axle_tool axle_cases_test \
  $(ninja -C "$build" -t targets all | sed -nE 's/^(axle_codegen): .*/\1/p')
axle="$build/bin/axle"

cat >"$work/softsign.hlo" <<'HLO'
HloModule softsign, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0)
  ROOT %result = f32[4]{0} softsign(f32[4]{0} %x)
}

HLO
step() { echo "drill: $*"; }
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
step case table, op table, builder
"$build/bin/axle_cases_test" --gtest_brief=1 --gtest_filter='*softsign*:*Softsign*:*OpTable*'
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
g++ -std=c++20 -I. -march=x86-64-v3 "$work/builder.cc" -L"$build/lib" -laxle -Wl,-rpath,"$PWD/$build/lib" -o "$work/builder"
"$work/builder"
echo "drill: an op added in three files parses, prints, evaluates, compiles and builds"
