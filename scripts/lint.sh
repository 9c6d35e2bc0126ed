#!/usr/bin/env bash
# Every check that is not a test, cheapest first: scripts/lint.sh [--no-tidy]
# Needs build/dev configured; builds it where a check looks at objects.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/format.sh --check
python3 scripts/check_layers.py
python3 scripts/check_opcode_cases.py
python3 scripts/check_todos.py
cmake --build --preset dev --target axle_headers
echo "headers: each one compiles alone"
cmake --build --preset dev
python3 scripts/check_layers.py --link build/dev/lib
python3 scripts/check_libm.py build/dev
if [ "${1:-}" != --no-tidy ]; then
  python3 scripts/tidy.py build/dev
fi
