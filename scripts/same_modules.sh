#!/usr/bin/env bash
# Whether two builds, of different compilers, draw the same random modules from a seed:
# scripts/same_modules.sh BUILD_DIR BUILD_DIR [COUNT]. The seed is AXLE_SEED or a fresh one, and printed.
# The order in which arguments are evaluated is the compiler's choice, so no two arguments of one call may draw.
set -euo pipefail
cd "$(dirname "$0")/.."
one=${1:?usage: scripts/same_modules.sh BUILD_DIR BUILD_DIR [COUNT]}
other=${2:?usage: scripts/same_modules.sh BUILD_DIR BUILD_DIR [COUNT]}
count=${3:-3000}
seed=${AXLE_SEED:-$(($(date +%s%N) / 1000 % 1000000000))}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$one/bin/axle" gen --seed "$seed" --count "$count" --output "$work/one" --quiet
"$other/bin/axle" gen --seed "$seed" --count "$count" --output "$work/other" --quiet
if ! diff -rq "$work/one" "$work/other" >"$work/different"; then
  echo "same_modules: $(wc -l <"$work/different") of $count modules are others: axle gen --seed $seed; the first is" >&2
  sed -n 1p "$work/different" >&2
  exit 1
fi
echo "same_modules: $one and $other draw the same $count modules from seed $seed"
