"""
A pipeline of four streams
==========================

Four concurrent streams on an emulated device prepare, upload, compute and download::

    python examples/04_pipeline.py [PICTURE]

It needs the extra ``plot`` to draw (``docs/install.md``).

Chunks of data go through two sets of buffers. Events make every stream wait for what it needs and
for nothing else: an upload waits until its chunk is prepared, and until the chunk before the last,
which used the same buffers, is computed. While the device computes one chunk, the host prepares the
next. The timeline is printed, and drawn if a file is named; `trace.json` beside that file opens in
https://ui.perfetto.dev.
"""

import sys
from pathlib import Path

import numpy as np

import ascendref as ar
from ascendref import aclnn

CHUNKS, SIZE = 6, 2**21
DATA = np.random.default_rng(0).standard_normal(SIZE, dtype=np.float32)


class Buffers:
    """The buffers of one chunk on the host and on the device, and events for its progress."""

    def __init__(self, dev):
        self.source = dev.malloc_host(4 * SIZE)
        self.target = dev.malloc_host(4 * SIZE)
        self.x, self.grad = (dev.tensor(np.zeros(SIZE, np.float32)) for _ in range(2))
        self.prepared, self.uploaded, self.computed, self.downloaded = (
            dev.create_event() for _ in range(4)
        )


def operate(x, grad, stream):
    """Queue two operators; the gradient of the first goes through the second in place."""
    size, executor = aclnn.aclnnSoftplusBackwardGetWorkspaceSize(x, x, 1.0, 20.0, grad)
    assert size == 0
    aclnn.aclnnSoftplusBackward(None, size, executor, stream)
    size, executor = aclnn.aclnnHardshrinkBackwardGetWorkspaceSize(grad, x, 0.5, grad)
    aclnn.aclnnHardshrinkBackward(None, size, executor, stream)


def pipeline(dev):
    """Compute all chunks on the device and return the results."""
    prepare, upload, compute, download = (dev.create_stream() for _ in range(4))
    results = np.ones((CHUNKS, SIZE), np.float32)
    sets = Buffers(dev), Buffers(dev)
    for chunk in range(CHUNKS):
        b = sets[chunk % 2]

        def fill(b=b, chunk=chunk):
            np.multiply(DATA, np.float32(1 + chunk / 8), out=b.source.numpy("float32"))

        def keep(b=b, chunk=chunk):
            results[chunk] = b.target.numpy("float32")

        prepare.wait_event(b.uploaded)  # the buffer's last content is on the device
        prepare.launch_host_func(fill)
        b.prepared.record(prepare)

        upload.wait_event(b.prepared)
        upload.wait_event(b.computed)  # the device does not read its buffers any more
        dev.memcpy_async(b.x.memory, b.source, stream=upload)
        b.uploaded.record(upload)

        compute.wait_event(b.uploaded)
        compute.wait_event(b.downloaded)
        operate(b.x, b.grad, compute)
        b.computed.record(compute)

        download.wait_event(b.computed)
        dev.memcpy_async(b.target, b.grad.memory, stream=download)
        download.launch_host_func(keep)
        b.downloaded.record(download)
    dev.synchronize()
    return results


# %%
# One run
# -------
# The results are compared with those of the array functions, bit for bit.

pipeline(ar.Device("Atlas A2"))  # loads the kernels, which the timeline shall not show
dev = ar.Device("Atlas A2")
results = pipeline(dev)
for chunk, result in enumerate(results):
    x = DATA * np.float32(1 + chunk / 8)
    expected = ar.hardshrink_backward(ar.softplus_backward(x, x), x, 0.5)
    assert result.tobytes() == expected.tobytes()

trace = dev.trace()
print(trace.table())
print(f"{CHUNKS} chunks, bit for bit those of the array functions")
if len(sys.argv) > 1:
    # Picture: when each stream was busy, a row for each; the arrows are waits for events. Uploads
    # and computations of different chunks overlap.
    picture = Path(sys.argv[1])
    trace.plot(picture)
    trace.to_chrome(picture.with_name("trace.json"))
