"""The Python side of the C library: the implementations of its functions."""
