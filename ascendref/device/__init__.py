"""An emulated Ascend device: memory, streams, events, scheduling of tasks, timelines.

From top to bottom; each module imports only modules below it:

- `device`: the class `Device`, which programs create; `process`: exit and forks.
- `streams`: streams, events, host functions, callbacks; `memory`: allocation, copies, tensors.
- `base_device`: the part of a device that memory, streams and events refer to.
- `trace`: timelines of finished tasks.
- `scheduling`: tasks, the scheduler of a device, execution modes, worker threads.
- `scalar`; `arguments`: checks; `handle`: objects that cannot be copied; `lock_free`:
  how the state stays consistent without locks, on which every module here relies.
"""
