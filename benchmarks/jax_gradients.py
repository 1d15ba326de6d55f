"""Compiled gradients in JAX beside those of XLA: ``python -m benchmarks.jax_gradients``.

Both sides are functions under ``jax.jit`` that take a gradient and operands and return gradients:
of ``ascendref.jax``, and of the same formula, which XLA differentiates and compiles. They take
turns, and the least of many turns counts. Ratios are XLA's time over ascendref's: above 1,
ascendref is faster.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from ascendref.bench.cases import KINDS, SIZES
from ascendref.bench.timing import take_turns
from ascendref.core.dtypes import ELEMENT_TYPES
from ascendref.core.markdown import table

_SIZES = (SIZES["16"], SIZES["64 Ki"], SIZES["1 Mi"])


def functions() -> dict[str, tuple[Callable[..., Any], int]]:
    """Return the functions whose gradients XLA makes, by our name, and their operands."""
    from jax import numpy as jnp

    def smooth_l1_loss(x: Any, target: Any) -> Any:
        d = abs(x - target)
        return jnp.mean(jnp.where(d < 1, 0.5 * d * d, d - 0.5))

    return {
        "hardshrink": (lambda x: jnp.where(abs(x) > 0.5, x, 0), 1),
        "softplus": (lambda x: jnp.where(x > 20, x, jnp.log1p(jnp.exp(x))), 1),
        "prelu": (lambda x, weight: jnp.where(x > 0, x, weight * x), 2),
        "smooth_l1_loss": (smooth_l1_loss, 2),
        "logit": (lambda x: jnp.log(x / (1 - x)), 1),
    }


def calls(name: str, kind: str, size: int) -> list[Callable[[], object]]:
    """Return our call and XLA's, both of which have run."""
    import jax

    import ascendref.jax as aj

    (native, operands), rng = functions()[name], np.random.default_rng(7)
    shape = size // 16, 16
    shapes = [shape, shape[1:] if name == "prelu" else shape][:operands]
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

    return [call(getattr(aj, name)), call(native)]


def main() -> None:
    """Print the ratios in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2, help="for each cell")
    budget = parser.parse_args().seconds
    rows = []
    for name in functions():
        for kind in KINDS:
            turns = [take_turns(calls(name, kind, size), budget) for size in _SIZES]
            ratios = [f"{native.seconds / ours.seconds:.2f}" for ours, native in turns]
            rows.append((name, kind, *ratios))
    print("\n".join(table(("function", "type", *(f"{n} elements" for n in _SIZES)), rows)))


if __name__ == "__main__":
    main()
