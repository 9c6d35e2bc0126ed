#!/usr/bin/env bash
# Random modules on all engines for SECONDS: scripts/differential.sh [SECONDS] [BUILD_DIR]
# The seed is AXLE_SEED or a fresh one, and printed. For each module that fails: the command that checks it again is
# printed, and it is kept in BUILD_DIR/differential, with a reduced one beside it. Exits non-zero on a difference, a
# crash, a hang or an op that is not compiled.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-60}
build=${2:-build/dev}
seed=${AXLE_SEED:-$(($(date +%s%N) / 1000 % 1000000000))}
found=$build/differential
rm -rf "$found"
echo "differential: AXLE_SEED=$seed, $seconds s"
status=0
# Level 0 more often than others: it is the quickest to compile.
ways=(--isa all --levels 0,0,0,1,2 --threads 1,2,7,64 --repeat 2 --concurrent)
check() { # NUMERICS SECONDS
  "$build/bin/axle" check --random --time-limit "$2" --mem-limit 1G --seed "$seed" --numerics "$1" "${ways[@]}" --variants 1 --jobs "$(nproc)" --output "$found/$1" || status=$?
}
check strict $((seconds * 4 / 5))
check fast $((seconds / 5))
shopt -s nullglob
for file in "$found"/*/*.hlo; do
  "$build/bin/axle" reduce "$file" --numerics "$(basename "$(dirname "$file")")" "${ways[@]}" --time-limit 60 --mem-limit 1G \
    --output "${file%.hlo}.small.hlo" || true
done
exit "$status"
