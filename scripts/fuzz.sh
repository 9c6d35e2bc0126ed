#!/usr/bin/env bash
# Runs a fuzzer for SECONDS: scripts/fuzz.sh BUILD_DIR [SECONDS] [text|proto|stablehlo|npz|safetensors]
# Starts from tests/data; keeps what it learns and what it
# finds in BUILD_DIR/corpus/TARGET and BUILD_DIR/findings. Exits non-zero on a finding.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: scripts/fuzz.sh BUILD_DIR [SECONDS] [text|proto|stablehlo|npz|safetensors]}
seconds=${2:-60}
target=${3:-text}
case $target in
  text) suffixes=(.hlo .hlo.txt) ;;
  proto) suffixes=(.hlo.pb) ;;
  stablehlo) suffixes=(.mlir .bc .mlirbc) ;;
  npz) suffixes=(.npz .npy) ;;
  safetensors) suffixes=(.safetensors) ;;
  *) echo "fuzz: no target \"$target\": there are text, proto, stablehlo, npz and safetensors" >&2; exit 2 ;;
esac
seeds=$build/seeds/$target
mkdir -p "$build/corpus/$target" "$seeds" "$build/findings"
i=0
shopt -s globstar nullglob
for suffix in "${suffixes[@]}"; do
  for file in tests/data/**/*"$suffix"; do
    if [ -f "$file" ] && [ "$(stat -c %s "$file")" -lt 65536 ]; then
      cp "$file" "$seeds/$((i += 1))$suffix"
    fi
  done
done
grep -ohE '"[a-z][a-z0-9-]+"' axle/ops/*.cc axle/ir/opcodes.def axle/stablehlo/mlir/dialect.cc | sort -u >"$build/words.dict"
"$build/bin/${target}_fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
  -max_len=65536 -use_value_profile=0 -print_final_stats=1 -dict="$build/words.dict" -jobs=0 \
  -artifact_prefix="$build/findings/$target-" "$build/corpus/$target" "$seeds" 2>&1 |
  grep -vE '^#[0-9]+\s+(NEW|REDUCE)' | tail -n 60
