"""The Python side of the C library: what its functions do."""
