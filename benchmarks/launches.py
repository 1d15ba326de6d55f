"""The cost of queuing on the device for the host: ``python -m benchmarks.launches``.

The peer is ``submit`` of a pool with one thread, to which one would otherwise hand the array
functions. Both take turns, and the least of many turns counts. The table gives microseconds per
call of 16 elements: phase 1 with phase 2 for a repeated call, for one with a new scalar, which
needs a new plan, and the peer's. Then: how much of the host's work is hidden behind the device's,
and what an idle device costs.
"""

import argparse
import hashlib
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from typing import Any

import ascendref as ar
from ascendref import aclnn
from ascendref.bench.cases import Case, tensors
from ascendref.core.markdown import table

#: operators with so many tensors and scalars; what others cost to queue depends on these alone
QUEUED = (
    "silu", "hardshrink_backward", "softplus_backward", "prelu_backward", "smooth_l1_loss_backward",
    "logit_grad",
)  # fmt: skip
#: calls between two synchronizations
BATCH = 200


class Launches:
    """Calls of one operator on the device, and of its array function on a pool."""

    params = (QUEUED,)
    param_names = ("operator",)

    def setup(self, operator: str, size: int = 16, *, check: bool = True) -> None:
        """Make tensors and compile what is needed."""
        ar.set_num_threads(1)  # the other core is the host's
        self.declared = ar.OPERATORS[operator]
        layout = "one weight" if self.declared.per_channel else "dense"
        case = Case(operator, "float32", size, layout)
        self.arrays = tensors(case)
        self.out = getattr(ar, operator)(*self.arrays, *self._scalars(0))
        self.device = ar.Device("Atlas A2", check=check)
        outputs = self.out if isinstance(self.out, tuple) else (self.out,)
        self.tensors = [self.device.tensor(array) for array in (*self.arrays, *outputs)]
        self.phase_1 = getattr(aclnn, f"{self.declared.api}GetWorkspaceSize")
        self.phase_2 = getattr(aclnn, self.declared.api)
        needed, _ = self._plan(0)
        self.workspace = self.device.malloc(needed) if needed else None
        self.pool = ThreadPoolExecutor(1)
        self.turn = 0
        self.repeated()
        self.pooled()

    def teardown(self, operator: str) -> None:
        """Give the threads back."""
        self.pool.shutdown()

    def _scalars(self, turn: int) -> tuple[Any, ...]:
        """Return scalars that are the same for every call with one number."""
        values = [next(iter(p.choices or ())) if p.is_text else 0 for p in self.declared.scalars]
        if self.varied:
            values[-1:] = [1 + turn / 2**20]
        return tuple(values)

    @property
    def varied(self) -> bool:
        """Whether the last scalar may be any number."""
        return any(param.choices is None for param in self.declared.scalars[-1:])

    def _plan(self, turn: int) -> tuple[int, Any]:
        inputs = len(self.arrays)
        return self.phase_1(*self.tensors[:inputs], *self._scalars(turn), *self.tensors[inputs:])

    def queue(self, turn: int) -> None:
        """Queue one call: phase 1 and phase 2."""
        size, executor = self._plan(turn)
        self.phase_2(self.workspace, size, executor, None)

    def _queue_batch(self, turns: Iterable[int]) -> float:
        """Queue calls, let the device do them, and return the seconds of queuing alone."""
        start = time.perf_counter()
        for turn in turns:
            self.queue(turn)
        spent = time.perf_counter() - start
        self.device.synchronize()
        return spent

    def repeated(self) -> float:
        """Queue a batch of one call; return the seconds of queuing."""
        return self._queue_batch(repeat(0, BATCH))

    def new(self) -> float:
        """Queue a batch of calls that were never made before; return the seconds of queuing."""
        self.turn += BATCH
        return self._queue_batch(range(self.turn - BATCH + 1, self.turn + 1))

    def pooled(self) -> float:
        """Submit a batch of calls of the array function; return the seconds of submitting."""
        function = getattr(ar, self.declared.name)
        start = time.perf_counter()
        for _ in range(BATCH):
            last = self.pool.submit(function, *self.arrays, *self._scalars(0), out=self.out)
        spent = time.perf_counter() - start
        last.result()
        return spent

    def time_repeated_calls(self, operator: str) -> None:
        """A batch of repeated calls, until the device is done."""
        self.repeated()

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
            work.queue(0)

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
    """Print the results in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=50)
    turns = parser.parse_args().turns
    rows = []
    for operator in QUEUED:
        work = Launches()
        work.setup(operator)
        seconds = [(work.repeated(), work.new(), work.pooled()) for _ in range(turns)]
        repeated, new, pool = (min(column) / BATCH * 1e6 for column in zip(*seconds, strict=True))
        new_text = f"{new:.1f}" if work.varied else "–"
        ratio = repeated / pool
        rows.append((operator, f"{repeated:.1f}", new_text, f"{pool:.1f}", f"{ratio:.2f}"))
        work.teardown(operator)
    headings = ("operator", "repeated call", "new call", "pool", "repeated / pool")
    print("\n".join(table(headings, rows)))
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
