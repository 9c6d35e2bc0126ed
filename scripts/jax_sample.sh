#!/usr/bin/env bash
# Runs a random sample of the tests of chex, optax and Haiku on Axle and on XLA:CPU: scripts/jax_sample.sh [SECONDS [BUILD]]
#
# A test that passes on XLA:CPU and not on Axle fails it. The wheel is made of BUILD, build/dev if it is not named, and
# installed into build/jax-venv, which is made if it is not there (400 MB of the Python registry). All of that and the tests
# take SECONDS, 300. The order of the tests is drawn anew each time and printed; AXLE_SEED=NUMBER gives the same one again.
# Where the registry cannot be reached and the packages are not there, it says so, runs nothing and succeeds.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-300}
build=${2:-build/dev}
venv=build/jax-venv
requirements=scripts/jax_requirements.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[ -x $venv/bin/python ] || python3 -m venv $venv
pip() { $venv/bin/python -m pip --quiet --disable-pip-version-check --retries 1 --timeout 30 "$@"; }
# With all of the versions there, pip asks the registry nothing.
if ! pip install -r $requirements; then
  # What cannot be installed though the registry answers is a mistake in the list.
  if pip download --no-deps --dest "$work" "$(grep '^absl-py==' $requirements)" 2>/dev/null; then
    echo "jax_sample: $requirements cannot be installed (see above)" >&2
    exit 1
  fi
  {
    echo "jax_sample: THE PYTHON REGISTRY CANNOT BE REACHED, and $venv does not have $requirements."
    echo "jax_sample: NO TEST OF chex, optax AND Haiku WAS RUN; nothing is known of JAX's programs on this build."
  } >&2
  exit 0
fi
scripts/make_wheel.py "$build" "$work"
pip install --force-reinstall --no-deps "$work"/axle_compiler-*.whl
echo "jax_sample: installed after $SECONDS s"

# A slow registry leaves little of the time: the tests get a minute at least.
left=$((seconds - SECONDS))
[ $left -ge 60 ] || left=60

# Haiku's doctests leave a setting of Haiku on, with which other tests fail.
rm -rf build/jax-sample
scripts/jax_suites.py --python $venv/bin/python --results build/jax-sample --seconds $left --timeout 100 \
  -k 'not DoctestTest' ${AXLE_SEED:+--seed "$AXLE_SEED"} --least 1 chex haiku optax
