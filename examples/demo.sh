#!/usr/bin/env bash
# What `make demo` ends with: a training run from HLO and from XlaBuilder, and where to go next.
# usage: examples/demo.sh BUILD_DIR
set -eu
build=$1
cd "$(dirname "$0")/.."
"$build/bin/example_mlp" examples/mlp_train_step.hlo
cat <<MSG

Try next:
  $build/bin/axle info examples/mlp_train_step.hlo
  $build/bin/axle run examples/mlp_train_step.hlo --fake=random:1 --time
  $build/bin/axle run examples/axpy_tanh.hlo --fake=iota --engine native
  $build/bin/axle print --style short examples/mlp_train_step.hlo
  sed -n '/BuildTrainStep/,/^}/p' examples/mlp.cc      # the same network in C++
  $build/bin/axle help
MSG
