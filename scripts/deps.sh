#!/usr/bin/env bash
# Installs what Axle needs on Debian 12: scripts/deps.sh [--build | --demo | --package | --python | --compare | --peers]
#
# Looks first, says what it will install and how large that is, and installs only what is missing, so it is
# quick when there is nothing to do; works as root and through sudo. --build is what the library and the
# command line need, without tests, benchmarks and checks; --demo adds NumPy; --package adds what `make deb` needs. --python also makes .venv with the packages of scripts/requirements.txt, from the
# Python registry: comparisons with XLA need them, and nothing else does. --compare is what `make compare`
# needs, which are the same ones. --peers also makes .venv-peers with the packages of
# scripts/peers_requirements.txt, which `make compare-peers` needs: 0.6 GB from the registry, without those of CUDA.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(
  g++ cmake ninja-build make git python3 pkg-config binutils    # the build
  zlib1g-dev libzstd-dev libxxhash-dev robin-map-dev            # libaxle
  libcli11-dev nlohmann-json3-dev                               # the command line
)
for_tests=(
  ccache patch libgtest-dev libbenchmark-dev libmpfr-dev  # tests, benchmarks
  clang-19 libclang-rt-19-dev clang-format-14             # san, tsan, fuzz, lint
)
versioned=(llvm-%-dev)
# Tests of code for AArch64, which are skipped without them.
emulator=(gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)
# Messages between processes, libaxle_gloo.so and libaxle_mpi.so, which are not built without them. 61 MB installed.
distributed=(libgloo-dev libopenmpi-dev openmpi-bin)
with_python=0
with_peers=0
only_build=0
for argument in "$@"; do
  case "$argument" in
    --build) only_build=1 ;;
    --demo) only_build=1; packages+=(python3-numpy) ;;
    --package) only_build=1; packages+=(dpkg-dev file) ;;
    --python | --compare) with_python=1; packages+=(python3-venv) ;;
    --peers) with_peers=1; packages+=(python3-venv python3-dev) ;;  # torch.compile includes Python.h
    *) echo "usage: scripts/deps.sh [--build | --demo | --package | --python | --compare | --peers]" >&2; exit 2 ;;
  esac
done
if [ $only_build = 0 ]; then
  packages+=("${for_tests[@]}")
  versioned+=(clang-tidy-%)
else
  emulator=()
fi

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "deps: run this as root, or install: ${missing[*]}" >&2
    exit 1
  fi
}

installed() { [ "$(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null)" = "ii " ]; }
# Says what comes and how much it is, and installs it.
install() {
  echo "deps: installing $*"
  apt-get install --assume-no --no-install-recommends "$@" 2>/dev/null |
    sed -nE 's/^(Need to get|After this operation).*/deps:   &/p' || true
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}
known() { [ -n "$(apt-cache madison "$1" 2>/dev/null)" ]; }

command -v apt-get >/dev/null || { echo "deps: no apt-get here; needed: ${packages[*]} ${versioned[*]//%/22}" >&2; exit 1; }

missing=()
for package in "${packages[@]}"; do
  installed "$package" || missing+=("$package")
done
# 22 comes with the security updates of Debian 12; 19 is the oldest that codegen/ is built with.
either=()
for pattern in "${versioned[@]}"; do
  if ! installed "${pattern/\%/22}" && ! installed "${pattern/\%/19}"; then either+=("$pattern"); fi
done

if [ ${#missing[@]} != 0 ] || [ ${#either[@]} != 0 ]; then
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
  for pattern in "${either[@]}"; do
    if known "${pattern/\%/22}"; then missing+=("${pattern/\%/22}"); else missing+=("${pattern/\%/19}"); fi
  done
  install "${missing[@]}"
fi
missing=()
for package in "${emulator[@]}"; do
  installed "$package" || missing+=("$package")
done
if [ ${#missing[@]} != 0 ] && [ "$(dpkg --print-architecture)" != arm64 ]; then
  (as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq && install "${missing[@]}") ||
    echo "deps: cannot install ${missing[*]}: tests of code for AArch64 will be skipped" >&2
fi
missing=()
for package in "${distributed[@]}"; do
  # Another MPI serves as well.
  if [ "$package" != libgloo-dev ] && installed libmpich-dev; then continue; fi
  installed "$package" || missing+=("$package")
done
if [ ${#missing[@]} != 0 ]; then
  (as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq && install "${missing[@]}") ||
    echo "deps: cannot install ${missing[*]}: building without transports between processes" >&2
fi
echo "deps: everything is there"

# has_requirements VENV FILE: whether an environment has the versions that a file names.
has_requirements() {
  [ -x "$1/bin/python" ] && "$1/bin/python" - "$2" 2>/dev/null <<'PYTHON'
import importlib.metadata, sys
for line in open(sys.argv[1]):
    name, version = line.split("==")
    if importlib.metadata.version(name) != version.strip():
        sys.exit(1)
PYTHON
}

# install_requirements VENV FILE OPTION...: makes the environment if it is not there, with the packages of a file.
# Short waits: a registry that is out of reach should not hold up a build for minutes.
install_requirements() {
  local venv=$1 file=$2
  shift 2
  if ! has_requirements "$venv" "$file"; then
    echo "deps: installing $(tr '\n' ' ' < "$file")into $venv"
    python3 -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 30 "$@" -r "$file"
  fi
}

if [ $with_python = 1 ]; then
  install_requirements .venv scripts/requirements.txt
  echo "deps: .venv has $(tr '\n' ' ' < scripts/requirements.txt)"
fi
if [ $with_peers = 1 ]; then
  install_requirements .venv-peers scripts/peers_requirements.txt --no-deps  # the file has them all but CUDA's
  .venv-peers/bin/python bench/peers/without_cuda.py
  .venv-peers/bin/python -c 'import torch'
  echo "deps: .venv-peers has $(tr '\n' ' ' < scripts/peers_requirements.txt)"
fi
