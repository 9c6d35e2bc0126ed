#!/usr/bin/env bash
# All functions through axle_accuracy, into docs/accuracy-table.md; hours on one core. Interrupted,
# it has written what was finished.
#   tests/accuracy/measure_all.sh [BINARY [OPTIONS...]]    e.g. build/bench/bin/axle_accuracy --stride=101
set -euo pipefail
cd "$(dirname "$0")/../.."
binary=${1:-build/bench/bin/axle_accuracy}
shift || true
for op in cbrt acosh asinh atanh asin acos sinh cosh exponential exponential-minus-one log \
  log-plus-one tanh logistic erf sqrt rsqrt tan sine cosine atan2 power; do
  nice -n 19 "$binary" --table=docs/accuracy-table.md --op="$op" "$@"
done
