# Thin names for the commands of README.md and CONTRIBUTING.md; CMake does the work.
.PHONY: demo demo-distributed test lint format san tsan release install deb wheel jax-versions jax-venv jax-suites jax-suites-sample compare-jax bench-build bench compare compare-peers fuzz faults coverage clean deps
.DEFAULT_GOAL := test

deps:
	@scripts/deps.sh

# Trains a small network from HLO and again from the builder, and compares the bits.
demo:
	@scripts/deps.sh --build
	@echo "make demo: builds the library and the command line: 10 to 20 minutes on two cores the first time"
	cmake --preset release
	cmake --build --preset release --target axle_tool example_mlp
	@examples/demo.sh build/release

# Trains over four processes, kills one, and goes on from a checkpoint: a minute after the build.
demo-distributed:
	@scripts/deps.sh --demo
	cmake --preset release
	cmake --build --preset release --target axle_tool axle_codegen axle_gloo
	@if python3 -c 'import numpy' 2>/dev/null; then python=python3; else python=/usr/bin/python3; fi; \
	  $$python examples/demo_distributed.py build/release

# Comparisons with XLA need packages of the Python registry. Everything else works without.
test: deps
	@scripts/deps.sh --python || echo "make test: scripts/deps.sh --python failed (see above):" \
	  "the tests diff_xla.* and python.proto.xla, which compare with XLA, will be skipped" >&2
	cmake --preset dev
	cmake --build --preset dev
	ctest --preset dev --no-label-summary -j $$(nproc)

# Format, layers, headers alone, symbols, clang-tidy; `make lint LINT_FLAGS=--analyze` for the analyzer too.
lint: deps
	scripts/lint.sh $(LINT_FLAGS)

format:
	scripts/format.sh

# The whole test suite under AddressSanitizer and UndefinedBehaviorSanitizer.
san: deps
	cmake --preset san
	cmake --build --preset san
	ctest --preset san --no-label-summary -j $$(nproc)

# What threads can reach, under ThreadSanitizer; CMakePresets.json says which tests these are.
tsan: deps
	cmake --preset tsan
	cmake --build --preset tsan
	ctest --preset tsan --no-label-summary -j $$(nproc)

# The libraries and the command line alone: no tests, no benchmarks.
release:
	@scripts/deps.sh --build
	cmake --preset release
	cmake --build --preset release

# Libraries, headers, command line, Python module, completions and man pages: `make install PREFIX=~/axle`.
PREFIX ?= /usr/local
install: release
	cmake --install build/release --prefix $(PREFIX)

# A package for this Debian, in build/deb/.
deb:
	@scripts/deps.sh --package
	cmake --preset release
	cmake --build --preset release
	cd build/release && cpack -G DEB -B ../deb

# A wheel for pip, in build/wheel/: module, libraries, command line, JAX's plugin.
wheel: release
	scripts/make_wheel.py build/release build/wheel

# The wheel with the versions of JAX that it is for: 3 GB of the Python registry, in build/jax-versions/.
jax-versions: wheel
	scripts/jax_versions.py build/wheel/axle_compiler-*.whl build/jax-versions

# An environment with JAX, the wheel, and the packages of the suites and examples: about 1 GB of the Python registry.
JAX_VENV = build/jax-venv
JAX_EXAMPLES = flax equinox diffrax numpyro blackjax optimistix hypothesis
jax-venv: wheel
	test -x $(JAX_VENV)/bin/python || python3 -m venv $(JAX_VENV)
	$(JAX_VENV)/bin/pip install --quiet --disable-pip-version-check -r scripts/jax_requirements.txt $(JAX_EXAMPLES)
	$(JAX_VENV)/bin/pip install --quiet --disable-pip-version-check --force-reinstall --no-deps build/wheel/axle_compiler-*.whl

# JAX's own tests, from the checkout of jax-ml/jax that JAX_TESTS names, and those of wheels, on Axle and on XLA:CPU:
# hours at first; a second call goes on where the first one was. `make jax-suites JAX_SUITES="nn --cases 1"`.
jax-suites: jax-venv
	scripts/jax_suites.py --python $(JAX_VENV)/bin/python $(JAX_SUITES)

# A random sample of the wheels' tests within JAX_SAMPLE_SECONDS, of the dev build. .ci/run has it.
JAX_SAMPLE_SECONDS ?= 300
jax-suites-sample:
	cmake --preset dev
	cmake --build --preset dev --target axle_tool axle_codegen axle_pjrt axle_shell_files
	scripts/jax_sample.sh $(JAX_SAMPLE_SECONDS) build/dev

# JAX on Axle beside JAX on XLA:CPU: times of calls and of compilation, import, memory.
compare-jax: jax-venv
	bench/jax_bench.py --python $(CURDIR)/$(JAX_VENV)/bin/python

bench-build: deps
	cmake --preset bench
	cmake --build --preset bench

bench: bench-build
	@bench/run.sh build/bench

# Against XLA:CPU (docs/benchmarks.md): `make compare`, hours; `make compare QUICK=1`, minutes;
# `make compare COMPARE_FLAGS="--only D1 --threads 1"`. Results go to build/compare/.
compare: bench-build
	@scripts/deps.sh --compare
	@bench/compare_xla.py $(if $(QUICK),--quick) $(COMPARE_FLAGS)

# Against NumPy, PyTorch and ONNX Runtime (docs/benchmarks.md): 5 to 10 minutes on one thread, after 0.6 GB of the Python
# registry. `make compare-peers PEERS_FLAGS="--only D1 --threads 2"`. Results go to build/compare-peers/.
compare-peers: bench-build
	@scripts/deps.sh --peers
	@bench/compare_peers.py $(PEERS_FLAGS)

# FUZZ_SECONDS of libFuzzer on each of FUZZ_TARGETS: `make fuzz FUZZ_TARGETS=proto`.
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?= text proto stablehlo npz safetensors
fuzz: deps
	cmake --preset fuzz
	cmake --build --preset fuzz --target fuzzers
	for target in $(FUZZ_TARGETS); do scripts/fuzz.sh build/fuzz $(FUZZ_SECONDS) $$target || exit 1; done

# Before a release, in a clone of its own: breaks the compiler in about 50 ways, one at a time, and fails if random modules
# find fewer than 95 % of them. `make faults FAULTS_FLAGS="--only tail"`; hours for all of them.
faults: deps
	cmake --preset dev
	cmake --build --preset dev --target axle_tool axle_codegen axle_random_kernels
	scripts/inject_faults.py $(FAULTS_FLAGS)

# Which operations random modules have on which element types, and in which kind of compiled code:
# build/coverage.md. 400,000 modules take about three minutes on two cores.
COVERAGE_MODULES ?= 400000
coverage:
	@scripts/deps.sh --build
	cmake --preset release
	cmake --build --preset release --target axle_tool
	build/release/bin/axle gen --coverage --seed 1 --count $(COVERAGE_MODULES) --jobs $$(nproc) --output build/coverage.md

clean:
	rm -rf build
