"""What queuing on the device costs the host: ``python -m benchmarks.launches``.

The peer is ``submit`` of a pool with one thread, which is what one would otherwise hand the array
functions to. Both take turns, and the minimum of many turns counts. The table gives microseconds
per call of 16 elements: phase 1 with phase 2 for a call that was made before, for one with a new
scalar, which needs a new plan, and the peer's. Then: how much of the host's work is hidden behind
the device's, and what an idle device costs.
"""

from __future__ import annotations

import argparse
import hashlib
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import ascendref as ar
from ascendref import aclnn

#: calls between two synchronizations
BATCH = 200


class Launches:
    """Calls of one operator on the device, and of its array function on a pool."""

    params = (list(ar.OPERATORS),)
    param_names = ("operator",)

    def setup(self, operator: str, size: int = 16) -> None:
        """Make tensors and compile what is needed."""
        ar.set_num_threads(1)  # the other core is the host's
        self.declared = ar.OPERATORS[operator]
        self.device = ar.Device("Atlas A2")
        x = np.linspace(0.1, 0.9, size, dtype=np.float32)
        weights = 1 if operator == "prelu_backward" else size
        lengths = [size] * len(self.declared.tensors) + [size, weights][
            : len(self.declared.outputs)
        ]
        if operator == "prelu_backward":
            lengths[2] = weights
        self.arrays = [np.resize(x, length) for length in lengths]
        tensors = list(map(self.device.tensor, self.arrays))
        inputs = len(self.declared.tensors)
        self.inputs, self.results = tuple(tensors[:inputs]), tuple(tensors[inputs:])
        self.scalars = (0,) * (len(self.declared.scalars) - 1)
        self.phase_1 = getattr(aclnn, f"{self.declared.api}GetWorkspaceSize")
        self.phase_2 = getattr(aclnn, self.declared.api)
        needed, _ = self.phase_1(*self.inputs, *self._scalars(0), *self.results)
        self.workspace = self.device.malloc(needed) if needed else None
        self.pool = ThreadPoolExecutor(1)
        self.turn = 0
        self.known()
        self.pooled()

    def teardown(self, operator: str) -> None:
        """Give the threads back."""
        self.pool.shutdown()

    def _scalars(self, turn: int) -> tuple[float, ...]:
        """Return scalars that are the same for every call with one number."""
        return (*self.scalars, 1 + turn / 2**20) if self.declared.scalars else ()

    def _queue(self, turn: int) -> None:
        size, executor = self.phase_1(*self.inputs, *self._scalars(turn), *self.results)
        self.phase_2(self.workspace, size, executor, None)

    def known(self) -> float:
        """Queue a batch of one call; return the seconds of that alone."""
        start = time.perf_counter()
        for _ in range(BATCH):
            self._queue(0)
        spent = time.perf_counter() - start
        self.device.synchronize()
        return spent

    def new(self) -> float:
        """Queue a batch of calls that were never made before."""
        start = time.perf_counter()
        for _ in range(BATCH):
            self.turn += 1
            self._queue(self.turn)
        spent = time.perf_counter() - start
        self.device.synchronize()
        return spent

    def pooled(self) -> float:
        """Submit a batch of calls of the array function."""
        function = getattr(ar, self.declared.name)
        inputs = len(self.declared.tensors)
        arrays, out = self.arrays[:inputs], self.arrays[inputs:]
        result = tuple(out) if len(out) > 1 else out[0]
        start = time.perf_counter()
        for _ in range(BATCH):
            last = self.pool.submit(function, *arrays, *self._scalars(0), out=result)
        spent = time.perf_counter() - start
        last.result()
        return spent

    def time_known_calls(self, operator: str) -> None:
        """A batch of calls that were made before, until the device is done."""
        self.known()

    def time_new_calls(self, operator: str) -> None:
        """A batch of calls that need plans, until the device is done."""
        self.new()

    def time_pool(self, operator: str) -> None:
        """A batch of calls on a pool, until it is done."""
        self.pooled()


def overlap(turns: int) -> tuple[float, float, float]:
    """Return the seconds of host work, of device work, and of both at once."""
    work = Launches()
    work.setup("softplus_backward", 1 << 20)
    data = bytes(2**20)

    def host() -> None:
        for _ in range(1000):
            hashlib.sha256(data)

    def device() -> None:
        for _ in range(1000):
            work._queue(0)

    def measure(*parts: Any) -> float:
        start = time.perf_counter()
        for part in parts:
            part()
        work.device.synchronize()
        return time.perf_counter() - start

    device()
    rows = [(measure(host), measure(device), measure(device, host)) for _ in range(turns)]
    work.teardown("")
    return tuple(min(column) for column in zip(*rows, strict=True))  # type: ignore[return-value]


def main() -> None:
    """Print the tables in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=50)
    turns = parser.parse_args().turns
    print("| operator | known call | new call | pool | known / pool |")
    print("|---|---|---|---|---|")
    for operator in ar.OPERATORS:
        work = Launches()
        work.setup(operator)
        rows = [(work.known(), work.new(), work.pooled()) for _ in range(turns)]
        known, new, pool = (min(column) / BATCH * 1e6 for column in zip(*rows, strict=True))
        shown = f"{new:.1f}" if work.declared.scalars else "–"
        print(f"| {operator} | {known:.1f} | {shown} | {pool:.1f} | {known / pool:.2f} |")
        work.teardown(operator)
    host, device, both = overlap(max(2, turns // 10))
    print(
        f"\nhost {host * 1e3:.0f} ms, device {device * 1e3:.0f} ms, both at once"
        f" {both * 1e3:.0f} ms: {both / (host + device):.2f} of the sum"
    )
    before = time.process_time()
    time.sleep(1)
    print(f"idle for 1 s: {(time.process_time() - before) * 1e3:.1f} ms of CPU")


if __name__ == "__main__":
    main()
