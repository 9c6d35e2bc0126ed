"""The comparison of Axle with XLA:CPU: bench/compare_xla.py is the command, docs/benchmarks.md the method."""
