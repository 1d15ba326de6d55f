"""Operators that PyTorch's CPU kernels compute, on the device's memory and in stream order.

``table.tsv`` has a row for each: the vendor's parameters, and an expression over PyTorch. Results
are those of PyTorch on the CPU; they say nothing about an NPU's arithmetic.
"""
