"""Benchmarks for asv, and of queuing on the device (`python -m benchmarks.launches`).

Operators, types, sizes and layouts are those of `ascendref bench`.
"""
