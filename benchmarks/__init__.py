"""Benchmarks for asv, and what queuing on the device costs (`python -m benchmarks.launches`).

Operators, types, sizes and layouts come from `ascendref.bench`, which `ascendref bench` prints as a
table of ratios.
"""
