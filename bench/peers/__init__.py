"""The rows of bench/compare_peers.py: the same functions for NumPy and SciPy, PyTorch, and ONNX Runtime."""
