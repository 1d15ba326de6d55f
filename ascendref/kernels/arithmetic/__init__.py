"""The numbers that kernels compute with."""
