"""
A race, found and fixed
=======================

Two operators on two streams, the second of which reads what the first writes::

    python examples/10_race_found_and_fixed.py [PICTURE]

It needs the extra ``plot`` to draw (``docs/install.md``).

Nothing makes the second stream wait. On an NPU, such a program gives right results on most days.
The checker of the emulated device finds the race on the first run, whatever the timing.
"""

import sys

import numpy as np

import ascendref as ar
from ascendref import aclnn

DATA = np.linspace(-3, 3, 16, dtype=np.float32)


def two_operators(dev, *, fixed):
    """Queue softplus on one stream and hardshrink, which reads its result, on another."""
    one, two = dev.create_stream(), dev.create_stream()
    done = dev.create_event()
    x, middle = dev.tensor(DATA), dev.empty(DATA.shape, "float32")
    out = dev.empty(DATA.shape, "float32")
    size, executor = aclnn.aclnnSoftplusBackwardGetWorkspaceSize(x, x, 1.0, 20.0, middle)
    assert size == 0
    aclnn.aclnnSoftplusBackward(None, size, executor, one)
    if fixed:
        done.record(one)
        two.wait_event(done)
    size, executor = aclnn.aclnnHardshrinkBackwardGetWorkspaceSize(middle, x, 0.5, out)
    assert size == 0
    aclnn.aclnnHardshrinkBackward(None, size, executor, two)
    dev.synchronize()
    return out.numpy()


# %%
# The race
# --------
# With ``check="report"`` the program goes on, and the device collects what it found; by default
# the call raises `HazardError`.

dev = ar.Device("Atlas A2", check="report")
two_operators(dev, fixed=False)
(hazard,) = dev.hazards
print(f"{hazard.kind}: {hazard.first.call} on stream {hazard.first.stream},")
print(f"      {hazard.second.call} on stream {hazard.second.stream}")
print(f"fix:  {hazard.missing}")

# %%
# The fix
# -------
# An event, recorded on the first stream, for which the second one waits.

dev = ar.Device("Atlas A2", check="report")
result = two_operators(dev, fixed=True)
expected = ar.hardshrink_backward(ar.softplus_backward(DATA, DATA), DATA, 0.5)
assert result.tobytes() == expected.tobytes()
print(f"{len(dev.hazards)} hazards, bit for bit the result of the array functions")
if len(sys.argv) > 1:
    # Picture: the fixed run. The arrow leads from the record of the event to the wait for it.
    dev.trace().plot(sys.argv[1])
