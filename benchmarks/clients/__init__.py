"""What people run on NPUs, on the CPU and through torch_npu: ``python -m benchmarks.clients``."""
