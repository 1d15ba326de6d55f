"""Calls of the array functions: seconds, and ratios that mean the same on any machine."""

import tracemalloc

import ascendref as ar
from ascendref.bench.cases import KINDS, LAYOUTS, SIZES, Case, kinds_of, own_call, tensors
from ascendref.bench.measure import measure
from ascendref.bench.peers import chosen_peer
from ascendref.bench.results import Job

from . import OPERATORS

#: PyTorch, where it is installed
PEER = chosen_peer(None)
#: seconds for a ratio
BUDGET = 0.5


class Arrays:
    """Time of one call that writes to given arrays."""

    params: tuple[list[object], ...] = (OPERATORS, list(KINDS), list(SIZES.values()))
    param_names: tuple[str, ...] = ("operator", "type", "elements")
    layout = "dense"
    options: dict[str, str] = {}  # noqa: RUF012

    def setup(self, operator: str, kind: str, size: int) -> None:
        """Make arrays and compile."""
        if kind not in kinds_of(operator, KINDS):
            raise NotImplementedError  # asv leaves these parameters out
        self.case = Case(operator, kind, size, self.layout)
        self.call = own_call(self.case, tensors(self.case), **self.options)

    def time_call(self, operator: str, kind: str, size: int) -> None:
        """One call."""
        self.call()


class Layouts(Arrays):
    """Time of one call on arrays that are not contiguous."""

    params = (OPERATORS, list(KINDS), list(LAYOUTS[1:]))
    param_names = ("operator", "type", "layout")

    def setup(self, operator: str, kind: str, layout: str) -> None:  # type: ignore[override]
        """Make arrays and compile."""
        self.layout = layout
        super().setup(operator, kind, SIZES["1 Mi"])


class Truth(Arrays):
    """Time of one correctly rounded call."""

    params = (OPERATORS, list(KINDS), [SIZES["1 Mi"]])
    options = {"compute_dtype": "float64"}  # noqa: RUF012


class Ratios:
    """Ratios within one run: above 1, ascendref is the faster one."""

    params = (OPERATORS, list(KINDS), list(SIZES.values()))
    param_names = ("operator", "type", "elements")
    unit = "ratio"
    timeout = 120

    def setup(self, operator: str, kind: str, size: int) -> None:
        """Leave out what an operator does not take."""
        if kind not in kinds_of(operator, KINDS):
            raise NotImplementedError

    def track_torch(self, operator: str, kind: str, size: int) -> float:
        """PyTorch's time as a multiple of ascendref's; NaN without PyTorch."""
        job = Job("sizes", Case(operator, kind, size), ar.get_num_threads())
        return measure(job, PEER, BUDGET).ratio or float("nan")


class Memory:
    """Bytes that a call takes beyond its arrays, as NumPy's allocator counts them."""

    params = (OPERATORS, list(LAYOUTS))
    param_names = ("operator", "layout")
    unit = "bytes"

    def setup(self, operator: str, layout: str) -> None:
        """Make arrays and compile."""
        case = Case(operator, "float32", SIZES["1 Mi"], layout)
        self.call = own_call(case, tensors(case))

    def track_peak(self, operator: str, layout: str) -> int:
        """The most at any time of one call."""
        tracemalloc.start()
        try:
            before = tracemalloc.get_traced_memory()[0]
            self.call()
            return tracemalloc.get_traced_memory()[1] - before
        finally:
            tracemalloc.stop()
