#!/usr/bin/env bash
# Every check that is not a test, cheapest first: scripts/lint.sh [--no-tidy | --analyze]
# --analyze adds clang's static analyzer, which takes several times as long as all the rest.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/format.sh --check
python3 scripts/check_layers.py
python3 scripts/check_contracts.py
python3 scripts/check_opcode_cases.py
python3 scripts/check_todos.py
[ -f build/dev/build.ninja ] || cmake --preset dev
cmake --build --preset dev --target axle_headers
echo "headers: each one compiles alone"
cmake --build --preset dev
python3 scripts/check_layers.py --link build/dev/lib
python3 scripts/check_libm.py build/dev
case "${1:-}" in
  --no-tidy) ;;
  --analyze) python3 scripts/tidy.py build/dev ;;
  *) python3 scripts/tidy.py --quick build/dev ;;
esac
