# shellcheck shell=bash disable=SC2034,SC2154
# The kind of CONTRIBUTING.md, "A kind of region": a line in the list of kinds, its row, its step, a test. Read by
# scripts/drill.sh.
max_files=5
targets=()

try_it() {
  cat >"$work/topk.hlo" <<'HLO'
HloModule topk

ENTRY main {
  x = f32[3,6] parameter(0)
  ROOT best = (f32[3,2], s32[3,2]) topk(x), k=2, largest=true
}
HLO
  step run, interpreted and native
  for engine in interpret native; do
    if [ $engine = native ] && [ ! -e "$build/lib/libaxle_codegen.so" ]; then continue; fi
    "$axle" run --engine $engine --fake=random:1 "$work/topk.hlo" >"$work/$engine.txt"
    cmp "$work/interpret.txt" "$work/$engine.txt"
  done
  step explain
  "$axle" explain "$work/topk.hlo" >"$work/explain.txt"
  grep -E '^  0   topk +best \(topk\)' "$work/explain.txt"
  grep -F '3 tiles' "$work/explain.txt"
  step its test
  g++ -std=c++20 -O0 -I. -march=x86-64-v3 tests/codegen/topk_step_test.cc -L"$build/lib" -laxle_codegen -laxle \
    -lgtest_main -lgtest -Wl,-rpath,"$build/lib" -o "$work/topk_step_test"
  "$work/topk_step_test" --gtest_brief=1
}
