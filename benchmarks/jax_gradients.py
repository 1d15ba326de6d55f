"""Compiled gradients in JAX beside those of XLA: ``python -m benchmarks.jax_gradients``.

Both sides are functions under ``jax.jit`` that take a gradient and operands and return gradients:
of ``ascendref.jax``, and of the same formula, which XLA differentiates and compiles. They take
turns, and the least of many turns counts. Ratios are XLA's time over ascendref's: above 1,
ascendref is faster.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from ascendref.bench.cases import KINDS, SIZES
from ascendref.bench.timing import take_turns
from ascendref.cli.markdown import table
from ascendref.core.dtypes import ELEMENT_TYPES


class Pair(NamedTuple):
    """A function with our gradients and the same one with XLA's, and how many operands it has."""

    ours: Callable[..., Any]
    native: Callable[..., Any]
    operands: int


def pairs() -> dict[str, Pair]:
    """Return the functions by name."""
    from jax import numpy as jnp

    import ascendref.jax as aj

    def smooth_l1_loss(x: Any, target: Any) -> Any:
        d = abs(x - target)
        return jnp.mean(jnp.where(d < 1, 0.5 * d * d, d - 0.5))

    return {
        "hardshrink": Pair(aj.hardshrink, lambda x: jnp.where(abs(x) > 0.5, x, 0), 1),
        "softplus": Pair(aj.softplus, lambda x: jnp.where(x > 20, x, jnp.log1p(jnp.exp(x))), 1),
        "prelu": Pair(aj.prelu, lambda x, weight: jnp.where(x > 0, x, weight * x), 2),
        "smooth_l1_loss": Pair(aj.smooth_l1_loss, smooth_l1_loss, 2),
        "logit": Pair(aj.logit, lambda x: jnp.log(x / (1 - x)), 1),
    }


FUNCTIONS = ["hardshrink", "softplus", "prelu", "smooth_l1_loss", "logit"]


def calls(name: str, kind: str, size: int) -> list[Callable[[], object]]:
    """Return our call and XLA's, both of which have run."""
    import jax

    pair, rng = pairs()[name], np.random.default_rng(7)
    shape = size // 16, 16
    shapes = [shape, shape[1:] if name == "prelu" else shape][: pair.operands]
    arrays = [
        jax.numpy.asarray(rng.random(s, np.float32).astype(ELEMENT_TYPES[kind].numpy))
        for s in shapes
    ]
    grad = jax.numpy.ones((() if name == "smooth_l1_loss" else shape), kind)

    def call(function: Callable[..., Any]) -> Callable[[], object]:
        compiled = jax.jit(lambda grad, *operands: jax.vjp(function, *operands)[1](grad))

        def timed() -> object:
            return jax.block_until_ready(compiled(grad, *arrays))

        timed()
        return timed

    return [call(pair.ours), call(pair.native)]


class Gradients:
    """XLA's time as a multiple of ascendref's."""

    params = (FUNCTIONS, list(KINDS), [SIZES["16"], SIZES["64 Ki"], SIZES["1 Mi"]])
    param_names = ("function", "type", "elements")
    unit = "ratio"
    timeout = 120

    def setup(self, name: str, kind: str, size: int) -> None:
        """Leave everything out where JAX is not installed."""
        if find_spec("jax") is None:
            raise NotImplementedError

    def track_xla(self, name: str, kind: str, size: int, budget: float = 0.5) -> float:
        """The ratio of one cell."""
        ours, native = take_turns(calls(name, kind, size), budget)
        return native.seconds / ours.seconds


def main() -> None:
    """Print the ratios in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2, help="for each cell")
    budget = parser.parse_args().seconds
    kinds, sizes = Gradients.params[1], Gradients.params[2]
    rows = [
        (name, kind, *(f"{Gradients().track_xla(name, kind, size, budget):.2f}" for size in sizes))
        for name in FUNCTIONS
        for kind in kinds
    ]
    print("\n".join(table(("function", "type", *(f"{size} elements" for size in sizes)), rows)))


if __name__ == "__main__":
    main()
