"""The results of a sweep: how many elements are wrong, by how much, and where."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from ...declaration.accuracy import Bound
from ..judge import FIRST_WRONG
from .rows import CLASSES, ElementRow, SweepRow
from .sweep import Sweep

#: the upper bits of a datum that say where in the profile of errors it goes
PROFILE_BITS: Final = 12


@dataclass
class Tally:
    """The errors of one computation of a sweep so far."""

    #: results by class, see `judge.EDGES`
    histogram: list[int] = field(default_factory=lambda: [0] * len(CLASSES))
    #: the largest error where a bound is stated, and its position
    max_ulp: float = 0.0
    at: ElementRow | None = None
    #: data with results beyond the stated bound, mismatched NaNs, or zeros of the wrong sign
    beyond: int = 0
    #: by the upper bits of the datum: the datum with the largest error, and that in ulp; 0 where
    #: there was none
    profile: NDArray[np.float32] = field(
        default_factory=lambda: np.zeros((1 << PROFILE_BITS, 2), np.float32)
    )

    @property
    def wrong(self) -> int:
        """Results that are not correctly rounded."""
        return sum(self.histogram[FIRST_WRONG:])

    def as_dict(self) -> dict[str, Any]:
        return vars(self) | {"profile": base64.b64encode(self.profile.tobytes()).decode()}

    @classmethod
    def from_dict(cls, value: dict[str, Any]) -> Tally:
        profile = np.frombuffer(base64.b64decode(value["profile"]), np.float32)
        return cls(**value | {"profile": profile.reshape(1 << PROFILE_BITS, 2).copy()})


@dataclass
class SweepResult:
    """The result of a sweep so far."""

    sweep: Sweep
    done: int = 0
    pairs: int = 0
    #: roundings that float64 could not decide
    hard: int = 0
    seconds: float = 0.0
    tallies: dict[str, Tally] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in self.sweep.computed:
            self.tallies.setdefault(name, Tally())

    @property
    def finished(self) -> bool:
        return self.done == self.sweep.blocks

    def bound(self, computed: str) -> Bound | None:
        """Return the bound that is stated for one computation, if any."""
        sweep = self.sweep
        size = sweep.rows * sweep.columns
        return sweep.setting.bound(sweep.kind, computed, size)

    def holds(self, computed: str) -> bool:
        bound, tally = self.bound(computed), self.tallies[computed]
        if bound is None:
            return True
        return not (tally.wrong if bound.rounded else tally.beyond)

    def rows(self) -> list[SweepRow]:
        sweep = self.sweep
        return [
            {
                "operator": sweep.operator,
                "dtype": sweep.kind,
                "setting": sweep.label,
                "computed": name,
                "pairs": self.pairs,
                "of": sweep.pairs,
                "hard_cases": self.hard,
                "seconds": round(self.seconds, 1),
                "wrongly_rounded": tally.wrong,
                "max_ulp": tally.max_ulp,
                "at": tally.at,
                "histogram": dict(zip(CLASSES, tally.histogram, strict=True)),
                "bound": None if (bound := self.bound(name)) is None else str(bound),
                "holds": self.holds(name),
            }
            for name, tally in self.tallies.items()
        ]
