"""A sweep: which data and gradients an operator gets, in which blocks."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...core.dtypes import ELEMENT_TYPES, ElementType, float_format
from .. import SAMPLED
from ..setting import Setting, gradient_name

#: what is measured besides the compute types: PyTorch's operator on the same inputs
TORCH: Final = "torch"

#: results in a block; not a power of two, so that a mean does not divide by one
BLOCK: Final = 30 * 65536

#: gradients that every F32 datum meets: one, one with a full significand, and one so small that
#: most results are subnormal
F32_GRADIENTS: Final = (1.0, -1.7182817, 2.5e-40)

#: gradients in a sample of 16-bit types
_GRADIENTS: Final = 4096
#: numbers whose neighbourhood every sample contains, besides the ends of the type's range
_SPECIAL: Final = (0.0, 0.5, 1.0, math.inf)


@dataclass(frozen=True)
class Sweep:
    """A sweep: all that its result depends on."""

    setting: Setting
    #: element type of all tensors and of the result
    kind: str
    #: what is measured: compute types, and PyTorch
    computed: tuple[str, ...]
    #: every pair (16 bits) or datum (32 bits) instead of a sample
    exhaustive: bool
    seed: int = 0
    sample: int = SAMPLED

    @property
    def operator(self) -> str:
        return self.setting.operator.name

    @property
    def label(self) -> str:
        return self.setting.label

    @property
    def has_gradients(self) -> bool:
        """Whether a datum meets gradients, or any other second tensor."""
        return gradient_name(self.setting.operator) is not None

    @property
    def element(self) -> ElementType:
        return ELEMENT_TYPES[self.kind]

    @property
    def raw(self) -> np.dtype[Any]:
        """The type of its bits."""
        return np.dtype(f"u{self.element.numpy.itemsize}")

    @property
    def columns(self) -> int:
        """How many numbers of the second tensor a datum meets."""
        return int(self._gradients.size)

    def gradients(self, block: int) -> NDArray[Any]:
        """Return the gradients, or numbers of another second tensor, that data of a block meet.

        There is one row for all data; in samples of F32 one for each, unless they are gradients:
        those are factors, for which few numbers suffice. Without a second tensor it is a single
        number that is not used.
        """
        is_function = self.has_gradients and self.setting.operator.forward is None
        if not is_function or self.raw.itemsize < 4 or self.exhaustive:
            return self._gradients[None]
        rng = np.random.default_rng((self.seed, block))
        shape = self.patterns(block).size, self.columns
        bits = rng.integers(*self._ends(self._domain), shape, self.raw, endpoint=True)
        bits[:, 0] = rng.choice(self._sample(0, (), self._domain), len(bits))
        return bits.view(self.element.numpy)

    @cached_property
    def _gradients(self) -> NDArray[Any]:
        """The numbers of the second tensor that every datum meets."""
        if not self.has_gradients:
            return np.ones(1, self.element.numpy)
        if self.raw.itemsize == 4:
            extra = () if self.exhaustive else (3.0e38,)
            return np.array([*F32_GRADIENTS, *extra], self.element.numpy)
        if self.exhaustive:
            return np.arange(1 << 16, dtype=self.raw).view(self.element.numpy)
        return self._sample(_GRADIENTS, (), self._domain).view(self.element.numpy)

    @property
    def _domain(self) -> tuple[float, float] | None:
        """The numbers that the second tensor is meant for; None for all."""
        operator = self.setting.operator
        name = gradient_name(operator)
        return next((param.domain for param in operator.tensors if param.name == name), None)

    def _ends(self, domain: tuple[float, float] | None) -> tuple[int, int]:
        """Return the bits of the first and the last number of a domain, or of all numbers."""
        if domain is None:
            return 0, int(np.iinfo(self.raw).max)
        first, last = np.array(domain, self.element.numpy).view(self.raw).tolist()
        return first, last

    @cached_property
    def _sampled_data(self) -> NDArray[Any]:
        """The bits of the data of a sample."""
        gradients = _GRADIENTS if self.raw.itemsize == 2 else len(F32_GRADIENTS) + 1
        return self._sample(self.sample // gradients, self.setting.edges())

    def grid(self, side: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return data and gradients; every pair is tried."""
        data = self._sample(side, self.setting.edges()).view(self.element.numpy)
        if not self.has_gradients:
            return data, self._gradients
        return data, self._sample(side, (), self._domain).view(self.element.numpy)

    def _sample(
        self, count: int, edges: Sequence[float], domain: tuple[float, float] | None = None
    ) -> NDArray[Any]:
        """Return the bits of special numbers, edges, their neighbours and random ones, sorted.

        Those outside of a domain are left out.
        """
        first, last = self._ends(domain)
        form = float_format(self.element)
        special = [*_SPECIAL, form.smallest, form.normal, form.largest]
        with np.errstate(over="ignore", invalid="ignore"):
            near = np.array([*special, *edges], np.float64).astype(self.element.numpy)
        patterns = near.view(self.raw)
        sign = self.raw.type(1 << (8 * self.raw.itemsize - 1))
        steps = [patterns + self.raw.type(step) for step in range(3)]
        steps += [patterns - self.raw.type(step) for step in range(1, 3)]
        chosen = np.concatenate(steps)
        chosen = np.unique(np.concatenate([chosen, chosen ^ sign]))
        chosen = chosen[(chosen >= first) & (chosen <= last)]
        rng = np.random.default_rng(self.seed)
        random = rng.integers(first, last, max(count - chosen.size, 0), self.raw, endpoint=True)
        return np.sort(np.concatenate([chosen, random]))

    @property
    def _takes_all(self) -> bool:
        """Whether all data are taken: without gradients, all 16 bits are no more than a sample."""
        return self.exhaustive or (self.raw.itemsize == 2 and not self.has_gradients)

    @property
    def data(self) -> int:
        if self._takes_all:
            return 1 << (8 * self.raw.itemsize)
        return int(self._sampled_data.size)

    @property
    def rows(self) -> int:
        """The number of data in a block."""
        return min(max(BLOCK // self.columns, 1), self.data)

    @property
    def blocks(self) -> int:
        return -(-self.data // self.rows)

    @property
    def pairs(self) -> int:
        return self.data * self.columns

    def patterns(self, block: int) -> NDArray[Any]:
        start = block * self.rows
        stop = min(start + self.rows, self.data)
        if self._takes_all:
            return np.arange(start, stop, dtype=np.uint64).astype(self.raw)
        return self._sampled_data[start:stop]
