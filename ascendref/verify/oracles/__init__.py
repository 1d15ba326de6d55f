"""The arithmetic of the oracles, fast and exact; no code is shared with the kernels."""
