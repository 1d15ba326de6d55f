"""Tasks, the order in which they run, and the threads that run them.

All that orders the work of a program and its accesses to memory passes through a few functions:

- `scheduler.Scheduler.submit` queues every task: kernels and copies with the byte ranges that they
  read and write, host functions, records of events, and waits with the record that they wait for.
- `scheduler.Scheduler.wait` and `query` are where the host waits for tasks and asks whether they
  are done; `report` ends every synchronization with a stream.
- `streams.event.Event.record_to_wait_for` decides what a stream waits for, which may be nothing.
- `memory.device_memory.DeviceMemory.memcpy` and `memset` and `memory.tensor.Tensor.numpy` are where
  the host accesses device memory; `memory.address_space.AddressSpace` allocates and frees it.
"""
