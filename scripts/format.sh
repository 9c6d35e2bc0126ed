#!/usr/bin/env bash
# clang-format-14 over every C++ file of the tree: scripts/format.sh [--check]
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(-i)
if [ "${1:-}" = --check ]; then mode=(--dry-run -Werror); fi
{ git ls-files -z -- '*.cc' '*.h'; git ls-files -z --others --exclude-standard -- '*.cc' '*.h'; } |
  while IFS= read -r -d '' file; do if [ -f "$file" ]; then printf '%s\0' "$file"; fi; done |
  xargs -0 -r -n 16 -P 2 clang-format-14 "${mode[@]}"
echo "format: ok"
