#!/usr/bin/env bash
# Runs every benchmark of a build, one after the other: bench/run.sh BUILD_DIR [NAME...]
# Prints the machine first, because no figure means anything without it.
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:?usage: bench/run.sh BUILD_DIR [NAME...]}
shift
echo "machine: $(sed -nE 's/^model name[[:space:]]*: //p' /proc/cpuinfo | head -n 1), $(nproc) CPUs, load $(cut -d' ' -f1 /proc/loadavg)"
echo "commit:  $(git rev-parse --short HEAD)$(git diff --quiet HEAD || echo ', changed')"
status=0
startup=$(($# == 0))
if [ $# = 0 ]; then
  for program in "$build"/bin/bench_*; do set -- "$@" "${program##*/bench_}"; done
fi
for name in "$@"; do
  echo
  echo "== $name"
  "$build/bin/bench_$name" || status=1
done
if [ $startup = 1 ]; then
  echo
  echo "== start-up"
  python3 bench/startup.py --build "$build" || status=1
fi
exit $status
