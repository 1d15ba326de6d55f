"""What it costs that kernels run in the default floating-point environment, whatever is set."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic

import ascendref as ar
from ascendref.kernels.runtime import fp_environment as environment

ROUNDS = 20_000


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

    def track_default_settings(self) -> float:
        """Where the settings are the default ones: they are read."""
        return least(lambda: _nothing(ROUNDS)) / least(self.calls)


def least(function: Callable[[], object]) -> float:
    """Return the least time of several calls after a first one."""
    function()
    times = []
    for _ in range(20):
        start = perf_counter()
        function()
        times.append(perf_counter() - start)
    return min(times)
