"""Benchmarks: `asv run` and `python -m benchmarks.peers`."""
