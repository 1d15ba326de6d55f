"""An emulated Ascend device: memory, streams, events, scheduling of tasks, timelines."""
