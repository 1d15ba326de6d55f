"""The cost of running kernels in the default floating-point environment, whatever is set."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

import ascendref as ar
from ascendref.bench.timing import take_turns
from ascendref.kernels.runtime import fp_environment as environment

ROUNDS = 20_000
#: seconds for both sides
BUDGET = 0.5


@intrinsic
def _there_and_back(typingctx: Any) -> Any:
    """Set the default environment and restore the one that was there."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        environment.restore_environment(builder, environment.set_default_environment(builder))
        return context.get_dummy_value()

    return types.void(), codegen


@njit
def _nothing(rounds: int) -> None:
    for _ in range(rounds):
        _there_and_back()


class Environment:
    """Parts of the time of a call on 16 elements."""

    unit = "of a call"

    def setup(self) -> None:
        x = np.ones(16, np.float32)
        out = np.empty_like(x)

        def calls() -> None:
            for _ in range(ROUNDS):
                ar.hardshrink_backward(x, x, out=out)

        self.calls = calls
        calls()
        _nothing(ROUNDS)

    def track_default_settings(self) -> float:
        """Where the settings are the default ones: they are read."""
        alone, whole = take_turns([lambda: _nothing(ROUNDS), self.calls], BUDGET)
        return alone.seconds / whole.seconds
