"""Where work happens: memory, streams, events and tasks of an emulated Ascend device."""
