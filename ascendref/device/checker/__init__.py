"""The checker: races, lifetimes, uninitialized reads and waits that do nothing.

It knows what happened before what from the calls of the program alone, not from when tasks ran, so
it finds the same hazards in every execution mode and with every timing. From the bottom up:

- `machine_code`: the source of a place in a program in C or C++;
- `callers`: where in the program a call comes from;
- `ordering`: the order of operations, with vector clocks;
- `shadow`: for every byte of an allocation, who wrote it last and who has read it since;
- `waits`: waits for events that did not do what they may have been meant to;
- `hazards`: what is reported; `reports`: in which words;
- `pinned`: what the program does to pinned memory through an array;
- `checker`: what the calls of a device tell the checker.
"""
