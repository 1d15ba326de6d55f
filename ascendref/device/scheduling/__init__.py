"""Tasks, the order in which they run, and the threads that run them.

All that orders the work of a program passes through three methods of `scheduler.Scheduler`:
`submit` queues every task (kernels and copies with the byte ranges that they read and write,
records of events, waits with the record that they wait for), `wait` is where the host waits for
tasks, and `poll` is where it asks whether they are done. The host itself accesses device memory in
`memcpy` and `memset` of `memory.device_memory.DeviceMemory` and in `memory.tensor.Tensor.numpy`.
Memory is allocated and freed by `memory.address_space.AddressSpace`.
"""
