"""The two-phase operator API: phase 1 plans a call, phase 2 queues it."""
