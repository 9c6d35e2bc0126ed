#!/usr/bin/env bash
# Makes changes that CONTRIBUTING.md describes, builds them, tries them and takes them back:
#
#   scripts/drill.sh [--build DIR] [--all] NAME...
#
# A drill NAME is two files. drill/NAME.patch is the change. drill/NAME.sh is read by this script and says what
# it has to keep: `max_files`, how many files the patch may touch; `targets`, an array of build targets besides the
# command line, the libraries and axle_cases_test; `try_it`, a function that uses the change and fails if it does
# not work ($axle: the command line; $build: the build; $work: a folder that is removed afterwards; `step TEXT`
# prints). All patches are applied before anything is built, so that several drills cost one build.
#
# DIR is build/drill: the release preset. With --all everything that preset has is built, which is how .ci/run
# sees to it that the release build has no warnings. The tree is put back whatever happens.
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/drill
all=0
names=()
while [ $# -gt 0 ]; do
  case "$1" in
    --build) build=${2:?drill: --build takes a folder}; shift 2 ;;
    --all) all=1; shift ;;
    -*) echo "usage: scripts/drill.sh [--build DIR] [--all] NAME..." >&2; exit 2 ;;
    *) names+=("$1"); shift ;;
  esac
done
if [ ${#names[@]} = 0 ]; then
  echo "usage: scripts/drill.sh [--build DIR] [--all] NAME...; there are: $(cd drill && ls ./*.patch | sed -nE 's|./(.*)\.patch|\1|p' | xargs)" >&2
  exit 2
fi
step() { echo "drill: $*"; }

# What a drill says of itself; try_it comes from the last one that was loaded.
load() {
  if [ ! -f "drill/$1.patch" ] || [ ! -f "drill/$1.sh" ]; then
    echo "drill: \"$1\" needs drill/$1.patch and drill/$1.sh" >&2
    exit 2
  fi
  max_files=0
  targets=()
  # shellcheck disable=SC1090
  source "drill/$1.sh"
}

all_targets=(axle axle_tool axle_cases_test)
for name in "${names[@]}"; do
  load "$name"
  all_targets+=("${targets[@]}")
  files=$(sed -nE 's|^\+\+\+ b/([^[:space:]]*).*|\1|p' "drill/$name.patch")
  if [ "$(wc -l <<<"$files")" -gt "$max_files" ]; then
    echo "drill: $name touches $(wc -l <<<"$files") files, at most $max_files may be touched:" "$files" >&2
    exit 1
  fi
done

work=$(mktemp -d)
applied=()
revert() {
  for ((i = ${#applied[@]} - 1; i >= 0; --i)); do
    patch --quiet --reverse --no-backup-if-mismatch -p1 <"drill/${applied[i]}.patch"
  done
  rm -rf "$work"
}
trap revert EXIT
for name in "${names[@]}"; do
  if ! patch --quiet --dry-run --no-backup-if-mismatch -p1 <"drill/$name.patch"; then
    echo "drill: drill/$name.patch does not apply; write it again for the tree as it is" >&2
    exit 1
  fi
  applied+=("$name")
  patch --quiet --no-backup-if-mismatch -p1 <"drill/$name.patch"
done

if [ $all = 1 ]; then
  cmake --preset release -B "$build" -DAXLE_TESTS=OFF
  cmake --build "$build"
fi
if [ $all = 1 ] || [ ! -f "$build/build.ninja" ]; then cmake --preset release -B "$build" -DAXLE_TESTS=ON; fi
has_target() { ninja -C "$build" -t targets all | grep "^$1: " >/dev/null; }
if has_target axle_codegen; then all_targets+=(axle_codegen); fi
cmake --build "$build" --target "${all_targets[@]}"
# Paths of the build for programs that run elsewhere.
build=$(cd "$build" && pwd)
axle="$build/bin/axle"
for name in "${names[@]}"; do
  load "$name"
  step "try $name"
  try_it
done
echo "drill: ${names[*]}: applied, built, tried, and taken back"
