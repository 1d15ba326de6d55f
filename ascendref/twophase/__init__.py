"""The two-phase API: validation, plan and workspace in phase 1, executors in phase 2."""
