"""An emulated Ascend device: memory, streams, events, scheduling of tasks, timelines, checker.

`device` is what programs create; `lock_free` explains how the state stays consistent.
"""
