"""The results of a sweep: how many elements are wrong, by how much, and where."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...declaration.accuracy import Bound
from ..oracles.judge import CLASSES, FIRST_WRONG, NAN, ZERO_SIGN
from .bounds import stated
from .sweep import Sweep

#: the upper bits of a datum that say where in the profile of errors it goes
PROFILE_BITS: Final = 12


class Element(NamedTuple):
    """One element: its datum and gradient, the result, and the golden value."""

    data: float
    gradient: float
    actual: float
    golden: float


@dataclass
class Tally:
    """The errors of one computation of a sweep so far."""

    #: results by class, see `judge.EDGES`
    histogram: list[int] = field(default_factory=lambda: [0] * CLASSES)
    #: the largest error where a bound is stated, and its position
    max_ulp: float = 0.0
    at: Element | None = None
    #: data with results beyond the stated bound, mismatched NaNs, or zeros of the wrong sign
    beyond: int = 0
    #: largest error in ulp by the upper bits of the datum; 0 where there was none
    profile: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros(1 << PROFILE_BITS, np.float32)
    )
    #: the position of each of these errors: datum, gradient and result
    profile_at: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros((1 << PROFILE_BITS, 3), np.float32)
    )

    @property
    def wrong(self) -> int:
        """Results that are not correctly rounded."""
        return sum(self.histogram[FIRST_WRONG:])

    @property
    def mismatches(self) -> int:
        """Results that are NaN instead of a number or the reverse, or zeros of the wrong sign."""
        return self.histogram[NAN] + self.histogram[ZERO_SIGN]

    def as_dict(self) -> dict[str, Any]:
        """Return what `from_dict` takes, for JSON."""
        return {
            "histogram": self.histogram,
            "max_ulp": self.max_ulp,
            "at": self.at,
            "beyond": self.beyond,
            "profile": base64.b64encode(self.profile.tobytes()).decode(),
            "profile_at": base64.b64encode(self.profile_at.tobytes()).decode(),
        }

    @classmethod
    def from_dict(cls, value: dict[str, Any]) -> Tally:
        """Return what `as_dict` was made from."""
        profile, profile_at = (
            np.frombuffer(base64.b64decode(value[name]), np.float32).copy()
            for name in ("profile", "profile_at")
        )
        at = None if value["at"] is None else Element(*value["at"])
        return cls(
            list(value["histogram"]),
            value["max_ulp"],
            at,
            value["beyond"],
            profile,
            profile_at.reshape(-1, 3),
        )


@dataclass
class SweepResult:
    """The result of a sweep so far."""

    sweep: Sweep
    #: blocks that are done
    done: int = 0
    pairs: int = 0
    #: roundings that the fast oracle could not decide
    hard: int = 0
    seconds: float = 0.0
    tallies: dict[str, Tally] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.sweep.computed:
            self.tallies.setdefault(name, Tally())

    @property
    def finished(self) -> bool:
        """Whether all blocks are done."""
        return self.done == self.sweep.blocks

    def bound(self, computed: str) -> Bound | None:
        """Return the bound that is stated for one computation, if any."""
        sweep = self.sweep
        size = sweep.rows * sweep.gradients.size
        return stated(sweep.operator, sweep.kind, computed, sweep.setting, size)

    def holds(self, computed: str) -> bool:
        """Tell whether the bound holds."""
        bound, tally = self.bound(computed), self.tallies[computed]
        if bound is None:
            return True
        return not (tally.wrong if bound.rounded else tally.beyond)
