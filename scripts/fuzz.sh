#!/usr/bin/env bash
# Runs the text fuzzer for SECONDS: scripts/fuzz.sh BUILD_DIR [SECONDS]
# Starts from tests/data and, when it is there, ../shared/corpus; keeps what it learns and what it
# finds in BUILD_DIR/corpus and BUILD_DIR/findings. Exits non-zero on a finding.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: scripts/fuzz.sh BUILD_DIR [SECONDS]}
seconds=${2:-60}
mkdir -p "$build/corpus" "$build/seeds" "$build/findings"
i=0
shopt -s globstar nullglob
for file in tests/data/**/*.hlo tests/data/**/*.hlo.txt ../shared/corpus/**/*.hlo.txt; do
  if [ -f "$file" ] && [ "$(stat -c %s "$file")" -lt 65536 ]; then
    cp "$file" "$build/seeds/$((i += 1)).hlo"
  fi
done
grep -ohE '"[a-z][a-z0-9-]+"' axle/ops/*.cc axle/ir/opcodes.def | sort -u >"$build/words.dict"
"$build/bin/text_fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
  -use_value_profile=0 -print_final_stats=1 -dict="$build/words.dict" -jobs=0 \
  -artifact_prefix="$build/findings/" "$build/corpus" "$build/seeds" 2>&1 |
  grep -vE '^#[0-9]+\s+(NEW|REDUCE)' | tail -n 60
