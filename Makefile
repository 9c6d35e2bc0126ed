# Thin names for the commands of README.md and CONTRIBUTING.md; CMake does the work.
.PHONY: demo test lint format san tsan release bench compare fuzz clean deps
.DEFAULT_GOAL := test

deps:
	@scripts/deps.sh

# Trains a small network from HLO and again from the builder, and compares the bits.
demo: deps
	cmake --preset release
	cmake --build --preset release --target axle_tool example_mlp
	@examples/demo.sh build/release

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

# What threads can reach, under ThreadSanitizer.
tsan: deps
	cmake --preset tsan
	cmake --build --preset tsan
	ctest --preset tsan --no-label-summary -j $$(nproc) -L '^(core|runtime|client)$$'

release: deps
	cmake --preset release
	cmake --build --preset release

bench: release
	@bench/run.sh build/release

# Against XLA:CPU (docs/benchmarks.md): `make compare`, hours; `make compare QUICK=1`, minutes;
# `make compare COMPARE_FLAGS="--only D1 --threads 1"`. Results go to build/compare/.
compare: release
	@scripts/deps.sh --compare
	@bench/compare_xla.py $(if $(QUICK),--quick) $(COMPARE_FLAGS)

# FUZZ_SECONDS of libFuzzer on each of FUZZ_TARGETS: `make fuzz FUZZ_TARGETS=proto`.
FUZZ_SECONDS ?= 60
FUZZ_TARGETS ?= text proto npz
fuzz: deps
	cmake --preset fuzz
	cmake --build --preset fuzz --target fuzzers
	for target in $(FUZZ_TARGETS); do scripts/fuzz.sh build/fuzz $(FUZZ_SECONDS) $$target || exit 1; done

clean:
	rm -rf build
