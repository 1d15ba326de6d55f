"""The checker: races, lifetimes, uninitialized reads and waits that do nothing.

It knows what happened before what from the calls of the program alone, not from when tasks ran, so
it finds the same hazards in every execution mode and with every timing.
"""
