"""Tasks, the order in which they run, and the threads that run them.

Everything that orders a program's work and memory accesses passes through a few functions:

- `scheduler.Scheduler.submit` queues every task: kernels and copies with the byte ranges that they
  read and write, host functions, records of events, and waits with the record that they wait for.
- In `scheduler.Scheduler.wait` and `query` the host waits for tasks and asks whether they are done;
  `report` ends every synchronization with a stream.
- `streams.event.Event.record_to_wait_for` decides which record, if any, a stream waits for.
- In `memory.device_memory.DeviceMemory.memcpy` and `memset` and `memory.tensor.Tensor.numpy` the
  host accesses device memory; `memory.address_space.AddressSpace` allocates and frees it.
"""
