"""Device memory: allocation, copies, and tensors as views over it."""
